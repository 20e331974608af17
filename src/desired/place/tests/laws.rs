//! Laws: what must hold whatever the placement, the clusters and the former result are.

use std::sync::Arc;

use proptest::prelude::*;

use crate::{
    desired::{
        cluster::Cluster,
        place::{
            Cause, Decision, Failure, Group, Limit, Placement, Prepared, Resource, Roster, Spread, SpreadBy, State,
            Strategy as Dealing, Toleration, Weight, decide,
        },
        selector::{Affinity, LabelSelector, Operator, Requirement},
    },
    messages::Lang,
    model::Taint,
};

/// A whole situation.
#[derive(Clone, Debug)]
pub(super) struct Situation {
    pub(super) placement: Placement,
    pub(super) resource: Resource,
    pub(super) clusters: Vec<Cluster>,
    pub(super) state: State,
}

impl Situation {
    pub(super) fn decide(&self) -> Decision {
        decide(&self.placement, &self.resource, &self.clusters, &self.state)
    }
}

fn cluster(at: usize) -> impl Strategy<Value = Cluster> {
    (
        prop_oneof![4 => (0_i64..40).prop_map(Some), 1 => Just(None)],
        prop_oneof!["eu", "us", "ap", ""],
        prop_oneof![Just("gold"), Just("silver")],
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.05),
        prop::bool::weighted(0.1),
    )
        .prop_map(move |(available, region, tier, tainted, deleting, bare)| {
            let taint = Taint { key: "maintenance".into(), value: String::new(), effect: "NoSchedule".into() };
            Cluster {
                name: format!("c{at:02}").into(),
                labels: [("tier".to_owned(), tier.to_owned())].into(),
                region,
                available,
                taints: if tainted { vec![taint] } else { Vec::new() },
                deleting,
                apis: bare.then(Vec::new),
                ..Cluster::default()
            }
        })
}

fn affinity() -> impl Strategy<Value = Affinity> {
    let tier = |tier: &str| LabelSelector {
        requirements: vec![Requirement { key: "tier".into(), operator: Operator::In, values: vec![tier.to_owned()] }],
        broken: false,
    };
    prop_oneof![
        3 => Just(Affinity::default()),
        1 => Just(Affinity { labels: Some(tier("gold")), ..Affinity::default() }),
        1 => Just(Affinity { labels: Some(tier("silver")), ..Affinity::default() }),
        2 => prop::collection::vec(0..12_usize, 1..6).prop_map(|names| Affinity {
            names: names.into_iter().map(|n| format!("c{n:02}").into()).collect(),
            ..Affinity::default()
        }),
    ]
}

fn dealing() -> impl Strategy<Value = Dealing> {
    let weight = (affinity(), 1_i64..9).prop_map(|(affinity, weight)| Weight { affinity, weight });
    prop_oneof![
        Just(Dealing::Absent),
        Just(Dealing::Duplicated),
        (prop::collection::vec(weight, 0..4), any::<bool>())
            .prop_map(|(weights, given)| Dealing::Static { given: given || !weights.is_empty(), weights }),
        Just(Dealing::Dynamic),
        Just(Dealing::Dynamic),
        Just(Dealing::Aggregated),
    ]
}

fn spread() -> impl Strategy<Value = Vec<Spread>> {
    let constraint = |by: SpreadBy, min: i64, more: i64| Spread { by, min, max: min + more };
    prop_oneof![
        3 => Just(Vec::new()),
        2 => (1_i64..4, 0_i64..5).prop_map(move |(min, more)| vec![constraint(SpreadBy::Cluster, min, more)]),
        2 => (1_i64..4, 0_i64..5, 1_i64..3, 0_i64..3).prop_map(move |(a, b, c, d)| {
            vec![constraint(SpreadBy::Region, c, d), constraint(SpreadBy::Cluster, a, b)]
        }),
    ]
}

fn groups() -> impl Strategy<Value = (Vec<Group>, bool)> {
    let overflow = |list: Vec<Affinity>| {
        list.into_iter().enumerate().map(|(at, a)| (Arc::from(format!("o{at}")), a)).collect::<Vec<_>>()
    };
    let group = (affinity(), prop::collection::vec(affinity(), 0..3));
    prop_oneof![
        affinity().prop_map(|affinity| (vec![Group { affinity, ..Group::default() }], false)),
        prop::collection::vec(group, 1..4).prop_map(move |list| {
            let named = list.into_iter().enumerate().map(|(at, (affinity, tiers))| Group {
                name: format!("g{at}").into(),
                affinity,
                overflow: overflow(tiers),
            });
            (named.collect(), true)
        }),
    ]
}

fn placement() -> impl Strategy<Value = Placement> {
    (groups(), dealing(), spread(), any::<bool>()).prop_map(|((mut groups, named_groups), strategy, spread, bears)| {
        if !matches!(strategy, Dealing::Dynamic | Dealing::Aggregated) {
            groups.iter_mut().for_each(|g| g.overflow.clear());
        }
        let toleration = Toleration { exists: true, ..Toleration::default() };
        let tolerations = if bears { vec![toleration] } else { Vec::new() };
        Placement { groups, named_groups, tolerations, spread, strategy, limits: Vec::new() }
    })
}

