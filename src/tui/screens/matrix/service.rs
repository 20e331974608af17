//! One service: every workload of it in every cluster, with version, readiness and what is wrong; Enter opens the object.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{block, cell};
use crate::{
    fleet::{
        RowRef, Store,
        matrix::{self, CellDetail, ServiceKey, ServiceSummary},
    },
    messages::{Lang, clean_line, matrix as m, objects as o},
    model::{ClusterId, Health, Millis},
    tui::{
        action::ActionId,
        screen::{Choice, Ctx, Effect, Menu, MenuItem, MouseAct, Screen, ScreenState, UpdateCtx},
        screens::{
            doc::{Doc, Line},
            doc_view, faces,
            object::ObjectScreen,
            objects::why,
            words,
        },
        theme::Role,
        widgets::{
            Cell,
            pane::Pane,
            table::{Column, Hit, Pin, RowView, Table, TableState},
        },
    },
};

/// The list is made anew at most so often while the fleet changes.
const CALM: i64 = 500;

/// One workload of the service.
#[derive(Clone, Debug)]
struct Entry {
    at: RowRef,
    name: String,
    version: String,
    replicas: String,
    differs: bool,
}

/// See the module.
#[derive(Debug)]
pub struct ServiceScreen {
    key: ServiceKey,
    clusters: Vec<ClusterId>,
    service: Option<ServiceSummary>,
    entries: Vec<Entry>,
    absent: Vec<ClusterId>,
    unknown: Vec<ClusterId>,
    /// Cluster on which the screen opened; then the workload under the cursor.
    start: Option<ClusterId>,
    selected: Option<RowRef>,
    table: TableState,
    seen: u64,
    looked: Millis,
}

impl ServiceScreen {
    /// A service over some clusters (empty = all), the cursor on one of them.
    pub fn new(key: ServiceKey, clusters: Vec<ClusterId>, start: Option<ClusterId>) -> Self {
        Self {
            key,
            clusters,
            service: None,
            entries: Vec::new(),
            absent: Vec::new(),
            unknown: Vec::new(),
            start,
            selected: None,
            table: TableState::default(),
            seen: 0,
            looked: Millis(0),
        }
    }

    fn look(&mut self, store: &mut Store, now: Millis) {
        if self.looked.0 > 0 && (store.version() == self.seen || (now.0 - self.looked.0).abs() < CALM) {
            return;
        }
        self.service = matrix::services(store).iter().find(|s| s.key == self.key).cloned();
        self.seen = store.version();
        self.looked = now;
        self.entries.clear();
        self.absent.clear();
        self.unknown.clear();
        let Some(service) = &self.service else { return };
        for column in super::columns::columns(store, &self.clusters, super::Grouping::None, Lang::En, now) {
            for id in column.members {
                match matrix::detail(store, service.id, id) {
                    Some(found) => self.entries.extend(entries(store, &found, &self.key.name)),
                    None if super::columns::is_known(store, id) => self.absent.push(id),
                    None => self.unknown.push(id),
                }
            }
        }
        let wanted = self.selected.and_then(|at| self.entries.iter().position(|e| e.at == at));
        let wanted =
            wanted.or_else(|| self.start.take().and_then(|id| self.entries.iter().position(|e| e.at.cluster == id)));
        self.table.select(wanted.unwrap_or(self.table.cursor).min(self.entries.len().saturating_sub(1)));
        self.selected = self.current().map(|e| e.at);
    }

    fn current(&self) -> Option<&Entry> {
        self.entries.get(self.table.cursor)
    }

    fn name(&self) -> String {
        clean_line(&self.key.name).into_owned()
    }

    fn copy_menu(&self, ctx: &UpdateCtx<'_>) -> Option<Menu> {
        let entry = self.current()?;
        let lang = ctx.lang;
        let item =
            |key: char, what: &str, text: String| MenuItem::new(Some(key), what, Choice::Copy(text, what.to_owned()));
        let cluster = cluster_name(ctx.store, entry.at.cluster);
        let row = [cluster, entry.name.clone(), entry.version.clone(), entry.replicas.clone()].join("\t");
        let mut items = vec![
            item('n', m::COPY_SERVICE.text(lang), self.name()),
            item('w', m::S_WORKLOAD.text(lang), entry.name.clone()),
            item('r', o::COPY_ROW.text(lang), row),
        ];
        let why = ctx.store.row(entry.at).and_then(|row| why(row, lang));
        items.extend(why.map(|why| item('x', o::COPY_REASON.text(lang), why)));
        Some(Menu::new("copy", o::COPY_TITLE.text(lang), items))
    }

