//! One suite of contract tests: the same steps against the simulated and a real API server must give the same answers.
//!
//! Each check drives a server with kubectl (raw requests included) and returns what it saw, cleaned of what must differ
//! (uids, times, versions). The real server's answer is the expectation.

use std::{
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

use libtest_mimic::Trial;
use quarterdeck::sim;
use serde_json::{Value, json};

use crate::{
    control_plane::{ControlPlanes, PlaneSpec},
    with_control_planes,
};

type Check = fn(&Server) -> Value;

/// The checks, by name.
const CHECKS: &[(&str, Check)] = &[
    ("create_get_and_select", create_get_and_select),
    ("errors_have_the_same_reasons", errors_have_the_same_reasons),
    ("updates_conflict_on_old_versions", updates_conflict_on_old_versions),
    ("patches_of_all_types", patches_of_all_types),
    ("generations_follow_the_spec", generations_follow_the_spec),
    ("server_side_apply_keeps_owners", server_side_apply_keeps_owners),
    ("client_side_apply_removes_what_was_applied", client_side_apply_removes_what_was_applied),
    ("edit_scale_label_annotate", edit_scale_label_annotate),
    ("managers_of_every_writer", managers_of_every_writer),
    ("lists_in_pages", lists_in_pages),
    ("watches_tell_changes_in_order", watches_tell_changes_in_order),
    ("streaming_lists_end_with_a_bookmark", streaming_lists_end_with_a_bookmark),
    ("old_versions_are_gone", old_versions_are_gone),
    ("metadata_only", metadata_only),
    ("dry_run_stores_nothing", dry_run_stores_nothing),
    ("finalizers_hold_and_release", finalizers_hold_and_release),
    ("reviews_of_ones_own_rights", reviews_of_ones_own_rights),
    ("status_is_a_subresource", status_is_a_subresource),
    ("defaults_of_many_kinds", defaults_of_many_kinds),
    ("unknown_fields_are_refused", unknown_fields_are_refused),
    ("invalid_objects_are_refused_with_their_fields", invalid_objects_are_refused_with_their_fields),
    ("client_side_apply_becomes_server_side", client_side_apply_becomes_server_side),
    ("diff_tells_what_apply_would_change", diff_tells_what_apply_would_change),
    ("definitions_bring_their_objects", definitions_bring_their_objects),
    ("create_deployment_expose_set_image", create_deployment_expose_set_image),
];

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    CHECKS
        .iter()
        .map(|(name, check)| with_control_planes(&format!("contract::{name}"), move || compare(name, *check)))
        .collect()
}

fn compare(name: &str, check: Check) {
    let namespace = name.replace('_', "-");
    let (real, simulated) = servers();
    let run = |server: Arc<Both>, side: Side| {
        let server = Server { both: server, side, namespace: namespace.clone() };
        server.ok_in(
            &["create", "-f", "-"],
            &format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {namespace}}}\n"),
        );
        check(&server)
    };
    let expected = run(real, Side::Real);
    let got = run(simulated, Side::Simulated);
    if expected != got {
        let (expected, got) = (pretty(&expected), pretty(&got));
        let diff = similar::TextDiff::from_lines(&expected, &got)
            .unified_diff()
            .context_radius(4)
            .header("real", "simulated")
            .to_string();
        panic!("the simulated server answers otherwise:\n{diff}");
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON")
}

/// The two servers, started once for all checks.
struct Both {
    planes: ControlPlanes,
    simulated: sim::Running,
    _dir: tempfile::TempDir,
}

static BOTH: Mutex<Option<Arc<Both>>> = Mutex::new(None);

fn servers() -> (Arc<Both>, Arc<Both>) {
    let mut both = BOTH.lock().unwrap_or_else(PoisonError::into_inner);
    let both = both.get_or_insert_with(|| {
        let spec = PlaneSpec {
            name: "real".into(),
            flags: vec!["--disable-admission-plugins=ServiceAccount".into()],
            ..PlaneSpec::default()
        };
        let planes = ControlPlanes::start(&[spec], false).expect("a control plane");
        let dir = tempfile::tempdir().expect("folder");
        let simulated = sim::serve(&sim::Spec {
            fleet: sim::Fleet::Empty { clusters: 1, nodes: 0 },
            seed: 1,
            speed: 1.0,
            dir: dir.path().to_owned(),
        })
        .expect("a simulated cluster");
        Arc::new(Both { planes, simulated, _dir: dir })
    });
    (Arc::clone(both), Arc::clone(both))
}

