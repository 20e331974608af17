//! A chart as it stands in its folder: its templates, and its values in their order of precedence, every value with its line.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Tools, align, chain,
    helm::Release,
    name_of,
    template::{self, Line, Reference, Root, Template},
    tool::Files,
    writer::{self, Fit},
};
use crate::{
    desired::{
        origin::{Origin, Source, SourceKind},
        path::{Path as Way, Step},
        source::yaml,
        tree::Node,
    },
    fault::Fault,
    messages::source as text,
};

/// Most lines of templates that are looked at for one value.
const MOST_LINES: usize = 6;
/// Most values that are looked at for one line.
const MOST_VALUES: usize = 8;

/// Values of one place, for the templates of one chart and those below it.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// The chart they are for: the way down from the outermost chart, empty for itself.
    pub chart: Vec<String>,
    /// The values, with their places.
    pub values: Node,
}

/// A chart.
#[derive(Debug, Default)]
pub(super) struct Chart {
    /// Every file that plays a part.
    pub files: Files,
    /// Templates and helpers.
    pub templates: Vec<Template>,
    /// Values, later ones win.
    pub layers: Vec<Layer>,
    /// `Chart.yaml` of each chart, with its way down.
    pub about: Vec<(Vec<String>, Node)>,
}

/// A place that may have given a value.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// What is written there, with the place.
    pub written: Node,
    /// How well it explains the value.
    pub fit: Fit,
    /// It is the template's line itself.
    pub is_line: bool,
}

/// Reads a chart and its values files.
///
/// # Errors
///
/// When the folder or its `Chart.yaml` is not there. What is wrong inside is left to Helm to tell.
pub(super) fn read(release: &Release, tools: &Tools) -> Result<Chart, Fault> {
    let named = PathBuf::from(name_of(&release.chart, tools));
    if !release.chart.is_dir() {
        return Err(Fault::new(&named, 0, "", text::NO_FOLDER));
    }
    if !release.chart.join("Chart.yaml").is_file() {
        return Err(Fault::new(&named, 0, "", text::NO_CHART));
    }
    let mut chart = Chart::default();
    chain::load_folder(&release.chart, &mut chart.files);
    let own: Vec<(PathBuf, Arc<[u8]>)> = chart.files.iter().map(|(p, c)| (p.clone(), c.clone())).collect();
    for (path, content) in &own {
        chart.take(path, content, release, tools);
    }
    // The outermost chart's defaults win over those of the charts in it.
    chart.layers.sort_by_key(|l| std::cmp::Reverse(l.chart.len()));
    for path in &release.values {
        if let Ok(content) = std::fs::read(path) {
            chart.files.insert(path.clone(), content.clone().into());
            if let Some(values) = document(&content, SourceKind::Values, path, tools) {
                chart.layers.push(Layer { chart: Vec::new(), values });
            }
        }
    }
    if !release.set.is_null() {
        chart.layers.push(Layer { chart: Vec::new(), values: release.set.clone() });
    }
    chart.unfold_includes();
    Ok(chart)
}

fn document(content: &[u8], kind: SourceKind, path: &Path, tools: &Tools) -> Option<Node> {
    let source = Source::new(kind, name_of(path, tools));
    yaml::read(std::str::from_utf8(content).ok()?, &source).ok()?.into_iter().next()
}

/// The way down of a file in a chart, and its path inside its own chart: `charts/db/values.yaml` gives `[db]`, `values.yaml`.
fn way_down(inside: &Path) -> (Vec<String>, PathBuf) {
    let parts: Vec<String> = inside.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    let mut down = Vec::new();
    let mut rest = parts.as_slice();
    while let [folder, chart, inner @ ..] = rest
        && folder == "charts"
        && !inner.is_empty()
    {
        down.push(chart.clone());
        rest = inner;
    }
    (down, rest.iter().collect())
}

impl Chart {
    /// Takes one file of the chart for what it is.
    fn take(&mut self, path: &Path, content: &[u8], release: &Release, tools: &Tools) {
        let (down, inner) = way_down(path.strip_prefix(&release.chart).unwrap_or(path));
        match inner.to_string_lossy().as_ref() {
            "values.yaml" => {
                if let Some(values) = document(content, SourceKind::Values, path, tools) {
                    self.layers.push(Layer { chart: down, values });
                }
            }
            "Chart.yaml" => {
                self.about.extend(document(content, SourceKind::Values, path, tools).map(|about| (down, about)));
            }
            name if name.starts_with("templates/") || name.starts_with("crds/") => {
                if let Ok(text) = std::str::from_utf8(content) {
                    let source = Source::new(SourceKind::Template, name_of(path, tools));
                    let inside = path.strip_prefix(&release.chart).unwrap_or(path).to_string_lossy().into_owned();
                    self.templates.push(template::read(text, source, inside, down));
                }
            }
            _ => {}
        }
    }

    /// The template that an output names: the chart's name, then its path in the chart.
    pub(super) fn template(&self, named: &str) -> Option<&Template> {
        let (_, inside) = named.split_once('/')?;
        self.templates.iter().find(|t| t.inside == inside)
    }

