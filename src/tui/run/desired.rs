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
        object::Object,
        whatif::{self, Change},
    },
    fleet::Store,
    live::{Ask, HubPolicies},
    messages::{desired as m, live::cause_text},
    model::{Cause, ClusterState},
    render::{
        facts, tools,
        worker::{Facts, Worker},
    },
    tui::screen::Notice,
};

/// Facts of the fleet are looked at again so often when it changed.
const FACTS: Duration = Duration::from_secs(5);

/// Rows that are looked at in one step: well under the time of a frame.
const STEP: usize = 20_000;
/// A hub's policies are read again so often.
const HUB: Duration = Duration::from_secs(30);

/// The thread, and what it was told.
pub(super) struct Keeper {
    worker: Worker,
    told: Instant,
    /// What is being gathered.
    gather: Option<facts::Gather>,
    seen: u64,
    /// How many clusters it was told of: another number is told at once, for with it goes where everything goes.
    clusters: usize,
    hub: Option<Hub>,
}

/// A hub cluster whose policies count.
struct Hub {
    cluster: String,
    /// What it gave last.
    policies: Vec<Arc<Object>>,
    asked: Option<Instant>,
    /// What was last told of it: the same is not told again.
    told: String,
}

impl Hub {
    fn of(settings: &Settings) -> Option<Self> {
        let cluster = settings.desired.hub.as_ref()?.cluster.clone();
        Some(Self { cluster, policies: Vec::new(), asked: None, told: String::new() })
    }
}

impl Keeper {
    /// The clusters of the store, and the last policies of the hub.
    fn facts(&self, gathered: facts::Gather, store: &Store) -> Facts {
        let hub = self.hub.as_ref().map(|h| h.policies.clone()).unwrap_or_default();
        Facts { hub, ..gathered.facts(store, now()) }
    }
}

impl Session {
    /// Starts or tells the thread when the fleet file declares what should be where.
    pub(super) fn declare(&mut self, settings: &Settings) {
        let tools = tools::of(settings, &self.env);
        self.root.clone_from(&tools.root);
        let declared = settings.desired.clone();
        let hub = Hub::of(settings);
        match &mut self.keeper {
            Some(keeper) => {
                keeper.hub = match (keeper.hub.take(), hub) {
                    // The same hub is asked anew; until it answers, what it gave counts.
                    (Some(old), Some(new)) if old.cluster == new.cluster => Some(Hub { asked: None, ..old }),
                    (_, new) => new,
                };
                return keeper.worker.declared(declared);
            }
            None if declared.services.is_empty() && declared.policies.is_empty() && hub.is_none() => return,
            None => {}
        }
        let back = self.back.clone();
        let facts = facts::Gather::new(None).facts(&self.store, now());
        let started = Worker::start(declared, facts, tools, move |picture| {
            // The loop has ended when nobody listens.
            let _ = back.send(Back::Desired(picture));
        });
        match started {
            Ok(worker) => {
                let (told, seen) = (Instant::now(), self.store.version());
                let clusters = self.store.clusters().count();
                self.keeper = Some(Keeper { worker, told, gather: None, seen, clusters, hub });
            }
            Err(error) => {
                let text = m::NO_THREAD.fill(self.app.look().lang, &[("why", &error.to_string())]);
                self.app.notice(Notice::error(text));
            }
        }
    }

    /// Tells the thread how the fleet is now, if it changed and some time has passed. What runs is gathered in steps.
    pub(super) fn look_at_facts(&mut self) {
        self.look_at_hub();
        let Some(keeper) = &mut self.keeper else { return };
        let clusters = self.store.clusters().count();
        let is_due = keeper.clusters != clusters || keeper.told.elapsed() >= FACTS;
        if keeper.gather.is_none() && keeper.seen != self.store.version() && is_due {
            (keeper.seen, keeper.clusters) = (self.store.version(), clusters);
            keeper.gather = Some(facts::Gather::new(self.app.look().desired.as_ref().map(|p| &*p.desired)));
        }
        if let Some(mut gather) = keeper.gather.take() {
            if gather.step(&self.store, STEP) {
                keeper.worker.facts(keeper.facts(gather, &self.store));
                keeper.told = Instant::now();
            } else {
                keeper.gather = Some(gather);
            }
        }
    }

    /// Asks the hub for its policies when it is time and it is live.
    fn look_at_hub(&mut self) {
        let Some(hub) = self.keeper.as_mut().and_then(|k| k.hub.as_mut()) else { return };
        let is_due = hub.asked.is_none_or(|asked| asked.elapsed() >= HUB);
        let found = self.store.clusters().find(|(_, shard)| *shard.record.name == *hub.cluster);
        let Some((cluster, shard)) = found.filter(|_| is_due) else { return };
        if shard.condition.state != ClusterState::Live {
            return;
        }
        hub.asked = Some(Instant::now());
        let (asks, back, name) = (self.engine.asks.clone(), self.back.clone(), hub.cluster.clone());
        tokio::spawn(async move {
            let (answer, answered) = tokio::sync::oneshot::channel();
            let _ = asks.send(Ask::Policies { cluster, answer }).await;
            // No answer at all: the engine is being stopped, or busy; the next look asks again.
            if let Ok(answer) = answered.await {
                let _ = back.send(Back::Hub(name, Box::new(answer)));
            }
        });
    }

    /// Takes what the hub said. When it could not be read the last policies go on to count.
    pub(super) fn take_hub(&mut self, cluster: &str, answer: Result<HubPolicies, Cause>) {
        let lang = self.app.look().lang;
        let Some(keeper) = &mut self.keeper else { return };
        let Some(hub) = keeper.hub.as_mut().filter(|h| h.cluster == cluster) else { return };
        let mut is_changed = false;
        let told = match answer {
            Ok(policies) => {
                let now = facts::of_hub(cluster, &policies.items);
                is_changed = now != hub.policies;
                hub.policies = now;
                let values = [("cluster", cluster), ("kinds", &policies.absent.join(", "))];
                if policies.absent.is_empty() { String::new() } else { m::HUB_ABSENT.fill(lang, &values) }
            }
            Err(cause) => m::HUB_STALE.fill(lang, &[("cluster", cluster), ("cause", &cause_text(lang, &cause))]),
        };
        let is_new = !told.is_empty() && told != hub.told;
        hub.told.clone_from(&told);
        if is_changed {
            keeper.gather = Some(facts::Gather::new(self.app.look().desired.as_ref().map(|p| &*p.desired)));
        }
        if is_new {
            self.app.notice(Notice::warn(told));
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
