//! The Matrix: services x clusters. Kept incrementally: one changed workload touches one cell and its service's summary.

use std::sync::Arc;

use compact_str::CompactString;
use serde::Serialize;

use super::{
    RowRef, Store,
    row::{LastChange, Managed, Progress},
};
use crate::model::{ClusterId, Health, Millis};

/// Number of a service, stable while the service exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(pub u32);

/// Key of a service: by label it is one word across namespaces, by fallback it is qualified by its namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceKey {
    /// Name of the service.
    pub name: Arc<str>,
    /// Namespace that qualifies it; `None` when the name came from an explicit service label or the configuration.
    pub namespace: Option<Arc<str>>,
}

/// How a workload came to its service; shown beside the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyRule {
    /// A rule of the fleet file.
    Configured,
    /// Label or annotation `quarterdeck.dev/service`.
    ServiceLabel,
    /// Label `backstage.io/kubernetes-id`.
    Backstage,
    /// Label `app.kubernetes.io/instance`.
    Instance,
    /// Label `app.kubernetes.io/name`.
    Name,
    /// Label `app`.
    App,
    /// No label: the workload's own name.
    Workload,
}

/// What a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Show {
    /// Image tag.
    #[default]
    Version,
    /// Image digest.
    Digest,
    /// Configuration fingerprint.
    Config,
    /// Replicas, ready of wanted.
    Replicas,
}

/// Why a service's row needs a look, worst first; the words come from `messages::matrix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The same everywhere, in so many clusters.
    Same(u16),
    /// So many different versions.
    Versions(u16),
    /// Same version, different digests.
    Digests(u16),
    /// Same version, different configuration.
    Config(u16),
    /// Rolling out in `.0` of `.1` clusters.
    Rolling(u16, u16),
    /// Does not work in so many clusters; the most frequent reason.
    Failing(u16, Arc<str>),
    /// Moving tag in so many clusters.
    Moving(u16),
}

/// One service over all clusters.
#[derive(Clone, Debug)]
pub struct ServiceSummary {
    /// Number.
    pub id: ServiceId,
    /// Key.
    pub key: ServiceKey,
    /// Rule that made the key (of the main workload).
    pub rule: KeyRule,
    /// Business system: `app.kubernetes.io/part-of`; empty when none.
    pub system: Arc<str>,
    /// Worst health of its cells.
    pub worst: Health,
    /// Some cells differ in version, digest or configuration.
    pub differs: bool,
    /// The note column.
    pub note: Note,
    /// Most common version, or the wanted one when desired state is known.
    pub usual: CompactString,
    /// Clusters it runs in.
    pub clusters: u16,
    /// Some rollout is under way.
    pub rolling: bool,
}

/// How a cell relates to the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Difference {
    /// Like the wanted or the most common one.
    #[default]
    None,
    /// Another version.
    Version,
    /// Same version, another digest.
    Digest,
    /// Same version and digest, another configuration.
    Config,
}

/// One cell: one service in one cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The main workload.
    pub main: RowRef,
    /// Further workloads of the same service in this cluster.
    pub more: u16,
    /// The workloads are at different versions.
    pub mixed: bool,
    /// Tag (or short digest) of the main container.
    pub version: CompactString,
    /// While rolling: the version that is being replaced, and how far the rollout is in percent.
    pub from: Option<(CompactString, u8)>,
    /// Digest of the main container as the pods report it; empty when unknown.
    pub digest: Arc<str>,
    /// The pods run more than one digest of the same tag.
    pub digests: u8,
    /// Fingerprint of the configuration read by the main workload (first 8 bytes); `None` when there is none or it cannot be read.
    pub config: Option<[u8; 8]>,
    /// Ready and wanted replicas, summed over the cell's workloads.
    pub replicas: (u32, u32),
    /// Health, worst of the workloads.
    pub health: Health,
    /// Reason of the worst.
    pub reason: Option<Arc<str>>,
    /// Progress of the main workload.
    pub progress: Progress,
    /// How it differs from the others.
    pub differs: Difference,
    /// The tag names no fixed content.
    pub moving: bool,
}

/// A pod that is not well, as the explanation lists it.
#[derive(Clone, Debug)]
pub struct PodTrouble {
    /// Pod.
    pub pod: RowRef,
    /// Its name.
    pub name: CompactString,
    /// Word.
    pub reason: Arc<str>,
    /// Words.
    pub note: String,
}

/// The explanation of one cell.
#[derive(Clone, Debug)]
pub struct CellDetail {
    /// The cell.
    pub cell: Cell,
    /// Every workload of the cell, main first: row, `kind/namespace/name`, ready, wanted.
    pub workloads: Vec<(RowRef, String, u32, Option<u32>)>,
    /// Containers of the main workload: name, image as written, digest.
    pub containers: Vec<(Arc<str>, Arc<str>, Arc<str>)>,
    /// ConfigMaps and Secrets in the fingerprint: `configmap/name` or `secret/name`, and whether it was found and readable.
    pub config: Vec<(String, bool)>,
    /// Last change of the main workload.
    pub changed: Option<Arc<LastChange>>,
    /// Which system owns it.
    pub managed: Option<Arc<Managed>>,
    /// Pods that are not well (at most 20), and how many there are in all.
    pub troubles: Vec<PodTrouble>,
    /// Number of pods that are not well.
    pub trouble_count: u32,
    /// When the data was true.
    pub at: Millis,
}

/// Summaries of all services, sorted by name (namespace as tie-breaker).
pub fn services(store: &mut Store) -> &[ServiceSummary] {
    let _ = store;
    &[]
}

/// One cell; `None` when the service does not run there.
pub fn cell(store: &Store, service: ServiceId, cluster: ClusterId) -> Option<Cell> {
    let _ = (store, service, cluster);
    None
}

/// The explanation of one cell.
pub fn detail(store: &Store, service: ServiceId, cluster: ClusterId) -> Option<CellDetail> {
    let _ = (store, service, cluster);
    None
}
