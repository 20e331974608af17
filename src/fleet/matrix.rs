//! The Matrix: services x clusters. Kept incrementally: one changed workload touches one cell and its service's summary.

use std::sync::Arc;

use compact_str::CompactString;
use serde::Serialize;

use super::{
    RowRef, Store,
    cell::{Member, config, digests, each_pod, fingerprint, members, version_of},
    row::{ContainerSpec, LastChange, Managed, Progress, Row},
    store::Shard,
    summary::Baseline,
};
use crate::model::{Builtin, ClusterId, Health, Millis};

/// Number of a service, stable while the service exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(pub u32);

/// Key of a service: by label it is one word across namespaces, by fallback it is qualified by its namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceKey {
    /// Name of the service.
    pub name: Arc<str>,
    /// Namespace that qualifies it; `None` when the name came from an explicit service label or the configuration.
    pub namespace: Option<Arc<str>>,
}

/// How a workload came to its service; shown beside the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyRule {
    /// A rule of the fleet file.
    Configured,
    /// Label or annotation `quarterdeck.dev/service`.
    ServiceLabel,
    /// Label `backstage.io/kubernetes-id`.
    Backstage,
    /// Label `app.kubernetes.io/instance`.
    Instance,
    /// Label `app.kubernetes.io/name`.
    Name,
    /// Label `app`.
    App,
    /// No label: the workload's own name.
    Workload,
}

/// What a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Show {
    /// Image tag.
    #[default]
    Version,
    /// Image digest.
    Digest,
    /// Configuration fingerprint.
    Config,
    /// Replicas, ready of wanted.
    Replicas,
}

/// Why a service's row needs a look, worst first; the words come from `messages::matrix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The same everywhere, in so many clusters.
    Same(u16),
    /// So many different versions.
    Versions(u16),
    /// Same version, different digests.
    Digests(u16),
    /// Same version, different configuration.
    Config(u16),
    /// Rolling out in `.0` of `.1` clusters.
    Rolling(u16, u16),
    /// Does not work in so many clusters; the most frequent reason.
    Failing(u16, Arc<str>),
    /// Moving tag in so many clusters.
    Moving(u16),
}

/// One service over all clusters.
#[derive(Clone, Debug)]
pub struct ServiceSummary {
    /// Number.
    pub id: ServiceId,
    /// Key.
    pub key: ServiceKey,
    /// Rule that made the key (of the main workload).
    pub rule: KeyRule,
    /// Business system: `app.kubernetes.io/part-of`; empty when none.
    pub system: Arc<str>,
    /// Worst health of its cells.
    pub worst: Health,
    /// Some cells differ in version, digest or configuration.
    pub differs: bool,
    /// The note column.
    pub note: Note,
    /// Most common version, or the wanted one when desired state is known.
    pub usual: CompactString,
    /// Clusters it runs in.
    pub clusters: u16,
    /// Some rollout is under way.
    pub rolling: bool,
    /// It lives in a namespace of Kubernetes itself: no business service, listed apart.
    pub infrastructure: bool,
}

/// How a cell relates to the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Difference {
    /// Like the wanted or the most common one.
    #[default]
    None,
    /// Another version.
    Version,
    /// Same version, another digest.
    Digest,
    /// Same version and digest, another configuration.
    Config,
}

/// One cell: one service in one cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The main workload.
    pub main: RowRef,
    /// Further workloads of the same service in this cluster.
    pub more: u16,
    /// The workloads are at different versions.
    pub mixed: bool,
    /// Tag (or short digest) of the main container.
    pub version: CompactString,
    /// While rolling: the version that is being replaced, and how far the rollout is in percent.
    pub from: Option<(CompactString, u8)>,
    /// Digest of the main container as the pods report it; empty when unknown.
    pub digest: Arc<str>,
    /// The pods run more than one digest of the same tag.
    pub digests: u8,
    /// Fingerprint of the configuration read by the main workload (first 8 bytes); `None` when there is none or it cannot be read.
    pub config: Option<[u8; 8]>,
    /// Ready and wanted replicas, summed over the cell's workloads.
    pub replicas: (u32, u32),
    /// Health, worst of the workloads.
    pub health: Health,
    /// Reason of the worst.
    pub reason: Option<Arc<str>>,
    /// Progress of the main workload.
    pub progress: Progress,
    /// How it differs from the others.
    pub differs: Difference,
    /// The tag names no fixed content.
    pub moving: bool,
}

