//! How the differences look: frozen object and field, one cell for each group of clusters, and below them every value of the
//! field with its clusters and its cause.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{Column, DifferencesScreen, brief, cause_words, reading_of};
use crate::{
    desired::differences::{Cause, Reading, Row},
    messages::{Lang, clean_line, cut_end, desired as m, matrix as x, width},
    tui::{
        action::ActionId,
        glyphs::Glyphs,
        screen::Ctx,
        screens::{
            doc::{Doc, Line, Span},
            doc_view, faces, placement, words,
        },
        theme::Role,
        widgets::{
            Cell,
            pane::Pane,
            table::{self, Pin, RowView, Table},
        },
    },
};

/// Columns of the table before the first cluster.
const FROZEN: usize = 3;

impl DifferencesScreen {
    /// Draws the table, or why it is empty, and the explanation.
    pub(super) fn render(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        if area.is_empty() {
            return;
        }
        let at = if self.shown.is_empty() { 0 } else { self.table.cursor + 1 };
        let findings = match self.count_findings() {
            0 => String::new(),
            n => m::D_N_FINDINGS.fill(ctx.lang, &[("n", &n.to_string())]),
        };
        let pane = Pane {
            number: Some(1),
            title: format!("{}  {at}/{}", clean_line(&self.name), self.shown.len()).into(),
            title_right: findings.into(),
            focused: ctx.focused,
            ..Pane::default()
        };
        let inside = pane.draw(area, buf, ctx);
        if self.shown.is_empty() {
            faces::draw(inside, buf, ctx, &self.face(ctx));
            return;
        }
        let below = match inside.height {
            0..9 => 0,
            9..13 => 3,
            h => (h / 2).min(14),
        };
        let grid = Rect { height: inside.height - below, ..inside };
        self.grid(grid, buf, ctx);
        self.foot(Rect { y: grid.bottom(), height: below, ..inside }, buf, ctx);
    }

    fn foot(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        doc_view::foot(area, buf, ctx, |cells| self.explain(cells, ctx.lang, ctx.glyphs));
    }

    fn grid(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let columns = self.table_columns(area.width, ctx);
        let table = Table {
            cell: Some(FROZEN + self.column),
            rule: true,
            ..Table::new(&columns, self.shown.len(), ctx.focused)
        };
        let mut state = std::mem::take(&mut self.table);
        let this = &*self;
        table.draw(area, buf, ctx, &mut state, &mut |i, wanted| {
            let Some(row) = this.shown.get(i).and_then(|at| this.all.get(*at)) else { return RowView::default() };
            let cells = wanted.iter().map(|at| this.table_cell(row, *at, ctx)).collect();
            RowView { cells, ..RowView::default() }
        });
        self.table = state;
    }

    fn table_cell(&self, row: &Row, at: usize, ctx: &Ctx<'_>) -> Cell<'static> {
        match at {
            0 if row.explained => Cell::text(" "),
            0 => Cell::new(ctx.glyphs.warn, Role::Warn).bold(),
            1 => Cell::text(clean_line(&format!("{} {}", row.object.kind, row.object.name)).into_owned()),
            2 if row.field.is_empty() => Cell::new(m::D_WHOLE.text(ctx.lang), Role::Muted),
            2 => Cell::new(short(&row.field), if row.explained { Role::Text } else { Role::Warn }),
            at => match self.columns.get(at - FROZEN) {
                Some(column) => {
                    let (text, role) = value(row, column, ctx.lang);
                    Cell::new(text, role)
                }
                None => {
                    let msg = if row.explained { m::D_EXPLAINED } else { m::D_FINDING };
                    Cell::new(msg.text(ctx.lang), if row.explained { Role::Muted } else { Role::Warn })
                }
            },
        }
    }

    fn table_columns(&self, cells: u16, ctx: &Ctx<'_>) -> Vec<table::Column> {
        let lang = ctx.lang;
        let (first, shown, all) = self.table.columns_shown();
        let hidden = all.saturating_sub(first + shown);
        let note = if hidden > 0 && shown > 0 {
            x::MORE_RIGHT.fill(lang, &[("n", &hidden.to_string()), ("arrow", ctx.glyphs.more.1)])
        } else {
            m::D_KIND.text(lang).to_owned()
        };
        let most = if cells >= 160 { 40 } else { 24 };
        let frozen = |key, header: &'static str, share: u16, most: u16| {
            table::Column::new(key, header).width(6, (cells / share).clamp(6, most)).pin(Pin::Left).middle()
        };
        let mut out = vec![
            table::Column::new("mark", "").width(1, 1).pin(Pin::Left),
            frozen("object", m::D_OBJECT.text(lang), 5, 32),
            frozen("field", m::D_FIELD.text(lang), 4, 44),
        ];
        out.extend(self.columns.iter().map(|c| table::Column::new(c.key.clone(), heading(c)).width(8, most).middle()));
        if cells >= 70 {
            let wide = u16::try_from(width(&note).max(9)).unwrap_or(9);
            out.push(table::Column::new("note", note).width(wide.min(12), 12).pin(Pin::Right));
        }
        out
    }

