//! Objects by the thousand: a mould is made once from a parsed object with slots (`@NAME@`) in its texts, and cast as often as
//! needed by copying text between the slots.

use serde_json::Value;

use super::{
    kinds::Rid,
    object::{self, Meta},
    store::ClusterStore,
};

/// A text with slots.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Text {
    /// Text before each slot, and the slot's number.
    parts: Vec<(Box<str>, usize)>,
    tail: Box<str>,
}

impl Text {
    fn new(text: &str, slots: &[&str]) -> Self {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((at, slot)) = next_slot(rest, slots) {
            parts.push((rest[..at].into(), slot));
            rest = &rest[at + slots[slot].len() + 2..];
        }
        Self { parts, tail: rest.into() }
    }

    fn cast(&self, values: &[&str]) -> String {
        let length: usize = self.parts.iter().map(|(t, s)| t.len() + values.get(*s).map_or(0, |v| v.len())).sum();
        let mut out = String::with_capacity(length + self.tail.len());
        for (text, slot) in &self.parts {
            out.push_str(text);
            out.push_str(values.get(*slot).copied().unwrap_or(""));
        }
        out.push_str(&self.tail);
        out
    }
}

/// The first slot in a text: where it starts, and its number.
fn next_slot(text: &str, slots: &[&str]) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(at) = text[from..].find('@').map(|i| from + i) {
        let rest = &text[at + 1..];
        let hit = slots.iter().position(|s| rest.strip_prefix(s).is_some_and(|r| r.starts_with('@')));
        if let Some(slot) = hit {
            return Some((at, slot));
        }
        from = at + 1;
    }
    None
}

/// A kind of object with slots.
#[derive(Clone, Debug)]
pub struct Mould {
    rid: Rid,
    key: Text,
    uid: Text,
    labels: Vec<(Box<str>, Text)>,
    fields: Vec<(&'static str, Text)>,
    owners: Vec<Text>,
    text: Text,
}

impl Mould {
    /// From an object whose texts carry `@SLOT@`s of the names given; the text `"@#SLOT@"` becomes a bare number. Label values
    /// may have slots, label keys may not.
    pub fn new(rid: Rid, mut object: Value, slots: &[&str]) -> Self {
        object["metadata"]["resourceVersion"] = serde_json::json!("0");
        let meta = object::meta_of(rid, &object);
        let empty = serde_json::Map::new();
        let (rest, _) = object::encode(object.as_object().unwrap_or(&empty));
        let text = |t: &str| Text::new(t, slots);
        Self {
            rid,
            key: text(&object::key_of(&object)),
            uid: text(object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default()),
            labels: meta.labels.iter().map(|(k, v)| (k.clone(), text(v))).collect(),
            fields: meta.fields.iter().map(|(k, v)| (*k, text(v))).collect(),
            owners: meta.owners.iter().map(|o| text(o)).collect(),
            text: text(&numbers(std::str::from_utf8(&rest).unwrap_or_default())),
        }
    }

    /// Puts one object with these values in its slots into the store.
    pub fn cast(&self, store: &ClusterStore, values: &[&str]) {
        let boxed = |t: &Text| t.cast(values).into_boxed_str();
        let meta = Meta {
            labels: self.labels.iter().map(|(k, v)| (k.clone(), boxed(v))).collect(),
            fields: self.fields.iter().map(|(k, v)| (*k, boxed(v))).collect(),
            owners: self.owners.iter().map(boxed).collect(),
        };
        store.load_text(self.rid, &self.key.cast(values), boxed(&self.uid), meta, &self.text.cast(values));
    }
}

/// Takes the quotes off slots that stand for numbers.
fn numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\"@#") {
        let Some((slot, tail)) = after.split_once('"') else { break };
        out.push_str(before);
        out.push('@');
        out.push_str(slot);
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        model::Millis,
        sim::{clock::Clock, kinds},
    };

    #[test]
    fn a_cast_is_what_loading_the_object_gives() {
        let store = ClusterStore::new("c", 1, Clock::manual(Millis(1_796_000_000_000)), 16);
        let object = |name: &str, node: &str| {
            json!({"metadata": {"name": name, "namespace": "n", "uid": format!("uid-{name}"), "creationTimestamp": "2026-11-01T00:00:00Z",
                "labels": {"app": node}, "ownerReferences": [{"uid": "o"}]},
                "spec": {"nodeName": node, "containers": [{"image": "a@sha256:1@NODE"}]}, "status": {"phase": "Running"}})
        };
        let slots = ["NAME", "NODE"];
        Mould::new(kinds::PODS, object("@NAME@", "@NODE@"), &slots).cast(&store, &["p", "node-1"]);
        let cast = store.get(kinds::PODS, "n", "p").unwrap();
        store.load(kinds::PODS, object("p", "node-1"));
        let loaded = store.get(kinds::PODS, "n", "p").unwrap();
        assert_eq!((&cast.meta, &cast.uid), (&loaded.meta, &loaded.uid));
        let text =
            |s: &object::Stored| String::from_utf8(s.rest.to_vec()).unwrap().replace(&format!("\"{}\"", s.version), "");
        assert_eq!(text(&cast), text(&loaded));
        assert_eq!(store.owned("o").len(), 1);
    }
}
