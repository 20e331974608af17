//! Real public manifests, read where they lie beside the project (`../shared/corpus`), never copied into it; where they are
//! absent, a few of our own stand in, and the test says so.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use libtest_mimic::{Completion, Trial};
use quarterdeck::{
    desired::{
        origin::{Source, SourceKind},
        source::{
            documents::{self, Cause, Defect},
            yaml::{self, Why},
        },
    },
    messages::Lang,
    render::{Tools, files, plain},
};
use serde_json::{Value, json};

use crate::{control_plane, with_control_planes};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        with_corpus("corpus::every_plain_entry_loads_as_the_index_says", entries_load),
        with_corpus("corpus::what_does_not_render_says_why", negatives_are_told),
        with_control_planes("corpus::manifests_read_as_kubectl_reads_them", kubectl_agrees),
    ]
}

/// A test that needs the corpus: skipped by name where it is not there.
fn with_corpus(name: &str, test: impl FnOnce(&Path) + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || {
        Ok(match folder() {
            Some(folder) => {
                test(&folder);
                Completion::Completed
            }
            None => Completion::ignored_with("the corpus (../shared/corpus) is not there"),
        })
    })
}

/// Kinds of the console that a plain server takes.
const KINDS: &[&str] = &[
    "Namespace",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "Job",
    "CronJob",
    "ConfigMap",
    "Secret",
    "Service",
    "HorizontalPodAutoscaler",
    "PodDisruptionBudget",
];

/// Kinds that run pods.
pub const WORKLOADS: &[&str] = &["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"];

/// The folder, if it is there.
pub fn folder() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    path.join("index.yaml").exists().then_some(path)
}

/// Distinct objects of the watched kinds in every entry that has workloads, and how many entries were read. `kubectl` renders
/// the overlays.
pub fn objects(kubectl: &Path) -> (Vec<Value>, usize) {
    let Some(folder) = folder() else { return (own(), 0) };
    let index: Value = yaml(&fs::read_to_string(folder.join("index.yaml")).expect("index")).remove(0);
    let mut found: BTreeMap<(String, String, String), Value> = BTreeMap::new();
    let mut entries = 0;
    for entry in index["entries"].as_array().expect("entries") {
        let kinds = entry["kinds"].as_object();
        if !kinds.is_some_and(|k| WORKLOADS.iter().any(|w| k.contains_key(*w))) {
            continue;
        }
        let path = folder.join(entry["path"].as_str().expect("path"));
        let documents = match entry["renderer"].as_str() {
            Some("kustomize") => rendered(kubectl, &path),
            Some("plain") => plain(&path),
            _ => continue,
        };
        entries += 1;
        for object in documents {
            if let Some((key, object)) = usable(object) {
                found.insert(key, object);
            }
        }
    }
    (found.into_values().collect(), entries)
}

/// Every document that parses; odd files of the corpus are other tests' business.
fn yaml(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple_with_options::<Value>(
        text,
        serde_saphyr::options! { strict_booleans: false, legacy_octal_numbers: true },
    )
    .unwrap_or_default()
}

fn rendered(kubectl: &Path, path: &Path) -> Vec<Value> {
    let output = Command::new(kubectl).arg("kustomize").arg(path).output().expect("kubectl");
    yaml(&String::from_utf8_lossy(&output.stdout))
}

fn plain(path: &Path) -> Vec<Value> {
    let files: Vec<PathBuf> = if path.is_dir() {
        let mut files: Vec<PathBuf> = fs::read_dir(path).into_iter().flatten().flatten().map(|f| f.path()).collect();
        files.sort();
        files
    } else {
        vec![path.to_owned()]
    };
    files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "yaml" || e == "yml"))
        .filter_map(|f| fs::read_to_string(f).ok())
        .flat_map(|text| yaml(&text))
        .flat_map(|d| match d["items"].as_array() {
            Some(items) if d["kind"].as_str().is_some_and(|k| k.ends_with("List")) => items.clone(),
            _ => vec![d],
        })
        .collect()
}

