//! What clients asked of a cluster: counters for ever, the newest requests one by one.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use serde::Serialize;

/// Requests that are kept one by one.
const KEPT: usize = 4096;

/// One answered request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Kubernetes verb (`get`, `list`, `watch`, `create` ...); the HTTP method in lower case for other paths.
    pub verb: String,
    /// Path and query.
    pub path: String,
    /// User agent.
    pub user_agent: String,
    /// User.
    pub user: String,
    /// HTTP status.
    pub status: u16,
    /// Whether it may have changed something (dry runs and reviews do not).
    pub write: bool,
}

/// Counters of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Requests.
    pub total: u64,
    /// Requests that may have changed something.
    pub writes: u64,
    /// Connections accepted.
    pub connections: u64,
    /// Watches open now.
    pub watches: i64,
    /// Requests by verb.
    pub verbs: BTreeMap<String, u64>,
    /// Requests by status.
    pub statuses: BTreeMap<u16, u64>,
}

#[derive(Debug, Default)]
struct Inner {
    counts: Counts,
    newest: VecDeque<Entry>,
}

/// The log of one cluster.
#[derive(Debug, Default)]
pub struct RequestLog(Mutex<Inner>);

impl RequestLog {
    fn with<T>(&self, change: impl FnOnce(&mut Inner) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a request.
    pub fn add(&self, entry: Entry) {
        self.with(|inner| {
            inner.counts.total += 1;
            inner.counts.writes += u64::from(entry.write);
            *inner.counts.verbs.entry(entry.verb.clone()).or_default() += 1;
            *inner.counts.statuses.entry(entry.status).or_default() += 1;
            if inner.newest.len() == KEPT {
                inner.newest.pop_front();
            }
            inner.newest.push_back(entry);
        });
    }

    /// Counts a connection.
    pub fn connected(&self) {
        self.with(|inner| inner.counts.connections += 1);
    }

    /// Counts a watch that opened (1) or ended (-1).
    pub fn watching(&self, by: i64) {
        self.with(|inner| inner.counts.watches += by);
    }

    /// Counters and the newest requests, oldest first.
    pub fn read(&self) -> (Counts, Vec<Entry>) {
        self.with(|inner| (inner.counts.clone(), inner.newest.iter().cloned().collect()))
    }

    /// Forgets everything but the watches that are open.
    pub fn clear(&self) {
        self.with(|inner| {
            let watches = inner.counts.watches;
            *inner = Inner::default();
            inner.counts.watches = watches;
        });
    }
}