    fn as_text(&self, store: &Store, lang: Lang) -> String {
        let mut rows = vec![
            [m::S_CLUSTER, m::S_WORKLOAD, m::S_VERSION, m::S_READY, m::S_WHY].map(|h| h.text(lang).to_owned()).to_vec(),
        ];
        rows.extend(self.entries.iter().map(|e| {
            let why = store.row(e.at).and_then(|row| why(row, lang)).unwrap_or_default();
            vec![cluster_name(store, e.at.cluster), e.name.clone(), e.version.clone(), e.replicas.clone(), why]
        }));
        crate::tui::screens::fleet::aligned(&rows)
    }

    fn draw_table(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let lang = ctx.lang;
        let columns = [
            Column::new("mark", "").width(1, 1).pin(Pin::Left),
            Column::new("tile", "").width(1, 1).pin(Pin::Left),
            Column::new("cluster", m::S_CLUSTER.text(lang))
                .width(6, if ctx.size.0 < 80 { 12 } else { 24 })
                .pin(Pin::Left)
                .middle(),
            Column::new("workload", m::S_WORKLOAD.text(lang))
                .width(10, if ctx.size.0 < 110 { 24 } else { 44 })
                .middle(),
            Column::new("version", m::S_VERSION.text(lang)).width(7, 24).middle(),
            Column::new("ready", m::S_READY.text(lang)).width(5, 9).right(),
            Column::new("why", m::S_WHY.text(lang)).width(6, 120).grow(),
        ];
        let entries = &self.entries;
        Table::new(&columns, entries.len(), ctx.focused).draw(area, buf, ctx, &mut self.table, &mut |i, wanted| {
            let Some(entry) = entries.get(i) else { return RowView::default() };
            let cells = wanted.iter().map(|at| entry_cell(entry, *at, ctx)).collect();
            RowView { cells, stale: ctx.store.is_stale(entry.at), marked: false }
        });
    }

    /// Where it does not run, where that is not known, and the explanation of the cell under the cursor.
    fn explain(&self, ctx: &Ctx<'_>, cells: usize) -> Vec<Line> {
        let look = block::Look { store: ctx.store, lang: ctx.lang, glyphs: ctx.glyphs, now: ctx.now };
        let mut lines = Vec::new();
        if let (Some(service), Some(entry)) = (&self.service, self.current()) {
            lines = block::of_cluster(service, entry.at.cluster, look, cells);
        }
        let mut doc = Doc::new(cells, 0, ctx.glyphs.lines.0);
        for (list, msg) in [(&self.absent, m::S_NOT_IN), (&self.unknown, m::S_UNKNOWN_IN)] {
            if !list.is_empty() {
                let names: Vec<String> = list.iter().map(|id| cluster_name(ctx.store, *id)).collect();
                let values = [("n", list.len().to_string()), ("names", names.join(", "))];
                let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
                doc.para(&msg.fill(ctx.lang, &values), Role::Muted);
            }
        }
        lines.extend(doc.into_lines());
        lines
    }
}

fn cluster_name(store: &Store, id: ClusterId) -> String {
    store.shard(id).map(|s| clean_line(&s.record.name).into_owned()).unwrap_or_default()
}

fn entries(store: &Store, found: &CellDetail, service: &str) -> Vec<Entry> {
    found
        .workloads
        .iter()
        .map(|(at, name, ready, wanted)| {
            let main = *at == found.cell.main;
            let version = matrix::workload_detail(store, service, *at).unwrap_or_default().version;
            Entry {
                at: *at,
                name: clean_line(name).into_owned(),
                version: clean_line(&version).into_owned(),
                replicas: wanted.map_or_else(|| ready.to_string(), |w| format!("{ready}/{w}")),
                differs: main && found.cell.differs != matrix::Difference::None,
            }
        })
        .collect()
}

