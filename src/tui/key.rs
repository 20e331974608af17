//! Keys as people write them: `j`, `G`, `ctrl-d`, `shift-tab`, `pgdn`, `f5`; and as terminals send them.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// One key with its modifiers, in one normal form: a character carries its own shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd)]
pub struct Key {
    /// The key.
    pub code: KeyCode,
    /// Control, Alt; Shift only with keys that are no characters.
    pub mods: KeyModifiers,
}

const NAMES: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("shift-tab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("space", KeyCode::Char(' ')),
];

impl Key {
    /// The normal form of what the terminal sent. Terminals send Ctrl-\ as byte 0x1c and Ctrl-space as NUL, which
    /// crossterm reports as Ctrl-4 and as Ctrl-space.
    pub fn from_event(event: KeyEvent) -> Self {
        let mut mods = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Char('4') if mods.contains(KeyModifiers::CONTROL) => KeyCode::Char('\\'),
            KeyCode::Char(c) if mods.contains(KeyModifiers::CONTROL) => KeyCode::Char(c.to_ascii_lowercase()),
            KeyCode::Tab if mods.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            other => other,
        };
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            mods.remove(KeyModifiers::SHIFT);
        }
        Self { code, mods }
    }

    /// Parses `ctrl-d`, `alt-b`, `shift-down`, `G`, `pgdn`, `f2`; `None` when it is no key.
    pub fn parse(text: &str) -> Option<Self> {
        let mut mods = KeyModifiers::NONE;
        let mut rest = text.trim();
        if rest.eq_ignore_ascii_case("shift-tab") {
            return Some(Self { code: KeyCode::BackTab, mods });
        }
        loop {
            let lower = rest.to_ascii_lowercase();
            let (bit, len) = match lower.as_str() {
                l if l.starts_with("ctrl-") && l.len() > 5 => (KeyModifiers::CONTROL, 5),
                l if l.starts_with("alt-") && l.len() > 4 => (KeyModifiers::ALT, 4),
                l if l.starts_with("shift-") && l.len() > 6 => (KeyModifiers::SHIFT, 6),
                _ => break,
            };
            mods |= bit;
            rest = rest.get(len..)?;
        }
        let code = Self::parse_code(rest)?;
        let key = KeyEvent::new(code, mods);
        Some(Self::from_event(key))
    }

    fn parse_code(text: &str) -> Option<KeyCode> {
        let mut chars = text.chars();
        if let (Some(c), None) = (chars.next(), chars.next()) {
            return Some(KeyCode::Char(c));
        }
        let lower = text.to_ascii_lowercase();
        if let Some((_, code)) = NAMES.iter().find(|(name, _)| *name == lower) {
            return Some(*code);
        }
        let number: u8 = lower.strip_prefix('f')?.parse().ok()?;
        (1..=24).contains(&number).then_some(KeyCode::F(number))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mods.contains(KeyModifiers::CONTROL) {
            f.write_str("ctrl-")?;
        }
        if self.mods.contains(KeyModifiers::ALT) {
            f.write_str("alt-")?;
        }
        if self.mods.contains(KeyModifiers::SHIFT) {
            f.write_str("shift-")?;
        }
        match (NAMES.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, KeyCode::F(n)) => write!(f, "f{n}"),
            (None, _) => f.write_str("?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_and_print_the_same() {
        for text in [
            "j",
            "G",
            "ctrl-d",
            "alt-b",
            "shift-down",
            "shift-tab",
            "pgdn",
            "space",
            "ctrl-space",
            "f12",
            "-",
            "ctrl-\\",
            "[",
        ] {
            assert_eq!(Key::parse(text).map(|k| k.to_string()).as_deref(), Some(text));
        }
        for text in ["", "nonsense", "f99", "ctrl-"] {
            assert_eq!(Key::parse(text), None, "{text}");
        }
    }

    #[test]
    fn terminals_ways_to_send_a_key_meet() {
        let sent = |code, mods| Key::from_event(KeyEvent::new(code, mods)).to_string();
        assert_eq!(sent(KeyCode::Char('4'), KeyModifiers::CONTROL), "ctrl-\\");
        assert_eq!(sent(KeyCode::Char('G'), KeyModifiers::SHIFT), "G");
        assert_eq!(sent(KeyCode::BackTab, KeyModifiers::SHIFT), "shift-tab");
        assert_eq!(sent(KeyCode::Char('D'), KeyModifiers::CONTROL | KeyModifiers::SHIFT), "ctrl-d");
    }
}