/// Ends the servers; called when the last test is over.
pub fn shut_down() {
    drop(BOTH.lock().unwrap_or_else(PoisonError::into_inner).take());
}

#[derive(Clone, Copy)]
enum Side {
    Real,
    Simulated,
}

/// One of the two, with a namespace for one check.
struct Server {
    both: Arc<Both>,
    side: Side,
    namespace: String,
}

/// What a command said.
struct Said {
    ok: bool,
    out: String,
    err: String,
}

impl Server {
    fn target(&self) -> (PathBuf, String) {
        match self.side {
            Side::Real => (self.both.planes.kubeconfig(), "real".into()),
            Side::Simulated => (self.both.simulated.kubeconfig.clone(), self.both.simulated.clusters[0].clone()),
        }
    }

    fn run_with(&self, args: &[&str], stdin: &str, env: &[(&str, &str)]) -> Said {
        let (kubeconfig, context) = self.target();
        let mut child = Command::new(self.both.planes.program("kubectl"))
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .args(["--context", &context, "-n", &self.namespace])
            .args(args)
            .envs(env.iter().copied())
            // kubectl keeps discovery on disk by host and port; each side has ports of its own.
            .env("HOME", self.both.planes.dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kubectl");
        child.stdin.take().expect("stdin").write_all(stdin.as_bytes()).expect("written");
        let output = child.wait_with_output().expect("ends");
        Said {
            ok: output.status.success(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn run(&self, args: &[&str], stdin: &str) -> Said {
        self.run_with(args, stdin, &[])
    }

    fn ok(&self, args: &[&str]) -> String {
        self.ok_in(args, "")
    }

    fn ok_in(&self, args: &[&str], stdin: &str) -> String {
        let said = self.run(args, stdin);
        assert!(said.ok, "{}: kubectl {args:?}: {}{}", self.name(), said.out, said.err);
        said.out
    }

    fn name(&self) -> &'static str {
        match self.side {
            Side::Real => "real",
            Side::Simulated => "simulated",
        }
    }

    /// An object as stored, cleaned; with its managers.
    fn get(&self, what: &str) -> Value {
        let text = self.ok(&["get", what, "-o", "json", "--show-managed-fields"]);
        let mut object: Value = serde_json::from_str(&text).expect("JSON");
        self.order_managers(&mut object);
        clean(object)
    }

    /// Managers come ordered by operation, then by time in whole seconds, then by name. Whether a second turned between two
    /// steps is chance: so the rule is checked on each side by itself, and what is compared is ordered without the time.
    fn order_managers(&self, object: &mut Value) {
        let Some(list) = object.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut) else { return };
        let key = |entry: &Value, fields: &[&str]| -> Vec<String> {
            fields.iter().map(|f| entry[*f].as_str().unwrap_or_default().to_owned()).collect()
        };
        let ruled = ["operation", "time", "manager", "apiVersion", "subresource"];
        let keys: Vec<_> = list.iter().map(|entry| key(entry, &ruled)).collect();
        assert!(keys.is_sorted(), "{}: managers out of order: {keys:?}", self.name());
        list.sort_by_key(|entry| key(entry, &["operation", "manager", "apiVersion", "subresource"]));
    }

    fn raw(&self, path: &str) -> Value {
        let text = self.ok(&["get", "--raw", path]);
        clean(serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}: {text}")))
    }

    /// The lines of a watch that ends by itself.
    fn watch(&self, path: &str) -> Vec<Value> {
        let text = self.ok(&["get", "--raw", path]);
        text.lines().map(|l| clean(serde_json::from_str(l).expect("JSON"))).collect()
    }

    fn version_of(&self, what: &str) -> String {
        self.ok(&["get", what, "-o", "jsonpath={.metadata.resourceVersion}"])
    }
}

/// Leaves out what differs by nature: uids, times, versions, allocated addresses.
fn clean(mut value: Value) -> Value {
    fn walk(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in [
                    "uid",
                    "resourceVersion",
                    "creationTimestamp",
                    "deletionTimestamp",
                    "time",
                    "selfLink",
                    "lastTransitionTime",
                    "lastUpdateTime",
                    "clusterIP",
                    "clusterIPs",
                    "continue",
                    "kubernetes.io/metadata.name",
                ] {
                    map.remove(key);
                }
                map.values_mut().for_each(walk);
            }
            Value::Array(list) => list.iter_mut().for_each(walk),
            _ => {}
        }
    }
    walk(&mut value);
    value
}

