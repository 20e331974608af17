//! From two cells of a drawn document to the text between them: what dragging the mouse selects.

use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation;

use crate::messages::width;

/// A place in a document: line and byte.
pub type At = (usize, usize);

/// Which part of which line each row of the screen shows, as last drawn.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    area: Rect,
    /// Line, and the byte at the left edge.
    rows: Vec<At>,
}

impl Drawn {
    /// A new frame: the text lies in this area (without gutters).
    pub fn begin(&mut self, area: Rect) {
        self.area = area;
        self.rows.clear();
    }

    /// The next row shows this line from this byte on.
    pub fn row(&mut self, line: usize, from: usize) {
        self.rows.push((line, from));
    }

    /// What lies between two cells, both included; `None` where the first is not in the document. The second may lie
    /// outside: then it stands for the nearest cell.
    pub fn between(&self, lines: &[String], from: (u16, u16), to: (u16, u16)) -> Option<(At, At)> {
        let area = self.area;
        if area.is_empty() || !area.contains(from.into()) {
            return None;
        }
        let to = (to.0.clamp(area.x, area.right() - 1), to.1.clamp(area.y, area.bottom() - 1));
        let ((x1, y1), (x2, y2)) = if (from.1, from.0) <= (to.1, to.0) { (from, to) } else { (to, from) };
        let start = self.place(lines, x1, y1, false)?;
        let end = self.place(lines, x2, y2, true).or_else(|| {
            let (last, _) = self.rows.last()?;
            Some((*last, lines.get(*last)?.len()))
        })?;
        (start < end).then_some((start, end))
    }

    /// The place at a cell, before or after its character; `None` below the last row.
    fn place(&self, lines: &[String], x: u16, y: u16, after: bool) -> Option<At> {
        let (line, from) = *self.rows.get(usize::from(y - self.area.y))?;
        let rest = lines.get(line)?.get(from..)?;
        let cell = usize::from(x - self.area.x);
        let mut column = 0;
        for (at, g) in rest.grapheme_indices(true) {
            column += width(g);
            if column > cell {
                return Some((line, from + at + if after { g.len() } else { 0 }));
            }
        }
        Some((line, from + rest.len()))
    }
}

/// The text between two places; blanks at the ends of lines are only room on the screen.
pub fn text(lines: &[String], (start, end): (At, At)) -> String {
    let parts = (start.0..=end.0).filter_map(|i| {
        let line = lines.get(i)?;
        let from = if i == start.0 { start.1 } else { 0 };
        let to = if i == end.0 { end.1 } else { line.len() };
        line.get(from..to.max(from)).map(str::trim_end)
    });
    parts.collect::<Vec<_>>().join("\n")
}

/// Whether a place lies between two others.
pub fn holds(picked: Option<(At, At)>, at: At) -> bool {
    picked.is_some_and(|(start, end)| start <= at && at < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_takes_the_characters_under_it_in_either_direction() {
        let lines: Vec<String> = ["name: web", "支付对账", "a long line that goes on", ""].map(String::from).into();
        let mut drawn = Drawn::default();
        drawn.begin(Rect::new(10, 5, 8, 6));
        // The third line is wrapped after "a long ".
        for (line, from) in [(0, 0), (1, 0), (2, 0), (2, 7), (3, 0)] {
            drawn.row(line, from);
        }
        let got = |a, b| drawn.between(&lines, a, b).map(|p| text(&lines, p));
        for (a, b, want) in [
            ((10, 5), (13, 5), Some("name")),
            ((13, 5), (10, 5), Some("name")),
            ((16, 5), (12, 6), Some("web\n支付")),
            // The right half of a wide character is the character.
            ((13, 6), (13, 6), Some("付")),
            ((10, 7), (13, 8), Some("a long line")),
            // Beyond the end of the line, below the text, outside the document.
            ((10, 8), (17, 10), Some("line that goes on\n")),
            ((10, 5), (0, 0), Some("n")),
            ((9, 5), (12, 5), None),
            ((10, 10), (12, 10), None),
        ] {
            assert_eq!(got(a, b).as_deref(), want, "{a:?} {b:?}");
        }
    }
}