/// A pod that is not well, as the explanation lists it.
#[derive(Clone, Debug)]
pub struct PodTrouble {
    /// Pod.
    pub pod: RowRef,
    /// Its name.
    pub name: CompactString,
    /// Word.
    pub reason: Arc<str>,
    /// Words.
    pub note: String,
}

/// The explanation of one cell.
#[derive(Clone, Debug)]
pub struct CellDetail {
    /// The cell.
    pub cell: Cell,
    /// Every workload of the cell, main first: row, `kind/namespace/name`, ready, wanted.
    pub workloads: Vec<(RowRef, String, u32, Option<u32>)>,
    /// Containers of the main workload: name, image as written, digest.
    pub containers: Vec<(Arc<str>, Arc<str>, Arc<str>)>,
    /// ConfigMaps and Secrets in the fingerprint: `configmap/name` or `secret/name`, and whether it was found and readable.
    pub config: Vec<(String, bool)>,
    /// Version that is wanted here and the place that says so (`file:line`, not cleaned; empty when none is known).
    pub wanted: Option<(CompactString, String)>,
    /// Last change of the main workload.
    pub changed: Option<Arc<LastChange>>,
    /// Which system owns it.
    pub managed: Option<Arc<Managed>>,
    /// Pods that are not well (at most 20), and how many there are in all.
    pub troubles: Vec<PodTrouble>,
    /// Number of pods that are not well.
    pub trouble_count: u32,
    /// When the data was true.
    pub at: Millis,
}

/// One workload of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkloadDetail {
    /// Tag (or short digest) of its main container.
    pub version: CompactString,
    /// Containers: name, image as written, digest; empty when unknown.
    pub containers: Vec<(Arc<str>, Arc<str>, Arc<str>)>,
    /// As in [`Cell::config`].
    pub config: Option<[u8; 8]>,
}

/// What desired state says of a service's version, once desired state is known.
pub trait Wanted: std::fmt::Debug + Send + Sync {
    /// The version (as a cell shows it) that the service should have in a cluster; `None` = nothing says so.
    fn version(&self, service: &ServiceKey, cluster: ClusterId) -> Option<CompactString>;

    /// Where that is said: `file:line`, not cleaned.
    fn place(&self, _service: &ServiceKey, _cluster: ClusterId) -> Option<String> {
        None
    }
}

/// Several clusters of one service as one column (an environment, a region).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupCell {
    /// Clusters of the group in which the service has the group's version and nothing differs.
    pub agreeing: u16,
    /// Clusters of the group in which it runs.
    pub of: u16,
    /// Clusters in the group.
    pub clusters: u16,
    /// Most common version in the group.
    pub version: CompactString,
    /// Worst health.
    pub worst: Health,
    /// Some cell differs from the usual one of the whole fleet (or from the wanted one).
    pub differs: bool,
    /// Some rollout is under way.
    pub rolling: bool,
    /// Ready and wanted replicas.
    pub replicas: (u32, u32),
}

/// Longest list of pods in an explanation.
const TROUBLES: usize = 20;

/// Summaries of all services, sorted by name (namespace as tie-breaker).
pub fn services(store: &mut Store) -> &[ServiceSummary] {
    let Store { shards, services, .. } = store;
    services.flush(shards)
}

/// One cell; `None` when the service does not run there.
pub fn cell(store: &Store, service: ServiceId, cluster: ClusterId) -> Option<Cell> {
    store.services.cell(&store.shards, service, cluster)
}

/// Measures difference by what is wanted from now on (`None`: by the majority).
pub fn set_wanted(store: &mut Store, wanted: Option<Arc<dyn Wanted>>) {
    store.services.set_wanted(wanted);
}

/// The service of a workload's row; `None` for rows that are no workloads of their own.
pub fn service_of(store: &Store, workload: RowRef) -> Option<ServiceId> {
    store.services.of_workload(workload)
}

/// The rule by which a workload came to its service.
pub fn rule_of(store: &Store, workload: RowRef) -> Option<KeyRule> {
    store.services.rule_of(workload)
}

/// Every workload of a service in a cluster, main one first.
pub fn workloads(store: &Store, service: ServiceId, cluster: ClusterId) -> Vec<RowRef> {
    let members = || {
        let s = store.services.get(service)?;
        let shard = store.shards.get(cluster.index())?;
        Some(members(shard, &s.cells.get(&cluster)?.members, &s.key.name).iter().map(|m| m.at).collect())
    };
    members().unwrap_or_default()
}

