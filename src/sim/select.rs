//! Label and field selectors, as the API writes them.

use super::{
    error::ApiError,
    kinds::{Resource, Rid},
    object::{self, Meta, Stored},
};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Label {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Missing(String),
    More(String, i64),
    Less(String, i64),
}

/// What a list or watch is narrowed to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    labels: Vec<Label>,
    fields: Vec<(String, String, bool)>,
}

impl Selector {
    /// Parses both; 400 in the server's words for what is no selector or names a field that is not offered.
    pub fn parse(resource: &Resource, labels: &str, fields: &str) -> Result<Self, ApiError> {
        let labels = split_outside(labels).into_iter().map(|part| label(&part)).collect::<Result<_, _>>()?;
        let fields =
            fields.split(',').filter(|p| !p.is_empty()).map(|p| field(resource.rid, p)).collect::<Result<_, _>>()?;
        Ok(Self { labels, fields })
    }

    /// Whether everything matches.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether an object matches.
    pub fn matches(&self, object: &Stored) -> bool {
        self.fits(object, &object.meta)
    }

    /// Whether an object matched with the labels and fields it had before.
    pub fn fits(&self, object: &Stored, meta: &Meta) -> bool {
        if self.is_empty() {
            return true;
        }
        let label = |key: &str| meta.labels.iter().find(|(k, _)| &**k == key).map(|(_, v)| &**v);
        let field = |path: &str| match path {
            "metadata.name" => object.name(),
            "metadata.namespace" => object.namespace(),
            _ => meta.fields.iter().find(|(k, _)| *k == path).map_or("", |(_, v)| v),
        };
        self.labels.iter().all(|l| l.matches(label))
            && self.fields.iter().all(|(p, v, equal)| (field(p) == v) == *equal)
    }
}

impl Label {
    fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        let number = |key: &str| label(key).and_then(|v| v.parse::<i64>().ok());
        match self {
            Self::In(key, values) => label(key).is_some_and(|v| values.iter().any(|x| x == v)),
            Self::NotIn(key, values) => label(key).is_none_or(|v| values.iter().all(|x| x != v)),
            Self::Exists(key) => label(key).is_some(),
            Self::Missing(key) => label(key).is_none(),
            Self::More(key, than) => number(key).is_some_and(|n| n > *than),
            Self::Less(key, than) => number(key).is_some_and(|n| n < *than),
        }
    }
}

/// Splits at commas that are not inside parentheses.
fn split_outside(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0usize);
    for c in text.chars() {
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth = if c == '(' {
                    depth + 1
                } else if c == ')' {
                    depth.saturating_sub(1)
                } else {
                    depth
                };
                if let Some(last) = parts.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    parts.into_iter().map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

fn label(part: &str) -> Result<Label, ApiError> {
    let wrong = |why: String| ApiError::bad_request(format!("unable to parse requirement: {why}"));
    let key = |k: &str| k.trim().to_owned();
    if let Some((k, v)) = part.split_once("!=") {
        return Ok(Label::NotIn(key(k), vec![key(v)]));
    }
    if let Some((k, v)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return Ok(Label::In(key(k), vec![key(v)]));
    }
    if let Some((k, v)) = part.split_once('>') {
        return Ok(Label::More(key(k), v.trim().parse().map_err(|_| wrong(format!("'{v}' is no integer")))?));
    }
    if let Some((k, v)) = part.split_once('<') {
        return Ok(Label::Less(key(k), v.trim().parse().map_err(|_| wrong(format!("'{v}' is no integer")))?));
    }
    if let Some(k) = part.strip_prefix('!') {
        return Ok(Label::Missing(key(k)));
    }
    let words: Vec<&str> = part.splitn(3, ' ').collect();
    match words.as_slice() {
        [k] => Ok(Label::Exists(key(k))),
        [k, operator, values] if *operator == "in" || *operator == "notin" => {
            let inside = values.trim().strip_prefix('(').and_then(|v| v.strip_suffix(')'));
            let inside = inside.ok_or_else(|| wrong(format!("found '{}' expected: '('", values.trim())))?;
            let values = inside.split(',').map(key).collect();
            Ok(if *operator == "in" { Label::In(key(k), values) } else { Label::NotIn(key(k), values) })
        }
        [_, operator, ..] => Err(wrong(format!("found '{operator}', expected: in, notin, =, ==, !=, gt, lt"))),
        [] => Err(wrong("empty".into())),
    }
}

fn field(rid: Rid, part: &str) -> Result<(String, String, bool), ApiError> {
    let (path, value, equal) = if let Some((p, v)) = part.split_once("!=") {
        (p, v, false)
    } else if let Some((p, v)) = part.split_once("==").or_else(|| part.split_once('=')) {
        (p, v, true)
    } else {
        return Err(ApiError::bad_request(format!("invalid selector: '{part}'; can't understand '{part}'")));
    };
    if !matches!(path, "metadata.name" | "metadata.namespace") && !object::selectable(rid).contains(&path) {
        return Err(ApiError::bad_request(format!("field label not supported: {path}")));
    }
    Ok((path.to_owned(), value.replace("\\,", ","), equal))
}
