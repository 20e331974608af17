//! The controllers of a simulated cluster: a queue of keys fed by the store's changes, and timers on simulated time.
//!
//! Everything runs in [`Engine::step`], without waiting and in a fixed order: a manual clock and a seed give the same fleet
//! again. A cluster in which nothing happens costs nothing.

pub mod amount;
pub mod autoscaler;
mod claims;
pub mod clone_set;
mod ctx;
pub mod daemon_set;
pub mod deployment;
pub mod endpoints;
pub mod job;
mod namespace;
pub mod pods;
pub mod replica_set;
pub mod revision;
pub mod rolling;
pub mod rollout;
pub mod seed;
pub mod stateful_set;
#[cfg(test)]
mod tests;
pub mod value;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use tokio::sync::mpsc::UnboundedReceiver;

pub use ctx::Ctx;

use super::{
    kinds::{self, Rid},
    kubelet,
    object::Stored,
    store::{Change, ChangeKind, ClusterStore},
};
use crate::model::Millis;

/// One object of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Its resource.
    pub rid: Rid,
    /// `namespace/name`, or `/name`.
    pub path: Arc<str>,
}

impl Key {
    /// A key from its parts.
    pub fn new(rid: Rid, namespace: &str, name: &str) -> Self {
        Self { rid, path: format!("{namespace}/{name}").into() }
    }

    /// The key of a stored object.
    pub fn of(object: &Stored) -> Self {
        Self { rid: object.rid, path: Arc::clone(&object.key) }
    }

    /// Its namespace, empty for cluster-scoped objects.
    pub fn namespace(&self) -> &str {
        self.path.split_once('/').map_or("", |(ns, _)| ns)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.path.split_once('/').map_or(&self.path, |(_, name)| name)
    }
}

/// What differs between clusters for controllers and kubelets.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Seed of delays and names.
    pub seed: u64,
    /// What moving tags mean here: image and content; a digest follows from both.
    pub contents: Vec<(String, String)>,
}

/// Kinds whose objects own others and are told when those change.
const OWNERS: &[Rid] = &[
    kinds::DEPLOYMENTS,
    kinds::REPLICASETS,
    kinds::STATEFULSETS,
    kinds::DAEMONSETS,
    kinds::JOBS,
    kinds::CRONJOBS,
    kinds::ROLLOUTS,
    kinds::CLONESETS,
    kinds::KRUISE_STATEFULSETS,
    kinds::KRUISE_DAEMONSETS,
];

/// Kinds whose objects pick pods by label.
const PICKERS: &[Rid] = &[kinds::SERVICES, kinds::PDBS];

/// Further kinds that a controller looks after.
const OTHERS: &[Rid] = &[kinds::NAMESPACES, kinds::PODS, kinds::HPAS, kinds::EVENTS, kinds::PERSISTENTVOLUMECLAIMS];

/// Keys handled in one [`Engine::step`]: enough for any burst, few enough to let others breathe.
const BURST: usize = 2000;

/// The controllers of one cluster.
#[derive(Debug)]
pub struct Engine {
    store: Arc<ClusterStore>,
    feed: UnboundedReceiver<Arc<Change>>,
    options: Options,
    queue: BTreeSet<Key>,
    timers: BTreeSet<(Millis, Key)>,
    due: HashMap<Key, Millis>,
    owners: HashMap<Box<str>, Key>,
    pickers: BTreeMap<Box<str>, BTreeMap<Key, serde_json::Value>>,
    kubelet: kubelet::Plans,
}

impl Engine {
    /// Controllers for a store; everything that is in it is looked at once.
    pub fn new(store: Arc<ClusterStore>, options: Options) -> Self {
        let feed = store.feed();
        let mut engine = Self {
            feed,
            options,
            queue: BTreeSet::new(),
            timers: BTreeSet::new(),
            due: HashMap::new(),
            owners: HashMap::new(),
            pickers: BTreeMap::new(),
            kubelet: kubelet::Plans::default(),
            store,
        };
        let store = Arc::clone(&engine.store);
        for rid in OWNERS.iter().chain(PICKERS).chain(OTHERS) {
            for object in store.list(*rid, None).items {
                engine.seen(&Change { kind: ChangeKind::Added, object, before: None });
            }
        }
        engine
    }

    /// Does everything that is due, and says when to come again; `None` = when something changes.
    pub fn step(&mut self) -> Option<Millis> {
        let now = self.store.clock.now();
        while let Some((at, key)) = self.timers.first().cloned() {
            if at > now {
                break;
            }
            self.timers.remove(&(at, key.clone()));
            self.due.remove(&key);
            self.queue.insert(key);
        }
        for _ in 0..BURST {
            self.drain();
            let Some(key) = self.queue.pop_first() else { break };
            let next = self.reconcile(&key, now);
            self.remind(key, next);
        }
        self.drain();
        if !self.queue.is_empty() {
            return Some(now);
        }
        self.timers.first().map(|(at, _)| *at)
    }

