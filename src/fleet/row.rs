//! Packed rows: what is kept of each object. Texts that repeat are shared (see [`super::intern`]); what is not shown,
//! sorted, filtered or indexed is not kept. Secret content, environment values and annotations never enter a row.
//!
//! Budget (measured by `benches/fleet.rs`): a pod 600 bytes, a workload 1 KB, a node 1.5 KB, an event 300 bytes, indexes included.

use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::model::{Health, Secs, Uid};

/// Sorted label pairs, shared between rows that carry the same set.
pub type Labels = [(Arc<str>, Arc<str>)];

/// One object as the cache keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// `metadata.name`.
    pub name: CompactString,
    /// `metadata.namespace`; `None` for cluster-scoped objects.
    pub namespace: Option<Arc<str>>,
    /// `metadata.uid`.
    pub uid: Uid,
    /// `metadata.resourceVersion`: the number itself, or a 64-bit hash with the top bit set where it is no number.
    /// Good for equality only.
    pub version: u64,
    /// `metadata.creationTimestamp`.
    pub created: Secs,
    /// `metadata.deletionTimestamp`; `Secs(0)` = not being deleted.
    pub deleting: Secs,
    /// Health by the rules of the kind.
    pub health: Health,
    /// Labels of the object itself.
    pub labels: Arc<Labels>,
    /// Controller ownerReference.
    pub owner: Option<Arc<Owner>>,
    /// What the kind adds.
    pub detail: Detail,
}

/// The controlling owner of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Owner {
    /// Kind as written (`ReplicaSet`).
    pub kind: Arc<str>,
    /// Its API group, empty for core (`apps`).
    pub group: Arc<str>,
    /// Name.
    pub name: Arc<str>,
    /// uid.
    pub uid: Uid,
}

/// What is kept beside the common part, by kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Detail {
    /// Pod.
    Pod(Box<PodRow>),
    /// Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CronJob, Argo Rollout, CloneSet, Advanced sets.
    Workload(Box<WorkloadRow>),
    /// Node.
    Node(Box<NodeRow>),
    /// Namespace.
    Namespace(Box<NamespaceRow>),
    /// ConfigMap and Secret.
    Config(Box<ConfigRow>),
    /// Service.
    Service(Box<ServiceRow>),
    /// EndpointSlice.
    Endpoints(Box<EndpointsRow>),
    /// HorizontalPodAutoscaler.
    Hpa(Box<HpaRow>),
    /// PodDisruptionBudget.
    Pdb(Box<PdbRow>),
    /// CSIDriver.
    CsiDriver(Box<CsiDriverRow>),
    /// CSINode.
    CsiNode(Box<CsiNodeRow>),
    /// Event.
    Event(Box<EventRow>),
    /// Any other kind: a word of status from its conditions, if there is one.
    Other(Option<Arc<str>>),
}

/// A container as the template or the pod spec declares it; shared by all pods of one template.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContainerSpec {
    /// Name.
    pub name: Arc<str>,
    /// Image as written.
    pub image: Arc<str>,
    /// Digest the kubelet reports (`sha256:...`), pods only; empty when unknown.
    pub digest: Arc<str>,
    /// True for init containers (not for restartable ones, which run beside the others).
    pub init: bool,
}

/// Pod phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Accepted, not all containers started.
    #[default]
    Pending,
    /// Bound, at least one container runs.
    Running,
    /// All ended well.
    Succeeded,
    /// All ended, at least one badly.
    Failed,
    /// The node does not answer.
    Unknown,
}

/// A pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PodRow {
    /// Node it is bound to; empty = not scheduled.
    pub node: Arc<str>,
    /// Containers, init ones first.
    pub containers: Arc<[ContainerSpec]>,
    /// Phase.
    pub phase: Phase,
    /// Ready by its condition (gates included).
    pub is_ready: bool,
    /// Ready containers and containers that should be (init ones not counted, restartable ones counted).
    pub ready: (u8, u8),
    /// Restarts, summed.
    pub restarts: u32,
    /// Last restart, if any.
    pub restarted: Secs,
    /// Why it is not well, in Kubernetes' word: `CrashLoopBackOff`, `ImagePullBackOff`, `Unschedulable`,
    /// `OOMKilled`, `Evicted`, `Terminating`, `Init:1/2`, `Completed` ... `None` = nothing to say.
    pub reason: Option<Arc<str>>,
    /// The cause in words, bounded to 200 characters: container, exit code, message. Only for pods that are not well.
    pub note: Option<Box<str>>,
    /// Requests of CPU, millicores, of non-terminal pods as the scheduler counts them.
    pub cpu_m: u32,
    /// Requests of memory, bytes.
    pub mem: u64,
    /// Pod address, as text.
    pub ip: Option<CompactString>,
}

