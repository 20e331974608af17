//! Types of the built-in kinds (Kubernetes 1.37): what strategic merge, server-side apply, defaults and comparisons need to know.
//!
//! `types.txt` has a type a line: `[GROUP/VERSION ]NAME[~atomic] FIELD:TYPE~FLAG...`. TYPE is `s` string, `t` time, `y`
//! bytes, `i` and `l` integers, `n` number, `b` boolean, `q` quantity, `x` integer or string, `o` anything, a type's name,
//! `*T` a map or `[T` a list of T. Flags: `atomic`, `set`, `map=KEYS` (list kinds), `key=K` and `patch=S` (strategic merge),
//! `required`, `empty` (there even when nothing is set), `default=JSON`.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use serde_json::Value;

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A leaf; the letter of `types.txt`.
    Scalar(char),
    /// Not described: maps are granular, lists atomic.
    Any,
    /// Number of a type.
    Struct(usize),
    /// Fields of a type without a number: a custom resource's.
    Inline(Arc<BTreeMap<String, Node>>),
    /// Values by free keys.
    Map(Box<Node>),
    /// Items.
    List(Box<Node>),
}

/// How the items of a list are told apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ListKind {
    /// They are not: the list is one value.
    #[default]
    Atomic,
    /// By value.
    Set,
    /// By these fields.
    Keys(Vec<String>),
}

/// One field.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it holds.
    pub shape: Shape,
    /// For lists.
    pub list: ListKind,
    /// A map or struct that is one value.
    pub atomic: bool,
    /// Merge key of strategic merge.
    pub merge_key: Option<String>,
    /// `merge`, `retainKeys`, `replace` or `merge,retainKeys`.
    pub strategy: String,
    /// Must be given.
    pub required: bool,
    /// There even when nothing is set (a Go struct without a pointer).
    pub empty: bool,
    /// Default.
    pub default: Option<Value>,
}

/// One type.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Name, unique in the table.
    pub name: String,
    /// Always one value.
    pub atomic: bool,
    /// Fields by name.
    pub fields: BTreeMap<String, Node>,
}

/// All types.
#[derive(Debug)]
pub struct Schema {
    /// By number.
    pub types: Vec<Type>,
    roots: BTreeMap<(String, String), usize>,
    custom: Node,
}

static ANY: Node = Node {
    shape: Shape::Any,
    list: ListKind::Atomic,
    atomic: false,
    merge_key: None,
    strategy: String::new(),
    required: false,
    empty: false,
    default: None,
};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::parse(include_str!("schema/types.txt")));

/// The table.
pub fn schema() -> &'static Schema {
    &SCHEMA
}

impl Node {
    /// A node without any further rule.
    pub fn of(shape: Shape) -> Self {
        Self { shape, ..ANY.clone() }
    }

    /// Whether a typed server holds it even when nothing was set.
    pub fn implied(&self) -> bool {
        self.empty || (self.required && matches!(self.shape, Shape::List(_) | Shape::Struct(_)))
    }

    /// Whether strategic merge merges it (for lists) instead of replacing it.
    pub fn merges(&self) -> bool {
        self.strategy.split(',').any(|s| s == "merge")
    }
}

