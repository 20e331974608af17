//! Image references and tags, as the distribution grammar has them, read tolerantly.
//!
//! Source of the grammar: distribution/reference. Docker Hub's defaults (`docker.io`, `library/`, `latest`) are filled in
//! only where a comparison needs them; screens show what was written.

use std::cmp::Ordering;

/// One image reference in its parts, borrowed from the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageRef<'a> {
    /// Registry host with port; empty when none was written.
    pub registry: &'a str,
    /// Repository path without the registry.
    pub repository: &'a str,
    /// Tag; empty when none was written.
    pub tag: &'a str,
    /// Digest with its algorithm (`sha256:...`); empty when none was written.
    pub digest: &'a str,
}

impl<'a> ImageRef<'a> {
    /// Takes the text apart; never fails, an odd text ends up in `repository`.
    pub fn parse(text: &'a str) -> Self {
        let (rest, digest) = text.split_once('@').unwrap_or((text, ""));
        // A colon after the last slash starts the tag; one before it belongs to the registry's port.
        let name_start = rest.rfind('/').map_or(0, |i| i + 1);
        let (path, tag) = match rest.get(name_start..).and_then(|name| name.find(':')) {
            Some(colon) => (&rest[..name_start + colon], &rest[name_start + colon + 1..]),
            None => (rest, ""),
        };
        let (registry, repository) = match path.split_once('/') {
            Some((host, tail)) if host.contains(['.', ':']) || host == "localhost" => (host, tail),
            _ => ("", path),
        };
        Self { registry, repository, tag, digest }
    }

    /// The tag, or `latest` when neither tag nor digest was written; with a digest alone, its first twelve digits.
    pub fn version(&self) -> &'a str {
        if !self.tag.is_empty() {
            return self.tag;
        }
        match self.digest.split_once(':') {
            Some((_, hex)) => hex.get(..12).unwrap_or(hex),
            None => "latest",
        }
    }

    /// Last segment of the repository: `shop/api-gateway` -> `api-gateway`.
    pub fn short_name(&self) -> &'a str {
        self.repository.rsplit('/').next().unwrap_or(self.repository)
    }
}

/// Whether the tag names no fixed content by common practice: `latest`, `main`, `stable`, a bare environment name, or
/// none at all. A digest fixes the content whatever the tag says.
pub fn is_moving_tag(image: &ImageRef<'_>) -> bool {
    const MOVING: &[&str] = &[
        "",
        "latest",
        "main",
        "master",
        "head",
        "develop",
        "development",
        "dev",
        "edge",
        "nightly",
        "canary",
        "stable",
        "prod",
        "production",
        "staging",
        "stage",
        "test",
        "testing",
        "current",
        "lts",
        "release",
        "snapshot",
        "rolling",
    ];
    image.digest.is_empty() && MOVING.contains(&image.tag.to_ascii_lowercase().as_str())
}

/// Orders tags as versions: runs of digits compare as numbers, and a pre-release (`-rc1`) sorts before its release.
/// Total and tolerant: any two texts compare.
pub fn compare_tags(a: &str, b: &str) -> Ordering {
    let (a_core, a_pre) = split_pre(a.strip_prefix('v').unwrap_or(a));
    let (b_core, b_pre) = split_pre(b.strip_prefix('v').unwrap_or(b));
    natural(a_core, b_core)
        .then_with(|| match (a_pre.is_empty(), b_pre.is_empty()) {
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => natural(a_pre, b_pre),
        })
        .then_with(|| a.cmp(b))
}

fn split_pre(tag: &str) -> (&str, &str) {
    tag.split_once('-').unwrap_or((tag, ""))
}

fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        match (a.is_empty(), b.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        let (a_run, a_rest, a_num) = run(a);
        let (b_run, b_rest, b_num) = run(b);
        let order = match (a_num, b_num) {
            (true, true) => {
                let (x, y) = (a_run.trim_start_matches('0'), b_run.trim_start_matches('0'));
                x.len().cmp(&y.len()).then_with(|| x.cmp(y))
            }
            _ => a_run.cmp(b_run),
        };
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (a_rest, b_rest);
    }
}

/// The first run of digits or of non-digits, the rest, and whether it is digits.
fn run(text: &str) -> (&str, &str, bool) {
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(text.len());
    let (head, tail) = text.split_at(end);
    (head, tail, digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_come_apart() {
        for (text, registry, repository, tag, digest) in [
            ("nginx", "", "nginx", "", ""),
            ("nginx:1.27", "", "nginx", "1.27", ""),
            ("shop/api:2", "", "shop/api", "2", ""),
            ("localhost/api:2", "localhost", "api", "2", ""),
            ("reg.example:5000/shop/api", "reg.example:5000", "shop/api", "", ""),
            ("reg.example:5000/shop/api:2.1@sha256:ab", "reg.example:5000", "shop/api", "2.1", "sha256:ab"),
            ("", "", "", "", ""),
        ] {
            assert_eq!(ImageRef::parse(text), ImageRef { registry, repository, tag, digest }, "{text}");
        }
    }

    #[test]
    fn tags_order_as_versions() {
        for (less, more) in
            [("1.9", "1.10"), ("v1.9.3", "1.9.10"), ("2.0-rc1", "2.0"), ("2.0-rc2", "2.0-rc10"), ("8.2.7", "8.3.0")]
        {
            assert_eq!(compare_tags(less, more), Ordering::Less, "{less} < {more}");
            assert_eq!(compare_tags(more, less), Ordering::Greater, "{more} > {less}");
        }
        assert_eq!(compare_tags("1.2", "1.2"), Ordering::Equal);
    }

    #[test]
    fn moving_tags() {
        for (text, moving) in [
            ("web", true),
            ("web:latest", true),
            ("web:main", true),
            ("web:1.2", false),
            ("web:latest@sha256:ab", false),
        ] {
            assert_eq!(is_moving_tag(&ImageRef::parse(text)), moving, "{text}");
        }
    }
}
