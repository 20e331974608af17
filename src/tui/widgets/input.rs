//! One line of text with readline keys: Ctrl-a, e, b, f, w, u, k, y, d, h; Alt-b, f, d; arrows, Home, End.

use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::{buffer::Buffer, layout::Rect};
use unicode_segmentation::UnicodeSegmentation;

use super::put;
use crate::{
    messages::width,
    tui::{key::Key, screen::Ctx, theme::Role},
};

/// Longest text a field takes, in bytes: a paste is cut there.
const LONGEST: usize = 4096;

/// A line being edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    /// Byte position of the cursor, always between two graphemes.
    at: usize,
    killed: String,
}

impl Input {
    /// A line with this text, cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { at: text.len(), text, killed: String::new() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the text; the cursor goes to its end, the kill buffer stays.
    pub fn set(&mut self, text: impl Into<String>) {
        self.text = text.into();
        self.at = self.text.len();
    }

    /// True when the cursor stands behind the last character.
    pub fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Puts text in at the cursor: line breaks and tabs become blanks, other control characters are left out.
    pub fn insert(&mut self, text: &str) {
        let clean: String = text
            .chars()
            .map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c })
            .filter(|c| !c.is_control())
            .collect();
        let room = LONGEST.saturating_sub(self.text.len());
        let end = clean.char_indices().map(|(i, c)| i + c.len_utf8()).take_while(|e| *e <= room).last().unwrap_or(0);
        let part = clean.get(..end).unwrap_or("");
        self.text.insert_str(self.at, part);
        self.at += part.len();
    }

    /// Takes a key; false when the field has no use for it.
    pub fn key(&mut self, key: Key) -> bool {
        match key.mods {
            KeyModifiers::CONTROL => self.control(key.code),
            KeyModifiers::ALT => self.alt(key.code),
            _ => self.plain(key.code),
        }
    }

    fn plain(&mut self, code: KeyCode) -> bool {
        match code {
            KeyCode::Char(c) => self.insert(c.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace => self.cut(self.previous(), self.at, false),
            KeyCode::Delete => self.cut(self.at, self.next(), false),
            KeyCode::Left => self.at = self.previous(),
            KeyCode::Right => self.at = self.next(),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = self.text.len(),
            _ => return false,
        }
        true
    }

    fn control(&mut self, code: KeyCode) -> bool {
        match code {
            KeyCode::Char('a') => self.at = 0,
            KeyCode::Char('e') => self.at = self.text.len(),
            KeyCode::Char('b') => self.at = self.previous(),
            KeyCode::Char('f') => self.at = self.next(),
            KeyCode::Char('h') => self.cut(self.previous(), self.at, false),
            KeyCode::Char('d') => self.cut(self.at, self.next(), false),
            KeyCode::Char('w') => self.cut(self.word_left(true), self.at, true),
            KeyCode::Char('u') => self.cut(0, self.at, true),
            KeyCode::Char('k') => self.cut(self.at, self.text.len(), true),
            KeyCode::Char('y') => {
                let killed = self.killed.clone();
                self.insert(&killed);
            }
            KeyCode::Left => self.at = self.word_left(false),
            KeyCode::Right => self.at = self.word_right(),
            _ => return false,
        }
        true
    }

    fn alt(&mut self, code: KeyCode) -> bool {
        match code {
            KeyCode::Char('b') | KeyCode::Left => self.at = self.word_left(false),
            KeyCode::Char('f') | KeyCode::Right => self.at = self.word_right(),
            KeyCode::Char('d') => self.cut(self.at, self.word_right(), true),
            KeyCode::Backspace => self.cut(self.word_left(false), self.at, true),
            _ => return false,
        }
        true
    }

    fn before(&self) -> &str {
        self.text.get(..self.at).unwrap_or("")
    }

    fn after(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn previous(&self) -> usize {
        self.before().grapheme_indices(true).next_back().map_or(0, |(i, _)| i)
    }

    fn next(&self) -> usize {
        self.at + self.after().graphemes(true).next().map_or(0, str::len)
    }

    /// Start of the word before the cursor; by blanks alone (Ctrl-w), or by anything that is no letter or digit.
    fn word_left(&self, blanks: bool) -> usize {
        let inside = |c: char| if blanks { !c.is_whitespace() } else { c.is_alphanumeric() };
        let trimmed = self.before().trim_end_matches(|c| !inside(c));
        trimmed.trim_end_matches(inside).len()
    }

    fn word_right(&self) -> usize {
        let rest = self.after().trim_start_matches(|c: char| !c.is_alphanumeric());
        self.text.len() - rest.trim_start_matches(char::is_alphanumeric).len()
    }

    fn cut(&mut self, from: usize, to: usize, keep: bool) {
        let part: String = self.text.drain(from..to).collect();
        if keep && !part.is_empty() {
            self.killed = part;
        }
        self.at = from;
    }

    /// Draws `prompt`, the text and a ghost behind it, scrolled so that the cursor is visible; gives the cursor's place.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, prompt: &str, ghost: &str, ctx: &Ctx<'_>) -> Option<(u16, u16)> {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return None;
        }
        let used = put(buf, area.x, area.y, prompt, area.width, ctx.theme.style(Role::Key));
        let room = usize::from(area.width - used).saturating_sub(1);
        let before = width(self.before());
        let mut skipped = 0;
        let shown: String = self
            .text
            .graphemes(true)
            .skip_while(|g| {
                let skip = before - skipped.min(before) > room;
                skipped += if skip { width(g) } else { 0 };
                skip
            })
            .collect();
        let x = area.x + used;
        let n = put(buf, x, area.y, &shown, area.right() - x, ctx.theme.style(Role::Text));
        put(buf, x + n, area.y, ghost, area.right().saturating_sub(x + n), ctx.theme.style(Role::Muted));
        let at = u16::try_from(before.saturating_sub(skipped)).unwrap_or(0);
        Some(((x + at).min(area.right() - 1), area.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &str) -> Input {
        let mut input = Input::default();
        for key in keys.split(' ').filter(|k| !k.is_empty()) {
            assert!(input.key(Key::parse(key).unwrap()), "{key}");
        }
        input
    }

    #[test]
    fn readline_keys() {
        for (keys, text) in [
            ("a b space c ctrl-w", "ab "),
            ("a b space c ctrl-u", ""),
            ("a b ctrl-a x", "xab"),
            ("a b ctrl-a ctrl-k ctrl-y ctrl-y", "abab"),
            ("a space b alt-b alt-b x", "xa b"),
            ("a - b alt-b alt-d", "a-"),
            ("支 付 backspace", "支"),
            ("支 付 left delete", "支"),
            ("a b ctrl-a ctrl-f ctrl-d", "a"),
            ("a b left ctrl-h", "b"),
        ] {
            assert_eq!(typed(keys).text(), text, "{keys}");
        }
    }

    #[test]
    fn pastes_are_one_clean_line() {
        let mut input = Input::new("ab");
        input.insert("x\r\ny\u{1b}[2J\tz");
        assert_eq!(input.text(), "abx  y[2J z");
        input.insert(&"支".repeat(10_000));
        assert!(input.text().len() <= LONGEST);
    }
}
