//! What may change a value on its way through a chain of kustomizations, and which values of a finished object it may have
//! been. A writer is a claim, not a proof: names, patterns and list items are matched by what they look like.

use std::sync::Arc;

use base64::Engine as _;
use regex::Regex;

use super::align;
use crate::{
    desired::{
        object::{Object, ObjectKey},
        path::{Path, Step},
        tree::{Node, Value},
    },
    schema::schema,
};

/// Which objects a writer is for; empty words fit all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// Kind.
    pub kind: Arc<str>,
    /// Name.
    pub name: Arc<str>,
    /// Kind and name are patterns that must cover the whole word.
    pub pattern: bool,
}

impl Target {
    /// True when it is for an object of this kind that has or had one of these names.
    pub(super) fn fits(&self, kind: &str, names: &[String]) -> bool {
        word_fits(&self.kind, kind, self.pattern)
            && (self.name.is_empty() || names.iter().any(|name| word_fits(&self.name, name, self.pattern)))
    }
}

fn word_fits(wanted: &str, word: &str, pattern: bool) -> bool {
    let by_pattern = || Regex::new(&format!("^(?:{wanted})$")).is_ok_and(|r| r.is_match(word));
    wanted.is_empty() || wanted == word || (pattern && by_pattern())
}

/// Whether a path leads to what tells the items of a list apart. A patch names it to find its item, and does not give it.
pub(super) fn tells_apart(key: &ObjectKey, path: &Path) -> bool {
    let [way @ .., Step::Index(_), Step::Key(last)] = path.0.as_slice() else { return false };
    let schema = schema();
    let mut node = schema.root(&key.api_version, &key.kind);
    for step in way {
        node = match step {
            Step::Key(key) => schema.below(&node, key).clone(),
            Step::Index(_) => schema.item(&node).clone(),
        };
    }
    node.merge_key.as_deref() == Some(&**last)
}

/// Where pairs go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// Labels, selectors and the labels of templates.
    Labels,
    /// Annotations.
    Annotations,
}

/// A field that a replacement copies.
#[derive(Debug)]
pub(super) struct Copied {
    /// The object it is copied from.
    pub from: Target,
    /// The field.
    pub field: Vec<Step>,
}

/// What a writer does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// Puts this tree at this place. A key may be an index, `-` (the end of a list), `*` or `name=web` (an item).
    Tree {
        /// Place in the object.
        at: Vec<Step>,
        /// What it puts there.
        value: Node,
    },
    /// Changes the image of this name (without tag) where it stands.
    Image {
        /// The image's name before.
        name: Arc<str>,
        /// New name, new tag, suffix, digest: those that are given.
        parts: Vec<Node>,
    },
    /// Sets the namespace.
    Namespace(Node),
    /// Puts this before or behind names.
    Affix {
        /// The text.
        affix: Node,
        /// Before.
        front: bool,
    },
    /// Sets labels or annotations.
    Pairs {
        /// A map of texts.
        pairs: Node,
        /// Where.
        place: Where,
    },
    /// A key of a generated ConfigMap or Secret.
    Data {
        /// The key.
        key: Arc<str>,
        /// The value, not encoded.
        value: Node,
    },
    /// A replacement.
    Copy {
        /// The field that is set.
        to: Vec<Step>,
        /// What it is set to.
        copied: Arc<Copied>,
    },
}

/// One change that a kustomization asks for.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    /// The layer that asks for it.
    pub layer: usize,
    /// Which objects it is for.
    pub target: Target,
    /// What it does.
    pub act: Act,
}

/// How well a written value explains the finished one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It does not.
    None,
    /// The finished text holds it.
    Part,
    /// They are equal.
    Equal,
}

/// How well one scalar explains another, as text; base64 of a Secret is looked through when `encoded`.
pub(super) fn fit(finished: &Node, written: &Node, encoded: bool) -> Fit {
    if finished == written {
        return Fit::Equal;
    }
    let (Some(finished), Some(written)) = (scalar_text(finished), scalar_text(written)) else { return Fit::None };
    if finished == written || (encoded && decoded(&finished).is_some_and(|d| d == written)) {
        Fit::Equal
    } else if !written.is_empty() && finished.contains(&written) {
        Fit::Part
    } else {
        Fit::None
    }
}

