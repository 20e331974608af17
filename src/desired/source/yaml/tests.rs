//! Tests of the YAML reader: lines, aliases, merge keys, what is refused, and that what was written reads back.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::desired::origin::SourceKind;

fn source() -> Arc<Source> {
    Source::new(SourceKind::Manifest, "a.yaml")
}

fn one(text: &str) -> Node {
    read(text, &source()).unwrap_or_else(|e| panic!("{e}\n{text}")).remove(0)
}

fn line(node: &Node, path: &str) -> u32 {
    node.at(&Path::parse(path).unwrap()).unwrap_or_else(|| panic!("{path}")).origin.at().unwrap().line
}

#[test]
fn every_value_knows_its_line() {
    let text = "a: 1\nb:\n  - c: yes\n  -\n  - d\ne: |\n\n  text\n  more\nf: >-\n  folded\ng:\n\nh:\n  {\n  i: [1,\n  2]}\nj:\n  \"k\n   l\"\nm:\n- |\n  n\n";
    for text in [text.to_owned(), text.replace('\n', "\r\n"), format!("\n{text}")] {
        let node = one(&text);
        let first = u32::from(text.starts_with('\n'));
        let lines = [
            ("a", 1),
            ("b", 2),
            ("b[0]", 3),
            ("b[0].c", 3),
            ("b[1]", 4),
            ("b[2]", 5),
            ("e", 6),
            ("f", 10),
            ("g", 12),
            ("h", 15),
            ("h.i", 16),
            ("h.i[1]", 17),
            ("j", 19),
            ("m", 21),
            ("m[0]", 22),
        ];
        for (path, expected) in lines {
            assert_eq!(line(&node, path), expected + first, "{path} in {text:?}");
        }
        assert_eq!(node.str_of("e"), "\ntext\nmore\n");
        assert_eq!(node.str_of("j"), "k l");
    }
}

#[test]
fn documents_are_split_and_empty_ones_left_out() {
    let text = "a: 1\n--- # next\n# nothing\n---\n---\nd: {e: 0755}\n...\nf: 1\n---\nnull\n";
    let found = documents(text, &source()).unwrap();
    assert_eq!(found.iter().map(|d| d.line).collect::<Vec<_>>(), [1, 6, 8]);
    assert_eq!(found[1].node.to_json(), json!({"d": {"e": 493}}));
    assert!(read("", &source()).unwrap().is_empty());
}

