//! A cluster as the fleet names it: its identity, its declared record, and the state of our view of it.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{Millis, Secs};

/// Index of a cluster in the fleet, stable for the life of the process; never reused while the console runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClusterId(pub u16);

impl ClusterId {
    /// Position in tables that are kept per cluster.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Where a declared value was written, for `≠ declared` notes and error messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// File as the user would name it.
    pub file: String,
    /// Line, counted from 1; 0 when the format has none.
    pub line: u32,
}

/// A person or a channel to reach in an emergency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Who: a name, a team, a rota.
    pub name: String,
    /// How: telephone, chat channel, pager link.
    #[serde(default)]
    pub reach: String,
}

/// A taint of a whole cluster, as placement knows it (Karmada's words).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taint {
    /// Taint key.
    pub key: String,
    /// Taint value, may be empty.
    #[serde(default)]
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    #[serde(default)]
    pub effect: String,
}

/// What the ledger says of one cluster. Everything here is *declared*; what is derived live lies in [`ClusterFacts`] and
/// in the fleet's views, and a live value wins over a declared one (specs: ledger precedence).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterRecord {
    /// Name on every screen: the fleet file's name, else the context's name. Unique in the fleet.
    pub name: Arc<str>,
    /// Short alias for narrow columns; empty when none was declared.
    pub alias: String,
    /// kubeconfig context that is used.
    pub context: String,
    /// Other contexts that lead to the same API server as the same user (joined into this one).
    pub also: Vec<String>,
    /// API server URL as the kubeconfig has it; shown, never parsed by screens.
    pub server: String,
    /// Environment (`prod`, `staging` ...); empty = unknown, which is treated as production.
    pub environment: String,
    /// True when `environment` was guessed from the name.
    pub environment_guessed: bool,
    /// Declared region.
    pub region: String,
    /// Declared zones.
    pub zones: Vec<String>,
    /// Declared provider.
    pub provider: String,
    /// Owning team.
    pub team: String,
    /// Tier, e.g. `1`.
    pub tier: String,
    /// Business systems that live there.
    pub systems: Vec<String>,
    /// Monitoring entry point (a URL).
    pub monitoring: String,
    /// Whom to call.
    pub contacts: Vec<Contact>,
    /// Day of onboarding, as declared (`2026-01-31`).
    pub onboarded: String,
    /// Declared labels.
    pub labels: BTreeMap<String, String>,
    /// Declared taints.
    pub taints: Vec<Taint>,
    /// Groups of the fleet file that this cluster belongs to.
    pub groups: Vec<String>,
    /// Namespace to stay in when the permission covers one only; empty = all namespaces.
    pub namespace: String,
    /// True when this cluster may never be written to.
    pub read_only: bool,
    /// Fleet file and line that declared it, if any.
    pub declared_at: Option<Place>,
}

/// State of our view of a cluster. The exact words of the JSON output are those of [`ClusterState::word`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ClusterState {
    /// No answer yet, and no failure either.
    #[default]
    Connecting,
    /// Reached; first lists are running.
    Syncing,
    /// Every watched kind that may be read is live.
    Live,
    /// Was live, stopped talking; the rows are the last known ones.
    Stale,
    /// No connection: DNS, TCP, TLS, proxy, or the server fails every request.
    Unreachable,
    /// 401, or the credential plugin wants the person to log in.
    LoginExpired,
    /// Reached and authenticated, but nothing may be read.
    Forbidden,
}

impl ClusterState {
    /// All states, worst last is *not* implied; see [`ClusterState::severity`].
    pub const ALL: [Self; 7] = [
        Self::Connecting,
        Self::Syncing,
        Self::Live,
        Self::Stale,
        Self::Unreachable,
        Self::LoginExpired,
        Self::Forbidden,
    ];

    /// The stable word used in JSON, CSV and filters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Syncing => "syncing",
            Self::Live => "live",
            Self::Stale => "stale",
            Self::Unreachable => "unreachable",
            Self::LoginExpired => "login-expired",
            Self::Forbidden => "forbidden",
        }
    }

    /// 0 = fine; larger is worse. Used for "worst first".
    pub fn severity(self) -> u8 {
        match self {
            Self::Live => 0,
            Self::Syncing => 1,
            Self::Connecting => 2,
            Self::Forbidden => 4,
            Self::LoginExpired => 5,
            Self::Stale => 6,
            Self::Unreachable => 7,
        }
    }
}

/// What kind of trouble it is. The words for a person come from `messages::live`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CauseCode {
    /// The host name does not resolve.
    Dns,
    /// TCP refused.
    Refused,
    /// No answer within the time allowed.
    Timeout,
    /// The connection was reset or closed in mid-answer.
    Reset,
    /// Nothing heard on an open connection (missed HTTP/2 pings, silent watch).
    Silent,
    /// The server's certificate is out of date.
    TlsExpired,
    /// The server's certificate is not signed by the configured authority.
    TlsUntrusted,
    /// The server's certificate is for another name.
    TlsName,
    /// Another TLS failure.
    TlsOther,
    /// The operator's own client certificate is out of date or unusable.
    ClientCertificate,
    /// 401.
    Unauthorized,
    /// The credential plugin failed, hung, or asked for a person.
    ExecPlugin,
    /// 403.
    Forbidden,
    /// 429, or the server asked to wait.
    Throttled,
    /// 5xx.
    Server,
    /// The proxy refused or failed.
    Proxy,
    /// The kubeconfig entry cannot be used.
    Config,
    /// The server answered with something that is not the Kubernetes API.
    Protocol,
    /// The same context now leads to another cluster (the kube-system uid changed).
    OtherCluster,
    /// A fault of this program, in the task of one cluster.
    Internal,
}

