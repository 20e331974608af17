//! Notices: short messages that show for four seconds and stay in a list; errors stay on the screen until they were seen.

use super::screen::{Level, Notice};
use crate::model::{Millis, utc_text};

/// How long a notice shows.
const SHOWN_MS: i64 = 4000;

/// Notices kept in the list.
const MOST: usize = 500;

/// Notices on the screen at once.
pub const SHOWN: usize = 3;

#[derive(Clone, Debug)]
struct Entry {
    notice: Notice,
    at: Millis,
    count: u32,
    seen: bool,
}

/// All notices since the start.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    list: Vec<Entry>,
    dropped: usize,
}

impl Notices {
    /// Adds one. The same text again counts up instead of filling the list.
    pub fn push(&mut self, notice: Notice, at: Millis) {
        if let Some(last) = self.list.last_mut()
            && last.notice == notice
        {
            last.count += 1;
            last.at = at;
            last.seen = false;
            return;
        }
        self.list.push(Entry { notice, at, count: 1, seen: false });
        if self.list.len() > MOST {
            self.list.remove(0);
            self.dropped += 1;
        }
    }

    /// Number of all.
    pub fn len(&self) -> usize {
        self.list.len() + self.dropped
    }

    /// True before the first.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What shows now, newest first.
    pub fn showing(&self, now: Millis) -> Vec<&Notice> {
        let fresh = |e: &&Entry| !e.seen && (e.notice.level == Level::Error || now.0 - e.at.0 < SHOWN_MS);
        self.list.iter().rev().filter(fresh).take(SHOWN).map(|e| &e.notice).collect()
    }

    /// Takes what shows off the screen; true when there was something.
    pub fn dismiss(&mut self, now: Millis) -> bool {
        let any = !self.showing(now).is_empty();
        self.list.iter_mut().for_each(|e| e.seen = true);
        any
    }

    /// The list as text, newest first.
    pub fn text(&self, words: impl Fn(Level) -> &'static str) -> String {
        let line = |e: &Entry| {
            let times = if e.count > 1 { format!("  x{}", e.count) } else { String::new() };
            format!("{}  {}  {}{times}", utc_text(e.at), words(e.notice.level), e.notice.text)
        };
        self.list.iter().rev().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_fade_and_errors_stay_until_seen() {
        let mut notices = Notices::default();
        notices.push(Notice::info("copied"), Millis(0));
        notices.push(Notice::error("failed"), Millis(0));
        notices.push(Notice::error("failed"), Millis(1));
        assert_eq!(notices.showing(Millis(100)).len(), 2, "the same again is one");
        assert_eq!(notices.showing(Millis(9000)), [&Notice::error("failed")]);
        assert!(notices.dismiss(Millis(9000)));
        assert!(notices.showing(Millis(9000)).is_empty() && !notices.dismiss(Millis(9000)));
        assert_eq!(notices.len(), 2);
        assert!(notices.text(|_| "w").contains("failed  x2"));
    }
}
