//! Controllers and kubelets together, on a clock that is moved by hand.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::{Engine, Options, value::*};
use crate::{
    model::{Millis, parse_rfc3339},
    sim::{
        clock::Clock,
        kinds::{self, Rid},
        store::{ClusterStore, DeleteOptions, Writer},
    },
};

struct Bed {
    store: Arc<ClusterStore>,
    engine: Engine,
    /// Looked at after every step.
    watch: fn(&ClusterStore),
}

const USER: Writer<'static> = Writer::new("kubectl");

impl Bed {
    fn new() -> Self {
        let start = parse_rfc3339("2026-11-30T10:00:00Z").unwrap();
        let store = ClusterStore::new("test", 1, Clock::manual(start), 100_000);
        let ready = json!([{"type": "Ready", "status": "True"}]);
        for n in 0..3 {
            let node = json!({"metadata": {"name": format!("node-{n}"), "labels": {"zone": n.to_string()}}, "status": {"conditions": ready}});
            store.load(kinds::NODES, node);
        }
        store.load(kinds::NAMESPACES, json!({"metadata": {"name": "shop"}, "status": {"phase": "Active"}}));
        let engine = Engine::new(Arc::clone(&store), Options { seed: 1, contents: Vec::new() });
        Self { store, engine, watch: |_| {} }
    }

    fn create(&self, rid: Rid, object: Value) {
        self.store.create(rid, object, &USER).unwrap();
    }

    fn edit(&self, rid: Rid, name: &str, change: impl FnOnce(&mut Value)) {
        let done = self.store.modify(rid, "shop", name, &USER, |o| {
            change(o);
            Ok(())
        });
        done.unwrap();
    }

    fn get(&self, rid: Rid, name: &str) -> Value {
        self.store.value(rid, "shop", name).unwrap_or_default()
    }

    fn pods(&self) -> Vec<Value> {
        let resource = self.store.resource(kinds::PODS);
        self.store.list(kinds::PODS, Some("shop")).items.iter().map(|p| p.value(&resource)).collect()
    }

    /// Lets simulated time pass, from one due moment to the next.
    fn pass(&mut self, seconds: i64) {
        let end = Millis(self.store.clock.now().0 + seconds * 1000);
        loop {
            let next = self.engine.step();
            (self.watch)(&self.store);
            let now = self.store.clock.now();
            let at = next.unwrap_or(end).min(end);
            if at >= end && now >= end {
                return;
            }
            let wait = u64::try_from((at.0 - now.0).max(0)).unwrap();
            self.store.clock.advance(Duration::from_millis(wait));
        }
    }
}

fn template(image: &str) -> Value {
    json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": image}]}})
}

