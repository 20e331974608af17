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
        object::Object,
        origin::{At, Origin, Source, SourceKind},
        path::Path as Way,
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
    trials.push(with_control_planes("rendering::each_way_to_set_a_value_is_named_by_its_line", each_way));
    if corpus::folder().is_some() {
        trials.push(with_control_planes("rendering::every_entry_of_the_corpus_equals_its_tool", whole_corpus));
        trials.push(with_control_planes("rendering::what_cannot_be_rendered_says_why", not_renderable));
        trials.push(with_control_planes("rendering::the_line_named_for_a_value_gives_that_value", random_leaves));
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
    let programs = tempfile::tempdir().expect("folder");
    recording(programs.path());
    let mut tools = tools(&root, None);
    tools.path = format!("{}:{}", programs.path().display(), tools.path);
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
            let record = programs.path().join(root.join(&entry.path).to_string_lossy().replace('/', "_"));
            let text = fs::read_to_string(record).expect("what kubectl printed");
            let theirs = yaml::read(&text, &Source::new(SourceKind::Tool, "kubectl")).expect("yaml");
            let equal = theirs.len() == rendered.objects.len()
                && theirs.iter().zip(&rendered.objects).all(|(t, o)| t.to_json() == o.node.to_json());
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

/// A kubectl that keeps what it prints for a folder, so that the comparison costs no further run.
fn recording(folder: &Path) {
    let script = format!(
        "#!/bin/sh\nto=\"{0}/$(printf %s \"$2\" | tr / _)\"\n{1}/kubectl \"$@\" > \"$to\" || exit 1\ncat \"$to\"\n",
        folder.display(),
        bin().display()
    );
    program(&folder.join("kubectl"), &script);
}

/// A tool that counts its runs and then is the real one.
fn counting(folder: &Path, name: &str) {
    let script =
        format!("#!/bin/sh\necho run >> {0}/runs\nexec {1}/{name} \"$@\"\n", folder.display(), bin().display());
    program(&folder.join(name), &script);
}

fn program(path: &Path, script: &str) {
    fs::write(path, script).expect("script");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path, mode).expect("mode");
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

/// Numbers that follow from a seed: the same leaves in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % most
    }
}

/// What was found out about one leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// The named line was changed, and the value changed.
    Changed,
    /// The tool made it: a name with a hash.
    Tool,
    /// Whatever is done to the named line, the tool refuses the whole.
    Refused,
    /// The named line does not give the value.
    Wrong,
}

/// The chart that `helm create` makes, with everything in it switched on: what most charts look like.
fn usual_chart(folder: &Path) -> Entry {
    let status = Command::new(bin().join("helm")).args(["create", "demo"]).current_dir(folder).output().expect("helm");
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    write(
        folder,
        "demo/all.yaml",
        "ingress: {enabled: true, className: nginx, annotations: {a.b/c: d}}\nautoscaling:\n  enabled: true\n  minReplicas: 2\nresources:\n  limits: {cpu: 100m}\npodAnnotations: {team: shop}\nnodeSelector:\n  disk: ssd\ntolerations:\n- key: dedicated\n  operator: Exists\nimage:\n  tag: v2\n",
    );
    Entry {
        path: "demo".into(),
        renderer: "helm".into(),
        values: vec!["all.yaml".into()],
        objects: 0,
        kinds: BTreeMap::new(),
    }
}

