//! Credential plugins and the terminal: what the program starts for a log-in has no terminal to write to.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use libtest_mimic::Trial;

use crate::support;

/// The tests of this file.
pub fn trials() -> Vec<Trial> {
    vec![crate::always("a_plugin_has_a_session_of_its_own", a_plugin_has_a_session_of_its_own)]
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
