//! The clusters of a situation file.

use crate::{
    desired::{cluster::Cluster, tree::Node},
    model::Taint,
};

/// Reads `clusters`.
pub(super) fn all(node: &Node) -> Vec<Cluster> {
    node.items_of("clusters").iter().map(one).collect()
}

fn one(node: &Node) -> Cluster {
    let word = |key: &str| node.str_of(key).to_owned();
    let zones = texts(node, "zones").unwrap_or_default();
    // The single zone of older records counts where there is no list.
    let single = node.get("zone").and_then(Node::as_str).filter(|_| zones.is_empty());
    Cluster {
        name: node.str_of("name").into(),
        labels: node
            .get("labels")
            .and_then(Node::as_map)
            .into_iter()
            .flat_map(|map| map.iter())
            .filter_map(|(k, v)| Some((k.to_string(), v.as_str()?.to_owned())))
            .collect(),
        environment: word("environment"),
        region: word("region"),
        zones: zones.into_iter().chain(single.map(str::to_owned)).collect(),
        provider: word("provider"),
        tier: word("tier"),
        team: word("team"),
        groups: texts(node, "groups").unwrap_or_default(),
        taints: node.items_of("taints").iter().map(taint).collect(),
        available: node.get("availableReplicas").and_then(Node::as_int),
        free: None,
        deleting: node.get("deleting").and_then(Node::as_bool).unwrap_or(false),
        apis: texts(node, "apis"),
    }
}

fn taint(node: &Node) -> Taint {
    let word = |key: &str| node.str_of(key).to_owned();
    Taint { key: word("key"), value: word("value"), effect: word("effect") }
}

fn texts(node: &Node, key: &str) -> Option<Vec<String>> {
    let items = node.get(key)?.as_list()?;
    Some(items.iter().filter_map(Node::as_str).map(str::to_owned).collect())
}
