//! One object in the form in which it is compared: server-owned parts dropped (N10 to N12), Secrets folded (N21), nulls and zeros
//! that a server does not keep taken out (N01, N04), defaults filled in (N30 to N61). Doing it twice changes nothing.

use serde_json::{Map, Value as Json};

use super::{defaults, form::Form, form::type_name, scalar};
use crate::schema::{Node, Shape, schema};

/// An object, normalised.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Normal {
    /// What it says itself.
    pub set: Json,
    /// With what a server adds.
    pub full: Json,
}

/// Annotation in which `kubectl apply` keeps the manifest.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Metadata that is the server's own (N10), and identity, which pairing has dealt with.
const SERVER_OWNED: [&str; 10] = [
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "selfLink",
    "managedFields",
    "deletionGracePeriodSeconds",
    "clusterName",
];

/// Fields of built-in types that are pointers: their zero is a value (N04).
const POINTERS: [&str; 59] = [
    "activeDeadlineSeconds",
    "allocateLoadBalancerNodePorts",
    "allowPrivilegeEscalation",
    "allowVolumeExpansion",
    "attachRequired",
    "automountServiceAccountToken",
    "averageUtilization",
    "backoffLimit",
    "backoffLimitPerIndex",
    "blockOwnerDeletion",
    "completions",
    "controller",
    "defaultMode",
    "enableServiceLinks",
    "expirationSeconds",
    "failedJobsHistoryLimit",
    "fsGroup",
    "hostUsers",
    "immutable",
    "lendablePercent",
    "manualSelector",
    "maxFailedIndexes",
    "maxSurge",
    "maxUnavailable",
    "minAvailable",
    "minReplicas",
    "mode",
    "nominalConcurrencyShares",
    "optional",
    "parallelism",
    "partition",
    "podInfoOnMount",
    "preventPodSchedulingIfMissing",
    "priority",
    "privileged",
    "progressDeadlineSeconds",
    "readOnlyRootFilesystem",
    "ready",
    "replicas",
    "requiresRepublish",
    "revisionHistoryLimit",
    "runAsGroup",
    "runAsNonRoot",
    "runAsUser",
    "seLinuxMount",
    "serving",
    "setHostnameAsFQDN",
    "shareProcessNamespace",
    "stabilizationWindowSeconds",
    "startingDeadlineSeconds",
    "storageCapacity",
    "successfulJobsHistoryLimit",
    "suspend",
    "terminating",
    "terminationGracePeriodSeconds",
    "tolerationSeconds",
    "ttlSecondsAfterFinished",
    "weight",
    "targetCPUUtilizationPercentage",
];

/// Normalises an object; `desired` says that it is a manifest and not what a server keeps.
pub fn normal(object: &Json, form: &Form, desired: bool) -> Normal {
    let mut set = object.clone();
    let Some(root) = set.as_object_mut() else { return Normal::default() };
    let name = root.get("metadata").and_then(|m| m.get("name")).and_then(Json::as_str).unwrap_or_default().to_owned();
    for key in ["apiVersion", "kind", "status"] {
        root.remove(key);
    }
    if let Some(metadata) = root.get_mut("metadata").and_then(Json::as_object_mut) {
        SERVER_OWNED.iter().for_each(|key| drop(metadata.remove(*key)));
        // A copy of a whole manifest says nothing of its own, and of a Secret it holds all values (N13, M4).
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Json::as_object_mut) {
            annotations.remove(LAST_APPLIED);
        }
    }
    if form.is_secret() {
        fold(root, desired);
    }
    if form.is("apiextensions.k8s.io", "CustomResourceDefinition") {
        definition(root);
    }
    if form.custom {
        clean_metadata(root);
    } else {
        clean(&mut set, &form.root);
    }
    let mut full = set.clone();
    defaults::fill(&mut full, form, &name, desired);
    Normal { set, full }
}

/// `stringData` into `data`; it wins key by key (N21).
fn fold(root: &mut Map<String, Json>, desired: bool) {
    let Some(Json::Object(plain)) = root.remove("stringData") else { return };
    // The server never returns it: what a cached copy carries is a stray.
    if !desired {
        return;
    }
    let data = root.entry("data").or_insert_with(|| Json::Object(Map::new()));
    if !data.is_object() {
        *data = Json::Object(Map::new());
    }
    for (key, value) in plain {
        // Texts only: anything else is an invalid manifest, whose value must not be written out.
        if let Some(data) = data.as_object_mut() {
            data.insert(key, scalar::encoded(value.as_str().unwrap_or_default()).into());
        }
    }
}

/// What a definition loses when it is stored (N63).
fn definition(root: &mut Map<String, Json>) {
    let Some(spec) = root.get_mut("spec").and_then(Json::as_object_mut) else { return };
    if spec.get("preserveUnknownFields") == Some(&Json::Bool(false)) {
        spec.remove("preserveUnknownFields");
    }
    let versions = spec.get_mut("versions").and_then(Json::as_array_mut);
    for version in versions.into_iter().flatten() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            drop_not_nullable(schema);
        }
    }
}

/// `nullable: false` inside a schema says nothing and is dropped. A property may itself be named `nullable`: that one is no boolean.
fn drop_not_nullable(schema: &mut Json) {
    match schema {
        Json::Object(map) => {
            if map.get("nullable") == Some(&Json::Bool(false)) {
                map.remove("nullable");
            }
            map.values_mut().for_each(drop_not_nullable);
        }
        Json::Array(items) => items.iter_mut().for_each(drop_not_nullable),
        _ => {}
    }
}

/// The metadata of a custom object is typed like any other.
fn clean_metadata(root: &mut Map<String, Json>) {
    let node = schema().custom_fields().remove("metadata");
    if let (Some(metadata), Some(node)) = (root.get_mut("metadata"), node) {
        clean(metadata, &node);
    }
}

/// Takes out nulls and the zeros of fields that are no pointers; values of free maps stay (N01, N03).
fn clean(value: &mut Json, node: &Node) {
    match (value, &node.shape) {
        (Json::Object(map), Shape::Struct(_) | Shape::Inline(_)) => {
            let owner = type_name(node);
            map.retain(|key, value| match schema().declared(node, key) {
                Some(below) => !goes(owner, key, value, below),
                None => !value.is_null(),
            });
            for (key, value) in map.iter_mut() {
                clean(value, schema().below(node, key));
            }
        }
        (Json::Object(map), Shape::Map(element)) => {
            let quantity = element.shape == Shape::Scalar('q');
            for value in map.values_mut() {
                if quantity && value.is_null() {
                    *value = "0".into();
                }
                clean(value, element);
            }
        }
        (Json::Array(items), Shape::List(element)) => items.iter_mut().for_each(|item| clean(item, element)),
        _ => {}
    }
}

/// Whether a field of a struct is not kept with this value.
fn goes(owner: &str, key: &str, value: &Json, node: &Node) -> bool {
    // A template's own time and a claim template's status are the server's (N11, N12).
    if (owner == "ObjectMeta" && key == "creationTimestamp") || (owner == "PersistentVolumeClaim" && key == "status") {
        return true;
    }
    // Empty means "no class" on a claim, absent means "the default class".
    let pointer = POINTERS.contains(&key) || (owner == "PersistentVolumeClaimSpec" && key == "storageClassName");
    value.is_null()
        || (matches!(node.shape, Shape::Scalar('s' | 'b' | 'i' | 'l' | 'n' | 'x' | 'y'))
            && scalar::is_zero(value)
            && !pointer)
}
