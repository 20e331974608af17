//! ReplicaSets: as many pods of one template as are wanted.

use serde_json::{Value, json};

use super::{
    Ctx, Key,
    ctx::MANAGER,
    pods::{self, Count},
    seed,
    value::*,
};
use crate::{model::Millis, sim::kinds};

/// Makes or removes pods and reports what is there.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let set = ctx.get(key)?;
    if deleting(&set) {
        return None;
    }
    let mut all = ctx.owned(uid(&set), kinds::PODS);
    all.retain(active);
    let want = int(&set, "/spec/replicas", 1);
    let have = i64::try_from(all.len()).unwrap_or(i64::MAX);
    if have < want {
        grow(ctx, &set, want - have);
    } else if have > want {
        shrink(ctx, &set, &mut all, have - want);
    }
    let counted = pods::count(&all, int(&set, "/spec/minReadySeconds", 0), ctx.now);
    let status = status(&set, counted);
    if at(&set, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
    counted.next
}

/// The status of a ReplicaSet with so many pods.
pub fn status(set: &Value, count: Count) -> Value {
    let mut status = json!({"replicas": count.all, "observedGeneration": int(set, "/metadata/generation", 1)});
    for (key, value) in
        [("fullyLabeledReplicas", count.all), ("readyReplicas", count.ready), ("availableReplicas", count.available)]
    {
        if value > 0 {
            status[key] = json!(value);
        }
    }
    status
}

fn grow(ctx: &Ctx<'_>, set: &Value, by: i64) {
    let template = at(set, "/spec/template");
    let mut made = 0;
    // Names follow from the set and a number; a number whose pod still exists is passed over.
    for n in 0..by * 4 + 200 {
        if made == by {
            return;
        }
        let tail = seed::suffix(ctx.options.seed, &[uid(set), &ctx.now.0.to_string(), &n.to_string()], 5);
        let pod_name = format!("{}-{tail}", name(set));
        let mut new = pod(set, template, &pod_name, &[]);
        new["metadata"]["generateName"] = json!(format!("{}-", name(set)));
        if ctx.create(kinds::PODS, new, MANAGER) {
            made += 1;
            ctx.event(set, "Normal", "SuccessfulCreate", &format!("Created pod: {pod_name}"), "replicaset-controller");
        } else if ctx.store.get(kinds::PODS, namespace(set), &pod_name).is_none() {
            return;
        }
    }
}

fn shrink(ctx: &Ctx<'_>, set: &Value, all: &mut Vec<Value>, by: i64) {
    pods::removal_order(all);
    let by = usize::try_from(by).unwrap_or(0);
    for gone in all.drain(..by.min(all.len())) {
        ctx.delete(kinds::PODS, namespace(&gone), name(&gone));
        let message = format!("Deleted pod: {}", name(&gone));
        ctx.event(set, "Normal", "SuccessfulDelete", &message, "replicaset-controller");
    }
}
