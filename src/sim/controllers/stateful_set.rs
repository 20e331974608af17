//! StatefulSets of both groups: numbered pods, made in order, replaced from the highest number down to the partition.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Ctx, Key, amount::Amount, ctx::MANAGER, pods, revision, value::*};
use crate::{model::Millis, sim::kinds};

/// Makes, replaces or removes the next pod and reports.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let set = ctx.get(key)?;
    if deleting(&set) {
        return None;
    }
    let update = revision::ensure(ctx, &set);
    let all = ctx.owned(uid(&set), kinds::PODS);
    let plan = Plan::of(&set, update, &all);
    plan.act(ctx, &set, &all);
    let all = ctx.owned(uid(&set), kinds::PODS);
    let (status, next) = plan.status(&set, &all, ctx.now);
    if at(&set, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
    next
}

/// What is wanted of a StatefulSet.
struct Plan {
    ordinals: Vec<i64>,
    /// Ordinals that stay on the old revision.
    kept_old: Vec<i64>,
    update: String,
    current: String,
    parallel: bool,
    paused: bool,
    max_unavailable: i64,
}

impl Plan {
    fn of(set: &Value, update: String, all: &[Value]) -> Self {
        let replicas = int(set, "/spec/replicas", 1);
        let kruise = text(set, "/apiVersion").starts_with("apps.kruise.io/");
        let ordinals = ordinals(set, replicas, kruise);
        let rolling = at(set, "/spec/updateStrategy/rollingUpdate");
        let partition = int(rolling, "/partition", 0).max(0);
        let kept_old = kept_old(&ordinals, partition, kruise);
        let parallel = text(set, "/spec/podManagementPolicy") == "Parallel";
        let held = text(set, "/status/currentRevision");
        let oldest = all.iter().map(|p| revision::hash_of(set, p)).find(|h| !h.is_empty() && *h != update);
        let current =
            held.strip_prefix(name(set)).and_then(|h| h.strip_prefix('-')).or(oldest).unwrap_or(&update).to_owned();
        let unavailable = Amount::read(rolling.get("maxUnavailable"), Amount::Count(1)).up(replicas).max(1);
        let on_delete = text(set, "/spec/updateStrategy/type") == "OnDelete";
        Self {
            kept_old,
            update,
            current,
            parallel,
            paused: truth(rolling, "/paused") || on_delete,
            max_unavailable: if parallel { unavailable } else { 1 },
            ordinals,
        }
    }

    fn act(&self, ctx: &Ctx<'_>, set: &Value, all: &[Value]) {
        let by_ordinal: BTreeMap<i64, &Value> = all.iter().filter_map(|p| Some((ordinal(set, p)?, p))).collect();
        if by_ordinal.values().any(|p| deleting(p)) && !self.parallel {
            return;
        }
        for n in &self.ordinals {
            match by_ordinal.get(n) {
                None => {
                    self.make(ctx, set, *n);
                    if !self.parallel {
                        return;
                    }
                }
                Some(pod) if !self.parallel && !is_true(pod, "Ready") && revision::hash_of(set, pod) == self.update => {
                    return;
                }
                Some(_) => {}
            }
        }
        let surplus: Vec<&Value> =
            by_ordinal.iter().rev().filter(|(n, _)| !self.ordinals.contains(n)).map(|(_, p)| *p).collect();
        for pod in surplus.iter().take(if self.parallel { usize::MAX } else { 1 }).filter(|p| !deleting(p)) {
            ctx.delete(kinds::PODS, namespace(pod), name(pod));
        }
        if surplus.is_empty() && !self.paused {
            self.replace(ctx, set, &by_ordinal);
        }
    }

    fn make(&self, ctx: &Ctx<'_>, set: &Value, n: i64) {
        let old = self.kept_old.contains(&n) && !self.current.is_empty();
        let hash = if old { &self.current } else { &self.update };
        let template = if old { revision::template(ctx, set, hash) } else { at(set, "/spec/template").clone() };
        let pod = pod(set, &template, n, hash);
        if ctx.create(kinds::PODS, pod, MANAGER) {
            let message = format!("create Pod {0}-{n} in StatefulSet {0} successful", name(set));
            ctx.event(set, "Normal", "SuccessfulCreate", &message, "statefulset-controller");
        }
    }

