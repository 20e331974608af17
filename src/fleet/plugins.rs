//! Marks by which network, storage and other plug-ins and distributions are recognised (specs: governance 7.2, 7.3).
//!
//! A rule names a workload by kind, name or label. Further marks (API groups, node annotations, condition reasons) make a
//! network plug-in certain.

use super::row::Row;
use crate::model::{Builtin, KindId};

/// What a plug-in does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Pod network.
    Network,
    /// Additional pod networks, never the primary one.
    Secondary,
    /// Cluster DNS.
    Dns,
    /// Resource metrics.
    Metrics,
    /// Ingress or gateway controller.
    Ingress,
    /// Delivery agent.
    Delivery,
    /// Certificates.
    Certificates,
    /// Policy engine.
    Policy,
    /// Service mesh.
    Mesh,
    /// Node provisioning.
    Scaling,
    /// Service proxy of the nodes.
    Proxy,
    /// Backup.
    Backup,
    /// Monitoring.
    Monitoring,
}

impl Role {
    /// Stable word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Network => "primary",
            Self::Secondary => "secondary",
            Self::Dns => "dns",
            Self::Metrics => "metrics",
            Self::Ingress => "ingress",
            Self::Delivery => "gitops",
            Self::Certificates => "certificates",
            Self::Policy => "policy",
            Self::Mesh => "mesh",
            Self::Scaling => "scaling",
            Self::Proxy => "proxy",
            Self::Backup => "backup",
            Self::Monitoring => "monitoring",
        }
    }
}

/// How a workload is recognised.
#[derive(Clone, Copy, Debug)]
enum By {
    /// A label with this value, on the object or its pod template.
    Label(&'static str, &'static str),
    /// The name.
    Name(&'static str),
    /// A part of the name.
    Part(&'static str),
}

/// One plug-in.
#[derive(Debug)]
pub(super) struct Rule {
    /// Name shown.
    pub(super) name: &'static str,
    /// What it does.
    pub(super) role: Role,
    kind: Builtin,
    by: &'static [By],
    /// API groups that go with it (suffixes).
    pub(super) groups: &'static [&'static str],
    /// Prefixes of node annotations and condition reasons that go with it.
    pub(super) marks: &'static [&'static str],
    /// Container that carries its version; empty = the first one.
    pub(super) container: &'static str,
}

use By::{Label, Name, Part};

const fn network(
    name: &'static str,
    by: &'static [By],
    groups: &'static [&'static str],
    marks: &'static [&'static str],
    container: &'static str,
) -> Rule {
    Rule { name, role: Role::Network, kind: Builtin::DaemonSet, by, groups, marks, container }
}

const fn add_on(name: &'static str, role: Role, kind: Builtin, by: &'static [By]) -> Rule {
    Rule { name, role, kind, by, groups: &[], marks: &[], container: "" }
}

const D: Builtin = Builtin::Deployment;

