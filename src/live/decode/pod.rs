//! Pods: phase, readiness, and the one word that says what is wrong, as `kubectl get pods` would say it.

use std::borrow::Cow;

use compact_str::CompactString;
use serde::Deserialize;

use super::{
    Slim, Tools,
    meta::Head,
    note,
    slim::{Condition, Text, condition, nullable},
    template::PodSpec,
};
use crate::{
    fleet::row::{Detail, Phase, PodRow},
    model::{Health, Secs},
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Pod<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    spec: PodSpec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    status: Status<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status<'a> {
    #[serde(borrow)]
    phase: Text<'a>,
    #[serde(borrow)]
    reason: Text<'a>,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(rename = "podIP", borrow)]
    pod_ip: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    conditions: Vec<Condition<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    container_statuses: Vec<ContainerStatus<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    init_container_statuses: Vec<ContainerStatus<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ContainerStatus<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(rename = "imageID", borrow)]
    image_id: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    ready: bool,
    #[serde(deserialize_with = "nullable")]
    started: bool,
    #[serde(deserialize_with = "nullable")]
    restart_count: u32,
    #[serde(borrow, deserialize_with = "nullable")]
    state: State<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    last_state: State<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct State<'a> {
    #[serde(borrow)]
    waiting: Option<Waiting<'a>>,
    running: Option<serde::de::IgnoredAny>,
    #[serde(borrow)]
    terminated: Option<Terminated<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Waiting<'a> {
    #[serde(borrow)]
    reason: Text<'a>,
    #[serde(borrow)]
    message: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Terminated<'a> {
    exit_code: i32,
    #[serde(deserialize_with = "nullable")]
    signal: i32,
    #[serde(borrow)]
    reason: Text<'a>,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(borrow)]
    finished_at: Text<'a>,
}

impl Terminated<'_> {
    /// `OOMKilled`, `Error`, else the signal or the exit code.
    fn word(&self) -> Cow<'_, str> {
        if !self.reason.is_empty() {
            Cow::Borrowed(&self.reason)
        } else if self.signal != 0 {
            Cow::Owned(format!("Signal:{}", self.signal))
        } else {
            Cow::Owned(format!("ExitCode:{}", self.exit_code))
        }
    }
}

/// A finding about a pod: the word and its explanation.
type Finding = (String, String);

impl<'a> Slim<'a> for Pod<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        let s = &self.status;
        let phase = match &*s.phase {
            "Running" => Phase::Running,
            "Succeeded" => Phase::Succeeded,
            "Failed" => Phase::Failed,
            "Unknown" => Phase::Unknown,
            _ => Phase::Pending,
        };
        let is_ready = condition(&s.conditions, "Ready").is_some_and(|c| &*c.status == "True");
        let finding = self.finding(phase, is_ready);
        let health = self.health(phase, is_ready, finding.as_ref());
        let (cpu_m, mem) = self.spec.requests();
        let (restarts, restarted) = self.restarts();
        let well = matches!(health, Health::Ok | Health::Idle);
        let row = PodRow {
            node: tools.text(&self.spec.node_name),
            containers: self.spec.container_list(tools, |name| self.digest(name)),
            phase,
            is_ready,
            ready: self.ready_counts(),
            restarts,
            restarted,
            reason: finding.as_ref().and_then(|(word, _)| tools.some(word)),
            note: finding.filter(|_| !well).and_then(|(_, text)| note(&text)),
            cpu_m,
            mem,
            ip: (!s.pod_ip.is_empty()).then(|| CompactString::new(&*s.pod_ip)),
        };
        (Detail::Pod(Box::new(row)), health)
    }
}

