//! A document: scroll, wrap, line numbers, search with all hits marked. Only visible lines are wrapped, cut and styled.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};
use unicode_segmentation::UnicodeSegmentation;

use super::{
    put,
    select::{self, At, Drawn},
};
use crate::{
    messages::{clean, width},
    tui::{action::ActionId, screen::Ctx, theme::Role},
};

/// How lines are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// Not at all.
    #[default]
    Plain,
    /// YAML: keys in `Accent`, comments in `Muted`.
    Yaml,
    /// Details: `Heading` lines without indent in bold, `name   value` with the name muted.
    Details,
}

/// Longest line that is kept, in bytes; the rest is cut and said.
const LONGEST_LINE: usize = 64 * 1024;

/// A document and how it is being read.
#[derive(Clone, Debug, Default)]
pub struct TextView {
    lines: Vec<String>,
    syntax: Syntax,
    /// First visible line.
    top: usize,
    /// Wrapped rows of the first visible line that are scrolled away.
    top_row: usize,
    /// Cells scrolled away at the left, when not wrapping.
    left: usize,
    /// Long lines are wrapped.
    pub wrap: bool,
    /// Line numbers are shown.
    pub numbers: bool,
    search: String,
    hits: Vec<(usize, usize)>,
    hit: usize,
    page: usize,
    room: usize,
    widest: usize,
    drawn: Rect,
    rows: Drawn,
    /// What the mouse has selected.
    picked: Option<(At, At)>,
}

impl TextView {
    /// A document; foreign text is cleaned here.
    pub fn new(text: &str, syntax: Syntax) -> Self {
        let mut view = Self { syntax, ..Self::default() };
        view.set_text(text);
        view
    }

