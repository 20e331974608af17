//! The drill in the demo: what is lost with a cluster comes back where the rules say, and every view of it tells the same.

use std::{collections::BTreeMap, process::Command};

use libtest_mimic::Trial;
use serde_json::Value;

use crate::{
    always,
    support::{self, pty::Console},
};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        always("drill::a_cluster_lost_in_the_demo_is_made_up_for", a_cluster_lost_in_the_demo),
        always("drill::the_screen_tells_the_same_as_the_command", the_screen_tells_the_same),
    ]
}

/// The cluster that is lost.
const LOST: &str = "cn-shanghai-prod";
/// Clusters of the demo: columns of the screen.
const CLUSTERS: usize = 12;

/// Services with their replicas by cluster before and after, as reckoned by hand from Karmada's rules: by weights of 4, 4 and 2,
/// by room (nothing is known of it: all have the same), the same everywhere, at home.
const DRILL: &[(&str, &str, &str)] = &[
    ("risk-engine", "cn-north-1-prod 4, cn-shanghai-prod 4, staging 2", "cn-north-1-prod 7, staging 3"),
    ("device-print", "cn-north-1-prod 2, cn-shanghai-prod 2, staging 1", "cn-north-1-prod 3, staging 2"),
    ("blacklist", "cn-north-1-prod 2, cn-shanghai-prod 2, staging 2", "cn-north-1-prod 2, staging 2"),
    ("wechat-pay-adapter", "cn-north-1-prod 3, cn-shanghai-prod 3, staging 2", "cn-north-1-prod 5, staging 3"),
];

/// The records of a command on the demo.
fn demo(words: &[&str]) -> Vec<Value> {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(support::binary());
    command.arg("demo").args(words).args(["-o", "json"]).env_clear();
    command.env("HOME", home.path()).env("TMPDIR", home.path()).env("LANG", "en_US.UTF-8");
    let out = command.stdin(std::process::Stdio::null()).output().expect("the binary runs");
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{words:?}: {told}");
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{words:?}: {e}: {told}"))
}

/// `cluster 4, other 2`, in the order of the fleet.
fn shares(shares: &BTreeMap<String, i64>) -> String {
    shares.iter().map(|(cluster, n)| format!("{cluster} {n}")).collect::<Vec<_>>().join(", ")
}

fn a_cluster_lost_in_the_demo() {
    let services: Vec<&str> = DRILL.iter().map(|(service, ..)| *service).collect();
    let mut placed: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
    for row in demo(&[&["place"], services.as_slice()].concat()) {
        if row["kind"] == "Deployment" {
            let (name, cluster) = (row["name"].as_str().expect("a name"), row["cluster"].as_str().expect("a cluster"));
            let replicas = row["replicas"].as_i64().expect("replicas");
            placed.entry(name.to_owned()).or_default().insert(cluster.to_owned(), replicas);
        }
    }
    for (service, before, _) in DRILL {
        assert_eq!(shares(&placed[*service]), *before, "{service}");
    }
    for row in demo(&["whatif", "--lose", LOST]) {
        let object = row["object"].as_str().expect("an object");
        let Some(service) = object.strip_prefix("Deployment risk/").filter(|s| placed.contains_key(*s)) else {
            continue;
        };
        let shares = placed.get_mut(service).expect("placed");
        let cluster = row["cluster"].as_str().expect("a cluster").to_owned();
        assert_eq!(row["now"].as_i64(), shares.get(&cluster).copied(), "{row}");
        match row["then"].as_i64() {
            Some(then) => shares.insert(cluster, then),
            None => shares.remove(&cluster),
        };
    }
    for (service, _, after) in DRILL {
        assert_eq!(shares(&placed[*service]), *after, "{service} without {LOST}");
    }
}

/// The row of a service on the Placement screen, its cells apart by single blanks.
fn row(screen: &str, service: &str) -> Option<String> {
    let line = screen.lines().find(|l| l.trim_start_matches(['│', '▸', ' ']).starts_with(service))?;
    let (_, cells) = line.split_once('┃')?;
    Some(cells.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The cluster of the cell under the cursor.
fn at(screen: &str) -> Option<&str> {
    let (_, behind) = screen.split_once("Deployment risk/risk-engine in ")?;
    behind.split_whitespace().next()
}

/// How the row of a service shows the drill: `-4` where it was, `4→7` where it changes, nothing of what stays.
fn shown(before: &str, after: &str) -> Vec<String> {
    let parse = |text: &str| -> BTreeMap<String, i64> {
        let one = |part: &str| {
            let (cluster, n) = part.split_once(' ').expect("a cluster and a number");
            (cluster.to_owned(), n.parse().expect("a number"))
        };
        text.split(", ").map(one).collect()
    };
    let after = parse(after);
    let cell = |(cluster, n): (String, i64)| match after.get(&cluster) {
        Some(then) if *then == n => None,
        Some(then) => Some(format!("{n}→{then}")),
        None => Some(format!("-{n}")),
    };
    parse(before).into_iter().filter_map(cell).collect()
}

/// The cells of a row that something moves into or out of, sorted; the sums behind them are left out, because overrides count
/// there.
fn moved(row: &str) -> Vec<&str> {
    let is_gone = |cell: &str| cell.strip_prefix('-').is_some_and(|n| n.parse::<i64>().is_ok());
    let mut cells: Vec<&str> =
        row.split(' ').take(CLUSTERS).filter(|cell| cell.contains('→') || is_gone(cell)).collect();
    cells.sort_unstable();
    cells
}

fn the_screen_tells_the_same() {
    let home = tempfile::tempdir().expect("a folder");
    let temporary = home.path().display().to_string();
    let mut console = Console::start(home.path(), 220, 50, &["demo"], &[("TMPDIR", &temporary)]);
    console.wait_text(LOST, 60);
    console.send(":placement\r");
    console.wait_text("Wanted/live replicas", 60);
    console.send("/risk-engine\r");
    console.wait("what is live of risk-engine", 60, |s| row(s, "risk-engine").is_some_and(|r| r.contains("4/4")));
    // To the column of the cluster, one by one: the block below names the cell.
    let mut here = console.wait("the cell's name", 20, |s| at(s).is_some());
    while at(&here) != Some(LOST) {
        console.send("\u{1b}[C");
        here = console.wait("the next column", 20, |s| at(s).is_some() && at(s) != at(&here));
    }
    console.send(" a");
    console.wait_text("What if", 20);
    console.send("l");
    console.wait_text(&format!("{LOST} lost"), 20);
    // What goes by room goes by the room that is seen live: that is no number to know beforehand.
    for (service, before, after) in DRILL.iter().filter(|(service, ..)| *service != "device-print") {
        console.send(&format!("/\u{15}{service}\r"));
        let mut cells = shown(before, after);
        cells.sort_unstable();
        console.wait(&format!("{service} with {cells:?}"), 30, |s| row(s, service).is_some_and(|r| moved(&r) == cells));
    }
    console.send(":q\r");
    assert_eq!(console.wait_end(20), 0);
}
