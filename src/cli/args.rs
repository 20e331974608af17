//! What may stand on the command line. Help texts are in `messages::cli`, put in by [`super::help`].

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::completion::Shell;
use crate::config::choices;

/// The whole command line.
#[derive(Clone, Debug, Parser)]
#[command(name = "quarterdeck", version, disable_help_subcommand = true)]
pub(super) struct Line {
    #[command(flatten)]
    pub global: Global,
    #[arg(long, value_name = "KIND")]
    pub open: Option<String>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Flags that every command understands.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Global {
    #[arg(long, global = true, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    #[arg(long, global = true, value_name = "FILE")]
    pub fleet: Option<PathBuf>,
    #[arg(long, global = true, value_name = "DIR")]
    pub config: Option<PathBuf>,
    #[arg(long, global = true, value_name = "GLOB")]
    pub context: Vec<String>,
    #[arg(long, global = true, value_name = "NAME")]
    pub group: Vec<String>,
    #[arg(short, long, global = true, value_name = "NAME")]
    pub namespace: Option<String>,
    #[arg(short = 'l', long, global = true, value_name = "SELECTOR")]
    pub selector: Option<String>,
    #[arg(long, global = true)]
    pub read_only: bool,
    #[arg(long, global = true)]
    pub no_cache: bool,
    #[arg(long, global = true, value_name = "NAME")]
    pub theme: Option<String>,
    #[arg(long, global = true, value_name = "WHEN", value_parser = choices::COLORS.to_vec())]
    pub color: Option<String>,
    #[arg(long, global = true, value_name = "LANG", value_parser = choices::LANGS.to_vec())]
    pub lang: Option<String>,
    #[arg(long, global = true)]
    pub ascii: bool,
    #[arg(long, global = true)]
    pub no_mouse: bool,
    #[arg(long, global = true)]
    pub plain: bool,
    #[arg(long, global = true, value_name = "LEVEL", value_parser = ["error", "warn", "info", "debug", "trace"])]
    pub log_level: Option<String>,
    #[arg(long, global = true, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
    #[arg(long, global = true, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,
}

/// The subcommands; none is the console itself.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum Command {
    Clusters(Listing),
    Matrix(Listing),
    Get(Get),
    Doctor(Listing),
    Info,
    Keys(Output),
    Completion {
        shell: Shell,
    },
    Man {
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    Schema {
        #[arg(value_enum, default_value_t, value_name = "FILE")]
        of: SchemaOf,
    },
    Render(RenderRun),
    Place(PlaceRun),
    Explain(ExplainRun),
    #[command(name = "whatif")]
    WhatIf(WhatIfRun),
    Differences(DifferencesRun),
    Lint(LintRun),
    Test(TestRun),
    Sim(Sim),
    Demo {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
        words: Vec<String>,
    },
    Help {
        topic: Vec<String>,
    },
}

/// `render`.
#[derive(Args, Clone, Debug)]
pub(super) struct RenderRun {
    #[arg(value_name = "SERVICE")]
    pub services: Vec<String>,
    #[arg(short, long, value_enum, default_value_t = Format::Yaml)]
    pub output: Format,
    #[arg(long = "where")]
    pub places: bool,
    #[arg(long)]
    pub live: bool,
}

/// `place`.
#[derive(Args, Clone, Debug)]
pub(super) struct PlaceRun {
    #[arg(value_name = "SERVICE")]
    pub services: Vec<String>,
    #[command(flatten)]
    pub output: Output,
    #[arg(long)]
    pub all: bool,
    #[arg(long)]
    pub live: bool,
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

/// `explain`.
#[derive(Args, Clone, Debug)]
pub(super) struct ExplainRun {
    #[arg(value_name = "KIND/NAME")]
    pub object: String,
    #[arg(value_name = "FIELD")]
    pub field: Option<String>,
    #[command(flatten)]
    pub output: Output,
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    #[arg(long)]
    pub live: bool,
}

/// `whatif`.
#[derive(Args, Clone, Debug)]
pub(super) struct WhatIfRun {
    #[arg(long, value_name = "CLUSTER")]
    pub lose: Vec<String>,
    #[arg(long, value_name = "CLUSTER=KEY:EFFECT")]
    pub taint: Vec<String>,
    #[arg(long, value_name = "CLUSTER=N")]
    pub room: Vec<String>,
    #[arg(long, value_name = "POLICY:CLUSTER=N")]
    pub weight: Vec<String>,
    #[arg(long, value_name = "NAME,KEY=VALUE...")]
    pub add: Vec<String>,
    #[arg(long, value_name = "FILE")]
    pub policy: Vec<PathBuf>,
    #[arg(long, value_name = "POLICY")]
    pub without: Vec<String>,
    #[arg(long)]
    pub fresh: bool,
    #[command(flatten)]
    pub output: Output,
    #[arg(long)]
    pub exit_code: bool,
    #[arg(long)]
    pub live: bool,
}

/// `differences`.
#[derive(Args, Clone, Debug)]
pub(super) struct DifferencesRun {
    #[arg(value_name = "SERVICE")]
    pub services: Vec<String>,
    #[command(flatten)]
    pub output: Output,
    #[arg(long)]
    pub findings: bool,
    #[arg(long)]
    pub exit_code: bool,
    #[arg(long)]
    pub live: bool,
}

/// `lint`.
#[derive(Args, Clone, Debug)]
pub(super) struct LintRun {
    #[command(flatten)]
    pub output: Output,
    #[arg(long)]
    pub exit_code: bool,
    #[arg(long)]
    pub live: bool,
}

/// `test`.
#[derive(Args, Clone, Debug)]
pub(super) struct TestRun {
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[arg(short, long, value_enum, default_value_t = TestFormat::Table)]
    pub output: TestFormat,
}

/// Format of a report on situation files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TestFormat {
    #[default]
    Table,
    Json,
    Junit,
}

/// How the answer is written.
#[derive(Args, Clone, Debug)]
pub(super) struct Output {
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    pub output: Format,
}

/// A command that answers with a table of the fleet.
#[derive(Args, Clone, Debug)]
pub(super) struct Listing {
    #[command(flatten)]
    pub output: Output,
    #[arg(long)]
    pub exit_code: bool,
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
}

/// `get`.
#[derive(Args, Clone, Debug)]
pub(super) struct Get {
    pub kind: String,
    pub names: Vec<String>,
    #[command(flatten)]
    pub listing: Listing,
    #[arg(long)]
    pub problems: bool,
    #[arg(long, value_name = "ORDER", default_value = "name")]
    pub sort: String,
}

/// `sim`. The kubeconfig is written where `--kubeconfig` says.
#[derive(Args, Clone, Debug)]
pub(super) struct Sim {
    #[arg(long, value_name = "N")]
    pub clusters: Option<usize>,
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub nodes: usize,
    #[arg(long, value_name = "N")]
    pub pods: Option<usize>,
    #[arg(long, value_name = "N")]
    pub workloads: Option<usize>,
    #[arg(long, value_name = "MS", value_parser = parse_range)]
    pub rtt: Option<(u64, u64)>,
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub churn: u32,
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub speed: f64,
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Format of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    #[default]
    Table,
    Wide,
    Json,
    Yaml,
    Csv,
}

/// Which file a schema is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaOf {
    #[default]
    Fleet,
    Policy,
}

