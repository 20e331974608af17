//! How the replicas of each service are dealt out over its clusters, and which clusters these are.

use crate::sim::demo::{
    clusters::{CLUSTERS, Cluster, SIZES},
    services::{SERVICES, Service, Shape, System, Twist, twists},
};

/// A way of dealing out replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Division {
    /// By the sizes of the clusters.
    Weighted,
    /// By the sizes of the clusters, at home; abroad where there is no home left.
    Homes,
    /// By free room.
    Room,
    /// The same in every cluster, with numbers by size where that is not meant; also what has no replicas.
    Same,
}

/// Services that are dealt out otherwise than their shape suggests.
const OTHERWISE: &[(&str, Division)] =
    &[("wechat-pay-adapter", Division::Homes), ("device-print", Division::Room), ("blacklist", Division::Same)];

/// Where payments from China go when none of their homes is left.
pub const ABROAD: &[&str] = &["eu-west-1-prod-a", "us-east-1-prod-a"];

impl Division {
    /// Of a service. State does not move between clusters, and a single pod cannot be divided.
    pub fn of(service: &Service) -> Self {
        let named = OTHERWISE.iter().find(|(name, _)| *name == service.name).map(|(_, division)| *division);
        named.unwrap_or(match service.shape {
            Shape::Deployment if service.replicas > 1 => Self::Weighted,
            _ => Self::Same,
        })
    }

    /// The word in the names of policies.
    pub fn word(self) -> &'static str {
        match self {
            Self::Weighted => "by-size",
            Self::Homes => "at-home",
            Self::Room => "by-room",
            Self::Same => "everywhere",
        }
    }
}

/// Whether a workload of this shape has replicas.
pub fn has_replicas(service: &Service) -> bool {
    !matches!(service.shape, Shape::CronJob(_) | Shape::DaemonSet)
}

/// Clusters of its system where a service is not wanted.
pub fn absent(service: &Service) -> Vec<&'static str> {
    let gone = |c: &&Cluster| twists(service.name, c.name).any(|t| t == Twist::Absent);
    CLUSTERS.iter().filter(gone).map(|c| c.name).collect()
}

/// The clusters of a service.
pub fn clusters(service: &Service) -> Vec<&'static Cluster> {
    let absent = absent(service);
    let runs = |c: &&Cluster| service.system.runs_in(c.name, c.environment) && !absent.contains(&c.name);
    CLUSTERS.iter().filter(runs).collect()
}

/// Replicas in the base: of all clusters together where they are divided, else of a cluster of size 100.
pub fn base_replicas(service: &Service) -> i64 {
    match Division::of(service) {
        Division::Same => service.replicas,
        _ => clusters(service).iter().map(|c| service.pods_at(c.size)).sum(),
    }
}

/// Weights of the sizes: the shares in which clusters take replicas.
pub fn weights(clusters: &[&Cluster]) -> Vec<(&'static str, i64)> {
    let used = SIZES.iter().filter(|(size, _)| clusters.iter().any(|c| c.size == *size));
    used.map(|(size, word)| (*word, size / 25)).collect()
}

/// Sizes at which a number of pods is not the one of the base: label, number.
pub fn by_size(service: &Service, clusters: &[&'static Cluster]) -> Vec<(&'static str, i64)> {
    let used = SIZES.iter().filter(|(size, _)| clusters.iter().any(|c| c.size == *size));
    used.map(|(size, word)| (*word, service.pods_at(*size))).filter(|(_, n)| *n != service.replicas).collect()
}

/// The regions of clusters, each once.
pub fn regions<'a>(clusters: impl IntoIterator<Item = &'a Cluster>) -> Vec<&'static str> {
    let mut regions: Vec<&str> = Vec::new();
    for cluster in clusters {
        if !regions.contains(&cluster.region) {
            regions.push(cluster.region);
        }
    }
    regions
}

/// The services of a system.
pub fn of_system(system: System) -> impl Iterator<Item = &'static Service> {
    SERVICES.iter().filter(move |s| s.system == system)
}

/// Services of a system that one policy can place: the same division, the same clusters.
#[derive(Clone, Debug)]
pub struct Together {
    /// How.
    pub division: Division,
    /// Clusters of the system where they are not wanted.
    pub absent: Vec<&'static str>,
    /// The services.
    pub services: Vec<&'static Service>,
}

impl Together {
    /// The services of a system, by division and clusters.
    pub fn all(system: System) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for service in of_system(system) {
            let (division, absent) = (Division::of(service), absent(service));
            match all.iter_mut().find(|t| t.division == division && t.absent == absent) {
                Some(group) => group.services.push(service),
                None => all.push(Self { division, absent, services: vec![service] }),
            }
        }
        all
    }

    /// Their clusters.
    pub fn clusters(&self) -> Vec<&'static Cluster> {
        self.services.first().map(|s| clusters(s)).unwrap_or_default()
    }

    /// A name for their policy.
    pub fn name(&self, system: System) -> String {
        let word = self.division.word();
        match self.services.as_slice() {
            [only] if !self.absent.is_empty() => format!("{}-{word}", only.name),
            [first, ..] if !self.absent.is_empty() => format!("{}-{}-{word}", system.namespace(), first.name),
            _ => format!("{}-{word}", system.namespace()),
        }
    }
}

/// Another tag in some cluster, as the deploy tree says it.
pub fn tags(service: &Service) -> Vec<(&'static Cluster, &'static str)> {
    let tag = |c: &'static Cluster| {
        twists(service.name, c.name).filter(|t| t.is_declared(service)).find_map(|t| match t {
            Twist::Version(tag) | Twist::Rolling(tag, _) | Twist::Canary(tag, _) => Some((c, tag)),
            _ => None,
        })
    };
    CLUSTERS.iter().filter_map(tag).collect()
}

/// Another number of pods in some cluster, as the deploy tree says it.
pub fn numbers(service: &Service) -> Vec<(&'static Cluster, i64)> {
    let number = |c: &'static Cluster| {
        twists(service.name, c.name).find_map(|t| match t {
            Twist::Replicas(n) => Some((c, n)),
            _ => None,
        })
    };
    CLUSTERS.iter().filter_map(number).collect()
}

/// Pods of an automatically scaled service at each size in production, where they are not those of the base.
pub fn scaled_by_size(service: &Service) -> Vec<(&'static str, i64)> {
    let production: Vec<&Cluster> = clusters(service).into_iter().filter(|c| c.environment == "prod").collect();
    let pods = |c: &Cluster| {
        let own = numbers(service).into_iter().find(|(at, _)| at.name == c.name);
        own.map_or_else(|| service.pods_at(c.size), |(_, n)| n)
    };
    let at = |size: i64| production.iter().find(|c| c.size == size).map(|c| pods(c));
    SIZES.iter().filter_map(|(size, word)| Some((*word, at(*size)?))).filter(|(_, n)| *n != service.replicas).collect()
}
