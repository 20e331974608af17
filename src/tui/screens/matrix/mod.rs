//! The Matrix: services by clusters. The service column, its gutter and the note stay in place; only visible cells are
//! formatted, so 300 clusters by 500 services cost what is on the screen.

mod block;
mod cell;
pub(super) mod columns;
mod draw;
mod service;
#[cfg(test)]
mod tests;

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use ratatui::{buffer::Buffer, layout::Rect};

use columns::{Column, Grouping};
pub use service::ServiceScreen;

use super::{placement::PlacementScreen, words};
use crate::{
    fleet::{
        Store,
        filter::Filter,
        matrix::{self, ServiceId, ServiceKey, ServiceSummary, Show, detail},
    },
    messages::{Lang, clean_line, fleet as f, matrix as m, objects as o},
    model::{ClusterId, ClusterState, Millis},
    tui::{
        action::ActionId,
        glyphs::UNICODE,
        kept::Kept,
        screen::{Choice, Ctx, Effect, Menu, MenuItem, MouseAct, Notice, Scope, Screen, ScreenState, UpdateCtx},
        theme::Role,
        widgets::table::{Hit, TableState},
    },
};

/// Columns are looked at again so often when no cluster's state changed: a region may become known.
const CALM: i64 = 5000;

/// A group's cells are kept so long while the fleet changes: each is made of many.
const GROUP_CELL: i64 = 500;

/// Cells of groups with the moment they were made.
type GroupCells = HashMap<(ServiceId, String), (Millis, String, Role)>;

/// See the module.
#[derive(Debug, Default)]
pub struct MatrixScreen {
    /// Clusters chosen by `\`; empty = all.
    clusters: Vec<ClusterId>,
    at: String,
    namespace: String,
    filter: Filter,
    show: Show,
    grouping: Grouping,
    differing: bool,
    by_name: bool,
    columns: Vec<Column>,
    /// Services shown, in order, and how many there are.
    services: Vec<ServiceSummary>,
    /// Names that several services have, in different namespaces.
    twins: BTreeSet<Arc<str>>,
    total: usize,
    selected: Option<ServiceKey>,
    moved: bool,
    /// Column under the cursor: its place and its key.
    column: usize,
    column_key: String,
    /// It was opened for the column of one cluster.
    for_cluster: bool,
    table: TableState,
    /// Width of a cell: grows with what is seen, until the view changes.
    cell_width: u16,
    seen: u64,
    looked: Millis,
    states: Vec<(ClusterId, ClusterState)>,
    group_cells: RefCell<GroupCells>,
    /// Cells formatted for the last frame.
    formatted: usize,
}

impl MatrixScreen {
    /// A Matrix on a part of the fleet.
    pub fn new(scope: &Scope) -> Self {
        Self {
            clusters: scope.clusters.clone(),
            at: scope.at.clone(),
            namespace: scope.namespace.clone(),
            filter: Filter::parse(&scope.filter),
            ..Self::default()
        }
    }

    /// The same with the cursor on the column of this cluster.
    #[must_use]
    pub fn at_cluster(mut self, name: &str) -> Self {
        self.column_key = columns::key_of(name);
        self.for_cluster = true;
        self
    }

    /// Cells that were formatted for the last frame.
    pub fn formatted(&self) -> usize {
        self.formatted
    }

    fn current(&self) -> Option<&ServiceSummary> {
        self.services.get(self.table.cursor)
    }

    fn current_column(&self) -> Option<&Column> {
        self.columns.get(self.column)
    }

    fn look(&mut self, store: &mut Store, lang: Lang, now: Millis) {
        if store.version() == self.seen && self.looked.0 > 0 {
            return;
        }
        self.seen = store.version();
        let states: Vec<(ClusterId, ClusterState)> = store.clusters().map(|(id, s)| (id, s.condition.state)).collect();
        if states != self.states || (now.0 - self.looked.0).abs() >= CALM {
            self.states = states;
            self.looked = now;
            self.arrange_columns(store, lang, now);
        }
        self.arrange(store);
    }

    fn arrange_columns(&mut self, store: &Store, lang: Lang, now: Millis) {
        self.columns = columns::columns(store, &self.clusters, self.grouping, lang, now);
        let at = self.columns.iter().position(|c| c.key == self.column_key);
        self.column = at.unwrap_or(self.column).min(self.columns.len().saturating_sub(1));
        self.take_column();
    }

