//! OverridePolicy and ClusterOverridePolicy: read as a hub would admit them, each step put where Karmada runs it.

use std::{path::Path, sync::Arc};

use super::{affinity, names};
use crate::{
    desired::{
        object::Object,
        origin::{At, Rule},
        patch::{
            Containers, ImagePart, Operation, OverridePolicy, OverrideRule, OverrideStep, Overrider, PatchOperation,
            Reach, TextForm, Verb,
        },
        policy::{Policies, PolicyId, ResourceSelector, System},
        selector::{Affinity, LabelSelector},
        tree::Node,
    },
    fault::Fault,
    messages::{Msg, patch as msg},
};

/// Largest sum of the keys and values of annotations, in bytes.
const LARGEST_ANNOTATIONS: usize = 256 * 1024;

/// Reads a policy.
///
/// # Errors
///
/// Everything for which admission would refuse it.
pub fn read(object: &Object, at: At, into: &mut Policies) -> Result<(), Vec<Fault>> {
    let key = &object.key;
    let id = PolicyId { kind: key.kind.clone(), namespace: key.namespace.clone(), name: key.name.clone() };
    let mut reader = Reader { id, at, faults: Vec::new() };
    let nothing = Node::default();
    let spec = object.node.get("spec").unwrap_or(&nothing);
    let selectors = reader.selectors(spec);
    let rules = reader.rules(spec);
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let Reader { id, at, .. } = reader;
    into.overrides.push(Arc::new(OverridePolicy { id, at, system: System::Karmada, selectors, rules }));
    Ok(())
}

/// What is known while a policy is read, and what was found wrong.
struct Reader {
    id: PolicyId,
    at: At,
    faults: Vec<Fault>,
}

/// A part of a policy, and the way to it as the policy's user would write it.
#[derive(Clone, Copy)]
struct Part<'a> {
    node: &'a Node,
    way: &'a str,
}

