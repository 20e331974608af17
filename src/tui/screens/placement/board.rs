//! What the Placement screen is about, without its cursor: services and their objects, what each cluster should have of them,
//! and what it has.

use std::{cell::OnceCell, collections::BTreeMap, sync::Arc};

use crate::{
    desired::{
        engine::{Desired, Outcome, Owner, Placed},
        object::ObjectKey,
        place::Failure,
    },
    fleet::Store,
    model::{ClusterId, Health, KindId, KindStatus},
    tui::wanted::{self, Numbers},
};

/// What a cluster should have of one object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Want {
    /// Nothing: it is not placed there.
    #[default]
    No,
    /// The object; its replicas are not fixed, or it has none.
    There,
    /// The object with so many replicas.
    Count(i64),
    /// The object, with so many replicas if that is known; its overrides failed.
    Failed(Option<i64>),
    /// The object, but it is not handed over for now.
    Held(Option<i64>),
}

impl Want {
    /// Replicas, where they are fixed.
    pub(super) fn count(self) -> Option<i64> {
        match self {
            Self::Count(n) => Some(n),
            Self::Failed(n) | Self::Held(n) => n,
            Self::No | Self::There => None,
        }
    }
}

/// What a cluster has of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Live {
    /// Nobody knows.
    Unknown,
    /// Nothing.
    Absent,
    /// The object.
    There {
        /// Ready replicas; 0 where it runs no Pods.
        ready: u32,
        /// Replicas that its cluster wants of it, where it says so.
        wanted: Option<u32>,
        /// Health.
        health: Health,
        /// Old data.
        stale: bool,
    },
}

/// An object of a service: from each source that has it, since each cluster has its base from one of them.
#[derive(Debug)]
pub(super) struct Item {
    /// As it was placed, source by source; never empty.
    pub(super) parts: Vec<Arc<Placed>>,
    /// Its kind in the cache; `None` = it is not watched.
    kind: Option<KindId>,
    namespace: Arc<str>,
    /// It runs Pods.
    pub(super) workload: bool,
    wants: OnceCell<Vec<Want>>,
}

impl Item {
    /// Name of the object.
    pub(super) fn key(&self) -> &ObjectKey {
        &self.first().key
    }

    /// From the first source.
    pub(super) fn first(&self) -> &Arc<Placed> {
        &self.parts[0]
    }

    /// From the source that counts for a cluster.
    pub(super) fn part(&self, cluster: u32) -> &Arc<Placed> {
        let placed = self.parts.iter().find(|p| p.replicas(cluster).is_some());
        let reached = || self.parts.iter().find(|p| p.clusters().any(|n| n == cluster));
        placed.or_else(reached).unwrap_or_else(|| self.first())
    }

    /// What a cluster should have of it.
    pub(super) fn want(&self, cluster: u32) -> Want {
        let wants = self.wants.get_or_init(|| wants(&self.parts));
        usize::try_from(cluster).ok().and_then(|at| wants.get(at)).copied().unwrap_or_default()
    }

    /// What a cluster has of it.
    pub(super) fn live(&self, store: &Store, cluster: ClusterId) -> Live {
        let Some(kind) = self.kind else { return Live::Unknown };
        let Some(at) = store.find_by(cluster, kind, &self.namespace, &self.key().name) else {
            return if is_known(store, cluster, kind) { Live::Absent } else { Live::Unknown };
        };
        let Some(row) = store.row(at) else { return Live::Unknown };
        let workload = row.workload();
        Live::There {
            ready: workload.map_or(0, |w| w.ready),
            wanted: workload.and_then(|w| w.wanted),
            health: row.health,
            stale: store.is_stale(at),
        }
    }

    /// Why there is no placement, where there is none.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.parts.iter().find_map(|p| p.decision.as_ref()?.outcome.as_ref().err()).copied()
    }
}

/// Whether it can be told that a cluster has *not* an object of a kind.
fn is_known(store: &Store, cluster: ClusterId, kind: KindId) -> bool {
    let Some(shard) = store.shard(cluster) else { return false };
    match shard.kind(kind) {
        KindStatus::Live | KindStatus::Polling | KindStatus::Stale(_) | KindStatus::NotServed => true,
        KindStatus::Waiting => store.count(cluster, kind) > 0,
        KindStatus::Listing { .. } | KindStatus::Forbidden(_) | KindStatus::Failing(_) => false,
    }
}

/// By number of the cluster.
fn wants(parts: &[Arc<Placed>]) -> Vec<Want> {
    let mut wants = Vec::new();
    for placed in parts {
        for (cluster, share) in placed.shares() {
            let Ok(at) = usize::try_from(cluster) else { continue };
            wants.resize(wants.len().max(at + 1), Want::No);
            if wants[at] == Want::No {
                wants[at] = want(placed, cluster, share);
            }
        }
    }
    wants
}

fn want(placed: &Placed, cluster: u32, share: i64) -> Want {
    let count = replicas(placed, cluster, share);
    if placed.failure(cluster).is_some() {
        Want::Failed(count)
    } else if placed.object(cluster).is_none() {
        Want::Held(count)
    } else {
        count.map_or(Want::There, Want::Count)
    }
}

/// Replicas as the cluster's own object has them, else as they were placed; `None` where nothing fixes them.
fn replicas(placed: &Placed, cluster: u32, share: i64) -> Option<i64> {
    let object = placed.object(cluster).unwrap_or(&placed.template);
    let written = object.node.at_keys(&["spec", "replicas"]).and_then(|n| n.as_int());
    written.or((share > 0).then_some(share))
}

/// A service.
#[derive(Debug)]
pub(super) struct Line {
    /// As it was placed.
    pub(super) outcome: Arc<Outcome>,
    /// Its objects.
    pub(super) items: Vec<Item>,
}

