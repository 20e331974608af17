//! What of a cluster enters the objects that run there: the registry it pulls from, its region, how much is logged.

use super::clusters::Cluster;

/// Registry of the fleet's own images.
pub const REGISTRY: &str = "registry.example.com";
/// Registry of the platform's images.
pub const PLATFORM_REGISTRY: &str = "quay.example.com";
/// Mirror of both for clusters in China.
pub const MIRROR: &str = "registry-cn.example.com";

/// Region in the base, where there is none yet.
pub const NO_REGION: &str = "unset";
/// Log level where nothing else is said.
pub const LOG_LEVEL: &str = "info";

/// The words of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Registry that all images come from; `None` = each from its own.
    pub mirror: Option<&'static str>,
    /// Region.
    pub region: &'static str,
    /// Log level.
    pub log_level: &'static str,
}

impl Local {
    /// No place yet: what stands in the base.
    pub const BASE: Self = Self { mirror: None, region: NO_REGION, log_level: LOG_LEVEL };

    /// Of a cluster.
    pub fn of(cluster: &Cluster) -> Self {
        Self {
            mirror: cluster.name.starts_with("cn-").then_some(MIRROR),
            region: cluster.region,
            log_level: if cluster.environment == "dev" { "debug" } else { LOG_LEVEL },
        }
    }

    /// A registry as this place knows it.
    pub fn registry(self, registry: &'static str) -> &'static str {
        self.mirror.unwrap_or(registry)
    }
}
