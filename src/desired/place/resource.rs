//! What placement has to know of an object: how many replicas it has, whether it is a workload, how ties are broken for it.

use std::sync::Arc;

use super::{
    super::{object::Object, tree::Node},
    MOST,
};
use crate::model::quantity_milli;

/// An object as placement sees it (specs: Karmada's native interpreters).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// `apiVersion Kind`, as clusters list what they serve.
    pub api: Arc<str>,
    /// Replicas; 0 for what has none.
    pub replicas: i64,
    /// Its Pods ask for something: resources, nodes, or tolerations.
    pub requirements: bool,
    /// `metadata.uid`, empty where there is none (as in files).
    pub uid: Arc<str>,
    /// The field below `spec` that holds the replicas, for the kinds where a cluster's share can be written.
    pub field: Option<&'static str>,
    /// `spec.completions` of a Job.
    pub completions: Option<i64>,
}

impl Resource {
    /// Looks an object over. Kinds are told by their exact `apiVersion`; any other kind has no replicas.
    pub fn of(object: &Object) -> Self {
        let mut resource = Self {
            api: format!("{} {}", object.key.api_version, object.key.kind).into(),
            uid: object.node.at_keys(&["metadata", "uid"]).and_then(Node::as_str).unwrap_or_default().into(),
            ..Self::default()
        };
        let Some(spec) = object.node.get("spec") else { return resource };
        let count = |field: &str| spec.get(field).and_then(Node::as_int);
        let pod = match &*resource.api {
            "apps/v1 Deployment" | "apps/v1 StatefulSet" | "apps/v1 ReplicaSet" => {
                resource.field = Some("replicas");
                resource.replicas = count("replicas").unwrap_or(0);
                spec.at_keys(&["template", "spec"])
            }
            "batch/v1 Job" => {
                resource.field = Some("parallelism");
                resource.completions = count("completions");
                let wanted = count("parallelism").unwrap_or(0);
                resource.replicas = resource.completions.map_or(wanted, |c| c.min(wanted));
                spec.at_keys(&["template", "spec"])
            }
            "v1 Pod" => {
                resource.replicas = 1;
                Some(spec)
            }
            _ => return resource,
        };
        resource.replicas = resource.replicas.clamp(0, MOST);
        resource.requirements = pod.is_some_and(asks);
        resource
    }

    /// Whether replicas are dealt out at all: what is no workload goes to every selected cluster, without a count.
    pub fn is_workload(&self) -> bool {
        self.replicas > 0 || self.requirements
    }

    /// Whether ties between clusters go to the last name instead of the first: the 32-bit FNV-1a hash of the uid is odd.
    pub fn descending(&self) -> bool {
        let hash = self.uid.bytes().fold(2_166_136_261_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(16_777_619));
        !self.uid.is_empty() && hash % 2 == 1
    }
}

/// Whether a Pod asks for resources (a limit stands in for a request), nodes or tolerations.
fn asks(pod: &Node) -> bool {
    let chosen = |node: &Node| {
        node.get("nodeSelector").is_some()
            || !node.items_of("tolerations").is_empty()
            || node.at_keys(&["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]).is_some()
    };
    let containers = || pod.items_of("containers").iter().chain(pod.items_of("initContainers"));
    chosen(pod) || pod.get("overhead").is_some_and(|o| some(o, |_| true)) || containers().any(container_asks)
}

fn container_asks(container: &Node) -> bool {
    let part = |key: &str| container.at_keys(&["resources", key]);
    let asked = |resource: &str| part("requests").is_some_and(|r| r.get(resource).is_some());
    part("requests").is_some_and(|r| some(r, |_| true)) || part("limits").is_some_and(|l| some(l, |name| !asked(name)))
}

/// Whether a list of quantities holds one above zero among those that count.
fn some(list: &Node, counts: impl Fn(&str) -> bool) -> bool {
    let above = |node: &Node| match node.as_str() {
        Some(text) => quantity_milli(text).is_some_and(|milli| milli > 0),
        None => node.to_json().as_f64().is_some_and(|n| n > 0.0),
    };
    list.as_map().is_some_and(|map| map.iter().any(|(name, amount)| counts(name) && above(amount)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::origin::Origin;

    fn resource(json: serde_json::Value) -> Resource {
        Resource::of(&Object::new(Node::from_json(&json, &Origin::Unknown)).unwrap())
    }

    fn deployment(pod: serde_json::Value) -> Resource {
        let spec = json!({"template": {"spec": pod}});
        resource(json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}))
    }

    #[test]
    fn replicas_come_from_the_field_of_the_kind() {
        for (api, kind, spec, replicas) in [
            ("apps/v1", "Deployment", json!({"replicas": 4}), 4),
            ("apps/v1", "Deployment", json!({}), 0),
            ("apps/v1beta1", "Deployment", json!({"replicas": 4}), 0),
            ("apps/v1", "DaemonSet", json!({"replicas": 4}), 0),
            ("batch/v1", "Job", json!({"parallelism": 8, "completions": 3}), 3),
            ("batch/v1", "Job", json!({"parallelism": 2, "completions": 3}), 2),
            ("batch/v1", "Job", json!({"completions": 3}), 0),
            ("v1", "Pod", json!({"containers": []}), 1),
        ] {
            let object = json!({"apiVersion": api, "kind": kind, "metadata": {"name": "a"}, "spec": spec});
            assert_eq!(resource(object.clone()).replicas, replicas, "{object}");
        }
    }

    #[test]
    fn requirements_make_a_workload_of_what_has_no_replicas() {
        for (pod, workload) in [
            (json!({"containers": [{"name": "a"}]}), false),
            (json!({"containers": [{"resources": {"requests": {"cpu": "0"}}}]}), false),
            (json!({"containers": [{"resources": {"requests": {"cpu": 1}}}]}), true),
            (json!({"containers": [{"resources": {"limits": {"memory": "1Gi"}}}]}), true),
            (json!({"containers": [{"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "0"}}}]}), false),
            (json!({"initContainers": [{"resources": {"requests": {"cpu": "10m"}}}]}), true),
            (json!({"nodeSelector": {"disk": "ssd"}}), true),
            (json!({"tolerations": [{"operator": "Exists"}]}), true),
            (json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}}), true),
            (json!({"affinity": {"podAffinity": {}}}), false),
        ] {
            assert_eq!(deployment(pod.clone()).is_workload(), workload, "{pod}");
        }
    }

    #[test]
    fn ties_depend_on_the_uid() {
        let odd = |uid: &str| Resource { uid: uid.into(), ..Resource::default() }.descending();
        // FNV-1a of "a" is 0xe40c292c (even), of "b" 0xe70c2de5 (odd), of nothing 0x811c9dc5 (odd, but there is no uid).
        assert_eq!(["", "a", "b"].map(odd), [false, false, true]);
    }
}