fn entry_cell(entry: &Entry, column: usize, ctx: &Ctx<'_>) -> Cell<'static> {
    let row = ctx.store.row(entry.at);
    let health = row.map_or(Health::Unknown, |r| r.health);
    match column {
        0 if entry.differs && health <= Health::Idle => Cell::new(ctx.glyphs.differs, Role::Changed).bold(),
        0 => Cell::new(ctx.glyphs.health(health), words::mark_role(health)).bold(),
        1 => {
            let (letter, role) = words::tile(entry.at.cluster);
            Cell::new(letter, role)
        }
        2 => Cell::text(cluster_name(ctx.store, entry.at.cluster)),
        3 => Cell::text(entry.name.clone()),
        4 => Cell::new(entry.version.clone(), if entry.differs { Role::Changed } else { Role::Text }),
        5 => Cell::new(entry.replicas.clone(), words::health_role(health)),
        _ => Cell::new(row.and_then(|r| why(r, ctx.lang)).unwrap_or_default(), words::health_role(health)),
    }
}

impl Screen for ServiceScreen {
    fn kind(&self) -> &'static str {
        "service"
    }

    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String> {
        vec![m::TITLE.text(ctx.lang).to_owned(), self.name()]
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        let clusters = self.service.as_ref().map_or(0, |s| s.clusters).to_string();
        m::S_SUMMARY.fill(ctx.lang, &[("n", &self.entries.len().to_string()), ("clusters", &clusters)])
    }

    fn actions(&self) -> &'static [ActionId] {
        use ActionId as A;
        &[A::Open, A::Yaml, A::Copy, A::Describe, A::Save]
    }

    fn disabled(&self, action: ActionId, ctx: &Ctx<'_>) -> Option<String> {
        let needs_row = matches!(action, ActionId::Open | ActionId::Describe | ActionId::Yaml | ActionId::Copy);
        (needs_row && self.entries.is_empty()).then(|| o::NOTHING_SELECTED.text(ctx.lang).to_owned())
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let object = || self.current().and_then(|e| ctx.store.object_ref(e.at));
        match action {
            ActionId::Open | ActionId::Describe => {
                return object().map(|o| Effect::Open(Box::new(ObjectScreen::detail(o)))).into_iter().collect();
            }
            ActionId::Yaml => return object().map(|o| ObjectScreen::open_yaml(o, ctx.now)).unwrap_or_default(),
            ActionId::Copy => return self.copy_menu(ctx).map(Effect::Menu).into_iter().collect(),
            ActionId::Save => {
                let name = format!("{}.txt", self.key.name);
                return vec![Effect::Save { name, text: self.as_text(ctx.store, ctx.lang) }];
            }
            motion => {
                self.table.act(motion, self.entries.len());
                self.selected = self.current().map(|e| e.at);
            }
        }
        Vec::new()
    }

    fn mouse(&mut self, at: (u16, u16), what: MouseAct, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match (what, self.table.hit(at)) {
            (MouseAct::Wheel(steps), _) => self.table.wheel(steps, self.entries.len()),
            (act @ (MouseAct::Click | MouseAct::DoubleClick), Some(Hit::Row(row, _))) => {
                self.table.select(row);
                if act == MouseAct::DoubleClick {
                    return self.act(ActionId::Open, ctx);
                }
            }
            _ => {}
        }
        self.selected = self.current().map(|e| e.at);
        Vec::new()
    }

    fn on_data(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        self.look(ctx.store, ctx.now);
        false
    }

    fn filter(&self) -> Option<&str> {
        None
    }

    fn esc(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        false
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        if area.is_empty() {
            return;
        }
        let at = if self.entries.is_empty() { 0 } else { self.table.cursor + 1 };
        let note = self.service.as_ref().map(|s| cell::note(&s.note, ctx.lang).0).unwrap_or_default();
        let pane = Pane {
            number: Some(1),
            title: format!("{}  {at}/{}", self.name(), self.entries.len()).into(),
            title_right: note.into(),
            focused: ctx.focused,
            ..Pane::default()
        };
        let inside = pane.draw(area, buf, ctx);
        if self.entries.is_empty() {
            faces::draw(inside, buf, ctx, &[(m::S_GONE.text(ctx.lang).to_owned(), Role::Text)]);
            return;
        }
        let below = if inside.height < 10 { 0 } else { (inside.height / 2).min(16) };
        let table = Rect { height: inside.height - below, ..inside };
        self.draw_table(table, buf, ctx);
        let foot = Rect { y: table.bottom(), height: below, ..inside };
        doc_view::foot(foot, buf, ctx, |cells| self.explain(ctx, cells));
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        if self.entries.is_empty() { None } else { self.table.cursor_position() }
    }

    fn state(&self) -> ScreenState {
        ScreenState::default()
    }
}