/// The reason and code that a failed command printed, without names of versions.
fn reason(said: &Said) -> Value {
    json!({"ok": said.ok, "says": said.err.lines().last().unwrap_or("").trim()})
}

const DEPLOYMENT: &str = r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web, tier: front}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: shop/web:1
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
        ports: [{containerPort: 80, name: http}]
      - {name: side, image: "shop/side:1"}
"#;

fn config(name: &str, value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{n: {name}}}}}\ndata: {{k: \"{value}\", keep: \"x\"}}\n"
    )
}

fn create_get_and_select(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], DEPLOYMENT);
    for name in ["a", "b", "c"] {
        s.ok_in(&["create", "-f", "-"], &config(name, name));
    }
    let names = |args: &[&str]| {
        let mut all = vec!["get"];
        all.extend_from_slice(args);
        all.extend(["-o", "name"]);
        s.ok(&all).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    json!({
        "deployment": s.get("deployment/web"),
        "equals": names(&["cm", "-l", "n=b"]),
        "in": names(&["cm", "-l", "n in (a,c)"]),
        "not": names(&["cm", "-l", "n,n notin (a)"]),
        "field": names(&["cm", "--field-selector", "metadata.name=c"]),
        "field not": names(&["cm", "--field-selector", "metadata.name!=c", "-l", "n"]),
        "namespace": s.get(&format!("namespace/{}", s.namespace)),
    })
}

fn errors_have_the_same_reasons(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], &config("a", "1"));
    json!([
        reason(&s.run(&["get", "cm/none"], "")),
        reason(&s.run(&["create", "-f", "-"], &config("a", "2"))),
        reason(&s.run(&["create", "-f", "-"], &config("Not_A_Name", "2"))),
        reason(&s.run(&["delete", "cm/none"], "")),
        reason(&s.run(&["get", "--raw", "/api/v1/namespaces/x/nonsense"], "")),
        reason(&s.run(&["patch", "cm/none", "--type=merge", "-p", "{}"], "")),
        reason(&s.run(&["create", "-f", "-", "--validate=false"], "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: c}}, spec: {containers: [{name: c, image: i}]}}}\n")).get("ok"),
    ])
}

