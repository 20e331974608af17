//! Placement: services, and the objects below them, by clusters - what should be where, with how many replicas, what is live of
//! it, and why. Suppositions (a cluster lost, tainted, weighed anew) are shown as a difference; nothing is applied.

mod block;
mod board;
mod cell;
mod draw;
mod save;
mod suppose;
#[cfg(test)]
mod tests;
mod words;

pub(super) use draw::undeclared;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use board::{Board, Item, Line, Live, Standing, WELL, Want};
use cell::{Shift, Sum};
use ratatui::{buffer::Buffer, layout::Rect};
use suppose::WhatIf;

use super::{
    differences::DifferencesScreen,
    matrix::columns::{self, Column, Grouping},
    origin::OriginScreen,
};
use crate::{
    desired::{
        engine::{Desired, Owner, Placed},
        object::ObjectKey,
        origin::At,
    },
    fleet::{Store, filter::Filter, matrix::ServiceKey},
    messages::{Lang, clean_line, desired as m, fleet as f, matrix as x, objects as o},
    model::{ClusterId, ClusterState, Millis},
    render::worker::Picture,
    tui::{
        action::ActionId,
        kept::Kept,
        screen::{
            Choice, Ctx, Effect, Menu, MenuItem, MouseAct, Notice, Scope, Screen, ScreenState, Supposed, UpdateCtx,
        },
        wanted,
        widgets::table::{Hit, TableState},
    },
};

/// How everything stands is looked at again so often while the fleet changes.
const CALM: i64 = 1000;
/// Columns are looked at again so often when no cluster's state changed.
const COLUMNS: i64 = 5000;
/// Cells looked at in one go.
const SLICE: usize = 2000;

/// Name of a service: namespace and name.
type ServiceName = (Arc<str>, Arc<str>);

/// A row on the screen: a service, or one of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    line: usize,
    item: Option<usize>,
}

/// What the cursor is on, whatever the order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RowKey {
    service: ServiceName,
    object: Option<ObjectKey>,
}

/// How a service stands, and each of its objects.
#[derive(Clone, Debug, Default)]
struct Standings {
    whole: Standing,
    items: Vec<Standing>,
}

/// A look at everything, taken in slices.
#[derive(Debug)]
struct Scan {
    next: usize,
    found: Vec<Standings>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct PlacementScreen {
    clusters: Vec<ClusterId>,
    at: String,
    namespace: String,
    filter: Filter,
    grouping: Grouping,
    findings: bool,
    by_name: bool,
    board: Option<Board>,
    /// What could not be used, by service.
    troubles: BTreeMap<ServiceName, Vec<String>>,
    standings: Vec<Standings>,
    scan: Option<Scan>,
    scanned: (u64, Millis),
    columns: Vec<Column>,
    states: Vec<(ClusterId, ClusterState)>,
    looked: Millis,
    unfolded: BTreeSet<ServiceName>,
    rows: Vec<Row>,
    /// Services that pass, and how many there are.
    shown: usize,
    total: usize,
    selected: Option<RowKey>,
    moved: bool,
    /// A service to begin on, as the Matrix calls it.
    start: Option<ServiceKey>,
    column: usize,
    column_key: String,
    /// Clusters marked, by name.
    marked: BTreeSet<Arc<str>>,
    table: TableState,
    cell_width: u16,
    what_if: Option<WhatIf>,
    generation: u64,
    /// Cells formatted for the last frame.
    formatted: usize,
}

impl PlacementScreen {
    /// Placement on a part of the fleet.
    pub fn new(scope: &Scope) -> Self {
        Self {
            clusters: scope.clusters.clone(),
            at: scope.at.clone(),
            namespace: scope.namespace.clone(),
            filter: Filter::parse(&scope.filter),
            ..Self::default()
        }
    }

    /// The same with the cursor on this service and the column of this key.
    #[must_use]
    pub fn on(mut self, service: ServiceKey, column_key: &str) -> Self {
        self.start = Some(service);
        column_key.clone_into(&mut self.column_key);
        self
    }

