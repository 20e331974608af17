//! Where values come from, put to the proof: values are picked at random from a fleet whose services use Kustomize, Helm and
//! plain files under policies of two systems; the line (or rule) that is named for a value is changed in a copy of the fleet's
//! folder, and the value must change in that very cluster, by just that.
//!
//! Three kinds of values are judged otherwise, and counted: what others find the object or an item of it by (`apiVersion`,
//! `kind`, and names that patches repeat: the named line must bear the word, since nothing fits once it is changed), names
//! and namespaces (the rendered object must appear under the changed one), and what a tool adds by itself (hashes in names: no
//! file may be named).

use std::{
    collections::BTreeMap,
    fs,
    path::{Path as File, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use libtest_mimic::Trial;
use quarterdeck::{
    config,
    desired::{
        engine::{Desired, Inputs, Outcome, Placed},
        explain::{self, Story},
        object::ObjectKey,
        observed,
        origin::{At, SourceKind},
        path::{Path, Step},
        tree::{Node, Value},
    },
    messages::Lang,
    render::{
        Tools,
        load::{self, Loaded},
        story,
    },
};

use crate::{control_plane, support, with_control_planes};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        with_control_planes("provenance::the_named_place_gives_the_value", the_named_place_gives_the_value),
        with_control_planes("provenance::a_wrong_place_is_noticed", a_wrong_place_is_noticed),
        with_control_planes("provenance::the_command_names_the_same_places", the_command_names_the_same_places),
    ]
}

/// Values that are put to the proof.
const PICKED: usize = 180;
/// At least so many of each sort of writer, as far as there are so many.
const OF_EACH: usize = 9;
/// What an edit leaves behind in a text.
const MARK: &str = "x7q";

/// One value of one object in one cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Leaf {
    cluster: Arc<str>,
    service: Arc<str>,
    key: ObjectKey,
    path: Path,
}

impl std::fmt::Display for Leaf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} {}", self.cluster, self.key, self.path)
    }
}

/// A copy of the fleet's folder that may be changed.
struct Copy {
    folder: tempfile::TempDir,
    tools: Tools,
}

/// What was loaded from a copy.
struct Picture {
    declared: config::desired::Desired,
    loaded: Loaded,
    desired: Desired,
}

fn fixture() -> PathBuf {
    File::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/provenance")
}

fn copy_all(from: &File, to: &File) {
    fs::create_dir_all(to).expect("folder");
    for entry in fs::read_dir(from).expect("folder").map(|e| e.expect("entry")) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_all(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("file")),
        }
    }
}

impl Copy {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let root = folder.path().join("fleet");
        copy_all(&fixture(), &root);
        let path = format!("{}:/usr/bin:/bin", control_plane::binaries().expect("binaries").display());
        let cache = Some(folder.path().join("kept"));
        Self { tools: Tools { root, cache, path, limit: Duration::from_secs(60) }, folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.tools.root.join(name)
    }

    fn load(&self) -> Option<Picture> {
        let home = self.folder.path().join("home");
        let env = BTreeMap::from([("HOME".to_owned(), home.display().to_string())]);
        let request = config::Request { fleet: Some(self.file("fleet.yaml")), env, ..config::Request::default() };
        let settings = config::resolve(&request).ok()?;
        let clusters: Vec<_> = settings.targets.iter().map(|t| observed::declared(&t.record)).collect();
        let loaded = load::load(&settings.desired, &clusters, &[], &self.tools, None);
        let inputs = Inputs {
            clusters: Arc::new(clusters),
            services: loaded.services.clone(),
            policies: loaded.policies.clone(),
            states: Arc::default(),
        };
        Some(Picture { declared: settings.desired, loaded, desired: Desired::of(inputs, None) })
    }

    /// The picture with a file's text changed; the file is as it was afterwards.
    fn with(&self, file: &str, text: &str) -> Option<Picture> {
        let path = self.file(file);
        let old = fs::read(&path).expect("the named file");
        fs::write(&path, text).expect("file");
        let picture = self.load();
        fs::write(&path, old).expect("file");
        picture
    }
}

