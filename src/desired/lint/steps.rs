//! Overrides that never take effect: for clusters where none of their objects goes, or overwritten by another rule; and what
//! single steps do not do.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Code, Finding, Said, title, view::View};
use crate::{
    desired::{
        object::Object,
        origin::{Act, Origin, Rule},
        patch::{self, Operation, OverridePolicy, OverrideRule, OverrideStep, Overrider, apply},
        policy::System,
        tree::{Node, Value},
    },
    messages::{clean_line, policy as text},
};

pub(super) fn look(view: &View<'_>, found: &mut Vec<Finding>) {
    let mut written = Written::of(&view.scene.policies.overrides);
    for policy in &view.scene.policies.overrides {
        steps(view, policy, found);
        for rule in &policy.rules {
            absent(view, policy, rule, found);
        }
    }
    overlaps(view, found);
    for item in &view.items {
        let prepared = apply::Prepared::new(&view.scene.policies.overrides, item.object);
        let mut seen = BTreeSet::new();
        for at in view.reach_of(item) {
            let cluster = &view.scene.clusters[at];
            if !prepared.is_empty()
                && seen.insert(prepared.signature(cluster))
                && let Ok(object) = prepared.apply(item.object, cluster)
            {
                written.walk(&object.node, None, &object);
            }
        }
    }
    written.tell(found);
}

/// What steps do not do, told by the rules of the overrides themselves.
fn steps(view: &View<'_>, policy: &OverridePolicy, found: &mut Vec<Finding>) {
    let matched = view.items.iter().filter(|i| apply::precision(policy, i.object) > 0);
    let objects: Vec<Object> = matched.map(|i| i.object.clone()).collect();
    for finding in patch::lint::policy(policy, &objects, view.scene.clusters) {
        let code = match &finding.why {
            patch::lint::Why::NoObject => Code::SelectorMatchesNothing,
            patch::lint::Why::NoCluster => Code::ClustersMatchNothing,
            _ => Code::OverrideStep,
        };
        let at = Some(finding.rule.at.clone());
        let subject = clean_line(&title(&policy.id)).into_owned();
        found.push(Finding { code, at, subject, said: Said::Step(finding) });
    }
}

/// A rule for clusters that exist, but to which none of its objects can go.
fn absent(view: &View<'_>, policy: &OverridePolicy, rule: &OverrideRule, found: &mut Vec<Finding>) {
    let (Some(target), Some(step)) = (&rule.target, rule.steps.first()) else { return };
    let clusters = view.scene.clusters;
    let wanted: BTreeSet<usize> = (0..clusters.len()).filter(|&at| target.matches(&clusters[at])).collect();
    let mut items = view.items.iter().filter(|i| apply::precision(policy, i.object) > 0).peekable();
    if wanted.is_empty() || items.peek().is_none() || items.any(|i| !view.reach_of(i).is_disjoint(&wanted)) {
        return;
    }
    let subject = title(&policy.id);
    let at = Some(step.rule.at.clone());
    let finding = Finding::new(Code::OverrideNeverEffective, at, &subject, text::OVERRIDE_NEVER_EFFECTIVE);
    let names: Vec<&str> = wanted.iter().map(|&at| &*clusters[at].name).collect();
    found.push(finding.with("rule", head(&step.rule)).with("clusters", super::few(&names)));
}

/// The rule that a step belongs to: `OverridePolicy shop/web overrideRules[1]`.
fn head(rule: &Rule) -> String {
    let part = rule.part.split('.').next().unwrap_or_default().to_owned();
    Rule { part, ..rule.clone() }.to_string()
}

/// Overrides of two systems about one object.
fn overlaps(view: &View<'_>, found: &mut Vec<Finding>) {
    let overrides = &view.scene.policies.overrides;
    let mut pairs: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for item in &view.items {
        let of = |system: System| {
            let mine = move |o: &OverridePolicy| o.system == system && apply::precision(o, item.object) > 0;
            (0..overrides.len()).filter(move |&at| mine(&overrides[at]))
        };
        for native in of(System::Native) {
            for other in of(System::Karmada) {
                pairs.entry((native, other)).or_default().push(item.object.key.to_string());
            }
        }
    }
    for ((native, other), objects) in pairs {
        let (native, other) = (&overrides[native], &overrides[other]);
        let subject = title(&native.id);
        let at = Some(native.at.clone());
        let finding = Finding::new(Code::SystemsOverlap, at, &subject, text::OVERRIDES_OVERLAP);
        let finding = finding.with("policy", &subject).with("other", title(&other.id));
        found.push(finding.with("place", other.at.to_string()).with("object", super::few(&objects)));
    }
}

