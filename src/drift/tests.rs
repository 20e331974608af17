//! Drift: every case that was held against a real server, and what holds for any object.

use std::{fs, path::Path, sync::Arc};

use crate::{
    desired::origin::{Source, SourceKind},
    messages::Lang,
    situation::{self, Verdict},
};

/// Name and text of every case.
fn cases() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/drift");
    let mut found: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "yaml"))
        .map(|path| (path.file_stem().unwrap().display().to_string(), fs::read_to_string(&path).unwrap()))
        .collect();
    found.sort();
    found
}

fn verdict(name: &str, text: &str) -> Verdict {
    let source: Arc<Source> = Source::new(SourceKind::Situation, format!("{name}.yaml"));
    let all = situation::read(text, &source).unwrap();
    assert_eq!(all.len(), 1, "{name}");
    situation::run(&all[0], Lang::En)
}

#[test]
fn every_case_passes_and_a_flipped_expectation_fails() {
    let cases = cases();
    assert_eq!(cases.len(), 84, "cases come and go by intent only");
    let mut failed = Vec::new();
    for (name, text) in &cases {
        match verdict(name, text) {
            Verdict::Passed => {}
            other => failed.push(format!("{name}: {other:?}")),
        }
        let flipped = if text.contains("\n  drift: false") {
            text.replace("\n  drift: false", "\n  drift: true\n  paths: [/spec]\n  class: manual-edit")
        } else {
            text.replace("\n  drift: true", "\n  drift: false")
        };
        assert_ne!(&flipped, text, "{name}");
        assert!(matches!(verdict(name, &flipped), Verdict::Failed(_)), "{name} passes whatever it expects");
    }
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), cases.len(), failed.join("\n"));
}