fn random_leaves() {
    let root = corpus::folder().expect("corpus").canonicalize().expect("corpus");
    let kept = tempfile::tempdir().expect("folder");
    let entries: Vec<Entry> = entries("entries").into_iter().filter(|e| e.objects > 0).collect();
    let (helm, kustomize): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|e| e.renderer == "helm");
    // Big charts are few: they get more leaves.
    let usual = tempfile::tempdir().expect("folder");
    let mut chosen = vec![(usual.path().to_path_buf(), usual_chart(usual.path()), 30)];
    chosen.extend(helm.into_iter().map(|e| (root.clone(), e.clone(), e.objects.min(24))));
    chosen.extend(kustomize.into_iter().step_by(6).map(|e| (root.clone(), e, 2)));
    let (counts, proved) = (Mutex::new(BTreeMap::new()), AtomicUsize::new(0));
    let wrong = on_all(&chosen, |at, (root, entry, leaves)| {
        let tools = tools(root, Some(kept.path().to_path_buf()));
        let mut dice = Dice(1_000 + u64::try_from(at).expect("small"));
        let rendered = render::render(&entry.spec(root), &tools).expect("renders");
        let mut complaints = String::new();
        for _ in 0..*leaves {
            let object = &rendered.objects[dice.below(rendered.objects.len())];
            let scalars: Vec<_> = object
                .node
                .leaves()
                .into_iter()
                .filter(|(_, n)| n.as_map().is_none() && n.as_list().is_none())
                .collect();
            let (path, leaf) = &scalars[dice.below(scalars.len())];
            let trace = render::trace(&entry.spec(root), &tools, &object.key, path).expect("a trace");
            let found = check(entry, root, &rendered, object, path, leaf, &trace.at);
            *counts
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry((entry.renderer.clone(), found))
                .or_insert(0) += 1;
            if trace.evidence == render::Evidence::Proved {
                proved.fetch_add(1, Ordering::Relaxed);
            }
            if found >= Found::Refused {
                complaints.push_str(&format!(
                    "{:?} {} {} {path} = {:?}: {} ({:?})\n",
                    found,
                    entry.path,
                    object.key,
                    leaf.to_json(),
                    trace.at,
                    trace.evidence
                ));
            }
        }
        (!complaints.is_empty()).then_some(complaints)
    });
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{counts:?}, {} proved while tracing\n{}", proved.into_inner(), wrong.concat());
    let of = |found: Found| counts.iter().filter(|((_, f), _)| *f == found).map(|(_, n)| n).sum::<usize>();
    assert!(of(Found::Changed) > 100, "{counts:?}");
    assert_eq!(of(Found::Wrong), 0, "{}", wrong.concat());
    assert!(of(Found::Tool) * 20 < of(Found::Changed) && of(Found::Refused) * 20 < of(Found::Changed), "{counts:?}");
}

/// Changes the named line in a copy of all that the source was made from, renders it, and looks at the value.
fn check(entry: &Entry, root: &Path, rendered: &Rendered, object: &Object, path: &Way, leaf: &Node, at: &At) -> Found {
    if at.source.kind == SourceKind::Tool {
        let text = leaf.as_str().unwrap_or_default();
        let hash = text.rsplit('-').next().unwrap_or_default();
        return if hash.len() == 10 { Found::Tool } else { Found::Wrong };
    }
    let copy = tempfile::tempdir().expect("folder");
    for input in &rendered.inputs {
        let to = copy.path().join(input);
        fs::create_dir_all(to.parent().expect("a folder")).expect("folder");
        fs::copy(root.join(input), to).expect("copy");
    }
    let file = copy.path().join(&at.source.file);
    let Ok(text) = fs::read_to_string(&file) else { return Found::Wrong };
    let tools = tools(copy.path(), None);
    let mut found = Found::Refused;
    for edited in edits(&text, usize::try_from(at.line).expect("a line"), leaf) {
        fs::write(&file, edited).expect("written");
        let Ok(now) = render::render(&entry.spec(copy.path()), &tools) else { continue };
        found = Found::Wrong;
        let bare = |name: &str| {
            name.rsplit_once('-').map_or(name.to_owned(), |(front, hash)| {
                if hash.len() == 10 { front.to_owned() } else { name.to_owned() }
            })
        };
        let same = now.objects.iter().find(|o| o.key == object.key).or_else(|| {
            now.objects.iter().find(|o| {
                o.key.kind == object.key.kind
                    && bare(&o.key.name) == bare(&object.key.name)
                    && o.key.namespace == object.key.namespace
            })
        });
        let changed = match same {
            Some(same) => same.node.at(path).is_some_and(|n| n != leaf),
            // The object has another name now: it is among those that were not there before.
            None => now
                .objects
                .iter()
                .filter(|o| rendered.objects.iter().all(|before| before.key != o.key))
                .any(|o| o.node.at(path).is_some_and(|n| n != leaf)),
        };
        if changed {
            return Found::Changed;
        }
    }
    found
}

