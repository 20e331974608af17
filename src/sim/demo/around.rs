//! What surrounds a workload: configuration, credentials, Service, endpoints, budget, autoscaler.

use base64::Engine as _;
use serde_json::{Value, json};

use super::{
    bake::{By, KCM},
    manifests,
    services::{Delivery, Service, Twist, twists},
    site::Site,
    template, workloads,
};
use crate::sim::{
    controllers::{autoscaler, endpoints, seed, value::*},
    kinds::{self, Rid},
};

/// Services and clusters whose load is scripted: replicas go up and down there.
const LOADED: &[(&str, &str)] = &[("web", "eu-west-1-prod-b"), ("identity", "cn-north-1-prod")];

/// Configuration and credentials of a service: before its workload.
pub fn configuration(site: &Site<'_>, service: &Service) {
    let own = twists(service.name, site.cluster.name).find_map(|t| match t {
        Twist::Config(text) => Some(text.to_owned()),
        _ => None,
    });
    let minutes = seed::between(site.bake.seed, &["configured", service.name], 4000, 60_000);
    let mut config = first(site, kinds::CONFIGMAPS, service, manifests::config(service), minutes);
    if let Some(own) = own {
        let by = By::update("kubectl-edit");
        let at = site.bake.ago(site.draw(&["config", service.name], 300, 5000));
        site.bake.rewrite(kinds::CONFIGMAPS, &mut config, by, "", at, |c| c["data"]["config.yaml"] = json!(own));
    }
    site.bake.load(kinds::CONFIGMAPS, config);
    let password = base64::engine::general_purpose::STANDARD.encode(&seed::sha256(service.name)[..20]);
    let secret = json!({"metadata": manifests::around(service, &format!("{}-credentials", service.name)), "type": "Opaque",
        "data": {"password": password}});
    let secret = first(site, kinds::SECRETS, service, secret, minutes * 2);
    site.bake.load(kinds::SECRETS, secret);
}

/// Service, endpoints, budget and autoscaler: after the pods.
pub fn rest(site: &Site<'_>, service: &Service) {
    if service.system.delivery() == Delivery::Helm {
        release_record(site, service);
    }
    if !manifests::is_called(service) {
        return;
    }
    let mut object = manifests::service(service);
    let ip = match object.pointer("/spec/clusterIP") {
        Some(none) => none.clone(),
        None => json!(format!(
            "172.20.{}.{}",
            site.draw(&["ip", service.name], 0, 255),
            site.draw(&["ip2", service.name], 1, 255)
        )),
    };
    let served = json!({"clusterIP": ip, "clusterIPs": [ip], "sessionAffinity": "None", "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"});
    for (key, value) in served.as_object().into_iter().flatten() {
        object["spec"][key] = value.clone();
    }
    object["status"] = json!({"loadBalancer": {}});
    let age = site.cluster.age_days * 1440 * 3 / 4;
    let object = first(site, kinds::SERVICES, service, object, age);
    let pods = pods_of(site, service);
    let slice = endpoints::slice(site.bake.seed, &object, &pods);
    site.bake.load(kinds::SERVICES, object);
    site.bake.put(kinds::ENDPOINTSLICES, slice, KCM, site.bake.ago(age));
    if site.cluster.environment != "prod" {
        return;
    }
    if manifests::is_guarded(service) {
        budget(site, service, &pods, age);
    }
    if manifests::is_scaled(service) {
        scaler(site, service, age);
    }
}

fn first(site: &Site<'_>, rid: Rid, service: &Service, mut object: Value, minutes: i64) -> Value {
    template::mark(&mut object, rid, service, site.bake.seed);
    site.bake.new_object(rid, object, template::writer(service.system.delivery()), site.bake.ago(minutes))
}

fn pods_of(site: &Site<'_>, service: &Service) -> Vec<Value> {
    let resource = site.bake.store.resource(kinds::PODS);
    let all = site.bake.store.list(kinds::PODS, Some(service.system.namespace())).items;
    all.iter().filter(|p| p.label("app.kubernetes.io/name") == Some(service.name)).map(|p| p.value(&resource)).collect()
}

fn budget(site: &Site<'_>, service: &Service, pods: &[Value], age: i64) {
    let mut object = first(site, kinds::PDBS, service, manifests::budget(service), age);
    let at = site.bake.ago(age / 3);
    let status = endpoints::budget_status(&object, pods, at);
    site.bake.report(kinds::PDBS, &mut object, KCM, at, status);
    site.bake.load(kinds::PDBS, object);
}

fn scaler(site: &Site<'_>, service: &Service, age: i64) {
    let size = workloads::replicas(site, service);
    let mut object = first(site, kinds::HPAS, service, manifests::scaler(service, size), age);
    if LOADED.contains(&(service.name, site.cluster.name)) {
        set(&mut object, &["metadata", "annotations", autoscaler::LOAD], json!("36"));
    }
    let at = site.bake.ago(site.draw(&["scaled", service.name], 30, 3000));
    let mut status = autoscaler::status(&object, size, size, at);
    status["lastScaleTime"] = json!(stamp(at));
    site.bake.report(kinds::HPAS, &mut object, KCM, at, status);
    site.bake.load(kinds::HPAS, object);
}

/// The Secret in which Helm keeps a release.
fn release_record(site: &Site<'_>, service: &Service) {
    let revision = 3 + seed::number(&["helm", service.name]) % 30;
    let object = json!({
        "metadata": {"name": format!("sh.helm.release.v1.{}.v{revision}", service.name), "namespace": service.system.namespace(),
            "labels": {"name": service.name, "owner": "helm", "status": "deployed", "version": revision.to_string()}},
        "type": "helm.sh/release.v1", "data": {"release": "SDRzSUFBQUFBQUFBLzNObGJYQT0="}});
    let minutes = seed::between(site.bake.seed, &["release", service.name], 2, 24) * 1440;
    site.bake.put(kinds::SECRETS, object, By::update("helm"), site.bake.ago(minutes));
}
