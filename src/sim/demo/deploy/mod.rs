//! The `deploy/` tree of the demo fleet: what should run where, as the teams would have written it. It is made from the tables
//! that the live objects are made from; where the two differ is one of the stories.
//!
//! ```text
//! deploy/base/namespaces/          the ground of every system
//! deploy/base/<service>/           its workload, Service, configuration, budget, autoscaler
//! deploy/policies/karmada/         storefront and risk
//! deploy/policies/quarterdeck/     the other systems, and what holds in the whole fleet
//! ```

mod base;
mod division;
mod karmada;
mod native;
#[cfg(test)]
mod tests;
mod yaml;

use std::fmt::Write as _;

use super::services::{SERVICES, System};

/// A file of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path, relative to the fleet file.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Whether Karmada's policies place a system.
fn is_karmada(system: System) -> bool {
    matches!(system, System::Storefront | System::Risk)
}

/// Every file, in order.
pub fn files() -> Vec<File> {
    let mut files = base::files();
    files.extend(karmada::files());
    files.extend(native::files());
    files
}

/// The section `desired` of the fleet file.
pub fn section() -> String {
    let mut out = String::from(
        "desired:\n  services:\n    - name: namespaces\n      sources: [{plain: deploy/base/namespaces}]\n",
    );
    for service in SERVICES {
        // A service whose workloads a rule of this file names is called as the rule says, whatever its namespace.
        let _ = match super::fleet_file::ruled(service.name) {
            Some(name) => writeln!(out, "    - name: {name}"),
            None => writeln!(out, "    - name: {}\n      namespace: {}", service.name, service.system.namespace()),
        };
        let _ = writeln!(out, "      sources: [{{plain: deploy/base/{}}}]", service.name);
    }
    out.push_str("  policies: [deploy/policies]\n");
    out
}
