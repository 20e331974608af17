//! Where configuration, data, state and cache lie.

use std::path::PathBuf;

/// Folders of this user; see specs: tui a11.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// fleet.yaml, themes/, keys.yaml.
    pub config: PathBuf,
    /// Journal, waivers.
    pub data: PathBuf,
    /// Log, history, fingerprint key, column choices.
    pub state: PathBuf,
    /// Last snapshots, discovery.
    pub cache: PathBuf,
}