    /// Cells that were formatted for the last frame.
    pub fn formatted(&self) -> usize {
        self.formatted
    }

    /// Takes in what changed; true = there is more to do.
    fn look(&mut self, ctx: &UpdateCtx<'_>) -> bool {
        let Some(picture) = ctx.desired else {
            self.board = None;
            self.rows.clear();
            self.look_at_columns(ctx);
            return false;
        };
        let known = self.board.as_ref().is_some_and(|b| Arc::ptr_eq(&b.desired, &picture.desired));
        if !known {
            self.take(picture, ctx);
        }
        if self.look_at_columns(ctx) || !known {
            self.arrange(ctx.lang);
        }
        self.scan(ctx)
    }

    /// A new picture: the cursor, marks and suppositions stay.
    fn take(&mut self, picture: &Picture, ctx: &UpdateCtx<'_>) {
        let board = Board::new(&picture.desired, ctx.store);
        self.troubles.clear();
        for trouble in picture.troubles.iter() {
            let name = (trouble.namespace.as_str().into(), trouble.service.as_str().into());
            let problem = trouble.problem(ctx.lang);
            self.troubles.entry(name).or_default().push(format!("{}: {}", problem.place, problem.text));
        }
        // Until all cells were looked at, what desired state alone says is better than nothing.
        self.standings = board.lines.iter().map(without_cells).collect();
        self.board = Some(board);
        self.scan = None;
        self.scanned = (u64::MAX, Millis(0));
        if let Some(what_if) = &mut self.what_if {
            what_if.outdate();
        }
    }

    /// True when other columns are shown now.
    fn look_at_columns(&mut self, ctx: &UpdateCtx<'_>) -> bool {
        let states: Vec<_> = ctx.store.clusters().map(|(id, s)| (id, s.condition.state)).collect();
        let old = self.looked.0 > 0 && (ctx.now.0 - self.looked.0).abs() < COLUMNS;
        if old && states == self.states {
            return false;
        }
        if states.iter().map(|(id, _)| id).ne(self.states.iter().map(|(id, _)| id))
            && let Some(board) = &mut self.board
        {
            board.renumber(ctx.store);
        }
        self.states = states;
        self.looked = ctx.now;
        self.arrange_columns(ctx)
    }

    fn arrange_columns(&mut self, ctx: &UpdateCtx<'_>) -> bool {
        let columns = columns::columns(ctx.store, &self.clusters, self.grouping, ctx.lang, ctx.now);
        let changed = columns != self.columns;
        self.columns = columns;
        let at = self.columns.iter().position(|c| c.key == self.column_key);
        self.column = at.unwrap_or(self.column).min(self.columns.len().saturating_sub(1));
        self.take_column();
        changed
    }

    /// Looks at how everything stands, a slice at a time; true = there is more.
    fn scan(&mut self, ctx: &UpdateCtx<'_>) -> bool {
        let Some(board) = &self.board else { return false };
        let due = self.scanned.0 != ctx.store.version() && (ctx.now.0 - self.scanned.1.0).abs() >= CALM;
        if self.scan.is_none() {
            if !due {
                return false;
            }
            self.scan = Some(Scan { next: 0, found: Vec::with_capacity(board.lines.len()) });
            self.scanned = (ctx.store.version(), ctx.now);
        }
        let Some(scan) = &mut self.scan else { return false };
        let clusters: Vec<ClusterId> = self.states.iter().map(|(id, _)| *id).collect();
        let mut cells = 0;
        while cells < SLICE
            && let Some(line) = board.lines.get(scan.next)
        {
            scan.found.push(standings(board, line, &clusters, ctx.store));
            cells += line.items.len().max(1) * clusters.len().max(1);
            scan.next += 1;
        }
        if scan.next < board.lines.len() {
            return true;
        }
        if let Some(scan) = self.scan.take() {
            self.standings = scan.found;
        }
        self.arrange(ctx.lang);
        false
    }