fn updates_conflict_on_old_versions(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], &config("a", "1"));
    let old = s.version_of("cm/a");
    s.ok(&["patch", "cm/a", "--type=merge", "-p", r#"{"data":{"k":"2"}}"#]);
    let stale = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a","resourceVersion":"{old}"}},"data":{{"k":"3"}}}}"#
    );
    let refused = s.run(&["replace", "-f", "-"], &stale);
    let same_before = s.version_of("cm/a");
    s.ok(&["patch", "cm/a", "--type=merge", "-p", r#"{"data":{"k":"2"}}"#]);
    json!({"refused": reason(&refused), "unchanged keeps its version": same_before == s.version_of("cm/a"), "object": s.get("cm/a")})
}

fn patches_of_all_types(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], DEPLOYMENT);
    let mut seen = Vec::new();
    for (kind, patch) in [
        (
            "strategic",
            r#"{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"shop/web:2","env":[{"name":"B","value":"3"},{"name":"C","value":"4"}]}]}}}}"#,
        ),
        ("strategic", r#"{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}"#),
        (
            "strategic",
            r#"{"spec":{"template":{"spec":{"containers":[{"name":"web","env":[{"$patch":"replace"},{"name":"Z","value":"9"}]}]}}}}"#,
        ),
        (
            "strategic",
            r#"{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"new"},{"name":"web"}],"containers":[{"name":"new","image":"shop/new:1"}]}}}}"#,
        ),
        ("strategic", r#"{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}"#),
        ("merge", r#"{"metadata":{"labels":{"tier":null,"x":"y"}},"spec":{"replicas":5}}"#),
        (
            "json",
            r#"[{"op":"replace","path":"/spec/replicas","value":7},{"op":"add","path":"/metadata/annotations","value":{"a/b":"c"}}]"#,
        ),
    ] {
        s.ok(&["patch", "deployment/web", "--type", kind, "-p", patch]);
        seen.push(s.get("deployment/web")["spec"].clone());
    }
    let failed = s.run(
        &["patch", "deployment/web", "--type", "json", "-p", r#"[{"op":"test","path":"/spec/replicas","value":1}]"#],
        "",
    );
    json!({"steps": seen, "meta": s.get("deployment/web")["metadata"], "failed test": failed.ok})
}

fn generations_follow_the_spec(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], DEPLOYMENT);
    let generation = || s.get("deployment/web")["metadata"]["generation"].clone();
    let mut seen = vec![generation()];
    for (kind, patch) in [
        ("merge", r#"{"metadata":{"labels":{"x":"y"}}}"#),
        ("merge", r#"{"spec":{"replicas":4}}"#),
        ("merge", r#"{"spec":{"replicas":4}}"#),
    ] {
        s.ok(&["patch", "deployment/web", "--type", kind, "-p", patch]);
        seen.push(generation());
    }
    json!(seen)
}

fn apply(s: &Server, manager: &str, manifest: &str, force: bool) -> Said {
    let manager = format!("--field-manager={manager}");
    let mut args = vec!["apply", "--server-side", "-f", "-", &manager];
    if force {
        args.push("--force-conflicts");
    }
    s.run(&args, manifest)
}

fn server_side_apply_keeps_owners(s: &Server) -> Value {
    let manifest = |replicas: u32, image: &str, env: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, labels: {{app: web}}}}\nspec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{app: web}}}}\n  \
             template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      containers:\n      - {{name: web, image: '{image}', env: {env}}}\n"
        )
    };
    let first = apply(s, "alice", &manifest(3, "web:1", "[{name: A, value: '1'}, {name: B, value: '2'}]"), false);
    assert!(first.ok, "{}: {}", s.name(), first.err);
    let created = s.get("deployment/web");
    let conflict = apply(s, "bob", &manifest(5, "web:2", "[]"), false);
    let forced = apply(s, "bob", &manifest(5, "web:2", "[]"), true);
    assert!(forced.ok, "{}: {}", s.name(), forced.err);
    let taken = s.get("deployment/web");
    let removed = apply(
        s,
        "alice",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      containers:\n      - {name: web, env: [{name: A, value: '1'}]}\n",
        false,
    );
    json!({
        "created": created, "conflict ok": conflict.ok, "conflict": conflict.err.lines().filter(|l| l.contains("conflict") || l.starts_with("- ")).collect::<Vec<_>>(),
        "taken": taken, "removed": removed.ok, "after": s.get("deployment/web"),
    })
}

fn client_side_apply_removes_what_was_applied(s: &Server) -> Value {
    s.ok_in(&["apply", "-f", "-"], &config("a", "1"));
    s.ok(&["patch", "cm/a", "--type=merge", "-p", r#"{"data":{"other":"mine"}}"#]);
    s.ok_in(&["apply", "-f", "-"], "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: \"2\"}\n");
    json!(s.get("cm/a"))
}

fn edit_scale_label_annotate(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], DEPLOYMENT);
    let edited = s.run_with(&["edit", "deployment/web"], "", &[("KUBE_EDITOR", "sed -i s#shop/web:1#shop/web:9#")]);
    assert!(edited.ok, "{}: {}{}", s.name(), edited.out, edited.err);
    s.ok(&["scale", "deployment/web", "--replicas", "6"]);
    s.ok(&["label", "deployment/web", "x=y", "tier-"]);
    s.ok(&["annotate", "deployment/web", "note=hello"]);
    s.ok(&["set", "env", "deployment/web", "A=changed"]);
    json!(s.get("deployment/web"))
}

