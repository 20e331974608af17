//! The decision in one call, for a placement that is asked once.

use super::{Decision, Placement, Prepared, Resource, Roster, State};
use crate::desired::cluster::Cluster;

/// Who gets what. A cluster that is lost is one whose `deleting` is set; with [`State::unchanged`], one that is merely missing from
/// `clusters` is no reason for a pass. For many objects, make a [`Roster`] and a [`Prepared`] once.
pub fn decide(placement: &Placement, resource: &Resource, clusters: &[Cluster], state: &State) -> Decision {
    let roster = Roster::new(clusters);
    Prepared::new(placement, &roster).decide(resource, state, None)
}