    /// Replaces the text and keeps scroll and search.
    pub fn set_text(&mut self, text: &str) {
        self.lines = clean(text).lines().map(cut_line).collect();
        self.widest = self.lines.iter().map(|l| width(l)).max().unwrap_or(0);
        self.top = self.top.min(self.lines.len().saturating_sub(1));
        self.picked = None;
        let search = std::mem::take(&mut self.search);
        self.find(&search, false);
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// True without any line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Line at the top, from 1, for titles.
    pub fn position(&self) -> usize {
        (self.top + 1).min(self.lines.len())
    }

    /// Scroll position as text, and back, for the history of views.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Scrolls so that this line is at the top.
    pub fn set_top(&mut self, line: usize) {
        self.top = line.min(self.lines.len().saturating_sub(1));
        self.top_row = 0;
    }

    /// Searches, case ignored unless the text has capitals; goes to the first hit at or below the top.
    pub fn search(&mut self, text: &str) {
        self.find(text, true);
    }

    /// What is searched for.
    pub fn searched(&self) -> &str {
        &self.search
    }

    /// Number of the current hit (from 1) and of all.
    pub fn hits(&self) -> (usize, usize) {
        (if self.hits.is_empty() { 0 } else { self.hit + 1 }, self.hits.len())
    }

    fn find(&mut self, text: &str, go: bool) {
        text.clone_into(&mut self.search);
        self.hits.clear();
        if text.is_empty() {
            return;
        }
        for (i, line) in self.lines.iter().enumerate() {
            self.hits.extend(matches_in(line, text).into_iter().map(|(at, _)| (i, at)));
        }
        self.hit = self.hits.iter().position(|(line, _)| *line >= self.top).unwrap_or(0);
        if go {
            self.show_hit();
        }
    }

    /// Goes to the next or previous hit; true when it wrapped around the end.
    pub fn next_hit(&mut self, forward: bool) -> bool {
        let n = self.hits.len();
        if n == 0 {
            return false;
        }
        let wrapped = if forward { self.hit + 1 >= n } else { self.hit == 0 };
        self.hit = if forward { (self.hit + 1) % n } else { (self.hit + n - 1) % n };
        self.show_hit();
        wrapped
    }

    fn show_hit(&mut self) {
        let Some((line, at)) = self.hits.get(self.hit).copied() else { return };
        if line < self.top || line >= self.top + self.page.max(1) {
            self.set_top(line.saturating_sub(self.page / 3));
        }
        let column = self.lines.get(line).and_then(|l| l.get(..at)).map_or(0, width);
        if !self.wrap && (column < self.left || column >= self.left + self.room.max(1)) {
            self.left = column.saturating_sub(self.room / 2);
        }
    }

    /// Does a motion or an action of documents (wrap, line numbers, next hit); false when the action is none.
    pub fn act(&mut self, action: ActionId) -> bool {
        let page = self.page.max(1);
        self.picked = None;
        match action {
            ActionId::Down => self.scroll(1),
            ActionId::Up => self.scroll(-1),
            ActionId::Top => self.set_top(0),
            ActionId::Bottom => {
                self.set_top(self.lines.len());
                self.scroll(1 - isize::try_from(page).unwrap_or(1));
            }
            ActionId::HalfDown => self.scroll(isize::try_from(page / 2).unwrap_or(1)),
            ActionId::HalfUp => self.scroll(-isize::try_from(page / 2).unwrap_or(1)),
            ActionId::PageDown => self.scroll(isize::try_from(page).unwrap_or(1)),
            ActionId::PageUp => self.scroll(-isize::try_from(page).unwrap_or(1)),
            ActionId::Left => self.side(-4),
            ActionId::Right => self.side(4),
            ActionId::PageLeft => self.side(-isize::try_from(self.room).unwrap_or(8)),
            ActionId::PageRight => self.side(isize::try_from(self.room).unwrap_or(8)),
            ActionId::NextHit => {
                self.next_hit(true);
            }
            ActionId::PreviousHit => {
                self.next_hit(false);
            }
            ActionId::Wrap => {
                self.wrap = !self.wrap;
                self.left = 0;
                self.top_row = 0;
            }
            ActionId::LineNumbers => self.numbers = !self.numbers,
            _ => return false,
        }
        true
    }

    fn side(&mut self, by: isize) {
        let most = self.widest.saturating_sub(self.room / 2);
        self.left = if self.wrap { 0 } else { self.left.saturating_add_signed(by).min(most) };
    }

    /// Scrolls by rows of the screen; negative = up.
    pub fn scroll(&mut self, by: isize) {
        let last = self.lines.len().saturating_sub(1);
        if !self.wrap {
            let most = self.lines.len().saturating_sub(self.page.max(1));
            self.top = self.top.saturating_add_signed(by).min(most.max(self.top.min(last)).min(most));
            return;
        }
        for _ in 0..by.unsigned_abs() {
            if by > 0 {
                self.top_row += 1;
                if self.top_row >= self.rows_of(self.top) {
                    if self.top >= last {
                        self.top_row -= 1;
                        break;
                    }
                    self.top += 1;
                    self.top_row = 0;
                }
            } else if self.top_row > 0 {
                self.top_row -= 1;
            } else if self.top > 0 {
                self.top -= 1;
                self.top_row = self.rows_of(self.top) - 1;
            } else {
                break;
            }
        }
    }

    fn rows_of(&self, line: usize) -> usize {
        self.lines.get(line).map_or(1, |l| breaks(l, self.room.max(1)).len())
    }

    /// Marks what lies between two cells of the screen, until the next key, and gives it.
    pub fn select(&mut self, from: (u16, u16), to: (u16, u16)) -> String {
        self.picked = self.rows.between(&self.lines, from, to);
        self.picked.map(|picked| select::text(&self.lines, picked)).unwrap_or_default()
    }

    /// Where the document was drawn, for the mouse and the cursor.
    pub fn area(&self) -> Rect {
        self.drawn
    }

    /// Draws what is visible.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let area = area.intersection(buf.area);
        self.drawn = area;
        self.page = usize::from(area.height);
        let digits = self.lines.len().to_string().len() + 1;
        let gutter = if self.numbers && usize::from(area.width) > digits + 8 { digits } else { 0 };
        self.room = usize::from(area.width) - gutter;
        if area.is_empty() {
            return;
        }
        let shift = u16::try_from(gutter).unwrap_or(0);
        self.rows.begin(Rect { x: area.x + shift, width: area.width - shift, ..area });
        let mut y = area.y;
        let mut line = self.top;
        let mut skip = if self.wrap { self.top_row } else { 0 };
        while y < area.bottom() && line < self.lines.len() {
            if gutter > 0 && skip == 0 {
                let number = format!("{:>w$}", line + 1, w = digits - 1);
                put(buf, area.x, y, &number, shift, ctx.theme.style(Role::Muted));
            }
            let rows = if self.wrap { breaks(&self.lines[line], self.room) } else { vec![(0, self.lines[line].len())] };
            for (from, to) in rows.into_iter().skip(skip) {
                if y >= area.bottom() {
                    break;
                }
                let row = Rect { x: area.x + shift, y, width: area.width - shift, height: 1 };
                self.draw_part(row, buf, ctx, line, (from, to));
                let left = if self.wrap { from } else { byte_at(&self.lines[line], self.left) };
                self.rows.row(line, left);
                y += 1;
            }
            skip = 0;
            line += 1;
        }
    }

    fn draw_part(&self, row: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, line: usize, (from, to): (usize, usize)) {
        let text = &self.lines[line];
        let spans = spans(text, self.syntax);
        let hits = if self.search.is_empty() { Vec::new() } else { matches_in(text, &self.search) };
        let current = self.hits.get(self.hit).filter(|(l, _)| *l == line).map(|(_, at)| *at);
        let mut column = 0;
        let left = if self.wrap { 0 } else { self.left };
        for (at, g) in text.get(from..to).unwrap_or("").grapheme_indices(true) {
            let at = from + at;
            let w = width(g);
            let x = column;
            column += w;
            if x < left {
                continue;
            }
            let x = x - left;
            if x + w > usize::from(row.width) {
                break;
            }
            let mut style = spans
                .iter()
                .find(|(s, e, _)| at >= *s && at < *e)
                .map_or(Style::new(), |(_, _, r)| ctx.theme.style(*r));
            if spans.iter().any(|(s, e, r)| at >= *s && at < *e && *r == Role::Title) {
                style = style.add_modifier(Modifier::BOLD);
            }
            if let Some((start, _)) = hits.iter().find(|(s, len)| at >= *s && at < s + len) {
                style = ctx.theme.style(Role::Mark);
                if current == Some(*start) {
                    style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
                }
            }
            if select::holds(self.picked, (line, at)) {
                style = ctx.theme.style(Role::Selection);
            }
            put(buf, row.x + u16::try_from(x).unwrap_or(0), row.y, g, u16::try_from(w).unwrap_or(1), style);
        }
        if !self.wrap && column > left + usize::from(row.width) {
            put(buf, row.right() - 1, row.y, ctx.glyphs.more.1, 1, ctx.theme.style(Role::Accent));
        }
    }
}

