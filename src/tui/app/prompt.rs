//! The prompts of the last line: command, filter, search, choice of clusters.

use super::{App, Task};
use crate::{
    fleet::Store,
    messages::tui as m,
    tui::{
        clusters::{self, Unclear},
        command,
        key::Key,
        screen::Notice,
        widgets::input::Input,
    },
};

/// Entries kept of what was typed.
const MOST: usize = 200;

/// What is being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command.
    Command,
    /// A filter, live as typed.
    Filter,
    /// A search in a document.
    Search,
    /// Clusters.
    Clusters,
    /// The answer to a question of the screen, known to it by this name.
    Answer(&'static str),
}

/// An open prompt.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What is being typed.
    pub kind: Kind,
    /// The question, where it is one.
    label: String,
    /// The field.
    pub input: Input,
    /// What Esc brings back.
    before: String,
    /// How far up in the history, 0 = not.
    recalled: usize,
    /// What was typed before recalling.
    typed: String,
    /// Muted text behind the field: completes it.
    pub ghost: String,
    /// What is wrong with it.
    pub note: String,
}

impl Prompt {
    fn new(kind: Kind, text: &str) -> Self {
        let empty = String::new;
        Self {
            kind,
            label: empty(),
            input: Input::new(text),
            before: text.to_owned(),
            recalled: 0,
            typed: empty(),
            ghost: empty(),
            note: empty(),
        }
    }

    /// The sign before the field.
    pub fn sign(&self) -> &str {
        match self.kind {
            Kind::Answer(_) => &self.label,
            Kind::Command => ":",
            Kind::Filter | Kind::Search => "/",
            Kind::Clusters => "\\",
        }
    }
}

impl App {
    pub(super) fn open_command(&mut self) {
        self.prompt = Some(Prompt::new(Kind::Command, ""));
    }

    pub(super) fn open_filter(&mut self) {
        let screen = &self.views.current().screen;
        let kind = if screen.searches() { Kind::Search } else { Kind::Filter };
        let text = screen.filter().map(ToOwned::to_owned);
        match text {
            Some(_) if kind == Kind::Search => self.prompt = Some(Prompt::new(kind, "")),
            Some(text) => self.prompt = Some(Prompt::new(kind, &text)),
            None => self.notice(Notice::info(m::NO_FILTER.text(self.look.lang))),
        }
    }

    pub(super) fn open_clusters(&mut self) {
        let at = self.views.current().screen.clusters().map(ToOwned::to_owned);
        match at {
            Some(at) => self.prompt = Some(Prompt::new(Kind::Clusters, &at)),
            None => self.notice(Notice::info(m::NO_CLUSTER_FILTER.text(self.look.lang))),
        }
    }

    pub(super) fn open_question(&mut self, id: &'static str, label: &str, text: &str) {
        self.prompt = Some(Prompt { label: format!("{label} "), ..Prompt::new(Kind::Answer(id), text) });
    }

    pub(super) fn prompt_key(&mut self, key: Key, store: &mut Store, tasks: &mut Vec<Task>) {
        let Some(prompt) = &mut self.prompt else { return };
        let before = prompt.input.text().to_owned();
        match key.to_string().as_str() {
            "esc" | "ctrl-c" | "ctrl-g" => return self.leave_prompt(store),
            "enter" => return self.enter_prompt(store, tasks),
            "up" | "ctrl-p" => self.recall(1, false),
            "down" | "ctrl-n" => self.recall(-1, false),
            "ctrl-r" => self.recall(1, true),
            "tab" => self.complete(),
            "right" | "ctrl-e" | "end" if prompt.input.at_end() && !prompt.ghost.is_empty() => self.complete(),
            // Backspace in an empty field closes it, as in vim and less.
            "backspace" if prompt.input.text().is_empty() => return self.leave_prompt(store),
            _ => {
                if prompt.input.key(key) {
                    prompt.recalled = 0;
                }
            }
        }
        let changed = self.prompt.as_ref().is_some_and(|p| p.input.text() != before);
        if changed {
            self.typed(store);
        }
    }

    pub(super) fn paste(&mut self, text: &str, store: &mut Store) {
        match &mut self.prompt {
            Some(prompt) => {
                prompt.input.insert(text);
                self.typed(store);
            }
            None => self.notice(Notice::info(m::PASTE_DROPPED.text(self.look.lang))),
        }
        self.dirty = true;
    }

