//! Errors name line and field; the schema and the parser know the same keys; the example is right.

use super::*;
use crate::{messages::Lang, render::SourceSpec};

const EXAMPLE: &str = include_str!("../../../config/fleet.example.yaml");
const SCHEMA: &str = include_str!("../../../config/fleet.schema.json");

fn errors(content: &str) -> Vec<String> {
    let faults = parse(Path::new("fleet.yaml"), content).err().unwrap_or_default();
    faults.iter().map(|f| f.problem(Lang::En)).map(|p| format!("{} {}: {}", p.place, p.field, p.text)).collect()
}

#[test]
fn errors_name_line_and_field_and_all_are_told() {
    let content = "\
name: f
clusters:
  - name: eu
    enviroment: prod
    labels: [a]
    onboarded: yesterday
  - alias: eu
    monitoring: grafana
settings:
  color: alwyas
  mouse: maybe
watch:
  skip: [event, nonsense]
colour: blue
services:
  - selector: a=b
  - {name: x, selector: 'a in (b'}
columns:
  fleet: [name, regoin]
  pods: [ready, age, statsu]
  widgets.example.org: [status]
  deploymnets: [ready]
";
    let errors = errors(content);
    for want in [
        "fleet.yaml:4 clusters[0].enviroment: unknown key enviroment; did you mean environment?",
        "fleet.yaml:5 clusters[0].labels: a map with keys is expected here",
        "fleet.yaml:6 clusters[0].onboarded: yesterday is no day",
        "fleet.yaml:7 clusters[1]: the key name is missing",
        "fleet.yaml:7 clusters[1].alias: eu is already used as a name or alias in line 3",
        "fleet.yaml:8 clusters[1].monitoring: grafana is no address",
        "fleet.yaml:10 settings.color: alwyas is not known here; did you mean always?",
        "fleet.yaml:11 settings.mouse: true or false is expected here",
        "fleet.yaml:13 watch.skip[0]: event is not known here; did you mean events?",
        "fleet.yaml:13 watch.skip[1]: nonsense is not a built-in kind",
        "fleet.yaml:14 colour: unknown key colour; the keys here are: name, only,",
        "fleet.yaml:16 services[0]: the key name is missing",
        "fleet.yaml:17 services[1].selector: a in (b is no label selector",
        "fleet.yaml:19 columns.fleet[1]: regoin is not known here; did you mean region?",
        "fleet.yaml:20 columns.pods[2]: statsu is not known here; did you mean status?",
        "fleet.yaml:21 columns.widgets.example.org: no screen with columns is called widgets.example.org; write",
        "fleet.yaml:22 columns.deploymnets: no screen with columns is called deploymnets; did you mean deployments?",
    ] {
        assert!(errors.iter().any(|e| e.starts_with(want)), "{want}\nin {errors:#?}");
    }
    assert_eq!(errors.len(), 17, "{errors:#?}");
}

#[test]
fn broken_yaml_names_its_line() {
    let errors = errors("name: f\nclusters: [\n  {name: a\n");
    assert!(
        errors.len() == 1 && errors[0].starts_with("fleet.yaml:") && errors[0].contains("not valid YAML"),
        "{errors:?}"
    );
}

#[test]
fn defaults_hold_where_the_cluster_says_nothing() {
    let content = "\
defaults: {team: sre, tier: 1, labels: {a: x, b: x}, contacts: [{name: rota}]}
clusters:
  - {name: one, zone: z1, labels: {b: y}, tier: '2'}
  - {name: two, context: other, contacts: []}
groups:
  important: {tier: [1], labels: {a: [x, y]}}
";
    let file = parse(Path::new("f"), content).unwrap();
    let (one, two) = (&file.clusters[0], &file.clusters[1]);
    assert_eq!((one.team.as_str(), one.tier.as_str(), two.tier.as_str()), ("sre", "2", "1"));
    assert_eq!(one.zones, vec!["z1"]);
    assert_eq!(one.labels.get("a").map(String::as_str), Some("x"));
    assert_eq!(one.labels.get("b").map(String::as_str), Some("y"));
    assert_eq!((one.context.as_str(), two.context.as_str()), ("one", "other"));
    assert_eq!((one.contacts.len(), two.contacts.len()), (1, 0));
    let important = &file.groups["important"];
    assert!(important.fits(two) && !important.fits(one));
    assert!(!Selector::default().fits(one), "an empty selector chooses nothing");
}

/// Every key of the example, as a set of `parent.key` paths without indexes and without keys of the writer's choice.
fn keys_of(node: &yaml::Node, path: &str, free: bool, out: &mut std::collections::BTreeSet<String>) {
    for item in node.items() {
        keys_of(item, path, free, out);
    }
    for (key, value) in node.entries() {
        let path = if free { format!("{path}.*") } else { format!("{path}.{}", key.name) };
        let free_below = !free && matches!(key.name.as_str(), "groups" | "environments" | "columns" | "labels" | "set");
        out.insert(path.clone());
        keys_of(value, &path, free_below, out);
    }
}

fn keys_of_schema(schema: &serde_json::Value, path: &str, out: &mut std::collections::BTreeSet<String>) {
    if let Some(items) = schema.get("items") {
        keys_of_schema(items, path, out);
    }
    if let Some(free) = schema.get("additionalProperties").filter(|f| f.is_object()) {
        out.insert(format!("{path}.*"));
        keys_of_schema(free, &format!("{path}.*"), out);
    }
    for (key, value) in schema.get("properties").and_then(|p| p.as_object()).into_iter().flatten() {
        let path = format!("{path}.{key}");
        out.insert(path.clone());
        keys_of_schema(value, &path, out);
    }
}

