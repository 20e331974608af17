//! Which workloads make up which service, kept up to date row by row; cells and summaries are made anew only where
//! something was touched, and only when somebody looks.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::BuildHasher,
    sync::Arc,
};

use compact_str::CompactString;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::{
    RowRef,
    cell::{self, top_owner},
    matrix::{Cell, Difference, KeyRule, ServiceId, ServiceKey, ServiceSummary, Wanted},
    row::{ConfigRef, Detail, Row, WorkloadRow},
    service::{Keys, ServiceRules, namespace_keys},
    store::Shard,
    summary::{self, Baseline},
    tally::{PART_OF, is_top},
};
use crate::model::{Builtin, ClusterId};

/// One service and its cells.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) key: ServiceKey,
    pub(super) cells: BTreeMap<ClusterId, Slot>,
    pub(super) baseline: Baseline,
    /// Business system, of the main workload of the first cluster that names one; empty when none does.
    pub(super) system: Arc<str>,
}

/// One cell: its workloads and, once somebody looked, what they come to.
#[derive(Debug, Default)]
pub(super) struct Slot {
    pub(super) members: Vec<RowRef>,
    pub(super) cell: Option<Cell>,
}

/// Where a workload belongs, and what it reads.
#[derive(Debug)]
struct Membership {
    service: ServiceId,
    rule: KeyRule,
}

/// The join of workloads to services.
#[derive(Debug, Default)]
pub(super) struct Services {
    keys: Keys,
    hasher: DefaultHashBuilder,
    by_key: HashTable<ServiceId>,
    /// By number; numbers are not used again.
    services: Vec<Option<Box<Service>>>,
    members: HashMap<RowRef, Membership>,
    /// Workloads by what they read: hash of namespace, kind and name. Two names of one hash only cost a needless look.
    readers: HashMap<u64, Vec<RowRef>>,
    /// Cells that must be made anew.
    touched: BTreeSet<(ServiceId, ClusterId)>,
    /// Summaries in the order of their names.
    summaries: Vec<ServiceSummary>,
    wanted: Option<Arc<dyn Wanted>>,
}

impl Services {
    pub(super) fn new(rules: ServiceRules) -> Self {
        Self { keys: Keys::new(rules), ..Self::default() }
    }

    /// Takes one changed row in: `old` is what was there, `new` what is there now.
    pub(super) fn changed(&mut self, shard: &Shard, at: RowRef, old: Option<&Row>, new: Option<&Row>) {
        match at.kind.builtin() {
            Some(Builtin::Pod) => self.pod_changed(shard, at.cluster, old, new),
            Some(Builtin::ConfigMap) => self.config_changed(at, false, old, new),
            Some(Builtin::Secret) => self.config_changed(at, true, old, new),
            Some(Builtin::Namespace) => self.namespace_changed(shard, at.cluster, old, new),
            Some(kind) if Builtin::WORKLOADS.contains(&kind) => self.workload_changed(shard, at, old, new),
            _ => {}
        }
    }

    fn workload_changed(&mut self, shard: &Shard, at: RowRef, old: Option<&Row>, new: Option<&Row>) {
        let (before, after) = (refs(old), refs(new));
        if before != after || old.is_some() != new.is_some() {
            self.change_readers(at, old, before, false);
            self.change_readers(at, new, after, true);
        }
        match new.filter(|row| is_top(at.kind, row)) {
            Some(row) => self.join(shard, at, row),
            None => self.leave(at),
        }
        // A ReplicaSet or Job tells what its owner is rolling from.
        for row in [old, new].into_iter().flatten().filter(|row| !is_top(at.kind, row)) {
            self.touch_owner(shard, at.cluster, row);
        }
    }

