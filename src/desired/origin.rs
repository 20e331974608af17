//! Who put a value where it is: the place it was written at, and each rule that changed it since.

use std::{fmt, sync::Arc};

use super::tree::Node;

/// What kind of file a place lies in; the words of the JSON output are those of [`SourceKind::word`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A manifest as it was written.
    #[default]
    Manifest,
    /// A kustomization file.
    Kustomization,
    /// A patch, or another file that a kustomization names.
    KustomizePatch,
    /// A template of a Helm chart.
    Template,
    /// A values file of a Helm chart.
    Values,
    /// A policy: a placement or an override.
    Policy,
    /// A situation file.
    Situation,
    /// An object of a hub cluster's API; `file` is `CLUSTER kind/namespace/name`.
    Hub,
    /// The tool that rendered it put it there by itself; no file says so.
    Tool,
}

impl SourceKind {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Manifest => "manifest",
            Self::Kustomization => "kustomization",
            Self::KustomizePatch => "kustomize-patch",
            Self::Template => "helm-template",
            Self::Values => "helm-values",
            Self::Policy => "policy",
            Self::Situation => "situation",
            Self::Hub => "hub",
            Self::Tool => "tool",
        }
    }
}

/// A file that values come from. Shared by all of its values.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// What it is.
    pub kind: SourceKind,
    /// File as the user would name it: relative to the fleet file's folder (or the root of the git tree) where it lies below it.
    pub file: String,
    /// Git revision (full commit id) the file was read at; empty = the work tree as it is.
    pub revision: String,
}

impl Source {
    /// A file of the work tree.
    pub fn new(kind: SourceKind, file: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { kind, file: file.into(), revision: String::new() })
    }
}

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The file.
    pub source: Arc<Source>,
    /// Line, counted from 1; 0 = the file as a whole.
    pub line: u32,
}

/// `file:line`, with ` @ revision` (12 digits) where there is one. Not cleaned for the screen.
impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        match self.source.revision.get(..12).unwrap_or(&self.source.revision) {
            "" => Ok(()),
            short => write!(f, " @ {short}"),
        }
    }
}

/// One rule of a policy (or a patch): what may change a value after it was written. Shared by all values it changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// Kind of the policy: `OverridePolicy`, `ClusterOverridePolicy`, `PropagationPolicy`, `Policy` (our own) ...
    pub kind: Arc<str>,
    /// Namespace of the policy; empty for cluster-scoped ones and for our own.
    pub namespace: Arc<str>,
    /// Name of the policy.
    pub name: Arc<str>,
    /// Where in the policy: `overrideRules[1].overriders.imageOverrider[0]`, `placement`.
    pub part: String,
    /// Its file and line.
    pub at: At,
}

/// `OverridePolicy shop/web overrideRules[0].overriders.plaintext[1]`. Not cleaned for the screen.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)?;
        if self.part.is_empty() { Ok(()) } else { write!(f, " {}", self.part) }
    }
}

/// What a change did.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Put a value where there was none.
    Created,
    /// Put a value in the place of this one.
    Replaced(Node),
    /// Took this member (a key, or an index written as a number) out of the map or list that bears the change.
    Removed(Arc<str>, Node),
}

/// One change of a value after it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The rule that made it.
    pub rule: Arc<Rule>,
    /// What it did.
    pub act: Act,
    /// The origin of the *container* before it, for [`Act::Removed`]; unknown for the others (a replaced value has its own).
    pub before: Origin,
}

/// Who set a value last.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Origin {
    /// Nobody knows: made by hand in a test, or by a tool that does not say.
    #[default]
    Unknown,
    /// Written at this line.
    At(Arc<Source>, u32),
    /// Changed by a rule.
    Changed(Arc<Change>),
}

impl Origin {
    /// The place of the last writer: the line in the file, or the line of the rule.
    pub fn at(&self) -> Option<At> {
        match self {
            Self::Unknown => None,
            Self::At(source, line) => Some(At { source: source.clone(), line: *line }),
            Self::Changed(change) => Some(change.rule.at.clone()),
        }
    }

    /// Whether it was written in a source of this kind, and nothing changed it since.
    pub fn is_of(&self, kind: SourceKind) -> bool {
        matches!(self, Self::At(source, _) if source.kind == kind)
    }

    /// The changes, newest first, then the place where the first value was written, if there was one.
    pub fn history(&self) -> (Vec<&Change>, Option<At>) {
        let (mut changes, mut at) = (Vec::new(), self);
        while let Self::Changed(change) = at {
            changes.push(&**change);
            at = match &change.act {
                Act::Created => return (changes, None),
                Act::Replaced(old) => &old.origin,
                Act::Removed(..) => &change.before,
            };
        }
        (changes, at.at())
    }
}
