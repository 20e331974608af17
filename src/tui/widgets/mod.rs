//! Building blocks of screens: each draws into a rectangle, survives any size, and cleans foreign text as the last guard.

pub mod input;
pub mod menu;
pub mod pane;
pub mod select;
pub mod table;
pub mod text_view;

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect, style::Style};
use unicode_segmentation::UnicodeSegmentation;

use super::theme::Role;
use crate::messages::{clean_line, width};

/// A short styled text: one cell of a table, one piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The text, already clean.
    pub text: Cow<'a, str>,
    /// What it means.
    pub role: Role,
    /// Bold.
    pub bold: bool,
}

impl<'a> Cell<'a> {
    /// Text with a role.
    pub fn new(text: impl Into<Cow<'a, str>>, role: Role) -> Self {
        Self { text: text.into(), role, bold: false }
    }

    /// Normal text.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::new(text, Role::Text)
    }

    /// The same in bold.
    #[must_use]
    pub fn bold(mut self) -> Self {
        self.bold = true;
        self
    }
}

/// Writes a text at a place, at most `cells` wide, and says how many cells it took. A wide character that does not fit
/// leaves a blank. Nothing is written outside the buffer.
pub fn put(buf: &mut Buffer, x: u16, y: u16, text: &str, cells: u16, style: Style) -> u16 {
    if y < buf.area.top() || y >= buf.area.bottom() || x < buf.area.left() || x >= buf.area.right() {
        return 0;
    }
    let room = cells.min(buf.area.right() - x);
    let clean = clean_line(text);
    let mut used: u16 = 0;
    for g in clean.graphemes(true) {
        let w = u16::try_from(width(g)).unwrap_or(u16::MAX);
        if w == 0 {
            continue;
        }
        if w > room - used {
            break;
        }
        let at = x + used;
        if let Some(cell) = buf.cell_mut((at, y)) {
            cell.set_symbol(g).set_style(style);
        }
        for i in 1..w {
            if let Some(cell) = buf.cell_mut((at + i, y)) {
                cell.reset();
                cell.set_symbol("").set_style(style);
            }
        }
        used += w;
    }
    used
}

/// Fills a rectangle with blanks in a style; what it does not cover of a wide character at its left edge is blanked too.
pub fn clear(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    for y in area.top()..area.bottom() {
        if area.left() > buf.area.left() {
            let before = (area.left() - 1, y);
            if buf.cell(before).is_some_and(|c| width(c.symbol()) > 1)
                && let Some(cell) = buf.cell_mut(before)
            {
                cell.set_symbol(" ");
            }
        }
        for x in area.left()..area.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
        // The right half of a wide character that began inside.
        if area.right() < buf.area.right()
            && let Some(cell) = buf.cell_mut((area.right(), y))
            && cell.symbol().is_empty()
        {
            cell.set_symbol(" ");
        }
    }
}