    fn join(&mut self, shard: &Shard, at: RowRef, row: &Row) {
        let Some(w) = row.workload() else { return };
        let namespaces = shard.table(Builtin::Namespace.id());
        let namespace = namespaces.and_then(|t| t.get(t.find("", row.ns())?));
        let (key, rule) = self.keys.of(row, w, namespace);
        let service = self.id_of(key);
        if let Some(known) = self.members.get_mut(&at).filter(|m| m.service == service) {
            known.rule = rule;
        } else {
            self.leave(at);
            self.members.insert(at, Membership { service, rule });
            if let Some(s) = self.get_mut(service) {
                s.cells.entry(at.cluster).or_default().members.push(at);
            }
        }
        self.touched.insert((service, at.cluster));
    }

    fn leave(&mut self, at: RowRef) {
        let Some(Membership { service, .. }) = self.members.remove(&at) else { return };
        if let Some(s) = self.get_mut(service)
            && let Some(slot) = s.cells.get_mut(&at.cluster)
        {
            slot.members.retain(|m| *m != at);
        }
        self.touched.insert((service, at.cluster));
    }

    fn pod_changed(&mut self, shard: &Shard, cluster: ClusterId, old: Option<&Row>, new: Option<&Row>) {
        let containers = |row: Option<&Row>| row.and_then(Row::pod).map(|p| Arc::clone(&p.containers));
        let owner = |row: Option<&Row>| row.and_then(|r| r.owner.as_ref()).map(|o| o.uid);
        // Only what a cell shows of its pods counts: the images and digests, not readiness (the workload says that).
        if containers(old) == containers(new) && owner(old) == owner(new) {
            return;
        }
        for row in [old, new].into_iter().flatten() {
            self.touch_owner(shard, cluster, row);
        }
    }

    fn touch_owner(&mut self, shard: &Shard, cluster: ClusterId, row: &Row) {
        if let Some(member) = top_owner(shard, cluster, row).and_then(|top| self.members.get(&top)) {
            self.touched.insert((member.service, cluster));
        }
    }

    fn config_changed(&mut self, at: RowRef, secret: bool, old: Option<&Row>, new: Option<&Row>) {
        let fingerprint = |row: Option<&Row>| match row.map(|r| &r.detail) {
            Some(Detail::Config(c)) => Some(c.fingerprint),
            _ => None,
        };
        let Some(row) = new.or(old).filter(|_| fingerprint(old) != fingerprint(new)) else { return };
        let hash = self.hasher.hash_one((at.cluster, row.ns(), secret, row.name.as_str()));
        let readers = self.readers.get(&hash).map_or(&[][..], Vec::as_slice);
        for reader in readers {
            if let Some(member) = self.members.get(reader) {
                self.touched.insert((member.service, reader.cluster));
            }
        }
    }

    fn change_readers(&mut self, at: RowRef, row: Option<&Row>, refs: &[ConfigRef], more: bool) {
        let Some(row) = row.filter(|r| is_top(at.kind, r)) else { return };
        for reference in refs {
            let hash = self.hasher.hash_one((at.cluster, row.ns(), reference.secret, &*reference.name));
            let readers = self.readers.entry(hash).or_default();
            if more {
                readers.push(at);
                continue;
            }
            readers.retain(|r| *r != at);
            if readers.is_empty() {
                self.readers.remove(&hash);
            }
        }
    }

    /// A namespace that gives other keys than before: its workloads are looked at again. This happens when a person
    /// changes the ledger, not in the course of events.
    fn namespace_changed(&mut self, shard: &Shard, cluster: ClusterId, old: Option<&Row>, new: Option<&Row>) {
        if namespace_keys(old) == namespace_keys(new) {
            return;
        }
        let Some(name) = new.or(old).map(|r| r.name.clone()) else { return };
        for kind in Builtin::WORKLOADS {
            for (slot, row) in shard.table(kind.id()).into_iter().flat_map(super::table::Table::iter) {
                if row.ns() == name && is_top(kind.id(), row) {
                    self.join(shard, RowRef { cluster, kind: kind.id(), slot }, row);
                }
            }
        }
    }

