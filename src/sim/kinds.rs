//! The resources that a simulated cluster serves: a fixed table, and what custom resource definitions add to it.

/// Number of a resource in one cluster's table; the constants below are the same in every cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rid(pub u16);

impl Rid {
    /// Position in tables that are kept per resource.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Its number.
    pub rid: Rid,
    /// API group, empty for core.
    pub group: String,
    /// Served versions, preferred first. Objects are the same in all of them but for `apiVersion`.
    pub versions: Vec<String>,
    /// Kind.
    pub kind: String,
    /// Plural, as in URLs.
    pub plural: String,
    /// Singular.
    pub singular: String,
    /// Short names.
    pub short: Vec<String>,
    /// Lives in namespaces.
    pub namespaced: bool,
    /// Has `/status`.
    pub status: bool,
    /// Has `/scale`.
    pub scale: bool,
    /// Has `metadata.generation`.
    pub generation: bool,
    /// Part of `kubectl get all`.
    pub all: bool,
    /// Comes from a CustomResourceDefinition.
    pub custom: bool,
    /// Its fields, where a definition declares them.
    pub structure: Option<std::sync::Arc<crate::schema::Node>>,
    /// Answered over HTTP (custom ones: once their definition exists).
    pub served: bool,
}

impl Resource {
    /// `deployments.apps`, `pods`.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// `apps/v1`, `v1` for one of its versions.
    pub fn api_version(&self, version: &str) -> String {
        if self.group.is_empty() { version.to_owned() } else { format!("{}/{version}", self.group) }
    }

    /// The node of a whole object of it.
    pub fn root(&self) -> crate::schema::Node {
        match &self.structure {
            Some(node) => (**node).clone(),
            None => crate::schema::schema().root(&self.api_version(self.preferred()), &self.kind),
        }
    }

    /// Number of its type, where it is a built-in kind.
    pub fn root_number(&self) -> Option<usize> {
        crate::schema::schema().number(&self.api_version(self.preferred()), &self.kind)
    }

    /// Its preferred version.
    pub fn preferred(&self) -> &str {
        self.versions.first().map_or("v1", String::as_str)
    }
}

