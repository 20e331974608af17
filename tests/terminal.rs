//! The binary in a pseudo-terminal: what public reports complain of in other consoles must not happen in this one.

use std::{fs, time::Duration};

use libtest_mimic::Trial;
use quarterdeck::sim::{Faults, kinds};
use serde_json::json;

use crate::{
    always,
    support::{
        fleet::{CREDENTIAL, Fleet, pod},
        pty::Console,
        wait_for,
    },
};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        always("terminal::one_filter_covers_all_clusters", one_filter_covers_all_clusters),
        always("terminal::an_object_is_read_from_its_own_cluster", an_object_is_read_from_its_own_cluster),
        always("terminal::rows_are_usable_while_they_load", rows_are_usable_while_they_load),
        always("terminal::a_broken_neighbour_harms_nobody", a_broken_neighbour_harms_nobody),
        always("terminal::a_frozen_socket_goes_stale_and_heals", a_frozen_socket_goes_stale_and_heals),
        always(
            "terminal::a_minute_without_servers_does_not_end_the_program",
            a_minute_without_servers_does_not_end_the_program,
        ),
        always(
            "terminal::a_kubeconfig_rewritten_under_us_loses_nothing",
            a_kubeconfig_rewritten_under_us_loses_nothing,
        ),
        always("terminal::credential_plugins_never_reach_the_screen", credential_plugins_never_reach_the_screen),
        always("terminal::hundreds_of_contexts_log_in_once", hundreds_of_contexts_log_in_once),
        always("terminal::hostile_text_never_reaches_the_terminal", hostile_text_never_reaches_the_terminal),
        always("terminal::any_window_size", any_window_size),
        always("terminal::pastes_do_nothing_outside_fields", pastes_do_nothing_outside_fields),
        always("terminal::the_cursor_follows_its_object", the_cursor_follows_its_object),
        always("terminal::popups_over_wide_characters_stay_whole", popups_over_wide_characters_stay_whole),
        always("terminal::the_terminal_is_restored_on_every_way_out", the_terminal_is_restored_on_every_way_out),
        always("terminal::without_colours_the_selection_is_reversed", without_colours_the_selection_is_reversed),
        always("terminal::an_idle_console_is_silent", an_idle_console_is_silent),
        always("terminal::the_last_snapshot_opens_the_next_start", the_last_snapshot_opens_the_next_start),
        always("terminal::forbidden_kinds_blank_their_own_numbers", forbidden_kinds_blank_their_own_numbers),
        always("terminal::a_paste_during_the_start_is_no_typing", a_paste_during_the_start_is_no_typing),
        always("terminal::answers_that_come_late_are_no_keys", answers_that_come_late_are_no_keys),
        always("terminal::random_keys_harm_nothing", random_keys_harm_nothing),
        always("terminal::a_silent_cluster_among_many_keeps_its_rows", a_silent_cluster_among_many_keeps_its_rows),
        always("terminal::quitting_is_quick_while_lists_run", quitting_is_quick_while_lists_run),
        always("terminal::marks_of_equal_names_are_told_apart", marks_of_equal_names_are_told_apart),
        always("terminal::folders_that_cannot_be_written_end_nothing", folders_that_cannot_be_written_end_nothing),
        always("terminal::only_plain_signs_where_asked", only_plain_signs_where_asked),
        always("terminal::hundreds_of_contexts_have_a_row_each", hundreds_of_contexts_have_a_row_each),
        always("terminal::a_signal_during_the_start_ends_it_cleanly", a_signal_during_the_start_ends_it_cleanly),
        always("terminal::an_endless_line_holds_nothing_up", an_endless_line_holds_nothing_up),
        always("terminal::an_object_too_large_to_read_is_named", an_object_too_large_to_read_is_named),
        always("terminal::a_light_terminal_gets_the_light_theme", a_light_terminal_gets_the_light_theme),
        always("terminal::chosen_columns_and_orders_are_found_again", chosen_columns_and_orders_are_found_again),
    ]
}

fn start(fleet: &Fleet, size: (u16, u16), args: &[&str]) -> Console {
    let kubeconfig = fleet.kubeconfig();
    let mut all = vec!["--kubeconfig", kubeconfig.as_str()];
    all.extend_from_slice(args);
    Console::start(fleet.home(), size.0, size.1, &all, &[])
}

/// Waits until a line holds all the words.
fn line(console: &Console, seconds: u64, words: &[&str]) -> String {
    let what = format!("a line with {words:?}");
    let text = console.wait(&what, seconds, |s| s.lines().any(|l| words.iter().all(|w| l.contains(w))));
    text.lines().find(|l| words.iter().all(|w| l.contains(w))).unwrap_or("").to_owned()
}

/// Rows of the Fleet screen whose state is *live*.
fn live_rows(screen: &str) -> usize {
    screen.lines().filter(|l| is_live(l)).count()
}

/// The state is a word of its own in the row; sentences that speak of live clusters do not count.
fn is_live(line: &str) -> bool {
    line.contains("sim-") && line.contains(" live  ") && !line.contains("not live")
}

fn all_live(console: &Console, count: usize) {
    console.wait("all clusters live", 60, |s| live_rows(s) >= count);
}

/// Esc, and the moment that tells it from an Alt key.
fn esc(console: &mut Console) {
    console.send("\u{1b}");
    std::thread::sleep(Duration::from_millis(150));
}

