//! The common mistakes, refused in the server's words.

use serde_json::{Value, json};

use super::{
    error::CauseLine,
    kinds::{self, Resource, Rid},
};

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

fn required(field: &str) -> CauseLine {
    ("FieldValueRequired", "Required value".into(), field.into())
}

fn invalid(field: &str, value: &Value, why: &str) -> CauseLine {
    ("FieldValueInvalid", format!("Invalid value: {value}: {why}"), field.into())
}

/// Mistakes in a new object.
pub fn create(resource: &Resource, object: &Value) -> Vec<CauseLine> {
    let mut causes = name(resource, object);
    causes.extend(body(resource, object));
    causes
}

/// Mistakes in a changed object.
pub fn update(resource: &Resource, old: &Value, new: &Value) -> Vec<CauseLine> {
    let mut causes = body(resource, new);
    for pointer in immutable(resource.rid, old) {
        let (before, after) = (old.pointer(pointer), new.pointer(pointer));
        if before != after && before.is_some() {
            let field = pointer.trim_start_matches('/').replace('/', ".");
            causes.push(invalid(&field, after.unwrap_or(&Value::Null), "field is immutable"));
        }
    }
    if resource.rid == kinds::PODS {
        causes.extend(pod_change(old, new));
    }
    causes
}

fn immutable(rid: Rid, old: &Value) -> &'static [&'static str] {
    let frozen = old.get("immutable") == Some(&json!(true));
    match rid {
        kinds::DEPLOYMENTS | kinds::DAEMONSETS | kinds::REPLICASETS => &["/spec/selector"],
        kinds::STATEFULSETS => &["/spec/selector", "/spec/serviceName", "/spec/podManagementPolicy"],
        kinds::JOBS => &["/spec/selector", "/spec/completionMode", "/spec/template"],
        kinds::SECRETS if frozen => &["/type", "/data"],
        kinds::SECRETS => &["/type"],
        kinds::CONFIGMAPS if frozen => &["/data", "/binaryData"],
        kinds::ROLEBINDINGS | kinds::CLUSTERROLEBINDINGS => &["/roleRef"],
        kinds::STORAGECLASSES => &["/provisioner", "/parameters"],
        _ => &[],
    }
}

/// Of a pod's spec only images, tolerations and the deadlines may change, and the node is given once.
fn pod_change(old: &Value, new: &Value) -> Option<CauseLine> {
    let fixed = |pod: &Value| {
        let mut spec = pod.get("spec").cloned().unwrap_or_default();
        for list in ["containers", "initContainers"] {
            for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                container["image"] = Value::Null;
            }
        }
        for key in ["activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerations", "schedulingGates"] {
            spec[key] = Value::Null;
        }
        spec
    };
    (fixed(old) != fixed(new)).then(|| {
        let why = "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,\
                   `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing \
                   tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
        ("FieldValueForbidden", why.to_owned(), "spec".to_owned())
    })
}

fn name(resource: &Resource, object: &Value) -> Vec<CauseLine> {
    let Some(name) = object.pointer("/metadata/name").and_then(Value::as_str).filter(|n| !n.is_empty()) else {
        return Vec::new();
    };
    let free =
        matches!(resource.rid, kinds::ROLES | kinds::ROLEBINDINGS | kinds::CLUSTERROLES | kinds::CLUSTERROLEBINDINGS);
    let label = matches!(resource.rid, kinds::NAMESPACES | kinds::SERVICES);
    let fits = |part: &str| {
        let inside = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !part.is_empty() && part.bytes().all(inside) && !part.starts_with('-') && !part.ends_with('-')
    };
    let good =
        free || if label { name.len() <= 63 && fits(name) } else { name.len() <= 253 && name.split('.').all(fits) };
    let why = if label { LABEL } else { SUBDOMAIN };
    if good { Vec::new() } else { vec![invalid("metadata.name", &json!(name), why)] }
}

fn body(resource: &Resource, object: &Value) -> Vec<CauseLine> {
    let spec = object.get("spec").unwrap_or(&Value::Null);
    match resource.rid {
        kinds::PODS => pod_spec(spec, "spec"),
        kinds::DEPLOYMENTS | kinds::STATEFULSETS | kinds::DAEMONSETS | kinds::REPLICASETS => workload(spec),
        kinds::JOBS => template(spec, "spec.template"),
        kinds::SERVICES => service(spec),
        _ => Vec::new(),
    }
}

fn workload(spec: &Value) -> Vec<CauseLine> {
    let mut causes = Vec::new();
    let selector = spec.pointer("/selector/matchLabels").and_then(Value::as_object);
    let by_expression = spec.pointer("/selector/matchExpressions").is_some();
    if selector.is_none_or(serde_json::Map::is_empty) && !by_expression {
        causes.push(required("spec.selector"));
    }
    let labels = spec.pointer("/template/metadata/labels").cloned().unwrap_or_else(|| json!({}));
    let empty = selector.is_none_or(serde_json::Map::is_empty) && !by_expression;
    let labels = if labels == json!({}) { Value::Null } else { labels };
    if empty || selector.is_some_and(|s| s.iter().any(|(k, v)| labels.get(k) != Some(v))) {
        causes.push(invalid("spec.template.metadata.labels", &labels, "`selector` does not match template `labels`"));
    }
    if spec.get("replicas").and_then(Value::as_i64).is_some_and(|r| r < 0) {
        causes.push(invalid("spec.replicas", &spec["replicas"], "must be greater than or equal to 0"));
    }
    causes.extend(template(spec, "spec.template"));
    causes
}

fn template(spec: &Value, field: &str) -> Vec<CauseLine> {
    pod_spec(spec.pointer("/template/spec").unwrap_or(&Value::Null), &format!("{field}.spec"))
}

fn pod_spec(spec: &Value, field: &str) -> Vec<CauseLine> {
    let empty = Vec::new();
    let containers = spec.get("containers").and_then(Value::as_array).unwrap_or(&empty);
    if containers.is_empty() {
        return vec![required(&format!("{field}.containers"))];
    }
    let mut causes = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (at, container) in containers.iter().enumerate() {
        let place = format!("{field}.containers[{at}]");
        let text = |key: &str| container.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("name").is_empty() {
            causes.push(required(&format!("{place}.name")));
        } else if seen.contains(&text("name")) {
            causes.push((
                "FieldValueDuplicate",
                format!("Duplicate value: \"{}\"", text("name")),
                format!("{place}.name"),
            ));
        }
        seen.push(text("name"));
        if text("image").is_empty() {
            causes.push(required(&format!("{place}.image")));
        }
    }
    causes
}

fn service(spec: &Value) -> Vec<CauseLine> {
    let external = spec.get("type") == Some(&json!("ExternalName"));
    let headless = spec.get("clusterIP") == Some(&json!("None"));
    let ports = spec.get("ports").and_then(Value::as_array).is_some_and(|p| !p.is_empty());
    if ports || external || headless { Vec::new() } else { vec![required("spec.ports")] }
}
