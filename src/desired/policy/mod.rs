//! Policies: who goes where, and what differs there. One reader per system translates its own YAML into these words; a
//! peer is one more file here.

pub mod dependencies;
pub mod karmada;
pub mod native;
pub mod ownership;
pub mod select;

use std::sync::Arc;

use super::{object::Object, origin::At, patch::OverridePolicy, place::Placement, selector::LabelSelector};
use crate::fault::Fault;

/// Which system a policy belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum System {
    /// Our own policies.
    Native,
    /// Karmada.
    Karmada,
}

impl System {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Native => "quarterdeck",
            Self::Karmada => "karmada",
        }
    }
}

/// What a policy is called.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyId {
    /// Kind, e.g. `PropagationPolicy`.
    pub kind: Arc<str>,
    /// Namespace, empty for cluster-scoped ones.
    pub namespace: Arc<str>,
    /// Name.
    pub name: Arc<str>,
}

/// `PropagationPolicy shop/web`. Not cleaned for the screen.
impl std::fmt::Display for PolicyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// Which objects a policy is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceSelector {
    /// `apiVersion`; empty = any (our own policies only).
    pub api_version: String,
    /// Kind; empty = any (our own policies only).
    pub kind: String,
    /// Namespace; empty = any.
    pub namespace: String,
    /// Name; empty = any. Where it is given, labels are ignored.
    pub name: String,
    /// Labels; `None` = any.
    pub labels: Option<LabelSelector>,
}

/// How exactly a selector names an object: 0 = not at all, 1 = by kind, 2 = by labels, 3 = by name.
pub type Precision = u8;

impl ResourceSelector {
    /// How exactly it names the object (specs: Karmada's rules of selection).
    pub fn precision(&self, object: &Object) -> Precision {
        let fits = |wanted: &str, is: &str| wanted.is_empty() || wanted == is;
        let key = &object.key;
        if !(fits(&self.api_version, &key.api_version)
            && fits(&self.kind, &key.kind)
            && fits(&self.namespace, &key.namespace))
        {
            return 0;
        }
        if !self.name.is_empty() {
            return if *self.name == *key.name { 3 } else { 0 };
        }
        match &self.labels {
            Some(labels) if labels.matches(|key| object.label(key)) => 2,
            Some(_) => 0,
            None => 1,
        }
    }
}

/// A policy that says who goes where.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementPolicy {
    /// What it is called.
    pub id: PolicyId,
    /// Where it stands.
    pub at: At,
    /// Where it says how replicas are dealt out; its placement, or the policy, where it does not.
    pub placement_at: At,
    /// Whose it is.
    pub system: System,
    /// What it is about; an empty list matches nothing.
    pub selectors: Vec<ResourceSelector>,
    /// Higher wins; 0 where none is given.
    pub priority: i64,
    /// It may take over what another policy owns (`preemption: Always`).
    pub preempts: bool,
    /// Being deleted: it matches nothing.
    pub deleting: bool,
    /// Override policies that must exist before anything is propagated.
    pub dependent_overrides: Vec<String>,
    /// What the objects refer to follows them (`propagateDeps`).
    pub propagate_deps: bool,
    /// Clusters to which nothing is handed over for now; `None` = none of them is suspended, empty = all are.
    pub suspended: Option<Vec<Arc<str>>>,
    /// Who goes where.
    pub placement: Arc<Placement>,
}

/// Everything that was read from policy files.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// Placements.
    pub placements: Vec<Arc<PlacementPolicy>>,
    /// Overrides.
    pub overrides: Vec<Arc<OverridePolicy>>,
}

/// Reads the policies of one system.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Whose policies.
    pub system: System,
    /// Whether a document is one of its policies, by `apiVersion` and kind.
    pub knows: fn(&str, &str) -> bool,
    /// Reads one document: its defaults filled in, its rules of validation applied.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, never empty.
    pub read: fn(&Object, At, &mut Policies) -> Result<(), Vec<Fault>>,
}

/// The readers, in the order in which they are asked.
pub const READERS: &[Reader] = &[native::READER, karmada::READER];

impl Policies {
    /// Reads a document if it is a policy of any system; `None` when it is none.
    pub fn read(&mut self, object: &Object) -> Option<Result<(), Vec<Fault>>> {
        let reader = READERS.iter().find(|r| (r.knows)(&object.key.api_version, &object.key.kind))?;
        let at = object.node.origin.at().unwrap_or_else(|| At { source: Arc::default(), line: 0 });
        Some((reader.read)(object, at, self))
    }
}
