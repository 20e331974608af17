//! The life of one cluster: restore, connect, find out, watch, notice silence, connect again.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedMutexGuard, mpsc, watch},
    task::{AbortHandle, Id, JoinSet},
};

use super::{
    board::Verdict,
    connect::Connection,
    context::{Context, Style, now},
    decode::Decoder,
    discovery::{self, Discovery, Served},
    fetch::fetch,
    hub,
    identity::{self, Identity},
    metrics,
    pace::{Backoff, between},
    snapshot,
    supervisor::{Fleet, Order, Plan, panic_text},
    watch::Machine,
};
use crate::{
    fleet::{delta::Delta, intern::Interner},
    model::{Cause, CauseCode, ClusterFacts, ClusterState, Condition, KindId, KindInfo, KindStatus},
};

/// A cluster that is still connecting after so long no longer keeps others waiting.
const SLOT: Duration = Duration::from_secs(2);

/// Between two looks at what the server serves.
const REDISCOVER: Duration = Duration::from_secs(300);

/// Between two sweeps of the shared texts.
const SWEEP: Duration = Duration::from_secs(60);

/// Why serving ended.
enum Over {
    /// The connection died.
    Lost(Cause),
    /// A person or the configuration wants a new one.
    Anew,
    /// Nobody listens any more.
    End,
}

/// What came out of a task beside the main one.
enum Errand {
    Identity(Result<Identity, Cause>),
    Discovery(Result<Discovery, Cause>),
    Usage(Result<(u64, u64), Cause>),
    Fetched,
}

/// The task of one cluster.
pub struct Cluster {
    fleet: Arc<Fleet>,
    plan: Arc<Mutex<Plan>>,
    context: Arc<Context>,
    gate: watch::Sender<Option<Connection>>,
    out: mpsc::Sender<Vec<Delta>>,
    condition: Condition,
    facts: ClusterFacts,
    told: Arc<ClusterFacts>,
    served: BTreeMap<KindId, Served>,
    metrics_root: Option<String>,
    machines: JoinSet<()>,
    running: BTreeMap<KindId, (AbortHandle, Served)>,
    kind_of: HashMap<Id, KindId>,
    backoff: Backoff,
    throttled_before: u32,
    was_live: bool,
    /// A probe was told that the log-in is over, though open watches go on.
    login: Option<Cause>,
    restores: bool,
    swept: (tokio::time::Instant, u32),
}

type Orders = OwnedMutexGuard<mpsc::Receiver<Order>>;

impl Cluster {
    /// The task before its start. `restores`: read the snapshot first.
    pub fn new(fleet: Arc<Fleet>, plan: Arc<Mutex<Plan>>, out: mpsc::Sender<Vec<Delta>>, restores: bool) -> Self {
        let (gate, opened) = watch::channel(None);
        let interner = Arc::new(Mutex::new(Interner::default()));
        let decoder = Decoder::new(Arc::clone(&interner), Arc::clone(&fleet.key));
        let id = plan.lock().unwrap_or_else(PoisonError::into_inner).id;
        let room = Arc::clone(&fleet.room);
        let (first_wait, longest_wait) = fleet.options.times.reconnect;
        let context = Context::new(id, out.clone(), opened, &fleet.options, room, decoder, interner);
        Self {
            fleet,
            plan,
            context: Arc::new(context),
            gate,
            out,
            condition: Condition { since: now(), ..Condition::default() },
            facts: ClusterFacts::default(),
            told: Arc::default(),
            served: BTreeMap::new(),
            metrics_root: None,
            machines: JoinSet::new(),
            running: BTreeMap::new(),
            kind_of: HashMap::new(),
            backoff: Backoff::new(first_wait, longest_wait),
            throttled_before: 0,
            was_live: false,
            login: None,
            restores,
            swept: (tokio::time::Instant::now(), 0),
        }
    }

