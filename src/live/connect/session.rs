//! A session with one server: the credential, the link of the moment, one retry after a 401, and the verdict that the
//! connection is dead.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, Uri, header};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::sync::watch;

use super::{
    credential::{Credentials, Grant},
    dial::{Place, dial},
    link::{Ending, Link, Redial},
    review::only_reads,
    shared::Shared,
    throttle::{Lane, Throttle},
    tls::{self, Recorder},
};
use crate::{
    config::kubeconfig::{Access, Impersonate},
    model::{Cause, CauseCode},
};

/// A session; shared by all clones of a connection.
pub(super) struct Session {
    pub(super) shared: Arc<Shared>,
    pub(super) credentials: Credentials,
    pub(super) throttle: Throttle,
    pub(super) heard: Arc<AtomicI64>,
    pub(super) throttled: AtomicU32,
    pub(super) namespace: String,
    /// Round trips of the last probes, milliseconds.
    pub(super) round_trips: Mutex<VecDeque<u32>>,
    place: Place,
    recorder: Option<Arc<Recorder>>,
    impersonation: Vec<(HeaderName, HeaderValue)>,
    link: tokio::sync::Mutex<Option<(Arc<Link>, u64)>>,
    dead: watch::Sender<Option<Cause>>,
    beating: OnceLock<()>,
}

impl Session {
    pub(super) async fn open(access: &Access, shared: Arc<Shared>) -> Result<Arc<Self>, Cause> {
        let place = Place::of(access, &shared)?;
        let credentials = Credentials::new(access, Arc::clone(&shared))?;
        let recorder = if place.tls { Some(recorder(access, &shared).await?) } else { None };
        let session = Arc::new(Self {
            credentials,
            throttle: Throttle::new(),
            heard: Arc::default(),
            throttled: AtomicU32::new(0),
            namespace: access.namespace.clone(),
            round_trips: Mutex::default(),
            place,
            recorder,
            impersonation: impersonation(&access.impersonate)?,
            link: tokio::sync::Mutex::new(None),
            dead: watch::Sender::new(None),
            beating: OnceLock::new(),
            shared,
        });
        let grant = session.credentials.grant().await?;
        session.link(&grant).await?;
        Ok(session)
    }

    /// Certificate of the server.
    pub(super) fn certificate(&self) -> Option<crate::model::ApiCertificate> {
        self.recorder.as_ref().and_then(|r| r.seen())
    }

    /// Resolves once the session is dead.
    pub(super) async fn died(&self) -> Cause {
        let mut dead = self.dead.subscribe();
        match dead.wait_for(Option::is_some).await {
            Ok(cause) => cause.clone().unwrap_or_else(|| Cause::new(CauseCode::Reset, "")),
            Err(_) => Cause::new(CauseCode::Reset, "closed"),
        }
    }

    /// The cause of death, if it is dead.
    pub(super) fn dead(&self) -> Option<Cause> {
        self.dead.borrow().clone()
    }

    fn declare_dead(&self, cause: Cause) {
        tracing::debug!(server = %self.place.authority, code = ?cause.code, detail = %cause.detail, "connection lost");
        self.dead.send_if_modified(|dead| {
            let first = dead.is_none();
            if first {
                *dead = Some(cause);
            }
            first
        });
    }

    /// Sends a read in its turn. Any answer is `Ok`, whatever its status; a 401 was retried with a renewed credential
    /// where there is one.
    pub(super) async fn send(
        self: &Arc<Self>,
        lane: Lane,
        request: Request<Bytes>,
    ) -> Result<Response<Incoming>, Cause> {
        only_reads(request.method(), request.uri().path())?;
        self.throttle.turn(lane).await;
        let grant = self.credentials.grant().await?;
        let answer = self.send_as(&grant, &request).await?;
        if answer.status() == StatusCode::UNAUTHORIZED
            && let Some(newer) = self.credentials.renew(grant.number).await?
        {
            let answer = self.send_as(&newer, &request).await?;
            self.credentials.judged(answer.status() != StatusCode::UNAUTHORIZED).await;
            return Ok(answer);
        }
        if answer.status() == StatusCode::TOO_MANY_REQUESTS {
            self.throttled.fetch_add(1, Ordering::Relaxed);
        }
        Ok(answer)
    }

