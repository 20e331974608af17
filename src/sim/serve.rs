//! Serving a fleet: a thread pool of its own, one TLS listener per cluster on 127.0.0.1, a kubeconfig once all answer.

use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use base64::Engine as _;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use rustls::{ServerConfig, pki_types::UnixTime, server::danger::ClientCertVerifier};
use serde_json::json;
use tokio_rustls::TlsAcceptor;

use super::{
    Faults, Fleet, Running, Spec,
    auth::{Identity, MASTERS},
    bare,
    churn::Churn,
    clock::Clock,
    demo,
    error::SimError,
    faults::{Switch, Wire},
    life,
    list::Pages,
    log::RequestLog,
    request::{self, Server},
    store::ClusterStore,
    tls::{Authority, ClientPem},
};

/// One cluster as it is to be served.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the cluster and of its context.
    pub name: String,
    /// `v1.37.2`.
    pub version: String,
    /// Days until its serving certificate ends.
    pub certificate_days: i64,
    /// Faults it starts with.
    pub faults: Faults,
    /// Changes kept per resource for watches that resume.
    pub window: usize,
    /// Whether anybody answers at its address; otherwise connections are refused.
    pub listens: bool,
}

impl Plan {
    /// A healthy cluster.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: "v1.37.2".into(),
            certificate_days: 300,
            faults: Faults::default(),
            window: 1024,
            listens: true,
        }
    }
}

/// A served cluster as the process itself reaches it.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Its objects.
    pub store: Arc<ClusterStore>,
    /// Its faults.
    pub switch: Arc<Switch>,
    /// Its log.
    pub log: Arc<RequestLog>,
    pages: Arc<Pages>,
}

impl Cluster {
    /// Forgets history: resumed watches and continued lists from before get 410.
    pub fn compact(&self) {
        self.store.compact();
        self.pages.expire();
    }
}

/// The clusters of a fleet by name.
#[derive(Debug, Default)]
pub struct FleetIndex {
    clusters: Mutex<BTreeMap<String, Cluster>>,
    /// Changes that happen by themselves.
    pub churn: Arc<Churn>,
}

impl FleetIndex {
    /// One cluster.
    pub fn get(&self, name: &str) -> Option<Cluster> {
        self.clusters.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn add(&self, name: &str, cluster: Cluster) {
        self.clusters.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), cluster);
    }
}

/// The threads and clusters behind [`Running`].
pub struct Engine {
    runtime: Option<tokio::runtime::Runtime>,
    clusters: Arc<FleetIndex>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Without waiting: a fleet may be dropped from within another runtime.
            runtime.shutdown_background();
        }
    }
}

impl Running {
    /// Switches a cluster's faults.
    pub fn set_faults(&self, cluster: &str, faults: Faults) {
        if let Some(cluster) = self.cluster(cluster) {
            cluster.switch.set(faults);
        }
    }

    /// Changes of pods per second over the whole fleet, from now on.
    pub fn set_churn(&self, per_second: u32) {
        self.engine.clusters.churn.set(super::churn::Rate { per_second });
    }

    /// A cluster's objects, faults and log.
    pub fn cluster(&self, name: &str) -> Option<Cluster> {
        self.engine.clusters.get(name)
    }
}

/// Serves a fleet. Returns when every cluster answers and the kubeconfig is written. Needs no runtime and may be called
/// from within one.
pub fn serve(spec: &Spec) -> Result<Running, SimError> {
    let clock = Clock::wall(spec.speed);
    let authority = Authority::new(clock.now())?;
    let admin = authority.client("admin", &[MASTERS], 300)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("sim")
        .enable_all()
        .build()
        .map_err(SimError::Threads)?;
    let index = Arc::new(FleetIndex::default());
    let mut entries = Vec::new();
    let mut served = Vec::new();
    for plan in plans(&spec.fleet) {
        let store = ClusterStore::new(&plan.name, spec.seed, clock.clone(), plan.window);
        fill(&store, spec, &plan);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(SimError::Listen)?;
        listener.set_nonblocking(true).map_err(SimError::Listen)?;
        let port = listener.local_addr().map_err(SimError::Listen)?.port();
        let cluster = Cluster {
            store,
            switch: Switch::new(plan.faults.clone()),
            log: Arc::new(RequestLog::default()),
            pages: Arc::new(Pages::default()),
        };
        index.add(&plan.name, cluster.clone());
        let server = Arc::new(Server {
            store: Arc::clone(&cluster.store),
            switch: Arc::clone(&cluster.switch),
            log: Arc::clone(&cluster.log),
            pages: Arc::clone(&cluster.pages),
            git_version: plan.version.clone(),
            seed: spec.seed,
            fleet: Arc::clone(&index),
        });
        let tls = ClusterTls {
            valid: authority.server(plan.certificate_days)?,
            expired: authority.server(-1)?,
            clients: authority.client_verifier()?,
        };
        if plan.listens {
            runtime.spawn(accept(listener, server, Arc::new(tls)));
        }
        served.push((plan.name.clone(), cluster));
        entries.push((plan.name, port));
    }
    life::start(&runtime, spec, &served, &index.churn);
    let fleet_file = fleet_file(spec)?;
    let kubeconfig = spec.dir.join("kubeconfig");
    write(&kubeconfig, &kubeconfig_text(&entries, &authority.pem(), &admin))?;
    Ok(Running {
        kubeconfig,
        clusters: entries.into_iter().map(|(name, _)| name).collect(),
        fleet_file,
        engine: Engine { runtime: Some(runtime), clusters: index },
    })
}

