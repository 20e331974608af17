//! Numbers that do not count: limits of the spread, weights, limits of replicas, room.

use std::collections::BTreeSet;

use super::{Code, Finding, few, title, view::View};
use crate::{
    desired::{
        cluster::Cluster,
        place::{Placement, Resource, Spread, SpreadBy, Strategy},
        policy::PlacementPolicy,
    },
    messages::{Msg, policy as text},
};

pub(super) fn look(view: &View<'_>, found: &mut Vec<Finding>) {
    for (at, policy) in view.placements() {
        let clusters = view.clusters_of(at);
        let mut look = Look { policy, subject: title(&policy.id), clusters, found };
        look.spread();
        look.weights();
        look.limits();
        for item in view.owned(at) {
            look.room(Resource::of(item.object).replicas, &item.object.key.to_string());
        }
    }
}

struct Look<'a, 'b> {
    policy: &'a PlacementPolicy,
    subject: String,
    /// Clusters that the placement reaches.
    clusters: Vec<&'a Cluster>,
    found: &'b mut Vec<Finding>,
}

impl Look<'_, '_> {
    fn find(&mut self, code: Code, msg: Msg, values: &[(&'static str, &str)]) {
        let mut finding = Finding::new(code, Some(self.policy.at.clone()), &self.subject, msg);
        finding = finding.with("policy", &self.subject);
        self.found.push(values.iter().fold(finding, |f, (place, value)| f.with(place, value)));
    }

    fn spread(&mut self) {
        let placement = self.policy.placement.clone();
        let ignored = ignores_spread(&placement);
        for spread in &placement.spread {
            let by = word(&spread.by);
            match spread.by {
                SpreadBy::Zone | SpreadBy::Provider => {
                    self.find(Code::SpreadIgnored, text::SPREAD_PROPERTY_ONLY, &[("by", &by)]);
                }
                SpreadBy::Label(_) => self.find(Code::SpreadIgnored, text::SPREAD_BY_LABEL, &[("by", &by)]),
                _ if ignored => self.find(Code::SpreadIgnored, text::SPREAD_WITH_WEIGHTS, &[("by", &by)]),
                _ if spread.max == 0 => {
                    let msg = if spread.min > 1 { text::SPREAD_MIN_ALONE } else { text::SPREAD_NO_MAX };
                    self.find(Code::SpreadSelectsNothing, msg, &[("by", &by), ("min", &spread.min.to_string())]);
                }
                _ => self.reach(spread, &by),
            }
        }
    }

    /// More is wanted than the clusters of the placement have.
    fn reach(&mut self, spread: &Spread, by: &str) {
        let groups: BTreeSet<&str> =
            self.clusters.iter().map(|c| spread.by.group(c)).filter(|group| !group.is_empty()).collect();
        let there = if spread.by == SpreadBy::Cluster { self.clusters.len() } else { groups.len() };
        // Where no cluster fits at all, that is said already.
        if !self.clusters.is_empty() && i64::try_from(there).is_ok_and(|n| n < spread.min) {
            let values = [("by", by), ("min", &*spread.min.to_string()), ("n", &*there.to_string())];
            self.find(Code::SpreadOutOfReach, text::SPREAD_OUT_OF_REACH, &values);
        }
    }

    fn weights(&mut self) {
        let placement = self.policy.placement.clone();
        let Strategy::Static { weights, .. } = &placement.strategy else { return };
        if weights.is_empty() || self.clusters.is_empty() {
            return;
        }
        let weighs = |c: &Cluster| weights.iter().any(|w| w.affinity.matches(c));
        if !self.clusters.iter().any(|c| weighs(c)) {
            return self.find(Code::WeightWithoutEffect, text::WEIGHTS_ALL_IDLE, &[]);
        }
        for (at, weight) in weights.iter().enumerate() {
            if !self.clusters.iter().any(|c| weight.affinity.matches(c)) {
                let values = [("n", &*(at + 1).to_string()), ("weight", &*weight.weight.to_string())];
                self.find(Code::WeightWithoutEffect, text::WEIGHT_IDLE, &values);
            }
        }
        let without: Vec<&str> = self.clusters.iter().filter(|c| !weighs(c)).map(|c| &*c.name).collect();
        if !without.is_empty() {
            self.find(Code::ClusterWithoutWeight, text::CLUSTER_WITHOUT_WEIGHT, &[("clusters", &few(&without))]);
        }
    }

    /// The first limit that fits a cluster counts: one whose clusters all have an earlier one never does.
    fn limits(&mut self) {
        let placement = self.policy.placement.clone();
        for (at, limit) in placement.limits.iter().enumerate() {
            let own: Vec<&&Cluster> = self.clusters.iter().filter(|c| limit.affinity.matches(c)).collect();
            let earlier = |c: &Cluster| placement.limits[..at].iter().any(|l| l.affinity.matches(c));
            let msg = match () {
                () if self.clusters.is_empty() => continue,
                () if own.is_empty() => text::LIMIT_OUTSIDE,
                () if own.iter().all(|c| earlier(c)) => text::LIMIT_LATE,
                () => continue,
            };
            self.find(Code::LimitWithoutEffect, msg, &[("n", &(at + 1).to_string())]);
        }
    }

    /// All replicas everywhere, and fixed weights, do not look at room; where it is known and too small, that is worth a word.
    fn room(&mut self, replicas: i64, object: &str) {
        if !matches!(self.policy.placement.strategy, Strategy::Absent | Strategy::Duplicated) || replicas == 0 {
            return;
        }
        let small = |c: &&&Cluster| c.available.is_some_and(|room| room < replicas);
        let full: Vec<String> = self
            .clusters
            .iter()
            .filter(small)
            .map(|c| format!("{} ({})", c.name, c.available.unwrap_or_default()))
            .collect();
        if !full.is_empty() {
            let values = [("object", object), ("n", &*replicas.to_string()), ("clusters", &*few(&full))];
            self.find(Code::CapacityIgnored, text::CAPACITY_IGNORED, &values);
        }
    }
}

/// Fixed weights do not ask how many clusters there may be (specs: when constraints are ignored).
fn ignores_spread(placement: &Placement) -> bool {
    matches!(&placement.strategy, Strategy::Static { weights, given } if !weights.is_empty() || !given)
}

fn word(by: &SpreadBy) -> String {
    match by {
        SpreadBy::Cluster => "cluster".into(),
        SpreadBy::Region => "region".into(),
        SpreadBy::Zone => "zone".into(),
        SpreadBy::Provider => "provider".into(),
        SpreadBy::Label(label) => label.clone(),
        SpreadBy::Counted(field) => field.word().into(),
    }
}
