//! From the parser's events to trees: keys, aliases, merge keys, lines. What is wrong with a document is noted, once, and
//! the rest of it still read, so that the document can be named.

use std::{borrow::Cow, sync::Arc};

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag};
use hashbrown::{HashMap, HashSet};

use super::{
    scalar::{self, Misfit},
    yaml::{self, Broken, DEEPEST, Document, MOST_DOCUMENTS, MOST_REPEATED, MOST_VALUES, Why},
};
use crate::desired::{
    origin::{Origin, Source},
    path::{Path, Step},
    tree::{Map, Node, Value},
};

/// Maps with more entries than this look their keys up in a table.
const SMALL: usize = 16;

/// Reads the documents of one text.
pub(super) struct Composer<'t> {
    text: &'t str,
    source: Arc<Source>,
    /// One copy of each key.
    keys: HashSet<Arc<str>>,
    /// Values so far, in all documents.
    values: usize,
    /// Values that aliases repeated, in this document.
    repeated: usize,
    /// Finished values with an anchor, of this document.
    anchors: HashMap<usize, Built>,
    /// Containers that are open.
    open: Vec<Frame>,
    /// The first thing that is wrong with this document.
    broken: Option<Broken>,
    /// The finished root of this document.
    root: Option<Built>,
    line: u32,
    documents: Vec<Document>,
}

/// Why reading stopped.
pub(super) enum Stop {
    /// The text is of no use.
    Broken(Broken),
    /// A tab indents this line. The parser refuses that where a block may go on, and inside brackets too, where tools take it.
    TabAt(u32),
}

impl From<Broken> for Stop {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

/// A finished value.
#[derive(Clone)]
struct Built {
    node: Node,
    /// Values in it, itself included, those of aliases as often as they stand there.
    size: usize,
    /// Levels of containers in it.
    height: usize,
    /// Brought in by an alias.
    aliased: bool,
    /// As a key: its text, if it has one.
    key: Option<Arc<str>>,
    /// As a key: `<<`.
    merge: bool,
}

/// An open container.
struct Frame {
    line: u32,
    anchor: usize,
    size: usize,
    height: usize,
    body: Body,
}

enum Body {
    List(Vec<Node>),
    Map(Entries),
}

/// An open map.
#[derive(Default)]
struct Entries {
    list: Vec<(Arc<str>, Node)>,
    /// For each entry: written in this map, and not brought in by a merge key.
    own: Vec<bool>,
    table: HashMap<Arc<str>, usize>,
    /// The key whose value comes next.
    key: Option<Key>,
}

struct Key {
    /// `None` for a key that is no text.
    name: Option<Arc<str>>,
    merge: bool,
    line: u32,
}

impl Entries {
    fn position(&self, key: &str) -> Option<usize> {
        if self.list.len() > SMALL {
            return self.table.get(key).copied();
        }
        self.list.iter().position(|(k, _)| &**k == key)
    }

    /// Sets an entry; false when the map has one of its own under that key already, which then stays.
    fn set(&mut self, key: &Arc<str>, node: Node, own: bool) -> bool {
        match self.position(key) {
            Some(at) if own && self.own[at] => return false,
            Some(at) => {
                self.list[at].1 = node;
                self.own[at] |= own;
            }
            None => {
                self.list.push((key.clone(), node));
                self.own.push(own);
                if self.list.len() == SMALL + 1 {
                    self.table = self.list.iter().enumerate().map(|(at, (k, _))| (k.clone(), at)).collect();
                } else if self.list.len() > SMALL {
                    self.table.insert(key.clone(), self.list.len() - 1);
                }
            }
        }
        true
    }
}

impl<'t> Composer<'t> {
    pub(super) fn new(text: &'t str, source: &Arc<Source>) -> Self {
        Self {
            text,
            source: source.clone(),
            keys: HashSet::new(),
            values: 0,
            repeated: 0,
            anchors: HashMap::new(),
            open: Vec::new(),
            broken: None,
            root: None,
            line: 0,
            documents: Vec::new(),
        }
    }

    /// Reads to the end of the text.
    pub(super) fn run(mut self) -> Result<Vec<Document>, Stop> {
        for event in Parser::new_from_str_with_options(self.text, self.options()) {
            let (event, span) = event.map_err(|e| self.stop(&e))?;
            self.event(event, &span)?;
        }
        Ok(self.documents)
    }

    fn stop(&self, error: &ScanError) -> Stop {
        let line = u32::try_from(error.marker().line()).unwrap_or(0);
        let why = match error.kind() {
            ErrorKind::TabInBlockIndentation if line > 0 => return Stop::TabAt(line),
            ErrorKind::RecursionLimitExceeded => Why::TooDeep,
            _ => Why::Syntax,
        };
        self.fatal(line, why, error.info()).into()
    }