fn workload(kind: &str, api: &str, replicas: i64, image: &str) -> Value {
    json!({"apiVersion": api, "kind": kind, "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template(image)}})
}

fn set_image(o: &mut Value, image: &str) {
    o["spec"]["template"]["spec"]["containers"][0]["image"] = json!(image);
}

fn images(pods: &[Value]) -> Vec<&str> {
    let mut all: Vec<&str> = pods.iter().map(|p| text(p, "/spec/containers/0/image")).collect();
    all.sort_unstable();
    all
}

#[test]
fn a_deployment_rolls_and_never_has_fewer_than_it_may() {
    let mut bed = Bed::new();
    bed.create(kinds::DEPLOYMENTS, workload("Deployment", "apps/v1", 8, "r/web:1"));
    bed.pass(20);
    let before = bed.get(kinds::DEPLOYMENTS, "web");
    assert_eq!(int(&before, "/status/availableReplicas", 0), 8, "{}", before["status"]);
    assert_eq!(text(condition(&before, "Progressing").unwrap(), "/reason"), "NewReplicaSetAvailable");
    bed.watch = |store| {
        let resource = store.resource(kinds::PODS);
        let pods: Vec<Value> = store.list(kinds::PODS, Some("shop")).items.iter().map(|p| p.value(&resource)).collect();
        let ready = pods.iter().filter(|p| active(p) && is_true(p, "Ready")).count();
        let there = pods.iter().filter(|p| active(p)).count();
        assert!((6..=10).contains(&ready) && there <= 10, "{ready} ready of {there}");
    };
    bed.edit(kinds::DEPLOYMENTS, "web", |d| set_image(d, "r/web:2"));
    bed.pass(60);
    assert_eq!(images(&bed.pods()), vec!["r/web:2"; 8]);
    let after = bed.get(kinds::DEPLOYMENTS, "web");
    assert_eq!(annotation(&after, super::deployment::REVISION), "2");
    assert_eq!(int(&after, "/status/observedGeneration", 0), int(&after, "/metadata/generation", -1));
    // Back to the first template: its set comes back with a new revision.
    bed.edit(kinds::DEPLOYMENTS, "web", |d| set_image(d, "r/web:1"));
    bed.pass(60);
    assert_eq!(images(&bed.pods()), vec!["r/web:1"; 8]);
    assert_eq!(bed.store.count(kinds::REPLICASETS), 2);
    assert_eq!(annotation(&bed.get(kinds::DEPLOYMENTS, "web"), super::deployment::REVISION), "3");
}

#[test]
fn scale_pause_bad_image_and_deadline() {
    let mut bed = Bed::new();
    let mut d = workload("Deployment", "apps/v1", 4, "r/web:1");
    d["spec"]["progressDeadlineSeconds"] = json!(30);
    bed.create(kinds::DEPLOYMENTS, d);
    bed.pass(20);
    bed.edit(kinds::DEPLOYMENTS, "web", |d| d["spec"]["replicas"] = json!(7));
    bed.pass(20);
    assert_eq!(bed.pods().len(), 7);
    bed.edit(kinds::DEPLOYMENTS, "web", |d| {
        d["spec"]["paused"] = json!(true);
        set_image(d, "r/web:nopull-2");
    });
    bed.pass(20);
    assert_eq!(images(&bed.pods()), vec!["r/web:1"; 7], "a paused rollout changes nothing");
    bed.edit(kinds::DEPLOYMENTS, "web", |d| d["spec"]["paused"] = json!(false));
    bed.pass(120);
    let d = bed.get(kinds::DEPLOYMENTS, "web");
    assert_eq!(text(condition(&d, "Progressing").unwrap(), "/reason"), "ProgressDeadlineExceeded", "{}", d["status"]);
    assert!(int(&d, "/status/availableReplicas", 0) >= 6, "{}", d["status"]);
    let waits = bed
        .pods()
        .iter()
        .filter(|p| text(p, "/status/containerStatuses/0/state/waiting/reason") == "ImagePullBackOff")
        .count();
    assert!(waits > 0);
    let resource = bed.store.resource(kinds::EVENTS);
    let events: Vec<Value> = bed.store.list(kinds::EVENTS, None).items.iter().map(|e| e.value(&resource)).collect();
    assert!(events.iter().any(|e| text(e, "/type") == "Warning" && text(e, "/message") == "Error: ImagePullBackOff"));
}

#[test]
fn crashes_count_up_with_longer_waits() {
    let mut bed = Bed::new();
    bed.create(kinds::DEPLOYMENTS, workload("Deployment", "apps/v1", 1, "r/web:crash"));
    bed.pass(100);
    let restarts = |bed: &Bed| int(&bed.pods()[0], "/status/containerStatuses/0/restartCount", 0);
    // 10 + 20 + 40 seconds of waiting and a second of running each.
    assert_eq!(restarts(&bed), 4);
    bed.pass(100);
    assert_eq!(restarts(&bed), 5);
}

#[test]
fn stateful_sets_go_in_order_and_keep_the_partition() {
    let mut bed = Bed::new();
    let mut set = workload("StatefulSet", "apps/v1", 4, "r/web:1");
    set["spec"]["serviceName"] = json!("web");
    bed.create(kinds::STATEFULSETS, set);
    bed.pass(40);
    let names: Vec<String> = bed.pods().iter().map(|p| name(p).to_owned()).collect();
    assert_eq!(names, ["web-0", "web-1", "web-2", "web-3"]);
    bed.edit(kinds::STATEFULSETS, "web", |s| {
        s["spec"]["updateStrategy"] = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 3}});
        set_image(s, "r/web:2");
    });
    bed.pass(40);
    assert_eq!(images(&bed.pods()), ["r/web:1", "r/web:1", "r/web:1", "r/web:2"]);
    let s = bed.get(kinds::STATEFULSETS, "web");
    assert_ne!(text(&s, "/status/currentRevision"), text(&s, "/status/updateRevision"));
    // A pod of the kept part that dies comes back on the old revision.
    bed.store.delete(kinds::PODS, "shop", "web-1", &DeleteOptions::default()).unwrap();
    bed.pass(20);
    assert_eq!(text(&bed.get(kinds::PODS, "web-1"), "/spec/containers/0/image"), "r/web:1");
    bed.edit(kinds::STATEFULSETS, "web", |s| s["spec"]["updateStrategy"]["rollingUpdate"]["partition"] = json!(0));
    bed.pass(60);
    assert_eq!(images(&bed.pods()), vec!["r/web:2"; 4]);
    let s = bed.get(kinds::STATEFULSETS, "web");
    assert_eq!(text(&s, "/status/currentRevision"), text(&s, "/status/updateRevision"));
}

