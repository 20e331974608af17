//! Virtual lists: one kind merged over all chosen clusters, filtered and sorted, kept up to date incrementally.
//!
//! A list holds references and packed sort keys only (16 bytes a row). Long sorts and filters are done in slices so that a
//! key never waits: [`ObjectList::step`] works for at most the given number of rows and the old order stays on the screen
//! until the new one is complete.

use std::borrow::Cow;

use hashbrown::HashSet;

pub use super::columns::{Column, SortKey, age_of, bytes_text, cell_text, column_sort_key, columns, note, reason};
use super::{
    RowRef, Store,
    columns::field,
    filter::Filter,
    order::{Entry, Order},
    rebuild::Rebuild,
    row::Row,
};
use crate::model::{ClusterId, Health, KindId};

/// Order of a list. Ties are broken by cluster, namespace, name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Worst health first, then name.
    #[default]
    Risk,
    /// By namespace and name.
    Name,
    /// By cluster.
    Cluster,
    /// Youngest first.
    Age,
    /// By a column of the kind (its key in `list::columns`).
    Column(String),
}

/// What a list shows.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Kinds; usually one.
    pub kinds: Vec<KindId>,
    /// Clusters; empty = all.
    pub clusters: Vec<ClusterId>,
    /// Namespace; empty = all.
    pub namespace: String,
    /// Filter.
    pub filter: Filter,
    /// Order.
    pub sort: Sort,
    /// Reverse order.
    pub reverse: bool,
    /// Only objects that are not well.
    pub problems_only: bool,
}

impl Query {
    /// Whether rows of this table belong to the list at all.
    fn covers(&self, at: RowRef) -> bool {
        self.kinds.contains(&at.kind) && (self.clusters.is_empty() || self.clusters.contains(&at.cluster))
    }

    /// Whether a row passes namespace, problems and filter.
    pub(super) fn accepts(&self, store: &Store, at: RowRef, row: &Row) -> bool {
        (self.namespace.is_empty() || row.ns() == self.namespace)
            && (!self.problems_only || row.health >= Health::Unknown)
            && matches(store, &self.filter, at, row)
    }
}

/// Whether a row passes a filter: bare words match name, namespace, cluster, reason and node.
pub fn matches(store: &Store, filter: &Filter, at: RowRef, row: &Row) -> bool {
    if filter.is_empty() {
        return true;
    }
    let cluster = store.shard(at.cluster).map_or("", |s| &*s.record.name);
    let node = row.pod().map_or("", |p| &*p.node);
    let bare = [row.name.as_str(), row.ns(), cluster, reason(row).unwrap_or(""), node];
    let text = |key: &str| field(store, at, row, key).map(Cow::into_owned);
    filter.matches(&bare, &text, &|key| row.label(key).map(str::to_owned))
}

/// A merged, sorted, filtered list.
#[derive(Debug, Default)]
pub struct ObjectList {
    query: Query,
    order: Order,
    rows: Vec<RowRef>,
    /// Sort key of each row, beside it.
    keys: Vec<u64>,
    total: usize,
    /// Number of the next change that was not looked at; `None` before the first step.
    seen: Option<u64>,
    fleet_version: u64,
    /// Rows that changed and are not in their new place yet.
    dirty: HashSet<RowRef>,
    rebuild: Option<Rebuild>,
}

impl ObjectList {
    /// A list for a query; empty until [`ObjectList::step`] has run.
    pub fn new(query: Query) -> Self {
        Self { query, ..Self::default() }
    }

    /// The query.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// Rows in order. A row may be gone by the next [`ObjectList::step`]; draw nothing for it.
    pub fn rows(&self) -> &[RowRef] {
        &self.rows
    }

    /// Objects of the kinds in the chosen clusters (and namespace) before the filter.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Objects shown.
    pub fn shown(&self) -> usize {
        self.rows.len()
    }

    /// True while a new order is being prepared.
    pub fn is_busy(&self) -> bool {
        self.rebuild.is_some() || !self.dirty.is_empty()
    }

    /// Position of an object's row, if the list shows it. Walks the list.
    pub fn position(&self, at: RowRef) -> Option<usize> {
        self.rows.iter().position(|r| *r == at)
    }

