//! The fleet file that describes the demo fleet: what no API server tells.

use std::fmt::Write as _;

use super::clusters::{CLUSTERS, Cluster, Flavour};
use super::services::System;

/// The text of `fleet.yaml`.
pub fn text() -> String {
    let mut out = String::from("# The demo fleet. Everything not said here is read from the clusters themselves.\nname: demo\nclusters:\n");
    for cluster in CLUSTERS {
        one(&mut out, cluster);
    }
    out.push_str(
        "groups:\n  payments: {environments: [prod], clusters: [eu-west-1-prod-a, eu-west-1-prod-b, us-east-1-prod-a]}\n",
    );
    out
}

fn one(out: &mut String, cluster: &Cluster) {
    let provider = match cluster.flavour {
        Flavour::Eks => "aws",
        Flavour::Ack => "alibaba",
        Flavour::Tke => "tencent",
        Flavour::Kubeadm | Flavour::K3s => "metal",
    };
    let systems: Vec<&str> = System::ALL.iter().filter(|s| s.runs_in(cluster.name, cluster.environment)).map(|s| s.namespace()).collect();
    let _ = writeln!(out, "  - name: {}", cluster.name);
    let _ = writeln!(out, "    environment: {}", cluster.environment);
    let _ = writeln!(out, "    region: {}", cluster.region);
    let _ = writeln!(out, "    provider: {provider}");
    let _ = writeln!(out, "    team: {}\n    tier: \"{}\"", cluster.team, cluster.tier);
    let _ = writeln!(out, "    systems: [{}]", systems.join(", "));
    for (n, contact) in cluster.contacts.iter().enumerate() {
        if n == 0 {
            out.push_str("    contacts:\n");
        }
        let _ = writeln!(out, "      - {contact:?}");
    }
}
