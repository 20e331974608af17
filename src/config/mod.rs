//! Configuration: found, read, validated, and resolved to what the program uses.
//!
//! Two steps, as for arguments: *raw* is what was written, with places; *resolved* is what is used. Errors name file, line
//! and field. The kubeconfig is only ever read. Precedence: flag, variable, file, default; [`Settings::won`] says which won.

pub mod choices;
pub mod desired;
pub mod fleet_file;
pub mod kubeconfig;
pub mod paths;
pub mod reload;
mod resolve;
pub mod words;
mod yaml;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

pub use crate::fault::Problem;
pub use resolve::{language, resolve, resolve_telling_all};

use crate::{
    fleet::service::ServiceRules,
    model::{ClusterRecord, KindInfo},
};

/// What came from flags and variables, before any file was read. `None` and empty mean "not given".
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `--kubeconfig` (else `KUBECONFIG`, else `~/.kube/config`).
    pub kubeconfig: Option<PathBuf>,
    /// `--fleet`.
    pub fleet: Option<PathBuf>,
    /// `--config`: the configuration directory.
    pub config_dir: Option<PathBuf>,
    /// `--context`, globs.
    pub contexts: Vec<String>,
    /// `--group`.
    pub groups: Vec<String>,
    /// `-n`.
    pub namespace: Option<String>,
    /// `-l`.
    pub selector: Option<String>,
    /// `--read-only`.
    pub read_only: bool,
    /// `--no-cache`.
    pub no_cache: bool,
    /// `--theme`.
    pub theme: Option<String>,
    /// `--color`.
    pub color: Option<String>,
    /// `--lang`.
    pub lang: Option<String>,
    /// `--ascii`.
    pub ascii: bool,
    /// `--no-mouse`.
    pub no_mouse: bool,
    /// `--plain`.
    pub plain: bool,
    /// Environment variables the program looks at, taken once in `main` so that tests can give their own.
    pub env: BTreeMap<String, String>,
}

/// One cluster to connect to: its record and how to reach it.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The record, for the screens.
    pub record: Arc<ClusterRecord>,
    /// The kubeconfig entry, for `live`: or why it cannot be used.
    pub access: Result<Arc<kubeconfig::Access>, String>,
}

/// A setting and who set it, for `quarterdeck info`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Won {
    /// Name of the setting.
    pub name: &'static str,
    /// Value in use.
    pub value: String,
    /// `flag --theme`, `variable QUARTERDECK_THEME`, `file /.../fleet.yaml:12`, `default`.
    pub by: String,
}

/// Everything the program uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Clusters, in the order of the fleet file, else of the kubeconfig.
    pub targets: Vec<Target>,
    /// Name of the fleet shown in the header; empty without a fleet file.
    pub fleet_name: String,
    /// Danger by environment: environment -> `low`, `high`; unknown environments are high.
    pub danger: BTreeMap<String, String>,
    /// Service rules.
    pub services: ServiceRules,
    /// Kinds to watch beside the built-in ones.
    pub extra_kinds: Vec<KindInfo>,
    /// Built-in kinds not to watch (plural names).
    pub skip_kinds: Vec<String>,
    /// Desired state as the fleet file names it.
    pub desired: desired::Desired,
    /// Columns by screen, where the file chose them.
    pub columns: BTreeMap<String, Vec<String>>,
    /// Namespace filter of `-n`.
    pub namespace: String,
    /// Selector of `-l`.
    pub selector: String,
    /// Read-only for all.
    pub read_only: bool,
    /// Whether snapshots are read and written.
    pub cache: bool,
    /// Theme name, `auto` = ask the terminal.
    pub theme: String,
    /// `auto`, `always`, `never`, `16`, `256`.
    pub color: String,
    /// Language.
    pub lang: crate::messages::Lang,
    /// ASCII glyphs.
    pub ascii: bool,
    /// Mouse.
    pub mouse: bool,
    /// How text is copied: one of [`choices::CLIPBOARDS`].
    pub clipboard: String,
    /// Plain rendering for screen readers.
    pub plain: bool,
    /// The fleet file, where there is one.
    pub fleet_file: Option<PathBuf>,
    /// Where everything lies.
    pub paths: paths::Paths,
    /// Who set what.
    pub won: Vec<Won>,
    /// What is wrong but does not stop us.
    pub problems: Vec<Problem>,
    /// Files whose change must be noticed (kubeconfig files, fleet file, themes, keys).
    pub watched_files: Vec<PathBuf>,
    /// Kubeconfig files that are there and are empty or break off: perhaps somebody is writing them just now.
    pub incomplete: Vec<PathBuf>,
    /// Fingerprints of the theme and key files, so that a change of theirs makes new settings.
    pub marks: BTreeMap<PathBuf, u64>,
}
