//! One cluster of the demo fleet while it is being filled: where pods may go, and pods with a past.

use serde_json::{Value, json};

use super::{
    bake::{Bake, By, KCM, KUBELET},
    clusters::Cluster,
    local::Local,
    nodes,
};
use crate::{
    model::Millis,
    sim::{
        controllers::{seed, value::*},
        kinds,
        kubelet::{
            self,
            status::{self, Behaviour, Facts, Stage},
        },
    },
};

/// A cluster that is being filled.
#[derive(Debug)]
pub struct Site<'a> {
    /// Writes objects with a past.
    pub bake: Bake<'a>,
    /// The cluster.
    pub cluster: &'a Cluster,
    /// What of it enters the objects.
    pub local: Local,
    /// All nodes.
    pub nodes: Vec<String>,
    /// Nodes that take pods.
    pub open: Vec<String>,
    /// What moving tags mean here.
    pub contents: Vec<(String, String)>,
    /// Pods placed so far.
    cursor: std::cell::Cell<usize>,
}

/// How the pods of one revision came to be and how they are.
#[derive(Clone, Copy, Debug)]
pub struct Crew {
    /// When the revision was rolled out.
    pub since: Millis,
    /// Restarts of crashing containers.
    pub restarts: i64,
}

impl<'a> Site<'a> {
    /// A cluster to be filled.
    pub fn new(bake: Bake<'a>, cluster: &'a Cluster, contents: Vec<(String, String)>) -> Self {
        let all = nodes::names(cluster);
        let (down, short) = nodes::sick(cluster);
        let open = all.iter().enumerate().filter(|(n, _)| down != Some(*n) && short != Some(*n));
        let open = open.map(|(_, name)| name.clone()).collect();
        Self { bake, cluster, local: Local::of(cluster), nodes: all, open, contents, cursor: std::cell::Cell::new(0) }
    }

    /// A number that follows from the fleet's seed, the cluster and a word.
    pub fn draw(&self, word: &[&str], low: i64, high: i64) -> i64 {
        let mut key = vec![self.cluster.name];
        key.extend(word);
        seed::between(self.bake.seed, &key, low, high)
    }

    /// The next node in turn.
    fn next_node(&self) -> &str {
        let n = self.cursor.get();
        self.cursor.set(n + 1);
        self.open.get(n % self.open.len().max(1)).map_or("", String::as_str)
    }

    /// Puts the n-th pod of a crew into the cluster: placed, reported on, with a past. `node` empty = the next in turn.
    pub fn pod(&self, mut pod: Value, node: &str, crew: Crew, n: i64, by: By) -> Value {
        let node = if node.is_empty() { self.next_node() } else { node }.to_owned();
        set(&mut pod, &["spec", "nodeName"], json!(node));
        let name = name(&pod).to_owned();
        // Most pods are as old as their revision; some were moved since by drains and evictions.
        let age = (self.bake.now.0 - crew.since.0).max(60_000);
        let share = if self.draw(&["moved", &name], 0, 5) == 0 { self.draw(&["age", &name], 10, 90) } else { 100 };
        let age = age / 100 * share;
        let made = Millis(self.bake.now.0 - age + n * 19_000 % (age / 4).max(1));
        let mut pod = self.bake.new_object(kinds::PODS, pod, by, made);
        self.report(&mut pod, made, crew.restarts);
        self.bake.load(kinds::PODS, pod.clone());
        pod
    }

    fn report(&self, pod: &mut Value, made: Millis, restarts: i64) {
        let down = self.nodes.iter().find(|n| !self.is_up(n)).is_some_and(|n| n == text(pod, "/spec/nodeName"));
        let start = Millis(made.0 + self.draw(&["start", name(pod)], 2, 9) * 1000);
        let facts = |now: Millis, started: Millis| Facts {
            now,
            host_ip: "10.0.0.10",
            pod_ip: "",
            contents: &self.contents,
            restarts,
            started,
        };
        let ip = kubelet::pod_ip(pod);
        let first = status::status(pod, Stage::Running(false), &Facts { pod_ip: &ip, ..facts(start, start) });
        pod["status"] = first;
        let ways = status::pod_behaviour(pod);
        // The last crash lies within the present wait, which is five minutes at most.
        let crash = Millis(self.bake.now.0 - self.draw(&["crash", name(pod)], 5, 280) * 1000);
        let (stage, at, started) = match ways {
            Behaviour::Well => (Stage::Running(true), Millis(start.0 + 4000), start),
            Behaviour::Unready => (Stage::Running(false), start, start),
            Behaviour::NoPull => (Stage::PullFailed(true), start, start),
            Behaviour::Crash => (Stage::BackOff, crash, Millis(crash.0 - 1000)),
        };
        let mut status = status::status(pod, stage, &Facts { pod_ip: &ip, ..facts(at, started) });
        if down {
            node_lost(&mut status, &stamp(self.bake.ago(nodes::DOWN_MINUTES)));
        }
        unset(pod, "", "status");
        self.bake.report(kinds::PODS, pod, KUBELET, at, status);
    }

    /// Whether the node answers.
    pub fn is_up(&self, node: &str) -> bool {
        let (down, _) = nodes::sick(self.cluster);
        down.and_then(|n| self.nodes.get(n)).is_none_or(|n| n != node)
    }

    /// The node that does not answer.
    pub fn lost_node(&self) -> Option<&str> {
        self.nodes.iter().map(String::as_str).find(|n| !self.is_up(n))
    }

    /// A pod on the lost node that was told to go and never answered.
    pub fn stuck_pod(&self, pod: Value, since: Millis) {
        let Some(node) = self.lost_node() else { return };
        let mut pod = self.pod(pod, node, Crew { since, restarts: 0 }, 0, KCM);
        let gone = Millis(self.bake.ago(nodes::DOWN_MINUTES - 5).0 + 30_000);
        pod["metadata"]["deletionTimestamp"] = json!(stamp(gone));
        pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        self.bake.load(kinds::PODS, pod);
    }

    /// A warning about an object, last given so many minutes ago.
    pub fn warning(&self, about: &Value, reason: &str, message: &str, component: &str, count: i64, minutes: i64) {
        let last = self.bake.ago(minutes);
        let first = Millis(last.0 - (count - 1) * 97_000);
        let event_name = format!("{}.{:016x}", name(about), seed::number(&[uid(about), reason, message]));
        let space = if namespace(about).is_empty() { "default" } else { namespace(about) };
        let event = json!({
            "metadata": {"name": event_name, "namespace": space},
            "involvedObject": {"apiVersion": about["apiVersion"], "kind": about["kind"], "name": name(about),
                "namespace": namespace(about), "uid": uid(about)},
            "type": "Warning", "reason": reason, "message": message, "count": count, "firstTimestamp": stamp(first),
            "lastTimestamp": stamp(last), "eventTime": null, "source": {"component": component},
            "reportingComponent": component, "reportingInstance": "",
        });
        let by = if component == "kubelet" { KUBELET } else { KCM };
        self.bake.put(kinds::EVENTS, event, by, first);
    }
}

fn node_lost(status: &mut Value, since: &str) {
    for c in status["conditions"].as_array_mut().into_iter().flatten() {
        if matches!(text(c, "/type"), "Ready" | "ContainersReady") {
            c["status"] = json!("False");
            c["lastTransitionTime"] = json!(since);
        }
    }
}
