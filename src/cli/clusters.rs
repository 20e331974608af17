//! `clusters`: the ledger with what was read live, worst first. The twin of the Fleet screen.

use serde_json::{Value, json};

use super::{
    Outcome, Setup,
    args::Listing,
    collect::{self, Need},
    need_clusters,
    output::{self, Column, Record, Table},
    tell_missing, words,
};
use crate::{
    fleet::{
        Store,
        filter::Filter,
        inventory::{self, ClusterRow, Plugin, Support},
        row::Resources,
    },
    messages::{Lang, cli as text, fleet as heads},
    model::{Builtin, ClusterState, Millis},
    tui::screens::words as screen_words,
};

/// Runs the command.
pub(super) fn run(setup: &Setup, listing: &Listing) -> anyhow::Result<Outcome> {
    need_clusters(setup)?;
    let filter = super::filter(listing.filter.as_deref(), setup.lang)?;
    let kinds = Builtin::ALL.iter().filter(|k| !matches!(k, Builtin::Event | Builtin::EndpointSlice)).map(|k| k.id());
    let need = Need { kinds: kinds.collect(), metrics: true, facts: true, timeout: setup.timeout, ..Need::default() };
    let picture = collect::collect(setup, &need)?;
    let rows = rows(&picture.store, &filter, picture.now);
    output::print(&table(&rows, picture.now, setup.lang), listing.output.output)?;
    let findings = rows.iter().any(|r| r.condition.state != ClusterState::Live || !r.risks.is_empty());
    Ok(tell_missing(setup, &picture, findings && listing.exit_code))
}

/// The clusters that pass the filter, worst first.
fn rows(store: &Store, filter: &Filter, now: Millis) -> Vec<ClusterRow> {
    let mut rows: Vec<ClusterRow> = store
        .clusters()
        .filter_map(|(id, _)| inventory::cluster_row(store, id, now))
        .filter(|r| passes(r, filter))
        .collect();
    rows.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.record.name.cmp(&b.record.name)));
    rows
}

fn passes(row: &ClusterRow, filter: &Filter) -> bool {
    let record = &row.record;
    let bare = [&*record.name, record.alias.as_str(), record.context.as_str(), row.condition.state.word()];
    let field = |key: &str| {
        Some(match key {
            "name" | "cluster" => record.name.to_string(),
            "state" => row.condition.state.word().to_owned(),
            "env" | "environment" => row.environment.value.clone().unwrap_or_default(),
            "region" => row.region.value.clone().unwrap_or_default(),
            "provider" => row.provider.value.clone().unwrap_or_default(),
            "team" => row.team.value.clone().unwrap_or_default(),
            "tier" => row.tier.value.clone().unwrap_or_default(),
            "group" => record.groups.join(","),
            _ => return None,
        })
    };
    filter.matches(&bare, &field, &|key| record.labels.get(key).cloned())
}

fn table(rows: &[ClusterRow], now: Millis, lang: Lang) -> Table {
    let column = |msg: crate::messages::Msg| Column::text(msg.text(lang));
    let number = |msg: crate::messages::Msg| Column::number(msg.text(lang));
    Table {
        columns: vec![
            column(heads::H_NAME),
            column(heads::H_STATE),
            column(heads::H_AGE),
            column(heads::H_ENV),
            column(heads::H_VERSION),
            number(heads::H_NODES),
            number(heads::H_PODS),
            number(heads::H_CERT),
            number(heads::H_RTT),
            column(heads::H_REGION),
            column(heads::H_PROVIDER),
            column(heads::H_TEAM),
            column(heads::H_TIER).when_wide(),
            number(heads::H_CPU_REQUESTED).when_wide(),
            number(heads::H_MEM_REQUESTED).when_wide(),
            column(heads::H_CNI).when_wide(),
            column(heads::H_CSI).when_wide(),
            number(heads::H_CREDENTIAL).when_wide(),
            column(text::H_CONTEXT).when_wide(),
            column(text::H_SERVER).when_wide(),
            column(text::H_CONTACTS).when_wide(),
            column(text::H_RISK),
        ],
        rows: rows.iter().map(|row| (cells(row, now, lang), record(row))).collect(),
    }
}

