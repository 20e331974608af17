//! Desired state beside the loop: a thread renders and places anew when files or facts change; suppositions are computed
//! on a thread of their own.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{Back, Session, now};
use crate::{
    config::Settings,
    desired::{
        engine::Desired,
        whatif::{self, Change},
    },
    messages::desired as m,
    render::{facts, tools, worker::Worker},
    tui::screen::Notice,
};

/// Facts of the fleet are looked at again so often when it changed.
const FACTS: Duration = Duration::from_secs(5);

/// In a large fleet they are gathered the less often the longer it takes: this many times as long is left between.
const RARE: u32 = 500;

/// The thread, and what it was told.
pub(super) struct Keeper {
    worker: Worker,
    told: Instant,
    /// How long it took to gather what was told.
    cost: Duration,
    seen: u64,
}

impl Session {
    /// Starts or tells the thread when the fleet file declares what should be where.
    pub(super) fn declare(&mut self, settings: &Settings) {
        let tools = tools::of(settings, &self.env);
        self.root.clone_from(&tools.root);
        let declared = settings.desired.clone();
        match &self.keeper {
            Some(keeper) => return keeper.worker.declared(declared),
            None if declared.services.is_empty() && declared.policies.is_empty() => return,
            None => {}
        }
        let back = self.back.clone();
        let facts = facts::of(&self.store, now());
        let started = Worker::start(declared, facts, tools, move |picture| {
            // The loop has ended when nobody listens.
            let _ = back.send(Back::Desired(picture));
        });
        match started {
            Ok(worker) => {
                self.keeper =
                    Some(Keeper { worker, told: Instant::now(), cost: Duration::ZERO, seen: self.store.version() })
            }
            Err(error) => {
                let text = m::NO_THREAD.fill(self.app.look().lang, &[("why", &error.to_string())]);
                self.app.notice(Notice::error(text));
            }
        }
    }

    /// Tells the thread how the fleet is now, if it changed and some time has passed.
    pub(super) fn look_at_facts(&mut self) {
        let Some(keeper) = &mut self.keeper else { return };
        let due = FACTS.max(keeper.cost * RARE);
        if keeper.seen != self.store.version() && keeper.told.elapsed() >= due {
            keeper.seen = self.store.version();
            let begun = Instant::now();
            keeper.worker.facts(facts::of(&self.store, now()));
            keeper.told = Instant::now();
            keeper.cost = begun.elapsed();
        }
    }

    /// Computes what would be where under suppositions.
    pub(super) fn suppose(&self, view: u64, now: Arc<Desired>, changes: Vec<Change>, generation: u64) {
        let back = self.back.clone();
        tokio::task::spawn_blocking(move || {
            let answer = whatif::suppose(&now, &changes).map(|then| {
                let moves = whatif::moves(&now, &then);
                (Arc::new(then), moves)
            });
            let _ = back.send(Back::Supposed(view, generation, Box::new(answer)));
        });
    }
}
