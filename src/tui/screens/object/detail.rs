//! The detail of an object from its row: what it is, how it does, owners, containers, pods, labels, warnings about it.

use crate::{
    fleet::{
        RowRef, Store, list,
        row::{ContainerSpec, Detail, EventRow, Managed, NodeReady, NodeRow, PodRow, Row, WorkloadRow},
    },
    messages::{Lang, Msg, clean_line, common, cut_middle, objects as m, pad_left, width},
    model::{Builtin, Health, KindId, KindStatus, ObjectRef, Secs, utc_text},
    tui::{
        screen::Ctx,
        screens::{
            doc::{Doc, Line},
            words,
        },
        theme::Role,
    },
};

/// Owners that are followed upwards: deeper chains are a circle.
const DEEPEST: usize = 5;
/// Warnings that are listed.
const EVENTS: usize = 12;
/// Pods that are listed.
const PODS: usize = 20;

/// Lines for so many cells; `None` when the object is not in the cache.
pub(super) fn lines(object: &ObjectRef, ctx: &Ctx<'_>, cells: usize) -> Option<Vec<Line>> {
    let at = ctx.store.find(object)?;
    let row = ctx.store.row(at)?;
    let mut doc = Doc::new(cells, label_cells(ctx.lang), ctx.glyphs.lines.0);
    about(&mut doc, at, row, ctx);
    match &row.detail {
        Detail::Pod(p) => pod(&mut doc, p, row, ctx),
        Detail::Workload(w) => workload(&mut doc, w, ctx),
        Detail::Node(n) => node(&mut doc, n, ctx),
        _ => columns(&mut doc, at, ctx),
    }
    owner_lines(&mut doc, object, row, ctx);
    pod_lines(&mut doc, object, ctx);
    event_lines(&mut doc, object, ctx);
    label_lines(&mut doc, row, ctx);
    Some(doc.into_lines())
}

/// Owners from the nearest up, as far as they are watched.
pub(super) fn owners(store: &Store, object: &ObjectRef) -> Vec<ObjectRef> {
    let mut out: Vec<ObjectRef> = Vec::new();
    let mut at = object.clone();
    while out.len() < DEEPEST {
        let Some(next) = owner_of(store, &at) else { break };
        if out.contains(&next) || next == *object {
            break;
        }
        out.push(next.clone());
        at = next;
    }
    out
}

fn owner_of(store: &Store, object: &ObjectRef) -> Option<ObjectRef> {
    let row = store.row(store.find(object)?)?;
    let owner = row.owner.as_ref()?;
    let kind = kind_named(store, &owner.kind, &owner.group)?;
    let owner = ObjectRef {
        cluster: object.cluster,
        kind,
        namespace: if is_namespaced(store, kind) { object.namespace.clone() } else { String::new() },
        name: owner.name.to_string(),
    };
    store.find(&owner).map(|_| owner)
}

fn kind_named(store: &Store, kind: &str, group: &str) -> Option<KindId> {
    store.kinds().all().into_iter().find(|(_, info)| info.kind == kind && info.group == group).map(|(id, _)| id)
}

fn is_namespaced(store: &Store, kind: KindId) -> bool {
    store.kinds().info(kind).is_none_or(|k| k.namespaced)
}

/// Pods that the object controls, also through ReplicaSets and Jobs; those that are not well first.
pub(super) fn pods(store: &Store, object: &ObjectRef) -> Vec<RowRef> {
    let Some(row) = store.find(object).and_then(|at| store.row(at)) else { return Vec::new() };
    let mut owners = vec![row.uid];
    for kind in [Builtin::ReplicaSet, Builtin::Job] {
        owners.extend(store.owned(object.cluster, kind.id(), row.uid).map(|(_, r)| r.uid));
    }
    let mut out: Vec<(RowRef, &Row)> =
        owners.into_iter().flat_map(|uid| store.owned(object.cluster, Builtin::Pod.id(), uid)).collect();
    out.sort_by(|(_, a), (_, b)| b.health.cmp(&a.health).then_with(|| a.name.cmp(&b.name)));
    out.into_iter().map(|(at, _)| at).collect()
}

