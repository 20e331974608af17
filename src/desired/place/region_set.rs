//! The best set of regions. Karmada lists every set and sorts the list; here the same set is found by a search that leaves out
//! branches which cannot win, so that many regions are no danger.

use super::{
    region::{Region, precedence},
    select::number,
};

/// What a set must satisfy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Fewest regions.
    pub(super) min: i64,
    /// Most regions.
    pub(super) max: i64,
    /// Fewest clusters in all of them.
    pub(super) clusters: i64,
}

impl Bounds {
    /// A set of this size, with this many clusters, is good and is not extended.
    fn satisfied(self, size: i64, clusters: i64) -> bool {
        clusters >= self.clusters && size >= self.min.max(1) && size <= self.max
    }
}

/// The best set, as indexes into the regions, heavier regions first; `None` when no set will do.
pub(super) fn choose(regions: &[Region], bounds: Bounds) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..regions.len()).collect();
    order.sort_by_key(|&at| (regions[at].members.len(), precedence(&regions[at])));
    let best = if number(regions.len()) == bounds.min {
        all(regions, &order, bounds)
    } else {
        search(regions, &order, bounds)
    };
    best.map(|set| shortest_lead(regions, &order, bounds, set))
}

/// As many regions as are wanted at least: all of them, or none.
fn all(regions: &[Region], order: &[usize], bounds: Bounds) -> Option<Vec<usize>> {
    let clusters = regions.iter().map(|r| number(r.members.len())).sum();
    bounds.satisfied(number(regions.len()), clusters).then(|| order.to_vec())
}

/// The heaviest set, then the one with the most clusters, then the first that the search meets.
fn search(regions: &[Region], order: &[usize], bounds: Bounds) -> Option<Vec<usize>> {
    let parts: Vec<(i64, i64)> =
        order.iter().map(|&at| (regions[at].weight, number(regions[at].members.len()))).collect();
    let mut search = Search { tops: tops(&parts), parts, bounds, path: Vec::new(), best: None };
    search.visit(0, (0, 0));
    search.best.map(|(_, path)| path.into_iter().map(|at| order[at]).collect())
}

struct Search {
    /// Weight and clusters of each region, in the order of the search.
    parts: Vec<(i64, i64)>,
    tops: Vec<Tops>,
    bounds: Bounds,
    path: Vec<usize>,
    best: Option<((i64, i64), Vec<usize>)>,
}

/// Of the regions from one place on: the sums of the greatest weights, and of the greatest cluster counts, for every number.
struct Tops {
    weights: Vec<i64>,
    clusters: Vec<i64>,
}

fn tops(parts: &[(i64, i64)]) -> Vec<Tops> {
    let sums = |mut values: Vec<i64>| {
        values.sort_unstable_by(|a, b| b.cmp(a));
        let sum = |sum: &mut i64, v| {
            *sum += v;
            Some(*sum)
        };
        std::iter::once(0).chain(values.into_iter().scan(0, sum)).collect()
    };
    (0..=parts.len())
        .map(|from| Tops {
            weights: sums(parts[from..].iter().map(|p| p.0).collect()),
            clusters: sums(parts[from..].iter().map(|p| p.1).collect()),
        })
        .collect()
}

impl Search {
    fn visit(&mut self, from: usize, worth: (i64, i64)) {
        let size = number(self.path.len());
        if self.bounds.satisfied(size, worth.1) {
            if self.best.as_ref().is_none_or(|(best, _)| worth > *best) {
                self.best = Some((worth, self.path.clone()));
            }
            return;
        }
        if size >= self.bounds.max || self.hopeless(from, worth) {
            return;
        }
        for at in from..self.parts.len() {
            self.path.push(at);
            self.visit(at + 1, (worth.0 + self.parts[at].0, worth.1 + self.parts[at].1));
            self.path.pop();
            if self.hopeless(at + 1, worth) {
                return;
            }
        }
    }

    /// Whether nothing that is built here from the regions from `from` on can beat what was found (a later set with the same
    /// worth loses), or reach the number of clusters.
    fn hopeless(&self, from: usize, worth: (i64, i64)) -> bool {
        let Some(&(_, fewest)) = self.parts.get(from) else { return true };
        let size = number(self.path.len());
        // A set grows only until it will do: by as many regions as are missing, each with at least `fewest` clusters.
        let missing = (self.bounds.clusters - worth.1).max(0);
        let grows = (self.bounds.min - size).max((missing + fewest - 1) / fewest).min(self.bounds.max - size);
        let grows = usize::try_from(grows).unwrap_or(0).min(self.parts.len() - from);
        let top = &self.tops[from];
        if worth.1 + top.clusters[grows] < self.bounds.clusters {
            return true;
        }
        let bound = (worth.0 + top.weights[grows], worth.1 + top.clusters[grows]);
        self.best.as_ref().is_some_and(|(best, _)| bound <= *best)
    }
}

