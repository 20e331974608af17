//! Who gave one value: the candidates that reading finds, and a proof by rendering again with the candidate changed. The
//! proof decides where reading is not enough: equal values in a base and a patch, computed values, values handed on.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    SourceSpec, Tools, align,
    bench::Bench,
    chart::Chart,
    edit, helm, kustomize, name_of, plain,
    tool::Files,
    writer,
    writer::{Fit, Subject},
};
use crate::{
    desired::{
        object::{Object, ObjectKey},
        origin::{At, Origin, SourceKind},
        path::{Path as Way, Step},
        tree::Node,
    },
    fault::Fault,
    messages::source as text,
};

/// Most candidates that are put to the proof.
const MOST: usize = 40;
/// Most runs of the tool for one value.
const MOST_RUNS: usize = 48;

/// How a place is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// By reading the files.
    Read,
    /// The source was rendered again with this place changed, and the value changed.
    Proved,
}

impl Evidence {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Proved => "proved",
        }
    }
}

/// Who gave a value.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The place of the last writer. Its source is of the kind `Tool` when no file says it (hashes in names).
    pub at: At,
    /// How that is known.
    pub evidence: Evidence,
    /// Places that were considered, the likeliest first; the chosen one among them.
    pub candidates: Vec<At>,
}

/// Finds who gave a value.
///
/// # Errors
///
/// When the source cannot be rendered, or has no such object or no value there.
pub fn trace(spec: &SourceSpec, tools: &Tools, key: &ObjectKey, path: &Way) -> Result<Trace, Fault> {
    match spec {
        SourceSpec::Plain { path: folder } => {
            let rendered = plain::plain(&tools.root.join(folder), tools)?;
            let (_, leaf) = find(&rendered.objects, key, path, folder)?;
            let at = leaf.origin.at().unwrap_or_else(|| At { source: Arc::default(), line: 0 });
            Ok(Trace { at: at.clone(), evidence: Evidence::Read, candidates: vec![at] })
        }
        SourceSpec::Kustomize { path: folder } => of_overlay(folder, tools, key, path),
        SourceSpec::Helm { chart, release, namespace, values, set } => {
            let release = helm::Release::new(chart, release, namespace, values, set, tools);
            of_chart(&release, tools, key, path)
        }
    }
}

/// The object and its value.
fn find<'a>(objects: &'a [Arc<Object>], key: &ObjectKey, path: &Way, about: &Path) -> Result<(usize, &'a Node), Fault> {
    let fault = |msg| Fault::new(about, 0, path.to_string(), msg).with("object", key.to_string());
    let at = objects.iter().position(|o| o.key == *key).ok_or_else(|| fault(text::NO_SUCH_OBJECT))?;
    let leaf = objects[at].node.at(path);
    leaf.map(|leaf| (at, leaf)).ok_or_else(|| fault(text::NO_SUCH_FIELD).with("path", path.to_string()))
}

fn of_overlay(folder: &Path, tools: &Tools, key: &ObjectKey, path: &Way) -> Result<Trace, Fault> {
    let built = kustomize::built(folder, tools)?;
    let objects = &built.rendered.objects;
    let (at, leaf) = find(objects, key, path, folder)?;
    if let Some(made) = leaf.origin.at().filter(|at| at.source.kind == SourceKind::Tool) {
        return Ok(Trace { at: made.clone(), evidence: Evidence::Read, candidates: vec![made] });
    }
    let (object, beginning, chain) = (&objects[at], &built.beginnings[at], &built.chain);
    let subject = Subject { object, names: kustomize::names(object, beginning, chain), all: objects };
    let (mut claims, mut unlikely) = (Vec::new(), Vec::new());
    for writer in chain.writers.iter().rev().filter(|w| chain.reaches(w.layer, beginning.layer)) {
        for effect in writer.effects(&subject).into_iter().filter(|e| e.path == *path) {
            if effect.fit == Fit::None { &mut unlikely } else { &mut claims }.push(effect.written);
        }
    }
    let mut first = Vec::new();
    if let Some(base) = beginning.manifest.map(|at| &chain.manifests[at].node) {
        let pairs = align::pairs(&object.node, base).into_iter();
        first.extend(pairs.filter(|(at, ..)| at == path).map(|(_, _, written)| written.clone()));
    }
    // What tells items apart stands in every patch that is about the item: changed in any of them, it names another one.
    if let Some(given) = first.iter().find(|w| *w == leaf).filter(|_| writer::tells_apart(key, path)) {
        let at = given.origin.at().unwrap_or_else(|| At { source: Arc::default(), line: 0 });
        return Ok(Trace { at: at.clone(), evidence: Evidence::Read, candidates: vec![at] });
    }
    claims.extend(first);
    claims.extend(unlikely);
    claims.extend(alike(chain.documents.iter(), leaf, path, &object.key.kind));
    let full = kustomize::full(folder, tools);
    let bench = Bench::of_overlay(&full, &chain.files, kustomize::program(&full, tools)?, tools)?;
    let proof = Proof { bench: &bench, files: &chain.files, set: None, key, path, leaf, tools, runs: Cell::new(0) };
    Ok(proof.decide(claims))
}

