//! From pictures to bytes: only what changed since the last picture is sent, in one write, inside a synchronised update.
//!
//! Colours are written here and not by a library: the 16 named ones as `30`-`37` and `90`-`97` (so that the terminal's
//! palette counts), and nothing at all where the terminal shows none (specs: tui a4, the NO_COLOR trap).

use std::io::{self, Write};

use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
    style::{Color, Modifier, Style},
};

use crate::messages::width;

/// Writes frames to a terminal and remembers the last one.
#[derive(Debug)]
pub struct Output<W: Write> {
    to: W,
    last: Buffer,
    cursor: Option<(u16, u16)>,
    bytes: Vec<u8>,
    /// Everything must be sent again.
    stale: bool,
}

/// What a frame cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Cells sent.
    pub cells: usize,
    /// Bytes sent.
    pub bytes: usize,
}

impl<W: Write> Output<W> {
    /// An output that knows nothing of the screen yet.
    pub fn new(to: W) -> Self {
        Self { to, last: Buffer::default(), cursor: None, bytes: Vec::with_capacity(16 * 1024), stale: true }
    }

    /// The next frame is sent whole.
    pub fn invalidate(&mut self) {
        self.stale = true;
    }

    /// The writer, for sequences of our own beside the frames.
    pub fn writer(&mut self) -> &mut W {
        &mut self.to
    }

    /// Sends what differs from the last frame; nothing at all when nothing does. `next` becomes the last frame, the
    /// buffer it replaces comes back in its place for reuse.
    pub fn present(&mut self, next: &mut Buffer, cursor: Option<(u16, u16)>) -> io::Result<Cost> {
        let whole = self.stale || self.last.area != next.area;
        self.bytes.clear();
        self.bytes.extend_from_slice(b"\x1b[?2026h");
        let start = self.bytes.len();
        if whole {
            self.bytes.extend_from_slice(b"\x1b[0m\x1b[2J");
        }
        let cells = self.cells(next, whole);
        if cursor != self.cursor || cells > 0 || whole {
            match cursor {
                Some((x, y)) => {
                    write!(self.bytes, "\x1b[{};{}H", y + 1, x + 1)?;
                    if self.cursor.is_none() || whole {
                        self.bytes.extend_from_slice(b"\x1b[?25h");
                    }
                }
                None if self.cursor.is_some() || whole => self.bytes.extend_from_slice(b"\x1b[?25l"),
                None => {}
            }
        }
        self.stale = false;
        self.cursor = cursor;
        std::mem::swap(&mut self.last, next);
        if self.bytes.len() == start {
            return Ok(Cost::default());
        }
        self.bytes.extend_from_slice(b"\x1b[?2026l");
        self.to.write_all(&self.bytes)?;
        self.to.flush()?;
        Ok(Cost { cells, bytes: self.bytes.len() })
    }

    fn cells(&mut self, next: &Buffer, whole: bool) -> usize {
        let area = next.area;
        let mut pen = Pen::default();
        let mut sent = 0;
        let blank = Cell::default();
        for y in 0..area.height {
            // Where the terminal's cursor stands after what was written last, if that is certain.
            let mut at: Option<u16> = None;
            let mut x = 0;
            // Cells that lay under a wide character of the last frame are not what the buffer says.
            let mut hidden = 0;
            while x < area.width {
                let cell = &next[(area.x + x, area.y + y)];
                let symbol = if cell.symbol().is_empty() { " " } else { cell.symbol() };
                let wide = u16::try_from(width(symbol)).unwrap_or(1).clamp(1, 2).min(area.width - x);
                let before = if whole { &blank } else { &self.last[(area.x + x, area.y + y)] };
                let before_wide = u16::try_from(width(before.symbol())).unwrap_or(1).clamp(1, 2);
                let same = before == cell && hidden == 0;
                hidden = hidden.max(before_wide).saturating_sub(wide);
                if same {
                    x += wide;
                    continue;
                }
                if before_wide < wide {
                    hidden = 0;
                }
                if at != Some(x) {
                    let _ = write!(self.bytes, "\x1b[{};{}H", y + 1, x + 1);
                }
                pen.to(cell.style(), &mut self.bytes);
                self.bytes.extend_from_slice(symbol.as_bytes());
                sent += 1;
                // Terminals disagree about the width of what is not plain: say the place anew after it.
                at = symbol.is_ascii().then_some(x + wide).or_else(|| sure(symbol).then_some(x + wide));
                x += wide;
            }
        }
        pen.reset(&mut self.bytes);
        sent
    }

