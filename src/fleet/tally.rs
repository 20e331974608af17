//! Counters of one cluster, kept up to date row by row: nodes, pods, workloads, plug-ins.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    plugins::{self, Rule},
    row::{Detail, NodeReady, NodeRow, Phase, PodRow, Resources, Row},
};
use crate::model::{Builtin, Health, KindId};

/// How often each text occurs.
#[derive(Debug, Default)]
pub(super) struct Counted(BTreeMap<Arc<str>, u32>);

impl Counted {
    fn add(&mut self, key: &Arc<str>) {
        match self.0.get_mut(key) {
            Some(n) => *n += 1,
            None => drop(self.0.insert(Arc::clone(key), 1)),
        }
    }

    fn remove(&mut self, key: &Arc<str>) {
        if let Some(n) = self.0.get_mut(key) {
            *n -= 1;
            if *n == 0 {
                self.0.remove(key);
            }
        }
    }

    fn change(&mut self, key: &Arc<str>, more: bool) {
        if more { self.add(key) } else { self.remove(key) }
    }

    /// Texts in their order, with their counts; the empty text is left out.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&Arc<str>, u32)> {
        self.0.iter().filter(|(k, _)| !k.is_empty()).map(|(k, n)| (k, *n))
    }

    /// Texts by count, the most frequent first.
    pub(super) fn frequent(&self) -> Vec<(Arc<str>, u32)> {
        let mut all: Vec<(Arc<str>, u32)> = self.iter().map(|(k, n)| (Arc::clone(k), n)).collect();
        all.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        all
    }

    /// How often a text occurs.
    pub(super) fn get(&self, key: &str) -> u32 {
        self.0.get(key).copied().unwrap_or(0)
    }
}

/// What the inventory counts in one cluster.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Nodes in all, ready, schedulable.
    pub(super) nodes: u32,
    pub(super) ready: u32,
    pub(super) schedulable: u32,
    /// Sum over nodes.
    pub(super) allocatable: Resources,
    pub(super) regions: Counted,
    pub(super) zones: Counted,
    pub(super) kubelets: Counted,
    pub(super) providers: Counted,
    pub(super) marks: Counted,
    /// Node labels (keys) that tell a distribution.
    pub(super) label_marks: Counted,
    /// Pods that are not finished: all, well, bad.
    pub(super) pods: u32,
    pub(super) pods_well: u32,
    pub(super) pods_bad: u32,
    /// Sum of the requests of those pods.
    pub(super) requested: Resources,
    /// Workloads ok, warn, bad.
    pub(super) workloads: [u32; 3],
    /// Business systems by `part-of`.
    pub(super) systems: Counted,
    /// Workloads that are known plug-ins.
    pub(super) plugins: BTreeMap<(KindId, u32), &'static Rule>,
    /// CSI drivers by the number of nodes that have them.
    pub(super) drivers: Counted,
}

/// Label of the business system.
pub(super) const PART_OF: &str = "app.kubernetes.io/part-of";

impl Tally {
    /// Counts a row in.
    pub(super) fn add(&mut self, kind: KindId, slot: u32, row: &Row) {
        self.change(kind, row, true);
        if row.workload().is_some()
            && let Some(rule) = plugins::recognise(kind, row)
        {
            self.plugins.insert((kind, slot), rule);
        }
    }

    /// Counts a row out.
    pub(super) fn remove(&mut self, kind: KindId, slot: u32, row: &Row) {
        self.change(kind, row, false);
        if row.workload().is_some() {
            self.plugins.remove(&(kind, slot));
        }
    }

    fn change(&mut self, kind: KindId, row: &Row, more: bool) {
        match &row.detail {
            Detail::Pod(pod) => self.pod(row, pod, more),
            Detail::Node(node) => self.node(row, node, more),
            Detail::Workload(_) if is_top(kind, row) => self.workload(row, more),
            Detail::CsiNode(node) => node.drivers.iter().for_each(|d| self.drivers.change(d, more)),
            _ => {}
        }
    }

    fn pod(&mut self, row: &Row, pod: &PodRow, more: bool) {
        if matches!(pod.phase, Phase::Succeeded | Phase::Failed) {
            return;
        }
        step(&mut self.pods, 1, more);
        step(&mut self.pods_well, u32::from(matches!(row.health, Health::Ok | Health::Idle)), more);
        step(&mut self.pods_bad, u32::from(row.health == Health::Bad), more);
        sum(&mut self.requested, Resources { cpu_m: u64::from(pod.cpu_m), mem: pod.mem, pods: 1 }, more);
    }

    fn node(&mut self, row: &Row, node: &NodeRow, more: bool) {
        step(&mut self.nodes, 1, more);
        step(&mut self.ready, u32::from(node.ready == NodeReady::Yes), more);
        step(&mut self.schedulable, u32::from(!node.unschedulable), more);
        sum(&mut self.allocatable, node.allocatable, more);
        self.regions.change(&node.region, more);
        self.zones.change(&node.zone, more);
        self.kubelets.change(&node.kubelet, more);
        self.providers.change(&node.provider, more);
        node.network_marks.iter().for_each(|m| self.marks.change(m, more));
        for (key, _) in row.labels.iter().filter(|(k, _)| plugins::tells_distribution(k)) {
            self.label_marks.change(key, more);
        }
    }

    fn workload(&mut self, row: &Row, more: bool) {
        let class = match row.health {
            Health::Ok | Health::Idle | Health::Busy => 0,
            Health::Unknown | Health::Warn => 1,
            Health::Bad => 2,
        };
        step(&mut self.workloads[class], 1, more);
        if let Some((_, system)) = row.labels.iter().find(|(k, _)| &**k == PART_OF) {
            self.systems.change(system, more);
        }
    }
}

/// Whether the row is a workload of its own: ReplicaSets and Jobs with a controller belong to it.
pub(super) fn is_top(kind: KindId, row: &Row) -> bool {
    row.workload().is_some()
        && !(matches!(kind.builtin(), Some(Builtin::ReplicaSet | Builtin::Job)) && row.owner.is_some())
}

fn step(counter: &mut u32, by: u32, more: bool) {
    *counter = if more { *counter + by } else { counter.saturating_sub(by) };
}

fn sum(total: &mut Resources, by: Resources, more: bool) {
    let turn = |a: u64, b: u64| if more { a.saturating_add(b) } else { a.saturating_sub(b) };
    total.cpu_m = turn(total.cpu_m, by.cpu_m);
    total.mem = turn(total.mem, by.mem);
    step(&mut total.pods, by.pods, more);
}
