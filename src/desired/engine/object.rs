//! One object: who owns it, where it goes, and what it looks like in each cluster.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Inputs, Owner, Placed, Source,
    pool::{Pool, Reach, Sets},
};
use crate::desired::{
    cluster::Cluster,
    object::{Object, ObjectKey},
    origin::Rule,
    patch::{self, OverridePolicy, apply::Prepared},
    place::{self, Decision, HandOver, Placement, Resource, Roster, State, Strategy, manifest},
    policy::{PlacementPolicy, Policies, select},
};

/// What a result was made from, compared by identity.
#[derive(Clone, Debug, Default)]
pub(super) struct Identity {
    /// The object of each base (nothing where the base does not have it).
    bases: Vec<Option<Arc<Object>>>,
    /// Which base each cluster of the source uses; cluster numbers ascending.
    clusters: Arc<Vec<(u32, u32)>>,
    fleet: Arc<Vec<Cluster>>,
    owner: Owner,
    overrides: Vec<Arc<OverridePolicy>>,
}

/// What makes an object's copies in clusters differ: the base, the replicas, the overrides that apply, and, for a Job whose
/// completions are dealt out, the cluster.
type Variant = (u32, i64, Vec<u32>, Option<u32>);

impl Identity {
    fn same(&self, other: &Self) -> bool {
        let same_object = |a: &Option<Arc<Object>>, b: &Option<Arc<Object>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        let same_owner = match (&self.owner, &other.owner) {
            (Owner::Policy(a), Owner::Policy(b)) => Arc::ptr_eq(a, b),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        same_owner
            && Arc::ptr_eq(&self.fleet, &other.fleet)
            && self.bases.len() == other.bases.len()
            && self.bases.iter().zip(&other.bases).all(|(a, b)| same_object(a, b))
            && self.overrides.len() == other.overrides.len()
            && self.overrides.iter().zip(&other.overrides).all(|(a, b)| Arc::ptr_eq(a, b))
            && self.clusters == other.clusters
    }
}

impl Placed {
    /// Whether both were made from the same.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.identity.same(&other.identity)
            && self.followed == other.followed
            && self.decision == other.decision
            && self.waits_for == other.waits_for
    }
}

/// Every object of every service with its owner and its clusters; the objects in the clusters are not made yet.
pub(super) fn drafts(inputs: &Inputs, fleet: &Arc<Vec<Cluster>>) -> Vec<Vec<Placed>> {
    let sets = Sets::new(inputs);
    let rosters = sets.rosters();
    let mut pool = Pool::new(&sets, &rosters);
    let mut made = Vec::with_capacity(inputs.services.len());
    for (number, service) in inputs.services.iter().enumerate() {
        let mut drafts = Vec::new();
        for (source, reach) in service.sources.iter().zip(sets.of_service(number)) {
            for (key, bases) in objects_of(source) {
                let draft = draft(key, source, bases, reach, inputs, &mut pool);
                drafts.extend(draft.map(|mut d| {
                    d.identity.fleet = fleet.clone();
                    d
                }));
            }
        }
        made.push(drafts);
    }
    made
}

/// The names of a source's objects in order, each with its object in every base.
fn objects_of(source: &Source) -> Vec<(ObjectKey, Vec<Option<Arc<Object>>>)> {
    let mut found: Vec<(ObjectKey, Vec<Option<Arc<Object>>>)> = Vec::new();
    let mut places: BTreeMap<ObjectKey, usize> = BTreeMap::new();
    for (number, base) in source.bases.iter().enumerate() {
        for object in base.objects.iter() {
            let at = *places.entry(object.key.clone()).or_insert_with(|| {
                found.push((object.key.clone(), vec![None; source.bases.len()]));
                found.len() - 1
            });
            // The first of two with one name counts; a lint tells of the second.
            found[at].1[number].get_or_insert_with(|| object.clone());
        }
    }
    found
}

