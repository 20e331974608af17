//! A YAML (or JSON) document as a tree that knows its lines: what the readers of kubeconfigs and of the fleet file work on.
//!
//! A tree, and not structs by serde, because one wrong entry of a kubeconfig must cost only itself, and because an error
//! in the fleet file must name line and field and must not hide the next error. Words are read as Kubernetes reads them
//! (YAML 1.1: `yes` is true, `0755` is octal), but a scalar keeps its spelling too, so that `1.30` stays `1.30` as a text.
//! Errors never quote the document: it may hold secrets.

use std::{borrow::Cow, fmt};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Location, Spanned};

use crate::shape::{Form, Written};

/// Largest file that is read, in bytes: a kubeconfig of 300 contexts has 2 MB.
pub(super) const LARGEST: u64 = 64 * 1024 * 1024;

/// A value and the line it stands on.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// The value.
    pub value: Value,
    /// Line, counted from 1; 0 = unknown.
    pub line: u32,
}

/// What stands there.
#[derive(Clone, Debug, Default)]
pub(super) enum Value {
    /// `null`, `~`, or nothing.
    #[default]
    Null,
    /// A boolean, with its spelling.
    Bool(bool, String),
    /// A number's spelling, and its value where it is a whole number.
    Number(Option<i64>, String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map in the order of the file.
    Map(Vec<(Key, Node)>),
}

/// A key and its line.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// The key.
    pub name: String,
    /// Its line.
    pub line: u32,
}

/// Why a document could not be read; the words never quote its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// Line, 0 = unknown.
    pub line: u32,
    /// The parser's own words.
    pub detail: String,
}

/// Reads one document.
///
/// # Errors
///
/// When it is no YAML, holds a key twice, or is larger than any configuration should be.
pub(super) fn parse(text: &str) -> Result<Node, Broken> {
    let options = serde_saphyr::options! {
        strict_booleans: false,
        legacy_octal_numbers: true,
        duplicate_keys: DuplicateKeyPolicy::Error,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_documents: 1, max_depth: 48, max_nodes: 500_000 },
    };
    match serde_saphyr::from_str_with_options::<Spanned<Raw>>(text, options) {
        Ok(raw) => Ok(raw.value.spelled(text, raw.referenced)),
        Err(error) => {
            let error = error.without_snippet();
            let detail = error.to_string();
            let line = error.location().map_or(0, line_of);
            Err(Broken { line, detail: detail.lines().next().unwrap_or_default().to_owned() })
        }
    }
}

impl Node {
    /// The value under a key, `null` counted as absent.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.entries().iter().find(|(key, _)| key.name == name).map(|(_, node)| node).filter(|n| !n.is_null())
    }

    /// The text under a key, empty when there is none.
    pub(super) fn text_of(&self, name: &str) -> String {
        self.get(name).and_then(Self::text).unwrap_or_default().to_owned()
    }

    /// The boolean under a key; `None` when there is none.
    pub(super) fn flag_of(&self, name: &str) -> Option<bool> {
        match self.get(name)?.value {
            Value::Bool(b, _) => Some(b),
            _ => None,
        }
    }

    /// The texts of the list under a key; a single text counts as a list of one.
    pub(super) fn texts_of(&self, name: &str) -> Vec<String> {
        self.get(name).map(Self::texts).unwrap_or_default()
    }

    /// The texts of this list, or this one text.
    pub(super) fn texts(&self) -> Vec<String> {
        match &self.value {
            Value::List(items) => items.iter().filter_map(Self::text).map(str::to_owned).collect(),
            _ => self.text().map(str::to_owned).into_iter().collect(),
        }
    }

    /// A scalar as it was spelled.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(t) | Value::Bool(_, t) | Value::Number(_, t) => Some(t),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Items of a list, nothing for anything else.
    pub(super) fn items(&self) -> &[Self] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    /// Entries of a map, nothing for anything else.
    pub(super) fn entries(&self) -> &[(Key, Self)] {
        if let Value::Map(entries) = &self.value { entries } else { &[] }
    }

    /// True for `null` and for a key without a value.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// The same as JSON, for extensions that are handed on to credential plugins.
    pub(super) fn json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(b, _) => (*b).into(),
            Value::Number(Some(n), _) => (*n).into(),
            Value::Number(None, t) => t.parse::<f64>().map_or_else(|_| t.clone().into(), Into::into),
            Value::Text(t) => t.clone().into(),
            Value::List(items) => items.iter().map(Self::json).collect(),
            Value::Map(entries) => {
                serde_json::Value::Object(entries.iter().map(|(k, v)| (k.name.clone(), v.json())).collect())
            }
        }
    }
}

