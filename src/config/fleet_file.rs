//! `fleet.yaml`: raw form, validation, schema.

mod decode;
mod desired;
mod keys;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{desired::Desired, words, yaml};
use crate::{
    fault::Fault,
    fleet::service::ServiceRules,
    messages::cli as text,
    model::{ClusterRecord, KindInfo},
    shape,
};

/// What the fleet file says, checked.
#[derive(Clone, Debug, Default)]
pub struct FleetFile {
    /// The file.
    pub path: PathBuf,
    /// Name of the fleet.
    pub name: String,
    /// Leave out contexts that no cluster names.
    pub only: bool,
    /// Ledger fields for clusters that the file does not name.
    pub defaults: ClusterRecord,
    /// Clusters in order, the defaults already in them. `also` and the environment guess are not.
    pub clusters: Vec<ClusterRecord>,
    /// Groups by name.
    pub groups: BTreeMap<String, Selector>,
    /// Environments by name.
    pub environments: BTreeMap<String, Environment>,
    /// Service rules.
    pub services: ServiceRules,
    /// Kinds to watch beside the built-in ones.
    pub extra_kinds: Vec<KindInfo>,
    /// Built-in kinds not to watch.
    pub skip_kinds: Vec<String>,
    /// Columns by screen.
    pub columns: BTreeMap<String, Vec<String>>,
    /// Desired state: services, their sources, policies.
    pub desired: Desired,
    /// Settings as written, with their line.
    pub settings: BTreeMap<String, (String, u32)>,
}

/// What is declared of an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `low` or `high`; empty = nothing said.
    pub danger: String,
    /// Globs from which it is guessed.
    pub patterns: Vec<String>,
    /// Never write to its clusters.
    pub read_only: bool,
}

/// Chooses clusters: every field that is given must fit, one of its globs is enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// Globs by field name (`names`, `environment` ...).
    fields: Vec<(String, Vec<String>)>,
    /// Globs by label key.
    labels: Vec<(String, Vec<String>)>,
}

impl Selector {
    /// Whether the cluster is chosen. A selector that says nothing chooses nothing.
    pub fn fits(&self, record: &ClusterRecord) -> bool {
        let any = |globs: &[String], value: &str| globs.iter().any(|g| words::glob(g, value));
        let field = |name: &str, globs: &[String]| match name {
            "names" => any(globs, &record.name),
            "environment" => any(globs, &record.environment),
            "region" => any(globs, &record.region),
            "provider" => any(globs, &record.provider),
            "team" => any(globs, &record.team),
            "tier" => any(globs, &record.tier),
            "systems" => record.systems.iter().any(|s| any(globs, s)),
            _ => false,
        };
        !(self.fields.is_empty() && self.labels.is_empty())
            && self.fields.iter().all(|(name, globs)| field(name, globs))
            && self.labels.iter().all(|(key, globs)| record.labels.get(key).is_some_and(|v| any(globs, v)))
    }
}

/// Reads and checks the file.
///
/// # Errors
///
/// Everything that is wrong with it, in the order of the lines; never empty.
pub fn read(path: &Path) -> Result<FleetFile, Vec<Fault>> {
    let content = std::fs::read_to_string(path)
        .map_err(|e| vec![Fault::new(path, 0, "", text::FILE_UNREADABLE).with("detail", e.to_string())])?;
    parse(path, &content)
}

/// Checks a file's content; `path` is for the places of errors.
///
/// # Errors
///
/// As [`read`].
pub fn parse(path: &Path, content: &str) -> Result<FleetFile, Vec<Fault>> {
    let root = yaml::parse(content)
        .map_err(|b| vec![Fault::new(path, b.line, "", text::FILE_NOT_YAML).with("detail", &b.detail)])?;
    let mut faults = Vec::new();
    shape::check(path, &root, keys::DOCUMENT, "", &mut faults);
    let file = decode::decode(path, &root, &mut faults);
    faults.sort_by_key(|f| f.line);
    if faults.is_empty() { Ok(file) } else { Err(faults) }
}

/// The JSON schema of the file, as it is published in `config/fleet.schema.json`.
pub fn schema() -> String {
    shape::published(keys::DOCUMENT, "Quarterdeck fleet file")
}

#[cfg(test)]
mod tests;
