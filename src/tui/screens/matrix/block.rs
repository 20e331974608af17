//! The explanation of a cell: what runs, how it differs, who changed and who manages it, which pods are not well and why.

use super::cell::Style;
use crate::{
    fleet::{
        Store,
        matrix::{CellDetail, Difference, KeyRule, ServiceSummary, Show, detail},
    },
    messages::{Lang, Msg, clean_line, live, matrix as m},
    model::{ClusterId, Millis, utc_text},
    tui::{
        glyphs::Glyphs,
        screens::{
            doc::{Doc, Line, Span},
            object::managed_text,
            words,
        },
        theme::Role,
    },
};

/// What an explanation needs.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) store: &'a Store,
    pub(super) lang: Lang,
    pub(super) glyphs: &'a Glyphs,
    pub(super) now: Millis,
}

/// The lines for the cell of one cluster, most telling first.
pub(super) fn of_cluster(service: &ServiceSummary, cluster: ClusterId, look: Look<'_>, cells: usize) -> Vec<Line> {
    let lang = look.lang;
    let mut doc = Doc::new(cells, if lang == Lang::Zh { 12 } else { 15 }, look.glyphs.lines.0);
    let name = look.store.shard(cluster).map(|s| clean_line(&s.record.name).into_owned()).unwrap_or_default();
    let values: &[(&str, &str)] = &[("service", &clean_line(&service.key.name)), ("cluster", &name)];
    let Some(found) = detail(look.store, service.id, cluster) else {
        let known = super::columns::is_known(look.store, cluster);
        let (msg, role) = if known { (m::CELL_NOT_HERE, Role::Muted) } else { (m::CELL_UNKNOWN, Role::Unknown) };
        doc.para(&msg.fill(lang, values), role);
        if let Some(shard) = look.store.shard(cluster)
            && let Some(cause) = shard.condition.cause.as_ref().filter(|_| !known)
        {
            doc.para(&live::cause_text(lang, cause), Role::Text);
        }
        return doc.into_lines();
    };
    head(&mut doc, &m::CELL_OF.fill(lang, values), &found, look);
    troubles(&mut doc, &found, look);
    wanted(&mut doc, &found, lang);
    differences(&mut doc, service, &found, look);
    provenance(&mut doc, &found, look);
    images(&mut doc, &found, lang);
    rule(&mut doc, service, lang);
    config(&mut doc, &found, lang);
    workloads(&mut doc, &found, lang);
    doc.into_lines()
}

fn head(doc: &mut Doc, what: &str, found: &CellDetail, look: Look<'_>) {
    let lang = look.lang;
    let cell = &found.cell;
    let (ready, wanted) = (cell.replicas.0.to_string(), cell.replicas.1.to_string());
    let mut spans = vec![
        Span::bold(what.to_owned(), Role::Title),
        Span::new(format!("   {}", clean_line(&cell.version)), Role::Text),
    ];
    if !cell.digest.is_empty() {
        spans.push(Span::new(format!("  sha256:{}", super::cell::short_digest(&cell.digest, 12)), Role::Muted));
    }
    let role = if cell.replicas.0 < cell.replicas.1 { words::health_role(cell.health) } else { Role::Text };
    let replicas = m::READY_OF.fill(lang, &[("ready", &ready), ("wanted", &wanted)]);
    spans.push(Span::new(format!("  {replicas}"), role));
    if let Some(bytes) = cell.config {
        let config = m::CONFIG_IS.fill(lang, &[("fingerprint", &super::cell::hex(&bytes, 4))]);
        spans.push(Span::new(format!("  {config}"), Role::Text));
    }
    let (fresh, role) = if look.store.is_stale(cell.main) {
        (m::AS_OF.fill(lang, &[("time", &utc_text(found.at))]), Role::Stale)
    } else {
        (m::READ_AGO.fill(lang, &[("age", &words::age_since(found.at, look.now))]), Role::Muted)
    };
    spans.push(Span::new(format!("   {fresh}"), role));
    doc.line(spans, None);
}

