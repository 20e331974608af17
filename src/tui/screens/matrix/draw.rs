//! How the Matrix looks: frozen service and gutter, the rule, one cell for each visible column, the note, and below them
//! the explanation of the cell under the cursor.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{Column, MatrixScreen, block, cell};
use crate::{
    fleet::matrix::{ServiceSummary, Show},
    messages::{Msg, matrix as m, width},
    model::ClusterState,
    tui::{
        action::ActionId,
        screen::Ctx,
        screens::{doc_view, faces, words},
        theme::Role,
        widgets::{
            Cell,
            pane::Pane,
            table::{self, Pin, RowView, Table},
        },
    },
};

/// Columns of the table before the first cluster.
const FROZEN: usize = 2;

impl MatrixScreen {
    /// Draws the matrix, or why it is empty, and the explanation.
    pub(super) fn render(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.formatted = 0;
        if area.is_empty() {
            return;
        }
        let pane = Pane {
            number: Some(1),
            title: self.title(ctx).into(),
            title_right: self.missing(ctx).into(),
            focused: ctx.focused,
            ..Pane::default()
        };
        let inside = pane.draw(area, buf, ctx);
        if self.services.is_empty() || self.columns.is_empty() {
            faces::draw(inside, buf, ctx, &self.face(ctx));
            return;
        }
        let below = match inside.height {
            0..9 => 0,
            9..13 => 2,
            13..18 => 5,
            18..24 => 6,
            h => (h / 3).min(14),
        };
        let grid = Rect { height: inside.height - below, ..inside };
        self.grid(grid, buf, ctx);
        self.explain(Rect { y: grid.bottom(), height: below, ..inside }, buf, ctx);
    }

    fn title(&self, ctx: &Ctx<'_>) -> String {
        let shows: Msg = match self.show {
            Show::Version => m::VERSIONS,
            Show::Digest => m::DIGESTS,
            Show::Config => m::CONFIGS,
            Show::Replicas => m::REPLICAS,
        };
        let at = if self.services.is_empty() { 0 } else { self.table.cursor + 1 };
        let mut title = format!("{}  {at}/{}", shows.text(ctx.lang), self.services.len());
        if let Some(grouping) = self.grouping.title() {
            title = format!("{title}  {}", grouping.text(ctx.lang));
        }
        title
    }

    /// Clusters whose cells are old or unknown, by name.
    fn missing(&self, ctx: &Ctx<'_>) -> String {
        let members = || self.columns.iter().flat_map(|c| &c.members);
        let names: Vec<String> = members()
            .filter_map(|id| ctx.store.shard(*id))
            .filter(|s| s.condition.state != ClusterState::Live)
            .map(|s| if s.record.alias.is_empty() { s.record.name.to_string() } else { s.record.alias.clone() })
            .collect();
        if names.is_empty() {
            return String::new();
        }
        let shown = if names.len() > 3 { format!("{} ⋯", names[..3].join(" ")) } else { names.join(" ") };
        let values = [("n", names.len().to_string()), ("total", members().count().to_string()), ("names", shown)];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let msg = match (names.len(), members().count()) {
            (1, 1) => m::MISSING_ALONE,
            (1, _) => m::MISSING_ONE,
            _ => m::MISSING,
        };
        let text = msg.fill(ctx.lang, &values);
        if ctx.glyphs.ascii { text.replace('⋯', "..") } else { text }
    }

    fn grid(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.measure(ctx);
        let columns = self.table_columns(area.width, ctx);
        let table = Table {
            cell: Some(FROZEN + self.column),
            rule: true,
            ..Table::new(&columns, self.services.len(), ctx.focused)
        };
        let mut state = std::mem::take(&mut self.table);
        let this = &*self;
        let mut formatted = 0;
        table.draw(area, buf, ctx, &mut state, &mut |i, wanted| {
            let Some(service) = this.services.get(i) else { return RowView::default() };
            let cells = wanted.iter().map(|at| this.table_cell(service, *at, &mut formatted, ctx)).collect();
            RowView { cells, ..RowView::default() }
        });
        self.table = state;
        self.formatted = formatted;
    }

