//! `whatif`: what would go elsewhere if a cluster were lost, added or tainted, a weight, a capacity or a policy changed.

use std::{fs, path::Path, sync::Arc};

use super::{Wanted, wanted};
use crate::{
    cli::{
        Outcome, Setup,
        args::WhatIfRun,
        output::{self, Column, Record, Table},
        problem_line,
    },
    desired::{
        cluster::Cluster,
        engine::Desired,
        object::Object,
        origin::{Source, SourceKind},
        policy::PolicyId,
        source::documents,
        whatif::{self, Change, Move, Refusal},
    },
    messages::{Lang, desired as text},
    model::Taint,
};

/// Runs the command.
pub(in crate::cli) fn run(setup: &Setup, run: &WhatIfRun) -> anyhow::Result<Outcome> {
    let wanted = wanted(setup, run.live)?;
    let changes = changes(setup, run, &wanted)?;
    if changes.is_empty() {
        anyhow::bail!(text::WHATIF_NOTHING.text(setup.lang));
    }
    let then = whatif::suppose(&wanted.desired, &changes).map_err(|r| anyhow::anyhow!(refusal(&r, setup.lang)))?;
    let moves = whatif::moves(&wanted.desired, &then);
    output::print(&table(&moves, &then, setup.lang), run.output.output)?;
    Ok(wanted.outcome(setup, run.exit_code && !moves.is_empty()))
}

fn changes(setup: &Setup, run: &WhatIfRun, wanted: &Wanted) -> anyhow::Result<Vec<Change>> {
    let bad = |flag: &str, value: &str, form: &str| {
        anyhow::anyhow!(text::WHATIF_FORM.fill(setup.lang, &[("flag", flag), ("value", value), ("form", form)]))
    };
    let mut changes: Vec<Change> = run.lose.iter().map(|name| Change::Lost(name.as_str().into())).collect();
    for value in &run.taint {
        let (cluster, taint) = taint(value).ok_or_else(|| bad("--taint", value, "CLUSTER=KEY[=VALUE]:EFFECT"))?;
        changes.push(Change::Tainted(cluster, taint));
    }
    for value in &run.room {
        let parsed = value.split_once('=').and_then(|(c, n)| Some((c, n.parse::<i64>().ok().filter(|n| *n >= 0)?)));
        let (cluster, n) = parsed.ok_or_else(|| bad("--room", value, "CLUSTER=NUMBER"))?;
        changes.push(Change::Available(cluster.into(), n));
    }
    for value in &run.weight {
        changes.push(weight(value, wanted).ok_or_else(|| bad("--weight", value, "POLICY:CLUSTER=NUMBER"))?);
    }
    for value in &run.add {
        changes.push(Change::Added(Box::new(
            added(value).ok_or_else(|| bad("--add", value, "NAME[,region=R][,label.KEY=V]..."))?,
        )));
    }
    for file in &run.policy {
        changes.extend(policies(setup, file)?.into_iter().map(Change::Policy));
    }
    for value in &run.without {
        let id = policy(value, wanted).ok_or_else(|| bad("--without", value, "[KIND/][NAMESPACE/]NAME"))?;
        changes.push(Change::WithoutPolicy(id));
    }
    if run.fresh {
        changes.push(Change::Rescheduled);
    }
    Ok(changes)
}

/// `CLUSTER=KEY[=VALUE]:EFFECT`, as `kubectl taint` writes the latter part.
fn taint(text: &str) -> Option<(Arc<str>, Taint)> {
    let (cluster, rest) = text.split_once('=')?;
    let (pair, effect) = rest.rsplit_once(':')?;
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let known = ["NoSchedule", "PreferNoSchedule", "NoExecute"].contains(&effect);
    (known && !key.is_empty())
        .then(|| (cluster.into(), Taint { key: key.to_owned(), value: value.to_owned(), effect: effect.to_owned() }))
}

fn weight(text: &str, wanted: &Wanted) -> Option<Change> {
    let (name, rest) = text.split_once(':')?;
    let (cluster, n) = rest.split_once('=')?;
    let weight = n.parse::<i64>().ok().filter(|n| *n >= 0)?;
    Some(Change::Weighted { policy: policy(name, wanted)?, cluster: cluster.into(), weight })
}

/// A policy by name, where needed with namespace and kind before it.
fn policy(text: &str, wanted: &Wanted) -> Option<PolicyId> {
    let policies = &wanted.desired.inputs.policies;
    let ids = policies.placements.iter().map(|p| &p.id).chain(policies.overrides.iter().map(|p| &p.id));
    let parts: Vec<&str> = text.split('/').collect();
    let fits = |id: &PolicyId| match parts.as_slice() {
        [name] => *id.name == **name,
        [space, name] => *id.name == **name && (*id.namespace == **space || *id.kind == **space),
        [kind, space, name] => *id.name == **name && *id.namespace == **space && *id.kind == **kind,
        _ => false,
    };
    let found = ids.into_iter().find(|id| fits(id));
    found.cloned()
}

