//! Which workloads make up which service, kept up to date row by row, and the cells and summaries made from them.

use super::{RowRef, row::Row, service::ServiceRules, store::Shard};
use crate::model::ClusterId;

/// The join of workloads to services.
#[derive(Debug, Default)]
pub(super) struct Services {
    rules: ServiceRules,
}

impl Services {
    pub(super) fn new(rules: ServiceRules) -> Self {
        Self { rules }
    }

    pub(super) fn changed(&mut self, _shard: &Shard, _at: RowRef, _old: Option<&Row>, _new: Option<&Row>) {}

    pub(super) fn drop_cluster(&mut self, _cluster: ClusterId) {}
}
