//! Placement over 200 clusters: one decision each of the usual kinds, and their explanation.

use std::{hint::black_box, sync::Arc};

use criterion::{Criterion, Throughput};
use quarterdeck::{
    desired::{
        cluster::Cluster,
        place::{Group, Placement, Prepared, Resource, Roster, Spread, SpreadBy, State, Strategy, Weight},
        selector::{Affinity, LabelSelector, Operator, Requirement},
    },
    model::Taint,
};

const CLUSTERS: usize = 200;

fn clusters() -> Vec<Cluster> {
    let taint = Taint { key: "maintenance".into(), value: String::new(), effect: "NoSchedule".into() };
    let apis: Vec<String> = (0..80).map(|n| format!("group-{n}.example.com/v1 Kind{n}")).collect();
    let cluster = |n: usize| Cluster {
        name: format!("cluster-{n:03}").into(),
        labels: [("tier".to_owned(), ["gold", "silver", "bronze"][n % 3].to_owned())].into(),
        region: ["eu", "us", "ap", "sa"][n % 4].to_owned(),
        zones: vec![format!("z{}", n % 7)],
        available: Some((n as i64 * 37) % 50),
        taints: if n.is_multiple_of(11) { vec![taint.clone()] } else { Vec::new() },
        apis: Some(apis.iter().cloned().chain(["apps/v1 Deployment".to_owned()]).collect()),
        ..Cluster::default()
    };
    (0..CLUSTERS).map(cluster).collect()
}

fn tier(tier: &str) -> Affinity {
    let requirement = Requirement { key: "tier".to_owned(), operator: Operator::In, values: vec![tier.to_owned()] };
    let labels = LabelSelector { requirements: vec![requirement], broken: false };
    Affinity { labels: Some(labels), ..Affinity::default() }
}

fn placements() -> Vec<(&'static str, Placement, State)> {
    let weights = [("gold", 5), ("silver", 2), ("bronze", 1)];
    let weights = weights.map(|(t, weight)| Weight { affinity: tier(t), weight }).to_vec();
    let spread = |by, min, max| Spread { by, min, max };
    let placement = |strategy, spread: Vec<Spread>| Placement {
        groups: vec![Group::default()],
        strategy,
        spread,
        ..Placement::default()
    };
    let previous = (0..CLUSTERS).step_by(3).map(|n| (Arc::from(format!("cluster-{n:03}")), 2)).collect();
    let held = State { previous, ..State::default() };
    let regions = vec![spread(SpreadBy::Region, 2, 3), spread(SpreadBy::Cluster, 4, 40)];
    vec![
        ("duplicated", placement(Strategy::Duplicated, Vec::new()), State::default()),
        ("static weights", placement(Strategy::Static { weights, given: true }, Vec::new()), State::default()),
        ("dynamic, 67 holders", placement(Strategy::Dynamic, Vec::new()), held.clone()),
        ("dynamic over regions", placement(Strategy::Dynamic, regions), State::default()),
        ("aggregated, 67 holders", placement(Strategy::Aggregated, Vec::new()), held),
    ]
}

/// The group's benchmarks.
pub fn benches(c: &mut Criterion) {
    let clusters = clusters();
    let roster = Roster::new(&clusters);
    let resource = Resource { api: "apps/v1 Deployment".into(), replicas: 400, ..Resource::default() };
    let mut group = c.benchmark_group("place");
    group.throughput(Throughput::Elements(1));
    group.bench_function("roster of 200 clusters with 81 kinds each", |b| b.iter(|| black_box(Roster::new(&clusters))));
    for (name, placement, state) in placements() {
        let prepared = Prepared::new(&placement, &roster);
        group.bench_function(format!("prepare: {name}"), |b| b.iter(|| black_box(Prepared::new(&placement, &roster))));
        group.bench_function(format!("decide: {name}"), |b| {
            b.iter(|| black_box(prepared.decide(&resource, &state, None)));
        });
        group.bench_function(format!("explain: {name}"), |b| {
            b.iter(|| black_box(prepared.explain(&resource, &state, None)));
        });
    }
    group.finish();
}