    fn plan(&self) -> Plan {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs until nobody listens.
    pub async fn run(mut self, mut orders: Orders) {
        self.take_plan();
        self.tell_condition(self.condition.clone()).await;
        if self.restores {
            self.restore().await;
        }
        loop {
            let over = match self.connect(&mut orders).await {
                Ok(connection) => self.serve(connection, &mut orders).await,
                Err(over) => over,
            };
            self.gate.send_replace(None);
            let wait = match over {
                Over::End => return,
                Over::Anew => Duration::ZERO,
                Over::Lost(cause) => self.lost(cause).await,
            };
            if !self.rest(wait, &mut orders).await {
                return;
            }
        }
    }

    /// What the configuration says may have changed.
    fn take_plan(&self) {
        let namespace = self.plan().namespace;
        *self.context.namespace.write().unwrap_or_else(PoisonError::into_inner) = namespace;
    }

    async fn restore(&self) {
        let Some(dir) = self.fleet.snapshots.clone() else { return };
        let (id, record) = (self.context.id, self.plan().record);
        // Each read holds a thread and a whole picture.
        let _turn = self.fleet.restoring.acquire().await;
        let read = tokio::task::spawn_blocking(move || snapshot::restore(&dir, &record, id));
        if let Ok(Some(deltas)) = read.await {
            let _ = self.out.send(deltas).await;
        }
    }

    /// Waits, obeying orders. False: nobody listens any more.
    async fn rest(&mut self, wait: Duration, orders: &mut Orders) -> bool {
        let until = tokio::time::Instant::now() + wait;
        loop {
            tokio::select! {
                biased;
                order = orders.recv() => match order {
                    None => return false,
                    Some(order) => if self.obey(order, None).await { return true },
                },
                () = tokio::time::sleep_until(until) => return true,
            }
        }
    }

    /// Obeys an order; true when it asks for a new connection.
    async fn obey(&mut self, order: Order, errands: Option<(&Connection, &mut JoinSet<Errand>)>) -> bool {
        match order {
            Order::Fetch { object, managed_fields, answer } => {
                let known = self.fleet.kinds.info(object.kind).zip(self.served.get(&object.kind).cloned());
                match (errands, known) {
                    (Some((connection, errands)), Some((info, served))) => {
                        let reading = fetch(connection.clone(), object, info, served, managed_fields);
                        errands.spawn(async move {
                            let _ = answer.send(reading.await);
                            Errand::Fetched
                        });
                    }
                    (Some(_), None) => {
                        let cause = Cause::new(CauseCode::Protocol, "this kind is not served here");
                        let _ = answer.send(Err(cause));
                    }
                    (None, _) => {
                        let _ = answer.send(Err(self.not_connected()));
                    }
                }
                false
            }
            Order::Policies { answer } => {
                match errands {
                    Some((connection, errands)) => {
                        let reading = hub::policies(connection.clone());
                        errands.spawn(async move {
                            let _ = answer.send(reading.await);
                            Errand::Fetched
                        });
                    }
                    None => {
                        let _ = answer.send(Err(self.not_connected()));
                    }
                }
                false
            }
            Order::Kinds => {
                if let Some((connection, errands)) = errands {
                    self.rediscover(connection, errands);
                }
                false
            }
            Order::Reconnect => {
                self.begin_anew().await;
                true
            }
            Order::LoggedIn => {
                let is_waiting = self.condition.state == ClusterState::LoginExpired;
                if is_waiting {
                    self.login = None;
                    self.begin_anew().await;
                }
                is_waiting
            }
            Order::Plan(plan) => {
                let is_anew = self.plan().access != plan.access;
                *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = *plan;
                self.take_plan();
                if is_anew {
                    self.backoff.reset();
                }
                is_anew
            }
        }
    }

    /// Why nothing can be read here now.
    fn not_connected(&self) -> Cause {
        self.condition.cause.clone().unwrap_or_else(|| Cause::new(CauseCode::Protocol, "not connected"))
    }

    /// A person asked for a new connection: no waiting, and what was wrong before is not shown as if it still were.
    async fn begin_anew(&mut self) {
        self.backoff.reset();
        if !self.was_live {
            let condition = Condition { state: ClusterState::Connecting, cause: None, ..self.condition.clone() };
            self.tell_condition(condition).await;
        }
    }

    /// Connects and finds out whom we talk to and what is served. Orders are obeyed meanwhile.
    async fn connect(&mut self, orders: &mut Orders) -> Result<Connection, Over> {
        let access = match self.plan().access {
            Ok(access) => access,
            Err(why) => return self.unusable(why, orders).await,
        };
        let fleet = Arc::clone(&self.fleet);
        let work = async {
            let slot = fleet.connecting.acquire().await;
            let opening = open(&fleet, access);
            tokio::pin!(opening);
            match tokio::time::timeout(SLOT, &mut opening).await {
                Ok(done) => done,
                Err(_) => {
                    drop(slot);
                    opening.await
                }
            }
        };
        tokio::pin!(work);
        let (connection, identity, discovery) = loop {
            tokio::select! {
                biased;
                order = orders.recv() => match order {
                    None => return Err(Over::End),
                    Some(order) => if self.obey(order, None).await { return Err(Over::Anew) },
                },
                done = &mut work => break done.map_err(Over::Lost)?,
            }
        };
        self.take_identity(identity).await;
        self.facts.certificate = connection.certificate();
        self.facts.credential = connection.credential();
        self.facts.rtt_ms = connection.rtt();
        self.take_discovery(discovery).await;
        Ok(connection)
    }

    /// The kubeconfig entry cannot be used: nothing to try until it changes.
    async fn unusable(&mut self, why: String, orders: &mut Orders) -> Result<Connection, Over> {
        self.down(ClusterState::Unreachable, Cause::new(CauseCode::Config, why)).await;
        loop {
            match orders.recv().await {
                None => return Err(Over::End),
                Some(order) => {
                    if self.obey(order, None).await {
                        return Err(Over::Anew);
                    }
                }
            }
        }
    }

    /// Serves until the connection is lost.
    async fn serve(&mut self, connection: Connection, orders: &mut Orders) -> Over {
        self.gate.send_replace(Some(connection.clone()));
        self.judge().await;
        self.tell_facts().await;
        let mut errands: JoinSet<Errand> = JoinSet::new();
        let start = tokio::time::Instant::now();
        // Spread over the fleet: everything connects in the same second.
        let every = |period: Duration| {
            tokio::time::interval_at(start + period.mul_f64(0.5 + super::pace::spread() / 2.0), period)
        };
        let (mut probe, mut look) = (every(self.fleet.options.times.probe), every(REDISCOVER));
        let mut usage = tokio::time::interval_at(start + between(0.2, 2.0), metrics::EVERY);
        let context = Arc::clone(&self.context);
        let news = self.fleet.options.times.news;
        let is_metered = self.fleet.options.metrics;
        loop {
            tokio::select! {
                cause = connection.silent() => return Over::Lost(cause),
                order = orders.recv() => match order {
                    None => return Over::End,
                    Some(order) => if self.obey(order, Some((&connection, &mut errands))).await { return Over::Anew },
                },
                () = context.board.changed() => self.judge().await,
                () = tokio::time::sleep(until_news(news)) => {
                    self.tell_news(&connection).await;
                    if self.out.is_closed() {
                        return Over::End;
                    }
                }
                Some(done) = errands.join_next() => if let Ok(found) = done {
                    self.take_errand(found).await;
                },
                Some(ended) = self.machines.join_next_with_id() => self.machine_ended(ended).await,
                _ = probe.tick() => {
                    let connection = connection.clone();
                    errands.spawn(async move { Errand::Identity(identity::identify(&connection).await) });
                }
                _ = look.tick() => self.rediscover(&connection, &mut errands),
                _ = usage.tick(), if is_metered => if let Some(root) = self.metrics_root.clone() {
                    let connection = connection.clone();
                    errands.spawn(async move { Errand::Usage(metrics::usage(&connection, &root).await) });
                },
            }
        }
    }

    fn rediscover(&self, connection: &Connection, errands: &mut JoinSet<Errand>) {
        let (fleet, connection) = (Arc::clone(&self.fleet), connection.clone());
        errands.spawn(async move { Errand::Discovery(discover(&fleet, &connection).await) });
    }

    async fn take_errand(&mut self, found: Errand) {
        match found {
            Errand::Identity(Ok(identity)) => {
                self.take_identity(identity).await;
                if self.login.take().is_some() {
                    self.judge().await;
                }
            }
            Errand::Identity(Err(cause)) if is_login(&cause) => {
                self.login = Some(cause);
                self.judge().await;
            }
            Errand::Discovery(Ok(discovery)) => self.take_discovery(discovery).await,
            Errand::Usage(Ok((cpu, memory))) => {
                self.facts.usage = Some((cpu, memory, now().secs()));
                self.facts.usage_note.clear();
            }
            Errand::Usage(Err(cause)) => {
                self.facts.usage = None;
                self.facts.usage_note = cause.detail;
            }
            // The watches notice a connection that fails; a probe that fails alone says nothing.
            Errand::Identity(Err(_)) | Errand::Discovery(Err(_)) | Errand::Fetched => {}
        }
    }

    /// Takes over who answered. Another cluster behind the same context is not the same fleet member any more.
    async fn take_identity(&mut self, found: Identity) {
        let is_other = matches!((&self.facts.id, &found.id), (Some(old), Some(new)) if old != new);
        if is_other {
            let text = format!(
                "kube-system was {}, is now {}",
                self.facts.id.as_deref().unwrap_or("?"),
                found.id.as_deref().unwrap_or("?")
            );
            self.start_over(Cause::new(CauseCode::OtherCluster, text)).await;
        }
        if found.version.is_some() && found.version != self.facts.version {
            let streams = found.version.as_ref().is_some_and(identity::streams_lists);
            self.context.set_style(if streams { Style::Stream } else { Style::Pages });
            self.facts.version = found.version;
        }
        self.facts.id = found.id.or(self.facts.id.take());
        self.facts.not_ready = found.not_ready;
        self.facts.clock_skew_s = found.skew_s.or(self.facts.clock_skew_s);
    }

    /// Everything known is of another cluster: drop it and list anew.
    async fn start_over(&mut self, cause: Cause) {
        self.machines.shutdown().await;
        let (id, mut deltas) = (self.context.id, Vec::new());
        for (kind, _) in std::mem::take(&mut self.running) {
            self.context.board.forget(kind);
            deltas.extend([Delta::ListBegin(id, kind), Delta::ListDone(id, kind)]);
            deltas.push(Delta::Kind(id, kind, KindStatus::Waiting));
        }
        self.kind_of.clear();
        self.was_live = false;
        let _ = self.out.send(deltas).await;
        self.set_state(ClusterState::Syncing, Some(cause), (0, 0)).await;
        let known: Vec<(KindId, Served)> = self.served.iter().map(|(k, s)| (*k, s.clone())).collect();
        for (kind, served) in known {
            self.start_machine(kind, served);
        }
    }

    /// Takes over what is served: starts what is new, ends what is gone.
    async fn take_discovery(&mut self, found: Discovery) {
        self.facts.groups = found.groups();
        self.metrics_root = found.served(&metrics::kind()).map(|s| s.root);
        if self.fleet.options.metrics && self.metrics_root.is_none() {
            self.facts.usage = None;
            self.facts.usage_note = String::from("no metrics-server");
        }
        self.served.clear();
        for (kind, info) in self.fleet.kinds.all() {
            if let Some(served) = found.served(&info).filter(|s| s.can_list) {
                self.served.insert(kind, served);
            }
        }
        let is_partial = found.is_partial;
        self.facts.failed_groups = found.failed;
        let watched = self.fleet.watched.read().unwrap_or_else(PoisonError::into_inner).clone();
        for kind in watched {
            match self.served.get(&kind).cloned() {
                Some(served) => self.start_machine(kind, served),
                // Not found in half an answer is no reason to drop what is watched.
                None if is_partial && self.running.contains_key(&kind) => {}
                None => self.not_served(kind).await,
            }
        }
    }

    /// Starts the machine of a kind unless it runs in just this way.
    fn start_machine(&mut self, kind: KindId, served: Served) {
        let is_watched = self.fleet.watched.read().unwrap_or_else(PoisonError::into_inner).contains(&kind);
        let Some(info) = self.fleet.kinds.info(kind).filter(|_| is_watched) else { return };
        if let Some((handle, how)) = self.running.get(&kind) {
            if *how == served {
                return;
            }
            handle.abort();
        }
        let machine = Machine::new(Arc::clone(&self.context), kind, &info, served.clone());
        self.context.board.stand(kind, KindStatus::Waiting, 0);
        let handle = self.machines.spawn(machine.run());
        self.kind_of.insert(handle.id(), kind);
        self.running.insert(kind, (handle, served));
    }

    async fn not_served(&mut self, kind: KindId) {
        let id = self.context.id;
        let mut deltas = Vec::new();
        if let Some((handle, _)) = self.running.remove(&kind) {
            handle.abort();
            deltas.extend([Delta::ListBegin(id, kind), Delta::ListDone(id, kind)]);
        }
        self.context.board.stand(kind, KindStatus::NotServed, 0);
        deltas.push(Delta::Kind(id, kind, KindStatus::NotServed));
        let _ = self.out.send(deltas).await;
    }

    /// A machine ended by itself: it panicked, or nobody listens. What panicked is started again at the next look at
    /// what is served, not at once: it would panic again.
    async fn machine_ended(&mut self, ended: Result<(Id, ()), tokio::task::JoinError>) {
        let id = match &ended {
            Ok((id, ())) => *id,
            Err(error) => error.id(),
        };
        let Some(kind) = self.kind_of.remove(&id) else { return };
        let Err(error) = ended else { return };
        if error.is_panic() {
            self.running.remove(&kind);
            let cause = Cause::new(CauseCode::Internal, panic_text(error));
            let status = KindStatus::Failing(cause);
            self.context.board.stand(kind, status.clone(), 1);
            let _ = self.out.send(vec![Delta::Kind(self.context.id, kind, status)]).await;
        }
    }

    /// State from the standings of the kinds.
    async fn judge(&mut self) {
        let Verdict { state, cause, progress } = self.context.board.verdict();
        if state == ClusterState::Live {
            self.was_live = true;
            self.backoff.reset();
            if self.context.board.tally().unreadable != self.facts.unreadable {
                // Who waits for the whole picture must know what is not in it.
                self.tell_facts().await;
            }
        }
        if let Some(cause) = self.login.clone() {
            // Open watches are not cut off, but nothing new can be asked: say it before they end.
            return self.set_state(ClusterState::LoginExpired, Some(cause), progress).await;
        }
        let before = self.condition.cause.clone();
        let cause = match state {
            // Why everything is listed again stays on the screen until it is.
            ClusterState::Syncing => cause.or(before.filter(|c| c.code == CauseCode::OtherCluster)),
            // Kinds that wait to resume do not know what broke the connection.
            ClusterState::Stale if cause.as_ref().is_some_and(|c| c.detail.is_empty()) => before.or(cause),
            _ => cause,
        };
        self.set_state(state, cause, progress).await;
    }

    /// The connection is lost, or was never made; gives the wait before the next try.
    async fn lost(&mut self, cause: Cause) -> Duration {
        let state = match cause.code {
            CauseCode::Unauthorized | CauseCode::ExecPlugin | CauseCode::ClientCertificate => {
                ClusterState::LoginExpired
            }
            CauseCode::Forbidden => ClusterState::Forbidden,
            _ if self.was_live => ClusterState::Stale,
            _ => ClusterState::Unreachable,
        };
        let was_connected = matches!(self.condition.state, ClusterState::Live | ClusterState::Syncing);
        let asked = cause.retry_after.map(|s| Duration::from_secs(u64::from(s.min(300))));
        self.down(state, cause).await;
        if was_connected {
            self.facts.reconnects = self.facts.reconnects.saturating_add(1);
            self.throttled_before = self.facts.throttled;
            self.tell_facts().await;
            // The first try comes at once: most losses are one broken socket.
            return between(0.05, 0.5);
        }
        let wait = self.backoff.next();
        asked.map_or(wait, |a| a.max(wait))
    }

    async fn down(&mut self, state: ClusterState, cause: Cause) {
        let progress = self.condition.progress;
        self.set_state(state, Some(cause), progress).await;
    }

    async fn set_state(&mut self, state: ClusterState, cause: Option<Cause>, progress: (u16, u16)) {
        let since = if state == self.condition.state { self.condition.since } else { now() };
        let heard = self.heard();
        self.tell_condition(Condition { state, since, cause, heard, progress }).await;
    }

    fn heard(&self) -> crate::model::Millis {
        let now_open = self.gate.borrow().as_ref().map(Connection::heard);
        now_open.unwrap_or_default().max(self.condition.heard)
    }

    async fn tell_condition(&mut self, condition: Condition) {
        let is_news = Condition { heard: self.condition.heard, ..condition.clone() } != self.condition
            || condition.heard.0 == 0 && condition.state == ClusterState::Connecting;
        self.condition = condition;
        if is_news {
            let _ = self.out.send(vec![Delta::Condition(self.context.id, self.condition.clone())]).await;
        }
    }

    /// What is not urgent: when the cluster was last heard, and counters.
    async fn tell_news(&mut self, connection: &Connection) {
        let heard = self.heard();
        if heard != self.condition.heard {
            self.condition.heard = heard;
            let _ = self.out.send(vec![Delta::Condition(self.context.id, self.condition.clone())]).await;
        }
        self.facts.credential = connection.credential();
        self.facts.certificate = connection.certificate();
        self.facts.throttled = self.throttled_before.saturating_add(connection.throttled());
        self.facts.rtt_ms = connection.rtt().or(self.facts.rtt_ms);
        self.tell_facts().await;
        self.sweep();
    }

    async fn tell_facts(&mut self) {
        let tally = self.context.board.tally();
        self.facts.watches = tally.watches;
        self.facts.list_kbps = tally.list_kbps.or(self.facts.list_kbps);
        self.facts.unreadable = tally.unreadable;
        self.facts.unreadable_latest = tally.latest;
        if *self.told != self.facts {
            self.told = Arc::new(self.facts.clone());
            let _ = self.out.send(vec![Delta::Facts(self.context.id, Arc::clone(&self.told))]).await;
        }
    }

    /// Texts that only the interner holds are freed after lists, which is when many rows go at once.
    fn sweep(&mut self) {
        let lists = self.context.board.tally().lists;
        let (at, swept) = self.swept;
        if lists != swept && at.elapsed() >= SWEEP {
            self.context.interner.lock().unwrap_or_else(PoisonError::into_inner).sweep();
            self.swept = (tokio::time::Instant::now(), lists);
        }
    }
}

/// Whether a person must log in.
fn is_login(cause: &Cause) -> bool {
    matches!(cause.code, CauseCode::Unauthorized | CauseCode::ExecPlugin | CauseCode::ClientCertificate)
}

/// Time until the next moment at which all clusters tell their news.
fn until_news(every: Duration) -> Duration {
    let every = every.as_millis().max(1);
    let wait = every - u128::try_from(now().0).unwrap_or(0) % every;
    Duration::from_millis(u64::try_from(wait).unwrap_or(u64::MAX))
}

/// Opens the connection and asks who answers and what is served.
async fn open(
    fleet: &Fleet,
    access: Arc<crate::config::kubeconfig::Access>,
) -> Result<(Connection, Identity, Discovery), Cause> {
    let connection = Connection::open(access, Arc::clone(&fleet.shared)).await?;
    let (identity, discovery) =
        futures_util::future::join(identity::identify(&connection), discover(fleet, &connection)).await;
    Ok((connection, identity?, discovery?))
}

/// Discovery; where it may not be read, what every server has is assumed.
async fn discover(fleet: &Fleet, connection: &Connection) -> Result<Discovery, Cause> {
    let mut kinds: Vec<Arc<KindInfo>> = fleet.kinds.all().into_iter().map(|(_, info)| info).collect();
    kinds.push(Arc::new(metrics::kind()));
    let kinds: Vec<&KindInfo> = kinds.iter().map(|k| &**k).collect();
    match discovery::discover(connection, &kinds).await {
        Err(cause) if matches!(cause.code, CauseCode::Forbidden) || cause.status == Some(404) => {
            Ok(Discovery::blind(&kinds))
        }
        other => other,
    }
}