fn one_filter_covers_all_clusters() {
    let fleet = Fleet::bare(3, 1);
    for i in 0..3 {
        fleet.pod(i, &format!("needle-{i}"), None);
        fleet.pod(i, &format!("hay-{i}"), None);
    }
    let mut console = start(&fleet, (140, 30), &["--open", "pods"]);
    line(&console, 60, &["hay-2"]);
    console.send("/needle\r");
    let text = console.wait("only the needles", 20, |s| !s.contains("hay-") && s.matches("needle-").count() >= 3);
    for i in 0..3 {
        assert!(text.lines().any(|l| l.contains(fleet.name(i)) && l.contains(&format!("needle-{i}"))), "{text}");
    }
}

fn an_object_is_read_from_its_own_cluster() {
    let fleet = Fleet::bare(2, 1);
    for i in 0..2 {
        let mut object = pod("twin", None);
        object["metadata"]["annotations"] = json!({"origin": format!("from-cluster-number-{i}")});
        fleet.load(i, kinds::PODS, object);
    }
    let mut console = start(&fleet, (140, 40), &["--open", "pods"]);
    line(&console, 60, &[fleet.name(1), "twin"]);
    // Somebody else switches the current context meanwhile: what is shown stays where it is.
    let text = fs::read_to_string(fleet.kubeconfig()).expect("kubeconfig");
    let switched =
        text.replace(&format!("current-context: {}", fleet.name(0)), &format!("current-context: {}", fleet.name(1)));
    fs::write(fleet.kubeconfig(), switched).expect("written");
    for i in 0..2 {
        // The prompt opens with the filter in use; Ctrl-u empties it.
        console.send(&format!("/\u{15}cluster:{} twin\r", fleet.name(i)));
        console.wait("one row", 20, |s| {
            s.matches("twin").count() >= 1 && s.lines().any(|l| l.contains("twin") && l.contains(fleet.name(i)))
        });
        console.send("Y");
        console.wait_text(&format!("from-cluster-number-{i}"), 20);
        assert!(!console.text().contains(&format!("from-cluster-number-{}", 1 - i)));
        esc(&mut console);
        console.wait("back in the list", 20, |s| !s.contains("from-cluster-number"));
        console.send("d");
        let detail = console.wait("the detail", 20, |s| !s.contains("shown") && s.contains("twin"));
        assert!(
            detail.contains(fleet.name(i)) && !detail.contains(fleet.name(1 - i)),
            "another cluster's detail:\n{detail}"
        );
        esc(&mut console);
        console.wait("back in the list", 20, |s| s.contains("shown"));
    }
}

fn rows_are_usable_while_they_load() {
    let fleet = Fleet::scale(10, 100_000, 1_000, 0);
    for i in 0..10 {
        fleet.faults(i, Faults { slow_list_ms: 100, ..Faults::default() });
    }
    let all = |s: &str| s.contains("100,000 of 100,000 shown");
    let mut console = start(&fleet, (140, 30), &["--open", "pods"]);
    let first = console.wait("the first rows", 60, |s| s.lines().filter(|l| l.contains(fleet.name(0))).count() > 3);
    assert!(!all(&first), "the first rows are there before the last");
    let at = console.with_screen(vt100::Screen::cursor_position);
    console.send("jjj");
    wait_for("the cursor moves while the list loads", Duration::from_secs(30), || {
        (console.with_screen(vt100::Screen::cursor_position) != at).then_some(())
    });
    console.send("/namespace:alpha\r");
    let filtered = console.wait("a filter works while the list loads", 30, |s| s.contains("namespace:alpha"));
    assert!(!all(&filtered), "still loading");
    esc(&mut console);
    console.send("g");
    console.wait("every row", 180, all);
    assert_eq!(console.ended(), None);
}

fn a_broken_neighbour_harms_nobody() {
    let fleet = Fleet::bare(6, 1);
    fleet.faults(1, Faults { silent: true, ..Faults::default() });
    fleet.faults(2, Faults { reset: true, ..Faults::default() });
    fleet.faults(3, Faults { expired_certificate: true, ..Faults::default() });
    fleet.faults(4, Faults { status: 401, ..Faults::default() });
    fleet.faults(5, Faults { status: 500, ..Faults::default() });
    let console = start(&fleet, (160, 40), &[]);
    line(&console, 30, &[fleet.name(0), "live"]);
    for (index, word) in [(1, "no answer"), (2, "reset"), (3, "TLS expired"), (4, "login expired"), (5, "server error")]
    {
        line(&console, 60, &[fleet.name(index), word]);
    }
    // A change in the healthy one is on the screen although the others fail.
    fleet.load(0, kinds::NODES, {
        let mut node = fleet.cluster(0).store.value(kinds::NODES, "", "node-0").expect("node");
        node["metadata"] = json!({"name": "node-extra"});
        node
    });
    line(&console, 20, &[fleet.name(0), "2/2"]);
}

fn a_frozen_socket_goes_stale_and_heals() {
    let fleet = Fleet::bare(3, 1);
    let mut console = start(&fleet, (140, 30), &[]);
    all_live(&console, 3);
    fleet.faults(1, Faults { silent: true, ..Faults::default() });
    line(&console, 16, &[fleet.name(1), "stale"]);
    console.send(":nodes\r");
    let row = line(&console, 20, &[fleet.name(1), "node-0"]);
    assert!(row.contains('*'), "an age that has stopped is marked: {row}");
    fleet.faults(1, Faults::default());
    console.send(":fleet\r");
    line(&console, 60, &[fleet.name(1), "live"]);
}