    /// Takes in what changed in the store since the last call, and goes on with a rebuild that is under way, for at most
    /// `budget` row visits. True when there is nothing left to do.
    pub fn step(&mut self, store: &Store, budget: usize) -> bool {
        let mut left = budget.max(1);
        self.total = self.count(store);
        if self.seen.is_none() || self.fleet_version != store.fleet_version() {
            self.begin(store);
        } else {
            self.take_changes(store);
        }
        if let Some(mut rebuild) = self.rebuild.take() {
            if rebuild.advance(store, &self.query, &self.order, &self.dirty, &mut left) {
                self.install(rebuild.finish());
            } else {
                if self.rows.is_empty() {
                    self.preview(rebuild.preview());
                }
                self.rebuild = Some(rebuild);
            }
        }
        if self.rebuild.is_none() {
            self.merge(store, left);
        } else {
            self.drop_gone(store);
        }
        !self.is_busy()
    }

    /// Changes filter, order or clusters; the old rows stay until the new order is ready.
    pub fn set_query(&mut self, query: Query) {
        self.query = query;
        self.seen = None;
    }

    fn count(&self, store: &Store) -> usize {
        let chosen = |id: ClusterId| self.query.clusters.is_empty() || self.query.clusters.contains(&id);
        let of = |id, kind| {
            if self.query.namespace.is_empty() {
                store.count(id, kind)
            } else {
                store.count_in(id, kind, &self.query.namespace)
            }
        };
        store
            .clusters()
            .filter(|(id, _)| chosen(*id))
            .map(|(id, _)| self.query.kinds.iter().map(|k| of(id, *k)).sum::<usize>())
            .sum()
    }

    fn begin(&mut self, store: &Store) {
        self.order = Order::new(store, &self.query);
        self.seen = Some(store.next_change());
        self.fleet_version = store.fleet_version();
        self.dirty.clear();
        self.rebuild = Some(Rebuild::new(store, &self.query));
    }

    fn take_changes(&mut self, store: &Store) {
        let Some(changes) = self.seen.and_then(|seen| store.changes_since(seen)) else {
            self.begin(store);
            return;
        };
        self.dirty.extend(changes.filter(|at| self.query.covers(*at)));
        self.seen = Some(store.next_change());
    }

    fn install(&mut self, entries: Vec<Entry>) {
        self.rows.clear();
        self.keys.clear();
        self.rows.extend(entries.iter().map(|e| e.at));
        self.keys.extend(entries.iter().map(|e| e.key));
    }

    /// Something to look at while a first build runs: its rows so far, out of the final order.
    fn preview(&mut self, entries: &[Entry]) {
        self.rows.extend(entries.iter().map(|e| e.at));
        self.keys.extend(entries.iter().map(|e| e.key));
    }

    fn drop_gone(&mut self, store: &Store) {
        if self.dirty.iter().any(|at| store.row(*at).is_none()) {
            let gone = |at: &RowRef| store.row(*at).is_none();
            let dirty = &self.dirty;
            retain_both(&mut self.rows, &mut self.keys, |at| !(dirty.contains(at) && gone(at)));
        }
    }

    /// Moves changed rows to their places: out of the old order, sorted among themselves, merged in. Rows that are gone
    /// all leave at once; of the others at most `budget` are moved, except where the order compares live texts.
    fn merge(&mut self, store: &Store, budget: usize) {
        if self.dirty.is_empty() {
            return;
        }
        let all = self.order.is_live_text() || self.dirty.len() <= budget;
        let mut room = budget;
        let mut moved: HashSet<RowRef> = HashSet::new();
        self.dirty.retain(|at| {
            let take = all || store.row(*at).is_none() || room > 0;
            if take {
                room = room.saturating_sub(1);
                moved.insert(*at);
            }
            !take
        });
        let marks = Marks::of(&moved);
        retain_both(&mut self.rows, &mut self.keys, |at| !(marks.may_hold(at) && moved.contains(at)));
        let mut fresh: Vec<Entry> = Vec::with_capacity(moved.len());
        for at in moved {
            if let Some(row) = store.row(at).filter(|row| self.query.accepts(store, at, row)) {
                fresh.push(Entry { key: self.order.key(store, at, row), at });
            }
        }
        fresh.sort_unstable_by(|a, b| self.order.compare(store, a, b));
        self.insert_sorted(store, &fresh);
    }

