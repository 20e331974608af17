//! Tokens that are renewed, plugins that hang, talk and ask, client certificates that are too old.

use std::{path::Path, sync::Arc, time::Duration};

use futures_util::future::join_all;
use http::{Response, StatusCode};

use super::{
    super::{Connection, Limits},
    server::{Authority, Server, fine, full, handler, only, shared, short, with},
};
use crate::{
    config::kubeconfig::{Access, Auth, Exec},
    model::{Cause, CauseCode},
};

const SOON: Duration = Duration::from_secs(20);

/// A plugin that runs `script`, which finds its folder in `$HERE`.
fn plugin(dir: &Path, script: &str) -> Exec {
    let path = dir.join("plugin");
    std::fs::write(&path, format!("HERE={}\n{script}\n", dir.display())).unwrap();
    Exec {
        api_version: "client.authentication.k8s.io/v1".into(),
        // Not the file itself: a process that another test forks meanwhile could still hold it open for writing.
        command: "/bin/sh".into(),
        args: vec![path.display().to_string(), "get-token".into()],
        interactive_mode: "IfAvailable".into(),
        ..Exec::default()
    }
}

/// The cause of a connection that fails at once or with its first request.
async fn refused(access: Access) -> Cause {
    match Connection::open(Arc::new(access), shared()).await {
        Ok(connection) => connection.get("/version", "*/*", SOON).await.unwrap_err(),
        Err(cause) => cause,
    }
}

/// Prints token `t` and the number of its run, and notes that it ran.
const COUNTING: &str = r#"echo run >> "$HERE/runs"
n=$(wc -l < "$HERE/runs" | tr -d ' ')
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t'$n'"}}'"#;

fn runs(dir: &Path) -> usize {
    std::fs::read_to_string(dir.join("runs")).unwrap_or_default().lines().count()
}

fn with_plugin(server: &Server, authority: &Authority, exec: Exec) -> Arc<Access> {
    let mut access = server.access(authority);
    access.auth.exec = Some(exec);
    Arc::new(access)
}

#[tokio::test]
async fn equal_plugins_of_twenty_clusters_run_once() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls(&["h2"])), only("t1")).await;
    let exec = plugin(dir.path(), &format!("sleep 0.3\n{COUNTING}"));
    let shared = shared();
    let opened = (0..20).map(|_| async {
        let access = with_plugin(&server, &authority, exec.clone());
        let connection = Connection::open(access, Arc::clone(&shared)).await?;
        connection.get("/version", "*/*", SOON).await?.ok()
    });
    for answer in join_all(opened).await {
        assert!(answer.is_ok(), "{answer:?}");
    }
    assert_eq!(runs(dir.path()), 1);
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_and_then_the_command_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls(&["h2"])), only("t2")).await;
    let exec = plugin(dir.path(), COUNTING);
    let access = with_plugin(&server, &authority, exec.clone());
    let connection = Connection::open(access, shared()).await.unwrap();
    assert_eq!(connection.get("/version", "*/*", SOON).await.unwrap().status, StatusCode::OK);
    assert_eq!(runs(dir.path()), 2);
    assert_eq!(connection.credential().plugin, "sh");

    let never = Server::start(Some(authority.tls(&["h2"])), only("another")).await;
    let access = with_plugin(&never, &authority, exec.clone());
    let connection = Connection::open(access, shared()).await.unwrap();
    for _ in 0..3 {
        let cause = connection.get("/version", "*/*", SOON).await.unwrap_err();
        assert_eq!(cause.code, CauseCode::Unauthorized);
        assert_eq!(cause.command, Some(format!("/bin/sh {} get-token", exec.args[0])));
    }
    assert_eq!(runs(dir.path()), 4, "a renewal that changed nothing is not repeated with every request");
}

