//! All credential plugins of the process: equal entries run once and share the outcome, few run at a time, and a command
//! that hangs for several clusters is not started for hundreds.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedMutexGuard, Semaphore},
    task::JoinHandle,
    time::Instant,
};

use super::{
    exec::{self, Issued},
    shared::Limits,
};
use crate::{
    config::kubeconfig::Exec,
    model::{Cause, CauseCode},
};

/// Runs of one command that may hang before its other entries wait: each may have opened a browser.
const HANGS: u32 = 2;

/// What one entry's last run gave.
#[derive(Debug, Default)]
struct Slot {
    runs: u64,
    finished: Option<Instant>,
    outcome: Option<Result<Issued, Cause>>,
}

impl Slot {
    /// Numbers the outcome of a run and keeps it.
    fn finish(&mut self, mut outcome: Result<Issued, Cause>) -> Result<Issued, Cause> {
        self.runs += 1;
        if let Ok(issued) = &mut outcome {
            issued.run = self.runs;
        }
        self.outcome = Some(outcome.clone());
        self.finished = Some(Instant::now());
        outcome
    }
}

/// What the runs need, in the tasks they have of their own.
#[derive(Debug)]
struct House {
    limit: Duration,
    hang_rest: Duration,
    running: Semaphore,
    /// Times in a row that a command did not end, and the last of them.
    hung: Mutex<BTreeMap<String, (u32, Instant)>>,
    forgiven: Mutex<Option<Instant>>,
}

/// All plugins of the process, by entry.
#[derive(Debug)]
pub(super) struct Plugins {
    pub(super) launcher: Option<PathBuf>,
    rest: Duration,
    house: Arc<House>,
    slots: Mutex<BTreeMap<Exec, Arc<tokio::sync::Mutex<Slot>>>>,
}

impl Plugins {
    pub(super) fn new(limits: &Limits) -> Self {
        let house = House {
            limit: limits.plugin,
            hang_rest: limits.plugin_hang_rest,
            running: Semaphore::new(limits.plugins),
            hung: Mutex::default(),
            forgiven: Mutex::default(),
        };
        Self { launcher: None, rest: limits.plugin_rest, house: Arc::new(house), slots: Mutex::default() }
    }

    /// A person asks: what failed may run again at once.
    pub(super) fn forget_failures(&self) {
        *self.house.forgiven.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// A credential of this entry, newer than run `after`. Whoever comes while the plugin runs waits for that run and
    /// shares its outcome, good or bad.
    pub(super) async fn obtain(&self, exec: &Exec, after: u64) -> Result<Issued, Cause> {
        exec::refuse_unusable(exec)?;
        let arrival = Instant::now();
        let slot = self.slot(exec).lock_owned().await;
        if let Some(known) = self.known(&slot, after, arrival) {
            return known;
        }
        if let Some(refusal) = exec::wants_terminal(exec) {
            return Err(refusal);
        }
        self.start(exec, slot).await.unwrap_or_else(|e| Err(Cause::new(CauseCode::ExecPlugin, e.to_string())))
    }

    /// The same for one who has a credential that still holds: a run is started, and its outcome taken by a later call.
    pub(super) fn obtain_later(&self, exec: &Exec, after: u64) -> Option<Issued> {
        let slot = self.slot(exec).try_lock_owned().ok()?;
        match self.known(&slot, after, Instant::now()) {
            Some(known) => known.ok(),
            None => {
                if exec::wants_terminal(exec).is_none() {
                    drop(self.start(exec, slot));
                }
                None
            }
        }
    }

    /// What a person got by logging in with the terminal; from now on it is the outcome for every equal entry.
    pub(super) async fn keep(&self, exec: &Exec, outcome: Result<Issued, Cause>) {
        let mut slot = self.slot(exec).lock_owned().await;
        drop(slot.finish(outcome));
    }

    fn slot(&self, exec: &Exec) -> Arc<tokio::sync::Mutex<Slot>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(exec.clone()).or_default())
    }

    /// The outcome that serves without another run.
    fn known(&self, slot: &Slot, after: u64, arrival: Instant) -> Option<Result<Issued, Cause>> {
        match (&slot.outcome, slot.finished) {
            (Some(Ok(issued)), _) if issued.run > after && issued.is_fresh() => Some(Ok(issued.clone())),
            (Some(Err(cause)), Some(finished)) if finished >= arrival || self.house.rests(finished, self.rest) => {
                Some(Err(cause.clone()))
            }
            _ => None,
        }
    }

    /// In a task of its own: a caller that gives up does not end the run that others wait for.
    fn start(&self, exec: &Exec, mut slot: OwnedMutexGuard<Slot>) -> JoinHandle<Result<Issued, Cause>> {
        let (exec, launcher, house) = (exec.clone(), self.launcher.clone(), Arc::clone(&self.house));
        tokio::spawn(async move { slot.finish(house.run(&exec, launcher).await) })
    }
}

impl House {
    async fn run(&self, exec: &Exec, launcher: Option<PathBuf>) -> Result<Issued, Cause> {
        let _permit = self.running.acquire().await;
        if self.hangs(&exec.command) {
            let text =
                format!("{} hung for other clusters just now, so it is not started for this one yet", exec.command);
            return Err(exec::failed(exec, text));
        }
        tracing::debug!(command = %exec.command, "credential plugin starts");
        let (outcome, hung) = exec::run(exec, self.limit, launcher).await;
        tracing::debug!(command = %exec.command, ok = outcome.is_ok(), "credential plugin ended");
        let mut all = self.hung.lock().unwrap_or_else(PoisonError::into_inner);
        if hung {
            let times = all.get(&exec.command).map_or(0, |(n, _)| *n);
            all.insert(exec.command.clone(), (times + 1, Instant::now()));
        } else {
            all.remove(&exec.command);
        }
        outcome
    }

    fn hangs(&self, command: &str) -> bool {
        let hung = self.hung.lock().unwrap_or_else(PoisonError::into_inner).get(command).copied();
        hung.is_some_and(|(times, last)| times >= HANGS && self.rests(last, self.hang_rest))
    }

    /// Whether what happened at `then` still counts: not for ever, and not after a person asked.
    fn rests(&self, then: Instant, rest: Duration) -> bool {
        let forgiven = self.forgiven.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|at| at > then);
        !forgiven && then.elapsed() < rest
    }
}
