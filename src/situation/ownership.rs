//! Kind `policy-match`: which placement policy owns a resource.

use serde_json::{Value as Json, json};

use super::{Answer, Situation, refused};
use crate::{
    desired::{
        policy::{PolicyId, select},
        tree::Node,
    },
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
    let claimed = node.get("claimedBy").map(|by| PolicyId {
        kind: by.str_of("kind").into(),
        namespace: by.str_of("namespace").into(),
        name: by.str_of("name").into(),
    });
    let gate = node.get("preemptionGate").and_then(Node::as_bool).unwrap_or(false);
    let owner = select::owner(&policies.placements, &object, claimed.as_ref(), gate);
    let owner = owner.and_then(|at| policies.placements.get(at)).map(|policy| named(&policy.id));
    Ok(Answer { actual: json!({ "policy": owner }), expected: situation.expect(), notes: Vec::new() })
}

/// A policy as situation files name it.
fn named(id: &PolicyId) -> Json {
    let mut json = json!({ "kind": &*id.kind, "name": &*id.name });
    if !id.namespace.is_empty() {
        json["namespace"] = (&*id.namespace).into();
    }
    json
}
