//! ControllerRevisions: the past templates of StatefulSets, DaemonSets and CloneSets, for partitions and for going back.

use serde_json::{Value, json};

use super::{Ctx, Key, ctx::MANAGER, value::*};
use crate::sim::kinds;

/// Label of a pod with the revision it was made from.
pub const LABEL: &str = "controller-revision-hash";

/// The template's revision, which is made where it is missing; gives its hash.
pub fn ensure(ctx: &Ctx<'_>, owner: &Value) -> String {
    let hash = template_hash(at(owner, "/spec/template"));
    let revisions = all(ctx, owner);
    let newest = revisions.iter().map(|r| int(r, "/revision", 0)).max().unwrap_or(0);
    let held = revisions.iter().find(|r| label(r)(LABEL).is_some_and(|l| short(owner, l) == hash));
    match held {
        Some(held) if int(held, "/revision", 0) == newest => {}
        Some(held) => {
            let key = Key::new(kinds::CONTROLLERREVISIONS, namespace(held), name(held));
            ctx.modify(&key, MANAGER, |r| r["revision"] = json!(newest + 1));
        }
        None => {
            ctx.create(kinds::CONTROLLERREVISIONS, object(owner, &hash, newest + 1), MANAGER);
        }
    }
    hash
}

/// A revision of the owner's template.
pub fn object(owner: &Value, hash: &str, number: i64) -> Value {
    let mut labels = at(owner, "/spec/template/metadata/labels").as_object().cloned().unwrap_or_default();
    labels.insert(LABEL.into(), json!(label_value(owner, hash)));
    let mut template = at(owner, "/spec/template").clone();
    template["$patch"] = json!("replace");
    json!({
        "apiVersion": "apps/v1", "kind": "ControllerRevision",
        "metadata": {"name": format!("{}-{hash}", name(owner)), "namespace": namespace(owner), "labels": labels,
            "ownerReferences": owned_by(owner)},
        "data": {"spec": {"template": template}}, "revision": number,
    })
}

/// The value of the revision label on pods: StatefulSets and CloneSets write the revision's whole name, DaemonSets the hash.
pub fn label_value(owner: &Value, hash: &str) -> String {
    if text(owner, "/kind") == "DaemonSet" { hash.to_owned() } else { format!("{}-{hash}", name(owner)) }
}

/// The hash in a pod's revision label.
pub fn hash_of<'a>(owner: &Value, pod: &'a Value) -> &'a str {
    short(owner, label(pod)(LABEL).unwrap_or(""))
}

fn short<'a>(owner: &Value, value: &'a str) -> &'a str {
    value.strip_prefix(name(owner)).and_then(|v| v.strip_prefix('-')).unwrap_or(value)
}

/// The template of a revision; the owner's present one where it is not kept.
pub fn template(ctx: &Ctx<'_>, owner: &Value, hash: &str) -> Value {
    let held = ctx.store.value(kinds::CONTROLLERREVISIONS, namespace(owner), &format!("{}-{hash}", name(owner)));
    let mut template =
        held.map_or_else(|| at(owner, "/spec/template").clone(), |r| at(&r, "/data/spec/template").clone());
    unset(&mut template, "", "$patch");
    template
}

/// Revisions of an owner.
fn all(ctx: &Ctx<'_>, owner: &Value) -> Vec<Value> {
    ctx.owned(uid(owner), kinds::CONTROLLERREVISIONS)
}
