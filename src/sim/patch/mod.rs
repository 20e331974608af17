//! Patches: the four kinds that the API takes.

pub mod apply;
mod json;
pub(crate) mod strategic;

use serde_json::Value;

use super::{error::ApiError, kinds::Resource};

/// Kind of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchKind {
    /// `application/json-patch+json`
    Json,
    /// `application/merge-patch+json`
    Merge,
    /// `application/strategic-merge-patch+json`
    Strategic,
    /// `application/apply-patch+yaml`
    Apply,
}

impl PatchKind {
    /// From the content type; 415 for others.
    pub fn of(content_type: &str) -> Result<Self, ApiError> {
        match content_type.split(';').next().unwrap_or_default().trim() {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/strategic-merge-patch+json" => Ok(Self::Strategic),
            "application/apply-patch+yaml" => Ok(Self::Apply),
            _ => Err(ApiError::new(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: \
                 application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, \
                 application/apply-patch+yaml",
            )),
        }
    }
}

/// Reads a patch; an applied object may be YAML.
pub fn parse(kind: PatchKind, body: &[u8]) -> Result<Value, ApiError> {
    let json = serde_json::from_slice(body);
    match (kind, json) {
        (_, Ok(value)) => Ok(value),
        (PatchKind::Apply, Err(_)) => std::str::from_utf8(body)
            .map_err(|e| ApiError::bad_request(format!("error decoding YAML: {e}")))
            .and_then(|text| {
                serde_saphyr::from_str(text).map_err(|e| ApiError::bad_request(format!("error decoding YAML: {e}")))
            }),
        (_, Err(e)) => Err(ApiError::bad_request(format!("error decoding patch: {e}"))),
    }
}

/// Changes an object; everything but apply.
pub fn change(kind: PatchKind, resource: &Resource, object: &mut Value, patch: &Value) -> Result<(), ApiError> {
    match kind {
        PatchKind::Json => json::patch(object, patch),
        PatchKind::Merge => {
            json_patch::merge(object, patch);
            Ok(())
        }
        PatchKind::Strategic if resource.custom => Err(ApiError::new(
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        )),
        PatchKind::Strategic => strategic::patch(resource, object, patch),
        PatchKind::Apply => Err(ApiError::bad_request("an applied object is no patch of a subresource here")),
    }
}
