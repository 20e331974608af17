//! Reading a manifest at the version of the live object (N60): newer versions of the same shape as they are, others by the
//! conversions that are known. Without one there is no comparison.

use serde_json::{Map, Value as Json, json};

use super::{
    form::{Form, group_of},
    word,
};

/// Groups whose older versions have the shape of `v1` (or the newest), by kind where only some have.
const SAME_SHAPE: [(&str, &str); 14] = [
    ("autoscaling/v2beta2", "HorizontalPodAutoscaler"),
    ("batch/v1beta1", "CronJob"),
    ("coordination.k8s.io/v1beta1", "Lease"),
    ("node.k8s.io/v1beta1", "RuntimeClass"),
    ("policy/v1beta1", "PodDisruptionBudget"),
    ("networking.k8s.io/v1beta1", "IngressClass"),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io/v1beta1", "Role"),
    ("rbac.authorization.k8s.io/v1beta1", "RoleBinding"),
    ("scheduling.k8s.io/v1beta1", "PriorityClass"),
    ("storage.k8s.io/v1beta1", "CSIDriver"),
    ("storage.k8s.io/v1beta1", "StorageClass"),
    ("extensions/v1beta1", "NetworkPolicy"),
];

/// The manifest at a version; `None` when nothing is known that gets it there.
pub fn to(desired: &Json, version: &str, form: &Form) -> Option<Json> {
    let from = word(desired, "apiVersion");
    let newest = match form.group.as_str() {
        "autoscaling" => version == "autoscaling/v2",
        group => version == format!("{group}/v1"),
    };
    if from == version || (newest && SAME_SHAPE.contains(&(from, form.kind.as_str()))) {
        return Some(desired.clone());
    }
    let mut made = desired.clone();
    let spec = made.get_mut("spec").and_then(Json::as_object_mut);
    match (from, version, form.kind.as_str()) {
        ("autoscaling/v1", "autoscaling/v2", "HorizontalPodAutoscaler") => autoscaler(spec?),
        ("autoscaling/v2", "autoscaling/v1", "HorizontalPodAutoscaler") => autoscaler_back(spec?)?,
        (_, "networking.k8s.io/v1", "Ingress") if matches!(group_of(from), "networking.k8s.io" | "extensions") => {
            ingress(spec?);
        }
        _ => return None,
    }
    Some(made)
}

/// A target of processor use is a metric.
fn autoscaler(spec: &mut Map<String, Json>) {
    if let Some(percent) = spec.remove("targetCPUUtilizationPercentage").filter(|p| !p.is_null()) {
        let target = json!({"type": "Utilization", "averageUtilization": percent});
        spec.insert("metrics".into(), json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
    }
}

/// The other way, when that is the only metric.
fn autoscaler_back(spec: &mut Map<String, Json>) -> Option<()> {
    let Some(metrics) = spec.remove("metrics") else { return Some(()) };
    let [metric] = metrics.as_array()?.as_slice() else { return None };
    if metric.pointer("/resource/name") != Some(&json!("cpu")) || spec.contains_key("behavior") {
        return None;
    }
    let percent = metric.pointer("/resource/target/averageUtilization")?.clone();
    spec.insert("targetCPUUtilizationPercentage".into(), percent);
    Some(())
}

/// Backends name their Service in one map since `v1`; the type of a path was open before.
fn ingress(spec: &mut Map<String, Json>) {
    if let Some(mut default) = spec.remove("backend") {
        backend(&mut default);
        spec.insert("defaultBackend".into(), default);
    }
    for rule in spec.get_mut("rules").and_then(Json::as_array_mut).into_iter().flatten() {
        for path in rule.pointer_mut("/http/paths").and_then(Json::as_array_mut).into_iter().flatten() {
            if let Some(found) = path.get_mut("backend") {
                backend(found);
            }
            if let Some(path) = path.as_object_mut() {
                path.entry("pathType").or_insert_with(|| "ImplementationSpecific".into());
            }
        }
    }
}

fn backend(backend: &mut Json) {
    let Some(map) = backend.as_object_mut() else { return };
    let Some(name) = map.remove("serviceName") else { return };
    let port = match map.remove("servicePort") {
        Some(Json::String(name)) => json!({"name": name}),
        Some(number) => json!({"number": number}),
        None => json!({}),
    };
    map.insert("service".into(), json!({"name": name, "port": port}));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_another_shape_is_turned_or_not_compared() {
        let form = |version: &str, kind: &str| Form::of(version, kind, None);
        let old = json!({"apiVersion": "networking.k8s.io/v1beta1", "kind": "Ingress",
            "spec": {"backend": {"serviceName": "web", "servicePort": 80}}});
        let made = to(&old, "networking.k8s.io/v1", &form("networking.k8s.io/v1", "Ingress")).unwrap();
        assert_eq!(made["spec"], json!({"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}));
        let old = json!({"apiVersion": "apps/v1beta1", "kind": "Deployment", "spec": {}});
        assert_eq!(to(&old, "apps/v1", &form("apps/v1", "Deployment")), None);
        let old = json!({"apiVersion": "lab.example.net/v1", "kind": "Widget", "spec": {}});
        assert_eq!(to(&old, "lab.example.net/v2", &form("lab.example.net/v2", "Widget")), None);
    }
}
