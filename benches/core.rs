//! The pure core at the size of the promise: 200 clusters, 20,000 workloads, 100,000 pods of three containers.
//!
//! `cargo bench --bench core` prints bytes per pod first (growth of resident memory, indexes and a list's entry included),
//! then criterion's times. Nothing is asserted: figures are read by people.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a program for people at their desk")]

mod place;

use std::{hint::black_box, sync::Arc};

use criterion::{BatchSize, Criterion, criterion_group};
use quarterdeck::{
    fleet::{
        Store,
        delta::{Change, Delta},
        filter::Filter,
        intern::{ContainerParts, Interner},
        list::{ObjectList, Query, Sort},
        matrix, persist,
        row::{Detail, Phase, PodRow, Row, WorkloadRow},
        service::ServiceRules,
    },
    model::{
        Builtin, ClusterId, ClusterRecord, ClusterState, Condition, Health, KindSet, KindStatus, Millis, Secs, Uid,
    },
};

const CLUSTERS: u16 = 200;
const WORKLOADS: u32 = 100;
const PODS_PER_WORKLOAD: u32 = 5;
const NOW: Millis = Millis(1_800_000_000_000);

fn uid(cluster: u16, kind: u8, n: u32) -> Uid {
    Uid::parse(&format!("{cluster:08x}-{kind:04x}-4000-8000-{n:012x}"))
}

fn row(name: String, namespace: &str, uid: Uid, intern: &mut Interner, labels: &[(&str, &str)]) -> Row {
    Row {
        name: name.into(),
        namespace: Some(intern.text(namespace)),
        uid,
        version: 1,
        created: Secs(1_790_000_000),
        deleting: Secs(0),
        health: Health::Ok,
        labels: intern.labels_from(labels),
        owner: None,
        detail: Detail::Other(None),
    }
}

/// Deployment and ReplicaSet `n` of a cluster.
fn workload(cluster: u16, n: u32, set: bool, intern: &mut Interner) -> Row {
    let (name, namespace, image) = (format!("service-{n}"), format!("team-{}", n % 12), image(n));
    let labels = [("app", name.as_str()), ("pod-template-hash", "7f9c8d6b5")];
    let full = if set { format!("{name}-7f9c8d6b5") } else { name.clone() };
    let mut row = row(full, &namespace, uid(cluster, u8::from(set), n), intern, &labels[..1 + usize::from(set)]);
    if set {
        row.owner = Some(intern.owner_from("Deployment", "apps", &name, uid(cluster, 0, n)));
    }
    row.detail = Detail::Workload(Box::new(WorkloadRow {
        containers: intern.containers_from(&containers(&name, &image, "")),
        template_labels: intern.labels_from(&labels),
        wanted: Some(PODS_PER_WORKLOAD),
        ready: PODS_PER_WORKLOAD,
        updated: PODS_PER_WORKLOAD,
        available: PODS_PER_WORKLOAD,
        current: PODS_PER_WORKLOAD,
        ..WorkloadRow::default()
    }));
    row
}

fn image(n: u32) -> String {
    format!("registry.example.com/shop/service-{n}:2.{}.{}", n % 20, n % 7)
}

fn containers<'a>(name: &'a str, image: &'a str, digest: &'a str) -> [ContainerParts<'a>; 3] {
    let part = |name, image, init| ContainerParts { name, image, digest, init };
    [
        part("migrate", "registry.example.com/tools/migrate:1.4", true),
        part(name, image, false),
        part("istio-proxy", "registry.example.com/istio/proxyv2:1.24.1", false),
    ]
}

fn pod(cluster: u16, n: u32, version: u64, intern: &mut Interner) -> Row {
    let workload = n / PODS_PER_WORKLOAD;
    let (name, namespace) = (format!("service-{workload}"), format!("team-{}", workload % 12));
    let set = format!("{name}-7f9c8d6b5");
    let labels = [
        ("app", name.as_str()),
        ("app.kubernetes.io/managed-by", "Helm"),
        ("app.kubernetes.io/version", "2.1"),
        ("pod-template-hash", "7f9c8d6b5"),
        ("team", "blue"),
        ("tier", "backend"),
    ];
    let bad = n.is_multiple_of(50);
    let mut row = row(format!("{set}-{:05x}", n * 7919 % 0xf_ffff), &namespace, uid(cluster, 2, n), intern, &labels);
    row.version = version;
    row.owner = Some(intern.owner_from("ReplicaSet", "apps", &set, uid(cluster, 1, workload)));
    row.health = if bad { Health::Bad } else { Health::Ok };
    let digest = "sha256:9b2f1c0d6e8a7b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c";
    row.detail = Detail::Pod(Box::new(PodRow {
        node: intern.text(&format!("ip-10-0-{}-{}.eu-west-1.compute.internal", cluster % 200, n % 40)),
        containers: intern.containers_from(&containers(&name, &image(workload), digest)),
        phase: Phase::Running,
        is_ready: !bad,
        ready: (2, 2),
        restarts: u32::try_from(version).unwrap_or(0),
        restarted: Secs(0),
        reason: if bad { Some(intern.text("CrashLoopBackOff")) } else { None },
        note: None,
        cpu_m: 250,
        mem: 512 << 20,
        ip: Some(format!("10.{}.{}.{}", cluster % 250, n / 250, n % 250).into()),
    }));
    row
}

