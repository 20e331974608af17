//! Merge patches on trees: strategic ones for the built-in kinds (lists by their merge keys, and the directives), plain ones
//! (RFC 7386) for all others.

use std::sync::Arc;

use super::json;
use crate::{
    desired::{
        origin::{Origin, Rule},
        tree::{Map, Node, Value},
    },
    schema::{self, Schema},
};

const ORDER: &str = "$setElementOrder/";
const DELETE_PRIMITIVE: &str = "$deleteFromPrimitiveList/";
const RETAIN: &str = "$retainKeys";
const DIRECTIVE: &str = "$patch";

/// Merges a patch into an object, by the type that its `apiVersion` and kind have.
///
/// # Errors
///
/// What does not fit: an unknown directive, an item without its merge key, directives for a kind whose lists have no keys.
pub fn apply(root: &mut Node, patch: &Node, rule: &Arc<Rule>) -> Result<(), String> {
    let patch = patch.as_map().ok_or_else(|| "a merge patch is a map".to_owned())?;
    let schema = schema::schema();
    let (api_version, kind) = (root.str_of("apiVersion"), root.str_of("kind"));
    let mut changed = root.clone();
    if schema.number(api_version, kind).is_some() {
        let merge = Merge { schema, rule };
        merge.map(&schema.root(api_version, kind), &mut changed, patch)?;
    } else {
        no_directives(patch)?;
        plain(&mut changed, patch, rule);
    }
    *root = changed;
    Ok(())
}

/// Takes a member out of a map, and notes it.
pub fn take(node: &mut Node, key: &str, rule: &Arc<Rule>) {
    if node.as_map().and_then(|m| m.get(key)).is_none() {
        return;
    }
    if let Some(old) = node.as_map_mut().and_then(|m| m.remove(key)) {
        node.note_removed(key, old, rule);
    }
}

/// A plain merge patch: maps by key, `null` takes out, anything else is put in whole.
pub fn plain(node: &mut Node, patch: &Map, rule: &Arc<Rule>) {
    for (key, value) in patch.iter() {
        match &value.value {
            Value::Null => take(node, key, rule),
            Value::Map(inner) => {
                if let Some(held) = map_under(node, key, rule) {
                    plain(held, inner, rule);
                }
            }
            _ => set(node, key, value, rule),
        }
    }
}

fn set(node: &mut Node, key: &str, value: &Node, rule: &Arc<Rule>) {
    let Some(map) = node.as_map_mut() else { return };
    match map.get_mut(key) {
        Some(slot) => json::write(slot, value, rule),
        None => {
            map.insert(key, value.created_by(rule));
        }
    }
}

fn empty_list() -> Node {
    Node::new(Value::List(Arc::default()), Origin::Unknown)
}

/// The map under a key; what is no map becomes an empty one.
fn map_under<'a>(node: &'a mut Node, key: &str, rule: &Arc<Rule>) -> Option<&'a mut Node> {
    if node.as_map()?.get(key).and_then(Node::as_map).is_none() {
        set(node, key, &Node::map(Origin::Unknown), rule);
    }
    node.as_map_mut()?.get_mut(key)
}

/// The list under a key; what is no list becomes an empty one.
fn list_under<'a>(node: &'a mut Node, key: &str, rule: &Arc<Rule>) -> Option<&'a mut Node> {
    if node.as_map()?.get(key).and_then(Node::as_list).is_none() {
        set(node, key, &empty_list(), rule);
    }
    node.as_map_mut()?.get_mut(key)
}

/// Directives are for kinds whose types are known; elsewhere they would end up in the object.
fn no_directives(patch: &Map) -> Result<(), String> {
    fn of(node: &Node) -> Result<(), String> {
        match &node.value {
            Value::Map(map) => no_directives(map),
            Value::List(items) => items.iter().try_for_each(of),
            _ => Ok(()),
        }
    }
    for (key, value) in patch.iter() {
        if is_directive(key) {
            return Err(format!("{key} needs a built-in kind"));
        }
        of(value)?;
    }
    Ok(())
}

fn is_directive(key: &str) -> bool {
    key == DIRECTIVE || key == RETAIN || key.starts_with(ORDER) || key.starts_with(DELETE_PRIMITIVE)
}

