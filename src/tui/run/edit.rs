//! Lends the terminal to the person's editor, with a file and a line, and takes it back.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use tokio::sync::{mpsc, oneshot};

use super::Session;
use crate::{
    desired::origin::{At, SourceKind},
    fleet::delta::Delta,
    messages::{clean_line, desired as m},
    render::{git::Repository, tools},
    tui::{
        editor,
        screen::Notice,
        signals::{INTERRUPTED, Signal, Signals},
        terminal,
    },
};

/// The file to open.
enum Target {
    /// A file of the work tree.
    File(PathBuf),
    /// What a file was at a revision, for looking only; it goes away with the folder.
    Copy(PathBuf, PathBuf),
}

impl Target {
    fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Copy(path, _) => path,
        }
    }
}

impl Session {
    /// Opens a place in the editor. News are taken in meanwhile, so that nothing piles up; nothing is drawn.
    pub(super) async fn edit(
        &mut self,
        at: &At,
        deltas: &mut mpsc::Receiver<Vec<Delta>>,
        signals: &mut Signals,
    ) -> io::Result<()> {
        let lang = self.app.look().lang;
        let place = clean_line(&at.to_string()).into_owned();
        let Some(command) = editor::chosen(&self.env).map(ToOwned::to_owned) else {
            self.app.notice(Notice::warn(m::E_NO_EDITOR.fill(lang, &[("place", &place)])));
            return Ok(());
        };
        let target = match self.target(at) {
            Ok(target) => target,
            Err(why) => {
                self.app.notice(Notice::warn(m::E_NOT_OPENED.fill(lang, &[("place", &place), ("why", &why)])));
                return Ok(());
            }
        };
        let told = self.lend(&command, target.path(), at.line, deltas, signals).await?;
        if let Target::Copy(_, folder) = &target {
            // What cannot be removed lies in the folder for temporary files.
            let _ = std::fs::remove_dir_all(folder);
        }
        if self.end.is_some() {
            return Ok(());
        }
        let editor = clean_line(&command).into_owned();
        match told {
            Ok(status) if status.success() => {}
            Ok(status) => {
                let values = [("editor", &*editor), ("status", &*status.to_string())];
                self.app.notice(Notice::warn(m::E_ENDED_BADLY.fill(lang, &values)));
            }
            Err(error) => {
                let values = [("editor", &*editor), ("why", &*error.to_string())];
                self.app.notice(Notice::error(m::E_NOT_STARTED.fill(lang, &values)));
            }
        }
        Ok(())
    }

    /// What is to be opened for a place; the error says why nothing can be.
    fn target(&self, at: &At) -> Result<Target, String> {
        let lang = self.app.look().lang;
        match at.source.kind {
            SourceKind::Hub => return Err(m::E_HUB.text(lang).to_owned()),
            SourceKind::Tool => return Err(m::E_TOOL.text(lang).to_owned()),
            _ => {}
        }
        if at.source.revision.is_empty() {
            let path = self.root.join(&at.source.file);
            return match std::fs::metadata(&path) {
                Ok(_) => Ok(Target::File(path)),
                Err(error) => Err(error.to_string()),
            };
        }
        self.copy_of(at).map_err(|why| m::E_REVISION.fill(lang, &[("why", &why)]))
    }

    /// A copy of a file as it was at a revision, in a folder of its own that nobody else may read. Repositories are the one
    /// around the fleet file, and those that sources at revisions lie in.
    fn copy_of(&self, at: &At) -> Result<Target, String> {
        let settings = &self.app.look().settings;
        let tools = tools::of(settings, &self.env);
        let sources = settings.desired.services.iter().flat_map(|s| &s.sources).filter(|s| !s.revision.is_empty());
        let mut folders: Vec<PathBuf> = vec![self.root.clone()];
        folders.extend(sources.filter_map(|s| {
            let path = self.root.join(s.path());
            path.ancestors().find(|p| p.is_dir()).map(Path::to_path_buf)
        }));
        folders.dedup();
        let mut first = None;
        for folder in folders {
            let found = Repository::new(&folder, &tools)
                .and_then(|r| r.checkout(&at.source.revision, Path::new(&at.source.file)));
            match found {
                Ok(checkout) => return private_copy(&checkout.folder.join(&at.source.file)).map_err(|e| e.to_string()),
                Err(fault) => first = first.or(Some(fault.text(self.app.look().lang))),
            }
        }
        Err(first.unwrap_or_default())
    }

    async fn lend(
        &mut self,
        editor: &str,
        path: &Path,
        line: u32,
        deltas: &mut mpsc::Receiver<Vec<Delta>>,
        signals: &mut Signals,
    ) -> io::Result<io::Result<ExitStatus>> {
        self.gate.close();
        terminal::give_back();
        let lent = terminal::Lent::note();
        let told = self.run_editor(command(editor, path, line), deltas, signals).await;
        lent.put_back();
        self.gate.open();
        if self.end.is_none() {
            self.resume()?;
        }
        Ok(told)
    }

    async fn run_editor(
        &mut self,
        mut command: Command,
        deltas: &mut mpsc::Receiver<Vec<Delta>>,
        signals: &mut Signals,
    ) -> io::Result<ExitStatus> {
        let (answer, mut answered) = oneshot::channel();
        std::thread::Builder::new().name("editor".into()).spawn(move || {
            // Nobody waits any more when the program ends first.
            let _ = answer.send(command.status());
        })?;
        let rest = std::mem::take(&mut self.batch);
        self.take_all(rest);
        loop {
            tokio::select! {
                biased;
                told = &mut answered => return told.unwrap_or_else(|gone| Err(io::Error::other(gone))),
                signal = signals.next() => match signal {
                    // Ctrl-c is the editor's.
                    Signal::End(INTERRUPTED) | Signal::Continued | Signal::Resized => {}
                    Signal::End(code) => {
                        self.end = Some(code.into());
                        return Err(io::ErrorKind::Interrupted.into());
                    }
                    // Ctrl-z has stopped the editor; the shell lets both of us go on.
                    Signal::Stop => terminal::stop(),
                },
                Some(batch) = deltas.recv() => self.take_all(batch.into_iter()),
            }
        }
    }
}

/// The editor's variable is a command line for the shell, as git takes it: it may hold options and quotes.
#[cfg(unix)]
fn command(editor: &str, path: &Path, line: u32) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor);
    command.args(editor::arguments(editor, &path.display().to_string(), line));
    command
}

/// Where there is no such shell the first word is the program.
#[cfg(not(unix))]
fn command(editor: &str, path: &Path, line: u32) -> Command {
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    command.args(editor::arguments(editor, &path.display().to_string(), line));
    command
}

/// Copies a file for looking only.
fn private_copy(file: &Path) -> io::Result<Target> {
    let folder = private_folder()?;
    let path = folder.join(file.file_name().unwrap_or_default());
    std::fs::write(&path, std::fs::read(file)?)?;
    let mut rights = std::fs::metadata(&path)?.permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(&path, rights)?;
    Ok(Target::Copy(path, folder))
}

/// A new folder among the temporary files, for this person alone.
fn private_folder() -> io::Result<PathBuf> {
    let mut random = [0u8; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let name: String = random.iter().map(|b| format!("{b:02x}")).collect();
    let folder = std::env::temp_dir().join(format!("quarterdeck-{name}"));
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder)?;
    Ok(folder)
}
