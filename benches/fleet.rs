//! The whole console against a simulated fleet: start, memory, latency, idling, relist. Prints a table, and JSON with `--json`.
//!
//! `cargo bench --bench fleet` runs 200 clusters, 100,000 pods of about 10 KB, 20,000 workloads at 50 to 300 ms round trip.
//! `-- --smoke` runs 20 clusters; `-- --sweep` 20, 60 and 200; `-- --clusters N --pods P --workloads W` anything. The binary is
//! the real one in a pseudo-terminal; the fleet is served by this process. Nothing here fails on a figure.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people at their desk"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use quarterdeck::sim::{self, Faults, kinds};
use serde_json::{Value, json};
use support::pty::Console;

/// What to run.
#[derive(Clone, Copy)]
struct Load {
    clusters: usize,
    pods: usize,
    workloads: usize,
    rtt_ms: (u64, u64),
    churn: u32,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|a| a == name);
    let number = |name: &str, usual: usize| {
        arguments
            .iter()
            .position(|a| a == name)
            .and_then(|i| arguments.get(i + 1))
            .and_then(|v| v.parse().ok())
            .unwrap_or(usual)
    };
    if has("--help") {
        println!("options: --smoke | --sweep | --clusters N --pods P --workloads W --churn EVENTS_PER_SECOND; --json");
        return;
    }
    let of = |clusters: usize| Load {
        clusters,
        pods: number("--pods", clusters * 500),
        workloads: number("--workloads", clusters * 100),
        rtt_ms: (50, 300),
        churn: u32::try_from(number("--churn", 2000)).unwrap_or(2000),
    };
    let loads = if has("--smoke") {
        vec![of(20)]
    } else if has("--sweep") {
        vec![of(20), of(60), of(200)]
    } else {
        vec![of(number("--clusters", 200))]
    };
    let openapi = bytes_per_openapi_pod();
    let figures: Vec<Value> = loads.into_iter().map(|load| run(load, openapi)).collect();
    if has("--json") {
        println!("{}", serde_json::to_string_pretty(&figures).expect("JSON"));
    }
}

/// Memory of this process or another, KiB: resident now, and its peak.
fn memory(pid: u32) -> (u64, u64) {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let of = |name: &str| {
        text.lines()
            .find_map(|l| l.strip_prefix(name))
            .and_then(|v| v.split_whitespace().next())
            .and_then(|v| v.parse().ok())
            .unwrap_or(0)
    };
    (of("VmRSS:"), of("VmHWM:"))
}

