//! The Fleet screen: every cluster with its state, worst first, and the record of the one under the cursor.

mod cluster;
mod columns;
mod detail;
mod draw;
#[cfg(test)]
mod tests;

use std::{cmp::Ordering, collections::BTreeSet};

use ratatui::{buffer::Buffer, layout::Rect};

pub use cluster::ClusterScreen;
use columns::Col;
pub(crate) use draw::aligned;

use super::{doc_view::DocView, matrix::MatrixScreen, text, words};
use crate::{
    fleet::{
        Store,
        filter::Filter,
        inventory::{self, ClusterRow},
    },
    live::Ask,
    messages::{Lang, clean_line, fleet as m, live},
    model::{ClusterId, ClusterState, Millis},
    tui::{
        action::ActionId,
        glyphs::UNICODE,
        kept::Kept,
        screen::{Choice, Ctx, Effect, Menu, MenuItem, MouseAct, Notice, Scope, Screen, ScreenState, UpdateCtx},
        widgets::table::{Hit, TableState},
    },
};

/// Changes of counters alone re-sort the list at most so often, so that rows do not jump while one reads.
const CALM: i64 = 1000;

/// Which pane has the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    List,
    Detail,
}

/// See the module.
#[derive(Debug, Default)]
pub struct FleetScreen {
    /// Clusters chosen by `\`; empty = all.
    clusters: Vec<ClusterId>,
    at: String,
    filter: Filter,
    problems: bool,
    /// `None` = by risk.
    sort: Option<Col>,
    reverse: bool,
    wide: bool,
    zoom: bool,
    /// Columns in their order, and whether each is shown when not wide.
    columns: Vec<(Col, bool)>,
    /// Every cluster of the scope.
    all: Vec<ClusterRow>,
    /// Those shown, in order: positions in `all`.
    order: Vec<usize>,
    selected: Option<ClusterId>,
    /// The person has moved: from then on the cursor stays with its cluster, before that with the worst.
    moved: bool,
    marks: BTreeSet<ClusterId>,
    anchor: Option<ClusterId>,
    focus: Focus,
    table: TableState,
    detail: DocView,
    detail_of: Option<ClusterId>,
    /// Store version and time of the last look at the clusters, and what their states were.
    seen: u64,
    looked: Millis,
    states: Vec<(ClusterId, ClusterState, u16)>,
}

impl FleetScreen {
    /// A Fleet screen on a part of the fleet.
    pub fn new(scope: &Scope) -> Self {
        Self {
            clusters: scope.clusters.clone(),
            at: scope.at.clone(),
            filter: Filter::parse(&scope.filter),
            columns: usual_columns(),
            ..Self::default()
        }
    }

    /// The cluster under the cursor.
    fn current(&self) -> Option<&ClusterRow> {
        self.order.get(self.table.cursor).and_then(|i| self.all.get(*i))
    }

    /// Marked clusters in the order of the list, else the one under the cursor.
    fn targets(&self) -> Vec<ClusterId> {
        if self.marks.is_empty() {
            return self.current().map(|r| r.id).into_iter().collect();
        }
        let mut out: Vec<ClusterId> = self.order.iter().filter_map(|i| self.all.get(*i)).map(|r| r.id).collect();
        out.retain(|id| self.marks.contains(id));
        // Marks that the filter hides still count.
        let hidden: Vec<ClusterId> = self.marks.iter().filter(|id| !out.contains(id)).copied().collect();
        out.extend(hidden);
        out
    }

    /// Looks at the clusters again when something changed: at once when a state did, else calmly.
    fn look(&mut self, store: &Store, now: Millis) {
        if store.version() == self.seen && self.looked.0 > 0 {
            return;
        }
        let states: Vec<(ClusterId, ClusterState, u16)> =
            store.clusters().map(|(id, s)| (id, s.condition.state, s.condition.progress.0)).collect();
        if states == self.states && now.0 - self.looked.0 < CALM && now.0 >= self.looked.0 {
            return;
        }
        self.states = states;
        self.seen = store.version();
        self.looked = now;
        let ids: Vec<ClusterId> = store
            .clusters()
            .map(|(id, _)| id)
            .filter(|id| self.clusters.is_empty() || self.clusters.contains(id))
            .collect();
        self.all = ids.iter().filter_map(|id| inventory::cluster_row(store, *id, now)).collect();
        self.marks.retain(|id| store.shard(*id).is_some());
        self.arrange(now);
    }

