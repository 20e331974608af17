//! Argo Rollouts with canary steps: weights, pauses for a time or until a person goes on. Traffic routing is not simulated;
//! a weight is a share of the pods.

use serde_json::{Value, json};

use super::{
    Ctx, Key, amount::Amount, clone_set::selector_text, ctx::sooner, deployment::REVISION, rolling::Limits, value::*,
};
use crate::{model::Millis, sim::kinds};

/// Field manager of Argo Rollouts.
const MANAGER: &str = "rollouts-controller";
const HASH: &str = "rollouts-pod-template-hash";

/// Moves pods towards the present step and reports.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let rollout = ctx.get(key)?;
    if deleting(&rollout) {
        return None;
    }
    let hash = template_hash(at(&rollout, "/spec/template"));
    let mut sets = ctx.owned(uid(&rollout), kinds::REPLICASETS);
    sets.retain(|s| !deleting(s));
    sets.sort_by_cached_key(|s| (text(s, "/metadata/creationTimestamp").to_owned(), name(s).to_owned()));
    let Some(at_new) = sets.iter().position(|s| label(s)(HASH) == Some(&hash)) else {
        let number = sets
            .iter()
            .filter_map(|s| annotation(s, "rollout.argoproj.io/revision").parse::<i64>().ok())
            .max()
            .unwrap_or(0)
            + 1;
        ctx.create(kinds::REPLICASETS, replica_set(&rollout, &number.to_string(), 0), MANAGER);
        ctx.modify(key, MANAGER, |r| {
            set(r, &["metadata", "annotations", "rollout.argoproj.io/revision"], json!(number.to_string()))
        });
        return None;
    };
    let new = sets.remove(at_new);
    let progress = Progress::of(&rollout, &hash, ctx.now, &new);
    progress.resize(ctx, &rollout, &new, &sets);
    let status = progress.status(&rollout, &new, &sets, ctx.now);
    if at(&rollout, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
    progress.wake
}

/// Where the canary stands.
struct Progress {
    hash: String,
    stable: String,
    step: i64,
    /// Share of new pods at this step, percent.
    weight: i64,
    /// Since when the present pause lasts.
    paused_since: Option<String>,
    waits: bool,
    wake: Option<Millis>,
}

impl Progress {
    fn of(rollout: &Value, hash: &str, now: Millis, new: &Value) -> Self {
        let steps = list(rollout, "/spec/strategy/canary/steps");
        let end = i64::try_from(steps.len()).unwrap_or(0);
        let held = text(rollout, "/status/stableRS");
        let stable = if held.is_empty() { hash } else { held };
        let fresh = text(rollout, "/status/currentPodHash") != hash;
        let mut step = if stable == hash {
            end
        } else if fresh {
            0
        } else {
            int(rollout, "/status/currentStepIndex", 0)
        };
        let replicas = int(rollout, "/spec/replicas", 1);
        let mut out = Self {
            hash: hash.into(),
            stable: stable.into(),
            step,
            weight: 100,
            paused_since: None,
            waits: false,
            wake: None,
        };
        // A person who goes on removes the pause from the status.
        let resumed =
            !fresh && truth(rollout, "/status/controllerPause") && list(rollout, "/status/pauseConditions").is_empty();
        while step < end {
            let here = &steps[usize::try_from(step).unwrap_or(0)];
            if let Some(weight) = at(here, "/setWeight").as_i64() {
                let want = Amount::Percent(weight).up(replicas);
                if int(new, "/status/availableReplicas", 0) < want {
                    out.weight = weight;
                    out.step = step;
                    return out;
                }
            } else if here.get("pause").is_some() && !out.pause_is_over(rollout, here, step, fresh, resumed, now) {
                out.step = step;
                out.weight = weight_before(steps, step);
                return out;
            }
            step += 1;
        }
        out.step = end;
        out
    }

    fn pause_is_over(
        &mut self,
        rollout: &Value,
        step: &Value,
        index: i64,
        fresh: bool,
        resumed: bool,
        now: Millis,
    ) -> bool {
        let here = !fresh && int(rollout, "/status/currentStepIndex", -1) == index;
        if here && resumed {
            return true;
        }
        let since = time(rollout, "/status/pauseConditions/0/startTime").filter(|_| here).unwrap_or(now);
        let seconds = match at(step, "/pause/duration") {
            Value::Number(n) => n.as_i64(),
            Value::String(s) => s.trim_end_matches('s').parse().ok(),
            _ => None,
        };
        if let Some(end) = seconds.map(|s| Millis(since.0 + s * 1000)) {
            if end <= now {
                return true;
            }
            self.wake = sooner(self.wake, Some(end));
        }
        self.waits = true;
        self.paused_since = Some(stamp(since));
        false
    }

