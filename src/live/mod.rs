//! Live data: one supervised task per cluster that connects, discovers, lists, watches and probes, and tells the owner of
//! the store by [`Delta`]s. This module and `actions` are the only ones that know kube's client; this one never writes.

mod batch;
mod board;
mod bounded;
mod cluster;
pub mod connect;
mod context;
pub mod decode;
mod discovery;
mod engine;
mod fetch;
mod hub;
mod identity;
mod metrics;
mod pace;
mod probe;
pub mod snapshot;
mod splitter;
mod supervisor;
#[cfg(test)]
mod tests;
mod times;
mod watch;
mod wire;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, RwLock},
};

use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::{
    config::Settings,
    fleet::delta::Delta,
    model::{Builtin, Cause, ClusterId, KindId, KindSet, ObjectRef},
};
use decode::fingerprint::FingerprintKey;
pub use hub::HubPolicies;
use supervisor::Fleet;
pub use times::Times;

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
    /// The process's variables, for the proxies.
    pub env: BTreeMap<String, String>,
    /// How patient the tasks are.
    pub times: Times,
    /// This program, for starting credential plugins outside the terminal's session ([`connect::detached()`]); without it
    /// they only have a process group of their own.
    pub launcher: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let env = std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        Self {
            connecting: 16,
            lists: 4,
            only: Vec::new(),
            cache: true,
            metrics: true,
            env: env.collect(),
            times: Times::default(),
            launcher: None,
        }
    }
}

/// This program's own file, for [`Options::launcher`]: only for the binary, which knows [`connect::DETACHED`].
pub fn own_program() -> Option<PathBuf> {
    std::env::current_exe().ok()
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
    /// The policies that a hub cluster has now.
    Policies {
        /// Cluster.
        cluster: ClusterId,
        /// Where the answer goes.
        answer: oneshot::Sender<Result<HubPolicies, Cause>>,
    },
    /// Watch a kind from now on, in all clusters (where it is served).
    Watch(KindId),
    /// Try this cluster again at once, credentials renewed (Ctrl-r, or after a log-in).
    Reconnect(ClusterId),
    /// Log in to this cluster by its credential plugin, which gets the terminal: the asker must have given it back and may
    /// not read it until the answer. Then every cluster with the same entry whose login had expired connects anew. Dropping
    /// the answer's receiver ends the plugin.
    LogIn {
        /// Cluster.
        cluster: ClusterId,
        /// What the plugin says on stderr, as it comes.
        said: mpsc::UnboundedSender<Vec<u8>>,
        /// Whether there is a credential now, or why there is none.
        answer: oneshot::Sender<Result<(), Cause>>,
    },
    /// The configuration changed: connect what is new, drop what is gone, keep what is the same.
    Reload(Arc<Settings>),
    /// Write snapshots now. The engine has no rows: the owner of the store answers this with [`snapshot::Saver`].
    Snapshot,
}

/// A running engine. Dropping it ends every task.
#[derive(Debug)]
pub struct Engine {
    /// For questions.
    pub asks: mpsc::Sender<Ask>,
    /// What the person should know about how it runs (no place for the fingerprint key, say).
    pub notes: Vec<String>,
}

/// Starts the engine on the current tokio runtime. Deltas come in batches through a bounded channel: when the owner is
/// busy the watches wait, and nothing is lost.
pub fn start(settings: Arc<Settings>, kinds: KindSet, options: Options) -> (Engine, mpsc::Receiver<Vec<Delta>>) {
    let (asks, questions) = mpsc::channel(64);
    let (out, deltas) = mpsc::channel(256);
    // Without a folder (tests) nothing is kept, and nobody expects it to be.
    let is_kept = !settings.paths.state.as_os_str().is_empty();
    let (key, note) =
        if is_kept { FingerprintKey::load(&settings.paths.state) } else { (FingerprintKey::random(), None) };
    let is_cached = options.cache && settings.cache && !settings.paths.cache.as_os_str().is_empty();
    let mut shared = connect::Shared::new(&options.env);
    if let Some(program) = &options.launcher {
        shared.detach_through(program.clone());
    }
    let fleet = Fleet {
        shared: Arc::new(shared),
        connecting: Semaphore::new(options.connecting.max(1)),
        restoring: Semaphore::new(4),
        room: Arc::new(Semaphore::new(context::BYTES_IN_FLIGHT)),
        watched: RwLock::new(watched(&settings, &kinds, &options)),
        kinds,
        key: Arc::new(key),
        snapshots: is_cached.then(|| snapshot::folder(&settings.paths.cache)),
        options,
    };
    tokio::spawn(engine::Hub::new(Arc::new(fleet), out).run(settings, questions));
    (Engine { asks, notes: note.into_iter().collect() }, deltas)
}

/// Kinds to watch in the order in which they are started: what the Fleet screen needs, then workloads and pods, Events
/// last. That is the order of their numbers, but for Events.
fn watched(settings: &Settings, kinds: &KindSet, options: &Options) -> Vec<KindId> {
    for info in &settings.extra_kinds {
        kinds.add(info.clone());
    }
    if !options.only.is_empty() {
        return options.only.clone();
    }
    let is_skipped = |plural: &String| settings.skip_kinds.contains(plural);
    let all = kinds.all().into_iter().filter(|(_, info)| !is_skipped(&info.plural) && !is_skipped(&info.resource()));
    let mut all: Vec<KindId> = all.map(|(id, _)| id).collect();
    all.sort_by_key(|id| (*id == Builtin::Event.id(), *id));
    all
}
