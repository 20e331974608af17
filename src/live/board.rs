//! What the watch tasks of one cluster have to say to their supervisor: the standing of each kind, counters, and objects
//! that could not be read. And the rule by which the cluster's state follows from the standings.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::model::{Cause, CauseCode, ClusterState, KindId, KindStatus};

/// So many unreadable objects are named.
const NAMED: usize = 20;

/// Where one kind stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// As the screens see it.
    pub status: KindStatus,
    /// Failures in a row of this kind alone; 0 while it merely waits for the connection.
    pub failures: u32,
}

/// Counters that go into the cluster's facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Open watches.
    pub watches: u16,
    /// Throughput of the last list worth measuring, kilobytes per second.
    pub list_kbps: Option<u32>,
    /// Objects that could not be read.
    pub unreadable: u32,
    /// The latest of them: what and why.
    pub latest: Vec<(String, String)>,
    /// Lists completed.
    pub lists: u32,
}

/// Shared by the tasks of one cluster.
#[derive(Debug, Default)]
pub struct Board {
    inner: Mutex<Inner>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    kinds: BTreeMap<KindId, Standing>,
    tally: Tally,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change is a plain assignment: what a panicking holder left is usable.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the standing of a kind.
    pub fn stand(&self, kind: KindId, status: KindStatus, failures: u32) {
        let mut inner = self.lock();
        let old = inner.kinds.entry(kind).or_default();
        // Counts of a running list change all the time and move no state.
        let same = old.failures == failures
            && match (&old.status, &status) {
                (KindStatus::Listing { .. }, KindStatus::Listing { .. }) => true,
                (a, b) => a == b,
            };
        *old = Standing { status, failures };
        drop(inner);
        if !same {
            self.changed.notify_one();
        }
    }

    /// Forgets a kind.
    pub fn forget(&self, kind: KindId) {
        self.lock().kinds.remove(&kind);
        self.changed.notify_one();
    }

    /// Changes the counters.
    pub fn count(&self, change: impl FnOnce(&mut Tally)) {
        change(&mut self.lock().tally);
    }

    /// Notes an object that could not be read.
    pub fn unreadable(&self, what: String, why: String) {
        let mut inner = self.lock();
        let tally = &mut inner.tally;
        tally.unreadable = tally.unreadable.saturating_add(1);
        tally.latest.retain(|(w, _)| *w != what);
        if tally.latest.len() == NAMED {
            tally.latest.remove(0);
        }
        tally.latest.push((what, why));
    }

    /// The counters now.
    pub fn tally(&self) -> Tally {
        self.lock().tally.clone()
    }

    /// State, cause and progress that follow from the standings.
    pub fn verdict(&self) -> Verdict {
        judge(&self.lock().kinds)
    }

    /// Waits until a standing changed.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }
}

/// What the standings of the kinds mean for their cluster, as long as it is connected.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// State.
    pub state: ClusterState,
    /// Why, for states that are not good; beside `Live` it tells of the one kind that fails.
    pub cause: Option<Cause>,
    /// Kinds done and kinds in all.
    pub progress: (u16, u16),
}

