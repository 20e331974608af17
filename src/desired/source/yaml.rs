//! YAML (and JSON) as Kubernetes reads it, into trees that know their lines: YAML 1.1 scalars, duplicate keys refused, aliases,
//! depth and size bounded. Errors never quote the document: it may hold secrets.

use std::{fmt, sync::Arc};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Spanned};

use crate::desired::{
    origin::{Origin, Source},
    tree::{Map, Node, Value},
};

/// Largest text that is read, in bytes.
pub const LARGEST: usize = 50 * 1024 * 1024;

/// Why a text could not be read; the words never quote its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Line, 0 = unknown.
    pub line: u32,
    /// The parser's own words.
    pub detail: String,
}

/// Reads every document of a text; empty documents are left out.
///
/// # Errors
///
/// When it is no YAML, holds a key twice, or breaks a bound.
pub fn read(text: &str, source: &Arc<Source>) -> Result<Vec<Node>, Broken> {
    if text.len() > LARGEST {
        return Err(Broken {
            line: 0,
            detail: format!("{} bytes are more than the {LARGEST} that are read", text.len()),
        });
    }
    let options = serde_saphyr::options! {
        strict_booleans: false,
        legacy_octal_numbers: true,
        duplicate_keys: DuplicateKeyPolicy::Error,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_documents: 100_000, max_depth: 200, max_nodes: 20_000_000 },
    };
    match serde_saphyr::from_multiple_with_options::<Spanned<Raw>>(text, options) {
        Ok(documents) => Ok(documents.into_iter().map(|d| d.node(source)).filter(|n| !n.is_null()).collect()),
        Err(error) => {
            let error = error.without_snippet();
            let line = error.location().and_then(|l| u32::try_from(l.line()).ok()).unwrap_or(0);
            let detail = error.to_string().lines().next().unwrap_or_default().to_owned();
            Err(Broken { line, detail })
        }
    }
}

/// What the parser gives.
enum Raw {
    Scalar(Value),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Key>, Spanned<Raw>)>),
}

/// A key: what is no text becomes one.
struct Key(Arc<str>);

trait IntoNode {
    fn node(self, source: &Arc<Source>) -> Node;
}

impl IntoNode for Spanned<Raw> {
    fn node(self, source: &Arc<Source>) -> Node {
        let line = u32::try_from(self.referenced.line()).unwrap_or(0);
        let value = match self.value {
            Raw::Scalar(value) => value,
            Raw::List(items) => Value::List(Arc::new(items.into_iter().map(|i| i.node(source)).collect())),
            Raw::Map(entries) => {
                let entries = entries.into_iter().map(|(k, v)| (k.value.0, v.node(source))).collect();
                Value::Map(Arc::new(Map::from_unique(entries)))
            }
        };
        Node { value, origin: Origin::At(source.clone(), line) }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|s| Self(s.into()))
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Bool(v)))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Int(v)))
    }

    #[expect(clippy::cast_precision_loss, reason = "Kubernetes reads numbers above the 64-bit range as floats")]
    fn visit_u64<E>(self, v: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(i64::try_from(v).map_or(Value::Float(v as f64), Value::Int)))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Float(v)))
    }

    fn visit_str<E>(self, v: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Text(v.into())))
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
    use crate::desired::{origin::SourceKind, path::Path};

    #[test]
    fn every_value_knows_its_line_in_every_document() {
        let source = Source::new(SourceKind::Manifest, "a.yaml");
        let text = "a: 1\nb:\n  - c: yes\n---\n# nothing\n---\nd: {e: 0755}\n";
        let documents = read(text, &source).unwrap();
        assert_eq!(documents.len(), 2);
        let place = |n: usize, path: &str| {
            let node = documents[n].at(&Path::parse(path).unwrap()).unwrap();
            (node.to_json().to_string(), node.origin.at().unwrap().line)
        };
        assert_eq!(place(0, "b[0].c"), ("true".into(), 3));
        assert_eq!(place(1, "d.e"), ("493".into(), 7));
        assert!(read("a: 1\na: 2\n", &source).is_err());
    }
}
