//! Native policies: what they become, where each step stands, and what is told of wrong ones.

use std::collections::BTreeSet;

use super::*;
use crate::{
    desired::{
        cluster::Cluster,
        origin::{Source, SourceKind},
        patch::{Operation, Overrider},
        place::{Resource, SpreadBy, State, Strategy, decide},
        source::yaml,
    },
    messages::Lang,
};

const EXAMPLE: &str = include_str!("../../../../config/policies.example.yaml");
const SCHEMA: &str = include_str!("../../../../config/policy.schema.json");

/// Reads every document of a text.
fn policies(text: &str) -> Result<Policies, Vec<String>> {
    let mut policies = Policies::default();
    let mut told = Vec::new();
    for node in yaml::read(text, &Source::new(SourceKind::Policy, "p.yaml")).unwrap() {
        let faults = policies.read(&Object::new(node).unwrap()).expect("it is ours").err().unwrap_or_default();
        let line = |f: &Fault| f.problem(Lang::En);
        told.extend(faults.iter().map(line).map(|p| format!("{} {}: {}", p.place, p.field, p.text)));
    }
    if told.is_empty() { Ok(policies) } else { Err(told) }
}

/// A policy with this below `kind`, from line 4 on.
fn with(body: &str) -> String {
    format!("apiVersion: quarterdeck.dev/v1alpha1\nkind: Policy\nmetadata: {{name: web}}\n{body}\n")
}

#[test]
fn the_example_is_read_and_every_step_names_its_line() {
    let policies = policies(EXAMPLE).unwrap();
    let [web, reports] = policies.placements.as_slice() else { panic!("{policies:?}") };
    assert_eq!((&*web.id.name, web.priority, web.selectors.len()), ("web", 10, 3));
    assert_eq!(web.placement.spread[0].by, SpreadBy::Region);
    assert!(matches!(web.placement.strategy, Strategy::Dynamic) && web.placement.limits[0].max == Some(10));
    assert!(reports.placement.named_groups && reports.placement.groups.len() == 2);
    assert!(matches!(&reports.placement.strategy, Strategy::Static { weights, .. } if weights[1].affinity.is_empty()));
    let lines: Vec<&str> = EXAMPLE.lines().collect();
    let mut parts = Vec::new();
    for step in policies.overrides.iter().flat_map(|p| &p.rules).flat_map(|r| &r.steps) {
        let (part, _) = step.rule.part.split_once(" (").expect("the rules of the example have names");
        let last = part.rsplit('.').find(|p| !p.is_empty()).unwrap();
        let key = last.split('[').next().unwrap();
        let line = lines[step.rule.at.line as usize - 1];
        let above = lines[step.rule.at.line as usize - 2];
        assert!(line.contains(key) || above.contains(key), "{} points at {line:?}", step.rule);
        parts.push(part.to_owned());
    }
    assert!(parts.contains(&"overrides[0].images[1].tag".to_owned()), "{parts:?}");
    assert!(parts.contains(&"overrides[1].env[0].set.PASSWORD".to_owned()), "{parts:?}");
    assert_eq!(policies.overrides.len(), 3, "a rule with resources of its own is a policy of its own");
    assert!(policies.overrides.iter().all(|p| p.id == web.id && p.system == System::Native));
}

#[test]
fn clusters_are_chosen_by_globs_exclusions_and_labels() {
    let cluster = |name: &str, region: &str, ring: &str| Cluster {
        name: name.into(),
        region: region.into(),
        labels: [("ring".to_owned(), ring.to_owned())].into(),
        ..Cluster::default()
    };
    for (choice, name, region, ring, fits) in [
        ("{}", "a", "", "", true),
        ("{names: [eu-*, '!eu-9']}", "eu-1", "", "", true),
        ("{names: [eu-*, '!eu-9']}", "eu-9", "", "", false),
        ("{region: [eu-*]}", "a", "eu-1", "", true),
        ("{region: [eu-*]}", "a", "", "", false),
        ("{region: ['!eu-*']}", "a", "eu-1", "", false),
        ("{region: ['!eu-*']}", "a", "", "", true),
        ("{region: [eu-*, '!eu-9']}", "a", "eu-9", "", false),
        ("{labels: {ring: [1, '2']}}", "a", "", "1", true),
        ("{labels: {ring: '*'}}", "a", "", "7", true),
        ("{labels: {zone: '*'}}", "a", "", "7", false),
        ("{labels: {zone: '!*'}}", "a", "", "7", true),
        ("{labels: {ring: '!7'}}", "a", "", "7", false),
        ("{region: eu-1, labels: {ring: 1}}", "a", "eu-1", "2", false),
    ] {
        let text = with(&format!("resources: [{{kind: A}}]\nplacement: {{clusters: {choice}}}"));
        let affinity = policies(&text).unwrap().placements[0].placement.groups[0].affinity.clone();
        assert_eq!(affinity.matches(&cluster(name, region, ring)), fits, "{choice} {name} {region} {ring}");
    }
}

