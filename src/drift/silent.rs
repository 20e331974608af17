//! What differs and means nothing: the server's and the platform's own bookkeeping (N13 to N19), allocations (N70 to N74), what
//! controllers fill in (N22, N23, N58, N59) and what a schema drops (N65).

use serde_json::Value as Json;

use super::{
    Class,
    judge::{Case, Judgement},
    owners::Entry,
    path::{Path, Step},
    scalar, walk,
    walk::Raw,
};
use crate::schema::{Node, Shape, schema};

/// Bookkeeping annotations (N13): whole names, or beginnings that end in a slash.
const BOOKKEEPING: [&str; 8] = [
    "autoscaling.alpha.kubernetes.io/",
    "control-plane.alpha.kubernetes.io/leader",
    "deployment.kubernetes.io/",
    "deprecated.daemonset.template.generation",
    "endpoints.kubernetes.io/last-change-trigger-time",
    "pv.kubernetes.io/",
    "volume.beta.kubernetes.io/",
    "volume.kubernetes.io/",
];

/// Stamps of a restart (N14).
const RESTARTS: [&str; 2] = ["kubectl.kubernetes.io/restartedAt", "rollout.argoproj.io/restartedAt"];

/// Labels and annotations of tools that deliver (N18).
const DELIVERY: [&str; 9] = [
    "app.kubernetes.io/managed-by",
    "argocd.argoproj.io/instance",
    "argocd.argoproj.io/tracking-id",
    "field.cattle.io/",
    "helm.toolkit.fluxcd.io/",
    "kustomize.toolkit.fluxcd.io/",
    "meta.helm.sh/",
    "objectset.rio.cattle.io/",
    "open-cluster-management.io/",
];

/// Labels that a Job's pods get (N43).
const JOB_LABELS: [&str; 4] =
    ["batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"];

/// The rule that makes a difference mean nothing; `None` when there is none.
pub fn judge(case: &Case, raw: &Raw, owners: &[&Entry]) -> Option<Judgement> {
    let words = raw.path.words();
    if raw.live.is_none() {
        return dropped(case, raw, owners);
    }
    let wished = case.wished(&raw.path);
    let person = owners.iter().any(|o| o.is_person());
    let told = filled(case, raw, &words);
    if told.is_some() || wished {
        return told.or_else(|| raw.desired.is_none().then(|| metadata(&words, person)).flatten());
    }
    metadata(&words, person)
        .or_else(|| allocated(case, raw, &words))
        .or_else(|| container(case, raw, &words, person))
        .or_else(|| job(case, &words))
}

fn matches(list: &[&str], name: &str) -> bool {
    list.iter().any(|entry| *entry == name || (entry.ends_with('/') && name.starts_with(entry)))
}

fn defaulted(rule: &'static str) -> Option<Judgement> {
    Some((Class::Defaulted, rule, None))
}

fn controller(rule: &'static str) -> Option<Judgement> {
    Some((Class::ControllerOwned, rule, None))
}

/// Live-only metadata.
fn metadata(words: &[&str], person: bool) -> Option<Judgement> {
    match words {
        [.., "metadata", "annotations", name] if matches(&RESTARTS, name) => defaulted("N14"),
        ["spec", "restartAt"] => defaulted("N14"),
        ["metadata", "annotations", name] if matches(&BOOKKEEPING, name) => defaulted("N13"),
        ["metadata", "labels" | "annotations", name] if matches(&DELIVERY, name) => controller("N18"),
        ["metadata", "ownerReferences", ..] => controller("N15"),
        ["metadata", "finalizers", ..] if !person => controller("N16"),
        _ => None,
    }
}

/// Fields that a controller fills, also where the manifest holds their place.
fn filled(case: &Case, raw: &Raw, words: &[&str]) -> Option<Judgement> {
    let form = case.form;
    match words {
        ["rules"] if form.is("rbac.authorization.k8s.io", "ClusterRole") && has(case, &["aggregationRule"]) => {
            controller("N58")
        }
        ["webhooks" | "spec", .., "caBundle"] => {
            let place = raw.desired.is_none_or(|v| v.as_str().is_some_and(|text| text.trim().is_empty()));
            let blank = raw.desired.and_then(Json::as_str).and_then(scalar::decoded);
            let blank = blank.is_some_and(|bytes| bytes.iter().all(u8::is_ascii_whitespace));
            (!form.custom && (place || blank)).then_some((Class::ControllerOwned, "N59", None))
        }
        // A claim that is named beforehand gains what identifies it.
        ["spec", "claimRef"] if form.is("", "PersistentVolume") && raw.only_more => defaulted("N72"),
        ["data", ..] | ["metadata", "annotations", "kubernetes.io/service-account.uid"]
            if form.is_secret()
                && case.wanted.set.get("type").and_then(Json::as_str)
                    == Some("kubernetes.io/service-account-token") =>
        {
            controller("N22")
        }
        ["data" | "binaryData", ..] if by_filler(case) => controller("N23"),
        _ => None,
    }
}

fn has(case: &Case, keys: &[&str]) -> bool {
    Path::keys(keys).find(&case.wanted.set).is_some_and(|v| !v.is_null())
}

