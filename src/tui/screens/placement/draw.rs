//! How the Placement screen looks: frozen service and gutter, the rule, one cell for each visible column, the note, a banner
//! under suppositions, and the explanation of the cell under the cursor.

use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use super::{PlacementScreen, Row, Standing, block::Look, words};
use crate::{
    messages::{Lang, clean_line, cut_end, desired as m, matrix as x, width},
    model::ClusterState,
    tui::{
        action::ActionId,
        glyphs::Glyphs,
        screen::Ctx,
        screens::{doc_view, faces, matrix::columns::Column, words as common},
        theme::Role,
        widgets::{
            Cell,
            pane::Pane,
            put,
            table::{self, Pin, RowView, Table},
        },
    },
};

/// Columns of the table before the first cluster.
const FROZEN: usize = 2;

impl PlacementScreen {
    /// Draws the placement, or why there is none, and the explanation.
    pub(super) fn render(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.formatted = 0;
        if area.is_empty() {
            return;
        }
        let pane = Pane {
            number: Some(1),
            title: self.title(ctx).into(),
            title_right: self.marks(ctx).into(),
            focused: ctx.focused,
            ..Pane::default()
        };
        let inside = pane.draw(area, buf, ctx);
        let inside = self.banner(inside, buf, ctx);
        if self.rows.is_empty() || self.columns.is_empty() {
            faces::draw(inside, buf, ctx, &self.face(ctx));
            return;
        }
        let below = match inside.height {
            0..9 => 0,
            9..13 => 2,
            13..18 => 5,
            18..24 => 7,
            h => (h / 3).clamp(8, 16),
        };
        let grid = Rect { height: inside.height - below, ..inside };
        self.grid(grid, buf, ctx);
        self.draw_explanation(Rect { y: grid.bottom(), height: below, ..inside }, buf, ctx);
    }

    fn title(&self, ctx: &Ctx<'_>) -> String {
        let at = if self.rows.is_empty() { 0 } else { self.table.cursor + 1 };
        let mut title = format!("{}  {at}/{}", m::P_WANTED_LIVE.text(ctx.lang), self.rows.len());
        if let Some(grouping) = self.grouping.title() {
            title = format!("{title}  {}", grouping.text(ctx.lang));
        }
        title
    }

    fn marks(&self, ctx: &Ctx<'_>) -> String {
        if self.marked.is_empty() {
            return String::new();
        }
        m::P_MARKED.fill(ctx.lang, &[("n", &self.marked.len().to_string())])
    }

    /// One line that cannot be overlooked while suppositions are shown.
    fn banner(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) -> Rect {
        let Some(what_if) = &self.what_if else { return area };
        if area.height < 3 {
            return area;
        }
        let style = ctx.theme.style(Role::Warn).add_modifier(Modifier::REVERSED | Modifier::BOLD);
        let blank = " ".repeat(usize::from(area.width));
        put(buf, area.x, area.y, &blank, area.width, style);
        let key = common::key(ActionId::Back);
        let tail = m::W_BANNER_TAIL.fill(ctx.lang, &[("key", key)]);
        let room = usize::from(area.width).saturating_sub(2);
        let head = m::W_BANNER.fill(ctx.lang, &[("what", &what_if.words(ctx.lang))]);
        // What is supposed is worth more than how to leave it.
        let text = if width(&head) + 2 + width(&tail) <= room { format!("{head}  {tail}") } else { head };
        let text = cut_end(&text, room).into_owned();
        put(buf, area.x + 1, area.y, &common::fit_cut(&text, ctx.glyphs), area.width.saturating_sub(1), style);
        Rect { y: area.y + 1, height: area.height - 1, ..area }
    }

    fn grid(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.measure(ctx);
        let columns = self.table_columns(area.width, ctx);
        let table = Table {
            cell: Some(FROZEN + self.column),
            rule: true,
            ..Table::new(&columns, self.rows.len(), ctx.focused)
        };
        let mut state = std::mem::take(&mut self.table);
        let this = &*self;
        let mut formatted = 0;
        table.draw(area, buf, ctx, &mut state, &mut |i, wanted| {
            let Some(row) = this.rows.get(i).copied() else { return RowView::default() };
            let cells = wanted.iter().map(|at| this.table_cell(row, *at, &mut formatted, ctx)).collect();
            RowView { cells, ..RowView::default() }
        });
        self.table = state;
        self.formatted = formatted;
    }