    fn options(&self) -> Options {
        let mut options = granit_parser::options! { flow_nesting_limit: DEEPEST, block_nesting_limit: DEEPEST };
        options.set_emit_comments(false);
        if yaml::is_json(self.text) {
            // JSON knows no longest key.
            options.simple_key_max_lookahead = self.text.len();
        }
        options
    }

    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), Broken> {
        let line = line_of(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.count(line)?;
                let built = self.scalar(&text, style, tag.as_deref(), span);
                self.finish(built, anchor);
            }
            Event::SequenceStart(style, anchor, _) => {
                self.count(line)?;
                self.start(Body::List(Vec::new()), style, anchor, line)?;
            }
            Event::MappingStart(style, anchor, _) => {
                self.count(line)?;
                self.start(Body::Map(Entries::default()), style, anchor, line)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(frame) = self.open.pop() {
                    let anchor = frame.anchor;
                    let built = self.close(frame);
                    self.finish(built, anchor);
                }
            }
            Event::Alias(id) => {
                let built = self.alias(id, line);
                self.finish(built, 0);
            }
            Event::DocumentEnd => self.end(line)?,
            _ => {}
        }
        Ok(())
    }

    /// One more value.
    fn count(&mut self, line: u32) -> Result<(), Broken> {
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(self.fatal(line, Why::TooLarge, format!("more than {MOST_VALUES} values")));
        }
        if self.line == 0 {
            self.line = line;
        }
        Ok(())
    }

    /// The end of a document.
    fn end(&mut self, line: u32) -> Result<(), Broken> {
        if self.documents.len() == MOST_DOCUMENTS {
            return Err(self.fatal(line, Why::TooLarge, format!("more than {MOST_DOCUMENTS} documents")));
        }
        self.anchors.clear();
        self.repeated = 0;
        let line = std::mem::take(&mut self.line);
        let node = self.root.take().map(|b| b.node).unwrap_or_default();
        self.documents.push(Document { line, node, broken: self.broken.take() });
        Ok(())
    }

    fn start(&mut self, body: Body, style: StructureStyle, anchor: usize, line: u32) -> Result<(), Broken> {
        if self.open.len() == DEEPEST {
            return Err(self.fatal(line, Why::TooDeep, format!("nested deeper than {DEEPEST}")));
        }
        let line = match (style, self.key_line()) {
            (StructureStyle::Block, Some(key)) => key,
            _ => line,
        };
        self.open.push(Frame { line, anchor, size: 1, height: 1, body });
        Ok(())
    }

    /// The line of the key whose value comes next.
    fn key_line(&self) -> Option<u32> {
        match &self.open.last()?.body {
            Body::Map(entries) => entries.key.as_ref().map(|k| k.line),
            Body::List(_) => None,
        }
    }

    fn close(&self, frame: Frame) -> Built {
        let value = match frame.body {
            Body::List(items) => Value::List(Arc::new(items)),
            Body::Map(entries) => Value::Map(Arc::new(Map::from_unique(entries.list))),
        };
        let node = Node { value, origin: self.at(frame.line) };
        Built { node, size: frame.size, height: frame.height, aliased: false, key: None, merge: false }
    }

    fn at(&self, line: u32) -> Origin {
        Origin::At(self.source.clone(), line)
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, span: &Span) -> Built {
        let line = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => self.indicator_line(span),
            _ => line_of(span),
        };
        let plain = style == ScalarStyle::Plain && tag.is_none();
        let tag = tag.map(|t| t.suffix_in_namespace("tag:yaml.org,2002:").unwrap_or(Cow::Borrowed("")));
        let as_key = self.expects_key();
        let key = match (as_key, plain) {
            (false, _) => None,
            (true, true) => scalar::plain_key(text).map(|name| self.key(&name)),
            (true, false) => Some(self.key(text)),
        };
        let value = match (&tag, plain) {
            (Some(tag), _) => scalar::tagged(tag, text),
            (None, true) => scalar::plain(text),
            (None, false) => Ok(Value::Text(text.into())),
        };
        let merge = text == "<<" && (plain || tag.as_deref() == Some("merge"));
        let value = match value {
            Ok(value) => value,
            // A key is a text whatever its number.
            Err(Misfit::NotFinite) if as_key => Value::Null,
            Err(misfit) => {
                self.misfit(misfit, line);
                Value::Null
            }
        };
        Built { node: Node { value, origin: self.at(line) }, size: 1, height: 0, aliased: false, key, merge }
    }

    fn misfit(&mut self, misfit: Misfit, line: u32) {
        match misfit {
            Misfit::NotFinite => self.wrong(line, Why::NotFinite, "JSON has neither infinity nor NaN".into()),
            Misfit::Tag => self.wrong(line, Why::Tag, "the value is not what its tag says".into()),
        }
    }

    /// The line of the `|` or `>`: the nearest line with anything on it before the content.
    fn indicator_line(&self, span: &Span) -> u32 {
        let line = line_of(span);
        let Some(before) = span.start.byte_offset().and_then(|at| self.text.get(..at)) else { return line };
        let blank = before.rsplit('\n').take_while(|l| l.trim().is_empty()).count();
        line.saturating_sub(u32::try_from(blank).unwrap_or(0)).max(1)
    }

    /// The one copy of a key.
    fn key(&mut self, name: &str) -> Arc<str> {
        if let Some(key) = self.keys.get(name) {
            return key.clone();
        }
        let key: Arc<str> = name.into();
        self.keys.insert(key.clone());
        key
    }

    /// True where the next value is a key.
    fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Frame { body: Body::Map(Entries { key: None, .. }), .. }))
    }

    /// What an alias names, as often as it is asked for.
    fn alias(&mut self, id: usize, line: u32) -> Built {
        let nothing = Built {
            node: Node { value: Value::Null, origin: self.at(line) },
            size: 1,
            height: 0,
            aliased: true,
            key: None,
            merge: false,
        };
        let Some(named) = self.anchors.get(&id).cloned() else {
            self.wrong(line, Why::AliasInItself, "an alias stands inside the value that it names".into());
            return nothing;
        };
        self.repeated = self.repeated.saturating_add(named.size);
        if self.repeated > MOST_REPEATED {
            self.wrong(line, Why::TooRepetitive, format!("aliases repeat more than {MOST_REPEATED} values"));
            return nothing;
        }
        if self.open.len() + named.height > DEEPEST {
            self.wrong(line, Why::TooDeep, format!("nested deeper than {DEEPEST}"));
            return nothing;
        }
        let key = match (&named.node.value, named.key) {
            (Value::Text(text), None) if self.expects_key() => Some(self.key(&text.clone())),
            (value, None) if self.expects_key() => {
                let word = Node { value: value.clone(), ..Node::default() }.to_json();
                let scalar = !word.is_null() && !word.is_array() && !word.is_object();
                scalar.then(|| self.key(&word.to_string()))
            }
            (_, key) => key,
        };
        Built { aliased: true, merge: false, key, ..named }
    }

    /// Hands a finished value to the container it stands in.
    fn finish(&mut self, built: Built, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, built.clone());
        }
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(built);
            return;
        };
        frame.size = frame.size.saturating_add(built.size);
        frame.height = frame.height.max(built.height + 1);
        match &mut frame.body {
            Body::List(items) => items.push(built.node),
            Body::Map(entries) => match entries.key.take() {
                None => self.begin_entry(built),
                Some(key) => self.end_entry(&key, built),
            },
        }
    }

    fn begin_entry(&mut self, built: Built) {
        let line = built.node.origin.at().map_or(0, |at| at.line);
        if built.key.is_none() && !built.merge {
            let detail = match built.node.value {
                Value::Null => "a key is null",
                Value::List(_) => "a key is a list",
                Value::Map(_) => "a key is a map, as an unfilled template {{ }} makes it",
                _ => "a key is no text",
            };
            self.wrong(line, Why::KeyIsNoText, detail.into());
        }
        if let Some(Frame { body: Body::Map(entries), .. }) = self.open.last_mut() {
            entries.key = Some(Key { name: built.key, merge: built.merge, line });
        }
    }

    fn end_entry(&mut self, key: &Key, built: Built) {
        if key.merge {
            return self.merge(key.line, &built);
        }
        let Some(name) = &key.name else { return };
        let Some(Frame { body: Body::Map(entries), .. }) = self.open.last_mut() else { return };
        if !entries.set(name, built.node, true) {
            entries.key = Some(Key { name: Some(name.clone()), merge: false, line: key.line });
            self.wrong(key.line, Why::DuplicateKey, format!("the key {name} stands twice in one map"));
            if let Some(Frame { body: Body::Map(entries), .. }) = self.open.last_mut() {
                entries.key = None;
            }
        }
    }

    /// `<<: {..}` and `<<: [{..}, {..}]`: entries are set at once, so that they win over entries *above* the merge key and
    /// lose against those below, as `kubectl` has it; of several maps the first wins.
    fn merge(&mut self, line: u32, built: &Built) {
        let maps: Option<Vec<&Map>> = match &built.node.value {
            Value::Map(map) => Some(vec![map]),
            Value::List(items) if !built.aliased => items.iter().rev().map(Node::as_map).collect(),
            _ => None,
        };
        let Some(maps) = maps else {
            return self.wrong(line, Why::Merge, "a merge key needs a map or a list of maps".into());
        };
        let Some(Frame { body: Body::Map(entries), .. }) = self.open.last_mut() else { return };
        for (key, node) in maps.into_iter().flat_map(Map::iter) {
            entries.set(key, node.clone(), false);
        }
    }

    /// Notes what is wrong with this document; the first thing counts.
    fn wrong(&mut self, line: u32, why: Why, detail: String) {
        if self.broken.is_none() {
            self.broken = Some(self.fatal(line, why, detail));
        }
    }

    fn fatal(&self, line: u32, why: Why, detail: String) -> Broken {
        Broken { line, field: self.here(), why, detail }
    }

    /// The way to the value that is being read.
    fn here(&self) -> Path {
        let step = |frame: &Frame| match &frame.body {
            Body::List(items) => Some(Step::Index(items.len())),
            Body::Map(entries) => entries.key.as_ref().and_then(|k| k.name.clone()).map(Step::Key),
        };
        Path(self.open.iter().filter_map(step).collect())
    }
}

fn line_of(span: &Span) -> u32 {
    u32::try_from(span.start.line()).unwrap_or(0)
}
