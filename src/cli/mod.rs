//! The command line: one file per subcommand; every screen has a command with the same content.
//!
//! Exit codes: 0 all answered, 1 findings (only with `--exit-code`), 2 error, 3 some clusters are missing from the answer
//! (named on standard error). A missing cluster outweighs findings: what was not seen cannot be called well.

mod args;
mod clusters;
mod collect;
mod completion;
mod demo;
mod desired;
mod doctor;
mod get;
mod help;
mod info;
mod keys;
mod log;
mod man;
mod matrix;
mod output;
mod request;
mod schema;
mod screen;
mod sim;
mod test;
mod topics;
mod words;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{IsTerminal, Write},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use clap::FromArgMatches;

use crate::{
    config::{self, Problem, Request, Settings},
    fleet::filter::Filter,
    messages::{Lang, clean_line, cli as text},
    model::KindSet,
};
use args::{Command, Global, Line};
use collect::{Gap, Picture};

/// How a command ended, beside errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Outcome {
    /// All answered.
    #[default]
    Fine,
    /// There are findings, and the exit code was asked to say so.
    Findings,
    /// Some clusters, or sources and policies, are missing from the answer.
    Partial,
    /// No cluster answered.
    Nothing,
}

impl Outcome {
    /// The exit code.
    fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Findings => 1,
            Self::Nothing => 2,
            Self::Partial => 3,
        }
    }
}

/// What every command works with.
struct Setup {
    /// What was asked for.
    pub request: Request,
    /// What is used.
    pub settings: Arc<Settings>,
    /// Kinds known: the built-in ones and those of the fleet file.
    pub kinds: KindSet,
    /// How long a one-shot command waits.
    pub timeout: Duration,
    /// Language.
    pub lang: Lang,
}

/// What the process was started with; `demo` makes another one for the command inside it.
#[derive(Clone, Debug, Default)]
struct Start {
    /// The command line, the program's name first.
    arguments: Vec<OsString>,
    /// The variables.
    env: BTreeMap<String, String>,
}

/// Runs the program with the process's arguments and variables.
pub fn main() -> ExitCode {
    raise_file_limit();
    run(&Start { arguments: std::env::args_os().collect(), env: request::environment() })
}