#[test]
fn daemon_sets_cover_the_nodes_and_roll_one_by_one() {
    let mut bed = Bed::new();
    bed.create(kinds::DAEMONSETS, workload("DaemonSet", "apps/v1", 0, "r/web:1"));
    bed.pass(20);
    assert_eq!(bed.pods().len(), 3);
    bed.watch = |store| {
        let resource = store.resource(kinds::PODS);
        let ready =
            store.list(kinds::PODS, None).items.iter().filter(|p| is_true(&p.value(&resource), "Ready")).count();
        assert!(ready >= 2, "{ready} ready");
    };
    bed.edit(kinds::DAEMONSETS, "web", |d| set_image(d, "r/web:2"));
    bed.pass(40);
    assert_eq!(images(&bed.pods()), vec!["r/web:2"; 3]);
    bed.watch = |_| {};
    bed.edit(kinds::DAEMONSETS, "web", |d| d["spec"]["template"]["spec"]["nodeSelector"] = json!({"zone": "1"}));
    bed.pass(40);
    assert_eq!(bed.pods().len(), 1);
}

#[test]
fn clone_sets_keep_their_partition_old() {
    let mut bed = Bed::new();
    let mut set = workload("CloneSet", "apps.kruise.io/v1alpha1", 5, "r/web:1");
    set["spec"]["updateStrategy"] = json!({"partition": "30%"});
    bed.create(kinds::CLONESETS, set);
    bed.pass(20);
    assert_eq!(bed.pods().len(), 5);
    bed.edit(kinds::CLONESETS, "web", |s| set_image(s, "r/web:2"));
    bed.pass(60);
    assert_eq!(images(&bed.pods()), ["r/web:1", "r/web:1", "r/web:2", "r/web:2", "r/web:2"]);
    let s = bed.get(kinds::CLONESETS, "web");
    assert_eq!((int(&s, "/status/expectedUpdatedReplicas", 0), int(&s, "/status/updatedReplicas", 0)), (3, 3));
    bed.edit(kinds::CLONESETS, "web", |s| s["spec"]["updateStrategy"]["partition"] = json!(0));
    bed.pass(60);
    assert_eq!(images(&bed.pods()), vec!["r/web:2"; 5]);
}

