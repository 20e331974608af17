//! A Helm template read as text: which keys each line stands under, what it prints, and which values it asks for. This is no
//! template engine; it is a reader of what people write, and what it claims can be proved by rendering again.

use std::{collections::BTreeMap, sync::Arc};

use super::writer;
use crate::desired::{
    origin::Source,
    path::{Path, Step},
    tree::Node,
};

/// What a reference begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// `.Values`.
    Values,
    /// `.Chart`; keys as in `Chart.yaml`.
    Chart,
}

/// A value that a line asks for; `*` stands for each item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// Where it begins.
    pub root: Root,
    /// Keys from there.
    pub path: Vec<String>,
}

/// One line that prints something.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// Line, counted from 1.
    pub number: u32,
    /// Keys it stands under, its own last; `None` is an item of a list.
    pub keys: Vec<Option<String>>,
    /// What it prints behind its key, as written.
    pub value: String,
    /// Kind of the object in whose text it stands; empty = not known.
    pub kind: String,
    /// It prints more than one value, below its keys.
    pub emits: bool,
    /// Values it asks for.
    pub references: Vec<Reference>,
    /// Named templates that it includes.
    pub includes: Vec<String>,
    /// The named template that it is part of; empty = none.
    pub defines: String,
}

/// A template file.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    /// The file.
    pub source: Arc<Source>,
    /// Its path in the outermost chart.
    pub inside: String,
    /// The way down to its chart.
    pub down: Vec<String>,
    /// Its lines.
    pub lines: Vec<Line>,
}

impl Template {
    /// True when it defines named templates: its lines may show up in any output.
    pub(super) fn is_helper(&self) -> bool {
        self.lines.iter().any(|l| !l.defines.is_empty())
    }
}

/// Reads a template.
pub(super) fn read(text: &str, source: Arc<Source>, inside: String, down: Vec<String>) -> Template {
    let mut reader = Reader::default();
    for (number, line) in (1..).zip(text.lines()) {
        reader.line(number, line);
    }
    let mut lines = reader.lines;
    kinds(&mut lines, &reader.cuts);
    Template { source, inside, down, lines }
}

/// Tells each line the kind of the object it stands in: the text between two `---`.
fn kinds(lines: &mut [Line], cuts: &[u32]) {
    let part = |number: u32| cuts.iter().filter(|c| **c < number).count();
    let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for line in lines.iter().filter(|l| l.keys == [Some("kind".to_owned())] && !l.value.contains("{{")) {
        found.entry(part(line.number)).or_default().push(bare(&line.value).to_owned());
    }
    for line in lines {
        if let Some([only]) = found.get(&part(line.number)).map(Vec::as_slice) {
            line.kind = only.clone();
        }
    }
}

/// A block that `end` closes.
#[derive(Clone, Debug)]
struct Block {
    dot: Option<Reference>,
    defines: String,
}

#[derive(Default)]
struct Reader {
    lines: Vec<Line>,
    /// Lines `---`.
    cuts: Vec<u32>,
    stack: Vec<(usize, Option<String>)>,
    blocks: Vec<Block>,
    variables: BTreeMap<String, Reference>,
    comment: bool,
}

impl Reader {
    fn line(&mut self, number: u32, raw: &str) {
        if self.comment || raw.trim_start().starts_with("{{/*") || raw.trim_start().starts_with("{{- /*") {
            self.comment = !raw.contains("*/");
            return;
        }
        let text = raw.trim_end();
        if text.starts_with("---") {
            self.cuts.push(number);
            self.stack.clear();
            return;
        }
        let (mut found, mut prints) = (Line { number, ..Line::default() }, false);
        for action in actions(text) {
            prints |= self.action(action, &mut found);
        }
        found.defines = self.blocks.last().map(|b| b.defines.clone()).unwrap_or_default();
        let literal = without_actions(text);
        if literal.trim().is_empty() {
            if prints {
                found.emits = true;
                found.value = text.trim().to_owned();
                let column = indent_asked(text).unwrap_or(text.len() - text.trim_start().len());
                let keys = self.stack.iter().filter(|(at, _)| *at < column).map(|(_, key)| key.clone());
                found.keys = keys.collect();
                self.lines.push(found);
            }
            return;
        }
        if !literal.trim_start().starts_with('#') {
            self.literal(text, found);
        }
    }

