//! The thread that reads the terminal: keys, pastes, the mouse, and the answers to our questions among them.

use std::{
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

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

/// How long the thread may take to leave the terminal alone: it only waits, or parses what it has read.
const YIELD: Duration = Duration::from_secs(1);

/// Whether the thread may read: while another program has the terminal it must not take that program's keys.
#[derive(Debug)]
pub struct Gate {
    bell: system::Bell,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    closed: bool,
    waits: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread's side: waits until it may read.
    fn pass(&self) {
        let mut state = self.state();
        while state.closed {
            state.waits = true;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waits = false;
    }
}

impl Gate {
    /// Keeps the thread from the terminal until [`Gate::open`]. When this returns it reads no more.
    pub fn close(&self) {
        self.shared.state().closed = true;
        self.bell.ring();
        let state = self.shared.state();
        // A thread that has ended never answers; nor does it read.
        let waited = self.shared.changed.wait_timeout_while(state, YIELD, |s| !s.waits);
        drop(waited);
    }

    /// Lets it read again.
    pub fn open(&self) {
        self.shared.state().closed = false;
        self.shared.changed.notify_all();
    }
}

/// Starts the thread, after asking the terminal.
///
/// # Errors
/// The system has no pipe left.
pub fn start() -> io::Result<(mpsc::UnboundedReceiver<Heard>, Gate)> {
    let (to, from) = mpsc::unbounded_channel();
    let (bell, ear) = system::bell()?;
    let shared = Arc::new(Shared::default());
    let gate = Arc::clone(&shared);
    let reader = move || {
        if let Err(error) = system::read(&ear, || gate.pass(), |heard| to.send(heard).is_ok()) {
            tracing::warn!(%error, "the terminal cannot be read any more");
        }
        // Nobody to tell when the loop has ended before.
        let _ = to.send(Heard::End);
    };
    // Without the thread there is no input; the loop sees the closed channel and ends.
    let _ = std::thread::Builder::new().name("input".into()).spawn(reader);
    Ok((from, Gate { bell, shared }))
}

#[cfg(unix)]
mod system {
    use std::{
        io::{PipeReader, PipeWriter, Read, Write},
        time::Duration,
    };

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

    /// Wakes the thread from its wait for keys.
    #[derive(Debug)]
    pub struct Bell(PipeWriter);
    /// Where it hears that.
    pub type Ear = PipeReader;

    impl Bell {
        /// Wakes it.
        pub fn ring(&self) {
            // A pipe that nobody reads has no thread at its end.
            let _ = (&self.0).write_all(&[1]);
        }
    }

    /// The two ends.
    pub fn bell() -> io::Result<(Bell, Ear)> {
        let (ear, bell) = io::pipe()?;
        Ok((Bell(bell), ear))
    }

    /// Reads until the input ends or nobody listens; `pass` is called when the bell rang, and holds it up.
    pub fn read(ear: &Ear, pass: impl Fn(), mut tell: impl FnMut(Heard) -> bool) -> io::Result<()> {
        let mut out = io::stdout();
        out.write_all(query::QUESTION.as_bytes())?;
        out.flush()?;
        let mut typed = Typed::default();
        let mut part = [0; 4096];
        loop {
            let next = wait(typed.rest(), ear);
            if next == Next::Bell {
                let mut ear = ear;
                // Readable, so this does not wait.
                let _ = ear.read(&mut [0; 16])?;
                pass();
                continue;
            }
            let said = if next == Next::Bytes {
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

    /// What the thread waited for.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Next {
        /// Bytes, or the end of the input.
        Bytes,
        /// Leave the terminal alone.
        Bell,
        /// Neither: what was begun has to do without the rest.
        Silence,
    }

    /// Waits for bytes, so long as what was begun may take; with nothing begun there is no hurry.
    fn wait(rest: Rest, ear: &Ear) -> Next {
        let most = match rest {
            Rest::None => None,
            Rest::Esc => Some(ESC),
            Rest::Half => Some(HALF),
            Rest::Paste => Some(PASTE),
        };
        let most = most.and_then(|d| Timespec::try_from(d).ok());
        let stdin = rustix::stdio::stdin();
        let mut fds = [PollFd::new(ear, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
        loop {
            match poll(&mut fds, most.as_ref()) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(0) => return Next::Silence,
                Ok(_) if fds[0].revents().contains(PollFlags::IN) => return Next::Bell,
                // An error is told by the reading.
                _ => return Next::Bytes,
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Heard, Instant, io};

    /// How soon a closed gate is noticed.
    const LOOK: std::time::Duration = std::time::Duration::from_millis(100);

    /// Nothing wakes the thread here; it looks by itself.
    #[derive(Debug)]
    pub struct Bell;
    /// Nothing to hear.
    pub type Ear = ();

    impl Bell {
        /// Nothing to wake.
        pub fn ring(&self) {}
    }

    /// The two ends.
    pub fn bell() -> io::Result<(Bell, Ear)> {
        Ok((Bell, ()))
    }

    /// Reads until the input ends or nobody listens. The console there is no stream of bytes and answers no questions.
    pub fn read(_ear: &Ear, pass: impl Fn(), mut tell: impl FnMut(Heard) -> bool) -> io::Result<()> {
        loop {
            pass();
            if !crossterm::event::poll(LOOK)? {
                continue;
            }
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
