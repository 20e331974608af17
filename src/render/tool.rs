//! Runs `kubectl`, `kustomize` and `helm`: found on the given `PATH`, without a terminal and as far as they allow without the
//! network, for a bounded time and with bounded output.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::Tools;
use crate::{desired::mask::MASK, fault::Fault, messages::source as text};

/// Most that is kept of a tool's output, in bytes; more is an error (it is also the most that is read as YAML).
const OUTPUT: u64 = 50 * 1024 * 1024;
/// Most that is kept of a tool's complaint, in bytes.
const WORDS: u64 = 64 * 1024;
/// Most of a tool's complaint that is shown, in characters.
const SHOWN: usize = 600;
/// How often a running tool is looked at.
const LOOK: Duration = Duration::from_millis(3);

/// A program that was found.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Name it was looked for by.
    pub name: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

/// The first of these programs that `PATH` has.
///
/// # Errors
///
/// When it has none of them; `about` is the source that needs one.
pub(super) fn find(names: &[&'static str], tools: &Tools, about: &Path) -> Result<Program, Fault> {
    for name in names {
        for folder in std::env::split_paths(&tools.path) {
            let path = folder.join(name);
            if folder.is_absolute() && is_program(&path) {
                return Ok(Program { name, path });
            }
        }
    }
    Err(Fault::new(about, 0, "", text::NO_TOOL).with("tools", names.join(", ")))
}

fn is_program(path: &Path) -> bool {
    let Ok(meta) = fs::metadata(path) else { return false };
    #[cfg(unix)]
    let runs = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = true;
    meta.is_file() && runs
}

impl Program {
    /// What tells this program from another version of it without running it: file, size, time of change.
    pub(super) fn identity(&self) -> String {
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let meta = fs::metadata(&path).ok();
        let changed = meta.as_ref().and_then(|m| m.modified().ok());
        format!("{} {:?} {changed:?}", path.display(), meta.map(|m| m.len()))
    }

    /// Its name and version, as `helm v3.20.1`; asked once for each program. Without an answer the name alone.
    pub(super) fn version(&self, tools: &Tools) -> String {
        static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
        let identity = self.identity();
        if let Some(known) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&identity) {
            return known.clone();
        }
        let args: &[&str] = match self.name {
            "kubectl" => &["version", "--client"],
            "helm" => &["version", "--short"],
            _ => &["version"],
        };
        let args: Vec<OsString> = args.iter().map(Into::into).collect();
        let said = self.run(&args, tools, Path::new(self.name)).unwrap_or_default();
        let words = if self.name == "kubectl" { "kubectl kustomize" } else { self.name };
        let version = format!("{words} {}", version_in(&said)).trim_end().to_owned();
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(identity, version.clone());
        version
    }

    /// Runs it and gives what it printed.
    ///
    /// # Errors
    ///
    /// When it cannot start, takes longer than allowed, prints too much or no UTF-8, or ends with a failure: then in its
    /// own words. `about` is the source that is rendered.
    pub(super) fn run(&self, args: &[OsString], tools: &Tools, about: &Path) -> Result<String, Fault> {
        let out = self.run_with(args, Vec::new(), OUTPUT, tools, about)?;
        String::from_utf8(out).map_err(|_| Fault::new(about, 0, "", text::TOOL_NO_TEXT).with("tool", self.name))
    }

    /// The same with something to read for the tool, for an output of so many bytes, which need not be text.
    ///
    /// # Errors
    ///
    /// As [`Program::run`].
    pub(super) fn run_with(
        &self,
        args: &[OsString],
        input: Vec<u8>,
        most: u64,
        tools: &Tools,
        about: &Path,
    ) -> Result<Vec<u8>, Fault> {
        let fault = |msg| Fault::new(about, 0, "", msg).with("tool", self.name);
        let mut child =
            self.spawn(args, tools).map_err(|e| fault(text::TOOL_NOT_STARTED).with("detail", e.to_string()))?;
        // A tool that does not read to the end has its reasons, and says them on its own.
        let fed = child.stdin.take().map(|mut pipe| thread::spawn(move || drop(pipe.write_all(&input))));
        let out = child.stdout.take().map(|pipe| thread::spawn(move || kept(pipe, most)));
        let err = child.stderr.take().map(|pipe| thread::spawn(move || kept(pipe, WORDS)));
        let status = wait(&mut child, tools.limit);
        end_group(&mut child);
        drop(fed.map(thread::JoinHandle::join));
        let join = |pipe: Option<thread::JoinHandle<(Vec<u8>, bool)>>| pipe.and_then(|p| p.join().ok());
        let (out, err) = (join(out).unwrap_or_default(), join(err).unwrap_or_default());
        match status {
            Err(error) => Err(fault(text::TOOL_NOT_STARTED).with("detail", error.to_string())),
            Ok(None) => Err(fault(text::TOOL_TOO_SLOW).with("seconds", tools.limit.as_secs().to_string())),
            Ok(Some(status)) if !status.success() => {
                let said = words(&String::from_utf8_lossy(&err.0));
                Err(match said.is_empty() {
                    true => fault(text::TOOL_SILENT).with("status", status.to_string()),
                    false => fault(text::TOOL_FAILED).with("detail", said),
                })
            }
            Ok(Some(_)) if out.1 => Err(fault(text::TOOL_TOO_MUCH).with("bytes", most.to_string())),
            Ok(Some(_)) => Ok(out.0),
        }
    }

    fn spawn(&self, args: &[OsString], tools: &Tools) -> std::io::Result<Child> {
        let home = tools.cache.clone().unwrap_or_else(std::env::temp_dir);
        let mut command = Command::new(&self.path);
        // A short environment: no KUBECONFIG, no HELM_*, no plugins' settings. What would reach the network meets a port of
        // this machine that nobody serves, and git may speak no protocol at all.
        command
            .args(args)
            .env_clear()
            .env("PATH", &tools.path)
            .env("HOME", home)
            .env("LANG", "C.UTF-8")
            .env("HTTP_PROXY", "http://127.0.0.1:9")
            .env("HTTPS_PROXY", "http://127.0.0.1:9")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    }
}