impl Reader {
    fn fault(&mut self, node: &Node, field: &str, msg: Msg, values: &[(&'static str, &str)]) {
        let at = node.origin.at().unwrap_or_else(|| self.at.clone());
        let fault = Fault::new(Path::new(&at.source.file), at.line, field, msg);
        self.faults.push(values.iter().fold(fault, |fault, (place, value)| fault.with(place, value)));
    }

    /// The rule of a part: what changed values will name. `spec.` is not said.
    fn rule(&self, part: Part<'_>) -> Arc<Rule> {
        let PolicyId { kind, namespace, name } = self.id.clone();
        let at = part.node.origin.at().unwrap_or_else(|| self.at.clone());
        let way = part.way.strip_prefix("spec.").unwrap_or(part.way).to_owned();
        Arc::new(Rule { kind, namespace, name, part: way, at })
    }

    fn selectors(&mut self, spec: &Node) -> Vec<ResourceSelector> {
        let mut selectors = Vec::new();
        for (at, node) in spec.items_of("resourceSelectors").iter().enumerate() {
            let way = format!("spec.resourceSelectors[{at}]");
            for key in ["apiVersion", "kind"] {
                if node.str_of(key).is_empty() {
                    self.fault(node, &format!("{way}.{key}"), msg::MISSING, &[]);
                }
            }
            let own = &*self.id.namespace;
            let namespace = Some(node.str_of("namespace")).filter(|n| !n.is_empty()).unwrap_or(own).to_owned();
            if !own.is_empty() && namespace != own {
                let field = format!("{way}.namespace");
                let own = own.to_owned();
                self.fault(node, &field, msg::OTHER_NAMESPACE, &[("namespace", &namespace), ("own", &own)]);
            }
            selectors.push(ResourceSelector {
                api_version: node.str_of("apiVersion").to_owned(),
                kind: node.str_of("kind").to_owned(),
                namespace,
                name: node.str_of("name").to_owned(),
                labels: node.get("labelSelector").map(LabelSelector::read),
            });
        }
        selectors
    }

    /// The rules; without any, the deprecated form is one.
    fn rules(&mut self, spec: &Node) -> Vec<OverrideRule> {
        let old_target = spec.get("targetCluster");
        let old_steps = spec.get("overriders");
        let target = old_target.map(|node| self.target(Part { node, way: "spec.targetCluster" }));
        let Some(list) = spec.get("overrideRules") else {
            return self.one_rule(target, old_steps, "spec.overriders").into_iter().collect();
        };
        if let Some(node) = old_target {
            self.fault(node, "spec.targetCluster", msg::TWO_FORMS, &[]);
        }
        // A fieldOverrider of the old form is not looked at by admission; it is ignored beside rules.
        let said =
            |node: &Node| KINDS.iter().any(|(key, _)| *key != "fieldOverrider" && !node.items_of(key).is_empty());
        if let Some(node) = old_steps.filter(|node| said(node)) {
            self.fault(node, "spec.overriders", msg::TWO_FORMS, &[]);
        }
        let items = list.as_list().unwrap_or_default();
        if items.is_empty() {
            return self.one_rule(target, old_steps, "spec.overriders").into_iter().collect();
        }
        let mut rules = Vec::new();
        for (at, node) in items.iter().enumerate() {
            let way = format!("spec.overrideRules[{at}]");
            let part = |key: &'static str| node.get(key).map(|node| (node, format!("{way}.{key}")));
            let target = part("targetCluster").map(|(node, way)| self.target(Part { node, way: &way }));
            rules.extend(self.one_rule(target, node.get("overriders"), &format!("{way}.overriders")));
        }
        rules
    }

    fn target(&mut self, part: Part<'_>) -> Affinity {
        let (affinity, wrong) = affinity::read(part.node);
        let node = part.node.get("fieldSelector").unwrap_or(part.node);
        for word in wrong {
            self.fault(node, &format!("{}.fieldSelector", part.way), msg::FIELD_SELECTOR, &[("word", &word)]);
        }
        affinity
    }

    fn one_rule(&mut self, target: Option<Affinity>, overriders: Option<&Node>, way: &str) -> Option<OverrideRule> {
        let overriders = overriders?;
        let mut steps = Vec::new();
        for (key, read) in KINDS {
            let mut found = Vec::new();
            for (at, node) in overriders.items_of(key).iter().enumerate() {
                let part = Part { node, way: &format!("{way}.{key}[{at}]") };
                if let Some(overrider) = read(self, part) {
                    found.push(OverrideStep { overrider, rule: self.rule(part) });
                }
            }
            if *key == "plaintext" {
                steps.extend(together(found));
            } else {
                steps.extend(found);
            }
        }
        Some(OverrideRule { target, steps })
    }

    fn operation(&mut self, part: Part<'_>, allowed: &[Operation]) -> Option<Operation> {
        let word = part.node.str_of("operator");
        let operation = match word {
            "add" => Some(Operation::Add),
            "replace" => Some(Operation::Replace),
            "remove" => Some(Operation::Remove),
            _ => None,
        };
        let operation = operation.filter(|o| allowed.contains(o));
        if operation.is_none() {
            let allowed = if allowed.len() == ALL.len() { "add, remove, replace" } else { "add, remove" };
            let field = format!("{}.operator", part.way);
            self.fault(part.node, &field, msg::OPERATOR, &[("word", word), ("allowed", allowed)]);
        }
        operation
    }

    fn text(&mut self, part: Part<'_>, key: &str) -> Option<String> {
        match part.node.get(key) {
            None => Some(String::new()),
            Some(node) => match node.as_str() {
                Some(text) => Some(text.to_owned()),
                None => {
                    self.fault(node, &format!("{}.{key}", part.way), msg::NOT_TEXT, &[]);
                    None
                }
            },
        }
    }

    /// A pointer, which is empty or begins with a slash.
    fn pointer(&mut self, part: Part<'_>, key: &str) -> Option<String> {
        let path = self.text(part, key)?;
        if path.is_empty() || path.starts_with('/') {
            return Some(path);
        }
        self.fault(part.node, &format!("{}.{key}", part.way), msg::NO_POINTER, &[("path", &path)]);
        None
    }

    fn image(&mut self, part: Part<'_>) -> Option<Overrider> {
        let component = match part.node.str_of("component") {
            "Registry" => Some(ImagePart::Registry),
            "Repository" => Some(ImagePart::Repository),
            "Tag" => Some(ImagePart::Tag),
            other => {
                self.fault(part.node, &format!("{}.component", part.way), msg::COMPONENT, &[("word", other)]);
                None
            }
        };
        let operation = self.operation(part, ALL);
        let value = self.text(part, "value");
        let way = format!("{}.predicate", part.way);
        let path = match part.node.get("predicate") {
            Some(node) => Some(self.pointer(Part { node, way: &way }, "path")?),
            None => None,
        };
        let containers = Containers { name: None, reach: Reach::Karmada };
        Some(Overrider::Image { part: component?, operation: operation?, value: value?, path, containers })
    }

    fn words(&mut self, part: Part<'_>, field: &'static str) -> Option<Overrider> {
        let operation = self.operation(part, &[Operation::Add, Operation::Remove]);
        let name = self.text(part, "containerName");
        let mut words = Vec::new();
        for (at, node) in part.node.items_of("value").iter().enumerate() {
            match node.as_str() {
                Some(word) => words.push(word.to_owned()),
                None => self.fault(node, &format!("{}.value[{at}]", part.way), msg::NOT_TEXT, &[]),
            }
        }
        let containers = Containers { name: Some(name?), reach: Reach::Karmada };
        Some(Overrider::Words { field, containers, operation: operation?, words })
    }

    fn marks(&mut self, part: Part<'_>, field: &'static str) -> Option<Overrider> {
        let operation = self.operation(part, ALL);
        let way = format!("{}.value", part.way);
        let mut pairs = Vec::new();
        for (key, node) in part.node.get("value").and_then(Node::as_map).into_iter().flat_map(|m| m.iter()) {
            let Some(value) = node.as_str() else {
                self.fault(node, &format!("{way}[\"{key}\"]"), msg::NOT_TEXT, &[]);
                continue;
            };
            let right = match field {
                "labels" => names::is_qualified(key) && names::is_label_value(value),
                _ => names::is_qualified(&key.to_lowercase()),
            };
            if !right {
                self.fault(node, &format!("{way}[\"{key}\"]"), msg::MARK, &[("key", key), ("value", value)]);
            }
            pairs.push((key.to_string(), value.to_owned()));
        }
        let size: usize = pairs.iter().map(|(key, value)| key.len() + value.len()).sum();
        if field == "annotations" && size > LARGEST_ANNOTATIONS {
            self.fault(part.node, &way, msg::MARKS_TOO_LARGE, &[]);
        }
        Some(Overrider::Marks { field, operation: operation?, pairs })
    }

    fn field(&mut self, part: Part<'_>) -> Option<Overrider> {
        let path = self.pointer(part, "fieldPath");
        let (json, yaml) = (part.node.items_of("json"), part.node.items_of("yaml"));
        let (form, key, items) = match (json.is_empty(), yaml.is_empty()) {
            (false, true) => (TextForm::Json, "json", json),
            (true, false) => (TextForm::Yaml, "yaml", yaml),
            (false, false) => {
                self.fault(part.node, part.way, msg::BOTH_FORMS, &[]);
                return None;
            }
            (true, true) => {
                self.fault(part.node, part.way, msg::NEITHER_FORM, &[]);
                return None;
            }
        };
        let mut operations = Vec::new();
        for (at, node) in items.iter().enumerate() {
            let part = Part { node, way: &format!("{}.{key}[{at}]", part.way) };
            let sub_path = self.pointer(part, "subPath");
            let operation = self.operation(part, ALL);
            let value = node.get("value").cloned();
            let field = format!("{}.value", part.way);
            match (operation, &value) {
                (Some(Operation::Add | Operation::Replace), None) => self.fault(node, &field, msg::VALUE_MISSING, &[]),
                (Some(Operation::Remove), Some(_)) => self.fault(node, &field, msg::VALUE_NEEDLESS, &[]),
                _ => {}
            }
            if let (Some(path), Some(operation)) = (sub_path, operation) {
                operations.push(PatchOperation { verb: verb(operation), path, value, rule: None });
            }
        }
        Some(Overrider::Text { path: path?, form, operations })
    }

    fn plaintext(&mut self, part: Part<'_>) -> Option<Overrider> {
        let path = self.text(part, "path");
        let operation = self.operation(part, ALL);
        let value = part.node.get("value").cloned();
        let rule = Some(self.rule(part));
        Some(Overrider::Json(vec![PatchOperation { verb: verb(operation?), path: path?, value, rule }]))
    }
}

const ALL: &[Operation] = &[Operation::Add, Operation::Remove, Operation::Replace];

/// Reads one item of a kind.
type Read = fn(&mut Reader, Part<'_>) -> Option<Overrider>;

/// The kinds of overriders in the order in which they run, whatever the order of the file.
const KINDS: &[(&str, Read)] = &[
    ("imageOverrider", Reader::image),
    ("commandOverrider", |reader, part| reader.words(part, "command")),
    ("argsOverrider", |reader, part| reader.words(part, "args")),
    ("labelsOverrider", |reader, part| reader.marks(part, "labels")),
    ("annotationsOverrider", |reader, part| reader.marks(part, "annotations")),
    ("fieldOverrider", Reader::field),
    ("plaintext", Reader::plaintext),
];

fn verb(operation: Operation) -> Verb {
    match operation {
        Operation::Add => Verb::Add,
        Operation::Replace => Verb::Replace,
        Operation::Remove => Verb::Remove,
    }
}

/// The plaintext items of a rule are one patch: all or nothing.
fn together(steps: Vec<OverrideStep>) -> Option<OverrideStep> {
    let mut all = Vec::new();
    let mut first = None;
    for step in steps {
        first.get_or_insert(step.rule);
        if let Overrider::Json(operations) = step.overrider {
            all.extend(operations);
        }
    }
    first.map(|rule| OverrideStep { overrider: Overrider::Json(all), rule })
}
