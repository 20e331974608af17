//! A source at a git revision: its files as they were, rendered like any other, with the revision in every place.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Rendered, SourceSpec, Tools, git::Repository, normal, render};
use crate::{
    desired::{
        object::Object,
        origin::{Act, At, Change, Origin, Rule, Source, SourceKind},
        tree::{Map, Node, Value},
    },
    fault::Fault,
};

/// Renders a source as it was at a revision of the repository that its path lies in. Places are named from the root of the
/// repository and bear the full commit id. Changes of the work tree play no part.
///
/// # Errors
///
/// When there is no git, repository, revision or path, or as [`render`].
pub fn render_at(spec: &SourceSpec, revision: &str, tools: &Tools) -> Result<Rendered, Fault> {
    let path = match spec {
        SourceSpec::Plain { path } | SourceSpec::Kustomize { path } | SourceSpec::Helm { chart: path, .. } => path,
    };
    let path = whole(path, tools);
    // The path may be gone from the work tree.
    let Some(there) = path.ancestors().find(|p| p.is_dir()) else { return render(spec, tools) };
    let repository = Repository::new(there, tools)?;
    let commit = repository.commit(revision)?;
    let root = repository.root()?;
    let below = |path: &Path| below(&whole(path, tools), &root);
    // Overlays and charts reach for what lies beside them.
    let within = match spec {
        SourceSpec::Plain { path } => below(path).unwrap_or_default(),
        SourceSpec::Kustomize { .. } | SourceSpec::Helm { .. } => PathBuf::new(),
    };
    let checkout = repository.checkout(&commit, &within)?;
    let moved = moved(spec, &|path| below(path).map_or_else(|| path.to_path_buf(), |b| checkout.folder.join(b)));
    let inside = Tools { root: checkout.folder.clone(), ..tools.clone() };
    let mut rendered = render(&moved, &inside)?;
    let mut stamp = Stamp { commit: &checkout.commit, sources: BTreeMap::new() };
    if let SourceSpec::Helm { set, .. } = spec {
        // Values of the fleet file are of today.
        stamp.leave(set);
    }
    rendered.objects = rendered.objects.iter().map(|o| Arc::new(stamp.object(o))).collect();
    rendered.inputs = repository.references()?;
    Ok(rendered)
}

/// A path in full.
fn whole(path: &Path, tools: &Tools) -> PathBuf {
    normal(&tools.root.join(path))
}

/// The path from the root of the repository; git names the root without links.
fn below(path: &Path, root: &Path) -> Option<PathBuf> {
    if let Ok(below) = path.strip_prefix(root) {
        return Some(below.to_path_buf());
    }
    let there = path.ancestors().find(|p| p.exists())?;
    let real = there.canonicalize().ok()?;
    let rest = path.strip_prefix(there).ok()?;
    Some(real.strip_prefix(root.canonicalize().ok()?).ok()?.join(rest))
}

/// The same source with its paths elsewhere.
fn moved(spec: &SourceSpec, to: &dyn Fn(&Path) -> PathBuf) -> SourceSpec {
    match spec {
        SourceSpec::Plain { path } => SourceSpec::Plain { path: to(path) },
        SourceSpec::Kustomize { path } => SourceSpec::Kustomize { path: to(path) },
        SourceSpec::Helm { chart, release, namespace, values, set } => SourceSpec::Helm {
            chart: to(chart),
            release: release.clone(),
            namespace: namespace.clone(),
            values: values.iter().map(|v| to(v)).collect(),
            set: set.clone(),
        },
    }
}

/// Puts the revision into the places of objects.
struct Stamp<'c> {
    commit: &'c str,
    /// One new source for each old one.
    sources: BTreeMap<Source, Arc<Source>>,
}

