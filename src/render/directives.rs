//! The fields of one kustomization that change or create values, turned into [`super::writer::Writer`]s in the order in
//! which Kustomize applies them.

use std::{path::Path, sync::Arc};

use super::{
    chain::Reader,
    normal,
    writer::{Act, Copied, Target, Where},
};
use crate::desired::{
    origin::{Origin, SourceKind},
    path::Step,
    tree::Node,
};

/// Generators: their entries become keys of ConfigMaps and Secrets.
pub(super) fn generators(reader: &mut Reader<'_>, node: &Node, folder: &Path, layer: usize) {
    for (field, kind) in [("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")] {
        for entry in node.items_of(field) {
            generator(reader, entry, kind, folder, layer);
        }
    }
}

fn generator(reader: &mut Reader<'_>, entry: &Node, kind: &'static str, folder: &Path, layer: usize) {
    let named = Target { kind: kind.into(), name: entry.str_of("name").into(), pattern: false };
    let data = |reader: &mut Reader<'_>, key: &str, value: Node| {
        reader.writer(layer, named.clone(), Act::Data { key: key.into(), value });
    };
    for file in entry.items_of("files") {
        let Some(text) = file.as_str() else { continue };
        let (key, path) = text.split_once('=').unwrap_or((text.rsplit('/').next().unwrap_or(text), text));
        if let Some((source, content)) = reader.text(&normal(&folder.join(path)), SourceKind::KustomizePatch) {
            data(reader, key, Node::text(&content, Origin::At(source, 0)));
        }
    }
    let single = entry.get("env").into_iter();
    for file in entry.items_of("envs").iter().chain(single) {
        let Some(path) = file.as_str() else { continue };
        let Some((source, content)) = reader.text(&normal(&folder.join(path)), SourceKind::KustomizePatch) else {
            continue;
        };
        for (at, line) in (1..).zip(content.lines()) {
            if let Some((key, value)) = line.split_once('=').filter(|_| !line.trim_start().starts_with('#')) {
                data(reader, key.trim(), Node::text(value, Origin::At(source.clone(), at)));
            }
        }
    }
    for literal in entry.items_of("literals") {
        if let Some((key, value)) = literal.as_str().and_then(|l| l.split_once('=')) {
            let bare = ['"', '\''].iter().find_map(|q| value.strip_prefix(*q)?.strip_suffix(*q)).unwrap_or(value);
            data(reader, key, Node::text(bare, literal.origin.clone()));
        }
    }
    for (field, place) in [("labels", Where::Labels), ("annotations", Where::Annotations)] {
        if let Some(pairs) = entry.at_keys(&["options", field]) {
            reader.writer(layer, named.clone(), Act::Pairs { pairs: pairs.clone(), place });
        }
    }
    // What a generator makes without being told is its entry's doing.
    let made = [("apiVersion", "v1"), ("kind", kind)];
    let kept = (kind == "Secret" && entry.get("type").is_none()).then_some(("type", "Opaque"));
    for (field, word) in made.into_iter().chain(kept) {
        let value = Node::text(word, entry.origin.clone());
        reader.writer(layer, named.clone(), Act::Tree { at: vec![Step::Key(field.into())], value });
    }
    for field in ["type", "namespace", "name"] {
        if let Some(value) = entry.get(field) {
            let at = if field == "type" { vec![] } else { vec![Step::Key("metadata".into())] };
            let at = at.into_iter().chain([Step::Key(field.into())]).collect();
            reader.writer(layer, named.clone(), Act::Tree { at, value: value.clone() });
        }
    }
}

/// Everything that changes what was gathered.
pub(super) fn transformers(reader: &mut Reader<'_>, node: &Node, folder: &Path, layer: usize) {
    for entry in node.items_of("patchesStrategicMerge") {
        let documents = match entry.as_str() {
            Some(named) if !named.contains('\n') => file(reader, named, folder),
            _ => reader.inline(entry),
        };
        documents.iter().for_each(|d| merge_patch(reader, d, &Target::default(), layer));
    }
    node.items_of("patches").iter().for_each(|entry| patch(reader, entry, folder, layer));
    if let Some(name) = node.get("namespace") {
        reader.writer(layer, Target::default(), Act::Namespace(name.clone()));
    }
    for (field, front) in [("namePrefix", true), ("nameSuffix", false)] {
        if let Some(affix) = node.get(field) {
            reader.writer(layer, Target::default(), Act::Affix { affix: affix.clone(), front });
        }
    }
    let labels = node.items_of("labels").iter().filter_map(|l| l.get("pairs")).chain(node.get("commonLabels"));
    for pairs in labels {
        reader.writer(layer, Target::default(), Act::Pairs { pairs: pairs.clone(), place: Where::Labels });
    }
    if let Some(pairs) = node.get("commonAnnotations") {
        reader.writer(layer, Target::default(), Act::Pairs { pairs: pairs.clone(), place: Where::Annotations });
    }
    for (field, place) in [("labels", Where::Labels), ("annotations", Where::Annotations)] {
        if let Some(pairs) = node.at_keys(&["generatorOptions", field]) {
            reader.writer(layer, Target::default(), Act::Pairs { pairs: pairs.clone(), place });
        }
    }
    node.items_of("patchesJson6902").iter().for_each(|entry| patch(reader, entry, folder, layer));
    for entry in node.items_of("replicas") {
        if let Some(count) = entry.get("count") {
            let target = Target { kind: "".into(), name: entry.str_of("name").into(), pattern: false };
            let at = vec![Step::Key("spec".into()), Step::Key("replicas".into())];
            reader.writer(layer, target, Act::Tree { at, value: count.clone() });
        }
    }
    for entry in node.items_of("images") {
        let parts = ["newName", "newTag", "tagSuffix", "digest"].into_iter().filter_map(|f| entry.get(f));
        let parts: Vec<Node> = parts.cloned().collect();
        reader.writer(layer, Target::default(), Act::Image { name: entry.str_of("name").into(), parts });
    }
    replacements(reader, node, folder, layer);
}

