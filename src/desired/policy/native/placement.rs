//! The placement of a native policy.

use std::{collections::BTreeSet, sync::Arc};

use super::Reading;
use crate::{
    desired::{
        place::{Group, Limit, Placement, Spread, SpreadBy, Strategy, Toleration, Weight},
        selector::{Affinity, Field},
        tree::Node,
    },
    fault::Fault,
    messages::policy as text,
    shape::Written,
};

/// "As many as there are": larger than any fleet, small enough to add up.
const NO_LIMIT: i64 = i32::MAX as i64;

/// Reads a placement whose shape was checked.
pub(super) fn read(reading: &mut Reading<'_>, node: &Node) -> Placement {
    let (groups, named_groups) = groups(reading, node);
    let tolerations = node.items_of("tolerations").iter().map(toleration).collect();
    let spread = spread(reading, node);
    let replicas = node.get("replicas");
    Placement {
        groups,
        named_groups,
        tolerations,
        spread,
        strategy: replicas.map(|r| strategy(reading, r)).unwrap_or_default(),
        limits: replicas.map(|r| limits(reading, r)).unwrap_or_default(),
    }
}

/// The groups, and whether they have names. Everywhere must be said: a forgotten key is no reason to go to production.
fn groups(reading: &mut Reading<'_>, node: &Node) -> (Vec<Group>, bool) {
    let fallback = node.items_of("fallback");
    match (node.get("clusters"), fallback.is_empty()) {
        (Some(_), false) => reading.fault(node, "placement", text::CLUSTERS_OR_FALLBACK),
        (None, true) => {
            let fault = Fault::new(reading.file, node.line(), "placement", text::NO_CLUSTERS_CHOSEN);
            reading.faults.push(fault.with("braces", "{}"));
        }
        (Some(clusters), true) => {
            let affinity = reading.clusters(clusters, "placement.clusters");
            return (vec![Group { affinity, ..Group::default() }], false);
        }
        (None, false) => {}
    }
    let mut names = BTreeSet::new();
    let mut groups = Vec::new();
    for (i, item) in fallback.iter().enumerate() {
        let field = format!("placement.fallback[{i}]");
        let name: Arc<str> = item.get("name").map(Written::word).unwrap_or_default().into();
        if let Some(written) = item.get("name").filter(|_| !names.insert(name.clone())) {
            reading.fault_value(written, &format!("{field}.name"), text::NAME_TWICE);
        }
        let affinity = item.get("clusters").map(|c| reading.clusters(c, &format!("{field}.clusters")));
        groups.push(Group { name, affinity: affinity.unwrap_or_default(), overflow: Vec::new() });
    }
    (groups, true)
}

fn toleration(node: &Node) -> Toleration {
    let word = |key: &str| node.get(key).map(Written::word).unwrap_or_default();
    let exists = node.get("value").is_none();
    Toleration { key: word("key"), exists, value: word("value"), effect: word("effect"), timed: false }
}

/// Regions are counted beside clusters: where only regions are limited, any number of clusters will do.
fn spread(reading: &mut Reading<'_>, node: &Node) -> Vec<Spread> {
    let mut spread: Vec<Spread> = Vec::new();
    for (i, item) in node.items_of("spread").iter().enumerate() {
        let number = |key: &str| item.get(key).and_then(Node::as_int);
        let by = match item.str_of("by") {
            "region" => SpreadBy::Region,
            "zone" => SpreadBy::Zone,
            "provider" => SpreadBy::Provider,
            _ => SpreadBy::Cluster,
        };
        let field = format!("placement.spread[{i}]");
        let (min, max) = (number("min").unwrap_or(1), number("max").unwrap_or(NO_LIMIT));
        if min > max {
            reading.fault(item, &field, text::MIN_OVER_MAX);
        }
        match item.get("by").filter(|_| spread.iter().any(|s| s.by == by)) {
            Some(again) => reading.fault_value(again, &format!("{field}.by"), text::NAME_TWICE),
            None => spread.push(Spread { by, min, max }),
        }
    }
    // One property is counted beside clusters: the first that is named, where no region is. Another one only leaves out the clusters
    // that have none, which a lint tells.
    if spread.iter().all(|s| s.by != SpreadBy::Region) {
        let countable = |s: &&mut Spread| matches!(s.by, SpreadBy::Zone | SpreadBy::Provider);
        if let Some(first) = spread.iter_mut().find(countable) {
            first.by = SpreadBy::Counted(if first.by == SpreadBy::Zone { Field::Zone } else { Field::Provider });
        }
    }
    if !spread.is_empty() && spread.iter().all(|s| s.by != SpreadBy::Cluster) {
        spread.push(Spread { by: SpreadBy::Cluster, min: 1, max: NO_LIMIT });
    }
    spread
}

/// Weights that are left out are equal ones; then limits of the spread count, as nothing contradicts them.
fn strategy(reading: &mut Reading<'_>, node: &Node) -> Strategy {
    let mode = node.str_of("mode");
    let items = node.items_of("weights");
    if let Some(weights) = node.get("weights").filter(|_| mode != "weighted") {
        reading.fault(weights, "placement.replicas.weights", text::WEIGHTS_NEED_MODE);
    }
    let mut weights = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let field = format!("placement.replicas.weights[{i}].clusters");
        let affinity = item.get("clusters").map(|c| reading.clusters(c, &field)).unwrap_or_default();
        weights.push(Weight { affinity, weight: item.get("weight").and_then(Node::as_int).unwrap_or(1) });
    }
    match mode {
        "weighted" => Strategy::Static { weights, given: true },
        "capacity" => Strategy::Dynamic,
        "packed" => Strategy::Aggregated,
        _ => Strategy::Duplicated,
    }
}

fn limits(reading: &mut Reading<'_>, node: &Node) -> Vec<Limit> {
    let mut limits = Vec::new();
    for (i, item) in node.items_of("limits").iter().enumerate() {
        let field = format!("placement.replicas.limits[{i}]");
        let affinity = item.get("clusters").map(|c| reading.clusters(c, &format!("{field}.clusters")));
        let min = item.get("min").and_then(Node::as_int).unwrap_or(0);
        let max = item.get("max").and_then(Node::as_int);
        if max.is_some_and(|max| min > max) {
            reading.fault(item, &field, text::MIN_OVER_MAX);
        }
        limits.push(Limit { affinity: affinity.unwrap_or_else(Affinity::default), min, max });
    }
    limits
}
