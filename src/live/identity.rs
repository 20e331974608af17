//! Who answers: the server's version, the identity of its cluster, whether it is ready, and as whom it knows us.

use std::time::Duration;

use serde::Deserialize;

use super::{
    connect::{Connection, Response},
    probe,
};
use crate::model::{Cause, CauseCode, KubeVersion};

/// Time for each read.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the reads found out; a part that may not be read is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// `/version`.
    pub version: Option<KubeVersion>,
    /// uid of the namespace kube-system.
    pub id: Option<String>,
    /// Seconds by which the server's clock is ahead of ours.
    pub skew_s: Option<i32>,
    /// Checks of `/readyz` that fail, in the server's words.
    pub not_ready: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WireVersion {
    major: String,
    minor: String,
    git_version: String,
    emulation_minor: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireNamespace {
    metadata: WireMeta,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireMeta {
    uid: String,
}

/// Asks all of it; the name it knows us by goes to the connection, once.
///
/// # Errors
/// When nothing at all was answered, or the log-in is not valid; a read that is forbidden is no error.
pub async fn identify(connection: &Connection) -> Result<Identity, Cause> {
    let asked = tokio::time::Instant::now();
    let version = async {
        let answer = connection.get("/version", "application/json", PATIENCE).await;
        if answer.is_ok() {
            connection.note_round_trip(asked.elapsed());
        }
        answer.and_then(Response::ok)
    };
    let namespace = connection.get("/api/v1/namespaces/kube-system", "application/json", PATIENCE);
    let (version, namespace, not_ready) =
        futures_util::future::join3(version, namespace, probe::not_ready(connection)).await;
    let mut found = Identity { not_ready, ..Identity::default() };
    let mut answered = false;
    let mut refused = None;
    match version {
        Ok(answer) => {
            found.version = serde_json::from_slice::<WireVersion>(&answer.bytes).ok().and_then(|v| parse(&v));
            found.skew_s = skew(&answer);
            // A sign-on page answers 200 to everything.
            answered = found.version.is_some();
            if !answered {
                let text = "/version is answered, but not with a Kubernetes version";
                refused = Some(Cause::new(CauseCode::Protocol, text));
            }
        }
        Err(cause) if cause.code == CauseCode::Forbidden => answered = true,
        Err(cause) => refused = Some(cause.during("get", "/version", "")),
    }
    match namespace.and_then(Response::ok) {
        Ok(answer) => {
            let uid = serde_json::from_slice::<WireNamespace>(&answer.bytes).unwrap_or_default().metadata.uid;
            answered |= !uid.is_empty();
            found.id = Some(uid).filter(|u| !u.is_empty());
        }
        Err(cause) if cause.code == CauseCode::Forbidden => answered = true,
        Err(cause) if cause.code == CauseCode::Unauthorized => return Err(cause.during("get", "namespaces", "")),
        Err(_) => {}
    }
    if answered && !connection.is_user_known() {
        probe::who_am_i(connection).await;
    }
    match refused {
        Some(cause) if !answered || cause.code == CauseCode::Unauthorized => Err(cause),
        _ => Ok(found),
    }
}

fn parse(wire: &WireVersion) -> Option<KubeVersion> {
    let number = |text: &str| -> Option<u16> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text[..end].parse().ok()
    };
    Some(KubeVersion {
        git: wire.git_version.clone(),
        major: number(&wire.major)?,
        minor: number(&wire.minor)?,
        emulated_minor: number(&wire.emulation_minor),
    })
}

fn skew(answer: &Response) -> Option<i32> {
    let date = answer.headers.get(http::header::DATE)?.to_str().ok()?;
    let theirs = jiff::fmt::rfc2822::parse(date).ok()?.timestamp().as_second();
    let ours = super::context::now().0 / 1000;
    // One second is the header's own resolution.
    i32::try_from(theirs - ours).ok().map(|s| if s.abs() <= 1 { 0 } else { s })
}

/// Streaming lists are on by default from 1.34 on; what an emulating server emulates counts.
pub fn streams_lists(version: &KubeVersion) -> bool {
    version.major > 1 || version.emulated_minor.unwrap_or(version.minor).min(version.minor) >= 34
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_vendors() {
        let of = |minor: &str, emulation: &str| {
            parse(&WireVersion {
                major: "1".into(),
                minor: minor.into(),
                git_version: "v".into(),
                emulation_minor: emulation.into(),
            })
        };
        for (minor, emulation, streams) in
            [("33+", "", false), ("34", "", true), ("34+", "33", false), ("37", "37", true), ("9", "", false)]
        {
            assert_eq!(of(minor, emulation).map(|v| streams_lists(&v)), Some(streams), "{minor} {emulation}");
        }
        assert_eq!(of("", ""), None);
    }
}