    /// Filters and orders the rows; the cursor stays on its own.
    fn arrange(&mut self, lang: Lang) {
        let Some(board) = &self.board else { return };
        let here = |line: &Line| self.namespace.is_empty() || *line.outcome.service.namespace == *self.namespace;
        let mut lines: Vec<usize> = (0..board.lines.len()).filter(|at| here(&board.lines[*at])).collect();
        self.total = lines.len();
        lines.retain(|at| (!self.findings || self.rank(*at) < WELL) && self.passes(&board.lines[*at], *at, lang));
        self.shown = lines.len();
        lines.sort_by(|a, b| board.lines[*a].outcome.service.name.cmp(&board.lines[*b].outcome.service.name));
        if !self.by_name {
            // Stable: within one rank the order of the names stays.
            lines.sort_by_key(|at| self.rank(*at));
        }
        let mut rows = Vec::with_capacity(lines.len());
        for line in lines {
            rows.push(Row { line, item: None });
            if self.unfolded.contains(&board.lines[line].key()) {
                rows.extend((0..board.lines[line].items.len()).map(|item| Row { line, item: Some(item) }));
            }
        }
        self.rows = rows;
        let at = self.place_of_cursor();
        self.table.select(at.min(self.rows.len().saturating_sub(1)));
        self.take_selection();
    }

    /// The row of what is selected; of its service, where the object is gone or folded away; else the place as it was.
    fn place_of_cursor(&mut self) -> usize {
        if let (Some(start), Some(board)) = (&self.start, &self.board) {
            let found = self.rows.iter().position(|r| wanted::is(&board.lines[r.line].outcome, start));
            if let Some(at) = found {
                self.start = None;
                self.moved = true;
                return at;
            }
        }
        if !self.moved {
            return 0;
        }
        let Some(selected) = &self.selected else { return self.table.cursor };
        let exact = self.rows.iter().position(|r| self.key_of(*r).as_ref() == Some(selected));
        let service = || self.rows.iter().position(|r| self.key_of(*r).is_some_and(|k| k.service == selected.service));
        exact.or_else(service).unwrap_or(self.table.cursor)
    }

    /// Worst first; under suppositions what fails and what moves comes before all others.
    fn rank(&self, line: usize) -> u8 {
        let own = self.standings.get(line).map_or(WELL, |s| s.whole.rank());
        let own = if self.has_trouble(line) { 0 } else { own };
        match (&self.what_if, &self.board) {
            (Some(what_if), Some(board)) => what_if.rank(&board.lines[line]).unwrap_or(10 + own),
            _ => own,
        }
    }

    fn has_trouble(&self, line: usize) -> bool {
        self.board.as_ref().is_some_and(|b| self.troubles.contains_key(&b.lines[line].key()))
    }

    fn passes(&self, line: &Line, at: usize, lang: Lang) -> bool {
        if self.filter.is_empty() {
            return true;
        }
        let service = &line.outcome.service;
        let note = self.note(Row { line: at, item: None }, lang, None).0;
        let owners: Vec<String> = line.items.iter().map(|i| words::owner(i.first())).collect();
        let kinds: Vec<&str> = line.items.iter().map(|i| &*i.key().kind).collect();
        let owner = owners.join(" ");
        let field = |name: &str| -> Option<String> {
            Some(match name {
                "service" | "name" => service.name.to_string(),
                "namespace" | "ns" => service.namespace.to_string(),
                "policy" | "owner" => owner.clone(),
                "source" => service.sources.iter().map(|s| s.title.as_str()).collect::<Vec<_>>().join(" "),
                "kind" => kinds.join(" "),
                "note" => note.clone(),
                _ => return None,
            })
        };
        self.filter.matches(&[&service.name, &service.namespace, &owner, &note], &field, &|_| None)
    }

    fn key_of(&self, row: Row) -> Option<RowKey> {
        let line = self.board.as_ref()?.lines.get(row.line)?;
        let object = match row.item {
            Some(item) => Some(line.items.get(item)?.key().clone()),
            None => None,
        };
        Some(RowKey { service: line.key(), object })
    }

