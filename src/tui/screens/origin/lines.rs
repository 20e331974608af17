//! A manifest as lines, each with who set it; what rules took away is a line too. What is secret is masked.

use std::sync::Arc;

use crate::{
    desired::{
        mask,
        object::Object,
        origin::{Act, Origin},
        path::Path,
        tree::{Node, Value},
        where_from,
    },
    messages::clean_line,
};

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// The text with its indent, cleaned.
    pub(super) text: String,
    /// The value that it is of.
    pub(super) path: Path,
    /// Who set it last.
    pub(super) origin: Origin,
    /// A rule took it away.
    pub(super) removed: bool,
}

/// The lines of an object.
pub(super) fn lines(object: &Object) -> Vec<Line> {
    let mut lines: Vec<Line> = where_from::lines(&mask::masked(object))
        .into_iter()
        .map(|l| Line { text: clean_line(&l.text).into_owned(), path: l.path, origin: l.origin, removed: false })
        .collect();
    let mut lost = Vec::new();
    removed(object, &object.node, &Path::default(), &mut lost);
    for line in lost {
        put(&mut lines, line);
    }
    lines
}

/// Collects what rules took out of containers.
fn removed(object: &Object, node: &Node, path: &Path, lost: &mut Vec<Line>) {
    let (changes, _) = node.origin.history();
    for change in changes {
        let Act::Removed(member, old) = &change.act else { continue };
        let path = path.key(member);
        // What was put back since is no loss; of what was taken twice the last time counts.
        if object.node.at(&path).is_some() || lost.iter().any(|l| l.path == path) {
            continue;
        }
        let value = if mask::is_secret(&object.key, &path) { mask::MASK.to_owned() } else { old.to_json().to_string() };
        let text = clean_line(&format!("{member}: {value}")).into_owned();
        lost.push(Line { text, path, origin: Origin::Changed(Arc::new(change.clone())), removed: true });
    }
    match &node.value {
        Value::Map(map) => map.iter().for_each(|(key, child)| removed(object, child, &path.key(key), lost)),
        Value::List(items) => {
            items.iter().enumerate().for_each(|(at, child)| removed(object, child, &path.index(at), lost));
        }
        _ => {}
    }
}

/// Puts a lost member behind the last line of its container, as far in as its sisters.
fn put(lines: &mut Vec<Line>, mut line: Line) {
    let parent = line.path.0.get(..line.path.0.len().saturating_sub(1)).unwrap_or_default();
    let below = |l: &Line| l.path.0.starts_with(parent);
    let Some(last) = lines.iter().rposition(below) else { return };
    let sister = lines.iter().find(|l| below(l) && l.path.0.len() == parent.len() + 1);
    let indent = match sister.or(lines.get(last)) {
        // An item's first member stands behind the dash.
        Some(l) => l.text.find(|c: char| c != ' ' && c != '-').unwrap_or(0),
        None => 0,
    };
    line.text = format!("{}{}", " ".repeat(indent), line.text);
    lines.insert(last + 1, line);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::origin::{At, Rule, Source, SourceKind};

    fn object(json: &serde_json::Value) -> Object {
        Object::new(Node::from_json(json, &Origin::Unknown)).unwrap()
    }

    #[test]
    fn what_a_rule_took_away_stands_where_it_was() {
        let json = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "1", "y": "2"}, "list": [{"name": "n", "v": 1}]});
        let mut object = object(&json);
        let at = At { source: Source::new(SourceKind::Policy, "p.yaml"), line: 7 };
        let rule =
            Arc::new(Rule { kind: "Policy".into(), namespace: "".into(), name: "p".into(), part: String::new(), at });
        for (container, member) in [("data", "y"), ("list[0]", "v")] {
            let node = object.node.at_mut(&Path::parse(container).unwrap()).unwrap();
            let old = node.as_map_mut().unwrap().remove(member).unwrap();
            node.note_removed(member, old, &rule);
        }
        let shown: Vec<String> =
            lines(&object).iter().map(|l| format!("{}{}", if l.removed { "-" } else { " " }, l.text)).collect();
        for part in [[" data:", "   x: \"1\"", "-  y: \"2\""], [" list:", " - name: \"n\"", "-  v: 1"]] {
            assert!(shown.windows(3).any(|w| w == part), "{part:?} {shown:#?}");
        }
    }

    #[test]
    fn secrets_stay_secret() {
        let json = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"password": "hunter2"}});
        let all = lines(&object(&json));
        assert!(all.iter().any(|l| l.path.to_string() == "stringData.password"));
        assert!(!all.iter().any(|l| l.text.contains("hunter2")), "{all:?}");
    }
}