fn a_minute_without_servers_does_not_end_the_program() {
    let fleet = Fleet::bare(2, 1);
    let mut console = start(&fleet, (120, 30), &[]);
    all_live(&console, 2);
    for i in 0..2 {
        fleet.faults(i, Faults { reset: true, ..Faults::default() });
    }
    console.wait("nobody is live", 30, |s| live_rows(s) == 0);
    let down = std::time::Instant::now();
    while down.elapsed() < Duration::from_secs(60) {
        assert_eq!(console.ended(), None, "the console ended:\n{}", console.text());
        std::thread::sleep(Duration::from_secs(1));
    }
    for i in 0..2 {
        fleet.faults(i, Faults::default());
    }
    all_live(&console, 2);
    console.send("q");
    assert_eq!(console.wait_end(10), 0);
}

fn a_kubeconfig_rewritten_under_us_loses_nothing() {
    let fleet = Fleet::bare(3, 1);
    let text = fs::read_to_string(fleet.kubeconfig()).expect("kubeconfig");
    let console = start(&fleet, (120, 30), &[]);
    all_live(&console, 3);
    // Tools rewrite it in place: for a moment it is empty, then half there.
    fs::write(fleet.kubeconfig(), "").expect("written");
    std::thread::sleep(Duration::from_millis(700));
    fs::write(fleet.kubeconfig(), &text[..text.len() / 2]).expect("written");
    std::thread::sleep(Duration::from_millis(1500));
    for name in fleet.names() {
        line(&console, 5, &[name, "live"]);
    }
    fs::write(fleet.kubeconfig(), &text).expect("written");
    std::thread::sleep(Duration::from_millis(700));
    for name in fleet.names() {
        line(&console, 10, &[name, "live"]);
    }
    // A context that is taken away for good goes.
    let gone = fleet.name(2).to_owned();
    let mut config: serde_json::Value = serde_saphyr::from_str(&text).expect("YAML");
    config["contexts"].as_array_mut().expect("contexts").retain(|c| c["name"] != gone.as_str());
    fs::write(fleet.kubeconfig(), config.to_string()).expect("written");
    console.wait("the third cluster leaves", 20, |s| !s.lines().any(|l| l.contains(&gone) && is_live(l)));
    line(&console, 5, &[fleet.name(0), "live"]);
}

fn credential_plugins_never_reach_the_screen() {
    let fleet = Fleet::bare(3, 1);
    let talking = fleet.script(
        "talking",
        "echo 'please log in' >&2; echo 'TTY-SMEAR' > /dev/tty 2>/dev/null; echo 'OUT-SMEAR'; exit 1",
    );
    let prompting = fleet.script(
        "prompting",
        "printf 'PLUGIN-ASKS password: ' >&2; if read answer; then echo 'PLUGIN-GOT' >&2; fi; exit 1",
    );
    let hanging = fleet.script("hanging", "sleep 600");
    let contexts = [("talking", 0, talking), ("prompting", 1, prompting), ("hanging", 2, hanging)]
        .map(|(n, i, s)| (n.to_owned(), i, s));
    let kubeconfig = fleet.with_plugins(&contexts);
    let mut console = Console::start(fleet.home(), 140, 30, &["--kubeconfig", &kubeconfig], &[]);
    line(&console, 40, &["talking", "login"]);
    line(&console, 40, &["prompting", "login"]);
    line(&console, 60, &["hanging", "login"]);
    let raw = String::from_utf8_lossy(&console.raw()).into_owned();
    // What a plugin says on stderr is quoted as the cause, by the console; what it writes to the terminal is not there.
    assert!(!raw.contains("SMEAR"), "a plugin wrote to the terminal");
    assert!(!raw.contains("PLUGIN-GOT"), "a plugin read from the terminal");
    console.send("q");
    assert_eq!(console.wait_end(10), 0, "a hanging plugin does not hold the program");
}

fn hundreds_of_contexts_log_in_once() {
    let fleet = Fleet::bare(4, 0);
    let count = fleet.home().join("count");
    let counting = fleet.script("counting", &format!("echo x >> {}\n{CREDENTIAL}", count.display()));
    let contexts: Vec<(String, usize, String)> =
        (0..200).map(|i| (format!("ctx-{i:03}"), i % 4, counting.clone())).collect();
    let kubeconfig = fleet.with_plugins(&contexts);
    let console = Console::start(fleet.home(), 140, 30, &["--kubeconfig", &kubeconfig], &[]);
    console
        .wait("somebody has been asked", 60, |s| s.contains("live") || s.contains("login") || s.contains("forbidden"));
    std::thread::sleep(Duration::from_secs(3));
    let runs = fs::read_to_string(&count).unwrap_or_default().lines().count();
    assert!((1..=4).contains(&runs), "{runs} log-ins for equal plugins");
}

