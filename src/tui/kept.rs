//! What a person chose on a screen and wants to find again at the next start: columns, their order, the sort. One small
//! YAML file in the state folder, by screen (`fleet`, `matrix`, a kind's resource).

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::files::private;
use crate::{
    config::{Problem, Settings},
    messages::{Lang, tui as m},
};

/// Name of the file in the state folder.
pub const FILE: &str = "views.yaml";
/// Most bytes of the file; ours has a few hundred for each screen.
const MOST: u64 = 1 << 20;

/// What was chosen on one screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// Columns shown, in their order; `None` = the usual ones.
    pub columns: Option<Vec<String>>,
    /// Column of the order, in the screen's own words; empty = the usual one.
    pub sort: String,
    /// Reversed order.
    pub reverse: bool,
    /// All columns, in place of those above.
    pub wide: bool,
    /// What the columns are grouped by; empty = they are not.
    pub group: String,
    /// What the fleet file said of the columns then: when it says something else now, that is the later word.
    pub configured: Option<Vec<String>>,
}

/// By screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllKept(BTreeMap<String, Kept>);

impl AllKept {
    /// What the file holds. One that cannot be used is said and counts as empty.
    pub fn load(state: &Path, lang: Lang) -> (Self, Option<Problem>) {
        if state.as_os_str().is_empty() {
            return (Self::default(), None);
        }
        let path = state.join(FILE);
        match read(&path) {
            Ok(all) => (all, None),
            Err(why) => {
                let text = m::CHOICES_BROKEN.fill(lang, &[("why", &why)]);
                let problem = Problem { place: path.display().to_string(), field: String::new(), text };
                (Self::default(), Some(problem))
            }
        }
    }

    /// What holds for the screen of this name in this configuration; `None` = nobody says anything.
    pub fn on(&self, screen: &str, settings: &Settings) -> Option<Kept> {
        self.of(screen, configured(screen, settings))
    }

    /// What holds for a screen: the person's choice, else that of the fleet file; `None` = neither says anything.
    fn of(&self, screen: &str, configured: Option<&Vec<String>>) -> Option<Kept> {
        match self.0.get(screen) {
            Some(own) if own.configured.as_ref() == configured => Some(own.clone()),
            Some(own) => Some(Kept { columns: configured.cloned(), configured: configured.cloned(), ..own.clone() }),
            None => configured.map(|c| Kept { columns: Some(c.clone()), ..Kept::default() }),
        }
    }

    /// Takes over what a person chose.
    pub fn set(&mut self, screen: &str, kept: Kept) {
        self.0.insert(screen.to_owned(), kept);
    }
}

/// What the fleet file says of a screen's columns: by its whole name (`deployments.apps`), else by the plural alone.
pub fn configured<'a>(screen: &str, settings: &'a Settings) -> Option<&'a Vec<String>> {
    let plural = screen.split('.').next().unwrap_or_default();
    settings.columns.get(screen).or_else(|| settings.columns.get(plural))
}

/// Keeps one screen's choice in the file; what other consoles of this person kept of other screens stays.
///
/// # Errors
/// What the file system says.
pub fn keep(state: &Path, screen: &str, kept: Kept) -> io::Result<()> {
    if state.as_os_str().is_empty() {
        return Ok(());
    }
    fs::create_dir_all(state)?;
    let path = state.join(FILE);
    // One that cannot be read was told at the start, and gives way to what can.
    let mut all = read(&path).unwrap_or_default();
    all.set(screen, kept);
    let text = serde_saphyr::to_string(&all.0).map_err(io::Error::other)?;
    let draft = draft(&path);
    let mut options = OpenOptions::new();
    private(options.write(true).create(true).truncate(true));
    let written = options.open(&draft).and_then(|mut file| file.write_all(text.as_bytes()));
    let done = written.and_then(|()| fs::rename(&draft, &path));
    if done.is_err() {
        // What is left of a failed attempt is of no use; nor is the news that it cannot be removed.
        let _ = fs::remove_file(&draft);
    }
    done
}

/// A name of its own for each process: two consoles may keep something in the same moment.
fn draft(path: &Path) -> PathBuf {
    path.with_extension(format!("{}.draft", std::process::id()))
}

/// The file's content; none when there is no file.
fn read(path: &Path) -> Result<AllKept, String> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(AllKept::default()),
        Err(e) => return Err(e.to_string()),
    };
    if !meta.is_file() || meta.len() > MOST {
        return Err(format!("no file of at most {MOST} bytes"));
    }
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    if text.trim().is_empty() {
        return Ok(AllKept::default());
    }
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    serde_saphyr::from_str_with_options(&text, options).map(AllKept).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|n| (*n).to_owned()).collect())
    }

    #[test]
    fn a_choice_is_found_again_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let fleet = Kept { columns: columns(&["name", "no"]), sort: "nodes".into(), ..Kept::default() };
        keep(&state, "fleet", fleet.clone()).unwrap();
        keep(&state, "pods", Kept { reverse: true, ..Kept::default() }).unwrap();
        let (all, problem) = AllKept::load(&state, Lang::En);
        assert_eq!((all.of("fleet", None), problem), (Some(fleet), None));
        assert!(all.of("pods", None).unwrap().reverse && all.of("nodes", None).is_none());
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn the_later_word_counts() {
        let mut all = AllKept::default();
        let (a, b) = (columns(&["a"]).unwrap(), columns(&["b"]).unwrap());
        assert_eq!(all.of("pods", Some(&a)).unwrap().columns, columns(&["a"]));
        let own = Kept { columns: columns(&["c"]), sort: "s".into(), configured: Some(a.clone()), ..Kept::default() };
        all.set("pods", own);
        assert_eq!(all.of("pods", Some(&a)).unwrap().columns, columns(&["c"]));
        let changed = all.of("pods", Some(&b)).unwrap();
        assert_eq!((changed.columns, changed.sort.as_str()), (columns(&["b"]), "s"));
        assert_eq!(all.of("pods", None).unwrap().columns, None);
    }

    #[test]
    fn a_broken_file_is_said_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        for text in ["{", "fleet: 7", "fleet: {columns: {a: b}}", "- x", "\u{0}"] {
            fs::write(&path, text).unwrap();
            let (all, problem) = AllKept::load(dir.path(), Lang::En);
            let problem = problem.unwrap_or_else(|| panic!("{text:?} is taken"));
            assert!(all == AllKept::default() && problem.place.ends_with(FILE), "{text:?}");
        }
        keep(dir.path(), "fleet", Kept::default()).unwrap();
        assert_eq!(AllKept::load(dir.path(), Lang::En).1, None);
        for text in ["", "\n", "fleet: {later: 1}"] {
            fs::write(&path, text).unwrap();
            assert_eq!(AllKept::load(dir.path(), Lang::En).1, None, "{text:?}");
        }
    }
}
