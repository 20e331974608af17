//! What if: a cluster lost, added or tainted, a weight or a capacity changed, a policy edited. The answer is desired state
//! computed anew from what is placed now; nothing is applied, and only the difference is shown.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    cluster::Cluster,
    engine::{Desired, Owner, Placed},
    object::{Object, ObjectKey},
    place::{Failure, State, Strategy, Weight},
    policy::{Policies, PolicyId, select},
    selector::Affinity,
};
use crate::{fault::Fault, model::Taint};

/// One supposition.
#[derive(Clone, Debug)]
pub enum Change {
    /// The cluster is gone for good: it is taken out of the fleet.
    Lost(Arc<str>),
    /// There is one more cluster (or this one is described anew).
    Added(Box<Cluster>),
    /// The cluster bears one more taint.
    Tainted(Arc<str>, Taint),
    /// The cluster has room for so many more replicas.
    Available(Arc<str>, i64),
    /// The cluster's weight in a policy with fixed weights.
    Weighted {
        /// The policy.
        policy: PolicyId,
        /// The cluster.
        cluster: Arc<str>,
        /// Its weight; 0 = none.
        weight: i64,
    },
    /// A policy is written like this (a new one, or one of this name).
    Policy(Arc<Object>),
    /// A policy is taken away.
    WithoutPolicy(PolicyId),
    /// A fresh start is asked for: placements are computed as if nothing were placed, former holders counting as room.
    Rescheduled,
}

/// Why a supposition cannot be followed.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// There is no such cluster.
    NoCluster(Arc<str>),
    /// There is no such policy.
    NoPolicy(PolicyId),
    /// The policy does not deal out by fixed weights.
    NoWeights(PolicyId),
    /// The document is a policy of no known system.
    Unknown(ObjectKey),
    /// The policy breaks the rules.
    Broken(Vec<Fault>),
}

/// Where one object goes differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The service.
    pub service: Arc<str>,
    /// Its namespace.
    pub namespace: Arc<str>,
    /// The object.
    pub object: ObjectKey,
    /// By cluster, in the order of the fleet: replicas now and then; `None` = not there. Only clusters where they differ.
    pub clusters: Vec<(Arc<str>, Option<i64>, Option<i64>)>,
    /// Why there is no new placement, where there is none.
    pub failure: Option<Failure>,
    /// True when the failure leaves everything where it is.
    pub stays: bool,
}

/// Desired state under these suppositions.
///
/// # Errors
///
/// When a supposition names what is not there, or a policy that breaks the rules.
pub fn suppose(now: &Desired, changes: &[Change]) -> Result<Desired, Refusal> {
    let mut inputs = now.inputs.clone();
    let mut clusters = (*inputs.clusters).clone();
    let mut policies = (*inputs.policies).clone();
    let mut fresh = false;
    for change in changes {
        match change {
            Change::Rescheduled => fresh = true,
            Change::Weighted { .. } | Change::Policy(_) | Change::WithoutPolicy(_) => edit(&mut policies, change)?,
            _ => alter(&mut clusters, change)?,
        }
    }
    inputs.states = Arc::new(states(now, &policies, fresh));
    inputs.clusters = Arc::new(clusters);
    inputs.policies = Arc::new(policies);
    Ok(Desired::of(inputs, Some(now)))
}

fn alter(clusters: &mut Vec<Cluster>, change: &Change) -> Result<(), Refusal> {
    let (Change::Lost(name) | Change::Tainted(name, _) | Change::Available(name, _)) = change else {
        if let Change::Added(cluster) = change {
            match clusters.iter_mut().find(|c| c.name == cluster.name) {
                Some(held) => held.clone_from(cluster),
                None => clusters.push((**cluster).clone()),
            }
        }
        return Ok(());
    };
    let cluster = clusters.iter_mut().find(|c| c.name == *name).ok_or_else(|| Refusal::NoCluster(name.clone()))?;
    match change {
        // A cluster that leaves is on its way out first: that is what makes what it holds due for a new pass.
        Change::Lost(_) => cluster.deleting = true,
        Change::Tainted(_, taint) => cluster.taints.push(taint.clone()),
        Change::Available(_, n) => cluster.available = Some(*n),
        _ => {}
    }
    Ok(())
}

fn edit(policies: &mut Policies, change: &Change) -> Result<(), Refusal> {
    match change {
        Change::Policy(document) => {
            let key = &document.key;
            let id = PolicyId { kind: key.kind.clone(), namespace: key.namespace.clone(), name: key.name.clone() };
            let mut read = Policies::default();
            match read.read(document) {
                None => return Err(Refusal::Unknown(key.clone())),
                Some(Err(faults)) => return Err(Refusal::Broken(faults)),
                Some(Ok(())) => {}
            }
            policies.placements.retain(|p| p.id != id);
            policies.overrides.retain(|p| p.id != id);
            policies.placements.extend(read.placements);
            policies.overrides.extend(read.overrides);
        }
        Change::WithoutPolicy(id) => {
            let before = policies.placements.len() + policies.overrides.len();
            policies.placements.retain(|p| p.id != *id);
            policies.overrides.retain(|p| p.id != *id);
            if before == policies.placements.len() + policies.overrides.len() {
                return Err(Refusal::NoPolicy(id.clone()));
            }
        }
        Change::Weighted { policy, cluster, weight } => weigh(policies, policy, cluster, *weight)?,
        _ => {}
    }
    Ok(())
}

