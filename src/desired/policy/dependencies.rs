//! What an object refers to, and what follows it where `propagateDeps` says so (specs: Karmada, dependency propagation).

use std::collections::BTreeSet;

use crate::desired::{object::Object, tree::Node};

/// An object that another one refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// `apiVersion`.
    pub api_version: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Namespace, that of the object that refers to it.
    pub namespace: String,
    /// Name; empty where it is chosen by a label.
    pub name: String,
    /// A label it must have, where it is chosen by one.
    pub label: Option<(&'static str, String)>,
}

impl Dependency {
    /// Whether an object is the one meant, or one of them.
    pub fn is(&self, object: &Object) -> bool {
        let key = &object.key;
        let chosen = match &self.label {
            Some((label, value)) => object.label(label) == Some(value),
            None => *key.name == *self.name,
        };
        *key.api_version == *self.api_version && *key.kind == *self.kind && *key.namespace == *self.namespace && chosen
    }
}

/// Everything that an object refers to, in order, each once. Whether it exists plays no part.
pub fn dependencies(object: &Object) -> Vec<Dependency> {
    let mut found = Found { namespace: object.key.namespace.to_string(), set: BTreeSet::new() };
    let spec = |keys: &[&str]| object.node.get("spec").and_then(|s| s.at_keys(keys));
    match (&*object.key.api_version, &*object.key.kind) {
        ("apps/v1", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet") | ("batch/v1", "Job") => {
            found.pod(spec(&["template", "spec"]));
            found.without_own_claims(object);
        }
        ("batch/v1", "CronJob") => found.pod(spec(&["jobTemplate", "spec", "template", "spec"])),
        ("v1", "Pod") => found.pod(spec(&[])),
        ("networking.k8s.io/v1", "Ingress") => {
            for tls in object.node.get("spec").map(|s| s.items_of("tls")).unwrap_or_default() {
                found.add("Secret", tls.str_of("secretName"));
            }
        }
        ("multicluster.x-k8s.io/v1alpha1", "ServiceImport") => found.import(&object.key.name),
        _ => {}
    }
    found.set.into_iter().collect()
}

struct Found {
    namespace: String,
    set: BTreeSet<Dependency>,
}

impl Found {
    fn add(&mut self, kind: &'static str, name: &str) {
        if !name.is_empty() {
            self.set.insert(Dependency {
                api_version: "v1",
                kind,
                namespace: self.namespace.clone(),
                name: name.to_owned(),
                label: None,
            });
        }
    }

    fn pod(&mut self, pod: Option<&Node>) {
        let Some(pod) = pod else { return };
        for secret in pod.items_of("imagePullSecrets") {
            self.add("Secret", secret.str_of("name"));
        }
        let account = pod.str_of("serviceAccountName");
        if account != "default" {
            self.add("ServiceAccount", account);
        }
        for list in ["initContainers", "containers", "ephemeralContainers"] {
            pod.items_of(list).iter().for_each(|container| self.container(container));
        }
        pod.items_of("volumes").iter().for_each(|volume| self.volume(volume));
    }

    fn container(&mut self, container: &Node) {
        let sources = container.items_of("env").iter().filter_map(|env| env.get("valueFrom"));
        for (source, map, secret) in sources
            .map(|source| (source, "configMapKeyRef", "secretKeyRef"))
            .chain(container.items_of("envFrom").iter().map(|source| (source, "configMapRef", "secretRef")))
        {
            self.named(source, map, "ConfigMap");
            self.named(source, secret, "Secret");
        }
    }

    fn volume(&mut self, volume: &Node) {
        self.named(volume, "configMap", "ConfigMap");
        for source in volume.get("projected").map(|p| p.items_of("sources")).unwrap_or_default() {
            self.named(source, "configMap", "ConfigMap");
            self.named(source, "secret", "Secret");
        }
        for kind in ["secret", "azureFile"] {
            self.add("Secret", volume.get(kind).map(|v| v.str_of("secretName")).unwrap_or_default());
        }
        for kind in ["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"] {
            volume.get(kind).into_iter().for_each(|v| self.named(v, "secretRef", "Secret"));
        }
        volume.get("csi").into_iter().for_each(|v| self.named(v, "nodePublishSecretRef", "Secret"));
        let claim = volume.get("persistentVolumeClaim").map(|c| c.str_of("claimName"));
        self.add("PersistentVolumeClaim", claim.unwrap_or_default());
    }

    /// The object named by a reference.
    fn named(&mut self, holder: &Node, reference: &str, kind: &'static str) {
        self.add(kind, holder.get(reference).map(|r| r.str_of("name")).unwrap_or_default());
    }

