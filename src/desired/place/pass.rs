//! One pass over all groups: filter, order, select, assign. Decisions and explanations both come from here, so that they agree.

use serde::Serialize;

use super::{
    Decision, Failure, Resource, State, Strategy, assign, facts::Facts, filter::Failing, prepared::Prepared, select,
};

/// A cluster that passes every filter of the group that is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Index among the clusters.
    pub(super) cluster: u32,
    /// Place of its name.
    pub(super) rank: u32,
    /// 0, or the overflow that takes it.
    pub(super) tier: u32,
    /// Replicas it holds, if it is a holder.
    pub(super) held: Option<i64>,
    /// How many more it can take.
    pub(super) allocatable: i64,
    /// That and what it holds.
    pub(super) room: i64,
    /// Whether it is selected, and why.
    pub(super) pick: Pick,
    /// How its replicas come about.
    pub(super) how: How,
    /// Weight its replicas were dealt out by.
    pub(super) weight: i64,
    /// Replicas that were divided where it took part.
    pub(super) pot: i64,
    /// Sum of the weights they were divided by.
    pub(super) weights: i64,
    /// Replicas before limits.
    pub(super) dealt: i64,
    /// Replicas.
    pub(super) share: i64,
}

impl Candidate {
    /// 100 for a holder, 0 for others.
    pub(super) fn score(&self) -> i64 {
        if self.held.is_some() { 100 } else { 0 }
    }
}

/// Why a candidate is selected or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pick {
    /// Selecting did not get that far.
    #[default]
    Undecided,
    /// There is no limit: all are.
    All,
    /// Among the first that the limit allows.
    Leading,
    /// Taken in for its room.
    SwappedIn,
    /// Given up for one with more room.
    SwappedOut,
    /// Behind the last that the limit allows.
    Beyond,
    /// First of a chosen region.
    RegionFirst,
    /// One more of a chosen region.
    RegionFill,
    /// Of a chosen region, but the limit on clusters was reached.
    RegionBeyond,
    /// Its region was not chosen.
    RegionLost,
}

impl Pick {
    /// Whether it is selected.
    pub fn chosen(self) -> bool {
        matches!(self, Self::All | Self::Leading | Self::SwappedIn | Self::RegionFirst | Self::RegionFill)
    }
}

/// How the replicas of a selected cluster come about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// Nothing was dealt out.
    #[default]
    Undecided,
    /// No workload: it goes there without a count.
    Uncounted,
    /// All replicas go everywhere.
    Every,
    /// By fixed weight.
    Weighted,
    /// No weight fits it, but some fit others.
    Unweighted,
    /// As it was.
    Kept,
    /// What it held, and a part of what is missing.
    Grown,
    /// A part in proportion to what the holders held.
    Shrunk,
    /// By room, former replicas counted as room.
    Afresh,
    /// The clusters before it suffice.
    NotNeeded,
    /// The tiers before it suffice.
    TierNotNeeded,
}

/// What became of one group.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// Which group.
    pub(super) group: usize,
    /// Its candidates: the selected ones first, in the order in which they were selected.
    pub(super) candidates: Vec<Candidate>,
    /// Regions, where they are counted.
    pub(super) regions: Vec<select::Region>,
    /// Why it failed.
    pub(super) failure: Option<Failure>,
}

/// What became of all of them.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) facts: Facts<'a>,
    /// Whether a pass ran, and what for.
    pub(super) cause: Cause,
    /// The groups tried, in order; only the last one can have succeeded.
    pub(super) attempts: Vec<Attempt>,
}

/// What makes a pass run, in the order in which it is looked for (specs: Karmada, when a scheduling pass runs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Nothing: the former result stands.
    Nothing,
    /// The placement is not the one last applied, or nothing is known of a former one.
    Changed,
    /// The replicas held are not the replicas wanted.
    Replicas,
    /// A fresh start was asked for.
    Asked,
    /// Placed anew at every occasion: no workload, or all replicas everywhere.
    Always,
    /// A holder is being taken out of the fleet.
    HolderLeaves,
}

/// Finds out whether a pass runs, and runs it.
pub(super) fn run<'a>(
    prepared: &Prepared,
    resource: &'a Resource,
    state: &'a State,
    available: Option<&'a [Option<i64>]>,
) -> Run<'a> {
    let facts = Facts::new(prepared, resource, state, available);
    let cause = cause(prepared, &facts);
    let mut attempts = Vec::with_capacity(1);
    if cause != Cause::Nothing {
        for group in first_group(prepared, state)..prepared.placement.groups.len() {
            let attempt = attempt(prepared, &facts, group);
            let failed = attempt.failure.is_some();
            attempts.push(attempt);
            if !failed {
                break;
            }
        }
    }
    Run { facts, cause, attempts }
}

