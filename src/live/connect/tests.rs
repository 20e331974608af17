//! The connection against real sockets on loopback.
