//! Pod logs.

use super::{
    answer::{self, Answer},
    error::ApiError,
    kinds,
    path::ApiPath,
    request::{Call, Server},
};

/// Answers `pods/NAME/log`.
pub async fn answer(server: &Server, _call: &Call, api: &ApiPath) -> Result<Answer, ApiError> {
    let resource = server.store.resource(kinds::PODS);
    server
        .store
        .get(kinds::PODS, &api.namespace, &api.name)
        .ok_or_else(|| ApiError::not_found(&resource, &api.name))?;
    Ok(answer::text(200, ""))
}