/// CPU seconds used by a process.
fn cpu(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn sockets(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd"))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|f| std::fs::read_link(f.path()).is_ok_and(|l| l.to_string_lossy().starts_with("socket:")))
        .count()
}

/// What a pod of the same fleet costs as a k8s-openapi object, managedFields and all.
fn bytes_per_openapi_pod() -> u64 {
    const COUNT: usize = 3000;
    let dir = tempfile::tempdir().expect("folder");
    let running = serve(&Load { clusters: 1, pods: 10, workloads: 2, rtt_ms: (0, 0), churn: 0 }, dir.path());
    let store = running.cluster(&running.clusters[0]).expect("cluster").store;
    let listing = store.list(kinds::PODS, None);
    let text = listing.items.first().map(|o| o.text(&sim::object::head("v1", "Pod"))).expect("a pod");
    let own = std::process::id();
    let before = memory(own).0;
    let held: Vec<k8s_openapi::api::core::v1::Pod> =
        (0..COUNT).map(|_| serde_json::from_slice(&text).expect("a pod")).collect();
    let grown = memory(own).0.saturating_sub(before);
    assert_eq!(held.len(), COUNT);
    grown * 1024 / COUNT as u64
}

fn serve(load: &Load, dir: &Path) -> sim::Running {
    sim::serve(&sim::Spec {
        fleet: sim::Fleet::Scale {
            clusters: load.clusters,
            pods: load.pods,
            workloads: load.workloads,
            rtt_ms: load.rtt_ms,
            churn: 0,
        },
        seed: 11,
        speed: 1.0,
        dir: dir.to_owned(),
    })
    .expect("a simulated fleet")
}

/// One load from start to end.
fn run(load: Load, openapi: u64) -> Value {
    eprintln!("serving {} clusters, {} pods, {} workloads ...", load.clusters, load.pods, load.workloads);
    let dir = tempfile::tempdir().expect("folder");
    let served = dir.path().join("served");
    std::fs::create_dir_all(&served).expect("folder");
    let running = serve(&load, &served);
    let mut table: Vec<(&str, Value)> =
        vec![("clusters", json!(load.clusters)), ("pods", json!(load.pods)), ("workloads", json!(load.workloads))];

    let (mut console, trace) = start(dir.path(), &running, "cold");
    let begun = Instant::now();
    wait_text(&console, &running.clusters[0][..3.min(running.clusters[0].len())], 60);
    table.push(("cold: every cluster on the screen, s", seconds(begun)));
    wait_live(&console, 1);
    table.push(("cold: first useful frame (a cluster's live numbers), s", seconds(begun)));
    wait_live(&console, load.clusters * 95 / 100);
    table.push(("cold: 95 % of clusters live, s", seconds(begun)));
    wait_live(&console, load.clusters);
    table.push(("cold: all clusters live, s", seconds(begun)));
    let pid = console.pid();
    table.push(("CPU until all are live, s", json!(round(cpu(pid)))));
    std::thread::sleep(Duration::from_secs(5));
    let (rest, peak) = memory(pid);
    table.push(("resident at rest, MiB", json!(rest / 1024)));
    table.push(("resident peak of the start, MiB", json!(peak / 1024)));
    table.push(("sockets", json!(sockets(pid))));
    let before = cpu(pid);
    std::thread::sleep(Duration::from_secs(20));
    table.push(("idle: % of a core", json!(round((cpu(pid) - before) / 20.0 * 100.0))));

    console.send(":pods\r");
    std::thread::sleep(Duration::from_secs(2));
    running.set_churn(load.churn);
    std::thread::sleep(Duration::from_secs(1));
    let busy_from = trace_len(&trace);
    let busy_cpu = cpu(pid);
    for i in 0..200 {
        console.send(if i % 20 == 19 {
            "G"
        } else if i % 20 == 10 {
            "g"
        } else {
            "j"
        });
        std::thread::sleep(Duration::from_millis(50));
    }
    let busy = (cpu(pid) - busy_cpu) / 10.0 * 100.0;
    std::thread::sleep(Duration::from_secs(2));
    running.set_churn(0);
    std::thread::sleep(Duration::from_secs(2));
    let (keys, changes) = waits(&trace, busy_from);
    table.push(("events/s while keys are pressed", json!(load.churn)));
    table.push(("key to frame p50 / p99 / max, ms", spread(&keys)));
    table.push(("change to frame p50 / p99 / max, ms", spread(&changes)));
    table.push(("CPU under events, % of a core", json!(round(busy))));

    let before = memory(pid).0;
    for name in &running.clusters {
        let cluster = running.cluster(name).expect("cluster");
        cluster.compact();
        running.set_faults(name, Faults { reset: true, ..Faults::default() });
    }
    std::thread::sleep(Duration::from_secs(3));
    for (i, name) in running.clusters.iter().enumerate() {
        running.set_faults(name, Faults { latency_ms: 50 + (i as u64 * 37) % 250, ..Faults::default() });
    }
    console.send(":fleet\r");
    std::thread::sleep(Duration::from_secs(2));
    wait_live(&console, load.clusters);
    std::thread::sleep(Duration::from_secs(5));
    let (after, relist_peak) = memory(pid);
    table.push(("resident after all relisted, MiB", json!(after / 1024)));
    table.push((
        "peak of the relist over rest, %",
        json!(round((relist_peak.max(peak) as f64 / before as f64 - 1.0) * 100.0)),
    ));

    console.send("q");
    console.wait_end(120);
    let (console, _) = start(dir.path(), &running, "warm");
    let begun = Instant::now();
    wait_text(&console, &running.clusters[0][..3.min(running.clusters[0].len())], 60);
    table.push(("from the snapshot: first useful frame, s", seconds(begun)));
    drop(console);

    let bare = bare_memory(dir.path(), &load);
    let per_pod = (rest.saturating_sub(bare)) * 1024 / load.pods.max(1) as u64;
    table.push(("bytes per cached pod (resident, less the same fleet without pods)", json!(per_pod)));
    table.push(("the same pod as a k8s-openapi object, bytes", json!(openapi)));
    table.push(("ratio", json!(round(openapi as f64 / per_pod.max(1) as f64))));
    let width = table.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    println!();
    for (name, value) in &table {
        println!("{name:width$}  {value}");
    }
    table.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<serde_json::Map<_, _>>().into()
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn seconds(since: Instant) -> Value {
    json!(round(since.elapsed().as_secs_f64()))
}

fn start(home: &Path, running: &sim::Running, name: &str) -> (Console, std::path::PathBuf) {
    let trace = home.join(format!("{name}.trace"));
    let kubeconfig = running.kubeconfig.display().to_string();
    let console = Console::start(
        home,
        140,
        40,
        &["--kubeconfig", &kubeconfig],
        &[("QUARTERDECK_TRACE", &trace.display().to_string())],
    );
    (console, trace)
}

fn wait_text(console: &Console, text: &str, limit: u64) {
    console.wait(text, limit, |s| s.lines().skip(2).any(|l| l.contains(text)));
}

/// Clusters that the header counts as live: well, with warnings, or with failures in them.
fn live(screen: &str) -> usize {
    let header = screen.lines().next().unwrap_or("");
    header
        .split_whitespace()
        .filter_map(|word| word.strip_prefix(['✓', '!', '✗']))
        .filter_map(|n| n.parse::<usize>().ok())
        .sum()
}

fn wait_live(console: &Console, count: usize) {
    console.wait(&format!("{count} live clusters"), 600, |s| live(s) >= count);
}

/// Memory of a console on the same fleet without pods, KiB.
fn bare_memory(home: &Path, load: &Load) -> u64 {
    let own = home.join("bare");
    std::fs::create_dir_all(&own).expect("folder");
    let running = serve(&Load { pods: 0, ..*load }, &own);
    let (console, _) = start(&own, &running, "bare");
    wait_live(&console, load.clusters);
    std::thread::sleep(Duration::from_secs(5));
    memory(console.pid()).0
}

fn trace_len(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

/// Waits in milliseconds from the trace, after a line: for keys, and for changes.
fn waits(path: &Path, from: usize) -> (Vec<f64>, Vec<f64>) {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut keys = Vec::new();
    let mut changes = Vec::new();
    for line in text.lines().skip(from) {
        let Ok(frame) = serde_json::from_str::<Value>(line) else { continue };
        let wait = frame["wait_us"].as_f64().unwrap_or(0.0) / 1000.0;
        match frame["cause"].as_str() {
            Some("key") => keys.push(wait),
            Some("data") => changes.push(wait),
            _ => {}
        }
    }
    (keys, changes)
}

fn spread(values: &[f64]) -> Value {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| {
        sorted
            .get(((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1)))
            .map_or(0.0, |v| round(*v))
    };
    json!({"n": sorted.len(), "p50": at(0.5), "p99": at(0.99), "max": at(1.0)})
}
