//! What our own policies add: merges, variables, resources, every kind with pods; and the order of all stages.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{object, rule, tree};
use crate::desired::{
    cluster::Cluster,
    object::Object,
    patch::{
        Containers, ImagePart, Operation, OverridePolicy, OverrideRule, OverrideStep, Overrider, PatchOperation, Reach,
        TextForm, Verb,
        apply::{Prepared, apply_step},
        lint,
    },
    policy::{PolicyId, ResourceSelector, System},
    selector::{Affinity, LabelSelector},
};

fn after(before: &Json, overrider: Overrider) -> Result<Json, String> {
    let mut object = object(before);
    let step = OverrideStep { overrider, rule: rule("r") };
    apply_step(&mut object, &step).map(|()| object.node.to_json()).map_err(|f| f.kind.word().to_owned())
}

fn every(name: Option<&str>) -> Containers {
    Containers { name: name.map(str::to_owned), reach: Reach::Every }
}

fn cron_job() -> Json {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"},
        "spec": {"jobTemplate": {"spec": {"template": {"spec": {
            "initContainers": [{"name": "init", "image": "hub.example/i:1"}],
            "containers": [{
                "name": "app", "image": "hub.example/a:1",
                "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
                "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
            }],
        }}}}},
    })
}

fn pod_of(json: &Json) -> &Json {
    json.pointer("/spec/jobTemplate/spec/template/spec").unwrap()
}

#[test]
fn every_kind_with_pods_is_reached() {
    let image = |containers| Overrider::Image {
        part: ImagePart::Registry,
        operation: Operation::Replace,
        value: "m.example".into(),
        path: None,
        containers,
    };
    let all = after(&cron_job(), image(every(None))).unwrap();
    assert_eq!(pod_of(&all)["initContainers"][0]["image"], "m.example/i:1");
    assert_eq!(pod_of(&all)["containers"][0]["image"], "m.example/a:1");
    let regular = after(&cron_job(), image(Containers { name: None, reach: Reach::Regular })).unwrap();
    assert_eq!(pod_of(&regular)["initContainers"][0]["image"], "hub.example/i:1");
    let named = after(&cron_job(), image(every(Some("init")))).unwrap();
    assert_eq!(pod_of(&named)["containers"][0]["image"], "hub.example/a:1");
    assert_eq!(pod_of(&named)["initContainers"][0]["image"], "m.example/i:1");
}