    fn replace(&self, ctx: &Ctx<'_>, set: &Value, by_ordinal: &BTreeMap<i64, &Value>) {
        let sick = by_ordinal.values().filter(|p| !is_true(p, "Ready")).count();
        let mut budget = self.max_unavailable - i64::try_from(sick).unwrap_or(0);
        for (n, pod) in by_ordinal.iter().rev() {
            if self.kept_old.contains(n) || revision::hash_of(set, pod) == self.update || deleting(pod) {
                continue;
            }
            // A pod that is not ready takes nothing away from anybody.
            let free = !is_true(pod, "Ready");
            if budget <= 0 && !free {
                return;
            }
            budget -= i64::from(!free);
            ctx.delete(kinds::PODS, namespace(pod), name(pod));
            if !self.parallel {
                return;
            }
        }
    }

    fn status(&self, set: &Value, all: &[Value], now: Millis) -> (Value, Option<Millis>) {
        let count = pods::count(all, int(set, "/spec/minReadySeconds", 0), now);
        let on = |hash: &str| all.iter().filter(|p| active(p) && revision::hash_of(set, p) == hash).count();
        let updated = on(&self.update);
        let wanted = self.ordinals.len();
        let complete = updated == wanted && count.ready == i64::try_from(wanted).unwrap_or(0) && all.len() == wanted;
        let current = if complete && self.kept_old.is_empty() { &self.update } else { &self.current };
        let status = json!({
            "observedGeneration": int(set, "/metadata/generation", 1), "replicas": count.all, "readyReplicas": count.ready,
            "availableReplicas": count.available, "currentReplicas": on(current), "updatedReplicas": updated,
            "currentRevision": revision::label_value(set, current), "updateRevision": revision::label_value(set, &self.update),
            "collisionCount": 0,
        });
        (status, count.next)
    }
}

/// A numbered pod.
pub fn pod(set: &Value, template: &Value, n: i64, hash: &str) -> Value {
    let pod_name = format!("{}-{n}", name(set));
    let label = revision::label_value(set, hash);
    let index = n.to_string();
    let extra = [
        (revision::LABEL, label.as_str()),
        ("statefulset.kubernetes.io/pod-name", pod_name.as_str()),
        ("apps.kubernetes.io/pod-index", index.as_str()),
    ];
    let mut pod = super::value::pod(set, template, &pod_name, &extra);
    pod["spec"]["hostname"] = json!(pod_name);
    pod["spec"]["subdomain"] = json!(text(set, "/spec/serviceName"));
    pod
}

fn ordinal(set: &Value, pod: &Value) -> Option<i64> {
    name(pod).strip_prefix(name(set))?.strip_prefix('-')?.parse().ok()
}

/// Numbers of the wanted pods: from `ordinals.start` (built-in group), or without the reserved ones (OpenKruise).
fn ordinals(set: &Value, replicas: i64, kruise: bool) -> Vec<i64> {
    if !kruise {
        let start = int(set, "/spec/ordinals/start", 0);
        return (start..start + replicas.max(0)).collect();
    }
    let reserved = reserved(list(set, "/spec/reserveOrdinals"));
    (0..)
        .filter(|n| !reserved.iter().any(|(a, b)| a <= n && n <= b))
        .take(usize::try_from(replicas).unwrap_or(0))
        .collect()
}

fn reserved(items: &[Value]) -> Vec<(i64, i64)> {
    let range = |item: &Value| match item {
        Value::Number(n) => n.as_i64().map(|n| (n, n)),
        Value::String(s) => match s.split_once('-') {
            Some((a, b)) => Some((a.parse().ok()?, b.parse().ok()?)),
            None => s.parse().ok().map(|n| (n, n)),
        },
        _ => None,
    };
    items.iter().filter_map(range).collect()
}

/// The built-in group keeps ordinals below the partition; OpenKruise keeps as many of the lowest.
fn kept_old(ordinals: &[i64], partition: i64, kruise: bool) -> Vec<i64> {
    if kruise {
        return ordinals.iter().copied().take(usize::try_from(partition).unwrap_or(0)).collect();
    }
    ordinals.iter().copied().filter(|n| *n < partition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_ordinals_are_skipped_and_counted_for_the_partition() {
        let set = json!({"spec": {"reserveOrdinals": [1, "2-2"]}});
        let four = ordinals(&set, 4, true);
        assert_eq!(four, [0, 3, 4, 5]);
        assert_eq!(kept_old(&four, 3, true), [0, 3, 4]);
        assert_eq!(kept_old(&four, 3, false), [0]);
        assert_eq!(ordinals(&json!({"spec": {"ordinals": {"start": 5}}}), 2, false), [5, 6]);
    }
}
