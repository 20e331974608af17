//! Watches: initial events, bookmarks, selectors, the end.
//!
//! A watcher reads the resource's window of changes at its own pace. One that falls out of the window gets 410 and ends:
//! that is the bound of its queue.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
use serde_json::json;
use tokio::{
    sync::watch::Receiver,
    time::{Instant, sleep_until},
};

use super::{
    Faults,
    answer::{self, Answer, Form},
    error::ApiError,
    kinds::Resource,
    log::RequestLog,
    object::{Stored, head},
    path::Query,
    select::Selector,
    store::{Change, ChangeKind, ClusterStore},
};

/// How often a bookmark is sent.
const BOOKMARK_EVERY: Duration = Duration::from_secs(55);
/// Changes looked at in one step.
const STEP: usize = 64;
/// Bytes after which a piece is sent, so that initial events of many objects do not pile up.
const PIECE: usize = 64 * 1024;

/// One watch request.
#[derive(Debug)]
pub struct WatchRequest<'a> {
    /// The cluster.
    pub store: &'a Arc<ClusterStore>,
    /// Its log, which counts open watches.
    pub log: &'a Arc<RequestLog>,
    /// Its faults.
    pub faults: &'a Faults,
    /// Resource.
    pub resource: &'a Resource,
    /// Version of the API it was asked in.
    pub version: &'a str,
    /// Namespace, empty for all.
    pub namespace: &'a str,
    /// Query.
    pub query: &'a Query,
    /// Headers.
    pub headers: &'a HeaderMap,
}

struct Watcher {
    store: Arc<ClusterStore>,
    log: Arc<RequestLog>,
    resource: Resource,
    namespace: String,
    selector: Selector,
    head: String,
    form: Form,
    /// Everything up to here has been sent.
    position: u64,
    initial: std::vec::IntoIter<Arc<Stored>>,
    end_bookmark: bool,
    bookmarks: bool,
    signal: Receiver<u64>,
    next_bookmark: Instant,
    end: Instant,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Initial,
    Live,
    Expired,
    Ended,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.log.watching(-1);
    }
}

/// Answers a watch.
pub fn watch(request: &WatchRequest<'_>) -> Result<Answer, ApiError> {
    let form = answer::form(request.headers)?;
    let query = request.query;
    let selector = Selector::parse(request.resource, query.get("labelSelector"), query.get("fieldSelector"))?;
    let streaming = query.flag("sendInitialEvents");
    if streaming || !query.get("sendInitialEvents").is_empty() {
        check_initial_events(request)?;
    }
    let asked = query.get("resourceVersion");
    let from: Option<u64> = match asked {
        "" | "0" => None,
        text => Some(
            text.parse().map_err(|_| ApiError::bad_request(format!("Invalid value: \"{text}\": invalid syntax")))?,
        ),
    };
    // Subscribed before anything is read, so that no change falls between.
    let signal = request.store.signal(request.resource.rid);
    let with_initial = streaming || (from.is_none() && query.get("sendInitialEvents").is_empty());
    let scope = Some(request.namespace).filter(|n| !n.is_empty());
    let (initial, position) = if with_initial {
        let listing = request.store.list(request.resource.rid, scope);
        (listing.items.into_iter().filter(|o| selector.matches(o)).collect(), listing.version)
    } else {
        (Vec::new(), from.unwrap_or_else(|| request.store.version()))
    };
    let resumed = !with_initial && from.is_some();
    let gone = resumed && (request.faults.gone || !request.store.reaches(request.resource.rid, position));
    let seconds = query.number("timeoutSeconds").and_then(|s| u64::try_from(s).ok()).filter(|s| *s > 0);
    let seconds = seconds.unwrap_or_else(|| 1800 + request.store.draw(|r| r.below(1800)));
    let api_version = request.resource.api_version(request.version);
    request.log.watching(1);
    let watcher = Watcher {
        store: Arc::clone(request.store),
        log: Arc::clone(request.log),
        resource: request.resource.clone(),
        namespace: request.namespace.to_owned(),
        selector,
        head: match form {
            Form::Object => head(&api_version, &request.resource.kind),
            Form::Metadata => head("meta.k8s.io/v1", "PartialObjectMetadata"),
        },
        form,
        position,
        initial: initial.into_iter(),
        end_bookmark: streaming && !request.faults.no_end_bookmark,
        bookmarks: query.flag("allowWatchBookmarks"),
        signal,
        next_bookmark: Instant::now() + BOOKMARK_EVERY,
        end: Instant::now() + Duration::from_secs(seconds),
        state: if gone { State::Expired } else { State::Initial },
    };
    Ok(answer::stream(stream::unfold(watcher, |mut watcher| async move {
        let piece = watcher.next().await?;
        Some((piece, watcher))
    })))
}

