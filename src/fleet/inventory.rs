//! The Fleet screen's rows: what the ledger declares and what is derived live, each value with where it comes from.
//!
//! Precedence for every field: live, labels and annotations on well-known objects, fleet file, name pattern. A value that
//! cannot be read says why; it is never 0 or empty instead.

use std::sync::Arc;

use serde::Serialize;

use super::{Store, row::Resources};
use crate::model::{
    ApiCertificate, Cause, ClusterFacts, ClusterId, ClusterRecord, Condition, KubeVersion, Millis, Secs,
};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Read from the cluster, and the cluster is live.
    Live,
    /// Read from the cluster earlier; the cluster is not live now.
    LastKnown,
    /// Declared in the fleet file.
    Declared,
    /// Guessed from a name.
    Guessed,
    /// Not known.
    #[default]
    Unknown,
}

/// One value of the inventory: it fails alone, and it knows its age.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading<T> {
    /// The value; `None` when it is not known.
    pub value: Option<T>,
    /// Where it comes from.
    pub source: Source,
    /// When it was true; `Millis(0)` for declared values.
    pub at: Millis,
    /// Why it is missing or old.
    #[serde(skip)]
    pub why: Option<Cause>,
    /// A declared value that disagrees with the live one.
    pub declared: Option<T>,
}

impl<T> Reading<T> {
    /// Not known, without a reason yet.
    pub fn unknown() -> Self {
        Self { value: None, source: Source::Unknown, at: Millis(0), why: None, declared: None }
    }

    /// True when the value may be shown as it is, without a mark of age.
    pub fn is_fresh(&self) -> bool {
        matches!(self.source, Source::Live | Source::Declared)
    }
}

/// A network, storage or other plug-in and its health.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plugin {
    /// Its name (`Cilium`, `ebs.csi.aws.com`).
    pub name: String,
    /// Version (image tag of its agent), empty when unknown.
    pub version: String,
    /// `primary`, `secondary`, `residue`, `csi`, `dns`, `metrics`, `ingress`, `gitops` ...
    pub role: String,
    /// Nodes (or replicas) on which it is ready, and on which it should be.
    pub coverage: (u32, u32),
    /// Fewer than two agreeing marks.
    pub guessed: bool,
}

/// Support status of the Kubernetes version, by the embedded table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "support", content = "until")]
pub enum Support {
    /// Fully supported until the date (`2026-12-28`).
    Full(String),
    /// Security fixes only, until the date.
    SecurityOnly(String),
    /// Out of support since the date.
    Ended(String),
    /// Newer or other than the table of that date knows.
    Unknown(String),
}

/// A rule of version skew that is broken: which pair, and how many nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Skew {
    /// Kubelet version.
    pub kubelet: String,
    /// Nodes that run it.
    pub nodes: u32,
    /// Minor versions older than the API server (negative: newer).
    pub minors: i32,
}

/// Why a cluster is high up in "worst first": a stable word and its number, for words see `messages::fleet`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "risk", content = "n")]
pub enum Risk {
    /// The view is not live (state's severity).
    NotLive(u8),
    /// Nodes down.
    NodesDown(u32),
    /// Workloads that do not work.
    WorkloadsBad(u32),
    /// Workloads with warnings.
    WorkloadsWarn(u32),
    /// Pods that are not well.
    PodsBad(u32),
    /// Serving certificate ends within so many days (negative: ended).
    Certificate(i32),
    /// The operator's own credential ends within so many days (negative: ended).
    Credential(i32),
    /// Version out of support.
    EndOfLife,
    /// Version skew broken on so many nodes.
    Skew(u32),
    /// A plug-in is not ready everywhere.
    Plugin(u32),
    /// No contact declared, in production.
    NoContact,
    /// Some kinds may not be read.
    KindsForbidden(u32),
}

/// One row of the Fleet screen, computed from the store when it is shown. Cheap: counters are kept incrementally.
#[derive(Clone, Debug)]
pub struct ClusterRow {
    /// Cluster.
    pub id: ClusterId,
    /// Declared record.
    pub record: Arc<ClusterRecord>,
    /// State of our view.
    pub condition: Condition,
    /// Facts from probing and discovery.
    pub facts: Arc<ClusterFacts>,
    /// kube-system uid.
    pub uid: Reading<String>,
    /// Environment.
    pub environment: Reading<String>,
    /// Region; several are joined as `a, b` with the most frequent first.
    pub region: Reading<String>,
    /// Zones with their node counts.
    pub zones: Reading<Vec<(String, u32)>>,
    /// Provider.
    pub provider: Reading<String>,
    /// Distribution (EKS, k3s ...).
    pub distribution: Reading<String>,
    /// Server version.
    pub version: Reading<KubeVersion>,
    /// Support status of that version.
    pub support: Option<Support>,
    /// Minor versions behind the newest in the fleet.
    pub behind: Option<u16>,
    /// Nodes ready and in all.
    pub nodes: Reading<(u32, u32)>,
    /// Oldest and newest kubelet.
    pub kubelets: Reading<(String, String)>,
    /// Broken skew rules.
    pub skew: Vec<Skew>,
    /// Sum of allocatable.
    pub allocatable: Reading<Resources>,
    /// Sum of the requests of pods that count.
    pub requested: Reading<Resources>,
    /// Use by metrics.k8s.io.
    pub used: Reading<Resources>,
    /// Pods that are well and in all (finished ones not counted).
    pub pods: Reading<(u32, u32)>,
    /// Workloads by health: ok, warn, bad.
    pub workloads: Reading<(u32, u32, u32)>,
    /// Network plug-ins.
    pub cni: Reading<Vec<Plugin>>,
    /// Storage plug-ins.
    pub csi: Reading<Vec<Plugin>>,
    /// Other plug-ins (DNS, metrics, ingress, delivery agents).
    pub plugins: Reading<Vec<Plugin>>,
    /// Serving certificate.
    pub certificate: Reading<ApiCertificate>,
    /// End of the operator's own credential.
    pub credential: Reading<Secs>,
    /// Team, tier, business systems, contacts: live annotation or declared.
    pub team: Reading<String>,
    /// Tier.
    pub tier: Reading<String>,
    /// Business systems.
    pub systems: Reading<Vec<String>>,
    /// Contacts as `name reach`.
    pub contacts: Reading<Vec<String>>,
    /// Age of the cluster: creation of kube-system.
    pub created: Reading<Secs>,
    /// What is wrong, worst first.
    pub risks: Vec<Risk>,
    /// Sort key of "worst first": larger is worse.
    pub score: u32,
}

/// Counts by state for the header line, in the order of the header: live, syncing (with connecting), warning (live with
/// risks), bad (live with failures), stale, denied (login expired or forbidden), unreachable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Live and well.
    pub ok: u16,
    /// Connecting or syncing.
    pub busy: u16,
    /// Live, something to look at.
    pub warn: u16,
    /// Live, something failed.
    pub bad: u16,
    /// Stale.
    pub stale: u16,
    /// Login expired or forbidden.
    pub denied: u16,
    /// Unreachable.
    pub unreachable: u16,
    /// All.
    pub total: u16,
}

/// The row of one cluster.
pub fn cluster_row(store: &Store, id: ClusterId, now: Millis) -> Option<ClusterRow> {
    let _ = (store, id, now);
    None
}

/// Header counts.
pub fn counts(store: &Store, now: Millis) -> Counts {
    let _ = (store, now);
    Counts::default()
}
