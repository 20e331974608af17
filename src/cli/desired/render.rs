//! `render`: the objects that should be in each cluster, as YAML; with `--where` each line says where it comes from.

use std::fmt::Write as _;

use super::{Wanted, wanted};
use crate::{
    cli::{
        Outcome, Setup,
        args::{Format, RenderRun},
        output::{self, Column, Record, Table},
    },
    desired::{engine::Placed, mask, object::Object, where_from},
    messages::{clean_line, desired as text},
};

/// Runs the command.
pub(in crate::cli) fn run(setup: &Setup, run: &RenderRun) -> anyhow::Result<Outcome> {
    let wanted = wanted(setup, run.live)?;
    let services = wanted.services(setup, &run.services)?;
    let placed: Vec<&Placed> = services.iter().flat_map(|o| o.placed.iter().map(|p| &**p)).collect();
    match run.output {
        Format::Json => output::write_out(&json(&wanted, &placed)?)?,
        Format::Yaml => output::write_out(&yaml(&wanted, &placed, run.places))?,
        format => output::print(&table(&wanted, &placed, setup), format)?,
    }
    Ok(wanted.outcome(setup, false))
}

/// The objects of each shown cluster, in its order.
fn each<'a>(wanted: &'a Wanted, placed: &'a [&'a Placed]) -> impl Iterator<Item = (&'a str, &'a Object)> {
    wanted.shown.iter().flat_map(move |number| {
        let name = wanted.cluster(*number);
        placed.iter().filter_map(move |p| Some((name, &**p.object(*number)?)))
    })
}

fn json(wanted: &Wanted, placed: &[&Placed]) -> anyhow::Result<String> {
    let records: Vec<serde_json::Value> = each(wanted, placed)
        .map(|(cluster, object)| serde_json::json!({ "cluster": cluster, "object": mask::masked(object) }))
        .collect();
    Ok(format!("{}\n", output::escape(&serde_json::to_string_pretty(&records)?)))
}

fn yaml(wanted: &Wanted, placed: &[&Placed], places: bool) -> String {
    let mut out = String::new();
    for (cluster, object) in each(wanted, placed) {
        let _ = writeln!(out, "---\n# cluster: {}", clean_line(cluster));
        for line in where_from::lines(&mask::masked(object)) {
            let place = line.at.as_ref().filter(|_| places).map(|at| format!("  # {}", clean_line(&at.to_string())));
            let _ = writeln!(out, "{}{}", output::escape_yaml(&line.text), place.unwrap_or_default());
        }
    }
    out
}

/// One row for each object, with the number of shown clusters that it goes to.
fn table(wanted: &Wanted, placed: &[&Placed], setup: &Setup) -> Table {
    let lang = setup.lang;
    let head = |msg: crate::messages::Msg| Column::text(msg.text(lang));
    let mut table = Table {
        columns: vec![
            head(text::H_OBJECT),
            Column::number(text::H_CLUSTERS.text(lang)),
            Column::number(text::H_VARIANTS.text(lang)),
            head(text::H_SOURCE),
            head(text::H_OWNER),
        ],
        rows: Vec::new(),
    };
    for placed in placed {
        let there: Vec<_> = placed.objects.iter().filter(|(at, _)| wanted.shown.contains(at)).collect();
        let mut variants: Vec<*const Object> = there.iter().map(|(_, o)| std::sync::Arc::as_ptr(o)).collect();
        variants.sort_unstable();
        variants.dedup();
        let (owner, owner_json) = super::owner(placed, lang);
        let mut record = Record::default();
        record.put("apiVersion", &*placed.key.api_version);
        record.put("kind", &*placed.key.kind);
        record.put("namespace", &*placed.key.namespace);
        record.put("name", &*placed.key.name);
        record.put("clusters", there.len());
        record.put("variants", variants.len());
        record.put("source", placed.source.title.as_str());
        record.put("owner", owner_json);
        let cells = vec![
            placed.key.to_string(),
            there.len().to_string(),
            variants.len().to_string(),
            placed.source.title.clone(),
            owner,
        ];
        table.rows.push((cells, record));
    }
    table
}
