//! The lines of a watch: what each of them says, read with as little decoding as possible.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::model::{Cause, CauseCode};

/// Annotation on the bookmark that ends the initial events of a streaming list.
const END_OF_INITIAL_EVENTS: &str = "k8s.io/initial-events-end";

/// One line of a watch.
#[derive(Debug)]
pub enum Line<'a> {
    /// Added or modified: the object's JSON.
    Upsert(&'a [u8]),
    /// Deleted.
    Delete(Named),
    /// Nothing happened up to this version.
    Bookmark {
        /// resourceVersion.
        version: String,
        /// The initial events of a streaming list are complete.
        is_end: bool,
    },
    /// The server ends the watch with an error.
    Error(Cause),
}

/// The metadata that names an object.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Namespace, empty for cluster-scoped objects.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// resourceVersion.
    pub version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    object: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Bare<'a> {
    #[serde(borrow)]
    metadata: Meta<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Meta<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    namespace: Cow<'a, str>,
    #[serde(borrow)]
    resource_version: Cow<'a, str>,
    #[serde(borrow)]
    annotations: Option<&'a RawValue>,
}

/// `metav1.Status`, as far as it steers us.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    code: u16,
    reason: String,
    message: String,
    details: StatusDetails,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct StatusDetails {
    retry_after_seconds: u32,
}

/// Reads one line.
///
/// # Errors
/// The words of the JSON decoder, or the event type that is not known.
pub fn read(line: &[u8]) -> Result<Line<'_>, String> {
    let (kind, object) = match split_plain(line) {
        Some(parts) => parts,
        None => {
            let envelope: Envelope<'_> = serde_json::from_slice(line).map_err(|e| e.to_string())?;
            (envelope.kind, envelope.object.map_or(&b"{}"[..], |o| o.get().as_bytes()))
        }
    };
    match &*kind {
        "ADDED" | "MODIFIED" => Ok(Line::Upsert(object)),
        "DELETED" => named(object).map(Line::Delete),
        "BOOKMARK" => bookmark(object),
        "ERROR" => Ok(Line::Error(status_cause(object))),
        other => Err(format!("watch event of unknown type {other:?}")),
    }
}

/// The shape in which API servers write their lines: cut apart without a pass over the object. Anything else, and every
/// line whose object does not end where the line ends, takes the slow way.
fn split_plain(line: &[u8]) -> Option<(Cow<'_, str>, &[u8])> {
    let rest = line.strip_prefix(br#"{"type":""#)?;
    let end = rest.iter().take(16).position(|b| *b == b'"')?;
    let kind = std::str::from_utf8(&rest[..end]).ok()?;
    let object = rest[end + 1..].strip_prefix(br#","object":"#)?.strip_suffix(b"}")?;
    (object.first() == Some(&b'{') && object.last() == Some(&b'}')).then_some((Cow::Borrowed(kind), object))
}

/// Name and version of an object.
///
/// # Errors
/// The words of the JSON decoder.
pub fn named(object: &[u8]) -> Result<Named, String> {
    let bare: Bare<'_> = serde_json::from_slice(object).map_err(|e| e.to_string())?;
    Ok(Named {
        namespace: bare.metadata.namespace.into_owned(),
        name: bare.metadata.name.into_owned(),
        version: bare.metadata.resource_version.into_owned(),
    })
}

fn bookmark(object: &[u8]) -> Result<Line<'_>, String> {
    let bare: Bare<'_> = serde_json::from_slice(object).map_err(|e| e.to_string())?;
    let is_end = bare.metadata.annotations.is_some_and(|a| a.get().contains(END_OF_INITIAL_EVENTS));
    Ok(Line::Bookmark { version: bare.metadata.resource_version.into_owned(), is_end })
}

/// A `Status` object as a cause.
fn status_cause(object: &[u8]) -> Cause {
    let status: Status = serde_json::from_slice(object).unwrap_or_default();
    // "Expired" and "Gone" both mean 410; some servers send the reason without the code.
    let code = match status.reason.as_str() {
        "Expired" | "Gone" => 410,
        _ => status.code,
    };
    let class = match code {
        401 => CauseCode::Unauthorized,
        403 => CauseCode::Forbidden,
        429 => CauseCode::Throttled,
        500.. => CauseCode::Server,
        _ => CauseCode::Protocol,
    };
    let mut cause = Cause::new(class, if status.message.is_empty() { status.reason } else { status.message });
    cause.status = Some(code);
    cause.retry_after = Some(status.details.retry_after_seconds).filter(|s| *s > 0);
    cause
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_type() {
        let shown = |line: &str| match read(line.as_bytes()) {
            Ok(Line::Upsert(o)) => format!("upsert {}", String::from_utf8_lossy(o)),
            Ok(Line::Delete(n)) => format!("delete {}/{}@{}", n.namespace, n.name, n.version),
            Ok(Line::Bookmark { version, is_end }) => format!("bookmark {version} {is_end}"),
            Ok(Line::Error(c)) => format!("error {:?} {:?} {:?} {}", c.code, c.status, c.retry_after, c.detail),
            Err(e) => format!("bad {e}"),
        };
        for (line, want) in [
            (r#"{"type":"ADDED","object":{"a":{}}}"#, r#"upsert {"a":{}}"#),
            (r#"{ "object": {"a": 1}, "type": "MODIFIED" }"#, r#"upsert {"a": 1}"#),
            (r#"{"type":"ADDED","object":{"a":1},"x":{}}"#, r#"upsert {"a":1},"x":{}"#),
            (
                r#"{"type":"DELETED","object":{"metadata":{"name":"a\"b","namespace":"n","resourceVersion":"9"}}}"#,
                "delete n/a\"b@9",
            ),
            (r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}}"#, "bookmark 5 false"),
            (
                r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}}"#,
                "bookmark 5 true",
            ),
            (
                r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}"#,
                "error Protocol Some(410) None too old",
            ),
            (
                r#"{"type":"ERROR","object":{"code":429,"message":"slow","details":{"retryAfterSeconds":3}}}"#,
                "error Throttled Some(429) Some(3) slow",
            ),
        ] {
            assert_eq!(shown(line), want);
        }
        assert!(shown(r#"{"type":"ADDED","object":{"a""#).starts_with("bad"));
        assert!(shown(r#"{"type":"NEW","object":{}}"#).starts_with("bad"));
    }
}
