//! The store: one shard per cluster, one table per kind, and the indexes that the views need.
//!
//! Everything that is counted or joined is kept up to date row by row while a delta is applied; no view walks the fleet.

use std::sync::Arc;

use super::{
    changes::Changes,
    delta::{Change, Delta},
    row::Row,
    service::ServiceRules,
    services::Services,
    table::{Put, Table},
    tally::Tally,
};
use crate::model::{
    ClusterFacts, ClusterId, ClusterRecord, ClusterState, Condition, KindId, KindSet, KindStatus, Millis, ObjectRef,
    Secs, Uid,
};

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
    /// Counts rows added, changed and removed: equal numbers mean that a snapshot need not be written again.
    pub row_changes: u64,
    tables: Vec<Table>,
    /// Until when each kind's rows were confirmed when the kind stopped being live.
    confirmed: Vec<Millis>,
    pub(super) tally: Tally,
}

impl Shard {
    pub(super) fn table(&self, kind: KindId) -> Option<&Table> {
        self.tables.get(kind.index())
    }

    fn table_mut(&mut self, kind: KindId) -> &mut Table {
        if self.tables.len() <= kind.index() {
            self.tables.resize_with(kind.index() + 1, Table::default);
        }
        &mut self.tables[kind.index()]
    }

    /// State of a kind; `Waiting` when nothing was heard of it.
    pub fn kind(&self, kind: KindId) -> &KindStatus {
        self.kinds.get(kind.index()).unwrap_or(&KindStatus::Waiting)
    }

    /// True when the kind's rows are kept up to date right now.
    pub fn is_kind_live(&self, kind: KindId) -> bool {
        self.is_talking() && matches!(self.kind(kind), KindStatus::Live | KindStatus::Polling)
    }

    /// When the kind's rows were last confirmed as a whole, or last received.
    pub fn confirmed_at(&self, kind: KindId) -> Millis {
        if self.is_kind_live(kind) {
            return self.condition.heard;
        }
        let received = self.table(kind).map_or(Secs(0), Table::newest);
        self.confirmed.get(kind.index()).copied().unwrap_or_default().max(Millis::from(received))
    }

    /// True while the cluster answers.
    pub fn is_talking(&self) -> bool {
        matches!(self.condition.state, ClusterState::Live | ClusterState::Syncing)
    }

    fn set_kind(&mut self, kind: KindId, status: KindStatus) {
        if self.is_kind_live(kind) {
            self.confirm(kind);
        }
        if self.kinds.len() <= kind.index() {
            self.kinds.resize(kind.index() + 1, KindStatus::Waiting);
        }
        self.kinds[kind.index()] = status;
    }

    fn confirm(&mut self, kind: KindId) {
        if self.confirmed.len() <= kind.index() {
            self.confirmed.resize(kind.index() + 1, Millis(0));
        }
        self.confirmed[kind.index()] = self.condition.heard;
    }

    fn set_condition(&mut self, mut condition: Condition) {
        // What a snapshot says was heard stays so until something newer is.
        condition.heard = condition.heard.max(self.condition.heard);
        let was_talking = self.is_talking();
        // What was live until now is confirmed until it was last heard of.
        if was_talking {
            self.condition.heard = condition.heard;
            for k in (0..self.kinds.len()).filter_map(|k| u16::try_from(k).ok()).map(KindId) {
                if self.is_kind_live(k) {
                    self.confirm(k);
                }
            }
        }
        self.condition = condition;
    }
}

/// The fleet in memory.
#[derive(Debug, Default)]
pub struct Store {
    pub(super) shards: Vec<Shard>,
    kinds: KindSet,
    version: u64,
    /// Changes when the set or the records of clusters change.
    fleet_version: u64,
    changes: Changes,
    now: Millis,
    pub(super) services: Services,
}

impl Store {
    /// An empty store.
    pub fn new(kinds: KindSet, services: ServiceRules) -> Self {
        Self { kinds, services: Services::new(services), ..Self::default() }
    }

