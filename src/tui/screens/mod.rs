//! The screens, and how one is opened by name.

pub mod differences;
mod doc;
mod doc_view;
pub mod document;
#[cfg(test)]
mod everywhere;
mod faces;
#[cfg(test)]
mod fixture;
pub mod fleet;
pub mod matrix;
pub mod object;
pub mod objects;
pub mod origin;
pub mod placement;
pub mod text;
pub mod words;

use super::screen::{Scope, Screen, UpdateCtx};
use crate::model::KindId;

/// A place that the command line and keys can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// All clusters.
    Fleet,
    /// Services by clusters: what runs.
    Matrix,
    /// Services by clusters: what should be where.
    Placement,
    /// Objects of kinds, merged over clusters.
    Objects(Vec<KindId>),
}

/// Opens a place on a part of the fleet.
pub fn open(place: &Place, scope: &Scope, ctx: &mut UpdateCtx<'_>) -> Box<dyn Screen> {
    let mut screen: Box<dyn Screen> = match place {
        Place::Fleet => Box::new(fleet::FleetScreen::new(scope)),
        Place::Matrix => Box::new(matrix::MatrixScreen::new(scope)),
        Place::Placement => Box::new(placement::PlacementScreen::new(scope)),
        Place::Objects(kinds) => Box::new(objects::ObjectsScreen::new(kinds.clone(), scope)),
    };
    // Keys typed ahead find rows.
    screen.on_data(ctx);
    screen
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A screen of this kind with nothing on it.
    pub(crate) fn stub(kind: &'static str) -> Box<dyn Screen> {
        Box::new(document::Document::new(kind, kind, ""))
    }
}
