//! The architecture's invariants, read from the sources: who may know whom, and where the clock and the network may be.

use std::{
    fs,
    path::{Path, PathBuf},
};

use libtest_mimic::Trial;

use crate::always;

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        always("architecture::pure_modules_do_no_io_and_have_no_clock", pure_modules_do_no_io_and_have_no_clock),
        always("architecture::only_the_edges_know_the_client", only_the_edges_know_the_client),
        always("architecture::nothing_but_actions_writes", nothing_but_actions_writes),
        always("architecture::model_knows_nobody", model_knows_nobody),
        always("architecture::screens_hold_no_client_and_no_runtime", screens_hold_no_client_and_no_runtime),
        always("architecture::the_simulated_fleet_is_known_by_the_command_line_alone", sim_is_known_by_cli_alone),
        always("architecture::every_file_says_what_it_is", every_file_says_what_it_is),
    ]
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every Rust file below `src/<part>`, with the code before its first test module; comments left out.
fn files(part: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(&source().join(part), &mut found);
    let file = source().join(format!("{part}.rs"));
    if file.exists() {
        found.push(file);
    }
    found.sort();
    assert!(!found.is_empty(), "src/{part} has files");
    found
        .into_iter()
        .filter(|p| p.file_name().is_none_or(|n| n != "tests.rs" && n != "fixture.rs"))
        .filter(|p| p.components().all(|part| part.as_os_str() != "tests"))
        .map(|p| {
            let text = fs::read_to_string(&p).expect("readable");
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            let code: Vec<&str> = code.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
            (p.strip_prefix(source()).expect("below src").display().to_string(), code.join("\n"))
        })
        .collect()
}

fn collect(at: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(at).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// Fails with every place where one of the words stands.
fn refuse(parts: &[&str], words: &[&str], why: &str) {
    let mut places = Vec::new();
    for part in parts {
        for (file, code) in files(part) {
            for (line, text) in code.lines().enumerate() {
                for word in words.iter().filter(|w| text.contains(**w)) {
                    places.push(format!("{file}: `{word}` (code line {}): {}", line + 1, text.trim()));
                }
            }
        }
    }
    assert!(places.is_empty(), "{why}\n{}", places.join("\n"));
}

fn pure_modules_do_no_io_and_have_no_clock() {
    let words = [
        "tokio",
        "kube::",
        "std::fs",
        "std::net",
        "std::process",
        "SystemTime",
        "Instant::now",
        "Timestamp::now",
        "std::env",
        "std::thread",
    ];
    refuse(
        &["model", "fleet", "schema", "shape", "desired", "drift", "situation"],
        &words,
        "these are pure: time, files and the network are arguments",
    );
}

fn model_knows_nobody() {
    let words =
        ["crate::fleet", "crate::live", "crate::config", "crate::tui", "crate::cli", "crate::sim", "crate::messages"];
    refuse(&["model"], &words, "model knows nobody");
}

fn only_the_edges_know_the_client() {
    refuse(
        &[
            "model",
            "fleet",
            "schema",
            "shape",
            "desired",
            "drift",
            "situation",
            "render",
            "config",
            "messages",
            "tui",
            "cli",
        ],
        &["kube::", "k8s_openapi", "hyper::"],
        "only live and actions know kube's client",
    );
}

fn screens_hold_no_client_and_no_runtime() {
    refuse(
        &["tui/screens", "tui/widgets"],
        &["tokio::", "kube::", "std::fs", "Instant::now", "SystemTime"],
        "screens are a function of state",
    );
}

fn sim_is_known_by_cli_alone() {
    refuse(
        &["model", "fleet", "schema", "desired", "situation", "render", "live", "config", "messages", "tui"],
        &["crate::sim", "sim::"],
        "the simulated fleet is reached over HTTP, like any cluster",
    );
}

/// No request that could change a cluster is built outside `actions`. Reviews of one's own rights are POSTs that store
/// nothing; they are the only ones, and they are named.
fn nothing_but_actions_writes() {
    let words = [
        "Method::PUT",
        "Method::PATCH",
        "Method::DELETE",
        "Api::<",
        "PostParams",
        "PatchParams",
        "DeleteParams",
        ".replace(\"PATCH",
    ];
    refuse(
        &["live", "config", "tui", "cli", "fleet", "messages", "model", "schema", "desired", "situation", "render"],
        &words,
        "only actions writes to a cluster",
    );
    for (file, code) in files("live") {
        let posts = code.matches("Method::POST").count();
        assert!(
            posts == 0 || code.contains("selfsubject"),
            "{file}: a POST that is no review of one's own rights; only actions writes to a cluster"
        );
    }
}

fn every_file_says_what_it_is() {
    let mut found = Vec::new();
    collect(&source(), &mut found);
    let silent: Vec<String> = found
        .iter()
        .filter(|p| !fs::read_to_string(p).expect("readable").starts_with("//!"))
        .map(|p| p.display().to_string())
        .collect();
    assert!(silent.is_empty(), "files that do not begin by saying what they are: {silent:#?}");
}