    fn row(&self) -> Option<Row> {
        self.rows.get(self.table.cursor).copied()
    }

    fn line(&self, row: Row) -> Option<&Line> {
        self.board.as_ref()?.lines.get(row.line)
    }

    /// The object that a row speaks of: itself, or the main one of its service.
    fn item(&self, row: Row) -> Option<&Item> {
        let line = self.line(row)?;
        line.items.get(row.item.or_else(|| line.main())?)
    }

    /// The object that a row speaks of, from the source that counts for the cluster under the cursor.
    fn placed(&self, row: Row) -> Option<&Arc<Placed>> {
        let (item, board) = (self.item(row)?, self.board.as_ref()?);
        let number = self.cluster().and_then(|id| board.number(id));
        Some(number.map_or_else(|| item.first(), |n| item.part(n)))
    }

    /// The objects that a row's cells stand for.
    fn items(line: &Line, row: Row) -> Vec<&Item> {
        match row.item {
            Some(item) => line.items.get(item).into_iter().collect(),
            None => line.telling().collect(),
        }
    }

    fn current_column(&self) -> Option<&Column> {
        self.columns.get(self.column)
    }

    /// The cluster of the column under the cursor; `None` on the column of a group.
    fn cluster(&self) -> Option<ClusterId> {
        self.current_column().filter(|c| !c.group).and_then(|c| c.members.first()).copied()
    }

