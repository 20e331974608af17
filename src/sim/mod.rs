//! A simulated fleet that speaks the Kubernetes API over loopback HTTPS: for the demo, the tests and the scale runs.
//!
//! Known by `cli` and the tests alone; everything else reaches it over HTTP, like any cluster. Seeded and deterministic.

mod answer;
mod auth;
pub mod bare;
mod bulk;
mod churn;
pub mod clock;
mod control;
pub mod controllers;
mod decode;
mod defaults;
mod definition;
mod delete;
pub mod demo;
mod discovery;
pub mod error;
pub mod faults;
mod fields;
pub mod kinds;
pub mod kubelet;
mod life;
mod list;
pub mod log;
mod logs;
mod managed;
mod mould;
pub mod object;
mod openapi;
pub(crate) mod patch;
mod path;
mod protobuf;
mod request;
mod review;
mod scale;
mod select;
pub mod serve;
pub mod store;
mod strategy;
mod structural;
mod tls;
mod validate;
mod watch;
mod write;

pub use serve::serve;

use std::path::PathBuf;

/// What to serve.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The fleet: `Demo` (a dozen believable clusters), `Empty` (bare clusters, for contract tests) or `Scale`.
    pub fleet: Fleet,
    /// Seed of everything random.
    pub seed: u64,
    /// Simulated seconds per real second for the controllers.
    pub speed: f64,
    /// Directory for the authority, client certificates and the kubeconfig.
    pub dir: PathBuf,
}

/// Kinds of fleets.
#[derive(Clone, Debug)]
pub enum Fleet {
    /// A dozen clusters where things are wrong in interesting ways.
    Demo,
    /// So many bare clusters: default namespaces and a few nodes.
    Empty {
        /// Clusters.
        clusters: usize,
        /// Nodes in each; with none there are no controllers either: an API server alone.
        nodes: usize,
    },
    /// For benchmarks.
    Scale {
        /// Clusters.
        clusters: usize,
        /// Pods in all.
        pods: usize,
        /// Workloads in all.
        workloads: usize,
        /// Round trip added to every request, shortest and longest, spread over the clusters.
        rtt_ms: (u64, u64),
        /// Events (changes of pods) per second over the whole fleet.
        churn: u32,
    },
}

/// A fleet that is being served; dropping it ends the servers.
#[derive(Debug)]
pub struct Running {
    /// kubeconfig with one context per cluster.
    pub kubeconfig: PathBuf,
    /// Cluster names in order.
    pub clusters: Vec<String>,
    /// fleet.yaml beside it, where the fleet has one.
    pub fleet_file: Option<PathBuf>,
    engine: serve::Engine,
}

/// Faults of one cluster, switched while it runs (also over HTTP: `PUT /sim/faults` on the cluster's own port, JSON).
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Faults {
    /// Milliseconds added to every answer.
    pub latency_ms: u64,
    /// Nothing is answered and nothing sent, connections stay open (no FIN).
    pub silent: bool,
    /// Every connection is reset.
    pub reset: bool,
    /// Status for every request (401, 403, 429, 500, 503); 0 = none.
    pub status: u16,
    /// The status only for this resource (plural), empty = all.
    pub status_for: String,
    /// Only for this verb (`list`, `watch`, `get` ...), empty = all.
    pub status_verb: String,
    /// `Retry-After` seconds sent with 429 and 503.
    pub retry_after: u32,
    /// The serving certificate is expired (for new connections).
    pub expired_certificate: bool,
    /// Milliseconds per 100 objects of a list.
    pub slow_list_ms: u64,
    /// 410 on every resumed watch.
    pub gone: bool,
    /// `sendInitialEvents` is refused with 422.
    pub no_watch_list: bool,
    /// Streaming lists never send the end bookmark.
    pub no_end_bookmark: bool,
    /// Date header shifted by so many seconds.
    pub clock_skew_s: i64,
}
