//! Runs command lines: screens by name, kinds, actions, and the few commands of the program itself.

use std::sync::Arc;

use super::{App, Task};
use crate::{
    desired::engine::{Outcome, Service},
    fleet::Store,
    messages::{Lang, clean_line, desired as d, tui as m},
    model::KindId,
    tui::{
        action::{self, ActionId},
        clusters,
        command::{Broken, CommandLine, quote},
        help,
        screen::{Choice, Menu, MenuItem, Notice, Scope},
        screens::{Place, differences::DifferencesScreen, document::Document},
        theme,
    },
};

/// Commands that are no kinds and no actions.
const COMMANDS: &[&str] = &[
    "fleet",
    "clusters",
    "matrix",
    "placement",
    "place",
    "differences",
    "help",
    "keys",
    "notices",
    "log",
    "theme",
    "lang",
    "reload",
    "mouse",
    "q",
    "quit",
];

/// Last bytes of the log that `:log` shows.
const LOG_TAIL: u64 = 256 * 1024;

impl App {
    /// The command line the program was started with; the first screen is replaced by what it opens.
    pub(super) fn open_first(&mut self, line: &str, store: &mut Store) {
        let mut tasks = Vec::new();
        self.run_command(line, store, &mut tasks);
        // The loop is not there yet: it fetches these when it starts.
        self.first_tasks.extend(tasks);
    }

    pub(super) fn command_names(&self, store: &Store) -> Vec<String> {
        let mut names: Vec<String> = COMMANDS.iter().map(|c| (*c).to_owned()).collect();
        names.extend(store.kinds().all().into_iter().map(|(_, k)| k.plural.clone()));
        names.extend(action::ALL.iter().map(|i| i.name.to_owned()));
        names
    }

    pub(super) fn run_command(&mut self, line: &str, store: &mut Store, tasks: &mut Vec<Task>) {
        let lang = self.look.lang;
        let command = match CommandLine::parse(line) {
            Ok(command) => command,
            Err(broken) => {
                let text = match broken {
                    Broken::Quote => m::OPEN_QUOTE,
                    Broken::Selector => m::NO_SELECTOR,
                };
                return self.notice(Notice::warn(text.text(lang)));
            }
        };
        let arg = command.args.first().map(String::as_str);
        match command.name.as_str() {
            "" => self.narrow(&command, store),
            "fleet" | "clusters" => self.place(&Place::Fleet, &command, store, tasks),
            "matrix" => self.place(&Place::Matrix, &command, store, tasks),
            "placement" | "place" => self.place(&Place::Placement, &command, store, tasks),
            "differences" => self.open_differences(arg, store),
            "help" => self.help_topic(arg),
            "keys" => self.open_help(),
            "notices" => self.open_notices(),
            "log" => self.open_log(),
            "theme" => self.set_theme(arg),
            "lang" => self.set_lang(arg),
            "reload" => tasks.push(Task::Reload),
            "mouse" => self.act(ActionId::Mouse, store, tasks),
            "q" | "quit" | "q!" => tasks.push(Task::Quit),
            name => self.named(name, &command, store, tasks),
        }
    }

    /// Names of the services of desired state, with their namespaces where a name alone is not enough.
    pub(super) fn service_names(&self) -> Vec<String> {
        let Some(picture) = &self.look.desired else { return Vec::new() };
        let services = &picture.desired.services;
        let once = |name: &str| services.iter().filter(|o| *o.service.name == *name).count() == 1;
        let named =
            |s: &Service| if once(&s.name) { s.name.to_string() } else { format!("{}/{}", s.namespace, s.name) };
        services.iter().map(|o| named(&o.service)).collect()
    }

    /// What differs between the clusters of a service: named, or chosen from a list.
    fn open_differences(&mut self, name: Option<&str>, store: &mut Store) {
        let lang = self.look.lang;
        let names = self.service_names();
        let Some(picture) = &self.look.desired else {
            return self.notice(Notice::info(d::NOTHING_DESIRED.text(lang)));
        };
        let Some(name) = name else {
            let item = |name: &String| {
                let line = format!("differences {}", quote(name));
                MenuItem::new(None, clean_line(name), Choice::Command(line))
            };
            return self.open_menu(Menu::new("service", d::WHICH_SERVICE.text(lang), names.iter().map(item).collect()));
        };
        let (namespace, bare) = name.split_once('/').map_or((None, name), |(ns, bare)| (Some(ns), bare));
        let fits = |s: &Service| *s.name == *bare && namespace.is_none_or(|ns| *s.namespace == *ns);
        let found: Vec<&Arc<Outcome>> = picture.desired.services.iter().filter(|o| fits(&o.service)).collect();
        match found.as_slice() {
            [one] => {
                let screen = DifferencesScreen::new(&one.service);
                self.show(Box::new(screen), false, store);
                self.more = true;
            }
            [] => self.notice(Notice::warn(d::NO_SUCH_SERVICE.fill(lang, &[("name", name)]))),
            many => {
                let ways: Vec<String> =
                    many.iter().map(|o| format!("{}/{}", o.service.namespace, o.service.name)).collect();
                let places = [("name", name), ("ways", &*ways.join("  "))];
                self.notice(Notice::warn(m::SEVERAL_FIT.fill(lang, &places)));
            }
        }
    }

