//! The situations of tests/cases: what Karmada's own code answered.

use std::{collections::BTreeMap, fmt::Write, fs, path::Path, sync::Arc};

use crate::{
    desired::{
        cluster::Cluster,
        object::Object,
        origin::{Source, SourceKind},
        place::{Resource, State, decide},
        policy::{Policies, PolicyId, select},
        source::yaml,
        tree::Node,
    },
    model::Taint,
};

/// Every document of these kinds in a folder of tests/cases.
fn cases(folder: &str, kinds: &[&str]) -> Vec<Node> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let mut found = Vec::new();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "yaml")) {
        let source = Source::new(SourceKind::Situation, file.display().to_string());
        found.extend(yaml::read(&fs::read_to_string(file).unwrap(), &source).unwrap());
    }
    found.retain(|case| kinds.contains(&case.str_of("kind")));
    found
}

fn words(node: Option<&Node>) -> Vec<String> {
    node.and_then(Node::as_list).into_iter().flatten().filter_map(Node::as_str).map(str::to_owned).collect()
}

fn cluster(node: &Node) -> Cluster {
    let labels = node.get("labels").and_then(Node::as_map).into_iter().flat_map(|m| m.iter());
    let taint = |t: &Node| Taint {
        key: t.str_of("key").to_owned(),
        value: t.str_of("value").to_owned(),
        effect: t.str_of("effect").to_owned(),
    };
    let mut zones = words(node.get("zones"));
    if zones.is_empty() && !node.str_of("zone").is_empty() {
        zones.push(node.str_of("zone").to_owned());
    }
    Cluster {
        name: node.str_of("name").into(),
        labels: labels.map(|(k, v)| (k.to_string(), v.as_str().unwrap_or_default().to_owned())).collect(),
        region: node.str_of("region").to_owned(),
        zones,
        provider: node.str_of("provider").to_owned(),
        taints: node.items_of("taints").iter().map(taint).collect(),
        available: node.get("availableReplicas").and_then(Node::as_int),
        deleting: node.get("deleting").and_then(Node::as_bool).unwrap_or(false),
        apis: node.get("apis").map(|apis| words(Some(apis))),
        ..Cluster::default()
    }
}

fn counts(node: Option<&Node>) -> BTreeMap<String, i64> {
    let entries = node.and_then(Node::as_map).into_iter().flat_map(|m| m.iter());
    entries.map(|(k, v)| (k.to_string(), v.as_int().unwrap())).collect()
}

fn object(node: &Node) -> Object {
    Object::new(node.clone()).unwrap()
}

/// The policies of a case; `Err` when one is refused.
fn policies(case: &Node) -> Result<Policies, ()> {
    let mut policies = Policies::default();
    for node in case.get("policy").into_iter().chain(case.items_of("policies")) {
        policies.read(&object(node)).unwrap().map_err(|_| ())?;
    }
    Ok(policies)
}

/// Replicas by cluster, and the group in use.
type Placed = (BTreeMap<String, i64>, Option<Arc<str>>);

/// What a placement case gives: the result, or an error's word.
fn placement(case: &Node) -> Result<Placed, String> {
    let policies = policies(case).map_err(|()| "invalid-policy".to_owned())?;
    let clusters: Vec<Cluster> = case.items_of("clusters").iter().map(cluster).collect();
    let flag = |key: &str| case.get(key).and_then(Node::as_bool).unwrap_or(false);
    let state = State {
        previous: counts(case.get("previous")).into_iter().map(|(k, v)| (k.into(), v)).collect(),
        observed: case.get("observedAffinity").and_then(Node::as_str).map(Into::into),
        reschedule: flag("reschedule"),
        evicting: words(case.get("evicting")).into_iter().map(Into::into).collect(),
        unchanged: flag("placementUnchanged"),
    };
    let resource = Resource::of(&object(case.get("resource").unwrap()));
    let decision = decide(&policies.placements[0].placement, &resource, &clusters, &state);
    let shares = decision.outcome.map_err(|failure| failure.word().to_owned())?;
    let named = shares.into_iter().map(|(c, n)| (clusters[c as usize].name.to_string(), n)).collect();
    Ok((named, decision.group))
}

fn placement_failure(case: &Node) -> Option<String> {
    let answer = placement(case);
    let expect = case.get("expect").unwrap();
    let right = match (&answer, expect.get("error").and_then(Node::as_str)) {
        (Err(word), Some(wanted)) => word == wanted,
        (Ok((shares, group)), None) => {
            let wanted = case.get("expectAffinity").and_then(Node::as_str);
            *shares == counts(Some(expect)) && (wanted.is_none() || wanted == group.as_deref())
        }
        _ => false,
    };
    (!right).then(|| format!("{}: {answer:?}, expected {}", case.str_of("name"), expect.to_json()))
}

fn id(node: &Node) -> PolicyId {
    PolicyId {
        kind: node.str_of("kind").into(),
        namespace: node.str_of("namespace").into(),
        name: node.str_of("name").into(),
    }
}

fn match_failure(case: &Node) -> Option<String> {
    let answer = policies(case).map(|policies| {
        let claimed = case.get("claimedBy").map(id);
        let gate = case.get("preemptionGate").and_then(Node::as_bool).unwrap_or(false);
        let object = object(case.get("resource").unwrap());
        let owner = select::owner(&policies.placements, &object, claimed.as_ref(), gate);
        owner.map(|at| policies.placements[at].id.clone())
    });
    let expect = case.get("expect").unwrap();
    let wanted = if expect.get("error").is_some() { Err(()) } else { Ok(expect.get("policy").map(id)) };
    (answer != wanted).then(|| format!("{}: {answer:?}, expected {wanted:?}", case.str_of("name")))
}

/// Runs all of them and fails with every one that is wrong.
fn run(cases: &[Node], expected: usize, failure: impl Fn(&Node) -> Option<String>) {
    assert_eq!(cases.len(), expected, "cases found");
    let mut failed = String::new();
    for line in cases.iter().filter_map(failure) {
        writeln!(failed, "{line}").unwrap();
    }
    assert!(failed.is_empty(), "{failed}");
}

#[test]
fn placements_as_karmada_decides() {
    run(&cases("karmada", &["placement"]), 65, placement_failure);
}

#[test]
fn random_placements_as_karmada_decides() {
    run(&cases("karmada-random", &["placement"]), 250, placement_failure);
}

#[test]
fn owners_as_karmada_decides() {
    run(&cases("karmada", &["policy-match"]), 11, match_failure);
}
