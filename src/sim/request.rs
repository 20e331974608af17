//! One request from the wire to its answer: user, faults, permission, the right part of the server, the log.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, header};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::{
    Faults,
    answer::{self, Answer},
    auth::{self, Attempt, Identity},
    discovery,
    error::ApiError,
    faults::Switch,
    kubelet,
    list::{self, ListRequest, Pages},
    log::{Entry, RequestLog},
    path::{ApiPath, Query},
    store::ClusterStore,
    watch::{self, WatchRequest},
    write,
};

/// Largest body that is read (the API server's own limit).
const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// One cluster as it is served.
#[derive(Debug)]
pub struct Server {
    /// Its objects.
    pub store: Arc<ClusterStore>,
    /// Its faults.
    pub switch: Arc<Switch>,
    /// Its log.
    pub log: Arc<RequestLog>,
    /// Its paged lists.
    pub pages: Arc<Pages>,
    /// `v1.37.2`.
    pub git_version: String,
    /// Seed of its logs.
    pub seed: u64,
    /// The whole fleet's switches and logs by cluster name, so that one port can steer a cluster that is silent.
    pub fleet: Arc<super::serve::FleetIndex>,
}

/// A request with its parts read.
#[derive(Debug)]
pub struct Call {
    /// HTTP method.
    pub method: Method,
    /// Path.
    pub path: String,
    /// Query.
    pub query: Query,
    /// Headers.
    pub headers: HeaderMap,
    /// User.
    pub who: Identity,
    /// Body.
    pub body: Bytes,
}

impl Call {
    /// The field manager of a write: as given, else the user agent up to the slash.
    pub fn manager(&self) -> String {
        let given = self.query.get("fieldManager");
        if !given.is_empty() {
            return given.to_owned();
        }
        let agent = self.agent();
        let name = agent.split('/').next().unwrap_or_default();
        if name.is_empty() { "unknown".into() } else { name.chars().take(128).collect() }
    }

    fn agent(&self) -> String {
        self.headers.get(header::USER_AGENT).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned()
    }
}

/// Answers a request.
pub async fn handle(server: Arc<Server>, certificate: Option<Identity>, request: Request<Incoming>) -> Answer {
    let faults = server.switch.get();
    if faults.latency_ms > 0 {
        tokio::time::sleep(Duration::from_millis(faults.latency_ms)).await;
    }
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    let path = parts.uri.path().to_owned();
    let full = parts.uri.path_and_query().map_or_else(|| path.clone(), ToString::to_string);
    let api = ApiPath::parse(&path);
    let verb = api
        .as_ref()
        .map_or_else(|| parts.method.as_str().to_lowercase(), |api| api.verb(&parts.method, &query).to_owned());
    let Some(who) = auth::identify(certificate.as_ref(), &parts.headers) else {
        let answer = answer::error(&ApiError::new(401, "Unauthorized", "Unauthorized"), 0);
        return finish(&server, answer, entry(&verb, &full, &parts.headers, String::new()), &faults);
    };
    let entry = entry(&verb, &full, &parts.headers, who.user.clone());
    let body = match Limited::new(body, BODY_LIMIT).collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => {
            let error = ApiError::new(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728");
            return finish(&server, answer::error(&error, 0), entry, &faults);
        }
    };
    let call = Call { method: parts.method, path, query, headers: parts.headers, who, body };
    let answer = match dispatch(&server, &call, api.as_ref(), &verb, &faults).await {
        Ok(answer) => answer,
        Err(error) => answer::error(&error, if matches!(error.code, 429 | 503) { faults.retry_after } else { 0 }),
    };
    finish(&server, answer, entry, &faults)
}

fn entry(verb: &str, full: &str, headers: &HeaderMap, user: String) -> Entry {
    let agent = headers.get(header::USER_AGENT).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
    let dry = full.contains("dryRun=All") || full.contains("reviews") || full.starts_with("/sim/");
    let write = !dry && matches!(verb, "create" | "update" | "patch" | "delete" | "deletecollection");
    Entry { verb: verb.to_owned(), path: full.to_owned(), user_agent: agent, user, status: 0, write }
}

fn finish(server: &Server, mut answer: Answer, mut entry: Entry, faults: &Faults) -> Answer {
    entry.status = answer.status().as_u16();
    if !entry.path.starts_with("/sim/") {
        server.log.add(entry);
    }
    let now = server.store.clock.now().0 + faults.clock_skew_s * 1000;
    let date = jiff::Timestamp::from_millisecond(now).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let date = date.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    if let Ok(date) = HeaderValue::from_str(&date) {
        answer.headers_mut().insert(header::DATE, date);
    }
    answer
}

