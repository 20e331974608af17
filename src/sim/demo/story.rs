//! What goes on happening in the demo fleet while it is served: releases that roll, a canary, a container that is restarted,
//! a cluster that falls silent. Calm: something about once a minute.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::json;

use super::{
    clusters::{CLUSTERS, Trouble},
    local::Local,
    manifests,
    services::{SERVICES, Service, TWISTS, Twist},
    template,
};
use crate::sim::{
    Faults,
    controllers::{seed, value::*},
    faults::Switch,
    kinds,
    store::{ClusterStore, Writer},
};

/// A cluster as the story reaches it.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Its objects.
    pub store: Arc<ClusterStore>,
    /// Its faults.
    pub switch: Arc<Switch>,
}

/// One happening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    /// A service gets a new tag; each new pod takes so many seconds.
    Release(&'static str, &'static str, &'static str, i64),
    /// A container somewhere is killed for want of memory and restarted.
    OutOfMemory(u64),
    /// A cluster stops talking.
    Silence(&'static str),
}

/// Seconds from the start, service, cluster, tag, seconds for each pod.
const RELEASES: &[(u64, &str, &str, &str, i64)] = &[
    (150, "pricing", "staging", "2.10.0-rc1", 15),
    (330, "kyc", "dev", "3.4.0-dev.9", 10),
    (480, "fraud-score", "eu-west-1-prod-b", "42", 24),
    (660, "inventory", "staging", "6.3.0-rc2", 20),
    (900, "fraud-score", "us-east-1-prod-a", "42", 24),
    (1200, "fx-rates", "cn-north-1-prod", "4.0.3", 20),
    (1500, "fraud-score", "cn-north-1-prod", "42", 24),
    (1800, "reports", "staging", "crash-1.32.0-rc1", 10),
];

/// What is deliberately not as the deploy tree says, from the start: service, cluster, how.
pub fn strays() -> impl Iterator<Item = (&'static Service, &'static str, Twist)> {
    let service = |name: &str| SERVICES.iter().find(|s| s.name == name);
    let all = TWISTS.iter().filter_map(move |(name, cluster, twist)| Some((service(name)?, *cluster, *twist)));
    all.filter(|(service, _, twist)| !twist.is_declared(service))
}

/// Seconds between two kills for want of memory.
const KILL_EVERY: u64 = 55;

/// Plays for ever.
pub async fn play(stages: BTreeMap<String, Stage>, seed: u64) {
    let Some(clock) = stages.values().next().map(|s| s.store.clock.clone()) else { return };
    let mut passed = 0;
    let mut kills = 0;
    let mut script = script();
    loop {
        let kill_at = (kills + 1) * KILL_EVERY;
        let (at, act) = match script.first() {
            Some((at, _)) if *at <= kill_at => script.remove(0),
            _ => {
                kills += 1;
                (kill_at, Act::OutOfMemory(kills))
            }
        };
        tokio::time::sleep(clock.real(Duration::from_secs(at.saturating_sub(passed)))).await;
        passed = at.max(passed);
        perform(&stages, act, seed);
    }
}

/// All happenings but the kills, in order.
fn script() -> Vec<(u64, Act)> {
    let mut all: Vec<(u64, Act)> = RELEASES.iter().map(|(at, s, c, t, d)| (*at, Act::Release(s, c, t, *d))).collect();
    for (service, cluster, twist) in TWISTS {
        if let Twist::Rolling(tag, seconds) | Twist::Canary(tag, seconds) = twist {
            all.push((1, Act::Release(service, cluster, tag, *seconds)));
        }
    }
    for cluster in CLUSTERS {
        if let Trouble::FallsSilent(after) = cluster.trouble {
            all.push((after, Act::Silence(cluster.name)));
        }
    }
    all.sort_by_key(|(at, _)| *at);
    all
}

fn perform(stages: &BTreeMap<String, Stage>, act: Act, seed: u64) {
    match act {
        Act::Release(service, cluster, tag, seconds) => {
            let Some(service) = SERVICES.iter().find(|s| s.name == service) else { return };
            if let Some(stage) = stages.get(cluster) {
                release(&stage.store, service, tag, seconds);
            }
        }
        Act::OutOfMemory(n) => kill(stages, n, seed),
        Act::Silence(cluster) => {
            if let Some(stage) = stages.get(cluster) {
                stage.switch.set(Faults { silent: true, ..(*stage.switch.get()).clone() });
            }
        }
    }
}

fn local(cluster: &str) -> Local {
    CLUSTERS.iter().find(|c| c.name == cluster).map_or(Local::BASE, Local::of)
}

/// Puts a new tag on a service's workload, as its delivery would.
pub fn release(store: &ClusterStore, service: &Service, tag: &str, seconds: i64) {
    let by = Writer::new(template::writer(service.system.delivery()).manager);
    let image = template::image(service, tag, local(store.name()));
    // A workload that was deleted by hand meanwhile stays deleted.
    let _ = store.modify(manifests::rid(service.shape), service.system.namespace(), service.name, &by, |o| {
        set(o, &["metadata", "labels", "app.kubernetes.io/version"], json!(tag));
        set(o, &["spec", "template", "metadata", "labels", "app.kubernetes.io/version"], json!(tag));
        set(
            o,
            &["spec", "template", "metadata", "annotations", "test.example/ready-delay"],
            json!(format!("{seconds}s")),
        );
        if let Some(container) = o.pointer_mut("/spec/template/spec/containers/0") {
            container["image"] = json!(image);
        }
        Ok(())
    });
}

/// Restarts the first container of some healthy pod.
fn kill(stages: &BTreeMap<String, Stage>, n: u64, seed: u64) {
    let mut rng = seed::rng(seed, &["kill", &n.to_string()]);
    let names: Vec<&String> = stages.keys().collect();
    let Some(stage) = stages.get(rng.pick(&names).as_str()) else { return };
    let pods = stage.store.list(kinds::PODS, None).items;
    let running: Vec<_> = pods.iter().filter(|p| p.field("status.phase") == Some("Running")).collect();
    if running.is_empty() {
        return;
    }
    let chosen = rng.pick(&running);
    let now = stamp(stage.store.clock.now());
    let _ = stage.store.modify(kinds::PODS, chosen.namespace(), chosen.name(), &Writer::status("kubelet"), |pod| {
        if !is_true(pod, "Ready") {
            return Ok(());
        }
        if let Some(status) = pod.pointer_mut("/status/containerStatuses/0") {
            let started = text(status, "/state/running/startedAt").to_owned();
            status["restartCount"] = json!(int(status, "/restartCount", 0) + 1);
            status["lastState"] = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled", "startedAt": started, "finishedAt": now,
                "containerID": status["containerID"]}});
            status["state"] = json!({"running": {"startedAt": now}});
        }
        Ok(())
    });
}
