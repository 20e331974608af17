//! `spec.placement` of a policy of Karmada: defaults, rules of admission, translation.

use std::collections::BTreeSet;

use super::{affinity, shape::Faults};
use crate::{
    desired::{
        place::{Group, Placement, Spread, SpreadBy, Strategy, Toleration, Weight},
        selector::{Affinity, is_label_key},
        tree::Node,
    },
    messages::policy as text,
};

const PATH: &str = "spec.placement";

/// Reads a placement whose form was checked; an absent one puts everything everywhere.
pub fn read(node: Option<&Node>, faults: &mut Faults) -> Placement {
    let Some(node) = node else { return Placement { groups: vec![Group::default()], ..Placement::default() } };
    let strategy = strategy(node);
    let groups = groups(node, &strategy, faults);
    check_workload_affinity(node, faults);
    Placement {
        named_groups: !node.items_of("clusterAffinities").is_empty(),
        groups,
        tolerations: tolerations(node, faults),
        spread: spread(node, faults),
        strategy,
        limits: Vec::new(),
    }
}

/// An affinity at a place, its field selector held to the rules.
fn affinity(node: &Node, path: &str, faults: &mut Faults) -> Affinity {
    let (affinity, wrong) = affinity::read(node);
    for word in wrong {
        let fault = faults.at(node.get("fieldSelector"), format!("{path}.fieldSelector"), text::FIELD_SELECTOR);
        faults.push(fault.with("word", word));
    }
    affinity
}

fn groups(node: &Node, strategy: &Strategy, faults: &mut Faults) -> Vec<Group> {
    let (one, many) = (node.get("clusterAffinity"), node.get("clusterAffinities"));
    if one.is_some() && many.is_some() {
        let fault = faults.at(many, format!("{PATH}.clusterAffinities"), text::BOTH_AFFINITIES);
        faults.push(fault);
    }
    let single = one.map(|n| affinity(n, &format!("{PATH}.clusterAffinity"), faults)).unwrap_or_default();
    let mut groups = Vec::new();
    let mut names = BTreeSet::new();
    for (at, item) in node.items_of("clusterAffinities").iter().enumerate() {
        let path = format!("{PATH}.clusterAffinities[{at}]");
        let name = group_name(item, &path, &mut names, faults);
        let own = affinity(item, &path, faults);
        let overflow = overflow(item, &path, &own, strategy, faults);
        groups.push(Group { name: name.into(), affinity: own, overflow });
    }
    if groups.is_empty() {
        groups.push(Group { affinity: single, ..Group::default() });
    }
    groups
}

/// The name of a group, which must be a label key and stand only once.
fn group_name<'a>(item: &'a Node, path: &str, names: &mut BTreeSet<&'a str>, faults: &mut Faults) -> &'a str {
    let name = item.str_of("affinityName");
    let field = format!("{path}.affinityName");
    if !is_label_key(name) {
        let fault = faults.at(item.get("affinityName"), field.clone(), text::NOT_A_LABEL_KEY).with("name", name);
        faults.push(fault);
    }
    if !names.insert(name) {
        let fault = faults.at(item.get("affinityName"), field, text::GROUP_NAME_TWICE).with("name", name);
        faults.push(fault);
    }
    name
}

fn overflow(
    item: &Node,
    path: &str,
    own: &Affinity,
    strategy: &Strategy,
    faults: &mut Faults,
) -> Vec<(std::sync::Arc<str>, Affinity)> {
    let Some(list) = item.get("overflowAffinities") else { return Vec::new() };
    let field = format!("{path}.overflowAffinities");
    if !matches!(strategy, Strategy::Dynamic | Strategy::Aggregated) {
        let fault = faults.at(Some(list), field.clone(), text::OVERFLOW_NEEDS_ROOM);
        faults.push(fault);
    }
    let empty = own.is_empty() && item.get("fieldSelector").is_none();
    if empty {
        let fault = faults.at(Some(list), field.clone(), text::OVERFLOW_NEEDS_AFFINITY);
        faults.push(fault);
    }
    let mut names = BTreeSet::from([item.str_of("affinityName")]);
    let mut read = Vec::new();
    for (at, tier) in list.as_list().into_iter().flatten().enumerate() {
        let path = format!("{field}[{at}]");
        let name = group_name(tier, &path, &mut names, faults);
        read.push((name.into(), affinity(tier, &path, faults)));
    }
    read
}

