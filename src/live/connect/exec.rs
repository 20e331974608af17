//! One run of a credential plugin, judged without quoting secrets: without a terminal and bounded in time and output, or in
//! the foreground for a person who logs in.

use std::{
    fmt,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
    sync::{Semaphore, mpsc::UnboundedSender},
};

use super::detached::{DETACHED, NO_PROGRAM};
use crate::{
    config::kubeconfig::Exec,
    model::{Cause, CauseCode, Secs, parse_rfc3339},
};

/// Most bytes a plugin may print; an `ExecCredential` with a long token has a few thousand.
const OUTPUT: usize = 1 << 20;
/// Bytes of stderr that are kept, from the end: the last line is the reason.
const STDERR: usize = 16 << 10;
/// How long before its end a credential is renewed.
const MARGIN: u32 = 60;

/// What a plugin issued. Debug output hides it.
#[derive(Clone)]
pub(super) struct Issued {
    /// Bearer token.
    pub(super) token: Option<String>,
    /// Client certificate and key, PEM.
    pub(super) pair: Option<(String, String)>,
    /// End of validity, if the plugin said.
    pub(super) expires: Option<Secs>,
    /// Counts the runs of this entry: tells a newer credential from the one that was refused.
    pub(super) run: u64,
    renew_at: Option<Secs>,
}

impl fmt::Debug for Issued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issued").field("run", &self.run).field("expires", &self.expires).finish_non_exhaustive()
    }
}

impl Issued {
    /// Good for a while yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.renew_at.is_none_or(|at| super::now().secs() < at)
    }
}

/// Entries that only a person at a terminal can satisfy.
pub(super) fn wants_terminal(exec: &Exec) -> Option<Cause> {
    let always = exec.interactive_mode == "Always";
    always.then(|| failed(exec, "the plugin asks for a terminal (interactiveMode Always)".into()))
}

/// Entries that no run can satisfy.
pub(super) fn refuse_unusable(exec: &Exec) -> Result<(), Cause> {
    if exec.command.is_empty() {
        return Err(Cause::new(CauseCode::Config, "the exec entry names no command"));
    }
    match exec.api_version.as_str() {
        "client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1" => Ok(()),
        other => Err(Cause::new(
            CauseCode::Config,
            format!(
                "the exec entry's apiVersion {other:?} is not v1 or v1beta1 of client.authentication.k8s.io: write the kubeconfig anew with the provider's current tool"
            ),
        )),
    }
}

/// The cause of a plugin that gave no credential, with its command.
pub(super) fn failed(exec: &Exec, detail: String) -> Cause {
    let mut cause = Cause::new(CauseCode::ExecPlugin, detail);
    cause.command = Some(command_line(exec));
    cause
}

/// One run, from start to the parsed credential; and whether it had to be ended.
pub(super) async fn run(exec: &Exec, limit: Duration, launcher: Option<PathBuf>) -> (Result<Issued, Cause>, bool) {
    let detached = launcher.is_some();
    let mut child = match spawn(exec, launcher) {
        Ok(child) => child,
        Err(e) => return (Err(not_started(exec, &e)), false),
    };
    let group = child.id();
    let output = Kept::read(child.stdout.take(), Keep::Start(OUTPUT), None);
    let errors = Kept::read(child.stderr.take(), Keep::End(STDERR), None);
    let waited = tokio::time::timeout(limit, child.wait()).await;
    // A helper left behind may hold the pipes open for ever; what matters is written by now. Once all have gone, the
    // group's number may be somebody else's.
    let all_gone = waited.is_ok() && both_end(&output, &errors).await;
    if !all_gone {
        end_group(&mut child, group).await;
    }
    let hung = waited.is_err();
    let reason = errors.last_line();
    let outcome = match waited {
        Err(_) => {
            let said = if reason.is_empty() { String::new() } else { format!(", it said: {reason}") };
            Err(format!("did not end within {} s{said}", limit.as_secs_f32()))
        }
        Ok(ended) => {
            // Started through ourselves, a missing program shows only now.
            let missing = detached && ended.as_ref().is_ok_and(|status| status.code() == Some(i32::from(NO_PROGRAM)));
            judge(ended, &reason, if missing { &exec.install_hint } else { "" }, &output)
        }
    };
    (outcome.map_err(|text| failed(exec, format!("{} {text}", exec.command))), hung)
}

/// One run in the foreground, for a person who logs in: the plugin has the terminal (unless its entry says `Never`), no
/// limit of time, and what it says on stderr goes to `said` as it comes. Dropping the future ends the plugin.
pub(super) async fn run_with_terminal(exec: &Exec, said: UnboundedSender<Vec<u8>>) -> Result<Issued, Cause> {
    refuse_unusable(exec)?;
    let interactive = exec.interactive_mode != "Never";
    let stdin = if interactive { Stdio::inherit() } else { Stdio::null() };
    // In our own process group: that is the one in the terminal's foreground.
    let mut child = start(Command::new(&exec.command), exec, stdin, interactive).map_err(|e| not_started(exec, &e))?;
    let output = Kept::read(child.stdout.take(), Keep::Start(OUTPUT), None);
    let errors = Kept::read(child.stderr.take(), Keep::End(STDERR), Some(said));
    let ended = child.wait().await;
    both_end(&output, &errors).await;
    let outcome = judge(ended, &errors.last_line(), "", &output);
    outcome.map_err(|text| failed(exec, format!("{} {text}", exec.command)))
}

