//! Nodes: readiness, versions, topology, capacity, and the marks of network plug-ins.

use compact_str::CompactString;
use serde::Deserialize;

use super::{
    Slim, Tools,
    meta::Head,
    note,
    slim::{Condition, Pairs, Text, condition, nullable},
};
use crate::{
    fleet::row::{Detail, NodeReady, NodeRow, Resources},
    model::{Health, quantity, quantity_milli},
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    spec: Spec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    status: Status<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec<'a> {
    #[serde(rename = "providerID", borrow)]
    provider_id: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    unschedulable: bool,
    #[serde(deserialize_with = "nullable")]
    taints: Vec<serde::de::IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status<'a> {
    #[serde(borrow)]
    allocatable: Pairs<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    conditions: Vec<Condition<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    addresses: Vec<Address<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    node_info: Info<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Address<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    address: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Info<'a> {
    #[serde(borrow)]
    kubelet_version: Text<'a>,
    #[serde(borrow)]
    os_image: Text<'a>,
    #[serde(borrow)]
    container_runtime_version: Text<'a>,
    #[serde(borrow)]
    architecture: Text<'a>,
}

/// Annotation prefixes that tell of a network plug-in (specs: governance 7.3).
const NETWORK: &[&str] = &[
    "network.cilium.io/",
    "io.cilium.network",
    "projectcalico.org/",
    "flannel.alpha.coreos.com/",
    "k8s.ovn.org/",
    "ovn.kubernetes.io/",
];

impl<'a> Slim<'a> for Node<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        let (s, labels) = (&self.status, &self.metadata.labels);
        let ready_condition = condition(&s.conditions, "Ready");
        let ready = match ready_condition.map(|c| &*c.status) {
            Some("True") => NodeReady::Yes,
            Some("False") => NodeReady::No,
            _ => NodeReady::Unknown,
        };
        let label = |keys: &[&str]| keys.iter().find_map(|k| labels.get(k)).unwrap_or("");
        let why = ready_condition.filter(|_| ready != NodeReady::Yes).map_or("", |c| &*c.message);
        let row = NodeRow {
            ready,
            unschedulable: self.spec.unschedulable,
            roles: tools.text(&self.roles()),
            kubelet: tools.text(&s.node_info.kubelet_version),
            os_image: tools.text(&s.node_info.os_image),
            runtime: tools.text(&s.node_info.container_runtime_version),
            arch: tools.text(&s.node_info.architecture),
            region: tools.text(label(&["topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"])),
            zone: tools.text(label(&["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"])),
            instance: tools.text(label(&["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"])),
            provider: tools.text(provider_mark(&self.spec.provider_id)),
            allocatable: resources(&s.allocatable),
            pressures: self.pressures(tools),
            note: note(why),
            network_marks: self.network_marks(tools),
            address: s.addresses.iter().find(|a| &*a.kind == "InternalIP").map(|a| CompactString::new(&*a.address)),
            taints: u8::try_from(self.spec.taints.len()).unwrap_or(u8::MAX),
        };
        let health = match ready {
            NodeReady::No | NodeReady::Unknown => Health::Bad,
            NodeReady::Yes if !row.pressures.is_empty() => Health::Warn,
            NodeReady::Yes if row.unschedulable => Health::Idle,
            NodeReady::Yes => Health::Ok,
        };
        (Detail::Node(Box::new(row)), health)
    }
}

impl Node<'_> {
    /// `node-role.kubernetes.io/<role>` labels and the older `kubernetes.io/role`, sorted, as kubectl shows them.
    fn roles(&self) -> String {
        let mut roles: Vec<&str> = self
            .metadata
            .labels
            .0
            .iter()
            .filter_map(|(k, v)| match k.strip_prefix("node-role.kubernetes.io/") {
                Some(role) => Some(role),
                None => (&**k == "kubernetes.io/role").then_some(&**v),
            })
            .filter(|r| !r.is_empty())
            .collect();
        roles.sort_unstable();
        roles.dedup();
        roles.join(",")
    }

    /// Conditions other than Ready that are on: all of them tell of trouble.
    fn pressures(&self, tools: &mut Tools<'_>) -> Box<[std::sync::Arc<str>]> {
        // These plug-ins report health as a positive condition.
        const GOOD: &[&str] = &["Ready", "CiliumIsUp", "CalicoIsUp", "FlannelIsUp", "WeaveIsUp"];
        self.status
            .conditions
            .iter()
            .filter(|c| &*c.status == "True" && !GOOD.contains(&&*c.kind))
            .map(|c| tools.text(&c.kind))
            .collect()
    }

    /// Prefixes of the annotations that are there, and the reason of NetworkUnavailable.
    fn network_marks(&self, tools: &mut Tools<'_>) -> Box<[std::sync::Arc<str>]> {
        let annotations = &self.metadata.annotations.0.0;
        let mut marks: Vec<&str> =
            NETWORK.iter().copied().filter(|p| annotations.iter().any(|(k, _)| k.starts_with(p))).collect();
        if let Some(c) = condition(&self.status.conditions, "NetworkUnavailable").filter(|c| !c.reason.is_empty()) {
            marks.push(&c.reason);
        }
        marks.into_iter().map(|m| tools.text(m)).collect()
    }
}

/// What of a providerID tells the provider: its scheme, or the whole prefix where there is no scheme (Alibaba's
/// `cn-hangzhou.i-...`, Oracle's `ocid1.`).
fn provider_mark(id: &str) -> &str {
    match id.split_once("://") {
        Some((scheme, _)) => scheme,
        None if id.starts_with("ocid1.") => "oci",
        None if id.contains(".i-") => "alicloud",
        None => id.get(..id.len().min(24)).unwrap_or(""),
    }
}

fn resources(pairs: &Pairs<'_>) -> Resources {
    Resources {
        cpu_m: pairs.get("cpu").and_then(quantity_milli).unwrap_or(0),
        mem: pairs.get("memory").and_then(quantity).unwrap_or(0),
        pods: pairs.get("pods").and_then(quantity).and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
    }
}
