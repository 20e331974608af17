//! Values that are bound to an environment, in the application layer.

use super::{Code, Finding, view::View};
use crate::messages::policy as text;

pub(super) fn look(view: &View<'_>, found: &mut Vec<Finding>) {
    for item in &view.items {
        let layers = view.scene.services[item.service].layers;
        for (path, node) in layers.environment_bound(item.object) {
            let at = node.leaves().first().and_then(|(_, leaf)| leaf.origin.at()).or_else(|| node.origin.at());
            let subject = item.object.key.to_string();
            let finding = Finding::new(Code::EnvironmentBound, at, &subject, text::ENVIRONMENT_BOUND);
            found.push(finding.with("object", &subject).with("field", path.to_string()));
        }
    }
}