    /// Tells each line that includes a named template what that one asks for.
    fn unfold_includes(&mut self) {
        let mut defined: BTreeMap<String, (Vec<Reference>, Vec<String>)> = BTreeMap::new();
        for line in self.templates.iter().flat_map(|t| &t.lines).filter(|l| !l.defines.is_empty()) {
            let (references, includes) = defined.entry(line.defines.clone()).or_default();
            references.extend(line.references.iter().cloned());
            includes.extend(line.includes.iter().cloned());
        }
        for line in self.templates.iter_mut().flat_map(|t| &mut t.lines) {
            let (mut wanted, mut seen) = (line.includes.clone(), BTreeSet::new());
            while let Some(name) = wanted.pop() {
                if let Some((references, includes)) = defined.get(&name).filter(|_| seen.insert(name.clone())) {
                    wanted.extend(includes.iter().cloned());
                    line.references.extend(references.iter().cloned());
                }
            }
        }
    }

    /// Places that may have given a value, the likeliest first: what values files say where the template's line asks for
    /// them, then the line itself. What the values say may explain nothing; the line may still have made it of them.
    pub(super) fn places(&self, template: &str, kind: &str, path: &Way, leaf: &Node) -> Vec<Place> {
        let own = self.template(template);
        let mut lines: Vec<(&Template, &Line, usize)> = Vec::new();
        for t in own.into_iter().chain(self.templates.iter().filter(|t| t.is_helper())) {
            let scored = t.lines.iter().filter_map(|l| Some((t, l, l.score(kind, path, leaf)?)));
            lines.extend(scored);
        }
        lines.sort_by_key(|(_, _, score)| std::cmp::Reverse(*score));
        let down = own.map(|t| t.down.clone()).unwrap_or_default();
        let mut places = Vec::new();
        for (template, line, _) in lines.into_iter().take(MOST_LINES) {
            let asked = line.references.iter().flat_map(|r| self.values(&down, r, line, path, leaf));
            let mut from_values: Vec<Place> = asked.collect();
            from_values.sort_by_key(|p| std::cmp::Reverse(p.fit));
            from_values.truncate(MOST_VALUES);
            places.extend(from_values);
            // Among other things on the line, what is meant is the value itself.
            let text = writer::scalar_text(leaf).filter(|t| !t.is_empty() && line.value.contains(t.as_str()));
            let origin = Origin::At(template.source.clone(), line.number);
            let written = Node::text(text.as_ref().unwrap_or(&line.value), origin);
            places.push(Place { fit: writer::fit(leaf, &written, false), written, is_line: true });
        }
        places
    }

    /// What the values say that a reference asks for: of the last layer that has it.
    fn values(&self, down: &[String], reference: &Reference, line: &Line, path: &Way, leaf: &Node) -> Vec<Place> {
        let mut way: Vec<Step> = reference.path.iter().map(|k| Step::Key(k.as_str().into())).collect();
        if line.emits {
            // `toYaml` of a map or list: the rest of the way goes on inside it.
            way.extend(path.0.iter().skip(line.keys.len()).map(|step| match step {
                Step::Index(at) => Step::Key(at.to_string().into()),
                key => key.clone(),
            }));
        }
        let found = self.set_at(down, reference.root, &way).into_iter();
        found.map(|written| Place { fit: writer::fit(leaf, &written, true), written, is_line: false }).collect()
    }

    /// What the last layer that sets a way says there; several with wildcards.
    fn set_at(&self, down: &[String], root: Root, way: &[Step]) -> Vec<Node> {
        if root == Root::Chart {
            let about = self.about.iter().find(|(at, _)| at == down).map(|(_, node)| node);
            return about.map(|node| leaves_at(node, way)).unwrap_or_default();
        }
        // A scalar hides what lower layers say; maps are merged, so that all of them may have given a part.
        let whole = !way.contains(&Step::Key("*".into()));
        let mut all = Vec::new();
        for layer in self.layers.iter().rev() {
            let Some(rest) = down.strip_prefix(layer.chart.as_slice()) else { continue };
            let below = rest.iter().map(|k| Step::Key(k.as_str().into()));
            let inside: Vec<Step> = below.chain(way.iter().cloned()).collect();
            let mut found = leaves_at(&layer.values, &inside);
            if found.is_empty() && way.first() == Some(&Step::Key("global".into())) {
                found = leaves_at(&layer.values, way);
            }
            if whole && found.len() == 1 {
                all.extend(found);
                return all;
            }
            all.extend(found);
        }
        all
    }
}

/// The scalars at a place and below it, where there are not too many.
fn leaves_at(node: &Node, way: &[Step]) -> Vec<Node> {
    let places = align::places(node, way).into_iter();
    places.flat_map(|(_, node)| node.leaves().into_iter().take(200).map(|(_, leaf)| leaf.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_down_to_a_chart_in_a_chart() {
        let words = |path: &str| {
            let (down, inner) = way_down(Path::new(path));
            (down.join("/"), inner.to_string_lossy().into_owned())
        };
        assert_eq!(words("values.yaml"), (String::new(), "values.yaml".into()));
        assert_eq!(words("charts/db/templates/a.yaml"), ("db".into(), "templates/a.yaml".into()));
        assert_eq!(words("charts/db/charts/x/values.yaml"), ("db/x".into(), "values.yaml".into()));
        assert_eq!(words("charts/db.tgz"), (String::new(), "charts/db.tgz".into()));
    }
}