fn of_chart(release: &helm::Release, tools: &Tools, key: &ObjectKey, path: &Way) -> Result<Trace, Fault> {
    let built = helm::built(release, tools)?;
    let (at, leaf) = find(&built.rendered.objects, key, path, &release.chart)?;
    let chart: &Chart = &built.chart;
    let places = chart.places(&built.templates[at], &key.kind, path, leaf).into_iter();
    let mut claims: Vec<Node> = places.map(|p| p.written).collect();
    claims.extend(alike(chart.layers.iter().rev().map(|l| &l.values), leaf, path, &key.kind));
    let bench = Bench::of_chart(release, &chart.files, helm::program(release, tools)?, tools)?;
    let proof = Proof {
        bench: &bench,
        files: &chart.files,
        set: Some(&release.set),
        key,
        path,
        leaf,
        tools,
        runs: Cell::new(0),
    };
    Ok(proof.decide(claims))
}

/// Values of any document that look like the one that is sought: the last resort. Equal ones under the same key first.
fn alike<'a>(documents: impl Iterator<Item = &'a Node>, leaf: &Node, path: &Way, kind: &str) -> Vec<Node> {
    let last = |way: &Way| way.0.iter().rev().find(|s| matches!(s, Step::Key(_))).cloned();
    let mut found: Vec<(Fit, bool, usize, Node)> = Vec::new();
    for document in documents {
        for (way, node) in document.leaves() {
            let fit = writer::fit(leaf, node, kind == "Secret");
            let length = writer::scalar_text(node).map_or(0, |t| t.len());
            if fit == Fit::Equal || (fit == Fit::Part && length > 2) {
                found.push((fit, last(&way) == last(path), length, node.clone()));
            }
        }
    }
    found.sort_by_key(|(fit, same, length, _)| std::cmp::Reverse((*fit, *same, *length)));
    found.into_iter().map(|(.., node)| node).collect()
}

/// What a changed place does to the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Nothing.
    Same,
    /// It is another one.
    Other,
    /// It is another one, and what was changed can be seen in it.
    Marked,
}

/// Puts candidates to the proof.
struct Proof<'a> {
    bench: &'a Bench<'a>,
    files: &'a Files,
    /// Inline values, where the source has any.
    set: Option<&'a Node>,
    key: &'a ObjectKey,
    path: &'a Way,
    leaf: &'a Node,
    tools: &'a Tools,
    runs: Cell<usize>,
}