impl Schema {
    fn parse(text: &'static str) -> Self {
        // A root line starts with its API version, which has a slash.
        let split = |line: &'static str| -> (Option<&'static str>, &'static str) {
            match line.split_once(' ') {
                Some((first, rest)) if first.contains('/') => (Some(first), rest),
                _ => (None, line),
            }
        };
        let lines: Vec<_> = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).map(split).collect();
        let name_of = |rest: &str| rest.split([' ', '~']).next().unwrap_or_default().to_owned();
        let numbers: BTreeMap<String, usize> =
            lines.iter().enumerate().map(|(n, (_, rest))| (name_of(rest), n)).collect();
        let mut roots = BTreeMap::new();
        let mut types = Vec::new();
        for (number, (root, rest)) in lines.iter().enumerate() {
            let mut words = rest.split(' ');
            let head = words.next().unwrap_or_default();
            let name = name_of(head);
            if let Some(api_version) = root {
                roots.insert((api_version.replace("core/", ""), name.clone()), number);
            }
            let fields = words.filter_map(|w| field(w, &numbers)).collect();
            types.push(Type { name, atomic: head.ends_with("~atomic"), fields });
        }
        let metadata =
            Node { empty: true, ..Node::of(numbers.get("ObjectMeta").map_or(Shape::Any, |n| Shape::Struct(*n))) };
        let text = || Node::of(Shape::Scalar('s'));
        let fields =
            [("apiVersion".to_owned(), text()), ("kind".to_owned(), text()), ("metadata".to_owned(), metadata)];
        types.push(Type { name: "CustomResource".into(), atomic: false, fields: fields.into() });
        let custom = Node::of(Shape::Struct(types.len() - 1));
        Self { types, roots, custom }
    }

    /// Number of a built-in kind's type, by `apiVersion` (`v1`, `apps/v1`) and kind.
    pub fn number(&self, api_version: &str, kind: &str) -> Option<usize> {
        self.roots.get(&(api_version.to_owned(), kind.to_owned())).copied()
    }

    /// What every custom object has: `apiVersion`, `kind`, `metadata`.
    pub fn custom_fields(&self) -> BTreeMap<String, Node> {
        match self.custom.shape {
            Shape::Struct(number) => self.types.get(number).map(|t| t.fields.clone()).unwrap_or_default(),
            _ => BTreeMap::new(),
        }
    }

    /// The node of a whole object; kinds that are not built in have `apiVersion`, `kind` and `metadata` only.
    pub fn root(&self, api_version: &str, kind: &str) -> Node {
        self.number(api_version, kind).map_or_else(|| self.custom.clone(), |n| Node::of(Shape::Struct(n)))
    }

    /// A declared field of a struct.
    pub fn declared<'a>(&'a self, node: &'a Node, key: &str) -> Option<&'a Node> {
        match &node.shape {
            Shape::Struct(number) => self.types.get(*number)?.fields.get(key),
            Shape::Inline(fields) => fields.get(key),
            _ => None,
        }
    }

    /// The node below a key of a struct or map; undescribed ones can hold anything.
    pub fn below<'a>(&'a self, node: &'a Node, key: &str) -> &'a Node {
        match &node.shape {
            Shape::Map(element) => element,
            _ => self.declared(node, key).unwrap_or(&ANY),
        }
    }

    /// The node of a list's items.
    pub fn item<'a>(&'a self, node: &'a Node) -> &'a Node {
        match &node.shape {
            Shape::List(element) => element,
            _ => &ANY,
        }
    }

    /// Whether a value at this node is one value: no fields of it are owned apart.
    pub fn is_atomic(&self, node: &Node, value: &Value) -> bool {
        match value {
            Value::Object(_) => {
                let by_type = match node.shape {
                    Shape::Struct(number) => self.types.get(number).is_some_and(|t| t.atomic),
                    // FieldsV1, JSON schemas and the like are not taken apart.
                    Shape::Scalar('o') => true,
                    _ => false,
                };
                node.atomic || by_type
            }
            Value::Array(_) => node.list == ListKind::Atomic,
            _ => true,
        }
    }
}

fn field(word: &str, numbers: &BTreeMap<String, usize>) -> Option<(String, Node)> {
    let (name, rest) = word.split_once(':')?;
    let mut parts = rest.split('~');
    let mut node = Node::of(shape(parts.next()?, numbers));
    for flag in parts {
        let (key, value) = flag.split_once('=').unwrap_or((flag, ""));
        match key {
            "atomic" => node.atomic = true,
            "set" => node.list = ListKind::Set,
            "map" => node.list = ListKind::Keys(value.split(',').map(str::to_owned).collect()),
            "key" => node.merge_key = Some(value.to_owned()),
            "patch" => value.clone_into(&mut node.strategy),
            "required" => node.required = true,
            "empty" => node.empty = true,
            "default" => node.default = serde_json::from_str(value).ok(),
            _ => {}
        }
    }
    Some((name.to_owned(), node))
}

fn shape(text: &str, numbers: &BTreeMap<String, usize>) -> Shape {
    if let Some(inner) = text.strip_prefix('*') {
        return Shape::Map(Box::new(Node::of(shape(inner, numbers))));
    }
    if let Some(inner) = text.strip_prefix('[') {
        return Shape::List(Box::new(Node::of(shape(inner, numbers))));
    }
    match numbers.get(text) {
        Some(number) => Shape::Struct(*number),
        None => Shape::Scalar(text.chars().next().unwrap_or('o')),
    }
}
