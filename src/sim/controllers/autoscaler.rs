//! HorizontalPodAutoscalers: replicas that follow a scripted load within their bounds.
//!
//! The load is a slow wave of the seed and the target's name, and only where the annotation [`LOAD`] asks for it; other
//! autoscalers report what is there and change nothing.

use serde_json::{Value, json};

use super::{Ctx, Key, ctx::MANAGER, seed, value::*};
use crate::{
    model::Millis,
    sim::{
        kinds::{self, Rid},
        store::Writer,
    },
};

/// Annotation of an autoscaler whose load is scripted; its value is the length of the wave in minutes.
pub const LOAD: &str = "sim.quarterdeck.dev/load-minutes";

/// How often a scripted load is looked at.
const PERIOD_MS: i64 = 60_000;

/// Moves the target and reports.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let scaler = ctx.get(key)?;
    let target = target(&scaler)?;
    let object = ctx.get(&target)?;
    let current = int(&object, "/spec/replicas", 1);
    let minutes: i64 = annotation(&scaler, LOAD).parse().unwrap_or(0);
    let desired = if minutes > 0 { wanted(ctx, &scaler, minutes) } else { current };
    if desired != current {
        let by = Writer { manager: MANAGER, subresource: "scale", dry_run: false };
        ctx.write(&target, &by, |o| o["spec"]["replicas"] = json!(desired));
        let message =
            format!("New size: {desired}; reason: cpu resource utilization (percentage of request) above target");
        ctx.event(&scaler, "Normal", "SuccessfulRescale", &message, "horizontal-pod-autoscaler");
    }
    let status = status(&scaler, current, desired, ctx.now);
    if at(&scaler, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
    (minutes > 0).then(|| ctx.after(PERIOD_MS))
}

fn target(scaler: &Value) -> Option<Key> {
    let reference = at(scaler, "/spec/scaleTargetRef");
    let rid: Rid = match text(reference, "/kind") {
        "Deployment" => kinds::DEPLOYMENTS,
        "StatefulSet" => kinds::STATEFULSETS,
        "CloneSet" => kinds::CLONESETS,
        "Rollout" => kinds::ROLLOUTS,
        _ => return None,
    };
    Some(Key::new(rid, namespace(scaler), text(reference, "/name")))
}

/// The size for the load of this minute, one step at a time so that rollouts stay readable.
fn wanted(ctx: &Ctx<'_>, scaler: &Value, minutes: i64) -> i64 {
    let (low, high) = (int(scaler, "/spec/minReplicas", 1), int(scaler, "/spec/maxReplicas", 1));
    let period = minutes * 60_000;
    let shift = seed::between(ctx.options.seed, &["load", name(scaler)], 0, period);
    let phase = (ctx.now.0 + shift).rem_euclid(period);
    // A triangle: up in the first half, down in the second.
    let half = period / 2;
    let height = if phase < half { phase } else { period - phase };
    (low + (high - low) * height / half.max(1)).clamp(low, high.max(low))
}

/// The status of an autoscaler.
pub fn status(scaler: &Value, current: i64, desired: i64, now: Millis) -> Value {
    let (low, high) = (int(scaler, "/spec/minReplicas", 1), int(scaler, "/spec/maxReplicas", 1));
    let share = if high > low { 30 + 55 * (desired - low) / (high - low) } else { 50 };
    let scaled = if current == desired { text(scaler, "/status/lastScaleTime").to_owned() } else { stamp(now) };
    let cond = |kind: &str, holds: bool, reason: &str, message: &str| {
        let state = if holds { "True" } else { "False" };
        let held = condition(scaler, kind).filter(|c| text(c, "/status") == state);
        let since = held.map_or_else(|| stamp(now), |c| text(c, "/lastTransitionTime").to_owned());
        json!({"type": kind, "status": state, "reason": reason, "message": message, "lastTransitionTime": since})
    };
    let limited = desired == high || desired == low;
    let mut status = json!({
        "currentReplicas": current, "desiredReplicas": desired, "observedGeneration": 1,
        "currentMetrics": [{"type": "Resource", "resource": {"name": "cpu", "current": {
            "averageUtilization": share, "averageValue": format!("{}m", share * 5)}}}],
        "conditions": [
            cond("AbleToScale", true, "ReadyForNewScale", "recommended size matches current size"),
            cond("ScalingActive", true, "ValidMetricFound", "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)"),
            cond("ScalingLimited", limited, if limited { "TooFewReplicas" } else { "DesiredWithinRange" }, "the desired count is within the acceptable range"),
        ],
    });
    if !scaled.is_empty() {
        status["lastScaleTime"] = json!(scaled);
    }
    status
}
