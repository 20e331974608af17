//! Kustomize: `kubectl kustomize` (or `kustomize build`) renders the overlay. Where reading the files leaves a choice, a second
//! run of the same build with origin annotations says which file each object began in; the objects are always those of
//! the first run, untouched.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Rendered, Tools, align, cache,
    chain::{self, Chain, Manifest},
    name_of, normal, output,
    tool::{self, Program, Scratch},
    writer::{self, Act, Fit, Subject},
};
use crate::{
    desired::{
        object::Object,
        origin::{Origin, Source, SourceKind},
        path::Path as Way,
        tree::Node,
    },
    fault::Fault,
};

/// Where an object began.
#[derive(Clone, Debug, Default)]
pub(super) struct Beginning {
    /// Its document among the chain's manifests.
    pub manifest: Option<usize>,
    /// The layer that brought it in.
    pub layer: usize,
}

/// A built overlay and all that was learned about it.
#[derive(Debug)]
pub(super) struct Built {
    /// What it gave.
    pub rendered: Rendered,
    /// For each object where it began.
    pub beginnings: Vec<Beginning>,
    /// The kustomizations.
    pub chain: Chain,
}

/// Renders an overlay.
///
/// # Errors
///
/// When it cannot be rendered: in the tool's own words, or because a part lies in another repository.
pub(super) fn kustomize(folder: &Path, tools: &Tools) -> Result<Rendered, Fault> {
    built(folder, tools).map(|b| b.rendered)
}

/// The program that builds overlays.
pub(super) fn program(folder: &Path, tools: &Tools) -> Result<Program, Fault> {
    tool::find(&["kubectl", "kustomize"], tools, Path::new(&name_of(folder, tools)))
}

/// The build of a folder as it stands, as text.
pub(super) fn build(program: &Program, folder: &Path, tools: &Tools, about: &Path) -> Result<String, Fault> {
    let verb = if program.name == "kubectl" { "kustomize" } else { "build" };
    program.run(&[OsString::from(verb), folder.into()], tools, about)
}

/// The full path of an overlay, without links.
pub(super) fn full(folder: &Path, tools: &Tools) -> PathBuf {
    let folder = normal(&tools.root.join(folder));
    folder.canonicalize().unwrap_or(folder)
}

/// Renders an overlay and keeps what was learned on the way.
pub(super) fn built(folder: &Path, tools: &Tools) -> Result<Built, Fault> {
    let folder = full(folder, tools);
    let about = PathBuf::from(name_of(&folder, tools));
    let chain = chain::read(&folder, tools)?;
    let program = program(&folder, tools)?;
    let mut key = cache::Key::new("kustomize 1");
    key.add(program.identity().as_bytes());
    key.add(folder.as_os_str().as_encoded_bytes());
    key.add_files(&chain.files);
    let name = key.name();
    let kept = cache::get(tools.cache.as_ref(), &name).and_then(|t| <[String; 3]>::try_from(t).ok());
    let missed = kept.is_none();
    let [text, mut origins, version] = match kept {
        Some(kept) => kept,
        None => [build(&program, &folder, tools, &about)?, String::new(), program.version(tools)],
    };
    let (printed, faults) = output::printed(&text, &about, &version);
    if missed {
        // A second run only where reading leaves a choice. Without its answer the likeliest is taken.
        if !printed.iter().flat_map(|p| &p.objects).all(|object| is_clear(object, &chain)) {
            origins = with_origins(&program, &folder, &chain, tools, &about).unwrap_or_default();
        }
        cache::put(tools.cache.as_ref(), &name, &[text, origins.clone(), version.clone()]);
    }
    let starts = starts(&origins, &chain);
    let (mut objects, mut beginnings) = (Vec::new(), Vec::new());
    for (at, document) in printed.into_iter().enumerate() {
        for object in document.objects {
            let beginning = beginning(&object, starts.get(at).and_then(Option::as_ref), &chain);
            objects.push(Arc::new(with_base(object, &beginning, &chain, tools)));
            beginnings.push(beginning);
        }
    }
    let mut objects = with_writers(objects, &beginnings, &chain);
    with_hashes(&mut objects, &beginnings, &Source::new(SourceKind::Tool, version.clone()));
    let inputs = chain.files.keys().map(|path| name_of(path, tools).into()).collect();
    Ok(Built { rendered: Rendered { objects, faults, tool: version, inputs }, beginnings, chain })
}

