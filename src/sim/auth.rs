//! Who asks, and whether they may: client certificates, bearer tokens, impersonation, and RBAC over the stored roles.

use http::{HeaderMap, header};
use serde_json::Value;

use super::{kinds, store::ClusterStore};

/// Members may do everything.
pub const MASTERS: &str = "system:masters";

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Name.
    pub user: String,
    /// Groups.
    pub groups: Vec<String>,
}

impl Identity {
    /// From the subject of a client certificate: CN and O.
    pub fn from_certificate(der: &[u8]) -> Option<Self> {
        let (_, certificate) = x509_parser::parse_x509_certificate(der).ok()?;
        let subject = certificate.subject();
        let user = subject.iter_common_name().next()?.as_str().ok()?.to_owned();
        let groups = subject.iter_organization().filter_map(|o| o.as_str().ok().map(str::to_owned)).collect();
        Some(Self { user, groups }.authenticated())
    }

    /// From a bearer token: `sim-admin`, or `sim-user/NAME/GROUP/...` for anybody. Anything else is no token of ours.
    pub fn from_token(token: &str) -> Option<Self> {
        if token == "sim-admin" {
            return Some(Self { user: "admin".into(), groups: vec![MASTERS.into()] }.authenticated());
        }
        let mut parts = token.strip_prefix("sim-user/")?.split('/').map(str::to_owned);
        let user = parts.next().filter(|u| !u.is_empty())?;
        Some(Self { user, groups: parts.collect() }.authenticated())
    }

    fn authenticated(mut self) -> Self {
        self.groups.push("system:authenticated".into());
        self
    }

    /// Whether the user is an administrator.
    pub fn is_master(&self) -> bool {
        self.groups.iter().any(|g| g == MASTERS)
    }
}

/// The user of a request, impersonation obeyed; `None` is 401.
pub fn identify(certificate: Option<&Identity>, headers: &HeaderMap) -> Option<Identity> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let bearer = text(header::AUTHORIZATION.as_str());
    let own = match bearer.as_deref().and_then(|b| b.strip_prefix("Bearer ")) {
        Some(token) => Identity::from_token(token.trim())?,
        None => certificate?.clone(),
    };
    match text("impersonate-user") {
        Some(user) if own.is_master() => {
            let groups = headers.get_all("impersonate-group").iter().filter_map(|v| v.to_str().ok().map(str::to_owned));
            Some(Identity { user, groups: groups.collect() }.authenticated())
        }
        _ => Some(own),
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attempt<'a> {
    /// Verb.
    pub verb: &'a str,
    /// API group.
    pub group: &'a str,
    /// Resource with its subresource: `pods/log`.
    pub resource: &'a str,
    /// Namespace, empty for all.
    pub namespace: &'a str,
    /// Name, empty for all.
    pub name: &'a str,
}

impl Attempt<'_> {
    /// `pods "x" is forbidden: User "u" cannot get resource "pods" in API group "" in the namespace "n"`.
    pub fn refusal(&self, user: &str) -> String {
        let group = if self.group.is_empty() { String::new() } else { format!(".{}", self.group) };
        let name = if self.name.is_empty() { String::new() } else { format!(" \"{}\"", self.name) };
        let plural = self.resource.split('/').next().unwrap_or_default();
        let place = match self.namespace {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace \"{namespace}\""),
        };
        format!(
            "{plural}{group}{name} is forbidden: User \"{user}\" cannot {} resource \"{}\" in API group \"{}\" {place}",
            self.verb, self.resource, self.group
        )
    }
}

/// Whether a user may.
pub fn allowed(store: &ClusterStore, who: &Identity, attempt: &Attempt<'_>) -> bool {
    who.is_master() || rules(store, who, attempt.namespace).iter().any(|rule| permits(rule, attempt))
}

/// Rules that hold for a user in a namespace (and everywhere).
pub fn rules(store: &ClusterStore, who: &Identity, namespace: &str) -> Vec<Value> {
    if who.is_master() {
        let everything = serde_json::json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]});
        return vec![everything, serde_json::json!({"verbs": ["*"], "nonResourceURLs": ["*"]})];
    }
    let mut rules = Vec::new();
    let mut bound = |rid, scope: Option<&str>| {
        for binding in store.list(rid, scope).items {
            let binding = binding.value(&store.resource(rid));
            if subjects_name(&binding, who, scope.unwrap_or_default()) {
                let reference = |p: &str| binding.pointer(p).and_then(Value::as_str).unwrap_or_default().to_owned();
                let (kind, name) = (reference("/roleRef/kind"), reference("/roleRef/name"));
                let role = match kind.as_str() {
                    "Role" => store.value(kinds::ROLES, scope.unwrap_or_default(), &name),
                    _ => store.value(kinds::CLUSTERROLES, "", &name),
                };
                rules.extend(role.and_then(|r| r.get("rules").and_then(Value::as_array).cloned()).unwrap_or_default());
            }
        }
    };
    bound(kinds::CLUSTERROLEBINDINGS, None);
    if !namespace.is_empty() {
        bound(kinds::ROLEBINDINGS, Some(namespace));
    }
    rules
}

fn subjects_name(binding: &Value, who: &Identity, namespace: &str) -> bool {
    let subjects = binding.get("subjects").and_then(Value::as_array);
    subjects.into_iter().flatten().any(|subject| {
        let part = |key: &str| subject.get(key).and_then(Value::as_str).unwrap_or_default();
        match part("kind") {
            "User" => part("name") == who.user,
            "Group" => who.groups.iter().any(|g| g == part("name")),
            "ServiceAccount" => {
                let home = if part("namespace").is_empty() { namespace } else { part("namespace") };
                who.user == format!("system:serviceaccount:{home}:{}", part("name"))
            }
            _ => false,
        }
    })
}

fn permits(rule: &Value, attempt: &Attempt<'_>) -> bool {
    let has = |key: &str, wanted: &str| {
        rule.get(key).and_then(Value::as_array).is_some_and(|l| l.iter().any(|v| v == wanted || v == "*"))
    };
    let sub = attempt.resource.split_once('/').map(|(_, sub)| format!("*/{sub}"));
    let resource = has("resources", attempt.resource) || sub.is_some_and(|s| has("resources", &s));
    let names = rule.get("resourceNames").and_then(Value::as_array).filter(|n| !n.is_empty());
    let named = names.is_none_or(|n| n.iter().any(|v| v == attempt.name));
    has("verbs", attempt.verb) && has("apiGroups", attempt.group) && resource && named
}