/// The version that should be there, and the file that says so.
fn wanted(doc: &mut Doc, found: &CellDetail, lang: Lang) {
    let Some((version, place)) = &found.wanted else { return };
    let role = if *version == found.cell.version { Role::Text } else { Role::Changed };
    doc.field(m::B_WANTED.text(lang), &format!("{version}  {place}"), role);
}

/// Pods that are not well, each with its reason and words.
pub(super) fn troubles(doc: &mut Doc, found: &CellDetail, look: Look<'_>) {
    let lang = look.lang;
    match found.trouble_count {
        0 => return,
        1 => doc.item(look.glyphs.bad, Role::Bad, m::B_TROUBLE_ONE.text(lang), Role::Bad),
        n => doc.item(look.glyphs.bad, Role::Bad, &m::B_TROUBLE.fill(lang, &[("n", &n.to_string())]), Role::Bad),
    }
    for pod in &found.troubles {
        let name = crate::messages::cut_middle(&pod.name, 40);
        let text = format!("{}  {}  {}", clean_line(&name), clean_line(&pod.reason), clean_line(pod.note.trim()));
        doc.item(" ", Role::Text, text.trim_end(), Role::Text);
    }
    let listed = u32::try_from(found.troubles.len()).unwrap_or(u32::MAX);
    if found.trouble_count > listed {
        let more = m::B_MORE.fill(lang, &[("n", &(found.trouble_count - listed).to_string())]);
        doc.item(" ", Role::Text, &more, Role::Muted);
    }
}

fn differences(doc: &mut Doc, service: &ServiceSummary, found: &CellDetail, look: Look<'_>) {
    let lang = look.lang;
    let cell = &found.cell;
    let delta = look.glyphs.differs;
    let say = |doc: &mut Doc, msg: Msg| doc.item(delta, Role::Changed, msg.text(lang), Role::Text);
    match cell.differs {
        Difference::None => {}
        Difference::Version if found.wanted.is_some() => say(doc, m::B_VERSION_UNWANTED),
        Difference::Version => {
            let usual = m::B_USUAL_TEXT.fill(lang, &[("version", &clean_line(&service.usual))]);
            doc.item(delta, Role::Changed, &format!("{}: {usual}", m::B_VERSION_DIFFERS.text(lang)), Role::Text);
        }
        Difference::Digest => say(doc, m::B_DIGEST_DIFFERS),
        Difference::Config => say(doc, m::B_CONFIG_DIFFERS),
    }
    if let Some((from, percent)) = &cell.from {
        let values =
            [("from", clean_line(from)), ("to", clean_line(&cell.version)), ("percent", percent.to_string().into())];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, &**v)).collect();
        doc.item(look.glyphs.busy, Role::Busy, &m::B_ROLLING.fill(lang, &values), Role::Text);
    }
    if cell.mixed {
        let n = (cell.more + 1).to_string();
        doc.item(delta, Role::Changed, &m::B_MIXED.fill(lang, &[("n", &n)]), Role::Text);
    }
    if cell.digests > 1 {
        let n = cell.digests.to_string();
        doc.item(look.glyphs.warn, Role::Warn, &m::B_DIGESTS.fill(lang, &[("n", &n)]), Role::Text);
    }
    if cell.moving {
        doc.item(look.glyphs.warn, Role::Warn, m::B_MOVING.text(lang), Role::Text);
    }
}

fn provenance(doc: &mut Doc, found: &CellDetail, look: Look<'_>) {
    let lang = look.lang;
    let (changed, role) = match &found.changed {
        Some(change) => (words::change_text(change, lang, look.now), Role::Text),
        None => (m::B_CHANGED_UNKNOWN.text(lang).to_owned(), Role::Muted),
    };
    doc.field(m::B_CHANGED.text(lang), &changed, role);
    let (managed, role) = match &found.managed {
        Some(managed) => (managed_text(managed, lang), Role::Text),
        None => (m::B_MANAGED_NONE.text(lang).to_owned(), Role::Muted),
    };
    doc.field(m::B_MANAGED.text(lang), &managed, role);
}

