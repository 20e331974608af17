//! Defaults of pods and their templates (N30 to N36).

use serde_json::{Value as Json, json};

use super::{Fields, each, holds, inner, set, word};

/// What a Pod gets beyond a template (N36).
pub(super) fn pod(spec: &mut Fields) {
    set(spec, "enableServiceLinks", true);
    set(spec, "preemptionPolicy", "PreemptLowerPriority");
    if word(spec, "serviceAccountName").is_empty() && word(spec, "serviceAccount").is_empty() {
        set(spec, "serviceAccountName", "default");
    }
    for list in ["initContainers", "containers"] {
        each(spec, list, |container| inner(container, "resources", requests));
    }
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        if let Some(list) = tolerations.as_array_mut()
            && !list.iter().any(|t| t.get("key").and_then(Json::as_str) == Some(key))
        {
            list.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
}

/// Requests follow limits, in Pods alone.
fn requests(resources: &mut Fields) {
    let Some(limits) = resources.get("limits").and_then(Json::as_object).cloned() else { return };
    let requests = super::child(resources, "requests");
    limits.into_iter().for_each(|(key, value)| set(requests, &key, value));
}

/// Defaults by type.
pub(super) fn of_type(name: &str, fields: &mut Fields, desired: bool) {
    match name {
        "PodSpec" => spec(fields, desired),
        "Container" | "EphemeralContainer" => {
            set(fields, "terminationMessagePath", "/dev/termination-log");
            set(fields, "terminationMessagePolicy", "File");
            let policy = pull_policy(word(fields, "image"));
            set(fields, "imagePullPolicy", policy);
        }
        "ImageVolumeSource" if !word(fields, "reference").is_empty() => {
            let policy = pull_policy(word(fields, "reference"));
            set(fields, "pullPolicy", policy);
        }
        "Probe" => {
            set(fields, "timeoutSeconds", 1);
            set(fields, "periodSeconds", 10);
            set(fields, "successThreshold", 1);
            set(fields, "failureThreshold", 3);
        }
        "HTTPGetAction" => {
            set(fields, "path", "/");
            set(fields, "scheme", "HTTP");
        }
        "ObjectFieldSelector" => set(fields, "apiVersion", "v1"),
        "ResourceFieldSelector" => set(fields, "divisor", "0"),
        "ConfigMapVolumeSource" | "SecretVolumeSource" | "DownwardAPIVolumeSource" | "ProjectedVolumeSource" => {
            set(fields, "defaultMode", 420);
        }
        "ServiceAccountTokenProjection" => set(fields, "expirationSeconds", 3600),
        "AzureDiskVolumeSource" => set(fields, "readOnly", false),
        // A volume without a source is an empty directory.
        "Volume" if fields.keys().all(|key| key == "name") => set(fields, "emptyDir", json!({})),
        _ => {}
    }
}

fn spec(fields: &mut Fields, desired: bool) {
    set(fields, "restartPolicy", "Always");
    set(fields, "dnsPolicy", "ClusterFirst");
    set(fields, "schedulerName", "default-scheduler");
    set(fields, "terminationGracePeriodSeconds", 30);
    // The old alias mirrors the name; in a manifest that says both, the name wins (N35).
    let (name, alias) = (word(fields, "serviceAccountName").to_owned(), word(fields, "serviceAccount").to_owned());
    if name.is_empty() && !alias.is_empty() {
        set(fields, "serviceAccountName", alias);
    } else if !name.is_empty() && (desired || !holds(fields, "serviceAccount")) {
        fields.insert("serviceAccount".into(), name.into());
    }
}

/// The pull policy that the server computes from an image (N31): a port of a registry is no tag.
fn pull_policy(image: &str) -> &'static str {
    let last = image.rsplit('/').next().unwrap_or_default();
    let (name, digest) = last.split_once('@').map_or((last, false), |(name, _)| (name, true));
    match name.split_once(':') {
        Some((_, "latest")) => "Always",
        Some(_) => "IfNotPresent",
        None if digest => "IfNotPresent",
        None => "Always",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_pull_policy_follows_tag_and_digest() {
        for (image, policy) in [
            ("web", "Always"),
            ("web:latest", "Always"),
            ("reg:5000/web", "Always"),
            ("web:1", "IfNotPresent"),
            ("reg:5000/web@sha256:ab", "IfNotPresent"),
        ] {
            assert_eq!(super::pull_policy(image), policy, "{image}");
        }
    }
}
