//! Plain manifests: a file, or a folder of files read recursively. A file that cannot be read costs only itself, a broken
//! document only that document.

use std::{path::Path, sync::Arc};

use super::{Rendered, Tools, files};
use crate::{
    desired::{origin::SourceKind, source::documents},
    fault::Fault,
};

/// Reads a plain source. Policies that lie in the folder are objects like all others.
///
/// # Errors
///
/// When the path is not there, or holds more than is read.
pub fn plain(path: &Path, tools: &Tools) -> Result<Rendered, Fault> {
    let found = files::manifests(path, tools)?;
    let mut rendered = Rendered { faults: found.faults, ..Rendered::default() };
    for file in found.files {
        let source = files::source(SourceKind::Manifest, &file, tools);
        let name = Path::new(&source.file).to_path_buf();
        match files::text(&file, tools).and_then(|text| documents::objects(&text, &source).map_err(|e| e.fault(&name)))
        {
            Ok(contents) => {
                rendered.objects.extend(contents.objects.into_iter().map(Arc::new));
                rendered.faults.extend(contents.defects.iter().map(|d| d.fault(&name)));
            }
            Err(fault) => rendered.faults.push(fault),
        }
        rendered.inputs.push(name);
    }
    Ok(rendered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::testing::{tools, write};

    #[test]
    fn what_is_broken_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let object = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
        write(folder.path(), "app/a.yaml", &object("a"));
        write(folder.path(), "app/b.yaml", "a: [\n");
        write(folder.path(), "app/c.yaml", &format!("{}data: {{a: 1, a: 2}}\n---\n{}", object("c"), object("d")));
        write(
            folder.path(),
            "app/sub/e.json",
            r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "e"}}"#,
        );
        write(folder.path(), "app/values.yaml", "replicas: 3\n");
        let rendered = plain(&folder.path().join("app"), &tools(folder.path())).unwrap();
        let names: Vec<String> = rendered
            .objects
            .iter()
            .map(|o| format!("{} {}", o.key, o.node.at_keys(&["metadata", "name"]).unwrap().origin.at().unwrap()))
            .collect();
        assert_eq!(names, ["ConfigMap a app/a.yaml:3", "ConfigMap d app/c.yaml:8", "ConfigMap e app/sub/e.json:1"]);
        let told: Vec<String> = rendered
            .faults
            .iter()
            .map(|f| format!("{}:{} {} {}", f.file.display(), f.line, f.field, f.msg.key))
            .collect();
        assert_eq!(
            told,
            [
                "app/b.yaml:1 a[0] source.YAML_SYNTAX",
                "app/c.yaml:4 data.a source.DOCUMENT_BROKEN",
                "app/values.yaml:1  source.DOCUMENT_NO_API_VERSION",
            ]
        );
        assert_eq!(rendered.inputs.len(), 5);
    }
}
