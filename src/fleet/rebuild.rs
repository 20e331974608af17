//! Building a list's order anew in slices: rows are visited, filtered and sorted in short runs, then the runs are merged
//! two by two. Rows that change meanwhile are left out; the list puts them in afterwards.

use std::collections::VecDeque;

use hashbrown::HashSet;

use super::{
    RowRef, Store,
    list::Query,
    order::{Entry, Order},
};
use crate::model::{ClusterId, KindId};

/// Rows sorted at once.
const RUN: usize = 4096;
/// Merging a row costs about a quarter of visiting one.
const MERGES_PER_VISIT: usize = 4;

/// A rebuild under way.
#[derive(Debug)]
pub(super) struct Rebuild {
    /// Tables still to be visited, last first.
    tables: Vec<(ClusterId, KindId)>,
    /// Slot to go on with in the current table.
    slot: u32,
    run: Vec<Entry>,
    runs: VecDeque<Vec<Entry>>,
    merging: Option<Merging>,
}

#[derive(Debug)]
struct Merging {
    a: Vec<Entry>,
    b: Vec<Entry>,
    i: usize,
    j: usize,
    out: Vec<Entry>,
}

impl Rebuild {
    pub(super) fn new(store: &Store, query: &Query) -> Self {
        let mut tables: Vec<(ClusterId, KindId)> = store
            .clusters()
            .map(|(id, _)| id)
            .filter(|id| query.clusters.is_empty() || query.clusters.contains(id))
            .flat_map(|id| query.kinds.iter().map(move |k| (id, *k)))
            .collect();
        tables.reverse();
        Self { tables, slot: 0, run: Vec::new(), runs: VecDeque::new(), merging: None }
    }

    /// Works for at most `left` row visits; true when the order is complete.
    pub(super) fn advance(
        &mut self,
        store: &Store,
        query: &Query,
        order: &Order,
        dirty: &HashSet<RowRef>,
        left: &mut usize,
    ) -> bool {
        while let Some((cluster, kind)) = self.tables.last().copied() {
            if *left == 0 {
                return false;
            }
            self.visit(store, query, order, dirty, (cluster, kind), left);
        }
        self.end_run(store, order, dirty);
        while self.merging.is_some() || self.runs.len() > 1 {
            if *left == 0 {
                return false;
            }
            self.merge(store, order, dirty, left);
        }
        true
    }

    /// Visits rows of the current table until it, the run or the budget ends.
    fn visit(
        &mut self,
        store: &Store,
        query: &Query,
        order: &Order,
        dirty: &HashSet<RowRef>,
        (cluster, kind): (ClusterId, KindId),
        left: &mut usize,
    ) {
        let table = store.shard(cluster).and_then(|s| s.table(kind));
        for (slot, place, row) in table.into_iter().flat_map(|t| t.from(self.slot)) {
            let at = RowRef { cluster, kind, slot: place };
            if query.accepts(store, at, row) {
                self.run.push(Entry { key: order.key(store, at, row), at });
            }
            *left -= 1;
            if *left == 0 || self.run.len() == RUN {
                self.slot = slot + 1;
                if self.run.len() == RUN {
                    self.end_run(store, order, dirty);
                }
                return;
            }
        }
        self.tables.pop();
        self.slot = 0;
    }

    fn end_run(&mut self, store: &Store, order: &Order, dirty: &HashSet<RowRef>) {
        if self.run.is_empty() {
            return;
        }
        let mut run = std::mem::take(&mut self.run);
        run.retain(|e| !dirty.contains(&e.at));
        run.sort_unstable_by(|a, b| order.compare(store, a, b));
        self.runs.push_back(run);
    }

    fn merge(&mut self, store: &Store, order: &Order, dirty: &HashSet<RowRef>, left: &mut usize) {
        let mut m = match self.merging.take() {
            Some(m) => m,
            None => {
                let (Some(a), Some(b)) = (self.runs.pop_front(), self.runs.pop_front()) else { return };
                let out = Vec::with_capacity(a.len() + b.len());
                Merging { a, b, i: 0, j: 0, out }
            }
        };
        let mut steps = left.saturating_mul(MERGES_PER_VISIT);
        while steps > 0 {
            steps -= 1;
            // A row that changed since its run was sorted must not decide about its neighbours.
            match (m.a.get(m.i), m.b.get(m.j)) {
                (Some(x), _) if dirty.contains(&x.at) => m.i += 1,
                (_, Some(y)) if dirty.contains(&y.at) => m.j += 1,
                (Some(x), Some(y)) if order.compare(store, x, y).is_le() => {
                    m.out.push(*x);
                    m.i += 1;
                }
                (Some(x), None) => {
                    m.out.push(*x);
                    m.i += 1;
                }
                (_, Some(y)) => {
                    m.out.push(*y);
                    m.j += 1;
                }
                (None, None) => {
                    self.runs.push_back(m.out);
                    *left = steps / MERGES_PER_VISIT;
                    return;
                }
            }
        }
        *left = 0;
        self.merging = Some(m);
    }

    /// The first rows that are ready, in their run's order.
    pub(super) fn preview(&self) -> &[Entry] {
        self.runs.front().map_or(&self.run, Vec::as_slice)
    }

    /// The complete order.
    pub(super) fn finish(mut self) -> Vec<Entry> {
        self.runs.pop_front().unwrap_or_default()
    }
}
