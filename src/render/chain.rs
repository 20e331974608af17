//! The chain of kustomizations below an overlay, read as they stand: which files play a part, which manifests they hold, and
//! what may change a value on its way, in the order in which Kustomize applies it. What is wrong in them is left to the
//! tool to tell.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Tools, directives, name_of, normal,
    tool::Files,
    writer::{Act, Target, Writer},
};
use crate::{
    desired::{
        object::Object,
        origin::{Origin, Source, SourceKind},
        source::{documents, yaml},
        tree::{Map, Node, Value},
    },
    fault::Fault,
    messages::source as text,
};

/// Names that a kustomization file may have.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/// Deepest chain that is followed.
const DEEPEST: usize = 64;
/// Most files that are read from folders named as a whole (charts).
const MOST_FILES: usize = 20_000;

/// One kustomization.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Its file.
    pub file: PathBuf,
    /// The layer that names it.
    pub above: Option<usize>,
    /// A component changes what the layer above it has gathered so far.
    pub component: bool,
}

/// A document of a file that a layer names as a resource.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    /// Its file.
    pub file: PathBuf,
    /// The layer that names it.
    pub layer: usize,
    /// The document; every part knows its line.
    pub node: Node,
}

/// All that an overlay is made from.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// The kustomizations; the overlay is the first.
    pub layers: Vec<Layer>,
    /// Every file that plays a part.
    pub files: Files,
    /// Documents of the resources.
    pub manifests: Vec<Manifest>,
    /// What may change a value, first to last.
    pub writers: Vec<Writer>,
    /// Every document with lines, whatever it is for: the last resort of a search for a value.
    pub documents: Vec<Node>,
}

/// Reads the chain below a folder.
///
/// # Errors
///
/// When the folder or its kustomization is not there, or when a part lies in another repository.
pub(super) fn read(folder: &Path, tools: &Tools) -> Result<Chain, Fault> {
    let named = PathBuf::from(name_of(folder, tools));
    if !folder.is_dir() {
        return Err(Fault::new(&named, 0, "", text::NO_FOLDER));
    }
    if kustomization_in(folder).is_none() {
        return Err(Fault::new(&named, 0, "", text::NO_KUSTOMIZATION));
    }
    let mut reader = Reader { chain: Chain::default(), tools, fault: None, depth: 0, named: BTreeMap::new() };
    reader.layer(folder, None, false);
    match reader.fault {
        Some(fault) => Err(fault),
        None => Ok(reader.chain),
    }
}

fn kustomization_in(folder: &Path) -> Option<PathBuf> {
    NAMES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

impl Chain {
    /// True when what this layer's writers change includes what that layer brought in: it is that layer or above it; a
    /// component reaches as far as the layer that names it.
    pub(super) fn reaches(&self, writer: usize, brought_in: usize) -> bool {
        let owner = |mut at: usize| {
            while let Some(Layer { component: true, above: Some(above), .. }) = self.layers.get(at) {
                at = *above;
            }
            at
        };
        let (wanted, mut at) = (owner(writer), owner(brought_in));
        loop {
            if at == wanted {
                return true;
            }
            match self.layers.get(at).and_then(|l| l.above) {
                Some(above) => at = owner(above),
                None => return false,
            }
        }
    }
}

/// Reads while it walks.
pub(super) struct Reader<'a> {
    chain: Chain,
    tools: &'a Tools,
    fault: Option<Fault>,
    depth: usize,
    /// Files by the name they have in places.
    named: BTreeMap<String, PathBuf>,
}

