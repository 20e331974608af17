//! How many more replicas of an object a cluster can take, from what its nodes have left: the rule of Karmada's built-in
//! estimator (free pod slots, and for every requested resource free / request, the smallest of all counts).

use super::{cluster::Cluster, object::Object, tree::Node};
use crate::model::{quantity, quantity_milli};

/// What is left in a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Free {
    /// Thousandths of a processor.
    pub cpu_milli: i64,
    /// Bytes of memory.
    pub memory: i64,
    /// Pods.
    pub pods: i64,
}

/// Room by cluster for one more of an object's Pods each; `None` where no cluster's free capacity is known (their own
/// figures then count).
pub fn available(object: &Object, clusters: &[Cluster]) -> Option<Vec<Option<i64>>> {
    if clusters.iter().all(|c| c.free.is_none()) {
        return None;
    }
    let asked = requests(object);
    Some(clusters.iter().map(|c| c.available.or_else(|| c.free.map(|free| fits(free, asked)))).collect())
}

fn fits(free: Free, asked: Free) -> i64 {
    let times = |free: i64, asked: i64| if asked > 0 { free.max(0) / asked } else { i64::MAX };
    times(free.pods, 1).min(times(free.cpu_milli, asked.cpu_milli)).min(times(free.memory, asked.memory)).max(0)
}

/// What one Pod of an object asks for: its containers together, or its greediest init container. A limit stands in for a
/// missing request.
pub fn requests(object: &Object) -> Free {
    let pod = object.node.at_keys(&["spec", "template", "spec"]).or_else(|| object.node.get("spec"));
    let Some(pod) = pod else { return Free::default() };
    let sum = pod.items_of("containers").iter().map(container).fold(Free::default(), |a, b| Free {
        cpu_milli: a.cpu_milli.saturating_add(b.cpu_milli),
        memory: a.memory.saturating_add(b.memory),
        pods: 1,
    });
    pod.items_of("initContainers").iter().map(container).fold(sum, |a, b| Free {
        cpu_milli: a.cpu_milli.max(b.cpu_milli),
        memory: a.memory.max(b.memory),
        pods: 1,
    })
}

fn container(node: &Node) -> Free {
    let asked = |what: &str| {
        let from = |part: &str| node.at_keys(&["resources", part, what]);
        from("requests").or_else(|| from("limits")).map(written).unwrap_or_default()
    };
    let number = |n: Option<u64>| n.and_then(|n| i64::try_from(n).ok()).unwrap_or(0);
    Free { cpu_milli: number(quantity_milli(&asked("cpu"))), memory: number(quantity(&asked("memory"))), pods: 1 }
}

/// A quantity as text; manifests write some as numbers.
fn written(node: &Node) -> String {
    node.as_str().map_or_else(|| node.to_json().to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::origin::Origin;

    #[test]
    fn the_scarcest_resource_counts() {
        let json = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": {"spec": {
            "containers": [
                {"name": "a", "resources": {"requests": {"cpu": "250m", "memory": "64Mi"}}},
                {"name": "b", "resources": {"limits": {"cpu": 1}}},
            ],
            "initContainers": [{"name": "i", "resources": {"requests": {"memory": "1Gi"}}}],
        }}}});
        let object = Object::new(Node::from_json(&json, &Origin::Unknown)).unwrap();
        assert_eq!(requests(&object), Free { cpu_milli: 1250, memory: 1 << 30, pods: 1 });
        let cluster = |free: Option<Free>, available| Cluster { free, available, ..Cluster::default() };
        let free = |cpu_milli, memory, pods| Some(Free { cpu_milli, memory, pods });
        let clusters = [
            cluster(free(5000, 100 << 30, 90), None),
            cluster(free(50_000, 3 << 30, 90), None),
            cluster(free(50_000, 100 << 30, 2), None),
            cluster(free(-5, 100 << 30, 2), None),
            cluster(None, Some(7)),
            cluster(None, None),
        ];
        let room = available(&object, &clusters).unwrap();
        assert_eq!(room, [Some(4), Some(3), Some(2), Some(0), Some(7), None]);
        assert_eq!(available(&object, &clusters[4..]), None);
    }
}
