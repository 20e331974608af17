//! Small builders of rows and deltas for the tests of this module.

use std::sync::Arc;

use super::{
    Store,
    delta::{Change, Delta},
    row::{ContainerSpec, Detail, Owner, PodRow, Row, WorkloadRow},
};
use crate::model::{
    Builtin, ClusterId, ClusterRecord, ClusterState, Condition, Health, KindId, KindSet, KindStatus, Millis, Secs, Uid,
};

pub(super) fn labels(pairs: &[(&str, &str)]) -> Arc<[(Arc<str>, Arc<str>)]> {
    let mut all: Vec<(Arc<str>, Arc<str>)> = pairs.iter().map(|(k, v)| (Arc::from(*k), Arc::from(*v))).collect();
    all.sort();
    all.into()
}

pub(super) fn row(namespace: &str, name: &str, detail: Detail) -> Row {
    Row {
        name: name.into(),
        namespace: (!namespace.is_empty()).then(|| Arc::from(namespace)),
        uid: Uid::parse(&format!("{namespace}/{name}")),
        version: 1,
        created: Secs(1_700_000_000),
        deleting: Secs(0),
        health: Health::Ok,
        labels: labels(&[]),
        owner: None,
        detail,
    }
}

pub(super) fn container(name: &str, image: &str, digest: &str) -> ContainerSpec {
    ContainerSpec { name: name.into(), image: image.into(), digest: digest.into(), init: false }
}

pub(super) fn pod(namespace: &str, name: &str, health: Health) -> Row {
    let detail = PodRow { ready: (1, 1), is_ready: true, cpu_m: 100, mem: 1 << 20, ..PodRow::default() };
    Row { health, ..row(namespace, name, Detail::Pod(Box::new(detail))) }
}

pub(super) fn workload(namespace: &str, name: &str, image: &str) -> Row {
    let detail = WorkloadRow {
        containers: Arc::from([container(name, image, "")]),
        wanted: Some(2),
        ready: 2,
        updated: 2,
        available: 2,
        current: 2,
        ..WorkloadRow::default()
    };
    row(namespace, name, Detail::Workload(Box::new(detail)))
}

pub(super) fn change_workload(mut row: Row, change: impl FnOnce(&mut WorkloadRow)) -> Row {
    row.version += 1;
    if let Detail::Workload(w) = &mut row.detail {
        change(w);
    }
    row
}

pub(super) fn owned(mut row: Row, kind: &str, by: &Row) -> Row {
    row.owner =
        Some(Arc::new(Owner { kind: kind.into(), group: "apps".into(), name: by.name.as_str().into(), uid: by.uid }));
    row
}

pub(super) fn upserts(cluster: u16, kind: Builtin, rows: Vec<Row>) -> Delta {
    Delta::Rows {
        cluster: ClusterId(cluster),
        kind: kind.id(),
        changes: rows.into_iter().map(Change::Upsert).collect(),
        at: Millis(1_800_000_000_000),
    }
}

pub(super) fn delete(cluster: u16, kind: Builtin, namespace: &str, name: &str) -> Delta {
    Delta::Rows {
        cluster: ClusterId(cluster),
        kind: kind.id(),
        changes: vec![Change::Delete { namespace: namespace.into(), name: name.into() }],
        at: Millis(1_800_000_000_000),
    }
}

/// A store with live clusters of these names.
pub(super) fn store(names: &[&str]) -> Store {
    let mut store = Store::new(KindSet::default(), super::service::ServiceRules::default());
    for (i, name) in names.iter().enumerate() {
        let id = ClusterId(u16::try_from(i).unwrap());
        let record = ClusterRecord { name: (*name).into(), ..ClusterRecord::default() };
        store.apply(Delta::Record(id, Arc::new(record)));
        store.apply(Delta::Condition(id, live(1_800_000_000_000)));
        for kind in Builtin::ALL {
            store.apply(Delta::Kind(id, kind.id(), KindStatus::Live));
        }
    }
    store
}

pub(super) fn live(heard: i64) -> Condition {
    Condition { state: ClusterState::Live, heard: Millis(heard), ..Condition::default() }
}

pub(super) const POD: KindId = KindId(Builtin::Pod as u16);
