//! What explanations say, in sentences, for one situation of each kind.

use std::sync::Arc;

use crate::{
    desired::{
        cluster::Cluster,
        place::{Group, Limit, Placement, Prepared, Resource, Roster, Spread, SpreadBy, State, Strategy, Weight},
        selector::Affinity,
    },
    messages::Lang,
    model::Taint,
};

fn names(names: &[&str]) -> Affinity {
    Affinity { names: names.iter().map(|n| Arc::from(*n)).collect(), ..Affinity::default() }
}

fn clusters(rooms: &[(&str, i64)]) -> Vec<Cluster> {
    let cluster = |&(name, room): &(&str, i64)| Cluster {
        name: name.into(),
        region: name[..2].into(),
        available: Some(room),
        ..Cluster::default()
    };
    rooms.iter().map(cluster).collect()
}

fn placement(strategy: Strategy, spread: &[(SpreadBy, i64, i64)]) -> Placement {
    let spread = spread.iter().map(|(by, min, max)| Spread { by: by.clone(), min: *min, max: *max }).collect();
    Placement { groups: vec![Group::default()], strategy, spread, ..Placement::default() }
}

fn state(previous: &[(&str, i64)]) -> State {
    State { previous: previous.iter().map(|(c, n)| (Arc::from(*c), *n)).collect(), ..State::default() }
}

/// The sentence for the whole, then one for each cluster.
fn said(placement: &Placement, replicas: i64, clusters: &[Cluster], state: &State) -> Vec<String> {
    let roster = Roster::new(clusters);
    let resource = Resource { api: "apps/v1 Deployment".into(), replicas, ..Resource::default() };
    let explained = Prepared::new(placement, &roster).explain(&resource, state, None);
    let mut lines = vec![explained.sentence(Lang::En)];
    lines.extend(explained.cluster_sentences(Lang::En));
    lines
}

#[test]
fn filters_are_all_told() {
    let mut all = clusters(&[("eu-1", 5), ("eu-2", 5), ("us-1", 5)]);
    all[0].taints = vec![Taint { key: "gpu".into(), value: "yes".into(), effect: "NoExecute".into() }];
    all[0].apis = Some(vec!["v1 ConfigMap".into()]);
    all[1].region = String::new();
    all[1].deleting = true;
    let mut placement = placement(Strategy::Duplicated, &[(SpreadBy::Region, 1, 1), (SpreadBy::Cluster, 1, 1)]);
    placement.groups[0].affinity = names(&["eu-2", "us-1"]);
    let mut state = state(&[]);
    state.evicting = vec!["us-1".into()];
    assert_eq!(
        said(&placement, 2, &all, &state),
        [
            "None of 3 clusters passes every filter; the former result is cleared.",
            "eu-1 gets nothing: it is not among the clusters that are named; it has taints that are not tolerated \
             (gpu=yes:NoExecute); it does not serve apps/v1 Deployment.",
            "eu-2 gets nothing: it is being taken out of the fleet; it lacks what the spread is counted by (region).",
            "us-1 gets nothing: the object is being moved away from it.",
        ]
    );
}

#[test]
fn selection_is_told() {
    let all = clusters(&[("eu-1", 0), ("eu-2", 0), ("us-1", 60)]);
    let one = placement(Strategy::Dynamic, &[(SpreadBy::Cluster, 1, 2)]);
    assert_eq!(
        said(&one, 80, &all, &state(&[("eu-1", 40), ("eu-2", 30)])),
        [
            "Its replicas (80) are divided by room and lie in 2 of 3 clusters.",
            "eu-1 keeps its 40; its free room of 0 (of 60) earns it none of the 40 that are missing.",
            "eu-2 gets nothing: it gave way to a cluster with more room than its 30.",
            "us-1 takes 40 of the 40 that are missing by its free room of 60 (of 60).",
        ]
    );
}

#[test]
fn regions_are_told() {
    let all = clusters(&[("eu-1", 9), ("eu-2", 8), ("us-1", 9), ("ap-1", 1)]);
    let limits = [(SpreadBy::Region, 2, 2), (SpreadBy::Cluster, 2, 2)];
    assert_eq!(
        said(&placement(Strategy::Dynamic, &limits), 4, &all, &state(&[]))[1..],
        [
            "ap-1 gets nothing: its region ap was not chosen (worth 1000).",
            "eu-1 takes 2 of the 4 that are missing by its free room of 9 (of 18).",
            "eu-2 gets nothing: its region eu is chosen, but at most 2 clusters may be used and others come first.",
            "us-1 takes 2 of the 4 that are missing by its free room of 9 (of 18).",
        ]
    );
    let one = placement(Strategy::Duplicated, &[(SpreadBy::Cluster, 1, 1)]);
    let lines = said(&one, 4, &all[..2], &state(&[("eu-2", 4)]));
    assert_eq!(
        lines[1..],
        [
            "eu-1 gets nothing: at most 1 clusters may be used, and it is number 2 (score 0, room 9).",
            "eu-2 gets all 4, as every selected cluster does.",
        ]
    );
}

