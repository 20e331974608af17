//! What a tool printed, read into documents: one broken document costs only itself.

use std::{path::Path, sync::Arc};

use crate::{
    desired::{
        object::Object,
        origin::{Source, SourceKind},
        source::{documents, yaml},
    },
    fault::Fault,
    messages::source as text,
};

/// The objects of one document that a tool printed.
#[derive(Clone, Debug)]
pub(super) struct Printed {
    /// Line of the output at which the document begins.
    pub line: u32,
    /// Its objects: several where it is a List, none where it is left out.
    pub objects: Vec<Object>,
}

/// The documents of an output, empty ones left out, and what could not be used.
pub(super) fn printed(output: &str, about: &Path, tool: &str) -> (Vec<Printed>, Vec<Fault>) {
    let source = Source::new(SourceKind::Tool, tool);
    let (mut printed, mut faults) = (Vec::new(), Vec::new());
    let mut take = |documents: Vec<yaml::Document>, faults: &mut Vec<Fault>| {
        for document in documents {
            let line = document.line;
            let contents = documents::from_documents(vec![document]);
            // Lines of the output are no lines of a file.
            faults.extend(contents.defects.iter().map(|d| Fault { line: 0, ..d.fault(about) }));
            printed.push(Printed { line, objects: contents.objects });
        }
    };
    if let Ok(documents) = yaml::documents(output, &source) {
        take(documents, &mut faults);
        return (printed, faults);
    }
    for (first, part) in parts(output) {
        // Empty lines in front keep the lines as they are in the output.
        let text = format!("{}{part}", "\n".repeat(first));
        match yaml::documents(&text, &source) {
            Ok(documents) => take(documents, &mut faults),
            Err(broken) => faults.push(
                Fault::new(about, 0, "", text::RENDERED_NOT_YAML)
                    .with("tool", tool)
                    .with("line", broken.line.to_string())
                    .with("detail", broken.detail),
            ),
        }
    }
    (printed, faults)
}

/// The parts of an output between lines `---`, each with the number of lines before it.
fn parts(output: &str) -> Vec<(usize, String)> {
    let mut parts = vec![(0, String::new())];
    for (at, line) in output.lines().enumerate() {
        if line.trim_end() == "---" {
            parts.push((at + 1, String::new()));
        } else if let Some((_, part)) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}

/// Lines of an output, counted from 1, where the text a document was made of is named: `# Source: chart/templates/x.yaml`.
pub(super) fn sources(output: &str) -> Vec<(u32, Arc<str>)> {
    let lines = (1_u32..).zip(output.lines());
    lines.filter_map(|(at, line)| Some((at, line.strip_prefix("# Source: ")?.trim().into()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_document_costs_only_itself() {
        let head = "apiVersion: v1\nkind";
        let text =
            format!("---\n# Source: c/a.yaml\n{head}: A\n---\n# Source: c/b.yaml\na: [\n---\n{head}: C\n---\nx: 1\n");
        let (printed, faults) = printed(&text, Path::new("c"), "helm");
        let found: Vec<(u32, &str)> =
            printed.iter().flat_map(|p| p.objects.iter().map(|o| (p.line, &*o.key.kind))).collect();
        assert_eq!(found, [(3, "A"), (9, "C")]);
        assert_eq!(
            faults.iter().map(|f| f.msg.key).collect::<Vec<_>>(),
            ["source.RENDERED_NOT_YAML", "source.DOCUMENT_NO_API_VERSION"]
        );
        assert_eq!(sources(&text), [(2, "c/a.yaml".into()), (6, "c/b.yaml".into())]);
    }
}
