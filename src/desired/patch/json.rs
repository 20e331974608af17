//! JSON patch (RFC 6902) on trees, with what Karmada's library adds to it: indexes may count from the end.

use std::sync::Arc;

use super::{PatchOperation, Verb};
use crate::desired::{
    origin::{Act, Change, Origin, Rule},
    tree::{Map, Node, Value},
};

/// An operation that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Which one, counted from 0.
    pub operation: usize,
    /// The pointer that leads nowhere, or the value that is not the one tested for.
    pub path: String,
}

/// Applies operations in order, all or none.
///
/// # Errors
///
/// The first operation that does not fit; the tree is then as it was.
pub fn apply(root: &mut Node, operations: &[PatchOperation], rule: &Arc<Rule>) -> Result<(), Misfit> {
    let mut changed = root.clone();
    for (at, operation) in operations.iter().enumerate() {
        let rule = operation.rule.as_ref().unwrap_or(rule);
        one(&mut changed, operation, rule).map_err(|path| Misfit { operation: at, path: path.to_owned() })?;
    }
    *root = changed;
    Ok(())
}

fn one<'a>(root: &mut Node, operation: &'a PatchOperation, rule: &Arc<Rule>) -> Result<(), &'a str> {
    let null = Node::default();
    let value = operation.value.as_ref().unwrap_or(&null);
    let path = operation.path.as_str();
    let done = match &operation.verb {
        Verb::Add => add(root, path, New::Given(value), rule),
        Verb::Replace => replace(root, path, value, rule),
        Verb::Remove => remove(root, path, rule).map(drop),
        Verb::Test => (value_at(root, path).unwrap_or(&null) == value).then_some(()),
        Verb::Move(from) => {
            let moved = remove(root, from, rule).ok_or(from.as_str())?;
            add(root, path, New::Taken(moved), rule)
        }
        Verb::Copy(from) => {
            let copied = value_at(root, from).cloned().ok_or(from.as_str())?;
            add(root, path, New::Taken(copied), rule)
        }
    };
    done.ok_or(path)
}

/// What an operation puts in.
enum New<'a> {
    /// A value of the rule's own.
    Given(&'a Node),
    /// A value from elsewhere in the tree: its parts keep who set them in their history.
    Taken(Node),
}

impl New<'_> {
    fn node(self, old: Option<&Node>, rule: &Arc<Rule>) -> Node {
        match (self, old) {
            (Self::Given(value), None) => value.created_by(rule),
            (Self::Given(value), Some(old)) => over(value, old, rule),
            (Self::Taken(node), _) => over(&node, &node, rule),
        }
    }
}

/// Puts a value in the place of another by a rule: each part knows the value it took the place of, if there was one.
pub fn write(slot: &mut Node, value: &Node, rule: &Arc<Rule>) {
    let old = std::mem::take(slot);
    *slot = over(value, &old, rule);
}

fn over(value: &Node, old: &Node, rule: &Arc<Rule>) -> Node {
    let held = match (&value.value, &old.value) {
        (Value::Map(new), Value::Map(held)) => {
            let part = |key: &str, node: &Node| match held.get(key) {
                Some(old) => over(node, old, rule),
                None => node.created_by(rule),
            };
            Value::Map(Arc::new(Map::from_unique(new.iter().map(|(k, n)| (k.clone(), part(k, n))).collect())))
        }
        (Value::List(new), Value::List(held)) => {
            let part = |(at, node): (usize, &Node)| match held.get(at) {
                Some(old) => over(node, old, rule),
                None => node.created_by(rule),
            };
            Value::List(Arc::new(new.iter().enumerate().map(part).collect()))
        }
        _ => value.created_by(rule).value,
    };
    let change = Change { rule: rule.clone(), act: Act::Replaced(old.clone()), before: Origin::Unknown };
    Node::new(held, Origin::Changed(Arc::new(change)))
}

