//! One row of the Fleet screen: every value by the precedence live, annotations, declared, guessed; each fails alone.

use std::{cmp::Ordering, sync::Arc};

use super::{
    inventory::{ClusterRow, Plugin, Reading, Risk, Source},
    plugins::{self, Role, Rule},
    risk::{self, is_production},
    row::{Detail, Resources, Row},
    store::Shard,
    support::{self, parse_version},
    tally::Tally,
};
use crate::model::{Builtin, Cause, ClusterId, ImageRef, KindStatus, Millis, Secs};

/// A measurement of use that is older than so many seconds is an old one (two windows of metrics-server and some).
const USE_FRESH: u64 = 150;

/// The row of a cluster; `newest` is the newest minor version in the fleet.
pub(super) fn row(id: ClusterId, shard: &Shard, newest: Option<u16>, now: Millis) -> ClusterRow {
    let facts = &shard.facts;
    let version = facts.version.as_ref();
    let risks = risks(shard, now);
    let environment = environment(shard);
    let production = is_production(environment.value.as_deref().unwrap_or(""));
    let nodes = |value: &dyn Fn(&Tally) -> (u32, u32)| of_kind(shard, Builtin::Node, value);
    ClusterRow {
        id,
        record: Arc::clone(&shard.record),
        condition: shard.condition.clone(),
        facts: Arc::clone(facts),
        uid: of_facts(shard, facts.id.clone()),
        region: region(shard),
        zones: zones(shard),
        provider: provider(shard),
        distribution: distribution(shard),
        version: of_facts(shard, facts.version.clone()),
        support: version.map(|v| support::support(v, now)),
        behind: version.zip(newest).map(|(v, newest)| newest.saturating_sub(v.minor)),
        nodes: nodes(&|t| (t.ready, t.nodes)),
        kubelets: optional(of_kind(shard, Builtin::Node, kubelets)),
        skew: version.map_or_else(Vec::new, |v| support::skew(v, shard.tally.kubelets.iter().map(|(k, n)| (&**k, n)))),
        allocatable: of_kind(shard, Builtin::Node, |t| t.allocatable),
        requested: of_kind(shard, Builtin::Pod, |t| t.requested),
        used: used(shard, now),
        pods: of_kind(shard, Builtin::Pod, |t| (t.pods_well, t.pods)),
        workloads: workloads(shard),
        cni: cni(shard),
        csi: csi(shard),
        plugins: others(shard),
        certificate: of_facts(shard, facts.certificate.clone()),
        credential: of_facts(shard, facts.credential.expires),
        team: ledger_or(shard, "team", Some(&shard.record.team)),
        tier: ledger_or(shard, "tier", Some(&shard.record.tier)),
        systems: systems(shard),
        contacts: contacts(shard),
        created: created(shard),
        score: risk::score(&risks, production),
        environment,
        risks,
    }
}

/// What is wrong with a cluster, worst first.
pub(super) fn risks(shard: &Shard, now: Millis) -> Vec<Risk> {
    let environment = ledger(shard, "environment").unwrap_or(&shard.record.environment);
    let has_contacts = !shard.record.contacts.is_empty() || ledger(shard, "contacts").is_some();
    risk::risks(shard, now, is_production(environment), has_contacts)
}

/// A value that was read from the cluster's kind, with the reason when it is old or missing.
fn of_kind<T>(shard: &Shard, kind: Builtin, value: impl FnOnce(&Tally) -> T) -> Reading<T> {
    let (source, why) = state_of(shard, kind);
    let known = source != Source::Unknown;
    Reading {
        value: known.then(|| value(&shard.tally)),
        source,
        at: if known { shard.confirmed_at(kind.id()) } else { Millis(0) },
        why,
        declared: None,
    }
}

