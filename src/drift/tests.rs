//! Drift: every case that was held against a real server, and what holds for any object.

use std::{fs, path::Path, sync::Arc};

use serde_json::{Value as Json, json};

use super::{Cache, Class, Input, compare, form::Form, normalise::normal};
use crate::{
    desired::{
        origin::{Source, SourceKind},
        source::yaml,
    },
    messages::Lang,
    situation::{self, Verdict},
};

/// Name and text of every case.
fn cases() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/drift");
    let mut found: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "yaml"))
        .map(|path| (path.file_stem().unwrap().display().to_string(), fs::read_to_string(&path).unwrap()))
        .collect();
    found.sort();
    found
}

fn verdict(name: &str, text: &str) -> Verdict {
    let source: Arc<Source> = Source::new(SourceKind::Situation, format!("{name}.yaml"));
    let all = situation::read(text, &source).unwrap();
    assert_eq!(all.len(), 1, "{name}");
    situation::run(&all[0], Lang::En)
}

#[test]
fn every_case_passes_and_a_flipped_expectation_fails() {
    let cases = cases();
    assert_eq!(cases.len(), 84, "cases come and go by intent only");
    let mut failed = Vec::new();
    for (name, text) in &cases {
        match verdict(name, text) {
            Verdict::Passed => {}
            other => failed.push(format!("{name}: {other:?}")),
        }
        let flipped = if text.contains("\n  drift: false") {
            text.replace("\n  drift: false", "\n  drift: true\n  paths: [/spec]\n  class: manual-edit")
        } else {
            text.replace("\n  drift: true", "\n  drift: false")
        };
        assert_ne!(&flipped, text, "{name}");
        assert!(matches!(verdict(name, &flipped), Verdict::Failed(_)), "{name} passes whatever it expects");
    }
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// Both sides of every case that has an object on each, as JSON, with its kind's schema.
fn pairs() -> Vec<(String, Json, Json, Option<Json>)> {
    let source: Arc<Source> = Source::new(SourceKind::Situation, "case.yaml");
    let mut found = Vec::new();
    for (name, text) in cases() {
        let mut node = yaml::read(&text, &source).unwrap().pop().unwrap().to_json();
        let definition = node.pointer("/context/crd_schema").cloned();
        let (desired, live) = (node["desired"].take(), node["live"].take());
        let desired = match desired {
            Json::String(text) => yaml::read(&text, &source).unwrap().pop().unwrap().to_json(),
            other => other,
        };
        if desired.is_object() && live.is_object() {
            found.push((name, desired, live, definition));
        }
    }
    assert!(found.len() > 70);
    found
}

fn compared(desired: &Json, live: &Json, definition: Option<&Json>) -> super::Verdict {
    let appliers = ["deployer".to_owned()];
    compare(&Input { desired: Some(desired), live: Some(live), appliers: &appliers, definition, ..Input::default() })
}

fn form_of(object: &Json, definition: Option<&Json>) -> Form {
    Form::of(object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap(), definition)
}

#[test]
fn an_object_never_drifts_from_itself_nor_from_what_the_schema_adds_to_it() {
    for (name, desired, live, definition) in pairs() {
        for object in [&desired, &live] {
            let mut gone = object.clone();
            gone["metadata"].as_object_mut().unwrap().remove("deletionTimestamp");
            // A server never returns `stringData`: as a live object such a manifest is none.
            if gone.get("stringData").is_none() {
                let verdict = compared(&gone, &gone, definition.as_ref());
                assert!(verdict.differences.is_empty() && verdict.unknown.is_none(), "{name}: {verdict:#?}");
            }
            let form = form_of(&gone, definition.as_ref());
            let mut served = normal(&gone, &form, true).full;
            for key in ["apiVersion", "kind"] {
                served[key] = gone[key].clone();
            }
            served["metadata"]["name"] = gone["metadata"]["name"].clone();
            let verdict = compared(&gone, &served, definition.as_ref());
            assert!(verdict.differences.is_empty() && verdict.benign.is_empty(), "{name}: {verdict:#?}");
            let again = normal(&served, &form, true).full;
            let once = normal(&gone, &form, true).full;
            assert_eq!(again, once, "{name}: normalising twice changes nothing");
        }
    }
}

/// The pointers of all scalars of an object.
fn leaves(value: &Json, at: &str, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Json::Object(map) => map.iter().for_each(|(k, v)| leaves(v, &format!("{at}/{}", escaped(k)), found)),
        Json::Array(items) => items.iter().enumerate().for_each(|(n, v)| leaves(v, &format!("{at}/{n}"), found)),
        Json::Null => {}
        _ => found.push(at.to_owned()),
    }
}

/// Another value of the same type.
fn other(value: &Json) -> Json {
    match value {
        Json::Bool(b) => (!b).into(),
        Json::Number(n) => (n.as_i64().unwrap_or(0) + 7).into(),
        // A quantity stays one, base64 stays base64.
        Json::String(text) if text.is_empty() => "other".into(),
        Json::String(text) => format!("{text}{text}{text}{text}x77e").into(),
        other => other.clone(),
    }
}

