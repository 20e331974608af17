//! OpenKruise CloneSets: pods without ReplicaSets, a partition that stays old, at most so many unavailable.

use serde_json::{Value, json};

use super::{
    Ctx, Key,
    amount::{Amount, clone_set_kept_old},
    pods, revision, seed,
    value::*,
};
use crate::{model::Millis, sim::kinds};

/// Field manager of OpenKruise's controllers.
const MANAGER: &str = "kruise-manager";

/// Makes, replaces or removes pods and reports.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let set = ctx.get(key)?;
    if deleting(&set) {
        return None;
    }
    let update = revision::ensure(ctx, &set);
    let all = ctx.owned(uid(&set), kinds::PODS);
    let current = current(&set, &all, &update);
    let wish = Wish::of(&set);
    act(ctx, &set, &wish, &all, &update, &current);
    let all = ctx.owned(uid(&set), kinds::PODS);
    let (status, next) = status(&set, &all, &update, &current, ctx.now);
    if at(&set, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
    next
}

/// What is wanted, read from either version's shape.
struct Wish {
    replicas: i64,
    kept_old: i64,
    max_unavailable: i64,
    max_surge: i64,
    paused: bool,
}

impl Wish {
    fn of(set: &Value) -> Self {
        let strategy = at(set, "/spec/updateStrategy");
        let inner = strategy.get("rollingUpdate").unwrap_or(strategy);
        let replicas = int(set, "/spec/replicas", 1);
        let surge = Amount::read(inner.get("maxSurge"), Amount::Count(0)).up(replicas);
        let unavailable = Amount::read(inner.get("maxUnavailable"), Amount::Percent(20));
        let unavailable = if surge > 0 { unavailable.down(replicas) } else { unavailable.up(replicas).max(1) };
        Self {
            replicas,
            kept_old: clone_set_kept_old(Amount::read(inner.get("partition"), Amount::Count(0)), replicas),
            max_unavailable: unavailable,
            max_surge: surge,
            paused: truth(inner, "/paused") || text(strategy, "/type") == "OnDelete",
        }
    }
}

fn current(set: &Value, all: &[Value], update: &str) -> String {
    let held = text(set, "/status/currentRevision");
    let held = held.strip_prefix(name(set)).and_then(|h| h.strip_prefix('-'));
    let old =
        all.iter().filter(|p| active(p)).map(|p| revision::hash_of(set, p)).find(|h| !h.is_empty() && *h != update);
    old.or(held).unwrap_or(update).to_owned()
}

fn act(ctx: &Ctx<'_>, set: &Value, wish: &Wish, all: &[Value], update: &str, current: &str) {
    let mut there: Vec<Value> = all.iter().filter(|p| active(p)).cloned().collect();
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let new = number(there.iter().filter(|p| revision::hash_of(set, p) == update).count());
    let target_new = wish.replicas - wish.kept_old;
    let behind = if wish.paused { 0 } else { (target_new - new).max(0) };
    let ceiling = wish.replicas + wish.max_surge.min(behind);
    let missing = ceiling - number(there.len());
    if missing > 0 {
        // New pods fill the new revision first; the partition's pods are made from the old one.
        let fresh = if wish.paused && current != update { 0 } else { behind.min(missing) };
        for n in 0..missing {
            make(ctx, set, if n < fresh { update } else { current }, n);
        }
        return;
    }
    if missing < 0 {
        // Too many of the old revision, then the least useful.
        pods::removal_order(&mut there);
        there.sort_by_key(|p| new <= target_new && revision::hash_of(set, p) == update);
        for pod in there.iter().take(usize::try_from(-missing).unwrap_or(0)) {
            ctx.delete(kinds::PODS, namespace(pod), name(pod));
        }
        return;
    }
    replace(ctx, set, wish, there, update, behind);
}

fn replace(ctx: &Ctx<'_>, set: &Value, wish: &Wish, mut there: Vec<Value>, update: &str, behind: i64) {
    let down = there.iter().filter(|p| !is_true(p, "Ready")).count();
    let mut budget = wish.max_unavailable + wish.max_surge - i64::try_from(down).unwrap_or(0);
    let mut left = behind;
    pods::removal_order(&mut there);
    for pod in there.iter().filter(|p| revision::hash_of(set, p) != update) {
        let free = !is_true(pod, "Ready");
        if left <= 0 || (budget <= 0 && !free) {
            return;
        }
        left -= 1;
        budget -= i64::from(!free);
        ctx.delete(kinds::PODS, namespace(pod), name(pod));
    }
}

fn make(ctx: &Ctx<'_>, set: &Value, hash: &str, n: i64) {
    let template = revision::template(ctx, set, hash);
    let tail = seed::suffix(ctx.options.seed, &[uid(set), &ctx.now.0.to_string(), &n.to_string()], 5);
    let pod = pod(set, &template, hash, &tail);
    if ctx.create(kinds::PODS, pod, MANAGER) {
        let message = format!("succeed to create pod {}-{tail}", name(set));
        ctx.event(set, "Normal", "SuccessfulCreate", &message, "cloneset-controller");
    }
}

/// A CloneSet's pod.
pub fn pod(set: &Value, template: &Value, hash: &str, tail: &str) -> Value {
    let label = revision::label_value(set, hash);
    let extra = [(revision::LABEL, label.as_str()), ("apps.kruise.io/cloneset-instance-id", tail)];
    let mut pod = super::value::pod(set, template, &format!("{}-{tail}", name(set)), &extra);
    pod["metadata"]["generateName"] = json!(format!("{}-", name(set)));
    pod
}

/// The status of a CloneSet over its pods.
pub fn status(set: &Value, all: &[Value], update: &str, current: &str, now: Millis) -> (Value, Option<Millis>) {
    let min_ready = int(set, "/spec/minReadySeconds", 0);
    let count = pods::count(all, min_ready, now);
    let new = pods::count(all.iter().filter(|p| revision::hash_of(set, p) == update), min_ready, now);
    let wish = Wish::of(set);
    let done = new.available == wish.replicas && count.all == wish.replicas;
    let current = if done { update } else { current };
    let status = json!({
        "observedGeneration": int(set, "/metadata/generation", 1), "replicas": count.all, "readyReplicas": count.ready,
        "availableReplicas": count.available, "updatedReplicas": new.all, "updatedReadyReplicas": new.ready,
        "updatedAvailableReplicas": new.available, "expectedUpdatedReplicas": wish.replicas - wish.kept_old,
        "updateRevision": revision::label_value(set, update), "currentRevision": revision::label_value(set, current),
        "collisionCount": 0, "labelSelector": selector_text(at(set, "/spec/selector/matchLabels")),
    });
    (status, count.next)
}

/// `a=b,c=d`.
pub fn selector_text(labels: &Value) -> String {
    let pairs = labels.as_object().into_iter().flatten();
    pairs.map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or(""))).collect::<Vec<_>>().join(",")
}
