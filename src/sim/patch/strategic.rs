//! Strategic merge patch: maps field by field, lists by their merge keys, and the directives.

use serde_json::{Map, Value};

use crate::schema::{Node, Schema, schema};
use crate::sim::{error::ApiError, kinds::Resource};

const ORDER: &str = "$setElementOrder/";
const DELETE_PRIMITIVE: &str = "$deleteFromPrimitiveList/";
const RETAIN: &str = "$retainKeys";
const DIRECTIVE: &str = "$patch";

/// Merges a patch into an object.
pub fn patch(resource: &Resource, object: &mut Value, patch: &Value) -> Result<(), ApiError> {
    let schema = schema();
    let Some(patch) = patch.as_object() else {
        return Err(ApiError::bad_request("error decoding patch: a strategic merge patch is an object"));
    };
    if let Value::Object(map) = object {
        merge_map(schema, &resource.root(), map, patch)?;
    }
    Ok(())
}

fn merge_map(
    schema: &Schema,
    node: &Node,
    map: &mut Map<String, Value>,
    patch: &Map<String, Value>,
) -> Result<(), ApiError> {
    match patch.get(DIRECTIVE).and_then(Value::as_str) {
        Some("replace") => {
            map.clear();
            map.extend(patch.iter().filter(|(k, _)| k.as_str() != DIRECTIVE).map(|(k, v)| (k.clone(), v.clone())));
            return Ok(());
        }
        Some("delete") => {
            map.clear();
            return Ok(());
        }
        Some("merge") | None => {}
        Some(other) => return Err(ApiError::bad_request(format!("Unknown patch type found: {other}"))),
    }
    if let Some(kept) = patch.get(RETAIN).and_then(Value::as_array) {
        map.retain(|key, _| kept.iter().any(|k| k == key));
    }
    for (key, value) in patch {
        if key == DIRECTIVE || key == RETAIN || key.starts_with(ORDER) {
            continue;
        }
        if let Some(list) = key.strip_prefix(DELETE_PRIMITIVE) {
            let gone = value.as_array().map(Vec::as_slice).unwrap_or_default();
            if let Some(held) = map.get_mut(list).and_then(Value::as_array_mut) {
                held.retain(|item| !gone.contains(item));
            }
            continue;
        }
        let order = patch.get(&format!("{ORDER}{key}")).and_then(Value::as_array);
        merge_field(schema, schema.below(node, key), map, key, value, order)?;
    }
    // An order may come without the list itself: items only moved or went away.
    for (key, order) in patch {
        if let Some(list) = key.strip_prefix(ORDER).filter(|l| !patch.contains_key(*l)) {
            let child = schema.below(node, list);
            if let (Some(held), Some(order)) = (map.get_mut(list).and_then(Value::as_array_mut), order.as_array()) {
                let before = held.clone();
                sort(child, held, &before, order);
            }
        }
    }
    Ok(())
}

fn merge_field(
    schema: &Schema,
    node: &Node,
    map: &mut Map<String, Value>,
    key: &str,
    value: &Value,
    order: Option<&Vec<Value>>,
) -> Result<(), ApiError> {
    match value {
        Value::Null => {
            map.remove(key);
        }
        Value::Object(patch) => {
            if patch.get(DIRECTIVE).is_some_and(|d| d == "delete") {
                map.remove(key);
                return Ok(());
            }
            let held = map.entry(key.to_owned()).or_insert_with(|| Value::Object(Map::new()));
            if !held.is_object() || node.strategy == "replace" {
                *held = Value::Object(Map::new());
            }
            if let Value::Object(held) = held {
                merge_map(schema, node, held, patch)?;
            }
        }
        Value::Array(patch) if node.merges() => {
            let held = map.entry(key.to_owned()).or_insert_with(|| Value::Array(Vec::new()));
            if !held.is_array() {
                *held = Value::Array(Vec::new());
            }
            if let Value::Array(held) = held {
                merge_list(schema, node, held, patch, order)?;
            }
        }
        other => {
            map.insert(key.to_owned(), other.clone());
        }
    }
    Ok(())
}

