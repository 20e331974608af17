//! Tests of overrides: situations, laws, and what our own policies add.

mod cases;
mod laws;
mod native;

use std::sync::Arc;

use serde_json::Value as Json;

use crate::desired::{
    object::Object,
    origin::{At, Origin, Rule, Source, SourceKind},
    tree::Node,
};

/// A rule of a made-up policy.
fn rule(name: &str) -> Arc<Rule> {
    let at = At { source: Source::new(SourceKind::Policy, "p.yaml"), line: 7 };
    Arc::new(Rule { kind: "Policy".into(), namespace: "".into(), name: name.into(), part: String::new(), at })
}

/// A tree, all of it from line 1 of `base.yaml`.
fn tree(json: &Json) -> Node {
    Node::from_json(json, &Origin::At(Source::new(SourceKind::Manifest, "base.yaml"), 1))
}

fn object(json: &Json) -> Object {
    Object::new(tree(json)).expect("an object")
}
