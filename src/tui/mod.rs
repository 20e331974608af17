//! The screen: a loop that owns the store, screens that draw it, and the chrome around them.
//!
//! Elm-like: `app` holds the state and turns events into effects, `view` draws, `run` is the only place with channels, a
//! terminal and a clock. No client and no kube here: what a screen wants from a cluster it asks of `live`.

pub mod action;
pub mod app;
mod chrome;
mod clusters;
pub mod command;
mod files;
pub mod glyphs;
mod help;
mod history;
pub mod key;
pub mod keymap;
mod notices;
pub mod screen;
pub mod screens;
pub mod theme;
pub mod widgets;
