//! A scripted API server on loopback: answers in plain HTTP by a function of the request, and keeps what was asked.

use std::{
    collections::VecDeque,
    convert::Infallible,
    io::Write as _,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody, combinators::UnsyncBoxBody};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::sync::mpsc;

/// How a body ends after its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// As it should.
    End,
    /// Not at all: it stays open and silent.
    Hang,
    /// The connection breaks.
    Break,
}

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// Each piece is a gzip member of its own, as servers flush them.
    Gzip,
    /// The header says gzip, the body is plain.
    Pretended,
}

/// One answer.
#[derive(Debug)]
pub struct Reply {
    status: u16,
    packing: Packing,
    retry_after: Option<u32>,
    pieces: VecDeque<String>,
    live: Option<mpsc::UnboundedReceiver<String>>,
    then: Then,
}

impl Reply {
    /// 200 with this body.
    pub fn json(body: impl Into<String>) -> Self {
        Self {
            status: 200,
            packing: Packing::Plain,
            retry_after: None,
            pieces: [body.into()].into(),
            live: None,
            then: Then::End,
        }
    }

    /// A refusal with a `Status` body.
    pub fn refuse(status: u16) -> Self {
        let body = format!(r#"{{"kind":"Status","code":{status},"message":"scripted {status}"}}"#);
        Self { status, ..Self::json(body) }
    }

    /// With `Content-Encoding: gzip`, whatever was asked for.
    pub fn packed(self, packing: Packing) -> Self {
        Self { packing, ..self }
    }

    /// With `Retry-After`.
    pub fn retry_after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// A watch of these lines.
    pub fn lines(lines: &[String], then: Then) -> Self {
        let pieces = lines.iter().map(|l| format!("{l}\n")).collect();
        Self { pieces, then, ..Self::json("") }
    }

    /// Exactly these pieces.
    pub fn pieces(pieces: &[&str], then: Then) -> Self {
        Self { pieces: pieces.iter().map(|p| (*p).to_owned()).collect(), then, ..Self::json("") }
    }

    /// More lines come through this channel, before the end.
    pub fn and_live(self, live: mpsc::UnboundedReceiver<String>) -> Self {
        Self { live: Some(live), ..self }
    }
}

type Body = UnsyncBoxBody<Bytes, std::io::Error>;
type Handler = dyn Fn(&str) -> Option<Reply> + Send + Sync;

/// The running server.
pub struct Server {
    /// Its URL.
    pub url: String,
    asked: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Serves `minor` as its version and the core group; `script` answers first.
    pub async fn start(minor: u16, script: impl Fn(&str) -> Option<Reply> + Send + Sync + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (seen, script): (_, Arc<Handler>) = (Arc::clone(&asked), Arc::new(script));
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                let service = service_fn(move |request: Request<Incoming>| {
                    let target = request.uri().to_string();
                    seen.lock().unwrap().push(target.clone());
                    let reply = script(&target).or_else(|| standard(&target, minor));
                    std::future::ready(Ok::<_, Infallible>(answer(reply.unwrap_or_else(|| Reply::refuse(404)))))
                });
                connections.spawn(async move {
                    let server = hyper::server::conn::http1::Builder::new();
                    let _ = server.serve_connection(TokioIo::new(socket), service).await;
                });
            }
        });
        Self { url, asked, task }
    }

    /// Requests so far that contain `part`.
    pub fn asked(&self, part: &str) -> Vec<String> {
        self.asked.lock().unwrap().iter().filter(|t| t.contains(part)).cloned().collect()
    }
}

/// Version, discovery and identity.
fn standard(target: &str, minor: u16) -> Option<Reply> {
    let resource = |name: &str, scope: &str| {
        format!(r#"{{"resource":"{name}","scope":"{scope}","verbs":["get","list","watch"]}}"#)
    };
    Some(Reply::json(match target {
        "/version" => format!(r#"{{"major":"1","minor":"{minor}","gitVersion":"v1.{minor}.0"}}"#),
        "/api" => format!(
            r#"{{"kind":"APIGroupDiscoveryList","items":[{{"metadata":{{}},"versions":[{{"version":"v1","resources":[{},{},{},{}]}}]}}]}}"#,
            resource("pods", "Namespaced"),
            resource("configmaps", "Namespaced"),
            resource("secrets", "Namespaced"),
            resource("events", "Namespaced"),
        ),
        "/apis" => r#"{"kind":"APIGroupDiscoveryList","items":[]}"#.to_owned(),
        "/api/v1/namespaces/kube-system" => r#"{"metadata":{"uid":"one"}}"#.to_owned(),
        _ => return None,
    }))
}

fn answer(reply: Reply) -> Response<Body> {
    let Reply { status, packing, retry_after, pieces, live, then } = reply;
    let first = stream::iter(pieces.into_iter().map(Ok::<String, std::io::Error>));
    let rest = stream::unfold(live, |live| async {
        let mut live = live?;
        live.recv().await.map(|line| (Ok(format!("{line}\n")), Some(live)))
    });
    let end = stream::once(async move {
        match then {
            Then::End => None,
            Then::Hang => std::future::pending().await,
            Then::Break => Some(Err(std::io::Error::other("scripted"))),
        }
    });
    let all = first.chain(rest).chain(end.filter_map(std::future::ready));
    let body = StreamBody::new(all.map(move |piece| piece.map(|text| Frame::data(pack(text, packing)))));
    let mut response = Response::builder().status(StatusCode::from_u16(status).unwrap());
    if let Some(seconds) = retry_after {
        response = response.header("Retry-After", seconds);
    }
    if packing != Packing::Plain {
        response = response.header("Content-Encoding", "gzip");
    }
    response.body(body.boxed_unsync()).unwrap()
}

fn pack(text: String, packing: Packing) -> Bytes {
    if packing != Packing::Gzip {
        return Bytes::from(text);
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    Bytes::from(encoder.finish().unwrap())
}

/// A pod, as JSON.
pub fn pod(name: &str, version: u32) -> String {
    format!(
        r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{name}","namespace":"shop","uid":"{name}","resourceVersion":"{version}"}}}}"#
    )
}

/// A watch line.
pub fn event(kind: &str, object: &str) -> String {
    format!(r#"{{"type":"{kind}","object":{object}}}"#)
}

/// The bookmark at the end of the initial events, or a plain one.
pub fn bookmark(version: u32, is_end: bool) -> String {
    let mark = if is_end { r#","annotations":{"k8s.io/initial-events-end":"true"}"# } else { "" };
    event("BOOKMARK", &format!(r#"{{"metadata":{{"resourceVersion":"{version}"{mark}}}}}"#))
}

/// A list, as JSON.
pub fn list(items: &[String], version: u32, next: &str) -> String {
    format!(
        r#"{{"kind":"List","metadata":{{"resourceVersion":"{version}","continue":"{next}"}},"items":[{}]}}"#,
        items.join(",")
    )
}
