//! What may stand where in a file of ours: one table of keys from which the check (every fault with line, field and "did you
//! mean") and the published JSON schema come. Pure; works on any tree that is [`Written`].

mod nearest;

use std::{borrow::Cow, path::Path};

use serde_json::{Map, Value as Json, json};

pub use nearest::nearest;

use crate::{
    fault::Fault,
    messages::{Msg, cli as text},
};

/// What kind of value stands somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `null`, or nothing behind the key.
    Null,
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Fraction,
    /// A text.
    Text,
    /// A list.
    List,
    /// A map.
    Map,
}

/// A tree that was read from a file and knows its lines.
pub trait Written: Sized {
    /// Line, counted from 1; 0 = unknown.
    fn line(&self) -> u32;
    /// What kind of value it is.
    fn form(&self) -> Form;
    /// A scalar as text; `None` for containers and `null`, and for a scalar whose spelling is not known any more.
    fn scalar(&self) -> Option<Cow<'_, str>>;
    /// Items of a list; nothing for anything else.
    fn list(&self) -> &[Self];
    /// Keys of a map with their lines and values; nothing for anything else.
    fn keys(&self) -> impl Iterator<Item = (&str, u32, &Self)>;

    /// The value under a key, `null` counted as absent.
    fn under(&self, name: &str) -> Option<&Self> {
        self.keys().find(|(key, ..)| *key == name).map(|(.., value)| value).filter(|v| v.form() != Form::Null)
    }

    /// The scalar as text, empty where it is none.
    fn word(&self) -> String {
        self.scalar().map(Cow::into_owned).unwrap_or_default()
    }

    /// The scalars of a list, or this one scalar.
    fn words(&self) -> Vec<String> {
        match self.form() {
            Form::List => self.list().iter().filter_map(|i| i.scalar().map(Cow::into_owned)).collect(),
            _ => self.scalar().map(Cow::into_owned).into_iter().collect(),
        }
    }
}

/// What a value must look like.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A text; where the tree knows spellings, numbers and booleans count as written.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number, at least this.
    Whole(i64),
    /// A text or a number: a quantity.
    Amount,
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
    /// Whatever the writer wants.
    Any,
}

/// One key of an object.
#[derive(Clone, Copy, Debug)]
pub struct Key {
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
    pub const fn new(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { name, shape, required: false, about }
    }

    /// A key that must be there.
    pub const fn required(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { name, shape, required: true, about }
    }
}

/// Tells everything that is wrong with `node`; `path` is the field's name so far.
pub fn check<N: Written>(file: &Path, node: &N, shape: Shape, path: &str, faults: &mut Vec<Fault>) {
    let form = node.form();
    if form == Form::Null {
        return;
    }
    let mut wrong = |msg: Msg| faults.push(Fault::new(file, node.line(), path, msg));
    match (shape, form) {
        (Shape::Any, _) | (Shape::Flag, Form::Flag) => {}
        (Shape::Amount, Form::Text | Form::Whole(_) | Form::Fraction) => {}
        (Shape::Text | Shape::Amount | Shape::Word(_), Form::List | Form::Map) => wrong(text::WANT_TEXT),
        (Shape::Texts, Form::Map) => wrong(text::WANT_TEXTS),
        (Shape::Texts, Form::List) => check_list(file, node, Shape::Text, path, faults),
        (Shape::Flag, _) => wrong(text::WANT_FLAG),
        (Shape::Whole(least), Form::Whole(n)) if n >= least => {}
        (Shape::Whole(least), _) => {
            faults.push(Fault::new(file, node.line(), path, text::WANT_WHOLE).with("least", least.to_string()));
        }
        (Shape::Text | Shape::Texts | Shape::Amount, _) => {
            if node.scalar().is_none() {
                wrong(text::WANT_QUOTES);
            }
        }
        (Shape::Word(words), _) => match node.scalar() {
            Some(word) if words.contains(&&*word) => {}
            Some(word) => faults.push(not_one_of(file, node, path, &word, words)),
            None => wrong(text::WANT_QUOTES),
        },
        (Shape::List(inner), Form::List) => check_list(file, node, *inner, path, faults),
        (Shape::List(_), _) => wrong(text::WANT_LIST),
        (Shape::Map(inner), Form::Map) => {
            for (key, _, value) in node.keys() {
                check(file, value, *inner, &join(path, key), faults);
            }
        }
        (Shape::Object(keys), Form::Map) => check_object(file, node, keys, path, faults),
        (Shape::Map(_) | Shape::Object(_), _) => wrong(text::WANT_MAP),
    }
}

