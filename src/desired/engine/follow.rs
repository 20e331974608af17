//! What workloads refer to follows them where their policy says so (`propagateDeps`).

use std::collections::BTreeSet;

use super::{Owner, Placed};
use crate::desired::policy::dependencies::{Dependency, dependencies};

/// Sends what others refer to after them.
pub(super) fn apply(services: &mut [Vec<Placed>]) {
    let mut wanted: Vec<(Dependency, Vec<u32>)> = Vec::new();
    for placed in services.iter().flatten() {
        let Owner::Policy(policy) = &placed.owner else { continue };
        if policy.propagate_deps {
            let clusters: Vec<u32> = placed.shares().into_iter().map(|(at, _)| at).collect();
            wanted.extend(dependencies(&placed.template).into_iter().map(|d| (d, clusters.clone())));
        }
    }
    if wanted.is_empty() {
        return;
    }
    for placed in services.iter_mut().flatten() {
        let meant = wanted.iter().filter(|(dependency, _)| dependency.is(&placed.template));
        let clusters: BTreeSet<u32> = meant.flat_map(|(_, clusters)| clusters.iter().copied()).collect();
        if !clusters.is_empty() {
            placed.follow(&clusters.into_iter().collect::<Vec<u32>>());
        }
    }
}