/// Runs one command line. `demo` comes back here with its inner one.
fn run(start: &Start) -> ExitCode {
    let early = request::early_lang(start);
    let line = match help::line(early).try_get_matches_from(&start.arguments).and_then(|m| Line::from_arg_matches(&m)) {
        Ok(line) => line,
        Err(error) => {
            // clap's own exit codes are ours: 0 for help and version, 2 for errors. A closed pipe is no error.
            let _ = error.print();
            return ExitCode::from(u8::from(error.use_stderr()) * 2);
        }
    };
    match dispatch(line, start, early) {
        Ok(code) => code,
        Err(error) => {
            complain(early, &format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

fn dispatch(line: Line, start: &Start, lang: Lang) -> anyhow::Result<ExitCode> {
    let fine = |result: anyhow::Result<()>| result.map(|()| ExitCode::SUCCESS);
    match line.command {
        // These need no fleet, and work where the configuration is broken.
        Some(Command::Completion { shell }) => fine(completion::run(shell, lang)),
        Some(Command::Man { dir }) => fine(man::run(dir.as_deref(), lang)),
        Some(Command::Schema { of }) => fine(schema::run(of)),
        Some(Command::Test(run)) => Ok(ExitCode::from(u8::from(!test::run(&run, lang)?))),
        Some(Command::Help { topic }) => fine(topics::run(&topic, lang)),
        Some(Command::Keys(output)) => fine(keys::run(output.output, lang)),
        Some(Command::Sim(sim)) => fine(sim::run(&sim, line.global.kubeconfig.as_deref(), lang)),
        Some(Command::Demo { words }) => demo::run(&words, start, lang),
        other => with_fleet(other, line.open, &line.global, start),
    }
}

/// The commands that read the configuration.
fn with_fleet(
    command: Option<Command>,
    open: Option<String>,
    global: &Global,
    start: &Start,
) -> anyhow::Result<ExitCode> {
    let request = request::request(global, start.env.clone());
    let settings = match config::resolve_telling_all(&request) {
        Ok(settings) => Arc::new(settings),
        Err(problems) => {
            let lang = config::language(&request, None).0;
            problems.iter().for_each(|p| complain(lang, &problem_line(p)));
            return Ok(ExitCode::from(2));
        }
    };
    let lang = settings.lang;
    start_log(global, &request, &settings);
    let kinds = KindSet::default();
    for kind in &settings.extra_kinds {
        kinds.add(kind.clone());
    }
    let timeout = request::timeout(global, &request).unwrap_or(collect::USUAL_TIMEOUT);
    let setup = Setup { request, settings, kinds, timeout, lang };
    let outcome = match command {
        None => return screen::run(&setup, open),
        Some(Command::Info) => info::run(&setup, global).map(|()| Outcome::Fine),
        Some(Command::Clusters(listing)) => clusters::run(&setup, &listing),
        Some(Command::Matrix(listing)) => matrix::run(&setup, &listing),
        Some(Command::Get(get)) => get::run(&setup, &get),
        Some(Command::Doctor(listing)) => doctor::run(&setup, &listing),
        Some(Command::Render(run)) => desired::render::run(&setup, &run),
        Some(Command::Place(run)) => desired::place::run(&setup, &run),
        Some(Command::Lint(run)) => desired::lint::run(&setup, &run),
        Some(Command::Explain(run)) => desired::explain::run(&setup, &run),
        Some(Command::WhatIf(run)) => desired::whatif::run(&setup, &run),
        Some(Command::Differences(run)) => desired::differences::run(&setup, &run),
        Some(_) => Ok(Outcome::Fine),
    }?;
    Ok(ExitCode::from(outcome.code()))
}

/// Logging starts where it can; a program without a log still works.
fn start_log(global: &Global, request: &Request, settings: &Settings) {
    let (path, level) = request::log(global, request, settings);
    if let Err(error) = log::start(&path, &level) {
        let values = [("file", path.display().to_string()), ("detail", error.to_string())];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        complain(settings.lang, &text::NO_LOG.fill(settings.lang, &values));
    }
}

/// One line on standard error; nobody to hear it is no error.
fn complain(lang: Lang, line: &str) {
    let line = text::COMPLAINT.fill(lang, &[("text", &clean_line(line))]);
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// A problem as one line: place, field, words.
fn problem_line(problem: &Problem) -> String {
    let parts = [&problem.place, &problem.field, &problem.text];
    parts.into_iter().filter(|p| !p.is_empty()).map(String::as_str).collect::<Vec<_>>().join(": ")
}

/// Whether the person can see and type: the console needs both.
fn is_terminal() -> bool {
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// Refuses to go on where there is no cluster to ask, saying where was looked.
fn need_clusters(setup: &Setup) -> anyhow::Result<()> {
    if !setup.settings.targets.is_empty() {
        return Ok(());
    }
    let why: Vec<String> = setup.settings.problems.iter().map(problem_line).collect();
    anyhow::bail!(why.join("; "))
}

/// `--filter`. A part that cannot be used is an error here: a script must not take it for "nothing fits".
fn filter(typed: Option<&str>, lang: Lang) -> anyhow::Result<Filter> {
    let filter = Filter::parse(typed.unwrap_or(""));
    match filter.note() {
        Some(part) => anyhow::bail!(text::BROKEN_FILTER.fill(lang, &[("part", part)])),
        None => Ok(filter),
    }
}

/// Names what is missing from the answer on standard error, and says how the command ended.
fn tell_missing(setup: &Setup, picture: &Picture, findings: bool) -> Outcome {
    for (id, gap) in &picture.missing {
        let Some(shard) = picture.store.shard(*id) else { continue };
        let name = &shard.record.name;
        match gap {
            Gap::Cluster(condition) => {
                let why = words::condition(condition, picture.now, setup.lang);
                complain(setup.lang, &text::MISSING_CLUSTER.fill(setup.lang, &[("name", name), ("why", &why)]));
            }
            Gap::Kinds(kinds) => {
                let all: Vec<String> = kinds
                    .iter()
                    .filter_map(|(kind, status)| {
                        let resource = setup.kinds.info(*kind)?.resource();
                        Some(format!("{resource} ({})", words::kind_status(status, setup.lang)))
                    })
                    .collect();
                let values = [("name", &**name), ("kinds", &all.join(", "))];
                complain(setup.lang, &text::MISSING_KINDS.fill(setup.lang, &values));
            }
            Gap::Objects(n, latest) => {
                for (what, why) in latest {
                    let values = [("name", &**name), ("what", what), ("why", why)];
                    complain(setup.lang, &text::MISSING_OBJECT.fill(setup.lang, &values));
                }
                if usize::try_from(*n).is_ok_and(|n| n > latest.len()) {
                    let values = [("name", &**name), ("n", &n.to_string())];
                    complain(setup.lang, &text::MISSING_OBJECTS.fill(setup.lang, &values));
                }
            }
        }
    }
    match (picture.nothing(), picture.missing.is_empty(), findings) {
        (true, ..) => Outcome::Nothing,
        (_, false, _) => Outcome::Partial,
        (_, _, true) => Outcome::Findings,
        _ => Outcome::Fine,
    }
}

/// Many clusters need many sockets; shells often allow 256 or 1,024 files where the system allows far more.
fn raise_file_limit() {
    // A limit that cannot be raised is told by `doctor`.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_as_documented() {
        let codes: Vec<u8> = [Outcome::Fine, Outcome::Findings, Outcome::Nothing, Outcome::Partial]
            .into_iter()
            .map(Outcome::code)
            .collect();
        assert_eq!(codes, vec![0, 1, 2, 3]);
    }

    #[test]
    fn a_problem_is_one_line_and_cannot_steer_the_terminal() {
        let problem = Problem { place: "f:3".into(), field: String::new(), text: "x".into() };
        assert_eq!(problem_line(&problem), "f:3: x");
    }
}