    fn resize(&self, ctx: &Ctx<'_>, rollout: &Value, new: &Value, old: &[Value]) {
        let replicas = int(rollout, "/spec/replicas", 1);
        let want_new = if self.weight >= 100 { replicas } else { Amount::Percent(self.weight).up(replicas) };
        let limits = Limits::rolling(replicas, Amount::Percent(25), Amount::Percent(25));
        let size = |s: &Value| int(s, "/spec/replicas", 0);
        let total = size(new) + old.iter().map(size).sum::<i64>();
        let room = (limits.replicas + limits.surge - total).max(0);
        let new_size = if size(new) > want_new { want_new } else { (size(new) + room).min(want_new) };
        // Old pods go only as far as enough others are available.
        let available = int(new, "/status/availableReplicas", 0)
            + old.iter().map(|s| int(s, "/status/availableReplicas", 0)).sum::<i64>();
        let surplus = total - size(new) - (replicas - want_new);
        let mut spare = surplus.min(available - (limits.replicas - limits.unavailable)).max(0);
        let mut sizes = vec![(new, new_size)];
        for set in old {
            let down = size(set).min(spare);
            spare -= down;
            sizes.push((set, size(set) - down));
        }
        for (set, size) in sizes {
            if int(set, "/spec/replicas", 0) != size {
                let key = Key::new(kinds::REPLICASETS, namespace(set), name(set));
                ctx.modify(&key, MANAGER, |s| s["spec"]["replicas"] = json!(size));
            }
        }
    }

    fn status(&self, rollout: &Value, new: &Value, old: &[Value], now: Millis) -> Value {
        let sum = |p: &str| int(new, p, 0) + old.iter().map(|s| int(s, p, 0)).sum::<i64>();
        let replicas = int(rollout, "/spec/replicas", 1);
        let updated = int(new, "/status/replicas", 0);
        let available = sum("/status/availableReplicas");
        let full = int(new, "/status/availableReplicas", 0) >= replicas && sum("/status/replicas") == replicas;
        let phase = match () {
            () if self.waits => "Paused",
            () if full && self.weight >= 100 => "Healthy",
            () => "Progressing",
        };
        let stable = if phase == "Healthy" { &self.hash } else { &self.stable };
        let generation = int(rollout, "/metadata/generation", 1).to_string();
        let mut status = json!({
            "HPAReplicas": sum("/status/replicas"), "replicas": sum("/status/replicas"), "updatedReplicas": updated,
            "readyReplicas": sum("/status/readyReplicas"), "availableReplicas": available, "currentPodHash": self.hash,
            "stableRS": stable, "currentStepIndex": self.step, "observedGeneration": generation, "phase": phase,
            "selector": selector_text(at(rollout, "/spec/selector/matchLabels")), "blueGreen": {}, "canary": {},
            "conditions": [condition_of(rollout, "Available", available > 0, "AvailableReason", "Rollout has minimum availability", now),
                condition_of(rollout, "Progressing", true, if self.waits { "RolloutPaused" } else { "ReplicaSetUpdated" }, "Rollout moves by its steps", now)],
        });
        if let Some(since) = &self.paused_since {
            status["pauseConditions"] = json!([{"reason": "CanaryPauseStep", "startTime": since}]);
            status["controllerPause"] = json!(true);
            status["message"] = json!("CanaryPauseStep");
        }
        status
    }
}

fn weight_before(steps: &[Value], step: i64) -> i64 {
    let before = steps.iter().take(usize::try_from(step).unwrap_or(0));
    before.filter_map(|s| at(s, "/setWeight").as_i64()).next_back().unwrap_or(0)
}

fn condition_of(rollout: &Value, kind: &str, holds: bool, reason: &str, message: &str, now: Millis) -> Value {
    let state = if holds { "True" } else { "False" };
    let held = condition(rollout, kind).filter(|c| text(c, "/status") == state && text(c, "/reason") == reason);
    held.cloned().unwrap_or_else(|| {
        json!({"type": kind, "status": state, "reason": reason, "message": message, "lastUpdateTime": stamp(now), "lastTransitionTime": stamp(now)})
    })
}

/// A ReplicaSet for the Rollout's template.
pub fn replica_set(rollout: &Value, revision: &str, replicas: i64) -> Value {
    let limits = Limits { replicas, surge: 0, unavailable: 0 };
    let mut out = super::deployment::replica_set(rollout, revision, limits, replicas);
    let hash = template_hash(at(rollout, "/spec/template"));
    for parent in ["/metadata/labels", "/spec/selector/matchLabels", "/spec/template/metadata/labels"] {
        if let Some(map) = out.pointer_mut(parent).and_then(Value::as_object_mut) {
            map.remove("pod-template-hash");
            map.insert(HASH.into(), json!(hash));
        }
    }
    unset(&mut out, "/metadata/annotations", REVISION);
    set(&mut out, &["metadata", "annotations", "rollout.argoproj.io/revision"], json!(revision));
    out
}
