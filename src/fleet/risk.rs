//! What is wrong with a cluster, and how much that weighs in "worst first". Everything here is read from counters, so that
//! a header can ask for every cluster in every frame.

use super::{
    inventory::{Risk, Support},
    plugins::{Role, Rule},
    store::Shard,
    support,
};
use crate::model::{Builtin, ClusterState, KindStatus, Millis, Secs};

/// Days until a certificate's end from which it is mentioned.
const SOON: i32 = 30;

/// Risks of one cluster, worst first. `production`: missing contacts matter.
pub(super) fn risks(shard: &Shard, now: Millis, production: bool, has_contacts: bool) -> Vec<Risk> {
    let tally = &shard.tally;
    let mut found = Vec::new();
    if shard.condition.state != ClusterState::Live {
        found.push(Risk::NotLive(shard.condition.state.severity()));
    }
    let count = |n: u32, risk: fn(u32) -> Risk| (n > 0).then(|| risk(n));
    let readable = |kind: Builtin| !matches!(shard.kind(kind.id()), KindStatus::Forbidden(_));
    if readable(Builtin::Node) {
        found.extend(count(tally.nodes - tally.ready, Risk::NodesDown));
    }
    if readable(Builtin::Pod) {
        found.extend(count(tally.pods_bad, Risk::PodsBad));
    }
    found.extend(count(tally.workloads[2], Risk::WorkloadsBad));
    found.extend(count(tally.workloads[1], Risk::WorkloadsWarn));
    found.extend(count(plugins_not_ready(shard), Risk::Plugin));
    let facts = &shard.facts;
    let soon = |end: Secs| Some(days_left(end, now)).filter(|days| *days <= SOON);
    found.extend(facts.certificate.as_ref().and_then(|c| soon(c.not_after)).map(Risk::Certificate));
    found.extend(
        facts.credential.expires.and_then(soon).filter(|d| credential_matters(shard, *d)).map(Risk::Credential),
    );
    if let Some(version) = &facts.version {
        if matches!(support::support(version, now), Support::Ended(_)) {
            found.push(Risk::EndOfLife);
        }
        let broken = support::skew(version, tally.kubelets.iter().map(|(k, n)| (&**k, n)));
        found.extend(count(broken.iter().map(|s| s.nodes).sum(), Risk::Skew));
    }
    if production && !has_contacts && shard.record.declared_at.is_some() {
        found.push(Risk::NoContact);
    }
    let forbidden = shard.kinds.iter().filter(|k| matches!(k, KindStatus::Forbidden(_))).count();
    found.extend(count(u32::try_from(forbidden).unwrap_or(u32::MAX), Risk::KindsForbidden));
    found.sort_by_key(|risk| std::cmp::Reverse(weight(risk)));
    found
}

/// A credential that renews itself (a plugin's, a file's) ends all the time; only its end without renewal matters.
fn credential_matters(shard: &Shard, days: i32) -> bool {
    !matches!(shard.facts.credential.kind.as_str(), "exec" | "token-file") || days < 0
}

/// Whole days until a moment, negative when it is over.
pub(super) fn days_left(end: Secs, now: Millis) -> i32 {
    let seconds = i64::from(end.0) - now.0 / 1000;
    i32::try_from(seconds.div_euclid(86_400)).unwrap_or(i32::MAX)
}

/// Known plug-ins that are not ready everywhere they should be; a network plug-in whose pods run nowhere is a left-over.
fn plugins_not_ready(shard: &Shard) -> u32 {
    let missing = |(at, rule): (&(crate::model::KindId, u32), &&'static Rule)| {
        let w = shard.table(at.0).and_then(|t| t.get(at.1)).and_then(|r| r.workload())?;
        let residue = rule.role == Role::Network && w.ready == 0;
        (!residue && w.ready < w.wanted.unwrap_or(0)).then_some(())
    };
    u32::try_from(shard.tally.plugins.iter().filter_map(missing).count()).unwrap_or(u32::MAX)
}

/// How much a risk weighs.
fn weight(risk: &Risk) -> u32 {
    let with = |base: u32, each: u32, n: u32| base.saturating_add(each.saturating_mul(n.min(10_000)));
    match risk {
        Risk::NotLive(severity) if *severity >= 4 => u32::from(*severity) * 10_000_000,
        Risk::NotLive(severity) => u32::from(*severity) * 10,
        Risk::Certificate(days) | Risk::Credential(days) if *days < 0 => 2_000_000,
        Risk::NodesDown(n) => with(500_000, 1_000, *n),
        Risk::WorkloadsBad(n) => with(300_000, 300, *n),
        Risk::Certificate(days) | Risk::Credential(days) if *days <= 7 => 250_000,
        Risk::Plugin(n) => with(200_000, 100, *n),
        Risk::PodsBad(n) => with(50_000, 10, *n),
        Risk::Skew(n) => with(20_000, 10, *n),
        Risk::Certificate(days) | Risk::Credential(days) if *days <= 14 => 15_000,
        Risk::WorkloadsWarn(n) => with(10_000, 1, *n),
        Risk::EndOfLife => 8_000,
        Risk::Certificate(_) | Risk::Credential(_) => 5_000,
        Risk::KindsForbidden(n) => with(2_000, 10, *n),
        Risk::NoContact => 1_000,
    }
}

/// Sort key of "worst first": the sum, half as much again in production.
pub(super) fn score(risks: &[Risk], production: bool) -> u32 {
    let sum = risks.iter().fold(0u32, |sum, risk| sum.saturating_add(weight(risk)));
    if production { sum.saturating_add(sum / 2) } else { sum }
}

/// Class of a live cluster: 0 well, 1 something to look at, 2 something failed.
pub(super) fn class(risks: &[Risk]) -> u8 {
    let of = |risk: &Risk| match risk {
        Risk::NodesDown(_) | Risk::WorkloadsBad(_) => 2,
        Risk::Certificate(days) | Risk::Credential(days) if *days < 0 => 2,
        _ => 1,
    };
    risks.iter().map(of).max().unwrap_or(0)
}

/// Whether an environment is treated as production: every one that is not plainly something else, unknown ones too.
pub fn is_production(environment: &str) -> bool {
    const OTHERS: &[&str] = &[
        "dev",
        "develop",
        "development",
        "test",
        "testing",
        "qa",
        "uat",
        "int",
        "integration",
        "stage",
        "staging",
        "stg",
        "pre",
        "preprod",
        "pre-production",
        "sandbox",
        "demo",
        "lab",
        "local",
        "ci",
        "preview",
        "perf",
        "load",
    ];
    !OTHERS.contains(&environment.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worse_weighs_more() {
        let order = [
            Risk::NotLive(7),
            Risk::NotLive(6),
            Risk::Certificate(-1),
            Risk::NodesDown(1),
            Risk::WorkloadsBad(1),
            Risk::Certificate(3),
            Risk::Plugin(1),
            Risk::PodsBad(1),
            Risk::Skew(1),
            Risk::Credential(10),
            Risk::WorkloadsWarn(1),
            Risk::EndOfLife,
            Risk::Certificate(25),
            Risk::KindsForbidden(1),
            Risk::NoContact,
            Risk::NotLive(1),
        ];
        for pair in order.windows(2) {
            assert!(weight(&pair[0]) > weight(&pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn days_are_whole_and_go_below_zero() {
        let now = Millis(10 * 86_400_000);
        for (end, days) in [(10 * 86_400, 0), (10 * 86_400 - 1, -1), (11 * 86_400, 1), (12 * 86_400 - 1, 1)] {
            assert_eq!(days_left(Secs(end), now), days);
        }
    }
}
