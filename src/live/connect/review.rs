//! What may leave: reads, and the reviews of oneself, which are POSTs that store nothing.

use bytes::Bytes;
use http::{HeaderValue, Method, Request, header};

use crate::model::{Cause, CauseCode};

/// Who am I, what may I do: the only paths that are ever posted to.
const REVIEWS: [&str; 3] = [
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
];

/// Refuses whatever could change a cluster, before it is sent.
pub(super) fn only_reads(method: &Method, path: &str) -> Result<(), Cause> {
    let passes = match *method {
        Method::GET | Method::HEAD | Method::OPTIONS => true,
        Method::POST => REVIEWS.contains(&path),
        _ => false,
    };
    if passes { Ok(()) } else { Err(Cause::new(CauseCode::Config, format!("{method} {path} is not a read"))) }
}

/// The request of a review.
pub(super) fn request(path: &str, body: Bytes) -> Result<Request<Bytes>, Cause> {
    let mut request = super::connection::request(path, "application/json", false)?;
    *request.method_mut() = Method::POST;
    request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    *request.body_mut() = body;
    Ok(request)
}
