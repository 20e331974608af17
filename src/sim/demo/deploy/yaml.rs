//! YAML as a person would write it: names first, short things on one line, comments where they are wanted.
//!
//! A key that begins with `#` is a comment before the key of the same name; the key `#` alone stands before the whole.

use serde_json::{Map, Value};

/// Keys that come first, in this order; the others follow by name.
const FIRST: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "affinityName",
    "namespace",
    "spec",
    "resourceSelectors",
    "clusters",
    "targetCluster",
    "resources",
    "placement",
    "image",
    "op",
    "path",
    "component",
    "operator",
    "predicate",
    "key",
    "schedule",
    "replicas",
    "selector",
];

/// Longest map or list that stands on one line.
const SHORT: usize = 72;

/// A document.
pub fn document(value: &Value) -> String {
    let mut out = String::new();
    if let Value::Object(map) = value {
        entries(map, 0, &mut out);
    }
    out
}

/// Several documents in one file.
pub fn documents<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    values.into_iter().map(document).collect::<Vec<_>>().join("---\n")
}

fn entries(map: &Map<String, Value>, indent: usize, out: &mut String) {
    comment(map.get("#"), indent, out);
    for key in keys(map) {
        comment(map.get(&format!("#{key}")), indent, out);
        out.push_str(&" ".repeat(indent));
        out.push_str(&scalar(key));
        out.push(':');
        below(&map[key], indent, out);
    }
}

/// The keys in their order, without comments.
fn keys(map: &Map<String, Value>) -> Vec<&String> {
    let mut keys: Vec<&String> = map.keys().filter(|k| !k.starts_with('#')).collect();
    keys.sort_by_key(|k| (FIRST.iter().position(|f| f == k).unwrap_or(FIRST.len()), k.as_str()));
    keys
}

/// What stands behind a key: on the same line, or on lines of its own.
fn below(value: &Value, indent: usize, out: &mut String) {
    if let Some(short) = on_one_line(value) {
        out.push(' ');
        out.push_str(&short);
        out.push('\n');
        return;
    }
    match value {
        Value::Object(map) => {
            out.push('\n');
            entries(map, indent + 2, out);
        }
        Value::Array(items) => {
            out.push('\n');
            items.iter().for_each(|item| self::item(item, indent + 2, out));
        }
        Value::String(text) => {
            out.push_str(" |\n");
            for line in text.lines() {
                out.push_str(&" ".repeat(indent + 2));
                out.push_str(line);
                out.push('\n');
            }
        }
        // Every other scalar stands on one line.
        _ => {}
    }
}

fn item(value: &Value, indent: usize, out: &mut String) {
    comment(value.get("#"), indent, out);
    if let Some(short) = on_one_line(value) {
        out.push_str(&format!("{}- {short}\n", " ".repeat(indent)));
        return;
    }
    let mut inner = String::new();
    match value {
        Value::Object(map) => {
            let rest: Map<String, Value> =
                map.iter().filter(|(k, _)| *k != "#").map(|(k, v)| (k.clone(), v.clone())).collect();
            entries(&rest, indent + 2, &mut inner);
        }
        other => below(other, indent, &mut inner),
    }
    // The first line of the item begins behind its dash.
    out.push_str(&format!("{}- {}", " ".repeat(indent), inner.trim_start()));
}

fn comment(words: Option<&Value>, indent: usize, out: &mut String) {
    for line in words.and_then(Value::as_str).into_iter().flat_map(str::lines) {
        out.push_str(&format!("{}# {line}\n", " ".repeat(indent)));
    }
}

/// Scalars, and small maps and lists of them.
fn on_one_line(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.contains('\n')).then(|| scalar(text)),
        Value::Object(map) if map.keys().any(|k| k.starts_with('#') && k != "#") => None,
        Value::Object(map) => {
            let nested = |v: &Value| v.as_object().is_some_and(|m| !m.is_empty());
            if map.values().filter(|v| nested(v)).count() > 1 {
                return None;
            }
            let parts: Option<Vec<String>> =
                keys(map).into_iter().map(|k| Some(format!("{}: {}", scalar(k), on_one_line(&map[k])?))).collect();
            let text = format!("{{{}}}", parts?.join(", "));
            (text.len() <= SHORT).then_some(text)
        }
        Value::Array(items) => {
            if items.len() > 1 && items.iter().any(|i| i.is_object() || i.is_array()) {
                return None;
            }
            if items.iter().any(|i| i.get("#").is_some()) {
                return None;
            }
            let parts: Option<Vec<String>> = items.iter().map(on_one_line).collect();
            let text = format!("[{}]", parts?.join(", "));
            (text.len() <= SHORT).then_some(text)
        }
        other => Some(other.to_string()),
    }
}

/// A text, in quotes unless it can only be read as itself.
fn scalar(text: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':' | '~');
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let amount = ["m", "Mi", "Gi", "s"]
        .iter()
        .any(|unit| text.strip_suffix(unit).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())));
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let plain = begins
        && text.chars().all(word)
        && !text.ends_with(':')
        && !reserved.contains(&text.to_ascii_lowercase().as_str());
    if plain || amount { text.to_owned() } else { Value::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::{
        origin::{Source, SourceKind},
        source::yaml,
    };

    #[test]
    fn it_reads_back_as_what_was_written() {
        let value = json!({"#": "Says what it is.", "kind": "Thing", "apiVersion": "v1", "metadata": {"name": "a", "labels": {}},
            "#spec": "Why.\nIn two lines.", "spec": {"text": "one: 1\ntwo:\n  - x\n", "yes": "no", "number": "1.30", "n": 3, "none": null,
            "items": [{"#": "An item.", "name": "first", "deep": {"map": {"of": ["x", "y"]}, "other": {"a": 1}}},
                ["nested", ["list"]], "plain", "with: colon", "25%", "64Mi", "500m", "1e3", "0x1", "~"], "empty": []}});
        let text = document(&value);
        let read = yaml::read(&text, &Source::new(SourceKind::Manifest, "a.yaml")).unwrap().remove(0).to_json();
        assert_eq!(read, stripped(&value), "{text}");
        assert!(text.starts_with("# Says what it is.\napiVersion: v1\nkind: Thing\n"), "{text}");
        assert!(text.contains("# Why.\n# In two lines.\nspec:\n"), "{text}");
    }

    fn stripped(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                map.iter().filter(|(k, _)| !k.starts_with('#')).map(|(k, v)| (k.clone(), stripped(v))).collect()
            }
            Value::Array(items) => items.iter().map(stripped).collect(),
            other => other.clone(),
        }
    }
}
