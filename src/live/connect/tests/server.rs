//! A small API server for the tests: TLS with certificates made on the spot, a handler, counters, and a relay in front of
//! it that can freeze.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::{
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::{WebPkiClientVerifier, danger::ClientCertVerifier},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::super::{Limits, Shared, heard::BoxIo, tls};
use crate::config::kubeconfig::Access;

pub(super) type Body = UnsyncBoxBody<Bytes, std::io::Error>;
pub(super) type Answer = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;
pub(super) type Handler = Arc<dyn Fn(Request<Incoming>) -> Answer + Send + Sync>;

/// A whole body.
pub(super) fn full(text: &str) -> Body {
    Full::new(Bytes::copy_from_slice(text.as_bytes())).map_err(|never| match never {}).boxed_unsync()
}

/// A handler from a plain function.
pub(super) fn handler(f: impl Fn(&Request<Incoming>) -> Response<Body> + Send + Sync + 'static) -> Handler {
    Arc::new(move |request| {
        let response = f(&request);
        Box::pin(std::future::ready(response))
    })
}

/// Answers every request with 200 and `ok`.
pub(super) fn fine() -> Handler {
    handler(|_| Response::new(full("ok")))
}

/// Only `Bearer GOOD` may pass.
pub(super) fn only(good: &'static str) -> Handler {
    handler(move |request| {
        let shown = request.headers().get("authorization").and_then(|v| v.to_str().ok());
        let mut response = Response::new(full("ok"));
        if shown != Some(&format!("Bearer {good}")) {
            *response.status_mut() = http::StatusCode::UNAUTHORIZED;
        }
        response
    })
}

/// A certificate authority of one test.
pub(super) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "test authority");
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(super) fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    /// Chain and key, PEM, for names or a user, good to the end of year `until`.
    pub(super) fn issue(&self, names: &[&str], user: &str, until: i32) -> (String, String) {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, user);
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(until, 12, 31);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    /// A server's TLS: for 127.0.0.1 with the usual certificate.
    pub(super) fn tls(&self, protocols: &[&str]) -> rustls::ServerConfig {
        self.tls_with(&self.issue(&["127.0.0.1", "localhost"], "kube-apiserver", 2999), protocols)
    }

    /// A server's TLS that wants a client certificate of this authority.
    pub(super) fn tls_for_known(&self) -> rustls::ServerConfig {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        let wants = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), tls::provider()).build().unwrap();
        self.tls_of(&self.issue(&["127.0.0.1"], "kube-apiserver", 2999), &["h2"], wants)
    }

    pub(super) fn tls_with(&self, shown: &(String, String), protocols: &[&str]) -> rustls::ServerConfig {
        self.tls_of(shown, protocols, WebPkiClientVerifier::no_client_auth())
    }

    fn tls_of(
        &self,
        (chain, key): &(String, String),
        protocols: &[&str],
        clients: Arc<dyn ClientCertVerifier>,
    ) -> rustls::ServerConfig {
        let chain = CertificateDer::pem_slice_iter(chain.as_bytes()).map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let mut config = rustls::ServerConfig::builder_with_provider(tls::provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(clients)
            .with_single_cert(chain, key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|p| p.as_bytes().to_vec()).collect();
        config
    }
}

/// A running server; ends when dropped.
pub(super) struct Server {
    pub(super) at: SocketAddr,
    /// Sockets accepted so far.
    pub(super) sockets: Arc<AtomicUsize>,
    frozen: Arc<AtomicBool>,
    cut: CancellationToken,
    retire: Arc<Notify>,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Server {
    /// Serves on loopback; without `tls` plain HTTP. A relay stands in front of it.
    pub(super) async fn start(tls: Option<rustls::ServerConfig>, handler: Handler) -> Self {
        let acceptor = tls.map(|c| TlsAcceptor::from(Arc::new(c)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let behind = listener.local_addr().unwrap();
        let retire = Arc::new(Notify::new());
        let leave = Arc::clone(&retire);
        let serving = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, acceptor.clone(), Arc::clone(&handler), Arc::clone(&leave)));
            }
        });
        let front = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = front.local_addr().unwrap();
        let (sockets, frozen) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, ice) = (Arc::clone(&sockets), Arc::clone(&frozen));
        let cut = CancellationToken::new();
        let knife = cut.clone();
        let relaying = tokio::spawn(async move {
            while let Ok((socket, _)) = front.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let onward = TcpStream::connect(behind).await.unwrap();
                let (from_client, to_client) = socket.into_split();
                let (from_server, to_server) = onward.into_split();
                let there = relay(from_client, to_server, Arc::clone(&ice));
                tokio::spawn(knife.clone().run_until_cancelled_owned(there));
                let back = relay(from_server, to_client, Arc::clone(&ice));
                tokio::spawn(knife.clone().run_until_cancelled_owned(back));
            }
        });
        Self { at, sockets, frozen, cut, retire, tasks: vec![serving, relaying] }
    }

    pub(super) fn sockets(&self) -> usize {
        self.sockets.load(Ordering::SeqCst)
    }

    /// From now on bytes are only held, never passed on.
    pub(super) fn freeze(&self) {
        self.frozen.store(true, Ordering::SeqCst);
    }

    /// Closes every socket without a word of TLS, as the kernel does for a killed process.
    pub(super) fn kill(&self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        self.cut.cancel();
    }

    /// Asks the clients of the connections there are to go elsewhere (GOAWAY).
    pub(super) fn retire(&self) {
        self.retire.notify_waiters();
    }

    /// Access to it, trusting `authority`.
    pub(super) fn access(&self, authority: &Authority) -> Access {
        Access { server: format!("https://{}", self.at), ca: Some(authority.pem()), ..Access::default() }
    }
}

async fn serve(socket: TcpStream, acceptor: Option<TlsAcceptor>, handler: Handler, retire: Arc<Notify>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = handler(request);
        async move { Ok::<_, std::convert::Infallible>(answer.await) }
    });
    let io: BoxIo = match acceptor {
        None => Box::new(socket),
        Some(acceptor) => match acceptor.accept(socket).await {
            Ok(stream) => Box::new(stream),
            Err(_) => return,
        },
    };
    let builder = auto::Builder::new(TokioExecutor::new());
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(io), service));
    tokio::select! {
        _ = connection.as_mut() => return,
        () = retire.notified() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

async fn relay(
    mut from: impl tokio::io::AsyncRead + Unpin,
    mut to: impl tokio::io::AsyncWrite + Unpin,
    frozen: Arc<AtomicBool>,
) {
    let mut buffer = [0; 16384];
    while let Ok(n @ 1..) = from.read(&mut buffer).await {
        if frozen.load(Ordering::SeqCst) {
            // Both sockets stay open, nothing moves any more.
            std::future::pending::<()>().await;
        }
        if to.write_all(&buffer[..n]).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

/// Limits that end a test soon.
pub(super) fn short() -> Limits {
    Limits {
        connect: Duration::from_secs(5),
        ping: Duration::from_millis(300),
        pong: Duration::from_millis(700),
        headers: Duration::from_secs(20),
        plugin: Duration::from_secs(20),
        plugins: 4,
        plugin_rest: Duration::from_secs(60),
        plugin_hang_rest: Duration::from_secs(60),
    }
}

pub(super) fn shared() -> Arc<Shared> {
    with(Limits::default())
}

pub(super) fn with(limits: Limits) -> Arc<Shared> {
    Arc::new(Shared::with_limits(&BTreeMap::new(), limits))
}