/// Ways to change the value on a line, as a person would.
fn edits(text: &str, line: usize, leaf: &Node) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if line == 0 {
        return vec![format!("{}zz9\n", text.trim_end_matches('\n'))];
    }
    let with = |at: usize, new: String| {
        let mut lines: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
        lines[at] = new;
        lines.concat()
    };
    let old = lines[line - 1].trim_end();
    if old.ends_with(['|', '>']) || old.ends_with("|-") || old.ends_with(">-") || old.ends_with("|+") {
        let at = (line..lines.len()).find(|at| !lines[*at].trim().is_empty()).unwrap_or(line);
        return vec![with(at, format!("{}zz9\n", lines[at].trim_end()))];
    }
    let value = leaf.as_str().map_or_else(|| leaf.to_json().to_string(), str::to_owned);
    let other = |text: &str| match (text, text.parse::<i64>()) {
        ("true", _) => "false".to_owned(),
        ("false", _) => "true".to_owned(),
        (_, Ok(n)) => (n + 1).to_string(),
        _ => format!("{text}zz9"),
    };
    let mut found = Vec::new();
    if !value.is_empty() {
        for (at, _) in old.match_indices(value.as_str()) {
            found.push(with(line - 1, format!("{}{}{}\n", &old[..at], other(&value), &old[at + value.len()..])));
        }
    }
    // Each word behind a colon, a dash, an equals sign or a quote.
    for (at, _) in old.match_indices([':', '-', '=', '"', '\'', ' ']).collect::<Vec<_>>().into_iter().rev() {
        let word: String = old[at + 1..].chars().take_while(|c| !"\"',}] #".contains(*c)).collect();
        if !word.is_empty() && !word.starts_with("{{") {
            let rest = &old[at + 1 + word.len()..];
            found.push(with(line - 1, format!("{}{}{rest}\n", &old[..=at], other(&word))));
        }
    }
    for (at, _) in old.match_indices("}}") {
        found.push(with(line - 1, format!("{}zz9{}\n", &old[..at + 2], &old[at + 2..])));
    }
    for (at, quotes) in old.match_indices("\"\"").chain(old.match_indices("''")) {
        found.push(with(line - 1, format!("{}zz9{}\n", &old[..=at], &old[at + quotes.len() - 1..])));
    }
    found.truncate(12);
    found
}

