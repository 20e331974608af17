//! What a server adds to what a manifest leaves out (rules N30 to N63), per type; a custom resource's from its definition (N61).
//!
//! Defaults belong to types, not to paths: a pod template gets the same ones wherever it stands. Parents come before what
//! is in them.

mod autoscale;
mod extension;
mod network;
mod pods;
mod storage;
mod workload;

use serde_json::{Map, Value as Json};

use super::form::{Form, type_name, type_of};
use crate::schema::{Node, Shape, schema};

/// A map of an object.
type Fields = Map<String, Json>;

/// Fills in what is missing. In a manifest (`desired`) aliases follow the field that counts, in a stored object they are read.
pub fn fill(object: &mut Json, form: &Form, name: &str, desired: bool) {
    if form.custom {
        if let Some(definition) = &form.definition {
            declared(object, definition);
        }
        return;
    }
    if let Some(root) = object.as_object_mut() {
        of_kind(root, form, name);
    }
    descend(object, &form.root, desired);
}

/// Defaults that belong to a kind.
fn of_kind(root: &mut Fields, form: &Form, name: &str) {
    match (form.group.as_str(), form.kind.as_str()) {
        ("", "Secret") => set(root, "type", "Opaque"),
        ("", "Namespace") => {
            set(child(child(root, "metadata"), "labels"), "kubernetes.io/metadata.name", name);
            set(child(root, "spec"), "finalizers", Json::Array(vec!["kubernetes".into()]));
        }
        ("", "Pod") => pods::pod(child(root, "spec")),
        ("", "ReplicationController") => workload::replication_controller(root),
        ("", "PersistentVolume") => storage::volume(child(root, "spec")),
        ("batch", "Job") => workload::job(root),
        ("storage.k8s.io", "StorageClass") => storage::class(root),
        ("scheduling.k8s.io", "PriorityClass") => set(root, "preemptionPolicy", "PreemptLowerPriority"),
        ("networking.k8s.io", "IngressClass") => {
            inner(child(root, "spec"), "parameters", |parameters| set(parameters, "scope", "Cluster"));
        }
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => extension::binding(root),
        _ => {}
    }
}

/// Defaults of one struct, by the name of its type.
fn of_type(name: &str, fields: &mut Fields, desired: bool) {
    pods::of_type(name, fields, desired);
    workload::of_type(name, fields);
    network::of_type(name, fields);
    storage::of_type(name, fields);
    autoscale::of_type(name, fields);
    extension::of_type(name, fields);
}

fn descend(value: &mut Json, node: &Node, desired: bool) {
    match (value, &node.shape) {
        (Json::Object(map), Shape::Struct(_)) => {
            of_type(type_name(node), map, desired);
            let fields = type_of(node).map(|t| &t.fields);
            for (key, field) in fields.into_iter().flatten() {
                if let Some(default) = &field.default {
                    set(map, key, default.clone());
                }
            }
            for (key, value) in map.iter_mut() {
                descend(value, schema().below(node, key), desired);
            }
        }
        (Json::Object(map), Shape::Map(element)) => map.values_mut().for_each(|v| descend(v, element, desired)),
        (Json::Array(items), Shape::List(element)) => items.iter_mut().for_each(|i| descend(i, element, desired)),
        _ => {}
    }
}

/// Defaults of a definition's schema: parents first, only where the parent is there, in items too; a null takes the default
/// unless the field may be null (N61).
fn declared(value: &mut Json, schema: &Json) {
    match value {
        Json::Object(map) => {
            let properties = schema.get("properties").and_then(Json::as_object);
            for (key, field) in properties.into_iter().flatten() {
                let nullable = field.get("nullable") == Some(&Json::Bool(true));
                let open = match map.get(key) {
                    None => true,
                    Some(held) => held.is_null() && !nullable,
                };
                if open && let Some(default) = field.get("default") {
                    map.insert(key.clone(), default.clone());
                }
                if let Some(below) = map.get_mut(key) {
                    declared(below, field);
                }
            }
            if let Some(element) = schema.get("additionalProperties").filter(|e| e.is_object()) {
                let named = |key: &String| properties.is_some_and(|p| p.contains_key(key));
                map.iter_mut().filter(|(key, _)| !named(key)).for_each(|(_, v)| declared(v, element));
            }
        }
        Json::Array(items) => {
            if let Some(element) = schema.get("items") {
                items.iter_mut().for_each(|item| declared(item, element));
            }
        }
        _ => {}
    }
}

/// Sets a field that is absent.
fn set(map: &mut Fields, key: &str, value: impl Into<Json>) {
    let held = map.entry(key).or_insert(Json::Null);
    if held.is_null() {
        *held = value.into();
    }
}

/// The map under a key, made where it is not there.
fn child<'a>(map: &'a mut Fields, key: &str) -> &'a mut Fields {
    let value = map.entry(key).or_insert(Json::Null);
    if !value.is_object() {
        *value = Json::Object(Fields::new());
    }
    match value {
        Json::Object(child) => child,
        _ => unreachable!("it was just made a map"),
    }
}

/// Changes the map under a key, where there is one.
fn inner(map: &mut Fields, key: &str, change: impl FnOnce(&mut Fields)) {
    if let Some(inner) = map.get_mut(key).and_then(Json::as_object_mut) {
        change(inner);
    }
}

/// Changes each map of the list under a key.
fn each(map: &mut Fields, key: &str, change: impl Fn(&mut Fields)) {
    let list = map.get_mut(key).and_then(Json::as_array_mut);
    list.into_iter().flatten().filter_map(Json::as_object_mut).for_each(change);
}

/// The text under a key.
fn word<'a>(map: &'a Fields, key: &str) -> &'a str {
    map.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// Whether a list or map under a key holds anything.
fn holds(map: &Fields, key: &str) -> bool {
    match map.get(key) {
        Some(Json::Array(items)) => !items.is_empty(),
        Some(Json::Object(fields)) => !fields.is_empty(),
        Some(Json::Null) | None => false,
        Some(_) => true,
    }
}
