//! Use of processor and memory as metrics-server would report it: seeded, slowly moving, below what was requested most of
//! the time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::{
    model::Millis,
    sim::{
        controllers::{seed, value::*},
        kinds::{self, Rid},
        store::ClusterStore,
    },
};

/// Millicores and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Use {
    cpu: i64,
    memory: i64,
}

/// How long measured values are given out before new ones are measured.
const WINDOW_MS: i64 = 15_000;

/// Measures anew when the values in the store are older than the window: metrics are made when somebody asks.
pub fn refresh(store: &ClusterStore, seed: u64) {
    let now = store.clock.now();
    let resource = store.resource(kinds::NODE_METRICS);
    let held = store.list(kinds::NODE_METRICS, None).items;
    let last = held.first().and_then(|m| time(&m.value(&resource), "/timestamp"));
    if last.is_some_and(|t| now.0 - t.0 < WINDOW_MS) {
        return;
    }
    let mut fresh = BTreeSet::new();
    for (rid, object) in measure(store, seed, now) {
        fresh.insert(store.load(rid, object).key.to_string());
    }
    for rid in [kinds::NODE_METRICS, kinds::POD_METRICS] {
        for old in store.list(rid, None).items.iter().filter(|o| !fresh.contains(&*o.key)) {
            store.finish(rid, old.namespace(), old.name());
        }
    }
}

fn measure(store: &ClusterStore, seed: u64, now: Millis) -> Vec<(Rid, Value)> {
    let resource = store.resource(kinds::PODS);
    let pods = store.list(kinds::PODS, None).items;
    let mut all: Vec<(Rid, Value)> =
        pods.iter().filter_map(|p| Some((kinds::POD_METRICS, pod(&p.value(&resource), seed, now)?))).collect();
    all.extend(nodes(store, seed).into_iter().map(|n| (kinds::NODE_METRICS, n)));
    all
}

/// `PodMetrics` of a running pod; `None` for one that does not run.
fn pod(pod: &Value, seed: u64, now: Millis) -> Option<Value> {
    if text(pod, "/status/phase") != "Running" {
        return None;
    }
    let containers: Vec<Value> = list(pod, "/spec/containers")
        .iter()
        .map(|c| {
            let used = container(pod, c, seed, now);
            json!({"name": text(c, "/name"), "usage": usage(used)})
        })
        .collect();
    Some(json!({
        "apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics",
        "metadata": {"name": name(pod), "namespace": namespace(pod), "labels": at(pod, "/metadata/labels"), "creationTimestamp": stamp(now)},
        "timestamp": stamp(now), "window": "15s", "containers": containers,
    }))
}

/// `NodeMetrics` of all nodes that answer: what their pods use and a little for the system.
fn nodes(store: &ClusterStore, seed: u64) -> Vec<Value> {
    let now = store.clock.now();
    let resource = store.resource(kinds::PODS);
    let mut used = BTreeMap::<String, Use>::new();
    for stored in store.list(kinds::PODS, None).items {
        let Some(node) = stored.field("spec.nodeName").filter(|n| !n.is_empty()) else { continue };
        let sum = used.entry(node.to_owned()).or_default();
        let pod = stored.value(&resource);
        for c in list(&pod, "/spec/containers") {
            let one = container(&pod, c, seed, now);
            sum.cpu += one.cpu;
            sum.memory += one.memory;
        }
    }
    let resource = store.resource(kinds::NODES);
    let all = store.list(kinds::NODES, None).items;
    let answering = all.iter().map(|n| n.value(&resource)).filter(|n| is_true(n, "Ready"));
    answering
        .map(|node| {
            let of_pods = used.get(name(&node)).copied().unwrap_or_default();
            let mut total = Use { cpu: of_pods.cpu + 120, memory: of_pods.memory + (900 << 20) };
            if is_true(&node, "MemoryPressure") {
                total.memory = quantity(text(&node, "/status/allocatable/memory")) / 100 * 96;
            }
            json!({
                "apiVersion": "metrics.k8s.io/v1beta1", "kind": "NodeMetrics",
                "metadata": {"name": name(&node), "labels": at(&node, "/metadata/labels"), "creationTimestamp": stamp(now)},
                "timestamp": stamp(now), "window": "20s", "usage": usage(total),
            })
        })
        .collect()
}

fn usage(used: Use) -> Value {
    json!({"cpu": format!("{}n", used.cpu * 1_000_000), "memory": format!("{}Ki", used.memory >> 10)})
}

fn container(pod: &Value, container: &Value, seed: u64, now: Millis) -> Use {
    let key = [uid(pod), text(container, "/name")];
    let requests = at(container, "/resources/requests");
    let cpu = Some(millicores(text(requests, "/cpu"))).filter(|c| *c > 0).unwrap_or(100);
    let memory = Some(quantity(text(requests, "/memory"))).filter(|m| *m > 0).unwrap_or(128 << 20);
    // A level of its own, and a wave of twenty minutes around it.
    let level = seed::between(seed, &["level", key[0], key[1]], 20, 75);
    let phase = (now.0 / 1000 + seed::between(seed, &["phase", key[0], key[1]], 0, 1200)).rem_euclid(1200);
    let wave = (if phase < 600 { phase } else { 1200 - phase }) / 30 - 10;
    let share = (level + wave).max(2);
    Use { cpu: cpu * share / 100, memory: memory * (level + 15 + wave / 4) / 100 }
}

/// Thousandths of a core in a quantity (`250m`, `2`).
fn millicores(text: &str) -> i64 {
    match text.strip_suffix('m') {
        Some(m) => m.parse().unwrap_or(0),
        None => text.parse::<f64>().map_or(0, |c| (c * 1000.0) as i64),
    }
}

/// Bytes in a quantity (`256Mi`, `1G`).
fn quantity(text: &str) -> i64 {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: i64 = text[..digits].parse().unwrap_or(0);
    let factor = match &text[digits..] {
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1_i64 << 40,
        "k" => 1000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => 1,
    };
    number * factor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_follows_from_the_request_and_the_moment() {
        let p = json!({"metadata": {"name": "p", "uid": "u"}, "status": {"phase": "Running"}, "spec": {"containers": [
            {"name": "main", "resources": {"requests": {"cpu": "250m", "memory": "256Mi"}}}]}});
        let now = Millis(1_796_042_727_000);
        assert_eq!(pod(&p, 3, now), pod(&p, 3, now));
        let used = pod(&p, 3, now).unwrap();
        let cpu: i64 = text(&used, "/containers/0/usage/cpu").trim_end_matches('n').parse().unwrap();
        assert!((5_000_000..250_000_000).contains(&cpu), "{cpu}");
        assert_eq!((millicores("1.5"), quantity("256Mi")), (1500, 256 << 20));
    }
}
