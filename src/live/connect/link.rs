//! One link to a server: an HTTP/2 connection that carries everything and pings while it is idle; or, where the server
//! has only HTTP/1.1, a small pool of connections with bounded buffers.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicI64, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::{body::Incoming, client::conn::http2};
use hyper_util::{
    client::legacy::{Client, connect::Connected},
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::watch,
};

use super::{
    cause::{CauseError, cause_of},
    heard::{BoxIo, Heard},
    identity::Identity,
    shared::Limits,
};
use crate::model::{Cause, CauseCode};

/// Per stream: carries 6.7 MB/s over a round trip of 300 ms.
const STREAM_WINDOW: u32 = 2 << 20;
/// For all streams of a connection together.
const CONNECTION_WINDOW: u32 = 8 << 20;
/// An HTTP/1.1 connection's buffer, which grows to 400 KiB by itself and stays there.
const H1_BUFFER: usize = 64 << 10;

/// Dials one more HTTP/1.1 connection.
pub(super) type Redial = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<BoxIo, Cause>> + Send>> + Send + Sync>;

enum Sender {
    H2(http2::SendRequest<Full<Bytes>>),
    H1(Box<Client<H1Connector, Full<Bytes>>>),
}

/// A link, and the certificate it was shaken with.
pub(super) struct Link {
    sender: Sender,
    /// Own certificate shown in the handshake.
    pub(super) identity: Option<Arc<Identity>>,
}

/// An error of one request on a link.
pub(super) struct SendError {
    /// Why.
    pub(super) cause: Cause,
    /// The request never left: the link was closing, and another one may take it.
    pub(super) unsent: bool,
}

impl Link {
    /// Shakes hands for HTTP/2. `ended` learns how the connection ended: `None` by agreement, else why.
    pub(super) async fn h2(
        io: BoxIo,
        identity: Option<Arc<Identity>>,
        limits: &Limits,
        heard: Arc<AtomicI64>,
        ended: watch::Sender<Option<Ending>>,
    ) -> Result<Self, Cause> {
        let fault = Arc::new(OnceLock::new());
        let io = Noted { inner: io, fault: Arc::clone(&fault) };
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .keep_alive_interval(limits.ping)
            .keep_alive_timeout(limits.pong)
            .keep_alive_while_idle(true)
            .handshake(TokioIo::new(io))
            .await
            .map_err(|e| cause_of(&e))?;
        // Silence as long as a missed ping takes (a tenth less, for coarse clocks) is what ended a silent connection: the
        // library reports nothing but the end.
        let missed = i64::try_from((limits.ping + limits.pong).as_millis() * 9 / 10).unwrap_or(i64::MAX);
        tokio::spawn(async move {
            let end = connection.await;
            let silence = super::now().0 - heard.load(Ordering::Relaxed);
            let ending = match (fault.get(), end) {
                (Some(cause), _) => Ending::Broken(cause.clone()),
                (None, _) if silence >= missed => Ending::Broken(Cause::new(
                    CauseCode::Silent,
                    format!("nothing heard for {} s, pings unanswered", silence / 1000),
                )),
                (None, Err(e)) => Ending::Broken(cause_of(&e)),
                (None, Ok(())) => Ending::Agreed,
            };
            ended.send_replace(Some(ending));
        });
        Ok(Self { sender: Sender::H2(sender), identity })
    }

    /// A pool of HTTP/1.1 connections that begins with `first`.
    pub(super) fn h1(first: BoxIo, identity: Option<Arc<Identity>>, redial: Redial) -> Self {
        let connector = H1Connector { first: Arc::new(std::sync::Mutex::new(Some(first))), redial };
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .http1_max_buf_size(H1_BUFFER)
            .retry_canceled_requests(true)
            .build(connector);
        Self { sender: Sender::H1(Box::new(client)), identity }
    }

    /// Takes no more requests.
    pub(super) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::H2(sender) => sender.is_closed(),
            Sender::H1(_) => false,
        }
    }

    /// Sends a request and waits for the head of the answer.
    pub(super) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, SendError> {
        match &self.sender {
            Sender::H2(sender) => {
                let mut sender = sender.clone();
                if let Err(e) = sender.ready().await {
                    return Err(SendError { cause: cause_of(&e), unsent: true });
                }
                sender
                    .send_request(request)
                    .await
                    .map_err(|e| SendError { cause: cause_of(&e), unsent: e.is_canceled() })
            }
            Sender::H1(client) => {
                client.request(request).await.map_err(|e| SendError { cause: cause_of(&e), unsent: false })
            }
        }
    }
}

/// How a link ended.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// Closed in order, as servers do to spread their load: the next request dials again.
    Agreed,
    /// Broken, or silent.
    Broken(Cause),
}

/// Keeps the first error of a stream: the HTTP/2 library swallows what ended an idle connection.
struct Noted {
    inner: BoxIo,
    fault: Arc<OnceLock<Cause>>,
}

impl Noted {
    fn note<T>(&self, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(e)) = &polled {
            let _ = self.fault.set(cause_of(e));
        }
        polled
    }
}

impl AsyncRead for Noted {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        self.note(polled)
    }
}

impl AsyncWrite for Noted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.note(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.note(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_flush(cx);
        self.note(polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// Hands out the stream that is open already, then dials.
#[derive(Clone)]
struct H1Connector {
    first: Arc<std::sync::Mutex<Option<BoxIo>>>,
    redial: Redial,
}

impl hyper_util::client::legacy::connect::Connection for Heard<BoxIo> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl tower::Service<http::Uri> for H1Connector {
    type Response = TokioIo<Heard<BoxIo>>;
    type Error = CauseError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, CauseError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CauseError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: http::Uri) -> Self::Future {
        let first = self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let redial = Arc::clone(&self.redial);
        Box::pin(async move {
            let io = match first {
                Some(io) => io,
                None => redial().await.map_err(CauseError)?,
            };
            Ok(TokioIo::new(Heard { inner: io, at: Arc::new(AtomicI64::new(0)) }))
        })
    }
}
