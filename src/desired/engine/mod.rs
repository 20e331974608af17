//! The pipeline: sources and policies and clusters in, for each cluster the objects that should be there out.
//!
//! `desired(cluster) = overrides(cluster, hand-over(placement, base))`. What did not change since the last run is taken from it:
//! an object's outcome depends on its base, on the policies that can match it, on the clusters and on what was placed before,
//! and all of these are compared by identity. Clusters for which the same steps apply share one result.

mod follow;
mod object;
mod pool;
mod why;

use std::{collections::BTreeMap, sync::Arc};

use super::{
    cluster::Cluster,
    object::{Object, ObjectKey},
    patch,
    place::{Decision, State},
    policy::{PlacementPolicy, Policies},
    selector::Affinity,
};

/// What is declared of one service.
#[derive(Clone, Debug, Default)]
pub struct Service {
    /// Name, as the Matrix has it.
    pub name: Arc<str>,
    /// Namespace; empty where the service is named by its name alone.
    pub namespace: Arc<str>,
    /// Its sources, in order: a cluster has its base from the first one that fits it.
    pub sources: Vec<Arc<Source>>,
}

/// A source of a service, rendered.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// How it is called: `kustomize overlays/prod`.
    pub title: String,
    /// Its clusters; `None` = all of them, and only a policy says which of them really.
    pub clusters: Option<Affinity>,
    /// What it gives: one base for all clusters, or (values per cluster) several.
    pub bases: Vec<Base>,
}

/// Objects for some clusters.
#[derive(Clone, Debug, Default)]
pub struct Base {
    /// Names of its clusters; `None` = all of the source's.
    pub only: Option<Vec<Arc<str>>>,
    /// The objects.
    pub objects: Arc<Vec<Arc<Object>>>,
}

/// Everything that desired state is made of.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The fleet, in the order of the ledger.
    pub clusters: Arc<Vec<Cluster>>,
    /// The services.
    pub services: Vec<Arc<Service>>,
    /// The policies.
    pub policies: Arc<Policies>,
    /// What is known of former placements, by object.
    pub states: Arc<BTreeMap<ObjectKey, State>>,
}

/// Who sends an object to its clusters.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Owner {
    /// A placement policy.
    Policy(Arc<PlacementPolicy>),
    /// The clusters that its source names.
    Source,
    /// Other objects that refer to it and take it along.
    Followed,
    /// Nobody: it waits for a policy.
    #[default]
    Nobody,
}

/// One object of a source, and where it goes.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The object's name.
    pub key: ObjectKey,
    /// Its source.
    pub source: Arc<Source>,
    /// The object as the policies see it: from the first base that has it.
    pub template: Arc<Object>,
    /// Who sends it.
    pub owner: Owner,
    /// Where it goes, cluster numbers being those of the fleet; `None` where nobody sends it.
    pub decision: Option<Decision>,
    /// Clusters it goes to because other objects refer to it.
    pub followed: Vec<u32>,
    /// Override policies that must exist first and do not.
    pub waits_for: Vec<String>,
    /// The object in each of its clusters, by number of the cluster.
    pub objects: Vec<(u32, Arc<Object>)>,
    /// Clusters whose overrides failed: there the object stays as it was.
    pub failures: Vec<(u32, patch::Failure)>,
    /// What it was made from.
    identity: object::Identity,
}

impl Placed {
    /// The object in a cluster.
    pub fn object(&self, cluster: u32) -> Option<&Arc<Object>> {
        self.objects.binary_search_by_key(&cluster, |(at, _)| *at).ok().map(|at| &self.objects[at].1)
    }

    /// Every cluster it goes to with its replicas, by number of the cluster.
    pub fn shares(&self) -> Vec<(u32, i64)> {
        let own: &[(u32, i64)] = match self.decision.as_ref().map(|d| &d.outcome) {
            Some(Ok(shares)) => shares,
            _ => &[],
        };
        let further = self.followed.iter().filter(|n| own.iter().all(|(at, _)| at != *n)).map(|n| (*n, 0));
        let mut all: Vec<(u32, i64)> = own.iter().copied().chain(further).collect();
        all.sort_unstable();
        all
    }

    /// Its replicas in a cluster, as placed (0 for what has none); `None` where it does not go.
    pub fn replicas(&self, cluster: u32) -> Option<i64> {
        self.shares().into_iter().find(|(at, _)| *at == cluster).map(|(_, n)| n)
    }
}

/// A service, placed.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What was declared.
    pub service: Arc<Service>,
    /// Its objects, source by source, in the order of the source.
    pub placed: Vec<Arc<Placed>>,
}

/// What should be where.
#[derive(Clone, Debug, Default)]
pub struct Desired {
    /// What it was made from.
    pub inputs: Inputs,
    /// By service, in the order of the input.
    pub services: Vec<Arc<Outcome>>,
    /// The clusters without their room, which changes all the time and counts for placement only.
    fleet: Arc<Vec<Cluster>>,
    /// Where an object's name is to be found: service and object, in order.
    index: BTreeMap<ObjectKey, Vec<(u32, u32)>>,
}

