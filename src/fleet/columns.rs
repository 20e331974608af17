//! Columns of each kind's table, their texts and their order: as kubectl shows them, with the same words.

use std::{borrow::Cow, fmt::Write as _};

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
    let Some(row) = store.row(at) else { return String::new() };
    field(store, at, row, &plain(key)).unwrap_or_default().into_owned()
}

/// The same for a row at hand; `None` when the kind has no such column. `key` is a [`plain`] name.
pub(super) fn field<'a>(store: &'a Store, at: RowRef, row: &'a Row, key: &str) -> Option<Cow<'a, str>> {
    match key {
        "cluster" => store.shard(at.cluster).map(|s| Cow::from(&*s.record.name)),
        "namespace" | "ns" => Some(row.ns().into()),
        "name" => Some(row.name.as_str().into()),
        "age" => Some(ago(store.now(), row.created).into()),
        "health" => Some(row.health.word().into()),
        "reason" if !matches!(row.detail, Detail::Event(_)) => Some(reason(row).unwrap_or("").into()),
        "env" | "environment" | "region" | "team" | "tier" | "provider" => {
            let record = &store.shard(at.cluster)?.record;
            let text = match key {
                "env" | "environment" => &record.environment,
                "region" => &record.region,
                "team" => &record.team,
                "tier" => &record.tier,
                _ => &record.provider,
            };
            Some(text.as_str().into())
        }
        _ => detail_text(store.now(), at.kind, row, key),
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

fn detail_text<'a>(now: Millis, kind: KindId, row: &'a Row, key: &str) -> Option<Cow<'a, str>> {
    match &row.detail {
        Detail::Pod(p) => pod_text(now, row, p, key),
        Detail::Workload(w) => workload_text(now, kind, row, w, key),
        Detail::Node(n) => node_text(n, key),
        Detail::Event(e) => event_text(now, e, key),
        _ => small_text(row, key),
    }
}

fn pod_text<'a>(now: Millis, row: &Row, p: &'a PodRow, key: &str) -> Option<Cow<'a, str>> {
    Some(match key {
        "ready" => format!("{}/{}", p.ready.0, p.ready.1).into(),
        "status" => pod_status(row, p).into(),
        "restarts" if p.restarted.0 > 0 => format!("{} ({} ago)", p.restarts, ago(now, p.restarted)).into(),
        "restarts" => p.restarts.to_string().into(),
        "node" => (*p.node).into(),
        "ip" => p.ip.as_deref().unwrap_or("").into(),
        "containers" => names(&p.containers).into(),
        "images" | "image" => images(&p.containers).into(),
        "owner" => row.owner.as_ref().map_or_else(String::new, |o| format!("{}/{}", o.kind, o.name)).into(),
        "cpu" | "cpurequest" => format!("{}m", p.cpu_m).into(),
        "memory" | "memoryrequest" => bytes_text(p.mem).into(),
        "phase" => phase(p.phase).into(),
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

fn workload_text<'a>(now: Millis, kind: KindId, row: &Row, w: &'a WorkloadRow, key: &str) -> Option<Cow<'a, str>> {
    let pair = |wanted: u32| format!("{}/{wanted}", w.ready);
    Some(match key {
        "ready" => match kind.builtin() {
            Some(Builtin::Deployment | Builtin::StatefulSet) => pair(w.wanted.unwrap_or(0)),
            _ => w.ready.to_string(),
        }
        .into(),
        "completions" => pair(w.wanted.unwrap_or(1)).into(),
        "desired" => w.wanted.unwrap_or(0).to_string().into(),
        "current" | "total" | "active" => w.current.to_string().into(),
        "uptodate" | "updated" => w.updated.to_string().into(),
        "available" => w.available.to_string().into(),
        "status" => job_status(row, w).into(),
        "schedule" => w.schedule.as_deref().unwrap_or("").into(),
        "suspend" => if w.suspended { "True" } else { "False" }.into(),
        "lastschedule" if w.last_run.0 == 0 => "<none>".into(),
        "lastschedule" => ago(now, w.last_run).into(),
        "containers" => names(&w.containers).into(),
        "images" | "image" => images(&w.containers).into(),
        "manager" => w.changed.as_ref().map_or("", |c| &c.manager).into(),
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

fn node_text<'a>(n: &'a NodeRow, key: &str) -> Option<Cow<'a, str>> {
    Some(match key {
        "status" => {
            let ready = match n.ready {
                NodeReady::Yes => "Ready",
                NodeReady::No => "NotReady",
                NodeReady::Unknown => "Unknown",
            };
            if n.unschedulable { format!("{ready},SchedulingDisabled").into() } else { ready.into() }
        }
        "roles" if n.roles.is_empty() => "<none>".into(),
        "roles" => (*n.roles).into(),
        "version" | "kubelet" => (*n.kubelet).into(),
        "internalip" => n.address.as_deref().unwrap_or("").into(),
        "osimage" => (*n.os_image).into(),
        "containerruntime" => (*n.runtime).into(),
        "arch" => (*n.arch).into(),
        "zone" => (*n.zone).into(),
        "instance" | "instancetype" => (*n.instance).into(),
        "taints" => n.taints.to_string().into(),
        _ => return None,
    })
}

fn event_text<'a>(now: Millis, e: &'a EventRow, key: &str) -> Option<Cow<'a, str>> {
    Some(match key {
        "lastseen" => ago(now, e.last).into(),
        "reason" => (*e.reason).into(),
        "object" => format!("{}/{}", e.kind.to_lowercase(), e.object).into(),
        "count" => e.count.to_string().into(),
        "message" => (*e.message).into(),
        "source" => (*e.source).into(),
        _ => return None,
    })
}

