//! Precedence, matching of clusters and contexts, duplicates.

use std::{collections::BTreeMap, fs, path::Path};

use crate::{
    config::{Problem, Request, Settings, resolve, resolve_telling_all},
    messages::Lang,
};

const KUBECONFIG: &str = "\
clusters:
- {name: eu, cluster: {server: https://eu}}
- {name: cn, cluster: {server: https://cn}}
- {name: lab, cluster: {server: https://lab}}
users:
- {name: me, user: {token: t}}
- {name: root, user: {token: t, as: root}}
contexts:
- {name: eu-prod, context: {cluster: eu, user: me}}
- {name: eu-shop, context: {cluster: eu, user: me, namespace: shop}}
- {name: eu-root, context: {cluster: eu, user: root}}
- {name: cn, context: {cluster: cn, user: me}}
- {name: lab-7, context: {cluster: lab, user: me}}
";

struct Home(tempfile::TempDir);

impl Home {
    fn new(fleet: Option<&str>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".kube")).unwrap();
        fs::write(dir.path().join(".kube/config"), KUBECONFIG).unwrap();
        fs::create_dir_all(dir.path().join("config")).unwrap();
        if let Some(fleet) = fleet {
            fs::write(dir.path().join("config/fleet.yaml"), fleet).unwrap();
        }
        Self(dir)
    }

    fn request(&self, env: &[(&str, &str)]) -> Request {
        let mut all: BTreeMap<String, String> = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        all.insert("HOME".into(), self.0.path().display().to_string());
        Request { env: all, config_dir: Some(self.0.path().join("config")), ..Request::default() }
    }
}

fn names(settings: &Settings) -> Vec<&str> {
    settings.targets.iter().map(|t| &*t.record.name).collect()
}

fn won<'a>(settings: &'a Settings, name: &str) -> (&'a str, &'a str) {
    settings.won.iter().find(|w| w.name == name).map(|w| (w.value.as_str(), w.by.as_str())).unwrap()
}

#[test]
fn without_a_fleet_file_every_context_is_a_cluster_and_duplicates_are_joined() {
    let home = Home::new(None);
    let settings = resolve(&home.request(&[])).unwrap();
    assert_eq!(names(&settings), vec!["eu-prod", "eu-root", "cn", "lab-7"]);
    assert_eq!(settings.targets[0].record.also, vec!["eu-shop"]);
    let said: Vec<&Problem> = settings.problems.iter().filter(|p| p.text.contains("one cluster")).collect();
    assert_eq!(said.len(), 1, "another user is another cluster: {:?}", settings.problems);
    assert!(said[0].place.ends_with(".kube/config:10"), "{}", said[0].place);
    let guessed = &settings.targets[0].record;
    assert_eq!((guessed.environment.as_str(), guessed.environment_guessed), ("prod", true));
    assert_eq!(settings.targets[2].record.environment, "", "nothing to guess from");
}

#[test]
fn the_fleet_file_orders_names_and_completes() {
    let fleet = "\
name: acme
defaults: {team: sre}
clusters:
- {name: china, context: cn, environment: lab}
- {name: shop, context: eu-shop}
- {name: gone, context: lab-77}
groups: {west: {names: ['eu*', shop]}}
environments: {lab: {danger: low, match: ['lab-*'], readOnly: true}}
";
    let home = Home::new(Some(fleet));
    let settings = resolve(&home.request(&[])).unwrap();
    assert_eq!(names(&settings), vec!["china", "shop", "gone", "eu-root", "lab-7"]);
    let record = |i: usize| &settings.targets[i].record;
    assert_eq!(record(1).also, vec!["eu-prod"], "the declared cluster keeps its name");
    assert_eq!(record(1).groups, vec!["west"]);
    assert!(record(0).read_only && record(4).read_only && !record(1).read_only);
    assert_eq!((record(4).environment.as_str(), record(4).environment_guessed), ("lab", true));
    assert_eq!(record(4).team, "sre");
    assert_eq!(settings.danger.get("lab").map(String::as_str), Some("low"));
    let missing = settings.targets[2].access.as_ref().unwrap_err();
    assert_eq!(missing, "context lab-77 is in no kubeconfig; did you mean lab-7?");
    assert!(settings.problems.iter().any(|p| p.place.ends_with("fleet.yaml:6") && p.text == *missing));

    let only = Home::new(Some(&format!("only: true\n{fleet}")));
    assert_eq!(names(&resolve(&only.request(&[])).unwrap()), vec!["china", "shop", "gone"]);
}

#[test]
fn context_globs_and_groups_choose_and_choosing_nothing_is_an_error() {
    let home = Home::new(Some("groups: {west: {names: ['eu-*']}}\n"));
    let chosen = |contexts: &[&str], groups: &[&str], env: &[(&str, &str)]| {
        let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        resolve_telling_all(&Request { contexts: own(contexts), groups: own(groups), ..home.request(env) })
    };
    assert_eq!(names(&chosen(&["cn", "lab-*"], &[], &[]).unwrap()), vec!["cn", "lab-7"]);
    assert_eq!(
        names(&chosen(&["eu-shop"], &[], &[]).unwrap()),
        vec!["eu-shop"],
        "not joined into one that was not chosen"
    );
    assert_eq!(names(&chosen(&[], &["west"], &[]).unwrap()), vec!["eu-prod", "eu-root"]);
    assert_eq!(names(&chosen(&[], &["prod"], &[]).unwrap()), vec!["eu-prod"], "an environment is a group too");
    assert_eq!(names(&chosen(&[], &[], &[("QUARTERDECK_CONTEXT", "cn, lab-7")]).unwrap()), vec!["cn", "lab-7"]);
    let errors = chosen(&["lab-8", "zzz"], &["wets"], &[]).unwrap_err();
    let texts: Vec<&str> = errors.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(texts[0], "lab-8 fits no cluster; did you mean lab-7?");
    assert!(texts[1].starts_with("zzz fits no cluster; there are: cn, eu-prod"), "{texts:?}");
    assert_eq!(texts[2], "no cluster is in group wets; did you mean west?");
}

#[test]
fn flag_over_variable_over_file_over_default() {
    let home = Home::new(Some("settings:\n  theme: light\n  mouse: false\n  color: 16\n  lang: zh\n"));
    let settings = resolve(&home.request(&[])).unwrap();
    let (theme, by) = won(&settings, "theme");
    assert_eq!(theme, "light");
    assert!(by.starts_with("file ") && by.ends_with("fleet.yaml:2"), "{by}");
    assert_eq!((settings.mouse, settings.color.as_str(), settings.lang), (false, "16", Lang::Zh));
    assert_eq!(won(&settings, "cache"), ("true", "default"));

    let env =
        [("QUARTERDECK_THEME", "mono"), ("QUARTERDECK_MOUSE", "yes"), ("NO_COLOR", "1"), ("QUARTERDECK_NO_CACHE", "1")];
    let settings = resolve(&home.request(&env)).unwrap();
    assert_eq!(won(&settings, "theme"), ("mono", "variable QUARTERDECK_THEME"));
    assert_eq!((settings.mouse, settings.cache), (true, false));
    assert_eq!(settings.color, "16", "NO_COLOR is only a default: the file was more precise");

    let request = Request { theme: Some("dark".into()), no_mouse: true, lang: Some("en".into()), ..home.request(&env) };
    let settings = resolve(&request).unwrap();
    assert_eq!(won(&settings, "theme"), ("dark", "flag --theme"));
    assert_eq!(won(&settings, "mouse"), ("false", "flag --no-mouse"));
    assert_eq!(won(&settings, "lang"), ("en", "flag --lang"));
}

#[test]
fn locale_and_terminal_give_the_defaults() {
    let home = Home::new(None);
    for (env, lang, ascii) in [
        (vec![("LANG", "zh_CN.UTF-8")], Lang::Zh, false),
        (vec![("LANG", "zh_CN.UTF-8"), ("LC_ALL", "en_US.utf8")], Lang::En, false),
        (vec![("LANG", "C")], Lang::En, true),
        (vec![("TERM", "linux"), ("LANG", "en_US.UTF-8")], Lang::En, true),
        (vec![], Lang::En, false),
    ] {
        let settings = resolve(&home.request(&env)).unwrap();
        assert_eq!((settings.lang, settings.ascii), (lang, ascii), "{env:?}");
    }
}

#[test]
fn what_means_nothing_is_refused_with_a_hint() {
    let home = Home::new(None);
    let request = Request { color: Some("nevr".into()), ..home.request(&[("QUARTERDECK_ASCII", "perhaps")]) };
    let texts: Vec<String> =
        resolve_telling_all(&request).unwrap_err().into_iter().map(|p| format!("{}: {}", p.place, p.text)).collect();
    assert_eq!(texts[0], "flag --color: nevr is not known here; did you mean never?");
    assert!(texts[1].starts_with("variable QUARTERDECK_ASCII: perhaps is not known"), "{texts:?}");

    let selector = Request { selector: Some("a in (b".into()), ..home.request(&[]) };
    assert_eq!(resolve(&selector).unwrap_err().place, "flag --selector");

    let missing = Request { kubeconfig: Some(Path::new("/nowhere/config").into()), ..home.request(&[]) };
    assert!(resolve(&missing).unwrap_err().text.contains("does not exist"));
    let fleet = Request { fleet: Some(Path::new("/nowhere/fleet.yaml").into()), ..home.request(&[]) };
    assert!(resolve(&fleet).unwrap_err().text.contains("cannot be read"));
    let none = resolve(&home.request(&[("KUBECONFIG", "/nowhere/a:/nowhere/b")])).unwrap();
    assert!(none.targets.is_empty() && none.problems[0].place.contains("/nowhere/b"));
}