    fn table_cell(&self, row: Row, at: usize, formatted: &mut usize, ctx: &Ctx<'_>) -> Cell<'static> {
        match at {
            0 => self.name(row, ctx),
            1 => {
                let (mark, role) = self.gutter(row, ctx.glyphs);
                Cell::new(mark, role).bold()
            }
            at => match self.columns.get(at - FROZEN) {
                Some(column) => {
                    *formatted += 1;
                    let (text, role) = self.cell(row, column, ctx);
                    Cell::new(text, role)
                }
                None => {
                    let (text, role) = self.note(row, ctx.lang, Some(ctx));
                    Cell::new(text, role)
                }
            },
        }
    }

    fn name(&self, row: Row, ctx: &Ctx<'_>) -> Cell<'static> {
        let Some(line) = self.line(row) else { return Cell::text("") };
        match row.item.and_then(|item| line.items.get(item)) {
            Some(item) => {
                let key = item.key();
                Cell::new(clean_line(&format!("  {} {}", key.kind, key.name)).into_owned(), Role::Muted)
            }
            None => {
                let folded = !self.unfolded.contains(&line.key());
                let sign = if folded { ctx.glyphs.more.1 } else { ctx.glyphs.sort_down };
                let name = clean_line(&line.outcome.service.name).into_owned();
                Cell::text(if line.items.is_empty() { name } else { format!("{name} {sign}") })
            }
        }
    }

    fn cell(&self, row: Row, column: &Column, ctx: &Ctx<'_>) -> (String, Role) {
        let Some(board) = &self.board else { return (String::new(), Role::Text) };
        if let Some(what_if) = self.what_if.as_ref().filter(|w| w.answer.is_some()) {
            return self.shift(board, row, &column.members, what_if, ctx.store).text(ctx.glyphs);
        }
        let (sum, runs) = self.sum(board, row, &column.members, ctx.store);
        sum.text(runs, ctx.glyphs)
    }

    fn standing(&self, row: Row) -> Standing {
        let Some(standings) = self.standings.get(row.line) else { return Standing::default() };
        match row.item {
            Some(item) => standings.items.get(item).copied().unwrap_or_default(),
            None => standings.whole,
        }
    }

    /// The worst of a row, for the gutter beside the rule.
    fn gutter(&self, row: Row, glyphs: &Glyphs) -> (&'static str, Role) {
        if row.item.is_none() && self.has_trouble(row.line) {
            return (glyphs.bad, Role::Bad);
        }
        match self.standing(row).rank() {
            0 | 1 => (glyphs.warn, Role::Bad),
            2 => (glyphs.bad, Role::Bad),
            3 => (glyphs.waiting, Role::Warn),
            4 => (glyphs.held, Role::Busy),
            5 => (glyphs.differs, Role::Changed),
            _ => (" ", Role::Text),
        }
    }

    /// The note of a row: what is wrong in words, else who places it. Under suppositions the sums, when there is a screen.
    pub(super) fn note(&self, row: Row, lang: Lang, ctx: Option<&Ctx<'_>>) -> (String, Role) {
        if let Some(note) = ctx.and_then(|ctx| self.shift_note(row, ctx)) {
            return note;
        }
        let Some(line) = self.line(row) else { return (String::new(), Role::Text) };
        if row.item.is_none()
            && let Some(text) = self.trouble_texts(line).into_iter().next()
        {
            return (text, Role::Bad);
        }
        let standing = self.standing(row);
        let counted = |msg: crate::messages::Msg, n: u32| msg.fill(lang, &[("n", &n.to_string())]);
        match standing {
            Standing { failure: Some(failure), .. } => (words::failure(failure).text(lang).to_owned(), Role::Bad),
            Standing { failed: n @ 1.., .. } => (counted(m::P_N_FAILED, n), Role::Bad),
            Standing { short: n @ 1.., .. } => (counted(m::P_N_SHORT, n), Role::Bad),
            Standing { nobody: true, .. } => (m::P_N_NOBODY.text(lang).to_owned(), Role::Warn),
            Standing { held: n @ 1.., .. } => (counted(m::P_N_HELD, n), Role::Busy),
            Standing { orphans: n @ 1.., .. } => (counted(m::P_N_ORPHANS, n), Role::Changed),
            _ => {
                let owner = self.item(row).map(|i| words::owner(i.first())).unwrap_or_default();
                (owner, Role::Muted)
            }
        }
    }

    fn shift_note(&self, row: Row, ctx: &Ctx<'_>) -> Option<(String, Role)> {
        let (board, what_if) = (self.board.as_ref()?, self.what_if.as_ref().filter(|w| w.answer.is_some())?);
        let line = board.lines.get(row.line)?;
        let failing = Self::items(line, row).into_iter().filter_map(|i| what_if.mover(line, i)?.failure).next();
        if let Some(failure) = failing {
            return Some((words::failure(failure).text(ctx.lang).to_owned(), Role::Bad));
        }
        let all: Vec<_> = self.states.iter().map(|(id, _)| *id).collect();
        let shift = self.shift(board, row, &all, what_if, ctx.store);
        if what_if.rank(line).is_none() && !shift.moves() {
            return Some((m::W_SAME.text(ctx.lang).to_owned(), Role::Muted));
        }
        let (now, then) = shift.sums();
        if (now, then) == (0, 0) {
            return Some((m::W_ELSEWHERE.text(ctx.lang).to_owned(), Role::Text));
        }
        let role = if then < now { Role::Bad } else { Role::Text };
        Some((format!("{now}{}{then}", ctx.glyphs.arrow), role))
    }

    /// What could not be used of a service, with its place.
    pub(super) fn trouble_texts(&self, line: &super::Line) -> Vec<String> {
        self.troubles.get(&line.key()).cloned().unwrap_or_default()
    }

    /// A cell's width comes from what is shown and the headers: it grows, and shrinks only with the view.
    fn measure(&mut self, ctx: &Ctx<'_>) {
        let room = if self.columns.iter().any(|c| c.group) { 12 } else { 9 };
        let header = self.columns.iter().map(|c| width(&c.title) + 2).max().unwrap_or(0);
        let most = if ctx.size.0 >= 160 { 20 } else { 12 };
        let wanted = u16::try_from(room.max(header.min(most))).unwrap_or(12);
        self.cell_width = self.cell_width.max(wanted);
    }

    fn table_columns(&self, cells: u16, ctx: &Ctx<'_>) -> Vec<table::Column> {
        let (first, shown, all) = self.table.columns_shown();
        let hidden = all.saturating_sub(first + shown);
        let note = if hidden > 0 && shown > 0 {
            x::MORE_RIGHT.fill(ctx.lang, &[("n", &hidden.to_string()), ("arrow", ctx.glyphs.more.1)])
        } else {
            x::NOTE.text(ctx.lang).to_owned()
        };
        let mut out = vec![
            table::Column::new("service", x::SERVICE.text(ctx.lang))
                .width(8, (cells / 4).clamp(8, 34))
                .pin(Pin::Left)
                .middle()
                .sorted(self.by_name.then_some(true)),
            table::Column::new("gutter", "").width(1, 1).pin(Pin::Left),
        ];
        out.extend(self.columns.iter().map(|c| {
            let mut column =
                table::Column::new(c.key.clone(), self.header(c, ctx)).width(self.cell_width, self.cell_width);
            column.middle = true;
            column.role = self.header_role(c, ctx);
            column
        }));
        if cells >= 50 {
            // Beside few clusters the words have the room.
            let grid = u16::try_from(self.columns.len()).unwrap_or(u16::MAX).saturating_mul(self.cell_width + 1);
            let spare = cells.saturating_sub(cells / 4 + 8).saturating_sub(grid);
            let most = (cells / 4).clamp(14, 40).max(spare.min(90));
            out.push(table::Column::new("note", note).width(10, most).pin(Pin::Right));
        }
        out
    }

    /// Header of a column: the mark of the person, of a supposition or of a cluster that is not live, then its alias.
    fn header(&self, column: &Column, ctx: &Ctx<'_>) -> String {
        let shards = || column.members.iter().filter_map(|id| ctx.store.shard(*id));
        let title =
            if column.group { format!("{} ({})", column.title, column.members.len()) } else { column.title.clone() };
        if !column.members.is_empty() && shards().all(|s| self.marked.contains(&s.record.name)) {
            return format!("{} {title}", ctx.glyphs.marked);
        }
        if self.what_if.as_ref().is_some_and(|w| shards().any(|s| w.lost(&s.record.name))) {
            return format!("{} {title}", ctx.glyphs.bad);
        }
        match shards().next().filter(|_| !column.group).map(|s| s.condition.state) {
            Some(state) if state != ClusterState::Live => format!("{} {title}", ctx.glyphs.state(state)),
            _ => title,
        }
    }

    fn header_role(&self, column: &Column, ctx: &Ctx<'_>) -> Option<Role> {
        let mut shards = column.members.iter().filter_map(|id| ctx.store.shard(*id));
        let first = shards.next()?;
        if self.marked.contains(&first.record.name) {
            return Some(Role::Mark);
        }
        if self.what_if.as_ref().is_some_and(|w| w.lost(&first.record.name)) {
            return Some(Role::Bad);
        }
        let state = first.condition.state;
        (!column.group && state != ClusterState::Live).then(|| common::state_role(state))
    }

    /// The explanation of the cell under the cursor.
    fn draw_explanation(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let look = Look { store: ctx.store, lang: ctx.lang, glyphs: ctx.glyphs };
        doc_view::foot(area, buf, ctx, |cells| self.explain(look, cells));
    }

    /// Why there is nothing to show, and what to do.
    fn face(&self, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        let lang = ctx.lang;
        let Some(picture) = ctx.desired else { return undeclared(ctx) };
        if self.columns.is_empty() && !self.at.is_empty() {
            return vec![(x::EMPTY_NO_COLUMNS.fill(lang, &[("filter", &self.at)]), Role::Text)];
        }
        let total = self.total.to_string();
        let mut out = Vec::new();
        if picture.desired.services.is_empty() || self.total == 0 {
            out.push((m::P_EMPTY.text(lang).to_owned(), Role::Text));
        } else if !self.filter.is_empty() {
            let key = common::key(ActionId::Back);
            out.push((x::EMPTY_FILTER.fill(lang, &[("filter", self.filter.text())]), Role::Text));
            out.push((x::EMPTY_FILTER_DO.fill(lang, &[("total", &total), ("key", key)]), Role::Muted));
        } else {
            out.push((m::P_EMPTY_WELL.fill(lang, &[("total", &total)]), Role::Ok));
            out.push((x::EMPTY_SAME_DO.fill(lang, &[("key", common::key(ActionId::Findings))]), Role::Muted));
        }
        for trouble in picture.troubles.iter().take(5) {
            let problem = trouble.problem(lang);
            out.push((format!("{}: {}", problem.place, problem.text), Role::Bad));
        }
        out
    }
}

/// No desired state: what to write, and where. While it is being rendered, that.
pub(in crate::tui::screens) fn undeclared(ctx: &Ctx<'_>) -> Vec<(String, Role)> {
    let lang = ctx.lang;
    if !ctx.settings.desired.services.is_empty() {
        return vec![(m::P_RENDERING.text(lang).to_owned(), Role::Busy)];
    }
    let (path, msg) = match &ctx.settings.fleet_file {
        Some(path) => (path.clone(), m::P_UNDECLARED),
        None => (ctx.settings.paths.config.join("fleet.yaml"), m::P_NO_FLEET_FILE),
    };
    let first = msg.fill(lang, &[("file", &clean_line(&path.display().to_string()))]);
    let mut out = vec![(first, Role::Text), (String::new(), Role::Text)];
    out.extend(EXAMPLE.iter().map(|line| ((*line).to_owned(), Role::Accent)));
    out.push((String::new(), Role::Text));
    out.push((m::P_UNDECLARED_MORE.text(lang).to_owned(), Role::Muted));
    out
}

/// The least that makes a desired state.
const EXAMPLE: [&str; 6] = [
    "desired:",
    "  services:",
    "  - name: ledger",
    "    sources:",
    "    - plain: manifests/ledger",
    "  policies: [policies]",
];