    /// Takes one delta in. Work is proportional to the delta.
    pub fn apply(&mut self, delta: Delta) -> Applied {
        let applied = match delta {
            Delta::Record(id, record) => self.set_record(id, record),
            Delta::Gone(id) => self.drop_cluster(id),
            Delta::Condition(id, condition) => {
                self.now = self.now.max(condition.heard);
                let shard = self.shard_mut(id);
                // A sign of life alone changes ages, which a screen draws anew anyway, and nothing else.
                let changed = Condition { heard: shard.condition.heard, ..condition.clone() } != shard.condition;
                shard.set_condition(condition);
                Applied { rows: 0, cluster: changed }
            }
            Delta::Facts(id, facts) => {
                let shard = self.shard_mut(id);
                let changed = shard.facts != facts;
                shard.facts = facts;
                Applied { rows: 0, cluster: changed }
            }
            Delta::Kind(id, kind, status) => {
                let shard = self.shard_mut(id);
                let changed = *shard.kind(kind) != status;
                shard.set_kind(kind, status);
                Applied { rows: 0, cluster: changed }
            }
            Delta::ListBegin(id, kind) => {
                self.shard_mut(id).table_mut(kind).list_begin();
                Applied::default()
            }
            Delta::ListDone(id, kind) => self.list_done(id, kind),
            Delta::Rows { cluster, kind, changes, at } => {
                self.now = self.now.max(at);
                let rows = changes.into_iter().map(|c| u32::from(self.apply_change(cluster, kind, c, at.secs()))).sum();
                Applied { rows, cluster: false }
            }
            Delta::Restored { cluster, kind, rows, at } => {
                let shard = self.shard_mut(cluster);
                shard.condition.heard = shard.condition.heard.max(at);
                let rows = rows.into_iter().map(|r| u32::from(self.put(cluster, kind, r, at.secs(), true))).sum();
                Applied { rows, cluster: false }
            }
        };
        if applied != Applied::default() {
            self.version += 1;
        }
        applied
    }

    fn set_record(&mut self, id: ClusterId, record: Arc<ClusterRecord>) -> Applied {
        let shard = self.shard_mut(id);
        let changed = !shard.present || shard.record != record;
        shard.record = record;
        shard.present = true;
        if changed {
            self.fleet_version += 1;
        }
        Applied { rows: 0, cluster: changed }
    }

    fn drop_cluster(&mut self, id: ClusterId) -> Applied {
        let Some(shard) = self.shards.get_mut(id.index()).filter(|s| s.present) else { return Applied::default() };
        let rows = shard.tables.iter().map(Table::len).sum::<usize>();
        *shard = Shard::default();
        self.services.drop_cluster(id);
        self.fleet_version += 1;
        Applied { rows: u32::try_from(rows).unwrap_or(u32::MAX), cluster: true }
    }

    fn list_done(&mut self, cluster: ClusterId, kind: KindId) -> Applied {
        let gone = self.shard_mut(cluster).table_mut(kind).list_done();
        let rows = u32::try_from(gone.len()).unwrap_or(u32::MAX);
        for (slot, row) in gone {
            self.changed(RowRef { cluster, kind, slot }, Some(&row), false);
        }
        Applied { rows, cluster: false }
    }

    fn apply_change(&mut self, cluster: ClusterId, kind: KindId, change: Change, at: Secs) -> bool {
        match change {
            Change::Upsert(row) => self.put(cluster, kind, row, at, false),
            Change::Delete { namespace, name } => {
                let Some((slot, row)) = self.shard_mut(cluster).table_mut(kind).remove(&namespace, &name) else {
                    return false;
                };
                self.changed(RowRef { cluster, kind, slot }, Some(&row), false);
                true
            }
        }
    }

    fn put(&mut self, cluster: ClusterId, kind: KindId, row: Row, at: Secs, restored: bool) -> bool {
        let Put { slot, changed, old } = self.shard_mut(cluster).table_mut(kind).put(row, at, restored);
        if changed {
            self.changed(RowRef { cluster, kind, slot }, old.as_ref(), true);
        }
        changed
    }

    /// Brings the counters, the joins and the log up to date with one row: `old` is what was there, and with `exists` the
    /// new row lies in the table already.
    fn changed(&mut self, at: RowRef, old: Option<&Row>, exists: bool) {
        self.changes.push(at);
        let Some(shard) = self.shards.get_mut(at.cluster.index()) else { return };
        let Shard { tables, tally, row_changes, .. } = shard;
        *row_changes += 1;
        let new = if exists { tables.get(at.kind.index()).and_then(|t| t.get(at.slot)) } else { None };
        if let Some(old) = old {
            tally.remove(at.kind, at.slot, old);
        }
        if let Some(new) = new {
            tally.add(at.kind, at.slot, new);
        }
        let Some(shard) = self.shards.get(at.cluster.index()) else { return };
        let new = if exists { shard.table(at.kind).and_then(|t| t.get(at.slot)) } else { None };
        self.services.changed(shard, at, old, new);
    }

    fn shard_mut(&mut self, id: ClusterId) -> &mut Shard {
        if self.shards.len() <= id.index() {
            self.shards.resize_with(id.index() + 1, Shard::default);
        }
        &mut self.shards[id.index()]
    }

    /// Counts every change; equal versions mean equal content (signs of life aside).
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Counts changes of the set of clusters and of their records.
    pub fn fleet_version(&self) -> u64 {
        self.fleet_version
    }

