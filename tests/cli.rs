//! The commands from outside: what they write, where, and how they end.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use libtest_mimic::Trial;
use quarterdeck::sim::{self, Faults, Fleet, Spec, kinds};
use serde_json::{Value, json};

use crate::{always, support};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        always("cli::all_answered_is_zero_and_every_format_holds_the_rows", all_answered),
        always("cli::a_missing_cluster_is_named_and_costs_only_itself", a_missing_cluster),
        always("cli::nobody_answering_is_an_error", nobody_answers),
        always("cli::a_kind_that_may_not_be_read_is_named", a_forbidden_kind),
        always("cli::an_object_that_cannot_be_read_is_named", an_unreadable_object),
        always("cli::findings_count_only_when_asked", findings),
        always("cli::a_broken_fleet_file_names_line_and_field", a_broken_fleet_file),
        always("cli::nonsense_is_refused_with_a_hint", nonsense),
        always("cli::the_console_refuses_to_write_into_a_pipe", no_terminal),
        always("cli::the_kubeconfig_is_never_written", kubeconfig_untouched),
        always("cli::info_says_who_decided", info),
        always("cli::help_speaks_the_language_of_the_person", help),
        always("cli::demo_runs_a_command_and_leaves_nothing_behind", demo),
    ]
}

/// A home of its own, and commands in it.
struct Home(tempfile::TempDir);

struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(&path, content).expect("written");
        path
    }

    fn run(&self, words: &[&str]) -> Answer {
        let out = Command::new(support::binary())
            .args(words)
            .env_clear()
            .env("HOME", self.path())
            .env("TMPDIR", self.path())
            .env("LANG", "en_US.UTF-8")
            .stdin(std::process::Stdio::null())
            .output()
            .expect("the binary runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Answer { code: out.status.code().unwrap_or(-1), out: text(out.stdout), err: text(out.stderr) }
    }
}

/// Some bare clusters.
fn fleet(home: &Home, clusters: usize) -> sim::Running {
    let dir = home.path().join("fleet");
    sim::serve(&Spec { fleet: Fleet::Empty { clusters, nodes: 2 }, seed: 1, speed: 1.0, dir }).expect("served")
}

fn kubeconfig(running: &sim::Running) -> String {
    running.kubeconfig.display().to_string()
}

/// The kubeconfig with one cluster's server replaced by a port where nobody listens.
fn with_dead(home: &Home, running: &sim::Running, dead: usize) -> String {
    let text = fs::read_to_string(&running.kubeconfig).expect("readable");
    let mut parts: Vec<String> = text.split("https://127.0.0.1:").map(str::to_owned).collect();
    let part = parts.get_mut(dead + 1).expect("a cluster");
    let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
    part.replace_range(..digits, "1");
    home.write("dead.yaml", &parts.join("https://127.0.0.1:")).display().to_string()
}

fn rows(answer: &Answer) -> Vec<Value> {
    serde_json::from_str(&answer.out).unwrap_or_else(|e| panic!("{e}: {}{}", answer.out, answer.err))
}

fn texts(rows: &[Value], key: &str) -> Vec<String> {
    let mut all: Vec<String> = rows.iter().filter_map(|r| r[key].as_str()).map(str::to_owned).collect();
    all.dedup();
    all
}

fn all_answered() {
    let home = Home::new();
    let running = fleet(&home, 3);
    let config = kubeconfig(&running);
    let json = home.run(&["--kubeconfig", &config, "get", "nodes", "--sort", "cluster", "-o", "json"]);
    assert_eq!((json.code, json.err.as_str()), (0, ""), "{}", json.out);
    let found = rows(&json);
    assert_eq!((found.len(), texts(&found, "cluster")), (6, running.clusters.clone()));
    assert!(found.iter().all(|r| r["asOf"].is_string() && r["health"] == "ok"), "{found:?}");

    let csv = home.run(&["get", "nodes", "--kubeconfig", &config, "-o", "csv"]).out;
    assert_eq!(csv.lines().count(), 7, "{csv}");
    let yaml: Vec<Value> =
        serde_saphyr::from_str(&home.run(&["get", "nodes", "--kubeconfig", &config, "-o", "yaml"]).out).expect("YAML");
    assert_eq!(yaml.len(), 6);
    let table =
        home.run(&["get", "no", "node-1", "--kubeconfig", &config, "--context", "*-00[1]", "--context", "*-002"]);
    assert_eq!(table.code, 2, "brackets are no glob: {}", table.out);
    let table = home.run(&["get", "no", "node-1", "--kubeconfig", &config, "--context", "*-002"]).out;
    assert!(table.starts_with("CLUSTER  NAME") && table.lines().count() == 2 && table.contains("node-1"), "{table}");
}

