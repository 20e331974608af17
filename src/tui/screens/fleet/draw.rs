//! How the Fleet screen looks: the table at the left, the record of the cluster under the cursor at the right.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    FleetScreen, Focus,
    columns::{self, Col},
    detail,
};
use crate::{
    fleet::inventory::ClusterRow,
    messages::{Lang, fleet as m, pad_right, width},
    model::{ClusterState, Millis},
    tui::{
        action::ActionId,
        glyphs::UNICODE,
        screen::Ctx,
        screens::{faces, words},
        theme::Role,
        widgets::{
            Cell,
            pane::Pane,
            table::{Column, Pin, RowView, Table},
        },
    },
};

/// From so many columns on the record stands beside the list (specs: tui a9).
const TWO_PANES: u16 = 100;

/// Whether the record stands beside the list.
pub(super) fn two_panes(columns: u16, zoom: bool) -> bool {
    columns >= TWO_PANES && !zoom
}

impl FleetScreen {
    /// Draws list and record.
    pub(super) fn render(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        if area.is_empty() {
            return;
        }
        if !two_panes(ctx.size.0.min(area.width), self.zoom) {
            self.focus = Focus::List;
            self.list(area, buf, ctx, false);
            return;
        }
        let right = (area.width * 2 / 5).clamp(38, 64);
        let left = area.width - right;
        // Both panes share the column between them.
        let list = Rect { width: left + 1, ..area };
        let record = Rect { x: area.x + left, width: right, ..area };
        self.record(record, buf, ctx);
        self.list(list, buf, ctx, true);
    }

    fn shown_columns(&self, cells: u16) -> Vec<Col> {
        let all = self.columns.iter().filter(|(c, shown)| *c != Col::Name && (*shown || self.wide)).map(|(c, _)| *c);
        // On narrow screens the most telling ones come first; the rest is reached by scrolling.
        let telling: &[Col] = match cells {
            ..60 => &[Col::State],
            60..80 => &[Col::State, Col::Age, Col::Nodes],
            _ => return all.collect(),
        };
        let mut out: Vec<Col> = telling.to_vec();
        out.extend(all.filter(|c| !telling.contains(c)));
        out
    }

    fn list(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, beside: bool) {
        let mut title = format!("{}  {}", m::CLUSTERS.text(ctx.lang), self.position());
        if !self.marks.is_empty() {
            let marked = m::MARKED.fill(ctx.lang, &[("n", &self.marks.len().to_string())]);
            title = format!("{title}  {marked}");
        }
        let well = !self.all.is_empty() && self.all.iter().all(|r| columns::health_word(r) == "ok");
        let pane = Pane {
            number: Some(1),
            title: title.into(),
            title_right: if well { m::ALL_WELL.text(ctx.lang).into() } else { "".into() },
            foot: self.legend(ctx).into(),
            focused: ctx.focused && (self.focus == Focus::List || !beside),
            ..Pane::default()
        };
        let inside = pane.draw(area, buf, ctx);
        if self.order.is_empty() {
            faces::draw(inside, buf, ctx, &self.face(ctx));
            return;
        }
        let cols = self.shown_columns(ctx.size.0);
        let table_columns = self.table_columns(&cols, ctx);
        let table = Table::new(&table_columns, self.order.len(), pane.focused);
        let (order, all, marks) = (&self.order, &self.all, &self.marks);
        table.draw(inside, buf, ctx, &mut self.table, &mut |i, wanted| {
            let Some(row) = order.get(i).and_then(|i| all.get(*i)) else { return RowView::default() };
            row_view(row, wanted, &cols, marks.contains(&row.id), ctx)
        });
    }

    fn table_columns(&self, cols: &[Col], ctx: &Ctx<'_>) -> Vec<Column> {
        let sorted = |col: Col| (self.sort == Some(col)).then_some(!self.reverse);
        let name = Col::Name.info();
        let mut out = vec![
            Column::new("mark", "").width(1, 1).pin(Pin::Left),
            Column::new("tile", "").width(1, 1).pin(Pin::Left),
            Column::new(name.key, name.header.text(ctx.lang))
                .width(name.floor, name.ceiling)
                .pin(Pin::Left)
                .middle()
                .sorted(sorted(Col::Name)),
        ];
        out.extend(cols.iter().map(|col| {
            let info = col.info();
            let column =
                Column::new(info.key, info.header.text(ctx.lang)).width(info.floor, info.ceiling).sorted(sorted(*col));
            if info.numeric { column.right() } else { column }
        }));
        out
    }

    fn position(&self) -> String {
        let at = if self.order.is_empty() { 0 } else { self.table.cursor + 1 };
        format!("{at}/{}", self.order.len())
    }

    /// Explains the marks that are on the screen, and only those.
    fn legend(&self, ctx: &Ctx<'_>) -> String {
        let old = self.all.iter().any(is_old);
        let unknown = self.all.iter().any(|r| r.nodes.value.is_none() && r.condition.state != ClusterState::Live);
        let parts = [old.then(|| m::FOOT_STALE.text(ctx.lang)), unknown.then(|| m::FOOT_UNKNOWN.text(ctx.lang))];
        parts.into_iter().flatten().collect::<Vec<_>>().join("   ")
    }