/// State of a workload's own rollout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Progress {
    /// Everything is at the wanted revision, or there is nothing to roll.
    #[default]
    Settled,
    /// Pods are being replaced.
    Rolling,
    /// Paused or held by partition.
    Paused,
    /// Over its progress deadline, or failed.
    Stuck,
}

/// What a pod template mounts or reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ConfigRef {
    /// True for a Secret, false for a ConfigMap.
    pub secret: bool,
    /// Name.
    pub name: Arc<str>,
}

/// The last change of the object's wanted state, from managedFields (subresources left out).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LastChange {
    /// Field manager.
    pub manager: Arc<str>,
    /// `Update` or `Apply`.
    pub apply: bool,
    /// Time of that manager's last write: an upper bound for the change.
    pub at: Secs,
}

/// Which system owns an object (see `owner`), strongest evidence first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Managed {
    /// The system.
    pub by: System,
    /// Its own name for what it manages: application, release, bundle (`namespace/name` where it has one).
    pub name: Arc<str>,
    /// Further systems that marked the object.
    pub also: Vec<System>,
    /// The evidence is weak ("maybe").
    pub maybe: bool,
}

/// Delivery systems that can own an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum System {
    /// Karmada Work.
    Karmada,
    /// Open Cluster Management ManifestWork.
    Ocm,
    /// KubeVela Application.
    KubeVela,
    /// Rancher Fleet bundle.
    RancherFleet,
    /// Flux HelmRelease.
    FluxHelm,
    /// Flux Kustomization.
    FluxKustomize,
    /// Argo CD Application.
    ArgoCd,
    /// Helm release.
    Helm,
    /// KubeFed.
    KubeFed,
    /// Another controller, by ownerReference.
    Controller,
    /// Only a field manager's name hints at it.
    Hint,
}

/// A workload of any kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkloadRow {
    /// Containers of the template, init ones first.
    pub containers: Arc<[ContainerSpec]>,
    /// Labels of the pod template.
    pub template_labels: Arc<Labels>,
    /// Replicas wanted; for a DaemonSet the nodes it should run on; for a Job its completions; `None` = no such notion.
    pub wanted: Option<u32>,
    /// Ready replicas (Job: succeeded).
    pub ready: u32,
    /// Replicas at the newest revision.
    pub updated: u32,
    /// Available replicas.
    pub available: u32,
    /// Replicas that exist.
    pub current: u32,
    /// `metadata.generation`.
    pub generation: u64,
    /// `status.observedGeneration`.
    pub observed: u64,
    /// Rollout state.
    pub progress: Progress,
    /// Deployment revision, ReplicaSet's revision, or update revision hash.
    pub revision: Option<Arc<str>>,
    /// Kubernetes' word when something is wrong (`ProgressDeadlineExceeded`, `FailedCreate`, `BackoffLimitExceeded`).
    pub reason: Option<Arc<str>>,
    /// Its message, bounded to 200 characters.
    pub note: Option<Box<str>>,
    /// ConfigMaps and Secrets that the template mounts or reads, sorted, distinct.
    pub refs: Box<[ConfigRef]>,
    /// Key of the `quarterdeck.dev/service` label or annotation where it is set on the object.
    pub service: Option<Arc<str>>,
    /// Which system owns it.
    pub managed: Option<Arc<Managed>>,
    /// The last change of its wanted state.
    pub changed: Option<Arc<LastChange>>,
    /// CronJob: schedule; empty elsewhere.
    pub schedule: Option<Arc<str>>,
    /// CronJob: last schedule time; Job: start time.
    pub last_run: Secs,
    /// Suspended (CronJob, Job).
    pub suspended: bool,
}

/// Ready condition of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodeReady {
    /// The kubelet says so.
    Yes,
    /// The kubelet says no.
    No,
    /// The kubelet does not answer (counts as not ready).
    #[default]
    Unknown,
}

/// CPU, memory and pod slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Millicores.
    pub cpu_m: u64,
    /// Bytes.
    pub mem: u64,
    /// Pod slots.
    pub pods: u32,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeRow {
    /// Ready condition.
    pub ready: NodeReady,
    /// Cordoned.
    pub unschedulable: bool,
    /// Roles, comma-separated as kubectl shows them.
    pub roles: Arc<str>,
    /// Kubelet version.
    pub kubelet: Arc<str>,
    /// OS image.
    pub os_image: Arc<str>,
    /// Container runtime and version.
    pub runtime: Arc<str>,
    /// Architecture.
    pub arch: Arc<str>,
    /// Region label.
    pub region: Arc<str>,
    /// Zone label.
    pub zone: Arc<str>,
    /// Instance type label.
    pub instance: Arc<str>,
    /// Scheme (or mark) of providerID; empty = none.
    pub provider: Arc<str>,
    /// Allocatable.
    pub allocatable: Resources,
    /// Problem conditions that are on (`MemoryPressure`, `DiskPressure`, `PIDPressure`, `NetworkUnavailable`, others).
    pub pressures: Box<[Arc<str>]>,
    /// Why it is not ready, bounded to 200 characters.
    pub note: Option<Box<str>>,
    /// Marks for recognising network plug-ins: annotation prefixes and condition reasons that `inventory` knows.
    pub network_marks: Box<[Arc<str>]>,
    /// Internal address.
    pub address: Option<CompactString>,
    /// Number of taints.
    pub taints: u8,
}

