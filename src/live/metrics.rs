//! Use of a cluster's nodes as metrics.k8s.io sees it, summed.

use std::time::Duration;

use futures_util::StreamExt;
use serde::Deserialize;

use super::{
    connect::{Connection, refusal},
    splitter::{ListSplitter, Piece},
};
use crate::model::{Cause, CauseCode, KindInfo};

/// Between two polls. metrics-server itself measures every 15 s and more.
pub const EVERY: Duration = Duration::from_secs(30);

/// Time for the whole answer.
const PATIENCE: Duration = Duration::from_secs(15);

#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeMetrics<'a> {
    #[serde(borrow)]
    usage: Usage<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage<'a> {
    #[serde(borrow)]
    cpu: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    memory: std::borrow::Cow<'a, str>,
}

/// The kind to ask discovery for.
pub fn kind() -> KindInfo {
    KindInfo {
        group: "metrics.k8s.io".into(),
        versions: vec!["v1".into(), "v1beta1".into()],
        kind: "NodeMetrics".into(),
        plural: "nodes".into(),
        names: Vec::new(),
        namespaced: false,
        optional: true,
    }
}

/// Millicores and bytes in use on all nodes; `root` is where discovery found the group.
///
/// # Errors
/// The refusal of the server, or an answer that is none.
pub async fn usage(connection: &Connection, root: &str) -> Result<(u64, u64), Cause> {
    let read = async {
        let (parts, mut body) = connection.stream(&format!("{root}/nodes"), "application/json", true).await?;
        if !parts.status.is_success() {
            return Err(refusal(parts.status, &parts.headers, b""));
        }
        let mut splitter = ListSplitter::default();
        let mut sum = (0u64, 0u64);
        while let Some(chunk) = body.next().await {
            let fed = splitter.feed(&chunk?, &mut |piece| add(&mut sum, piece));
            fed.map_err(|e| Cause::new(CauseCode::Protocol, e.to_string()))?;
        }
        splitter.finish().map_err(|e| Cause::new(CauseCode::Reset, e.to_string()))?;
        Ok((sum.0 / 1_000_000, sum.1))
    };
    let answer = tokio::time::timeout(PATIENCE, read).await;
    let answer = answer.unwrap_or_else(|_| Err(Cause::new(CauseCode::Timeout, "metrics.k8s.io does not answer")));
    answer.map_err(|c: Cause| c.during("list", "nodes.metrics.k8s.io", ""))
}

/// Adds one node: nanocores and bytes.
fn add(sum: &mut (u64, u64), piece: Piece<'_>) {
    let Piece::Object(object) = piece else { return };
    let node: NodeMetrics<'_> = serde_json::from_slice(object).unwrap_or_default();
    sum.0 = sum.0.saturating_add(scaled(&node.usage.cpu, 1e9));
    sum.1 = sum.1.saturating_add(scaled(&node.usage.memory, 1.0));
}

/// A Kubernetes quantity in units of `1 / scale`; 0 when it is none.
fn scaled(quantity: &str, scale: f64) -> u64 {
    let end = quantity.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(quantity.len());
    let (number, suffix) = quantity.split_at(end);
    let factor = match suffix {
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        _ => return 0,
    };
    let value = number.parse::<f64>().unwrap_or(0.0) * factor * scale;
    // `as` saturates, and turns NaN and what is negative into 0.
    value.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_summed() {
        let mut sum = (0, 0);
        for (cpu, memory) in [("250m", "1Gi"), ("123456789n", "512Ki"), ("2", "100"), ("x", "5Zi")] {
            let json = format!(r#"{{"usage":{{"cpu":"{cpu}","memory":"{memory}"}}}}"#);
            add(&mut sum, Piece::Object(json.as_bytes()));
        }
        assert_eq!(sum, (2_373_456_789, (1 << 30) + (512 << 10) + 100));
    }
}