    /// Filters and sorts; the cursor stays on its cluster, or goes to the nearest neighbour when that one is gone.
    fn arrange(&mut self, now: Millis) {
        let mut order: Vec<usize> = (0..self.all.len())
            .filter(|i| {
                let row = &self.all[*i];
                (!self.problems || columns::health_word(row) != "ok")
                    && columns::passes(row, &self.filter, &UNICODE, now)
            })
            .collect();
        order.sort_by(|a, b| self.compare(&self.all[*a], &self.all[*b]));
        self.order = order;
        let at = self.selected.and_then(|id| self.order.iter().position(|i| self.all[*i].id == id));
        let at = if self.moved { at } else { Some(0) };
        self.table.select(at.unwrap_or(self.table.cursor).min(self.order.len().saturating_sub(1)));
        self.follow();
    }

    fn compare(&self, a: &ClusterRow, b: &ClusterRow) -> Ordering {
        let by = match self.sort {
            None => b.score.cmp(&a.score),
            Some(col) => columns::compare(a, b, col),
        };
        let by = if self.reverse { by.reverse() } else { by };
        by.then_with(|| a.record.name.cmp(&b.record.name)).then_with(|| a.id.cmp(&b.id))
    }

    /// The selection is the cluster under the cursor.
    fn follow(&mut self) {
        self.selected = self.current().map(|r| r.id);
    }

    fn sort_by(&mut self, sort: Option<Col>, now: Millis) {
        self.reverse = self.sort == sort && !self.reverse;
        self.sort = sort;
        self.arrange(now);
    }

    /// What is worth finding again at the next start.
    fn kept(&self) -> Effect {
        let shown = |columns: &[(Col, bool)]| -> Vec<String> {
            columns.iter().filter(|(_, on)| *on).map(|(col, _)| col.info().key.to_owned()).collect()
        };
        let columns = shown(&self.columns);
        Effect::Keep(Kept {
            columns: (columns != shown(&usual_columns())).then_some(columns),
            sort: self.sort.map(|c| c.info().key.to_owned()).unwrap_or_default(),
            reverse: self.reverse,
            wide: self.wide,
            ..Kept::default()
        })
    }

    fn mark(&mut self) {
        let Some(id) = self.current().map(|r| r.id) else { return };
        if !self.marks.remove(&id) {
            self.marks.insert(id);
        }
        self.anchor = Some(id);
        self.table.act(ActionId::Down, self.order.len());
    }

    /// Marks everything between the last mark and the cursor.
    fn mark_range(&mut self) {
        let from = self.anchor.and_then(|id| self.order.iter().position(|i| self.all[*i].id == id));
        let at = self.table.cursor;
        let from = from.unwrap_or(at);
        for i in from.min(at)..=from.max(at) {
            if let Some(row) = self.order.get(i).and_then(|i| self.all.get(*i)) {
                self.marks.insert(row.id);
            }
        }
        self.anchor = self.current().map(|r| r.id);
    }

    fn sort_menu(&self, lang: Lang) -> Menu {
        let risk = MenuItem::new(Some('r'), m::SORT_RISK.text(lang), Choice::Pick("risk".into()));
        let mut taken = vec!['r', 'j', 'k'];
        let mut items = vec![risk];
        for info in columns::ALL.iter().filter(|c| !matches!(c.id, Col::Drift | Col::Alerts)) {
            let key = info.key.chars().find(|c| c.is_ascii_lowercase() && !taken.contains(c));
            taken.extend(key);
            let mut item = MenuItem::new(key, info.about.text(lang), Choice::Pick(info.key.into()));
            item.hint = info.header.text(lang).into();
            items.push(item);
        }
        Menu::new("sort", m::SORT_TITLE.text(lang), items)
    }

    fn columns_menu(&self, lang: Lang) -> Menu {
        let items = self
            .columns
            .iter()
            .map(|(col, shown)| {
                let info = col.info();
                let mut item = MenuItem::new(None, info.header.text(lang), Choice::Check(info.key.into(), *shown));
                item.hint = info.about.text(lang).into();
                item
            })
            .collect();
        Menu { checklist: true, ..Menu::new("columns", m::COLUMNS_TITLE.text(lang), items) }
    }