fn upserts(cluster: u16, kind: Builtin, rows: Vec<Row>) -> Delta {
    let changes = rows.into_iter().map(Change::Upsert).collect();
    Delta::Rows { cluster: ClusterId(cluster), kind: kind.id(), changes, at: NOW }
}

fn pods_of(cluster: u16, version: u64, intern: &mut Interner) -> Delta {
    let pods = (0..WORKLOADS * PODS_PER_WORKLOAD).map(|n| pod(cluster, n, version, intern)).collect();
    upserts(cluster, Builtin::Pod, pods)
}

fn clusters() -> Store {
    let mut store = Store::new(KindSet::default(), ServiceRules::default());
    for c in 0..CLUSTERS {
        let id = ClusterId(c);
        let record = ClusterRecord { name: format!("prod-{c:03}").into(), ..ClusterRecord::default() };
        store.apply(Delta::Record(id, Arc::new(record)));
        let condition = Condition { state: ClusterState::Live, heard: NOW, ..Condition::default() };
        store.apply(Delta::Condition(id, condition));
        for kind in Builtin::ALL {
            store.apply(Delta::Kind(id, kind.id(), KindStatus::Live));
        }
    }
    store
}

fn add_workloads(store: &mut Store, interns: &mut [Interner]) {
    for c in 0..CLUSTERS {
        let intern = &mut interns[usize::from(c)];
        for (kind, set) in [(Builtin::Deployment, false), (Builtin::ReplicaSet, true)] {
            let rows = (0..WORKLOADS).map(|n| workload(c, n, set, intern)).collect();
            store.apply(upserts(c, kind, rows));
        }
    }
}

fn interners() -> Vec<Interner> {
    (0..CLUSTERS).map(|_| Interner::default()).collect()
}

/// The whole fleet.
fn full() -> (Store, Vec<Interner>) {
    let (mut store, mut interns) = (clusters(), interners());
    add_workloads(&mut store, &mut interns);
    for c in 0..CLUSTERS {
        store.apply(pods_of(c, 1, &mut interns[usize::from(c)]));
    }
    (store, interns)
}

fn query(filter: &str, sort: Sort) -> Query {
    Query { kinds: vec![Builtin::Pod.id()], filter: Filter::parse(filter), sort, ..Query::default() }
}

fn listed(store: &Store, query: Query) -> ObjectList {
    let mut list = ObjectList::new(query);
    while !list.step(store, usize::MAX / 8) {}
    list
}

/// Resident memory in bytes, 0 where the system does not say.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

fn print_memory() {
    let (mut store, mut interns) = (clusters(), interners());
    let bare = resident();
    add_workloads(&mut store, &mut interns);
    let with_workloads = resident();
    for c in 0..CLUSTERS {
        store.apply(pods_of(c, 1, &mut interns[usize::from(c)]));
    }
    let with_pods = resident();
    let list = listed(&store, query("", Sort::Risk));
    let with_list = resident();
    let services = matrix::services(&mut store).len();
    let with_matrix = resident();
    for c in 0..CLUSTERS {
        store.apply(Delta::ListBegin(ClusterId(c), Builtin::Pod.id()));
        store.apply(pods_of(c, 1, &mut interns[usize::from(c)]));
        store.apply(Delta::ListDone(ClusterId(c), Builtin::Pod.id()));
    }
    let relisted = resident();
    let pods = u64::from(CLUSTERS) * u64::from(WORKLOADS * PODS_PER_WORKLOAD);
    let workloads = u64::from(CLUSTERS) * u64::from(WORKLOADS) * 2;
    println!(
        "memory, {CLUSTERS} clusters, {workloads} workload rows, {pods} pods of 3 containers, {services} services"
    );
    println!("  bytes per workload row      {:>8}", (with_workloads - bare) / workloads);
    println!("  bytes per pod               {:>8}", (with_pods - with_workloads) / pods);
    println!("  bytes per entry of a list   {:>8}", (with_list - with_pods) / list.rows().len() as u64);
    println!("  matrix, KiB                 {:>8}", (with_matrix - with_list) / 1024);
    println!("  all, MiB                    {:>8}", (with_matrix - bare) >> 20);
    println!("  growth by a relist of all   {:>7.1}%", 100.0 * (relisted as f64 / with_matrix as f64 - 1.0));
}

