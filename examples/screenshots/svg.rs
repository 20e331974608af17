//! A terminal grid as SVG: one `<text>` per run of cells that look alike, every character at its own cell, the theme's
//! colours written out. The same grid always gives the same bytes.

use std::fmt::Write;

/// Width and height of a cell, and the height of the letters, in SVG units.
const CELL: (f32, f32) = (8.4, 18.0);
const LETTERS: f32 = 14.0;

/// The colours that stand for the terminal's own.
#[derive(Clone, Copy)]
pub struct Paper {
    /// Letters.
    pub foreground: &'static str,
    /// Ground.
    pub background: &'static str,
}

/// A dark terminal.
pub const DARK: Paper = Paper { foreground: "#d5d8df", background: "#16181d" };
/// A light terminal.
pub const LIGHT: Paper = Paper { foreground: "#24292f", background: "#fbfbf9" };

/// How a cell is drawn.
#[derive(Clone, PartialEq)]
struct Look {
    foreground: String,
    background: Option<String>,
    bold: bool,
    dim: bool,
    underline: bool,
    italic: bool,
    /// Two cells: from the Chinese font, named so that its weight is chosen and not guessed.
    wide: bool,
}

/// The picture of a screen.
pub fn draw(screen: &vt100::Screen, paper: Paper) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (u16::from(rows), u16::from(columns));
    let (width, height) = (f32::from(columns) * CELL.0 + 16.0, f32::from(rows) * CELL.1 + 16.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.1} {height:.1}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n\
         <g font-family=\"'DejaVu Sans Mono','Noto Sans Mono CJK SC',monospace\" font-size=\"{LETTERS}\" xml:space=\"preserve\">\n",
        paper.background
    );
    for row in 0..rows {
        draw_row(&mut out, screen, row, columns, paper);
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn draw_row(out: &mut String, screen: &vt100::Screen, row: u16, columns: u16, paper: Paper) {
    let y = f32::from(row) * CELL.1 + 8.0;
    let mut letters: Vec<(u16, String, Look)> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column) else { continue };
        if cell.is_wide_continuation() {
            continue;
        }
        let look = look(cell, paper);
        let cells = if cell.is_wide() { 2.0 } else { 1.0 };
        if let Some(ground) = &look.background {
            let x = f32::from(column) * CELL.0 + 8.0;
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{ground}\"/>",
                CELL.0 * cells + 0.3,
                CELL.1 + 0.3
            );
        }
        if !cell.contents().trim().is_empty() {
            letters.push((column, cell.contents().to_owned(), look));
        }
    }
    let mut start = 0;
    while let Some((_, _, first)) = letters.get(start) {
        let end = start + letters[start..].iter().take_while(|(_, _, l)| l == first).count();
        draw_run(out, &letters[start..end], first, y + CELL.1 * 0.76);
        start = end;
    }
}

fn draw_run(out: &mut String, run: &[(u16, String, Look)], look: &Look, y: f32) {
    // One x for each character, so that no font's own advance can move the grid.
    let xs: Vec<String> = run
        .iter()
        .flat_map(|(c, text, _)| text.chars().map(move |_| format!("{:.1}", f32::from(*c) * CELL.0 + 8.0)))
        .collect();
    let text: String = run.iter().map(|(_, t, _)| escape(t)).collect();
    let mut style = String::new();
    if look.wide {
        style.push_str(" font-family=\"Noto Sans Mono CJK SC\"");
    }
    if look.bold {
        style.push_str(" font-weight=\"bold\"");
    }
    if look.italic {
        style.push_str(" font-style=\"italic\"");
    }
    if look.underline {
        style.push_str(" text-decoration=\"underline\"");
    }
    if look.dim {
        style.push_str(" opacity=\"0.6\"");
    }
    let _ =
        writeln!(out, "<text y=\"{y:.1}\" x=\"{}\" fill=\"{}\"{style}>{text}</text>", xs.join(" "), look.foreground);
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn look(cell: &vt100::Cell, paper: Paper) -> Look {
    let mut foreground = colour(cell.fgcolor()).unwrap_or_else(|| paper.foreground.to_owned());
    let mut background = colour(cell.bgcolor());
    if cell.inverse() {
        let ground = background.unwrap_or_else(|| paper.background.to_owned());
        background = Some(std::mem::replace(&mut foreground, ground));
    }
    Look {
        foreground,
        background,
        bold: cell.bold(),
        dim: cell.dim(),
        underline: cell.underline(),
        italic: cell.italic(),
        wide: cell.is_wide(),
    }
}

fn colour(colour: vt100::Color) -> Option<String> {
    match colour {
        vt100::Color::Default => None,
        vt100::Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        vt100::Color::Idx(i) => Some(indexed(i)),
    }
}

/// The 256 colours as most terminals have them.
fn indexed(i: u8) -> String {
    const NAMED: [&str; 16] = [
        "#20242b", "#d1545c", "#6fae5c", "#d2a14a", "#5b8fd6", "#a877c9", "#4fa9ad", "#c8ccd4", "#737b88", "#ec6f77",
        "#8fcf7c", "#edc06a", "#7fb0f0", "#c797e6", "#74cdd0", "#f2f4f8",
    ];
    match i {
        0..16 => NAMED[usize::from(i)].to_owned(),
        16..232 => {
            let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = i - 16;
            format!("#{:02x}{:02x}{:02x}", step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        232.. => {
            let grey = 8 + 10 * (i - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}
