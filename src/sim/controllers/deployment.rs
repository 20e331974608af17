//! Deployments: one ReplicaSet for each revision of the pod template, and the way from one to the next.

use serde_json::{Value, json};

use super::{
    Ctx, Key,
    amount::Amount,
    ctx::MANAGER,
    rolling::{self, Limits, Set, Sizes},
    value::*,
};
use crate::{
    model::Millis,
    sim::{kinds, store::Writer},
};

/// Annotation with a template's revision.
pub const REVISION: &str = "deployment.kubernetes.io/revision";
const HISTORY: &str = "deployment.kubernetes.io/revision-history";
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MAXIMUM: &str = "deployment.kubernetes.io/max-replicas";
const COMPONENT: &str = "deployment-controller";

/// Takes the next step of a rollout and reports.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let mut deployment = ctx.get(key)?;
    if deleting(&deployment) {
        return None;
    }
    let (mut new, mut old) = sets_of(ctx, &deployment);
    let paused = truth(&deployment, "/spec/paused");
    let mut created = false;
    if !paused {
        created = ensure_new(ctx, key, &deployment, &new, &old);
        if created || new.as_ref().is_some_and(|n| revision(n) < highest(&old)) {
            // The sets and the annotation have changed.
            deployment = ctx.get(key)?;
            (new, old) = sets_of(ctx, &deployment);
        }
    }
    let limits = limits(&deployment);
    step(ctx, &deployment, limits, new.as_ref(), &old, paused);
    if !paused {
        clean_up(ctx, &deployment, &old);
    }
    let (status, wake) = status(&deployment, new.as_ref(), &old, limits, ctx.now, created);
    if at(&deployment, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
    wake
}

/// The ReplicaSet of the present template, and the others from old to new.
fn sets_of(ctx: &Ctx<'_>, deployment: &Value) -> (Option<Value>, Vec<Value>) {
    let mut sets = ctx.owned(uid(deployment), kinds::REPLICASETS);
    sets.retain(|s| !deleting(s));
    sets.sort_by_cached_key(|s| (text(s, "/metadata/creationTimestamp").to_owned(), revision(s), name(s).to_owned()));
    let hash = template_hash(at(deployment, "/spec/template"));
    let new = sets.iter().position(|s| template_hash(at(s, "/spec/template")) == hash);
    let new = new.map(|i| sets.remove(i));
    (new, sets)
}

fn revision(set: &Value) -> i64 {
    annotation(set, REVISION).parse().unwrap_or(0)
}

fn highest(sets: &[Value]) -> i64 {
    sets.iter().map(revision).max().unwrap_or(0)
}

/// The limits of a Deployment's rollout.
pub fn limits(deployment: &Value) -> Limits {
    let quarter = Amount::Percent(25);
    let rolling = at(deployment, "/spec/strategy/rollingUpdate");
    let replicas = int(deployment, "/spec/replicas", 1);
    if text(deployment, "/spec/strategy/type") == "Recreate" {
        return Limits { replicas, surge: 0, unavailable: replicas };
    }
    Limits::rolling(
        replicas,
        Amount::read(rolling.get("maxSurge"), quarter),
        Amount::read(rolling.get("maxUnavailable"), quarter),
    )
}

/// Makes the ReplicaSet of the present template, or gives the one that came back the newest revision.
fn ensure_new(ctx: &Ctx<'_>, key: &Key, deployment: &Value, new: &Option<Value>, old: &[Value]) -> bool {
    let next = (highest(old) + 1).to_string();
    let created = match new {
        None => {
            let set = replica_set(deployment, &next, limits(deployment), 0);
            let made = ctx.create(kinds::REPLICASETS, set, MANAGER);
            if !made {
                return false;
            }
            true
        }
        Some(set) if revision(set) < highest(old) => {
            let past = revision(set).to_string();
            let set_key = Key::new(kinds::REPLICASETS, namespace(set), name(set));
            ctx.modify(&set_key, MANAGER, |s| {
                let before = annotation(s, HISTORY).to_owned();
                let history = if before.is_empty() { past } else { format!("{before},{past}") };
                s["metadata"]["annotations"][HISTORY] = json!(history);
                s["metadata"]["annotations"][REVISION] = json!(next);
            });
            false
        }
        Some(set) => {
            let current = revision(set).to_string();
            if annotation(deployment, REVISION) != current {
                note_revision(ctx, key, &current);
            }
            return false;
        }
    };
    note_revision(ctx, key, &next);
    created
}

