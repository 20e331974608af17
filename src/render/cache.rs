//! Rendered results kept by content: the name of a kept result is a hash over the tool, what it was asked, and the content
//! of every file that played a part. So a result is never stale, and a hit runs no tool.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use sha2::{Digest as _, Sha256};

use super::tool::{self, Files};

/// Most that the folder holds, in bytes; then the results that were used longest ago go, down to three quarters.
const LARGEST: u64 = 256 * 1024 * 1024;

/// The name of a result.
pub(super) struct Key(Sha256);

impl Key {
    /// A name that begins with the kind of result.
    pub(super) fn new(kind: &str) -> Self {
        let mut key = Self(Sha256::new());
        key.add(kind.as_bytes());
        key
    }

    /// One more part; lengths are hashed too, so that parts never run together.
    pub(super) fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Every file with its path.
    pub(super) fn add_files(&mut self, files: &Files) {
        for (path, content) in files {
            self.add(path.as_os_str().as_encoded_bytes());
            self.add(content);
        }
    }

    /// The finished name.
    pub(super) fn name(self) -> String {
        self.0.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// Texts that were kept under a name; `None` = there is no such result. It counts as used now.
pub(super) fn get(folder: Option<&PathBuf>, name: &str) -> Option<Vec<String>> {
    let path = folder?.join(format!("{name}.json"));
    let kept = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    if let Ok(file) = fs::File::options().append(true).open(&path) {
        let _ = file.set_modified(SystemTime::now());
    }
    Some(kept)
}

/// Keeps texts under a name. A folder that cannot be written costs only the next run's time.
pub(super) fn put(folder: Option<&PathBuf>, name: &str, texts: &[String]) {
    put_within(folder, name, texts, LARGEST);
}

fn put_within(folder: Option<&PathBuf>, name: &str, texts: &[String], most: u64) {
    let Some(folder) = folder else { return };
    let Ok(bytes) = serde_json::to_vec(texts) else { return };
    let partial = folder.join(format!("{name}.{}.partial", std::process::id()));
    let written = tool::make_private(folder).and_then(|()| tool::write_private(&partial, &bytes));
    if written.and_then(|()| fs::rename(&partial, folder.join(format!("{name}.json")))).is_ok() {
        sweep(folder, most);
    }
}

/// Removes the results that were used longest ago when the folder has grown too large.
fn sweep(folder: &Path, most: u64) {
    let mut held: Vec<(SystemTime, u64, PathBuf)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|e| e.path().extension().is_some_and(|x| x == "json"))
        .filter_map(|e| e.metadata().ok().map(|m| (m.modified().unwrap_or(SystemTime::UNIX_EPOCH), m.len(), e.path())))
        .collect();
    let mut total: u64 = held.iter().map(|(_, size, _)| size).sum();
    if total <= most {
        return;
    }
    held.sort();
    for (_, size, path) in held {
        if total <= most / 4 * 3 {
            break;
        }
        if fs::remove_file(&path).is_ok() {
            total -= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_comes_back_and_the_folder_stays_small() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        let name = |n: u8| {
            let mut key = Key::new("test");
            key.add(&[n]);
            key.name()
        };
        assert_ne!(name(1), name(2));
        put(Some(&path), &name(1), &["a".into(), "b".into()]);
        assert_eq!(get(Some(&path), &name(1)), Some(vec!["a".into(), "b".into()]));
        assert_eq!(get(Some(&path), &name(2)), None);
        #[cfg(unix)]
        for kept in fs::read_dir(&path).unwrap().chain(fs::read_dir(folder.path()).unwrap()) {
            let mode = std::os::unix::fs::PermissionsExt::mode(&kept.unwrap().metadata().unwrap().permissions());
            assert_eq!(mode & 0o077, 0, "what is rendered may hold Secrets");
        }
        for n in 2..12 {
            put_within(Some(&path), &name(n), &["x".repeat(1000)], 4000);
        }
        let held = fs::read_dir(&path).unwrap().count();
        assert!(held <= 4, "{held} results are held");
    }
}
