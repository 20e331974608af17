//! Against real control planes: what the console shows is what kubectl says, cell by cell, and it follows changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{
    control_plane::{ControlPlanes, PlaneSpec},
    corpus, real_screen,
    support::{binary, patience, pty::Console, wait_for},
    with_control_planes,
};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![with_control_planes("real::three_clusters_agree_with_kubectl_and_follow_changes", three_clusters)]
}

const CLUSTERS: [&str; 3] = ["alpha", "beta", "gamma"];

/// One set of three clusters serves the whole scenario: starting them is what costs.
static PLANES: Mutex<Option<Arc<Mutex<ControlPlanes>>>> = Mutex::new(None);

/// Ends the clusters; called when the last test is over.
pub fn shut_down() {
    drop(PLANES.lock().unwrap_or_else(PoisonError::into_inner).take());
}

fn planes() -> Arc<Mutex<ControlPlanes>> {
    let mut planes = PLANES.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(planes.get_or_insert_with(|| {
        let specs: Vec<PlaneSpec> = CLUSTERS
            .iter()
            .enumerate()
            .map(|(i, name)| PlaneSpec {
                name: (*name).into(),
                nodes: i + 2,
                // One server behaves as an older one: no streaming lists there.
                emulated: (i == 2).then(|| "1.36".into()),
                flags: if i == 2 { vec!["--feature-gates=WatchList=false".into()] } else { Vec::new() },
            })
            .collect();
        Arc::new(Mutex::new(ControlPlanes::start(&specs, true).expect("three control planes")))
    }))
}

fn three_clusters() {
    let planes = planes();
    let mut planes = planes.lock().unwrap_or_else(PoisonError::into_inner);
    fill(&planes);
    settle(&planes);
    matrix_agrees(&planes);
    real_screen::matrix_agrees(&planes, &CLUSTERS);
    fleet_agrees(&planes);
    changes_show_within_a_second(&planes);
    a_killed_server_goes_stale_and_heals(&mut planes);
}

/// The corpus in every cluster, tags and replicas varied.
fn fill(planes: &ControlPlanes) {
    let (objects, entries) = corpus::objects(&planes.program("kubectl"));
    let workloads = objects.iter().filter(|o| corpus::WORKLOADS.contains(&o["kind"].as_str().unwrap_or(""))).count();
    println!(
        "real: {} objects, {workloads} workloads, {entries} entries of the corpus in {} clusters",
        objects.len(),
        CLUSTERS.len()
    );
    assert!(workloads > 0);
    std::thread::scope(|scope| {
        for (index, cluster) in CLUSTERS.iter().enumerate() {
            let objects = &objects;
            scope.spawn(move || fill_one(planes, cluster, index, objects));
        }
    });
}

fn fill_one(planes: &ControlPlanes, cluster: &str, index: usize, objects: &[Value]) {
    let mut namespaces: BTreeSet<&str> = objects.iter().filter_map(|o| o["metadata"]["namespace"].as_str()).collect();
    namespaces.extend(["kube-system", "default"]);
    let mut all: Vec<Value> =
        namespaces.iter().map(|n| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n}})).collect();
    all.extend(objects.iter().filter(|o| o["kind"] != "Namespace").map(|o| vary(o, index)));
    let text: String = all.iter().map(|o| format!("---\n{o}\n")).collect();
    let file = planes.dir().join(format!("corpus-{cluster}.yaml"));
    std::fs::write(&file, text).expect("written");
    // Some objects are refused by nature (invalid upstream): what is stored is what is compared.
    planes.kubectl_output(cluster, &["apply", "--server-side", "--force-conflicts", "-f", &file.display().to_string()]);
}

/// The object for the cluster with this number: some workloads on another tag, some on other replicas.
fn vary(object: &Value, index: usize) -> Value {
    let mut object = object.clone();
    let turn =
        object["metadata"]["name"].as_str().unwrap_or("").bytes().fold(0usize, |a, b| a + usize::from(b)) + index;
    if let Some(containers) = object.pointer_mut("/spec/template/spec/containers").and_then(Value::as_array_mut) {
        for container in containers {
            if let (2, Some(image)) = (turn % 3, container["image"].as_str()) {
                let name = image.split('@').next().unwrap_or(image);
                let cut = name.rfind('/').map_or(0, |i| i + 1);
                let base = name[cut..].find(':').map_or(name, |i| &name[..cut + i]);
                container["image"] = json!(format!("{base}:9.{index}.0"));
            }
        }
    }
    if matches!(object["kind"].as_str(), Some("Deployment" | "StatefulSet")) {
        object["spec"]["replicas"] = json!(1 + turn % 3);
    }
    object
}

