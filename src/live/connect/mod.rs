//! The connection to one API server: dialled, verified, authenticated and kept alive by a stack of our own, because the
//! stock client opens one HTTP/1.1 socket per request, notices a dead peer after minutes and runs credential plugins
//! on the terminal.
//!
//! From the outside in: [`Connection`] (unary reads, streams, kube's client) -> `session` (credentials, one retry after a
//! 401, one link) -> `link` (HTTP/2 or HTTP/1.1) -> `dial` (names, proxies, TCP, TLS). It only reads: the sole POSTs that
//! pass are the reviews of oneself.

mod body;
mod cause;
mod connection;
mod credential;
mod detached;
mod dial;
mod exec;
mod heard;
mod identity;
mod link;
mod plugins;
mod proxy;
mod review;
mod service;
mod session;
mod shared;
#[cfg(test)]
mod tests;
mod throttle;
mod tls;

pub use body::ByteStream;
pub use cause::{CauseError, cause_of, refusal};
pub use connection::{Connection, Response};
pub use detached::{DETACHED, detached};
pub use shared::{Limits, LoggedIn, Shared};

use crate::model::Millis;

/// The wall clock. Not for measuring: it may jump.
pub fn now() -> Millis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
