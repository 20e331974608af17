//! The connection against real sockets on loopback.

mod cases;
mod credentials;
mod server;
mod ways;