fn managers_of_every_writer(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-", "--field-manager=maker"], &config("a", "1"));
    s.ok(&["patch", "cm/a", "--type=merge", "--field-manager=patcher", "-p", r#"{"data":{"k":"2","new":"3"}}"#]);
    s.ok(&["patch", "cm/a", "--type=merge", "--field-manager=patcher", "-p", r#"{"data":{"new":null}}"#]);
    let applied = apply(
        s,
        "applier",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {applied: \"1\", k: \"2\"}\n",
        false,
    );
    json!({"applied": applied.ok, "object": s.get("cm/a")})
}

fn lists_in_pages(s: &Server) -> Value {
    for i in 0..7 {
        s.ok_in(&["create", "-f", "-"], &config(&format!("c{i}"), "1"));
    }
    let path = format!("/api/v1/namespaces/{}/configmaps?labelSelector=n&limit=3", s.namespace);
    let mut token = String::new();
    let mut pages = Vec::new();
    loop {
        let text = s.ok(&["get", "--raw", &format!("{path}&continue={token}")]);
        let page: Value = serde_json::from_str(&text).expect("JSON");
        let names: Vec<_> =
            page["items"].as_array().expect("items").iter().map(|i| i["metadata"]["name"].clone()).collect();
        let next = page["metadata"]["continue"].as_str().unwrap_or("").to_owned();
        pages.push(json!({"names": names, "more": !next.is_empty()}));
        if next.is_empty() {
            break;
        }
        token = next;
    }
    let broken = s.run(&["get", "--raw", &format!("{path}&continue=nonsense")], "");
    json!({"pages": pages, "broken token ok": broken.ok})
}

fn watches_tell_changes_in_order(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], &config("a", "1"));
    let from = s.version_of("cm/a");
    s.ok(&["patch", "cm/a", "--type=merge", "-p", r#"{"data":{"k":"2"}}"#]);
    s.ok(&["label", "cm/a", "n=other", "--overwrite"]);
    s.ok_in(&["create", "-f", "-"], &config("b", "1"));
    s.ok(&["delete", "cm/a"]);
    let base = format!("/api/v1/namespaces/{}/configmaps?watch=1&timeoutSeconds=1&resourceVersion={from}", s.namespace);
    let short = |events: Vec<Value>| -> Vec<Value> {
        events
            .iter()
            .filter(|e| e["type"] != "BOOKMARK")
            .map(|e| json!([e["type"], e["object"]["metadata"]["name"], e["object"]["data"]["k"]]))
            .collect()
    };
    json!({
        "all": short(s.watch(&base)),
        // An object that leaves the selection is told as deleted.
        "selected": short(s.watch(&format!("{base}&labelSelector=n%3Da"))),
        "named": short(s.watch(&format!("{base}&fieldSelector=metadata.name%3Db"))),
    })
}

fn streaming_lists_end_with_a_bookmark(s: &Server) -> Value {
    for name in ["a", "b"] {
        s.ok_in(&["create", "-f", "-"], &config(name, "1"));
    }
    let path = format!(
        "/api/v1/namespaces/{}/configmaps?watch=1&timeoutSeconds=2&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=n",
        s.namespace
    );
    let events = s.watch(&path);
    let end = events.iter().position(|e| e["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true");
    let refused = s.run(
        &[
            "get",
            "--raw",
            &format!("/api/v1/namespaces/{}/configmaps?watch=1&timeoutSeconds=1&sendInitialEvents=true", s.namespace),
        ],
        "",
    );
    json!({
        "before the end": events[..end.expect("the end bookmark")].iter().map(|e| json!([e["type"], e["object"]["metadata"]["name"]])).collect::<Vec<_>>(),
        "kind of the bookmark": events[end.expect("the end bookmark")]["object"]["kind"],
        "without resourceVersionMatch": refused.ok,
    })
}

fn old_versions_are_gone(s: &Server) -> Value {
    // A version from the future is told apart from one that was compacted; both must not hang.
    let future = s.run(
        &[
            "get",
            "--raw",
            &format!("/api/v1/namespaces/{}/configmaps?resourceVersion=1&resourceVersionMatch=Exact", s.namespace),
        ],
        "",
    );
    json!({"exact old": future.ok})
}

fn metadata_only(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], &config("a", "1"));
    json!({"names": s.ok(&["get", "cm", "-l", "n", "-o", "name"]), "list kind": s.raw(&format!("/api/v1/namespaces/{}/configmaps?labelSelector=n", s.namespace))["kind"]})
}

fn dry_run_stores_nothing(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], &config("a", "1"));
    let before = s.version_of("cm/a");
    let shown = s.ok(&[
        "patch",
        "cm/a",
        "--type=merge",
        "--dry-run=server",
        "-p",
        r#"{"data":{"k":"9"}}"#,
        "-o",
        "jsonpath={.data.k}",
    ]);
    s.ok_in(&["create", "--dry-run=server", "-f", "-"], &config("b", "1"));
    s.ok(&["delete", "--dry-run=server", "cm/a"]);
    json!({"shown": shown, "kept": before == s.version_of("cm/a"), "names": s.ok(&["get", "cm", "-l", "n", "-o", "name"])})
}

fn finalizers_hold_and_release(s: &Server) -> Value {
    s.ok_in(
        &["create", "-f", "-"],
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, finalizers: [test.example/hold]}\n",
    );
    s.ok(&["delete", "cm/held", "--wait=false"]);
    let held = s.ok(&["get", "cm/held", "-o", "jsonpath={.metadata.deletionTimestamp}"]);
    s.ok(&["patch", "cm/held", "--type=merge", "-p", r#"{"metadata":{"finalizers":null}}"#]);
    json!({"was being deleted": !held.is_empty(), "is gone": !s.run(&["get", "cm/held"], "").ok})
}

fn reviews_of_ones_own_rights(s: &Server) -> Value {
    json!({
        "who": serde_json::from_str::<Value>(&s.ok(&["auth", "whoami", "-o", "json"])).expect("JSON")["status"]["userInfo"]["groups"],
        "may": s.ok(&["auth", "can-i", "patch", "deployments.apps"]).trim(),
    })
}

fn status_is_a_subresource(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], DEPLOYMENT);
    s.ok(&[
        "patch",
        "deployment/web",
        "--subresource=status",
        "--type=merge",
        "-p",
        r#"{"status":{"replicas":3,"observedGeneration":1},"spec":{"replicas":99}}"#,
    ]);
    let after = s.get("deployment/web");
    s.ok(&["patch", "deployment/web", "--type=merge", "-p", r#"{"status":{"replicas":77}}"#]);
    json!({"after": after, "main write leaves status": s.get("deployment/web")["status"]})
}

const MANY: &str = r#"
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
      - name: db
        image: shop/db:1
        resources: {requests: {cpu: 100m, memory: 64Mi}}
        readinessProbe: {httpGet: {path: /ready, port: 80}}
        volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: cfg, configMap: {name: cfg}}, {name: sec, secret: {secretName: s}}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {hostNetwork: true, containers: [{name: agent, image: "shop/agent", ports: [{containerPort: 9100}]}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "shop/c:1"}]}}}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
