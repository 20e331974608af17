//! What the tasks of one cluster share.

use std::{
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use super::{Options, Times, board::Board, connect::Connection, decode::Decoder, pace::Lanes};
use crate::{
    fleet::{delta::Delta, intern::Interner},
    model::{ClusterId, Millis},
};

/// Bytes of list bodies that may be under way in the whole process.
pub const BYTES_IN_FLIGHT: usize = 64 << 20;

/// What one list may have under way: its HTTP/2 stream window.
const BYTES_PER_LIST: u32 = 2 << 20;

/// Waiting for room is bounded, so that a slow cluster that holds room never stops another for good.
const ROOM_PATIENCE: Duration = Duration::from_secs(2);

/// How first pictures are read from this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One stream with an end bookmark.
    Stream,
    /// Page by page.
    Pages,
}

/// Shared by the supervisor and the watch tasks of one cluster.
#[derive(Debug)]
pub struct Context {
    /// Cluster.
    pub id: ClusterId,
    /// To the owner of the store.
    pub out: mpsc::Sender<Vec<Delta>>,
    /// The connection while there is one. A change ends every request on the old one.
    pub gate: watch::Receiver<Option<Connection>>,
    /// Standings and counters.
    pub board: Board,
    /// How patient the watches are.
    pub times: Times,
    /// Lists at once.
    pub lanes: Arc<Lanes>,
    /// Room for list bodies, of the whole process.
    pub room: Arc<Semaphore>,
    /// Objects to rows.
    pub decoder: Decoder,
    /// Shared texts of the cluster's rows.
    pub interner: Arc<Mutex<Interner>>,
    /// Namespaces to fall back to where a kind may not be read in all; the first that is set counts.
    pub namespace: RwLock<String>,
    style: AtomicU8,
}

impl Context {
    /// A context without a connection yet.
    pub fn new(
        id: ClusterId,
        out: mpsc::Sender<Vec<Delta>>,
        gate: watch::Receiver<Option<Connection>>,
        options: &Options,
        room: Arc<Semaphore>,
        decoder: Decoder,
        interner: Arc<Mutex<Interner>>,
    ) -> Self {
        Self {
            id,
            out,
            gate,
            board: Board::default(),
            times: options.times.clone(),
            lanes: Arc::new(Lanes::new(options.lists)),
            room,
            decoder,
            interner,
            namespace: RwLock::new(String::new()),
            style: AtomicU8::new(Style::Pages as u8),
        }
    }

    /// How first pictures are read now.
    pub fn style(&self) -> Style {
        if self.style.load(Ordering::Relaxed) == Style::Stream as u8 { Style::Stream } else { Style::Pages }
    }

    /// Changes it, for all kinds of this server.
    pub fn set_style(&self, style: Style) {
        self.style.store(style as u8, Ordering::Relaxed);
    }

    /// The namespace to fall back to; empty = none.
    pub fn fallback_namespace(&self) -> String {
        self.namespace.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Room for one list body; `None` when none came free in time, which is no reason not to go on.
    pub async fn room(&self) -> Option<OwnedSemaphorePermit> {
        let room = Arc::clone(&self.room).acquire_many_owned(BYTES_PER_LIST);
        tokio::time::timeout(ROOM_PATIENCE, room).await.ok()?.ok()
    }
}

/// Our clock.
pub fn now() -> Millis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
