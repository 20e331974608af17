//! The override policies of one object, prepared once for all clusters, and their application for one cluster.
//!
//! Order: Karmada's cluster-scoped policies, then those of the object's namespace (matched against the object as the first
//! have left it), then our own. In each of these stages the most precise policy comes last and so has the last word;
//! among equals the later name. The first error ends it: nothing is overridden in that cluster then.

use std::sync::Arc;

use super::{
    Failure, FailureKind, OverridePolicy, OverrideRule, OverrideStep, Overrider, PatchOperation, Verb, embedded, env,
    images, json, marks, merge, words,
};
use crate::desired::{
    cluster::Cluster,
    object::{Object, ObjectKey},
    origin::Rule,
    policy::{Precision, ResourceSelector, System},
    tree::Node,
};

/// The policies that can match one object.
#[derive(Clone, Debug)]
pub struct Prepared {
    object: Object,
    stages: [Vec<Candidate>; 3],
}

/// A policy that can match, and the number of its first rule among those of all candidates.
#[derive(Clone, Debug)]
struct Candidate {
    policy: Arc<OverridePolicy>,
    first_rule: u32,
}

/// In which stage a policy runs.
fn stage(policy: &OverridePolicy) -> usize {
    match policy.system {
        System::Karmada if policy.id.namespace.is_empty() => 0,
        System::Karmada => 1,
        System::Native => 2,
    }
}

/// How precisely a policy names an object; 0 = not at all.
pub fn precision(policy: &OverridePolicy, object: &Object) -> Precision {
    let namespace = &policy.id.namespace;
    if !namespace.is_empty() && *namespace != object.key.namespace {
        return 0;
    }
    if policy.selectors.is_empty() {
        return 1;
    }
    policy.selectors.iter().map(|s| s.precision(object)).max().unwrap_or(0)
}

/// Whether a policy can match the object once its labels have been changed.
fn can_match(policy: &OverridePolicy, object: &Object) -> bool {
    let namespace = &policy.id.namespace;
    if !namespace.is_empty() && *namespace != object.key.namespace {
        return false;
    }
    let regardless_of_labels =
        |selector: &ResourceSelector| ResourceSelector { labels: None, ..selector.clone() }.precision(object) > 0;
    policy.selectors.is_empty() || policy.selectors.iter().any(regardless_of_labels)
}

/// Whether a rule may change what selectors look at besides labels: name, namespace, kind, API version.
fn may_rename(policy: &OverridePolicy) -> bool {
    let of_path = |path: &str| {
        let mut way = path.split('/').skip(1);
        match (way.next(), way.next()) {
            (Some("metadata"), Some("labels" | "annotations")) => false,
            (first, _) => matches!(first, None | Some("metadata" | "kind" | "apiVersion")),
        }
    };
    let of_operation = |operation: &PatchOperation| {
        of_path(&operation.path) || matches!(&operation.verb, Verb::Move(from) if of_path(from))
    };
    policy.rules.iter().flat_map(|r| &r.steps).any(|step| match &step.overrider {
        Overrider::Json(operations) => operations.iter().any(of_operation),
        Overrider::Text { path, .. } => of_path(path),
        Overrider::Image { path: Some(path), .. } => of_path(path),
        Overrider::Merge(patch) => ["metadata", "kind", "apiVersion"].iter().any(|key| patch.get(key).is_some()),
        _ => false,
    })
}

impl Prepared {
    /// Keeps those of the policies that can match the object in some cluster.
    pub fn new(policies: &[Arc<OverridePolicy>], object: &Object) -> Self {
        let mut found: [Vec<&Arc<OverridePolicy>>; 3] = Default::default();
        for policy in policies.iter().filter(|p| !p.rules.is_empty()) {
            found[stage(policy)].push(policy);
        }
        let mut prepared = Self { object: object.clone(), stages: Default::default() };
        let (mut first_rule, mut renamed, mut relabelled) = (0, false, false);
        for (found, kept) in found.into_iter().zip(&mut prepared.stages) {
            for policy in found {
                let matches = match (renamed, relabelled) {
                    (true, _) => true,
                    (_, true) => can_match(policy, object),
                    _ => precision(policy, object) > 0,
                };
                if matches {
                    kept.push(Candidate { policy: policy.clone(), first_rule });
                    first_rule += u32::try_from(policy.rules.len()).unwrap_or(u32::MAX);
                }
            }
            in_order(kept, object);
            relabelled |= !kept.is_empty();
            renamed |= kept.iter().any(|c| may_rename(&c.policy));
        }
        prepared
    }

    /// Whether no policy can match: the object is the same in every cluster.
    pub fn is_empty(&self) -> bool {
        self.stages.iter().all(Vec::is_empty)
    }

    /// Which rules are for a cluster. Where two clusters have equal signatures, the results are equal too.
    pub fn signature(&self, cluster: &Cluster) -> Vec<u32> {
        let mut rules = Vec::new();
        for candidate in self.stages.iter().flatten() {
            let targeted = candidate.policy.rules.iter().zip(candidate.first_rule..);
            rules.extend(targeted.filter(|(rule, _)| is_for(rule, cluster)).map(|(_, number)| number));
        }
        rules
    }

    /// Applies what is for a cluster to the object (as prepared, or with other replicas). Without any rule it is the same
    /// object, shared.
    ///
    /// # Errors
    ///
    /// The first step that fails; nothing of the object is overridden then.
    pub fn apply(&self, object: &Object, cluster: &Cluster) -> Result<Object, Failure> {
        self.run(object, cluster, &mut |_| {})
    }

