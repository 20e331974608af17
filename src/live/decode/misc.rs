//! The smaller kinds: namespaces, services, endpoints, autoscalers, budgets, storage drivers, events, and any other kind.

use compact_str::{CompactString, ToCompactString};
use serde::Deserialize;

use super::{
    NOTE, Slim, Tools, bounded,
    meta::{Head, labels},
    slim::{Condition, Pairs, Text, condition, nullable},
};
use crate::{
    fleet::row::{CsiDriverRow, CsiNodeRow, Detail, EndpointsRow, EventRow, HpaRow, NamespaceRow, PdbRow, ServiceRow},
    model::Health,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Namespace<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    status: Phase<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Phase<'a> {
    #[serde(borrow)]
    phase: Text<'a>,
}

impl<'a> Slim<'a> for Namespace<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        let terminating = &*self.status.phase == "Terminating";
        let own = |pairs: &Pairs<'_>| -> Vec<(String, String)> {
            pairs
                .0
                .iter()
                .filter_map(|(k, v)| Some((k.strip_prefix("quarterdeck.dev/")?.to_owned(), v.to_string())))
                .collect()
        };
        let mut ledger = own(&self.metadata.labels);
        ledger.extend(own(&self.metadata.annotations.0));
        ledger.sort();
        ledger.dedup_by(|a, b| a.0 == b.0);
        let ledger = ledger.iter().map(|(k, v)| (tools.text(k), tools.text(bounded(v, NOTE)))).collect();
        let health = if terminating { Health::Busy } else { Health::Ok };
        (Detail::Namespace(Box::new(NamespaceRow { terminating, ledger })), health)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Service<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    spec: ServiceSpec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    status: ServiceStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ServiceSpec<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(rename = "clusterIP", borrow)]
    cluster_ip: Text<'a>,
    #[serde(rename = "externalIPs", borrow, deserialize_with = "nullable")]
    external_ips: Vec<Text<'a>>,
    #[serde(borrow)]
    external_name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    ports: Vec<Port<'a>>,
    #[serde(borrow)]
    selector: Pairs<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Port<'a> {
    #[serde(borrow)]
    port: Text<'a>,
    #[serde(borrow)]
    node_port: Text<'a>,
    #[serde(borrow)]
    protocol: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ServiceStatus<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    load_balancer: LoadBalancer<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LoadBalancer<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    ingress: Vec<Ingress<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Ingress<'a> {
    #[serde(borrow)]
    ip: Text<'a>,
    #[serde(borrow)]
    hostname: Text<'a>,
}

impl<'a> Slim<'a> for Service<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        let spec = &self.spec;
        let mut external: Vec<&str> = spec.external_ips.iter().map(|e| &**e).collect();
        external.extend(
            self.status.load_balancer.ingress.iter().map(|i| if i.ip.is_empty() { &*i.hostname } else { &*i.ip }),
        );
        if !spec.external_name.is_empty() {
            external.push(&spec.external_name);
        }
        let pending = &*spec.kind == "LoadBalancer" && external.is_empty();
        let ports: Vec<String> = spec
            .ports
            .iter()
            .map(|p| {
                let protocol = if p.protocol.is_empty() { "TCP" } else { &*p.protocol };
                match &*p.node_port {
                    "" | "0" => format!("{}/{protocol}", &*p.port),
                    node => format!("{}:{node}/{protocol}", &*p.port),
                }
            })
            .collect();
        let row = ServiceRow {
            kind: tools.text(if spec.kind.is_empty() { "ClusterIP" } else { &spec.kind }),
            cluster_ip: CompactString::new(&*spec.cluster_ip),
            external: if pending { "<pending>".into() } else { external.join(",").to_compact_string() },
            ports: tools.text(&ports.join(",")),
            selector: labels(&spec.selector, tools),
        };
        (Detail::Service(Box::new(row)), if pending { Health::Busy } else { Health::Ok })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EndpointSlice<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(deserialize_with = "nullable")]
    endpoints: Vec<Endpoint>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Endpoint {
    conditions: Option<EndpointConditions>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EndpointConditions {
    /// Absent means ready (discovery/v1).
    ready: Option<bool>,
}

impl<'a> Slim<'a> for EndpointSlice<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        let ready =
            self.endpoints.iter().filter(|e| e.conditions.as_ref().is_none_or(|c| c.ready.unwrap_or(true))).count();
        let not_ready = self.endpoints.len() - ready;
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let row = EndpointsRow {
            service: tools.text(self.metadata.labels.get("kubernetes.io/service-name").unwrap_or("")),
            ready: small(ready),
            not_ready: small(not_ready),
        };
        let health = match (ready, not_ready) {
            (_, 0) => Health::Ok,
            (0, _) => Health::Bad,
            _ => Health::Warn,
        };
        (Detail::Endpoints(Box::new(row)), health)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Hpa<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    spec: HpaSpec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    status: HpaStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct HpaSpec<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    scale_target_ref: Target<'a>,
    min_replicas: Option<u32>,
    #[serde(deserialize_with = "nullable")]
    max_replicas: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Target<'a> {
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct HpaStatus<'a> {
    #[serde(deserialize_with = "nullable")]
    current_replicas: u32,
    #[serde(deserialize_with = "nullable")]
    desired_replicas: u32,
    #[serde(borrow, deserialize_with = "nullable")]
    conditions: Vec<Condition<'a>>,
}

