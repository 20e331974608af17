//! What a propagation policy is read as: defaults, admission's rules, translation.

use std::sync::Arc;

use super::*;
use crate::{
    desired::{
        origin::{Source, SourceKind},
        place::{SpreadBy, Strategy},
        source::yaml,
    },
    messages::Lang,
};

/// A policy whose `spec` is this YAML (indented by two), read.
fn read_spec(kind: &str, spec: &str) -> Result<Arc<PlacementPolicy>, Vec<Fault>> {
    let text = format!(
        "apiVersion: policy.karmada.io/v1alpha1\nkind: {kind}\nmetadata: {{name: p, namespace: shop}}\nspec:\n{spec}"
    );
    let source = Source::new(SourceKind::Policy, "p.yaml");
    let node = yaml::read(&text, &source).unwrap().remove(0);
    let object = Object::new(node).unwrap();
    let at = object.node.origin.at().unwrap();
    let mut policies = Policies::default();
    read(&object, at, &mut policies)?;
    Ok(policies.placements.remove(0))
}

const SELECTORS: &str = "  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]\n";

#[test]
fn defaults_are_filled_in() {
    let policy = read_spec("PropagationPolicy", SELECTORS).unwrap();
    assert_eq!((policy.priority, policy.preempts, policy.propagate_deps), (0, false, false));
    assert_eq!(policy.selectors[0].namespace, "shop");
    assert_eq!(policy.placement.strategy, Strategy::Absent);
    assert_eq!(policy.placement.groups.len(), 1);
    assert_eq!(policy.placement_at.line, 1, "without a placement the policy itself is named");
    let spec = format!(
        "{SELECTORS}  placement:\n    replicaScheduling: {{}}\n    spreadConstraints: [{{}}, {{spreadByLabel: x, maxGroups: 2}}]\n"
    );
    let policy = read_spec("ClusterPropagationPolicy", &spec).unwrap();
    assert_eq!(policy.selectors[0].namespace, "");
    assert_eq!(policy.placement_at.line, 7, "the line of the replica scheduling");
    assert_eq!(policy.id.namespace.as_ref(), "");
    assert_eq!(policy.placement.strategy, Strategy::Static { weights: Vec::new(), given: false });
    let spread: Vec<_> = policy.placement.spread.iter().map(|s| (s.by.clone(), s.min, s.max)).collect();
    assert_eq!(spread, [(SpreadBy::Cluster, 1, 0), (SpreadBy::Label("x".into()), 1, 2)]);
    let spec = "  resourceSelectors: [{apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceImport}]\n";
    assert!(read_spec("PropagationPolicy", spec).unwrap().propagate_deps);
}

#[test]
fn the_strategy_is_told_by_type_and_preference() {
    for (scheduling, expected) in [
        ("{replicaSchedulingType: Duplicated, replicaDivisionPreference: Weighted}", Strategy::Duplicated),
        ("{replicaDivisionPreference: Aggregated}", Strategy::Aggregated),
        ("{weightPreference: {dynamicWeight: AvailableReplicas, staticWeightList: []}}", Strategy::Dynamic),
        ("{weightPreference: {}}", Strategy::Static { weights: Vec::new(), given: true }),
    ] {
        let spec = format!("{SELECTORS}  placement: {{replicaScheduling: {scheduling}}}\n");
        assert_eq!(read_spec("PropagationPolicy", &spec).unwrap().placement.strategy, expected, "{scheduling}");
    }
}

