//! Pod logs over HTTP: which lines are asked for, and following them as they come.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};

use super::{
    answer::{self, Answer},
    error::ApiError,
    kinds,
    kubelet::logs::Log,
    path::ApiPath,
    request::{Call, Server},
    store::ClusterStore,
};
use crate::model::{Millis, parse_rfc3339};

/// Lines that are still there; older ones were rotated away.
const KEPT: i64 = 2000;

/// Answers `pods/NAME/log`.
pub fn answer(server: &Server, call: &Call, api: &ApiPath) -> Result<Answer, ApiError> {
    let follow = Follow {
        store: Arc::clone(&server.store),
        seed: server.seed,
        namespace: api.namespace.clone(),
        pod: api.name.clone(),
        container: call.query.get("container").to_owned(),
        timestamps: call.query.flag("timestamps"),
    };
    let log = follow.log(call.query.flag("previous"))?;
    let now = server.store.clock.now();
    let (first, end) = window(&log, call, now);
    let mut text: String = (first..end).map(|n| follow.show(&log, n)).collect();
    if let Some(limit) = call.query.number("limitBytes").and_then(|n| usize::try_from(n).ok()) {
        text.truncate((0..=limit.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0));
    }
    if !call.query.flag("follow") || !log.goes_on() {
        return Ok(answer::text(200, text));
    }
    let rest = stream::unfold((follow, log, end), |(follow, log, next)| async move {
        follow.wait_for(&log, next).await?;
        let line = Bytes::from(follow.show(&log, next));
        Some((line, (follow, log, next + 1)))
    });
    let mut answer = answer::stream(stream::iter([Bytes::from(text)]).chain(rest));
    let plain = http::HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(http::header::CONTENT_TYPE, plain);
    Ok(answer)
}

/// Lines that the query asks for: numbers of the first and of the one after the last.
fn window(log: &Log, call: &Call, now: Millis) -> (i64, i64) {
    let end = log.count(now);
    let mut first = (end - KEPT).max(0);
    let since = match call.query.number("sinceSeconds") {
        Some(seconds) => Some(Millis(now.0 - seconds * 1000)),
        None => parse_rfc3339(call.query.get("sinceTime")),
    };
    if let Some(since) = since {
        first = first.max(log.first_since(since)).min(end);
    }
    if let Some(tail) = call.query.number("tailLines").filter(|t| *t >= 0) {
        first = first.max(end - tail);
    }
    (first, end)
}

struct Follow {
    store: Arc<ClusterStore>,
    seed: u64,
    namespace: String,
    pod: String,
    container: String,
    timestamps: bool,
}

impl Follow {
    fn log(&self, previous: bool) -> Result<Log, ApiError> {
        let pod = self.store.value(kinds::PODS, &self.namespace, &self.pod);
        let pod = pod.ok_or_else(|| ApiError::not_found(&self.store.resource(kinds::PODS), &self.pod))?;
        Log::of(&pod, &self.container, previous, self.seed).map_err(ApiError::bad_request)
    }

    fn show(&self, log: &Log, number: i64) -> String {
        let line = log.line(number);
        if self.timestamps { format!("{} {}\n", stamp(line.at), line.text) } else { format!("{}\n", line.text) }
    }

    /// Waits until a line is written; `None` when the container ended or its pod is gone.
    async fn wait_for(&self, log: &Log, number: i64) -> Option<()> {
        loop {
            let now = self.store.clock.now();
            if log.count(now) > number {
                return Some(());
            }
            let wait = (log.time_of(number).0 - now.0).clamp(20, 500);
            tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await;
            let current = self.log(false).ok()?;
            if !current.goes_on() || current.time_of(0) != log.time_of(0) {
                return None;
            }
        }
    }
}

/// With nanoseconds, as a kubelet writes it.
fn stamp(at: Millis) -> String {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%S.%9fZ").to_string()
}
