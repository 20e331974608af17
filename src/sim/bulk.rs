//! Big fleets for benchmarks: pods of about 10 KB with their workloads, ReplicaSets, Services, configuration and nodes, the
//! same ones for the same numbers. No controllers run over them; churn is [`super::churn`]'s.

use serde_json::{Value, json};

use super::{
    controllers::{seed, value::unset},
    kinds::{self, Rid},
    managed,
    mould::Mould,
    store::{ClusterStore, Writer},
};

const APPS: &[&str] = &[
    "checkout",
    "payments",
    "ledger",
    "search",
    "catalog",
    "inventory",
    "session",
    "gateway",
    "notify",
    "billing",
    "pricing",
    "shipping",
    "fraud",
    "profile",
    "reports",
];
const PARTS: &[&str] = &["api", "worker", "cache", "cron", "front"];
const TEAMS: &[&str] = &["alpha", "bravo", "carbon", "delta", "ember", "fjord"];
const SPACES: &[&str] = &["prod", "stage", "batch", "edge", "core", "data", "tools", "web", "ml", "infra"];

/// What differs between objects of one mould.
const SLOTS: [&str; 17] = [
    "APP", "NS", "BASE", "TEAM", "VERSION", "HASH", "WANT", "DUID", "RUID", "DIGEST", "POD", "UID", "NODE", "IP",
    "HOSTIP", "ID", "AT",
];

/// When the fleet's objects were written.
const WRITTEN: &str = "2026-11-29T08:00:00Z";

/// What one cluster gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Pods.
    pub pods: usize,
    /// Workloads.
    pub workloads: usize,
}

impl Share {
    /// The share of cluster `n` of so many.
    pub fn of(n: usize, clusters: usize, pods: usize, workloads: usize) -> Self {
        let part = |total: usize| total * (n + 1) / clusters.max(1) - total * n / clusters.max(1);
        Self { pods: part(pods), workloads: part(workloads).max(1) }
    }
}

/// How a pod is: about three in a hundred are unwell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Crashing,
    NoImage,
    Pending,
}

impl State {
    const ALL: [Self; 4] = [Self::Running, Self::Crashing, Self::NoImage, Self::Pending];

    fn of(pod: usize) -> Self {
        match pod % 100 {
            7 => Self::Crashing,
            31 => Self::NoImage,
            57 => Self::Pending,
            _ => Self::Running,
        }
    }

    fn waits(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Running => None,
            Self::Crashing => Some(("CrashLoopBackOff", "back-off 5m0s restarting failed container")),
            Self::NoImage => Some(("ImagePullBackOff", "Back-off pulling image")),
            Self::Pending => Some(("ContainerCreating", "")),
        }
    }
}

/// The moulds of a fleet, made once for all clusters.
#[derive(Clone, Debug)]
pub struct Moulds {
    namespace: Mould,
    node: Mould,
    deployment: Mould,
    replica_set: Mould,
    service: Mould,
    slice: Mould,
    config: Mould,
    secret: Mould,
    pods: Vec<Mould>,
}

impl Moulds {
    /// Makes them; any store of the fleet will do, for its table of resources.
    pub fn new(store: &ClusterStore) -> Self {
        let make = |rid, object, by, status| mould(store, rid, object, by, status);
        Self {
            namespace: make(
                kinds::NAMESPACES,
                json!({"metadata": {"name": "@NS@", "labels": {"team": "@TEAM@", "kubernetes.io/metadata.name": "@NS@"}}, "spec": {"finalizers": ["kubernetes"]}}),
                "kubectl",
                Some(("kubectl", json!({"phase": "Active"}))),
            ),
            node: make(kinds::NODES, node(), "kubelet", Some(("kubelet", node_status()))),
            deployment: make(
                kinds::DEPLOYMENTS,
                deployment(),
                "argocd-controller",
                Some(("kube-controller-manager", set_status())),
            ),
            replica_set: make(
                kinds::REPLICASETS,
                replica_set(),
                "kube-controller-manager",
                Some(("kube-controller-manager", set_status())),
            ),
            service: make(kinds::SERVICES, service(), "argocd-controller", None),
            slice: make(kinds::ENDPOINTSLICES, slice(), "kube-controller-manager", None),
            config: make(kinds::CONFIGMAPS, config(), "argocd-controller", None),
            secret: make(
                kinds::SECRETS,
                json!({"metadata": {"name": "db", "namespace": "@NS@"}, "type": "Opaque", "data": {"password": "aHVudGVyMg=="}}),
                "argocd-controller",
                None,
            ),
            pods: State::ALL
                .iter()
                .map(|s| make(kinds::PODS, pod(), "kube-controller-manager", Some(("kubelet", pod_status(*s)))))
                .collect(),
        }
    }