/// The revision is noted with the status, as the real controller does it: no new generation, no change of what is wanted.
fn note_revision(ctx: &Ctx<'_>, key: &Key, revision: &str) {
    ctx.write(key, &Writer::status(MANAGER), |d| set(d, &["metadata", "annotations", REVISION], json!(revision)));
}

fn set_annotation(object: &mut Value, key: &str, value: &str) {
    set(object, &["metadata", "annotations", key], json!(value));
}

/// A ReplicaSet for the Deployment's template.
pub fn replica_set(deployment: &Value, revision: &str, limits: Limits, replicas: i64) -> Value {
    let mut template = at(deployment, "/spec/template").clone();
    let hash = template_hash(&template);
    set(&mut template, &["metadata", "labels", "pod-template-hash"], json!(hash));
    unset(&mut template, "/metadata", "creationTimestamp");
    let mut selector = at(deployment, "/spec/selector").clone();
    set(&mut selector, &["matchLabels", "pod-template-hash"], json!(hash));
    let mut notes = serde_json::Map::new();
    for (key, value) in at(deployment, "/metadata/annotations").as_object().into_iter().flatten() {
        if key != "kubectl.kubernetes.io/last-applied-configuration" && !key.starts_with("deployment.kubernetes.io/") {
            notes.insert(key.clone(), value.clone());
        }
    }
    notes.insert(REVISION.into(), json!(revision));
    notes.insert(DESIRED.into(), json!(limits.replicas.to_string()));
    notes.insert(MAXIMUM.into(), json!((limits.replicas + limits.surge).to_string()));
    let mut spec = json!({"replicas": replicas, "selector": selector, "template": template});
    let min_ready = int(deployment, "/spec/minReadySeconds", 0);
    if min_ready > 0 {
        spec["minReadySeconds"] = json!(min_ready);
    }
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": format!("{}-{hash}", name(deployment)), "namespace": namespace(deployment),
            "labels": template["metadata"]["labels"], "annotations": notes, "ownerReferences": owned_by(deployment)},
        "spec": spec, "status": {"replicas": 0},
    })
}

fn as_set(set: &Value, age_rank: usize) -> Set {
    Set {
        replicas: int(set, "/spec/replicas", 0),
        available: int(set, "/status/availableReplicas", 0),
        pods: int(set, "/status/replicas", 0),
        age_rank: i64::try_from(age_rank).unwrap_or(i64::MAX),
        max_replicas: annotation(set, MAXIMUM).parse().unwrap_or(0),
        desired_replicas: annotation(set, DESIRED).parse().ok(),
    }
}

fn step(ctx: &Ctx<'_>, deployment: &Value, limits: Limits, new: Option<&Value>, old: &[Value], paused: bool) {
    let olds: Vec<Set> = old.iter().enumerate().map(|(i, s)| as_set(s, i)).collect();
    let new_set = new.map(|s| as_set(s, old.len()));
    let every: Vec<Set> = new_set.iter().chain(&olds).cloned().collect();
    let sizes = if paused || rolling::was_scaled(limits.replicas, &every) {
        let sizes = rolling::scale_step(limits, &every, new.is_some());
        let has_new = usize::from(new.is_some());
        Sizes { new: sizes.first().copied().unwrap_or(0), old: sizes[has_new.min(sizes.len())..].to_vec() }
    } else {
        let Some(new_set) = new_set else { return };
        match text(deployment, "/spec/strategy/type") {
            "Recreate" => rolling::recreate_step(limits.replicas, &new_set, &olds),
            _ => rolling::rolling_step(limits, &new_set, &olds),
        }
    };
    for (set, size) in new.map(|n| (n, sizes.new)).into_iter().chain(old.iter().zip(sizes.old)) {
        resize(ctx, deployment, limits, set, size);
    }
}