    /// Forgets a cluster.
    pub(super) fn drop_cluster(&mut self, cluster: ClusterId) {
        self.members.retain(|at, _| at.cluster != cluster);
        self.readers.retain(|_, readers| {
            readers.retain(|r| r.cluster != cluster);
            !readers.is_empty()
        });
        for (n, service) in self.services.iter_mut().enumerate() {
            if let Some(slot) = service.as_mut().and_then(|s| s.cells.get_mut(&cluster)) {
                slot.members.clear();
                self.touched.insert((id(n), cluster));
            }
        }
    }

    fn id_of(&mut self, key: ServiceKey) -> ServiceId {
        let hash = self.hasher.hash_one(&key);
        let services = &self.services;
        let same = |n: &ServiceId| services.get(index(*n)).and_then(Option::as_ref).is_some_and(|s| s.key == key);
        if let Some(found) = self.by_key.find(hash, same) {
            return *found;
        }
        let made = id(self.services.len());
        self.services.push(Some(Box::new(Service {
            key,
            cells: BTreeMap::new(),
            baseline: Baseline::default(),
            system: Arc::from(""),
        })));
        let (services, hasher) = (&self.services, &self.hasher);
        self.by_key.insert_unique(hash, made, |n| {
            services.get(index(*n)).and_then(Option::as_ref).map_or(0, |s| hasher.hash_one(&s.key))
        });
        made
    }

    pub(super) fn get(&self, service: ServiceId) -> Option<&Service> {
        self.services.get(index(service))?.as_deref()
    }

    fn get_mut(&mut self, service: ServiceId) -> Option<&mut Service> {
        self.services.get_mut(index(service))?.as_deref_mut()
    }

    /// The version wanted of a service in a cluster, and the place that says so.
    pub(super) fn wanted(&self, key: &ServiceKey, cluster: ClusterId) -> Option<(CompactString, String)> {
        let wanted = self.wanted.as_ref()?;
        Some((wanted.version(key, cluster)?, wanted.place(key, cluster).unwrap_or_default()))
    }

    pub(super) fn set_wanted(&mut self, wanted: Option<Arc<dyn Wanted>>) {
        self.wanted = wanted;
        // Every cell's difference may be another one now; the cells themselves stay.
        for (n, service) in self.services.iter().enumerate() {
            if let Some(cluster) = service.as_ref().and_then(|s| s.cells.keys().next()) {
                self.touched.insert((id(n), *cluster));
            }
        }
    }

    /// Makes anew what was touched and gives all summaries in the order of their names.
    pub(super) fn flush(&mut self, shards: &[Shard]) -> &[ServiceSummary] {
        if self.touched.is_empty() {
            return &self.summaries;
        }
        let touched = std::mem::take(&mut self.touched);
        let mut dirty: Vec<ServiceId> = Vec::new();
        for (service, cluster) in touched {
            if dirty.last() != Some(&service) {
                dirty.push(service);
            }
            self.make_cell(shards, service, cluster);
        }
        self.renew(shards, &dirty);
        &self.summaries
    }

    fn make_cell(&mut self, shards: &[Shard], service: ServiceId, cluster: ClusterId) {
        let Some(s) = self.get_mut(service) else { return };
        let (name, strict) = (Arc::clone(&s.key.name), s.key.namespace.is_none());
        let Some(slot) = s.cells.get_mut(&cluster) else { return };
        slot.cell = shards.get(cluster.index()).and_then(|shard| cell::cell(shard, &slot.members, &name, strict));
        if slot.members.is_empty() {
            s.cells.remove(&cluster);
        }
    }

    /// Makes the summaries of these services (in the order of their numbers) anew; services without cells are gone.
    fn renew(&mut self, shards: &[Shard], dirty: &[ServiceId]) {
        let mut fresh: Vec<ServiceSummary> = Vec::with_capacity(dirty.len());
        for service in dirty {
            match self.summarise(shards, *service) {
                Some(summary) => fresh.push(summary),
                None => self.forget(*service),
            }
        }
        let in_place = fresh.len() == dirty.len()
            && fresh.iter().all(|s| self.summaries.binary_search_by(|o| summary::by_name(o, s)).is_ok());
        if in_place {
            for summary in fresh {
                if let Ok(at) = self.summaries.binary_search_by(|o| summary::by_name(o, &summary)) {
                    self.summaries[at] = summary;
                }
            }
            return;
        }
        self.summaries.retain(|s| dirty.binary_search(&s.id).is_err());
        self.summaries.append(&mut fresh);
        self.summaries.sort_by(summary::by_name);
    }

