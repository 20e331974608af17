//! Writes what is on a screen as a situation file: a bug report, a policy's unit test and a test of ours are the same thing.

use std::sync::Arc;

use crate::desired::{
    capacity,
    cluster::Cluster,
    engine::{Desired, Owner, Placed},
    mask,
    object::{Object, ObjectKey},
    origin::Origin,
    place::{Decision, Resource, State, decide},
    policy::PolicyId,
    tree::{Map, Node, Value},
};

/// The placement of an object by a policy; `None` when no policy places it, or its policy's document is not among these.
pub fn of(desired: &Desired, placed: &Placed, documents: &[Arc<Object>]) -> Option<String> {
    let Owner::Policy(policy) = &placed.owner else { return None };
    let is = |key: &ObjectKey| {
        key.kind == policy.id.kind && key.namespace == policy.id.namespace && key.name == policy.id.name
    };
    let document = documents.iter().find(|d| is(&d.key))?;
    let mut clusters = desired.reached(placed);
    if let Some(room) = capacity::available(&placed.template, &clusters) {
        clusters.iter_mut().zip(room).for_each(|(cluster, room)| cluster.available = room);
    }
    let state = desired.state(placed);
    let decision = decide(&policy.placement, &Resource::of(&placed.template), &clusters, &state);
    let name = format!("{}-{}", placed.key.kind.to_lowercase(), placed.key.name);
    let about = format!("{} under {} {}", placed.key, policy.id.kind, policy.id.name);
    placement(&name, &about, &clusters, &placing(&document.node), &placed.template, &state, &decision).ok()
}

/// A policy's document without what it overrides: that decides no placement, and may hold values of Secrets.
fn placing(policy: &Node) -> Node {
    let mut node = policy.clone();
    if let Some(root) = node.as_map_mut() {
        root.remove("overrides");
    }
    node
}

/// A placement: the pass that gave `decision`, with its input and its outcome as what must come out.
///
/// # Errors
///
/// When a value cannot be written as YAML.
pub fn placement(
    name: &str,
    about: &str,
    clusters: &[Cluster],
    policy: &Node,
    resource: &Object,
    state: &State,
    decision: &Decision,
) -> Result<String, serde_saphyr::ser::Error> {
    let mut entries = vec![
        ("name", text(name)),
        ("about", text(about)),
        ("kind", text("placement")),
        ("clusters", list(clusters.iter().map(cluster))),
        ("policy", policy.clone()),
        // Values of Secrets decide nothing, and the file is given away.
        ("resource", mask::masked(resource)),
    ];
    if !state.previous.is_empty() {
        entries.push(("previous", map(state.previous.iter().map(|(name, n)| (&**name, number(*n))))));
    }
    if let Some(group) = &state.observed {
        entries.push(("observedAffinity", text(group)));
    }
    if state.reschedule {
        entries.push(("reschedule", plain(Value::Bool(true))));
    }
    if !state.evicting.is_empty() {
        entries.push(("evicting", list(state.evicting.iter().map(|n| text(n)))));
    }
    if state.unchanged {
        entries.push(("placementUnchanged", plain(Value::Bool(true))));
    }
    let named = |at: &u32| usize::try_from(*at).ok().and_then(|at| clusters.get(at)).map(|c| &*c.name);
    entries.push(match &decision.outcome {
        Ok(shares) => ("expect", map(shares.iter().filter_map(|(at, n)| Some((named(at)?, number(*n)))))),
        Err(failure) => ("expect", map([("error", text(failure.word()))])),
    });
    if let Some(group) = &decision.group {
        entries.push(("expectAffinity", text(group)));
    }
    serde_saphyr::to_string(&map(entries))
}

