//! Reads the files and merges their entries by name.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Access, build};
use crate::{
    config::yaml::{self, Node},
    fault::Fault,
    messages::cli as text,
    model::Place,
};

/// One context of the merged kubeconfig.
#[derive(Clone, Debug)]
pub struct Context {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Place,
    /// How to reach its cluster, or why that cannot be known.
    pub access: Result<Arc<Access>, Fault>,
    /// True when the cluster or user it names is defined nowhere: what a half-written file looks like.
    pub dangling: bool,
}

/// What reading the files gave.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// Contexts in the order of the files.
    pub contexts: Vec<Context>,
    /// What is wrong but costs only itself.
    pub faults: Vec<Fault>,
    /// Every file that was looked at, those that are not there included, and the certificate files they name.
    pub files: Vec<PathBuf>,
    /// Files that are there and are empty or break off: perhaps somebody is writing them just now.
    pub incomplete: Vec<PathBuf>,
}

/// One `clusters:`, `users:` or `contexts:` entry.
#[derive(Debug)]
pub(super) struct Entry {
    /// Its name.
    pub name: String,
    /// What stands under `cluster:`, `user:` or `context:`.
    pub body: Node,
    /// Its file.
    pub file: PathBuf,
    /// Its line.
    pub line: u32,
}

/// The merged entries.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// By name.
    pub clusters: BTreeMap<String, Entry>,
    /// By name.
    pub users: BTreeMap<String, Entry>,
    /// In the order of the files.
    pub contexts: Vec<Entry>,
}

/// Reads and merges. Never fails: what cannot be used is told in [`Loaded::faults`] or in the context itself.
pub fn load(files: &[PathBuf]) -> Loaded {
    let mut loaded = Loaded::default();
    let mut merged = Merged::default();
    for path in files {
        if loaded.files.contains(path) {
            continue;
        }
        loaded.files.push(path.clone());
        if let Some(root) = read(path, &mut loaded) {
            merge(path, &root, &mut merged, &mut loaded.faults);
        }
    }
    for context in &merged.contexts {
        let built = build::access(context, &merged, &mut loaded.files);
        loaded.contexts.push(Context {
            name: context.name.clone(),
            place: Place { file: context.file.display().to_string(), line: context.line },
            dangling: matches!(&built, Err(fault) if build::is_dangling(fault)),
            access: built.map(Arc::new),
        });
    }
    loaded
}

/// One file's document; `None` when there is none to use.
fn read(path: &Path, loaded: &mut Loaded) -> Option<Node> {
    let content = match read_text(path) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            loaded.faults.push(Fault::new(path, 0, "", text::FILE_UNREADABLE).with("detail", error.to_string()));
            return None;
        }
    };
    if content.trim().is_empty() {
        loaded.incomplete.push(path.to_path_buf());
        loaded.faults.push(Fault::new(path, 0, "", text::KUBECONFIG_EMPTY));
        return None;
    }
    match yaml::parse(&content) {
        Ok(root) if matches!(root.value, yaml::Value::Map(_)) => Some(root),
        Ok(root) => {
            loaded.incomplete.push(path.to_path_buf());
            loaded.faults.push(Fault::new(path, root.line, "", text::KUBECONFIG_NO_MAP));
            None
        }
        Err(broken) => {
            loaded.incomplete.push(path.to_path_buf());
            loaded.faults.push(Fault::new(path, broken.line, "", text::FILE_NOT_YAML).with("detail", &broken.detail));
            None
        }
    }
}

/// A whole file as text, refused when it is larger than any configuration is.
fn read_text(path: &Path) -> io::Result<String> {
    let len = std::fs::metadata(path)?.len();
    if len > yaml::LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{len} bytes")));
    }
    std::fs::read_to_string(path)
}

/// Takes one file's entries in; those whose name is taken lose, and that is said unless they are the same.
fn merge(path: &Path, root: &Node, merged: &mut Merged, faults: &mut Vec<Fault>) {
    for entry in entries(path, root, "clusters", "cluster", faults) {
        keep_first(entry, "cluster", &mut merged.clusters, faults);
    }
    for entry in entries(path, root, "users", "user", faults) {
        keep_first(entry, "user", &mut merged.users, faults);
    }
    for entry in entries(path, root, "contexts", "context", faults) {
        match merged.contexts.iter().find(|c| c.name == entry.name) {
            Some(first) => say_taken(first, &entry, "context", faults),
            None => merged.contexts.push(entry),
        }
    }
}

fn keep_first(entry: Entry, what: &str, by_name: &mut BTreeMap<String, Entry>, faults: &mut Vec<Fault>) {
    match by_name.get(&entry.name) {
        Some(first) => say_taken(first, &entry, what, faults),
        None => {
            by_name.insert(entry.name.clone(), entry);
        }
    }
}

fn say_taken(first: &Entry, second: &Entry, what: &str, faults: &mut Vec<Fault>) {
    // The same entry twice does no harm, unless relative paths make it another one.
    if first.body.json() == second.body.json() && first.file.parent() == second.file.parent() {
        return;
    }
    faults.push(
        Fault::new(&second.file, second.line, format!("{what}s"), text::NAME_TAKEN)
            .with("what", what)
            .with("name", &second.name)
            .with("first", format!("{}:{}", first.file.display(), first.line)),
    );
}

/// The named entries of one list; an entry without a name, or that is no map, is said and left out.
fn entries(path: &Path, root: &Node, list: &str, body: &str, faults: &mut Vec<Fault>) -> Vec<Entry> {
    let Some(node) = root.get(list) else { return Vec::new() };
    if !matches!(node.value, yaml::Value::List(_)) {
        faults.push(Fault::new(path, node.line, list, text::KUBECONFIG_NO_LIST));
    }
    let mut found = Vec::new();
    for (i, item) in node.items().iter().enumerate() {
        let name = item.text_of("name");
        match item.get(body) {
            Some(inner) if !name.is_empty() && matches!(inner.value, yaml::Value::Map(_)) => {
                found.push(Entry { name, body: inner.clone(), file: path.to_path_buf(), line: item.line });
            }
            // `user: {}` and `user:` are how a person without credentials is written.
            None if !name.is_empty() && body == "user" => {
                found.push(Entry { name, body: Node::default(), file: path.to_path_buf(), line: item.line });
            }
            _ => {
                let field = format!("{list}[{i}]");
                faults.push(Fault::new(path, item.line, field, text::KUBECONFIG_BAD_ENTRY).with("body", body));
            }
        }
    }
    found
}
