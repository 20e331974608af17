//! Values as they may be shown: secret ones are gone, a keyed fingerprint tells whether two are the same (M1 to M10).
//!
//! Comparison comes first and sees real values; what leaves it is of this type, so that masked and real values cannot be mixed.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value as Json;
use sha2::Sha256;

use super::{form::Form, path::Path, path::Step};

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// There is none.
    Absent,
    /// It is no secret.
    Plain(Json),
    /// It is one.
    Secret {
        /// Tells values apart, under the key that the comparison was given; as long for a short value as for a long one.
        fingerprint: String,
        /// An emptied secret is an outage, and no secret.
        empty: bool,
    },
}

/// Names of environment variables and the like that hold secrets (M10).
const SENSITIVE: [&str; 5] = ["password", "token", "secret", "key", "dsn"];

impl Shown {
    /// A value at a path of an object.
    pub fn of(value: Option<&Json>, path: &Path, form: &Form, key: &[u8]) -> Self {
        match value {
            None => Self::Absent,
            Some(value) if is_secret(value, path, form) => Self::secret(value, key),
            Some(value) => Self::Plain(value.clone()),
        }
    }

    fn secret(value: &Json, key: &[u8]) -> Self {
        let bytes = match value {
            Json::String(text) => super::scalar::decoded(text).unwrap_or_else(|| text.clone().into_bytes()),
            other => other.to_string().into_bytes(),
        };
        let mut fingerprint = String::new();
        // A key of any length is taken: this cannot fail.
        if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) {
            mac.update(&bytes);
            for byte in mac.finalize().into_bytes().iter().take(8) {
                let _ = write!(fingerprint, "{byte:02x}");
            }
        }
        Self::Secret { fingerprint, empty: bytes.is_empty() }
    }
}

/// Whether a value may not be shown: decided by the object itself (M2), copies included (M4).
fn is_secret(value: &Json, path: &Path, form: &Form) -> bool {
    let words = path.words();
    if form.is_secret() {
        // A Secret has nothing else that is worth a look beside metadata and type.
        let open = matches!(words.first(), Some(&"metadata" | &"type" | &"immutable"));
        return !open || words.last() == Some(&"kubectl.kubernetes.io/last-applied-configuration");
    }
    named(path) || holds_named(value)
}

/// Whether a path leads through an entry of `env` with a telling name.
fn named(path: &Path) -> bool {
    path.0.windows(2).any(|steps| match steps {
        [Step::Key(env), Step::Element(keys)] if env == "env" => {
            keys.iter().any(|(_, name)| name.as_str().is_some_and(is_sensitive))
        }
        _ => false,
    })
}

/// Whether a whole value has such an entry in it.
fn holds_named(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().any(holds_named),
        Json::Object(map) => {
            let told = map.get("name").and_then(Json::as_str).is_some_and(is_sensitive);
            (told && map.get("value").is_some_and(Json::is_string)) || map.values().any(holds_named)
        }
        _ => false,
    }
}

fn is_sensitive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SENSITIVE.iter().any(|part| name.contains(part))
}