/// Texts that steer terminals, in the places where clusters let anybody write.
fn hostile_text_never_reaches_the_terminal() {
    const EVIL: &str = "x\u{1b}[2J\u{1b}]0;owned\u{7}\r\u{9b}31m\u{202e}gpj\u{200b}";
    let fleet = Fleet::bare(1, 1);
    let mut object = pod("victim", Some(("CrashLoopBackOff", EVIL)));
    object["metadata"]["annotations"] = json!({"evil": EVIL, "long": "y".repeat(1_000_000)});
    object["metadata"]["labels"] = json!({"evil": EVIL});
    object["spec"]["containers"][0]["image"] = json!(EVIL);
    fleet.load(0, kinds::PODS, object);
    fleet.load(
        0,
        kinds::EVENTS,
        json!({
        "metadata": {"name": "e", "namespace": "shop"}, "type": "Warning", "reason": EVIL, "message": EVIL,
        "involvedObject": {"kind": "Pod", "name": "victim", "namespace": "shop"}, "count": 1}),
    );
    fleet.load(
        0,
        kinds::CONFIGMAPS,
        json!({"metadata": {"name": "huge", "namespace": "shop"}, "data": {"k": "z".repeat(3_000_000)}}),
    );
    let mut console = start(&fleet, (140, 40), &["--open", "pods"]);
    line(&console, 60, &["victim"]);
    console.send("d");
    console.wait_text("victim", 20);
    esc(&mut console);
    console.send("Y");
    console.wait_text("annotations", 20);
    console.send("Gg/evil\rnn");
    esc(&mut console);
    esc(&mut console);
    console.send(":events\r");
    line(&console, 20, &["pod/victim"]);
    console.send(":configmaps\r");
    line(&console, 20, &["huge"]);
    console.send("Y");
    console.wait_text("zzzz", 20);
    esc(&mut console);
    let raw = console.raw();
    let text = String::from_utf8_lossy(&raw);
    assert!(!text.contains("\u{1b}]0;owned"), "a title was set");
    assert!(
        !text.contains('\u{202e}') && !text.contains('\u{200b}') && !text.contains('\u{9b}'),
        "format characters got through"
    );
    assert!(!raw.contains(&7), "a bell rang");
    // The whole screen is cleared when it is entered, never in between.
    let clears = text.matches("\u{1b}[2J").count();
    assert!(clears <= 4, "the screen was cleared {clears} times");
    assert!(console.text().lines().count() <= 40);
}

fn any_window_size() {
    let fleet = Fleet::bare(2, 1);
    fleet.pod(0, "a", None);
    let mut console = start(&fleet, (120, 40), &[]);
    all_live(&console, 2);
    for keys in ["", "m", ":pods\r", "?", ":fleet\r", "c"] {
        console.send(keys);
        for (columns, rows) in
            [(200, 60), (80, 24), (60, 15), (40, 8), (20, 5), (5, 2), (1, 1), (3, 40), (200, 1), (120, 40)]
        {
            console.resize(columns, rows);
            std::thread::sleep(Duration::from_millis(60));
            assert_eq!(console.ended(), None, "ended at {columns}x{rows} after {keys:?}");
        }
        esc(&mut console);
    }
    console.send(":fleet\r");
    all_live(&console, 2);
    console.send(":q\r");
    assert_eq!(console.wait_end(10), 0);
    assert!(console.is_restored());
}

fn pastes_do_nothing_outside_fields() {
    let fleet = Fleet::bare(1, 1);
    let mut console = start(&fleet, (120, 30), &[]);
    all_live(&console, 1);
    console.send("\u{1b}[200~q:q\rmmm\u{1b}[201~");
    std::thread::sleep(Duration::from_millis(800));
    assert_eq!(console.ended(), None, "a paste quit the program");
    assert!(console.text().contains("Fleet"), "a paste moved to another screen:\n{}", console.text());
    // In a field a paste is text, and its line break does not submit.
    console.send("/");
    console.send("\u{1b}[200~ab\rcd\u{1b}[201~");
    console.wait_text("ab cd", 10);
    esc(&mut console);
    console.send("q");
    assert_eq!(console.wait_end(10), 0);
}

fn the_cursor_follows_its_object() {
    let fleet = Fleet::bare(1, 1);
    for name in ["bbb", "ccc", "ddd"] {
        fleet.pod(0, name, None);
    }
    let mut console = start(&fleet, (120, 20), &["--open", "pods"]);
    line(&console, 60, &["ddd"]);
    console.send("/b|c|d|a\r");
    console.send("gj");
    let on = |console: &Console| {
        console.with_screen(|s| {
            let (row, _) = s.cursor_position();
            let (_, columns) = s.size();
            (0..u16::from(columns)).filter_map(|c| s.cell(row, c).map(vt100::Cell::contains_text)).collect::<String>()
        })
    };
    wait_for("the cursor is on ccc", Duration::from_secs(10), || on(&console).contains("ccc").then_some(()));
    // Rows appear above it, and it is re-sorted by trouble: the cursor stays on its object.
    fleet.pod(0, "aaa", None);
    fleet.pod(0, "abb", Some(("CrashLoopBackOff", "x")));
    line(&console, 20, &["aaa"]);
    line(&console, 20, &["abb"]);
    assert!(on(&console).contains("ccc"), "{}", console.text());
    console.send(" ");
    fleet.cluster(0).store.finish(kinds::PODS, "shop", "aaa");
    console.wait("aaa is gone", 20, |s| !s.contains("aaa"));
    let marked = line(&console, 10, &["ccc"]);
    assert!(marked.contains('☑'), "the mark stays on its object: {marked}");
}

/// Text of a cell, for reading a row.
trait CellText {
    fn contains_text(&self) -> String;
}

impl CellText for vt100::Cell {
    fn contains_text(&self) -> String {
        self.contents().to_owned()
    }
}

fn popups_over_wide_characters_stay_whole() {
    let fleet = Fleet::bare(1, 1);
    for i in 0..20 {
        let mut object = pod(&format!("pod-{i:02}"), None);
        object["metadata"]["namespace"] = json!("支付对账支付对账支付对账");
        fleet.load(0, kinds::PODS, object);
    }
    let mut console = start(&fleet, (100, 30), &["--open", "pods"]);
    line(&console, 60, &["pod-19"]);
    console.send("s");
    console.wait("the menu", 10, |s| s.contains('┌') || s.contains('┏'));
    std::thread::sleep(Duration::from_millis(300));
    console.with_screen(|screen| {
        let (rows, columns) = screen.size();
        for row in 0..u16::from(rows) {
            for column in 1..u16::from(columns) {
                let (before, cell) = (screen.cell(row, column - 1), screen.cell(row, column));
                if cell.is_some_and(vt100::Cell::is_wide_continuation) {
                    assert!(before.is_some_and(vt100::Cell::is_wide), "half a character at row {row}, column {column}");
                }
            }
        }
    });
}

