//! The app driven by keys: layers, prompts, history, sizes, colours.

use std::{collections::BTreeMap, sync::Arc};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect};

use super::{App, Event, Spot, Task};
use crate::{
    config::Settings,
    fleet::{Store, delta::Delta},
    messages::{Lang, width},
    model::{ClusterId, ClusterRecord, KindSet, Millis},
    tui::{
        action::{self, ActionId},
        key::Key,
        keymap::Keymap,
        output::Output,
    },
};

const NOW: Millis = Millis(1_796_000_000_000);

struct Bench {
    app: App,
    store: Store,
    now: Millis,
}

impl Bench {
    fn with(env: &[(&str, &str)], change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings { mouse: true, fleet_name: "prod".into(), ..Settings::default() };
        change(&mut settings);
        let env: BTreeMap<String, String> = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let mut store = Store::new(KindSet::default(), settings.services.clone());
        for (i, name) in ["eu-west-1-prod-a", "支付 集群", "edge"].into_iter().enumerate() {
            let record = ClusterRecord {
                name: name.into(),
                environment: if i < 2 { "prod" } else { "edge" }.into(),
                groups: vec!["all".into()],
                ..ClusterRecord::default()
            };
            store.apply(Delta::Record(ClusterId(u16::try_from(i).unwrap()), Arc::new(record)));
        }
        let app = App::new(Arc::new(settings), &env, &mut store, None, (80, 24), NOW);
        Self { app, store, now: NOW }
    }

    fn new() -> Self {
        Self::with(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], |_| {})
    }

    /// Presses keys by their names.
    fn press(&mut self, keys: &str) -> Vec<Task> {
        let mut tasks = Vec::new();
        for name in keys.split(' ').filter(|k| !k.is_empty()) {
            let key = Key::parse(name).unwrap_or_else(|| panic!("{name} is no key"));
            let event = Event::Key(KeyEvent::new(key.code, key.mods));
            tasks.extend(self.app.update(event, &mut self.store, self.now));
        }
        tasks
    }

    fn write(&mut self, text: &str) {
        for c in text.chars() {
            let event = Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
            self.app.update(event, &mut self.store, self.now);
        }
    }

    fn picture(&mut self) -> String {
        let (w, h) = self.app.size();
        let mut buf = Buffer::empty(Rect::new(0, 0, w, h));
        self.app.draw(&mut buf, &self.store);
        text(&buf)
    }

    fn kind(&self) -> &'static str {
        self.app.views.current().screen.kind()
    }
}