impl Line {
    /// Key of the service.
    pub(super) fn key(&self) -> (Arc<str>, Arc<str>) {
        (self.outcome.service.namespace.clone(), self.outcome.service.name.clone())
    }

    /// The objects that a service's own cells stand for: its workloads, or all objects where it has none.
    pub(super) fn telling(&self) -> impl Iterator<Item = &Item> {
        let workloads = self.items.iter().any(|i| i.workload);
        self.items.iter().filter(move |i| i.workload || !workloads)
    }

    /// Number of the object that speaks for the service: the workload of its name, else the first one, else the first object.
    pub(super) fn main(&self) -> Option<usize> {
        let named = |i: &Item| *i.key().name == *self.outcome.service.name;
        let at = |test: &dyn Fn(&Item) -> bool| self.items.iter().position(test);
        at(&|i| i.workload && named(i)).or_else(|| at(&|i| i.workload)).or_else(|| at(&|_| true))
    }

    /// The object of the same name.
    pub(super) fn twin(&self, of: &Item) -> Option<&Item> {
        self.items.iter().find(|i| i.key() == of.key())
    }
}

/// Everything.
#[derive(Debug, Default)]
pub(super) struct Board {
    /// What it was made from.
    pub(super) desired: Arc<Desired>,
    /// By service, in the order of the fleet file.
    pub(super) lines: Vec<Line>,
    numbers: Numbers,
}

impl Board {
    /// The board of a desired state, for the clusters that the store has.
    pub(super) fn new(desired: &Arc<Desired>, store: &Store) -> Self {
        let kinds: BTreeMap<(String, String), KindId> =
            store.kinds().all().into_iter().map(|(id, k)| ((k.group.clone(), k.kind.clone()), id)).collect();
        let line = |outcome: &Arc<Outcome>| Line { items: items(outcome, &kinds), outcome: outcome.clone() };
        Self {
            lines: desired.services.iter().map(line).collect(),
            numbers: Numbers::new(desired, store),
            desired: desired.clone(),
        }
    }

    /// Number of a cluster in desired state.
    pub(super) fn number(&self, cluster: ClusterId) -> Option<u32> {
        self.numbers.of(cluster)
    }

    /// Clusters may have come or gone.
    pub(super) fn renumber(&mut self, store: &Store) {
        self.numbers = Numbers::new(&self.desired, store);
    }

    /// What a cluster should have of an object.
    pub(super) fn want(&self, item: &Item, cluster: ClusterId) -> Want {
        self.number(cluster).map(|n| item.want(n)).unwrap_or_default()
    }
}

/// The objects of a service in the order of its sources, each once.
fn items(outcome: &Outcome, kinds: &BTreeMap<(String, String), KindId>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut places: BTreeMap<&ObjectKey, usize> = BTreeMap::new();
    for placed in &outcome.placed {
        match places.get(&placed.key) {
            Some(at) => items[*at].parts.push(placed.clone()),
            None => {
                places.insert(&placed.key, items.len());
                items.push(item(placed, outcome, kinds));
            }
        }
    }
    items
}

fn item(placed: &Arc<Placed>, outcome: &Outcome, kinds: &BTreeMap<(String, String), KindId>) -> Item {
    let key = &placed.key;
    let kind = kinds.get(&(key.group().to_owned(), key.kind.to_string())).copied();
    // What names no namespace is applied to the service's own, or to the usual one.
    let namespace = [&key.namespace, &outcome.service.namespace].into_iter().find(|n| !n.is_empty()).cloned();
    let cluster_scoped = matches!(&*key.kind, "Namespace" | "Node" | "CSIDriver");
    Item {
        parts: vec![placed.clone()],
        kind,
        namespace: if cluster_scoped { "".into() } else { namespace.unwrap_or_else(|| "default".into()) },
        workload: wanted::is_workload(&placed.template),
        wants: OnceCell::new(),
    }
}

/// How a service or an object stands over all clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    /// Why there is no placement.
    pub(super) failure: Option<Failure>,
    /// Clusters whose overrides failed.
    pub(super) failed: u32,
    /// Clusters that have less than they should.
    pub(super) short: u32,
    /// Clusters that have what they should not.
    pub(super) orphans: u32,
    /// Nobody sends it anywhere.
    pub(super) nobody: bool,
    /// Clusters to which it is not handed over for now.
    pub(super) held: u32,
}

impl Standing {
    /// Takes one more cell in.
    pub(super) fn add(&mut self, want: Want, live: Live) {
        match want {
            Want::Failed(_) => self.failed += 1,
            Want::Held(_) => self.held += 1,
            Want::No => {
                self.orphans += u32::from(matches!(live, Live::There { .. }));
                return;
            }
            Want::There | Want::Count(_) => {}
        }
        match live {
            Live::Unknown => {}
            Live::Absent => self.short += 1,
            Live::There { ready, wanted, .. } => {
                let aim = want.count().or(wanted.map(i64::from)).unwrap_or(0);
                self.short += u32::from(i64::from(ready) < aim);
            }
        }
    }

    /// What holds for an object wherever it goes.
    pub(super) fn begin(&mut self, item: &Item) {
        self.failure = self.failure.or(item.failure());
        self.nobody |= item.parts.iter().all(|p| p.owner == Owner::Nobody);
    }

    /// Worst first.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self { failure: Some(_), .. } => 0,
            Self { failed: 1.., .. } => 1,
            Self { short: 1.., .. } => 2,
            Self { nobody: true, .. } => 3,
            Self { held: 1.., .. } => 4,
            Self { orphans: 1.., .. } => 5,
            // What is not known is told by the cluster's own column.
            _ => WELL,
        }
    }
}

/// Rank from which on nothing is wrong.
pub(super) const WELL: u8 = 6;