impl Proof<'_> {
    /// The first candidate that can be seen in the value; else the first that changes it; else the first.
    fn decide(&self, claims: Vec<Node>) -> Trace {
        let names: BTreeMap<String, &PathBuf> = self.files.keys().map(|p| (name_of(p, self.tools), p)).collect();
        let mut seen = BTreeSet::new();
        let (mut candidates, mut changes): (Vec<At>, Option<At>) = (Vec::new(), None);
        for claim in claims {
            let Some(at) = claim.origin.at() else { continue };
            if candidates.len() == MOST
                || self.runs.get() >= MOST_RUNS
                || !seen.insert((at.clone(), writer::scalar_text(&claim)))
            {
                continue;
            }
            candidates.push(at.clone());
            let verdict = match names.get(&at.source.file) {
                Some(file) => self.in_file(file, at.line, &claim),
                None => self.inline(&claim),
            };
            match verdict {
                Verdict::Marked => return Trace { at, evidence: Evidence::Proved, candidates },
                Verdict::Other => changes = changes.or(Some(at)),
                Verdict::Same => {}
            }
        }
        // A value that is another one in every run (a random password, the time) proves nothing.
        let steady = || self.judge(self.bench.unchanged(), &Node::default()) == Verdict::Same;
        let (at, evidence) = match changes {
            Some(at) if steady() => (at, Evidence::Proved),
            _ => {
                let first = candidates.first().cloned().or_else(|| self.leaf.origin.at());
                (first.unwrap_or_else(|| At { source: Arc::default(), line: 0 }), Evidence::Read)
            }
        };
        Trace { at, evidence, candidates }
    }

    fn in_file(&self, file: &Path, line: u32, claim: &Node) -> Verdict {
        let text = self.files.get(file).and_then(|content| std::str::from_utf8(content).ok()).unwrap_or_default();
        let mut best = Verdict::Same;
        for edited in edit::edits(text, line, claim) {
            let verdict = self.judge(self.bench.with_file(file, &edited), claim);
            best = best.max(verdict);
            if best == Verdict::Marked {
                break;
            }
        }
        best
    }

    /// Inline values with this one changed: known by its value and its place.
    fn inline(&self, claim: &Node) -> Verdict {
        let Some(set) = self.set else { return Verdict::Same };
        let ways = set.leaves().into_iter().filter(|(_, n)| *n == claim && n.origin == claim.origin);
        let ways: Vec<Way> = ways.map(|(way, _)| way).collect();
        let verdicts = ways.iter().map(|way| {
            let mut set = set.clone();
            if let Some(node) = set.at_mut(way) {
                node.value = edit::changed_value(claim);
            }
            self.judge(self.bench.with_values(&set), claim)
        });
        verdicts.max().unwrap_or(Verdict::Same)
    }

    /// What became of the value in a run; nothing where the tool refused.
    fn judge(&self, run: Option<Vec<Arc<Object>>>, claim: &Node) -> Verdict {
        self.runs.set(self.runs.get() + 1);
        let Some(objects) = run else { return Verdict::Same };
        let bare = |name: &str| writer::without_hash(name).unwrap_or(name).to_owned();
        let alike = |o: &&Arc<Object>| {
            o.key.kind == self.key.kind
                && o.key.namespace == self.key.namespace
                && bare(&o.key.name) == bare(&self.key.name)
        };
        let same = objects.iter().find(|o| o.key == *self.key).or_else(|| objects.iter().find(alike));
        if let Some(object) = same {
            return match object.node.at(self.path) {
                Some(now) if now.is_leaf() && now != self.leaf => {
                    if bears_mark(now) || counts_on(self.leaf, now, claim) { Verdict::Marked } else { Verdict::Other }
                }
                _ => Verdict::Same,
            };
        }
        // What names the object is what changed.
        let named = objects.iter().filter_map(|o| o.node.at(self.path)).any(bears_mark);
        if named { Verdict::Marked } else { Verdict::Same }
    }
}

/// True when the mark can be seen in a value, as it is or behind base64.
fn bears_mark(node: &Node) -> bool {
    let marked = Node::text(edit::MARK, Origin::Unknown);
    let lower = node.as_str().map(|t| Node::text(&t.to_lowercase(), Origin::Unknown));
    lower.is_some_and(|n| writer::fit(&n, &marked, false) != Fit::None)
        || node.as_str().is_some_and(|t| writer::decoded(t).is_some_and(|d| d.contains(edit::MARK)))
}

/// True when a number or a truth value changed just as the candidate was changed.
fn counts_on(before: &Node, now: &Node, claim: &Node) -> bool {
    let text = |node: &Node| writer::scalar_text(node).unwrap_or_default();
    let (old, new) = (text(claim), edit::changed_text(claim));
    !old.is_empty() && text(before).replace(&old, &new) == text(now)
}
