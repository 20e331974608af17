//! The overrides of a native policy. Within a rule the order is fixed, whatever the order of the keys: images, command, args,
//! env, resources, labels, annotations, text, merge, patch; each on the outcome of the one before.

use std::sync::Arc;

use super::{Reading, resources};
use crate::{
    desired::{
        origin::{At, Rule},
        patch::{
            Containers, ImagePart, Operation, OverridePolicy, OverrideRule, OverrideStep, Overrider, PatchOperation,
            Reach, TextForm, Verb,
        },
        policy::{PolicyId, ResourceSelector, System},
        tree::{Node, Value},
    },
    fault::Fault,
    messages::policy as text,
    shape::{Form, Written},
};

/// Reads the rules. Neighbours that are about the same objects share a policy; one with `resources` of its own begins another.
pub(super) fn read(
    reading: &mut Reading<'_>,
    rules: &[Node],
    id: &PolicyId,
    selectors: &[ResourceSelector],
    place: &dyn Fn(&Node) -> At,
) -> Vec<OverridePolicy> {
    let mut policies: Vec<OverridePolicy> = Vec::new();
    for (i, node) in rules.iter().enumerate() {
        let field = format!("overrides[{i}]");
        let own = node.get("resources").map(|r| resources(reading, Some(r), &format!("{field}.resources")));
        let selectors = own.unwrap_or_else(|| selectors.to_vec());
        let mut steps = Steps { id, name: node.str_of("name"), field: &field, place, reading, steps: Vec::new() };
        steps.all(node);
        let steps = steps.steps;
        let target = node.get("clusters").map(|c| reading.clusters(c, &format!("{field}.clusters")));
        if steps.is_empty() {
            reading.fault(node, &field, text::RULE_DOES_NOTHING);
        }
        let rule = OverrideRule { target, steps };
        match policies.last_mut().filter(|p| p.selectors == selectors) {
            Some(same) => same.rules.push(rule),
            None => policies.push(OverridePolicy {
                id: id.clone(),
                at: place(node),
                system: System::Native,
                selectors,
                rules: vec![rule],
            }),
        }
    }
    policies
}

/// Collects the steps of one rule.
struct Steps<'a, 'b> {
    id: &'a PolicyId,
    name: &'a str,
    field: &'a str,
    place: &'a dyn Fn(&Node) -> At,
    reading: &'a mut Reading<'b>,
    steps: Vec<OverrideStep>,
}

impl Steps<'_, '_> {
    fn all(&mut self, node: &Node) {
        let each = |key: &str| node.items_of(key).iter().enumerate();
        for (i, item) in each("images") {
            self.image(item, &format!("images[{i}]"));
        }
        for field in ["command", "args"] {
            for (i, item) in each(field) {
                self.words(field, item, &format!("{field}[{i}]"));
            }
        }
        for (i, item) in each("env") {
            self.env(item, &format!("env[{i}]"));
        }
        for (i, item) in each("containerResources") {
            self.needs(item, &format!("containerResources[{i}]"));
        }
        for field in ["labels", "annotations"] {
            if let Some(marks) = node.get(field) {
                self.marks(field, marks);
            }
        }
        for (i, item) in each("text") {
            self.text(item, &format!("text[{i}]"));
        }
        if let Some(merge) = node.get("merge").filter(|m| !m.is_leaf()) {
            self.push(merge, "merge", Overrider::Merge(merge.clone()));
        }
        if let Some(patch) = node.get("patch").filter(|p| !p.is_leaf()) {
            let operations = self.operations(patch, "patch");
            self.push(patch, "patch", Overrider::Json(operations));
        }
    }

    /// Adds a step that stands at `node`.
    fn push(&mut self, node: &Node, part: &str, overrider: Overrider) {
        let rule = self.rule(node, part);
        self.steps.push(OverrideStep { overrider, rule });
    }

    /// What the values will name that the part at `node` changes.
    fn rule(&self, node: &Node, part: &str) -> Arc<Rule> {
        let named = if self.name.is_empty() { String::new() } else { format!(" ({})", self.name) };
        Arc::new(Rule {
            kind: self.id.kind.clone(),
            namespace: self.id.namespace.clone(),
            name: self.id.name.clone(),
            part: format!("{}.{part}{named}", self.field),
            at: (self.place)(node),
        })
    }

    fn field(&self, part: &str) -> String {
        format!("{}.{part}", self.field)
    }

