//! A revision of a local clone, as files: what `git` has stored, written into a folder named by the commit. The work tree is
//! not touched, nothing is fetched, and nothing that the repository configures is run: only `rev-parse`, `ls-tree` and
//! `cat-file` are used, which know neither hooks nor filters.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
    time::SystemTime,
};

use super::{
    Tools,
    tool::{self, Program, Scratch},
};
use crate::{desired::source::yaml, fault::Fault, messages::source as words};

/// Most files that are written for one revision.
const MOST_FILES: usize = 100_000;
/// Most bytes that are written for one revision.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;
/// So many bytes are asked for at once.
const AT_ONCE: u64 = 32 * 1024 * 1024;
/// Most that git may say about the tree: 100,000 files with long paths.
const LISTING: u64 = 64 * 1024 * 1024;
/// So many revisions are kept; those used longest ago go first.
const KEPT: usize = 32;

/// A revision's files.
#[derive(Debug)]
pub struct Checkout {
    /// The folder that stands for the root of the repository.
    pub folder: PathBuf,
    /// Full commit id.
    pub commit: String,
    /// Where nothing is kept: the folder goes with this value.
    _scratch: Option<Scratch>,
}

/// A repository and the program to read it.
pub struct Repository {
    git: Program,
    /// Any folder in it, or a bare repository.
    folder: PathBuf,
    name: PathBuf,
    tools: Tools,
}

/// A file of a revision.
struct Blob {
    path: PathBuf,
    link: bool,
    size: u64,
}

/// Writes the files of a revision below a path (empty = all of it; always counted from the root of the repository), and
/// gives the folder and the full commit id. Files larger than any manifest and submodules are left out.
///
/// # Errors
///
/// When there is no git, no such repository, revision or path, or too much below it: in git's own words where it has some.
pub fn checkout(repository: &Path, revision: &str, within: &Path, tools: &Tools) -> Result<Checkout, Fault> {
    let repository = Repository::new(repository, tools)?;
    let commit = repository.commit(revision)?;
    repository.checkout(&commit, within)
}

impl Repository {
    /// Finds git; asks nothing yet.
    ///
    /// # Errors
    ///
    /// When there is no git.
    pub fn new(folder: &Path, tools: &Tools) -> Result<Self, Fault> {
        let name = PathBuf::from(super::name_of(folder, tools));
        let git = tool::find(&["git"], tools, &name)?;
        Ok(Self { git, folder: folder.to_path_buf(), name, tools: tools.clone() })
    }