/// An object of a watched kind with a name, made fit for any server: a namespace of its own, no exported fields.
fn usable(mut object: Value) -> Option<((String, String, String), Value)> {
    let kind = object["kind"].as_str()?.to_owned();
    let name = object["metadata"]["name"].as_str()?.to_owned();
    if !KINDS.contains(&kind.as_str())
        || object["apiVersion"].as_str().is_some_and(|v| v.contains("extensions") || v.contains("beta"))
    {
        return None;
    }
    let meta = object["metadata"].as_object_mut()?;
    for key in
        ["uid", "resourceVersion", "managedFields", "generation", "creationTimestamp", "selfLink", "ownerReferences"]
    {
        meta.remove(key);
    }
    let namespace = if kind == "Namespace" {
        String::new()
    } else {
        let namespace =
            meta.get("namespace").and_then(Value::as_str).filter(|n| !n.is_empty()).unwrap_or("corpus").to_owned();
        meta.insert("namespace".into(), json!(namespace));
        namespace
    };
    object.as_object_mut()?.remove("status");
    Some(((kind, namespace, name), object))
}

/// Stand-ins where the corpus is not there.
fn own() -> Vec<Value> {
    let workload = |kind: &str, name: &str, image: &str| {
        json!({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "shop"}, "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": name, "image": image}]}}}})
    };
    vec![
        workload("Deployment", "web", "shop/web:1.2.0"),
        workload("Deployment", "api", "shop/api:2.0.1"),
        workload("StatefulSet", "db", "shop/db:15.4"),
        workload("DaemonSet", "agent", "shop/agent:0.9"),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}, "data": {"a": "1"}}),
    ]
}

/// The index's entries under a heading (`entries`, `not_renderable`) with one of these renderers.
fn index(folder: &Path, heading: &str, renderers: &[&str]) -> Vec<Value> {
    let index: Value = yaml(&fs::read_to_string(folder.join("index.yaml")).expect("index")).remove(0);
    let entries = index[heading].as_array().expect("a list").clone();
    entries.into_iter().filter(|e| e["renderer"].as_str().is_some_and(|r| renderers.contains(&r))).collect()
}

fn tools(root: &Path) -> Tools {
    Tools { root: root.to_path_buf(), cache: None, path: String::new(), limit: std::time::Duration::from_secs(60) }
}

/// Manifests in a folder, not below it; the index counts so.
fn manifests_in(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let wanted = |p: &PathBuf| p.is_file() && p.extension().is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
    let mut files: Vec<PathBuf> =
        fs::read_dir(path).expect("a folder").flatten().map(|f| f.path()).filter(wanted).collect();
    files.sort();
    files
}

/// What the entries came to.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    entries: usize,
    documents: usize,
    objects: usize,
    list_items: usize,
    no_json_form: usize,
    duplicate_keys: usize,
    wide: usize,
    unparsable: usize,
}

fn entries_load(folder: &Path) {
    let entries = index(folder, "entries", &["plain", "policy"]);
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for entry in &entries {
        let path = folder.join(entry["path"].as_str().expect("a path"));
        if let Err(difference) = entry_loads(folder, &path, entry, &mut tally) {
            wrong.push(format!("{}: {difference}", entry["name"]));
        }
    }
    println!("corpus: {tally:?}");
    assert!(wrong.is_empty(), "{} of {} entries differ\n{}", wrong.len(), entries.len(), wrong.join("\n"));
    let stated = entries.iter().map(|e| count(&e["objects"])).sum::<usize>();
    assert_eq!((tally.entries, tally.documents), (entries.len(), stated), "every entry was read");
    assert!(tally.entries > 0 && tally.no_json_form > 0 && tally.duplicate_keys > 0 && tally.wide > 0);
}

fn count(value: &Value) -> usize {
    value.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
}

