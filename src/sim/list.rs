//! Lists: selectors, pages, versions, metadata alone, gzip.

use std::{
    collections::VecDeque,
    io::Write as _,
    sync::{Arc, Mutex, PoisonError},
};

use base64::Engine as _;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, HeaderValue, header};
use serde_json::{Value, json};

use super::{
    answer::{self, Answer, Form},
    error::ApiError,
    kinds::{Resource, Rid},
    object::Stored,
    path::Query,
    select::Selector,
    store::ClusterStore,
};

/// Lists above this size are compressed for clients that ask (as the API server does).
const GZIP_ABOVE: usize = 128 * 1024;
/// Paged lists that can be continued at one time; the oldest expire.
const OPEN_PAGES: usize = 64;

/// The rest of paged lists, by resource, version and start: a page is read from the same moment as the one before.
#[derive(Debug, Default)]
pub struct Pages(Mutex<VecDeque<Rest>>);

#[derive(Clone, Debug)]
struct Rest {
    rid: Rid,
    version: u64,
    start: String,
    items: Vec<Arc<Stored>>,
}

impl Pages {
    fn keep(&self, rest: Rest) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() == OPEN_PAGES {
            open.pop_front();
        }
        open.push_back(rest);
    }

    fn take(&self, rid: Rid, version: u64, start: &str) -> Option<Vec<Arc<Stored>>> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Kept, not taken: a client may ask for the same page twice (after a timeout).
        open.iter().find(|r| r.rid == rid && r.version == version && r.start == start).map(|r| r.items.clone())
    }

    /// Forgets all: every continue token has expired.
    pub fn expire(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// One list request.
#[derive(Debug)]
pub struct ListRequest<'a> {
    /// The cluster.
    pub store: &'a ClusterStore,
    /// Open pages of the cluster.
    pub pages: &'a Pages,
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

struct Page {
    items: Vec<Arc<Stored>>,
    version: u64,
    token: Option<String>,
    remaining: Option<usize>,
}

/// Answers a list, with the number of objects in it.
pub fn list(request: &ListRequest<'_>) -> Result<(Answer, usize), ApiError> {
    let form = answer::form(request.headers)?;
    let selector =
        Selector::parse(request.resource, request.query.get("labelSelector"), request.query.get("fieldSelector"))?;
    let page = page(request, &selector)?;
    let count = page.items.len();
    Ok((body(request, page, form), count))
}

fn page(request: &ListRequest<'_>, selector: &Selector) -> Result<Page, ApiError> {
    let limit = request.query.number("limit").and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
    let token = request.query.get("continue");
    let asked = request.query.get("resourceVersion");
    if !token.is_empty() {
        if !asked.is_empty() && asked != "0" {
            return Err(ApiError::bad_request("specifying resource version is not allowed when using continue"));
        }
        return next_page(request, selector, token, limit);
    }
    let scope = Some(request.namespace).filter(|n| !n.is_empty());
    let exact = check_version(request, request.store.version())?;
    let listing = match exact {
        Some(version) => request.store.list_at(request.resource.rid, scope, version)?,
        None => request.store.list(request.resource.rid, scope),
    };
    let items = listing.items.into_iter().filter(|o| selector.matches(o)).collect();
    // The watch cache answers version 0 whole, whatever the limit.
    let limit = limit.filter(|_| asked != "0");
    Ok(cut(request, selector, items, listing.version, limit))
}

fn cut(
    request: &ListRequest<'_>,
    selector: &Selector,
    mut items: Vec<Arc<Stored>>,
    version: u64,
    limit: Option<usize>,
) -> Page {
    let Some(limit) = limit.filter(|l| *l < items.len()) else {
        return Page { items, version, token: None, remaining: None };
    };
    let rest = items.split_off(limit);
    let start = items.last().map(|o| o.key.to_string()).unwrap_or_default();
    let token = json!({"v": "meta.k8s.io/v1", "rv": version, "start": format!("{start}\0")}).to_string();
    let token = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(token);
    let remaining = selector.is_empty().then_some(rest.len());
    request.pages.keep(Rest { rid: request.resource.rid, version, start, items: rest });
    Page { items, version, token: Some(token), remaining }
}

fn next_page(
    request: &ListRequest<'_>,
    selector: &Selector,
    token: &str,
    limit: Option<usize>,
) -> Result<Page, ApiError> {
    let wrong = || ApiError::bad_request("invalid continue token: continue key is not valid");
    let text = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(token).map_err(|_| wrong())?;
    let parsed: Value = serde_json::from_slice(&text).map_err(|_| wrong())?;
    let start = parsed["start"].as_str().ok_or_else(wrong)?.trim_end_matches('\0').to_owned();
    let rid = request.resource.rid;
    if parsed["rv"].as_i64() == Some(-1) {
        // The consistent list expired and the client goes on with what there is now.
        let scope = Some(request.namespace).filter(|n| !n.is_empty());
        let listing = request.store.list(rid, scope);
        let items = listing.items.into_iter().filter(|o| *o.key > *start && selector.matches(o)).collect();
        return Ok(cut(request, selector, items, listing.version, limit));
    }
    let version = parsed["rv"].as_u64().ok_or_else(wrong)?;
    match request.pages.take(rid, version, &start) {
        Some(items) => Ok(cut(request, selector, items, version, limit)),
        None => Err(expired_token(&start)),
    }
}

fn expired_token(start: &str) -> ApiError {
    let token = json!({"v": "meta.k8s.io/v1", "rv": -1, "start": format!("{start}\0")}).to_string();
    let token = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(token);
    let mut error = ApiError::expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list without \
         the continue parameter, or use the continue token in this response to retrieve the remainder of the results. \
         Continuing with the provided token results in an inconsistent list - objects that were created, modified, or \
         deleted between the time the first chunk was returned and now may show up in the list.",
    );
    // The Status carries the token in its own metadata, see `ApiError::status`.
    error.details = json!({"continue": token});
    error
}

