//! From errors of every layer to a [`Cause`]: which class of trouble it is, in the error's own words.

use std::{error::Error, fmt, io};

use http::{HeaderMap, StatusCode, header};
use rustls::{AlertDescription, CertificateError};

use crate::model::{Cause, CauseCode, Secs, utc_text};

/// A cause where a layer wants a std error.
#[derive(Debug)]
pub struct CauseError(pub Cause);

impl fmt::Display for CauseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.detail)
    }
}

impl Error for CauseError {}

/// The cause behind an error: the whole chain of sources is looked at, the innermost error that says something wins.
pub fn cause_of(error: &(dyn Error + 'static)) -> Cause {
    let mut found = None;
    let mut next = Some(error);
    while let Some(e) = next {
        if let Some(cause) = known(e) {
            found = Some(cause);
        }
        // An io::Error that wraps another error hides it from `source`.
        next = e
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .map_or_else(|| e.source(), |inner| Some(inner as &(dyn Error + 'static)));
    }
    found.unwrap_or_else(|| Cause::new(CauseCode::Protocol, words(error)))
}

/// What one error of the chain says by itself.
fn known(e: &(dyn Error + 'static)) -> Option<Cause> {
    if let Some(CauseError(cause)) = e.downcast_ref() {
        return Some(cause.clone());
    }
    if let Some(e) = e.downcast_ref::<rustls::Error>() {
        return Some(tls(e));
    }
    if let Some(e) = e.downcast_ref::<io::Error>() {
        return Some(io_cause(e));
    }
    if let Some(e) = e.downcast_ref::<hyper::Error>() {
        return Some(http_cause(e));
    }
    if let Some(kube::Error::Api(status)) = e.downcast_ref() {
        let code = StatusCode::from_u16(status.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        return Some(Cause::new(class(code), status_words(code, &status.message)));
    }
    e.downcast_ref::<tokio::time::error::Elapsed>().map(|_| Cause::new(CauseCode::Timeout, "no answer in time"))
}

/// The error and its sources in one line, each said once.
fn words(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(e) = next {
        let more = e.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        next = e.source();
    }
    text
}

fn io_cause(e: &io::Error) -> Cause {
    use io::ErrorKind as K;
    // EMFILE and ENFILE: the trouble is ours, not the cluster's.
    if matches!(e.raw_os_error(), Some(23 | 24)) {
        return Cause::new(CauseCode::Config, "too many open files on this machine: raise the limit (ulimit -n)");
    }
    let code = match e.kind() {
        K::TimedOut => CauseCode::Timeout,
        K::ConnectionRefused
        | K::HostUnreachable
        | K::NetworkUnreachable
        | K::NetworkDown
        | K::AddrNotAvailable
        | K::PermissionDenied => CauseCode::Refused,
        _ => CauseCode::Reset,
    };
    Cause::new(code, e.to_string())
}

fn http_cause(e: &hyper::Error) -> Cause {
    let code = if e.is_timeout() {
        CauseCode::Silent
    } else if e.is_parse() || e.is_user() {
        CauseCode::Protocol
    } else {
        CauseCode::Reset
    };
    Cause::new(code, words(e))
}

/// TLS errors told apart: what a person does about an expired, an untrusted and a misnamed certificate differs.
pub(super) fn tls(e: &rustls::Error) -> Cause {
    use AlertDescription as A;
    match e {
        rustls::Error::InvalidCertificate(why) => certificate(why),
        rustls::Error::AlertReceived(
            alert @ (A::CertificateExpired
            | A::CertificateUnknown
            | A::CertificateRevoked
            | A::CertificateRequired
            | A::BadCertificate
            | A::UnsupportedCertificate
            | A::UnknownCA
            | A::AccessDenied
            | A::DecryptError),
        ) => Cause::new(CauseCode::ClientCertificate, format!("the server answered with the TLS alert {alert:?}")),
        rustls::Error::AlertReceived(A::UnrecognisedName) => {
            Cause::new(CauseCode::TlsName, "the server does not know the name we asked for")
        }
        rustls::Error::InvalidMessage(_) => {
            Cause::new(CauseCode::TlsOther, "the server does not speak TLS on this port")
        }
        rustls::Error::InconsistentKeys(_) => {
            Cause::new(CauseCode::ClientCertificate, "client certificate and client key do not belong together")
        }
        other => Cause::new(CauseCode::TlsOther, other.to_string()),
    }
}

fn certificate(why: &CertificateError) -> Cause {
    use CertificateError as C;
    let date = |t: &rustls::pki_types::UnixTime| utc_text(Secs(u32::try_from(t.as_secs()).unwrap_or(u32::MAX)).into());
    match why {
        C::ExpiredContext { not_after, .. } => {
            Cause::new(CauseCode::TlsExpired, format!("expired {}", date(not_after)))
        }
        C::NotValidYetContext { not_before, .. } => {
            Cause::new(CauseCode::TlsExpired, format!("not valid before {}", date(not_before)))
        }
        C::Expired | C::NotValidYet => Cause::new(CauseCode::TlsExpired, why.to_string()),
        C::NotValidForNameContext { expected, presented } => {
            // The library prints its own enum; a person wants the bare names.
            let names: Vec<&str> = presented
                .iter()
                .map(|n| n.split_once('(').map_or(n.as_str(), |(_, rest)| rest.trim_end_matches(')').trim_matches('"')))
                .collect();
            let detail = format!("wanted {}, the certificate is for {}", expected.to_str(), names.join(", "));
            Cause::new(CauseCode::TlsName, detail)
        }
        C::NotValidForName => Cause::new(CauseCode::TlsName, why.to_string()),
        C::UnknownIssuer => {
            Cause::new(CauseCode::TlsUntrusted, "signed by an authority that the kubeconfig does not name")
        }
        C::BadSignature => {
            Cause::new(CauseCode::TlsUntrusted, "an authority of the same name but with another key signed it")
        }
        other => Cause::new(CauseCode::TlsUntrusted, other.to_string()),
    }
}

/// The class of an HTTP status that is not a success.
fn class(status: StatusCode) -> CauseCode {
    match status.as_u16() {
        401 => CauseCode::Unauthorized,
        403 => CauseCode::Forbidden,
        407 => CauseCode::Proxy,
        429 => CauseCode::Throttled,
        500.. => CauseCode::Server,
        _ => CauseCode::Protocol,
    }
}

/// Statuses that are trouble of the connection, the credential or the server, whatever was asked. The others (404, 410,
/// 422 ...) are answers to what was asked, and go to who asked.
pub(super) fn is_trouble(status: StatusCode) -> bool {
    matches!(status.as_u16(), 401 | 403 | 407 | 429 | 500..) || status.is_redirection()
}

/// The cause for an answer that is not a success: a `Status` body gives its message, `Retry-After` its seconds.
pub fn refusal(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Cause {
    let message = serde_json::from_slice::<StatusBody>(body).ok();
    let retry_after = retry_after(headers).or_else(|| message.as_ref().and_then(|m| m.details.retry_after_seconds));
    let text = match &message {
        Some(m) if !m.message.is_empty() => m.message.clone(),
        // Health checks: of a page of lines only those that fail matter.
        _ if body.starts_with(b"[") => failed_checks(&String::from_utf8_lossy(body)),
        // Proxies and sign-on pages answer in HTML: its text helps nobody.
        _ if body.trim_ascii_start().starts_with(b"<") => {
            String::from("the answer is a web page, not the Kubernetes API")
        }
        _ => String::from_utf8_lossy(&body[..body.len().min(300)]).trim().to_owned(),
    };
    let mut cause = Cause::new(class(status), status_words(status, &text));
    // An overloaded or starting server that asks to wait is throttling, with whatever status it says so.
    if status == StatusCode::SERVICE_UNAVAILABLE && retry_after.is_some() {
        cause.code = CauseCode::Throttled;
    }
    cause.retry_after = retry_after;
    cause.status = Some(status.as_u16());
    cause
}

/// `etcd failed: reason withheld, ...` of the lines that `/readyz` answers with.
fn failed_checks(body: &str) -> String {
    let failed: Vec<&str> = body.lines().filter_map(|l| l.strip_prefix("[-]")).collect();
    failed.join(", ")
}

fn status_words(status: StatusCode, text: &str) -> String {
    if text.is_empty() { status.to_string() } else { format!("{}: {text}", status.as_u16()) }
}

/// `Retry-After` in seconds; both forms of the header.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<u32> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(seconds);
    }
    let at = http_date(text)?;
    let now = super::now().0 / 1000;
    u32::try_from((at - now).max(0)).ok()
}

/// Seconds since 1970 of an HTTP date (`Sun, 06 Nov 1994 08:49:37 GMT`).
pub(super) fn http_date(text: &str) -> Option<i64> {
    jiff::fmt::rfc2822::parse(text).ok().map(|t| t.timestamp().as_second())
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct StatusBody {
    message: String,
    details: StatusDetails,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct StatusDetails {
    retry_after_seconds: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_inside_an_io_error_is_found() {
        let inner = io::Error::other(CauseError(Cause::new(CauseCode::Proxy, "407")));
        assert_eq!(cause_of(&inner).code, CauseCode::Proxy);
        let tls =
            io::Error::new(io::ErrorKind::InvalidData, rustls::Error::InvalidCertificate(CertificateError::Expired));
        assert_eq!(cause_of(&tls).code, CauseCode::TlsExpired);
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert_eq!(cause_of(&refused).code, CauseCode::Refused);
    }

    #[test]
    fn statuses_become_causes_with_the_servers_words() {
        let mut headers = HeaderMap::new();
        let body = br#"{"kind":"Status","message":"pods is forbidden: User \"eve\" cannot list","reason":"Forbidden","code":403}"#;
        let cause = refusal(StatusCode::FORBIDDEN, &headers, body);
        assert_eq!(
            (cause.code, cause.detail.as_str()),
            (CauseCode::Forbidden, "403: pods is forbidden: User \"eve\" cannot list")
        );

        headers.insert(header::RETRY_AFTER, http::HeaderValue::from_static("7"));
        let cause = refusal(StatusCode::TOO_MANY_REQUESTS, &headers, b"");
        assert_eq!((cause.code, cause.retry_after), (CauseCode::Throttled, Some(7)));
        assert_eq!(refusal(StatusCode::SERVICE_UNAVAILABLE, &headers, b"").code, CauseCode::Throttled);
        assert_eq!(refusal(StatusCode::BAD_GATEWAY, &HeaderMap::new(), b"").code, CauseCode::Server);

        let checks = b"[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\nreadyz check failed";
        let cause = refusal(StatusCode::INTERNAL_SERVER_ERROR, &HeaderMap::new(), checks);
        assert_eq!(cause.detail, "500: etcd failed: reason withheld");

        let page = refusal(StatusCode::UNAUTHORIZED, &HeaderMap::new(), b"  <html>log in</html>");
        assert!(page.detail.contains("web page"), "{}", page.detail);
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
    }
}