/// Several clusters of one service as one cell; `None` when it runs in none of them.
pub fn group_cells(store: &Store, service: ServiceId, clusters: &[ClusterId]) -> Option<GroupCell> {
    let cells: Vec<Cell> = clusters.iter().filter_map(|c| cell(store, service, *c)).collect();
    let base = Baseline::of(cells.iter());
    if cells.is_empty() {
        return None;
    }
    let count = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    Some(GroupCell {
        agreeing: count(cells.iter().filter(|c| base.difference(c, None) == Difference::None).count()),
        of: count(cells.len()),
        clusters: count(clusters.len()),
        worst: cells.iter().map(|c| c.health).max().unwrap_or_default(),
        differs: cells.iter().any(|c| c.differs != Difference::None),
        rolling: cells.iter().any(|c| c.from.is_some()),
        replicas: cells.iter().fold((0, 0), |sum, c| (sum.0 + c.replicas.0, sum.1 + c.replicas.1)),
        version: base.version,
    })
}

/// The explanation of one cell.
pub fn detail(store: &Store, service: ServiceId, cluster: ClusterId) -> Option<CellDetail> {
    let cell = cell(store, service, cluster)?;
    let shard = store.shards.get(cluster.index())?;
    let s = store.services.get(service)?;
    let members = members(shard, &s.cells.get(&cluster)?.members, &s.key.name);
    let main = *members.first()?;
    let kind = |at: RowRef| store.kinds().info(at.kind).map_or_else(String::new, |k| k.kind.to_lowercase());
    let mut troubles = Vec::new();
    let mut trouble_count = 0;
    for member in &members {
        each_pod(shard, member.at.kind, member.row, |slot, pod| {
            if let Some(trouble) = trouble(RowRef { cluster, kind: Builtin::Pod.id(), slot }, pod) {
                trouble_count += 1;
                troubles.push(trouble);
            }
        });
    }
    troubles.sort_by(|a, b| a.name.cmp(&b.name));
    troubles.truncate(TROUBLES);
    Some(CellDetail {
        workloads: members
            .iter()
            .map(|m| {
                let name = format!("{}/{}/{}", kind(m.at), m.row.ns(), m.row.name);
                (m.at, name, m.workload.ready, m.workload.wanted)
            })
            .collect(),
        containers: containers(shard, main),
        config: main
            .workload
            .refs
            .iter()
            .map(|r| {
                let kind = if r.secret { "secret" } else { "configmap" };
                (format!("{kind}/{}", r.name), fingerprint(shard, main.row.ns(), r).is_some())
            })
            .collect(),
        wanted: store.services.wanted(&s.key, cluster),
        changed: main.workload.changed.clone(),
        managed: main.workload.managed.clone(),
        troubles,
        trouble_count,
        at: store.as_of(main.at),
        cell,
    })
}

/// What is wrong with a pod, if anything is that a person should see.
fn trouble(at: RowRef, row: &Row) -> Option<PodTrouble> {
    let pod = row.pod().filter(|_| row.health >= Health::Busy)?;
    Some(PodTrouble {
        pod: at,
        name: row.name.clone(),
        reason: pod.reason.clone().unwrap_or_else(|| Arc::from(row.health.word())),
        note: pod.note.as_deref().unwrap_or("").to_owned(),
    })
}

/// One workload as the service sees it: version of the container that matters, every container (name, image as written,
/// digest as its pods report it), and the fingerprint of what it reads. `None` for rows that are no workloads.
pub fn workload_detail(store: &Store, service: &str, at: RowRef) -> Option<WorkloadDetail> {
    let shard = store.shards.get(at.cluster.index())?;
    let row = shard.table(at.kind)?.get(at.slot)?;
    let own = Member { at, row, workload: row.workload()? };
    Some(WorkloadDetail {
        version: version_of(own, service),
        containers: containers(shard, own),
        config: config(shard, own),
    })
}

