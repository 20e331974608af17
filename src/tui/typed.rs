//! The bytes of a terminal as what they stand for: keys, pastes, the mouse, and the terminal's answers among them.
//!
//! Read here and not by a library, because the answers to our questions come among the keys, at any time: a reader that
//! stops between the two loses what was typed meanwhile or takes a paste for keys. However the bytes are cut by a slow
//! link, they are the same events.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::query;

/// Begin and end of pasted text.
const PASTE: &[u8] = b"\x1b[200~";
const PASTED: &[u8] = b"\x1b[201~";

/// What the terminal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A key, a paste, the mouse, the focus.
    Event(Event),
    /// Its background is dark, or light.
    Dark(bool),
    /// It knows kitty's keyboard protocol.
    Kitty,
}

/// What stands at the beginning of some bytes.
enum First {
    /// So many bytes say this; `None` for a sequence without a meaning here.
    Whole(usize, Option<Said>),
    /// The sequence goes on in bytes that are still to come.
    Begun,
}

/// Bytes of a sequence whose end has not come yet.
#[derive(Debug, Default)]
pub struct Typed {
    rest: Vec<u8>,
    /// So much of a paste was searched for its end.
    searched: usize,
}

/// What a rest is, which decides how long its end is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing is left over.
    None,
    /// Esc, or the beginning of what Esc begins.
    Esc,
    /// Half a sequence or half a character.
    Half,
    /// Pasted text without its end: however long it takes, it is no typing.
    Paste,
}

impl Typed {
    /// Takes bytes in and gives what is whole.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Said> {
        self.rest.extend_from_slice(bytes);
        let (mut found, mut at) = (Vec::new(), 0);
        while at < self.rest.len() {
            match first(&self.rest[at..], self.searched) {
                First::Whole(len, said) => {
                    found.extend(said);
                    at += len;
                    self.searched = 0;
                }
                First::Begun => break,
            }
        }
        self.rest.drain(..at);
        self.searched = self.rest.len().saturating_sub(PASTED.len());
        found
    }

    /// What is left over.
    pub fn rest(&self) -> Rest {
        match self.rest.as_slice() {
            [] => Rest::None,
            [0x1b] => Rest::Esc,
            rest if rest.starts_with(PASTE) => Rest::Paste,
            _ => Rest::Half,
        }
    }

    /// Takes the rest for what it is without its end: Esc is a key, half a paste is a paste, half a sequence nothing.
    pub fn give_up(&mut self) -> Vec<Said> {
        self.searched = 0;
        let rest = std::mem::take(&mut self.rest);
        if let Some(text) = rest.strip_prefix(PASTE) {
            return vec![paste(text)];
        }
        match rest.as_slice() {
            [0x1b] => vec![key(KeyCode::Esc, KeyModifiers::NONE)],
            // Typed by hand, one after the other.
            [0x1b, c @ (b'[' | b']' | b'O')] => vec![key(KeyCode::Char(char::from(*c)), KeyModifiers::ALT)],
            _ => Vec::new(),
        }
    }
}

fn paste(text: &[u8]) -> Said {
    Said::Event(Event::Paste(String::from_utf8_lossy(text).into_owned()))
}

fn key(code: KeyCode, mods: KeyModifiers) -> Said {
    Said::Event(Event::Key(KeyEvent::new(code, mods)))
}

fn first(bytes: &[u8], searched: usize) -> First {
    match bytes {
        [0x1b] => First::Begun,
        [0x1b, b'[', ..] => control(bytes, searched),
        [0x1b, b']', ..] => operating(bytes),
        [0x1b, b'O', rest @ ..] => match rest.first() {
            None => First::Begun,
            Some(c) => First::Whole(3, letter(*c).map(|code| key(code, KeyModifiers::NONE))),
        },
        // Esc twice: the first is a key, the second may begin something.
        [0x1b, 0x1b, ..] => First::Whole(1, Some(key(KeyCode::Esc, KeyModifiers::NONE))),
        [0x1b, rest @ ..] => match character(rest) {
            First::Whole(len, Some(Said::Event(Event::Key(k)))) => {
                First::Whole(len + 1, Some(key(k.code, k.modifiers | KeyModifiers::ALT)))
            }
            First::Whole(len, _) => First::Whole(len + 1, None),
            First::Begun => First::Begun,
        },
        _ => character(bytes),
    }
}

