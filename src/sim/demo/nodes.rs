//! Nodes of the demo's clusters: names, labels, provider ids and conditions as each distribution has them.

use serde_json::{Value, json};

use super::{
    bake::{Bake, By, KUBELET},
    clusters::{Cluster, Flavour, Trouble},
};
use crate::sim::{
    controllers::{seed, value::stamp},
    kinds,
};

/// Minutes since the broken node was last heard of.
pub const DOWN_MINUTES: i64 = 42;

/// Which node of a cluster is down, and which is short of memory.
pub fn sick(cluster: &Cluster) -> (Option<usize>, Option<usize>) {
    if cluster.trouble == Trouble::NodeDown { (Some(4), Some(6)) } else { (None, None) }
}

/// Names of the nodes.
pub fn names(cluster: &Cluster) -> Vec<String> {
    (0..cluster.nodes).map(|n| node_name(cluster, n)).collect()
}

fn address(cluster: &Cluster, n: usize) -> String {
    let h = seed::number(&[cluster.name, &n.to_string()]);
    format!("10.{}.{}.{}", seed::number(&[cluster.name]) % 200 + 10, h % 64, 10 + (h >> 8) % 240)
}

fn node_name(cluster: &Cluster, n: usize) -> String {
    let ip = address(cluster, n);
    match cluster.flavour {
        Flavour::Eks => format!("ip-{}.{}.compute.internal", ip.replace('.', "-"), cluster.region),
        Flavour::Ack => format!("{}.{ip}", cluster.region),
        Flavour::Tke => ip,
        Flavour::Kubeadm => format!("{}-{}-n{:02}", cluster.name, cluster.zones[n % cluster.zones.len()], n + 1),
        Flavour::K3s => format!("{}-box-{}", cluster.name, n + 1),
    }
}

fn provider_id(cluster: &Cluster, n: usize) -> String {
    let zone = cluster.zones[n % cluster.zones.len()];
    let id = &seed::sha256(&format!("{}{n}", cluster.name))[..17];
    match cluster.flavour {
        Flavour::Eks => format!("aws:///{zone}/i-{id}"),
        Flavour::Ack => format!("alicloud://{}.i-{}", cluster.region, &id[..12]),
        Flavour::Tke => format!("qcloud:///{zone}/ins-{}", &id[..8]),
        Flavour::K3s => format!("k3s://{}", node_name(cluster, n)),
        Flavour::Kubeadm => String::new(),
    }
}

/// Cores and bytes of a node.
fn size(cluster: &Cluster) -> (i64, i64) {
    match cluster.flavour {
        Flavour::K3s => (4, 16),
        Flavour::Kubeadm => (64, 256),
        _ if cluster.instance.contains("2xlarge") => (8, 32),
        _ => (16, 64),
    }
}

fn labels(cluster: &Cluster, n: usize) -> Value {
    let name = node_name(cluster, n);
    let mut labels = json!({
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/region": cluster.region, "topology.kubernetes.io/zone": cluster.zones[n % cluster.zones.len()],
        "node.kubernetes.io/instance-type": cluster.instance,
    });
    match cluster.flavour {
        Flavour::Eks => labels["eks.amazonaws.com/nodegroup"] = json!("workers"),
        Flavour::Ack => labels["alibabacloud.com/nodepool-id"] = json!("np-workers"),
        Flavour::Tke => labels["tke.cloud.tencent.com/nodepool-id"] = json!("np-workers"),
        Flavour::Kubeadm | Flavour::K3s if n == 0 => labels["node-role.kubernetes.io/control-plane"] = json!(""),
        Flavour::Kubeadm | Flavour::K3s => {}
    }
    labels
}

fn annotations(cluster: &Cluster) -> Value {
    match cluster.flavour {
        Flavour::K3s | Flavour::Ack => {
            json!({"flannel.alpha.coreos.com/backend-type": "vxlan", "node.alpha.kubernetes.io/ttl": "0"})
        }
        Flavour::Kubeadm => {
            json!({"projectcalico.org/IPv4Address": "10.20.0.1/24", "node.alpha.kubernetes.io/ttl": "0"})
        }
        Flavour::Tke => json!({"network.cilium.io/ipv4-pod-cidr": "10.0.0.0/24", "node.alpha.kubernetes.io/ttl": "0"}),
        Flavour::Eks => json!({"node.alpha.kubernetes.io/ttl": "0"}),
    }
}

