//! Overrides: what differs in a cluster. Pure: an object and rules in, the changed object out, each change with its rule.

pub mod apply;
pub mod containers;
pub mod embedded;
pub mod env;
pub mod image;
pub mod images;
pub mod json;
pub mod json_text;
pub mod lint;
pub mod marks;
pub mod merge;
pub mod words;
pub mod yaml_text;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::{
    origin::{At, Rule},
    policy::{PolicyId, ResourceSelector, System},
    selector::Affinity,
    tree::Node,
};
use crate::messages::{Lang, clean_line, patch as msg};

/// A policy that says what differs in some clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct OverridePolicy {
    /// What it is called. A cluster-scoped one (empty namespace) runs before those of a namespace.
    pub id: PolicyId,
    /// Where it stands.
    pub at: At,
    /// Whose it is.
    pub system: System,
    /// What it is about; an empty list matches everything.
    pub selectors: Vec<ResourceSelector>,
    /// Its rules, in order.
    pub rules: Vec<OverrideRule>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct OverrideRule {
    /// In which clusters; `None` = in all.
    pub target: Option<Affinity>,
    /// What it does, in the order in which it is done (which is not always the order of the file).
    pub steps: Vec<OverrideStep>,
}

/// One thing that a rule does.
#[derive(Clone, Debug, PartialEq)]
pub struct OverrideStep {
    /// What.
    pub overrider: Overrider,
    /// Who says so: what the changed values will name.
    pub rule: Arc<Rule>,
}

/// Add, replace or remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Add.
    Add,
    /// Replace.
    Replace,
    /// Remove.
    Remove,
}

/// Part of an image reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImagePart {
    /// Registry.
    Registry,
    /// Repository.
    Repository,
    /// Tag, or digest.
    Tag,
}

/// What an operation of a JSON patch does. Karmada's policies know the first three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Put a value into a map or a list.
    Add,
    /// Put a value in the place of another.
    Replace,
    /// Take a value out.
    Remove,
    /// Fail unless the value is this one.
    Test,
    /// Take the value at this pointer out and put it in.
    Move(String),
    /// Put in a copy of the value at this pointer.
    Copy(String),
}

/// One operation of a JSON patch.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchOperation {
    /// What.
    pub verb: Verb,
    /// JSON pointer.
    pub path: String,
    /// Value, for add, replace and test; `None` = null.
    pub value: Option<Node>,
    /// Who says so, where each operation is an item of its own; `None` = the rule of the step.
    pub rule: Option<Arc<Rule>>,
}

/// How far an override of containers reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The regular containers of the kinds that Karmada knows: Pod, Deployment, ReplicaSet, StatefulSet, DaemonSet, Job.
    Karmada,
    /// The regular containers of every kind that holds a pod.
    Regular,
    /// Regular and init containers of every kind that holds a pod.
    Every,
}

/// The containers that an override is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Containers {
    /// Name; `None` = all of them.
    pub name: Option<String>,
    /// Which ones are looked at.
    pub reach: Reach,
}

/// How a text inside an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// What can be done to an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Overrider {
    /// Part of an image, of all containers or at one path.
    Image {
        /// Which part.
        part: ImagePart,
        /// What is done to it.
        operation: Operation,
        /// With this.
        value: String,
        /// JSON pointer to one image; `None` = the images of `containers`.
        path: Option<String>,
        /// Whose images, where there is no path.
        containers: Containers,
    },
    /// The command or the arguments of a container.
    Words {
        /// `command` or `args`.
        field: &'static str,
        /// Which containers.
        containers: Containers,
        /// Add (at the end), remove (every equal one), replace (all of them; our own policies only).
        operation: Operation,
        /// The words.
        words: Vec<String>,
    },
    /// Labels or annotations of the object.
    Marks {
        /// `labels` or `annotations`.
        field: &'static str,
        /// What is done.
        operation: Operation,
        /// Keys and values.
        pairs: Vec<(String, String)>,
    },
    /// A structured text inside the object.
    Text {
        /// JSON pointer to the text.
        path: String,
        /// How it is written.
        form: TextForm,
        /// What is done to it, all or nothing.
        operations: Vec<PatchOperation>,
    },
    /// A JSON patch, all or nothing.
    Json(Vec<PatchOperation>),
    /// A strategic merge patch (our own policies only).
    Merge(Node),
    /// Variables of containers (our own policies only).
    Env {
        /// Which containers.
        containers: Containers,
        /// Variables by name: a text, or a map (`{value: ...}`, `{valueFrom: ...}`); `None` takes the variable out.
        variables: Vec<(String, Option<Node>)>,
    },
    /// Requests and limits of containers (our own policies only), merged into what is there; `null` takes one out.
    Resources {
        /// Which containers.
        containers: Containers,
        /// `{requests: {...}, limits: {...}}`.
        resources: Node,
    },
}

/// Why an override could not be applied; the words of situation files are those of [`FailureKind::word`].
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// The rule that failed.
    pub rule: Arc<Rule>,
    /// The path or text it failed at, not cleaned.
    pub detail: String,
}

impl Failure {
    /// What failed and where, in one sentence; foreign text is cleaned.
    pub fn text(&self, lang: Lang) -> String {
        let text = match self.kind {
            FailureKind::ImageParse => msg::FAILED_IMAGE,
            FailureKind::PredicatePath => msg::FAILED_PREDICATE,
            FailureKind::FieldPath => msg::FAILED_FIELD,
            FailureKind::FieldNotString => msg::FAILED_NOT_TEXT,
            FailureKind::JsonPatch => msg::FAILED_JSON,
            FailureKind::MergePatch => msg::FAILED_MERGE,
        };
        let rule = self.rule.to_string();
        text.fill(lang, &[("rule", &clean_line(&rule)), ("detail", &clean_line(&self.detail))])
    }
}

impl Failure {
    /// That it failed, by which rule and where, and what becomes of the object. Foreign text in it is not cleaned.
    pub fn outcome(&self, lang: Lang) -> String {
        let (rule, at) = (self.rule.to_string(), self.rule.at.to_string());
        let values = [("rule", rule.as_str()), ("kind", self.kind.word()), ("at", &at), ("detail", &self.detail)];
        crate::messages::desired::OVERRIDE_FAILED.fill(lang, &values)
    }
}

/// Kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// An image reference does not parse.
    ImageParse,
    /// A predicate's path leads nowhere, or to no text.
    PredicatePath,
    /// A field's path leads nowhere.
    FieldPath,
    /// A field is no text.
    FieldNotString,
    /// A JSON patch, or the text it is for, is broken or does not fit.
    JsonPatch,
    /// A strategic merge patch does not fit.
    MergePatch,
}

impl FailureKind {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::ImageParse => "image-parse",
            Self::PredicatePath => "predicate-path",
            Self::FieldPath => "field-path",
            Self::FieldNotString => "field-not-string",
            Self::JsonPatch => "json-patch",
            Self::MergePatch => "merge-patch",
        }
    }
}
