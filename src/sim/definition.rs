//! Custom resource definitions: a created definition is served at once, a deleted one takes its objects along.

use serde_json::{Value, json};

use super::{
    kinds::{self, Resource, Rid},
    object::Stored,
    store::{ClusterStore, DeleteOptions},
    structural,
};

/// Serves what a stored definition defines and marks it established.
pub fn established(store: &ClusterStore, stored: &Stored) {
    let definition = stored.value(&store.resource(kinds::CRDS));
    let Some(resource) = resource_of(&definition) else { return };
    store.define(resource, true);
    let names = definition["spec"]["names"].clone();
    let held = definition.pointer("/status/acceptedNames");
    if held == Some(&names) {
        return;
    }
    let now = store.clock.stamp();
    let condition = |kind: &str, reason: &str, message: &str| json!({"type": kind, "status": "True", "lastTransitionTime": now, "reason": reason, "message": message});
    let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
    let stored_versions: Vec<&Value> = versions.filter(|v| v["storage"] == json!(true)).map(|v| &v["name"]).collect();
    let status = json!({
        "acceptedNames": names, "storedVersions": stored_versions,
        "conditions": [
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        ],
    });
    // The definition was written just now; that it is gone again already is no error.
    let _ = store.patch_status(kinds::CRDS, "", stored.name(), "kube-apiserver", &status);
}

/// Stops serving what a deleted definition defined.
pub fn withdrawn(store: &ClusterStore, stored: &Stored) {
    let definition = stored.value(&store.resource(kinds::CRDS));
    let Some(resource) = resource_of(&definition) else { return };
    let rid = store.define(resource, false);
    for object in store.list(rid, None).items {
        let _ = store.delete(rid, object.namespace(), object.name(), &DeleteOptions::default());
    }
}

fn resource_of(definition: &Value) -> Option<Resource> {
    let spec = definition.get("spec")?;
    let names = spec.get("names")?;
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let words = |key: &str| {
        let list = names.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|w| w.as_str().map(str::to_owned)).collect::<Vec<String>>()
    };
    let mut served: Vec<&Value> =
        spec.get("versions")?.as_array()?.iter().filter(|v| v["served"] != json!(false)).collect();
    // The stored version first; the rest as written.
    served.sort_by_key(|v| v["storage"] != json!(true));
    let sub = |key: &str| served.iter().any(|v| v.pointer(&format!("/subresources/{key}")).is_some());
    let kind = text(names, "kind")?;
    Some(Resource {
        rid: Rid(0),
        group: text(spec, "group")?,
        versions: served.iter().filter_map(|v| text(v, "name")).collect(),
        plural: text(names, "plural")?,
        singular: text(names, "singular").unwrap_or_else(|| kind.to_lowercase()),
        kind,
        short: words("shortNames"),
        namespaced: spec.get("scope")?.as_str()? == "Namespaced",
        status: sub("status"),
        scale: sub("scale"),
        generation: true,
        all: words("categories").iter().any(|c| c == "all"),
        custom: true,
        structure: served.first().and_then(|version| structural::root(version)),
        served: true,
    })
}
