//! A framed part of the screen: title and counts in the upper border, hints in the lower one, so that no row is lost.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use super::put;
use crate::{
    messages::{cut_end, width},
    tui::{screen::Ctx, theme::Role},
};

/// A pane to draw.
#[derive(Clone, Debug, Default)]
pub struct Pane<'a> {
    /// Its number, reached by the digit.
    pub number: Option<u8>,
    /// Title, left in the upper border.
    pub title: Cow<'a, str>,
    /// Right in the upper border.
    pub title_right: Cow<'a, str>,
    /// Left in the lower border.
    pub foot: Cow<'a, str>,
    /// Right in the lower border.
    pub foot_right: Cow<'a, str>,
    /// Has the focus.
    pub focused: bool,
    /// Its left border is the right border of the pane before it: give both areas that column.
    pub joined: bool,
    /// Production: the title says so in its own role.
    pub prod: bool,
}

impl Pane<'_> {
    /// True where borders are drawn: not in plain mode and not on screens below 60x15 (specs: tui a9).
    pub fn bordered(ctx: &Ctx<'_>) -> bool {
        !ctx.plain && ctx.size.0 >= 60 && ctx.size.1 >= 15
    }

    /// Draws the frame and gives the room inside. Without borders the title takes one line, when there are three.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) -> Rect {
        let area = area.intersection(buf.area);
        if !Self::bordered(ctx) || area.width < 3 || area.height < 3 {
            return self.draw_plain(area, buf, ctx);
        }
        let style = ctx.theme.style(if self.focused { Role::BorderFocus } else { Role::Border });
        self.frame(area, buf, ctx, style);
        self.titles(area, buf, ctx);
        Rect { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 }
    }

    fn draw_plain(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) -> Rect {
        if area.height < 3 || self.title.is_empty() {
            return area;
        }
        let text = match self.number {
            Some(n) if !self.title_right.is_empty() => format!("{n} {}  {}", self.title, self.title_right),
            Some(n) => format!("{n} {}", self.title),
            None => self.title.to_string(),
        };
        put(buf, area.x, area.y, &text, area.width, self.title_style(ctx));
        Rect { y: area.y + 1, height: area.height - 1, ..area }
    }

    fn frame(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, style: ratatui::style::Style) {
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        let (horizontal, vertical) = ctx.glyphs.lines;
        for x in area.x + 1..right {
            put(buf, x, area.y, horizontal, 1, style);
            put(buf, x, bottom, horizontal, 1, style);
        }
        for y in area.y + 1..bottom {
            put(buf, area.x, y, vertical, 1, style);
            put(buf, right, y, vertical, 1, style);
        }
        let (tl, tr, bl, br) = ctx.glyphs.corners;
        let (top, under, _, _) = ctx.glyphs.tees;
        put(buf, area.x, area.y, if self.joined { top } else { tl }, 1, style);
        put(buf, area.x, bottom, if self.joined { under } else { bl }, 1, style);
        // A pane drawn after its right neighbour keeps the tee that is there.
        for (y, corner, tee) in [(area.y, tr, top), (bottom, br, under)] {
            let there = buf.cell((right, y)).is_some_and(|c| c.symbol() == tee && !tee.is_empty());
            put(buf, right, y, if there { tee } else { corner }, 1, style);
        }
    }

    fn title_style(&self, ctx: &Ctx<'_>) -> ratatui::style::Style {
        let style = ctx.theme.style(if self.prod { Role::Prod } else { Role::Title });
        // Focus is told three ways: border, title and selection (specs: tui c2, rule 5).
        if self.focused && !self.prod { style.add_modifier(Modifier::REVERSED) } else { style }
    }

    fn titles(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let room = usize::from(area.width.saturating_sub(4));
        let title = match self.number {
            Some(n) if self.title.is_empty() => format!(" {n} "),
            Some(n) => format!(" {n} {} ", self.title),
            None if self.title.is_empty() => String::new(),
            None => format!(" {} ", self.title),
        };
        let title = cut_end(&title, room);
        let used = put(buf, area.x + 1, area.y, &title, area.width.saturating_sub(4), self.title_style(ctx));
        let muted = ctx.theme.style(Role::Muted);
        right_text(buf, area, area.y, &self.title_right, room.saturating_sub(usize::from(used) + 1), muted);
        let bottom = area.bottom() - 1;
        let foot = if self.foot.is_empty() { String::new() } else { format!(" {} ", self.foot) };
        let foot = cut_end(&foot, room);
        let used = put(buf, area.x + 1, bottom, &foot, area.width.saturating_sub(4), muted);
        right_text(buf, area, bottom, &self.foot_right, room.saturating_sub(usize::from(used) + 1), muted);
    }
}

/// Writes a text at the right end of a border, if it fits whole.
fn right_text(buf: &mut Buffer, area: Rect, y: u16, text: &str, room: usize, style: ratatui::style::Style) {
    if text.is_empty() || width(text) + 2 > room {
        return;
    }
    let text = format!(" {text} ");
    let w = u16::try_from(width(&text)).unwrap_or(0);
    put(buf, area.right() - 2 - w, y, &text, w, style);
}
