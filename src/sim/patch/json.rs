//! JSON patch (RFC 6902).

use serde_json::Value;

use crate::sim::error::ApiError;

/// Applies the operations in order; 422 in the server's words when one cannot be.
pub fn patch(object: &mut Value, patch: &Value) -> Result<(), ApiError> {
    let operations: json_patch::Patch = serde_json::from_value(patch.clone())
        .map_err(|e| ApiError::bad_request(format!("error decoding patch: {e}")))?;
    // The crate's own way back from a failed patch can panic: what is changed is a copy.
    let mut changed = object.clone();
    json_patch::patch_unsafe(&mut changed, &operations)
        .map_err(|_| ApiError::new(422, "Invalid", "the server rejected our request due to an error in our request"))?;
    *object = changed;
    Ok(())
}
