//! `info`: what won, where everything lies, and what is wrong with the configuration.

use std::fmt::Write as _;

use super::{Setup, args::Global, output, problem_line, request};
use crate::{
    config::{Settings, desired::policy_files},
    messages::{Lang, Msg, clean_line, cli as text, pad_right, policy, width},
    model::Place,
};

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
    desired(&mut out, settings, lang);
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

/// Services and policies of desired state, where the fleet file has any.
fn desired(out: &mut String, settings: &Settings, lang: Lang) {
    let desired = &settings.desired;
    let place = |place: &Place| format!("{}:{}", place.file, place.line);
    let count = |msg: Msg, n: usize| msg.fill(lang, &[("n", &n.to_string())]);
    let mut lines = Vec::new();
    for service in &desired.services {
        let name = if service.namespace.is_empty() { String::new() } else { format!("{}/", service.namespace) };
        let found = count(policy::I_SOURCES, service.sources.len());
        lines.push((
            policy::I_SERVICE.text(lang).into(),
            format!("{name}{}  {found}", service.name),
            place(&service.place),
        ));
    }
    for policies in &desired.policies {
        let found = count(policy::I_FILES, policy_files(policies).len());
        lines.push((
            policy::I_POLICIES.text(lang).into(),
            format!("{}  {found}", policies.path.display()),
            place(&policies.place),
        ));
    }
    if let Some(hub) = &desired.hub {
        lines.push((policy::I_HUB.text(lang).into(), hub.cluster.clone(), place(&hub.place)));
    }
    if !lines.is_empty() {
        section(out, policy::I_DESIRED, lang, &lines);
    }
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
