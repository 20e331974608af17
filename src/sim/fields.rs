//! Sets of fields as `managedFields` keeps them (FieldsV1): building, comparing, and taking fields out of objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::schema::{ListKind, Node, Schema, Shape};

/// A set of paths. Elements are written as in FieldsV1: `f:name`, `k:{"name":"x"}`, `v:"x"`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    members: BTreeSet<String>,
    children: BTreeMap<String, Set>,
}

impl Set {
    /// From FieldsV1.
    pub fn from_json(value: &Value) -> Self {
        let mut set = Self::default();
        for (key, below) in value.as_object().into_iter().flatten().filter(|(k, _)| k.as_str() != ".") {
            let inside = below.as_object();
            if inside.is_none_or(|i| i.is_empty() || i.contains_key(".")) {
                set.members.insert(key.clone());
            }
            let child = Self::from_json(below);
            if !child.is_empty() {
                set.children.insert(key.clone(), child);
            }
        }
        set
    }

    /// As FieldsV1.
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        let keys: BTreeSet<&String> = self.members.iter().chain(self.children.keys()).collect();
        for key in keys {
            let mut below = self.children.get(key).map_or_else(|| json!({}), Self::to_json);
            if self.members.contains(key) && self.children.contains_key(key) {
                below["."] = json!({});
            }
            map.insert(key.clone(), below);
        }
        Value::Object(map)
    }

    /// Nothing in it.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.is_empty()
    }

    fn add_child(&mut self, key: &str, child: Self) {
        if !child.is_empty() {
            self.children.insert(key.to_owned(), child);
        }
    }

    /// Both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.members.extend(other.members.iter().cloned());
        for (key, child) in &other.children {
            let joined = all.children.get(key).map_or_else(|| child.clone(), |c| c.union(child));
            all.children.insert(key.clone(), joined);
        }
        all
    }

    /// What is in this one and not in the other.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut rest = Self { members: self.members.difference(&other.members).cloned().collect(), ..Self::default() };
        for (key, child) in &self.children {
            rest.add_child(key, other.children.get(key).map_or_else(|| child.clone(), |o| child.minus(o)));
        }
        rest
    }

    /// As [`Set::minus`], but a member of the other takes everything below it along.
    #[must_use]
    pub fn minus_whole(&self, other: &Self) -> Self {
        let mut rest = Self { members: self.members.difference(&other.members).cloned().collect(), ..Self::default() };
        for (key, child) in self.children.iter().filter(|(k, _)| !other.members.contains(*k)) {
            rest.add_child(key, other.children.get(key).map_or_else(|| child.clone(), |o| child.minus_whole(o)));
        }
        rest
    }

    /// What is in both.
    #[must_use]
    pub fn common(&self, other: &Self) -> Self {
        let mut both =
            Self { members: self.members.intersection(&other.members).cloned().collect(), ..Self::default() };
        for (key, child) in &self.children {
            if let Some(o) = other.children.get(key) {
                both.add_child(key, child.common(o));
            }
        }
        both
    }

    /// Declared fields that have something below them become members.
    #[must_use]
    pub fn with_named(&self, schema: &Schema, node: &Node) -> Self {
        let mut set = Self { members: self.members.clone(), ..Self::default() };
        for (key, child) in &self.children {
            let name = key.strip_prefix("f:");
            if name.is_some_and(|n| schema.declared(node, n).is_some()) {
                set.members.insert(key.clone());
            }
            let below = name.map_or_else(|| schema.item(node), |n| schema.below(node, n));
            set.children.insert(key.clone(), child.with_named(schema, below));
        }
        set
    }

    /// From a path such as `["f:metadata", "f:name"]`.
    pub fn path(parts: &[&str]) -> Self {
        match parts {
            [] => Self::default(),
            [last] => Self { members: BTreeSet::from([(*last).to_owned()]), ..Self::default() },
            [first, rest @ ..] => {
                Self { children: BTreeMap::from([((*first).to_owned(), Self::path(rest))]), ..Self::default() }
            }
        }
    }

    /// All paths as people read them: `.spec.replicas`, `.spec.containers[name="x"].image`.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        self.collect("", &mut words);
        words
    }

    fn collect(&self, prefix: &str, words: &mut Vec<String>) {
        let keys: BTreeSet<&String> = self.members.iter().chain(self.children.keys()).collect();
        for key in keys {
            let path = format!("{prefix}{}", word(key));
            if self.members.contains(key) {
                words.push(path.clone());
            }
            if let Some(child) = self.children.get(key) {
                child.collect(&path, words);
            }
        }
    }
}

