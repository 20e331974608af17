//! What every cluster starts with: namespaces, their default service accounts and root certificate, a few nodes.

use serde_json::{Value, json};

use super::{kinds, store::ClusterStore};

const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// Fills an empty store with what a new cluster has.
pub fn fill(store: &ClusterStore, git_version: &str, nodes: usize) {
    for namespace in NAMESPACES {
        add_namespace(store, namespace);
    }
    store.load(
        kinds::SERVICES,
        json!({
            "metadata": {"name": "kubernetes", "namespace": "default", "labels": {"component": "apiserver", "provider": "kubernetes"}},
            "spec": {"clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"], "type": "ClusterIP", "sessionAffinity": "None",
                     "internalTrafficPolicy": "Cluster", "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
                     "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}]},
            "status": {"loadBalancer": {}},
        }),
    );
    for number in 0..nodes {
        store.load(kinds::NODES, node(store, &format!("node-{number}"), git_version));
    }
}

/// A namespace with its default service account, as the controller manager would make them.
pub fn add_namespace(store: &ClusterStore, name: &str) {
    store.load(
        kinds::NAMESPACES,
        json!({
            "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        }),
    );
    furnish_namespace(store, name);
}

/// The account and the configuration that controllers put into every namespace.
pub fn furnish_namespace(store: &ClusterStore, name: &str) {
    store.load(kinds::SERVICEACCOUNTS, json!({"metadata": {"name": "default", "namespace": name}}));
    store.load(
        kinds::CONFIGMAPS,
        json!({
            "metadata": {"name": "kube-root-ca.crt", "namespace": name, "annotations": {
                "kubernetes.io/description": "The authority that signed this API server's certificate."}},
            "data": {"ca.crt": "simulated\n"},
        }),
    );
}

/// A ready node of 8 CPUs and 32 GiB.
pub fn node(store: &ClusterStore, name: &str, git_version: &str) -> Value {
    let now = store.clock.stamp();
    let condition = |kind: &str, status: &str, reason: &str, message: &str| json!({"type": kind, "status": status, "reason": reason, "message": message, "lastHeartbeatTime": now, "lastTransitionTime": now});
    let size = json!({"cpu": "8", "memory": "32879332Ki", "ephemeral-storage": "101430960Ki", "pods": "110", "hugepages-2Mi": "0"});
    json!({
        "metadata": {"name": name, "labels": {
            "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
            "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64"}},
        "spec": {"podCIDR": "10.244.0.0/24", "podCIDRs": ["10.244.0.0/24"]},
        "status": {
            "capacity": size, "allocatable": size,
            "addresses": [{"type": "InternalIP", "address": "10.0.0.10"}, {"type": "Hostname", "address": name}],
            "conditions": [
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
            ],
            "nodeInfo": {"kubeletVersion": git_version, "kubeProxyVersion": git_version, "operatingSystem": "linux", "architecture": "amd64",
                "osImage": "Debian GNU/Linux 13 (trixie)", "kernelVersion": "6.12.48", "containerRuntimeVersion": "containerd://2.1.4",
                "machineID": "", "systemUUID": "", "bootID": ""},
        },
    })
}
