//! Which files are read, and who said so.

use std::path::PathBuf;

use crate::config::{Request, paths};

/// Name of the fleet file in the configuration folder.
pub(super) const FLEET_FILE: &str = "fleet.yaml";

/// The files to read.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    /// kubeconfig files in order; those that are not there are passed over.
    pub kubeconfigs: Vec<PathBuf>,
    /// Set when `--kubeconfig` was given: that file must be there.
    pub kubeconfig_flag: Option<PathBuf>,
    /// Who chose the kubeconfig files.
    pub kubeconfig_by: String,
    /// Fleet file, if there is one.
    pub fleet: Option<PathBuf>,
    /// Who chose it.
    pub fleet_by: String,
}

/// Chooses by flag, variable, and the user's folders.
pub(super) fn sources(request: &Request, paths: &paths::Paths) -> Sources {
    let variable = |name: &str| request.env.get(name).filter(|v| !v.is_empty());
    let list = |value: &String| std::env::split_paths(value).filter(|p| !p.as_os_str().is_empty()).collect();
    let (kubeconfigs, kubeconfig_by) = if let Some(path) = &request.kubeconfig {
        (vec![path.clone()], String::from("flag --kubeconfig"))
    } else if let Some(value) = variable("QUARTERDECK_KUBECONFIG") {
        (list(value), String::from("variable QUARTERDECK_KUBECONFIG"))
    } else if let Some(value) = variable("KUBECONFIG") {
        (list(value), String::from("variable KUBECONFIG"))
    } else {
        (vec![paths::home(&request.env).join(".kube").join("config")], String::from("default"))
    };
    let standard = paths.config.join(FLEET_FILE);
    let (fleet, fleet_by) = if let Some(path) = &request.fleet {
        (Some(path.clone()), String::from("flag --fleet"))
    } else if let Some(value) = variable("QUARTERDECK_FLEET") {
        (Some(PathBuf::from(value)), String::from("variable QUARTERDECK_FLEET"))
    } else if standard.exists() {
        (Some(standard), String::from("default"))
    } else {
        (None, String::from("default"))
    };
    Sources { kubeconfigs, kubeconfig_flag: request.kubeconfig.clone(), kubeconfig_by, fleet, fleet_by }
}