/// A Secret or ConfigMap without data of its own that asks a known filler to fill it (N23).
fn by_filler(case: &Case) -> bool {
    const FILLERS: [&str; 5] = [
        "reflector.v1.k8s.emberstack.com/reflects",
        "service.beta.openshift.io/inject-cabundle",
        "config.openshift.io/inject-trusted-cabundle",
        "cert-manager.io/inject-ca-from",
        "cert-manager.io/allow-direct-injection",
    ];
    let kind = case.form.is_secret() || case.form.is("", "ConfigMap");
    let empty =
        |key: &str| case.wanted.set.get(key).is_none_or(|v| v.as_object().is_none_or(serde_json::Map::is_empty));
    let named = |field: &str| {
        let map = case.wanted.set.get("metadata").and_then(|m| m.get(field)).and_then(Json::as_object);
        map.is_some_and(|map| map.keys().any(|key| FILLERS.contains(&key.as_str())))
    };
    kind && empty("data") && empty("binaryData") && (named("annotations") || named("labels"))
}

/// Values that exist only because the server had to choose (N70 to N74).
fn allocated(case: &Case, raw: &Raw, words: &[&str]) -> Option<Judgement> {
    let form = case.form;
    let is = |kind: &str| form.is("", kind);
    match words {
        [
            "spec",
            "clusterIP" | "clusterIPs" | "ipFamilies" | "ipFamilyPolicy" | "healthCheckNodePort" | "loadBalancerClass",
            ..,
        ] if is("Service") => defaulted("N70"),
        ["spec", "ports", "[]", "nodePort"] if is("Service") => defaulted("N70"),
        ["spec", "volumeName" | "storageClassName" | "dataSource" | "dataSourceRef", ..]
            if is("PersistentVolumeClaim") =>
        {
            defaulted("N71")
        }
        ["spec", "claimRef", ..] | ["spec", "nodeAffinity", ..] if is("PersistentVolume") => defaulted("N72"),
        ["secrets" | "imagePullSecrets", ..] if is("ServiceAccount") => {
            let person = case.owners(&raw.path).first().is_some_and(|o| o.is_person());
            (!person).then_some((Class::ControllerOwned, "N73", None))
        }
        ["spec", "nodeName" | "priority"] if is("Pod") => defaulted("N74"),
        ["spec", "finalizers", ..] if is("Namespace") => defaulted("N17"),
        _ => None,
    }
}

/// Parts of containers that were right once (N31), or on older servers (N32).
fn container(case: &Case, raw: &Raw, words: &[&str], person: bool) -> Option<Judgement> {
    match words {
        [.., "imagePullPolicy" | "pullPolicy"] if !case.form.custom => {
            let usual = raw.live.and_then(Json::as_str).is_some_and(|p| matches!(p, "Always" | "IfNotPresent"));
            (usual && !person).then_some((Class::Defaulted, "N31", None))
        }
        [.., "containers" | "initContainers", "[]", "ports", "[]", "hostPort"] => {
            let port = Path(raw.path.0[..raw.path.0.len() - 1].to_vec());
            let spec = Path(raw.path.0[..raw.path.0.len() - 5].to_vec());
            let number = port.find(&case.held.full).and_then(|p| p.get("containerPort"));
            let host = spec.find(&case.held.full).and_then(|s| s.get("hostNetwork")) == Some(&Json::Bool(true));
            (host && number.is_some() && number == raw.live).then_some((Class::Defaulted, "N32", None))
        }
        _ => None,
    }
}

/// What a Job gets from its own uid (N43).
fn job(case: &Case, words: &[&str]) -> Option<Judgement> {
    let manual = case.wanted.set.pointer("/spec/manualSelector") == Some(&Json::Bool(true));
    if !case.form.is("batch", "Job") || manual {
        return None;
    }
    match words {
        ["spec", "selector", ..] => defaulted("N43"),
        ["metadata", "labels", name] | ["spec", "template", "metadata", "labels", name] => {
            JOB_LABELS.contains(name).then_some((Class::Defaulted, "N43", None))
        }
        _ => None,
    }
}

/// Wanted and not there, and rightly so.
fn dropped(case: &Case, raw: &Raw, owners: &[&Entry]) -> Option<Judgement> {
    if undeclared(case, &raw.path) {
        return defaulted("N65");
    }
    // The applier still owns it: the server made nothing of it (A8).
    let nothing = raw.desired.is_some_and(scalar::is_zero) && owners.iter().any(|o| o.ours);
    let text = matches!(walk::node_at(&case.form.root, &raw.path).shape, Shape::Any);
    (nothing && text && case.form.custom).then_some((Class::Defaulted, "A8", None))
}

/// Whether the schema of the kind does not know a field (N65).
fn undeclared(case: &Case, path: &Path) -> bool {
    let mut node: &Node = &case.form.root;
    for step in &path.0 {
        node = match step {
            Step::Key(key) => {
                let closed = match &node.shape {
                    Shape::Struct(_) => !(case.form.custom && node == &case.form.root),
                    Shape::Inline(_) => true,
                    _ => false,
                };
                if closed && schema().declared(node, key).is_none() {
                    return true;
                }
                schema().below(node, key)
            }
            _ => schema().item(node),
        };
    }
    false
}