#[test]
fn variables_and_resources_are_merged_by_name() {
    let from = json!({"valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}});
    let variables = vec![
        ("A".to_owned(), Some(tree(&from))),
        ("B".to_owned(), Some(tree(&json!("plain")))),
        ("C".to_owned(), Some(tree(&json!(8)))),
        ("D".to_owned(), None),
    ];
    let done = after(&cron_job(), Overrider::Env { containers: every(Some("app")), variables }).unwrap();
    let wanted = json!([
        {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "B", "value": "plain"},
        {"name": "C", "value": "8"},
    ]);
    assert_eq!(pod_of(&done)["containers"][0]["env"], wanted);
    assert!(pod_of(&done)["initContainers"][0].get("env").is_none());
    let gone = vec![("A".to_owned(), None)];
    let done = after(&cron_job(), Overrider::Env { containers: every(None), variables: gone }).unwrap();
    assert_eq!(pod_of(&done)["containers"][0]["env"].as_array().unwrap().len(), 1);

    let resources = tree(&json!({"requests": {"cpu": "2", "memory": null}, "limits": {"cpu": "4"}}));
    let done = after(&cron_job(), Overrider::Resources { containers: every(Some("app")), resources }).unwrap();
    let wanted = json!({"requests": {"cpu": "2"}, "limits": {"cpu": "4"}});
    assert_eq!(pod_of(&done)["containers"][0]["resources"], wanted);
}

/// Objects and patches; the simulator's merge of the same type must agree.
fn merges() -> Vec<(Json, Json)> {
    let deployment = |spec: Json| json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "finalizers": ["a", "b"], "labels": {"x": "1", "y": "2"}}, "spec": spec});
    let pod = |containers: Json| json!({"template": {"spec": {"containers": containers}}});
    let base = || {
        deployment(json!({
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
            "template": {"spec": {
                "containers": [
                    {"name": "a", "image": "x:1", "args": ["p", "q"], "env": [{"name": "E", "value": "1"}, {"name": "F", "value": "2"}],
                     "ports": [{"containerPort": 80, "name": "http"}, {"containerPort": 81}]},
                    {"name": "b", "image": "y:1"},
                    {"name": "c", "image": "z:1"},
                ],
                "nodeSelector": {"k": "v"},
            }},
        }))
    };
    [
        json!({"spec": pod(json!([{"name": "a", "image": "x:2", "args": ["r"], "env": [{"name": "F", "value": "3"}, {"name": "G", "value": "4"}]}]))}),
        json!({"spec": pod(json!([{"name": "a", "ports": [{"containerPort": 81, "name": "two"}, {"containerPort": 82}]}]))}),
        json!({"spec": pod(json!([{"name": "b", "$patch": "delete"}, {"name": "n", "image": "n:1"}]))}),
        json!({"spec": pod(json!([{"$patch": "replace"}, {"name": "n", "image": "n:1"}]))}),
        json!({"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "c"}, {"name": "n"}, {"name": "a"}], "containers": [{"name": "n"}]}}}}),
        json!({"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}]}}}}),
        json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
        json!({"spec": {"strategy": {"$patch": "delete"}}}),
        json!({"spec": {"template": {"spec": {"nodeSelector": {"$patch": "replace", "n": "w"}}}}}),
        json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a", "none"], "finalizers": ["c", "b"], "labels": {"x": null, "z": "3"}}}),
        json!({"spec": {"replicas": 3, "selector": {"matchLabels": {"l": "m"}}, "paused": null}}),
        json!({"spec": pod(json!([{"image": "nameless"}]))}),
        json!({"spec": {"strategy": {"$patch": "melt"}}}),
    ]
    .into_iter()
    .map(|patch| (base(), patch))
    .collect()
}

#[test]
fn strategic_merges_agree_with_the_simulated_server() {
    let table = crate::sim::kinds::table();
    let deployment = &table[crate::sim::kinds::DEPLOYMENTS.index()];
    for (before, patch) in merges() {
        let mut theirs = before.clone();
        let wanted = crate::sim::patch::strategic::patch(deployment, &mut theirs, &patch);
        let outcome = after(&before, Overrider::Merge(tree(&patch)));
        match wanted {
            Ok(()) => assert_eq!(outcome.unwrap(), theirs, "{patch}"),
            Err(_) => assert_eq!(outcome, Err("merge-patch".to_owned()), "{patch}"),
        }
    }
}

#[test]
fn kinds_that_are_not_built_in_are_merged_plainly() {
    let before = json!({"apiVersion": "x.example/v1", "kind": "Thing", "spec": {"l": [{"name": "a"}], "m": {"k": 1}}});
    let patch = json!({"spec": {"l": [{"name": "b"}], "m": {"k": null, "n": {"deep": null, "o": 1}}}});
    let mut wanted = before.clone();
    json_patch::merge(&mut wanted, &patch);
    assert_eq!(after(&before, Overrider::Merge(tree(&patch))), Ok(wanted));
    let directive = json!({"spec": {"l": [{"$patch": "replace"}]}});
    assert_eq!(after(&before, Overrider::Merge(tree(&directive))), Err("merge-patch".to_owned()));
}

#[test]
fn a_merge_names_only_what_it_changed() {
    let (before, patch) = merges().remove(0);
    let mut changed = object(&before);
    let step = OverrideStep { overrider: Overrider::Merge(tree(&patch)), rule: rule("r") };
    apply_step(&mut changed, &step).unwrap();
    let by_rule: Vec<String> = changed
        .node
        .leaves()
        .into_iter()
        .filter(|(_, leaf)| !leaf.origin.history().0.is_empty())
        .map(|(path, _)| path.to_string())
        .collect();
    let at = |rest: &str| format!("spec.template.spec.containers[0].{rest}");
    assert_eq!(by_rule, [at("args[0]"), at("env[1].value"), at("env[2].name"), at("env[2].value"), at("image")]);
}

fn policy(
    system: System,
    namespace: &str,
    name: &str,
    selectors: Vec<ResourceSelector>,
    replicas: i64,
) -> Arc<OverridePolicy> {
    let operation = PatchOperation {
        verb: Verb::Replace,
        path: "/spec/replicas".into(),
        value: Some(tree(&json!(replicas))),
        rule: None,
    };
    let step = OverrideStep { overrider: Overrider::Json(vec![operation]), rule: rule(name) };
    Arc::new(OverridePolicy {
        id: PolicyId { kind: "P".into(), namespace: namespace.into(), name: name.into() },
        at: rule(name).at.clone(),
        system,
        selectors,
        rules: vec![OverrideRule { target: None, steps: vec![step] }],
    })
}

fn web() -> Object {
    object(
        &json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "n", "labels": {"app": "web"}}, "spec": {"replicas": 1}}),
    )
}

