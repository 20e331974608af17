//! Real public manifests, read where they lie beside the project (`../shared/corpus`), never copied into it; where they are
//! absent, a few of our own stand in, and the test says so.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

/// Kinds of the console that a plain server takes.
const KINDS: &[&str] = &[
    "Namespace",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "Job",
    "CronJob",
    "ConfigMap",
    "Secret",
    "Service",
    "HorizontalPodAutoscaler",
    "PodDisruptionBudget",
];

/// Kinds that run pods.
pub const WORKLOADS: &[&str] = &["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"];

/// The folder, if it is there.
pub fn folder() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    path.join("index.yaml").exists().then_some(path)
}

/// Distinct objects of the watched kinds in every entry that has workloads, and how many entries were read. `kubectl` renders
/// the overlays.
pub fn objects(kubectl: &Path) -> (Vec<Value>, usize) {
    let Some(folder) = folder() else { return (own(), 0) };
    let index: Value = yaml(&fs::read_to_string(folder.join("index.yaml")).expect("index")).remove(0);
    let mut found: BTreeMap<(String, String, String), Value> = BTreeMap::new();
    let mut entries = 0;
    for entry in index["entries"].as_array().expect("entries") {
        let kinds = entry["kinds"].as_object();
        if !kinds.is_some_and(|k| WORKLOADS.iter().any(|w| k.contains_key(*w))) {
            continue;
        }
        let path = folder.join(entry["path"].as_str().expect("path"));
        let documents = match entry["renderer"].as_str() {
            Some("kustomize") => rendered(kubectl, &path),
            Some("plain") => plain(&path),
            _ => continue,
        };
        entries += 1;
        for object in documents {
            if let Some((key, object)) = usable(object) {
                found.insert(key, object);
            }
        }
    }
    (found.into_values().collect(), entries)
}

/// Every document that parses; odd files of the corpus are other tests' business.
fn yaml(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple_with_options::<Value>(
        text,
        serde_saphyr::options! { strict_booleans: false, legacy_octal_numbers: true },
    )
    .unwrap_or_default()
}

fn rendered(kubectl: &Path, path: &Path) -> Vec<Value> {
    let output = Command::new(kubectl).arg("kustomize").arg(path).output().expect("kubectl");
    yaml(&String::from_utf8_lossy(&output.stdout))
}

fn plain(path: &Path) -> Vec<Value> {
    let files: Vec<PathBuf> = if path.is_dir() {
        let mut files: Vec<PathBuf> = fs::read_dir(path).into_iter().flatten().flatten().map(|f| f.path()).collect();
        files.sort();
        files
    } else {
        vec![path.to_owned()]
    };
    files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "yaml" || e == "yml"))
        .filter_map(|f| fs::read_to_string(f).ok())
        .flat_map(|text| yaml(&text))
        .flat_map(|d| match d["items"].as_array() {
            Some(items) if d["kind"].as_str().is_some_and(|k| k.ends_with("List")) => items.clone(),
            _ => vec![d],
        })
        .collect()
}

/// An object of a watched kind with a name, made fit for any server: a namespace of its own, no exported fields.
fn usable(mut object: Value) -> Option<((String, String, String), Value)> {
    let kind = object["kind"].as_str()?.to_owned();
    let name = object["metadata"]["name"].as_str()?.to_owned();
    if !KINDS.contains(&kind.as_str())
        || object["apiVersion"].as_str().is_some_and(|v| v.contains("extensions") || v.contains("beta"))
    {
        return None;
    }
    let meta = object["metadata"].as_object_mut()?;
    for key in
        ["uid", "resourceVersion", "managedFields", "generation", "creationTimestamp", "selfLink", "ownerReferences"]
    {
        meta.remove(key);
    }
    let namespace = if kind == "Namespace" {
        String::new()
    } else {
        let namespace =
            meta.get("namespace").and_then(Value::as_str).filter(|n| !n.is_empty()).unwrap_or("corpus").to_owned();
        meta.insert("namespace".into(), json!(namespace));
        namespace
    };
    object.as_object_mut()?.remove("status");
    Some(((kind, namespace, name), object))
}

/// Stand-ins where the corpus is not there.
fn own() -> Vec<Value> {
    let workload = |kind: &str, name: &str, image: &str| {
        json!({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "shop"}, "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": name, "image": image}]}}}})
    };
    vec![
        workload("Deployment", "web", "shop/web:1.2.0"),
        workload("Deployment", "api", "shop/api:2.0.1"),
        workload("StatefulSet", "db", "shop/db:15.4"),
        workload("DaemonSet", "agent", "shop/agent:0.9"),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}, "data": {"a": "1"}}),
    ]
}
