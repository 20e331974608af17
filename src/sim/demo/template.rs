//! Pod templates, configuration and owners' marks of the demo's services.

use serde_json::{Value, json};

use super::{
    bake::By,
    local::{Local, PLATFORM_REGISTRY, REGISTRY},
    services::{Delivery, Service, System},
};
use crate::sim::{
    controllers::{seed, value::set},
    kinds::{self, Rid},
};

/// The image of a service at a tag.
pub fn image(service: &Service, tag: &str, local: Local) -> String {
    let registry = if service.system == System::Platform { PLATFORM_REGISTRY } else { REGISTRY };
    format!("{}/{}/{}:{tag}", local.registry(registry), service.system.namespace(), service.name)
}

/// Labels of the service's objects.
pub fn labels(service: &Service, tag: &str) -> Value {
    json!({
        "app.kubernetes.io/name": service.name, "app.kubernetes.io/part-of": service.system.namespace(),
        "app.kubernetes.io/version": tag, "team": service.system.team(),
    })
}

/// Labels that select the pods.
pub fn selector(service: &Service) -> Value {
    json!({"app.kubernetes.io/name": service.name})
}

/// The pod template of a service at a tag.
pub fn template(service: &Service, tag: &str, local: Local) -> Value {
    let name = service.name;
    let mut containers = vec![main_container(service, tag, local)];
    if matches!(service.system, System::Payments | System::Customer) {
        containers.push(sidecar(local));
    }
    json!({
        "metadata": {"labels": labels(service, tag), "annotations": {
            "prometheus.io/scrape": "true", "prometheus.io/port": "9090",
            "checksum/secret": &seed::sha256(name)[..32]}},
        "spec": {
            "containers": containers,
            "volumes": [
                {"name": "config", "configMap": {"name": format!("{name}-config"), "defaultMode": 420}},
                {"name": "tmp", "emptyDir": {}},
            ],
            "serviceAccountName": "default", "serviceAccount": "default",
            "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
            "terminationGracePeriodSeconds": 30,
            "securityContext": {"runAsNonRoot": true, "runAsUser": 65532, "fsGroup": 65532},
            "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": selector(service)}}],
        },
    })
}

fn main_container(service: &Service, tag: &str, local: Local) -> Value {
    let name = service.name;
    let millicores = 100 * (1 + seed::number(&["cpu", name]) % 6);
    let memory = [128, 256, 384, 512, 1024][usize::try_from(seed::number(&["memory", name]) % 5).unwrap_or(0)];
    json!({
        "name": name, "image": image(service, tag, local), "imagePullPolicy": if tag == "latest" { "Always" } else { "IfNotPresent" },
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}, {"name": "metrics", "containerPort": 9090, "protocol": "TCP"}],
        "env": [
            {"name": "LOG_LEVEL", "value": local.log_level},
            {"name": "REGION", "value": local.region},
            {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": "http://otel-collector.platform:4317"},
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
            {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": format!("{name}-credentials"), "key": "password"}}},
        ],
        "resources": {"requests": {"cpu": format!("{millicores}m"), "memory": format!("{memory}Mi")},
            "limits": {"memory": format!("{}Mi", memory * 2)}},
        "livenessProbe": probe("/livez", 10), "readinessProbe": probe("/readyz", 5),
        "volumeMounts": [{"name": "config", "mountPath": "/etc/app", "readOnly": true}, {"name": "tmp", "mountPath": "/tmp"}],
        "securityContext": {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    })
}

fn sidecar(local: Local) -> Value {
    let image = format!("{}/mesh/proxy:1.31.0", local.registry(PLATFORM_REGISTRY));
    json!({
        "name": "mesh-proxy", "image": image, "imagePullPolicy": "IfNotPresent",
        "env": [{"name": "LOG_LEVEL", "value": local.log_level}, {"name": "REGION", "value": local.region}],
        "ports": [{"name": "mesh", "containerPort": 15090, "protocol": "TCP"}],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 15021, "scheme": "HTTP"}, "initialDelaySeconds": 1,
            "periodSeconds": 5, "timeoutSeconds": 2, "successThreshold": 1, "failureThreshold": 3},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    })
}

