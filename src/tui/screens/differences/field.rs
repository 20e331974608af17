//! Rows of differences as texts: values in one line, causes in words, fields as paths, and the filter.

use crate::{
    desired::{
        differences::{Cause, Row},
        origin::At,
        path::{Path, Step},
        tree::{Node, Value},
    },
    fleet::filter::Filter,
    messages::{Lang, clean_line, desired as m},
};

/// Longest value that is shown in one line, in characters.
const LONGEST: usize = 200;

/// Key of a row: its object and field.
pub(super) fn key_of(row: &Row) -> String {
    format!("{}\n{}", row.object, row.field)
}

/// Place of the reading that a cluster is in; `usize::MAX` = in none.
pub(super) fn reading_of(row: &Row, number: u32) -> usize {
    row.readings.iter().position(|r| r.clusters.binary_search(&number).is_ok()).unwrap_or(usize::MAX)
}

/// A value in one line: texts as they are, the rest as JSON. Not cleaned.
pub(super) fn brief(node: &Node) -> String {
    let text = match &node.value {
        Value::Text(text) => text.to_string(),
        _ => node.to_json().to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}⋯", &text[..end]),
        None => text,
    }
}

/// The place that a cause names.
pub(super) fn place_of(cause: &Cause) -> Option<&At> {
    match cause {
        Cause::Rule(rule) => Some(&rule.at),
        Cause::Written(at) => Some(at),
        Cause::NotPlaced | Cause::NotWritten | Cause::Unknown => None,
    }
}

/// A cause in words, its place at the end.
pub(super) fn cause_words(cause: &Cause, lang: Lang) -> String {
    match cause {
        Cause::Rule(rule) => clean_line(&format!("{rule}  {}", rule.at)).into_owned(),
        Cause::Written(at) => clean_line(&at.to_string()).into_owned(),
        Cause::NotPlaced => m::D_NOT_PLACED.text(lang).to_owned(),
        Cause::NotWritten => m::D_NOT_WRITTEN.text(lang).to_owned(),
        Cause::Unknown => m::D_UNKNOWN.text(lang).to_owned(),
    }
}

/// Whether a row passes the filter. Values that are masked are not searched: a filter must not guess them.
pub(super) fn passes(row: &Row, filter: &Filter) -> bool {
    if filter.is_empty() {
        return true;
    }
    let object = row.object.to_string();
    let causes: Vec<String> = row.readings.iter().map(|r| cause_words(&r.cause, Lang::En)).collect();
    let causes = causes.join(" ");
    let values = || {
        let values = row.readings.iter().filter(|_| !row.masked).filter_map(|r| r.value.as_ref());
        values.map(brief).collect::<Vec<_>>().join(" ")
    };
    let field = |name: &str| -> Option<String> {
        Some(match name {
            "object" => object.clone(),
            "kind" => row.object.kind.to_string(),
            "field" => row.field.clone(),
            "value" => values(),
            "cause" => causes.clone(),
            "finding" => (if row.explained { "no" } else { "yes" }).to_owned(),
            _ => return None,
        })
    };
    filter.matches(&[&object, &row.field, &causes], &field, &|_| None)
}

/// The path of a field as the rows call it: items of lists by their names.
pub(super) fn way(root: &Node, field: &str) -> Path {
    let mut steps = Vec::new();
    let mut node = Some(root);
    let mut rest = field;
    while !rest.is_empty() {
        let (step, after) = next_step(node, rest);
        node = node.and_then(|n| n.step(&step));
        steps.push(step);
        rest = after.strip_prefix('.').unwrap_or(after);
    }
    Path(steps)
}

fn next_step<'f>(node: Option<&Node>, field: &'f str) -> (Step, &'f str) {
    if let Some((key, after)) = field.strip_prefix("[\"").and_then(|inner| inner.split_once("\"]")) {
        return (Step::Key(key.into()), after);
    }
    if let Some((name, after)) = field.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        let at = node.and_then(Node::as_list).and_then(|items| items.iter().position(|i| i.str_of("name") == name));
        return (at.map_or_else(|| Step::Key(name.into()), Step::Index), after);
    }
    // A key has one character at least, so that every step goes on.
    let first = field.chars().next().map_or(field.len(), char::len_utf8);
    let end = field[first..].find(['.', '[']).map_or(field.len(), |at| at + first);
    (Step::Key(field[..end].into()), &field[end..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::origin::Origin;

    #[test]
    fn fields_lead_to_their_values() {
        let json = json!({"metadata": {"annotations": {"a.b/c": "1"}}, "spec": {"containers": [{"name": "x"}, {"name": "app.main", "image": "i:1"}], "args": [1]}});
        let root = Node::from_json(&json, &Origin::Unknown);
        for (field, value) in [
            ("spec.containers[app.main].image", json!("i:1")),
            ("metadata.annotations[\"a.b/c\"]", json!("1")),
            ("spec.args", json!([1])),
        ] {
            assert_eq!(root.at(&way(&root, field)).map(Node::to_json), Some(value), "{field}");
        }
        for broken in ["spec.nothing[a].b", "..", "[", "支付.x"] {
            assert!(root.at(&way(&root, broken)).is_none(), "{broken}");
        }
    }
}
