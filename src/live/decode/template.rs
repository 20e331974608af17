//! Pod specs and templates: containers, requests, and the configuration they read.

use std::{collections::BTreeSet, sync::Arc};

use serde::Deserialize;

use super::{
    Tools,
    slim::{Pairs, Text, nullable},
};
use crate::{
    fleet::row::{ConfigRef, ContainerSpec},
    model::{quantity, quantity_milli},
};

/// `spec` of a pod or of a template.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PodSpec<'a> {
    #[serde(borrow)]
    pub(super) node_name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(super) containers: Vec<Container<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(super) init_containers: Vec<Container<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    volumes: Vec<Volume<'a>>,
    #[serde(borrow)]
    overhead: Pairs<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Container<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    image: Text<'a>,
    #[serde(borrow)]
    restart_policy: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    resources: Requirements<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    env: Vec<Env<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    env_from: Vec<EnvFrom<'a>>,
}

impl Container<'_> {
    /// An init container that keeps running beside the others.
    pub(super) fn restartable(&self) -> bool {
        &*self.restart_policy == "Always"
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Requirements<'a> {
    #[serde(borrow)]
    requests: Pairs<'a>,
}

/// A variable; its value is never read.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Env<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    value_from: ValueFrom<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ValueFrom<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    config_map_key_ref: Named<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    secret_key_ref: Named<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct EnvFrom<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    config_map_ref: Named<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    secret_ref: Named<'a>,
}

/// A reference by name; `secretName` in volumes.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Named<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    secret_name: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Volume<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    config_map: Named<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    secret: Named<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    projected: Projected<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Projected<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    sources: Vec<Source<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Source<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    config_map: Named<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    secret: Named<'a>,
}

impl PodSpec<'_> {
    /// Every container, init ones first, with the digest that `digest_of` knows.
    pub(super) fn container_list<'d>(
        &self,
        tools: &mut Tools<'_>,
        digest_of: impl Fn(&str) -> &'d str,
    ) -> Arc<[ContainerSpec]> {
        let list = self
            .init_containers
            .iter()
            .map(|c| (c, !c.restartable()))
            .chain(self.containers.iter().map(|c| (c, false)))
            .map(|(c, init)| ContainerSpec {
                name: tools.interner.text(&c.name),
                image: tools.interner.text(&c.image),
                digest: tools.interner.text(digest_of(&c.name)),
                init,
            })
            .collect();
        tools.interner.containers(list)
    }

    /// CPU (millicores) and memory (bytes) as the scheduler counts them: what runs together is summed, init containers
    /// need the largest of their steps, overhead comes on top.
    pub(super) fn requests(&self) -> (u32, u64) {
        let (cpu, mem) = (self.request("cpu", quantity_milli), self.request("memory", quantity));
        (u32::try_from(cpu).unwrap_or(u32::MAX), mem)
    }

    fn request(&self, resource: &str, read: fn(&str) -> Option<u64>) -> u64 {
        let of = |pairs: &Pairs<'_>| pairs.get(resource).and_then(read).unwrap_or(0);
        let mut beside = 0u64;
        let mut peak = 0u64;
        for c in &self.init_containers {
            let own = of(&c.resources.requests);
            if c.restartable() {
                beside = beside.saturating_add(own);
                peak = peak.max(beside);
            } else {
                peak = peak.max(beside.saturating_add(own));
            }
        }
        let running = self.containers.iter().fold(beside, |sum, c| sum.saturating_add(of(&c.resources.requests)));
        running.max(peak).saturating_add(of(&self.overhead))
    }

    /// ConfigMaps and Secrets that the pods mount or read, sorted, distinct.
    pub(super) fn refs(&self, tools: &mut Tools<'_>) -> Box<[ConfigRef]> {
        let mut names: BTreeSet<(bool, &str)> = BTreeSet::new();
        for v in &self.volumes {
            names.insert((false, &*v.config_map.name));
            names.insert((true, &*v.secret.secret_name));
            for s in &v.projected.sources {
                names.insert((false, &*s.config_map.name));
                names.insert((true, &*s.secret.name));
            }
        }
        for c in self.init_containers.iter().chain(&self.containers) {
            for e in &c.env {
                names.insert((false, &*e.value_from.config_map_key_ref.name));
                names.insert((true, &*e.value_from.secret_key_ref.name));
            }
            for e in &c.env_from {
                names.insert((false, &*e.config_map_ref.name));
                names.insert((true, &*e.secret_ref.name));
            }
        }
        names
            .into_iter()
            // The cluster's own authority is in every namespace and differs between clusters by nature.
            .filter(|(secret, name)| !name.is_empty() && (*secret || *name != "kube-root-ca.crt"))
            .map(|(secret, name)| ConfigRef { secret, name: tools.interner.text(name) })
            .collect()
    }
}