/// What the overrides make of an object in a cluster, by number; `None` where it does not go, or where they fail. Values of
/// Secrets are masked.
pub fn overrides(desired: &Desired, placed: &Placed, number: u32, documents: &[Arc<Object>]) -> Option<String> {
    let before = placed.before_overrides(number)?;
    let facts = desired.inputs.clusters.get(usize::try_from(number).ok()?)?;
    let could = |document: &&Arc<Object>| {
        let key = &document.key;
        let is = |id: &PolicyId| id.kind == key.kind && id.namespace == key.namespace && id.name == key.name;
        placed.policies().iter().any(|p| is(&p.id))
    };
    let name = format!("{}-{}-in-{}", placed.key.kind.to_lowercase(), placed.key.name, facts.name);
    let entries = [
        ("name", text(&name)),
        ("about", text(&format!("{} in {}", placed.key, facts.name))),
        ("kind", text("override")),
        ("clusters", list([cluster(facts)])),
        ("target", text(&facts.name)),
        ("policies", list(documents.iter().filter(could).map(|d| d.node.clone()))),
        ("resource", mask::masked(&before)),
        ("expect", map([("object", mask::masked(placed.object(number)?))])),
    ];
    serde_saphyr::to_string(&map(entries)).ok()
}

fn cluster(cluster: &Cluster) -> Node {
    let mut entries = vec![("name", text(&cluster.name))];
    if !cluster.labels.is_empty() {
        entries.push(("labels", map(cluster.labels.iter().map(|(k, v)| (k.as_str(), text(v))))));
    }
    let words = [
        ("environment", &cluster.environment),
        ("region", &cluster.region),
        ("provider", &cluster.provider),
        ("tier", &cluster.tier),
        ("team", &cluster.team),
    ];
    entries.extend(words.into_iter().filter(|(_, v)| !v.is_empty()).map(|(key, v)| (key, text(v))));
    let lists = [("zones", Some(&cluster.zones)), ("groups", Some(&cluster.groups)), ("apis", cluster.apis.as_ref())];
    for (key, values) in lists {
        // No served kinds at all is not the same as nothing being known of them.
        if let Some(values) = values.filter(|v| !v.is_empty() || key == "apis") {
            entries.push((key, list(values.iter().map(|v| text(v)))));
        }
    }
    if !cluster.taints.is_empty() {
        let one = |t: &crate::model::Taint| {
            map([("key", text(&t.key)), ("value", text(&t.value)), ("effect", text(&t.effect))])
        };
        entries.push(("taints", list(cluster.taints.iter().map(one))));
    }
    if let Some(available) = cluster.available {
        entries.push(("availableReplicas", number(available)));
    }
    if cluster.deleting {
        entries.push(("deleting", plain(Value::Bool(true))));
    }
    map(entries)
}

fn plain(value: Value) -> Node {
    Node::new(value, Origin::Unknown)
}

fn text(value: &str) -> Node {
    Node::text(value, Origin::Unknown)
}

fn number(value: i64) -> Node {
    plain(Value::Int(value))
}

fn list(items: impl IntoIterator<Item = Node>) -> Node {
    plain(Value::List(Arc::new(items.into_iter().collect())))
}

fn map<'a>(entries: impl IntoIterator<Item = (&'a str, Node)>) -> Node {
    let entries = entries.into_iter().map(|(k, n)| (k.into(), n)).collect();
    plain(Value::Map(Arc::new(Map::from_unique(entries))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::place::Placement;

    #[test]
    fn a_saved_situation_holds_no_value_of_a_secret() {
        let node = |json: serde_json::Value| Node::from_json(&json, &Origin::Unknown);
        let secret =
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "hunter2"}});
        let policy = json!({"kind": "Policy", "placement": {"clusters": {}}, "overrides": [{"merge": {"stringData": {"a": "hunter3"}}}]});
        let (secret, policy) = (Object::new(node(secret)).unwrap(), placing(&node(policy)));
        let decision = decide(&Placement::default(), &Resource::of(&secret), &[], &State::default());
        let file = placement("s", "s", &[], &policy, &secret, &State::default(), &decision).unwrap();
        assert!(!file.contains("hunter") && file.contains(mask::MASK) && file.contains("placement:"), "{file}");
    }
}
