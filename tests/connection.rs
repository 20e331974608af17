//! Our connection against a real API server: protocols, credentials, permissions, and a server that freezes or dies.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, api::ListParams};
use libtest_mimic::Trial;
use quarterdeck::{
    config::kubeconfig::{Access, Auth, Impersonate},
    live::connect::{Connection, Limits, Shared},
    model::{Cause, CauseCode},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    control_plane::{ControlPlanes, PlaneSpec},
    support::patience,
    with_control_planes,
};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![with_control_planes("connection::a_real_server_is_read_watched_and_missed", a_real_server)]
}

const CLUSTER: &str = "wire";

fn soon() -> Duration {
    Duration::from_secs(20).mul_f64(patience())
}

fn a_real_server() {
    let spec = PlaneSpec { name: CLUSTER.into(), ..PlaneSpec::default() };
    let mut planes = ControlPlanes::start(&[spec], false).expect("a control plane");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("runtime");
    let access = access(&planes);
    runtime.block_on(async {
        let connection = open(access.clone()).await.expect("connects");
        reads(&connection).await;
        packed_lists(&connection, &planes).await;
        watches(&connection, &planes).await;
        other_people(&access, &planes).await;
        freezes(&access, &planes).await;
        dies(&access, &mut planes).await;
    });
}

/// The entry that the kubeconfig of the test has for the cluster.
fn access(planes: &ControlPlanes) -> Access {
    let loaded = quarterdeck::config::kubeconfig::load(&[planes.kubeconfig()]);
    let context = loaded.contexts.into_iter().find(|c| c.name == CLUSTER).expect("the context");
    context.access.expect("usable").as_ref().clone()
}

async fn open(access: Access) -> Result<Connection, Cause> {
    let shared = Shared::with_limits(&BTreeMap::new(), Limits::default());
    Connection::open(Arc::new(access), Arc::new(shared)).await
}

/// The kube client of the console, and who the server thinks we are.
async fn reads(connection: &Connection) {
    let namespaces = Api::<Namespace>::all(connection.client()).list(&ListParams::default()).await.expect("listed");
    assert!(namespaces.iter().any(|n| n.metadata.name.as_deref() == Some("default")));
    assert_eq!(whoami(connection).await, "admin");
    let certificate = connection.certificate().expect("TLS");
    assert!(certificate.subject.contains("kube-apiserver"), "{certificate:?}");
    assert_eq!(connection.credential().kind, "client-certificate");
    let write = Api::<Namespace>::all(connection.client()).delete("default", &Default::default()).await;
    assert!(write.is_err(), "a write never leaves");
}

async fn whoami(connection: &Connection) -> String {
    let body = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}).to_string();
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let answer = connection.review(path, Bytes::from(body), soon()).await.and_then(|a| a.ok()).expect("answered");
    let review: Value = serde_json::from_slice(&answer.bytes).expect("JSON");
    review["status"]["userInfo"]["username"].as_str().expect("a name").to_owned()
}

/// A list above the server's threshold comes packed, whole and as a stream.
async fn packed_lists(connection: &Connection, planes: &ControlPlanes) {
    let data = "some data that can be packed well ".repeat(9000);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large", "namespace": "default"}, "data": {"x": data}});
    planes.apply(CLUSTER, &map.to_string());
    let path = "/api/v1/configmaps?limit=500";
    let answer = connection.get(path, "application/json", soon()).await.expect("listed");
    assert_eq!(answer.headers["content-encoding"], "gzip");
    let (parts, mut pieces) = connection.stream(path, "application/json", true).await.expect("listed");
    assert_eq!(parts.headers["content-encoding"], "gzip");
    let mut streamed = Vec::new();
    while let Some(piece) = pieces.next().await {
        streamed.extend_from_slice(&piece.expect("unpacked"));
    }
    for bytes in [answer.bytes.as_ref(), &streamed] {
        let list: Value = serde_json::from_slice(bytes).expect("JSON");
        let items = list["items"].as_array().expect("items");
        assert!(items.iter().any(|i| i["metadata"]["name"] == "large" && i["data"]["x"] == *data));
    }
}

