//! The objects of one simulated cluster: tables by resource, one counter of versions, a window of recent changes.
//!
//! Everything here is in memory and under one lock per cluster; nothing waits inside it.

mod removal;

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use crate::sim::{
    clock::{Clock, Rng},
    error::ApiError,
    kinds::{self, Resource, Rid},
    managed,
    object::{self, Meta, Stored},
};

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It was written.
    Modified,
    /// It is gone.
    Deleted,
}

/// One change, as watchers and controllers see it.
#[derive(Clone, Debug)]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// The object after it (for a deletion: its last state, at the version of the deletion).
    pub object: Arc<Stored>,
    /// Labels and fields before it, for selectors that it moved into or out of.
    pub before: Option<Arc<Meta>>,
}

/// Who writes, and how the write is recorded in `managedFields`.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// Field manager.
    pub manager: &'a str,
    /// `status`, `scale` or empty.
    pub subresource: &'a str,
    /// Nothing is kept: the answer shows what would be.
    pub dry_run: bool,
}

impl<'a> Writer<'a> {
    /// Writes of the main resource.
    pub const fn new(manager: &'a str) -> Self {
        Self { manager, subresource: "", dry_run: false }
    }

    /// Writes of the status.
    pub const fn status(manager: &'a str) -> Self {
        Self { manager, subresource: "status", dry_run: false }
    }
}

/// How dependents of a deleted object fare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    /// They are deleted after it.
    #[default]
    Background,
    /// It stays until they are deleted.
    Foreground,
    /// They stay and lose their owner.
    Orphan,
}

/// Options of a deletion.
#[derive(Clone, Debug, Default)]
pub struct DeleteOptions {
    /// Dependents.
    pub propagation: Propagation,
    /// Seconds for pods; `None` = what the pod says.
    pub grace: Option<i64>,
    /// Must match.
    pub uid: Option<String>,
    /// Must match.
    pub resource_version: Option<String>,
    /// Nothing is kept.
    pub dry_run: bool,
}

/// A page of objects and the version of the cluster it was read at.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Objects in the order of their keys.
    pub items: Vec<Arc<Stored>>,
    /// resourceVersion of the list.
    pub version: u64,
}

#[derive(Debug, Default)]
struct Table {
    objects: BTreeMap<Arc<str>, Arc<Stored>>,
    recent: VecDeque<(u64, Arc<Change>)>,
    /// Version of the newest change that was dropped from `recent`.
    floor: u64,
}

#[derive(Debug)]
struct Inner {
    version: u64,
    tables: Vec<Table>,
    /// Objects by the uid of an owner.
    owned: HashMap<Box<str>, Vec<(Rid, Arc<str>)>>,
    feeds: Vec<mpsc::UnboundedSender<Arc<Change>>>,
    rng: Rng,
    /// Watches resume from here at the earliest.
    compacted: u64,
}

/// The objects of one cluster.
#[derive(Debug)]
pub struct ClusterStore {
    /// The fleet's clock.
    pub clock: Clock,
    name: String,
    window: usize,
    kinds: RwLock<Arc<Vec<Arc<Resource>>>>,
    signals: RwLock<Vec<watch::Sender<u64>>>,
    inner: Mutex<Inner>,
}

impl ClusterStore {
    /// An empty store. `window` = changes kept per resource for watches that resume.
    pub fn new(name: &str, seed: u64, clock: Clock, window: usize) -> Arc<Self> {
        let table: Vec<Arc<Resource>> = kinds::table().into_iter().map(Arc::new).collect();
        let inner = Inner {
            version: 1,
            tables: table.iter().map(|_| Table::default()).collect(),
            owned: HashMap::new(),
            feeds: Vec::new(),
            rng: Rng::fork(seed, name),
            compacted: 0,
        };
        Arc::new(Self {
            clock,
            name: name.to_owned(),
            window,
            signals: RwLock::new(table.iter().map(|_| watch::Sender::new(1)).collect()),
            kinds: RwLock::new(Arc::new(table)),
            inner: Mutex::new(inner),
        })
    }

