//! Columns of each kind's table, their texts and their order: as kubectl shows them, with the same words.

use std::fmt::Write as _;

use super::{
    RowRef, Store,
    row::{ContainerSpec, Detail, EventRow, Labels, NodeReady, NodeRow, Phase, PodRow, Row, WorkloadRow},
};
use crate::model::{Age, Builtin, KindId, Millis, Secs, age_text};

/// A column of a kind's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Stable key (`ready`, `node`), also the name in filters.
    pub key: &'static str,
    /// Header, Kubernetes' own word, not translated (`READY`).
    pub header: &'static str,
    /// Numbers are right-aligned.
    pub numeric: bool,
    /// Shown only wide.
    pub wide: bool,
}

const fn text(key: &'static str, header: &'static str) -> Column {
    Column { key, header, numeric: false, wide: false }
}

const fn number(key: &'static str, header: &'static str) -> Column {
    Column { key, header, numeric: true, wide: false }
}

const fn wide(key: &'static str, header: &'static str) -> Column {
    Column { key, header, numeric: false, wide: true }
}

const NAMESPACE: &[Column] = &[text("status", "STATUS")];
const NODE: &[Column] = &[
    text("status", "STATUS"),
    text("roles", "ROLES"),
    text("version", "VERSION"),
    wide("internal-ip", "INTERNAL-IP"),
    wide("os-image", "OS-IMAGE"),
    wide("container-runtime", "CONTAINER-RUNTIME"),
    wide("arch", "ARCH"),
    wide("zone", "ZONE"),
    wide("instance", "INSTANCE-TYPE"),
    wide("taints", "TAINTS"),
];
const DEPLOYMENT: &[Column] = &[
    number("ready", "READY"),
    number("up-to-date", "UP-TO-DATE"),
    number("available", "AVAILABLE"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
    wide("reason", "REASON"),
];
const STATEFUL_SET: &[Column] = &[
    number("ready", "READY"),
    wide("up-to-date", "UP-TO-DATE"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
    wide("reason", "REASON"),
];
const DAEMON_SET: &[Column] = &[
    number("desired", "DESIRED"),
    number("current", "CURRENT"),
    number("ready", "READY"),
    number("up-to-date", "UP-TO-DATE"),
    number("available", "AVAILABLE"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
    wide("reason", "REASON"),
];
const REPLICA_SET: &[Column] = &[
    number("desired", "DESIRED"),
    number("current", "CURRENT"),
    number("ready", "READY"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
    wide("reason", "REASON"),
];
const JOB: &[Column] = &[
    text("status", "STATUS"),
    number("completions", "COMPLETIONS"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
    wide("reason", "REASON"),
];
const CRON_JOB: &[Column] = &[
    text("schedule", "SCHEDULE"),
    text("suspend", "SUSPEND"),
    number("active", "ACTIVE"),
    number("last-schedule", "LAST SCHEDULE"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
];
const POD: &[Column] = &[
    number("ready", "READY"),
    text("status", "STATUS"),
    number("restarts", "RESTARTS"),
    text("node", "NODE"),
    text("ip", "IP"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
    wide("owner", "OWNER"),
    wide("cpu", "CPU REQUEST"),
    wide("memory", "MEMORY REQUEST"),
];
const CONFIG_MAP: &[Column] = &[number("data", "DATA"), wide("size", "SIZE"), wide("immutable", "IMMUTABLE")];
const SECRET: &[Column] =
    &[text("type", "TYPE"), number("data", "DATA"), wide("size", "SIZE"), wide("immutable", "IMMUTABLE")];
const SERVICE: &[Column] = &[
    text("type", "TYPE"),
    text("cluster-ip", "CLUSTER-IP"),
    text("external-ip", "EXTERNAL-IP"),
    text("ports", "PORT(S)"),
    wide("selector", "SELECTOR"),
];
const ENDPOINT_SLICE: &[Column] = &[text("service", "SERVICE"), number("ready", "READY")];
const HPA: &[Column] = &[
    text("reference", "REFERENCE"),
    number("minpods", "MINPODS"),
    number("maxpods", "MAXPODS"),
    number("replicas", "REPLICAS"),
    number("desired", "DESIRED"),
    wide("reason", "REASON"),
];
const PDB: &[Column] = &[
    number("min-available", "MIN AVAILABLE"),
    number("max-unavailable", "MAX UNAVAILABLE"),
    number("allowed-disruptions", "ALLOWED DISRUPTIONS"),
    number("healthy", "HEALTHY"),
    wide("selector", "SELECTOR"),
];
const CSI_DRIVER: &[Column] = &[text("attachrequired", "ATTACHREQUIRED"), text("storagecapacity", "STORAGECAPACITY")];
const CSI_NODE: &[Column] = &[number("drivers", "DRIVERS"), wide("names", "NAMES")];
const EVENT: &[Column] = &[
    number("last-seen", "LAST SEEN"),
    text("reason", "REASON"),
    text("object", "OBJECT"),
    number("count", "COUNT"),
    text("message", "MESSAGE"),
    wide("source", "SOURCE"),
];
const ROLLOUT: &[Column] = &[
    number("desired", "DESIRED"),
    number("current", "CURRENT"),
    number("up-to-date", "UP-TO-DATE"),
    number("available", "AVAILABLE"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
    wide("reason", "REASON"),
];
const CLONE_SET: &[Column] = &[
    number("desired", "DESIRED"),
    number("updated", "UPDATED"),
    number("ready", "READY"),
    number("total", "TOTAL"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
    wide("reason", "REASON"),
];
const ADVANCED_STATEFUL_SET: &[Column] = &[
    number("desired", "DESIRED"),
    number("current", "CURRENT"),
    number("updated", "UPDATED"),
    number("ready", "READY"),
    wide("containers", "CONTAINERS"),
    wide("images", "IMAGES"),
    wide("reason", "REASON"),
];
const OTHER: &[Column] = &[text("status", "STATUS")];

/// Columns of a kind, without CLUSTER, NAMESPACE, NAME and AGE, which every kind has.
pub fn columns(kind: KindId) -> &'static [Column] {
    match kind.builtin() {
        Some(Builtin::Namespace) => NAMESPACE,
        Some(Builtin::Node) => NODE,
        Some(Builtin::Deployment) => DEPLOYMENT,
        Some(Builtin::StatefulSet) => STATEFUL_SET,
        Some(Builtin::DaemonSet | Builtin::AdvancedDaemonSet) => DAEMON_SET,
        Some(Builtin::ReplicaSet) => REPLICA_SET,
        Some(Builtin::Job) => JOB,
        Some(Builtin::CronJob) => CRON_JOB,
        Some(Builtin::Pod) => POD,
        Some(Builtin::ConfigMap) => CONFIG_MAP,
        Some(Builtin::Secret) => SECRET,
        Some(Builtin::Service) => SERVICE,
        Some(Builtin::EndpointSlice) => ENDPOINT_SLICE,
        Some(Builtin::Hpa) => HPA,
        Some(Builtin::Pdb) => PDB,
        Some(Builtin::CsiDriver) => CSI_DRIVER,
        Some(Builtin::CsiNode) => CSI_NODE,
        Some(Builtin::Event) => EVENT,
        Some(Builtin::ArgoRollout) => ROLLOUT,
        Some(Builtin::CloneSet) => CLONE_SET,
        Some(Builtin::AdvancedStatefulSet) => ADVANCED_STATEFUL_SET,
        None => OTHER,
    }
}

/// Text of one column of one row; empty when the row has none. Knows `cluster`, `namespace`, `name`, `age`, `health`,
/// `reason` and the record's fields (`environment`, `region`, `team`, `tier`, `provider`) for every kind. Foreign text:
/// clean it before it is shown.
pub fn cell_text(store: &Store, at: RowRef, key: &str) -> String {
    store.row(at).map_or_else(String::new, |row| field(store, at, row, key).unwrap_or_default())
}

/// The same for a row at hand; `None` when the kind has no such column. `key` may be written in any case, with or without
/// `-` and `_`.
pub(super) fn field(store: &Store, at: RowRef, row: &Row, key: &str) -> Option<String> {
    let wanted = plain(key);
    match wanted.as_str() {
        "cluster" => store.shard(at.cluster).map(|s| s.record.name.to_string()),
        "namespace" | "ns" => Some(row.ns().to_owned()),
        "name" => Some(row.name.to_string()),
        "age" => Some(ago(store.now(), row.created)),
        "health" => Some(row.health.word().to_owned()),
        "reason" if !matches!(row.detail, Detail::Event(_)) => Some(reason(row).unwrap_or("").to_owned()),
        "env" | "environment" | "region" | "team" | "tier" | "provider" => {
            let record = &store.shard(at.cluster)?.record;
            Some(match wanted.as_str() {
                "env" | "environment" => record.environment.clone(),
                "region" => record.region.clone(),
                "team" => record.team.clone(),
                "tier" => record.tier.clone(),
                _ => record.provider.clone(),
            })
        }
        _ => detail_text(store.now(), at.kind, row, &wanted),
    }
}

/// A column's name as it is compared: lower case, without `-`, `_` and blanks.
pub(super) fn plain(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '-' | '_' | ' ' | '(' | ')')).flat_map(char::to_lowercase).collect()
}

/// Kubernetes' word for what is wrong with the row, if anything is.
pub fn reason(row: &Row) -> Option<&str> {
    match &row.detail {
        Detail::Pod(p) => p.reason.as_deref(),
        Detail::Workload(w) => w.reason.as_deref(),
        Detail::Node(n) => n.pressures.first().map(|p| &**p),
        Detail::Hpa(h) => h.reason.as_deref(),
        Detail::Event(e) => Some(&e.reason),
        Detail::Other(status) => status.as_deref(),
        _ => None,
    }
}

/// The cause in the cluster's own words, empty when there is none; foreign text.
pub fn note(row: &Row) -> &str {
    match &row.detail {
        Detail::Pod(p) => p.note.as_deref().unwrap_or(""),
        Detail::Workload(w) => w.note.as_deref().unwrap_or(""),
        Detail::Node(n) => n.note.as_deref().unwrap_or(""),
        Detail::Event(e) => &e.message,
        _ => "",
    }
}

fn detail_text(now: Millis, kind: KindId, row: &Row, key: &str) -> Option<String> {
    match &row.detail {
        Detail::Pod(p) => pod_text(now, row, p, key),
        Detail::Workload(w) => workload_text(now, kind, row, w, key),
        Detail::Node(n) => node_text(n, key),
        Detail::Event(e) => event_text(now, e, key),
        _ => small_text(row, key),
    }
}

fn pod_text(now: Millis, row: &Row, p: &PodRow, key: &str) -> Option<String> {
    Some(match key {
        "ready" => format!("{}/{}", p.ready.0, p.ready.1),
        "status" => pod_status(row, p).to_owned(),
        "restarts" if p.restarted.0 > 0 => format!("{} ({} ago)", p.restarts, ago(now, p.restarted)),
        "restarts" => p.restarts.to_string(),
        "node" => p.node.to_string(),
        "ip" => p.ip.as_deref().unwrap_or("").to_owned(),
        "containers" => names(&p.containers),
        "images" | "image" => images(&p.containers),
        "owner" => row.owner.as_ref().map_or_else(String::new, |o| format!("{}/{}", o.kind, o.name)),
        "cpu" | "cpurequest" => format!("{}m", p.cpu_m),
        "memory" | "memoryrequest" => bytes_text(p.mem),
        "phase" => phase(p.phase).to_owned(),
        _ => return None,
    })
}

/// STATUS as kubectl words it.
fn pod_status<'a>(row: &Row, p: &'a PodRow) -> &'a str {
    match p.reason.as_deref() {
        Some(reason) => reason,
        None if row.deleting.0 > 0 => "Terminating",
        None if p.phase == Phase::Succeeded => "Completed",
        None => phase(p.phase),
    }
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Pending => "Pending",
        Phase::Running => "Running",
        Phase::Succeeded => "Succeeded",
        Phase::Failed => "Failed",
        Phase::Unknown => "Unknown",
    }
}

fn workload_text(now: Millis, kind: KindId, row: &Row, w: &WorkloadRow, key: &str) -> Option<String> {
    let pair = |wanted: u32| format!("{}/{wanted}", w.ready);
    Some(match key {
        "ready" => match kind.builtin() {
            Some(Builtin::Deployment | Builtin::StatefulSet) => pair(w.wanted.unwrap_or(0)),
            _ => w.ready.to_string(),
        },
        "completions" => pair(w.wanted.unwrap_or(1)),
        "desired" => w.wanted.unwrap_or(0).to_string(),
        "current" | "total" | "active" => w.current.to_string(),
        "uptodate" | "updated" => w.updated.to_string(),
        "available" => w.available.to_string(),
        "status" => job_status(row, w).to_owned(),
        "schedule" => w.schedule.as_deref().unwrap_or("").to_owned(),
        "suspend" => if w.suspended { "True" } else { "False" }.to_owned(),
        "lastschedule" if w.last_run.0 == 0 => "<none>".to_owned(),
        "lastschedule" => ago(now, w.last_run),
        "containers" => names(&w.containers),
        "images" | "image" => images(&w.containers),
        "manager" => w.changed.as_ref().map_or_else(String::new, |c| c.manager.to_string()),
        _ => return None,
    })
}

fn job_status<'a>(row: &Row, w: &'a WorkloadRow) -> &'a str {
    use crate::model::Health;
    match row.health {
        _ if w.suspended => "Suspended",
        Health::Bad => w.reason.as_deref().unwrap_or("Failed"),
        Health::Idle | Health::Ok if w.ready >= w.wanted.unwrap_or(1) => "Complete",
        _ => "Running",
    }
}

fn node_text(n: &NodeRow, key: &str) -> Option<String> {
    Some(match key {
        "status" => {
            let ready = match n.ready {
                NodeReady::Yes => "Ready",
                NodeReady::No => "NotReady",
                NodeReady::Unknown => "Unknown",
            };
            if n.unschedulable { format!("{ready},SchedulingDisabled") } else { ready.to_owned() }
        }
        "roles" if n.roles.is_empty() => "<none>".to_owned(),
        "roles" => n.roles.to_string(),
        "version" | "kubelet" => n.kubelet.to_string(),
        "internalip" => n.address.as_deref().unwrap_or("").to_owned(),
        "osimage" => n.os_image.to_string(),
        "containerruntime" => n.runtime.to_string(),
        "arch" => n.arch.to_string(),
        "zone" => n.zone.to_string(),
        "instance" => n.instance.to_string(),
        "taints" => n.taints.to_string(),
        _ => return None,
    })
}

fn event_text(now: Millis, e: &EventRow, key: &str) -> Option<String> {
    Some(match key {
        "lastseen" => ago(now, e.last),
        "reason" => e.reason.to_string(),
        "object" => format!("{}/{}", e.kind.to_lowercase(), e.object),
        "count" => e.count.to_string(),
        "message" => e.message.to_string(),
        "source" => e.source.to_string(),
        _ => return None,
    })
}

fn small_text(row: &Row, key: &str) -> Option<String> {
    let word = |b: bool| if b { "true" } else { "false" }.to_owned();
    Some(match (&row.detail, key) {
        (Detail::Namespace(n), "status") => if n.terminating { "Terminating" } else { "Active" }.to_owned(),
        (Detail::Config(c), "data") => c.keys.to_string(),
        (Detail::Config(c), "size") => bytes_text(u64::from(c.bytes)),
        (Detail::Config(c), "type") => c.kind.to_string(),
        (Detail::Config(c), "immutable") => word(c.immutable),
        (Detail::Service(s), "type") => s.kind.to_string(),
        (Detail::Service(s), "clusterip") => s.cluster_ip.to_string(),
        (Detail::Service(s), "externalip") if s.external.is_empty() => {
            if &*s.kind == "LoadBalancer" { "<pending>" } else { "<none>" }.to_owned()
        }
        (Detail::Service(s), "externalip") => s.external.to_string(),
        (Detail::Service(s), "ports") => s.ports.to_string(),
        (Detail::Service(s), "selector") => selector(&s.selector),
        (Detail::Endpoints(e), "service") => e.service.to_string(),
        (Detail::Endpoints(e), "ready") => format!("{}/{}", e.ready, e.ready + e.not_ready),
        (Detail::Hpa(h), "reference") => format!("{}/{}", h.target_kind, h.target),
        (Detail::Hpa(h), "minpods") => h.min.to_string(),
        (Detail::Hpa(h), "maxpods") => h.max.to_string(),
        (Detail::Hpa(h), "replicas") => h.current.to_string(),
        (Detail::Hpa(h), "desired") => h.desired.to_string(),
        (Detail::Pdb(p), "minavailable") => or_na(&p.min_available),
        (Detail::Pdb(p), "maxunavailable") => or_na(&p.max_unavailable),
        (Detail::Pdb(p), "alloweddisruptions") => p.allowed.to_string(),
        (Detail::Pdb(p), "healthy") => format!("{}/{}", p.healthy, p.desired),
        (Detail::Pdb(p), "selector") => selector(&p.selector),
        (Detail::CsiDriver(d), "attachrequired") => word(d.attach_required),
        (Detail::CsiDriver(d), "storagecapacity") => word(d.storage_capacity),
        (Detail::CsiNode(n), "drivers") => n.drivers.len().to_string(),
        (Detail::CsiNode(n), "names") => n.drivers.join(","),
        (Detail::Other(status), "status") => status.as_deref().unwrap_or("").to_owned(),
        _ => return None,
    })
}

fn or_na(text: &str) -> String {
    if text.is_empty() { "N/A" } else { text }.to_owned()
}

/// Age of a moment, `<unknown>` when it is none (kubectl's word).
fn ago(now: Millis, then: Secs) -> String {
    if then.0 == 0 { "<unknown>".to_owned() } else { age_text(now.since(Millis::from(then))) }
}

/// Containers that stay, without the init ones, as kubectl lists them.
fn lasting(containers: &[ContainerSpec]) -> impl Iterator<Item = &ContainerSpec> {
    containers.iter().filter(|c| !c.init)
}

fn names(containers: &[ContainerSpec]) -> String {
    join(lasting(containers).map(|c| &*c.name))
}

fn images(containers: &[ContainerSpec]) -> String {
    join(lasting(containers).map(|c| &*c.image))
}

fn join<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for part in parts {
        if !out.is_empty() {
            out.push(',');
        }
        out.push_str(part);
    }
    out
}

