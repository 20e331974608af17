//! The screens, and how one is opened by name.

mod empty;

use super::screen::{Scope, Screen, UpdateCtx};
use crate::model::KindId;

/// A place that the command line and keys can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// All clusters.
    Fleet,
    /// Services by clusters.
    Matrix,
    /// Objects of kinds, merged over clusters.
    Objects(Vec<KindId>),
}

/// Opens a place on a part of the fleet.
pub fn open(place: &Place, scope: &Scope, _ctx: &mut UpdateCtx<'_>) -> Box<dyn Screen> {
    match place {
        Place::Fleet => Box::new(empty::Empty::new("fleet", scope)),
        Place::Matrix => Box::new(empty::Empty::new("matrix", scope)),
        Place::Objects(_) => Box::new(empty::Empty::new("objects", scope)),
    }
}