    /// The cluster's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // The tables are changed by whole steps; a panic in a reader leaves nothing half done.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All resources, served or not, by number.
    pub fn resources(&self) -> Arc<Vec<Arc<Resource>>> {
        self.kinds.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// One resource.
    pub fn resource(&self, rid: Rid) -> Arc<Resource> {
        let all = self.resources();
        // Numbers are given out by this store alone and never taken back.
        Arc::clone(&all[rid.index()])
    }

    /// The served resource of that name, in a version it has.
    pub fn served(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        let all = self.resources();
        all.iter()
            .find(|r| r.served && r.group == group && r.plural == plural && r.versions.iter().any(|v| v == version))
            .cloned()
    }

    /// Serves a resource from now on (a definition was created), or stops it.
    pub fn define(&self, mut resource: Resource, served: bool) -> Rid {
        // Same order of locks as everywhere: objects, then kinds, then signals.
        let mut inner = self.lock();
        let mut kinds = self.kinds.write().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Arc<Resource>> = kinds.as_ref().clone();
        resource.served = served;
        let at = all.iter().position(|r| r.group == resource.group && r.plural == resource.plural);
        let at = match at {
            Some(at) => {
                resource.rid = all[at].rid;
                all[at] = Arc::new(resource);
                at
            }
            None => {
                resource.rid = Rid(u16::try_from(all.len()).unwrap_or(u16::MAX));
                all.push(Arc::new(resource));
                self.signals.write().unwrap_or_else(PoisonError::into_inner).push(watch::Sender::new(1));
                inner.tables.push(Table::default());
                all.len() - 1
            }
        };
        let rid = all[at].rid;
        *kinds = Arc::new(all);
        rid
    }

    /// Draws from the cluster's generator.
    pub fn draw<T>(&self, with: impl FnOnce(&mut Rng) -> T) -> T {
        with(&mut self.lock().rng)
    }

    /// The cluster's newest resourceVersion.
    pub fn version(&self) -> u64 {
        self.lock().version
    }

    /// One object.
    pub fn get(&self, rid: Rid, namespace: &str, name: &str) -> Option<Arc<Stored>> {
        self.lock().tables[rid.index()].objects.get(format!("{namespace}/{name}").as_str()).cloned()
    }

    /// One object, parsed.
    pub fn value(&self, rid: Rid, namespace: &str, name: &str) -> Option<Value> {
        self.get(rid, namespace, name).map(|o| o.value(&self.resource(rid)))
    }

    /// All objects of a resource, in one namespace or all.
    pub fn list(&self, rid: Rid, namespace: Option<&str>) -> Listing {
        let inner = self.lock();
        let objects = &inner.tables[rid.index()].objects;
        let items = match namespace {
            None => objects.values().cloned().collect(),
            Some(ns) => {
                let prefix = format!("{ns}/");
                let from: (Bound<&str>, Bound<&str>) = (Bound::Included(prefix.as_str()), Bound::Unbounded);
                objects
                    .range::<str, _>(from)
                    .take_while(|(k, _)| k.starts_with(&prefix))
                    .map(|(_, v)| v.clone())
                    .collect()
            }
        };
        Listing { items, version: inner.version }
    }

    /// All objects of a resource as they were at a version; 410 when the window no longer reaches back that far.
    pub fn list_at(&self, rid: Rid, namespace: Option<&str>, version: u64) -> Result<Listing, ApiError> {
        let expired = || ApiError::expired("The resourceVersion for the provided list is too old.");
        let now = self.list(rid, None);
        let mut objects: BTreeMap<Arc<str>, Arc<Stored>> =
            now.items.into_iter().map(|o| (Arc::clone(&o.key), o)).collect();
        let inner = self.lock();
        let table = &inner.tables[rid.index()];
        if version < table.floor || version < inner.compacted {
            return Err(expired());
        }
        let split = table.recent.partition_point(|(v, _)| *v <= version);
        let mut touched: BTreeMap<&Arc<str>, &Change> = BTreeMap::new();
        for (_, change) in table.recent.iter().skip(split) {
            touched.entry(&change.object.key).or_insert(change);
        }
        for (key, first) in touched {
            objects.remove(key);
            if first.kind == ChangeKind::Added {
                continue;
            }
            // It was there before: its text then is that of its newest change up to the version.
            let earlier = table.recent.iter().take(split).rev().find(|(_, c)| c.object.key == *key);
            let (_, earlier) = earlier.ok_or_else(expired)?;
            objects.insert(Arc::clone(key), Arc::clone(&earlier.object));
        }
        let inside = |o: &Arc<Stored>| namespace.is_none_or(|ns| o.namespace() == ns);
        Ok(Listing { items: objects.into_values().filter(inside).collect(), version })
    }

    /// Number of objects of a resource.
    pub fn count(&self, rid: Rid) -> usize {
        self.lock().tables[rid.index()].objects.len()
    }

    /// Objects that name `uid` as an owner.
    pub fn owned(&self, uid: &str) -> Vec<Arc<Stored>> {
        let inner = self.lock();
        inner.dependents(uid)
    }

    /// Every change from now on, of all resources, in order. Controllers read this.
    pub fn feed(&self) -> mpsc::UnboundedReceiver<Arc<Change>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.lock().feeds.push(sender);
        receiver
    }

