//! `managedFields`: who wrote which field, kept for every writer.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{
    fields::{self, Comparison, Set},
    kinds::Resource,
    store::Writer,
};
use crate::schema::schema;

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Manager {
    /// Name.
    pub name: String,
    /// `Apply` instead of `Update`.
    pub applies: bool,
    /// Version it wrote in.
    pub api_version: String,
    /// Subresource it wrote through.
    pub subresource: String,
    /// When its set last changed.
    pub time: String,
    /// Its fields.
    pub set: Set,
}

impl Manager {
    /// Whether two entries are of the same writer.
    fn is(&self, other: &Self) -> bool {
        self.name == other.name
            && self.applies == other.applies
            && self.subresource == other.subresource
            && (self.applies || self.api_version == other.api_version)
    }

    /// An entry without fields for a writer.
    pub fn of(resource: &Resource, version: &str, by: &Writer<'_>, applies: bool, now: &str) -> Self {
        Self {
            name: by.manager.to_owned(),
            applies,
            api_version: resource.api_version(version),
            subresource: by.subresource.to_owned(),
            time: now.to_owned(),
            set: Set::default(),
        }
    }
}

/// Fields that nobody owns.
static NOBODYS: LazyLock<Set> = LazyLock::new(|| {
    let metadata = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    let mut set = Set::path(&["f:apiVersion"]).union(&Set::path(&["f:kind"])).union(&Set::path(&["f:metadata"]));
    for key in metadata {
        set = set.union(&Set::path(&["f:metadata", &format!("f:{key}")]));
    }
    set
});

/// A set without what nobody owns and what this way of writing ignores.
pub fn owned(resource: &Resource, subresource: &str, set: &Set) -> Set {
    // The member `f:metadata` must not take the fields below along.
    let set = set.minus(&NOBODYS);
    match subresource {
        "status" => set.minus_whole(&Set::path(&["f:spec"])).minus_whole(&Set::path(&["f:metadata"])),
        _ if resource.status => set.minus_whole(&Set::path(&["f:status"])),
        _ => set,
    }
}

/// The entries of an object.
pub fn read(object: &Value) -> Vec<Manager> {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array);
    let text = |e: &Value, key: &str| e.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let entry = |e: &Value| Manager {
        name: text(e, "manager"),
        applies: text(e, "operation") == "Apply",
        api_version: text(e, "apiVersion"),
        subresource: text(e, "subresource"),
        time: text(e, "time"),
        set: Set::from_json(&e["fieldsV1"]),
    };
    entries.into_iter().flatten().filter(|e| e.get("fieldsV1").is_some()).map(entry).collect()
}

/// Writes the entries: appliers first, then by time and name.
pub fn write(object: &mut Value, mut managers: Vec<Manager>) {
    managers.retain(|m| !m.set.is_empty());
    managers.sort_by(|a, b| {
        (!a.applies, &a.time, &a.name, &a.api_version, &a.subresource).cmp(&(
            !b.applies,
            &b.time,
            &b.name,
            &b.api_version,
            &b.subresource,
        ))
    });
    if managers.is_empty() {
        unset(object, "managedFields");
        return;
    }
    let entries = managers.iter().map(|m| {
        let mut entry = json!({
            "manager": m.name, "operation": if m.applies { "Apply" } else { "Update" }, "apiVersion": m.api_version,
            "fieldsType": "FieldsV1", "fieldsV1": m.set.to_json(),
        });
        if !m.time.is_empty() {
            entry["time"] = json!(m.time);
        }
        if !m.subresource.is_empty() {
            entry["subresource"] = json!(m.subresource);
        }
        entry
    });
    object["metadata"]["managedFields"] = entries.collect();
}

/// What a change took from other managers: (manager, fields both want).
pub type Conflicts = Vec<(Manager, Set)>;

/// Conflicts of a change with the managers that are not `own`.
pub fn conflicts(managers: &[Manager], own: &Manager, change: &Comparison) -> Conflicts {
    let touched = change.modified.union(&change.added);
    let others = managers.iter().filter(|m| !m.is(own));
    others.map(|m| (m.clone(), m.set.common(&touched))).filter(|(_, set)| !set.is_empty()).collect()
}

/// Takes what a change took or removed from the managers that are not `own`.
pub fn yield_fields(managers: &mut [Manager], own: &Manager, change: &Comparison) {
    let touched = change.modified.union(&change.added);
    for manager in managers.iter_mut().filter(|m| !m.is(own)) {
        manager.set = manager.set.minus(&touched.common(&manager.set)).minus(&change.removed);
    }
}

/// Puts the entry of a writer in place.
pub fn put(managers: &mut Vec<Manager>, own: Manager) {
    match managers.iter_mut().find(|m| m.is(&own)) {
        Some(held) => *held = own,
        None => managers.push(own),
    }
}

/// The fields a writer holds so far, and since when.
pub fn held_by(managers: &[Manager], own: &Manager) -> (Set, String) {
    managers.iter().find(|m| m.is(own)).map(|m| (m.set.clone(), m.time.clone())).unwrap_or_default()
}

/// Records an update in `managedFields` of `new`.
pub fn track(old: Option<&Value>, new: &mut Value, resource: &Resource, by: &Writer<'_>, now: &str) {
    let given = new.pointer("/metadata/managedFields").and_then(Value::as_array);
    // One empty entry is the way to drop the record.
    if given.is_some_and(|g| g.len() == 1 && g[0].as_object().is_some_and(serde_json::Map::is_empty)) {
        unset(new, "managedFields");
        return;
    }
    let mut managers = read(new);
    if managers.is_empty()
        && let Some(old) = old
    {
        managers = read(old);
    }
    let schema = schema();
    let root = resource.root();
    let nothing = json!({});
    let change = fields::compare(schema, &root, old.unwrap_or(&nothing), new);
    let mut own = Manager::of(resource, resource.preferred(), by, false, now);
    yield_fields(&mut managers, &own, &change);
    let (held, since) = held_by(&managers, &own);
    let taken = owned(resource, by.subresource, &change.modified.union(&change.added));
    if taken.is_empty() {
        own.time = since;
    }
    own.set = owned(resource, by.subresource, &held.minus(&change.removed).union(&taken));
    put(&mut managers, own);
    write(new, managers);
}

/// `metadata.finalizers`.
pub fn finalizers(object: &Value) -> Vec<String> {
    let list = object.pointer("/metadata/finalizers").and_then(Value::as_array);
    list.map(|l| l.iter().filter_map(|f| f.as_str().map(str::to_owned)).collect()).unwrap_or_default()
}

/// Removes a key of the metadata.
pub fn unset(object: &mut Value, key: &str) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove(key);
    }
}
