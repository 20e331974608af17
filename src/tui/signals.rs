//! Signals of the system: end, stop, go on.

use std::{io, time::Duration};

/// Exit code after Ctrl-c in a terminal that is not in raw mode.
pub const INTERRUPTED: u8 = 128 + 2;

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// End, with this exit code (128 + number, as shells have it).
    End(u8),
    /// Stop, as by Ctrl-z in a shell.
    Stop,
    /// We were stopped and go on.
    Continued,
    /// The terminal has another size.
    Resized,
}

#[cfg(unix)]
mod system {
    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use super::{Duration, Signal, io};

    /// The signals we listen to.
    #[derive(Debug)]
    pub struct Signals {
        term: Stream,
        hup: Stream,
        int: Stream,
        stop: Stream,
        cont: Stream,
        size: Stream,
    }

    impl Signals {
        /// Starts listening.
        pub fn new() -> io::Result<Self> {
            let raw = |n| signal(SignalKind::from_raw(n));
            Ok(Self {
                term: signal(SignalKind::terminate())?,
                hup: signal(SignalKind::hangup())?,
                int: signal(SignalKind::interrupt())?,
                stop: raw(signal_hook::consts::SIGTSTP)?,
                cont: raw(signal_hook::consts::SIGCONT)?,
                size: signal(SignalKind::window_change())?,
            })
        }

        /// The next one.
        pub async fn next(&mut self) -> Signal {
            tokio::select! {
                _ = self.term.recv() => Signal::End(128 + 15),
                _ = self.hup.recv() => Signal::End(128 + 1),
                _ = self.int.recv() => Signal::End(super::INTERRUPTED),
                _ = self.stop.recv() => Signal::Stop,
                _ = self.cont.recv() => Signal::Continued,
                _ = self.size.recv() => Signal::Resized,
            }
        }

        /// Waits until we go on, at most so long.
        pub async fn continued(&mut self, most: Duration) {
            // Past the time nobody stopped us: the process group has no shell above it.
            let _ = tokio::time::timeout(most, self.cont.recv()).await;
        }
    }
}

#[cfg(unix)]
pub use system::Signals;

/// Where the system has no such signals.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals {}

#[cfg(not(unix))]
impl Signals {
    /// Nothing to listen to.
    pub fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Never.
    pub async fn next(&mut self) -> Signal {
        std::future::pending().await
    }

    /// At once.
    pub async fn continued(&mut self, _most: Duration) {}
}
