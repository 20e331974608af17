//! One question to the terminal at the start: its background colour (OSC 11) and whether it knows kitty's keys, with
//! DA1 behind them, which every terminal answers and which therefore ends the waiting.
//!
//! The answers come on standard input among the keys. They are read by the input thread before anything else does, for at
//! most 150 ms (longer on a slow link); what comes later is swallowed by [`Late`].

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// What is asked.
pub const QUESTION: &str = "\x1b]11;?\x1b\\\x1b[?u\x1b[c";

/// How long answers are waited for, on the machine itself and over SSH.
pub const PATIENCE: (Duration, Duration) = (Duration::from_millis(150), Duration::from_millis(600));

/// What the terminal said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Its background is dark.
    pub dark: Option<bool>,
    /// It knows kitty's keyboard protocol.
    pub kitty: bool,
    /// DA1 came: nothing follows.
    pub done: bool,
}

/// Takes the answers out of what was read; the rest (keys typed meanwhile) stays in `bytes`.
pub fn digest(bytes: &mut Vec<u8>, answers: &mut Answers) {
    let mut rest = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        match sequence(&bytes[i..]) {
            Some((len, Sequence::Background(dark))) => {
                answers.dark = answers.dark.or(dark);
                i += len;
            }
            Some((len, Sequence::Kitty)) => {
                answers.kitty = true;
                i += len;
            }
            Some((len, Sequence::Attributes)) => {
                answers.done = true;
                i += len;
            }
            None => {
                rest.push(bytes[i]);
                i += 1;
            }
        }
    }
    *bytes = rest;
}

enum Sequence {
    Background(Option<bool>),
    Kitty,
    Attributes,
}

fn sequence(bytes: &[u8]) -> Option<(usize, Sequence)> {
    if let Some(body) = bytes.strip_prefix(b"\x1b]11;") {
        let end = body.iter().position(|b| matches!(b, 0x07 | 0x1b))?;
        let close = if body[end] == 0x07 { 1 } else { 2 };
        let dark = std::str::from_utf8(&body[..end]).ok().and_then(luminance).map(|l| l < 0.5);
        return (body.len() >= end + close).then_some((5 + end + close, Sequence::Background(dark)));
    }
    let body = bytes.strip_prefix(b"\x1b[?")?;
    let end = body.iter().position(|b| !b.is_ascii_digit() && *b != b';')?;
    match body[end] {
        b'u' => Some((3 + end + 1, Sequence::Kitty)),
        b'c' => Some((3 + end + 1, Sequence::Attributes)),
        _ => None,
    }
}

/// Brightness 0 to 1 of `rgb:RRRR/GGGG/BBBB` (one to four digits each) or `#rrggbb`.
fn luminance(text: &str) -> Option<f32> {
    let parts: Vec<&str> =
        match (text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:")), text.strip_prefix('#')) {
            (Some(rgb), _) => rgb.split('/').take(3).collect(),
            (None, Some(hex)) if hex.len() == 6 && hex.is_ascii() => vec![&hex[..2], &hex[2..4], &hex[4..]],
            _ => return None,
        };
    let value = |part: &&str| {
        let most = 16u32.pow(u32::try_from(part.len()).ok().filter(|n| (1..=4).contains(n))?) - 1;
        let n = u16::from_str_radix(part, 16).ok()?;
        Some(f32::from(n) / most as f32)
    };
    let [r, g, b] = <[f32; 3]>::try_from(parts.iter().map(value).collect::<Option<Vec<f32>>>()?).ok()?;
    Some(0.2126 * r + 0.7152 * g + 0.0722 * b)
}

/// What a byte typed during the waiting stands for: letters, and the control characters that have a meaning. Longer
/// sequences (arrows) of that tenth of a second are dropped with their parts.
pub fn typed(bytes: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(bytes);
    let mut events = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let key = match c {
            '\x1b' if chars.peek().is_some_and(|c| matches!(c, '[' | 'O' | ']')) => {
                chars.next();
                while chars.peek().is_some_and(|c| !c.is_ascii_alphabetic() && *c != '~') {
                    chars.next();
                }
                chars.next();
                continue;
            }
            '\x1b' => KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE),
            '\r' | '\n' => KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE),
            '\t' => KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE),
            '\x7f' => KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE),
            c @ '\x01'..='\x1a' => KeyEvent::new(KeyCode::Char((c as u8 + b'a' - 1) as char), KeyModifiers::CONTROL),
            c if c.is_control() || c == '\u{fffd}' => continue,
            c => KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE),
        };
        events.push(Event::Key(key));
    }
    events
}

/// Swallows an OSC answer that comes after the waiting: the event reader takes `ESC ]` for Alt-] and the rest for letters.
#[derive(Debug)]
pub struct Late {
    until: Instant,
    inside: usize,
}

/// Longest answer that is swallowed, in keys.
const LONGEST: usize = 48;

impl Late {
    /// Watches for late answers for some seconds from now on.
    pub fn new(now: Instant) -> Self {
        Self { until: now + Duration::from_secs(5), inside: 0 }
    }

    /// True when this event is part of an answer.
    pub fn swallows(&mut self, event: &Event, now: Instant) -> bool {
        if now > self.until {
            return false;
        }
        let Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers, .. }) = event else { return false };
        let alt = modifiers.contains(KeyModifiers::ALT);
        if self.inside == 0 {
            self.inside = usize::from(alt && *c == ']');
            return self.inside > 0;
        }
        self.inside += 1;
        let end = (alt && *c == '\\') || (modifiers.contains(KeyModifiers::CONTROL) && *c == 'g');
        if end || self.inside > LONGEST {
            self.inside = 0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (Answers, Vec<u8>) {
        let (mut answers, mut rest) = (Answers::default(), bytes.to_vec());
        digest(&mut rest, &mut answers);
        (answers, rest)
    }

    #[test]
    fn answers_are_told_from_keys() {
        let (answers, rest) = read(b"j\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?1u\x1b[?62;22ck");
        assert_eq!(answers, Answers { dark: Some(false), kitty: true, done: true });
        assert_eq!(rest, b"jk");
        let (answers, _) = read(b"\x1b]11;rgb:1c/1c/1c\x07\x1b[?1;2c");
        assert_eq!(answers, Answers { dark: Some(true), kitty: false, done: true });
        let (answers, rest) = read(b"\x1b]11;rgb:1c1c/1c");
        assert_eq!((answers, rest.len()), (Answers::default(), 16), "half an answer waits");
        assert_eq!(typed(b"j\x1b[Bq\r").len(), 3, "an arrow typed meanwhile is dropped whole");
    }

    #[test]
    fn a_late_answer_types_nothing() {
        let now = Instant::now();
        let mut late = Late::new(now);
        let key = |c, m| Event::Key(KeyEvent::new(KeyCode::Char(c), m));
        assert!(!late.swallows(&key('j', KeyModifiers::NONE), now));
        assert!(late.swallows(&key(']', KeyModifiers::ALT), now));
        for c in "11;rgb:ffff/ffff/ffff".chars() {
            assert!(late.swallows(&key(c, KeyModifiers::NONE), now));
        }
        assert!(late.swallows(&key('\\', KeyModifiers::ALT), now));
        assert!(!late.swallows(&key('q', KeyModifiers::NONE), now));
        assert!(!late.swallows(&key(']', KeyModifiers::ALT), now + Duration::from_secs(9)));
    }
}
