//! Which clusters there are: fleet file and kubeconfig matched, chosen by `--context` and `--group`, duplicates joined.

use std::{path::Path, sync::Arc};

use crate::{
    config::{
        Request, Target,
        fleet_file::FleetFile,
        kubeconfig::{Context, Loaded},
        words,
    },
    fault::Fault,
    messages::{Lang, cli as text},
    model::ClusterRecord,
};

/// The clusters, and what is to be said about them.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// In order.
    pub targets: Vec<Target>,
    /// Notices.
    pub faults: Vec<Fault>,
}

/// Words in names from which an environment is guessed, where the fleet file has no pattern that fits.
const GUESSES: &[(&str, &[&str])] = &[
    ("prod", &["prod", "prd", "production", "live"]),
    ("staging", &["staging", "stage", "stg", "preprod", "pre", "uat"]),
    ("test", &["test", "tst", "qa", "sit", "ci"]),
    ("dev", &["dev", "develop", "development", "sandbox"]),
    ("edge", &["edge"]),
];

/// Builds the clusters.
///
/// # Errors
///
/// A glob of `--context` or a name of `--group` that chooses nothing: better said than taken for "everything is fine".
pub(super) fn targets(request: &Request, file: &FleetFile, loaded: &Loaded, lang: Lang) -> Result<Chosen, Vec<Fault>> {
    let mut all = declared(file, loaded, lang);
    if !file.only {
        let named = |c: &Context| file.clusters.iter().any(|record| record.context == c.name);
        let others = loaded.contexts.iter().filter(|c| !named(c));
        all.extend(others.map(|c| undeclared(c, file, lang)));
    }
    let wanted = wanted(request, "QUARTERDECK_CONTEXT", &request.contexts);
    let groups = wanted_groups(request);
    check_wanted(&all, &wanted, &groups)?;
    all.retain(|t| wanted.is_empty() || wanted.iter().any(|g| is_named(&t.record, g)));
    all.retain(|t| groups.is_empty() || groups.iter().any(|g| is_in_group(&t.record, g)));
    Ok(join(all, loaded))
}

/// What a flag chose, else its variable (comma-separated).
fn wanted(request: &Request, variable: &str, flag: &[String]) -> Vec<String> {
    if !flag.is_empty() {
        return flag.to_vec();
    }
    let value = request.env.get(variable).map(String::as_str).unwrap_or_default();
    value.split(',').map(str::trim).filter(|v| !v.is_empty()).map(str::to_owned).collect()
}

fn wanted_groups(request: &Request) -> Vec<String> {
    wanted(request, "QUARTERDECK_GROUP", &request.groups)
}

/// Clusters of the fleet file.
fn declared(file: &FleetFile, loaded: &Loaded, lang: Lang) -> Vec<Target> {
    let target = |record: &ClusterRecord| {
        let access = match loaded.contexts.iter().find(|c| c.name == record.context) {
            Some(context) => context.access.clone().map_err(|fault| say(&fault, lang)),
            None => Err(no_context(record, loaded, lang)),
        };
        finish(record.clone(), access, file)
    };
    file.clusters.iter().map(target).collect()
}

/// A context that the fleet file does not name.
fn undeclared(context: &Context, file: &FleetFile, lang: Lang) -> Target {
    // A cluster of the file may have taken this name for another context; then the name says which context this is.
    let taken = file.clusters.iter().any(|c| *c.name == *context.name);
    let name = if taken { format!("{} (context)", context.name) } else { context.name.clone() };
    let record = ClusterRecord { name: Arc::from(name), context: context.name.clone(), ..file.defaults.clone() };
    finish(record, context.access.clone().map_err(|fault| say(&fault, lang)), file)
}

/// What follows from the rest: server, environment, groups.
fn finish(
    mut record: ClusterRecord,
    access: Result<Arc<crate::config::kubeconfig::Access>, String>,
    file: &FleetFile,
) -> Target {
    if let Ok(access) = &access {
        record.server.clone_from(&access.server);
    }
    if record.environment.is_empty()
        && let Some(guess) = guess(&record, file)
    {
        record.environment = guess;
        record.environment_guessed = true;
    }
    record.read_only |= file.environments.get(&record.environment).is_some_and(|e| e.read_only);
    let mut groups = record.groups.clone();
    groups.extend(file.groups.iter().filter(|(_, selector)| selector.fits(&record)).map(|(name, _)| name.clone()));
    groups.sort();
    groups.dedup();
    record.groups = groups;
    Target { record: Arc::new(record), access }
}