/// Writes the fleet file beside the kubeconfig, where the fleet has one, and the deploy tree that it names.
fn fleet_file(spec: &Spec) -> Result<Option<PathBuf>, SimError> {
    if !matches!(spec.fleet, Fleet::Demo) {
        return Ok(None);
    }
    for file in demo::deploy_files() {
        write(&spec.dir.join(file.path), &file.text)?;
    }
    let path = spec.dir.join("fleet.yaml");
    write(&path, &demo::fleet_file())?;
    Ok(Some(path))
}

fn plans(fleet: &Fleet) -> Vec<Plan> {
    match fleet {
        Fleet::Empty { clusters, .. } => (0..*clusters).map(|n| Plan::new(format!("sim-{n:03}"))).collect(),
        Fleet::Scale { clusters, rtt_ms: (low, high), .. } => (0..*clusters)
            .map(|n| {
                let spread = (high.saturating_sub(*low)) * n as u64 / (*clusters).max(1) as u64;
                let faults = Faults { latency_ms: low + spread, ..Faults::default() };
                // Each kept change may hold a pod of 10 KB: about as many for the whole fleet, whatever its size.
                let window = (20_000 / (*clusters).max(1)).clamp(64, 4096);
                Plan { faults, window, ..Plan::new(format!("scale-{n:03}")) }
            })
            .collect(),
        Fleet::Demo => demo::plans(),
    }
}

fn fill(store: &Arc<ClusterStore>, spec: &Spec, plan: &Plan) {
    match spec.fleet {
        Fleet::Empty { nodes, .. } => bare::fill(store, &plan.version, nodes),
        Fleet::Demo => demo::fill(store, spec.seed),
        Fleet::Scale { .. } => bare::fill(store, &plan.version, 0),
    }
}

/// TLS of one cluster.
#[derive(Debug)]
struct ClusterTls {
    valid: Arc<ServerConfig>,
    expired: Arc<ServerConfig>,
    clients: Arc<dyn ClientCertVerifier>,
}

async fn accept(listener: TcpListener, server: Arc<Server>, tls: Arc<ClusterTls>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                server.log.connected();
                tokio::spawn(connection(stream, Arc::clone(&server), Arc::clone(&tls)));
            }
            // Out of file descriptors: wait for some to come back rather than spin.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn connection(stream: tokio::net::TcpStream, server: Arc<Server>, tls: Arc<ClusterTls>) {
    let _ = stream.set_nodelay(true);
    // Without lingering, dropping the stream while `reset` holds sends RST instead of FIN.
    if server.switch.get().reset {
        let _ = stream.set_zero_linger();
        return;
    }
    let switch = Arc::clone(&server.switch);
    tokio::select! {
        () = converse(stream, server, tls) => {}
        () = switch.reset() => {}
    }
}

async fn converse(stream: tokio::net::TcpStream, server: Arc<Server>, tls: Arc<ClusterTls>) {
    let faults = server.switch.get();
    if faults.latency_ms > 0 {
        tokio::time::sleep(Duration::from_millis(faults.latency_ms)).await;
    }
    let config = if faults.expired_certificate { &tls.expired } else { &tls.valid };
    let wire = Wire { stream, switch: Arc::clone(&server.switch) };
    let Ok(stream) = TlsAcceptor::from(Arc::clone(config)).accept(wire).await else { return };
    let identity = identity(&stream, &tls);
    let service = hyper::service::service_fn(move |request| {
        let (server, identity) = (Arc::clone(&server), identity.clone());
        async move { Ok::<_, std::convert::Infallible>(request::handle(server, identity, request).await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new());
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(250);
    // How a connection ends is the client's affair.
    let _ = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).await;
}

/// The user of a client certificate that the fleet's authority signed and that has not ended; as on a real server a bad
/// certificate is no TLS error but a 401.
fn identity(stream: &tokio_rustls::server::TlsStream<Wire>, tls: &ClusterTls) -> Option<Identity> {
    let certificates = stream.get_ref().1.peer_certificates()?;
    let (own, rest) = certificates.split_first()?;
    tls.clients.verify_client_cert(own, rest, UnixTime::now()).ok()?;
    Identity::from_certificate(own)
}

fn kubeconfig_text(entries: &[(String, u16)], authority: &str, admin: &ClientPem) -> String {
    let encode = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let clusters: Vec<_> = entries
        .iter()
        .map(|(name, port)| {
            let cluster =
                json!({"server": format!("https://127.0.0.1:{port}"), "certificate-authority-data": encode(authority)});
            json!({"name": name, "cluster": cluster})
        })
        .collect();
    let contexts: Vec<_> =
        entries.iter().map(|(name, _)| json!({"name": name, "context": {"cluster": name, "user": "admin"}})).collect();
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": entries.first().map(|(name, _)| name),
        "clusters": clusters, "contexts": contexts,
        "users": [{"name": "admin", "user": {
            "client-certificate-data": encode(&admin.certificate), "client-key-data": encode(&admin.key)}}],
    });
    // JSON is YAML.
    format!("{config:#}\n")
}

fn write(path: &Path, text: &str) -> Result<(), SimError> {
    let failed = |cause: std::io::Error| SimError::Write { path: PathBuf::from(path), cause };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    // Complete or not at all: somebody may be waiting for the file.
    let half = path.with_extension("part");
    std::fs::write(&half, text).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&half, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
    }
    std::fs::rename(&half, path).map_err(failed)
}