    fn insert_sorted(&mut self, store: &Store, fresh: &[Entry]) {
        let mut places = Vec::with_capacity(fresh.len());
        let mut from = 0;
        for entry in fresh {
            from += self.place(store, from, entry);
            places.push(from);
        }
        let mut end = self.rows.len();
        let Some(first) = fresh.first() else { return };
        self.rows.resize(end + fresh.len(), first.at);
        self.keys.resize(end + fresh.len(), first.key);
        // From the back, so that every block moves once.
        for (n, (entry, place)) in fresh.iter().zip(&places).enumerate().rev() {
            self.rows.copy_within(*place..end, place + n + 1);
            self.keys.copy_within(*place..end, place + n + 1);
            self.rows[place + n] = entry.at;
            self.keys[place + n] = entry.key;
            end = *place;
        }
    }

    /// How many rows from `from` on come before `entry`.
    fn place(&self, store: &Store, from: usize, entry: &Entry) -> usize {
        let (mut low, mut high) = (from, self.rows.len());
        while low < high {
            let mid = usize::midpoint(low, high);
            let other = Entry { key: self.keys[mid], at: self.rows[mid] };
            if self.order.compare(store, &other, entry).is_lt() { low = mid + 1 } else { high = mid }
        }
        low - from
    }
}

/// A coarse set that answers "surely not" in an instruction or two: most rows of a long list did not change.
struct Marks(Vec<u64>);

impl Marks {
    const BITS: u32 = 1 << 16;

    fn of(rows: &HashSet<RowRef>) -> Self {
        let mut bits = vec![0; Self::BITS as usize / 64];
        for at in rows {
            let bit = Self::bit(at);
            bits[bit / 64] |= 1 << (bit % 64);
        }
        Self(bits)
    }

    fn bit(at: &RowRef) -> usize {
        let mixed = (at.slot >> 8) ^ u32::from(at.cluster.0).wrapping_mul(0x9e37);
        (mixed % Self::BITS) as usize
    }

    fn may_hold(&self, at: &RowRef) -> bool {
        let bit = Self::bit(at);
        self.0[bit / 64] & (1 << (bit % 64)) != 0
    }
}