fn cells(row: &ClusterRow, now: Millis, lang: Lang) -> Vec<String> {
    let pair = |(a, b): &(u32, u32)| format!("{a}/{b}");
    let plugins = |list: &Vec<Plugin>| list.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(",");
    let share = |part: Option<u64>, whole: Option<u64>| match (part, whole) {
        (Some(part), Some(whole)) if whole > 0 => format!("{}%", part.saturating_mul(100) / whole),
        _ => String::from("?"),
    };
    let amount = |r: &inventory::Reading<Resources>, get: fn(&Resources) -> u64| r.value.as_ref().map(get);
    let requested = |get: fn(&Resources) -> u64| share(amount(&row.requested, get), amount(&row.allocatable, get));
    let environment = words::cell(&row.environment, Clone::clone);
    vec![
        row.record.name.to_string(),
        screen_words::state_word(&row.condition, lang).into_owned(),
        screen_words::age_since(row.condition.heard, now),
        if row.environment.source == inventory::Source::Guessed { format!("{environment}?") } else { environment },
        words::cell(&row.version, |v| v.git.clone()),
        words::cell(&row.nodes, pair),
        words::cell(&row.pods, pair),
        words::cell(&row.certificate, |c| words::until_short(c.not_after, now)),
        row.facts.rtt_ms.map_or_else(|| String::from("?"), |ms| format!("{ms}ms")),
        words::cell(&row.region, Clone::clone),
        words::cell(&row.provider, Clone::clone),
        words::cell(&row.team, Clone::clone),
        words::cell(&row.tier, Clone::clone),
        requested(|r| r.cpu_m),
        requested(|r| r.mem),
        words::cell(&row.cni, plugins),
        words::cell(&row.csi, plugins),
        words::cell(&row.credential, |at| words::until_short(*at, now)),
        row.record.context.clone(),
        row.record.server.clone(),
        words::cell(&row.contacts, |list| list.join(", ")),
        row.risks.first().map(|r| screen_words::risk_sentence(r, lang)).unwrap_or_default(),
    ]
}

/// The record of one cluster, as `quarterdeck help json` documents it.
pub(super) fn record(row: &ClusterRow) -> Record {
    let mut out = Record::default();
    let declared = &row.record;
    out.put("name", &*declared.name);
    out.put("state", row.condition.state.word());
    // Records are for programs: their words do not depend on the language.
    out.put("cause", row.condition.cause.as_ref().map(|c| words::cause(c, Lang::En)));
    out.put("asOf", words::moment(row.condition.heard));
    out.put("server", declared.server.as_str());
    out.put("kubernetesVersion", words::value(&row.version, |v| v.git.as_str().into()));
    out.put("nodesReady", words::value(&row.nodes, |n| n.0.into()));
    out.put("nodesTotal", words::value(&row.nodes, |n| n.1.into()));
    put_identity(&mut out, row);
    put_load(&mut out, row);
    put_people(&mut out, row);
    out.put("risks", row.risks.iter().map(|r| json!(r)).collect::<Vec<Value>>());
    out.put("score", row.score);
    out
}

fn put_identity(out: &mut Record, row: &ClusterRow) {
    let text = |t: &String| Value::from(t.as_str());
    let plugins = |list: &Vec<Plugin>| json!(list);
    let declared = &row.record;
    out.put("id", words::value(&row.uid, text));
    out.put("alias", words::some(&declared.alias));
    out.put("context", declared.context.as_str());
    out.put("also", declared.also.clone());
    out.put("environment", words::value(&row.environment, text));
    out.put("environmentSource", json!(row.environment.source));
    out.put("region", words::value(&row.region, text));
    out.put("zones", words::value(&row.zones, |zones| zones.iter().map(|(name, _)| name.as_str()).collect()));
    out.put("provider", words::value(&row.provider, text));
    out.put("distribution", words::value(&row.distribution, text));
    let (support, until) = match &row.support {
        None => (Value::Null, Value::Null),
        Some(Support::Full(date)) => ("full".into(), words::some(date)),
        Some(Support::SecurityOnly(date)) => ("security-only".into(), words::some(date)),
        Some(Support::Ended(date)) => ("ended".into(), words::some(date)),
        Some(Support::Unknown(date)) => ("unknown".into(), words::some(date)),
    };
    out.put("support", support);
    out.put("supportUntil", until);
    out.put("minorsBehind", row.behind);
    out.put("kubeletOldest", words::value(&row.kubelets, |k| k.0.as_str().into()));
    out.put("kubeletNewest", words::value(&row.kubelets, |k| k.1.as_str().into()));
    out.put("cni", words::value(&row.cni, plugins));
    out.put("csi", words::value(&row.csi, plugins));
    out.put("plugins", words::value(&row.plugins, plugins));
    out.put("certificateExpires", words::value(&row.certificate, |c| words::second(c.not_after)));
    out.put("credentialExpires", words::value(&row.credential, |at| words::second(*at)));
    out.put("rttMs", row.facts.rtt_ms);
}

