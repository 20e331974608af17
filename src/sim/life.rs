//! What goes on in a served fleet without any client: controllers and kubelets, the demo's story, the churn of scale runs.

use std::{collections::BTreeMap, sync::Arc};

use tokio::runtime::Runtime;

use super::{
    Fleet, Spec, bulk,
    churn::{Churn, Rate},
    controllers::{Engine, Options},
    demo,
    serve::Cluster,
};

/// Starts it all on the fleet's threads; it ends with them.
pub fn start(runtime: &Runtime, spec: &Spec, clusters: &[(String, Cluster)], churn: &Arc<Churn>) {
    let demo = matches!(spec.fleet, Fleet::Demo);
    let stores = clusters.iter().map(|(_, c)| Arc::clone(&c.store)).collect();
    runtime.spawn(Arc::clone(churn).run(stores, spec.seed));
    if let Fleet::Scale { clusters: total, pods, workloads, churn: per_second, .. } = spec.fleet {
        fill(clusters, |n| bulk::Share::of(n, total, pods, workloads));
        churn.set(Rate { per_second });
        return;
    }
    // A cluster without nodes is an API server alone, as in the contract tests.
    if matches!(spec.fleet, Fleet::Empty { nodes: 0, .. }) {
        return;
    }
    for (name, cluster) in clusters {
        let options =
            if demo { demo::options(name, spec.seed) } else { Options { seed: spec.seed, contents: Vec::new() } };
        runtime.spawn(Engine::new(Arc::clone(&cluster.store), options).run());
    }
    if demo {
        let stages: BTreeMap<String, demo::Stage> = clusters
            .iter()
            .map(|(name, c)| (name.clone(), demo::Stage { store: Arc::clone(&c.store), switch: Arc::clone(&c.switch) }))
            .collect();
        runtime.spawn(demo::play(stages, spec.seed));
    }
}

/// Fills clusters for a scale run, on as many threads as there are processors.
fn fill(clusters: &[(String, Cluster)], share: impl Fn(usize) -> bulk::Share + Sync) {
    let Some((_, first)) = clusters.first() else { return };
    let moulds = bulk::Moulds::new(&first.store);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (moulds, share) = (&moulds, &share);
            scope.spawn(move || {
                for (n, (_, cluster)) in clusters.iter().enumerate().skip(thread).step_by(threads) {
                    moulds.fill(&cluster.store, share(n));
                }
            });
        }
    });
}
