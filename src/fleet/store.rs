//! The store: one shard per cluster, one table per kind, and the indexes that the views need.

use std::sync::Arc;

use super::{
    delta::Delta,
    inventory::{ClusterRow, Counts},
    matrix::{Cell, CellDetail, ServiceId, ServiceSummary},
    row::Row,
    service::ServiceRules,
};
use crate::model::{ClusterFacts, ClusterId, ClusterRecord, Condition, KindId, KindSet, KindStatus, Millis, ObjectRef};

/// A row's place: valid until the row is deleted; a place that was reused is told apart by its generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowRef {
    /// Cluster.
    pub cluster: ClusterId,
    /// Kind.
    pub kind: KindId,
    /// Slot in the table and its generation (low 8 bits).
    pub slot: u32,
}

/// What an `apply` changed, so that the caller knows what to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Rows added, changed or removed.
    pub rows: u32,
    /// The cluster's state, facts or record changed.
    pub cluster: bool,
}

/// One cluster's part of the store.
#[derive(Debug, Default)]
pub struct Shard {
    /// Declared record.
    pub record: Arc<ClusterRecord>,
    /// State of our view.
    pub condition: Condition,
    /// Facts from probing.
    pub facts: Arc<ClusterFacts>,
    /// State by kind; index = [`KindId`].
    pub kinds: Vec<KindStatus>,
    /// False after the cluster left the fleet.
    pub present: bool,
}

/// The fleet in memory.
#[derive(Debug, Default)]
pub struct Store {
    shards: Vec<Shard>,
    kinds: KindSet,
    version: u64,
}

impl Store {
    /// An empty store.
    pub fn new(kinds: KindSet, _services: ServiceRules) -> Self {
        Self { shards: Vec::new(), kinds, version: 0 }
    }

    /// Takes one delta in. Work is proportional to the delta.
    pub fn apply(&mut self, _delta: Delta) -> Applied {
        self.version += 1;
        Applied::default()
    }

    /// Counts every change; equal versions mean equal content.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Kinds known.
    pub fn kinds(&self) -> &KindSet {
        &self.kinds
    }

    /// Clusters in the fleet, by number.
    pub fn clusters(&self) -> impl Iterator<Item = (ClusterId, &Shard)> {
        self.shards
            .iter()
            .enumerate()
            .filter(|(_, s)| s.present)
            .map(|(i, s)| (ClusterId(u16::try_from(i).unwrap_or(u16::MAX)), s))
    }

    /// One cluster.
    pub fn shard(&self, id: ClusterId) -> Option<&Shard> {
        self.shards.get(id.index()).filter(|s| s.present)
    }

    /// A row; `None` when it is gone.
    pub fn row(&self, _at: RowRef) -> Option<&Row> {
        None
    }

    /// When the row was last confirmed by its server.
    pub fn as_of(&self, _at: RowRef) -> Millis {
        Millis(0)
    }

    /// True when the row comes from the disk snapshot, or its cluster or kind is not live: draw it as stale.
    pub fn is_stale(&self, _at: RowRef) -> bool {
        false
    }

    /// Place of an object.
    pub fn find(&self, _object: &ObjectRef) -> Option<RowRef> {
        None
    }

    /// Full name of a row.
    pub fn object_ref(&self, at: RowRef) -> Option<ObjectRef> {
        let row = self.row(at)?;
        Some(ObjectRef {
            cluster: at.cluster,
            kind: at.kind,
            namespace: row.ns().to_owned(),
            name: row.name.to_string(),
        })
    }

    /// All rows of a kind in a cluster, in no particular order.
    pub fn rows(&self, _cluster: ClusterId, _kind: KindId) -> Box<dyn Iterator<Item = (RowRef, &Row)> + '_> {
        Box::new(std::iter::empty())
    }

    /// Number of rows of a kind in a cluster.
    pub fn count(&self, _cluster: ClusterId, _kind: KindId) -> usize {
        0
    }

    pub(super) fn inventory_row(&self, _id: ClusterId, _now: Millis) -> Option<ClusterRow> {
        None
    }

    pub(super) fn inventory_counts(&self, _now: Millis) -> Counts {
        Counts::default()
    }

    pub(super) fn matrix_services(&mut self) -> &[ServiceSummary] {
        &[]
    }

    pub(super) fn matrix_cell(&self, _service: ServiceId, _cluster: ClusterId) -> Option<Cell> {
        None
    }

    pub(super) fn matrix_detail(&self, _service: ServiceId, _cluster: ClusterId) -> Option<CellDetail> {
        None
    }
}
