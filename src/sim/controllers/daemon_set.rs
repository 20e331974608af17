//! DaemonSets of both groups: one pod on each node that fits.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Ctx, Key,
    amount::{Amount, daemon_set_kept_old},
    ctx::MANAGER,
    pods, revision, seed,
    value::*,
};
use crate::{model::Millis, sim::kinds};

/// Places, replaces or removes pods and reports.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let set = ctx.get(key)?;
    if deleting(&set) {
        return None;
    }
    let hash = revision::ensure(ctx, &set);
    let nodes = nodes(ctx, &set);
    let all = ctx.owned(uid(&set), kinds::PODS);
    place(ctx, &set, &hash, &nodes, &all);
    replace(ctx, &set, &hash, &nodes, &all);
    let all = ctx.owned(uid(&set), kinds::PODS);
    let (status, next) = status(&set, &hash, &nodes, &all, ctx.now);
    if at(&set, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
    next
}

/// Names of the nodes that the set's pods belong on.
fn nodes(ctx: &Ctx<'_>, set: &Value) -> Vec<String> {
    let wanted = at(set, "/spec/template/spec/nodeSelector");
    let fits = |get: &dyn Fn(&str) -> Option<String>| {
        wanted.as_object().is_none_or(|m| m.iter().all(|(k, v)| get(k).as_deref() == v.as_str()))
    };
    let all = ctx.store.list(kinds::NODES, None).items;
    all.iter().filter(|n| fits(&|k| n.label(k).map(str::to_owned))).map(|n| n.name().to_owned()).collect()
}

fn node_of(pod: &Value) -> &str {
    text(pod, "/spec/nodeName")
}

fn place(ctx: &Ctx<'_>, set: &Value, hash: &str, nodes: &[String], all: &[Value]) {
    for node in nodes.iter().filter(|n| !all.iter().any(|p| node_of(p) == n.as_str())) {
        let tail = seed::suffix(ctx.options.seed, &[uid(set), node, &ctx.now.0.to_string()], 5);
        ctx.create(kinds::PODS, pod(set, hash, node, &tail), MANAGER);
    }
    for pod in all.iter().filter(|p| !deleting(p) && !nodes.iter().any(|n| n == node_of(p))) {
        ctx.delete(kinds::PODS, namespace(pod), name(pod));
    }
}

/// A daemon's pod on a node.
pub fn pod(set: &Value, hash: &str, node: &str, tail: &str) -> Value {
    let generation = int(set, "/metadata/generation", 1).to_string();
    let label = revision::label_value(set, hash);
    let extra = [(revision::LABEL, label.as_str()), ("pod-template-generation", generation.as_str())];
    let mut pod = super::value::pod(set, at(set, "/spec/template"), &format!("{}-{tail}", name(set)), &extra);
    pod["metadata"]["generateName"] = json!(format!("{}-", name(set)));
    pod["spec"]["nodeName"] = json!(node);
    pod["spec"]["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}}});
    pod
}

fn replace(ctx: &Ctx<'_>, set: &Value, hash: &str, nodes: &[String], all: &[Value]) {
    let rolling = at(set, "/spec/updateStrategy/rollingUpdate");
    if text(set, "/spec/updateStrategy/type") == "OnDelete" || truth(rolling, "/paused") {
        return;
    }
    let total = i64::try_from(nodes.len()).unwrap_or(0);
    let kept = daemon_set_kept_old(Amount::read(rolling.get("partition"), Amount::Count(0)), total);
    let by_node: BTreeMap<&str, &Value> = all.iter().filter(|p| !deleting(p)).map(|p| (node_of(p), p)).collect();
    let max = Amount::read(rolling.get("maxUnavailable"), Amount::Count(1)).up(total).max(1);
    let down = nodes.iter().filter(|n| by_node.get(n.as_str()).is_none_or(|p| !is_true(p, "Ready"))).count();
    let mut budget = max - i64::try_from(down).unwrap_or(0);
    let updated = by_node.values().filter(|p| revision::hash_of(set, p) == hash).count();
    let mut left = total - kept - i64::try_from(updated).unwrap_or(0);
    for pod in by_node.values().rev().filter(|p| revision::hash_of(set, p) != hash) {
        let free = !is_true(pod, "Ready");
        if left <= 0 || (budget <= 0 && !free) {
            return;
        }
        budget -= i64::from(!free);
        left -= 1;
        ctx.delete(kinds::PODS, namespace(pod), name(pod));
    }
}

/// The status of a DaemonSet over its pods.
pub fn status(set: &Value, hash: &str, nodes: &[String], all: &[Value], now: Millis) -> (Value, Option<Millis>) {
    let there: Vec<&Value> = all.iter().filter(|p| active(p) && nodes.iter().any(|n| n == node_of(p))).collect();
    let count = pods::count(there.iter().copied(), int(set, "/spec/minReadySeconds", 0), now);
    let updated = there.iter().filter(|p| revision::hash_of(set, p) == hash).count();
    let wanted = i64::try_from(nodes.len()).unwrap_or(0);
    let mut status = json!({
        "observedGeneration": int(set, "/metadata/generation", 1), "desiredNumberScheduled": wanted,
        "currentNumberScheduled": count.all, "numberMisscheduled": 0, "numberReady": count.ready,
        "updatedNumberScheduled": updated, "numberAvailable": count.available,
    });
    if wanted > count.available {
        status["numberUnavailable"] = json!(wanted - count.available);
    }
    if text(set, "/apiVersion").starts_with("apps.kruise.io/") {
        status["daemonSetHash"] = json!(hash);
        status["updateRevision"] = json!(format!("{}-{hash}", name(set)));
    }
    (status, count.next)
}
