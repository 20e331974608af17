//! Karmada's policies, for the systems that it places.

use serde_json::{Value, json};

use super::{
    File,
    division::{self, ABROAD, Division, Together},
    is_karmada, yaml,
};
use crate::sim::{
    demo::{
        clusters::{CLUSTERS, Cluster},
        local::MIRROR,
        manifests,
        services::{Service, Shape, System},
    },
    kinds,
};

const API_VERSION: &str = "policy.karmada.io/v1alpha1";
const TAG: &str = "/spec/template/metadata/labels/app.kubernetes.io~1version";
/// The first variable of the first container is the log level, the second is the region.
const LEVEL: &str = "/spec/template/spec/containers/0/env/0/value";
const REGION: &str = "/spec/template/spec/containers/0/env/1/value";

/// Every file.
pub fn files() -> Vec<File> {
    let systems = || System::ALL.iter().copied().filter(|s| is_karmada(*s));
    let mut files = Vec::new();
    for system in systems() {
        files.push(file(&format!("{}-placement", system.namespace()), &placements(system)));
        files.push(file(&format!("{}-overrides", system.namespace()), &overrides(system)));
    }
    files.push(file("registry-cn", &mirrors(&systems().collect::<Vec<_>>())));
    files
}

fn file(name: &str, policies: &[Value]) -> File {
    File { path: format!("deploy/policies/karmada/{name}.yaml"), text: yaml::documents(policies) }
}

fn policy(kind: &str, namespace: &str, name: &str, selectors: Vec<Value>) -> Value {
    let mut policy = json!({"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name},
        "spec": {"resourceSelectors": selectors}});
    if !namespace.is_empty() {
        policy["metadata"]["namespace"] = json!(namespace);
    }
    policy
}

/// A kind, and one object of it where a name is given.
fn selector(rid: kinds::Rid, name: &str) -> Value {
    let table = kinds::table();
    let mut selector = match table.get(rid.index()) {
        Some(r) => json!({"apiVersion": r.api_version(r.preferred()), "kind": r.kind}),
        None => json!({}),
    };
    if !name.is_empty() {
        selector["name"] = json!(name);
    }
    selector
}

fn workload(service: &Service) -> Value {
    selector(manifests::rid(service.shape), service.name)
}

/// Who goes where.
fn placements(system: System) -> Vec<Value> {
    let mut all: Vec<Value> = Together::all(system).iter().map(|t| workloads(system, t)).collect();
    all.push(configuration(system));
    let guarded = division::of_system(system).any(manifests::is_guarded);
    let scaled = division::of_system(system).any(manifests::is_scaled);
    let kinds = [(guarded, kinds::PDBS), (scaled, kinds::HPAS)];
    let selectors: Vec<Value> = kinds.iter().filter(|(is, _)| *is).map(|(_, rid)| selector(*rid, "")).collect();
    if !selectors.is_empty() {
        let production: Vec<&Cluster> = of(system).into_iter().filter(|c| c.environment == "prod").collect();
        let mut policy =
            policy("PropagationPolicy", system.namespace(), &format!("{}-production", system.namespace()), selectors);
        policy["spec"]["placement"] = json!({"clusterAffinity": affinity(&production)});
        all.push(policy);
    }
    all
}

fn of(system: System) -> Vec<&'static Cluster> {
    CLUSTERS.iter().filter(|c| system.runs_in(c.name, c.environment)).collect()
}

/// Clusters by label where labels tell them, else by name.
fn affinity(clusters: &[&Cluster]) -> Value {
    let same = |wanted: &dyn Fn(&Cluster) -> bool| {
        let all: Vec<&str> = CLUSTERS.iter().filter(|c| wanted(c)).map(|c| c.name).collect();
        all == clusters.iter().map(|c| c.name).collect::<Vec<_>>()
    };
    if same(&|c| c.environment == "prod") {
        return json!({"labelSelector": {"matchLabels": {"environment": "prod"}}});
    }
    if same(&|c| c.environment != "edge") {
        let not_edge = json!({"key": "environment", "operator": "NotIn", "values": ["edge"]});
        return json!({"labelSelector": {"matchExpressions": [not_edge]}});
    }
    json!({"clusterNames": clusters.iter().map(|c| c.name).collect::<Vec<_>>()})
}

