//! Helm: `helm template` renders the chart, hooks and tests and CRDs included; each value gets the best place that reading the
//! templates and values files gives.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Rendered, Tools, cache,
    chart::{self, Chart},
    name_of, normal, output,
    template::Template,
    tool::{self, Program, Scratch},
    writer::Fit,
};
use crate::{
    desired::{
        object::Object,
        origin::{Origin, Source, SourceKind},
        path::Path as Way,
        tree::Node,
    },
    fault::Fault,
};

/// What is asked of Helm; paths are full.
#[derive(Clone, Debug)]
pub(super) struct Release {
    /// The chart's folder.
    pub chart: PathBuf,
    /// Release name.
    pub name: String,
    /// Namespace; empty = Helm's default.
    pub namespace: String,
    /// Values files, later ones win.
    pub values: Vec<PathBuf>,
    /// Values that win over all files; null = none.
    pub set: Node,
}

impl Release {
    /// What a source asks for, with full paths.
    pub(super) fn new(
        chart: &Path,
        name: &str,
        namespace: &str,
        values: &[PathBuf],
        set: &Node,
        tools: &Tools,
    ) -> Self {
        let full = |path: &Path| normal(&tools.root.join(path));
        Self {
            chart: full(chart),
            name: if name.is_empty() { "release".into() } else { name.into() },
            namespace: namespace.into(),
            values: values.iter().map(|v| full(v)).collect(),
            set: set.clone(),
        }
    }

    /// Runs Helm on it as it stands.
    pub(super) fn template(&self, program: &Program, tools: &Tools, about: &Path) -> Result<String, Fault> {
        let mut args: Vec<OsString> = vec!["template".into(), (&self.name).into(), (&self.chart).into()];
        if !self.namespace.is_empty() {
            args.extend(["--namespace".into(), (&self.namespace).into()]);
        }
        args.push("--include-crds".into());
        for file in &self.values {
            args.extend(["--values".into(), file.into()]);
        }
        let scratch = if self.set.is_null() { None } else { Some(Scratch::new(tools)?) };
        if let Some(scratch) = &scratch {
            let inline = Path::new("inline.yaml");
            scratch.write(inline, self.set.to_json().to_string().as_bytes())?;
            args.extend(["--values".into(), scratch.path().join(inline).into()]);
        }
        program.run(&args, tools, about)
    }
}

/// A rendered chart and all that was learned about it.
#[derive(Debug)]
pub(super) struct Built {
    /// What it gave.
    pub rendered: Rendered,
    /// For each object the template it came from, as the chart names it (`shop/templates/web.yaml`).
    pub templates: Vec<Arc<str>>,
    /// The chart.
    pub chart: Chart,
}

/// Renders a chart.
///
/// # Errors
///
/// When it cannot be rendered, in Helm's own words.
pub(super) fn helm(release: &Release, tools: &Tools) -> Result<Rendered, Fault> {
    built(release, tools).map(|b| b.rendered)
}

/// The program that renders charts.
pub(super) fn program(release: &Release, tools: &Tools) -> Result<Program, Fault> {
    tool::find(&["helm"], tools, Path::new(&name_of(&release.chart, tools)))
}

/// Renders a chart and keeps what was learned on the way.
pub(super) fn built(release: &Release, tools: &Tools) -> Result<Built, Fault> {
    let about = PathBuf::from(name_of(&release.chart, tools));
    let chart = chart::read(release, tools)?;
    let program = program(release, tools)?;
    let mut key = cache::Key::new("helm 1");
    for part in [&program.identity(), &release.name, &release.namespace] {
        key.add(part.as_bytes());
    }
    for path in std::iter::once(&release.chart).chain(&release.values) {
        key.add(path.as_os_str().as_encoded_bytes());
    }
    key.add(release.set.to_json().to_string().as_bytes());
    key.add_files(&chart.files);
    let name = key.name();
    let kept = cache::get(tools.cache.as_ref(), &name).and_then(|t| <[String; 2]>::try_from(t).ok());
    let [text, version] = match kept {
        Some(kept) => kept,
        None => {
            let texts = [release.template(&program, tools, &about)?, program.version(tools)];
            cache::put(tools.cache.as_ref(), &name, &texts);
            texts
        }
    };
    let (mut rendered, templates) = objects(&text, &about, &version);
    for (object, template) in rendered.objects.iter_mut().zip(&templates) {
        with_places(Arc::make_mut(object), template, &chart);
    }
    rendered.inputs = chart.files.keys().map(|path| name_of(path, tools).into()).collect();
    Ok(Built { rendered, templates, chart })
}

/// The objects of an output, each with the template it came from.
pub(super) fn objects(text: &str, about: &Path, version: &str) -> (Rendered, Vec<Arc<str>>) {
    let (printed, faults) = output::printed(text, about, version);
    let sources = output::sources(text);
    let (mut objects, mut templates) = (Vec::new(), Vec::new());
    for document in printed {
        let last = sources.iter().rev().find(|(at, _)| *at <= document.line);
        let template: Arc<str> = last.map_or_else(|| "".into(), |(_, source)| source.clone());
        for object in document.objects {
            objects.push(Arc::new(object));
            templates.push(template.clone());
        }
    }
    (Rendered { objects, faults, tool: version.to_owned(), inputs: Vec::new() }, templates)
}

/// Gives every value the best place that reading gives; containers get the template.
fn with_places(object: &mut Object, template: &str, chart: &Chart) {
    let file = chart.template(template).map_or_else(|| template.to_owned(), |t: &Template| t.source.file.clone());
    let whole = Origin::At(Source::new(SourceKind::Template, file), 0);
    let leaves: Vec<(Way, Origin)> = object
        .node
        .leaves()
        .into_iter()
        .filter_map(|(path, leaf)| {
            let places = chart.places(template, &object.key.kind, &path, leaf);
            let best = places.into_iter().find(|p| p.is_line || p.fit != Fit::None)?;
            Some((path, best.written.origin))
        })
        .collect();
    object.node = object.node.with_origin(&whole);
    for (path, origin) in leaves {
        if let Some(leaf) = object.node.at_mut(&path) {
            leaf.origin = origin;
        }
    }
}