fn probe(path: &str, period: i64) -> Value {
    json!({"httpGet": {"path": path, "port": "http", "scheme": "HTTP"}, "initialDelaySeconds": 3, "periodSeconds": period,
        "timeoutSeconds": 2, "successThreshold": 1, "failureThreshold": 3})
}

/// Who writes the objects of a system.
pub fn writer(delivery: Delivery) -> By {
    match delivery {
        Delivery::ArgoCd => By::apply("argocd-controller"),
        Delivery::Flux => By::apply("kustomize-controller"),
        Delivery::Helm => By::update("helm"),
        Delivery::Fleet => By::update("fleetagent"),
        Delivery::Vela => By::apply("kubevela"),
        Delivery::Karmada => By::update("karmada-controller-manager"),
        Delivery::Ocm => By::apply("work-agent"),
    }
}

/// Puts the marks of the tool that delivers a system's objects on one of them.
pub fn mark(object: &mut Value, rid: Rid, service: &Service, seed: u64) {
    let (space, name) = (service.system.namespace(), service.name);
    let object_name = object["metadata"]["name"].as_str().unwrap_or(name).to_owned();
    let mut label = |key: &str, value: &str| set(object, &["metadata", "labels", key], json!(value));
    match service.system.delivery() {
        Delivery::ArgoCd => {
            let kind = argo_kind(rid);
            let id = format!("{space}:{kind}:{space}/{object_name}");
            set(object, &["metadata", "annotations", "argocd.argoproj.io/tracking-id"], json!(id));
        }
        Delivery::Flux => {
            label("kustomize.toolkit.fluxcd.io/name", space);
            label("kustomize.toolkit.fluxcd.io/namespace", "flux-system");
        }
        Delivery::Helm => {
            label("helm.sh/chart", &format!("{name}-1.{}.0", seed::number(&["chart", name]) % 9));
            helm_marks(object, name, space);
        }
        Delivery::Fleet => {
            let bundle = format!("default-{space}-{name}");
            label("objectset.rio.cattle.io/hash", &seed::sha256(&bundle)[..40]);
            set(object, &["metadata", "annotations", "objectset.rio.cattle.io/id"], json!(bundle));
            helm_marks(object, &format!("{space}-{name}"), space);
        }
        Delivery::Vela => {
            label("app.oam.dev/name", space);
            label("app.oam.dev/namespace", "default");
            label("app.oam.dev/component", name);
            label("app.oam.dev/resourceType", "WORKLOAD");
        }
        Delivery::Karmada => {
            label("work.karmada.io/permanent-id", &seed::uid(seed, &["work", name]));
            label("karmada.io/managed", "true");
            set(object, &["metadata", "annotations", "work.karmada.io/namespace"], json!("karmada-es-cn"));
            set(
                object,
                &["metadata", "annotations", "work.karmada.io/name"],
                json!(format!("{name}-{}", seed::suffix(seed, &["work", name], 9))),
            );
        }
        Delivery::Ocm => {
            let work = format!("{}-{space}-{name}", &seed::sha256("hub")[..32]);
            object["metadata"]["ownerReferences"] = json!([{"apiVersion": "work.open-cluster-management.io/v1",
                "kind": "AppliedManifestWork", "name": work, "uid": seed::uid(seed, &["manifestwork", name])}]);
        }
    }
}

fn helm_marks(object: &mut Value, release: &str, space: &str) {
    set(object, &["metadata", "labels", "app.kubernetes.io/managed-by"], json!("Helm"));
    set(object, &["metadata", "annotations", "meta.helm.sh/release-name"], json!(release));
    set(object, &["metadata", "annotations", "meta.helm.sh/release-namespace"], json!(space));
}

/// `group/Kind` as Argo CD writes it in a tracking id.
fn argo_kind(rid: Rid) -> String {
    let table = kinds::table();
    table.get(rid.index()).map_or_else(String::new, |r| format!("{}/{}", r.group, r.kind))
}
