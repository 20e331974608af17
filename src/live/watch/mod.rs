//! One kind in one cluster: read once, then followed.
//!
//! A machine with named [`State`]s and one `step` that does what the state says. Its state changes only when everything
//! that led to it has been handed to the owner of the store, so that a step may be cut off at any await (the connection
//! died, the supervisor ends) and the next one goes on from what the owner knows.
//!
//! A fresh picture never replaces the rows of the old one at once: it begins with `ListBegin`, upserts what it names, and
//! ends with `ListDone`, on which the owner sweeps what was not named. There are never two copies.

mod path;
mod picture;
mod trouble;

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;

use super::{
    batch::{Batch, OwnerGone},
    bounded::{EVENTS, Newest},
    connect::{ByteStream, Connection, refusal},
    context::{Context, Style},
    discovery::Served,
    pace::{Backoff, between},
};
use crate::{
    fleet::delta::Delta,
    model::{Builtin, Cause, CauseCode, KindId, KindInfo, KindStatus},
};
pub use path::{Collection, PAGE};

/// What is read of the body of a refusal, bytes.
const REFUSAL: usize = 64 << 10;

/// What waits is sent after so long, unless nothing was sent lately: then at once.
const GATHER: Duration = Duration::from_millis(20);

/// Where a machine stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing is known, or what is known is too old: a fresh picture is needed. Leads to `Watching` or `Polling`.
    Start,
    /// The picture is complete up to this version; changes are followed from there. Stays while streams end and are
    /// opened again; 410 leads back to `Start`, a forbidden watch to `Polling`.
    Watching(String),
    /// May be listed but not watched: read again every few seconds.
    Polling,
    /// May not be read. Tried again after five minutes, or on a new connection.
    Denied,
    /// Not served. Tried again like `Denied`.
    Absent,
}

/// Why a step ended.
#[derive(Debug)]
pub(super) enum End {
    /// The owner of the store is gone.
    Owner,
    /// Something failed.
    Failed(Cause),
}

impl From<OwnerGone> for End {
    fn from(_: OwnerGone) -> Self {
        Self::Owner
    }
}

impl From<Cause> for End {
    fn from(cause: Cause) -> Self {
        Self::Failed(cause)
    }
}

/// Waits for a connection; `None` when there will be none any more.
async fn opened(gate: &mut tokio::sync::watch::Receiver<Option<Connection>>) -> Option<Connection> {
    let open = gate.wait_for(Option::is_some).await.ok()?;
    open.clone()
}

/// The cause in an answer that is not a success; of its body no more than a `Status` needs.
async fn refused(parts: &http::response::Parts, mut body: ByteStream) -> Cause {
    let mut bytes = Vec::new();
    while let Some(Ok(chunk)) = body.next().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > REFUSAL {
            break;
        }
    }
    refusal(parts.status, &parts.headers, &bytes)
}

/// The task of one kind in one cluster.
#[derive(Debug)]
pub struct Machine {
    context: Arc<Context>,
    kind: KindId,
    resource: String,
    served: Served,
    at: Collection,
    state: State,
    /// Becomes `state` when the batch has been handed over.
    next: Option<State>,
    status: KindStatus,
    /// For the board once it has been handed over: the cluster is not live before its rows are there.
    untold: Option<(KindStatus, u32)>,
    /// Lower ranks are listed first.
    rank: u16,
    backoff: Backoff,
    batch: Batch,
    newest: Option<Newest>,
    /// Broken first streams in a row.
    broken_streams: u32,
    /// Streaming a first picture was refused to this kind on this connection.
    no_stream: bool,
    /// Watching was refused to this kind on this connection.
    no_watch: bool,
    /// Waits between pictures that a server calls too old as soon as they are complete.
    stale_pictures: Backoff,
    /// A page token expired in mid-list: the next list is read in one.
    no_pages: bool,
    /// Rows of the running picture.
    rows: u32,
}

impl Machine {
    /// A machine at the start.
    pub fn new(context: Arc<Context>, kind: KindId, info: &KindInfo, served: Served) -> Self {
        let is_event = kind == Builtin::Event.id();
        let batch = Batch::new(context.id, kind);
        let (first_wait, longest_wait) = context.times.backoff;
        let fields = if is_event { "type=Warning" } else { "" };
        Self {
            at: Collection::new(&served, "", fields),
            context,
            kind,
            resource: info.resource(),
            no_watch: !served.can_watch,
            served,
            state: State::Start,
            next: None,
            status: KindStatus::Waiting,
            untold: None,
            rank: if is_event { u16::MAX } else { kind.0 },
            backoff: Backoff::new(first_wait, longest_wait),
            batch,
            newest: is_event.then(|| Newest::new(EVENTS)),
            broken_streams: 0,
            no_stream: false,
            stale_pictures: Backoff::new(first_wait, longest_wait),
            no_pages: false,
            rows: 0,
        }
    }

