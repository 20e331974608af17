//! Autoscalers among the objects beside the compared one (A5).

use serde_json::Value as Json;

use super::{form::Form, word};

/// What scales an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaled {
    /// Whether it may go to nothing.
    pub to_zero: bool,
}

/// The autoscaler that targets an object; several count as one.
pub fn of(live: &Json, form: &Form, siblings: &[Json]) -> Option<Scaled> {
    let place = |object: &Json, key: &str| object.get("metadata").map(|m| word(m, key).to_owned()).unwrap_or_default();
    let targets = |sibling: &&Json| {
        let target = sibling.pointer("/spec/scaleTargetRef");
        place(sibling, "namespace") == place(live, "namespace")
            && target.is_some_and(|t| {
                let kind = Some(word(t, "kind")).filter(|k| !k.is_empty()).unwrap_or("Deployment");
                kind == form.kind && word(t, "name") == place(live, "name")
            })
    };
    let found: Vec<&Json> = siblings.iter().filter(targets).collect();
    let to_zero = |sibling: &&&Json| {
        let number = |key: &str| sibling.get("spec").and_then(|s| s.get(key)).and_then(Json::as_i64);
        match word(sibling, "kind") {
            // Without a minimum it goes to nothing.
            "ScaledObject" => number("idleReplicaCount") == Some(0) || number("minReplicaCount").unwrap_or(0) == 0,
            _ => number("minReplicas") == Some(0),
        }
    };
    (!found.is_empty()).then(|| Scaled { to_zero: found.iter().any(|s| to_zero(&s)) })
}
