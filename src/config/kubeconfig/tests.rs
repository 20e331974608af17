//! Merging, and what one broken part costs.

use std::{fs, path::PathBuf};

use super::*;
use crate::messages::Lang;

const PEM: &str = "-----BEGIN CERTIFICATE-----\nMAo=\n-----END CERTIFICATE-----\n";

fn files(dir: &tempfile::TempDir, contents: &[(&str, &str)]) -> Vec<PathBuf> {
    let write = |(name, content): &(&str, &str)| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    };
    contents.iter().map(write).collect()
}

fn loaded(contents: &[(&str, &str)]) -> (tempfile::TempDir, Loaded) {
    let dir = tempfile::tempdir().unwrap();
    let files = files(&dir, contents);
    let loaded = load(&files);
    (dir, loaded)
}

fn said(loaded: &Loaded) -> Vec<String> {
    let short = |p: &std::path::Path| p.file_name().unwrap_or_default().to_string_lossy().into_owned();
    loaded.faults.iter().map(|f| format!("{}:{}: {}", short(&f.file), f.line, f.text(Lang::En))).collect()
}

fn servers(loaded: &Loaded) -> Vec<(String, String)> {
    let server = |c: &Context| match &c.access {
        Ok(access) => access.server.clone(),
        Err(fault) => fault.text(Lang::En),
    };
    loaded.contexts.iter().map(|c| (c.name.clone(), server(c))).collect()
}

const A: &str = "\
kind: Config
clusters:
- name: one
  cluster: {server: https://one.example}
users:
- name: admin
  user: {token: first}
contexts:
- name: a
  context: {cluster: one, user: admin, namespace: shop}
";

#[test]
fn the_first_file_wins_per_name_and_the_loser_is_said() {
    let b = A.replace("one.example", "other.example").replace("name: a\n", "name: b\n").replace("first", "second");
    let (_dir, loaded) = loaded(&[("a", A), ("b", &b)]);
    assert_eq!(
        servers(&loaded),
        vec![("a".into(), "https://one.example".into()), ("b".into(), "https://one.example".into())],
        "context b of the second file gets cluster `one` of the first, as with kubectl"
    );
    let said = said(&loaded);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("b:3: cluster one is already defined in") && said[0].contains("a:3"), "{}", said[0]);
    assert!(said[1].starts_with("b:6: user admin"), "{}", said[1]);
}

#[test]
fn the_same_entry_twice_is_no_news() {
    let (_dir, loaded) = loaded(&[("a", A), ("b", A)]);
    assert_eq!((loaded.contexts.len(), said(&loaded)), (1, vec![]));
}