fn small_text<'a>(row: &'a Row, key: &str) -> Option<Cow<'a, str>> {
    let word = |b: bool| Cow::from(if b { "true" } else { "false" });
    Some(match (&row.detail, key) {
        (Detail::Namespace(n), "status") => if n.terminating { "Terminating" } else { "Active" }.into(),
        (Detail::Config(c), "data") => c.keys.to_string().into(),
        (Detail::Config(c), "size") => bytes_text(u64::from(c.bytes)).into(),
        (Detail::Config(c), "type") => (*c.kind).into(),
        (Detail::Config(c), "immutable") => word(c.immutable),
        (Detail::Service(s), "type") => (*s.kind).into(),
        (Detail::Service(s), "clusterip") => s.cluster_ip.as_str().into(),
        (Detail::Service(s), "externalip") if s.external.is_empty() => {
            if &*s.kind == "LoadBalancer" { "<pending>" } else { "<none>" }.into()
        }
        (Detail::Service(s), "externalip") => s.external.as_str().into(),
        (Detail::Service(s), "ports") => (*s.ports).into(),
        (Detail::Service(s), "selector") => selector(&s.selector).into(),
        (Detail::Endpoints(e), "service") => (*e.service).into(),
        (Detail::Endpoints(e), "ready") => format!("{}/{}", e.ready, e.ready + e.not_ready).into(),
        (Detail::Hpa(h), "reference") => format!("{}/{}", h.target_kind, h.target).into(),
        (Detail::Hpa(h), "minpods") => h.min.to_string().into(),
        (Detail::Hpa(h), "maxpods") => h.max.to_string().into(),
        (Detail::Hpa(h), "replicas") => h.current.to_string().into(),
        (Detail::Hpa(h), "desired") => h.desired.to_string().into(),
        (Detail::Pdb(p), "minavailable") => or_na(&p.min_available).into(),
        (Detail::Pdb(p), "maxunavailable") => or_na(&p.max_unavailable).into(),
        (Detail::Pdb(p), "alloweddisruptions") => p.allowed.to_string().into(),
        (Detail::Pdb(p), "healthy") => format!("{}/{}", p.healthy, p.desired).into(),
        (Detail::Pdb(p), "selector") => selector(&p.selector).into(),
        (Detail::CsiDriver(d), "attachrequired") => word(d.attach_required),
        (Detail::CsiDriver(d), "storagecapacity") => word(d.storage_capacity),
        (Detail::CsiNode(n), "drivers") => n.drivers.len().to_string().into(),
        (Detail::CsiNode(n), "names") => n.drivers.join(",").into(),
        (Detail::Other(status), "status") => status.as_deref().unwrap_or("").into(),
        _ => return None,
    })
}

fn or_na(text: &str) -> &str {
    if text.is_empty() { "N/A" } else { text }
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
pub enum SortKey<'a> {
    /// By number; ages sort youngest first.
    Number(u64),
    /// By text.
    Text(Cow<'a, str>),
    /// The row has no such value: last.
    Missing,
}

/// Key by which a column sorts: numbers as numbers, ages by time, versions by their parts, the rest as text.
pub fn column_sort_key<'a>(store: &'a Store, at: RowRef, key: &str) -> SortKey<'a> {
    store.row(at).map_or(SortKey::Missing, |row| sort_key(store, at, row, &plain(key)))
}