/// The documents of a patch file.
fn file(reader: &mut Reader<'_>, named: &str, folder: &Path) -> Vec<Node> {
    let path = normal(&folder.join(named));
    reader.documents(&path, SourceKind::KustomizePatch).map(|(_, documents)| documents).unwrap_or_default()
}

/// An entry of `patches` or `patchesJson6902`: a file or a text, strategic or JSON.
fn patch(reader: &mut Reader<'_>, entry: &Node, folder: &Path, layer: usize) {
    let documents = match (entry.get("path").and_then(Node::as_str), entry.get("patch")) {
        (Some(path), _) => file(reader, path, folder),
        (None, Some(text)) => reader.inline(text),
        (None, None) => return,
    };
    let target = entry.get("target").map_or_else(Target::default, |t| Target {
        kind: t.str_of("kind").into(),
        name: t.str_of("name").into(),
        pattern: true,
    });
    for document in documents {
        match document.as_list() {
            Some(operations) => operations.iter().for_each(|op| json_patch(reader, op, &target, layer)),
            None => merge_patch(reader, &document, &target, layer),
        }
    }
}

fn merge_patch(reader: &mut Reader<'_>, document: &Node, target: &Target, layer: usize) {
    let own = || Target {
        kind: document.str_of("kind").into(),
        name: document.at_keys(&["metadata", "name"]).and_then(Node::as_str).unwrap_or_default().into(),
        pattern: false,
    };
    let target = if *target == Target::default() { own() } else { target.clone() };
    let mut value = document.clone();
    // What only says which object it is for changes nothing.
    if let Some(map) = value.as_map_mut() {
        map.remove("apiVersion");
        map.remove("kind");
        if let Some(meta) = map.get_mut("metadata").and_then(Node::as_map_mut) {
            meta.remove("name");
        }
    }
    reader.writer(layer, target, Act::Tree { at: Vec::new(), value });
}

fn json_patch(reader: &mut Reader<'_>, operation: &Node, target: &Target, layer: usize) {
    let pointer = operation.str_of("path");
    if let (Some(value), "add" | "replace") = (operation.get("value"), operation.str_of("op")) {
        let parts = pointer.split('/').skip(1);
        let at = parts.map(|p| Step::Key(p.replace("~1", "/").replace("~0", "~").into())).collect();
        reader.writer(layer, target.clone(), Act::Tree { at, value: value.clone() });
    }
}

fn replacements(reader: &mut Reader<'_>, node: &Node, folder: &Path, layer: usize) {
    let mut entries: Vec<Node> = Vec::new();
    for entry in node.items_of("replacements") {
        match entry.get("path").and_then(Node::as_str) {
            Some(path) => {
                for document in file(reader, path, folder) {
                    match document.as_list() {
                        Some(items) => entries.extend(items.iter().cloned()),
                        None => entries.push(document),
                    }
                }
            }
            None => entries.push(entry.clone()),
        }
    }
    for entry in &entries {
        let Some(source) = entry.get("source") else { continue };
        let field = source.get("fieldPath").and_then(Node::as_str).unwrap_or("metadata.name");
        let copied = Arc::new(Copied {
            from: Target { kind: source.str_of("kind").into(), name: source.str_of("name").into(), pattern: false },
            field: field_path(field),
        });
        for goal in entry.items_of("targets") {
            let select = goal.get("select");
            let word = |key: &str| select.map(|s| s.str_of(key)).unwrap_or_default().into();
            let target = Target { kind: word("kind"), name: word("name"), pattern: true };
            let fields = goal.items_of("fieldPaths").iter().filter_map(Node::as_str);
            for field in fields.chain(goal.items_of("fieldPaths").is_empty().then_some("metadata.name")) {
                let act = Act::Copy { to: field_path(field), copied: copied.clone() };
                reader.writer(layer, target.clone(), act);
            }
        }
    }
}

/// A field path of Kustomize: dots between keys (`\.` is a dot of a key), `[name=web]` or `*` for items, numbers for indexes.
fn field_path(text: &str) -> Vec<Step> {
    let mut steps = vec![String::new()];
    let (mut characters, mut inside) = (text.chars().peekable(), false);
    while let Some(c) = characters.next() {
        let last = steps.len() - 1;
        match c {
            '\\' => steps[last].extend(characters.next()),
            '.' if !inside => steps.push(String::new()),
            _ => {
                inside = (inside || c == '[') && c != ']';
                steps[last].push(c);
            }
        }
    }
    steps.into_iter().map(|s| Step::Key(s.trim_matches(['[', ']']).into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_paths_keep_dots_of_keys_and_choices_of_items() {
        let words = |text: &str| {
            let steps = field_path(text).into_iter();
            steps.map(|s| if let Step::Key(k) = s { k.to_string() } else { String::new() }).collect::<Vec<_>>()
        };
        assert_eq!(words("spec.containers.[name=a.b].image"), ["spec", "containers", "name=a.b", "image"]);
        assert_eq!(words(r"metadata.annotations.a\.b/c"), ["metadata", "annotations", "a.b/c"]);
        assert_eq!(words("spec.ports.*.port"), ["spec", "ports", "*", "port"]);
    }
}