    /// A line with text of its own: a key, an item, or a piece of a block.
    fn literal(&mut self, text: &str, mut found: Line) {
        let mut column = text.len() - text.trim_start().len();
        let mut rest = text.trim_start();
        while let Some(after) = rest.strip_prefix("- ").or_else(|| (rest == "-").then_some("")) {
            while self.stack.last().is_some_and(|(at, key)| *at > column || (*at == column && key.is_none())) {
                self.stack.pop();
            }
            self.stack.push((column, None));
            column += rest.len() - after.trim_start().len();
            rest = after.trim_start();
        }
        if let Some((key, value)) = key_and_value(rest) {
            while self.stack.last().is_some_and(|(at, _)| *at >= column) {
                self.stack.pop();
            }
            self.stack.push((column, Some(key)));
            rest = value;
        }
        found.keys = self.stack.iter().map(|(_, key)| key.clone()).collect();
        found.value = rest.to_owned();
        found.emits = rest.starts_with("{{") && (rest.contains("indent") || rest.contains("toYaml"));
        self.lines.push(found);
    }

    /// Notes what an action asks for and opens; true when it prints something.
    fn action(&mut self, action: &str, found: &mut Line) -> bool {
        let inner = action.trim_matches(['{', '}', '-', ' ', '\t']);
        let mut words = inner.split_whitespace();
        let verb = words.next().unwrap_or_default();
        let dot = self.blocks.last().and_then(|b| b.dot.clone());
        let defines = self.blocks.last().map(|b| b.defines.clone()).unwrap_or_default();
        match verb {
            "if" => self.blocks.push(Block { dot, defines }),
            "with" | "range" => {
                let mut over = self.references(inner).into_iter().next_back();
                if verb == "range"
                    && let Some(over) = &mut over
                {
                    over.path.push("*".into());
                }
                let declared = inner.split_once(":=").map(|(names, _)| names);
                if let (Some(names), Some(over)) = (declared, &over) {
                    let value = names.split([' ', ',']).rfind(|n| n.starts_with('$'));
                    self.variables.extend(value.map(|v| (v.to_owned(), over.clone())));
                }
                self.blocks.push(Block { dot: over.or(dot), defines });
            }
            "define" | "block" => {
                let name = quoted(inner).into_iter().next().unwrap_or_default();
                self.stack.clear();
                self.blocks.push(Block { dot: None, defines: name });
            }
            "end" => {
                let closed = self.blocks.pop();
                let after = self.blocks.last().map(|b| b.defines.clone()).unwrap_or_default();
                if closed.is_some_and(|b| b.defines != after) {
                    self.stack.clear();
                }
            }
            "else" | "/*" => {}
            _ if inner.contains(":=") || inner.split_whitespace().nth(1) == Some("=") => {
                let name = verb.to_owned();
                let from = self.references(inner).into_iter().next_back();
                self.variables.extend(from.map(|from| (name, from)));
            }
            _ => {
                found.references.extend(self.references(inner));
                if matches!(verb, "include" | "template") || inner.contains("include ") {
                    found.includes.extend(quoted(inner).into_iter().take(1));
                }
                return true;
            }
        }
        false
    }

    /// The values that an action asks for.
    fn references(&self, inner: &str) -> Vec<Reference> {
        let mut found: Vec<Reference> = Vec::new();
        let mut by_index = false;
        for (token, is_text) in tokens(inner) {
            if is_text {
                if let Some(last) = found.last_mut().filter(|_| by_index) {
                    last.path.push(token);
                }
                continue;
            }
            by_index = token == "index" || (by_index && (token.starts_with('.') || token.starts_with('$')));
            found.extend(self.reference(&token));
        }
        found
    }

    fn reference(&self, token: &str) -> Option<Reference> {
        let (base, rest) = match token.strip_prefix('$') {
            Some(named) => {
                let (name, rest) = named.split_once('.').unwrap_or((named, ""));
                if name.is_empty() { (None, rest) } else { (Some(self.variables.get(&format!("${name}"))?), rest) }
            }
            None => (None, token.strip_prefix('.')?),
        };
        let mut path: Vec<String> = rest.split('.').filter(|k| !k.is_empty()).map(str::to_owned).collect();
        if let Some(base) = base {
            let whole = base.path.iter().cloned().chain(path).collect();
            return Some(Reference { root: base.root, path: whole });
        }
        match path.first().map(String::as_str) {
            Some("Values") => Some(Reference { root: Root::Values, path: path.split_off(1) }),
            Some("Chart") => {
                let mut keys = path.split_off(1);
                if let Some(first) = keys.first_mut() {
                    *first = first[..1].to_lowercase() + &first[1..];
                }
                Some(Reference { root: Root::Chart, path: keys })
            }
            Some("Release" | "Files" | "Capabilities" | "Template" | "Subcharts") => None,
            _ => {
                let dot = self.blocks.last()?.dot.clone()?;
                Some(Reference { root: dot.root, path: dot.path.into_iter().chain(path).collect() })
            }
        }
    }
}

