//! What a kubelet reports of a pod: pure functions from the pod, the moment and the image's behaviour to its status.

use serde_json::{Value, json};

use crate::{
    model::{ImageRef, Millis},
    sim::controllers::{seed, value::*},
};

/// How containers of an image behave: told by the tag, as the stages of the real control planes in the tests tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Runs and becomes ready.
    Well,
    /// Cannot be pulled.
    NoPull,
    /// Ends with an error shortly after its start, again and again.
    Crash,
    /// Runs and never becomes ready.
    Unready,
}

/// The behaviour that an image's tag asks for.
pub fn behaviour(image: &str) -> Behaviour {
    let tag = ImageRef::parse(image).tag;
    match () {
        () if tag.starts_with("nopull") => Behaviour::NoPull,
        () if tag.starts_with("crash") => Behaviour::Crash,
        () if tag.starts_with("unready") => Behaviour::Unready,
        () => Behaviour::Well,
    }
}

/// What a pod's containers do together: the worst of them.
pub fn pod_behaviour(pod: &Value) -> Behaviour {
    let mut worst = Behaviour::Well;
    for container in list(pod, "/spec/containers") {
        match behaviour(text(container, "/image")) {
            Behaviour::NoPull => return Behaviour::NoPull,
            Behaviour::Crash => worst = Behaviour::Crash,
            Behaviour::Unready if worst == Behaviour::Well => worst = Behaviour::Unready,
            _ => {}
        }
    }
    worst
}

/// The digest that a registry gives for an image; `content` tells apart what a moving tag meant at different times.
pub fn image_id(image: &str, content: &str) -> String {
    let parsed = ImageRef::parse(image);
    let repository = if parsed.registry.is_empty() {
        format!("docker.io/{}{}", if parsed.repository.contains('/') { "" } else { "library/" }, parsed.repository)
    } else {
        format!("{}/{}", parsed.registry, parsed.repository)
    };
    if !parsed.digest.is_empty() {
        return format!("{repository}@{}", parsed.digest);
    }
    // A mirror serves the same content under another registry's name.
    let what = [path(image).as_str(), content].join(" ");
    format!("{repository}@sha256:{}", seed::sha256(what.trim_end()))
}

/// An image without its registry.
fn path(image: &str) -> String {
    let parsed = ImageRef::parse(image);
    format!("{}:{}", parsed.repository, parsed.tag)
}

/// Where a pod is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Placed; images are pulled.
    Creating,
    /// An image could not be pulled (`false`: first failure, `true`: waiting to try again).
    PullFailed(bool),
    /// Running; ready or not.
    Running(bool),
    /// Ended and waiting to be started again.
    BackOff,
    /// All containers ended well.
    Succeeded,
}

/// What a status is made from beside the pod itself.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Now.
    pub now: Millis,
    /// Address of the node.
    pub host_ip: &'a str,
    /// Address of the pod.
    pub pod_ip: &'a str,
    /// What moving tags mean in this cluster: image and content.
    pub contents: &'a [(String, String)],
    /// Restarts of the crashing container so far.
    pub restarts: i64,
    /// When the running containers were started.
    pub started: Millis,
}

/// The whole status of a pod in a stage.
pub fn status(pod: &Value, stage: Stage, facts: &Facts<'_>) -> Value {
    let containers: Vec<Value> =
        list(pod, "/spec/containers").iter().map(|c| container(pod, c, stage, facts)).collect();
    let unready: Vec<&str> = containers.iter().filter(|c| !truth(c, "/ready")).map(|c| text(c, "/name")).collect();
    let done = stage == Stage::Succeeded;
    let ready = unready.is_empty() && !done;
    let phase = match stage {
        Stage::Creating | Stage::PullFailed(_) => "Pending",
        Stage::Running(_) | Stage::BackOff => "Running",
        Stage::Succeeded => "Succeeded",
    };
    let because = if done { json!({"reason": "PodCompleted"}) } else { not_ready(&unready) };
    let cond = |kind: &str, holds: bool| {
        condition_value(pod, kind, holds, if holds { None } else { Some(&because) }, facts.now)
    };
    let network = stage != Stage::Creating;
    let start = time(pod, "/status/startTime").unwrap_or(facts.now);
    let mut status = json!({
        "phase": phase,
        "qosClass": text_or(pod, "/status/qosClass", "Burstable"),
        "startTime": stamp(start),
        "hostIP": facts.host_ip,
        "hostIPs": [{"ip": facts.host_ip}],
        "observedGeneration": int(pod, "/metadata/generation", 1),
        "conditions": [
            cond("PodReadyToStartContainers", network && !done),
            cond("Initialized", true),
            cond("Ready", ready),
            cond("ContainersReady", ready),
            cond("PodScheduled", true),
        ],
        "containerStatuses": containers,
    });
    if network && !done {
        status["podIP"] = json!(facts.pod_ip);
        status["podIPs"] = json!([{"ip": facts.pod_ip}]);
    }
    let init: Vec<Value> = list(pod, "/spec/initContainers").iter().map(|c| init_container(pod, c, facts)).collect();
    if !init.is_empty() {
        status["initContainerStatuses"] = json!(init);
    }
    status
}

