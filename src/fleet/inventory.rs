//! The Fleet screen's rows: what the ledger declares and what is derived live, each value with where it comes from.
//!
//! Precedence for every field: live, labels and annotations on well-known objects, fleet file, name pattern. A value that
//! cannot be read says why; it is never 0 or empty instead.

use std::sync::Arc;

use serde::Serialize;

use super::{Store, cluster, risk, row::Resources};
use crate::model::{
    ApiCertificate, Cause, ClusterFacts, ClusterId, ClusterRecord, ClusterState, Condition, KubeVersion, Millis, Secs,
};

pub use super::{
    risk::is_production,
    support::{TABLE_AS_OF, parse_version, support},
};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Read from the cluster, and the cluster is live.
    Live,
    /// Read from the cluster earlier; the cluster is not live now.
    LastKnown,
    /// Declared in the fleet file.
    Declared,
    /// Guessed from a name.
    Guessed,
    /// Not known.
    #[default]
    Unknown,
}

/// One value of the inventory: it fails alone, and it knows its age.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading<T> {
    /// The value; `None` when it is not known.
    pub value: Option<T>,
    /// Where it comes from.
    pub source: Source,
    /// When it was true; `Millis(0)` for declared values.
    pub at: Millis,
    /// Why it is missing or old.
    #[serde(skip)]
    pub why: Option<Cause>,
    /// A declared value that disagrees with the live one.
    pub declared: Option<T>,
}

impl<T> Reading<T> {
    /// Not known, without a reason yet.
    pub fn unknown() -> Self {
        Self { value: None, source: Source::Unknown, at: Millis(0), why: None, declared: None }
    }

    /// True when the value may be shown as it is, without a mark of age.
    pub fn is_fresh(&self) -> bool {
        matches!(self.source, Source::Live | Source::Declared)
    }
}

/// A network, storage or other plug-in and its health.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plugin {
    /// Its name (`Cilium`, `ebs.csi.aws.com`).
    pub name: String,
    /// Version (image tag of its agent), empty when unknown.
    pub version: String,
    /// `primary`, `secondary`, `residue`, `csi`, `dns`, `metrics`, `ingress`, `gitops` ...
    pub role: String,
    /// Nodes (or replicas) on which it is ready, and on which it should be.
    pub coverage: (u32, u32),
    /// Fewer than two agreeing marks.
    pub guessed: bool,
}

/// Support status of the Kubernetes version, by the embedded table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "support", content = "until")]
pub enum Support {
    /// Fully supported until the date (`2026-12-28`).
    Full(String),
    /// Security fixes only, until the date.
    SecurityOnly(String),
    /// Out of support since the date.
    Ended(String),
    /// Newer or other than the table of that date knows.
    Unknown(String),
}

/// A rule of version skew that is broken: which pair, and how many nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Skew {
    /// Kubelet version.
    pub kubelet: String,
    /// Nodes that run it.
    pub nodes: u32,
    /// Minor versions older than the API server (negative: newer).
    pub minors: i32,
}

/// Why a cluster is high up in "worst first": a stable word and its number, for words see `messages::fleet`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "risk", content = "n")]
pub enum Risk {
    /// The view is not live (state's severity).
    NotLive(u8),
    /// Nodes down.
    NodesDown(u32),
    /// Workloads that do not work.
    WorkloadsBad(u32),
    /// Workloads with warnings.
    WorkloadsWarn(u32),
    /// Pods that are not well.
    PodsBad(u32),
    /// Serving certificate ends within so many days (negative: ended).
    Certificate(i32),
    /// The operator's own credential ends within so many days (negative: ended).
    Credential(i32),
    /// Version out of support.
    EndOfLife,
    /// Version skew broken on so many nodes.
    Skew(u32),
    /// A plug-in is not ready everywhere.
    Plugin(u32),
    /// No contact declared, in production.
    NoContact,
    /// Some kinds may not be read.
    KindsForbidden(u32),
}

