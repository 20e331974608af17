//! The merged kubeconfig, read file by file and never written.
//!
//! kubectl's rules: a file that is not there is passed over, the first file wins per name, relative paths lie beside
//! their own file. Where kubectl gives up we go on: a broken file or entry costs only itself and is said.

mod build;
mod load;

use std::path::PathBuf;

pub use load::{Context, Loaded, load};

/// Everything needed to reach one context's API server, relative paths made absolute. Debug output hides secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Context name.
    pub context: String,
    /// Server URL.
    pub server: String,
    /// `tls-server-name`.
    pub tls_server_name: String,
    /// `insecure-skip-tls-verify`.
    pub insecure: bool,
    /// Authority, PEM.
    pub ca: Option<Vec<u8>>,
    /// `proxy-url`.
    pub proxy_url: String,
    /// Namespace of the context.
    pub namespace: String,
    /// How to authenticate.
    pub auth: Auth,
    /// `as`, `as-uid`, `as-groups`, `as-user-extra`.
    pub impersonate: Impersonate,
}

impl Access {
    /// True when both lead to the same server as the same person in the same way, whatever name and namespace the
    /// contexts have: one connection is enough for both.
    pub fn same_way(&self, other: &Self) -> bool {
        self.server == other.server
            && self.tls_server_name == other.tls_server_name
            && self.insecure == other.insecure
            && self.ca == other.ca
            && self.proxy_url == other.proxy_url
            && self.auth == other.auth
            && self.impersonate == other.impersonate
    }
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("context", &self.context).field("server", &self.server).finish_non_exhaustive()
    }
}

/// How to authenticate; `client-certificate` may come beside a token and is kept beside it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Auth {
    /// Client certificate chain and key, PEM.
    pub certificate: Option<(Vec<u8>, Vec<u8>)>,
    /// Static bearer token.
    pub token: Option<String>,
    /// Token file, read again when it changes.
    pub token_file: Option<PathBuf>,
    /// Basic authentication.
    pub basic: Option<(String, String)>,
    /// Credential plugin.
    pub exec: Option<Exec>,
    /// Legacy auth-provider's name (refused with a hint, except those we know).
    pub provider: Option<String>,
}

/// A credential plugin. Two equal values are run once and share the result.
/// Arguments and variables may hold secrets, so Debug output leaves them out.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Exec {
    /// `apiVersion` of the protocol.
    pub api_version: String,
    /// Program; relative names are looked up in PATH, relative paths from the kubeconfig's folder.
    pub command: String,
    /// Arguments.
    pub args: Vec<String>,
    /// Environment added.
    pub env: Vec<(String, String)>,
    /// What to do when it is not installed.
    pub install_hint: String,
    /// Give it the cluster's data.
    pub provide_cluster_info: bool,
    /// Cluster data as JSON when it is given.
    pub cluster_info: String,
    /// `Never`, `IfAvailable`, `Always`: it runs without a terminal, and `Always` becomes *login expired* at once, until a
    /// person logs in on purpose.
    pub interactive_mode: String,
}

impl std::fmt::Debug for Exec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exec").field("command", &self.command).finish_non_exhaustive()
    }
}

/// Whom to impersonate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impersonate {
    /// User.
    pub user: String,
    /// uid.
    pub uid: String,
    /// Groups.
    pub groups: Vec<String>,
    /// Extra.
    pub extra: Vec<(String, Vec<String>)>,
}

#[cfg(test)]
mod tests;
