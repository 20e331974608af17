//! Labels and annotations of an object itself.

use std::sync::Arc;

use super::{Operation, json::write};
use crate::desired::{
    origin::{Origin, Rule},
    tree::Node,
};

/// Adds, replaces or removes pairs of `metadata.labels` or `metadata.annotations`. Replace and remove skip keys that are
/// not there; add creates the map. A removal may leave an empty map.
pub fn apply(root: &mut Node, field: &str, operation: Operation, pairs: &[(String, String)], rule: &Arc<Rule>) {
    let held = |root: &Node, key: &str| {
        root.at_keys(&["metadata", field]).filter(|m| holds_texts(m)).and_then(|m| m.as_map()?.get(key)).is_some()
    };
    let wanted = |root: &Node, key: &str| operation == Operation::Add || held(root, key);
    let pairs: Vec<_> = pairs.iter().filter(|(key, _)| wanted(root, key)).collect();
    if pairs.is_empty() {
        return;
    }
    if root.get("metadata").is_some_and(|m| m.as_map().is_none()) {
        return;
    }
    let metadata = map_at(root, "metadata", |node| node.as_map().is_some(), rule);
    let Some(marks) = metadata.and_then(|m| map_at(m, field, holds_texts, rule)) else { return };
    for (key, value) in pairs {
        let value = Node::text(value, Origin::Unknown);
        let removed = {
            let Some(map) = marks.as_map_mut() else { return };
            match (operation, map.get_mut(key)) {
                (Operation::Remove, _) => map.remove(key),
                (_, Some(slot)) => {
                    write(slot, &value, rule);
                    None
                }
                (_, None) => map.insert(key, value.created_by(rule)),
            }
        };
        if let Some(old) = removed {
            marks.note_removed(key, old, rule);
        }
    }
}

/// Labels and annotations are texts; a map that holds anything else is none to Karmada: it finds nothing in it, and begins a
/// new one to add to.
fn holds_texts(node: &Node) -> bool {
    node.as_map().is_some_and(|map| map.iter().all(|(_, value)| value.as_str().is_some()))
}

/// The map under a key, if it is `right`; an empty one otherwise.
fn map_at<'a>(node: &'a mut Node, key: &str, right: fn(&Node) -> bool, rule: &Arc<Rule>) -> Option<&'a mut Node> {
    let map = node.as_map_mut()?;
    match map.get_mut(key) {
        None => {
            map.insert(key, Node::map(Origin::Unknown).created_by(rule));
        }
        Some(held) if !right(held) => write(held, &Node::map(Origin::Unknown), rule),
        Some(_) => {}
    }
    map.get_mut(key)
}