    /// Runs for ever: sleeps until something changes or is due.
    pub async fn run(mut self) {
        loop {
            let next = self.step();
            let wait = next.map_or(Duration::from_hours(1), |at| {
                let ms = (at.0 - self.store.clock.now().0).max(0);
                Duration::from_millis(u64::try_from(ms).unwrap_or(0))
            });
            if wait.is_zero() {
                tokio::task::yield_now().await;
                continue;
            }
            tokio::select! {
                change = self.feed.recv() => match change {
                    Some(change) => self.seen(&change),
                    None => return,
                },
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    fn drain(&mut self) {
        while let Ok(change) = self.feed.try_recv() {
            self.seen(&change);
        }
    }

    fn remind(&mut self, key: Key, next: Option<Millis>) {
        if let Some(old) = self.due.remove(&key) {
            self.timers.remove(&(old, key.clone()));
        }
        if let Some(at) = next {
            self.due.insert(key.clone(), at);
            self.timers.insert((at, key));
        }
    }

    /// Queues whoever has to do with a changed object.
    fn seen(&mut self, change: &Change) {
        let object = &change.object;
        let key = Key::of(object);
        let gone = change.kind == ChangeKind::Deleted;
        for uid in &object.meta.owners {
            if let Some(owner) = self.owners.get(uid) {
                self.queue.insert(owner.clone());
            }
        }
        if OWNERS.contains(&object.rid) {
            if gone {
                self.owners.remove(&object.uid);
            } else {
                self.owners.insert(object.uid.clone(), key.clone());
            }
        }
        if PICKERS.contains(&object.rid) {
            self.remember_picker(&key, object, gone);
        }
        match object.rid {
            kinds::PODS => self.queue_pickers(change),
            kinds::NODES => self.queue_for_node(),
            _ => {}
        }
        if gone {
            self.remind(key.clone(), None);
            self.queue.remove(&key);
            self.kubelet.forget(&key);
        } else if reconciled(object.rid) {
            self.queue.insert(key);
        }
    }

    fn remember_picker(&mut self, key: &Key, object: &Stored, gone: bool) {
        let space = self.pickers.entry(key.namespace().into()).or_default();
        if gone {
            space.remove(key);
            return;
        }
        let value = object.value(&self.store.resource(object.rid));
        space.insert(key.clone(), value::at(&value, "/spec/selector").clone());
    }

    fn queue_pickers(&mut self, change: &Change) {
        let Some(space) = self.pickers.get(change.object.namespace()) else { return };
        for (key, selector) in space {
            let picks = |labels: &[(Box<str>, Box<str>)]| {
                let get = |k: &str| labels.iter().find(|(l, _)| &**l == k).map(|(_, v)| &**v);
                if key.rid == kinds::SERVICES {
                    value::selects_plain(selector, get)
                } else {
                    value::selects(selector, get)
                }
            };
            if picks(&change.object.meta.labels) || change.before.as_ref().is_some_and(|b| picks(&b.labels)) {
                self.queue.insert(key.clone());
            }
        }
    }

    /// A node came, went or changed: daemons are placed anew, and pods that wait for a place try again.
    fn queue_for_node(&mut self) {
        for rid in [kinds::DAEMONSETS, kinds::KRUISE_DAEMONSETS] {
            for object in self.store.list(rid, None).items {
                self.queue.insert(Key::of(&object));
            }
        }
        for pod in self.store.list(kinds::PODS, None).items {
            let bound = pod.field("spec.nodeName").is_some_and(|n| !n.is_empty());
            if !bound || pod.field("status.phase") == Some("Pending") {
                self.queue.insert(Key::of(&pod));
            }
        }
    }

    fn reconcile(&mut self, key: &Key, now: Millis) -> Option<Millis> {
        let ctx = Ctx { store: &self.store, now, options: &self.options };
        match key.rid {
            kinds::NAMESPACES => namespace::reconcile(&ctx, key),
            kinds::PODS => self.kubelet.reconcile(&ctx, key),
            kinds::DEPLOYMENTS => deployment::reconcile(&ctx, key),
            kinds::ROLLOUTS => rollout::reconcile(&ctx, key),
            kinds::REPLICASETS => replica_set::reconcile(&ctx, key),
            kinds::STATEFULSETS | kinds::KRUISE_STATEFULSETS => stateful_set::reconcile(&ctx, key),
            kinds::DAEMONSETS | kinds::KRUISE_DAEMONSETS => daemon_set::reconcile(&ctx, key),
            kinds::CLONESETS => clone_set::reconcile(&ctx, key),
            kinds::JOBS => job::reconcile(&ctx, key),
            kinds::CRONJOBS => job::reconcile_cron(&ctx, key),
            kinds::SERVICES => endpoints::reconcile(&ctx, key),
            kinds::PDBS => endpoints::reconcile_budget(&ctx, key),
            kinds::HPAS => autoscaler::reconcile(&ctx, key),
            kinds::EVENTS => ctx.expire_event(key),
            kinds::PERSISTENTVOLUMECLAIMS => claims::reconcile(&ctx, key),
            _ => None,
        }
    }
}

fn reconciled(rid: Rid) -> bool {
    OWNERS.contains(&rid) || PICKERS.contains(&rid) || OTHERS.contains(&rid)
}
