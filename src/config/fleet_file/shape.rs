//! What may stand where in the fleet file: the description that the check and the published JSON schema share.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use crate::{
    config::{
        words,
        yaml::{Node, Value},
    },
    fault::Fault,
    messages::{Msg, cli as text},
};

/// What a value must look like.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A text; numbers and booleans count as written.
    Text,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A text or a list of texts.
    Texts,
    /// A list.
    List(&'static Self),
    /// A map with keys of the writer's choice.
    Map(&'static Self),
    /// A map with these keys and no others.
    Object(&'static [Key]),
}

/// One key of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// As written.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Must be there.
    pub required: bool,
    /// What it means, for the schema.
    pub about: &'static str,
}

impl Key {
    /// A key that may be left out.
    pub(super) const fn new(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { name, shape, required: false, about }
    }

    /// A key that must be there.
    pub(super) const fn required(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { name, shape, required: true, about }
    }
}

/// Tells everything that is wrong with `node`; `path` is the field's name so far.
pub(super) fn check(file: &Path, node: &Node, shape: Shape, path: &str, faults: &mut Vec<Fault>) {
    if node.is_null() {
        return;
    }
    let mut wrong = |msg: Msg| faults.push(Fault::new(file, node.line, path, msg));
    match (shape, &node.value) {
        (Shape::Text, Value::List(_) | Value::Map(_)) => wrong(text::WANT_TEXT),
        (Shape::Flag, Value::Bool(..)) | (Shape::Text, _) => {}
        (Shape::Flag, _) => wrong(text::WANT_FLAG),
        (Shape::Word(words), _) => match node.text() {
            Some(word) if words.contains(&word) => {}
            Some(word) => faults.push(not_one_of(file, node, path, word, words)),
            None => wrong(text::WANT_TEXT),
        },
        (Shape::Texts, Value::List(items)) => check_list(file, items, Shape::Text, path, faults),
        (Shape::Texts, Value::Map(_)) => wrong(text::WANT_TEXTS),
        (Shape::Texts, _) => {}
        (Shape::List(inner), Value::List(items)) => check_list(file, items, *inner, path, faults),
        (Shape::List(_), _) => wrong(text::WANT_LIST),
        (Shape::Map(inner), Value::Map(entries)) => {
            for (key, value) in entries {
                check(file, value, *inner, &join(path, &key.name), faults);
            }
        }
        (Shape::Object(keys), Value::Map(_)) => check_object(file, node, keys, path, faults),
        (Shape::Map(_) | Shape::Object(_), _) => wrong(text::WANT_MAP),
    }
}

fn check_list(file: &Path, items: &[Node], shape: Shape, path: &str, faults: &mut Vec<Fault>) {
    for (i, item) in items.iter().enumerate() {
        check(file, item, shape, &format!("{path}[{i}]"), faults);
    }
}

fn check_object(file: &Path, node: &Node, keys: &'static [Key], path: &str, faults: &mut Vec<Fault>) {
    for (key, value) in node.entries() {
        let field = join(path, &key.name);
        match keys.iter().find(|k| k.name == key.name) {
            Some(known) => check(file, value, known.shape, &field, faults),
            None => {
                let fault = Fault::new(file, key.line, field, text::UNKNOWN_KEY_KNOWN).with("key", &key.name);
                faults.push(match words::nearest(&key.name, keys.iter().map(|k| k.name)) {
                    Some(near) => Fault { msg: text::UNKNOWN_KEY_NEAR, ..fault }.with("near", near),
                    None => fault.with("keys", keys.iter().map(|k| k.name).collect::<Vec<_>>().join(", ")),
                });
            }
        }
    }
    for key in keys.iter().filter(|k| k.required && node.get(k.name).is_none()) {
        faults.push(Fault::new(file, node.line, path, text::KEY_MISSING).with("key", key.name));
    }
}

/// "Not one of these words", with the nearest when there is one.
pub(super) fn not_one_of(file: &Path, node: &Node, path: &str, word: &str, words: &[&str]) -> Fault {
    let fault = Fault::new(file, node.line, path, text::NOT_ONE_OF).with("value", word);
    match words::nearest(word, words.iter().copied()) {
        Some(near) => Fault { msg: text::NOT_ONE_OF_NEAR, ..fault }.with("near", near),
        None => fault.with("words", words.join(", ")),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Definitions that [`schema`] refers to.
pub(super) fn definitions() -> Json {
    json!({
        "text": {"type": ["string", "number", "boolean"]},
        "texts": {"anyOf": [{"$ref": "#/$defs/text"}, {"type": "array", "items": {"$ref": "#/$defs/text"}}]},
    })
}

/// The same description as a JSON schema.
pub(super) fn schema(shape: Shape) -> Json {
    match shape {
        Shape::Text => json!({"$ref": "#/$defs/text"}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Word(words) => {
            let numbers = words.iter().filter_map(|w| w.parse::<u32>().ok()).map(Json::from);
            json!({"enum": words.iter().map(|w| Json::from(*w)).chain(numbers).collect::<Vec<_>>()})
        }
        Shape::Texts => json!({"$ref": "#/$defs/texts"}),
        Shape::List(inner) => json!({"type": "array", "items": schema(*inner)}),
        Shape::Map(inner) => json!({"type": "object", "additionalProperties": schema(*inner)}),
        Shape::Object(keys) => {
            let properties: Map<String, Json> = keys
                .iter()
                .map(|key| {
                    let mut value = schema(key.shape);
                    if let Json::Object(map) = &mut value {
                        map.insert("description".into(), key.about.into());
                    }
                    (key.name.to_owned(), value)
                })
                .collect();
            let required: Vec<&str> = keys.iter().filter(|k| k.required).map(|k| k.name).collect();
            let mut object = json!({"type": "object", "additionalProperties": false, "properties": properties});
            if let (false, Json::Object(map)) = (required.is_empty(), &mut object) {
                map.insert("required".into(), required.into());
            }
            object
        }
    }
}