    /// Moves when the resource changes; the value is the version of the newest change.
    pub fn signal(&self, rid: Rid) -> watch::Receiver<u64> {
        self.signals.read().unwrap_or_else(PoisonError::into_inner)[rid.index()].subscribe()
    }

    /// Changes of a resource after `version`, at most `most`, and the cluster's newest version at that moment; 410 when
    /// the window no longer reaches back that far.
    pub fn changes(&self, rid: Rid, version: u64, most: usize) -> Result<(Vec<Arc<Change>>, u64), ApiError> {
        let inner = self.lock();
        let table = &inner.tables[rid.index()];
        if version < table.floor {
            return Err(ApiError::expired(format!("too old resource version: {version} ({})", table.floor)));
        }
        let from = table.recent.partition_point(|(v, _)| *v <= version);
        Ok((table.recent.iter().skip(from).take(most).map(|(_, c)| Arc::clone(c)).collect(), inner.version))
    }

    /// Whether a watch can resume from `version`.
    pub fn reaches(&self, rid: Rid, version: u64) -> bool {
        let inner = self.lock();
        version >= inner.tables[rid.index()].floor && version >= inner.compacted
    }

    /// Forgets all history for those who come back: every watch that resumes from an older version gets 410. Open
    /// watches go on, as they do on a real server.
    pub fn compact(&self) {
        let mut inner = self.lock();
        inner.version += 1;
        inner.compacted = inner.version;
    }

    /// Creates an object as a client would: defaults, uid, version, generation, managedFields.
    pub fn create(&self, rid: Rid, object: Value, by: &Writer<'_>) -> Result<Arc<Stored>, ApiError> {
        self.create_with(rid, object, by, false)
    }

    fn create_with(
        &self,
        rid: Rid,
        mut object: Value,
        by: &Writer<'_>,
        tracked: bool,
    ) -> Result<Arc<Stored>, ApiError> {
        let resource = self.resource(rid);
        let mut inner = self.lock();
        inner.identify(&resource, &mut object, &self.clock)?;
        if !tracked {
            managed::track(None, &mut object, &resource, by, &self.clock.stamp());
        }
        // What the server itself gives a new object belongs to nobody.
        crate::sim::defaults::given(&resource, &mut object);
        let key = object::key_of(&object);
        if let Some(held) = inner.tables[rid.index()].objects.get(key.as_str()) {
            return Err(ApiError::already_exists(&resource, held.name()));
        }
        inner.check_namespace(&resource, &object)?;
        Ok(self.commit(&mut inner, rid, object, by.dry_run))
    }

    /// Creates an object whose `managedFields` are already complete (server-side apply).
    pub fn create_applied(&self, rid: Rid, object: Value, by: &Writer<'_>) -> Result<Arc<Stored>, ApiError> {
        self.create_with(rid, object, by, true)
    }

    /// Puts a finished object in as it is: only what is missing of uid, creationTimestamp and resourceVersion is set.
    /// For filling fleets; replaces an object of the same name.
    pub fn load(&self, rid: Rid, mut object: Value) -> Arc<Stored> {
        let mut inner = self.lock();
        inner.stamp(&mut object, &self.clock);
        self.commit(&mut inner, rid, object, false)
    }