/// One character in UTF-8, or a control character.
fn character(bytes: &[u8]) -> First {
    let (code, mods) = match bytes[0] {
        b'\r' => (KeyCode::Enter, KeyModifiers::NONE),
        b'\t' => (KeyCode::Tab, KeyModifiers::NONE),
        0x7f => (KeyCode::Backspace, KeyModifiers::NONE),
        0 => (KeyCode::Char(' '), KeyModifiers::CONTROL),
        b @ 0x01..=0x1a => (KeyCode::Char(char::from(b - 1 + b'a')), KeyModifiers::CONTROL),
        b @ 0x1c..=0x1f => (KeyCode::Char(char::from(b - 0x1c + b'4')), KeyModifiers::CONTROL),
        b => {
            let len = match b {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
            let part = &bytes[..len.min(bytes.len())];
            return match std::str::from_utf8(part) {
                Ok(text) => First::Whole(len, text.chars().next().map(|c| key(KeyCode::Char(c), KeyModifiers::NONE))),
                Err(e) if e.error_len().is_none() && part.len() < len => First::Begun,
                Err(_) => First::Whole(1, None),
            };
        }
    };
    First::Whole(1, Some(key(code, mods)))
}

/// An OSC: the background's colour, or an answer that nobody asked for.
fn operating(bytes: &[u8]) -> First {
    let Some(end) = bytes[2..].iter().position(|b| matches!(b, 0x07 | 0x1b)) else { return First::Begun };
    let end = 2 + end;
    let said = || query::background(&bytes[2..end]).map(Said::Dark);
    if bytes[end] == 0x07 {
        return First::Whole(end + 1, said());
    }
    match bytes.get(end + 1) {
        None => First::Begun,
        Some(b'\\') => First::Whole(end + 2, said()),
        Some(_) => First::Whole(end, None),
    }
}

/// A CSI: arrows and their kin, focus, mouse, paste.
fn control(bytes: &[u8], searched: usize) -> First {
    if bytes.starts_with(PASTE) {
        let from = searched.max(PASTE.len());
        let Some(len) = bytes[from..].windows(PASTED.len()).position(|w| w == PASTED) else { return First::Begun };
        let end = from + len;
        return First::Whole(end + PASTED.len(), Some(paste(&bytes[PASTE.len()..end])));
    }
    let Some(end) = bytes[2..].iter().position(|b| (0x40..=0x7e).contains(b)) else { return First::Begun };
    let (body, last, len) = (&bytes[2..2 + end], bytes[2 + end], end + 3);
    let body = std::str::from_utf8(body).unwrap_or("?");
    // Behind a colon stand variants of the number (kitty).
    let plain = |n: &str| n.split(':').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let numbers: Vec<u32> = body.trim_start_matches('<').split(';').map(plain).collect();
    let number = |i: usize| numbers.get(i).copied().unwrap_or(0);
    let said = match last {
        b'u' if body.starts_with('?') => Some(Said::Kitty),
        b'u' => kitty(number(0)).map(|code| key(code, modifiers(number(1)))),
        b'I' => Some(Said::Event(Event::FocusGained)),
        b'O' => Some(Said::Event(Event::FocusLost)),
        b'M' | b'm' if body.starts_with('<') => mouse(number(0), number(1), number(2), last == b'M'),
        b'~' => tilde(number(0)).map(|code| key(code, modifiers(number(1)))),
        c if !body.starts_with(['?', '<', '>']) => letter(c).map(|code| key(code, modifiers(number(1)))),
        _ => None,
    };
    First::Whole(len, said)
}

/// A key in kitty's protocol: the character's number, or one of those the protocol gives to keys of the number pad.
fn kitty(n: u32) -> Option<KeyCode> {
    Some(match n {
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        57399..=57408 => KeyCode::Char(char::from(b'0' + u8::try_from(n - 57399).ok()?)),
        57409 => KeyCode::Char('.'),
        57410 => KeyCode::Char('/'),
        57411 => KeyCode::Char('*'),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57415 => KeyCode::Char('='),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57425 => KeyCode::Insert,
        57426 => KeyCode::Delete,
        // The other keys of the private area are modifiers and media keys.
        0xe000..=0xf8ff => return None,
        n => KeyCode::Char(char::from_u32(n).filter(|c| !c.is_control())?),
    })
}

/// Modifiers as terminals number them: one more than the sum of Shift 1, Alt 2, Ctrl 4.
fn modifiers(n: u32) -> KeyModifiers {
    let bits = n.saturating_sub(1);
    [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)]
        .into_iter()
        .filter(|(bit, _)| bits & bit != 0)
        .fold(KeyModifiers::NONE, |all, (_, m)| all | m)
}

fn letter(c: u8) -> Option<KeyCode> {
    Some(match c {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'Z' => KeyCode::BackTab,
        b'P'..=b'S' => KeyCode::F(c - b'P' + 1),
        _ => return None,
    })
}

fn tilde(n: u32) -> Option<KeyCode> {
    Some(match n {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        // The numbers of function keys have gaps.
        11..=15 => KeyCode::F(u8::try_from(n - 10).ok()?),
        17..=21 => KeyCode::F(u8::try_from(n - 11).ok()?),
        23 | 24 => KeyCode::F(u8::try_from(n - 12).ok()?),
        _ => return None,
    })
}