fn word(element: &str) -> String {
    if let Some(name) = element.strip_prefix("f:") {
        return format!(".{name}");
    }
    if let Some(keys) = element.strip_prefix("k:") {
        let keys: Value = serde_json::from_str(keys).unwrap_or_default();
        let pairs: Vec<String> = keys.as_object().into_iter().flatten().map(|(k, v)| format!("{k}={v}")).collect();
        return format!("[{}]", pairs.join(","));
    }
    format!("[={}]", element.strip_prefix("v:").unwrap_or(element))
}

/// The element that names an item of a list; `None` for lists whose items have no names.
pub fn item_element(schema: &Schema, node: &Node, item: &Value) -> Option<String> {
    match &node.list {
        ListKind::Atomic => None,
        ListKind::Set => Some(format!("v:{item}")),
        ListKind::Keys(keys) => {
            let mut sorted: BTreeMap<&str, Value> = BTreeMap::new();
            for key in keys {
                let default = schema.declared(schema.item(node), key).and_then(|n| n.default.clone());
                if let Some(value) = item.get(key).cloned().or(default) {
                    sorted.insert(key, value);
                }
            }
            serde_json::to_string(&sorted).ok().map(|text| format!("k:{text}"))
        }
    }
}

fn items<'a>(schema: &Schema, node: &Node, list: &'a [Value]) -> Vec<(String, &'a Value)> {
    list.iter().filter_map(|item| Some((item_element(schema, node, item)?, item))).collect()
}

/// The fields that an applied object names.
pub fn of_value(schema: &Schema, node: &Node, value: &Value) -> Set {
    let mut set = Set::default();
    match value {
        Value::Object(map) => {
            for (key, below) in map {
                let element = format!("f:{key}");
                let child = schema.below(node, key);
                if schema.is_atomic(child, below) {
                    set.members.insert(element);
                    continue;
                }
                let empty = below.as_object().is_some_and(Map::is_empty);
                if empty || schema.declared(node, key).is_none() {
                    set.members.insert(element.clone());
                }
                set.add_child(&element, of_value(schema, child, below));
            }
        }
        Value::Array(list) => {
            for (element, item) in items(schema, node, list) {
                set.members.insert(element.clone());
                if item.is_object() {
                    set.add_child(&element, of_value(schema, schema.item(node), item));
                }
            }
        }
        _ => {}
    }
    set
}

/// What a change added, modified and removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// New fields.
    pub added: Set,
    /// Fields with another value.
    pub modified: Set,
    /// Fields that are gone.
    pub removed: Set,
}

impl Comparison {
    fn child(&mut self, element: &str, below: Self) {
        self.added.add_child(element, below.added);
        self.modified.add_child(element, below.modified);
        self.removed.add_child(element, below.removed);
    }
}

/// Compares two versions of an object.
pub fn compare(schema: &Schema, node: &Node, old: &Value, new: &Value) -> Comparison {
    let mut outcome = Comparison::default();
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let child = schema.below(node, key);
                // A typed server holds these even where the text does not.
                let filler = match child.shape {
                    Shape::Struct(_) if child.implied() => json!({}),
                    Shape::List(_) if child.implied() => json!([]),
                    _ => Value::Null,
                };
                let side = |map: &Map<String, Value>| map.get(key).filter(|v| !v.is_null()).cloned();
                let (left, right) = (side(a).unwrap_or_else(|| filler.clone()), side(b).unwrap_or(filler));
                compare_one(schema, child, &format!("f:{key}"), &left, &right, &mut outcome);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            let (a, b): (BTreeMap<_, _>, BTreeMap<_, _>) =
                (items(schema, node, a).into_iter().collect(), items(schema, node, b).into_iter().collect());
            let elements: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for element in elements {
                let (left, right) = (a.get(element), b.get(element));
                let null = Value::Null;
                let (left, right) = (left.copied().unwrap_or(&null), right.copied().unwrap_or(&null));
                compare_one(schema, schema.item(node), element, left, right, &mut outcome);
            }
        }
        _ => {}
    }
    outcome
}

