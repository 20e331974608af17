//! `sim` as a person uses it: the real binary serves a fleet, and kubectl works on it as on any other.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use libtest_mimic::Trial;
use serde_json::Value;

use crate::{
    control_plane,
    support::{binary, patience, wait_for},
    with_control_planes,
};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![with_control_planes("sim::kubectl_works_end_to_end", end_to_end)]
}

/// Longest wait for a step of the simulated controllers, in seconds.
const STEP: u64 = 30;

/// A fleet served by the binary, and kubectl against its clusters.
struct Served {
    child: Child,
    dir: tempfile::TempDir,
    kubectl: PathBuf,
}

/// What a command said.
struct Said {
    ok: bool,
    out: String,
    err: String,
}

impl Served {
    fn start() -> Self {
        let dir = tempfile::tempdir().expect("folder");
        let kubectl = control_plane::binaries().expect("built").join("kubectl");
        let child = Command::new(binary())
            .args(["sim", "--clusters", "2", "--speed", "10", "--kubeconfig"])
            .arg(dir.path().join("kubeconfig"))
            .env_clear()
            .env("HOME", dir.path())
            .env("TMPDIR", dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let served = Self { child, dir, kubectl };
        // The file appears once every cluster answers.
        wait_for("the kubeconfig", Duration::from_secs(STEP), || served.kubeconfig().exists().then_some(()));
        served
    }

    fn kubeconfig(&self) -> PathBuf {
        self.dir.path().join("kubeconfig")
    }

    fn command(&self, context: &str, args: &[&str]) -> Command {
        let mut command = Command::new(&self.kubectl);
        command.arg("--kubeconfig").arg(self.kubeconfig()).args(["--context", context, "-n", "shop"]).args(args);
        command.env("HOME", self.dir.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(mut command: Command, stdin: &str) -> Said {
        let mut child = command.stdin(Stdio::piped()).spawn().expect("kubectl runs");
        child.stdin.take().expect("stdin").write_all(stdin.as_bytes()).expect("written");
        let output = child.wait_with_output().expect("ends");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Said { ok: output.status.success(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// What kubectl prints when all is well.
    fn ok(&self, context: &str, args: &[&str]) -> String {
        self.ok_in(context, args, "")
    }

    fn ok_in(&self, context: &str, args: &[&str], stdin: &str) -> String {
        let said = Self::run(self.command(context, args), stdin);
        assert!(said.ok, "kubectl {args:?} on {context}: {}{}", said.out, said.err);
        said.out
    }

    fn json(&self, context: &str, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(context, &[args, &["-o", "json"]].concat())).expect("JSON")
    }

    /// Waits as a person does: until kubectl says that the rollout is through.
    fn rolled_out(&self, context: &str, what: &str) {
        let timeout = format!("--timeout={:.0}s", STEP as f64 * patience());
        let said = self.ok(context, &["rollout", "status", what, &timeout]);
        assert!(said.ends_with("successfully rolled out"), "{said}");
    }

    /// Pods with this label that are not on their way out: those are no longer part of a rollout.
    fn pods(&self, context: &str, app: &str) -> Vec<Value> {
        let pods = self.json(context, &["get", "pods", "-l", &format!("app={app}")]);
        let pods = pods["items"].as_array().expect("items").iter();
        pods.filter(|pod| pod.pointer("/metadata/deletionTimestamp").is_none()).cloned().collect()
    }

    /// The image of each of these pods, which must be ready.
    fn images(&self, context: &str, app: &str) -> Vec<String> {
        let image = |pod: &Value| {
            let conditions = pod["status"]["conditions"].as_array().expect("conditions");
            let ready = conditions.iter().any(|c| c["type"] == "Ready" && c["status"] == "True");
            assert!(ready, "{pod:#}");
            pod["spec"]["containers"][0]["image"].as_str().expect("image").to_owned()
        };
        self.pods(context, app).iter().map(image).collect()
    }

    fn end(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
        let status = wait_for("the end of sim", Duration::from_secs(STEP), || self.child.try_wait().expect("a child"));
        assert!(status.success(), "{status}");
        assert_eq!(scratch(self.dir.path()), Vec::<String>::new(), "its folder is removed");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Folders of runs below a temporary folder.
fn scratch(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir).expect("readable").flatten().map(|e| e.file_name().display().to_string());
    names.filter(|name| name.starts_with("quarterdeck-")).collect()
}

fn api(image: &str, replicas: u32) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: api}}\ndata: {{mode: fast}}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: api}}\nspec:\n  replicas: {replicas}\n  \
         selector: {{matchLabels: {{app: api}}}}\n  template:\n    metadata: {{labels: {{app: api}}}}\n    \
         spec: {{containers: [{{name: api, image: '{image}'}}]}}\n"
    )
}

fn end_to_end() {
    let served = Served::start();
    let contexts = Served::run(served.command("", &["config", "get-contexts", "-o", "name"]), "").out;
    let contexts: Vec<&str> = contexts.lines().collect();
    let [here, there] = contexts[..] else { panic!("two contexts: {contexts:?}") };
    for context in [here, there] {
        assert_eq!(served.ok(context, &["get", "nodes", "-o", "name"]).lines().count(), 3, "{context}");
        served.ok(context, &["create", "namespace", "shop"]);
    }
    creates_and_follows(&served, here);
    applies(&served, here);
    edits_patches_scales(&served, here);
    logs_follow_until_the_end(&served, here);
    assert_eq!(served.ok(there, &["get", "deployments,pods,configmaps", "-l", "app", "-o", "name"]), "");
    deletes(&served, here);
    served.end();
}

