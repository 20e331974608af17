//! Where a field comes from: the value, the place that set it last, and everything that set it before.

use std::sync::Arc;

use super::{
    object::Object,
    origin::{Act, At, Origin, Rule},
    path::{Path, Step},
    tree::Node,
};

/// One change in a field's story, newest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapter {
    /// Who changed it.
    pub rule: Arc<Rule>,
    /// What it did.
    pub deed: Deed,
}

/// What a rule did to a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Put it there.
    Created,
    /// Put it in the place of this value.
    Replaced(Node),
    /// Took it away; this was its value.
    Removed(Node),
}

/// The story of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The field.
    pub path: Path,
    /// Its value; `None` when a rule took it away.
    pub value: Option<Node>,
    /// What changed it, newest first.
    pub changes: Vec<Chapter>,
    /// Where it was first written, as far as that is known.
    pub written: Option<At>,
}

impl Story {
    /// The place that counts: the line of the last rule, else the line where it was written.
    pub fn place(&self) -> Option<&At> {
        self.changes.first().map(|c| &c.rule.at).or(self.written.as_ref())
    }
}

/// The story of a field; `None` when the object has no such field and no rule took it away.
pub fn field(object: &Object, path: &Path) -> Option<Story> {
    let mut story =
        Story { path: path.clone(), value: object.node.at(path).cloned(), changes: Vec::new(), written: None };
    let known = if story.value.is_some() {
        trace(&object.node, path, &mut story)
    } else {
        removed(&object.node, path, &mut story)
    };
    known.then_some(story)
}

/// Follows a value that is there, through the values that it replaced, alone or with a container around it.
fn trace(root: &Node, path: &Path, story: &mut Story) -> bool {
    let Some(node) = root.at(path) else { return false };
    let (changes, written) = node.origin.history();
    // Removals below a container tell of its members, not of itself.
    story.changes.extend(changes.iter().filter_map(|change| {
        let deed = match &change.act {
            Act::Created => Deed::Created,
            Act::Replaced(old) => Deed::Replaced(old.clone()),
            Act::Removed(..) => return None,
        };
        Some(Chapter { rule: change.rule.clone(), deed })
    }));
    story.written = written;
    if changes.last().is_some_and(|c| c.act == Act::Created) {
        before_container(root, path, story);
    }
    true
}

/// What stood at the path before a container on the way to it was replaced as a whole.
fn before_container(root: &Node, path: &Path, story: &mut Story) {
    for depth in (0..path.0.len()).rev() {
        let (way, rest) = path.0.split_at(depth);
        let Some(container) = root.at(&Path(way.to_vec())) else { continue };
        let Origin::Changed(change) = &container.origin else { continue };
        let Act::Replaced(old) = &change.act else { continue };
        let rest = Path(rest.to_vec());
        let Some(former) = old.at(&rest) else { continue };
        if let Some(last) = story.changes.last_mut() {
            last.deed = Deed::Replaced(former.clone());
        }
        trace(old, &rest, story);
        return;
    }
}

/// Looks for the rule that took a field, or a container of it, away.
fn removed(root: &Node, path: &Path, story: &mut Story) -> bool {
    for depth in (0..path.0.len()).rev() {
        let (way, rest) = path.0.split_at(depth);
        let Some(container) = root.at(&Path(way.to_vec())) else { continue };
        let (changes, _) = container.origin.history();
        let member = match &rest[0] {
            Step::Key(key) => key.to_string(),
            Step::Index(index) => index.to_string(),
        };
        for change in changes {
            let old = match &change.act {
                Act::Removed(name, old) if **name == *member => old.at(&Path(rest[1..].to_vec())),
                Act::Replaced(old) => old.at(&Path(rest.to_vec())),
                _ => None,
            };
            if let Some(old) = old {
                story.changes.push(Chapter { rule: change.rule.clone(), deed: Deed::Removed(old.clone()) });
                let (_, written) = old.origin.history();
                story.written = written;
                return true;
            }
        }
        return false;
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::{
        origin::{Source, SourceKind},
        tree::Value,
    };

    fn rule(name: &str, line: u32) -> Arc<Rule> {
        let at = At { source: Source::new(SourceKind::Policy, "p.yaml"), line };
        Arc::new(Rule { kind: "Policy".into(), namespace: "".into(), name: name.into(), part: String::new(), at })
    }

    fn object() -> Object {
        let origin = Origin::At(Source::new(SourceKind::Manifest, "web.yaml"), 9);
        let json =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1", "b": "2"}});
        Object::new(Node::from_json(&json, &origin)).unwrap()
    }

    fn told(object: &Object, path: &str) -> Option<String> {
        let story = field(object, &Path::parse(path).unwrap())?;
        let changes: Vec<String> = story
            .changes
            .iter()
            .map(|c| match &c.deed {
                Deed::Created => format!("{} made", c.rule.name),
                Deed::Replaced(old) => format!("{} replaced {}", c.rule.name, old.to_json()),
                Deed::Removed(old) => format!("{} removed {}", c.rule.name, old.to_json()),
            })
            .collect();
        let written = story.written.as_ref().map(ToString::to_string).unwrap_or_default();
        Some(format!("{}; {written}", changes.join(", ")))
    }

    #[test]
    fn a_field_knows_all_who_set_it() {
        let mut object = object();
        assert_eq!(told(&object, "data.a").unwrap(), "; web.yaml:9");
        object.node.at_mut(&Path::parse("data.a").unwrap()).unwrap().replace(Value::Int(5), &rule("one", 3));
        assert_eq!(told(&object, "data.a").unwrap(), "one replaced \"1\"; web.yaml:9");
        assert_eq!(field(&object, &Path::parse("data.a").unwrap()).unwrap().place().unwrap().to_string(), "p.yaml:3");
    }

    #[test]
    fn a_field_of_a_container_that_was_replaced_remembers_what_it_was() {
        let mut object = object();
        let new = Node::from_json(&json!({"a": "7"}), &Origin::Unknown).created_by(&rule("whole", 4));
        object.node.at_mut(&Path::parse("data").unwrap()).unwrap().replace(new.value, &rule("whole", 4));
        assert_eq!(told(&object, "data.a").unwrap(), "whole replaced \"1\"; web.yaml:9");
        assert_eq!(told(&object, "data.b").unwrap(), "whole removed \"2\"; web.yaml:9");
        assert_eq!(told(&object, "data.c"), None);
    }

    #[test]
    fn a_field_that_was_taken_away_says_who_did_it() {
        let mut object = object();
        let data = object.node.at_mut(&Path::parse("data").unwrap()).unwrap();
        let old = data.as_map_mut().unwrap().remove("b").unwrap();
        data.note_removed("b", old, &rule("gone", 5));
        assert_eq!(told(&object, "data.b").unwrap(), "gone removed \"2\"; web.yaml:9");
        assert_eq!(told(&object, "data").unwrap(), "; web.yaml:9");
    }
}