    fn table_cell(&self, service: &ServiceSummary, at: usize, formatted: &mut usize, ctx: &Ctx<'_>) -> Cell<'static> {
        match at {
            0 => Cell::text(self.service_name(service)),
            1 => {
                let (mark, role) = cell::gutter(service, ctx.glyphs);
                Cell::new(mark, role).bold()
            }
            at => match self.columns.get(at - FROZEN) {
                Some(column) => {
                    *formatted += 1;
                    let (text, role) = self.cell(ctx.store, service, column, ctx.now, self.style(ctx));
                    Cell::new(text, role)
                }
                None => {
                    let (text, role) = cell::note(&service.note, ctx.lang);
                    Cell::new(text, role)
                }
            },
        }
    }

    fn style<'c>(&self, ctx: &Ctx<'c>) -> cell::Style<'c> {
        cell::Style { show: self.show, room: usize::from(self.cell_width), glyphs: ctx.glyphs, lang: ctx.lang }
    }

    /// The cell's width comes from the services' usual versions and the headers: it grows, and shrinks only with the view.
    fn measure(&mut self, ctx: &Ctx<'_>) {
        let room = match self.show {
            Show::Version => {
                // Four in five fit whole: a few long tags shall not cost every column its neighbours.
                let mut usual: Vec<usize> = self.services.iter().map(|s| width(&s.usual)).collect();
                usual.sort_unstable();
                let usual = usual.get(usual.len() * 4 / 5).copied().unwrap_or(0);
                // Room for a mark before it and replicas behind it.
                (usual + 6).clamp(12, 18)
            }
            Show::Digest => 14,
            Show::Config => 12,
            Show::Replicas => 10,
        };
        let room = if self.columns.iter().any(|c| c.group) { room + 4 } else { room };
        let header = self.columns.iter().map(|c| width(&c.title) + 2).max().unwrap_or(0);
        let most = if ctx.size.0 >= 160 { 22 } else { 14 };
        let wanted = u16::try_from(room.max(header.min(most))).unwrap_or(12);
        self.cell_width = self.cell_width.max(wanted);
    }

    fn table_columns(&self, cells: u16, ctx: &Ctx<'_>) -> Vec<table::Column> {
        let (first, shown, all) = self.table.columns_shown();
        let hidden = all.saturating_sub(first + shown);
        let note = if hidden > 0 && shown > 0 {
            m::MORE_RIGHT.fill(ctx.lang, &[("n", &hidden.to_string()), ("arrow", ctx.glyphs.more.1)])
        } else {
            m::NOTE.text(ctx.lang).to_owned()
        };
        let name_most = (cells / 4).clamp(8, 28);
        // Kubernetes' longest usual reason, with a number before it, fits from 110 columns on.
        let note_most = (cells / 4).clamp(14, 28);
        let mut out = vec![
            table::Column::new("service", m::SERVICE.text(ctx.lang))
                .width(8, name_most)
                .pin(Pin::Left)
                .middle()
                .sorted(self.by_name.then_some(true)),
            table::Column::new("gutter", "").width(1, 1).pin(Pin::Left),
        ];
        out.extend(self.columns.iter().map(|c| {
            let mut column = table::Column::new(c.key.clone(), header(c, ctx)).width(self.cell_width, self.cell_width);
            column.middle = true;
            column.role = header_role(c, ctx);
            column
        }));
        if cells >= 50 {
            out.push(table::Column::new("note", note).width(10, note_most).pin(Pin::Right));
        }
        out
    }

    /// The explanation of the cell under the cursor.
    fn explain(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let (Some(service), Some(column)) = (self.current(), self.current_column()) else { return };
        let look = block::Look { store: ctx.store, lang: ctx.lang, glyphs: ctx.glyphs, now: ctx.now };
        doc_view::foot(area, buf, ctx, |cells| match column.members.first() {
            Some(id) if !column.group => block::of_cluster(service, *id, look, cells),
            _ => block::of_group(service, column, look, cells),
        });
    }

    /// Why the matrix is empty, and what to press.
    fn face(&self, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        let lang = ctx.lang;
        let total = self.total.to_string();
        if self.columns.is_empty() && !self.at.is_empty() {
            return vec![(m::EMPTY_NO_COLUMNS.fill(lang, &[("filter", &self.at)]), Role::Text)];
        }
        if self.total == 0 {
            let state = |s: ClusterState| ctx.store.clusters().filter(|(_, shard)| shard.condition.state == s).count();
            let waiting = state(ClusterState::Connecting) + state(ClusterState::Syncing);
            let readable = state(ClusterState::Live) + state(ClusterState::Stale);
            return vec![if waiting > 0 {
                let msg = if waiting == 1 { m::EMPTY_WAITING_ONE } else { m::EMPTY_WAITING };
                (msg.fill(lang, &[("n", &waiting.to_string())]), Role::Busy)
            } else {
                let msg = if readable == 1 { m::EMPTY_NONE_ONE } else { m::EMPTY_NONE };
                (msg.fill(lang, &[("n", &readable.to_string())]), Role::Text)
            }];
        }
        if !self.filter.is_empty() {
            let key = words::key(ActionId::Back);
            let hidden = if self.total == 1 { m::EMPTY_FILTER_DO_ONE } else { m::EMPTY_FILTER_DO };
            return vec![
                (m::EMPTY_FILTER.fill(lang, &[("filter", self.filter.text())]), Role::Text),
                (hidden.fill(lang, &[("total", &total), ("key", key)]), Role::Muted),
            ];
        }
        let same = if self.total == 1 { m::EMPTY_SAME_ONE } else { m::EMPTY_SAME };
        vec![
            (same.fill(lang, &[("total", &total)]), Role::Ok),
            (m::EMPTY_SAME_DO.fill(lang, &[("key", words::key(ActionId::Differing))]), Role::Muted),
        ]
    }
}

/// Header of a column: the mark of a cluster that is not live, then its alias; a group with its size.
fn header(column: &Column, ctx: &Ctx<'_>) -> String {
    if column.group {
        return format!("{} ({})", column.title, column.members.len());
    }
    let state = column.members.first().and_then(|id| ctx.store.shard(*id)).map(|s| s.condition.state);
    match state {
        Some(state) if state != ClusterState::Live => format!("{} {}", ctx.glyphs.state(state), column.title),
        _ => column.title.clone(),
    }
}

fn header_role(column: &Column, ctx: &Ctx<'_>) -> Option<Role> {
    let state = column.members.first().filter(|_| !column.group).and_then(|id| ctx.store.shard(*id))?.condition.state;
    (state != ClusterState::Live).then(|| words::state_role(state))
}
