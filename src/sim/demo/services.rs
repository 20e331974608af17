//! The services of the demo fleet, and how single clusters differ. Data only.

/// Business systems; each has one namespace and one way of delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Card payments.
    Payments,
    /// The web shop.
    Storefront,
    /// Customers and messages.
    Customer,
    /// Goods and parcels.
    Logistics,
    /// Data and reports.
    Data,
    /// Risk and wallets in China.
    Risk,
    /// What the platform team runs.
    Platform,
    /// In the shops.
    Edge,
}

/// Which tool delivers the objects, as its marks on them tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Argo CD, annotation tracking.
    ArgoCd,
    /// Flux Kustomization.
    Flux,
    /// Helm by hand.
    Helm,
    /// Rancher Fleet.
    Fleet,
    /// KubeVela.
    Vela,
    /// Karmada.
    Karmada,
    /// Open Cluster Management.
    Ocm,
}

impl System {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Payments,
        Self::Storefront,
        Self::Customer,
        Self::Logistics,
        Self::Data,
        Self::Risk,
        Self::Platform,
        Self::Edge,
    ];

    /// Namespace, and the value of `app.kubernetes.io/part-of`.
    pub fn namespace(self) -> &'static str {
        match self {
            Self::Payments => "payments",
            Self::Storefront => "storefront",
            Self::Customer => "customer",
            Self::Logistics => "logistics",
            Self::Data => "data",
            Self::Risk => "risk",
            Self::Platform => "platform",
            Self::Edge => "edge",
        }
    }

    /// Owning team.
    pub fn team(self) -> &'static str {
        match self {
            Self::Payments => "payments-sre",
            Self::Storefront => "storefront",
            Self::Customer => "customer-care",
            Self::Logistics => "logistics",
            Self::Data => "data-platform",
            Self::Risk => "risk-cn",
            Self::Platform => "platform",
            Self::Edge => "retail-edge",
        }
    }

    /// How its objects come into a cluster.
    pub fn delivery(self) -> Delivery {
        match self {
            Self::Payments => Delivery::ArgoCd,
            Self::Storefront => Delivery::Flux,
            Self::Customer => Delivery::Helm,
            Self::Logistics | Self::Edge => Delivery::Fleet,
            Self::Data => Delivery::Vela,
            Self::Risk => Delivery::Karmada,
            Self::Platform => Delivery::Ocm,
        }
    }

    /// Whether the cluster runs it.
    pub fn runs_in(self, cluster: &str, environment: &str) -> bool {
        match self {
            Self::Risk => cluster.starts_with("cn-") || cluster == "staging",
            Self::Edge => matches!(environment, "edge" | "dev"),
            Self::Platform => true,
            Self::Data => environment != "edge" && cluster != "ap-northeast-1-prod",
            _ => environment != "edge",
        }
    }
}

/// What kind of workload a service is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Deployment.
    Deployment,
    /// StatefulSet.
    StatefulSet,
    /// DaemonSet.
    DaemonSet,
    /// CronJob with its schedule.
    CronJob(&'static str),
    /// OpenKruise CloneSet with its partition.
    CloneSet(&'static str),
    /// Argo Rollout.
    ArgoRollout,
}

/// One service.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// Name of the workload and its objects.
    pub name: &'static str,
    /// System it belongs to.
    pub system: System,
    /// Workload.
    pub shape: Shape,
    /// Tag in production.
    pub version: &'static str,
    /// Tag before that.
    pub before: &'static str,
    /// Pods in a cluster of size 100.
    pub replicas: i64,
}

impl Service {
    /// Pods in a cluster of this size where nothing else is said: the share of the size, rounded, and never none.
    pub fn pods_at(&self, size: i64) -> i64 {
        ((self.replicas * size + 50) / 100).max(1)
    }
}

const fn s(
    name: &'static str,
    system: System,
    shape: Shape,
    version: &'static str,
    before: &'static str,
    replicas: i64,
) -> Service {
    Service { name, system, shape, version, before, replicas }
}

use Shape::{ArgoRollout, CloneSet, CronJob, DaemonSet, Deployment as D, StatefulSet as S};
use System::{Customer, Data, Edge, Logistics, Payments, Platform, Risk, Storefront};

