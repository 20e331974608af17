//! A placement made ready for a set of clusters: what does not depend on the object is found once, not 20,000 times.

use super::{
    Decision, Limit, MOST, Placement, Resource, State, Strategy,
    filter::{OUTSIDE, lacked, unborne},
    pass,
    roster::Roster,
};

/// A placement and the verdicts of all clusters on it.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// The placement.
    pub placement: &'a Placement,
    /// The clusters.
    pub roster: &'a Roster<'a>,
    /// Has a taint that is not borne, by cluster.
    pub(super) tainted: Vec<bool>,
    /// Lacks a property that is counted, by cluster.
    pub(super) lacking: Vec<bool>,
    /// Tier by group and cluster; [`OUTSIDE`] = none.
    pub(super) tiers: Vec<Vec<u32>>,
    /// Fixed weight by cluster; 0 = no rule fits it. Empty for other strategies.
    pub(super) weights: Vec<i64>,
    /// Limits on the replicas by cluster. Empty where there are none.
    pub(super) limits: Vec<Bounds>,
}

/// Least and most replicas of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) min: i64,
    pub(super) max: i64,
}

impl<'a> Prepared<'a> {
    /// Makes a placement ready.
    pub fn new(placement: &'a Placement, roster: &'a Roster<'a>) -> Self {
        let clusters = roster.clusters;
        let tier = |group: &super::Group, cluster| {
            if group.affinity.matches(cluster) {
                return 0;
            }
            (1..).zip(&group.overflow).find(|(_, (_, a))| a.matches(cluster)).map_or(OUTSIDE, |(tier, _)| tier)
        };
        let weights = match &placement.strategy {
            Strategy::Static { weights, .. } => clusters
                .iter()
                .map(|c| weights.iter().filter(|w| w.affinity.matches(c)).map(|w| w.weight).max().unwrap_or(0))
                .collect(),
            _ => Vec::new(),
        };
        let bounds = |cluster| {
            let limit: Option<&Limit> = placement.limits.iter().find(|l| l.affinity.matches(cluster));
            let max = limit.and_then(|l| l.max).unwrap_or(MOST).clamp(0, MOST);
            Bounds { min: limit.map_or(0, |l| l.min.clamp(0, max)), max }
        };
        Self {
            placement,
            roster,
            tainted: clusters.iter().map(|c| unborne(placement, c).next().is_some()).collect(),
            lacking: clusters.iter().map(|c| lacked(placement, c).next().is_some()).collect(),
            tiers: placement.groups.iter().map(|g| clusters.iter().map(|c| tier(g, c)).collect()).collect(),
            weights,
            limits: if placement.limits.is_empty() { Vec::new() } else { clusters.iter().map(bounds).collect() },
        }
    }

    /// Decides for one object. `available` says, by cluster, how many more replicas of this object each can take; without it
    /// the clusters' own figure counts.
    pub fn decide(&self, resource: &Resource, state: &State, available: Option<&[Option<i64>]>) -> Decision {
        pass::run(self, resource, state, available).decision(self, state)
    }
}
