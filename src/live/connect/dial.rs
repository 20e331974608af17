//! From a server's URL to an open stream: names resolved, proxies passed, TLS shaken. Every step has its own time limit
//! and says which step it was.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::AtomicI64},
    time::Duration,
};

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::{ClientConfig, pki_types::ServerName};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsConnector;
use tower::Service as _;

use super::{
    cause::cause_of,
    heard::{BoxIo, Heard},
    proxy::{Proxy, Scheme, route, split_host_port},
    shared::Shared,
    tls,
};
use crate::{
    config::kubeconfig::Access,
    model::{Cause, CauseCode},
};

/// Where a server is, as its URL says.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// TLS or plain.
    pub(super) tls: bool,
    /// Name or address, without brackets.
    pub(super) host: String,
    /// Port.
    pub(super) port: u16,
    /// `host:port` as written, for the request's authority.
    pub(super) authority: String,
    /// Path in front of the API's own, without a slash at its end.
    pub(super) prefix: String,
    /// Name that the certificate must be for.
    pub(super) name: ServerName<'static>,
    /// Proxy on the way.
    pub(super) proxy: Option<Proxy>,
}

impl Place {
    pub(super) fn of(access: &Access, shared: &Shared) -> Result<Self, Cause> {
        let config = |text: String| Cause::new(CauseCode::Config, text);
        let server = access.server.trim();
        // Without a scheme kubectl takes HTTPS where the entry speaks of certificates, else plain HTTP.
        let with_scheme = if server.contains("://") {
            server.to_owned()
        } else if access.ca.is_some() || access.auth.certificate.is_some() {
            format!("https://{server}")
        } else {
            format!("http://{server}")
        };
        let uri: Uri = with_scheme.parse().map_err(|e| config(format!("the server URL {server:?} is none: {e}")))?;
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            other => {
                return Err(config(format!("the server URL's scheme {:?} is not http or https", other.unwrap_or(""))));
            }
        };
        let authority = uri.authority().map(|a| a.as_str()).unwrap_or_default();
        let authority = authority.rsplit_once('@').map_or(authority, |(_, a)| a).to_owned();
        let host = split_host_port(&authority).0.to_owned();
        if host.is_empty() {
            return Err(config(format!("the server URL {server:?} names no host")));
        }
        let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
        let name = if access.tls_server_name.is_empty() { &host } else { &access.tls_server_name };
        let name = ServerName::try_from(name.clone())
            .map_err(|_| config(format!("{name:?} cannot be the name of a TLS server")))?;
        let prefix = uri.path().trim_end_matches('/').to_owned();
        let proxy = route(&access.proxy_url, &shared.proxies, tls, &host, port)
            .map_err(|text| Cause::new(CauseCode::Proxy, text))?;
        Ok(Self { tls, host, port, authority, prefix, name, proxy })
    }
}

/// An open stream, and whether HTTP/2 was agreed on.
pub(super) struct Dialled {
    pub(super) io: BoxIo,
    pub(super) h2: bool,
}

/// Opens a stream to the server.
pub(super) async fn dial(
    place: &Place,
    tls: Option<Arc<ClientConfig>>,
    shared: &Shared,
    heard: &Arc<AtomicI64>,
) -> Result<Dialled, Cause> {
    let limit = shared.limits.connect;
    let raw = match &place.proxy {
        None => tcp(&place.host, place.port, limit, heard).await?,
        Some(proxy) => through(proxy, place, shared, heard).await?,
    };
    let Some(config) = tls else { return Ok(Dialled { io: raw, h2: false }) };
    let shaking = TlsConnector::from(config).connect(place.name.clone(), raw);
    let stream = within(limit, "the TLS handshake", async { shaking.await.map_err(|e| handshake_cause(&e)) }).await?;
    let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok(Dialled { io: Box::new(stream), h2 })
}