/// All rules; the first that fits wins, network plug-ins in the order of their precedence.
pub(super) static RULES: &[Rule] = &[
    network(
        "OVN-Kubernetes",
        &[Label("app", "ovnkube-node")],
        &["config.openshift.io"],
        &["k8s.ovn.org/"],
        "ovnkube-controller",
    ),
    network(
        "Cilium",
        &[Label("k8s-app", "cilium"), Name("anetd")],
        &["cilium.io"],
        &["network.cilium.io/", "io.cilium.network.", "CiliumIsUp"],
        "cilium-agent",
    ),
    network(
        "Calico",
        &[Label("k8s-app", "calico-node")],
        &["crd.projectcalico.org", "operator.tigera.io"],
        &["projectcalico.org/", "CalicoIsUp"],
        "calico-node",
    ),
    network(
        "Canal",
        &[Label("k8s-app", "canal")],
        &["crd.projectcalico.org"],
        &["flannel.alpha.coreos.com/"],
        "calico-node",
    ),
    network("Antrea", &[Label("component", "antrea-agent")], &["crd.antrea.io"], &[], "antrea-agent"),
    network("Kube-OVN", &[Label("app", "kube-ovn-cni")], &["kubeovn.io"], &["ovn.kubernetes.io/"], "cni-server"),
    network("AWS VPC CNI", &[Label("k8s-app", "aws-node")], &["crd.k8s.amazonaws.com"], &[], "aws-node"),
    network("Azure CNI", &[Label("k8s-app", "azure-cns")], &[], &["kubernetes.azure.com/podnetwork-"], ""),
    network("Flannel", &[Part("flannel")], &[], &["flannel.alpha.coreos.com/", "FlannelIsUp"], "kube-flannel"),
    network("Weave", &[Label("name", "weave-net")], &[], &["WeaveIsUp"], "weave"),
    network("kube-router", &[Label("k8s-app", "kube-router")], &[], &[], ""),
    network("kindnet", &[Label("app", "kindnet"), Label("k8s-app", "kindnet")], &[], &[], ""),
    Rule {
        name: "Multus",
        role: Role::Secondary,
        kind: Builtin::DaemonSet,
        by: &[Part("kube-multus")],
        groups: &["k8s.cni.cncf.io"],
        marks: &[],
        container: "",
    },
    add_on("CoreDNS", Role::Dns, D, &[Label("k8s-app", "kube-dns"), Name("coredns")]),
    add_on("kube-proxy", Role::Proxy, Builtin::DaemonSet, &[Label("k8s-app", "kube-proxy"), Name("kube-proxy")]),
    add_on("metrics-server", Role::Metrics, D, &[Label("k8s-app", "metrics-server"), Name("metrics-server")]),
    add_on(
        "ingress-nginx",
        Role::Ingress,
        D,
        &[Label("app.kubernetes.io/name", "ingress-nginx"), Name("ingress-nginx-controller")],
    ),
    add_on(
        "ingress-nginx",
        Role::Ingress,
        Builtin::DaemonSet,
        &[Label("app.kubernetes.io/name", "ingress-nginx"), Name("ingress-nginx-controller")],
    ),
    add_on("Traefik", Role::Ingress, D, &[Label("app.kubernetes.io/name", "traefik"), Name("traefik")]),
    add_on("Contour", Role::Ingress, D, &[Name("contour")]),
    add_on("Envoy Gateway", Role::Ingress, D, &[Name("envoy-gateway")]),
    add_on("Istio", Role::Mesh, D, &[Label("app", "istiod"), Name("istiod")]),
    add_on("Linkerd", Role::Mesh, D, &[Name("linkerd-destination")]),
    Rule {
        name: "Argo CD",
        role: Role::Delivery,
        kind: Builtin::StatefulSet,
        by: &[Label("app.kubernetes.io/name", "argocd-application-controller"), Name("argocd-application-controller")],
        groups: &[],
        marks: &[],
        container: "",
    },
    add_on("Flux", Role::Delivery, D, &[Name("kustomize-controller")]),
    add_on("Karmada agent", Role::Delivery, D, &[Name("karmada-agent")]),
    add_on("OCM klusterlet", Role::Delivery, D, &[Name("klusterlet-agent"), Name("klusterlet-work-agent")]),
    add_on("Fleet agent", Role::Delivery, D, &[Name("fleet-agent")]),
    add_on("Fleet agent", Role::Delivery, Builtin::StatefulSet, &[Name("fleet-agent")]),
    add_on("KubeVela", Role::Delivery, D, &[Name("kubevela-vela-core")]),
    add_on(
        "Argo Rollouts",
        Role::Delivery,
        D,
        &[Label("app.kubernetes.io/name", "argo-rollouts"), Name("argo-rollouts")],
    ),
    add_on("OpenKruise", Role::Delivery, D, &[Name("kruise-controller-manager")]),
    add_on("cert-manager", Role::Certificates, D, &[Name("cert-manager")]),
    add_on("Gatekeeper", Role::Policy, D, &[Name("gatekeeper-controller-manager")]),
    add_on("Kyverno", Role::Policy, D, &[Name("kyverno-admission-controller"), Name("kyverno")]),
    add_on("Cluster Autoscaler", Role::Scaling, D, &[Name("cluster-autoscaler")]),
    add_on("Karpenter", Role::Scaling, D, &[Name("karpenter")]),
    add_on("Velero", Role::Backup, D, &[Name("velero")]),
    add_on("Prometheus", Role::Monitoring, Builtin::StatefulSet, &[Label("app.kubernetes.io/name", "prometheus")]),
    add_on(
        "node-exporter",
        Role::Monitoring,
        Builtin::DaemonSet,
        &[
            Label("app.kubernetes.io/name", "prometheus-node-exporter"),
            Label("app.kubernetes.io/name", "node-exporter"),
        ],
    ),
];

/// The plug-in that a workload is, if it is one.
pub(super) fn recognise(kind: KindId, row: &Row) -> Option<&'static Rule> {
    let kind = kind.builtin()?;
    RULES.iter().find(|r| r.kind == kind && r.by.iter().any(|by| fits(*by, row)))
}

