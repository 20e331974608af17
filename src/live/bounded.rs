//! Keeps the newest of a kind that has no natural end: Events. What falls out is deleted from the store.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use compact_str::CompactString;

use crate::{
    fleet::{
        delta::Change,
        row::{Detail, Row},
    },
    model::{Secs, Uid},
};

/// Events kept per cluster.
pub const EVENTS: usize = 2_000;

/// The newest objects by the time they were last seen.
#[derive(Debug)]
pub struct Newest {
    limit: usize,
    by_age: BTreeMap<(Secs, Uid), (Arc<str>, CompactString)>,
    age_of: HashMap<Uid, Secs>,
}

impl Newest {
    /// At most `limit` of them.
    pub fn new(limit: usize) -> Self {
        Self { limit, by_age: BTreeMap::new(), age_of: HashMap::new() }
    }

    /// A fresh list begins: it names everything again.
    pub fn clear(&mut self) {
        self.by_age.clear();
        self.age_of.clear();
    }

    /// Takes a row in. Gives the deletion of the oldest where there are too many; that may be the row itself.
    pub fn add(&mut self, row: &Row) -> Option<Change> {
        let last = match &row.detail {
            Detail::Event(event) if event.last.0 > 0 => event.last,
            _ => row.created,
        };
        if let Some(old) = self.age_of.insert(row.uid, last) {
            self.by_age.remove(&(old, row.uid));
        }
        let namespace = row.namespace.clone().unwrap_or_default();
        self.by_age.insert((last, row.uid), (namespace, row.name.clone()));
        if self.by_age.len() <= self.limit {
            return None;
        }
        let ((_, uid), (namespace, name)) = self.by_age.pop_first()?;
        self.age_of.remove(&uid);
        Some(Change::Delete { namespace, name })
    }

    /// The server deleted one.
    pub fn remove(&mut self, namespace: &str, name: &str) {
        let found = self.by_age.iter().find(|(_, (ns, n))| &**ns == namespace && n == name).map(|(k, _)| *k);
        if let Some(key) = found {
            self.by_age.remove(&key);
            self.age_of.remove(&key.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Health;

    fn event(n: u128, at: u32) -> Row {
        Row {
            name: format!("e{n}").into(),
            namespace: Some("shop".into()),
            uid: Uid(n),
            version: 1,
            created: Secs(at),
            deleting: Secs(0),
            health: Health::Warn,
            labels: Arc::from(Vec::new()),
            owner: None,
            detail: Detail::Other(None),
        }
    }

    #[test]
    fn the_oldest_falls_out() {
        let mut newest = Newest::new(2);
        let out = |change: Option<Change>| match change {
            Some(Change::Delete { name, .. }) => name.to_string(),
            _ => String::new(),
        };
        assert_eq!(out(newest.add(&event(1, 10))), "");
        assert_eq!(out(newest.add(&event(2, 20))), "");
        assert_eq!(out(newest.add(&event(1, 30))), "", "seen again, not one more");
        assert_eq!(out(newest.add(&event(3, 25))), "e2");
        assert_eq!(out(newest.add(&event(4, 5))), "e4", "older than all that are kept");
        newest.remove("shop", "e1");
        assert_eq!(out(newest.add(&event(5, 6))), "");
        assert_eq!(newest.age_of.len(), newest.by_age.len());
    }
}