fn selector(labels: &Labels) -> String {
    let mut out = String::new();
    for (k, v) in labels {
        // Writing to a String cannot fail.
        let _ = write!(out, "{}{k}={v}", if out.is_empty() { "" } else { "," });
    }
    if out.is_empty() { "<none>".to_owned() } else { out }
}

/// `512Mi`, `2Gi`: whole binary units, rounded down.
pub fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
    let (mut value, mut unit) = (bytes, 0);
    while value >= 10 * 1024 && unit + 1 < UNITS.len() {
        value /= 1024;
        unit += 1;
    }
    while value >= 1024 && value.is_multiple_of(1024) && unit + 1 < UNITS.len() {
        value /= 1024;
        unit += 1;
    }
    format!("{value}{}", UNITS[unit])
}

/// How a column sorts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortKey {
    /// By number; ages sort youngest first.
    Number(u64),
    /// By text.
    Text(String),
    /// The row has no such value: last.
    Missing,
}

/// Key by which a column sorts: numbers as numbers, ages by time, versions by their parts, the rest as text.
pub fn column_sort_key(store: &Store, at: RowRef, key: &str) -> SortKey {
    store.row(at).map_or(SortKey::Missing, |row| sort_key(store, at, row, key))
}

pub(super) fn sort_key(store: &Store, at: RowRef, row: &Row, key: &str) -> SortKey {
    let wanted = plain(key);
    let number = match (&row.detail, wanted.as_str()) {
        (_, "age") => Some(newest_first(row.created)),
        (_, "health") => Some(u64::from(u8::MAX - row.health as u8)),
        (Detail::Pod(p), "ready") => Some(ratio(u32::from(p.ready.0), u32::from(p.ready.1))),
        (Detail::Pod(p), "restarts") => Some(u64::from(p.restarts)),
        (Detail::Pod(p), "cpu" | "cpurequest") => Some(u64::from(p.cpu_m)),
        (Detail::Pod(p), "memory" | "memoryrequest") => Some(p.mem),
        (Detail::Workload(w), "ready" | "completions") => Some(ratio(w.ready, w.wanted.unwrap_or(0))),
        (Detail::Workload(w), "lastschedule") => Some(newest_first(w.last_run)),
        (Detail::Node(n), "version" | "kubelet") => version_key(&n.kubelet),
        (Detail::Config(c), "size") => Some(u64::from(c.bytes)),
        (Detail::Event(e), "lastseen") => Some(newest_first(e.last)),
        (Detail::Endpoints(e), "ready") => Some(ratio(e.ready, e.ready + e.not_ready)),
        (Detail::Pdb(p), "healthy") => Some(ratio(p.healthy, p.desired)),
        _ => None,
    };
    if let Some(number) = number {
        return SortKey::Number(number);
    }
    match field(store, at, row, key) {
        None => SortKey::Missing,
        Some(text) => text.parse().map_or(SortKey::Text(text), SortKey::Number),
    }
}

fn newest_first(at: Secs) -> u64 {
    u64::from(u32::MAX - at.0)
}

/// Least ready first: the share in parts of a million, then the number of missing ones, most first.
fn ratio(have: u32, want: u32) -> u64 {
    let share = if want == 0 { 1_000_000 } else { u64::from(have) * 1_000_000 / u64::from(want) };
    (share << 32) | u64::from(u32::MAX - want.saturating_sub(have))
}

/// `v1.33.4-eks-1` as a number that sorts by its parts.
fn version_key(text: &str) -> Option<u64> {
    let mut parts = text.trim_start_matches('v').split(|c: char| !c.is_ascii_digit());
    let mut next = || parts.next().and_then(|p| p.parse::<u64>().ok());
    let (major, minor) = (next()?, next()?);
    Some((major << 40) | ((minor & 0xf_ffff) << 20) | (next().unwrap_or(0) & 0xf_ffff))
}

/// Age of a row at the store's time.
pub fn age_of(store: &Store, row: &Row) -> Age {
    store.now().since(Millis::from(row.created))
}
