//! From a result to a cluster's manifest: its replicas, and its part of a Job's completions (specs: Karmada, from result to
//! manifests). Overrides run afterwards and may overrule both.

use std::sync::Arc;

use super::{
    Resource,
    divide::{Party, divide},
    prepared::Prepared,
};
use crate::desired::{
    object::Object,
    origin::Rule,
    path::Path,
    policy::PlacementPolicy,
    tree::{Node, Value},
};

/// A result, ready to be written into the manifests of its clusters.
#[derive(Clone, Debug)]
pub struct HandOver<'a> {
    resource: &'a Resource,
    shares: &'a [(u32, i64)],
    /// Completions by share; empty where they are not divided.
    completions: Vec<i64>,
}

impl Prepared<'_> {
    /// Makes a result (of [`Prepared::decide`]) ready to be written; a Job's completions are divided by the replicas.
    pub fn hand_over<'a>(&self, resource: &'a Resource, shares: &'a [(u32, i64)]) -> HandOver<'a> {
        let parties = || {
            shares.iter().map(|&(cluster, weight)| Party { weight, rank: self.roster.rank[cluster as usize] }).collect()
        };
        let divided = resource.completions.filter(|_| self.divides() && resource.replicas > 0);
        let completions = divided.map(|n| divide(n, &parties() as &Vec<Party>, resource.descending()));
        HandOver { resource, shares, completions: completions.unwrap_or_default() }
    }
}

impl HandOver<'_> {
    /// Writes a cluster's count into its copy of the object, in the name of a rule. Only a field that the object has is written, and
    /// only where the value differs, so that what is the same stays shared. A cluster that is not in the result gets no change.
    pub fn write(&self, object: &mut Object, cluster: u32, rule: &Arc<Rule>) {
        let Ok(at) = self.shares.binary_search_by_key(&cluster, |(c, _)| *c) else { return };
        if let Some(field) = self.resource.field.filter(|_| self.resource.is_workload()) {
            set(object, field, self.shares[at].1, rule);
        }
        if let Some(&completions) = self.completions.get(at) {
            set(object, "completions", completions, rule);
        }
    }
}

fn set(object: &mut Object, field: &str, count: i64, rule: &Arc<Rule>) {
    let held = object.node.at_keys(&["spec", field]);
    if held.and_then(Node::as_int).is_none_or(|n| n == count) {
        return;
    }
    if let Some(node) = object.node.at_mut(&Path::default().key("spec").key(field)) {
        node.replace(Value::Int(count), rule);
    }
}

/// The rule in whose name a policy's placement writes.
pub fn rule(policy: &PlacementPolicy) -> Arc<Rule> {
    Arc::new(Rule {
        kind: policy.id.kind.clone(),
        namespace: policy.id.namespace.clone(),
        name: policy.id.name.clone(),
        part: "placement".into(),
        at: policy.placement_at.clone(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::{
        cluster::Cluster,
        origin::{At, Origin, Source, SourceKind},
        place::{Group, Placement, Roster, State, Strategy},
    };

    fn object(json: serde_json::Value) -> Object {
        Object::new(Node::from_json(&json, &Origin::Unknown)).unwrap()
    }

    fn deployment(spec: serde_json::Value) -> Object {
        object(json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}))
    }

    /// What each of three equal clusters gets of an object, with the number of changes.
    fn handed(object: &Object, strategy: Strategy) -> Vec<serde_json::Value> {
        let clusters: Vec<Cluster> =
            ["a", "b", "c"].map(|name| Cluster { name: name.into(), ..Cluster::default() }).into();
        let roster = Roster::new(&clusters);
        let placement = Placement { groups: vec![Group::default()], strategy, ..Placement::default() };
        let prepared = Prepared::new(&placement, &roster);
        let resource = Resource::of(object);
        let shares = prepared.decide(&resource, &State::default(), None).outcome.unwrap();
        let at = At { source: Source::new(SourceKind::Policy, "p.yaml"), line: 7 };
        let policy = PlacementPolicy {
            id: crate::desired::policy::PolicyId { kind: "PropagationPolicy".into(), ..Default::default() },
            placement_at: At { line: 9, ..at.clone() },
            at,
            system: crate::desired::policy::System::Karmada,
            selectors: Vec::new(),
            priority: 0,
            preempts: false,
            deleting: false,
            dependent_overrides: Vec::new(),
            propagate_deps: false,
            suspended: None,
            placement: Arc::new(placement.clone()),
        };
        let (hand, rule) = (prepared.hand_over(&resource, &shares), rule(&policy));
        let written = |&(cluster, _): &(u32, i64)| {
            let mut copy = object.clone();
            hand.write(&mut copy, cluster, &rule);
            for field in ["replicas", "parallelism", "completions"] {
                let (old, new) = (object.node.at_keys(&["spec", field]), copy.node.at_keys(&["spec", field]));
                let changes = new.map_or(0, |n| n.origin.history().0.len());
                assert_eq!(changes, usize::from(old != new), "a value that changed names its rule, once");
            }
            copy.node.get("spec").unwrap().to_json()
        };
        shares.iter().map(written).collect()
    }

    #[test]
    fn a_count_is_written_where_the_field_is() {
        let even = Strategy::Static { weights: Vec::new(), given: false };
        let specs = handed(&deployment(json!({"replicas": 5})), even.clone());
        assert_eq!(specs, [json!({"replicas": 2}), json!({"replicas": 2}), json!({"replicas": 1})]);
        assert_eq!(handed(&deployment(json!({"replicas": 5})), Strategy::Duplicated), vec![json!({"replicas": 5}); 3]);
        assert_eq!(handed(&deployment(json!({})), even.clone()), vec![json!({}); 3]);
        let job =
            |spec| object(json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": spec}));
        let specs = handed(&job(json!({"parallelism": 5, "completions": 10})), even.clone());
        let part = |p: i64, c: i64| json!({"parallelism": p, "completions": c});
        assert_eq!(specs, [part(2, 4), part(2, 4), part(1, 2)]);
        let specs = handed(&job(json!({"parallelism": 5, "completions": 10})), Strategy::Duplicated);
        assert_eq!(specs, vec![part(5, 10); 3]);
        assert_eq!(handed(&job(json!({"parallelism": 2})), even), vec![json!({"parallelism": 1}); 2]);
    }
}
