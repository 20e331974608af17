//! Defaults of storage kinds and limits (N41, N55, N56).

use serde_json::{Value as Json, json};

use super::{Fields, child, set, word};

/// A PersistentVolume.
pub(super) fn volume(spec: &mut Fields) {
    set(spec, "persistentVolumeReclaimPolicy", "Retain");
    set(spec, "volumeMode", "Filesystem");
}

/// A StorageClass.
pub(super) fn class(root: &mut Fields) {
    set(root, "reclaimPolicy", "Delete");
    set(root, "volumeBindingMode", "Immediate");
}

/// Defaults by type.
pub(super) fn of_type(name: &str, fields: &mut Fields) {
    match name {
        "PersistentVolumeClaimSpec" => {
            set(fields, "volumeMode", "Filesystem");
            mirror(fields);
        }
        // As an element of a StatefulSet's templates: there its version and kind stay in it.
        "PersistentVolumeClaim" if fields.contains_key("spec") => {
            set(fields, "apiVersion", "v1");
            set(fields, "kind", "PersistentVolumeClaim");
        }
        "CSIDriverSpec" => {
            set(fields, "attachRequired", true);
            set(fields, "fsGroupPolicy", "ReadWriteOnceWithFSType");
            set(fields, "volumeLifecycleModes", json!(["Persistent"]));
            let off = [
                "podInfoOnMount",
                "requiresRepublish",
                "seLinuxMount",
                "storageCapacity",
                "preventPodSchedulingIfMissing",
            ];
            off.iter().for_each(|key| set(fields, key, false));
        }
        "LimitRangeItem" if word(fields, "type") == "Container" => {
            copy(fields, "max", "default");
            copy(fields, "default", "defaultRequest");
            copy(fields, "min", "defaultRequest");
        }
        _ => {}
    }
}

/// The two ways to name a source say the same (N71).
fn mirror(fields: &mut Fields) {
    if let Some(source) = fields.get("dataSource").cloned() {
        set(fields, "dataSourceRef", source);
    } else if let Some(source) = fields.get("dataSourceRef").cloned()
        && source.get("namespace").is_none()
    {
        set(fields, "dataSource", source);
    }
}

fn copy(fields: &mut Fields, from: &str, to: &str) {
    let Some(values) = fields.get(from).and_then(Json::as_object).cloned() else { return };
    let to = child(fields, to);
    values.into_iter().for_each(|(key, value)| set(to, &key, value));
}
