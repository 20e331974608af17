//! A simulated fleet in this process, with its faults at hand, and the objects that the black-box tests put into it.

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

    /// A pod in namespace `shop` that is ready or waits with a reason.
    pub fn pod(&self, index: usize, name: &str, waiting: Option<(&str, &str)>) {
        self.load(index, kinds::PODS, pod(name, waiting));
    }
}

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