/// What rules wrote, and what of it is left in the end.
struct Written<'a> {
    steps: BTreeMap<&'a Rule, &'a OverrideStep>,
    /// Rules of which something is left.
    left: BTreeSet<Arc<Rule>>,
    /// Rules that were overwritten somewhere: by which, in which object.
    lost: BTreeMap<Arc<Rule>, (Arc<Rule>, String)>,
}

impl<'a> Written<'a> {
    fn of(policies: &'a [Arc<OverridePolicy>]) -> Self {
        let mut steps = BTreeMap::new();
        for step in policies.iter().flat_map(|p| &p.rules).flat_map(|r| &r.steps) {
            steps.insert(&*step.rule, step);
            if let Overrider::Json(operations) = &step.overrider {
                steps.extend(operations.iter().filter_map(|o| o.rule.as_deref()).map(|rule| (rule, step)));
            }
        }
        Self { steps, left: BTreeSet::new(), lost: BTreeMap::new() }
    }

    /// Goes through a value and what was there before; `winner` is the rule that took all of it away.
    fn walk(&mut self, node: &Node, winner: Option<&Arc<Rule>>, object: &Object) {
        let outer = winner;
        let mut winner = winner.cloned();
        let mut origin = &node.origin;
        while let Origin::Changed(change) = origin {
            self.note(&change.rule, winner.as_ref(), object);
            match &change.act {
                Act::Created => break,
                Act::Removed(_, old) => {
                    self.walk(old, Some(winner.as_ref().unwrap_or(&change.rule)), object);
                    origin = &change.before;
                }
                Act::Replaced(old) => {
                    winner.get_or_insert_with(|| change.rule.clone());
                    self.below(old, winner.as_ref(), object);
                    origin = &old.origin;
                }
            }
        }
        self.below(node, outer, object);
    }

    fn below(&mut self, node: &Node, winner: Option<&Arc<Rule>>, object: &Object) {
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| self.walk(item, winner, object)),
            Value::Map(map) => map.iter().for_each(|(_, value)| self.walk(value, winner, object)),
            _ => {}
        }
    }

    fn note(&mut self, rule: &Arc<Rule>, winner: Option<&Arc<Rule>>, object: &Object) {
        match winner.filter(|winner| *winner != rule && !self.builds_on(winner, rule)) {
            Some(winner) => {
                self.lost.entry(rule.clone()).or_insert_with(|| (winner.clone(), object.key.to_string()));
            }
            None => {
                self.left.insert(rule.clone());
            }
        }
    }

    /// Whether a later step makes its value from what the earlier one left, instead of putting its own in the place.
    fn builds_on(&self, later: &Rule, earlier: &Rule) -> bool {
        let step = |rule: &Rule| self.steps.get(rule).map(|step| &step.overrider);
        match (step(later), step(earlier)) {
            (
                Some(Overrider::Image { part, operation: Operation::Replace, .. }),
                Some(Overrider::Image { part: other, .. }),
            ) => part != other,
            (Some(Overrider::Words { operation, .. }), _) => *operation != Operation::Replace,
            (Some(Overrider::Image { .. } | Overrider::Text { .. }), _) => true,
            _ => false,
        }
    }

    fn tell(self, found: &mut Vec<Finding>) {
        for (rule, (winner, object)) in self.lost.iter().filter(|(rule, _)| !self.left.contains(*rule)) {
            let at = Some(rule.at.clone());
            let finding = Finding::new(Code::OverrideOverwritten, at, rule.to_string(), text::OVERRIDE_OVERWRITTEN);
            let finding = finding.with("rule", rule.to_string()).with("winner", winner.to_string());
            found.push(finding.with("place", winner.at.to_string()).with("object", object));
        }
    }
}