#[test]
fn groups_are_told() {
    let all = clusters(&[("a1", 5), ("b1", 40), ("c1", 20)]);
    let group =
        |name: &str, members: &[&str]| Group { name: name.into(), affinity: names(members), overflow: Vec::new() };
    let mut fallback = placement(Strategy::Dynamic, &[]);
    (fallback.groups, fallback.named_groups) = (vec![group("onprem", &["a1"]), group("cloud", &["b1", "c1"])], true);
    let lines = said(&fallback, 6, &all, &state(&[]));
    let whole = "Its replicas (6) are divided by room and lie in 2 of 3 clusters. \
                 Group cloud is in use, as these failed before it: onprem.";
    assert_eq!(lines[0], whole);
    assert_eq!(lines[1], "a1 gets nothing: it is not in group cloud (it is not among the clusters that are named).");
    let failed = said(&fallback, 100, &all, &state(&[("a1", 2)]));
    assert_eq!(
        failed[..2],
        [
            "The clusters that fit have room for 7 in all, and 100 are wanted; the former result stays.",
            "a1 keeps the 2 it had, as the former result stays: it would do, but the placement as a whole failed.",
        ]
    );
}

#[test]
fn division_is_told() {
    let all = clusters(&[("a1", 20), ("b1", 12), ("c1", 0)]);
    let weight = |name: &str, weight| Weight { affinity: names(&[name]), weight };
    let fixed = Strategy::Static { weights: vec![weight("a1", 20), weight("b1", 1)], given: true };
    let held = [("a1", 4), ("b1", 8)];
    for (strategy, replicas, previous, expected) in [
        (
            Strategy::Dynamic,
            12,
            &[][..],
            [
                "Its replicas (12) are divided by room and lie in 2 of 3 clusters.",
                "a1 takes 7 of the 12 that are missing by its free room of 20 (of 32).",
                "b1 takes 5 of the 12 that are missing by its free room of 12 (of 32).",
                "c1 gets nothing: it has no free room.",
            ],
        ),
        (
            Strategy::Aggregated,
            6,
            &held[..],
            [
                "Its replicas (6) are put into as few clusters as have room: 1 of 3.",
                "a1 gets nothing: the clusters before it suffice.",
                "b1 keeps 6 of its 8: the 6 that are wanted are divided by what each held (8 of 8).",
                "c1 gets nothing: replicas are being taken away, and it holds none.",
            ],
        ),
        (
            Strategy::Dynamic,
            12,
            &held,
            [
                "Its replicas (12) stay where they are, in 2 of 3 clusters: their number has not changed.",
                "a1 keeps its 4: the number wanted has not changed.",
                "b1 keeps its 8: the number wanted has not changed.",
                "c1 gets nothing: it holds none, and the number wanted has not changed.",
            ],
        ),
        (
            fixed,
            3,
            &[],
            [
                "Its replicas (3) are divided by fixed weights and lie in 1 of 3 clusters.",
                "a1 gets 3 of 3: its weight is 20 of 21.",
                "b1 gets nothing: its weight of 1 (of 21) is too small for one of 3.",
                "c1 gets nothing: no weight is given for it.",
            ],
        ),
    ] {
        assert_eq!(said(&placement(strategy, &[]), replicas, &all, &state(previous)), expected);
    }
}

#[test]
fn limits_are_told() {
    let all = clusters(&[("a1", 20), ("b1", 12)]);
    let mut limited = placement(Strategy::Dynamic, &[]);
    limited.limits = vec![Limit { affinity: Affinity::default(), min: 0, max: Some(4) }];
    assert_eq!(
        said(&limited, 10, &all, &state(&[])),
        [
            "Its replicas (10) are divided by room and lie in 2 of 2 clusters. \
             The limits of the policy leave 2 of them without a cluster.",
            "a1 gets 4: the division gave 6, the limits of the policy made it 4.",
            "b1 takes 4 of the 10 that are missing by its free room of 12 (of 32).",
        ]
    );
}
