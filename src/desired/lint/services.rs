//! Services: objects that two of them declare, and what goes nowhere.

use std::collections::BTreeSet;

use super::{Code, Finding, Subject, few, view::View};
use crate::messages::policy as text;

pub(super) fn look(view: &View<'_>, found: &mut Vec<Finding>) {
    for items in view.by_name().into_values() {
        let services: BTreeSet<usize> = items.iter().map(|&i| view.items[i].service).collect();
        if services.len() > 1 {
            let object = view.items[items[items.len() - 1]].object;
            let names: Vec<String> = services.iter().map(|&s| name(&view.scene.services[s])).collect();
            let msg = text::OBJECT_IN_TWO_SERVICES;
            let subject = object.key.to_string();
            let finding = Finding::new(Code::ObjectInTwoServices, object.node.origin.at(), &subject, msg);
            found.push(finding.with("object", &subject).with("services", few(&names)));
        }
    }
    for (at, subject) in view.scene.services.iter().enumerate().filter(|(_, s)| !s.sourced) {
        nowhere(view, at, subject, found);
    }
}

fn name(subject: &Subject<'_>) -> String {
    if subject.namespace.is_empty() {
        subject.name.to_owned()
    } else {
        format!("{}/{}", subject.namespace, subject.name)
    }
}

/// A service none of whose objects is owned by a policy; or single objects that are not. What others may take along, where a
/// policy of the service does that, is no finding.
fn nowhere(view: &View<'_>, at: usize, subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let items: Vec<_> = view.items.iter().filter(|i| i.service == at).collect();
    let placements = &view.scene.policies.placements;
    let owners = || items.iter().filter_map(|i| i.owner);
    if owners().next().is_none() {
        if !items.is_empty() {
            let name = name(subject);
            let finding = Finding::new(Code::ServiceGoesNowhere, subject.at.clone(), &name, text::SERVICE_NOWHERE);
            found.push(finding.with("service", &name));
        }
        return;
    }
    let takes_along = owners().any(|owner| placements[owner].propagate_deps);
    for item in items.iter().filter(|i| i.owner.is_none()) {
        let follows =
            ["ConfigMap", "Secret", "PersistentVolumeClaim", "ServiceAccount"].contains(&&*item.object.key.kind);
        if !(takes_along && follows) {
            let key = item.object.key.to_string();
            let at = item.object.node.origin.at();
            let finding = Finding::new(Code::ObjectWithoutPolicy, at, &key, text::OBJECT_WITHOUT_POLICY);
            found.push(finding.with("object", &key).with("service", name(subject)));
        }
    }
}
