//! YAML (and JSON) as Kubernetes reads it, into trees that know their lines: scalars by `scalar`, duplicate keys
//! refused, aliases and merge keys resolved, depth and size bounded. Errors never quote a value: it may hold secrets.
//!
//! Lines. A scalar stands where it begins; a block scalar (`|`, `>`) on the line of its indicator; a block map or list on
//! the line of its key, a flow one (`{`, `[`) on the line of its bracket; `null` that is not written, behind its key or
//! dash. What an alias or a merge key brings in keeps the line at which it was *written*.
//!
//! Beyond `kubectl`, every document of a file counts, also those behind a `...` line, and JSON escapes are taken in YAML.

use std::{borrow::Cow, fmt, path::Path as File, sync::Arc};

use crate::{
    desired::{
        object::ObjectKey,
        origin::Source,
        path::Path,
        tree::{Node, Value},
    },
    fault::Fault,
    messages::{Msg, source as words},
};

use super::{
    compose::{Composer, Stop},
    text,
};

/// Largest text that is read, in bytes.
pub const LARGEST: usize = 50 * 1024 * 1024;
/// Deepest nesting.
pub const DEEPEST: usize = 200;
/// Most values in a text, without those that aliases repeat.
pub const MOST_VALUES: usize = 5_000_000;
/// Most values that the aliases of one document may repeat: `kubectl` draws its line there too.
pub const MOST_REPEATED: usize = 400_000;
/// Most places where tabs indent the inside of brackets; each costs another reading.
const MOST_TABBED: usize = 64;
/// Most documents in a text.
pub const MOST_DOCUMENTS: usize = 100_000;

/// What is wrong with a text or a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It does not follow the grammar; the parser's own words are in [`Broken::detail`].
    Syntax,
    /// A bound is broken: size, number of documents or values.
    TooLarge,
    /// Nested deeper than [`DEEPEST`].
    TooDeep,
    /// Aliases repeat more than [`MOST_REPEATED`] values.
    TooRepetitive,
    /// A control character.
    Control,
    /// A line that begins with `---` and goes on: no tool takes it for a separator, and none for content.
    Separator,
    /// A key stands twice.
    DuplicateKey,
    /// A key is a map, a list or `null` (a template that nobody filled in, most likely): the document has no JSON form.
    KeyIsNoText,
    /// Infinity or "not a number": the document has no JSON form.
    NotFinite,
    /// A value is not what its tag says.
    Tag,
    /// An alias stands inside the value that it names.
    AliasInItself,
    /// A merge key whose value is no map and no list of maps.
    Merge,
}

impl Why {
    /// True when the document is YAML, but nothing that JSON, and so Kubernetes, can hold.
    pub fn no_json_form(self) -> bool {
        matches!(self, Self::KeyIsNoText | Self::NotFinite)
    }

    /// The sentence; its place is `{cause}`.
    fn msg(self) -> Msg {
        match self {
            Self::Syntax => words::YAML_SYNTAX,
            Self::TooLarge => words::YAML_TOO_LARGE,
            Self::TooDeep => words::YAML_TOO_DEEP,
            Self::TooRepetitive => words::YAML_TOO_REPETITIVE,
            Self::Control => words::YAML_CONTROL,
            Self::Separator => words::YAML_SEPARATOR,
            Self::DuplicateKey => words::YAML_DUPLICATE_KEY,
            Self::KeyIsNoText => words::YAML_KEY_IS_NO_TEXT,
            Self::NotFinite => words::YAML_NOT_FINITE,
            Self::Tag => words::YAML_TAG,
            Self::AliasInItself => words::YAML_ALIAS_IN_ITSELF,
            Self::Merge => words::YAML_MERGE,
        }
    }
}

/// Why a text or a document could not be read; the words never quote a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Line, 0 = unknown.
    pub line: u32,
    /// Where in the document, as far as that is known.
    pub field: Path,
    /// What is wrong.
    pub why: Why,
    /// The cause in English: the parser's own words, or what was counted.
    pub detail: String,
}

impl Broken {
    /// For the screen.
    pub fn fault(&self, file: &File) -> Fault {
        Fault::new(file, self.line, self.field.to_string(), self.why.msg()).with("cause", &self.detail)
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        f.write_str(&self.detail)
    }
}

