//! What runs in `kube-system`: network, storage, name service and metrics of each distribution, and the definitions of the
//! custom kinds.

use serde_json::{Value, json};

use super::{
    bake::{By, KCM},
    clusters::{Cluster, Flavour},
    site::{Crew, Site},
    workloads::place_daemons,
};
use crate::sim::{
    controllers::{deployment, pods, replica_set, revision, seed, value::*},
    kinds,
};

const SPACE: &str = "kube-system";

/// A daemon or a small Deployment of the system.
struct Addon {
    name: &'static str,
    label: (&'static str, &'static str),
    image: &'static str,
    daemon: bool,
}

const fn daemon(name: &'static str, label: (&'static str, &'static str), image: &'static str) -> Addon {
    Addon { name, label, image, daemon: true }
}

const fn single(name: &'static str, label: (&'static str, &'static str), image: &'static str) -> Addon {
    Addon { name, label, image, daemon: false }
}

/// The CSI driver of a cluster, empty where it has none.
pub fn driver(cluster: &Cluster) -> &'static str {
    match cluster.flavour {
        Flavour::Eks => "ebs.csi.aws.com",
        Flavour::Ack => "diskplugin.csi.alibabacloud.com",
        Flavour::Tke => "com.tencent.cloud.csi.cbs",
        Flavour::Kubeadm => "rook-ceph.rbd.csi.ceph.com",
        Flavour::K3s => "",
    }
}

fn addons(cluster: &Cluster) -> Vec<Addon> {
    let mut all = match cluster.flavour {
        Flavour::Eks => vec![
            daemon(
                "aws-node",
                ("k8s-app", "aws-node"),
                "602401143452.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni:v1.21.1",
            ),
            daemon(
                "kube-proxy",
                ("k8s-app", "kube-proxy"),
                "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/kube-proxy:v1.36.0",
            ),
            daemon("ebs-csi-node", ("app", "ebs-csi-node"), "public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.53.0"),
            single(
                "ebs-csi-controller",
                ("app", "ebs-csi-controller"),
                "public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.53.0",
            ),
            single(
                "coredns",
                ("k8s-app", "kube-dns"),
                "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/coredns:v1.13.1",
            ),
        ],
        Flavour::Ack => vec![
            daemon(
                "kube-flannel-ds",
                ("app", "flannel"),
                "registry-cn-beijing-vpc.ack.aliyuncs.com/acs/flannel:v0.27.4",
            ),
            daemon(
                "kube-proxy-worker",
                ("k8s-app", "kube-proxy"),
                "registry-cn-beijing-vpc.ack.aliyuncs.com/acs/kube-proxy:v1.35.1-aliyun.1",
            ),
            daemon(
                "csi-plugin",
                ("app", "csi-plugin"),
                "registry-cn-beijing-vpc.ack.aliyuncs.com/acs/csi-plugin:v1.35.2",
            ),
            single(
                "coredns",
                ("k8s-app", "kube-dns"),
                "registry-cn-beijing-vpc.ack.aliyuncs.com/acs/coredns:v1.12.4.2",
            ),
        ],
        Flavour::Tke => vec![
            daemon("cilium", ("k8s-app", "cilium"), "ccr.ccs.tencentyun.com/tkeimages/cilium:v1.18.5"),
            daemon("kube-proxy", ("k8s-app", "kube-proxy"), "ccr.ccs.tencentyun.com/tkeimages/hyperkube:v1.34.1-tke.6"),
            daemon(
                "csi-cbs-node",
                ("app", "csi-cbs-node"),
                "ccr.ccs.tencentyun.com/tkeimages/csi-tencentcloud-cbs:v2.4.8",
            ),
            single("coredns", ("k8s-app", "kube-dns"), "ccr.ccs.tencentyun.com/tkeimages/coredns:v1.12.4"),
        ],
        Flavour::Kubeadm => vec![
            daemon("calico-node", ("k8s-app", "calico-node"), "quay.io/calico/node:v3.32.1"),
            daemon("kube-proxy", ("k8s-app", "kube-proxy"), "registry.k8s.io/kube-proxy:v1.37.1"),
            daemon("csi-rbdplugin", ("app", "csi-rbdplugin"), "quay.io/cephcsi/cephcsi:v3.16.0"),
            single(
                "calico-kube-controllers",
                ("k8s-app", "calico-kube-controllers"),
                "quay.io/calico/kube-controllers:v3.32.1",
            ),
            single("coredns", ("k8s-app", "kube-dns"), "registry.k8s.io/coredns/coredns:v1.13.1"),
        ],
        Flavour::K3s => vec![
            single("coredns", ("k8s-app", "kube-dns"), "rancher/mirrored-coredns-coredns:1.12.0"),
            single(
                "local-path-provisioner",
                ("app", "local-path-provisioner"),
                "rancher/local-path-provisioner:v0.0.31",
            ),
            daemon("svclb-traefik", ("app", "svclb-traefik"), "rancher/klipper-lb:v0.4.13"),
        ],
    };
    all.push(single(
        "metrics-server",
        ("k8s-app", "metrics-server"),
        "registry.k8s.io/metrics-server/metrics-server:v0.8.1",
    ));
    all
}

/// Fills `kube-system`.
pub fn bake(site: &Site<'_>) {
    for addon in addons(site.cluster) {
        one(site, &addon);
    }
    storage(site);
    definitions(site);
}

