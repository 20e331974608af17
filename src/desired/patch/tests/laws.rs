//! Laws: a JSON patch does what the crate for it does, nothing costs nothing, and every leaf names who set it.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{rule, tree};
use crate::desired::{
    origin::Source,
    patch::{PatchOperation, Verb, json, json_text, yaml_text},
    source::yaml,
    tree::Node,
};

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (0_i64..4).prop_map(Json::from),
        "[ab]{0,2}".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map("[a-c]", inner, 0..4).prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

fn document() -> impl Strategy<Value = Json> {
    prop::collection::btree_map("[a-c]", value(), 1..4).prop_map(|m| Json::Object(m.into_iter().collect()))
}

/// Pointers that often lead somewhere.
fn pointer() -> impl Strategy<Value = String> {
    let step = prop_oneof![4 => "[a-c]", 3 => "[0-3]", 1 => Just("-".to_owned())];
    prop::collection::vec(step, 1..4).prop_map(|steps| steps.iter().map(|s| format!("/{s}")).collect())
}

fn operation() -> impl Strategy<Value = (Json, PatchOperation)> {
    (0..6_u8, pointer(), pointer(), value()).prop_map(|(verb, path, from, value)| {
        let (word, verb) = match verb {
            0 => ("add", Verb::Add),
            1 => ("replace", Verb::Replace),
            2 => ("remove", Verb::Remove),
            3 => ("test", Verb::Test),
            4 => ("move", Verb::Move(from.clone())),
            _ => ("copy", Verb::Copy(from.clone())),
        };
        let written = json!({"op": word, "path": path, "from": from, "value": value});
        (written, PatchOperation { verb, path, value: Some(tree(&value)), rule: None })
    })
}

/// How many of the operations can be compared: moves into a part of what is moved, and tests of what is not there, are told
/// apart by the libraries, and Karmada uses neither.
fn comparable(operations: &[(Json, PatchOperation)], before: &Json) -> usize {
    let mut now = before.clone();
    let fine = |(written, operation): &(Json, PatchOperation)| {
        let fine = match &operation.verb {
            Verb::Move(from) => !operation.path.starts_with(from.as_str()),
            Verb::Test => now.pointer(&operation.path).is_some(),
            _ => true,
        };
        let patch: json_patch::Patch = serde_json::from_value(json!([written])).expect("a patch");
        let _ = json_patch::patch_unsafe(&mut now, &patch);
        fine
    };
    operations.iter().map(fine).position(|fine| !fine).unwrap_or(operations.len())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_patch_does_what_the_crate_does(
        before in document(),
        mut operations in prop::collection::vec(operation(), 1..5),
    ) {
        operations.truncate(comparable(&operations, &before));
        let (written, operations): (Vec<Json>, Vec<PatchOperation>) = operations.into_iter().unzip();
        let patch: json_patch::Patch = serde_json::from_value(written.into()).expect("a patch");
        let mut theirs = before.clone();
        let wanted = json_patch::patch_unsafe(&mut theirs, &patch).is_ok();
        let mut ours = tree(&before);
        let done = json::apply(&mut ours, &operations, &rule("r")).is_ok();
        prop_assert_eq!(done, wanted);
        prop_assert_eq!(ours.to_json(), if wanted { theirs } else { before });
    }

    #[test]
    fn what_differs_names_a_rule_and_what_no_rule_wrote_keeps_its_origin(
        before in document(),
        operations in prop::collection::vec(operation(), 1..5),
    ) {
        let base = tree(&before);
        let mut changed = base.clone();
        let operations: Vec<PatchOperation> = operations.into_iter().map(|(_, o)| o).collect();
        let lists_shift = operations.iter().any(|o| matches!(o.verb, Verb::Add | Verb::Remove | Verb::Move(_) | Verb::Copy(_)));
        if json::apply(&mut changed, &operations, &rule("r")).is_err() {
            prop_assert!(changed.shares(&base), "a failed patch leaves the very same tree");
        }
        for (path, leaf) in changed.leaves() {
            let (changes, first) = leaf.origin.history();
            let was = base.at(&path);
            if was.is_none_or(|was| was != leaf) && !lists_shift {
                prop_assert!(!changes.is_empty(), "{path} differs, and no rule says why");
            }
            if changes.is_empty() {
                prop_assert!(first.is_some(), "{path} has no origin");
                let known = base.leaves().into_iter().any(|(_, l)| l == leaf);
                prop_assert!(known, "{path} is said to be from the base");
            }
            let written = operations.iter().filter(|o| o.verb != Verb::Test).any(|o| touches(o, &path.pointer()));
            if !written && !lists_shift {
                prop_assert!(changes.is_empty(), "{path} was written by nobody");
                prop_assert!(was == Some(leaf));
            }
        }
    }
}

