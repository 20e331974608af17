//! Kind `override`: what a resource looks like in one cluster.

use serde_json::{Value as Json, json};

use super::{Answer, Situation, cluster, error, missing, refused};
use crate::{
    desired::{origin::Source, patch::apply::Prepared, source::yaml, tree::Node},
    messages::Lang,
};

/// Runs it.
pub(super) fn run(situation: &Situation, lang: Lang) -> Result<Answer, String> {
    let node = &situation.node;
    let object = situation.resource(lang)?;
    let policies = match situation.policies(lang)? {
        Ok(policies) => policies,
        Err(notes) => return Ok(refused(situation, notes)),
    };
    let target = node.str_of("target");
    let clusters = cluster::all(node);
    let cluster = clusters.iter().find(|c| &*c.name == target).ok_or_else(|| missing("target", lang))?;
    let structured: Vec<&str> = node.items_of("structured").iter().filter_map(Node::as_str).collect();
    let expected = situation.expect();
    Ok(match Prepared::new(&policies.overrides, &object).apply(&object, cluster) {
        Ok(object) => {
            let shaped = |json: Json| json!({ "object": normal(json, &structured) });
            let expected = match expected.get("object") {
                Some(object) => shaped(object.clone()),
                None => expected,
            };
            Answer { actual: shaped(object.node.to_json()), expected, notes: Vec::new() }
        }
        Err(failure) => {
            let note = format!("{}: {}", failure.rule, failure.detail);
            Answer { actual: error(failure.kind.word()), expected, notes: vec![note] }
        }
    })
}

/// An absent and an empty map of labels or annotations are equal; structured texts are compared parsed.
fn normal(mut object: Json, structured: &[&str]) -> Json {
    if let Some(Json::Object(meta)) = object.get_mut("metadata") {
        for key in ["labels", "annotations"] {
            if meta.get(key).and_then(Json::as_object).is_some_and(serde_json::Map::is_empty) {
                meta.remove(key);
            }
        }
    }
    for pointer in structured {
        let Some(place) = object.pointer_mut(pointer) else { continue };
        let Some(content) = place.as_str() else { continue };
        if let Ok(mut documents) = yaml::read(content, &std::sync::Arc::new(Source::default())) {
            *place = documents.pop().map(|d| d.to_json()).unwrap_or_default();
        }
    }
    object
}
