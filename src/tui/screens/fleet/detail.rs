//! The record of one cluster in words: what is wrong and what to do, the ledger, API, certificates, nodes, plug-ins, kinds,
//! last warnings, contexts. A pure function of the store.

use crate::{
    fleet::{
        Store,
        inventory::{ClusterRow, Plugin, Reading, Risk, Source, Support},
        row::{Detail, EventRow, Resources},
    },
    messages::{Lang, clean_line, common, fleet as m, live, pad_right},
    model::{Builtin, CauseCode, ClusterState, Condition, KindStatus, Millis, Secs, utc_text},
    tui::{
        action::ActionId,
        glyphs::Glyphs,
        screens::{
            doc::{Doc, Line, Span},
            words,
        },
        theme::Role,
    },
};

/// Warnings that are listed.
const EVENTS: usize = 8;

/// What the detail needs.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// Store.
    pub store: &'a Store,
    /// Language.
    pub lang: Lang,
    /// Marks.
    pub glyphs: &'a Glyphs,
    /// Now.
    pub now: Millis,
}

/// The lines for a pane of so many cells.
pub fn lines(row: &ClusterRow, look: Look<'_>, cells: usize) -> Vec<Line> {
    let label = if look.lang == Lang::Zh { 10 } else { 12 };
    let mut doc = Doc::new(cells, label, look.glyphs.lines.0);
    state(&mut doc, row, look);
    wrong(&mut doc, row, look);
    record(&mut doc, row, look);
    api(&mut doc, row, look);
    certificates(&mut doc, row, look);
    nodes(&mut doc, row, look);
    plugins(&mut doc, row, look);
    events(&mut doc, row, look);
    kinds(&mut doc, row, look);
    contexts(&mut doc, row, look);
    doc.into_lines()
}

/// The state as sentences: what, since when, why, from when the data is, what to do.
pub fn state(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    let lang = look.lang;
    let condition = &row.condition;
    let age = words::age_since(condition.since, look.now);
    let heard = words::age_since(condition.heard, look.now);
    let time = utc_text(condition.heard);
    let rows: usize = Builtin::ALL.iter().map(|k| look.store.count(row.id, k.id())).sum();
    let (done, all) = (condition.progress.0.to_string(), condition.progress.1.to_string());
    let rows = rows.to_string();
    let values: &[(&str, &str)] = &[("age", &age), ("time", &time), ("done", &done), ("all", &all), ("rows", &rows)];
    let sentence = match condition.state {
        ClusterState::Live => m::SENTENCE_LIVE.fill(lang, &[("age", &heard)]),
        ClusterState::Connecting => m::SENTENCE_CONNECTING.fill(lang, values),
        ClusterState::Syncing => m::SENTENCE_SYNCING.fill(lang, values),
        ClusterState::Stale => m::SENTENCE_STALE.fill(lang, values),
        ClusterState::Unreachable => m::SENTENCE_UNREACHABLE.fill(lang, values),
        ClusterState::LoginExpired => m::SENTENCE_LOGIN.fill(lang, values),
        ClusterState::Forbidden => m::SENTENCE_FORBIDDEN.fill(lang, values),
    };
    let (mark, role) = words::cluster_mark(row, look.glyphs);
    doc.item(mark, role, &sentence, words::state_role(condition.state));
    let Some(cause) = condition.cause.as_ref().filter(|_| condition.state != ClusterState::Live) else {
        return;
    };
    doc.item(" ", Role::Text, &live::cause_text(lang, cause), Role::Text);
    if matches!(condition.state, ClusterState::Unreachable | ClusterState::LoginExpired | ClusterState::Forbidden) {
        let known = if condition.heard.0 > 0 {
            m::LAST_KNOWN.fill(lang, &[("time", &time)])
        } else {
            m::NEVER_KNOWN.text(lang).to_owned()
        };
        doc.item(" ", Role::Text, &known, Role::Muted);
    }
    if let Some(command) = words::check_command(cause, &row.record).filter(|_| cause.command.is_none()) {
        doc.item(" ", Role::Text, &m::CHECK_WITH.fill(lang, &[("command", &command)]), Role::Muted);
    }
    if login_command(condition).is_some() {
        let key = words::key(ActionId::LogIn);
        doc.item(" ", Role::Text, &m::DO_LOG_IN.fill(lang, &[("key", key)]), Role::Text);
    }
    let key = words::key(ActionId::Refresh);
    doc.item(" ", Role::Text, &m::DO_RETRY.fill(lang, &[("key", key)]), Role::Muted);
}

