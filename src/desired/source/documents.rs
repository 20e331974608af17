//! From documents to objects: List kinds are taken apart, and what is no object is told, document by document.

use std::{fmt, path::Path as File, sync::Arc};

use crate::{
    desired::{
        object::{Object, ObjectKey},
        origin::Source,
        tree::{Node, Value},
    },
    fault::Fault,
    messages::{Msg, source as words},
};

use super::yaml::{self, Broken, Document};

/// Why a document, or an item of a List, is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It cannot be read.
    Broken(Broken),
    /// It is a list, a text, a number: no object.
    NoMap,
    /// It has no `apiVersion` (or one that is no text).
    NoApiVersion,
    /// It has no `kind` (or one that is no text).
    NoKind,
}

/// A document, or an item of a List, that is left out; it costs nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Line.
    pub line: u32,
    /// Number of the document in the file, counted from 1.
    pub document: usize,
    /// The field: empty for the document as a whole, `items[2]` inside a List.
    pub field: String,
    /// What it would be called.
    pub key: Option<ObjectKey>,
    /// Why.
    pub cause: Cause,
}

impl Defect {
    /// For the screen.
    pub fn fault(&self, file: &File) -> Fault {
        let name = || self.key.as_ref().map_or_else(|| format!("#{}", self.document), ToString::to_string);
        let msg: Msg = match &self.cause {
            Cause::Broken(broken) => {
                let mut fault = broken.fault(file);
                fault.msg = if broken.why.no_json_form() { words::DOCUMENT_NO_JSON } else { words::DOCUMENT_BROKEN };
                return fault.with("object", name());
            }
            Cause::NoMap => words::DOCUMENT_NO_MAP,
            Cause::NoApiVersion => words::DOCUMENT_NO_API_VERSION,
            Cause::NoKind => words::DOCUMENT_NO_KIND,
        };
        Fault::new(file, self.line, self.field.clone(), msg).with("object", name())
    }
}

/// The line and the cause, in English.
impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Broken(broken) => broken.fmt(f),
            Cause::NoMap => write!(f, "line {}: document {} is no map", self.line, self.document),
            Cause::NoApiVersion => write!(f, "line {}: document {} has no apiVersion", self.line, self.document),
            Cause::NoKind => write!(f, "line {}: document {} has no kind", self.line, self.document),
        }
    }
}

/// What a text holds.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The objects, in order; items of Lists in the place of their List.
    pub objects: Vec<Object>,
    /// What is left out.
    pub defects: Vec<Defect>,
    /// Lists that were taken apart.
    pub lists: Vec<TakenApart>,
}

/// A List that was taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenApart {
    /// Its kind: `List`, `ConfigMapList`.
    pub kind: Arc<str>,
    /// Its line.
    pub line: u32,
    /// Number of its items.
    pub items: usize,
}

/// Reads the objects of a text.
///
/// # Errors
///
/// When the text is no YAML or breaks a bound; see [`yaml::documents`].
pub fn objects(text: &str, source: &Arc<Source>) -> Result<Contents, Broken> {
    let mut contents = Contents::default();
    for (at, document) in yaml::documents(text, source)?.into_iter().enumerate() {
        contents.add(document, at + 1);
    }
    Ok(contents)
}

/// Names documents that were read elsewhere, e.g. the output of a tool.
pub fn from_documents(documents: Vec<Document>) -> Contents {
    let mut contents = Contents::default();
    for (at, document) in documents.into_iter().enumerate() {
        contents.add(document, at + 1);
    }
    contents
}

impl Contents {
    fn add(&mut self, document: Document, number: usize) {
        let Document { line, node, broken } = document;
        match broken {
            Some(broken) => {
                let line = if broken.line == 0 { line } else { broken.line };
                let key = ObjectKey::of(&node);
                let field = broken.field.to_string();
                self.defects.push(Defect { line, document: number, field, key, cause: Cause::Broken(broken) });
            }
            None => self.take(node, line, number, String::new()),
        }
    }

    fn take(&mut self, node: Node, line: u32, document: usize, field: String) {
        let cause = match (node.as_map(), node.str_of("apiVersion"), node.str_of("kind")) {
            (None, ..) => Cause::NoMap,
            (_, "", _) => Cause::NoApiVersion,
            (_, _, "") => Cause::NoKind,
            _ => {
                match (list_items(&node), Object::new(node)) {
                    (Some(items), Some(list)) => self.take_apart(&list, items, line, document, &field),
                    (None, Some(object)) => self.objects.push(object),
                    (_, None) => {}
                }
                return;
            }
        };
        self.defects.push(Defect { line, document, field, key: ObjectKey::of(&node), cause });
    }

    fn take_apart(&mut self, list: &Object, items: Vec<Node>, line: u32, document: usize, field: &str) {
        self.lists.push(TakenApart { kind: list.key.kind.clone(), line, items: items.len() });
        for (at, mut item) in items.into_iter().enumerate() {
            let line = item.origin.at().map_or(line, |at| at.line);
            let field = if field.is_empty() { format!("items[{at}]") } else { format!("{field}.items[{at}]") };
            inherit(&mut item, &list.node);
            self.take(item, line, document, field);
        }
    }
}

