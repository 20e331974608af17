//! Words that flags, variables and the fleet file share.

/// `--color`.
pub const COLORS: &[&str] = &["auto", "always", "never", "16", "256"];
/// `--lang`.
pub const LANGS: &[&str] = &["en", "zh"];
/// Columns of the Fleet screen, in their usual order.
pub const FLEET_COLUMNS: &[&str] = &[
    "name",
    "env",
    "state",
    "age",
    "k8s",
    "nodes",
    "drift",
    "alerts",
    "cpu-req",
    "mem-req",
    "cert",
    "login",
    "rtt",
    "region",
    "team",
    "cpu-use",
    "mem-use",
    "cpu",
    "mem",
    "pods",
    "workloads",
    "cni",
    "csi",
    "provider",
    "tier",
    "id",
];
/// Columns that every list of objects has, in places of their own; naming them changes nothing.
pub const OBJECT_COLUMNS: &[&str] = &["cluster", "namespace", "name", "age"];
/// How text is copied.
pub const CLIPBOARDS: &[&str] = &["auto", "native", "osc52", "off"];