    /// Puts a new object in as text, for filling fleets of 100,000 pods: as [`Stored::rest`], with some resourceVersion in
    /// its metadata; labels, fields and owners must be what the text says. `false` when the text carries no version.
    pub fn load_text(&self, rid: Rid, key: &str, uid: Box<str>, meta: Meta, text: &str) -> bool {
        let mut inner = self.lock();
        let version = inner.version + 1;
        let (rest, metadata_end) = (bytes::Bytes::new(), 0);
        let blank = Stored { rid, key: key.into(), version, uid, meta: Arc::new(meta), rest, metadata_end };
        let Some(stored) = object::respliced(&blank, text, version) else { return false };
        inner.version = version;
        self.publish(&mut inner, ChangeKind::Added, Arc::new(stored), None);
        true
    }

    /// Rewrites the text of an object in place, for cheap churn: `edit` gets and gives text as in [`Stored::rest`] and
    /// must leave labels, owners and selectable fields alone. `false` when there is no such object.
    pub fn splice(&self, rid: Rid, namespace: &str, name: &str, edit: impl FnOnce(&str) -> String) -> bool {
        let mut inner = self.lock();
        let Some(old) = inner.tables[rid.index()].objects.get(format!("{namespace}/{name}").as_str()).cloned() else {
            return false;
        };
        let edited = edit(std::str::from_utf8(&old.rest).unwrap_or_default());
        let version = inner.version + 1;
        let Some(new) = object::respliced(&old, &edited, version) else { return false };
        inner.version = version;
        self.publish(&mut inner, ChangeKind::Modified, Arc::new(new), Some(Arc::clone(&old.meta)));
        true
    }

    /// Reads, changes and writes one object under the lock; an unchanged object is not written.
    pub fn modify(
        &self,
        rid: Rid,
        namespace: &str,
        name: &str,
        by: &Writer<'_>,
        change: impl FnOnce(&mut Value) -> Result<(), ApiError>,
    ) -> Result<Arc<Stored>, ApiError> {
        self.modify_with(rid, namespace, name, by, false, change)
    }

    /// The same, but `change` keeps `managedFields` itself (server-side apply).
    pub fn modify_applied(
        &self,
        rid: Rid,
        namespace: &str,
        name: &str,
        by: &Writer<'_>,
        change: impl FnOnce(&mut Value) -> Result<(), ApiError>,
    ) -> Result<Arc<Stored>, ApiError> {
        self.modify_with(rid, namespace, name, by, true, change)
    }

    fn modify_with(
        &self,
        rid: Rid,
        namespace: &str,
        name: &str,
        by: &Writer<'_>,
        tracked: bool,
        change: impl FnOnce(&mut Value) -> Result<(), ApiError>,
    ) -> Result<Arc<Stored>, ApiError> {
        let resource = self.resource(rid);
        let mut inner = self.lock();
        let held = inner.tables[rid.index()].objects.get(format!("{namespace}/{name}").as_str()).cloned();
        let held = held.ok_or_else(|| ApiError::not_found(&resource, name))?;
        let old = held.value(&resource);
        let mut new = old.clone();
        change(&mut new)?;
        self.replace(&mut inner, &resource, &held, (&old, new), by, tracked)
    }

    /// Replaces an object; 409 when it carries a resourceVersion that is no longer the newest.
    pub fn update(&self, rid: Rid, object: Value, by: &Writer<'_>) -> Result<Arc<Stored>, ApiError> {
        let part = |p: &str| object.pointer(p).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (namespace, name) = (part("/metadata/namespace"), part("/metadata/name"));
        self.modify(rid, &namespace, &name, by, |current| {
            *current = object;
            Ok(())
        })
    }

    /// Merges fields into the status (JSON merge patch).
    pub fn patch_status(
        &self,
        rid: Rid,
        namespace: &str,
        name: &str,
        manager: &str,
        status: &Value,
    ) -> Result<Arc<Stored>, ApiError> {
        self.modify(rid, namespace, name, &Writer::status(manager), |object| {
            json_patch::merge(object, &json!({"status": status}));
            Ok(())
        })
    }