/// Waits for the end, at most this long; `None` = it still runs.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<std::process::ExitStatus>> {
    let end = Instant::now() + limit;
    loop {
        match child.try_wait()? {
            None if Instant::now() < end => thread::sleep(LOOK),
            status => return Ok(status),
        }
    }
}

/// Ends whatever is left of the tool and what it started.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // An error means that nobody is left.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Reads a pipe to its end, so that the writer never blocks; keeps so much and says whether there was more.
fn kept(mut pipe: impl Read, most: u64) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let _ = pipe.by_ref().take(most).read_to_end(&mut bytes);
    let more = std::io::copy(&mut pipe, &mut std::io::sink()).unwrap_or(0);
    (bytes, more > 0)
}

/// The tool's own words on one line, bounded: warnings and the word `Error:` in front are left out.
fn words(said: &str) -> String {
    let lines = said.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("# Warning"));
    let lines: Vec<&str> = lines.map(|l| l.trim_start_matches("Error: ").trim_start_matches("error: ")).collect();
    let joined = without_literals(lines.join(" "));
    match joined.char_indices().nth(SHOWN) {
        // The cause stands at the end of such chains of words.
        Some(_) => {
            let start = joined.char_indices().rev().nth(SHOWN - 1).map_or(0, |(at, _)| at);
            format!("...{}", &joined[start..])
        }
        None => joined,
    }
}

/// Kustomize repeats a literal of a generator that it cannot read, and that may be a password.
fn without_literals(said: String) -> String {
    match (said.find("literal source"), said.rfind(", expected key=value")) {
        (Some(from), Some(to)) if from < to => format!("{}literal source {MASK}{}", &said[..from], &said[to..]),
        _ => said,
    }
}

