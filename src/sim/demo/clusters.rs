//! The clusters of the demo fleet: who runs them, where, on what, and what is wrong with each. Data only.

/// Who made the distribution: decides version suffix, node labels, provider ids and system daemons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Amazon EKS with the VPC CNI.
    Eks,
    /// Alibaba Cloud ACK with flannel.
    Ack,
    /// Tencent TKE with Cilium.
    Tke,
    /// kubeadm on metal with Calico.
    Kubeadm,
    /// k3s with its built-in flannel.
    K3s,
}

/// What an engineer would find wrong with the cluster itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing.
    None,
    /// One node stopped reporting, one is short of memory.
    NodeDown,
    /// The login is refused (401).
    LoginExpired,
    /// Nobody listens at its address.
    Refused,
    /// Falls silent after so many seconds, connections stay open.
    FallsSilent(u64),
    /// Far away: milliseconds for a round trip.
    Slow(u64),
    /// Nodes may not be listed (403).
    NodesForbidden,
    /// The API server's certificate ends in so many days.
    CertificateEnds(i64),
}

/// One cluster.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    /// Name, also of the kubeconfig context.
    pub name: &'static str,
    /// Short name for narrow columns.
    pub alias: &'static str,
    /// Environment.
    pub environment: &'static str,
    /// Cloud region as node labels tell it.
    pub region: &'static str,
    /// Zones.
    pub zones: &'static [&'static str],
    /// Distribution.
    pub flavour: Flavour,
    /// `gitVersion` of the API server.
    pub version: &'static str,
    /// Version of the kubelets; some lag behind.
    pub kubelet: &'static str,
    /// Nodes.
    pub nodes: usize,
    /// Instance type of the nodes.
    pub instance: &'static str,
    /// Owning team.
    pub team: &'static str,
    /// Tier.
    pub tier: &'static str,
    /// Whom to call: who, and where to reach them.
    pub contacts: &'static [(&'static str, &'static str)],
    /// What is wrong.
    pub trouble: Trouble,
    /// Scales the replicas of services: percent.
    pub size: i64,
    /// Days since it was made.
    pub age_days: i64,
    /// A word on it, for the fleet file.
    pub note: &'static str,
}

/// Sizes in percent, smallest first, with the word of the label `size`.
pub const SIZES: &[(i64, &str)] = &[(25, "xs"), (50, "s"), (75, "m"), (100, "l"), (150, "xl")];

impl Cluster {
    /// The value of its label `size`.
    pub fn size_word(&self) -> &'static str {
        SIZES.iter().find(|(size, _)| *size == self.size).map_or("l", |(_, word)| word)
    }
}