    /// Fills one cluster with its share.
    pub fn fill(&self, store: &ClusterStore, share: Share) {
        let nodes = share.pods.div_ceil(50).max(1);
        let spaces = share.workloads.div_ceil(10).clamp(1, 60);
        for n in 0..spaces {
            let (namespace, team) = space(n);
            let uid = seed::uid(0, &["space", store.name(), &namespace]);
            let values = Values::new(&[("NS", &namespace), ("TEAM", team), ("UID", &uid)]);
            values.cast(&self.namespace, store);
            Values::new(&[("NS", &namespace), ("UID", &uid.replace('4', "5"))]).cast(&self.secret, store);
        }
        for n in 0..nodes {
            let (name, uid) = (node_name(n), seed::uid(0, &["node", store.name(), &n.to_string()]));
            let zone = ["a", "b", "c"][n % 3];
            Values::new(&[("NODE", &name), ("UID", &uid), ("TEAM", zone), ("HOSTIP", &host_ip(n))])
                .cast(&self.node, store);
        }
        for w in 0..share.workloads {
            self.fill_workload(store, share, w, spaces, nodes);
        }
    }

    fn fill_workload(&self, store: &ClusterStore, share: Share, w: usize, spaces: usize, nodes: usize) {
        let mut values = workload(store.name(), share, w, spaces);
        for mould in [&self.config, &self.deployment, &self.replica_set, &self.service, &self.slice] {
            values.cast(mould, store);
        }
        for i in (w..share.pods).step_by(share.workloads) {
            set_pod(&mut values, store.name(), i, nodes);
            let state = State::ALL.iter().position(|s| *s == State::of(i)).unwrap_or(0);
            values.cast(&self.pods[state], store);
        }
    }
}

/// Values of the slots, in the order of [`SLOTS`].
struct Values([String; SLOTS.len()]);

impl Values {
    fn new(given: &[(&str, &str)]) -> Self {
        let mut values = Self(std::array::from_fn(|_| String::new()));
        for (slot, value) in given {
            values.set(slot, (*value).to_owned());
        }
        values
    }

    fn set(&mut self, slot: &str, value: String) {
        if let Some(at) = SLOTS.iter().position(|s| *s == slot) {
            self.0[at] = value;
        }
    }

    fn get(&self, slot: &str) -> &str {
        SLOTS.iter().position(|s| *s == slot).map_or("", |at| &self.0[at])
    }

    fn cast(&self, mould: &Mould, store: &ClusterStore) {
        mould.cast(store, &self.0.each_ref().map(String::as_str));
    }
}

fn space(n: usize) -> (String, &'static str) {
    let team = TEAMS[n % TEAMS.len()];
    (format!("{team}-{}", SPACES[n / TEAMS.len() % SPACES.len()]), team)
}

fn node_name(n: usize) -> String {
    format!("node-{n:03}")
}

fn host_ip(n: usize) -> String {
    format!("172.16.{}.1", n % 256)
}

fn workload(cluster: &str, share: Share, w: usize, spaces: usize) -> Values {
    let (app, part) = (APPS[w % APPS.len()], PARTS[w / APPS.len() % PARTS.len()]);
    let name = format!("{app}-{part}-{w:04}");
    let (namespace, team) = space(w % spaces);
    // Services of one number run in every cluster; a few clusters lag behind.
    let behind = usize::from(seed::number(&["behind", &name, cluster]).is_multiple_of(20));
    let version = format!("v1.{}.{}", w % 40, (w % 7 + 1).saturating_sub(behind));
    let uid = |what: &str| seed::uid(0, &[what, cluster, &name]);
    Values::new(&[
        ("APP", &name),
        ("NS", &namespace),
        ("BASE", app),
        ("TEAM", team),
        ("VERSION", &version),
        ("HASH", &seed::suffix(0, &["rs", &name, &version], 10)),
        ("WANT", &(w..share.pods).step_by(share.workloads).count().to_string()),
        ("DUID", &uid("deployment")),
        ("RUID", &uid("replicaset")),
        ("UID", &uid("service")),
        ("DIGEST", &seed::sha256(&format!("{name}{version}"))),
    ])
}

