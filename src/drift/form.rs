//! What kind of object is compared: its schema (built in, or a definition's OpenAPI v3), and whether all of it is known.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value as Json;

use crate::schema::{ListKind, Node, Shape, Type, schema};

/// The shape of one object.
#[derive(Clone, Debug)]
pub struct Form {
    /// The whole object.
    pub root: Node,
    /// The API group; empty for the core one.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// Not a built-in kind.
    pub custom: bool,
    /// The definition's schema.
    pub definition: Option<Json>,
}

/// The API group of an `apiVersion`.
pub fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

impl Form {
    /// The form of an object of this version and kind.
    pub fn of(api_version: &str, kind: &str, definition: Option<&Json>) -> Self {
        let mut root = schema().root(api_version, kind);
        let custom = schema().number(api_version, kind).is_none();
        if custom && let Some(definition) = definition {
            let mut fields = schema().custom_fields();
            if let Shape::Inline(own) = node(definition).shape {
                fields.extend(own.iter().filter(|(k, _)| *k != "metadata").map(|(k, n)| (k.clone(), n.clone())));
            }
            root = Node::of(Shape::Inline(Arc::new(fields)));
        }
        Self {
            root,
            group: group_of(api_version).to_owned(),
            kind: kind.to_owned(),
            custom,
            definition: definition.filter(|_| custom).cloned(),
        }
    }

    /// Whether this is a built-in kind of a group.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    /// A core Secret (rule M2).
    pub fn is_secret(&self) -> bool {
        self.is("", "Secret")
    }
}

/// The type of a struct node.
pub fn type_of(node: &Node) -> Option<&'static Type> {
    if let Shape::Struct(number) = node.shape { schema().types.get(number) } else { None }
}

/// The name of a struct's type; empty for anything else.
pub fn type_name(node: &Node) -> &'static str {
    type_of(node).map_or("", |t| t.name.as_str())
}

/// A definition's schema as a node.
fn node(schema: &Json) -> Node {
    let flag = |key: &str| schema.get(key).and_then(Json::as_bool).unwrap_or(false);
    let text = |key: &str| schema.get(key).and_then(Json::as_str).unwrap_or_default();
    if flag("x-kubernetes-int-or-string") {
        // The pattern of a quantity names the suffixes; a plain integer or string does not.
        return Node::of(Shape::Scalar(if text("pattern").contains("KMGTPE") { 'q' } else { 'x' }));
    }
    let mut made = Node::of(match text("type") {
        "array" => Shape::List(Box::new(schema.get("items").map_or_else(|| Node::of(Shape::Any), node))),
        "string" => Shape::Scalar(match text("format") {
            "date-time" => 't',
            "byte" => 'y',
            _ => 's',
        }),
        "integer" => Shape::Scalar('l'),
        "number" => Shape::Scalar('n'),
        "boolean" => Shape::Scalar('b'),
        _ => fields(schema, flag("x-kubernetes-preserve-unknown-fields")),
    });
    made.atomic = text("x-kubernetes-map-type") == "atomic";
    made.list = match text("x-kubernetes-list-type") {
        "set" => ListKind::Set,
        "map" => {
            let keys = schema.get("x-kubernetes-list-map-keys").and_then(Json::as_array);
            ListKind::Keys(keys.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect())
        }
        _ => ListKind::Atomic,
    };
    made
}

/// An object's fields; one that keeps unknown fields is not described.
fn fields(schema: &Json, open: bool) -> Shape {
    match (schema.get("properties").and_then(Json::as_object), schema.get("additionalProperties")) {
        (Some(fields), _) if !open => {
            let fields: BTreeMap<String, Node> = fields.iter().map(|(k, s)| (k.clone(), node(s))).collect();
            Shape::Inline(Arc::new(fields))
        }
        (None, Some(element)) if element.is_object() => Shape::Map(Box::new(node(element))),
        _ => Shape::Any,
    }
}
