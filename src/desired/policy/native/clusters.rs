//! Choosing clusters, in policies and in the fleet file: names, labels and fields, every one of them a list of which one must
//! fit; `!x` excludes, `*` and `?` stand for any characters.

use std::{path::Path, sync::Arc};

use crate::{
    desired::selector::{Affinity, Field, LabelSelector, Operator, Requirement},
    fault::Fault,
    messages::policy as text,
    shape::{Form, Key, Shape, Written},
};

/// The keys. Where none is given every cluster fits.
pub const CLUSTERS: &[Key] = &[
    Key::new("names", Shape::Texts, "Cluster names (globs); !x leaves x out."),
    Key::new("exclude", Shape::Texts, "Names (globs) left out before anything else."),
    Key::new(
        "labels",
        Shape::Map(&Shape::Texts),
        "Labels: the value must be one of these; * is any value, !x is anything but x.",
    ),
    Key::new("environment", Shape::Texts, "Environments (globs); !x is anything but x."),
    Key::new("region", Shape::Texts, "Regions (globs); !x is anything but x."),
    Key::new("zone", Shape::Texts, "Zones (globs): one of the cluster's must fit; !x: none of them may."),
    Key::new("provider", Shape::Texts, "Providers (globs); !x is anything but x."),
    Key::new("tier", Shape::Texts, "Tiers (globs); !x is anything but x."),
    Key::new("team", Shape::Texts, "Teams (globs); !x is anything but x."),
    Key::new("group", Shape::Texts, "Groups of the fleet file (globs); !x is anything but x."),
];

const FIELDS: [Field; 7] =
    [Field::Environment, Field::Region, Field::Zone, Field::Provider, Field::Tier, Field::Team, Field::Group];

/// Reads a choice of clusters whose shape was checked against [`CLUSTERS`].
pub fn affinity<N: Written>(node: &N) -> Affinity {
    let (names, not_names) = split(&words_of(node, "names"));
    let shared = |words: Vec<String>| words.into_iter().map(Arc::from).collect::<Vec<Arc<str>>>();
    let mut fields = Vec::new();
    for key in FIELDS {
        let (any, none) = split(&words_of(node, key.word()));
        let mut require = |operator, values: Vec<String>| {
            if !values.is_empty() {
                fields.push(Requirement { key, operator, values });
            }
        };
        require(Operator::In, any);
        require(Operator::NotIn, none);
    }
    Affinity {
        labels: node.under("labels").map(labels),
        fields,
        names: shared(names),
        exclude: shared([words_of(node, "exclude"), not_names].concat()),
        ..Affinity::default()
    }
}

/// Reads a choice by labels: values by key.
pub fn labels<N: Written>(node: &N) -> LabelSelector {
    let mut requirements = Vec::new();
    for (key, _, value) in node.keys() {
        let (any, none) = split(&value.words());
        let mut require = |yes: bool, values: Vec<String>| {
            let star = values.iter().any(|v| v == "*");
            let operator = match (yes, star) {
                (true, true) => Operator::Exists,
                (true, false) => Operator::In,
                (false, true) => Operator::DoesNotExist,
                (false, false) => Operator::NotIn,
            };
            if !values.is_empty() {
                let values = if star { Vec::new() } else { values };
                requirements.push(Requirement { key: key.to_owned(), operator, values });
            }
        };
        require(true, any);
        require(false, none);
    }
    LabelSelector { requirements, broken: false }
}

/// What the shape cannot say: empty lists, and globs where labels have none.
pub fn check<N: Written>(file: &Path, node: &N, path: &str, faults: &mut Vec<Fault>) {
    for (key, line, value) in node.keys() {
        if key == "labels" {
            check_labels(file, value, &format!("{path}.labels"), faults);
        } else if is_empty(value) {
            faults.push(Fault::new(file, line, format!("{path}.{key}"), text::EMPTY_CHOICE));
        }
    }
}

/// The same for labels alone.
pub fn check_labels<N: Written>(file: &Path, node: &N, path: &str, faults: &mut Vec<Fault>) {
    for (key, line, value) in node.keys() {
        let field = format!("{path}.{key}");
        if is_empty(value) {
            faults.push(Fault::new(file, line, &field, text::EMPTY_CHOICE));
        }
        let bare = |word: &str| word.strip_prefix('!').unwrap_or(word).to_owned();
        if let Some(glob) = value.words().iter().find(|w| bare(w) != "*" && w.contains(['*', '?'])) {
            faults.push(Fault::new(file, line, &field, text::LABEL_GLOB).with("value", glob));
        }
    }
}

fn words_of<N: Written>(node: &N, key: &str) -> Vec<String> {
    node.under(key).map(Written::words).unwrap_or_default()
}

/// A key without a value, an empty text, or a list without items: it looks like a restriction and is none.
fn is_empty<N: Written>(value: &N) -> bool {
    value.form() == Form::Null || value.words().iter().all(|w| w.is_empty() || w == "!")
}

/// Words that are wanted, and those behind a `!`.
fn split(words: &[String]) -> (Vec<String>, Vec<String>) {
    let (none, any): (Vec<&String>, Vec<&String>) = words.iter().partition(|w| w.starts_with('!'));
    (any.into_iter().cloned().collect(), none.into_iter().map(|w| w[1..].to_owned()).collect())
}
