//! The Matrix as it stands on the screen against what kubectl says: every service, every cluster, version and replicas.
//! What a service is and which of its workloads is the main one is worked out here once more, from kubectl's objects.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use quarterdeck::model::ImageRef;
use serde_json::Value;

use crate::{
    control_plane::ControlPlanes,
    real::expected_row,
    support::{pty::Console, wait_for},
};

/// Name and namespace of a service.
type Service = (String, String);

/// What one cell must say.
#[derive(Debug, Default)]
struct Expected {
    version: String,
    more: usize,
    replicas: (u64, u64),
    /// Percent of the main workload's replicas that are of its newest revision.
    updated: u64,
}

/// Drives the screen: versions, then replicas; the file that it saves and the rows that it shows.
pub fn matrix_agrees(planes: &ControlPlanes, clusters: &[&str]) {
    let expected = expected(planes, clusters);
    let home = tempfile::tempdir().expect("folder");
    let kubeconfig = planes.kubeconfig().display().to_string();
    let rows = u16::try_from(expected.len()).expect("a number of rows") + 40;
    let mut console = Console::start(home.path(), 200, rows, &["--kubeconfig", &kubeconfig, "--open", "matrix"], &[]);
    let all = format!("/{} ", expected.len());
    console.wait("every service, live", 90, |s| s.contains(&all) && !s.contains("not live"));
    let mut compared = 0;
    for (keys, title, what) in [("", "Versions", What::Version), ("iii", "Replicas", What::Replicas)] {
        console.send(keys);
        console.wait(title, 10, |s| s.lines().any(|l| l.contains(title) && l.contains(&all)));
        let saved = saved(&mut console, home.path());
        let shown = shown(&console.text(), clusters, expected.len());
        compared += compare(&saved, &shown, &expected, clusters, what);
    }
    println!("real: {compared} cells of the Matrix screen compared, {} services", expected.len());
    console.send(":q\r");
    console.wait_end(10);
}

#[derive(Clone, Copy, Debug)]
enum What {
    Version,
    Replicas,
}

