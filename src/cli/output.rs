//! One table model for every command, and its five formats.
//!
//! A row has cells for people and a record for programs. JSON is a flat list of records whose keys stay as they are
//! documented; foreign text in it is escaped so that nothing in it steers a terminal, and is otherwise whole. Tables are
//! cleaned, because terminals obey control characters.

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, Write as _},
};

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use super::args::Format;
use crate::messages::{clean_line, pad_left, pad_right, width};

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// Header.
    pub header: String,
    /// Right-aligned.
    pub numeric: bool,
    /// Only with `-o wide`.
    pub wide: bool,
}

impl Column {
    /// A column of text.
    pub(super) fn text(header: impl Into<String>) -> Self {
        Self { header: header.into(), numeric: false, wide: false }
    }

    /// A column of numbers.
    pub(super) fn number(header: impl Into<String>) -> Self {
        Self { numeric: true, ..Self::text(header) }
    }

    /// The same, only with `-o wide`.
    pub(super) fn when_wide(self) -> Self {
        Self { wide: true, ..self }
    }
}

/// What a program reads of one row: keys in their documented order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record(pub Vec<(&'static str, Value)>);

impl Record {
    /// Adds a value.
    pub(super) fn put(&mut self, key: &'static str, value: impl Into<Value>) {
        self.0.push((key, value.into()));
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Columns.
    pub columns: Vec<Column>,
    /// Cells by row, one for each column, and the row's record.
    pub rows: Vec<(Vec<String>, Record)>,
}

/// Writes the answer to standard output. A reader who has seen enough (`| head`) is no error.
pub(super) fn print(table: &Table, format: Format) -> anyhow::Result<()> {
    write_out(&render(table, format)?)
}

/// Writes a text to standard output; a reader who has gone is no error.
pub(super) fn write_out(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// The answer as text.
pub(super) fn render(table: &Table, format: Format) -> anyhow::Result<String> {
    let records: Vec<&Record> = table.rows.iter().map(|(_, record)| record).collect();
    Ok(match format {
        Format::Table => aligned(table, false),
        Format::Wide => aligned(table, true),
        Format::Json => format!("{}\n", escape(&serde_json::to_string_pretty(&records)?)),
        Format::Yaml => escape_yaml(&serde_saphyr::to_string(&records)?),
        Format::Csv => csv(table),
    })
}

/// Columns two spaces apart, as wide as their widest cell; the last one is not padded.
fn aligned(table: &Table, wide: bool) -> String {
    let shown: Vec<usize> = table.columns.iter().enumerate().filter(|(_, c)| wide || !c.wide).map(|(i, _)| i).collect();
    let headers: Vec<String> = table.columns.iter().map(|c| c.header.clone()).collect();
    let lines: Vec<Vec<String>> = std::iter::once(&headers)
        .chain(table.rows.iter().map(|(cells, _)| cells))
        .map(|cells| cells.iter().map(|c| clean_line(c).into_owned()).collect())
        .collect();
    let cell = |line: &[String], i: usize| line.get(i).cloned().unwrap_or_default();
    let widths: Vec<usize> =
        shown.iter().map(|i| lines.iter().map(|line| width(&cell(line, *i))).max().unwrap_or(0)).collect();
    let mut out = String::new();
    for line in &lines {
        let mut text = String::new();
        for ((i, cells), last) in shown.iter().zip(&widths).zip((0..shown.len()).rev()) {
            let value = cell(line, *i);
            let numeric = table.columns.get(*i).is_some_and(|c| c.numeric);
            text.push_str(&match (numeric, last) {
                (true, _) => pad_left(&value, *cells),
                (false, 0) => value,
                (false, _) => pad_right(&value, *cells),
            });
            if last > 0 {
                text.push_str("  ");
            }
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// The records as CSV (RFC 4180): keys as header; lists of texts and maps of texts joined by `;`, anything deeper as JSON.
fn csv(table: &Table) -> String {
    let mut out = String::new();
    let header = table.rows.first().map(|(_, r)| r.0.iter().map(|(k, _)| (*k).to_owned()).collect::<Vec<_>>());
    let lines = table.rows.iter().map(|(_, record)| record.0.iter().map(|(_, v)| csv_value(v)).collect::<Vec<_>>());
    for line in header.into_iter().chain(lines) {
        let fields: Vec<String> = line.iter().map(|f| quoted(&clean_line(f))).collect();
        out.push_str(&fields.join(","));
        out.push_str("\r\n");
    }
    out
}

fn csv_value(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(";")
        }
        Value::Object(map) if map.values().all(Value::is_string) => {
            map.iter().map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or_default())).collect::<Vec<_>>().join(";")
        }
        other => other.to_string(),
    }
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// JSON escapes C0 by itself; what else steers a terminal or hides text is escaped here. It can only stand in strings.
pub(super) fn escape(json: &str) -> String {
    escape_with(json, |out, c| {
        let mut units = [0u16; 2];
        for unit in c.encode_utf16(&mut units) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// YAML double-quoted texts are escaped by the writer; what it leaves in plain ones is shown, not obeyed.
pub(super) fn escape_yaml(yaml: &str) -> String {
    escape_with(yaml, |out, c| {
        let _ = write!(out, "<U+{:04X}>", c as u32);
    })
}

fn escape_with(text: &str, mut write: impl FnMut(&mut String, char)) -> String {
    let steers = |c: char| match c {
        '\n' | '\t' | ' '..='~' => false,
        c => matches!(clean_line(c.encode_utf8(&mut [0; 4])), Cow::Owned(_)),
    };
    if !text.chars().any(steers) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if steers(c) { write(&mut out, c) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table() -> Table {
        let row = |name: &str, n: u64, note: &str| {
            let mut record = Record::default();
            record.put("name", name);
            record.put("ready", n);
            record.put("tags", json!(["a", "b"]));
            record.put("note", if note.is_empty() { Value::Null } else { note.into() });
            (vec![name.to_owned(), n.to_string(), note.to_owned()], record)
        };
        Table {
            columns: vec![Column::text("NAME"), Column::number("READY"), Column::text("NOTE").when_wide()],
            rows: vec![row("支付", 7, "a,\"b\""), row("gateway", 12, ""), row("x\u{1b}[2J\u{9b}m", 0, "\u{202e}")],
        }
    }

    #[test]
    fn tables_are_aligned_by_cells_and_clean() {
        let text = render(&table(), Format::Table).unwrap();
        assert_eq!(
            text,
            "NAME            READY\n支付                7\ngateway            12\nx␛[2J<U+009B>m      0\n"
        );
        assert!(render(&table(), Format::Wide).unwrap().starts_with("NAME            READY  NOTE\n"));
    }

    #[test]
    fn json_is_a_flat_list_in_order_and_harmless() {
        let text = render(&table(), Format::Json).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{text}");
        assert!(text.find("\"name\"") < text.find("\"ready\"") && text.find("\"ready\"") < text.find("\"note\""));
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back[0], json!({"name": "支付", "ready": 7, "tags": ["a", "b"], "note": "a,\"b\""}));
        assert_eq!(back[2]["name"], "x\u{1b}[2J\u{9b}m", "escaped, not lost");
        assert_eq!(render(&Table::default(), Format::Json).unwrap(), "[]\n");
    }

    #[test]
    fn csv_and_yaml_hold_the_same_records() {
        let csv = render(&table(), Format::Csv).unwrap();
        let lines: Vec<&str> = csv.split("\r\n").collect();
        assert_eq!(lines[..3], ["name,ready,tags,note", "支付,7,a;b,\"a,\"\"b\"\"\"", "gateway,12,a;b,"]);
        assert!(!csv.contains('\u{1b}'));
        let yaml = render(&table(), Format::Yaml).unwrap();
        assert!(!yaml.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{yaml}");
        let back: Vec<Value> = serde_saphyr::from_str(&yaml).unwrap();
        assert_eq!(back[1]["ready"], 12);
        assert_eq!(back[0]["note"], "a,\"b\"");
    }
}