fn the_terminal_is_restored_on_every_way_out() {
    let fleet = Fleet::bare(1, 1);
    let signal = |console: &Console, name: &str| {
        let done = std::process::Command::new("kill").args([format!("-{name}"), console.pid().to_string()]).status();
        assert!(done.is_ok_and(|s| s.success()));
    };
    for way in ["q", ":q\r", "\u{3}\u{3}", "TERM", "HUP", "INT"] {
        let mut console = start(&fleet, (100, 30), &[]);
        all_live(&console, 1);
        assert!(console.with_screen(vt100::Screen::alternate_screen));
        if way.len() >= 3 && way.chars().all(|c| c.is_ascii_uppercase()) {
            signal(&console, way);
        } else {
            console.send(way);
        }
        console.wait_end(15);
        assert!(console.is_restored(), "after {way:?}");
    }
    // Stopped and continued: everything is drawn anew.
    let mut console = start(&fleet, (100, 30), &[]);
    all_live(&console, 1);
    console.send("\u{1a}");
    wait_for("the terminal is given back while stopped", Duration::from_secs(10), || {
        console.is_restored().then_some(())
    });
    signal(&console, "CONT");
    console.wait("drawn again", 20, |s| s.contains("live"));
    assert!(console.with_screen(vt100::Screen::alternate_screen));
    console.send("q");
    assert_eq!(console.wait_end(10), 0);
    assert!(console.is_restored());
}

fn without_colours_the_selection_is_reversed() {
    let fleet = Fleet::bare(2, 1);
    let kubeconfig = fleet.kubeconfig();
    let console = Console::start(fleet.home(), 100, 30, &["--kubeconfig", &kubeconfig], &[("NO_COLOR", "1")]);
    all_live(&console, 2);
    let raw = String::from_utf8_lossy(&console.raw()).into_owned();
    for sequence in raw.split("\u{1b}[").skip(1) {
        let Some(end) = sequence.find(|c: char| c.is_ascii_alphabetic()) else { continue };
        if sequence.as_bytes().get(end) == Some(&b'm') {
            let colour = sequence[..end]
                .split(';')
                .any(|n| n.parse::<u16>().is_ok_and(|n| matches!(n, 30..=38 | 40..=48 | 90..=107)));
            assert!(!colour, "a colour was sent: {:?}", &sequence[..=end]);
        }
    }
    let reversed = console.with_screen(|s| {
        let (rows, columns) = s.size();
        (1..u16::from(rows))
            .any(|r| (0..u16::from(columns)).filter(|c| s.cell(r, *c).is_some_and(vt100::Cell::inverse)).count() > 20)
    });
    assert!(reversed, "no row is reversed:\n{}", console.text());
}

fn an_idle_console_is_silent() {
    let fleet = Fleet::bare(2, 1);
    let console = start(&fleet, (120, 30), &["--open", "pods"]);
    console.wait("loaded", 60, |s| s.contains("Pods") || s.contains("pods"));
    std::thread::sleep(Duration::from_secs(4));
    let before = console.raw().len();
    std::thread::sleep(Duration::from_secs(10));
    let bytes = console.raw().len() - before;
    // The clock and the ages tick once a second at most.
    assert!(bytes < 10 * 400, "{bytes} bytes in ten idle seconds");
}

fn the_last_snapshot_opens_the_next_start() {
    let fleet = Fleet::bare(2, 2);
    fleet.pod(0, "remembered", None);
    let mut console = start(&fleet, (120, 30), &["--open", "pods"]);
    line(&console, 60, &["remembered"]);
    console.send(":q\r");
    assert_eq!(console.wait_end(20), 0);
    for i in 0..2 {
        fleet.faults(i, Faults { silent: true, ..Faults::default() });
    }
    let console = start(&fleet, (120, 30), &["--open", "pods"]);
    let row = line(&console, 20, &["remembered"]);
    assert!(row.contains('*'), "yesterday's picture is marked: {row}");
}

fn forbidden_kinds_blank_their_own_numbers() {
    let fleet = Fleet::bare(2, 3);
    fleet.faults(0, Faults { status: 403, status_for: "nodes".into(), ..Faults::default() });
    let console = start(&fleet, (160, 40), &[]);
    line(&console, 60, &[fleet.name(1), "live", "3/3"]);
    let row = line(&console, 30, &[fleet.name(0), "live"]);
    assert!(!row.contains("0/0") && !row.contains("3/3"), "{row}");
    assert!(row.contains("v1.37") || row.contains("1.37"), "the version stays: {row}");
}

fn a_paste_during_the_start_is_no_typing() {
    let fleet = Fleet::bare(1, 1);
    let mut console = start(&fleet, (120, 30), &[]);
    console.wait("the terminal is taken", 20, |_| console.with_screen(vt100::Screen::alternate_screen));
    console.send("\u{1b}[200~q:q\rmmm");
    console.send("q\u{1b}[201~");
    all_live(&console, 1);
    // Typed behind it: when this is done, the paste has been taken in.
    console.send(":nodes\r");
    line(&console, 20, &["node-0"]);
    assert_eq!(console.ended(), None, "a paste quit the program");
}