fn not_started(exec: &Exec, error: &std::io::Error) -> Cause {
    let hint = if exec.install_hint.is_empty() { String::new() } else { format!(": {}", exec.install_hint) };
    failed(exec, format!("{} cannot be started: {error}{hint}", exec.command))
}

/// Whether both pipes end soon after the plugin did.
async fn both_end(output: &Kept, errors: &Kept) -> bool {
    let both = async {
        output.ended().await;
        errors.ended().await;
    };
    tokio::time::timeout(Duration::from_millis(500), both).await.is_ok()
}

/// What a plugin that ended by itself gave; the error is without its name.
fn judge(ended: std::io::Result<ExitStatus>, reason: &str, hint: &str, output: &Kept) -> Result<Issued, String> {
    match ended {
        Err(e) => Err(e.to_string()),
        Ok(status) if !status.success() => Err(format!("ended with {status}: {reason} {hint}").trim_end().to_owned()),
        Ok(_) if output.overflowed() => Err(format!("printed more than {OUTPUT} bytes")),
        Ok(_) => parse(&output.take()),
    }
}

fn spawn(exec: &Exec, launcher: Option<PathBuf>) -> std::io::Result<Child> {
    let command = match launcher {
        Some(program) => {
            let mut command = Command::new(program);
            command.arg(DETACHED).arg(&exec.command);
            command
        }
        None => {
            let mut command = Command::new(&exec.command);
            // In the terminal's background: reading from it stops the plugin, and the limit ends it.
            #[cfg(unix)]
            command.process_group(0);
            command
        }
    };
    start(command, exec, Stdio::null(), false)
}

fn start(mut command: Command, exec: &Exec, stdin: Stdio, interactive: bool) -> std::io::Result<Child> {
    command
        .args(&exec.args)
        .envs(exec.env.iter().map(|(k, v)| (k, v)))
        .env("KUBERNETES_EXEC_INFO", exec_info(exec, interactive))
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command.spawn()
}

/// What the plugin is told about us.
fn exec_info(exec: &Exec, interactive: bool) -> String {
    let mut spec = serde_json::json!({ "interactive": interactive });
    if exec.provide_cluster_info
        && let Ok(cluster) = serde_json::from_str::<serde_json::Value>(&exec.cluster_info)
    {
        spec["cluster"] = cluster;
    }
    serde_json::json!({ "kind": "ExecCredential", "apiVersion": exec.api_version, "spec": spec }).to_string()
}