    /// The root of the work tree.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn root(&self) -> Result<PathBuf, Fault> {
        Ok(PathBuf::from(self.ask(&["rev-parse", "--show-toplevel"])?))
    }

    /// What changes when a branch or a tag moves.
    ///
    /// # Errors
    ///
    /// When it is no repository.
    pub fn references(&self) -> Result<Vec<PathBuf>, Fault> {
        let own = PathBuf::from(self.ask(&["rev-parse", "--absolute-git-dir"])?);
        let common = own.join(self.ask(&["rev-parse", "--git-common-dir"])?);
        let common = if common.is_absolute() { common } else { self.folder.join(common) };
        Ok(vec![own.join("HEAD"), common.join("packed-refs"), common.join("refs")])
    }

    /// The full commit id of a revision.
    ///
    /// # Errors
    ///
    /// When it is no repository, or has no such commit.
    pub fn commit(&self, revision: &str) -> Result<String, Fault> {
        let fault = |msg| Fault::new(&self.name, 0, "", msg).with("revision", revision);
        if revision.is_empty() || revision.starts_with('-') || revision.contains(char::is_control) {
            return Err(fault(words::GIT_ODD_REVISION));
        }
        self.ask(&["rev-parse", "--git-dir"])?;
        let asked = format!("{revision}^{{commit}}");
        self.ask(&["rev-parse", "--verify", "--end-of-options", &asked]).map_err(|said| {
            let cause = said.values.iter().find(|(place, _)| *place == "detail").map_or("", |(_, words)| words);
            fault(words::GIT_NO_REVISION).with("repository", self.name.display().to_string()).with("cause", cause)
        })
    }

    /// Writes the files of a commit; see [`checkout`].
    ///
    /// # Errors
    ///
    /// As [`checkout`].
    pub fn checkout(&self, commit: &str, within: &Path) -> Result<Checkout, Fault> {
        let within = super::normal(within);
        let Some(cache) = &self.tools.cache else {
            let scratch = Scratch::new(&self.tools)?;
            self.export(commit, &within, &scratch)?;
            return Ok(Checkout {
                folder: scratch.path().to_path_buf(),
                commit: commit.to_owned(),
                _scratch: Some(scratch),
            });
        };
        let mut key = super::cache::Key::new("git");
        key.add(within.as_os_str().as_encoded_bytes());
        let kept = cache.join("git");
        let folder = kept.join(format!("{commit}-{}", key.name().get(..16).unwrap_or_default()));
        if !folder.is_dir() {
            let scratch = Scratch::new(&self.tools)?;
            self.export(commit, &within, &scratch)?;
            let fault = |e: std::io::Error| Fault::new(&folder, 0, "", words::NO_SCRATCH).with("detail", e.to_string());
            tool::make_private(&kept).map_err(fault)?;
            // Another process may have been faster: its files are the same.
            if let Err(e) = fs::rename(scratch.path(), &folder)
                && !folder.is_dir()
            {
                return Err(fault(e));
            }
            sweep(&kept, KEPT);
        }
        touch(&folder);
        Ok(Checkout { folder, commit: commit.to_owned(), _scratch: None })
    }

    /// One line of git.
    fn ask(&self, args: &[&str]) -> Result<String, Fault> {
        let said = self.run(args, Vec::new(), LISTING)?;
        Ok(String::from_utf8_lossy(&said).trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Runs git in the repository. It may belong to someone else: none of the commands used here runs what a repository
    /// configures, and the fleet file names it.
    fn run(&self, args: &[&str], input: Vec<u8>, most: u64) -> Result<Vec<u8>, Fault> {
        let mut all: Vec<OsString> = vec!["-C".into(), self.folder.clone().into()];
        all.extend(["-c", "safe.directory=*", "--no-replace-objects", "--literal-pathspecs"].map(OsString::from));
        all.extend(args.iter().map(OsString::from));
        self.git.run_with(&all, input, most, &self.tools, &self.name)
    }

    fn export(&self, commit: &str, within: &Path, into: &Scratch) -> Result<(), Fault> {
        let blobs = self.list(commit, within)?;
        let mut batch: Vec<(&String, &Vec<Blob>)> = Vec::new();
        let mut bytes = 0;
        for (id, files) in &blobs {
            let size = files.first().map_or(0, |f| f.size);
            if bytes + size > AT_ONCE && !batch.is_empty() {
                self.write(&batch, bytes, into)?;
                batch.clear();
                bytes = 0;
            }
            batch.push((id, files));
            bytes += size;
        }
        self.write(&batch, bytes, into)
    }

    /// The files of a commit by the id of their content.
    fn list(&self, commit: &str, within: &Path) -> Result<BTreeMap<String, Vec<Blob>>, Fault> {
        let path = within.to_string_lossy();
        let fault = |msg| {
            let path = if path.is_empty() { "/" } else { &*path };
            Fault::new(&self.name, 0, "", msg).with("revision", commit.get(..12).unwrap_or(commit)).with("path", path)
        };
        let mut args = vec!["ls-tree", "-r", "-z", "-l", "--full-tree", commit];
        if !path.is_empty() {
            args.extend(["--", &*path]);
        }
        let listing = self.run(&args, Vec::new(), LISTING)?;
        let (mut blobs, mut files, mut bytes) = (BTreeMap::<String, Vec<Blob>>::new(), 0, 0);
        for line in listing.split(|b| *b == 0).filter(|l| !l.is_empty()) {
            let Some((id, blob)) = blob(line) else { continue };
            (files, bytes) = (files + 1, bytes + blob.size);
            blobs.entry(id).or_default().push(blob);
        }
        if listing.is_empty() {
            return Err(fault(words::GIT_NO_PATH));
        }
        if files > MOST_FILES || bytes > MOST_BYTES {
            return Err(fault(words::GIT_TOO_LARGE).with("most", format!("{MOST_FILES} files or {MOST_BYTES} bytes")));
        }
        Ok(blobs)
    }

    /// Writes the files whose contents these are.
    fn write(&self, batch: &[(&String, &Vec<Blob>)], bytes: u64, into: &Scratch) -> Result<(), Fault> {
        if batch.is_empty() {
            return Ok(());
        }
        let ids: String = batch.iter().map(|(id, _)| format!("{id}\n")).collect();
        let heads = 128 * batch.len() as u64;
        let said = self.run(&["cat-file", "--batch"], ids.into_bytes(), bytes + heads)?;
        let mut rest = &said[..];
        for (id, files) in batch {
            let odd = || Fault::new(&self.name, 0, "", words::GIT_ODD_OUTPUT).with("cause", format!("object {id}"));
            let (content, after) = content(rest, id).ok_or_else(odd)?;
            rest = after;
            for file in *files {
                if file.link {
                    link(&file.path, content, into.path());
                } else {
                    into.write(&file.path, content)?;
                }
            }
        }
        Ok(())
    }
}

/// A line of `ls-tree -l`: `MODE TYPE ID SIZE<tab>PATH`; `None` for submodules, for what is no manifest by its size, and for
/// paths that no honest repository has.
fn blob(line: &[u8]) -> Option<(String, Blob)> {
    let tab = line.iter().position(|b| *b == b'\t')?;
    let head = std::str::from_utf8(&line[..tab]).ok()?;
    let path = PathBuf::from(std::str::from_utf8(&line[tab + 1..]).ok()?);
    let mut words = head.split_whitespace();
    let (mode, kind, id, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let size: u64 = size.parse().ok()?;
    let honest = path.components().all(|c| matches!(c, Component::Normal(n) if n != ".git"));
    let fits = kind == "blob" && honest && size <= yaml::LARGEST as u64;
    fits.then(|| (id.to_owned(), Blob { path, link: mode == "120000", size }))
}

/// One answer of `cat-file --batch`, `ID TYPE SIZE` and the content, and what follows it.
fn content<'a>(said: &'a [u8], id: &str) -> Option<(&'a [u8], &'a [u8])> {
    let end = said.iter().position(|b| *b == b'\n')?;
    let mut words = std::str::from_utf8(&said[..end]).ok()?.split(' ');
    if words.next()? != id || words.next()? != "blob" {
        return None;
    }
    let size: usize = words.next()?.parse().ok()?;
    let rest = said.get(end + 1..)?;
    Some((rest.get(..size)?, rest.get(size + 1..)?))
}

/// Makes a link that stays inside; others are left out, as the readers would not follow them.
fn link(path: &Path, target: &[u8], root: &Path) {
    let Ok(target) = std::str::from_utf8(target).map(PathBuf::from) else { return };
    let mut depth = path.components().count().saturating_sub(1);
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return,
        }
    }
    let place = root.join(path);
    if let Some(folder) = place.parent() {
        let _ = fs::create_dir_all(folder);
    }
    #[cfg(unix)]
    let _ = std::os::unix::fs::symlink(target, place);
}

