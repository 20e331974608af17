//! Which policy owns an object. Our own policies come first; then Karmada's rules (specs: Karmada, which policy owns a resource).

use std::{cmp::Reverse, sync::Arc};

use super::{PlacementPolicy, PolicyId, Precision, System};
use crate::desired::object::Object;

/// The label of objects that another feature of Karmada owns.
const CLAIMED_BY: &str = "resourcetemplate.karmada.io/claimed-by";

/// The policy that owns an object, as an index into the policies; `None` when nobody does. `claimed` is the present owner, if there
/// is one; `preemption_gate` says whether Karmada's feature `PropagationPolicyPreemption` is on (it is off by default).
pub fn owner(
    policies: &[Arc<PlacementPolicy>],
    object: &Object,
    claimed: Option<&PolicyId>,
    preemption_gate: bool,
) -> Option<usize> {
    Matches::of(policies, object).owner(claimed, preemption_gate).map(|(at, _)| at)
}

/// Why the owner owns the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Won {
    /// It is the only one that matches.
    Alone,
    /// Our own policies come before those of other systems.
    Native,
    /// It has the highest priority.
    Priority,
    /// It names the object most exactly.
    Precision,
    /// Its name comes first.
    Name,
    /// Policies of the object's namespace come before cluster-wide ones.
    Namespace,
    /// It owned the object before.
    Claimed,
    /// It took over.
    Preempted,
}

/// The policies that match an object.
pub(super) struct Matches<'a> {
    policies: &'a [Arc<PlacementPolicy>],
    /// Index and precision of the ones that match, in the order given.
    pub(super) found: Vec<(usize, Precision)>,
}

impl<'a> Matches<'a> {
    pub(super) fn of(policies: &'a [Arc<PlacementPolicy>], object: &Object) -> Self {
        let reserved = reserved(object);
        let precision = |policy: &PlacementPolicy| {
            let skipped = policy.deleting
                || (policy.system == System::Karmada && (reserved || !reaches(&policy.id, &object.key.namespace)));
            if skipped { 0 } else { policy.selectors.iter().map(|s| s.precision(object)).max().unwrap_or(0) }
        };
        let found = policies.iter().enumerate().map(|(at, policy)| (at, precision(policy)));
        Self { policies, found: found.filter(|(_, precision)| *precision > 0).collect() }
    }

    /// The owner and why it is.
    pub(super) fn owner(&self, claimed: Option<&PolicyId>, preemption_gate: bool) -> Option<(usize, Won)> {
        if let Some((at, won)) = self.best(|p| p.system == System::Native) {
            let alone =
                self.found.len() == 1 || self.found.iter().all(|(at, _)| self.policies[*at].system == System::Native);
            return Some((at, if alone { won } else { Won::Native }));
        }
        let held = claimed.and_then(|id| self.found.iter().find(|(at, _)| self.policies[*at].id == *id));
        let owner = match held {
            Some(&(at, _)) => Some((at, Won::Claimed)),
            None => self.best_of_karmada(),
        };
        let (at, won) = owner?;
        Some(if preemption_gate { self.preempted(at, won) } else { (at, won) })
    }

    /// A policy of the object's namespace, whatever the priorities; else a cluster-wide one.
    fn best_of_karmada(&self) -> Option<(usize, Won)> {
        let Some((at, won)) = self.best(namespaced) else { return self.best(|p| !namespaced(p)) };
        let others = self.found.iter().any(|(at, _)| !namespaced(&self.policies[*at]));
        Some((at, if others && won == Won::Alone { Won::Namespace } else { won }))
    }

    /// Highest priority, then highest precision, then lowest name.
    fn best(&self, takes_part: impl Fn(&PlacementPolicy) -> bool) -> Option<(usize, Won)> {
        let key = |(at, precision): (usize, Precision)| {
            let policy = &self.policies[at];
            (Reverse(policy.priority), Reverse(precision), &policy.id)
        };
        let mut part: Vec<_> = self.found.iter().copied().filter(|(at, _)| takes_part(&self.policies[*at])).collect();
        part.sort_by(|a, b| key(*a).cmp(&key(*b)));
        let first = *part.first()?;
        let won = match part.get(1) {
            None => Won::Alone,
            Some(second) if key(*second).0 != key(first).0 => Won::Priority,
            Some(second) if key(*second).1 != key(first).1 => Won::Precision,
            Some(_) => Won::Name,
        };
        Some((first.0, won))
    }

    /// Who owns it once every policy that may take over had its chance: a policy of the namespace takes over from a cluster-wide one
    /// whatever the priorities, else the priority must be higher.
    fn preempted(&self, mut owner: usize, mut won: Won) -> (usize, Won) {
        let mut takers: Vec<usize> =
            self.found.iter().map(|(at, _)| *at).filter(|at| self.policies[*at].preempts).collect();
        takers.sort_by_key(|at| (Reverse(self.policies[*at].priority), &self.policies[*at].id));
        for taker in takers {
            let (new, old) = (&self.policies[taker], &self.policies[owner]);
            let takes = match (namespaced(new), namespaced(old)) {
                (true, false) => true,
                (false, true) => false,
                _ => new.priority > old.priority,
            };
            if takes {
                (owner, won) = (taker, Won::Preempted);
            }
        }
        (owner, won)
    }
}

fn namespaced(policy: &PlacementPolicy) -> bool {
    &*policy.id.kind == "PropagationPolicy"
}

/// Whether a policy of Karmada looks at objects of this namespace at all.
fn reaches(id: &PolicyId, namespace: &str) -> bool {
    &*id.kind != "PropagationPolicy" || *id.namespace == *namespace
}

/// Objects that Karmada never propagates: those of system namespaces, and those another feature owns.
pub(super) fn reserved(object: &Object) -> bool {
    let namespace = &*object.key.namespace;
    matches!(namespace, "karmada-system" | "karmada-cluster")
        || namespace.starts_with("karmada-es-")
        || namespace.starts_with("kube-")
        || object.label(CLAIMED_BY).is_some()
}