    /// Sends with this credential; a link that closes before it took the request is replaced once.
    async fn send_as(self: &Arc<Self>, grant: &Grant, request: &Request<Bytes>) -> Result<Response<Incoming>, Cause> {
        let mut fresh = false;
        loop {
            let link = self.link(grant).await?;
            match link.send(self.dressed(request, grant)?).await {
                Ok(answer) => return Ok(answer),
                Err(e) if e.unsent && !fresh && self.dead().is_none() => fresh = true,
                Err(e) => return Err(self.better(e.cause).await),
            }
        }
    }

    /// What ended the connection, where that says more than the error of one stream.
    pub(super) async fn better(&self, cause: Cause) -> Cause {
        if !matches!(cause.code, CauseCode::Reset | CauseCode::Silent | CauseCode::Protocol) {
            return self.credentials.explain(cause);
        }
        // The verdict is passed by another task, a moment after the streams fail.
        let verdict = tokio::time::timeout(Duration::from_millis(100), self.died()).await;
        self.credentials.explain(verdict.unwrap_or(cause))
    }

    /// The link of the moment, dialled anew when the last one was closed or shows another certificate.
    async fn link(self: &Arc<Self>, grant: &Grant) -> Result<Arc<Link>, Cause> {
        if let Some(cause) = self.dead() {
            return Err(cause);
        }
        let mut slot = self.link.lock().await;
        let same = |a: &Option<Arc<_>>, b: &Option<Arc<_>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        if let Some((link, _)) = slot.as_ref()
            && !link.is_closed()
            && same(&link.identity, &grant.identity)
        {
            return Ok(Arc::clone(link));
        }
        let number = slot.as_ref().map_or(1, |(_, n)| n + 1);
        // Boxed: the many frames of dialling would lie in every request's future.
        match Box::pin(self.dial(grant, number)).await {
            Ok(link) => {
                let link = Arc::new(link);
                *slot = Some((Arc::clone(&link), number));
                Ok(link)
            }
            Err(cause) => {
                let cause = self.credentials.explain(cause);
                self.declare_dead(cause.clone());
                Err(cause)
            }
        }
    }

    async fn dial(self: &Arc<Self>, grant: &Grant, number: u64) -> Result<Link, Cause> {
        let config = match &self.recorder {
            Some(recorder) => Some(tls::client_config(recorder, grant.identity.as_deref())?),
            None => None,
        };
        let dialled = dial(&self.place, config.clone(), &self.shared, &self.heard).await?;
        let identity = grant.identity.clone();
        tracing::debug!(server = %self.place.authority, http2 = dialled.h2, "connected");
        if dialled.h2 {
            let ended = self.coroner(number);
            return Link::h2(dialled.io, identity, &self.shared.limits, Arc::clone(&self.heard), ended).await;
        }
        let weak = Arc::downgrade(self);
        let redial: Redial = Arc::new(move || {
            let (weak, config) = (weak.clone(), config.clone());
            Box::pin(async move {
                let gone = || Cause::new(CauseCode::Reset, "closed");
                let session = weak.upgrade().ok_or_else(gone)?;
                dial(&session.place, config, &session.shared, &session.heard).await.map(|d| d.io)
            })
        });
        self.heartbeat();
        Ok(Link::h1(dialled.io, identity, redial))
    }

