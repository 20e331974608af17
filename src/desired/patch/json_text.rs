//! JSON texts inside objects: read so that the order of keys and the spelling of what is not changed stay, and written as
//! Go writes them: compact, `<`, `>` and `&` as `\u003c` and so on.

use std::{fmt::Write, sync::Arc};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::desired::{
    origin::{Origin, Source},
    tree::{Map, Node, Value},
};

/// How deep a text may be nested.
const DEEPEST: usize = 200;

/// A text that was read: its tree, and how its scalars were spelled.
#[derive(Debug)]
pub struct Document {
    /// The tree. A scalar's "line" is its place in `spellings`, counted from 1: that is how an unchanged one is told.
    pub root: Node,
    source: Arc<Source>,
    spellings: Vec<String>,
}

/// Reads a text; `None` when it is no JSON or nested too deep. Of equal keys the last one counts.
pub fn read(text: &str) -> Option<Document> {
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    let mut document = Document { root: Node::default(), source: Arc::default(), spellings: Vec::new() };
    document.root = document.node(raw.get(), 0)?;
    Some(document)
}

/// Entries in order.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl Document {
    fn node(&mut self, raw: &str, depth: usize) -> Option<Node> {
        if depth > DEEPEST {
            return None;
        }
        let place =
            |line: usize, document: &Self| Origin::At(document.source.clone(), u32::try_from(line).unwrap_or(u32::MAX));
        let value = match raw.as_bytes().first()? {
            b'{' => {
                let Entries(entries) = serde_json::from_str(raw).ok()?;
                let mut map = Map::default();
                for (key, raw) in entries {
                    map.insert(&key, self.node(raw.get(), depth + 1)?);
                }
                Value::Map(Arc::new(map))
            }
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
                let nodes: Option<Vec<Node>> = items.iter().map(|item| self.node(item.get(), depth + 1)).collect();
                Value::List(Arc::new(nodes?))
            }
            _ => {
                self.spellings.push(raw.to_owned());
                let scalar: serde_json::Value = serde_json::from_str(raw).ok()?;
                return Some(Node::from_json(&scalar, &place(self.spellings.len(), self)));
            }
        };
        Some(Node::new(value, place(0, self)))
    }

    /// Writes the tree.
    pub fn write(&self) -> String {
        let mut out = String::new();
        self.put(&self.root, &mut out);
        out
    }

    fn put(&self, node: &Node, out: &mut String) {
        match &node.value {
            Value::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    self.put(item, out);
                }
                out.push(']');
            }
            Value::Map(map) => {
                out.push('{');
                for (at, (key, item)) in map.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    quoted(key, out);
                    out.push(':');
                    self.put(item, out);
                }
                out.push('}');
            }
            scalar => match self.spelling(&node.origin) {
                Some(raw) => raw.chars().for_each(|c| escaped(c, out)),
                None => plain(scalar, out),
            },
        }
    }

    /// How a scalar that nobody changed was spelled.
    fn spelling(&self, origin: &Origin) -> Option<&str> {
        let Origin::At(source, line) = origin else { return None };
        let at = usize::try_from(*line).ok()?.checked_sub(1)?;
        if Arc::ptr_eq(source, &self.source) { self.spellings.get(at).map(String::as_str) } else { None }
    }
}

fn plain(scalar: &Value, out: &mut String) {
    match scalar {
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(n) => out.push_str(&n.to_string()),
        Value::Float(n) => out.push_str(&number(*n)),
        Value::Text(text) => quoted(text, out),
        _ => out.push_str("null"),
    }
}

/// A number as Go writes it into JSON: without exponent from 1e-6 up to 1e21.
pub fn number(n: f64) -> String {
    let size = n.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        return format!("{n:e}").replace('e', if size >= 1.0 { "e+" } else { "e" });
    }
    format!("{n}")
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c => escaped(c, out),
        }
    }
    out.push('"');
}

fn escaped(c: char, out: &mut String) {
    match c {
        '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        c => out.push(c),
    }
}

/// A value of a policy as it gets into a text: the hub keeps it with sorted keys.
#[must_use]
pub fn sorted(node: &Node) -> Node {
    let value = match &node.value {
        Value::Map(map) => {
            let mut entries: Vec<_> = map.iter().map(|(k, n)| (k.clone(), sorted(n))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Map(Arc::new(Map::from_unique(entries)))
        }
        Value::List(items) => Value::List(Arc::new(items.iter().map(sorted).collect())),
        scalar => scalar.clone(),
    };
    Node::new(value, node.origin.clone())
}