#[test]
fn steps_come_in_the_fixed_order_whatever_the_order_of_the_keys() {
    let text = with(
        "overrides:\n- patch: [{op: add, path: /a, value: ~}]\n  merge: {a: 1}\n  labels: {remove: [x], set: {y: z}}\n  \
         args: [{container: c, add: [b], remove: [a]}]\n  images: [{registry: ''}]\n  env: [{set: {A: 1}}]",
    );
    let policies = policies(&text).unwrap();
    let policy = &policies.overrides[0];
    assert!(policy.selectors.is_empty(), "without resources it is about everything");
    let steps: Vec<&Overrider> = policy.rules[0].steps.iter().map(|s| &s.overrider).collect();
    assert!(
        matches!(
            steps.as_slice(),
            [
                Overrider::Image { operation: Operation::Remove, .. },
                Overrider::Words { operation: Operation::Remove, .. },
                Overrider::Words { operation: Operation::Add, .. },
                Overrider::Env { .. },
                Overrider::Marks { operation: Operation::Remove, .. },
                Overrider::Marks { operation: Operation::Add, .. },
                Overrider::Merge(_),
                Overrider::Json(_),
            ]
        ),
        "{steps:#?}"
    );
    let Overrider::Env { variables, .. } = steps[3] else { panic!() };
    assert_eq!(variables[0].1.as_ref().unwrap().to_json(), serde_json::json!("1"), "a variable is a text");
    let Overrider::Json(operations) = steps[7] else { panic!() };
    assert!(operations[0].value.as_ref().unwrap().is_null(), "null is a value");
}

#[test]
fn wrong_policies_are_told_with_line_and_field() {
    let place = "resources: [{kind: A}]\nplacement:\n  ";
    for (body, want) in [
        ("priority: 1".to_owned(), ":1 : this policy has neither"),
        ("placement: {clusters: {}}".to_owned(), ":4 placement: a placement needs resources"),
        (
            format!("{place}replicas: {{mode: packed}}"),
            ":5 placement: no clusters are chosen; write clusters or fallback, and clusters: {} where",
        ),
        (format!("{place}clutsers: {{}}"), ":6 placement.clutsers: unknown key clutsers; did you mean clusters?"),
        (
            format!("{place}clusters: {{}}\n  fallback: [{{name: a, clusters: {{}}}}]"),
            ":5 placement: clusters and fallback exclude",
        ),
        (
            format!("{place}fallback: [{{name: a, clusters: {{}}}}, {{name: a, clusters: {{}}}}]"),
            ":6 placement.fallback[1].name: a stands here twice",
        ),
        (format!("{place}clusters: {{names: []}}"), ":6 placement.clusters.names: no value stands here"),
        (
            format!("{place}clusters: {{labels: {{a: 'x*'}}}}"),
            ":6 placement.clusters.labels.a: labels are compared letter by letter, x* would",
        ),
        (
            format!("{place}clusters: {{tier: [1.5]}}"),
            ":6 placement.clusters.tier[0]: a text is expected here; put this value in quotes",
        ),
        (
            format!("{place}clusters: {{}}\n  replicas: {{mode: pakced}}"),
            ":7 placement.replicas.mode: pakced is not known here; did you mean packed?",
        ),
        (
            format!("{place}clusters: {{}}\n  replicas: {{mode: packed, weights: [{{clusters: {{}}, weight: 2}}]}}"),
            ":7 placement.replicas.weights: weights count with mode: weighted only",
        ),
        (
            format!("{place}clusters: {{}}\n  spread: [{{by: region, min: 3, max: 2}}]"),
            ":7 placement.spread[0]: min is larger",
        ),
        (
            format!("{place}clusters: {{}}\n  spread: [{{by: region, max: 0}}]"),
            ":7 placement.spread[0].max: a whole number is expected here, 1 or more",
        ),
        (
            "resources: [{kind: Depl*}]\noverrides: [{labels: {set: {a: b}}}]".to_owned(),
            ":4 resources[0].kind: Depl* is taken letter by letter",
        ),
        ("overrides: [{clusters: {}}]".to_owned(), ":4 overrides[0]: this rule changes nothing"),
        ("overrides: [{args: [{container: a}]}]".to_owned(), ":4 overrides[0].args[0]: nothing is changed here"),
        ("overrides: [{images: [{tag: ':v2'}]}]".to_owned(), ":4 overrides[0].images[0].tag: :v2 cannot be this part"),
        (
            "overrides: [{images: [{tag: 1.30}]}]".to_owned(),
            ":4 overrides[0].images[0].tag: a text is expected here; put",
        ),
        (
            "overrides: [{images: [{registry: 'https://x'}]}]".to_owned(),
            ":4 overrides[0].images[0].registry: https://x cannot",
        ),
        (
            "overrides: [{images: [{digest: 'sha256:abc'}]}]".to_owned(),
            ":4 overrides[0].images[0].digest: sha256:abc cannot",
        ),
        (
            "overrides: [{env: [{set: {A: {value: b}}}]}]".to_owned(),
            ":4 overrides[0].env[0].set.A: a variable is a text",
        ),
        (
            "overrides: [{env: [{set: {A: true}}]}]".to_owned(),
            ":4 overrides[0].env[0].set.A: a text is expected here; put",
        ),
        (
            "overrides: [{patch: [{op: add, path: spec}]}]".to_owned(),
            ":4 overrides[0].patch[0].path: spec is no JSON pointer",
        ),
        (
            "overrides: [{patch: [{op: add, path: /spec}]}]".to_owned(),
            ":4 overrides[0].patch[0]: add needs the key value",
        ),
        (
            "overrides: [{patch: [{op: remove, path: /a, value: 1}]}]".to_owned(),
            ":4 overrides[0].patch[0]: remove takes no value",
        ),
        (
            "overrides: [{patch: [{op: move, path: /a}]}]".to_owned(),
            ":4 overrides[0].patch[0]: move needs the key from",
        ),
        (
            "overrides: [{images: [{tag: a, path: /x, container: y}]}]".to_owned(),
            ":4 overrides[0].images[0]: path and container",
        ),
        (
            "overrides: [{text: [{path: /data/a, form: yaml, patch: []}]}]".to_owned(),
            ":4 overrides[0].text[0]: nothing is changed",
        ),
    ] {
        let told = policies(&with(&body)).err().unwrap_or_default();
        assert!(told.iter().any(|t| t.starts_with(&format!("p.yaml{want}"))), "{want}\nin {told:#?}");
    }
    let later = policies("apiVersion: quarterdeck.dev/v2\nkind: Policy\nmetadata: {name: a}\n").unwrap_err();
    assert!(later[0].starts_with("p.yaml:1 apiVersion: quarterdeck.dev/v2 is not known here"), "{later:?}");
}

