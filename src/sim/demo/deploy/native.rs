//! Our own policies: for the systems that Karmada does not place, and for what holds in the whole fleet.

use serde_json::{Value, json};

use super::{
    File,
    division::{self, Division, Together},
    is_karmada, yaml,
};
use crate::sim::{
    demo::{
        clusters::CLUSTERS,
        local::MIRROR,
        manifests,
        services::{SERVICES, Service, Shape, System},
    },
    kinds,
};

/// Every file.
pub fn files() -> Vec<File> {
    let mut files = vec![file("fleet", &fleet()), file("namespaces", &namespaces())];
    for system in System::ALL.iter().filter(|s| !is_karmada(**s)) {
        files.push(file(system.namespace(), &of_system(*system)));
    }
    files
}

fn file(name: &str, policies: &[Value]) -> File {
    File { path: format!("deploy/policies/quarterdeck/{name}.yaml"), text: yaml::documents(policies) }
}

fn policy(name: &str, resources: Vec<Value>) -> Value {
    json!({"apiVersion": "quarterdeck.dev/v1alpha1", "kind": "Policy", "metadata": {"name": name}, "resources": resources})
}

fn kind(rid: kinds::Rid) -> String {
    kinds::table().get(rid.index()).map(|r| r.kind.clone()).unwrap_or_default()
}

fn object(rid: kinds::Rid, system: System, name: &str) -> Value {
    let mut object = json!({"kind": kind(rid), "namespace": system.namespace()});
    if !name.is_empty() {
        object["name"] = json!(name);
    }
    object
}

/// The clusters of a system, less some.
fn choice(system: System, absent: &[&str]) -> Value {
    let mut choice = match system {
        System::Platform => json!({}),
        System::Edge => json!({"environment": ["edge", "dev"]}),
        System::Data => json!({"environment": ["!edge"], "exclude": ["ap-northeast-1-prod"]}),
        System::Risk => json!({"names": ["cn-*", "staging"]}),
        System::Payments | System::Storefront | System::Customer | System::Logistics => {
            json!({"environment": ["!edge"]})
        }
    };
    if !absent.is_empty() {
        let listed = choice["exclude"].as_array().cloned().unwrap_or_default();
        choice["exclude"] = json!([listed, absent.iter().map(|a| json!(a)).collect::<Vec<_>>()].concat());
    }
    choice
}

/// The grounds of all systems.
fn namespaces() -> Vec<Value> {
    let one = |system: &System| {
        let resources = vec![json!({"kind": "Namespace", "name": system.namespace()})];
        let mut policy = policy(&format!("namespace-{}", system.namespace()), resources);
        policy["placement"] = json!({"clusters": choice(*system, &[])});
        policy
    };
    System::ALL.iter().map(one).collect()
}

