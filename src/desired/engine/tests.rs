//! The pipeline: who sends what where, what is shared, what is taken from the former result.

use std::sync::Arc;

use super::*;
use crate::desired::{
    origin::{Source as File, SourceKind},
    path::Path,
    source::yaml,
};

pub(crate) const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 6
  template:
    spec:
      containers:
      - {name: app, image: 'nginx:1.25', envFrom: [{configMapRef: {name: web}}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop}
data: {level: info}
";

pub(crate) const POLICIES: &str = "\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  placement:
    clusterAffinity: {clusterNames: [a, b, c]}
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
        - {targetCluster: {clusterNames: [a]}, weight: 2}
        - {targetCluster: {clusterNames: [b]}, weight: 1}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: cn, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  overrideRules:
  - targetCluster: {clusterNames: [b]}
    overriders: {imageOverrider: [{component: Registry, operator: add, value: mirror.example}]}
";

pub(crate) fn read(text: &str, kind: SourceKind, file: &str) -> Vec<Arc<Object>> {
    let documents = yaml::read(text, &File::new(kind, file)).expect("YAML");
    documents.into_iter().map(|d| Arc::new(Object::new(d).expect("an object"))).collect()
}

pub(crate) fn policies(text: &str) -> Arc<Policies> {
    let mut policies = Policies::default();
    for object in read(text, SourceKind::Policy, "policies.yaml") {
        policies.read(&object).expect("a policy").expect("a sound one");
    }
    Arc::new(policies)
}

pub(crate) fn inputs(objects: Vec<Arc<Object>>, clusters: Option<Affinity>) -> Inputs {
    let base = Base { only: None, objects: Arc::new(objects) };
    let source = Arc::new(Source { title: "plain web".into(), clusters, bases: vec![base] });
    let service = Arc::new(Service { name: "web".into(), namespace: "shop".into(), sources: vec![source] });
    let cluster = |name: &str| Cluster { name: name.into(), ..Cluster::default() };
    Inputs {
        clusters: Arc::new(["a", "b", "c", "d"].map(cluster).to_vec()),
        services: vec![service],
        policies: policies(POLICIES),
        states: Arc::default(),
    }
}

fn key(kind: &str) -> ObjectKey {
    let api_version = if kind == "Deployment" { "apps/v1" } else { "v1" };
    ObjectKey { api_version: api_version.into(), kind: kind.into(), namespace: "shop".into(), name: "web".into() }
}

fn value(desired: &Desired, cluster: &str, path: &str) -> Option<serde_json::Value> {
    let object = desired.object(desired.cluster(cluster)?, &key("Deployment"))?;
    object.node.at(&Path::parse(path)?).map(Node::to_json)
}

use super::super::tree::Node;

#[test]
fn a_policy_places_an_override_changes_and_what_is_referred_to_follows() {
    let desired = Desired::of(inputs(read(WEB, SourceKind::Manifest, "web.yaml"), None), None);
    let (_, web) = desired.named(&key("Deployment")).next().expect("placed");
    assert_eq!(web.shares(), [(0, 4), (1, 2)]);
    assert_eq!(value(&desired, "a", "spec.replicas"), Some(4.into()));
    assert_eq!(value(&desired, "b", "spec.replicas"), Some(2.into()));
    let image = "spec.template.spec.containers[0].image";
    assert_eq!(value(&desired, "a", image), Some("nginx:1.25".into()));
    assert_eq!(value(&desired, "b", image), Some("mirror.example/nginx:1.25".into()));
    let (_, config) = desired.named(&key("ConfigMap")).next().expect("known");
    assert_eq!((config.owner.clone(), config.shares()), (Owner::Followed, vec![(0, 0), (1, 0)]));
    assert_eq!(desired.objects(0).count(), 2);
    assert_eq!(desired.objects(3).count(), 0);
}

#[test]
fn clusters_share_what_is_the_same() {
    let text = WEB.replace("replicas: 6", "paused: false");
    let everywhere = Some(Affinity::default());
    let mut inputs = inputs(read(&text, SourceKind::Manifest, "web.yaml"), everywhere);
    let only_overrides = Policies { placements: Vec::new(), ..(*inputs.policies).clone() };
    inputs.policies = Arc::new(only_overrides);
    let desired = Desired::of(inputs, None);
    let (_, web) = desired.named(&key("Deployment")).next().expect("placed");
    assert_eq!(web.owner, Owner::Source);
    let at = |cluster| web.object(cluster).expect("there");
    assert!(Arc::ptr_eq(at(0), &web.template) && Arc::ptr_eq(at(0), at(3)), "what no rule changes is the base itself");
    assert!(!Arc::ptr_eq(at(0), at(1)));
}

#[test]
fn what_did_not_change_is_taken_from_the_former_result() {
    let objects = read(WEB, SourceKind::Manifest, "web.yaml");
    let first = Desired::of(inputs(objects.clone(), None), None);
    // The same inputs, read anew: nothing but the policies' identity counts, so keep those.
    let again = Desired::of(first.inputs.clone(), Some(&first));
    assert!(Arc::ptr_eq(&first.services[0], &again.services[0]));
    // One policy edited: the Deployment is made anew, and only it.
    let mut edited = first.inputs.clone();
    let mut changed = (*edited.policies).clone();
    let fresh = policies(&POLICIES.replace("mirror.example", "other.example"));
    changed.overrides = fresh.overrides.clone();
    edited.policies = Arc::new(changed);
    let second = Desired::of(edited, Some(&first));
    let (old, new) = (&first.services[0].placed, &second.services[0].placed);
    assert!(!Arc::ptr_eq(&old[0], &new[0]), "the override reaches the Deployment");
    assert!(Arc::ptr_eq(&old[1], &new[1]), "the ConfigMap has nothing to do with it");
    assert_eq!(value(&second, "b", "spec.template.spec.containers[0].image"), Some("other.example/nginx:1.25".into()));
}

#[test]
fn without_a_policy_and_without_clusters_it_waits() {
    let mut inputs = inputs(read(WEB, SourceKind::Manifest, "web.yaml"), None);
    inputs.policies = Arc::default();
    let desired = Desired::of(inputs, None);
    assert!(desired.services[0].placed.iter().all(|p| p.owner == Owner::Nobody && p.objects.is_empty()));
}
