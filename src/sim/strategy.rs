//! Rules of writes over HTTP: what a client may set, what it may not change, and what follows from a write.

use serde_json::{Value, json};

use super::{
    bare, defaults, definition,
    error::{ApiError, CauseLine},
    kinds::{self, Resource},
    managed,
    object::Stored,
    path::ApiPath,
    store::{ClusterStore, Writer},
    validate,
};

/// Checks `apiVersion`, `kind` and namespace of a body against the path and fills in what is missing.
pub fn check_head(api: &ApiPath, resource: &Resource, object: &mut Value) -> Result<(), ApiError> {
    let wanted = resource.api_version(&api.version);
    let given = |object: &Value, key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (version, kind) = (given(object, "apiVersion"), given(object, "kind"));
    if !object.is_object() || (!kind.is_empty() && kind != resource.kind) || (!version.is_empty() && version != wanted)
    {
        return Err(ApiError::bad_request(format!(
            "the API version in the data ({version}) does not match the expected API version ({wanted})"
        )));
    }
    object["apiVersion"] = json!(wanted);
    object["kind"] = json!(resource.kind);
    if !object.get("metadata").is_some_and(Value::is_object) {
        object["metadata"] = json!({});
    }
    let namespace = given(&object["metadata"], "namespace");
    if resource.namespaced && namespace.is_empty() {
        object["metadata"]["namespace"] = json!(api.namespace);
    } else if namespace != api.namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    Ok(())
}

/// A new object: status as the server starts it, defaults, validation.
pub fn for_create(resource: &Resource, object: &mut Value) -> Result<(), ApiError> {
    if resource.status
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("status");
    }
    defaults::apply(resource, object);
    let causes = validate::create(resource, object);
    reject(resource, object, causes)
}

/// A changed object: the other half (spec or status) as it was, defaults, validation.
pub fn for_update(resource: &Resource, subresource: &str, old: &Value, new: &mut Value) -> Result<(), ApiError> {
    if subresource == "status" {
        let (status, metadata) = (new.get("status").cloned(), new.get("metadata").cloned());
        *new = old.clone();
        if let Some(status) = status {
            new["status"] = status;
        }
        // A status write may carry annotations and the record of its fields, and its precondition.
        for key in ["annotations", "managedFields", "resourceVersion"] {
            match metadata.as_ref().and_then(|m| m.get(key)) {
                Some(value) => new["metadata"][key] = value.clone(),
                None => managed::unset(new, key),
            }
        }
        return Ok(());
    }
    if resource.status {
        match old.get("status") {
            Some(status) => new["status"] = status.clone(),
            None => {
                new.as_object_mut().map(|o| o.remove("status"));
            }
        }
    }
    if resource.rid == kinds::SERVICES {
        for key in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            if let (Some(held), None) = (old["spec"].get(key), new["spec"].get(key)) {
                new["spec"][key] = held.clone();
            }
        }
    }
    defaults::apply(resource, new);
    if resource.rid == kinds::DAEMONSETS {
        defaults::count_template(old, new);
    }
    let causes = validate::update(resource, old, new);
    reject(resource, new, causes)
}

fn reject(resource: &Resource, object: &Value, causes: Vec<CauseLine>) -> Result<(), ApiError> {
    if causes.is_empty() {
        return Ok(());
    }
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    Err(ApiError::invalid(resource, name, causes))
}

/// What follows from a creation: namespaces get their account, definitions are served.
pub fn created(store: &ClusterStore, resource: &Resource, stored: &Stored) {
    match resource.rid {
        kinds::NAMESPACES => bare::furnish_namespace(store, stored.name()),
        kinds::CRDS => definition::established(store, stored),
        _ => {}
    }
}

/// What follows from an update.
pub fn updated(store: &ClusterStore, resource: &Resource, stored: &Stored, by: &Writer<'_>) {
    if resource.rid == kinds::CRDS && !by.dry_run && by.subresource.is_empty() {
        definition::established(store, stored);
    }
}

/// What follows from a deletion.
pub fn deleted(store: &ClusterStore, resource: &Resource, stored: &Stored) {
    if resource.rid == kinds::CRDS {
        definition::withdrawn(store, stored);
    }
}