/// One document of a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// Line at which its content begins.
    pub line: u32,
    /// Its content; without what is wrong when it is broken.
    pub node: Node,
    /// What is wrong with it; the document is then of no use, but the others of the text are.
    pub broken: Option<Broken>,
}

impl Document {
    /// What the object in it is called, also when it is broken.
    pub fn key(&self) -> Option<ObjectKey> {
        ObjectKey::of(&self.node)
    }
}

/// Reads every document of a text; empty ones are left out. A broken *document* costs only itself.
///
/// # Errors
///
/// When the text does not follow YAML's grammar, or breaks a bound.
pub fn documents(text: &str, source: &Arc<Source>) -> Result<Vec<Document>, Broken> {
    bounds(text)?;
    let mut text = Cow::Borrowed(text);
    for _ in 0..MOST_TABBED {
        match Composer::new(&text, source).run() {
            Err(Stop::TabAt(line)) if opens_flow(&text, line) => text = Cow::Owned(untabbed(&text, line)),
            read => return kept(read),
        }
    }
    kept(Composer::new(&text, source).run())
}

/// The documents that hold something.
fn kept(read: Result<Vec<Document>, Stop>) -> Result<Vec<Document>, Broken> {
    match read {
        Ok(mut found) => {
            found.retain(|d| d.broken.is_some() || !matches!(d.node.value, Value::Null));
            Ok(found)
        }
        Err(Stop::Broken(broken)) => Err(broken),
        Err(Stop::TabAt(line)) => {
            let detail = "a tab stands where only spaces may indent".to_owned();
            Err(Broken { line, field: Path::default(), why: Why::Syntax, detail })
        }
    }
}

/// True when what stands before a line goes on after a bracket or a comma: tabs may indent there, as in JSON.
fn opens_flow(text: &str, line: u32) -> bool {
    let before = text.lines().take(line as usize - 1).filter(|l| !l.trim().is_empty()).last();
    before.is_some_and(|l| l.trim_end().ends_with(['{', '[', ',']))
}

/// The text with spaces for the tabs that indent this line and those after it; no place in it moves.
fn untabbed(text: &str, line: u32) -> String {
    let mut out = String::with_capacity(text.len());
    let mut run = true;
    for (at, line_text) in text.split_inclusive('\n').enumerate() {
        let content = line_text.trim_start_matches([' ', '\t']);
        let indent = &line_text[..line_text.len() - content.len()];
        let wanted = at + 1 >= line as usize && run && indent.contains('\t');
        run = at + 1 < line as usize || wanted;
        if wanted {
            out.push_str(&" ".repeat(indent.len()));
            out.push_str(content);
        } else {
            out.push_str(line_text);
        }
    }
    out
}

/// Reads every document of a text, all or nothing; empty ones are left out.
///
/// # Errors
///
/// As [`documents`], and for the first broken document.
pub fn read(text: &str, source: &Arc<Source>) -> Result<Vec<Node>, Broken> {
    documents(text, source)?.into_iter().map(|d| d.broken.map_or(Ok(d.node), Err)).collect()
}

/// True for texts that begin as JSON objects or lists do.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// What is refused before any parsing.
fn bounds(text: &str) -> Result<(), Broken> {
    let broken = |at: usize, why, detail: String| {
        let line = text::line_of(text.as_bytes(), at);
        Err(Broken { line, field: Path::default(), why, detail })
    };
    if text.len() > LARGEST {
        let detail = format!("{} bytes are more than the {LARGEST} that are read", text.len());
        return Err(Broken { line: 0, field: Path::default(), why: Why::TooLarge, detail });
    }
    let control = |b: u8| (b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')) || b == 0x7f;
    if let Some(at) = text.bytes().position(control) {
        let detail = format!("the control character 0x{:02x} is not allowed", text.as_bytes()[at]);
        return broken(at, Why::Control, detail);
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix("---") {
            let rest = rest.trim();
            if !rest.is_empty() && !rest.starts_with('#') {
                return broken(start, Why::Separator, "a line begins with --- but is no document separator".into());
            }
        }
        start += line.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests;