/// How far a kind's rows can be trusted, and why not further. A forbidden kind has no value, whatever was known before:
/// what may not be read is not shown.
fn state_of(shard: &Shard, kind: Builtin) -> (Source, Option<Cause>) {
    let has_rows = shard.table(kind.id()).is_some_and(|t| t.len() > 0);
    let known = if has_rows { Source::LastKnown } else { Source::Unknown };
    let status = shard.kind(kind.id());
    if let KindStatus::Forbidden(cause) = status {
        return (Source::Unknown, Some(cause.clone()));
    }
    if !shard.is_talking() {
        return (known, shard.condition.cause.clone());
    }
    match status {
        KindStatus::Live | KindStatus::Polling => (Source::Live, None),
        KindStatus::Stale(cause) | KindStatus::Failing(cause) => (known, Some(cause.clone())),
        _ => (known, None),
    }
}

fn of_facts<T>(shard: &Shard, value: Option<T>) -> Reading<T> {
    let source = match &value {
        None => Source::Unknown,
        Some(_) if shard.is_talking() => Source::Live,
        Some(_) => Source::LastKnown,
    };
    let at = if value.is_some() { shard.condition.heard } else { Millis(0) };
    let why = if source == Source::Live { None } else { shard.condition.cause.clone() };
    Reading { value, source, at, why, declared: None }
}

/// Turns "read, and there is nothing" into a value that is missing but read.
fn optional<T>(reading: Reading<Option<T>>) -> Reading<T> {
    let Reading { value, source, at, why, declared } = reading;
    Reading { value: value.flatten(), source, at, why, declared: declared.flatten() }
}

/// Falls back to what was declared; a declared value that disagrees with the live one is kept beside it.
fn or_declared<T: PartialEq>(mut live: Reading<T>, declared: Option<T>) -> Reading<T> {
    match (&live.value, declared) {
        (Some(value), Some(declared)) if *value != declared => live.declared = Some(declared),
        (None, Some(declared)) => {
            return Reading { value: Some(declared), source: Source::Declared, at: Millis(0), ..live };
        }
        _ => {}
    }
    live
}

fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn kube_system(shard: &Shard) -> Option<&Row> {
    let table = shard.table(Builtin::Namespace.id())?;
    table.get(table.find("", "kube-system")?)
}

/// A ledger entry on the namespace kube-system.
fn ledger<'a>(shard: &'a Shard, key: &str) -> Option<&'a str> {
    let Detail::Namespace(n) = &kube_system(shard)?.detail else { return None };
    n.ledger.iter().find(|(k, v)| &**k == key && !v.is_empty()).map(|(_, v)| &**v)
}

fn ledger_or(shard: &Shard, key: &str, declared: Option<&str>) -> Reading<String> {
    let live = of_kind(shard, Builtin::Namespace, |_| ledger(shard, key).map(str::to_owned));
    or_declared(optional(live), declared.and_then(given))
}

fn environment(shard: &Shard) -> Reading<String> {
    let mut reading = ledger_or(shard, "environment", Some(&shard.record.environment));
    if reading.source == Source::Declared && shard.record.environment_guessed {
        reading.source = Source::Guessed;
    }
    // A guess that the cluster contradicts was wrong: no disagreement to show.
    if shard.record.environment_guessed {
        reading.declared = None;
    }
    reading
}

