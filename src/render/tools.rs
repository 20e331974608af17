//! Which tools are used, where their results are kept, and which folder places are named from.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use super::Tools;
use crate::config::Settings;

/// Longest run of a tool: charts with many dependencies take their time, a hanging one is not waited for.
const LIMIT: Duration = Duration::from_secs(60);

/// The tools of this environment; places are named from the fleet file's folder.
pub fn of(settings: &Settings, env: &BTreeMap<String, String>) -> Tools {
    // `--fleet fleet.yaml` has an empty folder, which is this one.
    let root = settings.fleet_file.as_deref().and_then(Path::parent).filter(|p| !p.as_os_str().is_empty());
    Tools {
        root: root.map_or_else(|| PathBuf::from("."), PathBuf::from),
        cache: settings.cache.then(|| settings.paths.cache.join("render")),
        path: env.get("PATH").cloned().unwrap_or_default(),
        limit: LIMIT,
    }
}