#[test]
fn a_changed_leaf_is_found_at_its_path() {
    let mut tried = 0;
    for (name, desired, _, definition) in pairs() {
        let mut all = Vec::new();
        leaves(&desired, "", &mut all);
        let counts = |p: &&String| {
            let identity = ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace", "/status", "/stringData"];
            let own =
                ["/metadata/uid", "/metadata/resourceVersion", "/metadata/generation", "/metadata/creationTimestamp"];
            !identity.iter().chain(&own).any(|start| p.starts_with(start)) && !p.ends_with("creationTimestamp")
        };
        for pointer in all.iter().filter(counts) {
            // N58, N59, N65: what a controller fills in, and what a schema drops, is no drift.
            let aggregated = desired.get("aggregationRule").is_some() && pointer.starts_with("/rules");
            if aggregated || (name == "field-pruned-by-schema" && pointer == "/spec/colour") {
                continue;
            }
            let mut live = desired.clone();
            let held = live.pointer_mut(pointer).unwrap();
            *held = other(held);
            let verdict = compared(&desired, &live, definition.as_ref());
            let found = verdict.differences.iter().any(|d| pointer_meets(&d.path, pointer));
            assert!(found, "{name} {pointer}: {verdict:#?}");
            tried += 1;
        }
    }
    assert!(tried > 450, "{tried}");
}

/// Whether a written path and a pointer name the same way, elements of lists aside.
fn pointer_meets(path: &str, pointer: &str) -> bool {
    let mut words = Vec::new();
    let mut depth = 0;
    let mut word = String::new();
    for c in path.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            '/' if depth == 0 => words.push(std::mem::take(&mut word)),
            _ if depth == 0 => word.push(c),
            _ => {}
        }
    }
    words.push(word);
    let keys: Vec<&str> = pointer.split('/').filter(|p| p.parse::<usize>().is_err()).collect();
    words.iter().filter(|w| w.parse::<usize>().is_err()).zip(&keys).all(|(a, b)| a == b)
}

#[test]
fn no_value_of_a_secret_leaves_the_comparison() {
    let made = |password: &str, extra: &str| {
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": format!("{{\"stringData\":{{\"p\":\"{password}\"}}}}")}},
            "stringData": {"p": password}, "data": {"q": extra}})
    };
    let (desired, mut live) = (made("hunter2", "aHVudGVyMw=="), made("hunter4", "aHVudGVyNQ=="));
    live["data"]["p"] = "aHVudGVyNA==".into();
    let told = |key: &[u8]| {
        let verdict = compare(&Input { desired: Some(&desired), live: Some(&live), key, ..Input::default() });
        assert_eq!(verdict.differences.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(), ["/data/p", "/data/q"]);
        format!("{verdict:?}")
    };
    let text = told(b"one");
    for secret in ["hunter", "aHVudGVy"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert_ne!(text, told(b"two"), "another key gives other fingerprints");
}

#[test]
fn what_cannot_be_known_is_never_in_sync() {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}});
    for cache in [Cache::Stale, Cache::Unreachable, Cache::NotWatched] {
        for live in [None, Some(&object)] {
            let verdict = compare(&Input { desired: Some(&object), live, cache, ..Input::default() });
            assert_eq!(verdict.class(), Some(Class::Unknown), "{cache:?}");
        }
    }
    let old = json!({"apiVersion": "lab.example.net/v1", "kind": "Widget", "metadata": {"name": "w"}});
    let new = json!({"apiVersion": "lab.example.net/v2", "kind": "Widget", "metadata": {"name": "w"}});
    assert_eq!(compared(&old, &new, None).class(), Some(Class::Unknown));
    assert_eq!(compared(&Json::Null, &object, None).class(), Some(Class::Unknown), "a manifest that is no object");
}

/// Corners of the rules: desired, live, and the path and class that must come out; none means in sync.
#[test]
fn corners_of_the_rules() {
    let object = |kind: &str, version: &str, rest: Json| {
        let mut object = json!({"apiVersion": version, "kind": kind, "metadata": {"name": "x", "namespace": "n"}});
        object.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        object
    };
    let entry = |manager: &str, fields: Json| json!({"manager": manager, "operation": "Update", "fieldsV1": fields});
    let policy = |ingress: Json| object("NetworkPolicy", "networking.k8s.io/v1", json!({"spec": {"ingress": ingress}}));
    let config = |data: Json, entries: Json| {
        let mut config = object("ConfigMap", "v1", json!({"data": data}));
        config["metadata"]["managedFields"] = entries;
        config
    };
    let volume = |claim: Json| object("PersistentVolume", "v1", json!({"spec": {"claimRef": claim}}));
    let issuer = |spec: Json| object("Issuer", "lab.example.net/v1", json!({"spec": spec}));
    let person = json!([entry("kubectl-edit", json!({"f:data": {"f:caBundle": {}}}))]);
    let cases = [
        (policy(json!([])), policy(json!([{}])), Some(("/spec/ingress", Class::ManualEdit))),
        (policy(json!([{}])), policy(json!([{}])), None),
        (
            config(json!({"a": "1"}), json!([])),
            config(json!({"a": "1", "caBundle": "x"}), person),
            Some(("/data/caBundle", Class::ManualEdit)),
        ),
        (
            volume(json!({"name": "c", "namespace": "n"})),
            volume(json!({"name": "c", "namespace": "n", "uid": "u", "resourceVersion": "7"})),
            None,
        ),
        (issuer(json!({"selfSigned": {}})), issuer(json!({})), Some(("/spec", Class::StaleVersion))),
        (issuer(json!({"a": 1})), issuer(json!({"a": 1, "extra": {"b": {}}})), None),
        (issuer(json!({"wait": "90m"})), issuer(json!({"wait": "1h30m0s"})), None),
        (issuer(json!({"wait": "1d"})), issuer(json!({"wait": "24h"})), Some(("/spec/wait", Class::ManualEdit))),
    ];
    for (desired, live, expected) in cases {
        let verdict = compared(&desired, &live, None);
        match expected {
            None => assert!(verdict.differences.is_empty(), "{verdict:#?}"),
            Some((path, class)) => {
                assert!(verdict.differences.iter().all(|d| super::path::covers(path, &d.path)), "{verdict:#?}");
                assert_eq!(verdict.class(), Some(class), "{verdict:#?}");
            }
        }
    }
}