    /// Latest time seen in any delta, or told by [`Store::tick`]: the "now" of ages in lists and filters.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Tells the time. Never goes back.
    pub fn tick(&mut self, now: Millis) {
        self.now = self.now.max(now);
    }

    /// Number that the next change will have; see [`Store::changes_since`].
    pub fn next_change(&self) -> u64 {
        self.changes.next()
    }

    /// Places of rows changed from number `seen` on, oldest first, with repetitions; a place without a row was a
    /// deletion. `None` when the log does not reach back so far: build anew.
    pub fn changes_since(&self, seen: u64) -> Option<impl Iterator<Item = RowRef> + '_> {
        self.changes.since(seen)
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
    pub fn row(&self, at: RowRef) -> Option<&Row> {
        self.shards.get(at.cluster.index())?.table(at.kind)?.get(at.slot)
    }

    /// When the row was last confirmed by its server: now for what is watched, the end of the watch for what no longer
    /// is, the time of the snapshot for what was restored.
    pub fn as_of(&self, at: RowRef) -> Millis {
        let Some(shard) = self.shards.get(at.cluster.index()) else { return Millis(0) };
        let Some(table) = shard.table(at.kind) else { return Millis(0) };
        let received = Millis::from(table.received(at.slot));
        if table.is_restored(at.slot) {
            return received;
        }
        let confirmed = shard.confirmed.get(at.kind.index()).copied().unwrap_or_default();
        let heard = if shard.is_kind_live(at.kind) { shard.condition.heard } else { confirmed };
        received.max(heard)
    }

    /// True when the row comes from the disk snapshot, or its cluster or kind is not live: draw it as stale.
    pub fn is_stale(&self, at: RowRef) -> bool {
        let Some(shard) = self.shards.get(at.cluster.index()) else { return true };
        let Some(table) = shard.table(at.kind) else { return true };
        if table.is_restored(at.slot) || !shard.is_talking() {
            return true;
        }
        match shard.kind(at.kind) {
            KindStatus::Live | KindStatus::Polling => false,
            // While a list runs, what it named already is fresh.
            KindStatus::Listing { .. } | KindStatus::Waiting => !table.is_seen(at.slot),
            KindStatus::Stale(_) | KindStatus::Forbidden(_) | KindStatus::NotServed | KindStatus::Failing(_) => true,
        }
    }

    /// Place of an object.
    pub fn find(&self, object: &ObjectRef) -> Option<RowRef> {
        self.find_by(object.cluster, object.kind, &object.namespace, &object.name)
    }

    /// Place of an object, by borrowed parts.
    pub fn find_by(&self, cluster: ClusterId, kind: KindId, namespace: &str, name: &str) -> Option<RowRef> {
        let slot = self.shards.get(cluster.index())?.table(kind)?.find(namespace, name)?;
        Some(RowRef { cluster, kind, slot })
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
    pub fn rows(&self, cluster: ClusterId, kind: KindId) -> Box<dyn Iterator<Item = (RowRef, &Row)> + '_> {
        match self.shards.get(cluster.index()).and_then(|s| s.table(kind)) {
            Some(table) => Box::new(table.iter().map(move |(slot, row)| (RowRef { cluster, kind, slot }, row))),
            None => Box::new(std::iter::empty()),
        }
    }