#[test]
fn a_canary_waits_for_a_person() {
    let mut bed = Bed::new();
    let mut rollout = workload("Rollout", "argoproj.io/v1alpha1", 5, "r/web:1");
    rollout["spec"]["strategy"] = json!({"canary": {"steps": [{"setWeight": 20}, {"pause": {}}, {"setWeight": 60}, {"pause": {"duration": 30}}]}});
    bed.create(kinds::ROLLOUTS, rollout);
    bed.pass(30);
    assert_eq!(
        text(&bed.get(kinds::ROLLOUTS, "web"), "/status/phase"),
        "Healthy",
        "{}",
        bed.get(kinds::ROLLOUTS, "web")["status"]
    );
    bed.edit(kinds::ROLLOUTS, "web", |r| set_image(r, "r/web:2"));
    bed.pass(120);
    let r = bed.get(kinds::ROLLOUTS, "web");
    assert_eq!((text(&r, "/status/phase"), int(&r, "/status/currentStepIndex", -1)), ("Paused", 1), "{}", r["status"]);
    assert_eq!(images(&bed.pods()), ["r/web:1", "r/web:1", "r/web:1", "r/web:1", "r/web:2"]);
    bed.edit(kinds::ROLLOUTS, "web", |r| unset(r, "/status", "pauseConditions"));
    bed.pass(120);
    assert_eq!(images(&bed.pods()), vec!["r/web:2"; 5]);
    assert_eq!(text(&bed.get(kinds::ROLLOUTS, "web"), "/status/phase"), "Healthy");
}

#[test]
fn jobs_end_and_schedules_start_them() {
    let mut bed = Bed::new();
    let cron = json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"schedule": "*/10 * * * *", "successfulJobsHistoryLimit": 2, "jobTemplate": {"spec": {"template": template("r/web:1")}}}});
    bed.create(kinds::CRONJOBS, cron);
    bed.pass(3700);
    assert_eq!(bed.store.count(kinds::JOBS), 2);
    let cron = bed.get(kinds::CRONJOBS, "web");
    assert_eq!(text(&cron, "/status/lastScheduleTime"), "2026-11-30T11:00:00Z");
    assert!(text(&cron, "/status/lastSuccessfulTime") > "2026-11-30T11:00:00Z");
    assert!(cron["status"].get("active").is_none());
}

#[test]
fn services_and_budgets_follow_the_pods() {
    let mut bed = Bed::new();
    bed.create(kinds::DEPLOYMENTS, workload("Deployment", "apps/v1", 3, "r/web:1"));
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": 8080}]}});
    bed.create(kinds::SERVICES, service);
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}});
    bed.create(kinds::PDBS, budget);
    bed.pass(20);
    let slices = bed.store.list(kinds::ENDPOINTSLICES, None).items;
    let slice = slices[0].value(&bed.store.resource(kinds::ENDPOINTSLICES));
    assert_eq!(list(&slice, "/endpoints").iter().filter(|e| truth(e, "/conditions/ready")).count(), 3);
    assert_eq!(int(&bed.get(kinds::PDBS, "web"), "/status/disruptionsAllowed", 0), 1);
    bed.edit(kinds::DEPLOYMENTS, "web", |d| d["spec"]["replicas"] = json!(1));
    bed.pass(20);
    assert_eq!(int(&bed.get(kinds::PDBS, "web"), "/status/disruptionsAllowed", 9), 0);
}

#[test]
fn what_loses_its_owner_goes_and_idle_clusters_rest() {
    let mut bed = Bed::new();
    bed.create(kinds::DEPLOYMENTS, workload("Deployment", "apps/v1", 3, "r/web:1"));
    bed.pass(20);
    let version = bed.store.version();
    bed.pass(600);
    assert_eq!(bed.store.version(), version, "nothing is written while nothing happens");
    bed.store.delete(kinds::DEPLOYMENTS, "shop", "web", &DeleteOptions::default()).unwrap();
    bed.pass(60);
    assert_eq!((bed.store.count(kinds::REPLICASETS), bed.pods().len()), (0, 0));
    bed.create(kinds::DEPLOYMENTS, workload("Deployment", "apps/v1", 3, "r/web:1"));
    bed.pass(20);
    bed.store.delete(kinds::NAMESPACES, "", "shop", &DeleteOptions::default()).unwrap();
    bed.pass(60);
    assert_eq!(bed.store.count(kinds::NAMESPACES), 0);
}

#[test]
fn the_same_seed_gives_the_same_objects() {
    let run = || {
        let mut bed = Bed::new();
        bed.create(kinds::DEPLOYMENTS, workload("Deployment", "apps/v1", 6, "r/web:1"));
        bed.pass(20);
        bed.edit(kinds::DEPLOYMENTS, "web", |d| set_image(d, "r/web:2"));
        bed.pass(7);
        bed.pods()
    };
    assert_eq!(run(), run());
}
