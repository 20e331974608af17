//! One value for every setting, and who won: flag, variable, file, default.

use std::{collections::BTreeMap, path::Path};

use super::choose::Sources;
use crate::{
    config::{Request, Settings, Won, choices, fleet_file::FleetFile, words},
    fault::Fault,
    messages::{Lang, cli as text},
};

/// A value and who set it.
type Chosen = (String, String);

/// Looks a setting up in the order of precedence and remembers who won.
struct Chooser<'a> {
    env: &'a BTreeMap<String, String>,
    file: &'a FleetFile,
    won: Vec<Won>,
    faults: Vec<Fault>,
}

/// Where a setting may come from.
struct Setting {
    /// Name for `info`, and of the variable (`QUARTERDECK_` and this in capitals).
    name: &'static str,
    /// Key in the fleet file's `settings`; empty = cannot be set there.
    key: &'static str,
    /// What holds when nobody says anything, and who says that.
    default: Chosen,
    /// Words allowed; empty = any.
    words: &'static [&'static str],
}

impl Chooser<'_> {
    /// `given` is the flag's value and its name, if it was given.
    fn choose(&mut self, given: Option<Chosen>, setting: &Setting) -> String {
        let variable = format!("QUARTERDECK_{}", setting.name.replace('-', "_").to_uppercase());
        let (value, by) = if let Some(given) = given {
            given
        } else if let Some(value) = self.env.get(&variable).filter(|v| !v.is_empty()) {
            (value.clone(), format!("variable {variable}"))
        } else if let Some((value, line)) = self.file.settings.get(setting.key) {
            (value.clone(), format!("file {}:{line}", self.file.path.display()))
        } else {
            setting.default.clone()
        };
        if !setting.words.is_empty() && !setting.words.contains(&value.as_str()) {
            self.refuse(&by, setting, &value);
        }
        self.won.push(Won { name: setting.name, value: value.clone(), by });
        value
    }

    fn choose_flag(&mut self, given: Option<Chosen>, setting: &Setting) -> bool {
        let value = self.choose(given, setting);
        match value.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => true,
            "false" | "no" | "off" | "0" => false,
            _ => {
                let by = self.won.last().map(|w| w.by.clone()).unwrap_or_default();
                let words = Setting { words: &["true", "false"], default: setting.default.clone(), ..*setting };
                self.refuse(&by, &words, &value);
                false
            }
        }
    }

    /// A word that means nothing: its "place" is the flag or variable.
    fn refuse(&mut self, by: &str, setting: &Setting, value: &str) {
        let fault = Fault::new(Path::new(by), 0, setting.name, text::NOT_ONE_OF).with("value", value);
        self.faults.push(match words::nearest(value, setting.words.iter().copied()) {
            Some(near) => Fault { msg: text::NOT_ONE_OF_NEAR, ..fault }.with("near", near),
            None => fault.with("words", setting.words.join(", ")),
        });
    }
}

/// Fills in everything except clusters and problems.
pub(super) fn fill(
    request: &Request,
    sources: &Sources,
    file: &FleetFile,
    out: &mut Settings,
) -> Result<(), Vec<Fault>> {
    let mut by = Chooser { env: &request.env, file, won: Vec::new(), faults: Vec::new() };
    by.won.extend(files(request, sources, out));
    let usual = |value: &str| (value.to_owned(), String::from("default"));
    let setting = |name, key, words, default| Setting { name, key, default, words };
    let flag = |value: &Option<String>, name: &str| value.clone().map(|v| (v, format!("flag --{name}")));
    let on = |given: bool, name: &str| given.then(|| (String::from("true"), format!("flag --{name}")));

    out.theme = by.choose(flag(&request.theme, "theme"), &setting("theme", "theme", &[], usual("auto")));
    let color = setting("color", "color", choices::COLORS, default_color(request));
    out.color = by.choose(flag(&request.color, "color"), &color);
    let (lang, lang_by) = language(request, Some(file));
    out.lang = lang;
    by.won.push(Won { name: "lang", value: lang_code(lang).to_owned(), by: lang_by });
    check_lang(request, &mut by);
    out.ascii = by.choose_flag(on(request.ascii, "ascii"), &setting("ascii", "ascii", &[], default_ascii(request)));
    let no_mouse = turned_off(request, request.no_mouse, "no-mouse");
    out.mouse = by.choose_flag(no_mouse, &setting("mouse", "mouse", &[], usual("true")));
    out.plain = by.choose_flag(on(request.plain, "plain"), &setting("plain", "plain", &[], usual("false")));
    out.clipboard = by.choose(None, &setting("clipboard", "clipboard", choices::CLIPBOARDS, usual("auto")));
    let read_only = setting("read-only", "readOnly", &[], usual("false"));
    out.read_only = by.choose_flag(on(request.read_only, "read-only"), &read_only);
    let no_cache = turned_off(request, request.no_cache, "no-cache");
    out.cache = by.choose_flag(no_cache, &setting("cache", "cache", &[], usual("true")));
    let namespace = setting("namespace", "", &[], usual(""));
    out.namespace = by.choose(flag(&request.namespace, "namespace"), &namespace);
    out.selector = by.choose(flag(&request.selector, "selector"), &setting("selector", "", &[], usual("")));

    if crate::fleet::selector::Selector::parse(&out.selector).is_none() {
        let who = by.won.last().map(|w| w.by.clone()).unwrap_or_default();
        by.faults.push(Fault::new(Path::new(&who), 0, "", text::NOT_A_SELECTOR).with("value", &out.selector));
    }

    out.fleet_name.clone_from(&file.name);
    out.danger = danger(file);
    out.services = file.services.clone();
    out.extra_kinds.clone_from(&file.extra_kinds);
    out.skip_kinds.clone_from(&file.skip_kinds);
    out.columns.clone_from(&file.columns);
    out.desired = file.desired.clone();
    out.won = by.won;
    if by.faults.is_empty() { Ok(()) } else { Err(by.faults) }
}

