//! Files of desired state on disk: which policy files there are, and what is named and missing.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::{Desired, PolicyPath};
use crate::{config::words, fault::Fault, messages::policy as text, render::SourceSpec};

/// How deep folders of policies are followed: a link that leads back to itself ends here.
const DEEPEST: usize = 16;

/// The policy files that a path stands for, sorted: itself, the files below a folder (`*.yaml`, `*.yml`, `*.json`; names that
/// begin with a dot are left out), or what fits its globs. Nothing when there is nothing.
pub fn policy_files(policies: &PolicyPath) -> Vec<PathBuf> {
    let mut bases = vec![PathBuf::new()];
    for part in policies.path.components() {
        let name = part.as_os_str().to_string_lossy();
        let globbed = matches!(part, Component::Normal(_)) && name.contains(['*', '?']);
        bases = bases
            .into_iter()
            .flat_map(|base| if globbed { fitting(&base, &name) } else { vec![base.join(part)] })
            .collect();
    }
    let mut found = Vec::new();
    for base in bases {
        if base.is_dir() {
            below(&base, DEEPEST, &mut found);
        } else if base.is_file() {
            found.push(base);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Entries of a folder whose names fit a glob.
fn fitting(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|e| words::glob(pattern, &e.file_name().to_string_lossy())).map(|e| e.path()).collect()
}

fn below(folder: &Path, left: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            if left > 0 {
                below(&path, left - 1, found);
            }
        } else if path.extension().is_some_and(|e| e == "yaml" || e == "yml" || e == "json") {
            found.push(path);
        }
    }
}

/// What is named and is not there. What lies in another revision, or in a repository of its own, is not looked for.
pub fn faults(desired: &Desired) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (i, service) in desired.services.iter().enumerate() {
        for (j, source) in service.sources.iter().enumerate() {
            if !source.revision.is_empty() {
                continue;
            }
            let field = format!("desired.services[{i}].sources[{j}]");
            let values = if let SourceSpec::Helm { values, .. } = &source.spec { values.as_slice() } else { &[] };
            for path in
                std::iter::once(source.path()).chain(values.iter().map(PathBuf::as_path)).filter(|p| !p.exists())
            {
                let file = Path::new(&source.place.file);
                let fault = Fault::new(file, source.place.line, &field, text::NO_SUCH_FILE);
                faults.push(fault.with("file", path.display().to_string()));
            }
        }
    }
    for (i, policies) in desired.policies.iter().enumerate() {
        if policy_files(policies).is_empty() {
            let file = Path::new(&policies.place.file);
            let msg = if policies.path.exists() || policies.path.to_string_lossy().contains(['*', '?']) {
                text::NO_FILE_FITS
            } else {
                text::NO_SUCH_FILE
            };
            let fault = Fault::new(file, policies.place.line, format!("desired.policies[{i}]"), msg);
            faults.push(fault.with("file", policies.path.display().to_string()));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;

    #[test]
    fn folders_files_and_globs_become_files() {
        let root = tempfile::tempdir().unwrap();
        for file in ["p/a.yaml", "p/deep/b.yml", "p/.hidden.yaml", "p/notes.txt", "k/one.yaml", "k/two.yaml", "k/x.md"]
        {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let files = |written: &str| {
            let place = Place { file: "fleet.yaml".into(), line: 1 };
            let found = policy_files(&PolicyPath { path: root.path().join(written), place });
            let short = |p: &PathBuf| p.strip_prefix(root.path()).unwrap().display().to_string();
            found.iter().map(short).collect::<Vec<_>>()
        };
        assert_eq!(files("p"), ["p/a.yaml", "p/deep/b.yml"]);
        assert_eq!(files("k/*.yaml"), ["k/one.yaml", "k/two.yaml"]);
        assert_eq!(files("*/one.yaml"), ["k/one.yaml"]);
        assert_eq!(files("k/x.md"), ["k/x.md"], "a file that is named is taken whatever its ending");
        assert!(files("absent").is_empty());
    }
}
