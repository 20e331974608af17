//! Objects as a person would write them: a service's workload, Service, configuration, budget, autoscaler, and its system's
//! namespace. The live objects and the `deploy/` tree are both made from these.

use serde_json::{Value, json};

use super::{
    local::Local,
    services::{Service, Shape, System},
    template,
};
use crate::sim::{
    controllers::{seed, value::set},
    kinds::{self, Rid},
};

/// Services that are scaled automatically in production.
const SCALED: &[&str] = &["api-gateway", "web", "checkout", "catalog", "identity"];

/// An annotation that binds a Service to one provider, though it goes to clusters of all of them.
const LOAD_BALANCER: (&str, &str) = ("service.beta.kubernetes.io/aws-load-balancer-type", "nlb");

/// The kind of a workload.
pub fn rid(shape: Shape) -> Rid {
    match shape {
        Shape::Deployment => kinds::DEPLOYMENTS,
        Shape::StatefulSet => kinds::STATEFULSETS,
        Shape::DaemonSet => kinds::DAEMONSETS,
        Shape::CronJob(_) => kinds::CRONJOBS,
        Shape::CloneSet(_) => kinds::CLONESETS,
        Shape::ArgoRollout => kinds::ROLLOUTS,
    }
}

/// Whether a service has a Service.
pub fn is_called(service: &Service) -> bool {
    !matches!(service.shape, Shape::CronJob(_) | Shape::DaemonSet)
}

/// Whether a service has a disruption budget in production; what runs in shops is not there.
pub fn is_guarded(service: &Service) -> bool {
    is_called(service) && service.replicas >= 3 && service.system != System::Edge
}

/// Whether a service is scaled automatically in production.
pub fn is_scaled(service: &Service) -> bool {
    SCALED.contains(&service.name)
}

/// The workload, without kind.
pub fn workload(service: &Service, tag: &str, replicas: i64, local: Local) -> Value {
    let labels = template::labels(service, tag);
    let mut spec = match service.shape {
        Shape::CronJob(schedule) => scheduled(service, tag, schedule, local),
        _ => json!({"replicas": replicas, "selector": {"matchLabels": template::selector(service)},
            "template": template::template(service, tag, local)}),
    };
    if service.shape == Shape::DaemonSet {
        // As many as there are nodes.
        spec.as_object_mut().map(|s| s.remove("replicas"));
    }
    for (key, value) in strategy(service).as_object().into_iter().flatten() {
        spec[key] = value.clone();
    }
    json!({"metadata": {"name": service.name, "namespace": service.system.namespace(), "labels": labels}, "spec": spec})
}

fn scheduled(service: &Service, tag: &str, schedule: &str, local: Local) -> Value {
    let mut pod = template::template(service, tag, local);
    pod["spec"]["restartPolicy"] = json!("OnFailure");
    json!({"schedule": schedule, "concurrencyPolicy": "Forbid", "suspend": false, "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 1, "jobTemplate": {"metadata": {"labels": template::labels(service, tag)}, "spec": {"template": pod}}})
}

/// How a workload of this shape is updated.
fn strategy(service: &Service) -> Value {
    match service.shape {
        Shape::Deployment => {
            // Payments go one pod at a time and never below strength.
            let steps = match service.system {
                System::Payments => json!({"maxSurge": 1, "maxUnavailable": 0}),
                _ => json!({"maxSurge": "25%", "maxUnavailable": "25%"}),
            };
            json!({"strategy": {"type": "RollingUpdate", "rollingUpdate": steps}, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600})
        }
        Shape::StatefulSet => {
            json!({"serviceName": service.name, "podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10,
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}})
        }
        Shape::DaemonSet => json!({"revisionHistoryLimit": 10,
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}}),
        Shape::CloneSet(partition) => {
            json!({"revisionHistoryLimit": 10, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {
            "podUpdatePolicy": "ReCreate", "partition": partition, "maxUnavailable": "20%", "maxSurge": 0}}})
        }
        Shape::ArgoRollout => json!({"strategy": {"canary": {"maxSurge": "25%", "maxUnavailable": "25%", "steps": [
            {"setWeight": 20}, {"pause": {}}, {"setWeight": 60}, {"pause": {"duration": 120}}]}}, "revisionHistoryLimit": 5}),
        Shape::CronJob(_) => json!({}),
    }
}

/// The metadata of what surrounds the workload.
pub fn around(service: &Service, name: &str) -> Value {
    let space = service.system.namespace();
    json!({"name": name, "namespace": space,
        "labels": {"app.kubernetes.io/name": service.name, "app.kubernetes.io/part-of": space}})
}

/// The ConfigMap.
pub fn config(service: &Service) -> Value {
    let n = seed::number(&["config", service.name]);
    let (workers, timeout, retries) = (4 + n % 12, 2 + n % 20, n % 5);
    let text =
        format!("workers: {workers}\ntimeout: {timeout}s\nretries: {retries}\nfeatures:\n  - tracing\n  - audit\n");
    json!({"metadata": around(service, &format!("{}-config", service.name)), "data": {"config.yaml": text}})
}

/// The Service.
pub fn service(service: &Service) -> Value {
    let mut object = json!({"metadata": around(service, service.name), "spec": {"type": "ClusterIP",
        "selector": template::selector(service), "ports": [{"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}]}});
    if service.shape == Shape::StatefulSet {
        object["spec"]["clusterIP"] = json!("None");
    }
    if service.name == "ingress-nginx-controller" {
        set(&mut object, &["metadata", "annotations", LOAD_BALANCER.0], json!(LOAD_BALANCER.1));
    }
    object
}

/// The disruption budget.
pub fn budget(service: &Service) -> Value {
    json!({"metadata": around(service, service.name),
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": template::selector(service)}}})
}

/// Least and most pods that the autoscaler may make of so many.
pub fn bounds(replicas: i64) -> (i64, i64) {
    ((replicas - 2).max(1), replicas + 4)
}

/// The autoscaler.
pub fn scaler(service: &Service, replicas: i64) -> Value {
    let (least, most) = bounds(replicas);
    json!({"metadata": around(service, service.name), "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": service.name},
        "minReplicas": least, "maxReplicas": most,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}}]}})
}

/// The namespace of a system.
pub fn namespace(system: System) -> Value {
    let space = system.namespace();
    json!({"metadata": {"name": space, "labels": {"app.kubernetes.io/part-of": space, "team": system.team()}}})
}
