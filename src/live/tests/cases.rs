//! The cases.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::{mpsc, oneshot};

use super::{
    run::{CLUSTER, Run, options, settings},
    script::{Reply, Server, Then, bookmark, event, list, pod},
};
use crate::{
    live::Ask,
    model::{Builtin, CauseCode, ClusterState, KindStatus, ObjectRef},
};

const PODS: &str = "/api/v1/pods?";

fn is_stream(target: &str) -> bool {
    target.contains("sendInitialEvents=true")
}

fn is_watch(target: &str) -> bool {
    target.contains("watch=true")
}

/// Gives 0, 1, 2 ... and keeps giving the last.
fn counter() -> impl Fn() -> usize + Send + Sync {
    let count = AtomicUsize::new(0);
    move || count.fetch_add(1, Ordering::SeqCst)
}

#[tokio::test]
async fn a_streaming_list_is_picture_and_watch_in_one_request() {
    let (more, live) = mpsc::unbounded_channel();
    let live = std::sync::Mutex::new(Some(live));
    let server = Server::start(37, move |target| {
        target.starts_with(PODS).then(|| {
            let lines = [event("ADDED", &pod("a", 3)), event("ADDED", &pod("b", 1)), bookmark(5, true)];
            Reply::lines(&lines, Then::Hang).and_live(live.lock().unwrap().take().unwrap())
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    run.until_live().await;
    assert_eq!(run.names(Builtin::Pod), ["a", "b"], "live only when the rows are there");
    more.send(event("ADDED", &pod("c", 6))).unwrap();
    more.send(event("DELETED", &pod("a", 7))).unwrap();
    run.until_pods(&["b", "c"]).await;
    assert_eq!(server.asked(PODS).len(), 1);
}

#[tokio::test]
async fn servers_without_streaming_lists_are_paged_and_remembered() {
    for (minor, refused, streams) in [(37, true, 1), (37, false, 1), (33, true, 0)] {
        let server = Server::start(minor, move |target| {
            if is_stream(target) {
                // Either refused, or events without an end.
                return Some(if refused {
                    Reply::refuse(422)
                } else {
                    Reply::lines(&[event("ADDED", &pod("x", 1))], Then::Hang)
                });
            }
            if is_watch(target) {
                return Some(Reply::lines(&[], Then::Hang));
            }
            Some(Reply::json(match target {
                t if t.starts_with("/api/v1/configmaps?") => list(&[], 9, ""),
                t if t.contains("continue=p2") => list(&[pod("b", 2)], 9, ""),
                t if t.starts_with(PODS) => list(&[pod("a", 1)], 9, "p2"),
                _ => return None,
            }))
        })
        .await;
        let mut run = Run::start(&server.url, &[Builtin::Pod, Builtin::ConfigMap], "");
        run.until_live().await;
        assert_eq!(run.names(Builtin::Pod), ["a", "b"], "what a broken stream named is swept");
        assert_eq!(server.asked("sendInitialEvents").len(), streams, "minor {minor}, refused {refused}");
        assert!(server.asked("resourceVersion=9").iter().all(|t| is_watch(t)));
    }
}

#[tokio::test]
async fn too_old_is_listed_anew_without_an_error() {
    let (lists, watches) = (counter(), counter());
    let server = Server::start(33, move |target| {
        if !target.starts_with(PODS) {
            return None;
        }
        if !is_watch(target) {
            let items = if lists() == 0 { vec![pod("a", 1), pod("b", 2)] } else { vec![pod("b", 2), pod("c", 8)] };
            return Some(Reply::json(list(&items, 9, "")));
        }
        Some(match watches() {
            0 => Reply::lines(&[bookmark(10, false)], Then::End),
            1 => Reply::lines(&[event("ERROR", r#"{"kind":"Status","code":410,"reason":"Expired"}"#)], Then::End),
            _ => Reply::lines(&[], Then::Hang),
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    run.until_pods(&["b", "c"]).await;
    assert!(
        !run.ever(Builtin::Pod, |s| matches!(s, KindStatus::Stale(_) | KindStatus::Failing(_))),
        "{:?}",
        run.statuses
    );
    assert_eq!(server.asked("resourceVersion=10").len(), 1, "the bookmark moved the version on");
}

#[tokio::test]
async fn a_line_cut_in_the_middle_is_neither_lost_nor_taken() {
    let watches = counter();
    let whole = event("ADDED", &pod("b", 11));
    let (hold, held) = mpsc::unbounded_channel::<String>();
    let held = std::sync::Mutex::new(Some(held));
    let server = Server::start(33, move |target| {
        if !target.starts_with(PODS) {
            return None;
        }
        if !is_watch(target) {
            return Some(Reply::json(list(&[pod("a", 1)], 9, "")));
        }
        let (head, _) = whole.split_at(40);
        Some(match watches() {
            0 => {
                let pieces = [&*format!("{}\n", event("MODIFIED", &pod("a", 10))), head];
                Reply::pieces(&pieces, Then::Break).and_live(held.lock().unwrap().take().unwrap())
            }
            _ => Reply::lines(std::slice::from_ref(&whole), Then::Hang),
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    let is_newer = |run: &Run| run.store.rows(CLUSTER, Builtin::Pod.id()).any(|(_, row)| row.version == 10);
    run.until("the whole line", is_newer).await;
    drop(hold);
    run.until_pods(&["a", "b"]).await;
    assert_eq!(server.asked("resourceVersion=10").len(), 1, "resumed after the last whole line");
    assert_eq!(server.asked(PODS).iter().filter(|t| !is_watch(t)).count(), 1, "and not listed anew");
}

#[tokio::test]
async fn a_forbidden_kind_spoils_only_itself() {
    let server = Server::start(37, |target| {
        Some(match target {
            t if t.starts_with("/api/v1/secrets") => Reply::refuse(403),
            t if t.starts_with(PODS) => Reply::lines(&[event("ADDED", &pod("a", 1)), bookmark(5, true)], Then::Hang),
            _ => return None,
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod, Builtin::Secret], "");
    run.until_live().await;
    let Some(KindStatus::Forbidden(cause)) = run.status(Builtin::Secret) else { panic!("{:?}", run.statuses) };
    assert_eq!((cause.verb.as_str(), cause.resource.as_str()), ("list", "secrets"));
    assert_eq!(run.names(Builtin::Pod), ["a"]);
    // When it may be read later, it is.
    run.until("a second try", |_| server.asked("/api/v1/secrets").len() > 2).await;
}

#[tokio::test]
async fn permission_for_one_namespace_is_enough() {
    let server = Server::start(33, |target| {
        Some(match target {
            t if t.starts_with("/api/v1/namespaces/shop/pods") && is_watch(t) => Reply::lines(&[], Then::Hang),
            t if t.starts_with("/api/v1/namespaces/shop/pods") => Reply::json(list(&[pod("a", 1)], 9, "")),
            t if t.starts_with("/api/v1/pods") || t.contains("kube-system") || t == "/version" => Reply::refuse(403),
            _ => return None,
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "shop");
    run.until_live().await;
    assert_eq!(run.names(Builtin::Pod), ["a"]);
}

#[tokio::test]
async fn nothing_that_may_be_read_is_the_clusters_state() {
    let server = Server::start(33, |target| target.starts_with(PODS).then(|| Reply::refuse(403))).await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    run.until("forbidden", |run| run.state() == ClusterState::Forbidden).await;
    let cause = run.store.shard(CLUSTER).and_then(|s| s.condition.cause.clone()).unwrap();
    assert_eq!((cause.code, cause.resource.as_str()), (CauseCode::Forbidden, "pods"));
}

#[tokio::test]
async fn a_server_that_asks_to_wait_is_obeyed() {
    let lists = counter();
    let server = Server::start(33, move |target| {
        if !target.starts_with(PODS) || is_watch(target) {
            return is_watch(target).then(|| Reply::lines(&[], Then::Hang));
        }
        Some(if lists() == 0 { Reply::refuse(429).retry_after(1) } else { Reply::json(list(&[pod("a", 1)], 9, "")) })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    let is_told = |s: &KindStatus| matches!(s, KindStatus::Failing(c) if c.code == CauseCode::Throttled && c.retry_after == Some(1));
    run.until("the wait", |run| run.ever(Builtin::Pod, is_told)).await;
    let since = std::time::Instant::now();
    run.until_live().await;
    assert!(since.elapsed().as_millis() > 500, "asked to wait 1 s, tried after {:?}", since.elapsed());
}

#[tokio::test]
async fn what_cannot_be_watched_is_polled() {
    let lists = counter();
    let server = Server::start(37, move |target| {
        if !target.starts_with(PODS) {
            return None;
        }
        if is_watch(target) {
            return Some(Reply::refuse(403));
        }
        let items = if lists() < 2 { vec![pod("a", 1)] } else { vec![pod("b", 2)] };
        Some(Reply::json(list(&items, 9, "")))
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    run.until_pods(&["b"]).await;
    assert_eq!(run.status(Builtin::Pod), Some(&KindStatus::Polling));
    assert_eq!(run.state(), ClusterState::Live);
}

#[tokio::test]
async fn an_object_that_cannot_be_read_is_named_and_skipped() {
    let server = Server::start(37, |target| {
        let odd = r#"{"metadata":{"name":"odd","namespace":"shop","resourceVersion":"4","labels":7}}"#;
        let lines = [event("ADDED", odd), "{nonsense".into(), event("ADDED", &pod("a", 1)), bookmark(5, true)];
        target.starts_with(PODS).then(|| Reply::lines(&lines, Then::Hang))
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    run.until_live().await;
    assert_eq!(run.names(Builtin::Pod), ["a"]);
    run.until("the count", |run| run.store.shard(CLUSTER).is_some_and(|s| s.facts.unreadable == 2)).await;
    let latest = run.store.shard(CLUSTER).map(|s| s.facts.unreadable_latest.clone()).unwrap();
    assert_eq!(latest[0].0, "pods shop/odd", "{latest:?}");
}

#[tokio::test]
async fn another_cluster_behind_the_same_context_starts_empty() {
    let is_other = Arc::new(AtomicUsize::new(0));
    let switch = Arc::clone(&is_other);
    let server = Server::start(37, move |target| {
        let other = switch.load(Ordering::SeqCst) == 1;
        let name = if other { "theirs" } else { "ours" };
        Some(match target {
            t if t.starts_with(PODS) => Reply::lines(&[event("ADDED", &pod(name, 1)), bookmark(5, true)], Then::Hang),
            t if t.ends_with("kube-system") && other => Reply::json(r#"{"metadata":{"uid":"two"}}"#),
            _ => return None,
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    run.until_pods(&["ours"]).await;
    is_other.store(1, Ordering::SeqCst);
    run.until_pods(&["theirs"]).await;
    let is_told = |c: &crate::model::Condition| c.cause.as_ref().is_some_and(|c| c.code == CauseCode::OtherCluster);
    assert!(run.conditions.iter().any(is_told), "{:?}", run.conditions);
    run.until_live().await;
}

#[tokio::test]
async fn one_dead_neighbour_delays_nobody_and_a_reload_keeps_who_stays() {
    let server = Server::start(37, |target| {
        let lines = [event("ADDED", &pod("a", 1)), bookmark(5, true)];
        target.starts_with(PODS).then(|| Reply::lines(&lines, Then::Hang))
    })
    .await;
    // Bound and never accepted from: connections open and nothing is ever answered.
    let hole = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hole = format!("http://{}", hole.local_addr().unwrap());
    let mut options = options(&[Builtin::Pod]);
    options.connecting = 2;
    let both = settings(&[("one", &server.url), ("hole", &hole)], "");
    let mut run = Run::with(both, options);
    run.until_live().await;
    let before = server.asked(PODS).len();
    run.ask(Ask::Reload(Arc::new(settings(&[("one", &server.url), ("new", &server.url)], "")))).await;
    let is_live = |run: &Run, name: &str| {
        run.store.clusters().any(|(_, s)| &*s.record.name == name && s.condition.state == ClusterState::Live)
    };
    run.until("the new one", |run| is_live(run, "new")).await;
    assert!(is_live(&run, "one") && run.store.clusters().count() == 2, "the hole is gone, the first one stays live");
    assert_eq!(server.asked(PODS).len(), before + 1, "only the new one asked");
}

#[tokio::test]
async fn a_fetched_secret_is_masked() {
    let server = Server::start(37, |target| {
        Some(match target {
            "/api/v1/namespaces/shop/secrets/db" => {
                Reply::json(r#"{"kind":"Secret","metadata":{"name":"db"},"data":{"password":"aHVudGVyMg=="}}"#)
            }
            t if t.starts_with("/api/v1/secrets?") => Reply::lines(&[bookmark(5, true)], Then::Hang),
            _ => return None,
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Secret], "");
    run.until_live().await;
    for (name, want) in [("db", Ok("(masked, 7 bytes)")), ("gone", Err(Some(404)))] {
        let object =
            ObjectRef { cluster: CLUSTER, kind: Builtin::Secret.id(), namespace: "shop".into(), name: name.into() };
        let (answer, got) = oneshot::channel();
        run.ask(Ask::Fetch { object, managed_fields: false, answer }).await;
        let got = got.await.unwrap();
        let got = got.as_ref().map(|v| v["data"]["password"].as_str().unwrap()).map_err(|c| c.status);
        assert_eq!(got, want);
    }
}

#[tokio::test]
async fn a_log_in_that_ends_is_told_though_the_watches_go_on() {
    let is_over = Arc::new(AtomicUsize::new(0));
    let switch = Arc::clone(&is_over);
    let server = Server::start(37, move |target| {
        if switch.load(Ordering::SeqCst) == 1 {
            return Some(Reply::refuse(401));
        }
        target.starts_with(PODS).then(|| Reply::lines(&[event("ADDED", &pod("a", 1)), bookmark(5, true)], Then::Hang))
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    run.until_live().await;
    is_over.store(1, Ordering::SeqCst);
    run.until("login expired", |run| run.state() == ClusterState::LoginExpired).await;
    is_over.store(0, Ordering::SeqCst);
    run.until_live().await;
    assert_eq!(server.asked(PODS).len(), 1, "the watch was never closed");
}

#[tokio::test]
async fn half_a_discovery_drops_nothing() {
    let (looks, is_down) = (counter(), Arc::new(AtomicUsize::new(0)));
    let switch = Arc::clone(&is_down);
    let server = Server::start(37, move |target| {
        Some(match target {
            "/apis" if switch.load(Ordering::SeqCst) == 1 => {
                looks();
                Reply::refuse(404)
            }
            "/apis" => Reply::json(
                r#"{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"argoproj.io"},"versions":[{"version":
                "v1alpha1","resources":[{"resource":"rollouts","scope":"Namespaced","verbs":["list","watch"]}]}]}]}"#,
            ),
            t if t.starts_with("/apis/argoproj.io/v1alpha1/rollouts?") => {
                Reply::lines(&[event("ADDED", &pod("r", 1)), bookmark(5, true)], Then::Hang)
            }
            _ => return None,
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::ArgoRollout], "");
    run.until_live().await;
    is_down.store(1, Ordering::SeqCst);
    // A kind that was not watched makes the engine look again.
    run.ask(Ask::Watch(Builtin::Hpa.id())).await;
    run.until("the assumed kind", |run| run.status(Builtin::Hpa) == Some(&KindStatus::NotServed)).await;
    assert_eq!(run.names(Builtin::ArgoRollout), ["r"], "{:?}", run.statuses);
    assert_eq!(run.status(Builtin::ArgoRollout), Some(&KindStatus::Live));
}