impl Picture {
    fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for (number, cluster) in (0u32..).zip(self.desired.inputs.clusters.iter()) {
            for (outcome, placed, object) in self.desired.objects(number) {
                let leaf = |path| Leaf {
                    cluster: cluster.name.clone(),
                    service: outcome.service.name.clone(),
                    key: placed.key.clone(),
                    path,
                };
                leaves.extend(object.node.leaves().into_iter().map(|(path, _)| leaf(path)));
            }
        }
        leaves
    }

    /// The object that a leaf is of; its name may end in another hash.
    fn placed(&self, leaf: &Leaf) -> Option<(&Arc<Outcome>, &Arc<Placed>, &Node)> {
        let number = self.desired.cluster(&leaf.cluster)?;
        let ours: Vec<_> = self.desired.objects(number).filter(|(o, ..)| o.service.name == leaf.service).collect();
        let alike = |key: &ObjectKey| {
            key.kind == leaf.key.kind
                && key.namespace == leaf.key.namespace
                && key.api_version == leaf.key.api_version
                && bare(&key.name) == bare(&leaf.key.name)
        };
        let found =
            ours.iter().find(|(_, p, _)| p.key == leaf.key).or_else(|| ours.iter().find(|(_, p, _)| alike(&p.key)));
        found.map(|(outcome, placed, object)| (*outcome, *placed, &object.node))
    }

    fn value(&self, leaf: &Leaf) -> Option<&Node> {
        self.placed(leaf)?.2.at(&leaf.path)
    }

    /// What is told of a leaf, with its first place proved.
    fn story(&self, leaf: &Leaf, tools: &Tools) -> Story {
        let (outcome, placed, _) = self.placed(leaf).expect("the object");
        let number = self.desired.cluster(&leaf.cluster).expect("the cluster");
        let object = placed.object(number).expect("the object");
        let mut told = explain::field(object, &leaf.path).expect("a story");
        let teller = story::Teller::new(&self.declared, &self.desired.inputs.clusters, outcome, placed, &leaf.cluster);
        if let Some(teller) = teller {
            teller.prove(&mut told, tools);
        }
        told
    }

    /// Values at a path of the objects of a kind as they are rendered, before anybody sends them anywhere.
    fn rendered<'a>(&'a self, leaf: &'a Leaf) -> impl Iterator<Item = &'a Node> {
        let services = self.loaded.services.iter().filter(|s| s.name == leaf.service);
        let objects = services.flat_map(|s| &s.sources).flat_map(|s| &s.bases).flat_map(|b| b.objects.iter());
        objects.filter(|o| o.key.kind == leaf.key.kind).filter_map(|o| o.node.at(&leaf.path))
    }

    /// What went wrong, to be compared: an edit that breaks something proves nothing.
    fn troubles(&self) -> Vec<String> {
        let told =
            self.loaded.troubles.iter().map(|t| format!("{}: {}", t.fault.file.display(), t.fault.text(Lang::En)));
        let failed = self.desired.services.iter().flat_map(|o| &o.placed).flat_map(|p| &p.failures);
        told.chain(failed.map(|(cluster, failure)| format!("{cluster}: {failure:?}"))).collect()
    }
}

/// A name without the hash that Kustomize puts behind it.
fn bare(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((rest, hash)) if hash.len() == 10 && hash.chars().all(|c| c.is_ascii_alphanumeric()) => rest,
        _ => name,
    }
}

/// A value as text.
fn text(node: &Node) -> String {
    node.as_str().map_or_else(|| node.to_json().to_string(), str::to_owned)
}

/// An edit of a file, and what it put where.
struct Edit {
    file: String,
    old: String,
    new: String,
}

/// A changed word: numbers count on, truth is turned, everything else bears the mark.
fn changed(word: &str) -> String {
    match (word, word.parse::<i64>()) {
        ("true", _) => "false".into(),
        ("false", _) => "true".into(),
        (_, Ok(number)) => (number + 1).to_string(),
        _ => format!("{word}{MARK}"),
    }
}