fn a_missing_cluster() {
    let home = Home::new();
    let running = fleet(&home, 3);
    let config = with_dead(&home, &running, 1);
    let answer = home.run(&["--kubeconfig", &config, "get", "nodes", "-o", "json"]);
    assert_eq!(answer.code, 3, "{}", answer.err);
    assert_eq!(rows(&answer).len(), 4);
    let (lines, name): (Vec<&str>, _) = (answer.err.lines().collect(), &running.clusters[1]);
    assert!(lines.len() == 1 && lines[0].contains(name.as_str()) && lines[0].contains("unreachable"), "{lines:?}");

    let clusters = home.run(&["--kubeconfig", &config, "clusters", "-o", "json"]);
    assert_eq!(clusters.code, 3);
    let dead = rows(&clusters).into_iter().find(|r| r["name"] == **name).expect("a dead cluster has its row");
    assert_eq!((&dead["state"], &dead["nodesTotal"]), (&"unreachable".into(), &Value::Null));
    assert!(dead["cause"].as_str().is_some_and(|c| c.contains("127.0.0.1:1")), "{dead}");
}

fn nobody_answers() {
    let home = Home::new();
    let running = fleet(&home, 1);
    let config = with_dead(&home, &running, 0);
    let answer = home.run(&["--kubeconfig", &config, "get", "nodes", "-o", "json"]);
    assert_eq!((answer.code, answer.out.as_str()), (2, "[]\n"), "{}", answer.err);
}

fn a_forbidden_kind() {
    let home = Home::new();
    let running = fleet(&home, 2);
    let faults = Faults { status: 403, status_for: "nodes".into(), ..Faults::default() };
    running.set_faults(&running.clusters[0], faults);
    let answer = home.run(&["--kubeconfig", &kubeconfig(&running), "get", "nodes", "-o", "json"]);
    assert_eq!(answer.code, 3, "{}", answer.err);
    assert_eq!(texts(&rows(&answer), "cluster"), vec![running.clusters[1].clone()]);
    assert!(answer.err.contains(&running.clusters[0]) && answer.err.contains("nodes"), "{}", answer.err);
    let doctor = home.run(&["--kubeconfig", &kubeconfig(&running), "doctor", "-o", "json"]);
    let found = rows(&doctor);
    let allowed = found.iter().find(|r| r["cluster"] == *running.clusters[0] && r["check"] == "allowed");
    let allowed = allowed.unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(allowed["verdict"], "warn");
    assert!(allowed["text"].as_str().is_some_and(|t| t.contains("auth can-i list nodes")), "{allowed}");
}

fn an_unreadable_object() {
    let home = Home::new();
    let running = fleet(&home, 2);
    let metadata = json!({"name": "enormous", "namespace": "shop", "annotations": {"long": "y".repeat(200_000)}});
    let enormous = json!({"metadata": metadata, "status": {"endless": "y".repeat(10_000_000)}});
    running.cluster(&running.clusters[0]).expect("a cluster").store.load(kinds::CONFIGMAPS, enormous);
    let run = |kind: &str| home.run(&["--kubeconfig", &kubeconfig(&running), "get", kind, "-o", "json"]);
    let answer = run("configmaps");
    assert_eq!(answer.code, 3, "{}", answer.err);
    let is_told = |line: &str| {
        [running.clusters[0].as_str(), "configmaps shop/enormous", "larger than 8 MiB"].iter().all(|w| line.contains(w))
    };
    assert!(answer.err.lines().count() == 1 && is_told(&answer.err), "{}", answer.err);
    assert_eq!(run("nodes").code, 0, "what is not asked for costs nothing");
}