    /// The text of the field changed: filter live, complete, complain.
    fn typed(&mut self, store: &mut Store) {
        let Some(prompt) = &mut self.prompt else { return };
        prompt.ghost.clear();
        prompt.note.clear();
        let (kind, text) = (prompt.kind, prompt.input.text().to_owned());
        match kind {
            Kind::Filter => {
                self.with_screen(store, |screen, ctx| screen.set_filter(&text, ctx));
                let note = crate::fleet::filter::Filter::parse(&text).note().map(ToOwned::to_owned);
                self.set_note(note.unwrap_or_default());
                self.more = true;
            }
            Kind::Search => {
                self.with_screen(store, |screen, ctx| screen.search(&text, ctx));
            }
            Kind::Clusters => {
                let note = match clusters::resolve(store, &text) {
                    Ok(ids) if ids.is_empty() => String::new(),
                    Ok(ids) => m::CLUSTERS_FIT.fill(self.look.lang, &[("n", &ids.len().to_string())]),
                    Err(why) => self.unclear(&why),
                };
                self.set_note(note);
                let names = clusters::names(store);
                let last = text.rsplit(',').next().unwrap_or("").trim_start();
                let hit = names.iter().find(|n| !last.is_empty() && n.len() > last.len() && n.starts_with(last));
                let rest = hit.and_then(|n| n.get(last.len()..)).unwrap_or("").to_owned();
                self.set_ghost(rest);
            }
            Kind::Command => {
                let ghost = self.command_ghost(&text, store);
                self.set_ghost(ghost);
            }
            Kind::Answer(_) => {}
        }
    }

    fn set_note(&mut self, note: String) {
        if let Some(prompt) = &mut self.prompt {
            prompt.note = note;
        }
    }

    fn set_ghost(&mut self, ghost: String) {
        if let Some(prompt) = &mut self.prompt {
            prompt.ghost = if prompt.input.at_end() { ghost } else { String::new() };
        }
    }

    fn complete(&mut self) {
        if let Some(prompt) = &mut self.prompt {
            let ghost = std::mem::take(&mut prompt.ghost);
            prompt.input.insert(&ghost);
        }
    }

    /// Steps through what was typed earlier; with `search` only through what contains the text of the field.
    fn recall(&mut self, by: isize, search: bool) {
        let Some(prompt) = &mut self.prompt else { return };
        let list = match prompt.kind {
            Kind::Command => &self.commands,
            Kind::Answer(_) => return,
            _ => &self.filters,
        };
        if prompt.recalled == 0 {
            prompt.input.text().clone_into(&mut prompt.typed);
        }
        let typed = prompt.typed.clone();
        let fits: Vec<&String> = list.iter().rev().filter(|l| !search || l.contains(&typed)).collect();
        let at = prompt.recalled.saturating_add_signed(by).min(fits.len());
        prompt.recalled = at;
        match at.checked_sub(1).and_then(|i| fits.get(i)) {
            Some(text) => prompt.input.set(text.as_str()),
            None => prompt.input.set(typed),
        }
    }

    fn leave_prompt(&mut self, store: &mut Store) {
        let Some(prompt) = self.prompt.take() else { return };
        match prompt.kind {
            Kind::Filter => {
                self.with_screen(store, |screen, ctx| screen.set_filter(&prompt.before, ctx));
                self.more = true;
            }
            Kind::Search => {
                self.with_screen(store, |screen, ctx| screen.search("", ctx));
            }
            Kind::Command | Kind::Clusters | Kind::Answer(_) => {}
        }
    }

    fn enter_prompt(&mut self, store: &mut Store, tasks: &mut Vec<Task>) {
        let Some(prompt) = self.prompt.take() else { return };
        let text = prompt.input.text().trim().to_owned();
        match prompt.kind {
            Kind::Command => {
                remember(&mut self.commands, &text);
                self.run_command(&text, store, tasks);
            }
            Kind::Filter | Kind::Search => remember(&mut self.filters, &text),
            Kind::Clusters => self.choose_clusters(&text, store),
            Kind::Answer(id) => {
                let effects = self.with_screen(store, |screen, ctx| screen.answered(id, &text, ctx));
                self.perform(effects, store, tasks);
            }
        }
    }

    fn choose_clusters(&mut self, text: &str, store: &mut Store) {
        match clusters::resolve(store, text) {
            Ok(ids) => {
                self.with_screen(store, |screen, ctx| screen.set_clusters(ids, text, ctx));
                self.more = true;
            }
            Err(why) => {
                let text = self.unclear(&why);
                self.notice(Notice::warn(text));
            }
        }
    }

    pub(super) fn unclear(&self, why: &Unclear) -> String {
        let lang = self.look.lang;
        match why {
            Unclear::Nothing(part) => m::NO_SUCH_CLUSTER.fill(lang, &[("name", part)]),
            Unclear::Several(part, ways) => m::SEVERAL_FIT.fill(lang, &[("name", part), ("ways", &ways.join("  "))]),
        }
    }

    fn command_ghost(&self, text: &str, store: &Store) -> String {
        let names = self.command_names(store);
        let folder = self.look.settings.paths.config.join("themes");
        let values = |name: &str| match name {
            "theme" => crate::tui::theme::names(&folder),
            "lang" => vec!["en".to_owned(), "zh".to_owned()],
            "help" => crate::tui::help::TOPICS.iter().map(|t| (*t).to_owned()).collect(),
            "differences" => self.service_names(),
            _ => Vec::new(),
        };
        command::complete(text, &names, &clusters::names(store), &values).unwrap_or_default()
    }
}

fn remember(list: &mut Vec<String>, text: &str) {
    if text.is_empty() {
        return;
    }
    list.retain(|l| l != text);
    list.push(text.to_owned());
    if list.len() > MOST {
        list.remove(0);
    }
}
