//! Choices of clusters that fit nobody, clusters that the fleet does not have, taints that refuse everything.

use super::{Code, Finding, few, title, view::View};
use crate::{
    desired::{origin::At, place, policy::PlacementPolicy, selector::Affinity},
    messages::policy as text,
    shape::nearest,
};

pub(super) fn look(view: &View<'_>, found: &mut Vec<Finding>) {
    for (at, policy) in view.placements() {
        groups(view, policy, found);
        taints(view, at, policy, found);
        tolerations(policy, found);
    }
    for policy in &view.scene.policies.overrides {
        for rule in &policy.rules {
            let (Some(target), Some(step)) = (&rule.target, rule.steps.first()) else { continue };
            names(view, target, &step.rule.to_string(), &step.rule.at, found);
        }
    }
}

fn groups(view: &View<'_>, policy: &PlacementPolicy, found: &mut Vec<Finding>) {
    let subject = title(&policy.id);
    for group in &policy.placement.groups {
        let tiers = std::iter::once((&group.name, &group.affinity)).chain(group.overflow.iter().map(|(n, a)| (n, a)));
        for (name, affinity) in tiers {
            names(view, affinity, &subject, &policy.at, found);
            if view.scene.clusters.iter().any(|c| affinity.matches(c)) {
                continue;
            }
            let msg = match (affinity.broken, name.is_empty()) {
                (true, _) => text::AFFINITY_BROKEN,
                (false, true) => text::AFFINITY_NOTHING,
                (false, false) => text::GROUP_NOTHING,
            };
            let finding = Finding::new(Code::ClustersMatchNothing, Some(policy.at.clone()), &subject, msg);
            found.push(finding.with("policy", &subject).with("group", name));
        }
    }
}

/// Exact names that no cluster has.
fn names(view: &View<'_>, affinity: &Affinity, subject: &str, at: &At, found: &mut Vec<Finding>) {
    let known = || view.scene.clusters.iter().map(|c| &*c.name);
    for name in affinity.names.iter().chain(&affinity.exclude) {
        if (!affinity.exact && name.contains(['*', '?'])) || known().any(|k| *k == **name) {
            continue;
        }
        let near = nearest(name, known());
        let msg = if near.is_some() { text::UNKNOWN_CLUSTER_NEAR } else { text::UNKNOWN_CLUSTER };
        let finding = Finding::new(Code::UnknownCluster, Some(at.clone()), subject, msg);
        found.push(finding.with("policy", subject).with("name", name).with("near", near.unwrap_or_default()));
    }
}

fn taints(view: &View<'_>, at: usize, policy: &PlacementPolicy, found: &mut Vec<Finding>) {
    let clusters = view.clusters_of(at);
    let mut taints: Vec<String> = Vec::new();
    for cluster in &clusters {
        let Some(taint) = place::unborne(&policy.placement, cluster).next() else { return };
        let word = if taint.value.is_empty() { taint.key.clone() } else { format!("{}={}", taint.key, taint.value) };
        let word = format!("{word}:{}", taint.effect);
        if !taints.contains(&word) {
            taints.push(word);
        }
    }
    if !clusters.is_empty() {
        let subject = title(&policy.id);
        let finding = Finding::new(Code::TaintsRefuseAll, Some(policy.at.clone()), &subject, text::TAINTS_REFUSE);
        found.push(finding.with("policy", &subject).with("taints", few(&taints)));
    }
}

/// Only two effects keep anything away; bearing the third is no act. Seconds count for evictions alone.
fn tolerations(policy: &PlacementPolicy, found: &mut Vec<Finding>) {
    let subject = title(&policy.id);
    for toleration in &policy.placement.tolerations {
        let msg = match (toleration.effect.as_str(), toleration.timed) {
            ("PreferNoSchedule", _) => text::TOLERATION_IDLE,
            (_, true) => text::TOLERATION_SECONDS,
            _ => continue,
        };
        let finding = Finding::new(Code::TolerationWithoutEffect, Some(policy.at.clone()), &subject, msg);
        let key = if toleration.key.is_empty() { "*" } else { &toleration.key };
        found.push(finding.with("policy", &subject).with("key", key));
    }
}