    fn image(&mut self, item: &Node, part: &str) {
        if item.get("tag").is_some() && item.get("digest").is_some() {
            self.reading.fault(item, &self.field(part), text::TAG_OR_DIGEST);
        }
        let path = item.get("path").map(Written::word);
        if let Some(node) = item.get("path") {
            self.reading.pointer(node, &format!("{}.path", self.field(part)));
        }
        let kinds = [
            ("registry", ImagePart::Registry, is_registry as fn(&str) -> bool),
            ("repository", ImagePart::Repository, is_repository),
            ("tag", ImagePart::Tag, is_tag),
            ("digest", ImagePart::Tag, is_digest),
        ];
        if item.get("path").is_some() && item.get("container").is_some() {
            self.reading.fault(item, &self.field(part), text::PATH_OR_CONTAINER);
        }
        let before = self.steps.len();
        for (key, image_part, fits) in kinds {
            let Some(node) = item.get(key) else { continue };
            let value = node.word();
            let operation = if value.is_empty() && key == "registry" { Operation::Remove } else { Operation::Replace };
            if operation == Operation::Replace && !fits(&value) {
                self.reading.fault_value(node, &format!("{}.{key}", self.field(part)), text::NOT_AN_IMAGE_PART);
            }
            let overrider = Overrider::Image {
                part: image_part,
                operation,
                value,
                path: path.clone(),
                containers: containers(item, Reach::Every),
            };
            self.push(node, &format!("{part}.{key}"), overrider);
        }
        self.must_do_something(before, item, part);
    }

    fn words(&mut self, field: &'static str, item: &Node, part: &str) {
        let before = self.steps.len();
        let verbs = [("set", Operation::Replace), ("remove", Operation::Remove), ("add", Operation::Add)];
        for (key, operation) in verbs {
            let Some(node) = item.get(key).filter(|n| !n.words().is_empty()) else { continue };
            let containers = containers(item, Reach::Regular);
            let overrider = Overrider::Words { field, containers, operation, words: node.words() };
            self.push(node, &format!("{part}.{key}"), overrider);
        }
        self.must_do_something(before, item, part);
    }

    fn env(&mut self, item: &Node, part: &str) {
        let before = self.steps.len();
        let containers = containers(item, Reach::Regular);
        for name in item.get("remove").map(Written::words).unwrap_or_default() {
            let overrider = Overrider::Env { containers: containers.clone(), variables: vec![(name, None)] };
            self.push(item.get("remove").unwrap_or(item), &format!("{part}.remove"), overrider);
        }
        for (name, _, value) in item.get("set").into_iter().flat_map(Written::keys) {
            let at = format!("{part}.set.{name}");
            let is_source = value.as_map().is_some_and(|m| m.len() == 1) && value.get("valueFrom").is_some();
            let value = match value.scalar() {
                Some(text) => Node { value: Value::Text(text.as_ref().into()), origin: value.origin.clone() },
                None => {
                    let msg = if value.form() == Form::Map {
                        text::NOT_A_VARIABLE
                    } else {
                        crate::messages::cli::WANT_QUOTES
                    };
                    if !is_source {
                        self.reading.fault(value, &self.field(&at), msg);
                    }
                    value.clone()
                }
            };
            let variables = vec![(name.to_owned(), Some(value.clone()))];
            self.push(&value, &at, Overrider::Env { containers: containers.clone(), variables });
        }
        self.must_do_something(before, item, part);
    }

    fn needs(&mut self, item: &Node, part: &str) {
        let before = self.steps.len();
        let mut resources = item.clone();
        if let Some(map) = resources.as_map_mut() {
            map.remove("container");
        }
        if ["requests", "limits"].iter().any(|k| item.get(k).is_some_and(|n| !n.is_leaf())) {
            let containers = containers(item, Reach::Regular);
            self.push(item, part, Overrider::Resources { containers, resources });
        }
        self.must_do_something(before, item, part);
    }

    /// Keys are taken out first, then set; each is a step of its own, so that its line is known.
    fn marks(&mut self, field: &'static str, node: &Node) {
        let before = self.steps.len();
        for key in node.get("remove").map(Written::words).unwrap_or_default() {
            let pairs = vec![(key, String::new())];
            let overrider = Overrider::Marks { field, operation: Operation::Remove, pairs };
            self.push(node.get("remove").unwrap_or(node), &format!("{field}.remove"), overrider);
        }
        for (key, _, value) in node.get("set").into_iter().flat_map(Written::keys) {
            let pairs = vec![(key.to_owned(), value.word())];
            let overrider = Overrider::Marks { field, operation: Operation::Add, pairs };
            self.push(value, &format!("{field}.set.{key}"), overrider);
        }
        self.must_do_something(before, node, field);
    }

