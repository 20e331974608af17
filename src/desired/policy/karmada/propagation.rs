//! PropagationPolicy and ClusterPropagationPolicy: defaults filled in, rules of admission applied, translated into our words
//! (specs: Karmada, defaults and validation).

use std::sync::Arc;

use super::{
    placement,
    propagation_shape::SPEC,
    shape::{Faults, Form, must},
};
use crate::{
    desired::{
        object::Object,
        origin::At,
        policy::{PlacementPolicy, Policies, PolicyId, ResourceSelector, System},
        selector::{LabelSelector, is_label_key},
        tree::Node,
    },
    fault::Fault,
    messages::policy as text,
};

/// Reads one policy.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn read(object: &Object, at: At, into: &mut Policies) -> Result<(), Vec<Fault>> {
    let mut faults = Faults::new(at.clone());
    faults.check(&object.node, "", &[must("spec", Form::Map(SPEC))]);
    let Some(spec) = object.node.get("spec").filter(|_| faults.is_empty()) else { return faults.done() };
    let namespaced = &*object.key.kind == "PropagationPolicy";
    let namespace = if namespaced { object.key.namespace.clone() } else { "".into() };
    let selectors = selectors(spec, &namespace, &mut faults);
    let propagate_deps = spec.get("propagateDeps").and_then(Node::as_bool).unwrap_or(false)
        || selectors.iter().any(|s| s.kind == "ServiceImport" && s.api_version == "multicluster.x-k8s.io/v1alpha1");
    check_failover(spec, propagate_deps, &mut faults);
    let policy = PlacementPolicy {
        id: PolicyId { kind: object.key.kind.clone(), namespace, name: object.key.name.clone() },
        placement_at: placement_at(spec).unwrap_or_else(|| at.clone()),
        at,
        system: System::Karmada,
        priority: spec.get("priority").and_then(Node::as_int).unwrap_or(0),
        preempts: preempts(spec, &mut faults),
        deleting: object.node.at_keys(&["metadata", "deletionTimestamp"]).is_some(),
        dependent_overrides: texts(spec.items_of("dependentOverrides")).map(str::to_owned).collect(),
        propagate_deps,
        suspended: suspended(spec, &mut faults),
        placement: Arc::new(placement::read(spec.get("placement"), &mut faults)),
        selectors,
    };
    faults.done()?;
    into.placements.push(Arc::new(policy));
    Ok(())
}

/// The line of the replica scheduling, or of the placement around it.
fn placement_at(spec: &Node) -> Option<At> {
    let placement = spec.get("placement")?;
    placement.get("replicaScheduling").unwrap_or(placement).origin.at()
}

fn texts(items: &[Node]) -> impl Iterator<Item = &str> {
    items.iter().filter_map(Node::as_str)
}

/// Selectors; those of a policy with a namespace are bound to it.
fn selectors(spec: &Node, namespace: &str, faults: &mut Faults) -> Vec<ResourceSelector> {
    let mut selectors = Vec::new();
    for (at, item) in spec.items_of("resourceSelectors").iter().enumerate() {
        let mut own = item.str_of("namespace").to_owned();
        if own.is_empty() {
            namespace.clone_into(&mut own);
        } else if !namespace.is_empty() && own != namespace {
            let field = format!("spec.resourceSelectors[{at}].namespace");
            let fault = faults.at(item.get("namespace"), field, text::OTHER_NAMESPACE);
            faults.push(fault.with("wanted", namespace).with("is", &own));
        }
        selectors.push(ResourceSelector {
            api_version: item.str_of("apiVersion").to_owned(),
            kind: item.str_of("kind").to_owned(),
            namespace: own,
            name: item.str_of("name").to_owned(),
            labels: item.get("labelSelector").map(LabelSelector::read),
        });
    }
    selectors
}

/// Whether the policy may take over; it must then name each object.
fn preempts(spec: &Node, faults: &mut Faults) -> bool {
    let preempts = spec.str_of("preemption") == "Always";
    for (at, item) in spec.items_of("resourceSelectors").iter().enumerate() {
        if preempts && item.str_of("name").is_empty() {
            let field = format!("spec.resourceSelectors[{at}].name");
            let fault = faults.at(Some(item), field, text::PREEMPTION_NEEDS_NAMES);
            faults.push(fault);
        }
    }
    preempts
}

/// Clusters to which nothing is handed over for now.
fn suspended(spec: &Node, faults: &mut Faults) -> Option<Vec<Arc<str>>> {
    let suspension = spec.get("suspension")?;
    let clusters = suspension.get("dispatchingOnClusters").map(|c| c.items_of("clusterNames")).unwrap_or_default();
    let all = suspension.get("dispatching").and_then(Node::as_bool).unwrap_or(false);
    if all && !clusters.is_empty() {
        let fault = faults.at(Some(suspension), "spec.suspension", text::SUSPENDED_TWICE);
        faults.push(fault);
    }
    if all {
        return Some(Vec::new());
    }
    Some(texts(clusters).map(Into::into).collect()).filter(|names: &Vec<_>| !names.is_empty())
}

fn check_failover(spec: &Node, propagate_deps: bool, faults: &mut Faults) {
    for system in ["application", "cluster"] {
        let Some(failover) = spec.at_keys(&["failover", system]) else { continue };
        for (at, rule) in
            failover.get("statePreservation").map(|s| s.items_of("rules")).unwrap_or_default().iter().enumerate()
        {
            let name = rule.str_of("aliasLabelName");
            if !is_label_key(name) {
                let field = format!("spec.failover.{system}.statePreservation.rules[{at}].aliasLabelName");
                let fault = faults.at(rule.get("aliasLabelName"), field, text::NOT_A_LABEL_KEY).with("name", name);
                faults.push(fault);
            }
        }
    }
    let Some(application) = spec.at_keys(&["failover", "application"]) else { return };
    let path = "spec.failover.application";
    if !propagate_deps {
        let fault = faults.at(Some(application), "spec.propagateDeps", text::FAILOVER_NEEDS_DEPENDENCIES);
        faults.push(fault);
    }
    let tolerated = application.at_keys(&["decisionConditions", "tolerationSeconds"]);
    if tolerated.and_then(Node::as_int).is_some_and(|s| s < 0) {
        let field = format!("{path}.decisionConditions.tolerationSeconds");
        let fault = faults.at(tolerated, field, text::NEGATIVE_SECONDS);
        faults.push(fault);
    }
    let Some(grace) = application.get("gracePeriodSeconds") else { return };
    let field = format!("{path}.gracePeriodSeconds");
    if grace.as_int().is_some_and(|s| s <= 0) {
        let fault = faults.at(Some(grace), field.clone(), text::GRACE_NOT_POSITIVE);
        faults.push(fault);
    }
    if !matches!(application.str_of("purgeMode"), "" | "Gracefully") {
        let fault = faults.at(Some(grace), field, text::GRACE_WITHOUT_GRACEFULLY);
        faults.push(fault.with("mode", application.str_of("purgeMode")));
    }
}

#[cfg(test)]
mod tests;
