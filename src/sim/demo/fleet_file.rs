//! The fleet file that describes the demo fleet: what no API server tells.

use std::fmt::Write as _;

use super::{
    clusters::{CLUSTERS, Cluster, Flavour},
    services::System,
};

const HEAD: &str =
    "# The demo fleet. What is not said here is read from the clusters themselves.\nname: demo\nonly: true\n";

const TAIL: &str = "\
groups:
  payments-core:
    names: [eu-west-1-prod-*, us-east-1-prod-a, cn-*]
  western:
    names: [eu-*, us-*, sa-*]
  china:
    names: [cn-*]
environments:
  prod:
    danger: high
  staging:
    danger: low
  dev:
    danger: low
  edge:
    danger: high
services:
  - name: 支付对账
    namespaces: [payments]
    workloads: [payment-recon]
systemNamespaces: [kube-*]
";

/// The text of `fleet.yaml`.
pub fn text() -> String {
    let mut out = format!("{HEAD}clusters:\n");
    for cluster in CLUSTERS {
        one(&mut out, cluster);
    }
    out.push_str(TAIL);
    out
}

fn one(out: &mut String, cluster: &Cluster) {
    let provider = match cluster.flavour {
        Flavour::Eks => "aws",
        Flavour::Ack => "alicloud",
        Flavour::Tke => "tencent",
        Flavour::Kubeadm | Flavour::K3s => "metal",
    };
    let runs = |s: &&System| s.runs_in(cluster.name, cluster.environment);
    let systems: Vec<&str> = System::ALL.iter().filter(runs).map(|s| s.namespace()).collect();
    let _ = writeln!(out, "  # {}", cluster.note);
    let _ = writeln!(out, "  - name: {}\n    alias: {}", cluster.name, cluster.alias);
    let _ = writeln!(
        out,
        "    environment: {}\n    region: {}\n    provider: {provider}",
        cluster.environment, cluster.region
    );
    let _ = writeln!(
        out,
        "    team: {}\n    tier: {:?}\n    systems: [{}]",
        cluster.team,
        cluster.tier,
        systems.join(", ")
    );
    let _ = writeln!(out, "    monitoring: https://grafana.example.com/d/{}", cluster.name);
    let _ = writeln!(out, "    onboarded: {}", onboarded(cluster));
    out.push_str("    contacts:\n");
    for (name, reach) in cluster.contacts {
        let _ = writeln!(out, "      - name: {name}\n        reach: {reach:?}");
    }
}

/// A day of the fleet's history: older clusters came earlier.
fn onboarded(cluster: &Cluster) -> String {
    let months = cluster.age_days / 31;
    let (years, month) = (months / 12, 11 - months % 12);
    format!("{:04}-{:02}-{:02}", 2026 - years, month.max(1), 3 + cluster.age_days % 25)
}