---
apiVersion: v1
kind: Service
metadata: {name: far}
spec: {type: ExternalName, externalName: far.example.com}
---
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec: {initContainers: [{name: i, image: "shop/i:1"}], containers: [{name: c, image: "shop/c:latest", livenessProbe: {tcpSocket: {port: 1}}}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 9}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {password: x}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {rules: [{host: a.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: r}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, name: u}]
"#;

fn defaults_of_many_kinds(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], MANY);
    let all = [
        "statefulset/db",
        "daemonset/agent",
        "cronjob/nightly",
        "service/web",
        "service/far",
        "pod/alone",
        "hpa/web",
        "pdb/web",
        "pvc/data",
        "secret/s",
        "serviceaccount/robot",
        "ingress/web",
        "rolebinding/r",
    ];
    let get = |what: &str| {
        let mut object = s.get(what);
        if what.starts_with("pod/") {
            // The real server runs without the plugin that gives pods an account (nobody makes its token here).
            for key in ["serviceAccount", "serviceAccountName"] {
                object["spec"].as_object_mut().map(|spec| spec.remove(key));
            }
        }
        object
    };
    all.iter().map(|what| json!([what, get(what)])).collect()
}

fn unknown_fields_are_refused(s: &Server) -> Value {
    let wrong = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec:\n  selector: {matchLabels: {a: b}}\n  nope: 1\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: c, image: i, imagePullPolice: Always}]}\n";
    json!([
        reason(&s.run(&["create", "-f", "-"], wrong)),
        // One wrong field alone: which of several is named is chance.
        reason(&s.run(&["apply", "--server-side", "-f", "-"], &wrong.replace("imagePullPolice", "imagePullPolicy"))),
        reason(&s.run(&["create", "-f", "-", "--validate=ignore"], wrong)),
        s.get("deployment/w")["spec"],
    ])
}

