//! Questions about the pods of a controller: which count, which go first.

use serde_json::Value;

use super::value::*;
use crate::model::Millis;

/// What a controller reports of its pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Active pods.
    pub all: i64,
    /// Ready ones.
    pub ready: i64,
    /// Ready for `minReadySeconds`.
    pub available: i64,
    /// When the next ready pod becomes available.
    pub next: Option<Millis>,
}

/// Counts the active ones among the pods.
pub fn count<'a>(pods: impl IntoIterator<Item = &'a Value>, min_ready: i64, now: Millis) -> Count {
    let mut count = Count::default();
    for pod in pods.into_iter().filter(|p| active(p)) {
        count.all += 1;
        if !is_true(pod, "Ready") {
            continue;
        }
        count.ready += 1;
        if available(pod, min_ready, now) {
            count.available += 1;
            continue;
        }
        let since = condition(pod, "Ready").and_then(|c| time(c, "/lastTransitionTime")).unwrap_or(now);
        let at = Millis(since.0 + min_ready * 1000);
        count.next = Some(count.next.map_or(at, |n| n.min(at)));
    }
    count
}

/// Sorts so that those to be removed first come first: unplaced, pending, not ready, cheaper to delete, ready for a
/// shorter time, restarted more often, younger; at last by name so that the order is always the same.
pub fn removal_order(pods: &mut [Value]) {
    pods.sort_by_cached_key(|p| {
        let placed = !text(p, "/spec/nodeName").is_empty();
        let phase = match text(p, "/status/phase") {
            "Running" => 2,
            "Pending" => 0,
            _ => 1,
        };
        let cost: i64 = annotation(p, "controller.kubernetes.io/pod-deletion-cost").parse().unwrap_or(0);
        let since = condition(p, "Ready").and_then(|c| time(c, "/lastTransitionTime")).map_or(0, |t| t.0);
        let restarts: i64 = list(p, "/status/containerStatuses").iter().map(|c| int(c, "/restartCount", 0)).sum();
        let made = time(p, "/metadata/creationTimestamp").map_or(0, |t| t.0);
        (placed, phase, is_true(p, "Ready"), cost, -since, -restarts, -made, name(p).to_owned())
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_least_useful_pod_goes_first() {
        let pod = |name: &str, node: &str, ready: &str, since: &str| {
            json!({"metadata": {"name": name}, "spec": {"nodeName": node}, "status": {"phase": "Running",
                "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": since}]}})
        };
        let mut pods = vec![
            pod("old", "n", "True", "2026-01-01T00:00:00Z"),
            pod("young", "n", "True", "2026-02-01T00:00:00Z"),
            pod("sick", "n", "False", "2026-01-01T00:00:00Z"),
            pod("unplaced", "", "False", "2026-01-01T00:00:00Z"),
        ];
        removal_order(&mut pods);
        let names: Vec<&str> = pods.iter().map(name).collect();
        assert_eq!(names, ["unplaced", "sick", "young", "old"]);
    }
}
