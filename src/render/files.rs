//! Files of sources: which ones a folder has, their text, and what they are called in places.
//!
//! Hidden files and folders (their name begins with a dot) are passed over, unless a source names one itself. A link is
//! followed as long as it stays inside the source's folder or the root that files are named from; one that leads out is told.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::Tools;
use crate::{
    desired::{
        origin::{Source, SourceKind},
        source::{
            text::{self, NoText},
            yaml,
        },
    },
    fault::Fault,
    messages::{Msg, source as words},
};

/// Most files of one source.
pub const MOST_FILES: usize = 20_000;
/// Most bytes of one source.
pub const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// Deepest folder below a source.
pub const DEEPEST: usize = 64;

/// Files of a source, sorted by path, and what was left out.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The files.
    pub files: Vec<PathBuf>,
    /// What was left out: links that lead out, folders that cannot be listed.
    pub faults: Vec<Fault>,
}

/// What a file is called in places: relative to the root where it lies below it, else in full; always with `/`.
pub fn name(path: &Path, root: &Path) -> String {
    let below = path.strip_prefix(root).ok().map(Path::to_path_buf).or_else(|| {
        let (path, root) = (fs::canonicalize(path).ok()?, fs::canonicalize(root).ok()?);
        path.strip_prefix(root).ok().map(Path::to_path_buf)
    });
    let shown = below.as_deref().unwrap_or(path).display().to_string();
    if std::path::MAIN_SEPARATOR == '/' { shown } else { shown.replace(std::path::MAIN_SEPARATOR, "/") }
}

/// The file as the source of places.
pub fn source(kind: SourceKind, path: &Path, tools: &Tools) -> Arc<Source> {
    Source::new(kind, name(path, &tools.root))
}

/// A fault about a file, named as in places.
pub fn fault(path: &Path, tools: &Tools, msg: Msg) -> Fault {
    Fault::new(Path::new(&name(path, &tools.root)), 0, "", msg)
}

