//! The section `desired` of the fleet file: its keys, and from the document to [`Desired`].

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(super) use crate::config::desired::Desired;

use crate::{
    config::{
        desired::{DesiredService, Hub, PolicyPath, ServiceSource},
        yaml::{Node, Value},
    },
    desired::{
        layer::Layers,
        origin::{Origin, Source, SourceKind},
        policy::native::clusters::{self, CLUSTERS},
        tree,
    },
    fault::Fault,
    messages::policy as text,
    model::Place,
    render::SourceSpec,
    shape::{Key, Shape, Written},
};

pub(super) const DESIRED: &[Key] = &[
    Key::new("services", Shape::List(&Shape::Object(SERVICE)), "Services and where their base comes from."),
    Key::new("policies", Shape::Texts, "Policy files, or folders of them, ours and Karmada's; * and ? may be used."),
    Key::new("hub", Shape::Object(HUB), "A Karmada control plane whose policies count too."),
];

const SERVICE: &[Key] = &[
    Key::required("name", Shape::Text, "Name of the service, as the matrix shows it."),
    Key::new("namespace", Shape::Text, "Its namespace; any where none is given."),
    Key::required(
        "sources",
        Shape::List(&Shape::Object(SOURCE)),
        "Where its base comes from: in each cluster from the first source whose clusters fit.",
    ),
    Key::new(
        "layers",
        Shape::Object(LAYERS),
        "Kinds (Ingress) and files (overlays/*) by layer, where the usual is not meant.",
    ),
];

const SOURCE: &[Key] = &[
    Key::new("plain", Shape::Text, "A file, or a folder of files, of plain YAML."),
    Key::new("kustomize", Shape::Text, "A folder with a kustomization."),
    Key::new("helm", Shape::Text, "A chart's folder."),
    Key::new("release", Shape::Text, "Helm: name of the release; default: the service's name."),
    Key::new("namespace", Shape::Text, "Helm: namespace of the release; default: the service's."),
    Key::new("values", Shape::Texts, "Helm: values files, later ones win."),
    Key::new(
        "perCluster",
        Shape::Text,
        "Helm: one more values file, with {cluster} for the cluster's name; may be absent.",
    ),
    Key::new("set", Shape::Map(&Shape::Any), "Helm: values that win over all files."),
    Key::new("repository", Shape::Text, "Git repository that the paths lie in; default: the one around this file."),
    Key::new("revision", Shape::Text, "Git revision (branch, tag, commit); left out: the files as they are."),
    Key::new("clusters", Shape::Object(CLUSTERS), "Clusters it is for; left out: all."),
];

const LAYERS: &[Key] = &[
    Key::new("base", Shape::Texts, "Of the base layer: Namespace, quota, rights."),
    Key::new("application", Shape::Texts, "Of the application layer: workload, Service, ConfigMap."),
    Key::new("environment", Shape::Texts, "Of the environment layer: Ingress, autoscaling, storage."),
];

const HUB: &[Key] = &[Key::required("cluster", Shape::Text, "Name of the cluster in this fleet.")];

/// Keys of a source that only Helm knows.
const HELM_KEYS: [&str; 5] = ["release", "namespace", "values", "perCluster", "set"];

/// Reads the section; what the shape cannot say is checked here.
pub(super) fn decode(file: &Path, node: &Node, faults: &mut Vec<Fault>) -> Desired {
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut decoding = Decoding { file, folder, faults };
    let policies = node.get("policies");
    let listed = policies.map(|p| if p.items().is_empty() { std::slice::from_ref(p) } else { p.items() });
    let policy = |item: &Node| Some(PolicyPath { path: folder.join(item.text()?), place: decoding.place(item) });
    let policies = listed.unwrap_or_default().iter().filter_map(policy).collect();
    let hub = node.get("hub").map(|h| Hub { cluster: h.text_of("cluster"), place: decoding.place(h) });
    Desired { services: decoding.services(node.get("services")), policies, hub }
}

struct Decoding<'a> {
    file: &'a Path,
    folder: &'a Path,
    faults: &'a mut Vec<Fault>,
}

