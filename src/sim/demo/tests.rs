//! The demo fleet is what its story says.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::Value;

use super::{CLUSTERS, fill, fleet_file, options, services::SERVICES, story};
use crate::{
    config,
    model::{Millis, parse_rfc3339},
    sim::{
        clock::Clock,
        controllers::{Engine, value::*},
        kinds::{self, Rid},
        store::ClusterStore,
    },
};

fn cluster(name: &str) -> Arc<ClusterStore> {
    let clock = Clock::manual(parse_rfc3339("2026-11-30T14:07:31Z").unwrap());
    let store = ClusterStore::new(name, 1, clock, 100_000);
    fill(&store, 1);
    store
}

fn run(store: &Arc<ClusterStore>, engine: &mut Engine, seconds: i64) {
    let end = Millis(store.clock.now().0 + seconds * 1000);
    loop {
        let at = engine.step().unwrap_or(end).min(end);
        let now = store.clock.now();
        if now >= end {
            return;
        }
        store.clock.advance(Duration::from_millis(u64::try_from(at.0 - now.0).unwrap_or(0)));
    }
}

fn get(store: &ClusterStore, rid: Rid, namespace: &str, name: &str) -> Value {
    store.value(rid, namespace, name).unwrap_or_else(|| panic!("no {namespace}/{name} in {}", store.name()))
}

fn all(store: &ClusterStore, rid: Rid) -> Vec<Value> {
    let resource = store.resource(rid);
    store.list(rid, None).items.iter().map(|o| o.value(&resource)).collect()
}

fn first_image(workload: &Value) -> &str {
    text(workload, "/spec/template/spec/containers/0/image")
}

#[test]
fn a_cluster_at_rest_stays_as_it_was_put() {
    for name in ["us-east-1-prod-a", "edge-store-0412", "cn-shanghai-prod"] {
        let store = cluster(name);
        let mut engine = Engine::new(Arc::clone(&store), options(name, 1));
        let pods = store.count(kinds::PODS);
        let before: Vec<Value> = all(&store, kinds::DEPLOYMENTS);
        run(&store, &mut engine, 5);
        for (was, is) in before.iter().zip(all(&store, kinds::DEPLOYMENTS)) {
            assert_eq!(was["status"], is["status"], "{} in {name}", super::super::controllers::value::name(was));
            assert_eq!(was["spec"], is["spec"]);
        }
        assert_eq!(store.count(kinds::PODS), pods, "{name} makes or removes pods though nothing happened");
    }
}

#[test]
fn the_troubles_are_there() {
    let a = cluster("eu-west-1-prod-a");
    let down: Vec<Value> = all(&a, kinds::NODES).into_iter().filter(|n| !is_true(n, "Ready")).collect();
    assert_eq!(down.len(), 1);
    assert!(all(&a, kinds::NODES).iter().any(|n| is_true(n, "MemoryPressure")));
    assert!(all(&a, kinds::PODS).iter().any(deleting), "pods on the lost node cannot go");
    let pdf = get(&a, kinds::DEPLOYMENTS, "customer", "statement-pdf");
    assert!(
        first_image(&pdf).ends_with(":crash-0.7.5") && int(&pdf, "/status/readyReplicas", 0) == 0,
        "{}",
        pdf["status"]
    );
    let crashing = all(&a, kinds::PODS)
        .into_iter()
        .filter(|p| text(p, "/status/containerStatuses/0/state/waiting/reason") == "CrashLoopBackOff");
    assert!(crashing.map(|p| int(&p, "/status/containerStatuses/0/restartCount", 0)).all(|n| n > 5));

    let us = cluster("us-east-1-prod-a");
    let ledger = get(&us, kinds::DEPLOYMENTS, "payments", "ledger");
    assert!(first_image(&ledger).ends_with("/ledger:8.2.7"));
    let managers: Vec<&str> = list(&ledger, "/metadata/managedFields").iter().map(|m| text(m, "/manager")).collect();
    for manager in ["argocd-controller", "kubectl-edit", "kube-controller-manager"] {
        assert!(managers.contains(&manager), "{managers:?}");
    }
    assert_eq!(managers.iter().filter(|m| **m == "argocd-controller").count(), 1, "{managers:?}");
    let config = |s: &ClusterStore| {
        text(&get(s, kinds::CONFIGMAPS, "customer", "notifications-config"), "/data/config.yaml").to_owned()
    };
    assert_ne!(config(&us), config(&a));

    let web = |s: &ClusterStore| {
        let pods = all(s, kinds::PODS);
        let pod = pods.iter().find(|p| name(p).starts_with("web-")).unwrap();
        text(pod, "/status/containerStatuses/0/imageID").to_owned()
    };
    assert_ne!(web(&us), web(&a), "the moving tag means different things");

    let sh = cluster("cn-shanghai-prod");
    let catalog = get(&sh, kinds::DEPLOYMENTS, "storefront", "catalog");
    assert_eq!(
        text(condition(&catalog, "Progressing").unwrap(), "/reason"),
        "ProgressDeadlineExceeded",
        "{}",
        catalog["status"]
    );
    assert!(int(&catalog, "/status/availableReplicas", 0) >= 3);
    assert!(all(&sh, kinds::EVENTS).iter().any(|e| text(e, "/message").contains("ImagePullBackOff")));
}

#[test]
fn a_release_rolls_on_and_ends() {
    let store = cluster("eu-west-1-prod-a");
    let mut engine = Engine::new(Arc::clone(&store), options("eu-west-1-prod-a", 1));
    run(&store, &mut engine, 2);
    let service = SERVICES.iter().find(|s| s.name == "fraud-score").unwrap();
    story::release(&store, service, "42", 24);
    run(&store, &mut engine, 40);
    let half = get(&store, kinds::DEPLOYMENTS, "payments", "fraud-score");
    let updated = int(&half, "/status/updatedReplicas", 0);
    assert!(updated > 0 && updated < 10, "{}", half["status"]);
    run(&store, &mut engine, 400);
    let done = get(&store, kinds::DEPLOYMENTS, "payments", "fraud-score");
    assert_eq!((int(&done, "/status/updatedReplicas", 0), int(&done, "/status/availableReplicas", 0)), (10, 10));
}

#[test]
fn the_same_seed_gives_the_same_cluster() {
    let (a, b) = (cluster("staging"), cluster("staging"));
    for rid in [kinds::PODS, kinds::DEPLOYMENTS, kinds::CONFIGMAPS, kinds::NODES, kinds::EVENTS] {
        assert_eq!(all(&a, rid), all(&b, rid));
    }
}

#[test]
fn the_fleet_file_is_valid_and_names_every_cluster() {
    let file = config::fleet_file::parse(Path::new("fleet.yaml"), &fleet_file()).unwrap_or_else(|e| panic!("{e:?}"));
    let names: Vec<&str> = file.clusters.iter().map(|c| &*c.name).collect();
    assert_eq!(names, CLUSTERS.iter().map(|c| c.name).collect::<Vec<_>>());
}