fn resize(ctx: &Ctx<'_>, deployment: &Value, limits: Limits, set: &Value, size: i64) {
    let before = int(set, "/spec/replicas", 0);
    let (desired, maximum) = (limits.replicas.to_string(), (limits.replicas + limits.surge).to_string());
    let noted = annotation(set, DESIRED) == desired && annotation(set, MAXIMUM) == maximum;
    if before == size && (noted || size == 0) {
        return;
    }
    let key = Key::new(kinds::REPLICASETS, namespace(set), name(set));
    ctx.modify(&key, MANAGER, |s| {
        s["spec"]["replicas"] = json!(size);
        set_annotation(s, DESIRED, &desired);
        set_annotation(s, MAXIMUM, &maximum);
    });
    if before != size {
        let way = if size > before { "up" } else { "down" };
        let message = format!("Scaled {way} replica set {} from {before} to {size}", name(set));
        ctx.event(deployment, "Normal", "ScalingReplicaSet", &message, COMPONENT);
    }
}

/// Drops the oldest empty sets beyond the history limit.
fn clean_up(ctx: &Ctx<'_>, deployment: &Value, old: &[Value]) {
    let keep = usize::try_from(int(deployment, "/spec/revisionHistoryLimit", 10)).unwrap_or(usize::MAX);
    let surplus = old.len().saturating_sub(keep);
    let mut order: Vec<&Value> = old.iter().collect();
    order.sort_by_key(|s| revision(s));
    for set in order.into_iter().take(surplus) {
        if int(set, "/spec/replicas", 0) == 0 && int(set, "/status/replicas", 0) == 0 {
            ctx.delete(kinds::REPLICASETS, namespace(set), name(set));
        }
    }
}