    /// Rows of a kind whose controlling owner has this uid, in no particular order.
    pub fn owned(&self, cluster: ClusterId, kind: KindId, owner: Uid) -> impl Iterator<Item = (RowRef, &Row)> + '_ {
        let table = self.shards.get(cluster.index()).and_then(|s| s.table(kind));
        table
            .into_iter()
            .flat_map(move |t| t.owned(owner))
            .map(move |(slot, row)| (RowRef { cluster, kind, slot }, row))
    }

    /// Number of rows of a kind in a cluster.
    pub fn count(&self, cluster: ClusterId, kind: KindId) -> usize {
        self.shards.get(cluster.index()).and_then(|s| s.table(kind)).map_or(0, Table::len)
    }

    /// Number of rows of a kind in one namespace of a cluster.
    pub fn count_in(&self, cluster: ClusterId, kind: KindId, namespace: &str) -> usize {
        self.shards.get(cluster.index()).and_then(|s| s.table(kind)).map_or(0, |t| t.len_in(namespace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fleet::testing::{POD, delete, live, owned, pod, store, upserts, workload},
        model::{Builtin, Cause, CauseCode, Health},
    };

    const C: ClusterId = ClusterId(0);

    fn names(store: &Store) -> Vec<String> {
        let mut names: Vec<String> = store.rows(C, POD).map(|(_, r)| r.name.to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_relist_sweeps_what_it_does_not_name() {
        let mut store = store(&["a"]);
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "one", Health::Ok), pod("x", "two", Health::Ok)]));
        let one = store.find_by(C, POD, "x", "one").unwrap();
        store.apply(Delta::ListBegin(C, POD));
        assert_eq!(names(&store), ["one", "two"], "rows stay while the list runs");
        let again = store.apply(upserts(0, Builtin::Pod, vec![pod("x", "one", Health::Ok)]));
        assert_eq!(again.rows, 0, "the same row again is no change");
        let before = store.version();
        assert_eq!(store.apply(Delta::ListDone(C, POD)).rows, 1);
        assert!(store.version() > before);
        assert_eq!(names(&store), ["one"]);
        assert_eq!(store.find_by(C, POD, "x", "one"), Some(one), "places do not move");
    }

    #[test]
    fn a_place_that_is_used_again_is_another_place() {
        let mut store = store(&["a"]);
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "old", Health::Ok)]));
        let old = store.find_by(C, POD, "x", "old").unwrap();
        store.apply(delete(0, Builtin::Pod, "x", "old"));
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "new", Health::Ok)]));
        assert!(store.row(old).is_none());
        assert_eq!(old.slot >> 8, store.find_by(C, POD, "x", "new").unwrap().slot >> 8);
    }

    #[test]
    fn restored_rows_never_replace_and_leave_with_the_first_list() {
        let mut store = store(&["a"]);
        let restore = |rows| Delta::Restored { cluster: C, kind: POD, rows, at: Millis(1_000_000) };
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "both", Health::Bad)]));
        store.apply(restore(vec![pod("x", "both", Health::Ok), pod("x", "snapshot", Health::Ok)]));
        let both = store.find_by(C, POD, "x", "both").unwrap();
        let snapshot = store.find_by(C, POD, "x", "snapshot").unwrap();
        assert_eq!(store.row(both).unwrap().health, Health::Bad);
        assert!(!store.is_stale(both));
        assert!(store.is_stale(snapshot));
        assert_eq!(store.as_of(snapshot), Millis(1_000_000));
        store.apply(Delta::ListBegin(C, POD));
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "both", Health::Bad)]));
        store.apply(Delta::ListDone(C, POD));
        assert_eq!(names(&store), ["both"]);
    }

    #[test]
    fn rows_age_from_the_moment_their_kind_stops_being_live() {
        let mut store = store(&["a"]);
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "one", Health::Ok)]));
        let one = store.find_by(C, POD, "x", "one").unwrap();
        store.apply(Delta::Condition(C, live(1_800_000_060_000)));
        assert_eq!(store.as_of(one), Millis(1_800_000_060_000), "a live watch confirms its rows");
        store.apply(Delta::Kind(C, POD, KindStatus::Stale(Cause::new(CauseCode::Silent, ""))));
        store.apply(Delta::Condition(C, live(1_800_000_120_000)));
        assert!(store.is_stale(one));
        assert_eq!(store.as_of(one), Millis(1_800_000_060_000));
        store.apply(Delta::Kind(C, POD, KindStatus::Live));
        assert!(!store.is_stale(one));
        let stale = Condition { state: ClusterState::Stale, ..live(1_800_000_120_000) };
        store.apply(Delta::Condition(C, stale));
        assert!(store.is_stale(one));
        assert_eq!(store.as_of(one), Millis(1_800_000_120_000));
    }

    #[test]
    fn owners_know_their_rows() {
        let mut store = store(&["a"]);
        let (rs, other) = (workload("x", "rs", "i"), workload("x", "other", "i"));
        let mine = |n: &str| owned(pod("x", n, Health::Ok), "ReplicaSet", &rs);
        store.apply(upserts(0, Builtin::Pod, vec![mine("a"), mine("b"), mine("c"), pod("x", "free", Health::Ok)]));
        let of = |store: &Store, uid| {
            let mut names: Vec<String> = store.owned(C, POD, uid).map(|(_, r)| r.name.to_string()).collect();
            names.sort();
            names
        };
        assert_eq!(of(&store, rs.uid), ["a", "b", "c"]);
        store.apply(delete(0, Builtin::Pod, "x", "a"));
        let moved = Row { version: 2, ..owned(pod("x", "b", Health::Ok), "ReplicaSet", &other) };
        store.apply(upserts(0, Builtin::Pod, vec![moved]));
        assert_eq!(of(&store, rs.uid), ["c"]);
        assert_eq!(of(&store, other.uid), ["b"]);
        assert!(of(&store, Uid(0)).is_empty());
        store.apply(delete(0, Builtin::Pod, "x", "c"));
        assert!(of(&store, rs.uid).is_empty());
    }

    #[test]
    fn a_cluster_that_left_takes_its_rows_along() {
        let mut store = store(&["a", "b"]);
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "one", Health::Ok)]));
        store.apply(Delta::Gone(C));
        assert_eq!((store.clusters().count(), store.count(C, POD)), (1, 0));
    }
}