fn findings() {
    let home = Home::new();
    let running = fleet(&home, 1);
    // A second context to the same server as the same user is joined, and `doctor` says so.
    let text = fs::read_to_string(&running.kubeconfig).expect("readable");
    let name = &running.clusters[0];
    let twin = home.write(
        "twin.yaml",
        &format!("contexts:\n- name: twin\n  context: {{cluster: {name}, user: {}}}\n", user_of(&text)),
    );
    let both = home.write("both.yaml", &text);
    let run = |words: &[&str]| {
        let list = format!("{}:{}", both.display(), twin.display());
        let out = Command::new(support::binary())
            .args(words)
            .env_clear()
            .env("HOME", home.path())
            .env("KUBECONFIG", list)
            .output()
            .expect("the binary runs");
        (out.status.code().unwrap_or(-1), String::from_utf8_lossy(&out.stdout).into_owned())
    };
    let (code, out) = run(&["doctor"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("twin leads to the same API server"), "{out}");
    assert_eq!(run(&["doctor", "--exit-code"]).0, 1);
    assert_eq!(run(&["get", "nodes", "--exit-code"]).0, 0, "nodes are well");
}

fn user_of(kubeconfig: &str) -> String {
    let config: Value = serde_saphyr::from_str(kubeconfig).expect("YAML");
    config["contexts"][0]["context"]["user"].as_str().expect("a user").to_owned()
}

fn a_broken_fleet_file() {
    let home = Home::new();
    home.write(".kube/config", "clusters: []\n");
    home.write(".config/quarterdeck/fleet.yaml", "clusters:\n- name: a\n  enviroment: prod\n");
    let answer = home.run(&["clusters"]);
    assert_eq!((answer.code, answer.out.as_str()), (2, ""));
    let want = "fleet.yaml:3: clusters[0].enviroment: unknown key enviroment; did you mean environment?";
    assert!(answer.err.contains(want), "{}", answer.err);
}

fn nonsense() {
    let home = Home::new();
    home.write(
        ".kube/config",
        "clusters:\n- {name: c, cluster: {server: https://c}}\ncontexts:\n- {name: c, context: {cluster: c}}\n",
    );
    for (words, hint) in [
        (&["get", "podz"][..], "did you mean pod?"),
        (&["matrixx"], "matrix"),
        (&["clusters", "--context", "d"], "did you mean c?"),
        (&["clusters", "--kubeconfig", "/nowhere"], "does not exist"),
        (&["clusters", "--filter", "/(/"], "("),
        (&["clusters", "-l", "a in (b"], "label selector"),
        (&["help", "nothing"], "there is help on"),
        (&["demo", "demo"], "demo"),
    ] {
        let answer = home.run(words);
        assert_eq!((answer.code, answer.out.as_str()), (2, ""), "{words:?}: {}", answer.err);
        assert!(answer.err.contains(hint), "{words:?}: {}", answer.err);
    }
}

fn no_terminal() {
    let answer = Home::new().run(&[]);
    assert_eq!((answer.code, answer.out.as_str()), (2, ""));
    assert!(answer.err.contains("needs a terminal") && answer.err.contains("matrix"), "{}", answer.err);
}

fn kubeconfig_untouched() {
    let home = Home::new();
    let running = fleet(&home, 1);
    let before = (fs::read(&running.kubeconfig).expect("read"), modified(&running.kubeconfig));
    for words in [&["get", "pods"][..], &["clusters"], &["doctor"], &["matrix"], &["info"]] {
        let config = kubeconfig(&running);
        let answer = home.run(&[&["--kubeconfig", &config], words].concat());
        assert_eq!(answer.code, 0, "{words:?}: {}", answer.err);
    }
    assert!(before == (fs::read(&running.kubeconfig).expect("read"), modified(&running.kubeconfig)));
}

fn modified(path: &Path) -> std::time::SystemTime {
    fs::metadata(path).and_then(|m| m.modified()).expect("a time")
}

fn info() {
    let home = Home::new();
    home.write(".config/quarterdeck/fleet.yaml", "settings: {theme: light}\n");
    let answer = home.run(&["info", "--color", "16"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let line = |name: &str| answer.out.lines().find(|l| l.trim_start().starts_with(name)).unwrap_or("").to_owned();
    assert!(line("theme").contains("light") && line("theme").contains("fleet.yaml:1"), "{}", answer.out);
    assert!(line("color").contains("flag --color"), "{}", answer.out);
    assert!(line("log").contains(".local/state/quarterdeck/quarterdeck.log"), "{}", answer.out);
}

fn help() {
    let home = Home::new();
    let english = home.run(&["help", "matrix"]);
    let chinese = home.run(&["--lang", "zh", "help", "matrix"]);
    assert_eq!((english.code, chinese.code), (0, 0));
    assert!(english.out.contains("Which version of each service"), "{}", english.out);
    assert!(chinese.out.contains("每个服务在各集群中运行的版本"), "{}", chinese.out);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(home.run(&["completion", shell]).out.contains("doctor"), "{shell}");
    }
    assert!(home.run(&["man"]).out.contains(".TH"));
    let schema: Value = serde_json::from_str(&home.run(&["schema"]).out).expect("JSON");
    assert!(schema["properties"]["clusters"].is_object());
    let schema: Value = serde_json::from_str(&home.run(&["schema", "policy"]).out).expect("JSON");
    assert!(schema["properties"]["placement"].is_object());
    assert!(home.run(&["keys"]).out.contains("table.down"));
}

fn demo() {
    let home = Home::new();
    let answer = home.run(&["demo", "get", "ns", "-o", "json"]);
    assert!(answer.code == 0 || answer.code == 3, "{}", answer.err);
    assert!(!rows(&answer).is_empty());
    let left: Vec<String> = fs::read_dir(home.path())
        .expect("a folder")
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(left, Vec::<String>::new(), "nothing of the demo stays");
}