/// Buttons and wheel in SGR coordinates, which count from one. Motion is never asked for.
fn mouse(bits: u32, x: u32, y: u32, pressed: bool) -> Option<Said> {
    let button = match bits & 3 {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        _ => MouseButton::Right,
    };
    let kind = match (bits & !0b1_1100, pressed) {
        (64, _) => MouseEventKind::ScrollUp,
        (65, _) => MouseEventKind::ScrollDown,
        (0..=2, true) => MouseEventKind::Down(button),
        (0..=2, false) => MouseEventKind::Up(button),
        _ => return None,
    };
    let modifiers = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)]
        .into_iter()
        .filter(|(bit, _)| bits & bit != 0)
        .fold(KeyModifiers::NONE, |all, (_, m)| all | m);
    let place = |n: u32| u16::try_from(n.saturating_sub(1)).ok();
    Some(Said::Event(Event::Mouse(MouseEvent { kind, column: place(x)?, row: place(y)?, modifiers })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(code: KeyCode) -> Said {
        key(code, KeyModifiers::NONE)
    }

    fn click() -> Said {
        let kind = MouseEventKind::Down(MouseButton::Left);
        Said::Event(Event::Mouse(MouseEvent { kind, column: 4, row: 1, modifiers: KeyModifiers::NONE }))
    }

    #[test]
    fn bytes_are_the_events_that_were_typed_however_they_are_cut() {
        let letter = |c| plain(KeyCode::Char(c));
        let ctrl = |c| key(KeyCode::Char(c), KeyModifiers::CONTROL);
        let cases: Vec<(&[u8], Vec<Said>)> = vec![
            (b"jq\r", vec![letter('j'), letter('q'), plain(KeyCode::Enter)]),
            (b"\x1b[200~q:q\rm\x1b[B\x1b[201~q", vec![paste(b"q:q\rm\x1b[B"), letter('q')]),
            (b"\x1b[200~\x1b[201~", vec![paste(b"")]),
            (b"\x1b[B\x1bOA", vec![plain(KeyCode::Down), plain(KeyCode::Up)]),
            (b"\x1b[1;5C\x1b[6~", vec![key(KeyCode::Right, KeyModifiers::CONTROL), plain(KeyCode::PageDown)]),
            (b"\x03\x00\x1c", vec![ctrl('c'), ctrl(' '), ctrl('4')]),
            (b"\x1bj", vec![key(KeyCode::Char('j'), KeyModifiers::ALT)]),
            (b"\x1b\x1b[Z", vec![plain(KeyCode::Esc), plain(KeyCode::BackTab)]),
            (
                b"\x1b[I\x1b[O\x1b[<0;5;2M",
                vec![Said::Event(Event::FocusGained), Said::Event(Event::FocusLost), click()],
            ),
            ("付\u{1f6a2}".as_bytes(), vec![letter('付'), letter('🚢')]),
            (
                b"\x1b[27u\x1b[99;5u\x1b[13;2u",
                vec![plain(KeyCode::Esc), ctrl('c'), key(KeyCode::Enter, KeyModifiers::SHIFT)],
            ),
            // Answers among keys, whenever they come.
            (
                b"j\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?1uk",
                vec![letter('j'), Said::Dark(false), Said::Kitty, letter('k')],
            ),
            (b"\xff\x1b]11;rgb:1c/1c/1c\x07\x1b]52;c;YQ==\x07\x1b[?64;1cj", vec![Said::Dark(true), letter('j')]),
        ];
        for (bytes, want) in cases {
            let mut typed = Typed::default();
            assert_eq!(typed.take(bytes), want, "{bytes:?}");
            assert_eq!(typed.rest(), Rest::None, "{bytes:?}");
            let one_by_one: Vec<Said> = bytes.iter().flat_map(|b| typed.take(&[*b])).collect();
            assert_eq!(one_by_one, want, "byte by byte: {bytes:?}");
        }
    }

    #[test]
    fn what_never_ends_is_no_typing() {
        let cases: [(&[u8], Rest, Vec<Said>); 5] = [
            (b"\x1b", Rest::Esc, vec![plain(KeyCode::Esc)]),
            (b"\x1b[", Rest::Half, vec![key(KeyCode::Char('['), KeyModifiers::ALT)]),
            (b"\x1b[1;", Rest::Half, vec![]),
            (b"\x1b]11;rgb:q", Rest::Half, vec![]),
            (b"\x1b[200~q", Rest::Paste, vec![paste(b"q")]),
        ];
        for (bytes, rest, want) in cases {
            let mut typed = Typed::default();
            assert_eq!(typed.take(bytes), []);
            assert_eq!(typed.rest(), rest, "{bytes:?}");
            assert_eq!(typed.give_up(), want, "{bytes:?}");
            assert_eq!(typed.rest(), Rest::None);
        }
    }
}
