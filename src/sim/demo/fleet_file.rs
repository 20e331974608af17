//! The fleet file that describes the demo fleet: what no API server tells.

use std::fmt::Write as _;

use super::{
    clusters::{CLUSTERS, Cluster, Flavour},
    deploy,
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
systemNamespaces: [kube-*]
";

/// Services that are called otherwise than their workload: name, namespace, workload.
const RULES: &[(&str, &str, &str)] = &[("支付对账", "payments", "payment-recon")];

/// What a rule of the fleet file calls a service.
pub fn ruled(workload: &str) -> Option<&'static str> {
    RULES.iter().find(|(_, _, w)| *w == workload).map(|(name, ..)| *name)
}

/// The text of `fleet.yaml`.
pub fn text() -> String {
    let mut out = format!("{HEAD}clusters:\n");
    for cluster in CLUSTERS {
        one(&mut out, cluster);
    }
    out.push_str(TAIL);
    out.push_str("services:\n");
    for (name, namespace, workload) in RULES {
        let _ = writeln!(out, "  - name: {name}\n    namespaces: [{namespace}]\n    workloads: [{workload}]");
    }
    out.push_str(&deploy::section());
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
    // Placement knows clusters by their labels.
    let _ = writeln!(out, "    labels: {{environment: {}, size: {}}}", cluster.environment, cluster.size_word());
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