fn benches(c: &mut Criterion) {
    let (mut store, mut interns) = full();

    let mut group = c.benchmark_group("core");
    group.sample_size(10);
    let mut version = 1;
    group.bench_function("apply: 500 changed pods of one cluster", |b| {
        b.iter_batched(
            || {
                version += 1;
                pods_of(7, version, &mut interns[7])
            },
            |delta| store.apply(delta),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("apply: relist of 500 unchanged pods", |b| {
        b.iter_batched(|| pods_of(8, 1, &mut interns[8]), |delta| store.apply(delta), BatchSize::PerIteration);
    });
    for (name, sort) in [("risk", Sort::Risk), ("name", Sort::Name), ("node", Sort::Column("node".into()))] {
        group.bench_function(format!("list: build 100,000 by {name}"), |b| {
            b.iter(|| black_box(listed(&store, query("", sort.clone())).rows().len()));
        });
    }
    for filter in ["service-1.*b5", "status:crash restarts<3", "-l app=service-42", "-f svc42"] {
        group.bench_function(format!("list: filter 100,000 by '{filter}'"), |b| {
            b.iter(|| black_box(listed(&store, query(filter, Sort::Risk)).rows().len()));
        });
    }
    let mut list = listed(&store, query("", Sort::Risk));
    let mut n = 0;
    group.bench_function("list: follow 33 changed pods (a frame at 2,000/s)", |b| {
        b.iter_batched(
            || {
                version += 1;
                let rows = (0..33).map(|i| pod(9, (n + i * 13) % 500, version, &mut interns[9])).collect();
                n += 1;
                upserts(9, Builtin::Pod, rows)
            },
            |delta| {
                store.apply(delta);
                list.step(&store, 4096)
            },
            BatchSize::PerIteration,
        );
    });
    matrix::services(&mut store);
    let mut change = 1;
    group.bench_function("matrix: one workload changed in a service of 200 clusters", |b| {
        b.iter_batched(
            || {
                change += 1;
                let row = Row { version: change, ..workload(3, 42, false, &mut interns[3]) };
                upserts(3, Builtin::Deployment, vec![row])
            },
            |delta| {
                store.apply(delta);
                black_box(matrix::services(&mut store).len())
            },
            BatchSize::PerIteration,
        );
    });
    group.bench_function("inventory: rows of 200 clusters", |b| {
        b.iter(|| black_box(quarterdeck::fleet::inventory::rows(&store, NOW).len()));
    });
    group.bench_function("inventory: header counts of 200 clusters", |b| {
        b.iter(|| black_box(quarterdeck::fleet::inventory::counts(&store, NOW)));
    });
    let all = || (0..CLUSTERS).map(ClusterId);
    group.bench_function("persist: encode 200 clusters, 100,000 pods", |b| {
        b.iter(|| all().map(|id| black_box(persist::encode(&store, id, NOW)).len()).sum::<usize>());
    });
    let files: Vec<Vec<u8>> = all().map(|id| persist::encode(&store, id, NOW)).collect();
    println!("snapshots of all clusters: {} KiB", files.iter().map(Vec::len).sum::<usize>() / 1024);
    group.bench_function("persist: decode the heads of 200 clusters", |b| {
        let heads = || all().zip(&files).map(|(id, f)| persist::decode_head(f, id, &mut Interner::default()));
        b.iter(|| heads().map(|d| d.unwrap().len()).sum::<usize>());
    });
    group.bench_function("persist: decode 200 clusters, 100,000 pods", |b| {
        b.iter(|| all().zip(&files).map(|(id, f)| persist::decode(f, id).unwrap().len()).sum::<usize>());
    });
    group.finish();
}

criterion_group!(group, benches, place::benches);

fn main() {
    print_memory();
    group();
    Criterion::default().configure_from_args().final_summary();
}
