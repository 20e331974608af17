//! Selecting among the candidates: limits on the number of clusters, and swaps for room (specs: Karmada, selecting clusters).

use super::{
    Failure, Spread, SpreadBy, Strategy,
    facts::Facts,
    pass::{Attempt, Candidate, Pick},
    prepared::Prepared,
    region,
};

pub(super) use region::Region;

/// Selects: the selected candidates stand first afterwards, in the order in which they were selected. Their number comes back.
pub(super) fn select(prepared: &Prepared, facts: &Facts, attempt: &mut Attempt) -> Result<usize, Failure> {
    let spread = &prepared.placement.spread;
    if spread.is_empty() || prepared.ignores_spread() {
        attempt.candidates.iter_mut().for_each(|c| c.pick = Pick::All);
        return Ok(attempt.candidates.len());
    }
    let clusters = constraint(spread, &SpreadBy::Cluster);
    let selected = match (spread.iter().find(|s| matches!(s.by, SpreadBy::Region | SpreadBy::Counted(_))), clusters) {
        (Some(regions), clusters) => region::select(prepared, facts, attempt, regions, clusters)?,
        (None, Some(clusters)) => by_cluster(prepared, facts, &mut attempt.candidates, clusters)?,
        (None, None) => return Err(Failure::UnsupportedSpread),
    };
    if selected == 0 { Err(Failure::NothingSelected) } else { Ok(selected) }
}

fn constraint<'a>(spread: &'a [Spread], by: &SpreadBy) -> Option<&'a Spread> {
    spread.iter().find(|s| s.by == *by)
}

impl Prepared<'_> {
    /// Fixed weights make limits on numbers void; only an empty `weightPreference` does not.
    pub(super) fn ignores_spread(&self) -> bool {
        matches!(&self.placement.strategy, Strategy::Static { weights, given } if !given || !weights.is_empty())
    }
}

fn by_cluster(
    prepared: &Prepared,
    facts: &Facts,
    candidates: &mut [Candidate],
    limit: &Spread,
) -> Result<usize, Failure> {
    if number(candidates.len()) < limit.min {
        return Err(Failure::MinGroups);
    }
    let picked = usize::try_from(limit.max).unwrap_or(0).min(candidates.len());
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.pick = if at < picked { Pick::Leading } else { Pick::Beyond };
    }
    if prepared.divides() && !swap_for_room(candidates, picked, facts.resource.replicas) {
        return Err(Failure::NoEnoughResource);
    }
    Ok(picked)
}

/// While the picked clusters have too little room, gives up the last one for the roomiest of the rest, then the one before it,
/// and so on. False when that does not suffice.
fn swap_for_room(candidates: &mut [Candidate], picked: usize, wanted: i64) -> bool {
    let (chosen, rest) = candidates.split_at_mut(picked);
    for at in (0..picked).rev() {
        if room(&*chosen) >= wanted {
            break;
        }
        let mut best = None;
        for (other, candidate) in rest.iter().enumerate() {
            if candidate.room > best.map_or(chosen[at].room, |b: usize| rest[b].room) {
                best = Some(other);
            }
        }
        if let Some(best) = best {
            std::mem::swap(&mut chosen[at], &mut rest[best]);
            chosen[at].pick = Pick::SwappedIn;
            rest[best].pick = Pick::SwappedOut;
        }
    }
    picked > 0 && room(&*chosen) >= wanted
}

/// Room of all of them.
pub(super) fn room<'a>(candidates: impl IntoIterator<Item = &'a Candidate>) -> i64 {
    candidates.into_iter().fold(0, |sum, c| sum.saturating_add(c.room))
}

/// A length as a number.
pub(super) fn number(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
