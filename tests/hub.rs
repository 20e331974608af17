//! Policies that a hub cluster's API gives: created there as anybody creates them, used by the commands as those of files.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{
    control_plane,
    support::{self, fleet::Fleet, pty::Console},
    with_control_planes,
};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![with_control_planes("hub::policies_of_a_hub_place_and_override", policies_of_a_hub)]
}

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  replicas: 6\n  \
                   template: {spec: {containers: [{name: web, image: 'registry.example/web:1'}]}}\n";

/// One of Karmada's kinds, as an API server is told of it; its fields are not looked into.
fn definition(kind: &str, plural: &str, scope: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.policy.karmada.io")},
        "spec": {
            "group": "policy.karmada.io", "scope": scope,
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{"name": "v1alpha1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true}}}],
        },
    })
}

fn karmada(kind: &str, meta: Value, spec: Value) -> Value {
    json!({"apiVersion": "policy.karmada.io/v1alpha1", "kind": kind, "metadata": meta, "spec": spec})
}

/// A fleet of three clusters, the first of which is the hub, and a service that only the hub's policies send.
struct Scene {
    fleet: Fleet,
}

impl Scene {
    fn new() -> Self {
        let fleet = Fleet::bare(3, 1);
        fs::create_dir_all(fleet.home().join("web")).expect("folder");
        fs::write(fleet.home().join("web/web.yaml"), WEB).expect("manifest");
        let services = json!([{"name": "web", "namespace": "shop", "sources": [{"plain": "web"}]}]);
        let file = json!({"desired": {"services": services, "hub": {"cluster": fleet.name(0)}}});
        fs::write(fleet.home().join("fleet.yaml"), file.to_string()).expect("fleet file");
        Self { fleet }
    }

    /// Creates an object in the hub by its API.
    fn create(&self, object: &Value) {
        let path = self.fleet.home().join("object.json");
        fs::write(&path, object.to_string()).expect("written");
        let mut kubectl = Command::new(control_plane::binaries().expect("built").join("kubectl"));
        kubectl.env_clear().env("HOME", self.fleet.home());
        kubectl.args(["--kubeconfig", &self.fleet.kubeconfig(), "--context", self.fleet.name(0)]);
        support::wait_for(&format!("{} is taken", object["kind"]), std::time::Duration::from_secs(20), || {
            let said = kubectl.args(["create", "--validate=false", "-f"]).arg(&path).output().expect("kubectl");
            // A kind that was just defined may be served a moment later.
            said.status.success().then_some(())
        });
    }

    fn run(&self, words: &[&str]) -> Output {
        let home: &Path = self.fleet.home();
        let mut command = Command::new(support::binary());
        command.env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin").args(words);
        command.args(["--kubeconfig", &self.fleet.kubeconfig(), "--fleet"]).arg(home.join("fleet.yaml"));
        command.output().expect("the program")
    }

    /// Replicas of the deployment by cluster, who sends it, and what was complained of.
    fn placed(&self, words: &[&str]) -> (Vec<(String, i64)>, String, String) {
        let output = self.run(&[&["place", "-o", "json"], words].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {told}"));
        let rows = rows.get("items").unwrap_or(&rows).as_array().expect("rows").clone();
        let share = |row: &Value| Some((row["cluster"].as_str()?.to_owned(), row["replicas"].as_i64()?));
        (
            rows.iter().filter_map(share).collect(),
            rows.first().map(|r| r["owner"].to_string()).unwrap_or_default(),
            told,
        )
    }
}

fn policies_of_a_hub() {
    let scene = Scene::new();
    let hub = scene.fleet.name(0).to_owned();
    // Nothing is served yet: said, and nobody sends the deployment.
    let (shares, _, told) = scene.placed(&[]);
    assert!(shares.is_empty() && told.contains("propagationpolicies.policy.karmada.io"), "{shares:?} {told}");
    scene.create(&definition("PropagationPolicy", "propagationpolicies", "Namespaced"));
    scene.create(&definition("ClusterOverridePolicy", "clusteroverridepolicies", "Cluster"));
    scene.create(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}));
    let selectors = json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"}]);
    let members = [scene.fleet.name(1), scene.fleet.name(2)];
    let weight = |name: &str, weight: i64| json!({"targetCluster": {"clusterNames": [name]}, "weight": weight});
    let scheduling = json!({
        "replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
        "weightPreference": {"staticWeightList": [weight(members[0], 1), weight(members[1], 2)]},
    });
    let placement = json!({"clusterAffinity": {"clusterNames": members}, "replicaScheduling": scheduling});
    let spec = json!({"resourceSelectors": selectors, "placement": placement});
    scene.create(&karmada("PropagationPolicy", json!({"name": "web", "namespace": "shop"}), spec));
    let image = json!({"component": "Tag", "operator": "replace", "value": "2"});
    let rule = json!({"targetCluster": {"clusterNames": [members[1]]}, "overriders": {"imageOverrider": [image]}});
    let spec = json!({"resourceSelectors": selectors, "overrideRules": [rule]});
    scene.create(&karmada("ClusterOverridePolicy", json!({"name": "tag"}), spec));

    let wanted = vec![(members[0].to_owned(), 2), (members[1].to_owned(), 4)];
    for words in [&[][..], &["--live"]] {
        let (mut shares, owner, told) = scene.placed(words);
        shares.sort();
        assert_eq!(shares, wanted, "{words:?} {told}");
        assert!(owner.contains("PropagationPolicy"), "{owner}");
        // Two of the four kinds are there now.
        assert!(told.contains("clusterpropagationpolicies.policy.karmada.io"), "{told}");
        assert!(!told.contains(" propagationpolicies.policy.karmada.io"), "{told}");
    }
    let field = "spec.template.spec.containers[0].image";
    let output = scene.run(&["explain", "deployment/web", field, "--context", members[1], "-o", "json"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("registry.example/web:2"), "{said}");
    assert!(said.contains(&format!("{hub} ClusterOverridePolicy/tag")) && said.contains("\"hub\""), "{said}");

    // The console reads them by itself.
    let home = scene.fleet.home();
    let file = home.join("fleet.yaml").display().to_string();
    let args = ["--kubeconfig", &scene.fleet.kubeconfig(), "--fleet", &file];
    let mut console = Console::start(home, 140, 40, &args, &[]);
    console.wait_text(members[1], 20);
    console.send(":placement\r");
    console.wait("the hub's policy places the deployment", 30, |t| {
        t.lines().any(|l| l.contains("web") && l.contains("2/") && l.contains("4/"))
    });
    drop(console);

    // A hub that does not answer is named; what is told without it is told as incomplete.
    scene.fleet.faults(0, quarterdeck::sim::Faults { status: 503, ..quarterdeck::sim::Faults::default() });
    let output = scene.run(&["place", "--timeout", "5s"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains(&hub) && !output.status.success(), "{told}");
}
