//! Defaults that the server fills in and that matter to readers.

use serde_json::Value;

use super::kinds::Resource;

/// Fills in what a client left out.
pub fn apply(_resource: &Resource, _object: &mut Value) {}
