//! Who wrote a field, from `managedFields` (rules A1 to A14): trees of field names, read as they are, never guessed at.

use serde_json::Value as Json;

use super::{
    form::Form,
    path::{Path, Step},
};
use crate::schema::{ListKind, Node, Shape, schema};

/// One entry of `managedFields`.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// The program, not the person (A1).
    pub manager: &'a str,
    /// Server-side apply, and no other write.
    pub apply: bool,
    /// `status`, `scale` ...; empty for the object itself.
    pub subresource: &'a str,
    /// When it last changed something: an upper bound (A6). RFC 3339; empty when it is not recorded.
    pub time: &'a str,
    /// Whether it is one of those that deliver what is wanted.
    pub ours: bool,
    tree: &'a Json,
}

/// Managers of people's own tools (A4).
const PEOPLE: [&str; 24] = [
    "Mozilla",
    "OpenAPI-Generator",
    "argocd-server",
    "curl",
    "dashboard",
    "k9s",
    "kubectl",
    "kubectl-annotate",
    "kubectl-autoscale",
    "kubectl-client-side-apply",
    "kubectl-create",
    "kubectl-debug",
    "kubectl-edit",
    "kubectl-expose",
    "kubectl-label",
    "kubectl-patch",
    "kubectl-replace",
    "kubectl-rollout",
    "kubectl-run",
    "kubectl-set",
    "kubectl-taint",
    "node-fetch",
    "oc",
    "python-requests",
];

/// Managers that deliver for others (D9).
const DELIVERY: [&str; 11] = [
    "ansible",
    "argocd-controller",
    "fleet-agent",
    "fleetagent",
    "helm",
    "helm-controller",
    "kapp",
    "kustomize-controller",
    "pulumi",
    "terraform",
    "work-agent",
];

/// A name, or a name with something behind it (`Terraform_1.2`, `pulumi-kubernetes`).
fn named(list: &[&str], manager: &str) -> bool {
    let manager = manager.to_ascii_lowercase();
    list.iter().any(|name| {
        manager
            .strip_prefix(&name.to_ascii_lowercase())
            .is_some_and(|rest| rest.is_empty() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })
}

impl Entry<'_> {
    /// A person's tool; one that delivers what is wanted never is.
    pub fn is_person(&self) -> bool {
        !self.ours && named(&PEOPLE, self.manager)
    }

    /// Another tool that delivers, or anybody who applies.
    pub fn is_delivery(&self) -> bool {
        !self.ours && (self.apply || named(&DELIVERY, self.manager))
    }

    /// Merged or untracked earlier writers: nobody in particular (A9, A10).
    pub fn is_nameless(&self) -> bool {
        matches!(self.manager, "ancient-changes" | "before-first-apply")
    }

    /// Whether the entry's tree has the path itself, and not only a node above it.
    pub fn names(&self, path: &Path, form: &Form) -> bool {
        ways(path, form).iter().any(|way| reach(self.tree, way).is_some())
    }

    /// Whether the entry names fields below `stringData` (N21).
    pub fn has_string_data(&self) -> bool {
        self.tree.get("f:stringData").is_some()
    }
}

/// The entries of an object; `None` when it has no list or an empty one (A11).
pub fn entries<'a>(live: &'a Json, appliers: &[String]) -> Option<Vec<Entry<'a>>> {
    let list = live.pointer("/metadata/managedFields")?.as_array().filter(|list| !list.is_empty())?;
    let word = |entry: &'a Json, key: &str| entry.get(key).and_then(Json::as_str).unwrap_or_default();
    let read = |entry: &'a Json| {
        let manager = word(entry, "manager");
        Some(Entry {
            manager,
            apply: word(entry, "operation") == "Apply",
            subresource: word(entry, "subresource"),
            time: word(entry, "time"),
            // What the console itself wrote, it wrote to bring what is wanted.
            ours: appliers.iter().any(|a| a == manager) || manager.starts_with("quarterdeck:"),
            tree: entry.get("fieldsV1")?,
        })
    };
    Some(list.iter().filter_map(read).collect())
}

/// The entries that own a path, those of others first, the newest first, those without a time last (5.3).
pub fn of<'e, 'a>(entries: &'e [Entry<'a>], path: &Path, live: &Json, form: &Form) -> Vec<&'e Entry<'a>> {
    let ways = ways(path, form);
    let mut found: Vec<&Entry> =
        entries.iter().filter(|entry| ways.iter().any(|way| owns(entry, entries, way, live, form))).collect();
    found.sort_by(|a, b| a.ours.cmp(&b.ours).then(b.time.cmp(a.time)));
    found
}

/// The ways under which a path may be recorded: an apply of `stringData` is never found below `data` (N21).
fn ways(path: &Path, form: &Form) -> Vec<Path> {
    let mut ways = vec![path.clone()];
    if form.is_secret() && matches!(path.0.first(), Some(Step::Key(key)) if key == "data") {
        let mut plain = path.clone();
        plain.0[0] = Step::Key("stringData".into());
        ways.push(plain);
    }
    ways
}

