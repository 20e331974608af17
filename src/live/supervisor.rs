//! One task per cluster, and the one above it that outlives its panics.

use std::{
    path::PathBuf,
    sync::{Arc, RwLock},
};

use tokio::{
    sync::{Mutex, Semaphore, mpsc, oneshot},
    task::{JoinError, JoinSet},
};

use super::{
    HubPolicies, Options, cluster::Cluster, connect, context::now, decode::fingerprint::FingerprintKey, pace::Backoff,
};
use crate::{
    config::kubeconfig::Access,
    fleet::delta::Delta,
    model::{Cause, CauseCode, ClusterId, ClusterRecord, ClusterState, Condition, KindId, KindSet, ObjectRef},
};

/// What all clusters of the engine share.
#[derive(Debug)]
pub struct Fleet {
    /// Credential plugins, trust store, proxies.
    pub shared: Arc<connect::Shared>,
    /// Clusters that connect at the same time.
    pub connecting: Semaphore,
    /// Snapshots that are read at the same time.
    pub restoring: Semaphore,
    /// Room for list bodies.
    pub room: Arc<Semaphore>,
    /// Kinds known.
    pub kinds: KindSet,
    /// Kinds watched, in the order in which they are started.
    pub watched: RwLock<Vec<KindId>>,
    /// How the engine behaves.
    pub options: Options,
    /// Key of the fingerprints.
    pub key: Arc<FingerprintKey>,
    /// Where snapshots lie; `None` = not used.
    pub snapshots: Option<PathBuf>,
}

/// One cluster as the configuration has it now.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Number.
    pub id: ClusterId,
    /// Record.
    pub record: Arc<ClusterRecord>,
    /// How to reach it, or why that cannot be known.
    pub access: Result<Arc<Access>, String>,
    /// Namespace to fall back to; empty = none.
    pub namespace: String,
}

/// What the engine tells the task of one cluster.
#[derive(Debug)]
pub enum Order {
    /// Read one object.
    Fetch {
        /// Object.
        object: ObjectRef,
        /// Keep managedFields.
        managed_fields: bool,
        /// Where the answer goes.
        answer: oneshot::Sender<Result<serde_json::Value, Cause>>,
    },
    /// Read the policies of a hub.
    Policies {
        /// Where the answer goes.
        answer: oneshot::Sender<Result<HubPolicies, Cause>>,
    },
    /// The set of watched kinds grew.
    Kinds,
    /// Connect anew, at once.
    Reconnect,
    /// A person has logged in with the credential plugin of this cluster: connect anew if that is what was missing.
    LoggedIn,
    /// The configuration of this cluster changed.
    Plan(Box<Plan>),
}

/// Runs the task of one cluster and starts it again when it panics.
pub async fn supervise(fleet: Arc<Fleet>, plan: Plan, out: mpsc::Sender<Vec<Delta>>, orders: mpsc::Receiver<Order>) {
    let orders = Arc::new(Mutex::new(orders));
    let plan = Arc::new(std::sync::Mutex::new(plan));
    let mut backoff = Backoff::new(1.0, 30.0);
    let mut is_first = true;
    loop {
        // A set, so that the task ends with its supervisor.
        let mut task = JoinSet::new();
        let cluster = Cluster::new(Arc::clone(&fleet), Arc::clone(&plan), out.clone(), is_first);
        let orders = Arc::clone(&orders);
        task.spawn(async move { cluster.run(orders.lock_owned().await).await });
        is_first = false;
        let Some(Err(error)) = task.join_next().await else { return };
        if !error.is_panic() {
            return;
        }
        let id = plan.lock().unwrap_or_else(std::sync::PoisonError::into_inner).id;
        let condition = Condition {
            state: ClusterState::Unreachable,
            since: now(),
            cause: Some(Cause::new(CauseCode::Internal, panic_text(error))),
            ..Condition::default()
        };
        if out.send(vec![Delta::Condition(id, condition)]).await.is_err() {
            return;
        }
        tokio::time::sleep(backoff.next()).await;
    }
}

/// The words of a panic.
pub fn panic_text(error: JoinError) -> String {
    let Ok(payload) = error.try_into_panic() else { return String::from("the task was ended") };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().map_or_else(|| String::from("panic"), |t| (*t).to_owned()),
    }
}