fn about(doc: &mut Doc, at: RowRef, row: &Row, ctx: &Ctx<'_>) {
    let lang = ctx.lang;
    let l = |msg: Msg| msg.text(lang);
    let state = ctx.store.shard(at.cluster).map(|s| words::state_word(&s.condition, lang)).unwrap_or_default();
    let mark = if row.health == Health::Ok { ctx.glyphs.ok } else { ctx.glyphs.health(row.health) };
    let (fresh, fresh_role) = crate::tui::screens::objects::freshness(ctx, at, &state);
    doc.item(mark, words::mark_role(row.health), words::health_text(row.health, lang), words::health_role(row.health));
    if let Some(why) = crate::tui::screens::objects::why(row, lang) {
        doc.item(" ", Role::Text, &why, words::health_role(row.health));
    }
    doc.item(" ", Role::Text, &fresh, fresh_role);
    doc.gap();
    let info = ctx.store.kinds().info(at.kind);
    doc.field(l(m::L_KIND), &info.map(|k| k.kind.clone()).unwrap_or_default(), Role::Text);
    doc.field(l(m::L_NAME), &row.name, Role::Text);
    doc.field(l(m::L_NAMESPACE), row.ns(), Role::Text);
    if let Some(shard) = ctx.store.shard(at.cluster) {
        let text = format!("{}  {}", shard.record.name, shard.record.environment);
        doc.field(l(m::L_CLUSTER), text.trim_end(), Role::Text);
    }
    doc.field(l(m::L_CREATED), &moment(m::V_CREATED, row.created, ctx), Role::Text);
    doc.field(l(m::L_DELETING), &moment(m::V_DELETING, row.deleting, ctx), Role::Warn);
}

/// A moment with its age; empty when it is not known.
fn moment(msg: Msg, at: Secs, ctx: &Ctx<'_>) -> String {
    if at.0 == 0 {
        return String::new();
    }
    msg.fill(ctx.lang, &[("time", &utc_text(at.into())), ("age", &words::age_of(at, ctx.now))])
}

fn pod(doc: &mut Doc, p: &PodRow, row: &Row, ctx: &Ctx<'_>) {
    let lang = ctx.lang;
    let l = |msg: Msg| msg.text(lang);
    doc.field(l(m::L_PHASE), &format!("{:?}", p.phase), Role::Text);
    let (ready, all) = p.ready;
    let role = if ready < all { words::health_role(row.health) } else { Role::Text };
    doc.field(l(m::L_READY), &format!("{ready}/{all}"), role);
    if p.restarts > 0 {
        let values = [("n", p.restarts.to_string()), ("age", words::age_of(p.restarted, ctx.now))];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let text = if p.restarted.0 == 0 { p.restarts.to_string() } else { m::V_RESTARTS.fill(lang, &values) };
        doc.field(l(m::L_RESTARTS), &text, Role::Warn);
    }
    doc.field(l(m::L_NODE), &p.node, Role::Text);
    doc.field(l(m::L_IP), p.ip.as_deref().unwrap_or(""), Role::Text);
    doc.field(l(m::L_REQUESTS), &format!("CPU {}, {}", words::cores(p.cpu_m.into()), words::memory(p.mem)), Role::Text);
    containers(doc, &p.containers, ctx);
}

fn containers(doc: &mut Doc, list: &[ContainerSpec], ctx: &Ctx<'_>) {
    doc.heading(m::D_CONTAINERS.text(ctx.lang));
    let names: Vec<String> = list
        .iter()
        .map(|c| if c.init { m::V_INIT.fill(ctx.lang, &[("name", &c.name)]) } else { c.name.to_string() })
        .map(|name| clean_line(&name).into_owned())
        .collect();
    let usual = label_cells(ctx.lang);
    doc.labels(names.iter().map(|n| width(n)).max().unwrap_or(0).clamp(usual, 28));
    for (c, name) in list.iter().zip(&names) {
        doc.field(name, &c.image, Role::Text);
        doc.field("", &cut_middle(&clean_line(&c.digest), doc.room()), Role::Muted);
    }
    doc.labels(usual);
}

/// Cells of the labels.
fn label_cells(lang: Lang) -> usize {
    if lang == Lang::Zh { 10 } else { 12 }
}

