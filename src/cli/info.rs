//! `info`: what won, where everything lies, and what is wrong with the configuration.

use std::fmt::Write as _;

use super::{Setup, args::Global, output, problem_line, request};
use crate::messages::{Lang, Msg, clean_line, cli as text, pad_right, width};

/// Writes the report to standard output.
pub(super) fn run(setup: &Setup, global: &Global) -> anyhow::Result<()> {
    output::write_out(&report(setup, global))
}

fn report(setup: &Setup, global: &Global) -> String {
    let lang = setup.lang;
    let settings = &setup.settings;
    let mut out = String::new();
    section(
        &mut out,
        text::I_PROGRAM,
        lang,
        &[
            (text::I_VERSION.text(lang).into(), env!("CARGO_PKG_VERSION").into(), String::new()),
            (text::I_CLUSTERS.text(lang).into(), settings.targets.len().to_string(), String::new()),
            (text::I_FILES_LIMIT.text(lang).into(), file_limit(), String::new()),
        ],
    );
    let path = |p: &std::path::Path| p.display().to_string();
    let (log, level) = request::log(global, &setup.request, settings);
    section(
        &mut out,
        text::I_PLACES,
        lang,
        &[
            (text::I_CONFIG.text(lang).into(), path(&settings.paths.config), String::new()),
            (text::I_DATA.text(lang).into(), path(&settings.paths.data), String::new()),
            (text::I_STATE.text(lang).into(), path(&settings.paths.state), String::new()),
            (text::I_CACHE.text(lang).into(), path(&settings.paths.cache), String::new()),
            (text::I_LOG.text(lang).into(), path(&log), level),
        ],
    );
    let won: Vec<(String, String, String)> = settings
        .won
        .iter()
        .map(|w| {
            let value = if w.value.is_empty() { String::from("-") } else { w.value.clone() };
            (w.name.to_owned(), value, w.by.clone())
        })
        .collect();
    section(&mut out, text::I_SETTINGS, lang, &won);
    if settings.problems.is_empty() {
        let _ = writeln!(out, "{}", text::I_NO_PROBLEMS.text(lang));
        return out;
    }
    let _ = writeln!(out, "{}", text::I_PROBLEMS.text(lang));
    for problem in &settings.problems {
        let _ = writeln!(out, "  {}", clean_line(&problem_line(problem)));
    }
    out
}

/// A heading and aligned lines of name, value, and who said so.
fn section(out: &mut String, title: Msg, lang: Lang, lines: &[(String, String, String)]) {
    let names = lines.iter().map(|(name, ..)| width(name)).max().unwrap_or(0);
    let values = lines.iter().map(|(_, value, _)| width(value)).max().unwrap_or(0).min(60);
    let _ = writeln!(out, "{}", title.text(lang));
    for (name, value, by) in lines {
        let value = clean_line(value);
        // A long value is not cut here: it is a path that somebody wants to copy.
        let shown = if width(&value) > values { value.into_owned() } else { pad_right(&value, values) };
        let line = format!("  {}  {shown}  {}", pad_right(name, names), clean_line(by));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
}

/// Open files allowed now, and at most.
fn file_limit() -> String {
    match rlimit::getrlimit(rlimit::Resource::NOFILE) {
        Ok((now, most)) if most == rlimit::INFINITY => now.to_string(),
        Ok((now, most)) => format!("{now} / {most}"),
        Err(_) => String::from("?"),
    }
}
