//! Two small questions beside the identity: as whom the server knows us, and what it calls not ready of itself.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;

use super::connect::Connection;
use crate::model::CauseCode;

/// Time for each.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Review {
    status: ReviewStatus,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ReviewStatus {
    user_info: UserInfo,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct UserInfo {
    username: String,
}

/// Asks the server who we are and tells the connection. Servers before 1.28 do not serve the question; then the
/// credential's own name stays.
pub async fn who_am_i(connection: &Connection) {
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let body = Bytes::from_static(br#"{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}"#);
    let Ok(answer) = connection.review(path, body, PATIENCE).await else { return };
    if answer.status.is_success() {
        let review: Review = serde_json::from_slice(&answer.bytes).unwrap_or_default();
        connection.know_user(&review.status.user_info.username);
    }
}

/// The checks of `/readyz` that fail, in the server's words; empty when it is ready, or does not let us ask.
pub async fn not_ready(connection: &Connection) -> String {
    match connection.get("/readyz", "text/plain", PATIENCE).await {
        Err(cause) if cause.code == CauseCode::Server => cause.detail,
        _ => String::new(),
    }
}
