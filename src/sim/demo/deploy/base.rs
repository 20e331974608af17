//! The bases: one folder of plain manifests for each service, the same for every cluster.

use serde_json::{Value, json};

use super::{File, division, division::Division, yaml};
use crate::sim::{
    demo::{
        local::Local,
        manifests,
        services::{SERVICES, Service, Shape, System},
    },
    kinds::{self, Rid},
};

/// A field and the value that an API server fills in by itself.
type Default = (&'static str, fn() -> Value);

/// Values that an API server fills in by itself: nobody writes them.
const DEFAULTS: &[Default] = &[
    ("defaultMode", || json!(420)),
    ("dnsPolicy", || json!("ClusterFirst")),
    ("failureThreshold", || json!(3)),
    ("podManagementPolicy", || json!("OrderedReady")),
    ("protocol", || json!("TCP")),
    ("restartPolicy", || json!("Always")),
    ("schedulerName", || json!("default-scheduler")),
    ("scheme", || json!("HTTP")),
    ("serviceAccount", || json!("default")),
    ("serviceAccountName", || json!("default")),
    ("successThreshold", || json!(1)),
    ("suspend", || json!(false)),
    ("terminationGracePeriodSeconds", || json!(30)),
    ("terminationMessagePath", || json!("/dev/termination-log")),
    ("terminationMessagePolicy", || json!("File")),
];

/// Every file.
pub fn files() -> Vec<File> {
    let mut files: Vec<File> = System::ALL.iter().map(|s| namespace(*s)).collect();
    for service in SERVICES {
        files.extend(of_service(service));
    }
    files
}

fn namespace(system: System) -> File {
    let path = format!("deploy/base/namespaces/{}.yaml", system.namespace());
    File { path, text: yaml::document(&typed(kinds::NAMESPACES, manifests::namespace(system))) }
}

fn of_service(service: &Service) -> Vec<File> {
    let mut files = vec![
        file(service, "workload", &workload(service)),
        file(service, "config", &typed(kinds::CONFIGMAPS, manifests::config(service))),
    ];
    if manifests::is_called(service) {
        files.push(file(service, "service", &called(service)));
    }
    if manifests::is_guarded(service) {
        let mut budget = typed(kinds::PDBS, manifests::budget(service));
        budget["#"] = json!("In production only.");
        files.push(file(service, "budget", &budget));
    }
    if manifests::is_scaled(service) {
        let mut scaler = typed(kinds::HPAS, manifests::scaler(service, service.replicas));
        scaler["#"] = json!("In production only; the bounds there follow the size of the cluster.");
        files.push(file(service, "autoscaler", &scaler));
    }
    files
}

fn file(service: &Service, name: &str, object: &Value) -> File {
    File { path: format!("deploy/base/{}/{name}.yaml", service.name), text: yaml::document(object) }
}

fn workload(service: &Service) -> Value {
    let rid = manifests::rid(service.shape);
    let mut object =
        typed(rid, manifests::workload(service, service.version, division::base_replicas(service), Local::BASE));
    object["#"] = json!(format!("{} of team {}.", service.name, service.system.team()));
    if division::has_replicas(service) {
        let words = match Division::of(service) {
            Division::Same => "In a cluster of size l; policies say what other sizes have.",
            _ => "In all clusters together; a policy deals them out.",
        };
        object["spec"]["#replicas"] = json!(words);
    }
    let pod = match service.shape {
        Shape::CronJob(_) => "/spec/jobTemplate/spec/template/spec/containers/0",
        _ => "/spec/template/spec/containers/0",
    };
    if let Some(container) = object.pointer_mut(pod) {
        container["#env"] = json!("REGION, and LOG_LEVEL in development, are set by policies.");
    }
    object
}

/// The Service; one of them carries what belongs to a place.
fn called(service: &Service) -> Value {
    let mut object = typed(kinds::SERVICES, manifests::service(service));
    if object.pointer("/metadata/annotations").is_some() {
        object["metadata"]["#annotations"] = json!("For the clusters on AWS.");
    }
    object
}

/// The object with its kind, without what nobody writes.
fn typed(rid: Rid, mut object: Value) -> Value {
    strip(&mut object);
    let table = kinds::table();
    if let Some(resource) = table.get(rid.index()) {
        object["apiVersion"] = json!(resource.api_version(resource.preferred()));
        object["kind"] = json!(resource.kind);
    }
    object
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, value| !DEFAULTS.iter().any(|(k, default)| k == key && *value == default()));
            if let Some(field) = map.get_mut("fieldRef").and_then(Value::as_object_mut) {
                field.remove("apiVersion");
            }
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}