/// What a leaf of a tree says of what lies below it.
#[derive(Clone, Copy, PartialEq)]
enum Nature {
    /// It owns all of it.
    Atomic,
    /// It owns the node alone.
    Granular,
    /// Not described by a schema.
    Unsure,
}

fn owns(entry: &Entry, all: &[Entry], path: &Path, live: &Json, form: &Form) -> bool {
    let mut tree = entry.tree;
    let mut node = &form.root;
    for (depth, step) in path.0.iter().enumerate() {
        let Some(below) = member(tree, step) else {
            let way = Path(path.0[..depth].to_vec());
            return depth > 0 && is_leaf(tree) && covers(node, &way, all, live);
        };
        tree = below;
        node = match step {
            Step::Key(key) => schema().below(node, key),
            _ => schema().item(node),
        };
    }
    // A granular map that ends here says nothing of what is in it.
    let full = path.find(live).and_then(Json::as_object).is_some_and(|map| !map.is_empty());
    !(is_leaf(tree) && full && nature(node, path.find(live)) == Nature::Granular)
}

/// Whether a tree that ends at a node means all that is below it.
fn covers(node: &Node, way: &Path, all: &[Entry], live: &Json) -> bool {
    match nature(node, way.find(live)) {
        Nature::Atomic => true,
        Nature::Granular => false,
        Nature::Unsure => !all.iter().any(|other| reach(other.tree, way).is_some_and(|tree| !is_leaf(tree))),
    }
}

fn reach<'a>(tree: &'a Json, way: &Path) -> Option<&'a Json> {
    way.0.iter().try_fold(tree, member)
}

fn nature(node: &Node, value: Option<&Json>) -> Nature {
    match &node.shape {
        Shape::Any => match value {
            Some(Json::Object(_)) => Nature::Unsure,
            _ => Nature::Atomic,
        },
        Shape::List(_) if node.list == ListKind::Atomic => Nature::Atomic,
        Shape::List(_) => Nature::Granular,
        Shape::Scalar(_) => Nature::Atomic,
        _ if schema().is_atomic(node, &Json::Object(serde_json::Map::new())) => Nature::Atomic,
        _ => Nature::Granular,
    }
}

fn is_leaf(tree: &Json) -> bool {
    tree.as_object().is_none_or(serde_json::Map::is_empty)
}

fn member<'a>(tree: &'a Json, step: &Step) -> Option<&'a Json> {
    let map = tree.as_object()?;
    let parsed = |name: &str| serde_json::from_str::<Json>(name).ok();
    match step {
        Step::Key(key) => map.get(&format!("f:{key}")),
        Step::Index(at) => map.get(&format!("i:{at}")),
        Step::Item(item) => {
            map.iter().find(|(name, _)| name.strip_prefix("v:").and_then(parsed).as_ref() == Some(item)).map(|(_, v)| v)
        }
        Step::Element(keys) => map
            .iter()
            .find(|(name, _)| {
                let element = name.strip_prefix("k:").and_then(parsed);
                element.is_some_and(|element| super::path::has_keys(&element, keys))
            })
            .map(|(_, v)| v),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tree_owns_what_it_names_and_what_is_below_atomic_nodes() {
        let live = json!({"metadata": {"managedFields": [
            {"manager": "deployer", "operation": "Apply", "fieldsV1": {"f:data": {"f:a": {}}}},
            {"manager": "kubectl-create", "operation": "Update", "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:data": {}}},
        ]}, "data": {"a": "1", "b": "2"}});
        let form = Form::of("v1", "ConfigMap", None);
        let entries = entries(&live, &["deployer".to_owned()]).unwrap();
        let owners = |keys: &[&str]| -> Vec<&str> {
            of(&entries, &Path::keys(keys), &live, &form).iter().map(|e| e.manager).collect()
        };
        assert_eq!(owners(&["data", "a"]), ["deployer"], "a granular map that ends owns nothing in it");
        assert!(owners(&["data", "b"]).is_empty());
    }

    #[test]
    fn people_and_delivery_are_told_by_name() {
        let made = |manager, apply| Entry { manager, apply, subresource: "", time: "", ours: false, tree: &Json::Null };
        for (manager, person, delivery) in [
            ("kubectl-edit", true, false),
            ("Mozilla", true, false),
            ("kubectlx", false, false),
            ("Helm", false, true),
            ("pulumi-kubernetes", false, true),
            ("helm-operator", false, true),
            ("kube-controller-manager", false, false),
        ] {
            let entry = made(manager, false);
            assert_eq!((entry.is_person(), entry.is_delivery()), (person, delivery), "{manager}");
        }
        assert!(made("anybody", true).is_delivery());
    }
}