impl Written for Node {
    fn line(&self) -> u32 {
        self.line
    }

    fn form(&self) -> Form {
        match &self.value {
            Value::Null => Form::Null,
            Value::Bool(..) => Form::Flag,
            Value::Number(Some(n), _) => Form::Whole(*n),
            Value::Number(None, _) => Form::Fraction,
            Value::Text(_) => Form::Text,
            Value::List(_) => Form::List,
            Value::Map(_) => Form::Map,
        }
    }

    fn scalar(&self) -> Option<Cow<'_, str>> {
        self.text().map(Cow::Borrowed)
    }

    fn list(&self) -> &[Self] {
        self.items()
    }

    fn keys(&self) -> impl Iterator<Item = (&str, u32, &Self)> {
        self.entries().iter().map(|(key, value)| (key.name.as_str(), key.line, value))
    }
}

/// What the parser gives, before the spellings are taken from the document.
enum Raw {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl Raw {
    fn spelled(self, source: &str, at: Location) -> Node {
        let spelling = |fallback: String| spelling(source, at).map_or(fallback, str::to_owned);
        let value = match self {
            Self::Null => Value::Null,
            Self::Bool(b) => Value::Bool(b, spelling(b.to_string())),
            Self::Int(n) => Value::Number(Some(n), spelling(n.to_string())),
            Self::Float(n) => Value::Number(None, spelling(n.to_string())),
            Self::Text(t) => Value::Text(t),
            Self::List(items) => {
                Value::List(items.into_iter().map(|i| i.value.spelled(source, i.referenced)).collect())
            }
            Self::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|(k, v)| {
                        let key = Key { line: line_of(k.referenced), name: k.value };
                        (key, v.value.spelled(source, v.referenced))
                    })
                    .collect(),
            ),
        };
        Node { value, line: line_of(at) }
    }
}

/// The scalar as the document spells it, if its place is known.
fn spelling(source: &str, at: Location) -> Option<&str> {
    let start = usize::try_from(at.span().byte_offset()?).ok()?;
    let len = usize::try_from(at.span().byte_len()?).ok()?;
    source.get(start..start.checked_add(len)?).map(str::trim).filter(|t| !t.is_empty())
}

fn line_of(at: Location) -> u32 {
    u32::try_from(at.line()).unwrap_or(0)
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(v))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Raw, E> {
        Ok(Raw::Int(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Raw, E> {
        Ok(i64::try_from(v).map_or_else(|_| Raw::Text(v.to_string()), Raw::Int))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Raw, E> {
        Ok(Raw::Float(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Raw, E> {
        Ok(Raw::Text(v.to_owned()))
    }

    fn visit_string<E>(self, v: String) -> Result<Raw, E> {
        Ok(Raw::Text(v))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_keep_their_spelling_and_their_line() {
        let node =
            parse("a: 1.30\nb: yes\nc: 0755\nd: 'x: y'\ne:\n  - f: 12\n    g: ~\nh: |\n  two\n  lines\n").unwrap();
        assert_eq!(node.text_of("a"), "1.30");
        assert_eq!((node.flag_of("b"), node.text_of("b").as_str()), (Some(true), "yes"));
        assert!(matches!(node.get("c").unwrap().value, Value::Number(Some(0o755), _)));
        assert_eq!(node.text_of("d"), "x: y");
        assert_eq!(node.text_of("h"), "two\nlines\n");
        let item = &node.get("e").unwrap().items()[0];
        assert_eq!(item.get("f").unwrap().line, 6);
        assert!(item.get("g").is_none());
    }

    #[test]
    fn json_is_read_too() {
        let node = parse("{\n\t\"a\": [\"x\\/y\\u4e2d\", true],\n\t\"b\": {\"c\": 1}\n}\n").unwrap();
        assert_eq!(node.texts_of("a"), vec!["x/y中", "true"]);
        assert_eq!(node.get("b").unwrap().json(), serde_json::json!({"c": 1}));
    }

    #[test]
    fn errors_name_the_line_and_quote_nothing() {
        let broken = parse("a: 1\ntoken: \"hunter2\nb: [1\n").unwrap_err();
        assert!(broken.line > 0);
        assert!(!broken.detail.contains("hunter2"), "{}", broken.detail);
        let twice = parse("a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!(twice.line, 3);
    }
}