    /// Filters and orders the services; the cursor stays on its own.
    fn arrange(&mut self, store: &mut Store) {
        let all = matrix::services(store);
        let here = |s: &&ServiceSummary| {
            self.namespace.is_empty() || s.key.namespace.as_deref().is_none_or(|ns| *ns == *self.namespace)
        };
        self.total = all.iter().filter(here).count();
        // They are sorted by name.
        let pairs = all.windows(2).filter(|pair| pair[0].key.name == pair[1].key.name);
        self.twins = pairs.map(|pair| Arc::clone(&pair[0].key.name)).collect();
        let mut services: Vec<ServiceSummary> = all
            .iter()
            .filter(here)
            .filter(|s| (!self.differing || cell::rank(s) < 6) && passes(s, &self.filter))
            .cloned()
            .collect();
        if !self.by_name {
            // Stable: within one rank the order of the names stays.
            services.sort_by_key(cell::rank);
        }
        self.services = services;
        let at = self.selected.as_ref().and_then(|key| self.services.iter().position(|s| s.key == *key));
        let at = if self.moved { at.unwrap_or(self.table.cursor) } else { 0 };
        self.table.select(at.min(self.services.len().saturating_sub(1)));
        self.take_selection();
    }

    /// What is worth finding again at the next start.
    fn kept(&self) -> Effect {
        Effect::Keep(Kept {
            sort: if self.by_name { "name".into() } else { String::new() },
            group: self.grouping.word().into(),
            ..Kept::default()
        })
    }

    fn take_selection(&mut self) {
        self.selected = self.current().map(|s| s.key.clone());
    }

    fn take_column(&mut self) {
        self.column_key = self.current_column().map(|c| c.key.clone()).unwrap_or_default();
    }

    fn step_column(&mut self, by: isize) {
        self.column = self.column.saturating_add_signed(by).min(self.columns.len().saturating_sub(1));
        self.take_column();
    }

    fn page_of_columns(&self) -> isize {
        isize::try_from(self.table.columns_shown().1.max(1)).unwrap_or(1)
    }

    /// Another view: widths and the cells of groups are made anew.
    fn new_view(&mut self) {
        self.cell_width = 0;
        self.table.reset_widths();
        self.group_cells.borrow_mut().clear();
    }

    fn regroup(&mut self, ctx: &UpdateCtx<'_>) {
        self.grouping = self.grouping.next();
        self.column = 0;
        self.column_key.clear();
        self.table.left = 0;
        self.new_view();
        self.arrange_columns(ctx.store, ctx.lang, ctx.now);
    }

    /// Text and role of one cell; a group's is kept for a moment.
    fn cell(
        &self,
        store: &Store,
        service: &ServiceSummary,
        column: &Column,
        now: Millis,
        style: cell::Style<'_>,
    ) -> (String, Role) {
        if !column.group {
            let Some(id) = column.members.first() else { return (String::new(), Role::Text) };
            return cell::of_cluster(store, service, *id, style);
        }
        let key = (service.id, column.key.clone());
        if let Some((at, text, role)) = self.group_cells.borrow().get(&key)
            && (now.0 - at.0).abs() < GROUP_CELL
        {
            return (text.clone(), *role);
        }
        let (text, role) = cell::of_group(store, service, &column.members, style);
        self.group_cells.borrow_mut().insert(key, (now, text.clone(), role));
        (text, role)
    }

