//! Servers of which a part is down, foreign, or answers in a way that was not asked for: the rest goes on, and what is
//! wrong has a name.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::mpsc;

use super::{
    run::{CLUSTER, Run},
    script::{Packing, Reply, Server, Then, bookmark, event, list, pod},
};
use crate::model::{Builtin, CauseCode, KindStatus};

const HPAS: &str = "/apis/autoscaling/v2/horizontalpodautoscalers";
const GROUPS: &str = r#"{"kind":"APIGroupList","groups":[
    {"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]},
    {"name":"autoscaling","versions":[{"groupVersion":"autoscaling/v2","version":"v2"}]},
    {"name":"argoproj.io","versions":[{"groupVersion":"elsewhere.io/v1alpha1","version":"v1alpha1"}]}]}"#;

/// A whole streaming list of one object.
fn one(name: &str) -> Reply {
    Reply::lines(&[event("ADDED", &pod(name, 1)), bookmark(5, true)], Then::Hang)
}

/// A list of resources; `name` lives in namespaces.
fn resources(version: &str, name: &str) -> Reply {
    Reply::json(format!(
        r#"{{"kind":"APIResourceList","groupVersion":"{version}","resources":[
            {{"name":"{name}","namespaced":true,"verbs":["get","list","watch"]}}]}}"#
    ))
}

