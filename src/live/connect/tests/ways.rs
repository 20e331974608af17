//! Ways to a server: proxies, plain HTTP, servers that close in order.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use http::Response;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::{
    super::{Connection, Shared},
    server::{Authority, Server, fine, full, handler, shared},
};
use crate::{config::kubeconfig::Access, model::CauseCode};

const SOON: Duration = Duration::from_secs(20);

/// Reads up to the end of an HTTP head.
async fn head(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(socket.read_u8().await.unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_connect_proxy_gets_the_password_whole_and_a_refusal_is_its_own() {
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls(&["h2"])), fine()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let proxy = tokio::spawn(async move {
        let mut heads = Vec::new();
        for open in [true, false] {
            let (mut socket, _) = listener.accept().await.unwrap();
            let asked = head(&mut socket).await;
            let target = asked.split(' ').nth(1).unwrap().to_owned();
            heads.push(asked);
            if open {
                let mut onward = TcpStream::connect(target).await.unwrap();
                socket.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
                tokio::spawn(async move { tokio::io::copy_bidirectional(&mut socket, &mut onward).await });
            } else {
                socket.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await.unwrap();
            }
        }
        heads
    });
    let mut access = server.access(&authority);
    access.proxy_url = format!("http://user:pa@ss@{at}");
    // The cluster's own proxy is not subject to NO_PROXY.
    let env = BTreeMap::from([(String::from("NO_PROXY"), String::from("*"))]);
    let shared = Arc::new(Shared::new(&env));
    let connection = Connection::open(Arc::new(access.clone()), Arc::clone(&shared)).await.unwrap();
    assert_eq!(connection.get("/version", "*/*", SOON).await.unwrap().bytes, "ok");
    let cause = Connection::open(Arc::new(access), shared).await.unwrap_err();
    assert_eq!(cause.code, CauseCode::Proxy, "{cause:?}");
    assert!(cause.detail.contains("407") && !cause.detail.contains("pa@ss"), "{cause:?}");
    let heads = proxy.await.unwrap();
    assert!(heads[0].contains("Proxy-Authorization: Basic dXNlcjpwYUBzcw=="), "{}", heads[0]);
}

#[tokio::test]
async fn a_socks_proxy_resolves_the_name() {
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls(&["h2"])), fine()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let onward = server.at;
    let proxy = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut greeting = [0; 4];
        socket.read_exact(&mut greeting).await.unwrap();
        assert_eq!(greeting, [5, 2, 0, 2]);
        socket.write_all(&[5, 2]).await.unwrap();
        let mut login = [0; 7];
        socket.read_exact(&mut login).await.unwrap();
        assert_eq!(&login, b"\x01\x01u\x03p@w");
        socket.write_all(&[1, 0]).await.unwrap();
        let mut ask = [0; 5];
        socket.read_exact(&mut ask).await.unwrap();
        let mut name = vec![0; usize::from(ask[4]) + 2];
        socket.read_exact(&mut name).await.unwrap();
        socket.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
        let mut server = TcpStream::connect(onward).await.unwrap();
        tokio::spawn(async move { tokio::io::copy_bidirectional(&mut socket, &mut server).await });
        String::from_utf8(name[..name.len() - 2].to_vec()).unwrap()
    });
    let mut access = server.access(&authority);
    access.server = String::from("https://api.behind.invalid:6443");
    access.tls_server_name = String::from("localhost");
    access.proxy_url = format!("socks5h://u:p@w@{at}");
    let connection = Connection::open(Arc::new(access), shared()).await.unwrap();
    assert_eq!(connection.get("/version", "*/*", SOON).await.unwrap().bytes, "ok");
    assert_eq!(proxy.await.unwrap(), "api.behind.invalid");
}

#[tokio::test]
async fn plain_http_servers_work_too() {
    let server = Server::start(None, fine()).await;
    let access = Access { server: format!("http://{}", server.at), ..Access::default() };
    let connection = Connection::open(Arc::new(access), shared()).await.unwrap();
    assert_eq!(connection.get("/version", "*/*", SOON).await.unwrap().bytes, "ok");
    assert_eq!(connection.get("/version", "*/*", SOON).await.unwrap().bytes, "ok");
    assert_eq!(server.sockets(), 1);
    assert!(connection.certificate().is_none() && connection.heard().0 > 0);
}

#[tokio::test]
async fn a_gzip_answer_is_unpacked() {
    use std::io::Write as _;
    let server = Server::start(
        None,
        handler(|r| {
            assert_eq!(r.headers()["accept-encoding"], "gzip");
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(b"unpacked").unwrap();
            let packed = encoder.finish().unwrap();
            let body = http_body_util::Full::new(bytes::Bytes::from(packed));
            let body = http_body_util::BodyExt::map_err(body, |never| match never {});
            let mut response = Response::new(http_body_util::BodyExt::boxed_unsync(body));
            response.headers_mut().insert("content-encoding", http::HeaderValue::from_static("gzip"));
            response
        }),
    )
    .await;
    let access = Access { server: server.at.to_string(), ..Access::default() };
    let connection = Connection::open(Arc::new(access), shared()).await.unwrap();
    assert_eq!(connection.get("/api/v1/pods", "*/*", SOON).await.unwrap().bytes, "unpacked");
}

#[tokio::test]
async fn a_connection_closed_in_order_is_dialled_again() {
    let server = Server::start(
        None,
        handler(|_| {
            let mut response = Response::new(full("ok"));
            response.headers_mut().insert("connection", http::HeaderValue::from_static("close"));
            response
        }),
    )
    .await;
    let access = Access { server: server.at.to_string(), ..Access::default() };
    let connection = Connection::open(Arc::new(access), shared()).await.unwrap();
    for n in 1..=3 {
        assert_eq!(connection.get("/version", "*/*", SOON).await.unwrap().bytes, "ok");
        assert_eq!(server.sockets(), n);
    }
}