fn creates_and_follows(served: &Served, at: &str) {
    served.ok(at, &["create", "deployment", "web", "--image=shop/web:1", "--replicas=2"]);
    served.rolled_out(at, "deployment/web");
    assert_eq!(served.images(at, "web"), ["shop/web:1"; 2]);
    let table = served.ok(at, &["get", "deployments"]);
    assert!(table.starts_with("NAME") && table.contains("\nweb "), "{table}");
    let again = Served::run(served.command(at, &["create", "deployment", "web", "--image=x"]), "");
    assert!(!again.ok && again.err.contains("already exists"), "{}", again.err);
}

fn applies(served: &Served, at: &str) {
    let apply = |manifest: &str| {
        let said = served.ok_in(at, &["apply", "-f", "-"], manifest);
        said.lines().map(|l| l.rsplit(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(apply(&api("shop/api:1", 1)), ["created", "created"]);
    served.rolled_out(at, "deployment/api");
    assert_eq!(apply(&api("shop/api:1", 1)), ["unchanged", "unchanged"]);
    assert_eq!(apply(&api("shop/api:2", 2)), ["unchanged", "configured"]);
    served.rolled_out(at, "deployment/api");
    assert_eq!(served.images(at, "api"), ["shop/api:2"; 2]);
    served.ok(at, &["rollout", "undo", "deployment/api"]);
    served.rolled_out(at, "deployment/api");
    assert_eq!(served.images(at, "api"), ["shop/api:1"; 2], "undone");
}

fn edits_patches_scales(served: &Served, at: &str) {
    let mut edit = served.command(at, &["edit", "deployment/web"]);
    edit.env("KUBE_EDITOR", "sed -i s#shop/web:1#shop/web:2#");
    let said = Served::run(edit, "");
    assert!(said.ok && said.out.ends_with("edited"), "{}{}", said.out, said.err);
    served.rolled_out(at, "deployment/web");
    assert_eq!(served.images(at, "web"), ["shop/web:2"; 2]);

    let patch = r#"{"spec":{"template":{"spec":{"containers":[{"name":"web","env":[{"name":"A","value":"1"}]}]}}}}"#;
    served.ok(at, &["patch", "deployment/web", "-p", patch]);
    served.rolled_out(at, "deployment/web");
    let container = &served.json(at, &["get", "deployment/web"])["spec"]["template"]["spec"]["containers"][0];
    assert_eq!((&container["image"], &container["env"][0]["value"]), (&"shop/web:2".into(), &"1".into()));

    served.ok(at, &["scale", "deployment/web", "--replicas=4"]);
    served.rolled_out(at, "deployment/web");
    assert_eq!(served.images(at, "web"), ["shop/web:2"; 4]);
    served.ok(at, &["scale", "deployment/web", "--replicas=1"]);
    // To kubectl a smaller count is rolled out at once; the pods follow.
    let one = || (served.pods(at, "web").len() == 1).then_some(());
    wait_for("one pod", Duration::from_secs(STEP), one);
}

/// `logs -f` brings new lines as they are written, and ends when the pod is gone.
fn logs_follow_until_the_end(served: &Served, at: &str) {
    let pods = served.pods(at, "web");
    let pod = pods[0]["metadata"]["name"].as_str().expect("a name");
    let mut child = served.command(at, &["logs", "-f", "--tail=1", pod]).spawn().expect("kubectl runs");
    let out = child.stdout.take().expect("stdout");
    let (tell, lines) = mpsc::channel();
    std::thread::spawn(move || BufReader::new(out).lines().map_while(Result::ok).try_for_each(|l| tell.send(l)));
    let limit = Duration::from_secs(STEP).mul_f64(patience());
    // One line was there, so the second and third came while it followed.
    for n in 1..=3 {
        assert!(lines.recv_timeout(limit).is_ok_and(|l| !l.is_empty()), "line {n} of the log of {pod}");
    }
    served.ok(at, &["delete", "pod", pod]);
    wait_for("the end of the log", Duration::from_secs(STEP), || child.try_wait().expect("a child"));
    served.rolled_out(at, "deployment/web");
    assert!(!served.ok(at, &["get", "pods", "-l", "app=web", "-o", "name"]).contains(pod), "another took its place");
}

fn deletes(served: &Served, at: &str) {
    served.ok(at, &["delete", "deployment", "web"]);
    let gone = Served::run(served.command(at, &["get", "deployment/web"]), "");
    assert_eq!(gone.err, "Error from server (NotFound): deployments.apps \"web\" not found");
    let timeout = format!("--timeout={:.0}s", STEP as f64 * patience());
    // What it owned goes with it.
    served.ok(at, &["wait", "--for=delete", "pod,replicaset", "-l", "app=web", &timeout]);
    let sets = || served.ok(at, &["get", "replicasets", "-l", "app=api", "-o", "name"]);
    let before = sets();
    served.ok(at, &["delete", "deployment", "api", "--cascade=orphan", &timeout]);
    assert!(!before.is_empty() && sets() == before, "what was orphaned stays: {before} {}", sets());
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
    served.ok_in(at, &["create", "-f", "-"], claim);
    // Protected while a pod uses it, and no pod does.
    served.ok(at, &["delete", "pvc", "data", &timeout]);
    served.ok(at, &["delete", "namespace", "shop", &timeout]);
    assert_eq!(served.ok(at, &["get", "deployments,pods,configmaps", "-A", "-l", "app=api", "-o", "name"]), "");
}
