//! Defaults of Services, NetworkPolicies and endpoints (N50, N51, N54).

use serde_json::{Value as Json, json};

use super::{Fields, child, holds, set, word};

/// Defaults by type.
pub(super) fn of_type(name: &str, fields: &mut Fields) {
    match name {
        "ServiceSpec" => service(fields),
        "ServicePort" => {
            if let Some(port) = fields.get("port").cloned() {
                set(fields, "targetPort", port);
            }
        }
        "NetworkPolicySpec" => {
            child(fields, "podSelector");
            if !holds(fields, "policyTypes") {
                let egress = holds(fields, "egress");
                let types = if egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
                fields.insert("policyTypes".into(), types);
            }
        }
        "NetworkPolicyPort" | "EndpointPort" | "EndpointPort_core" | "ContainerPort" => set(fields, "protocol", "TCP"),
        _ => {}
    }
}

fn service(fields: &mut Fields) {
    set(fields, "type", "ClusterIP");
    set(fields, "sessionAffinity", "None");
    if word(fields, "sessionAffinity") == "ClientIP" {
        set(child(child(fields, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds", 10800);
    }
    let kind = word(fields, "type").to_owned();
    if kind == "ExternalName" {
        return;
    }
    set(fields, "internalTrafficPolicy", "Cluster");
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") || holds(fields, "externalIPs") {
        set(fields, "externalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        set(fields, "allocateLoadBalancerNodePorts", Json::Bool(true));
    }
}