    fn replace(
        &self,
        inner: &mut Inner,
        resource: &Resource,
        held: &Stored,
        (old, mut new): (&Value, Value),
        by: &Writer<'_>,
        tracked: bool,
    ) -> Result<Arc<Stored>, ApiError> {
        keep_identity(resource, held, old, &mut new)?;
        // A Deployment's annotations are copied to its ReplicaSets, so they count as its specification.
        let annotated = resource.rid == kinds::DEPLOYMENTS
            && old["metadata"].get("annotations") != new["metadata"].get("annotations");
        let spec_changed = by.subresource != "status" && (annotated || differs(old, &new));
        if resource.generation && spec_changed {
            let generation = old.pointer("/metadata/generation").and_then(Value::as_i64).unwrap_or(0);
            new["metadata"]["generation"] = json!(generation + 1);
        }
        if !tracked {
            managed::track(Some(old), &mut new, resource, by, &self.clock.stamp());
        }
        if *old == new {
            return Ok(Arc::new(held.clone()));
        }
        let finished = new.pointer("/metadata/deletionTimestamp").is_some_and(|t| !t.is_null())
            && managed::finalizers(&new).is_empty()
            && new.pointer("/metadata/deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or(0) == 0
            && !managed::finalizers(old).is_empty();
        let stored = self.commit(inner, held.rid, new, by.dry_run);
        if finished && !by.dry_run {
            return Ok(self.remove(inner, &stored));
        }
        Ok(stored)
    }

    /// Gives the object its new version and keeps it.
    fn commit(&self, inner: &mut Inner, rid: Rid, mut object: Value, dry_run: bool) -> Arc<Stored> {
        let version = inner.version + 1;
        let key: Arc<str> = object::key_of(&object).into();
        let old = inner.tables[rid.index()].objects.get(&key).cloned();
        if !dry_run {
            object["metadata"]["resourceVersion"] = json!(version.to_string());
        } else if old.is_none() {
            managed::unset(&mut object, "resourceVersion");
        }
        let meta = object::meta_of(rid, &object);
        // Most writes leave labels and owners alone: share them with the version before.
        let meta = match &old {
            Some(old) if *old.meta == meta => Arc::clone(&old.meta),
            _ => Arc::new(meta),
        };
        let uid = object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default().into();
        let empty = serde_json::Map::new();
        let (rest, metadata_end) = object::encode(object.as_object().unwrap_or(&empty));
        let key = old.as_ref().map_or(key, |o| Arc::clone(&o.key));
        let stored = Arc::new(Stored { rid, key, version, uid, meta, rest, metadata_end });
        if !dry_run {
            inner.version = version;
            let kind = if old.is_some() { ChangeKind::Modified } else { ChangeKind::Added };
            self.publish(inner, kind, Arc::clone(&stored), old.map(|o| Arc::clone(&o.meta)));
        }
        stored
    }

    fn publish(&self, inner: &mut Inner, kind: ChangeKind, object: Arc<Stored>, before: Option<Arc<Meta>>) {
        let rid = object.rid;
        let version = object.version;
        if kind != ChangeKind::Deleted {
            if before.as_ref().is_none_or(|b| b.owners != object.meta.owners) {
                inner.relink(&object, before.as_deref());
            }
            inner.tables[rid.index()].objects.insert(Arc::clone(&object.key), Arc::clone(&object));
        }
        let change = Arc::new(Change { kind, object, before });
        inner.feeds.retain(|feed| feed.send(Arc::clone(&change)).is_ok());
        let table = &mut inner.tables[rid.index()];
        table.recent.push_back((version, change));
        while table.recent.len() > self.window {
            if let Some((dropped, _)) = table.recent.pop_front() {
                table.floor = dropped;
            }
        }
        let signals = self.signals.read().unwrap_or_else(PoisonError::into_inner);
        signals[rid.index()].send_replace(version);
    }
}

impl Inner {
    fn dependents(&self, uid: &str) -> Vec<Arc<Stored>> {
        let keys = self.owned.get(uid).map(Vec::as_slice).unwrap_or_default();
        keys.iter().filter_map(|(rid, key)| self.tables[rid.index()].objects.get(key).cloned()).collect()
    }

    /// Where an owner lies: its dependents name it, so its kind is one of few; a walk is only made while it is deleted.
    fn by_uid(&self, uid: &str) -> Option<(Rid, Arc<str>)> {
        self.tables
            .iter()
            .flat_map(|t| t.objects.values())
            .find(|o| &*o.uid == uid)
            .map(|o| (o.rid, Arc::clone(&o.key)))
    }

    fn unlink(&mut self, held: &Stored) {
        for owner in &held.meta.owners {
            if let Some(list) = self.owned.get_mut(owner) {
                list.retain(|(rid, key)| *rid != held.rid || *key != held.key);
                if list.is_empty() {
                    self.owned.remove(owner);
                }
            }
        }
    }

