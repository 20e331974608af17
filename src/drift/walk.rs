//! Walks what is wanted against what is there, along the schema, and collects what differs: section 2 of the rules.

use serde_json::{Map, Value as Json};

use super::{
    form::{Form, type_name},
    lists::{self, Kind},
    path::{Path, Step},
    scalar,
};
use crate::schema::{Node, Shape, schema};

/// One difference, not yet judged.
#[derive(Clone, Debug)]
pub struct Raw<'a> {
    /// Where.
    pub path: Path,
    /// What is wanted there.
    pub desired: Option<&'a Json>,
    /// What is there.
    pub live: Option<&'a Json>,
    /// The same elements in another order.
    pub order: bool,
    /// A whole list or map that has all that is wanted, and in its parts further fields.
    pub only_more: bool,
}

/// All differences of two normalised objects, in the order of the fields.
pub fn differences<'a>(desired: &'a Json, live: &'a Json, form: &Form) -> Vec<Raw<'a>> {
    at(Path::default(), desired, live, &form.root, form)
}

/// The same below a path, whose node is given.
pub fn at<'a>(path: Path, desired: &'a Json, live: &'a Json, node: &Node, form: &Form) -> Vec<Raw<'a>> {
    let mut walk = Walk { form, path, found: Vec::new() };
    walk.both(desired, live, node);
    walk.found
}

/// The node at the end of a path.
pub fn node_at<'n>(root: &'n Node, path: &Path) -> &'n Node {
    path.0.iter().fold(root, |node, step| match step {
        Step::Key(key) => schema().below(node, key),
        _ => schema().item(node),
    })
}

struct Walk<'a, 'f> {
    form: &'f Form,
    path: Path,
    found: Vec<Raw<'a>>,
}

