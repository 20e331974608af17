//! Faults of one cluster: the switch that holds them, and a connection that can fall silent or be reset.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, RwLock},
    task::{Context, Poll, Waker},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::watch,
};

use super::Faults;

/// The faults of one cluster, shared by its listener, its connections and its requests.
#[derive(Debug)]
pub struct Switch {
    faults: RwLock<Arc<Faults>>,
    sleepers: Mutex<Vec<Waker>>,
    changed: watch::Sender<u64>,
}

impl Switch {
    /// With the faults it starts with.
    pub fn new(faults: Faults) -> Arc<Self> {
        Arc::new(Self {
            faults: RwLock::new(Arc::new(faults)),
            sleepers: Mutex::new(Vec::new()),
            changed: watch::Sender::new(0),
        })
    }

    /// The faults as they are.
    pub fn get(&self) -> Arc<Faults> {
        Arc::clone(&self.faults.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Other faults from now on.
    pub fn set(&self, faults: Faults) {
        *self.faults.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(faults);
        self.changed.send_modify(|n| *n += 1);
        let sleepers = std::mem::take(&mut *self.sleepers.lock().unwrap_or_else(PoisonError::into_inner));
        for sleeper in sleepers {
            sleeper.wake();
        }
    }

    /// Moves at every change.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Ready when nothing may pass now; the task is woken at the next change.
    fn silenced(&self, context: &Context<'_>) -> bool {
        if !self.get().silent {
            return false;
        }
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).push(context.waker().clone());
        // The switch may have moved between the look and the entry in the list.
        self.get().silent
    }

    /// Waits until the cluster is not silent.
    pub async fn audible(&self) {
        let mut changes = self.changes();
        while self.get().silent {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits until every connection is to be reset.
    pub async fn reset(&self) {
        let mut changes = self.changes();
        while !self.get().reset {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
}

/// A TCP connection that moves no byte while its cluster is silent.
#[derive(Debug)]
pub struct Wire {
    /// The connection.
    pub stream: TcpStream,
    /// Its cluster's faults.
    pub switch: Arc<Switch>,
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.switch.silenced(context) {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.switch.silenced(context) {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.switch.silenced(context) {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
