//! The command and the arguments of containers.

use std::sync::Arc;

use super::{Containers, Operation, containers, json};
use crate::desired::{
    origin::{Origin, Rule},
    path::Path,
    tree::{Node, Value},
};

/// Adds words at the end, removes every equal one, or replaces them all. A list that is not there is created, even by a
/// removal. What is no text is taken as its text.
///
/// # Errors
///
/// The path where a map or the list of containers was expected.
pub fn apply(
    root: &mut Node,
    field: &str,
    which: &Containers,
    operation: Operation,
    words: &[String],
    rule: &Arc<Rule>,
) -> Result<(), String> {
    if let Some(path) = containers::misshapen(root, which.reach) {
        return Err(path.pointer());
    }
    for path in containers::paths(root, which) {
        let now = root.at(&path.key(field)).filter(|n| !n.is_null()).cloned();
        match (now, operation) {
            (None, Operation::Remove) => put(root, &path, field, list(&[]).created_by(rule)),
            (None, _) => put(root, &path, field, list(words).created_by(rule)),
            (Some(now), Operation::Replace) => {
                let mut slot = now;
                json::write(&mut slot, &list(words), rule);
                put(root, &path, field, slot);
            }
            (Some(now), _) => {
                if let Some(changed) = changed(now, operation, words, rule) {
                    put(root, &path, field, changed);
                }
            }
        }
    }
    Ok(())
}

fn list(words: &[String]) -> Node {
    let items = words.iter().map(|w| Node::text(w, Origin::Unknown)).collect();
    Node::new(Value::List(Arc::new(items)), Origin::Unknown)
}

fn put(root: &mut Node, path: &Path, field: &str, node: Node) {
    if let Some(map) = root.at_mut(path).and_then(Node::as_map_mut) {
        map.insert(field, node);
    }
}

/// The list with words added or removed; `None` when it stays as it is.
fn changed(mut now: Node, operation: Operation, words: &[String], rule: &Arc<Rule>) -> Option<Node> {
    let items = now.as_list()?;
    if operation == Operation::Add {
        if words.is_empty() {
            return None;
        }
        let added = words.iter().map(|w| Node::text(w, Origin::Unknown).created_by(rule));
        now.as_list_mut()?.extend(added);
        return Some(now);
    }
    let text = |item: &Node| item.as_str().map_or_else(|| item.to_json().to_string(), str::to_owned);
    let gone: Vec<usize> = (0..items.len()).filter(|at| words.contains(&text(&items[*at]))).collect();
    for at in gone.iter().rev() {
        let old = now.as_list_mut()?.remove(*at);
        now.note_removed(&at.to_string(), old, rule);
    }
    (!gone.is_empty()).then_some(now)
}
