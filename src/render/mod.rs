//! The edge of desired state: reads files, runs `kubectl kustomize`, `helm` and `git`, keeps what they gave by content.
//! What comes out are plain objects with their places; no decision is taken here.

mod align;
mod bench;
mod cache;
mod chain;
mod chart;
mod directives;
mod edit;
pub mod facts;
pub mod files;
pub mod git;
mod helm;
mod kustomize;
pub mod load;
mod output;
pub mod plain;
pub mod revision;
pub mod story;
mod template;
#[cfg(test)]
mod testing;
mod tool;
pub mod tools;
mod trace;
pub mod worker;
mod writer;

pub use trace::{Evidence, Trace, trace};

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crate::{
    desired::{object::Object, tree::Node},
    fault::Fault,
};

/// Where a service's base comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceSpec {
    /// A file, or a folder of files (read recursively: `*.yaml`, `*.yml`, `*.json`).
    Plain {
        /// File or folder.
        path: PathBuf,
    },
    /// A folder with a kustomization.
    Kustomize {
        /// The folder.
        path: PathBuf,
    },
    /// A Helm chart.
    Helm {
        /// The chart's folder.
        chart: PathBuf,
        /// Release name.
        release: String,
        /// Namespace of the release.
        namespace: String,
        /// Values files, later ones win.
        values: Vec<PathBuf>,
        /// Values that win over all files; null = none. Their origins are told as the places of what they give.
        set: Node,
    },
}

/// What a source gave.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The objects; Lists are taken apart.
    pub objects: Vec<Arc<Object>>,
    /// What was left out and why, document by document: it costs nothing else.
    pub faults: Vec<Fault>,
    /// Tool and version that rendered it; empty for plain files.
    pub tool: String,
    /// Every file it was made from, as named in places: when none of them changes, neither does the result.
    pub inputs: Vec<PathBuf>,
}

/// The tools and where results are kept.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The folder that files are named relative to (the fleet file's folder).
    pub root: PathBuf,
    /// Folder for kept results; `None` = nothing is kept.
    pub cache: Option<PathBuf>,
    /// `PATH` that the tools are looked up in.
    pub path: String,
    /// Longest run of a tool.
    pub limit: Duration,
}

/// Renders a source.
///
/// # Errors
///
/// When it cannot be rendered at all: the words of the tool or the reader, with the source's path.
pub fn render(spec: &SourceSpec, tools: &Tools) -> Result<Rendered, Fault> {
    match spec {
        SourceSpec::Plain { path } => plain::plain(&tools.root.join(path), tools),
        SourceSpec::Kustomize { path } => kustomize::kustomize(path, tools),
        SourceSpec::Helm { chart, release, namespace, values, set } => {
            helm::helm(&helm::Release::new(chart, release, namespace, values, set, tools), tools)
        }
    }
}

/// A file as places name it.
fn name_of(path: &Path, tools: &Tools) -> String {
    files::name(path, &tools.root)
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
