//! The three layers of the practice: base (the ground that a service stands on), application (what it is), environment (how it
//! is wired into a place). By kind, unless the fleet file names the layer of a kind or of files.

use super::{
    object::Object,
    origin::{Origin, SourceKind},
    path::{Path, Step},
    tree::Node,
};
use crate::fleet::selector::glob;

/// A layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Namespace, quota, limits, rights: the ground.
    Base,
    /// Workload, Service, ConfigMap: what the service is.
    Application,
    /// Ingress, autoscaling, storage classes: how it is wired into a place.
    Environment,
}

impl Layer {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Application => "application",
            Self::Environment => "environment",
        }
    }
}

/// Kinds and files that are named for a layer. A word with a slash, a dot or a `*` is a glob on the file, any other a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// Of the base layer.
    pub base: Vec<String>,
    /// Of the application layer.
    pub application: Vec<String>,
    /// Of the environment layer.
    pub environment: Vec<String>,
}

/// Kinds of the base layer.
const BASE: &[&str] = &[
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "LimitRange",
    "Namespace",
    "PriorityClass",
    "ResourceQuota",
    "Role",
    "RoleBinding",
    "RuntimeClass",
    "ServiceAccount",
];

/// Kinds of the environment layer.
const ENVIRONMENT: &[&str] = &[
    "BackendTLSPolicy",
    "Certificate",
    "ClusterIssuer",
    "DestinationRule",
    "ExternalSecret",
    "GRPCRoute",
    "Gateway",
    "GatewayClass",
    "HTTPRoute",
    "HorizontalPodAutoscaler",
    "Ingress",
    "IngressClass",
    "IngressRoute",
    "Issuer",
    "PersistentVolume",
    "ScaledObject",
    "SecretProviderClass",
    "SecretStore",
    "ServiceEntry",
    "StorageClass",
    "TCPRoute",
    "TLSRoute",
    "VerticalPodAutoscaler",
    "VirtualService",
    "VolumeSnapshotClass",
];

impl Layers {
    fn lists(&self) -> [(Layer, &[String]); 3] {
        [(Layer::Base, &self.base), (Layer::Application, &self.application), (Layer::Environment, &self.environment)]
    }

    /// The layer that the names give to a file; the first list that fits.
    pub fn of_file(&self, file: &str) -> Option<Layer> {
        let names = |words: &[String]| words.iter().any(|w| is_file(w) && fits_file(w, file));
        self.lists().into_iter().find(|(_, words)| names(words)).map(|(layer, _)| layer)
    }

    /// The layer that the names give to a kind.
    fn of_kind(&self, kind: &str) -> Option<Layer> {
        let names = |words: &[String]| words.iter().any(|w| !is_file(w) && w.eq_ignore_ascii_case(kind));
        self.lists().into_iter().find(|(_, words)| names(words)).map(|(layer, _)| layer)
    }

    /// The layer of an object: as its file is named, as its kind is named, as its kind is usually seen; what is unknown belongs
    /// to the application.
    pub fn of(&self, object: &Object) -> Layer {
        let file = first_place(&object.node).map(|(_, file)| file);
        let kind = &*object.key.kind;
        let usual = || match kind {
            kind if BASE.contains(&kind) => Layer::Base,
            kind if ENVIRONMENT.contains(&kind) => Layer::Environment,
            _ => Layer::Application,
        };
        file.and_then(|f| self.of_file(&f)).or_else(|| self.of_kind(kind)).unwrap_or_else(usual)
    }

    /// Values that are bound to an environment and stand in an object of the application layer. Not counted are values
    /// that an overlay, a values file or an override brought, or a file that is named for another layer: they are where
    /// they belong.
    pub fn environment_bound<'a>(&self, object: &'a Object) -> Vec<(Path, &'a Node)> {
        if self.of(object) != Layer::Application {
            return Vec::new();
        }
        let mut found = Vec::new();
        for pattern in BOUND {
            collect(&object.node, pattern, &mut Path::default(), &mut found);
        }
        found.retain(|(_, node)| self.belongs_to_application(node));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }

    fn belongs_to_application(&self, node: &Node) -> bool {
        // A container takes the place of its first value: its own line may be that of the object it was merged into.
        let leaf = node.leaves().first().map_or(node, |(_, leaf)| *leaf);
        match &leaf.origin {
            Origin::Changed(_) => false,
            Origin::Unknown => true,
            Origin::At(source, _) => match self.of_file(&source.file) {
                Some(layer) => layer == Layer::Application,
                None => matches!(source.kind, SourceKind::Manifest | SourceKind::Template | SourceKind::Situation),
            },
        }
    }
}

/// Where values that are bound to an environment stand: keys, `[]` for every item of a list, a key that ends in `*` for every
/// key that begins so. Pod templates of all kinds of workloads are reached by `POD`.
const BOUND: &[&[&str]] = &[
    &["POD", "nodeName"],
    &["POD", "nodeSelector"],
    &["POD", "affinity", "nodeAffinity"],
    &["POD", "hostAliases"],
    &["POD", "runtimeClassName"],
    &["POD", "volumes", "[]", "hostPath"],
    &["POD", "volumes", "[]", "nfs"],
    &["POD", "volumes", "[]", "awsElasticBlockStore"],
    &["POD", "volumes", "[]", "azureDisk"],
    &["POD", "volumes", "[]", "gcePersistentDisk"],
    &["POD", "volumes", "[]", "ephemeral", "volumeClaimTemplate", "spec", "storageClassName"],
    &["spec", "volumeClaimTemplates", "[]", "spec", "storageClassName"],
    &["CLAIM", "spec", "storageClassName"],
    &["CLAIM", "spec", "volumeName"],
    &["SERVICE", "metadata", "annotations", "service.beta.kubernetes.io/*"],
    &["SERVICE", "metadata", "annotations", "service.kubernetes.io/*"],
    &["SERVICE", "metadata", "annotations", "cloud.google.com/*"],
    &["SERVICE", "spec", "externalIPs"],
    &["SERVICE", "spec", "loadBalancerClass"],
    &["SERVICE", "spec", "loadBalancerIP"],
    &["SERVICE", "spec", "loadBalancerSourceRanges"],
    &["SERVICE", "spec", "ports", "[]", "nodePort"],
];