fn text_or<'a>(v: &'a Value, pointer: &str, default: &'a str) -> &'a str {
    Some(text(v, pointer)).filter(|t| !t.is_empty()).unwrap_or(default)
}

fn not_ready(names: &[&str]) -> Value {
    json!({"reason": "ContainersNotReady", "message": format!("containers with unready status: [{}]", names.join(" "))})
}

/// A condition; its time of change is kept while its state stays the same.
pub fn condition_value(object: &Value, kind: &str, holds: bool, because: Option<&Value>, now: Millis) -> Value {
    let state = if holds { "True" } else { "False" };
    let since = condition(object, kind)
        .filter(|c| text(c, "/status") == state)
        .map_or_else(|| stamp(now), |c| text(c, "/lastTransitionTime").to_owned());
    let mut out = json!({"type": kind, "status": state, "lastProbeTime": null, "lastTransitionTime": since});
    for (key, value) in because.and_then(Value::as_object).into_iter().flatten() {
        out[key] = value.clone();
    }
    out
}

fn container(pod: &Value, container: &Value, stage: Stage, facts: &Facts<'_>) -> Value {
    let (name, image) = (text(container, "/name"), text(container, "/image"));
    let ways = behaviour(image);
    let before =
        list(pod, "/status/containerStatuses").iter().find(|c| text(c, "/name") == name).unwrap_or(&Value::Null);
    let id = image_id(image, content(image, facts.contents));
    let restarts = if ways == Behaviour::Crash { facts.restarts } else { int(before, "/restartCount", 0) };
    let last = before.get("lastState").cloned().unwrap_or_else(|| json!({}));
    let mut out = json!({
        "name": name, "image": image, "imageID": id, "containerID": container_id(pod, name, restarts),
        "ready": false, "started": false, "restartCount": restarts, "state": {}, "lastState": last,
    });
    match stage {
        Stage::Creating => waiting(&mut out, "ContainerCreating", None),
        Stage::PullFailed(again) if ways == Behaviour::NoPull => {
            let (reason, message) = if again {
                ("ImagePullBackOff", format!("Back-off pulling image \"{image}\""))
            } else {
                ("ErrImagePull", format!("failed to pull and unpack image \"{image}\": not found"))
            };
            waiting(&mut out, reason, Some(&message));
        }
        Stage::BackOff if ways == Behaviour::Crash => {
            let message = format!(
                "back-off {} restarting failed container={name} pod={}_{}({})",
                back_off_text(restarts),
                self::name(pod),
                namespace(pod),
                uid(pod)
            );
            waiting(&mut out, "CrashLoopBackOff", Some(&message));
            out["imageID"] = json!(id);
            out["containerID"] = json!(container_id(pod, name, restarts - 1));
            out["lastState"] = json!({"terminated": {"exitCode": 1, "reason": "Error", "startedAt": stamp(facts.started),
                "finishedAt": stamp(facts.now), "containerID": container_id(pod, name, restarts - 1)}});
        }
        Stage::Succeeded => {
            out["state"] = json!({"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": stamp(facts.started),
                "finishedAt": stamp(facts.now), "containerID": container_id(pod, name, restarts)}});
        }
        Stage::Running(_) | Stage::PullFailed(_) | Stage::BackOff => {
            let since = time(before, "/state/running/startedAt").filter(|_| ways != Behaviour::Crash);
            out["state"] = json!({"running": {"startedAt": stamp(since.unwrap_or(facts.started))}});
            out["started"] = json!(true);
            out["ready"] = json!(stage != Stage::Running(false) && ways == Behaviour::Well);
        }
    }
    out
}