/// An item that is nothing is refused: read as an empty one it could mean "any".
fn check_list<N: Written>(file: &Path, node: &N, shape: Shape, path: &str, faults: &mut Vec<Fault>) {
    for (i, item) in node.list().iter().enumerate() {
        let at = format!("{path}[{i}]");
        if item.form() == Form::Null {
            faults.push(Fault::new(file, item.line(), at, text::WANT_SOMETHING));
        } else {
            check(file, item, shape, &at, faults);
        }
    }
}

fn check_object<N: Written>(file: &Path, node: &N, keys: &'static [Key], path: &str, faults: &mut Vec<Fault>) {
    for (name, line, value) in node.keys() {
        let field = join(path, name);
        match keys.iter().find(|k| k.name == name) {
            Some(known) => check(file, value, known.shape, &field, faults),
            None => {
                let fault = Fault::new(file, line, field, text::UNKNOWN_KEY_KNOWN).with("key", name);
                faults.push(match nearest(name, keys.iter().map(|k| k.name)) {
                    Some(near) => Fault { msg: text::UNKNOWN_KEY_NEAR, ..fault }.with("near", near),
                    None => fault.with("keys", keys.iter().map(|k| k.name).collect::<Vec<_>>().join(", ")),
                });
            }
        }
    }
    for key in keys.iter().filter(|k| k.required && node.under(k.name).is_none()) {
        faults.push(Fault::new(file, node.line(), path, text::KEY_MISSING).with("key", key.name));
    }
}

/// "Not one of these words", with the nearest when there is one.
pub fn not_one_of<N: Written>(file: &Path, node: &N, path: &str, word: &str, words: &[&str]) -> Fault {
    let fault = Fault::new(file, node.line(), path, text::NOT_ONE_OF).with("value", word);
    match nearest(word, words.iter().copied()) {
        Some(near) => Fault { msg: text::NOT_ONE_OF_NEAR, ..fault }.with("near", near),
        None => fault.with("words", words.join(", ")),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// The description of a whole document as a JSON schema, ready to be published.
pub fn published(shape: Shape, title: &str) -> String {
    let mut schema = schema(shape);
    if let Json::Object(map) = &mut schema {
        map.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        map.insert("$defs".into(), definitions());
        map.insert("title".into(), title.into());
    }
    let mut text = format!("{schema:#}");
    text.push('\n');
    text
}

/// Definitions that [`schema`] refers to.
fn definitions() -> Json {
    json!({
        "text": {"type": ["string", "number", "boolean"]},
        "texts": {"anyOf": [{"$ref": "#/$defs/text"}, {"type": "array", "items": {"$ref": "#/$defs/text"}}]},
    })
}

/// A shape as a JSON schema.
fn schema(shape: Shape) -> Json {
    match shape {
        Shape::Text => json!({"$ref": "#/$defs/text"}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Whole(i64::MIN) => json!({"type": "integer"}),
        Shape::Whole(least) => json!({"type": "integer", "minimum": least}),
        Shape::Amount => json!({"type": ["string", "number"]}),
        Shape::Word(words) => {
            let numbers = words.iter().filter_map(|w| w.parse::<u32>().ok()).map(Json::from);
            json!({"enum": words.iter().map(|w| Json::from(*w)).chain(numbers).collect::<Vec<_>>()})
        }
        Shape::Texts => json!({"$ref": "#/$defs/texts"}),
        Shape::List(inner) => json!({"type": "array", "items": schema(*inner)}),
        Shape::Map(inner) => json!({"type": "object", "additionalProperties": schema(*inner)}),
        Shape::Object(keys) => object_schema(keys),
        Shape::Any => json!({}),
    }
}

fn object_schema(keys: &[Key]) -> Json {
    let described = |key: &Key| {
        let mut value = schema(key.shape);
        if let Json::Object(map) = &mut value {
            map.insert("description".into(), key.about.into());
        }
        (key.name.to_owned(), value)
    };
    let properties: Map<String, Json> = keys.iter().map(described).collect();
    let required: Vec<&str> = keys.iter().filter(|k| k.required).map(|k| k.name).collect();
    let mut object = json!({"type": "object", "additionalProperties": false, "properties": properties});
    if let (false, Json::Object(map)) = (required.is_empty(), &mut object) {
        map.insert("required".into(), required.into());
    }
    object
}
