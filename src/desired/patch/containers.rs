//! Where the containers of an object lie.

use super::{Containers, Reach};
use crate::desired::{
    path::{Path, Step},
    tree::Node,
};

/// Kinds whose pods Karmada's overriders know, with the way to the pod's spec. The API version is not looked at.
const KARMADA: &[(&str, &[&str])] = &[
    ("Pod", &["spec"]),
    ("Deployment", TEMPLATE),
    ("ReplicaSet", TEMPLATE),
    ("StatefulSet", TEMPLATE),
    ("DaemonSet", TEMPLATE),
    ("Job", TEMPLATE),
];
const TEMPLATE: &[&str] = &["spec", "template", "spec"];

/// Ways to a pod's spec in any other kind (CronJob, PodTemplate, workloads of other projects), where one is there.
const OTHERS: &[&[&str]] = &[TEMPLATE, &["spec", "jobTemplate", "spec", "template", "spec"], &["template", "spec"]];

/// The way to the spec of the object's pods; `None` when it has none within this reach.
fn pod_spec(root: &Node, reach: Reach) -> Option<&'static [&'static str]> {
    let kind = root.str_of("kind");
    let known = KARMADA.iter().find(|(k, _)| *k == kind).map(|(_, way)| *way);
    if known.is_some() || reach == Reach::Karmada {
        return known;
    }
    OTHERS.iter().copied().find(|way| root.at_keys(way).is_some_and(|spec| spec.get("containers").is_some()))
}

/// Whether the object is of a kind that has containers within this reach.
pub fn has_pods(root: &Node, reach: Reach) -> bool {
    pod_spec(root, reach).is_some()
}

/// The part of the way to the containers that is not what it must be: maps, and a list at the end.
pub fn misshapen(root: &Node, reach: Reach) -> Option<Path> {
    let mut path = Path::default();
    let mut at = root;
    for key in pod_spec(root, reach)?.iter().chain(&["containers"]) {
        let Some(map) = at.as_map() else { return Some(path) };
        path = path.key(key);
        at = map.get(key).filter(|n| !n.is_null())?;
    }
    at.as_list().is_none().then_some(path)
}

/// The way to each container meant, in order.
pub fn paths(root: &Node, containers: &Containers) -> Vec<Path> {
    let Some(way) = pod_spec(root, containers.reach) else { return Vec::new() };
    let Some(spec) = root.at_keys(way) else { return Vec::new() };
    let lists: &[&str] =
        if containers.reach == Reach::Every { &["initContainers", "containers"] } else { &["containers"] };
    let mut found = Vec::new();
    for list in lists {
        for (at, container) in spec.items_of(list).iter().enumerate() {
            let name = container.get("name").and_then(Node::as_str);
            if containers.name.as_ref().is_none_or(|wanted| Some(wanted.as_str()) == name) {
                let steps = way.iter().chain([list]).map(|key| Step::Key((*key).into()));
                found.push(Path(steps.chain([Step::Index(at)]).collect()));
            }
        }
    }
    found
}