    fn take_selection(&mut self) {
        self.selected = self.row().and_then(|row| self.key_of(row));
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

    fn new_view(&mut self) {
        self.cell_width = 0;
        self.table.reset_widths();
    }

    /// Marks the clusters of the column, or takes their marks away, and moves on.
    fn mark(&mut self, store: &Store) {
        let Some(column) = self.current_column() else { return };
        let names: Vec<Arc<str>> =
            column.members.iter().filter_map(|id| store.shard(*id)).map(|s| s.record.name.clone()).collect();
        let all = names.iter().all(|n| self.marked.contains(n));
        for name in names {
            if all {
                self.marked.remove(&name)
            } else {
                self.marked.insert(name)
            };
        }
        self.step_column(1);
    }

    fn sum(&self, board: &Board, row: Row, clusters: &[ClusterId], store: &Store) -> (Sum, bool) {
        let mut sum = Sum::default();
        let Some(line) = board.lines.get(row.line) else { return (sum, false) };
        let items = Self::items(line, row);
        for item in &items {
            let refused = item.failure().is_some();
            for id in clusters.iter().filter(|id| board.number(**id).is_some()) {
                sum.add(board.want(item, *id), item.live(store, *id), refused);
            }
        }
        (sum, items.iter().any(|i| i.workload))
    }

    fn shift(&self, board: &Board, row: Row, clusters: &[ClusterId], what_if: &WhatIf, store: &Store) -> Shift {
        let mut shift = Shift::default();
        let Some(line) = board.lines.get(row.line) else { return shift };
        for item in Self::items(line, row) {
            for id in clusters {
                let Some(number) = board.number(*id) else { continue };
                let name = store.shard(*id).map(|s| s.record.name.clone()).unwrap_or_default();
                let now = item.want(number);
                shift.add(now, what_if.then(row.line, item, number, &name, now));
            }
        }
        shift
    }

    /// Unfolds a service, or opens the object of the cell.
    fn open(&mut self, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let Some(row) = self.row() else { return Vec::new() };
        if row.item.is_none() {
            let Some(key) = self.line(row).map(Line::key) else { return Vec::new() };
            if !self.unfolded.remove(&key) {
                self.unfolded.insert(key);
            }
            self.moved = true;
            self.arrange(ctx.lang);
            return Vec::new();
        }
        self.where_from(row, ctx)
    }

    /// Opens the object of the cell with the origin of its lines.
    fn where_from(&self, row: Row, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let Some(cluster) = self.cluster() else {
            let key = super::words::key(ActionId::Group);
            return vec![Effect::Notice(Notice::info(x::GROUP_CELL.fill(ctx.lang, &[("key", key)])))];
        };
        let (Some(line), Some(item), Some(board)) = (self.line(row), self.item(row), &self.board) else {
            return Vec::new();
        };
        let there = board.number(cluster).is_some_and(|n| item.part(n).object(n).is_some());
        let name = ctx.store.shard(cluster).map(|s| s.record.name.clone()).unwrap_or_default();
        if !there {
            let key = item.key().to_string();
            let values = [("object", &*clean_line(&key)), ("cluster", &*clean_line(&name))];
            return vec![Effect::Notice(Notice::info(m::P_NOT_THERE.fill(ctx.lang, &values)))];
        }
        let mut screen = OriginScreen::new(&line.outcome.service, item.key(), &name);
        screen.on_data(ctx);
        vec![Effect::Open(Box::new(screen))]
    }

    fn differences(&self, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let Some(line) = self.row().and_then(|row| self.line(row)) else { return Vec::new() };
        let mut screen = DifferencesScreen::new(&line.outcome.service);
        screen.on_data(ctx);
        vec![Effect::Open(Box::new(screen))]
    }

    /// The place that decides on the row: its policy, else where the object is written.
    fn place(&self) -> Option<At> {
        let placed = self.placed(self.row()?)?;
        match &placed.owner {
            Owner::Policy(policy) => Some(policy.at.clone()),
            _ => placed.template.node.origin.at(),
        }
    }

    fn copy_menu(&self, ctx: &UpdateCtx<'_>) -> Option<Menu> {
        let (row, board) = (self.row()?, self.board.as_ref()?);
        let (line, item, column) = (self.line(row)?, self.item(row)?, self.current_column()?);
        let lang = ctx.lang;
        let copy = |key: char, what: &str, text: String| {
            MenuItem::new(Some(key), what, Choice::Copy(clean_line(&text).into_owned(), what.to_owned()))
        };
        let cell = |column: &Column| {
            let (sum, runs) = self.sum(board, row, &column.members, ctx.store);
            sum.text(runs, &crate::tui::glyphs::UNICODE).0
        };
        let mut items = vec![
            copy('c', x::COPY_CELL.text(lang), cell(column)),
            copy('n', x::COPY_SERVICE.text(lang), line.outcome.service.name.to_string()),
            copy('o', m::P_COPY_OBJECT.text(lang), item.key().to_string()),
        ];
        if let Some(at) = self.place() {
            items.push(copy('f', m::P_COPY_PLACE.text(lang), at.to_string()));
        }
        let what = x::COPY_ROW.text(lang);
        let cells: Vec<String> = self.columns.iter().map(|c| format!("{}\t{}", c.title, cell(c))).collect();
        items.push(MenuItem::new(Some('r'), what, Choice::Copy(cells.join("\n"), what.to_owned())));
        let what = x::COPY_EXPLANATION.text(lang);
        let text = super::doc::text_of(&self.explanation(ctx, 160));
        items.push(MenuItem::new(Some('x'), what, Choice::Copy(text, what.to_owned())));
        Some(Menu::new("copy", o::COPY_TITLE.text(lang), items))
    }

    fn sort_menu(lang: Lang) -> Menu {
        let item = |key: char, text: &str, id: &str| MenuItem::new(Some(key), text, Choice::Pick(id.into()));
        let items =
            vec![item('r', o::SORT_RISK_LONG.text(lang), "risk"), item('n', x::COPY_SERVICE.text(lang), "name")];
        Menu::new("sort", o::SORT_TITLE.text(lang), items)
    }

    fn kept(&self) -> Effect {
        Effect::Keep(Kept {
            sort: if self.by_name { "name".into() } else { String::new() },
            group: self.grouping.word().into(),
            ..Kept::default()
        })
    }

    fn desired<'c>(&self, ctx: &UpdateCtx<'c>) -> Option<&'c Arc<Desired>> {
        ctx.desired.map(|p| &p.desired)
    }
}

