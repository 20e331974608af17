//! A value of a manifest whose every part knows where it came from. Copies share what is the same: a container is behind an
//! `Arc`, and a change copies only the containers on the way to it.

use std::sync::Arc;

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{
    origin::{Act, Change, Origin, Rule},
    path::{Path, Step},
};

/// What a node holds.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(Arc<str>),
    /// A list.
    List(Arc<Vec<Node>>),
    /// A map, in the order of the file.
    Map(Arc<Map>),
}

/// A value and who set it last.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Who set it.
    pub origin: Origin,
}

/// A map in the order of the file; keys are unique.
#[derive(Clone, Debug, Default)]
pub struct Map {
    entries: Vec<(Arc<str>, Node)>,
}

impl Map {
    /// From entries whose keys are known to be unique.
    pub fn from_unique(entries: Vec<(Arc<str>, Node)>) -> Self {
        Self { entries }
    }

    /// The value under a key; `null` counts as a value.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(k, _)| &**k == key).map(|(_, n)| n)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|(k, _)| &**k == key).map(|(_, n)| n)
    }

    /// Sets a key; a new one goes last. The old value comes back.
    pub fn insert(&mut self, key: &str, node: Node) -> Option<Node> {
        match self.get_mut(key) {
            Some(held) => Some(std::mem::replace(held, node)),
            None => {
                self.entries.push((key.into(), node));
                None
            }
        }
    }

    /// Takes a key out; the order of the others stays.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let at = self.entries.iter().position(|(k, _)| &**k == key)?;
        Some(self.entries.remove(at).1)
    }

    /// Entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Node)> {
        self.entries.iter().map(|(k, n)| (k, n))
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True for `{}`.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Equality of values; who set them plays no part, nor does the order of a map's keys. `1` and `1.0` are not equal.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b) || a == b,
            (Value::Map(a), Value::Map(b)) => {
                let same = || a.iter().zip(b.iter()).all(|((ka, na), (kb, nb))| ka == kb && na == nb);
                let by_key = || a.iter().all(|(k, n)| b.get(k) == Some(n));
                Arc::ptr_eq(a, b) || (a.len() == b.len() && (same() || by_key()))
            }
            _ => false,
        }
    }
}

/// The value alone, maps in their order; a float that JSON cannot hold becomes `null`.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Int(n) => serializer.serialize_i64(*n),
            Value::Float(n) if n.is_finite() => serializer.serialize_f64(*n),
            Value::Float(_) => serializer.serialize_unit(),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items.iter()),
            Value::Map(map) => {
                let mut out = serializer.serialize_map(Some(map.len()))?;
                for (key, node) in map.iter() {
                    out.serialize_entry(&**key, node)?;
                }
                out.end()
            }
        }
    }
}

impl Node {
    /// A node.
    pub fn new(value: Value, origin: Origin) -> Self {
        Self { value, origin }
    }

    /// A text.
    pub fn text(text: &str, origin: Origin) -> Self {
        Self { value: Value::Text(text.into()), origin }
    }

    /// An empty map.
    pub fn map(origin: Origin) -> Self {
        Self { value: Value::Map(Arc::default()), origin }
    }