#[test]
fn aliases_and_merge_keys_read_as_kubectl_reads_them_and_keep_the_line_they_were_written_at() {
    let node = one("x: &x\n  a: 1\n  b: [2]\nw: *x\nz:\n  <<: *x\n  b: 7\n");
    assert_eq!(node.get("w").unwrap().to_json(), json!({"a": 1, "b": [2]}));
    assert!(node.get("w").unwrap().shares(node.get("x").unwrap()), "an alias is no copy");
    assert_eq!([line(&node, "w.b[0]"), line(&node, "z.a"), line(&node, "z.b")], [3, 2, 7]);
    let cases = [
        // A merge key wins over what stands above it, in kubectl.
        ("x: &x {a: 1, b: 2}\nz:\n  a: 5\n  <<: *x\n  b: 7\n", json!({"a": 1, "b": 7})),
        ("x: &x {a: 1, b: 2}\ny: &y {a: 3, c: 4}\nz:\n  <<: [*x, *y]\n", json!({"a": 1, "b": 2, "c": 4})),
        ("x: &x {a: 1}\ny: &y {a: 3}\nz:\n  <<: *x\n  <<: *y\n", json!({"a": 3})),
        ("x: &x {a: 1}\nz:\n  \"<<\": *x\n", json!({"<<": {"a": 1}})),
        ("z:\n  !!merge <<: {a: 1}\n", json!({"a": 1})),
        ("x: &x 1\ny: &x 2\nz: *x\n", json!(2)),
        ("x: &x k\nz: {*x : 1}\n", json!({"k": 1})),
    ];
    for (text, expected) in cases {
        assert_eq!(one(text).get("z").unwrap().to_json(), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_an_object_is_refused_with_its_line() {
    let cases = [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, "b.c", Why::DuplicateKey),
        ("a: 1\n\"a\": 2\n", 2, "a", Why::DuplicateKey),
        ("1: a\n\"1\": b\n", 2, "1", Why::DuplicateKey),
        ("a: 1\nb: {{ .x }}\n", 2, "b", Why::KeyIsNoText),
        ("a:\n- {[x]: 1}\n", 2, "a[0]", Why::KeyIsNoText),
        ("~: 1\n", 1, "", Why::KeyIsNoText),
        ("a:\n- .inf\n", 2, "a[0]", Why::NotFinite),
        ("a: !!int x\n", 1, "a", Why::Tag),
        ("a: &a\n  b: *a\n", 2, "a.b", Why::AliasInItself),
        ("a: 1\n<<: 2\n", 2, "", Why::Merge),
        ("x: &x [{a: 1}]\nz:\n  <<: *x\n", 3, "z", Why::Merge),
    ];
    for (text, line, field, why) in cases {
        // One document is lost, the next is not.
        let found = documents(&format!("{text}---\nok: 1\n"), &source()).unwrap();
        let broken = found[0].broken.as_ref().unwrap_or_else(|| panic!("{text}"));
        assert_eq!((broken.line, broken.field.to_string().as_str(), broken.why), (line, field, why), "{text}");
        assert!(found[1].broken.is_none(), "{text}");
        assert!(read(text, &source()).is_err(), "{text}");
    }
    // Where the grammar breaks, the text is lost.
    for (text, line, why) in [
        ("a: 1\nb: {{ .x }}-y\n", 2, Why::Syntax),
        ("a:\n\tb: 1\n", 2, Why::Syntax),
        ("a: 1\nb: *nobody\n", 2, Why::Syntax),
        ("a: \"x\n", 1, Why::Syntax),
        ("{\"a\":1}\n{\"b\":2}\n", 2, Why::Syntax),
        ("a: 1\n---x\n", 2, Why::Separator),
        ("a: 1\nb: \"\u{1}\"\n", 2, Why::Control),
    ] {
        let broken = documents(text, &source()).unwrap_err();
        assert_eq!((broken.line, broken.why), (line, why), "{text}: {broken}");
    }
}

#[test]
fn bombs_are_bounded() {
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for n in 1..12 {
        let items = vec![format!("*a{}", n - 1); 10].join(",");
        bomb.push_str(&format!("a{n}: &a{n} [{items}]\n"));
    }
    assert_eq!(read(&bomb, &source()).unwrap_err().why, Why::TooRepetitive);
    let mut ladder = "a0: &a0 []\n".to_owned();
    for n in 1..1000 {
        ladder.push_str(&format!("a{n}: &a{n} [*a{}]\n", n - 1));
    }
    assert_eq!(read(&ladder, &source()).unwrap_err().why, Why::TooDeep);
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", "")] {
        let text = format!("{}1{}\n", open.repeat(100_000), close.repeat(100_000));
        assert_eq!(read(&text, &source()).unwrap_err().why, Why::TooDeep, "{open}");
    }
    let long = format!("a: {}\n", "x".repeat(LARGEST));
    assert_eq!(read(&long, &source()).unwrap_err().why, Why::TooLarge);
}

/// Scalars that are texts in JSON and something else where YAML reads them plain, and what needs quoting.
const ODD: &[&str] = &[
    "yes",
    "y",
    "0755",
    "0o7",
    "0x1F",
    "08",
    "1_000",
    ".inf",
    "~",
    "null",
    "",
    " ",
    "- a",
    "a: b",
    "a #b",
    "1:30",
    "<<",
    "=",
    "!tag",
    "&a",
    "*a",
    "{{ .x }}",
    "中文",
    "a\nb",
    "a\nb\n",
    "\n",
    "\ta",
    "a\t",
    "it's",
    "\"",
    "\\",
    "---",
    "...",
    "@x",
    "%x",
    "?",
    "2001-12-14",
    "1e3",
    "-",
    ":",
    "a\r\nb",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "1.0",
    "-0",
    "  lead",
    "trail  ",
    "#",
    ",",
    "[",
    "|",
];

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(ODD).prop_map(str::to_owned),
        "[a-zA-Z0-9 .:/_-]{0,12}",
        any::<String>().prop_map(|t| t.chars().filter(|c| !c.is_control() || "\t\n".contains(*c)).collect()),
    ]
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        (-1_000_000i32..1_000_000).prop_map(|n| json!(f64::from(n) / 64.0 + 1.0 / 128.0)),
        any_text().prop_map(Json::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::btree_map(any_text(), inner, 0..6).prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Json> {
    prop::collection::btree_map("[a-z]{1,6}", any_json(), 1..6).prop_map(|m| Json::Object(m.into_iter().collect()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_as_json_reads_back(value in any_object()) {
        let compact = value.to_string();
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        for text in [compact, pretty] {
            prop_assert_eq!(&one(&text).to_json(), &value, "{}", text);
        }
    }

    #[test]
    fn what_is_written_as_yaml_reads_back(value in any_object()) {
        let text = serde_saphyr::to_string(&value).unwrap();
        prop_assert_eq!(&one(&text).to_json(), &value, "{}", text);
    }

    /// The line of a leaf is where an editor has to change it: each scalar of a document is written anew on its line, and
    /// nothing but that leaf changes.
    #[test]
    fn the_line_of_a_leaf_is_where_it_changes(value in lined()) {
        let (text, _) = write_lined(&value);
        let before = one(&text);
        let leaves = before.leaves();
        for (path, leaf) in &leaves {
            let Some(marker) = leaf.as_str() else { continue };
            let at = leaf.origin.at().unwrap().line as usize - 1;
            // A block scalar stands on the line of its indicator, its text begins on the next.
            let at = if text.lines().nth(at).unwrap().ends_with('|') { at + 1 } else { at };
            let edited: Vec<String> = text
                .lines()
                .enumerate()
                .map(|(n, l)| if n == at { l.replacen(marker.trim_end(), "edited", 1) } else { l.to_owned() })
                .collect();
            let after = one(&format!("{}\n", edited.join("\n")));
            prop_assert_eq!(after.leaves().len(), leaves.len());
            for ((other, was), (_, is)) in leaves.iter().zip(after.leaves()) {
                let changed = is.as_str().is_some_and(|t| t.trim_end() == "edited");
                prop_assert_eq!(changed, other == path, "{} {} in\n{}", path, other, text);
                prop_assert!(changed || *was == is);
            }
        }
    }
}

/// A document whose scalars are all different, and how each is written.
#[derive(Clone, Debug)]
enum Lined {
    Leaf(u8),
    List(Vec<Lined>),
    Map(Vec<Lined>),
    Flow(Vec<Lined>),
}

fn lined() -> impl Strategy<Value = Lined> {
    let leaf = any::<u8>().prop_map(Lined::Leaf);
    let tree = leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..5).prop_map(Lined::List),
            prop::collection::vec(inner.clone(), 1..5).prop_map(Lined::Map),
            prop::collection::vec(inner, 0..4).prop_map(Lined::Flow),
        ]
    });
    prop::collection::vec(tree, 1..5).prop_map(Lined::Map)
}

