//! Discovery: `/api`, `/apis`, their aggregated form, and the list of resources of a group version.

use std::{collections::BTreeMap, sync::Arc};

use http::HeaderMap;
use serde_json::{Value, json};

use super::{
    answer::{self, Answer},
    error::ApiError,
    kinds::{self, Resource},
    store::ClusterStore,
};

/// Answers a discovery path; `None` for other paths.
pub fn answer(store: &ClusterStore, path: &str, headers: &HeaderMap) -> Option<Result<Answer, ApiError>> {
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    let aggregated = aggregated(headers);
    match parts.as_slice() {
        ["api"] if aggregated.is_some() => Some(Ok(aggregate(store, true, aggregated.unwrap_or_default()))),
        ["apis"] if aggregated.is_some() => Some(Ok(aggregate(store, false, aggregated.unwrap_or_default()))),
        ["api"] => Some(Ok(answer::json(
            200,
            &json!({
                "kind": "APIVersions", "versions": ["v1"],
                "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"}],
            }),
        ))),
        ["apis"] => {
            let groups: Vec<Value> =
                groups(store).iter().filter(|(g, _)| !g.is_empty()).map(|(g, r)| group(g, r)).collect();
            Some(Ok(answer::json(200, &json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))))
        }
        ["apis", name] => Some(group_document(store, name)),
        ["api", version] => Some(resource_list(store, "", version)),
        ["apis", group, version] => Some(resource_list(store, group, version)),
        _ => None,
    }
}

/// Version of the aggregated form that is asked for first.
fn aggregated(headers: &HeaderMap) -> Option<&'static str> {
    let accept = headers.get(http::header::ACCEPT)?.to_str().ok()?;
    let json = |clause: &&str| {
        clause.trim_start().starts_with("application/json") && clause.contains("as=APIGroupDiscoveryList")
    };
    let clause = accept.split(',').find(json)?;
    Some(if clause.contains("v=v2beta1") { "v2beta1" } else { "v2" })
}

/// Served resources by group, in the order in which a server lists groups.
fn groups(store: &ClusterStore) -> BTreeMap<String, Vec<Arc<Resource>>> {
    let mut groups: BTreeMap<String, Vec<Arc<Resource>>> = BTreeMap::new();
    for resource in store.resources().iter().filter(|r| r.served) {
        groups.entry(resource.group.clone()).or_default().push(Arc::clone(resource));
    }
    for resources in groups.values_mut() {
        resources.sort_by(|a, b| a.plural.cmp(&b.plural));
    }
    groups.entry("authorization.k8s.io".into()).or_default();
    groups.entry("authentication.k8s.io".into()).or_default();
    groups
}

/// Versions of a group, preferred first.
fn versions(group: &str, resources: &[Arc<Resource>]) -> Vec<String> {
    if matches!(group, "authorization.k8s.io" | "authentication.k8s.io") {
        return vec!["v1".into()];
    }
    let mut all: Vec<String> = Vec::new();
    for version in resources.iter().flat_map(|r| &r.versions) {
        if !all.contains(version) {
            all.push(version.clone());
        }
    }
    all
}

fn group(name: &str, resources: &[Arc<Resource>]) -> Value {
    let versions: Vec<Value> = versions(name, resources)
        .iter()
        .map(|v| json!({"groupVersion": format!("{name}/{v}"), "version": v}))
        .collect();
    json!({"name": name, "versions": versions, "preferredVersion": versions.first()})
}

fn group_document(store: &ClusterStore, name: &str) -> Result<Answer, ApiError> {
    let groups = groups(store);
    let resources = groups.get(name).filter(|_| !name.is_empty()).ok_or_else(ApiError::no_such_path)?;
    let mut document = group(name, resources);
    document["kind"] = json!("APIGroup");
    document["apiVersion"] = json!("v1");
    Ok(answer::json(200, &document))
}

/// Verbs of a resource.
fn verbs(resource: &Resource) -> Vec<&'static str> {
    if resource.group == "metrics.k8s.io" {
        return vec!["get", "list"];
    }
    vec!["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
}

/// Subresources: name, kind as group/version/kind, verbs.
fn subresources(resource: &Resource) -> Vec<(&'static str, [String; 3], Vec<&'static str>)> {
    let own = || [resource.group.clone(), resource.preferred().to_owned(), resource.kind.clone()];
    let kind = |g: &str, v: &str, k: &str| [g.to_owned(), v.to_owned(), k.to_owned()];
    let mut all = Vec::new();
    if resource.scale {
        all.push(("scale", kind("autoscaling", "v1", "Scale"), vec!["get", "patch", "update"]));
    }
    if resource.status {
        all.push(("status", own(), vec!["get", "patch", "update"]));
    }
    match resource.rid {
        kinds::PODS => {
            all.push(("binding", kind("", "v1", "Binding"), vec!["create"]));
            all.push(("eviction", kind("policy", "v1", "Eviction"), vec!["create"]));
            all.push(("log", own(), vec!["get"]));
        }
        kinds::NAMESPACES => all.push(("finalize", own(), vec!["update"])),
        kinds::SERVICEACCOUNTS => {
            all.push(("token", kind("authentication.k8s.io", "v1", "TokenRequest"), vec!["create"]));
        }
        _ => {}
    }
    all
}

