//! A virtual table: only what is visible is asked for and drawn; 100,000 rows cost what fits on the screen.
//!
//! Columns may be pinned at the left or at the right; the others scroll sideways. Widths come from what is visible, grow
//! at once and never shrink while the columns stay the same (specs: tui c2, rule 8).

use std::{borrow::Cow, collections::BTreeMap};

use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use super::{Cell, put};
use crate::{
    messages::{cut_end, cut_middle, width},
    tui::{action::ActionId, screen::Ctx, theme::Role},
};

/// Widest a column becomes where room is left over.
const LONGEST: u16 = 120;

/// Where a column stays when the table scrolls sideways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// It scrolls.
    #[default]
    No,
    /// Always at the left.
    Left,
    /// Always at the right.
    Right,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Stable key, unique in the table.
    pub key: Cow<'static, str>,
    /// Header.
    pub header: Cow<'static, str>,
    /// Floor and ceiling of the width.
    pub bounds: (u16, u16),
    /// Numbers: right-aligned.
    pub right: bool,
    /// Pinned.
    pub pin: Pin,
    /// Cut in the middle (identifiers), not at the end (messages).
    pub middle: bool,
    /// Takes room that is left over, beyond its ceiling, when its text needs it.
    pub grow: bool,
    /// The order is by this column; true = downwards.
    pub sorted: Option<bool>,
    /// Role of the header, where it is not the usual one (a cluster's state).
    pub role: Option<Role>,
}

impl Column {
    /// A column as wide as its text, between 1 and 40 cells.
    pub fn new(key: impl Into<Cow<'static, str>>, header: impl Into<Cow<'static, str>>) -> Self {
        Self {
            key: key.into(),
            header: header.into(),
            bounds: (1, 40),
            right: false,
            pin: Pin::No,
            middle: false,
            grow: false,
            sorted: None,
            role: None,
        }
    }

    /// Floor and ceiling; equal ones fix the width.
    #[must_use]
    pub fn width(mut self, min: u16, max: u16) -> Self {
        self.bounds = (min, max.max(min));
        self
    }

    /// Right-aligned.
    #[must_use]
    pub fn right(mut self) -> Self {
        self.right = true;
        self
    }

    /// Pinned.
    #[must_use]
    pub fn pin(mut self, pin: Pin) -> Self {
        self.pin = pin;
        self
    }

    /// Cut in the middle.
    #[must_use]
    pub fn middle(mut self) -> Self {
        self.middle = true;
        self
    }

    /// Takes what is left over.
    #[must_use]
    pub fn grow(mut self) -> Self {
        self.grow = true;
        self
    }

    /// The order is by this column.
    #[must_use]
    pub fn sorted(mut self, down: Option<bool>) -> Self {
        self.sorted = down;
        self
    }

    fn head_width(&self) -> u16 {
        cells(&self.header) + u16::from(self.sorted.is_some())
    }
}

/// What a row looks like: one cell for each column that was asked for, in that order.
#[derive(Clone, Debug, Default)]
pub struct RowView<'r> {
    /// Cells.
    pub cells: Vec<Cell<'r>>,
    /// Old data: drawn dim.
    pub stale: bool,
    /// Marked.
    pub marked: bool,
}

