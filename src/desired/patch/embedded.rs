//! Structured texts inside an object: a JSON or YAML document in a key of a ConfigMap, patched and written back.

use std::sync::Arc;

use super::{FailureKind, PatchOperation, TextForm, json, json_text, yaml_text};
use crate::desired::{
    origin::{Rule, Source, SourceKind},
    source,
    tree::{Node, Value},
};

/// Patches the text at a path, all or nothing.
///
/// # Errors
///
/// When the path leads nowhere or to no text, when the text cannot be read, or an operation does not fit.
pub fn apply(
    root: &mut Node,
    path: &str,
    form: TextForm,
    operations: &[PatchOperation],
    rule: &Arc<Rule>,
) -> Result<(), (FailureKind, String)> {
    let held = slot(root, path).ok_or_else(|| (FailureKind::FieldPath, path.to_owned()))?;
    let text = held.as_str().ok_or_else(|| (FailureKind::FieldNotString, path.to_owned()))?;
    let changed = match form {
        TextForm::Json => in_json(text, operations, rule),
        TextForm::Yaml => in_yaml(text, operations, rule),
    };
    let changed = changed.map_err(|inner| (FailureKind::JsonPatch, format!("{path} {inner}").trim_end().to_owned()))?;
    held.replace(Value::Text(changed.into()), rule);
    Ok(())
}

/// The value at a JSON pointer; indexes count from 0 only.
fn slot<'a>(root: &'a mut Node, path: &str) -> Option<&'a mut Node> {
    if path.is_empty() {
        return Some(root);
    }
    path.strip_prefix('/')?.split('/').map(json::unescape).try_fold(root, |node, step| match &mut node.value {
        Value::Map(map) => {
            map.get(&step)?;
            Arc::make_mut(map).get_mut(&step)
        }
        Value::List(items) => {
            let at = step.parse::<usize>().ok().filter(|at| *at < items.len())?;
            Arc::make_mut(items).get_mut(at)
        }
        _ => None,
    })
}

/// The pointer inside the text that an operation failed at is told; a text that cannot be read has none.
fn in_json(text: &str, operations: &[PatchOperation], rule: &Arc<Rule>) -> Result<String, String> {
    if text.is_empty() {
        // Karmada's library hands an empty text back as it is.
        return Ok(String::new());
    }
    let mut document = json_text::read(text).filter(|d| may_be_patched(&d.root)).ok_or_else(String::new)?;
    let mut sorted = operations.to_vec();
    for operation in &mut sorted {
        operation.value = operation.value.as_ref().map(json_text::sorted);
    }
    json::apply(&mut document.root, &sorted, rule).map_err(|misfit| misfit.path)?;
    Ok(document.write())
}

fn in_yaml(text: &str, operations: &[PatchOperation], rule: &Arc<Rule>) -> Result<String, String> {
    let source = Source::new(SourceKind::Manifest, "");
    let documents = source::yaml::documents(text, &source).map_err(|_| String::new())?;
    // The first document is the one that is read; an empty text is `null`.
    let first = documents.into_iter().next();
    if first.as_ref().is_some_and(|d| d.broken.is_some()) {
        return Err(String::new());
    }
    let mut root = first.map(|d| d.node).unwrap_or_default();
    if !may_be_patched(&root) {
        return Err(String::new());
    }
    json::apply(&mut root, operations, rule).map_err(|misfit| misfit.path)?;
    Ok(yaml_text::write(&root))
}

/// A document that can be patched is a map, a list, or nothing yet.
fn may_be_patched(root: &Node) -> bool {
    matches!(root.value, Value::Map(_) | Value::List(_) | Value::Null)
}