/// Reads one entry and compares it with its line of the index, where a List counts as one document and a document
/// without a JSON form, or with a key twice, as any other.
fn entry_loads(folder: &Path, path: &Path, entry: &Value, tally: &mut Tally) -> Result<(), String> {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let (mut unparsable, mut list_items) = (Vec::new(), 0);
    for file in manifests_in(path) {
        let rendered = plain::plain(&file, &tools(folder)).map_err(|f| f.text(Lang::En))?;
        let source = Source::new(SourceKind::Manifest, files::name(&file, folder));
        let text = match files::text(&file, &tools(folder)) {
            Ok(text) => text,
            Err(fault) if fault.msg.key == "source.FILE_WIDE" => {
                tally.wide += 1;
                from_utf_16(&fs::read(&file).expect("readable"))
            }
            Err(fault) => return Err(fault.text(Lang::En)),
        };
        let (Ok(read), Ok(contents)) = (yaml::documents(&text, &source), documents::objects(&text, &source)) else {
            if rendered.faults.is_empty() || !rendered.objects.is_empty() {
                return Err(format!("{} is not told as broken", file.display()));
            }
            unparsable.push(json!(file.file_name().expect("a name").to_string_lossy()));
            continue;
        };
        for key in read.iter().filter_map(yaml::Document::key) {
            *kinds.entry(key.kind.to_string()).or_default() += 1;
        }
        let items: usize = contents.lists.iter().map(|l| l.items).sum();
        let lost = read.iter().filter(|d| d.broken.is_some() && d.key().is_some()).count();
        let expected = read.iter().filter(|d| d.key().is_some()).count() + items - contents.lists.len() - lost;
        if contents.objects.len() != expected || (rendered.objects.len() != expected && tally.wide == 0) {
            return Err(format!("{} objects, not {expected}, in {}", contents.objects.len(), file.display()));
        }
        list_items += items;
        tally.objects += rendered.objects.len();
        tally.count(&contents.defects)?;
    }
    tally.entries += 1;
    tally.unparsable += unparsable.len();
    tally.list_items += list_items;
    tally.documents += kinds.values().sum::<usize>();
    let found = json!({"kinds": kinds, "objects": kinds.values().sum::<usize>(), "unparsable": unparsable, "list_items": list_items});
    let or = |key: &str, empty: Value| if entry[key].is_null() { empty } else { entry[key].clone() };
    let stated = json!({"kinds": or("kinds", json!({})), "objects": entry["objects"],
        "unparsable": or("unparsable", json!([])), "list_items": or("list_items", json!(0))});
    if found == stated { Ok(()) } else { Err(format!("{found}, the index says {stated}")) }
}

impl Tally {
    /// Counts documents that are left out; only those of the known kinds may be.
    fn count(&mut self, defects: &[Defect]) -> Result<(), String> {
        for defect in defects {
            match &defect.cause {
                Cause::Broken(broken) if broken.why.no_json_form() => self.no_json_form += 1,
                Cause::Broken(broken) if broken.why == Why::DuplicateKey => self.duplicate_keys += 1,
                Cause::NoApiVersion | Cause::NoKind | Cause::NoMap => {}
                Cause::Broken(broken) => return Err(broken.to_string()),
            }
        }
        Ok(())
    }
}

fn from_utf_16(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).skip(1).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
    String::from_utf16(&units).expect("UTF-16, little endian, with a mark")
}

fn negatives_are_told(folder: &Path) {
    let entries = index(folder, "not_renderable", &["plain"]);
    let mut told = 0;
    for entry in &entries {
        let path = folder.join(entry["path"].as_str().expect("a path"));
        let rendered = plain::plain(&path, &tools(folder)).expect("the path is there");
        let [fault] = &rendered.faults[..] else { panic!("{}: {:?}", path.display(), rendered.faults) };
        assert!(rendered.objects.is_empty() && fault.line > 0, "{}: {fault:?}", path.display());
        for lang in [Lang::En, Lang::Zh] {
            assert!(!fault.text(lang).contains(['{', '}']), "{}", fault.text(lang));
        }
        told += 1;
    }
    println!("corpus: {told} files that do not render say why");
    assert_eq!(told, entries.len());
    assert!(told > 0 || entries.is_empty());
}