/// Lines that belong to a place, counted from 0: the line alone, the first line of the text that it begins, or, for a rule,
/// all lines of its item.
fn lines_of(lines: &[&str], at: &At, rule: bool) -> Vec<usize> {
    let first = at.line as usize - 1;
    let spaces = |line: &str| line.len() - line.trim_start().len();
    let line = lines[first];
    // What belongs to an item, a key or a text is indented more.
    let inside = |at: &usize| lines[*at].trim().is_empty() || spaces(lines[*at]) > spaces(line);
    let below = (first + 1..lines.len()).take_while(inside).filter(|at| !lines[*at].trim().is_empty());
    if rule {
        return std::iter::once(first).chain(below).collect();
    }
    let begins_text =
        ["|", "|-", "|+", ">", ">-", ">+"].iter().any(|sign| line.trim_end().ends_with(&format!(" {sign}")));
    if begins_text {
        return below.take(4).collect();
    }
    vec![first]
}

/// The words of a line that may be values: where each begins and ends. Words that are keys come last.
fn words(line: &str) -> Vec<(usize, usize)> {
    let (mut words, mut keys, mut start) = (Vec::new(), Vec::new(), None);
    let ends = |c: char| " \t,[]{}\"'".contains(c);
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match (start, ends(c)) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                let word = &line[from..at];
                match word.strip_suffix(':') {
                    Some(key) if !key.is_empty() => keys.push((from, at - 1)),
                    _ if word == "-" || word == "#" => {}
                    _ => words.push((from, at)),
                }
                start = None;
            }
            _ => {}
        }
    }
    words.extend(keys);
    words
}

/// The edits that a place allows, the likeliest first: of words that have to do with the value, then of the others.
fn edits(content: &str, at: &At, rule: bool, value: &str) -> Vec<Edit> {
    let file = at.source.file.clone();
    if at.line == 0 {
        return vec![Edit { file, old: String::new(), new: format!("{}{MARK}\n", content.trim_end_matches('\n')) }];
    }
    let lines: Vec<&str> = content.split('\n').collect();
    let (mut likely, mut others) = (Vec::new(), Vec::new());
    let with = |number: usize, line: String| {
        let mut all: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
        all[number] = line;
        all.join("\n")
    };
    for number in lines_of(&lines, at, rule) {
        let line = lines[number];
        for (from, to) in words(line) {
            let word = &line[from..to];
            let new = with(number, format!("{}{}{}", &line[..from], changed(word), &line[to..]));
            let edit = Edit { file: file.clone(), old: word.to_owned(), new };
            let related = value.contains(word) || word.contains(value) || word.ends_with(&format!("={value}"));
            if related { likely.push(edit) } else { others.push(edit) }
        }
        // Behind the last value of the line: a template's action has no word of its own.
        let end = line.trim_end_matches(['"', '\'', '}', ']', ' ']);
        for cut in [line.trim_end().len(), end.len()] {
            let new = with(number, format!("{}{MARK}{}", &line[..cut], &line[cut..]));
            others.push(Edit { file: file.clone(), old: String::new(), new });
        }
    }
    likely.sort_by_key(|e| std::cmp::Reverse(e.old.len()));
    likely.extend(others);
    likely.truncate(14);
    likely
}

/// The edits of how replicas are dealt out: each number of the item, a little and a lot.
fn weights(content: &str, at: &At) -> Vec<Edit> {
    let lines: Vec<&str> = content.split('\n').collect();
    let mut edits = Vec::new();
    for number in lines_of(&lines, at, true) {
        for (from, to) in words(lines[number]) {
            let Ok(weight) = lines[number][from..to].parse::<i64>() else { continue };
            for more in [1, 5] {
                let line = format!("{}{}{}", &lines[number][..from], weight + more, &lines[number][to..]);
                let mut all = lines.clone();
                all[number] = &line;
                edits.push(Edit { file: at.source.file.clone(), old: weight.to_string(), new: all.join("\n") });
            }
        }
    }
    edits
}

