//! What is a service: how workloads are grouped into the Matrix's rows (specs: governance 8.1, with `part-of` as the
//! business system and not the service).
//!
//! A key found by an explicit rule or label is one word across namespaces and clusters; a key found by a common label, or
//! the workload's own name, is qualified by its namespace, so that two teams' `redis` never become one service.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    matrix::{KeyRule, ServiceKey},
    row::{Detail, Labels, Row, WorkloadRow, find_label},
    selector::{Selector, glob},
};

/// One rule of the fleet file: objects that match become the service `name`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceRule {
    /// Name of the service; `{name}`, `{namespace}`, `{label:KEY}` are filled in.
    pub name: String,
    /// Namespaces (globs); empty = all.
    #[serde(default)]
    pub namespaces: Vec<String>,
    /// Workload names (globs); empty = all.
    #[serde(default)]
    pub workloads: Vec<String>,
    /// Label selector on the pod template, else on the workload; empty = all.
    #[serde(default)]
    pub selector: String,
}

/// The rules in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceRules {
    /// Rules of the fleet file, first match wins; the built-in rules follow.
    pub rules: Vec<ServiceRule>,
    /// Namespaces whose workloads are no business services (`kube-system` ...); they are listed apart. Globs; empty =
    /// [`SYSTEM_NAMESPACES`].
    pub system_namespaces: Vec<String>,
}

/// Namespaces that belong to Kubernetes itself everywhere.
pub const SYSTEM_NAMESPACES: &[&str] = &["kube-system", "kube-public", "kube-node-lease"];

/// Label and annotation (and namespace ledger entry `service`) of the explicit key.
pub const SERVICE_LABEL: &str = "quarterdeck.dev/service";
const BACKSTAGE_LABEL: &str = "backstage.io/kubernetes-id";
/// Common labels, best first; the key is qualified by the namespace.
const COMMON: [(&str, KeyRule); 3] = [
    ("app.kubernetes.io/instance", KeyRule::Instance),
    ("app.kubernetes.io/name", KeyRule::Name),
    ("app", KeyRule::App),
];

/// A rule with its selector parsed; one whose selector is broken takes nothing.
#[derive(Debug)]
struct Compiled {
    rule: ServiceRule,
    selector: Option<Selector>,
}

/// Finds the key of a workload.
#[derive(Debug, Default)]
pub(super) struct Keys {
    rules: Vec<Compiled>,
    system: Vec<String>,
}

impl Keys {
    pub(super) fn new(rules: ServiceRules) -> Self {
        let compile = |rule: ServiceRule| Compiled { selector: Selector::parse(&rule.selector), rule };
        let system = match rules.system_namespaces {
            none if none.is_empty() => SYSTEM_NAMESPACES.iter().map(|n| (*n).to_owned()).collect(),
            given => given,
        };
        Self { rules: rules.rules.into_iter().map(compile).collect(), system }
    }

    /// True for a namespace whose workloads are listed apart.
    pub(super) fn is_system(&self, namespace: &str) -> bool {
        self.system.iter().any(|pattern| glob(pattern, namespace))
    }

    /// The key of a workload and the rule that made it. `namespace` is the row of its namespace, if it is known.
    pub(super) fn of(&self, row: &Row, w: &WorkloadRow, namespace: Option<&Row>) -> (ServiceKey, KeyRule) {
        let global = |name: &str, rule| (ServiceKey { name: Arc::from(name), namespace: None }, rule);
        if let Some(name) = self.rules.iter().find_map(|c| c.apply(row, w)) {
            return global(&name, KeyRule::Configured);
        }
        if let Some(name) = explicit(row, w, namespace) {
            return global(name, KeyRule::ServiceLabel);
        }
        let of_namespace = |key| namespace.and_then(|n| present(&n.labels, key));
        if let Some(name) = own_label(row, w, BACKSTAGE_LABEL).or_else(|| of_namespace(BACKSTAGE_LABEL)) {
            return global(name, KeyRule::Backstage);
        }
        let local = |name: &str, rule| {
            let namespace = row.namespace.clone().unwrap_or_else(|| Arc::from(""));
            (ServiceKey { name: Arc::from(name), namespace: Some(namespace) }, rule)
        };
        for (label, rule) in COMMON {
            if let Some(name) = own_label(row, w, label) {
                return local(name, rule);
            }
        }
        local(&row.name, KeyRule::Workload)
    }
}

fn present<'a>(labels: &'a Labels, key: &str) -> Option<&'a str> {
    find_label(labels, key).filter(|v| !v.is_empty())
}

/// The pod template's label, else the workload's.
fn own_label<'a>(row: &'a Row, w: &'a WorkloadRow, key: &str) -> Option<&'a str> {
    present(&w.template_labels, key).or_else(|| present(&row.labels, key))
}

fn explicit<'a>(row: &'a Row, w: &'a WorkloadRow, namespace: Option<&'a Row>) -> Option<&'a str> {
    own_label(row, w, SERVICE_LABEL)
        .or(w.service.as_deref())
        .or_else(|| namespace.and_then(namespace_service))
        .filter(|name| !name.is_empty())
}