/// The fleet, in the order of the fleet file.
pub const CLUSTERS: &[Cluster] = &[
    Cluster {
        name: "eu-west-1-prod-a",
        alias: "eu-w1-a",
        environment: "prod",
        region: "eu-west-1",
        zones: &["eu-west-1a", "eu-west-1b", "eu-west-1c"],
        flavour: Flavour::Eks,
        version: "v1.36.2-eks-3abbec1",
        kubelet: "v1.36.2-eks-3abbec1",
        nodes: 9,
        instance: "m7i.4xlarge",
        team: "payments-sre",
        tier: "1",
        contacts: &[("payments on-call", "payments-oncall@example.com"), ("on-call telephone", "+353 1 555 0142")],
        trouble: Trouble::NodeDown,
        size: 100,
        age_days: 612,
        note: "card payments, western Europe",
    },
    Cluster {
        name: "eu-west-1-prod-b",
        alias: "eu-w1-b",
        environment: "prod",
        region: "eu-west-1",
        zones: &["eu-west-1a", "eu-west-1b", "eu-west-1c"],
        flavour: Flavour::Eks,
        version: "v1.36.2-eks-3abbec1",
        kubelet: "v1.36.2-eks-3abbec1",
        nodes: 8,
        instance: "m7i.4xlarge",
        team: "payments-sre",
        tier: "1",
        contacts: &[("payments on-call", "payments-oncall@example.com"), ("on-call telephone", "+353 1 555 0142")],
        trouble: Trouble::None,
        size: 100,
        age_days: 598,
        note: "twin of eu-west-1-prod-a",
    },
    Cluster {
        name: "us-east-1-prod-a",
        alias: "us-e1-a",
        environment: "prod",
        region: "us-east-1",
        zones: &["us-east-1a", "us-east-1b", "us-east-1d"],
        flavour: Flavour::Eks,
        version: "v1.35.4-eks-7f0c1de",
        kubelet: "v1.34.6-eks-1d2a910",
        nodes: 10,
        instance: "m7i.4xlarge",
        team: "payments-sre",
        tier: "1",
        contacts: &[("payments on-call", "payments-oncall@example.com"), ("on-call telephone", "+1 212 555 0187")],
        trouble: Trouble::None,
        size: 150,
        age_days: 580,
        note: "card payments, Americas",
    },
    Cluster {
        name: "us-west-2-prod",
        alias: "us-w2",
        environment: "prod",
        region: "us-west-2",
        zones: &["us-west-2a", "us-west-2b"],
        flavour: Flavour::Eks,
        version: "v1.35.4-eks-7f0c1de",
        kubelet: "v1.35.4-eks-7f0c1de",
        nodes: 6,
        instance: "m7i.2xlarge",
        team: "storefront",
        tier: "2",
        contacts: &[("storefront on-call", "storefront-oncall@example.com")],
        trouble: Trouble::LoginExpired,
        size: 75,
        age_days: 377,
        note: "login by single sign-on",
    },
    Cluster {
        name: "sa-east-1-prod",
        alias: "sa-e1",
        environment: "prod",
        region: "sa-east-1",
        zones: &["sa-east-1a", "sa-east-1c"],
        flavour: Flavour::Eks,
        version: "v1.34.9-eks-5b2cd00",
        kubelet: "v1.34.9-eks-5b2cd00",
        nodes: 4,
        instance: "m6i.2xlarge",
        team: "storefront",
        tier: "2",
        contacts: &[("storefront on-call", "storefront-oncall@example.com")],
        trouble: Trouble::Refused,
        size: 75,
        age_days: 290,
        note: "Brazil",
    },
    Cluster {
        name: "ap-south-1-prod",
        alias: "ap-s1",
        environment: "prod",
        region: "ap-south-1",
        zones: &["ap-south-1a", "ap-south-1b"],
        flavour: Flavour::Eks,
        version: "v1.33.11-eks-0c41b77",
        kubelet: "v1.33.11-eks-0c41b77",
        nodes: 6,
        instance: "m6i.4xlarge",
        team: "storefront",
        tier: "2",
        contacts: &[("storefront on-call", "storefront-oncall@example.com"), ("on-call telephone", "+91 22 5550 0163")],
        trouble: Trouble::FallsSilent(75),
        size: 75,
        age_days: 455,
        note: "the line to Mumbai is bad",
    },
    Cluster {
        name: "ap-northeast-1-prod",
        alias: "ap-ne1",
        environment: "prod",
        region: "ap-northeast-1",
        zones: &["ap-northeast-1a", "ap-northeast-1c"],
        flavour: Flavour::Eks,
        version: "v1.36.2-eks-3abbec1",
        kubelet: "v1.36.2-eks-3abbec1",
        nodes: 5,
        instance: "m7i.2xlarge",
        team: "logistics",
        tier: "2",
        contacts: &[("logistics on-call", "logistics-oncall@example.com")],
        trouble: Trouble::NodesForbidden,
        size: 75,
        age_days: 198,
        note: "run by a partner; our role may not list nodes",
    },
    Cluster {
        name: "cn-north-1-prod",
        alias: "cn-n1",
        environment: "prod",
        region: "cn-beijing",
        zones: &["cn-beijing-h", "cn-beijing-k", "cn-beijing-l"],
        flavour: Flavour::Ack,
        version: "v1.35.1-aliyun.1",
        kubelet: "v1.35.1-aliyun.1",
        nodes: 8,
        instance: "ecs.g8i.4xlarge",
        team: "支付平台",
        tier: "1",
        contacts: &[("支付值班", "pay-oncall@example.cn"), ("on-call telephone", "+86 10 5550 0112")],
        trouble: Trouble::Slow(280),
        size: 100,
        age_days: 530,
        note: "华北生产",
    },
    Cluster {
        name: "cn-shanghai-prod",
        alias: "cn-sh",
        environment: "prod",
        region: "ap-shanghai",
        zones: &["200003", "200004"],
        flavour: Flavour::Tke,
        version: "v1.34.1-tke.6",
        kubelet: "v1.34.1-tke.6",
        nodes: 6,
        instance: "SA5.4XLARGE64",
        team: "支付平台",
        tier: "1",
        contacts: &[("支付值班", "pay-oncall@example.cn")],
        trouble: Trouble::None,
        size: 100,
        age_days: 415,
        note: "华东生产",
    },
    Cluster {
        name: "staging",
        alias: "stg",
        environment: "staging",
        region: "dc-fra1",
        zones: &["fra1-r1", "fra1-r2"],
        flavour: Flavour::Kubeadm,
        version: "v1.37.1",
        kubelet: "v1.37.1",
        nodes: 4,
        instance: "r650",
        team: "platform",
        tier: "3",
        contacts: &[("platform", "platform@example.com")],
        trouble: Trouble::None,
        size: 50,
        age_days: 702,
        note: "release candidates, own metal in Frankfurt",
    },
    Cluster {
        name: "dev",
        alias: "dv",
        environment: "dev",
        region: "dc-fra1",
        zones: &["fra1-r3"],
        flavour: Flavour::Kubeadm,
        version: "v1.37.2",
        kubelet: "v1.37.2",
        nodes: 3,
        instance: "r650",
        team: "platform",
        tier: "4",
        contacts: &[("platform", "platform@example.com")],
        trouble: Trouble::None,
        size: 25,
        age_days: 702,
        note: "main branches",
    },
    Cluster {
        name: "edge-store-0412",
        alias: "edge-412",
        environment: "edge",
        region: "store-0412",
        zones: &["backroom"],
        flavour: Flavour::K3s,
        version: "v1.31.14+k3s1",
        kubelet: "v1.31.14+k3s1",
        nodes: 2,
        instance: "k3s",
        team: "retail-edge",
        tier: "3",
        contacts: &[("retail-edge", "retail-edge@example.com")],
        trouble: Trouble::CertificateEnds(6),
        size: 25,
        age_days: 840,
        note: "a shop in Lyon, two boxes in the back room",
    },
];