    fn summarise(&mut self, shards: &[Shard], service: ServiceId) -> Option<ServiceSummary> {
        let s = self.get(service)?;
        let mains = || s.cells.values().filter_map(|slot| slot.cell.as_ref()).map(|cell| cell.main);
        let rule = mains().find_map(|at| self.rule_of(at))?;
        let row = |at: RowRef| shards.get(at.cluster.index())?.table(at.kind)?.get(at.slot);
        let system = mains().filter_map(row).map(system_of).find(|system| !system.is_empty());
        let baseline = Baseline::of(s.cells.values().filter_map(|slot| slot.cell.as_ref()));
        let s = self.get_mut(service)?;
        s.baseline = baseline;
        s.system = system.unwrap_or_else(|| Arc::from(""));
        let s = self.get(service)?;
        Some(summary::summary(service, s, rule, self.wanted.as_deref(), self.is_system(s)))
    }

    fn is_system(&self, service: &Service) -> bool {
        service.key.namespace.as_deref().is_some_and(|namespace| self.keys.is_system(namespace))
    }

    fn forget(&mut self, service: ServiceId) {
        let Some(key) = self.get(service).map(|s| s.key.clone()) else { return };
        if let Ok(entry) = self.by_key.find_entry(self.hasher.hash_one(&key), |n| *n == service) {
            entry.remove();
        }
        if let Some(slot) = self.services.get_mut(index(service)) {
            *slot = None;
        }
    }

    /// One cell as it is now, whether or not somebody looked at it before.
    pub(super) fn cell(&self, shards: &[Shard], service: ServiceId, cluster: ClusterId) -> Option<Cell> {
        let s = self.get(service)?;
        let slot = s.cells.get(&cluster)?;
        let mut cell = if self.touched.contains(&(service, cluster)) {
            cell::cell(shards.get(cluster.index())?, &slot.members, &s.key.name, s.key.namespace.is_none())?
        } else {
            slot.cell.clone()?
        };
        cell.differs = self.difference(s, cluster, &cell);
        Some(cell)
    }

    fn difference(&self, service: &Service, cluster: ClusterId, cell: &Cell) -> Difference {
        let wanted: Option<CompactString> = self.wanted.as_ref().and_then(|w| w.version(&service.key, cluster));
        service.baseline.difference(cell, wanted.as_deref())
    }

    /// The service that a workload belongs to.
    pub(super) fn of_workload(&self, at: RowRef) -> Option<ServiceId> {
        self.members.get(&at).map(|m| m.service)
    }

    /// Rule by which a workload came to its service.
    pub(super) fn rule_of(&self, at: RowRef) -> Option<KeyRule> {
        self.members.get(&at).map(|m| m.rule)
    }
}

/// Business system of a workload, empty when it names none.
pub(super) fn system_of(row: &Row) -> Arc<str> {
    let on = |labels: &super::row::Labels| labels.iter().find(|(k, _)| &**k == PART_OF).map(|(_, v)| Arc::clone(v));
    row.workload().and_then(|w| on(&w.template_labels)).or_else(|| on(&row.labels)).unwrap_or_else(|| Arc::from(""))
}

fn refs(row: Option<&Row>) -> &[ConfigRef] {
    row.and_then(Row::workload).map_or(&[], |w: &WorkloadRow| &w.refs)
}

fn id(n: usize) -> ServiceId {
    ServiceId(u32::try_from(n).unwrap_or(u32::MAX))
}

fn index(service: ServiceId) -> usize {
    service.0 as usize
}