impl Stamp<'_> {
    /// Leaves the places of these values as they are.
    fn leave(&mut self, node: &Node) {
        let origins = node.leaves().into_iter().filter_map(|(_, leaf)| leaf.origin.at()).chain(node.origin.at());
        for at in origins {
            self.sources.insert((*at.source).clone(), at.source);
        }
    }

    fn object(&mut self, object: &Object) -> Object {
        Object { key: object.key.clone(), node: self.node(&object.node) }
    }

    fn node(&mut self, node: &Node) -> Node {
        let value = match &node.value {
            Value::List(items) => Value::List(Arc::new(items.iter().map(|i| self.node(i)).collect())),
            Value::Map(map) => {
                let entries = map.iter().map(|(k, n)| (k.clone(), self.node(n))).collect();
                Value::Map(Arc::new(Map::from_unique(entries)))
            }
            scalar => scalar.clone(),
        };
        Node { value, origin: self.origin(&node.origin) }
    }

    fn origin(&mut self, origin: &Origin) -> Origin {
        match origin {
            Origin::Unknown => Origin::Unknown,
            Origin::At(source, line) => Origin::At(self.source(source), *line),
            Origin::Changed(change) => {
                let act = match &change.act {
                    Act::Created => Act::Created,
                    Act::Replaced(old) => Act::Replaced(self.node(old)),
                    Act::Removed(key, old) => Act::Removed(key.clone(), self.node(old)),
                };
                let at = At { source: self.source(&change.rule.at.source), line: change.rule.at.line };
                let rule = Arc::new(Rule { at, ..(*change.rule).clone() });
                Origin::Changed(Arc::new(Change { rule, act, before: self.origin(&change.before) }))
            }
        }
    }

    /// Only what was read from the repository bears its revision: neither the tool's own doing nor files that lie elsewhere,
    /// which are named by their full path.
    fn source(&mut self, source: &Arc<Source>) -> Arc<Source> {
        let foreign = source.kind == SourceKind::Tool || source.file.starts_with('/') || !source.revision.is_empty();
        if foreign {
            return source.clone();
        }
        if let Some(known) = self.sources.get(&**source) {
            return known.clone();
        }
        let stamped = Arc::new(Source { revision: self.commit.to_owned(), ..(**source).clone() });
        self.sources.insert((**source).clone(), stamped.clone());
        stamped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{
        git::{checkout, tests::Clone},
        testing::{tools, write},
    };

    fn shown(rendered: &Rendered) -> Vec<String> {
        let image = |o: &Arc<Object>| {
            let data = o.node.at_keys(&["data", "v"]).unwrap();
            format!("{} {} {}", o.key, data.as_str().unwrap(), data.origin.at().unwrap())
        };
        rendered.objects.iter().map(image).collect()
    }

    #[test]
    fn a_source_is_rendered_as_it_was_and_its_places_say_so() {
        let clone = Clone::new();
        let object = |name: &str, v: &str| {
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n  v: {v}\n")
        };
        write(clone.path(), "deploy/app/a.yaml", &object("a", "one"));
        write(clone.path(), "deploy/app/sub/b.yaml", &object("b", "one"));
        write(clone.path(), "deploy/other/c.yaml", &object("c", "one"));
        let first = clone.commit("first");
        clone.git(&["tag", "v1"]);
        write(clone.path(), "deploy/app/a.yaml", &object("a", "two"));
        clone.git(&["rm", "-rq", "deploy/other"]);
        let second = clone.commit("second");
        write(clone.path(), "deploy/app/a.yaml", &object("a", "dirty"));
        // The fleet file lies in a folder of the repository.
        let tools = tools(&clone.path().join("deploy"));
        let spec = |path: &str| SourceSpec::Plain { path: clone.path().join("deploy").join(path) };
        let at = |commit: &str| commit[..12].to_owned();
        let old = render_at(&spec("app"), "v1", &tools).unwrap();
        assert_eq!(
            shown(&old),
            [
                format!("ConfigMap a one deploy/app/a.yaml:5 @ {}", at(&first)),
                format!("ConfigMap b one deploy/app/sub/b.yaml:5 @ {}", at(&first)),
            ]
        );
        let new = render_at(&spec("app/a.yaml"), "HEAD", &tools).unwrap();
        assert_eq!(shown(&new), [format!("ConfigMap a two deploy/app/a.yaml:5 @ {}", at(&second))]);
        // A path that the work tree no longer has.
        assert_eq!(shown(&render_at(&spec("other"), "v1", &tools).unwrap()).len(), 1);
        assert_eq!(render_at(&spec("other"), "HEAD", &tools).unwrap_err().msg.key, "source.GIT_NO_PATH");
        assert_eq!(clone.git(&["status", "--porcelain"]), " M deploy/app/a.yaml\n", "the work tree is as it was");
        assert!(new.inputs.iter().any(|i| i.ends_with("HEAD") && i.is_file()), "{:?}", new.inputs);
        let whole = checkout(clone.path(), &first[..8], Path::new(""), &tools).unwrap();
        assert_eq!(whole.commit, first);
        let folder = whole.folder.clone();
        assert!(folder.join("deploy/other/c.yaml").is_file());
        drop(whole);
        assert!(!folder.exists(), "nothing is kept where nothing is to be kept");
    }
}
