//! One whole object for a person to read. Secret values never leave this module.

use std::time::Duration;

use base64::Engine as _;
use serde_json::Value;

use super::{
    connect::{Connection, Response},
    discovery::Served,
    watch::Collection,
};
use crate::model::{Builtin, Cause, CauseCode, KindId, KindInfo, ObjectRef};

/// A person waits.
const PATIENCE: Duration = Duration::from_secs(5);

/// Annotation in which `kubectl apply` keeps the whole object, Secret values included.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Reads the object as the server has it now.
///
/// # Errors
/// The server's refusal, or what kept it from answering.
pub async fn fetch(
    connection: Connection,
    object: ObjectRef,
    info: std::sync::Arc<KindInfo>,
    served: Served,
    keep_managed_fields: bool,
) -> Result<Value, Cause> {
    let path = Collection::object(&served, &object.namespace, &object.name);
    let about = |cause: Cause| cause.during("get", &info.resource(), &object.namespace);
    let answer = connection.interactive().get(&path, "application/json", PATIENCE).await;
    let answer = answer.and_then(Response::ok).map_err(about)?;
    let mut value: Value =
        serde_json::from_slice(&answer.bytes).map_err(|e| about(Cause::new(CauseCode::Protocol, e.to_string())))?;
    tidy(&mut value, object.kind, keep_managed_fields);
    Ok(value)
}

/// Takes out what is not asked for and what nobody may see.
fn tidy(value: &mut Value, kind: KindId, keep_managed_fields: bool) {
    let is_secret = kind == Builtin::Secret.id();
    if let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        if !keep_managed_fields {
            meta.remove("managedFields");
        }
        if is_secret && let Some(applied) = meta.get_mut("annotations").and_then(|a| a.get_mut(LAST_APPLIED)) {
            *applied = Value::from(masked(applied.as_str().unwrap_or("").len()));
        }
    }
    if !is_secret {
        return;
    }
    for (field, is_encoded) in [("data", true), ("stringData", false)] {
        let Some(entries) = value.get_mut(field).and_then(Value::as_object_mut) else { continue };
        for entry in entries.values_mut() {
            let text = entry.as_str().unwrap_or("");
            let decoded = is_encoded.then(|| base64::engine::general_purpose::STANDARD.decode(text).ok()).flatten();
            *entry = Value::from(masked(decoded.map_or(text.len(), |d| d.len())));
        }
    }
}

fn masked(bytes: usize) -> String {
    format!("(masked, {bytes} bytes)")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secret_values_are_masked_wherever_they_stand() {
        let secret = json!({"metadata": {"name": "db", "managedFields": [1], "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": "{\"data\":{\"password\":\"aHVudGVyMg==\"}}"}},
            "data": {"password": "aHVudGVyMg=="}, "stringData": {"plain": "hunter2"}, "type": "Opaque"});
        let mut shown = secret.clone();
        tidy(&mut shown, Builtin::Secret.id(), false);
        assert_eq!(shown["data"]["password"], "(masked, 7 bytes)");
        assert_eq!(shown["stringData"]["plain"], "(masked, 7 bytes)");
        assert_eq!(shown["metadata"].get("managedFields"), None);
        let text = shown.to_string();
        assert!(!text.contains("aHVudGVyMg") && !text.contains("hunter2"), "{text}");
        let mut config = secret.clone();
        tidy(&mut config, Builtin::ConfigMap.id(), true);
        assert_eq!(config, secret);
    }
}
