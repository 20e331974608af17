//! The screens of desired state in a terminal: placement and suppositions, differences, where a field comes from, the editor.

use std::{fs, path::PathBuf, time::Duration};

use libtest_mimic::Trial;
use quarterdeck::sim::kinds;
use serde_json::{Value, json};

use crate::{
    always,
    support::{fleet::Fleet, pty::Console, wait_for},
};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        always("wanted::placement_is_seen_supposed_and_saved", placement_is_seen_supposed_and_saved),
        always("wanted::differences_lead_to_the_file_in_the_editor", differences_lead_to_the_file_in_the_editor),
        always("wanted::what_the_editor_changed_is_seen_at_once", what_the_editor_changed_is_seen_at_once),
        always("wanted::without_an_editor_it_says_what_to_set", without_an_editor_it_says_what_to_set),
        always("wanted::the_matrix_knows_the_version_and_its_line", the_matrix_knows_the_version_and_its_line),
        always("wanted::a_line_of_a_revision_opens_as_a_copy", a_line_of_a_revision_opens_as_a_copy),
    ]
}

const MANIFEST: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1.4.0
";

/// No Pod of it is ready: the simulated controllers see none.
fn deployment(replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}, "generation": 1},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "registry.example/web:1.4.0"}]}}},
        "status": {"observedGeneration": 1, "replicas": replicas, "updatedReplicas": replicas},
    })
}

