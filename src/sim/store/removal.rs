//! Deleting: marks, dependents, namespaces, and what goes when the last thing that held it is gone.

use std::{ops::Bound, sync::Arc};

use serde_json::Value;

use super::{ChangeKind, ClusterStore, DeleteOptions, Inner, Propagation, Table};
use crate::sim::{
    delete,
    error::ApiError,
    kinds::{self, Rid},
    managed,
    object::{self, Stored},
};

impl ClusterStore {
    /// Deletes an object, or marks it when finalizers, a grace period or dependents hold it. Gives its last state and
    /// whether it is gone.
    pub fn delete(
        &self,
        rid: Rid,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<(Arc<Stored>, bool), ApiError> {
        let resource = self.resource(rid);
        let mut inner = self.lock();
        let held = inner.tables[rid.index()].objects.get(format!("{namespace}/{name}").as_str()).cloned();
        let held = held.ok_or_else(|| ApiError::not_found(&resource, name))?;
        delete::check(&resource, &held, options)?;
        let object = held.value(&resource);
        let dependents = inner.dependents(&held.uid);
        let marked = delete::mark(&object, rid, options, !dependents.is_empty(), &self.clock);
        if options.dry_run {
            return Ok((held, marked.is_none()));
        }
        let outcome = match marked {
            Some(marked) => (self.commit(&mut inner, rid, marked, false), false),
            None => (self.remove(&mut inner, &held), true),
        };
        if rid == kinds::NAMESPACES {
            self.empty_namespace(&mut inner, name);
        } else {
            self.settle_dependents(&mut inner, &held, &dependents, options);
        }
        Ok(outcome)
    }

    fn settle_dependents(
        &self,
        inner: &mut Inner,
        owner: &Stored,
        dependents: &[Arc<Stored>],
        options: &DeleteOptions,
    ) {
        for dependent in dependents {
            if options.propagation == Propagation::Orphan {
                let resource = self.resource(dependent.rid);
                let mut object = dependent.value(&resource);
                delete::disown(&mut object, &owner.uid);
                self.commit(inner, dependent.rid, object, false);
            } else {
                self.collect(inner, dependent, options.propagation);
            }
        }
    }

    /// Deletes an object on behalf of the garbage collector.
    fn collect(&self, inner: &mut Inner, stored: &Arc<Stored>, propagation: Propagation) {
        let Some(held) = inner.tables[stored.rid.index()].objects.get(&stored.key).cloned() else { return };
        let resource = self.resource(held.rid);
        let object = held.value(&resource);
        let options = DeleteOptions { propagation, ..DeleteOptions::default() };
        let dependents = inner.dependents(&held.uid);
        if object.pointer("/metadata/deletionTimestamp").is_none_or(Value::is_null) {
            match delete::mark(&object, held.rid, &options, !dependents.is_empty(), &self.clock) {
                Some(marked) => {
                    self.commit(inner, held.rid, marked, false);
                }
                None => {
                    self.remove(inner, &held);
                }
            }
        }
        for dependent in dependents {
            self.collect(inner, &dependent, propagation);
        }
    }

    /// Takes a pod or a marked object away for good, as a kubelet does when its containers have ended.
    pub fn finish(&self, rid: Rid, namespace: &str, name: &str) -> bool {
        let mut inner = self.lock();
        let held = inner.tables[rid.index()].objects.get(format!("{namespace}/{name}").as_str()).cloned();
        match held {
            Some(held) => {
                self.remove(&mut inner, &held);
                true
            }
            None => false,
        }
    }

    /// Removes an object, and whatever waited for it: owners in foreground deletion, its namespace.
    pub(super) fn remove(&self, inner: &mut Inner, held: &Arc<Stored>) -> Arc<Stored> {
        let gone = self.take_out(inner, held);
        for owner in &held.meta.owners {
            self.release_owner(inner, owner);
        }
        if !held.namespace().is_empty() {
            self.finish_namespace(inner, held.namespace());
        }
        gone
    }

    fn take_out(&self, inner: &mut Inner, held: &Arc<Stored>) -> Arc<Stored> {
        inner.version += 1;
        inner.unlink(held);
        inner.tables[held.rid.index()].objects.remove(&held.key);
        let rest = std::str::from_utf8(&held.rest).unwrap_or_default();
        let gone = object::respliced(held, rest, inner.version).unwrap_or_else(|| held.as_ref().clone());
        let gone = Arc::new(gone);
        self.publish(inner, ChangeKind::Deleted, Arc::clone(&gone), Some(Arc::clone(&held.meta)));
        gone
    }

    fn release_owner(&self, inner: &mut Inner, uid: &str) {
        if !inner.dependents(uid).is_empty() {
            return;
        }
        let Some((rid, key)) = inner.by_uid(uid) else { return };
        let Some(owner) = inner.tables[rid.index()].objects.get(&key).cloned() else { return };
        let mut object = owner.value(&self.resource(rid));
        if delete::release(&mut object) {
            if managed::finalizers(&object).is_empty() {
                self.remove(inner, &owner);
            } else {
                self.commit(inner, rid, object, false);
            }
        }
    }

    fn empty_namespace(&self, inner: &mut Inner, namespace: &str) {
        let prefix = format!("{namespace}/");
        let inside: Vec<Arc<Stored>> = inner
            .tables
            .iter()
            .flat_map(|t| {
                t.objects
                    .range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded))
                    .take_while(|(k, _)| k.starts_with(&prefix))
            })
            .map(|(_, v)| Arc::clone(v))
            .collect();
        for object in inside {
            self.collect(inner, &object, Propagation::Background);
        }
        self.finish_namespace(inner, namespace);
    }

    fn finish_namespace(&self, inner: &mut Inner, namespace: &str) {
        let Some(held) = inner.tables[kinds::NAMESPACES.index()].objects.get(format!("/{namespace}").as_str()).cloned()
        else {
            return;
        };
        let terminating = held.meta.fields.iter().any(|(k, v)| *k == "status.phase" && &**v == "Terminating");
        let prefix = format!("{namespace}/");
        let empty = |t: &Table| {
            let range: (Bound<&str>, Bound<&str>) = (Bound::Included(prefix.as_str()), Bound::Unbounded);
            t.objects.range::<str, _>(range).next().is_none_or(|(k, _)| !k.starts_with(&prefix))
        };
        if terminating && inner.tables.iter().all(empty) {
            self.take_out(inner, &held);
        }
    }
}
