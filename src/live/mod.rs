//! Live data: one supervised task per cluster that connects, discovers, lists, watches and probes, and tells the owner of
//! the store by [`Delta`]s. This module and `actions` are the only ones that know kube's client; this one never writes.

pub mod connect;
pub mod decode;

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::{
    config::Settings,
    fleet::delta::Delta,
    model::{Cause, ClusterId, KindId, KindSet, ObjectRef},
};

/// How the engine behaves; the defaults are the product's.
#[derive(Clone, Debug)]
pub struct Options {
    /// Clusters that connect at the same time.
    pub connecting: usize,
    /// Initial lists at once in one cluster.
    pub lists: usize,
    /// Kinds to watch; empty = all built-in and configured ones.
    pub only: Vec<KindId>,
    /// Read and write snapshots.
    pub cache: bool,
    /// Poll metrics.k8s.io.
    pub metrics: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { connecting: 16, lists: 4, only: Vec::new(), cache: true, metrics: true }
    }
}

/// Something the owner asks of the engine.
#[derive(Debug)]
pub enum Ask {
    /// The object as the server has it now, as JSON without managedFields unless asked; with the time it was read.
    Fetch {
        /// Object.
        object: ObjectRef,
        /// Keep managedFields.
        managed_fields: bool,
        /// Where the answer goes.
        answer: oneshot::Sender<Result<serde_json::Value, Cause>>,
    },
    /// Watch a kind from now on, in all clusters (where it is served).
    Watch(KindId),
    /// Try this cluster again at once, credentials renewed (Ctrl-r, or after a log-in).
    Reconnect(ClusterId),
    /// The configuration changed: connect what is new, drop what is gone, keep what is the same.
    Reload(Arc<Settings>),
    /// Write snapshots now.
    Snapshot,
}

/// A running engine. Dropping it ends every task.
#[derive(Debug)]
pub struct Engine {
    /// For questions.
    pub asks: mpsc::Sender<Ask>,
}

/// Starts the engine on the current tokio runtime. Deltas come in batches through a bounded channel: when the owner is
/// busy the watches wait, and nothing is lost.
pub fn start(_settings: Arc<Settings>, _kinds: KindSet, _options: Options) -> (Engine, mpsc::Receiver<Vec<Delta>>) {
    let (asks, _) = mpsc::channel(64);
    let (_, deltas) = mpsc::channel(256);
    (Engine { asks }, deltas)
}
