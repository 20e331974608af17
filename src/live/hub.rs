//! The policies of a hub cluster: the four kinds of Karmada, whole, of all namespaces, by GETs alone.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::{
    connect::{Connection, Response},
    discovery::Served,
    watch::{Collection, PAGE},
};
use crate::model::{Cause, CauseCode};

/// The group and version that are read.
const GROUP: &str = "policy.karmada.io/v1alpha1";

/// Kinds, their plurals, and whether they live in namespaces.
const KINDS: [(&str, &str, bool); 4] = [
    ("PropagationPolicy", "propagationpolicies", true),
    ("ClusterPropagationPolicy", "clusterpropagationpolicies", false),
    ("OverridePolicy", "overridepolicies", true),
    ("ClusterOverridePolicy", "clusteroverridepolicies", false),
];

/// Time for everything.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time for one page.
const PAGE_PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of all answers together.
const MOST_BYTES: usize = 64 << 20;

/// The policies of a hub.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HubPolicies {
    /// The objects as the server has them, without `managedFields` and `status`; kind by kind, in the server's order.
    pub items: Vec<Value>,
    /// Kinds that the server does not serve: `propagationpolicies.policy.karmada.io`.
    pub absent: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct List {
    metadata: ListMeta,
    items: Vec<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListMeta {
    #[serde(rename = "continue")]
    next: String,
}

/// Reads them. All or nothing: a part of the policies would place what the hub does not.
///
/// # Errors
///
/// The server's refusal, or what kept it from answering in time; more than 64 MiB.
pub(super) async fn policies(connection: Connection) -> Result<HubPolicies, Cause> {
    let late = |_| Cause::new(CauseCode::Timeout, format!("the policies were not read in {} s", PATIENCE.as_secs()));
    tokio::time::timeout(PATIENCE, all(&connection.interactive())).await.map_err(late)?
}

async fn all(connection: &Connection) -> Result<HubPolicies, Cause> {
    let (mut found, mut bytes) = (HubPolicies::default(), 0);
    for (kind, plural, namespaced) in KINDS {
        let (group, _) = GROUP.split_once('/').unwrap_or((GROUP, ""));
        let resource = format!("{plural}.{group}");
        let served = Served {
            root: format!("/apis/{GROUP}"),
            plural: plural.to_owned(),
            namespaced,
            can_list: true,
            can_watch: false,
        };
        let collection = Collection::new(&served, "", "");
        let mut next = String::new();
        loop {
            let about = |cause: Cause| cause.during("list", &resource, "");
            let answer = connection.get(&collection.page(PAGE, &next), "application/json", PAGE_PATIENCE).await;
            let answer = answer.map_err(about)?;
            if answer.status.as_u16() == 404 && next.is_empty() {
                found.absent.push(resource.clone());
                break;
            }
            let answer = Response::ok(answer).map_err(about)?;
            bytes += answer.bytes.len();
            if bytes > MOST_BYTES {
                let most = MOST_BYTES >> 20;
                return Err(about(Cause::new(CauseCode::Protocol, format!("the policies are larger than {most} MiB"))));
            }
            let list: List = serde_json::from_slice(&answer.bytes)
                .map_err(|e| about(Cause::new(CauseCode::Protocol, e.to_string())))?;
            found.items.extend(list.items.into_iter().map(|item| tidy(item, kind)));
            if list.metadata.next.is_empty() {
                break;
            }
            next = list.metadata.next;
        }
    }
    Ok(found)
}

/// Without what the server keeps for itself; the words that lists may leave out are filled in.
fn tidy(mut item: Value, kind: &str) -> Value {
    if let Some(map) = item.as_object_mut() {
        map.entry("apiVersion").or_insert_with(|| GROUP.into());
        map.entry("kind").or_insert_with(|| kind.into());
        map.remove("status");
        if let Some(meta) = map.get_mut("metadata").and_then(Value::as_object_mut) {
            meta.remove("managedFields");
        }
    }
    item
}