/// How a service stands as far as desired state alone tells.
fn without_cells(line: &Line) -> Standings {
    let of = |item: &Item| {
        let mut standing = Standing::default();
        standing.begin(item);
        standing
    };
    merged(line, line.items.iter().map(of).collect())
}

fn standings(board: &Board, line: &Line, clusters: &[ClusterId], store: &Store) -> Standings {
    let of = |item: &Item| {
        let mut standing = Standing::default();
        standing.begin(item);
        for id in clusters.iter().filter(|id| board.number(**id).is_some()) {
            standing.add(board.want(item, *id), item.live(store, *id));
        }
        standing
    };
    merged(line, line.items.iter().map(of).collect())
}

/// A service stands as its objects do; what is live counts for those that its cells speak of.
fn merged(line: &Line, items: Vec<Standing>) -> Standings {
    let mut whole = Standing::default();
    let workloads = line.items.iter().any(|i| i.workload);
    for (item, standing) in line.items.iter().zip(&items) {
        whole.failure = whole.failure.or(standing.failure);
        whole.failed = whole.failed.max(standing.failed);
        whole.held = whole.held.max(standing.held);
        whole.nobody |= standing.nobody;
        if item.workload || !workloads {
            whole.short = whole.short.max(standing.short);
            whole.orphans = whole.orphans.max(standing.orphans);
        }
    }
    Standings { whole, items }
}

