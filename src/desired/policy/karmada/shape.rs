//! The form of a policy's fields: what must be there, of which type, and which words are taken. The rules are those of the schema
//! that the API server holds a policy to; what a field means is read elsewhere.

use std::path::Path;

use crate::{
    desired::{
        origin::At,
        tree::{Node, Value},
    },
    fault::Fault,
    messages::policy as text,
};

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A text.
    Text,
    /// A text that is at least one and at most this many characters long.
    Short(usize),
    /// One of these words; an empty text counts as absent.
    OneOf(&'static [&'static str]),
    /// A whole number of 32 bits.
    Int,
    /// A whole number, at least this.
    AtLeast(i64),
    /// Yes or no.
    Bool,
    /// A list of texts.
    Words,
    /// A map of texts.
    Pairs,
    /// A map with these fields; others are nobody's business here.
    Map(&'static [Field]),
    /// A list of such maps.
    List(&'static [Field]),
}

/// A field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Key.
    pub key: &'static str,
    /// What it holds.
    pub form: Form,
    /// It must be there.
    pub required: bool,
}

/// A field that may be absent.
pub const fn may(key: &'static str, form: Form) -> Field {
    Field { key, form, required: false }
}

/// A field that must be there.
pub const fn must(key: &'static str, form: Form) -> Field {
    Field { key, form, required: true }
}

/// Collects what is wrong with a policy, each fault at the line of the field.
#[derive(Debug)]
pub struct Faults {
    at: At,
    found: Vec<Fault>,
}

impl Faults {
    /// Nothing is wrong yet.
    pub fn new(at: At) -> Self {
        Self { at, found: Vec::new() }
    }

    /// A fault at a node (or at the policy, where the node has no place of its own).
    pub fn at(&self, node: Option<&Node>, field: impl Into<String>, msg: crate::messages::Msg) -> Fault {
        let at = node.and_then(|n| n.origin.at()).unwrap_or_else(|| self.at.clone());
        Fault::new(Path::new(&at.source.file), at.line, field, msg)
    }

    /// Notes a fault.
    pub fn push(&mut self, fault: Fault) {
        self.found.push(fault);
    }

    /// What was found; `Ok` when nothing was.
    ///
    /// # Errors
    ///
    /// All faults.
    pub fn done(self) -> Result<(), Vec<Fault>> {
        if self.found.is_empty() { Ok(()) } else { Err(self.found) }
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Holds a map to its fields; `path` is the way to it (`spec.placement`).
    pub fn check(&mut self, map: &Node, path: &str, fields: &[Field]) {
        if map.as_map().is_none() {
            let fault = self.at(Some(map), path, text::WRONG_TYPE).with("wanted", "{...}").with("is", name(map));
            return self.push(fault);
        }
        for field in fields {
            let way = if path.is_empty() { field.key.to_owned() } else { format!("{path}.{}", field.key) };
            match map.get(field.key) {
                Some(node) => self.check_one(node, &way, field),
                None if field.required => {
                    let fault = self.at(Some(map), way, text::MISSING);
                    self.push(fault);
                }
                None => {}
            }
        }
    }

    fn check_one(&mut self, node: &Node, path: &str, field: &Field) {
        let wanted = match field.form {
            Form::Text if node.as_str().is_some() => return,
            Form::Short(_) | Form::OneOf(_) if node.as_str().is_some() => return self.check_word(node, path, field),
            Form::Int | Form::AtLeast(_) if node.as_int().is_some() => {
                return self.check_number(node, path, field.form);
            }
            Form::Bool if node.as_bool().is_some() => return,
            Form::Words if node.as_list().is_some() => {
                return self.check_texts(node.as_list().into_iter().flatten(), path);
            }
            Form::Pairs if node.as_map().is_some() => return self.check_pairs(node, path),
            Form::Map(fields) if node.as_map().is_some() => return self.check(node, path, fields),
            Form::List(fields) if node.as_list().is_some() => {
                for (at, item) in node.as_list().into_iter().flatten().enumerate() {
                    self.check(item, &format!("{path}[{at}]"), fields);
                }
                return;
            }
            Form::Text | Form::Short(_) | Form::OneOf(_) => "\"...\"",
            Form::Int | Form::AtLeast(_) => "123",
            Form::Bool => "true / false",
            Form::Words | Form::List(_) => "[...]",
            Form::Pairs | Form::Map(_) => "{...}",
        };
        let fault = self.at(Some(node), path, text::WRONG_TYPE).with("wanted", wanted).with("is", name(node));
        self.push(fault);
    }

    fn check_word(&mut self, node: &Node, path: &str, field: &Field) {
        let word = node.as_str().unwrap_or_default();
        let fault = match field.form {
            Form::OneOf(words) if !words.contains(&word) && (field.required || !word.is_empty()) => {
                self.at(Some(node), path, text::NOT_ONE_OF).with("word", word).with("words", words.join(", "))
            }
            Form::Short(most) if word.is_empty() || word.chars().count() > most => {
                self.at(Some(node), path, text::WRONG_LENGTH).with("most", most.to_string())
            }
            _ => return,
        };
        self.push(fault);
    }

    fn check_number(&mut self, node: &Node, path: &str, form: Form) {
        let number = node.as_int().unwrap_or_default();
        let fault = match form {
            Form::AtLeast(least) if number < least => self
                .at(Some(node), path, text::TOO_SMALL)
                .with("n", number.to_string())
                .with("least", least.to_string()),
            Form::Int if i32::try_from(number).is_err() => {
                self.at(Some(node), path, text::TOO_BIG).with("n", number.to_string())
            }
            _ => return,
        };
        self.push(fault);
    }

    fn check_texts<'a>(&mut self, nodes: impl Iterator<Item = &'a Node>, path: &str) {
        for (at, node) in nodes.enumerate().filter(|(_, n)| n.as_str().is_none()) {
            let fault = self.at(Some(node), format!("{path}[{at}]"), text::WRONG_TYPE);
            self.push(fault.with("wanted", "\"...\"").with("is", name(node)));
        }
    }

    fn check_pairs(&mut self, node: &Node, path: &str) {
        for (key, value) in node.as_map().into_iter().flat_map(|m| m.iter()).filter(|(_, v)| v.as_str().is_none()) {
            let fault = self.at(Some(value), format!("{path}[\"{key}\"]"), text::WRONG_TYPE);
            self.push(fault.with("wanted", "\"...\"").with("is", name(value)));
        }
    }
}

/// What a value is, in the notation of YAML, which needs no translation. Never the value itself.
fn name(node: &Node) -> &'static str {
    match &node.value {
        Value::Null => "null",
        Value::Bool(_) => "true / false",
        Value::Int(_) => "123",
        Value::Float(_) => "1.5",
        Value::Text(_) => "\"...\"",
        Value::List(_) => "[...]",
        Value::Map(_) => "{...}",
    }
}