/// Every rule of admission: what breaks it, at which field, with which text.
#[test]
fn what_breaks_a_rule_is_refused_at_its_field() {
    let dynamic = "replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}";
    let spread = |items: &str| format!("  placement: {{spreadConstraints: [{items}]}}\n");
    let groups = |items: &str, more: &str| format!("  placement: {{clusterAffinities: [{items}], {more}}}\n");
    let cases = [
        ("  placement: {clusterAffinity: {}, clusterAffinities: []}\n".into(), "placement.clusterAffinities", text::BOTH_AFFINITIES),
        (groups("{affinityName: a}, {affinityName: a}", ""), "placement.clusterAffinities[1].affinityName", text::GROUP_NAME_TWICE),
        (groups("{affinityName: a b}", ""), "placement.clusterAffinities[0].affinityName", text::NOT_A_LABEL_KEY),
        (groups("{affinityName: ''}", ""), "placement.clusterAffinities[0].affinityName", text::WRONG_LENGTH),
        (
            groups("{affinityName: a, clusterNames: [x], overflowAffinities: [{affinityName: a}]}", dynamic),
            "placement.clusterAffinities[0].overflowAffinities[0].affinityName",
            text::GROUP_NAME_TWICE,
        ),
        (
            groups("{affinityName: a, clusterNames: [x], overflowAffinities: []}", "replicaScheduling: {}"),
            "placement.clusterAffinities[0].overflowAffinities",
            text::OVERFLOW_NEEDS_ROOM,
        ),
        (
            groups("{affinityName: a, overflowAffinities: [{affinityName: b}]}", dynamic),
            "placement.clusterAffinities[0].overflowAffinities",
            text::OVERFLOW_NEEDS_AFFINITY,
        ),
        (
            "  placement: {clusterAffinity: {fieldSelector: {matchExpressions: [{key: team, operator: In, values: [x]}]}}}\n"
                .into(),
            "placement.clusterAffinity.fieldSelector",
            text::FIELD_SELECTOR,
        ),
        (
            "  placement: {clusterAffinity: {fieldSelector: {matchExpressions: [{key: zone, operator: Exists}]}}}\n".into(),
            "placement.clusterAffinity.fieldSelector",
            text::FIELD_SELECTOR,
        ),
        (spread("{spreadByField: cluster, spreadByLabel: x}"), "placement.spreadConstraints[0]", text::SPREAD_BOTH),
        (spread("{minGroups: -1}"), "placement.spreadConstraints[0]", text::SPREAD_NEGATIVE),
        (spread("{minGroups: 3, maxGroups: 2}"), "placement.spreadConstraints[0]", text::SPREAD_MAX_BELOW_MIN),
        (spread("{}, {spreadByField: cluster}"), "placement.spreadConstraints[1]", text::SPREAD_TWICE),
        (spread("{spreadByField: zone, maxGroups: 2}"), "placement.spreadConstraints", text::SPREAD_NEEDS_CLUSTER),
        (spread("{spreadByField: rack}"), "placement.spreadConstraints[0].spreadByField", text::NOT_ONE_OF),
        (
            "  placement: {clusterTolerations: [{key: a, operator: Gt, value: '1'}]}\n".into(),
            "placement.clusterTolerations[0].operator",
            text::TOLERATION_OPERATOR,
        ),
        (
            "  placement: {replicaScheduling: {weightPreference: {staticWeightList: [{targetCluster: {}, weight: 0}]}}}\n".into(),
            "placement.replicaScheduling.weightPreference.staticWeightList[0].weight",
            text::TOO_SMALL,
        ),
        (
            "  placement: {replicaScheduling: {weightPreference: {staticWeightList: [{weight: 1}]}}}\n".into(),
            "placement.replicaScheduling.weightPreference.staticWeightList[0].targetCluster",
            text::MISSING,
        ),
        ("  placement: {replicaScheduling: {replicaSchedulingType: Split}}\n".into(), "placement.replicaScheduling.replicaSchedulingType", text::NOT_ONE_OF),
        ("  placement: {clusterAffinity: {clusterNames: x}}\n".into(), "placement.clusterAffinity.clusterNames", text::WRONG_TYPE),
        ("  placement: {clusterAffinity: {labelSelector: {matchLabels: {a: 1}}}}\n".into(), "placement.clusterAffinity.labelSelector.matchLabels[\"a\"]", text::WRONG_TYPE),
        (
            "  placement: {workloadAffinity: {affinity: {groupByLabelKey: a}, antiAffinity: {groupByLabelKey: a}}}\n".into(),
            "placement.workloadAffinity",
            text::WORKLOAD_AFFINITY_SAME_KEY,
        ),
        ("  preemption: Sometimes\n".into(), "preemption", text::NOT_ONE_OF),
        ("  priority: 3000000000\n".into(), "priority", text::TOO_BIG),
        (
            "  failover: {application: {decisionConditions: {}}}\n".into(),
            "propagateDeps",
            text::FAILOVER_NEEDS_DEPENDENCIES,
        ),
        (
            "  propagateDeps: true\n  failover: {application: {decisionConditions: {tolerationSeconds: -1}}}\n".into(),
            "failover.application.decisionConditions.tolerationSeconds",
            text::NEGATIVE_SECONDS,
        ),
        (
            "  propagateDeps: true\n  failover: {application: {decisionConditions: {}, gracePeriodSeconds: 0}}\n".into(),
            "failover.application.gracePeriodSeconds",
            text::GRACE_NOT_POSITIVE,
        ),
        (
            "  propagateDeps: true\n  failover: {application: {decisionConditions: {}, purgeMode: Never, gracePeriodSeconds: 5}}\n".into(),
            "failover.application.gracePeriodSeconds",
            text::GRACE_WITHOUT_GRACEFULLY,
        ),
        (
            "  suspension: {dispatching: true, dispatchingOnClusters: {clusterNames: [a]}}\n".into(),
            "suspension",
            text::SUSPENDED_TWICE,
        ),
    ];
    for (more, field, msg) in cases {
        let more: String = more;
        let faults = read_spec("PropagationPolicy", &format!("{SELECTORS}{more}")).expect_err(&more);
        let found: Vec<_> = faults.iter().map(|f| (f.field.as_str(), f.msg)).collect();
        assert_eq!(found, [(format!("spec.{field}").as_str(), msg)], "{more}");
        assert!(
            faults[0].line >= 6 && !faults[0].text(Lang::Zh).contains('{') || msg == text::WRONG_TYPE,
            "{faults:?}"
        );
    }
}

#[test]
fn selectors_are_bound_to_the_namespace_and_preemption_to_names() {
    let other = "  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, namespace: blog}]\n";
    let faults = read_spec("PropagationPolicy", other).unwrap_err();
    assert_eq!((faults[0].field.as_str(), faults[0].line), ("spec.resourceSelectors[0].namespace", 5));
    assert!(read_spec("ClusterPropagationPolicy", other).is_ok());
    let unnamed = "  preemption: Always\n  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]\n";
    assert_eq!(read_spec("PropagationPolicy", unnamed).unwrap_err()[0].msg, text::PREEMPTION_NEEDS_NAMES);
    let all = format!("{SELECTORS}  suspension: {{dispatching: true}}\n");
    assert_eq!(read_spec("PropagationPolicy", &all).unwrap().suspended.as_deref(), Some(&[][..]));
    let missing = "  resourceSelectors: [{kind: ConfigMap}]\n";
    assert_eq!(read_spec("PropagationPolicy", missing).unwrap_err()[0].field, "spec.resourceSelectors[0].apiVersion");
}