/// The credential plugin that a person can log in with, as a command; `None` where nothing is to be done by it.
pub fn login_command(condition: &Condition) -> Option<&str> {
    let cause = condition.cause.as_ref().filter(|_| condition.state == ClusterState::LoginExpired)?;
    cause.command.as_deref()
}

fn wrong(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    // That the view is not live was said above.
    let risks: Vec<&Risk> = row.risks.iter().filter(|r| !matches!(r, Risk::NotLive(_))).collect();
    if risks.is_empty() {
        return;
    }
    doc.heading(m::D_WRONG.text(look.lang));
    for risk in risks {
        let health = words::risk_health(risk);
        let role = words::health_role(health);
        doc.item(look.glyphs.health(health), role, &words::risk_sentence(risk, look.lang), Role::Text);
    }
}

/// A reading in words: guessed, as of, or different from what was declared, each said.
fn reading<T>(r: &Reading<T>, lang: Lang, show: impl Fn(&T) -> String) -> String {
    let Some(value) = &r.value else { return String::new() };
    let mut text = clean_line(&show(value)).into_owned();
    if text.is_empty() {
        return text;
    }
    if let Some(declared) = &r.declared {
        let declared = show(declared);
        // A provider is declared in lower case as often as not.
        if !declared.eq_ignore_ascii_case(&text) {
            text = m::V_DECLARED_OTHER.fill(lang, &[("value", &text), ("declared", &clean_line(&declared))]);
        }
    }
    match r.source {
        Source::Guessed => m::V_GUESSED.fill(lang, &[("value", &text)]),
        Source::LastKnown if r.at.0 > 0 => m::V_LAST_KNOWN.fill(lang, &[("value", &text), ("time", &utc_text(r.at))]),
        _ => text,
    }
}

fn record(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    let lang = look.lang;
    let l = |msg: crate::messages::Msg| msg.text(lang);
    let same = |s: &String| s.clone();
    doc.heading(l(m::D_RECORD));
    doc.field(l(m::L_TEAM), &reading(&row.team, lang, same), Role::Text);
    doc.field(l(m::L_SYSTEMS), &reading(&row.systems, lang, |v| v.join(", ")), Role::Text);
    doc.field(l(m::L_TIER), &reading(&row.tier, lang, same), Role::Text);
    let environment = reading(&row.environment, lang, same);
    if environment.is_empty() {
        doc.field(l(m::L_ENV), common::UNKNOWN.text(lang), Role::Unknown);
    } else {
        doc.field(l(m::L_ENV), &environment, Role::Text);
    }
    doc.field(l(m::L_REGION), &reading(&row.region, lang, same), Role::Text);
    let zones =
        |v: &Vec<(String, u32)>| v.iter().map(|(zone, nodes)| format!("{zone} {nodes}")).collect::<Vec<_>>().join(", ");
    doc.field(l(m::L_ZONES), &reading(&row.zones, lang, zones), Role::Text);
    let provider = [reading(&row.provider, lang, same), reading(&row.distribution, lang, same)];
    doc.field(
        l(m::L_PROVIDER),
        provider.iter().filter(|p| !p.is_empty()).cloned().collect::<Vec<_>>().join(", ").as_str(),
        Role::Text,
    );
    let contacts = reading(&row.contacts, lang, |v| v.join("; "));
    if contacts.is_empty() {
        doc.field(l(m::L_CONTACTS), l(m::V_NO_CONTACT), Role::Muted);
    } else {
        doc.field(l(m::L_CONTACTS), &contacts, Role::Text);
    }
    let r = &row.record;
    doc.field(l(m::L_MONITORING), &r.monitoring, Role::Text);
    doc.field(l(m::L_ONBOARDED), &r.onboarded, Role::Text);
    doc.field(l(m::L_CREATED), &reading(&row.created, lang, |s| utc_text((*s).into())), Role::Text);
    doc.field(l(m::L_GROUPS), &r.groups.join(", "), Role::Text);
    let labels: Vec<String> = r.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    doc.field(l(m::L_LABELS), &labels.join(", "), Role::Text);
    let taints: Vec<String> = r.taints.iter().map(|t| format!("{}={}:{}", t.key, t.value, t.effect)).collect();
    doc.field(l(m::L_TAINTS), &taints.join(", "), Role::Text);
    doc.field(l(m::L_ID), &reading(&row.uid, lang, same), Role::Text);
    if r.read_only {
        doc.para(l(m::V_READ_ONLY), Role::Accent);
    }
    if let Some(place) = &r.declared_at {
        doc.field(l(m::L_DECLARED), &format!("{}:{}", place.file, place.line), Role::Muted);
    }
}

