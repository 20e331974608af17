//! The situations of tests/cases: what Karmada's own code answered.

use std::{fs, path::Path};

use crate::{
    desired::origin::{Source, SourceKind},
    messages::Lang,
    situation::{self, Verdict},
};

/// Runs every situation below a folder of tests/cases; the failed ones and the number of all.
fn run(folder: &str) -> (Vec<String>, usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let (mut failed, mut all) = (Vec::new(), 0);
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "yaml")) {
        let source = Source::new(SourceKind::Situation, file.display().to_string());
        for situation in situation::read(&fs::read_to_string(file).unwrap(), &source).unwrap() {
            all += 1;
            let verdict = situation::run(&situation, Lang::En);
            if verdict != Verdict::Passed {
                failed.push(format!("{}: {verdict:?}", situation.name));
            }
        }
    }
    (failed, all)
}

#[test]
fn every_situation_ends_as_karmada_ends_it() {
    for (folder, expected) in [("karmada", 109), ("karmada-random", 502)] {
        let (failed, all) = run(folder);
        assert_eq!((failed, all), (Vec::new(), expected), "{folder}");
    }
}
