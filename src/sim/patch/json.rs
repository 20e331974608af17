//! JSON patch (RFC 6902).

use serde_json::Value;

use crate::sim::{error::ApiError, kinds::Resource};

/// Applies the operations in order; 422 in the server's words when one cannot be.
pub fn patch(resource: &Resource, object: &mut Value, patch: &Value) -> Result<(), ApiError> {
    let operations: json_patch::Patch = serde_json::from_value(patch.clone())
        .map_err(|e| ApiError::bad_request(format!("error decoding patch: {e}")))?;
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    json_patch::patch(object, &operations).map_err(|e| {
        let mut error = ApiError::new(422, "Invalid", "the server rejected our request due to an error in our request");
        let cause = serde_json::json!([{"reason": "FieldValueInvalid", "message": e.to_string(), "field": "patch"}]);
        error.details =
            serde_json::json!({"name": name, "group": resource.group, "kind": resource.kind, "causes": cause});
        error
    })
}