fn strategy(node: &Node) -> Strategy {
    let Some(scheduling) = node.get("replicaScheduling") else { return Strategy::Absent };
    let preference = scheduling.get("weightPreference");
    let mut weights = Vec::new();
    for item in preference.map(|p| p.items_of("staticWeightList")).unwrap_or_default() {
        // The rules of admission do not look into these: a broken field selector just fits nobody.
        let affinity = item.get("targetCluster").map(|target| affinity::read(target).0).unwrap_or_default();
        weights.push(Weight { affinity, weight: item.get("weight").and_then(Node::as_int).unwrap_or(0) });
    }
    match (scheduling.str_of("replicaSchedulingType"), scheduling.str_of("replicaDivisionPreference")) {
        ("Duplicated", _) => Strategy::Duplicated,
        (_, "Aggregated") => Strategy::Aggregated,
        _ if preference.is_some_and(|p| !p.str_of("dynamicWeight").is_empty()) => Strategy::Dynamic,
        _ => Strategy::Static { weights, given: preference.is_some() },
    }
}

fn tolerations(node: &Node, faults: &mut Faults) -> Vec<Toleration> {
    let mut tolerations = Vec::new();
    for (at, item) in node.items_of("clusterTolerations").iter().enumerate() {
        let operator = item.str_of("operator");
        match operator {
            "" | "Equal" | "Exists" => tolerations.push(Toleration {
                key: item.str_of("key").to_owned(),
                exists: operator == "Exists",
                value: item.str_of("value").to_owned(),
                effect: item.str_of("effect").to_owned(),
                timed: item.get("tolerationSeconds").is_some(),
            }),
            "Lt" | "Gt" => {
                let field = format!("{PATH}.clusterTolerations[{at}].operator");
                let fault = faults.at(item.get("operator"), field, text::TOLERATION_OPERATOR).with("word", operator);
                faults.push(fault);
            }
            // Any other word is let in, and bears nothing.
            _ => {}
        }
    }
    tolerations
}

fn spread(node: &Node, faults: &mut Faults) -> Vec<Spread> {
    let mut spread: Vec<Spread> = Vec::new();
    let items = node.items_of("spreadConstraints");
    for (at, item) in items.iter().enumerate() {
        let path = format!("{PATH}.spreadConstraints[{at}]");
        let constraint = constraint(item);
        let number = |key: &str| item.get(key).and_then(Node::as_int).unwrap_or(0);
        let twice = spread.iter().any(|s| s.by == constraint.by) && !matches!(constraint.by, SpreadBy::Label(_));
        for (wrong, msg) in [
            (!item.str_of("spreadByField").is_empty() && !item.str_of("spreadByLabel").is_empty(), text::SPREAD_BOTH),
            (number("minGroups") < 0 || number("maxGroups") < 0, text::SPREAD_NEGATIVE),
            (constraint.max > 0 && constraint.max < constraint.min, text::SPREAD_MAX_BELOW_MIN),
            (twice, text::SPREAD_TWICE),
        ] {
            if wrong {
                let fault = faults.at(Some(item), path.clone(), msg);
                faults.push(fault);
            }
        }
        spread.push(constraint);
    }
    let by_field = spread.iter().any(|s| !matches!(s.by, SpreadBy::Label(_)));
    if by_field && !spread.iter().any(|s| s.by == SpreadBy::Cluster) {
        let fault = faults.at(items.first(), format!("{PATH}.spreadConstraints"), text::SPREAD_NEEDS_CLUSTER);
        faults.push(fault);
    }
    spread
}

fn constraint(item: &Node) -> Spread {
    let by = match (item.str_of("spreadByField"), item.str_of("spreadByLabel")) {
        ("region", _) => SpreadBy::Region,
        ("zone", _) => SpreadBy::Zone,
        ("provider", _) => SpreadBy::Provider,
        ("", label) if !label.is_empty() => SpreadBy::Label(label.to_owned()),
        _ => SpreadBy::Cluster,
    };
    let number = |key: &str| item.get(key).and_then(Node::as_int).unwrap_or(0);
    let min = number("minGroups");
    Spread { by, min: if min == 0 { 1 } else { min }, max: number("maxGroups") }
}

/// Affinity between workloads stands behind a feature gate that is off; its rules of admission hold all the same.
fn check_workload_affinity(node: &Node, faults: &mut Faults) {
    let Some(workload) = node.get("workloadAffinity") else { return };
    let path = format!("{PATH}.workloadAffinity");
    let key = |part: &str| workload.get(part).map(|p| p.str_of("groupByLabelKey"));
    for part in ["affinity", "antiAffinity"] {
        if let Some(name) = key(part).filter(|name| !is_label_key(name)) {
            let field = format!("{path}.{part}.groupByLabelKey");
            let fault = faults.at(workload.get(part), field, text::NOT_A_LABEL_KEY).with("name", name);
            faults.push(fault);
        }
    }
    if let (Some(a), Some(b)) = (key("affinity"), key("antiAffinity"))
        && a == b
    {
        let fault = faults.at(Some(workload), path, text::WORKLOAD_AFFINITY_SAME_KEY).with("name", a);
        faults.push(fault);
    }
}