    /// A kind, or an action by its stable name.
    fn named(&mut self, name: &str, command: &CommandLine, store: &mut Store, tasks: &mut Vec<Task>) {
        let kinds = store.kinds().named(name);
        match kinds.as_slice() {
            [] => {}
            [kind] => return self.place(&Place::Objects(vec![*kind]), command, store, tasks),
            several => return self.which_kind(name, several, command, store),
        }
        match ActionId::named(name) {
            Some(action) if super::act::applies(action, self.views.current().screen.actions()) => {
                self.act(action, store, tasks);
            }
            Some(action) => {
                let lang = self.look.lang;
                let why = m::NOT_HERE.text(lang);
                let text = m::NOT_NOW.fill(lang, &[("what", action.short(lang)), ("why", why)]);
                self.notice(Notice::info(text));
            }
            None => self.notice(Notice::warn(m::NO_COMMAND.fill(self.look.lang, &[("name", name)]))),
        }
    }

    /// A name that fits several kinds lists them.
    fn which_kind(&mut self, name: &str, kinds: &[KindId], command: &CommandLine, store: &Store) {
        let mut rest: String = command.args.iter().map(|a| format!(" {}", quote(a))).collect();
        rest.extend(command.selector.iter().map(|s| format!(" -l {}", quote(s))));
        rest.extend(command.at.iter().map(|a| format!(" @{}", quote(a))));
        rest.extend(command.filter.iter().map(|f| format!(" /{f}")));
        let items = kinds
            .iter()
            .filter_map(|k| store.kinds().info(*k))
            .map(|info| MenuItem::new(None, info.resource(), Choice::Command(format!("{}{rest}", info.resource()))))
            .collect();
        self.open_menu(Menu::new("kind", m::WHICH_KIND.fill(self.look.lang, &[("name", name)]), items));
    }

    /// Opens a place on what the line says.
    fn place(&mut self, place: &Place, command: &CommandLine, store: &mut Store, tasks: &mut Vec<Task>) {
        let at = command.at.clone().unwrap_or_default();
        let clusters = match clusters::resolve(store, &at) {
            Ok(ids) => ids,
            Err(why) => {
                let text = self.unclear(&why);
                return self.notice(Notice::warn(text));
            }
        };
        let namespace = command.args.first().cloned().unwrap_or_default();
        let scope = Scope { clusters, at, namespace, filter: command.whole_filter() };
        if *place == Place::Fleet && scope == Scope::default() {
            self.views.home();
            self.more = true;
            return;
        }
        if let Place::Objects(kinds) = place {
            Self::watch(kinds, tasks);
        }
        self.open_place(place, &scope, store);
    }

    /// A line without a name narrows the screen that is there: `:/web`, `:@env:prod`.
    fn narrow(&mut self, command: &CommandLine, store: &mut Store) {
        if command.filter.is_some() || command.selector.is_some() {
            let filter = command.whole_filter();
            self.with_screen(store, |screen, ctx| screen.set_filter(&filter, ctx));
        }
        if let Some(at) = &command.at {
            match clusters::resolve(store, at) {
                Ok(ids) => self.with_screen(store, |screen, ctx| screen.set_clusters(ids, at, ctx)),
                Err(why) => {
                    let text = self.unclear(&why);
                    self.notice(Notice::warn(text));
                }
            }
        }
        self.more = true;
    }

    fn help_topic(&mut self, topic: Option<&str>) {
        let Some(topic) = topic else { return self.open_help() };
        let lang = self.look.lang;
        match help::topic(topic, lang) {
            Some(text) => self.views.open(Box::new(Document::new("help", m::HELP_TITLE.text(lang), text))),
            None => {
                let topics = help::TOPICS.join("  ");
                self.notice(Notice::info(m::NO_TOPIC.fill(lang, &[("name", topic), ("topics", &topics)])));
            }
        }
    }

    fn set_theme(&mut self, name: Option<&str>) {
        let folder = self.look.settings.paths.config.join("themes");
        let Some(name) = name else {
            let items = theme::names(&folder)
                .into_iter()
                .map(|n| MenuItem::new(None, n.clone(), Choice::Command(format!("theme {}", quote(&n)))))
                .collect();
            let mut menu = Menu::new("theme", m::WHICH_THEME.text(self.look.lang), items);
            menu.cursor = menu.items.iter().position(|i| i.text == self.look.theme.name).unwrap_or(0);
            return self.open_menu(menu);
        };
        match theme::load(name, &folder, self.look.level) {
            Ok(theme) => {
                self.look.theme = theme;
                self.theme_chosen = true;
                self.notice(Notice::info(m::THEME_IS.fill(self.look.lang, &[("name", name)])));
            }
            Err(why) => self.notice(Notice::error(m::THEME_FAILED.fill(self.look.lang, &[("why", &why)]))),
        }
    }

    fn set_lang(&mut self, code: Option<&str>) {
        match code.and_then(Lang::from_code) {
            Some(lang) => {
                self.look.lang = lang;
                self.more = true;
            }
            None => self.notice(Notice::info(m::WHICH_LANG.text(self.look.lang))),
        }
    }

    fn open_log(&mut self) {
        let lang = self.look.lang;
        let path = crate::tui::files::log_file(&self.look.settings);
        match crate::tui::files::tail(&path, LOG_TAIL) {
            Ok(text) => {
                let mut screen = Document::new("log", path.display().to_string(), &text);
                screen.to_end();
                self.views.open(Box::new(screen));
            }
            Err(error) => {
                let path = path.display().to_string();
                let text = m::LOG_FAILED.fill(lang, &[("path", &path), ("why", &error.to_string())]);
                self.notice(Notice::warn(text));
            }
        }
    }
}
