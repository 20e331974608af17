//! OverridePolicy and ClusterOverridePolicy: read as a hub would admit them, each step put where Karmada runs it.

use std::sync::Arc;

use super::{
    affinity,
    override_shape::SPEC,
    shape::{Faults, Form, must},
};
use crate::{
    desired::{
        object::Object,
        origin::{At, Rule},
        patch::{
            Containers, ImagePart, Operation, OverridePolicy, OverrideRule, OverrideStep, Overrider, PatchOperation,
            Reach, TextForm, Verb,
        },
        policy::{Policies, PolicyId, ResourceSelector, System},
        selector::{Affinity, LabelSelector, is_label_key, is_label_value},
        tree::Node,
    },
    fault::Fault,
    messages::{Msg, patch as msg, policy as text},
};

/// Largest sum of the keys and values of annotations, in bytes.
const LARGEST_ANNOTATIONS: usize = 256 * 1024;

/// Reads a policy.
///
/// # Errors
///
/// Everything for which admission would refuse it.
pub fn read(object: &Object, at: At, into: &mut Policies) -> Result<(), Vec<Fault>> {
    let mut faults = Faults::new(at.clone());
    faults.check(&object.node, "", &[must("spec", Form::Map(SPEC))]);
    let Some(spec) = object.node.get("spec").filter(|_| faults.is_empty()) else { return faults.done() };
    let key = &object.key;
    let namespace = if &*key.kind == "OverridePolicy" { key.namespace.clone() } else { "".into() };
    let id = PolicyId { kind: key.kind.clone(), namespace, name: key.name.clone() };
    let mut reading = Reading { id, at, faults };
    let selectors = reading.selectors(spec);
    let rules = reading.rules(spec);
    let Reading { id, at, faults } = reading;
    faults.done()?;
    into.overrides.push(Arc::new(OverridePolicy { id, at, system: System::Karmada, selectors, rules }));
    Ok(())
}

/// What is known while a policy is read, and what was found wrong.
struct Reading {
    id: PolicyId,
    at: At,
    faults: Faults,
}

/// A part of a policy, and the way to it as it is written.
#[derive(Clone, Copy)]
struct Part<'a> {
    node: &'a Node,
    way: &'a str,
}