/// Texts that are hard to write: other types in disguise, blanks, breaks, marks of the grammar.
fn hard_text() -> impl Strategy<Value = String> {
    let words = [
        "",
        "~",
        "null",
        "yes",
        "N",
        "On",
        "1",
        "0x1f",
        "1e3",
        ".5",
        "-",
        "12:30",
        "2001-01-01",
        "<<",
        "=",
        "- a",
        "a: b",
        "a #b",
        "# a",
        "'a'",
        "\"a\"",
        " a",
        "a ",
        "a:",
        "@a",
        "%a",
        "!a",
        "&a",
        "*a",
        "[a",
        "{a",
        "|",
        ">",
        "---",
        "...",
        "? a",
        ",",
        "1_0",
        "+1",
        "é支",
        "\u{7f}\u{85}\u{2028}\u{feff}",
        "a\tb",
        "\tb",
    ];
    let part = prop::sample::select(words.to_vec());
    let joint = prop::sample::select(vec!["", "\n", "\n\n", " ", "\r\n", "\t"]);
    prop::collection::vec((part, joint), 0..4).prop_map(|parts| parts.iter().flat_map(|(a, b)| [*a, *b]).collect())
}

fn hard_document() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        3 => hard_text().prop_map(Json::from),
        1 => any::<i64>().prop_map(Json::from),
        1 => prop::sample::select(vec![0.1, -2.0, 1e-7, 1.5e-5, 1e19, 1e21, 1.5e300, 123_456_789.125]).prop_map(Json::from),
        1 => Just(Json::Null),
        1 => any::<bool>().prop_map(Json::from),
    ];
    let inner = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(hard_text(), inner, 0..4).prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    });
    prop::collection::btree_map(hard_text(), inner, 0..4).prop_map(|m| Json::Object(m.into_iter().collect()))
}

/// Numbers that are whole come back as whole ones, as through JSON in Go.
fn whole(json: &Json) -> Json {
    match json {
        Json::Number(n) => match n.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
            Some(f) if f.fract() == 0.0 && f.abs() < 9e15 => Json::from(f as i64),
            Some(f) if n.as_i64().is_none() => Json::from(f),
            _ => json.clone(),
        },
        Json::Array(items) => items.iter().map(whole).collect(),
        Json::Object(map) => Json::Object(map.iter().map(|(k, v)| (k.clone(), whole(v))).collect()),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(document in hard_document()) {
        let text = yaml_text::write(&tree(&document));
        let read = yaml::read(&text, &Source::default().into()).map(|mut d| d.pop().unwrap_or_default().to_json());
        prop_assert_eq!(read.map(|d| whole(&d)), Ok(whole(&document)), "{}", text);

        let mut written = json_text::read(&document.to_string()).expect("JSON");
        let spelled: Json = serde_json::from_str(&written.write()).expect("JSON");
        prop_assert_eq!(&spelled, &document);
        written.root = written.root.created_by(&rule("r"));
        let anew: Json = serde_json::from_str(&written.write()).expect("JSON");
        prop_assert_eq!(whole(&anew), whole(&document));
    }
}

/// Whether an operation writes at a pointer, above it, or right below it.
fn touches(operation: &PatchOperation, pointer: &str) -> bool {
    let related = |path: &str| pointer.starts_with(path) || path.starts_with(pointer);
    related(&operation.path) || matches!(&operation.verb, Verb::Move(from) if related(from))
}

#[test]
fn a_change_shares_all_that_lies_beside_it() {
    let base = tree(&json!({"a": {"b": [1, 2], "c": {"d": 1}}, "e": [{"f": 1}, {"g": 2}]}));
    let mut changed = base.clone();
    let operation =
        PatchOperation { verb: Verb::Replace, path: "/e/0/f".into(), value: Some(Node::default()), rule: None };
    json::apply(&mut changed, &[operation], &rule("r")).unwrap();
    assert!(changed.get("a").unwrap().shares(base.get("a").unwrap()));
    assert!(changed.items_of("e")[1].shares(&base.items_of("e")[1]));
    assert!(!changed.items_of("e")[0].shares(&base.items_of("e")[0]));
}
