//! YAML texts inside objects, written as Kubernetes' tools write them: keys sorted, lists not indented under their key, texts
//! that would read as something else quoted.

use std::cmp::Ordering;

use crate::desired::tree::{Map, Node, Value};

/// Writes a document.
pub fn write(root: &Node) -> String {
    let mut out = String::new();
    match &root.value {
        Value::Map(map) if !map.is_empty() => entries(map, 0, &mut out),
        Value::List(list) if !list.is_empty() => items(list, 0, &mut out),
        _ => {
            scalar(root, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

fn indent(by: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', by));
}

/// The entries of a map, each on a line; the cursor stands at the first one's place.
fn entries(map: &Map, at: usize, out: &mut String) {
    let mut sorted: Vec<(&str, &Node)> = map.iter().map(|(k, n)| (&**k, n)).collect();
    sorted.sort_by(|a, b| natural(a.0, b.0));
    for (n, (key, node)) in sorted.into_iter().enumerate() {
        if n > 0 {
            indent(at, out);
        }
        one_line(key, out);
        out.push(':');
        match &node.value {
            Value::Map(map) if !map.is_empty() => {
                out.push('\n');
                indent(at + 2, out);
                entries(map, at + 2, out);
            }
            Value::List(list) if !list.is_empty() => {
                out.push('\n');
                indent(at, out);
                items(list, at, out);
            }
            _ => {
                out.push(' ');
                scalar(node, at + 2, out);
                out.push('\n');
            }
        }
    }
}

/// The items of a list, each on a line.
fn items(list: &[Node], at: usize, out: &mut String) {
    for (n, node) in list.iter().enumerate() {
        if n > 0 {
            indent(at, out);
        }
        out.push_str("- ");
        match &node.value {
            Value::Map(map) if !map.is_empty() => entries(map, at + 2, out),
            Value::List(list) if !list.is_empty() => items(list, at + 2, out),
            _ => {
                scalar(node, at + 2, out);
                out.push('\n');
            }
        }
    }
}

fn scalar(node: &Node, at: usize, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(n) => out.push_str(&n.to_string()),
        Value::Float(n) => out.push_str(&number(*n)),
        Value::List(_) => out.push_str("[]"),
        Value::Map(_) => out.push_str("{}"),
        Value::Text(text) if is_block(text) => block(text, at, out),
        Value::Text(text) => one_line(text, out),
    }
}

/// A number: whole ones as whole numbers (they went through JSON), others the short way, with an exponent from 1e21 on.
fn number(n: f64) -> String {
    let size = n.abs();
    if n.fract() == 0.0 && size < 1e19 {
        return format!("{n}");
    }
    if size != 0.0 && !(1e-4..1e21).contains(&size) {
        let text = format!("{n:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |e| ("-", e));
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    format!("{n:?}")
}

/// Texts of several lines that a block can hold as they are.
fn is_block(text: &str) -> bool {
    let harmless =
        |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}'));
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && text.chars().all(harmless)
        && !text.split('\n').any(|line| line.ends_with(' ') || line.starts_with('\t'))
}

fn block(text: &str, at: usize, out: &mut String) {
    let body = text.trim_end_matches('\n');
    out.push_str(match text.len() - body.len() {
        0 => "|-",
        1 => "|",
        _ => "|+",
    });
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            indent(at, out);
            out.push_str(line);
        }
    }
}

/// A text on one line, quoted where it must be.
fn one_line(text: &str, out: &mut String) {
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}')) {
        double_quoted(text, out);
    } else if reads_as_itself(text) {
        out.push_str(text);
    } else if reads_as_text_at_all(text) {
        out.push('\'');
        out.push_str(&text.replace('\'', "''"));
        out.push('\'');
    } else {
        double_quoted(text, out);
    }
}

fn double_quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Whether a text without quotes reads as the same text: it begins and goes on like a plain scalar, and is no other type.
fn reads_as_itself(text: &str) -> bool {
    let opening = ['-', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`'];
    !(text.starts_with(opening)
        || text.starts_with(' ')
        || text.ends_with([' ', ':'])
        || text.contains(": ")
        || text.contains(" #")
        || text.starts_with("---")
        || text.starts_with("..."))
        && reads_as_text_at_all(text)
}

/// Whether YAML 1.1 takes the word for a text and not for another type: what begins like a number or a date, or is one of
/// the words for booleans and null, is not left to chance.
fn reads_as_text_at_all(text: &str) -> bool {
    const WORDS: [&str; 13] = ["", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", "="];
    let lower = text.to_ascii_lowercase();
    !(WORDS.contains(&lower.as_str()) || looks_numeric(&lower))
}

fn looks_numeric(lower: &str) -> bool {
    let body = lower.trim_start_matches(['+', '-']);
    body.starts_with('.')
        || (body.starts_with(|c: char| c.is_ascii_digit())
            && body.chars().all(|c| {
                c.is_ascii_hexdigit() || matches!(c, '.' | '_' | ':' | '+' | '-' | 'x' | 'o' | 't' | 'z' | ' ')
            }))
}

/// Keys in the order in which Go's writer puts them: runs of digits by number, letters behind what is no letter.
fn natural(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(at) = a.iter().zip(&b).position(|(x, y)| x != y) else { return a.len().cmp(&b.len()) };
    let by_number = || {
        let run = |text: &[char]| text[at..].iter().take_while(|c| c.is_ascii_digit()).collect::<String>();
        let inside = a[..at].iter().rev().take_while(|c| c.is_ascii_digit()).any(|c| *c != '0');
        let (x, y) = (run(&a), run(&b));
        if inside || !(a[at] == '0' || b[at] == '0') {
            x.len().cmp(&y.len()).then_with(|| x.cmp(&y))
        } else {
            x.trim_start_matches('0').len().cmp(&y.trim_start_matches('0').len()).then_with(|| x.cmp(&y))
        }
    };
    match (a[at].is_alphabetic(), b[at].is_alphabetic()) {
        (true, true) => a[at].cmp(&b[at]),
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => by_number().then(a[at].cmp(&b[at])),
    }
}
