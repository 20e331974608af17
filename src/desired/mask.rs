//! Values of Secrets are never shown: not on a screen, not by a command, not in a log.

use std::sync::Arc;

use super::{
    object::{Object, ObjectKey},
    path::{Path, Step},
    tree::{Node, Value},
};

/// What stands in the place of a secret value.
pub const MASK: &str = "********";

/// The fields of a Secret that hold its values. The annotation that kubectl keeps holds them too.
pub const SECRET_FIELDS: [&str; 2] = ["data", "stringData"];

/// A copy of the whole manifest, with all values, that `kubectl apply` keeps.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Whether objects of this kind hold secret values.
pub fn is_secret_kind(key: &ObjectKey) -> bool {
    &*key.kind == "Secret" && key.group().is_empty()
}

/// Whether a field of an object is secret.
pub fn is_secret(key: &ObjectKey, path: &Path) -> bool {
    let keys: Vec<&str> = path.0.iter().map(|s| if let Step::Key(k) = s { &**k } else { "" }).collect();
    is_secret_kind(key)
        && match keys.as_slice() {
            [first, ..] if SECRET_FIELDS.contains(first) => true,
            ["metadata", "annotations", name] => *name == LAST_APPLIED,
            _ => false,
        }
}

/// The manifest with its secret values masked; anything else as it is.
pub fn masked(object: &Object) -> Node {
    if !is_secret_kind(&object.key) {
        return object.node.clone();
    }
    let mut node = object.node.clone();
    for (path, _) in object.node.leaves() {
        if is_secret(&object.key, &path)
            && let Some(leaf) = node.at_mut(&path)
            && !leaf.is_null()
        {
            leaf.value = Value::Text(Arc::from(MASK));
        }
    }
    node
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::origin::Origin;

    #[test]
    fn secrets_lose_their_values_and_nothing_else_does() {
        let made = |kind: &str| {
            let json = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "s", "annotations": {LAST_APPLIED: "{hunter2}", "a": "b"}},
                "data": {"password": "aHVudGVyMg=="}, "stringData": {"x": "hunter2"}, "type": "Opaque"});
            Object::new(Node::from_json(&json, &Origin::Unknown)).unwrap()
        };
        let text = masked(&made("Secret")).to_json().to_string();
        assert!(!text.contains("hunter2") && !text.contains("aHVudGVyMg"), "{text}");
        assert!(text.contains("password") && text.contains("Opaque") && text.contains("\"a\":\"b\""), "{text}");
        assert_eq!(masked(&made("ConfigMap")), made("ConfigMap").node);
    }
}