/// A handshake that ends without a TLS word is a closed connection, whatever the kind of the error.
fn handshake_cause(error: &std::io::Error) -> Cause {
    let mut cause = cause_of(error);
    if cause.code == CauseCode::Reset {
        cause.detail = format!("closed during the TLS handshake: {}", cause.detail);
    }
    cause
}

async fn within<T>(limit: Duration, step: &str, work: impl Future<Output = Result<T, Cause>>) -> Result<T, Cause> {
    match tokio::time::timeout(limit, work).await {
        Ok(done) => done,
        Err(_) => Err(Cause::new(CauseCode::Timeout, format!("no answer within {} s: {step}", limit.as_secs_f32()))),
    }
}

/// TCP, with keep-alive at the kernel's level too (half-open sockets die within a minute) and without Nagle.
async fn tcp(host: &str, port: u16, limit: Duration, heard: &Arc<AtomicI64>) -> Result<BoxIo, Cause> {
    let addresses: Vec<SocketAddr> = within(limit, &format!("resolving {host}"), async {
        let found = tokio::net::lookup_host((host, port)).await;
        found.map(Iterator::collect).map_err(|e| Cause::new(CauseCode::Dns, format!("{host}: {e}")))
    })
    .await?;
    if addresses.is_empty() {
        return Err(Cause::new(CauseCode::Dns, format!("{host}: no address")));
    }
    let known = tower::service_fn(move |_| std::future::ready(Ok::<_, std::io::Error>(addresses.clone().into_iter())));
    let mut connector = HttpConnector::new_with_resolver(known);
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_keepalive(Some(Duration::from_secs(30)));
    connector.set_keepalive_interval(Some(Duration::from_secs(10)));
    connector.set_keepalive_retries(Some(3));
    // The name is resolved already: the connector only needs a URI of the right port.
    let uri = Uri::builder().scheme("http").authority(format!("resolved.invalid:{port}")).path_and_query("/").build();
    let uri = uri.map_err(|e| Cause::new(CauseCode::Config, e.to_string()))?;
    let io = within(limit, &format!("connecting to {host}:{port}"), async {
        let done = connector.call(uri).await;
        done.map_err(|e| {
            let mut cause = cause_of(&e);
            cause.detail = format!("{host}:{port}: {}", cause.detail);
            cause
        })
    })
    .await?;
    Ok(Box::new(Heard { inner: io.into_inner(), at: Arc::clone(heard) }))
}

/// A tunnel through a proxy.
async fn through(proxy: &Proxy, place: &Place, shared: &Shared, heard: &Arc<AtomicI64>) -> Result<BoxIo, Cause> {
    let limit = shared.limits.connect;
    let at = format!("proxy {}:{}", proxy.host, proxy.port);
    let blame = |cause: Cause| Cause::new(CauseCode::Proxy, format!("{at}: {}", cause.detail));
    let mut io = tcp(&proxy.host, proxy.port, limit, heard).await.map_err(blame)?;
    if proxy.scheme == Scheme::Https {
        let config = tls::proxy_config(&shared.roots).map_err(blame)?;
        let name = ServerName::try_from(proxy.host.clone())
            .map_err(|_| blame(Cause::new(CauseCode::Proxy, "its name is not a TLS server's")))?;
        let shaking = TlsConnector::from(config).connect(name, io);
        let done = within(limit, "its TLS handshake", async { shaking.await.map_err(|e| cause_of(&e)) }).await;
        io = Box::new(done.map_err(blame)?);
    }
    let asked = within(limit, "its answer", async {
        match proxy.scheme {
            Scheme::Http | Scheme::Https => connect(&mut io, proxy, place).await,
            Scheme::Socks5 => socks5(&mut io, proxy, place).await,
        }
    });
    asked.await.map_err(blame)?;
    Ok(io)
}

