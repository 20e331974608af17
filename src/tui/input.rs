//! The thread that reads the terminal: first the answers to our question, then keys, pastes and the mouse for ever.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use crossterm::event::{self, Event};
use tokio::sync::mpsc;

use super::query::{self, Answers, Late};

/// What the thread tells.
#[derive(Debug)]
pub enum Heard {
    /// An event, and when it was read.
    Event(Event, Instant),
    /// What the terminal said of itself.
    Answers(Answers),
    /// Standard input has ended.
    End,
}

/// Starts the thread. With `ask` the terminal is asked first, for so long.
pub fn start(ask: Option<Duration>) -> mpsc::UnboundedReceiver<Heard> {
    let (to, from) = mpsc::unbounded_channel();
    let reader = move || {
        if let Some(patience) = ask {
            for heard in question(patience) {
                if to.send(heard).is_err() {
                    return;
                }
            }
        }
        let mut late = Late::new(Instant::now());
        loop {
            let heard = match event::read() {
                Ok(event) if late.swallows(&event, Instant::now()) => continue,
                Ok(event) => Heard::Event(event, Instant::now()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => Heard::End,
            };
            let end = matches!(heard, Heard::End);
            if to.send(heard).is_err() || end {
                return;
            }
        }
    };
    // Without the thread there is no input; the loop sees the closed channel and ends.
    let _ = std::thread::Builder::new().name("input".into()).spawn(reader);
    from
}

#[cfg(unix)]
fn question(patience: Duration) -> Vec<Heard> {
    use rustix::event::{PollFd, PollFlags, poll};

    let mut out = io::stdout();
    if out.write_all(query::QUESTION.as_bytes()).and_then(|()| out.flush()).is_err() {
        return Vec::new();
    }
    let until = Instant::now() + patience;
    let (mut bytes, mut answers) = (Vec::new(), Answers::default());
    let stdin = rustix::stdio::stdin();
    while !answers.done {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(wait) = rustix::event::Timespec::try_from(left) else { break };
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut fds, Some(&wait)) {
            Ok(n) if n > 0 => {}
            _ => break,
        }
        let mut part = [0; 512];
        match rustix::io::read(stdin, &mut part) {
            Ok(n) if n > 0 => bytes.extend_from_slice(&part[..n]),
            _ => break,
        }
        query::digest(&mut bytes, &mut answers);
    }
    let keys = query::typed(&bytes).into_iter().map(|e| Heard::Event(e, Instant::now()));
    std::iter::once(Heard::Answers(answers)).chain(keys).collect()
}

#[cfg(not(unix))]
fn question(_patience: Duration) -> Vec<Heard> {
    Vec::new()
}
