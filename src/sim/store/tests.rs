//! The rules of the store: versions, history, owners, what holds an object.

use super::*;
use crate::model::Millis;

fn store() -> Arc<ClusterStore> {
    let store = ClusterStore::new("c", 1, Clock::manual(Millis(1_796_042_727_000)), 8);
    crate::sim::bare::fill(&store, "v1.37.2", 1);
    store
}

fn object(name: &str, more: Value) -> Value {
    let mut object = json!({"metadata": {"name": name, "namespace": "default"}});
    json_patch::merge(&mut object, &more);
    object
}

fn owned_by(name: &str, owner: &Stored) -> Value {
    object(
        name,
        json!({"metadata": {"ownerReferences": [{"uid": &*owner.uid, "kind": "Deployment", "name": owner.name(), "apiVersion": "apps/v1"}]}}),
    )
}

const BY: Writer<'_> = Writer::new("test");

#[test]
fn versions_guard_writes() {
    let store = store();
    let first = store.create(kinds::DEPLOYMENTS, object("d", json!({"spec": {"replicas": 1}})), &BY).unwrap();
    let held = first.value(&store.resource(kinds::DEPLOYMENTS));
    let mut changed = held.clone();
    changed["spec"]["replicas"] = json!(2);
    let second = store.update(kinds::DEPLOYMENTS, changed.clone(), &BY).unwrap();
    assert!(second.version > first.version);
    assert_eq!(store.value(kinds::DEPLOYMENTS, "default", "d").unwrap()["metadata"]["generation"], 2);
    assert_eq!(store.update(kinds::DEPLOYMENTS, changed, &BY).unwrap_err().code, 409, "an old version");
    let same = store.modify(kinds::DEPLOYMENTS, "default", "d", &BY, |_| Ok(())).unwrap();
    assert_eq!(same.version, second.version, "nothing changed, nothing written");
    let dry = Writer { dry_run: true, ..BY };
    store
        .modify(kinds::DEPLOYMENTS, "default", "d", &dry, |d| {
            d["spec"]["replicas"] = json!(9);
            Ok(())
        })
        .unwrap();
    assert_eq!(store.value(kinds::DEPLOYMENTS, "default", "d").unwrap()["spec"]["replicas"], 2);
    let again = store.create(kinds::DEPLOYMENTS, object("d", json!({})), &BY).unwrap_err();
    assert_eq!(again.reason, "AlreadyExists");
    let lost = store.create(kinds::PODS, json!({"metadata": {"name": "p", "namespace": "nowhere"}}), &BY);
    assert_eq!(lost.unwrap_err().code, 404);
}

#[test]
fn the_window_of_changes_is_bounded() {
    let store = store();
    let start = store.version();
    for n in 0..20 {
        store.create(kinds::CONFIGMAPS, object(&format!("c{n}"), json!({})), &BY).unwrap();
    }
    assert_eq!(store.changes(kinds::CONFIGMAPS, start, 100).unwrap_err().code, 410);
    let (changes, now) = store.changes(kinds::CONFIGMAPS, store.version() - 3, 100).unwrap();
    assert_eq!((changes.len(), now), (3, store.version()));
    assert!(store.reaches(kinds::CONFIGMAPS, now));
    store.compact();
    assert!(!store.reaches(kinds::CONFIGMAPS, now), "history is gone for those who come back");
    assert!(store.changes(kinds::CONFIGMAPS, now, 1).is_ok(), "and not for those who are there");
}

#[test]
fn the_past_can_be_listed_while_the_window_holds_it() {
    let store = store();
    store.create(kinds::CONFIGMAPS, object("a", json!({"data": {"k": "1"}})), &BY).unwrap();
    let then = store.version();
    store
        .modify(kinds::CONFIGMAPS, "default", "a", &BY, |c| {
            c["data"]["k"] = json!("2");
            Ok(())
        })
        .unwrap();
    store.create(kinds::CONFIGMAPS, object("b", json!({})), &BY).unwrap();
    let listing = store.list_at(kinds::CONFIGMAPS, Some("default"), then).unwrap();
    let names: Vec<&str> = listing.items.iter().map(|o| o.name()).collect();
    assert_eq!(names, ["a", "kube-root-ca.crt"]);
    assert_eq!(listing.items[0].value(&store.resource(kinds::CONFIGMAPS))["data"]["k"], "1");
    store.compact();
    assert_eq!(store.list_at(kinds::CONFIGMAPS, None, then).unwrap_err().code, 410);
}

#[test]
fn dependents_follow_their_owner() {
    for (propagation, owner_left, dependent_left) in [
        (Propagation::Background, false, false),
        (Propagation::Foreground, false, false),
        (Propagation::Orphan, false, true),
    ] {
        let store = store();
        let owner = store.create(kinds::DEPLOYMENTS, object("d", json!({})), &BY).unwrap();
        store.create(kinds::REPLICASETS, owned_by("r", &owner), &BY).unwrap();
        let options = DeleteOptions { propagation, ..DeleteOptions::default() };
        store.delete(kinds::DEPLOYMENTS, "default", "d", &options).unwrap();
        assert_eq!(store.get(kinds::DEPLOYMENTS, "default", "d").is_some(), owner_left, "{propagation:?}");
        assert_eq!(store.get(kinds::REPLICASETS, "default", "r").is_some(), dependent_left, "{propagation:?}");
    }
}

#[test]
fn what_is_held_goes_when_it_is_let_go() {
    let store = store();
    let held = object("c", json!({"metadata": {"finalizers": ["test/hold"]}}));
    store.create(kinds::CONFIGMAPS, held, &BY).unwrap();
    let (_, gone) = store.delete(kinds::CONFIGMAPS, "default", "c", &DeleteOptions::default()).unwrap();
    assert!(!gone);
    store.delete(kinds::NAMESPACES, "", "default", &DeleteOptions::default()).unwrap();
    assert!(store.get(kinds::NAMESPACES, "", "default").is_some(), "terminating while something is inside");
    store
        .modify(kinds::CONFIGMAPS, "default", "c", &BY, |c| {
            managed::unset(c, "finalizers");
            Ok(())
        })
        .unwrap();
    assert!(store.get(kinds::CONFIGMAPS, "default", "c").is_none());
    assert!(store.get(kinds::NAMESPACES, "", "default").is_none(), "the last object inside went");
}

#[test]
fn spliced_text_keeps_the_object_whole() {
    let store = store();
    store.create(kinds::CONFIGMAPS, object("c", json!({"data": {"a": "{\"resourceVersion\":\"1\"}"}})), &BY).unwrap();
    assert!(store.splice(kinds::CONFIGMAPS, "default", "c", |text| text.replace("\"a\"", "\"b\"")));
    let object = store.value(kinds::CONFIGMAPS, "default", "c").unwrap();
    assert_eq!(object["data"], json!({"b": "{\"resourceVersion\":\"1\"}"}));
    assert_eq!(object["metadata"]["resourceVersion"], store.version().to_string());
}
