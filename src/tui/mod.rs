//! The screen: a loop that owns the store, screens that draw it, and the chrome around them.
//!
//! Elm-like: `app` holds the state and turns events into effects, `view` draws, `run` is the only place with channels, a
//! terminal and a clock. No client and no kube here: what a screen wants from a cluster it asks of `live`.

pub mod action;
pub mod app;
mod chrome;
pub mod clipboard;
mod clusters;
pub mod command;
mod editor;
mod files;
pub mod glyphs;
mod help;
mod history;
mod input;
pub mod kept;
pub mod key;
pub mod keymap;
mod notices;
pub mod output;
mod query;
mod run;
pub mod screen;
pub mod screens;
mod signals;
pub mod terminal;
pub mod theme;
mod trace;
mod typed;
mod wanted;
pub mod widgets;

pub use run::run;
