//! The log file: bounded, private, and the only place where the program logs. Nothing goes to the terminal.
//!
//! Only this program's own records are kept at the level asked for; libraries may tell warnings. Theirs below that would
//! hold request headers.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::{filter::Targets, fmt::MakeWriter, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::paths;

/// Size at which the file is put aside as `FILE.1`, which replaces the one before it: at most twice this is kept.
const LARGEST: u64 = 5 * 1024 * 1024;

/// Starts logging into a file.
///
/// # Errors
///
/// The file cannot be opened; the program works without a log, so the caller only says so.
pub(super) fn start(path: &Path, level: &str) -> io::Result<()> {
    let level = level.parse().unwrap_or(LevelFilter::INFO);
    let targets = Targets::new().with_default(LevelFilter::WARN.min(level)).with_target("quarterdeck", level);
    let file = LogFile(Arc::new(Mutex::new(Rotating::open(path)?)));
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(file);
    // A second start in one process (tests) keeps the first file.
    let _ = tracing_subscriber::registry().with(targets).with(lines).try_init();
    log_panics(path.to_path_buf());
    Ok(())
}

/// Panics are logged with their place before whoever else has a hook does his part.
fn log_panics(path: PathBuf) {
    let next = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let backtrace = std::backtrace::Backtrace::force_capture();
        tracing::error!(log = %path.display(), %backtrace, "panic: {info}");
        next(info);
    }));
}

/// The file as the subscriber writes to it.
#[derive(Clone, Debug)]
struct LogFile(Arc<Mutex<Rotating>>);

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A writer that panicked left whole lines behind: the lock's content is good.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).file.flush()
    }
}

#[derive(Debug)]
struct Rotating {
    path: PathBuf,
    file: File,
    size: u64,
}

impl Rotating {
    fn open(path: &Path) -> io::Result<Self> {
        let file = paths::open_private_file(path)?;
        let size = file.metadata()?.len();
        Ok(Self { path: path.to_path_buf(), file, size })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.size > 0 && self.size + bytes.len() as u64 > LARGEST {
            let mut old = self.path.clone().into_os_string();
            old.push(".1");
            std::fs::rename(&self.path, old)?;
            *self = Self::open(&self.path)?;
        }
        let written = self.file.write(bytes)?;
        self.size += written as u64;
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_never_grows_beyond_its_bound() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/log");
        let mut log = Rotating::open(&path).unwrap();
        let line = vec![b'x'; 1024 * 1024];
        for _ in 0..12 {
            log.write(&line).unwrap();
        }
        let sizes: Vec<u64> = ["log", "log.1"]
            .iter()
            .map(|n| std::fs::metadata(dir.path().join("state").join(n)).unwrap().len())
            .collect();
        assert!(sizes.iter().all(|s| *s > 0 && *s <= LARGEST), "{sizes:?}");
        assert_eq!(std::fs::read_dir(dir.path().join("state")).unwrap().count(), 2);
    }
}
