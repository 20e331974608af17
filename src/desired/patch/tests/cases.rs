//! Situations whose outcome is what Karmada's own code gave, and the rules that they do not reach.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use serde_json::{Value as Json, json};

use super::{object, tree};
use crate::desired::{
    cluster::Cluster,
    object::Object,
    origin::{Source, SourceKind},
    patch::{OverridePolicy, apply::Prepared},
    policy::Policies,
    source::yaml,
    tree::Node,
};

fn read(text: &str) -> Vec<Node> {
    yaml::read(text, &Source::new(SourceKind::Policy, "policy.yaml")).expect("YAML")
}

fn policies(nodes: &[Node]) -> Result<Vec<Arc<OverridePolicy>>, String> {
    let mut policies = Policies::default();
    for node in nodes {
        let object = Object::new(node.clone()).expect("named");
        policies.read(&object).expect("a policy").map_err(|_| "invalid-policy".to_owned())?;
    }
    Ok(policies.overrides)
}

fn cluster(node: &Node) -> Cluster {
    let text = |key: &str| node.str_of(key).to_owned();
    let words = |key: &str| node.items_of(key).iter().filter_map(Node::as_str).map(str::to_owned).collect();
    let labels = node.get("labels").and_then(Node::as_map).into_iter().flat_map(|m| m.iter());
    Cluster {
        name: node.str_of("name").into(),
        labels: labels.map(|(k, v)| (k.to_string(), v.as_str().unwrap_or_default().to_owned())).collect(),
        region: text("region"),
        zones: words("zones"),
        provider: text("provider"),
        ..Cluster::default()
    }
}

fn overridden(case: &Node) -> Result<Json, String> {
    let policies = policies(case.items_of("policies"))?;
    let object = Object::new(case.get("resource").expect("a resource").clone()).expect("named");
    let target = case.items_of("clusters").iter().map(cluster).find(|c| &*c.name == case.str_of("target"));
    let done = Prepared::new(&policies, &object).apply(&object, &target.expect("a target"));
    done.map(|o| o.node.to_json()).map_err(|f| f.kind.word().to_owned())
}

/// The image in a Pod, and overriders that a policy has.
fn image(case: &Node) -> Result<Json, String> {
    let overriders = case.get("overriders").expect("overriders").to_json();
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "n"},
        "spec": {"containers": [{"name": "c", "image": case.str_of("image")}]},
    });
    let policy = json!({
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "OverridePolicy",
        "metadata": {"name": "o", "namespace": "n"},
        "spec": {"overrideRules": [{"overriders": {"imageOverrider": overriders}}]},
    });
    let object = object(&pod);
    let done = Prepared::new(&policies(&[tree(&policy)])?, &object).apply(&object, &Cluster::default());
    let image = |o: Object| json!({"image": o.node.to_json().pointer("/spec/containers/0/image")});
    done.map(image).map_err(|f| f.kind.word().to_owned())
}

/// Texts at these pointers are compared after reading them.
fn structured(mut object: Json, pointers: &[Node]) -> Json {
    for pointer in pointers.iter().filter_map(Node::as_str) {
        if let Some(slot) = object.pointer_mut(pointer) {
            let text = slot.as_str().expect("a text");
            *slot = read(text).first().map_or(Json::Null, Node::to_json);
        }
    }
    object
}

/// The outcome of a situation and what it should be; `None` for those that are not about overrides.
fn outcome(case: &Node) -> Option<(Result<Json, String>, Result<Json, String>)> {
    let expect = case.get("expect").expect("expect");
    let outcome = match case.str_of("kind") {
        "override" => overridden(case).map(|o| structured(o, case.items_of("structured"))),
        "image" => image(case),
        _ => return None,
    };
    let wanted = match (expect.get("error").and_then(Node::as_str), expect.get("object")) {
        (Some(error), _) => Err(error.to_owned()),
        (None, Some(object)) => Ok(structured(object.to_json(), case.items_of("structured"))),
        (None, None) => Ok(expect.to_json()),
    };
    Some((outcome, wanted))
}