fn region(shard: &Shard) -> Reading<String> {
    let live = of_kind(shard, Builtin::Node, |t| {
        let names: Vec<String> = t.regions.frequent().iter().map(|(name, _)| name.to_string()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    });
    or_declared(optional(live), given(&shard.record.region))
}

fn zones(shard: &Shard) -> Reading<Vec<(String, u32)>> {
    let live = of_kind(shard, Builtin::Node, |t| {
        let zones: Vec<(String, u32)> = t.zones.iter().map(|(zone, n)| (zone.to_string(), n)).collect();
        (!zones.is_empty()).then_some(zones)
    });
    let mut live = optional(live);
    let declared = &shard.record.zones;
    if declared.is_empty() {
        return live;
    }
    let same = live
        .value
        .as_ref()
        .is_none_or(|zones| zones.len() == declared.len() && zones.iter().all(|(zone, _)| declared.contains(zone)));
    let declared: Vec<(String, u32)> = declared.iter().map(|zone| (zone.clone(), 0)).collect();
    if live.value.is_none() {
        return or_declared(live, Some(declared));
    }
    live.declared = (!same).then_some(declared);
    live
}

fn provider(shard: &Shard) -> Reading<String> {
    let live = of_kind(shard, Builtin::Node, |t| {
        let mut names: Vec<String> =
            t.providers.frequent().iter().map(|(scheme, _)| plugins::provider_of_scheme(scheme)).collect();
        names.dedup();
        (!names.is_empty()).then(|| names.join(", "))
    });
    or_declared(optional(live), given(&shard.record.provider))
}

/// Marks of a distribution, each with the provider schemes that agree with it.
fn distribution(shard: &Shard) -> Reading<String> {
    let mut marks: Vec<&'static str> = Vec::new();
    marks.extend(shard.facts.version.as_ref().and_then(|v| plugins::distribution_of_version(&v.git)));
    marks.extend(shard.tally.label_marks.iter().filter_map(|(label, _)| plugins::distribution_of_label(label)));
    let groups = &shard.facts.groups;
    let served = |group: &str| groups.iter().any(|g| g.split('/').next() == Some(group));
    marks.extend(["config.openshift.io", "route.openshift.io"].iter().filter(|g| served(g)).map(|_| "OpenShift"));
    let schemes = shard.tally.providers.iter();
    let agreeing: Vec<&'static str> =
        schemes.filter_map(|(scheme, _)| plugins::distribution_of_scheme(scheme, &marks)).collect();
    marks.extend(agreeing);
    let kubeadm = shard.table(Builtin::ConfigMap.id()).and_then(|t| t.find("kube-system", "kubeadm-config"));
    if kubeadm.is_some() && marks.is_empty() {
        marks.push("kubeadm");
    }
    let count = |name: &&'static str| marks.iter().filter(|m| *m == name).count();
    let mut names: Vec<&'static str> = marks.clone();
    names.sort_by(|a, b| count(b).cmp(&count(a)).then(a.cmp(b)));
    names.dedup();
    let mut reading = of_facts(shard, (!names.is_empty()).then(|| names.join(", ")));
    if reading.value.is_none() {
        reading = of_facts(shard, plugins::distribution_of_server(&shard.record.server).map(str::to_owned));
        reading.source = if reading.value.is_some() { Source::Guessed } else { Source::Unknown };
    } else if names.first().is_some_and(|first| count(first) < 2) && reading.source == Source::Live {
        reading.source = Source::Guessed;
    }
    reading
}

fn kubelets(tally: &Tally) -> Option<(String, String)> {
    let order = |a: &&str, b: &&str| match (parse_version(a), parse_version(b)) {
        (Some(x), Some(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (x, y) => x.is_some().cmp(&y.is_some()).then_with(|| a.cmp(b)),
    };
    let all = || tally.kubelets.iter().map(|(k, _)| &**k);
    Some((all().min_by(order)?.to_owned(), all().max_by(order)?.to_owned()))
}

fn used(shard: &Shard, now: Millis) -> Reading<Resources> {
    let Some((cpu_m, mem, at)) = shard.facts.usage else { return Reading::unknown() };
    let fresh = shard.is_talking() && now.since(Millis::from(at)).0 <= USE_FRESH;
    Reading {
        value: Some(Resources { cpu_m, mem, pods: 0 }),
        source: if fresh { Source::Live } else { Source::LastKnown },
        at: Millis::from(at),
        why: if fresh { None } else { shard.condition.cause.clone() },
        declared: None,
    }
}

/// Workloads by health. Where some of the kinds may not be read the others still count, and the reason is there.
fn workloads(shard: &Shard) -> Reading<(u32, u32, u32)> {
    const KINDS: [Builtin; 5] =
        [Builtin::Deployment, Builtin::StatefulSet, Builtin::DaemonSet, Builtin::CronJob, Builtin::Job];
    let [ok, warn, bad] = shard.tally.workloads;
    let states: Vec<(Source, Option<Cause>)> = KINDS.iter().map(|k| state_of(shard, *k)).collect();
    let live = states.iter().filter(|(source, _)| *source == Source::Live).count();
    let why = states.iter().find_map(|(_, why)| why.clone());
    let known = states.iter().any(|(source, _)| *source != Source::Unknown);
    let source = match (live == KINDS.len(), known) {
        (true, _) => Source::Live,
        (false, true) => Source::LastKnown,
        (false, false) => Source::Unknown,
    };
    let at = KINDS.iter().map(|k| shard.confirmed_at(k.id())).max().unwrap_or_default();
    Reading {
        value: known.then_some((ok, warn, bad)),
        source,
        at: if known { at } else { Millis(0) },
        why,
        declared: None,
    }
}

/// The plug-ins whose rule passes, with version and coverage.
fn known_plugins<'a>(
    shard: &'a Shard,
    wanted: impl Fn(&Rule) -> bool + 'a,
) -> impl Iterator<Item = (&'static Rule, Plugin)> + 'a {
    shard.tally.plugins.iter().filter(move |(_, rule)| wanted(rule)).filter_map(|((kind, slot), rule)| {
        let row = shard.table(*kind)?.get(*slot)?;
        let w = row.workload()?;
        let agent = w.containers.iter().find(|c| !rule.container.is_empty() && &*c.name == rule.container);
        let agent = agent.or_else(|| w.containers.iter().find(|c| !c.init));
        let plugin = Plugin {
            name: rule.name.to_owned(),
            version: agent.map_or("", |c| ImageRef::parse(&c.image).version()).to_owned(),
            role: rule.role.word().to_owned(),
            coverage: (w.ready, w.wanted.unwrap_or(0)),
            guessed: false,
        };
        Some((*rule, plugin))
    })
}

/// Whether something beside its DaemonSet says that a network plug-in is there: its API group, or a mark on a node.
fn has_second_mark(shard: &Shard, rule: &Rule) -> bool {
    let group = |suffix: &str| {
        let fits = |g: &String| g.split('/').next().is_some_and(|g| g == suffix || g.ends_with(&format!(".{suffix}")));
        shard.facts.groups.iter().any(fits)
    };
    let mark = |prefix: &str| shard.tally.marks.iter().any(|(m, _)| m.starts_with(prefix) || prefix.starts_with(&**m));
    rule.groups.iter().any(|g| group(g)) || rule.marks.iter().any(|m| mark(m))
}

fn cni(shard: &Shard) -> Reading<Vec<Plugin>> {
    let mut reading = of_kind(shard, Builtin::DaemonSet, |_| networks(shard));
    // The nodes' own marks still tell something where DaemonSets may not be read.
    if reading.value.as_ref().is_none_or(Vec::is_empty) {
        let guessed = of_kind(shard, Builtin::Node, |_| networks_by_marks(shard));
        if guessed.value.as_ref().is_some_and(|v| !v.is_empty()) {
            reading.value = guessed.value;
            reading.at = guessed.at;
            reading.source = guessed.source;
        }
    }
    reading
}

fn networks(shard: &Shard) -> Vec<Plugin> {
    let mut all: Vec<Plugin> = known_plugins(shard, |r| matches!(r.role, Role::Network | Role::Secondary))
        .map(|(rule, plugin)| Plugin { guessed: !has_second_mark(shard, rule), ..plugin })
        .collect();
    // Of two primaries (left-overs of a migration) the one that is ready on most nodes is it.
    let place = |p: &Plugin| plugins::RULES.iter().position(|r| r.name == p.name).unwrap_or(usize::MAX);
    all.sort_by(|a, b| {
        (a.role == "secondary")
            .cmp(&(b.role == "secondary"))
            .then_with(|| b.coverage.0.cmp(&a.coverage.0))
            .then_with(|| place(a).cmp(&place(b)))
    });
    for plugin in all.iter_mut().skip(1).filter(|p| p.role == "primary") {
        "residue".clone_into(&mut plugin.role);
    }
    all
}

/// A network plug-in without a DaemonSet of its own: built into the distribution, or the cloud's routes.
fn networks_by_marks(shard: &Shard) -> Vec<Plugin> {
    let nodes = |prefix: &str| {
        shard.tally.marks.iter().filter(|(m, _)| m.starts_with(prefix)).map(|(_, n)| n).max().unwrap_or(0)
    };
    let made = |name: &str, n: u32| Plugin {
        name: name.to_owned(),
        version: String::new(),
        role: Role::Network.word().to_owned(),
        coverage: (n, shard.tally.nodes),
        guessed: true,
    };
    let by_rule = plugins::RULES.iter().filter(|r| r.role == Role::Network).find_map(|rule| {
        let n = rule.marks.iter().map(|m| nodes(m)).max().filter(|n| *n > 0)?;
        Some(made(rule.name, n))
    });
    let routes = || Some(nodes("RouteCreated")).filter(|n| *n > 0).map(|n| made("cloud routes", n));
    by_rule.or_else(routes).into_iter().collect()
}

fn csi(shard: &Shard) -> Reading<Vec<Plugin>> {
    let nodes = of_kind(shard, Builtin::CsiNode, |_| ());
    let drivers = |coverage: &dyn Fn(&str) -> (u32, u32)| {
        let installed = shard.table(Builtin::CsiDriver.id()).into_iter().flat_map(super::table::Table::iter);
        let mut names: Vec<String> = installed.map(|(_, row)| row.name.to_string()).collect();
        names.extend(shard.tally.drivers.iter().map(|(name, _)| name.to_string()));
        names.sort_unstable();
        names.dedup();
        let made = |name: String| Plugin {
            version: String::new(),
            role: "csi".to_owned(),
            coverage: coverage(&name),
            guessed: false,
            name,
        };
        names.into_iter().map(made).collect::<Vec<_>>()
    };
    let mut reading = of_kind(shard, Builtin::CsiDriver, |tally| {
        // Without the nodes' part nothing can be said of coverage.
        drivers(&|name| if nodes.value.is_some() { (tally.drivers.get(name), tally.schedulable) } else { (0, 0) })
    });
    if reading.why.is_none() {
        reading.why = nodes.why;
    }
    reading
}

fn others(shard: &Shard) -> Reading<Vec<Plugin>> {
    of_kind(shard, Builtin::Deployment, |_| {
        let mut all: Vec<Plugin> = known_plugins(shard, |r| !matches!(r.role, Role::Network | Role::Secondary))
            .map(|(_, plugin)| plugin)
            .collect();
        // Not ready first.
        let ready = |p: &Plugin| p.coverage.0 >= p.coverage.1;
        all.sort_by(|a, b| match ready(a).cmp(&ready(b)) {
            Ordering::Equal => a.name.cmp(&b.name),
            order => order,
        });
        all
    })
}

fn list(text: &str) -> Vec<String> {
    text.split([',', ';', '\n']).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Business systems: by `part-of` of the workloads and by the ledger together, else as declared.
fn systems(shard: &Shard) -> Reading<Vec<String>> {
    let live = of_kind(shard, Builtin::Namespace, |tally| {
        let mut all: Vec<String> = tally.systems.iter().map(|(name, _)| name.to_string()).collect();
        all.extend(ledger(shard, "systems").map(list).unwrap_or_default());
        all.sort();
        all.dedup();
        (!all.is_empty()).then_some(all)
    });
    let mut declared = shard.record.systems.clone();
    declared.sort();
    or_declared(optional(live), (!declared.is_empty()).then_some(declared))
}

fn contacts(shard: &Shard) -> Reading<Vec<String>> {
    let live = of_kind(shard, Builtin::Namespace, |_| ledger(shard, "contacts").map(list));
    let declared: Vec<String> = shard
        .record
        .contacts
        .iter()
        .map(|c| if c.reach.is_empty() { c.name.clone() } else { format!("{} {}", c.name, c.reach) })
        .collect();
    or_declared(optional(live), (!declared.is_empty()).then_some(declared))
}

fn created(shard: &Shard) -> Reading<Secs> {
    optional(of_kind(shard, Builtin::Namespace, |_| kube_system(shard).map(|row| row.created)))
}
