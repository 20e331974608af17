//! Sharing of repeated texts, label sets, container lists and owners within one cluster.
//!
//! Every lookup is by borrowed parts: nothing is allocated for a value that is already known, so decoding a pod whose
//! siblings are in the cache costs hashing alone.

use std::{
    hash::{BuildHasher, Hash, Hasher},
    sync::Arc,
};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::row::{ContainerSpec, Labels, LastChange, Managed, Owner};
use crate::model::Uid;

/// A container as the decoder sees it, before its texts are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContainerParts<'a> {
    /// Name.
    pub name: &'a str,
    /// Image as written.
    pub image: &'a str,
    /// Digest as the kubelet reports it, empty when unknown.
    pub digest: &'a str,
    /// Init container.
    pub init: bool,
}

/// Interner of one cluster; the cluster's watch tasks share it behind a mutex. Entries that nobody else holds are freed by
/// [`Interner::sweep`], which runs after every list.
#[derive(Debug, Default)]
pub struct Interner {
    hasher: DefaultHashBuilder,
    texts: HashTable<Arc<str>>,
    labels: HashTable<Arc<Labels>>,
    containers: HashTable<Arc<[ContainerSpec]>>,
    owners: HashTable<Arc<Owner>>,
    managed: HashTable<Arc<Managed>>,
    changes: HashTable<Arc<LastChange>>,
}

impl Interner {
    /// The shared copy of a text.
    pub fn text(&mut self, text: &str) -> Arc<str> {
        let hash = self.hasher.hash_one(text);
        if let Some(found) = self.texts.find(hash, |t| &**t == text) {
            return Arc::clone(found);
        }
        let made: Arc<str> = Arc::from(text);
        let hasher = &self.hasher;
        self.texts.insert_unique(hash, Arc::clone(&made), |t| hasher.hash_one(&**t));
        made
    }

    /// The shared copy of a text, `None` for the empty one.
    pub fn optional(&mut self, text: &str) -> Option<Arc<str>> {
        if text.is_empty() { None } else { Some(self.text(text)) }
    }

    /// The shared copy of a label set; sorts it.
    pub fn labels(&mut self, pairs: Vec<(Arc<str>, Arc<str>)>) -> Arc<Labels> {
        let borrowed: Vec<(&str, &str)> = pairs.iter().map(|(k, v)| (&**k, &**v)).collect();
        self.labels_from(&borrowed)
    }

    /// The shared copy of a label set, from borrowed pairs. Sorted pairs (as servers send them) cost no allocation when
    /// the set is known.
    pub fn labels_from(&mut self, pairs: &[(&str, &str)]) -> Arc<Labels> {
        if !pairs.is_sorted() {
            let mut sorted = pairs.to_vec();
            sorted.sort_unstable();
            return self.sorted_labels(&sorted);
        }
        self.sorted_labels(pairs)
    }

    fn sorted_labels(&mut self, pairs: &[(&str, &str)]) -> Arc<Labels> {
        let hash = hash_of(&self.hasher, |h| hash_pairs(pairs.iter().copied(), h));
        let same = |l: &Arc<Labels>| {
            l.len() == pairs.len() && l.iter().zip(pairs).all(|((k, v), (pk, pv))| &**k == *pk && &**v == *pv)
        };
        if let Some(found) = self.labels.find(hash, same) {
            return Arc::clone(found);
        }
        let made: Arc<Labels> = pairs.iter().map(|(k, v)| (self.text(k), self.text(v))).collect();
        let hasher = &self.hasher;
        self.labels.insert_unique(hash, Arc::clone(&made), |l| {
            hash_of(hasher, |h| hash_pairs(l.iter().map(|(k, v)| (&**k, &**v)), h))
        });
        made
    }

    /// The shared copy of a container list.
    pub fn containers(&mut self, list: Vec<ContainerSpec>) -> Arc<[ContainerSpec]> {
        let parts: Vec<ContainerParts<'_>> = list.iter().map(ContainerSpec::parts).collect();
        self.containers_from(&parts)
    }