/// The rule. A log-in that ran out concerns the whole cluster, whoever met it first. A kind that fails or may not be read
/// alone spoils only itself; when nothing at all can be read, that is the cluster's state.
pub fn judge(kinds: &BTreeMap<KindId, Standing>) -> Verdict {
    let served: Vec<&Standing> = kinds.values().filter(|s| s.status != KindStatus::NotServed).collect();
    let count = |test: &dyn Fn(&Standing) -> bool| served.iter().filter(|s| test(s)).count();
    let good = count(&|s| matches!(s.status, KindStatus::Live | KindStatus::Polling));
    let denied = count(&|s| matches!(s.status, KindStatus::Forbidden(_)));
    let busy = count(&|s| matches!(s.status, KindStatus::Waiting | KindStatus::Listing { .. }));
    // Waiting for the connection to resume, not failing by itself.
    let resuming = count(&|s| matches!(s.status, KindStatus::Stale(_)) && s.failures == 0);
    let stale = count(&|s| matches!(s.status, KindStatus::Stale(_)));
    let total = served.len();
    let trouble = |s: &&&Standing| match &s.status {
        KindStatus::Stale(c) | KindStatus::Failing(c) => Some(c.clone()),
        _ => None,
    };
    let failing = served.iter().filter_map(|s| trouble(&s)).collect::<Vec<_>>();
    let login = failing.iter().find(|c| matches!(c.code, CauseCode::Unauthorized | CauseCode::ExecPlugin));
    let first = failing.first().cloned();
    let (state, cause) = if let Some(cause) = login {
        (ClusterState::LoginExpired, Some(cause.clone()))
    } else if total > 0 && denied == total {
        let cause = served.iter().find_map(|s| match &s.status {
            KindStatus::Forbidden(c) => Some(c.clone()),
            _ => None,
        });
        (ClusterState::Forbidden, cause)
    } else if resuming > 0 {
        (ClusterState::Stale, first)
    } else if busy > 0 || total == 0 {
        (ClusterState::Syncing, first)
    } else if good > 0 {
        (ClusterState::Live, first)
    } else if stale > 0 {
        (ClusterState::Stale, first)
    } else {
        (ClusterState::Unreachable, first)
    };
    let small = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    Verdict { state, cause, progress: (small(total - busy), small(total)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_follows_from_the_kinds() {
        use ClusterState as S;
        let cause = |code| Cause::new(code, "x");
        let live = || (KindStatus::Live, 0);
        let stale = |failures| (KindStatus::Stale(cause(CauseCode::Reset)), failures);
        let denied = || (KindStatus::Forbidden(cause(CauseCode::Forbidden)), 0);
        let failing = |code| (KindStatus::Failing(cause(code)), 3);
        let listing = || (KindStatus::Listing { rows: 1, expected: None }, 0);
        type Case = (Vec<(KindStatus, u32)>, S, bool, (u16, u16));
        let table: Vec<Case> = vec![
            (vec![], S::Syncing, false, (0, 0)),
            (vec![live(), listing()], S::Syncing, false, (1, 2)),
            (vec![live(), (KindStatus::NotServed, 0)], S::Live, false, (1, 1)),
            (vec![live(), denied(), (KindStatus::Polling, 0)], S::Live, false, (3, 3)),
            (vec![denied(), denied()], S::Forbidden, true, (2, 2)),
            (vec![live(), failing(CauseCode::Server)], S::Live, true, (2, 2)),
            (vec![live(), stale(2)], S::Live, true, (2, 2)),
            (vec![live(), stale(0)], S::Stale, true, (2, 2)),
            (vec![stale(1), stale(2)], S::Stale, true, (2, 2)),
            (vec![failing(CauseCode::Server), denied()], S::Unreachable, true, (2, 2)),
            (vec![live(), listing(), failing(CauseCode::Unauthorized)], S::LoginExpired, true, (2, 3)),
        ];
        for (kinds, state, has_cause, progress) in table {
            let board: BTreeMap<KindId, Standing> = kinds
                .iter()
                .enumerate()
                .map(|(i, (status, failures))| {
                    (KindId(u16::try_from(i).unwrap()), Standing { status: status.clone(), failures: *failures })
                })
                .collect();
            let got = judge(&board);
            assert_eq!((got.state, got.cause.is_some(), got.progress), (state, has_cause, progress), "{kinds:?}");
        }
    }

    #[test]
    fn the_latest_unreadable_objects_are_named() {
        let board = Board::default();
        for i in 0..30 {
            board.unreadable(format!("pods shop/p{}", i % 25), "bad".into());
        }
        let tally = board.tally();
        assert_eq!((tally.unreadable, tally.latest.len()), (30, NAMED));
        assert_eq!(tally.latest.last().unwrap().0, "pods shop/p4");
    }
}
