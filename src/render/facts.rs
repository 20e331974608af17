//! What desired state has to know of the live fleet: facts of clusters, and the replicas that run now.

use std::{collections::BTreeMap, sync::Arc};

use super::worker::Facts;
use crate::{
    desired::{
        cluster::Cluster,
        engine::{Desired, Service},
        object::{Object, ObjectKey},
        observed,
        origin::{Origin, Source, SourceKind},
        place::{Resource, State},
        tree::Node,
    },
    fleet::{Store, inventory},
    model::{Builtin, Millis},
};

/// Kinds whose replicas are dealt out.
const DEALT: [(Builtin, &str, &str); 2] =
    [(Builtin::Deployment, "apps/v1", "Deployment"), (Builtin::StatefulSet, "apps/v1", "StatefulSet")];

/// Takes all of them from the cache at once: for commands.
pub fn of(store: &Store, now: Millis) -> Facts {
    let mut live: BTreeMap<ObjectKey, Vec<(Arc<str>, i64)>> = BTreeMap::new();
    for (kind, api_version, word) in DEALT {
        for (id, shard) in store.clusters() {
            for (_, row) in store.rows(id, kind.id()) {
                let Some(wanted) = row.workload().and_then(|w| w.wanted) else { continue };
                let key = ObjectKey {
                    api_version: api_version.into(),
                    kind: word.into(),
                    namespace: row.ns().into(),
                    name: (*row.name).into(),
                };
                live.entry(key).or_default().push((shard.record.name.clone(), i64::from(wanted)));
            }
        }
    }
    Facts { clusters: clusters(store, now), live, hub: Vec::new() }
}

/// Gathers the facts in steps, for what is desired only: the console must not stand still for it, and a large fleet runs far
/// more than is declared.
#[derive(Debug)]
pub struct Gather {
    dealt: Vec<(Builtin, ObjectKey)>,
    next: usize,
    live: BTreeMap<ObjectKey, Vec<(Arc<str>, i64)>>,
}

impl Gather {
    /// Nothing is gathered yet; `desired` = what is to be looked for, `None` = nothing is known of that yet.
    pub fn new(desired: Option<&Desired>) -> Self {
        let dealt = |key: &ObjectKey| {
            let (kind, ..) =
                DEALT.iter().find(|(_, version, word)| *key.api_version == **version && *key.kind == **word)?;
            Some((*kind, key.clone()))
        };
        let dealt = desired.into_iter().flat_map(Desired::keys).filter_map(dealt).collect();
        Self { dealt, next: 0, live: BTreeMap::new() }
    }

    /// Looks at so many rows, or a few more. True when all were looked at.
    pub fn step(&mut self, store: &Store, rows: usize) -> bool {
        let mut looked = 0;
        while looked < rows {
            let Some((kind, key)) = self.dealt.get(self.next) else { return true };
            for (id, shard) in store.clusters() {
                looked += 1;
                let row = store.find_by(id, kind.id(), &key.namespace, &key.name).and_then(|at| store.row(at));
                if let Some(wanted) = row.and_then(|r| r.workload()).and_then(|w| w.wanted) {
                    let replicas = self.live.entry(key.clone()).or_default();
                    replicas.push((shard.record.name.clone(), i64::from(wanted)));
                }
            }
            self.next += 1;
        }
        self.next >= self.dealt.len()
    }

    /// The facts.
    pub fn facts(self, store: &Store, now: Millis) -> Facts {
        Facts { clusters: clusters(store, now), live: self.live, hub: Vec::new() }
    }
}

fn clusters(store: &Store, now: Millis) -> Vec<Cluster> {
    inventory::rows(store, now).iter().map(observed::seen).collect()
}

/// The policies of a hub as its API gave them. Each is its own source: `CLUSTER kind/namespace/name`; there are no lines.
pub fn of_hub(cluster: &str, items: &[serde_json::Value]) -> Vec<Arc<Object>> {
    let object = |item: &serde_json::Value| {
        let key = ObjectKey::of(&Node::from_json(item, &Origin::Unknown))?;
        let path: Vec<&str> = [&*key.kind, &*key.namespace, &*key.name].into_iter().filter(|p| !p.is_empty()).collect();
        let source = Source::new(SourceKind::Hub, format!("{cluster} {}", path.join("/")));
        Object::new(Node::from_json(item, &Origin::At(source, 0)))
    };
    items.iter().filter_map(object).map(Arc::new).collect()
}

/// What was placed before: what runs, as long as its sum is what is asked for. Where it is not (somebody scaled by hand, a
/// cluster does not answer), the last placement counts, and what runs only where there is none: drift must not move what is
/// desired.
pub fn states(
    live: &BTreeMap<ObjectKey, Vec<(Arc<str>, i64)>>,
    services: &[Arc<Service>],
    former: Option<&Desired>,
) -> BTreeMap<ObjectKey, State> {
    let mut states = BTreeMap::new();
    let objects = services.iter().flat_map(|s| &s.sources).flat_map(|s| &s.bases).flat_map(|b| b.objects.iter());
    for object in objects {
        let Some(running) = live.get(&object.key) else { continue };
        let sum: i64 = running.iter().map(|(_, n)| n).sum();
        let before =
            if sum == Resource::of(object).replicas { None } else { former.and_then(|f| placed(f, &object.key)) };
        let mut previous = before.unwrap_or_else(|| running.clone());
        previous.sort();
        states.insert(object.key.clone(), State { previous, ..State::default() });
    }
    states
}

/// The last placement of an object by name of cluster; `None` when there is none.
fn placed(former: &Desired, key: &ObjectKey) -> Option<Vec<(Arc<str>, i64)>> {
    let named =
        |at: u32| usize::try_from(at).ok().and_then(|at| former.inputs.clusters.get(at)).map(|c| c.name.clone());
    let shares: Vec<(Arc<str>, i64)> =
        former.named(key).flat_map(|(_, placed)| placed.shares()).filter_map(|(at, n)| Some((named(at)?, n))).collect();
    (!shares.is_empty()).then_some(shares)
}