    /// Every value of the field under the cursor: its clusters, and who is behind it.
    pub(super) fn explain(&self, cells: usize, lang: Lang, glyphs: &Glyphs) -> Vec<Line> {
        let Some(row) = self.row() else { return Vec::new() };
        let mut doc = Doc::new(cells, if lang == Lang::Zh { 8 } else { 6 }, glyphs.lines.0);
        let field = if row.field.is_empty() { m::D_WHOLE.text(lang).into() } else { clean_line(&row.field) };
        let title = format!("{}  {field}", clean_line(&row.object.to_string()));
        doc.line(vec![Span::bold(title, Role::Title)], None);
        if !row.explained {
            doc.item(glyphs.warn, Role::Warn, m::D_FINDING_LONG.text(lang), Role::Warn);
        }
        let here = self.current_column().and_then(|c| c.members.first()).map(|n| reading_of(row, *n));
        for (at, reading) in row.readings.iter().enumerate() {
            let mark = if here == Some(at) { glyphs.selected } else { " " };
            let role = if at == 0 { Role::Text } else { Role::Changed };
            doc.item(mark, Role::Accent, &one_value(row, reading, at, lang), role);
            doc.field(m::D_IN.text(lang), &self.names(reading, cells), Role::Muted);
            doc.field(m::D_BY.text(lang), &cause_words(&reading.cause, lang), Role::Text);
        }
        doc.into_lines()
    }

    /// The clusters of a value, as many as fit on a line, and how many there are.
    fn names(&self, reading: &Reading, cells: usize) -> String {
        let names: Vec<String> = reading
            .clusters
            .iter()
            .filter_map(|n| self.cluster_name(*n))
            .map(|name| clean_line(&name).into_owned())
            .collect();
        format!("({}) {}", names.len(), cut_end(&names.join(" "), cells.saturating_sub(16).max(20)))
    }

    /// Why there is nothing to show.
    fn face(&self, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        let lang = ctx.lang;
        let name = clean_line(&self.name);
        if ctx.desired.is_none() {
            return placement::undeclared(ctx);
        }
        if self.gone {
            return vec![(m::D_GONE.fill(lang, &[("name", &name)]), Role::Text)];
        }
        if self.all.is_empty() {
            return vec![(m::D_NONE.fill(lang, &[("name", &name)]), Role::Ok)];
        }
        let total = self.all.len().to_string();
        if !self.filter.is_empty() {
            let key = words::key(ActionId::Back);
            return vec![
                (m::D_EMPTY_FILTER.fill(lang, &[("filter", self.filter.text())]), Role::Text),
                (m::D_EMPTY_FILTER_DO.fill(lang, &[("total", &total), ("key", key)]), Role::Muted),
            ];
        }
        vec![
            (m::D_EMPTY_EXPLAINED.fill(lang, &[("total", &total)]), Role::Ok),
            (x::EMPTY_SAME_DO.fill(lang, &[("key", words::key(ActionId::Findings))]), Role::Muted),
        ]
    }
}

/// Text and role of a value in a column; the most common one is quiet.
pub(super) fn value(row: &Row, column: &Column, lang: Lang) -> (String, Role) {
    let place = column.members.first().map_or(usize::MAX, |n| reading_of(row, *n));
    let Some(reading) = row.readings.get(place) else { return ("-".to_owned(), Role::Muted) };
    let role = match (&reading.value, &reading.cause) {
        (None, Cause::NotPlaced) => Role::Muted,
        _ if place == 0 => Role::Text,
        _ => Role::Changed,
    };
    (one_value(row, reading, place, lang), role)
}

/// A value in one line; what is secret is never shown, only that it differs.
fn one_value(row: &Row, reading: &Reading, place: usize, lang: Lang) -> String {
    match (&reading.value, &reading.cause) {
        (None, Cause::NotPlaced) => "-".to_owned(),
        (None, _) => m::D_ABSENT.text(lang).to_owned(),
        (Some(_), _) if row.field.is_empty() => m::D_THERE.text(lang).to_owned(),
        (Some(_), _) if row.masked && place == 0 => m::D_MASKED.text(lang).to_owned(),
        (Some(_), _) if row.masked => m::D_MASKED_DIFFERS.text(lang).to_owned(),
        (Some(value), _) => clean_line(&brief(value)).into_owned(),
    }
}

/// Header of a column: its first cluster, and how many more are alike.
pub(super) fn heading(column: &Column) -> String {
    match column.members.len() {
        0 | 1 => column.title.clone(),
        n => format!("{} +{}", column.title, n - 1),
    }
}

/// A field without the part that every workload has before it: `spec.template.spec.containers[app].image` begins with
/// `containers`.
fn short(field: &str) -> String {
    let rest = field.strip_prefix("spec.template.spec.").or_else(|| field.strip_prefix("spec.template."));
    clean_line(rest.unwrap_or(field)).into_owned()
}
