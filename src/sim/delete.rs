//! Deletion: what holds an object back, and what happens to those it owns.

use serde_json::{Value, json};

use super::{
    clock::{Clock, rfc3339},
    error::ApiError,
    kinds::{self, Resource, Rid},
    managed::finalizers,
    object::Stored,
    store::{DeleteOptions, Propagation},
};
use crate::model::Millis;

/// Preconditions of a deletion.
pub fn check(resource: &Resource, held: &Stored, options: &DeleteOptions) -> Result<(), ApiError> {
    let cause = match (&options.uid, &options.resource_version) {
        (Some(uid), _) if *uid != *held.uid => {
            format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {}", held.uid)
        }
        (_, Some(version)) if *version != held.version.to_string() => format!(
            "Precondition failed: ResourceVersion in precondition: {version}, ResourceVersion in object meta: {}",
            held.version
        ),
        _ => return Ok(()),
    };
    Err(ApiError::conflict(resource, held.name(), &cause))
}

/// The object marked as being deleted, or `None` when it can go at once.
pub fn mark(object: &Value, rid: Rid, options: &DeleteOptions, owns: bool, clock: &Clock) -> Option<Value> {
    let grace = grace_of(object, rid, options);
    let foreground = options.propagation == Propagation::Foreground && owns;
    let held = !finalizers(object).is_empty() || foreground || grace > 0 || rid == kinds::NAMESPACES;
    if !held {
        return None;
    }
    let mut marked = object.clone();
    let metadata = &mut marked["metadata"];
    if metadata.get("deletionTimestamp").is_none_or(Value::is_null) {
        let at = Millis(clock.now().0 + grace * 1000);
        metadata["deletionTimestamp"] = json!(rfc3339(at));
        if let Some(generation) = metadata.get("generation").and_then(Value::as_i64) {
            metadata["generation"] = json!(generation + 1);
        }
    }
    metadata["deletionGracePeriodSeconds"] = json!(grace);
    if foreground {
        add_finalizer(metadata, "foregroundDeletion");
    }
    if rid == kinds::NAMESPACES {
        marked["status"]["phase"] = json!("Terminating");
    }
    Some(marked)
}

fn grace_of(object: &Value, rid: Rid, options: &DeleteOptions) -> i64 {
    let scheduled = object.pointer("/spec/nodeName").and_then(Value::as_str).is_some_and(|n| !n.is_empty());
    let ended = matches!(object.pointer("/status/phase").and_then(Value::as_str), Some("Succeeded" | "Failed"));
    if rid != kinds::PODS || !scheduled || ended {
        return 0;
    }
    let own = object.pointer("/spec/terminationGracePeriodSeconds").and_then(Value::as_i64);
    options.grace.or(own).unwrap_or(30).max(0)
}

fn add_finalizer(metadata: &mut Value, name: &str) {
    if !metadata.get("finalizers").is_some_and(Value::is_array) {
        metadata["finalizers"] = json!([]);
    }
    if let Some(list) = metadata["finalizers"].as_array_mut()
        && !list.iter().any(|f| f == name)
    {
        list.push(json!(name));
    }
}

/// Takes the wait for dependents off an owner; whether it waited.
pub fn release(object: &mut Value) -> bool {
    let Some(list) = object.pointer_mut("/metadata/finalizers").and_then(Value::as_array_mut) else { return false };
    let before = list.len();
    list.retain(|f| f != "foregroundDeletion");
    let waited = list.len() != before;
    if list.is_empty() {
        super::managed::unset(object, "finalizers");
    }
    waited
}

/// Takes one owner out of `ownerReferences`.
pub fn disown(object: &mut Value, uid: &str) {
    if let Some(list) = object.pointer_mut("/metadata/ownerReferences").and_then(Value::as_array_mut) {
        list.retain(|o| o.get("uid").and_then(Value::as_str) != Some(uid));
        if list.is_empty() {
            super::managed::unset(object, "ownerReferences");
        }
    }
}