fn set_pod(values: &mut Values, cluster: &str, i: usize, nodes: usize) {
    let number = i.to_string();
    let key = ["pod", cluster, number.as_str()];
    let name = format!("{}-{}-{}", values.get("APP"), values.get("HASH"), seed::suffix(0, &key, 5));
    values.set("POD", name);
    values.set("UID", seed::uid(0, &key));
    values.set("NODE", node_name(i % nodes));
    values.set("IP", format!("10.{}.{}.{}", 64 + i / 65_536 % 64, i / 256 % 256, i % 256));
    values.set("HOSTIP", host_ip(i % nodes));
    let words = [number.as_str(), "a"].map(|w| seed::number(&["id", cluster, w]));
    values.set(
        "ID",
        format!("{:016x}{:016x}{:016x}{:016x}", words[0], words[1], words[0] ^ words[1], words[0].rotate_left(7)),
    );
    values.set("AT", format!("2026-11-{:02}T{:02}:{:02}:00Z", 1 + i % 28, i % 24, i % 60));
}

fn mould(store: &ClusterStore, rid: Rid, mut object: Value, by: &str, status: Option<(&str, Value)>) -> Mould {
    let resource = store.resource(rid);
    object["apiVersion"] = json!(resource.api_version(resource.preferred()));
    object["kind"] = json!(resource.kind);
    if object["metadata"].get("uid").is_none() {
        object["metadata"]["uid"] = json!("@UID@");
    }
    object["metadata"]["creationTimestamp"] = json!(WRITTEN);
    if resource.generation {
        object["metadata"]["generation"] = json!(1);
    }
    managed::track(None, &mut object, &resource, &Writer::new(by), WRITTEN);
    if let Some((manager, status)) = status {
        let before = object.clone();
        object["status"] = status;
        managed::track(Some(&before), &mut object, &resource, &Writer::status(manager), WRITTEN);
    }
    Mould::new(rid, object, &SLOTS)
}

fn container(name: &str, image: &str, port: u16, memory: &str) -> Value {
    let probe = |path: &str| {
        json!({"httpGet": {"path": path, "port": port, "scheme": "HTTP"}, "initialDelaySeconds": 5, "periodSeconds": 10,
            "timeoutSeconds": 2, "successThreshold": 1, "failureThreshold": 3})
    };
    let mut container = json!({
        "name": name, "image": image, "imagePullPolicy": "IfNotPresent",
        "ports": [{"name": format!("http-{name}"), "containerPort": port, "protocol": "TCP"}],
        "env": [
            {"name": "LOG_LEVEL", "value": "info"},
            {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": "http://otel-collector.observability:4317"},
            {"name": "GOMAXPROCS", "value": "2"}, {"name": "REGION", "value": "eu-central-1"},
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
            {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
        ],
        "resources": {"requests": {"cpu": "100m", "memory": memory}, "limits": {"cpu": "1", "memory": memory}},
        "livenessProbe": probe("/healthz"), "readinessProbe": probe("/readyz"),
        "volumeMounts": [{"name": "config", "mountPath": "/etc/app", "readOnly": true}, {"name": "tmp", "mountPath": "/tmp"}],
        "securityContext": {"runAsNonRoot": true, "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
            "capabilities": {"drop": ["ALL"]}},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    });
    if name != "main" {
        // Side cars are small; all three in full would make a pod of 14 KB.
        container["env"] = json!([{"name": "LOG_LEVEL", "value": "info"}]);
        unset(&mut container, "", "livenessProbe");
        unset(&mut container, "", "securityContext");
    }
    container
}

const IMAGES: [(&str, &str); 3] = [
    ("main", "registry.example.test/@BASE@/@APP@:@VERSION@"),
    ("proxy", "registry.example.test/mesh/proxy:1.22.3"),
    ("logger", "registry.example.test/obs/logger:3.1.9"),
];

fn pod_spec() -> Value {
    let sizes = [(8080, "256Mi"), (15090, "128Mi"), (2020, "64Mi")];
    let containers: Vec<Value> = IMAGES.iter().zip(sizes).map(|((n, i), (p, m))| container(n, i, p, m)).collect();
    json!({
        "containers": containers,
        "volumes": [{"name": "config", "configMap": {"name": "@APP@", "defaultMode": 420}}, {"name": "tmp", "emptyDir": {}}],
        "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
        "serviceAccountName": "default", "serviceAccount": "default", "securityContext": {}, "terminationGracePeriodSeconds": 30,
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "@APP@"}}}],
    })
}

fn labels(hash: bool) -> Value {
    let mut labels = json!({"app.kubernetes.io/name": "@APP@", "app.kubernetes.io/version": "@VERSION@",
        "app.kubernetes.io/part-of": "@BASE@", "team": "@TEAM@"});
    if hash {
        labels["pod-template-hash"] = json!("@HASH@");
    }
    labels
}

