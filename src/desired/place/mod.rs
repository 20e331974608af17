//! Placement: clusters and a rule in, which clusters and how many replicas out. Pure, and quick enough to be asked at every
//! key: the decision itself keeps no reasons; reasons are made for the one that is looked at.

mod assign;
mod decide;
mod divide;
mod explain;
mod facts;
mod filter;
mod limits;
pub mod manifest;
mod pass;
mod prepared;
mod region;
mod region_set;
mod resource;
mod roster;
mod say;
mod select;

pub use decide::decide;
pub use divide::{Party, divide};
pub use explain::{Attempted, Bar, Chance, ClusterPlaced, Explanation, Former, RegionPlaced};
pub use filter::{bears, lacked, unborne};
pub use manifest::{HandOver, rule};
pub use pass::{Cause, How, Pick};
pub use prepared::Prepared;
pub use resource::Resource;
pub use roster::Roster;

use std::sync::Arc;

use super::{
    cluster::Cluster,
    selector::{Affinity, Field, Operator},
};

/// Who goes where: the words of Karmada's `Placement`, and what our own policies add (limits per cluster).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placement {
    /// Ordered groups of clusters, the first one that works is taken. Never empty: without any affinity there is one
    /// group without a name that takes every cluster.
    pub groups: Vec<Group>,
    /// True when the groups have names, and the one in use is remembered.
    pub named_groups: bool,
    /// Taints that are borne.
    pub tolerations: Vec<Toleration>,
    /// Limits on the number of clusters and regions.
    pub spread: Vec<Spread>,
    /// How replicas are dealt out.
    pub strategy: Strategy,
    /// Least and most replicas in a cluster (our own policies only); the first that fits a cluster counts.
    pub limits: Vec<Limit>,
}

/// One group of clusters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Its name; empty where groups have none.
    pub name: Arc<str>,
    /// Its clusters.
    pub affinity: Affinity,
    /// Clusters that take what does not fit, in order.
    pub overflow: Vec<(Arc<str>, Affinity)>,
}

/// A taint that is borne.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toleration {
    /// Key; empty = any.
    pub key: String,
    /// Any value will do.
    pub exists: bool,
    /// Value, unless any will do.
    pub value: String,
    /// Effect; empty = any.
    pub effect: String,
    /// It says for how long (`tolerationSeconds`), which plays no part in placement.
    pub timed: bool,
}

/// What clusters are grouped by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpreadBy {
    /// Single clusters.
    Cluster,
    /// Regions.
    Region,
    /// Zones: clusters without one are left out, nothing else.
    Zone,
    /// Providers: clusters without one are left out, nothing else.
    Provider,
    /// A label: not supported by Karmada.
    Label(String),
    /// Values of this field, counted as regions are (our own policies only). A cluster counts for its first zone or group.
    Counted(Field),
}

impl SpreadBy {
    /// The group of a cluster where groups are counted; empty where it has none, or nothing is counted.
    pub fn group<'a>(&self, cluster: &'a Cluster) -> &'a str {
        match self {
            Self::Region => &cluster.region,
            Self::Counted(field) => field.first(cluster),
            _ => "",
        }
    }

    /// The word of what is counted; a label has none of its own.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Region => "region",
            Self::Zone => "zone",
            Self::Provider => "provider",
            Self::Label(_) => "label",
            Self::Counted(field) => field.word(),
        }
    }
}

/// The greatest number of replicas that anything can have (Kubernetes counts them in 32 bits). What files say beyond it, or below 0,
/// counts as the nearest that can be, so that no sum over a fleet overflows.
pub(in crate::desired) const MOST: i64 = i32::MAX as i64;

/// A limit on the number of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// What is counted.
    pub by: SpreadBy,
    /// At least this many.
    pub min: i64,
    /// At most this many; 0 (where it was left out) selects nothing.
    pub max: i64,
}

/// A weight for clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// Which ones.
    pub affinity: Affinity,
    /// Weight, 1 or more.
    pub weight: i64,
}

/// How replicas are dealt out.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Strategy {
    /// Nothing was said: as [`Strategy::Duplicated`], but never a reason to place again.
    #[default]
    Absent,
    /// All of them in every cluster.
    Duplicated,
    /// By fixed weights; an empty list = equal ones. `given` tells a list that is there but empty (`weightPreference: {}`)
    /// from none at all: spread limits count in the first case only.
    Static {
        /// The weights.
        weights: Vec<Weight>,
        /// `weightPreference` was there.
        given: bool,
    },
    /// By free room.
    Dynamic,
    /// In as few clusters as have room.
    Aggregated,
}

/// Least and most replicas in a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Which clusters.
    pub affinity: Affinity,
    /// At least.
    pub min: i64,
    /// At most.
    pub max: Option<i64>,
}

/// Operators that field selectors of clusters may use.
pub const FIELD_OPERATORS: [Operator; 2] = [Operator::In, Operator::NotIn];

/// Why nothing (new) was placed; the words of situation files are those of [`Failure::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No cluster passes every filter.
    NoClusterFit,
    /// Clusters fit, but have too little room.
    Unschedulable,
    /// Too few clusters or regions.
    MinGroups,
    /// The clusters that may be selected have too little room.
    NoEnoughResource,
    /// Nothing could be selected (a limit was left out).
    NothingSelected,
    /// This kind of spread is not supported.
    UnsupportedSpread,
}

impl Failure {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoClusterFit => "no-cluster-fit",
            Self::Unschedulable => "unschedulable",
            Self::MinGroups => "min-groups",
            Self::NoEnoughResource => "no-enough-resource",
            Self::NothingSelected => "nothing-selected",
            Self::UnsupportedSpread => "unsupported-spread",
        }
    }

    /// Whether the former result stays in force.
    pub fn keeps_former(self) -> bool {
        self != Self::NoClusterFit
    }
}

/// What is known of a placement before a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Replicas by cluster as placed before, by name; a holder may have 0.
    pub previous: Vec<(Arc<str>, i64)>,
    /// Group now in use.
    pub observed: Option<Arc<str>>,
    /// A fresh start was asked for.
    pub reschedule: bool,
    /// Clusters from which it is being moved away.
    pub evicting: Vec<Arc<str>>,
    /// The rule is the one last applied: first it is decided whether a pass runs at all.
    pub unchanged: bool,
}

/// Where the replicas go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Replicas by cluster (index into the clusters given), by index; 0 for what has no replicas. Or why there is no answer.
    pub outcome: Result<Vec<(u32, i64)>, Failure>,
    /// Group in use afterwards, where groups have names.
    pub group: Option<Arc<str>>,
    /// False when no pass ran: the answer is what was placed before.
    pub ran: bool,
}

#[cfg(test)]
mod tests;
