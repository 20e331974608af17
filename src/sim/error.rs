//! Errors as the API server words them: a `Status` with code, reason, message, details.

use serde_json::{Value, json};

use super::kinds::Resource;

/// A request that failed, as it goes over the wire.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// HTTP status.
    pub code: u16,
    /// `NotFound`, `Conflict` ...
    pub reason: &'static str,
    /// For people.
    pub message: String,
    /// `details` of the Status: name, group, kind, causes.
    pub details: Value,
}

/// One cause of an invalid object or of a conflict: reason, message, field.
pub type CauseLine = (&'static str, String, String);

impl ApiError {
    /// An error without details.
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: Value::Null }
    }

    fn about(mut self, resource: &Resource, name: &str) -> Self {
        let mut details = json!({"name": name, "kind": resource.plural});
        if !resource.group.is_empty() {
            details["group"] = json!(resource.group);
        }
        self.details = details;
        self
    }

    /// 404 for an object.
    pub fn not_found(resource: &Resource, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{} \"{name}\" not found", resource.qualified())).about(resource, name)
    }

    /// 404 for a path nobody serves.
    pub fn no_such_path() -> Self {
        let mut error = Self::new(404, "NotFound", "the server could not find the requested resource");
        error.details = json!({});
        error
    }

    /// 409: the name is taken.
    pub fn already_exists(resource: &Resource, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{} \"{name}\" already exists", resource.qualified()))
            .about(resource, name)
    }

    /// 409: somebody else wrote since the resourceVersion was read.
    pub fn modified(resource: &Resource, name: &str) -> Self {
        let cause = "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(resource, name, cause)
    }

    /// 409 with a cause.
    pub fn conflict(resource: &Resource, name: &str, cause: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {cause}", resource.qualified());
        Self::new(409, "Conflict", message).about(resource, name)
    }

    /// 422 with the fields that are wrong.
    pub fn invalid(resource: &Resource, name: &str, causes: Vec<CauseLine>) -> Self {
        let words: Vec<String> = causes.iter().map(|(_, message, field)| format!("{field}: {message}")).collect();
        let list = if words.len() == 1 { words.concat() } else { format!("[{}]", words.join(", ")) };
        let kind = if resource.group.is_empty() {
            resource.kind.clone()
        } else {
            format!("{}.{}", resource.kind, resource.group)
        };
        let mut error = Self::new(422, "Invalid", format!("{kind} \"{name}\" is invalid: {list}"));
        error.details = json!({
            "name": name, "group": resource.group, "kind": resource.kind,
            "causes": causes.iter().map(|(r, m, f)| json!({"reason": r, "message": m, "field": f})).collect::<Vec<_>>(),
        });
        error
    }

    /// 400.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 410: the history asked for is gone.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// The `Status` object.
    pub fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "reason": self.reason, "code": self.code,
        });
        if let Some(token) = self.details.get("continue") {
            status["metadata"]["continue"] = token.clone();
        } else if !self.details.is_null() {
            status["details"] = self.details.clone();
        }
        status
    }
}

/// Why a fleet could not be served.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// Certificates could not be made.
    #[error("the certificates of the simulated fleet could not be made: {0}")]
    Certificates(String),
    /// A socket could not be opened.
    #[error("the simulated fleet could not listen on 127.0.0.1: {0}")]
    Listen(std::io::Error),
    /// A file could not be written.
    #[error("{path}: {cause}")]
    Write {
        /// File.
        path: std::path::PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// Threads could not be started.
    #[error("the simulated fleet could not start its threads: {0}")]
    Threads(std::io::Error),
}
