//! `place`: services by clusters with their replicas, and why. The twin of the Placement screen.

use std::fs;

use super::{Wanted, owner, wanted};
use crate::{
    cli::{
        Outcome, Setup,
        args::PlaceRun,
        complain,
        output::{self, Column, Record, Table},
    },
    desired::{
        engine::{Outcome as ServiceOutcome, Owner, Placed},
        explain,
        path::Path,
        place::{ClusterPlaced, Explanation},
    },
    messages::{Lang, desired as text},
    situation::save,
};

/// Runs the command.
pub(in crate::cli) fn run(setup: &Setup, run: &PlaceRun) -> anyhow::Result<Outcome> {
    let wanted = wanted(setup, run.live)?;
    let services = wanted.services(setup, &run.services)?;
    if let Some(file) = &run.save {
        let text = situation(&wanted, &services, setup.lang)?;
        fs::write(file, text)?;
        complain(setup.lang, &text::SAVED.fill(setup.lang, &[("file", &file.display().to_string())]));
        return Ok(Outcome::Fine);
    }
    let mut table = Table { columns: columns(setup.lang), rows: Vec::new() };
    for outcome in services {
        // Namespaces, Services and the like go with their workloads; they are told with --all, and where they go nowhere.
        for placed in outcome.placed.iter().filter(|p| run.all || runs(p) || p.objects.is_empty()) {
            rows(&wanted, outcome, placed, run.all, setup.lang, &mut table);
        }
    }
    output::print(&table, run.output.output)?;
    Ok(wanted.outcome(setup, false))
}

/// Whether an object runs Pods.
fn runs(placed: &Placed) -> bool {
    let node = &placed.template.node;
    node.at_keys(&["spec", "template", "spec"]).is_some()
        || node.at_keys(&["spec", "jobTemplate"]).is_some()
        || &*placed.key.kind == "Pod"
}

fn columns(lang: Lang) -> Vec<Column> {
    let head = |msg: crate::messages::Msg| Column::text(msg.text(lang));
    vec![
        head(text::H_OBJECT),
        head(text::H_OWNER),
        head(text::H_CLUSTER),
        Column::number(text::H_REPLICAS.text(lang)),
        head(text::H_WHY),
    ]
}

/// One row for each shown cluster that the object goes to; with `all` for the others too. An object that goes nowhere has one
/// row that says so.
fn rows(wanted: &Wanted, outcome: &ServiceOutcome, placed: &Placed, all: bool, lang: Lang, table: &mut Table) {
    let explanation = wanted.desired.explain(placed);
    let before = table.rows.len();
    for number in &wanted.shown {
        let replicas = placed.replicas(*number);
        if replicas.is_none() && !all {
            continue;
        }
        let name = wanted.cluster(*number);
        let fact = explanation.as_ref().and_then(|e| e.clusters.iter().find(|c| &*c.cluster == name));
        let why = why(wanted, placed, *number, explanation.as_ref().zip(fact), lang);
        let counted = explanation.as_ref().is_some_and(|e| e.workload);
        let made = replicas.filter(|_| counted).and_then(|n| overridden(placed, *number, n));
        let shown = match replicas {
            None => "-".to_owned(),
            Some(n) if counted => made.as_ref().map_or(n, |(n, _)| *n).to_string(),
            Some(_) => text::PRESENT.text(lang).to_owned(),
        };
        let why = match &made {
            Some((n, rule)) => text::OVERRIDDEN.fill(lang, &[("why", &why), ("n", &n.to_string()), ("rule", rule)]),
            None => why,
        };
        let mut record = record(outcome, placed, lang);
        record.put("cluster", name);
        record.put("placed", replicas.is_some());
        record.put("replicas", replicas.filter(|_| counted));
        record.put("wanted", made.map(|(n, _)| n).or(replicas).filter(|_| counted));
        record.put("why", why.as_str());
        record.put("detail", fact.and_then(|f| serde_json::to_value(f).ok()));
        record.put("failure", placed.failure(*number).map(|f| f.kind.word()));
        table.rows.push((vec![placed.key.to_string(), owner(placed, lang).0, name.to_owned(), shown, why], record));
    }
    if table.rows.len() == before {
        let why = explanation.map(|e| e.sentence(lang)).unwrap_or_default();
        let mut record = record(outcome, placed, lang);
        record.put("cluster", serde_json::Value::Null);
        record.put("placed", false);
        record.put("why", why.as_str());
        let cells = vec![placed.key.to_string(), owner(placed, lang).0, "-".to_owned(), "-".to_owned(), why];
        table.rows.push((cells, record));
    }
}

/// The replicas that an override put in the place of those dealt out, and who did; `None` where none did.
fn overridden(placed: &Placed, cluster: u32, dealt: i64) -> Option<(i64, String)> {
    let path = Path::parse("spec.replicas")?;
    let story = explain::field(placed.object(cluster)?, &path)?;
    let n = story.value.as_ref()?.as_int().filter(|n| *n != dealt)?;
    let rule = story.changes.first().map(|c| c.rule.to_string()).unwrap_or_default();
    Some((n, rule))
}

/// Why it is, or is not, in a cluster.
fn why(
    wanted: &Wanted,
    placed: &Placed,
    number: u32,
    fact: Option<(&Explanation, &ClusterPlaced)>,
    lang: Lang,
) -> String {
    if let Some(failure) = placed.failure(number) {
        return failure.outcome(lang);
    }
    if placed.followed.contains(&number) {
        return text::FOLLOWS.text(lang).to_owned();
    }
    if !placed.waits_for.is_empty() {
        return text::WAITS_FOR.fill(lang, &[("names", &placed.waits_for.join(", "))]);
    }
    match (&placed.owner, fact) {
        (_, Some((explanation, fact))) => explanation.cluster_sentence(fact, lang),
        (Owner::Source, _) if placed.replicas(number).is_some() => text::BY_SOURCE.text(lang).to_owned(),
        _ if !wanted.desired.reached(placed).iter().any(|c| &*c.name == wanted.cluster(number)) => {
            text::OTHER_SOURCE.text(lang).to_owned()
        }
        _ => text::NOBODY.text(lang).to_owned(),
    }
}

fn record(outcome: &ServiceOutcome, placed: &Placed, lang: Lang) -> Record {
    let mut record = Record::default();
    record.put("service", &*outcome.service.name);
    record.put("apiVersion", &*placed.key.api_version);
    record.put("kind", &*placed.key.kind);
    record.put("namespace", &*placed.key.namespace);
    record.put("name", &*placed.key.name);
    record.put("source", placed.source.title.as_str());
    record.put("owner", owner(placed, lang).1);
    record
}

/// The placement of the one workload that the services have, as a situation file.
fn situation(wanted: &Wanted, services: &[&std::sync::Arc<ServiceOutcome>], lang: Lang) -> anyhow::Result<String> {
    let by_policy = |p: &&std::sync::Arc<Placed>| matches!(p.owner, Owner::Policy(_));
    let all: Vec<&std::sync::Arc<Placed>> = services.iter().flat_map(|o| &o.placed).filter(by_policy).collect();
    let counted: Vec<_> = all.iter().filter(|p| wanted.desired.explain(p).is_some_and(|e| e.workload)).collect();
    let one = match (counted.as_slice(), all.as_slice()) {
        ([one], _) => **one,
        ([], [one]) => one,
        _ => anyhow::bail!(text::SAVE_ONE.fill(lang, &[("n", &all.len().to_string())])),
    };
    save::of(&wanted.desired, one, &wanted.documents).ok_or_else(|| anyhow::anyhow!(text::SAVE_NOT.text(lang)))
}
