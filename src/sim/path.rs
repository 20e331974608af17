//! What a request is about: resource, namespace, name, subresource, verb, and its query.

use http::Method;

/// The parts of a resource path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiPath {
    /// API group.
    pub group: String,
    /// Version.
    pub version: String,
    /// Namespace, empty for all and for cluster-scoped resources.
    pub namespace: String,
    /// Plural.
    pub plural: String,
    /// Name, empty for the collection.
    pub name: String,
    /// Subresource.
    pub sub: String,
}

impl ApiPath {
    /// Parses `/api/v1/...` and `/apis/GROUP/VERSION/...`; `None` for other paths and for group documents.
    pub fn parse(path: &str) -> Option<Self> {
        let mut parts = path.split('/').filter(|p| !p.is_empty()).map(decode);
        let (group, version) = match parts.next()?.as_str() {
            "api" => (String::new(), parts.next()?),
            "apis" => (parts.next()?, parts.next()?),
            _ => return None,
        };
        let rest: Vec<String> = parts.collect();
        let part = |at: usize| rest.get(at).cloned().unwrap_or_default();
        let namespaced =
            part(0) == "namespaces" && rest.len() > 2 && !matches!(part(2).as_str(), "status" | "finalize");
        let at = if namespaced { 2 } else { 0 };
        rest.first()?;
        Some(Self {
            group,
            version,
            namespace: if namespaced { part(1) } else { String::new() },
            plural: part(at),
            name: part(at + 1),
            sub: rest.get(at + 2..).unwrap_or_default().join("/"),
        })
    }

    /// `pods/log` or `pods`.
    pub fn resource(&self) -> String {
        if self.sub.is_empty() { self.plural.clone() } else { format!("{}/{}", self.plural, self.sub) }
    }

    /// The Kubernetes verb.
    pub fn verb(&self, method: &Method, query: &Query) -> &'static str {
        match method.as_str() {
            "GET" | "HEAD" if self.name.is_empty() && query.flag("watch") => "watch",
            "GET" | "HEAD" if self.name.is_empty() => "list",
            "GET" | "HEAD" => "get",
            "POST" => "create",
            "PUT" => "update",
            "PATCH" => "patch",
            "DELETE" if self.name.is_empty() => "deletecollection",
            "DELETE" => "delete",
            _ => "unknown",
        }
    }
}

/// A parsed query string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses `a=b&c=d`.
    pub fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|p| !p.is_empty());
        Self(
            pairs
                .map(|p| {
                    let (key, value) = p.split_once('=').unwrap_or((p, ""));
                    (decode(&key.replace('+', " ")), decode(&value.replace('+', " ")))
                })
                .collect(),
        )
    }

    /// A value, empty when missing.
    pub fn get(&self, key: &str) -> &str {
        self.0.iter().find(|(k, _)| k == key).map_or("", |(_, v)| v)
    }

    /// A switch.
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.get(key), "true" | "1")
    }

    /// A number; `None` when it is missing or none.
    pub fn number(&self, key: &str) -> Option<i64> {
        self.get(key).parse().ok()
    }
}

/// Undoes percent encoding.
pub fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|h| std::str::from_utf8(h).ok());
        match (bytes[at], hex.and_then(|h| u8::from_str_radix(h, 16).ok())) {
            (b'%', Some(byte)) => {
                plain.push(byte);
                at += 3;
            }
            (byte, _) => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_their_resource() {
        for (path, group, namespace, resource, name) in [
            ("/api/v1/pods", "", "", "pods", ""),
            ("/api/v1/namespaces", "", "", "namespaces", ""),
            ("/api/v1/namespaces/a", "", "", "namespaces", "a"),
            ("/api/v1/namespaces/a/status", "", "", "namespaces/status", "a"),
            ("/api/v1/namespaces/a/pods", "", "a", "pods", ""),
            ("/api/v1/namespaces/a/pods/p/log", "", "a", "pods/log", "p"),
            ("/apis/apps/v1/namespaces/a/deployments/d%2D1", "apps", "a", "deployments", "d-1"),
        ] {
            let parsed = ApiPath::parse(path).unwrap();
            assert_eq!(
                (parsed.group.as_str(), parsed.namespace.as_str(), parsed.resource().as_str(), parsed.name.as_str()),
                (group, namespace, resource, name),
                "{path}"
            );
        }
        assert_eq!(ApiPath::parse("/apis/apps/v1"), None);
        assert_eq!(ApiPath::parse("/healthz"), None);
    }
}
