//! Why a policy owns an object: which ones match, and what decided between them.

use std::sync::Arc;

use super::{
    PlacementPolicy, PolicyId, Precision,
    select::{Matches, Won, reserved},
};
use crate::{
    desired::object::Object,
    messages::{Lang, clean_line, placement as text},
};

/// Who owns an object and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// The owner, as an index into the policies.
    pub owner: Option<usize>,
    /// Why it is the owner.
    pub won: Option<Won>,
    /// The policies that match, and how exactly, in the order given.
    pub matches: Vec<(usize, Precision)>,
    /// Karmada never propagates the object: a system namespace, or another feature's.
    pub reserved: bool,
}

impl Ownership {
    /// Finds the owner as [`super::select::owner`] does, with the reasons.
    pub fn of(
        policies: &[Arc<PlacementPolicy>],
        object: &Object,
        claimed: Option<&PolicyId>,
        preemption_gate: bool,
    ) -> Self {
        let matches = Matches::of(policies, object);
        let won = matches.owner(claimed, preemption_gate);
        Self {
            owner: won.map(|(at, _)| at),
            won: won.map(|(_, won)| won),
            matches: matches.found,
            reserved: reserved(object),
        }
    }

    /// The same in one sentence.
    pub fn sentence(&self, policies: &[Arc<PlacementPolicy>], lang: Lang) -> String {
        let (Some(owner), Some(won)) = (self.owner, self.won) else {
            return if self.reserved { text::OWN_RESERVED } else { text::OWN_NONE }.text(lang).to_owned();
        };
        let by_name = self.matches.iter().any(|&(at, precision)| at == owner && precision == 3);
        let msg = match won {
            Won::Alone => text::OWN_ALONE,
            Won::Native => text::OWN_NATIVE,
            Won::Priority => text::OWN_PRIORITY,
            Won::Precision if by_name => text::OWN_BY_NAME,
            Won::Precision => text::OWN_BY_LABELS,
            Won::Name => text::OWN_FIRST_NAME,
            Won::Namespace => text::OWN_NAMESPACE,
            Won::Claimed => text::OWN_CLAIMED,
            Won::Preempted => text::OWN_PREEMPTED,
        };
        let policy = &policies[owner];
        let name = policy.id.to_string();
        let values = [
            ("policy", &*clean_line(&name)),
            ("priority", &policy.priority.to_string()),
            ("n", &self.matches.len().to_string()),
        ];
        msg.fill(lang, &values)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::{
        origin::{At, Origin, Source, SourceKind},
        place::Placement,
        policy::{ResourceSelector, System, select},
        tree::Node,
    };

    /// A policy by kind, name, priority and what it selects: `name`, `label` or `all`.
    fn policy(kind: &str, name: &str, priority: i64, by: &str) -> Arc<PlacementPolicy> {
        let (system, namespace) = match kind {
            "Policy" => (System::Native, ""),
            "PropagationPolicy" => (System::Karmada, "shop"),
            _ => (System::Karmada, ""),
        };
        let labels = json!({"matchLabels": {"app": "web"}});
        let selector = ResourceSelector {
            kind: "Deployment".into(),
            name: if by == "name" { "web".into() } else { String::new() },
            labels: (by == "label")
                .then(|| crate::desired::selector::LabelSelector::read(&Node::from_json(&labels, &Origin::Unknown))),
            ..ResourceSelector::default()
        };
        Arc::new(PlacementPolicy {
            id: PolicyId { kind: kind.into(), namespace: namespace.into(), name: name.into() },
            at: At { source: Source::new(SourceKind::Policy, "p.yaml"), line: 1 },
            placement_at: At { source: Source::new(SourceKind::Policy, "p.yaml"), line: 1 },
            system,
            selectors: vec![selector],
            priority,
            preempts: name.starts_with("taker"),
            deleting: name == "leaving",
            dependent_overrides: Vec::new(),
            propagate_deps: false,
            suspended: None,
            placement: Arc::new(Placement::default()),
        })
    }

    fn web(namespace: &str) -> Object {
        let meta = json!({"name": "web", "namespace": namespace, "labels": {"app": "web"}});
        let json = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta});
        Object::new(Node::from_json(&json, &Origin::Unknown)).unwrap()
    }

    #[test]
    fn the_owner_and_why() {
        let (pp, cpp, own) = ("PropagationPolicy", "ClusterPropagationPolicy", "Policy");
        let none: Option<(&str, Won)> = None;
        for (policies, claimed, gate, expected) in [
            (vec![(pp, "a", 0, "all")], None, false, Some(("a", Won::Alone))),
            (vec![(pp, "exact", 1, "name"), (pp, "wide", 2, "all")], None, false, Some(("wide", Won::Priority))),
            (vec![(pp, "named", -1, "name"), (pp, "plain", 0, "label")], None, false, Some(("plain", Won::Priority))),
            (vec![(pp, "a", 0, "label"), (pp, "b", 0, "name")], None, false, Some(("b", Won::Precision))),
            (vec![(pp, "b", 0, "name"), (pp, "a", 0, "name")], None, false, Some(("a", Won::Name))),
            (vec![(pp, "low", -5, "all"), (cpp, "high", 100, "name")], None, false, Some(("low", Won::Namespace))),
            (vec![(own, "ours", 0, "all"), (pp, "theirs", 9, "name")], None, false, Some(("ours", Won::Native))),
            (
                vec![(pp, "old", 0, "all"), (pp, "new", 9, "name")],
                Some((pp, "old")),
                false,
                Some(("old", Won::Claimed)),
            ),
            (
                vec![(pp, "old", 0, "all"), (pp, "taker", 9, "name")],
                Some((pp, "old")),
                false,
                Some(("old", Won::Claimed)),
            ),
            (
                vec![(pp, "old", 0, "all"), (pp, "taker", 9, "name")],
                Some((pp, "old")),
                true,
                Some(("taker", Won::Preempted)),
            ),
            (
                vec![(pp, "old", 9, "all"), (pp, "taker", 9, "name")],
                Some((pp, "old")),
                true,
                Some(("old", Won::Claimed)),
            ),
            (
                vec![(pp, "old", 0, "all"), (cpp, "taker", 9, "name")],
                Some((pp, "old")),
                true,
                Some(("old", Won::Claimed)),
            ),
            (
                vec![(cpp, "old", 9, "all"), (pp, "taker-b", -3, "name"), (pp, "taker-a", -3, "name")],
                Some((cpp, "old")),
                true,
                Some(("taker-a", Won::Preempted)),
            ),
            // The former owner is gone, or on its way out: matched afresh.
            (vec![(pp, "new", 0, "all")], Some((pp, "old")), false, Some(("new", Won::Alone))),
            (
                vec![(pp, "leaving", 0, "all"), (cpp, "c", 0, "all")],
                Some((pp, "leaving")),
                false,
                Some(("c", Won::Alone)),
            ),
            (vec![], Some((pp, "old")), false, none),
        ] {
            let policies: Vec<_> = policies.into_iter().map(|(k, n, p, by)| policy(k, n, p, by)).collect();
            let claimed = claimed.map(|(kind, name)| policy(kind, name, 0, "all").id.clone());
            let found = Ownership::of(&policies, &web("shop"), claimed.as_ref(), gate);
            let named = found.owner.map(|at| (&*policies[at].id.name, found.won.unwrap()));
            assert_eq!(named, expected);
            assert_eq!(select::owner(&policies, &web("shop"), claimed.as_ref(), gate), found.owner);
            for lang in [Lang::En, Lang::Zh] {
                assert!(!found.sentence(&policies, lang).contains('{'));
            }
        }
    }

    #[test]
    fn system_namespaces_are_left_alone_by_karmada_only() {
        let policies = [policy("ClusterPropagationPolicy", "c", 0, "all"), policy("Policy", "ours", 0, "all")];
        for (namespace, theirs) in
            [("kube-system", false), ("karmada-es-a", false), ("karmada-system", false), ("kubernetes", true)]
        {
            let found = Ownership::of(&policies[..1], &web(namespace), None, false);
            assert_eq!((found.owner.is_some(), found.reserved), (theirs, !theirs), "{namespace}");
            assert_eq!(select::owner(&policies, &web(namespace), None, false), Some(1));
        }
        let mut claimed = web("shop");
        let labels =
            claimed.node.as_map_mut().unwrap().get_mut("metadata").unwrap().as_map_mut().unwrap().get_mut("labels");
        let other = Node::text("x", Origin::Unknown);
        labels.unwrap().as_map_mut().unwrap().insert("resourcetemplate.karmada.io/claimed-by", other);
        assert_eq!(select::owner(&policies[..1], &claimed, None, false), None);
    }
}
