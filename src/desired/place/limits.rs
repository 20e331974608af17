//! Least and most replicas per cluster, which our own policies may set. They are applied to what the division gave:
//!
//! 1. Every cluster that takes part (it was dealt something, or its weight would have allowed it) is brought between its least and
//!    its most. By room, nobody is raised above the room; a cluster that the fewest-clusters rule left out is not raised.
//! 2. If the sum is then too small, what is missing goes one by one to the cluster with the highest `weight / (2 · seats + 1)`
//!    that is below its most: first among those that take part, then among the other selected ones.
//! 3. If it is too great, replicas are taken one by one from the cluster with the lowest such quotient for its last replica that
//!    is above its least.
//! 4. What cannot be balanced stays: limits win over the sum, and the explanation says so.
//!
//! Where all replicas go everywhere there is no sum to keep: each cluster is brought between its least and its most.

use super::{
    Resource, Strategy,
    divide::quotient,
    pass::{Candidate, How},
    prepared::Prepared,
};

/// Brings the shares within the limits.
pub(super) fn keep(prepared: &Prepared, resource: &Resource, selected: &mut [Candidate]) {
    let strategy = &prepared.placement.strategy;
    let by_room = matches!(strategy, Strategy::Dynamic | Strategy::Aggregated);
    let mut seats: Vec<Seat> = selected
        .iter()
        .map(|c| {
            let bounds = prepared.limits[c.cluster as usize];
            let room = if by_room { c.room.max(c.share) } else { i64::MAX };
            let weight = if by_room { c.room } else { c.weight };
            let turn = if resource.descending() { -i64::from(c.rank) } else { i64::from(c.rank) };
            Seat {
                share: c.share,
                weight,
                turn,
                min: bounds.min.min(room),
                max: bounds.max.min(room),
                part: takes_part(strategy, c),
            }
        })
        .collect();
    for seat in seats.iter_mut().filter(|s| s.part) {
        seat.share = seat.share.clamp(seat.min, seat.max);
    }
    if prepared.divides() {
        balance(&mut seats, resource.replicas);
    }
    for (candidate, seat) in selected.iter_mut().zip(seats) {
        candidate.share = seat.share;
    }
}

struct Seat {
    share: i64,
    weight: i64,
    turn: i64,
    min: i64,
    max: i64,
    part: bool,
}

/// Whether a selected cluster takes part in the division whatever it was dealt.
fn takes_part(strategy: &Strategy, candidate: &Candidate) -> bool {
    match (strategy, candidate.how) {
        _ if candidate.share > 0 => true,
        (_, How::TierNotNeeded | How::Unweighted) => false,
        (Strategy::Aggregated, _) => false,
        (Strategy::Dynamic, _) => candidate.room > 0,
        _ => true,
    }
}

/// Brings the sum to what is wanted, as far as the limits let it.
fn balance(seats: &mut [Seat], wanted: i64) {
    let sum = |seats: &[Seat]| seats.iter().map(|s| s.share).sum::<i64>();
    if sum(seats) > wanted {
        level(seats, wanted, |s| Some((if s.part { s.min } else { 0 }, s.share)));
        return;
    }
    for part in [true, false] {
        let others = seats.iter().filter(|s| s.part != part).map(|s| s.share).sum::<i64>();
        level(seats, wanted - others, |s| (s.part == part).then_some((s.share, s.max.max(s.share))));
    }
}

/// Gives those that have a range a share in it so that their sum is `wanted`, or as near to it as the ranges allow: the replicas with
/// the highest quotients are the ones that are there.
fn level(seats: &mut [Seat], wanted: i64, range: impl Fn(&Seat) -> Option<(i64, i64)>) {
    let open: Vec<usize> = (0..seats.len()).filter(|&at| range(&seats[at]).is_some()).collect();
    let share = |seat: &Seat, threshold: f64| match range(seat) {
        Some((low, high)) if seat.weight > 0 => above(seat.weight, threshold, high.min(wanted.max(low))).max(low),
        _ => seat.share,
    };
    let sum = |seats: &[Seat], threshold| open.iter().map(|&at| share(&seats[at], threshold)).sum::<i64>();
    let (mut low, mut high) = (0.0, open.iter().map(|&at| quotient(seats[at].weight, 0)).fold(1.0, f64::max));
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if sum(seats, middle) > wanted { low = middle } else { high = middle }
    }
    let ceilings: Vec<i64> = open.iter().map(|&at| range(&seats[at]).map_or(0, |(_, high)| high)).collect();
    let mut left = wanted;
    for &at in &open {
        seats[at].share = share(&seats[at], high);
        left -= seats[at].share;
    }
    // What is left are replicas whose quotients are equal: fewer seats first, then by name.
    while left > 0 {
        let able = open.iter().zip(&ceilings).filter(|&(&at, &high)| seats[at].share < high && seats[at].weight > 0);
        let next = able.map(|(&at, _)| at).min_by(|&a, &b| {
            let (a, b) = (&seats[a], &seats[b]);
            let by_quotient = quotient(b.weight, b.share).total_cmp(&quotient(a.weight, a.share));
            by_quotient.then(a.share.cmp(&b.share)).then(a.turn.cmp(&b.turn))
        });
        let Some(next) = next else { break };
        seats[next].share += 1;
        left -= 1;
    }
}

/// How many seats of a party, up to `most`, have a quotient above a threshold.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "an estimate, corrected below")]
fn above(weight: i64, threshold: f64, most: i64) -> i64 {
    let mut seats = (((weight as f64 / threshold - 1.0) / 2.0).ceil().max(0.0) as i64).min(most);
    while seats > 0 && quotient(weight, seats - 1) <= threshold {
        seats -= 1;
    }
    while seats < most && quotient(weight, seats) > threshold {
        seats += 1;
    }
    seats
}

#[cfg(test)]
mod tests {
    use super::*;

    fn balanced(parts: &[(i64, i64, i64, i64)], wanted: i64) -> Vec<i64> {
        let seat = |(turn, &(share, weight, min, max)): (i64, &(i64, i64, i64, i64))| {
            let part = share > 0;
            Seat { share: if part { share.clamp(min, max) } else { 0 }, weight, turn, min, max, part }
        };
        let mut seats: Vec<Seat> = (0..).zip(parts).map(seat).collect();
        balance(&mut seats, wanted);
        seats.iter().map(|s| s.share).collect()
    }

    #[test]
    fn the_sum_is_kept_where_the_limits_let_it() {
        let most = i64::MAX;
        for (parts, wanted, expected) in [
            // A most of 3 sends the rest to the others by weight.
            (&[(8, 8, 0, 3), (2, 2, 0, most), (2, 2, 0, most)][..], 12, &[3, 5, 4][..]),
            // What a least of 4 adds is taken where the quotient is lowest.
            (&[(9, 9, 0, most), (2, 2, 4, most), (1, 1, 0, most)], 12, &[7, 4, 1]),
            // Those that were dealt nothing come last.
            (&[(6, 6, 0, 2), (0, 5, 0, most)], 6, &[2, 4]),
            // Limits win over the sum.
            (&[(3, 1, 0, 2), (3, 1, 0, 2)], 6, &[2, 2]),
            (&[(3, 1, 4, most), (3, 1, 4, most)], 6, &[4, 4]),
            // A great many replicas are no more work.
            (&[(1, 1, 0, 7), (2_000_000_000, 1, 0, most)], 2_000_000_007, &[7, 2_000_000_000]),
        ] {
            assert_eq!(balanced(parts, wanted), expected, "{parts:?}");
        }
    }
}
