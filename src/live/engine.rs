//! The task above all clusters: gives out numbers, passes asks on, follows the configuration.

use std::{collections::BTreeMap, sync::Arc};

use tokio::{
    sync::{mpsc, oneshot},
    task::{AbortHandle, JoinSet},
};

use super::{
    Ask,
    supervisor::{Fleet, Order, Plan, supervise},
};
use crate::{
    config::{Settings, Target},
    fleet::delta::Delta,
    model::{Cause, CauseCode, ClusterId, KindId},
};

/// One cluster of the engine.
struct Member {
    plan: Plan,
    orders: mpsc::Sender<Order>,
    task: AbortHandle,
}

/// State of the engine.
pub(super) struct Hub {
    fleet: Arc<Fleet>,
    out: mpsc::Sender<Vec<Delta>>,
    /// By name: the name is what stays the same when the configuration changes.
    members: BTreeMap<Arc<str>, Member>,
    tasks: JoinSet<()>,
    next: u16,
}

impl Hub {
    pub(super) fn new(fleet: Arc<Fleet>, out: mpsc::Sender<Vec<Delta>>) -> Self {
        Self { fleet, out, members: BTreeMap::new(), tasks: JoinSet::new(), next: 0 }
    }

    /// Runs until nobody asks or listens. Its end ends every task.
    pub(super) async fn run(mut self, settings: Arc<Settings>, mut asks: mpsc::Receiver<Ask>) {
        self.follow(&settings).await;
        loop {
            tokio::select! {
                ask = asks.recv() => match ask {
                    None => return,
                    Some(ask) => self.ask(ask).await,
                },
                () = self.out.closed() => return,
                Some(_) = self.tasks.join_next() => {}
            }
        }
    }

    async fn ask(&mut self, ask: Ask) {
        match ask {
            Ask::Fetch { object, managed_fields, answer } => {
                let Some(member) = self.member(object.cluster) else {
                    let _ = answer.send(Err(gone()));
                    return;
                };
                // A full queue drops the sender, and the asker learns that there is no answer.
                let _ = member.orders.try_send(Order::Fetch { object, managed_fields, answer });
            }
            Ask::Policies { cluster, answer } => match self.member(cluster) {
                Some(member) => {
                    let _ = member.orders.try_send(Order::Policies { answer });
                }
                None => {
                    let _ = answer.send(Err(gone()));
                }
            },
            Ask::Watch(kind) => self.watch(kind),
            Ask::Reconnect(id) => {
                self.fleet.shared.forget_failures();
                if let Some(member) = self.member(id) {
                    let _ = member.orders.try_send(Order::Reconnect);
                }
            }
            Ask::LogIn { cluster, said, answer } => self.log_in(cluster, said, answer),
            Ask::Reload(settings) => self.follow(&settings).await,
            // The owner of the store has the rows: see `snapshot::Saver`.
            Ask::Snapshot => {}
        }
    }

    /// In a task of its own: a person takes their time, and everything else goes on.
    fn log_in(
        &self,
        id: ClusterId,
        said: mpsc::UnboundedSender<Vec<u8>>,
        mut answer: oneshot::Sender<Result<(), Cause>>,
    ) {
        let access = match self.member(id).map(|member| member.plan.access.clone()) {
            Some(Ok(access)) => access,
            other => {
                let gone = || String::from("this cluster is no longer in the fleet");
                let why = other.and_then(Result::err).unwrap_or_else(gone);
                let _ = answer.send(Err(Cause::new(CauseCode::Config, why)));
                return;
            }
        };
        let fleet = Arc::clone(&self.fleet);
        let members: Vec<_> = self.members.values().map(|m| (m.plan.access.clone(), m.orders.clone())).collect();
        tokio::spawn(async move {
            let login = tokio::select! {
                login = fleet.shared.log_in(&access, said) => login,
                // The person gave up: dropping the run ends the plugin.
                () = answer.closed() => return,
            };
            let login = match login {
                Ok(login) => login,
                Err(cause) => {
                    let _ = answer.send(Err(cause));
                    return;
                }
            };
            let _ = answer.send(login.told());
            let same = members.into_iter().filter(|(access, _)| access.as_ref().is_ok_and(|a| login.fits(a)));
            let same: Vec<_> = same.map(|(_, orders)| orders).collect();
            fleet.shared.keep(login).await;
            for orders in same {
                let _ = orders.send(Order::LoggedIn).await;
            }
        });
    }

    fn member(&self, id: ClusterId) -> Option<&Member> {
        self.members.values().find(|m| m.plan.id == id)
    }

    fn watch(&self, kind: KindId) {
        {
            let mut watched = self.fleet.watched.write().unwrap_or_else(std::sync::PoisonError::into_inner);
            if watched.contains(&kind) {
                return;
            }
            watched.push(kind);
        }
        for member in self.members.values() {
            let _ = member.orders.try_send(Order::Kinds);
        }
    }

    /// Makes the clusters what the settings say: what is the same stays connected.
    async fn follow(&mut self, settings: &Settings) {
        let mut deltas = Vec::new();
        let gone: Vec<Arc<str>> = self
            .members
            .keys()
            .filter(|name| !settings.targets.iter().any(|t| t.record.name == **name))
            .cloned()
            .collect();
        for member in gone.iter().filter_map(|name| self.members.remove(name)) {
            member.task.abort();
            deltas.push(Delta::Gone(member.plan.id));
        }
        let mut fresh = Vec::new();
        for target in &settings.targets {
            match self.members.get_mut(&target.record.name) {
                Some(member) => {
                    let plan = plan_of(member.plan.id, target, settings);
                    if plan.record != member.plan.record {
                        deltas.push(Delta::Record(plan.id, Arc::clone(&plan.record)));
                    }
                    member.plan = plan.clone();
                    let _ = member.orders.send(Order::Plan(Box::new(plan))).await;
                }
                None => {
                    let plan = plan_of(ClusterId(self.next), target, settings);
                    self.next = self.next.saturating_add(1);
                    deltas.push(Delta::Record(plan.id, Arc::clone(&plan.record)));
                    fresh.push(plan);
                }
            }
        }
        // The records come before anything that the tasks of the clusters send.
        if !deltas.is_empty() && self.out.send(deltas).await.is_err() {
            return;
        }
        for plan in fresh {
            let (orders, receiver) = mpsc::channel(64);
            let task = self.tasks.spawn(supervise(Arc::clone(&self.fleet), plan.clone(), self.out.clone(), receiver));
            self.members.insert(Arc::clone(&plan.record.name), Member { plan, orders, task });
        }
    }
}

/// What is told of a cluster that nobody has.
fn gone() -> Cause {
    Cause::new(CauseCode::Config, "this cluster is no longer in the fleet")
}

/// A cluster of the settings; the flag's namespace counts before the fleet file's and the context's.
fn plan_of(id: ClusterId, target: &Target, settings: &Settings) -> Plan {
    let of_context = target.access.as_ref().map_or("", |a| a.namespace.as_str());
    let namespace = [settings.namespace.as_str(), target.record.namespace.as_str(), of_context];
    let namespace = namespace.into_iter().find(|n| !n.is_empty()).unwrap_or_default().to_owned();
    Plan { id, record: Arc::clone(&target.record), access: target.access.clone(), namespace }
}
