//! The structural schema of a custom resource definition, as ownership and merging need it: what is a struct of declared
//! fields, what a map, and how the items of a list are told apart.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use crate::schema::{ListKind, Node, Shape, schema};

/// The node of a whole object of this definition; `None` where its version declares no schema.
pub fn root(version: &Value) -> Option<Arc<Node>> {
    let described = version.pointer("/schema/openAPIV3Schema")?;
    let mut fields = properties(described);
    // These three are every object's own, whatever the definition says.
    fields.extend(schema().custom_fields());
    Some(Arc::new(Node::of(Shape::Inline(Arc::new(fields)))))
}

fn properties(described: &Value) -> BTreeMap<String, Node> {
    let properties = described.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.map(|(key, below)| (key.clone(), node(below))).collect()
}

fn node(described: &Value) -> Node {
    let text = |key: &str| described.get(key).and_then(Value::as_str).unwrap_or_default();
    let on = |key: &str| described.get(key) == Some(&Value::Bool(true));
    let shape = match text("type") {
        _ if on("x-kubernetes-int-or-string") => Shape::Scalar('x'),
        "string" => Shape::Scalar('s'),
        "integer" => Shape::Scalar('l'),
        "number" => Shape::Scalar('n'),
        "boolean" => Shape::Scalar('b'),
        "array" => Shape::List(Box::new(described.get("items").map_or_else(|| Node::of(Shape::Any), node))),
        "object" if described.get("properties").is_some() => Shape::Inline(Arc::new(properties(described))),
        "object" if described.get("additionalProperties").is_some_and(Value::is_object) => {
            Shape::Map(Box::new(node(&described["additionalProperties"])))
        }
        _ => Shape::Any,
    };
    let list = match text("x-kubernetes-list-type") {
        "set" => ListKind::Set,
        "map" => {
            let keys = described.get("x-kubernetes-list-map-keys").and_then(Value::as_array).into_iter().flatten();
            ListKind::Keys(keys.filter_map(|k| k.as_str().map(str::to_owned)).collect())
        }
        _ => ListKind::Atomic,
    };
    let atomic = text("x-kubernetes-map-type") == "atomic";
    Node { list, atomic, default: described.get("default").cloned(), ..Node::of(shape) }
}
