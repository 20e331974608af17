//! Server-side apply: merge, ownership, conflicts, removal of what is no longer applied.

use serde_json::{Value, json};

use crate::schema::schema;
use crate::sim::{
    error::ApiError,
    fields::{self, Comparison, Set},
    kinds::Resource,
    managed::{self, Conflicts, Manager},
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
    managed::owned(resource, by.subresource, &fields::of_value(schema, &resource.root(), wanted))
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
    let root = resource.root();
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
    let mut conflicts = managed::conflicts(&managers, &own, &change);
    if by.manager == "kubectl" {
        let before = applied_before(resource, current);
        conflicts.iter_mut().for_each(|(_, set)| *set = set.minus(&before));
        conflicts.retain(|(_, set)| !set.is_empty());
    }
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

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What client-side apply recorded: kubectl may take those fields over without a conflict, whoever holds them.
fn applied_before(resource: &Resource, current: &Value) -> Set {
    let schema = schema();
    let recorded = current["metadata"]["annotations"][LAST_APPLIED].as_str();
    let recorded: Option<Value> = recorded.and_then(|text| serde_json::from_str(text).ok());
    recorded.map(|value| fields::of_value(schema, &resource.root(), &value)).unwrap_or_default()
}

/// kubectl's own manager keeps the annotation of client-side apply up to date where there is one.
fn remember(merged: &mut Value, wanted: &Value, by: &Writer<'_>) {
    let Some(held) = merged.pointer_mut("/metadata/annotations").and_then(|a| a.get_mut(LAST_APPLIED)) else { return };
    if by.manager != "kubectl" {
        return;
    }
    let mut plain = wanted.clone();
    if let Some(annotations) = plain.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
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
    let root = resource.root();
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::sim::kinds;

    const NOW: &str = "2026-11-30T12:00:00Z";

    /// A step of a story: who, how, what.
    enum Step {
        Apply(&'static str, Value),
        Force(&'static str, Value),
        Update(&'static str, Value),
    }

    fn deployment(spec: Value, containers: Value) -> Value {
        let mut object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "n"}, "spec": spec});
        object["spec"]["template"] = json!({"spec": {"containers": containers}});
        object
    }

    /// Plays the steps; the object, or the error of the last step.
    fn play(steps: Vec<Step>) -> Result<Value, ApiError> {
        let table = kinds::table();
        let resource = &table[kinds::DEPLOYMENTS.index()];
        let mut object = Value::Null;
        for step in steps {
            let (manager, wanted, force) = match step {
                Step::Update(manager, patch) => {
                    let old = object.clone();
                    json_patch::merge(&mut object, &patch);
                    managed::track(
                        Some(&old).filter(|o| !o.is_null()),
                        &mut object,
                        resource,
                        &Writer::new(manager),
                        NOW,
                    );
                    continue;
                }
                Step::Apply(manager, wanted) => (manager, wanted, false),
                Step::Force(manager, wanted) => (manager, wanted, true),
            };
            let by = Writer::new(manager);
            if object.is_null() {
                object = created(resource, "v1", &wanted, &by, NOW)?;
            } else {
                apply(resource, "v1", &mut object, &wanted, &by, force, NOW)?;
            }
        }
        Ok(object)
    }

    fn owners(object: &Value) -> BTreeMap<String, Vec<String>> {
        managed::read(object).into_iter().map(|m| (m.name, m.set.words())).collect()
    }

    #[test]
    fn a_field_lives_as_long_as_somebody_applies_it() {
        let two =
            || deployment(json!({"replicas": 2}), json!([{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]));
        let one = || deployment(json!({}), json!([{"name": "a", "image": "x"}]));
        let shared =
            play(vec![Step::Apply("alpha", two()), Step::Apply("beta", two()), Step::Apply("alpha", one())]).unwrap();
        assert_eq!(shared["spec"], two()["spec"], "beta still applies it");
        let gone = play(vec![
            Step::Apply("alpha", two()),
            Step::Apply("beta", two()),
            Step::Apply("alpha", one()),
            Step::Apply("beta", one()),
        ]);
        assert_eq!(gone.unwrap()["spec"], one()["spec"], "nobody applies it any more");
        let updated = play(vec![
            Step::Apply("alpha", one()),
            Step::Update("hand", json!({"metadata": {"labels": {"x": "y"}}})),
            Step::Apply("alpha", one()),
        ]);
        let updated = updated.unwrap();
        assert_eq!(updated["metadata"]["labels"], json!({"x": "y"}), "what others set stays");
        assert_eq!(owners(&updated)["hand"], [".metadata.labels", ".metadata.labels.x"]);
    }

    #[test]
    fn conflicts_name_the_manager_and_the_field() {
        let with = |replicas: i64, image: &str| {
            deployment(json!({"replicas": replicas}), json!([{"name": "a", "image": image}]))
        };
        let scaled = || Step::Update("hand", json!({"spec": {"replicas": 7}}));
        let refused =
            play(vec![Step::Apply("alpha", with(2, "x")), scaled(), Step::Apply("alpha", with(2, "x"))]).unwrap_err();
        assert_eq!(refused.code, 409);
        assert_eq!(
            refused.message,
            "Apply failed with 1 conflict: conflict with \"hand\" using apps/v1: .spec.replicas"
        );
        assert_eq!(refused.details["causes"][0]["field"], ".spec.replicas");
        let two = play(vec![Step::Apply("alpha", with(2, "x")), Step::Apply("beta", with(3, "y"))]).unwrap_err();
        assert_eq!(
            two.message,
            "Apply failed with 2 conflicts: conflicts with \"alpha\":\n- .spec.replicas\n- .spec.template.spec.containers[name=\"a\"].image"
        );
        let forced =
            play(vec![Step::Apply("alpha", with(2, "x")), scaled(), Step::Force("alpha", with(2, "x"))]).unwrap();
        assert_eq!(forced["spec"]["replicas"], 2);
        assert_eq!(owners(&forced).get("hand"), None, "it lost its only field");
    }

    #[test]
    fn an_update_owns_what_it_touched() {
        let object = deployment(json!({"replicas": 1}), json!([{"name": "a", "image": "x"}]));
        let created = play(vec![Step::Update("hand", object)]).unwrap();
        let wanted = json!({"f:spec": {"f:replicas": {}, "f:template": {"f:spec": {"f:containers": {
            "k:{\"name\":\"a\"}": {".": {}, "f:image": {}, "f:name": {}}}}}}});
        assert_eq!(created["metadata"]["managedFields"][0]["fieldsV1"], wanted);
    }
}