/// Why a cluster or a kind is not live, with the cause's own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Class of the trouble.
    pub code: CauseCode,
    /// The cause's own words, foreign text: clean it before it is shown.
    pub detail: String,
    /// What was being done: verb, resource and namespace where they are known (`list pods`, namespace `shop`).
    pub verb: String,
    /// Resource in the API's words (`pods`, `deployments.apps`).
    pub resource: String,
    /// Namespace, empty for cluster-wide.
    pub namespace: String,
    /// Seconds the server asked to wait, if it did.
    pub retry_after: Option<u32>,
    /// HTTP status, when the server answered with one: 404, 410 and 422 steer the watches and have no code of their own.
    #[serde(default)]
    pub status: Option<u16>,
    /// A command that the person can run (credential plugin, `kubectl auth can-i`), if there is one.
    pub command: Option<String>,
}

impl Cause {
    /// A cause without verb and resource.
    pub fn new(code: CauseCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            verb: String::new(),
            resource: String::new(),
            namespace: String::new(),
            retry_after: None,
            status: None,
            command: None,
        }
    }

    /// The same cause, saying what was being done when it struck.
    #[must_use]
    pub fn during(mut self, verb: &str, resource: &str, namespace: &str) -> Self {
        verb.clone_into(&mut self.verb);
        resource.clone_into(&mut self.resource);
        namespace.clone_into(&mut self.namespace);
        self
    }
}

/// State with its cause and the moment it began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The state.
    pub state: ClusterState,
    /// Since when.
    pub since: Millis,
    /// The cause, for every state that is not good.
    pub cause: Option<Cause>,
    /// When something was last heard from the cluster (any byte); `Millis(0)` = never.
    pub heard: Millis,
    /// Kinds listed so far and kinds to list, while syncing.
    pub progress: (u16, u16),
}

/// State of one watched kind in one cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum KindStatus {
    /// Not started yet.
    #[default]
    Waiting,
    /// The first (or a fresh) list is running: rows so far, and about how many there will be if the server said so.
    Listing {
        /// Rows received so far.
        rows: u32,
        /// Estimated total.
        expected: Option<u32>,
    },
    /// Watched; changes arrive as they happen.
    Live,
    /// May be listed but not watched: read again every few seconds.
    Polling,
    /// Was live and is not now.
    Stale(Cause),
    /// May not be read.
    Forbidden(Cause),
    /// The server does not serve it.
    NotServed,
    /// Failing for another reason; being retried.
    Failing(Cause),
}

/// `/version`, parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KubeVersion {
    /// `gitVersion` as sent, e.g. `v1.33.4-eks-1a2b`.
    pub git: String,
    /// Major number.
    pub major: u16,
    /// Minor number (the binary's own).
    pub minor: u16,
    /// Minor version whose behaviour is emulated, when the server says so.
    pub emulated_minor: Option<u16>,
}

/// What the TLS handshake showed of the API server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiCertificate {
    /// Subject, as text.
    pub subject: String,
    /// Issuer, as text.
    pub issuer: String,
    /// End of validity.
    pub not_after: Secs,
}

/// How we authenticate, and until when that works.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    /// `client-certificate`, `token`, `token-file`, `exec`, `basic`, `auth-provider`, `none`.
    pub kind: String,
    /// Executable name of the plugin, when there is one.
    pub plugin: String,
    /// End of validity when it can be known (certificate, JWT `exp`, plugin's expiry).
    pub expires: Option<Secs>,
    /// Name the server knows us by (SelfSubjectReview), else the certificate's CN; empty = unknown.
    pub user: String,
    /// Whom we impersonate; empty = nobody.
    pub impersonating: String,
}

/// What probing and discovery found out; replaced as a whole, cheaply, whenever a part changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterFacts {
    /// uid of the namespace kube-system: the cluster's identity.
    pub id: Option<String>,
    /// Server version.
    pub version: Option<KubeVersion>,
    /// Round trip of a small request on an open connection, milliseconds.
    pub rtt_ms: Option<u32>,
    /// Serving certificate.
    pub certificate: Option<ApiCertificate>,
    /// Credential in use.
    pub credential: Credential,
    /// API groups served, with `group/version` of each preferred version.
    pub groups: Vec<String>,
    /// Aggregated APIs or groups that failed in discovery: group and reason.
    pub failed_groups: Vec<(String, String)>,
    /// Seconds by which the server's clock is ahead of ours (negative: behind), from the Date header.
    pub clock_skew_s: Option<i32>,
    /// Checks of `/readyz` that fail, in the server's words; empty when it is ready or does not let us ask.
    pub not_ready: String,
    /// Requests answered 429 since the start.
    pub throttled: u32,
    /// Reconnects since the start.
    pub reconnects: u32,
    /// Open watches.
    pub watches: u16,
    /// List throughput seen, kilobytes per second.
    pub list_kbps: Option<u32>,
    /// Use of all nodes by metrics.k8s.io: millicores, bytes, when measured.
    pub usage: Option<(u64, u64, Secs)>,
    /// Why there is no usage, when there is none (`no metrics-server`).
    pub usage_note: String,
    /// Objects that could not be read since the start.
    pub unreadable: u32,
    /// The latest of them, at most 20: `resource namespace/name` and the reason.
    pub unreadable_latest: Vec<(String, String)>,
}
