//! Which clusters a placement can use at all: the verdicts that are the same for every object, and the ones that are not.

use super::{Placement, Spread, SpreadBy, Toleration, facts::Facts, prepared::Prepared};
use crate::{desired::cluster::Cluster, model::Taint};

/// Marks a cluster that belongs to no tier of a group.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// A reason why a cluster cannot be used. Karmada stops at the first one; here they are all known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Filter {
    /// It is being taken out of the fleet.
    Deleting = 1,
    /// It does not match the group's affinity.
    Affinity = 2,
    /// It has a taint that is not borne.
    Taint = 4,
    /// It does not serve the kind.
    Api = 8,
    /// It lacks a property that a spread constraint counts.
    Property = 16,
    /// The object is being moved away from it.
    Evicting = 32,
}

impl Filter {
    /// All of them, in the order in which they are told.
    pub(super) const ALL: [Self; 6] =
        [Self::Deleting, Self::Affinity, Self::Taint, Self::Api, Self::Property, Self::Evicting];
}

/// A set of [`Filter`]s that a cluster does not pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Failing(u8);

impl Failing {
    /// Whether every filter is passed.
    pub(super) fn none(self) -> bool {
        self.0 == 0
    }

    /// Whether it fails this one.
    pub(super) fn has(self, filter: Filter) -> bool {
        self.0 & filter as u8 != 0
    }

    fn add(&mut self, fails: bool, filter: Filter) {
        if fails {
            self.0 |= filter as u8;
        }
    }
}

impl Prepared<'_> {
    /// The filters that a cluster does not pass, for one group (specs: Karmada's filters; holders are spared two of them).
    pub(super) fn failing(&self, group: usize, cluster: usize, facts: &Facts, served: bool) -> Failing {
        let mut failing = Failing::default();
        let newcomer = !facts.holds(cluster);
        failing.add(self.roster.clusters[cluster].deleting, Filter::Deleting);
        failing.add(self.tier(group, cluster, facts.workload) == OUTSIDE, Filter::Affinity);
        failing.add(newcomer && self.tainted[cluster], Filter::Taint);
        failing.add(newcomer && !served, Filter::Api);
        failing.add(self.lacking[cluster], Filter::Property);
        failing.add(facts.evicting[cluster], Filter::Evicting);
        failing
    }

    /// The tier of a cluster in a group: 0, or the place of the overflow that takes it, from 1; overflow is for workloads.
    pub(super) fn tier(&self, group: usize, cluster: usize, workload: bool) -> u32 {
        match self.tiers[group][cluster] {
            tier if tier > 0 && !workload => OUTSIDE,
            tier => tier,
        }
    }
}

/// Whether a toleration bears a taint, as in Kubernetes.
pub fn bears(toleration: &Toleration, taint: &Taint) -> bool {
    let fits = |wanted: &str, is: &str| wanted.is_empty() || wanted == is;
    fits(&toleration.effect, &taint.effect)
        && fits(&toleration.key, &taint.key)
        && (toleration.exists || toleration.value == taint.value)
}

/// The taints of a cluster that keep a newcomer away.
pub fn unborne<'a>(placement: &'a Placement, cluster: &'a Cluster) -> impl Iterator<Item = &'a Taint> {
    let bars = |taint: &&Taint| matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute");
    cluster.taints.iter().filter(bars).filter(|taint| !placement.tolerations.iter().any(|t| bears(t, taint)))
}

/// The spread constraints whose property a cluster lacks.
pub fn lacked<'a>(placement: &'a Placement, cluster: &'a Cluster) -> impl Iterator<Item = &'a Spread> {
    placement.spread.iter().filter(|spread| match spread.by {
        SpreadBy::Provider => cluster.provider.is_empty(),
        SpreadBy::Region => cluster.region.is_empty(),
        SpreadBy::Zone => cluster.zones.is_empty(),
        SpreadBy::Counted(field) => field.first(cluster).is_empty(),
        SpreadBy::Cluster | SpreadBy::Label(_) => false,
    })
}
