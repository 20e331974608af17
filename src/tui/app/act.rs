//! What an action does: the app's own, and those that it hands to the screen.

use crate::{
    fleet::Store,
    live::Ask,
    messages::tui as m,
    model::Millis,
    tui::{
        action::{ActionId, Group, MOTIONS},
        app::{App, Task},
        help,
        screen::{Level, Notice, Scope},
        screens::{self, Place, document::Document},
    },
};

/// Whether an action applies to a screen with these actions of its own.
pub(super) fn applies(action: ActionId, here: &[ActionId]) -> bool {
    matches!(action.info().group, Group::Global | Group::Motion) || here.contains(&action)
}

/// Time within which a second Ctrl-c quits.
const TWICE_MS: i64 = 2000;

impl App {
    pub(super) fn act(&mut self, action: ActionId, store: &mut Store, tasks: &mut Vec<Task>) {
        let lang = self.look.lang;
        let own = action.info().group != Group::Global || self.views.current().screen.actions().contains(&action);
        if own {
            let why = self.views.current().screen.disabled(action, &self.ctx(store));
            if let Some(why) = why {
                let text = m::NOT_NOW.fill(lang, &[("what", action.short(lang)), ("why", &why)]);
                return self.notice(Notice::warn(text));
            }
            let effects = self.with_screen(store, |screen, ctx| screen.act(action, ctx));
            if effects.is_empty() && MOTIONS.contains(&action) {
                // Moving about leaves nothing to work off: the frame waits for nothing.
                return;
            }
            return self.perform(effects, store, tasks);
        }
        match action {
            ActionId::Back => self.escape(store),
            ActionId::Quit => self.quit(tasks),
            ActionId::Cancel => self.cancel(tasks),
            ActionId::Filter => self.open_filter(),
            ActionId::ClusterFilter => self.open_clusters(),
            ActionId::Command => self.open_command(),
            ActionId::Help => self.open_help(),
            ActionId::Notices => self.open_notices(),
            ActionId::Matrix => self.open_place(&Place::Matrix, &Scope::default(), store),
            ActionId::Placement => self.open_place(&Place::Placement, &Scope::default(), store),
            ActionId::PreviousView => self.moved(|v| v.toggle()),
            ActionId::HistoryBack => self.moved(|v| v.walk(false)),
            ActionId::HistoryForward => self.moved(|v| v.walk(true)),
            ActionId::Redraw => tasks.push(Task::Redraw),
            ActionId::Suspend => tasks.push(Task::Suspend),
            ActionId::Mouse => {
                self.mouse_on = !self.mouse_on;
                tasks.push(Task::Mouse(self.mouse_on));
                let text = if self.mouse_on { m::MOUSE_ON } else { m::MOUSE_OFF };
                self.notice(Notice::info(text.text(lang)));
            }
            _ => {}
        }
    }

    /// Walks the views; the one that is reached takes in what it missed.
    fn moved(&mut self, walk: impl FnOnce(&mut crate::tui::history::Views) -> bool) {
        if walk(&mut self.views) {
            self.more = true;
        } else {
            self.notice(Notice::info(m::NO_VIEW.text(self.look.lang)));
        }
    }

    /// Esc: one layer at a time, and never out of the program.
    fn escape(&mut self, store: &mut Store) {
        if self.pending.len() > 1 {
            self.pending.clear();
            return;
        }
        if self.notices.dismiss(self.now) {
            return;
        }
        if self.with_screen(store, |screen, ctx| screen.esc(ctx)) {
            self.more = true;
            return;
        }
        if self.views.back() {
            self.more = true;
        } else {
            let key = self.keymap.hint(ActionId::Quit);
            self.notice(Notice::info(m::AT_ROOT.fill(self.look.lang, &[("key", &key)])));
        }
    }

    fn quit(&mut self, tasks: &mut Vec<Task>) {
        if self.views.back() {
            self.more = true;
        } else {
            tasks.push(Task::Quit);
        }
    }

    pub(super) fn cancel(&mut self, tasks: &mut Vec<Task>) {
        let again = self.cancelled.is_some_and(|Millis(at)| (0..=TWICE_MS).contains(&(self.now.0 - at)));
        if again {
            tasks.push(Task::Quit);
            return;
        }
        self.cancelled = Some(self.now);
        let key = self.keymap.hint(ActionId::Cancel);
        self.notice(Notice::info(m::AGAIN_TO_QUIT.fill(self.look.lang, &[("key", &key)])));
    }

    pub(super) fn open_place(&mut self, place: &Place, scope: &Scope, store: &mut Store) {
        let screen = {
            let look = &self.look;
            let (now, size) = (self.now, self.size);
            let mut ctx = look.update_ctx(store, now, size);
            screens::open(place, scope, &mut ctx)
        };
        self.show(screen, false, store);
        self.more = true;
    }

    pub(super) fn open_help(&mut self) {
        let here = self.views.current().screen.actions();
        let text = help::keys(&self.keymap, here, self.look.lang);
        let title = m::HELP_TITLE.text(self.look.lang);
        self.views.open(Box::new(Document::new("help", title, &text)));
    }

    pub(super) fn open_notices(&mut self) {
        let lang = self.look.lang;
        let words = |level| match level {
            Level::Info => m::NOTICE_INFO.text(lang),
            Level::Warn => m::NOTICE_WARN.text(lang),
            Level::Error => m::NOTICE_ERROR.text(lang),
        };
        let text = if self.notices.is_empty() { m::NO_NOTICES.text(lang).to_owned() } else { self.notices.text(words) };
        self.notices.dismiss(self.now);
        self.views.open(Box::new(Document::new("notices", m::NOTICES_TITLE.text(lang), &text)));
    }

    /// A kind that a screen needs is watched from now on, if it is not yet.
    pub(super) fn watch(kinds: &[crate::model::KindId], tasks: &mut Vec<Task>) {
        tasks.extend(kinds.iter().map(|k| Task::Ask(Ask::Watch(*k))));
    }
}