impl Screen for PlacementScreen {
    fn kind(&self) -> &'static str {
        "placement"
    }

    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String> {
        let mut out = vec![m::P_TITLE.text(ctx.lang).to_owned()];
        let parts = [self.at.as_str(), &self.namespace, self.filter.text()];
        out.extend(parts.into_iter().filter(|s| !s.is_empty()).map(|s| clean_line(s).into_owned()));
        if self.findings {
            out.push(m::P_FINDINGS_ONLY.text(ctx.lang).to_owned());
        }
        if self.what_if.is_some() {
            out.push(m::W_TITLE.text(ctx.lang).to_owned());
        }
        out
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        let (first, shown, all) = self.table.columns_shown();
        let values = [
            ("services", self.shown.to_string()),
            ("clusters", self.columns.iter().map(|c| c.members.len()).sum::<usize>().to_string()),
            ("from", (first + 1).to_string()),
            ("to", (first + shown).to_string()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let text = if all == 0 || shown == 0 { x::SUMMARY_NONE } else { x::SUMMARY }.fill(ctx.lang, &values);
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
            A::MarkCluster,
            A::Suppose,
            A::Differences,
            A::Edit,
            A::Findings,
            A::Group,
            A::SaveSituation,
            A::Copy,
            A::Sort,
            A::Describe,
            A::Yaml,
            A::CellLeft,
            A::CellRight,
            A::ClearMarks,
        ]
    }

    fn disabled(&self, action: ActionId, ctx: &Ctx<'_>) -> Option<String> {
        use ActionId as A;
        let needs_row = matches!(
            action,
            A::Open | A::Differences | A::Edit | A::SaveSituation | A::Copy | A::Describe | A::Yaml | A::Suppose
        );
        (needs_row && self.row().is_none()).then(|| o::NOTHING_SELECTED.text(ctx.lang).to_owned())
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match action {
            ActionId::Open => return self.open(ctx),
            ActionId::Yaml => return self.row().map(|row| self.where_from(row, ctx)).unwrap_or_default(),
            ActionId::Describe => return self.moves_document(ctx),
            ActionId::Differences => return self.differences(ctx),
            ActionId::Edit => {
                return match self.place() {
                    Some(at) => vec![Effect::Edit(at)],
                    None => vec![Effect::Notice(Notice::info(m::E_NO_PLACE.text(ctx.lang)))],
                };
            }
            ActionId::SaveSituation => return vec![self.save(ctx)],
            ActionId::Suppose => return vec![Effect::Menu(self.suppose_menu(ctx))],
            ActionId::MarkCluster => self.mark(ctx.store),
            ActionId::ClearMarks => self.marked.clear(),
            ActionId::Copy => return self.copy_menu(ctx).map(Effect::Menu).into_iter().collect(),
            ActionId::Sort => return vec![Effect::Menu(Self::sort_menu(ctx.lang))],
            ActionId::Findings => {
                self.findings = !self.findings;
                self.arrange(ctx.lang);
            }
            ActionId::Group => {
                self.grouping = self.grouping.next();
                self.column = 0;
                self.column_key.clear();
                self.table.left = 0;
                self.new_view();
                self.arrange_columns(ctx);
                return vec![self.kept()];
            }
            ActionId::CellLeft | ActionId::Left => self.step_column(-1),
            ActionId::CellRight | ActionId::Right => self.step_column(1),
            ActionId::PageLeft => self.step_column(-self.page_of_columns()),
            ActionId::PageRight => self.step_column(self.page_of_columns()),
            motion => {
                if self.table.act(motion, self.rows.len()) {
                    self.moved = true;
                    self.take_selection();
                }
            }
        }
        Vec::new()
    }

    fn mouse(&mut self, at: (u16, u16), what: MouseAct, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match (what, self.table.hit(at)) {
            (MouseAct::Wheel(steps), _) => self.table.wheel(steps, self.rows.len()),
            (MouseAct::WheelSide(steps), _) => self.step_column(isize::from(steps)),
            (MouseAct::Click, Some(Hit::Header(key))) if key == "service" => {
                self.by_name = !self.by_name;
                self.arrange(ctx.lang);
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
        self.look(ctx)
    }

    fn pending(&mut self, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        self.suppose_again(ctx).into_iter().collect()
    }

    fn filter(&self) -> Option<&str> {
        Some(self.filter.text())
    }

    fn set_filter(&mut self, text: &str, ctx: &mut UpdateCtx<'_>) {
        self.filter = Filter::parse(text);
        self.arrange(ctx.lang);
    }

    fn set_clusters(&mut self, clusters: Vec<ClusterId>, at: &str, ctx: &mut UpdateCtx<'_>) {
        self.clusters = clusters;
        at.clone_into(&mut self.at);
        self.table.left = 0;
        self.arrange_columns(ctx);
    }

    fn clusters(&self) -> Option<&str> {
        Some(&self.at)
    }

    fn chosen(&mut self, menu: &str, choice: &str, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match menu {
            "sort" => {
                self.by_name = choice == "name";
                self.arrange(ctx.lang);
                vec![self.kept()]
            }
            "suppose" => self.supposition(choice, ctx),
            _ => Vec::new(),
        }
    }

    fn answered(&mut self, id: &str, text: &str, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        self.told(id, text, ctx)
    }

    fn supposed(&mut self, generation: u64, answer: Supposed, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        self.computed(generation, answer, ctx)
    }

    fn kept_name(&self, _store: &Store) -> String {
        "placement".to_owned()
    }

    fn adopt(&mut self, kept: &Kept, ctx: &mut UpdateCtx<'_>) {
        self.by_name = kept.sort == "name";
        // One who comes for the column of a cluster finds it.
        if self.start.is_none() {
            self.grouping = Grouping::named(&kept.group);
            self.new_view();
            self.arrange_columns(ctx);
        }
        self.arrange(ctx.lang);
    }

    fn esc(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        if self.take_back(ctx.lang) {
            return true;
        }
        if !self.marked.is_empty() {
            self.marked.clear();
        } else if !self.filter.is_empty() {
            self.set_filter("", ctx);
        } else if self.findings {
            self.findings = false;
            self.arrange(ctx.lang);
        } else {
            return false;
        }
        true
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.render(area, buf, ctx);
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        if self.rows.is_empty() { None } else { self.table.cursor_position() }
    }

    fn state(&self) -> ScreenState {
        ScreenState { filter: self.filter.text().to_owned(), ..ScreenState::default() }
    }
}
