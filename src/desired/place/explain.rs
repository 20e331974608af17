//! Why each cluster is in or out, as data. It comes from the pass that decides, so the two cannot disagree.

use std::sync::Arc;

use serde::Serialize;

use super::{
    Failure, Resource, State, Strategy,
    filter::{Filter, lacked, unborne},
    pass::{self, Attempt, Candidate, Cause, How, Pick, Run},
    prepared::Prepared,
};
use crate::desired::selector::Misfit;

/// Everything about one placement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Replicas wanted.
    pub replicas: i64,
    /// Replicas are dealt out at all.
    pub workload: bool,
    /// How: `duplicated`, `static`, `dynamic`, `aggregated`.
    pub strategy: &'static str,
    /// What made the pass run.
    pub cause: Cause,
    /// Groups that were tried, in order.
    pub attempts: Vec<Attempted>,
    /// Group in use afterwards, where groups have names.
    pub group: Option<Arc<str>>,
    /// Why nothing (new) was placed.
    pub failure: Option<&'static str>,
    /// Replicas placed, all clusters together.
    pub placed: i64,
    /// Regions, where they are counted.
    pub regions: Vec<RegionPlaced>,
    /// Every cluster, by name.
    pub clusters: Vec<ClusterPlaced>,
    /// Former holders that are no clusters any more.
    pub gone: Vec<Former>,
    #[serde(skip)]
    pub(super) failed: Option<Failure>,
    /// Most clusters that may be selected.
    #[serde(skip)]
    pub(super) most: i64,
}

/// One group that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attempted {
    /// Its name, empty where groups have none.
    pub group: Arc<str>,
    /// Why it failed.
    pub failure: Option<&'static str>,
}

/// One region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RegionPlaced {
    /// Name.
    pub region: Arc<str>,
    /// Clusters in it that pass every filter.
    pub clusters: usize,
    /// What it is worth.
    pub weight: i64,
    /// Chosen.
    pub chosen: bool,
}

/// A former holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Former {
    /// Name.
    pub cluster: Arc<str>,
    /// What it held.
    pub replicas: i64,
}

/// A filter that a cluster does not pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "filter", rename_all = "kebab-case")]
pub enum Bar {
    /// It is being taken out of the fleet.
    Deleting,
    /// It does not match the affinity; of a group, where groups have names.
    Affinity {
        /// Group; empty where groups have no names.
        group: Arc<str>,
        /// The first part that does not match: `excluded`, `labels`, `name`, `broken`, or a field.
        part: &'static str,
    },
    /// Taints that are not borne, as `key=value:effect`.
    Taint {
        /// All of them.
        taints: Vec<String>,
    },
    /// It does not serve the kind.
    Api {
        /// `apiVersion Kind`.
        api: Arc<str>,
    },
    /// It lacks properties that spread constraints count.
    Property {
        /// All of them.
        properties: Vec<&'static str>,
    },
    /// The object is being moved away from it.
    Evicting,
}

/// One cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterPlaced {
    /// Name.
    pub cluster: Arc<str>,
    /// Replicas it gets (0 for what has none); `None` = it is out.
    pub replicas: Option<i64>,
    /// Replicas it held; `None` = it was no holder.
    pub held: Option<i64>,
    /// Filters it does not pass, all of them.
    pub barred: Vec<Bar>,
    /// How many more replicas it can take, as it was told; `None` = unknown.
    pub available: Option<i64>,
    /// What is known of a cluster that passes every filter.
    #[serde(flatten)]
    pub chance: Option<Chance>,
    #[serde(skip)]
    pub(super) region: Arc<str>,
}

/// A cluster that passes every filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chance {
    /// Its place in the order, from 1.
    pub place: usize,
    /// 0, or the overflow that takes it, from 1.
    pub tier: u32,
    /// 100 for a holder, 0 for others.
    pub score: i64,
    /// What it can take, what it holds counted in.
    pub room: i64,
    /// Whether it is selected, and why.
    pub pick: Pick,
    /// How its replicas come about.
    pub how: How,
    /// Weight its replicas were divided by.
    pub weight: i64,
    /// Sum of the weights.
    pub weights: i64,
    /// Replicas that were divided by them.
    pub pot: i64,
    /// Replicas before the policy's limits.
    pub dealt: i64,
}