fn api(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    let lang = look.lang;
    let l = |msg: crate::messages::Msg| msg.text(lang);
    let facts = &row.facts;
    doc.heading(l(m::D_API));
    doc.field(l(m::L_SERVER), &row.record.server, Role::Text);
    let version = reading(&row.version, lang, |v| v.git.clone());
    let emulated = row.version.value.as_ref().and_then(|v| v.emulated_minor.filter(|minor| *minor != v.minor));
    let version = match (row.behind, emulated) {
        (_, Some(minor)) => m::V_EMULATED.fill(lang, &[("version", &version), ("minor", &minor.to_string())]),
        (Some(n), _) if n > 0 => m::V_BEHIND.fill(lang, &[("version", &version), ("n", &n.to_string())]),
        _ => version,
    };
    doc.field(l(m::L_VERSION), &version, Role::Text);
    let (support, role) = match &row.support {
        Some(Support::Full(date)) => (m::V_SUPPORT_FULL.fill(lang, &[("date", date)]), Role::Text),
        Some(Support::SecurityOnly(date)) => (m::V_SUPPORT_SECURITY.fill(lang, &[("date", date)]), Role::Text),
        Some(Support::Ended(date)) => (m::V_SUPPORT_ENDED.fill(lang, &[("date", date)]), Role::Warn),
        Some(Support::Unknown(date)) => (m::V_SUPPORT_UNKNOWN.fill(lang, &[("date", date)]), Role::Muted),
        None => (String::new(), Role::Text),
    };
    doc.field(l(m::L_SUPPORT), &support, role);
    let number = |msg: crate::messages::Msg, n: Option<u32>| {
        n.map(|n| msg.fill(lang, &[("n", &n.to_string())])).unwrap_or_default()
    };
    doc.field(l(m::L_RTT), &number(m::V_RTT, facts.rtt_ms), Role::Text);
    doc.field(l(m::L_SPEED), &number(m::V_SPEED, facts.list_kbps), Role::Text);
    if facts.watches > 0 {
        doc.field(l(m::L_WATCHES), &number(m::V_WATCHES, Some(facts.watches.into())), Role::Text);
    }
    if facts.reconnects + facts.throttled > 0 {
        let values = [("reconnects", facts.reconnects.to_string()), ("throttled", facts.throttled.to_string())];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        doc.field(l(m::L_TROUBLE), &m::V_TROUBLE.fill(lang, &values), Role::Text);
    }
    match facts.clock_skew_s {
        // The Date header has whole seconds; less than three is no finding.
        Some(n) if n.unsigned_abs() >= 3 => {
            let msg = if n > 0 { m::V_CLOCK_AHEAD } else { m::V_CLOCK_BEHIND };
            let role = if n.unsigned_abs() >= 60 { Role::Warn } else { Role::Text };
            doc.field(l(m::L_CLOCK), &msg.fill(lang, &[("n", &n.unsigned_abs().to_string())]), role);
        }
        _ => {}
    }
    for (group, why) in &facts.failed_groups {
        doc.field(l(m::L_GROUP_FAILS), &format!("{group}: {why}"), Role::Warn);
    }
    for (what, why) in &facts.unreadable_latest {
        doc.field(l(m::L_UNREADABLE), &format!("{what}: {why}"), Role::Warn);
    }
    if usize::try_from(facts.unreadable).is_ok_and(|n| n > facts.unreadable_latest.len()) {
        doc.field("", &number(m::V_UNREADABLE, Some(facts.unreadable)), Role::Muted);
    }
}

/// When something ends, as a date and the days left.
fn end(at: Secs, look: Look<'_>) -> (String, Role) {
    let date = utc_text(at.into());
    let days = words::days_until(at, look.now);
    let role = super::columns::end_role(days, Role::Text);
    let text = match days {
        ..0 => m::V_ENDED.fill(look.lang, &[("date", &date)]),
        0 => m::V_ENDS_SOON.fill(look.lang, &[("date", &date), ("age", &words::time_left(at, look.now))]),
        n => m::V_ENDS.fill(look.lang, &[("date", &date), ("n", &n.to_string())]),
    };
    (text, role)
}

