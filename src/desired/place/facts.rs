//! What is known of one object before a pass, by cluster.

use super::{MOST, Resource, State, prepared::Prepared};

/// One object's facts.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) resource: &'a Resource,
    pub(super) state: &'a State,
    /// What clusters can take, if it is known better than the clusters themselves say.
    available: Option<&'a [Option<i64>]>,
    /// Replicas held, by cluster; `None` = it is no holder.
    held: Vec<Option<i64>>,
    /// Being moved away from, by cluster.
    pub(super) evicting: Vec<bool>,
    pub(super) workload: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        prepared: &Prepared,
        resource: &'a Resource,
        state: &'a State,
        available: Option<&'a [Option<i64>]>,
    ) -> Self {
        let roster = prepared.roster;
        let mut facts = Self {
            resource,
            state,
            available,
            held: vec![None; roster.clusters.len()],
            evicting: vec![false; roster.clusters.len()],
            workload: resource.is_workload(),
        };
        for (name, replicas) in &state.previous {
            if let Some(cluster) = roster.index(name) {
                facts.held[cluster as usize] = Some((*replicas).clamp(0, MOST));
            }
        }
        for cluster in state.evicting.iter().filter_map(|name| roster.index(name)) {
            facts.evicting[cluster as usize] = true;
        }
        facts
    }

    /// Whether a cluster is named in the former result.
    pub(super) fn holds(&self, cluster: usize) -> bool {
        self.held[cluster].is_some()
    }

    /// Replicas a cluster holds; `None` = it is no holder.
    pub(super) fn held(&self, cluster: usize) -> Option<i64> {
        self.held[cluster]
    }

    /// How many more replicas a cluster can take, as it was told; `None` = unknown.
    pub(super) fn told(&self, prepared: &Prepared, cluster: usize) -> Option<i64> {
        self.available.map_or(prepared.roster.clusters[cluster].available, |a| a.get(cluster).copied().flatten())
    }

    /// How many more replicas a cluster can take, as it is counted: unknown room takes everything.
    pub(super) fn allocatable(&self, prepared: &Prepared, cluster: usize) -> i64 {
        if self.resource.replicas == 0 {
            // Where nothing is asked for, room is Karmada's largest number.
            return MOST;
        }
        self.told(prepared, cluster).unwrap_or(self.resource.replicas).clamp(0, MOST)
    }
}