fn fits(by: By, row: &Row) -> bool {
    match by {
        Name(name) => row.name == name,
        Part(part) => row.name.contains(part),
        Label(key, value) => {
            row.label(key) == Some(value)
                || row.workload().is_some_and(|w| super::row::find_label(&w.template_labels, key) == Some(value))
        }
    }
}

/// Node labels that tell a distribution, and which.
const NODE_LABELS: &[(&str, &str)] = &[
    ("eks.amazonaws.com/nodegroup", "EKS"),
    ("cloud.google.com/gke-nodepool", "GKE"),
    ("kubernetes.azure.com/cluster", "AKS"),
    ("node.openshift.io/os_id", "OpenShift"),
    ("microk8s.io/cluster", "MicroK8s"),
    ("minikube.k8s.io/name", "minikube"),
];

/// True for a node label that tells a distribution.
pub(super) fn tells_distribution(label: &str) -> bool {
    NODE_LABELS.iter().any(|(key, _)| *key == label)
}

/// The distribution that a node label tells.
pub(super) fn distribution_of_label(label: &str) -> Option<&'static str> {
    NODE_LABELS.iter().find(|(key, _)| *key == label).map(|(_, name)| *name)
}

/// The distribution that a server's gitVersion tells.
pub(super) fn distribution_of_version(git: &str) -> Option<&'static str> {
    const MARKS: &[(&str, &str)] = &[
        ("-eks-", "EKS"),
        ("-gke.", "GKE"),
        ("+k3s", "k3s"),
        ("+rke2", "RKE2"),
        ("-aliyun", "ACK"),
        ("-tke", "TKE"),
        ("+IKS", "IKS"),
        ("+vmware", "VMware"),
        ("-mirantis", "Mirantis"),
    ];
    MARKS.iter().find(|(mark, _)| git.contains(mark)).map(|(_, name)| *name)
}

/// The provider that the scheme (or another mark) of a providerID tells; the scheme itself when it is not known.
pub(super) fn provider_of_scheme(scheme: &str) -> String {
    const SCHEMES: &[(&str, &str)] = &[
        ("aws", "AWS"),
        ("gce", "Google Cloud"),
        ("azure", "Azure"),
        ("openstack", "OpenStack"),
        ("vsphere", "vSphere"),
        ("ibm", "IBM Cloud"),
        ("ibmcloud", "IBM Cloud"),
        ("alicloud", "Alibaba Cloud"),
        ("qcloud", "Tencent Cloud"),
        ("oci", "Oracle Cloud"),
        ("digitalocean", "DigitalOcean"),
        ("hcloud", "Hetzner"),
        ("linode", "Linode"),
        ("kind", "kind"),
        ("k3s", "bare metal (k3s)"),
        ("metal3", "Metal3"),
        ("baremetalhost", "Metal3"),
        ("kubevirt", "KubeVirt"),
        ("nutanix", "Nutanix"),
    ];
    let bare = scheme.trim_end_matches("://");
    SCHEMES.iter().find(|(mark, _)| *mark == bare).map_or_else(|| bare.to_owned(), |(_, name)| (*name).to_owned())
}

/// The distribution that a provider's scheme agrees with: by itself for some, as a second mark for others.
pub(super) fn distribution_of_scheme(scheme: &str, marks: &[&'static str]) -> Option<&'static str> {
    const ALONE: &[(&str, &str)] = &[("kind", "kind"), ("k3s", "k3s")];
    const SECOND: &[(&str, &str)] = &[
        ("aws", "EKS"),
        ("gce", "GKE"),
        ("azure", "AKS"),
        ("alicloud", "ACK"),
        ("qcloud", "TKE"),
        ("ibm", "IKS"),
        ("vsphere", "VMware"),
    ];
    let scheme = scheme.trim_end_matches("://");
    let of = |table: &[(&str, &'static str)]| table.iter().find(|(s, _)| *s == scheme).map(|(_, name)| *name);
    of(ALONE).or_else(|| of(SECOND).filter(|name| marks.contains(name)))
}

/// The distribution that a server's address suggests.
pub(super) fn distribution_of_server(server: &str) -> Option<&'static str> {
    const MARKS: &[(&str, &str)] = &[
        (".eks.amazonaws.com", "EKS"),
        (".azmk8s.io", "AKS"),
        (".gke.goog", "GKE"),
        (".aliyuncs.com", "ACK"),
        (".openshift.com", "OpenShift"),
    ];
    MARKS.iter().find(|(mark, _)| server.contains(mark)).map(|(_, name)| *name)
}
