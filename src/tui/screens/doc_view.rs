//! A document of styled lines on the screen: scroll, search with all hits marked.

use ratatui::{buffer::Buffer, layout::Rect};
use unicode_segmentation::UnicodeSegmentation;

use super::{
    doc::{Line, text_of},
    words,
};
use crate::{
    messages::width,
    tui::{
        action::ActionId,
        screen::Ctx,
        theme::Role,
        widgets::{
            put,
            select::{self, At, Drawn},
        },
    },
};

/// A document and how it is being read.
#[derive(Debug, Default)]
pub struct DocView {
    lines: Vec<Line>,
    plain: Vec<String>,
    top: usize,
    page: usize,
    search: String,
    /// Line and byte of every hit.
    hits: Vec<(usize, usize)>,
    hit: usize,
    drawn: Rect,
    rows: Drawn,
    /// What the mouse has selected.
    picked: Option<(At, At)>,
}

/// The foot of a screen: a rule, and below it an explanation that is made for the cells that it has. Nothing where there is no
/// room for both.
pub fn foot(area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, explain: impl FnOnce(usize) -> Vec<Line>) {
    if area.height < 2 {
        return;
    }
    let rule = ctx.glyphs.lines.0.repeat(usize::from(area.width));
    put(buf, area.x, area.y, &rule, area.width, ctx.theme.style(Role::Border));
    let body = Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height: area.height - 1 };
    let mut view = DocView::default();
    view.set(explain(usize::from(body.width)));
    view.draw(body, buf, ctx);
}

impl DocView {
    /// Replaces the lines; scroll and search stay.
    pub fn set(&mut self, lines: Vec<Line>) {
        if lines == self.lines {
            return;
        }
        self.plain = lines.iter().map(|l| l.spans.iter().map(|s| s.text.as_str()).collect()).collect();
        self.lines = lines;
        self.picked = None;
        self.top = self.top.min(self.lines.len().saturating_sub(1));
        self.find();
    }

    /// Goes to the beginning: another thing is shown now.
    pub fn rewind(&mut self) {
        self.top = 0;
    }

    /// The text without styling.
    pub fn text(&self) -> String {
        text_of(&self.lines)
    }

    /// Line at the top (from 1) and number of lines.
    pub fn position(&self) -> (usize, usize) {
        ((self.top + 1).min(self.lines.len()), self.lines.len())
    }

    /// What is searched for.
    pub fn searched(&self) -> &str {
        &self.search
    }

    /// Number of the current hit (from 1) and of all.
    pub fn hits(&self) -> (usize, usize) {
        (if self.hits.is_empty() { 0 } else { self.hit + 1 }, self.hits.len())
    }

    /// Searches; case counts only where the text has capitals. Goes to the first hit from the top on.
    pub fn search(&mut self, text: &str) {
        text.clone_into(&mut self.search);
        self.find();
        self.hit = self.hits.iter().position(|(line, _)| *line >= self.top).unwrap_or(0);
        self.show_hit();
    }

    fn find(&mut self) {
        self.hits.clear();
        if self.search.is_empty() {
            return;
        }
        let exact = self.search.chars().any(char::is_uppercase);
        for (i, line) in self.plain.iter().enumerate() {
            if exact {
                self.hits.extend(line.match_indices(&self.search).map(|(at, _)| (i, at)));
            } else {
                // Only ASCII case is folded, so that byte positions stay those of the line.
                let (hay, needle) = (line.to_ascii_lowercase(), self.search.to_ascii_lowercase());
                self.hits.extend(hay.match_indices(&needle).map(|(at, _)| (i, at)));
            }
        }
        self.hit = self.hit.min(self.hits.len().saturating_sub(1));
    }

    fn show_hit(&mut self) {
        if let Some((line, _)) = self.hits.get(self.hit)
            && !(self.top..self.top + self.page.max(1)).contains(line)
        {
            self.top = line.saturating_sub(self.page / 3).min(self.most());
        }
    }

    fn most(&self) -> usize {
        self.lines.len().saturating_sub(self.page.max(1))
    }

