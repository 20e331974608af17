//! The images of an object: which ones an override means, and what becomes of them.

use std::sync::Arc;

use super::{Containers, FailureKind, ImagePart, Operation, PatchOperation, Verb, containers, image::Reference, json};
use crate::desired::{
    origin::{Origin, Rule},
    path::Path,
    tree::{Node, Value},
};

/// What is done to an image.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'a> {
    /// To which part.
    pub part: ImagePart,
    /// What.
    pub operation: Operation,
    /// With this.
    pub value: &'a str,
}

impl Edit<'_> {
    /// The new text and whether the rule has a say in it; `None` when the old one does not parse.
    pub fn of(self, image: &str) -> Option<(String, bool)> {
        let mut reference = Reference::parse(image)?;
        let took_effect = reference.change(self.part, self.operation, self.value);
        let text = reference.to_string();
        let says_so = text != image || (took_effect && self.operation == Operation::Replace);
        Some((text, says_so))
    }
}

/// Changes the images of containers; a container without an image is one whose image does not parse.
///
/// # Errors
///
/// The first image that does not parse; nothing is changed then.
pub fn of_containers(
    root: &mut Node,
    which: &Containers,
    edit: Edit<'_>,
    rule: &Arc<Rule>,
) -> Result<(), (FailureKind, String)> {
    let mut changes = Vec::new();
    for path in containers::paths(root, which) {
        let path = path.key("image");
        let image = root.at(&path).and_then(Node::as_str).unwrap_or_default();
        let (text, says_so) = edit.of(image).ok_or_else(|| unparsed(image, &path))?;
        if says_so {
            changes.push((path, text));
        }
    }
    for (path, text) in changes {
        if let Some(node) = root.at_mut(&path) {
            node.replace(Value::Text(text.into()), rule);
        }
    }
    Ok(())
}

fn unparsed(image: &str, path: &Path) -> (FailureKind, String) {
    let detail = if image.is_empty() { path.to_string() } else { image.to_owned() };
    (FailureKind::ImageParse, detail)
}

/// Changes the image at a path as Karmada does: the way there is taken without unescaping, the image is written with a
/// JSON patch.
///
/// # Errors
///
/// When the path leads to no text, or the image does not parse.
pub fn at_path(root: &mut Node, path: &str, edit: Edit<'_>, rule: &Arc<Rule>) -> Result<(), (FailureKind, String)> {
    let image = plain_text_at(root, path).ok_or_else(|| (FailureKind::PredicatePath, path.to_owned()))?;
    let (text, says_so) = edit.of(image).ok_or_else(|| (FailureKind::ImageParse, image.to_owned()))?;
    if !says_so {
        return Ok(());
    }
    let value = Some(Node::text(&text, Origin::Unknown));
    let operation = PatchOperation { verb: Verb::Replace, path: path.to_owned(), value, rule: None };
    json::apply(root, &[operation], rule).map_err(|misfit| (FailureKind::JsonPatch, misfit.path))
}

/// The text at a path of plain keys and indexes. An index must lead to a map: Karmada goes no other way.
fn plain_text_at<'a>(root: &'a Node, path: &str) -> Option<&'a str> {
    let steps: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (last, way) = steps.split_last()?;
    let mut at = root.as_map()?;
    let mut way = way.iter();
    while let Some(step) = way.next() {
        let node = at.get(step)?;
        at = match &node.value {
            Value::Map(map) => map,
            Value::List(items) => {
                let index = way.next().unwrap_or(last);
                items.get(index.parse::<usize>().ok()?)?.as_map()?
            }
            _ => return None,
        };
    }
    at.get(last)?.as_str()
}
