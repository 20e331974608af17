//! What differs between clusters for one service: a table of fields by cluster, each value with its cause, and whether a
//! declared difference explains it. Two copies of a manifest that say different things are explained by nothing.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    engine::{Outcome, Owner},
    mask,
    object::{Object, ObjectKey},
    origin::{Act, At, Origin, Rule, SourceKind},
    tree::{Node, Value},
};

/// Who is behind one value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// A rule set it, or took it away.
    Rule(Arc<Rule>),
    /// It was written at this place.
    Written(At),
    /// The object is not placed in these clusters, or its source does not have it.
    NotPlaced,
    /// The field is not in the manifest.
    NotWritten,
    /// Nobody knows.
    Unknown,
}

/// One value of a field, and the clusters that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Numbers of the clusters.
    pub clusters: Vec<u32>,
    /// The value; `None` = the field (or the object) is not there.
    pub value: Option<Node>,
    /// Who is behind it.
    pub cause: Cause,
}

/// A field that is not the same everywhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The object.
    pub object: ObjectKey,
    /// The field, items of lists by their names where they have some: `spec.template.spec.containers[app].image`. Empty for
    /// the object as a whole.
    pub field: String,
    /// Its values, the most common first.
    pub readings: Vec<Reading>,
    /// A declared difference (a policy's rule, a patch, values) is behind it. If none is, this is a finding.
    pub explained: bool,
    /// The values are secret and must not be shown.
    pub masked: bool,
}

/// A version of an object, and where it is used.
struct Variant {
    object: Option<Arc<Object>>,
    clusters: Vec<u32>,
    absence_declared: bool,
}

/// Every difference of a service among the clusters that it goes to.
pub fn of(outcome: &Outcome) -> Vec<Row> {
    let mut everywhere: BTreeSet<u32> = BTreeSet::new();
    for placed in &outcome.placed {
        everywhere.extend(placed.objects.iter().map(|(at, _)| *at));
    }
    let mut keys: Vec<&ObjectKey> = Vec::new();
    for placed in &outcome.placed {
        if !keys.contains(&&placed.key) {
            keys.push(&placed.key);
        }
    }
    keys.into_iter().flat_map(|key| rows(key, &variants(outcome, key, &everywhere))).collect()
}

/// The versions of one object: clusters that share one are found by identity.
fn variants(outcome: &Outcome, key: &ObjectKey, everywhere: &BTreeSet<u32>) -> Vec<Variant> {
    let mut found: Vec<Variant> = Vec::new();
    let mut missing: BTreeSet<u32> = everywhere.clone();
    let mut declared = false;
    for placed in outcome.placed.iter().filter(|p| p.key == *key) {
        declared |= matches!(placed.owner, Owner::Policy(_) | Owner::Followed);
        for (cluster, object) in &placed.objects {
            missing.remove(cluster);
            let known = found.iter_mut().find(|v| v.object.as_ref().is_some_and(|o| Arc::ptr_eq(o, object)));
            match known {
                Some(variant) => variant.clusters.push(*cluster),
                None => found.push(Variant {
                    object: Some(object.clone()),
                    clusters: vec![*cluster],
                    absence_declared: false,
                }),
            }
        }
    }
    if !missing.is_empty() {
        found.push(Variant { object: None, clusters: missing.into_iter().collect(), absence_declared: declared });
    }
    found
}

fn rows(key: &ObjectKey, variants: &[Variant]) -> Vec<Row> {
    let mut walk = Walk { key, variants, rows: Vec::new() };
    let absent = variants.iter().any(|v| v.object.is_none());
    if absent && variants.len() > 1 {
        walk.whole();
    }
    let roots: Vec<Slot> =
        variants.iter().map(|v| Slot { node: v.object.as_deref().map(|o| &o.node), gone: None }).collect();
    walk.down("", &roots);
    walk.rows
}

/// One version's value at a field, and, where it has none, who took it away.
#[derive(Clone)]
struct Slot<'a> {
    node: Option<&'a Node>,
    gone: Option<&'a Arc<Rule>>,
}

struct Walk<'a> {
    key: &'a ObjectKey,
    variants: &'a [Variant],
    rows: Vec<Row>,
}

impl<'a> Walk<'a> {
    /// The object is in some clusters only.
    fn whole(&mut self) {
        let explained = self.variants.iter().any(|v| v.absence_declared);
        let there: Vec<u32> =
            self.variants.iter().filter(|v| v.object.is_some()).flat_map(|v| v.clusters.iter().copied()).collect();
        let not: Vec<u32> =
            self.variants.iter().filter(|v| v.object.is_none()).flat_map(|v| v.clusters.iter().copied()).collect();
        let first = self.variants.iter().find_map(|v| v.object.as_ref());
        let readings = vec![
            Reading {
                clusters: there,
                value: Some(Node::text(&self.key.name, Origin::Unknown)),
                cause: first.map_or(Cause::Unknown, |o| cause(&o.node.origin)),
            },
            Reading { clusters: not, value: None, cause: Cause::NotPlaced },
        ];
        self.push(String::new(), readings, explained);
    }