async fn dispatch(
    server: &Arc<Server>,
    call: &Call,
    api: Option<&ApiPath>,
    verb: &str,
    faults: &Faults,
) -> Result<Answer, ApiError> {
    if call.path.starts_with("/sim/") {
        return super::control::answer(server, call);
    }
    refuse(faults, api, verb)?;
    if let Some(answer) = discovery::answer(&server.store, &call.path, &call.headers) {
        return answer;
    }
    let Some(api) = api else {
        return plain(server, call);
    };
    if let Some(review) = super::review::answer(server, call, api) {
        return review;
    }
    let resource = server
        .store
        .served(&api.group, &api.version, &api.plural)
        .filter(|r| api.name.is_empty() || r.namespaced != api.namespace.is_empty())
        .ok_or_else(ApiError::no_such_path)?;
    let name = api.resource();
    let attempt = Attempt { verb, group: &api.group, resource: &name, namespace: &api.namespace, name: &api.name };
    if !auth::allowed(&server.store, &call.who, &attempt) {
        return Err(ApiError::new(403, "Forbidden", attempt.refusal(&call.who.user)));
    }
    if resource.group == "metrics.k8s.io" {
        kubelet::metrics::refresh(&server.store, server.seed);
    }
    match verb {
        "list" => {
            let (answer, count) = list::list(&ListRequest {
                store: &server.store,
                pages: &server.pages,
                resource: &resource,
                version: &api.version,
                namespace: &api.namespace,
                query: &call.query,
                headers: &call.headers,
            })?;
            let hundreds = u64::try_from(count.div_ceil(100)).unwrap_or(0);
            if faults.slow_list_ms > 0 {
                tokio::time::sleep(Duration::from_millis(faults.slow_list_ms * hundreds)).await;
            }
            Ok(answer)
        }
        "watch" => watch::watch(&WatchRequest {
            store: &server.store,
            log: &server.log,
            faults,
            resource: &resource,
            version: &api.version,
            namespace: &api.namespace,
            query: &call.query,
            headers: &call.headers,
        }),
        _ => write::answer(server, call, api, &resource, verb),
    }
}

/// The fault that refuses this request, if one does.
fn refuse(faults: &Faults, api: Option<&ApiPath>, verb: &str) -> Result<(), ApiError> {
    let plural = api.map_or("", |a| a.plural.as_str());
    let hit = faults.status != 0
        && (faults.status_for.is_empty() || faults.status_for == plural)
        && (faults.status_verb.is_empty() || faults.status_verb == verb);
    if !hit {
        return Ok(());
    }
    let mut error = match faults.status {
        401 => ApiError::new(401, "Unauthorized", "Unauthorized"),
        403 => {
            let empty = ApiPath::default();
            let api = api.unwrap_or(&empty);
            let resource = api.resource();
            let attempt =
                Attempt { verb, group: &api.group, resource: &resource, namespace: &api.namespace, name: &api.name };
            ApiError::new(403, "Forbidden", attempt.refusal("admin"))
        }
        429 => ApiError::new(429, "TooManyRequests", "too many requests, please try again later"),
        503 => ApiError::new(503, "ServiceUnavailable", "the server is currently unable to handle the request"),
        504 => ApiError::new(504, "Timeout", "the server was unable to return a response in the time allotted"),
        code => ApiError::new(code, "InternalError", "Internal error occurred: simulated fault"),
    };
    if faults.retry_after > 0 {
        error.details = json!({"retryAfterSeconds": faults.retry_after});
    }
    Err(error)
}

/// Paths outside the API proper.
fn plain(server: &Server, call: &Call) -> Result<Answer, ApiError> {
    match call.path.as_str() {
        "/version" | "/version/" => Ok(answer::json(200, &version(&server.git_version))),
        "/readyz" | "/livez" | "/healthz" | "/readyz/ping" | "/livez/ping" => Ok(answer::text(200, "ok")),
        path => {
            super::openapi::answer(server, path, call).unwrap_or_else(|| Ok(answer::text(404, "404 page not found\n")))
        }
    }
}

fn version(git: &str) -> Value {
    let mut numbers = git.trim_start_matches('v').split('.');
    let (major, minor) = (numbers.next().unwrap_or("1"), numbers.next().unwrap_or("0"));
    json!({
        "major": major, "minor": minor, "gitVersion": git, "gitCommit": "simulated", "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z", "goVersion": "go1.26.8", "compiler": "gc", "platform": "linux/amd64",
    })
}
