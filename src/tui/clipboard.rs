//! Copying: OSC 52 over SSH, else the desktop's own tool, else OSC 52 (specs: tui a3). What is sent by OSC 52 may or may
//! not arrive; nothing more is claimed.

use std::{
    collections::BTreeMap,
    io::Write,
    process::{Command, Stdio},
};

use base64::Engine as _;

/// Most encoded bytes that terminals take in one OSC 52 (xterm's limit, as others use it).
pub const MOST: usize = 74_994;

/// A way to the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// By the terminal.
    Osc52,
    /// By a program and its arguments.
    Tool(&'static str, &'static [&'static str]),
    /// Not at all.
    Off,
}

impl Way {
    /// Name for `info` and notices.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Osc52 => "OSC 52",
            Self::Tool(name, _) => name,
            Self::Off => "off",
        }
    }

    /// Chooses by the setting (`auto`, `native`, `osc52`, `off`) and the environment.
    pub fn choose(setting: &str, env: &BTreeMap<String, String>) -> Self {
        let set = |name: &str| env.get(name).is_some_and(|v| !v.is_empty());
        let tool = if cfg!(target_os = "macos") {
            Some(Self::Tool("pbcopy", &[]))
        } else if set("WAYLAND_DISPLAY") {
            Some(Self::Tool("wl-copy", &[]))
        } else if set("DISPLAY") {
            Some(Self::Tool("xclip", &["-selection", "clipboard"]))
        } else {
            None
        };
        match setting {
            "off" => Self::Off,
            "osc52" => Self::Osc52,
            "native" => tool.unwrap_or(Self::Off),
            _ if ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].iter().any(|n| set(n)) => Self::Osc52,
            _ => tool.unwrap_or(Self::Osc52),
        }
    }
}

/// The sequence that puts a text on the clipboard, wrapped for tmux and screen; the error is the encoded size.
pub fn osc52(text: &str, env: &BTreeMap<String, String>) -> Result<String, usize> {
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    if encoded.len() > MOST {
        return Err(encoded.len());
    }
    let plain = format!("\x1b]52;c;{encoded}\x1b\\");
    let set = |name: &str| env.get(name).is_some_and(|v| !v.is_empty());
    Ok(if set("TMUX") {
        format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b"))
    } else if set("STY") {
        // screen ends its own string at the first ST: BEL ends ours inside.
        format!("\x1bP\x1b]52;c;{encoded}\x07\x1b\\")
    } else {
        plain
    })
}

/// Hands a text to a tool and waits until it took it. Blocking: call it off the loop.
pub fn by_tool(name: &str, args: &[&str], text: &str) -> Result<(), String> {
    let mut child = Command::new(name)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(vars: &[(&str, &str)]) -> BTreeMap<String, String> {
        vars.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn the_way_to_the_clipboard() {
        let wayland = if cfg!(target_os = "macos") { "pbcopy" } else { "wl-copy" };
        for (setting, vars, name) in [
            ("auto", &[("SSH_TTY", "/dev/pts/1"), ("DISPLAY", ":0")][..], "OSC 52"),
            ("auto", &[("WAYLAND_DISPLAY", "w")][..], wayland),
            ("off", &[("WAYLAND_DISPLAY", "w")][..], "off"),
            ("osc52", &[("DISPLAY", ":0")][..], "OSC 52"),
            ("native", &[("SSH_TTY", "/dev/pts/1"), ("WAYLAND_DISPLAY", "w")][..], wayland),
        ] {
            assert_eq!(Way::choose(setting, &env(vars)).name(), name, "{setting} {vars:?}");
        }
    }

    #[test]
    fn osc52_is_wrapped_and_limited() {
        assert_eq!(osc52("hi", &env(&[])).unwrap(), "\x1b]52;c;aGk=\x1b\\");
        assert_eq!(osc52("hi", &env(&[("TMUX", "x")])).unwrap(), "\x1bPtmux;\x1b\x1b]52;c;aGk=\x1b\x1b\\\x1b\\");
        assert!(osc52(&"x".repeat(60_000), &env(&[])).is_err());
    }
}
