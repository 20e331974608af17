//! The last picture of each cluster on disk: read at the start, written while the console runs.
//!
//! One file per cluster, readable by its user alone, replaced as a whole. The store is owned by the screen or the
//! command, so its owner encodes, one cluster at a time; the disk is the business of a thread of its own.

use std::{
    collections::BTreeMap,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    sync::mpsc,
    thread::JoinHandle,
};

use sha2::{Digest, Sha256};

use crate::{
    config::Settings,
    fleet::{Store, delta::Delta, persist},
    model::{ClusterId, ClusterRecord, ClusterState, Millis},
};

/// A cluster's file is written at most so often, milliseconds.
const EVERY_MS: i64 = 60_000;

/// A file whose rows are all still true is dated anew so often, milliseconds.
const REDATE_MS: i64 = 600_000;

/// Folder of the snapshots under the cache folder.
pub fn folder(cache: &Path) -> PathBuf {
    cache.join("snapshots")
}

/// Name of a cluster's file: of server and context, so that another cluster under the same name starts empty.
pub fn key(record: &ClusterRecord) -> String {
    let digest = Sha256::new().chain_update(&record.server).chain_update([0]).chain_update(&record.context).finalize();
    digest.iter().take(16).map(|b| format!("{b:02x}")).collect()
}

fn file(dir: &Path, key: &str) -> PathBuf {
    dir.join(format!("{key}.qds"))
}

/// Writes one file: to a new one beside it, mode 0600, then renamed over it.
///
/// # Errors
/// What the file system says.
pub fn write(dir: &Path, key: &str, bytes: &[u8]) -> io::Result<()> {
    make_private(dir)?;
    let draft = dir.join(format!(".{key}.{}", std::process::id()));
    // Left by a process of the same number that was killed in mid-write.
    let _ = fs::remove_file(&draft);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&draft).and_then(|mut f| f.write_all(bytes));
    let done = written.and_then(|()| fs::rename(&draft, file(dir, key)));
    if done.is_err() {
        let _ = fs::remove_file(&draft);
    }
    done
}

