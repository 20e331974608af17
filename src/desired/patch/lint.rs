//! What override policies say and what does not happen: steps that change nothing, skip what they name, or fail.

use std::sync::Arc;

use super::{
    Containers, Failure, FailureKind, Operation, OverridePolicy, OverrideStep, Overrider, Reach, apply, containers,
    image::Reference, images, json,
};
use crate::{
    desired::{
        cluster::Cluster,
        object::{Object, ObjectKey},
        origin::Rule,
        tree::Node,
    },
    messages::{Lang, Msg, clean_line, patch as msg},
};

/// Why a step does not do what it says.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// It fails, and with it all overrides of the object in that cluster.
    Fails(FailureKind, String),
    /// The policy selects no object.
    NoObject,
    /// The rule is for no cluster.
    NoCluster,
    /// The kind's containers are not looked for.
    Kind,
    /// The object has no containers at all.
    NoPods,
    /// There is no such container.
    Container(String),
    /// The value makes neither a tag nor a digest.
    Tag(String),
    /// The key to replace is not there.
    Key(String),
    /// What is to be removed is not there.
    Gone(String),
    /// It says what is there already.
    Same,
    /// An image loses its digest, because it has a tag too.
    Digest(String),
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: Arc<Rule>,
    /// The object, where it is about one.
    pub object: Option<ObjectKey>,
    /// Why.
    pub why: Why,
}

impl Finding {
    /// The sentence, in a language; foreign text is cleaned.
    pub fn text(&self, lang: Lang) -> String {
        let rule = clean(&self.rule.to_string());
        let object = self.object.as_ref().map(|o| clean(&o.to_string())).unwrap_or_default();
        let fill = |msg: Msg, place: &str, value: &str| {
            msg.fill(lang, &[("rule", &rule), ("object", &object), (place, &clean(value))])
        };
        match &self.why {
            Why::Fails(kind, detail) => {
                let failure = Failure { kind: *kind, rule: self.rule.clone(), detail: detail.clone() };
                fill(msg::LINT_FAILS, "cause", &failure.text(lang))
            }
            Why::NoObject => fill(msg::LINT_NO_OBJECT, "", ""),
            Why::NoCluster => fill(msg::LINT_NO_CLUSTER, "", ""),
            Why::Kind => fill(msg::LINT_KIND, "", ""),
            Why::NoPods => fill(msg::LINT_NO_PODS, "", ""),
            Why::Container(name) => fill(msg::LINT_CONTAINER, "name", name),
            Why::Tag(value) => fill(msg::LINT_TAG, "value", value),
            Why::Key(key) => fill(msg::LINT_KEY, "key", key),
            Why::Gone(key) => fill(msg::LINT_GONE, "key", key),
            Why::Same => fill(msg::LINT_SAME, "", ""),
            Why::Digest(image) => fill(msg::LINT_DIGEST, "image", image),
        }
    }
}

fn clean(text: &str) -> String {
    clean_line(text).into_owned()
}

/// What of a policy does not happen for the objects and clusters given. Objects that it does not select play no part.
pub fn policy(policy: &OverridePolicy, objects: &[Object], clusters: &[Cluster]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let selected: Vec<&Object> = objects.iter().filter(|o| apply::precision(policy, o) > 0).collect();
    if selected.is_empty() {
        findings.push(Finding { rule: whole(policy, String::new()), object: None, why: Why::NoObject });
    }
    for (at, rule) in policy.rules.iter().enumerate() {
        let wanted = rule.target.as_ref().is_none_or(|target| clusters.iter().any(|c| target.matches(c)));
        if !wanted {
            let part = rule.steps.first().map_or_else(|| format!("[{at}]"), |s| head(&s.rule.part));
            findings.push(Finding { rule: whole(policy, part), object: None, why: Why::NoCluster });
        }
    }
    for object in selected {
        findings.extend(idle(policy, object));
    }
    findings
}

/// The rule of a step's part: `overrideRules[1]` of `overrideRules[1].overriders.plaintext[0]`.
fn head(part: &str) -> String {
    part.split('.').next().unwrap_or_default().to_owned()
}

fn whole(policy: &OverridePolicy, part: String) -> Arc<Rule> {
    let id = policy.id.clone();
    Arc::new(Rule { kind: id.kind, namespace: id.namespace, name: id.name, part, at: policy.at.clone() })
}