#[test]
fn the_published_schema_is_that_of_the_parser() {
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/config/fleet.schema.json"), schema()).unwrap();
    }
    assert!(SCHEMA == schema(), "run the test with UPDATE_SCHEMA=1 and commit config/fleet.schema.json");
}

#[test]
fn the_example_parses_and_shows_every_key() {
    let file = parse(Path::new("fleet.example.yaml"), EXAMPLE).map_err(|f| format!("{f:?}")).unwrap();
    assert!(!file.clusters.is_empty() && !file.services.rules.is_empty());
    let (mut shown, mut known) = Default::default();
    keys_of(&yaml::parse(EXAMPLE).unwrap(), "", false, &mut shown);
    keys_of_schema(&serde_json::from_str(SCHEMA).unwrap(), "", &mut known);
    // The defaults share the keys of the clusters; the example shows each once.
    known.retain(|k| !k.starts_with(".defaults."));
    shown.retain(|k| !k.starts_with(".defaults."));
    assert_eq!(shown, known);
}

#[test]
fn desired_state_is_read_with_its_places_and_told_where_it_is_wrong() {
    let content = "\
desired:
  services:
  - name: web
    namespace: shop
    sources:
    - {kustomize: overlays/prod, clusters: {environment: [prod], region: ['!cn-*']}}
    - helm: charts/web
      values: [a.yaml]
      perCluster: values/{cluster}.yaml
      set: {n: 2}
      repository: ../deploy
      revision: v1
  policies: [policies, /etc/p.yaml]
  hub: {cluster: hub-1}
";
    let file = parse(Path::new("/fleet/fleet.yaml"), content).map_err(|f| format!("{f:?}")).unwrap();
    let service = &file.desired.services[0];
    assert_eq!((service.name.as_str(), service.place.line), ("web", 3));
    let cluster = |name: &str, environment: &str, region: &str| crate::desired::cluster::Cluster {
        name: name.into(),
        environment: environment.into(),
        region: region.into(),
        ..Default::default()
    };
    let line = |c| service.source_for(&c).map(|s| s.place.line);
    assert_eq!(line(cluster("a", "prod", "eu-1")), Some(6));
    assert_eq!(line(cluster("a", "prod", "cn-1")), Some(7));
    let helm = &service.sources[1];
    let SourceSpec::Helm { chart, release, namespace, values, set } = &helm.spec else { panic!("{helm:?}") };
    assert_eq!(
        (chart.as_path(), values[0].as_path()),
        (Path::new("/fleet/../deploy/charts/web"), Path::new("/fleet/../deploy/a.yaml"))
    );
    let set_at = set.get("n").and_then(|n| n.origin.at()).map(|at| at.to_string());
    assert_eq!(
        (release.as_str(), namespace.as_str(), set.to_json(), set_at.as_deref()),
        ("web", "shop", serde_json::json!({"n": 2}), Some("fleet.yaml:10"))
    );
    assert_eq!(helm.values_of("eu").unwrap(), Path::new("/fleet/../deploy/values/eu.yaml"));
    let paths: Vec<&Path> = file.desired.policies.iter().map(|p| p.path.as_path()).collect();
    assert_eq!(paths, [Path::new("/fleet/policies"), Path::new("/etc/p.yaml")]);
    assert_eq!(file.desired.hub.map(|h| (h.cluster, h.place.line)), Some(("hub-1".into(), 14)));

    for (wrong, want) in [
        ("{name: a, sources: []}", ":3 desired.services[0].sources: a service needs at least one source"),
        ("{name: a}", ":3 desired.services[0]: the key sources is missing"),
        (
            "{name: a, sources: [{plain: x, helm: y}]}",
            ":3 desired.services[0].sources[0]: a source is one of plain, kustomize and helm; this one has 2",
        ),
        (
            "{name: a, sources: [{plain: x, values: y}]}",
            ":3 desired.services[0].sources[0].values: values belongs to a helm source",
        ),
        (
            "{name: a, sources: [{plain: x, clusters: {regoin: y}}]}",
            ":3 desired.services[0].sources[0].clusters.regoin: unknown key regoin; did you mean region?",
        ),
        (
            "{name: a, sources: [{plain: x, clusters: {region: []}}]}",
            ":3 desired.services[0].sources[0].clusters.region: no value stands here",
        ),
        (
            "{name: a, sources: [{helm: x, perCluster: y}]}",
            ":3 desired.services[0].sources[0].perCluster: y holds no {cluster}",
        ),
        (
            "{name: a, sources: [{plain: x}, {plain: y}]}",
            ":3 desired.services[0].sources[1]: the source in line 3 fits every cluster",
        ),
        ("{name: a, sources: [~]}", ":3 desired.services[0].sources[0]: this item is empty"),
    ] {
        let told = errors(&format!("desired:\n  services:\n  - {wrong}\n"));
        assert!(told.iter().any(|e| e.starts_with(&format!("fleet.yaml{want}"))), "{want}\nin {told:#?}");
    }
    let twice =
        errors("desired:\n  services:\n  - {name: a, sources: [{plain: x}]}\n  - {name: a, sources: [{plain: x}]}\n");
    assert!(
        twice[0].starts_with("fleet.yaml:4 desired.services[1].name: service a is already described in line 3"),
        "{twice:?}"
    );
}
