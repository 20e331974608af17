//! Handshakes, streams, silence, refusals.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures_util::{StreamExt as _, future::join_all};
use http::{Response, StatusCode, Version};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::Frame;

use super::{
    super::{Connection, cause_of},
    server::{Authority, Server, fine, full, handler, shared, short, with},
};
use crate::{
    config::kubeconfig::{Access, Impersonate},
    model::{Cause, CauseCode},
};

const SOON: Duration = Duration::from_secs(20);

async fn open(access: Access) -> Result<Connection, Cause> {
    Connection::open(Arc::new(access), shared()).await
}

#[tokio::test]
async fn one_http2_socket_carries_everything_and_the_certificate_is_seen() {
    let authority = Authority::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let server = Server::start(
        Some(authority.tls(&["h2", "http/1.1"])),
        handler(move |r| {
            log.lock().unwrap().push((r.version(), r.uri().path().to_owned(), r.headers().clone()));
            Response::new(full(r#"{"major":"1","minor":"33","gitVersion":"v1.33.1"}"#))
        }),
    )
    .await;
    let mut access = server.access(&authority);
    access.server.push_str("/k8s/clusters/c-1/");
    access.impersonate = Impersonate {
        user: "eve".into(),
        groups: vec!["a".into(), "b".into()],
        extra: vec![("example.com/Team".into(), vec!["x".into()])],
        ..Impersonate::default()
    };
    let connection = open(access).await.unwrap();
    let gets = (0..50).map(|i| {
        let connection = if i % 2 == 0 { connection.clone() } else { connection.interactive() };
        async move { connection.get("/version?x=1", "application/json", SOON).await }
    });
    for answer in join_all(gets).await {
        assert_eq!(answer.unwrap().status, StatusCode::OK);
    }
    assert_eq!(server.sockets(), 1);
    let version = connection.client().apiserver_version().await.unwrap();
    assert_eq!(version.git_version, "v1.33.1");
    assert_eq!(server.sockets(), 1);

    let seen = seen.lock().unwrap();
    let (version, path, headers) = &seen[0];
    assert_eq!((*version, path.as_str()), (Version::HTTP_2, "/k8s/clusters/c-1/version"));
    assert_eq!(headers["impersonate-user"], "eve");
    assert_eq!(headers.get_all("impersonate-group").iter().count(), 2);
    assert_eq!(headers["impersonate-extra-example.com%2fteam"], "x");

    let certificate = connection.certificate().unwrap();
    assert!(certificate.subject.contains("kube-apiserver"), "{certificate:?}");
    assert!(certificate.issuer.contains("test authority"), "{certificate:?}");
    assert!(connection.heard().0 > 0);
}

#[tokio::test]
async fn a_write_never_leaves() {
    let authority = Authority::new();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let server = Server::start(
        Some(authority.tls(&["h2"])),
        handler(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            Response::new(full("{}"))
        }),
    )
    .await;
    let connection = open(server.access(&authority)).await.unwrap();
    let write = http::Request::delete("/api/v1/namespaces/x").body(Vec::new()).unwrap();
    let error = connection.client().request_text(write).await.unwrap_err();
    assert_eq!(cause_of(&error).code, CauseCode::Config);
    let body = Bytes::from_static(b"{}");
    let refused = connection.review("/api/v1/namespaces", body.clone(), SOON).await.unwrap_err();
    assert_eq!(refused.code, CauseCode::Config);
    assert_eq!(count.load(Ordering::SeqCst), 0);
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    assert!(connection.review(path, body, SOON).await.unwrap().ok().is_ok());
}

#[tokio::test]
async fn certificate_troubles_are_told_apart() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let names = ["127.0.0.1", "localhost"];
    let good = authority.issue(&names, "api", 2999);
    let expired = authority.issue(&names, "api", 2020);
    let other = authority.issue(&["other.example.com"], "api", 2999);
    struct Case<'a> {
        shown: &'a (String, String),
        change: fn(&mut Access),
        ends: Result<(), (CauseCode, &'a str)>,
    }
    let nothing: fn(&mut Access) = |_| {};
    let case = |shown, change, ends| Case { shown, change, ends };
    for (i, Case { shown, change, ends }) in [
        case(&good, nothing, Ok(())),
        case(&expired, nothing, Err((CauseCode::TlsExpired, "expired 2020-12-31"))),
        case(&expired, |a| a.insecure = true, Ok(())),
        case(&other, nothing, Err((CauseCode::TlsName, "wanted 127.0.0.1, the certificate is for other.example.com"))),
        case(&other, |a| a.tls_server_name = "other.example.com".into(), Ok(())),
        case(&good, |a| a.ca = Some(b"no PEM".to_vec()), Err((CauseCode::Config, "CERTIFICATE"))),
    ]
    .into_iter()
    .enumerate()
    {
        let server = Server::start(Some(authority.tls_with(shown, &["h2"])), fine()).await;
        let mut access = server.access(&authority);
        change(&mut access);
        match (open(access).await, ends) {
            (Ok(connection), Ok(())) => assert!(connection.certificate().is_some(), "case {i}"),
            (Err(cause), Err((code, words))) => {
                assert_eq!(cause.code, code, "case {i}: {cause:?}");
                assert!(cause.detail.contains(words), "case {i}: {cause:?}");
            }
            (got, want) => panic!("case {i}: {got:?}, wanted {want:?}"),
        }
    }
    let server = Server::start(Some(authority.tls_with(&good, &["h2"])), fine()).await;
    assert_eq!(open(server.access(&stranger)).await.unwrap_err().code, CauseCode::TlsUntrusted);

    let plain = Server::start(None, fine()).await;
    let cause = open(plain.access(&authority)).await.unwrap_err();
    assert!(matches!(cause.code, CauseCode::TlsOther), "{cause:?}");
}

