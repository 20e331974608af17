//! The kinds that are watched: a fixed table of built-in ones and room for more at run time.

use std::sync::{Arc, RwLock};

use serde::{Deserialize, Serialize};

/// Index of a kind in a [`KindSet`]. The built-in kinds keep their numbers for ever (they are in snapshot files).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KindId(pub u16);

impl KindId {
    /// Position in tables that are kept per kind.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The built-in kind behind the number, if it is one.
    pub fn builtin(self) -> Option<Builtin> {
        Builtin::ALL.get(self.index()).copied()
    }
}

/// What the API calls a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindInfo {
    /// API group, empty for core.
    pub group: String,
    /// Versions we can read, best first; discovery picks the first that the server serves.
    pub versions: Vec<String>,
    /// Kind as in manifests.
    pub kind: String,
    /// Plural as in URLs.
    pub plural: String,
    /// Short names and aliases for the command line, lower case, the plural and the kind included.
    pub names: Vec<String>,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Watched only where the server serves it, silently absent elsewhere.
    pub optional: bool,
}

impl KindInfo {
    /// `deployments.apps`, or `pods` for the core group: the API's own way to name a resource.
    pub fn resource(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }
}

macro_rules! builtin_kinds {
    ($( $(#[$doc:meta])* $id:ident { $group:literal, [$($version:literal),+], $kind:literal, $plural:literal, [$($name:literal),*], $namespaced:literal, $optional:literal } )+) => {
        /// The kinds that are watched without being asked for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Builtin { $( $(#[$doc])* $id ),+ }

        impl Builtin {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Self] = &[ $( Self::$id ),+ ];

            /// What the API calls it.
            pub fn info(self) -> KindInfo {
                let (group, versions, kind, plural, names, namespaced, optional): (&str, &[&str], &str, &str, &[&str], bool, bool) = match self {
                    $( Self::$id => ($group, &[$($version),+], $kind, $plural, &[$($name),*], $namespaced, $optional) ),+
                };
                let mut all = vec![plural.to_owned(), kind.to_lowercase()];
                all.extend(names.iter().map(|n| (*n).to_owned()));
                KindInfo {
                    group: group.into(),
                    versions: versions.iter().map(|v| (*v).into()).collect(),
                    kind: kind.into(),
                    plural: plural.into(),
                    names: all,
                    namespaced,
                    optional,
                }
            }
        }
    };
}

builtin_kinds! {
    /// core/v1 Namespace
    Namespace { "", ["v1"], "Namespace", "namespaces", ["ns"], false, false }
    /// core/v1 Node
    Node { "", ["v1"], "Node", "nodes", ["no"], false, false }
    /// apps/v1 Deployment
    Deployment { "apps", ["v1"], "Deployment", "deployments", ["deploy", "dp"], true, false }
    /// apps/v1 StatefulSet
    StatefulSet { "apps", ["v1"], "StatefulSet", "statefulsets", ["sts"], true, false }
    /// apps/v1 DaemonSet
    DaemonSet { "apps", ["v1"], "DaemonSet", "daemonsets", ["ds"], true, false }
    /// apps/v1 ReplicaSet (trimmed)
    ReplicaSet { "apps", ["v1"], "ReplicaSet", "replicasets", ["rs"], true, false }
    /// batch/v1 Job
    Job { "batch", ["v1"], "Job", "jobs", [], true, false }
    /// batch/v1 CronJob
    CronJob { "batch", ["v1"], "CronJob", "cronjobs", ["cj"], true, false }
    /// core/v1 Pod (trimmed)
    Pod { "", ["v1"], "Pod", "pods", ["po"], true, false }
    /// core/v1 ConfigMap: metadata and fingerprint
    ConfigMap { "", ["v1"], "ConfigMap", "configmaps", ["cm"], true, false }
    /// core/v1 Secret: metadata and fingerprint, never the content
    Secret { "", ["v1"], "Secret", "secrets", ["sec"], true, false }
    /// core/v1 Service
    Service { "", ["v1"], "Service", "services", ["svc"], true, false }
    /// discovery.k8s.io/v1 EndpointSlice (trimmed)
    EndpointSlice { "discovery.k8s.io", ["v1"], "EndpointSlice", "endpointslices", ["eps"], true, false }
    /// autoscaling/v2 HorizontalPodAutoscaler
    Hpa { "autoscaling", ["v2", "v1"], "HorizontalPodAutoscaler", "horizontalpodautoscalers", ["hpa"], true, false }
    /// policy/v1 PodDisruptionBudget
    Pdb { "policy", ["v1"], "PodDisruptionBudget", "poddisruptionbudgets", ["pdb"], true, false }
    /// storage.k8s.io/v1 CSIDriver
    CsiDriver { "storage.k8s.io", ["v1"], "CSIDriver", "csidrivers", [], false, false }
    /// storage.k8s.io/v1 CSINode
    CsiNode { "storage.k8s.io", ["v1"], "CSINode", "csinodes", [], false, false }
    /// core/v1 Event, warnings only, bounded
    Event { "", ["v1"], "Event", "events", ["ev"], true, false }
    /// argoproj.io Rollout
    ArgoRollout { "argoproj.io", ["v1alpha1"], "Rollout", "rollouts", ["ro"], true, true }
    /// apps.kruise.io CloneSet
    CloneSet { "apps.kruise.io", ["v1beta1", "v1alpha1"], "CloneSet", "clonesets", ["clone"], true, true }
    /// apps.kruise.io StatefulSet (Advanced StatefulSet)
    AdvancedStatefulSet { "apps.kruise.io", ["v1beta1", "v1alpha1"], "StatefulSet", "statefulsets", ["asts"], true, true }
    /// apps.kruise.io DaemonSet (Advanced DaemonSet)
    AdvancedDaemonSet { "apps.kruise.io", ["v1beta1", "v1alpha1"], "DaemonSet", "daemonsets", ["ads"], true, true }
}

impl Builtin {
    /// Its number.
    pub fn id(self) -> KindId {
        KindId(self as u16)
    }

    /// Kinds that run pods and appear in the Matrix. ReplicaSets and Jobs that another workload controls are left out
    /// there by their owner, not by their kind.
    pub const WORKLOADS: &'static [Self] = &[
        Self::Deployment,
        Self::StatefulSet,
        Self::DaemonSet,
        Self::ArgoRollout,
        Self::CloneSet,
        Self::AdvancedStatefulSet,
        Self::AdvancedDaemonSet,
        Self::CronJob,
        Self::Job,
        Self::ReplicaSet,
    ];
}