fn answers_that_come_late_are_no_keys() {
    let fleet = Fleet::bare(1, 1);
    let mut console = start(&fleet, (120, 30), &[]);
    all_live(&console, 1);
    console.send("\u{1b}]11;rgb:ffff/ff");
    std::thread::sleep(Duration::from_millis(50));
    console.send("ff/ffff\u{1b}\\\u{1b}[?1u");
    wait_for("kitty's keys are switched on", Duration::from_secs(10), || {
        String::from_utf8_lossy(&console.raw()).contains("\u{1b}[>1u").then_some(())
    });
    assert!(console.text().contains("Fleet"), "an answer was typed:\n{}", console.text());
    // From now on keys come in kitty's way.
    console.send("\u{1b}[58unodes\u{1b}[13u");
    line(&console, 20, &["node-0"]);
    console.send("\u{1b}[99;5u\u{1b}[99;5u");
    console.wait_end(10);
    assert!(console.is_restored());
    assert!(String::from_utf8_lossy(&console.raw()).contains("\u{1b}[<1u"), "kitty's keys are given back");
}

/// Everything that can be typed, in a fixed order of chance - but not the ways out, which are tested elsewhere.
fn random_keys_harm_nothing() {
    const KEYS: &[&str] = &[
        "\u{1b}",
        "\u{1b}[A",
        "\u{1b}[B",
        "\u{1b}[C",
        "\u{1b}[D",
        "\u{1b}[5~",
        "\u{1b}[6~",
        "\u{1b}[H",
        "\u{1b}[F",
        "\u{1b}[Z",
        "\u{1b}[<64;9;9M",
        "\u{1b}[<65;9;9M",
        "\u{1b}[<0;30;8M\u{1b}[<0;30;8m",
        "\u{1b}[200~some\rtext\u{1b}[201~",
        "\u{1b}[O",
        "\u{1b}[I",
        "\r",
        "\t",
        " ",
        "\u{7f}",
        "\u{1}",
        "\u{2}",
        "\u{4}",
        "\u{5}",
        "\u{6}",
        "\u{b}",
        "\u{c}",
        "\u{10}",
        "\u{12}",
        "\u{15}",
        "\u{17}",
        "\u{1c}",
        "付",
        ":pods\r",
        ":matrix\r",
        ":fleet\r",
        ":nodes\r",
        ":events\r",
        "/a\r",
    ];
    let fleet = Fleet::scale(5, 500, 60, 20);
    let mut console = start(&fleet, (120, 40), &[]);
    console.wait("rows", 60, |s| s.contains("live"));
    let mut seed = 20_261_130_u64;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or(0) % below
    };
    let letters: Vec<String> = (' '..='~').filter(|c| !matches!(c, 'q' | 'Q')).map(String::from).collect();
    let mut typed = Vec::new();
    for step in 0..1500 {
        let key = if draw(2) == 0 { KEYS[draw(KEYS.len())].to_owned() } else { letters[draw(letters.len())].clone() };
        console.send(&key);
        typed.push(key);
        if step % 50 == 0 {
            console.resize(1 + u16::try_from(draw(160)).unwrap_or(0), 1 + u16::try_from(draw(50)).unwrap_or(0));
        }
        std::thread::sleep(Duration::from_millis(15));
        let recent = &typed[typed.len().saturating_sub(20)..];
        assert_eq!(console.ended(), None, "step {step}: ended after {recent:?}:\n{}", console.text());
    }
    console.resize(120, 40);
    for _ in 0..10 {
        esc(&mut console);
    }
    console.send(":q\r");
    assert_eq!(console.wait_end(15), 0);
    assert!(console.is_restored());
    for (i, name) in fleet.names().iter().enumerate() {
        assert_eq!(fleet.cluster(i).log.read().0.writes, 0, "something was written to {name}");
    }
}

fn a_silent_cluster_among_many_keeps_its_rows() {
    let fleet = Fleet::bare(40, 1);
    let mut console = start(&fleet, (140, 60), &["--open", "nodes"]);
    console.wait("every node", 90, |s| s.matches("<none>").count() == 40);
    fleet.faults(20, Faults { silent: true, ..Faults::default() });
    // A change elsewhere is seen before the silence of that one is even noticed, and after.
    for (i, name) in [(0, "node-early"), (39, "node-late")] {
        let mut node = fleet.cluster(i).store.value(kinds::NODES, "", "node-0").expect("node");
        node["metadata"] = json!({"name": name});
        fleet.load(i, kinds::NODES, node);
        line(&console, 10, &[fleet.name(i), name]);
        if i == 0 {
            let row = line(&console, 25, &[fleet.name(20), "node-0", "*"]);
            assert!(row.contains('*'), "its ages have stopped: {row}");
        }
    }
    assert_eq!(console.text().matches("<none>").count(), 42, "{}", console.text());
    console.send(":q\r");
    assert_eq!(console.wait_end(10), 0);
}

fn quitting_is_quick_while_lists_run() {
    let fleet = Fleet::scale(4, 8_000, 100, 0);
    for i in 0..4 {
        fleet.faults(i, Faults { slow_list_ms: 500, ..Faults::default() });
    }
    let mut console = start(&fleet, (120, 30), &["--open", "pods"]);
    console.wait("the terminal is taken", 20, |_| console.with_screen(vt100::Screen::alternate_screen));
    console.send(":q\r");
    assert_eq!(console.wait_end(5), 0);
    assert!(console.is_restored());
    // And one that never answers does not hold the program either.
    fleet.faults(0, Faults { silent: true, ..Faults::default() });
    let mut console = start(&fleet, (120, 30), &[]);
    console.wait("the first screen", 20, |s| s.contains("Fleet"));
    console.send("q");
    assert_eq!(console.wait_end(5), 0);
}

