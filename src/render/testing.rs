//! What the tests of the renderers share.

use std::{fs, path::Path, time::Duration};

use super::Tools;

/// Tools with this root and nothing kept.
pub(super) fn tools(root: &Path) -> Tools {
    Tools {
        root: root.to_path_buf(),
        cache: None,
        path: std::env::var("PATH").unwrap_or_default(),
        limit: Duration::from_secs(60),
    }
}

/// Writes a file and the folders above it.
pub(super) fn write(root: &Path, file: &str, content: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}
