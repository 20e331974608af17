//! Where configuration, data, state and cache lie.
//!
//! XDG variables are looked at first on every platform, also where the platform has folders of its own: people set them
//! there and expect them to count.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

/// Name of our folder in each of the user's folders.
const FOLDER: &str = "quarterdeck";

/// Folders of this user; see specs: tui a11.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// fleet.yaml, themes/, keys.yaml.
    pub config: PathBuf,
    /// Journal, waivers.
    pub data: PathBuf,
    /// Log, history, fingerprint key, column choices.
    pub state: PathBuf,
    /// Last snapshots, discovery.
    pub cache: PathBuf,
}

impl Paths {
    /// The folders for these variables; `config` is that of `--config`, which wins. Nothing is created.
    pub fn find(env: &BTreeMap<String, String>, config: Option<&Path>) -> Self {
        let home = home(env);
        let platform = directories::ProjectDirs::from("", "", FOLDER);
        let under = |variable: &str, platform: Option<PathBuf>, unix: &str| {
            absolute(env, variable).map(|d| d.join(FOLDER)).or(platform).unwrap_or_else(|| home.join(unix).join(FOLDER))
        };
        // The platform's folders are those of the real home; with another HOME in `env` they must not be used.
        let platform = platform.filter(|p| p.config_dir().starts_with(&home));
        let given = config.map(Path::to_path_buf).or_else(|| set(env, "QUARTERDECK_CONFIG_DIR").map(PathBuf::from));
        Self {
            config: given.unwrap_or_else(|| {
                under("XDG_CONFIG_HOME", platform.as_ref().map(|p| p.config_dir().into()), ".config")
            }),
            data: under("XDG_DATA_HOME", platform.as_ref().map(|p| p.data_dir().into()), ".local/share"),
            state: under(
                "XDG_STATE_HOME",
                platform.as_ref().map(|p| p.state_dir().unwrap_or_else(|| p.data_local_dir()).into()),
                ".local/state",
            ),
            cache: under("XDG_CACHE_HOME", platform.as_ref().map(|p| p.cache_dir().into()), ".cache"),
        }
    }
}

/// The user's home folder: `HOME` of `env`, else what the system says, else the current folder.
pub fn home(env: &BTreeMap<String, String>) -> PathBuf {
    absolute(env, "HOME")
        .or_else(|| directories::BaseDirs::new().map(|d| d.home_dir().to_path_buf()))
        .unwrap_or_else(|| PathBuf::from("."))
}

/// Creates a folder that only this user may enter; one that exists is left as it is.
///
/// # Errors
///
/// What the system says.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file for appending that only this user may read, and creates it and its folder when they are not there.
///
/// # Errors
///
/// What the system says.
pub fn open_private_file(path: &Path) -> io::Result<std::fs::File> {
    if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        create_private_dir(parent)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A variable that is set and not empty.
fn set<'a>(env: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    env.get(name).map(String::as_str).filter(|v| !v.is_empty())
}

/// A folder from a variable; the XDG specification says that a relative one is to be ignored.
fn absolute(env: &BTreeMap<String, String>, name: &str) -> Option<PathBuf> {
    set(env, name).map(PathBuf::from).filter(|p| p.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn variables_come_first_and_relative_ones_are_ignored() {
        let paths = Paths::find(
            &env(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x"), ("XDG_STATE_HOME", "rel"), ("XDG_CACHE_HOME", "")]),
            None,
        );
        assert_eq!(paths.config, Path::new("/x/quarterdeck"));
        assert_eq!(paths.state, Path::new("/h/.local/state/quarterdeck"));
        assert_eq!(paths.cache, Path::new("/h/.cache/quarterdeck"));
        let given = env(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x"), ("QUARTERDECK_CONFIG_DIR", "/own")]);
        assert_eq!(Paths::find(&given, None).config, Path::new("/own"));
        assert_eq!(Paths::find(&given, Some(Path::new("/flag"))).config, Path::new("/flag"));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_created_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a/b/log");
        open_private_file(&file).unwrap();
        let mode = |p: &Path| std::fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&dir.path().join("a"))), (0o600, 0o700));
    }
}