    /// Watches the end of link `number`: broken while it is the link in use, the session is dead.
    fn coroner(self: &Arc<Self>, number: u64) -> watch::Sender<Option<Ending>> {
        let (ended, mut end) = watch::channel(None);
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            let ending = match end.wait_for(Option::is_some).await {
                Ok(ending) => ending.clone(),
                Err(_) => None,
            };
            let (Some(Ending::Broken(cause)), Some(session)) = (ending, weak.upgrade()) else { return };
            // While a successor is dialled, its outcome decides.
            let current = session.link.lock().await.as_ref().map(|(_, n)| *n);
            if current == Some(number) {
                let cause = session.credentials.explain(cause);
                session.declare_dead(cause);
            }
        });
        ended
    }

    /// HTTP/1.1 has no pings: a small request takes their place, whenever nothing was heard for a while.
    fn heartbeat(self: &Arc<Self>) {
        if self.beating.set(()).is_err() {
            return;
        }
        let weak = Arc::downgrade(self);
        let limits = self.shared.limits.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(limits.ping).await;
                let Some(session) = weak.upgrade() else { return };
                let silence = super::now().0 - session.heard.load(Ordering::Relaxed);
                if silence < i64::try_from(limits.ping.as_millis()).unwrap_or(i64::MAX) {
                    continue;
                }
                let request = Request::get("/version").body(Bytes::new());
                let Ok(request) = request else { return };
                let beat = tokio::time::timeout(limits.pong, session.send(Lane::Interactive, request)).await;
                let cause = match beat {
                    Ok(Ok(_)) => continue,
                    Ok(Err(cause)) => cause,
                    Err(_) => {
                        let silence = (super::now().0 - session.heard.load(Ordering::Relaxed)) / 1000;
                        Cause::new(
                            CauseCode::Silent,
                            format!("nothing heard for {silence} s, a small request unanswered"),
                        )
                    }
                };
                session.declare_dead(cause);
                return;
            }
        });
    }

    /// The request as it goes on the wire.
    fn dressed(&self, request: &Request<Bytes>, grant: &Grant) -> Result<Request<Full<Bytes>>, Cause> {
        let path = request.uri().path_and_query().map_or("/", |p| p.as_str());
        let uri = Uri::builder()
            .scheme(if self.place.tls { "https" } else { "http" })
            .authority(self.place.authority.as_str())
            .path_and_query(format!("{}{path}", self.place.prefix))
            .build()
            .map_err(|e| Cause::new(CauseCode::Config, e.to_string()))?;
        let mut dressed = Request::new(Full::new(request.body().clone()));
        *dressed.method_mut() = request.method().clone();
        *dressed.uri_mut() = uri;
        let headers = dressed.headers_mut();
        headers.clone_from(request.headers());
        headers
            .insert(header::USER_AGENT, HeaderValue::from_static(concat!("quarterdeck/", env!("CARGO_PKG_VERSION"))));
        if let Some(authorization) = &grant.header {
            headers.insert(header::AUTHORIZATION, authorization.clone());
        }
        for (name, value) in &self.impersonation {
            headers.append(name, value.clone());
        }
        Ok(dressed)
    }

    /// Notes a round trip for [`Session::rtt`].
    pub(super) fn note_round_trip(&self, took: Duration) {
        let mut trips = self.round_trips.lock().unwrap_or_else(PoisonError::into_inner);
        if trips.len() == 5 {
            trips.pop_front();
        }
        trips.push_back(u32::try_from(took.as_millis()).unwrap_or(u32::MAX));
    }

    /// Median of the last five round trips, milliseconds.
    pub(super) fn rtt(&self) -> Option<u32> {
        let trips = self.round_trips.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sorted: Vec<u32> = trips.iter().copied().collect();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }
}

/// The verifier; the machine's trust store is many files, so it is read off the runtime's threads.
async fn recorder(access: &Access, shared: &Arc<Shared>) -> Result<Arc<Recorder>, Cause> {
    if access.ca.is_some() || access.insecure {
        return tls::recorder(access, &shared.roots);
    }
    let (access, shared) = (access.clone(), Arc::clone(shared));
    let read = tokio::task::spawn_blocking(move || tls::recorder(&access, &shared.roots)).await;
    read.unwrap_or_else(|e| Err(Cause::new(CauseCode::TlsOther, e.to_string())))
}

fn impersonation(whom: &Impersonate) -> Result<Vec<(HeaderName, HeaderValue)>, Cause> {
    let mut headers = Vec::new();
    let mut add = |name: &str, value: &str| {
        let bad = || Cause::new(CauseCode::Config, format!("the impersonation of {value:?} cannot be sent"));
        let name = HeaderName::try_from(name).map_err(|_| bad())?;
        headers.push((name, HeaderValue::try_from(value).map_err(|_| bad())?));
        Ok::<(), Cause>(())
    };
    if !whom.user.is_empty() {
        add("impersonate-user", &whom.user)?;
    }
    if !whom.uid.is_empty() {
        add("impersonate-uid", &whom.uid)?;
    }
    for group in &whom.groups {
        add("impersonate-group", group)?;
    }
    for (key, values) in &whom.extra {
        for value in values {
            add(&format!("impersonate-extra-{}", escaped(key)), value)?;
        }
    }
    Ok(headers)
}

/// Keys of extra fields are header names: what those cannot hold is percent-escaped, as the API server expects.
fn escaped(key: &str) -> String {
    let mut out = String::new();
    for b in key.to_ascii_lowercase().bytes() {
        if b.is_ascii_alphanumeric() || b"!#$&'*+-.^_`|~".contains(&b) {
            out.push(char::from(b));
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}