/// Puts the nodes and what a storage driver registers on them into the cluster.
pub fn bake(bake: &Bake<'_>, cluster: &Cluster, driver: &str) {
    let (down, short) = sick(cluster);
    for n in 0..cluster.nodes {
        let made = bake.ago(cluster.age_days * 1440 / (2 + i64::try_from(n % 5).unwrap_or(0)));
        let mut spec = json!({});
        let id = provider_id(cluster, n);
        if !id.is_empty() {
            spec["providerID"] = json!(id);
        }
        if down == Some(n) {
            let since = stamp(bake.ago(DOWN_MINUTES));
            spec["taints"] = json!([
                {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule", "timeAdded": since},
                {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": since}]);
        } else if short == Some(n) {
            spec["taints"] = json!([{"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule", "timeAdded": stamp(bake.ago(9))}]);
        }
        let node = json!({"metadata": {"name": node_name(cluster, n), "labels": labels(cluster, n), "annotations": annotations(cluster)}, "spec": spec});
        let mut node = bake.new_object(kinds::NODES, node, KUBELET, made);
        let status = status(bake, cluster, n, down == Some(n), short == Some(n));
        bake.report(kinds::NODES, &mut node, KUBELET, bake.ago(if down == Some(n) { DOWN_MINUTES } else { 2 }), status);
        if driver.is_empty() {
            bake.load(kinds::NODES, node);
            continue;
        }
        let csi = json!({"metadata": {"name": node_name(cluster, n), "ownerReferences": [
            {"apiVersion": "v1", "kind": "Node", "name": node_name(cluster, n), "uid": node["metadata"]["uid"]}]},
            "spec": {"drivers": [{"name": driver, "nodeID": format!("i-{n}"), "topologyKeys": ["topology.kubernetes.io/zone"], "allocatable": {"count": 25}}]}});
        bake.load(kinds::NODES, node);
        bake.put(kinds::CSINODES, csi, By::update("kubelet"), made);
    }
}

fn status(bake: &Bake<'_>, cluster: &Cluster, n: usize, down: bool, short: bool) -> Value {
    let (cores, gib) = size(cluster);
    let (beat, since) = if down { (DOWN_MINUTES + 1, DOWN_MINUTES) } else { (2, cluster.age_days * 1440 / 7) };
    let cond = |kind: &str, state: &str, reason: &str, message: &str, since: i64| {
        json!({"type": kind, "status": state, "reason": reason, "message": message,
            "lastHeartbeatTime": stamp(bake.ago(beat)), "lastTransitionTime": stamp(bake.ago(since))})
    };
    let unknown = ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.");
    let or_down = |kind: &str, state: &'static str, reason: &'static str, message: &'static str| {
        let (s, r, m) = if down { unknown } else { (state, reason, message) };
        cond(kind, s, r, m, since)
    };
    let memory = if short {
        cond("MemoryPressure", "True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available", 9)
    } else {
        or_down("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available")
    };
    let mut conditions = vec![
        memory,
        or_down("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        or_down("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        or_down("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ];
    match cluster.flavour {
        Flavour::Kubeadm => conditions
            .insert(0, cond("NetworkUnavailable", "False", "CalicoIsUp", "Calico is running on this node", 9000)),
        Flavour::Tke => conditions
            .insert(0, cond("NetworkUnavailable", "False", "CiliumIsUp", "Cilium is running on this node", 9000)),
        Flavour::Ack => conditions
            .insert(0, cond("NetworkUnavailable", "False", "FlannelIsUp", "Flannel is running on this node", 9000)),
        Flavour::Eks | Flavour::K3s => {}
    }
    let os = match cluster.flavour {
        Flavour::Eks => "Amazon Linux 2023.9.20261012",
        Flavour::Ack => "Alibaba Cloud Linux 3.2104 U11",
        Flavour::Tke => "TencentOS Server 3.2",
        Flavour::Kubeadm => "Debian GNU/Linux 13 (trixie)",
        Flavour::K3s => "Ubuntu 24.04.4 LTS",
    };
    let capacity = |cpu: i64, memory: i64| json!({"cpu": format!("{cpu}m"), "memory": format!("{memory}Mi"), "pods": "110", "ephemeral-storage": "104845292Ki"});
    json!({
        "capacity": {"cpu": cores.to_string(), "memory": format!("{gib}Gi"), "pods": "110", "ephemeral-storage": "104845292Ki"},
        "allocatable": capacity(cores * 1000 - 130, gib * 1024 - 1200),
        "addresses": [{"type": "InternalIP", "address": address(cluster, n)}, {"type": "Hostname", "address": node_name(cluster, n)}],
        "conditions": conditions,
        "nodeInfo": {"kubeletVersion": cluster.kubelet, "kubeProxyVersion": "", "operatingSystem": "linux", "architecture": "amd64",
            "osImage": os, "kernelVersion": "6.12.48", "containerRuntimeVersion": "containerd://2.1.4",
            "machineID": &seed::sha256(&node_name(cluster, n))[..32], "systemUUID": seed::uid(1, &[cluster.name, &n.to_string()]), "bootID": seed::uid(2, &[cluster.name, &n.to_string()])},
    })
}
