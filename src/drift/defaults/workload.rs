//! Defaults of workloads (N40 to N44).

use serde_json::{Value as Json, json};

use super::{Fields, child, holds, inner, set, word};

/// A Job as an object of its own; inside a CronJob none of this is filled in (N43).
pub(super) fn job(root: &mut Fields) {
    let spec = child(root, "spec");
    if !holds(spec, "completions") && !holds(spec, "parallelism") {
        set(spec, "completions", 1);
    }
    set(spec, "parallelism", 1);
    let limit = if holds(spec, "backoffLimitPerIndex") { i32::MAX } else { 6 };
    set(spec, "backoffLimit", limit);
    set(spec, "completionMode", "NonIndexed");
    set(spec, "suspend", false);
    set(spec, "manualSelector", false);
    let policy = if holds(spec, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    set(spec, "podReplacementPolicy", policy);
    labels_from_template(root);
}

/// A ReplicationController copies the labels of its template (N43).
pub(super) fn replication_controller(root: &mut Fields) {
    let labels = template_labels(root);
    if let Some(labels) = labels
        && !holds(child(root, "spec"), "selector")
    {
        child(root, "spec").insert("selector".into(), labels);
    }
    labels_from_template(root);
}

fn template_labels(root: &Fields) -> Option<Json> {
    root.get("spec")?.pointer("/template/metadata/labels").cloned()
}

fn labels_from_template(root: &mut Fields) {
    if let Some(labels) = template_labels(root)
        && !holds(child(root, "metadata"), "labels")
    {
        child(root, "metadata").insert("labels".into(), labels);
    }
}

/// Defaults by type.
pub(super) fn of_type(name: &str, fields: &mut Fields) {
    match name {
        "DeploymentSpec" => {
            set(fields, "replicas", 1);
            set(fields, "revisionHistoryLimit", 10);
            set(fields, "progressDeadlineSeconds", 600);
            rolling(child(fields, "strategy"), &[("maxSurge", json!("25%")), ("maxUnavailable", json!("25%"))]);
        }
        "StatefulSetSpec" => {
            set(fields, "replicas", 1);
            set(fields, "podManagementPolicy", "OrderedReady");
            set(fields, "revisionHistoryLimit", 10);
            let retention = child(fields, "persistentVolumeClaimRetentionPolicy");
            set(retention, "whenDeleted", "Retain");
            set(retention, "whenScaled", "Retain");
            rolling(child(fields, "updateStrategy"), &[("partition", json!(0)), ("maxUnavailable", json!(1))]);
        }
        "DaemonSetSpec" => {
            set(fields, "revisionHistoryLimit", 10);
            rolling(child(fields, "updateStrategy"), &[("maxUnavailable", json!(1)), ("maxSurge", json!(0))]);
        }
        "ReplicaSetSpec" => set(fields, "replicas", 1),
        "CronJobSpec" => {
            set(fields, "concurrencyPolicy", "Allow");
            set(fields, "suspend", false);
            set(fields, "successfulJobsHistoryLimit", 3);
            set(fields, "failedJobsHistoryLimit", 1);
        }
        "PodFailurePolicyOnPodConditionsPattern" => set(fields, "status", "True"),
        _ => {}
    }
}

/// A rollout strategy: its type, and the settings of a rolling one.
fn rolling(strategy: &mut Fields, settings: &[(&str, Json)]) {
    set(strategy, "type", "RollingUpdate");
    if word(strategy, "type") == "RollingUpdate" {
        child(strategy, "rollingUpdate");
        inner(strategy, "rollingUpdate", |rolling| {
            settings.iter().for_each(|(key, value)| set(rolling, key, value.clone()));
        });
    }
}