/// The same for a row at hand and a [`plain`] name.
pub(super) fn sort_key<'a>(store: &'a Store, at: RowRef, row: &'a Row, key: &str) -> SortKey<'a> {
    let number = match (&row.detail, key) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fleet::{
            row::{HpaRow, ServiceRow},
            testing::{change_workload, pod, row, store, upserts, workload},
        },
        model::{ClusterId, Health},
    };

    const NOW: u32 = 1_800_000_000;

    fn texts(kind: Builtin, made: Row, keys: &[&str]) -> Vec<String> {
        let mut store = store(&["prod-eu"]);
        let (namespace, name) = (made.ns().to_owned(), made.name.clone());
        store.apply(upserts(0, kind, vec![made]));
        let at = store.find_by(ClusterId(0), kind.id(), &namespace, &name).unwrap();
        keys.iter().map(|key| cell_text(&store, at, key)).collect()
    }

    #[test]
    fn kubectls_words() {
        let mut crashing = pod("shop", "p", Health::Bad);
        crashing.created = Secs(NOW - 7200);
        if let Detail::Pod(p) = &mut crashing.detail {
            (p.ready, p.restarts, p.restarted) = ((1, 2), 3, Secs(NOW - 300));
            (p.reason, p.mem) = (Some("CrashLoopBackOff".into()), 512 << 20);
        }
        let keys = ["ready", "STATUS", "restarts", "age", "cluster", "memory", "none"];
        let seen = ["1/2", "CrashLoopBackOff", "3 (5m ago)", "2h", "prod-eu", "512Mi", ""];
        assert_eq!(texts(Builtin::Pod, crashing, &keys), seen);

        let deployment = change_workload(workload("shop", "api", "shop/api:1"), |w| w.ready = 1);
        let keys = ["ready", "up-to-date", "available", "images"];
        assert_eq!(texts(Builtin::Deployment, deployment.clone(), &keys), ["1/2", "2", "2", "shop/api:1"]);
        assert_eq!(texts(Builtin::DaemonSet, deployment, &["desired", "ready"]), ["2", "1"]);
        let cron = change_workload(workload("x", "c", "i"), |w| w.schedule = Some("*/5 * * * *".into()));
        let keys = ["schedule", "suspend", "last-schedule"];
        assert_eq!(texts(Builtin::CronJob, cron, &keys), ["*/5 * * * *", "False", "<none>"]);

        let node = NodeRow { ready: NodeReady::Yes, unschedulable: true, ..NodeRow::default() };
        let node = row("", "n", Detail::Node(Box::new(node)));
        assert_eq!(texts(Builtin::Node, node, &["status", "roles"]), ["Ready,SchedulingDisabled", "<none>"]);
        let service = ServiceRow { kind: "LoadBalancer".into(), ..ServiceRow::default() };
        let service = row("x", "s", Detail::Service(Box::new(service)));
        assert_eq!(texts(Builtin::Service, service, &["external-ip", "selector"]), ["<pending>", "<none>"]);
        let hpa = HpaRow { target_kind: "Deployment".into(), target: "api".into(), ..HpaRow::default() };
        assert_eq!(texts(Builtin::Hpa, row("x", "h", Detail::Hpa(Box::new(hpa))), &["reference"]), ["Deployment/api"]);
    }

    fn detail(kind: Builtin) -> Detail {
        match kind {
            Builtin::Pod => Detail::Pod(Box::default()),
            Builtin::Node => Detail::Node(Box::default()),
            Builtin::Namespace => Detail::Namespace(Box::default()),
            Builtin::ConfigMap | Builtin::Secret => Detail::Config(Box::default()),
            Builtin::Service => Detail::Service(Box::default()),
            Builtin::EndpointSlice => Detail::Endpoints(Box::default()),
            Builtin::Hpa => Detail::Hpa(Box::default()),
            Builtin::Pdb => Detail::Pdb(Box::default()),
            Builtin::CsiDriver => Detail::CsiDriver(Box::default()),
            Builtin::CsiNode => Detail::CsiNode(Box::default()),
            Builtin::Event => Detail::Event(Box::default()),
            _ => Detail::Workload(Box::default()),
        }
    }

    #[test]
    fn every_column_of_every_kind_has_a_text() {
        let mut store = store(&["a"]);
        for kind in Builtin::ALL {
            store.apply(upserts(0, *kind, vec![row("x", "o", detail(*kind))]));
            let at = store.find_by(ClusterId(0), kind.id(), "x", "o").unwrap();
            let row = store.row(at).unwrap();
            assert!(!columns(kind.id()).is_empty(), "{kind:?}");
            for column in columns(kind.id()) {
                assert!(field(&store, at, row, &plain(column.key)).is_some(), "{kind:?} {}", column.key);
                // The header is a name that people type, too.
                assert!(field(&store, at, row, &plain(column.header)).is_some(), "{kind:?} {}", column.header);
            }
        }
    }

    #[test]
    fn columns_sort_by_what_they_mean() {
        let node = |kubelet: &str| {
            let node = NodeRow { kubelet: kubelet.into(), ..NodeRow::default() };
            row("", kubelet, Detail::Node(Box::new(node)))
        };
        let mut store = store(&["a"]);
        store.apply(upserts(0, Builtin::Node, vec![node("v1.9.3"), node("v1.30.1-eks-1")]));
        let key = |name: &str| {
            let at = store.find_by(ClusterId(0), Builtin::Node.id(), "", name).unwrap();
            column_sort_key(&store, at, "version")
        };
        assert!(key("v1.9.3") < key("v1.30.1-eks-1"));
        assert!(SortKey::Number(7) < SortKey::Text("a".into()) && SortKey::Text("z".into()) < SortKey::Missing);
        assert!(ratio(0, 3) < ratio(1, 3) && ratio(1, 2) < ratio(2, 2) && ratio(0, 5) < ratio(0, 1));
        assert_eq!((bytes_text(0), bytes_text(2 << 30), bytes_text(1500)), ("0".into(), "2Gi".into(), "1500".into()));
    }
}
