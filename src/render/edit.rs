//! Small edits of a file that change the value on one line: what is rendered from them tells whether the line gave a value.

use super::{chain, writer};
use crate::desired::tree::{Node, Value};

/// A text that no manifest holds by itself; fit for names, labels and images.
pub(super) const MARK: &str = "x7q9";
/// Most edits that are made of one line.
const MOST: usize = 4;

/// A changed value as text: numbers count on, truth is turned, and everything else bears the mark.
fn changed(text: &str) -> String {
    match text {
        "true" => return "false".into(),
        "false" => return "true".into(),
        _ => {}
    }
    match text.parse::<i64>() {
        Ok(number) => number.wrapping_add(1).to_string(),
        Err(_) => format!("{text}{MARK}"),
    }
}

/// A changed value.
pub(super) fn changed_value(node: &Node) -> Value {
    match &node.value {
        Value::Bool(b) => Value::Bool(!b),
        Value::Int(n) => Value::Int(n.wrapping_add(1)),
        Value::Float(n) => Value::Float(n + 1.0),
        _ => Value::Text(changed(&writer::scalar_text(node).unwrap_or_default()).into()),
    }
}

/// The text of a changed value.
pub(super) fn changed_text(node: &Node) -> String {
    changed(&writer::scalar_text(node).unwrap_or_default())
}

/// The file with the value on a line changed, in the ways that come to mind; line 0 changes the file's last line.
pub(super) fn edits(text: &str, line: u32, written: &Node) -> Vec<String> {
    let Some(value) = writer::scalar_text(written) else { return Vec::new() };
    if line == 0 {
        return vec![format!("{}{MARK}\n", text.trim_end_matches('\n'))];
    }
    let with = |at: u32, new: String| {
        let lines = (1..).zip(text.split_inclusive('\n')).map(|(number, old)| {
            if number != at {
                return old.to_owned();
            }
            format!("{new}{}", &old[old.trim_end_matches(['\r', '\n']).len()..])
        });
        lines.collect::<String>()
    };
    let line_at = |at: u32| text.lines().nth(usize::try_from(at).unwrap_or(1).saturating_sub(1)).unwrap_or_default();
    if let Some(first) = chain::first_line_of_block(text, line) {
        // An empty first line of a block would end up in front of its indentation.
        let at = (first..first + 50).find(|at| !line_at(*at).trim().is_empty()).unwrap_or(first);
        return vec![with(at, format!("{}{MARK}", line_at(at)))];
    }
    let old = line_at(line);
    let mut found: Vec<String> = Vec::new();
    // The value is more likely at the end of the line than in its key.
    for at in places(old, &value) {
        let end = at + value.len();
        let inside_quotes = value.len() > 1 && value.ends_with(['"', '\'']);
        let new = if inside_quotes {
            let (body, quote) = value.split_at(value.len() - 1);
            format!("{body}{MARK}{quote}")
        } else {
            changed(&value)
        };
        found.push(with(line, format!("{}{new}{}", &old[..at], &old[end..])));
    }
    found.extend(at_the_end(old).map(|new| with(line, new)));
    found.truncate(MOST);
    found
}

/// Where a text stands in a line as a word of its own, else anywhere; the last place first.
fn places(line: &str, value: &str) -> Vec<usize> {
    if value.is_empty() {
        return Vec::new();
    }
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let all: Vec<usize> = line.match_indices(value).map(|(at, _)| at).collect();
    let alone =
        |at: &&usize| !word(line[..**at].chars().next_back()) && !word(line[**at + value.len()..].chars().next());
    let mut alone: Vec<usize> = all.iter().filter(alone).copied().collect();
    alone.reverse();
    let rest = all.iter().rev().filter(|at| !alone.contains(at)).copied().collect::<Vec<_>>();
    alone.into_iter().chain(rest).collect()
}

/// The line with its last value changed: behind a colon, a dash or an equals sign.
fn at_the_end(line: &str) -> Option<String> {
    let body = line.split(" #").next().unwrap_or(line).trim_end();
    let quote = body.chars().next_back().filter(|c| "\"'}]".contains(*c) && !body.ends_with("}}"));
    if let Some(quote) = quote {
        return Some(format!("{}{MARK}{quote}", &body[..body.len() - 1]));
    }
    if body.ends_with(':') || body.ends_with('-') {
        return Some(format!("{body} {MARK}"));
    }
    let at = body.rfind(": ").map(|at| at + 2).or_else(|| body.rfind("- ").map(|at| at + 2))?;
    Some(format!("{}{}", &body[..at], changed(&body[at..])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desired::origin::Origin;

    #[test]
    fn the_value_of_a_line_is_changed_in_place() {
        for (text, line, value, expected) in [
            ("a: 1\nb: web\n", 2, "web", "a: 1\nb: webx7q9\n"),
            ("web: web # web\r\n", 1, "web", "web: web # webx7q9\r\n"),
            ("{op: replace, value: 3}\n", 1, "3", "{op: replace, value: 4}\n"),
            ("a: |\n\n  x\n  y\n", 1, "\nx\ny\n", "a: |\n\n  xx7q9\n  y\n"),
            ("a: \"{{ .Values.x }}\"\n", 1, "\"{{ .Values.x }}\"", "a: \"{{ .Values.x }}x7q9\"\n"),
            ("a: \"\"\n", 1, "", "a: \"x7q9\"\n"),
            ("a: false", 1, "false", "a: true"),
            ("whole\ntext\n", 0, "whole\ntext\n", "whole\ntextx7q9\n"),
        ] {
            let found = edits(text, line, &Node::text(value, Origin::Unknown));
            assert_eq!(found.first().map(String::as_str), Some(expected), "{text}");
        }
        let found = edits("web: web # web\n", 1, &Node::text("web", Origin::Unknown));
        assert!(found.contains(&"web: webx7q9 # web\n".to_owned()));
    }
}