/// The items of a List; `None` for ordinary objects.
///
/// A List is what `kubectl` takes apart: `items` is a list, whatever the kind, or it is `null` (for the kind `List` itself:
/// absent) and the kind ends in `List`. An `items` that is a map belongs to an ordinary object.
fn list_items(node: &Node) -> Option<Vec<Node>> {
    let kind = node.str_of("kind");
    match node.as_map()?.get("items").map(|n| &n.value) {
        Some(Value::List(items)) => Some(items.to_vec()),
        Some(Value::Null) if kind.ends_with("List") => Some(Vec::new()),
        None if kind == "List" => Some(Vec::new()),
        _ => None,
    }
}

/// An item that names neither its kind nor its version has those of its List: a `ConfigMapList` holds ConfigMaps.
fn inherit(item: &mut Node, list: &Node) {
    let (Some(version), Some(kind)) = (list.get("apiVersion"), list.get("kind")) else { return };
    let item_kind = kind.as_str().and_then(|k| k.strip_suffix("List")).unwrap_or_default();
    let bare = item.str_of("apiVersion").is_empty() && item.str_of("kind").is_empty();
    if let (true, false, Some(map)) = (bare, item_kind.is_empty(), item.as_map_mut()) {
        map.insert("apiVersion", version.clone());
        map.insert("kind", Node::text(item_kind, kind.origin.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desired::origin::SourceKind;

    fn told(text: &str) -> (Vec<String>, Vec<String>) {
        let contents = objects(text, &Source::new(SourceKind::Manifest, "a.yaml")).unwrap();
        let place = |o: &Object| format!("{} @{}", o.key, o.node.origin.at().unwrap().line);
        (
            contents.objects.iter().map(place).collect(),
            contents.defects.iter().map(|d| format!("{d} [{}]", d.field)).collect(),
        )
    }

    #[test]
    fn lists_are_taken_apart_and_what_is_no_object_is_told() {
        let head = |kind: &str, rest: &str| format!("apiVersion: v1\nkind: {kind}\n{rest}");
        let cases: Vec<(String, &[&str], &[&str])> = vec![
            (head("ConfigMap", "metadata: {name: a, namespace: b}\n"), &["ConfigMap b/a @1"], &[]),
            (head("Pod", "metadata: {generateName: a-}\n"), &["Pod a-* @1"], &[]),
            ("---\n# nothing\n---\n---\n".into(), &[], &[]),
            (
                head("List", "items:\n- {apiVersion: v1, kind: Pod, metadata: {name: x}}\n- {kind: Pod}\n- 7\n"),
                &["Pod x @4"],
                &["line 5: document 1 has no apiVersion [items[1]]", "line 6: document 1 is no map [items[2]]"],
            ),
            (head("ConfigMapList", "items:\n- metadata: {name: x}\n"), &["ConfigMap x @4"], &[]),
            (head("ConfigMapList", "items: null\n"), &[], &[]),
            (head("ConfigMapList", "items: []\n"), &[], &[]),
            (head("List", ""), &[], &[]),
            (head("NotAList", "metadata: {name: x}\nitems: {a: 1}\n"), &["NotAList x @1"], &[]),
            (head("AllowList", "metadata: {name: x}\n"), &["AllowList x @1"], &[]),
            (head("Odd", "items: null\n"), &["Odd  @1"], &[]),
            (head("Odd", "items: [{a: 1}]\n"), &[], &["line 3: document 1 has no apiVersion [items[0]]"]),
            (
                head("List", "items:\n- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: v1, kind: Pod}\n"),
                &["Pod  @7"],
                &[],
            ),
            (
                "a: 1\n---\napiVersion: v1\n---\nkind: 1\napiVersion: v1\n---\n- 1\n".into(),
                &[],
                &[
                    "line 1: document 1 has no apiVersion []",
                    "line 3: document 2 has no kind []",
                    "line 5: document 3 has no kind []",
                    "line 8: document 4 is no map []",
                ],
            ),
        ];
        for (text, objects, defects) in cases {
            let (found, wrong) = told(&text);
            assert_eq!((found.as_slice(), wrong.as_slice()), (&own(objects)[..], &own(defects)[..]), "{text}");
        }
    }

    fn own(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|t| (*t).to_owned()).collect()
    }

    #[test]
    fn a_broken_document_is_named_and_costs_only_itself() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  token: {{ .hunter2 }}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n";
        let contents = objects(text, &Source::new(SourceKind::Manifest, "a.yaml")).unwrap();
        assert_eq!(contents.objects.iter().map(|o| o.key.to_string()).collect::<Vec<_>>(), ["Pod p"]);
        let [defect] = &contents.defects[..] else { panic!("{:?}", contents.defects) };
        assert_eq!((defect.line, defect.field.as_str()), (5, "stringData.token"));
        assert_eq!(defect.key.as_ref().unwrap().to_string(), "Secret s");
        let shown = format!("{:?} {}", defect.fault(File::new("a.yaml")).problem(crate::messages::Lang::En), defect);
        assert!(shown.contains("Secret s") && shown.contains("JSON"), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
