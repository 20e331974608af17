//! Scheduler and kubelets of a simulated cluster: a pod is placed, its images are pulled, it runs, becomes ready, crashes,
//! ends or is stopped, each after a seeded delay on simulated time.

pub mod logs;
pub mod metrics;
pub mod status;

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use serde_json::{Value, json};

use self::status::{Behaviour, Facts, Stage};
use super::{
    controllers::{Ctx, Key, seed, value::*},
    kinds,
    object::Stored,
    store::Writer,
};
use crate::model::Millis;

/// Annotation: time from placing to ready (`1m30s`).
const READY_DELAY: &str = "test.example/ready-delay";
/// Annotation: time from deletion to gone.
const STOP_DELAY: &str = "test.example/stop-delay";
/// Field manager.
const KUBELET: &str = "kubelet";

/// What comes next for a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A node is chosen.
    Bind,
    /// The kubelet sees it: containers are being created.
    Create,
    /// Images are there (or not), containers start.
    Start,
    /// Probes succeed.
    Ready,
    /// A second failure to pull.
    PullBackOff,
    /// The container ends with an error.
    Crash,
    /// The container is started again.
    Restart,
    /// The work is done.
    Complete,
    /// Containers have ended after a deletion.
    Stop,
}

/// Steps that are due, by pod.
#[derive(Debug, Default)]
pub struct Plans {
    due: HashMap<Key, (Step, Millis)>,
    /// Pods placed so far, to spread the next ones.
    placed: BTreeMap<String, u64>,
}

impl Plans {
    /// Forgets a pod that is gone.
    pub fn forget(&mut self, key: &Key) {
        self.due.remove(key);
    }

    /// Does what is due for a pod; says when to look again.
    pub fn reconcile(&mut self, ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
        let pod = ctx.get(key)?;
        let Some((step, delay)) = next(ctx, &pod) else {
            self.due.remove(key);
            return None;
        };
        match self.due.get(key) {
            Some((planned, at)) if *planned == step => {
                if *at > ctx.now {
                    return Some(*at);
                }
                self.due.remove(key);
                if !self.perform(ctx, key, &pod, step) {
                    return None;
                }
                // The change comes back through the feed and plans the next step.
                None
            }
            _ => {
                let at = ctx.after(delay);
                self.due.insert(key.clone(), (step, at));
                Some(at)
            }
        }
    }

    fn perform(&mut self, ctx: &Ctx<'_>, key: &Key, pod: &Value, step: Step) -> bool {
        match step {
            Step::Bind => self.bind(ctx, key, pod),
            Step::Stop => ctx.store.finish(kinds::PODS, key.namespace(), key.name()),
            _ => report(ctx, key, pod, step),
        }
    }

    fn bind(&mut self, ctx: &Ctx<'_>, key: &Key, pod: &Value) -> bool {
        let Some(node) = self.choose(ctx, pod) else {
            ctx.event(
                pod,
                "Warning",
                "FailedScheduling",
                "0 nodes are available: no node fits the pod.",
                "default-scheduler",
            );
            return false;
        };
        *self.placed.entry(node.clone()).or_default() += 1;
        let by = Writer { manager: "kube-scheduler", subresource: "binding", dry_run: false };
        ctx.write(key, &by, |p| p["spec"]["nodeName"] = json!(node));
        let message = format!("Successfully assigned {}/{} to {node}", namespace(pod), name(pod));
        ctx.event(pod, "Normal", "Scheduled", &message, "default-scheduler");
        true
    }