    /// Claims that a StatefulSet makes from its own templates are not referred to.
    fn without_own_claims(&mut self, object: &Object) {
        let templates = object.node.get("spec").map(|s| s.items_of("volumeClaimTemplates")).unwrap_or_default();
        let own = |name: &str| templates.iter().any(|t| t.get("metadata").is_some_and(|m| m.str_of("name") == name));
        self.set.retain(|d| d.kind != "PersistentVolumeClaim" || !own(&d.name));
    }

    /// The Service that Karmada derives from a ServiceImport, and its EndpointSlices.
    fn import(&mut self, name: &str) {
        let service = format!("derived-{name}");
        self.add("Service", &service);
        self.set.insert(Dependency {
            api_version: "discovery.k8s.io/v1",
            kind: "EndpointSlice",
            namespace: self.namespace.clone(),
            name: String::new(),
            label: Some(("kubernetes.io/service-name", service)),
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::origin::Origin;

    fn found(api: &str, kind: &str, spec: serde_json::Value) -> Vec<String> {
        let json =
            json!({"apiVersion": api, "kind": kind, "metadata": {"name": "web", "namespace": "shop"}, "spec": spec});
        let object = Object::new(Node::from_json(&json, &Origin::Unknown)).unwrap();
        let name = |d: Dependency| match d.label {
            Some((key, value)) => format!("{} {key}={value}", d.kind),
            None => format!("{} {}", d.kind, d.name),
        };
        dependencies(&object).into_iter().map(name).collect()
    }

    #[test]
    fn everything_a_pod_refers_to_follows() {
        let pod = json!({
            "serviceAccountName": "runner",
            "imagePullSecrets": [{"name": "pull"}],
            "initContainers": [{"envFrom": [{"configMapRef": {"name": "init"}}, {"secretRef": {"name": "init"}}]}],
            "containers": [{"env": [
                {"name": "A", "value": "x"},
                {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "env", "key": "b"}}},
                {"name": "C", "valueFrom": {"secretKeyRef": {"name": "env", "key": "c"}}},
            ]}],
            "volumes": [
                {"name": "a", "configMap": {"name": "files"}},
                {"name": "b", "secret": {"secretName": "files"}},
                {"name": "c", "projected": {"sources": [{"secret": {"name": "both"}}, {"configMap": {"name": "both"}}]}},
                {"name": "d", "persistentVolumeClaim": {"claimName": "data"}},
                {"name": "e", "persistentVolumeClaim": {"claimName": "own"}},
                {"name": "f", "csi": {"driver": "x", "nodePublishSecretRef": {"name": "csi"}}},
                {"name": "g", "emptyDir": {}},
            ],
        });
        let expected = [
            "ConfigMap both",
            "ConfigMap env",
            "ConfigMap files",
            "ConfigMap init",
            "PersistentVolumeClaim data",
            "PersistentVolumeClaim own",
            "Secret both",
            "Secret csi",
            "Secret env",
            "Secret files",
            "Secret init",
            "Secret pull",
            "ServiceAccount runner",
        ];
        assert_eq!(found("apps/v1", "Deployment", json!({"template": {"spec": pod}})), expected);
        assert_eq!(found("v1", "Pod", pod.clone()), expected);
        let cron = json!({"jobTemplate": {"spec": {"template": {"spec": pod}}}});
        assert_eq!(found("batch/v1", "CronJob", cron), expected);
        let set = json!({"template": {"spec": pod}, "volumeClaimTemplates": [{"metadata": {"name": "own"}}]});
        let without: Vec<_> = expected.into_iter().filter(|d| *d != "PersistentVolumeClaim own").collect();
        assert_eq!(found("apps/v1", "StatefulSet", set), without);
    }

    #[test]
    fn other_kinds_refer_to_little() {
        assert_eq!(
            found("apps/v1", "Deployment", json!({"template": {"spec": {"serviceAccountName": "default"}}})),
            [""; 0]
        );
        assert_eq!(
            found("networking.k8s.io/v1", "Ingress", json!({"tls": [{"secretName": "cert"}, {}]})),
            ["Secret cert"]
        );
        assert_eq!(found("extensions/v1beta1", "Ingress", json!({"tls": [{"secretName": "cert"}]})), [""; 0]);
        assert_eq!(
            found("multicluster.x-k8s.io/v1alpha1", "ServiceImport", json!({})),
            ["EndpointSlice kubernetes.io/service-name=derived-web", "Service derived-web"],
        );
    }
}