impl Pod<'_> {
    fn statuses(&self) -> impl Iterator<Item = &ContainerStatus<'_>> {
        self.status.init_container_statuses.iter().chain(&self.status.container_statuses)
    }

    /// `sha256:...` of a container's imageID (`repo@sha256:...`, `docker-pullable://...`).
    fn digest(&self, name: &str) -> &str {
        self.statuses()
            .find(|c| &*c.name == name)
            .and_then(|c| c.image_id.rfind("sha256:").and_then(|at| c.image_id.get(at..)))
            .unwrap_or("")
    }

    fn ready_counts(&self) -> (u8, u8) {
        let restartable = |name: &str| self.spec.init_containers.iter().any(|c| c.restartable() && &*c.name == name);
        let beside = self.spec.init_containers.iter().filter(|c| c.restartable()).count();
        let ready = self.status.container_statuses.iter().filter(|c| c.ready).count()
            + self.status.init_container_statuses.iter().filter(|c| c.ready && restartable(&c.name)).count();
        let small = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
        (small(ready), small(self.spec.containers.len() + beside))
    }

    fn restarts(&self) -> (u32, Secs) {
        self.statuses().fold((0u32, Secs(0)), |(n, last), c| {
            let finished = c.last_state.terminated.as_ref().map_or(Secs(0), |t| t.finished_at.secs());
            (n.saturating_add(c.restart_count), last.max(finished))
        })
    }

    /// The word for the STATUS column where it is not simply the phase, with its explanation.
    fn finding(&self, phase: Phase, is_ready: bool) -> Option<Finding> {
        let s = &self.status;
        if !self.metadata.deletion_timestamp.is_empty() {
            let word = if &*s.reason == "NodeLost" { "Unknown" } else { "Terminating" };
            return Some((word.into(), s.message.to_string()));
        }
        if let Some(found) = self.init_finding() {
            return Some(found);
        }
        if let Some(found) = s.container_statuses.iter().find_map(container_finding) {
            return Some(found);
        }
        if !s.reason.is_empty() {
            return Some((s.reason.to_string(), s.message.to_string()));
        }
        match phase {
            Phase::Pending => {
                let scheduled = condition(&s.conditions, "PodScheduled")?;
                let word = if scheduled.reason.is_empty() { "Pending" } else { &*scheduled.reason };
                (&*scheduled.status == "False").then(|| (word.to_owned(), scheduled.message.to_string()))
            }
            Phase::Running if !is_ready => Some(self.not_ready()),
            Phase::Succeeded => Some(("Completed".into(), String::new())),
            Phase::Failed => Some(("Failed".into(), s.message.to_string())),
            Phase::Unknown => Some(("Unknown".into(), s.message.to_string())),
            Phase::Running => None,
        }
    }

    fn not_ready(&self) -> Finding {
        let s = &self.status;
        let names: Vec<&str> = s.container_statuses.iter().filter(|c| !c.ready).map(|c| &*c.name).collect();
        let words = match condition(&s.conditions, "Ready") {
            Some(c) if !c.message.is_empty() => c.message.to_string(),
            _ => names.join(", "),
        };
        ("NotReady".into(), words)
    }

    /// The first init container that has not done its work.
    fn init_finding(&self) -> Option<Finding> {
        let total = self.spec.init_containers.len();
        for (done, c) in self.status.init_container_statuses.iter().enumerate() {
            let restartable = self.spec.init_containers.iter().any(|i| i.name == c.name && i.restartable());
            match &c.state.terminated {
                Some(t) if t.exit_code == 0 => continue,
                Some(t) => return Some((format!("Init:{}", t.word()), ended(&c.name, t))),
                None if restartable && c.started => continue,
                None => {}
            }
            if let Some(w) =
                c.state.waiting.as_ref().filter(|w| !w.reason.is_empty() && &*w.reason != "PodInitializing")
            {
                return Some((format!("Init:{}", &*w.reason), explained(c, w)));
            }
            return Some((format!("Init:{done}/{total}"), String::new()));
        }
        None
    }

    fn health(&self, phase: Phase, is_ready: bool, finding: Option<&Finding>) -> Health {
        if !self.metadata.deletion_timestamp.is_empty() {
            return Health::Busy;
        }
        if let Some((word, _)) = finding {
            let word = word.strip_prefix("Init:").unwrap_or(word);
            if word.chars().next().is_some_and(|c| c.is_ascii_digit())
                || matches!(word, "ContainerCreating" | "PodInitializing")
            {
                return Health::Busy;
            }
            match word {
                "Completed" => return Health::Idle,
                "NotReady" => return Health::Warn,
                "Unknown" => return Health::Unknown,
                _ => return Health::Bad,
            }
        }
        match phase {
            Phase::Running if is_ready => Health::Ok,
            Phase::Running => Health::Warn,
            Phase::Pending => Health::Busy,
            Phase::Succeeded => Health::Idle,
            Phase::Failed => Health::Bad,
            Phase::Unknown => Health::Unknown,
        }
    }
}

/// What a main container has to say, `None` while it runs.
fn container_finding(c: &ContainerStatus<'_>) -> Option<Finding> {
    if let Some(w) = c.state.waiting.as_ref().filter(|w| !w.reason.is_empty()) {
        return Some((w.reason.to_string(), explained(c, w)));
    }
    let t = c.state.terminated.as_ref().filter(|_| c.state.running.is_none())?;
    Some((t.word().into_owned(), if t.exit_code == 0 { String::new() } else { ended(&c.name, t) }))
}

/// A waiting container: its own message, or how it ended the last time.
fn explained(c: &ContainerStatus<'_>, w: &Waiting<'_>) -> String {
    match &c.last_state.terminated {
        Some(t) if &*w.reason == "CrashLoopBackOff" => {
            format!("{}, {} restarts", ended(&c.name, t), c.restart_count)
        }
        _ if w.message.is_empty() => c.name.to_string(),
        _ => format!("{}: {}", &*c.name, &*w.message),
    }
}

fn ended(name: &str, t: &Terminated<'_>) -> String {
    let word = t.word();
    if t.message.is_empty() {
        format!("{name}: {word}, exit {}", t.exit_code)
    } else {
        format!("{name}: {word}, exit {}: {}", t.exit_code, &*t.message)
    }
}
