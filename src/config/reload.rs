//! Notices that a configuration file changed, and resolves again.
//!
//! Tools rewrite kubeconfigs in place, so a file may be seen empty or half-written: then the old clusters stay and the file
//! is read again until it makes sense. A change that changes nothing is not told.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant, SystemTime},
};

use notify::Watcher as _;

use super::{Problem, Request, Settings, Target, resolve_telling_all};
use crate::messages::cli as text;

/// Events that come this close together are one.
const DEBOUNCE: Duration = Duration::from_millis(200);
/// Files are looked at this often even when the system reports nothing (network file systems, missed events).
const POLL: Duration = Duration::from_secs(5);
/// How often a file that makes no sense is read again.
const RETRY: Duration = Duration::from_millis(500);
/// How long the files must stay as they are before the loss of a context is believed.
const SETTLE: Duration = Duration::from_secs(2);

/// A running watch; dropping it ends the thread.
#[derive(Debug)]
pub struct Reloader {
    stop: mpsc::Sender<Wake>,
}

#[derive(Debug)]
enum Wake {
    Changed,
    Stop,
}

impl Drop for Reloader {
    fn drop(&mut self) {
        // The thread may have ended already; then there is nobody to tell.
        let _ = self.stop.send(Wake::Stop);
    }
}

