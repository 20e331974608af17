//! Quarterdeck: the on-call console for a fleet of Kubernetes clusters.
//!
//! Data flows one way: clusters and files -> [`live`] and [`config`] -> the pure cache and its views in [`fleet`] ->
//! the screens in [`tui`] and the commands in [`cli`]. [`model`] holds the words that all of them share and knows nobody;
//! [`mod@messages`] holds every text that a person reads. [`sim`] is a simulated fleet that the rest reaches over HTTP, like
//! any cluster. ARCHITECTURE.md has the map and the invariants, `tests/` holds them.

pub mod cli;
pub mod config;
pub mod desired;
pub mod drift;
pub mod fault;
pub mod fleet;
pub mod live;
pub mod messages;
pub mod model;
pub mod render;
pub mod schema;
pub mod shape;
pub mod sim;
pub mod situation;
pub mod tui;
