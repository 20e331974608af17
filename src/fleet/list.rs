//! Virtual lists: one kind merged over all chosen clusters, filtered and sorted, kept up to date incrementally.
//!
//! A list holds references only (8 bytes a row). Long sorts and filters are done in slices so that a key never waits:
//! [`ObjectList::step`] works for at most the given number of rows and the old order stays on the screen until the new
//! one is complete.

use super::{RowRef, Store, filter::Filter};
use crate::model::{ClusterId, KindId};

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

/// A merged, sorted, filtered list.
#[derive(Debug, Default)]
pub struct ObjectList {
    query: Query,
    rows: Vec<RowRef>,
    total: usize,
    seen: u64,
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

    /// Rows in order.
    pub fn rows(&self) -> &[RowRef] {
        &self.rows
    }

    /// Objects of the kinds in the chosen clusters before the filter.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Takes in what changed in the store since the last call, and goes on with a rebuild that is under way, for at most
    /// `budget` row visits. True when there is nothing left to do.
    pub fn step(&mut self, _store: &Store, _budget: usize) -> bool {
        self.seen = 0;
        true
    }

    /// Changes filter, order or clusters; the old rows stay until the new order is ready.
    pub fn set_query(&mut self, query: Query) {
        self.query = query;
    }
}

/// A column of a kind's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Stable key (`ready`, `node`), also the name in filters.
    pub key: &'static str,
    /// Header, Kubernetes' own word, not translated (`READY`).
    pub header: &'static str,
    /// Numbers are right-aligned.
    pub numeric: bool,
    /// Shown only wide.
    pub wide: bool,
}

/// Columns of a kind, without CLUSTER, NAMESPACE, NAME and AGE, which every kind has.
pub fn columns(_kind: KindId) -> &'static [Column] {
    &[]
}

/// Text of one column of one row; empty when the row has none.
pub fn cell_text(_store: &Store, _row: RowRef, _key: &str) -> String {
    String::new()
}