    /// The shared copy of a container list, from borrowed parts.
    pub fn containers_from(&mut self, parts: &[ContainerParts<'_>]) -> Arc<[ContainerSpec]> {
        let hash = hash_of(&self.hasher, |h| parts.iter().for_each(|p| p.hash(h)));
        let same =
            |l: &Arc<[ContainerSpec]>| l.len() == parts.len() && l.iter().zip(parts).all(|(c, p)| c.parts() == *p);
        if let Some(found) = self.containers.find(hash, same) {
            return Arc::clone(found);
        }
        let made: Arc<[ContainerSpec]> = parts
            .iter()
            .map(|p| ContainerSpec {
                name: self.text(p.name),
                image: self.text(p.image),
                digest: self.text(p.digest),
                init: p.init,
            })
            .collect();
        let hasher = &self.hasher;
        self.containers
            .insert_unique(hash, Arc::clone(&made), |l| hash_of(hasher, |h| l.iter().for_each(|c| c.parts().hash(h))));
        made
    }

    /// The shared copy of an owner.
    pub fn owner(&mut self, owner: Owner) -> Arc<Owner> {
        self.owner_from(&owner.kind, &owner.group, &owner.name, owner.uid)
    }

    /// The shared copy of an owner, from borrowed parts.
    pub fn owner_from(&mut self, kind: &str, group: &str, name: &str, uid: Uid) -> Arc<Owner> {
        let hash = self.hasher.hash_one((kind, group, name, uid));
        let same = |o: &Arc<Owner>| o.uid == uid && &*o.name == name && &*o.kind == kind && &*o.group == group;
        if let Some(found) = self.owners.find(hash, same) {
            return Arc::clone(found);
        }
        let made = Arc::new(Owner { kind: self.text(kind), group: self.text(group), name: self.text(name), uid });
        let hasher = &self.hasher;
        self.owners.insert_unique(hash, Arc::clone(&made), |o| hasher.hash_one((&*o.kind, &*o.group, &*o.name, o.uid)));
        made
    }

    /// The shared copy of an owning system.
    pub fn managed(&mut self, mut value: Managed) -> Arc<Managed> {
        let hash = self.hasher.hash_one(&value);
        if let Some(found) = self.managed.find(hash, |m| **m == value) {
            return Arc::clone(found);
        }
        value.name = self.text(&value.name);
        let made = Arc::new(value);
        let hasher = &self.hasher;
        self.managed.insert_unique(hash, Arc::clone(&made), |m| hasher.hash_one(&**m));
        made
    }

    /// The shared copy of a last change, from borrowed parts.
    pub fn change_from(&mut self, manager: &str, apply: bool, at: crate::model::Secs) -> Arc<LastChange> {
        let hash = self.hasher.hash_one((manager, apply, at));
        let same = |c: &Arc<LastChange>| c.at == at && c.apply == apply && &*c.manager == manager;
        if let Some(found) = self.changes.find(hash, same) {
            return Arc::clone(found);
        }
        let made = Arc::new(LastChange { manager: self.text(manager), apply, at });
        let hasher = &self.hasher;
        self.changes.insert_unique(hash, Arc::clone(&made), |c| hasher.hash_one((&*c.manager, c.apply, c.at)));
        made
    }

    /// Frees what only the interner holds: first what is made of texts, then the texts.
    pub fn sweep(&mut self) {
        self.labels.retain(|l| Arc::strong_count(l) > 1);
        self.containers.retain(|c| Arc::strong_count(c) > 1);
        self.owners.retain(|o| Arc::strong_count(o) > 1);
        self.managed.retain(|m| Arc::strong_count(m) > 1);
        self.changes.retain(|c| Arc::strong_count(c) > 1);
        self.texts.retain(|t| Arc::strong_count(t) > 1);
        self.shrink();
    }

    /// Gives tables back that are mostly empty; a table that is in use keeps its room, so that growth stays cheap.
    fn shrink(&mut self) {
        let hasher = &self.hasher;
        if self.texts.len() * 4 < self.texts.capacity() {
            self.texts.shrink_to_fit(|t| hasher.hash_one(&**t));
        }
        if self.labels.len() * 4 < self.labels.capacity() {
            self.labels.shrink_to_fit(|l| hash_of(hasher, |h| hash_pairs(l.iter().map(|(k, v)| (&**k, &**v)), h)));
        }
        if self.containers.len() * 4 < self.containers.capacity() {
            self.containers.shrink_to_fit(|l| hash_of(hasher, |h| l.iter().for_each(|c| c.parts().hash(h))));
        }
    }

    /// Entries held, for tests and figures: texts, label sets, container lists, owners.
    pub fn sizes(&self) -> (usize, usize, usize, usize) {
        (self.texts.len(), self.labels.len(), self.containers.len(), self.owners.len())
    }
}

impl ContainerSpec {
    /// The borrowed form.
    pub fn parts(&self) -> ContainerParts<'_> {
        ContainerParts { name: &self.name, image: &self.image, digest: &self.digest, init: self.init }
    }
}

fn hash_of<S: BuildHasher>(hasher: &S, feed: impl FnOnce(&mut S::Hasher)) -> u64 {
    let mut state = hasher.build_hasher();
    feed(&mut state);
    state.finish()
}

fn hash_pairs<'a, H: Hasher>(pairs: impl Iterator<Item = (&'a str, &'a str)>, state: &mut H) {
    for (key, value) in pairs {
        key.hash(state);
        value.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_value_and_leave_with_their_last_user() {
        let mut intern = Interner::default();
        let a = intern.labels_from(&[("b", "2"), ("a", "1")]);
        let b = intern.labels_from(&[("a", "1"), ("b", "2")]);
        assert!(Arc::ptr_eq(&a, &b), "order does not matter");
        let parts = [ContainerParts { name: "app", image: "shop/api:1", digest: "", init: false }];
        let c = intern.containers_from(&parts);
        assert!(Arc::ptr_eq(&c, &intern.containers_from(&parts)));
        let o = intern.owner_from("ReplicaSet", "apps", "api-1", Uid(7));
        assert!(Arc::ptr_eq(&o, &intern.owner_from("ReplicaSet", "apps", "api-1", Uid(7))));
        assert!(!Arc::ptr_eq(&o, &intern.owner_from("ReplicaSet", "apps", "api-1", Uid(8))));
        intern.sweep();
        assert_eq!(intern.sizes(), (10, 1, 1, 1), "a b 1 2, app image and the empty digest, three of the owner");
        drop((a, b, c, o));
        intern.sweep();
        assert_eq!(intern.sizes(), (0, 0, 0, 0));
    }
}
