//! The state of the screen and what events do to it. No terminal, no channel, no clock: events come in, [`Task`]s go out,
//! and the loop in `run` does them.

mod act;
mod command;
mod draw;
mod effect;
mod mouse;
mod prompt;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent};
use ratatui::layout::Rect;

use super::{
    action::ActionId,
    glyphs::Glyphs,
    history::Views,
    kept::{self, AllKept, Kept},
    key::Key,
    keymap::{Keymap, Lookup},
    notices::Notices,
    screen::{Ctx, Menu, Notice, Scope, Screen, Supposed, UpdateCtx},
    screens::{self, Place},
    theme::{self, Level, Theme},
    wanted::Versions,
};
use crate::{
    config::Settings,
    desired::{engine::Desired, origin::At, whatif::Change},
    fleet::{
        Store,
        inventory::Counts,
        matrix::{self, Wanted},
    },
    live::Ask,
    messages::{Lang, clean_line, tui as m},
    model::{Cause, ClusterId, Millis, ObjectRef},
    render::{load::Trouble, worker::Picture},
};

pub(crate) use draw::by_state;
pub use prompt::Prompt;

/// Something that happened.
#[derive(Debug)]
pub enum Event {
    /// A key.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The mouse.
    Mouse(MouseEvent),
    /// The terminal has another size.
    Resize(u16, u16),
    /// The terminal's window got or lost the focus.
    Focus(bool),
    /// The store changed, or work remains from before.
    Data,
    /// A second has passed.
    Tick,
    /// The terminal's background is light or dark.
    Background(bool),
    /// The answer to a [`Task::Fetch`].
    Fetched(u64, u64, Box<Result<serde_json::Value, Cause>>),
    /// The configuration was read anew.
    Settings(Arc<Settings>),
    /// Desired state was computed anew.
    Desired(Picture),
    /// The answer to a [`Task::Suppose`], for this view with this generation.
    Supposed(u64, u64, Box<Supposed>),
    /// Something to tell.
    Notice(Notice),
}

/// Something the loop must do.
#[derive(Debug)]
pub enum Task {
    /// Ask something of the engine.
    Ask(Ask),
    /// Lend the terminal to the credential plugin of a cluster; with its command.
    LogIn(ClusterId, String),
    /// Read an object; the answer comes back for this view with this generation.
    Fetch {
        /// Number of the view.
        view: u64,
        /// Object.
        object: ObjectRef,
        /// Keep managedFields.
        managed_fields: bool,
        /// The screen's own number.
        generation: u64,
    },
    /// Compute desired state under suppositions; the answer comes back for this view with this generation.
    Suppose {
        /// Number of the view.
        view: u64,
        /// What is placed now.
        now: Arc<Desired>,
        /// The suppositions.
        changes: Vec<Change>,
        /// The screen's own number.
        generation: u64,
    },
    /// Lend the terminal to the person's editor, with this place.
    Edit(At),
    /// Put a text on the clipboard.
    Copy {
        /// The text.
        text: String,
        /// What it is.
        what: String,
    },
    /// Write a file.
    Save {
        /// Its name as wished.
        name: String,
        /// Its text.
        text: String,
    },
    /// Keep a screen's choice of columns and order.
    Keep(String, Kept),
    /// Draw the whole screen anew.
    Redraw,
    /// Take or release the mouse.
    Mouse(bool),
    /// Suspend the program.
    Suspend,
    /// Read the configuration anew.
    Reload,
    /// End the program.
    Quit,
}

/// How everything looks; chosen once, changed by `:theme` and `:lang`.
pub struct Look {
    /// Configuration in use.
    pub settings: Arc<Settings>,
    /// What should be where, once it is known.
    pub desired: Option<Picture>,
    /// Language.
    pub lang: Lang,
    /// Theme in use.
    pub theme: Theme,
    /// What the terminal can show.
    pub level: Level,
    /// Marks.
    pub glyphs: &'static Glyphs,
    /// No borders, no spinner.
    pub plain: bool,
    /// The clock shows no seconds: a slow link.
    pub slow: bool,
}