    fn relink(&mut self, object: &Stored, before: Option<&Meta>) {
        if let Some(before) = before {
            let old = Stored { meta: Arc::new(before.clone()), ..object.clone() };
            self.unlink(&old);
        }
        for owner in &object.meta.owners {
            self.owned.entry(owner.clone()).or_default().push((object.rid, Arc::clone(&object.key)));
        }
    }

    /// Name, uid, creationTimestamp, generation of a new object.
    fn identify(&mut self, resource: &Resource, object: &mut Value, clock: &Clock) -> Result<(), ApiError> {
        let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
        let metadata = metadata.ok_or_else(|| ApiError::bad_request("the object has no metadata"))?;
        for key in [
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink",
        ] {
            metadata.remove(key);
        }
        let named = metadata.get("name").and_then(Value::as_str).is_some_and(|n| !n.is_empty());
        if !named {
            let Some(prefix) = metadata.get("generateName").and_then(Value::as_str).filter(|p| !p.is_empty()) else {
                let cause = (
                    "FieldValueRequired",
                    "Required value: name or generateName is required".to_owned(),
                    "metadata.name".to_owned(),
                );
                return Err(ApiError::invalid(resource, "", vec![cause]));
            };
            let name = format!("{prefix}{}", self.rng.suffix(5));
            metadata.insert("name".into(), json!(name));
        }
        if resource.generation {
            metadata.insert("generation".into(), json!(1));
        }
        self.stamp(object, clock);
        Ok(())
    }

    fn stamp(&mut self, object: &mut Value, clock: &Clock) {
        let uid = self.rng.uuid();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.entry("uid").or_insert_with(|| json!(uid));
            metadata.entry("creationTimestamp").or_insert_with(|| json!(clock.stamp()));
        }
    }

    fn check_namespace(&self, resource: &Resource, object: &Value) -> Result<(), ApiError> {
        let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
        if !resource.namespaced || resource.group == "metrics.k8s.io" {
            return Ok(());
        }
        let namespaces = &self.tables[kinds::NAMESPACES.index()];
        match namespaces.objects.get(format!("/{namespace}").as_str()) {
            None => {
                let mut error = ApiError::new(404, "NotFound", format!("namespaces \"{namespace}\" not found"));
                error.details = json!({"name": namespace, "kind": "namespaces"});
                Err(error)
            }
            Some(held) if held.meta.fields.iter().any(|(_, v)| &**v == "Terminating") => {
                let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
                let message = format!(
                    "{} \"{name}\" is forbidden: unable to create new content in namespace {namespace} because it is being terminated",
                    resource.qualified()
                );
                Err(ApiError::new(403, "Forbidden", message))
            }
            Some(_) => Ok(()),
        }
    }
}

/// Checks preconditions of an update and puts back what no writer may change.
fn keep_identity(resource: &Resource, held: &Stored, old: &Value, new: &mut Value) -> Result<(), ApiError> {
    let given = |v: &Value, key: &str| {
        v.pointer(&format!("/metadata/{key}")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let version = given(new, "resourceVersion");
    if !version.is_empty() && version != held.version.to_string() {
        return Err(ApiError::modified(resource, held.name()));
    }
    let uid = given(new, "uid");
    if !uid.is_empty() && uid != *held.uid {
        let cause = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {}", held.uid);
        return Err(ApiError::conflict(resource, held.name(), &cause));
    }
    if !new.get("metadata").is_some_and(Value::is_object) {
        return Err(ApiError::bad_request("the object has no metadata"));
    }
    for key in [
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "name",
        "namespace",
        "generateName",
    ] {
        match old["metadata"].get(key) {
            Some(value) => new["metadata"][key] = value.clone(),
            None => managed::unset(new, key),
        }
    }
    Ok(())
}

/// Whether anything but metadata and status differs.
fn differs(old: &Value, new: &Value) -> bool {
    let body = |v: &Value| -> Vec<(String, Value)> {
        let fields = v.as_object().into_iter().flatten();
        fields
            .filter(|(k, _)| !matches!(k.as_str(), "metadata" | "status"))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect()
    };
    body(old) != body(new)
}

#[cfg(test)]
mod tests;
