//! A small chooser above the screen: copy menu, sort menu, list of columns. Items keep their places when disabled, and say
//! why they are.

use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use super::{clear, put};
use crate::{
    messages::{cut_end, width},
    tui::{action::ActionId, screen::Ctx, theme::Role},
};

/// What an item does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// An action of the screen below.
    Action(ActionId),
    /// Copies a text; the second part says what it is.
    Copy(String, String),
    /// Tells the screen below ([`crate::tui::screen::Screen::chosen`]).
    Pick(String),
    /// An entry of a checklist.
    Check(String, bool),
    /// Runs a command line.
    Command(String),
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuItem {
    /// Letter that chooses it at once.
    pub key: Option<char>,
    /// Text, cleaned.
    pub text: String,
    /// Muted text at the right.
    pub hint: String,
    /// What it does.
    pub choice: Choice,
    /// Why it cannot be chosen now.
    pub disabled: Option<String>,
}

impl MenuItem {
    /// An item that can be chosen.
    pub fn new(key: Option<char>, text: impl Into<String>, choice: Choice) -> Self {
        Self { key, text: text.into(), hint: String::new(), choice, disabled: None }
    }
}

/// A menu.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Menu {
    /// Name by which the screen knows it.
    pub id: String,
    /// Title.
    pub title: String,
    /// Items.
    pub items: Vec<MenuItem>,
    /// Item under the cursor.
    pub cursor: usize,
    /// Room of the items in the last frame, and the first item shown.
    pub(in crate::tui) drawn: (Rect, usize),
    /// Checklist: space checks, J and K move, Enter confirms all.
    pub checklist: bool,
}

impl Menu {
    /// A menu whose items are chosen by Enter or by their letter.
    pub fn new(id: impl Into<String>, title: impl Into<String>, items: Vec<MenuItem>) -> Self {
        Self { id: id.into(), title: title.into(), items, ..Self::default() }
    }

    /// Moves the cursor.
    pub fn step(&mut self, by: isize) {
        let last = self.items.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
    }

    /// Moves the item under the cursor.
    pub fn shift(&mut self, by: isize) {
        let to = self.cursor.saturating_add_signed(by).min(self.items.len().saturating_sub(1));
        if self.checklist && to != self.cursor && self.cursor < self.items.len() {
            self.items.swap(self.cursor, to);
            self.cursor = to;
        }
    }

    /// Checks or unchecks the item under the cursor.
    pub fn check(&mut self) {
        if let Some(MenuItem { choice: Choice::Check(_, on), .. }) = self.items.get_mut(self.cursor) {
            *on = !*on;
        }
    }

    /// Entries of a checklist in their order.
    pub fn checks(&self) -> Vec<(String, bool)> {
        self.items
            .iter()
            .filter_map(|i| if let Choice::Check(key, on) = &i.choice { Some((key.clone(), *on)) } else { None })
            .collect()
    }

    /// Item with this letter.
    pub fn with_key(&self, key: char) -> Option<usize> {
        self.items.iter().position(|i| i.key == Some(key))
    }

    /// Where it is drawn: in the middle, as large as needed and as fits.
    pub fn area(&self, screen: Rect) -> Rect {
        let widest = self.items.iter().map(|i| width(&i.text) + width(&i.hint) + 2).max().unwrap_or(0);
        let reasons = self.items.iter().filter_map(|i| i.disabled.as_ref()).map(|r| width(r) + 4).max().unwrap_or(0);
        let inner = widest.max(reasons).max(width(&self.title) + 2) + 9;
        let w = u16::try_from(inner).unwrap_or(u16::MAX).min(screen.width);
        let h = u16::try_from(self.items.len() + 4).unwrap_or(u16::MAX).min(screen.height);
        Rect { x: screen.x + (screen.width - w) / 2, y: screen.y + (screen.height - h) / 2, width: w, height: h }
    }

    /// Item at this place of the screen.
    pub fn hit(&self, at: (u16, u16)) -> Option<usize> {
        let (area, first) = self.drawn;
        let row = first + usize::from(at.1.checked_sub(area.y)?);
        (area.contains(at.into()) && row < self.items.len()).then_some(row)
    }