fn notes() -> Value {
    json!({"prometheus.io/scrape": "true", "prometheus.io/port": "8080", "checksum/config": "@DIGEST@"})
}

fn owner(kind: &str, name: &str, uid: &str) -> Value {
    json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": true, "blockOwnerDeletion": true}])
}

fn deployment() -> Value {
    json!({
        "metadata": {"name": "@APP@", "namespace": "@NS@", "uid": "@DUID@", "labels": labels(false), "annotations": {
            "deployment.kubernetes.io/revision": "3", "argocd.argoproj.io/tracking-id": "@BASE@:apps/Deployment:@NS@/@APP@"}},
        "spec": {"replicas": "@#WANT@", "selector": {"matchLabels": {"app.kubernetes.io/name": "@APP@"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
            "template": {"metadata": {"labels": labels(false), "annotations": notes()}, "spec": pod_spec()}},
    })
}

fn replica_set() -> Value {
    json!({
        "metadata": {"name": "@APP@-@HASH@", "namespace": "@NS@", "uid": "@RUID@", "labels": labels(true),
            "annotations": {"deployment.kubernetes.io/revision": "3"}, "ownerReferences": owner("Deployment", "@APP@", "@DUID@")},
        "spec": {"replicas": "@#WANT@", "selector": {"matchLabels": {"app.kubernetes.io/name": "@APP@", "pod-template-hash": "@HASH@"}},
            "template": {"metadata": {"labels": labels(true), "annotations": notes()}, "spec": pod_spec()}},
    })
}

/// The status of Deployments and ReplicaSets: what both have.
fn set_status() -> Value {
    json!({"observedGeneration": 1, "replicas": "@#WANT@", "readyReplicas": "@#WANT@", "availableReplicas": "@#WANT@", "updatedReplicas": "@#WANT@"})
}

fn service() -> Value {
    json!({"metadata": {"name": "@APP@", "namespace": "@NS@", "labels": labels(false)},
        "spec": {"type": "ClusterIP", "clusterIP": "10.96.0.10", "clusterIPs": ["10.96.0.10"], "selector": {"app.kubernetes.io/name": "@APP@"},
            "ports": [{"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}], "sessionAffinity": "None"},
        "status": {"loadBalancer": {}}})
}

fn slice() -> Value {
    json!({"addressType": "IPv4", "metadata": {"name": "@APP@-x", "namespace": "@NS@", "labels": {"kubernetes.io/service-name": "@APP@"}},
        "endpoints": [{"addresses": ["10.64.0.1"], "conditions": {"ready": true, "serving": true, "terminating": false}}],
        "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}]})
}

fn config() -> Value {
    json!({"metadata": {"name": "@APP@", "namespace": "@NS@", "labels": labels(false)},
        "data": {"config.yaml": "service: @APP@\nversion: @VERSION@\nworkers: 8\n"}})
}

fn node() -> Value {
    json!({"metadata": {"name": "@NODE@", "labels": {"kubernetes.io/hostname": "@NODE@", "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64", "topology.kubernetes.io/region": "eu-central-1",
        "topology.kubernetes.io/zone": "eu-central-1@TEAM@", "node.kubernetes.io/instance-type": "m7.16xlarge"}},
        "spec": {"providerID": "aws:///eu-central-1@TEAM@/i-@NODE@"}})
}

fn node_status() -> Value {
    let size = json!({"cpu": "64", "memory": "256Gi", "pods": "500", "ephemeral-storage": "1Ti"});
    let cond = |kind: &str, state: &str, reason: &str| json!({"type": kind, "status": state, "reason": reason, "message": reason, "lastHeartbeatTime": WRITTEN, "lastTransitionTime": WRITTEN});
    json!({
        "capacity": size, "allocatable": size,
        "addresses": [{"type": "InternalIP", "address": "@HOSTIP@"}, {"type": "Hostname", "address": "@NODE@"}],
        "conditions": [cond("MemoryPressure", "False", "KubeletHasSufficientMemory"), cond("DiskPressure", "False", "KubeletHasNoDiskPressure"),
            cond("PIDPressure", "False", "KubeletHasSufficientPID"), cond("Ready", "True", "KubeletReady")],
        "nodeInfo": {"kubeletVersion": "v1.37.2", "kubeProxyVersion": "", "containerRuntimeVersion": "containerd://2.1.4",
            "osImage": "Debian GNU/Linux 13 (trixie)", "kernelVersion": "6.12.48", "architecture": "amd64", "operatingSystem": "linux",
            "machineID": "", "systemUUID": "", "bootID": ""},
    })
}

fn pod() -> Value {
    let mut spec = pod_spec();
    spec["nodeName"] = json!("@NODE@");
    json!({"metadata": {"name": "@POD@", "namespace": "@NS@", "generateName": "@APP@-@HASH@-", "labels": labels(true), "annotations": notes(),
        "ownerReferences": owner("ReplicaSet", "@APP@-@HASH@", "@RUID@")}, "spec": spec})
}

fn pod_status(state: State) -> Value {
    let started = state != State::Pending;
    let ready = state == State::Running;
    let cond = |kind: &str, holds: bool| {
        let mut c = json!({"type": kind, "status": if holds { "True" } else { "False" }, "lastProbeTime": null, "lastTransitionTime": "@AT@"});
        if !holds {
            c["reason"] = json!("ContainersNotReady");
            c["message"] = json!("containers with unready status: [main]");
        }
        c
    };
    let statuses: Vec<Value> =
        IMAGES.iter().enumerate().map(|(n, (name, image))| container_status(state, n, name, image)).collect();
    json!({
        "phase": if matches!(state, State::Pending | State::NoImage) { "Pending" } else { "Running" },
        "qosClass": "Burstable", "startTime": "@AT@", "hostIP": "@HOSTIP@", "hostIPs": [{"ip": "@HOSTIP@"}],
        "podIP": "@IP@", "podIPs": [{"ip": "@IP@"}],
        "conditions": [cond("PodReadyToStartContainers", started), cond("Initialized", true), cond("Ready", ready),
            cond("ContainersReady", ready), cond("PodScheduled", true)],
        "containerStatuses": statuses,
    })
}

fn container_status(state: State, n: usize, name: &str, image: &str) -> Value {
    let waits = state.waits().filter(|_| n == 0 || state == State::Pending);
    let repository = image.rsplit_once(':').map_or(image, |(r, _)| r);
    let digest = if n == 0 { "@DIGEST@".to_owned() } else { seed::sha256(image) };
    let running = waits.is_none();
    let now = match waits {
        None => json!({"running": {"startedAt": "@AT@"}}),
        Some((reason, "")) => json!({"waiting": {"reason": reason}}),
        Some((reason, message)) => json!({"waiting": {"reason": reason, "message": message}}),
    };
    let restarts = if state == State::Crashing && n == 0 { 12 } else { 0 };
    let id = if running { format!("containerd://@ID@{n}") } else { String::new() };
    json!({"name": name, "image": image, "imageID": format!("{repository}@sha256:{digest}"), "containerID": id, "ready": running,
        "started": running, "restartCount": restarts, "lastState": {}, "state": now})
}

#[cfg(test)]
mod tests {
    use super::{Moulds, Share};
    use crate::{
        model::Millis,
        sim::{clock::Clock, controllers::value::*, kinds, store::ClusterStore},
    };

    fn store() -> std::sync::Arc<ClusterStore> {
        ClusterStore::new("scale-000", 1, Clock::manual(Millis(1_796_000_000_000)), 64)
    }

    #[test]
    fn a_share_is_filled_with_whole_objects() {
        let store = store();
        let share = Share::of(0, 3, 1000, 40);
        assert_eq!(share, Share { pods: 333, workloads: 13 });
        Moulds::new(&store).fill(&store, share);
        assert_eq!(
            (store.count(kinds::PODS), store.count(kinds::DEPLOYMENTS), store.count(kinds::NODES)),
            (333, 13, 7)
        );
        let resource = store.resource(kinds::PODS);
        let mut unwell = 0;
        for stored in store.list(kinds::PODS, None).items {
            let pod = stored.value(&resource);
            assert!(!stored.rest.contains(&b'@') || !pod.to_string().contains("@APP@"), "a slot is left: {pod}");
            unwell += usize::from(!is_true(&pod, "Ready"));
        }
        assert_eq!(unwell, 11, "three in a hundred");
        let deployments = store.list(kinds::DEPLOYMENTS, None).items;
        let wanted: i64 =
            deployments.iter().map(|d| int(&d.value(&store.resource(kinds::DEPLOYMENTS)), "/spec/replicas", 0)).sum();
        assert_eq!(wanted, 333, "replicas are numbers and add up");
        let one = &store.list(kinds::PODS, None).items[0];
        assert!((8_500..11_500).contains(&one.rest.len()), "{} bytes", one.rest.len());
    }

    #[test]
    fn shares_add_up() {
        let sum = |f: fn(&Share) -> usize| (0..7).map(|n| f(&Share::of(n, 7, 100, 20))).sum::<usize>();
        assert_eq!((sum(|s| s.pods), sum(|s| s.workloads)), (100, 20));
    }
}