/// The screen as a whole.
pub struct App {
    look: Look,
    keymap: Keymap,
    views: Views,
    menu: Option<(Menu, u64)>,
    prompt: Option<Prompt>,
    pending: Vec<Key>,
    notices: Notices,
    commands: Vec<String>,
    filters: Vec<String>,
    kept: AllKept,
    size: (u16, u16),
    now: Millis,
    focused: bool,
    mouse_on: bool,
    cancelled: Option<Millis>,
    clicked: Option<((u16, u16), Millis)>,
    /// The fleet for which the Matrix knows what is wanted.
    fleet_seen: u64,
    /// Where the left button is held down.
    pressed: Option<(u16, u16)>,
    counts: (Millis, u64, Counts),
    /// Questions under way.
    asked: usize,
    more: bool,
    dirty: bool,
    spots: Vec<(Rect, Spot)>,
    body: Rect,
    /// The theme was chosen by the person: the terminal's background does not change it any more.
    theme_chosen: bool,
    first_tasks: Vec<Task>,
}

/// A place on the screen that does something when it is clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Spot {
    Action(ActionId),
    /// A count of the header: filters the fleet.
    Count(&'static str),
}

impl App {
    /// The app on its first screen. `open` is a command line (`pods`, `matrix @env:prod`), else the Fleet. `folder` of
    /// themes and keys comes from the settings; `env` decides colours and marks.
    pub fn new(
        settings: Arc<Settings>,
        env: &BTreeMap<String, String>,
        store: &mut Store,
        open: Option<&str>,
        size: (u16, u16),
        now: Millis,
    ) -> Self {
        let var = |name: &str| env.get(name).cloned();
        let level = theme::level(&settings.color, &var);
        let mut notices = Notices::default();
        let theme = first_theme(&settings, level, &var, &mut |text| notices.push(Notice::warn(text), now));
        let look = Look {
            lang: settings.lang,
            theme,
            level,
            glyphs: Glyphs::choose(settings.ascii, &var),
            plain: settings.plain,
            desired: None,
            slow: ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].iter().any(|n| env.contains_key(*n)),
            settings,
        };
        let (keymap, mut problems) = Keymap::load(&look.settings.paths.config, look.lang);
        let (kept, broken) = AllKept::load(&look.settings.paths.state, look.lang);
        problems.extend(broken);
        for p in look.settings.problems.iter().chain(&problems) {
            let text = if p.field.is_empty() {
                format!("{}: {}", p.place, p.text)
            } else {
                format!("{}: {}: {}", p.place, p.field, p.text)
            };
            notices.push(Notice::warn(clean_line(&text).into_owned()), now);
        }
        let mut ctx = look.update_ctx(store, now, size);
        let mut first = screens::open(&Place::Fleet, &Scope::default(), &mut ctx);
        adopt(&kept, &mut *first, &mut ctx);
        let mouse_on = look.settings.mouse;
        let theme_chosen = !matches!(look.settings.theme.as_str(), "" | "auto");
        let mut app = Self {
            look,
            keymap,
            views: Views::new(first),
            menu: None,
            prompt: None,
            pending: Vec::new(),
            notices,
            commands: Vec::new(),
            filters: Vec::new(),
            kept,
            size,
            now,
            focused: true,
            mouse_on,
            cancelled: None,
            clicked: None,
            fleet_seen: 0,
            pressed: None,
            counts: (Millis(i64::MIN / 2), 0, Counts::default()),
            asked: 0,
            more: true,
            dirty: true,
            spots: Vec::new(),
            body: Rect::default(),
            theme_chosen,
            first_tasks: Vec::new(),
        };
        if let Some(line) = open {
            app.open_first(line, store);
        }
        app
    }

    /// Takes an event in. `now` is the wall clock.
    pub fn update(&mut self, event: Event, store: &mut Store, now: Millis) -> Vec<Task> {
        self.now = now;
        let mut tasks = Vec::new();
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => return tasks,
            Event::Key(key) => {
                self.dirty = true;
                self.key(Key::from_event(key), store, &mut tasks);
            }
            Event::Paste(text) => self.paste(&text, store),
            Event::Mouse(event) => self.mouse(event, store, &mut tasks),
            Event::Resize(w, h) => {
                self.size = (w, h);
                self.dirty = true;
                self.more = true;
            }
            Event::Focus(on) => {
                self.focused = on;
                self.dirty |= on;
            }
            Event::Data => self.data(store, &mut tasks),
            Event::Tick => self.dirty |= self.ticks(),
            Event::Background(dark) => self.background(dark),
            Event::Fetched(view, generation, answer) => self.fetched(view, generation, *answer, store, &mut tasks),
            Event::Settings(settings) => self.new_settings(settings),
            Event::Desired(picture) => self.new_desired(picture, store),
            Event::Supposed(view, generation, answer) => {
                self.supposed(view, generation, *answer, store, &mut tasks);
            }
            Event::Notice(notice) => self.notice(notice),
        }
        tasks
    }

    /// True when something may look different from the last frame.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// True when [`Event::Data`] should come again soon because work remains.
    pub fn has_work(&self) -> bool {
        self.more
    }

    /// True while the terminal's window has the focus, as far as it says so.
    pub fn is_focused(&self) -> bool {
        self.focused
    }

    /// Size of the terminal.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// How things look now.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// What the opening command asked for.
    pub fn take_first_tasks(&mut self) -> Vec<Task> {
        std::mem::take(&mut self.first_tasks)
    }

    /// Commands typed, oldest first: kept over starts by the loop.
    pub fn commands(&self) -> &[String] {
        &self.commands
    }

    /// Takes the commands of earlier starts back.
    pub fn set_commands(&mut self, commands: Vec<String>) {
        self.commands = commands;
    }

    /// Shows a notice.
    pub fn notice(&mut self, notice: Notice) {
        let text = clean_line(&notice.text).into_owned();
        self.notices.push(Notice { text, ..notice }, self.now);
        self.dirty = true;
    }

    fn ticks(&self) -> bool {
        // The clock is on every screen; on a slow link it shows minutes only.
        !self.look.slow || self.now.0 / 1000 % 5 == 0 || !self.notices.showing(self.now).is_empty()
    }

    fn data(&mut self, store: &mut Store, tasks: &mut Vec<Task>) {
        if store.fleet_version() != self.fleet_seen {
            self.want(store);
        }
        self.more = self.with_screen(store, |screen, ctx| screen.on_data(ctx));
        self.dirty = true;
        let effects = self.with_screen(store, |screen, ctx| screen.pending(ctx));
        if !effects.is_empty() {
            self.perform(effects, store, tasks);
        }
    }

    /// Desired state was computed anew.
    fn new_desired(&mut self, picture: Picture, store: &mut Store) {
        let before = self.look.desired.replace(picture.clone());
        // What was wrong before and still is was told before.
        let known = |t: &Trouble| before.as_ref().is_some_and(|b| b.troubles.contains(t));
        for trouble in picture.troubles.iter().filter(|t| !known(t)) {
            let problem = trouble.problem(self.look.lang);
            self.notice(Notice::warn(format!("{}: {}", problem.place, problem.text)));
        }
        self.want(store);
        self.more = true;
        self.dirty = true;
    }

    /// The Matrix measures by the versions that desired state wants, for the clusters that there are.
    fn want(&mut self, store: &mut Store) {
        self.fleet_seen = store.fleet_version();
        if let Some(picture) = &self.look.desired {
            let versions: Arc<dyn Wanted> = Arc::new(Versions::new(&picture.desired, store));
            matrix::set_wanted(store, Some(versions));
        }
    }

    /// Runs `f` on the current screen with the world it may act on.
    fn with_screen<R>(&mut self, store: &mut Store, f: impl FnOnce(&mut dyn Screen, &mut UpdateCtx<'_>) -> R) -> R {
        let look = &self.look;
        let mut ctx = look.update_ctx(store, self.now, self.size);
        f(&mut *self.views.current_mut().screen, &mut ctx)
    }

    /// Opens a screen above the current one, or in its place, as the person left its like.
    fn show(&mut self, mut screen: Box<dyn Screen>, replace: bool, store: &mut Store) {
        let look = &self.look;
        let mut ctx = look.update_ctx(store, self.now, self.size);
        adopt(&self.kept, &mut *screen, &mut ctx);
        if replace { self.views.replace(screen) } else { self.views.open(screen) }
    }

    /// A person chose columns or an order.
    fn keep(&mut self, mut kept: Kept, store: &Store, tasks: &mut Vec<Task>) {
        let name = self.views.current().screen.kept_name(store);
        if !name.is_empty() {
            kept.configured = kept::configured(&name, &self.look.settings).cloned();
            self.kept.set(&name, kept.clone());
            tasks.push(Task::Keep(name, kept));
        }
    }

    fn ctx<'a>(&'a self, store: &'a Store) -> Ctx<'a> {
        self.look.ctx(store, self.now, self.size, self.menu.is_none() && self.prompt.is_none())
    }

    fn key(&mut self, key: Key, store: &mut Store, tasks: &mut Vec<Task>) {
        if self.prompt.is_some() {
            self.prompt_key(key, store, tasks);
        } else if self.menu.is_some() {
            self.menu_key(key, store, tasks);
        } else {
            self.plain_key(key, store, tasks);
        }
    }

    fn plain_key(&mut self, key: Key, store: &mut Store, tasks: &mut Vec<Task>) {
        self.pending.push(key);
        let here = self.views.current().screen.actions();
        match self.keymap.lookup(&self.pending, &|a| act::applies(a, here)) {
            Lookup::Action(action) => {
                self.pending.clear();
                self.act(action, store, tasks);
            }
            // The box with the continuations shows at once; Esc, or a key that leads nowhere, closes it.
            Lookup::Begin(_) => {}
            Lookup::Nothing => {
                self.pending.clear();
                self.split_alt(key, store, tasks);
            }
        }
    }

    /// Esc and a key typed quickly, or held up together on a slow link, arrive as Alt-key: nothing is bound to that, so
    /// they are taken for what they were.
    fn split_alt(&mut self, key: Key, store: &mut Store, tasks: &mut Vec<Task>) {
        if key.mods.contains(KeyModifiers::ALT) {
            let esc = Key { code: KeyCode::Esc, mods: KeyModifiers::NONE };
            self.key(esc, store, tasks);
            self.key(Key { mods: key.mods - KeyModifiers::ALT, ..key }, store, tasks);
        }
    }

    fn background(&mut self, dark: bool) {
        if self.theme_chosen || self.look.theme.dark == dark || self.look.theme.colourless {
            return;
        }
        let name = if dark { "dark" } else { "light" };
        if let Ok(theme) = theme::load(name, &self.look.settings.paths.config.join("themes"), self.look.level) {
            self.look.theme = theme;
            self.dirty = true;
        }
    }

    fn new_settings(&mut self, settings: Arc<Settings>) {
        let folder = settings.paths.config.join("themes");
        if let Ok(theme) = theme::load(&self.look.theme.name, &folder, self.look.level) {
            self.look.theme = theme;
        }
        let (keymap, problems) = Keymap::load(&settings.paths.config, self.look.lang);
        self.keymap = keymap;
        // What was wrong before and still is was told before.
        let news = settings.problems.iter().filter(|p| !self.look.settings.problems.contains(p));
        let all: Vec<String> = news.chain(&problems).map(|p| format!("{}: {}", p.place, p.text)).collect();
        self.look.settings = settings;
        for text in all {
            self.notice(Notice::warn(text));
        }
        self.notice(Notice::info(m::RELOADED.text(self.look.lang)));
        self.more = true;
    }
}