/// Who chose the files.
fn files(request: &Request, sources: &Sources, out: &Settings) -> Vec<Won> {
    let joined: Vec<String> = sources.kubeconfigs.iter().map(|p| p.display().to_string()).collect();
    let fleet = sources.fleet.as_ref().map(|p| p.display().to_string()).unwrap_or_default();
    let config_by = if request.config_dir.is_some() {
        "flag --config"
    } else {
        ["QUARTERDECK_CONFIG_DIR", "XDG_CONFIG_HOME"]
            .into_iter()
            .find(|v| request.env.get(*v).is_some_and(|value| !value.is_empty()))
            .map_or("default", |v| {
                if v.starts_with('Q') { "variable QUARTERDECK_CONFIG_DIR" } else { "variable XDG_CONFIG_HOME" }
            })
    };
    vec![
        Won { name: "kubeconfig", value: joined.join(", "), by: sources.kubeconfig_by.clone() },
        Won { name: "fleet", value: fleet, by: sources.fleet_by.clone() },
        Won { name: "config", value: out.paths.config.display().to_string(), by: config_by.to_owned() },
    ]
}

/// What `--no-...` or its variable says of a setting that is on by default.
fn turned_off(request: &Request, flag: bool, name: &str) -> Option<Chosen> {
    let off = |by: String| Some((String::from("false"), by));
    if flag {
        return off(format!("flag --{name}"));
    }
    let variable = format!("QUARTERDECK_{}", name.replace('-', "_").to_uppercase());
    let value = request.env.get(&variable)?.to_ascii_lowercase();
    let says_no = ["", "0", "false", "no", "off"].contains(&value.as_str());
    if says_no { None } else { off(format!("variable {variable}")) }
}

/// `NO_COLOR`, set and not empty, means no colours (no-color.org).
fn default_color(request: &Request) -> Chosen {
    if request.env.get("NO_COLOR").is_some_and(|v| !v.is_empty()) {
        return (String::from("never"), String::from("variable NO_COLOR"));
    }
    (String::from("auto"), String::from("default"))
}

/// ASCII where the terminal is the kernel's own, or the locale is no UTF-8.
fn default_ascii(request: &Request) -> Chosen {
    let get = |name: &str| request.env.get(name).filter(|v| !v.is_empty());
    if get("TERM").is_some_and(|t| t == "linux") {
        return (String::from("true"), String::from("variable TERM"));
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| get(name).map(|v| (name, v)));
    match locale {
        Some((name, value)) if !value.to_ascii_lowercase().replace('-', "").contains("utf8") => {
            (String::from("true"), format!("variable {name}"))
        }
        _ => (String::from("false"), String::from("default")),
    }
}

/// Language and who chose it: flag, variable, file, then the locale's variables as POSIX orders them.
pub fn language(request: &Request, file: Option<&FleetFile>) -> (Lang, String) {
    let variable = |name: &'static str| {
        request.env.get(name).filter(|v| !v.is_empty()).map(|v| (v.clone(), format!("variable {name}")))
    };
    let locale = || ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    let in_file = || {
        let file = file?;
        let (value, line) = file.settings.get("lang")?;
        Some((value.clone(), format!("file {}:{line}", file.path.display())))
    };
    request
        .lang
        .clone()
        .map(|v| (v, String::from("flag --lang")))
        .or_else(|| variable("QUARTERDECK_LANG"))
        .or_else(in_file)
        .or_else(locale)
        .and_then(|(code, by)| Lang::from_code(&code).map(|lang| (lang, by)))
        .unwrap_or_else(|| (Lang::default(), String::from("default")))
}

/// A language that was asked for and that we do not have is said, not passed over.
fn check_lang(request: &Request, by: &mut Chooser<'_>) {
    let asked = request
        .lang
        .clone()
        .map(|v| (v, "flag --lang"))
        .or_else(|| request.env.get("QUARTERDECK_LANG").cloned().map(|v| (v, "variable QUARTERDECK_LANG")));
    if let Some((code, who)) = asked.filter(|(code, _)| !code.is_empty() && Lang::from_code(code).is_none()) {
        let setting = Setting { name: "lang", key: "lang", default: Chosen::default(), words: choices::LANGS };
        by.refuse(who, &setting, &code);
    }
}

fn lang_code(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "en",
        Lang::Zh => "zh",
    }
}

/// Danger by environment. Development and test are low unless the file says otherwise; all that is not named is high.
fn danger(file: &FleetFile) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> =
        ["dev", "test"].into_iter().map(|e| (e.to_owned(), String::from("low"))).collect();
    for (name, environment) in &file.environments {
        if !environment.danger.is_empty() {
            all.insert(name.clone(), environment.danger.clone());
        }
    }
    all
}
