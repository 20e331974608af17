//! The far side of starting a credential plugin: leave the terminal's session, then become the plugin.
//!
//! A process group of its own keeps a plugin from reading the terminal, not from opening `/dev/tty` and writing over the
//! screen. Only a session of its own does, and a process can only begin one for itself, so the program is started again
//! for this.

use std::{ffi::OsString, io::Write as _, process::ExitCode};

/// First argument of the program when it shall start a credential plugin outside the terminal's session.
pub const DETACHED: &str = "--detached";

/// What a shell answers when there is no such program.
pub(super) const NO_PROGRAM: u8 = 127;

/// Becomes `COMMAND ARGS...`; comes back only when that fails.
pub fn detached(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(program) = args.next() else { return ExitCode::from(NO_PROGRAM) };
    let mut command = std::process::Command::new(&program);
    command.args(args);
    let error = become_it(command);
    // Captured by the one who started us, as the plugin's own words would be.
    let _ = writeln!(std::io::stderr(), "{}: {error}", program.display());
    ExitCode::from(NO_PROGRAM)
}

#[cfg(unix)]
fn become_it(mut command: std::process::Command) -> std::io::Error {
    // Fails only for a group's leader, which a freshly started child is not.
    let _ = rustix::process::setsid();
    std::os::unix::process::CommandExt::exec(&mut command)
}

#[cfg(not(unix))]
fn become_it(mut command: std::process::Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::io::Error::other(status.to_string()),
        Err(error) => error,
    }
}
