//! What desired state says of the Matrix's services: which of its services is which, what its main workload is, and the version
//! that it wants, with the place that says so.

use std::{collections::BTreeMap, sync::Arc};

use compact_str::CompactString;

use crate::{
    desired::{
        engine::{Desired, Outcome, Placed},
        object::Object,
        origin::At,
        tree::Node,
    },
    fleet::{
        Store,
        matrix::{ServiceKey, Wanted},
    },
    model::{ClusterId, ImageRef},
};

/// Numbers of the fleet's clusters in desired state, by their number here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Vec<Option<u32>>);

impl Numbers {
    /// Clusters are the same where their names are.
    pub fn new(desired: &Desired, store: &Store) -> Self {
        let names: BTreeMap<&str, u32> =
            (0u32..).zip(desired.inputs.clusters.iter()).map(|(n, c)| (&*c.name, n)).collect();
        let mut numbers = Vec::new();
        for (id, shard) in store.clusters() {
            numbers.resize(numbers.len().max(id.index() + 1), None);
            numbers[id.index()] = names.get(&*shard.record.name).copied();
        }
        Self(numbers)
    }

    /// Number of a cluster in desired state; `None` = it is not part of it.
    pub fn of(&self, cluster: ClusterId) -> Option<u32> {
        self.0.get(cluster.index()).copied().flatten()
    }
}

/// The versions wanted, for the Matrix.
#[derive(Debug)]
pub struct Versions {
    desired: Arc<Desired>,
    numbers: Numbers,
    services: BTreeMap<Arc<str>, Vec<usize>>,
}

impl Versions {
    /// Versions of this desired state for the fleet as the store has it.
    pub fn new(desired: &Arc<Desired>, store: &Store) -> Self {
        let mut services: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
        for (at, outcome) in desired.services.iter().enumerate() {
            services.entry(outcome.service.name.clone()).or_default().push(at);
        }
        Self { desired: desired.clone(), numbers: Numbers::new(desired, store), services }
    }

    /// The service of desired state that a row of the Matrix is.
    pub fn outcome(&self, key: &ServiceKey) -> Option<&Arc<Outcome>> {
        let named = self.services.get(&key.name)?;
        let mut fitting = named.iter().filter_map(|at| self.desired.services.get(*at)).filter(|o| is(o, key));
        let found = fitting.next()?;
        // Of two that could be meant none is.
        fitting.next().is_none().then_some(found)
    }

    /// The image wanted for a service in a cluster, and the place that says so last.
    pub fn image(&self, key: &ServiceKey, cluster: ClusterId) -> Option<(String, Option<At>)> {
        let number = self.numbers.of(cluster)?;
        let object = workloads(self.outcome(key)?).into_iter().find_map(|placed| placed.object(number))?;
        let node = image(object, &key.name)?;
        Some((node.as_str()?.to_owned(), node.origin.at()))
    }
}

impl Wanted for Versions {
    fn version(&self, service: &ServiceKey, cluster: ClusterId) -> Option<CompactString> {
        let (image, _) = self.image(service, cluster)?;
        Some(ImageRef::parse(&image).version().into())
    }

    fn place(&self, service: &ServiceKey, cluster: ClusterId) -> Option<String> {
        let (_, at) = self.image(service, cluster)?;
        at.map(|at| at.to_string())
    }
}

/// Whether a declared service is what the Matrix calls by this key: either may leave the namespace out.
pub fn is(outcome: &Outcome, key: &ServiceKey) -> bool {
    let service = &outcome.service;
    let same = |namespace: &Arc<str>| service.namespace.is_empty() || *service.namespace == **namespace;
    service.name == key.name && key.namespace.as_ref().is_none_or(same)
}

/// The workloads of a service, the main one first: the one that has the service's name, else in the order of the source.
pub fn workloads(outcome: &Outcome) -> Vec<&Arc<Placed>> {
    let mut found: Vec<&Arc<Placed>> = outcome.placed.iter().filter(|p| is_workload(&p.template)).collect();
    found.sort_by_key(|p| *p.key.name != *outcome.service.name);
    found
}

/// Whether an object runs Pods.
pub fn is_workload(object: &Object) -> bool {
    pod_spec(object).is_some()
}

fn pod_spec(object: &Object) -> Option<&Node> {
    let way: &[&str] = match &*object.key.kind {
        "Pod" => &["spec"],
        "CronJob" => &["spec", "jobTemplate", "spec", "template", "spec"],
        _ => &["spec", "template", "spec"],
    };
    object.node.at_keys(way).filter(|spec| spec.get("containers").is_some())
}

/// The image of the main container: the one named like the workload or the service, by itself or by its image; else the first.
fn image<'a>(object: &'a Object, service: &str) -> Option<&'a Node> {
    let containers = pod_spec(object)?.items_of("containers");
    let named = |name: &str| *name == *object.key.name || name == service;
    let main = containers
        .iter()
        .find(|c| named(c.str_of("name")))
        .or_else(|| containers.iter().find(|c| named(ImageRef::parse(c.str_of("image")).short_name())))
        .or_else(|| containers.first())?;
    main.get("image")
}