/// Keeps the rows that `keep` wants, and their keys.
fn retain_both(rows: &mut Vec<RowRef>, keys: &mut Vec<u64>, keep: impl Fn(&RowRef) -> bool) {
    let Some(first) = rows.iter().position(|at| !keep(at)) else { return };
    let mut to = first;
    for from in first + 1..rows.len() {
        if keep(&rows[from]) {
            rows[to] = rows[from];
            keys[to] = keys[from];
            to += 1;
        }
    }
    rows.truncate(to);
    keys.truncate(to);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        fleet::{
            delta::Delta,
            testing::{POD, delete, pod, store, upserts},
        },
        model::{Builtin, Secs},
    };

    fn query(sort: Sort) -> Query {
        Query { kinds: vec![POD], sort, ..Query::default() }
    }

    fn shown(store: &Store, list: &ObjectList) -> Vec<String> {
        list.rows().iter().map(|at| store.row(*at).unwrap().name.to_string()).collect()
    }

    fn finish(list: &mut ObjectList, store: &Store, budget: usize) {
        for _ in 0..100_000 {
            if list.step(store, budget) {
                return;
            }
        }
        panic!("the list never got ready");
    }

    #[test]
    fn worst_first_over_all_clusters_and_kept_so() {
        let mut store = store(&["east", "west"]);
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "b", Health::Ok), pod("x", "c", Health::Bad)]));
        store.apply(upserts(1, Builtin::Pod, vec![pod("x", "a", Health::Ok), pod("x", "d", Health::Warn)]));
        let mut list = ObjectList::new(query(Sort::Risk));
        finish(&mut list, &store, 100);
        assert_eq!(shown(&store, &list), ["c", "d", "a", "b"]);
        let healed = Row { version: 2, ..pod("x", "c", Health::Ok) };
        store.apply(upserts(0, Builtin::Pod, vec![healed, pod("x", "e", Health::Bad)]));
        store.apply(delete(1, Builtin::Pod, "x", "d"));
        finish(&mut list, &store, 100);
        assert_eq!(shown(&store, &list), ["e", "a", "b", "c"]);
        assert_eq!((list.total(), list.shown()), (4, 4));
        list.set_query(Query { problems_only: true, ..query(Sort::Risk) });
        assert_eq!(list.rows().len(), 4, "the old order stays until the new one is ready");
        finish(&mut list, &store, 100);
        assert_eq!(shown(&store, &list), ["e"]);
        assert_eq!(list.total(), 4);
        store.apply(Delta::Gone(ClusterId(0)));
        finish(&mut list, &store, 100);
        assert_eq!((list.total(), list.shown()), (1, 0));
    }

    #[derive(Clone, Debug)]
    enum Op {
        Put(u16, u8, u8, u8),
        Delete(u16, u8),
        Relist(u16, u8),
        Step(usize),
        Sort(usize),
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            5 => (0u16..3, 0u8..40, 0u8..6, 0u8..4).prop_map(|(c, n, h, r)| Op::Put(c, n, h, r)),
            2 => (0u16..3, 0u8..40).prop_map(|(c, n)| Op::Delete(c, n)),
            1 => (0u16..3, 0u8..40).prop_map(|(c, n)| Op::Relist(c, n)),
            4 => (1usize..12).prop_map(Op::Step),
            1 => (0usize..7).prop_map(Op::Sort),
        ]
    }

    fn sorts(n: usize) -> Query {
        let column = |key: &str| Sort::Column(key.to_owned());
        let all =
            [Sort::Risk, Sort::Name, Sort::Cluster, Sort::Age, column("restarts"), column("node"), column("status")];
        Query { reverse: n % 2 == 1, ..query(all[n % 7].clone()) }
    }

    fn made(n: u8, health: u8, rest: u8, version: u64) -> Row {
        use crate::fleet::row::Detail;
        const ALL: [Health; 6] = [Health::Ok, Health::Idle, Health::Busy, Health::Unknown, Health::Warn, Health::Bad];
        let mut row = pod(
            if n.is_multiple_of(2) { "even" } else { "odd" },
            &format!("a-long-name-{n}"),
            ALL[usize::from(health)],
        );
        row.version = version;
        row.created = Secs(1_700_000_000 + u32::from(rest));
        if let Detail::Pod(p) = &mut row.detail {
            p.restarts = u32::from(rest);
            p.node = format!("a-node-of-the-fleet-{rest}").into();
        }
        row
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn following_changes_gives_what_building_anew_gives(ops in proptest::collection::vec(op(), 1..120)) {
            let mut store = store(&["zeta", "alpha", "mid"]);
            let mut list = ObjectList::new(sorts(0));
            let mut version = 1;
            for op in ops {
                version += 1;
                match op {
                    Op::Put(c, n, h, r) => drop(store.apply(upserts(c, Builtin::Pod, vec![made(n, h, r, version)]))),
                    Op::Delete(c, n) => {
                        let ns = if n.is_multiple_of(2) { "even" } else { "odd" };
                        store.apply(delete(c, Builtin::Pod, ns, &format!("a-long-name-{n}")));
                    }
                    Op::Relist(c, n) => {
                        store.apply(Delta::ListBegin(ClusterId(c), POD));
                        store.apply(upserts(c, Builtin::Pod, vec![made(n, 0, 0, version), made(n + 1, 5, 1, version)]));
                        store.apply(Delta::ListDone(ClusterId(c), POD));
                    }
                    Op::Step(budget) => drop(list.step(&store, budget)),
                    Op::Sort(n) => list.set_query(sorts(n)),
                }
            }
            finish(&mut list, &store, 7);
            let mut anew = ObjectList::new(list.query().clone());
            finish(&mut anew, &store, 1_000_000);
            prop_assert_eq!(list.rows(), anew.rows());
            let total: usize = (0..3).map(|c| store.count(ClusterId(c), POD)).sum();
            prop_assert_eq!(anew.rows().len(), total);
            let order = Order::new(&store, anew.query());
            let entry = |at: &RowRef| Entry { key: order.key(&store, *at, store.row(*at).unwrap()), at: *at };
            for pair in anew.rows().windows(2) {
                prop_assert!(order.compare(&store, &entry(&pair[0]), &entry(&pair[1])).is_lt());
            }
        }
    }
}