impl Reader<'_> {
    fn layer(&mut self, folder: &Path, above: Option<usize>, component: bool) {
        let folder = normal(folder);
        let Some(file) = kustomization_in(&folder) else { return };
        let circle = self.depth > DEEPEST;
        let Some((_, mut documents)) = self.documents(&file, SourceKind::Kustomization).filter(|_| !circle) else {
            return;
        };
        // A second name in one folder is an error of the tool; it is read so that the result is not a kept one.
        for other in NAMES.iter().map(|name| folder.join(name)).filter(|p| *p != file) {
            self.load(&other);
        }
        let index = self.chain.layers.len();
        self.chain.layers.push(Layer { file: file.clone(), above, component });
        if documents.is_empty() {
            return;
        }
        let node = documents.remove(0);
        self.depth += 1;
        for field in ["resources", "bases"] {
            node.items_of(field).iter().for_each(|entry| self.resource(entry, &folder, index));
        }
        directives::generators(self, &node, &folder, index);
        for entry in node.items_of("components") {
            if let Some(path) = self.local(entry, &folder) {
                self.layer(&path, Some(index), true);
            }
        }
        directives::transformers(self, &node, &folder, index);
        self.others(&node, &folder, index);
        self.depth -= 1;
    }

    /// One entry of `resources`.
    fn resource(&mut self, entry: &Node, folder: &Path, layer: usize) {
        let Some(path) = self.local(entry, folder) else { return };
        if path.is_dir() {
            self.layer(&path, Some(layer), false);
        } else if let Some((source, text)) = self.text(&path, SourceKind::Manifest)
            && let Ok(contents) = documents::objects(&text, &source)
        {
            self.chain.documents.extend(contents.objects.iter().map(|o| o.node.clone()));
            let manifest = |object: Object| Manifest { file: path.clone(), layer, node: object.node };
            self.chain.manifests.extend(contents.objects.into_iter().map(manifest));
        }
    }

    /// The path that an entry names; what lies elsewhere is a fault, unless there is one already.
    fn local(&mut self, entry: &Node, folder: &Path) -> Option<PathBuf> {
        let named = entry.as_str()?;
        let path = normal(&folder.join(named));
        if path.exists() {
            return Some(path);
        }
        if is_remote(named) && self.fault.is_none() {
            let at = entry.origin.at();
            let (file, line) = at.map_or((String::new(), 0), |at| (at.source.file.clone(), at.line));
            self.fault = Some(Fault::new(Path::new(&file), line, "", text::REMOTE_BASE).with("what", named));
        }
        None
    }

    /// Fields that name files or hold configuration of plugins: their files play a part, their values are searched last.
    fn others(&mut self, node: &Node, folder: &Path, layer: usize) {
        for field in ["generators", "transformers", "validators"] {
            for entry in node.items_of(field) {
                let Some(named) = entry.as_str() else { continue };
                if named.contains('\n') {
                    self.inline(entry);
                } else if let Some(path) = self.local(entry, folder) {
                    if path.is_dir() {
                        self.layer(&path, Some(layer), false);
                    } else {
                        self.documents(&path, SourceKind::KustomizePatch);
                    }
                }
            }
        }
        let openapi = node.at_keys(&["openapi", "path"]).into_iter();
        for entry in node.items_of("configurations").iter().chain(node.items_of("crds")).chain(openapi) {
            if let Some(named) = entry.as_str() {
                self.documents(&normal(&folder.join(named)), SourceKind::KustomizePatch);
            }
        }
        for chart in node.items_of("helmCharts").iter().chain(node.items_of("helmChartInflationGenerator")) {
            let files = chart.items_of("additionalValuesFiles").iter().chain(chart.get("valuesFile"));
            for entry in files.filter_map(Node::as_str) {
                self.documents(&normal(&folder.join(entry)), SourceKind::Values);
            }
        }
        if !node.items_of("helmCharts").is_empty() {
            let home = node.at_keys(&["helmGlobals", "chartHome"]).and_then(Node::as_str).unwrap_or("charts");
            load_folder(&normal(&folder.join(home)), &mut self.chain.files);
        }
    }

    /// One more writer; later ones win.
    pub(super) fn writer(&mut self, layer: usize, target: Target, act: Act) {
        self.chain.writers.push(Writer { layer, target, act });
    }

    /// The text of a file that plays a part.
    pub(super) fn load(&mut self, path: &Path) -> Option<Arc<[u8]>> {
        if let Some(known) = self.chain.files.get(path) {
            return Some(known.clone());
        }
        let content: Arc<[u8]> = fs::read(path).ok()?.into();
        self.chain.files.insert(path.to_path_buf(), content.clone());
        Some(content)
    }

    /// A file's text and its source.
    pub(super) fn text(&mut self, path: &Path, kind: SourceKind) -> Option<(Arc<Source>, String)> {
        let text = String::from_utf8(self.load(path)?.to_vec()).ok()?;
        let name = name_of(path, self.tools);
        self.named.insert(name.clone(), path.to_path_buf());
        Some((Source::new(kind, name), text))
    }

    /// The documents of a file, with lines; `None` when it cannot be read, which the tool will tell.
    pub(super) fn documents(&mut self, path: &Path, kind: SourceKind) -> Option<(Arc<Source>, Vec<Node>)> {
        let (source, text) = self.text(path, kind)?;
        let documents = yaml::read(&text, &source).ok()?;
        self.chain.documents.extend(documents.iter().cloned());
        Some((source, documents))
    }

    /// The documents of a text that stands inside a kustomization, with the lines they have there.
    pub(super) fn inline(&mut self, entry: &Node) -> Vec<Node> {
        let (Some(inner), Origin::At(source, line)) = (entry.as_str(), &entry.origin) else { return Vec::new() };
        let Ok(documents) = yaml::read(inner, source) else { return Vec::new() };
        let file = self.named.get(&source.file).and_then(|path| self.chain.files.get(path));
        let raw = file.map(|content| String::from_utf8_lossy(content).into_owned()).unwrap_or_default();
        let first = first_line_of_block(&raw, *line);
        let documents: Vec<Node> = documents.iter().map(|d| moved(d, *line, first)).collect();
        self.chain.documents.extend(documents.iter().cloned());
        documents
    }
}

