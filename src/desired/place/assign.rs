//! Dealing out the replicas among the selected clusters (specs: Karmada, assigning replicas).

use std::cmp::Reverse;

use super::{
    Failure, Strategy,
    divide::{Party, divide},
    facts::Facts,
    limits,
    pass::{Candidate, How},
    prepared::Prepared,
    select::room,
};

/// Deals out among the selected clusters, given in the order in which they were selected.
pub(super) fn assign(prepared: &Prepared, facts: &Facts, selected: &mut [Candidate]) -> Result<(), Failure> {
    if !facts.workload {
        selected.iter_mut().for_each(|c| c.how = How::Uncounted);
        return Ok(());
    }
    if selected.iter().any(|c| c.tier > 0) {
        tier_by_tier(prepared, facts, selected)?;
    } else {
        let all: Vec<usize> = (0..selected.len()).collect();
        deal(prepared, facts, selected, &all, facts.resource.replicas)?;
    }
    selected.iter_mut().for_each(|c| c.dealt = c.share);
    if !prepared.limits.is_empty() {
        limits::keep(prepared, facts.resource, selected);
    }
    Ok(())
}

/// Each tier takes what it has room for, until nothing is missing.
fn tier_by_tier(prepared: &Prepared, facts: &Facts, selected: &mut [Candidate]) -> Result<(), Failure> {
    let mut tiers: Vec<u32> = selected.iter().map(|c| c.tier).collect();
    tiers.sort_unstable();
    tiers.dedup();
    selected.iter_mut().for_each(|c| c.how = How::TierNotNeeded);
    let mut missing = facts.resource.replicas;
    for tier in tiers {
        let members: Vec<usize> = (0..selected.len()).filter(|&at| selected[at].tier == tier).collect();
        let takes = room(members.iter().map(|&at| &selected[at])).min(missing);
        deal(prepared, facts, selected, &members, takes)?;
        missing -= takes;
        if missing <= 0 {
            return Ok(());
        }
    }
    Err(Failure::Unschedulable)
}

/// Deals out a number of replicas among some of the selected clusters.
fn deal(
    prepared: &Prepared,
    facts: &Facts,
    selected: &mut [Candidate],
    members: &[usize],
    replicas: i64,
) -> Result<(), Failure> {
    match &prepared.placement.strategy {
        Strategy::Absent | Strategy::Duplicated => {
            for &at in members {
                (selected[at].how, selected[at].share) = (How::Every, replicas);
            }
            Ok(())
        }
        Strategy::Static { .. } => {
            by_weight(prepared, facts, selected, members, replicas);
            Ok(())
        }
        Strategy::Dynamic => by_room(facts, selected, members, replicas, false),
        Strategy::Aggregated => by_room(facts, selected, members, replicas, true),
    }
}

/// By fixed weights; where none fits anybody, all weigh the same.
fn by_weight(prepared: &Prepared, facts: &Facts, selected: &mut [Candidate], members: &[usize], replicas: i64) {
    let weight = |c: &Candidate| prepared.weights.get(c.cluster as usize).copied().unwrap_or(0);
    let equal = members.iter().all(|&at| weight(&selected[at]) == 0);
    for &at in members {
        selected[at].weight = if equal { 1 } else { weight(&selected[at]) };
        selected[at].how = if selected[at].weight > 0 { How::Weighted } else { How::Unweighted };
    }
    for (at, share) in shares(facts, selected, members, replicas) {
        selected[at].share = share;
    }
}

/// By room: what is held stays as far as possible, unless a fresh start was asked for.
fn by_room(
    facts: &Facts,
    selected: &mut [Candidate],
    members: &[usize],
    replicas: i64,
    aggregated: bool,
) -> Result<(), Failure> {
    let held: i64 = members.iter().filter_map(|&at| selected[at].held).sum();
    if facts.state.reschedule {
        for &at in members {
            selected[at].weight = selected[at].room;
        }
        return by_weight_of_room(facts, selected, members.to_vec(), replicas, aggregated, How::Afresh);
    }
    if held == replicas {
        for &at in members {
            (selected[at].how, selected[at].share) = (How::Kept, selected[at].held.unwrap_or(0));
        }
        return Ok(());
    }
    if held > replicas {
        let mut holders: Vec<usize> = members.iter().copied().filter(|&at| selected[at].held.is_some()).collect();
        // Former results are stored by name.
        holders.sort_by_key(|&at| selected[at].rank);
        for &at in members {
            selected[at].how = How::NotNeeded;
            selected[at].weight = selected[at].held.unwrap_or(0);
        }
        return by_weight_of_room(facts, selected, holders, replicas, aggregated, How::Shrunk);
    }
    for &at in members {
        selected[at].weight = selected[at].allocatable;
    }
    by_weight_of_room(facts, selected, members.to_vec(), replicas - held, aggregated, How::Grown)?;
    for &at in members {
        selected[at].share += selected[at].held.unwrap_or(0);
    }
    Ok(())
}

/// Deals out by the weights noted; as few clusters as suffice where that is wanted.
fn by_weight_of_room(
    facts: &Facts,
    selected: &mut [Candidate],
    mut members: Vec<usize>,
    replicas: i64,
    aggregated: bool,
    how: How,
) -> Result<(), Failure> {
    let weights = members.iter().fold(0_i64, |sum, &at| sum.saturating_add(selected[at].weight));
    if weights < replicas {
        return Err(Failure::Unschedulable);
    }
    members.sort_by_key(|&at| Reverse(selected[at].weight));
    if aggregated {
        if how == How::Grown {
            members.sort_by_key(|&at| selected[at].held.unwrap_or(0) <= 0);
        }
        for &at in &members {
            selected[at].how = How::NotNeeded;
        }
        members.truncate(needed(selected, &members, replicas));
    }
    for (at, share) in shares(facts, selected, &members, replicas) {
        (selected[at].how, selected[at].share) = (how, share);
    }
    Ok(())
}

/// How many of the clusters, from the first one on, have the weight for all replicas.
fn needed(selected: &[Candidate], members: &[usize], replicas: i64) -> usize {
    let mut sum = 0_i64;
    let suffices = members.iter().position(|&at| {
        sum = sum.saturating_add(selected[at].weight);
        sum >= replicas
    });
    suffices.map_or(members.len(), |at| at + 1)
}

/// Divides by the weights noted, and notes what was divided.
fn shares(facts: &Facts, selected: &mut [Candidate], members: &[usize], replicas: i64) -> Vec<(usize, i64)> {
    let party = |&at: &usize| Party { weight: selected[at].weight, rank: selected[at].rank };
    let parties: Vec<Party> = members.iter().map(party).collect();
    let weights = parties.iter().fold(0_i64, |sum, p| sum.saturating_add(p.weight));
    for &at in members {
        (selected[at].pot, selected[at].weights) = (replicas, weights);
    }
    members.iter().copied().zip(divide(replicas, &parties, facts.resource.descending())).collect()
}
