//! Why an object goes where it goes: the explanation of the pass that decided, made when somebody asks.

use super::{Desired, Owner, Placed};
use crate::desired::{
    capacity,
    cluster::Cluster,
    patch::{self, apply::Prepared as Overrides},
    place::{Explanation, Failure as Refusal, Prepared, Resource, Roster, State},
};

impl Desired {
    /// The explanation of a placement by a policy, cluster by cluster (by name); `None` for what no policy places.
    pub fn explain(&self, placed: &Placed) -> Option<Explanation> {
        let Owner::Policy(policy) = &placed.owner else { return None };
        let clusters = self.reached(placed);
        let roster = Roster::new(&clusters);
        let available = capacity::available(&placed.template, &clusters);
        let none = State::default();
        let state = self.inputs.states.get(&placed.key).unwrap_or(&none);
        let prepared = Prepared::new(&policy.placement, &roster);
        Some(prepared.explain(&Resource::of(&placed.template), state, available.as_deref()))
    }

    /// The clusters that have their base from the object's source: those among which it is placed.
    pub fn reached(&self, placed: &Placed) -> Vec<Cluster> {
        placed.clusters().filter_map(|n| self.inputs.clusters.get(usize::try_from(n).ok()?).cloned()).collect()
    }

    /// What was placed before, as the pass saw it.
    pub fn state(&self, placed: &Placed) -> State {
        self.inputs.states.get(&placed.key).cloned().unwrap_or_default()
    }

    /// The override rules that apply to an object in a cluster, in the order in which they run.
    pub fn overrides(&self, placed: &Placed, cluster: u32) -> Vec<std::sync::Arc<crate::desired::origin::Rule>> {
        let found = usize::try_from(cluster).ok().and_then(|n| self.inputs.clusters.get(n));
        let Some(cluster) = found else { return Vec::new() };
        Overrides::new(placed.policies(), &placed.template).touched(cluster)
    }
}

impl Placed {
    /// Why the pass gave no result; `None` where it gave one, or there was none.
    pub fn refusal(&self) -> Option<Refusal> {
        self.decision.as_ref()?.outcome.as_ref().err().copied()
    }

    /// Why the overrides failed in a cluster; `None` where they did not.
    pub fn failure(&self, cluster: u32) -> Option<&patch::Failure> {
        self.failures.iter().find(|(at, _)| *at == cluster).map(|(_, failure)| failure)
    }
}