/// Where the content of a block scalar begins whose value the parser places at this line; `None` = it is no block, all of it
/// stands on its own line.
pub(super) fn first_line_of_block(text: &str, line: u32) -> Option<u32> {
    let opens = |line: u32| {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let end = text.lines().nth(index)?.trim_end();
        let end = end.split(" #").next().unwrap_or(end).trim_end();
        let end = end.trim_end_matches(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
        Some(end.ends_with('|') || end.ends_with('>'))
    };
    if opens(line)? {
        return Some(line + 1);
    }
    (line > 1 && opens(line - 1)?).then_some(line)
}

/// The same document with the lines of the file it stands in.
fn moved(node: &Node, line: u32, first: Option<u32>) -> Node {
    let value = match &node.value {
        Value::List(items) => Value::List(Arc::new(items.iter().map(|i| moved(i, line, first)).collect())),
        Value::Map(map) => {
            let entries = map.iter().map(|(k, n)| (k.clone(), moved(n, line, first))).collect();
            Value::Map(Arc::new(Map::from_unique(entries)))
        }
        scalar => scalar.clone(),
    };
    let origin = match &node.origin {
        Origin::At(source, inner) => {
            Origin::At(source.clone(), first.map_or(line, |first| first + inner.saturating_sub(1)))
        }
        other => other.clone(),
    };
    Node { value, origin }
}

/// True for what Kustomize would fetch: an address, or `host/organisation/repository`.
fn is_remote(named: &str) -> bool {
    let host = named.split('/').next().unwrap_or_default();
    let like_host = host.contains('.') && !host.starts_with('.') && named.split('/').count() > 2;
    named.contains("://") || named.starts_with("git@") || named.contains("?ref=") || like_host
}

/// Every file below a folder.
pub(super) fn load_folder(folder: &Path, files: &mut Files) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if files.len() >= MOST_FILES {
            return;
        }
        let linked = fs::symlink_metadata(&path).is_ok_and(|m| m.is_symlink());
        if path.is_dir() && !linked {
            load_folder(&path, files);
        } else if let Ok(content) = fs::read(&path) {
            files.insert(path, content.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_fetched_is_known() {
        for (named, remote) in [
            ("https://example.org/a.yaml", true),
            ("github.com/org/repo//deploy?ref=v1", true),
            ("git@example.org:org/repo", true),
            ("example.org/org/repo", true),
            ("../base", false),
            ("deploy.yaml", false),
            ("a.b/c.yaml", false),
        ] {
            assert_eq!(is_remote(named), remote, "{named}");
        }
    }

    #[test]
    fn the_lines_of_a_block_are_found_whatever_the_parser_calls_its_line() {
        let text = "a: 1\npatch: |-\n  x: 1\n  y: 2\nq: 'z'\n";
        let source = Source::new(SourceKind::Kustomization, "k");
        let node = &yaml::read(text, &source).unwrap()[0];
        let line = node.get("patch").unwrap().origin.at().unwrap().line;
        assert_eq!(first_line_of_block(text, line), Some(3));
        assert_eq!(first_line_of_block(text, 5), None);
    }
}
