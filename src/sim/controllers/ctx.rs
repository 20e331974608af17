//! What a controller has at hand: the store, the moment, and the few ways in which controllers read and write.

use serde_json::{Value, json};

use super::{Key, Options, seed, value::*};
use crate::{
    model::Millis,
    sim::{
        kinds::{self, Rid},
        store::{ClusterStore, DeleteOptions, Writer},
    },
};

/// Field manager of the built-in controllers.
pub const MANAGER: &str = "kube-controller-manager";

/// How long a server keeps events.
const EVENT_TTL_MS: i64 = 3_600_000;

/// One reconciliation's view of the world.
#[derive(Clone, Copy, Debug)]
pub struct Ctx<'a> {
    /// The cluster.
    pub store: &'a ClusterStore,
    /// Now, the same during one step.
    pub now: Millis,
    /// Seed and what differs between clusters.
    pub options: &'a Options,
}

impl Ctx<'_> {
    /// The object behind a key.
    pub fn get(&self, key: &Key) -> Option<Value> {
        self.store.value(key.rid, key.namespace(), key.name())
    }

    /// Objects of one resource that name `uid` as an owner, in the order of their names.
    pub fn owned(&self, uid: &str, rid: Rid) -> Vec<Value> {
        let mut all = self.store.owned(uid);
        all.retain(|o| o.rid == rid);
        all.sort_by(|a, b| a.key.cmp(&b.key));
        let resource = self.store.resource(rid);
        all.iter().map(|o| o.value(&resource)).collect()
    }

    /// Creates an object; a name that is taken or a namespace that ends is no trouble to a controller.
    pub fn create(&self, rid: Rid, object: Value, manager: &str) -> bool {
        self.store.create(rid, object, &Writer::new(manager)).is_ok()
    }

    /// Changes an object; one that is gone stays gone.
    pub fn modify(&self, key: &Key, manager: &str, change: impl FnOnce(&mut Value)) -> bool {
        self.write(key, &Writer::new(manager), change)
    }

    /// Replaces the status of an object.
    pub fn set_status(&self, key: &Key, manager: &str, status: Value) -> bool {
        self.write(key, &Writer::status(manager), |o| o["status"] = status)
    }

    /// Writes with a writer of one's own.
    pub fn write(&self, key: &Key, by: &Writer<'_>, change: impl FnOnce(&mut Value)) -> bool {
        let changed = self.store.modify(key.rid, key.namespace(), key.name(), by, |o| {
            change(o);
            Ok(())
        });
        changed.is_ok()
    }

    /// Deletes an object with its dependents.
    pub fn delete(&self, rid: Rid, namespace: &str, name: &str) {
        // Gone already is what was wanted.
        let _ = self.store.delete(rid, namespace, name, &DeleteOptions::default());
    }

    /// The moment after a simulated wait.
    pub fn after(&self, ms: i64) -> Millis {
        let wait = std::time::Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        let real = i64::try_from(self.store.clock.real(wait).as_millis()).unwrap_or(i64::MAX / 4);
        // A timer that is due in the same millisecond would spin.
        Millis(self.now.0 + real.max(1))
    }

    /// Records an event about an object; the same one again only counts up.
    pub fn event(&self, about: &Value, kind: &str, reason: &str, message: &str, component: &str) {
        let name = format!("{}.{:016x}", name(about), seed::number(&[uid(about), reason, message]));
        let namespace = if namespace(about).is_empty() { "default" } else { namespace(about) };
        let stamp = stamp(self.now);
        let key = Key::new(kinds::EVENTS, namespace, &name);
        let again = self.modify(&key, component, |e| {
            e["count"] = json!(int(e, "/count", 1) + 1);
            e["lastTimestamp"] = json!(stamp);
        });
        if again {
            return;
        }
        let event = json!({
            "apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": namespace},
            "involvedObject": {"apiVersion": about["apiVersion"], "kind": about["kind"], "name": self::name(about),
                "namespace": self::namespace(about), "uid": uid(about), "resourceVersion": text(about, "/metadata/resourceVersion")},
            "type": kind, "reason": reason, "message": message, "count": 1, "firstTimestamp": stamp, "lastTimestamp": stamp,
            "eventTime": null, "source": {"component": component, "host": text(about, "/spec/nodeName")},
            "reportingComponent": component, "reportingInstance": text(about, "/spec/nodeName"),
        });
        self.create(kinds::EVENTS, event, component);
    }

    /// Removes an event an hour after it was last seen.
    pub fn expire_event(&self, key: &Key) -> Option<Millis> {
        let event = self.get(key)?;
        let last = time(&event, "/lastTimestamp").or_else(|| time(&event, "/metadata/creationTimestamp"))?;
        let end = Millis(last.0 + EVENT_TTL_MS);
        if end > self.now {
            return Some(end);
        }
        self.delete(kinds::EVENTS, key.namespace(), key.name());
        None
    }
}

/// The earlier of two moments, where there is one.
pub fn sooner(a: Option<Millis>, b: Option<Millis>) -> Option<Millis> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