/// G4: three rows of one name are three objects.
fn marks_of_equal_names_are_told_apart() {
    let fleet = Fleet::bare(3, 1);
    for i in 0..3 {
        fleet.pod(i, "twin", None);
        fleet.pod(i, "other", None);
    }
    let mut console = start(&fleet, (140, 30), &["--open", "pods"]);
    console.wait("every row", 60, |s| s.matches("twin").count() == 3);
    console.send("/twin\r");
    console.wait("twins alone", 20, |s| !s.contains("other"));
    console.send("g  ");
    let text = console.wait("two marks", 10, |s| s.matches('☑').count() == 2);
    for i in 0..2 {
        assert!(text.lines().any(|l| l.contains('☑') && l.contains(fleet.name(i))), "{text}");
    }
    fleet.cluster(0).store.finish(kinds::PODS, "shop", "twin");
    let text = console.wait("one twin is gone", 20, |s| s.matches("Running").count() == 2);
    let marked: Vec<&str> = text.lines().filter(|l| l.contains('☑')).collect();
    assert!(marked.len() == 1 && marked[0].contains(fleet.name(1)), "{text}");
}

fn folders_that_cannot_be_written_end_nothing() {
    let fleet = Fleet::bare(1, 1);
    let kubeconfig = fleet.kubeconfig();
    let nowhere = [
        ("XDG_STATE_HOME", "/dev/null/state"),
        ("XDG_CACHE_HOME", "/dev/null/cache"),
        ("XDG_DATA_HOME", "/dev/null/data"),
    ];
    for args in [&["--kubeconfig", &kubeconfig][..], &["--kubeconfig", &kubeconfig, "--log-file", "/dev/full"]] {
        let mut console = Console::start(fleet.home(), 120, 30, args, &nowhere);
        all_live(&console, 1);
        console.send(":nodes\r");
        line(&console, 20, &["node-0"]);
        console.send(":q\r");
        assert_eq!(console.wait_end(10), 0);
        assert!(console.is_restored());
    }
}

fn only_plain_signs_where_asked() {
    let fleet = Fleet::bare(2, 1);
    fleet.pod(0, "web", Some(("CrashLoopBackOff", "again")));
    for (args, env) in [(&["--ascii"][..], ("X", "")), (&["--ascii", "--plain"], ("NO_COLOR", "1"))] {
        let kubeconfig = fleet.kubeconfig();
        let all = [&["--kubeconfig", kubeconfig.as_str()][..], args].concat();
        let mut console = Console::start(fleet.home(), 120, 30, &all, &[env]);
        all_live(&console, 2);
        for keys in ["", "m", ":pods\r", "?", ":fleet\rs", "c"] {
            console.send(keys);
            std::thread::sleep(Duration::from_millis(200));
            let text = console.text();
            let odd: Vec<&str> = text.lines().filter(|l| !l.is_ascii()).collect();
            assert!(odd.is_empty(), "signs outside ASCII after {keys:?}: {odd:?}");
            if args.contains(&"--plain") {
                assert!(!text.lines().any(|l| l.contains("+--") || l.starts_with('|')), "borders:\n{text}");
            }
            esc(&mut console);
        }
    }
}

fn hundreds_of_contexts_have_a_row_each() {
    let fleet = Fleet::bare(3, 1);
    let text = fs::read_to_string(fleet.kubeconfig()).expect("kubeconfig");
    let mut config: serde_json::Value = serde_saphyr::from_str(&text).expect("YAML");
    let (clusters, user) = (config["clusters"].clone(), config["contexts"][0]["context"]["user"].clone());
    let many = |f: &dyn Fn(usize) -> serde_json::Value| serde_json::Value::Array((0..300).map(f).collect());
    // Each has a server name of its own, or they would be taken for the same cluster under several names.
    config["clusters"] = many(&|i| {
        let mut entry = clusters[i % 3].clone();
        entry["name"] = json!(format!("c{i:03}"));
        let server = entry["cluster"]["server"].as_str().unwrap_or_default().to_owned();
        entry["cluster"]["server"] = json!(format!("{server}/{i}"));
        entry
    });
    config["contexts"] =
        many(&|i| json!({"name": format!("ctx-{i:03}"), "context": {"cluster": format!("c{i:03}"), "user": user}}));
    let path = fleet.home().join("many.yaml");
    fs::write(&path, config.to_string()).expect("written");
    let mut console = Console::start(fleet.home(), 140, 30, &["--kubeconfig", &path.display().to_string()], &[]);
    console.wait("all of them", 60, |s| s.contains("300 clusters"));
    console.send("G");
    console.wait("the last row", 20, |s| s.contains("ctx-"));
    console.send(":q\r");
    assert_eq!(console.wait_end(10), 0);
}

fn a_signal_during_the_start_ends_it_cleanly() {
    let fleet = Fleet::scale(3, 3_000, 60, 0);
    for wait_ms in [0, 5, 15, 30, 60, 120, 250] {
        let mut console = start(&fleet, (100, 30), &["--open", "pods"]);
        // Before the terminal is taken a signal has its usual effect; from then on it is ours.
        console.wait("the terminal is taken", 20, |_| console.with_screen(vt100::Screen::alternate_screen));
        std::thread::sleep(Duration::from_millis(wait_ms));
        let done = std::process::Command::new("kill").args(["-TERM", &console.pid().to_string()]).status();
        assert!(done.is_ok_and(|s| s.success()));
        console.wait_end(5);
        assert!(console.is_restored(), "{wait_ms} ms after the terminal was taken:\n{}", console.text());
    }
}