/// `30`, `30s`, `2m`, `500ms`.
pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| String::from("30s, 2m, 500ms"))?;
    match unit {
        "" | "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number.saturating_mul(60))),
        "ms" => Ok(Duration::from_millis(number)),
        _ => Err(String::from("30s, 2m, 500ms")),
    }
}

/// `50-300`, or `50` for all alike.
fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let number = |t: &str| t.parse::<u64>().map_err(|_| String::from("50-300"));
    let range = (number(low)?, number(high)?);
    if range.0 <= range.1 { Ok(range) } else { Err(String::from("50-300")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_ranges() {
        assert_eq!(parse_time("30"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_time("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert!(parse_time("soon").is_err() && parse_time("1h").is_err());
        assert_eq!(parse_range("50-300"), Ok((50, 300)));
        assert_eq!(parse_range("50"), Ok((50, 50)));
        assert!(parse_range("300-50").is_err());
    }

    #[test]
    fn global_flags_may_stand_on_either_side() {
        let parse = |words: &[&str]| Line::try_parse_from([&["quarterdeck"], words].concat()).unwrap();
        for words in [
            &["--context", "a*", "get", "pods", "-n", "shop", "-o", "json"][..],
            &["get", "pods", "--context", "a*", "-n", "shop", "-o", "json"],
        ] {
            let line = parse(words);
            assert_eq!(line.global.context, vec!["a*"]);
            assert_eq!(line.global.namespace.as_deref(), Some("shop"));
            let Some(Command::Get(get)) = line.command else { panic!("get") };
            assert_eq!((get.kind.as_str(), get.listing.output.output), ("pods", Format::Json));
        }
        let Some(Command::Demo { words }) = parse(&["--lang", "zh", "demo", "matrix", "-o", "json"]).command else {
            panic!("demo")
        };
        assert_eq!(words, vec!["matrix", "-o", "json"]);
    }
}
