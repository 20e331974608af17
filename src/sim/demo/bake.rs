//! Objects with a past: written step by step by the managers of real clusters at given times, then put into the store as they
//! would lie there today.

use serde_json::{Value, json};

use crate::{
    model::Millis,
    sim::{
        controllers::{seed, value::*},
        kinds::Rid,
        managed,
        store::{ClusterStore, Writer},
    },
};

/// Puts objects with a past into one cluster.
#[derive(Clone, Copy, Debug)]
pub struct Bake<'a> {
    /// The cluster.
    pub store: &'a ClusterStore,
    /// Seed of the fleet.
    pub seed: u64,
    /// Now.
    pub now: Millis,
}

/// Who wrote an object first, and by which operation.
#[derive(Clone, Copy, Debug)]
pub struct By {
    /// Field manager.
    pub manager: &'static str,
    /// Server-side apply instead of update.
    pub apply: bool,
}

impl By {
    /// A manager that updates.
    pub const fn update(manager: &'static str) -> Self {
        Self { manager, apply: false }
    }

    /// A manager that applies.
    pub const fn apply(manager: &'static str) -> Self {
        Self { manager, apply: true }
    }
}

/// The controller manager.
pub const KCM: By = By::update("kube-controller-manager");
/// The kubelet.
pub const KUBELET: By = By::update("kubelet");

impl Bake<'_> {
    /// A moment so many minutes ago.
    pub fn ago(&self, minutes: i64) -> Millis {
        Millis(self.now.0 - minutes * 60_000)
    }

    /// A new object: uid and creation time, then the first write, without the status.
    pub fn new_object(&self, rid: Rid, mut object: Value, by: By, at: Millis) -> Value {
        let resource = self.store.resource(rid);
        if object.get("apiVersion").is_none() {
            object["apiVersion"] = json!(resource.api_version(resource.preferred()));
            object["kind"] = json!(resource.kind);
        }
        let status = object.as_object_mut().and_then(|o| o.remove("status"));
        crate::sim::defaults::apply(&resource, &mut object);
        let id = seed::uid(self.seed, &[self.store.name(), &resource.plural, namespace(&object), name(&object)]);
        object["metadata"]["uid"] = json!(id);
        object["metadata"]["creationTimestamp"] = json!(stamp(at));
        if resource.generation {
            object["metadata"]["generation"] = json!(1);
        }
        self.track(rid, None, &mut object, by, "", at);
        if let Some(status) = status {
            object["status"] = status;
        }
        object
    }

    /// A later write of an object.
    pub fn rewrite(
        &self,
        rid: Rid,
        object: &mut Value,
        by: By,
        sub: &str,
        at: Millis,
        change: impl FnOnce(&mut Value),
    ) {
        let before = object.clone();
        change(object);
        if sub.is_empty() && before["spec"] != object["spec"] && object["metadata"].get("generation").is_some() {
            object["metadata"]["generation"] = json!(int(&before, "/metadata/generation", 1) + 1);
        }
        self.track(rid, Some(&before), object, by, sub, at);
    }

    /// A later write of the status.
    pub fn report(&self, rid: Rid, object: &mut Value, by: By, at: Millis, status: Value) {
        self.rewrite(rid, object, by, "status", at, |o| o["status"] = status);
    }

    /// Records a write. Appliers are tracked as updaters are (they conflict with nobody here), their entry says `Apply`.
    fn track(&self, rid: Rid, before: Option<&Value>, object: &mut Value, by: By, sub: &str, at: Millis) {
        let resource = self.store.resource(rid);
        let writer = Writer { manager: by.manager, subresource: sub, dry_run: false };
        let before = before.map(|b| {
            let mut b = b.clone();
            rename_operation(&mut b, by.manager, "Update");
            b
        });
        rename_operation(object, by.manager, "Update");
        managed::track(before.as_ref(), object, &resource, &writer, &stamp(at));
        if by.apply {
            rename_operation(object, by.manager, "Apply");
        }
    }

    /// Puts a finished object into the store.
    pub fn load(&self, rid: Rid, object: Value) {
        self.store.load(rid, object);
    }

    /// A plain object, written once.
    pub fn put(&self, rid: Rid, object: Value, by: By, at: Millis) -> Value {
        let object = self.new_object(rid, object, by, at);
        self.load(rid, object.clone());
        object
    }
}

fn rename_operation(object: &mut Value, manager: &str, operation: &str) {
    let entries = object.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut);
    for entry in entries.into_iter().flatten().filter(|e| text(e, "/manager") == manager) {
        entry["operation"] = json!(operation);
    }
}
