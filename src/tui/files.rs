//! Files of the screen: what a person saves, the commands that were typed, the end of the log.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use crate::config::Settings;

/// Commands kept over starts.
const HISTORY: usize = 200;

/// Where the program logs.
pub fn log_file(settings: &Settings) -> PathBuf {
    settings.paths.state.join("quarterdeck.log")
}

/// The last bytes of a file as text, from the first whole line on.
pub fn tail(path: &Path, bytes: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    let start = len.saturating_sub(bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut raw = Vec::new();
    file.take(bytes).read_to_end(&mut raw)?;
    let text = String::from_utf8_lossy(&raw).into_owned();
    let cut = if start == 0 { 0 } else { text.find('\n').map_or(0, |i| i + 1) };
    Ok(text[cut..].to_owned())
}

/// Saves a text in a folder under a name made safe, never over a file that is there. Gives the path.
pub fn save(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let safe: String =
        name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' }).collect();
    let safe = safe.trim_start_matches('.').chars().take(120).collect::<String>();
    let safe = if safe.is_empty() { "quarterdeck.txt".to_owned() } else { safe };
    let (stem, end) = safe.rsplit_once('.').map_or((safe.as_str(), String::new()), |(s, e)| (s, format!(".{e}")));
    for n in 1..1000 {
        let number = if n == 1 { String::new() } else { format!("-{n}") };
        let path = folder.join(format!("{stem}{number}{end}"));
        match create_new(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes())?;
                if !text.ends_with('\n') {
                    file.write_all(b"\n")?;
                }
                return Ok(path);
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    options.open(path)
}

/// Only for this user.
#[cfg(unix)]
pub(super) fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

/// Files are the user's own there.
#[cfg(not(unix))]
pub(super) fn private(_options: &mut OpenOptions) {}

/// Commands of earlier starts, oldest first; none when there is no file.
pub fn load_history(settings: &Settings) -> Vec<String> {
    let text = fs::read_to_string(settings.paths.state.join("commands")).unwrap_or_default();
    text.lines().filter(|l| !l.is_empty()).map(ToOwned::to_owned).collect()
}

/// Keeps the commands for the next start. A folder that cannot be written is no reason to fail on the way out.
pub fn save_history(settings: &Settings, commands: &[String]) {
    if let Ok(Some(mut file)) = open_history(settings, OpenOptions::new().write(true).truncate(true)) {
        let start = commands.len().saturating_sub(HISTORY);
        let _ = file.write_all((commands[start..].join("\n") + "\n").as_bytes());
    }
}

/// Whether the commands can be kept, found out while there is somebody to tell.
///
/// # Errors
/// What the file system says.
pub fn check_history(settings: &Settings) -> io::Result<()> {
    open_history(settings, OpenOptions::new().append(true)).map(drop)
}

/// `None` where there is no folder for it.
fn open_history(settings: &Settings, options: &mut OpenOptions) -> io::Result<Option<File>> {
    let folder = &settings.paths.state;
    if folder.as_os_str().is_empty() {
        return Ok(None);
    }
    fs::create_dir_all(folder)?;
    private(options.create(true));
    options.open(folder.join("commands")).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_files_have_safe_names_and_never_overwrite() {
        let dir = tempfile::tempdir().unwrap();
        let a = save(dir.path(), "arn:aws/eks ../x.yaml", "one").unwrap();
        let b = save(dir.path(), "arn:aws/eks ../x.yaml", "two").unwrap();
        assert_eq!(a.file_name().unwrap(), "arn_aws_eks_.._x.yaml");
        assert_eq!(b.file_name().unwrap(), "arn_aws_eks_.._x-2.yaml");
        assert_eq!(fs::read_to_string(a).unwrap(), "one\n");
        assert_eq!(tail(&b, 100).unwrap(), "two\n");
    }

    #[test]
    fn a_check_of_the_history_loses_nothing_and_says_what_is_wrong() {
        let dir = tempfile::tempdir().unwrap();
        let mut settings = Settings::default();
        check_history(&settings).unwrap();
        settings.paths.state = dir.path().join("state");
        save_history(&settings, &["pods".to_owned()]);
        check_history(&settings).unwrap();
        assert_eq!(load_history(&settings), ["pods"]);
        settings.paths.state = dir.path().join("state/commands");
        assert!(check_history(&settings).is_err(), "a file is no folder");
    }
}
