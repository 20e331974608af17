//! From flags, variables and files to [`Settings`].

mod choose;
mod settings;
mod targets;

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

pub use settings::language;

use super::{
    Problem, Request, Settings, Target, desired,
    fleet_file::{self, FleetFile},
    kubeconfig, paths,
};
use crate::{
    fault::Fault,
    messages::{Lang, cli as text, policy},
};

/// Reads the files and resolves everything. An unusable fleet file is an error; a broken kubeconfig entry is a problem of
/// that entry alone.
///
/// # Errors
///
/// The first thing that is wrong; [`resolve_telling_all`] tells the others too.
pub fn resolve(request: &Request) -> Result<Settings, Problem> {
    resolve_telling_all(request).map_err(|mut problems| problems.remove(0))
}

/// As [`resolve`], telling everything that is wrong.
///
/// # Errors
///
/// The fleet file cannot be used, a flag has a value that means nothing, or the file of `--kubeconfig` is not there.
/// Never empty.
pub fn resolve_telling_all(request: &Request) -> Result<Settings, Vec<Problem>> {
    let early = language(request, None).0;
    let tell = |faults: &[Fault], lang: Lang| faults.iter().map(|f| f.problem(lang)).collect::<Vec<_>>();
    let paths = paths::Paths::find(&request.env, request.config_dir.as_deref());
    let sources = choose::sources(request, &paths);
    let file = match &sources.fleet {
        Some(path) => fleet_file::read(path).map_err(|faults| tell(&faults, early))?,
        None => FleetFile::default(),
    };
    let mut out = Settings { paths, ..Settings::default() };
    settings::fill(request, &sources, &file, &mut out).map_err(|faults| tell(&faults, early))?;
    let lang = out.lang;
    if let Some(missing) = sources.kubeconfig_flag.as_ref().filter(|p| !p.exists()) {
        return Err(tell(&[Fault::new(missing, 0, "--kubeconfig", text::KUBECONFIG_NOT_THERE)], lang));
    }
    let loaded = kubeconfig::load(&sources.kubeconfigs);
    let chosen = targets::targets(request, &file, &loaded, lang).map_err(|faults| tell(&faults, lang))?;
    out.targets = chosen.targets;
    out.problems = tell(&loaded.faults, lang);
    out.problems.extend(tell(&chosen.faults, lang));
    out.problems.extend(tell(&desired::faults(&out.desired), lang));
    out.problems.extend(tell(&unknown_hub(&out, &file, &loaded), lang));
    out.problems.extend(unusable(&out.targets, &loaded, lang));
    if out.targets.is_empty() {
        out.problems.push(nothing_found(&sources.kubeconfigs, lang));
    }
    out.fleet_file.clone_from(&sources.fleet);
    out.incomplete = loaded.incomplete;
    out.watched_files = loaded.files;
    out.watched_files.push(sources.fleet.unwrap_or_else(|| out.paths.config.join(choose::FLEET_FILE)));
    out.marks = marks(&out.paths.config);
    out.watched_files.extend(out.marks.keys().cloned());
    Ok(out)
}

/// Clusters whose kubeconfig entry cannot be used.
fn unusable(targets: &[Target], loaded: &kubeconfig::Loaded, lang: Lang) -> Vec<Problem> {
    let problem = |target: &Target| {
        let text = target.access.as_ref().err()?;
        let context = loaded.contexts.iter().find(|c| c.name == target.record.context);
        Some(match context.and_then(|c| c.access.as_ref().err()) {
            Some(fault) => fault.problem(lang),
            None => {
                let place = target.record.declared_at.as_ref();
                let place = place.map(|p| format!("{}:{}", p.file, p.line)).unwrap_or_default();
                Problem { place, field: String::from("context"), text: text.clone() }
            }
        })
    };
    targets.iter().filter_map(problem).collect()
}

/// A hub that the fleet does not have. What `--context` and `--group` leave out is not missing.
fn unknown_hub(settings: &Settings, file: &FleetFile, loaded: &kubeconfig::Loaded) -> Vec<Fault> {
    let Some(hub) = &settings.desired.hub else { return Vec::new() };
    let known = settings.targets.iter().any(|t| *t.record.name == *hub.cluster)
        || file.clusters.iter().any(|c| *c.name == *hub.cluster)
        || loaded.contexts.iter().any(|c| c.name == hub.cluster);
    let fault = Fault::new(Path::new(&hub.place.file), hub.place.line, "desired.hub.cluster", policy::NO_SUCH_HUB);
    if known { Vec::new() } else { vec![fault.with("name", &hub.cluster)] }
}

/// There is no cluster at all: says where was looked.
fn nothing_found(kubeconfigs: &[PathBuf], lang: Lang) -> Problem {
    let looked: Vec<String> = kubeconfigs.iter().map(|p| p.display().to_string()).collect();
    Problem { place: looked.join(", "), field: String::new(), text: text::NO_CLUSTERS.text(lang).to_owned() }
}

/// Fingerprints of the key file and of every theme in the user's folder.
fn marks(config: &Path) -> BTreeMap<PathBuf, u64> {
    let themes = std::fs::read_dir(config.join("themes")).into_iter().flatten().flatten().map(|e| e.path());
    let yaml = |p: &PathBuf| p.extension().is_some_and(|e| e == "yaml" || e == "yml");
    std::iter::once(config.join("keys.yaml")).chain(themes.filter(yaml)).map(|p| (p.clone(), mark(&p))).collect()
}

/// A fingerprint of a file's content; 0 when it cannot be read.
fn mark(path: &Path) -> u64 {
    std::fs::read(path).map_or(0, |content| {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        hasher.finish()
    })
}

#[cfg(test)]
mod tests;
