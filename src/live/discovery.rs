//! Which kinds a server serves, in which version, with which verbs.
//!
//! Two requests where the server knows aggregated discovery (1.27 and later), the group list and one request per needed
//! group elsewhere. A group that fails costs its own kinds, never the cluster.

use std::{collections::BTreeMap, time::Duration};

use futures_util::{StreamExt, stream};
use serde::Deserialize;

use super::connect::{Connection, Response};
use crate::model::{Cause, KindInfo};

/// What we ask for; the last form is what every server knows.
const ACCEPT: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                      application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/// Time for the whole list of groups.
const PATIENCE: Duration = Duration::from_secs(15);

/// Time for one group: an aggregated API that is down must not hold up the rest.
const GROUP_PATIENCE: Duration = Duration::from_secs(5);

/// How a kind is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// `/api/v1` or `/apis/<group>/<version>`.
    pub root: String,
    /// Plural.
    pub plural: String,
    /// Whether its objects live in namespaces, as the server says.
    pub namespaced: bool,
    /// `list` is among the verbs.
    pub can_list: bool,
    /// `watch` is among the verbs.
    pub can_watch: bool,
}

/// The API of one server, as far as it could be found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    groups: BTreeMap<String, Group>,
    /// Groups that failed: name and reason.
    pub failed: Vec<(String, String)>,
    /// One of the two lists could not be read: what is missing here may be there.
    pub is_partial: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Group {
    /// Versions in the server's order of preference.
    versions: Vec<String>,
    resources: BTreeMap<(String, String), Resource>,
    /// Resources were not asked for or could not be read.
    is_opaque: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Resource {
    namespaced: bool,
    verbs: Vec<String>,
}

impl Discovery {
    /// How `kind` is served: by the first of its versions that the server has. `None` when it is not served.
    pub fn served(&self, kind: &KindInfo) -> Option<Served> {
        let Some(group) = self.groups.get(&kind.group) else {
            let version = kind.versions.first().filter(|_| self.is_partial && !kind.optional)?;
            return Some(assumed(kind, version));
        };
        if group.is_opaque {
            // The group is there, its resources could not be read: try, the answer of the list itself tells.
            let version = kind.versions.iter().find(|v| group.versions.is_empty() || group.versions.contains(v))?;
            return Some(assumed(kind, version));
        }
        kind.versions.iter().find_map(|version| {
            let found = group.resources.get(&(version.clone(), kind.plural.clone()))?;
            let can = |verb: &str| found.verbs.iter().any(|v| v == verb);
            Some(Served {
                namespaced: found.namespaced,
                can_list: can("list"),
                can_watch: can("watch"),
                ..assumed(kind, version)
            })
        })
    }

    /// `group/version` of the preferred versions, sorted; the core group as `v1`.
    pub fn groups(&self) -> Vec<String> {
        let name = |(group, g): (&String, &Group)| {
            let version = g.versions.first()?;
            Some(if group.is_empty() { version.clone() } else { format!("{group}/{version}") })
        };
        self.groups.iter().filter_map(name).collect()
    }

    /// For servers whose discovery may not be read: every kind in its best version, the lists will tell.
    pub fn blind(kinds: &[&KindInfo]) -> Self {
        let groups = kinds
            .iter()
            .filter(|k| !k.optional)
            .map(|k| (k.group.clone(), Group { is_opaque: true, ..Group::default() }));
        Self { groups: groups.collect(), failed: Vec::new(), is_partial: true }
    }

    fn fail(&mut self, group: &str, why: impl Into<String>) {
        self.failed.push((group.to_owned(), why.into()));
    }
}

fn assumed(kind: &KindInfo, version: &str) -> Served {
    let root =
        if kind.group.is_empty() { format!("/api/{version}") } else { format!("/apis/{}/{version}", kind.group) };
    Served { root, plural: kind.plural.clone(), namespaced: kind.namespaced, can_list: true, can_watch: true }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WireList {
    kind: String,
    items: Vec<WireGroup>,
    groups: Vec<WirePlainGroup>,
    versions: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireGroup {
    metadata: WireName,
    versions: Vec<WireVersion>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireName {
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireVersion {
    version: String,
    resources: Vec<WireResource>,
    freshness: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireResource {
    resource: String,
    scope: String,
    verbs: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WirePlainGroup {
    name: String,
    versions: Vec<WirePlainVersion>,
    preferred_version: WirePlainVersion,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WirePlainVersion {
    group_version: String,
    version: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WireResources {
    kind: String,
    group_version: String,
    resources: Vec<WirePlainResource>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WirePlainResource {
    name: String,
    namespaced: bool,
    verbs: Vec<String>,
}

/// Asks the server. `kinds` are those for which resources are needed.
///
/// # Errors
/// When neither `/api` nor `/apis` can be read; failing groups are no error.
pub async fn discover(connection: &Connection, kinds: &[&KindInfo]) -> Result<Discovery, Cause> {
    let (core, groups) =
        futures_util::future::join(connection.get("/api", ACCEPT, PATIENCE), connection.get("/apis", ACCEPT, PATIENCE))
            .await;
    let mut found = Discovery::default();
    let mut plain: Vec<(String, String)> = Vec::new();
    let mut refused = None;
    for (path, answer) in [("/api", core), ("/apis", groups)] {
        match answer.and_then(Response::ok) {
            Ok(answer) => match serde_json::from_slice::<WireList>(&answer.bytes) {
                Ok(list) => plain.extend(take_list(&mut found, path, list, kinds)),
                Err(error) => {
                    found.is_partial = true;
                    found.fail(path, error.to_string());
                }
            },
            Err(cause) => refused = Some(cause.during("get", path, "")),
        }
    }
    if let Some(cause) = refused {
        if found.groups.is_empty() {
            return Err(cause);
        }
        found.is_partial = true;
        found.fail(&cause.resource, cause.detail);
    }
    ask_plain(connection, &mut found, plain).await;
    Ok(found)
}

/// Takes a list in any of its forms; gives the `(group, version)` pairs that must be asked for one by one.
fn take_list(found: &mut Discovery, path: &str, list: WireList, kinds: &[&KindInfo]) -> Vec<(String, String)> {
    match list.kind.as_str() {
        "APIGroupDiscoveryList" => {
            list.items.into_iter().for_each(|group| take_group(found, group));
            Vec::new()
        }
        "APIVersions" => {
            let group = Group { versions: list.versions, is_opaque: true, ..Group::default() };
            let ask = wanted("", &group.versions, kinds);
            found.groups.insert(String::new(), group);
            ask
        }
        "APIGroupList" => list.groups.into_iter().flat_map(|g| take_plain_group(found, g, kinds)).collect(),
        other => {
            found.is_partial = true;
            found.fail(path, format!("answered with a {other:?} instead of a list of API groups"));
            Vec::new()
        }
    }
}

fn take_group(found: &mut Discovery, wire: WireGroup) {
    let name = wire.metadata.name;
    let mut group = Group::default();
    for version in wire.versions {
        if version.version.is_empty() || version.version.contains('/') {
            found.fail(&name, format!("foreign version {:?}", version.version));
            continue;
        }
        if version.freshness == "Stale" {
            found.fail(&name, format!("{}: the server behind this aggregated API does not answer", version.version));
        }
        for r in version.resources {
            let resource = Resource { namespaced: r.scope == "Namespaced", verbs: r.verbs };
            group.resources.insert((version.version.clone(), r.resource), resource);
        }
        group.versions.push(version.version);
    }
    found.groups.insert(name, group);
}

fn take_plain_group(found: &mut Discovery, wire: WirePlainGroup, kinds: &[&KindInfo]) -> Vec<(String, String)> {
    let name = wire.name;
    let mut group = Group { is_opaque: true, ..Group::default() };
    let preferred = std::iter::once(wire.preferred_version);
    for version in preferred.chain(wire.versions) {
        if version.version.is_empty() || group.versions.contains(&version.version) {
            continue;
        }
        if version.group_version != format!("{name}/{}", version.version) {
            found.fail(&name, format!("foreign apiVersion {:?}", version.group_version));
            continue;
        }
        group.versions.push(version.version);
    }
    let ask = wanted(&name, &group.versions, kinds);
    if !group.versions.is_empty() {
        found.groups.insert(name, group);
    }
    ask
}

/// The versions of a group that one of the kinds can be read in.
fn wanted(group: &str, versions: &[String], kinds: &[&KindInfo]) -> Vec<(String, String)> {
    let useful = |version: &&String| kinds.iter().any(|k| k.group == group && k.versions.contains(version));
    versions.iter().filter(useful).map(|v| (group.to_owned(), v.clone())).collect()
}

async fn ask_plain(connection: &Connection, found: &mut Discovery, ask: Vec<(String, String)>) {
    let answers = stream::iter(ask)
        .map(|(group, version)| async move {
            let path = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
            let answer = connection.get(&path, "application/json", GROUP_PATIENCE).await.and_then(Response::ok);
            (group, version, answer)
        })
        .buffered(4)
        .collect::<Vec<_>>()
        .await;
    for (group, version, answer) in answers {
        match answer {
            Ok(answer) => take_resources(found, &group, &version, &answer.bytes),
            Err(cause) => found.fail(&group, format!("{version}: {}", cause.detail)),
        }
    }
}

fn take_resources(found: &mut Discovery, group: &str, version: &str, body: &[u8]) {
    let expected = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let list = match serde_json::from_slice::<WireResources>(body) {
        Ok(list) if list.kind == "APIResourceList" && list.group_version == expected => list,
        Ok(list) => return found.fail(group, format!("{version}: foreign apiVersion {:?}", list.group_version)),
        Err(error) => return found.fail(group, format!("{version}: {error}")),
    };
    let Some(entry) = found.groups.get_mut(group) else { return };
    entry.is_opaque = false;
    for r in list.resources {
        let resource = Resource { namespaced: r.namespaced, verbs: r.verbs };
        entry.resources.insert((version.to_owned(), r.name), resource);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Builtin;

    fn list(json: &str, path: &str, kinds: &[&KindInfo]) -> (Discovery, Vec<(String, String)>) {
        let mut found = Discovery::default();
        let ask = take_list(&mut found, path, serde_json::from_str(json).unwrap(), kinds);
        (found, ask)
    }

    #[test]
    fn aggregated_discovery_picks_versions_and_names_what_is_down() {
        let (found, ask) = list(
            r#"{"kind":"APIGroupDiscoveryList","items":[
                {"metadata":{"name":"autoscaling"},"versions":[
                    {"version":"v1","resources":[{"resource":"horizontalpodautoscalers","scope":"Namespaced","verbs":["list","watch"]}]}]},
                {"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[
                    {"resource":"deployments","scope":"Namespaced","verbs":["list"]}]}]},
                {"metadata":{"name":"odd.example"},"versions":[{"version":"other.example/v1","resources":[]}]},
                {"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]}]}"#,
            "/apis",
            &[],
        );
        assert!(ask.is_empty());
        let hpa = found.served(&Builtin::Hpa.info()).unwrap();
        assert_eq!((hpa.root.as_str(), hpa.can_watch), ("/apis/autoscaling/v1", true), "v2 is not served");
        assert!(!found.served(&Builtin::Deployment.info()).unwrap().can_watch);
        assert_eq!(found.served(&Builtin::ArgoRollout.info()), None);
        assert_eq!(found.served(&Builtin::StatefulSet.info()), None);
        let failed: Vec<&str> = found.failed.iter().map(|f| f.0.as_str()).collect();
        assert_eq!(failed, ["odd.example", "metrics.k8s.io"]);
        assert_eq!(found.groups(), ["apps/v1", "autoscaling/v1", "metrics.k8s.io/v1beta1"]);
    }

    #[test]
    fn old_servers_are_asked_group_by_group() {
        let (hpa, rollout, deploy) = (Builtin::Hpa.info(), Builtin::ArgoRollout.info(), Builtin::Deployment.info());
        let (mut found, ask) = list(
            r#"{"kind":"APIGroupList","groups":[
                {"name":"autoscaling","versions":[{"groupVersion":"autoscaling/v2","version":"v2"},{"groupVersion":"autoscaling/v1","version":"v1"}],
                 "preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}},
                {"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]},
                {"name":"argoproj.io","versions":[{"groupVersion":"elsewhere.io/v1alpha1","version":"v1alpha1"}]},
                {"name":"unused.io","versions":[{"groupVersion":"unused.io/v1","version":"v1"}]}]}"#,
            "/apis",
            &[&hpa, &rollout, &deploy],
        );
        let pair = |g: &str, v: &str| (g.to_owned(), v.to_owned());
        assert_eq!(ask, [pair("autoscaling", "v2"), pair("autoscaling", "v1"), pair("apps", "v1")]);
        take_resources(
            &mut found,
            "apps",
            "v1",
            br#"{"kind":"APIResourceList","groupVersion":"extensions/v1","resources":[]}"#,
        );
        take_resources(
            &mut found,
            "autoscaling",
            "v2",
            br#"{"kind":"APIResourceList","groupVersion":"autoscaling/v2","resources":[
                {"name":"horizontalpodautoscalers","namespaced":true,"verbs":["list","watch"]}]}"#,
        );
        assert_eq!(found.served(&hpa).unwrap().root, "/apis/autoscaling/v2");
        // The group is there; only its own list can tell whether the kind is.
        assert!(found.served(&deploy).is_some());
        assert_eq!(found.served(&rollout), None);
        assert_eq!(found.failed.iter().map(|f| f.0.as_str()).collect::<Vec<_>>(), ["argoproj.io", "apps"]);
    }

    #[test]
    fn a_proxy_page_is_no_api() {
        let (found, _) = list(r#"{"kind":"Status","message":"hello"}"#, "/apis", &[]);
        assert_eq!(found.failed.len(), 1);
        // Nothing is known of the groups: what every server has is tried all the same.
        assert!(found.served(&Builtin::Deployment.info()).is_some());
        assert_eq!(found.served(&Builtin::ArgoRollout.info()), None);
        assert!(Discovery::blind(&[&Builtin::Pod.info()]).served(&Builtin::Pod.info()).is_some());
    }
}