/// Environment from the name: the file's patterns first, then whole words of the name, then those of the context.
fn guess(record: &ClusterRecord, file: &FleetFile) -> Option<String> {
    let names = [&*record.name, record.context.as_str()];
    for name in names {
        let fits = file.environments.iter().find(|(_, e)| e.patterns.iter().any(|g| words::glob(g, name)));
        if let Some((environment, _)) = fits {
            return Some(environment.clone());
        }
    }
    for name in names {
        let name = name.to_lowercase();
        let parts: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
        let fits = GUESSES.iter().find(|(_, marks)| parts.iter().any(|p| marks.contains(p)));
        if let Some((environment, _)) = fits {
            return Some((*environment).to_owned());
        }
    }
    None
}

fn is_named(record: &ClusterRecord, glob: &str) -> bool {
    [&*record.name, record.context.as_str(), record.alias.as_str()]
        .into_iter()
        .any(|n| !n.is_empty() && words::glob(glob, n))
}

/// A group of the file, or the name of an environment.
fn is_in_group(record: &ClusterRecord, group: &str) -> bool {
    record.groups.iter().any(|g| g == group) || record.environment == group
}

fn check_wanted(all: &[Target], globs: &[String], groups: &[String]) -> Result<(), Vec<Fault>> {
    let mut faults = Vec::new();
    let names: Vec<&str> = all.iter().flat_map(|t| [&*t.record.name, t.record.context.as_str()]).collect();
    for glob in globs.iter().filter(|g| !all.iter().any(|t| is_named(&t.record, g))) {
        faults.push(chooses_nothing("--context", glob, &names, text::CONTEXT_CHOOSES_NOTHING, text::CONTEXT_NEAR));
    }
    let known: Vec<&str> = all
        .iter()
        .flat_map(|t| t.record.groups.iter().map(String::as_str).chain([t.record.environment.as_str()]))
        .filter(|g| !g.is_empty())
        .collect();
    for group in groups.iter().filter(|g| !all.iter().any(|t| is_in_group(&t.record, g))) {
        faults.push(chooses_nothing("--group", group, &known, text::GROUP_CHOOSES_NOTHING, text::GROUP_NEAR));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn chooses_nothing(
    flag: &str,
    word: &str,
    known: &[&str],
    plain: crate::messages::Msg,
    near: crate::messages::Msg,
) -> Fault {
    let mut all: Vec<&str> = known.to_vec();
    all.sort_unstable();
    all.dedup();
    let fault = Fault::new(Path::new(flag), 0, "", plain).with("value", word);
    match words::nearest(word, all.iter().copied()) {
        Some(found) => Fault { msg: near, ..fault }.with("near", found),
        None => {
            let more = if all.len() > 12 { ", ..." } else { "" };
            let shown = all.iter().take(12).copied().collect::<Vec<_>>().join(", ");
            fault.with("known", format!("{shown}{more}"))
        }
    }
}

/// Joins clusters that lead to the same server as the same person into the first of them.
fn join(all: Vec<Target>, loaded: &Loaded) -> Chosen {
    let mut out = Chosen::default();
    for target in all {
        let twin = target.access.as_ref().ok().and_then(|access| {
            out.targets.iter().position(|t| t.access.as_ref().is_ok_and(|other| other.same_way(access)))
        });
        let Some(twin) = twin else {
            out.targets.push(target);
            continue;
        };
        let kept = &mut out.targets[twin];
        out.faults.push(joined(&target.record, &kept.record, loaded));
        let record = Arc::make_mut(&mut kept.record);
        if target.record.context != record.context {
            record.also.push(target.record.context.clone());
        }
    }
    out
}

fn joined(second: &ClusterRecord, first: &ClusterRecord, loaded: &Loaded) -> Fault {
    let place = second
        .declared_at
        .as_ref()
        .or_else(|| loaded.contexts.iter().find(|c| c.name == second.context).map(|c| &c.place));
    let (file, line) = place.map_or(("", 0), |p| (p.file.as_str(), p.line));
    Fault::new(Path::new(file), line, "", text::JOINED).with("second", &second.name).with("first", &first.name)
}

fn no_context(record: &ClusterRecord, loaded: &Loaded, lang: Lang) -> String {
    let names = loaded.contexts.iter().map(|c| c.name.as_str());
    let fault = Fault::new(Path::new(""), 0, "", text::NO_SUCH_CONTEXT).with("context", &record.context);
    match words::nearest(&record.context, names) {
        Some(near) => Fault { msg: text::NO_SUCH_CONTEXT_NEAR, ..fault }.with("near", near).text(lang),
        None => fault.text(lang),
    }
}

/// A fault with its place, for the cluster's own state.
fn say(fault: &Fault, lang: Lang) -> String {
    let problem = fault.problem(lang);
    text::AT_PLACE.fill(lang, &[("place", &problem.place), ("text", &problem.text)])
}