/// `NAME,region=eu,zone=a,provider=p,environment=e,tier=1,room=5,label.KEY=VALUE`.
fn added(text: &str) -> Option<Cluster> {
    let mut parts = text.split(',');
    let mut cluster = Cluster { name: parts.next().filter(|n| !n.is_empty())?.into(), ..Cluster::default() };
    for part in parts {
        let (key, value) = part.split_once('=')?;
        let value = value.to_owned();
        match key {
            "region" => cluster.region = value,
            "zone" => cluster.zones.push(value),
            "provider" => cluster.provider = value,
            "environment" | "env" => cluster.environment = value,
            "tier" => cluster.tier = value,
            "team" => cluster.team = value,
            "group" => cluster.groups.push(value),
            "room" => cluster.available = Some(value.parse().ok()?),
            _ => {
                let label = key.strip_prefix("label.")?;
                cluster.labels.insert(label.to_owned(), value);
            }
        }
    }
    Some(cluster)
}

fn policies(setup: &Setup, file: &Path) -> anyhow::Result<Vec<Arc<Object>>> {
    let shown = file.display().to_string();
    let content = fs::read_to_string(file).map_err(|e| {
        anyhow::anyhow!(text::SITUATION_UNREADABLE.fill(setup.lang, &[("detail", &format!("{shown}: {e}"))]))
    })?;
    let source = Source::new(SourceKind::Policy, shown);
    match documents::objects(&content, &source) {
        Ok(contents) => Ok(contents.objects.into_iter().map(Arc::new).collect()),
        Err(broken) => anyhow::bail!(problem_line(&broken.fault(file).problem(setup.lang))),
    }
}

/// Why a supposition cannot be followed, in words.
pub(in crate::cli) fn refusal(refusal: &Refusal, lang: Lang) -> String {
    match refusal {
        Refusal::NoCluster(name) => text::WHATIF_NO_CLUSTER.fill(lang, &[("name", name)]),
        Refusal::NoPolicy(id) => text::WHATIF_NO_POLICY.fill(lang, &[("name", &id.to_string())]),
        Refusal::NoWeights(id) => text::WHATIF_NO_WEIGHTS.fill(lang, &[("name", &id.to_string())]),
        Refusal::Unknown(key) => text::WHATIF_UNKNOWN.fill(lang, &[("name", &key.to_string())]),
        Refusal::Broken(faults) => faults.iter().map(|f| problem_line(&f.problem(lang))).collect::<Vec<_>>().join("; "),
    }
}

/// Why a placement fails then, in a sentence; nothing where it does not.
fn why(moved: &Move, then: &Desired, lang: Lang) -> String {
    let failing = then
        .named(&moved.object)
        .find(|(o, p)| moved.failure.is_some() && o.service.name == moved.service && p.refusal() == moved.failure);
    failing.and_then(|(_, placed)| then.explain(placed)).map(|e| e.sentence(lang)).unwrap_or_default()
}

fn table(moves: &[Move], then: &Desired, lang: Lang) -> Table {
    let head = |msg: crate::messages::Msg| Column::text(msg.text(lang));
    let number = |msg: crate::messages::Msg| Column::number(msg.text(lang));
    let mut table = Table {
        columns: vec![
            head(text::H_OBJECT),
            head(text::H_CLUSTER),
            number(text::H_NOW),
            number(text::H_THEN),
            head(text::H_WHY),
        ],
        rows: Vec::new(),
    };
    // What has no replicas is there or not.
    let word = |n: Option<i64>| match n {
        None => "-".to_owned(),
        Some(0) => text::PRESENT.text(lang).to_owned(),
        Some(n) => n.to_string(),
    };
    for moved in moves {
        let why = why(moved, then, lang);
        let record = |cluster: Option<&str>, now: Option<i64>, then: Option<i64>| {
            let mut record = Record::default();
            record.put("service", &*moved.service);
            record.put("object", moved.object.to_string());
            record.put("cluster", cluster);
            record.put("now", now);
            record.put("then", then);
            record.put("failure", moved.failure.map(|f| f.word()));
            record.put("stays", moved.stays);
            record
        };
        if moved.clusters.is_empty() {
            let cells = vec![moved.object.to_string(), String::new(), String::new(), String::new(), why.clone()];
            table.rows.push((cells, record(None, None, None)));
        }
        for (cluster, now, then) in &moved.clusters {
            let cells = vec![moved.object.to_string(), cluster.to_string(), word(*now), word(*then), why.clone()];
            table.rows.push((cells, record(Some(cluster), *now, *then)));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suppositions_are_read_as_documented() {
        let (cluster, read) = taint("eu=gpu=yes:NoSchedule").unwrap();
        assert_eq!(
            (&*cluster, read.key.as_str(), read.value.as_str(), read.effect.as_str()),
            ("eu", "gpu", "yes", "NoSchedule")
        );
        assert_eq!(taint("eu=gpu:NoExecute").unwrap().1.value, "");
        assert!(taint("eu=gpu:Never").is_none() && taint("eu:NoSchedule").is_none());
        let cluster = added("eu-9,region=eu,zone=a,zone=b,room=4,label.tier=gold").unwrap();
        assert_eq!((cluster.region.as_str(), cluster.zones.len(), cluster.available), ("eu", 2, Some(4)));
        assert_eq!(cluster.labels["tier"], "gold");
        assert!(added("").is_none() && added("x,colour=red").is_none());
    }
}
