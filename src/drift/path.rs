//! The way to a difference, as a person and a waiver write it: `/spec/ports[port=53,protocol=UDP]/targetPort`.

use std::fmt;

use serde_json::Value as Json;

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Into a field of a map.
    Key(String),
    /// To the element of a keyed list that has these values, key fields in the order of the schema.
    Element(Vec<(String, Json)>),
    /// To an element of a list of scalars that is told apart by its value.
    Item(Json),
    /// To a place in an ordered list; such a list is reported as a whole, so this stays inside the comparison.
    Index(usize),
}

/// A way from the root of an object; the empty one is the whole object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// A way of keys.
    pub fn keys(keys: &[&str]) -> Self {
        Self(keys.iter().map(|k| Step::Key((*k).to_owned())).collect())
    }

    /// The keys alone; an element of a list counts as `[]`.
    pub fn words(&self) -> Vec<&str> {
        self.0.iter().map(|step| if let Step::Key(key) = step { key.as_str() } else { "[]" }).collect()
    }

    /// The value at the end, when there is one (also `null`).
    pub fn find<'a>(&self, root: &'a Json) -> Option<&'a Json> {
        self.0.iter().try_fold(root, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Index(at) => value.get(at),
            Step::Item(item) => value.as_array()?.iter().find(|v| *v == item),
            Step::Element(keys) => value.as_array()?.iter().find(|v| has_keys(v, keys)),
        })
    }
}

/// Whether an element has these key values; a protocol that is not written is TCP (rule N20).
pub fn has_keys(element: &Json, keys: &[(String, Json)]) -> bool {
    keys.iter().all(|(key, value)| match element.get(key) {
        Some(held) => held == value,
        None => key == "protocol" && value == "TCP",
    })
}

/// Whether a written path is another one, or lies below it.
pub fn covers(above: &str, path: &str) -> bool {
    above == "/" || path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '[']))
}

fn escaped(text: &str) -> String {
    text.replace('~', "~0").replace('/', "~1")
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("/");
        }
        for step in &self.0 {
            match step {
                Step::Key(key) => write!(f, "/{}", escaped(key))?,
                Step::Index(at) => write!(f, "[{at}]")?,
                Step::Item(item) => write!(f, "[={}]", escaped(&item.to_string()))?,
                Step::Element(keys) => {
                    let keys: Vec<String> =
                        keys.iter().map(|(k, v)| format!("{}={}", escaped(k), escaped(&plain(v)))).collect();
                    write!(f, "[{}]", keys.join(","))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_is_written_with_keys_and_escapes_and_covers_what_lies_below() {
        let mut path = Path::keys(&["spec", "ports"]);
        path.0.push(Step::Element(vec![("port".into(), json!(53)), ("protocol".into(), json!("UDP"))]));
        path.0.push(Step::Key("a/b~c".into()));
        assert_eq!(path.to_string(), "/spec/ports[port=53,protocol=UDP]/a~1b~0c");
        assert_eq!(Path::default().to_string(), "/");
        for (above, below, yes) in [
            ("/", "/spec", true),
            ("/spec/ports", "/spec/ports[port=53]/x", true),
            ("/spec/port", "/spec/ports", false),
            ("/spec/a", "/spec/a", true),
        ] {
            assert_eq!(covers(above, below), yes, "{above} {below}");
        }
    }
}