/// Decides who sends an object, and where; `None` when no base has it.
fn draft<'a>(
    key: ObjectKey,
    source: &Arc<Source>,
    bases: Vec<Option<Arc<Object>>>,
    reach: &Reach,
    inputs: &'a Inputs,
    pool: &mut Pool<'a>,
) -> Option<Placed> {
    let policies = &inputs.policies;
    let template = bases.iter().flatten().next().cloned()?;
    let owner = select::owner(&policies.placements, &template, None, false);
    let (owner, decision) = match owner.and_then(|at| policies.placements.get(at)) {
        Some(policy) => {
            let none = State::default();
            let state = inputs.states.get(&key).unwrap_or(&none);
            (Owner::Policy(policy.clone()), pool.decide(policy, &template, reach, state))
        }
        // A source that names its clusters needs no policy.
        None if source.clusters.is_some() => {
            let shares = reach.clusters.iter().map(|(number, _)| (*number, 0)).collect();
            (Owner::Source, Some(Decision { outcome: Ok(shares), group: None, ran: true }))
        }
        None => (Owner::Nobody, None),
    };
    let waits_for = match &owner {
        Owner::Policy(policy) => missing_overrides(policy, policies),
        _ => Vec::new(),
    };
    let overrides = policies.overrides.iter().filter(|p| can_match(p, &key)).cloned().collect();
    let identity =
        Identity { bases, clusters: reach.clusters.clone(), fleet: Arc::default(), owner: owner.clone(), overrides };
    Some(Placed {
        key,
        source: source.clone(),
        template,
        owner,
        decision,
        followed: Vec::new(),
        waits_for,
        objects: Vec::new(),
        failures: Vec::new(),
        identity,
    })
}

/// Whether an override policy could match an object of this name, labels aside: a first stage may still change those.
fn can_match(policy: &OverridePolicy, key: &ObjectKey) -> bool {
    let fits = |wanted: &str, is: &str| wanted.is_empty() || wanted == is;
    let namespace = policy.id.namespace.is_empty() || policy.id.namespace == key.namespace;
    namespace
        && (policy.selectors.is_empty()
            || policy.selectors.iter().any(|s| {
                fits(&s.kind, &key.kind)
                    && fits(&s.api_version, &key.api_version)
                    && fits(&s.namespace, &key.namespace)
                    && fits(&s.name, &key.name)
            }))
}

/// Names of `dependentOverrides` that are not there.
fn missing_overrides(owner: &PlacementPolicy, policies: &Policies) -> Vec<String> {
    let there =
        |name: &str| policies.overrides.iter().any(|p| *p.id.name == *name && p.id.namespace == owner.id.namespace);
    owner.dependent_overrides.iter().filter(|name| !there(name)).cloned().collect()
}

fn cluster(fleet: &[Cluster], number: u32) -> Option<&Cluster> {
    fleet.get(usize::try_from(number).ok()?)
}

impl Placed {
    /// Makes the object for each of its clusters. Clusters with the same base, replicas and overrides share one.
    pub(super) fn make(&mut self) {
        if !self.waits_for.is_empty() {
            return;
        }
        let resource = Resource::of(&self.template);
        let prepared =
            |base: &Option<Arc<Object>>| base.as_deref().map(|object| Prepared::new(&self.identity.overrides, object));
        let prepared: Vec<Option<Prepared>> = self.identity.bases.iter().map(prepared).collect();
        let shares = self.shares();
        let slim = self.slim_placement();
        let roster = Roster::new(&self.identity.fleet);
        let dealt = slim.as_ref().map(|(placement, rule)| (place::Prepared::new(placement, &roster), rule.clone()));
        let hand = dealt.as_ref().map(|(dealt, rule)| (dealt.hand_over(&resource, &shares), rule));
        let mut variants: BTreeMap<Variant, Result<Arc<Object>, patch::Failure>> = BTreeMap::new();
        let (mut objects, mut failures) = (Vec::with_capacity(shares.len()), Vec::new());
        for (number, replicas) in &shares {
            let Some((slot, object)) = self.base(*number) else { continue };
            let Some(Some(prepared)) = prepared.get(slot) else { continue };
            let Some(cluster) = cluster(&self.identity.fleet, *number) else { continue };
            if suspended(&self.owner, &cluster.name) {
                continue;
            }
            // A Job's completions are dealt out too, so clusters with equal parallelism may differ.
            let apart = resource.completions.map(|_| *number);
            let key = (u32::try_from(slot).unwrap_or(u32::MAX), *replicas, prepared.signature(cluster), apart);
            let outcome = variants.entry(key).or_insert_with(|| {
                let object = handed_over(object, hand.as_ref(), *number);
                let made = prepared.apply(&object, cluster)?;
                Ok(if made.node.shares(&object.node) { object } else { Arc::new(made) })
            });
            match outcome {
                Ok(object) => objects.push((*number, object.clone())),
                Err(failure) => failures.push((*number, failure.clone())),
            }
        }
        self.objects = objects;
        self.failures = failures;
    }

