//! What is wrong with a file, kept as key and values until the language is known.

use std::path::{Path, PathBuf};

use crate::messages::{Lang, Msg, clean_line};

/// A problem that does not stop the program: shown in notices and by `info`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// `file:line`, or the file alone.
    pub place: String,
    /// Field, if it is about one.
    pub field: String,
    /// What is wrong, and what to do.
    pub text: String,
}

/// Something wrong at one place of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// File.
    pub file: PathBuf,
    /// Line, 0 = the file as a whole.
    pub line: u32,
    /// Field as a path (`clusters[2].contacts[0].reach`), empty when it is about no field.
    pub field: String,
    /// What is wrong and what to do.
    pub msg: Msg,
    /// Values for the places in `msg`.
    pub values: Vec<(&'static str, String)>,
}

impl Fault {
    /// A fault without values; see [`Fault::with`].
    pub fn new(file: &Path, line: u32, field: impl Into<String>, msg: Msg) -> Self {
        Self { file: file.to_path_buf(), line, field: field.into(), msg, values: Vec::new() }
    }

    /// The same with one more value; foreign text is cleaned here.
    #[must_use]
    pub fn with(mut self, place: &'static str, value: impl AsRef<str>) -> Self {
        self.values.push((place, clean_line(value.as_ref()).into_owned()));
        self
    }

    /// The sentence, in a language.
    pub fn text(&self, lang: Lang) -> String {
        let values: Vec<(&str, &str)> = self.values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        self.msg.fill(lang, &values)
    }

    /// For the screen.
    pub fn problem(&self, lang: Lang) -> Problem {
        let file = self.file.display();
        let place = if self.line == 0 { file.to_string() } else { format!("{file}:{}", self.line) };
        Problem {
            place: clean_line(&place).into_owned(),
            field: clean_line(&self.field).into_owned(),
            text: self.text(lang),
        }
    }
}