/// The core group as old servers answer, and pods.
fn old_core(target: &str) -> Option<Reply> {
    Some(match target {
        "/api" => Reply::json(r#"{"kind":"APIVersions","versions":["v1"]}"#),
        "/api/v1" => resources("v1", "pods"),
        "/apis" => Reply::json(GROUPS),
        t if t.starts_with("/api/v1/pods?") => one("a"),
        _ => return None,
    })
}

/// Groups that failed, in the order of the server.
fn failed(run: &Run) -> Vec<&str> {
    let shard = run.store.shard(CLUSTER);
    shard.iter().flat_map(|s| &s.facts.failed_groups).map(|(group, _)| group.as_str()).collect()
}

#[tokio::test]
async fn a_stale_aggregated_group_is_named_and_never_asked() {
    let server = Server::start(37, |target| {
        Some(match target {
            "/apis" => Reply::json(
                r#"{"kind":"APIGroupDiscoveryList","items":[
                {"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]},
                {"metadata":{"name":"argoproj.io"},"versions":[{"version":"other.example/v1alpha1","resources":[
                    {"resource":"rollouts","scope":"Namespaced","verbs":["list","watch"]}]}]},
                {"metadata":{"name":"autoscaling"},"versions":[{"version":"v2","freshness":"Current","resources":[
                    {"resource":"horizontalpodautoscalers","scope":"Namespaced","verbs":["list","watch"]}]}]}]}"#,
            ),
            t if t.starts_with("/api/v1/pods?") => one("a"),
            t if t.starts_with(HPAS) => one("h"),
            _ => return None,
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod, Builtin::Hpa, Builtin::ArgoRollout], "");
    run.until_live().await;
    run.until("the names", |run| failed(run) == ["metrics.k8s.io", "argoproj.io"]).await;
    assert_eq!((run.names(Builtin::Pod), run.names(Builtin::Hpa)), (vec!["a".into()], vec!["h".into()]));
    assert_eq!(run.status(Builtin::ArgoRollout), Some(&KindStatus::NotServed));
    for group in ["/apis/metrics.k8s.io", "/apis/argoproj.io", "/apis/other.example"] {
        assert_eq!(server.asked(group), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_group_that_answers_503_spoils_only_itself_until_it_is_back() {
    let is_back = Arc::new(AtomicUsize::new(0));
    let switch = Arc::clone(&is_back);
    let server = Server::start(37, move |target| {
        Some(match target {
            t if t.starts_with("/apis/apps/v1") && switch.load(Ordering::SeqCst) == 0 => Reply::refuse(503),
            "/apis/apps/v1" => resources("apps/v1", "deployments"),
            "/apis/autoscaling/v2" => resources("autoscaling/v2", "horizontalpodautoscalers"),
            t if t.starts_with("/apis/apps/v1/deployments?") => one("d"),
            t if t.starts_with(HPAS) => one("h"),
            t => return old_core(t),
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod, Builtin::Deployment, Builtin::Hpa], "");
    run.until_live().await;
    assert_eq!((run.names(Builtin::Pod), run.names(Builtin::Hpa)), (vec!["a".into()], vec!["h".into()]));
    run.until("the names", |run| failed(run) == ["argoproj.io", "apps"]).await;
    let is_down = |s: &KindStatus| matches!(s, KindStatus::Failing(c) if c.status == Some(503));
    run.until("the group's own failure", |run| run.status(Builtin::Deployment).is_some_and(is_down)).await;
    is_back.store(1, Ordering::SeqCst);
    run.until("the group", |run| run.names(Builtin::Deployment) == ["d"]).await;
}

#[tokio::test]
async fn a_group_of_a_foreign_api_version_is_named_and_skipped() {
    let server = Server::start(37, |target| match target {
        "/apis/apps/v1" => Some(resources("apps/v1", "deployments")),
        t if t.starts_with("/apis/apps/v1/deployments?") => Some(one("d")),
        "/apis/autoscaling/v2" => Some(resources("extensions/v1beta1", "horizontalpodautoscalers")),
        t => old_core(t),
    })
    .await;
    let kinds = [Builtin::Pod, Builtin::Deployment, Builtin::Hpa, Builtin::ArgoRollout];
    let mut run = Run::start(&server.url, &kinds, "");
    run.until_live().await;
    run.until("the names", |run| failed(run) == ["argoproj.io", "autoscaling"]).await;
    assert_eq!((run.names(Builtin::Pod), run.names(Builtin::Deployment)), (vec!["a".into()], vec!["d".into()]));
    for kind in [Builtin::Hpa, Builtin::ArgoRollout] {
        assert_eq!(run.status(kind), Some(&KindStatus::NotServed), "{kind:?}");
    }
    assert_eq!(server.asked("elsewhere.io").len() + server.asked("extensions").len(), 0);
}

#[tokio::test]
async fn a_watch_packed_though_nobody_asked_brings_its_rows_as_they_come() {
    let (more, live) = mpsc::unbounded_channel();
    let live = Mutex::new(Some(live));
    let server = Server::start(37, move |target| {
        let live = || live.lock().unwrap().take().unwrap();
        target.starts_with("/api/v1/pods?").then(|| one("a").packed(Packing::Gzip).and_live(live()))
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    run.until_live().await;
    assert_eq!(run.names(Builtin::Pod), ["a"]);
    for (name, version) in [("b", 6), ("c", 7)] {
        more.send(event("ADDED", &pod(name, version))).unwrap();
        run.until(name, |run| run.names(Builtin::Pod).contains(&name.to_owned())).await;
    }
    assert_eq!(server.asked("/api/v1/pods?").len(), 1, "in one and the same watch");
}

#[tokio::test]
async fn a_watch_that_only_says_it_is_packed_has_a_cause_and_is_opened_again() {
    let watches = AtomicUsize::new(0);
    let server = Server::start(33, move |target| {
        let is_watch = target.contains("watch=true");
        target.starts_with("/api/v1/pods?").then(|| {
            if !is_watch {
                return Reply::json(list(&[pod("a", 1)], 9, ""));
            }
            let lines = Reply::lines(&[event("ADDED", &pod("b", 11))], Then::Hang);
            let is_first = watches.fetch_add(1, Ordering::SeqCst) == 0;
            lines.packed(if is_first { Packing::Pretended } else { Packing::Gzip })
        })
    })
    .await;
    let mut run = Run::start(&server.url, &[Builtin::Pod], "");
    run.until_pods(&["a", "b"]).await;
    let is_told = |s: &KindStatus| matches!(s, KindStatus::Stale(c) if c.code == CauseCode::Protocol && c.detail.contains("compression is broken"));
    assert!(run.ever(Builtin::Pod, is_told), "{:?}", run.statuses);
    run.until_live().await;
    assert_eq!(server.asked("resourceVersion=9").len(), 2, "from where the list ended, nothing listed anew");
}
