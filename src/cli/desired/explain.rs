//! `explain`: where a field of an object comes from in each cluster: the file and line, and every rule that changed it.

use std::fs;

use super::{tools, wanted};
use crate::{
    cli::{
        Outcome, Setup,
        args::ExplainRun,
        complain,
        output::{self, Column, Record, Table},
    },
    desired::{
        explain::{self, Deed, Story},
        mask,
        object::Object,
        path::Path,
        tree::Node,
    },
    messages::{Lang, desired as text},
    render::{Evidence, story::Teller},
    situation::save,
};

/// Most fields whose places are proved with the tool: each costs a few of its runs.
const MOST_TRACED: usize = 12;

/// Runs the command.
pub(in crate::cli) fn run(setup: &Setup, run: &ExplainRun) -> anyhow::Result<Outcome> {
    let wanted = wanted(setup, run.live)?;
    let path = match run.field.as_deref().map(Path::parse) {
        None => None,
        Some(Some(path)) => Some(path),
        Some(None) => {
            let field = run.field.as_deref().unwrap_or_default();
            anyhow::bail!(text::BAD_PATH.fill(setup.lang, &[("path", field)]));
        }
    };
    let tools = tools(setup);
    if let Some(file) = &run.save {
        let mut all = wanted.objects(setup, &run.object)?.into_iter().flat_map(|(_, placed)| {
            wanted.shown.iter().filter_map(|n| save::overrides(&wanted.desired, placed, *n, &wanted.documents))
        });
        let (Some(text), None) = (all.next(), all.next()) else {
            anyhow::bail!(text::SAVE_ONE_CLUSTER.text(setup.lang));
        };
        fs::write(file, text)?;
        complain(setup.lang, &text::SAVED.fill(setup.lang, &[("file", &file.display().to_string())]));
        return Ok(Outcome::Fine);
    }
    let mut table = Table { columns: columns(setup.lang), rows: Vec::new() };
    let mut somewhere = false;
    for (outcome, placed) in wanted.objects(setup, &run.object)? {
        // Clusters that share an object share its story.
        let mut told: Vec<(&std::sync::Arc<Object>, Vec<&str>)> = Vec::new();
        for (number, object) in placed.objects.iter().filter(|(n, _)| wanted.shown.contains(n)) {
            match told.iter_mut().find(|(o, _)| std::sync::Arc::ptr_eq(o, object)) {
                Some((_, clusters)) => clusters.push(wanted.cluster(*number)),
                None => told.push((object, vec![wanted.cluster(*number)])),
            }
        }
        somewhere |= !told.is_empty();
        for (object, clusters) in told {
            let paths = match &path {
                Some(path) => within(object, path),
                None => object.node.leaves().into_iter().map(|(path, _)| path).collect(),
            };
            let (declared, fleet) = (&setup.settings.desired, &wanted.desired.inputs.clusters);
            let teller = Teller::new(declared, fleet, outcome, placed, clusters[0]);
            let teller = teller.filter(|_| paths.len() <= MOST_TRACED);
            for mut story in paths.iter().filter_map(|p| explain::field(object, p)) {
                // Places of rendered sources are found by reading; for a few fields that were asked for they are proved.
                let evidence = teller.as_ref().and_then(|t| t.prove(&mut story, &tools));
                table.rows.push(row(object, &clusters, &story, evidence, setup.lang));
            }
        }
    }
    if table.rows.is_empty() {
        // Without any field the object itself is not there: it goes nowhere, or its overrides fail.
        let (msg, field) = match run.field.as_deref().filter(|_| somewhere) {
            Some(field) => (text::NO_FIELD, field),
            None => (text::NOT_RENDERED, ""),
        };
        anyhow::bail!(msg.fill(setup.lang, &[("object", &run.object), ("path", field)]));
    }
    output::print(&table, run.output.output)?;
    Ok(wanted.outcome(setup, false))
}

/// The leaves at or below a path; the path itself where something was taken away there.
fn within(object: &Object, path: &Path) -> Vec<Path> {
    let Some(node) = object.node.at(path) else { return vec![path.clone()] };
    let below = |rest: Path| Path(path.0.iter().cloned().chain(rest.0).collect());
    node.leaves().into_iter().map(|(rest, _)| below(rest)).collect()
}

fn columns(lang: Lang) -> Vec<Column> {
    [text::H_FIELD, text::H_VALUE, text::H_PLACE, text::H_BY, text::H_BEFORE, text::H_IN]
        .into_iter()
        .map(|msg| Column::text(msg.text(lang)))
        .collect()
}

fn row(
    object: &Object,
    clusters: &[&str],
    story: &Story,
    evidence: Option<Evidence>,
    lang: Lang,
) -> (Vec<String>, Record) {
    let secret = mask::is_secret(&object.key, &story.path);
    let value = shown(story.value.as_ref(), secret, lang);
    let place = story.place().map(ToString::to_string).unwrap_or_default();
    let by = story.changes.first().map(|c| c.rule.to_string()).unwrap_or_default();
    let before: Vec<String> = story
        .changes
        .iter()
        .filter_map(|c| match &c.deed {
            Deed::Created => None,
            Deed::Replaced(old) | Deed::Removed(old) => Some(shown(Some(old), secret, lang)),
        })
        .chain(story.written.as_ref().filter(|_| !story.changes.is_empty()).map(ToString::to_string))
        .collect();
    let mut record = Record::default();
    record.put("object", object.key.to_string());
    record.put("clusters", clusters.iter().map(|c| (*c).into()).collect::<Vec<serde_json::Value>>());
    record.put("field", story.path.to_string());
    record.put("value", json(story.value.as_ref(), secret));
    record.put("place", place.as_str());
    record.put("source", story.place().map_or("unknown", |at| at.source.kind.word()));
    record.put("changes", changes(story, secret));
    record.put("written", story.written.as_ref().map(ToString::to_string));
    record.put("evidence", evidence.map(Evidence::word));
    let cells = vec![story.path.to_string(), value, place, by, before.join(" < "), clusters.join(", ")];
    (cells, record)
}

fn changes(story: &Story, secret: bool) -> Vec<serde_json::Value> {
    let one = |change: &explain::Chapter| {
        let (deed, old) = match &change.deed {
            Deed::Created => ("created", None),
            Deed::Replaced(old) => ("replaced", Some(old)),
            Deed::Removed(old) => ("removed", Some(old)),
        };
        serde_json::json!({
            "rule": change.rule.to_string(), "at": change.rule.at.to_string(), "deed": deed, "before": json(old, secret),
        })
    };
    story.changes.iter().map(one).collect()
}

fn json(value: Option<&Node>, secret: bool) -> serde_json::Value {
    match value {
        Some(_) if secret => mask::MASK.into(),
        Some(node) => node.to_json(),
        None => serde_json::Value::Null,
    }
}

fn shown(value: Option<&Node>, secret: bool, lang: Lang) -> String {
    match value {
        None => text::TAKEN_AWAY.text(lang).to_owned(),
        Some(_) if secret => mask::MASK.to_owned(),
        Some(node) => node.as_str().map_or_else(|| node.to_json().to_string(), str::to_owned),
    }
}
