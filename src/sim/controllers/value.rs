//! Reading and writing object trees without ceremony: absent and of another type read as empty.

use serde_json::{Map, Value, json};

use super::seed;
use crate::model::{Millis, parse_rfc3339};

static NULL: Value = Value::Null;

/// The value at a JSON pointer, null where there is none.
pub fn at<'a>(v: &'a Value, pointer: &str) -> &'a Value {
    v.pointer(pointer).unwrap_or(&NULL)
}

/// The text at a JSON pointer, empty where there is none.
pub fn text<'a>(v: &'a Value, pointer: &str) -> &'a str {
    at(v, pointer).as_str().unwrap_or("")
}

/// The number at a JSON pointer, `default` where there is none.
pub fn int(v: &Value, pointer: &str, default: i64) -> i64 {
    at(v, pointer).as_i64().unwrap_or(default)
}

/// The truth at a JSON pointer, false where there is none.
pub fn truth(v: &Value, pointer: &str) -> bool {
    at(v, pointer).as_bool().unwrap_or(false)
}

/// The list at a JSON pointer, empty where there is none.
pub fn list<'a>(v: &'a Value, pointer: &str) -> &'a [Value] {
    at(v, pointer).as_array().map_or(&[], Vec::as_slice)
}

/// The time at a JSON pointer.
pub fn time(v: &Value, pointer: &str) -> Option<Millis> {
    parse_rfc3339(text(v, pointer))
}

/// An annotation, empty where there is none.
pub fn annotation<'a>(v: &'a Value, key: &str) -> &'a str {
    at(v, "/metadata/annotations").get(key).and_then(Value::as_str).unwrap_or("")
}

/// Sets a path of member names, making objects on the way.
pub fn set(v: &mut Value, path: &[&str], new: Value) {
    let Some((last, before)) = path.split_last() else { return };
    let mut here = v;
    for name in before {
        if !here.is_object() {
            *here = Value::Object(Map::new());
        }
        here = &mut here[*name];
    }
    if !here.is_object() {
        *here = Value::Object(Map::new());
    }
    here[*last] = new;
}

/// Removes a member; `pointer` names its parent.
pub fn unset(v: &mut Value, pointer: &str, name: &str) {
    if let Some(map) = v.pointer_mut(pointer).and_then(Value::as_object_mut) {
        map.remove(name);
    }
}

/// A time as the API writes it, in whole seconds.
pub fn stamp(at: Millis) -> String {
    jiff::Timestamp::from_second(at.0.div_euclid(1000))
        .map(|t| t.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
        .unwrap_or_default()
}

/// The name of the object.
pub fn name(v: &Value) -> &str {
    text(v, "/metadata/name")
}

/// The namespace of the object.
pub fn namespace(v: &Value) -> &str {
    text(v, "/metadata/namespace")
}

/// The uid of the object.
pub fn uid(v: &Value) -> &str {
    text(v, "/metadata/uid")
}

/// Whether deletion has begun.
pub fn deleting(v: &Value) -> bool {
    !text(v, "/metadata/deletionTimestamp").is_empty()
}

/// The reference to the controlling owner.
pub fn controller(v: &Value) -> Option<&Value> {
    list(v, "/metadata/ownerReferences").iter().find(|o| truth(o, "/controller"))
}

/// An owner reference that makes `owner` the controller.
pub fn owned_by(owner: &Value) -> Value {
    json!([{"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": name(owner), "uid": uid(owner),
            "controller": true, "blockOwnerDeletion": true}])
}

/// A condition by its type.
pub fn condition<'a>(v: &'a Value, kind: &str) -> Option<&'a Value> {
    list(v, "/status/conditions").iter().find(|c| text(c, "/type") == kind)
}

/// Whether a condition is `True`.
pub fn is_true(v: &Value, kind: &str) -> bool {
    condition(v, kind).is_some_and(|c| text(c, "/status") == "True")
}

/// Whether a pod counts: not ended and not going.
pub fn active(pod: &Value) -> bool {
    !matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") && !deleting(pod)
}

/// Whether a pod has been ready for `min_ready` seconds.
pub fn available(pod: &Value, min_ready: i64, now: Millis) -> bool {
    if !is_true(pod, "Ready") {
        return false;
    }
    if min_ready <= 0 {
        return true;
    }
    let since = condition(pod, "Ready").and_then(|c| time(c, "/lastTransitionTime")).unwrap_or(now);
    now.0 - since.0 >= min_ready * 1000
}