fn invalid_objects_are_refused_with_their_fields(s: &Server) -> Value {
    let cases = [
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: c}}, spec: {containers: [{name: c, image: i}]}}}\n",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: -1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d, namespace: elsewhere}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: ''}\n",
    ];
    let refusals: Vec<Value> = cases.iter().map(|c| reason(&s.run(&["create", "-f", "-"], c))).collect();
    s.ok_in(&["create", "-f", "-"], DEPLOYMENT);
    let patch = |p: &str| reason(&s.run(&["patch", "deployment/web", "--type=merge", "-p", p], ""));
    json!({
        "created": refusals,
        "selector": patch(r#"{"spec":{"selector":{"matchLabels":{"app":"other"}}}}"#),
        "replicas": patch(r#"{"spec":{"replicas":-2}}"#),
        "no namespace": reason(&s.run(&["create", "configmap", "a", "-n", "never-was"], "")),
        "scale": reason(&s.run(&["scale", "deployment/none", "--replicas=1"], "")),
        "broken json patch": s.run(&["patch", "deployment/web", "--type=json", "-p", r#"[{"op":"remove","path":"/spec/none"}]"#], "").ok,
    })
}

fn client_side_apply_becomes_server_side(s: &Server) -> Value {
    s.ok_in(&["apply", "-f", "-"], &config("a", "1"));
    let before = s.get("cm/a");
    s.ok_in(&["apply", "--server-side", "-f", "-"], &config("a", "2"));
    let after = s.get("cm/a");
    let other = apply(s, "other", &config("a", "3"), false);
    json!({"before": before, "after": after, "conflict": other.err.lines().filter(|l| l.contains("conflict") || l.starts_with("- ")).collect::<Vec<_>>()})
}

fn diff_tells_what_apply_would_change(s: &Server) -> Value {
    s.ok_in(&["apply", "-f", "-"], DEPLOYMENT);
    let changed = DEPLOYMENT.replace("shop/web:1", "shop/web:2");
    let lines = |said: Said| -> Vec<String> {
        let lines =
            said.out.lines().filter(|l| l.starts_with(['+', '-']) && !l.starts_with("+++") && !l.starts_with("---"));
        lines.map(str::to_owned).collect()
    };
    json!({
        "same": s.run(&["diff", "-f", "-"], DEPLOYMENT).ok,
        "changed": lines(s.run(&["diff", "-f", "-"], &changed)),
        "server side": lines(s.run(&["diff", "--server-side", "--force-conflicts", "-f", "-"], &changed)),
        "nothing was stored": s.get("deployment/web")["spec"]["template"]["spec"]["containers"][0]["image"],
    })
}

const DEFINITION: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shelves.test.example}
spec:
  group: test.example
  scope: Namespaced
  names: {plural: shelves, singular: shelf, kind: Shelf, shortNames: [sh]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {size: {type: integer}, tags: {type: array, items: {type: string}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
"#;

fn definitions_bring_their_objects(s: &Server) -> Value {
    s.ok_in(&["create", "-f", "-"], DEFINITION);
    s.ok(&["wait", "--for=condition=Established", "crd/shelves.test.example", "--timeout=30s"]);
    let shelf = |size: u32| {
        format!(
            "apiVersion: test.example/v1\nkind: Shelf\nmetadata: {{name: a}}\nspec: {{size: {size}, tags: [p, q]}}\n"
        )
    };
    s.ok_in(&["create", "-f", "-"], &shelf(1));
    let created = s.get("shelf/a");
    s.ok(&["patch", "sh/a", "--type=merge", "-p", r#"{"spec":{"size":2},"status":{"seen":true}}"#]);
    let patched = s.get("shelf/a");
    s.ok(&["patch", "sh/a", "--subresource=status", "--type=merge", "-p", r#"{"status":{"seen":true}}"#]);
    let applied = apply(s, "applier", &shelf(3), true);
    let after = s.get("shelf/a");
    let strategic = s.run(&["patch", "sh/a", "--type=strategic", "-p", "{}"], "").ok;
    s.ok(&["delete", "crd/shelves.test.example", "--wait=false"]);
    json!({"created": created, "patched": patched, "applied": applied.ok, "after": after, "strategic": strategic})
}

fn create_deployment_expose_set_image(s: &Server) -> Value {
    s.ok(&["create", "deployment", "web", "--image=shop/web:1", "--port=80"]);
    s.ok(&["expose", "deployment", "web", "--port=80"]);
    s.ok(&["set", "image", "deployment/web", "web=shop/web:2"]);
    s.ok(&["set", "resources", "deployment/web", "--limits=cpu=1,memory=512Mi"]);
    s.ok(&["rollout", "pause", "deployment/web"]);
    let paused = s.get("deployment/web")["spec"]["paused"].clone();
    s.ok(&["rollout", "resume", "deployment/web"]);
    s.ok(&["create", "secret", "generic", "s", "--from-literal=a=b"]);
    s.ok(&["label", "deployments", "--all", "x=y"]);
    json!({"paused": paused, "deployment": s.get("deployment/web"), "service": s.get("service/web"), "secret": s.get("secret/s")})
}