#[test]
fn the_published_schema_is_that_of_the_reader() {
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/config/policy.schema.json"), schema()).unwrap();
    }
    assert!(SCHEMA == schema(), "run the test with UPDATE_SCHEMA=1 and commit config/policy.schema.json");
}

/// Keys of a shape, by their path without indexes; keys of the writer's choice are left out.
fn keys_of_shape(shape: shape::Shape, path: &str, out: &mut BTreeSet<String>) {
    match shape {
        shape::Shape::List(inner) => keys_of_shape(*inner, path, out),
        shape::Shape::Object(keys) => {
            for key in keys {
                let path = format!("{path}.{}", key.name);
                // How clusters and objects are chosen is the same everywhere; it is shown once.
                if !path.contains(".clusters.") || path.starts_with(".placement.clusters.") {
                    out.insert(path.clone());
                    keys_of_shape(key.shape, &path, out);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn zones_are_counted_as_regions_are() {
    let body = "resources: [{kind: Deployment}]\nplacement:\n  clusters: {}\n  spread: [{by: zone, min: 2, max: 2}, {by: cluster, max: 2}]\n  replicas: {mode: capacity}";
    let policies = policies(&with(body)).unwrap();
    let cluster = |name: &str, zone: &str| Cluster {
        name: name.into(),
        zones: vec![zone.to_owned()],
        available: Some(9),
        ..Cluster::default()
    };
    let clusters = [cluster("a", "z1"), cluster("b", "z1"), cluster("c", "z2")];
    let resource = Resource { replicas: 4, requirements: true, ..Resource::default() };
    let decision = decide(&policies.placements[0].placement, &resource, &clusters, &State::default());
    // Without the count, the two first by name would be taken.
    assert_eq!(decision.outcome, Ok(vec![(0, 2), (2, 2)]));
}

#[test]
fn the_example_shows_every_key() {
    let mut known = BTreeSet::new();
    keys_of_shape(keys::DOCUMENT, "", &mut known);
    // What is written alike in several places is shown once.
    known.retain(|k| {
        ![".overrides.resources.", ".overrides.text.patch.", ".overrides.command."].iter().any(|p| k.starts_with(p))
    });
    let mut shown = BTreeSet::new();
    for node in yaml::read(EXAMPLE, &Source::new(SourceKind::Policy, "p")).unwrap() {
        for (path, _) in node.leaves() {
            let mut so_far = String::new();
            for step in &path.0 {
                if let crate::desired::path::Step::Key(key) = step {
                    so_far.push('.');
                    so_far.push_str(key);
                    shown.insert(so_far.clone());
                }
            }
        }
    }
    let missing: Vec<&String> = known.difference(&shown).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