/// Flags of the table: s = status, c = scale, g = generation, a = `all`, x = custom.
macro_rules! resources {
    ($( $(#[$doc:meta])* $id:ident { $group:literal, [$($version:literal),+], $kind:literal, $plural:literal, [$($short:literal),*], $namespaced:literal, $flags:literal } )+) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u16)]
        enum Number { $( $id ),+ }
        $( $(#[$doc])* pub const $id: Rid = Rid(Number::$id as u16); )+

        /// The fixed table, in the order of the numbers.
        pub fn table() -> Vec<Resource> {
            vec![ $( row($id, $group, &[$($version),+], $kind, $plural, &[$($short),*], $namespaced, $flags) ),+ ]
        }
    };
}

#[allow(clippy::too_many_arguments)]
fn row(
    rid: Rid,
    group: &str,
    versions: &[&str],
    kind: &str,
    plural: &str,
    short: &[&str],
    namespaced: bool,
    flags: &str,
) -> Resource {
    let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
    let custom = flags.contains('x');
    Resource {
        rid,
        group: group.into(),
        versions: owned(versions),
        kind: kind.into(),
        plural: plural.into(),
        singular: kind.to_lowercase(),
        short: owned(short),
        namespaced,
        status: flags.contains('s'),
        scale: flags.contains('c'),
        generation: flags.contains('g'),
        all: flags.contains('a'),
        custom,
        structure: None,
        served: !custom,
    }
}

resources! {
    /// core Namespace
    NAMESPACES { "", ["v1"], "Namespace", "namespaces", ["ns"], false, "s" }
    /// core Node
    NODES { "", ["v1"], "Node", "nodes", ["no"], false, "s" }
    /// core Pod
    PODS { "", ["v1"], "Pod", "pods", ["po"], true, "sga" }
    /// core Service
    SERVICES { "", ["v1"], "Service", "services", ["svc"], true, "sa" }
    /// core ConfigMap
    CONFIGMAPS { "", ["v1"], "ConfigMap", "configmaps", ["cm"], true, "" }
    /// core Secret
    SECRETS { "", ["v1"], "Secret", "secrets", [], true, "" }
    /// core Event
    EVENTS { "", ["v1"], "Event", "events", ["ev"], true, "" }
    /// core ServiceAccount
    SERVICEACCOUNTS { "", ["v1"], "ServiceAccount", "serviceaccounts", ["sa"], true, "" }
    /// core Endpoints
    ENDPOINTS { "", ["v1"], "Endpoints", "endpoints", ["ep"], true, "" }
    /// core PersistentVolume
    PERSISTENTVOLUMES { "", ["v1"], "PersistentVolume", "persistentvolumes", ["pv"], false, "s" }
    /// core PersistentVolumeClaim
    PERSISTENTVOLUMECLAIMS { "", ["v1"], "PersistentVolumeClaim", "persistentvolumeclaims", ["pvc"], true, "s" }
    /// core LimitRange
    LIMITRANGES { "", ["v1"], "LimitRange", "limitranges", ["limits"], true, "" }
    /// core ResourceQuota
    RESOURCEQUOTAS { "", ["v1"], "ResourceQuota", "resourcequotas", ["quota"], true, "s" }
    /// core ReplicationController
    REPLICATIONCONTROLLERS { "", ["v1"], "ReplicationController", "replicationcontrollers", ["rc"], true, "scga" }
    /// core PodTemplate
    PODTEMPLATES { "", ["v1"], "PodTemplate", "podtemplates", [], true, "g" }
    /// apps Deployment
    DEPLOYMENTS { "apps", ["v1"], "Deployment", "deployments", ["deploy"], true, "scga" }
    /// apps StatefulSet
    STATEFULSETS { "apps", ["v1"], "StatefulSet", "statefulsets", ["sts"], true, "scga" }
    /// apps DaemonSet
    DAEMONSETS { "apps", ["v1"], "DaemonSet", "daemonsets", ["ds"], true, "sga" }
    /// apps ReplicaSet
    REPLICASETS { "apps", ["v1"], "ReplicaSet", "replicasets", ["rs"], true, "scga" }
    /// apps ControllerRevision
    CONTROLLERREVISIONS { "apps", ["v1"], "ControllerRevision", "controllerrevisions", [], true, "" }
    /// batch Job
    JOBS { "batch", ["v1"], "Job", "jobs", [], true, "sga" }
    /// batch CronJob
    CRONJOBS { "batch", ["v1"], "CronJob", "cronjobs", ["cj"], true, "sga" }
    /// discovery EndpointSlice
    ENDPOINTSLICES { "discovery.k8s.io", ["v1"], "EndpointSlice", "endpointslices", [], true, "g" }
    /// autoscaling HorizontalPodAutoscaler
    HPAS { "autoscaling", ["v2"], "HorizontalPodAutoscaler", "horizontalpodautoscalers", ["hpa"], true, "sga" }
    /// policy PodDisruptionBudget
    PDBS { "policy", ["v1"], "PodDisruptionBudget", "poddisruptionbudgets", ["pdb"], true, "sg" }
    /// storage CSIDriver
    CSIDRIVERS { "storage.k8s.io", ["v1"], "CSIDriver", "csidrivers", [], false, "" }
    /// storage CSINode
    CSINODES { "storage.k8s.io", ["v1"], "CSINode", "csinodes", [], false, "" }
    /// storage StorageClass
    STORAGECLASSES { "storage.k8s.io", ["v1"], "StorageClass", "storageclasses", ["sc"], false, "" }
    /// storage VolumeAttachment
    VOLUMEATTACHMENTS { "storage.k8s.io", ["v1"], "VolumeAttachment", "volumeattachments", [], false, "s" }
    /// networking Ingress
    INGRESSES { "networking.k8s.io", ["v1"], "Ingress", "ingresses", ["ing"], true, "sg" }
    /// networking IngressClass
    INGRESSCLASSES { "networking.k8s.io", ["v1"], "IngressClass", "ingressclasses", [], false, "g" }
    /// networking NetworkPolicy
    NETWORKPOLICIES { "networking.k8s.io", ["v1"], "NetworkPolicy", "networkpolicies", ["netpol"], true, "g" }
    /// rbac Role
    ROLES { "rbac.authorization.k8s.io", ["v1"], "Role", "roles", [], true, "" }
    /// rbac RoleBinding
    ROLEBINDINGS { "rbac.authorization.k8s.io", ["v1"], "RoleBinding", "rolebindings", [], true, "" }
    /// rbac ClusterRole
    CLUSTERROLES { "rbac.authorization.k8s.io", ["v1"], "ClusterRole", "clusterroles", [], false, "" }
    /// rbac ClusterRoleBinding
    CLUSTERROLEBINDINGS { "rbac.authorization.k8s.io", ["v1"], "ClusterRoleBinding", "clusterrolebindings", [], false, "" }
    /// coordination Lease
    LEASES { "coordination.k8s.io", ["v1"], "Lease", "leases", [], true, "" }
    /// scheduling PriorityClass
    PRIORITYCLASSES { "scheduling.k8s.io", ["v1"], "PriorityClass", "priorityclasses", ["pc"], false, "g" }
    /// apiextensions CustomResourceDefinition
    CRDS { "apiextensions.k8s.io", ["v1"], "CustomResourceDefinition", "customresourcedefinitions", ["crd", "crds"], false, "sg" }
    /// apiregistration APIService
    APISERVICES { "apiregistration.k8s.io", ["v1"], "APIService", "apiservices", [], false, "s" }
    /// admissionregistration MutatingWebhookConfiguration
    MUTATINGWEBHOOKS { "admissionregistration.k8s.io", ["v1"], "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", [], false, "g" }
    /// admissionregistration ValidatingWebhookConfiguration
    VALIDATINGWEBHOOKS { "admissionregistration.k8s.io", ["v1"], "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", [], false, "g" }
    /// metrics NodeMetrics: read only over HTTP, written by the simulation
    NODE_METRICS { "metrics.k8s.io", ["v1beta1"], "NodeMetrics", "nodes", [], false, "" }
    /// metrics PodMetrics: read only over HTTP, written by the simulation
    POD_METRICS { "metrics.k8s.io", ["v1beta1"], "PodMetrics", "pods", [], true, "" }
    /// argoproj Rollout, served once its definition exists
    ROLLOUTS { "argoproj.io", ["v1alpha1"], "Rollout", "rollouts", ["ro"], true, "scgx" }
    /// kruise CloneSet, served once its definition exists
    CLONESETS { "apps.kruise.io", ["v1beta1", "v1alpha1"], "CloneSet", "clonesets", ["clone"], true, "scgx" }
    /// kruise Advanced StatefulSet, served once its definition exists
    KRUISE_STATEFULSETS { "apps.kruise.io", ["v1beta1", "v1alpha1"], "StatefulSet", "statefulsets", ["sts", "asts"], true, "scgx" }
    /// kruise Advanced DaemonSet, served once its definition exists
    KRUISE_DAEMONSETS { "apps.kruise.io", ["v1beta1", "v1alpha1"], "DaemonSet", "daemonsets", ["daemon", "ads"], true, "sgx" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Builtin;

    #[test]
    fn every_watched_kind_can_be_served() {
        let table = table();
        for (at, row) in table.iter().enumerate() {
            assert_eq!(row.rid.index(), at);
        }
        for kind in Builtin::ALL {
            let info = kind.info();
            let row = table.iter().find(|r| r.group == info.group && r.plural == info.plural);
            assert!(row.is_some_and(|r| r.kind == info.kind && r.namespaced == info.namespaced), "{info:?}");
        }
    }
}