    /// Size of the last frame.
    pub fn area(&self) -> Rect {
        self.last.area
    }
}

/// One character of a width that no terminal doubts: line drawing and other symbols below the wide blocks.
fn sure(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    matches!((chars.next(), chars.next()), (Some('\u{a0}'..='\u{2fff}'), None))
}

/// The terminal's attributes as last set.
#[derive(Debug, Default)]
struct Pen {
    style: Style,
    dirty: bool,
}

const ATTRIBUTES: &[(Modifier, &str)] = &[
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::REVERSED, "7"),
    (Modifier::CROSSED_OUT, "9"),
];

impl Pen {
    fn to(&mut self, style: Style, out: &mut Vec<u8>) {
        let same =
            style.fg == self.style.fg && style.bg == self.style.bg && style.add_modifier == self.style.add_modifier;
        if same {
            return;
        }
        out.extend_from_slice(b"\x1b[0");
        for (_, code) in ATTRIBUTES.iter().filter(|(bit, _)| style.add_modifier.contains(*bit)) {
            out.push(b';');
            out.extend_from_slice(code.as_bytes());
        }
        colour(style.fg, 30, out);
        colour(style.bg, 40, out);
        out.push(b'm');
        self.style = style;
        self.dirty = true;
    }

    fn reset(&mut self, out: &mut Vec<u8>) {
        if self.dirty {
            out.extend_from_slice(b"\x1b[0m");
        }
    }
}

fn colour(colour: Option<Color>, base: u8, out: &mut Vec<u8>) {
    let named = |n: u8| base + if n < 8 { n } else { 60 + n - 8 };
    let code = match colour {
        None | Some(Color::Reset) => return,
        Some(Color::Rgb(r, g, b)) => format!(";{};2;{r};{g};{b}", base + 8),
        Some(Color::Indexed(i)) => format!(";{};5;{i}", base + 8),
        Some(other) => format!(";{}", named(number(other))),
    };
    out.extend_from_slice(code.as_bytes());
}

fn number(colour: Color) -> u8 {
    match colour {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        _ => 15,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widgets::put;

    fn screen(bytes: &[u8]) -> String {
        let mut parser = vt100::Parser::new(3.try_into().unwrap(), 12.try_into().unwrap(), 0);
        parser.process(bytes);
        parser.screen().contents()
    }

    fn frame(lines: &[&str]) -> Buffer {
        let mut buf = Buffer::empty(Rect::new(0, 0, 12, 3));
        for (y, line) in lines.iter().enumerate() {
            put(&mut buf, 0, u16::try_from(y).unwrap(), line, 12, Style::new());
        }
        buf
    }

    #[test]
    fn what_is_sent_adds_up_to_the_picture() {
        let frames: &[&[&str]] = &[
            &["hello", "支付对账", "x"],
            &["hello", "a支付账", "y"],
            &["", "支a付", "y"],
            &["heLlo", "abcdefgh", ""],
            &["支", "支付对账支付", "é"],
        ];
        let mut out = Output::new(Vec::new());
        for lines in frames {
            out.present(&mut frame(lines), None).unwrap();
            let shown: Vec<String> = screen(out.writer()).lines().map(|l| l.trim_end().to_owned()).collect();
            assert_eq!(shown.join("\n").trim_end(), lines.join("\n").trim_end());
        }
    }

    #[test]
    fn the_same_picture_sends_nothing() {
        let mut out = Output::new(Vec::new());
        out.present(&mut frame(&["a"]), Some((0, 0))).unwrap();
        let len = out.writer().len();
        assert_eq!(out.present(&mut frame(&["a"]), Some((0, 0))).unwrap(), Cost::default());
        assert_eq!(out.writer().len(), len);
        let cost = out.present(&mut frame(&["b"]), Some((0, 0))).unwrap();
        assert!(cost.cells == 1 && cost.bytes < 60, "{cost:?}");
    }

    #[test]
    fn colours_are_the_terminals_own_numbers() {
        let mut out = Vec::new();
        let mut pen = Pen::default();
        pen.to(Style::new().fg(Color::Red).bg(Color::DarkGray).add_modifier(Modifier::BOLD), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "\x1b[0;1;31;100m");
    }
}
