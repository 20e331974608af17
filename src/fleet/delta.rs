//! What watch tasks tell the owner of the store. A delta names its cluster; within one (cluster, kind) deltas arrive in order.

use std::sync::Arc;

use super::row::Row;
use crate::model::{ClusterFacts, ClusterId, ClusterRecord, Condition, KindId, KindStatus, Millis};

/// One step of news from one cluster.
#[derive(Clone, Debug)]
pub enum Delta {
    /// A cluster appeared in the fleet (or its record changed): kubeconfig or fleet file were re-read.
    Record(ClusterId, Arc<ClusterRecord>),
    /// A cluster left the fleet.
    Gone(ClusterId),
    /// The state of our view changed, or something was heard (`Condition::heard`).
    Condition(ClusterId, Condition),
    /// Probing or discovery found something out.
    Facts(ClusterId, Arc<ClusterFacts>),
    /// The state of one watched kind changed.
    Kind(ClusterId, KindId, KindStatus),
    /// A fresh list begins. Rows stay; those that the list does not name again are swept by `ListDone`.
    ListBegin(ClusterId, KindId),
    /// The list is complete: rows not seen since `ListBegin` are gone.
    ListDone(ClusterId, KindId),
    /// Objects added, changed or deleted, in order.
    Rows {
        /// Cluster.
        cluster: ClusterId,
        /// Kind.
        kind: KindId,
        /// Changes in the order in which the server sent them.
        changes: Vec<Change>,
        /// When they were received.
        at: Millis,
    },
    /// Rows from the last snapshot on disk; never replaces rows that came from a server.
    Restored {
        /// Cluster.
        cluster: ClusterId,
        /// Kind.
        kind: KindId,
        /// The rows.
        rows: Vec<Row>,
        /// When the snapshot was true.
        at: Millis,
    },
}

/// One object's change.
#[derive(Clone, Debug)]
pub enum Change {
    /// Added or modified: the whole new row.
    Upsert(Row),
    /// Deleted.
    Delete {
        /// Namespace, empty for cluster-scoped kinds.
        namespace: Arc<str>,
        /// Name.
        name: compact_str::CompactString,
    },
}
