//! Our connection as the service under kube's client.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Incoming;
use kube::client::Body;

use super::{cause::CauseError, session::Session, throttle::Lane};
use crate::model::{Cause, CauseCode};

/// Sends kube's requests over the session.
#[derive(Clone)]
pub(super) struct ReadService {
    pub(super) session: Arc<Session>,
    pub(super) lane: Lane,
}

impl tower::Service<Request<Body>> for ReadService {
    type Response = Response<Incoming>;
    type Error = CauseError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, CauseError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CauseError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Self { session, lane } = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body: Bytes =
                body.collect_bytes().await.map_err(|e| CauseError(Cause::new(CauseCode::Config, e.to_string())))?;
            session.send(lane, Request::from_parts(parts, body)).await.map_err(CauseError)
        })
    }
}