/// Saves the table and gives its cells, row by row.
fn saved(console: &mut Console, folder: &std::path::Path) -> Vec<Vec<String>> {
    let files = || -> BTreeSet<_> {
        let all = std::fs::read_dir(folder).expect("folder").flatten().map(|e| e.path());
        all.filter(|p| p.extension().is_some_and(|e| e == "txt")).collect()
    };
    let before = files();
    console.send("\u{13}");
    let file = wait_for("the saved table", std::time::Duration::from_secs(10), || {
        files().difference(&before).next().cloned().filter(|p| p.metadata().is_ok_and(|m| m.len() > 0))
    });
    let text = std::fs::read_to_string(file).expect("readable");
    let cells = |line: &str| line.split("  ").map(str::trim).filter(|c| !c.is_empty()).map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

/// The rows on the screen: the service's name, then the clusters' cells, as far as there is room.
fn shown(screen: &str, clusters: &[&str], rows: usize) -> Vec<Vec<String>> {
    let lines: Vec<Vec<char>> = screen.lines().map(|l| l.chars().collect()).collect();
    let find = |line: &[char], word: &str| {
        let word: Vec<char> = word.chars().collect();
        line.windows(word.len()).position(|w| w == word)
    };
    let is_header = |line: &[char]| clusters.iter().all(|c| find(line, c).is_some()) && find(line, "NOTE").is_some();
    let head = lines.iter().position(|l| is_header(l)).expect("the table's header");
    let mut edges: Vec<usize> = clusters.iter().filter_map(|c| find(&lines[head], c)).collect();
    edges.push(find(&lines[head], "NOTE").expect("note"));
    let part = |line: &[char], from: usize, to: usize| -> String {
        let text: String = line.get(from..to.min(line.len())).unwrap_or_default().iter().collect();
        text.trim_matches([' ', '│', '▸']).to_owned()
    };
    let table = lines.iter().skip(head + 1).filter(|l| part(l, 0, 12).chars().any(char::is_alphanumeric)).take(rows);
    table
        .map(|line| {
            let name =
                part(line, 0, line.iter().position(|c| *c == '┊' || *c == '╎').unwrap_or(edges[0]).min(edges[0]));
            let mut out = vec![name];
            out.extend(edges.windows(2).map(|edge| part(line, edge[0], edge[1])));
            out
        })
        .collect()
}

/// Compares every cell and gives how many there are.
fn compare(
    saved: &[Vec<String>],
    shown: &[Vec<String>],
    expected: &BTreeMap<Service, BTreeMap<String, Expected>>,
    clusters: &[&str],
    what: What,
) -> usize {
    let names = row_names(expected);
    assert_eq!((saved.len(), shown.len()), (expected.len(), expected.len()), "{what:?}: rows");
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (saved, shown) in saved.iter().zip(shown) {
        let Some(service) = names.get(&saved[0]) else {
            wrong.push(format!("{} is no service", saved[0]));
            continue;
        };
        seen.insert(service);
        for (i, cluster) in clusters.iter().enumerate() {
            let cell = &saved[i + 1];
            let wanted = expected[service].get(*cluster);
            if !says(cell, wanted, what) {
                wrong.push(format!("{service:?} in {cluster}: saved {cell:?}, kubectl {wanted:?}"));
            }
            if !is_cut_of(&shown[i + 1], cell) {
                wrong.push(format!("{service:?} in {cluster}: on the screen {:?}, saved {cell:?}", shown[i + 1]));
            }
            // A comparison that lets one digit more pass would say nothing.
            let noticed = !says(&format!("{cell}0"), wanted, what) && !is_cut_of(&format!("{}0", shown[i + 1]), cell);
            assert!(noticed, "{service:?} in {cluster}: a wrong cell is not noticed");
        }
    }
    assert_eq!(seen.len(), expected.len(), "{what:?}: each service has one row");
    assert!(wrong.is_empty(), "{what:?}: {} cells are wrong:\n{}", wrong.len(), wrong.join("\n"));
    expected.len() * clusters.len()
}

/// How rows are called: by the name alone where it is unique.
fn row_names<V>(expected: &BTreeMap<Service, V>) -> BTreeMap<String, &Service> {
    let count = |name: &str| expected.keys().filter(|(n, _)| n == name).count();
    let called = |(name, ns): &Service| if count(name) > 1 { format!("{name} ({ns})") } else { name.clone() };
    expected.keys().map(|service| (called(service), service)).collect()
}

/// Whether a whole cell says what it must, and nothing else: marks, `+n` and the replicas of what does not work aside.
fn says(cell: &str, wanted: Option<&Expected>, what: What) -> bool {
    const MARKS: [&str; 5] = ["✗", "!", "⟳", "∆", "="];
    let Some(wanted) = wanted else { return cell == "-" };
    let replicas = format!("{}/{}", wanted.replicas.0, wanted.replicas.1);
    let mut words: Vec<&str> = cell.split(' ').filter(|w| !MARKS.contains(w)).collect();
    match what {
        What::Replicas => words == [replicas.as_str()],
        What::Version => {
            // A rollout: from where, to where, how far; it has no room for the number of further workloads.
            if let [way, percent] = words[..]
                && let Some((_, to)) = way.split_once('→')
            {
                return to == wanted.version && percent == format!("{}%", wanted.updated);
            }
            let more = format!("+{}", wanted.more);
            let has_more = words.contains(&more.as_str());
            words.retain(|w| *w != more && *w != replicas && !w.starts_with("c:"));
            has_more == (wanted.more > 0) && words == [wanted.version.as_str()]
        }
    }
}

/// Whether a text on the screen is all of a cell, or what fits of it with a mark where it was cut.
fn is_cut_of(shown: &str, whole: &str) -> bool {
    match shown.split_once('⋯') {
        // Of a rollout the version that it comes from is left out first.
        None => shown == whole || shown.starts_with('→') && whole.ends_with(shown),
        Some((start, end)) => {
            let fits = start.len() + end.len() < whole.len() && start.chars().count() + end.chars().count() > 7;
            fits && whole.starts_with(start.trim_end()) && whole.ends_with(end.trim_start())
        }
    }
}

/// From kubectl's objects: the cells that there must be.
fn expected(planes: &ControlPlanes, clusters: &[&str]) -> BTreeMap<Service, BTreeMap<String, Expected>> {
    let mut out: BTreeMap<Service, BTreeMap<String, Expected>> = BTreeMap::new();
    for cluster in clusters {
        let list = planes.kubectl_json(cluster, &["get", "deploy,sts,ds,cronjob,job", "-A"]);
        let mut services: BTreeMap<Service, Vec<&Value>> = BTreeMap::new();
        for object in list["items"].as_array().expect("items") {
            let owners = object["metadata"]["ownerReferences"].as_array();
            if !owners.is_some_and(|all| all.iter().any(|o| o["controller"] == true)) {
                services.entry(service_of(object)).or_default().push(object);
            }
        }
        for (service, mut workloads) in services {
            workloads.sort_by_key(|object| order(object, &service.0));
            let cell = cell_of(&workloads, &service.0);
            out.entry(service).or_default().insert((*cluster).to_owned(), cell);
        }
    }
    out
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

fn template(object: &Value) -> &Value {
    if object["kind"] == "CronJob" {
        &object["spec"]["jobTemplate"]["spec"]["template"]
    } else {
        &object["spec"]["template"]
    }
}

/// The first of the common labels, of the pods or of the workload; else its own name. Always within its namespace.
fn service_of(object: &Value) -> Service {
    let labels = ["app.kubernetes.io/instance", "app.kubernetes.io/name", "app"];
    let of = |label: &str| {
        let all = [&template(object)["metadata"]["labels"][label], &object["metadata"]["labels"][label]];
        all.into_iter().filter_map(Value::as_str).find(|v| !v.is_empty()).map(str::to_owned)
    };
    let name = labels.into_iter().find_map(of).unwrap_or_else(|| text(object, "/metadata/name").to_owned());
    (name, text(object, "/metadata/namespace").to_owned())
}

/// Main workload first: called like the service, then by kind, then the one with most replicas, then by name.
fn order(object: &Value, service: &str) -> (bool, usize, Reverse<u64>, String) {
    const KINDS: [&str; 5] = ["Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job"];
    let name = text(object, "/metadata/name");
    let kind = KINDS.iter().position(|k| object["kind"] == *k).expect("a kind that was asked for");
    let wanted = expected_row(object)["wanted"].as_u64().unwrap_or(0);
    (name != service, kind, Reverse(wanted), name.to_owned())
}

fn cell_of(workloads: &[&Value], service: &str) -> Expected {
    let image = |object: &Value| main_image(object, service);
    let main = image(workloads[0]);
    let (repository, version) =
        (ImageRef::parse(&main).repository.to_owned(), ImageRef::parse(&main).version().to_owned());
    let mixed = workloads.iter().skip(1).any(|object| {
        let other = image(object);
        let other = ImageRef::parse(&other);
        other.repository == repository && other.version() != version
    });
    let replicas = workloads.iter().map(|object| expected_row(object)).fold((0, 0), |sum, row| {
        (sum.0 + row["ready"].as_u64().unwrap_or(0), sum.1 + row["wanted"].as_u64().unwrap_or(0))
    });
    let status = |name: &str| workloads[0]["status"][name].as_u64();
    let of_main = expected_row(workloads[0])["wanted"].as_u64().unwrap_or(0);
    let updated = status("updatedReplicas").or(status("updatedNumberScheduled")).unwrap_or(0).min(of_main);
    let updated = (updated * 100).checked_div(of_main).unwrap_or(0);
    Expected { updated, version: if mixed { "mixed".into() } else { version }, more: workloads.len() - 1, replicas }
}

/// The image of the container that matters: called like the workload or the service, by itself or by its image, else the
/// first that no mesh or log injector adds.
fn main_image(object: &Value, service: &str) -> String {
    const ADDED: [&str; 11] = [
        "istio-proxy",
        "linkerd-proxy",
        "vault-agent",
        "consul-dataplane",
        "daprd",
        "cloud-sql-proxy",
        "cloudsql-proxy",
        "oauth2-proxy",
        "kube-rbac-proxy",
        "fluent-bit",
        "jaeger-agent",
    ];
    let name = text(object, "/metadata/name");
    let all: Vec<(&str, &str)> = template(object)["spec"]["containers"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|c| (text(c, "/name"), text(c, "/image")))
        .collect();
    let own: Vec<_> = all.iter().filter(|(name, _)| !ADDED.contains(name)).collect();
    let is_it = |word: &str| word == name || word == service;
    own.iter()
        .find(|(name, _)| is_it(name))
        .or_else(|| own.iter().find(|(_, image)| is_it(ImageRef::parse(image).short_name())))
        .or_else(|| own.first())
        .map(|(_, image)| (*image).to_owned())
        .or_else(|| all.first().map(|(_, image)| (*image).to_owned()))
        .unwrap_or_default()
}