/// The steps of a pointer, unescaped. What stands before the first slash plays no part, as in Karmada's library.
fn steps(path: &str) -> impl Iterator<Item = String> {
    path.split('/').skip(1).map(unescape)
}

/// A step as it is meant: `~1` is a slash, `~0` a tilde.
pub fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// An index into a list of this length; negative ones count from the end.
fn index(step: &str, length: usize) -> Option<usize> {
    let number: i64 = step.parse().ok()?;
    let length = i64::try_from(length).ok()?;
    let at = if number < 0 { number + length } else { number };
    (0..length).contains(&at).then(|| usize::try_from(at).ok()).flatten()
}

fn down<'a>(node: &'a Node, step: &str) -> Option<&'a Node> {
    match &node.value {
        Value::Map(map) => map.get(step),
        Value::List(items) => items.get(index(step, items.len())?),
        _ => None,
    }
}

fn down_mut<'a>(node: &'a mut Node, step: &str) -> Option<&'a mut Node> {
    match &mut node.value {
        Value::Map(map) => {
            map.get(step)?;
            Arc::make_mut(map).get_mut(step)
        }
        Value::List(items) => {
            let at = index(step, items.len())?;
            Arc::make_mut(items).get_mut(at)
        }
        _ => None,
    }
}

/// The value that a pointer leads to.
pub fn value_at<'a>(root: &'a Node, path: &str) -> Option<&'a Node> {
    if path.is_empty() {
        return Some(root);
    }
    if !path.contains('/') {
        return None;
    }
    steps(path).try_fold(root, |node, step| down(node, &step))
}

/// The container at the end of a pointer but one step, and that step.
fn parent<'a>(root: &'a mut Node, path: &str) -> Option<(&'a mut Node, String)> {
    let mut way: Vec<String> = steps(path).collect();
    let last = way.pop()?;
    let container = way.iter().try_fold(root, |node, step| down_mut(node, step))?;
    Some((container, last))
}

fn add(root: &mut Node, path: &str, new: New<'_>, rule: &Arc<Rule>) -> Option<()> {
    if path.is_empty() {
        return whole(root, new, rule);
    }
    let (container, step) = parent(root, path)?;
    match &mut container.value {
        Value::Map(map) => {
            let node = new.node(map.get(&step), rule);
            Arc::make_mut(map).insert(&step, node);
        }
        Value::List(items) => {
            let end = items.len();
            let at = if step == "-" { end } else { index(&step, end + 1)? };
            Arc::make_mut(items).insert(at, new.node(None, rule));
        }
        _ => return None,
    }
    Some(())
}

/// The whole document: it stays a map or a list.
fn whole(root: &mut Node, new: New<'_>, rule: &Arc<Rule>) -> Option<()> {
    let node = new.node(Some(root), rule);
    matches!(node.value, Value::Map(_) | Value::List(_)).then(|| *root = node)
}

fn replace(root: &mut Node, path: &str, value: &Node, rule: &Arc<Rule>) -> Option<()> {
    if path.is_empty() {
        return whole(root, New::Given(value), rule);
    }
    let (container, step) = parent(root, path)?;
    if step.is_empty() && container.as_map().is_some() {
        // Karmada's library takes an empty last step for one that is always there.
        return add(root, path, New::Given(value), rule);
    }
    write(down_mut(container, &step)?, value, rule);
    Some(())
}

fn remove(root: &mut Node, path: &str, rule: &Arc<Rule>) -> Option<Node> {
    let (container, step) = parent(root, path)?;
    let (member, old) = match &mut container.value {
        Value::Map(map) => {
            map.get(&step)?;
            let old = Arc::make_mut(map).remove(&step)?;
            (step, old)
        }
        Value::List(items) => {
            let at = index(&step, items.len())?;
            (at.to_string(), Arc::make_mut(items).remove(at))
        }
        _ => return None,
    };
    container.note_removed(&member, old.clone(), rule);
    Some(old)
}