fn workloads(system: System, together: &Together) -> Value {
    let space = system.namespace();
    let selectors = together.services.iter().map(|s| workload(s)).collect();
    let mut policy = policy("PropagationPolicy", space, &together.name(system), selectors);
    let clusters = together.clusters();
    let mut placement = json!({"clusterAffinity": affinity(&clusters)});
    match together.division {
        Division::Weighted => placement["replicaScheduling"] = weighted(&clusters),
        Division::Homes => {
            policy["#"] = json!("At home as long as one of its clusters is there; then abroad.");
            let mut home = affinity(&clusters);
            home["affinityName"] = json!("home");
            let abroad = CLUSTERS.iter().filter(|c| ABROAD.contains(&c.name));
            let both: Vec<&Cluster> = clusters.iter().copied().chain(abroad).collect();
            placement = json!({"clusterAffinities": [home, {"affinityName": "abroad", "clusterNames": ABROAD}],
                "replicaScheduling": weighted(&both)});
        }
        Division::Room => {
            policy["#"] = json!("Where there is room. What runs stays where it is as long as the number is right.");
            placement["replicaScheduling"] = json!({"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
                "weightPreference": {"dynamicWeight": "AvailableReplicas"}});
        }
        Division::Same => placement["replicaScheduling"] = json!({"replicaSchedulingType": "Duplicated"}),
    }
    if system == System::Storefront && together.division == Division::Weighted {
        placement["#spreadConstraints"] = json!("The shop needs no more than eight clusters.");
        placement["spreadConstraints"] = json!([{"spreadByField": "cluster", "minGroups": 2, "maxGroups": 8}]);
    }
    policy["spec"]["placement"] = placement;
    if system == System::Risk {
        policy["spec"]["#propagateDeps"] = json!("Its ConfigMaps go where the workloads go.");
        policy["spec"]["propagateDeps"] = json!(true);
    }
    policy
}

fn weighted(clusters: &[&Cluster]) -> Value {
    let weight = |(size, weight): &(&str, i64)| json!({"targetCluster": {"labelSelector": {"matchLabels": {"size": size}}}, "weight": weight});
    let list: Vec<Value> = division::weights(clusters).iter().map(weight).collect();
    json!({"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted", "weightPreference": {"staticWeightList": list}})
}

/// Services and configuration: wherever the system is.
fn configuration(system: System) -> Value {
    let mut selectors = vec![selector(kinds::SERVICES, "")];
    if system != System::Risk {
        selectors.push(selector(kinds::CONFIGMAPS, ""));
    }
    let name = format!("{}-configuration", system.namespace());
    let mut policy = policy("PropagationPolicy", system.namespace(), &name, selectors);
    policy["spec"]["placement"] = json!({"clusterAffinity": affinity(&of(system))});
    policy
}

/// What differs, in the order of precedence: the most exact selector wins.
fn overrides(system: System) -> Vec<Value> {
    let mut all: Vec<Value> = division::of_system(system).flat_map(of_service).collect();
    all.extend(variables(system));
    if system == System::Storefront {
        all.push(forgotten(system));
    }
    all
}

/// The overrides of one service: replicas by size, tags and numbers of single clusters, the bounds of its autoscaler.
fn of_service(service: &Service) -> Vec<Value> {
    let space = service.system.namespace();
    let mut rules = Vec::new();
    if Division::of(service) == Division::Same && division::has_replicas(service) {
        for (size, n) in division::by_size(service, &division::clusters(service)) {
            rules.push(rule(&by_size(size), json!({"plaintext": [replace("/spec/replicas", &json!(n))]})));
        }
    }
    for (cluster, tag) in division::tags(service) {
        rules.push(rule(&json!({"clusterNames": [cluster.name]}), tagged(tag)));
    }
    for (cluster, n) in division::numbers(service) {
        let mut rule = rule(
            &json!({"clusterNames": [cluster.name]}),
            json!({"plaintext": [replace("/spec/replicas", &json!(n))]}),
        );
        rule["#"] = json!("More than its share, until the sale is over.");
        rules.push(rule);
    }
    let mut all = Vec::new();
    if !rules.is_empty() {
        let mut policy = policy("OverridePolicy", space, service.name, vec![workload(service)]);
        policy["spec"]["overrideRules"] = json!(rules);
        all.push(policy);
    }
    if manifests::is_scaled(service) {
        let bounds = |(size, n): &(&str, i64)| {
            let (least, most) = manifests::bounds(*n);
            let values = [replace("/spec/minReplicas", &json!(least)), replace("/spec/maxReplicas", &json!(most))];
            rule(&by_size(size), json!({"plaintext": values}))
        };
        let rules: Vec<Value> = division::scaled_by_size(service).iter().map(bounds).collect();
        let name = format!("{}-autoscaler", service.name);
        let mut policy = policy("OverridePolicy", space, &name, vec![selector(kinds::HPAS, service.name)]);
        policy["spec"]["overrideRules"] = json!(rules);
        all.push(policy);
    }
    all
}

fn rule(target: &Value, overriders: Value) -> Value {
    json!({"targetCluster": target, "overriders": overriders})
}

fn by_size(size: &str) -> Value {
    json!({"labelSelector": {"matchLabels": {"size": size}}})
}

fn replace(path: &str, value: &Value) -> Value {
    json!({"path": path, "operator": "replace", "value": value})
}

