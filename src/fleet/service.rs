//! What is a service: how workloads are grouped into the Matrix's rows (specs: governance 8.1, with `part-of` as the
//! business system and not the service).

use serde::{Deserialize, Serialize};

/// One rule of the fleet file: objects that match become the service `name`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceRule {
    /// Name of the service; `{name}`, `{namespace}`, `{label:KEY}` are filled in.
    pub name: String,
    /// Namespaces (globs); empty = all.
    #[serde(default)]
    pub namespaces: Vec<String>,
    /// Workload names (globs); empty = all.
    #[serde(default)]
    pub workloads: Vec<String>,
    /// Label selector on the pod template, else on the workload; empty = all.
    #[serde(default)]
    pub selector: String,
}

/// The rules in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceRules {
    /// Rules of the fleet file, first match wins; the built-in rules follow.
    pub rules: Vec<ServiceRule>,
    /// Namespaces whose workloads are no business services (`kube-system` ...); they are listed apart.
    pub system_namespaces: Vec<String>,
}
