//! Selecting regions, then clusters in them (specs: Karmada, a region constraint).

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use super::{
    Failure, Spread,
    facts::Facts,
    pass::{Attempt, Candidate, Pick},
    prepared::Prepared,
    region_set::{self, Bounds},
    select::number,
};

/// Weight of a unit of room (or of a cluster that suffices) against the mean score.
const UNIT: i64 = 1000;

/// A region and what it is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// Name.
    pub(super) name: Arc<str>,
    /// Its candidates, in order, as indexes into the ordered candidates.
    pub(super) members: Vec<usize>,
    /// What it is worth.
    pub(super) weight: i64,
    /// Chosen.
    pub(super) chosen: bool,
}

/// Selects as [`super::select::select`] does.
pub(super) fn select(
    prepared: &Prepared,
    facts: &Facts,
    attempt: &mut Attempt,
    limit: &Spread,
    clusters: Option<&Spread>,
) -> Result<usize, Failure> {
    let (min_clusters, max_clusters) = clusters.map_or((0, i64::MAX), |c| (c.min, c.max));
    attempt.regions = regions(prepared, facts, &attempt.candidates, limit, min_clusters);
    if number(attempt.regions.len()) < limit.min {
        return Err(Failure::MinGroups);
    }
    let bounds = Bounds { min: limit.min, max: limit.max, clusters: min_clusters };
    let chosen = region_set::choose(&attempt.regions, bounds).ok_or(Failure::MinGroups)?;
    for &region in &chosen {
        attempt.regions[region].chosen = true;
    }
    pick(attempt, &chosen, max_clusters);
    let mut order = selection(attempt, &chosen);
    let selected = order.len();
    order.extend((0..attempt.candidates.len()).filter(|&at| !attempt.candidates[at].pick.chosen()));
    attempt.candidates = order.into_iter().map(|at| attempt.candidates[at]).collect();
    Ok(selected)
}

fn regions(
    prepared: &Prepared,
    facts: &Facts,
    candidates: &[Candidate],
    limit: &Spread,
    min_clusters: i64,
) -> Vec<Region> {
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let region = limit.by.group(&prepared.roster.clusters[candidate.cluster as usize]);
        members.entry(region).or_default().push(at);
    }
    let weigh = |members: &[usize]| {
        let all = || members.iter().map(|&at| &candidates[at]);
        if prepared.divides() {
            divided_weight(all(), facts.resource.replicas, limit.min.max(1), min_clusters)
        } else {
            duplicated_weight(all(), facts.resource.replicas)
        }
    };
    members
        .into_iter()
        .map(|(name, members)| Region { name: name.into(), weight: weigh(&members), members, chosen: false })
        .collect()
}

/// All replicas everywhere: the number of clusters that have room for all of them, then their mean score.
fn duplicated_weight<'a>(members: impl Iterator<Item = &'a Candidate>, replicas: i64) -> i64 {
    let (able, scores) = members.filter(|c| c.room >= replicas).fold((0, 0), |(n, s), c| (n + 1, s + c.score()));
    if able == 0 { 0 } else { able * UNIT + scores / able }
}

/// Replicas dealt out: the room for the region's share (what exceeds the share does not count), then the mean score.
fn divided_weight<'a>(
    members: impl Iterator<Item = &'a Candidate> + Clone,
    replicas: i64,
    min_regions: i64,
    min_clusters: i64,
) -> i64 {
    let share = replicas.max(0).saturating_add(min_regions - 1) / min_regions;
    let need = min_clusters.max(min_regions);
    let (mut sum, mut scores, mut counted) = (0_i64, 0, 0);
    for candidate in members {
        sum = sum.saturating_add(candidate.room);
        scores += candidate.score();
        counted += 1;
        if counted >= need && sum >= share {
            break;
        }
    }
    sum.min(share).saturating_mul(UNIT).saturating_add(scores / counted.max(1))
}

/// The first cluster of each chosen region, then the best of the others up to the limit.
fn pick(attempt: &mut Attempt, chosen: &[usize], max_clusters: i64) {
    attempt.candidates.iter_mut().for_each(|c| c.pick = Pick::RegionLost);
    let mut more = max_clusters - number(chosen.len());
    for &region in chosen {
        for &at in &attempt.regions[region].members {
            attempt.candidates[at].pick = Pick::RegionBeyond;
        }
    }
    for &region in chosen {
        attempt.candidates[attempt.regions[region].members[0]].pick = Pick::RegionFirst;
    }
    for candidate in attempt.candidates.iter_mut().filter(|c| c.pick == Pick::RegionBeyond) {
        if more <= 0 {
            break;
        }
        candidate.pick = Pick::RegionFill;
        more -= 1;
    }
}

/// Indexes of the selected candidates in the order in which they are selected.
fn selection(attempt: &Attempt, chosen: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = chosen.iter().map(|&region| attempt.regions[region].members[0]).collect();
    order.extend((0..attempt.candidates.len()).filter(|&at| attempt.candidates[at].pick == Pick::RegionFill));
    order
}

/// Order of regions in a set: heavier first, then by name.
pub(super) fn precedence(region: &Region) -> (Reverse<i64>, &str) {
    (Reverse(region.weight), &region.name)
}
