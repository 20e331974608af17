//! Image references as image overriders take them apart: strictly, by the grammar of references, and put together again.

use std::{fmt, sync::LazyLock};

use regex::Regex;

use super::{ImagePart, Operation};

/// A tag; ASCII classes throughout, as the grammar has them.
const TAG: &str = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
/// `algorithm:hex` by form.
const DIGEST: &str = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}";

/// Longest path of a name, in bytes.
const LONGEST_PATH: usize = 255;

/// A reference: name, tag, digest; the path inside the name is a group of its own. `None` cannot happen (see the test).
static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
    let host = format!(r"(?:{label}(?:\.{label})*|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?");
    let component = "[a-z0-9]+(?:(?:__|[._]|-+)[a-z0-9]+)*";
    Regex::new(&format!(
        "^(?<name>(?:{host}/)?(?<path>{component}(?:/{component})*))(?::(?<tag>{TAG}))?(?:@(?<digest>{DIGEST}))?$"
    ))
    .ok()
});
static WHOLE_TAG: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("^(?:{TAG})$")).ok());
static WHOLE_DIGEST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("^(?:{DIGEST})$")).ok());

fn fits(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|p| p.is_match(text))
}

/// A reference in its parts; at most one of tag and digest is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// Registry with its port; empty where none was written.
    pub registry: String,
    /// Path without the registry.
    pub repository: String,
    /// Tag; empty where there is none.
    pub tag: String,
    /// Digest with its algorithm; empty where there is none, and where there is a tag.
    pub digest: String,
}

impl Reference {
    /// Takes a reference apart; `None` when it breaks the grammar. Nothing is filled in. A digest beside a tag is dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let parts = REFERENCE.as_ref()?.captures(text)?;
        let part = |name: &str| parts.name(name).map_or("", |m| m.as_str());
        if part("path").len() > LONGEST_PATH || !(part("digest").is_empty() || is_known_digest(part("digest"))) {
            return None;
        }
        let (registry, repository) = match part("name").split_once('/') {
            Some((host, rest)) if host.contains(['.', ':']) || host == "localhost" => (host, rest),
            _ => ("", part("name")),
        };
        let digest = if part("tag").is_empty() { part("digest") } else { "" };
        Some(Self {
            registry: registry.to_owned(),
            repository: repository.to_owned(),
            tag: part("tag").to_owned(),
            digest: digest.to_owned(),
        })
    }

    /// Changes a part. False when the value is ignored: a tag that is neither a tag nor a digest. The outcome is not checked.
    pub fn change(&mut self, part: ImagePart, operation: Operation, value: &str) -> bool {
        let text = match part {
            ImagePart::Registry => &mut self.registry,
            ImagePart::Repository => &mut self.repository,
            ImagePart::Tag => return self.change_tag(operation, value),
        };
        match operation {
            Operation::Add => text.push_str(value),
            Operation::Replace => value.clone_into(text),
            Operation::Remove => text.clear(),
        }
        true
    }

    fn change_tag(&mut self, operation: Operation, value: &str) -> bool {
        let now = if self.tag.is_empty() { &mut self.digest } else { &mut self.tag };
        let wanted = match operation {
            Operation::Add => format!("{now}{value}"),
            Operation::Replace => value.to_owned(),
            Operation::Remove => {
                now.clear();
                return true;
            }
        };
        let (tag, digest) = (fits(&WHOLE_TAG, &wanted), fits(&WHOLE_DIGEST, &wanted));
        match (tag, digest) {
            (true, _) => (self.tag, self.digest) = (wanted, String::new()),
            (false, true) => (self.tag, self.digest) = (String::new(), wanted),
            (false, false) => return false,
        }
        true
    }
}