fn compare_one(schema: &Schema, node: &Node, element: &str, old: &Value, new: &Value, into: &mut Comparison) {
    match (old.is_null(), new.is_null()) {
        (true, true) => {}
        (true, false) => {
            into.added.members.insert(element.to_owned());
            into.added.add_child(element, everything(schema, node, new));
        }
        (false, true) => {
            into.removed.members.insert(element.to_owned());
            into.removed.add_child(element, everything(schema, node, old));
        }
        (false, false) => {
            let apart = schema.is_atomic(node, old) || schema.is_atomic(node, new);
            if apart || old.is_object() != new.is_object() {
                if old != new {
                    into.modified.members.insert(element.to_owned());
                }
            } else {
                into.child(element, compare(schema, node, old, new));
            }
        }
    }
}

/// Every path below a value, inner ones too.
fn everything(schema: &Schema, node: &Node, value: &Value) -> Set {
    let mut set = Set::default();
    if schema.is_atomic(node, value) {
        return set;
    }
    match value {
        Value::Object(map) => {
            for (key, below) in map.iter().filter(|(_, v)| !v.is_null()) {
                let element = format!("f:{key}");
                set.add_child(&element, everything(schema, schema.below(node, key), below));
                set.members.insert(element);
            }
        }
        Value::Array(list) => {
            for (element, item) in items(schema, node, list) {
                set.add_child(&element, everything(schema, schema.item(node), item));
                set.members.insert(element);
            }
        }
        _ => {}
    }
    set
}

/// Takes the members of a set out of an object.
pub fn remove(schema: &Schema, node: &Node, value: &mut Value, gone: &Set) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !gone.members.contains(&format!("f:{key}")));
            for (key, below) in map.iter_mut() {
                if let Some(child) = gone.children.get(&format!("f:{key}")) {
                    remove(schema, schema.below(node, key), below, child);
                }
            }
        }
        Value::Array(list) => {
            list.retain(|item| item_element(schema, node, item).is_none_or(|e| !gone.members.contains(&e)));
            for item in list {
                let child = item_element(schema, node, item).and_then(|e| gone.children.get(&e));
                if let Some(child) = child {
                    remove(schema, schema.item(node), item, child);
                }
            }
        }
        _ => {}
    }
}

/// Merges an applied object into a live one: maps field by field, lists with names item by item, the rest as given.
pub fn merge(schema: &Schema, node: &Node, live: &mut Value, wanted: &Value) {
    if schema.is_atomic(node, wanted) || live.is_object() != wanted.is_object() {
        *live = wanted.clone();
        return;
    }
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) => {
            for (key, value) in wanted {
                match live.get_mut(key) {
                    Some(held) => merge(schema, schema.below(node, key), held, value),
                    None => {
                        live.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(live), Value::Array(wanted)) => *live = merge_items(schema, node, live, wanted),
        (live, wanted) => *live = wanted.clone(),
    }
}

/// Items in the order of `wanted`; those that only the live list has stay before the next common one.
fn merge_items(schema: &Schema, node: &Node, live: &[Value], wanted: &[Value]) -> Vec<Value> {
    let (held, asked) = (items(schema, node, live), items(schema, node, wanted));
    let is_asked = |element: &str| asked.iter().any(|(e, _)| e == element);
    let (mut merged, mut at) = (Vec::new(), 0);
    for (element, item) in &asked {
        if let Some(found) = held.iter().position(|(e, _)| e == element) {
            while at < found {
                merged.extend((!is_asked(&held[at].0)).then(|| held[at].1.clone()));
                at += 1;
            }
            at = at.max(found + 1);
            let mut value = held[found].1.clone();
            merge(schema, schema.item(node), &mut value, item);
            merged.push(value);
        } else {
            merged.push((*item).clone());
        }
    }
    merged.extend(held.iter().skip(at).filter(|(e, _)| !is_asked(e)).map(|(_, v)| (*v).clone()));
    merged
}
