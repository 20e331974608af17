//! The scene with what several lints need: which policy matches which objects, who owns them, which clusters a placement reaches.

use std::collections::{BTreeMap, BTreeSet};

use super::Scene;
use crate::desired::{
    cluster::Cluster,
    object::{Object, ObjectKey},
    place::Placement,
    policy::{PlacementPolicy, select},
};

/// An object of the scene.
pub(super) struct Item<'a> {
    /// Number of its service.
    pub service: usize,
    /// The object.
    pub object: &'a Object,
    /// Number of its owner among the placements.
    pub owner: Option<usize>,
}

/// The scene, looked over once.
pub(super) struct View<'a> {
    pub scene: &'a Scene<'a>,
    /// Every object; of several with one name in one service the first.
    pub items: Vec<Item<'a>>,
    /// By placement: the objects that its selectors match, by number.
    pub matched: Vec<Vec<usize>>,
    /// By placement: the clusters that any of its groups reaches, by number.
    pub reached: Vec<BTreeSet<usize>>,
}

impl<'a> View<'a> {
    pub(super) fn of(scene: &'a Scene<'a>) -> Self {
        let placements = &scene.policies.placements;
        let mut items = Vec::new();
        for (service, subject) in scene.services.iter().enumerate() {
            let mut seen: BTreeSet<&ObjectKey> = BTreeSet::new();
            for object in subject.objects.iter().copied().filter(|o| seen.insert(&o.key)) {
                let owner = select::owner(placements, object, None, false);
                items.push(Item { service, object, owner });
            }
        }
        let matches = |policy: &PlacementPolicy| {
            let fits = |object: &Object| policy.selectors.iter().any(|s| s.precision(object) > 0);
            (0..items.len()).filter(|&at| fits(items[at].object)).collect()
        };
        let matched = placements.iter().map(|p| matches(p)).collect();
        let reached = placements.iter().map(|p| reached(&p.placement, scene.clusters)).collect();
        Self { scene, items, matched, reached }
    }

    /// Placements with their number.
    pub(super) fn placements(&self) -> impl Iterator<Item = (usize, &'a PlacementPolicy)> {
        self.scene.policies.placements.iter().map(|p| &**p).enumerate().filter(|(_, p)| !p.deleting)
    }

    /// Numbers of the objects that a placement owns.
    pub(super) fn owned(&self, placement: usize) -> impl Iterator<Item = &Item<'a>> {
        self.items.iter().filter(move |i| i.owner == Some(placement))
    }

    /// Clusters that a placement reaches.
    pub(super) fn clusters_of(&self, placement: usize) -> Vec<&'a Cluster> {
        self.reached[placement].iter().map(|at| &self.scene.clusters[*at]).collect()
    }

    /// Numbers of the clusters that an object may go to: all of them where its service chooses them itself, or where nobody
    /// sends it, which is told elsewhere.
    pub(super) fn reach_of(&self, item: &Item<'a>) -> BTreeSet<usize> {
        match item.owner.filter(|_| !self.scene.services[item.service].sourced) {
            Some(owner) => self.reached[owner].clone(),
            None => (0..self.scene.clusters.len()).collect(),
        }
    }

    /// Numbers of the objects by name, without the version of their API.
    pub(super) fn by_name(&self) -> BTreeMap<(&'a str, &'a str, &'a str, &'a str), Vec<usize>> {
        let mut names: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (at, item) in self.items.iter().enumerate() {
            let key = &item.object.key;
            names.entry((key.group(), &*key.kind, &*key.namespace, &*key.name)).or_default().push(at);
        }
        names
    }
}

fn reached(placement: &Placement, clusters: &[Cluster]) -> BTreeSet<usize> {
    let fits = |cluster: &Cluster| {
        let group = |g: &crate::desired::place::Group| {
            g.affinity.matches(cluster) || g.overflow.iter().any(|(_, affinity)| affinity.matches(cluster))
        };
        placement.groups.iter().any(group)
    };
    (0..clusters.len()).filter(|&at| !clusters[at].deleting && fits(&clusters[at])).collect()
}
