//! One cell of the Matrix, made from the workloads of one service in one cluster: main workload, version, digests,
//! configuration, rollout.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use compact_str::CompactString;
use sha2::{Digest, Sha256};

use super::{
    RowRef,
    matrix::{Cell, Difference},
    row::{ConfigRef, ContainerSpec, Detail, Progress, Row, WorkloadRow},
    store::Shard,
};
use crate::model::{Builtin, ClusterId, Health, ImageRef, KindId, is_moving_tag};

/// Containers that mesh, secret and log injectors add beside the one that matters.
const SIDECARS: &[&str] = &[
    "istio-proxy",
    "linkerd-proxy",
    "vault-agent",
    "consul-dataplane",
    "daprd",
    "cloud-sql-proxy",
    "cloudsql-proxy",
    "oauth2-proxy",
    "kube-rbac-proxy",
    "fluent-bit",
    "jaeger-agent",
];

/// A workload of the cell.
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    pub(super) at: RowRef,
    pub(super) row: &'a Row,
    pub(super) workload: &'a WorkloadRow,
}

/// The members that exist, main one first: the one named like the service, then by kind, most replicas, name.
pub(super) fn members<'a>(shard: &'a Shard, places: &[RowRef], service: &str) -> Vec<Member<'a>> {
    let mut all: Vec<Member<'a>> = places
        .iter()
        .filter_map(|at| {
            let row = shard.table(at.kind)?.get(at.slot)?;
            Some(Member { at: *at, row, workload: row.workload()? })
        })
        .collect();
    all.sort_by_key(|m| {
        let kind = m.at.kind.builtin().and_then(|k| Builtin::WORKLOADS.iter().position(|w| *w == k));
        let replicas = m.workload.wanted.unwrap_or(0);
        (m.row.name != service, kind.unwrap_or(usize::MAX), Reverse(replicas), &m.row.name, m.row.ns())
    });
    all
}

/// The container whose image is the workload's version: named like the workload or the service, by itself or by its
/// image; else the first that is neither init container nor known sidecar.
pub(super) fn main_container<'a>(
    containers: &'a [ContainerSpec],
    workload: &str,
    service: &str,
) -> Option<&'a ContainerSpec> {
    let lasting = || containers.iter().filter(|c| !c.init);
    let own = || lasting().filter(|c| !SIDECARS.contains(&&*c.name));
    let named = |name: &str| name == workload || name == service;
    own()
        .find(|c| named(&c.name))
        .or_else(|| own().find(|c| named(ImageRef::parse(&c.image).short_name())))
        .or_else(|| own().next())
        .or_else(|| lasting().next())
        .or_else(|| containers.first())
}

/// The cell of one service in one cluster; `None` when none of the places holds a workload. `strict`: the workloads were
/// declared to be one service, so that any difference of their versions is worth a word; else only versions of one image
/// are compared. How it differs from other clusters is filled in by the caller.
pub(super) fn cell(shard: &Shard, places: &[RowRef], service: &str, strict: bool) -> Option<Cell> {
    let all = members(shard, places, service);
    let main = *all.first()?;
    let container = main_container(&main.workload.containers, &main.row.name, service);
    let image = ImageRef::parse(container.map_or("", |c| &c.image));
    let worst = all.iter().max_by_key(|m| m.row.health)?;
    let digests = container.map(|c| digests(shard, main, c)).unwrap_or_default();
    Some(Cell {
        main: main.at,
        more: u16::try_from(all.len() - 1).unwrap_or(u16::MAX),
        mixed: is_mixed(&all, image, service, strict),
        version: version(image),
        from: rolling_from(shard, main, service),
        digest: most_frequent(&digests).unwrap_or_else(|| Arc::from(image.digest)),
        digests: u8::try_from(digests.len()).unwrap_or(u8::MAX),
        config: config(shard, main),
        replicas: all
            .iter()
            .fold((0, 0), |(ready, wanted), m| (ready + m.workload.ready, wanted + m.workload.wanted.unwrap_or(0))),
        health: worst.row.health,
        reason: if worst.row.health > Health::Busy { worst.workload.reason.clone() } else { None },
        progress: main.workload.progress,
        differs: Difference::None,
        moving: container.is_some() && is_moving_tag(&image),
    })
}