/// One row of the Fleet screen, computed from the store when it is shown. Cheap: counters are kept incrementally.
#[derive(Clone, Debug)]
pub struct ClusterRow {
    /// Cluster.
    pub id: ClusterId,
    /// Declared record.
    pub record: Arc<ClusterRecord>,
    /// State of our view.
    pub condition: Condition,
    /// Facts from probing and discovery.
    pub facts: Arc<ClusterFacts>,
    /// kube-system uid.
    pub uid: Reading<String>,
    /// Environment.
    pub environment: Reading<String>,
    /// Region; several are joined as `a, b` with the most frequent first.
    pub region: Reading<String>,
    /// Zones with their node counts.
    pub zones: Reading<Vec<(String, u32)>>,
    /// Provider.
    pub provider: Reading<String>,
    /// Distribution (EKS, k3s ...).
    pub distribution: Reading<String>,
    /// Server version.
    pub version: Reading<KubeVersion>,
    /// Support status of that version.
    pub support: Option<Support>,
    /// Minor versions behind the newest in the fleet.
    pub behind: Option<u16>,
    /// Nodes ready and in all.
    pub nodes: Reading<(u32, u32)>,
    /// Oldest and newest kubelet.
    pub kubelets: Reading<(String, String)>,
    /// Broken skew rules.
    pub skew: Vec<Skew>,
    /// Sum of allocatable.
    pub allocatable: Reading<Resources>,
    /// Sum of the requests of pods that count.
    pub requested: Reading<Resources>,
    /// Use by metrics.k8s.io.
    pub used: Reading<Resources>,
    /// Pods that are well and in all (finished ones not counted).
    pub pods: Reading<(u32, u32)>,
    /// Workloads by health: ok, warn, bad.
    pub workloads: Reading<(u32, u32, u32)>,
    /// Network plug-ins.
    pub cni: Reading<Vec<Plugin>>,
    /// Storage plug-ins.
    pub csi: Reading<Vec<Plugin>>,
    /// Other plug-ins (DNS, metrics, ingress, delivery agents).
    pub plugins: Reading<Vec<Plugin>>,
    /// Serving certificate.
    pub certificate: Reading<ApiCertificate>,
    /// End of the operator's own credential.
    pub credential: Reading<Secs>,
    /// Team, tier, business systems, contacts: live annotation or declared.
    pub team: Reading<String>,
    /// Tier.
    pub tier: Reading<String>,
    /// Business systems.
    pub systems: Reading<Vec<String>>,
    /// Contacts as `name reach`.
    pub contacts: Reading<Vec<String>>,
    /// Age of the cluster: creation of kube-system.
    pub created: Reading<Secs>,
    /// What is wrong, worst first.
    pub risks: Vec<Risk>,
    /// Sort key of "worst first": larger is worse.
    pub score: u32,
}

/// Counts by state for the header line, in the order of the header: live, syncing (with connecting), warning (live with
/// risks), bad (live with failures), stale, denied (login expired or forbidden), unreachable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Live and well.
    pub ok: u16,
    /// Connecting or syncing.
    pub busy: u16,
    /// Live, something to look at.
    pub warn: u16,
    /// Live, something failed.
    pub bad: u16,
    /// Stale.
    pub stale: u16,
    /// Login expired or forbidden.
    pub denied: u16,
    /// Unreachable.
    pub unreachable: u16,
    /// All.
    pub total: u16,
}

/// The row of one cluster.
pub fn cluster_row(store: &Store, id: ClusterId, now: Millis) -> Option<ClusterRow> {
    store.shard(id).map(|shard| cluster::row(id, shard, newest_minor(store), now))
}

/// The rows of all clusters, in the order of their numbers.
pub fn rows(store: &Store, now: Millis) -> Vec<ClusterRow> {
    let newest = newest_minor(store);
    store.clusters().map(|(id, shard)| cluster::row(id, shard, newest, now)).collect()
}