/// The actions of a line, with their braces; one that goes on in the next line counts up to the end.
fn actions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        let end = rest[open..].find("}}").map_or(rest.len(), |end| open + end + 2);
        found.push(&rest[open..end]);
        rest = &rest[end..];
    }
    found
}

fn without_actions(text: &str) -> String {
    pieces(text).concat()
}

/// What stands between the actions, one piece more than there are actions.
fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        found.push(&rest[..open]);
        rest = rest[open..].find("}}").map_or("", |end| &rest[open + end + 2..]);
    }
    found.push(rest);
    found
}

/// The column that `nindent 4` or `indent 4` asks for.
fn indent_asked(text: &str) -> Option<usize> {
    let (_, after) = text.split_once("indent ")?;
    after.trim_start().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Words and quoted texts of an action; true for the latter.
fn tokens(inner: &str) -> Vec<(String, bool)> {
    let mut found = vec![(String::new(), false)];
    let mut quote = None;
    for c in inner.chars() {
        match quote {
            Some(q) if c == q => {
                quote = None;
                found.push((String::new(), false));
            }
            Some(_) => found.last_mut().map_or((), |(t, _)| t.push(c)),
            None if c == '"' || c == '`' => {
                quote = Some(c);
                found.push((String::new(), true));
            }
            None if c.is_alphanumeric() || "._$-".contains(c) => found.last_mut().map_or((), |(t, _)| t.push(c)),
            None => found.push((String::new(), false)),
        }
    }
    found.into_iter().filter(|(token, _)| !token.is_empty()).collect()
}

fn quoted(inner: &str) -> Vec<String> {
    tokens(inner).into_iter().filter(|(_, text)| *text).map(|(token, _)| token).collect()
}

/// A key (`*` when it is an action) and what stands behind the colon; `None` when the line has no key.
fn key_and_value(text: &str) -> Option<(String, &str)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find(':')?;
        let (key, value) = (&text[..at], &text[at + 1..]);
        let inside = key.matches("{{").count() != key.matches("}}").count();
        if inside || !(value.is_empty() || value.starts_with([' ', '\t'])) {
            from = at + 1;
            continue;
        }
        let key = bare(key.trim());
        let plain = !key.contains(char::is_whitespace) || key.contains("{{");
        return plain.then(|| (if key.contains("{{") { "*".into() } else { key.to_owned() }, value.trim()));
    }
}

/// A scalar without its quotes and its comment.
pub(super) fn bare(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.rfind(quote).map_or(inner, |end| &inner[..end]);
        }
    }
    text.split(" #").next().unwrap_or(text).trim()
}

impl Line {
    /// How well this line fits a leaf of an object of this kind; `None` = it did not print it.
    pub(super) fn score(&self, kind: &str, path: &Path, leaf: &Node) -> Option<usize> {
        let other_kind = !self.kind.is_empty() && self.kind != kind;
        if other_kind || self.keys.is_empty() && !self.emits {
            return None;
        }
        let for_kind = if self.kind.is_empty() { 0 } else { 20 };
        if self.emits {
            let above = self.keys.len() < path.0.len() + usize::from(self.value.starts_with("{{"));
            let prefix = self.keys.iter().zip(&path.0).all(|(key, step)| meets(key.as_deref(), step));
            let fits = above && prefix && (self.defines.is_empty() || self.keys.is_empty());
            // What a named template prints is better explained by the lines of that template.
            let last_resort = self.keys.is_empty() || !self.includes.is_empty();
            let own = if self.references.is_empty() { 0 } else { 20 };
            return fits.then_some(if last_resort { 2 } else { 10 * self.keys.len() + own + for_kind });
        }
        if self.value.starts_with('[') || (self.value.starts_with('{') && !self.value.starts_with("{{")) {
            // A flow list or map: its values stand on this line.
            let above = self.keys.len() < path.0.len();
            let prefix = self.keys.iter().zip(&path.0).all(|(key, step)| meets(key.as_deref(), step));
            let text = writer::scalar_text(leaf).unwrap_or_default();
            let own = if self.value.contains(&text) { 35 } else { 5 };
            return (above && prefix && self.defines.is_empty()).then_some(10 * self.keys.len() + own + for_kind);
        }
        let common = self.keys.iter().rev().zip(path.0.iter().rev());
        let common = common.take_while(|(key, step)| meets(key.as_deref(), step)).count();
        let whole = common == self.keys.len() && common == path.0.len();
        let in_helper = !self.defines.is_empty() && common == self.keys.len();
        if common == 0 || !(whole || in_helper || common * 2 > self.keys.len()) {
            return None;
        }
        Some(self.explains(leaf)? + 10 * common + if whole { 30 } else { 0 } + for_kind)
    }