/// The byte of the first character that begins at this cell or after it.
fn byte_at(line: &str, cell: usize) -> usize {
    let mut column = 0;
    for (at, g) in line.grapheme_indices(true) {
        if column >= cell {
            return at;
        }
        column += width(g);
    }
    line.len()
}

fn cut_line(line: &str) -> String {
    if line.len() <= LONGEST_LINE {
        return line.to_owned();
    }
    let end = (0..=LONGEST_LINE).rev().find(|i| line.is_char_boundary(*i)).unwrap_or(0);
    format!("{}[cut]", &line[..end])
}

/// Byte ranges of the rows a line takes at a width: broken at a blank where there is one in the last third, else anywhere
/// between two characters.
fn breaks(line: &str, cells: usize) -> Vec<(usize, usize)> {
    let mut rows = Vec::new();
    let (mut start, mut used, mut blank) = (0, 0, None);
    for (at, g) in line.grapheme_indices(true) {
        let w = width(g);
        if used + w > cells && at > start {
            let end = blank.filter(|(_, used_at)| *used_at * 3 >= cells * 2).map_or(at, |(b, _)| b);
            rows.push((start, end));
            used = line.get(end..at).map_or(0, width);
            start = end;
            blank = None;
        }
        used += w;
        if g == " " {
            blank = Some((at + 1, used));
        }
    }
    rows.push((start, line.len()));
    rows
}

/// Byte position and length of every hit in a line.
fn matches_in(line: &str, text: &str) -> Vec<(usize, usize)> {
    if text.chars().any(char::is_uppercase) {
        return line.match_indices(text).map(|(i, m)| (i, m.len())).collect();
    }
    // Lower-casing may change lengths: only ASCII case is folded, other letters are compared as they are.
    let (hay, needle) = (line.to_ascii_lowercase(), text.to_ascii_lowercase());
    hay.match_indices(&needle).map(|(i, m)| (i, m.len())).collect()
}

/// Byte ranges with a role.
fn spans(line: &str, syntax: Syntax) -> Vec<(usize, usize, Role)> {
    let indent = line.len() - line.trim_start().len();
    match syntax {
        Syntax::Plain => Vec::new(),
        Syntax::Yaml => {
            let body = line[indent..].trim_start_matches("- ");
            let start = line.len() - body.len();
            if body.starts_with('#') {
                return vec![(start, line.len(), Role::Muted)];
            }
            let end = if body.ends_with(':') { Some(body.len() - 1) } else { body.find(": ") };
            end.filter(|e| !body[..*e].contains(' ')).map(|e| (start, start + e, Role::Accent)).into_iter().collect()
        }
        Syntax::Details if indent == 0 => vec![(0, line.len(), Role::Title)],
        Syntax::Details => {
            let end = line[indent..].find("  ").map(|e| indent + e);
            end.map(|e| (indent, e, Role::Muted)).into_iter().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_characters_and_at_blanks() {
        let parts =
            |line: &str, cells| breaks(line, cells).into_iter().map(|(a, b)| line[a..b].to_owned()).collect::<Vec<_>>();
        assert_eq!(parts("abcdef", 3), ["abc", "def"]);
        assert_eq!(parts("cannot list", 8), ["cannot ", "list"]);
        assert_eq!(parts("支付对账", 5), ["支付", "对账"]);
        assert_eq!(parts("", 5), [""]);
        assert_eq!(parts("支", 1), ["支"], "a character wider than the screen still moves on");
    }

    #[test]
    fn search_counts_marks_and_wraps_around() {
        let mut view = TextView::new("image: web\nIMAGE: api\nname: image", Syntax::Yaml);
        view.search("image");
        assert_eq!(view.hits(), (1, 3));
        assert!(!view.next_hit(true));
        assert!(!view.next_hit(true));
        assert!(view.next_hit(true), "wraps at the end");
        view.search("IMAGE");
        assert_eq!(view.hits(), (1, 1), "a capital makes case count");
        view.search("nothing");
        assert_eq!(view.hits(), (0, 0));
        view.set_text("image");
        assert_eq!(view.hits(), (0, 0), "the search stays when the text changes");
    }

    #[test]
    fn hostile_and_endless_lines_are_tamed() {
        let view = TextView::new(&format!("a\u{1b}[2J\n{}", "x".repeat(10_000_000)), Syntax::Plain);
        assert_eq!(view.len(), 2);
        assert!(view.text().len() < 70_000);
        assert!(!view.text().contains('\u{1b}'));
    }
}
