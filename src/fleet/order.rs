//! Order of a list: a packed key per row that decides nearly every comparison, and the full comparison behind it.
//!
//! Behind the key only a row's name, namespace and cluster are compared, which never change while the row lives (and, for
//! a column of texts, the column): so a list stays sorted while other rows change.

use std::cmp::Ordering;

use super::{
    RowRef, Store,
    columns::{SortKey, plain, sort_key},
    list::{Query, Sort},
    row::Row,
};
use crate::model::ClusterId;

/// A row with its packed key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Key.
    pub(super) key: u64,
    /// Row.
    pub(super) at: RowRef,
}

/// How to order, and the rank of each cluster's name.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    sort: Sort,
    reverse: bool,
    ranks: Vec<u16>,
}

impl Order {
    pub(super) fn new(store: &Store, query: &Query) -> Self {
        let mut named: Vec<(&str, ClusterId)> = store.clusters().map(|(id, s)| (&*s.record.name, id)).collect();
        named.sort_unstable();
        let mut ranks = vec![u16::MAX; named.iter().map(|(_, id)| id.index() + 1).max().unwrap_or(0)];
        for (rank, (_, id)) in named.iter().enumerate() {
            ranks[id.index()] = u16::try_from(rank).unwrap_or(u16::MAX);
        }
        let sort = match &query.sort {
            Sort::Column(key) => Sort::Column(plain(key)),
            other => other.clone(),
        };
        Self { sort, reverse: query.reverse, ranks }
    }

    fn rank(&self, cluster: ClusterId) -> u16 {
        self.ranks.get(cluster.index()).copied().unwrap_or(u16::MAX)
    }

    /// True when the column's text is compared live, so that no row may change between two comparisons.
    pub(super) fn is_live_text(&self) -> bool {
        matches!(self.sort, Sort::Column(_))
    }

    /// The packed key of a row.
    pub(super) fn key(&self, store: &Store, at: RowRef, row: &Row) -> u64 {
        let turn = |key: u64| if self.reverse { !key } else { key };
        match &self.sort {
            Sort::Risk => {
                let worst = u8::MAX - row.health as u8;
                let worst = if self.reverse { !worst } else { worst };
                (u64::from(worst) << 56) | (prefix(row.name.bytes()) >> 8)
            }
            Sort::Name => turn(prefix(full_name(row))),
            Sort::Cluster => {
                let rank = self.rank(at.cluster);
                let rank = if self.reverse { !rank } else { rank };
                (u64::from(rank) << 48) | (prefix(full_name(row)) >> 16)
            }
            Sort::Age => {
                let age = u32::MAX - row.created.0;
                let age = if self.reverse { !age } else { age };
                (u64::from(age) << 32) | (u64::from(self.rank(at.cluster)) << 16) | (prefix(full_name(row)) >> 48)
            }
            Sort::Column(column) => match sort_key(store, at, row, column) {
                SortKey::Number(n) => turn(n.min(u64::MAX - 1)),
                SortKey::Text(text) => turn(prefix(text.bytes())),
                // Last in either direction.
                SortKey::Missing => u64::MAX,
            },
        }
    }

    /// Compares two rows that exist; a row that is gone comes last.
    pub(super) fn compare(&self, store: &Store, a: &Entry, b: &Entry) -> Ordering {
        a.key.cmp(&b.key).then_with(|| self.compare_rest(store, a.at, b.at))
    }

    fn compare_rest(&self, store: &Store, a: RowRef, b: RowRef) -> Ordering {
        let (Some(x), Some(y)) = (store.row(a), store.row(b)) else {
            return store.row(a).is_none().cmp(&store.row(b).is_none()).then(a.cmp(&b));
        };
        let turn = |order: Ordering| if self.reverse { order.reverse() } else { order };
        let by_cluster = || self.rank(a.cluster).cmp(&self.rank(b.cluster));
        let by_name = || x.ns().cmp(y.ns()).then_with(|| x.name.cmp(&y.name));
        match &self.sort {
            Sort::Risk => x.name.cmp(&y.name).then_with(by_cluster).then_with(|| x.ns().cmp(y.ns())),
            Sort::Name => turn(by_name()).then_with(by_cluster),
            Sort::Cluster | Sort::Age => by_cluster().then_with(by_name),
            Sort::Column(column) => {
                let (p, q) = (sort_key(store, a, x, column), sort_key(store, b, y, column));
                turn(p.cmp(&q)).then_with(by_cluster).then_with(by_name)
            }
        }
        .then(a.cmp(&b))
    }
}

/// Namespace and name as one sequence that sorts like the pair.
fn full_name(row: &Row) -> impl Iterator<Item = u8> + '_ {
    row.ns().bytes().chain(std::iter::once(0)).chain(row.name.bytes())
}

/// The first eight bytes as a number that sorts like them.
fn prefix(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut out = [0u8; 8];
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = from;
    }
    u64::from_be_bytes(out)
}
