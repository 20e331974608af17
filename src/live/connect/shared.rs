//! What all clusters of the process share: credential plugins, the machine's trust store, the environment's proxies.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use tokio::sync::mpsc::UnboundedSender;

use super::{
    exec::{self, Issued},
    plugins::Plugins,
    proxy::ProxyEnv,
    tls::NativeRoots,
};
use crate::{
    config::kubeconfig::{Access, Exec},
    model::{Cause, CauseCode},
};

/// Times and numbers; the defaults are the product's, tests shorten them.
#[derive(Clone, Debug)]
pub struct Limits {
    /// For each step of dialling: name, TCP, proxy, TLS.
    pub connect: Duration,
    /// A connection that has said nothing for so long is pinged.
    pub ping: Duration,
    /// ... and is dead when the answer takes longer than this.
    pub pong: Duration,
    /// For the headers of a list or a watch.
    pub headers: Duration,
    /// For one run of a credential plugin.
    pub plugin: Duration,
    /// Credential plugins at once.
    pub plugins: usize,
    /// A failed plugin is not run again for so long, unless a person asks.
    pub plugin_rest: Duration,
    /// A command that hung for several clusters is not started for further ones for so long, unless a person asks.
    pub plugin_hang_rest: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            ping: Duration::from_secs(5),
            pong: Duration::from_secs(5),
            headers: Duration::from_secs(60),
            plugin: Duration::from_secs(30),
            plugins: 4,
            plugin_rest: Duration::from_secs(10),
            plugin_hang_rest: Duration::from_secs(60),
        }
    }
}

/// What a log-in with the terminal gave.
#[derive(Debug)]
pub struct LoggedIn {
    exec: Exec,
    outcome: Result<Issued, Cause>,
}

impl LoggedIn {
    /// Whether there is a credential now.
    ///
    /// # Errors
    /// Why there is none.
    pub fn told(&self) -> Result<(), Cause> {
        self.outcome.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// Whether this cluster's entry is the same one.
    pub fn fits(&self, access: &Access) -> bool {
        access.auth.exec.as_ref() == Some(&self.exec)
    }
}

/// Shared by all connections; one per process.
#[derive(Debug)]
pub struct Shared {
    pub(super) limits: Limits,
    pub(super) plugins: Plugins,
    pub(super) roots: NativeRoots,
    pub(super) proxies: ProxyEnv,
}

impl Shared {
    /// `env`: the process's variables, for the proxies.
    pub fn new(env: &BTreeMap<String, String>) -> Self {
        Self::with_limits(env, Limits::default())
    }

    /// With other limits than the product's.
    pub fn with_limits(env: &BTreeMap<String, String>, limits: Limits) -> Self {
        Self { plugins: Plugins::new(&limits), roots: NativeRoots::default(), proxies: ProxyEnv::new(env), limits }
    }

    /// Runs credential plugins through this program, called as `PROGRAM --detached COMMAND ARGS...`, which must give up
    /// the terminal's session first (see [`super::detached()`]). Without it plugins have a process group of their own, but
    /// could still open `/dev/tty`.
    pub fn detach_through(&mut self, program: PathBuf) {
        self.plugins.launcher = Some(program);
    }

    /// Logs a person in with the terminal: the credential plugin of this entry runs in the foreground, and what it says on
    /// stderr goes to `said`. Dropping the future ends the plugin.
    ///
    /// # Errors
    /// The entry has no plugin, or the plugin gave no credential; in its own words.
    pub async fn log_in(&self, access: &Access, said: UnboundedSender<Vec<u8>>) -> Result<LoggedIn, Cause> {
        let Some(exec) = access.auth.exec.clone() else {
            return Err(Cause::new(CauseCode::Config, "the kubeconfig names no credential plugin for this cluster"));
        };
        let outcome = exec::run_with_terminal(&exec, said).await;
        Ok(LoggedIn { exec, outcome })
    }

    /// Makes a log-in count for every cluster with an equal entry: their next connection uses it, or tells why it failed.
    pub async fn keep(&self, login: LoggedIn) {
        self.plugins.keep(&login.exec, login.outcome).await;
    }

    /// A person asks to log in again: failures are forgotten, so the next connection runs the plugins at once.
    pub fn forget_failures(&self) {
        self.plugins.forget_failures();
    }
}