fn state() -> impl Strategy<Value = State> {
    (
        prop::collection::btree_map(0..14_usize, 0_i64..12, 0..6),
        prop::option::weighted(0.3, 0..3_usize),
        prop::bool::weighted(0.2),
        prop::collection::vec(0..12_usize, 0..2),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(previous, observed, reschedule, evicting, unchanged)| State {
            previous: previous.into_iter().map(|(c, n)| (format!("c{c:02}").into(), n)).collect(),
            observed: observed.map(|g| format!("g{g}").into()),
            reschedule,
            evicting: evicting.into_iter().map(|c| format!("c{c:02}").into()).collect(),
            unchanged,
        })
}

fn resource() -> impl Strategy<Value = Resource> {
    (0_i64..60, any::<bool>(), prop_oneof![Just(""), Just("a"), Just("b")]).prop_map(|(replicas, requirements, uid)| {
        Resource {
            api: "apps/v1 Deployment".into(),
            replicas,
            requirements,
            uid: uid.into(),
            field: Some("replicas"),
            completions: None,
        }
    })
}

pub(super) fn situation() -> impl Strategy<Value = Situation> {
    let clusters = (1..12_usize).prop_flat_map(|n| (0..n).map(cluster).collect::<Vec<_>>());
    (placement(), resource(), clusters, state()).prop_map(|(placement, resource, clusters, state)| Situation {
        placement,
        resource,
        clusters,
        state,
    })
}

/// A result with the clusters' names.
fn named(situation: &Situation) -> Result<Vec<(Arc<str>, i64)>, Failure> {
    let decision = situation.decide();
    let mut shares: Vec<_> =
        decision.outcome?.into_iter().map(|(c, n)| (situation.clusters[c as usize].name.clone(), n)).collect();
    shares.sort();
    Ok(shares)
}