fn images(doc: &mut Doc, found: &CellDetail, lang: Lang) {
    for (i, (name, image, digest)) in found.containers.iter().enumerate() {
        let label = if i == 0 { m::B_IMAGES.text(lang) } else { "" };
        let short =
            if digest.is_empty() { String::new() } else { format!("  {}", super::cell::short_digest(digest, 12)) };
        doc.field(label, &format!("{name}  {image}{short}"), Role::Text);
    }
}

/// Name of the rule that made a service.
pub(super) fn rule_name(rule: KeyRule) -> Msg {
    match rule {
        KeyRule::Configured => m::RULE_CONFIGURED,
        KeyRule::ServiceLabel => m::RULE_SERVICE,
        KeyRule::Backstage => m::RULE_BACKSTAGE,
        KeyRule::Instance => m::RULE_INSTANCE,
        KeyRule::Name => m::RULE_NAME,
        KeyRule::App => m::RULE_APP,
        KeyRule::Workload => m::RULE_WORKLOAD,
    }
}

fn rule(doc: &mut Doc, service: &ServiceSummary, lang: Lang) {
    doc.field(m::B_RULE.text(lang), rule_name(service.rule).text(lang), Role::Muted);
    doc.field(m::B_SYSTEM.text(lang), &service.system, Role::Text);
}

fn config(doc: &mut Doc, found: &CellDetail, lang: Lang) {
    for (i, (name, readable)) in found.config.iter().enumerate() {
        let label = if i == 0 { m::B_CONFIG.text(lang) } else { "" };
        let name = clean_line(name);
        if *readable {
            doc.field(label, &name, Role::Text);
        } else {
            doc.field(label, &m::B_CONFIG_MISSING.fill(lang, &[("name", &name)]), Role::Warn);
        }
    }
}

fn workloads(doc: &mut Doc, found: &CellDetail, lang: Lang) {
    for (i, (_, name, ready, wanted)) in found.workloads.iter().enumerate() {
        let label = if i == 0 { m::B_WORKLOADS.text(lang) } else { "" };
        let count = wanted.map(|w| format!("  {ready}/{w}")).unwrap_or_default();
        doc.field(label, &format!("{name}{count}"), Role::Text);
    }
}

/// The lines for the cell of a group: what its clusters run, the most frequent first.
pub(super) fn of_group(
    service: &ServiceSummary,
    column: &super::columns::Column,
    look: Look<'_>,
    cells: usize,
) -> Vec<Line> {
    let lang = look.lang;
    let mut doc = Doc::new(cells, 15, look.glyphs.lines.0);
    let n = column.members.len().to_string();
    let values = [("service", &*clean_line(&service.key.name)), ("group", column.title.as_str()), ("n", n.as_str())];
    let msg = if column.members.len() == 1 { m::CELL_GROUP_ONE } else { m::CELL_GROUP };
    doc.line(vec![Span::bold(msg.fill(lang, &values), Role::Title)], None);
    let mut versions: Vec<(String, Vec<String>)> = Vec::new();
    for id in &column.members {
        let Some(shard) = look.store.shard(*id) else { continue };
        let name =
            if shard.record.alias.is_empty() { shard.record.name.to_string() } else { shard.record.alias.clone() };
        let style = Style { show: Show::Version, room: usize::MAX, glyphs: look.glyphs, lang };
        let (text, _) = super::cell::of_cluster(look.store, service, *id, style);
        match versions.iter_mut().find(|(v, _)| *v == text) {
            Some((_, names)) => names.push(name),
            None => versions.push((text, vec![name])),
        }
    }
    versions.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    for (version, names) in versions {
        doc.field(&version, &names.join(" "), Role::Text);
    }
    doc.into_lines()
}