/// Ends whatever is left of the plugin and its children.
async fn end_group(child: &mut Child, group: Option<u32>) {
    #[cfg(unix)]
    if let Some(pid) = group.and_then(|g| i32::try_from(g).ok()).and_then(rustix::process::Pid::from_raw) {
        // An error means that nobody is left.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
    let _ = child.kill().await;
}

#[derive(Clone, Copy)]
enum Keep {
    Start(usize),
    End(usize),
}

/// What a pipe said, bounded; read to its end so that the writer never blocks.
struct Kept {
    bytes: Arc<Mutex<(Vec<u8>, bool)>>,
    task: tokio::task::JoinHandle<()>,
    ended: Arc<Semaphore>,
}

impl Kept {
    /// `tell` hears everything as it comes.
    fn read(
        pipe: Option<impl AsyncRead + Unpin + Send + 'static>,
        keep: Keep,
        tell: Option<UnboundedSender<Vec<u8>>>,
    ) -> Self {
        let bytes = Arc::new(Mutex::new((Vec::new(), false)));
        let ended = Arc::new(Semaphore::new(0));
        let (sink, end) = (Arc::clone(&bytes), Arc::clone(&ended));
        let task = tokio::spawn(async move {
            let mut buffer = [0; 8192];
            if let Some(mut pipe) = pipe {
                while let Ok(n @ 1..) = pipe.read(&mut buffer).await {
                    if let Some(tell) = &tell {
                        // Whoever listened may have gone; the plugin goes on.
                        let _ = tell.send(buffer[..n].to_vec());
                    }
                    let mut kept = sink.lock().unwrap_or_else(PoisonError::into_inner);
                    keep.add(&mut kept, &buffer[..n]);
                }
            }
            end.close();
        });
        Self { bytes, task, ended }
    }

    async fn ended(&self) {
        // Closed at the end; no permit is ever given.
        let _ = self.ended.acquire().await;
    }

    fn overflowed(&self) -> bool {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner).0)
    }

    /// The last line that says something, short.
    fn last_line(&self) -> String {
        let bytes = self.take();
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().rev().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
        line.chars().take(400).collect()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Keep {
    fn add(self, kept: &mut (Vec<u8>, bool), more: &[u8]) {
        let (bytes, overflow) = kept;
        match self {
            Self::Start(most) => {
                let room = most.saturating_sub(bytes.len()).min(more.len());
                bytes.extend_from_slice(&more[..room]);
                *overflow |= room < more.len();
            }
            Self::End(most) => {
                bytes.extend_from_slice(more);
                let extra = bytes.len().saturating_sub(most);
                bytes.drain(..extra);
            }
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExecCredential {
    kind: String,
    #[serde(default)]
    status: Option<Status>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    expiration_timestamp: Option<String>,
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

/// Parses what the plugin printed. The error never quotes the output: it may hold the token.
fn parse(output: &[u8]) -> Result<Issued, String> {
    if output.trim_ascii().is_empty() {
        return Err(String::from("printed nothing"));
    }
    let credential: ExecCredential = serde_json::from_slice(output).map_err(|e| {
        format!("printed something else than an ExecCredential in JSON (line {}, column {})", e.line(), e.column())
    })?;
    if credential.kind != "ExecCredential" {
        return Err(String::from("printed JSON of another kind than ExecCredential"));
    }
    let status = credential.status.ok_or("printed an ExecCredential without a status")?;
    let token = status.token.filter(|t| !t.is_empty());
    let pair =
        status.client_certificate_data.zip(status.client_key_data).filter(|(c, k)| !c.is_empty() && !k.is_empty());
    if token.is_none() && pair.is_none() {
        return Err(String::from("issued neither a token nor a client certificate with its key"));
    }
    let expires = match status.expiration_timestamp.as_deref() {
        None | Some("") => None,
        Some(text) => Some(parse_rfc3339(text).ok_or("issued an expirationTimestamp that is no time")?.secs()),
    };
    let now = super::now().secs().0;
    // A short-lived credential is renewed after half its life, never at once.
    let renew_at = expires.map(|e| Secs(e.0 - MARGIN.min(e.0.saturating_sub(now) / 2)));
    Ok(Issued { token, pair, expires, run: 0, renew_at })
}

/// The command as a person would type it, values that look secret left out.
pub(super) fn command_line(exec: &Exec) -> String {
    let secret = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["secret", "password", "passwd"].iter().any(|w| name.contains(w))
    };
    let mut words = Vec::new();
    for (name, value) in &exec.env {
        let token = name.to_ascii_lowercase();
        let hidden = secret(name) || token.contains("token") || token.contains("key");
        words.push(format!("{name}={}", if hidden { String::from("...") } else { quoted(value) }));
    }
    words.push(quoted(&exec.command));
    let mut hide = false;
    for arg in &exec.args {
        words.push(match arg.split_once('=') {
            Some((flag, _)) if flag.starts_with('-') && secret(flag) => format!("{flag}=..."),
            _ if hide => String::from("..."),
            _ => quoted(arg),
        });
        hide = arg.starts_with('-') && !arg.contains('=') && secret(arg);
    }
    words.join(" ")
}

/// Quoted for a shell where that is needed.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_pasted_and_shows_no_secret() {
        let exec = Exec {
            command: "/opt/my tools/login".into(),
            args: ["get-token", "--oidc-client-secret=abc", "--password", "xyz", "--scope=a b"]
                .map(String::from)
                .to_vec(),
            env: vec![("AWS_PROFILE".into(), "prod".into()), ("APP_TOKEN".into(), "abc".into())],
            ..Exec::default()
        };
        assert_eq!(
            command_line(&exec),
            "AWS_PROFILE=prod APP_TOKEN=... '/opt/my tools/login' get-token --oidc-client-secret=... --password ... '--scope=a b'"
        );
    }

    #[test]
    fn what_a_plugin_prints_is_judged_without_quoting_it() {
        let error = |text: &str| parse(text.as_bytes()).unwrap_err();
        assert!(error("").contains("nothing"));
        for text in ["kind: ExecCredential\nstatus: {token: geheim}", "\"geheim\"", r#"{"kind":{"geheim":1}}"#] {
            let error = error(text);
            assert!(error.contains("JSON") && !error.contains("geheim"), "{error}");
        }
        assert!(error(r#"{"kind":"ExecCredential","status":{}}"#).contains("neither"));
        let good = r#"{"kind":"ExecCredential","status":{"token":"t","expirationTimestamp":"2100-01-01T00:00:00Z"}}"#;
        let issued = parse(good.as_bytes()).unwrap();
        assert_eq!(issued.token.as_deref(), Some("t"));
        assert!(issued.is_fresh());
        assert!(!format!("{issued:?}").contains("\"t\""));
    }
}
