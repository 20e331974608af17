//! Cuts byte streams into JSON objects as the bytes arrive: a LIST body into its items, a watch into its lines. Nothing
//! here keeps more than one object, whatever the size of the answer.

/// Largest object that is taken in. The API server's own limit is about 1.5 MiB for what is written to etcd; aggregated
/// servers have none.
pub const OBJECT_LIMIT: usize = 8 << 20;

/// How much of an object over the limit is kept to find its name. Custom resources are written in alphabetical order: the
/// annotations, of which a server takes 256 KiB, and the managed fields stand before it.
const HEAD: usize = 512 << 10;

/// A piece of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// One whole object (list item or watch line).
    Object(&'a [u8]),
    /// An object over the limit, skipped; its first bytes, in which [`name_in`] may find the name.
    TooLarge(&'a [u8]),
}

/// The bytes are not what was announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Not a JSON object at the top.
    #[error("the answer is not a JSON object")]
    NotAnObject,
    /// JSON syntax.
    #[error("the answer is not valid JSON")]
    Syntax,
    /// The body ended too early.
    #[error("the answer was cut off")]
    Cut,
}

/// What a list says beside its items.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ListMeta {
    /// Version from which to watch.
    pub resource_version: String,
    /// Token for the next page; empty = the last one.
    #[serde(rename = "continue")]
    pub next: String,
    /// Items after this page, when the server says so.
    pub remaining_item_count: Option<u64>,
}

/// Finds the end of one JSON value. Brackets inside texts do not count; whether brackets match in kind is left to the
/// decoder of the object.
#[derive(Clone, Copy, Debug, Default)]
struct ValueScan {
    depth: u32,
    in_text: bool,
    escaped: bool,
    scalar: bool,
}

/// Result of a scan over a chunk.
enum Scan {
    /// The value ends before this offset.
    End(usize),
    /// All bytes belong to the value.
    More,
}

impl ValueScan {
    fn run(&mut self, bytes: &[u8]) -> Scan {
        let mut at = 0;
        while at < bytes.len() {
            if self.in_text {
                at += self.text(&bytes[at..]);
                if !self.in_text && self.depth == 0 {
                    return Scan::End(at);
                }
                continue;
            }
            match bytes[at] {
                b'"' if !self.scalar => self.in_text = true,
                b'{' | b'[' if !self.scalar => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Scan::End(at + 1);
                    }
                }
                b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r' if self.scalar && self.depth == 0 => {
                    return Scan::End(at);
                }
                _ if self.depth == 0 => self.scalar = true,
                _ => {}
            }
            at += 1;
        }
        Scan::More
    }

    /// Walks inside a text; gives the number of bytes taken. Eight bytes at a time while none of them is special.
    fn text(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            if self.escaped {
                self.escaped = false;
                at += 1;
                continue;
            }
            while let Some(word) = bytes.get(at..at + 8).and_then(|w| <[u8; 8]>::try_from(w).ok()) {
                if has_special(u64::from_le_bytes(word)) {
                    break;
                }
                at += 8;
            }
            match bytes.get(at) {
                Some(b'\\') => self.escaped = true,
                Some(b'"') => {
                    self.in_text = false;
                    return at + 1;
                }
                Some(_) => {}
                None => return at,
            }
            at += 1;
        }
        at
    }
}

/// Whether one of the eight bytes is `"` or `\`.
fn has_special(word: u64) -> bool {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero = |x: u64| x.wrapping_sub(LOW) & !x & HIGH;
    zero(word ^ (LOW * b'"' as u64)) | zero(word ^ (LOW * b'\\' as u64)) != 0
}

/// What a value at the top of the list is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Skip,
    Metadata,
    Item,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the opening brace.
    Start,
    /// Between two members of the top object.
    Member,
    /// Inside a key.
    Key,
    /// Between key and colon.
    Colon,
    /// Before the value of a key.
    Value,
    /// Between two items.
    Items,
    /// Inside a value.
    In(Use),
    /// After the closing brace.
    End,
}

/// Cuts a LIST body into its items.
#[derive(Debug)]
pub struct ListSplitter {
    place: Place,
    scan: ValueScan,
    held: Vec<u8>,
    too_large: bool,
    key: Vec<u8>,
    meta: ListMeta,
    limit: usize,
}