impl Decoding<'_> {
    fn place(&self, node: &Node) -> Place {
        Place { file: self.file.display().to_string(), line: node.line }
    }

    fn services(&mut self, list: Option<&Node>) -> Vec<DesiredService> {
        let mut seen: BTreeMap<(String, String), u32> = BTreeMap::new();
        let mut services = Vec::new();
        for (i, node) in list.map(Node::items).unwrap_or_default().iter().enumerate() {
            let at = format!("desired.services[{i}]");
            let (name, namespace) = (node.text_of("name"), node.text_of("namespace"));
            if let Some(first) = seen.insert((name.clone(), namespace.clone()), node.line) {
                let fault = Fault::new(self.file, node.line, format!("{at}.name"), text::SERVICE_TWICE);
                self.faults.push(fault.with("name", &name).with("line", first.to_string()));
            }
            let items = node.get("sources").map(Node::items).unwrap_or_default();
            if node.get("sources").is_some_and(|s| s.items().is_empty()) {
                self.faults.push(Fault::new(self.file, node.line, format!("{at}.sources"), text::NO_SOURCE));
            }
            let one = |(j, item): (usize, &Node)| self.source(item, &format!("{at}.sources[{j}]"), &name, &namespace);
            let sources: Vec<ServiceSource> = items.iter().enumerate().filter_map(one).collect();
            self.check_order(&sources, &at);
            let nothing = Node::default();
            let layers = node.get("layers").unwrap_or(&nothing);
            let layers = Layers {
                base: layers.texts_of("base"),
                application: layers.texts_of("application"),
                environment: layers.texts_of("environment"),
            };
            services.push(DesiredService { name, namespace, sources, layers, place: self.place(node) });
        }
        services
    }

    /// A source behind one that fits every cluster is never reached.
    fn check_order(&mut self, sources: &[ServiceSource], at: &str) {
        let everywhere = |s: &ServiceSource| s.clusters.as_ref().is_none_or(|c| c.is_empty());
        let Some(first) = sources.iter().position(everywhere) else { return };
        for (j, later) in sources.iter().enumerate().skip(first + 1) {
            let fault = Fault::new(self.file, later.place.line, format!("{at}.sources[{j}]"), text::LATER_SOURCE_IDLE);
            self.faults.push(fault.with("line", sources[first].place.line.to_string()));
        }
    }

    /// `None` when it says not which kind of source it is; that has been told then.
    fn source(&mut self, node: &Node, at: &str, service: &str, namespace: &str) -> Option<ServiceSource> {
        let kinds: Vec<&str> = ["plain", "kustomize", "helm"].into_iter().filter(|k| node.get(k).is_some()).collect();
        let [kind] = kinds.as_slice() else {
            let fault = Fault::new(self.file, node.line, at, text::ONE_SOURCE);
            self.faults.push(fault.with("n", kinds.len().to_string()));
            return None;
        };
        for key in HELM_KEYS.into_iter().filter(|_| *kind != "helm") {
            if let Some(value) = node.get(key) {
                let fault = Fault::new(self.file, value.line, format!("{at}.{key}"), text::HELM_ONLY);
                self.faults.push(fault.with("key", key));
            }
        }
        let repository = node.get("repository").and_then(Node::text).map(|r| self.folder.join(r));
        let root = repository.clone().unwrap_or_else(|| self.folder.to_path_buf());
        let clusters = node.get("clusters").map(|c| {
            clusters::check(self.file, c, &format!("{at}.clusters"), self.faults);
            clusters::affinity(c)
        });
        let per_cluster = self.per_cluster(node, at, &root);
        Some(ServiceSource {
            spec: self.spec(node, kind, &root, service, namespace),
            per_cluster,
            repository,
            revision: node.text_of("revision"),
            clusters,
            place: self.place(node),
        })
    }

    fn per_cluster(&mut self, node: &Node, at: &str, root: &Path) -> Option<String> {
        let value = node.get("perCluster")?;
        let pattern = value.word();
        if !pattern.contains("{cluster}") {
            let fault = Fault::new(self.file, value.line, format!("{at}.perCluster"), text::NEEDS_CLUSTER_PLACE);
            self.faults.push(fault.with("value", &pattern).with("place", "{cluster}"));
        }
        Some(root.join(pattern).display().to_string())
    }

    fn spec(&self, node: &Node, kind: &str, root: &Path, service: &str, namespace: &str) -> SourceSpec {
        let path = root.join(node.text_of(kind));
        let or = |key: &str, default: &str| {
            let text = node.text_of(key);
            if text.is_empty() { default.to_owned() } else { text }
        };
        match kind {
            "plain" => SourceSpec::Plain { path },
            "kustomize" => SourceSpec::Kustomize { path },
            _ => SourceSpec::Helm {
                chart: path,
                release: or("release", service),
                namespace: or("namespace", namespace),
                values: node.texts_of("values").iter().map(|v| root.join(v)).collect::<Vec<PathBuf>>(),
                set: node.get("set").map_or_else(tree::Node::default, |set| with_places(set, &self.values_source())),
            },
        }
    }

    /// This file as the places of values name it: from its own folder.
    fn values_source(&self) -> Arc<Source> {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        Source::new(SourceKind::Values, name.to_string_lossy())
    }
}

/// Inline values, each with its line.
fn with_places(node: &Node, source: &Arc<Source>) -> tree::Node {
    let value = match &node.value {
        Value::List(items) => tree::Value::List(Arc::new(items.iter().map(|i| with_places(i, source)).collect())),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, n)| (key.name.as_str().into(), with_places(n, source)));
            tree::Value::Map(Arc::new(tree::Map::from_unique(entries.collect())))
        }
        _ => tree::Node::from_json(&node.json(), &Origin::Unknown).value,
    };
    tree::Node { value, origin: Origin::At(source.clone(), node.line) }
}