#[tokio::test]
async fn plugins_that_hang_talk_or_ask_end_as_causes_with_their_words() {
    let certificate =
        "{\"kind\":\"ExecCredential\",\"status\":{\"clientCertificateData\":\"x\",\"clientKeyData\":\"y\"}}";
    let cases: [(&str, &str); 7] = [
        ("echo waiting for the browser >&2; sleep 1000", "did not end within 1 s, it said: waiting for the browser"),
        (
            "yes chatter | head -c 3000000 >&2; echo 'token has expired' >&2; exit 7",
            "exit status: 7: token has expired",
        ),
        ("read line && exit 0; echo no input >&2; exit 1", "no input"),
        ("yes | head -c 3000000", "printed more than"),
        ("echo 'kind: ExecCredential'", "something else than an ExecCredential"),
        ("sleep 1000 & echo oops >&2; exit 3", "exit status: 3: oops"),
        (&format!("echo '{certificate}'"), "client certificate"),
    ];
    let limits = Limits { plugin: Duration::from_secs(1), ..short() };
    let ended = join_all(cases.iter().map(|(script, _)| {
        let shared = with(limits.clone());
        async move {
            let dir = tempfile::tempdir().unwrap();
            let auth = Auth { exec: Some(plugin(dir.path(), script)), ..Auth::default() };
            let access = Access { server: "http://127.0.0.1:9".into(), auth, ..Access::default() };
            Connection::open(Arc::new(access), shared).await.unwrap_err()
        }
    }))
    .await;
    for (cause, (script, words)) in ended.iter().zip(cases) {
        assert!(matches!(cause.code, CauseCode::ExecPlugin | CauseCode::ClientCertificate), "{script}: {cause:?}");
        assert!(cause.detail.contains(words), "{script}: {cause:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_wants_a_terminal_is_not_run_and_a_missing_one_gives_its_hint() {
    let dir = tempfile::tempdir().unwrap();
    let fails = |exec: Exec| async {
        let auth = Auth { exec: Some(exec), ..Auth::default() };
        let access = Access { server: "http://127.0.0.1:9".into(), auth, ..Access::default() };
        Connection::open(Arc::new(access), shared()).await.unwrap_err()
    };
    let asking = Exec { interactive_mode: "Always".into(), ..plugin(dir.path(), COUNTING) };
    let cause: Cause = fails(asking.clone()).await;
    assert_eq!((cause.code, runs(dir.path())), (CauseCode::ExecPlugin, 0));
    assert!(cause.command.is_some());

    let missing = Exec { command: "no-such-plugin-anywhere".into(), install_hint: "get it at x".into(), ..asking };
    let cause = fails(Exec { interactive_mode: String::new(), ..missing }).await;
    assert!(cause.detail.contains("get it at x"), "{cause:?}");

    let old = Exec { api_version: "client.authentication.k8s.io/v1alpha1".into(), ..plugin(dir.path(), COUNTING) };
    assert_eq!(fails(old).await.code, CauseCode::Config);
}

#[tokio::test]
async fn a_log_in_with_the_terminal_counts_for_every_equal_entry() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls(&["h2"])), only("t1")).await;
    // It runs only where a person asks.
    let exec = Exec { interactive_mode: "Always".into(), ..plugin(dir.path(), COUNTING) };
    let access = with_plugin(&server, &authority, exec);
    let shared = shared();
    let cause = Connection::open(Arc::clone(&access), Arc::clone(&shared)).await.unwrap_err();
    assert_eq!((cause.code, runs(dir.path())), (CauseCode::ExecPlugin, 0));
    let (said, _words) = tokio::sync::mpsc::unbounded_channel();
    let login = shared.log_in(&access, said).await.unwrap();
    assert!(login.told().is_ok() && login.fits(&access) && !login.fits(&server.access(&authority)));
    assert!(!format!("{login:?}").contains("t1"));
    shared.keep(login).await;
    for _ in 0..2 {
        let connection = Connection::open(Arc::clone(&access), Arc::clone(&shared)).await.unwrap();
        assert!(connection.get("/version", "*/*", SOON).await.unwrap().status.is_success());
    }
    assert_eq!(runs(dir.path()), 1);
}

