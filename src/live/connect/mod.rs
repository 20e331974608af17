//! The connection to one API server: dialled, verified, authenticated and kept alive by a stack of our own, because the
//! stock client opens one HTTP/1.1 socket per request, notices a dead peer after minutes and runs credential plugins
//! on the terminal.

use std::{
    pin::Pin,
    sync::{Arc, atomic::AtomicI64},
    time::Duration,
};

use bytes::Bytes;
use futures_util::Stream;
use http::{HeaderMap, StatusCode};

use crate::{
    config::kubeconfig::Access,
    model::{ApiCertificate, Cause, CauseCode, Credential, Millis},
};

/// Body of a list or a watch as it arrives, decompressed.
pub type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, Cause>> + Send>>;

/// What all clusters of the process share: credential plugins, trust store, proxies.
#[derive(Debug, Default)]
pub struct Shared {}

impl Shared {
    /// `env`: the process's variables, for the proxies.
    pub fn new(_env: &std::collections::BTreeMap<String, String>) -> Self {
        Self {}
    }
}

/// Answer of a unary call, whole, with a 2xx status.
#[derive(Clone, Debug)]
pub struct Response {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body, decompressed.
    pub bytes: Bytes,
}

/// One cluster's connection. Cheap to clone; all clones share the socket.
#[derive(Clone, Debug)]
pub struct Connection {
    heard: Arc<AtomicI64>,
}

impl Connection {
    /// Obtains the credential, dials, shakes hands. No API request is made yet.
    pub async fn open(_access: Arc<Access>, _shared: Arc<Shared>) -> Result<Self, Cause> {
        Err(Cause::new(CauseCode::Config, ""))
    }

    /// The same connection in the lane of a waiting person: background reads never hold it up.
    #[must_use]
    pub fn interactive(&self) -> Self {
        self.clone()
    }

    /// kube's client over this connection (reads only; a write is refused before it is sent).
    pub fn client(&self) -> Option<kube::Client> {
        None
    }

    /// A unary read: at most three tries within `timeout`, `Retry-After` honoured where it fits. Not 2xx is a cause.
    pub async fn get(&self, _path: &str, _accept: &str, _timeout: Duration) -> Result<Response, Cause> {
        Err(Cause::new(CauseCode::Config, ""))
    }

    /// A list or a watch: the headers, then the body as it arrives. One try. `gzip` for lists alone: servers compress
    /// watches event by event, which costs more than it saves.
    pub async fn stream(&self, _path: &str, _accept: &str, _gzip: bool) -> Result<(HeaderMap, ByteStream), Cause> {
        Err(Cause::new(CauseCode::Config, ""))
    }

    /// When the last byte came (any stream, any ping answer).
    pub fn heard(&self) -> Millis {
        Millis(self.heard.load(std::sync::atomic::Ordering::Relaxed))
    }

    /// The same, for those who look often.
    pub fn heard_cell(&self) -> Arc<AtomicI64> {
        Arc::clone(&self.heard)
    }

    /// Resolves when the connection is dead or missed its pings, with the cause. After that every call fails with it:
    /// open a new one.
    pub async fn silent(&self) -> Cause {
        std::future::pending().await
    }

    /// The server's certificate, as the handshake showed it.
    pub fn certificate(&self) -> Option<ApiCertificate> {
        None
    }

    /// The credential in use (never the secret).
    pub fn credential(&self) -> Credential {
        Credential::default()
    }

    /// Median round trip of the last unary calls.
    pub fn rtt(&self) -> Option<Duration> {
        None
    }

    /// Answers 429 since the connection was opened.
    pub fn throttled(&self) -> u32 {
        0
    }
}

/// The cause behind an error: the whole chain of sources is looked at.
pub fn cause_of(error: &(dyn std::error::Error + 'static)) -> Cause {
    Cause::new(CauseCode::Protocol, error.to_string())
}