#[test]
fn every_situation_comes_out_as_in_karmada() {
    let mut ran = BTreeMap::<String, usize>::new();
    for folder in ["karmada", "karmada-random"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(folder);
        for entry in fs::read_dir(folder).expect("cases") {
            let path = entry.expect("a file").path();
            if path.extension().is_none_or(|e| e != "yaml") {
                continue;
            }
            for case in read(&fs::read_to_string(&path).expect("a text")) {
                let Some((outcome, wanted)) = outcome(&case) else { continue };
                assert_eq!(outcome, wanted, "{}", case.str_of("name"));
                *ran.entry(case.str_of("kind").to_owned()).or_default() += 1;
            }
        }
    }
    assert!(ran["override"] >= 250 && ran["image"] >= 12, "cases are missing: {ran:?}");
}

const CONFIG: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: shop, annotations: {'a~b/c': x}}
data:
  j: '{\"z\": 1.0, \"a\": \"<\\u00e9>\", \"n\": 18446744073709551615, \"l\": [ 1 , 2 ], \"big\": 1e3}'
  list: '[1]'
  empty: ''
  scalar: '5'
  yml: |
    on: yes
    b: 1.0
    list: [x, {k: v}]
    text: 'no'
    a10: 1
    a9: 2
    multi: |
      two
      lines
";

/// What one overrider does to the object above: its data, or the error.
fn on_config(kind: &str, item: &str) -> Result<Node, String> {
    let policy = format!(
        "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {{name: o, namespace: shop}}\n\
         spec: {{overrideRules: [{{overriders: {{{kind}: {item}}}}}]}}\n"
    );
    let object = Object::new(read(CONFIG).remove(0)).expect("named");
    let done = Prepared::new(&policies(&read(&policy))?, &object).apply(&object, &Cluster::default());
    done.map(|o| o.node).map_err(|f| f.kind.word().to_owned())
}

#[test]
fn texts_are_written_as_go_writes_them() {
    for (field, wanted) in [
        (
            "{fieldPath: /data/j, json: [{subPath: /new, operator: add, value: {w: 2.0, v: '&'}}, {subPath: /l/-1, operator: remove}]}",
            Ok(
                r#"{"z":1.0,"a":"\u003c\u00e9\u003e","n":18446744073709551615,"l":[1],"big":1e3,"new":{"v":"\u0026","w":2}}"#,
            ),
        ),
        ("{fieldPath: /data/list, json: [{subPath: /-, operator: add, value: 1e22}]}", Ok("[1,1e+22]")),
        ("{fieldPath: /data/empty, json: [{subPath: /a, operator: add, value: 1}]}", Ok("")),
        ("{fieldPath: /data/empty, yaml: [{subPath: /a, operator: add, value: 1}]}", Err("json-patch")),
        ("{fieldPath: /data/scalar, json: [{subPath: /a, operator: add, value: 1}]}", Err("json-patch")),
        ("{fieldPath: /data/j, json: [{subPath: /no, operator: replace, value: 1}]}", Err("json-patch")),
        ("{fieldPath: /data/none, json: [{subPath: /a, operator: add, value: 1}]}", Err("field-path")),
        ("{fieldPath: /data, json: [{subPath: /a, operator: add, value: 1}]}", Err("field-not-string")),
        ("{fieldPath: '', json: [{subPath: /a, operator: add, value: 1}]}", Err("field-not-string")),
        (
            "{fieldPath: '/metadata/annotations/a~0b~1c', json: [{subPath: '', operator: add, value: 1}]}",
            Err("json-patch"),
        ),
        (
            "{fieldPath: /data/yml, yaml: [{subPath: /list/-, operator: add, value: ['', '1', 'y', 'a: b', '#']}]}",
            Ok(
                "a9: 2\na10: 1\nb: 1\nlist:\n- x\n- k: v\n- - \"\"\n  - \"1\"\n  - \"y\"\n  - 'a: b'\n  - '#'\nmulti: |\n  two\n  lines\ntext: \"no\"\n\"true\": true\n",
            ),
        ),
    ] {
        let outcome = on_config("fieldOverrider", &format!("[{field}]")).map(|node| {
            let changed = if field.contains("/data/j") {
                "j"
            } else if field.contains("/data/yml") {
                "yml"
            } else {
                "list"
            };
            let changed = if field.contains("/data/empty") { "empty" } else { changed };
            node.at_keys(&["data", changed]).and_then(Node::as_str).unwrap_or_default().to_owned()
        });
        assert_eq!(outcome, wanted.map(str::to_owned).map_err(str::to_owned), "{field}");
    }
}