    fn copy_menu(&self, lang: Lang, now: Millis) -> Option<Menu> {
        let row = self.current()?;
        let mut items = copy_items(row, lang);
        let cells: Vec<String> =
            self.columns.iter().map(|(c, _)| columns::cell(row, *c, lang, &UNICODE, now).0).collect();
        items.push(copy('r', m::COPY_ROW.text(lang), cells.join("\t")));
        if !self.marks.is_empty() {
            let names: Vec<String> = self
                .all
                .iter()
                .filter(|r| self.marks.contains(&r.id))
                .map(|r| clean_line(&r.record.name).into_owned())
                .collect();
            let what = m::COPY_MARKED.fill(lang, &[("n", &names.len().to_string())]);
            items.push(copy('m', &what, names.join("\n")));
        }
        Some(Menu::new("copy", m::COPY_TITLE.text(lang), items))
    }
}

/// The columns as shipped.
fn usual_columns() -> Vec<(Col, bool)> {
    columns::ALL.iter().map(|c| (c.id, !c.wide)).collect()
}

/// What can be copied of any cluster.
fn copy_items(row: &ClusterRow, lang: Lang) -> Vec<MenuItem> {
    let r = &row.record;
    let mut items = vec![
        copy('n', m::COPY_NAME.text(lang), clean_line(&r.name).into_owned()),
        copy('c', m::COPY_CONTEXT.text(lang), clean_line(&r.context).into_owned()),
        copy('s', m::COPY_SERVER.text(lang), clean_line(&r.server).into_owned()),
    ];
    if let Some(cause) = &row.condition.cause {
        items.push(copy('w', m::COPY_CAUSE.text(lang), live::cause_text(lang, cause)));
    }
    items
}

fn copy(key: char, what: &str, text: String) -> MenuItem {
    MenuItem::new(Some(key), what, Choice::Copy(text, what.to_owned()))
}

/// Reconnects clusters; at once and with fresh credentials.
fn reconnect(clusters: &[ClusterId], ctx: &UpdateCtx<'_>) -> Vec<Effect> {
    let mut out: Vec<Effect> = clusters.iter().map(|id| Effect::Ask(Ask::Reconnect(*id))).collect();
    let names: Vec<&str> = clusters.iter().filter_map(|id| ctx.store.shard(*id)).map(|s| &*s.record.name).collect();
    if !names.is_empty() {
        let names = clean_line(&names.join(", ")).into_owned();
        out.push(Effect::Notice(Notice::info(m::RECONNECTING.fill(ctx.lang, &[("name", &names)]))));
    }
    out
}

/// Why a person cannot log in to this cluster now; `None` = they can.
fn no_log_in(store: &Store, id: ClusterId, lang: Lang) -> Option<String> {
    let shard = store.shard(id)?;
    let name = clean_line(&shard.record.name);
    if shard.condition.state != ClusterState::LoginExpired {
        return Some(m::LOG_IN_NOT_NEEDED.fill(lang, &[("name", &name)]));
    }
    let none = detail::login_command(&shard.condition).is_none();
    none.then(|| m::LOG_IN_NO_PLUGIN.fill(lang, &[("name", &name)]))
}

/// Lends the terminal to this cluster's credential plugin.
fn log_in(store: &Store, id: ClusterId) -> Vec<Effect> {
    let command = store.shard(id).and_then(|s| detail::login_command(&s.condition));
    command.map(|command| Effect::LogIn(id, command.to_owned())).into_iter().collect()
}

/// Opens the Matrix: on several clusters alone, or for one cluster on the whole fleet with the cursor on its column, since
/// a version says little without the others beside it.
fn open_matrix(clusters: Vec<ClusterId>, scope: &Scope, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
    let names: Vec<&str> = clusters.iter().filter_map(|id| ctx.store.shard(*id)).map(|s| &*s.record.name).collect();
    let mut screen = match names.as_slice() {
        [] => MatrixScreen::new(scope),
        [one] => MatrixScreen::new(scope).at_cluster(one),
        many => MatrixScreen::new(&Scope { at: many.join(","), clusters, ..Scope::default() }),
    };
    screen.on_data(ctx);
    vec![Effect::Open(Box::new(screen))]
}