fn one(site: &Site<'_>, addon: &Addon) {
    let labels = json!({addon.label.0: addon.label.1});
    let template = json!({"metadata": {"labels": labels}, "spec": {
        "containers": [{"name": addon.name, "image": addon.image, "imagePullPolicy": "IfNotPresent",
            "resources": {"requests": {"cpu": "50m", "memory": "80Mi"}}, "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}],
        "priorityClassName": if addon.daemon { "system-node-critical" } else { "system-cluster-critical" },
        "tolerations": [{"operator": "Exists"}], "restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler", "securityContext": {}, "terminationGracePeriodSeconds": 30}});
    let since = site.bake.ago(site.draw(&["addon", addon.name], 20, 120) * 1440);
    let mut spec = json!({"selector": {"matchLabels": labels}, "template": template, "revisionHistoryLimit": 10});
    let crew = Crew { since, restarts: 0 };
    if addon.daemon {
        spec["updateStrategy"] =
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}});
        let object = json!({"metadata": {"name": addon.name, "namespace": SPACE, "labels": labels}, "spec": spec});
        let object = site.bake.new_object(kinds::DAEMONSETS, object, By::update("kubectl-client-side-apply"), since);
        let hash = template_hash(at(&object, "/spec/template"));
        site.bake.put(kinds::CONTROLLERREVISIONS, revision::object(&object, &hash, 1), KCM, since);
        place_daemons(site, object, crew);
        return;
    }
    spec["replicas"] = json!(if site.nodes.len() > 2 { 2 } else { 1 });
    spec["strategy"] = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}});
    spec["progressDeadlineSeconds"] = json!(600);
    let object = json!({"metadata": {"name": addon.name, "namespace": SPACE, "labels": labels, "annotations": {deployment::REVISION: "1"}}, "spec": spec});
    let object = site.bake.new_object(kinds::DEPLOYMENTS, object, By::update("kubectl-client-side-apply"), since);
    small_deployment(site, object, crew);
}

fn small_deployment(site: &Site<'_>, mut object: Value, crew: Crew) {
    let limits = deployment::limits(&object);
    let set = deployment::replica_set(&object, "1", limits, limits.replicas);
    let mut set = site.bake.new_object(kinds::REPLICASETS, set, KCM, crew.since);
    let mut made = Vec::new();
    for n in 0..limits.replicas {
        let tail = seed::suffix(site.bake.seed, &[uid(&set), &n.to_string()], 5);
        let pod = pod(&set, at(&set, "/spec/template"), &format!("{}-{tail}", name(&set)), &[]);
        made.push(site.pod(pod, "", crew, n, KCM));
    }
    let status = replica_set::status(&set, pods::count(&made, 0, site.bake.now));
    site.bake.report(kinds::REPLICASETS, &mut set, KCM, crew.since, status);
    for first in [true, false] {
        let (status, _) = deployment::status(&object, Some(&set), &[], limits, crew.since, first);
        site.bake.report(kinds::DEPLOYMENTS, &mut object, KCM, crew.since, status);
    }
    site.bake.load(kinds::REPLICASETS, set);
    site.bake.load(kinds::DEPLOYMENTS, object);
}

fn storage(site: &Site<'_>) {
    let made = site.bake.ago(site.cluster.age_days * 1400);
    let by = By::update("kubectl-client-side-apply");
    let driver = driver(site.cluster);
    let provisioner = if driver.is_empty() { "rancher.io/local-path" } else { driver };
    let class = json!({"metadata": {"name": "standard", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": provisioner, "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer", "allowVolumeExpansion": true});
    site.bake.put(kinds::STORAGECLASSES, class, by, made);
    if !driver.is_empty() {
        let object = json!({"metadata": {"name": driver}, "spec": {"attachRequired": true, "podInfoOnMount": false, "fsGroupPolicy": "File",
            "requiresRepublish": false, "seLinuxMount": false, "storageCapacity": false, "volumeLifecycleModes": ["Persistent"]}});
        site.bake.put(kinds::CSIDRIVERS, object, by, made);
    }
}

/// Definitions of Argo Rollouts and OpenKruise, which make the store serve their kinds.
fn definitions(site: &Site<'_>) {
    if site.cluster.environment == "edge" {
        return;
    }
    for rid in [kinds::ROLLOUTS, kinds::CLONESETS, kinds::KRUISE_STATEFULSETS, kinds::KRUISE_DAEMONSETS] {
        let resource = site.bake.store.resource(rid);
        let version = resource.preferred();
        let names = json!({"kind": resource.kind, "listKind": format!("{}List", resource.kind), "plural": resource.plural, "singular": resource.singular, "shortNames": resource.short});
        let versions: Vec<Value> = resource.versions.iter().map(|v| {
            json!({"name": v, "served": true, "storage": v == version, "subresources": {"status": {}, "scale": {
                "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.labelSelector"}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}})
        }).collect();
        let object = json!({"metadata": {"name": resource.qualified()}, "spec": {"group": resource.group, "scope": "Namespaced",
            "names": names, "versions": versions, "conversion": {"strategy": "None"}},
            "status": {"acceptedNames": names, "storedVersions": [version], "conditions": [
                {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found", "lastTransitionTime": stamp(site.bake.ago(90_000))},
                {"type": "Established", "status": "True", "reason": "InitialNamesAccepted", "message": "the initial names have been accepted", "lastTransitionTime": stamp(site.bake.ago(90_000))}]}});
        site.bake.put(kinds::CRDS, object, By::update("kubectl-client-side-apply"), site.bake.ago(90_000));
        site.bake.store.define((*resource).clone(), true);
    }
}