/// The document as text, and its number of scalars.
fn write_lined(value: &Lined) -> (String, usize) {
    let (mut out, mut count) = (String::from("# head\n"), 0);
    value.block(0, &mut out, &mut count);
    (out, count)
}

impl Lined {
    /// Writes the entries of a container, each on its own lines.
    fn block(&self, depth: usize, out: &mut String, count: &mut usize) {
        let indent = "  ".repeat(depth);
        let (items, dash) = match self {
            Self::List(items) => (items, true),
            Self::Map(items) => (items, false),
            Self::Leaf(_) | Self::Flow(_) => return,
        };
        for (at, item) in items.iter().enumerate() {
            out.push_str(&if dash { format!("{indent}-") } else { format!("{indent}key{at}:") });
            match item {
                Self::List(_) | Self::Map(_) => {
                    out.push_str(" # below\n");
                    item.block(depth + 1, out, count);
                }
                Self::Leaf(style) => leaf(*style, depth + 1, out, count),
                Self::Flow(_) => {
                    out.push(' ');
                    item.flow(depth + 1, out, count);
                    out.push('\n');
                }
            }
        }
    }

    /// Writes a value in flow style, each entry on a line of its own.
    fn flow(&self, depth: usize, out: &mut String, count: &mut usize) {
        match self {
            Self::Leaf(_) => {
                *count += 1;
                out.push_str(&format!("m{count}m"));
            }
            Self::List(items) | Self::Map(items) | Self::Flow(items) => {
                out.push('[');
                for item in items {
                    out.push_str(&format!("\n{}", "  ".repeat(depth)));
                    item.flow(depth + 1, out, count);
                    out.push(',');
                }
                out.push(']');
            }
        }
    }
}

/// Writes a scalar in one of the styles, with the line end.
fn leaf(style: u8, depth: usize, out: &mut String, count: &mut usize) {
    *count += 1;
    let indent = "  ".repeat(depth);
    out.push_str(&match style % 6 {
        0 => format!(" m{count}m\n"),
        1 => format!(" \"m{count}m\"  # note\n"),
        2 => format!("\n{indent}'m{count}m'\n"),
        3 => format!(" |\n{indent}m{count}m\n\n"),
        4 => format!("\n\n{indent}m{count}m\n# after\n"),
        _ => format!(" !!str m{count}m\n"),
    });
}