/// A buffer as lines of text.
fn text(buf: &Buffer) -> String {
    let row = |y| (buf.area.left()..buf.area.right()).map(|x| buf[(x, y)].symbol()).collect::<String>();
    (buf.area.top()..buf.area.bottom()).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn escape_closes_one_layer_at_a_time_and_never_quits() {
    let mut b = Bench::new();
    b.press(":");
    b.write("matrix");
    b.press("enter /");
    b.write("web");
    b.press("enter");
    assert_eq!((b.kind(), b.app.views.current().screen.filter()), ("matrix", Some("web")));
    b.press("/ x esc");
    assert_eq!(b.app.views.current().screen.filter(), Some("web"), "esc brings back what was before");
    b.press("esc");
    assert_eq!((b.kind(), b.app.views.current().screen.filter()), ("matrix", Some("")));
    b.press("esc");
    assert_eq!(b.kind(), "fleet");
    let tasks = b.press("esc esc esc esc esc esc esc esc esc esc");
    assert!(tasks.is_empty(), "{tasks:?}");
}

#[test]
fn escape_and_a_key_that_arrive_as_one_are_two() {
    let mut b = Bench::new();
    b.press(": t h e m e enter alt-m");
    assert!(b.app.menu.is_none());
    assert_eq!(b.kind(), "matrix");
}

#[test]
fn quitting() {
    let mut b = Bench::new();
    assert!(b.press("m q").is_empty(), "elsewhere q goes back");
    assert!(matches!(b.press("q")[..], [Task::Quit]));
    let mut b = Bench::new();
    assert!(b.press("ctrl-c").is_empty());
    b.now = Millis(NOW.0 + 2500);
    assert!(b.press("ctrl-c").is_empty(), "too late");
    b.now = Millis(NOW.0 + 3000);
    assert!(matches!(b.press("ctrl-c")[..], [Task::Quit]));
    let mut b = Bench::new();
    b.press(": q ctrl-c");
    assert!(b.app.prompt.is_none(), "ctrl-c closes the prompt first");
    b.press(":");
    b.write("q");
    assert!(matches!(b.press("enter")[..], [Task::Quit]));
}

#[test]
fn pastes_do_nothing_outside_fields() {
    let mut b = Bench::new();
    let tasks = b.app.update(Event::Paste("q:q\rm".repeat(100_000)), &mut b.store, NOW);
    assert!(tasks.is_empty());
    assert_eq!(b.kind(), "fleet");
    assert!(b.picture().contains("paste ignored"));
    b.press("/");
    b.app.update(Event::Paste("a\nb\u{1b}[2J".into()), &mut b.store, NOW);
    assert_eq!(b.app.prompt.as_ref().unwrap().input.text(), "a b[2J");
}

#[test]
fn commands_open_complete_and_explain() {
    let mut b = Bench::new();
    b.press(":");
    b.write("the");
    assert_eq!(b.app.prompt.as_ref().unwrap().ghost, "me");
    b.press("tab");
    b.write(" light");
    b.press("enter");
    assert_eq!(b.app.look.theme.name, "light");
    for (line, shown) in [
        ("nonsense", "no command, kind or action is called nonsense"),
        ("pods @nowhere", "no cluster, group or environment is called nowhere"),
        ("pods \"x", "a quote is not closed"),
        ("theme nope", "no such theme"),
        ("matrix.group", "not on this screen"),
    ] {
        b.press(":");
        b.write(line);
        b.press("enter");
        let picture = b.picture();
        assert!(picture.contains(shown), "{line}: {picture}");
        b.press("esc");
    }
    b.press(":");
    b.write("pods shop /web @env:prod");
    let tasks = b.press("enter");
    assert_eq!(b.kind(), "objects");
    assert!(matches!(tasks[..], [Task::Ask(_)]), "the kind is watched");
    assert_eq!(b.app.views.current().screen.filter(), Some("web"));
    b.press(":");
    b.write("lang zh");
    b.press("enter");
    assert!(b.picture().contains("只读"));
    b.press(": up");
    assert_eq!(b.app.prompt.as_ref().unwrap().input.text(), "lang zh", "history");
    b.press("esc :");
    b.write("pods");
    b.press("ctrl-r");
    assert_eq!(b.app.prompt.as_ref().unwrap().input.text(), "pods shop /web @env:prod", "search in the history");
}

#[test]
fn help_lists_every_key_of_the_place_then_of_everywhere() {
    let mut b = Bench::new();
    for lang in [Lang::En, Lang::Zh] {
        let text = crate::tui::help::keys(&Keymap::default(), &[ActionId::Sort], lang);
        let here = text.find(ActionId::Sort.help(lang)).unwrap();
        assert!(here < text.find(ActionId::Down.help(lang)).unwrap());
        for info in action::ALL.iter().filter(|i| i.group == action::Group::Global) {
            assert!(text.contains(info.help.text(lang)), "{}", info.name);
        }
    }
    b.press("? /");
    b.write("history");
    assert!(b.picture().contains("/history  1/"), "{}", b.picture());
    b.press("enter esc esc");
    assert_eq!(b.kind(), "fleet");
    b.press("] ] -");
    assert_eq!(b.kind(), "fleet", "help is left for good");
}

#[test]
fn without_colours_no_colour_is_sent() {
    let mut b = Bench::with(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")], |_| {});
    b.press("?");
    let mut out = Output::new(Vec::new());
    for keys in ["/ t h e enter", ": p", "esc esc ;", "esc ctrl-c"] {
        b.press(keys);
        let mut buf = Buffer::empty(Rect::new(0, 0, 80, 24));
        let cursor = b.app.draw(&mut buf, &b.store);
        out.present(&mut buf, cursor).unwrap();
    }
    let bytes = String::from_utf8(out.writer().clone()).unwrap();
    let sgr = bytes.split("\x1b[").filter_map(|p| p.split_once('m')).map(|(codes, _)| codes);
    for codes in sgr.filter(|c| c.bytes().all(|b| b.is_ascii_digit() || b == b';')) {
        for code in codes.split(';').filter_map(|c| c.parse::<u8>().ok()) {
            assert!(!matches!(code, 30..=49 | 90..=107), "SGR {codes}");
        }
    }
    assert!(bytes.contains("\x1b[0;7") || bytes.contains(";7"), "something is reversed");
}

#[test]
fn an_idle_screen_sends_nothing_but_the_clock() {
    let mut b = Bench::new();
    let mut out = Output::new(Vec::new());
    let mut cost = Vec::new();
    for second in 0..5 {
        b.now = Millis(NOW.0 + second * 1000);
        b.app.update(Event::Data, &mut b.store, b.now);
        b.app.update(Event::Tick, &mut b.store, b.now);
        for _ in 0..3 {
            let mut buf = Buffer::empty(Rect::new(0, 0, 80, 24));
            let cursor = b.app.draw(&mut buf, &b.store);
            cost.push(out.present(&mut buf, cursor).unwrap().bytes);
        }
    }
    for (i, bytes) in cost.iter().enumerate().skip(1) {
        assert!(if i % 3 == 0 { *bytes < 120 } else { *bytes == 0 }, "{cost:?}");
    }
}

#[test]
fn counts_and_hints_are_buttons() {
    let mut b = Bench::new();
    b.press("m");
    b.picture();
    let place = |b: &Bench, spot: &Spot| b.app.spots.iter().find(|(_, s)| s == spot).map(|(r, _)| (r.x, r.y)).unwrap();
    let click = |b: &mut Bench, (column, row)| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        b.app.update(Event::Mouse(event), &mut b.store, NOW)
    };
    let at = place(&b, &Spot::Count("busy"));
    click(&mut b, at);
    assert_eq!((b.kind(), b.app.views.current().screen.filter()), ("fleet", Some("health=busy")));
    b.picture();
    let at = place(&b, &Spot::Action(ActionId::Help));
    click(&mut b, at);
    assert_eq!(b.kind(), "help");
}

#[test]
fn small_screens_say_what_they_need_and_keys_still_work() {
    let mut b = Bench::new();
    b.app.update(Event::Resize(30, 5), &mut b.store, NOW);
    assert!(b.picture().contains("40x8"), "{}", b.picture());
    assert!(matches!(b.press("q")[..], [Task::Quit]));
}

#[test]
fn ascii_and_plain_modes() {
    let mut b = Bench::with(&[("TERM", "linux")], |_| {});
    for keys in ["", "?", "esc :"] {
        b.press(keys);
        let picture = b.picture();
        assert!(picture.chars().all(|c| c.is_ascii() || c > '\u{2e80}'), "{picture}");
    }
    let mut b = Bench::with(&[("TERM", "xterm")], |s| s.plain = true);
    assert!(!b.picture().contains('│') && !b.picture().contains('┌'));
}

#[test]
fn popups_over_wide_characters_stay_whole() {
    let mut b = Bench::new();
    b.press(":");
    b.write("lang zh");
    b.press("enter ?");
    for (w, h) in [(80, 24), (79, 24), (61, 20), (42, 9)] {
        b.app.update(Event::Resize(w, h), &mut b.store, NOW);
        b.press(":");
        b.write("theme");
        b.press("enter");
        let picture = b.picture();
        for line in picture.lines() {
            assert!(width(line) <= usize::from(w), "{w}x{h}: {line}");
        }
        assert!(picture.contains("dark") && picture.contains("high-contrast"), "{picture}");
        b.press("esc");
    }
}

const PLACES: &[&str] = &["", "m", ": p o d s enter", "?", ";", ":", "/", "\\", ": t h e m e enter", ": s t s enter"];

/// Every screen with every overlay, at every size: no panic, and nothing outside.
#[test]
fn any_size_survives() {
    for place in PLACES {
        let mut b = Bench::new();
        b.press(place);
        for (w, h) in (0..=30).flat_map(|w| (0..=10).map(move |h| (w, h))).chain((0..60).map(|i| (200 - i * 3, 60 - i)))
        {
            b.app.update(Event::Resize(w, h), &mut b.store, NOW);
            b.picture();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Random keys and sizes: no panic, no request that changes anything, and Esc finds the way home.
    #[test]
    fn a_monkey_gets_home(
        keys in proptest::collection::vec(0usize..200, 1..120),
        sizes in proptest::collection::vec((0u16..120, 0u16..40), 1..6),
    ) {
        let mut b = Bench::new();
        let all: Vec<&str> = action::ALL.iter().flat_map(|i| i.keys.iter().copied()).filter(|k| *k != "ctrl-z").collect();
        for (i, k) in keys.iter().enumerate() {
            let (w, h) = sizes[i % sizes.len()];
            b.app.update(Event::Resize(w, h), &mut b.store, NOW);
            match all.get(*k) {
                Some(key) => { b.press(key); }
                None => b.write(char::from(b'a' + u8::try_from(k % 26).unwrap()).encode_utf8(&mut [0; 4])),
            }
            b.picture();
        }
        for _ in 0..120 {
            b.press("esc");
        }
        prop_assert!(b.app.views.at_root());
        prop_assert!(b.app.prompt.is_none() && b.app.menu.is_none());
    }
}