/// The kinds known to this process: the built-in ones first, then those added while it runs. Shared by the tasks that
/// watch and by the screens that look names up; it only ever grows.
#[derive(Clone, Debug)]
pub struct KindSet(Arc<RwLock<Vec<Arc<KindInfo>>>>);

impl Default for KindSet {
    fn default() -> Self {
        Self(Arc::new(RwLock::new(Builtin::ALL.iter().map(|k| Arc::new(k.info())).collect())))
    }
}

impl KindSet {
    fn read(&self) -> Vec<Arc<KindInfo>> {
        // A poisoned lock still holds a valid list: pushing is the only change ever made.
        self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// What the API calls the kind; `None` for a number that was never given out.
    pub fn info(&self, id: KindId) -> Option<Arc<KindInfo>> {
        self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(id.index()).cloned()
    }

    /// Every kind with its number.
    pub fn all(&self) -> Vec<(KindId, Arc<KindInfo>)> {
        self.read().into_iter().enumerate().map(|(i, k)| (KindId(u16::try_from(i).unwrap_or(u16::MAX)), k)).collect()
    }

    /// Adds a kind, or finds the number it already has (same group and plural).
    pub fn add(&self, info: KindInfo) -> KindId {
        let mut kinds = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let at = kinds.iter().position(|k| k.group == info.group && k.plural == info.plural).unwrap_or_else(|| {
            kinds.push(Arc::new(info));
            kinds.len() - 1
        });
        KindId(u16::try_from(at).unwrap_or(u16::MAX))
    }

    /// Kinds that answer to `word` (`po`, `pods`, `deployments.apps`, `Deployment`), case ignored. A word that fits more
    /// than one kind gives all of them; the plain name of a built-in group wins over CRDs of the same name.
    pub fn named(&self, word: &str) -> Vec<KindId> {
        let word = word.to_lowercase();
        let all = self.all();
        let exact: Vec<KindId> = all.iter().filter(|(_, k)| k.resource() == word).map(|(id, _)| *id).collect();
        if !exact.is_empty() {
            return exact;
        }
        let hits: Vec<&(KindId, Arc<KindInfo>)> = all.iter().filter(|(_, k)| k.names.contains(&word)).collect();
        let plain: Vec<KindId> = hits.iter().filter(|(_, k)| !k.optional).map(|(id, _)| *id).collect();
        if plain.is_empty() { hits.iter().map(|(id, _)| *id).collect() } else { plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_find_their_kind() {
        let kinds = KindSet::default();
        assert_eq!(kinds.named("po"), vec![Builtin::Pod.id()]);
        assert_eq!(kinds.named("Deployments.apps"), vec![Builtin::Deployment.id()]);
        assert_eq!(kinds.named("sts"), vec![Builtin::StatefulSet.id()], "the built-in one, not the Advanced one");
        assert_eq!(kinds.named("statefulsets.apps.kruise.io"), vec![Builtin::AdvancedStatefulSet.id()]);
        assert!(kinds.named("nonsense").is_empty());
    }
}
