//! Our own policies (`quarterdeck.dev/v1alpha1`, `Policy`): who goes where and what differs there, in one document.
//! `config/policies.example.yaml` shows every key.

pub mod clusters;
mod keys;
mod overrides;
mod placement;

use std::{borrow::Cow, path::Path, sync::Arc};

pub use keys::schema;

use super::{Policies, PolicyId, Reader, ResourceSelector, System};
use crate::{
    desired::{object::Object, origin::At, tree::Node},
    fault::Fault,
    messages::{Msg, policy as text},
    shape::{self, Form, Written},
};

/// The API version.
pub const API_VERSION: &str = "quarterdeck.dev/v1alpha1";

/// The kind.
pub const KIND: &str = "Policy";

/// The reader of our own policies.
pub const READER: Reader = Reader { system: System::Native, knows, read };

/// Any version of our group is ours, so that a wrong one is told and not taken for a resource.
fn knows(api_version: &str, kind: &str) -> bool {
    kind == KIND && api_version.split('/').next() == API_VERSION.split('/').next()
}

fn read(object: &Object, at: At, into: &mut Policies) -> Result<(), Vec<Fault>> {
    let root = &object.node;
    let mut reading = Reading { file: Path::new(&at.source.file), faults: Vec::new() };
    shape::check(reading.file, root, keys::DOCUMENT, "", &mut reading.faults);
    let id = PolicyId { kind: KIND.into(), namespace: "".into(), name: object.key.name.clone() };
    let selectors = resources(&mut reading, root.get("resources"), "resources");
    match (root.get("placement"), root.get("overrides").filter(|o| !o.is_leaf())) {
        (None, None) => reading.fault(root, "", text::SAYS_NOTHING),
        (Some(placement), _) if selectors.is_empty() => reading.fault(placement, "placement", text::PLACES_NOTHING),
        _ => {}
    }
    let place = |node: &Node| At { source: at.source.clone(), line: node.line() };
    let placed = root.get("placement").map(|node| {
        let priority = root.get("priority").and_then(Node::as_int).unwrap_or(0);
        let placement = placement::read(&mut reading, node);
        super::PlacementPolicy {
            id: id.clone(),
            at: at.clone(),
            placement_at: place(node.get("replicas").unwrap_or(node)),
            system: System::Native,
            selectors: selectors.clone(),
            priority,
            preempts: false,
            deleting: false,
            dependent_overrides: Vec::new(),
            propagate_deps: false,
            suspended: None,
            placement: Arc::new(placement),
        }
    });
    let overrides = overrides::read(&mut reading, root.items_of("overrides"), &id, &selectors, &place);
    let mut faults = reading.faults;
    if !faults.is_empty() {
        faults.sort_by_key(|f| f.line);
        return Err(faults);
    }
    into.placements.extend(placed.map(Arc::new));
    into.overrides.extend(overrides.into_iter().map(Arc::new));
    Ok(())
}

/// What is wrong so far, and in which file.
struct Reading<'a> {
    file: &'a Path,
    faults: Vec<Fault>,
}

impl Reading<'_> {
    fn fault(&mut self, node: &Node, field: &str, msg: Msg) {
        self.faults.push(Fault::new(self.file, node.line(), field, msg));
    }

    /// The same with the value that is wrong.
    fn fault_value(&mut self, node: &Node, field: &str, msg: Msg) {
        let value = node.scalar().unwrap_or_default().into_owned();
        self.faults.push(Fault::new(self.file, node.line(), field, msg).with("value", value));
    }

    /// A choice of clusters.
    fn clusters(&mut self, node: &Node, field: &str) -> crate::desired::selector::Affinity {
        clusters::check(self.file, node, field, &mut self.faults);
        clusters::affinity(node)
    }

    /// A JSON pointer: `""` or something that begins with a slash.
    fn pointer(&mut self, node: &Node, field: &str) {
        if node.scalar().is_some_and(|p| !p.is_empty() && !p.starts_with('/')) {
            self.fault_value(node, field, text::NOT_A_POINTER);
        }
    }
}

/// Which objects. Names and kinds are exact; a glob there would silently fit nothing.
fn resources(reading: &mut Reading<'_>, list: Option<&Node>, field: &str) -> Vec<ResourceSelector> {
    let items = list.and_then(Node::as_list).unwrap_or_default();
    let mut selectors = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let field = format!("{field}[{i}]");
        for key in ["apiVersion", "kind", "namespace", "name"] {
            if let Some(value) = item.get(key).filter(|v| v.word().contains(['*', '?'])) {
                reading.fault_value(value, &format!("{field}.{key}"), text::EXACT_HERE);
            }
        }
        if let Some(labels) = item.get("labels") {
            clusters::check_labels(reading.file, labels, &format!("{field}.labels"), &mut reading.faults);
        }
        let word = |key: &str| item.get(key).map(Written::word).unwrap_or_default();
        selectors.push(ResourceSelector {
            api_version: word("apiVersion"),
            kind: word("kind"),
            namespace: word("namespace"),
            name: word("name"),
            labels: item.get("labels").map(clusters::labels),
        });
    }
    selectors
}

/// Numbers become texts where they are whole; the spelling of the others (`1.30`, `yes`) is not known any more, so they must
/// be written in quotes.
impl Written for Node {
    fn line(&self) -> u32 {
        self.origin.at().map_or(0, |at| at.line)
    }

    fn form(&self) -> Form {
        use crate::desired::tree::Value;
        match &self.value {
            Value::Null => Form::Null,
            Value::Bool(_) => Form::Flag,
            Value::Int(n) => Form::Whole(*n),
            Value::Float(_) => Form::Fraction,
            Value::Text(_) => Form::Text,
            Value::List(_) => Form::List,
            Value::Map(_) => Form::Map,
        }
    }

    fn scalar(&self) -> Option<Cow<'_, str>> {
        use crate::desired::tree::Value;
        match &self.value {
            Value::Text(text) => Some(Cow::Borrowed(text)),
            Value::Int(n) => Some(Cow::Owned(n.to_string())),
            _ => None,
        }
    }

    fn list(&self) -> &[Self] {
        self.as_list().unwrap_or_default()
    }

    fn keys(&self) -> impl Iterator<Item = (&str, u32, &Self)> {
        self.as_map().into_iter().flat_map(|map| map.iter().map(|(key, node)| (&**key, node.line(), node)))
    }
}

#[cfg(test)]
mod tests;
