//! One desired object: its name and its tree.

use std::{fmt, sync::Arc};

use super::tree::Node;

/// What an object is called, whatever cluster it is in.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// `apiVersion` as written, e.g. `apps/v1`.
    pub api_version: Arc<str>,
    /// Kind.
    pub kind: Arc<str>,
    /// Namespace as written; empty where none is (cluster-scoped, or left to the one who applies it).
    pub namespace: Arc<str>,
    /// Name; `generateName` with a `*` behind it where there is no name.
    pub name: Arc<str>,
}

impl ObjectKey {
    /// The key of a manifest; `None` when it has no `apiVersion` or no `kind`. A missing name is empty.
    pub fn of(node: &Node) -> Option<Self> {
        let api_version = node.get("apiVersion")?.as_str()?.into();
        let kind = node.get("kind")?.as_str()?.into();
        let meta = node.get("metadata");
        let word = |key: &str| meta.map(|m| m.str_of(key)).unwrap_or_default();
        let name = match (word("name"), word("generateName")) {
            ("", "") => "".into(),
            ("", generated) => format!("{generated}*").into(),
            (name, _) => name.into(),
        };
        Some(Self { api_version, kind, namespace: word("namespace").into(), name })
    }

    /// API group: what stands before the slash of `apiVersion`; empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }
}

/// `Deployment shop/web`, or `Namespace shop`. Not cleaned for the screen.
impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// A manifest, read and named.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// What it is called.
    pub key: ObjectKey,
    /// The manifest.
    pub node: Node,
}

impl Object {
    /// Names a manifest; `None` as in [`ObjectKey::of`].
    pub fn new(node: Node) -> Option<Self> {
        Some(Self { key: ObjectKey::of(&node)?, node })
    }

    /// A label of the object.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.node.at_keys(&["metadata", "labels"])?.get(key)?.as_str()
    }
}
