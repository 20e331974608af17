//! What a Deployment does next with its ReplicaSets: the rules of the Deployment controller as pure functions.
//!
//! Source of the rules: `k8s.io/kubernetes/pkg/controller/deployment` (rolling, recreate, proportional scaling).

use super::amount::Amount;

/// One ReplicaSet as the decision sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Wanted pods (`spec.replicas`).
    pub replicas: i64,
    /// Pods that are available (`status.availableReplicas`).
    pub available: i64,
    /// Pods that exist (`status.replicas`).
    pub pods: i64,
    /// Creation order: smaller is older.
    pub age_rank: i64,
    /// `deployment.kubernetes.io/max-replicas`: the size all sets together may have had when it was last scaled.
    pub max_replicas: i64,
    /// `deployment.kubernetes.io/desired-replicas`, `None` where never written.
    pub desired_replicas: Option<i64>,
}

/// What a rollout may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wanted pods of the Deployment.
    pub replicas: i64,
    /// Pods above that number that may exist for a while.
    pub surge: i64,
    /// Pods below that number that may be missing for a while.
    pub unavailable: i64,
}

impl Limits {
    /// The limits of a rolling update: surge rounds up, unavailability down, and both zero would stand still.
    pub fn rolling(replicas: i64, max_surge: Amount, max_unavailable: Amount) -> Self {
        let surge = max_surge.up(replicas).max(0);
        let mut unavailable = max_unavailable.down(replicas).clamp(0, replicas.max(0));
        if surge == 0 && unavailable == 0 {
            unavailable = 1;
        }
        Self { replicas, surge, unavailable }
    }

    fn max_total(self) -> i64 {
        self.replicas + self.surge
    }

    fn min_available(self) -> i64 {
        self.replicas - self.unavailable
    }
}

/// New sizes: the new set's, and one for each old set in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of the new set.
    pub new: i64,
    /// Of the old sets.
    pub old: Vec<i64>,
}

/// One step of a rolling update: the new set grows first, then old sets shrink.
pub fn rolling_step(limits: Limits, new: &Set, old: &[Set]) -> Sizes {
    let mut sizes = Sizes { new: new.replicas, old: old.iter().map(|s| s.replicas).collect() };
    let total: i64 = new.replicas + sizes.old.iter().sum::<i64>();
    if new.replicas > limits.replicas {
        sizes.new = limits.replicas;
        return sizes;
    }
    if new.replicas < limits.replicas && total < limits.max_total() {
        sizes.new += (limits.max_total() - total).min(limits.replicas - new.replicas);
        return sizes;
    }
    shrink_old(limits, new, old, &mut sizes);
    sizes
}

/// Unhealthy old pods go first (they serve nobody), then available ones as far as availability allows.
fn shrink_old(limits: Limits, new: &Set, old: &[Set], sizes: &mut Sizes) {
    let total: i64 = new.replicas + sizes.old.iter().sum::<i64>();
    let new_unavailable = (new.replicas - new.available).max(0);
    let budget = total - limits.min_available() - new_unavailable;
    if budget <= 0 {
        return;
    }
    let mut order: Vec<usize> = (0..old.len()).collect();
    order.sort_by_key(|i| old[*i].age_rank);
    let mut cleaned = 0;
    for i in order.iter().copied() {
        let sick = (sizes.old[i] - old[i].available).max(0);
        let down = sick.min(budget - cleaned).max(0);
        sizes.old[i] -= down;
        cleaned += down;
    }
    let available = new.available + old.iter().map(|s| s.available).sum::<i64>();
    let mut healthy = (available - limits.min_available()).min(budget - cleaned).max(0);
    for i in order {
        let down = sizes.old[i].min(healthy);
        sizes.old[i] -= down;
        healthy -= down;
    }
}

/// One step of `Recreate`: all old pods are gone before the first new one is made.
pub fn recreate_step(replicas: i64, new: &Set, old: &[Set]) -> Sizes {
    let gone = old.iter().all(|s| s.replicas == 0 && s.pods == 0);
    Sizes { new: if gone { replicas } else { new.replicas }, old: vec![0; old.len()] }
}

/// Sizes after `spec.replicas` changed (or while paused): a single active set takes it all, a saturated new set ends the
/// old ones, and in the midst of a rollout every set keeps its share. `sets` has the new set first where there is one.
pub fn scale_step(limits: Limits, sets: &[Set], has_new: bool) -> Vec<i64> {
    let mut sizes: Vec<i64> = sets.iter().map(|s| s.replicas).collect();
    let active: Vec<usize> = (0..sets.len()).filter(|i| sets[*i].replicas > 0).collect();
    if active.len() <= 1 {
        let only = active.first().copied().or(if has_new { Some(0) } else { newest(sets) });
        if let Some(i) = only {
            sizes[i] = limits.replicas;
        }
        return sizes;
    }
    if has_new && saturated(limits.replicas, &sets[0]) {
        sizes.iter_mut().skip(1).for_each(|s| *s = 0);
        return sizes;
    }
    proportional(limits, sets, active, &mut sizes);
    sizes
}

/// Whether the sizes must be looked at again because the Deployment was scaled since they were set.
pub fn was_scaled(replicas: i64, sets: &[Set]) -> bool {
    sets.iter().filter(|s| s.replicas > 0).any(|s| s.desired_replicas.is_some_and(|d| d != replicas))
}

fn newest(sets: &[Set]) -> Option<usize> {
    (0..sets.len()).max_by_key(|i| sets[*i].age_rank)
}

fn saturated(replicas: i64, new: &Set) -> bool {
    new.replicas == replicas && new.available == replicas && new.desired_replicas == Some(replicas)
}