    /// The rules that apply in a cluster, in order, whether or not they change anything; up to and with the one that fails.
    pub fn touched(&self, cluster: &Cluster) -> Vec<Arc<Rule>> {
        let mut rules = Vec::new();
        let mut note = |step: &OverrideStep| match &step.overrider {
            Overrider::Json(operations) if operations.iter().any(|o| o.rule.is_some()) => {
                rules.extend(operations.iter().map(|o| o.rule.as_ref().unwrap_or(&step.rule).clone()));
            }
            _ => rules.push(step.rule.clone()),
        };
        let _ = self.run(&self.object, cluster, &mut note);
        rules
    }

    fn run(&self, object: &Object, cluster: &Cluster, seen: &mut dyn FnMut(&OverrideStep)) -> Result<Object, Failure> {
        let mut object = object.clone();
        for candidates in &self.stages {
            if candidates.is_empty() {
                continue;
            }
            let mut matching = candidates.clone();
            matching.retain(|c| precision(&c.policy, &object) > 0);
            in_order(&mut matching, &object);
            for candidate in matching {
                let rules = candidate.policy.rules.iter().filter(|rule| is_for(rule, cluster));
                for step in rules.flat_map(|rule| &rule.steps) {
                    seen(step);
                    apply_step(&mut object, step)?;
                }
            }
        }
        Ok(object)
    }
}

fn is_for(rule: &OverrideRule, cluster: &Cluster) -> bool {
    rule.target.as_ref().is_none_or(|target| target.matches(cluster))
}

/// The least precise first, then by name.
fn in_order(candidates: &mut [Candidate], object: &Object) {
    candidates.sort_by_cached_key(|c| (precision(&c.policy, object), c.policy.id.name.clone()));
}

/// Applies one step to an object.
///
/// # Errors
///
/// When it fails; the object may then be half changed where the step is about several containers.
pub fn apply_step(object: &mut Object, step: &OverrideStep) -> Result<(), Failure> {
    let rule = &step.rule;
    let failed = |kind: FailureKind, detail: String| Failure { kind, rule: rule.clone(), detail };
    let root = &mut object.node;
    match &step.overrider {
        Overrider::Image { part, operation, value, path, containers } => {
            let edit = images::Edit { part: *part, operation: *operation, value };
            let done = match path {
                Some(path) => images::at_path(root, path, edit, rule),
                None => images::of_containers(root, containers, edit, rule),
            };
            done.map_err(|(kind, detail)| failed(kind, detail))?;
        }
        Overrider::Words { field, containers, operation, words } => {
            words::apply(root, field, containers, *operation, words, rule)
                .map_err(|detail| failed(FailureKind::JsonPatch, detail))?;
        }
        Overrider::Marks { field, operation, pairs } => marks::apply(root, field, *operation, pairs, rule),
        Overrider::Text { path, form, operations } => {
            embedded::apply(root, path, *form, operations, rule).map_err(|(kind, detail)| failed(kind, detail))?;
        }
        Overrider::Json(operations) => {
            let blamed = |at: usize| operations.get(at).and_then(|o| o.rule.clone()).unwrap_or_else(|| rule.clone());
            json::apply(root, operations, rule).map_err(|misfit| Failure {
                kind: FailureKind::JsonPatch,
                rule: blamed(misfit.operation),
                detail: misfit.path,
            })?;
        }
        Overrider::Merge(patch) => {
            merge::apply(root, patch, rule).map_err(|detail| failed(FailureKind::MergePatch, detail))?;
        }
        Overrider::Env { containers, variables } => {
            env::variables(root, containers, variables, rule)
                .map_err(|detail| failed(FailureKind::MergePatch, detail))?;
        }
        Overrider::Resources { containers, resources } => {
            env::resources(root, containers, resources, rule)
                .map_err(|detail| failed(FailureKind::MergePatch, detail))?;
        }
    }
    rename(object, step)
}

/// What is an object stays one as long as it has a kind, and at most one slash in its API version; all else that names it may
/// change. Karmada's library asks for no more.
fn rename(object: &mut Object, step: &OverrideStep) -> Result<(), Failure> {
    let word = |node: &Node, key: &str, was: &Arc<str>| match node.get(key).and_then(Node::as_str).unwrap_or_default() {
        same if *same == **was => was.clone(),
        other => other.into(),
    };
    let (node, key) = (&object.node, &object.key);
    let nothing = Node::default();
    let metadata = node.get("metadata").unwrap_or(&nothing);
    let named = match (metadata.str_of("name"), metadata.str_of("generateName")) {
        ("", "") => "".into(),
        ("", generated) => format!("{generated}*").into(),
        _ => word(metadata, "name", &key.name),
    };
    let renamed = ObjectKey {
        api_version: word(node, "apiVersion", &key.api_version),
        kind: word(node, "kind", &key.kind),
        namespace: word(metadata, "namespace", &key.namespace),
        name: named,
    };
    if renamed.kind.is_empty() || renamed.api_version.matches('/').count() > 1 {
        let kind = match step.overrider {
            Overrider::Merge(_) => FailureKind::MergePatch,
            _ => FailureKind::JsonPatch,
        };
        return Err(Failure { kind, rule: step.rule.clone(), detail: "kind".to_owned() });
    }
    object.key = renamed;
    Ok(())
}
