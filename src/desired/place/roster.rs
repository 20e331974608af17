//! A set of clusters, looked over once for any number of placements: the order of their names, who serves what.

use std::collections::HashMap;

use crate::desired::cluster::Cluster;

/// Clusters and what is known of them whatever is placed.
#[derive(Clone, Debug)]
pub struct Roster<'a> {
    /// The clusters, in the order given.
    pub clusters: &'a [Cluster],
    /// Place of each cluster's name among all names.
    pub(super) rank: Vec<u32>,
    index: HashMap<&'a str, u32>,
    /// Clusters that serve whatever is asked for.
    open: Vec<bool>,
    serving: HashMap<&'a str, Vec<bool>>,
}

impl<'a> Roster<'a> {
    /// Looks clusters over; their names are unique, their order carries no meaning.
    pub fn new(clusters: &'a [Cluster]) -> Self {
        let mut order: Vec<u32> = (0..).take(clusters.len()).collect();
        order.sort_by(|&a, &b| clusters[a as usize].name.cmp(&clusters[b as usize].name));
        let mut rank = vec![0; clusters.len()];
        (0..).zip(&order).for_each(|(place, &cluster)| rank[cluster as usize] = place);
        let mut serving: HashMap<&str, Vec<bool>> = HashMap::new();
        for (at, cluster) in clusters.iter().enumerate() {
            for api in cluster.apis.iter().flatten() {
                serving.entry(api).or_insert_with(|| vec![false; clusters.len()])[at] = true;
            }
        }
        Self {
            clusters,
            rank,
            index: (0..).zip(clusters).map(|(at, c)| (&*c.name, at)).collect(),
            open: clusters.iter().map(|c| c.apis.is_none()).collect(),
            serving,
        }
    }

    /// A cluster by its name.
    pub fn index(&self, name: &str) -> Option<u32> {
        self.index.get(name).copied()
    }

    /// Who serves a kind (`apiVersion Kind`), by cluster.
    pub(super) fn serving(&self, api: &str) -> impl Fn(usize) -> bool {
        let list = self.serving.get(api);
        move |cluster| self.open[cluster] || list.is_some_and(|l| l[cluster])
    }
}
