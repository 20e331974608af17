//! The terminal taken and given back: every step is undone, in reverse, even when one of them fails, on every way out -
//! end, error, panic, signal, suspension.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::ThreadId,
};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use crate::messages::{Lang, tui as m};

/// Sequences that take the terminal, and those that give it back; in order of taking.
///
/// Alternate screen; bracketed paste; focus events; mouse (buttons and wheel, SGR coordinates; never motion); kitty keys.
const TAKE: &str = "\x1b[?1049h\x1b[?2004h\x1b[?1004h";
const GIVE: &str = "\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";
const KITTY_ON: &str = "\x1b[>1u";
const KITTY_OFF: &str = "\x1b[<1u";
/// An unfinished synchronised update would freeze the picture.
const SYNC_END: &str = "\x1b[?2026l";

/// True while the terminal is ours: giving it back twice does nothing.
static TAKEN: AtomicBool = AtomicBool::new(false);
static KITTY: AtomicBool = AtomicBool::new(false);
/// Panics of other threads, for the loop to show.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The terminal while it is ours; dropping it gives it back.
#[derive(Debug)]
pub struct TerminalGuard {
    mouse: bool,
}

/// Why the console cannot run here; `None` when it can.
pub fn unusable(term: &str, lang: Lang) -> Option<String> {
    let what = if !io::stdout().is_terminal() {
        m::STDOUT
    } else if !io::stdin().is_terminal() {
        m::STDIN
    } else if term == "dumb" {
        return Some(m::DUMB_TERMINAL.text(lang).to_owned());
    } else {
        return None;
    };
    Some(m::NO_TERMINAL.fill(lang, &[("what", what.text(lang))]))
}

impl TerminalGuard {
    /// Takes the terminal.
    pub fn take(mouse: bool) -> io::Result<Self> {
        let guard = Self { mouse };
        guard.enter()?;
        Ok(guard)
    }

    /// Takes it again after a suspension.
    pub fn enter(&self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        if let Err(error) = enable_raw_mode().and_then(|()| write(&taking(self.mouse, KITTY.load(Ordering::SeqCst)))) {
            give_back();
            return Err(error);
        }
        Ok(())
    }

    /// Takes or releases the mouse.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        write(if on { MOUSE_ON } else { MOUSE_OFF })
    }

    /// The terminal knows kitty's keyboard protocol: keys that look alike are told apart from now on.
    pub fn set_kitty(&mut self) -> io::Result<()> {
        if KITTY.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        write(KITTY_ON)
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        give_back();
    }
}

fn taking(mouse: bool, kitty: bool) -> String {
    format!("{TAKE}{}{}", if mouse { MOUSE_ON } else { "" }, if kitty { KITTY_ON } else { "" })
}

fn giving(kitty: bool) -> String {
    format!("{SYNC_END}{}{MOUSE_OFF}{GIVE}", if kitty { KITTY_OFF } else { "" })
}

/// Gives the terminal back; safe to call from anywhere, any number of times.
pub fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // Each step is tried whatever became of the one before; there is nobody left to tell.
    let _ = write(&giving(KITTY.load(Ordering::SeqCst)));
    let _ = disable_raw_mode();
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A panic of the screen's own thread gives the terminal back before it is told; one of another thread is kept for
/// [`take_panics`], since the screen lives on.
pub fn hook_panics(screen: ThreadId) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == screen || !TAKEN.load(Ordering::SeqCst) {
            give_back();
            before(info);
            return;
        }
        tracing::error!(thread = std::thread::current().name().unwrap_or("?"), "{info}");
        if let Ok(mut panics) = PANICS.lock() {
            panics.push(info.to_string());
        }
    }));
}

/// Panics of other threads since the last call.
pub fn take_panics() -> Vec<String> {
    PANICS.lock().map(|mut p| std::mem::take(&mut *p)).unwrap_or_default()
}

/// The modes of the terminal while another program has it, to be put back when that program is gone.
#[cfg(unix)]
#[derive(Debug)]
pub struct Lent(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl Lent {
    /// Notes the modes; the terminal must have been given back before.
    pub fn note() -> Self {
        Self(rustix::termios::tcgetattr(rustix::stdio::stdin()).ok())
    }

    /// Puts them back (a password prompt that was killed leaves the echo off), and forgets what was typed ahead: it was
    /// not meant for us.
    pub fn put_back(self) {
        use rustix::termios::{OptionalActions, QueueSelector, tcflush, tcsetattr};
        let stdin = rustix::stdio::stdin();
        // A terminal that is gone is noticed when it is taken again.
        if let Some(modes) = self.0 {
            let _ = tcsetattr(stdin, OptionalActions::Now, &modes);
        }
        let _ = tcflush(stdin, QueueSelector::IFlush);
    }
}

/// Consoles of other systems keep no such modes for us.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Lent;

#[cfg(not(unix))]
impl Lent {
    /// Nothing to note.
    pub fn note() -> Self {
        Self
    }

    /// Nothing to put back.
    pub fn put_back(self) {}
}

/// Writes to the terminal while it is lent.
pub fn say(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Stops the process group, as Ctrl-z does in a shell; returns when it goes on (or at once where nobody could bring it
/// back).
#[cfg(unix)]
pub fn stop() {
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
}

/// Nothing to stop with.
#[cfg(not(unix))]
pub fn stop() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_taken_is_given_back() {
        for (mouse, kitty) in [(true, true), (true, false), (false, false)] {
            let mut parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
            parser.process(taking(mouse, kitty).as_bytes());
            let s = parser.screen();
            assert!(s.alternate_screen() && s.bracketed_paste());
            assert_eq!(s.mouse_protocol_mode() == vt100::MouseProtocolMode::PressRelease, mouse);
            parser.process(b"\x1b[?25l\x1b[?2026h\x1b[7mx");
            parser.process(giving(kitty).as_bytes());
            let s = parser.screen();
            assert!(!s.alternate_screen() && !s.bracketed_paste() && !s.hide_cursor());
            assert_eq!(s.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
            assert!(giving(kitty).contains("?1004l"), "focus events");
            assert_eq!(giving(kitty).contains(KITTY_OFF), kitty);
        }
    }

    #[test]
    fn motion_is_never_asked_for() {
        for mode in ["?1002h", "?1003h"] {
            assert!(!taking(true, true).contains(mode));
        }
    }
}