/// What base64 holds, if it is text.
pub(super) fn decoded(text: &str) -> Option<String> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text.replace('\n', "")).ok()?;
    String::from_utf8(bytes).ok()
}

/// A scalar as text; `None` for containers.
pub(super) fn scalar_text(node: &Node) -> Option<String> {
    match &node.value {
        Value::Null => Some(String::new()),
        Value::Bool(b) => Some(b.to_string()),
        Value::Int(n) => Some(n.to_string()),
        Value::Float(n) => Some(n.to_string()),
        Value::Text(t) => Some(t.to_string()),
        Value::List(_) | Value::Map(_) => None,
    }
}

/// A value that a writer may have put into an object.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    /// Where in the object.
    pub path: Path,
    /// What was written, with its place.
    pub written: Node,
    /// How well it explains what stands there.
    pub fit: Fit,
}

/// An object as the writers see it.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    /// The finished object.
    pub object: &'a Object,
    /// Names it has or had.
    pub names: Vec<String>,
    /// All finished objects, for what is copied from one to another.
    pub all: &'a [Arc<Object>],
}

impl Writer {
    /// What it may have put into the subject; nothing when it is for others.
    pub(super) fn effects(&self, subject: &Subject<'_>) -> Vec<Effect> {
        let object = subject.object;
        if !self.target.fits(&object.key.kind, &subject.names) {
            return Vec::new();
        }
        match &self.act {
            Act::Tree { at, value } => tree(&object.node, at, value),
            Act::Copy { to, copied } => copy(subject, to, copied),
            Act::Data { key, value } => data(object, key, value),
            Act::Image { name, parts } => {
                each(object, |path, leaf| if is_image(path) { image(leaf, name, parts) } else { Vec::new() })
            }
            Act::Namespace(name) => {
                let wanted = |path: &Path| matches!(path.0.last(), Some(Step::Key(k)) if &**k == "namespace");
                each(object, |path, _| if wanted(path) { vec![name.clone()] } else { Vec::new() })
            }
            Act::Affix { affix, front } => {
                let text = affix.as_str().unwrap_or_default();
                let holds = |leaf: &Node| {
                    leaf.as_str().is_some_and(|t| if *front { t.starts_with(text) } else { t.contains(text) })
                };
                each(object, |path, leaf| {
                    let hit = !text.is_empty() && is_name(path) && holds(leaf);
                    if hit { vec![affix.clone()] } else { Vec::new() }
                })
            }
            Act::Pairs { pairs, place } => each(object, |path, _| pair(path, pairs, *place)),
        }
    }
}

/// Asks for what was written at each leaf.
fn each(object: &Object, written: impl Fn(&Path, &Node) -> Vec<Node>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for (path, leaf) in object.node.leaves() {
        for written in written(&path, leaf) {
            let fit = fit(leaf, &written, false);
            effects.push(Effect { path: path.clone(), written, fit });
        }
    }
    effects
}

fn tree(object: &Node, at: &[Step], value: &Node) -> Vec<Effect> {
    let mut best: Vec<Effect> = Vec::new();
    for (path, node) in align::places(object, at) {
        let effects = align::pairs(node, value).into_iter().map(|(inner, finished, written)| Effect {
            path: Path(path.0.iter().cloned().chain(inner.0).collect()),
            written: written.clone(),
            fit: fit(finished, written, false),
        });
        let effects: Vec<Effect> = effects.collect();
        let whole = !effects.is_empty() && effects.iter().all(|e| e.fit == Fit::Equal);
        if whole {
            return effects;
        }
        if best.is_empty() {
            best = effects;
        }
    }
    best
}

fn copy(subject: &Subject<'_>, to: &[Step], copied: &Copied) -> Vec<Effect> {
    let from = subject.all.iter().find(|o| {
        let name = o.key.name.to_string();
        let bare = without_hash(&name).unwrap_or(&name).to_owned();
        copied.from.fits(&o.key.kind, &[name, bare])
    });
    let Some((_, source)) = from.and_then(|o| align::places(&o.node, &copied.field).into_iter().next()) else {
        return Vec::new();
    };
    let places = align::places(&subject.object.node, to).into_iter();
    let effect = |(path, finished): (Path, &Node)| {
        let fit = match fit(finished, source, false) {
            Fit::None if pieces_meet(finished, source) => Fit::Part,
            fit => fit,
        };
        Effect { path, written: source.clone(), fit }
    };
    places.map(effect).collect()
}

