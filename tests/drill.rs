//! The drill in the demo: what is lost with a cluster comes back where the rules say, and every view of it tells the same.

use std::{collections::BTreeMap, process::Command};

use libtest_mimic::Trial;
use serde_json::Value;

use crate::{always, support};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![always("drill::a_cluster_lost_in_the_demo_is_made_up_for", a_cluster_lost_in_the_demo)]
}

/// The cluster that is lost.
const LOST: &str = "cn-shanghai-prod";

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