/// Waits until the controllers have come to rest in every cluster.
fn settle(planes: &ControlPlanes) {
    for cluster in CLUSTERS {
        let mut last = String::new();
        let mut since = Instant::now();
        wait_for("the controllers come to rest", Duration::from_secs(240), || {
            let now = planes.kubectl(
                cluster,
                &[
                    "get",
                    "deploy,sts,ds,job,pods",
                    "-A",
                    "-o",
                    "jsonpath={range .items[*]}{.metadata.uid}{.metadata.resourceVersion} {end}",
                ],
            );
            if now != last {
                last = now;
                since = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(500));
            (since.elapsed() > Duration::from_secs(4)).then_some(())
        });
    }
}

/// Runs a command of the console on the three clusters and gives its JSON.
fn console_json(planes: &ControlPlanes, args: &[&str]) -> Value {
    let home = tempfile::tempdir().expect("folder");
    let output = Command::new(binary())
        .arg("--kubeconfig")
        .arg(planes.kubeconfig())
        .args(args)
        .args(["-o", "json"])
        .env_clear()
        .envs(Console::environment(home.path()))
        .output()
        .expect("runs");
    assert!(output.status.success(), "{args:?}: {:?}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

type Key = (String, String, String, String);

/// Every workload's images, ready and wanted replicas: the console's rows against kubectl's objects.
fn matrix_agrees(planes: &ControlPlanes) {
    let rows = console_json(planes, &["matrix"]);
    let text = |v: &Value| v.as_str().unwrap_or("").to_owned();
    let mut shown: BTreeMap<Key, Value> = BTreeMap::new();
    for row in rows.as_array().expect("rows") {
        let key = (text(&row["cluster"]), text(&row["kind"]), text(&row["namespace"]), text(&row["name"]));
        let images: Vec<&Value> =
            row["containers"].as_array().expect("containers").iter().map(|c| &c["image"]).collect();
        let value = json!({"images": images, "ready": row["ready"], "wanted": row["wanted"]});
        assert!(shown.insert(key.clone(), value).is_none(), "{key:?} stands twice");
    }
    let mut expected: BTreeMap<Key, Value> = BTreeMap::new();
    for cluster in CLUSTERS {
        let list = planes.kubectl_json(cluster, &["get", "deploy,sts,ds,cronjob,job", "-A"]);
        for object in list["items"].as_array().expect("items") {
            let owned = object["metadata"]["ownerReferences"]
                .as_array()
                .is_some_and(|o| o.iter().any(|r| r["controller"] == true));
            if !owned {
                let key = (
                    cluster.to_owned(),
                    text(&object["kind"]),
                    text(&object["metadata"]["namespace"]),
                    text(&object["metadata"]["name"]),
                );
                expected.insert(key, expected_row(object));
            }
        }
    }
    println!("real: {} workloads compared, cell by cell", expected.len());
    let missing: Vec<&Key> = expected.keys().filter(|k| !shown.contains_key(*k)).collect();
    let surplus: Vec<&Key> = shown.keys().filter(|k| !expected.contains_key(*k)).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:?}, surplus {surplus:?}");
    let wrong: Vec<String> = expected
        .iter()
        .filter(|(k, v)| shown[*k] != **v)
        .map(|(k, v)| format!("{k:?}: shown {} kubectl {v}", shown[k]))
        .collect();
    assert!(wrong.is_empty(), "{} cells differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// What the row of a workload must say, from the object itself.
pub fn expected_row(object: &Value) -> Value {
    let kind = object["kind"].as_str().unwrap_or("");
    let pods = if kind == "CronJob" {
        &object["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    } else {
        &object["spec"]["template"]["spec"]
    };
    let images: Vec<Value> = ["initContainers", "containers"]
        .iter()
        .flat_map(|list| pods[*list].as_array().into_iter().flatten())
        .map(|c| c["image"].clone())
        .collect();
    let status = |name: &str| object["status"][name].as_u64().unwrap_or(0);
    let (ready, wanted) = match kind {
        "DaemonSet" => (status("numberReady"), json!(status("desiredNumberScheduled"))),
        "Job" => (
            status("succeeded"),
            json!(object["spec"]["completions"].as_u64().or(object["spec"]["parallelism"].as_u64()).unwrap_or(1)),
        ),
        "CronJob" => (0, Value::Null),
        _ => (status("readyReplicas"), json!(object["spec"]["replicas"].as_u64().unwrap_or(1))),
    };
    json!({"images": images, "ready": ready, "wanted": wanted})
}

fn fleet_agrees(planes: &ControlPlanes) {
    let rows = console_json(planes, &["clusters"]);
    for cluster in CLUSTERS {
        let row = rows
            .as_array()
            .expect("rows")
            .iter()
            .find(|r| r["name"] == cluster)
            .unwrap_or_else(|| panic!("{cluster} is missing"));
        let nodes = planes.kubectl_json(cluster, &["get", "nodes"]);
        let nodes = nodes["items"].as_array().expect("items");
        let ready = nodes
            .iter()
            .filter(|n| {
                n["status"]["conditions"]
                    .as_array()
                    .is_some_and(|c| c.iter().any(|c| c["type"] == "Ready" && c["status"] == "True"))
            })
            .count();
        let version: Value =
            serde_json::from_str(&planes.kubectl(cluster, &["get", "--raw", "/version"])).expect("JSON");
        assert_eq!(row["state"], "live", "{row}");
        assert_eq!((&row["nodesReady"], &row["nodesTotal"]), (&json!(ready), &json!(nodes.len())), "{row}");
        assert_eq!(row["kubernetesVersion"], version["gitVersion"], "{row}");
    }
}

/// A change made by kubectl is on the Matrix screen within a second of kubectl's return.
fn changes_show_within_a_second(planes: &ControlPlanes) {
    planes.kubectl("beta", &["create", "namespace", "visible"]);
    planes.kubectl("beta", &["-n", "visible", "create", "deployment", "zz-visible", "--image", "shop/zz:1.0.0"]);
    let home = tempfile::tempdir().expect("folder");
    let kubeconfig = planes.kubeconfig().display().to_string();
    let mut console = Console::start(home.path(), 160, 40, &["--kubeconfig", &kubeconfig], &[]);
    console.wait("three live clusters", 60, |s| {
        CLUSTERS.iter().all(|c| s.contains(c))
            && s.lines().filter(|l| l.contains(" live  ") && !l.contains("not live")).count() >= 3
    });
    console.send("m");
    console.send("/zz-visible\r");
    console.wait_text("1.0.0", 20);
    let mut worst = Duration::ZERO;
    for version in ["1.0.1", "1.0.2", "1.0.3"] {
        planes.kubectl(
            "beta",
            &["-n", "visible", "set", "image", "deployment/zz-visible", &format!("zz=shop/zz:{version}")],
        );
        let done = Instant::now();
        console.wait_text(version, 10);
        worst = worst.max(done.elapsed());
    }
    println!("real: a change is on the screen {} ms after kubectl returned, at worst", worst.as_millis());
    assert!(worst < Duration::from_secs(1).mul_f64(patience()), "a change took {worst:?}");
    console.send("q");
}

/// A killed API server: stale within 15 s, live again by itself, nothing doubled or lost.
fn a_killed_server_goes_stale_and_heals(planes: &mut ControlPlanes) {
    let home = tempfile::tempdir().expect("folder");
    let kubeconfig = planes.kubeconfig().display().to_string();
    let mut console = Console::start(home.path(), 160, 40, &["--kubeconfig", &kubeconfig], &[]);
    console.wait("three live clusters", 60, |s| {
        s.lines().filter(|l| l.contains(" live  ") && !l.contains("not live")).count() >= 3
    });
    planes.kill_api("alpha");
    console.wait("alpha is not live any more", 15, |s| {
        s.lines().any(|l| l.contains("alpha") && (l.contains("stale") || l.contains("refused")))
    });
    assert!(
        console.text().lines().any(|l| l.contains("beta") && l.contains(" live  ")),
        "the others are not harmed:\n{}",
        console.text()
    );
    planes.restart_api("alpha");
    console.wait("alpha heals by itself", 60, |s| s.lines().any(|l| l.contains("alpha") && l.contains(" live  ")));
    assert_eq!(console.ended(), None, "the console still runs");
    console.send("q");
    assert_eq!(console.wait_end(10), 0);
    matrix_agrees(planes);
}
