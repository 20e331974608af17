//! Timings of the screen as JSON lines, for tests and benchmarks: set QUARTERDECK_TRACE to a file.
//!
//! One line for each frame that was sent, all times in microseconds since the program started unless named otherwise:
//!
//! ```json
//! {"at":1200345,"frame":17,"cause":"key","wait_us":850,"draw_us":420,"send_us":90,"cells":31,"bytes":212,"rows":0}
//! ```
//!
//! `cause` is what the frame answers: `key` (`wait_us` = from the key's arrival to its bytes being written), `data` (from
//! the arrival of the oldest batch of changes shown by it), `tick`, `resize`, `start`. `rows` is the number of row changes
//! taken in since the frame before. The last line says `"end":true` with the numbers of `frames`, `bytes`, `keys` and
//! `batches` in all.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    time::Instant,
};

/// Why a frame is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A key, a paste, the mouse.
    Key(Instant),
    /// Changes of the fleet.
    Data(Instant),
    /// The clock.
    Tick,
    /// Another size, a theme, the first frame.
    Other(&'static str),
}

/// One frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Why.
    pub cause: Cause,
    /// When drawing began.
    pub begun: Instant,
    /// When the picture was ready.
    pub drawn: Instant,
    /// When its bytes were written.
    pub sent: Instant,
    /// Cells sent.
    pub cells: usize,
    /// Bytes sent.
    pub bytes: usize,
    /// Row changes since the frame before.
    pub rows: u64,
}

/// Counters, and the file if there is one.
#[derive(Debug)]
pub struct Trace {
    file: Option<BufWriter<File>>,
    start: Instant,
    frames: u64,
    bytes: u64,
    /// Keys handled.
    pub keys: u64,
    /// Batches of changes taken in.
    pub batches: u64,
}

impl Trace {
    /// Counts from now on; writes to the file if one is named and can be created.
    pub fn new(path: Option<&Path>) -> Self {
        let file = path.and_then(|p| File::create(p).ok()).map(BufWriter::new);
        Self { file, start: Instant::now(), frames: 0, bytes: 0, keys: 0, batches: 0 }
    }

    /// Notes a frame.
    pub fn frame(&mut self, frame: &Frame) {
        self.frames += 1;
        self.bytes += frame.bytes as u64;
        let Some(file) = &mut self.file else { return };
        let (word, since) = match frame.cause {
            Cause::Key(at) => ("key", at),
            Cause::Data(at) => ("data", at),
            Cause::Tick => ("tick", frame.begun),
            Cause::Other(word) => (word, frame.begun),
        };
        let line = serde_json::json!({
            "at": (frame.sent - self.start).as_micros() as u64,
            "frame": self.frames,
            "cause": word,
            "wait_us": (frame.sent - since).as_micros() as u64,
            "draw_us": (frame.drawn - frame.begun).as_micros() as u64,
            "send_us": (frame.sent - frame.drawn).as_micros() as u64,
            "cells": frame.cells,
            "bytes": frame.bytes,
            "rows": frame.rows,
        });
        // A trace that cannot be written must not disturb what it measures. The clock's frames carry the rest out.
        let _ = writeln!(file, "{line}");
        if word == "tick" {
            let _ = file.flush();
        }
    }

    /// The last line.
    pub fn end(&mut self) {
        let Some(file) = &mut self.file else { return };
        let line = serde_json::json!({
            "end": true, "frames": self.frames, "bytes": self.bytes, "keys": self.keys, "batches": self.batches,
        });
        let _ = writeln!(file, "{line}").and_then(|()| file.flush());
    }
}
