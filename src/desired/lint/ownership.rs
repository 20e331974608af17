//! Who owns what: policies that shadow one another, priorities that do not count, names used twice, overrides that are waited for.

use std::collections::BTreeMap;

use super::{Code, Finding, title, view::View};
use crate::{
    desired::{
        object::Object,
        origin::At,
        policy::{PlacementPolicy, PolicyId, System},
    },
    messages::{Msg, policy as text},
};

pub(super) fn look(view: &View<'_>, found: &mut Vec<Finding>) {
    for (at, policy) in view.placements() {
        shadowed(view, at, policy, found);
        waits(view, policy, found);
        if policy.preempts && policy.system == System::Karmada {
            let subject = title(&policy.id);
            let finding = Finding::new(Code::PreemptionOff, Some(policy.at.clone()), &subject, text::PREEMPTION_OFF);
            found.push(finding.with("policy", &subject));
        }
    }
    twice(view, found);
}

/// Objects that a policy matches and does not own, by their owner.
fn shadowed(view: &View<'_>, at: usize, policy: &PlacementPolicy, found: &mut Vec<Finding>) {
    let mut lost: BTreeMap<usize, Vec<&Object>> = BTreeMap::new();
    let mut reserved: Vec<&Object> = Vec::new();
    for item in view.matched[at].iter().map(|&i| &view.items[i]) {
        match item.owner {
            Some(owner) if owner == at => {}
            Some(owner) => lost.entry(owner).or_default().push(item.object),
            None => reserved.push(item.object),
        }
    }
    let subject = title(&policy.id);
    let new = |code, msg, objects: &[&Object]| {
        let finding = Finding::new(code, Some(policy.at.clone()), &subject, msg).with("policy", &subject);
        finding.with("object", objects[0].key.to_string()).with("n", objects.len().to_string())
    };
    if !reserved.is_empty() {
        found.push(new(Code::NeverPropagated, text::NEVER_PROPAGATED, &reserved));
    }
    // A policy that owns something else is at work; only one that owns nothing is shadowed.
    let idle = view.owned(at).next().is_none();
    for (owner, objects) in lost {
        let winner = &view.scene.policies.placements[owner];
        let (code, msg) = reason(policy, winner, objects[0]);
        if code != Code::PolicyShadowed || idle {
            let finding = new(code, msg, &objects).with("winner", title(&winner.id));
            let finding = finding.with("place", winner.at.to_string());
            found
                .push(finding.with("priority", policy.priority.to_string()).with("other", winner.priority.to_string()));
        }
    }
}

/// Why the winner wins, as the rules of selection have it.
fn reason(loser: &PlacementPolicy, winner: &PlacementPolicy, object: &Object) -> (Code, Msg) {
    if winner.system != loser.system {
        return (Code::SystemsOverlap, text::SYSTEMS_OVERLAP);
    }
    let namespaced = |p: &PlacementPolicy| !p.id.namespace.is_empty();
    if namespaced(winner) && !namespaced(loser) {
        return if loser.priority > winner.priority {
            (Code::PriorityIgnored, text::PRIORITY_IGNORED)
        } else {
            (Code::PolicyShadowed, text::SHADOWED_NAMESPACE)
        };
    }
    let precision = |p: &PlacementPolicy| p.selectors.iter().map(|s| s.precision(object)).max();
    let msg = if winner.priority != loser.priority {
        text::SHADOWED_PRIORITY
    } else if precision(winner) != precision(loser) {
        text::SHADOWED_PRECISION
    } else {
        text::SHADOWED_NAME
    };
    (Code::PolicyShadowed, msg)
}

/// Overrides that must exist before anything is propagated: those of the policy's own scope.
fn waits(view: &View<'_>, policy: &PlacementPolicy, found: &mut Vec<Finding>) {
    let exists = |name: &str| {
        view.scene
            .policies
            .overrides
            .iter()
            .any(|o| o.system == policy.system && o.id.namespace == policy.id.namespace && *o.id.name == *name)
    };
    for name in policy.dependent_overrides.iter().filter(|name| !exists(name)) {
        let subject = title(&policy.id);
        let finding = Finding::new(
            Code::DependentOverrideMissing,
            Some(policy.at.clone()),
            &subject,
            text::DEPENDENT_OVERRIDE_MISSING,
        );
        found.push(finding.with("policy", &subject).with("name", name));
    }
}

/// Policies of one name: the later one is told where the first one is. Our overrides share the name of their placement.
fn twice(view: &View<'_>, found: &mut Vec<Finding>) {
    let mut first: BTreeMap<&PolicyId, &At> = BTreeMap::new();
    let placements = view.scene.policies.placements.iter().map(|p| (&p.id, &p.at));
    let overrides = view.scene.policies.overrides.iter().filter(|o| o.system != System::Native);
    for (id, at) in placements.chain(overrides.map(|o| (&o.id, &o.at))) {
        match first.get(id) {
            Some(other) => {
                let finding = Finding::new(Code::PolicyTwice, Some(at.clone()), title(id), text::POLICY_TWICE);
                found.push(finding.with("policy", title(id)).with("place", other.to_string()));
            }
            None => {
                first.insert(id, at);
            }
        }
    }
}
