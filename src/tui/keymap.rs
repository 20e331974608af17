//! From keys to actions: the shipped table, changed by `keys.yaml` of the configuration folder.
//!
//! ```yaml
//! table.down: [j, down, ctrl-n]   # exactly these keys
//! app.matrix: "g m"               # one key after the other
//! ```

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;

use super::{
    action::{self, ActionId},
    key::Key,
};
use crate::{
    config::Problem,
    messages::{Lang, tui as m},
};

/// Name of the file in the configuration folder.
pub const FILE: &str = "keys.yaml";

/// A way to an action: one key, or several in a row.
#[derive(Clone, Debug, PartialEq)]
struct Binding {
    keys: Vec<Key>,
    action: ActionId,
}

/// Every binding in use.
#[derive(Clone, Debug, PartialEq)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

/// What keys pressed so far mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// This action.
    Action(ActionId),
    /// The beginning of these: next keys and where they lead.
    Begin(Vec<(String, ActionId)>),
    /// Nothing.
    Nothing,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Keys {
    One(Word),
    Many(Vec<Word>),
}

/// A key as YAML reads it: `1` is a number there.
#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Digit(u8),
}

impl Word {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Digit(n) => n.to_string(),
        }
    }
}

impl Default for Keymap {
    fn default() -> Self {
        let bindings = action::ALL
            .iter()
            .flat_map(|info| info.keys.iter().map(|text| (info.id, *text)))
            .filter_map(|(action, text)| Some(Binding { keys: parse(text)?, action }))
            .collect();
        Self { bindings }
    }
}

impl Keymap {
    /// The shipped keys with those of the user's file in their places. What is wrong in the file is said, not fatal.
    pub fn load(folder: &Path, lang: Lang) -> (Self, Vec<Problem>) {
        let path = folder.join(FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::from_text(&text, &path.display().to_string(), lang),
            Err(_) => (Self::default(), Vec::new()),
        }
    }

    /// The same from the file's text.
    pub fn from_text(text: &str, file: &str, lang: Lang) -> (Self, Vec<Problem>) {
        let mut map = Self::default();
        let mut problems = Vec::new();
        // `y` and `n` are keys here, not truth values.
        let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
        let entries: BTreeMap<String, Keys> = match serde_saphyr::from_str_with_options(text, options) {
            Ok(entries) => entries,
            Err(error) => {
                let text = error.to_string();
                let problem = Problem { place: file.to_owned(), field: String::new(), text };
                return (map, vec![problem]);
            }
        };
        let line_of = |name: &String| {
            let bare = |l: &str| l.trim_start().trim_start_matches(['"', '\'']).starts_with(name.as_str());
            text.lines().position(bare).map_or(1, |l| l + 1)
        };
        let mut entries: Vec<(usize, String, Keys)> =
            entries.into_iter().map(|(name, keys)| (line_of(&name), name, keys)).collect();
        entries.sort_by_key(|(line, _, _)| *line);
        for (line, name, keys) in entries {
            let place = format!("{file}:{line}");
            let mut complain =
                |text: String| problems.push(Problem { place: place.clone(), field: name.clone(), text });
            let Some(action) = ActionId::named(&name) else {
                complain(m::KEYS_NO_ACTION.fill(lang, &[("name", &name)]));
                continue;
            };
            map.bindings.retain(|b| b.action != action);
            let list = match keys {
                Keys::One(key) => vec![key],
                Keys::Many(list) => list,
            };
            for text in list.into_iter().map(Word::text) {
                match parse(&text) {
                    Some(keys) => map.bindings.push(Binding { keys, action }),
                    None => complain(m::KEYS_NO_KEY.fill(lang, &[("key", &text)])),
                }
            }
            for (key, other) in map.clashes(action) {
                complain(m::KEYS_CLASH.fill(lang, &[("key", &key), ("other", other.info().name)]));
            }
        }
        (map, problems)
    }