#[test]
fn one_broken_part_costs_only_itself() {
    let broken = "\
clusters:
- name: ok
  cluster: {server: 'ok.example:6443/'}
- cluster: {server: https://nameless.example}
- name: serverless
  cluster: {}
- name: ca
  cluster: {server: https://ca.example, certificate-authority: missing.pem}
- name: base64
  cluster: {server: https://b.example, certificate-authority-data: '%%%'}
users:
- name: half
  user: {client-certificate-data: LS0tLS1CRUdJTiBDRVJU}
- name: nobody
contexts:
- {name: good, context: {cluster: ok, user: nobody}}
- {name: bare, context: {cluster: ok}}
- {name: dangling, context: {cluster: gone}}
- {name: userless, context: {cluster: ok, user: gone}}
- {name: serverless, context: {cluster: serverless}}
- {name: ca, context: {cluster: ca}}
- {name: base64, context: {cluster: base64}}
- {name: half, context: {cluster: ok, user: half}}
- 7
";
    let (_dir, loaded) =
        loaded(&[("broken", broken), ("garbage", "a: [1\n"), ("list", "- 1\n"), ("empty", " \n"), ("a", A)]);
    let servers = servers(&loaded);
    for (context, want) in [
        ("good", "https://ok.example:6443"),
        ("bare", "https://ok.example:6443"),
        ("dangling", "context dangling names cluster gone, which no kubeconfig defines"),
        ("userless", "context userless names user gone, which no kubeconfig defines"),
        ("serverless", "cluster serverless has no server address"),
        ("base64", "base64: this is not valid base64"),
        ("half", "half: a client certificate needs its key"),
        ("ca", "ca: cannot read"),
        ("a", "https://one.example"),
    ] {
        let got = servers.iter().find(|(name, _)| name == context).map_or("absent", |(_, server)| server.as_str());
        assert!(got.starts_with(want), "{context}: {got}");
    }
    let dangling: Vec<&str> = loaded.contexts.iter().filter(|c| c.dangling).map(|c| c.name.as_str()).collect();
    assert_eq!(dangling, vec!["dangling", "userless"]);
    assert_eq!(loaded.incomplete.len(), 3, "garbage, list and empty: {:?}", loaded.incomplete);
    let said = said(&loaded);
    for line in ["broken:4: ", "broken:24: ", "garbage:", "list:1: ", "empty:0: "] {
        assert!(said.iter().any(|s| s.starts_with(line)), "{line} in {said:?}");
    }
}

#[test]
fn paths_are_relative_to_their_own_file_and_missing_files_are_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let config = "\
clusters:
- {name: c, cluster: {server: https://c, certificate-authority: ca.pem}}
users:
- name: u
  user:
    tokenFile: sub/token
    exec: {command: bin/login, args: [a, 1], env: [{name: X, value: y}], provideClusterInfo: true, interactiveMode: Never}
    as: root
    as-groups: [ops]
contexts:
- {name: c, context: {cluster: c, user: u}}
";
    let mut paths = files(&dir, &[("deep/config", config), ("deep/ca.pem", PEM)]);
    paths.pop();
    paths.insert(0, dir.path().join("not-there"));
    let loaded = load(&paths);
    let access = loaded.contexts[0].access.as_ref().unwrap();
    assert_eq!(access.ca.as_deref(), Some(PEM.as_bytes()));
    assert_eq!(access.auth.token_file.as_deref(), Some(dir.path().join("deep/sub/token").as_path()));
    let exec = access.auth.exec.as_ref().unwrap();
    assert_eq!(exec.command, dir.path().join("deep/bin/login").display().to_string());
    assert_eq!((exec.args.clone(), exec.env.clone()), (vec!["a".into(), "1".into()], vec![("X".into(), "y".into())]));
    let info: serde_json::Value = serde_json::from_str(&exec.cluster_info).unwrap();
    assert_eq!(info["server"], "https://c");
    assert_eq!((access.impersonate.user.as_str(), access.impersonate.groups.len()), ("root", 1));
    assert!(loaded.files.contains(&dir.path().join("deep/ca.pem")), "renewed certificates must be noticed");
    assert_eq!(said(&loaded), Vec::<String>::new());
}

#[test]
fn json_works_and_debug_output_shows_no_secret() {
    let json = r#"{"clusters":[{"name":"c","cluster":{"server":"https://c"}}],
        "users":[{"name":"u","user":{"token":"hunter2","exec":{"command":"x","args":["hunter2"]}}}],
        "contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}]}"#;
    let (_dir, loaded) = loaded(&[("config.json", json)]);
    let access = loaded.contexts[0].access.as_ref().unwrap();
    assert_eq!(access.auth.token.as_deref(), Some("hunter2"));
    assert!(!format!("{loaded:?} {:?}", access.auth.exec).contains("hunter2"));
}

/// Wherever a writer is interrupted, either the file is recognised as incomplete, or contexts are missing or dangling:
/// never does a cut file give a context another server or user.
#[test]
fn a_file_cut_anywhere_never_gives_another_answer() {
    let whole = A.replace("- name: a\n", "- name: b\n  context: {cluster: one, user: admin}\n- name: a\n");
    for cut in 0..whole.len() {
        let (_dir, loaded) = loaded(&[("config", &whole[..cut])]);
        for context in &loaded.contexts {
            let Ok(access) = &context.access else { continue };
            let cut_short = cut < whole.len() - 1;
            assert_eq!(access.server, "https://one.example", "cut at {cut}");
            // A context cut before its user or namespace is a valid file; the loss of the others tells the reload.
            assert!(access.auth.token.as_deref() == Some("first") || cut_short, "cut at {cut}");
        }
    }
}
