//! Deltas of one watch task on their way to the owner: gathered for a moment, sent together.

use tokio::sync::mpsc::Sender;

use super::context::now;
use crate::{
    fleet::delta::{Change, Delta},
    model::{ClusterId, KindId},
};

/// Changes in one delta, and in one batch before it is due.
pub const FULL: usize = 256;

/// The owner of the store is gone: the task ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerGone;

/// Deltas waiting to be sent, in order.
#[derive(Debug)]
pub struct Batch {
    cluster: ClusterId,
    kind: KindId,
    deltas: Vec<Delta>,
    changes: Vec<Change>,
    count: usize,
}

impl Batch {
    /// An empty one.
    pub fn new(cluster: ClusterId, kind: KindId) -> Self {
        Self { cluster, kind, deltas: Vec::new(), changes: Vec::new(), count: 0 }
    }

    /// Adds a change of an object.
    pub fn change(&mut self, change: Change) {
        self.changes.push(change);
        self.count += 1;
        if self.changes.len() >= FULL {
            self.seal();
        }
    }

    /// Adds any other delta, after the changes so far.
    pub fn delta(&mut self, delta: Delta) {
        self.seal();
        self.deltas.push(delta);
    }

    fn seal(&mut self) {
        if !self.changes.is_empty() {
            let changes = std::mem::take(&mut self.changes);
            self.deltas.push(Delta::Rows { cluster: self.cluster, kind: self.kind, changes, at: now() });
        }
    }

    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.deltas.is_empty()
    }

    /// Enough waits to be sent at once.
    pub fn is_full(&self) -> bool {
        self.count >= FULL
    }

    /// Drops what waits.
    pub fn clear(&mut self) {
        self.deltas.clear();
        self.changes.clear();
        self.count = 0;
    }

    /// Sends what waits. Safe to be cancelled: either all was handed over or nothing.
    ///
    /// # Errors
    /// When the receiver is gone.
    pub async fn send(&mut self, out: &Sender<Vec<Delta>>) -> Result<(), OwnerGone> {
        let place = out.reserve().await.map_err(|_| OwnerGone)?;
        self.seal();
        self.count = 0;
        place.send(std::mem::take(&mut self.deltas));
        Ok(())
    }
}