    /// Other actions of the same group on a key of this action: only one of them can be reached.
    fn clashes(&self, action: ActionId) -> Vec<(String, ActionId)> {
        let own = self.bindings.iter().filter(|b| b.action == action);
        own.flat_map(|b| {
            self.bindings
                .iter()
                .filter(|o| o.action != action && o.action.info().group == action.info().group)
                .filter(|o| o.keys.starts_with(&b.keys) || b.keys.starts_with(&o.keys))
                .map(|o| (text(&b.keys), o.action))
        })
        .collect()
    }

    /// What the keys mean where `here` says which actions apply; the more special group wins.
    pub fn lookup(&self, keys: &[Key], here: &dyn Fn(ActionId) -> bool) -> Lookup {
        let begun = || self.bindings.iter().filter(|b| b.keys.starts_with(keys) && here(b.action));
        if let Some(hit) = begun().filter(|b| b.keys.len() == keys.len()).min_by_key(|b| b.action.info().group) {
            return Lookup::Action(hit.action);
        }
        let next: Vec<_> = begun().map(|b| (text(&b.keys[keys.len()..]), b.action)).collect();
        if next.is_empty() { Lookup::Nothing } else { Lookup::Begin(next) }
    }

    /// Keys of an action as text, the shipped main one first.
    pub fn keys(&self, action: ActionId) -> Vec<String> {
        self.bindings.iter().filter(|b| b.action == action).map(|b| text(&b.keys)).collect()
    }

    /// The key to name in a hint; empty when the action has none.
    pub fn hint(&self, action: ActionId) -> String {
        self.keys(action).into_iter().next().unwrap_or_default()
    }
}

fn parse(text: &str) -> Option<Vec<Key>> {
    let keys: Option<Vec<Key>> = text.split(' ').filter(|k| !k.is_empty()).map(Key::parse).collect();
    keys.filter(|k| !k.is_empty())
}

fn text(keys: &[Key]) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_key_that_reaches_it() {
        let map = Keymap::default();
        for info in action::ALL {
            assert!(!map.keys(info.id).is_empty(), "{} has no key", info.name);
            assert_eq!(map.keys(info.id).len(), info.keys.len(), "{}: a key does not parse", info.name);
            assert_eq!(map.clashes(info.id), [], "{}", info.name);
            assert_eq!(ActionId::named(info.name), Some(info.id));
            for lang in [Lang::En, Lang::Zh] {
                assert!(!info.help.text(lang).is_empty() && !info.short.text(lang).is_empty());
            }
            for key in info.keys {
                let keys = parse(key).unwrap();
                assert_eq!(map.lookup(&keys, &|a| a == info.id), Lookup::Action(info.id), "{key}");
            }
        }
    }

    #[test]
    fn keys_that_terminals_cannot_tell_apart_are_not_used() {
        for info in action::ALL {
            for key in ["ctrl-i", "ctrl-m", "ctrl-h"] {
                assert!(!info.keys.contains(&key), "{}: {key}", info.name);
            }
        }
    }

    #[test]
    fn the_special_place_wins() {
        let map = Keymap::default();
        let left = [Key::parse("left").unwrap()];
        assert_eq!(map.lookup(&left, &|_| true), Lookup::Action(ActionId::CellLeft));
        assert_eq!(map.lookup(&left, &|a| a == ActionId::Left), Lookup::Action(ActionId::Left));
    }

    #[test]
    fn the_users_keys_replace_and_complain() {
        let text = "table.down: [n, ctrl-n]\napp.matrix: g m\nlist.fly: x\nlist.open: hyper-x\nlist.sort: c\n";
        let (map, problems) = Keymap::from_text(text, "keys.yaml", Lang::En);
        assert_eq!(map.keys(ActionId::Down), ["n", "ctrl-n"]);
        let places: Vec<&str> = problems.iter().map(|p| p.place.as_str()).collect();
        assert_eq!(places, ["keys.yaml:3", "keys.yaml:4", "keys.yaml:5"]);
        assert!(problems[2].text.contains("list.columns"), "{}", problems[2].text);
        let g = [Key::parse("g").unwrap()];
        let matrix_only = |a| a == ActionId::Matrix;
        assert_eq!(map.lookup(&g, &matrix_only), Lookup::Begin(vec![("m".into(), ActionId::Matrix)]));
    }
}