/// The version the list is to be read at, when it is not to be the newest.
fn check_version(request: &ListRequest<'_>, current: u64) -> Result<Option<u64>, ApiError> {
    let asked = request.query.get("resourceVersion");
    if asked.is_empty() || asked == "0" {
        return Ok(None);
    }
    let wanted: u64 = asked.parse().map_err(|_| {
        ApiError::bad_request(format!(
            "resourceVersion: Invalid value: \"{asked}\": strconv.ParseUint: parsing \"{asked}\": invalid syntax"
        ))
    })?;
    if wanted > current {
        let mut error =
            ApiError::new(504, "Timeout", format!("Too large resource version: {wanted}, current: {current}"));
        error.details = json!({"retryAfterSeconds": 1, "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]});
        return Err(error);
    }
    Ok((request.query.get("resourceVersionMatch") == "Exact" && wanted != current).then_some(wanted))
}

fn body(request: &ListRequest<'_>, page: Page, form: Form) -> Answer {
    let api_version = request.resource.api_version(request.version);
    let mut metadata = json!({"resourceVersion": page.version.to_string()});
    if let Some(token) = page.token {
        metadata["continue"] = json!(token);
    }
    if let Some(remaining) = page.remaining {
        metadata["remainingItemCount"] = json!(remaining);
    }
    let (kind, list_version) = match form {
        Form::Object => (format!("{}List", request.resource.kind), api_version.as_str()),
        Form::Metadata => ("PartialObjectMetadataList".to_owned(), "meta.k8s.io/v1"),
    };
    let start = format!("{{\"kind\":\"{kind}\",\"apiVersion\":\"{list_version}\",\"metadata\":{metadata},\"items\":[");
    // Items of built-in kinds carry no apiVersion and kind, those of custom ones do.
    let head = match form {
        Form::Metadata => super::object::head("meta.k8s.io/v1", "PartialObjectMetadata"),
        Form::Object if request.resource.custom => super::object::head(&api_version, &request.resource.kind),
        Form::Object => "{".to_owned(),
    };
    let (head, comma_head) = (Bytes::from(head.clone()), Bytes::from(format!(",{head}")));
    let mut pieces = Vec::with_capacity(page.items.len() * 3 + 2);
    pieces.push(Bytes::from(start));
    for (at, item) in page.items.iter().enumerate() {
        pieces.push(if at == 0 { head.clone() } else { comma_head.clone() });
        match form {
            Form::Object => pieces.push(item.rest.clone()),
            Form::Metadata => pieces.extend([item.metadata(), Bytes::from_static(b"}")]),
        }
    }
    pieces.push(Bytes::from_static(b"]}\n"));
    send(request.headers, pieces)
}

fn send(headers: &HeaderMap, pieces: Vec<Bytes>) -> Answer {
    let size: usize = pieces.iter().map(Bytes::len).sum();
    let gzip = headers.get(header::ACCEPT_ENCODING).and_then(|v| v.to_str().ok()).is_some_and(|v| v.contains("gzip"));
    if !gzip || size <= GZIP_ABOVE {
        return answer::stream(stream::iter(pieces));
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for piece in &pieces {
        // Writing into memory has no way to fail.
        let _ = encoder.write_all(piece);
    }
    let mut answer = answer::whole(200, "application/json", encoder.finish().unwrap_or_default());
    answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    answer.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    answer
}
