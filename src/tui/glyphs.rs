//! The marks of the screen, one cell each (East-Asian width *neutral*), and their ASCII fall-backs (specs: tui a5).

use crate::model::{ClusterState, Health};

/// One set of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// Healthy, live.
    pub ok: &'static str,
    /// Warning.
    pub warn: &'static str,
    /// Failed.
    pub bad: &'static str,
    /// In progress.
    pub busy: &'static str,
    /// Held, paused.
    pub held: &'static str,
    /// Waiting.
    pub waiting: &'static str,
    /// Stale.
    pub stale: &'static str,
    /// Login expired, forbidden.
    pub denied: &'static str,
    /// Unreachable.
    pub unreachable: &'static str,
    /// Differs.
    pub differs: &'static str,
    /// Selected row.
    pub selected: &'static str,
    /// Sorted upwards.
    pub sort_up: &'static str,
    /// Sorted downwards.
    pub sort_down: &'static str,
    /// Marked row.
    pub marked: &'static str,
    /// Cut text.
    pub cut: &'static str,
    /// Between crumbs.
    pub crumb: &'static str,
    /// No data, not placed here.
    pub none: &'static str,
    /// Not known.
    pub unknown: &'static str,
    /// Undo.
    pub undo: &'static str,
    /// More to the left, to the right.
    pub more: (&'static str, &'static str),
    /// Line breaks and the like, in the version column: arrow.
    pub arrow: &'static str,
    /// Horizontal and vertical line.
    pub lines: (&'static str, &'static str),
    /// Corners: top left, top right, bottom left, bottom right.
    pub corners: (&'static str, &'static str, &'static str, &'static str),
    /// Tees: top (opens down), bottom (opens up), left (opens right), right (opens left).
    pub tees: (&'static str, &'static str, &'static str, &'static str),
    /// Heavy rule beside the frozen column: vertical, horizontal, crossing.
    pub rule: (&'static str, &'static str, &'static str),
    /// Heavy corners and lines of dialogs: top left, top right, bottom left, bottom right, horizontal, vertical.
    pub heavy: (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str),
    /// Filled and empty part of a bar.
    pub bar: (&'static str, &'static str),
    /// Phases of the spinner; one = a fixed mark.
    pub spinner: &'static [&'static str],
    /// True for the ASCII set.
    pub ascii: bool,
}

/// The usual set.
pub const UNICODE: Glyphs = Glyphs {
    ok: "✓",
    warn: "!",
    bad: "✗",
    busy: "⟳",
    held: "=",
    waiting: ".",
    stale: "~",
    denied: "⊘",
    unreachable: "∅",
    differs: "∆",
    selected: "▸",
    sort_up: "▴",
    sort_down: "▾",
    marked: "☑",
    cut: "⋯",
    crumb: "›",
    none: "-",
    unknown: "?",
    undo: "<",
    more: ("◂", "▸"),
    arrow: "→",
    lines: ("─", "│"),
    corners: ("┌", "┐", "└", "┘"),
    tees: ("┬", "┴", "├", "┤"),
    rule: ("┃", "━", "╋"),
    heavy: ("┏", "┓", "┗", "┛", "━", "┃"),
    bar: ("#", "."),
    spinner: &["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"],
    ascii: false,
};

/// The set for terminals that know no more.
pub const ASCII: Glyphs = Glyphs {
    ok: "+",
    warn: "!",
    bad: "x",
    busy: "%",
    held: "=",
    waiting: ".",
    stale: "~",
    denied: "@",
    unreachable: "0",
    differs: "#",
    selected: ">",
    sort_up: "^",
    sort_down: "v",
    marked: "*",
    cut: "..",
    crumb: "/",
    none: "-",
    unknown: "?",
    undo: "<",
    more: ("<", ">"),
    arrow: ">",
    lines: ("-", "|"),
    corners: ("+", "+", "+", "+"),
    tees: ("+", "+", "+", "+"),
    rule: ("|", "=", "+"),
    heavy: ("+", "+", "+", "+", "=", "|"),
    bar: ("#", "."),
    spinner: &["|", "/", "-", "\\"],
    ascii: true,
};

impl Glyphs {
    /// The set to use: ASCII when asked for, on the Linux console, and where the locale is not UTF-8.
    /// `var` looks an environment variable up.
    pub fn choose(ascii: bool, var: &dyn Fn(&str) -> Option<String>) -> &'static Self {
        let term = var("TERM").unwrap_or_default();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|n| var(n).filter(|v| !v.is_empty()));
        // No locale at all is common in containers whose terminals are UTF-8 nevertheless: only a locale that names
        // another character set counts.
        let utf8 = locale.is_none_or(|l| {
            let l = l.to_ascii_lowercase();
            l.contains("utf-8") || l.contains("utf8") || !l.contains('.')
        });
        if ascii || term == "linux" || !utf8 { &ASCII } else { &UNICODE }
    }

    /// Mark of a health.
    pub fn health(&self, health: Health) -> &'static str {
        match health {
            Health::Ok => self.ok,
            Health::Idle => self.none,
            Health::Busy => self.busy,
            Health::Unknown => self.unknown,
            Health::Warn => self.warn,
            Health::Bad => self.bad,
        }
    }

    /// Mark of a cluster's state (without its risks).
    pub fn state(&self, state: ClusterState) -> &'static str {
        match state {
            ClusterState::Live => self.ok,
            ClusterState::Connecting | ClusterState::Syncing => self.busy,
            ClusterState::Stale => self.stale,
            ClusterState::LoginExpired | ClusterState::Forbidden => self.denied,
            ClusterState::Unreachable => self.unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_where_the_terminal_knows_no_more() {
        let pick = |ascii, term: &'static str, lang: Option<&'static str>| {
            Glyphs::choose(ascii, &move |name| match name {
                "TERM" => Some(term.into()),
                "LANG" => lang.map(Into::into),
                _ => None,
            })
            .ascii
        };
        assert!(!pick(false, "xterm-256color", Some("en_US.UTF-8")));
        assert!(!pick(false, "xterm-256color", None));
        assert!(pick(true, "xterm-256color", Some("en_US.UTF-8")));
        assert!(pick(false, "linux", Some("en_US.UTF-8")));
        assert!(pick(false, "xterm", Some("zh_CN.GB18030")));
    }
}