fn waiting(out: &mut Value, reason: &str, message: Option<&str>) {
    out["state"] = json!({"waiting": {"reason": reason}});
    if let Some(message) = message {
        out["state"]["waiting"]["message"] = json!(message);
    }
    out["imageID"] = json!("");
    unset(out, "", "containerID");
}

fn init_container(pod: &Value, container: &Value, facts: &Facts<'_>) -> Value {
    let (name, image) = (text(container, "/name"), text(container, "/image"));
    json!({
        "name": name, "image": image, "imageID": image_id(image, content(image, facts.contents)),
        "containerID": container_id(pod, name, 0), "ready": true, "started": false, "restartCount": 0, "lastState": {},
        "state": {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": stamp(facts.started),
            "finishedAt": stamp(facts.started), "containerID": container_id(pod, name, 0)}},
    })
}

fn container_id(pod: &Value, name: &str, restarts: i64) -> String {
    format!("containerd://{}", seed::sha256(&format!("{}/{name}/{restarts}", uid(pod))))
}

fn content<'a>(image: &str, contents: &'a [(String, String)]) -> &'a str {
    contents.iter().find(|(i, _)| path(i) == path(image)).map_or("", |(_, c)| c.as_str())
}

/// Seconds until a crashed container is started again: 10, doubled with each restart, at most five minutes.
pub fn back_off_seconds(restarts: i64) -> i64 {
    let doublings = u32::try_from((restarts - 1).clamp(0, 5)).unwrap_or(0);
    (10_i64 << doublings).min(300)
}

fn back_off_text(restarts: i64) -> String {
    let s = back_off_seconds(restarts);
    if s < 60 { format!("{s}s") } else { format!("{}m{}s", s / 60, s % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(image: &str) -> Value {
        json!({"metadata": {"name": "p", "namespace": "n", "uid": "u"}, "spec": {"nodeName": "a", "containers": [
            {"name": "main", "image": image}, {"name": "proxy", "image": "mesh/proxy:1.0"}]}})
    }

    #[test]
    fn the_tag_decides() {
        for (image, want) in [
            ("r/a:1.2", Behaviour::Well),
            ("r/a:nopull-2.0.1", Behaviour::NoPull),
            ("r/a:crash", Behaviour::Crash),
            ("localhost:5000/nopull/a:unready", Behaviour::Unready),
        ] {
            assert_eq!(behaviour(image), want, "{image}");
        }
        for (restarts, text) in [(1, "10s"), (2, "20s"), (4, "1m20s"), (6, "5m0s"), (60, "5m0s")] {
            assert_eq!(back_off_text(restarts), text);
        }
    }

    #[test]
    fn statuses_say_what_the_containers_do() {
        let now = Millis(1_796_042_727_000);
        let facts = Facts { now, host_ip: "10.0.0.1", pod_ip: "10.1.0.1", contents: &[], restarts: 3, started: now };
        for (image, stage, phase, ready, waits) in [
            ("r/a:1", Stage::Creating, "Pending", false, "ContainerCreating"),
            ("r/a:1", Stage::Running(true), "Running", true, ""),
            ("r/a:1", Stage::Running(false), "Running", false, ""),
            ("r/a:nopull", Stage::PullFailed(true), "Pending", false, "ImagePullBackOff"),
            ("r/a:crash", Stage::BackOff, "Running", false, "CrashLoopBackOff"),
            ("r/a:1", Stage::Succeeded, "Succeeded", false, ""),
        ] {
            let mut pod = pod(image);
            let status = status(&pod, stage, &facts);
            assert_eq!(text(&status, "/phase"), phase, "{stage:?}");
            assert_eq!(text(&status, "/containerStatuses/0/state/waiting/reason"), waits, "{stage:?}");
            pod["status"] = status;
            assert_eq!(is_true(&pod, "Ready"), ready, "{stage:?}");
        }
        assert_eq!(
            image_id("web:latest", "a").split('@').next(),
            Some("docker.io/library/web"),
            "a bare name belongs to the default registry"
        );
        assert_ne!(image_id("web:latest", "a"), image_id("web:latest", "b"));
    }
}