    /// How well what is written explains the value.
    fn explains(&self, leaf: &Node) -> Option<usize> {
        let finished = writer::scalar_text(leaf)?;
        if self.value.starts_with('|') || self.value.starts_with('>') {
            return finished.contains('\n').then_some(20).or(Some(5));
        }
        let written = bare(&self.value);
        if !written.contains("{{") {
            let same = written == finished || (matches!(written, "~" | "null") && finished.is_empty());
            let number = || written.parse::<f64>().ok().zip(finished.parse::<f64>().ok()).is_some_and(|(a, b)| a == b);
            return (same || number()).then_some(40);
        }
        let chosen = actions(written).iter().any(|a| a.contains("{{if") || a.contains("if "));
        if chosen {
            return Some(5);
        }
        let pieces = pieces(written);
        let mut rest = finished.as_str();
        for (at, piece) in pieces.iter().enumerate() {
            let found = if at == 0 { rest.starts_with(piece).then_some(0) } else { rest.find(piece) };
            rest = &rest[found? + piece.len()..];
        }
        let ends = pieces.last().is_none_or(|last| finished.ends_with(last));
        ends.then(|| 20 + pieces.concat().len().min(10))
    }
}

fn meets(key: Option<&str>, step: &Step) -> bool {
    match (key, step) {
        (None, Step::Index(_)) | (Some("*"), Step::Key(_)) => true,
        (Some(key), Step::Key(step)) => key == &**step,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desired::{origin::Origin, tree::Value};

    const TEXT: &str = r#"{{- /* a comment */}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-web
  labels:
    {{- include "shop.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  template:
    spec:
      containers:
      - name: web
        args: ["a", "b"]
        image: "{{ .Values.image.repo }}:{{ $.Values.image.tag | default .Chart.AppVersion }}"
        env:
        {{- range $key, $value := .Values.env }}
        - name: {{ $key }}
          value: {{ $value | quote }}
        {{- end }}
        {{- with .Values.resources }}
        resources:
          {{- toYaml . | nindent 10 }}
        {{- end }}
---
kind: Service
metadata:
  name: web
"#;

    fn best(path: &str, kind: &str, value: &str) -> (u32, Vec<String>) {
        let template = read(TEXT, Arc::default(), String::new(), Vec::new());
        let leaf = Node::new(Value::Text(value.into()), Origin::Unknown);
        let path = Path::parse(path).unwrap();
        let scored = template.lines.iter().filter_map(|l| Some((l.score(kind, &path, &leaf)?, l)));
        let (_, line) = scored.max_by_key(|(score, l)| (*score, std::cmp::Reverse(l.number))).expect("a line");
        (line.number, line.references.iter().map(|r| r.path.join(".")).collect())
    }

    #[test]
    fn each_leaf_meets_its_line_and_the_values_it_asks_for() {
        let none: [&str; 0] = [];
        assert_eq!(best("metadata.name", "Deployment", "rel-web"), (5, none.map(str::to_owned).to_vec()));
        assert_eq!(best("metadata.name", "Service", "web").0, 28);
        assert_eq!(best("spec.replicas", "Deployment", "3"), (9, vec!["replicas".into()]));
        assert_eq!(
            best("spec.template.spec.containers[0].image", "Deployment", "a/b:1"),
            (15, vec!["image.repo".into(), "image.tag".into(), "appVersion".into()])
        );
        let env = "spec.template.spec.containers[0].env[1].value";
        assert_eq!(best(env, "Deployment", "x"), (19, vec!["env.*".into()]));
        assert_eq!(best("spec.template.spec.containers[0].args[1]", "Deployment", "b").0, 14);
        let limits = "spec.template.spec.containers[0].resources.limits.cpu";
        assert_eq!(best(limits, "Deployment", "1"), (23, vec!["resources".into()]));
    }
}