/// Containers of a workload with the digest that its pods report for this very image.
fn containers(shard: &Shard, main: Member<'_>) -> Vec<(Arc<str>, Arc<str>, Arc<str>)> {
    let digest = |c: &ContainerSpec| {
        digests(shard, main, c).into_iter().max_by_key(|(_, n)| *n).map_or_else(|| Arc::clone(&c.digest), |(d, _)| d)
    };
    main.workload.containers.iter().map(|c| (Arc::clone(&c.name), Arc::clone(&c.image), digest(c))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::{
        delta::Delta,
        row::{ConfigRef, ConfigRow, Detail, PodRow},
        testing::{change_workload, container, delete, labels, owned, pod, row, store, upserts, workload},
    };

    fn api(image: &str) -> Row {
        let mut row = workload("shop", "api", image);
        row.labels = labels(&[("app", "api"), ("app.kubernetes.io/part-of", "store")]);
        row
    }

    fn first(store: &mut Store) -> ServiceSummary {
        services(store).first().cloned().expect("a service")
    }

    fn running(row: &mut Row, image: &str, digest: &str) {
        if let Detail::Pod(p) = &mut row.detail {
            p.containers = Arc::from([container("api", image, digest)]);
        }
    }

    #[test]
    fn one_service_over_clusters_and_what_differs() {
        let mut store = store(&["a", "b", "c"]);
        for (cluster, image) in [(0, "shop/api:1.9"), (1, "shop/api:1.10"), (2, "shop/api:1.10")] {
            store.apply(upserts(cluster, Builtin::Deployment, vec![api(image)]));
        }
        let all = services(&mut store);
        assert_eq!(all.len(), 1);
        let s = first(&mut store);
        assert_eq!((&*s.key.name, s.key.namespace.as_deref(), s.rule), ("api", Some("shop"), KeyRule::App));
        assert_eq!((&*s.system, s.clusters, s.differs, &s.note), ("store", 3, true, &Note::Versions(2)));
        assert_eq!(s.usual, "1.10");
        let differs = |store: &Store, c| cell(store, s.id, ClusterId(c)).unwrap().differs;
        assert_eq!((differs(&store, 0), differs(&store, 1)), (Difference::Version, Difference::None));
        let group = group_cells(&store, s.id, &[ClusterId(0), ClusterId(1), ClusterId(2), ClusterId(9)]).unwrap();
        assert_eq!((group.agreeing, group.of, group.clusters, group.version.as_str()), (2, 3, 4, "1.10"));

        let upgraded = Row { version: 2, ..api("shop/api:1.10") };
        store.apply(upserts(0, Builtin::Deployment, vec![upgraded]));
        assert_eq!(cell(&store, s.id, ClusterId(0)).unwrap().version, "1.10", "a cell is never old");
        assert_eq!((first(&mut store).note, first(&mut store).differs), (Note::Same(3), false));
        store.apply(delete(1, Builtin::Deployment, "shop", "api"));
        store.apply(Delta::Gone(ClusterId(2)));
        assert_eq!(first(&mut store).note, Note::Same(1));
        store.apply(delete(0, Builtin::Deployment, "shop", "api"));
        assert!(services(&mut store).is_empty());
    }

    #[derive(Debug)]
    struct Pinned;

    impl Wanted for Pinned {
        fn version(&self, _: &ServiceKey, cluster: ClusterId) -> Option<CompactString> {
            (cluster.0 == 0).then(|| "1.9".into())
        }
    }

    #[test]
    fn what_is_wanted_outranks_the_majority() {
        let mut store = store(&["a", "b", "c"]);
        for (cluster, image) in [(0, "shop/api:1.9"), (1, "shop/api:1.10"), (2, "shop/api:1.10")] {
            store.apply(upserts(cluster, Builtin::Deployment, vec![api(image)]));
        }
        set_wanted(&mut store, Some(Arc::new(Pinned)));
        let s = first(&mut store);
        assert!(!s.differs, "1.9 is wanted there");
        assert_eq!(cell(&store, s.id, ClusterId(0)).unwrap().differs, Difference::None);
    }

    #[test]
    fn digests_come_from_the_pods_of_the_new_image() {
        let mut store = store(&["a"]);
        let deployment = api("shop/api:1");
        let set = owned(workload("shop", "api-1", "shop/api:1"), "Deployment", &deployment);
        let of_set = |name: &str, image: &str, digest: &str| {
            let mut p = owned(pod("shop", name, Health::Ok), "ReplicaSet", &set);
            running(&mut p, image, digest);
            p
        };
        let pods = vec![of_set("p1", "shop/api:1", "sha256:aa"), of_set("p2", "shop/api:1", "sha256:aa")];
        store.apply(upserts(0, Builtin::Pod, pods));
        store.apply(upserts(0, Builtin::Deployment, vec![deployment_with_container(&deployment)]));
        let id = first(&mut store).id;
        store.apply(upserts(0, Builtin::ReplicaSet, vec![set.clone()]));
        let c = cell(&store, id, ClusterId(0)).unwrap();
        assert_eq!((&*c.digest, c.digests), ("sha256:aa", 1), "the ReplicaSet came last and joins them");
        assert_eq!(services(&mut store).len(), 1, "a controlled ReplicaSet is no service");
        store.apply(upserts(0, Builtin::Pod, vec![of_set("p3", "shop/api:1", "sha256:bb"), of_set("p4", "x:2", "d")]));
        assert_eq!(first(&mut store).note, Note::Digests(2));
        let detail = detail(&store, id, ClusterId(0)).unwrap();
        assert_eq!((detail.cell.digests, &*detail.containers[0].2), (2, "sha256:aa"));
        assert_eq!(detail.workloads[0].1, "deployment/shop/api");
    }

    fn deployment_with_container(row: &Row) -> Row {
        change_workload(row.clone(), |w| w.containers = Arc::from([container("api", "shop/api:1", "")]))
    }

    #[test]
    fn a_rollout_says_what_it_replaces_and_how_far_it_is() {
        let mut store = store(&["a"]);
        let rolling = change_workload(api("shop/api:2"), |w| {
            (w.progress, w.wanted, w.updated, w.current) = (Progress::Rolling, Some(4), 1, 5);
            w.revision = Some("2".into());
        });
        let set = |name: &str, image: &str, revision: &str, current| {
            let set = owned(workload("shop", name, image), "Deployment", &rolling);
            change_workload(set, |w| {
                (w.current, w.revision) = (current, Some(revision.into()));
                // The template's container has its workload's name, not the ReplicaSet's.
                w.containers = Arc::from([container("api", image, "")]);
            })
        };
        store.apply(upserts(0, Builtin::Deployment, vec![rolling.clone()]));
        let sets = vec![
            set("api-0", "shop/api:0", "0", 0),
            set("api-1", "shop/api:1", "1", 4),
            set("api-2", "shop/api:2", "2", 1),
        ];
        store.apply(upserts(0, Builtin::ReplicaSet, sets));
        let s = first(&mut store);
        assert_eq!((s.note, s.rolling), (Note::Rolling(1, 1), true));
        assert_eq!(cell(&store, s.id, ClusterId(0)).unwrap().from, Some(("1".into(), 25)));
    }

    #[test]
    fn configuration_is_compared_by_kind_name_and_content() {
        let mut store = store(&["a", "b"]);
        let config = |fingerprint: Option<u8>| {
            let detail = ConfigRow { fingerprint: fingerprint.map(|b| [b; 16]), ..ConfigRow::default() };
            let version = 2 + u64::from(fingerprint.unwrap_or(0));
            Row { version, ..row("shop", "settings", Detail::Config(Box::new(detail))) }
        };
        let reads = change_workload(api("shop/api:1"), |w| {
            w.refs = Box::from([ConfigRef { secret: false, name: "settings".into() }]);
        });
        for cluster in [0, 1] {
            store.apply(upserts(cluster, Builtin::Deployment, vec![reads.clone()]));
        }
        let s = first(&mut store);
        let at = |store: &Store, c| cell(store, s.id, ClusterId(c)).unwrap().config;
        assert_eq!(at(&store, 0), None, "missing");
        store.apply(upserts(0, Builtin::ConfigMap, vec![config(Some(1))]));
        store.apply(upserts(1, Builtin::ConfigMap, vec![config(Some(1))]));
        assert!(at(&store, 0).is_some());
        assert_eq!((at(&store, 0), first(&mut store).note), (at(&store, 1), Note::Same(2)));
        store.apply(upserts(1, Builtin::ConfigMap, vec![config(Some(9))]));
        assert_eq!(first(&mut store).note, Note::Config(2));
        store.apply(upserts(1, Builtin::ConfigMap, vec![config(None)]));
        assert_eq!(at(&store, 1), None, "unreadable");
        assert_eq!(detail(&store, s.id, ClusterId(1)).unwrap().config, [("configmap/settings".to_owned(), false)]);
        // A further workload of the cell has a version, digests and a fingerprint of its own.
        let worker = change_workload(Row { name: "worker".into(), uid: crate::model::Uid(77), ..reads.clone() }, |w| {
            w.containers =
                Arc::from([container("istio-proxy", "mesh/proxy:9", ""), container("api", "shop/api:2", "sha256:ab")]);
        });
        store.apply(upserts(0, Builtin::Deployment, vec![worker]));
        let all = workloads(&store, s.id, ClusterId(0));
        let own: Vec<WorkloadDetail> = all.iter().map(|at| workload_detail(&store, "api", *at).unwrap()).collect();
        assert_eq!(own.iter().map(|w| w.version.as_str()).collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!((own[0].config, &*own[1].containers[1].2), (own[1].config, "sha256:ab"));
        assert!(own[1].config.is_some());
    }

    #[test]
    fn several_workloads_are_one_cell_with_its_worst() {
        let mut store = store(&["a"]);
        let other = |name: &str, image: &str, health| {
            let mut row = workload("shop", name, image);
            row.labels = labels(&[("app", "api")]);
            row.health = health;
            change_workload(row, |w| (w.reason, w.wanted) = (Some("FailedCreate".into()), Some(9)))
        };
        let members =
            vec![api("shop/api:1"), other("worker", "shop/worker:7", Health::Bad), other("cron", "x:1", Health::Ok)];
        store.apply(upserts(0, Builtin::Deployment, members));
        let s = first(&mut store);
        let c = cell(&store, s.id, ClusterId(0)).unwrap();
        assert_eq!((c.version.as_str(), c.more, c.mixed, c.replicas), ("1", 2, false, (6, 20)));
        assert_eq!((s.worst, s.note), (Health::Bad, Note::Failing(1, "FailedCreate".into())));
        store.apply(upserts(0, Builtin::Deployment, vec![other("canary", "shop/api:2", Health::Ok)]));
        assert!(cell(&store, s.id, ClusterId(0)).unwrap().mixed, "one image at two versions");
    }

    #[test]
    fn sidecars_and_init_containers_are_not_the_version() {
        let containers = |all: &[(&str, &str, bool)]| -> Arc<[ContainerSpec]> {
            all.iter().map(|(n, i, init)| ContainerSpec { init: *init, ..container(n, i, "") }).collect()
        };
        for (all, image) in [
            (&[("migrate", "m:1", true), ("istio-proxy", "p:1", false), ("app", "a:2", false)][..], "a:2"),
            (&[("log", "l:1", false), ("api", "x:3", false)], "x:3"),
            (&[("log", "l:1", false), ("main", "r.example/shop/api:4", false)], "r.example/shop/api:4"),
            (&[("istio-proxy", "p:1", false)], "p:1"),
        ] {
            let all = containers(all);
            let main = crate::fleet::cell::main_container(&all, "api", "api").unwrap();
            assert_eq!(&*main.image, image);
        }
    }

    #[test]
    fn pods_that_are_not_well_are_explained() {
        let mut store = store(&["a"]);
        let deployment = api("shop/api:latest");
        let set = owned(workload("shop", "api-1", "shop/api:latest"), "Deployment", &deployment);
        let mut bad = owned(pod("shop", "p1", Health::Bad), "ReplicaSet", &set);
        bad.detail = Detail::Pod(Box::new(PodRow {
            reason: Some("CrashLoopBackOff".into()),
            note: Some("exit 1".into()),
            ..PodRow::default()
        }));
        let good = owned(pod("shop", "p2", Health::Ok), "ReplicaSet", &set);
        store.apply(upserts(0, Builtin::Deployment, vec![deployment]));
        store.apply(upserts(0, Builtin::ReplicaSet, vec![set]));
        store.apply(upserts(0, Builtin::Pod, vec![bad, good]));
        let s = first(&mut store);
        assert_eq!(s.note, Note::Moving(1));
        let detail = detail(&store, s.id, ClusterId(0)).unwrap();
        assert_eq!(
            (detail.trouble_count, &*detail.troubles[0].reason, &*detail.troubles[0].note),
            (1, "CrashLoopBackOff", "exit 1")
        );
    }

    #[test]
    fn a_namespace_ledger_moves_its_workloads() {
        let mut store = store(&["a"]);
        store.apply(upserts(0, Builtin::Deployment, vec![api("shop/api:1"), workload("kube-system", "dns", "d:1")]));
        assert_eq!(services(&mut store).iter().filter(|s| s.infrastructure).count(), 1);
        let ledger = Box::from([(Arc::from("service"), Arc::from("till"))]);
        let namespace = crate::fleet::row::NamespaceRow { terminating: false, ledger };
        store.apply(upserts(0, Builtin::Namespace, vec![row("", "shop", Detail::Namespace(Box::new(namespace)))]));
        let names: Vec<String> = services(&mut store).iter().map(|s| s.key.name.to_string()).collect();
        assert_eq!(names, ["dns", "till"]);
    }
}
