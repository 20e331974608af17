//! What a screen shows when there is nothing to list: a sentence that says why, and what to press.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    messages::wrap,
    tui::{screen::Ctx, theme::Role, widgets::put},
};

/// Draws sentences, wrapped, two cells from the left and one line from the top where there is room; each keeps its role.
pub fn draw(area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, sentences: &[(String, Role)]) {
    let area = area.intersection(buf.area);
    let margin = if area.width > 12 { 2 } else { 0 };
    let mut y = area.y + u16::from(area.height > 4);
    let cells = area.width.saturating_sub(margin * 2);
    for (text, role) in sentences {
        for part in wrap(text, usize::from(cells)) {
            if y >= area.bottom() {
                return;
            }
            put(buf, area.x + margin, y, &part, cells, ctx.theme.style(*role));
            y += 1;
        }
    }
}
