//! `demo`: any command, or the console, on a simulated fleet in this very process. The person's own clusters, caches and
//! journals are out of reach.

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use clap::FromArgMatches as _;

use super::{
    Start,
    args::{Command, Line},
    help,
    sim::Scratch,
};
use crate::{
    messages::{Lang, cli as text},
    sim::{self, Fleet, Spec},
};

/// Simulated seconds per second: rollouts are seen to move, and nothing is over before it was seen.
const SPEED: f64 = 1.0;
/// The same fleet every time.
const SEED: u64 = 1;

/// Serves the fleet, runs what stands behind `demo`, and ends.
pub(super) fn run(words: &[String], start: &Start, lang: Lang) -> anyhow::Result<ExitCode> {
    if words.first().is_some_and(|w| w == "demo" || w == "sim") {
        anyhow::bail!(text::DEMO_IN_DEMO.text(lang));
    }
    let inner = without_demo(start, words.len(), lang);
    if words.is_empty() && !super::is_terminal() {
        anyhow::bail!(text::NO_TERMINAL_DEMO.text(lang));
    }
    let scratch = Scratch::new("demo")?;
    let spec = Spec { fleet: Fleet::Demo, seed: SEED, speed: SPEED, dir: scratch.path().join("fleet") };
    let running = sim::serve(&spec)?;
    let env = env(&start.env, scratch.path(), &running.kubeconfig, running.fleet_file.as_deref());
    let code = super::run(&Start { arguments: inner.arguments, env });
    drop(running);
    Ok(code)
}

/// The command line without the word `demo`; flags before and behind it stay. The same word may also be a flag's value
/// (`-n demo`): the command is the one without which the line is another command.
fn without_demo(start: &Start, words: usize, lang: Lang) -> Start {
    let end = start.arguments.len().saturating_sub(words);
    let places = (1..end).filter(|at| start.arguments[*at] == "demo");
    let mut lines: Vec<Start> = places
        .map(|at| {
            let mut line = start.clone();
            line.arguments.remove(at);
            line
        })
        .collect();
    let is_other = |line: &Start| {
        let parsed = help::line(lang).try_get_matches_from(&line.arguments).and_then(|m| Line::from_arg_matches(&m));
        parsed.is_ok_and(|line| !matches!(line.command, Some(Command::Demo { .. })))
    };
    // Where none can be read (a flag that does not exist), the line complains when it is run.
    let found = lines.iter().position(is_other).or_else(|| lines.len().checked_sub(1));
    found.map_or_else(|| start.clone(), |i| lines.swap_remove(i))
}

/// Variables that point at the demo fleet and keep its traces in the scratch folder.
fn env(
    own: &BTreeMap<String, String>,
    scratch: &Path,
    kubeconfig: &Path,
    fleet: Option<&Path>,
) -> BTreeMap<String, String> {
    let mut env = own.clone();
    // Choices made for the person's own fleet mean nothing here, and loopback needs no proxy.
    let alien = |name: &str| {
        let upper = name.to_ascii_uppercase();
        upper.ends_with("_PROXY")
            || [
                "KUBECONFIG",
                "QUARTERDECK_CONTEXT",
                "QUARTERDECK_GROUP",
                "QUARTERDECK_NAMESPACE",
                "QUARTERDECK_SELECTOR",
            ]
            .contains(&upper.as_str())
    };
    env.retain(|name, _| !alien(name));
    let mut set = |name: &str, path: &Path| env.insert(name.to_owned(), path.display().to_string());
    set("QUARTERDECK_KUBECONFIG", kubeconfig);
    match fleet {
        Some(file) => set("QUARTERDECK_FLEET", file),
        // Without a fleet file of its own the demo must not find the person's.
        None => set("QUARTERDECK_CONFIG_DIR", &scratch.join("config")),
    };
    for (name, folder) in [("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")] {
        set(name, &scratch.join(folder));
    }
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_demo_is_taken_out_where_it_is_the_command() {
        let start = |words: &[&str]| Start { arguments: words.iter().map(Into::into).collect(), ..Start::default() };
        for (line, behind, want) in [
            ("q -n demo demo get pods -o json", 4, "q -n demo get pods -o json"),
            ("q demo", 0, "q"),
            ("q demo --ascii", 0, "q --ascii"),
            ("q --plain demo --ascii", 0, "q --plain --ascii"),
            ("q demo --ascii get pods --lang zh", 4, "q --ascii get pods --lang zh"),
            ("q demo -n demo get pods", 2, "q -n demo get pods"),
            ("q --theme demo -n demo demo clusters", 1, "q --theme demo -n demo clusters"),
            ("q demo get --nonsense", 2, "q get --nonsense"),
            ("q demo get --help", 2, "q get --help"),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let inner = without_demo(&start(&words), behind, Lang::En).arguments;
            assert_eq!(inner, want.split(' ').collect::<Vec<_>>(), "{line}");
        }
    }

    #[test]
    fn nothing_of_the_persons_own_is_reached() {
        let own: BTreeMap<String, String> = [
            ("KUBECONFIG", "/home/me/.kube/config"),
            ("https_proxy", "http://proxy"),
            ("QUARTERDECK_CONTEXT", "mine"),
            ("HOME", "/home/me"),
        ]
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .collect();
        let env = env(&own, Path::new("/s"), Path::new("/s/fleet/kubeconfig"), None);
        assert_eq!(env.get("QUARTERDECK_KUBECONFIG").map(String::as_str), Some("/s/fleet/kubeconfig"));
        assert!(!env.values().any(|v| v.contains("mine") || v.contains("proxy") || v.contains(".kube")), "{env:?}");
        assert_eq!(env.get("XDG_CACHE_HOME").map(String::as_str), Some("/s/cache"));
    }
}