/// All services.
pub const SERVICES: &[Service] = &[
    s("api-gateway", Payments, D, "2.14.1", "2.14.0", 6),
    s("ledger", Payments, D, "8.3.0", "8.2.9", 8),
    s("ledger-worker", Payments, D, "8.3.0", "8.2.9", 4),
    s("fraud-score", Payments, D, "41", "40", 10),
    s("card-vault", Payments, S, "5.2.3", "5.2.1", 3),
    s("payment-router", Payments, ArgoRollout, "3.8.0", "3.7.4", 5),
    s("payout", Payments, D, "2.2.1", "2.2.0", 2),
    s("payment-recon", Payments, D, "3.1.0", "3.0.8", 2),
    s("settlement", Payments, CronJob("15 2 * * *"), "1.17.0", "1.16.3", 1),
    s("fx-rates", Payments, D, "4.0.2", "4.0.1", 2),
    s("dispute-desk", Payments, D, "1.4.0", "1.3.9", 2),
    s("web", Storefront, D, "latest", "latest", 6),
    s("catalog", Storefront, D, "7.11.3", "7.11.2", 4),
    s("search", Storefront, CloneSet("0"), "3.30.1", "3.30.0", 5),
    s("cart", Storefront, D, "5.6.0", "5.5.2", 4),
    s("checkout", Storefront, D, "6.1.4", "6.1.3", 5),
    s("pricing", Storefront, D, "2.9.0", "2.8.7", 3),
    s("recommendations", Storefront, CloneSet("30%"), "12.4", "12.3", 5),
    s("image-resizer", Storefront, D, "1.2.8", "1.2.7", 3),
    s("reviews", Storefront, D, "0.44.1", "0.44.0", 2),
    s("promo", Storefront, D, "2026.11.3", "2026.11.2", 2),
    s("sitemap", Storefront, CronJob("0 */6 * * *"), "1.0.9", "1.0.8", 1),
    s("profile", Customer, D, "4.7.2", "4.7.1", 3),
    s("identity", Customer, D, "9.0.1", "8.9.6", 4),
    s("session", Customer, S, "7.2.5", "7.2.4", 3),
    s("notifications", Customer, D, "1.9.2", "1.9.1", 3),
    s("preferences", Customer, D, "1.1.0", "1.0.4", 2),
    s("kyc", Customer, D, "3.3.3", "3.3.1", 2),
    s("statement-pdf", Customer, D, "0.7.4", "0.7.3", 3),
    s("email-render", Customer, D, "2.5.0", "2.4.9", 2),
    s("push-gateway", Customer, D, "1.8.8", "1.8.7", 2),
    s("shipping", Logistics, D, "5.0.0", "4.9.9", 3),
    s("tracking", Logistics, D, "2.22.0", "2.21.4", 4),
    s("warehouse", Logistics, D, "3.6.1", "3.6.0", 2),
    s("route-planner", Logistics, D, "1.15.2", "1.15.1", 2),
    s("label-print", Logistics, D, "0.9.6", "0.9.5", 2),
    s("returns", Logistics, D, "1.7.0", "1.6.9", 2),
    s("carrier-sync", Logistics, CronJob("*/30 * * * *"), "2.0.3", "2.0.2", 1),
    s("inventory", Logistics, D, "6.2.0", "6.1.8", 4),
    s("events-ingest", Data, D, "10.1.0", "10.0.4", 4),
    s("kafka-connect", Data, S, "3.9.1", "3.9.0", 3),
    s("reports", Data, D, "1.31.0", "1.30.2", 2),
    s("etl-nightly", Data, CronJob("30 1 * * *"), "4.4.4", "4.4.3", 1),
    s("feature-store", Data, D, "0.18.2", "0.18.1", 2),
    s("clickhouse", Data, S, "26.8.3", "26.3.7", 2),
    s("metrics-rollup", Data, D, "2.1.1", "2.1.0", 1),
    s("risk-engine", Risk, D, "5.8.0", "5.7.9", 4),
    s("blacklist", Risk, D, "1.12.0", "1.11.6", 2),
    s("device-print", Risk, D, "2.3.1", "2.3.0", 2),
    s("wechat-pay-adapter", Risk, D, "3.14.2", "3.14.1", 3),
    s("alipay-adapter", Risk, D, "4.2.0", "4.1.9", 3),
    s("unionpay-adapter", Risk, D, "2.6.5", "2.6.4", 2),
    s("ingress-nginx-controller", Platform, D, "v1.14.2", "v1.14.1", 2),
    s("cert-manager", Platform, D, "v1.20.1", "v1.20.0", 1),
    s("external-dns", Platform, D, "v0.21.0", "v0.20.0", 1),
    s("prometheus", Platform, S, "v3.8.1", "v3.8.0", 2),
    s("alertmanager", Platform, S, "v0.31.0", "v0.30.1", 2),
    s("grafana", Platform, D, "12.4.1", "12.4.0", 1),
    s("otel-collector", Platform, DaemonSet, "0.140.1", "0.139.0", 0),
    s("log-shipper", Platform, DaemonSet, "4.2.1", "4.2.0", 0),
    s("policy-agent", Platform, D, "v1.16.2", "v1.16.1", 1),
    s("pos-gateway", Edge, D, "2.4.0", "2.3.8", 4),
    s("store-cache", Edge, S, "1.6.3", "1.6.2", 4),
    s("price-sync", Edge, D, "1.3.1", "1.3.0", 4),
    s("receipt-printer", Edge, D, "0.8.8", "0.8.7", 4),
    s("shelf-camera", Edge, DaemonSet, "0.5.2", "0.5.1", 0),
];