/// The shortest leading part of the best set that is a set of the search itself; the best set if there is none.
fn shortest_lead(regions: &[Region], order: &[usize], bounds: Bounds, mut set: Vec<usize>) -> Vec<usize> {
    set.sort_by_key(|&at| precedence(&regions[at]));
    let place = |region: usize| order.iter().position(|&at| at == region);
    let met = |lead: &[usize]| {
        let mut path = lead.to_vec();
        path.sort_by_key(|&region| place(region));
        let mut clusters = 0;
        let mut stops = path.iter().zip(1..).map(|(&region, size)| {
            clusters += number(regions[region].members.len());
            bounds.satisfied(size, clusters)
        });
        // Met only if it will do as a whole, and the search has not stopped on the way to it.
        stops.position(|s| s) == Some(path.len() - 1)
    };
    let whole = number(regions.len()) == bounds.min;
    let lead = (1..set.len()).find(|&length| !whole && met(&set[..length]));
    set.truncate(lead.unwrap_or(set.len()));
    set
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn regions(parts: &[(i64, usize)]) -> Vec<Region> {
        let region = |(at, &(weight, members)): (usize, &(i64, usize))| Region {
            name: format!("r{at:02}").into(),
            members: (0..members).collect(),
            weight,
            chosen: false,
        };
        parts.iter().enumerate().map(region).collect()
    }

    /// Every set, listed and sorted, as the rule is written.
    fn plainly(regions: &[Region], bounds: Bounds) -> Option<Vec<usize>> {
        let mut order: Vec<usize> = (0..regions.len()).collect();
        order.sort_by_key(|&at| (regions[at].members.len(), precedence(&regions[at])));
        let mut found = Vec::new();
        list(regions, &order, bounds, 0, &mut Vec::new(), &mut found);
        let worth = |set: &Vec<usize>| {
            let sum = |f: &dyn Fn(&Region) -> i64| set.iter().map(|&at| f(&regions[at])).sum::<i64>();
            (sum(&|r| r.weight), sum(&|r| number(r.members.len())))
        };
        found.sort_by_key(|set| std::cmp::Reverse(worth(set)));
        found.iter_mut().for_each(|set| set.sort_by_key(|&at| precedence(&regions[at])));
        let mut best = found.first()?.clone();
        for set in &found[1..] {
            if set.len() < best.len() && best.starts_with(set) {
                best = set.clone();
            }
        }
        Some(best)
    }

    fn list(
        regions: &[Region],
        order: &[usize],
        bounds: Bounds,
        from: usize,
        path: &mut Vec<usize>,
        found: &mut Vec<Vec<usize>>,
    ) {
        let clusters: i64 = path.iter().map(|&at| number(regions[at].members.len())).sum();
        let size = number(path.len());
        if clusters >= bounds.clusters && size >= bounds.min && size <= bounds.max {
            found.push(path.clone());
            return;
        }
        if size >= bounds.max {
            return;
        }
        for at in from..order.len() {
            path.push(order[at]);
            list(regions, order, bounds, at + 1, path, found);
            if number(regions.len()) == bounds.min {
                break;
            }
            path.pop();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_search_finds_what_the_list_gives(
            parts in proptest::collection::vec((prop_oneof![0_i64..4, 0_i64..3000], 1_usize..5), 1..9),
            min in 1_i64..5,
            more in 0_i64..4,
            clusters in 1_i64..12,
        ) {
            let regions = regions(&parts);
            let bounds = Bounds { min, max: min + more, clusters };
            prop_assert_eq!(choose(&regions, bounds), plainly(&regions, bounds));
        }
    }

    #[test]
    fn a_hundred_equal_regions_are_no_danger() {
        let regions = regions(&[(1000, 1); 100]);
        let set = choose(&regions, Bounds { min: 10, max: 20, clusters: 15 }).unwrap();
        assert_eq!(set, (0..15).collect::<Vec<_>>());
    }
}