    /// The ready node with the fewest pods placed by us, ties by a draw of the pod's name.
    fn choose(&self, ctx: &Ctx<'_>, pod: &Value) -> Option<String> {
        let wanted = at(pod, "/spec/nodeSelector");
        let resource = ctx.store.resource(kinds::NODES);
        let nodes = ctx.store.list(kinds::NODES, None).items;
        let fits = |n: &&std::sync::Arc<Stored>| {
            wanted.as_object().is_none_or(|m| m.iter().all(|(k, v)| n.label(k) == v.as_str()))
        };
        let open = nodes.iter().filter(fits).filter(|n| {
            let value = n.value(&resource);
            is_true(&value, "Ready") && !truth(&value, "/spec/unschedulable")
        });
        let weight = |n: &str| (self.placed.get(n).copied().unwrap_or(0), seed::number(&[n, uid(pod)]));
        open.map(|n| n.name().to_owned()).min_by_key(|n| weight(n))
    }
}

/// The next step of a pod and the simulated milliseconds until then; `None` when it stays as it is.
fn next(ctx: &Ctx<'_>, pod: &Value) -> Option<(Step, i64)> {
    let draw = |what: &str, low: i64, high: i64| seed::between(ctx.options.seed, &[what, uid(pod)], low, high);
    let node = text(pod, "/spec/nodeName");
    if node.is_empty() {
        return Some(if deleting(pod) { (Step::Stop, 1) } else { (Step::Bind, draw("bind", 20, 120)) });
    }
    if !node_answers(ctx, node) {
        return None;
    }
    if deleting(pod) {
        let delay = duration(annotation(pod, STOP_DELAY)).unwrap_or_else(|| draw("stop", 150, 900));
        return Some((Step::Stop, delay));
    }
    next_alive(pod, draw)
}

fn next_alive(pod: &Value, draw: impl Fn(&str, i64, i64) -> i64) -> Option<(Step, i64)> {
    let statuses = list(pod, "/status/containerStatuses");
    let waits = |reason: &str| statuses.iter().any(|c| text(c, "/state/waiting/reason") == reason);
    let asked = duration(annotation(pod, READY_DELAY));
    let ways = status::pod_behaviour(pod);
    let job = controller(pod).is_some_and(|o| text(o, "/kind") == "Job");
    match text(pod, "/status/phase") {
        "Pending" | "" if statuses.is_empty() => Some((Step::Create, draw("create", 5, 40))),
        "Pending" if waits("ErrImagePull") => Some((Step::PullBackOff, 2000)),
        "Pending" if waits("ContainerCreating") => {
            Some((Step::Start, asked.map_or_else(|| draw("pull", 250, 1400), |d| d * 2 / 3)))
        }
        "Running" if waits("CrashLoopBackOff") => {
            let restarts = statuses.iter().map(|c| int(c, "/restartCount", 0)).max().unwrap_or(0);
            Some((Step::Restart, status::back_off_seconds(restarts) * 1000))
        }
        "Running" if ways == Behaviour::Crash => Some((Step::Crash, 1000)),
        "Running" if job => Some((Step::Complete, asked.unwrap_or(1000))),
        "Running" if ways == Behaviour::Well && !is_true(pod, "Ready") => {
            Some((Step::Ready, asked.map_or_else(|| draw("ready", 200, 1600), |d| d / 3)))
        }
        _ => None,
    }
}

fn node_answers(ctx: &Ctx<'_>, node: &str) -> bool {
    ctx.store
        .value(kinds::NODES, "", node)
        .is_none_or(|n| condition(&n, "Ready").is_none_or(|c| text(c, "/status") == "True"))
}