#[tokio::test]
async fn a_server_that_falls_silent_is_noticed_by_pings_of_either_protocol() {
    let authority = Authority::new();
    let falls_silent = |protocol| {
        let (tls, access) = (authority.tls(&[protocol]), |server: &Server| server.access(&authority));
        async move {
            let server = Server::start(Some(tls), fine()).await;
            let connection = Connection::open(Arc::new(access(&server)), with(short())).await.unwrap();
            connection.get("/version", "*/*", SOON).await.unwrap();
            // Idle, but answering its pings: alive for several ping times.
            let alive = tokio::time::timeout(Duration::from_millis(2500), connection.silent()).await;
            assert!(alive.is_err(), "{protocol}: {alive:?}");
            server.freeze();
            let cause = tokio::time::timeout(SOON, connection.silent()).await.expect(protocol);
            assert_eq!(cause.code, CauseCode::Silent, "{protocol}: {cause:?}");
            let cause = connection.get("/version", "*/*", SOON).await.unwrap_err();
            assert_eq!(cause.code, CauseCode::Silent, "{protocol}: {cause:?}");
        }
    };
    futures_util::future::join(falls_silent("h2"), falls_silent("http/1.1")).await;
}

#[tokio::test]
async fn a_killed_server_ends_the_connection_and_a_retiring_one_does_not() {
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls(&["h2"])), fine()).await;
    let connection = open(server.access(&authority)).await.unwrap();
    let get = || connection.get("/version", "*/*", SOON);
    assert!(size_of_val(&get()) < 1024, "callers keep calls in futures that live for hours");
    get().await.unwrap();
    server.retire();
    let moved = async {
        while server.sockets() < 2 {
            assert_eq!(get().await.unwrap().bytes, "ok");
        }
    };
    tokio::time::timeout(SOON, moved).await.expect("requests go to a new connection");
    get().await.unwrap();
    server.kill();
    let cause = tokio::time::timeout(SOON, connection.silent()).await.unwrap();
    assert_eq!(cause.code, CauseCode::Reset, "{cause:?}");
    assert_eq!(get().await.unwrap_err(), cause);
}

