//! What the fleet file says of desired state: services with their sources, and where the policies are. Paths are complete:
//! relative ones were joined to the fleet file's folder.

mod files;

use std::path::PathBuf;

use crate::{
    desired::{layer::Layers, selector::Affinity},
    model::Place,
    render::SourceSpec,
};

pub use files::{faults, policy_files};

/// The section `desired`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Desired {
    /// Services, in the order of the file; name and namespace together are unique.
    pub services: Vec<DesiredService>,
    /// Files and folders of policies; [`policy_files`] makes single files of them.
    pub policies: Vec<PolicyPath>,
    /// A hub cluster whose policies count too.
    pub hub: Option<Hub>,
}

/// A service.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredService {
    /// Name, as the Matrix shows it.
    pub name: String,
    /// Namespace; empty = any.
    pub namespace: String,
    /// Where its base comes from: in each cluster from the first one that fits it. Never empty.
    pub sources: Vec<ServiceSource>,
    /// Layers of kinds and files, where they are named.
    pub layers: Layers,
    /// Where it stands.
    pub place: Place,
}

/// Where a service's base comes from in some clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceSource {
    /// What is rendered.
    pub spec: SourceSpec,
    /// A values file per cluster (Helm only): complete, with `{cluster}` where the cluster's name belongs. It wins over the other
    /// values files; a cluster whose file does not exist has none.
    pub per_cluster: Option<String>,
    /// Git repository that the paths lie in; `None` = the one around the fleet file, if any.
    pub repository: Option<PathBuf>,
    /// Revision that is read; empty = the work tree as it is.
    pub revision: String,
    /// Clusters it is for; `None` = all.
    pub clusters: Option<Affinity>,
    /// Where it stands.
    pub place: Place,
}

/// A file or folder of policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyPath {
    /// The path; its last parts may hold `*` and `?`.
    pub path: PathBuf,
    /// Where it stands.
    pub place: Place,
}

/// A hub cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hub {
    /// Its name in the fleet.
    pub cluster: String,
    /// Where it stands.
    pub place: Place,
}

impl ServiceSource {
    /// The values file of a cluster; whether it exists is for the one who renders to see.
    pub fn values_of(&self, cluster: &str) -> Option<PathBuf> {
        self.per_cluster.as_ref().map(|pattern| PathBuf::from(pattern.replace("{cluster}", cluster)))
    }

    /// The file or folder that is rendered.
    pub fn path(&self) -> &std::path::Path {
        match &self.spec {
            SourceSpec::Plain { path } | SourceSpec::Kustomize { path } => path,
            SourceSpec::Helm { chart, .. } => chart,
        }
    }
}

impl DesiredService {
    /// The source that gives the base in a cluster; `None` where none is for it.
    pub fn source_for(&self, cluster: &crate::desired::cluster::Cluster) -> Option<&ServiceSource> {
        self.sources.iter().find(|s| s.clusters.as_ref().is_none_or(|c| c.matches(cluster)))
    }
}
