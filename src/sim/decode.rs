//! Reading a body as a typed server does: wrong types are refused, unknown fields refused or dropped.

use serde_json::Value;

use super::{error::ApiError, kinds::Resource};
use crate::schema::{Node, Schema, Shape, schema};

/// Checks an object against its type. Unknown fields are an error where `strict`, else they are taken out.
pub fn check(resource: &Resource, version: &str, object: &mut Value, strict: bool) -> Result<(), ApiError> {
    if resource.custom {
        return Ok(());
    }
    let schema = schema();
    let root = resource.root();
    let mut wrong = Wrong::default();
    walk(schema, &root, &resource.kind, object, "", &mut wrong);
    let kind = &resource.kind;
    let prefix = format!("{kind} in version \"{version}\" cannot be handled as a {kind}");
    if let Some(why) = wrong.types.first() {
        return Err(ApiError::bad_request(format!("{prefix}: json: cannot unmarshal {why}")));
    }
    if strict && !wrong.unknown.is_empty() {
        let words: Vec<String> = wrong.unknown.iter().map(|path| format!("unknown field \"{path}\"")).collect();
        return Err(ApiError::bad_request(format!("{prefix}: strict decoding error: {}", words.join(", "))));
    }
    Ok(())
}

/// Checks an object that is applied: a field without a type has no rule to be merged by.
pub fn check_applied(resource: &Resource, version: &str, object: &mut Value) -> Result<(), ApiError> {
    if resource.custom {
        return Ok(());
    }
    let schema = schema();
    let mut wrong = Wrong::default();
    walk(schema, &resource.root(), &resource.kind, object, "", &mut wrong);
    let Some(path) = wrong.unknown.first() else { return check(resource, version, object, true) };
    let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default();
    let what =
        format!("{}/{}; {}, Kind={}", text("namespace"), text("name"), resource.api_version(version), resource.kind);
    let message = format!("failed to create typed patch object ({what}): .{path}: field not declared in schema");
    // The server knows no better reason for it than that it failed.
    Err(ApiError::new(500, "", message))
}

#[derive(Default)]
struct Wrong {
    unknown: Vec<String>,
    types: Vec<String>,
}

fn walk(schema: &Schema, node: &Node, owner: &str, value: &mut Value, path: &str, wrong: &mut Wrong) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (&node.shape, value) {
        (_, Value::Null) | (Shape::Any | Shape::Scalar('o' | 'q' | 'x'), _) => {}
        (Shape::Struct(number), Value::Object(map)) => {
            let owner = schema.types.get(*number).map_or(owner, |t| t.name.as_str());
            map.retain(|key, _| {
                let known = schema.declared(node, key).is_some();
                if !known {
                    wrong.unknown.push(below(key));
                }
                known
            });
            for (key, child) in map.iter_mut() {
                if let Some(field) = schema.declared(node, key) {
                    walk(schema, field, owner, child, &below(key), wrong);
                }
            }
        }
        (Shape::Map(element), Value::Object(map)) => {
            for (key, child) in map.iter_mut() {
                walk(schema, element, owner, child, &below(key), wrong);
            }
        }
        (Shape::List(element), Value::Array(list)) => {
            for (at, child) in list.iter_mut().enumerate() {
                walk(schema, element, owner, child, &format!("{path}[{at}]"), wrong);
            }
        }
        (Shape::Scalar('s' | 't' | 'y'), Value::String(_))
        | (Shape::Scalar('i' | 'l' | 'n'), Value::Number(_))
        | (Shape::Scalar('b'), Value::Bool(_)) => {}
        (shape, value) => wrong.types.push(mismatch(shape, value, owner, path)),
    }
}

fn mismatch(shape: &Shape, value: &Value, owner: &str, path: &str) -> String {
    let given = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let wanted = match shape {
        Shape::Scalar('i') => "int32",
        Shape::Scalar('l') => "int64",
        Shape::Scalar('n') => "float64",
        Shape::Scalar('b') => "bool",
        Shape::Scalar(_) | Shape::Any => "string",
        Shape::Map(_) => "map[string]string",
        Shape::List(_) => "[]",
        Shape::Struct(_) | Shape::Inline(_) => "struct",
    };
    // A decoder of that language names fields without their place in a list.
    let plain: String = path.split('[').map(|p| p.split_once(']').map_or(p, |(_, rest)| rest)).collect();
    format!("{given} into Go struct field {owner}.{plain} of type {wanted}")
}
