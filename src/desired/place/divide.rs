//! Dealing out replicas by weight: the method of Webster (Sainte-Laguë), with Karmada's way of breaking ties.

use std::{cmp::Ordering, collections::BinaryHeap};

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    /// Weight; nothing is given for 0 or less.
    pub weight: i64,
    /// Place of the name among all names: ties go to the lowest (or highest) one.
    pub rank: u32,
}

/// Gives `count` replicas, one after the other, each to the party with the highest `weight / (2 · seats + 1)`; ties go to the
/// one with fewer seats, then to the first name (`descending`: the last). The answer has the order of the parties. Nothing
/// is handed out when all weights are zero.
pub fn divide(count: i64, parties: &[Party], descending: bool) -> Vec<i64> {
    let mut seats = head_start(count, parties);
    let mut left = count - seats.iter().sum::<i64>();
    let mut heap: BinaryHeap<Claim> = claims(parties, &seats, descending).collect();
    while left > 0 {
        let Some(mut top) = heap.peek_mut() else { break };
        seats[top.at] += 1;
        top.seats += 1;
        top.quotient = quotient(top.weight, top.seats);
        left -= 1;
    }
    seats
}

/// `weight / (2 · seats + 1)`, in the floating point that ties are decided by.
#[expect(clippy::cast_precision_loss, reason = "the rule is a 64-bit float division")]
pub(super) fn quotient(weight: i64, seats: i64) -> f64 {
    weight as f64 / (2 * seats + 1) as f64
}

/// Seats that everybody surely gets, so that no more than one round per party is left: all whose quotient lies above
/// `W / (2N − n)`. The method gives seats in falling order of their quotients, so this is a state that it passes through.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "an estimate, corrected below")]
fn head_start(count: i64, parties: &[Party]) -> Vec<i64> {
    let none = vec![0; parties.len()];
    let able = parties.iter().filter(|p| p.weight > 0);
    let (total, n) = able.fold((0.0, 0_i64), |(total, n), p| (total + p.weight as f64, n + 1));
    if count <= n.saturating_mul(2) {
        return none;
    }
    let threshold = total / (2 * count - n) as f64;
    let seats: Vec<i64> = parties
        .iter()
        .map(|p| {
            let mut seats = ((p.weight.max(0) as f64 / threshold - 1.0) / 2.0).ceil().max(0.0) as i64;
            while seats > 0 && quotient(p.weight, seats - 1) <= threshold {
                seats -= 1;
            }
            seats
        })
        .collect();
    if seats.iter().sum::<i64>() > count { none } else { seats }
}

/// A party's claim to the next replica; the greatest one is served.
struct Claim {
    quotient: f64,
    seats: i64,
    /// Lower is served first.
    turn: i64,
    weight: i64,
    at: usize,
}

fn claims(parties: &[Party], seats: &[i64], descending: bool) -> impl Iterator<Item = Claim> {
    parties.iter().zip(seats).enumerate().filter(|(_, (p, _))| p.weight > 0).map(move |(at, (p, &seats))| Claim {
        quotient: quotient(p.weight, seats),
        seats,
        turn: if descending { -i64::from(p.rank) } else { i64::from(p.rank) },
        weight: p.weight,
        at,
    })
}

impl Ord for Claim {
    fn cmp(&self, other: &Self) -> Ordering {
        self.quotient
            .total_cmp(&other.quotient)
            .then_with(|| other.seats.cmp(&self.seats))
            .then_with(|| other.turn.cmp(&self.turn))
    }
}

impl PartialOrd for Claim {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Claim {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Claim {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parties(weights: &[i64]) -> Vec<Party> {
        weights.iter().enumerate().map(|(at, &weight)| Party { weight, rank: u32::try_from(at).unwrap() }).collect()
    }

    #[test]
    fn the_worked_examples() {
        for (count, weights, expected) in [
            (3, &[1, 1][..], &[2, 1][..]),
            (12, &[3, 2, 1], &[6, 4, 2]),
            (13, &[3, 2, 1], &[7, 4, 2]),
            (14, &[3, 2, 1], &[7, 5, 2]),
            (7, &[2, 1, 1, 1], &[3, 2, 1, 1]),
            (8, &[2, 1, 1, 1], &[3, 2, 2, 1]),
            (5, &[6, 2, 1], &[3, 1, 1]),
            (2, &[20, 3], &[2, 0]),
            (4, &[0, 0], &[0, 0]),
            (4, &[0, 5], &[0, 4]),
        ] {
            assert_eq!(divide(count, &parties(weights), false), expected, "{count} over {weights:?}");
        }
        assert_eq!(divide(3, &parties(&[1, 1]), true), [1, 2]);
    }

    /// One replica after the other, as the rule is written.
    fn plainly(count: i64, parties: &[Party], descending: bool) -> Vec<i64> {
        let mut seats = vec![0; parties.len()];
        for _ in 0..count {
            if let Some(top) = claims(parties, &seats, descending).max() {
                seats[top.at] += 1;
            }
        }
        seats
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_head_start_changes_nothing(
            count in 0_i64..400,
            weights in proptest::collection::vec(prop_oneof![0_i64..6, 0_i64..1000, Just(i64::from(i32::MAX))], 0..24),
            descending: bool,
        ) {
            let parties = parties(&weights);
            let seats = divide(count, &parties, descending);
            prop_assert_eq!(&seats, &plainly(count, &parties, descending));
            let total: i64 = weights.iter().sum();
            if total > 0 {
                prop_assert_eq!(seats.iter().sum::<i64>(), count);
            }
            if count <= total {
                prop_assert!(seats.iter().zip(&weights).all(|(s, w)| s <= w), "nobody gets more than the weight");
            }
            let more = divide(count + 1, &parties, descending);
            prop_assert!(seats.iter().zip(&more).all(|(a, b)| a <= b), "nobody loses by one more replica");
        }
    }

    #[test]
    fn a_great_many_replicas_are_no_more_work() {
        let parties = parties(&(0..300).map(|n| 1 + n * n).collect::<Vec<_>>());
        assert_eq!(divide(i64::from(i32::MAX), &parties, false).iter().sum::<i64>(), i64::from(i32::MAX));
    }
}
