//! The demo fleet: a dozen believable clusters where things are wrong in interesting ways.
//!
//! `clusters` and `services` are the scenario as data; the rest turns it into objects with a past, into the `deploy/` tree that
//! they came from and, while it is served, into a calm stream of happenings.

mod addons;
mod around;
mod bake;
mod clusters;
mod deploy;
mod fleet_file;
mod local;
mod manifests;
mod nodes;
mod services;
mod site;
mod story;
mod template;
#[cfg(test)]
mod tests;
mod workloads;

use std::sync::Arc;

use serde_json::{Value, json};

pub use deploy::{File, files as deploy_files};
pub use fleet_file::text as fleet_file;
pub use story::{Stage, play, strays};

use self::{
    bake::{Bake, By},
    clusters::{CLUSTERS, Cluster, Trouble},
    local::Local,
    services::{SERVICES, System, Twist, twists},
    site::Site,
};
use super::{Faults, controllers::Options, controllers::value::set, kinds, serve::Plan, store::ClusterStore};

/// What moving tags mean where a cluster says nothing else.
const USUAL_CONTENT: &str = "build 9714";

/// How the clusters are to be served, in order.
pub fn plans() -> Vec<Plan> {
    CLUSTERS.iter().map(plan).collect()
}

fn plan(cluster: &Cluster) -> Plan {
    let mut plan = Plan::new(cluster.name);
    plan.version = cluster.version.to_owned();
    plan.certificate_days = 200 + cluster.age_days % 150;
    match cluster.trouble {
        Trouble::LoginExpired => plan.faults.status = 401,
        Trouble::Slow(ms) => plan.faults.latency_ms = ms,
        Trouble::Refused => plan.listens = false,
        Trouble::CertificateEnds(days) => plan.certificate_days = days,
        Trouble::NodesForbidden => {
            plan.faults = Faults { status: 403, status_for: "nodes".to_owned(), ..Faults::default() };
        }
        Trouble::None | Trouble::NodeDown | Trouble::FallsSilent(_) => {}
    }
    plan
}

/// What the controllers of a cluster must know of it.
pub fn options(name: &str, seed: u64) -> Options {
    let own = twists("web", name).find_map(|t| match t {
        Twist::Content(c) => Some(c),
        _ => None,
    });
    let local = CLUSTERS.iter().find(|c| c.name == name).map_or(Local::BASE, Local::of);
    let web =
        SERVICES.iter().find(|s| s.name == "web").map(|s| template::image(s, "latest", local)).unwrap_or_default();
    Options { seed, contents: vec![(web, own.unwrap_or(USUAL_CONTENT).to_owned())] }
}

/// Fills a cluster of the fleet.
pub fn fill(store: &Arc<ClusterStore>, seed: u64) {
    let Some(cluster) = CLUSTERS.iter().find(|c| c.name == store.name()) else { return };
    let bake = Bake { store, seed, now: store.clock.now() };
    let site = Site::new(bake, cluster, options(cluster.name, seed).contents);
    system_namespace(&site);
    nodes::bake(&bake, cluster, addons::driver(cluster));
    addons::bake(&site);
    for system in System::ALL.iter().filter(|s| s.runs_in(cluster.name, cluster.environment)) {
        namespace(&site, *system);
    }
    for service in SERVICES.iter().filter(|s| s.system.runs_in(cluster.name, cluster.environment)) {
        if twists(service.name, cluster.name).any(|t| t == Twist::Absent) {
            continue;
        }
        around::configuration(&site, service);
        workloads::bake(&site, service);
        around::rest(&site, service);
    }
    if let Some(node) = site.lost_node() {
        let about = store.value(kinds::NODES, "", node).unwrap_or_default();
        let message = format!("Node {node} status is now: NodeNotReady");
        site.warning(&about, "NodeNotReady", &message, "node-controller", 1, nodes::DOWN_MINUTES);
    }
}

/// `kube-system` as old as the cluster, and what the ledger reads from it.
fn system_namespace(site: &Site<'_>) {
    let made = site.bake.ago(site.cluster.age_days * 1440);
    let by = By::update("kube-apiserver");
    for name in ["kube-system", "default", "kube-public", "kube-node-lease"] {
        let mut object = space(name, &json!({}));
        if name == "kube-system" {
            set(&mut object, &["metadata", "labels", "quarterdeck.dev/environment"], json!(site.cluster.environment));
        }
        site.bake.put(kinds::NAMESPACES, object, by, made);
        account(site, name, made);
    }
}

fn namespace(site: &Site<'_>, system: System) {
    let made = site.bake.ago(site.cluster.age_days * 1440 - 300);
    let labels = manifests::namespace(system)["metadata"]["labels"].take();
    let by = template::writer(system.delivery());
    site.bake.put(kinds::NAMESPACES, space(system.namespace(), &labels), by, made);
    account(site, system.namespace(), made);
}

fn space(name: &str, labels: &Value) -> Value {
    let mut object = json!({"metadata": {"name": name, "labels": labels}, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}});
    set(&mut object, &["metadata", "labels", "kubernetes.io/metadata.name"], json!(name));
    object
}

fn account(site: &Site<'_>, namespace: &str, made: crate::model::Millis) {
    let object = json!({"metadata": {"name": "default", "namespace": namespace}});
    site.bake.put(kinds::SERVICEACCOUNTS, object, bake::KCM, made);
    let root =
        json!({"metadata": {"name": "kube-root-ca.crt", "namespace": namespace}, "data": {"ca.crt": "simulated\n"}});
    site.bake.put(kinds::CONFIGMAPS, root, bake::KCM, made);
}