#[test]
fn patches_follow_the_rules_of_the_library() {
    for (items, wanted) in [
        ("[{path: /data/x, operator: add}]", Ok(())),
        ("[{path: data/x, operator: add, value: 'the text before the first slash plays no part'}]", Ok(())),
        ("[{path: /data/x, operator: add, value: a}, {path: /data/none, operator: remove}]", Err("json-patch")),
        ("[{path: /data/x/y, operator: add, value: a}]", Err("json-patch")),
        ("[{path: /kind, operator: remove}]", Err("json-patch")),
        ("[{path: /metadata/annotations/a~0b~1c, operator: replace, value: y}]", Ok(())),
        (
            "[{path: /l, operator: add, value: [1, 2]}, {path: /l/-1, operator: add, value: 3}, {path: /l/-4, operator: add, value: 0}]",
            Ok(()),
        ),
        ("[{path: /l, operator: add, value: [1]}, {path: /l/2, operator: add, value: 3}]", Err("json-patch")),
        ("[{path: /l, operator: add, value: [1]}, {path: /l/-, operator: replace, value: 3}]", Err("json-patch")),
        ("[{path: /l, operator: add, value: [1]}, {path: /l/-3, operator: add, value: 3}]", Err("json-patch")),
    ] {
        let outcome = on_config("plaintext", items);
        if items.contains("/l/-4") {
            assert_eq!(outcome.as_ref().unwrap().get("l").unwrap().to_json(), json!([0, 1, 2, 3]));
        }
        assert_eq!(outcome.map(drop), wanted.map_err(str::to_owned), "{items}");
    }
}

const WORKLOAD: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      initContainers: [{name: init, image: 'i:1'}]
      containers: [{name: app, image: 'a:1', args: null}, {name: two, image: 'b:1', command: [x, x]}]
";

#[test]
fn containers_are_found_as_karmada_finds_them() {
    for (kind, item, wanted) in [
        (
            "imageOverrider",
            "{component: Tag, operator: replace, value: '2', predicate: {path: /spec/template/spec/containers/9/image}}",
            "predicate-path",
        ),
        (
            "imageOverrider",
            "{component: Tag, operator: replace, value: '2', predicate: {path: /spec/template/spec/containers/1/command/0}}",
            "predicate-path",
        ),
        ("imageOverrider", "{component: Tag, operator: replace, value: '2', predicate: {path: ''}}", "predicate-path"),
        (
            "imageOverrider",
            "{component: Tag, operator: replace, value: '2', predicate: {path: /spec/template/spec/containers/0/image/}}",
            "json-patch",
        ),
        (
            "argsOverrider",
            "{containerName: app, operator: remove, value: [a]}",
            "/spec/template/spec/containers/0/args=[]",
        ),
        (
            "argsOverrider",
            "{containerName: '', operator: add, value: [a]}",
            "/spec/template/spec/containers/0/args=null",
        ),
        (
            "commandOverrider",
            "{containerName: two, operator: remove, value: [x]}",
            "/spec/template/spec/containers/1/command=[]",
        ),
        (
            "commandOverrider",
            "{containerName: init, operator: add, value: [x]}",
            "/spec/template/spec/initContainers/0/command=null",
        ),
    ] {
        let policy = format!(
            "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterOverridePolicy\nmetadata: {{name: o}}\n\
             spec: {{overriders: {{{kind}: [{item}]}}}}\n"
        );
        let object = Object::new(read(WORKLOAD).remove(0)).expect("named");
        let policies = policies(&read(&policy)).expect("valid");
        let outcome = match Prepared::new(&policies, &object).apply(&object, &Cluster::default()) {
            Ok(done) => {
                let (pointer, _) = wanted.split_once('=').unwrap_or((wanted, ""));
                let json = done.node.to_json();
                format!("{pointer}={}", json.pointer(pointer).unwrap_or(&Json::Null))
            }
            Err(failure) => failure.kind.word().to_owned(),
        };
        assert_eq!(outcome, wanted, "{item}");
    }
}