fn an_endless_line_holds_nothing_up() {
    let fleet = Fleet::bare(1, 1);
    let mut object = pod("endless", None);
    object["metadata"]["annotations"] = json!({"endless": "y".repeat(7_000_000)});
    fleet.load(0, kinds::PODS, object);
    let mut console = start(&fleet, (120, 30), &["--open", "pods"]);
    line(&console, 60, &["endless"]);
    console.send("Y");
    console.wait_text("yyyyyyyy", 60);
    console.send("Gg/yyyz\rw\u{4}\u{4}");
    esc(&mut console);
    esc(&mut console);
    console.send(":nodes\r");
    line(&console, 30, &["node-0"]);
    console.send(":q\r");
    assert_eq!(console.wait_end(10), 0);
}

fn a_light_terminal_gets_the_light_theme() {
    let fleet = Fleet::bare(1, 1);
    let mut console = start(&fleet, (100, 30), &[]);
    all_live(&console, 1);
    let colours = |console: &Console| {
        console.with_screen(|s| {
            (0..100).filter_map(|c| s.cell(0, c)).map(|c| (c.fgcolor(), c.bgcolor())).collect::<Vec<_>>()
        })
    };
    let dark = colours(&console);
    console.send("\u{1b}]11;rgb:fafa/fafa/fafa\u{7}");
    wait_for("other colours", Duration::from_secs(10), || (colours(&console) != dark).then_some(()));
}

/// What was sent and could not be read is not *nothing*.
fn an_object_too_large_to_read_is_named() {
    let fleet = Fleet::bare(1, 1);
    let mut object = pod("enormous", None);
    object["metadata"]["annotations"] = json!({"endless": "y".repeat(10_000_000)});
    fleet.load(0, kinds::PODS, object);
    let console = start(&fleet, (120, 30), &["--open", "pods"]);
    line(&console, 60, &["pods", fleet.name(0), "larger than 8 MiB"]);
    console.wait_text("missing: 1 unreadable", 10);
    assert!(!console.text().contains("There are no pods"), "{}", console.text());
}

/// Whether the words stand on one line in this order.
fn in_order(screen: &str, words: &[&str]) -> bool {
    screen.lines().any(|line| {
        let mut rest = line;
        words.iter().all(|word| rest.find(word).is_some_and(|at| (rest = &rest[at + word.len()..], true).1))
    })
}

/// Columns, their order and the sort of each screen; by the mouse too. A file that is broken is said, and no more.
fn chosen_columns_and_orders_are_found_again() {
    let fleet = Fleet::bare(3, 1);
    for i in 0..3 {
        fleet.pod(i, &format!("pod-{i}"), None);
    }
    let reversed =
        |s: &str, prefix: &str| in_order(&s.replace('\n', " "), &[&format!("{prefix}2"), &format!("{prefix}0")]);
    let fleet_is_chosen = |s: &str| in_order(s, &["CLUSTER", "STATE", "ENV"]) && !s.contains("K8S");
    let pods_are_chosen = |s: &str| s.contains("STATUS") && !s.contains("READY") && s.contains("sort NAME");
    let mut console = start(&fleet, (150, 30), &[]);
    all_live(&console, 3);
    // STATE before ENV, and without the version, which is the fifth.
    console.send("cjjK");
    console.wait("moved", 10, |s| in_order(&s.replace('\n', " "), &["STATE", "ENV", "K8S"]));
    console.send("jjj \r");
    console.wait("the columns of the Fleet", 10, fleet_is_chosen);
    console.send("snsn");
    console.wait_text("sort CLUSTER", 10);
    let shown = console.text();
    assert!(reversed(&shown, fleet.name(0).strip_suffix('0').unwrap_or_default()), "{shown}");
    console.send(":pods\r");
    line(&console, 30, &["pod-2"]);
    console.send("c \rsnsn");
    console.wait("the columns of the pods", 10, |s| pods_are_chosen(s) && reversed(s, "pod-"));
    console.send(":matrix\rb");
    console.wait_text("environment", 10);
    console.send(":q\r");
    console.wait_end(10);

    let mut console = start(&fleet, (150, 30), &[]);
    all_live(&console, 3);
    let shown = console.wait("the Fleet as it was left", 20, |s| fleet_is_chosen(s) && s.contains("sort CLUSTER"));
    assert!(reversed(&shown, fleet.name(0).strip_suffix('0').unwrap_or_default()), "{shown}");
    console.send(":pods\r");
    console.wait("the pods as they were left", 20, |s| pods_are_chosen(s) && reversed(s, "pod-"));
    console.send(":matrix\r");
    console.wait_text("environment", 20);
    console.send(":q\r");
    console.wait_end(10);

    let file = fleet.home().join("state/quarterdeck/views.yaml");
    assert!(file.exists(), "the file is where the state is");
    fs::write(&file, "fleet: {columns: {").expect("written");
    let mut console = start(&fleet, (150, 30), &[]);
    all_live(&console, 3);
    assert!(console.text().contains("K8S"), "the usual columns:\n{}", console.text());
    console.send(";");
    line(&console, 10, &["views.yaml", "not used"]);
    console.send(":q\r");
    assert_eq!(console.wait_end(10), 0);
}
