//! What all clusters of the process share: credential plugins, the machine's trust store, the environment's proxies.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use super::{plugins::Plugins, proxy::ProxyEnv, tls::NativeRoots};

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

    /// A person asks to log in again: failures are forgotten, so the next connection runs the plugins at once.
    pub fn forget_failures(&self) {
        self.plugins.forget_failures();
    }
}
