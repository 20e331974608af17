//! Server-side apply: merge, ownership, conflicts, removal of what is no longer applied.

use serde_json::{Value, json};

use crate::sim::{
    error::ApiError,
    fields::{self, Comparison, Set},
    kinds::Resource,
    managed::{self, Conflicts, Manager},
    schema::schema,
    store::Writer,
};

/// The object that a first apply creates.
pub fn created(
    resource: &Resource,
    version: &str,
    wanted: &Value,
    by: &Writer<'_>,
    now: &str,
) -> Result<Value, ApiError> {
    refuse_managed_fields(wanted)?;
    let mut object = wanted.clone();
    let mut own = Manager::of(resource, version, by, true, now);
    own.set = applied_set(resource, by, wanted);
    managed::write(&mut object, vec![own]);
    Ok(object)
}

fn applied_set(resource: &Resource, by: &Writer<'_>, wanted: &Value) -> Set {
    let schema = schema();
    managed::owned(resource, by.subresource, &fields::of_value(schema, &schema.root(resource), wanted))
}

fn refuse_managed_fields(wanted: &Value) -> Result<(), ApiError> {
    match wanted.pointer("/metadata/managedFields") {
        Some(list) if !list.is_null() => Err(ApiError::bad_request("metadata.managedFields must be nil")),
        _ => Ok(()),
    }
}

/// Applies onto an object that exists.
pub fn apply(
    resource: &Resource,
    version: &str,
    current: &mut Value,
    wanted: &Value,
    by: &Writer<'_>,
    force: bool,
    now: &str,
) -> Result<(), ApiError> {
    refuse_managed_fields(wanted)?;
    let schema = schema();
    let root = schema.root(resource);
    let mut managers = managed::read(current);
    let mut own = Manager::of(resource, version, by, true, now);
    let (last, last_time) = managed::held_by(&managers, &own);
    own.set = applied_set(resource, by, wanted);

    let mut config = wanted.clone();
    if by.subresource != "status"
        && resource.status
        && let Some(fields) = config.as_object_mut()
    {
        fields.remove("status");
    }
    let mut merged = current.clone();
    fields::merge(schema, &root, &mut merged, &config);
    managed::put(&mut managers, own.clone());
    prune(resource, &mut merged, &managers, &last);

    let change = fields::compare(schema, &root, current, &merged);
    let conflicts = managed::conflicts(&managers, &own, &change);
    if !force && !conflicts.is_empty() {
        return Err(refusal(&conflicts));
    }
    managed::yield_fields(&mut managers, &own, &change);
    // The time is that of the last apply that changed the object, not of one that only took fields over.
    own.time = if change == Comparison::default() { last_time } else { now.to_owned() };
    managed::put(&mut managers, own);
    managed::write(&mut merged, managers);
    remember(&mut merged, wanted, by);
    *current = merged;
    Ok(())
}

/// kubectl's own manager keeps the annotation of client-side apply up to date where there is one.
fn remember(merged: &mut Value, wanted: &Value, by: &Writer<'_>) {
    const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let Some(held) = merged.pointer_mut("/metadata/annotations").and_then(|a| a.get_mut(ANNOTATION)) else { return };
    if by.manager != "kubectl" {
        return;
    }
    let mut plain = wanted.clone();
    if let Some(annotations) = plain.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.remove(ANNOTATION);
        if annotations.is_empty() {
            managed::unset(&mut plain, "annotations");
        }
    }
    managed::unset(&mut plain, "managedFields");
    *held = json!(format!("{plain}\n"));
}

/// Takes out what this manager applied before and nobody applies now.
fn prune(resource: &Resource, merged: &mut Value, managers: &[Manager], last: &Set) {
    if last.is_empty() {
        return;
    }
    let schema = schema();
    let root = schema.root(resource);
    let last = last.with_named(schema, &root);
    let mut pruned = merged.clone();
    fields::remove(schema, &root, &mut pruned, &last);
    let held = managers.iter().fold(Set::default(), |all, m| all.union(&m.set)).with_named(schema, &root);
    let named = |value: &Value| fields::of_value(schema, &root, value).with_named(schema, &root);
    let gone = named(merged).minus(&named(&pruned)).minus(&held).common(&last);
    fields::remove(schema, &root, merged, &gone);
}

fn refusal(conflicts: &Conflicts) -> ApiError {
    let mut causes = Vec::new();
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (manager, set) in conflicts {
        let mut who = format!("\"{}\"", manager.name);
        if !manager.subresource.is_empty() {
            who.push_str(&format!(" with subresource \"{}\"", manager.subresource));
        }
        if !manager.applies {
            who.push_str(&format!(" using {}", manager.api_version));
        }
        for path in set.words() {
            causes.push(
                json!({"reason": "FieldManagerConflict", "message": format!("conflict with {who}"), "field": path}),
            );
        }
        groups.push((who, set.words()));
    }
    let count = causes.len();
    let message = match groups.as_slice() {
        [(who, paths)] if count == 1 => {
            format!("Apply failed with 1 conflict: conflict with {who}: {}", paths.concat())
        }
        _ => {
            let lines = |paths: &[String]| paths.iter().map(|p| format!("\n- {p}")).collect::<String>();
            let parts: Vec<String> =
                groups.iter().map(|(who, paths)| format!("conflicts with {who}:{}", lines(paths))).collect();
            format!("Apply failed with {count} conflicts: {}", parts.join("\n"))
        }
    };
    let mut error = ApiError::new(409, "Conflict", message);
    error.details = json!({"causes": causes});
    error
}