impl Default for ListSplitter {
    fn default() -> Self {
        Self::with_limit(OBJECT_LIMIT)
    }
}

impl ListSplitter {
    /// With a limit of bytes per item.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            place: Place::Start,
            scan: ValueScan::default(),
            held: Vec::new(),
            too_large: false,
            key: Vec::new(),
            meta: ListMeta::default(),
            limit,
        }
    }

    /// Takes the next bytes and hands every item that is complete to `each`.
    ///
    /// # Errors
    /// When the bytes are no list.
    pub fn feed(&mut self, chunk: &[u8], each: &mut impl FnMut(Piece<'_>)) -> Result<(), Broken> {
        let mut at = 0;
        while at < chunk.len() {
            if let Place::In(what) = self.place {
                at += self.value(what, &chunk[at..], each)?;
                continue;
            }
            if self.place == Place::Key {
                at += self.key(&chunk[at..]);
                continue;
            }
            let byte = chunk[at];
            if byte.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            at += self.between(byte)?;
        }
        Ok(())
    }

    /// The metadata, once the body is complete.
    ///
    /// # Errors
    /// When the body ended before its closing brace.
    pub fn finish(self) -> Result<ListMeta, Broken> {
        if self.place == Place::End { Ok(self.meta) } else { Err(Broken::Cut) }
    }

    /// One byte of structure; gives the bytes taken (0: look at it again in the new place).
    fn between(&mut self, byte: u8) -> Result<usize, Broken> {
        let (next, taken) = match (self.place, byte) {
            (Place::Start, b'{') => (Place::Member, 1),
            (Place::Start, _) => return Err(Broken::NotAnObject),
            (Place::Member, b',') => (Place::Member, 1),
            (Place::Member, b'}') => (Place::End, 1),
            (Place::Member, b'"') => {
                self.key.clear();
                self.scan = ValueScan { in_text: true, ..ValueScan::default() };
                (Place::Key, 1)
            }
            (Place::Colon, b':') => (Place::Value, 1),
            (Place::Value | Place::Items, b'}' | b':') | (Place::Value, b']' | b',') => return Err(Broken::Syntax),
            (Place::Value, b'[') if self.key == b"items" => (Place::Items, 1),
            (Place::Value, _) => {
                let what = if self.key == b"metadata" { Use::Metadata } else { Use::Skip };
                (self.begin(what), 0)
            }
            (Place::Items, b',') => (Place::Items, 1),
            (Place::Items, b']') => (Place::Member, 1),
            (Place::Items, _) => (self.begin(Use::Item), 0),
            _ => return Err(Broken::Syntax),
        };
        self.place = next;
        Ok(taken)
    }

    fn begin(&mut self, what: Use) -> Place {
        self.scan = ValueScan::default();
        self.held.clear();
        self.too_large = false;
        Place::In(what)
    }

    fn key(&mut self, bytes: &[u8]) -> usize {
        let taken = self.scan.text(bytes);
        let ended = !self.scan.in_text;
        self.key.extend_from_slice(&bytes[..taken - usize::from(ended)]);
        if ended {
            self.place = Place::Colon;
            // No server escapes these keys, but JSON allows it.
            if self.key.contains(&b'\\') {
                let quoted = [b"\"", &self.key[..], b"\""].concat();
                self.key = serde_json::from_slice::<String>(&quoted).map(String::into_bytes).unwrap_or_default();
            }
        }
        taken
    }

    fn value(&mut self, what: Use, bytes: &[u8], each: &mut impl FnMut(Piece<'_>)) -> Result<usize, Broken> {
        let (part, ended) = match self.scan.run(bytes) {
            Scan::End(end) => (&bytes[..end], true),
            Scan::More => (bytes, false),
        };
        if what == Use::Skip {
            self.place = if ended { Place::Member } else { self.place };
            return Ok(part.len());
        }
        let whole: &[u8] = if ended && self.held.is_empty() && part.len() <= self.limit {
            part
        } else {
            hold(&mut self.held, &mut self.too_large, part, self.limit);
            &self.held
        };
        if ended {
            match (what, self.too_large) {
                (Use::Item, false) => each(Piece::Object(whole)),
                (Use::Item, true) => each(Piece::TooLarge(whole)),
                (_, _) => self.meta = serde_json::from_slice(whole).map_err(|_| Broken::Syntax)?,
            }
            self.place = if what == Use::Item { Place::Items } else { Place::Member };
            release(&mut self.held);
        }
        Ok(part.len())
    }
}

/// Keeps a part of an object that is not complete yet; over the limit only its head is kept.
fn hold(held: &mut Vec<u8>, too_large: &mut bool, part: &[u8], limit: usize) {
    if *too_large {
        return;
    }
    if held.len() + part.len() > limit {
        *too_large = true;
        let room = HEAD.saturating_sub(held.len()).min(part.len());
        held.extend_from_slice(&part[..room]);
        held.truncate(HEAD);
        held.shrink_to_fit();
        return;
    }
    held.extend_from_slice(part);
}

/// One large object must not leave its buffer behind in each of some thousand open watches.
fn release(held: &mut Vec<u8>) {
    if held.capacity() > 16 << 10 { *held = Vec::new() } else { held.clear() }
}

/// Cuts a watch into its lines.
#[derive(Debug)]
pub struct LineSplitter {
    held: Vec<u8>,
    too_large: bool,
    limit: usize,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::with_limit(OBJECT_LIMIT)
    }
}