/// Writes the status after a step, with the event that goes with it.
fn report(ctx: &Ctx<'_>, key: &Key, pod: &Value, step: Step) -> bool {
    let statuses = list(pod, "/status/containerStatuses");
    let restarts = statuses.iter().map(|c| int(c, "/restartCount", 0)).max().unwrap_or(0);
    let held = statuses.iter().find_map(|c| time(c, "/state/running/startedAt"));
    let ways = status::pod_behaviour(pod);
    let stage = match step {
        Step::Create => Stage::Creating,
        Step::Start if ways == Behaviour::NoPull => Stage::PullFailed(false),
        Step::Start => Stage::Running(false),
        Step::PullBackOff => Stage::PullFailed(true),
        Step::Crash => Stage::BackOff,
        Step::Complete => Stage::Succeeded,
        Step::Ready | Step::Restart | Step::Bind | Step::Stop => Stage::Running(true),
    };
    let fresh = matches!(step, Step::Start | Step::Restart);
    let node = text(pod, "/spec/nodeName");
    let facts = Facts {
        now: ctx.now,
        host_ip: &host_ip(ctx, node),
        pod_ip: &pod_ip(pod),
        contents: &ctx.options.contents,
        restarts: restarts + i64::from(step == Step::Crash),
        started: held.filter(|_| !fresh).unwrap_or(ctx.now),
    };
    let new = status::status(pod, stage, &facts);
    tell(ctx, pod, step);
    ctx.set_status(key, KUBELET, new)
}

fn tell(ctx: &Ctx<'_>, pod: &Value, step: Step) {
    let image_of = |with: Behaviour| {
        let containers = list(pod, "/spec/containers").iter();
        containers.map(|c| (text(c, "/name"), text(c, "/image"))).find(|(_, i)| status::behaviour(i) == with)
    };
    match step {
        Step::Start => match image_of(Behaviour::NoPull) {
            Some((_, image)) => {
                let message =
                    format!("Failed to pull image \"{image}\": failed to pull and unpack image \"{image}\": not found");
                ctx.event(pod, "Warning", "Failed", &message, KUBELET);
            }
            None if image_of(Behaviour::Unready).is_some() => {
                let message = "Readiness probe failed: HTTP probe failed with statuscode: 503";
                ctx.event(pod, "Warning", "Unhealthy", message, KUBELET);
            }
            None => ctx.event(pod, "Normal", "Started", "Started container", KUBELET),
        },
        Step::PullBackOff => {
            let image = image_of(Behaviour::NoPull).map_or("", |(_, i)| i);
            ctx.event(pod, "Warning", "BackOff", &format!("Back-off pulling image \"{image}\""), KUBELET);
            ctx.event(pod, "Warning", "Failed", "Error: ImagePullBackOff", KUBELET);
        }
        Step::Crash => {
            let container = image_of(Behaviour::Crash).map_or("", |(n, _)| n);
            let message = format!(
                "Back-off restarting failed container {container} in pod {}_{}({})",
                name(pod),
                namespace(pod),
                uid(pod)
            );
            ctx.event(pod, "Warning", "BackOff", &message, KUBELET);
        }
        _ => {}
    }
}

fn host_ip(ctx: &Ctx<'_>, node: &str) -> String {
    let node = ctx.store.value(kinds::NODES, "", node).unwrap_or_default();
    let addresses = list(&node, "/status/addresses").iter();
    let internal = addresses.map(|a| (text(a, "/type"), text(a, "/address"))).find(|(t, _)| *t == "InternalIP");
    internal.map_or_else(|| "10.0.0.1".to_owned(), |(_, a)| a.to_owned())
}

/// The address of a pod: it follows from its uid.
pub fn pod_ip(pod: &Value) -> String {
    let n = seed::number(&["ip", uid(pod)]);
    format!("10.{}.{}.{}", 64 + (n >> 16) % 64, (n >> 8) % 256, 1 + n % 254)
}

/// Milliseconds of a Go duration (`1m30s`, `250ms`); `None` when it is none.
pub fn duration(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut total = Duration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let (unit, seconds) =
            [("ms", 0.001), ("h", 3600.0), ("m", 60.0), ("s", 1.0)].into_iter().find(|(u, _)| rest.starts_with(u))?;
        rest = &rest[unit.len()..];
        total += Duration::try_from_secs_f64(number * seconds).ok()?;
    }
    i64::try_from(total.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_writes_them() {
        for (text, ms) in
            [("1m30s", Some(90_000)), ("250ms", Some(250)), ("1.5s", Some(1500)), ("", None), ("soon", None)]
        {
            assert_eq!(duration(text), ms, "{text}");
        }
    }
}