impl Look {
    /// The world for acting.
    pub fn update_ctx<'a>(&'a self, store: &'a mut Store, now: Millis, size: (u16, u16)) -> UpdateCtx<'a> {
        UpdateCtx { store, settings: &self.settings, desired: self.desired.as_ref(), lang: self.lang, now, size }
    }

    /// The world for drawing.
    pub fn ctx<'a>(&'a self, store: &'a Store, now: Millis, size: (u16, u16), focused: bool) -> Ctx<'a> {
        Ctx {
            store,
            settings: &self.settings,
            desired: self.desired.as_ref(),
            lang: self.lang,
            theme: &self.theme,
            glyphs: self.glyphs,
            now,
            size,
            read_only: true,
            focused,
            plain: self.plain,
        }
    }
}

/// Shows a screen as the person left it, or as the fleet file wants it.
fn adopt(all: &AllKept, screen: &mut dyn Screen, ctx: &mut UpdateCtx<'_>) {
    let name = screen.kept_name(ctx.store);
    if let Some(kept) = all.on(&name, ctx.settings) {
        screen.adopt(&kept, ctx);
    }
}

/// The theme to begin with: what was chosen, else mono without colours, else by COLORFGBG, else dark.
fn first_theme(
    settings: &Settings,
    level: Level,
    var: &dyn Fn(&str) -> Option<String>,
    complain: &mut dyn FnMut(String),
) -> Theme {
    let folder = settings.paths.config.join("themes");
    let guess = || {
        let light = var("COLORFGBG")
            .and_then(|v| v.rsplit(';').next()?.parse::<u8>().ok())
            .is_some_and(|bg| bg == 7 || bg == 15);
        if level == Level::None {
            "mono"
        } else if light {
            "light"
        } else {
            "dark"
        }
    };
    let chosen = settings.theme.as_str();
    // Without colours only a theme made for that tells things apart.
    let name = if level == Level::None || matches!(chosen, "" | "auto") { guess() } else { chosen };
    theme::load(name, &folder, level).unwrap_or_else(|why| {
        complain(why);
        theme::load(guess(), &folder, level).unwrap_or_default()
    })
}