/// A streaming list goes over into a watch, and a change arrives.
async fn watches(connection: &Connection, planes: &ControlPlanes) {
    let path = "/api/v1/namespaces?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=300";
    let (parts, mut pieces) = connection.stream(path, "application/json", false).await.expect("watched");
    assert_eq!(parts.status, 200);
    let mut text = String::new();
    let mut until = async |words: &str| {
        let reading = async {
            while !text.contains(words) {
                text.push_str(&String::from_utf8_lossy(&pieces.next().await.expect("more").expect("a piece")));
            }
        };
        tokio::time::timeout(soon(), reading).await.unwrap_or_else(|_| panic!("waited in vain for {words}"));
    };
    until("k8s.io/initial-events-end").await;
    planes.kubectl(CLUSTER, &["create", "namespace", "fresh"]);
    until("\"fresh\"").await;
}

/// Tokens good and bad, impersonation, and what may not be read.
async fn other_people(access: &Access, planes: &ControlPlanes) {
    let with_token =
        |token: &str| Access { auth: Auth { token: Some(token.to_owned()), ..Auth::default() }, ..access.clone() };
    let stranger = open(with_token("nonsense")).await.expect("no request yet");
    let refused = stranger.get("/version", "application/json", soon()).await.expect_err("refused");
    assert_eq!(refused.code, CauseCode::Unauthorized, "{refused:?}");

    planes.kubectl(CLUSTER, &["create", "serviceaccount", "reader", "-n", "default"]);
    let token = planes.kubectl(CLUSTER, &["create", "token", "reader", "-n", "default"]);
    let reader = open(with_token(token.trim())).await.expect("no request yet");
    assert!(reader.credential().expires.is_some(), "the token says until when it holds");
    assert_eq!(whoami(&reader).await, "system:serviceaccount:default:reader");
    let forbidden = reader.stream("/api/v1/nodes", "application/json", true).await.err().expect("forbidden");
    assert_eq!(forbidden.code, CauseCode::Forbidden, "{forbidden:?}");
    assert!(forbidden.detail.contains("cannot list resource \"nodes\""), "{forbidden:?}");

    let impersonate = Impersonate {
        user: "eve".into(),
        groups: vec!["system:authenticated".into()],
        extra: vec![("example.com/team".into(), vec!["a".into()])],
        ..Impersonate::default()
    };
    let eve = open(Access { impersonate, ..access.clone() }).await.expect("no request yet");
    assert_eq!(whoami(&eve).await, "eve");
}

/// A frozen process answers no pings; the kernel keeps its sockets open.
async fn freezes(access: &Access, planes: &ControlPlanes) {
    let connection = open(access.clone()).await.expect("connects");
    connection.get("/version", "application/json", soon()).await.expect("answers");
    let pid = i32::try_from(planes.api_pid(CLUSTER)).ok().and_then(Pid::from_raw).expect("a pid");
    kill_process(pid, Signal::STOP).expect("stopped");
    let start = Instant::now();
    let noticed = tokio::time::timeout(soon(), connection.silent()).await;
    println!("connection: a frozen server was noticed after {:.1} s", start.elapsed().as_secs_f32());
    kill_process(pid, Signal::CONT).expect("goes on");
    assert_eq!(noticed.expect("noticed").code, CauseCode::Silent);
}

/// A killed process closes its sockets without a word.
async fn dies(access: &Access, planes: &mut ControlPlanes) {
    let connection = open(access.clone()).await.expect("connects");
    connection.get("/version", "application/json", soon()).await.expect("answers");
    planes.kill_api(CLUSTER);
    let cause = tokio::time::timeout(soon(), connection.silent()).await.expect("noticed");
    assert!(matches!(cause.code, CauseCode::Reset), "{cause:?}");
    let refused = open(access.clone()).await.expect_err("nobody listens");
    assert_eq!(refused.code, CauseCode::Refused, "{refused:?}");
}
