//! A simulated fleet in this process, with its faults at hand, and the objects that the black-box tests put into it.

use std::{fs, os::unix::fs::PermissionsExt};

use quarterdeck::sim::{self, Faults, kinds, kinds::Rid};
use serde_json::{Value, json};

/// A fleet that is being served, and a home for consoles that look at it.
pub struct Fleet {
    running: sim::Running,
    dir: tempfile::TempDir,
}

impl Fleet {
    /// So many bare clusters with so many nodes each.
    pub fn bare(clusters: usize, nodes: usize) -> Self {
        Self::serve(sim::Fleet::Empty { clusters, nodes })
    }

    /// A fleet for load.
    pub fn scale(clusters: usize, pods: usize, workloads: usize, churn: u32) -> Self {
        Self::serve(sim::Fleet::Scale { clusters, pods, workloads, rtt_ms: (0, 0), churn })
    }

    fn serve(fleet: sim::Fleet) -> Self {
        let dir = tempfile::tempdir().expect("folder");
        let served = dir.path().join("served");
        std::fs::create_dir_all(&served).expect("folder");
        let running = sim::serve(&sim::Spec { fleet, seed: 7, speed: 1.0, dir: served }).expect("a simulated fleet");
        Self { running, dir }
    }

    /// Folder for a console's configuration, state and cache.
    pub fn home(&self) -> &std::path::Path {
        self.dir.path()
    }

    /// kubeconfig of the whole fleet.
    pub fn kubeconfig(&self) -> String {
        self.running.kubeconfig.display().to_string()
    }

    /// Name of the cluster with this number.
    pub fn name(&self, index: usize) -> &str {
        &self.running.clusters[index]
    }

    /// Every name.
    pub fn names(&self) -> &[String] {
        &self.running.clusters
    }

    /// Switches one cluster's faults.
    pub fn faults(&self, index: usize, faults: Faults) {
        self.running.set_faults(self.name(index), faults);
    }

    /// The cluster itself.
    pub fn cluster(&self, index: usize) -> sim::serve::Cluster {
        self.running.cluster(self.name(index)).expect("a cluster of this fleet")
    }

    /// Puts an object into a cluster as it is.
    pub fn load(&self, index: usize, kind: Rid, object: Value) {
        self.cluster(index).store.load(kind, object);
    }

    /// Writes a shell script and gives its path.
    pub fn script(&self, name: &str, body: &str) -> String {
        let path = self.home().join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
        path.display().to_string()
    }

    /// Writes a kubeconfig whose users run a plugin, one context per entry of `contexts`: name, cluster index, script.
    pub fn with_plugins(&self, contexts: &[(String, usize, String)]) -> String {
        let text = fs::read_to_string(self.kubeconfig()).expect("kubeconfig");
        let base: Value = serde_saphyr::from_str(&text).expect("YAML");
        let cluster = |index: usize| {
            let all = base["clusters"].as_array().expect("clusters");
            all.iter().find(|c| c["name"] == self.name(index)).expect("cluster")["cluster"].clone()
        };
        let clusters = contexts.iter().map(|(name, index, _)| json!({"name": name, "cluster": cluster(*index)}));
        let users = contexts.iter().map(|(name, _, script)| {
            json!({"name": name, "user": {"exec": {
                "apiVersion": "client.authentication.k8s.io/v1", "command": script, "interactiveMode": "IfAvailable"}}})
        });
        let entries = contexts.iter().map(|(n, ..)| json!({"name": n, "context": {"cluster": n, "user": n}}));
        let config = json!({
            "apiVersion": "v1", "kind": "Config",
            "clusters": clusters.collect::<Vec<_>>(),
            "contexts": entries.collect::<Vec<_>>(),
            "users": users.collect::<Vec<_>>(),
        });
        let path = self.home().join("plugins.yaml");
        fs::write(&path, config.to_string()).expect("written");
        path.display().to_string()
    }

    /// A pod in namespace `shop` that is ready or waits with a reason.
    pub fn pod(&self, index: usize, name: &str, waiting: Option<(&str, &str)>) {
        self.load(index, kinds::PODS, pod(name, waiting));
    }
}

/// What a shell script prints when it is a credential plugin that the simulated servers believe.
pub const CREDENTIAL: &str =
    r#"echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"sim-admin"}}'"#;

/// A pod as a kubelet would report it.
pub fn pod(name: &str, waiting: Option<(&str, &str)>) -> Value {
    let state = waiting.map_or_else(
        || json!({"running": {"startedAt": "2026-11-01T00:00:00Z"}}),
        |(reason, message)| json!({"waiting": {"reason": reason, "message": message}}),
    );
    json!({
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}},
        "spec": {"nodeName": "node-0", "containers": [{"name": "web", "image": "shop/web:1"}]},
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": if waiting.is_none() { "True" } else { "False" }}],
            "containerStatuses": [{"name": "web", "ready": waiting.is_none(), "restartCount": 0, "image": "shop/web:1", "imageID": "", "state": state}],
        },
    })
}