fn certificates(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    let lang = look.lang;
    let l = |msg: crate::messages::Msg| msg.text(lang);
    doc.heading(l(m::D_CERTIFICATES));
    match &row.certificate.value {
        Some(certificate) => {
            let (text, role) = end(certificate.not_after, look);
            doc.field(l(m::L_CERT), &text, role);
            doc.field("", &certificate.subject, Role::Muted);
            doc.field(l(m::L_ISSUER), &certificate.issuer, Role::Muted);
        }
        None => doc.field(l(m::L_CERT), common::UNKNOWN.text(lang), Role::Unknown),
    }
    let credential = &row.facts.credential;
    let login = if credential.plugin.is_empty() {
        credential.kind.clone()
    } else {
        m::V_PLUGIN_LOGIN.fill(lang, &[("kind", &credential.kind), ("plugin", &clean_line(&credential.plugin))])
    };
    doc.field(l(m::L_LOGIN), &login, Role::Text);
    match row.credential.value {
        Some(at) => {
            let (text, role) = end(at, look);
            // Short-lived tokens renew themselves: only one that has ended is worth a colour.
            doc.field("", &text, if words::days_until(at, look.now) < 0 { role } else { Role::Muted });
        }
        None if !login.is_empty() => doc.field("", l(m::V_ENDS_UNKNOWN), Role::Muted),
        None => {}
    }
    let user = if credential.impersonating.is_empty() {
        credential.user.clone()
    } else {
        let values = [("user", credential.user.as_str()), ("other", credential.impersonating.as_str())];
        m::V_IMPERSONATING.fill(lang, &values)
    };
    doc.field(l(m::L_USER), &user, Role::Text);
}