    /// From JSON, every part with this origin. Numbers above the 64-bit range become floats, as Kubernetes reads them.
    pub fn from_json(json: &serde_json::Value, origin: &Origin) -> Self {
        use serde_json::Value as Json;
        let value = match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(n) => n.as_i64().map_or_else(|| Value::Float(n.as_f64().unwrap_or(f64::NAN)), Value::Int),
            Json::String(s) => Value::Text(s.as_str().into()),
            Json::Array(items) => Value::List(Arc::new(items.iter().map(|i| Self::from_json(i, origin)).collect())),
            Json::Object(map) => {
                let entries = map.iter().map(|(k, v)| (k.as_str().into(), Self::from_json(v, origin))).collect();
                Value::Map(Arc::new(Map::from_unique(entries)))
            }
        };
        Self { value, origin: origin.clone() }
    }

    /// As JSON; a float that JSON cannot hold becomes `null`.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(b) => (*b).into(),
            Value::Int(n) => (*n).into(),
            Value::Float(n) => serde_json::Number::from_f64(*n).map_or(serde_json::Value::Null, Into::into),
            Value::Text(t) => serde_json::Value::String(t.to_string()),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(map) => {
                serde_json::Value::Object(map.iter().map(|(k, n)| (k.to_string(), n.to_json())).collect())
            }
        }
    }

    /// The value under a key of a map, `null` counted as absent.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key).filter(|n| !n.is_null())
    }

    /// The value at the end of these keys, `null` counted as absent.
    pub fn at_keys(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The value at the end of a path (a `null` there counts as a value); a key that is a number is an index in a list.
    pub fn at(&self, path: &Path) -> Option<&Self> {
        path.0.iter().try_fold(self, Self::step)
    }

    /// One step down.
    pub fn step(&self, step: &Step) -> Option<&Self> {
        match (&self.value, step) {
            (Value::Map(map), Step::Key(key)) => map.get(key),
            (Value::List(items), Step::Index(index)) => items.get(*index),
            (Value::List(items), Step::Key(key)) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// The value at the end of a path, to change it: the containers on the way are copied where they are shared.
    pub fn at_mut(&mut self, path: &Path) -> Option<&mut Self> {
        path.0.iter().try_fold(self, |node, step| match (&mut node.value, step) {
            (Value::Map(map), Step::Key(key)) => {
                map.get(key)?;
                Arc::make_mut(map).get_mut(key)
            }
            (Value::List(items), Step::Index(index)) => {
                items.get(*index)?;
                Arc::make_mut(items).get_mut(*index)
            }
            (Value::List(items), Step::Key(key)) => {
                let index = key.parse::<usize>().ok()?;
                items.get(index)?;
                Arc::make_mut(items).get_mut(index)
            }
            _ => None,
        })
    }

    /// Puts a value here, by a rule: the old value stays in its history.
    pub fn replace(&mut self, value: Value, rule: &Arc<Rule>) {
        let old = std::mem::take(self);
        let change = Change { rule: rule.clone(), act: Act::Replaced(old), before: Origin::Unknown };
        *self = Self { value, origin: Origin::Changed(Arc::new(change)) };
    }

    /// A copy of this value as made by a rule: each part of it was created by the rule.
    #[must_use]
    pub fn created_by(&self, rule: &Arc<Rule>) -> Self {
        let change = Change { rule: rule.clone(), act: Act::Created, before: Origin::Unknown };
        self.with_origin(&Origin::Changed(Arc::new(change)))
    }

    /// A copy whose every part has this origin.
    #[must_use]
    pub fn with_origin(&self, origin: &Origin) -> Self {
        let value = match &self.value {
            Value::List(items) => Value::List(Arc::new(items.iter().map(|i| i.with_origin(origin)).collect())),
            Value::Map(map) => {
                let entries = map.iter().map(|(k, n)| (k.clone(), n.with_origin(origin))).collect();
                Value::Map(Arc::new(Map::from_unique(entries)))
            }
            scalar => scalar.clone(),
        };
        Self { value, origin: origin.clone() }
    }

    /// Notes on this container that a rule took a member out of it.
    pub fn note_removed(&mut self, member: &str, old: Self, rule: &Arc<Rule>) {
        let before = std::mem::take(&mut self.origin);
        self.origin =
            Origin::Changed(Arc::new(Change { rule: rule.clone(), act: Act::Removed(member.into(), old), before }));
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Map> {
        if let Value::Map(map) = &self.value { Some(map) } else { None }
    }

    /// The map, to change it; copied where it is shared.
    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        if let Value::Map(map) = &mut self.value { Some(Arc::make_mut(map)) } else { None }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Value::List(items) = &self.value { Some(items) } else { None }
    }

    /// The list, to change it; copied where it is shared.
    pub fn as_list_mut(&mut self) -> Option<&mut Vec<Self>> {
        if let Value::List(items) = &mut self.value { Some(Arc::make_mut(items)) } else { None }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The whole number, if it is one (also `3.0`).
    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(n) => Some(n),
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
            Value::Float(n) if n.fract() == 0.0 && n.abs() < 9.0e15 => Some(n as i64),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self.value { Some(b) } else { None }
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// True for values that hold no others, and for empty containers.
    pub fn is_leaf(&self) -> bool {
        match &self.value {
            Value::List(items) => items.is_empty(),
            Value::Map(map) => map.is_empty(),
            _ => true,
        }
    }

    /// The text under a key, empty when there is none.
    pub fn str_of(&self, key: &str) -> &str {
        self.get(key).and_then(Self::as_str).unwrap_or_default()
    }

    /// Items of the list under a key; nothing when there is none.
    pub fn items_of(&self, key: &str) -> &[Self] {
        self.get(key).and_then(Self::as_list).unwrap_or_default()
    }

    /// Every leaf with its path, depth first, in order.
    pub fn leaves(&self) -> Vec<(Path, &Self)> {
        let mut found = Vec::new();
        self.collect(&mut Path::default(), &mut found);
        found
    }

    fn collect<'a>(&'a self, path: &mut Path, found: &mut Vec<(Path, &'a Self)>) {
        if self.is_leaf() {
            found.push((path.clone(), self));
            return;
        }
        let mut down = |step: Step, node: &'a Self| {
            path.0.push(step);
            node.collect(path, found);
            path.0.pop();
        };
        match &self.value {
            Value::List(items) => items.iter().enumerate().for_each(|(at, node)| down(Step::Index(at), node)),
            Value::Map(map) => map.iter().for_each(|(key, node)| down(Step::Key(key.clone()), node)),
            _ => {}
        }
    }

    /// Equal values, set by the same at the same places, maps in the same order.
    pub fn identical(&self, other: &Self) -> bool {
        self.origin == other.origin
            && match (&self.value, &other.value) {
                (Value::List(a), Value::List(b)) => {
                    Arc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.identical(b)))
                }
                (Value::Map(a), Value::Map(b)) => {
                    let same = || a.iter().zip(b.iter()).all(|((ka, na), (kb, nb))| ka == kb && na.identical(nb));
                    Arc::ptr_eq(a, b) || (a.len() == b.len() && same())
                }
                _ => self == other,
            }
    }

    /// True when both are the very same in memory, or equal scalars: a cheap "surely equal".
    pub fn shares(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b),
            (Value::Map(a), Value::Map(b)) => Arc::ptr_eq(a, b),
            _ => self == other,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::origin::{At, Source, SourceKind};

    fn rule(name: &str) -> Arc<Rule> {
        let at = At { source: Source::new(SourceKind::Policy, "p.yaml"), line: 7 };
        Arc::new(Rule {
            kind: "OverridePolicy".into(),
            namespace: "shop".into(),
            name: name.into(),
            part: String::new(),
            at,
        })
    }

    #[test]
    fn a_change_copies_only_its_way_and_keeps_the_history() {
        let origin = Origin::At(Source::new(SourceKind::Manifest, "web.yaml"), 3);
        let base = Node::from_json(&json!({"a": {"b": [1, 2]}, "c": {"d": "x"}}), &origin);
        let mut copy = base.clone();
        let path = Path::parse("a.b[1]").unwrap();
        copy.at_mut(&path).unwrap().replace(Value::Int(5), &rule("one"));
        copy.at_mut(&path).unwrap().replace(Value::Int(6), &rule("two"));
        assert_eq!(copy.to_json(), json!({"a": {"b": [1, 6]}, "c": {"d": "x"}}));
        assert_eq!(base.to_json(), json!({"a": {"b": [1, 2]}, "c": {"d": "x"}}));
        assert!(copy.get("c").unwrap().shares(base.get("c").unwrap()), "untouched parts are shared");
        assert!(!copy.get("a").unwrap().shares(base.get("a").unwrap()));
        let (changes, first) = copy.at(&path).unwrap().origin.history();
        assert_eq!(changes.iter().map(|c| &*c.rule.name).collect::<Vec<_>>(), ["two", "one"]);
        assert_eq!(first.unwrap().to_string(), "web.yaml:3");
    }

    #[test]
    fn a_removal_is_known_where_the_value_was() {
        let mut node = Node::from_json(&json!({"a": 1, "b": 2}), &Origin::Unknown);
        let old = node.as_map_mut().unwrap().remove("a").unwrap();
        node.note_removed("a", old, &rule("gone"));
        let (changes, _) = node.origin.history();
        assert!(matches!(&changes[0].act, Act::Removed(key, old) if &**key == "a" && old.as_int() == Some(1)));
    }

    #[test]
    fn equality_ignores_origin_and_key_order() {
        let a = Node::from_json(&json!({"a": 1, "b": [true, null]}), &Origin::Unknown);
        let b =
            Node::from_json(&json!({"b": [true, null], "a": 1}), &Origin::At(Source::new(SourceKind::Tool, "t"), 1));
        assert_eq!(a, b);
        assert_ne!(a, Node::from_json(&json!({"a": 1, "b": [true]}), &Origin::Unknown));
        assert_eq!(a.leaves().len(), 3);
    }
}
