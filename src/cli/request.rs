//! From the command line and the variables to a [`Request`].

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use super::{Start, args::Global};
use crate::{
    config::{self, Request, Settings, paths},
    messages::Lang,
};

/// The process's variables; those that are no text are of no use to us.
pub(super) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect()
}

/// What was asked for.
pub(super) fn request(global: &Global, env: BTreeMap<String, String>) -> Request {
    Request {
        kubeconfig: global.kubeconfig.clone(),
        fleet: global.fleet.clone(),
        config_dir: global.config.clone(),
        contexts: global.context.clone(),
        groups: global.group.clone(),
        namespace: global.namespace.clone(),
        selector: global.selector.clone(),
        read_only: global.read_only,
        no_cache: global.no_cache,
        theme: global.theme.clone(),
        color: global.color.clone(),
        lang: global.lang.clone(),
        ascii: global.ascii,
        no_mouse: global.no_mouse,
        plain: global.plain,
        env,
    }
}

/// The language before the command line is parsed, for its help and errors: a look at `--lang` and the variables.
pub(super) fn early_lang(start: &Start) -> Lang {
    let words: Vec<&str> = start.arguments.iter().filter_map(|a| a.to_str()).collect();
    let apart = words.iter().position(|w| *w == "--lang").and_then(|i| words.get(i + 1)).copied();
    let joined = words.iter().find_map(|w| w.strip_prefix("--lang="));
    let request = Request { lang: apart.or(joined).map(str::to_owned), env: start.env.clone(), ..Request::default() };
    config::language(&request, None).0
}

/// Log file and level: flag, variable, default.
pub(super) fn log(global: &Global, request: &Request, settings: &Settings) -> (PathBuf, String) {
    let variable = |name: &str| request.env.get(name).filter(|v| !v.is_empty()).cloned();
    let path = global
        .log_file
        .clone()
        .or_else(|| variable("QUARTERDECK_LOG_FILE").map(PathBuf::from))
        .unwrap_or_else(|| log_path(&settings.paths));
    let level = global.log_level.clone().or_else(|| variable("QUARTERDECK_LOG_LEVEL"));
    (path, level.unwrap_or_else(|| String::from("info")))
}

/// Where the log lies when nobody says otherwise.
pub(super) fn log_path(paths: &paths::Paths) -> PathBuf {
    paths.state.join("quarterdeck.log")
}

/// `--timeout`, else its variable.
pub(super) fn timeout(global: &Global, request: &Request) -> Option<Duration> {
    let variable = request.env.get("QUARTERDECK_TIMEOUT").and_then(|v| super::args::parse_time(v).ok());
    global.timeout.or(variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_errors_is_known_before_parsing() {
        let of = |words: &[&str]| {
            early_lang(&Start { arguments: words.iter().map(Into::into).collect(), ..Start::default() })
        };
        assert_eq!(of(&["quarterdeck", "get", "--lang", "zh", "--nonsense"]), Lang::Zh);
        assert_eq!(of(&["quarterdeck", "--lang=en"]), Lang::En);
    }
}
