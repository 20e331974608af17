//! Answers: bodies, errors, content negotiation.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use serde_json::Value;

use super::error::ApiError;

/// Body of an answer.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;
/// An answer.
pub type Answer = Response<Body>;

/// A whole body.
pub fn whole(status: u16, kind: &'static str, bytes: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(bytes.into()).boxed_unsync());
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    answer
}

/// A JSON document.
pub fn json(status: u16, value: &Value) -> Answer {
    whole(status, "application/json", value.to_string())
}

/// Plain text.
pub fn text(status: u16, words: impl Into<Bytes>) -> Answer {
    whole(status, "text/plain; charset=utf-8", words)
}

/// An error as a Status, with `Retry-After` where it is not 0.
pub fn error(error: &ApiError, retry_after: u32) -> Answer {
    let mut answer = json(error.code, &error.status());
    if retry_after > 0 {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after));
    }
    answer
}

/// A body that comes in pieces.
pub fn stream(pieces: impl Stream<Item = Bytes> + Send + 'static) -> Answer {
    let body = StreamBody::new(pieces.map(|piece| Ok::<_, Infallible>(Frame::data(piece))));
    let mut answer = Response::new(body.boxed_unsync());
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    answer
}

/// How objects are to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Whole.
    Object,
    /// Metadata alone.
    Metadata,
}

/// The first form of `Accept` that is spoken here; 406 when there is none.
pub fn form(headers: &HeaderMap) -> Result<Form, ApiError> {
    let accept = headers.get(header::ACCEPT).and_then(|v| v.to_str().ok()).unwrap_or("*/*");
    for clause in accept.split(',') {
        let mut parts = clause.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        let shape = parts.find_map(|p| p.strip_prefix("as="));
        match (kind, shape) {
            ("application/json" | "*/*" | "application/*", None) => return Ok(Form::Object),
            ("application/json", Some("PartialObjectMetadata" | "PartialObjectMetadataList")) => {
                return Ok(Form::Metadata);
            }
            _ => {}
        }
    }
    let message = "only the following media types are accepted: application/json";
    Err(ApiError::new(406, "NotAcceptable", message))
}
