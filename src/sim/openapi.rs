//! OpenAPI documents of the served kinds.

use super::{
    answer::Answer,
    error::ApiError,
    request::{Call, Server},
};

/// Answers `/openapi/...`; `None` for other paths.
pub fn answer(_server: &Server, _path: &str, _call: &Call) -> Option<Result<Answer, ApiError>> {
    None
}
