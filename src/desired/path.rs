//! The way to a value inside an object: `spec.template.spec.containers[0].image`, and JSON pointers.

use std::{fmt, sync::Arc};

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Into a map.
    Key(Arc<str>),
    /// Into a list.
    Index(usize),
}

/// A way from the root of an object to a value in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// The way with one more key.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.into()));
        Self(steps)
    }

    /// The way with one more index.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Self(steps)
    }

    /// As a JSON pointer (`/metadata/annotations/a~1b`).
    pub fn pointer(&self) -> String {
        let mut out = String::new();
        for step in &self.0 {
            out.push('/');
            match step {
                Step::Key(key) => out.push_str(&key.replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => out.push_str(&index.to_string()),
            }
        }
        out
    }

    /// Reads what a person types: dots and brackets (`spec.containers[0].image`, `metadata.annotations["a.b/c"]`), or a JSON
    /// pointer (begins with `/`; numbers in it are indexes where they meet a list). `None` when it is broken.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(pointer) = text.strip_prefix('/') {
            let step = |part: &str| Step::Key(part.replace("~1", "/").replace("~0", "~").into());
            return Some(Self(pointer.split('/').map(step).collect()));
        }
        let mut steps = Vec::new();
        let mut rest = text.strip_prefix('.').unwrap_or(text);
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let (step, after) = bracket(inner)?;
                steps.push(step);
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                if end == 0 {
                    return None;
                }
                steps.push(Step::Key(rest[..end].into()));
                rest = &rest[end..];
            }
            rest = match rest.strip_prefix('.') {
                Some("") => return None,
                Some(after) => after,
                None => rest,
            };
        }
        Some(Self(steps))
    }
}

/// What stands after a `[`: an index, or a key in quotes; and the rest after the `]`.
fn bracket(inner: &str) -> Option<(Step, &str)> {
    if let Some(quoted) = inner.strip_prefix('"') {
        let end = quoted.find("\"]")?;
        return Some((Step::Key(quoted[..end].into()), &quoted[end + 2..]));
    }
    let (number, after) = inner.split_once(']')?;
    Some((Step::Index(number.parse().ok()?), after))
}

/// Dots and brackets; keys that hold dots, brackets or slashes stand in `["..."]`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if key.is_empty() || key.contains(['.', '[', ']', '/', '"']) => {
                    write!(f, "[\"{key}\"]")?
                }
                Step::Key(key) if at == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_what_it_writes() {
        for text in
            ["", "spec", "spec.template.spec.containers[0].image", "metadata.annotations[\"a.b/c\"]", "a[2][0].b"]
        {
            assert_eq!(Path::parse(text).map(|p| p.to_string()).as_deref(), Some(text));
        }
        let path = Path::parse("metadata.annotations[\"a~/c\"]").unwrap();
        assert_eq!(path.pointer(), "/metadata/annotations/a~0~1c");
        assert_eq!(Path::parse(&path.pointer()).unwrap(), path);
        for broken in ["a..b", "a[", "a[x]", "a.", "a[\"b]"] {
            assert_eq!(Path::parse(broken), None, "{broken}");
        }
    }
}
