//! Objects that one side alone has (C4, C5): gone, going, or wanted by nobody.

use serde_json::Value as Json;

use super::{Class, Input, Verdict, form::group_of, owners, path::Path, whole, word};

/// Not there.
pub fn missing(desired: &Json, input: &Input) -> Verdict {
    let meta = |key: &str| desired.get("metadata").map_or("", |m| word(m, key));
    // A name that the server makes cannot be looked for.
    if meta("name").is_empty() && !meta("generateName").is_empty() {
        return benign("C4");
    }
    if finished(desired, input.last_seen) {
        return benign("C4");
    }
    found(Path::default(), Class::MissingObject, "C4")
}

/// A finished Job that its own time to live took away.
fn finished(desired: &Json, last_seen: Option<&Json>) -> bool {
    let Some(seen) = last_seen.filter(|_| word(desired, "kind") == "Job") else { return false };
    let lives = |object: &Json| object.pointer("/spec/ttlSecondsAfterFinished").is_some_and(|t| !t.is_null());
    let conditions = seen.pointer("/status/conditions").and_then(Json::as_array);
    let done = conditions.into_iter().flatten().any(|condition| {
        matches!(word(condition, "type"), "Complete" | "Failed") && word(condition, "status") == "True"
    });
    (lives(desired) || lives(seen)) && (done || seen.pointer("/status/completionTime").is_some_and(|t| !t.is_null()))
}

/// There, and being deleted.
pub fn going() -> Verdict {
    found(Path::keys(&["metadata", "deletionTimestamp"]), Class::MissingObject, "C4")
}

/// There, and no manifest asks for it.
pub fn extra(live: &Json, input: &Input) -> Verdict {
    let going = live.pointer("/metadata/deletionTimestamp").is_some_and(|t| !t.is_null());
    let ours = listed(live, input.inventory)
        || owners::entries(live, input.appliers).is_some_and(|entries| entries.iter().any(|entry| entry.ours));
    if going || !ours || owned(live) || of_platform(live) || of_template(live, input.siblings) {
        return Verdict::default();
    }
    found(Path::default(), Class::ExtraObject, "C5")
}

fn found(path: Path, class: Class, rule: &'static str) -> Verdict {
    Verdict { differences: vec![whole(path, class, rule)], ..Verdict::default() }
}

fn benign(rule: &'static str) -> Verdict {
    Verdict { benign: vec![whole(Path::default(), Class::ControllerOwned, rule)], ..Verdict::default() }
}

/// Whether the inventory names it; the version is no part of what an object is.
fn listed(live: &Json, inventory: &[String]) -> bool {
    let meta = |key: &str| live.get("metadata").map_or("", |m| word(m, key));
    inventory.iter().any(|line| {
        let parts: Vec<&str> = line.split('/').collect();
        let (group, rest) = match parts.as_slice() {
            [group, _, rest @ ..] if rest.len() == 3 => (*group, rest),
            [_, rest @ ..] if rest.len() == 3 => ("", rest),
            _ => return false,
        };
        group == group_of(word(live, "apiVersion")) && rest == [word(live, "kind"), meta("namespace"), meta("name")]
    })
}

/// A child of a controller.
fn owned(live: &Json) -> bool {
    live.pointer("/metadata/ownerReferences").and_then(Json::as_array).is_some_and(|owners| !owners.is_empty())
}

/// What every namespace has, or a controller keeps (N19).
fn of_platform(live: &Json) -> bool {
    let name = live.get("metadata").map_or("", |m| word(m, "name"));
    match (group_of(word(live, "apiVersion")), word(live, "kind")) {
        ("", "ConfigMap") => matches!(name, "kube-root-ca.crt" | "openshift-service-ca.crt"),
        ("", "ServiceAccount") => name == "default",
        ("", "Secret") => {
            word(live, "type") == "kubernetes.io/service-account-token" || name.starts_with("sh.helm.release.v1.")
        }
        ("", "Endpoints" | "Event") | ("events.k8s.io", "Event") => true,
        ("discovery.k8s.io", "EndpointSlice") | ("coordination.k8s.io", "Lease") => true,
        _ => false,
    }
}

/// A claim that a StatefulSet made from a template: `TEMPLATE-SET-NUMBER`.
fn of_template(live: &Json, siblings: &[Json]) -> bool {
    let name = live.get("metadata").map_or("", |m| word(m, "name"));
    word(live, "kind") == "PersistentVolumeClaim"
        && siblings.iter().filter(|s| word(s, "kind") == "StatefulSet").any(|set| {
            let templates = set.pointer("/spec/volumeClaimTemplates").and_then(Json::as_array);
            templates.into_iter().flatten().any(|template| {
                let of = |object: &Json| object.get("metadata").map_or("", |m| word(m, "name")).to_owned();
                name.strip_prefix(&format!("{}-{}-", of(template), of(set)))
                    .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
            })
        })
}