fn make_private(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Reads one file; `None` when there is none or it cannot be read: a cache that is not there is no trouble.
pub fn read(dir: &Path, key: &str) -> Option<Vec<u8>> {
    fs::read(file(dir, key)).ok()
}

/// The deltas of a cluster's last snapshot.
pub fn restore(dir: &Path, record: &ClusterRecord, id: ClusterId) -> Option<Vec<Delta>> {
    persist::decode(&read(dir, &key(record))?, id)
}

/// What is in a cluster's file.
#[derive(Clone, Copy, Debug, Default)]
struct Saved {
    at: Millis,
    row_changes: u64,
}

/// Writes snapshots for the owner of a store. Dropping it waits for what is being written.
#[derive(Debug)]
pub struct Saver {
    saved: BTreeMap<ClusterId, Saved>,
    next: usize,
    queue: Option<mpsc::SyncSender<(String, Vec<u8>)>>,
    writer: Option<JoinHandle<()>>,
    failures: mpsc::Receiver<String>,
    is_failure_told: bool,
}

impl Saver {
    /// `None` where snapshots are switched off or no thread can be had.
    pub fn new(settings: &Settings) -> Option<Self> {
        if !settings.cache || settings.paths.cache.as_os_str().is_empty() {
            return None;
        }
        let dir = folder(&settings.paths.cache);
        // Two files may wait: more would only hold memory.
        let (queue, files) = mpsc::sync_channel::<(String, Vec<u8>)>(2);
        // One is told, so one may wait.
        let (failed, failures) = mpsc::sync_channel(1);
        let write_all = move || {
            for (key, bytes) in files {
                if let Err(error) = write(&dir, &key, &bytes) {
                    tracing::warn!(%error, dir = %dir.display(), "a snapshot cannot be written");
                    let _ = failed.try_send(format!("{}: {error}", dir.display()));
                }
            }
        };
        let writer = std::thread::Builder::new().name("snapshots".into()).spawn(write_all).ok()?;
        let (saved, queue, writer) = (BTreeMap::new(), Some(queue), Some(writer));
        Some(Self { saved, next: 0, queue, writer, failures, is_failure_told: false })
    }

    /// Folder and reason of the first write that failed. Once: the next ones would say the same.
    pub fn failure(&mut self) -> Option<String> {
        let failure = self.failures.try_recv().ok().filter(|_| !self.is_failure_told)?;
        self.is_failure_told = true;
        Some(failure)
    }

    /// Encodes at most one cluster that is due, and hands it to the writer. True when it did: call again when idle.
    pub fn step(&mut self, store: &Store, now: Millis) -> bool {
        let all: Vec<ClusterId> = store.clusters().map(|(id, _)| id).collect();
        for offset in 0..all.len() {
            let at = (self.next + offset) % all.len();
            if self.is_due(store, all[at], now) {
                self.next = at + 1;
                return self.save(store, all[at], now, false);
            }
        }
        false
    }

    /// Writes every cluster that was heard since its last file, waiting for the disk. For the end of the program.
    pub fn finish(mut self, store: &Store, now: Millis) {
        let all: Vec<ClusterId> = store.clusters().map(|(id, _)| id).collect();
        for id in all {
            if is_whole(store, id).is_some_and(|heard| heard > self.saved(id).at) {
                self.save(store, id, now, true);
            }
        }
    }

    fn saved(&self, id: ClusterId) -> Saved {
        self.saved.get(&id).copied().unwrap_or_default()
    }

    fn is_due(&self, store: &Store, id: ClusterId, now: Millis) -> bool {
        let (saved, age) = (self.saved(id), now.0 - self.saved(id).at.0);
        let Some(heard) = is_whole(store, id).filter(|heard| *heard > saved.at && age >= EVERY_MS) else {
            return false;
        };
        let is_other = store.shard(id).is_some_and(|s| s.row_changes != saved.row_changes);
        is_other || heard.0 - saved.at.0 >= REDATE_MS
    }

    fn save(&mut self, store: &Store, id: ClusterId, now: Millis, waits: bool) -> bool {
        let (Some(shard), Some(queue)) = (store.shard(id), &self.queue) else { return false };
        let row_changes = shard.row_changes;
        let file = (key(&shard.record), persist::encode(store, id, now));
        let taken = if waits { queue.send(file).is_ok() } else { queue.try_send(file).is_ok() };
        if taken {
            self.saved.insert(id, Saved { at: now, row_changes });
        }
        taken
    }
}

/// When a cluster was last heard, if its picture is complete.
fn is_whole(store: &Store, id: ClusterId) -> Option<Millis> {
    let condition = &store.shard(id)?.condition;
    matches!(condition.state, ClusterState::Live | ClusterState::Stale).then_some(condition.heard)
}

impl Drop for Saver {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_private_and_replaced_as_a_whole() {
        let root = tempfile::tempdir().unwrap();
        let dir = folder(root.path());
        let record = ClusterRecord { server: "https://a".into(), context: "x".into(), ..ClusterRecord::default() };
        let other = ClusterRecord { server: "https://b".into(), ..record.clone() };
        assert_ne!(key(&record), key(&other));
        assert_eq!(read(&dir, &key(&record)), None);
        write(&dir, &key(&record), b"one").unwrap();
        write(&dir, &key(&record), b"two").unwrap();
        assert_eq!(read(&dir, &key(&record)).as_deref(), Some(&b"two"[..]));
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1, "no draft is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&file(&dir, &key(&record))), mode(&dir)), (0o600, 0o700));
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told_once() {
        let root = tempfile::tempdir().unwrap();
        let cache = root.path().join("cache");
        // A file where the folder would be: that stops root too.
        fs::write(&cache, "").unwrap();
        let mut settings = Settings { cache: true, ..Settings::default() };
        settings.paths.cache = cache.clone();
        let mut saver = Saver::new(&settings).unwrap();
        let mut told = Vec::new();
        for _ in 0..3 {
            saver.queue.as_ref().unwrap().send(("x".into(), Vec::new())).unwrap();
            told.extend(saver.failure());
        }
        saver.queue = None;
        saver.writer.take().unwrap().join().unwrap();
        told.extend(saver.failure());
        told.extend(saver.failure());
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with(&*folder(&cache).to_string_lossy()), "{told:?}");
    }
}