    fn down(&mut self, field: &str, slots: &[Slot<'a>]) {
        let there: Vec<&Node> = self.existing(slots).filter_map(|s| s.node).collect();
        let Some(first) = there.first() else { return };
        if there.len() == self.existing(slots).count() && there.iter().all(|n| n.shares(first)) {
            return;
        }
        if there.iter().all(|n| n.as_map().is_some()) {
            self.maps(field, slots);
        } else if there.iter().all(|n| named(n).is_some()) {
            self.named_lists(field, slots);
        } else if there.iter().any(|n| *n != *first) || there.len() != self.existing(slots).count() {
            self.leaf(field, slots);
        }
    }

    /// The slots of versions in which the object exists at all.
    fn existing<'s>(&self, slots: &'s [Slot<'a>]) -> impl Iterator<Item = &'s Slot<'a>> {
        let exists: Vec<bool> = self.variants.iter().map(|v| v.object.is_some()).collect();
        slots.iter().zip(exists).filter(|(_, exists)| *exists).map(|(slot, _)| slot)
    }

    fn maps(&mut self, field: &str, slots: &[Slot<'a>]) {
        let mut keys: Vec<&Arc<str>> = Vec::new();
        for map in slots.iter().filter_map(|s| s.node?.as_map()) {
            for (key, _) in map.iter() {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        for key in keys {
            let below: Vec<Slot> = slots.iter().map(|s| member(s, key, |n| n.as_map()?.get(key))).collect();
            let name = if key.contains(['.', '/', '[']) { format!("{field}[\"{key}\"]") } else { join(field, key) };
            self.down(&name, &below);
        }
    }

    fn named_lists(&mut self, field: &str, slots: &[Slot<'a>]) {
        let mut names: Vec<&str> = Vec::new();
        for name in slots.iter().filter_map(|s| named(s.node?)).flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            let find = |n: &'a Node| n.as_list()?.iter().find(|i| i.str_of("name") == name);
            let below: Vec<Slot> = slots.iter().map(|s| member(s, name, find)).collect();
            self.down(&format!("{field}[{name}]"), &below);
        }
    }

    fn leaf(&mut self, field: &str, slots: &[Slot<'a>]) {
        let mut readings: Vec<Reading> = Vec::new();
        let mut explained = false;
        for (slot, variant) in slots.iter().zip(self.variants).filter(|(_, v)| v.object.is_some()) {
            explained |= slot.node.map_or(slot.gone.is_some(), declared);
            let cause = match (slot.node, slot.gone) {
                (Some(node), _) => cause(&node.origin),
                (None, Some(rule)) => Cause::Rule(rule.clone()),
                (None, None) => Cause::NotWritten,
            };
            let value = slot.node.cloned();
            match readings.iter_mut().find(|r| r.value == value && r.cause == cause) {
                Some(reading) => reading.clusters.extend(&variant.clusters),
                None => readings.push(Reading { clusters: variant.clusters.clone(), value, cause }),
            }
        }
        // Equal values with different causes are no difference.
        if readings.iter().any(|r| r.value != readings[0].value) {
            self.push(field.to_owned(), readings, explained);
        }
    }

    fn push(&mut self, field: String, mut readings: Vec<Reading>, explained: bool) {
        readings.iter_mut().for_each(|r| r.clusters.sort_unstable());
        readings.sort_by(|a, b| b.clusters.len().cmp(&a.clusters.len()).then_with(|| a.clusters.cmp(&b.clusters)));
        let masked = mask::is_secret_kind(self.key) && mask::SECRET_FIELDS.iter().any(|f| field.starts_with(f));
        self.rows.push(Row { object: self.key.clone(), field, readings, explained, masked });
    }
}

fn join(field: &str, key: &str) -> String {
    if field.is_empty() { key.to_owned() } else { format!("{field}.{key}") }
}

/// A member of a slot's container; where it is not there, who took it out.
fn member<'a>(slot: &Slot<'a>, name: &str, find: impl Fn(&'a Node) -> Option<&'a Node>) -> Slot<'a> {
    let Some(container) = slot.node else { return slot.clone() };
    match find(container) {
        Some(node) => Slot { node: Some(node), gone: None },
        None => Slot { node: None, gone: taken_by(&container.origin, name) },
    }
}

fn taken_by<'a>(origin: &'a Origin, name: &str) -> Option<&'a Arc<Rule>> {
    let Origin::Changed(change) = origin else { return None };
    match &change.act {
        Act::Removed(member, _) if **member == *name => Some(&change.rule),
        Act::Removed(..) => taken_by(&change.before, name),
        Act::Replaced(_) | Act::Created => Some(&change.rule),
    }
}

/// The names of a list's items, if all of them have one and no two are equal.
fn named(node: &Node) -> Option<Vec<&str>> {
    let names: Vec<&str> = node.as_list()?.iter().map(|i| i.get("name")?.as_str()).collect::<Option<_>>()?;
    let unique: BTreeSet<&&str> = names.iter().collect();
    (!names.is_empty() && unique.len() == names.len()).then_some(names)
}

fn cause(origin: &Origin) -> Cause {
    match origin {
        Origin::Changed(change) => Cause::Rule(change.rule.clone()),
        other => other.at().map_or(Cause::Unknown, Cause::Written),
    }
}

/// Whether a declared difference is behind a value or any part of it.
fn declared(node: &Node) -> bool {
    let own = match &node.origin {
        Origin::Changed(_) => true,
        Origin::At(source, _) => {
            !matches!(source.kind, SourceKind::Manifest | SourceKind::Template | SourceKind::Situation)
        }
        Origin::Unknown => false,
    };
    own || match &node.value {
        Value::List(items) => items.iter().any(declared),
        Value::Map(map) => map.iter().any(|(_, n)| declared(n)),
        _ => false,
    }
}
