//! A cluster's facts for placement from the ledger and from what was seen live. As everywhere, a live value wins over a
//! declared one; labels and taints of whole clusters are only ever declared.

use super::{capacity::Free, cluster::Cluster};
use crate::{
    fleet::inventory::{ClusterRow, Reading},
    model::ClusterRecord,
};

/// From the ledger alone.
pub fn declared(record: &ClusterRecord) -> Cluster {
    Cluster::from(record)
}

/// From the ledger and the live picture.
pub fn seen(row: &ClusterRow) -> Cluster {
    let mut cluster = Cluster::from(&*row.record);
    let take = |into: &mut String, reading: &Reading<String>| {
        if let Some(value) = reading.value.as_ref().filter(|v| !v.is_empty()) {
            into.clone_from(value);
        }
    };
    take(&mut cluster.environment, &row.environment);
    take(&mut cluster.provider, &row.provider);
    take(&mut cluster.team, &row.team);
    take(&mut cluster.tier, &row.tier);
    // Nodes of several regions are told as `a, b`; the most frequent one counts.
    if let Some(region) = row.region.value.as_ref().and_then(|r| r.split(", ").next()).filter(|r| !r.is_empty()) {
        region.clone_into(&mut cluster.region);
    }
    if let Some(zones) = row.zones.value.as_ref().filter(|z| !z.is_empty()) {
        cluster.zones = zones.iter().map(|(zone, _)| zone.clone()).collect();
        cluster.zones.sort();
    }
    cluster.free = free(row);
    cluster
}

/// What the nodes have left; `None` while nodes or pods are not known.
fn free(row: &ClusterRow) -> Option<Free> {
    let (all, asked) = (row.allocatable.value?, row.requested.value?);
    let pods = i64::from(row.pods.value?.1);
    let left = |all: u64, asked: u64| i64::try_from(all).ok()?.checked_sub(i64::try_from(asked).ok()?);
    Some(Free {
        cpu_milli: left(all.cpu_m, asked.cpu_m)?,
        memory: left(all.mem, asked.mem)?,
        pods: i64::from(all.pods).checked_sub(pods)?,
    })
}
