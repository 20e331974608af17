//! Credential plugins and the terminal: what the program starts by itself has no terminal to write to; a log-in that a
//! person asks for has it for itself, and the console comes back whatever became of it.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use libtest_mimic::Trial;

use crate::support::{
    self,
    fleet::{CREDENTIAL, Fleet},
    pty::Console,
};

/// The tests of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        crate::always("plugins::a_plugin_has_a_session_of_its_own", a_plugin_has_a_session_of_its_own),
        crate::always("plugins::a_person_logs_in_from_the_console", a_person_logs_in_from_the_console),
        crate::always("plugins::a_log_in_that_is_given_up_comes_back", a_log_in_that_is_given_up_comes_back),
    ]
}

/// The session's number is the process's own, and the arguments arrive as they were.
fn a_plugin_has_a_session_of_its_own() {
    let script = r#"read -r pid comm state parent group session rest < /proc/$$/stat
[ "$session" = $$ ] && [ "$1" = "a b" ] && cat && exit 7"#;
    let mut child = Command::new(support::binary())
        .args(["--detached", "/bin/sh", "-c", script, "sh", "a b"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("piped").write_all(b"through").expect("written");
    let output = child.wait_with_output().expect("it ends");
    if cfg!(target_os = "linux") {
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(7), b"through".as_slice()));
    }
    let missing =
        Command::new(support::binary()).args(["--detached", "no-such-plugin-anywhere"]).output().expect("it ends");
    assert_eq!(missing.status.code(), Some(127));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no-such-plugin-anywhere"));
}

/// A console on clusters that all log in by this plugin.
fn console(fleet: &Fleet, plugin: &str) -> Console {
    let plugin = fleet.script("plugin", plugin);
    let contexts: Vec<_> = fleet.names().iter().enumerate().map(|(i, n)| (n.clone(), i, plugin.clone())).collect();
    let kubeconfig = fleet.with_plugins(&contexts);
    Console::start(fleet.home(), 140, 40, &["--kubeconfig", &kubeconfig], &[])
}

/// Waits for the hint that names the key, and presses it.
fn log_in(console: &mut Console, prompt: &str) {
    console.wait("the way to log in is named", 60, |s| s.contains("login expired") && s.contains("I logs in here"));
    console.send("I");
    console.wait("the plugin has the terminal", 20, |s| s.lines().any(|l| l.trim() == prompt));
    assert!(!console.with_screen(vt100::Screen::alternate_screen), "the plugin is on a screen of ours");
}

fn back(console: &Console, words: &str) {
    console.wait(&format!("the console is back with {words:?}"), 20, |s| {
        console.with_screen(vt100::Screen::alternate_screen) && s.contains(words)
    });
}

/// The plugin asks on the terminal; a wrong answer comes back in its own words, the right one makes every cluster with the
/// same entry live, the other one too.
fn a_person_logs_in_from_the_console() {
    let fleet = Fleet::bare(2, 1);
    let plugin = format!(
        r#"[ -t 0 ] || {{ echo 'nobody is there to ask' >&2; exit 1; }}
echo "$KUBERNETES_EXEC_INFO" | grep -q '"interactive":true' || exit 4
printf 'CODE?' >&2
stty -echo; read -r code; stty echo
[ "$code" = 4711 ] || {{ echo "the code $code is not right" >&2; exit 3; }}
{CREDENTIAL}"#
    );
    let mut console = console(&fleet, &plugin);
    console.wait_text("nobody is there to ask", 40);
    log_in(&mut console, "CODE?");
    console.send("qqq\r");
    back(&console, "the code qqq is not right");
    console.send("\u{c}");
    log_in(&mut console, "CODE?");
    console.send("4711\r");
    back(&console, "logged in");
    console
        .wait("both are live", 60, |s| s.lines().filter(|l| l.contains("sim-") && l.contains(" live  ")).count() == 2);
    // The keys are the console's again; where nothing has expired the key says so.
    console.send("I");
    console.wait_text("has not expired", 10);
    console.send("?");
    console.wait_text("Log in to the cluster", 10);
    console.send(":q\r");
    assert_eq!(console.wait_end(10), 0);
    assert!(console.is_restored() && console.echoes());
    let raw = String::from_utf8_lossy(&console.raw()).into_owned();
    assert!(!raw.contains("4711") && !raw.contains("sim-admin"), "a secret was shown");
}

/// Ctrl-c ends a plugin; one that does not listen to it is ended. The echo that it had switched off is on again.
fn a_log_in_that_is_given_up_comes_back() {
    let fleet = Fleet::bare(1, 1);
    for (body, words) in [("", "signal: 2"), ("trap '' INT", "given up")] {
        let plugin = format!("[ -t 0 ] || exit 1\n{body}\nstty -echo\nprintf 'WAITING' >&2\nsleep 600");
        let mut console = console(&fleet, &plugin);
        log_in(&mut console, "WAITING");
        console.send("\u{3}");
        back(&console, words);
        console.send(":nodes\r");
        console.wait_text("nodes", 10);
        console.send(":q\r");
        assert_eq!(console.wait_end(10), 0, "{body}");
        assert!(console.is_restored() && console.echoes(), "{body}");
    }
}