impl Screen for FleetScreen {
    fn kind(&self) -> &'static str {
        "fleet"
    }

    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String> {
        let mut out = vec![m::TITLE.text(ctx.lang).to_owned()];
        out.extend([self.at.as_str(), self.filter.text()].into_iter().filter(|s| !s.is_empty()).map(ToOwned::to_owned));
        if self.problems {
            out.push(m::PROBLEMS_ONLY.text(ctx.lang).to_owned());
        }
        out
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        let sort = match self.sort {
            None => m::RISK_WORD.text(ctx.lang),
            Some(col) => col.info().header.text(ctx.lang),
        };
        let arrow = if self.reverse { ctx.glyphs.sort_up } else { ctx.glyphs.sort_down };
        let values = [
            ("shown", self.order.len().to_string()),
            ("total", self.all.len().to_string()),
            ("sort", format!("{sort}{arrow}")),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let text = m::SUMMARY.fill(ctx.lang, &values);
        match self.filter.note() {
            Some(note) => format!("{}   {text}", clean_line(note)),
            None if !self.filter.is_empty() => format!("{}   {text}", m::HOW_HERE.text(ctx.lang)),
            None => text,
        }
    }

    fn actions(&self) -> &'static [ActionId] {
        use ActionId as A;
        &[
            A::Open,
            A::Matrix,
            A::Problems,
            A::Sort,
            A::Columns,
            A::Copy,
            A::Mark,
            A::Describe,
            A::Refresh,
            A::LogIn,
            A::Wide,
            A::Zoom,
            A::MarkRange,
            A::ClearMarks,
            A::Save,
            A::NextPane,
            A::PreviousPane,
            A::Pane1,
            A::Pane2,
        ]
    }

    fn disabled(&self, action: ActionId, ctx: &Ctx<'_>) -> Option<String> {
        use ActionId as A;
        let needs_row = matches!(action, A::Open | A::Describe | A::Copy | A::Mark | A::Refresh | A::LogIn);
        match self.current() {
            None if needs_row => Some(m::ACTIONS_NONE.text(ctx.lang).to_owned()),
            Some(row) if action == A::LogIn => no_log_in(ctx.store, row.id, ctx.lang),
            _ => None,
        }
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let two_panes = draw::two_panes(ctx.size.0, self.zoom);
        match action {
            ActionId::NextPane | ActionId::PreviousPane if two_panes => {
                self.focus = if self.focus == Focus::List { Focus::Detail } else { Focus::List };
            }
            ActionId::Pane1 => self.focus = Focus::List,
            ActionId::Pane2 if two_panes => self.focus = Focus::Detail,
            ActionId::Describe if two_panes && self.focus == Focus::List => self.focus = Focus::Detail,
            ActionId::Describe | ActionId::Open => {
                let screen = self.current().map(|row| ClusterScreen::new(row.id));
                return screen.map(|s| Effect::Open(Box::new(s))).into_iter().collect();
            }
            ActionId::Matrix => {
                let scope = Scope { clusters: self.clusters.clone(), at: self.at.clone(), ..Scope::default() };
                return open_matrix(self.targets(), &scope, ctx);
            }
            ActionId::Refresh => return reconnect(&self.targets(), ctx),
            // One at a time, whatever is marked: a person sits before it.
            ActionId::LogIn => return self.current().map(|r| log_in(ctx.store, r.id)).unwrap_or_default(),
            ActionId::Problems => {
                self.problems = !self.problems;
                self.arrange(ctx.now);
            }
            ActionId::Wide => {
                self.wide = !self.wide;
                self.table.left = 0;
                return vec![self.kept()];
            }
            ActionId::Zoom => {
                self.zoom = !self.zoom;
                self.focus = Focus::List;
            }
            ActionId::Sort => return vec![Effect::Menu(self.sort_menu(ctx.lang))],
            ActionId::Columns => return vec![Effect::Menu(self.columns_menu(ctx.lang))],
            ActionId::Copy => return self.copy_menu(ctx.lang, ctx.now).map(Effect::Menu).into_iter().collect(),
            ActionId::Save => {
                return vec![Effect::Save { name: "fleet.txt".into(), text: self.as_text(ctx.lang, ctx.now) }];
            }
            ActionId::Mark => {
                self.moved = true;
                self.mark();
            }
            ActionId::MarkRange => self.mark_range(),
            ActionId::ClearMarks => self.marks.clear(),
            motion if self.focus == Focus::Detail && two_panes => {
                self.detail.act(motion);
            }
            motion => self.moved |= self.table.act(motion, self.order.len()),
        }
        self.follow();
        Vec::new()
    }

    fn mouse(&mut self, at: (u16, u16), what: MouseAct, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let begun = if let MouseAct::Drag(from) = what { from } else { at };
        if self.detail.area().contains(begun.into()) {
            if what == MouseAct::Click {
                self.focus = Focus::Detail;
            }
            return text::mouse(&mut self.detail, at, what, ctx.lang);
        }
        match (what, self.table.hit(at)) {
            (MouseAct::Wheel(steps), _) => self.table.wheel(steps, self.order.len()),
            (MouseAct::WheelSide(steps), _) => {
                self.table.act(if steps < 0 { ActionId::Left } else { ActionId::Right }, self.order.len());
            }
            (MouseAct::Click | MouseAct::DoubleClick, Some(Hit::Header(key))) => {
                if let Some(col) = Col::named(&key) {
                    self.sort_by(Some(col), ctx.now);
                    return vec![self.kept()];
                }
            }
            (act @ (MouseAct::Click | MouseAct::DoubleClick), Some(Hit::Row(row, _))) => {
                self.focus = Focus::List;
                self.moved = true;
                self.table.select(row);
                self.follow();
                if act == MouseAct::DoubleClick {
                    return self.act(ActionId::Open, ctx);
                }
            }
            _ => {}
        }
        self.follow();
        Vec::new()
    }

    fn on_data(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        self.look(ctx.store, ctx.now);
        false
    }

    fn filter(&self) -> Option<&str> {
        Some(self.filter.text())
    }

    fn set_filter(&mut self, text: &str, ctx: &mut UpdateCtx<'_>) {
        self.filter = Filter::parse(text);
        self.arrange(ctx.now);
    }

    fn set_clusters(&mut self, clusters: Vec<ClusterId>, at: &str, ctx: &mut UpdateCtx<'_>) {
        self.clusters = clusters;
        at.clone_into(&mut self.at);
        self.looked = Millis(0);
        self.look(ctx.store, ctx.now);
    }

    fn clusters(&self) -> Option<&str> {
        Some(&self.at)
    }

    fn chosen(&mut self, menu: &str, choice: &str, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        if menu == "sort" {
            self.sort_by(Col::named(choice), ctx.now);
            return vec![self.kept()];
        }
        Vec::new()
    }

    fn ordered(&mut self, menu: &str, items: &[(String, bool)], _ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        if menu == "columns" {
            self.columns = items.iter().filter_map(|(key, on)| Some((Col::named(key)?, *on))).collect();
            return vec![self.kept()];
        }
        Vec::new()
    }

    fn kept_name(&self, _store: &Store) -> String {
        "fleet".to_owned()
    }

    fn adopt(&mut self, kept: &Kept, ctx: &mut UpdateCtx<'_>) {
        let known = |names: &Vec<String>| -> Vec<Col> { names.iter().filter_map(|key| Col::named(key)).collect() };
        // Without a single column that we know there would be nothing to see.
        if let Some(chosen) = kept.columns.as_ref().map(known).filter(|c| !c.is_empty()) {
            self.columns = chosen.iter().map(|c| (*c, true)).collect();
            self.columns.extend(columns::ALL.iter().filter(|c| !chosen.contains(&c.id)).map(|c| (c.id, false)));
        }
        self.sort = Col::named(&kept.sort);
        self.reverse = kept.reverse;
        self.wide = kept.wide;
        self.arrange(ctx.now);
    }

    fn esc(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        if self.focus == Focus::Detail {
            self.focus = Focus::List;
        } else if !self.filter.is_empty() {
            self.set_filter("", ctx);
        } else if !self.marks.is_empty() {
            self.marks.clear();
        } else if self.problems {
            self.problems = false;
            self.arrange(ctx.now);
        } else if self.zoom {
            self.zoom = false;
        } else {
            return false;
        }
        true
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.look(ctx.store, ctx.now);
        self.render(area, buf, ctx);
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        if self.order.is_empty() { None } else { self.table.cursor_position() }
    }

    fn state(&self) -> ScreenState {
        let cursor = self.current().map(|r| r.record.name.to_string()).unwrap_or_default();
        let mut state = ScreenState {
            filter: self.filter.text().to_owned(),
            sort: self.sort.map(|c| c.info().key.to_owned()).unwrap_or_default(),
            reverse: self.reverse,
            cursor,
            ..ScreenState::default()
        };
        state.other.insert("problems".into(), self.problems.to_string());
        state.other.insert("wide".into(), self.wide.to_string());
        state
    }

    fn restore(&mut self, state: &ScreenState, ctx: &mut UpdateCtx<'_>) {
        self.filter = Filter::parse(&state.filter);
        self.sort = Col::named(&state.sort);
        self.reverse = state.reverse;
        self.problems = state.other.get("problems").is_some_and(|v| v == "true");
        self.wide = state.other.get("wide").is_some_and(|v| v == "true");
        let there = ctx.store.clusters().find(|(_, s)| *s.record.name == *state.cursor).map(|(id, _)| id);
        self.moved = there.is_some();
        self.selected = there.or(self.selected);
        self.looked = Millis(0);
        self.look(ctx.store, ctx.now);
    }
}