fn nodes(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    let lang = look.lang;
    let l = |msg: crate::messages::Msg| msg.text(lang);
    doc.heading(l(m::D_NODES));
    let counted = |msg: crate::messages::Msg, r: &Reading<(u32, u32)>| {
        reading(r, lang, |(ok, all)| {
            let (ok, all) = (ok.to_string(), all.to_string());
            msg.fill(lang, &[("ready", &ok), ("ok", &ok), ("total", &all)])
        })
    };
    refused_or(doc, l(m::L_NODES), &row.nodes, &counted(m::V_NODES, &row.nodes), look);
    let kubelets = reading(&row.kubelets, lang, |(from, to)| {
        if from == to { from.clone() } else { m::V_KUBELETS.fill(lang, &[("from", from), ("to", to)]) }
    });
    doc.field(l(m::L_KUBELETS), &kubelets, Role::Text);
    for skew in &row.skew {
        let msg = if skew.minors < 0 { m::V_SKEW_NEWER } else { m::V_SKEW };
        let values = [
            ("n", skew.nodes.to_string()),
            ("kubelet", clean_line(&skew.kubelet).into_owned()),
            ("minors", skew.minors.to_string()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        doc.field("", &msg.fill(lang, &values), Role::Warn);
    }
    capacity(doc, l(m::L_CPU), row, look, |r| r.cpu_m, words::cores);
    capacity(doc, l(m::L_MEM), row, look, |r| r.mem, words::memory);
    refused_or(doc, l(m::L_PODS), &row.pods, &counted(m::V_PODS, &row.pods), look);
    let workloads = reading(&row.workloads, lang, |(ok, warn, bad)| {
        let (ok, warn, bad) = (ok.to_string(), warn.to_string(), bad.to_string());
        m::V_WORKLOADS.fill(lang, &[("ok", &ok), ("warn", &warn), ("bad", &bad)])
    });
    refused_or(doc, l(m::L_WORKLOADS), &row.workloads, &workloads, look);
    if row.used.value.is_none() {
        doc.field("", &row.facts.usage_note, Role::Muted);
    }
}

/// The value, or why there is none; the reason that stands at the top for the whole cluster is not said again.
fn refused_or<T>(doc: &mut Doc, label: &str, r: &Reading<T>, text: &str, look: Look<'_>) {
    match (&r.value, &r.why) {
        (None, Some(cause)) if cause.code == CauseCode::Forbidden => {
            doc.field(label, &live::cause_text(look.lang, cause), Role::Warn);
        }
        (None, _) => doc.field(label, common::UNKNOWN.text(look.lang), Role::Unknown),
        _ => doc.field(label, text, Role::Text),
    }
}

fn capacity(
    doc: &mut Doc,
    label: &str,
    row: &ClusterRow,
    look: Look<'_>,
    of: impl Fn(&Resources) -> u64,
    show: impl Fn(u64) -> String,
) {
    let Some(all) = row.allocatable.value.as_ref().map(&of) else { return };
    let part = |r: &Reading<Resources>| match r.value.as_ref().map(&of) {
        Some(n) => match words::percent(n, all) {
            Some(p) => format!("{} ({p}%)", show(n)),
            None => show(n),
        },
        None => look.glyphs.unknown.to_owned(),
    };
    let (requested, used) = (part(&row.requested), part(&row.used));
    let values = [("all", show(all)), ("requested", requested), ("used", used)];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    doc.field(label, &m::V_CAPACITY.fill(look.lang, &values), Role::Text);
}

fn plugins(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    let lang = look.lang;
    doc.heading(m::D_PLUGINS.text(lang));
    let mut any = false;
    for (label, reading) in [("CNI", &row.cni), ("CSI", &row.csi), ("", &row.plugins)] {
        for plugin in reading.value.iter().flatten() {
            any = true;
            let label = if label.is_empty() { plugin.role.as_str() } else { label };
            let (text, role) = plugin_text(plugin, lang);
            doc.field(label, &text, role);
        }
        if let (None, Some(cause)) = (&reading.value, &reading.why)
            && cause.code == CauseCode::Forbidden
        {
            any = true;
            doc.field(label, &live::cause_text(lang, cause), Role::Warn);
        }
    }
    if !any {
        doc.para(m::V_NO_PLUGINS.text(lang), Role::Muted);
    }
}

fn plugin_text(plugin: &Plugin, lang: Lang) -> (String, Role) {
    let (ready, total) = plugin.coverage;
    let name = clean_line(&plugin.name).into_owned();
    let name = if plugin.guessed { m::V_GUESS.fill(lang, &[("name", &name)]) } else { name };
    let version = clean_line(&plugin.version).into_owned();
    let text = if total == 0 {
        format!("{name} {version}").trim_end().to_owned()
    } else {
        let values = [("name", name), ("version", version), ("ready", ready.to_string()), ("total", total.to_string())];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        m::V_COVERAGE.fill(lang, &values)
    };
    let role = match () {
        () if plugin.role == "residue" => Role::Muted,
        () if ready < total => Role::Warn,
        () => Role::Text,
    };
    (text, role)
}

/// The newest warnings, one line each.
fn events(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    let lang = look.lang;
    let kind = Builtin::Event.id();
    doc.heading(m::D_EVENTS.text(lang));
    let mut newest: Vec<&EventRow> = look
        .store
        .rows(row.id, kind)
        .filter_map(|(_, r)| if let Detail::Event(e) = &r.detail { Some(&**e) } else { None })
        .collect();
    if newest.is_empty() {
        let status = look.store.shard(row.id).and_then(|s| s.kinds.get(kind.index()));
        let refused = matches!(status, Some(KindStatus::Forbidden(_)));
        doc.para(if refused { m::EVENTS_UNKNOWN } else { m::NO_EVENTS }.text(lang), Role::Muted);
        return;
    }
    newest.sort_by(|a, b| {
        b.last.cmp(&a.last).then_with(|| a.object.cmp(&b.object)).then_with(|| a.reason.cmp(&b.reason))
    });
    for e in newest.into_iter().take(EVENTS) {
        let age = crate::messages::pad_left(&words::age_of(e.last, look.now), 4);
        let values = [
            ("age", age.as_str()),
            ("reason", &*clean_line(&e.reason)),
            ("kind", &*clean_line(&e.kind)),
            ("object", &*clean_line(&e.object)),
            ("message", &*clean_line(&e.message)),
        ];
        doc.item(look.glyphs.warn, Role::Warn, &m::EVENT_LINE.fill(lang, &values), Role::Text);
    }
}

/// Kinds that are live in one line, every other with its own state.
fn kinds(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    let lang = look.lang;
    let Some(shard) = look.store.shard(row.id) else { return };
    doc.heading(m::D_KINDS.text(lang));
    let mut live = (0u32, 0usize);
    let mut stale = (0u32, 0usize);
    let mut waiting = (0u32, 0usize);
    let all = look.store.kinds().all();
    let width = all.iter().map(|(_, k)| k.plural.len()).max().unwrap_or(0).min(24);
    let mut others = Vec::new();
    for (id, info) in &all {
        let status = shard.kind(*id);
        let n = look.store.count(row.id, *id);
        let sum = match status {
            // An optional kind that is not served says nothing about the cluster.
            KindStatus::NotServed | KindStatus::Waiting if info.optional => continue,
            KindStatus::Live => &mut live,
            KindStatus::Stale(_) => &mut stale,
            KindStatus::Waiting => &mut waiting,
            other => {
                others.push((info, other, n));
                continue;
            }
        };
        *sum = (sum.0 + 1, sum.1 + n);
    }
    let g = look.glyphs;
    for (mark, role, msg, (kinds, objects)) in [
        (g.ok, Role::Ok, m::K_ALL_LIVE, live),
        (g.stale, Role::Stale, m::K_ALL_STALE, stale),
        (g.waiting, Role::Muted, m::K_ALL_WAITING, waiting),
    ] {
        if kinds > 0 {
            let values = [("n", kinds.to_string()), ("objects", words::thousands(objects))];
            let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
            doc.item(mark, role, &msg.fill(lang, &values), Role::Text);
        }
    }
    for (info, status, n) in others {
        let (mark, role, text) = kind_line(status, n, look);
        doc.item(mark, role, &format!("{} {text}", pad_right(&info.plural, width)), Role::Text);
        if let KindStatus::Forbidden(cause) = status
            && let Some(command) = words::check_command(cause, &row.record)
        {
            doc.item(" ", Role::Text, &m::CHECK_WITH.fill(lang, &[("command", &command)]), Role::Muted);
        }
    }
}

fn kind_line(status: &KindStatus, rows: usize, look: Look<'_>) -> (&'static str, Role, String) {
    let (lang, g) = (look.lang, look.glyphs);
    let n = rows.to_string();
    let count = |msg: crate::messages::Msg| msg.fill(lang, &[("n", &n)]);
    match status {
        KindStatus::Polling => (g.ok, Role::Ok, count(m::K_POLLING)),
        KindStatus::Listing { rows, expected: None } => {
            (g.busy, Role::Busy, m::K_LISTING.fill(lang, &[("n", &rows.to_string())]))
        }
        KindStatus::Listing { rows, expected: Some(all) } => {
            let (rows, all) = (rows.to_string(), all.to_string());
            (g.busy, Role::Busy, m::K_LISTING_OF.fill(lang, &[("n", &rows), ("all", &all)]))
        }
        // These three are counted, not listed.
        KindStatus::Live | KindStatus::Waiting | KindStatus::Stale(_) => (g.none, Role::Muted, String::new()),
        KindStatus::NotServed => (g.none, Role::Muted, m::K_NOT_SERVED.text(lang).to_owned()),
        KindStatus::Forbidden(cause) => {
            let msg = if cause.namespace.is_empty() { m::K_FORBIDDEN } else { m::K_FORBIDDEN_IN };
            let values = [
                ("verb", cause.verb.as_str()),
                ("resource", cause.resource.as_str()),
                ("namespace", cause.namespace.as_str()),
            ];
            (g.denied, Role::Warn, msg.fill(lang, &values))
        }
        KindStatus::Failing(cause) => {
            (g.bad, Role::Bad, m::K_FAILING.fill(lang, &[("why", &live::cause_text(lang, cause))]))
        }
    }
}

fn contexts(doc: &mut Doc, row: &ClusterRow, look: Look<'_>) {
    let lang = look.lang;
    let r = &row.record;
    doc.heading(m::D_CONTEXTS.text(lang));
    doc.field(m::L_CONTEXT.text(lang), &r.context, Role::Text);
    doc.field(m::L_ALSO.text(lang), &r.also.join(", "), Role::Text);
}

/// The title of a cluster's pane or screen: its name and, never without it, its environment.
pub fn title(row: &ClusterRow, lang: Lang) -> Vec<Span> {
    let environment = row.environment.value.as_deref().unwrap_or("");
    let shown = if environment.is_empty() { common::UNKNOWN.text(lang) } else { environment };
    vec![
        Span::bold(clean_line(&row.record.name), Role::Title),
        Span::new("  ", Role::Text),
        Span::new(clean_line(shown), Role::Accent),
    ]
}