/// What `$patch` asks for.
fn directive(patch: &Map) -> Result<&str, String> {
    match patch.get(DIRECTIVE).map(|d| d.as_str().unwrap_or_default()) {
        None => Ok("merge"),
        Some(word @ ("merge" | "replace" | "delete")) => Ok(word),
        Some(other) => Err(format!("{DIRECTIVE}: {other}")),
    }
}

/// A patch without its directives, for what is put in whole.
fn bare(patch: &Map) -> Node {
    let entries = patch.iter().filter(|(k, _)| !is_directive(k)).map(|(k, n)| (k.clone(), n.clone())).collect();
    Node::new(Value::Map(Arc::new(Map::from_unique(entries))), Origin::Unknown)
}

/// A strategic merge.
struct Merge<'a> {
    schema: &'a Schema,
    rule: &'a Arc<Rule>,
}

impl Merge<'_> {
    fn map(&self, shape: &schema::Node, held: &mut Node, patch: &Map) -> Result<(), String> {
        match directive(patch)? {
            "replace" => {
                json::write(held, &bare(patch), self.rule);
                return Ok(());
            }
            "delete" => {
                json::write(held, &Node::map(Origin::Unknown), self.rule);
                return Ok(());
            }
            _ => {}
        }
        self.retain(held, patch);
        for (key, value) in patch.iter().filter(|(k, _)| !k.starts_with(ORDER) && !matches!(&***k, DIRECTIVE | RETAIN))
        {
            match key.strip_prefix(DELETE_PRIMITIVE) {
                Some(list) => self.delete_primitives(held, list, value),
                None => self.field(shape, held, key, value, patch)?,
            }
        }
        // An order may come without its list: items only move.
        for (key, order) in patch.iter() {
            let Some(list) = key.strip_prefix(ORDER).filter(|list| patch.get(list).is_none()) else { continue };
            let merge_key = self.schema.below(shape, list).merge_key.as_deref();
            if let Some(items) = held.as_map_mut().and_then(|m| m.get_mut(list)) {
                let known = items.as_list().map_or(0, <[Node]>::len);
                arrange(merge_key, items, known, &[order.as_list().unwrap_or_default()]);
            }
        }
        Ok(())
    }

    /// `$retainKeys`: only these stay.
    fn retain(&self, held: &mut Node, patch: &Map) {
        let Some(kept) = patch.get(RETAIN).and_then(Node::as_list) else { return };
        let stays = |key: &str| kept.iter().any(|k| k.as_str() == Some(key));
        let gone: Vec<Arc<str>> = match held.as_map() {
            Some(map) => map.iter().map(|(k, _)| k.clone()).filter(|k| !stays(k)).collect(),
            None => return,
        };
        gone.iter().for_each(|key| take(held, key, self.rule));
    }

    fn delete_primitives(&self, held: &mut Node, list: &str, gone: &Node) {
        let gone = gone.as_list().unwrap_or_default();
        let found = held.as_map().and_then(|m| m.get(list)).and_then(Node::as_list).unwrap_or_default();
        let places: Vec<usize> = (0..found.len()).filter(|at| gone.contains(&found[*at])).collect();
        if let Some(items) = held.as_map_mut().filter(|_| !places.is_empty()).and_then(|m| m.get_mut(list)) {
            places.iter().rev().for_each(|at| self.take_item(items, *at));
        }
    }

    fn take_item(&self, items: &mut Node, at: usize) {
        if let Some(old) = items.as_list_mut().map(|list| list.remove(at)) {
            items.note_removed(&at.to_string(), old, self.rule);
        }
    }

    fn field(&self, shape: &schema::Node, held: &mut Node, key: &str, value: &Node, patch: &Map) -> Result<(), String> {
        let below = self.schema.below(shape, key);
        match &value.value {
            Value::Null => take(held, key, self.rule),
            Value::Map(inner) if directive(inner)? == "delete" => take(held, key, self.rule),
            Value::Map(inner) => {
                if below.strategy == "replace" {
                    set(held, key, &Node::map(Origin::Unknown), self.rule);
                }
                if let Some(map) = map_under(held, key, self.rule) {
                    self.map(below, map, inner)?;
                }
            }
            Value::List(items) if below.merges() => {
                let order = patch.get(&format!("{ORDER}{key}")).and_then(Node::as_list);
                if let Some(list) = list_under(held, key, self.rule) {
                    self.list(below, list, items, order)?;
                }
            }
            _ => set(held, key, value, self.rule),
        }
        Ok(())
    }

    fn list(
        &self,
        shape: &schema::Node,
        held: &mut Node,
        patch: &[Node],
        order: Option<&[Node]>,
    ) -> Result<(), String> {
        let word = |item: &Node| item.as_map().map_or(Ok("merge"), directive).map(str::to_owned);
        let words = patch.iter().map(word).collect::<Result<Vec<_>, _>>()?;
        if words.iter().any(|w| w == "replace") {
            json::write(held, &empty_list(), self.rule);
        }
        let mut named = Vec::new();
        let length = |held: &Node| held.as_list().map_or(0, <[Node]>::len);
        let mut known = length(held);
        for (item, word) in patch.iter().zip(&words) {
            let Some(merge_key) = &shape.merge_key else {
                self.primitive(held, item);
                named.push(item.clone());
                continue;
            };
            match (word.as_str(), item.get(merge_key)) {
                ("replace", None) => {}
                (_, None) => return Err(format!("an item has no {merge_key}")),
                ("delete", Some(name)) => {
                    while let Some(at) = place(held, merge_key, name) {
                        self.take_item(held, at);
                        known -= usize::from(at < known);
                    }
                }
                (_, Some(name)) => {
                    self.item(shape, held, merge_key, name, item)?;
                    named.push(item.clone());
                }
            }
        }
        let orders: Vec<&[Node]> = [Some(named.as_slice()), order].into_iter().flatten().collect();
        arrange(shape.merge_key.as_deref(), held, known, &orders);
        Ok(())
    }

    fn primitive(&self, held: &mut Node, item: &Node) {
        if held.as_list().is_some_and(|list| list.contains(item)) {
            return;
        }
        if let Some(list) = held.as_list_mut() {
            list.push(item.created_by(self.rule));
        }
    }

    fn item(
        &self,
        shape: &schema::Node,
        held: &mut Node,
        merge_key: &str,
        name: &Node,
        item: &Node,
    ) -> Result<(), String> {
        let at = place(held, merge_key, name);
        let Some(list) = held.as_list_mut() else { return Ok(()) };
        let at = at.unwrap_or_else(|| {
            list.push(Node::map(Origin::Unknown).created_by(self.rule));
            list.len() - 1
        });
        let mut patch = item.as_map().cloned().unwrap_or_default();
        // The name only finds the item: it stays whose it was.
        if list[at].get(merge_key).is_some() {
            patch.remove(merge_key);
        }
        self.map(self.schema.item(shape), &mut list[at], &patch)
    }
}

