//! EndpointSlices of Services, and the state of PodDisruptionBudgets: both follow from the pods that a selector picks.

use serde_json::{Value, json};

use super::{Ctx, Key, amount::Amount, ctx::MANAGER, seed, value::*};
use crate::{
    model::Millis,
    sim::{kinds, object::Stored},
};

/// Keeps the EndpointSlice of a Service.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let service = ctx.get(key)?;
    let selector = at(&service, "/spec/selector");
    if deleting(&service) || !selector.is_object() || text(&service, "/spec/type") == "ExternalName" {
        return None;
    }
    let pods = picked(ctx, key, |p| selects_plain(selector, |k| p.label(k)));
    let slice = slice(ctx.options.seed, &service, &pods);
    let slice_key = Key::new(kinds::ENDPOINTSLICES, key.namespace(), name(&slice));
    match ctx.get(&slice_key) {
        None => {
            ctx.create(kinds::ENDPOINTSLICES, slice, MANAGER);
        }
        Some(held) if held["endpoints"] != slice["endpoints"] || held["ports"] != slice["ports"] => {
            ctx.modify(&slice_key, MANAGER, |s| {
                s["endpoints"] = slice["endpoints"].clone();
                s["ports"] = slice["ports"].clone();
            });
        }
        Some(_) => {}
    }
    None
}

/// The pods of the namespace whose stored labels are picked; only those are parsed.
fn picked(ctx: &Ctx<'_>, key: &Key, picks: impl Fn(&Stored) -> bool) -> Vec<Value> {
    let resource = ctx.store.resource(kinds::PODS);
    let all = ctx.store.list(kinds::PODS, Some(key.namespace())).items;
    all.iter().filter(|p| picks(p)).map(|p| p.value(&resource)).collect()
}

/// The EndpointSlice of a Service over its pods.
pub fn slice(seed: u64, service: &Value, pods: &[Value]) -> Value {
    let endpoints: Vec<Value> = pods
        .iter()
        .filter(|p| active(p) && !text(p, "/status/podIP").is_empty())
        .map(|p| {
            let ready = is_true(p, "Ready");
            json!({"addresses": [text(p, "/status/podIP")], "conditions": {"ready": ready, "serving": ready, "terminating": false},
                "nodeName": text(p, "/spec/nodeName"),
                "targetRef": {"kind": "Pod", "namespace": namespace(p), "name": name(p), "uid": uid(p)}})
        })
        .collect();
    let ports: Vec<Value> = list(service, "/spec/ports")
        .iter()
        .map(|p| {
            let port = if p["targetPort"].is_number() { &p["targetPort"] } else { &p["port"] };
            json!({"name": text(p, "/name"), "port": port, "protocol": p.get("protocol").cloned().unwrap_or_else(|| json!("TCP"))})
        })
        .collect();
    let tail = seed::suffix(seed, &["slice", uid(service)], 5);
    json!({
        "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": {"name": format!("{}-{tail}", name(service)), "namespace": namespace(service), "ownerReferences": owned_by(service),
            "generateName": format!("{}-", name(service)),
            "labels": {"kubernetes.io/service-name": name(service), "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}},
        "endpoints": endpoints, "ports": ports,
    })
}

/// Reports how many pods of a budget may go.
pub fn reconcile_budget(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let budget = ctx.get(key)?;
    let selector = at(&budget, "/spec/selector");
    let pods = picked(ctx, key, |p| selects(selector, |k| p.label(k)));
    let status = budget_status(&budget, &pods, ctx.now);
    if at(&budget, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
    None
}

/// The status of a PodDisruptionBudget over its pods.
pub fn budget_status(budget: &Value, pods: &[Value], now: Millis) -> Value {
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let expected = number(pods.iter().filter(|p| active(p)).count());
    let healthy = number(pods.iter().filter(|p| active(p) && is_true(p, "Ready")).count());
    let spec = at(budget, "/spec");
    let desired = match spec.get("maxUnavailable") {
        Some(max) => (expected - Amount::read(Some(max), Amount::Count(0)).up(expected)).max(0),
        None => Amount::read(spec.get("minAvailable"), Amount::Count(1)).up(expected),
    };
    let allowed = (healthy - desired).max(0);
    let state = if allowed > 0 { "True" } else { "False" };
    let reason = if allowed > 0 { "SufficientPods" } else { "InsufficientPods" };
    let held = condition(budget, "DisruptionAllowed").filter(|c| text(c, "/status") == state);
    let since = held.map_or_else(|| stamp(now), |c| text(c, "/lastTransitionTime").to_owned());
    let generation = int(budget, "/metadata/generation", 1);
    json!({
        "currentHealthy": healthy, "desiredHealthy": desired, "disruptionsAllowed": allowed, "expectedPods": expected,
        "observedGeneration": generation,
        "conditions": [{"type": "DisruptionAllowed", "status": state, "reason": reason, "message": "",
            "lastTransitionTime": since, "observedGeneration": generation}],
    })
}