/// True when a piece of the source, cut at a delimiter, stands in the finished text.
fn pieces_meet(finished: &Node, source: &Node) -> bool {
    let (Some(finished), Some(source)) = (scalar_text(finished), scalar_text(source)) else { return false };
    source.split([':', '/', '.', '-', '@', ',']).any(|piece| piece.len() > 1 && finished.contains(piece))
}

fn data(object: &Object, key: &Arc<str>, value: &Node) -> Vec<Effect> {
    let mut effects = Vec::new();
    for field in ["data", "stringData", "binaryData"] {
        if let Some(finished) = object.node.get(field).and_then(Node::as_map).and_then(|m| m.get(key)) {
            let encoded = &*object.key.kind == "Secret" || field == "binaryData";
            let path = Path::default().key(field).key(key);
            effects.push(Effect { path, written: value.clone(), fit: fit(finished, value, encoded) });
        }
    }
    effects
}

fn is_image(path: &Path) -> bool {
    matches!(path.0.last(), Some(Step::Key(k)) if &**k == "image")
}

/// True where Kustomize may keep a reference to an object's name.
fn is_name(path: &Path) -> bool {
    let last = path.0.iter().rev().find_map(|s| if let Step::Key(k) = s { Some(&**k) } else { None });
    last.is_some_and(|k| k.to_ascii_lowercase().ends_with("name") || k == "claimName" || k == "resourceNames")
}

/// The parts of an image rule that stand in a finished image, when that is an image the rule is for.
fn image(leaf: &Node, name: &str, parts: &[Node]) -> Vec<Node> {
    let Some(image) = leaf.as_str() else { return Vec::new() };
    let renamed = parts.iter().any(|p| p.as_str().is_some_and(|p| bare_image(image) == p));
    if bare_image(image) != name && !renamed {
        return Vec::new();
    }
    parts.iter().filter(|p| fit(leaf, p, false) != Fit::None).cloned().collect()
}

/// An image without tag and digest.
fn bare_image(image: &str) -> &str {
    let bare = image.split('@').next().unwrap_or(image);
    match bare.rfind(':') {
        Some(at) if !bare[at..].contains('/') => &bare[..at],
        _ => bare,
    }
}

fn pair(path: &Path, pairs: &Node, place: Where) -> Vec<Node> {
    let mut keys = path.0.iter().rev().filter_map(|s| if let Step::Key(k) = s { Some(&**k) } else { None });
    let (Some(key), Some(holder)) = (keys.next(), keys.next()) else { return Vec::new() };
    let fits = match place {
        Where::Annotations => holder == "annotations",
        Where::Labels => holder == "labels" || holder.ends_with("abels") || holder.to_lowercase().ends_with("selector"),
    };
    let found = pairs.as_map().filter(|_| fits).and_then(|p| p.get(key));
    found.cloned().into_iter().collect()
}

/// A name without the hash that generators put behind it; `None` when it does not look as if it had one.
pub(super) fn without_hash(name: &str) -> Option<&str> {
    let (front, hash) = name.rsplit_once('-')?;
    let looks = hash.len() == 10 && hash.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    (looks && !front.is_empty()).then_some(front)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_their_name_alone() {
        for (image, bare) in
            [("web:1", "web"), ("r:5000/a/b", "r:5000/a/b"), ("r:5000/a:2@sha256:ab", "r:5000/a"), ("a@sha256:b", "a")]
        {
            assert_eq!(bare_image(image), bare);
        }
    }

    #[test]
    fn a_target_pattern_covers_the_whole_word() {
        let target = Target { kind: "Deployment".into(), name: "web".into(), pattern: true };
        assert!(target.fits("Deployment", &["web".into()]));
        assert!(!target.fits("Deployment", &["web-job".into()]));
        assert!(!target.fits("Service", &["web".into()]));
        assert!(Target::default().fits("X", &[]));
        assert_eq!(without_hash("conf-b8kg2gkftc"), Some("conf"));
        assert_eq!(without_hash("web-frontend"), None);
    }
}