fn check_initial_events(request: &WatchRequest<'_>) -> Result<(), ApiError> {
    let refused = |field: &str, why: &str| {
        let mut error = ApiError::new(
            422,
            "Invalid",
            format!("ListOptions.meta.k8s.io \"\" is invalid: {field}: Forbidden: {why}"),
        );
        error.details = json!({"group": "meta.k8s.io", "kind": "ListOptions", "causes": [
            {"reason": "FieldValueForbidden", "message": format!("Forbidden: {why}"), "field": field}]});
        Err(error)
    };
    if request.faults.no_watch_list {
        return refused(
            "sendInitialEvents",
            "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
        );
    }
    if request.query.get("resourceVersionMatch") != "NotOlderThan" {
        return refused(
            "resourceVersionMatch",
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        );
    }
    Ok(())
}

impl Watcher {
    /// The next piece of the stream; `None` at its end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            match self.state {
                State::Ended => return None,
                State::Expired => {
                    self.state = State::Ended;
                    let message = format!("too old resource version: {} ({})", self.position, self.store.version());
                    let status = ApiError::expired(message).status();
                    return Some(Bytes::from(format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n")));
                }
                State::Initial => {
                    if let Some(piece) = self.initial_piece() {
                        return Some(piece);
                    }
                }
                State::Live => {
                    if let Some(piece) = self.live_piece() {
                        return Some(piece);
                    }
                    if self.state == State::Live
                        && let Some(piece) = self.wait().await
                    {
                        return Some(piece);
                    }
                }
            }
        }
    }

    fn initial_piece(&mut self) -> Option<Bytes> {
        let mut piece = Vec::new();
        while piece.len() < PIECE {
            let Some(object) = self.initial.next() else {
                self.state = State::Live;
                if self.end_bookmark {
                    piece.extend_from_slice(&self.bookmark(true));
                }
                break;
            };
            self.write(&mut piece, "ADDED", &object);
        }
        (!piece.is_empty()).then(|| Bytes::from(piece))
    }

    fn live_piece(&mut self) -> Option<Bytes> {
        let Ok((changes, now)) = self.store.changes(self.resource.rid, self.position, STEP) else {
            self.state = State::Expired;
            return None;
        };
        self.position = if changes.len() < STEP { now } else { changes.last().map_or(now, |c| c.object.version) };
        let mut piece = Vec::new();
        for change in &changes {
            if let Some(kind) = self.seen_as(change) {
                self.write(&mut piece, kind, &change.object);
            }
        }
        (!piece.is_empty()).then(|| Bytes::from(piece))
    }

    /// What a change is for this watcher: objects move into and out of its selector.
    fn seen_as(&self, change: &Change) -> Option<&'static str> {
        let object = &change.object;
        if !self.namespace.is_empty() && object.namespace() != self.namespace {
            return None;
        }
        let before = change.before.as_ref().is_some_and(|meta| self.selector.fits(object, meta));
        let after = change.kind != ChangeKind::Deleted && self.selector.matches(object);
        match (before, after) {
            (false, true) => Some("ADDED"),
            (true, true) => Some("MODIFIED"),
            (true, false) => Some("DELETED"),
            (false, false) => None,
        }
    }

    /// Waits for a change, the next bookmark or the end.
    async fn wait(&mut self) -> Option<Bytes> {
        tokio::select! {
            changed = self.signal.changed() => {
                if changed.is_err() {
                    self.state = State::Ended;
                }
                None
            }
            () = sleep_until(self.next_bookmark), if self.bookmarks => {
                self.next_bookmark = Instant::now() + BOOKMARK_EVERY;
                Some(self.bookmark(false))
            }
            () = sleep_until(self.end) => {
                self.state = State::Ended;
                self.bookmarks.then(|| self.bookmark(false))
            }
        }
    }

    fn write(&self, piece: &mut Vec<u8>, kind: &str, object: &Stored) {
        piece.extend_from_slice(format!("{{\"type\":\"{kind}\",\"object\":").as_bytes());
        piece.extend_from_slice(self.head.as_bytes());
        match self.form {
            Form::Object => piece.extend_from_slice(&object.rest),
            Form::Metadata => {
                piece.extend_from_slice(&object.metadata());
                piece.push(b'}');
            }
        }
        piece.extend_from_slice(b"}\n");
    }

    fn bookmark(&self, initial_end: bool) -> Bytes {
        let mut metadata = json!({"resourceVersion": self.position.to_string()});
        if initial_end {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        Bytes::from(format!("{{\"type\":\"BOOKMARK\",\"object\":{}\"metadata\":{metadata}}}}}\n", self.head))
    }
}