/// Files of an overlay that uses every way Kustomize has to set a value.
const OVERLAY: &[(&str, &str)] = &[
    (
        "base/kustomization.yaml",
        "resources: [deploy.yaml, svc.yaml]\nconfigMapGenerator:\n- name: conf\n  literals:\n  - LEVEL=info\n  - MODE=std\n  envs: [conf.env]\nsecretGenerator:\n- name: key\n  literals: [PASS=word]\n  options: {disableNameSuffixHash: true}\n",
    ),
    ("base/conf.env", "# first\nEXTRA=more\n"),
    (
        "base/deploy.yaml",
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: c
        image: example.org/web:1.0
        args: ["--a=1", "--b=2"]
        envFrom:
        - configMapRef: {name: conf}
        env:
        - name: HOST
          value: placeholder
        - name: KEEP
          value: kept
"#,
    ),
    (
        "base/svc.yaml",
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  clusterIP: 10.0.0.9\n  selector: {app: web}\n",
    ),
    (
        "components/tls/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Deployment}\n  patch: |-\n    - op: add\n      path: /metadata/annotations\n      value: {tls: \"on\"}\n",
    ),
    (
        "eu/kustomization.yaml",
        r#"resources: [../base]
components: [../components/tls]
namePrefix: eu-
namespace: shop
images:
- name: example.org/web
  newTag: "2.1"
replicas:
- name: web
  count: 4
labels:
- pairs: {region: eu}
patches:
- path: p.yaml
- target: {kind: Deployment, name: web}
  patch: |-
    - op: replace
      path: /spec/template/spec/containers/0/args/1
      value: --b=3
configMapGenerator:
- name: conf
  behavior: merge
  literals: [LEVEL=debug]
replacements:
- source: {kind: Service, name: web, fieldPath: spec.clusterIP}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["spec.template.spec.containers.[name=c].env.[name=HOST].value"]
"#,
    ),
    (
        "eu/p.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  paused: false\n  template:\n    spec:\n      containers:\n      - name: c\n        imagePullPolicy: Always\n",
    ),
];

/// Kind, path, the place; in the overlay.
const IN_THE_OVERLAY: &[(&str, &str, &str)] = &[
    ("Deployment", "metadata.name", "eu/kustomization.yaml:3"),
    ("Deployment", "metadata.namespace", "eu/kustomization.yaml:4"),
    ("Deployment", "metadata.labels.region", "eu/kustomization.yaml:12"),
    ("Deployment", "metadata.annotations.tls", "components/tls/kustomization.yaml:8"),
    ("Deployment", "spec.replicas", "eu/kustomization.yaml:10"),
    ("Deployment", "spec.paused", "eu/p.yaml:5"),
    ("Deployment", "spec.template.spec.containers[0].imagePullPolicy", "eu/p.yaml:10"),
    ("Deployment", "spec.template.spec.containers[0].image", "eu/kustomization.yaml:7"),
    ("Deployment", "spec.template.spec.containers[0].args[0]", "base/deploy.yaml:16"),
    ("Deployment", "spec.template.spec.containers[0].args[1]", "eu/kustomization.yaml:19"),
    ("Deployment", "spec.template.spec.containers[0].env[0].value", "base/svc.yaml:5"),
    ("Deployment", "spec.template.spec.containers[0].env[1].value", "base/deploy.yaml:23"),
    ("Deployment", "spec.template.spec.containers[0].envFrom[0].configMapRef.name", "kubectl kustomize v5.8.1"),
    ("Deployment", "spec.template.metadata.labels.app", "base/deploy.yaml:11"),
    ("Service", "spec.clusterIP", "base/svc.yaml:5"),
    ("ConfigMap", "data.LEVEL", "eu/kustomization.yaml:23"),
    ("ConfigMap", "data.MODE", "base/kustomization.yaml:6"),
    ("ConfigMap", "data.EXTRA", "base/conf.env:2"),
    ("Secret", "data.PASS", "base/kustomization.yaml:10"),
];