fn put_load(out: &mut Record, row: &ClusterRow) {
    for (cpu, memory, reading) in [
        ("cpuAllocatableMilli", "memoryAllocatable", &row.allocatable),
        ("cpuRequestedMilli", "memoryRequested", &row.requested),
        ("cpuUsedMilli", "memoryUsed", &row.used),
    ] {
        out.put(cpu, words::value(reading, |r| r.cpu_m.into()));
        out.put(memory, words::value(reading, |r| r.mem.into()));
    }
    out.put("podsReady", words::value(&row.pods, |p| p.0.into()));
    out.put("podsTotal", words::value(&row.pods, |p| p.1.into()));
    out.put("workloadsOk", words::value(&row.workloads, |w| w.0.into()));
    out.put("workloadsWarn", words::value(&row.workloads, |w| w.1.into()));
    out.put("workloadsBad", words::value(&row.workloads, |w| w.2.into()));
}

fn put_people(out: &mut Record, row: &ClusterRow) {
    let text = |t: &String| Value::from(t.as_str());
    let texts = |list: &Vec<String>| json!(list);
    let declared = &row.record;
    out.put("team", words::value(&row.team, text));
    out.put("tier", words::value(&row.tier, text));
    out.put("systems", words::value(&row.systems, texts));
    out.put("monitoring", words::some(&declared.monitoring));
    out.put("contacts", words::value(&row.contacts, texts));
    out.put("onboarded", words::some(&declared.onboarded));
    out.put("created", words::value(&row.created, |at| words::second(*at)));
    out.put("labels", json!(declared.labels));
    out.put("taints", json!(declared.taints));
    out.put("groups", declared.groups.clone());
    out.put("namespace", words::some(&declared.namespace));
    out.put("readOnly", declared.read_only);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cli::args::Format;
    use crate::{
        fleet::{delta::Delta, service::ServiceRules},
        model::{Cause, CauseCode, ClusterId, ClusterRecord, Condition, KindSet},
    };

    #[test]
    fn a_cluster_that_does_not_answer_has_all_keys_and_says_why() {
        let mut store = Store::new(KindSet::default(), ServiceRules::default());
        let record = ClusterRecord { name: "eu".into(), server: "https://eu".into(), ..ClusterRecord::default() };
        store.apply(Delta::Record(ClusterId(0), Arc::new(record)));
        let cause = Some(Cause::new(CauseCode::TlsExpired, "not after 2026-11-01"));
        let condition = Condition { state: ClusterState::Unreachable, cause, ..Condition::default() };
        store.apply(Delta::Condition(ClusterId(0), condition));
        let rows = rows(&store, &Filter::default(), Millis(1_796_042_727_000));
        let table = table(&rows, Millis(1_796_042_727_000), Lang::En);
        let json: Value = serde_json::from_str(&output::render(&table, Format::Json).unwrap()).unwrap();
        assert_eq!(json[0]["name"], "eu");
        assert_eq!(json[0]["state"], "unreachable");
        assert!(json[0]["cause"].as_str().unwrap().contains("not after 2026-11-01"));
        for key in ["asOf", "kubernetesVersion", "nodesReady", "nodesTotal", "team", "id"] {
            assert_eq!(json[0].get(key), Some(&Value::Null), "{key} is unknown, not zero");
        }
        assert_eq!(table.columns.len(), table.rows[0].0.len());
    }
}
