//! The form in which rows are written to disk: what rows share is written once and named by number.

use std::{collections::HashMap, sync::Arc};

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::{
    intern::{ContainerParts, Interner},
    row::{
        ConfigRef, ContainerSpec, Detail, Labels, LastChange, Managed, NodeRow, Owner, Phase, PodRow, Progress, Row,
        WorkloadRow,
    },
};
use crate::model::{Health, KindId, Millis, Secs, Uid};

/// Rows of several kinds with what they share.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    texts: Vec<&'a str>,
    labels: Vec<Vec<(u32, u32)>>,
    containers: Vec<Vec<WireContainer>>,
    owners: Vec<WireOwner>,
    managed: Vec<Managed>,
    changes: Vec<(u32, bool, Secs)>,
    kinds: Vec<(KindId, Millis, Vec<WireRow>)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireContainer {
    name: u32,
    image: u32,
    digest: u32,
    init: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireOwner {
    kind: u32,
    group: u32,
    name: u32,
    uid: Uid,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireRow {
    name: CompactString,
    namespace: Option<u32>,
    uid: Uid,
    version: u64,
    created: Secs,
    deleting: Secs,
    health: Health,
    labels: u32,
    owner: Option<u32>,
    detail: WireDetail,
}

#[derive(Debug, Serialize, Deserialize)]
enum WireDetail {
    Pod(Box<WirePod>),
    Workload(Box<WireWorkload>),
    Plain(Detail),
}

#[derive(Debug, Serialize, Deserialize)]
struct WirePod {
    node: u32,
    containers: u32,
    phase: Phase,
    is_ready: bool,
    ready: (u8, u8),
    restarts: u32,
    restarted: Secs,
    reason: Option<u32>,
    note: Option<Box<str>>,
    cpu_m: u32,
    mem: u64,
    ip: Option<CompactString>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireWorkload {
    containers: u32,
    template_labels: u32,
    wanted: Option<u32>,
    counts: [u32; 4],
    generation: u64,
    observed: u64,
    progress: Progress,
    revision: Option<u32>,
    reason: Option<u32>,
    note: Option<Box<str>>,
    refs: Vec<(bool, u32)>,
    service: Option<u32>,
    managed: Option<u32>,
    changed: Option<u32>,
    schedule: Option<u32>,
    last_run: Secs,
    suspended: bool,
}

/// Gathers rows into a part. Shared values are told apart by their address: they live as long as the store is borrowed.
#[derive(Debug, Default)]
pub(super) struct Writer<'a> {
    part: Part<'a>,
    texts: HashMap<&'a str, u32>,
    seen: HashMap<usize, u32>,
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl<'a> Writer<'a> {
    /// Adds the rows of one kind.
    pub(super) fn kind(&mut self, kind: KindId, at: Millis, rows: impl Iterator<Item = &'a Row>) {
        let rows: Vec<WireRow> = rows.map(|row| self.row(row)).collect();
        if !rows.is_empty() {
            self.part.kinds.push((kind, at, rows));
        }
    }

    pub(super) fn finish(self) -> Part<'a> {
        self.part
    }

    fn text(&mut self, text: &'a str) -> u32 {
        let texts = &mut self.part.texts;
        *self.texts.entry(text).or_insert_with(|| {
            texts.push(text);
            number(texts.len() - 1)
        })
    }

    fn optional(&mut self, text: Option<&'a Arc<str>>) -> Option<u32> {
        text.map(|t| self.text(t))
    }

    fn labels(&mut self, labels: &'a Arc<Labels>) -> u32 {
        let address = Arc::as_ptr(labels).cast::<u8>() as usize;
        if let Some(known) = self.seen.get(&address) {
            return *known;
        }
        let pairs = labels.iter().map(|(k, v)| (self.text(k), self.text(v))).collect();
        self.part.labels.push(pairs);
        let made = number(self.part.labels.len() - 1);
        self.seen.insert(address, made);
        made
    }

    fn containers(&mut self, list: &'a Arc<[ContainerSpec]>) -> u32 {
        let address = Arc::as_ptr(list).cast::<u8>() as usize;
        if let Some(known) = self.seen.get(&address) {
            return *known;
        }
        let list = list
            .iter()
            .map(|c| WireContainer {
                name: self.text(&c.name),
                image: self.text(&c.image),
                digest: self.text(&c.digest),
                init: c.init,
            })
            .collect();
        self.part.containers.push(list);
        let made = number(self.part.containers.len() - 1);
        self.seen.insert(address, made);
        made
    }

    fn owner(&mut self, owner: &'a Arc<Owner>) -> u32 {
        let address = Arc::as_ptr(owner) as usize;
        if let Some(known) = self.seen.get(&address) {
            return *known;
        }
        let wire = WireOwner {
            kind: self.text(&owner.kind),
            group: self.text(&owner.group),
            name: self.text(&owner.name),
            uid: owner.uid,
        };
        self.part.owners.push(wire);
        let made = number(self.part.owners.len() - 1);
        self.seen.insert(address, made);
        made
    }

    fn managed(&mut self, managed: &'a Arc<Managed>) -> u32 {
        let address = Arc::as_ptr(managed) as usize;
        let all = &mut self.part.managed;
        *self.seen.entry(address).or_insert_with(|| {
            all.push((**managed).clone());
            number(all.len() - 1)
        })
    }

    fn change(&mut self, change: &'a Arc<LastChange>) -> u32 {
        let address = Arc::as_ptr(change) as usize;
        if let Some(known) = self.seen.get(&address) {
            return *known;
        }
        let manager = self.text(&change.manager);
        self.part.changes.push((manager, change.apply, change.at));
        let made = number(self.part.changes.len() - 1);
        self.seen.insert(address, made);
        made
    }

    fn row(&mut self, row: &'a Row) -> WireRow {
        let detail = match &row.detail {
            Detail::Pod(pod) => WireDetail::Pod(Box::new(self.pod(pod))),
            Detail::Workload(w) => WireDetail::Workload(Box::new(self.workload(w))),
            plain => WireDetail::Plain(plain.clone()),
        };
        WireRow {
            name: row.name.clone(),
            namespace: self.optional(row.namespace.as_ref()),
            uid: row.uid,
            version: row.version,
            created: row.created,
            deleting: row.deleting,
            health: row.health,
            labels: self.labels(&row.labels),
            owner: row.owner.as_ref().map(|o| self.owner(o)),
            detail,
        }
    }

    fn pod(&mut self, p: &'a PodRow) -> WirePod {
        WirePod {
            node: self.text(&p.node),
            containers: self.containers(&p.containers),
            phase: p.phase,
            is_ready: p.is_ready,
            ready: p.ready,
            restarts: p.restarts,
            restarted: p.restarted,
            reason: self.optional(p.reason.as_ref()),
            note: p.note.clone(),
            cpu_m: p.cpu_m,
            mem: p.mem,
            ip: p.ip.clone(),
        }
    }

    fn workload(&mut self, w: &'a WorkloadRow) -> WireWorkload {
        WireWorkload {
            containers: self.containers(&w.containers),
            template_labels: self.labels(&w.template_labels),
            wanted: w.wanted,
            counts: [w.ready, w.updated, w.available, w.current],
            generation: w.generation,
            observed: w.observed,
            progress: w.progress,
            revision: self.optional(w.revision.as_ref()),
            reason: self.optional(w.reason.as_ref()),
            note: w.note.clone(),
            refs: w.refs.iter().map(|r| (r.secret, self.text(&r.name))).collect(),
            service: self.optional(w.service.as_ref()),
            managed: w.managed.as_ref().map(|m| self.managed(m)),
            changed: w.changed.as_ref().map(|c| self.change(c)),
            schedule: self.optional(w.schedule.as_ref()),
            last_run: w.last_run,
            suspended: w.suspended,
        }
    }
}

/// Rows read back, by kind, with the time at which they were true.
pub(super) type Kinds = Vec<(KindId, Millis, Vec<Row>)>;

impl Part<'_> {
    /// The rows, sharing what they share through `intern`; `None` when a number names nothing.
    pub(super) fn read(self, intern: &mut Interner) -> Option<Kinds> {
        let shared = Shared::new(&self, intern)?;
        let Self { kinds, .. } = self;
        kinds
            .into_iter()
            .map(|(kind, at, rows)| {
                let rows = rows.into_iter().map(|row| shared.row(row, intern)).collect::<Option<Vec<Row>>>()?;
                Some((kind, at, rows))
            })
            .collect()
    }
}

/// What the rows of a part share, made once.
struct Shared {
    texts: Vec<Arc<str>>,
    labels: Vec<Arc<Labels>>,
    containers: Vec<Arc<[ContainerSpec]>>,
    owners: Vec<Arc<Owner>>,
    managed: Vec<Arc<Managed>>,
    changes: Vec<Arc<LastChange>>,
}

fn at<T: Clone>(list: &[T], n: u32) -> Option<T> {
    list.get(n as usize).cloned()
}

impl Shared {
    fn new(part: &Part<'_>, intern: &mut Interner) -> Option<Self> {
        let text = |n: u32| part.texts.get(n as usize).copied();
        let mut labels = Vec::with_capacity(part.labels.len());
        for set in &part.labels {
            let pairs = set.iter().map(|(k, v)| Some((text(*k)?, text(*v)?))).collect::<Option<Vec<_>>>()?;
            labels.push(intern.labels_from(&pairs));
        }
        let mut containers = Vec::with_capacity(part.containers.len());
        for list in &part.containers {
            let parts = list
                .iter()
                .map(|c| {
                    Some(ContainerParts {
                        name: text(c.name)?,
                        image: text(c.image)?,
                        digest: text(c.digest)?,
                        init: c.init,
                    })
                })
                .collect::<Option<Vec<_>>>()?;
            containers.push(intern.containers_from(&parts));
        }
        let mut owners = Vec::with_capacity(part.owners.len());
        for o in &part.owners {
            owners.push(intern.owner_from(text(o.kind)?, text(o.group)?, text(o.name)?, o.uid));
        }
        let mut changes = Vec::with_capacity(part.changes.len());
        for (manager, apply, when) in &part.changes {
            changes.push(intern.change_from(text(*manager)?, *apply, *when));
        }
        Some(Self {
            texts: part.texts.iter().map(|t| intern.text(t)).collect(),
            labels,
            containers,
            owners,
            managed: part.managed.iter().map(|m| intern.managed(m.clone())).collect(),
            changes,
        })
    }

    /// An optional text: `None` when the number names nothing.
    fn optional(&self, n: Option<u32>) -> Option<Option<Arc<str>>> {
        n.map_or(Some(None), |n| at(&self.texts, n).map(Some))
    }

    fn row(&self, row: WireRow, intern: &mut Interner) -> Option<Row> {
        let detail = match row.detail {
            WireDetail::Pod(pod) => Detail::Pod(Box::new(self.pod(*pod)?)),
            WireDetail::Workload(w) => Detail::Workload(Box::new(self.workload(*w)?)),
            WireDetail::Plain(mut detail) => {
                share(&mut detail, intern);
                detail
            }
        };
        Some(Row {
            name: row.name,
            namespace: self.optional(row.namespace)?,
            uid: row.uid,
            version: row.version,
            created: row.created,
            deleting: row.deleting,
            health: row.health,
            labels: at(&self.labels, row.labels)?,
            owner: match row.owner {
                None => None,
                Some(n) => Some(at(&self.owners, n)?),
            },
            detail,
        })
    }

    fn pod(&self, p: WirePod) -> Option<PodRow> {
        Some(PodRow {
            node: at(&self.texts, p.node)?,
            containers: at(&self.containers, p.containers)?,
            phase: p.phase,
            is_ready: p.is_ready,
            ready: p.ready,
            restarts: p.restarts,
            restarted: p.restarted,
            reason: self.optional(p.reason)?,
            note: p.note,
            cpu_m: p.cpu_m,
            mem: p.mem,
            ip: p.ip,
        })
    }

    fn workload(&self, w: WireWorkload) -> Option<WorkloadRow> {
        let [ready, updated, available, current] = w.counts;
        let refs =
            w.refs.iter().map(|(secret, name)| Some(ConfigRef { secret: *secret, name: at(&self.texts, *name)? }));
        Some(WorkloadRow {
            containers: at(&self.containers, w.containers)?,
            template_labels: at(&self.labels, w.template_labels)?,
            wanted: w.wanted,
            ready,
            updated,
            available,
            current,
            generation: w.generation,
            observed: w.observed,
            progress: w.progress,
            revision: self.optional(w.revision)?,
            reason: self.optional(w.reason)?,
            note: w.note,
            refs: refs.collect::<Option<_>>()?,
            service: self.optional(w.service)?,
            managed: match w.managed {
                None => None,
                Some(n) => Some(at(&self.managed, n)?),
            },
            changed: match w.changed {
                None => None,
                Some(n) => Some(at(&self.changes, n)?),
            },
            schedule: self.optional(w.schedule)?,
            last_run: w.last_run,
            suspended: w.suspended,
        })
    }
}

/// Shares the texts of the smaller kinds that repeat from row to row.
fn share(detail: &mut Detail, intern: &mut Interner) {
    let mut text = |t: &mut Arc<str>| *t = intern.text(t);
    match detail {
        Detail::Node(n) => {
            let NodeRow { roles, kubelet, os_image, runtime, arch, region, zone, instance, provider, .. } = &mut **n;
            [roles, kubelet, os_image, runtime, arch, region, zone, instance, provider].into_iter().for_each(&mut text);
            n.pressures.iter_mut().chain(&mut n.network_marks).for_each(text);
        }
        Detail::Config(c) => text(&mut c.kind),
        Detail::Service(s) => {
            text(&mut s.kind);
            text(&mut s.ports);
        }
        Detail::Endpoints(e) => text(&mut e.service),
        Detail::Hpa(h) => text(&mut h.target_kind),
        Detail::Pdb(p) => {
            text(&mut p.min_available);
            text(&mut p.max_unavailable);
        }
        Detail::CsiNode(n) => n.drivers.iter_mut().for_each(text),
        _ => {}
    }
}