/// The short hash of a pod template, as it stands in labels and names.
pub fn template_hash(template: &Value) -> String {
    let mut bare = template.clone();
    unset(&mut bare, "/metadata", "creationTimestamp");
    if let Some(labels) = bare.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.remove("pod-template-hash");
        labels.remove("rollouts-pod-template-hash");
        labels.remove("controller-revision-hash");
    }
    seed::suffix(0, &[&bare.to_string()], 10)
}

/// A pod made from a template for a controller: named, labelled, owned, not yet placed.
pub fn pod(owner: &Value, template: &Value, name: &str, extra: &[(&str, &str)]) -> Value {
    let mut labels = at(template, "/metadata/labels").as_object().cloned().unwrap_or_default();
    for (key, value) in extra {
        labels.insert((*key).to_owned(), json!(value));
    }
    let mut meta =
        json!({"name": name, "namespace": namespace(owner), "labels": labels, "ownerReferences": owned_by(owner)});
    if let Some(notes) = at(template, "/metadata/annotations").as_object() {
        meta["annotations"] = Value::Object(notes.clone());
    }
    let mut spec = at(template, "/spec").clone();
    if !spec.is_object() {
        spec = json!({"containers": []});
    }
    for (key, default) in [
        ("restartPolicy", json!("Always")),
        ("dnsPolicy", json!("ClusterFirst")),
        ("schedulerName", json!("default-scheduler")),
        ("serviceAccountName", json!("default")),
        ("enableServiceLinks", json!(true)),
        ("preemptionPolicy", json!("PreemptLowerPriority")),
        ("priority", json!(0)),
        ("securityContext", json!({})),
        ("terminationGracePeriodSeconds", json!(30)),
    ] {
        if spec.get(key).is_none() {
            spec[key] = default;
        }
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": {"phase": "Pending", "qosClass": "Burstable"}})
}

/// Whether a label selector (`matchLabels`, `matchExpressions`) picks labels, which `get` looks up. An empty selector picks
/// all, an absent one none.
pub fn selects<'a>(selector: &Value, get: impl Fn(&str) -> Option<&'a str>) -> bool {
    let Some(selector) = selector.as_object() else { return false };
    let plain = selector.get("matchLabels").and_then(Value::as_object);
    let expressions = selector.get("matchExpressions").and_then(Value::as_array);
    plain.is_none_or(|m| m.iter().all(|(k, v)| get(k) == v.as_str()))
        && expressions.is_none_or(|all| all.iter().all(|e| expression_holds(e, get(text(e, "/key")))))
}

fn expression_holds(e: &Value, have: Option<&str>) -> bool {
    let among = || have.is_some_and(|h| list(e, "/values").iter().any(|v| v == h));
    match text(e, "/operator") {
        "In" => among(),
        "NotIn" => !among(),
        "Exists" => have.is_some(),
        "DoesNotExist" => have.is_none(),
        _ => false,
    }
}

/// Whether the plain map selector of a Service picks labels; an empty one picks nothing.
pub fn selects_plain<'a>(selector: &Value, get: impl Fn(&str) -> Option<&'a str>) -> bool {
    selector.as_object().is_some_and(|m| !m.is_empty() && m.iter().all(|(k, v)| get(k) == v.as_str()))
}

/// Looks labels up in a parsed object's `metadata.labels`.
pub fn label<'a>(object: &'a Value) -> impl Fn(&str) -> Option<&'a str> {
    move |key| at(object, "/metadata/labels").get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_follow_the_four_operators() {
        let pod = json!({"metadata": {"labels": {"app": "ledger", "tier": "1"}}});
        for (selector, want) in [
            (json!({"matchLabels": {"app": "ledger"}}), true),
            (json!({"matchLabels": {"app": "web"}}), false),
            (json!({"matchExpressions": [{"key": "tier", "operator": "In", "values": ["1", "2"]}]}), true),
            (json!({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["1"]}]}), false),
            (json!({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}), true),
            (json!({"matchExpressions": [{"key": "x", "operator": "Exists"}]}), false),
            (json!({}), true),
            (Value::Null, false),
        ] {
            assert_eq!(selects(&selector, label(&pod)), want, "{selector}");
        }
    }

    #[test]
    fn the_hash_of_a_template_ignores_its_own_label() {
        let plain = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"x": 1}});
        let hashed = json!({"metadata": {"labels": {"a": "b", "pod-template-hash": "zz"}}, "spec": {"x": 1}});
        assert_eq!(template_hash(&plain), template_hash(&hashed));
        assert_ne!(template_hash(&plain), template_hash(&json!({"spec": {"x": 2}})));
    }
}
