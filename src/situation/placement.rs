//! Kind `placement`: one pass for a resource under a policy.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{Answer, Situation, cluster, error, missing, refused};
use crate::{
    desired::{
        place::{Resource, State, decide},
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
    let policy = policies.placements.first().ok_or_else(|| missing("policy", lang))?;
    let clusters = cluster::all(node);
    let decision = decide(&policy.placement, &Resource::of(&object), &clusters, &state(node));
    let outcome = match &decision.outcome {
        Ok(shares) => Json::Object(
            shares
                .iter()
                .filter_map(|(at, n)| Some((clusters.get(usize::try_from(*at).ok()?)?.name.to_string(), (*n).into())))
                .collect::<Map<_, _>>(),
        ),
        Err(failure) => error(failure.word()),
    };
    let with_group = |outcome: Json, group: Json| json!({ "placement": outcome, "affinity": group });
    let (mut actual, mut expected) = (outcome, situation.expect());
    if let Some(group) = node.get("expectAffinity") {
        actual = with_group(actual, decision.group.as_deref().into());
        expected = with_group(expected, group.to_json());
    }
    Ok(Answer { actual, expected, notes: Vec::new() })
}

fn state(node: &Node) -> State {
    let flag = |key: &str| node.get(key).and_then(Node::as_bool).unwrap_or(false);
    let previous = node.get("previous").and_then(Node::as_map).into_iter().flat_map(|map| map.iter());
    let mut previous: Vec<(Arc<str>, i64)> =
        previous.map(|(name, n)| (name.clone(), n.as_int().unwrap_or(0))).collect();
    previous.sort();
    State {
        previous,
        observed: node.get("observedAffinity").and_then(Node::as_str).map(Into::into),
        reschedule: flag("reschedule"),
        evicting: node.items_of("evicting").iter().filter_map(Node::as_str).map(Into::into).collect(),
        unchanged: flag("placementUnchanged"),
    }
}