/// The status of a Deployment over its sets, and when its deadline must be looked at.
pub fn status(
    deployment: &Value,
    new: Option<&Value>,
    old: &[Value],
    limits: Limits,
    now: Millis,
    created: bool,
) -> (Value, Option<Millis>) {
    let all = || new.into_iter().chain(old);
    let sum = |pointer: &str| all().map(|s| int(s, pointer, 0)).sum::<i64>();
    let (replicas, ready, available) =
        (sum("/status/replicas"), sum("/status/readyReplicas"), sum("/status/availableReplicas"));
    let updated = new.map_or(0, |s| int(s, "/status/replicas", 0));
    let wanted = sum("/spec/replicas");
    let mut status = json!({"observedGeneration": int(deployment, "/metadata/generation", 1)});
    for (key, value) in [
        ("replicas", replicas),
        ("updatedReplicas", updated),
        ("readyReplicas", ready),
        ("availableReplicas", available),
        ("unavailableReplicas", (wanted - available).max(0)),
    ] {
        if value > 0 {
            status[key] = json!(value);
        }
    }
    let enough = available >= limits.replicas - limits.unavailable;
    let (reason, message) = if enough {
        ("MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        ("MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    };
    let enough = changed(deployment, "Available", enough, reason, message, now, false);
    let counts = Counts { replicas, updated, ready, available, wanted: limits.replicas };
    let (progress, wake) = progressing(deployment, new, counts, now, created);
    // Conditions keep their order: the one that was set last goes last, as the API machinery appends it.
    let mut conditions = vec![enough];
    conditions.extend(progress);
    let first_is_progressing =
        list(deployment, "/status/conditions").first().is_some_and(|c| text(c, "/type") == "Progressing");
    if first_is_progressing {
        conditions.reverse();
    }
    status["conditions"] = json!(conditions);
    (status, wake)
}

#[derive(Clone, Copy)]
struct Counts {
    replicas: i64,
    updated: i64,
    ready: i64,
    available: i64,
    wanted: i64,
}

fn progressing(
    deployment: &Value,
    new: Option<&Value>,
    c: Counts,
    now: Millis,
    created: bool,
) -> (Option<Value>, Option<Millis>) {
    let held = condition(deployment, "Progressing");
    if truth(deployment, "/spec/paused") {
        let paused =
            changed_state(deployment, "Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", now, false);
        return (Some(paused), None);
    }
    let Some(deadline) =
        at(deployment, "/spec/progressDeadlineSeconds").as_i64().or(Some(600)).filter(|d| *d < 2_147_483_647)
    else {
        return (held.cloned(), None);
    };
    let set_name = new.map_or("", name);
    let word = |what: &str| format!("ReplicaSet \"{set_name}\" {what}");
    let done = c.updated == c.wanted && c.replicas == c.wanted && c.available == c.wanted;
    let was_done = held.is_some_and(|h| text(h, "/reason") == "NewReplicaSetAvailable");
    if was_done
        && c.replicas == c.updated
        && text(held.unwrap_or(&Value::Null), "/message") == word("has successfully progressed.")
    {
        return (held.cloned(), None);
    }
    let make = |holds, reason, message: &str, refresh| {
        changed(deployment, "Progressing", holds, reason, message, now, refresh)
    };
    if done {
        return (Some(make(true, "NewReplicaSetAvailable", &word("has successfully progressed."), false)), None);
    }
    let before = |p: &str| int(deployment, p, 0);
    let moved = c.updated > before("/status/updatedReplicas")
        || c.replicas - c.updated < before("/status/replicas") - before("/status/updatedReplicas")
        || c.ready > before("/status/readyReplicas")
        || c.available > before("/status/availableReplicas");
    if created || held.is_none() {
        let message = format!("Created new replica set \"{set_name}\"");
        return (Some(make(true, "NewReplicaSetCreated", &message, true)), Some(Millis(now.0 + deadline * 1000)));
    }
    if moved {
        let condition = make(true, "ReplicaSetUpdated", &word("is progressing."), true);
        return (Some(condition), Some(Millis(now.0 + deadline * 1000)));
    }
    let held = held.cloned().unwrap_or_default();
    if text(&held, "/reason") == "ProgressDeadlineExceeded" {
        return (Some(held), None);
    }
    let end = Millis(time(&held, "/lastUpdateTime").unwrap_or(now).0 + deadline * 1000);
    if was_done {
        let condition = make(true, "ReplicaSetUpdated", &word("is progressing."), true);
        return (Some(condition), Some(Millis(now.0 + deadline * 1000)));
    }
    if end <= now {
        return (Some(make(false, "ProgressDeadlineExceeded", &word("has timed out progressing."), false)), None);
    }
    (Some(held), Some(end))
}

fn changed(d: &Value, kind: &str, holds: bool, reason: &str, message: &str, now: Millis, refresh: bool) -> Value {
    changed_state(d, kind, if holds { "True" } else { "False" }, reason, message, now, refresh)
}

/// A condition of a Deployment; unchanged ones are kept as they are, times included.
fn changed_state(d: &Value, kind: &str, state: &str, reason: &str, message: &str, now: Millis, refresh: bool) -> Value {
    let held = condition(d, kind);
    let same_state = held.filter(|h| text(h, "/status") == state);
    if let Some(held) = same_state.filter(|h| text(h, "/reason") == reason && !refresh) {
        return held.clone();
    }
    let since = same_state.map_or_else(|| stamp(now), |h| text(h, "/lastTransitionTime").to_owned());
    json!({"type": kind, "status": state, "reason": reason, "message": message, "lastUpdateTime": stamp(now), "lastTransitionTime": since})
}