#[tokio::test]
async fn a_failed_plugin_rests_until_a_person_asks() {
    let dir = tempfile::tempdir().unwrap();
    let exec = plugin(dir.path(), "echo run >> \"$HERE/runs\"; exit 1");
    let auth = Auth { exec: Some(exec), ..Auth::default() };
    let access = Arc::new(Access { server: "http://127.0.0.1:9".into(), auth, ..Access::default() });
    let shared = with(short());
    for _ in 0..3 {
        Connection::open(Arc::clone(&access), Arc::clone(&shared)).await.unwrap_err();
    }
    assert_eq!(runs(dir.path()), 1);
    shared.forget_failures();
    Connection::open(access, shared).await.unwrap_err();
    assert_eq!(runs(dir.path()), 2);
}

#[tokio::test]
async fn an_expired_client_certificate_is_dated() {
    let authority = Authority::new();
    let refusing = handler(|_| {
        let mut response = Response::new(full(r#"{"kind":"Status","message":"Unauthorized"}"#));
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        response
    });
    let server = Server::start(Some(authority.tls(&["h2"])), refusing).await;
    let (chain, key) = authority.issue(&[], "eve", 2020);
    let mut access = server.access(&authority);
    access.auth.certificate = Some((chain.clone().into_bytes(), key.into_bytes()));
    let connection = Connection::open(Arc::new(access.clone()), shared()).await.unwrap();
    assert_eq!(connection.credential().user, "eve");
    let cause = connection.get("/version", "*/*", SOON).await.unwrap_err();
    assert_eq!(cause.code, CauseCode::ClientCertificate);
    assert!(cause.detail.contains("client certificate of eve expired 2020-12-31"), "{cause:?}");

    // A server that verifies in the handshake says so by an alert, after it: the words are the same.
    let strict = Server::start(Some(authority.tls_for_known()), only("x")).await;
    access.server = strict.access(&authority).server;
    let cause = refused(access.clone()).await;
    assert_eq!(cause.code, CauseCode::ClientCertificate);
    assert!(cause.detail.contains("client certificate of eve expired 2020-12-31"), "{cause:?}");
    let anonymous = refused(strict.access(&authority)).await;
    assert_eq!(anonymous.code, CauseCode::ClientCertificate, "{anonymous:?}");

    let (_, other) = authority.issue(&[], "eve", 2999);
    for (key, words) in [(other.as_str(), "do not belong together"), ("rubbish", "not a PEM private key")] {
        access.auth.certificate = Some((chain.clone().into_bytes(), key.as_bytes().to_vec()));
        let cause = Connection::open(Arc::new(access.clone()), shared()).await.unwrap_err();
        assert_eq!(cause.code, CauseCode::ClientCertificate);
        assert!(cause.detail.contains(words), "{cause:?}");
    }
}

/// A server that would resume a session takes the certificate from the ticket or forgets it: we never ask it to.
#[tokio::test]
async fn every_handshake_is_whole_and_shows_the_client_certificate() {
    let authority = Authority::new();
    let mut tls = authority.tls_for_known();
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(tls));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let shaken = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = Arc::clone(&shaken);
    let serving = tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let stream = acceptor.accept(socket).await.unwrap();
            let session = stream.get_ref().1;
            log.lock().unwrap().push((session.handshake_kind(), session.peer_certificates().map(<[_]>::len)));
            let closing = hyper::service::service_fn(|_| {
                let mut response = Response::new(full("ok"));
                response.headers_mut().insert("connection", http::HeaderValue::from_static("close"));
                std::future::ready(Ok::<_, std::convert::Infallible>(response))
            });
            let io = hyper_util::rt::TokioIo::new(stream);
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(io, closing).await;
        }
    });
    let (chain, key) = authority.issue(&[], "eve", 2999);
    let mut access = Access { server: format!("https://{at}"), ca: Some(authority.pem()), ..Access::default() };
    access.auth.certificate = Some((chain.into_bytes(), key.into_bytes()));
    let (access, shared) = (Arc::new(access), shared());
    for _ in 0..2 {
        let connection = Connection::open(Arc::clone(&access), Arc::clone(&shared)).await.unwrap();
        for _ in 0..2 {
            assert_eq!(connection.get("/version", "*/*", SOON).await.unwrap().bytes, "ok");
        }
    }
    assert_eq!(*shaken.lock().unwrap(), [(Some(rustls::HandshakeKind::Full), Some(1)); 4]);
    serving.abort();
}

