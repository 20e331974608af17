//! A copy of a source that may be changed and rendered again; the user's files are never touched.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Tools, helm, kustomize, output,
    tool::{Files, Program, Scratch},
};
use crate::{
    desired::{object::Object, tree::Node},
    fault::Fault,
};

/// How the copy is rendered.
#[derive(Debug)]
enum How {
    Kustomize(PathBuf),
    Helm(helm::Release),
}

/// The copy.
#[derive(Debug)]
pub(super) struct Bench<'a> {
    scratch: Scratch,
    program: Program,
    how: How,
    files: &'a Files,
    tools: &'a Tools,
}

impl<'a> Bench<'a> {
    /// A copy of an overlay and all it is made from.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(super) fn of_overlay(
        folder: &Path,
        files: &'a Files,
        program: Program,
        tools: &'a Tools,
    ) -> Result<Self, Fault> {
        Self::new(How::Kustomize(folder.to_path_buf()), files, program, tools)
    }

    /// A copy of a chart and its values files.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(super) fn of_chart(
        release: &helm::Release,
        files: &'a Files,
        program: Program,
        tools: &'a Tools,
    ) -> Result<Self, Fault> {
        Self::new(How::Helm(release.clone()), files, program, tools)
    }

    fn new(how: How, files: &'a Files, program: Program, tools: &'a Tools) -> Result<Self, Fault> {
        let scratch = Scratch::new(tools)?;
        for (path, content) in files {
            scratch.write(inside(path), content)?;
        }
        Ok(Self { scratch, program, how, files, tools })
    }

    /// The objects with one file changed; `None` when the tool refuses it.
    pub(super) fn with_file(&self, path: &Path, text: &str) -> Option<Vec<Arc<Object>>> {
        self.scratch.write(inside(path), text.as_bytes()).ok()?;
        let objects = self.objects(None);
        if let Some(old) = self.files.get(path) {
            self.scratch.write(inside(path), old).ok()?;
        }
        objects
    }

    /// The objects of the copy as it is.
    pub(super) fn unchanged(&self) -> Option<Vec<Arc<Object>>> {
        self.objects(None)
    }

    /// The objects with other inline values.
    pub(super) fn with_values(&self, set: &Node) -> Option<Vec<Arc<Object>>> {
        self.objects(Some(set))
    }

    fn objects(&self, set: Option<&Node>) -> Option<Vec<Arc<Object>>> {
        let about = self.scratch.path();
        let at = |path: &Path| about.join(inside(path));
        let text = match &self.how {
            How::Kustomize(folder) => kustomize::build(&self.program, &at(folder), self.tools, about),
            How::Helm(release) => {
                let copy = helm::Release {
                    chart: at(&release.chart),
                    values: release.values.iter().map(|v| at(v)).collect(),
                    set: set.unwrap_or(&release.set).clone(),
                    ..release.clone()
                };
                copy.template(&self.program, self.tools, about)
            }
        };
        let (printed, _) = output::printed(&text.ok()?, about, "");
        Some(printed.into_iter().flat_map(|p| p.objects).map(Arc::new).collect())
    }
}

/// A full path as one below the copy.
fn inside(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}
