//! The common mistakes, refused in the server's words.

use serde_json::Value;

use super::{error::CauseLine, kinds::Resource};

/// Mistakes in a new object.
pub fn create(_resource: &Resource, _object: &Value) -> Vec<CauseLine> {
    Vec::new()
}

/// Mistakes in a changed object.
pub fn update(_resource: &Resource, _old: &Value, _new: &Value) -> Vec<CauseLine> {
    Vec::new()
}
