//! Selectors of placements that are about no object, with what is probably meant. Those of overrides are looked at by their
//! steps.

use super::{Code, Finding, title, view::View};
use crate::{
    desired::{
        object::ObjectKey,
        policy::ResourceSelector,
        selector::{LabelSelector, Operator, Requirement},
    },
    messages::policy as text,
    shape::nearest,
};

pub(super) fn look(view: &View<'_>, found: &mut Vec<Finding>) {
    for (at, policy) in view.placements() {
        for selector in &policy.selectors {
            // Another selector of the policy may match: each is looked at by itself.
            if !view.matched[at].iter().any(|&item| selector.precision(view.items[item].object) > 0) {
                let finding = idle(view, selector, &title(&policy.id));
                found.push(Finding { at: Some(policy.at.clone()), ..finding.with("policy", title(&policy.id)) });
            }
        }
    }
}

/// A selector without objects, and the likely reason.
fn idle(view: &View<'_>, selector: &ResourceSelector, subject: &str) -> Finding {
    let written = written(selector);
    let new = |msg| Finding::new(Code::SelectorMatchesNothing, None, subject, msg).with("selector", &written);
    if selector.labels.as_ref().is_some_and(|l| l.broken) && selector.name.is_empty() {
        return new(text::SELECTOR_BROKEN);
    }
    let keys = || view.items.iter().map(|i| &i.object.key);
    let kind = |k: &&ObjectKey| selector.kind.is_empty() || *k.kind == *selector.kind;
    let named = |k: &&ObjectKey| selector.name.is_empty() || *k.name == *selector.name;
    let version = |k: &&ObjectKey| selector.api_version.is_empty() || *k.api_version == *selector.api_version;
    let space = |k: &&ObjectKey| selector.namespace.is_empty() || *k.namespace == *selector.namespace;
    if let Some(other) = keys().filter(kind).filter(named).filter(space).find(|k| !version(k)) {
        return new(text::SELECTOR_OTHER_VERSION).with("other", &other.api_version);
    }
    if let Some(other) = keys().filter(kind).filter(named).filter(version).find(|k| !space(k)) {
        let msg = if other.namespace.is_empty() { text::SELECTOR_NO_NAMESPACE } else { text::SELECTOR_OTHER_NAMESPACE };
        return new(msg).with("other", &other.namespace);
    }
    let names = keys().filter(kind).filter(version).filter(space).map(|k| &*k.name);
    match nearest(&selector.name, names).filter(|_| !selector.name.is_empty()) {
        Some(near) => new(text::SELECTOR_NEAR).with("near", near),
        None => new(text::SELECTOR_NOTHING),
    }
}

/// A selector as the sentences name it: `apps/v1 Deployment shop/web`.
fn written(selector: &ResourceSelector) -> String {
    let any = |word: &str| if word.is_empty() { String::from("*") } else { word.to_owned() };
    let namespace = if selector.namespace.is_empty() { String::new() } else { format!("{}/", selector.namespace) };
    let labels = selector.labels.as_ref().filter(|_| selector.name.is_empty()).map(labels).unwrap_or_default();
    let version = if selector.api_version.is_empty() { String::new() } else { format!("{} ", selector.api_version) };
    format!("{version}{} {namespace}{}{labels}", any(&selector.kind), any(&selector.name))
}

/// Labels as kubectl's `-l` writes them, behind a space.
fn labels(selector: &LabelSelector) -> String {
    let one = |r: &Requirement<String>| match (r.operator, r.values.as_slice()) {
        (Operator::In, [value]) => format!("{}={value}", r.key),
        (Operator::In, values) => format!("{} in ({})", r.key, values.join(",")),
        (Operator::NotIn, values) => format!("{} notin ({})", r.key, values.join(",")),
        (Operator::Exists, _) => r.key.clone(),
        (Operator::DoesNotExist, _) => format!("!{}", r.key),
    };
    let all: Vec<String> = selector.requirements.iter().map(one).collect();
    if all.is_empty() { String::new() } else { format!(" -l {}", all.join(",")) }
}