#[test]
fn stages_and_precision_give_the_order() {
    let by_label = ResourceSelector {
        kind: "Deployment".into(),
        labels: Some(LabelSelector::read(&tree(&json!({"matchLabels": {"app": "web"}})))),
        ..ResourceSelector::default()
    };
    let by_name = ResourceSelector { name: "web".into(), ..ResourceSelector::default() };
    let policies = [
        policy(System::Native, "", "own", vec![], 5),
        policy(System::Karmada, "n", "a-named", vec![by_name.clone()], 4),
        policy(System::Karmada, "n", "z-labelled", vec![by_label], 3),
        policy(System::Karmada, "", "cluster", vec![by_name], 2),
        policy(System::Karmada, "other", "elsewhere", vec![], 9),
    ];
    let (object, cluster) = (web(), Cluster::default());
    let prepared = Prepared::new(&policies, &object);
    let names: Vec<String> = prepared.touched(&cluster).iter().map(|r| r.name.to_string()).collect();
    assert_eq!(names, ["cluster", "z-labelled", "a-named", "own"]);
    let done = prepared.apply(&object, &cluster).unwrap();
    let replicas = done.node.at_keys(&["spec", "replicas"]).unwrap();
    assert_eq!(replicas.as_int(), Some(5));
    let (changes, first) = replicas.origin.history();
    assert_eq!(changes.iter().map(|c| &*c.rule.name).collect::<Vec<_>>(), ["own", "a-named", "z-labelled", "cluster"]);
    assert_eq!(first.unwrap().to_string(), "base.yaml:1");
}

#[test]
fn clusters_with_the_same_rules_share_a_signature_and_nothing_costs_nothing() {
    let mut here = (*policy(System::Karmada, "", "p", vec![], 2)).clone();
    here.rules[0].target = Some(Affinity { names: vec!["a".into(), "b".into()], ..Affinity::default() });
    let prepared = Prepared::new(&[Arc::new(here)], &web());
    let cluster = |name: &str| Cluster { name: name.into(), ..Cluster::default() };
    let signature = |name: &str| prepared.signature(&cluster(name));
    assert_eq!(signature("a"), signature("b"));
    assert_ne!(signature("a"), signature("c"));
    assert!(prepared.apply(&web(), &cluster("c")).is_ok());
    let object = web();
    let same = prepared.apply(&object, &cluster("c")).unwrap();
    assert!(same.node.shares(&object.node), "no rule, no copy");
    assert!(Prepared::new(&[], &object).is_empty());
}

#[test]
fn silences_are_told() {
    use lint::Why;
    let step = |overrider| OverrideStep { overrider, rule: rule("r") };
    let image = |value: &str, reach| Overrider::Image {
        part: ImagePart::Tag,
        operation: Operation::Replace,
        value: value.into(),
        path: None,
        containers: Containers { name: None, reach },
    };
    let marks =
        |operation, key: &str| Overrider::Marks { field: "labels", operation, pairs: vec![(key.into(), "v".into())] };
    let words = |name: &str| Overrider::Words {
        field: "args",
        containers: Containers { name: Some(name.into()), reach: Reach::Karmada },
        operation: Operation::Add,
        words: vec!["x".into()],
    };
    let plain = |path: &str, value: i64| {
        let value = Some(tree(&json!(value)));
        Overrider::Json(vec![PatchOperation { verb: Verb::Replace, path: path.into(), value, rule: None }])
    };
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "labels": {"l": "v"}},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "app", "image": "a:1"}]}}},
    });
    let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "{}"}});
    let text = Overrider::Text { path: "/data/no".into(), form: TextForm::Json, operations: Vec::new() };
    for (on, overrider, wanted) in [
        (&cron_job(), image("2", Reach::Karmada), Some(Why::Kind)),
        (&cron_job(), image("2", Reach::Regular), None),
        (&config, image("2", Reach::Every), Some(Why::NoPods)),
        (&deployment, image(":2", Reach::Karmada), Some(Why::Tag(":2".into()))),
        (&deployment, image("1", Reach::Karmada), Some(Why::Same)),
        (&deployment, marks(Operation::Replace, "none"), Some(Why::Key("none".into()))),
        (&deployment, marks(Operation::Remove, "none"), Some(Why::Gone("none".into()))),
        (&deployment, marks(Operation::Add, "l"), Some(Why::Same)),
        (&deployment, words("none"), Some(Why::Container("none".into()))),
        (&deployment, words("app"), None),
        (&deployment, plain("/spec/replicas", 1), Some(Why::Same)),
        (
            &config,
            plain("/spec/replicas", 2),
            Some(Why::Fails(super::super::FailureKind::JsonPatch, "/spec/replicas".into())),
        ),
        (&config, text, Some(Why::Fails(super::super::FailureKind::FieldPath, "/data/no".into()))),
    ] {
        let rules = vec![OverrideRule { target: None, steps: vec![step(overrider.clone())] }];
        let policy = OverridePolicy { rules, ..(*policy(System::Karmada, "", "p", vec![], 1)).clone() };
        let found = lint::policy(&policy, &[object(on)], &[Cluster::default()]);
        assert_eq!(
            found.iter().map(|f| f.why.clone()).collect::<Vec<_>>(),
            wanted.into_iter().collect::<Vec<_>>(),
            "{overrider:?}"
        );
        for finding in found {
            for lang in [crate::messages::Lang::En, crate::messages::Lang::Zh] {
                assert!(!finding.text(lang).contains(['{', '}']), "{}", finding.text(lang));
            }
        }
    }
}
