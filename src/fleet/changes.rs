//! The log of changed rows, from which every open list follows the store without walking it.

use std::collections::VecDeque;

use super::RowRef;

/// Entries kept; a follower that lags further behind builds its list anew.
const KEPT: usize = 1 << 16;

/// Places of changed rows in the order of their changes. A place whose row is gone by now was a deletion.
#[derive(Debug, Default)]
pub(super) struct Changes {
    ring: VecDeque<RowRef>,
    first: u64,
}

impl Changes {
    /// Number of the next entry.
    pub(super) fn next(&self) -> u64 {
        self.first + self.ring.len() as u64
    }

    /// Notes a change.
    pub(super) fn push(&mut self, at: RowRef) {
        if self.ring.len() == KEPT {
            self.ring.pop_front();
            self.first += 1;
        }
        self.ring.push_back(at);
    }

    /// Entries from `seen` on; `None` when some of them are forgotten.
    pub(super) fn since(&self, seen: u64) -> Option<impl Iterator<Item = RowRef> + '_> {
        let skip = usize::try_from(seen.checked_sub(self.first)?).ok()?;
        Some(self.ring.iter().skip(skip).copied())
    }
}
