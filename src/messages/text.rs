//! Foreign text made harmless, and widths in terminal cells.
//!
//! Text from clusters, files and plugins is hostile: control characters, bidi overrides and zero-width characters must not
//! reach the terminal, lengths are bounded (specs: tui a6, a7; CVE-2021-25743).

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Longest text that is shown in one piece, in bytes; what is longer is cut and says so.
const LONGEST: usize = 4096;

/// One line, harmless: controls as pictures (`␛`), line breaks as `␊`, bidi and zero-width characters as `<U+202E>`, cut
/// at 4 KiB with the cut said. Borrows when there is nothing to do.
pub fn clean_line(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST && !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().min(LONGEST) + 16);
    for c in text.chars() {
        if out.len() >= LONGEST {
            out.push_str("[cut]");
            break;
        }
        push_clean(&mut out, c);
    }
    Cow::Owned(out)
}

/// The same for text of several lines: line feeds stay, tabs become spaces up to the next multiple of eight.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let mut column = 0;
        for c in line.strip_suffix('\r').unwrap_or(line).chars() {
            if c == '\t' {
                let spaces = 8 - column % 8;
                out.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            } else {
                push_clean(&mut out, c);
                column += 1;
            }
        }
    }
    out
}

fn push_clean(out: &mut String, c: char) {
    match c {
        '\u{0}'..='\u{1f}' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('?')),
        '\u{7f}' => out.push('\u{2421}'),
        c if is_hostile(c) => {
            out.push_str(&format!("<U+{:04X}>", c as u32));
        }
        c => out.push(c),
    }
}

/// Characters that steer a terminal or hide text: C0, DEL, C1, bidi controls, zero-width and tag characters.
fn is_hostile(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Width in terminal cells.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Cuts at the end to at most `cells`, ending in `⋯` when something was cut.
pub fn cut_end(text: &str, cells: usize) -> Cow<'_, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    if cells == 0 {
        return Cow::Borrowed("");
    }
    let mut out = take(text.graphemes(true), cells - 1);
    out.push('⋯');
    Cow::Owned(out)
}

/// Cuts in the middle (`ip-10-⋯-x7k2`): names differ at both ends.
pub fn cut_middle(text: &str, cells: usize) -> Cow<'_, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    if cells < 4 {
        return cut_end(text, cells);
    }
    let tail_cells = (cells - 1) / 2;
    let head = take(text.graphemes(true), cells - 1 - tail_cells);
    let tail: Vec<&str> = {
        let mut used = 0;
        let mut parts: Vec<&str> = text
            .graphemes(true)
            .rev()
            .take_while(|g| {
                used += width(g);
                used <= tail_cells
            })
            .collect();
        parts.reverse();
        parts
    };
    Cow::Owned(format!("{head}⋯{}", tail.concat()))
}

fn take<'a>(graphemes: impl Iterator<Item = &'a str>, cells: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for g in graphemes {
        used += width(g);
        if used > cells {
            break;
        }
        out.push_str(g);
    }
    out
}

/// Left-aligned in exactly `cells`; cut at the end when longer.
pub fn pad_right(text: &str, cells: usize) -> String {
    let cut = cut_end(text, cells);
    let fill = cells.saturating_sub(width(&cut));
    let mut out = cut.into_owned();
    out.extend(std::iter::repeat_n(' ', fill));
    out
}

/// Right-aligned in exactly `cells`; cut at the end when longer.
pub fn pad_left(text: &str, cells: usize) -> String {
    let cut = cut_end(text, cells);
    let fill = cells.saturating_sub(width(&cut));
    let mut out = " ".repeat(fill);
    out.push_str(&cut);
    out
}

/// Breaks into lines of at most `cells`, at spaces where possible, between any two wide characters, else anywhere.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    if cells == 0 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut used = 0;
        for word in chunks(paragraph) {
            let w = width(word);
            if used + w > cells && used > 0 {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
                used = 0;
                if word.trim().is_empty() {
                    continue;
                }
            }
            if w <= cells {
                line.push_str(word);
                used += w;
                continue;
            }
            for g in word.graphemes(true) {
                if used + width(g) > cells && used > 0 {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                line.push_str(g);
                used += width(g);
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Pieces between which a line may be broken: at blanks, behind a dash or a slash, around wide characters; never before a
/// full stop or another mark that belongs to what stands before it.
fn chunks(text: &str) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    let mut start = 0;
    let mut before = "";
    for (at, piece) in text.split_word_bound_indices() {
        let blank = |p: &str| p.trim().is_empty();
        let wide = |p: &str| p.chars().all(|c| c as u32 >= 0x2e80);
        let closing = piece.starts_with([
            '.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '。', '，', '、', '；', '：', '？', '！', '）',
            '》', '」', '】',
        ]);
        let breaks = blank(before) || blank(piece) || before.ends_with(['-', '/']) || wide(before) || wide(piece);
        if at > start && breaks && (!closing || blank(before)) {
            out.push(&text[start..at]);
            start = at;
        }
        before = piece;
    }
    out.push(&text[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_gets_through() {
        assert_eq!(clean_line("a\u{1b}[2Jb"), "a␛[2Jb");
        assert_eq!(clean_line("a\rb\nc\td"), "a␍b␊c␉d");
        assert_eq!(clean_line("x\u{202e}y"), "x<U+202E>y");
        assert_eq!(clean_line("x\u{9b}y"), "x<U+009B>y");
        assert!(matches!(clean_line("支付对账 ok"), Cow::Borrowed(_)));
        assert!(clean_line(&"x".repeat(10_000_000)).len() < 5000);
        assert_eq!(clean("a\tb\r\nc\u{1b}"), "a       b\nc␛");
    }

    #[test]
    fn cutting_respects_wide_characters() {
        assert_eq!(cut_end("支付对账", 5), "支付⋯");
        assert_eq!(cut_end("支付对账", 8), "支付对账");
        assert_eq!(cut_end("支付", 0), "");
        assert_eq!(cut_middle("ip-10-0-13-99-x7k2", 12), "ip-10-⋯-x7k2");
        assert_eq!(pad_right("支付", 6), "支付  ");
        assert_eq!(pad_left("7", 3), "  7");
        for cells in 0..12 {
            assert!(width(&cut_middle("a支b付c对d账", cells)) <= cells);
            assert_eq!(width(&pad_right("a支b付c对d账", cells)), cells);
        }
    }

    #[test]
    fn lines_do_not_begin_with_a_full_stop() {
        assert_eq!(wrap("tried again by itself.", 21), ["tried again by", "itself."]);
        assert_eq!(wrap("集群无法连接。", 12), ["集群无法连", "接。"]);
        assert_eq!(wrap("a (b) c", 4), ["a", "(b)", "c"]);
        assert_eq!(wrap("x/aaa-bbb", 7), ["x/aaa-", "bbb"]);
    }

    #[test]
    fn wrapping_never_exceeds_the_width() {
        for cells in 1..20 {
            for line in wrap("cannot list nodes in ns shop: 支付对账支付对账 forbidden", cells) {
                assert!(width(&line) <= cells.max(2), "{line:?} at {cells}");
            }
        }
    }
}