/// Review resources: create only, stored nowhere.
pub fn reviews(group: &str) -> &'static [(&'static str, &'static str, bool)] {
    match group {
        "authorization.k8s.io" => &[
            ("localsubjectaccessreviews", "LocalSubjectAccessReview", true),
            ("selfsubjectaccessreviews", "SelfSubjectAccessReview", false),
            ("selfsubjectrulesreviews", "SelfSubjectRulesReview", false),
            ("subjectaccessreviews", "SubjectAccessReview", false),
        ],
        "authentication.k8s.io" => &[("selfsubjectreviews", "SelfSubjectReview", false)],
        _ => &[],
    }
}

fn resource_list(store: &ClusterStore, group: &str, version: &str) -> Result<Answer, ApiError> {
    let groups = groups(store);
    let resources = groups.get(group).ok_or_else(ApiError::no_such_path)?;
    if !versions(group, resources).iter().any(|v| v == version) {
        return Err(ApiError::no_such_path());
    }
    let mut list = Vec::new();
    for resource in resources.iter().filter(|r| r.versions.iter().any(|v| v == version)) {
        let mut entry = json!({
            "name": resource.plural, "singularName": resource.singular, "namespaced": resource.namespaced,
            "kind": resource.kind, "verbs": verbs(resource), "storageVersionHash": "c2ltdWxhdGVk",
        });
        if !resource.short.is_empty() {
            entry["shortNames"] = json!(resource.short);
        }
        if resource.all {
            entry["categories"] = json!(["all"]);
        }
        list.push(entry);
        for (sub, [sub_group, sub_version, kind], verbs) in subresources(resource) {
            let mut entry = json!({
                "name": format!("{}/{sub}", resource.plural), "singularName": "", "namespaced": resource.namespaced,
                "kind": kind, "verbs": verbs,
            });
            if (sub_group.as_str(), sub_version.as_str()) != (group, version) && sub != "status" {
                entry["group"] = json!(sub_group);
                entry["version"] = json!(sub_version);
            }
            list.push(entry);
        }
    }
    for (plural, kind, namespaced) in reviews(group) {
        let singular = kind.to_lowercase();
        list.push(json!({"name": plural, "singularName": singular, "namespaced": namespaced, "kind": kind, "verbs": ["create"]}));
    }
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    Ok(answer::json(
        200,
        &json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": list}),
    ))
}

fn aggregate(store: &ClusterStore, core: bool, form: &'static str) -> Answer {
    let items: Vec<Value> = groups(store)
        .iter()
        .filter(|(name, _)| name.is_empty() == core)
        .map(|(name, resources)| {
            let versions: Vec<Value> =
                versions(name, resources).iter().map(|v| aggregate_version(name, v, resources)).collect();
            let metadata = if core {
                json!({"creationTimestamp": null})
            } else {
                json!({"name": name, "creationTimestamp": null})
            };
            json!({"metadata": metadata, "versions": versions})
        })
        .collect();
    let document = json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": format!("apidiscovery.k8s.io/{form}"), "metadata": {}, "items": items,
    });
    let kind = match form {
        "v2" => "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        _ => "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
    };
    answer::whole(200, kind, document.to_string())
}

fn aggregate_version(group: &str, version: &str, resources: &[Arc<Resource>]) -> Value {
    let mut list: Vec<Value> = Vec::new();
    for resource in resources.iter().filter(|r| r.versions.iter().any(|v| v == version)) {
        let mut entry = json!({
            "resource": resource.plural, "singularResource": resource.singular, "verbs": verbs(resource),
            "responseKind": {"group": group, "version": version, "kind": resource.kind},
            "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        });
        if !resource.short.is_empty() {
            entry["shortNames"] = json!(resource.short);
        }
        if resource.all {
            entry["categories"] = json!(["all"]);
        }
        let subs: Vec<Value> = subresources(resource)
            .into_iter()
            .map(|(sub, [g, v, k], verbs)| {
                json!({"subresource": sub, "responseKind": {"group": g, "version": v, "kind": k}, "verbs": verbs})
            })
            .collect();
        if !subs.is_empty() {
            entry["subresources"] = json!(subs);
        }
        list.push(entry);
    }
    for (plural, kind, namespaced) in reviews(group) {
        list.push(json!({
            "resource": plural, "singularResource": kind.to_lowercase(), "verbs": ["create"],
            "responseKind": {"group": group, "version": version, "kind": kind},
            "scope": if *namespaced { "Namespaced" } else { "Cluster" },
        }));
    }
    json!({"version": version, "resources": list, "freshness": "Current"})
}
