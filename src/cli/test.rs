//! `test`: runs situation files, one line each and a last line that counts; so teams test their own policies in CI.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use super::{
    args::{TestFormat, TestRun},
    output,
};
use crate::{
    desired::origin::{Source, SourceKind},
    messages::{Lang, clean, clean_line, desired as text},
    situation::{self, Verdict},
};

/// One situation that was run, or a file that could not be read.
struct Line {
    /// Name of the situation, or the file.
    name: String,
    /// File and line.
    place: String,
    /// How it went.
    verdict: Verdict,
}

/// Runs them. True when all passed and there was at least one.
pub(super) fn run(test: &TestRun, lang: Lang) -> anyhow::Result<bool> {
    let mut lines = Vec::new();
    for path in &test.paths {
        let mut files = Vec::new();
        if let Err(error) = collect(path, &mut files) {
            lines.push(unreadable(path, &error.to_string(), lang));
        }
        files.sort();
        files.iter().for_each(|file| lines.extend(run_file(file, lang)));
    }
    let count = Count::of(&lines);
    output::write_out(&match test.output {
        TestFormat::Table => listing(&lines, &count, lang),
        TestFormat::Json => json(&lines)?,
        TestFormat::Junit => junit(&lines, &count),
    })?;
    Ok(count.failed == 0 && count.passed > 0)
}

/// How many of each.
struct Count {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Count {
    fn of(lines: &[Line]) -> Self {
        let count = |test: fn(&Verdict) -> bool| lines.iter().filter(|l| test(&l.verdict)).count();
        Self {
            passed: count(|v| matches!(v, Verdict::Passed)),
            failed: count(|v| matches!(v, Verdict::Failed(_))),
            skipped: count(|v| matches!(v, Verdict::Skipped(_))),
        }
    }
}

/// A file as it is, or every YAML file below a folder.
fn collect(path: &Path, into: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        fs::metadata(path)?;
        into.push(path.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let yaml = entry.path().extension().is_some_and(|e| e == "yaml" || e == "yml");
        // Links are not followed: one that leads upwards would never end.
        let kind = entry.file_type()?;
        if kind.is_dir() || (yaml && kind.is_file()) {
            collect(&entry.path(), into)?;
        }
    }
    Ok(())
}

fn unreadable(path: &Path, detail: &str, lang: Lang) -> Line {
    let words = text::SITUATION_UNREADABLE.fill(lang, &[("detail", detail)]);
    let name = path.display().to_string();
    Line { place: name.clone(), name, verdict: Verdict::Failed(vec![words]) }
}

fn run_file(path: &Path, lang: Lang) -> Vec<Line> {
    let content = match fs::read_to_string(path) {
        Ok(content) => content,
        Err(error) => return vec![unreadable(path, &error.to_string(), lang)],
    };
    let source = Source::new(SourceKind::Situation, path.display().to_string());
    match situation::read(&content, &source) {
        Err(broken) => {
            let mut line = unreadable(path, &broken.detail, lang);
            line.place = format!("{}:{}", line.place, broken.line);
            vec![line]
        }
        Ok(all) => all
            .iter()
            .map(|s| Line { name: s.name.clone(), place: s.at.to_string(), verdict: situation::run(s, lang) })
            .collect(),
    }
}

/// The words of a verdict: never translated, scripts look for them.
fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed(_) => "FAILED",
        Verdict::Skipped(_) => "skipped",
    }
}

fn detail(verdict: &Verdict) -> Vec<String> {
    let lines: &[String] = match verdict {
        Verdict::Passed => &[],
        Verdict::Failed(lines) => lines,
        Verdict::Skipped(why) => std::slice::from_ref(why),
    };
    lines.iter().map(|l| clean_line(l).into_owned()).collect()
}

fn listing(lines: &[Line], count: &Count, lang: Lang) -> String {
    let mut out = String::new();
    for line in lines {
        let place =
            if line.verdict == Verdict::Passed { String::new() } else { format!("  {}", clean_line(&line.place)) };
        let _ = writeln!(out, "{:<7}  {}{place}", word(&line.verdict), clean_line(&line.name));
        for detail in detail(&line.verdict) {
            let _ = writeln!(out, "         {detail}");
        }
    }
    if lines.is_empty() {
        let _ = writeln!(out, "{}", text::SITUATION_NONE.text(lang));
    }
    let _ = writeln!(out, "{} passed, {} failed, {} skipped", count.passed, count.failed, count.skipped);
    out
}

fn json(lines: &[Line]) -> anyhow::Result<String> {
    let records: Vec<serde_json::Value> = lines
        .iter()
        .map(|line| {
            serde_json::json!({
                "name": line.name,
                "place": line.place,
                "verdict": word(&line.verdict).to_lowercase(),
                "detail": detail(&line.verdict),
            })
        })
        .collect();
    Ok(format!("{}\n", output::escape(&serde_json::to_string_pretty(&records)?)))
}

/// The report format that CI systems read.
fn junit(lines: &[Line], count: &Count) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let numbers = format!("tests=\"{}\" failures=\"{}\" skipped=\"{}\"", lines.len(), count.failed, count.skipped);
    let _ = writeln!(out, "<testsuites {numbers}>\n  <testsuite name=\"quarterdeck\" {numbers}>");
    for line in lines {
        let head = format!("    <testcase classname=\"{}\" name=\"{}\"", xml(&line.place), xml(&line.name));
        let detail = detail(&line.verdict).join("\n");
        let _ = match &line.verdict {
            Verdict::Passed => writeln!(out, "{head}/>"),
            Verdict::Failed(_) => {
                let body = xml(&detail);
                writeln!(
                    out,
                    "{head}>\n      <failure message=\"{}\">{body}</failure>\n    </testcase>",
                    xml(&first(&detail))
                )
            }
            Verdict::Skipped(_) => {
                writeln!(out, "{head}>\n      <skipped message=\"{}\"/>\n    </testcase>", xml(&first(&detail)))
            }
        };
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn first(detail: &str) -> String {
    detail.lines().next().unwrap_or_default().to_owned()
}

/// Text inside XML: the five characters that mean something, none that XML forbids, and none that steers a terminal.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<Line> {
        let line = |name: &str, verdict| Line { name: name.into(), place: "f.yaml:1".into(), verdict };
        vec![
            line("a", Verdict::Passed),
            line("b <&>", Verdict::Failed(vec!["-x".into(), "+y\u{1b}[31m\u{202e}".into()])),
            line("c", Verdict::Skipped("why".into())),
        ]
    }

    #[test]
    fn the_last_line_counts_and_nothing_steers_the_terminal() {
        let lines = lines();
        let listing = listing(&lines, &Count::of(&lines), Lang::Zh);
        assert_eq!(listing.lines().last(), Some("1 passed, 1 failed, 1 skipped"));
        assert!(!listing.contains('\u{1b}'));
    }

    #[test]
    fn the_report_is_xml() {
        let lines = lines();
        let report = junit(&lines, &Count::of(&lines));
        assert!(report.contains("tests=\"3\" failures=\"1\" skipped=\"1\""));
        assert!(report.contains("name=\"b &lt;&amp;&gt;\"") && report.contains("<failure message=\"-x\">"));
        assert!(!report.contains(['\u{1b}', '\u{202e}']));
        assert_eq!(report.matches("<testcase").count(), 3);
    }
}
