//! A cluster as placement and overrides see it: plain facts, taken from the ledger, from live data, or from a file.

use std::{collections::BTreeMap, sync::Arc};

use super::capacity::Free;
use crate::model::{ClusterRecord, Taint};

/// A cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    /// Name, unique in the set.
    pub name: Arc<str>,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Environment (our own policies only).
    pub environment: String,
    /// Region, empty = unset.
    pub region: String,
    /// Zones.
    pub zones: Vec<String>,
    /// Provider, empty = unset.
    pub provider: String,
    /// Tier (our own policies only).
    pub tier: String,
    /// Team (our own policies only).
    pub team: String,
    /// Groups of the fleet file (our own policies only).
    pub groups: Vec<String>,
    /// Taints.
    pub taints: Vec<Taint>,
    /// How many *more* replicas of the resource in question it can take; `None` = unknown.
    pub available: Option<i64>,
    /// What its nodes have left, from which room is reckoned where `available` says nothing.
    pub free: Option<Free>,
    /// Being taken out of the fleet.
    pub deleting: bool,
    /// Served kinds as `apiVersion Kind`; `None` = whatever is asked for.
    pub apis: Option<Vec<String>>,
}

impl From<&ClusterRecord> for Cluster {
    fn from(record: &ClusterRecord) -> Self {
        Self {
            name: record.name.clone(),
            labels: record.labels.clone(),
            environment: record.environment.clone(),
            region: record.region.clone(),
            zones: record.zones.clone(),
            provider: record.provider.clone(),
            tier: record.tier.clone(),
            team: record.team.clone(),
            groups: record.groups.clone(),
            taints: record.taints.clone(),
            available: None,
            free: None,
            deleting: false,
            apis: None,
        }
    }
}