/// A digest of an algorithm that is known, with exactly its length, in lower case.
fn is_known_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else { return false };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hex.len() == length && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.registry.is_empty() {
            write!(f, "{}/", self.registry)?;
        }
        f.write_str(&self.repository)?;
        match (self.tag.as_str(), self.digest.as_str()) {
            ("", "") => Ok(()),
            ("", digest) => write!(f, "@{digest}"),
            (tag, _) => write!(f, ":{tag}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn references_come_apart_by_the_grammar() {
        for (text, registry, repository, version) in [
            ("nginx", "", "nginx", ""),
            ("team/app:2", "", "team/app", "2"),
            ("hub.example/team/app:2", "hub.example", "team/app", "2"),
            ("hub.example:5000/app", "hub.example:5000", "app", ""),
            ("localhost/app:1", "localhost", "app", "1"),
            ("registry:5000", "", "registry", "5000"),
            ("my_host/app", "", "my_host/app", ""),
            ("Foo/bar:1", "", "Foo/bar", "1"),
            ("[fd00::1]:5000/app:1", "[fd00::1]:5000", "app", "1"),
            ("a__b/c--d/e.f_g", "", "a__b/c--d/e.f_g", ""),
            (&format!("app:1@sha256:{HEX}"), "", "app", "1"),
            (&format!("app@sha256:{HEX}"), "", "app", &format!("sha256:{HEX}")),
        ] {
            let parsed = Reference::parse(text).unwrap_or_else(|| panic!("{text}"));
            let held = if parsed.tag.is_empty() { &parsed.digest } else { &parsed.tag };
            assert_eq!(
                (parsed.registry.as_str(), parsed.repository.as_str(), held.as_str()),
                (registry, repository, version),
                "{text}"
            );
        }
        for broken in [
            "",
            " nginx",
            "nginx ",
            "nginx\n",
            "https://hub.example/app",
            "App:1",
            "hub.example/App:1",
            "a___b",
            "a..b",
            "a/",
            "-a/b",
            "app:",
            "app:.x",
            "app:é",
            "app@sha256:0123",
            &format!("app@sha256:{}", HEX.to_uppercase()),
            &format!("app@md5:{HEX}"),
            &format!("app:1@sha256:{HEX}00"),
            &"a".repeat(256),
        ] {
            assert_eq!(Reference::parse(broken), None, "{broken}");
        }
        assert!(Reference::parse(&format!("hub.example/{}", "a".repeat(255))).is_some(), "the registry does not count");
    }

    #[test]
    fn parts_change_by_the_table() {
        use ImagePart::*;
        use Operation::*;
        let digest = format!("sha256:{HEX}");
        for (image, part, operation, value, wanted) in [
            ("nginx:1.25", Registry, Add, "mirror.example", "mirror.example/nginx:1.25"),
            ("hub.example/team/app:2", Registry, Add, ".internal", "hub.example.internal/team/app:2"),
            ("team/app", Registry, Replace, "mirror.example", "mirror.example/team/app"),
            ("hub.example/app:1", Repository, Remove, "", "hub.example/:1"),
            ("app", Repository, Add, "-x", "app-x"),
            ("app:1.0", Tag, Replace, &digest, &format!("app@{digest}")),
            (&format!("hub.example/app@{digest}"), Tag, Replace, "v2", "hub.example/app:v2"),
            (&format!("app@{digest}"), Tag, Add, "00", &format!("app@{digest}00")),
            (&format!("app@{digest}"), Tag, Add, "-x", &format!("app@{digest}")),
            (&format!("app@{digest}"), Tag, Remove, "", "app"),
            ("app", Tag, Add, "v9", "app:v9"),
            ("app:1.0", Tag, Replace, ":v2", "app:1.0"),
            ("app:1.0", Tag, Replace, "", "app:1.0"),
            (&format!("app:1.0@{digest}"), Tag, Remove, "", "app"),
        ] {
            let mut reference = Reference::parse(image).unwrap();
            reference.change(part, operation, value);
            assert_eq!(reference.to_string(), wanted, "{image} {part:?} {operation:?} {value}");
        }
    }
}