/// How one service in one cluster differs from the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twist {
    /// Another tag, put there by the usual delivery.
    Version(&'static str),
    /// Another tag and a larger memory limit, put there by hand with `kubectl edit` so many minutes ago.
    EditedByHand(&'static str, i64),
    /// Another content of the ConfigMap.
    Config(&'static str),
    /// What the moving tag meant when the pods here were started.
    Content(&'static str),
    /// A release so many minutes ago whose new pods behave as the tag says and never become ready.
    BadRelease(&'static str, i64),
    /// A release that is rolling right now; each new pod takes so many seconds.
    Rolling(&'static str, i64),
    /// A canary of so many percent that waits for a person.
    Canary(&'static str, i64),
    /// Another number of pods.
    Replicas(i64),
    /// All pods crash since so many minutes.
    AllCrash(&'static str, i64),
    /// Not placed here.
    Absent,
}

impl Twist {
    /// Whether the deploy tree says so. What it does not say is one of the stories: an old version that a delivery left behind,
    /// an edit by hand, a release that went wrong.
    pub fn is_declared(self, service: &Service) -> bool {
        match self {
            Self::Version(tag) => tag != service.before,
            Self::Rolling(..) | Self::Canary(..) | Self::Replicas(_) | Self::Absent => true,
            Self::EditedByHand(..) | Self::Config(_) | Self::BadRelease(..) | Self::AllCrash(..) => false,
            // What a moving tag means is not for files to say.
            Self::Content(_) => true,
        }
    }
}

/// The differences: service, cluster, what.
pub const TWISTS: &[(&str, &str, Twist)] = &[
    ("ledger", "us-east-1-prod-a", Twist::EditedByHand("8.2.7", 15)),
    ("fraud-score", "eu-west-1-prod-a", Twist::Rolling("42", 24)),
    ("fraud-score", "staging", Twist::Version("42")),
    ("fraud-score", "dev", Twist::Version("43-rc1")),
    ("notifications", "us-east-1-prod-a", Twist::Config("provider: ses\nretries: 9\nbatch: 500\n")),
    ("statement-pdf", "eu-west-1-prod-a", Twist::AllCrash("crash-0.7.5", 52)),
    ("statement-pdf", "ap-south-1-prod", Twist::Absent),
    ("statement-pdf", "cn-north-1-prod", Twist::Absent),
    ("statement-pdf", "cn-shanghai-prod", Twist::Absent),
    ("payment-recon", "ap-south-1-prod", Twist::Absent),
    ("payment-recon", "cn-shanghai-prod", Twist::Version("3.1.1")),
    ("web", "eu-west-1-prod-a", Twist::Content("build 9714")),
    ("web", "eu-west-1-prod-b", Twist::Content("build 9714")),
    ("web", "us-east-1-prod-a", Twist::Content("build 9702")),
    ("web", "cn-north-1-prod", Twist::Content("build 9655")),
    ("web", "cn-shanghai-prod", Twist::Content("build 9714")),
    ("web", "staging", Twist::Content("build 9731")),
    ("web", "dev", Twist::Content("build 9740")),
    ("catalog", "cn-shanghai-prod", Twist::BadRelease("nopull-7.12.0", 34)),
    ("reviews", "staging", Twist::BadRelease("unready-0.45.0-rc2", 96)),
    ("identity", "dev", Twist::BadRelease("crash-9.1.0-dev", 480)),
    ("checkout", "us-east-1-prod-a", Twist::Replicas(12)),
    ("inventory", "ap-northeast-1-prod", Twist::Version("6.1.8")),
    ("tracking", "cn-north-1-prod", Twist::Version("2.21.4")),
    ("payment-router", "eu-west-1-prod-b", Twist::Canary("3.9.0", 20)),
    ("recommendations", "us-east-1-prod-a", Twist::Version("12.5")),
    ("clickhouse", "us-east-1-prod-a", Twist::Version("26.3.7")),
    ("api-gateway", "staging", Twist::Version("2.15.0-rc3")),
    ("api-gateway", "dev", Twist::Version("2.16.0-dev.114")),
    ("ledger", "staging", Twist::Version("8.4.0-rc1")),
    ("ledger-worker", "staging", Twist::Version("8.4.0-rc1")),
    ("ledger", "dev", Twist::Version("8.4.0-dev.77")),
    ("ledger-worker", "dev", Twist::Version("8.4.0-dev.77")),
    ("cart", "dev", Twist::Version("main")),
    ("risk-engine", "cn-shanghai-prod", Twist::Version("5.7.9")),
    ("wechat-pay-adapter", "cn-north-1-prod", Twist::Config("endpoint: https://api.mch.weixin.example\ntimeout: 8s\n")),
    ("log-shipper", "edge-store-0412", Twist::Version("4.1.7")),
    ("cert-manager", "edge-store-0412", Twist::Version("v1.16.5")),
    ("prometheus", "edge-store-0412", Twist::Absent),
    ("alertmanager", "edge-store-0412", Twist::Absent),
    ("grafana", "edge-store-0412", Twist::Absent),
];

/// The differences of one service in one cluster.
pub fn twists(service: &str, cluster: &str) -> impl Iterator<Item = Twist> {
    TWISTS.iter().filter(move |(s, c, _)| *s == service && *c == cluster).map(|(_, _, t)| *t)
}
