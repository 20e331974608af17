//! What goes to the clipboard, read back from the terminal: from the row's own cluster in merged tables, over marks, by
//! dragging, and by the way that the configuration names.

use std::{fs, time::Duration};

use base64::Engine as _;
use libtest_mimic::Trial;
use quarterdeck::sim::kinds;
use serde_json::json;

use crate::{
    always,
    support::{
        fleet::{Fleet, pod},
        pty::Console,
        wait_for,
    },
};

/// The tests of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        always("copies::a_copy_is_of_the_rows_own_cluster", a_copy_is_of_the_rows_own_cluster),
        always("copies::dragging_selects_and_copies", dragging_selects_and_copies),
        always("copies::the_clipboard_can_be_switched_off", the_clipboard_can_be_switched_off),
    ]
}

/// Two clusters with a pod of the same name; what it is and why it waits differs.
fn twins() -> Fleet {
    let fleet = Fleet::bare(2, 1);
    for i in 0..2 {
        let mut object = pod("twin", Some(("CrashLoopBackOff", &format!("broken in number {i}"))));
        object["metadata"]["annotations"] = json!({"origin": format!("from-cluster-number-{i}")});
        fleet.load(i, kinds::PODS, object);
    }
    fleet
}

/// A console on the merged list of pods. The desktop's clipboard is there, so that only the setting chooses OSC 52.
fn console(fleet: &Fleet, clipboard: &str) -> Console {
    let file = fleet.home().join("fleet.yaml");
    fs::write(&file, format!("settings: {{clipboard: {clipboard}}}\n")).expect("written");
    let (kubeconfig, file) = (fleet.kubeconfig(), file.display().to_string());
    let args = ["--kubeconfig", &kubeconfig, "--fleet", &file, "--open", "pods"];
    let console = Console::start(fleet.home(), 150, 40, &args, &[("DISPLAY", ":0")]);
    console.wait("both rows", 60, |s| s.lines().filter(|l| l.contains("twin") && l.contains("Crash")).count() == 2);
    console
}

/// Presses keys and gives what the terminal is then asked to put on its clipboard.
fn copied(console: &mut Console, keys: &str) -> String {
    const BEGIN: &[u8] = b"\x1b]52;c;";
    let before = console.raw().len();
    console.send(keys);
    wait_for(&format!("a copy after {keys:?}"), Duration::from_secs(10), || {
        let raw = console.raw();
        let news = &raw[before..];
        let start = news.windows(BEGIN.len()).position(|w| w == BEGIN)? + BEGIN.len();
        let end = start + news[start..].iter().position(|b| *b == 0x1b)?;
        let text = base64::engine::general_purpose::STANDARD.decode(&news[start..end]).expect("base64");
        Some(String::from_utf8(text).expect("text"))
    })
}

/// Puts the cursor on a row and gives the number of its cluster as the screen shows it.
fn go_to(console: &mut Console, fleet: &Fleet, row: usize) -> usize {
    console.send("g");
    console.send(&"j".repeat(row));
    let shown = console.wait("the cursor is there", 10, |s| {
        let rows: Vec<&str> = s.lines().filter(|l| l.contains("twin")).collect();
        rows.get(row).is_some_and(|l| l.contains('▸'))
    });
    let line = shown.lines().find(|l| l.contains('▸')).expect("a row under the cursor");
    (0..2).find(|i| line.contains(fleet.name(*i))).expect("its cluster")
}

fn a_copy_is_of_the_rows_own_cluster() {
    let fleet = twins();
    let mut console = console(&fleet, "osc52");
    let mut seen = Vec::new();
    for row in 0..2 {
        let own = go_to(&mut console, &fleet, row);
        seen.push(own);
        let command = copied(&mut console, "yk");
        assert_eq!(command, format!("kubectl --context {} -n shop get pods twin -o yaml", fleet.name(own)));
        let cells = copied(&mut console, "yr");
        assert!(cells.starts_with(&format!("{}\tshop\ttwin\t", fleet.name(own))), "{cells}");
        let why = copied(&mut console, "yw");
        assert!(why.contains(&format!("broken in number {own}")), "{why}");
        console.send("Y");
        console.wait_text(&format!("from-cluster-number-{own}"), 20);
        let yaml = copied(&mut console, "yy");
        assert!(yaml.contains(&format!("origin: from-cluster-number-{own}")), "{yaml}");
        console.send("q");
        console.wait_text("shown", 20);
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1], "each row is of another cluster");
    // Over marks: equal names do not collapse, and each row says whose it is.
    go_to(&mut console, &fleet, 0);
    console.send("  ");
    console.wait("two marks", 10, |s| s.matches('☑').count() == 2);
    assert_eq!(copied(&mut console, "ym"), "twin\ntwin");
    let rows = copied(&mut console, "yt");
    let mut of: Vec<&str> = rows.lines().filter_map(|l| l.split('\t').next()).collect();
    of.sort_unstable();
    assert_eq!(of, [fleet.name(0), fleet.name(1)], "{rows}");
}

/// Where a text stands on the screen: column and row from 1, as terminals report the mouse.
fn place(console: &Console, text: &str) -> (usize, usize) {
    let screen = console.wait_text(text, 20);
    let (row, line) = screen.lines().enumerate().find(|(_, l)| l.contains(text)).expect("on the screen");
    let before = &line[..line.find(text).expect("in the line")];
    (before.chars().count() + 1, row + 1)
}

fn dragging_selects_and_copies() {
    let fleet = twins();
    let mut console = console(&fleet, "osc52");
    let own = go_to(&mut console, &fleet, 1);
    console.send("Y");
    let text = format!("from-cluster-number-{own}");
    let (x, y) = place(&console, &text);
    let drag = |from: (usize, usize), to: (usize, usize)| {
        format!("\u{1b}[<0;{};{}M\u{1b}[<0;{};{}m", from.0, from.1, to.0, to.1)
    };
    assert_eq!(copied(&mut console, &drag((x, y), (x + text.len() - 1, y))), text);
    assert_eq!(copied(&mut console, &drag((x + text.len() - 1, y), (x, y))), text, "from right to left");
    let selected = console.with_screen(|s| {
        let (row, column) = (u16::try_from(y - 1).expect("row"), u16::try_from(x - 1).expect("column"));
        s.cell(row, column).map(|c| (c.inverse(), c.bgcolor()))
            != s.cell(row, column - 3).map(|c| (c.inverse(), c.bgcolor()))
    });
    assert!(selected, "what was copied is marked");
    // Over lines, with nothing of the frame in it.
    let lines = copied(&mut console, &drag((x, y), (x, y + 1)));
    assert!(lines.starts_with(&format!("{text}\n")) && !lines.contains('│') && lines.lines().count() == 2, "{lines:?}");
    // The record of a cluster is a text as well.
    console.send(&format!(":fleet\r/{}\r\r", fleet.name(own)));
    console.wait_text("API server", 20);
    let (x, y) = place(&console, "API server");
    assert_eq!(copied(&mut console, &drag((x, y), (x + 9, y))), "API server");
}

fn the_clipboard_can_be_switched_off() {
    let fleet = twins();
    let mut console = console(&fleet, "off");
    console.send("yn");
    console.wait_text("the clipboard is switched off", 10);
    assert!(!console.raw().windows(5).any(|w| w == b"\x1b]52;"), "something was sent");
}