#[tokio::test]
async fn a_stream_comes_as_it_is_written_and_a_break_is_a_cause() {
    let authority = Authority::new();
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Frame<Bytes>, std::io::Error>>(1);
    let receiver = Mutex::new(Some(receiver));
    let server = Server::start(
        Some(authority.tls(&["h2"])),
        handler(move |r| {
            assert_eq!(r.headers()["accept-encoding"], "identity");
            let receiver = receiver.lock().unwrap().take().unwrap();
            let pieces = futures_util::stream::unfold(receiver, |mut r| async move { Some((r.recv().await?, r)) });
            Response::new(StreamBody::new(pieces).boxed_unsync())
        }),
    )
    .await;
    let connection = open(server.access(&authority)).await.unwrap();
    let (parts, mut pieces) = connection.stream("/api/v1/pods?watch=1", "application/json", false).await.unwrap();
    assert_eq!(parts.status, StatusCode::OK);
    for text in ["one\n", "two\n"] {
        sender.send(Ok(Frame::data(Bytes::from(text)))).await.unwrap();
        assert_eq!(pieces.next().await.unwrap().unwrap(), text);
    }
    sender.send(Err(std::io::Error::other("crash"))).await.unwrap();
    assert_eq!(pieces.next().await.unwrap().unwrap_err().code, CauseCode::Reset);
}

#[tokio::test]
async fn retry_after_is_obeyed_where_it_fits_and_reported_where_not() {
    let authority = Authority::new();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let server = Server::start(
        Some(authority.tls(&["h2"])),
        handler(move |r| {
            let n = counted.fetch_add(1, Ordering::SeqCst);
            let soon = r.uri().path() == "/soon";
            let mut response = Response::new(full("ok"));
            if !soon || n == 0 {
                *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
                response.headers_mut().insert("retry-after", if soon { 1.into() } else { 30.into() });
            }
            response
        }),
    )
    .await;
    let connection = open(server.access(&authority)).await.unwrap();
    assert_eq!(connection.get("/soon", "*/*", SOON).await.unwrap().bytes, "ok");
    assert_eq!(count.load(Ordering::SeqCst), 2);
    let cause = connection.get("/late", "*/*", SOON).await.unwrap_err();
    assert_eq!((cause.code, cause.retry_after), (CauseCode::Throttled, Some(30)));
    assert_eq!(count.load(Ordering::SeqCst), 3, "a wait that does not fit is not waited for");
    assert_eq!(connection.throttled(), 2);
}

#[tokio::test]
async fn answers_to_the_question_are_no_trouble_of_the_connection() {
    let authority = Authority::new();
    let server = Server::start(
        Some(authority.tls(&["h2"])),
        handler(|r| {
            let status = r.uri().path().trim_start_matches('/').parse::<u16>().unwrap();
            let mut response = Response::new(full(r#"{"kind":"Status","message":"so it is"}"#));
            *response.status_mut() = StatusCode::from_u16(status).unwrap();
            response
        }),
    )
    .await;
    let connection = open(server.access(&authority)).await.unwrap();
    for status in [404_u16, 410, 422] {
        let answer = connection.get(&format!("/{status}"), "*/*", SOON).await.unwrap();
        assert_eq!(answer.status.as_u16(), status);
        let cause = answer.ok().unwrap_err();
        assert_eq!((cause.code, cause.detail), (CauseCode::Protocol, format!("{status}: so it is")));
        let (parts, _) = connection.stream(&format!("/{status}"), "*/*", true).await.unwrap();
        assert_eq!(parts.status.as_u16(), status);
    }
    for (status, code) in [(403, CauseCode::Forbidden), (500, CauseCode::Server), (302, CauseCode::Protocol)] {
        assert_eq!(connection.get(&format!("/{status}"), "*/*", SOON).await.unwrap_err().code, code);
        let refused = connection.stream(&format!("/{status}"), "*/*", false).await.err().unwrap();
        assert_eq!((refused.code, refused.detail), (code, format!("{status}: so it is")));
    }
}

#[tokio::test]
async fn nothing_listens_and_no_such_name() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    drop(listener);
    for (server, code) in [
        (format!("http://{at}"), CauseCode::Refused),
        (String::from("https://no-such-host.invalid"), CauseCode::Dns),
        (String::from("ftp://x"), CauseCode::Config),
        (String::new(), CauseCode::Config),
    ] {
        let cause = open(Access { server, insecure: true, ..Access::default() }).await.unwrap_err();
        assert_eq!(cause.code, code, "{cause:?}");
    }
}
