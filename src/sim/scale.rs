//! The scale subresource: replicas of a workload as an autoscaling/v1 Scale.

use http::header;
use serde_json::{Value, json};

use super::{
    answer::{self, Answer},
    error::ApiError,
    kinds::{self, Resource},
    patch,
    path::ApiPath,
    request::{Call, Server},
    write,
};

/// Answers get, update and patch of `/scale`.
pub fn answer(
    server: &Server,
    call: &Call,
    api: &ApiPath,
    resource: &Resource,
    verb: &str,
) -> Result<Answer, ApiError> {
    if verb == "get" {
        let object = server.store.value(resource.rid, &api.namespace, &api.name);
        let object = object.ok_or_else(|| ApiError::not_found(resource, &api.name))?;
        return Ok(answer::json(200, &scale_of(resource, &object)));
    }
    let kind = call.headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let manager = call.manager();
    let by = write::writer(call, api, &manager);
    let stored = server.store.modify(resource.rid, &api.namespace, &api.name, &by, |current| {
        let mut scale = scale_of(resource, current);
        if verb == "update" {
            scale = serde_json::from_slice(&call.body).map_err(|e| ApiError::bad_request(e.to_string()))?;
        } else {
            let kind = patch::PatchKind::of(kind)?;
            let change = patch::parse(kind, &call.body)?;
            // A Scale has no lists: every kind of merge is the same to it.
            match kind {
                patch::PatchKind::Json => patch::change(kind, resource, &mut scale, &change)?,
                _ => json_patch::merge(&mut scale, &change),
            }
        }
        let version = scale.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default();
        if !version.is_empty() && Some(version) != current.pointer("/metadata/resourceVersion").and_then(Value::as_str)
        {
            return Err(ApiError::modified(resource, &api.name));
        }
        let replicas = scale.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0);
        if replicas < 0 {
            let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
            return Err(ApiError::invalid(
                resource,
                &api.name,
                vec![("FieldValueInvalid", message, "spec.replicas".into())],
            ));
        }
        current["spec"]["replicas"] = json!(replicas);
        Ok(())
    })?;
    Ok(answer::json(200, &scale_of(resource, &stored.value(resource))))
}

fn scale_of(resource: &Resource, object: &Value) -> Value {
    let metadata = &object["metadata"];
    let mut scale = json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"], "creationTimestamp": metadata["creationTimestamp"],
        },
        "spec": {"replicas": object.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0)},
        "status": {"replicas": object.pointer("/status/replicas").and_then(Value::as_i64).unwrap_or(0)},
    });
    let selector = &object["spec"]["selector"];
    let labels = if resource.rid == kinds::REPLICATIONCONTROLLERS { selector } else { &selector["matchLabels"] };
    if let Some(labels) = labels.as_object() {
        let pairs: Vec<String> =
            labels.iter().map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or_default())).collect();
        scale["status"]["selector"] = json!(pairs.join(","));
    }
    scale
}