/// Notes that a kept revision was used.
fn touch(folder: &Path) {
    if let Ok(file) = fs::File::open(folder) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Removes the revisions that were used longest ago.
fn sweep(folder: &Path, most: usize) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut held: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|e| e.metadata().ok().map(|m| (m.modified().unwrap_or(SystemTime::UNIX_EPOCH), e.path())))
        .collect();
    held.sort();
    let many = held.len().saturating_sub(most);
    for (_, path) in held.into_iter().take(many) {
        let _ = fs::remove_dir_all(path);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::process::Command;

    use super::*;
    use crate::render::testing::{tools, write};

    /// A repository to play with.
    pub(in crate::render) struct Clone(tempfile::TempDir);

    impl Clone {
        pub(in crate::render) fn new() -> Self {
            let clone = Self(tempfile::tempdir().unwrap());
            clone.git(&["init", "-q"]);
            clone
        }

        pub(in crate::render) fn path(&self) -> &Path {
            self.0.path()
        }

        /// Runs git in it, without anyone's settings.
        pub(in crate::render) fn git(&self, args: &[&str]) -> String {
            let output = Command::new("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.hooksPath=/dev/null"])
                .args(args)
                .current_dir(self.path())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .output()
                .expect("git is needed for this test");
            assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        }

        /// Commits everything and gives the id.
        pub(in crate::render) fn commit(&self, message: &str) -> String {
            self.git(&["add", "-A"]);
            self.git(&["commit", "-qm", message]);
            self.git(&["rev-parse", "HEAD"]).trim().to_owned()
        }
    }

    fn key(outcome: Result<Checkout, Fault>) -> &'static str {
        outcome.unwrap_err().msg.key
    }

    #[test]
    fn a_revision_is_written_once_as_it_is_stored() {
        let clone = Clone::new();
        let bytes = b"a: 1\r\n\xff\n";
        // Neither line ends nor filters are applied; a filter that fails would say so.
        write(clone.path(), ".gitattributes", "*.txt filter=bad text eol=crlf\n");
        write(clone.path(), "app/plain.yaml", "a: 1\n");
        write(clone.path(), "app/sub/same.yaml", "a: 1\n");
        write(clone.path(), "app/empty.yaml", "");
        write(clone.path(), "beside.yaml", "b: 1\n");
        fs::write(clone.path().join("app/odd name.txt"), bytes).unwrap();
        #[cfg(unix)]
        for (target, name) in [("plain.yaml", "app/in"), ("../../outside", "app/out"), ("/etc/passwd", "app/etc")] {
            std::os::unix::fs::symlink(target, clone.path().join(name)).unwrap();
        }
        let commit = clone.commit("one");
        clone.git(&["config", "filter.bad.smudge", "exit 1"]);
        clone.git(&["config", "filter.bad.required", "true"]);
        let mut tools = tools(clone.path());
        let cache = tempfile::tempdir().unwrap();
        tools.cache = Some(cache.path().to_path_buf());
        let made = checkout(clone.path(), "HEAD", Path::new("app"), &tools).unwrap();
        assert_eq!(made.commit, commit);
        let read = |name: &str| fs::read(made.folder.join("app").join(name)).ok();
        assert_eq!(read("plain.yaml").as_deref(), Some(&b"a: 1\n"[..]));
        assert_eq!(read("sub/same.yaml"), read("plain.yaml"));
        assert_eq!(read("empty.yaml").as_deref(), Some(&b""[..]));
        assert_eq!(read("odd name.txt").as_deref(), Some(&b"a: 1\n\xff\n"[..]), "as git stored it");
        #[cfg(unix)]
        {
            assert_eq!(read("in"), read("plain.yaml"), "a link that stays inside");
            assert!(fs::symlink_metadata(made.folder.join("app/out")).is_err());
            assert!(fs::symlink_metadata(made.folder.join("app/etc")).is_err());
        }
        assert!(!made.folder.join("beside.yaml").exists());
        // The second time nothing is written.
        fs::write(made.folder.join("mark"), "").unwrap();
        let again = checkout(&clone.path().join("app"), &commit, Path::new("app"), &tools).unwrap();
        assert!(again.folder == made.folder && again.folder.join("mark").exists());
        assert_ne!(checkout(clone.path(), &commit, Path::new(""), &tools).unwrap().folder, made.folder);
    }

    #[test]
    fn what_is_not_there_is_said_in_words_that_help() {
        let clone = Clone::new();
        write(clone.path(), "a.yaml", "a: 1\n");
        clone.commit("one");
        let mut tools = tools(clone.path());
        let told = checkout(clone.path(), "v9", Path::new(""), &tools).unwrap_err().text(crate::messages::Lang::En);
        assert!(told.contains("v9") && told.contains("single revision"), "{told}");
        assert_eq!(key(checkout(clone.path(), "--output=x", Path::new(""), &tools)), "source.GIT_ODD_REVISION");
        assert_eq!(key(checkout(clone.path(), "HEAD", Path::new("nope"), &tools)), "source.GIT_NO_PATH");
        let elsewhere = tempfile::tempdir().unwrap();
        let told = checkout(elsewhere.path(), "HEAD", Path::new(""), &tools).unwrap_err();
        assert!(told.text(crate::messages::Lang::En).contains("not a git repository"), "{told:?}");
        tools.path = "/nonexistent".into();
        assert_eq!(key(checkout(clone.path(), "HEAD", Path::new(""), &tools)), "source.NO_TOOL");
    }

    #[test]
    fn only_the_newest_revisions_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        for (age, name) in ["new", "old", "older"].iter().enumerate() {
            let path = folder.path().join(name);
            fs::create_dir(&path).unwrap();
            let moment = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 - age as u64);
            fs::File::open(&path).unwrap().set_modified(moment).unwrap();
        }
        sweep(folder.path(), 2);
        let left = ["new", "old", "older"].map(|n| folder.path().join(n).exists());
        assert_eq!(left, [true, true, false]);
    }
}
