//! Against real control planes: what the console shows is what kubectl says, cell by cell.

use libtest_mimic::Trial;

use crate::{
    control_plane::{ControlPlanes, PlaneSpec},
    with_control_planes,
};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![with_control_planes("real::control_planes_start_and_run_pods", control_planes_start_and_run_pods)]
}

fn control_planes_start_and_run_pods() {
    let specs: Vec<PlaneSpec> =
        ["a", "b"].into_iter().map(|name| PlaneSpec { name: name.into(), nodes: 2, ..PlaneSpec::default() }).collect();
    let planes = ControlPlanes::start(&specs, true).expect("control planes");
    planes.kubectl("b", &["create", "deployment", "web", "--image", "web:1", "--replicas", "2"]);
    planes.kubectl("b", &["rollout", "status", "deployment/web", "--timeout", "60s"]);
    assert_eq!(planes.kubectl_json("b", &["get", "pods"])["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(planes.kubectl_json("a", &["get", "pods"])["items"].as_array().map(Vec::len), Some(0));
}