/// Follows a pattern; what it ends at is found, unless it is `null`.
fn collect<'a>(root: &'a Node, pattern: &[&str], path: &mut Path, found: &mut Vec<(Path, &'a Node)>) {
    let kind = root.str_of("kind");
    match pattern {
        ["CLAIM", rest @ ..] if kind == "PersistentVolumeClaim" => walk(root, rest, path, found),
        ["SERVICE", rest @ ..] if kind == "Service" => walk(root, rest, path, found),
        ["CLAIM" | "SERVICE", ..] => {}
        ["POD", rest @ ..] => {
            let to_pod: &[&str] = match kind {
                "Pod" => &["spec"],
                "CronJob" => &["spec", "jobTemplate", "spec", "template", "spec"],
                _ => &["spec", "template", "spec"],
            };
            walk(root, &[to_pod, rest].concat(), path, found);
        }
        all => walk(root, all, path, found),
    }
}

fn walk<'a>(node: &'a Node, pattern: &[&str], path: &mut Path, found: &mut Vec<(Path, &'a Node)>) {
    let Some((key, rest)) = pattern.split_first() else {
        found.push((path.clone(), node));
        return;
    };
    let mut down = |step: Step, node: &'a Node| {
        path.0.push(step);
        walk(node, rest, path, found);
        path.0.pop();
    };
    if *key == "[]" {
        node.as_list().into_iter().flatten().enumerate().for_each(|(i, item)| down(Step::Index(i), item));
    } else if let Some(start) = key.strip_suffix('*') {
        let entries = node.as_map().into_iter().flat_map(|m| m.iter());
        entries.filter(|(k, _)| k.starts_with(start)).for_each(|(k, value)| down(Step::Key(k.clone()), value));
    } else if let Some(value) = node.get(key) {
        down(Step::Key((*key).into()), value);
    }
}

/// Kind and file of the place where an object was first written.
fn first_place(node: &Node) -> Option<(SourceKind, String)> {
    let at = node.origin.history().1.or_else(|| node.get("kind")?.origin.history().1)?;
    Some((at.source.kind, at.source.file.clone()))
}

fn is_file(word: &str) -> bool {
    word.contains(['/', '.', '*'])
}

/// A glob on the whole path; a folder (`overlays/`) covers what is below it.
fn fits_file(pattern: &str, file: &str) -> bool {
    glob(pattern, file) || (pattern.ends_with('/') && file.starts_with(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desired::{origin::Source, source::yaml};

    fn object(kind: SourceKind, file: &str, text: &str) -> Object {
        Object::new(yaml::read(text, &Source::new(kind, file)).unwrap().remove(0)).unwrap()
    }

    const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      \
                       nodeSelector: {disk: ssd}\n      affinity: {podAntiAffinity: {}}\n";

    #[test]
    fn kinds_have_a_layer_and_names_win() {
        let named = Layers { environment: vec!["Service".into(), "envs/*".into()], ..Layers::default() };
        for (kind, file, usual, as_named) in [
            ("ResourceQuota", "a.yaml", Layer::Base, Layer::Base),
            ("Deployment", "a.yaml", Layer::Application, Layer::Application),
            ("Ingress", "a.yaml", Layer::Environment, Layer::Environment),
            ("Service", "a.yaml", Layer::Application, Layer::Environment),
            ("Deployment", "envs/a.yaml", Layer::Application, Layer::Environment),
            ("Unheard", "a.yaml", Layer::Application, Layer::Application),
        ] {
            let object = object(SourceKind::Manifest, file, &format!("apiVersion: v1\nkind: {kind}\n"));
            assert_eq!(Layers::default().of(&object), usual, "{kind}");
            assert_eq!(named.of(&object), as_named, "{kind} {file}");
        }
    }

    #[test]
    fn what_is_bound_to_a_place_is_found_in_the_application_layer_alone() {
        let found = |layers: &Layers, object: &Object| {
            layers.environment_bound(object).into_iter().map(|(path, _)| path.to_string()).collect::<Vec<_>>()
        };
        let usual = Layers::default();
        assert_eq!(found(&usual, &object(SourceKind::Manifest, "web.yaml", WEB)), ["spec.template.spec.nodeSelector"]);
        assert!(found(&usual, &object(SourceKind::KustomizePatch, "overlays/prod/web.yaml", WEB)).is_empty());
        let named = Layers { environment: vec!["envs/".into()], ..Layers::default() };
        assert!(found(&named, &object(SourceKind::Manifest, "envs/web.yaml", WEB)).is_empty());
        let service = "apiVersion: v1\nkind: Service\nmetadata: {name: s, annotations: {service.beta.kubernetes.io/x: '1'}}\nspec:\n  \
                       ports: [{port: 1}, {port: 2, nodePort: 30000}]\n";
        assert_eq!(
            found(&usual, &object(SourceKind::Template, "t.yaml", service)),
            ["metadata.annotations[\"service.beta.kubernetes.io/x\"]", "spec.ports[1].nodePort"]
        );
        let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nspec: {storageClassName: gp3}\n";
        assert_eq!(found(&usual, &object(SourceKind::Manifest, "c.yaml", claim)), ["spec.storageClassName"]);
    }
}
