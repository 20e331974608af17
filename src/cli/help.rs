//! Help texts on the command line's flags and commands, in the language of the person.

use clap::{Command, CommandFactory};

use super::args::Line;
use crate::messages::{Lang, Msg, cli as text, desired};

/// Text of a flag or argument, by its name; those of `sim` have their own `--kubeconfig`.
fn flag(name: &str) -> Option<Msg> {
    Some(match name {
        "open" => text::F_OPEN,
        "kubeconfig" => text::F_KUBECONFIG,
        "fleet" => text::F_FLEET,
        "config" => text::F_CONFIG,
        "context" => text::F_CONTEXT,
        "group" => text::F_GROUP,
        "namespace" => text::F_NAMESPACE,
        "selector" => text::F_SELECTOR,
        "read_only" => text::F_READ_ONLY,
        "no_cache" => text::F_NO_CACHE,
        "theme" => text::F_THEME,
        "color" => text::F_COLOR,
        "lang" => text::F_LANG,
        "ascii" => text::F_ASCII,
        "no_mouse" => text::F_NO_MOUSE,
        "plain" => text::F_PLAIN,
        "log_level" => text::F_LOG_LEVEL,
        "log_file" => text::F_LOG_FILE,
        "timeout" => text::F_TIMEOUT,
        "output" => text::F_OUTPUT,
        "exit_code" => text::F_EXIT_CODE,
        "filter" => text::F_FILTER,
        "kind" => text::F_KIND,
        "names" => text::F_NAMES,
        "problems" => text::F_PROBLEMS,
        "sort" => text::F_SORT,
        "shell" => text::F_SHELL,
        "dir" => text::F_DIR,
        "clusters" => text::F_CLUSTERS,
        "nodes" => text::F_NODES,
        "pods" => text::F_PODS,
        "workloads" => text::F_WORKLOADS,
        "rtt" => text::F_RTT,
        "churn" => text::F_CHURN,
        "seed" => text::F_SEED,
        "speed" => text::F_SPEED,
        "words" => text::F_WORDS,
        "paths" => desired::F_PATHS,
        "services" => desired::F_SERVICES,
        "places" => desired::F_WHERE,
        "live" => desired::F_LIVE,
        "all" => desired::F_ALL,
        "save" => desired::F_SAVE,
        "object" => desired::F_OBJECT,
        "field" => desired::F_FIELD,
        "lose" => desired::F_LOSE,
        "taint" => desired::F_TAINT,
        "room" => desired::F_ROOM,
        "weight" => desired::F_WEIGHT,
        "add" => desired::F_ADD,
        "policy" => desired::F_POLICY,
        "without" => desired::F_WITHOUT,
        "fresh" => desired::F_FRESH,
        "findings" => desired::F_FINDINGS,
        "topic" => text::F_TOPIC,
        "of" => text::F_SCHEMA_OF,
        "help" => text::F_HELP,
        "version" => text::F_VERSION,
        _ => return None,
    })
}

/// Text of a command, by its name.
fn command(name: &str) -> Option<Msg> {
    Some(match name {
        "quarterdeck" => text::C_QUARTERDECK,
        "clusters" => text::C_CLUSTERS,
        "matrix" => text::C_MATRIX,
        "get" => text::C_GET,
        "doctor" => text::C_DOCTOR,
        "info" => text::C_INFO,
        "keys" => text::C_KEYS,
        "completion" => text::C_COMPLETION,
        "man" => text::C_MAN,
        "schema" => text::C_SCHEMA,
        "render" => desired::C_RENDER,
        "place" => desired::C_PLACE,
        "explain" => desired::C_EXPLAIN,
        "whatif" => desired::C_WHATIF,
        "differences" => desired::C_DIFFERENCES,
        "lint" => desired::C_LINT,
        "test" => desired::C_TEST,
        "sim" => text::C_SIM,
        "demo" => text::C_DEMO,
        "help" => text::C_HELP,
        _ => return None,
    })
}

/// The command line with its texts.
pub(super) fn line(lang: Lang) -> Command {
    let mut line = Line::command();
    // Builds the flags that clap adds by itself, so that they get their texts too.
    line.build();
    put_in(line, lang)
}

fn put_in(mut to: Command, lang: Lang) -> Command {
    if let Some(msg) = command(to.get_name()) {
        to = to.about(msg.text(lang));
    }
    if to.get_name() == "quarterdeck" {
        to = to.after_help(text::AFTER_HELP.text(lang));
    }
    to = to.mut_args(|arg| match flag(arg.get_id().as_str()) {
        Some(msg) => arg.help(msg.text(lang)),
        None => arg,
    });
    let names: Vec<String> = to.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    for name in names {
        to = to.mut_subcommand(name, |sub| put_in(sub, lang));
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_flag_has_its_text() {
        fn check(at: &Command) {
            assert!(command(at.get_name()).is_some(), "command {}", at.get_name());
            for arg in at.get_arguments() {
                assert!(flag(arg.get_id().as_str()).is_some(), "{} {}", at.get_name(), arg.get_id());
            }
            at.get_subcommands().for_each(check);
        }
        Line::command().debug_assert();
        check(&Line::command());
        let help = line(Lang::Zh).render_long_help().to_string();
        assert!(help.contains(text::C_MATRIX.zh) && help.contains(text::F_KUBECONFIG.zh), "{help}");
    }
}