    fn text(&mut self, item: &Node, part: &str) {
        let path = item.get("path").map(Written::word).unwrap_or_default();
        if let Some(node) = item.get("path") {
            self.reading.pointer(node, &format!("{}.path", self.field(part)));
        }
        let form = if item.str_of("form") == "json" { TextForm::Json } else { TextForm::Yaml };
        let operations = item.get("patch").map(|p| self.operations(p, &format!("{part}.patch"))).unwrap_or_default();
        if operations.is_empty() {
            self.reading.fault(item, &self.field(part), text::STEP_DOES_NOTHING);
        }
        self.push(item, part, Overrider::Text { path, form, operations });
    }

    fn operations(&mut self, list: &Node, part: &str) -> Vec<PatchOperation> {
        let mut operations = Vec::new();
        for (i, item) in list.list().iter().enumerate() {
            let field = self.field(&format!("{part}[{i}]"));
            let from = || item.get("from").map(Written::word).unwrap_or_default();
            let verb = match item.str_of("op") {
                "add" => Verb::Add,
                "replace" => Verb::Replace,
                "test" => Verb::Test,
                "move" => Verb::Move(from()),
                "copy" => Verb::Copy(from()),
                _ => Verb::Remove,
            };
            for key in ["path", "from"] {
                if let Some(node) = item.get(key) {
                    self.reading.pointer(node, &format!("{field}.{key}"));
                }
            }
            // A value may be null here: it is looked up as it stands.
            let value = item.as_map().and_then(|m| m.get("value")).cloned();
            let (wants_value, wants_from) = match verb {
                Verb::Add | Verb::Replace | Verb::Test => (true, false),
                Verb::Move(_) | Verb::Copy(_) => (false, true),
                Verb::Remove => (false, false),
            };
            let given = [("value", value.is_some(), wants_value), ("from", item.get("from").is_some(), wants_from)];
            for (key, given, wanted) in given {
                if given != wanted {
                    let msg = if given { text::NOT_WITH_THIS_OP } else { text::NEEDED_BY_THIS_OP };
                    let fault = Fault::new(self.reading.file, item.line(), &field, msg);
                    self.reading.faults.push(fault.with("key", key).with("op", item.str_of("op")));
                }
            }
            let path = item.get("path").map(Written::word).unwrap_or_default();
            let rule = Some(self.rule(item, &format!("{part}[{i}]")));
            operations.push(PatchOperation { verb, path, value, rule });
        }
        operations
    }

    /// An item that was written and does nothing was meant to do something.
    fn must_do_something(&mut self, before: usize, node: &Node, part: &str) {
        if self.steps.len() == before {
            self.reading.fault(node, &self.field(part), text::STEP_DOES_NOTHING);
        }
    }
}

/// The container that an item names, of whatever sort; without a name those of this reach.
fn containers(item: &Node, reach: Reach) -> Containers {
    match item.get("container").map(Written::word) {
        Some(name) => Containers { name: Some(name), reach: Reach::Every },
        None => Containers { name: None, reach },
    }
}

/// A host with or without a port; a path behind it is a mirror's own.
fn is_registry(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '/' | '[' | ']');
    text.chars().all(plain) && !text.contains("://") && !text.starts_with('/') && !text.ends_with('/')
}

/// Lower-case path components.
fn is_repository(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_');
    text.split('/').all(|part| {
        part.chars().all(plain) && part.starts_with(|c: char| c.is_ascii_alphanumeric()) && !part.is_empty()
    })
}

fn is_tag(text: &str) -> bool {
    let mut chars = text.chars();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.len() <= 128 && chars.next().is_some_and(word) && chars.all(|c| word(c) || matches!(c, '.' | '-'))
}

fn is_digest(text: &str) -> bool {
    let hex = |t: &str, n: usize| t.len() == n && t.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    match text.split_once(':') {
        Some(("sha256", digits)) => hex(digits, 64),
        Some(("sha384", digits)) => hex(digits, 96),
        Some(("sha512", digits)) => hex(digits, 128),
        _ => false,
    }
}