impl Prepared<'_> {
    /// Explains what [`Prepared::decide`] decides.
    pub fn explain(&self, resource: &Resource, state: &State, available: Option<&[Option<i64>]>) -> Explanation {
        let run = pass::run(self, resource, state, available);
        let decision = run.decision(self, state);
        let won = run.attempts.last().filter(|a| a.failure.is_none());
        let shown = won.or(run.attempts.first());
        let shares = decision.outcome.as_deref().unwrap_or_default();
        let mut order: Vec<usize> = (0..self.roster.clusters.len()).collect();
        order.sort_by_key(|&cluster| self.roster.rank[cluster]);
        Explanation {
            replicas: resource.replicas,
            workload: run.facts.workload,
            strategy: self.strategy_word(),
            cause: run.cause,
            attempts: run.attempts.iter().map(|a| self.attempted(a)).collect(),
            group: decision.group,
            failure: decision.outcome.as_ref().err().map(|f| f.word()),
            failed: decision.outcome.as_ref().err().copied(),
            placed: shares.iter().map(|(_, n)| n).sum(),
            regions: shown.map(regions).unwrap_or_default(),
            most: self.most_clusters(),
            clusters: order.into_iter().map(|c| self.cluster_placed(&run, shown, c, shares)).collect(),
            gone: gone(self, state),
        }
    }

    fn attempted(&self, attempt: &Attempt) -> Attempted {
        let group = self.placement.groups[attempt.group].name.clone();
        Attempted { group, failure: attempt.failure.map(Failure::word) }
    }

    fn strategy_word(&self) -> &'static str {
        match self.placement.strategy {
            Strategy::Absent | Strategy::Duplicated => "duplicated",
            Strategy::Static { .. } => "static",
            Strategy::Dynamic => "dynamic",
            Strategy::Aggregated => "aggregated",
        }
    }

    fn most_clusters(&self) -> i64 {
        let limit = self.placement.spread.iter().find(|s| s.by == super::SpreadBy::Cluster);
        limit.map_or(i64::MAX, |s| s.max)
    }

    fn cluster_placed(
        &self,
        run: &Run,
        shown: Option<&Attempt>,
        cluster: usize,
        shares: &[(u32, i64)],
    ) -> ClusterPlaced {
        let at = |c: &&Candidate| c.cluster as usize == cluster;
        let share = shares.binary_search_by_key(&cluster, |(c, _)| *c as usize).ok();
        ClusterPlaced {
            cluster: self.roster.clusters[cluster].name.clone(),
            replicas: share.map(|at| shares[at].1),
            held: run.facts.held(cluster),
            barred: shown.map(|a| self.bars(run, a.group, cluster)).unwrap_or_default(),
            available: run.facts.told(self, cluster),
            chance: shown.and_then(|a| a.candidates.iter().find(at).map(|c| chance(a, c))),
            region: self.roster.clusters[cluster].region.as_str().into(),
        }
    }

    /// Every filter that a cluster does not pass.
    fn bars(&self, run: &Run, group: usize, cluster: usize) -> Vec<Bar> {
        let served = self.roster.serving(&run.facts.resource.api);
        let failing = self.failing(group, cluster, &run.facts, served(cluster));
        let bar = |filter: &Filter| self.bar(*filter, run, group, cluster);
        Filter::ALL.iter().filter(|f| failing.has(**f)).map(bar).collect()
    }

    fn bar(&self, filter: Filter, run: &Run, group: usize, cluster: usize) -> Bar {
        let facts = &self.roster.clusters[cluster];
        match filter {
            Filter::Deleting => Bar::Deleting,
            Filter::Affinity => {
                let group = &self.placement.groups[group];
                Bar::Affinity { group: group.name.clone(), part: group.affinity.misfit(facts).map_or("name", part) }
            }
            Filter::Taint => {
                let name = |t: &crate::model::Taint| match t.value.as_str() {
                    "" => format!("{}:{}", t.key, t.effect),
                    value => format!("{}={value}:{}", t.key, t.effect),
                };
                Bar::Taint { taints: unborne(self.placement, facts).map(name).collect() }
            }
            Filter::Api => Bar::Api { api: run.facts.resource.api.clone() },
            Filter::Property => {
                Bar::Property { properties: lacked(self.placement, facts).map(|s| s.by.word()).collect() }
            }
            Filter::Evicting => Bar::Evicting,
        }
    }
}

fn part(misfit: Misfit) -> &'static str {
    match misfit {
        Misfit::Excluded => "excluded",
        Misfit::Labels => "labels",
        Misfit::Field(field) => field.word(),
        Misfit::Name => "name",
        Misfit::Broken => "broken",
    }
}

fn chance(attempt: &Attempt, c: &Candidate) -> Chance {
    let before = |o: &&Candidate| (o.tier, -o.score(), -o.room, o.rank) < (c.tier, -c.score(), -c.room, c.rank);
    Chance {
        place: 1 + attempt.candidates.iter().filter(before).count(),
        tier: c.tier,
        score: c.score(),
        room: c.room,
        pick: c.pick,
        how: c.how,
        weight: c.weight,
        weights: c.weights,
        pot: c.pot,
        dealt: c.dealt,
    }
}

fn regions(attempt: &Attempt) -> Vec<RegionPlaced> {
    let region = |r: &super::select::Region| RegionPlaced {
        region: r.name.clone(),
        clusters: r.members.len(),
        weight: r.weight,
        chosen: r.chosen,
    };
    attempt.regions.iter().map(region).collect()
}

fn gone(prepared: &Prepared, state: &State) -> Vec<Former> {
    let former = |(name, replicas): &(Arc<str>, i64)| Former { cluster: name.clone(), replicas: *replicas };
    let mut gone: Vec<Former> =
        state.previous.iter().filter(|(name, _)| prepared.roster.index(name).is_none()).map(former).collect();
    gone.sort_by(|a, b| a.cluster.cmp(&b.cluster));
    gone
}
