//! A manifest as lines of YAML, each with the path of what stands on it and the place that set it: for `render --where` and for
//! the screen that shows where fields come from.

use super::{
    origin::{At, Origin},
    path::{Path, Step},
    tree::{Node, Value},
};

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The YAML, indented.
    pub text: String,
    /// What stands on it.
    pub path: Path,
    /// Who set it; for a container, who set the container.
    pub origin: Origin,
    /// The place of that.
    pub at: Option<At>,
    /// True for a value that holds no others.
    pub leaf: bool,
}

/// The lines of a manifest.
pub fn lines(root: &Node) -> Vec<Line> {
    let mut out = Vec::new();
    below(root, &Path::default(), 0, &mut out);
    out
}

fn below(node: &Node, path: &Path, depth: usize, out: &mut Vec<Line>) {
    match &node.value {
        Value::Map(map) if !map.is_empty() => {
            for (key, child) in map.iter() {
                entry(&format!("{}{}:", pad(depth), scalar_key(key)), child, &path.key(key), depth + 1, out);
            }
        }
        Value::List(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                list_item(item, &path.index(index), depth, out);
            }
        }
        _ => out.push(line(format!("{}{}", pad(depth), scalar(node)), node, path)),
    }
}

/// A value behind its key.
fn entry(head: &str, node: &Node, path: &Path, depth: usize, out: &mut Vec<Line>) {
    if let Some(text) = node.as_str().filter(|t| block(t)) {
        let ends = if text.ends_with('\n') { "|" } else { "|-" };
        out.push(line(format!("{head} {ends}"), node, path));
        let content = text.strip_suffix('\n').unwrap_or(text);
        for part in content.split('\n') {
            let text = if part.is_empty() { String::new() } else { format!("{}{part}", pad(depth)) };
            out.push(line(text, node, path));
        }
    } else if node.is_leaf() {
        out.push(line(format!("{head} {}", scalar(node)), node, path));
    } else {
        out.push(line(head.to_owned(), node, path));
        // Lists stand under their key without further indent, as Kubernetes' own tools write them.
        below(node, path, if node.as_list().is_some() { depth - 1 } else { depth }, out);
    }
}

/// An item: its first line bears the dash.
fn list_item(item: &Node, path: &Path, depth: usize, out: &mut Vec<Line>) {
    if item.is_leaf() {
        entry(&format!("{}-", pad(depth)), item, path, depth + 1, out);
        return;
    }
    let start = out.len();
    below(item, path, depth + 1, out);
    if let Some(first) = out.get_mut(start) {
        let at = depth * 2;
        first.text.replace_range(at..at + 1, "-");
    }
}

fn line(text: String, node: &Node, path: &Path) -> Line {
    Line { text, path: path.clone(), origin: node.origin.clone(), at: node.origin.at(), leaf: node.is_leaf() }
}

fn pad(depth: usize) -> String {
    "  ".repeat(depth)
}

/// A text of several lines that YAML can write as a block as it is.
fn block(text: &str) -> bool {
    let plain = |c: char| c == '\n' || c == '\t' || !c.is_control();
    text.contains('\n')
        && text.chars().all(plain)
        && !text.starts_with([' ', '\n', '\t'])
        && !text.ends_with("\n\n")
        && text.trim_end_matches('\n').lines().all(|l| !l.ends_with(' '))
}

fn scalar(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => quoted(text),
        _ => node.to_json().to_string(),
    }
}

fn scalar_key(key: &str) -> String {
    quoted(key)
}

/// A text as a YAML scalar: plain where every reader takes it for a text, else in double quotes as JSON writes it.
fn quoted(text: &str) -> String {
    let plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '-' | '_' | '.' | '/' | ' ' | '@' | '=' | '+' | ',' | ':')
            || !c.is_ascii()
    };
    let first = text.chars().next();
    let words = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"];
    let safe = first.is_some_and(|c| c.is_ascii_alphabetic() || c == '/' || (!c.is_ascii() && !c.is_control()))
        && text.chars().all(|c| plain(c) && !c.is_control())
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' '])
        && !words.contains(&text.to_ascii_lowercase().as_str());
    if safe { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// The way to a line's value in words a person uses: items of lists by name where they have one.
pub fn spoken(root: &Node, path: &Path) -> String {
    let (mut node, mut out) = (Some(root), String::new());
    for step in &path.0 {
        let next = node.and_then(|n| n.step(step));
        match step {
            Step::Key(key) if key.contains(['.', '/']) => out.push_str(&format!("[\"{key}\"]")),
            Step::Key(key) if out.is_empty() => out.push_str(key),
            Step::Key(key) => {
                out.push('.');
                out.push_str(key);
            }
            Step::Index(index) => {
                let name = next.map(|n| n.str_of("name")).filter(|n| !n.is_empty());
                out.push_str(&name.map_or_else(|| format!("[{index}]"), |n| format!("[{n}]")));
            }
        }
        node = next;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desired::{
        origin::{Source, SourceKind},
        source::yaml,
    };

    #[test]
    fn lines_read_back_as_the_same_manifest() {
        let source = Source::new(SourceKind::Manifest, "a.yaml");
        let text = "kind: X\nempty: {}\nnone: []\nlist:\n- a: 1\n  b: [x, 'yes', '12']\n- - deep\n- {}\nodd: 'a: b'\n\
                    'true': \"\\u001b\"\nblock: |\n  one\n\n  two\nkeep: |-\n  a\n  b\nnil: ~\nzh: 支付\nnum: '1e3'\ntrail: \"a\\n\\n\"\n";
        let node = yaml::read(text, &source).unwrap().remove(0);
        let lines = lines(&node);
        let written: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
        let again = yaml::read(&written.join("\n"), &source).unwrap().remove(0);
        assert_eq!(again, node, "{}", written.join("\n"));
        let one = lines.iter().find(|l| l.text.trim() == "one").unwrap();
        assert_eq!((one.path.to_string(), one.at.as_ref().unwrap().line), ("block".into(), 11));
    }

    #[test]
    fn items_are_spoken_of_by_name() {
        let source = Source::new(SourceKind::Manifest, "a.yaml");
        let node = yaml::read("spec: {containers: [{name: app, ports: [80]}]}", &source).unwrap().remove(0);
        let path = Path::parse("spec.containers[0].ports[0]").unwrap();
        assert_eq!(spoken(&node, &path), "spec.containers[app].ports[0]");
    }
}
