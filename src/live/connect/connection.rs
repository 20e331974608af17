//! What the rest of `live` sees of a connection.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, header, response::Parts};
use tokio::time::Instant;

use super::{
    body::{self, ByteStream},
    cause::{is_trouble, refusal},
    review,
    service::ReadService,
    session::Session,
    shared::Shared,
    throttle::Lane,
};
use crate::{
    config::kubeconfig::Access,
    model::{ApiCertificate, Cause, CauseCode, Credential, Millis},
};

/// Tries of a unary read.
const TRIES: u32 = 3;

/// Answer of a unary call, whole.
#[derive(Clone, Debug)]
pub struct Response {
    /// Status: a success, or a refusal of what was asked (404, 410, 422 ...).
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body, decompressed.
    pub bytes: Bytes,
}

impl Response {
    /// Itself when it is a success, else the cause with the server's words.
    pub fn ok(self) -> Result<Self, Cause> {
        if self.status.is_success() { Ok(self) } else { Err(refusal(self.status, &self.headers, &self.bytes)) }
    }
}

/// One cluster's connection. Cheap to clone; all clones share the socket, the credential and the manners.
#[derive(Clone)]
pub struct Connection {
    session: Arc<Session>,
    lane: Lane,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("lane", &self.lane)
            .field("dead", &self.session.dead())
            .finish_non_exhaustive()
    }
}

impl Connection {
    /// Obtains the credential, dials, shakes hands. No API request is made yet.
    pub async fn open(access: Arc<Access>, shared: Arc<Shared>) -> Result<Self, Cause> {
        let session = Box::pin(Session::open(&access, shared)).await?;
        Ok(Self { session, lane: Lane::Background })
    }

    /// The same connection in the lane of a waiting person: background reads never hold it up.
    #[must_use]
    pub fn interactive(&self) -> Self {
        Self { session: Arc::clone(&self.session), lane: Lane::Interactive }
    }

    /// kube's client over this connection, for its typed calls. A write is refused before it is sent.
    pub fn client(&self) -> kube::Client {
        let service = ReadService { session: Arc::clone(&self.session), lane: self.lane };
        kube::client::ClientBuilder::new(service, self.session.namespace.as_str()).build()
    }

    /// A unary read of `path` (with its query): at most three tries within `timeout`, `Retry-After` honoured where it fits
    /// and reported where it does not.
    ///
    /// `Ok` also for statuses that answer what was asked (404, 405, 410, 422 ...); 401, 403, 429, redirections and 5xx are
    /// causes.
    pub async fn get(&self, path: &str, accept: &str, timeout: Duration) -> Result<Response, Cause> {
        let request = request(path, accept, true)?;
        Box::pin(self.whole(&request, timeout)).await
    }

    /// A review of oneself (`selfsubjectreviews` and its kin), the only bodies that are ever sent.
    pub async fn review(&self, path: &str, body: Bytes, timeout: Duration) -> Result<Response, Cause> {
        let request = review::request(path, body)?;
        Box::pin(self.whole(&request, timeout)).await
    }

    /// A list or a watch: the head, then the body as it arrives. One try; the same statuses are causes as with
    /// [`Connection::get`]. `gzip` for lists alone: servers compress watches event by event, which costs more than it
    /// saves.
    pub async fn stream(&self, path: &str, accept: &str, gzip: bool) -> Result<(Parts, ByteStream), Cause> {
        let request = request(path, accept, gzip)?;
        // Boxed, as the unary calls are: a watch keeps its future for hours, and should not keep room for the call.
        Box::pin(self.begin(request)).await
    }

    /// When the last byte came (any stream, any ping answer).
    pub fn heard(&self) -> Millis {
        Millis(self.session.heard.load(Ordering::Relaxed))
    }

    /// The same, for those who look often; milliseconds since 1970.
    pub fn heard_cell(&self) -> Arc<AtomicI64> {
        Arc::clone(&self.session.heard)
    }

    /// Resolves when the connection is dead (broken, refused, or it missed its pings), with the cause. After that every
    /// call fails with it: open a new one.
    pub async fn silent(&self) -> Cause {
        self.session.died().await
    }

    /// The server's certificate, as the handshake showed it; `None` for plain HTTP.
    pub fn certificate(&self) -> Option<ApiCertificate> {
        self.session.certificate()
    }

    /// The credential in use (never the secret).
    pub fn credential(&self) -> Credential {
        self.session.credentials.shown()
    }

    /// The name by which the server knows us; it wins over the credential's own.
    pub fn know_user(&self, name: &str) {
        self.session.credentials.know_user(name);
    }

