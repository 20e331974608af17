//! Lays two manifests over each other: which value of the finished object stands where a value of a patch or of a base
//! stood. List items meet by what names them, else by what they hold, else by their place.

use std::sync::Arc;

use crate::desired::{
    origin::Origin,
    path::{Path, Step},
    tree::{Node, Value},
};

/// Keys that name an item of a list, in the order they are tried.
const NAMED_BY: [&str; 11] = [
    "name",
    "key",
    "mountPath",
    "devicePath",
    "containerPort",
    "port",
    "topologyKey",
    "ip",
    "host",
    "secretName",
    "kind",
];

/// The leaves of `written` that have a partner in `finished`: path in `finished`, its leaf, the written leaf.
pub(super) fn pairs<'a>(finished: &'a Node, written: &'a Node) -> Vec<(Path, &'a Node, &'a Node)> {
    let mut found = Vec::new();
    walk(finished, written, &mut Path::default(), &mut found);
    found
}

fn walk<'a>(finished: &'a Node, written: &'a Node, path: &mut Path, found: &mut Vec<(Path, &'a Node, &'a Node)>) {
    match (&finished.value, &written.value) {
        (Value::Map(map), Value::Map(other)) if !other.is_empty() => {
            for (key, inner) in other.iter() {
                if let Some(partner) = map.get(key) {
                    path.0.push(Step::Key(key.clone()));
                    walk(partner, inner, path, found);
                    path.0.pop();
                }
            }
        }
        (Value::List(items), Value::List(others)) if !others.is_empty() => {
            for (at, partner) in partners(items, others).into_iter().enumerate() {
                if let Some(index) = partner {
                    path.0.push(Step::Index(index));
                    walk(&items[index], &others[at], path, found);
                    path.0.pop();
                }
            }
        }
        _ if written.is_leaf() && finished.is_leaf() => found.push((path.clone(), finished, written)),
        _ => {}
    }
}

/// For each item of `others` the index of the item of `items` that it became, if any.
fn partners(items: &[Node], others: &[Node]) -> Vec<Option<usize>> {
    let mut taken = vec![false; items.len()];
    let mut result = vec![None; others.len()];
    let same: fn(&Node, &Node) -> bool = |a, b| a == b;
    for meets in [same, named_alike, held_by] {
        for (at, other) in others.iter().enumerate().filter(|(at, _)| result[*at].is_none()).collect::<Vec<_>>() {
            let free = |index: &usize| items.get(*index).is_some_and(|item| !taken[*index] && meets(item, other));
            // The same place first: equal items keep their order.
            if let Some(index) = Some(at).filter(free).or_else(|| (0..items.len()).find(free)) {
                taken[index] = true;
                result[at] = Some(index);
            }
        }
    }
    for at in 0..others.len() {
        if result[at].is_none() && taken.get(at) == Some(&false) {
            taken[at] = true;
            result[at] = Some(at);
        }
    }
    result
}

/// True when the first naming key that both have is equal in both.
fn named_alike(item: &Node, other: &Node) -> bool {
    let key = NAMED_BY.iter().find(|key| item.get(key).is_some() && other.get(key).is_some());
    key.is_some_and(|key| item.get(key) == other.get(key))
}

/// True when every scalar of `other` stands in `item` under the same key.
fn held_by(item: &Node, other: &Node) -> bool {
    let (Some(item), Some(other)) = (item.as_map(), other.as_map()) else { return false };
    let mut scalars = other.iter().filter(|(_, n)| n.is_leaf()).peekable();
    scalars.peek().is_some() && scalars.all(|(key, n)| item.get(key) == Some(n))
}

/// The nodes at a place; a key may be an index, `-` or `*` or `name=web` for items of a list. The likeliest is the first.
pub(super) fn places<'a>(node: &'a Node, at: &[Step]) -> Vec<(Path, &'a Node)> {
    let mut found = vec![(Path::default(), node)];
    for step in at {
        let Step::Key(key) = step else { return Vec::new() };
        let mut next = Vec::new();
        for (path, node) in found {
            match &node.value {
                Value::Map(map) if &**key == "*" => next.extend(map.iter().map(|(k, inner)| (path.key(k), inner))),
                Value::Map(map) => next.extend(map.get(key).map(|inner| (path.key(key), inner))),
                Value::List(items) => next.extend(chosen(items, key).map(|at| (path.index(at), &items[at]))),
                _ => {}
            }
        }
        found = next;
    }
    found
}

/// Indexes that a key may mean: the index itself first, then all others (items may have moved since); for `a=b` those alone.
fn chosen<'a>(items: &'a [Node], key: &'a str) -> impl Iterator<Item = usize> + 'a {
    let choice = key.split_once('=');
    let index = key.parse::<usize>().ok().filter(|i| *i < items.len());
    let end = (key == "-").then(|| items.len().checked_sub(1)).flatten();
    let first = index.or(end);
    let fits = move |at: &usize| match choice {
        Some((field, value)) => items[*at].str_of(field) == value,
        None => Some(*at) != first,
    };
    first.into_iter().chain((0..items.len()).filter(fits))
}

/// Gives every part of `finished` that has a partner in `written` the partner's origin; keys of maps count, values may
/// differ.
pub(super) fn adopt(finished: &mut Node, written: &Node) {
    if matches!(written.origin, Origin::At(..)) {
        finished.origin = written.origin.clone();
    }
    match (&mut finished.value, &written.value) {
        (Value::Map(map), Value::Map(other)) => {
            let map = Arc::make_mut(map);
            for (key, inner) in other.iter() {
                if let Some(partner) = map.get_mut(key) {
                    adopt(partner, inner);
                }
            }
        }
        (Value::List(items), Value::List(others)) => {
            let partners = partners(items, others);
            let items = Arc::make_mut(items);
            for (at, partner) in partners.into_iter().enumerate() {
                if let Some(index) = partner {
                    adopt(&mut items[index], &others[at]);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn node(json: serde_json::Value) -> Node {
        Node::from_json(&json, &Origin::Unknown)
    }

    #[test]
    fn items_meet_by_name_then_by_content_then_by_place() {
        let finished = node(json!({"c": [{"name": "b", "v": 9}, {"name": "a", "v": 1}], "l": ["x", "y", "z"]}));
        let written = node(json!({"c": [{"name": "a", "v": 1}, {"name": "b", "v": 2}], "l": ["z"], "gone": 1}));
        let found = pairs(&finished, &written);
        let paths: Vec<String> = found.iter().map(|(path, ..)| path.to_string()).collect();
        assert_eq!(paths, ["c[1].name", "c[1].v", "c[0].name", "c[0].v", "l[2]"]);
        let renamed = pairs(&node(json!([{"name": "eu-a"}])), &node(json!([{"name": "a"}]))).len();
        assert_eq!(renamed, 1, "a changed name still has its place");
    }

    #[test]
    fn a_place_may_be_an_item_by_name_the_end_or_any() {
        let object = node(json!({"c": [{"name": "a", "v": 1}, {"name": "b", "v": 2}]}));
        let at = |words: &[&str]| {
            let steps: Vec<Step> = words.iter().map(|w| Step::Key((*w).into())).collect();
            places(&object, &steps).iter().map(|(p, _)| p.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(at(&["c", "name=b", "v"]), ["c[1].v"]);
        assert_eq!(at(&["c", "-", "v"]), ["c[1].v", "c[0].v"]);
        assert_eq!(at(&["c", "0", "v"]), ["c[0].v", "c[1].v"]);
        assert!(at(&["c", "name=x"]).is_empty());
    }
}