fn place(held: &Node, merge_key: &str, name: &Node) -> Option<usize> {
    held.as_list()?.iter().position(|item| item.get(merge_key) == Some(name))
}

/// Puts a list, whose first `known` items were there before the patch, into the wanted orders, one after the other: what an
/// order names comes in its order, the rest keeps its place relative to what stood before or behind it, and new items come
/// as early as the order allows.
fn arrange(merge_key: Option<&str>, held: &mut Node, known: usize, orders: &[&[Node]]) {
    let name = |item: &Node| merge_key.map_or_else(|| item.clone(), |k| item.get(k).cloned().unwrap_or_default());
    let Some(items) = held.as_list() else { return };
    let before: Vec<Node> = items.iter().map(name).collect();
    let mut sorted: Vec<usize> = (0..before.len()).collect();
    for order in orders {
        let wanted: Vec<Node> = order.iter().map(name).collect();
        sorted = merged(&sorted, known, |at| wanted.iter().position(|w| *w == before[at]));
    }
    if sorted.iter().enumerate().any(|(to, from)| to != *from) {
        let list: Vec<Node> = sorted.iter().map(|at| items[*at].clone()).collect();
        held.value = Value::List(Arc::new(list));
    }
}

fn merged(sorted: &[usize], known: usize, rank: impl Fn(usize) -> Option<usize>) -> Vec<usize> {
    let (mut named, others): (Vec<usize>, Vec<usize>) = sorted.iter().partition(|at| rank(**at).is_some());
    named.sort_by_key(|at| rank(*at));
    let mut others = others.into_iter().peekable();
    let mut out = Vec::with_capacity(sorted.len());
    for at in named {
        while let Some(other) = others.next_if(|other| at < known && *other < at) {
            out.push(other);
        }
        out.push(at);
    }
    out.extend(others);
    out
}
