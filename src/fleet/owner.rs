//! Which system owns an object: the decision table of specs/peers.md section 10, strongest evidence first.

use super::row::Managed;

/// What an object says of its owners; borrowed from the decoded metadata.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// Labels.
    pub labels: &'a [(&'a str, &'a str)],
    /// Annotations.
    pub annotations: &'a [(&'a str, &'a str)],
    /// ownerReferences: kind, group, name, controller.
    pub owners: &'a [(&'a str, &'a str, &'a str, bool)],
    /// Field managers without subresource, newest last.
    pub managers: &'a [&'a str],
    /// `group/Kind:namespace/name` as an Argo CD tracking id ends, to tell a copied annotation from a real one.
    pub identity: &'a str,
}

/// The owner, and everything else that marked the object; `None` when nothing did.
pub fn managed(_evidence: &Evidence<'_>) -> Option<Managed> {
    None
}