/// Every manifest of the corpus and of `tests/fixtures/yaml`, object by object.
///
/// `kubectl create --dry-run=client` asks the server which kinds there are, even with `--validate=false`; `kubectl label
/// --local` reads files by the same code and asks nobody. It is told to remove a label that no object has.
fn kubectl_agrees() {
    let kubectl = control_plane::binaries().expect("checked before").join("kubectl");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/yaml");
    let mut paths = Vec::new();
    walk(&own, &mut paths);
    let ours = paths.len();
    assert!(ours > 0, "there are fixtures");
    if let Some(folder) = folder() {
        walk(&folder, &mut paths);
    }
    let (mut clean, mut expected, mut broken, mut odd) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for path in &paths {
        let Ok(text) = files::text(path, &tools(&own)) else { continue };
        match documents::objects(&text, &Source::new(SourceKind::Manifest, path.display().to_string())) {
            // What metadata may hold is a matter of the schema, not of reading; kubectl does both at once.
            Ok(contents) if contents.objects.iter().any(|o| odd_metadata(&o.node.to_json())) => odd += 1,
            Ok(contents) if contents.defects.is_empty() && !contents.objects.is_empty() => {
                expected.extend(contents.objects.iter().map(|o| (path.clone(), comparable(o.node.to_json()))));
                clean.push(path.clone());
            }
            Ok(contents) if contents.defects.iter().all(|d| !certain(&d.cause)) => {}
            // Several JSON texts in one file are one too many here.
            Err(_) if path.extension().is_some_and(|e| e == "json") => {}
            _ => broken.push(path.clone()),
        }
    }
    let (found, complaints) = by_kubectl(&kubectl, &clean);
    assert_eq!(complaints, "", "kubectl refuses what is read here");
    for ((path, expected), found) in expected.iter().zip(&found) {
        assert!(same(expected, found), "{}\nread here: {expected}\nby kubectl: {found}", path.display());
    }
    assert_eq!(found.len(), expected.len());
    let (_, complaints) = by_kubectl(&kubectl, &broken);
    for path in &broken {
        assert!(complaints.contains(&*path.to_string_lossy()), "kubectl reads {}", path.display());
    }
    println!(
        "corpus: {} objects of {} files read as kubectl reads them, {} files refused by both, {odd} with odd metadata",
        found.len(),
        clean.len(),
        broken.len()
    );
    let refused = |path: &&PathBuf| path.to_string_lossy().contains("refused");
    let unread: Vec<&PathBuf> = paths[..ours].iter().filter(|p| !clean.contains(p)).collect();
    assert_eq!(unread, paths[..ours].iter().filter(refused).collect::<Vec<_>>());
}

/// True when a label or an annotation is no text.
fn odd_metadata(object: &Value) -> bool {
    let odd = |map: &Value| map.as_object().is_some_and(|m| m.values().any(|v| !v.is_string() && !v.is_null()));
    odd(&object["metadata"]["labels"]) || odd(&object["metadata"]["annotations"])
}

/// What `kubectl` refuses too. It takes the last of two equal keys, and it says nothing of documents without a kind until it
/// knows the server.
fn certain(cause: &Cause) -> bool {
    match cause {
        Cause::Broken(broken) => broken.why != Why::DuplicateKey,
        Cause::NoMap => true,
        Cause::NoApiVersion | Cause::NoKind => false,
    }
}

fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
    into.extend(manifests_in(folder));
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").flatten().map(|f| f.path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    for folder in folders {
        walk(&folder, into);
    }
}

/// The objects of files as `kubectl` reads them, and what it complains of.
fn by_kubectl(kubectl: &Path, paths: &[PathBuf]) -> (Vec<Value>, String) {
    let mut command = Command::new(kubectl);
    command.args(["label", "--local", "--show-managed-fields", "-o", "json"]).env("KUBECONFIG", "/dev/null");
    for path in paths {
        command.arg("-f").arg(path);
    }
    let output = command.arg("no-such-label-").output().expect("kubectl");
    let objects = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    (objects.map(|o| comparable(o.expect("JSON"))).collect(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// `kubectl label` leaves an empty map of labels where there was none.
fn comparable(mut object: Value) -> Value {
    let empty = |value: &Value| value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
    if let Some(meta) = object.get_mut("metadata").and_then(Value::as_object_mut)
        && meta.get("labels").is_some_and(empty)
    {
        meta.remove("labels");
    }
    if object.get("metadata").is_some_and(empty) {
        object.as_object_mut().expect("an object").remove("metadata");
    }
    object
}

/// Equal, numbers by value: a float prints as `1e+21` or as its digits.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a.as_i64().zip(b.as_i64()).map_or(a.as_f64() == b.as_f64(), |(a, b)| a == b)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
