//! The thread that reads the terminal: keys, pastes, the mouse, and the answers to our questions among them.

use std::{io, time::Instant};

use crossterm::event::Event;
use tokio::sync::mpsc;

/// What the thread tells.
#[derive(Debug)]
pub enum Heard {
    /// An event, and when it was read.
    Event(Event, Instant),
    /// The terminal's background is dark, or light.
    Dark(bool),
    /// The terminal knows kitty's keyboard protocol.
    Kitty,
    /// Standard input has ended.
    End,
}

/// Starts the thread, after asking the terminal.
pub fn start() -> mpsc::UnboundedReceiver<Heard> {
    let (to, from) = mpsc::unbounded_channel();
    let reader = move || {
        if let Err(error) = system::read(|heard| to.send(heard).is_ok()) {
            tracing::warn!(%error, "the terminal cannot be read any more");
        }
        // Nobody to tell when the loop has ended before.
        let _ = to.send(Heard::End);
    };
    // Without the thread there is no input; the loop sees the closed channel and ends.
    let _ = std::thread::Builder::new().name("input".into()).spawn(reader);
    from
}

#[cfg(unix)]
mod system {
    use std::{io::Write, time::Duration};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::{Heard, Instant, io};
    use crate::tui::{
        query,
        typed::{Rest, Said, Typed},
    };

    /// How long what follows Esc may take: people are slower, links seldom.
    const ESC: Duration = Duration::from_millis(50);
    /// How long the end of a sequence may take.
    const HALF: Duration = Duration::from_millis(500);
    /// How long a paste may pause.
    const PASTE: Duration = Duration::from_secs(5);

    /// Reads until the input ends or nobody listens.
    pub fn read(mut tell: impl FnMut(Heard) -> bool) -> io::Result<()> {
        let mut out = io::stdout();
        out.write_all(query::QUESTION.as_bytes())?;
        out.flush()?;
        let mut typed = Typed::default();
        let mut part = [0; 4096];
        loop {
            let said = if in_time(typed.rest()) {
                match rustix::io::read(rustix::stdio::stdin(), &mut part) {
                    Ok(0) => return Ok(()),
                    Ok(n) => typed.take(&part[..n]),
                    Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
                    Err(error) => return Err(error.into()),
                }
            } else {
                typed.give_up()
            };
            let now = Instant::now();
            for said in said {
                let heard = match said {
                    Said::Event(event) => Heard::Event(event, now),
                    Said::Dark(dark) => Heard::Dark(dark),
                    Said::Kitty => Heard::Kitty,
                };
                if !tell(heard) {
                    return Ok(());
                }
            }
        }
    }

    /// Whether bytes come before the rest has to do without them; with nothing begun there is no hurry.
    fn in_time(rest: Rest) -> bool {
        let most = match rest {
            Rest::None => return true,
            Rest::Esc => ESC,
            Rest::Half => HALF,
            Rest::Paste => PASTE,
        };
        let Ok(most) = Timespec::try_from(most) else { return true };
        let stdin = rustix::stdio::stdin();
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        loop {
            match poll(&mut fds, Some(&most)) {
                Err(rustix::io::Errno::INTR) => {}
                answer => return answer.is_ok_and(|n| n > 0),
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Heard, Instant, io};

    /// Reads until the input ends or nobody listens. The console there is no stream of bytes and answers no questions.
    pub fn read(mut tell: impl FnMut(Heard) -> bool) -> io::Result<()> {
        loop {
            match crossterm::event::read() {
                Ok(event) => {
                    if !tell(Heard::Event(event, Instant::now())) {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