impl<'a> Slim<'a> for Hpa<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        let conditions = &self.status.conditions;
        let failing = ["AbleToScale", "ScalingActive"].iter().find_map(|name| {
            condition(conditions, name).filter(|c| &*c.status == "False" && &*c.reason != "ScalingDisabled")
        });
        let limited = condition(conditions, "ScalingLimited")
            .is_some_and(|c| &*c.status == "True" && &*c.reason == "TooManyReplicas");
        let row = HpaRow {
            target_kind: tools.text(&self.spec.scale_target_ref.kind),
            target: tools.text(&self.spec.scale_target_ref.name),
            min: self.spec.min_replicas.unwrap_or(1),
            max: self.spec.max_replicas,
            current: self.status.current_replicas,
            desired: self.status.desired_replicas,
            reason: failing.and_then(|c| tools.some(&c.reason)),
        };
        let health = if failing.is_some() || limited { Health::Warn } else { Health::Ok };
        (Detail::Hpa(Box::new(row)), health)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Pdb<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    spec: PdbSpec<'a>,
    #[serde(deserialize_with = "nullable")]
    status: PdbStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PdbSpec<'a> {
    #[serde(borrow)]
    min_available: Text<'a>,
    #[serde(borrow)]
    max_unavailable: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    selector: Selector<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Selector<'a> {
    #[serde(borrow)]
    match_labels: Pairs<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PdbStatus {
    #[serde(deserialize_with = "nullable")]
    disruptions_allowed: u32,
    #[serde(deserialize_with = "nullable")]
    current_healthy: u32,
    #[serde(deserialize_with = "nullable")]
    desired_healthy: u32,
    #[serde(deserialize_with = "nullable")]
    expected_pods: u32,
}

impl<'a> Slim<'a> for Pdb<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        let s = &self.status;
        let row = PdbRow {
            min_available: tools.text(&self.spec.min_available),
            max_unavailable: tools.text(&self.spec.max_unavailable),
            allowed: s.disruptions_allowed,
            healthy: s.current_healthy,
            desired: s.desired_healthy,
            selector: labels(&self.spec.selector.match_labels, tools),
        };
        let health =
            if s.expected_pods > 0 && s.current_healthy < s.desired_healthy { Health::Warn } else { Health::Ok };
        (Detail::Pdb(Box::new(row)), health)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CsiDriver<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(deserialize_with = "nullable")]
    spec: CsiDriverSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CsiDriverSpec {
    attach_required: Option<bool>,
    storage_capacity: Option<bool>,
}

impl<'a> Slim<'a> for CsiDriver<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, _: &mut Tools<'_>) -> (Detail, Health) {
        let row = CsiDriverRow {
            // Defaults of storage.k8s.io/v1.
            attach_required: self.spec.attach_required.unwrap_or(true),
            storage_capacity: self.spec.storage_capacity.unwrap_or(false),
        };
        (Detail::CsiDriver(Box::new(row)), Health::Ok)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CsiNode<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    spec: CsiNodeSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CsiNodeSpec<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    drivers: Vec<Named<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Named<'a> {
    #[serde(borrow)]
    name: Text<'a>,
}

impl<'a> Slim<'a> for CsiNode<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        let drivers = self.spec.drivers.iter().map(|d| tools.text(&d.name)).collect();
        (Detail::CsiNode(Box::new(CsiNodeRow { drivers })), Health::Ok)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Event<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    involved_object: Target<'a>,
    #[serde(borrow)]
    reason: Text<'a>,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    count: u32,
    #[serde(borrow)]
    last_timestamp: Text<'a>,
    #[serde(borrow)]
    event_time: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    series: Series<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    source: EventSource<'a>,
    #[serde(borrow)]
    reporting_component: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Series<'a> {
    #[serde(deserialize_with = "nullable")]
    count: u32,
    #[serde(borrow)]
    last_observed_time: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EventSource<'a> {
    #[serde(borrow)]
    component: Text<'a>,
}

impl<'a> Slim<'a> for Event<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        // Last seen: the series' time, else the old field, else the event's own time (specs: governance 8.6).
        let last = [&self.series.last_observed_time, &self.last_timestamp, &self.event_time]
            .into_iter()
            .map(Text::secs)
            .find(|s| s.0 > 0)
            .unwrap_or_default();
        let source =
            if self.reporting_component.is_empty() { &self.source.component } else { &self.reporting_component };
        let row = EventRow {
            kind: tools.text(&self.involved_object.kind),
            object: CompactString::new(&*self.involved_object.name),
            reason: tools.text(&self.reason),
            message: Box::from(bounded(&self.message, NOTE)),
            count: self.series.count.max(self.count).max(1),
            last,
            source: tools.text(source),
        };
        let health = if &*self.kind == "Warning" { Health::Warn } else { Health::Ok };
        (Detail::Event(Box::new(row)), health)
    }
}

/// Any other kind: what its Ready-like condition or its phase says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Other<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    status: OtherStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OtherStatus<'a> {
    #[serde(borrow)]
    phase: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    conditions: Vec<Condition<'a>>,
}

impl<'a> Slim<'a> for Other<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        let found =
            ["Ready", "Available", "Healthy", "Synced"].iter().find_map(|n| condition(&self.status.conditions, n));
        match found {
            Some(c) if &*c.status == "True" => (Detail::Other(tools.some(&c.kind)), Health::Ok),
            Some(c) if &*c.status == "False" => {
                let word = if c.reason.is_empty() { &c.kind } else { &c.reason };
                (Detail::Other(tools.some(word)), Health::Warn)
            }
            Some(_) => (Detail::Other(None), Health::Unknown),
            None => (Detail::Other(tools.some(&self.status.phase)), Health::Ok),
        }
    }
}