/// Whether an edit can be seen in a value: the mark, or the number or truth that was changed.
fn seen(before: &Node, now: &Node, edit: &Edit) -> bool {
    let (old, new) = (text(before), text(now));
    let decoded = |t: &str| {
        use base64::Engine as _;
        let bytes = base64::engine::general_purpose::STANDARD.decode(t).ok();
        bytes.and_then(|b| String::from_utf8(b).ok()).unwrap_or_default()
    };
    if [&new, &new.to_lowercase(), &decoded(&new)].iter().any(|t| t.to_lowercase().contains(MARK)) {
        return true;
    }
    let counted = changed(&edit.old);
    !edit.old.is_empty() && !counted.contains(MARK) && old != new && old.replace(&edit.old, &counted) == new
}

/// How a leaf was proved; the words are for the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Proof {
    /// What was written at the place is seen in the value.
    Seen,
    /// The value is another one, by a condition or a division: a placement's replicas.
    Moved,
    /// A name or namespace: the rendered object bears the changed one.
    Renamed,
    /// What others find the object or an item of it by: the line bears the word.
    Borne,
    /// A tool put it there by itself.
    Tool,
}

/// Number of a leaf, who is named for it, and how it was proved.
type Found = (usize, String, Result<Proof, String>);

/// Who is named for a leaf, for the figures: the kind of file, or the policy's kind and the key of its part.
fn writer(story: &Story) -> String {
    match story.changes.first() {
        Some(chapter) => {
            let part = chapter.rule.part.split(" (").next().unwrap_or_default();
            let keys: Vec<&str> =
                part.split('.').filter(|p| !p.contains("overrideRules") && *p != "overriders").collect();
            let key = keys.iter().find(|k| !k.starts_with("overrides[")).or(keys.first()).copied().unwrap_or_default();
            format!("{} {}", chapter.rule.kind, key.split('[').next().unwrap_or_default())
        }
        None => story.place().map_or("unknown", |at| at.source.kind.word()).to_owned(),
    }
}

/// Whether the named line has the word, or begins the entry of a generator, which says what it makes.
fn bears(content: &str, at: &At, word: &str) -> bool {
    let lines: Vec<&str> = content.lines().take(at.line as usize).collect();
    let Some(line) = lines.last() else { return false };
    let section = lines.iter().rev().find(|l| l.ends_with(':') && !l.starts_with([' ', '-', '#']));
    line.contains(word)
        || (line.starts_with("  - name:") && section.is_some_and(|s| s.trim_end().ends_with("Generator:")))
}

/// Puts one leaf to the proof at a place.
fn prove(copy: &Copy, picture: &Picture, leaf: &Leaf, story: &Story, at: &At) -> Result<Proof, String> {
    let value = picture.value(leaf).expect("the value");
    let shown = text(value);
    let way = leaf.path.to_string();
    if at.source.kind == SourceKind::Tool {
        let own = bare(&shown) != shown
            || way.starts_with("metadata.annotations")
            || shown == "Opaque"
            || way == "apiVersion"
            || way == "kind";
        return if own { Ok(Proof::Tool) } else { Err(format!("{leaf} = {shown}: a tool is named")) };
    }
    let content = fs::read_to_string(copy.file(&at.source.file)).map_err(|e| format!("{leaf} = {shown}: {at}: {e}"))?;
    let rule = story.changes.first().map(|c| &c.rule);
    let borne = bears(&content, at, &shown);
    let is_implied = way == "type" && shown == "Opaque";
    if is_implied || ["apiVersion", "kind"].contains(&&*way) {
        return if borne { Ok(Proof::Borne) } else { Err(format!("{leaf} = {shown}: {at} does not say it")) };
    }
    let is_name = ["metadata.name", "metadata.namespace"].contains(&&*way);
    let before = picture.troubles();
    let mut tried = Vec::new();
    let divided = rule.is_some_and(|r| r.part == "placement");
    let edits = if divided { weights(&content, at) } else { edits(&content, at, rule.is_some(), &shown) };
    for edit in edits {
        let Some(now) = copy.with(&edit.file, &edit.new) else { continue };
        if is_name {
            if now.rendered(leaf).any(|n| seen(value, n, &edit)) {
                return Ok(Proof::Renamed);
            }
        } else if now.troubles() == before
            && let Some(after) = now.value(leaf)
        {
            if seen(value, after, &edit) {
                return Ok(Proof::Seen);
            }
            if divided && matches!((&value.value, &after.value), (Value::Int(a), Value::Int(b)) if a != b) {
                return Ok(Proof::Moved);
            }
        }
        tried.push(if edit.old.is_empty() { "the end".to_owned() } else { edit.old });
    }
    // What patches and policies find the object or the item by: another word, and they find nothing.
    if rule.is_none() && borne && (is_name || leaf.path.0.ends_with(&[Step::Key("name".into())])) {
        return Ok(Proof::Borne);
    }
    let by = rule.map(|r| format!(" by {r}")).unwrap_or_default();
    Err(format!("{leaf} = {shown}: {at}{by}: no change shows ({})", tried.join(", ")))
}

