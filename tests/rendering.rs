//! Rendering with the real tools: every Kustomize and Helm entry of the corpus, and the places that are told for values: the
//! named line is changed, and the value must change.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use libtest_mimic::Trial;
use quarterdeck::{
    desired::{
        origin::{Origin, Source, SourceKind},
        source::yaml,
        tree::Node,
    },
    messages::Lang,
    render::{self, Rendered, SourceSpec, Tools},
};

use crate::{always, control_plane, corpus, with_control_planes};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials =
        vec![with_control_planes("rendering::a_kept_result_runs_no_tool_and_a_changed_file_is_seen", kept_results)];
    if corpus::folder().is_some() {
        trials.push(with_control_planes("rendering::every_entry_of_the_corpus_equals_its_tool", whole_corpus));
        trials.push(with_control_planes("rendering::what_cannot_be_rendered_says_why", not_renderable));
    } else {
        trials.push(always("rendering::the_corpus_is_not_here", || println!("no corpus beside the project")));
    }
    trials
}

/// One entry of the corpus.
#[derive(Clone, Debug)]
struct Entry {
    path: String,
    renderer: String,
    values: Vec<String>,
    objects: usize,
    kinds: BTreeMap<String, usize>,
}

fn entries(list: &str) -> Vec<Entry> {
    let folder = corpus::folder().expect("corpus");
    let source = Source::new(SourceKind::Manifest, "index.yaml");
    let index = yaml::read(&fs::read_to_string(folder.join("index.yaml")).expect("index"), &source).expect("index");
    let size = |n: &Node| usize::try_from(n.as_int().unwrap_or(0)).expect("a count");
    let entry = |e: &Node| Entry {
        path: e.str_of("path").into(),
        renderer: e.str_of("renderer").into(),
        values: e.items_of("values").iter().filter_map(Node::as_str).map(str::to_owned).collect(),
        objects: e.get("objects").map_or(0, size),
        kinds: e
            .get("kinds")
            .and_then(Node::as_map)
            .map_or_else(BTreeMap::new, |m| m.iter().map(|(kind, n)| (kind.to_string(), size(n))).collect()),
    };
    let entries = index[0].items_of(list).iter().map(entry);
    entries.filter(|e| e.renderer == "kustomize" || e.renderer == "helm").collect()
}

fn bin() -> PathBuf {
    control_plane::binaries().expect("binaries").to_path_buf()
}

fn tools(root: &Path, cache: Option<PathBuf>) -> Tools {
    let path = format!("{}:/usr/bin:/bin", bin().display());
    Tools { root: root.to_path_buf(), cache, path, limit: Duration::from_secs(60) }
}

impl Entry {
    fn spec(&self, root: &Path) -> SourceSpec {
        let path = root.join(&self.path);
        match self.renderer.as_str() {
            "kustomize" => SourceSpec::Kustomize { path },
            _ => SourceSpec::Helm {
                values: self.values.iter().map(|v| path.join(v)).collect(),
                chart: path,
                release: "release".into(),
                namespace: String::new(),
                set: Node::default(),
            },
        }
    }
}

fn in_english(fault: &quarterdeck::fault::Fault) -> String {
    format!("{}:{} {}", fault.file.display(), fault.line, fault.text(Lang::En))
}

fn kinds(rendered: &Rendered) -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    for object in &rendered.objects {
        *kinds.entry(object.key.kind.to_string()).or_default() += 1;
    }
    kinds
}

