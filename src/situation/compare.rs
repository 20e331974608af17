//! What came out against what must come out: equality by value, and a difference a person can read.

use std::fmt::Write as _;

use serde_json::Value;
use similar::TextDiff;

/// Equal after parsing: numbers by value (`1` and `1.0`), maps in any order.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || (a.as_f64().is_some() && a.as_f64() == b.as_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => a == b,
    }
}

/// The lines that differ, with two lines around them: `-` was expected, `+` came out.
pub(super) fn difference(expected: &Value, actual: &Value) -> Vec<String> {
    let (expected, actual) = (outline(expected), outline(actual));
    let diff = TextDiff::from_lines(&expected, &actual);
    let text = diff.unified_diff().context_radius(2).header("expected", "actual").to_string();
    text.lines().map(str::to_owned).collect()
}

/// A value as lines in the manner of YAML, keys sorted, so that two of them can be compared line by line.
fn outline(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

fn write(value: &Value, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            for key in keys {
                nested(&format!("{pad}{key}:"), &map[key], depth, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                nested(&format!("{pad}-"), item, depth, out);
            }
        }
        scalar => {
            let _ = writeln!(out, "{pad}{scalar}");
        }
    }
}

/// A value behind its key or dash: on the same line where it holds no others.
fn nested(head: &str, value: &Value, depth: usize, out: &mut String) {
    let inner = value.as_object().is_some_and(|m| !m.is_empty()) || value.as_array().is_some_and(|l| !l.is_empty());
    if inner {
        let _ = writeln!(out, "{head}");
        write(value, depth + 1, out);
    } else {
        let _ = writeln!(out, "{head} {value}");
    }
}