/// Starts the thread. `tell` gets new settings whenever what the files say has changed; where they cannot be used, the old
/// settings with the new problem.
pub fn watch(
    request: Request,
    settings: Arc<Settings>,
    mut tell: impl FnMut(Arc<Settings>) + Send + 'static,
) -> std::io::Result<Reloader> {
    let (stop, wakes) = mpsc::channel();
    let events = stop.clone();
    thread::Builder::new().name(String::from("reload")).spawn(move || {
        let mut folders = Folders::new(events);
        let mut current = settings;
        folders.follow(&current.watched_files);
        // Nothing seen yet and one wake at once: the files may have changed between their reading and this moment.
        let mut seen = BTreeMap::new();
        let _ = folders.again.send(Wake::Changed);
        loop {
            match wakes.recv_timeout(POLL) {
                Ok(Wake::Stop) | Err(mpsc::RecvTimeoutError::Disconnected) => return,
                Ok(Wake::Changed) => {
                    if let Some(Wake::Stop) = drain(&wakes) {
                        return;
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            let now = stamps(&current.watched_files);
            if now == seen {
                continue;
            }
            seen = now;
            match settle(&request, &current, &wakes) {
                Settled::Stop => return,
                Settled::Same => {}
                Settled::New(new) => {
                    current = Arc::new(*new);
                    folders.follow(&current.watched_files);
                    tell(Arc::clone(&current));
                }
            }
            // Written while it was read: looked at once more.
            if stamps(&current.watched_files) != seen {
                let _ = folders.again.send(Wake::Changed);
            }
        }
    })?;
    Ok(Reloader { stop })
}

/// Waits until events stop for [`DEBOUNCE`], so that a burst is read once.
fn drain(wakes: &mpsc::Receiver<Wake>) -> Option<Wake> {
    loop {
        match wakes.recv_timeout(DEBOUNCE) {
            Ok(Wake::Changed) => {}
            Ok(Wake::Stop) | Err(mpsc::RecvTimeoutError::Disconnected) => return Some(Wake::Stop),
            Err(mpsc::RecvTimeoutError::Timeout) => return None,
        }
    }
}

/// What came of a change.
enum Settled {
    Same,
    New(Box<Settings>),
    Stop,
}

/// Reads until the result can be believed.
fn settle(request: &Request, old: &Settings, wakes: &mpsc::Receiver<Wake>) -> Settled {
    let mut last: Option<Result<Settings, Vec<Problem>>> = None;
    let mut since = Instant::now();
    loop {
        let new = resolve_telling_all(request);
        if last.as_ref() != Some(&new) {
            since = Instant::now();
        }
        match judge(old, &new, since.elapsed() >= SETTLE) {
            Judgement::Same => return Settled::Same,
            Judgement::Take(settings) => return Settled::New(settings),
            Judgement::Wait => {}
        }
        last = Some(new);
        match wakes.recv_timeout(RETRY) {
            Ok(Wake::Stop) | Err(mpsc::RecvTimeoutError::Disconnected) => return Settled::Stop,
            Ok(Wake::Changed) | Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
}

/// What to do with a new reading.
#[derive(Debug, PartialEq)]
enum Judgement {
    /// Nothing changed.
    Same,
    /// Use it.
    Take(Box<Settings>),
    /// Read again: it looks half-written.
    Wait,
}

/// Decides about a new reading; `settled` says that the files have stayed as they are for a while.
fn judge(old: &Settings, new: &Result<Settings, Vec<Problem>>, settled: bool) -> Judgement {
    match new {
        Ok(new) if new.incomplete.is_empty() && (settled || !loses(old, new)) => changed(old, new.clone()),
        _ if !settled => Judgement::Wait,
        Ok(new) => changed(old, keep(old, &new.problems)),
        Err(problems) => changed(old, keep(old, problems)),
    }
}

fn changed(old: &Settings, new: Settings) -> Judgement {
    if *old == new { Judgement::Same } else { Judgement::Take(Box::new(new)) }
}

/// A cluster that could be reached by the old settings is missing or broken in the new ones: what a file cut off
/// in the middle looks like.
fn loses(old: &Settings, new: &Settings) -> bool {
    let usable = |s: &Settings| -> BTreeSet<String> {
        let contexts = |t: &Target| [vec![t.record.context.clone()], t.record.also.clone()].concat();
        s.targets.iter().filter(|t| t.access.is_ok()).flat_map(contexts).collect()
    };
    !usable(old).is_subset(&usable(new))
}

/// The old settings, with what is wrong now.
fn keep(old: &Settings, problems: &[Problem]) -> Settings {
    let say = |p: &Problem| Problem { text: text::KEPT_OLD.fill(old.lang, &[("text", &p.text)]), ..p.clone() };
    Settings { problems: problems.iter().map(say).collect(), ..old.clone() }
}

/// Size and time of every file; `None` = not there.
fn stamps(files: &[PathBuf]) -> BTreeMap<PathBuf, Option<(u64, Option<SystemTime>)>> {
    let stamp = |p: &PathBuf| std::fs::metadata(p).ok().map(|m| (m.len(), m.modified().ok()));
    files.iter().map(|p| (p.clone(), stamp(p))).collect()
}

/// The folders of the watched files: a folder is watched and not the file, because most tools replace files.
struct Folders {
    watcher: Option<notify::RecommendedWatcher>,
    watched: BTreeSet<PathBuf>,
    again: mpsc::Sender<Wake>,
}

impl Folders {
    fn new(events: mpsc::Sender<Wake>) -> Self {
        let again = events.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reading is no news, and we read ourselves.
            if !event.is_ok_and(|e| e.kind.is_access()) {
                let _ = events.send(Wake::Changed);
            }
        });
        let watcher = watcher.inspect_err(|error| tracing::warn!(%error, "files are only looked at every 5 s")).ok();
        Self { watcher, watched: BTreeSet::new(), again }
    }

    /// Watches the folders of these files too. Where that fails the poll is enough.
    fn follow(&mut self, files: &[PathBuf]) {
        let Some(watcher) = &mut self.watcher else { return };
        let real = |p: &PathBuf| std::fs::canonicalize(p).unwrap_or_else(|_| p.clone());
        for file in files.iter().flat_map(|p| [p.clone(), real(p)]) {
            let Some(folder) = file.parent().filter(|p| !p.as_os_str().is_empty()).map(Path::to_path_buf) else {
                continue;
            };
            if self.watched.contains(&folder) || !folder.is_dir() {
                continue;
            }
            if let Err(error) = watcher.watch(&folder, notify::RecursiveMode::NonRecursive) {
                tracing::debug!(folder = %folder.display(), %error, "cannot watch this folder");
            }
            self.watched.insert(folder);
        }
    }
}

#[cfg(test)]
mod tests;
