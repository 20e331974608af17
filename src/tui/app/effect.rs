//! What screens ask for, done.

use crossterm::event::KeyModifiers;

use crate::{
    fleet::Store,
    messages::tui as m,
    model::Cause,
    tui::{
        app::{App, Task},
        key::Key,
        screen::{Choice, Effect, Menu, Notice, Supposed},
    },
};

impl App {
    pub(super) fn perform(&mut self, effects: Vec<Effect>, store: &mut Store, tasks: &mut Vec<Task>) {
        self.more = true;
        for effect in effects {
            match effect {
                Effect::Open(screen) => self.show(screen, false, store),
                Effect::Replace(screen) => self.show(screen, true, store),
                Effect::Keep(kept) => self.keep(kept, store, tasks),
                Effect::Back => {
                    self.views.back();
                }
                Effect::Redraw => tasks.push(Task::Redraw),
                Effect::Ask(ask) => tasks.push(Task::Ask(ask)),
                Effect::LogIn(cluster, command) => tasks.push(Task::LogIn(cluster, command)),
                Effect::FetchObject { object, managed_fields, generation } => {
                    self.asked += 1;
                    tasks.push(Task::Fetch { view: self.views.current().id, object, managed_fields, generation });
                }
                Effect::Copy { text, what } => tasks.push(Task::Copy { text, what }),
                Effect::Save { name, text } => tasks.push(Task::Save { name, text }),
                Effect::Notice(notice) => self.notice(notice),
                Effect::Menu(menu) => self.open_menu(menu),
                Effect::Filter => self.open_filter(),
                Effect::Command(line) => self.run_command(&line, store, tasks),
                Effect::Prompt { id, label, text } => self.open_question(id, &label, &text),
                Effect::Edit(at) => tasks.push(Task::Edit(at)),
                Effect::Suppose { now, changes, generation } => {
                    self.asked += 1;
                    tasks.push(Task::Suppose { view: self.views.current().id, now, changes, generation });
                }
            }
        }
    }

    pub(super) fn open_menu(&mut self, menu: Menu) {
        if menu.items.is_empty() {
            return self.notice(Notice::info(m::NOTHING_TO_CHOOSE.text(self.look.lang)));
        }
        self.menu = Some((menu, self.views.current().id));
    }

    pub(super) fn menu_key(&mut self, key: Key, store: &mut Store, tasks: &mut Vec<Task>) {
        if key.mods.contains(KeyModifiers::ALT) {
            return self.split_alt(key, store, tasks);
        }
        let Some((menu, _)) = &mut self.menu else { return };
        match key.to_string().as_str() {
            "esc" | "q" | "ctrl-c" => self.menu = None,
            "down" | "ctrl-n" => menu.step(1),
            "up" | "ctrl-p" => menu.step(-1),
            "home" => menu.cursor = 0,
            "end" => menu.step(isize::MAX),
            "enter" => self.choose(store, tasks),
            "space" if menu.checklist => menu.check(),
            "J" if menu.checklist => menu.shift(1),
            "K" if menu.checklist => menu.shift(-1),
            other => {
                // A letter of the menu first, then j and k as everywhere.
                let mut chars = other.chars();
                let letter = chars.next().filter(|_| chars.next().is_none());
                if let Some(at) = letter.and_then(|c| menu.with_key(c)) {
                    menu.cursor = at;
                    self.choose(store, tasks);
                } else if other == "j" {
                    menu.step(1);
                } else if other == "k" {
                    menu.step(-1);
                }
            }
        }
    }

    pub(super) fn choose(&mut self, store: &mut Store, tasks: &mut Vec<Task>) {
        let Some((menu, view)) = self.menu.take() else { return };
        if menu.checklist {
            if self.views.current().id == view {
                let effects = self.with_screen(store, |screen, ctx| screen.ordered(&menu.id, &menu.checks(), ctx));
                self.perform(effects, store, tasks);
            }
            return;
        }
        let Some(item) = menu.items.get(menu.cursor).cloned() else { return };
        if let Some(why) = item.disabled {
            let text = m::NOT_NOW.fill(self.look.lang, &[("what", &item.text), ("why", &why)]);
            self.notice(Notice::warn(text));
            // The menu stays: what is under the finger does not change.
            self.menu = Some((menu, view));
            return;
        }
        match item.choice {
            Choice::Action(action) => self.act(action, store, tasks),
            Choice::Copy(text, what) => tasks.push(Task::Copy { text, what }),
            Choice::Command(line) => self.run_command(&line, store, tasks),
            Choice::Pick(choice) if self.views.current().id == view => {
                let effects = self.with_screen(store, |screen, ctx| screen.chosen(&menu.id, &choice, ctx));
                self.perform(effects, store, tasks);
            }
            Choice::Pick(_) | Choice::Check(..) => {}
        }
    }

    pub(super) fn fetched(
        &mut self,
        view: u64,
        generation: u64,
        answer: Result<serde_json::Value, Cause>,
        store: &mut Store,
        tasks: &mut Vec<Task>,
    ) {
        self.asked = self.asked.saturating_sub(1);
        self.dirty = true;
        let look = &self.look;
        let (now, size) = (self.now, self.size);
        let mut ctx = look.update_ctx(store, now, size);
        let Some(view) = self.views.get_mut(view) else { return };
        let effects = view.screen.fetched(generation, answer, &mut ctx);
        self.perform(effects, store, tasks);
    }

    pub(super) fn supposed(
        &mut self,
        view: u64,
        generation: u64,
        answer: Supposed,
        store: &mut Store,
        tasks: &mut Vec<Task>,
    ) {
        self.asked = self.asked.saturating_sub(1);
        self.dirty = true;
        let mut ctx = self.look.update_ctx(store, self.now, self.size);
        let Some(view) = self.views.get_mut(view) else { return };
        let effects = view.screen.supposed(generation, answer, &mut ctx);
        self.perform(effects, store, tasks);
    }
}