    /// Why the list is empty, and what to press.
    fn face(&self, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        let lang = ctx.lang;
        let total = self.all.len().to_string();
        if self.all.is_empty() {
            return vec![
                (m::EMPTY_NO_CLUSTERS.text(lang).to_owned(), Role::Text),
                (m::EMPTY_NO_CLUSTERS_DO.text(lang).to_owned(), Role::Muted),
            ];
        }
        if self.filter.is_empty() {
            let key = words::key(ActionId::Problems);
            return vec![
                (m::EMPTY_PROBLEMS.text(lang).to_owned(), Role::Ok),
                (m::EMPTY_PROBLEMS_DO.fill(lang, &[("total", &total), ("key", key)]), Role::Muted),
            ];
        }
        let key = words::key(ActionId::Back);
        vec![
            (m::EMPTY_FILTER.fill(lang, &[("filter", self.filter.text())]), Role::Text),
            (m::EMPTY_FILTER_DO.fill(lang, &[("total", &total), ("key", key)]), Role::Muted),
        ]
    }

    fn record(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let focused = ctx.focused && self.focus == Focus::Detail;
        let Some(row) = self.current() else {
            Pane { number: Some(2), focused, joined: true, ..Pane::default() }.draw(area, buf, ctx);
            return;
        };
        let (id, look) = (row.id, detail::Look { store: ctx.store, lang: ctx.lang, glyphs: ctx.glyphs, now: ctx.now });
        let title: String = detail::title(row, ctx.lang).iter().map(|s| s.text.as_str()).collect();
        let lines = detail::lines(row, look, usize::from(area.width.saturating_sub(4)));
        if self.detail_of != Some(id) {
            self.detail_of = Some(id);
            self.detail.rewind();
        }
        self.detail.set(lines);
        let (at, of) = self.detail.position();
        let more = of > usize::from(area.height.saturating_sub(2));
        let pane = Pane {
            number: Some(2),
            title: title.into(),
            foot_right: if more { format!("{at}/{of}").into() } else { "".into() },
            focused,
            joined: true,
            ..Pane::default()
        };
        let inside = pane.draw(area, buf, ctx);
        let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        self.detail.draw(inside, buf, ctx);
    }

    /// The list as plain text, all columns, for a file.
    pub(super) fn as_text(&self, lang: Lang, now: Millis) -> String {
        let cols: Vec<Col> = self.columns.iter().map(|(c, _)| *c).collect();
        let mut rows = vec![cols.iter().map(|c| c.info().header.text(lang).to_owned()).collect::<Vec<_>>()];
        for row in self.order.iter().filter_map(|i| self.all.get(*i)) {
            rows.push(cols.iter().map(|c| columns::cell(row, *c, lang, &UNICODE, now).0).collect());
        }
        aligned(&rows)
    }
}

/// Rows of text with their columns aligned, two blanks between them.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..columns).map(|i| rows.iter().filter_map(|r| r.get(i)).map(|t| width(t)).max().unwrap_or(0)).collect();
    let mut out = String::new();
    for row in rows {
        let line: Vec<String> = row.iter().zip(&widths).map(|(text, w)| pad_right(text, *w)).collect();
        out.push_str(line.join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// Rows whose values are the last known ones.
fn is_old(row: &ClusterRow) -> bool {
    row.condition.heard.0 > 0
        && matches!(
            row.condition.state,
            ClusterState::Stale | ClusterState::Unreachable | ClusterState::LoginExpired | ClusterState::Forbidden
        )
}

fn row_view(row: &ClusterRow, wanted: &[usize], cols: &[Col], marked: bool, ctx: &Ctx<'_>) -> RowView<'static> {
    let old = is_old(row);
    let dim = |role: Role| if old { Role::Stale } else { role };
    let cells = wanted
        .iter()
        .map(|at| match at {
            0 => {
                let (mark, role) = words::cluster_mark(row, ctx.glyphs);
                Cell::new(mark, role).bold()
            }
            1 => {
                let (letter, role) = words::tile(row.id);
                Cell::new(letter, role)
            }
            2 => {
                let (text, role) = columns::cell(row, Col::Name, ctx.lang, ctx.glyphs, ctx.now);
                Cell::new(text, dim(role))
            }
            at => match cols.get(at - 3) {
                // The state keeps its colour on a dim row: it is what one looks for.
                Some(Col::State) => {
                    let (text, role) = columns::cell(row, Col::State, ctx.lang, ctx.glyphs, ctx.now);
                    Cell::new(text, role)
                }
                Some(col) => {
                    let (text, role) = columns::cell(row, *col, ctx.lang, ctx.glyphs, ctx.now);
                    Cell::new(text, dim(role))
                }
                None => Cell::text(""),
            },
        })
        .collect();
    RowView { cells, stale: false, marked }
}