    /// Numbers of the clusters that have their base from the object's source.
    pub fn clusters(&self) -> impl Iterator<Item = u32> + '_ {
        self.identity.clusters.iter().map(|(number, _)| *number)
    }

    /// Override policies that could match the object.
    pub fn policies(&self) -> &[Arc<OverridePolicy>] {
        &self.identity.overrides
    }

    /// What is needed to write counts into manifests: how replicas are dealt out, and in whose name. Nothing for what has no
    /// replicas, or is not sent by a policy.
    fn slim_placement(&self) -> Option<(Placement, Arc<Rule>)> {
        let Owner::Policy(policy) = &self.owner else { return None };
        let resource = Resource::of(&self.template);
        let strategy = match &policy.placement.strategy {
            Strategy::Static { given, .. } => Strategy::Static { weights: Vec::new(), given: *given },
            other => other.clone(),
        };
        let counted = resource.field.is_some() && resource.is_workload();
        counted.then(|| (Placement { strategy, ..Placement::default() }, manifest::rule(policy)))
    }

    /// The base of a cluster, and its number.
    fn base(&self, cluster: u32) -> Option<(usize, &Arc<Object>)> {
        let at = self.identity.clusters.binary_search_by_key(&cluster, |(at, _)| *at).ok()?;
        let slot = usize::try_from(self.identity.clusters[at].1).ok()?;
        Some((slot, self.identity.bases.get(slot)?.as_ref()?))
    }

    /// The object of a cluster as it is handed over, before any override; `None` where it does not go.
    pub fn before_overrides(&self, cluster: u32) -> Option<Arc<Object>> {
        self.replicas(cluster)?;
        let (_, object) = self.base(cluster)?;
        let (resource, shares, slim) = (Resource::of(&self.template), self.shares(), self.slim_placement());
        let roster = Roster::new(&self.identity.fleet);
        let dealt = slim.as_ref().map(|(placement, rule)| (place::Prepared::new(placement, &roster), rule));
        let hand = dealt.as_ref().map(|(dealt, rule)| (dealt.hand_over(&resource, &shares), *rule));
        Some(handed_over(object, hand.as_ref(), cluster))
    }

    /// Sends the object to further clusters, because others that refer to it go there.
    pub(super) fn follow(&mut self, further: &[u32]) {
        let own = self.shares();
        self.followed = further.iter().copied().filter(|n| own.iter().all(|(at, _)| at != n)).collect();
        if self.owner == Owner::Nobody && !self.followed.is_empty() {
            self.owner = Owner::Followed;
        }
    }
}

/// Whether nothing is handed over to this cluster for now.
fn suspended(owner: &Owner, cluster: &Arc<str>) -> bool {
    let Owner::Policy(policy) = owner else { return false };
    policy.suspended.as_ref().is_some_and(|list| list.is_empty() || list.contains(cluster))
}

/// A base with a cluster's counts in it; the base itself where nothing is counted.
fn handed_over(base: &Arc<Object>, hand: Option<&(HandOver<'_>, &Arc<Rule>)>, cluster: u32) -> Arc<Object> {
    let Some((hand, rule)) = hand else { return base.clone() };
    let mut copy = (**base).clone();
    hand.write(&mut copy, cluster, rule);
    if copy.node.shares(&base.node) { base.clone() } else { Arc::new(copy) }
}