fn workload(doc: &mut Doc, w: &WorkloadRow, ctx: &Ctx<'_>) {
    let lang = ctx.lang;
    let l = |msg: Msg| msg.text(lang);
    if let Some(wanted) = w.wanted {
        let values = [
            ("ready", w.ready.to_string()),
            ("wanted", wanted.to_string()),
            ("updated", w.updated.to_string()),
            ("available", w.available.to_string()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let role = if w.ready < wanted { Role::Warn } else { Role::Text };
        doc.field(l(m::L_REPLICAS), &m::V_REPLICAS.fill(lang, &values), role);
    }
    doc.field(l(m::L_PROGRESS), l(words::progress_word(w.progress)), Role::Text);
    doc.field(l(m::L_REVISION), w.revision.as_deref().unwrap_or(""), Role::Text);
    doc.field(l(m::L_SCHEDULE), w.schedule.as_deref().unwrap_or(""), Role::Text);
    doc.field(l(m::L_LAST_RUN), &moment(m::V_CREATED, w.last_run, ctx), Role::Text);
    if let Some(change) = &w.changed {
        doc.field(l(m::L_CHANGED), &words::change_text(change, lang, ctx.now), Role::Text);
    }
    if let Some(managed) = &w.managed {
        doc.field(l(m::L_MANAGED), &managed_text(managed, lang), Role::Text);
    }
    doc.field(l(m::L_SERVICE), w.service.as_deref().unwrap_or(""), Role::Text);
    containers(doc, &w.containers, ctx);
    if !w.refs.is_empty() {
        doc.heading(m::D_READS.text(lang));
        for r in &w.refs {
            doc.para(&format!("{}/{}", if r.secret { "secret" } else { "configmap" }, r.name), Role::Text);
        }
    }
}

/// Which system owns an object, in words.
pub(in crate::tui::screens) fn managed_text(managed: &Managed, lang: Lang) -> String {
    use crate::messages::matrix as x;
    let msg = if managed.maybe { x::B_MANAGED_MAYBE } else { x::B_MANAGED_TEXT };
    let name = clean_line(&managed.name);
    let mut text = msg.fill(lang, &[("system", words::system_name(managed.by)), ("name", &name)]).trim_end().to_owned();
    if !managed.also.is_empty() {
        let also: Vec<&str> = managed.also.iter().map(|s| words::system_name(*s)).collect();
        text = format!("{text}; {}", x::B_ALSO.fill(lang, &[("systems", &also.join(", "))]));
    }
    text
}

fn node(doc: &mut Doc, n: &NodeRow, ctx: &Ctx<'_>) {
    let lang = ctx.lang;
    let l = |msg: Msg| msg.text(lang);
    let ready = match n.ready {
        NodeReady::Yes => "Ready",
        NodeReady::No => "NotReady",
        NodeReady::Unknown => "Unknown",
    };
    let role = if n.ready == NodeReady::Yes { Role::Text } else { Role::Bad };
    let cordoned = if n.unschedulable { format!(", {}", l(m::V_CORDONED)) } else { String::new() };
    doc.field(l(m::L_READY), &format!("{ready}{cordoned}"), role);
    let pressures: Vec<&str> = n.pressures.iter().map(|p| &**p).collect();
    doc.field(l(m::L_PRESSURES), &pressures.join(", "), Role::Warn);
    doc.field(l(m::L_ROLES), &n.roles, Role::Text);
    doc.field(l(m::L_VERSION), &n.kubelet, Role::Text);
    doc.field(l(m::L_OS), &format!("{} {}", n.os_image, n.arch), Role::Text);
    doc.field(l(m::L_RUNTIME), &n.runtime, Role::Text);
    let zone = [&*n.region, &*n.zone].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ");
    doc.field(l(m::L_ZONE), &zone, Role::Text);
    doc.field(l(m::L_INSTANCE), &n.instance, Role::Text);
    doc.field(l(m::L_IP), n.address.as_deref().unwrap_or(""), Role::Text);
    let a = &n.allocatable;
    let text = format!("CPU {}, {}, {} Pods", words::cores(a.cpu_m), words::memory(a.mem), a.pods);
    doc.field(l(m::L_ALLOCATABLE), &text, Role::Text);
}

/// Every other kind: its columns, one by one.
fn columns(doc: &mut Doc, at: RowRef, ctx: &Ctx<'_>) {
    for column in list::columns(at.kind) {
        doc.field(column.header, &list::cell_text(ctx.store, at, column.key), Role::Text);
    }
}

fn owner_lines(doc: &mut Doc, object: &ObjectRef, row: &Row, ctx: &Ctx<'_>) {
    let Some(direct) = &row.owner else { return };
    doc.heading(m::D_OWNER.text(ctx.lang));
    let chain = owners(ctx.store, object);
    if chain.is_empty() {
        // The owner is of a kind that is not watched: its name is known all the same.
        doc.field(&clean_line(&direct.kind), &direct.name, Role::Text);
    }
    for owner in chain {
        let kind = ctx.store.kinds().info(owner.kind).map(|k| k.kind.clone()).unwrap_or_default();
        doc.field(&kind, &owner.name, Role::Text);
    }
}

fn pod_lines(doc: &mut Doc, object: &ObjectRef, ctx: &Ctx<'_>) {
    let all = pods(ctx.store, object);
    if all.is_empty() {
        return;
    }
    doc.heading(m::D_PODS.text(ctx.lang));
    for row in all.iter().take(PODS).filter_map(|at| ctx.store.row(*at)) {
        let why = crate::tui::screens::objects::why(row, ctx.lang).unwrap_or_default();
        let text = format!("{}  {why}", row.name);
        let role = words::health_role(row.health);
        doc.item(ctx.glyphs.health(row.health), words::mark_role(row.health), text.trim_end(), role);
    }
    if all.len() > PODS {
        let more = crate::messages::matrix::B_MORE.fill(ctx.lang, &[("n", &(all.len() - PODS).to_string())]);
        doc.para(&more, Role::Muted);
    }
}

/// Warnings about the object itself and, for what runs pods, about its pods.
fn event_lines(doc: &mut Doc, object: &ObjectRef, ctx: &Ctx<'_>) {
    let lang = ctx.lang;
    doc.heading(m::D_EVENTS.text(lang));
    let kind = ctx.store.kinds().info(object.kind).map(|k| k.kind.clone()).unwrap_or_default();
    let pods: Vec<&str> =
        pods(ctx.store, object).iter().filter_map(|at| ctx.store.row(*at)).map(|r| r.name.as_str()).collect();
    let is_about = |row: &Row, e: &EventRow| {
        let here = object.namespace.is_empty() || row.ns() == object.namespace;
        here && ((*e.kind == *kind && e.object == object.name)
            || (&*e.kind == "Pod" && pods.contains(&e.object.as_str())))
    };
    let events = Builtin::Event.id();
    let mut found: Vec<&EventRow> = ctx
        .store
        .rows(object.cluster, events)
        .filter_map(|(_, row)| match &row.detail {
            Detail::Event(e) if is_about(row, e) => Some(&**e),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        let refused =
            ctx.store.shard(object.cluster).is_some_and(|s| matches!(s.kind(events), KindStatus::Forbidden(_)));
        doc.para(if refused { m::FORBIDDEN_EVENTS } else { m::NO_EVENTS }.text(lang), Role::Muted);
        return;
    }
    found.sort_by(|a, b| {
        b.last.cmp(&a.last).then_with(|| a.reason.cmp(&b.reason)).then_with(|| a.message.cmp(&b.message))
    });
    for e in found.into_iter().take(EVENTS) {
        let age = pad_left(&words::age_of(e.last, ctx.now), 4);
        let times = if e.count > 1 { format!(" x{}", e.count) } else { String::new() };
        let text = format!("{age}  {}{times}  {}", clean_line(&e.reason), clean_line(&e.message));
        doc.item(ctx.glyphs.warn, Role::Warn, &text, Role::Text);
    }
}

fn label_lines(doc: &mut Doc, row: &Row, ctx: &Ctx<'_>) {
    doc.heading(m::D_LABELS.text(ctx.lang));
    if row.labels.is_empty() {
        doc.para(common::NONE.text(ctx.lang), Role::Muted);
    }
    for (key, value) in row.labels.iter() {
        doc.para(&format!("{key}={value}"), Role::Text);
    }
}