    /// Draws the menu and gives the cursor's place.
    pub fn draw(&mut self, screen: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, foot: &str) -> Option<(u16, u16)> {
        let area = self.area(screen);
        let inside = popup(area, buf, ctx, &self.title, foot);
        if inside.is_empty() {
            return None;
        }
        let shown = usize::from(inside.height);
        let first = (self.cursor + 1).saturating_sub(shown);
        self.drawn = (inside, first);
        for (row, (i, item)) in self.items.iter().enumerate().skip(first).take(shown).enumerate() {
            let line = Rect { y: inside.y + u16::try_from(row).unwrap_or(0), height: 1, ..inside };
            self.draw_item(line, buf, ctx, item, i == self.cursor);
        }
        Some((inside.x, inside.y + u16::try_from(self.cursor - first.min(self.cursor)).unwrap_or(0)))
    }

    fn draw_item(&self, line: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, item: &MenuItem, selected: bool) {
        let theme = ctx.theme;
        let dress = |role| if selected { theme.selected(theme.style(role), true) } else { theme.style(role) };
        let text_role = if item.disabled.is_some() { Role::Muted } else { Role::Text };
        buf.set_style(line, dress(text_role));
        let mut x = line.x;
        x += put(buf, x, line.y, if selected { ctx.glyphs.selected } else { " " }, 1, dress(Role::Accent));
        let key = match (&item.choice, item.key) {
            (Choice::Check(_, true), _) => format!("{} ", if ctx.glyphs.ascii { "[x]" } else { "[✓]" }),
            (Choice::Check(_, false), _) => "[ ] ".to_owned(),
            (_, Some(key)) => format!("{key}  "),
            (_, None) => "   ".to_owned(),
        };
        x += put(buf, x, line.y, &key, line.right().saturating_sub(x), dress(Role::Key).add_modifier(Modifier::BOLD));
        let hint = item.disabled.as_deref().unwrap_or(&item.hint);
        let room = usize::from(line.right().saturating_sub(x));
        x += put(buf, x, line.y, &cut_end(&item.text, room), line.right().saturating_sub(x), dress(text_role));
        let room = usize::from(line.right().saturating_sub(x)).saturating_sub(2);
        let hint = cut_end(hint, room);
        let w = u16::try_from(width(&hint)).unwrap_or(0);
        put(buf, line.right().saturating_sub(w + 1).max(x + 1), line.y, &hint, w, dress(Role::Muted));
    }
}

/// Draws the frame of something that lies above the screen, one blank column at both sides so that it stays whole over
/// wide characters, and gives the room inside.
pub fn popup(area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, title: &str, foot: &str) -> Rect {
    let area = area.intersection(buf.area);
    let margin = Rect { x: area.x.saturating_sub(1), width: area.width.saturating_add(2), ..area };
    clear(buf, margin.intersection(buf.area), ctx.theme.style(Role::Text));
    if area.width < 4 || area.height < 3 {
        return area;
    }
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    let style = ctx.theme.style(Role::BorderFocus);
    let plain = ctx.plain;
    if !plain {
        let (horizontal, vertical) = ctx.glyphs.lines;
        for x in area.x..=right {
            put(buf, x, area.y, horizontal, 1, style);
            put(buf, x, bottom, horizontal, 1, style);
        }
        for y in area.y..=bottom {
            put(buf, area.x, y, vertical, 1, style);
            put(buf, right, y, vertical, 1, style);
        }
        let (tl, tr, bl, br) = ctx.glyphs.corners;
        for (x, y, corner) in [(area.x, area.y, tl), (right, area.y, tr), (area.x, bottom, bl), (right, bottom, br)] {
            put(buf, x, y, corner, 1, style);
        }
    }
    let room = usize::from(area.width.saturating_sub(4));
    let cut =
        |text: &str| if text.is_empty() { String::new() } else { cut_end(&format!(" {text} "), room).into_owned() };
    let title_style = ctx.theme.style(Role::Title).add_modifier(Modifier::REVERSED);
    put(buf, area.x + 2, area.y, &cut(title), area.width - 4, title_style);
    put(buf, area.x + 2, bottom, &cut(foot), area.width - 4, ctx.theme.style(Role::Muted));
    Rect { x: area.x + 2, y: area.y + 1, width: area.width - 4, height: area.height - 2 }
}
