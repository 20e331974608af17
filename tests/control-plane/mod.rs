//! Real control planes on loopback: one etcd, and per cluster a kube-apiserver, a controller-manager, a scheduler, and kwok
//! in the kubelets' place.
//!
//! What is started is ended by pid when the value is dropped, also when a test panics. Where the binaries cannot be built
//! (no Go) the tests are skipped by name and say why; `QUARTERDECK_REQUIRE_CONTROL_PLANE=1` turns that into a failure.

mod binaries;
mod pki;

use std::{
    fs::{self, File},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

pub use binaries::folder as binaries;
use pki::Pki;
use serde_json::{Value, json};

/// One cluster to start.
#[derive(Clone, Debug, Default)]
pub struct PlaneSpec {
    /// Its name, also the context's.
    pub name: String,
    /// `--emulated-version`, e.g. `1.36`.
    pub emulated: Option<String>,
    /// Further flags of the API server.
    pub flags: Vec<String>,
    /// Nodes to create.
    pub nodes: usize,
}

/// A cluster that runs.
struct Plane {
    name: String,
    port: u16,
    command: Vec<String>,
    api: Option<Child>,
    others: Vec<Child>,
}

/// Clusters that run, and the folder with their files.
pub struct ControlPlanes {
    dir: tempfile::TempDir,
    bin: PathBuf,
    pki: Pki,
    etcd: Option<Child>,
    planes: Vec<Plane>,
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port()
}

impl ControlPlanes {
    /// Starts the clusters and waits until each answers `/readyz`, and, with `controllers`, until its nodes are Ready.
    pub fn start(specs: &[PlaneSpec], controllers: bool) -> Result<Self, String> {
        let bin = binaries()?.to_owned();
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let pki = Pki::create(dir.path());
        let mut planes = Self { dir, bin, pki, etcd: None, planes: Vec::new() };
        let etcd_port = free_port();
        planes.etcd = Some(planes.start_etcd(etcd_port));
        for spec in specs {
            planes.start_api(spec, etcd_port);
        }
        planes.write_kubeconfig("kubeconfig", "admin", None);
        let names: Vec<String> = specs.iter().map(|s| s.name.clone()).collect();
        for name in &names {
            planes.wait_ready(name)?;
        }
        for (index, spec) in specs.iter().enumerate() {
            for node in 0..spec.nodes {
                planes.apply(&spec.name, &node_manifest(&spec.name, node));
            }
            if controllers {
                planes.start_controllers(index);
            }
        }
        Ok(planes)
    }

    /// kubeconfig with one context per cluster, user in `system:masters`.
    pub fn kubeconfig(&self) -> PathBuf {
        self.dir.path().join("kubeconfig")
    }

    /// Folder for a test's own files; goes with the value.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// A program of the build (`kubectl`, `helm`).
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Runs kubectl against a cluster and gives its output, whatever its status.
    pub fn kubectl_output(&self, cluster: &str, args: &[&str]) -> Output {
        Command::new(self.bin.join("kubectl"))
            .args(["--kubeconfig", &self.kubeconfig().display().to_string(), "--context", cluster])
            .args(args)
            .stdin(Stdio::null())
            .output()
            .expect("kubectl runs")
    }

    /// Runs kubectl against a cluster; a failure fails the test with its words.
    pub fn kubectl(&self, cluster: &str, args: &[&str]) -> String {
        let output = self.kubectl_output(cluster, args);
        assert!(
            output.status.success(),
            "kubectl {args:?} on {cluster}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// kubectl's answer as JSON.
    pub fn kubectl_json(&self, cluster: &str, args: &[&str]) -> Value {
        let mut all = args.to_vec();
        all.extend(["-o", "json"]);
        serde_json::from_str(&self.kubectl(cluster, &all)).expect("JSON")
    }

    /// Applies a manifest (JSON or YAML) to a cluster, server-side.
    pub fn apply(&self, cluster: &str, manifest: &str) {
        let file = self.dir.path().join(format!("apply-{cluster}-{}.yaml", free_port()));
        fs::write(&file, manifest).expect("written");
        self.kubectl(cluster, &["apply", "--server-side", "--force-conflicts", "-f", &file.display().to_string()]);
        let _ = fs::remove_file(file);
    }

    /// Kills a cluster's API server with SIGKILL.
    pub fn kill_api(&mut self, cluster: &str) {
        if let Some(mut child) = self.plane_mut(cluster).api.take() {
            end(&mut child);
        }
    }

    /// Starts it again on the same port and waits until it answers.
    pub fn restart_api(&mut self, cluster: &str) {
        let plane = self.plane_mut(cluster);
        let (command, name) = (plane.command.clone(), plane.name.clone());
        let child = self.spawn(&format!("apiserver-{name}-again"), &command);
        self.plane_mut(cluster).api = Some(child);
        self.wait_ready(cluster).expect("answers again");
    }

    /// pid of a cluster's API server, for SIGSTOP and SIGCONT.
    pub fn api_pid(&self, cluster: &str) -> u32 {
        self.planes.iter().find(|p| p.name == cluster).and_then(|p| p.api.as_ref()).expect("runs").id()
    }

    fn plane_mut(&mut self, cluster: &str) -> &mut Plane {
        self.planes.iter_mut().find(|p| p.name == cluster).expect("a cluster of this test")
    }

    fn spawn(&self, log: &str, command: &[String]) -> Child {
        let log = File::create(self.dir.path().join(format!("{log}.log"))).expect("log");
        Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("log"))
            .stderr(log)
            .spawn()
            .unwrap_or_else(|e| panic!("{}: {e}", command[0]))
    }

    fn program_args(&self, program: &str, args: &[String]) -> Vec<String> {
        let mut command = vec![self.bin.join(program).display().to_string()];
        command.extend(args.iter().cloned());
        command
    }

    fn start_etcd(&self, port: u16) -> Child {
        let (client, peer) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{}", free_port()));
        let args = [
            ("--name", "n0"),
            ("--data-dir", &self.dir.path().join("etcd").display().to_string()),
            ("--listen-client-urls", &client),
            ("--advertise-client-urls", &client),
            ("--listen-peer-urls", &peer),
            ("--initial-advertise-peer-urls", &peer),
            ("--initial-cluster", &format!("n0={peer}")),
            ("--quota-backend-bytes", "8589934592"),
            ("--log-level", "error"),
        ]
        .iter()
        .flat_map(|(k, v)| [(*k).to_owned(), (*v).to_owned()])
        .chain(["--unsafe-no-fsync".to_owned()])
        .collect::<Vec<_>>();
        self.spawn("etcd", &self.program_args("etcd", &args))
    }

    fn start_api(&mut self, spec: &PlaneSpec, etcd_port: u16) {
        let port = free_port();
        let own = self.dir.path().join(&spec.name);
        fs::create_dir_all(&own).expect("folder");
        let p = |file: &str| self.pki.path(file);
        let mut args: Vec<String> = [
            ("--etcd-servers", format!("http://127.0.0.1:{etcd_port}")),
            ("--etcd-prefix", format!("/{}", spec.name)),
            ("--bind-address", "127.0.0.1".into()),
            ("--advertise-address", "127.0.0.1".into()),
            ("--secure-port", port.to_string()),
            ("--endpoint-reconciler-type", "none".into()),
            ("--tls-cert-file", p("apiserver.crt")),
            ("--tls-private-key-file", p("apiserver.key")),
            ("--client-ca-file", p("ca.crt")),
            ("--authorization-mode", "Node,RBAC".into()),
            ("--service-account-issuer", "https://kubernetes.default.svc.cluster.local".into()),
            ("--service-account-key-file", p("sa.pub")),
            ("--service-account-signing-key-file", p("sa.key")),
            ("--service-cluster-ip-range", "10.0.0.0/16".into()),
            ("--proxy-client-cert-file", p("front.crt")),
            ("--proxy-client-key-file", p("front.key")),
            ("--requestheader-client-ca-file", p("ca.crt")),
            ("--requestheader-allowed-names", "front".into()),
            ("--requestheader-username-headers", "X-Remote-User".into()),
            ("--requestheader-group-headers", "X-Remote-Group".into()),
            ("--requestheader-extra-headers-prefix", "X-Remote-Extra-".into()),
            ("--cert-dir", own.display().to_string()),
            ("--shutdown-delay-duration", "0s".into()),
        ]
        .into_iter()
        .flat_map(|(k, v)| [k.to_owned(), v])
        .collect();
        args.extend(["--anonymous-auth=false", "--allow-privileged=true", "--profiling=false"].map(String::from));
        if let Some(version) = &spec.emulated {
            args.push(format!("--emulated-version=kube={version}"));
        }
        args.extend(spec.flags.iter().cloned());
        let command = self.program_args("kube-apiserver", &args);
        let api = self.spawn(&format!("apiserver-{}", spec.name), &command);
        self.planes.push(Plane { name: spec.name.clone(), port, command, api: Some(api), others: Vec::new() });
    }

    fn start_controllers(&mut self, index: usize) {
        let (name, port) = (self.planes[index].name.clone(), self.planes[index].port);
        let own = self.dir.path().join(&name).display().to_string();
        for user in ["kcm", "sched", "kwok"] {
            self.write_kubeconfig(&format!("{name}/{user}.kubeconfig"), user, Some((name.clone(), port)));
        }
        let config = |user: &str| format!("{own}/{user}.kubeconfig");
        let stages =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/control-plane/stages.yaml").display().to_string();
        let auth = |user: &str| {
            vec![
                format!("--kubeconfig={}", config(user)),
                format!("--authentication-kubeconfig={}", config(user)),
                format!("--authorization-kubeconfig={}", config(user)),
                "--bind-address=127.0.0.1".into(),
                format!("--secure-port={}", free_port()),
                format!("--cert-dir={own}"),
                "--leader-elect=false".into(),
                "--kube-api-qps=500".into(),
                "--kube-api-burst=1000".into(),
            ]
        };
        let mut manager = auth("kcm");
        manager.extend([
            format!("--root-ca-file={}", self.pki.path("ca.crt")),
            format!("--service-account-private-key-file={}", self.pki.path("sa.key")),
            "--use-service-account-credentials=true".into(),
            // kwok renews no leases where tests stop and start it, and its nodes must not be declared dead.
            "--node-monitor-grace-period=1h".into(),
        ]);
        let kwok = vec![
            format!("--kubeconfig={}", config("kwok")),
            "--manage-all-nodes=true".into(),
            "--node-ip=127.0.0.1".into(),
            "--cidr=10.244.0.0/16".into(),
            format!("--config={stages}"),
        ];
        for (program, args) in [("kube-controller-manager", manager), ("kube-scheduler", auth("sched")), ("kwok", kwok)]
        {
            let child = self.spawn(&format!("{program}-{name}"), &self.program_args(program, &args));
            self.planes[index].others.push(child);
        }
    }

    fn write_kubeconfig(&self, file: &str, user: &str, only: Option<(String, u16)>) {
        let entries: Vec<(String, u16)> = match only {
            Some(entry) => vec![entry],
            None => self.planes.iter().map(|p| (p.name.clone(), p.port)).collect(),
        };
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": entries[0].0,
            "clusters": entries.iter().map(|(name, port)| json!({"name": name, "cluster":
                {"server": format!("https://127.0.0.1:{port}"), "certificate-authority": self.pki.path("ca.crt")}})).collect::<Vec<_>>(),
            "contexts": entries.iter().map(|(name, _)| json!({"name": name, "context": {"cluster": name, "user": user}})).collect::<Vec<_>>(),
            "users": [{"name": user, "user":
                {"client-certificate": self.pki.path(&format!("{user}.crt")), "client-key": self.pki.path(&format!("{user}.key"))}}],
        });
        fs::write(self.dir.path().join(file), config.to_string()).expect("written");
    }

    fn wait_ready(&mut self, cluster: &str) -> Result<(), String> {
        let started = Instant::now();
        loop {
            let output = self.kubectl_output(cluster, &["get", "--raw", "/readyz"]);
            if output.status.success() {
                return Ok(());
            }
            let dir = self.dir.path().to_owned();
            let plane = self.plane_mut(cluster);
            let ended = plane.api.as_mut().and_then(|c| c.try_wait().ok().flatten());
            if ended.is_some() || started.elapsed() > Duration::from_secs(120) {
                let log = fs::read_to_string(dir.join(format!("apiserver-{cluster}.log"))).unwrap_or_default();
                let tail: Vec<&str> = log.lines().rev().take(5).collect();
                return Err(format!("API server {cluster} is not ready ({ended:?}): {}", tail.join(" | ")));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for ControlPlanes {
    fn drop(&mut self) {
        for plane in &mut self.planes {
            plane.others.iter_mut().for_each(end);
        }
        for plane in &mut self.planes {
            plane.api.iter_mut().for_each(end);
        }
        self.etcd.iter_mut().for_each(end);
    }
}

/// Ends a child for good and waits for it; these hold nothing worth keeping.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn node_manifest(cluster: &str, index: usize) -> String {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": format!("{cluster}-node-{index}"),
            "annotations": {"kwok.x-k8s.io/node": "fake"},
            "labels": {"kubernetes.io/os": "linux", "topology.kubernetes.io/region": format!("region-{cluster}"),
                "topology.kubernetes.io/zone": format!("zone-{}", index % 3)},
        },
        "spec": {"providerID": format!("kind://test/{cluster}/{index}")},
    })
    .to_string()
}