/// Another tag: in the image and in the labels that tell the version.
fn tagged(tag: &str) -> Value {
    json!({
        "imageOverrider": [{"component": "Tag", "operator": "replace", "value": tag,
            "predicate": {"path": "/spec/template/spec/containers/0/image"}}],
        "labelsOverrider": [{"operator": "replace", "value": {"app.kubernetes.io/version": tag}}],
        "plaintext": [replace(TAG, &json!(tag))],
    })
}

/// Variables that differ between clusters. The way to the container differs between kinds, and a path that is not there is an
/// error.
fn variables(system: System) -> Vec<Value> {
    let target = |key: &str, value: &str| match key {
        "environment" => json!({"labelSelector": {"matchLabels": {"environment": value}}}),
        _ => json!({"fieldSelector": {"matchExpressions": [{"key": "region", "operator": "In", "values": [value]}]}}),
    };
    let clusters = of(system);
    let regions = division::regions(clusters.iter().copied());
    let regions: Vec<(&str, &str, &str)> = regions.into_iter().map(|r| ("region", r, r)).collect();
    let dev = clusters.iter().filter(|c| c.environment == "dev").map(|_| ("environment", "dev", "debug")).collect();
    let mut all = Vec::new();
    for (name, path, values) in [("log-level", LEVEL, dev), ("region", REGION, regions)] {
        for (suffix, scheduled) in [("", false), ("-cronjobs", true)] {
            let path = if scheduled { path.replacen("/spec", "/spec/jobTemplate/spec", 1) } else { path.to_owned() };
            let is = |s: &Service| matches!(s.shape, Shape::CronJob(_)) == scheduled;
            let selectors = kinds_of(&[system], is, false);
            let one = |(key, value, said): &(&str, &str, &str)| {
                rule(&target(key, value), json!({"plaintext": [replace(&path, &json!(said))]}))
            };
            let rules: Vec<Value> = values.iter().map(one).collect();
            if selectors.is_empty() || rules.is_empty() {
                continue;
            }
            let mut policy = policy("OverridePolicy", system.namespace(), &format!("{name}{suffix}"), selectors);
            policy["spec"]["overrideRules"] = json!(rules);
            all.push(policy);
        }
    }
    all
}

/// The kinds of some services' workloads, each once.
fn kinds_of(systems: &[System], wanted: impl Fn(&Service) -> bool, with_namespace: bool) -> Vec<Value> {
    let mut selectors: Vec<Value> = Vec::new();
    for system in systems {
        for service in division::of_system(*system).filter(|s| wanted(s)) {
            let mut selector = selector(manifests::rid(service.shape), "");
            if with_namespace {
                selector["namespace"] = json!(system.namespace());
            }
            if !selectors.contains(&selector) {
                selectors.push(selector);
            }
        }
    }
    selectors
}

/// A policy's name, the services it is for, and the path of the image where Karmada does not find it by itself.
type Way<'a> = (&'static str, &'a dyn Fn(&Service) -> bool, &'static str);

/// In China images come from a mirror. Karmada finds the containers of the kinds that it knows; in others they are shown to it.
fn mirrors(systems: &[System]) -> Vec<Value> {
    let known = |s: &Service| matches!(s.shape, Shape::Deployment | Shape::StatefulSet | Shape::DaemonSet);
    let scheduled = |s: &Service| matches!(s.shape, Shape::CronJob(_));
    let ways: [Way<'_>; 3] = [
        ("registry-cn", &known, ""),
        ("registry-cn-cronjobs", &scheduled, "/spec/jobTemplate/spec/template/spec/containers/0/image"),
        ("registry-cn-others", &|s| !known(s) && !scheduled(s), "/spec/template/spec/containers/0/image"),
    ];
    let target = json!({"clusterNames": CLUSTERS.iter().filter(|c| c.name.starts_with("cn-")).map(|c| c.name).collect::<Vec<_>>()});
    let mut all = Vec::new();
    for (name, wanted, path) in ways {
        let selectors = kinds_of(systems, wanted, true);
        let mut image = json!({"component": "Registry", "operator": "replace", "value": MIRROR});
        if !path.is_empty() {
            image["predicate"] = json!({"path": path});
        }
        let mut policy = policy("ClusterOverridePolicy", "", name, selectors);
        policy["spec"]["overrideRules"] = json!([rule(&target, json!({"imageOverrider": [image]}))]);
        all.push(policy);
    }
    all
}

/// An override for a workload that is long gone.
fn forgotten(system: System) -> Value {
    let selectors = vec![selector(kinds::DEPLOYMENTS, "web-blackfriday")];
    let mut policy = policy("OverridePolicy", system.namespace(), "web-blackfriday", selectors);
    policy["#"] = json!("For the sale of November.");
    let busy = json!({"labelSelector": {"matchLabels": {"size": "xl"}}});
    policy["spec"]["overrideRules"] =
        json!([rule(&busy, json!({"plaintext": [replace("/spec/replicas", &json!(24))]}))]);
    policy
}
