//! One scale of health for every kind of object.

use serde::{Deserialize, Serialize};

/// Health of an object, ordered from good to bad so that `max` is "the worst of".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Health {
    /// Works as wanted.
    #[default]
    Ok,
    /// Finished or deliberately off (completed Job, scaled to zero, suspended).
    Idle,
    /// On its way: rolling out, starting, terminating.
    Busy,
    /// Cannot be told.
    Unknown,
    /// Works, with something a person should look at.
    Warn,
    /// Does not work.
    Bad,
}

impl Health {
    /// Stable word for JSON and filters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::Unknown => "unknown",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }
}
