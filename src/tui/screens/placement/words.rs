//! What the Placement screen says in words: who places something, why it fails, what moves.

use crate::{
    desired::{
        engine::{Owner, Placed},
        place::Failure,
        whatif::{Move, Refusal},
    },
    messages::{Lang, Msg, clean_line, desired as m},
};

/// Who places an object, as short as a column: the policy's name, or its source.
pub(super) fn owner(placed: &Placed) -> String {
    match &placed.owner {
        Owner::Policy(policy) => clean_line(&policy.id.name).into_owned(),
        Owner::Source => clean_line(&placed.source.title).into_owned(),
        Owner::Followed | Owner::Nobody => String::new(),
    }
}

/// Why there is no placement.
pub(super) fn failure(failure: Failure) -> Msg {
    match failure {
        Failure::NoClusterFit => m::P_NO_CLUSTER_FIT,
        Failure::Unschedulable => m::P_UNSCHEDULABLE,
        Failure::MinGroups => m::P_MIN_GROUPS,
        Failure::NoEnoughResource => m::P_NO_ENOUGH_RESOURCE,
        Failure::NothingSelected => m::P_NOTHING_SELECTED,
        Failure::UnsupportedSpread => m::P_UNSUPPORTED_SPREAD,
    }
}

/// Why a supposition cannot be followed.
pub(super) fn refusal(refusal: &Refusal, lang: Lang) -> String {
    let say = |msg: Msg, name: &str| msg.fill(lang, &[("name", &clean_line(name))]);
    match refusal {
        Refusal::NoCluster(name) => say(m::WHATIF_NO_CLUSTER, name),
        Refusal::NoPolicy(id) => say(m::WHATIF_NO_POLICY, &format!("{} {}", id.kind, id.name)),
        Refusal::NoWeights(id) => say(m::WHATIF_NO_WEIGHTS, &format!("{} {}", id.kind, id.name)),
        Refusal::Unknown(key) => say(m::WHATIF_UNKNOWN, &key.to_string()),
        Refusal::Broken(faults) => say(m::W_REFUSED_BROKEN, &faults.first().map(|f| f.text(lang)).unwrap_or_default()),
    }
}

/// What moves in all.
pub(super) fn moves_in_all(moves: &[Move], lang: Lang) -> String {
    if moves.is_empty() {
        return m::W_STAYS.text(lang).to_owned();
    }
    let mut services: Vec<(&str, &str)> = moves.iter().map(|m| (&*m.namespace, &*m.service)).collect();
    services.sort_unstable();
    services.dedup();
    let (mut leaving, mut coming) = (0i64, 0i64);
    for (_, now, then) in moves.iter().flat_map(|m| &m.clusters) {
        let step = then.unwrap_or(0) - now.unwrap_or(0);
        if step < 0 { leaving -= step } else { coming += step }
    }
    let failing = moves.iter().filter(|m| m.failure.is_some()).count();
    let values = [
        ("services", services.len().to_string()),
        ("leaving", leaving.to_string()),
        ("coming", coming.to_string()),
        ("failing", failing.to_string()),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let msg = match (failing, services.len()) {
        (0, 1) => m::W_SUM_ONE,
        (0, _) => m::W_SUM,
        _ => m::W_SUM_FAILING,
    };
    msg.fill(lang, &values)
}

/// One object's move, cluster by cluster.
pub(super) fn move_lines(moved: &Move, lang: Lang) -> String {
    let mut text = format!("{}  {}\n", clean_line(&moved.service), clean_line(&moved.object.to_string()));
    if let Some(why) = moved.failure {
        let msg = if moved.stays { m::W_FAILS_STAYS } else { m::W_FAILS };
        text.push_str(&format!("  {}\n", msg.fill(lang, &[("why", failure(why).text(lang))])));
    }
    for (cluster, now, then) in &moved.clusters {
        text.push_str(&format!("  {}  {}\n", clean_line(cluster), step(*now, *then, lang)));
    }
    text.push('\n');
    text
}

/// One cluster's part of a move.
pub(super) fn step(now: Option<i64>, then: Option<i64>, lang: Lang) -> String {
    let number = |n: Option<i64>| n.unwrap_or(0).to_string();
    let values = [("now", number(now)), ("then", number(then))];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let msg = match (now, then) {
        (None, Some(0)) => m::W_COMES_PLAIN,
        (None, _) => m::W_COMES,
        (Some(0), None) => m::W_GOES_PLAIN,
        (_, None) => m::W_GOES,
        _ => m::W_CHANGES,
    };
    msg.fill(lang, &values)
}