/// The same build below a kustomization of our own that asks for origins; never in the user's folders.
fn with_origins(program: &Program, folder: &Path, chain: &Chain, tools: &Tools, about: &Path) -> Result<String, Fault> {
    let scratch = Scratch::new(tools)?;
    let up = scratch.path().components().skip(1).map(|_| "..");
    let way: PathBuf = up.map(PathBuf::from).chain(folder.components().skip(1).map(|c| c.as_os_str().into())).collect();
    let mut wrapper = serde_json::json!({
        "resources": [way.to_string_lossy()], "buildMetadata": ["originAnnotations"],
    });
    let overlay = chain.documents.first();
    if let Some(order) = overlay.and_then(|o| o.get("sortOptions")) {
        wrapper["sortOptions"] = order.to_json();
    }
    scratch.write(Path::new("kustomization.yaml"), wrapper.to_string().as_bytes())?;
    // Origins are told relative to the wrapper; what is kept are full paths.
    let text = build(program, scratch.path(), tools, about)?;
    let (mut lines, mut inside) = (String::new(), false);
    for line in text.lines() {
        if line == "---" {
            lines.push_str("---\n");
        }
        if let Some((word, path)) = origin_in(line).filter(|_| inside) {
            let full = normal(&scratch.path().join(path));
            lines.push_str(&format!("{word} {}\n", full.display()));
        }
        inside = line == "    config.kubernetes.io/origin: |" || (inside && line.starts_with("      "));
    }
    Ok(lines)
}

/// `path: X` or `configuredIn: X` as they stand inside the annotation.
fn origin_in(line: &str) -> Option<(&str, &str)> {
    let (word, path) = line.strip_prefix("      ")?.split_once(": ")?;
    matches!(word, "path" | "configuredIn").then_some((word, path))
}

/// A file or a layer that an object began in, in the order of the output.
enum Start {
    File(PathBuf),
    Layer(usize),
}

fn starts(annotated: &str, chain: &Chain) -> Vec<Option<Start>> {
    let start = |document: &str| {
        document.lines().find_map(|line| {
            if let Some(path) = line.strip_prefix("path ") {
                return Some(Start::File(path.into()));
            }
            let path = Path::new(line.strip_prefix("configuredIn ")?);
            chain.layers.iter().position(|l| l.file == path).map(Start::Layer)
        })
    };
    annotated.split("---\n").map(start).collect()
}

/// How well a manifest fits as what an object began as: the kind must be the same and the name still to be seen. An equal
/// name is better, then a longer one, then an equal namespace.
fn score(manifest: &Manifest, object: &Object) -> Option<(bool, usize, bool)> {
    let word = |key| manifest.node.at_keys(&["metadata", key]).and_then(Node::as_str).unwrap_or_default();
    let name = word("name");
    let fits = object.key.name.contains(name) && manifest.node.str_of("kind") == &*object.key.kind;
    fits.then_some((name == &*object.key.name, name.len(), word("namespace") == &*object.key.namespace))
}

/// Layers that generate an object of this name, the first to do so first.
fn generating<'a>(object: &'a Object, chain: &'a Chain) -> impl Iterator<Item = usize> + 'a {
    let bare = writer::without_hash(&object.key.name).unwrap_or(&object.key.name);
    let makes = |w: &&writer::Writer| matches!(w.act, Act::Data { .. }) && w.target.kind == object.key.kind;
    chain.writers.iter().filter(makes).filter(|w| bare.contains(&*w.target.name)).map(|w| w.layer)
}

/// True when reading leaves no choice of what an object began as.
fn is_clear(object: &Object, chain: &Chain) -> bool {
    let scores: Vec<_> = chain.manifests.iter().filter_map(|m| score(m, object)).collect();
    let equal = scores.iter().filter(|(exact, ..)| *exact).count();
    let generated = generating(object, chain).next().is_some();
    match scores.len() {
        0 => generated,
        1 => !generated,
        _ => equal == 1 && !generated,
    }
}

/// The document an object began as: of the file that the tool names, else of any.
fn beginning(object: &Object, start: Option<&Start>, chain: &Chain) -> Beginning {
    if let Some(Start::Layer(layer)) = start {
        return Beginning { manifest: None, layer: *layer };
    }
    let right_file = |m: &Manifest| start.is_none_or(|s| matches!(s, Start::File(file) if *file == m.file));
    let manifests = chain.manifests.iter().enumerate().filter(|(_, m)| right_file(m));
    let scored = manifests.filter_map(|(at, m)| Some((score(m, object)?, std::cmp::Reverse(at))));
    match scored.max() {
        Some((_, std::cmp::Reverse(at))) => Beginning { manifest: Some(at), layer: chain.manifests[at].layer },
        None => Beginning { manifest: None, layer: generating(object, chain).next().unwrap_or(0) },
    }
}

