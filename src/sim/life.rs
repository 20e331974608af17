//! What goes on in a served fleet without any client: controllers and kubelets, the demo's story, the churn of scale runs.

use std::{collections::BTreeMap, sync::Arc};

use tokio::runtime::Runtime;

use super::{
    Fleet, Spec,
    controllers::{Engine, Options},
    demo,
    serve::Cluster,
};

/// Starts it all on the fleet's threads; it ends with them.
pub fn start(runtime: &Runtime, spec: &Spec, clusters: &[(String, Cluster)]) {
    let demo = matches!(spec.fleet, Fleet::Demo);
    if matches!(spec.fleet, Fleet::Scale { .. }) {
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