/// What the mouse hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A row, and the column's key if one was hit.
    Row(usize, Option<Cow<'static, str>>),
    /// The header of this column.
    Header(Cow<'static, str>),
}

/// Cursor, scroll and widths of a table; kept by the screen.
#[derive(Clone, Debug, Default)]
pub struct TableState {
    /// Row under the cursor.
    pub cursor: usize,
    /// First visible row.
    pub offset: usize,
    /// First visible column among those that scroll.
    pub left: usize,
    widths: BTreeMap<Cow<'static, str>, u16>,
    /// Widest text seen, beyond the ceiling too: where room is left over it is used.
    natural: BTreeMap<Cow<'static, str>, u16>,
    shape: Vec<Cow<'static, str>>,
    /// Geometry of the last frame.
    drawn: Drawn,
}

#[derive(Clone, Debug, Default)]
struct Drawn {
    rows: Rect,
    header: Option<u16>,
    columns: Vec<(Cow<'static, str>, u16, u16)>,
    scrolling: usize,
    scrolling_shown: usize,
    len: usize,
}

impl TableState {
    /// Puts the cursor on a row; the table scrolls when it is drawn.
    pub fn select(&mut self, row: usize) {
        self.cursor = row;
    }

    /// Rows on the screen in the last frame.
    pub fn visible(&self) -> std::ops::Range<usize> {
        self.offset..(self.offset + usize::from(self.drawn.rows.height)).min(self.drawn.len)
    }

    /// Scrolling columns on the screen in the last frame: first, number shown, of how many.
    pub fn columns_shown(&self) -> (usize, usize, usize) {
        (self.left, self.drawn.scrolling_shown, self.drawn.scrolling)
    }

    /// Forgets the widths: on a change of view, not while the person reads.
    pub fn reset_widths(&mut self) {
        self.widths.clear();
        self.natural.clear();
    }

    /// Screen position of the cursor's row, if it is visible.
    pub fn cursor_position(&self) -> Option<(u16, u16)> {
        let row = u16::try_from(self.cursor.checked_sub(self.offset)?).ok()?;
        (row < self.drawn.rows.height && self.cursor < self.drawn.len)
            .then(|| (self.drawn.rows.x, self.drawn.rows.y + row))
    }

    /// Does a motion; false when the action is none.
    pub fn act(&mut self, action: ActionId, len: usize) -> bool {
        let page = usize::from(self.drawn.rows.height.max(1));
        let last = len.saturating_sub(1);
        let at = self.cursor.min(last);
        self.cursor = match action {
            ActionId::Down => (at + 1).min(last),
            ActionId::Up => at.saturating_sub(1),
            ActionId::Top => 0,
            ActionId::Bottom => last,
            ActionId::HalfDown => (at + page / 2).min(last),
            ActionId::HalfUp => at.saturating_sub(page / 2),
            ActionId::PageDown => (at + page).min(last),
            ActionId::PageUp => at.saturating_sub(page),
            ActionId::Left => return self.scroll_columns(-1),
            ActionId::Right => return self.scroll_columns(1),
            ActionId::PageLeft => return self.scroll_columns(-self.page_of_columns()),
            ActionId::PageRight => return self.scroll_columns(self.page_of_columns()),
            _ => return false,
        };
        true
    }

    fn page_of_columns(&self) -> isize {
        isize::try_from(self.drawn.scrolling_shown.max(2) - 1).unwrap_or(1)
    }

    fn scroll_columns(&mut self, by: isize) -> bool {
        let most = self.drawn.scrolling.saturating_sub(self.drawn.scrolling_shown.max(1));
        self.left = self.left.saturating_add_signed(by).min(most);
        true
    }

    /// Scrolls by wheel steps; the cursor stays on the screen.
    pub fn wheel(&mut self, steps: i16, len: usize) {
        let page = usize::from(self.drawn.rows.height.max(1));
        let most = len.saturating_sub(page);
        self.offset = self.offset.saturating_add_signed(isize::from(steps) * 3).min(most);
        let end = (self.offset + page).min(len).max(self.offset + 1);
        self.cursor = self.cursor.clamp(self.offset, end - 1);
    }

    /// What lies at this place of the screen.
    pub fn hit(&self, at: (u16, u16)) -> Option<Hit> {
        let column = self.drawn.columns.iter().find(|(_, x, w)| at.0 >= *x && at.0 < x + w).map(|(k, _, _)| k.clone());
        if Some(at.1) == self.drawn.header {
            return column.map(Hit::Header);
        }
        if !self.drawn.rows.contains(at.into()) {
            return None;
        }
        let row = self.offset + usize::from(at.1 - self.drawn.rows.y);
        (row < self.drawn.len).then_some(Hit::Row(row, column))
    }
}

/// A table to draw.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// Columns.
    pub columns: &'a [Column],
    /// Number of rows.
    pub len: usize,
    /// The pane has the focus.
    pub focused: bool,
    /// Column with the cell cursor (index in `columns`): it is kept in view.
    pub cell: Option<usize>,
    /// Draws a heavy rule right of the columns pinned at the left, and under the header.
    pub rule: bool,
}

/// A column's place on the screen.
struct Slot {
    column: usize,
    x: u16,
    w: u16,
}

impl<'a> Table<'a> {
    /// A plain table.
    pub fn new(columns: &'a [Column], len: usize, focused: bool) -> Self {
        Self { columns, len, focused, cell: None, rule: false }
    }

    /// Draws; `row` gives the cells of one row for the columns asked for (indices in `columns`).
    pub fn draw<'r>(
        &self,
        area: Rect,
        buf: &mut Buffer,
        ctx: &Ctx<'_>,
        state: &mut TableState,
        row: &mut dyn FnMut(usize, &[usize]) -> RowView<'r>,
    ) {
        let area = area.intersection(buf.area);
        let head = u16::from(area.height > 1);
        let rule = u16::from(self.rule && area.height > 3);
        let body = Rect { y: area.y + head + rule, height: area.height.saturating_sub(head + rule), ..area };
        self.prepare(state, body);
        if area.is_empty() {
            return;
        }
        let wanted: Vec<usize> = self.place(state, area).0.iter().map(|s| s.column).collect();
        let rows: Vec<RowView<'r>> =
            (state.offset..(state.offset + usize::from(body.height)).min(self.len)).map(|i| row(i, &wanted)).collect();
        self.measure(state, &wanted, &rows, area);
        let (slots, more) = self.place(state, area);
        if head > 0 {
            self.draw_header(area, buf, ctx, &slots, more);
        }
        for (i, view) in rows.iter().enumerate() {
            let y = body.y + u16::try_from(i).unwrap_or(0);
            self.draw_row(
                Rect { y, height: 1, ..area },
                buf,
                ctx,
                state.offset + i == state.cursor,
                view,
                (&wanted, &slots),
            );
        }
        if self.rule {
            self.draw_rule(area, buf, ctx, &slots, rule > 0);
        }
        state.drawn = Drawn {
            rows: body,
            header: (head > 0).then_some(area.y),
            columns: slots.iter().map(|s| (self.columns[s.column].key.clone(), s.x, s.w)).collect(),
            scrolling: self.columns.iter().filter(|c| c.pin == Pin::No).count(),
            scrolling_shown: slots.iter().filter(|s| self.columns[s.column].pin == Pin::No).count(),
            len: self.len,
        };
    }

    /// Keeps cursor and scroll inside what there is.
    fn prepare(&self, state: &mut TableState, body: Rect) {
        if !state.shape.iter().eq(self.columns.iter().map(|c| &c.key)) {
            state.shape = self.columns.iter().map(|c| c.key.clone()).collect();
            state.reset_widths();
        }
        let height = usize::from(body.height.max(1));
        state.cursor = state.cursor.min(self.len.saturating_sub(1));
        state.offset = state.offset.min(state.cursor).max((state.cursor + 1).saturating_sub(height));
        state.offset = state.offset.min(self.len.saturating_sub(height));
        let scrolling: Vec<usize> = (0..self.columns.len()).filter(|i| self.columns[*i].pin == Pin::No).collect();
        state.left = state.left.min(scrolling.len().saturating_sub(1));
        if let Some(at) = self.cell.and_then(|c| scrolling.iter().position(|i| *i == c)) {
            state.left = state.left.min(at);
        }
    }

    fn width_of(&self, state: &TableState, column: usize) -> u16 {
        let c = &self.columns[column];
        let seen = state.widths.get(&c.key).copied().unwrap_or(0);
        seen.max(c.head_width().clamp(c.bounds.0, c.bounds.1)).max(c.bounds.0)
    }

    /// Lays the columns out: pinned ones first, then as many of the others as fit, from `state.left` on. Says too
    /// whether columns are left out at the left and at the right.
    fn place(&self, state: &mut TableState, area: Rect) -> (Vec<Slot>, (bool, bool)) {
        let (mut slots, mut more) = self.place_from(state, area);
        // The cell cursor is kept in view: scroll until its column is there in full, or alone.
        while let Some(cell) = self.cell
            && self.columns.get(cell).is_some_and(|c| c.pin == Pin::No)
            && !slots.iter().any(|s| s.column == cell && s.w >= self.width_of(state, cell))
            && slots.iter().filter(|s| self.columns[s.column].pin == Pin::No).count() > 1
        {
            state.left += 1;
            (slots, more) = self.place_from(state, area);
        }
        (slots, more)
    }

    fn place_from(&self, state: &TableState, area: Rect) -> (Vec<Slot>, (bool, bool)) {
        // One cell of gutter for the cursor and the mark.
        let mut x = area.x.saturating_add(1).min(area.right());
        let mut end = area.right();
        let mut slots = Vec::with_capacity(self.columns.len().min(32));
        let pinned = |pin| (0..self.columns.len()).filter(move |i| self.columns[*i].pin == pin);
        let mut right: Vec<Slot> = Vec::new();
        for i in pinned(Pin::Right) {
            let w = self.width_of(state, i).min(area.width / 3);
            if w > 0 && end.saturating_sub(w) > x {
                end -= w;
                right.push(Slot { column: i, x: end, w });
                end = end.saturating_sub(1);
            }
        }
        for i in pinned(Pin::Left) {
            let w = self.width_of(state, i).min(end.saturating_sub(x));
            if w > 0 {
                slots.push(Slot { column: i, x, w });
                x = (x + w + 1).min(end);
            }
        }
        if self.rule && !slots.is_empty() {
            x = (x + 2).min(end);
        }
        let mut left_out = (state.left > 0, false);
        for i in pinned(Pin::No).skip(state.left) {
            let want = self.width_of(state, i);
            let room = end.saturating_sub(x);
            // A column that would be cut to a stub is left for the next screenful.
            if room == 0 || (room < want && room < want.min(6)) {
                left_out.1 = true;
                break;
            }
            let w = want.min(room);
            slots.push(Slot { column: i, x, w });
            x = (x + w + 1).min(end);
        }
        if !left_out.1 {
            self.stretch(state, &mut slots, end);
        }
        slots.extend(right);
        (slots, left_out)
    }

    /// Gives what is left over to the columns whose text was cut at their ceiling, then to the last one that takes anything.
    fn stretch(&self, state: &TableState, slots: &mut [Slot], end: u16) {
        let Some(last) = slots.last() else { return };
        let mut spare = end.saturating_sub(last.x + last.w);
        for at in 0..slots.len() {
            let c = &self.columns[slots[at].column];
            let wish = state.natural.get(&c.key).map_or(0, |n| n.saturating_sub(slots[at].w));
            if c.bounds.0 < c.bounds.1 && wish > 0 {
                spare -= widen(slots, at, wish.min(spare));
            }
        }
        if let Some(at) = slots.iter().rposition(|s| self.columns[s.column].grow) {
            widen(slots, at, spare);
        }
    }

    fn measure(&self, state: &mut TableState, wanted: &[usize], rows: &[RowView<'_>], area: Rect) {
        for (at, column) in wanted.iter().enumerate() {
            let c = &self.columns[*column];
            let most = c.bounds.1.min(area.width.max(1));
            let widest = rows.iter().filter_map(|r| r.cells.get(at)).map(|cell| cells(&cell.text)).max().unwrap_or(0);
            let w = widest.max(c.head_width()).clamp(c.bounds.0.min(most), most);
            let kept = state.widths.entry(c.key.clone()).or_default();
            *kept = (*kept).max(w);
            let natural = state.natural.entry(c.key.clone()).or_default();
            *natural = (*natural).max(widest.min(LONGEST));
        }
    }

    fn draw_header(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, slots: &[Slot], more: (bool, bool)) {
        let style = ctx.theme.style(Role::Header);
        for s in slots {
            let c = &self.columns[s.column];
            let style = c.role.map_or(style, |r| style.patch(ctx.theme.style(r)));
            let style = if self.cell == Some(s.column) { style.add_modifier(Modifier::UNDERLINED) } else { style };
            let mark = match c.sorted {
                Some(true) => ctx.glyphs.sort_down,
                Some(false) => ctx.glyphs.sort_up,
                None => "",
            };
            let room = usize::from(s.w).saturating_sub(mark.len().min(1));
            let text = if c.middle { cut_middle(&c.header, room) } else { cut_end(&c.header, room) };
            let text = format!("{}{mark}", fit_cut(&text, ctx));
            put_aligned(buf, (s.x, area.y, s.w), &text, c.right, style);
        }
        let hint = ctx.theme.style(Role::Accent);
        if more.0 {
            put(buf, area.x, area.y, ctx.glyphs.more.0, 1, hint);
        }
        // A column pinned at the right says itself what lies between.
        if more.1 && !self.columns.iter().any(|c| c.pin == Pin::Right) {
            put(buf, area.right() - 1, area.y, ctx.glyphs.more.1, 1, hint);
        }
    }

    fn draw_row(
        &self,
        line: Rect,
        buf: &mut Buffer,
        ctx: &Ctx<'_>,
        selected: bool,
        view: &RowView<'_>,
        (wanted, slots): (&[usize], &[Slot]),
    ) {
        let theme = ctx.theme;
        let solid = self.focused && self.cell.is_none();
        let dress = |style| if selected { theme.selected(style, solid) } else { style };
        buf.set_style(line, dress(theme.style(Role::Text)));
        let (gutter, role) = match (view.marked, selected) {
            (true, _) => (ctx.glyphs.marked, Role::Mark),
            (false, true) => (ctx.glyphs.selected, Role::Accent),
            (false, false) => (" ", Role::Text),
        };
        put(buf, line.x, line.y, gutter, 1, dress(theme.style(role)));
        for s in slots {
            let Some(cell) = wanted.iter().position(|c| *c == s.column).and_then(|at| view.cells.get(at)) else {
                continue;
            };
            let mut style =
                theme.style(if view.stale && !matches!(cell.role, Role::Tile(_)) { Role::Stale } else { cell.role });
            if cell.bold {
                style = style.add_modifier(Modifier::BOLD);
            }
            style = dress(style);
            if selected && self.cell == Some(s.column) {
                style = theme.selected(style, self.focused);
                buf.set_style(Rect { x: s.x, width: s.w, ..line }, style);
            }
            let c = &self.columns[s.column];
            let w = usize::from(s.w);
            let text = if c.middle { cut_middle(&cell.text, w) } else { cut_end(&cell.text, w) };
            put_aligned(buf, (s.x, line.y, s.w), &fit_cut(&text, ctx), c.right, style);
        }
    }

    fn draw_rule(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, slots: &[Slot], under: bool) {
        let style = ctx.theme.style(Role::Border);
        let (vertical, horizontal, cross) = ctx.glyphs.rule;
        let pinned = slots.iter().filter(|s| self.columns[s.column].pin == Pin::Left).map(|s| s.x + s.w).max();
        if under {
            for x in area.left()..area.right() {
                put(buf, x, area.y + 1, horizontal, 1, style);
            }
        }
        let Some(x) = pinned.map(|x| x + 1).filter(|x| *x < area.right()) else { return };
        for y in area.top()..area.bottom() {
            let crossing = under && y == area.y + 1;
            put(buf, x, y, if crossing { cross } else { vertical }, 1, style);
        }
    }
}

/// Widens one column and moves those behind it.
fn widen(slots: &mut [Slot], at: usize, by: u16) -> u16 {
    slots[at].w += by;
    for s in slots.iter_mut().skip(at + 1) {
        s.x += by;
    }
    by
}

fn cells(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}

/// The cut mark of the glyph set in use, in place of the one that `messages` writes; one cell in both.
fn fit_cut<'t>(text: &'t str, ctx: &Ctx<'_>) -> Cow<'t, str> {
    if ctx.glyphs.ascii && text.contains('⋯') { Cow::Owned(text.replace('⋯', ".")) } else { Cow::Borrowed(text) }
}

fn put_aligned(buf: &mut Buffer, (x, y, w): (u16, u16, u16), text: &str, right: bool, style: ratatui::style::Style) {
    let shift = if right { w.saturating_sub(cells(text)) } else { 0 };
    put(buf, x + shift, y, text, w - shift, style);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::Settings,
        fleet::Store,
        messages::Lang,
        model::Millis,
        tui::{glyphs, theme::Theme},
    };

    fn draw(columns: &[Column], rows: &[&[&str]], width: u16, state: &mut TableState) -> Vec<String> {
        let (store, settings, theme) = (Store::default(), Settings::default(), Theme::default());
        let ctx = Ctx {
            store: &store,
            settings: &settings,
            desired: None,
            lang: Lang::En,
            theme: &theme,
            glyphs: &glyphs::UNICODE,
            now: Millis(0),
            size: (width, 20),
            read_only: true,
            focused: true,
            plain: false,
        };
        let area = Rect::new(0, 0, width, 3);
        let mut buf = Buffer::empty(area);
        Table::new(columns, rows.len(), true).draw(area, &mut buf, &ctx, state, &mut |i, wanted| RowView {
            cells: wanted.iter().map(|c| Cell::text(rows[i][*c].to_owned())).collect(),
            ..RowView::default()
        });
        (0..3).map(|y| (0..width).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned()).collect()
    }

    fn columns() -> [Column; 3] {
        [Column::new("a", "A").pin(Pin::Left), Column::new("n", "N").right(), Column::new("m", "MSG").width(3, 6)]
    }

    #[test]
    fn widths_follow_the_text_and_never_shrink() {
        let mut state = TableState::default();
        let columns = columns();
        assert_eq!(
            draw(&columns, &[&["支付", "7", "abc"], &["x", "10", "d"]], 40, &mut state),
            [" A     N MSG", "▸支付  7 abc", " x    10 d"]
        );
        assert_eq!(draw(&columns, &[&["x", "1", "d"]], 40, &mut state)[1], "▸x     1 d");
        state.reset_widths();
        assert_eq!(draw(&columns, &[&["x", "1", "d"]], 40, &mut state)[1], "▸x 1 d");
    }

    #[test]
    fn room_that_is_left_over_shows_what_was_cut() {
        let mut state = TableState::default();
        let columns = columns();
        assert_eq!(draw(&columns, &[&["x", "1", "a long message"]], 24, &mut state)[1], "▸x 1 a long message");
        let mut state = TableState::default();
        assert_eq!(draw(&columns, &[&["x", "1", "a long message"]], 11, &mut state)[1], "▸x 1 a lon⋯");
    }

    #[test]
    fn columns_scroll_and_pinned_ones_stay() {
        let mut state = TableState::default();
        let columns = columns();
        let rows: &[&[&str]] = &[&["name", "1234567", "abcdef"]];
        assert_eq!(draw(&columns, rows, 14, &mut state)[1], "▸name 1234567");
        assert!(state.act(ActionId::Right, 1));
        assert_eq!(draw(&columns, rows, 14, &mut state)[1], "▸name abcdef");
        assert_eq!(state.hit((6, 1)), Some(Hit::Row(0, Some("m".into()))));
        assert_eq!(state.hit((6, 0)), Some(Hit::Header("m".into())));
        assert_eq!(state.hit((6, 2)), None);
    }
}