impl LineSplitter {
    /// With a limit of bytes per line.
    pub fn with_limit(limit: usize) -> Self {
        Self { held: Vec::new(), too_large: false, limit }
    }

    /// Takes the next bytes and hands every complete line that is not empty to `each`. A line that the end of the stream
    /// cuts is never handed on.
    pub fn feed(&mut self, chunk: &[u8], each: &mut impl FnMut(Piece<'_>)) {
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|b| *b == b'\n') {
            let line = &rest[..end];
            rest = &rest[end + 1..];
            if self.held.is_empty() && line.len() <= self.limit {
                emit(line, false, each);
                continue;
            }
            hold(&mut self.held, &mut self.too_large, line, self.limit);
            emit(&self.held, self.too_large, each);
            self.too_large = false;
            release(&mut self.held);
        }
        hold(&mut self.held, &mut self.too_large, rest, self.limit);
    }
}

fn emit(line: &[u8], too_large: bool, each: &mut impl FnMut(Piece<'_>)) {
    let line = line.trim_ascii();
    if too_large {
        each(Piece::TooLarge(line));
    } else if !line.is_empty() {
        each(Piece::Object(line));
    }
}

/// `namespace/name` as far as the head of an object shows them; both may be missing.
pub fn name_in(head: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    // The first "name" after "metadata" is the object's own: metadata is written in alphabetical order or name first.
    let meta = &text[text.find("\"metadata\"")?..];
    let value = |key: &str| -> Option<String> {
        let after =
            meta[meta.find(key)? + key.len()..].trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        after.split('"').next().map(str::to_owned)
    };
    let name = value("\"name\"")?;
    Some(value("\"namespace\"").map_or_else(|| name.clone(), |ns| format!("{ns}/{name}")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn split(body: &[u8], cuts: &[usize], limit: usize) -> Result<(Vec<Value>, usize, ListMeta), Broken> {
        let mut splitter = ListSplitter::with_limit(limit);
        let (mut items, mut large, mut from) = (Vec::new(), 0, 0);
        let mut each = |piece: Piece<'_>| match piece {
            Piece::Object(o) => items.push(serde_json::from_slice(o).unwrap()),
            Piece::TooLarge(_) => large += 1,
        };
        for cut in cuts.iter().copied().chain([body.len()]) {
            let cut = cut.clamp(from, body.len());
            splitter.feed(&body[from..cut], &mut each)?;
            from = cut;
        }
        splitter.finish().map(|meta| (items, large, meta))
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z\"\\\\{}\\[\\],:\n\u{e9}\u{4e2d}]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"\\\\]{1,6}", inner, 0..4)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_chunks_give_the_items_of_the_whole(
            items in prop::collection::vec(value(), 0..6),
            before in value(),
            pretty in any::<bool>(),
            mut cuts in prop::collection::vec(0usize..2000, 0..40),
        ) {
            cuts.sort_unstable();
            let list = json!({"apiVersion": "v1", "a": before, "items": items, "metadata":
                {"resourceVersion": "7", "continue": "x\"y", "remainingItemCount": 3}, "z": [[1], {"items": [1]}]});
            let body = if pretty { serde_json::to_vec_pretty(&list) } else { serde_json::to_vec(&list) }.unwrap();
            let (got, large, meta) = split(&body, &cuts, OBJECT_LIMIT).unwrap();
            prop_assert_eq!(&Value::from(got), &list["items"]);
            prop_assert_eq!(large, 0);
            prop_assert_eq!(meta, ListMeta {
                resource_version: "7".into(), next: "x\"y".into(), remaining_item_count: Some(3) });
        }

        #[test]
        fn any_chunks_give_the_lines_of_the_whole(
            lines in prop::collection::vec("[a-z ]{0,9}", 0..9),
            mut cuts in prop::collection::vec(0usize..90, 0..20),
        ) {
            cuts.sort_unstable();
            let body = lines.iter().flat_map(|l| format!("{l}\n").into_bytes()).collect::<Vec<u8>>();
            let (mut got, mut from, mut splitter) = (Vec::new(), 0, LineSplitter::default());
            for cut in cuts.into_iter().chain([body.len()]) {
                let cut = cut.clamp(from, body.len());
                splitter.feed(&body[from..cut], &mut |piece| if let Piece::Object(o) = piece {
                    got.push(String::from_utf8(o.to_vec()).unwrap());
                });
                from = cut;
            }
            let want: Vec<String> = lines.iter().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect();
            prop_assert_eq!(got, want);
            prop_assert!(splitter.held.is_empty());
        }
    }

    #[test]
    fn odd_bodies() {
        let every: Vec<usize> = (0..200).collect();
        for (body, want) in [
            (r#"{"items":null,"metadata":{"resourceVersion":"1"}}"#, Ok(0)),
            (r#"{"metadata":{},"items":[]}"#, Ok(0)),
            ("{\"\\u0069tems\":[1,\"]\" , null]}\n", Ok(3)),
            ("{}", Ok(0)),
            ("[]", Err(Broken::NotAnObject)),
            ("<html>", Err(Broken::NotAnObject)),
            (r#"{"items":[{"a":1}"#, Err(Broken::Cut)),
            (r#"{"items":}"#, Err(Broken::Syntax)),
            (r#"{"items" 1}"#, Err(Broken::Syntax)),
        ] {
            assert_eq!(split(body.as_bytes(), &every, OBJECT_LIMIT).map(|r| r.0.len()), want, "{body}");
            assert_eq!(split(body.as_bytes(), &[], OBJECT_LIMIT).map(|r| r.0.len()), want, "{body} in one");
        }
    }

    #[test]
    fn an_object_over_the_limit_is_skipped_and_named() {
        let big = json!({"metadata": {"name": "big", "namespace": "shop"}, "data": "x".repeat(5000)});
        let list = serde_json::to_vec(&json!({"items": [{"n": 1}, big, {"n": 2}]})).unwrap();
        for cuts in [vec![], (0..6000).step_by(7).collect()] {
            let (items, large, _) = split(&list, &cuts, 300).unwrap();
            assert_eq!((items.len(), large), (2, 1));
        }
        let mut line = serde_json::to_vec(&json!({"type": "ADDED", "object": big})).unwrap();
        line.extend_from_slice(b"\n{\"type\":\"x\"}\n");
        let mut seen = Vec::new();
        let mut lines = LineSplitter::with_limit(300);
        line.chunks(100).for_each(|c| {
            lines.feed(c, &mut |p| {
                seen.push(match p {
                    Piece::Object(o) => String::from_utf8(o.to_vec()).unwrap(),
                    Piece::TooLarge(head) => name_in(head).unwrap_or_default(),
                });
            });
        });
        // serde_json sorts keys: the name comes after the data here, as in no server; then there is no name to tell.
        assert_eq!(seen.len(), 2);
        assert_eq!(
            name_in(br#"{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"big","namespace":"shop","#).unwrap(),
            "shop/big"
        );
    }
}