/// Names that an object had on its way, the first and the last among them.
pub(super) fn names(object: &Object, beginning: &Beginning, chain: &Chain) -> Vec<String> {
    let last = object.key.name.to_string();
    let bare = writer::without_hash(&last).map(str::to_owned);
    let base = beginning.manifest.map(|at| &chain.manifests[at].node);
    let mut name = match base.and_then(|b| b.at_keys(&["metadata", "name"])).and_then(Node::as_str) {
        Some(name) => name.to_owned(),
        None => bare.clone().unwrap_or_else(|| last.clone()),
    };
    let mut names = vec![name.clone()];
    for writer in chain.writers.iter().filter(|w| chain.reaches(w.layer, beginning.layer)) {
        if let Act::Affix { affix, front } = &writer.act {
            let affix = affix.as_str().unwrap_or_default();
            name = match (beginning.manifest, front) {
                (Some(_), true) => format!("{affix}{name}"),
                (Some(_), false) => format!("{name}{affix}"),
                // A generator's entry has the name before all of them.
                (None, true) => name.strip_prefix(affix).unwrap_or(&name).to_owned(),
                (None, false) => name.strip_suffix(affix).unwrap_or(&name).to_owned(),
            };
            names.push(name.clone());
        }
    }
    names.extend(bare);
    names.push(last);
    names
}

/// The object with the places of the document it began as.
fn with_base(object: Object, beginning: &Beginning, chain: &Chain, tools: &Tools) -> Object {
    let Object { key, node } = object;
    let node = match beginning.manifest.map(|at| &chain.manifests[at].node) {
        Some(base) => {
            let mut node = node.with_origin(&base.origin);
            align::adopt(&mut node, base);
            node
        }
        None => {
            let file = chain.layers.get(beginning.layer).map(|l| name_of(&l.file, tools)).unwrap_or_default();
            node.with_origin(&Origin::At(Source::new(SourceKind::Kustomization, file), 0))
        }
    };
    Object { key, node }
}

/// The objects with the places of what changed them: the last writer whose value is the one that stands there.
fn with_writers(mut objects: Vec<Arc<Object>>, beginnings: &[Beginning], chain: &Chain) -> Vec<Arc<Object>> {
    for copies in [false, true] {
        for at in 0..objects.len() {
            let object = objects[at].clone();
            let subject = Subject { object: &object, names: names(&object, &beginnings[at], chain), all: &objects };
            let writers = chain.writers.iter().filter(|w| matches!(w.act, Act::Copy { .. }) == copies);
            let found: Vec<(Way, Origin)> = writers
                .filter(|w| chain.reaches(w.layer, beginnings[at].layer))
                .flat_map(|w| {
                    let parts = !matches!(w.act, Act::Tree { .. } | Act::Data { .. });
                    let holds = move |fit| fit == Fit::Equal || (parts && fit == Fit::Part);
                    w.effects(&subject).into_iter().filter(move |e| holds(e.fit))
                })
                .map(|e| (e.path, e.written.origin))
                .collect();
            let object = Arc::make_mut(&mut objects[at]);
            for (path, origin) in found {
                let (whole, apart) = (object.node.origin.clone(), writer::tells_apart(&object.key, &path));
                // What the manifest calls an item stays its word.
                let is_given = |leaf: &Node| leaf.origin.is_of(SourceKind::Manifest) && leaf.origin != whole;
                if let Some(leaf) = object.node.at_mut(&path)
                    && !(apart && is_given(leaf))
                {
                    leaf.origin = origin;
                }
            }
        }
    }
    objects
}

/// Marks names that end in a hash of the tool's making.
fn with_hashes(objects: &mut [Arc<Object>], beginnings: &[Beginning], made_by: &Arc<Source>) {
    let generated = objects.iter().zip(beginnings).filter(|(o, b)| {
        b.manifest.is_none()
            && matches!(&*o.key.kind, "ConfigMap" | "Secret")
            && writer::without_hash(&o.key.name).is_some()
    });
    let names: BTreeSet<Arc<str>> = generated.map(|(o, _)| o.key.name.clone()).collect();
    if names.is_empty() {
        return;
    }
    for object in objects {
        let leaves = object.node.leaves().into_iter();
        let hashed = leaves.filter(|(_, n)| n.as_str().is_some_and(|t| names.contains(t))).map(|(path, _)| path);
        let hashed: Vec<Way> = hashed.collect();
        for path in hashed {
            if let Some(leaf) = Arc::make_mut(object).node.at_mut(&path) {
                leaf.origin = Origin::At(made_by.clone(), 0);
            }
        }
    }
}
