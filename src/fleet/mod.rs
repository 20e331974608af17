//! The trimmed cache of the whole fleet and its views, pure: no tokio, no client, no clock.
//!
//! [`Store`] is owned by exactly one party (the screen's loop, or a command). Watch tasks in `live` decode objects into
//! packed [`row`]s and send [`delta`]s; the owner applies them, which costs work proportional to the change. Views
//! ([`inventory`], [`matrix`], [`list`]) are read from it; nothing is copied for a frame and nothing is locked.

mod cell;
mod changes;
mod cluster;
mod columns;
pub mod delta;
pub mod filter;
pub mod intern;
pub mod inventory;
pub mod list;
pub mod matrix;
mod order;
pub mod owner;
pub mod persist;
mod plugins;
mod rebuild;
mod risk;
pub mod row;
pub mod selector;
pub mod service;
mod services;
mod store;
mod summary;
mod support;
mod table;
mod tally;
#[cfg(test)]
mod testing;
mod typed;
mod wire;

pub use store::{Applied, RowRef, Shard, Store};