fn newest_minor(store: &Store) -> Option<u16> {
    store.clusters().filter_map(|(_, s)| s.facts.version.as_ref()).filter(|v| v.major == 1).map(|v| v.minor).max()
}

/// Header counts. Reads counters only: cheap enough for every frame.
pub fn counts(store: &Store, now: Millis) -> Counts {
    let mut counts = Counts::default();
    for (_, shard) in store.clusters() {
        counts.total += 1;
        let counter = match shard.condition.state {
            ClusterState::Connecting | ClusterState::Syncing => &mut counts.busy,
            ClusterState::Stale => &mut counts.stale,
            ClusterState::LoginExpired | ClusterState::Forbidden => &mut counts.denied,
            ClusterState::Unreachable => &mut counts.unreachable,
            ClusterState::Live => match risk::class(&cluster::risks(shard, now)) {
                0 => &mut counts.ok,
                1 => &mut counts.warn,
                _ => &mut counts.bad,
            },
        };
        *counter += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fleet::{
            delta::Delta,
            row::{CsiNodeRow, Detail, NamespaceRow, NodeReady, NodeRow, Row},
            testing::{change_workload, delete, labels, live, pod, row, store, upserts, workload},
        },
        model::{Builtin, CauseCode, Contact, Health, KindStatus, Place},
    };

    const C: ClusterId = ClusterId(0);
    const NOW: Millis = Millis(1_800_000_000_000);

    fn node(name: &str, ready: NodeReady, zone: &str) -> Row {
        let detail = NodeRow {
            ready,
            kubelet: "v1.33.1".into(),
            region: "eu-west-1".into(),
            zone: zone.into(),
            provider: "aws".into(),
            allocatable: Resources { cpu_m: 4000, mem: 1 << 30, pods: 110 },
            network_marks: Box::from([Arc::from("network.cilium.io/")]),
            ..NodeRow::default()
        };
        row("", name, Detail::Node(Box::new(detail)))
    }

    fn system(entries: &[(&str, &str)]) -> Row {
        let ledger = entries.iter().map(|(k, v)| (Arc::from(*k), Arc::from(*v))).collect();
        row("", "kube-system", Detail::Namespace(Box::new(NamespaceRow { terminating: false, ledger })))
    }

    fn facts(git: &str, minor: u16) -> ClusterFacts {
        let version = KubeVersion { git: git.into(), major: 1, minor, emulated_minor: None };
        ClusterFacts { version: Some(version), ..ClusterFacts::default() }
    }

    fn at(store: &Store) -> ClusterRow {
        cluster_row(store, C, NOW).unwrap()
    }

    #[test]
    fn nodes_and_pods_are_counted_as_they_change() {
        let mut store = store(&["a"]);
        let nodes = vec![node("n1", NodeReady::Yes, "a"), node("n2", NodeReady::Unknown, "b")];
        store.apply(upserts(0, Builtin::Node, nodes));
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "p", Health::Ok), pod("x", "q", Health::Bad)]));
        let r = at(&store);
        assert_eq!((r.nodes.value, r.nodes.source), (Some((1, 2)), Source::Live));
        assert_eq!(r.zones.value.unwrap(), [("a".to_owned(), 1), ("b".to_owned(), 1)]);
        assert_eq!((r.region.value.as_deref(), r.provider.value.as_deref()), (Some("eu-west-1"), Some("AWS")));
        assert_eq!((r.allocatable.value.unwrap().cpu_m, r.requested.value.unwrap().cpu_m), (8000, 200));
        assert_eq!((r.pods.value, &r.risks[0]), (Some((1, 2)), &Risk::NodesDown(1)));
        store.apply(upserts(0, Builtin::Node, vec![Row { version: 2, ..node("n2", NodeReady::Yes, "a") }]));
        store.apply(delete(0, Builtin::Pod, "x", "q"));
        let r = at(&store);
        assert_eq!((r.nodes.value, r.pods.value), (Some((2, 2)), Some((1, 1))));
        assert_eq!(r.zones.value.unwrap(), [("a".to_owned(), 2)]);
        assert!(r.risks.is_empty(), "{:?}", r.risks);
    }

    #[test]
    fn a_forbidden_kind_blanks_its_own_value_alone() {
        let mut store = store(&["a"]);
        store.apply(upserts(0, Builtin::Node, vec![node("n1", NodeReady::Yes, "a")]));
        store.apply(upserts(0, Builtin::Pod, vec![pod("x", "p", Health::Ok)]));
        let cause = Cause::new(CauseCode::Forbidden, "nodes is forbidden").during("list", "nodes", "");
        store.apply(Delta::Kind(C, Builtin::Node.id(), KindStatus::Forbidden(cause.clone())));
        let r = at(&store);
        assert_eq!((r.nodes.value, r.nodes.source, r.nodes.why.as_ref()), (None, Source::Unknown, Some(&cause)));
        assert_eq!((r.allocatable.value, r.region.value), (None, None));
        assert_eq!((r.pods.value, r.pods.source), (Some((1, 1)), Source::Live));
        assert_eq!(r.risks, [Risk::KindsForbidden(1)]);
    }

    #[test]
    fn a_silent_cluster_keeps_its_last_values_with_their_time() {
        let mut store = store(&["a"]);
        store.apply(upserts(0, Builtin::Node, vec![node("n1", NodeReady::Yes, "a")]));
        let cause = Cause::new(CauseCode::Silent, "nothing heard for 15 s");
        let stale = Condition { state: ClusterState::Stale, cause: Some(cause.clone()), ..live(NOW.0 + 5000) };
        store.apply(Delta::Condition(C, stale));
        let r = at(&store);
        assert_eq!((r.nodes.value, r.nodes.source), (Some((1, 1)), Source::LastKnown));
        assert_eq!((r.nodes.at, r.nodes.why), (Millis(NOW.0 + 5000), Some(cause)));
        assert_eq!((r.risks, counts(&store, NOW).stale), (vec![Risk::NotLive(6)], 1));
    }

    #[test]
    fn live_outranks_annotated_outranks_declared_outranks_guessed() {
        let mut store = store(&["a"]);
        let record = ClusterRecord {
            name: "a".into(),
            environment: "dev".into(),
            environment_guessed: true,
            team: "declared".into(),
            region: "mars".into(),
            tier: "1".into(),
            contacts: vec![Contact { name: "Ann".into(), reach: "+1".into() }],
            ..ClusterRecord::default()
        };
        store.apply(Delta::Record(C, Arc::new(record)));
        assert_eq!(at(&store).environment.source, Source::Guessed);
        store.apply(upserts(0, Builtin::Namespace, vec![system(&[("environment", "prod"), ("team", "live")])]));
        store.apply(upserts(0, Builtin::Node, vec![node("n1", NodeReady::Yes, "a")]));
        let r = at(&store);
        assert_eq!((r.environment.value.as_deref(), r.environment.source), (Some("prod"), Source::Live));
        assert_eq!(r.environment.declared, None, "a guess is no declaration");
        assert_eq!((r.team.value.as_deref(), r.team.declared.as_deref()), (Some("live"), Some("declared")));
        assert_eq!((r.region.value.as_deref(), r.region.declared.as_deref()), (Some("eu-west-1"), Some("mars")));
        assert_eq!((r.tier.value.as_deref(), r.tier.source), (Some("1"), Source::Declared));
        assert_eq!(r.contacts.value.unwrap(), ["Ann +1"]);
    }

    #[test]
    fn plug_ins_need_two_marks_and_one_of_two_networks_is_left_over() {
        let mut store = store(&["a"]);
        let agent = |name: &str, app: &str, image: &str, ready: u32| {
            let mut row = workload("kube-system", name, image);
            row.labels = labels(&[("k8s-app", app)]);
            change_workload(row, |w| (w.ready, w.wanted) = (ready, Some(3)))
        };
        store.apply(upserts(0, Builtin::Node, vec![node("n1", NodeReady::Yes, "a")]));
        let calico = agent("calico-node", "calico-node", "calico/node:v3.28", 1);
        let cilium = agent("cilium", "cilium", "cilium/cilium:v1.16.2", 3);
        store.apply(upserts(0, Builtin::DaemonSet, vec![calico, cilium]));
        store.apply(upserts(0, Builtin::Deployment, vec![agent("coredns", "kube-dns", "coredns:1.11", 2)]));
        let row = at(&store);
        let cni = row.cni.value.unwrap();
        let seen: Vec<(&str, &str, &str, bool)> =
            cni.iter().map(|p| (p.name.as_str(), p.version.as_str(), p.role.as_str(), p.guessed)).collect();
        assert_eq!(seen, [("Cilium", "v1.16.2", "primary", false), ("Calico", "v3.28", "residue", true)]);
        let dns = &row.plugins.value.unwrap()[0];
        assert_eq!((dns.name.as_str(), dns.coverage), ("CoreDNS", (2, 3)));
        assert!(row.risks.contains(&Risk::Plugin(2)), "{:?}", row.risks);
    }

    #[test]
    fn drivers_are_covered_by_nodes() {
        let mut store = store(&["a"]);
        let nodes = vec![node("n1", NodeReady::Yes, "a"), node("n2", NodeReady::Yes, "a")];
        store.apply(upserts(0, Builtin::Node, nodes));
        let drivers = CsiNodeRow { drivers: Box::from([Arc::from("ebs.csi.aws.com")]) };
        store.apply(upserts(0, Builtin::CsiNode, vec![row("", "n1", Detail::CsiNode(Box::new(drivers)))]));
        let csi = at(&store).csi.value.unwrap();
        assert_eq!((csi[0].name.as_str(), csi[0].coverage), ("ebs.csi.aws.com", (1, 2)));
    }

    #[test]
    fn versions_distributions_and_how_far_behind() {
        let mut store = store(&["a", "b"]);
        store.apply(Delta::Facts(C, Arc::new(facts("v1.33.4-eks-1a2b", 33))));
        store.apply(Delta::Facts(ClusterId(1), Arc::new(facts("v1.36.0", 36))));
        assert_eq!(at(&store).distribution.source, Source::Guessed, "one mark only");
        store.apply(upserts(0, Builtin::Node, vec![node("n1", NodeReady::Yes, "a")]));
        let r = at(&store);
        assert_eq!((r.distribution.value.as_deref(), r.distribution.source), (Some("EKS"), Source::Live));
        assert_eq!((r.behind, r.support), (Some(3), Some(Support::Ended("2026-06-28".into()))));
        assert_eq!(r.kubelets.value, Some(("v1.33.1".into(), "v1.33.1".into())));
    }

    #[test]
    fn production_wants_a_contact_where_a_fleet_file_could_name_one() {
        let mut store = store(&["a"]);
        assert!(at(&store).risks.is_empty(), "no file, nothing to miss");
        let declared_at = Some(Place { file: "fleet.yaml".into(), line: 3 });
        let record = |environment: &str| ClusterRecord {
            name: "a".into(),
            environment: environment.into(),
            declared_at: declared_at.clone(),
            ..ClusterRecord::default()
        };
        store.apply(Delta::Record(C, Arc::new(record("staging"))));
        assert!(at(&store).risks.is_empty());
        store.apply(Delta::Record(C, Arc::new(record(""))));
        assert_eq!(at(&store).risks, [Risk::NoContact], "unknown is treated as production");
        let c = counts(&store, NOW);
        assert_eq!((c.warn, c.ok, c.total), (1, 0, 1));
    }
}