    /// How cells are written to a file or the clipboard: whole.
    fn written(&self, lang: Lang) -> cell::Style<'static> {
        cell::Style { show: self.show, room: usize::MAX, glyphs: &UNICODE, lang }
    }

    fn open(&self, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let Some(service) = self.current() else { return Vec::new() };
        let cluster = self.current_column().filter(|c| !c.group).and_then(|c| c.members.first()).copied();
        let members: Vec<ClusterId> = match self.current_column().filter(|c| c.group) {
            Some(column) => column.members.clone(),
            None => self.clusters.clone(),
        };
        let mut screen = ServiceScreen::new(service.key.clone(), members, cluster);
        screen.on_data(ctx);
        vec![Effect::Open(Box::new(screen))]
    }

    /// Placement on the service and the cluster under the cursor.
    fn open_placement(&self, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let scope = Scope { clusters: self.clusters.clone(), at: self.at.clone(), ..Scope::default() };
        let mut screen = PlacementScreen::new(&scope);
        if let Some(service) = self.current() {
            screen = screen.on(service.key.clone(), &self.column_key);
        }
        screen.on_data(ctx);
        vec![Effect::Open(Box::new(screen))]
    }

    fn open_object(&self, ctx: &UpdateCtx<'_>, yaml: bool) -> Vec<Effect> {
        let key = words::key(ActionId::Group);
        let Some(column) = self.current_column() else { return Vec::new() };
        if column.group {
            return vec![Effect::Notice(Notice::info(m::GROUP_CELL.fill(ctx.lang, &[("key", key)])))];
        }
        let main = self
            .current()
            .zip(column.members.first())
            .and_then(|(service, id)| matrix::cell(ctx.store, service.id, *id))
            .and_then(|cell| ctx.store.object_ref(cell.main));
        match main {
            Some(object) if yaml => super::object::ObjectScreen::open_yaml(object, ctx.now),
            Some(object) => vec![Effect::Open(Box::new(super::object::ObjectScreen::detail(object)))],
            None => vec![Effect::Notice(Notice::info(m::NO_CELL.text(ctx.lang)))],
        }
    }

    fn copy_menu(&self, ctx: &UpdateCtx<'_>) -> Option<Menu> {
        let (service, column) = (self.current()?, self.current_column()?);
        let lang = ctx.lang;
        let item = |key: char, what: &str, text: String| {
            MenuItem::new(Some(key), what, Choice::Copy(clean_line(&text).into_owned(), what.to_owned()))
        };
        let text = self.cell(ctx.store, service, column, ctx.now, self.written(lang)).0;
        let mut items = vec![
            item('c', m::COPY_CELL.text(lang), text),
            item('n', m::COPY_SERVICE.text(lang), service.key.name.to_string()),
        ];
        let found = column.members.first().filter(|_| !column.group).and_then(|id| detail(ctx.store, service.id, *id));
        if let Some(found) = found {
            if let Some((_, image, digest)) = found.containers.first() {
                items.push(item('i', m::COPY_IMAGE.text(lang), image.to_string()));
                if !digest.is_empty() {
                    items.push(item('d', m::COPY_DIGEST.text(lang), digest.to_string()));
                }
            }
            let look = block::Look { store: ctx.store, lang, glyphs: &UNICODE, now: ctx.now };
            let lines = column.members.first().map(|id| block::of_cluster(service, *id, look, 160)).unwrap_or_default();
            let what = m::COPY_EXPLANATION.text(lang);
            items.push(MenuItem::new(Some('x'), what, Choice::Copy(super::doc::text_of(&lines), what.to_owned())));
        }
        let row: Vec<String> = self
            .columns
            .iter()
            .map(|c| format!("{}\t{}", c.title, self.cell(ctx.store, service, c, ctx.now, self.written(lang)).0))
            .collect();
        let what = m::COPY_ROW.text(lang);
        items.push(MenuItem::new(Some('r'), what, Choice::Copy(row.join("\n"), what.to_owned())));
        Some(Menu::new("copy", o::COPY_TITLE.text(lang), items))
    }

    fn sort_menu(&self, lang: Lang) -> Menu {
        let item = |key: char, text: &str, id: &str| MenuItem::new(Some(key), text, Choice::Pick(id.into()));
        let items =
            vec![item('r', o::SORT_RISK_LONG.text(lang), "risk"), item('n', m::COPY_SERVICE.text(lang), "name")];
        Menu::new("sort", o::SORT_TITLE.text(lang), items)
    }

    /// `ledger`, or `ledger (shop)` where the name alone would not be unique.
    fn service_name(&self, service: &ServiceSummary) -> String {
        let name = clean_line(&service.key.name);
        match service.key.namespace.as_deref().filter(|_| self.twins.contains(&service.key.name)) {
            Some(namespace) => format!("{name} ({})", clean_line(namespace)),
            None => name.into_owned(),
        }
    }

    /// The whole matrix as text: every service shown, every column.
    fn as_text(&self, ctx: &UpdateCtx<'_>) -> String {
        let mut head = vec![m::SERVICE.text(ctx.lang).to_owned()];
        head.extend(self.columns.iter().map(|c| c.title.clone()));
        head.push(m::NOTE.text(ctx.lang).to_owned());
        let mut rows = vec![head];
        for service in &self.services {
            let mut row = vec![self.service_name(service)];
            row.extend(
                self.columns.iter().map(|c| self.cell(ctx.store, service, c, ctx.now, self.written(ctx.lang)).0),
            );
            row.push(cell::note(&service.note, ctx.lang).0);
            rows.push(row);
        }
        super::fleet::aligned(&rows)
    }
}