/// The explicit key that a namespace gives to all its workloads.
fn namespace_service(namespace: &Row) -> Option<&str> {
    let Detail::Namespace(n) = &namespace.detail else { return None };
    n.ledger.iter().find(|(k, v)| &**k == "service" && !v.is_empty()).map(|(_, v)| &**v)
}

/// What a namespace says of its workloads' keys; when it changes they must be found anew.
pub(super) fn namespace_keys(namespace: Option<&Row>) -> (Option<&str>, Option<&str>) {
    (namespace.and_then(namespace_service), namespace.and_then(|n| present(&n.labels, BACKSTAGE_LABEL)))
}

impl Compiled {
    fn apply(&self, row: &Row, w: &WorkloadRow) -> Option<String> {
        let any = |patterns: &[String], text: &str| patterns.is_empty() || patterns.iter().any(|p| glob(p, text));
        let fits = any(&self.rule.namespaces, row.ns())
            && any(&self.rule.workloads, &row.name)
            && self.selector.as_ref()?.matches(|key| own_label(row, w, key));
        if !fits {
            return None;
        }
        fill(&self.rule.name, row, w).filter(|name| !name.is_empty())
    }
}

/// Fills the places of a rule's name; `None` when a label that it names is missing.
fn fill(pattern: &str, row: &Row, w: &WorkloadRow) -> Option<String> {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((place, tail)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match place {
            "name" => out.push_str(&row.name),
            "namespace" => out.push_str(row.ns()),
            other => out.push_str(own_label(row, w, other.strip_prefix("label:")?)?),
        }
        rest = tail;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::{
        row::NamespaceRow,
        testing::{labels, row, workload},
    };

    fn keyed(rules: Vec<ServiceRule>, on_object: &[(&str, &str)], on_template: &[(&str, &str)]) -> (String, KeyRule) {
        let mut row = workload("shop", "api-v2", "shop/api:1");
        row.labels = labels(on_object);
        if let Detail::Workload(w) = &mut row.detail {
            w.template_labels = labels(on_template);
        }
        let keys = Keys::new(ServiceRules { rules, ..ServiceRules::default() });
        let (key, rule) = keys.of(&row, row.workload().unwrap(), None);
        (key.namespace.map_or(String::new(), |n| format!("{n}/")) + &key.name, rule)
    }

    #[test]
    fn the_first_key_wins() {
        let instance = ("app.kubernetes.io/instance", "api");
        for (object, template, key, rule) in [
            (&[][..], &[][..], "shop/api-v2", KeyRule::Workload),
            (&[("app", "web")], &[], "shop/web", KeyRule::App),
            (&[("app", "web")], &[("app", "api")], "shop/api", KeyRule::App),
            (&[("app.kubernetes.io/name", "n"), instance], &[("app", "a")], "shop/api", KeyRule::Instance),
            (&[(BACKSTAGE_LABEL, "bs")], &[instance], "bs", KeyRule::Backstage),
            (&[(SERVICE_LABEL, "own")], &[(BACKSTAGE_LABEL, "bs")], "own", KeyRule::ServiceLabel),
            (&[("app.kubernetes.io/part-of", "store")], &[], "shop/api-v2", KeyRule::Workload),
            (&[(SERVICE_LABEL, "")], &[("app", "a")], "shop/a", KeyRule::App),
        ] {
            assert_eq!(keyed(vec![], object, template), (key.to_owned(), rule), "{object:?} {template:?}");
        }
    }

    #[test]
    fn configured_rules_come_first_and_fill_their_places() {
        let rule = |name: &str, workloads: &[&str], selector: &str| ServiceRule {
            name: name.to_owned(),
            namespaces: vec!["sh*".to_owned()],
            workloads: workloads.iter().map(|w| (*w).to_owned()).collect(),
            selector: selector.to_owned(),
        };
        let label = &[("app", "web"), (SERVICE_LABEL, "own")][..];
        for (rules, key) in [
            (vec![rule("{label:app}-of-{namespace}", &[], "")], "web-of-shop"),
            (vec![rule("{label:none}", &[], ""), rule("second", &["api-*"], "app in (web)")], "second"),
            (vec![rule("no", &["web"], ""), rule("no", &[], "app=x"), rule("no", &[], "app in")], "own"),
        ] {
            assert_eq!(keyed(rules, label, &[]).0, key);
        }
    }

    #[test]
    fn a_namespace_speaks_for_its_workloads() {
        let ledger = Box::from([(Arc::from("service"), Arc::from("till"))]);
        let namespace = row("", "shop", Detail::Namespace(Box::new(NamespaceRow { terminating: false, ledger })));
        let row = workload("shop", "api", "shop/api:1");
        let (key, rule) = Keys::default().of(&row, row.workload().unwrap(), Some(&namespace));
        assert_eq!((&*key.name, key.namespace, rule), ("till", None, KeyRule::ServiceLabel));
    }
}