#[tokio::test]
async fn a_new_certificate_of_a_plugin_gets_a_new_connection() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    for (n, user) in [(1, "old"), (2, "new")] {
        let (chain, key) = authority.issue(&[], user, 2999);
        let status = serde_json::json!({ "clientCertificateData": chain, "clientKeyData": key });
        let issued = serde_json::json!({ "kind": "ExecCredential", "status": status });
        std::fs::write(dir.path().join(format!("{n}.json")), issued.to_string()).unwrap();
    }
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let once_refusing = handler(move |_| {
        let mut response = Response::new(full("ok"));
        if asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
            *response.status_mut() = StatusCode::UNAUTHORIZED;
        }
        response
    });
    let server = Server::start(Some(authority.tls_for_known()), once_refusing).await;
    let script = "echo run >> \"$HERE/runs\"; cat \"$HERE/$(wc -l < \"$HERE/runs\" | tr -d ' ').json\"";
    let access = with_plugin(&server, &authority, plugin(dir.path(), script));
    let connection = Connection::open(access, shared()).await.unwrap();
    for _ in 0..3 {
        assert_eq!(connection.get("/version", "*/*", SOON).await.unwrap().bytes, "ok");
    }
    assert_eq!((runs(dir.path()), server.sockets()), (2, 2));
}

#[tokio::test]
async fn a_plugin_that_hangs_does_not_open_a_browser_for_every_cluster() {
    let dir = tempfile::tempdir().unwrap();
    let shared = with(Limits { plugin: Duration::from_millis(500), plugins: 1, ..short() });
    let exec = plugin(dir.path(), "echo run >> \"$HERE/runs\"; sleep 1000");
    let opened = (0..12).map(|i| {
        let mut exec = exec.clone();
        exec.args.push(format!("cluster-{i}"));
        let auth = Auth { exec: Some(exec), ..Auth::default() };
        let access = Access { server: "http://127.0.0.1:9".into(), auth, ..Access::default() };
        Connection::open(Arc::new(access), Arc::clone(&shared))
    });
    let causes: Vec<Cause> = join_all(opened).await.into_iter().map(|r| r.unwrap_err()).collect();
    assert_eq!(runs(dir.path()), 2);
    assert!(causes.iter().all(|c| c.code == CauseCode::ExecPlugin && c.command.is_some()), "{causes:?}");
    assert_eq!(causes.iter().filter(|c| c.detail.contains("hung for other clusters")).count(), 10);
}

#[tokio::test]
async fn a_credential_near_its_end_is_renewed_while_it_still_serves() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls(&["h2"])), fine()).await;
    // The first holds for a few seconds, so half its life is soon over; the second run waits for leave.
    let script = r#"echo run >> "$HERE/runs"
n=$(wc -l < "$HERE/runs" | tr -d ' ')
[ $n = 1 ] || while [ ! -e "$HERE/leave" ]; do sleep 0.05; done
echo '{"kind":"ExecCredential","status":{"token":"t'$n'","expirationTimestamp":"'$(cat "$HERE/end$n")'"}}'"#;
    let end = |n: u32, seconds| {
        let at = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
        std::fs::write(dir.path().join(format!("end{n}")), at.to_string()).unwrap();
    };
    end(1, 8);
    end(2, 3600);
    let access = with_plugin(&server, &authority, plugin(dir.path(), script));
    let connection = Connection::open(access, shared()).await.unwrap();
    let first = connection.credential().expires;
    let get = || async { connection.get("/version", "*/*", SOON).await.unwrap() };
    let renewing = async {
        while runs(dir.path()) < 2 {
            get().await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(SOON, renewing).await.expect("renewed before the end");
    // The second run is under way and does not end yet: requests pass.
    get().await;
    assert_eq!(connection.credential().expires, first);
    std::fs::write(dir.path().join("leave"), "").unwrap();
    let renewed = async {
        while connection.credential().expires == first {
            get().await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(SOON, renewed).await.expect("the new one is taken");
    assert_eq!(runs(dir.path()), 2);
}