impl Desired {
    /// Computes it; `former` lends what did not change.
    pub fn of(inputs: Inputs, former: Option<&Self>) -> Self {
        let fleet = fleet(&inputs, former);
        let mut drafts = object::drafts(&inputs, &fleet);
        follow::apply(&mut drafts);
        let services: Vec<Arc<Outcome>> = inputs
            .services
            .iter()
            .zip(drafts)
            .map(|(service, drafts)| {
                let before = former.and_then(|f| f.outcome(&service.namespace, &service.name));
                finished(service, drafts, before)
            })
            .collect();
        let index = index(&services);
        Self { inputs, services, fleet, index }
    }

    /// A service by namespace and name.
    pub fn outcome(&self, namespace: &str, name: &str) -> Option<&Arc<Outcome>> {
        self.services.iter().find(|o| *o.service.name == *name && *o.service.namespace == *namespace)
    }

    /// Number of a cluster.
    pub fn cluster(&self, name: &str) -> Option<u32> {
        let at = self.inputs.clusters.iter().position(|c| &*c.name == name)?;
        u32::try_from(at).ok()
    }

    /// Every placed object with this name: one for each source that has it.
    pub fn named<'a>(&'a self, key: &ObjectKey) -> impl Iterator<Item = (&'a Arc<Outcome>, &'a Arc<Placed>)> {
        let found = self.index.get(key).map(Vec::as_slice).unwrap_or_default();
        found.iter().filter_map(|(service, object)| {
            let outcome = self.services.get(usize::try_from(*service).ok()?)?;
            Some((outcome, outcome.placed.get(usize::try_from(*object).ok()?)?))
        })
    }

    /// An object in a cluster: the one of the first service that sends it there.
    pub fn object(&self, cluster: u32, key: &ObjectKey) -> Option<&Arc<Object>> {
        self.named(key).find_map(|(_, placed)| placed.object(cluster))
    }

    /// Every object of a cluster, service by service.
    pub fn objects(&self, cluster: u32) -> impl Iterator<Item = (&Arc<Outcome>, &Arc<Placed>, &Arc<Object>)> {
        self.services
            .iter()
            .flat_map(|outcome| outcome.placed.iter().map(move |placed| (outcome, placed)))
            .filter_map(move |(outcome, placed)| Some((outcome, placed, placed.object(cluster)?)))
    }

    /// Every name, in order.
    pub fn keys(&self) -> impl Iterator<Item = &ObjectKey> {
        self.index.keys()
    }
}

/// The clusters as overrides see them; the former ones where they are the same.
fn fleet(inputs: &Inputs, former: Option<&Desired>) -> Arc<Vec<Cluster>> {
    let plain = |c: &Cluster| Cluster { available: None, free: None, ..c.clone() };
    let fleet: Vec<Cluster> = inputs.clusters.iter().map(plain).collect();
    match former {
        Some(former) if *former.fleet == fleet => former.fleet.clone(),
        _ => Arc::new(fleet),
    }
}

/// Makes the objects of a service, or takes them from the former result where they were made from the same: who holds one
/// can tell by identity that nothing of it changed.
fn finished(service: &Arc<Service>, drafts: Vec<Placed>, before: Option<&Arc<Outcome>>) -> Arc<Outcome> {
    let mut old: BTreeMap<&ObjectKey, Vec<&Arc<Placed>>> = BTreeMap::new();
    for placed in before.into_iter().flat_map(|b| &b.placed) {
        old.entry(&placed.key).or_default().push(placed);
    }
    let placed: Vec<Arc<Placed>> = drafts
        .into_iter()
        .map(|mut draft| {
            let known = old.get(&draft.key).and_then(|all| all.iter().find(|p| p.same(&draft)));
            match known {
                Some(known) => (*known).clone(),
                None => {
                    draft.make();
                    Arc::new(draft)
                }
            }
        })
        .collect();
    match before {
        Some(before) if Arc::ptr_eq(&before.service, service) && same_all(&before.placed, &placed) => before.clone(),
        _ => Arc::new(Outcome { service: service.clone(), placed }),
    }
}

fn same_all(a: &[Arc<Placed>], b: &[Arc<Placed>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a, b))
}

fn index(services: &[Arc<Outcome>]) -> BTreeMap<ObjectKey, Vec<(u32, u32)>> {
    let mut index: BTreeMap<ObjectKey, Vec<(u32, u32)>> = BTreeMap::new();
    for (service, outcome) in (0u32..).zip(services) {
        for (object, placed) in (0u32..).zip(&outcome.placed) {
            index.entry(placed.key.clone()).or_default().push((service, object));
        }
    }
    index
}

#[cfg(test)]
pub(crate) mod tests;