/// The version in what a tool says about itself: the last word that begins like one.
fn version_in(said: &str) -> &str {
    let looks = |w: &&str| w.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    said.split(|c: char| c.is_whitespace() || c == '+').rfind(looks).unwrap_or_default()
}

/// A folder for scratch files that goes with the value.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// A new empty folder below the kept results, or among the temporary files where nothing is kept.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub(super) fn new(tools: &Tools) -> Result<Self, Fault> {
        static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let parent = tools.cache.as_ref().map_or_else(std::env::temp_dir, |c| c.join("scratch"));
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut stamp = [0_u8; 6];
        // Without random bytes the number and the process still tell folders apart.
        let _ = getrandom::fill(&mut stamp);
        let stamp: String = stamp.iter().map(|b| format!("{b:02x}")).collect();
        let path = parent.join(format!("quarterdeck-{}-{number}-{stamp}", std::process::id()));
        let fault = |e: std::io::Error| Fault::new(&path, 0, "", text::NO_SCRATCH).with("detail", e.to_string());
        make_private(&path).map_err(fault)?;
        // Kustomize compares real paths.
        Ok(Self(fs::canonicalize(&path).map_err(fault)?))
    }

    /// The folder.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file in it, with the folders above it.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(super) fn write(&self, name: &Path, content: &[u8]) -> Result<(), Fault> {
        let path = self.0.join(name);
        let fault = |e: std::io::Error| Fault::new(&path, 0, "", text::NO_SCRATCH).with("detail", e.to_string());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(fault)?;
        }
        write_private(&path, content).map_err(fault)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes a folder that nobody else reads: what is rendered may hold Secrets.
pub(super) fn make_private(path: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a file that nobody else reads, whatever folder it lies in.
pub(super) fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(content)
}

/// Files that a source was made from, by their full path.
pub(super) type Files = BTreeMap<PathBuf, Arc<[u8]>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_last_word_that_looks_like_one() {
        assert_eq!(version_in("Client Version: v1.37.2\nKustomize Version: v5.8.1\n"), "v5.8.1");
        assert_eq!(version_in("v3.20+gabc\n"), "v3.20");
        assert_eq!(version_in("nothing"), "");
    }

    #[test]
    fn words_of_a_tool_lose_their_noise_and_keep_their_end() {
        assert_eq!(words("# Warning: 'vars' is old\nError: no such\n  file\n"), "no such file");
        let literal =
            "error: loading KV pairs: literal sources [hunter2]: invalid literal source hunter2, expected key=value";
        assert_eq!(words(literal), "loading KV pairs: literal source ********, expected key=value");
        let long = format!("error: {} the cause", "x".repeat(2000));
        assert!(words(&long).ends_with("the cause") && words(&long).chars().count() == SHOWN + 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_tool_that_hangs_or_prints_without_end_is_ended() {
        let tools = Tools {
            root: PathBuf::new(),
            cache: None,
            path: "/bin:/usr/bin".into(),
            limit: Duration::from_millis(200),
        };
        let shell = find(&["sh"], &tools, Path::new("x")).unwrap();
        let run = |script: &str| shell.run(&["-c".into(), script.into()], &tools, Path::new("x"));
        assert_eq!(run("echo $HOME >/dev/null; echo hi").unwrap(), "hi\n");
        assert_eq!(run("sleep 600 & sleep 600").unwrap_err().msg, text::TOOL_TOO_SLOW);
        assert_eq!(run("echo 'Error: it broke' >&2; exit 3").unwrap_err().values[1].1, "it broke");
        assert_eq!(run("kill -9 $$").unwrap_err().msg, text::TOOL_SILENT);
        assert_eq!(find(&["no-such-tool"], &tools, Path::new("x")).unwrap_err().msg, text::NO_TOOL);
    }
}