    /// Whether [`Connection::know_user`] was called.
    pub fn is_user_known(&self) -> bool {
        self.session.credentials.is_user_known()
    }

    /// Median round trip of the last probes, milliseconds.
    pub fn rtt(&self) -> Option<u32> {
        self.session.rtt()
    }

    /// Notes the round trip of a small request.
    pub fn note_round_trip(&self, took: Duration) {
        self.session.note_round_trip(took);
    }

    /// Answers 429 since the connection was opened.
    pub fn throttled(&self) -> u32 {
        self.session.throttled.load(Ordering::Relaxed)
    }

    async fn begin(&self, request: Request<Bytes>) -> Result<(Parts, ByteStream), Cause> {
        // A plugin has a limit of its own.
        self.session.credentials.grant().await?;
        let limit = self.session.shared.limits.headers;
        let sent = tokio::time::timeout(limit, self.session.send(self.lane, request)).await;
        let (parts, incoming) = sent.unwrap_or_else(|_| Err(too_slow(limit)))?.into_parts();
        let gzip = body::is_gzip(&parts.headers);
        if is_trouble(parts.status) {
            let bytes = tokio::time::timeout(limit, body::whole(incoming, gzip)).await;
            let bytes = bytes.ok().and_then(Result::ok).unwrap_or_default();
            return Err(self.session.credentials.explain(refusal(parts.status, &parts.headers, &bytes)));
        }
        let session = Arc::clone(&self.session);
        let pieces = body::pieces(incoming, gzip, move |e| {
            let session = Arc::clone(&session);
            async move { session.better(super::cause_of(&e)).await }
        });
        Ok((parts, pieces))
    }

    async fn whole(&self, request: &Request<Bytes>, timeout: Duration) -> Result<Response, Cause> {
        // A plugin has a limit of its own, which is not the server's fault.
        self.session.credentials.grant().await?;
        let deadline = Instant::now() + timeout;
        let tried = tokio::time::timeout_at(deadline, self.tries(request, deadline)).await;
        tried.unwrap_or_else(|_| Err(too_slow(timeout)))
    }

    async fn tries(&self, request: &Request<Bytes>, deadline: Instant) -> Result<Response, Cause> {
        let mut tried = 1;
        loop {
            let (cause, worth) = match self.once(request).await {
                Ok(answer) if !is_trouble(answer.status) => return Ok(answer),
                Ok(answer) => {
                    let cause = refusal(answer.status, &answer.headers, &answer.bytes);
                    (self.session.credentials.explain(cause), matches!(answer.status.as_u16(), 429 | 502 | 503 | 504))
                }
                Err(cause) => {
                    let worth = cause.code == CauseCode::Reset && self.session.dead().is_none();
                    (cause, worth)
                }
            };
            let asked = cause.retry_after.map(|s| Duration::from_secs(u64::from(s)));
            let wait = asked.unwrap_or_else(|| jittered(Duration::from_millis(200) * 4_u32.pow(tried - 1)));
            if !worth || tried == TRIES || Instant::now() + wait >= deadline {
                return Err(cause);
            }
            tokio::time::sleep(wait).await;
            tried += 1;
        }
    }

    async fn once(&self, request: &Request<Bytes>) -> Result<Response, Cause> {
        let (parts, incoming) = self.session.send(self.lane, request.clone()).await?.into_parts();
        let bytes = match body::whole(incoming, body::is_gzip(&parts.headers)).await {
            Ok(bytes) => bytes,
            Err(cause) => return Err(self.session.better(cause).await),
        };
        Ok(Response { status: parts.status, headers: parts.headers, bytes })
    }
}

pub(super) fn request(path: &str, accept: &str, gzip: bool) -> Result<Request<Bytes>, Cause> {
    Request::get(path)
        .header(header::ACCEPT, accept)
        .header(header::ACCEPT_ENCODING, if gzip { "gzip" } else { "identity" })
        .body(Bytes::new())
        .map_err(|e| Cause::new(CauseCode::Config, format!("{path:?} cannot be asked for: {e}")))
}

fn too_slow(limit: Duration) -> Cause {
    Cause::new(CauseCode::Timeout, format!("no answer within {} s", limit.as_secs_f32()))
}

/// Between half and the whole of it: clusters that failed together do not come back together.
fn jittered(wait: Duration) -> Duration {
    let random = getrandom::u32().unwrap_or(u32::MAX);
    wait / 2 + wait.mul_f64(f64::from(random) / f64::from(u32::MAX)) / 2
}