    /// Runs until the owner of the store or the supervisor is gone.
    pub async fn run(mut self) {
        let mut gate = self.context.gate.clone();
        self.context.board.stand(self.kind, self.status.clone(), 0);
        loop {
            let Some(connection) = opened(&mut gate).await else { return };
            let end = loop {
                let step = tokio::select! {
                    biased;
                    change = gate.changed() => match change {
                        Ok(()) => break Ok(()),
                        Err(_) => return,
                    },
                    step = self.turn(&connection) => step,
                };
                if let Err(OwnerGone) = step {
                    break Err(OwnerGone);
                }
            };
            if end.is_err() || self.connection_lost().await.is_err() {
                return;
            }
        }
    }

    /// One step and, where it failed, what follows from that.
    async fn turn(&mut self, connection: &Connection) -> Result<(), OwnerGone> {
        match self.step(connection).await {
            Ok(()) => Ok(()),
            Err(End::Owner) => Err(OwnerGone),
            Err(End::Failed(cause)) => self.failed(cause).await,
        }
    }

    /// Does what the state says.
    async fn step(&mut self, connection: &Connection) -> Result<(), End> {
        match self.state.clone() {
            State::Start => self.start(connection).await,
            State::Watching(version) => self.resume(connection, &version).await,
            State::Polling => {
                tokio::time::sleep(self.context.times.poll).await;
                self.pages(connection).await
            }
            State::Denied | State::Absent => {
                let recheck = self.context.times.recheck.as_secs_f64();
                tokio::time::sleep(between(recheck * 0.9, recheck * 1.1)).await;
                self.forget_refusals();
                self.state = State::Start;
                Ok(())
            }
        }
    }

    async fn start(&mut self, connection: &Connection) -> Result<(), End> {
        if self.context.style() == Style::Stream && !self.no_stream && !self.no_watch {
            self.stream(connection).await
        } else {
            self.pages(connection).await
        }
    }

    /// Opens a list or a watch. What is not a success is a cause.
    async fn open(&self, connection: &Connection, verb: &str, path: &str, gzip: bool) -> Result<ByteStream, Cause> {
        let patience = self.context.times.headers;
        let opening = async {
            let (parts, body) = connection.stream(path, "application/json", gzip).await?;
            if parts.status.is_success() { Ok(body) } else { Err(refused(&parts, body).await) }
        };
        let answer = tokio::time::timeout(patience, opening)
            .await
            .unwrap_or_else(|_| Err(Cause::new(CauseCode::Timeout, format!("no answer for {} s", patience.as_secs()))));
        answer.map_err(|cause| self.about(cause, verb))
    }

    /// The cause, saying what was being done.
    fn about(&self, cause: Cause, verb: &str) -> Cause {
        cause.during(verb, &self.resource, self.at.namespace())
    }

    /// The connection is gone: the rows are the last known ones until the next one answers.
    async fn connection_lost(&mut self) -> Result<(), OwnerGone> {
        let is_untold = !self.batch.is_empty();
        self.batch.clear();
        self.next = None;
        self.untold = None;
        self.forget_refusals();
        if matches!(self.state, State::Denied | State::Absent) {
            self.state = State::Start;
        }
        if matches!(self.status, KindStatus::Live | KindStatus::Polling | KindStatus::Stale(_)) {
            let cause = Cause::new(CauseCode::Silent, String::new());
            self.set_status(KindStatus::Stale(self.about(cause, "watch")), 0);
            self.flush().await?;
        } else if is_untold {
            // A status may have been among what was dropped: whatever comes next is told again.
            self.status = KindStatus::Waiting;
        }
        Ok(())
    }

    fn forget_refusals(&mut self) {
        self.no_stream = false;
        self.no_pages = false;
        self.no_watch = !self.served.can_watch;
        self.broken_streams = 0;
    }

    /// Notes a status for the screens, in order with the rows.
    fn set_status(&mut self, status: KindStatus, failures: u32) {
        self.untold = Some((status.clone(), failures));
        if self.status != status {
            self.status = status.clone();
            self.batch.delta(Delta::Kind(self.context.id, self.kind, status));
        }
    }

    /// Hands over what waits, and only then goes to the state that follows from it.
    async fn flush(&mut self) -> Result<(), OwnerGone> {
        if !self.batch.is_empty() {
            self.batch.send(&self.context.out).await?;
        }
        if let Some(next) = self.next.take() {
            self.state = next;
        }
        if let Some((status, failures)) = self.untold.take() {
            self.context.board.stand(self.kind, status, failures);
        }
        Ok(())
    }
}