/// Files of a chart that uses the usual ways to print a value.
const CHART: &[(&str, &str)] = &[
    ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\nappVersion: \"9.9\"\n"),
    (
        "shop/values.yaml",
        "replicas: 1\nimage:\n  repo: example.org/shop\n  tag: v1\nenv:\n  LEVEL: info\n  MODE: std\nresources:\n  limits:\n    cpu: 100m\n",
    ),
    (
        "shop/templates/_helpers.tpl",
        "{{- define \"shop.labels\" -}}\napp: {{ .Chart.Name }}\nversion: {{ .Chart.AppVersion | quote }}\ntier: front\n{{- end }}\n",
    ),
    (
        "shop/templates/web.yaml",
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-web
  labels:
    {{- include "shop.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  paused: false
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: "{{ .Values.image.repo }}:{{ .Values.image.tag }}"
        env:
        {{- range $key, $value := .Values.env }}
        - name: {{ $key }}
          value: {{ $value | upper | quote }}
        {{- end }}
        resources:
          {{- toYaml .Values.resources | nindent 10 }}
"#,
    ),
    ("shop/charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
    ("shop/charts/db/values.yaml", "size: 1Gi\nmode: one\n"),
    (
        "shop/charts/db/templates/c.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: db\ndata:\n  size: {{ .Values.size }}\n  mode: {{ .Values.mode }}\n",
    ),
    ("eu.yaml", "replicas: 2\nimage:\n  tag: v2\nenv:\n  LEVEL: debug\ndb:\n  mode: two\n"),
];

/// Kind, path, the place; in the chart.
const IN_THE_CHART: &[(&str, &str, &str)] = &[
    ("Deployment", "metadata.name", "shop/templates/web.yaml:4"),
    ("Deployment", "metadata.labels.app", "shop/Chart.yaml:2"),
    ("Deployment", "metadata.labels.version", "shop/Chart.yaml:4"),
    ("Deployment", "metadata.labels.tier", "shop/templates/_helpers.tpl:4"),
    ("Deployment", "spec.replicas", "eu.yaml:1"),
    ("Deployment", "spec.paused", "shop/templates/web.yaml:9"),
    ("Deployment", "spec.template.spec.containers[0].image", "fleet.yaml:33"),
    ("Deployment", "spec.template.spec.containers[0].env[0].value", "eu.yaml:5"),
    ("Deployment", "spec.template.spec.containers[0].env[1].value", "shop/values.yaml:7"),
    ("Deployment", "spec.template.spec.containers[0].resources.limits.cpu", "shop/values.yaml:10"),
    ("ConfigMap", "data.size", "shop/charts/db/values.yaml:1"),
    ("ConfigMap", "data.mode", "eu.yaml:7"),
];

fn each_way() {
    let folder = tempfile::tempdir().expect("folder");
    OVERLAY.iter().chain(CHART).for_each(|(name, text)| write(folder.path(), name, text));
    let inline = Origin::At(Source::new(SourceKind::Values, "fleet.yaml"), 33);
    let chart = SourceSpec::Helm {
        chart: "shop".into(),
        release: "r".into(),
        namespace: "shop".into(),
        values: vec!["eu.yaml".into()],
        set: Node::from_json(&serde_json::json!({"image": {"repo": "mirror/shop"}}), &inline),
    };
    let tools = tools(folder.path(), Some(folder.path().join("kept")));
    let mut wrong = Vec::new();
    for (spec, table) in [(SourceSpec::Kustomize { path: "eu".into() }, IN_THE_OVERLAY), (chart, IN_THE_CHART)] {
        let rendered = render::render(&spec, &tools).unwrap_or_else(|f| panic!("{}", in_english(&f)));
        for (kind, path, place) in table {
            let object = rendered.objects.iter().find(|o| &*o.key.kind == *kind).expect("object");
            let path = Way::parse(path).expect("a path");
            let trace =
                render::trace(&spec, &tools, &object.key, &path).unwrap_or_else(|f| panic!("{}", in_english(&f)));
            let leaf = object.node.at(&path).expect("a leaf");
            let read = leaf.origin.at().map_or_else(String::new, |at| at.to_string());
            if trace.at.to_string() != *place
                || trace.evidence != render::Evidence::Proved && trace.at.source.kind != SourceKind::Tool
            {
                wrong.push(format!("{kind} {path}: traced to {} ({:?}), not {place}", trace.at, trace.evidence));
            }
            // `upper` hides where a value is from until it is proved.
            if read != *place && !path.to_string().contains("env[") {
                wrong.push(format!("{kind} {path}: read at {read}, not {place}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let untouched = OVERLAY
        .iter()
        .chain(CHART)
        .all(|(name, text)| fs::read_to_string(folder.path().join(name)).expect("file") == *text);
    assert!(untouched, "the user's files are as they were");
}