/// HTTP CONNECT.
async fn connect(io: &mut BoxIo, proxy: &Proxy, place: &Place) -> Result<(), Cause> {
    let host = if place.host.contains(':') { format!("[{}]", place.host) } else { place.host.clone() };
    let target = format!("{host}:{}", place.port);
    let mut ask = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
    if let Some(authorization) = proxy.authorization() {
        ask.push_str(&format!("Proxy-Authorization: {authorization}\r\n"));
    }
    ask.push_str("\r\n");
    io.write_all(ask.as_bytes()).await.map_err(|e| cause_of(&e))?;
    // Byte by byte: what follows the head belongs to the tunnel.
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() > 8192 {
            return Err(Cause::new(CauseCode::Proxy, "its answer is not HTTP"));
        }
        head.push(io.read_u8().await.map_err(|e| cause_of(&e))?);
    }
    let line = String::from_utf8_lossy(&head);
    let line = line.lines().next().unwrap_or_default();
    let status = line.split(' ').nth(1).and_then(|s| s.parse::<u16>().ok());
    match status {
        Some(200..300) if line.starts_with("HTTP/1.") => Ok(()),
        Some(407) => Err(Cause::new(CauseCode::Proxy, "it wants a user and a password (407)")),
        _ => Err(Cause::new(CauseCode::Proxy, format!("it refused the tunnel to {target}: {line}"))),
    }
}

/// SOCKS 5 (RFC 1928, 1929); the proxy resolves names.
async fn socks5(io: &mut BoxIo, proxy: &Proxy, place: &Place) -> Result<(), Cause> {
    let lost = |e: std::io::Error| cause_of(&e);
    let refused = |text: &str| Cause::new(CauseCode::Proxy, text);
    let greeting: &[u8] = if proxy.user.is_some() { &[5, 2, 0, 2] } else { &[5, 1, 0] };
    io.write_all(greeting).await.map_err(lost)?;
    let mut answer = [0; 2];
    io.read_exact(&mut answer).await.map_err(lost)?;
    match (answer, &proxy.user) {
        ([5, 0], _) => {}
        ([5, 2], Some((name, password))) => {
            let mut ask = vec![1];
            for text in [name, password] {
                ask.push(u8::try_from(text.len()).map_err(|_| refused("user or password is longer than 255 bytes"))?);
                ask.extend_from_slice(text.as_bytes());
            }
            io.write_all(&ask).await.map_err(lost)?;
            io.read_exact(&mut answer).await.map_err(lost)?;
            if answer[1] != 0 {
                return Err(refused("it refused the user or the password"));
            }
        }
        ([5, _], _) => return Err(refused("it wants a way to authenticate that we do not have")),
        _ => return Err(refused("it does not speak SOCKS 5")),
    }
    let mut ask = vec![5, 1, 0];
    match place.host.parse() {
        Ok(std::net::IpAddr::V4(ip)) => {
            ask.push(1);
            ask.extend(ip.octets());
        }
        Ok(std::net::IpAddr::V6(ip)) => {
            ask.push(4);
            ask.extend(ip.octets());
        }
        Err(_) => {
            ask.push(3);
            ask.push(
                u8::try_from(place.host.len()).map_err(|_| refused("the server's name is longer than 255 bytes"))?,
            );
            ask.extend_from_slice(place.host.as_bytes());
        }
    }
    ask.extend(place.port.to_be_bytes());
    io.write_all(&ask).await.map_err(lost)?;
    let mut head = [0; 4];
    io.read_exact(&mut head).await.map_err(lost)?;
    if head[1] != 0 {
        return Err(refused(&format!("it could not reach the server: {}", socks5_words(head[1]))));
    }
    let rest = match head[3] {
        1 => 4,
        4 => 16,
        _ => usize::from(io.read_u8().await.map_err(lost)?),
    };
    let mut bound = vec![0; rest + 2];
    io.read_exact(&mut bound).await.map_err(lost)?;
    Ok(())
}

fn socks5_words(code: u8) -> &'static str {
    match code {
        1 => "general failure",
        2 => "not allowed by its rules",
        3 => "network unreachable",
        4 => "host unreachable",
        5 => "connection refused",
        6 => "time to live expired",
        7 => "command not supported",
        8 => "address type not supported",
        _ => "unknown answer",
    }
}
