//! `differences`: what is not the same in every cluster, each value with its cause; what nothing declared explains is a finding.

use super::{Wanted, wanted};
use crate::{
    cli::{
        Outcome, Setup,
        args::DifferencesRun,
        output::{self, Column, Record, Table},
    },
    desired::{
        differences::{self, Cause, Reading, Row},
        mask,
    },
    messages::{Lang, desired as text},
};

/// Runs the command.
pub(in crate::cli) fn run(setup: &Setup, run: &DifferencesRun) -> anyhow::Result<Outcome> {
    let wanted = wanted(setup, run.live)?;
    let services = wanted.services(setup, &run.services)?;
    let mut rows: Vec<(String, Row)> = services
        .iter()
        .flat_map(|o| differences::of(o).into_iter().map(|row| (o.service.name.to_string(), row)))
        .filter_map(|(service, row)| Some((service, shown(&wanted, row)?)))
        .filter(|(_, row)| !run.findings || !row.explained)
        .collect();
    // Findings first; otherwise the order of the objects.
    rows.sort_by_key(|(_, row)| row.explained);
    let findings = rows.iter().any(|(_, row)| !row.explained);
    output::print(&table(&wanted, &rows, setup.lang), run.output.output)?;
    Ok(wanted.outcome(setup, run.exit_code && findings))
}

/// The row for the clusters that are shown; `None` when these do not differ.
fn shown(wanted: &Wanted, mut row: Row) -> Option<Row> {
    for reading in &mut row.readings {
        reading.clusters.retain(|c| wanted.shown.contains(c));
    }
    row.readings.retain(|r| !r.clusters.is_empty());
    (row.readings.len() > 1).then_some(row)
}

fn table(wanted: &Wanted, rows: &[(String, Row)], lang: Lang) -> Table {
    let head = |msg: crate::messages::Msg| Column::text(msg.text(lang));
    let mut table = Table {
        columns: vec![
            head(text::H_FINDING),
            head(text::H_OBJECT),
            head(text::H_FIELD),
            head(text::H_VALUE),
            head(text::H_IN),
            head(text::H_CAUSE),
        ],
        rows: Vec::new(),
    };
    for (service, row) in rows {
        for reading in &row.readings {
            let clusters: Vec<&str> = reading.clusters.iter().map(|c| wanted.cluster(*c)).collect();
            let (cause, place) = cause(&reading.cause, lang);
            let value = value(row, reading, lang);
            let mut record = Record::default();
            record.put("service", service.as_str());
            record.put("object", row.object.to_string());
            record.put("field", row.field.as_str());
            record.put("explained", row.explained);
            record.put("value", json(row, reading));
            record.put("clusters", clusters.iter().map(|c| (*c).into()).collect::<Vec<serde_json::Value>>());
            record.put("cause", cause.as_str());
            record.put("place", place);
            let finding = if row.explained { "" } else { text::FINDING.text(lang) };
            let cells =
                vec![finding.to_owned(), row.object.to_string(), row.field.clone(), value, clusters.join(", "), cause];
            table.rows.push((cells, record));
        }
    }
    table
}

fn value(row: &Row, reading: &Reading, lang: Lang) -> String {
    match &reading.value {
        None => text::ABSENT.text(lang).to_owned(),
        Some(_) if row.field.is_empty() => text::PRESENT.text(lang).to_owned(),
        Some(_) if row.masked => mask::MASK.to_owned(),
        Some(node) => node.as_str().map_or_else(|| node.to_json().to_string(), str::to_owned),
    }
}

fn json(row: &Row, reading: &Reading) -> serde_json::Value {
    match &reading.value {
        None => serde_json::Value::Null,
        Some(_) if row.masked => mask::MASK.into(),
        Some(node) => node.to_json(),
    }
}

/// A cause in words, and its place.
fn cause(cause: &Cause, lang: Lang) -> (String, Option<String>) {
    match cause {
        Cause::Rule(rule) => (format!("{rule}  {}", rule.at), Some(rule.at.to_string())),
        Cause::Written(at) => (at.to_string(), Some(at.to_string())),
        Cause::NotPlaced => (text::NOT_PLACED.text(lang).to_owned(), None),
        Cause::NotWritten => (text::NOT_WRITTEN.text(lang).to_owned(), None),
        Cause::Unknown => (text::CAUSE_UNKNOWN.text(lang).to_owned(), None),
    }
}
