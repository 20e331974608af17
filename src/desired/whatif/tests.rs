//! Suppositions: what moves, what stays, and what is refused.

use std::sync::Arc;

use super::*;
use crate::desired::{
    engine::tests::{POLICIES, WEB, inputs, policies, read},
    origin::SourceKind,
};

fn now(policy_text: &str) -> Desired {
    let mut inputs = inputs(read(WEB, SourceKind::Manifest, "web.yaml"), None);
    inputs.policies = policies(policy_text);
    Desired::of(inputs, None)
}

/// `a 4>6, b 2>-` for the Deployment.
fn moved(now: &Desired, changes: &[Change]) -> String {
    let then = suppose(now, changes).expect("followed");
    let all = moves(now, &then);
    let word = |n: Option<i64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let one = |m: &Move| {
        let rows: Vec<String> = m.clusters.iter().map(|(c, a, b)| format!("{c} {}>{}", word(*a), word(*b))).collect();
        let failure = m.failure.map(|f| format!(" {}", f.word())).unwrap_or_default();
        format!("{}{failure}", rows.join(", "))
    };
    all.iter().filter(|m| &*m.object.kind == "Deployment").map(one).collect()
}

fn id() -> PolicyId {
    PolicyId { kind: "PropagationPolicy".into(), namespace: "shop".into(), name: "web".into() }
}

#[test]
fn a_lost_cluster_is_made_up_for_by_the_rule() {
    let now = now(POLICIES);
    assert_eq!(moved(&now, &[Change::Lost("a".into())]), "a 4>-, b 2>6");
    assert_eq!(moved(&now, &[Change::Lost("d".into())]), "");
}

#[test]
fn a_taint_moves_nothing_that_runs_and_a_fresh_start_does() {
    let now = now(POLICIES);
    let taint = Taint { key: "x".into(), value: String::new(), effect: "NoSchedule".into() };
    assert_eq!(moved(&now, &[Change::Tainted("a".into(), taint)]), "");
}

#[test]
fn a_weight_and_a_policy_are_suppositions_too() {
    let now = now(POLICIES);
    let weighted = |weight| Change::Weighted { policy: id(), cluster: "b".into(), weight };
    assert_eq!(moved(&now, &[weighted(4)]), "a 4>2, b 2>4");
    assert_eq!(moved(&now, &[weighted(0)]), "a 4>6, b 2>-");
    let edited =
        read(&POLICIES.replace("clusterNames: [a, b, c]", "clusterNames: [b]"), SourceKind::Policy, "new.yaml");
    assert_eq!(moved(&now, &[Change::Policy(edited[0].clone())]), "a 4>-, b 2>6");
    assert_eq!(moved(&now, &[Change::WithoutPolicy(id())]), "a 4>-, b 2>-");
}

#[test]
fn what_fails_says_so_and_leaves_what_is_there() {
    let text = POLICIES.replace("weightPreference:", "weightPreference: {dynamicWeight: AvailableReplicas}");
    let text: Vec<&str> = text.lines().filter(|l| !l.contains("staticWeightList") && !l.contains("weight: ")).collect();
    let mut inputs = inputs(read(WEB, SourceKind::Manifest, "web.yaml"), None);
    inputs.policies = policies(&text.join("\n"));
    let mut clusters = (*inputs.clusters).clone();
    clusters.iter_mut().for_each(|c| c.available = Some(3));
    inputs.clusters = Arc::new(clusters);
    let now = Desired::of(inputs, None);
    let gone = [Change::Lost("a".into()), Change::Available("b".into(), 0), Change::Available("c".into(), 0)];
    assert_eq!(moved(&now, &gone), "a 2>- unschedulable");
}

#[test]
fn what_cannot_be_supposed_is_refused_by_name() {
    let now = now(POLICIES);
    assert!(matches!(suppose(&now, &[Change::Lost("z".into())]), Err(Refusal::NoCluster(name)) if &*name == "z"));
    let deployment = read(WEB, SourceKind::Policy, "x.yaml")[0].clone();
    assert!(matches!(suppose(&now, &[Change::Policy(deployment)]), Err(Refusal::Unknown(_))));
    let broken = read(&POLICIES.replace("Divided", "Scattered"), SourceKind::Policy, "x.yaml")[0].clone();
    assert!(matches!(suppose(&now, &[Change::Policy(broken)]), Err(Refusal::Broken(faults)) if !faults.is_empty()));
}

#[test]
fn what_fails_now_as_it_fails_then_is_no_difference() {
    let nowhere = now(&POLICIES.replace("clusterNames: [a, b, c]", "clusterNames: [x]"));
    assert_eq!(moves(&nowhere, &suppose(&nowhere, &[Change::Lost("a".into())]).expect("followed")), []);
}