fn cause(prepared: &Prepared, facts: &Facts) -> Cause {
    let (state, resource) = (facts.state, facts.resource);
    let held = || state.previous.iter().map(|(_, n)| *n);
    let replicas_changed = || match &prepared.placement.strategy {
        Strategy::Absent => false,
        Strategy::Duplicated => held().any(|n| n != resource.replicas),
        Strategy::Static { .. } | Strategy::Dynamic | Strategy::Aggregated => held().sum::<i64>() != resource.replicas,
    };
    let leaves = |(cluster, c): (usize, &crate::desired::cluster::Cluster)| c.deleting && facts.holds(cluster);
    if !state.unchanged {
        Cause::Changed
    } else if replicas_changed() {
        Cause::Replicas
    } else if state.reschedule {
        Cause::Asked
    } else if !facts.workload || !prepared.divides() {
        Cause::Always
    } else if prepared.roster.clusters.iter().enumerate().any(leaves) {
        Cause::HolderLeaves
    } else {
        Cause::Nothing
    }
}

/// Where the search begins: at the group in use, or at the first one. Earlier groups are never tried again by themselves.
fn first_group(prepared: &Prepared, state: &State) -> usize {
    match &state.observed {
        Some(name) if prepared.placement.named_groups && !state.reschedule => {
            prepared.placement.groups.iter().position(|g| g.name == *name).unwrap_or(0)
        }
        _ => 0,
    }
}

fn attempt(prepared: &Prepared, facts: &Facts, group: usize) -> Attempt {
    let candidates = candidates(prepared, facts, group);
    let mut attempt = Attempt { group, candidates, regions: Vec::new(), failure: None };
    attempt.failure = if attempt.candidates.is_empty() {
        Some(Failure::NoClusterFit)
    } else {
        select::select(prepared, facts, &mut attempt)
            .and_then(|selected| assign::assign(prepared, facts, &mut attempt.candidates[..selected]))
            .err()
    };
    attempt
}

/// The clusters that pass every filter, in order: tier, score, room, name.
fn candidates(prepared: &Prepared, facts: &Facts, group: usize) -> Vec<Candidate> {
    let mut found = Vec::with_capacity(prepared.roster.clusters.len());
    let served = prepared.roster.serving(&facts.resource.api);
    for (at, (cluster, &rank)) in (0..).zip(&prepared.roster.rank).enumerate() {
        if !Failing::none(prepared.failing(group, at, facts, served(at))) {
            continue;
        }
        let (held, allocatable) = (facts.held(at), facts.allocatable(prepared, at));
        found.push(Candidate {
            cluster,
            rank,
            tier: prepared.tier(group, at, facts.workload),
            held,
            allocatable,
            room: allocatable + held.unwrap_or(0),
            pick: Pick::default(),
            how: How::default(),
            weight: 0,
            pot: 0,
            weights: 0,
            dealt: 0,
            share: 0,
        });
    }
    found.sort_unstable_by_key(|c| (c.tier, c.held.is_none(), -c.room, c.rank));
    found
}

impl Prepared<'_> {
    /// Whether replicas are dealt out among clusters; otherwise every cluster gets all of them.
    pub(super) fn divides(&self) -> bool {
        !matches!(self.placement.strategy, Strategy::Absent | Strategy::Duplicated)
    }
}

impl Run<'_> {
    /// The result, without the reasons.
    pub(super) fn decision(&self, prepared: &Prepared, state: &State) -> Decision {
        let ran = self.cause != Cause::Nothing;
        let won = self.attempts.last().filter(|a| a.failure.is_none());
        let outcome = match (won, self.attempts.first()) {
            (Some(attempt), _) => Ok(attempt.shares(self.facts.workload)),
            (None, Some(first)) => Err(first.failure.unwrap_or(Failure::NoClusterFit)),
            (None, None) => Ok((0..)
                .take(prepared.roster.clusters.len())
                .filter_map(|c| Some((c, self.facts.held(c as usize)?)))
                .collect()),
        };
        let group = match won {
            Some(attempt) => Some(prepared.placement.groups[attempt.group].name.clone()),
            None => state.observed.clone(),
        };
        Decision { outcome, group: group.filter(|_| prepared.placement.named_groups), ran }
    }
}

impl Attempt {
    /// Replicas by cluster; a workload's clusters without any are left out.
    fn shares(&self, workload: bool) -> Vec<(u32, i64)> {
        let chosen = self.candidates.iter().filter(|c| c.pick.chosen() && (!workload || c.share > 0));
        let mut shares: Vec<(u32, i64)> = chosen.map(|c| (c.cluster, c.share)).collect();
        shares.sort_unstable();
        shares
    }
}
