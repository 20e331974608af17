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
    let held = |root: &Node, key: &str| root.at_keys(&["metadata", field]).and_then(|m| m.as_map()?.get(key)).is_some();
    let wanted = |root: &Node, key: &str| operation == Operation::Add || held(root, key);
    let pairs: Vec<_> = pairs.iter().filter(|(key, _)| wanted(root, key)).collect();
    if pairs.is_empty() {
        return;
    }
    let Some(marks) = map_at(root, "metadata", rule).and_then(|m| map_at(m, field, rule)) else { return };
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

/// The map under a key, created where there is none (or `null`); `None` when something else is there.
fn map_at<'a>(node: &'a mut Node, key: &str, rule: &Arc<Rule>) -> Option<&'a mut Node> {
    let map = node.as_map_mut()?;
    if map.get(key).is_none_or(Node::is_null) {
        map.insert(key, Node::map(Origin::Unknown).created_by(rule));
    }
    map.get_mut(key).filter(|n| n.as_map().is_some())
}
