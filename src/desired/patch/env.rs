//! Variables, requests and limits of containers (our own policies).

use std::sync::Arc;

use super::{Containers, containers, json, merge};
use crate::desired::{
    origin::{Origin, Rule},
    path::Path,
    tree::{Map, Node, Value},
};

/// Sets or takes out variables by name. A new one goes last; one that is there keeps its place. A value of one kind (`value`,
/// `valueFrom`) takes out that of the other.
///
/// # Errors
///
/// The path of an `env` that is no list.
pub fn variables(
    root: &mut Node,
    which: &Containers,
    variables: &[(String, Option<Node>)],
    rule: &Arc<Rule>,
) -> Result<(), String> {
    for path in containers::paths(root, which) {
        let path = path.key("env");
        for (name, value) in variables {
            match value {
                Some(value) => set(root, &path, name, value, rule)?,
                None => take_out(root, &path, name, rule),
            }
        }
    }
    Ok(())
}

/// Places of the variables of this name: the last one is the one that counts.
fn places(root: &Node, path: &Path, name: &str) -> Vec<usize> {
    let items = root.at(path).and_then(Node::as_list).unwrap_or_default();
    (0..items.len()).filter(|at| items[*at].str_of("name") == name).collect()
}

fn set(root: &mut Node, path: &Path, name: &str, value: &Node, rule: &Arc<Rule>) -> Result<(), String> {
    let wanted = entry(value);
    if let Some(at) = places(root, path, name).last() {
        if let Some(held) = root.at_mut(&path.index(*at)) {
            update(held, &wanted, rule);
        }
        return Ok(());
    }
    let mut entries = vec![("name".into(), Node::text(name, Origin::Unknown))];
    entries.extend(wanted);
    let new = Node::new(Value::Map(Arc::new(Map::from_unique(entries))), Origin::Unknown).created_by(rule);
    let container = Path(path.0[..path.0.len() - 1].to_vec());
    let broken = || path.to_string();
    let map = root.at_mut(&container).and_then(Node::as_map_mut).ok_or_else(broken)?;
    if map.get("env").is_none_or(Node::is_null) {
        map.insert("env", Node::new(Value::List(Arc::default()), Origin::Unknown).created_by(rule));
    }
    map.get_mut("env").and_then(Node::as_list_mut).ok_or_else(broken)?.push(new);
    Ok(())
}

/// What stands beside the name: a map as it is, anything else as the text of `value`.
fn entry(value: &Node) -> Vec<(Arc<str>, Node)> {
    match &value.value {
        Value::Map(map) => map.iter().filter(|(k, _)| &***k != "name").map(|(k, n)| (k.clone(), n.clone())).collect(),
        Value::Text(_) => vec![("value".into(), value.clone())],
        _ => vec![("value".into(), Node::text(&value.to_json().to_string(), value.origin.clone()))],
    }
}

fn update(held: &mut Node, wanted: &[(Arc<str>, Node)], rule: &Arc<Rule>) {
    let Some(map) = held.as_map_mut() else { return };
    let other = |key: &Arc<str>| &**key != "name" && !wanted.iter().any(|(k, _)| k == key);
    let gone: Vec<Arc<str>> = map.iter().map(|(k, _)| k.clone()).filter(other).collect();
    for (key, value) in wanted {
        match map.get_mut(key) {
            Some(slot) => json::write(slot, value, rule),
            None => {
                map.insert(key, value.created_by(rule));
            }
        }
    }
    for key in gone {
        merge::take(held, &key, rule);
    }
}

fn take_out(root: &mut Node, path: &Path, name: &str, rule: &Arc<Rule>) {
    for at in places(root, path, name).into_iter().rev() {
        let Some(env) = root.at_mut(path) else { return };
        let Some(items) = env.as_list_mut() else { return };
        let old = items.remove(at);
        env.note_removed(&at.to_string(), old, rule);
    }
}

/// Merges requests and limits into what is there.
///
/// # Errors
///
/// The path where a map was expected.
pub fn resources(root: &mut Node, which: &Containers, resources: &Node, rule: &Arc<Rule>) -> Result<(), String> {
    let wrapped = Map::from_unique(vec![("resources".into(), resources.clone())]);
    for path in containers::paths(root, which) {
        let broken = || path.key("resources").to_string();
        let container = root.at_mut(&path).filter(|n| n.as_map().is_some()).ok_or_else(broken)?;
        merge::plain(container, &wrapped, rule);
    }
    Ok(())
}
