//! Workloads of every kind in one slim struct; what the fields mean is decided by kind.
//!
//! Sources of the rules: apps/v1 and batch/v1 API, Argo Rollouts' v1alpha1, OpenKruise's v1alpha1 and v1beta1 (both
//! shapes of updateStrategy), specs: peers 7.

use serde::Deserialize;

use super::{
    Tools,
    meta::{Head, labels},
    note,
    slim::{Condition, Pairs, Text, condition, nullable},
    template::PodSpec,
};
use crate::{
    fleet::row::{Detail, Progress, WorkloadRow},
    model::{Builtin, Health},
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Workload<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(super) metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    spec: Spec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    status: Status<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec<'a> {
    replicas: Option<u32>,
    #[serde(deserialize_with = "nullable")]
    paused: bool,
    #[serde(deserialize_with = "nullable")]
    suspend: bool,
    completions: Option<u32>,
    parallelism: Option<u32>,
    #[serde(borrow)]
    schedule: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    template: Template<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    job_template: JobTemplate<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    update_strategy: Strategy<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Template<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: TemplateMeta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    spec: PodSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TemplateMeta<'a> {
    #[serde(borrow)]
    labels: Pairs<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct JobTemplate<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    spec: JobSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct JobSpec<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    template: Template<'a>,
}

/// `updateStrategy`: v1alpha1 of Kruise keeps partition and paused here, everything else in `rollingUpdate`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Strategy<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    partition: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    paused: bool,
    #[serde(borrow, deserialize_with = "nullable")]
    rolling_update: RollingUpdate<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RollingUpdate<'a> {
    #[serde(borrow)]
    partition: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    paused: bool,
}

impl Strategy<'_> {
    fn held(&self) -> bool {
        self.paused || self.rolling_update.paused || &*self.kind == "OnDelete"
    }

    /// Pods kept old on purpose, when it is a plain number; a percentage counts as "some".
    fn partition(&self) -> Option<u32> {
        let text =
            if self.rolling_update.partition.is_empty() { &self.partition } else { &self.rolling_update.partition };
        match &**text {
            "" | "0" | "0%" => None,
            t => Some(t.parse().unwrap_or(1)),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status<'a> {
    /// A number everywhere but in Argo Rollouts, which writes it as text.
    #[serde(borrow)]
    observed_generation: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    replicas: u32,
    #[serde(deserialize_with = "nullable")]
    ready_replicas: u32,
    #[serde(deserialize_with = "nullable")]
    updated_replicas: u32,
    #[serde(deserialize_with = "nullable")]
    available_replicas: u32,
    expected_updated_replicas: Option<u32>,
    #[serde(deserialize_with = "nullable")]
    desired_number_scheduled: u32,
    #[serde(deserialize_with = "nullable")]
    current_number_scheduled: u32,
    #[serde(deserialize_with = "nullable")]
    number_ready: u32,
    #[serde(deserialize_with = "nullable")]
    number_available: u32,
    #[serde(deserialize_with = "nullable")]
    updated_number_scheduled: u32,
    #[serde(borrow)]
    current_revision: Text<'a>,
    #[serde(borrow)]
    update_revision: Text<'a>,
    #[serde(borrow)]
    current_pod_hash: Text<'a>,
    #[serde(borrow)]
    phase: Text<'a>,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    active: Active,
    #[serde(deserialize_with = "nullable")]
    succeeded: u32,
    #[serde(deserialize_with = "nullable")]
    failed: u32,
    #[serde(borrow)]
    start_time: Text<'a>,
    #[serde(borrow)]
    last_schedule_time: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    conditions: Vec<Condition<'a>>,
}

/// A Job's `active` is a number, a CronJob's a list.
#[derive(Debug, Default)]
struct Active(u32);

impl<'de> Deserialize<'de> for Active {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Count(u32),
            List(Vec<serde::de::IgnoredAny>),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Count(n) => Self(n),
            Either::List(l) => Self(u32::try_from(l.len()).unwrap_or(u32::MAX)),
        })
    }
}

/// What goes wrong: Kubernetes' word and its message.
type Trouble = Option<(String, String)>;

