//! How the elements of a list are told apart (section 2.3 of the rules): by the keys of server-side apply, with the lists added
//! that the server takes as one value but whose order means nothing.

use serde_json::Value as Json;

use super::form::type_name;
use crate::schema::{ListKind, Node, Shape, schema};

/// How a list is compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Position by position; reported as a whole.
    Ordered,
    /// Scalars in any order, also more than once.
    Set,
    /// Maps in any order, told apart by nothing; reported as a whole.
    Bag,
    /// By key; in some the order counts all the same.
    Keyed {
        /// Key fields.
        keys: Vec<String>,
        /// Whether the order of the elements that both sides have counts.
        ordered: bool,
    },
}

/// Lists of scalars of built-in types that are unions.
const SETS: [&str; 17] = [
    "accessModes",
    "add",
    "apiGroups",
    "apiVersions",
    "drop",
    "externalIPs",
    "finalizers",
    "hosts",
    "loadBalancerSourceRanges",
    "nonResourceURLs",
    "operations",
    "policyTypes",
    "resourceNames",
    "resources",
    "supplementalGroups",
    "verbs",
    "volumeLifecycleModes",
];

/// Types of elements whose lists are unions.
const UNIONS: [&str; 11] = [
    "EndpointAddress",
    "EndpointPort_core",
    "EndpointSubset",
    "MetricSpec",
    "NetworkPolicyEgressRule",
    "NetworkPolicyIngressRule",
    "NetworkPolicyPeer",
    "NetworkPolicyPort",
    "PolicyRule",
    "Subject",
    "Toleration",
];

/// How the list under a field is compared.
pub fn kind(field: &str, node: &Node, desired: &[Json], live: &[Json]) -> Kind {
    let item = schema().item(node);
    let built_in = matches!(item.shape, Shape::Struct(_));
    let keyed = |keys: &[String]| {
        let ordered = match field {
            "initContainers" | "variables" => built_in,
            "env" => built_in && (expands(desired) || expands(live)),
            _ => type_name(item) == "MutatingWebhook",
        };
        Kind::Keyed { keys: keys.to_vec(), ordered }
    };
    match (&node.list, type_name(item)) {
        (ListKind::Keys(keys), _) => keyed(keys),
        (ListKind::Set, _) => Kind::Set,
        (ListKind::Atomic, "LocalObjectReference" | "CustomResourceDefinitionVersion") => keyed(&["name".to_owned()]),
        (ListKind::Atomic, name) if UNIONS.contains(&name) => Kind::Bag,
        (ListKind::Atomic, _) if item.shape == Shape::Scalar('s') && SETS.contains(&field) => Kind::Set,
        (ListKind::Atomic, _) if field == "supplementalGroups" && matches!(item.shape, Shape::Scalar(_)) => Kind::Set,
        (ListKind::Atomic, _) => Kind::Ordered,
    }
}

/// Whether an entry of `env` uses another one.
fn expands(entries: &[Json]) -> bool {
    entries.iter().any(|e| e.get("value").and_then(Json::as_str).is_some_and(|v| v.contains("$(")))
}

/// The key values of an element; `None` when one is missing (a protocol that is not written is TCP, N20).
pub fn keys_of(element: &Json, keys: &[String]) -> Option<Vec<(String, Json)>> {
    keys.iter()
        .map(|key| match element.get(key) {
            Some(value) if !value.is_null() => Some((key.clone(), value.clone())),
            _ => (key == "protocol").then(|| (key.clone(), Json::from("TCP"))),
        })
        .collect()
}
