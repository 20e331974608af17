//! The URLs of lists and watches.

use std::fmt::Write as _;

use crate::live::discovery::Served;

/// Objects asked for in one page.
pub const PAGE: u32 = 500;

/// Where a kind is read: its collection and what is chosen from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    root: String,
    plural: String,
    namespace: String,
    fields: &'static str,
}

impl Collection {
    /// The collection of all namespaces (empty) or of one.
    pub fn new(served: &Served, namespace: &str, fields: &'static str) -> Self {
        Self { root: served.root.clone(), plural: served.plural.clone(), namespace: namespace.to_owned(), fields }
    }

    /// The namespace it is limited to; empty = all.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    fn base(&self) -> String {
        let mut path = self.root.clone();
        if !self.namespace.is_empty() {
            let _ = write!(path, "/namespaces/{}", encoded(&self.namespace));
        }
        let _ = write!(path, "/{}?", self.plural);
        if !self.fields.is_empty() {
            let _ = write!(path, "fieldSelector={}&", encoded(self.fields));
        }
        path
    }

    /// A page, or everything when `limit` is 0. Without resourceVersion: the answer is never older than what we had.
    pub fn page(&self, limit: u32, next: &str) -> String {
        let mut path = self.base();
        if limit > 0 {
            let _ = write!(path, "limit={limit}&");
        }
        if !next.is_empty() {
            let _ = write!(path, "continue={}&", encoded(next));
        }
        path.pop();
        path
    }

    /// The changes after `version`.
    pub fn watch(&self, version: &str, seconds: u64) -> String {
        let version = encoded(version);
        format!("{}watch=true&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds={seconds}", self.base())
    }

    /// The picture and the changes in one stream. Without resourceVersion it is as consistent as a list.
    pub fn stream(&self, seconds: u64) -> String {
        format!(
            "{}watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds={seconds}",
            self.base()
        )
    }

    /// One object.
    pub fn object(served: &Served, namespace: &str, name: &str) -> String {
        let mut path = served.root.clone();
        if served.namespaced && !namespace.is_empty() {
            let _ = write!(path, "/namespaces/{}", encoded(namespace));
        }
        let _ = write!(path, "/{}/{}", served.plural, encoded(name));
        path
    }
}

/// Percent-encodes everything that is not unreserved: names come from clusters, and a `/` or `?` in one must not lead to
/// another resource.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let served = Served {
            root: "/api/v1".into(),
            plural: "events".into(),
            namespaced: true,
            can_list: true,
            can_watch: true,
        };
        let all = Collection::new(&served, "", "type=Warning");
        assert_eq!(all.page(500, ""), "/api/v1/events?fieldSelector=type%3DWarning&limit=500");
        let one = Collection::new(&served, "shop", "");
        assert_eq!(one.page(0, ""), "/api/v1/namespaces/shop/events");
        assert_eq!(one.page(500, "a+/="), "/api/v1/namespaces/shop/events?limit=500&continue=a%2B%2F%3D");
        assert_eq!(
            one.watch("7", 300),
            "/api/v1/namespaces/shop/events?watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300"
        );
        assert_eq!(Collection::object(&served, "shop", "a/../b?c"), "/api/v1/namespaces/shop/events/a%2F..%2Fb%3Fc");
    }
}
