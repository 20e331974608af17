//! Kind `image`: image overriders applied to one image reference.

use serde_json::json;

use super::{Answer, Situation, error, missing, refused};
use crate::{
    desired::{
        cluster::Cluster,
        object::Object,
        origin::Origin,
        patch::apply::Prepared,
        policy::{Policies, karmada},
        tree::{Node, Value},
    },
    messages::Lang,
};

/// Runs it.
pub(super) fn run(situation: &Situation, lang: Lang) -> Result<Answer, String> {
    let image = situation.node.get("image").and_then(Node::as_str).ok_or_else(|| missing("image", lang))?;
    let overriders = situation.node.get("overriders").ok_or_else(|| missing("overriders", lang))?;
    let made = |json: serde_json::Value| Object::new(Node::from_json(&json, &Origin::Unknown));
    let pod = made(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n"},
        "spec": {"containers": [{"name": "c", "image": image}]}}));
    let policy = made(json!({"apiVersion": karmada::API_VERSION, "kind": "OverridePolicy",
        "metadata": {"name": "o", "namespace": "n"},
        "spec": {"overrideRules": [{"overriders": {"imageOverrider": overriders.to_json()}}]}}));
    let (Some(pod), Some(policy)) = (pod, policy) else { return Err(missing("image", lang)) };
    let mut policies = Policies::default();
    if let Some(Err(faults)) = policies.read(&policy) {
        return Ok(refused(situation, faults.iter().map(|f| super::fault_line(f, lang)).collect()));
    }
    let actual = match Prepared::new(&policies.overrides, &pod).apply(&pod, &Cluster::default()) {
        Ok(pod) => {
            let containers = pod.node.at_keys(&["spec", "containers"]).and_then(Node::as_list).unwrap_or_default();
            let image = containers.first().and_then(|c| c.get("image")).map(|i| i.value.clone());
            json!({ "image": if let Some(Value::Text(image)) = image { Some(image.to_string()) } else { None } })
        }
        Err(failure) => error(failure.kind.word()),
    };
    Ok(Answer { actual, expected: situation.expect(), notes: Vec::new() })
}