impl Workload<'_> {
    /// The kind's part of the row, and the health.
    pub(super) fn pack(&self, kind: Builtin, tools: &mut Tools<'_>) -> (Detail, Health) {
        let template =
            if kind == Builtin::CronJob { &self.spec.job_template.spec.template } else { &self.spec.template };
        let mut row = WorkloadRow {
            containers: template.spec.container_list(tools, |_| ""),
            template_labels: labels(&template.metadata.labels, tools),
            generation: self.metadata.generation,
            observed: self.status.observed_generation.parse().unwrap_or(0),
            refs: template.spec.refs(tools),
            service: self.service(tools),
            managed: self.metadata.managed(&kind.info().kind, &kind.info().group),
            changed: self.metadata.last_change(tools),
            schedule: tools.some(&self.spec.schedule),
            suspended: self.spec.suspend,
            revision: tools.some(self.revision(kind)),
            ..WorkloadRow::default()
        };
        self.counts(kind, &mut row);
        let trouble = self.trouble(kind, &row);
        row.progress = self.progress(kind, &row, trouble.is_some());
        let health = health(kind, &row, trouble.is_some(), &self.status);
        if let Some((word, text)) = trouble {
            row.reason = tools.some(&word);
            row.note = note(&text);
        }
        (Detail::Workload(Box::new(row)), health)
    }

    fn service(&self, tools: &mut Tools<'_>) -> Option<std::sync::Arc<str>> {
        const KEY: &str = "quarterdeck.dev/service";
        let value = self.metadata.labels.get(KEY).or_else(|| self.metadata.annotations.0.get(KEY))?;
        tools.some(value)
    }

    fn revision(&self, kind: Builtin) -> &str {
        match kind {
            Builtin::Deployment | Builtin::ReplicaSet => {
                self.metadata.annotations.0.get("deployment.kubernetes.io/revision").unwrap_or("")
            }
            Builtin::ArgoRollout => &self.status.current_pod_hash,
            _ => &self.status.update_revision,
        }
    }

    fn counts(&self, kind: Builtin, row: &mut WorkloadRow) {
        let (spec, s) = (&self.spec, &self.status);
        match kind {
            Builtin::DaemonSet | Builtin::AdvancedDaemonSet => {
                row.wanted = Some(s.desired_number_scheduled);
                row.ready = s.number_ready;
                row.updated = s.updated_number_scheduled;
                row.available = s.number_available;
                row.current = s.current_number_scheduled;
            }
            Builtin::Job => {
                row.wanted = Some(spec.completions.or(spec.parallelism).unwrap_or(1));
                row.ready = s.succeeded;
                row.updated = s.succeeded;
                row.available = s.succeeded;
                row.current = s.active.0;
                row.last_run = s.start_time.secs();
            }
            Builtin::CronJob => {
                row.current = s.active.0;
                row.last_run = s.last_schedule_time.secs();
            }
            _ => {
                row.wanted = Some(spec.replicas.unwrap_or(1));
                row.ready = s.ready_replicas;
                row.updated = s.updated_replicas;
                row.available = s.available_replicas;
                row.current = s.replicas;
            }
        }
        if kind == Builtin::ReplicaSet {
            row.updated = row.current;
        }
    }

    /// The condition or status that says it does not work.
    fn trouble(&self, kind: Builtin, row: &WorkloadRow) -> Trouble {
        let s = &self.status;
        let of = |c: &Condition<'_>, word: &str| {
            Some((if c.reason.is_empty() { word.to_owned() } else { c.reason.to_string() }, c.message.to_string()))
        };
        let is = |name: &str, status: &str| condition(&s.conditions, name).filter(|c| &*c.status == status);
        match kind {
            Builtin::Job => is("Failed", "True").and_then(|c| of(c, "Failed")),
            Builtin::CronJob => None,
            Builtin::ArgoRollout if &*s.phase == "Degraded" => Some(("Degraded".into(), s.message.to_string())),
            _ => {
                if let Some(c) = is("ReplicaFailure", "True").or_else(|| is("FailedScale", "True")) {
                    return of(c, "ReplicaFailure");
                }
                let stuck = is("Progressing", "False").filter(|c| &*c.reason == "ProgressDeadlineExceeded");
                if let Some(c) =
                    stuck.filter(|_| kind != Builtin::ArgoRollout || row.available < row.wanted.unwrap_or(0))
                {
                    return of(c, "ProgressDeadlineExceeded");
                }
                None
            }
        }
    }

    fn progress(&self, kind: Builtin, row: &WorkloadRow, trouble: bool) -> Progress {
        let s = &self.status;
        let wanted = row.wanted.unwrap_or(0);
        let unobserved = row.observed < row.generation;
        match kind {
            Builtin::Job | Builtin::CronJob | Builtin::ReplicaSet => Progress::Settled,
            _ if trouble => Progress::Stuck,
            Builtin::Deployment | Builtin::ArgoRollout => {
                let complete = condition(&s.conditions, "Progressing")
                    .is_some_and(|c| matches!(&*c.reason, "NewReplicaSetAvailable" | "RolloutCompleted"));
                let moving = unobserved || row.updated < wanted || row.current > row.updated;
                if self.spec.paused || (kind == Builtin::ArgoRollout && &*s.phase == "Paused") {
                    if moving { Progress::Paused } else { Progress::Settled }
                } else if moving || (!complete && row.available < wanted) {
                    Progress::Rolling
                } else {
                    Progress::Settled
                }
            }
            _ => {
                let strategy = &self.spec.update_strategy;
                let differs = !s.update_revision.is_empty()
                    && !s.current_revision.is_empty()
                    && s.current_revision != s.update_revision;
                let kept = strategy.partition().unwrap_or(0);
                let target = s.expected_updated_replicas.unwrap_or(wanted.saturating_sub(kept));
                let behind = match kind {
                    Builtin::DaemonSet => row.updated < wanted,
                    Builtin::AdvancedDaemonSet => row.updated < wanted.saturating_sub(kept),
                    // updatedReplicas of a StatefulSet is only kept while revisions differ.
                    _ => differs && row.updated < target,
                };
                if unobserved || (behind && !strategy.held()) {
                    Progress::Rolling
                } else if behind || (differs && row.updated < wanted) {
                    Progress::Paused
                } else {
                    Progress::Settled
                }
            }
        }
    }
}

/// Health of a workload from its counts; a rollout under way is busy, not bad.
fn health(kind: Builtin, row: &WorkloadRow, trouble: bool, status: &Status<'_>) -> Health {
    if trouble {
        return Health::Bad;
    }
    match kind {
        Builtin::CronJob => return if row.suspended { Health::Idle } else { Health::Ok },
        Builtin::Job => {
            let done = condition(&status.conditions, "Complete").is_some_and(|c| &*c.status == "True");
            return match (done || row.suspended, status.failed) {
                (true, _) => Health::Idle,
                (false, 0) => Health::Busy,
                (false, _) => Health::Warn,
            };
        }
        _ => {}
    }
    let wanted = row.wanted.unwrap_or(0);
    match (wanted, row.progress) {
        (0, _) => Health::Idle,
        (_, Progress::Stuck) => Health::Bad,
        (_, Progress::Rolling) => Health::Busy,
        _ if row.ready >= wanted => Health::Ok,
        _ if row.ready == 0 => Health::Bad,
        _ => Health::Warn,
    }
}
