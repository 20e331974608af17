//! `lint`: what policies and sources say that has no effect, or another one than it seems.

use super::wanted;
use crate::{
    cli::{
        Outcome, Setup,
        args::LintRun,
        output::{self, Column, Record, Table},
    },
    desired::lint::{self, Finding},
    messages::{Lang, desired as text},
    render::load,
};

/// Runs the command.
pub(in crate::cli) fn run(setup: &Setup, run: &LintRun) -> anyhow::Result<Outcome> {
    let wanted = wanted(setup, run.live)?;
    let findings = load::lint(&setup.settings.desired, &wanted.desired.inputs);
    output::print(&table(&findings, setup.lang), run.output.output)?;
    let warned = findings.iter().any(|f| f.code.weight() == lint::Weight::Warning);
    Ok(wanted.outcome(setup, run.exit_code && warned))
}

fn table(findings: &[Finding], lang: Lang) -> Table {
    let columns = [text::H_LINT, text::H_OBJECT, text::H_PLACE, text::H_MEANING];
    let mut table =
        Table { columns: columns.iter().map(|msg| Column::text(msg.text(lang))).collect(), rows: Vec::new() };
    for finding in findings {
        let place = finding.at.as_ref().map(ToString::to_string).unwrap_or_default();
        let meaning = finding.text(lang);
        let mut record = Record::default();
        record.put("code", finding.code.word());
        record.put("weight", finding.code.weight().word());
        record.put("subject", finding.subject.as_str());
        record.put("place", place.as_str());
        record.put("meaning", meaning.as_str());
        table.rows.push((vec![finding.code.word().to_owned(), finding.subject.clone(), place, meaning], record));
    }
    table
}
