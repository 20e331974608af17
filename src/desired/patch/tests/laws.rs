//! Laws: a JSON patch does what the crate for it does, nothing costs nothing, and every leaf names who set it.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{rule, tree};
use crate::desired::{
    patch::{PatchOperation, Verb, json},
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

/// Moves into a part of what is moved, and tests of what is not there, are told apart by the libraries; Karmada uses neither.
fn comparable(operations: &[(Json, PatchOperation)], before: &Json) -> bool {
    let mut now = before.clone();
    operations.iter().all(|(written, operation)| {
        let fine = match &operation.verb {
            Verb::Move(from) => !operation.path.starts_with(from.as_str()),
            Verb::Test => now.pointer(&operation.path).is_some(),
            _ => true,
        };
        let patch: json_patch::Patch = serde_json::from_value(json!([written])).expect("a patch");
        let _ = json_patch::patch(&mut now, &patch);
        fine
    })
}

proptest! {
    #[test]
    fn a_patch_does_what_the_crate_does(
        before in document(),
        operations in prop::collection::vec(operation(), 1..5),
    ) {
        prop_assume!(comparable(&operations, &before));
        let (written, operations): (Vec<Json>, Vec<PatchOperation>) = operations.into_iter().unzip();
        let patch: json_patch::Patch = serde_json::from_value(written.into()).expect("a patch");
        let mut theirs = before.clone();
        let wanted = json_patch::patch(&mut theirs, &patch).is_ok();
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
        let lists_shift = operations.iter().any(|o| matches!(o.verb, Verb::Add | Verb::Remove | Verb::Move(_)));
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
