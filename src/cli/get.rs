//! `get KIND`: objects of one kind, merged over the clusters, the cluster first. The twin of the Objects screen.

use serde_json::{Value, json};

use super::{
    Outcome, Setup,
    args::Get,
    collect::{self, Need},
    need_clusters,
    output::{self, Column, Record, Table},
    tell_missing, words,
};
use crate::{
    config::words::nearest,
    fleet::{
        RowRef, Store,
        filter::Filter,
        list::{self, ObjectList, Query, Sort},
        row::Row,
    },
    messages::{Lang, cli as text},
    model::{Health, KindId, KindSet, Millis},
    tui::screens::words as screen_words,
};

/// Rows looked at in one step; there is no key to be late for here.
const STEP: usize = 1 << 20;

/// Runs the command.
pub(super) fn run(setup: &Setup, get: &Get) -> anyhow::Result<Outcome> {
    let kinds = kinds_named(&setup.kinds, &get.kind, setup.lang)?;
    need_clusters(setup)?;
    let filter = super::filter(get.listing.filter.as_deref(), setup.lang)?;
    let need = Need { kinds: kinds.clone(), timeout: setup.timeout, ..Need::default() };
    let picture = collect::collect(setup, &need)?;
    let store = &picture.store;
    let rows = rows(store, setup, get, &kinds, filter);
    output::print(&table(store, &rows, &kinds, picture.now, setup.lang), get.listing.output.output)?;
    let ill = rows.iter().filter_map(|at| store.row(*at)).any(|row| row.health >= Health::Unknown);
    Ok(tell_missing(setup, &picture, ill && get.listing.exit_code))
}

/// The kinds that a word means.
fn kinds_named(kinds: &KindSet, word: &str, lang: Lang) -> anyhow::Result<Vec<KindId>> {
    let found = kinds.named(word);
    if !found.is_empty() {
        return Ok(found);
    }
    let names: Vec<String> = kinds.all().into_iter().flat_map(|(_, k)| k.names.clone()).collect();
    match nearest(word, names.iter().map(String::as_str)) {
        Some(near) => anyhow::bail!(text::KIND_NEAR.fill(lang, &[("kind", word), ("near", near)])),
        None => anyhow::bail!(text::KIND_UNKNOWN.fill(lang, &[("kind", word)])),
    }
}

/// `-l` as a filter.
pub(super) fn selector(selector: &str) -> Filter {
    if selector.is_empty() { Filter::default() } else { Filter::parse(&format!("-l {selector}")) }
}

fn rows(store: &Store, setup: &Setup, get: &Get, kinds: &[KindId], filter: Filter) -> Vec<RowRef> {
    let query = Query {
        kinds: kinds.to_vec(),
        namespace: setup.settings.namespace.clone(),
        filter,
        sort: sort(&get.sort),
        problems_only: get.problems,
        ..Query::default()
    };
    let mut list = ObjectList::new(query);
    while !list.step(store, STEP) {}
    let selector = selector(&setup.settings.selector);
    let named = |row: &Row| get.names.is_empty() || get.names.iter().any(|n| *n == row.name);
    let keep = |at: &RowRef| store.row(*at).is_some_and(|row| named(row) && list::matches(store, &selector, *at, row));
    list.rows().iter().copied().filter(keep).collect()
}

fn sort(word: &str) -> Sort {
    match word {
        "risk" => Sort::Risk,
        "name" => Sort::Name,
        "cluster" => Sort::Cluster,
        "age" => Sort::Age,
        column => Sort::Column(column.to_owned()),
    }
}

fn table(store: &Store, rows: &[RowRef], kinds: &[KindId], now: Millis, lang: Lang) -> Table {
    let own = kinds.first().map(|k| list::columns(*k)).unwrap_or_default();
    // Kubernetes' own words are not translated.
    let mut columns = vec![Column::text(text::H_CLUSTER.text(lang))];
    let namespaced = kinds.iter().any(|k| store.kinds().info(*k).is_some_and(|i| i.namespaced));
    if namespaced {
        columns.push(Column::text("NAMESPACE"));
    }
    columns.push(Column::text("NAME"));
    columns.extend(own.iter().map(|c| Column { header: c.header.to_owned(), numeric: c.numeric, wide: c.wide }));
    columns.push(Column::number("AGE"));
    let line = |at: &RowRef| {
        let row = store.row(*at)?;
        let cluster = store.shard(at.cluster).map(|s| s.record.name.to_string()).unwrap_or_default();
        let texts: Vec<String> = own.iter().map(|c| list::cell_text(store, *at, c.key)).collect();
        let age = screen_words::age_of(row.created, now);
        let stale = if store.is_stale(*at) { "~" } else { "" };
        let mut cells = vec![cluster.clone()];
        if namespaced {
            cells.push(row.ns().to_owned());
        }
        cells.push(row.name.to_string());
        cells.extend(texts.iter().cloned());
        cells.push(format!("{age}{stale}"));
        let pairs = own.iter().map(|c| c.key).zip(texts);
        Some((cells, record(store, *at, row, &cluster, pairs)))
    };
    Table { columns, rows: rows.iter().filter_map(line).collect() }
}

/// The record of one object: what every kind has, and the columns of the kind under `columns`.
fn record(
    store: &Store,
    at: RowRef,
    row: &Row,
    cluster: &str,
    columns: impl Iterator<Item = (&'static str, String)>,
) -> Record {
    let mut out = Record::default();
    let labels: serde_json::Map<String, Value> =
        row.labels.iter().map(|(k, v)| (k.to_string(), Value::from(&**v))).collect();
    out.put("cluster", cluster);
    out.put("kind", store.kinds().info(at.kind).map(|k| k.kind.clone()));
    out.put("namespace", words::some(row.ns()));
    out.put("name", row.name.as_str());
    out.put("health", row.health.word());
    out.put("reason", list::reason(row));
    out.put("note", words::some(list::note(row)));
    out.put("created", words::second(row.created));
    out.put("asOf", words::moment(store.as_of(at)));
    out.put("stale", store.is_stale(at));
    out.put("labels", labels);
    let columns: serde_json::Map<String, Value> = columns.map(|(k, v)| (k.to_owned(), v.into())).collect();
    out.put("columns", json!(columns));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Builtin;

    #[test]
    fn kinds_by_any_of_their_names_and_a_hint_for_the_rest() {
        let kinds = KindSet::default();
        let of = |word: &str| kinds_named(&kinds, word, Lang::En).map_err(|e| e.to_string());
        assert_eq!(of("po"), Ok(vec![Builtin::Pod.id()]));
        assert_eq!(of("Deployment"), Ok(vec![Builtin::Deployment.id()]));
        assert!(of("deplyoment").unwrap_err().contains("deployment"));
        assert!(of("widgets").unwrap_err().contains("widgets"));
    }
}