fn merge_list(
    schema: &Schema,
    node: &Node,
    held: &mut Vec<Value>,
    patch: &[Value],
    order: Option<&Vec<Value>>,
) -> Result<(), ApiError> {
    let before = held.clone();
    let directive = |item: &Value| item.get(DIRECTIVE).and_then(Value::as_str).map(str::to_owned);
    if patch.iter().any(|i| directive(i).as_deref() == Some("replace")) {
        held.clear();
    }
    for item in patch {
        let Some(key) = &node.merge_key else {
            if !held.contains(item) {
                held.push(item.clone());
            }
            continue;
        };
        let name = item.get(key);
        match (directive(item).as_deref(), name) {
            (Some("replace"), None) => {}
            (_, None) => {
                return Err(ApiError::bad_request(format!("map: {item} does not contain declared merge key: {key}")));
            }
            (Some("delete"), Some(name)) => held.retain(|i| i.get(key) != Some(name)),
            (_, Some(name)) => {
                let at = held.iter().position(|i| i.get(key) == Some(name)).unwrap_or_else(|| {
                    held.push(Value::Object(Map::new()));
                    held.len() - 1
                });
                if let (Value::Object(target), Value::Object(item)) = (&mut held[at], item) {
                    merge_map(schema, schema.item(node), target, item)?;
                }
            }
        }
    }
    // What the patch names comes in the patch's order, then in the order that it asks for.
    let named: Vec<Value> = patch.iter().filter(|i| directive(i).is_none()).cloned().collect();
    sort(node, held, &before, &named);
    if let Some(order) = order {
        sort(node, held, &before, order);
    }
    Ok(())
}

/// Puts a list into the wanted order; items that the order does not name keep their place relative to those before.
fn sort(node: &Node, held: &mut Vec<Value>, before: &[Value], order: &[Value]) {
    let name = |item: &Value| {
        node.merge_key.as_ref().map_or_else(|| item.clone(), |k| item.get(k).cloned().unwrap_or_default())
    };
    let wanted: Vec<Value> = order.iter().map(name).collect();
    let place = |item: &Value| wanted.iter().position(|w| *w == name(item));
    let origin = |item: &Value| before.iter().position(|b| name(b) == name(item));
    let (mut named, others): (Vec<Value>, Vec<Value>) = held.drain(..).partition(|i| place(i).is_some());
    named.sort_by_key(place);
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    loop {
        let first = match (named.peek(), others.peek()) {
            (Some(a), Some(b)) => origin(a).is_none_or(|a| origin(b).is_none_or(|b| a < b)),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => break,
        };
        held.extend(if first { named.next() } else { others.next() });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sim::kinds;

    #[test]
    fn lists_merge_by_their_keys() {
        let table = kinds::table();
        let deployment = &table[kinds::DEPLOYMENTS.index()];
        let pod = |containers: Value| json!({"spec": {"template": {"spec": {"containers": containers}}}});
        let cases = [
            (
                "merge by name",
                pod(json!([{"name": "a", "image": "x:1"}, {"name": "b"}])),
                pod(json!([{"name": "a", "image": "x:2"}])),
                pod(json!([{"name": "a", "image": "x:2"}, {"name": "b"}])),
            ),
            (
                "new items come first",
                pod(json!([{"name": "a"}])),
                pod(json!([{"name": "b"}])),
                pod(json!([{"name": "b"}, {"name": "a"}])),
            ),
            (
                "delete an item",
                pod(json!([{"name": "a"}, {"name": "b"}])),
                pod(json!([{"$patch": "delete", "name": "a"}])),
                pod(json!([{"name": "b"}])),
            ),
            (
                "replace the list",
                pod(json!([{"name": "a"}, {"name": "b"}])),
                pod(json!([{"$patch": "replace"}, {"name": "c"}])),
                pod(json!([{"name": "c"}])),
            ),
            (
                "order",
                pod(json!([{"name": "a"}, {"name": "b"}])),
                json!({"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "c"}, {"name": "b"}, {"name": "a"}], "containers": [{"name": "c"}]}}}}),
                pod(json!([{"name": "c"}, {"name": "b"}, {"name": "a"}])),
            ),
            (
                "null removes",
                json!({"metadata": {"labels": {"a": "1", "b": "2"}}}),
                json!({"metadata": {"labels": {"a": null}}}),
                json!({"metadata": {"labels": {"b": "2"}}}),
            ),
            (
                "primitives",
                json!({"metadata": {"finalizers": ["a", "b"]}}),
                json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["c"]}}),
                json!({"metadata": {"finalizers": ["c", "b"]}}),
            ),
            (
                "retain keys",
                json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}),
                json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
                json!({"spec": {"strategy": {"type": "Recreate"}}}),
            ),
            (
                "atomic lists are replaced",
                pod(json!([{"name": "a", "args": ["x", "y"]}])),
                pod(json!([{"name": "a", "args": ["z"]}])),
                pod(json!([{"name": "a", "args": ["z"]}])),
            ),
            (
                "replace a map",
                json!({"spec": {"template": {"metadata": {"labels": {"a": "1"}}}}}),
                json!({"spec": {"template": {"metadata": {"labels": {"$patch": "replace", "b": "2"}}}}}),
                json!({"spec": {"template": {"metadata": {"labels": {"b": "2"}}}}}),
            ),
        ];
        for (name, mut object, change, wanted) in cases {
            patch(deployment, &mut object, &change).unwrap();
            assert_eq!(object, wanted, "{name}");
        }
        let nameless = pod(json!([{"image": "x"}]));
        assert!(patch(deployment, &mut pod(json!([])), &nameless).is_err(), "an item without its key");
    }
}