/// Version of a workload's main container.
pub(super) fn version_of(member: Member<'_>, service: &str) -> CompactString {
    let container = main_container(&member.workload.containers, &member.row.name, service);
    version(ImageRef::parse(container.map_or("", |c| &c.image)))
}

fn version(image: ImageRef<'_>) -> CompactString {
    if image.repository.is_empty() { CompactString::default() } else { image.version().into() }
}

fn is_mixed(all: &[Member<'_>], main: ImageRef<'_>, service: &str, strict: bool) -> bool {
    all.iter().skip(1).any(|m| {
        let Some(c) = main_container(&m.workload.containers, &m.row.name, service) else { return false };
        let image = ImageRef::parse(&c.image);
        (strict || image.repository == main.repository) && image.version() != main.version()
    })
}

/// Calls `see` for each pod of a workload: its own, and those of the ReplicaSets and Jobs that it controls.
pub(super) fn each_pod<'a>(shard: &'a Shard, kind: KindId, row: &Row, mut see: impl FnMut(u32, &'a Row)) {
    let Some(pods) = shard.table(Builtin::Pod.id()) else { return };
    let between = match kind.builtin() {
        Some(Builtin::Deployment | Builtin::ArgoRollout) => Some(Builtin::ReplicaSet),
        Some(Builtin::CronJob) => Some(Builtin::Job),
        _ => None,
    };
    let Some(between) = between else {
        pods.owned(row.uid).for_each(|(slot, pod)| see(slot, pod));
        return;
    };
    for (_, owner) in shard.table(between.id()).into_iter().flat_map(|t| t.owned(row.uid)) {
        pods.owned(owner.uid).for_each(|(slot, pod)| see(slot, pod));
    }
}

/// Digests that the pods report for a container of this very image, with the number of pods.
pub(super) fn digests(shard: &Shard, main: Member<'_>, container: &ContainerSpec) -> BTreeMap<Arc<str>, u32> {
    let mut found = BTreeMap::new();
    each_pod(shard, main.at.kind, main.row, |_, pod| {
        let containers = pod.pod().map_or(&[][..], |p| &p.containers);
        let same = |c: &&ContainerSpec| c.name == container.name && c.image == container.image;
        if let Some(c) = containers.iter().find(same).filter(|c| !c.digest.is_empty()) {
            *found.entry(Arc::clone(&c.digest)).or_insert(0) += 1;
        }
    });
    found
}

fn most_frequent<K: Clone + Ord>(counts: &BTreeMap<K, u32>) -> Option<K> {
    counts.iter().max_by_key(|(key, n)| (**n, Reverse((*key).clone()))).map(|(key, _)| key.clone())
}

/// While a rollout is under way: the version that is being replaced and how many percent of the replicas are new.
fn rolling_from(shard: &Shard, main: Member<'_>, service: &str) -> Option<(CompactString, u8)> {
    let w = main.workload;
    let wanted = w.wanted.unwrap_or(0);
    let under_way = match w.progress {
        Progress::Settled => false,
        Progress::Rolling => true,
        Progress::Paused | Progress::Stuck => w.updated < wanted || w.current > w.updated,
    };
    if !under_way {
        return None;
    }
    let name = main_container(&w.containers, &main.row.name, service)?;
    let old = old_image(shard, main, name).unwrap_or_else(|| Arc::clone(&name.image));
    let percent = (u64::from(w.updated.min(wanted)) * 100).checked_div(u64::from(wanted)).unwrap_or(0);
    Some((version(ImageRef::parse(&old)), u8::try_from(percent).unwrap_or(100)))
}

/// The image that the container has in most of the replicas that are not new: by the ReplicaSets of other revisions, else
/// by the pods.
fn old_image(shard: &Shard, main: Member<'_>, container: &ContainerSpec) -> Option<Arc<str>> {
    let mut counts: BTreeMap<Arc<str>, u32> = BTreeMap::new();
    let mut count = |containers: &[ContainerSpec], n: u32| {
        if let Some(c) = containers.iter().find(|c| c.name == container.name) {
            *counts.entry(Arc::clone(&c.image)).or_insert(0) += n;
        }
    };
    for (_, set) in shard.table(Builtin::ReplicaSet.id()).into_iter().flat_map(|t| t.owned(main.row.uid)) {
        if let Some(w) = set.workload().filter(|w| w.current > 0 && w.revision != main.workload.revision) {
            count(&w.containers, w.current);
        }
    }
    each_pod(shard, main.at.kind, main.row, |_, pod| {
        let containers = pod.pod().map_or(&[][..], |p| &p.containers);
        if containers.iter().any(|c| c.name == container.name && c.image != container.image) {
            count(containers, 1);
        }
    });
    counts.remove(&container.image);
    most_frequent(&counts)
}

/// Fingerprint of the objects that a workload mounts or reads, by kind and name: SHA-256 over their names and
/// fingerprints, first 8 bytes. `None` when there are none, or one is missing or may not be read.
pub(super) fn config(shard: &Shard, main: Member<'_>) -> Option<[u8; 8]> {
    if main.workload.refs.is_empty() {
        return None;
    }
    let mut hash = Sha256::new();
    for reference in &main.workload.refs {
        hash.update([u8::from(reference.secret)]);
        hash.update(reference.name.as_bytes());
        // A name cannot hold this byte, so that no two lists read the same.
        hash.update([0]);
        hash.update(fingerprint(shard, main.row.ns(), reference)?);
    }
    hash.finalize().first_chunk::<8>().copied()
}

/// Fingerprint of one referenced object, if it exists and may be read.
pub(super) fn fingerprint(shard: &Shard, namespace: &str, reference: &ConfigRef) -> Option<[u8; 16]> {
    let kind = if reference.secret { Builtin::Secret } else { Builtin::ConfigMap };
    let table = shard.table(kind.id())?;
    match &table.get(table.find(namespace, &reference.name)?)?.detail {
        Detail::Config(c) => c.fingerprint,
        _ => None,
    }
}

/// The workload that a pod, ReplicaSet or Job belongs to in the end, by its owners; `None` when it is its own or an owner
/// is not known (yet).
pub(super) fn top_owner(shard: &Shard, cluster: ClusterId, row: &Row) -> Option<RowRef> {
    let mut row = row;
    // Pod, ReplicaSet, Deployment: two steps; a few more do no harm, endless circles would.
    for _ in 0..4 {
        let owner = row.owner.as_deref()?;
        let kind = owner_kind(&owner.kind, &owner.group)?;
        let table = shard.table(kind.id())?;
        let slot = table.find(row.ns(), &owner.name)?;
        let next = table.get(slot).filter(|r| r.uid == owner.uid)?;
        if next.owner.is_none() || !matches!(kind, Builtin::ReplicaSet | Builtin::Job) {
            return Some(RowRef { cluster, kind: kind.id(), slot });
        }
        row = next;
    }
    None
}

fn owner_kind(kind: &str, group: &str) -> Option<Builtin> {
    Some(match (kind, group) {
        ("ReplicaSet", _) => Builtin::ReplicaSet,
        ("StatefulSet", "apps.kruise.io") => Builtin::AdvancedStatefulSet,
        ("DaemonSet", "apps.kruise.io") => Builtin::AdvancedDaemonSet,
        ("StatefulSet", _) => Builtin::StatefulSet,
        ("DaemonSet", _) => Builtin::DaemonSet,
        ("Deployment", _) => Builtin::Deployment,
        ("Job", _) => Builtin::Job,
        ("CronJob", _) => Builtin::CronJob,
        ("Rollout", "argoproj.io") => Builtin::ArgoRollout,
        ("CloneSet", _) => Builtin::CloneSet,
        _ => return None,
    })
}