/// What differs between clusters whatever the service, for the systems that Karmada does not place.
fn fleet() -> Vec<Value> {
    let mut kinds: Vec<Value> = Vec::new();
    for service in SERVICES.iter().filter(|s| !is_karmada(s.system)) {
        let kind = object(manifests::rid(service.shape), service.system, "");
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let region =
        |region: &str| json!({"name": region, "clusters": {"region": [region]}, "env": [{"set": {"REGION": region}}]});
    let mut regions = policy("region", kinds.clone());
    regions["#"] = json!("Every container knows where it runs.");
    regions["overrides"] = json!(division::regions(CLUSTERS).into_iter().map(region).collect::<Vec<_>>());
    let mut rest = policy("environment", kinds);
    rest["#"] = json!("Karmada's policies say the same for the systems that it places.");
    rest["overrides"] = json!([
        {"name": "registry-cn", "clusters": {"names": ["cn-*"]}, "images": [{"registry": MIRROR}]},
        {"name": "log-level", "clusters": {"environment": ["dev"]}, "env": [{"set": {"LOG_LEVEL": "debug"}}]},
    ]);
    vec![regions, rest]
}

fn of_system(system: System) -> Vec<Value> {
    let groups = Together::all(system);
    let mut all: Vec<Value> = groups.iter().map(|t| workloads(system, t)).collect();
    let resources = vec![object(kinds::SERVICES, system, ""), object(kinds::CONFIGMAPS, system, "")];
    let mut configuration = policy(&format!("{}-configuration", system.namespace()), resources);
    configuration["placement"] = json!({"clusters": choice(system, &[])});
    all.push(configuration);
    for together in groups.iter().filter(|t| !t.absent.is_empty()) {
        all.push(configuration_of(system, together));
    }
    all.extend(production(system));
    all
}

/// Where a group of services goes, and what differs there.
fn workloads(system: System, together: &Together) -> Value {
    let resources = together.services.iter().map(|s| object(manifests::rid(s.shape), system, s.name)).collect();
    let mut policy = policy(&together.name(system), resources);
    let replicas = match together.division {
        Division::Same => json!({"mode": "duplicated"}),
        Division::Room => json!({"mode": "capacity"}),
        Division::Weighted | Division::Homes => {
            let weights = division::weights(&together.clusters());
            let weight =
                |(size, weight): &(&str, i64)| json!({"clusters": {"labels": {"size": [size]}}, "weight": weight});
            json!({"mode": "weighted", "weights": weights.iter().map(weight).collect::<Vec<_>>()})
        }
    };
    policy["placement"] = json!({"clusters": choice(system, &together.absent), "replicas": replicas});
    let rules: Vec<Value> = together.services.iter().flat_map(|s| of_service(s)).collect();
    if !rules.is_empty() {
        policy["overrides"] = json!(rules);
    }
    policy
}

/// Replicas by size, tags and numbers of single clusters.
fn of_service(service: &Service) -> Vec<Value> {
    let workload = json!([object(manifests::rid(service.shape), service.system, service.name)]);
    let mut rules = Vec::new();
    if Division::of(service) == Division::Same && division::has_replicas(service) {
        for (size, n) in division::by_size(service, &division::clusters(service)) {
            rules.push(json!({"name": format!("{}-{size}", service.name), "clusters": {"labels": {"size": [size]}},
                "resources": workload, "merge": {"spec": {"replicas": n}}}));
        }
    }
    for (cluster, tag) in division::tags(service) {
        rules.push(
            json!({"name": format!("{}-version-{}", service.name, cluster.alias), "clusters": {"names": [cluster.name]},
            "resources": workload, "images": [{"container": service.name, "tag": tag}],
            "labels": {"set": {"app.kubernetes.io/version": tag}},
            "patch": [{"op": "replace", "path": label(service), "value": tag}]}),
        );
    }
    for (cluster, n) in division::numbers(service) {
        rules.push(
            json!({"name": format!("{}-number-{}", service.name, cluster.alias), "clusters": {"names": [cluster.name]},
            "resources": workload, "merge": {"spec": {"replicas": n}}}),
        );
    }
    rules
}

/// The label of the pods that tells the version.
fn label(service: &Service) -> &'static str {
    match service.shape {
        Shape::CronJob(_) => "/spec/jobTemplate/spec/template/metadata/labels/app.kubernetes.io~1version",
        _ => "/spec/template/metadata/labels/app.kubernetes.io~1version",
    }
}

/// Service and configuration of services that are not everywhere.
fn configuration_of(system: System, together: &Together) -> Value {
    let mut resources = Vec::new();
    for service in &together.services {
        if manifests::is_called(service) {
            resources.push(object(kinds::SERVICES, system, service.name));
        }
        resources.push(object(kinds::CONFIGMAPS, system, &format!("{}-config", service.name)));
    }
    let mut policy = policy(&format!("{}-configuration", together.name(system)), resources);
    policy["placement"] = json!({"clusters": choice(system, &together.absent)});
    policy
}

/// Budgets and autoscalers: in production, where the service is.
fn production(system: System) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for together in Together::all(system) {
        let mut resources = Vec::new();
        let mut rules = Vec::new();
        for service in &together.services {
            if manifests::is_guarded(service) {
                resources.push(object(kinds::PDBS, system, service.name));
            }
            if manifests::is_scaled(service) {
                resources.push(object(kinds::HPAS, system, service.name));
                rules.extend(bounds(service));
            }
        }
        if resources.is_empty() {
            continue;
        }
        let mut policy = policy(&format!("{}-production", together.name(system)), resources);
        let mut clusters = json!({"environment": ["prod"]});
        let base = choice(system, &together.absent);
        if let Some(exclude) = base.get("exclude") {
            clusters["exclude"] = exclude.clone();
        }
        policy["placement"] = json!({"clusters": clusters});
        if !rules.is_empty() {
            policy["overrides"] = json!(rules);
        }
        all.push(policy);
    }
    all
}

/// The bounds of an autoscaler by size.
fn bounds(service: &Service) -> Vec<Value> {
    let scaler = json!([object(kinds::HPAS, service.system, service.name)]);
    let rule = |(size, n): &(&str, i64)| {
        let (least, most) = manifests::bounds(*n);
        json!({"name": format!("{}-bounds-{size}", service.name), "clusters": {"labels": {"size": [size]}}, "resources": scaler,
            "merge": {"spec": {"minReplicas": least, "maxReplicas": most}}})
    };
    division::scaled_by_size(service).iter().map(rule).collect()
}
