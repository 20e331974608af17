//! Every text that a person reads, by key and language; cleaning of foreign text; widths.
//!
//! One table per area, each entry with English and Simplified Chinese side by side, so that a missing translation does not
//! compile. Sentences are whole, with named places (`{n}`), never glued from words. Kubernetes' own words (Pod,
//! reasons, conditions, API errors) are not translated.

mod text;

pub mod cli;
pub mod common;
pub mod desired;
pub mod drift;
pub mod fleet;
pub mod live;
pub mod matrix;
pub mod objects;
pub mod patch;
pub mod placement;
pub mod policy;
pub mod source;
pub mod tui;

pub use text::{clean, clean_line, cut_end, cut_middle, pad_left, pad_right, width, wrap};

/// Language of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// From `--lang`, or from LC_ALL, LC_MESSAGES, LANG (`zh`, `zh_CN.UTF-8`, `en`).
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.to_ascii_lowercase();
        match code.get(..2) {
            Some("zh") => Some(Self::Zh),
            Some("en") => Some(Self::En),
            _ => None,
        }
    }
}

/// One text in all languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msg {
    /// Stable key, `area.NAME`.
    pub key: &'static str,
    /// English.
    pub en: &'static str,
    /// Simplified Chinese.
    pub zh: &'static str,
}

impl Msg {
    /// The text as it stands, places not filled in.
    pub fn text(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Zh => self.zh,
        }
    }

    /// The text with its places filled in: `msg.fill(lang, &[("n", "3")])`. An unknown place stays visible.
    pub fn fill(&self, lang: Lang, values: &[(&str, &str)]) -> String {
        let mut out = String::with_capacity(64);
        let mut rest = self.text(lang);
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            let Some(close) = rest[open..].find('}').map(|c| open + c) else { break };
            let name = &rest[open + 1..close];
            match values.iter().find(|(k, _)| *k == name) {
                Some((_, value)) => out.push_str(value),
                None => out.push_str(&rest[open..=close]),
            }
            rest = &rest[close + 1..];
        }
        out.push_str(rest);
        out
    }
}

/// Declares the texts of one area: `NAME = "English", "中文";` gives `pub const NAME: Msg`, and `ALL` for the tests.
#[macro_export]
macro_rules! messages {
    ($area:literal; $( $(#[$doc:meta])* $name:ident = $en:literal, $zh:literal; )*) => {
        $( $(#[$doc])* #[doc = concat!("```text\n", $en, "\n```")] pub const $name: $crate::messages::Msg =
            $crate::messages::Msg { key: concat!($area, ".", stringify!($name)), en: $en, zh: $zh }; )*
        /// Every text of this area.
        pub const ALL: &[$crate::messages::Msg] = &[ $( $name ),* ];
    };
}

/// Every text of every area.
pub fn all() -> impl Iterator<Item = &'static Msg> {
    [
        cli::ALL,
        common::ALL,
        desired::ALL,
        drift::ALL,
        fleet::ALL,
        live::ALL,
        matrix::ALL,
        objects::ALL,
        patch::ALL,
        placement::ALL,
        policy::ALL,
        source::ALL,
        tui::ALL,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|part| part.split('}').next()).collect()
    }

    #[test]
    fn every_text_has_the_same_places_in_both_languages() {
        let mut seen: BTreeMap<&str, &Msg> = BTreeMap::new();
        for msg in all() {
            assert!(!msg.en.is_empty() && !msg.zh.is_empty(), "{} is empty", msg.key);
            assert_eq!(places(msg.en), places(msg.zh), "{}: places differ between languages", msg.key);
            assert!(seen.insert(msg.key, msg).is_none(), "{} stands twice", msg.key);
        }
        assert!(!seen.is_empty());
    }

    #[test]
    fn places_are_filled_by_name() {
        let msg = Msg { key: "t.X", en: "{n} of {total}", zh: "共 {total} 个，已有 {n} 个" };
        assert_eq!(msg.fill(Lang::En, &[("total", "9"), ("n", "3")]), "3 of 9");
        assert_eq!(msg.fill(Lang::Zh, &[("total", "9"), ("n", "3")]), "共 9 个，已有 3 个");
    }
}