/// Numbers that look like chance and are the same in every run of a seed.
struct Chance(u64);

impl Chance {
    fn new() -> Self {
        let seed = std::env::var("QUARTERDECK_TEST_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(20_250_314);
        println!("seed {seed} (QUARTERDECK_TEST_SEED)");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = usize::try_from(self.next() % (at as u64 + 1)).expect("small");
            items.swap(at, other);
        }
    }
}

/// Leaves at random: a few of each sort of writer first, so that none is left out, then whatever comes.
fn picked(picture: &Picture) -> Vec<Leaf> {
    let mut leaves = picture.leaves();
    assert!(leaves.len() > 900, "only {} leaves", leaves.len());
    Chance::new().shuffle(&mut leaves);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for leaf in leaves {
        // By what reading says; the proof by the tools comes later.
        let (_, _, node) = picture.placed(&leaf).expect("the object");
        let object = quarterdeck::desired::object::Object::new(node.clone()).expect("an object");
        let count =
            seen.entry(explain::field(&object, &leaf.path).map_or_else(String::new, |s| writer(&s))).or_default();
        *count += 1;
        if *count <= OF_EACH { first.push(leaf) } else { rest.push(leaf) }
    }
    first.extend(rest);
    first.truncate(PICKED);
    first
}

fn the_named_place_gives_the_value() {
    let copies = [Copy::new(), Copy::new(), Copy::new()];
    let picture = copies[0].load().expect("a fleet");
    assert_eq!(picture.troubles(), Vec::<String>::new());
    let leaves = picked(&picture);
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Found>> = Mutex::default();
    thread::scope(|scope| {
        for copy in &copies {
            let (leaves, next, found) = (&leaves, &next, &found);
            scope.spawn(move || {
                let picture = copy.load().expect("a fleet");
                while let Some((number, leaf)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, leaves.get(n)?)))
                {
                    let story = picture.story(leaf, &copy.tools);
                    let result = match story.place() {
                        Some(at) => prove(copy, &picture, leaf, &story, at),
                        None => Err(format!("{leaf}: nobody is named")),
                    };
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((number, writer(&story), result));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(number, ..)| *number);
    let (mut writers, mut proofs): (BTreeMap<&str, usize>, BTreeMap<Proof, usize>) = Default::default();
    for (_, writer, result) in &found {
        *writers.entry(writer).or_default() += 1;
        if let Ok(proof) = result {
            *proofs.entry(*proof).or_default() += 1;
        }
    }
    println!("{} leaves", found.len());
    writers.iter().for_each(|(writer, n)| println!("{n:5} {writer}"));
    proofs.iter().for_each(|(proof, n)| println!("{n:5} {proof:?}"));
    let wrong: Vec<&str> = found.iter().filter_map(|(.., r)| r.as_ref().err().map(String::as_str)).collect();
    assert!(wrong.is_empty(), "{} of {} places are wrong:\n{}", wrong.len(), found.len(), wrong.join("\n"));
    let count = |proof| proofs.get(&proof).copied().unwrap_or(0);
    let apart = count(Proof::Borne) + count(Proof::Renamed) + count(Proof::Tool);
    assert!(found.len() >= 120 && apart * 4 < found.len(), "{apart} of {} were judged otherwise", found.len());
    for kind in
        ["manifest", "kustomization", "kustomize-patch", "helm-template", "helm-values", "PropagationPolicy placement"]
    {
        assert!(writers.contains_key(kind), "no leaf of {kind}");
    }
    for policy in ["OverridePolicy ", "ClusterOverridePolicy ", "Policy "] {
        assert!(writers.keys().any(|w| w.starts_with(policy)), "no leaf of {policy}");
    }
}

/// The proof itself is proved: for the lines beside a named one it must fail.
fn a_wrong_place_is_noticed() {
    let copy = Copy::new();
    let picture = copy.load().expect("a fleet");
    let (mut asked, mut fooled) = (0, Vec::new());
    for (cluster, kind, name, way) in [
        ("eu-prod-1", "Deployment", "web", "spec.template.spec.containers[0].env[0].value"),
        ("cn-prod-1", "Deployment", "web", "spec.template.spec.containers[0].image"),
        ("us-prod-1", "StatefulSet", "ledger", "spec.template.spec.containers[0].resources.requests.cpu"),
        ("us-test-1", "StatefulSet", "ledger", "spec.podManagementPolicy"),
        ("us-prod-1", "ConfigMap", "notes", "data[\"app.yaml\"]"),
        ("eu-stage-1", "Deployment", "notes", "spec.replicas"),
    ] {
        let path = Path::parse(way).expect("a path");
        let is = |l: &&Leaf| *l.cluster == *cluster && *l.key.kind == *kind && *l.key.name == *name && l.path == path;
        let leaf = picture.leaves().iter().find(is).cloned().unwrap_or_else(|| panic!("no {kind}/{name} {way}"));
        let story = picture.story(&leaf, &copy.tools);
        let at = story.place().expect("a place").clone();
        assert!(prove(&copy, &picture, &leaf, &story, &at).is_ok(), "{leaf} at {at}");
        let length = fs::read_to_string(copy.file(&at.source.file)).expect("file").lines().count();
        let length = u32::try_from(length).expect("short");
        for line in [at.line + 1, at.line.saturating_sub(2), (at.line + length / 2) % length + 1] {
            let beside = At { line, ..at.clone() };
            // The rest of a rule's item is the rule too.
            let written = Story { changes: Vec::new(), ..story.clone() };
            let own = !story.changes.is_empty() && line > at.line && line < at.line + 20;
            if line == 0 || line > length || own {
                continue;
            }
            asked += 1;
            if prove(&copy, &picture, &leaf, &written, &beside).is_ok() {
                fooled.push(format!("{leaf} at {beside} instead of {at}"));
            }
        }
    }
    assert!(asked >= 10, "only {asked} wrong places");
    assert!(fooled.is_empty(), "{} of {asked}:\n{}", fooled.len(), fooled.join("\n"));
}

/// What the program prints is what was put to the proof.
fn the_command_names_the_same_places() {
    let copy = Copy::new();
    let picture = copy.load().expect("a fleet");
    let mut leaves = picked(&picture);
    leaves.dedup_by_key(|l| l.path.clone());
    for leaf in leaves.iter().step_by(leaves.len() / 14) {
        let story = picture.story(leaf, &copy.tools);
        let mut command = Command::new(support::binary());
        command.env_clear().env("PATH", &copy.tools.path).env("HOME", copy.folder.path().join("home"));
        command.args(["explain", &format!("{}/{}", leaf.key.kind, leaf.key.name), &leaf.path.to_string()]);
        command.args(["--context", &leaf.cluster, "-o", "json", "--fleet"]).arg(copy.file("fleet.yaml"));
        if !leaf.key.namespace.is_empty() {
            command.args(["-n", &leaf.key.namespace]);
        }
        let output = command.output().expect("the program");
        let said: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|e| panic!("{leaf}: {e}: {}", String::from_utf8_lossy(&output.stderr)));
        let rows = said.get("rows").or(said.get("items")).unwrap_or(&said).as_array().expect("rows").clone();
        assert_eq!(rows.len(), 1, "{leaf}: {said}");
        assert_eq!(rows[0]["place"], story.place().expect("a place").to_string(), "{leaf}");
        assert_eq!(rows[0]["clusters"], serde_json::json!([&*leaf.cluster]), "{leaf}");
    }
}
