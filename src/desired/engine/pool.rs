//! What the objects of one run share: which clusters have their base from which source, and each policy's view of them.

use std::sync::Arc;

use super::{Base, Inputs, Service, Source};
use crate::desired::{
    capacity,
    cluster::Cluster,
    object::Object,
    place::{Decision, Prepared, Resource, Roster, State},
    policy::PlacementPolicy,
};

/// Clusters that have their base from one source.
#[derive(Debug)]
struct Set {
    /// Their numbers in the fleet, ascending.
    numbers: Vec<u32>,
    clusters: Arc<Vec<Cluster>>,
}

/// A source's clusters.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Number of the set.
    set: usize,
    /// Each cluster with the number of its base, ascending.
    pub clusters: Arc<Vec<(u32, u32)>>,
}

/// Every set in use. Most sources are for the whole fleet, so there are few.
#[derive(Debug, Default)]
pub(super) struct Sets {
    sets: Vec<Set>,
    /// By service and source.
    reach: Vec<Vec<Reach>>,
}

impl Sets {
    /// Finds the clusters of every source: a cluster has its base from the first one that fits it.
    pub(super) fn new(inputs: &Inputs) -> Self {
        let mut sets = Self::default();
        for service in &inputs.services {
            let reach = sets.service(service, &inputs.clusters);
            sets.reach.push(reach);
        }
        sets
    }

    fn service(&mut self, service: &Service, fleet: &Arc<Vec<Cluster>>) -> Vec<Reach> {
        let mut taken = vec![false; fleet.len()];
        service
            .sources
            .iter()
            .map(|source| {
                let clusters = Arc::new(clusters_of(source, fleet, &mut taken));
                Reach { set: self.set(&clusters, fleet), clusters }
            })
            .collect()
    }

    fn set(&mut self, clusters: &[(u32, u32)], fleet: &Arc<Vec<Cluster>>) -> usize {
        let same = |set: &Set| {
            set.numbers.len() == clusters.len() && set.numbers.iter().zip(clusters).all(|(a, (b, _))| a == b)
        };
        if let Some(known) = self.sets.iter().position(same) {
            return known;
        }
        let numbers: Vec<u32> = clusters.iter().map(|(number, _)| *number).collect();
        let clusters = if numbers.len() == fleet.len() {
            fleet.clone()
        } else {
            let one = |n: &u32| usize::try_from(*n).ok().and_then(|n| fleet.get(n).cloned());
            Arc::new(numbers.iter().filter_map(one).collect())
        };
        self.sets.push(Set { numbers, clusters });
        self.sets.len() - 1
    }

    /// The sets as placement wants them.
    pub(super) fn rosters(&self) -> Vec<Roster<'_>> {
        self.sets.iter().map(|set| Roster::new(&set.clusters)).collect()
    }

    /// The clusters of each source of a service.
    pub(super) fn of_service(&self, number: usize) -> &[Reach] {
        self.reach.get(number).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The clusters that have their base from this source, each with the number of its base.
fn clusters_of(source: &Source, fleet: &[Cluster], taken: &mut [bool]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for (number, (cluster, taken)) in (0u32..).zip(fleet.iter().zip(taken.iter_mut())) {
        if *taken || source.clusters.as_ref().is_some_and(|c| !c.matches(cluster)) {
            continue;
        }
        let has = |base: &Base| base.only.as_ref().is_none_or(|names| names.contains(&cluster.name));
        let Some((base, _)) = (0u32..).zip(&source.bases).find(|(_, base)| has(base)) else { continue };
        *taken = true;
        found.push((number, base));
    }
    found
}

/// Policies made ready for sets of clusters, once each.
#[derive(Debug)]
pub(super) struct Pool<'a> {
    sets: &'a Sets,
    rosters: &'a [Roster<'a>],
    /// By set.
    prepared: Vec<Vec<(&'a Arc<PlacementPolicy>, Prepared<'a>)>>,
}

impl<'a> Pool<'a> {
    /// Nothing is made ready yet.
    pub(super) fn new(sets: &'a Sets, rosters: &'a [Roster<'a>]) -> Self {
        Self { sets, rosters, prepared: rosters.iter().map(|_| Vec::new()).collect() }
    }

    /// One pass for an object; cluster numbers in the answer are those of the fleet. `None` when the source has no such set,
    /// which cannot be.
    pub(super) fn decide(
        &mut self,
        policy: &'a Arc<PlacementPolicy>,
        template: &Object,
        reach: &Reach,
        state: &State,
    ) -> Option<Decision> {
        let roster = self.rosters.get(reach.set)?;
        let prepared = self.prepared.get_mut(reach.set)?;
        let known = prepared.iter().position(|(p, _)| Arc::ptr_eq(p, policy));
        let at = known.unwrap_or_else(|| {
            prepared.push((policy, Prepared::new(&policy.placement, roster)));
            prepared.len() - 1
        });
        let resource = Resource::of(template);
        let available = capacity::available(template, &self.sets.sets.get(reach.set)?.clusters);
        let mut decision = prepared.get(at)?.1.decide(&resource, state, available.as_deref());
        let numbers = &self.sets.sets.get(reach.set)?.numbers;
        if let Ok(shares) = &mut decision.outcome {
            for (at, _) in shares.iter_mut() {
                *at = usize::try_from(*at).ok().and_then(|a| numbers.get(a).copied()).unwrap_or(*at);
            }
        }
        Some(decision)
    }
}