/// Each set's share of the growth or shrinkage, rounded; what rounding left over goes to the first.
fn proportional(limits: Limits, sets: &[Set], mut active: Vec<usize>, sizes: &mut [i64]) {
    let allowed = if limits.replicas > 0 { limits.max_total() } else { 0 };
    let total: i64 = sizes.iter().sum();
    let delta = allowed - total;
    if delta == 0 {
        return;
    }
    // Larger sets first; among equals the newer when growing, the older when shrinking.
    active.sort_by_key(|i| {
        let rank = sets[*i].age_rank;
        (-sets[*i].replicas, if delta > 0 { -rank } else { rank })
    });
    let mut given = 0;
    for i in active.iter().copied() {
        let base = if sets[i].max_replicas > 0 { sets[i].max_replicas } else { total };
        let share = divide_rounded(sets[i].replicas * allowed, base) - sets[i].replicas;
        let left = delta - given;
        let part = if delta > 0 { share.clamp(0, left) } else { share.clamp(left, 0) };
        sizes[i] += part;
        given += part;
    }
    if let Some(first) = active.first() {
        sizes[*first] = (sizes[*first] + delta - given).max(0);
    }
}

fn divide_rounded(a: i64, b: i64) -> i64 {
    if b <= 0 { a } else { (2 * a + b).div_euclid(2 * b) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(replicas: i64, available: i64, age_rank: i64) -> Set {
        Set { replicas, available, pods: replicas, age_rank, max_replicas: 0, desired_replicas: None }
    }

    #[test]
    fn percentages_become_limits() {
        use Amount::{Count, Percent};
        for (replicas, surge, unavailable, want) in [
            (10, Percent(25), Percent(25), (3, 2)),
            (1, Percent(25), Percent(25), (1, 0)),
            (3, Count(0), Percent(10), (0, 1)),
            (0, Count(0), Count(0), (0, 1)),
        ] {
            let limits = Limits::rolling(replicas, surge, unavailable);
            assert_eq!((limits.surge, limits.unavailable), want, "{replicas} {surge:?} {unavailable:?}");
        }
    }

    #[test]
    fn a_bad_release_keeps_the_old_pods() {
        // 4 wanted, 25 % each way: one new pod that never becomes ready, three old ones that stay.
        let limits = Limits::rolling(4, Amount::Percent(25), Amount::Percent(25));
        let (mut new, mut old) = (set(0, 0, 1), set(4, 4, 0));
        for _ in 0..20 {
            let sizes = rolling_step(limits, &new, std::slice::from_ref(&old));
            new = set(sizes.new, 0, 1);
            old = set(sizes.old[0], sizes.old[0], 0);
        }
        assert_eq!((new.replicas, old.replicas), (2, 3));
    }

    #[test]
    fn recreate_waits_for_the_last_old_pod() {
        let leaving = Set { replicas: 0, pods: 1, ..set(0, 0, 0) };
        assert_eq!(recreate_step(3, &set(0, 0, 1), &[set(3, 3, 0)]), Sizes { new: 0, old: vec![0] });
        assert_eq!(recreate_step(3, &set(0, 0, 1), &[leaving]), Sizes { new: 0, old: vec![0] });
        assert_eq!(recreate_step(3, &set(0, 0, 1), &[set(0, 0, 0)]), Sizes { new: 3, old: vec![0] });
    }

    #[test]
    fn scaling_in_the_midst_of_a_rollout_keeps_the_shares() {
        // 10 wanted with one surge in 5 and 6; to 20 with two: 10 and 12.
        let limits = Limits { replicas: 20, surge: 2, unavailable: 2 };
        let sets = [Set { max_replicas: 11, ..set(5, 4, 1) }, Set { max_replicas: 11, ..set(6, 6, 0) }];
        assert_eq!(scale_step(limits, &sets, true), vec![10, 12]);
        assert_eq!(scale_step(limits, &[set(7, 7, 1), set(0, 0, 0)], true), vec![20, 0]);
        assert_eq!(scale_step(limits, &[set(0, 0, 1)], true), vec![20]);
    }

    proptest! {
        /// Whatever pods become ready in whatever order: never more than `replicas + surge` wanted, never fewer available
        /// than `replicas - unavailable` through our doing, and the rollout ends.
        #[test]
        fn a_rollout_keeps_its_limits(
            replicas in 1_i64..40, surge in 0_i64..60, unavailable in 0_i64..60, split in 0_i64..40, order in any::<u64>(),
        ) {
            let limits = Limits::rolling(replicas, Amount::Percent(surge), Amount::Percent(unavailable));
            let first = split.min(replicas);
            let mut new = set(0, 0, 2);
            let mut old = vec![set(first, first, 0), set(replicas - first, replicas - first, 1)];
            let mut rng = crate::sim::clock::Rng::new(order);
            for _ in 0..2000 {
                let sizes = rolling_step(limits, &new, &old);
                let total: i64 = sizes.new + sizes.old.iter().sum::<i64>();
                prop_assert!(total <= replicas + limits.surge, "{total} wanted");
                // Pods go at once (ready ones last), new ones become ready one by one.
                new.replicas = sizes.new;
                for (set, size) in old.iter_mut().zip(sizes.old) {
                    set.replicas = size;
                    set.available = set.available.min(size);
                }
                let available = new.available + old.iter().map(|s| s.available).sum::<i64>();
                prop_assert!(available >= replicas - limits.unavailable, "{available} available");
                if rng.one_in(2) && new.available < new.replicas {
                    new.available += 1;
                }
            }
            prop_assert_eq!((new.replicas, new.available), (replicas, replicas));
            prop_assert!(old.iter().all(|s| s.replicas == 0));
        }
    }
}