/// Whether a service passes the filter.
fn passes(service: &ServiceSummary, filter: &Filter) -> bool {
    if filter.is_empty() {
        return true;
    }
    let namespace = service.key.namespace.as_deref().unwrap_or("");
    let bare: [&str; 4] = [&service.key.name, namespace, &service.system, &service.usual];
    let field = |name: &str| -> Option<String> {
        Some(match name {
            "service" | "name" => service.key.name.to_string(),
            "namespace" | "ns" => namespace.to_owned(),
            "system" => service.system.to_string(),
            "version" => service.usual.to_string(),
            "note" => cell::note(&service.note, Lang::En).0,
            "health" => service.worst.word().to_owned(),
            "clusters" => service.clusters.to_string(),
            _ => return None,
        })
    };
    filter.matches(&bare, &field, &|_| None)
}

impl Screen for MatrixScreen {
    fn kind(&self) -> &'static str {
        "matrix"
    }

    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String> {
        let mut out = vec![m::TITLE.text(ctx.lang).to_owned()];
        let parts = [self.at.as_str(), &self.namespace, self.filter.text()];
        out.extend(parts.into_iter().filter(|s| !s.is_empty()).map(|s| clean_line(s).into_owned()));
        if self.differing {
            out.push(m::ONLY_DIFFERING.text(ctx.lang).to_owned());
        }
        out
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        let (first, shown, _) = self.table.columns_shown();
        let mut members: Vec<ClusterId> = self.columns.iter().flat_map(|c| c.members.iter().copied()).collect();
        members.sort_unstable();
        members.dedup();
        let values = [
            ("services", self.services.len().to_string()),
            ("clusters", members.len().to_string()),
            ("groups", self.columns.len().to_string()),
            ("from", (first + 1).to_string()),
            ("to", (first + shown).to_string()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let msg = match (self.columns.is_empty() || shown == 0, self.grouping) {
            (true, _) => m::SUMMARY_NONE,
            (_, Grouping::None) => m::SUMMARY,
            _ => m::SUMMARY_GROUPS,
        };
        let text = msg.fill(ctx.lang, &values);
        match self.filter.note() {
            Some(note) => format!("{}   {text}", clean_line(note)),
            None if !self.filter.is_empty() => format!("{}   {text}", f::HOW_HERE.text(ctx.lang)),
            None => text,
        }
    }

    fn actions(&self) -> &'static [ActionId] {
        use ActionId as A;
        &[
            A::Open,
            A::Differing,
            A::CellShows,
            A::Group,
            A::Copy,
            A::Sort,
            A::Describe,
            A::Yaml,
            A::CellLeft,
            A::CellRight,
            A::Save,
            A::Placement,
        ]
    }

    fn disabled(&self, action: ActionId, ctx: &Ctx<'_>) -> Option<String> {
        let needs_row = matches!(action, ActionId::Open | ActionId::Describe | ActionId::Yaml | ActionId::Copy);
        (needs_row && self.services.is_empty()).then(|| o::NOTHING_SELECTED.text(ctx.lang).to_owned())
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match action {
            ActionId::Open => return self.open(ctx),
            ActionId::Describe => return self.open_object(ctx, false),
            ActionId::Yaml => return self.open_object(ctx, true),
            ActionId::Placement => return self.open_placement(ctx),
            ActionId::Copy => return self.copy_menu(ctx).map(Effect::Menu).into_iter().collect(),
            ActionId::Save => return vec![Effect::Save { name: "matrix.txt".into(), text: self.as_text(ctx) }],
            ActionId::Sort => return vec![Effect::Menu(self.sort_menu(ctx.lang))],
            ActionId::Differing | ActionId::Problems => {
                self.differing = !self.differing;
                self.arrange(ctx.store);
            }
            ActionId::CellShows => {
                self.show = match self.show {
                    Show::Version => Show::Digest,
                    Show::Digest => Show::Config,
                    Show::Config => Show::Replicas,
                    Show::Replicas => Show::Version,
                };
                self.new_view();
            }
            ActionId::Group => {
                self.regroup(ctx);
                return vec![self.kept()];
            }
            ActionId::CellLeft | ActionId::Left => self.step_column(-1),
            ActionId::CellRight | ActionId::Right => self.step_column(1),
            ActionId::PageLeft => self.step_column(-self.page_of_columns()),
            ActionId::PageRight => self.step_column(self.page_of_columns()),
            motion => {
                if self.table.act(motion, self.services.len()) {
                    self.moved = true;
                    self.take_selection();
                }
            }
        }
        Vec::new()
    }

    fn mouse(&mut self, at: (u16, u16), what: MouseAct, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match (what, self.table.hit(at)) {
            (MouseAct::Wheel(steps), _) => self.table.wheel(steps, self.services.len()),
            (MouseAct::WheelSide(steps), _) => self.step_column(isize::from(steps)),
            (MouseAct::Click, Some(Hit::Header(key))) if key == "service" => {
                self.by_name = !self.by_name;
                self.arrange(ctx.store);
                return vec![self.kept()];
            }
            (act @ (MouseAct::Click | MouseAct::DoubleClick), Some(Hit::Row(row, column))) => {
                self.table.select(row);
                if let Some(at) = column.and_then(|key| self.columns.iter().position(|c| c.key == *key)) {
                    self.column = at;
                    self.take_column();
                }
                if act == MouseAct::DoubleClick {
                    self.take_selection();
                    return self.open(ctx);
                }
            }
            _ => return Vec::new(),
        }
        self.moved = true;
        self.take_selection();
        Vec::new()
    }

    fn on_data(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        self.look(ctx.store, ctx.lang, ctx.now);
        false
    }

    fn filter(&self) -> Option<&str> {
        Some(self.filter.text())
    }

    fn set_filter(&mut self, text: &str, ctx: &mut UpdateCtx<'_>) {
        self.filter = Filter::parse(text);
        self.arrange(ctx.store);
    }

    fn set_clusters(&mut self, clusters: Vec<ClusterId>, at: &str, ctx: &mut UpdateCtx<'_>) {
        self.clusters = clusters;
        at.clone_into(&mut self.at);
        self.table.left = 0;
        self.arrange_columns(ctx.store, ctx.lang, ctx.now);
    }

    fn clusters(&self) -> Option<&str> {
        Some(&self.at)
    }

    fn chosen(&mut self, menu: &str, choice: &str, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        if menu == "sort" {
            self.by_name = choice == "name";
            self.arrange(ctx.store);
            return vec![self.kept()];
        }
        Vec::new()
    }

    fn kept_name(&self, _store: &Store) -> String {
        "matrix".to_owned()
    }

    fn adopt(&mut self, kept: &Kept, ctx: &mut UpdateCtx<'_>) {
        self.by_name = kept.sort == "name";
        // One who comes for the column of a cluster finds it.
        if !self.for_cluster {
            self.grouping = Grouping::named(&kept.group);
            self.new_view();
            self.arrange_columns(ctx.store, ctx.lang, ctx.now);
        }
        self.arrange(ctx.store);
    }

    fn esc(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        if !self.filter.is_empty() {
            self.set_filter("", ctx);
        } else if self.differing {
            self.differing = false;
            self.arrange(ctx.store);
        } else {
            return false;
        }
        true
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.render(area, buf, ctx);
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        if self.services.is_empty() { None } else { self.table.cursor_position() }
    }

    fn state(&self) -> ScreenState {
        let mut state = ScreenState {
            filter: self.filter.text().to_owned(),
            sort: if self.by_name { "name".into() } else { String::new() },
            ..ScreenState::default()
        };
        if let Some(key) = self.selected.as_ref().filter(|_| self.moved) {
            state.cursor = format!("{}\n{}", key.name, key.namespace.as_deref().unwrap_or("\t"));
        }
        state.other.insert("column".into(), self.column_key.clone());
        state.other.insert("group".into(), self.grouping.word().into());
        state.other.insert("differing".into(), self.differing.to_string());
        state
    }

    fn restore(&mut self, state: &ScreenState, ctx: &mut UpdateCtx<'_>) {
        self.filter = Filter::parse(&state.filter);
        self.by_name = state.sort == "name";
        self.differing = state.other.get("differing").is_some_and(|v| v == "true");
        self.grouping = Grouping::named(state.other.get("group").map_or("", String::as_str));
        self.column_key = state.other.get("column").cloned().unwrap_or_default();
        if let Some((name, namespace)) = state.cursor.split_once('\n') {
            let namespace = (namespace != "\t").then(|| namespace.into());
            self.selected = Some(ServiceKey { name: name.into(), namespace });
            self.moved = true;
        }
        self.new_view();
        self.arrange_columns(ctx.store, ctx.lang, ctx.now);
        self.arrange(ctx.store);
    }
}