impl<'a> Walk<'a, '_> {
    fn report(&mut self, desired: Option<&'a Json>, live: Option<&'a Json>) {
        self.found.push(Raw { path: self.path.clone(), desired, live, order: false, only_more: false });
    }

    fn below(&mut self, step: Step, walk: impl FnOnce(&mut Self)) {
        self.path.0.push(step);
        walk(self);
        self.path.0.pop();
    }

    /// Both sides have a value.
    fn both(&mut self, desired: &'a Json, live: &'a Json, node: &Node) {
        match (desired, live) {
            (Json::Object(d), Json::Object(l)) if schema().is_atomic(node, desired) => {
                let found = self.inside(|walk| walk.maps(d, l, node));
                self.whole(desired, live, &found, true);
            }
            (Json::Object(d), Json::Object(l)) => self.maps(d, l, node),
            (Json::Array(d), Json::Array(l)) => self.lists((desired, d), (live, l), node),
            (Json::Null, Json::Null) => {}
            // In maps of texts a null is stored as the empty text; elsewhere it is as good as absent (N01).
            (Json::Null, _) if live == "" && matches!(node.shape, Shape::Scalar('s' | 'y')) => {}
            (Json::Null, _) => self.one(None, Some(live), node, false),
            (_, Json::Null) => self.one(Some(desired), None, node, false),
            _ if self.same(desired, live, node) => {}
            // An empty value on one side is no value of another type.
            _ if empty(live) && empty(desired) => {}
            _ => self.report(Some(desired), Some(live)),
        }
    }

    fn maps(&mut self, desired: &'a Map<String, Json>, live: &'a Map<String, Json>, node: &Node) {
        let sole = desired.len() == 1;
        for (key, wanted) in desired {
            let below = schema().below(node, key);
            self.below(Step::Key(key.clone()), |walk| match live.get(key) {
                Some(held) => walk.both(wanted, held, below),
                None => walk.one(Some(wanted), None, below, sole),
            });
        }
        for (key, held) in live.iter().filter(|(key, _)| !desired.contains_key(*key)) {
            let below = schema().below(node, key);
            self.below(Step::Key(key.clone()), |walk| walk.one(None, Some(held), below, false));
        }
    }

    /// One side alone has a value: the topmost such node is reported, maps of texts and metadata key by key.
    fn one(&mut self, desired: Option<&'a Json>, live: Option<&'a Json>, node: &Node, sole: bool) {
        let Some(value) = desired.or(live) else { return };
        if self.vanishes(value, node, desired.is_some(), sole) {
            return;
        }
        let texts = matches!(&node.shape, Shape::Map(e) if matches!(e.shape, Shape::Scalar('s' | 'y'))) && !node.atomic;
        match value {
            Json::Object(map) if texts || type_name(node) == "ObjectMeta" => {
                for (key, value) in map {
                    let below = schema().below(node, key);
                    let (d, l) = if desired.is_some() { (Some(value), None) } else { (None, Some(value)) };
                    self.below(Step::Key(key.clone()), |walk| walk.one(d, l, below, false));
                }
            }
            _ => self.report(desired, live),
        }
    }

    /// Whether a value that the other side lacks means nothing (N02 to N04).
    fn vanishes(&self, value: &Json, node: &Node, desired: bool, sole: bool) -> bool {
        let loose = self.form.custom && !matches!(node.shape, Shape::Struct(_) | Shape::Map(_));
        match value {
            Json::Null => true,
            Json::Array(items) => items.is_empty(),
            Json::Object(map) => {
                if matches!(type_name(node), "LabelSelector" | "EmptyDirVolumeSource") {
                    return false;
                }
                let last = self.path.0.last();
                let selector = matches!(last, Some(Step::Key(key)) if key.ends_with("elector"));
                if loose && desired && map.is_empty() && (sole || selector) {
                    return false;
                }
                let sole = map.len() == 1;
                map.iter().all(|(key, value)| {
                    // A free map's empty texts are values.
                    !(matches!(node.shape, Shape::Map(_)) && value == "")
                        && self.vanishes(value, schema().below(node, key), desired, sole)
                })
            }
            scalar => loose && desired && self.path.0.len() > 1 && !self.in_metadata() && scalar::is_zero(scalar),
        }
    }

    fn in_metadata(&self) -> bool {
        matches!(self.path.0.first(), Some(Step::Key(key)) if key == "metadata")
    }

    fn lists(&mut self, (desired, d): (&'a Json, &'a [Json]), (live, l): (&'a Json, &'a [Json]), node: &Node) {
        let field = match self.path.0.last() {
            Some(Step::Key(key)) => key.as_str(),
            _ => "",
        };
        match lists::kind(field, node, d, l) {
            Kind::Set => self.sets(d, l, node),
            Kind::Bag => self.bags((desired, d), (live, l), node),
            Kind::Keyed { keys, ordered } => match (keyed(d, &keys), keyed(l, &keys)) {
                (Some(wanted), Some(held)) => self.keyed((desired, &wanted), (live, &held), node, ordered),
                // The same key twice, or none: never collapsed, compared as an ordered list.
                _ => self.ordered((desired, d), (live, l), node),
            },
            Kind::Ordered => self.ordered((desired, d), (live, l), node),
        }
    }

    fn sets(&mut self, desired: &'a [Json], live: &'a [Json], node: &Node) {
        let item = schema().item(node);
        let lacks = |list: &[Json], value: &Json| !list.iter().any(|other| self.same(value, other, item));
        let missing: Vec<&Json> = desired.iter().filter(|v| lacks(live, v)).collect();
        let more: Vec<&Json> = live.iter().filter(|v| lacks(desired, v)).collect();
        for value in missing {
            self.below(Step::Item(value.clone()), |walk| walk.report(Some(value), None));
        }
        for value in more {
            self.below(Step::Item(value.clone()), |walk| walk.report(None, Some(value)));
        }
    }

    fn bags(&mut self, (desired, d): (&'a Json, &'a [Json]), (live, l): (&'a Json, &'a [Json]), node: &Node) {
        let item = schema().item(node);
        // A union: what stands twice counts once.
        let has = |list: &'a [Json], value: &'a Json| {
            list.iter().any(|other| at(self.path.clone(), value, other, item, self.form).is_empty())
        };
        if !(d.iter().all(|v| has(l, v)) && l.iter().all(|v| has(d, v))) {
            self.report(Some(desired), Some(live));
        }
    }

    fn ordered(&mut self, (desired, d): (&'a Json, &'a [Json]), (live, l): (&'a Json, &'a [Json]), node: &Node) {
        let item = schema().item(node);
        let found = self.inside(|walk| {
            for (index, (wanted, held)) in d.iter().zip(l).enumerate() {
                walk.below(Step::Index(index), |walk| walk.both(wanted, held, item));
            }
        });
        self.whole(desired, live, &found, d.len() == l.len());
    }

    /// What a walk finds, which is not reported by itself.
    fn inside(&mut self, walk: impl FnOnce(&mut Self)) -> Vec<Raw<'a>> {
        let outer = std::mem::take(&mut self.found);
        walk(self);
        std::mem::replace(&mut self.found, outer)
    }

    /// Reports a value that counts as one, when something inside it differs.
    fn whole(&mut self, desired: &'a Json, live: &'a Json, found: &[Raw<'a>], same_length: bool) {
        if found.is_empty() && same_length {
            return;
        }
        self.report(Some(desired), Some(live));
        if let Some(raw) = self.found.last_mut() {
            raw.only_more = same_length && found.iter().all(|f| f.desired.is_none() || f.only_more);
        }
    }

    fn keyed(
        &mut self,
        (desired, wanted): (&'a Json, &[(Keys, &'a Json)]),
        (live, held): (&'a Json, &[(Keys, &'a Json)]),
        node: &Node,
        ordered: bool,
    ) {
        let item = schema().item(node);
        let find = |list: &[(Keys, &'a Json)], keys: &Keys| list.iter().find(|(k, _)| k == keys).map(|(_, v)| *v);
        for (keys, value) in wanted {
            self.below(Step::Element(keys.clone()), |walk| match find(held, keys) {
                Some(other) => walk.both(value, other, item),
                None => walk.report(Some(value), None),
            });
        }
        for (keys, value) in held.iter().filter(|(keys, _)| find(wanted, keys).is_none()) {
            self.below(Step::Element(keys.clone()), |walk| walk.report(None, Some(value)));
        }
        let order = |list: &[(Keys, &'a Json)], other: &[(Keys, &'a Json)]| -> Vec<Keys> {
            list.iter().filter(|(keys, _)| find(other, keys).is_some()).map(|(keys, _)| keys.clone()).collect()
        };
        if ordered && order(wanted, held) != order(held, wanted) {
            self.report(Some(desired), Some(live));
            if let Some(raw) = self.found.last_mut() {
                raw.order = true;
            }
        }
    }

    /// Equality of single values by what the schema says they are.
    fn same(&self, a: &Json, b: &Json, node: &Node) -> bool {
        if scalar::plain(a, b) {
            return true;
        }
        let words = self.path.words();
        let (last, parent) = (words.last().copied().unwrap_or_default(), words.iter().rev().nth(1).copied());
        let texts = || Some((a.as_str()?, b.as_str()?));
        let by = |same: fn(&str, &str) -> bool| texts().is_some_and(|(a, b)| same(a, b));
        match node.shape {
            Shape::Scalar('q') => {
                let milli = !matches!(last, "sizeLimit" | "divisor" | "averageValue" | "value");
                scalar::quantities(a, b, milli)
            }
            Shape::Scalar('t') => by(scalar::instants),
            Shape::Scalar('y') => by(scalar::bytes),
            Shape::Scalar('s' | 'x') | Shape::Any if self.form.custom => {
                let resources = words.iter().rev().nth(2) == Some(&"resources");
                let quantity = resources && matches!(parent, Some("limits" | "requests"));
                (quantity && scalar::quantities(a, b, true)) || (self.free_of_texts(&words) && by(scalar::durations))
            }
            _ => false,
        }
    }

    /// Whether a path leads through nothing that holds texts of somebody else's making (N09).
    fn free_of_texts(&self, words: &[&str]) -> bool {
        !words.iter().any(|w| matches!(*w, "metadata" | "annotations" | "labels" | "env" | "args" | "command" | "data"))
    }
}

type Keys = Vec<(String, Json)>;

/// The elements by key; `None` when a key is missing or stands twice.
fn keyed<'a>(list: &'a [Json], keys: &[String]) -> Option<Vec<(Keys, &'a Json)>> {
    let mut found: Vec<(Keys, &Json)> = Vec::with_capacity(list.len());
    for element in list {
        let of = lists::keys_of(element, keys)?;
        if found.iter().any(|(held, _)| *held == of) {
            return None;
        }
        found.push((of, element));
    }
    Some(found)
}

fn empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Array(items) => items.is_empty(),
        Json::Object(map) => map.is_empty(),
        _ => false,
    }
}