/// A namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NamespaceRow {
    /// True while it terminates.
    pub terminating: bool,
    /// Ledger annotations and labels of `quarterdeck.dev/` (environment, team, tier, systems, contacts, service), key without prefix.
    pub ledger: Box<[(Arc<str>, Arc<str>)]>,
}

/// A ConfigMap or Secret: shape and fingerprint, never content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConfigRow {
    /// HMAC-SHA-256 (first 16 bytes) of the canonical JSON of data and binaryData under the user's key; `None` when the
    /// content may not be read.
    pub fingerprint: Option<[u8; 16]>,
    /// Number of keys.
    pub keys: u16,
    /// Size of the content in bytes.
    pub bytes: u32,
    /// Secret type; empty for ConfigMaps.
    pub kind: Arc<str>,
    /// Immutable.
    pub immutable: bool,
}

/// A Service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServiceRow {
    /// `ClusterIP`, `NodePort`, `LoadBalancer`, `ExternalName`.
    pub kind: Arc<str>,
    /// Cluster address as text.
    pub cluster_ip: CompactString,
    /// External addresses or names, comma-separated; `<pending>` is shown for a LoadBalancer without any.
    pub external: CompactString,
    /// Ports as kubectl shows them (`80/TCP,443:30443/TCP`).
    pub ports: Arc<str>,
    /// Selector.
    pub selector: Arc<Labels>,
}

/// An EndpointSlice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EndpointsRow {
    /// Service it belongs to.
    pub service: Arc<str>,
    /// Ready endpoints.
    pub ready: u32,
    /// Endpoints that are not ready.
    pub not_ready: u32,
}

/// A HorizontalPodAutoscaler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HpaRow {
    /// Kind of the scaled object.
    pub target_kind: Arc<str>,
    /// Its name.
    pub target: Arc<str>,
    /// Lower bound.
    pub min: u32,
    /// Upper bound.
    pub max: u32,
    /// Replicas now.
    pub current: u32,
    /// Replicas it wants.
    pub desired: u32,
    /// Why it cannot scale, if it cannot.
    pub reason: Option<Arc<str>>,
}

/// A PodDisruptionBudget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PdbRow {
    /// `minAvailable` as written.
    pub min_available: Arc<str>,
    /// `maxUnavailable` as written.
    pub max_unavailable: Arc<str>,
    /// Disruptions allowed now.
    pub allowed: u32,
    /// Healthy pods now.
    pub healthy: u32,
    /// Healthy pods wanted.
    pub desired: u32,
    /// Selector's matchLabels.
    pub selector: Arc<Labels>,
}

/// A CSIDriver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CsiDriverRow {
    /// Attach step needed.
    pub attach_required: bool,
    /// Publishes capacity.
    pub storage_capacity: bool,
}

/// A CSINode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CsiNodeRow {
    /// Drivers registered on the node.
    pub drivers: Box<[Arc<str>]>,
}

/// An Event (warnings).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// Kind of the object it is about.
    pub kind: Arc<str>,
    /// Its name.
    pub object: CompactString,
    /// Reason.
    pub reason: Arc<str>,
    /// Message, bounded to 200 characters; foreign text.
    pub message: Box<str>,
    /// How often.
    pub count: u32,
    /// Last seen.
    pub last: Secs,
    /// Reported by.
    pub source: Arc<str>,
}

impl Row {
    /// Namespace as text, empty for cluster-scoped objects.
    pub fn ns(&self) -> &str {
        self.namespace.as_deref().unwrap_or("")
    }

    /// Value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        find_label(&self.labels, key)
    }

    /// The pod part, if it is a pod.
    pub fn pod(&self) -> Option<&PodRow> {
        if let Detail::Pod(p) = &self.detail { Some(p) } else { None }
    }

    /// The workload part, if it is a workload.
    pub fn workload(&self) -> Option<&WorkloadRow> {
        if let Detail::Workload(w) = &self.detail { Some(w) } else { None }
    }

    /// The node part, if it is a node.
    pub fn node(&self) -> Option<&NodeRow> {
        if let Detail::Node(n) = &self.detail { Some(n) } else { None }
    }
}

/// Value of a label in a sorted set.
pub fn find_label<'a>(labels: &'a Labels, key: &str) -> Option<&'a str> {
    labels.binary_search_by(|(k, _)| (**k).cmp(key)).ok().and_then(|i| labels.get(i)).map(|(_, v)| &**v)
}