#[test]
fn admission_refuses_at_the_line_of_the_field() {
    let head =
        "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: o, namespace: shop}\nspec:\n";
    for (spec, wanted) in [
        (
            "  resourceSelectors:\n  - {apiVersion: v1, kind: Pod, namespace: other}\n",
            "6 spec.resourceSelectors[0].namespace",
        ),
        ("  overrideRules: []\n  targetCluster: {}\n", "6 spec.targetCluster"),
        ("  overrideRules: []\n  overriders:\n    plaintext: [{path: /a, operator: remove}]\n", "6 spec.overriders"),
        (
            "  overrideRules: []\n  overriders:\n    fieldOverrider: [{fieldPath: /a, json: [{subPath: /a, operator: remove}]}]\n",
            "",
        ),
        (
            "  targetCluster:\n    fieldSelector: {matchExpressions: [{key: team, operator: In, values: [x]}]}\n",
            "6 spec.targetCluster.fieldSelector",
        ),
        ("  overriders: {plaintext: [{path: /a, operator: test}]}\n", "5 spec.overriders.plaintext[0].operator"),
        ("  overriders: {plaintext: [{path: /a, operator: add}]}\n", ""),
        (
            "  overriders: {argsOverrider: [{containerName: a, operator: replace, value: [x]}]}\n",
            "5 spec.overriders.argsOverrider[0].operator",
        ),
        (
            "  overriders: {imageOverrider: [{component: Digest, operator: add, value: x}]}\n",
            "5 spec.overriders.imageOverrider[0].component",
        ),
        (
            "  overriders: {imageOverrider: [{component: Tag, operator: add, value: 1}]}\n",
            "5 spec.overriders.imageOverrider[0].value",
        ),
        (
            "  overriders: {imageOverrider: [{component: Tag, operator: add, predicate: {path: a}}]}\n",
            "5 spec.overriders.imageOverrider[0].predicate.path",
        ),
        (
            "  overriders: {labelsOverrider: [{operator: add, value: {a: 'x y'}}]}\n",
            "5 spec.overriders.labelsOverrider[0].value[\"a\"]",
        ),
        ("  overriders: {annotationsOverrider: [{operator: add, value: {A.b/c: 'x y'}}]}\n", ""),
        ("  overriders: {fieldOverrider: [{fieldPath: /a}]}\n", "5 spec.overriders.fieldOverrider[0]"),
        (
            "  overriders: {fieldOverrider: [{fieldPath: /a, json: [{subPath: a, operator: add, value: null}]}]}\n",
            "5 spec.overriders.fieldOverrider[0].json[0].subPath, 5 spec.overriders.fieldOverrider[0].json[0].value",
        ),
        (
            "  overrideRules:\n  - overriders: {}\n  - overriders:\n      fieldOverrider:\n      - fieldPath: /a\n        yaml:\n        - {subPath: /a, operator: remove, value: 1}\n",
            "11 spec.overrideRules[1].overriders.fieldOverrider[0].yaml[0].value",
        ),
    ] {
        let object = Object::new(read(&format!("{head}{spec}")).remove(0)).expect("named");
        let faults = Policies::default().read(&object).expect("a policy").err().unwrap_or_default();
        let told: Vec<String> = faults.iter().map(|f| format!("{} {}", f.line, f.field)).collect();
        assert_eq!(told.join(", "), wanted, "{spec}");
    }
}