    /// Does a motion or goes to a hit; false when the action is none of these.
    pub fn act(&mut self, action: ActionId) -> bool {
        self.picked = None;
        let page = isize::try_from(self.page.max(1)).unwrap_or(1);
        match action {
            ActionId::Down => self.scroll(1),
            ActionId::Up => self.scroll(-1),
            ActionId::Top => self.top = 0,
            ActionId::Bottom => self.top = self.most(),
            ActionId::HalfDown => self.scroll(page / 2),
            ActionId::HalfUp => self.scroll(-page / 2),
            ActionId::PageDown => self.scroll(page),
            ActionId::PageUp => self.scroll(-page),
            ActionId::NextHit if !self.hits.is_empty() => {
                self.hit = (self.hit + 1) % self.hits.len();
                self.show_hit();
            }
            ActionId::PreviousHit if !self.hits.is_empty() => {
                self.hit = (self.hit + self.hits.len() - 1) % self.hits.len();
                self.show_hit();
            }
            _ => return false,
        }
        true
    }

    /// Scrolls by lines, negative = up.
    pub fn scroll(&mut self, by: isize) {
        self.top = self.top.saturating_add_signed(by).min(self.most());
    }

    /// Marks what lies between two cells of the screen, until the next key or change, and gives it.
    pub fn select(&mut self, from: (u16, u16), to: (u16, u16)) -> String {
        self.picked = self.rows.between(&self.plain, from, to);
        self.picked.map(|picked| select::text(&self.plain, picked)).unwrap_or_default()
    }

    /// Where it was drawn.
    pub fn area(&self) -> Rect {
        self.drawn
    }

    /// Draws the visible lines.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let area = area.intersection(buf.area);
        self.drawn = area;
        self.page = usize::from(area.height);
        self.top = self.top.min(self.most());
        self.rows.begin(area);
        for (i, line) in self.lines.iter().enumerate().skip(self.top).take(self.page) {
            let y = area.y + u16::try_from(i - self.top).unwrap_or(0);
            let mut x = area.x;
            for span in &line.spans {
                let mut style = ctx.theme.style(span.role);
                if span.bold {
                    style = style.add_modifier(ratatui::style::Modifier::BOLD);
                }
                let text = words::fit_cut(&span.text, ctx.glyphs);
                x += put(buf, x, y, &text, area.right().saturating_sub(x), style);
            }
            self.rows.row(i, 0);
            self.mark_hits(i, Rect { y, height: 1, ..area }, buf, ctx);
            self.mark_picked(i, Rect { y, height: 1, ..area }, buf, ctx);
        }
    }

    fn mark_picked(&self, line: usize, row: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let Some(text) = self.plain.get(line).filter(|_| self.picked.is_some()) else { return };
        let mut x = row.x;
        for (at, g) in text.grapheme_indices(true) {
            let room = row.right().saturating_sub(x);
            let cells = u16::try_from(width(g)).unwrap_or(1);
            if select::holds(self.picked, (line, at)) {
                put(buf, x, row.y, g, room, ctx.theme.style(Role::Selection));
            }
            x = x.saturating_add(cells);
        }
    }

    fn mark_hits(&self, line: usize, row: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let Some(text) = self.plain.get(line) else { return };
        for (n, (_, at)) in self.hits.iter().enumerate().filter(|(_, (l, _))| *l == line) {
            let (Some(before), Some(hit)) = (text.get(..*at), text.get(*at..at + self.search.len())) else { continue };
            let x = row.x.saturating_add(u16::try_from(width(before)).unwrap_or(u16::MAX));
            let style = ctx.theme.style(if n == self.hit { Role::Selection } else { Role::Mark });
            put(buf, x, row.y, hit, row.right().saturating_sub(x), style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::screens::doc::Doc;

    #[test]
    fn search_finds_across_styles_and_keeps_its_place() {
        let mut doc = Doc::new(30, 8, "-");
        for i in 0..50 {
            doc.field("Team", &format!("payments {i}"), Role::Text);
        }
        let mut view = DocView::default();
        view.set(doc.into_lines());
        view.page = 10;
        view.search("team     payments 4");
        assert_eq!(view.hits(), (1, 11), "label and value are one line of text");
        for _ in 0..10 {
            assert!(view.act(ActionId::NextHit));
        }
        assert_eq!(view.hits(), (11, 11));
        assert!(view.position().0 > 35);
        view.act(ActionId::Bottom);
        assert_eq!(view.position(), (41, 50));
    }
}