/// Does the work of each item on both cores; the complaints come back in order.
fn on_all<T: Sync>(items: &[T], work: impl Fn(usize, &T) -> Option<String> + Sync) -> Vec<String> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some((at, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, items.get(n)?)))
                {
                    if let Some(complaint) = work(at, item) {
                        found.lock().unwrap_or_else(PoisonError::into_inner).push((at, complaint));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort();
    found.into_iter().map(|(_, complaint)| complaint).collect()
}

fn whole_corpus() {
    let root = corpus::folder().expect("corpus").canonicalize().expect("corpus");
    let entries = entries("entries");
    let tools = tools(&root, None);
    let (objects, known, leaves) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = on_all(&entries, |_, entry| {
        let rendered = match render::render(&entry.spec(&root), &tools) {
            Ok(rendered) => rendered,
            Err(fault) => return Some(format!("{}: {}", entry.path, in_english(&fault))),
        };
        objects.fetch_add(rendered.objects.len(), Ordering::Relaxed);
        for object in &rendered.objects {
            for (_, leaf) in object.node.leaves() {
                leaves.fetch_add(1, Ordering::Relaxed);
                if matches!(&leaf.origin, Origin::At(source, line) if *line > 0 || source.kind == SourceKind::Tool) {
                    known.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        if !rendered.faults.is_empty() {
            return Some(format!("{}: {}", entry.path, in_english(&rendered.faults[0])));
        }
        if rendered.objects.len() != entry.objects || kinds(&rendered) != entry.kinds {
            return Some(format!("{}: {:?} instead of {:?}", entry.path, kinds(&rendered), entry.kinds));
        }
        if entry.renderer == "kustomize" {
            let output = Command::new(bin().join("kubectl"))
                .arg("kustomize")
                .arg(root.join(&entry.path))
                .output()
                .expect("kubectl");
            let text = String::from_utf8(output.stdout).expect("text");
            let theirs = yaml::read(&text, &Source::new(SourceKind::Tool, "kubectl")).expect("yaml");
            let equal = theirs.len() == rendered.objects.len()
                && theirs
                    .iter()
                    .zip(&rendered.objects)
                    .all(|(t, o)| t.to_json().to_string() == o.node.to_json().to_string());
            return (!equal).then(|| format!("{}: other objects than kubectl kustomize", entry.path));
        }
        None
    });
    println!(
        "{} entries, {} objects, {} of {} leaves with a line",
        entries.len(),
        objects.into_inner(),
        known.into_inner(),
        leaves.into_inner()
    );
    assert!(entries.len() > 340, "only {} entries were run", entries.len());
    assert!(wrong.is_empty(), "{} entries are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn not_renderable() {
    let root = corpus::folder().expect("corpus").canonicalize().expect("corpus");
    let entries = entries("not_renderable");
    let tools = tools(&root, None);
    let wrong = on_all(&entries, |_, entry| match render::render(&entry.spec(&root), &tools) {
        Ok(_) => Some(format!("{} rendered", entry.path)),
        Err(fault) => {
            let told = in_english(&fault);
            println!("{told}");
            let named = told.starts_with(&entry.path);
            let says = fault.text(Lang::En).len() > 20
                && !["{tool}", "{detail}", "{what}"].iter().any(|place| told.contains(place));
            (!(named && says)).then(|| format!("{}: {told}", entry.path))
        }
    });
    assert!(entries.len() >= 24, "only {} entries were run", entries.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
    fs::write(path, text).expect("file");
}

/// A tool that counts its runs and then is the real one.
fn counting(folder: &Path, name: &str) -> PathBuf {
    let script =
        format!("#!/bin/sh\necho run >> {0}/runs\nexec {1}/{name} \"$@\"\n", folder.display(), bin().display());
    let path = folder.join(name);
    fs::write(&path, script).expect("script");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&path, mode).expect("mode");
    path
}

fn kept_results() {
    let folder = tempfile::tempdir().expect("folder");
    let root = folder.path();
    let programs = tempfile::tempdir().expect("folder");
    for name in ["kubectl", "helm"] {
        counting(programs.path(), name);
    }
    let path = format!("{}:/usr/bin:/bin", programs.path().display());
    let tools = Tools { root: root.into(), cache: Some(root.join("kept")), path, limit: Duration::from_secs(60) };
    let runs = || fs::read_to_string(programs.path().join("runs")).unwrap_or_default().lines().count();
    write(root, "base/kustomization.yaml", "resources: [a.yaml]\nconfigMapGenerator:\n- name: c\n  files: [c.txt]\n");
    write(root, "base/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: one}\n");
    write(root, "base/c.txt", "text\n");
    write(root, "over/kustomization.yaml", "resources: [../base]\npatches:\n- path: p.yaml\n");
    write(root, "over/p.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {y: two}\n");
    write(root, "chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n");
    write(root, "chart/values.yaml", "x: one\n");
    write(
        root,
        "chart/templates/a.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: {{ .Values.x }}\n",
    );
    write(root, "eu.yaml", "x: two\n");
    let helm = |set: &str| SourceSpec::Helm {
        chart: "chart".into(),
        release: "r".into(),
        namespace: "n".into(),
        values: vec!["eu.yaml".into()],
        set: if set.is_empty() {
            Node::default()
        } else {
            Node::from_json(&serde_json::json!({ "x": set }), &Origin::Unknown)
        },
    };
    let kustomize = SourceSpec::Kustomize { path: "over".into() };
    let text = |spec: &SourceSpec| {
        let rendered = render::render(spec, &tools).expect("rendered");
        rendered.objects.iter().map(|o| o.node.to_json().to_string()).collect::<String>()
    };
    for (spec, changes) in [
        (
            &kustomize,
            vec![("base/a.yaml", "one", "three"), ("base/c.txt", "text", "other"), ("over/p.yaml", "two", "four")],
        ),
        (&helm(""), vec![("eu.yaml", "two", "five"), ("chart/templates/a.yaml", "name: a", "name: b")]),
    ] {
        let first = text(spec);
        let before = runs();
        assert_eq!(text(spec), first);
        assert_eq!(runs(), before, "a kept result ran a tool");
        for (file, from, to) in changes {
            let old = fs::read_to_string(root.join(file)).expect("file");
            write(root, file, &old.replace(from, to));
            assert_ne!(text(spec), first, "a change of {file} is not seen");
            assert!(runs() > before);
            write(root, file, &old);
            let before = runs();
            assert_eq!(text(spec), first, "{file} as it was");
            assert_eq!(runs(), before, "{file} as it was is kept");
        }
    }
    assert!(text(&helm("inline")).contains("inline"));
}