impl Reading {
    fn fault(&mut self, node: &Node, field: impl Into<String>, msg: Msg, values: &[(&'static str, &str)]) {
        let fault = self.faults.at(Some(node), field, msg);
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
        let own = self.id.namespace.clone();
        let mut selectors = Vec::new();
        for (at, node) in spec.items_of("resourceSelectors").iter().enumerate() {
            let namespace = Some(node.str_of("namespace")).filter(|n| !n.is_empty()).unwrap_or(&own);
            if !own.is_empty() && *namespace != *own {
                let node = node.get("namespace").unwrap_or(node);
                let field = format!("spec.resourceSelectors[{at}].namespace");
                self.fault(node, field, msg::OTHER_NAMESPACE, &[("namespace", namespace), ("own", &own)]);
            }
            selectors.push(ResourceSelector {
                api_version: node.str_of("apiVersion").to_owned(),
                kind: node.str_of("kind").to_owned(),
                namespace: namespace.to_owned(),
                name: node.str_of("name").to_owned(),
                labels: node.get("labelSelector").map(LabelSelector::read),
            });
        }
        selectors
    }

    /// The rules; without any, the deprecated form is one.
    fn rules(&mut self, spec: &Node) -> Vec<OverrideRule> {
        let old = spec.get("overriders");
        let target = spec.get("targetCluster").map(|node| self.target(Part { node, way: "spec.targetCluster" }));
        if let Some(list) = spec.get("overrideRules") {
            self.only_one_form(spec);
            let items = list.as_list().unwrap_or_default();
            if !items.is_empty() {
                return items.iter().enumerate().filter_map(|(at, node)| self.listed_rule(at, node)).collect();
            }
        }
        let steps = old.map(|node| self.steps(Part { node, way: "spec.overriders" }));
        steps.map(|steps| OverrideRule { target, steps }).into_iter().collect()
    }

    /// A list of rules, even an empty one, and the deprecated form exclude each other. A fieldOverrider of that form is not
    /// looked at by admission, and ignored beside rules.
    fn only_one_form(&mut self, spec: &Node) {
        let said =
            |node: &&Node| KINDS.iter().any(|(key, _)| *key != "fieldOverrider" && !node.items_of(key).is_empty());
        let old = [("targetCluster", spec.get("targetCluster")), ("overriders", spec.get("overriders").filter(said))];
        for (key, node) in old {
            if let Some(node) = node {
                self.fault(node, format!("spec.{key}"), msg::TWO_FORMS, &[]);
            }
        }
    }

    fn listed_rule(&mut self, at: usize, node: &Node) -> Option<OverrideRule> {
        let way = |key: &str| format!("spec.overrideRules[{at}].{key}");
        let target = node.get("targetCluster").map(|node| self.target(Part { node, way: &way("targetCluster") }));
        let steps = self.steps(Part { node: node.get("overriders")?, way: &way("overriders") });
        Some(OverrideRule { target, steps })
    }

    fn target(&mut self, part: Part<'_>) -> Affinity {
        let (affinity, wrong) = affinity::read(part.node);
        let node = part.node.get("fieldSelector").unwrap_or(part.node);
        for word in wrong {
            self.fault(node, format!("{}.fieldSelector", part.way), text::FIELD_SELECTOR, &[("word", &word)]);
        }
        affinity
    }

    fn steps(&mut self, overriders: Part<'_>) -> Vec<OverrideStep> {
        let mut steps = Vec::new();
        for (key, read) in KINDS {
            let mut found = Vec::new();
            for (at, node) in overriders.node.items_of(key).iter().enumerate() {
                let part = Part { node, way: &format!("{}.{key}[{at}]", overriders.way) };
                let overrider = read(self, part);
                found.push(OverrideStep { overrider, rule: self.rule(part) });
            }
            match *key {
                "plaintext" => steps.extend(together(found)),
                _ => steps.extend(found),
            }
        }
        steps
    }

    /// A pointer, which is empty or begins with a slash.
    fn pointer(&mut self, part: Part<'_>, key: &str) -> String {
        let path = part.node.str_of(key).to_owned();
        if !path.is_empty() && !path.starts_with('/') {
            let node = part.node.get(key).unwrap_or(part.node);
            self.fault(node, format!("{}.{key}", part.way), msg::NO_POINTER, &[("path", &path)]);
        }
        path
    }

    fn image(&mut self, part: Part<'_>) -> Overrider {
        let image_part = match part.node.str_of("component") {
            "Registry" => ImagePart::Registry,
            "Repository" => ImagePart::Repository,
            _ => ImagePart::Tag,
        };
        let way = format!("{}.predicate", part.way);
        let path = part.node.get("predicate").map(|node| self.pointer(Part { node, way: &way }, "path"));
        Overrider::Image {
            part: image_part,
            operation: operation(part.node),
            value: part.node.str_of("value").to_owned(),
            path,
            containers: Containers { name: None, reach: Reach::Karmada },
        }
    }

    fn marks(&mut self, part: Part<'_>, field: &'static str) -> Overrider {
        let way = format!("{}.value", part.way);
        let mut pairs = Vec::new();
        for (key, node) in part.node.get("value").and_then(Node::as_map).into_iter().flat_map(|m| m.iter()) {
            let value = node.as_str().unwrap_or_default();
            let right = match field {
                "labels" => is_label_key(key) && is_label_value(value),
                _ => is_label_key(&key.to_lowercase()),
            };
            if !right {
                let way = format!("{way}[\"{key}\"]");
                self.fault(node, way, msg::MARK, &[("key", key), ("value", value)]);
            }
            pairs.push((key.to_string(), value.to_owned()));
        }
        let size: usize = pairs.iter().map(|(key, value)| key.len() + value.len()).sum();
        if field == "annotations" && size > LARGEST_ANNOTATIONS {
            self.fault(part.node, way, msg::MARKS_TOO_LARGE, &[]);
        }
        Overrider::Marks { field, operation: operation(part.node), pairs }
    }

    fn field(&mut self, part: Part<'_>) -> Overrider {
        let path = self.pointer(part, "fieldPath");
        let (json, yaml) = (part.node.items_of("json"), part.node.items_of("yaml"));
        match (json.is_empty(), yaml.is_empty()) {
            (false, false) => self.fault(part.node, part.way, msg::BOTH_FORMS, &[]),
            (true, true) => self.fault(part.node, part.way, msg::NEITHER_FORM, &[]),
            _ => {}
        }
        let (form, key, items) = match yaml.is_empty() {
            true => (TextForm::Json, "json", json),
            false => (TextForm::Yaml, "yaml", yaml),
        };
        let way = |at: usize| format!("{}.{key}[{at}]", part.way);
        let items = items.iter().enumerate();
        let operations = items.map(|(at, node)| self.operation_in_text(Part { node, way: &way(at) })).collect();
        Overrider::Text { path, form, operations }
    }

    fn operation_in_text(&mut self, part: Part<'_>) -> PatchOperation {
        let path = self.pointer(part, "subPath");
        let operation = operation(part.node);
        let value = part.node.get("value").cloned();
        let field = format!("{}.value", part.way);
        match (operation, &value) {
            (Operation::Add | Operation::Replace, None) => self.fault(part.node, field, msg::VALUE_MISSING, &[]),
            (Operation::Remove, Some(node)) => self.fault(node, field, msg::VALUE_NEEDLESS, &[]),
            _ => {}
        }
        PatchOperation { verb: verb(operation), path, value, rule: None }
    }

    fn plaintext(&mut self, part: Part<'_>) -> Overrider {
        let path = part.node.str_of("path").to_owned();
        let value = part.node.get("value").cloned();
        let rule = Some(self.rule(part));
        Overrider::Json(vec![PatchOperation { verb: verb(operation(part.node)), path, value, rule }])
    }
}

fn words(part: Part<'_>, field: &'static str) -> Overrider {
    let containers = Containers { name: Some(part.node.str_of("containerName").to_owned()), reach: Reach::Karmada };
    let words = part.node.items_of("value").iter().filter_map(Node::as_str).map(str::to_owned).collect();
    Overrider::Words { field, containers, operation: operation(part.node), words }
}

/// Reads one item of a kind.
type Read = fn(&mut Reading, Part<'_>) -> Overrider;

/// The kinds of overriders in the order in which they run, whatever the order of the file.
const KINDS: &[(&str, Read)] = &[
    ("imageOverrider", Reading::image),
    ("commandOverrider", |_, part| words(part, "command")),
    ("argsOverrider", |_, part| words(part, "args")),
    ("labelsOverrider", |reading, part| reading.marks(part, "labels")),
    ("annotationsOverrider", |reading, part| reading.marks(part, "annotations")),
    ("fieldOverrider", Reading::field),
    ("plaintext", Reading::plaintext),
];

/// The operator of an item; the words were checked before.
fn operation(node: &Node) -> Operation {
    match node.str_of("operator") {
        "add" => Operation::Add,
        "replace" => Operation::Replace,
        _ => Operation::Remove,
    }
}

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