/// Gives a cluster a weight of its own: the other weights, of which the greatest counts, no longer reach it.
fn weigh(policies: &mut Policies, id: &PolicyId, cluster: &Arc<str>, weight: i64) -> Result<(), Refusal> {
    let policy = policies.placements.iter_mut().find(|p| p.id == *id).ok_or_else(|| Refusal::NoPolicy(id.clone()))?;
    let mut placement = (*policy.placement).clone();
    let Strategy::Static { weights, given } = &mut placement.strategy else {
        return Err(Refusal::NoWeights(id.clone()));
    };
    if weights.is_empty() {
        // No weights = equal ones; said in words, so that one of them can differ.
        weights.push(Weight { affinity: Affinity::default(), weight: 1 });
    }
    for other in weights.iter_mut() {
        other.affinity.exclude.push(cluster.clone());
    }
    if weight > 0 {
        weights.push(Weight { affinity: Affinity { names: vec![cluster.clone()], ..Affinity::default() }, weight });
    }
    *given = true;
    let mut edited = (**policy).clone();
    edited.placement = Arc::new(placement);
    *policy = Arc::new(edited);
    Ok(())
}

/// What is placed now, as what was placed before.
fn states(now: &Desired, policies: &Policies, fresh: bool) -> BTreeMap<ObjectKey, State> {
    let mut states = BTreeMap::new();
    for placed in now.services.iter().flat_map(|o| &o.placed) {
        let (Owner::Policy(policy), Some(decision)) = (&placed.owner, &placed.decision) else { continue };
        let then = select::owner(&policies.placements, &placed.template, Some(&policy.id), false);
        let then = then.and_then(|at| policies.placements.get(at));
        let unchanged = !fresh && then.is_some_and(|p| p.id == policy.id && p.placement == policy.placement);
        let state: &mut State = states.entry(placed.key.clone()).or_default();
        state.previous.extend(held(now, placed));
        state.previous.sort();
        state.observed = decision.group.clone().or(state.observed.take());
        state.reschedule = fresh;
        state.unchanged = unchanged;
    }
    states
}

/// Replicas by name of cluster.
fn held(now: &Desired, placed: &Placed) -> Vec<(Arc<str>, i64)> {
    let named = |at: u32| usize::try_from(at).ok().and_then(|at| now.inputs.clusters.get(at)).map(|c| c.name.clone());
    let Some(Ok(shares)) = placed.decision.as_ref().map(|d| &d.outcome) else { return Vec::new() };
    shares.iter().filter_map(|(at, n)| Some((named(*at)?, *n))).collect()
}

/// What goes elsewhere, service by service.
pub fn moves(now: &Desired, then: &Desired) -> Vec<Move> {
    let mut found = Vec::new();
    for (outcome, placed) in then.services.iter().flat_map(|o| o.placed.iter().map(move |p| (o, p))) {
        let before = now
            .named(&placed.key)
            .find(|(o, p)| o.service.name == outcome.service.name && p.source.title == placed.source.title)
            .map(|(_, p)| p);
        let failure = placed.refusal();
        let stays = failure.is_some_and(Failure::keeps_former);
        let clusters = compare(now, then, before.map(|p| &**p), placed, stays);
        // What already goes nowhere now for the same reason is no difference.
        let news = failure.is_some() && failure != before.and_then(|p| p.refusal());
        if !clusters.is_empty() || news {
            found.push(Move {
                service: outcome.service.name.clone(),
                namespace: outcome.service.namespace.clone(),
                object: placed.key.clone(),
                clusters,
                failure,
                stays,
            });
        }
    }
    found
}

/// Clusters where the two differ. A failure that keeps the former result leaves what is in the remaining clusters.
fn compare(
    now: &Desired,
    then: &Desired,
    before: Option<&Placed>,
    after: &Placed,
    stays: bool,
) -> Vec<(Arc<str>, Option<i64>, Option<i64>)> {
    let mut rows = Vec::new();
    let fleet = then.inputs.clusters.iter();
    for (number, cluster) in (0u32..).zip(fleet) {
        let old = now.cluster(&cluster.name).and_then(|at| before?.replicas(at));
        let new = if stays { old.filter(|_| !cluster.deleting) } else { after.replicas(number) };
        if old != new {
            rows.push((cluster.name.clone(), old, new));
        }
    }
    rows
}

#[cfg(test)]
mod tests;