fn divides(strategy: &Dealing) -> bool {
    matches!(strategy, Dealing::Static { .. } | Dealing::Dynamic | Dealing::Aggregated)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 768, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_divided_adds_up(s in situation()) {
        let decision = s.decide();
        if let (true, true, Ok(shares)) = (divides(&s.placement.strategy) && s.resource.is_workload(), decision.ran, &decision.outcome) {
            prop_assert_eq!(shares.iter().map(|(_, n)| n).sum::<i64>(), s.resource.replicas);
            prop_assert!(shares.iter().all(|(_, n)| *n > 0));
        }
    }

    #[test]
    fn by_room_nobody_gets_more_than_there_is_room_for(s in situation()) {
        let by_room = matches!(s.placement.strategy, Dealing::Dynamic | Dealing::Aggregated);
        let decision = s.decide();
        if let (true, true, Ok(shares)) = (by_room, decision.ran, &decision.outcome) {
            for (c, n) in shares {
                let cluster = &s.clusters[*c as usize];
                let held = s.state.previous.iter().find(|(name, _)| *name == cluster.name).map_or(0, |(_, n)| *n);
                prop_assert!(*n <= held + cluster.available.unwrap_or(s.resource.replicas));
            }
        }
    }

    #[test]
    fn the_order_of_the_input_plays_no_part(s in situation(), seed: u64) {
        let mut turned = s.clone();
        let n = turned.clusters.len();
        for at in (1..n).rev() {
            turned.clusters.swap(at, usize::try_from(seed % (at as u64 + 1)).unwrap());
        }
        turned.state.previous.reverse();
        prop_assert_eq!(named(&s), named(&turned));
        prop_assert_eq!(s.decide().group, turned.decide().group);
    }

    #[test]
    fn names_play_no_part_beyond_their_order(s in situation()) {
        let name = |old: &Arc<str>| Arc::from(format!("x-{old}-y"));
        let mut renamed = s.clone();
        renamed.clusters.iter_mut().for_each(|c| c.name = name(&c.name));
        renamed.state.previous.iter_mut().for_each(|(n, _)| *n = name(n));
        renamed.state.evicting.iter_mut().for_each(|n| *n = name(n));
        let weights = match &mut renamed.placement.strategy {
            Dealing::Static { weights, .. } => weights.as_mut_slice(),
            _ => &mut [],
        };
        let groups = renamed.placement.groups.iter_mut();
        let tiers = groups.flat_map(|g| std::iter::once(&mut g.affinity).chain(g.overflow.iter_mut().map(|o| &mut o.1)));
        for affinity in tiers.chain(weights.iter_mut().map(|w| &mut w.affinity)) {
            affinity.names.iter_mut().for_each(|n| *n = name(n));
        }
        let expected = named(&s).map(|shares| shares.into_iter().map(|(n, c)| (name(&n), c)).collect::<Vec<_>>());
        prop_assert_eq!(named(&renamed), expected);
    }

    #[test]
    fn one_more_replica_takes_none_away(mut s in situation(), dynamic: bool) {
        // A plain set of clusters: limits on numbers and unknown room depend on the number of replicas.
        s.placement.spread.clear();
        s.placement.groups.truncate(1);
        s.placement.groups[0].overflow.clear();
        if dynamic || !divides(&s.placement.strategy) {
            s.placement.strategy = Dealing::Dynamic;
            s.state.reschedule = true;
            s.clusters.iter_mut().for_each(|c| c.available = c.available.or(Some(9)));
        }
        if s.placement.strategy == Dealing::Aggregated {
            return Ok(());
        }
        s.state.unchanged = false;
        s.resource.replicas = s.resource.replicas.max(1);
        if s.placement.strategy == Dealing::Dynamic {
            s.state.reschedule = true;
            s.clusters.iter_mut().for_each(|c| c.available = c.available.or(Some(9)));
        }
        let mut more = s.clone();
        more.resource.replicas += 1;
        if let (Ok(a), Ok(b)) = (named(&s), named(&more)) {
            for (cluster, n) in a {
                let then = b.iter().find(|(c, _)| *c == cluster).map_or(0, |(_, n)| *n);
                prop_assert!(then >= n, "{} fell from {} to {}", cluster, n, then);
            }
        }
    }

    #[test]
    fn a_steady_total_is_left_alone(mut s in situation(), aggregated: bool) {
        s.placement.strategy = if aggregated { Dealing::Aggregated } else { Dealing::Dynamic };
        s.placement.spread.clear();
        s.placement.groups = vec![Group::default()];
        s.placement.named_groups = false;
        s.state.reschedule = false;
        s.state.evicting.clear();
        let known: Vec<Arc<str>> = s.clusters.iter().filter(|c| !c.deleting).map(|c| c.name.clone()).collect();
        s.state.previous.retain(|(name, _)| known.contains(name));
        s.resource.replicas = s.state.previous.iter().map(|(_, n)| n).sum();
        if s.resource.replicas > 0 {
            let expected: Vec<_> = s.state.previous.iter().filter(|(_, n)| *n > 0 || !s.decide().ran).cloned().collect();
            prop_assert_eq!(named(&s), Ok(expected));
        }
    }

    #[test]
    fn an_explanation_says_what_is_decided(mut s in situation(), limited in prop::bool::weighted(0.3)) {
        if limited {
            s.placement.limits = vec![Limit { affinity: Affinity::default(), min: 1, max: Some(4) }];
        }
        let decision = s.decide();
        let roster = Roster::new(&s.clusters);
        let prepared = Prepared::new(&s.placement, &roster);
        let explained = prepared.explain(&s.resource, &s.state, None);
        prop_assert_eq!(explained.cause != Cause::Nothing, decision.ran);
        prop_assert_eq!(&explained.group, &decision.group);
        prop_assert_eq!(explained.failure, decision.outcome.as_ref().err().map(|f| f.word()));
        let mut told: Vec<(u32, i64)> =
            explained.clusters.iter().filter_map(|c| Some((roster.index(&c.cluster)?, c.replicas?))).collect();
        told.sort_unstable();
        prop_assert_eq!(told, decision.outcome.clone().unwrap_or_default());
        for (placed, lang) in explained.clusters.iter().zip([Lang::En, Lang::Zh].into_iter().cycle()) {
            let usable = placed.chance.is_some();
            prop_assert_eq!(usable, placed.barred.is_empty() && decision.ran, "barred or usable, never both");
            let sentence = explained.cluster_sentence(placed, lang);
            let whole = !sentence.contains(['{', '}']) && sentence.contains(&*placed.cluster);
            prop_assert!(whole, "{}", sentence);
        }
        for lang in [Lang::En, Lang::Zh] {
            let open = explained.sentence(lang).contains(['{', '}']);
            prop_assert!(!open, "every place is filled");
        }
        prop_assert!(serde_json::to_value(&explained).is_ok());
    }

    #[test]
    fn limits_hold_and_keep_the_sum_where_they_can(mut s in situation(), min in 0_i64..4, most in prop::option::of(0_i64..9)) {
        s.state.unchanged = false;
        let max = most.map(|m| m.max(min));
        let free = s.decide().outcome;
        s.placement.limits = vec![Limit { affinity: Affinity::default(), min, max }];
        let limited = s.decide().outcome;
        prop_assert_eq!(free.is_ok(), limited.is_ok());
        if let (true, Ok(free), Ok(limited)) = (s.resource.is_workload(), free, limited) {
            prop_assert!(limited.iter().all(|(_, n)| *n <= max.unwrap_or(i64::MAX)));
            let sum: i64 = limited.iter().map(|(_, n)| n).sum();
            if divides(&s.placement.strategy) && sum < s.resource.replicas {
                prop_assert!(max.is_some(), "only a most can leave replicas out");
            }
            if divides(&s.placement.strategy) && min == 0 {
                prop_assert!(sum <= s.resource.replicas);
            }
            if min == 0 && max.is_none() {
                prop_assert_eq!(free, limited);
            }
        }
    }
}