/// The text of a file.
///
/// # Errors
///
/// When it cannot be read, is too large, or is no UTF-8.
pub fn text(path: &Path, tools: &Tools) -> Result<String, Fault> {
    let unreadable = |e: std::io::Error| {
        let msg = if e.kind() == std::io::ErrorKind::NotFound { words::FILE_NOT_THERE } else { words::FILE_UNREADABLE };
        fault(path, tools, msg).with("cause", e.to_string())
    };
    let meta = fs::metadata(path).map_err(unreadable)?;
    if !meta.is_file() {
        return Err(fault(path, tools, words::FILE_NO_REGULAR));
    }
    if meta.len() > yaml::LARGEST as u64 {
        return Err(fault(path, tools, words::FILE_TOO_LARGE)
            .with("bytes", meta.len().to_string())
            .with("most", yaml::LARGEST.to_string()));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    match text::decode(&bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(NoText::Wide) => Err(fault(path, tools, words::FILE_WIDE)),
        Err(NoText::NotUtf8(line)) => {
            let mut fault = fault(path, tools, words::FILE_NOT_UTF8);
            fault.line = line;
            Err(fault)
        }
    }
}

/// The manifests of a source: the file itself, or all `*.yaml`, `*.yml` and `*.json` files in the folder and below it.
///
/// # Errors
///
/// When the path is not there, or the folder breaks a bound.
pub fn manifests(path: &Path, tools: &Tools) -> Result<Found, Fault> {
    let not_there = |e: std::io::Error| fault(path, tools, words::FILE_NOT_THERE).with("cause", e.to_string());
    let home = fs::canonicalize(path).map_err(not_there)?;
    if !home.is_dir() {
        return Ok(Found { files: vec![path.to_path_buf()], faults: Vec::new() });
    }
    let mut inside = vec![home.clone()];
    inside.extend(fs::canonicalize(&tools.root));
    let mut walk = Walk { tools, inside, way: BTreeSet::from([home]), bytes: 0, found: Found::default() };
    walk.folder(path, 0)?;
    let mut found = walk.found;
    found.files.sort();
    if found.files.is_empty() && found.faults.is_empty() {
        found.faults.push(fault(path, tools, words::FOLDER_EMPTY));
    }
    Ok(found)
}

/// A walk through a folder.
struct Walk<'t> {
    tools: &'t Tools,
    /// Folders that links may lead into.
    inside: Vec<PathBuf>,
    /// Real paths of the folders on the way down: a link to one of them would go round for ever.
    way: BTreeSet<PathBuf>,
    bytes: u64,
    found: Found,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) -> Result<(), Fault> {
        if depth > DEEPEST {
            self.found.faults.push(fault(folder, self.tools, words::FOLDER_TOO_DEEP).with("most", DEEPEST.to_string()));
            return Ok(());
        }
        let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        let mut entries: Vec<PathBuf> = match entries {
            Ok(entries) => entries.into_iter().map(|e| e.path()).collect(),
            Err(e) => {
                self.found.faults.push(fault(folder, self.tools, words::FILE_UNREADABLE).with("cause", e.to_string()));
                return Ok(());
            }
        };
        entries.sort();
        for path in entries {
            let hidden = path.file_name().is_none_or(|n| n.to_string_lossy().starts_with('.'));
            if !hidden {
                self.entry(path, depth)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: PathBuf, depth: usize) -> Result<(), Fault> {
        let Ok(meta) = fs::symlink_metadata(&path) else { return Ok(()) };
        let wanted = path.extension().is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
        let (real, meta) = if meta.is_symlink() {
            match self.behind(&path, wanted) {
                Some(behind) => behind,
                None => return Ok(()),
            }
        } else {
            (path.clone(), meta)
        };
        if meta.is_dir() {
            let real = fs::canonicalize(&real).unwrap_or(real);
            if self.way.insert(real.clone()) {
                self.folder(&path, depth + 1)?;
                self.way.remove(&real);
            }
            return Ok(());
        }
        if wanted && !meta.is_file() {
            self.found.faults.push(fault(&path, self.tools, words::FILE_NO_REGULAR));
        } else if wanted {
            self.file(path, meta.len())?;
        }
        Ok(())
    }

    /// What a link leads to, if it may be followed. A link that could be no manifest is not worth a word.
    fn behind(&mut self, path: &Path, wanted: bool) -> Option<(PathBuf, fs::Metadata)> {
        let real = fs::canonicalize(path).and_then(|real| fs::metadata(&real).map(|meta| (real, meta)));
        match real {
            Ok((real, meta)) if self.inside.iter().any(|folder| real.starts_with(folder)) => Some((real, meta)),
            Ok((real, meta)) => {
                if wanted || meta.is_dir() {
                    let told = fault(path, self.tools, words::LINK_OUTSIDE);
                    self.found.faults.push(told.with("target", real.display().to_string()));
                }
                None
            }
            Err(e) => {
                if wanted {
                    let told = fault(path, self.tools, words::LINK_BROKEN);
                    self.found.faults.push(told.with("cause", e.to_string()));
                }
                None
            }
        }
    }

    fn file(&mut self, path: PathBuf, bytes: u64) -> Result<(), Fault> {
        let home = path.parent().unwrap_or(&path);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MOST_BYTES {
            return Err(fault(home, self.tools, words::FOLDER_TOO_LARGE).with("most", MOST_BYTES.to_string()));
        }
        if self.found.files.len() == MOST_FILES {
            return Err(fault(home, self.tools, words::FOLDER_TOO_MANY).with("most", MOST_FILES.to_string()));
        }
        self.found.files.push(path);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::testing::{tools, write};

    #[cfg(unix)]
    #[test]
    fn a_folder_is_read_in_order_and_left_neither_by_links_nor_for_ever() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("fleet"), folder.path().join("outside"));
        for file in
            ["app/b.yaml", "app/a/z.yml", "app/a/y.json", "app/.hidden.yaml", "app/.git/c.yaml", "app/notes.txt"]
        {
            write(&root, file, "");
        }
        write(&root, "shared/s.yaml", "");
        write(&outside, "o.yaml", "");
        symlink("../../shared", root.join("app/a/shared")).unwrap();
        symlink("..", root.join("app/a/round")).unwrap();
        symlink(&outside, root.join("app/out")).unwrap();
        symlink("nowhere", root.join("app/gone.yaml")).unwrap();
        symlink("nowhere", root.join("app/gone")).unwrap();
        let tools = tools(&root);
        let found = manifests(&root.join("app"), &tools).unwrap();
        let names: Vec<String> = found.files.iter().map(|f| name(f, &root)).collect();
        assert_eq!(names, ["app/a/shared/s.yaml", "app/a/y.json", "app/a/z.yml", "app/b.yaml"]);
        let told: Vec<(String, &str)> =
            found.faults.iter().map(|f| (f.file.display().to_string(), f.msg.key)).collect();
        assert_eq!(told, [("app/gone.yaml".into(), "source.LINK_BROKEN"), ("app/out".into(), "source.LINK_OUTSIDE")]);
        // A file that the source names itself is read whatever its name.
        let itself = manifests(&root.join("app/.hidden.yaml"), &tools).unwrap();
        assert_eq!(itself.files.len(), 1);
        assert_eq!(manifests(&root.join("none"), &tools).unwrap_err().msg.key, "source.FILE_NOT_THERE");
        fs::create_dir(root.join("empty")).unwrap();
        assert_eq!(manifests(&root.join("empty"), &tools).unwrap().faults[0].msg.key, "source.FOLDER_EMPTY");
    }

    #[test]
    fn what_is_no_text_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let tools = tools(folder.path());
        let cases: [(&str, &[u8], &str); 4] = [
            ("ok.yaml", b"\xef\xbb\xbfa: 1\n", "a: 1\n"),
            ("wide.yaml", b"\xff\xfea\0", "source.FILE_WIDE 0"),
            ("latin.yaml", b"a: 1\nb: \xe9\n", "source.FILE_NOT_UTF8 2"),
            ("none.yaml", b"", "source.FILE_NOT_THERE 0"),
        ];
        for (file, bytes, expected) in cases {
            let path = folder.path().join(file);
            if file != "none.yaml" {
                fs::write(&path, bytes).unwrap();
            }
            let told = text(&path, &tools).unwrap_or_else(|f| format!("{} {}", f.msg.key, f.line));
            assert_eq!(told, expected, "{file}");
        }
    }
}