/// The steps of a policy that change nothing in an object, skip a part of what they say, or fail. Each rule is looked at as if
/// it alone were for a cluster.
pub fn idle(policy: &OverridePolicy, object: &Object) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in &policy.rules {
        let mut now = object.clone();
        for step in &rule.steps {
            let find =
                |rule: &Arc<Rule>, why: Why| Finding { rule: rule.clone(), object: Some(object.key.clone()), why };
            let mut whys = silences(&now.node, &step.overrider);
            let before = now.clone();
            match apply::apply_step(&mut now, step) {
                Ok(()) if whys.is_empty() && now.node == before.node && says_something(step) => whys.push(Why::Same),
                Ok(()) => {}
                Err(failure) => {
                    findings.push(find(&failure.rule, Why::Fails(failure.kind, failure.detail)));
                    whys.clear();
                    now = before;
                }
            }
            findings.extend(whys.into_iter().map(|why| find(&step.rule, why)));
        }
    }
    findings
}

fn says_something(step: &OverrideStep) -> bool {
    match &step.overrider {
        Overrider::Words { words, .. } => !words.is_empty(),
        Overrider::Marks { pairs, .. } => !pairs.is_empty(),
        Overrider::Json(operations) => !operations.is_empty(),
        Overrider::Env { variables, .. } => !variables.is_empty(),
        _ => true,
    }
}

/// What a step says that does not happen, told by its kind.
fn silences(root: &Node, overrider: &Overrider) -> Vec<Why> {
    match overrider {
        Overrider::Image { part, operation, value, path, containers } => {
            let edit = images::Edit { part: *part, operation: *operation, value };
            let found: Vec<String> = match path {
                Some(path) => {
                    json::value_at(root, path).and_then(Node::as_str).into_iter().map(str::to_owned).collect()
                }
                None => images_of(root, containers),
            };
            let mut whys = if path.is_none() { without_containers(root, containers) } else { Vec::new() };
            whys.extend(found.iter().flat_map(|image| image_silence(image, edit)));
            whys
        }
        Overrider::Words { field, containers, operation, words } => {
            let mut whys = without_containers(root, containers);
            if whys.is_empty() && *operation == Operation::Remove {
                let lists: Vec<Vec<&str>> = containers::paths(root, containers)
                    .iter()
                    .filter_map(|path| root.at(path))
                    .map(|c| c.items_of(field).iter().filter_map(Node::as_str).collect())
                    .collect();
                let missing = words.iter().filter(|w| !lists.iter().any(|list| list.contains(&w.as_str())));
                whys.extend(missing.map(|word| Why::Gone(word.clone())));
            }
            whys
        }
        Overrider::Marks { field, operation, pairs } => {
            let held = root.at_keys(&["metadata", field]);
            let missing = pairs.iter().filter(|(key, _)| held.and_then(|m| m.get(key)).is_none());
            match operation {
                Operation::Add => Vec::new(),
                Operation::Replace => missing.map(|(key, _)| Why::Key(key.clone())).collect(),
                Operation::Remove => missing.map(|(key, _)| Why::Gone(key.clone())).collect(),
            }
        }
        Overrider::Env { containers, .. } | Overrider::Resources { containers, .. } => {
            without_containers(root, containers)
        }
        Overrider::Text { .. } | Overrider::Json(_) | Overrider::Merge(_) => Vec::new(),
    }
}

fn without_containers(root: &Node, which: &Containers) -> Vec<Why> {
    if !containers::paths(root, which).is_empty() {
        return Vec::new();
    }
    let why = match (containers::has_pods(root, which.reach), which.reach, &which.name) {
        (false, Reach::Karmada, _) if containers::has_pods(root, Reach::Every) => Why::Kind,
        (true, _, Some(name)) => Why::Container(name.clone()),
        _ => Why::NoPods,
    };
    vec![why]
}

fn images_of(root: &Node, which: &Containers) -> Vec<String> {
    let image = |path: &crate::desired::path::Path| root.at(&path.key("image"))?.as_str().map(str::to_owned);
    containers::paths(root, which).iter().filter_map(image).collect()
}

fn image_silence(image: &str, edit: images::Edit<'_>) -> Vec<Why> {
    let Some(mut reference) = Reference::parse(image) else { return Vec::new() };
    let had_digest = image.contains('@') && !reference.tag.is_empty();
    if !reference.change(edit.part, edit.operation, edit.value) {
        return vec![Why::Tag(edit.value.to_owned())];
    }
    if had_digest { vec![Why::Digest(image.to_owned())] } else { Vec::new() }
}
