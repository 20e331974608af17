//! Server-side apply.

use serde_json::Value;

use crate::sim::{error::ApiError, kinds::Resource, store::Writer};

/// The object that a first apply creates.
pub fn created(
    _resource: &Resource,
    _version: &str,
    wanted: &Value,
    _by: &Writer<'_>,
    _now: &str,
) -> Result<Value, ApiError> {
    Ok(wanted.clone())
}

/// Applies onto an object that exists.
pub fn apply(
    _resource: &Resource,
    _version: &str,
    current: &mut Value,
    wanted: &Value,
    _by: &Writer<'_>,
    _force: bool,
    _now: &str,
) -> Result<(), ApiError> {
    json_patch::merge(current, wanted);
    Ok(())
}