/// Two clusters that run the service, and a folder that says what should be there: three quarters here, one there, with another
/// tag.
fn fleet() -> Fleet {
    let fleet = Fleet::bare(2, 1);
    fleet.load(0, kinds::DEPLOYMENTS, deployment(3));
    fleet.load(1, kinds::DEPLOYMENTS, deployment(1));
    let policies = format!(
        "\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {{name: web, namespace: shop}}
spec:
  resourceSelectors: [{{apiVersion: apps/v1, kind: Deployment, name: web}}]
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
        - {{targetCluster: {{clusterNames: [{0}]}}, weight: 3}}
        - {{targetCluster: {{clusterNames: [{1}]}}, weight: 1}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {{name: canary, namespace: shop}}
spec:
  resourceSelectors: [{{apiVersion: apps/v1, kind: Deployment, name: web}}]
  overrideRules:
  - targetCluster: {{clusterNames: [{1}]}}
    overriders:
      imageOverrider: [{{component: Tag, operator: replace, value: 1.5.0}}]
",
        fleet.name(0),
        fleet.name(1)
    );
    write(&fleet, "manifests/web.yaml", MANIFEST);
    write(&fleet, "policies/web.yaml", &policies);
    declare(&fleet, "plain: manifests");
    fleet
}

fn declare(fleet: &Fleet, source: &str) {
    let text = format!(
        "desired:\n  services:\n  - name: web\n    namespace: shop\n    sources: [{{{source}}}]\n  policies: [policies]\n"
    );
    write(fleet, "fleet.yaml", &text);
}

fn write(fleet: &Fleet, name: &str, text: &str) {
    let path = fleet.home().join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

fn start(fleet: &Fleet, open: &str, env: &[(&str, &str)]) -> Console {
    let (kubeconfig, file) = (fleet.kubeconfig(), fleet.home().join("fleet.yaml").display().to_string());
    Console::start(fleet.home(), 140, 36, &["--kubeconfig", &kubeconfig, "--fleet", &file, "--open", open], env)
}

/// The row of the service holds all of these words.
fn row(console: &Console, words: &[&str]) -> String {
    let what = format!("the row of the service with {words:?}");
    console.wait(&what, 60, |s| {
        s.lines()
            .any(|l| l.trim_start_matches(['│', '▸', ' ']).starts_with("web") && words.iter().all(|w| l.contains(w)))
    })
}

/// An editor that notes how it was called and what terminal it has, and does something to the file.
fn editor(fleet: &Fleet, body: &str) -> (String, PathBuf) {
    let told = fleet.home().join("told");
    let script = format!(
        "for a in \"$@\"; do echo \"$a\" >> {0}.new; done\n[ -t 0 ] && [ -t 1 ] && echo terminal >> {0}.new\n{body}\nmv {0}.new {0}\n",
        told.display()
    );
    // The name says how lines are told to it.
    (fleet.script("vim", &script), told)
}

fn told(path: &std::path::Path) -> Vec<String> {
    let text = wait_for("the editor ran", Duration::from_secs(20), || fs::read_to_string(path).ok());
    text.lines().map(ToOwned::to_owned).collect()
}

fn placement_is_seen_supposed_and_saved() {
    let fleet = fleet();
    let mut console = start(&fleet, "placement", &[]);
    row(&console, &["3/0", "1/0"]);
    let shown = console.wait_text("its weight is 3 of 4", 20);
    assert!(shown.contains("policies/web.yaml:1") && shown.contains("PropagationPolicy shop/web"), "{shown}");
    console.send(" a");
    console.wait_text("What if", 20);
    console.send("l");
    let shown = row(&console, &["-3", "1→4"]);
    assert!(shown.contains("WHAT IF") && shown.contains(&format!("{} lost", fleet.name(0))), "{shown}");
    console.send("\u{13}");
    let file = fleet.home().join("situation-web.yaml");
    let text = wait_for("the situation is saved", Duration::from_secs(20), || fs::read_to_string(&file).ok());
    assert!(text.contains("kind: placement") && text.contains("deleting: true"), "{text}");
    // The notice goes first, then the supposition.
    wait_for("the supposition is taken back", Duration::from_secs(20), || {
        console.send("\u{1b}");
        std::thread::sleep(Duration::from_millis(150));
        (!console.text().contains("WHAT IF")).then_some(())
    });
    row(&console, &["3/0", "1/0"]);
    console.send(":q\r");
    assert_eq!(console.wait_end(20), 0);
    assert!(console.is_restored());
}

fn differences_lead_to_the_file_in_the_editor() {
    let fleet = fleet();
    let (editor, path) = editor(&fleet, "");
    let mut console = start(&fleet, "placement", &[("EDITOR", &editor)]);
    row(&console, &["3/0"]);
    console.send("f");
    console.wait("the field that differs", 20, |s| {
        s.lines().any(|l| l.contains("image") && l.contains("web:1.4.0") && l.contains("web:1.5.0"))
    });
    console.send("/image\rl\r");
    let shown = console.wait_text("spec.template.spec.containers[0].image", 20);
    assert!(shown.contains("policies/web.yaml:2") && shown.contains("OverridePolicy shop/canary"), "{shown}");
    console.send("\r");
    let args = told(&path);
    let file = fleet.home().join("policies/web.yaml");
    let text = fs::read_to_string(&file).expect("there");
    let line: usize = args[0].trim_start_matches('+').parse().expect("a line");
    assert!(text.lines().nth(line - 1).is_some_and(|l| l.contains("imageOverrider")), "line {line} of\n{text}");
    assert_eq!((args[1].as_str(), args[2].as_str()), (file.to_str().expect("a name"), "terminal"));
    console.wait("the console is back", 20, |s| s.contains("spec.template.spec.containers[0].image"));
    assert!(console.with_screen(vt100::Screen::alternate_screen));
    console.send(":q\r");
    assert_eq!(console.wait_end(20), 0);
    assert!(console.is_restored() && console.echoes());
}

fn what_the_editor_changed_is_seen_at_once() {
    let fleet = fleet();
    let manifest = fleet.home().join("manifests/web.yaml");
    let (editor, _) = editor(&fleet, &format!("sed -i 's/replicas: 4/replicas: 8/' {}", manifest.display()));
    let mut console = start(&fleet, "placement", &[("VISUAL", &editor), ("EDITOR", "false")]);
    row(&console, &["3/0", "1/0"]);
    console.send("e");
    row(&console, &["6/0", "2/0"]);
}

fn without_an_editor_it_says_what_to_set() {
    let fleet = fleet();
    let mut console = start(&fleet, "placement", &[]);
    row(&console, &["3/0"]);
    console.send("e");
    let shown = console.wait_text("set VISUAL or EDITOR", 20);
    assert!(shown.contains("policies/web.yaml:1"), "{shown}");
}

fn the_matrix_knows_the_version_and_its_line() {
    let fleet = fleet();
    let mut console = start(&fleet, "matrix", &[]);
    // The second cluster runs what the base wants, not what its override wants.
    console.wait_text("1.4.0  manifests/web.yaml:12", 60);
    console.send("l");
    let shown = console.wait("what is wanted, and where", 20, |s| s.contains("1.5.0  policies/web.yaml:2"));
    assert!(shown.contains("another version than the one wanted"), "{shown}");
    console.send("p");
    let shown = row(&console, &["3/0", "1/0"]);
    assert!(shown.contains(&format!("Deployment shop/web in {}", fleet.name(1))), "{shown}");
}

fn a_line_of_a_revision_opens_as_a_copy() {
    let git = |home: &std::path::Path, args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.arg("-C").arg(home).args(args);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.output().is_ok_and(|o| o.status.success())
    };
    let fleet = fleet();
    let home = fleet.home().to_path_buf();
    let user = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let commit: Vec<&str> = user.into_iter().chain(["commit", "-q", "-m", "one"]).collect();
    if !(git(&home, &["init", "-q"]) && git(&home, &["add", "manifests"]) && git(&home, &commit)) {
        return;
    }
    declare(&fleet, "plain: manifests, revision: HEAD");
    fs::write(home.join("manifests/web.yaml"), MANIFEST.replace("replicas: 4", "replicas: 40")).expect("written");
    let (editor, path) = editor(&fleet, &format!("cat \"$2\" > {}/seen", home.display()));
    let mut console = start(&fleet, "placement", &[("EDITOR", &editor)]);
    row(&console, &["3/0", "1/0"]);
    // The service, its object, its lines; the second line is of the manifest.
    console.send("\rj\rj");
    console.wait_text("manifests/web.yaml:2 @ ", 20);
    console.send("e");
    let args = told(&path);
    assert_eq!(args[0], "+2");
    assert!(args[1].ends_with("/web.yaml") && !args[1].starts_with(&home.display().to_string()), "{args:?}");
    assert_eq!(fs::read_to_string(home.join("seen")).expect("seen"), MANIFEST);
    wait_for("the copy is gone", Duration::from_secs(10), || (!PathBuf::from(&args[1]).exists()).then_some(()));
}
