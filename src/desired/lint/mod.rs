//! Lints: what policies and sources say that has no effect, or another one than it seems. Pure: everything that was read in,
//! findings out, each with its place, its subject and a sentence that says what to do.

mod affinity;
mod layers;
mod limits;
mod ownership;
mod selectors;
mod services;
mod steps;
mod view;

use super::{
    cluster::Cluster,
    layer::Layers,
    object::Object,
    origin::At,
    patch,
    policy::{Policies, PolicyId},
};
use crate::messages::{Lang, Msg, clean_line};

/// What is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The policies.
    pub policies: &'a Policies,
    /// The fleet.
    pub clusters: &'a [Cluster],
    /// The services.
    pub services: &'a [Subject<'a>],
}

/// A service with the objects of its sources.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// Name.
    pub name: &'a str,
    /// Namespace, may be empty.
    pub namespace: &'a str,
    /// Where it is declared.
    pub at: Option<At>,
    /// Objects of all of its sources; the same one may come from several.
    pub objects: Vec<&'a Object>,
    /// Its sources name clusters, so that it needs no policy.
    pub sourced: bool,
    /// Layers of kinds and files, as they are named for it.
    pub layers: &'a Layers,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It does not do what it says.
    Warning,
    /// It does, but perhaps not what was meant.
    Note,
}

impl Weight {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// What kind of finding it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// A selector, or a whole policy, is about no object.
    SelectorMatchesNothing,
    /// A choice of clusters fits no cluster.
    ClustersMatchNothing,
    /// A cluster is named that the fleet does not have.
    UnknownCluster,
    /// Every cluster of a placement has a taint that is not borne.
    TaintsRefuseAll,
    /// A toleration has no effect.
    TolerationWithoutEffect,
    /// Limits on the number of clusters or regions do not count.
    SpreadIgnored,
    /// `maxGroups` is missing: nothing can be selected.
    SpreadSelectsNothing,
    /// More clusters or regions are wanted than there are.
    SpreadOutOfReach,
    /// A weight is for no cluster of the placement.
    WeightWithoutEffect,
    /// A cluster of the placement has no weight and gets nothing.
    ClusterWithoutWeight,
    /// A limit of replicas is for no cluster, or an earlier one always comes first.
    LimitWithoutEffect,
    /// More replicas are sent to a cluster than it has room for, because the strategy does not look.
    CapacityIgnored,
    /// The priority of a policy does not count here.
    PriorityIgnored,
    /// Preemption is asked for and is off.
    PreemptionOff,
    /// A policy matches objects, and another one owns them.
    PolicyShadowed,
    /// Policies of two systems are about the same object.
    SystemsOverlap,
    /// Two policies have the same name.
    PolicyTwice,
    /// The policy waits for overrides that do not exist.
    DependentOverrideMissing,
    /// An object that Karmada never propagates.
    NeverPropagated,
    /// An override is for clusters to which none of its objects goes.
    OverrideNeverEffective,
    /// Another rule always has the last word.
    OverrideOverwritten,
    /// A step of an override changes nothing, skips a part, or fails.
    OverrideStep,
    /// A value that is bound to an environment stands in the application layer.
    EnvironmentBound,
    /// Two services declare the same object.
    ObjectInTwoServices,
    /// A service has neither a policy nor clusters of its sources.
    ServiceGoesNowhere,
    /// An object that no policy is about, while others of its service are placed.
    ObjectWithoutPolicy,
}

impl Code {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::SelectorMatchesNothing => "selector-matches-nothing",
            Self::ClustersMatchNothing => "clusters-match-nothing",
            Self::UnknownCluster => "unknown-cluster",
            Self::TaintsRefuseAll => "taints-refuse-all",
            Self::TolerationWithoutEffect => "toleration-without-effect",
            Self::SpreadIgnored => "spread-ignored",
            Self::SpreadSelectsNothing => "spread-selects-nothing",
            Self::SpreadOutOfReach => "spread-out-of-reach",
            Self::WeightWithoutEffect => "weight-without-effect",
            Self::ClusterWithoutWeight => "cluster-without-weight",
            Self::LimitWithoutEffect => "limit-without-effect",
            Self::CapacityIgnored => "capacity-ignored",
            Self::PriorityIgnored => "priority-ignored",
            Self::PreemptionOff => "preemption-off",
            Self::PolicyShadowed => "policy-shadowed",
            Self::SystemsOverlap => "systems-overlap",
            Self::PolicyTwice => "policy-twice",
            Self::DependentOverrideMissing => "dependent-override-missing",
            Self::NeverPropagated => "never-propagated",
            Self::OverrideNeverEffective => "override-never-effective",
            Self::OverrideOverwritten => "override-overwritten",
            Self::OverrideStep => "override-step",
            Self::EnvironmentBound => "environment-bound",
            Self::ObjectInTwoServices => "object-in-two-services",
            Self::ServiceGoesNowhere => "service-goes-nowhere",
            Self::ObjectWithoutPolicy => "object-without-policy",
        }
    }

    /// How much it matters.
    pub fn weight(self) -> Weight {
        match self {
            Self::TolerationWithoutEffect
            | Self::ClusterWithoutWeight
            | Self::CapacityIgnored
            | Self::PriorityIgnored
            | Self::SystemsOverlap
            | Self::NeverPropagated
            | Self::EnvironmentBound
            | Self::ObjectWithoutPolicy => Weight::Note,
            _ => Weight::Warning,
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What kind.
    pub code: Code,
    /// Where: the policy, the rule, or the value.
    pub at: Option<At>,
    /// What it is about: `Policy web`, `Deployment shop/web`. Cleaned.
    pub subject: String,
    /// What is said.
    pub said: Said,
}

/// What a finding says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A sentence, and the values for its places, cleaned.
    Sentence(Msg, Vec<(&'static str, String)>),
    /// What a step of an override does not do.
    Step(patch::lint::Finding),
}

impl Finding {
    fn new(code: Code, at: Option<At>, subject: impl AsRef<str>, msg: Msg) -> Self {
        let subject = clean_line(subject.as_ref()).into_owned();
        Self { code, at, subject, said: Said::Sentence(msg, Vec::new()) }
    }

    #[must_use]
    fn with(mut self, place: &'static str, value: impl AsRef<str>) -> Self {
        if let Said::Sentence(_, values) = &mut self.said {
            values.push((place, clean_line(value.as_ref()).into_owned()));
        }
        self
    }

    /// The sentence, in a language.
    pub fn text(&self, lang: Lang) -> String {
        match &self.said {
            Said::Sentence(msg, values) => {
                let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
                msg.fill(lang, &values)
            }
            Said::Step(finding) => finding.text(lang),
        }
    }
}

/// Everything that is found: warnings first, then by place.
pub fn run(scene: &Scene<'_>) -> Vec<Finding> {
    let view = view::View::of(scene);
    let mut found = Vec::new();
    selectors::look(&view, &mut found);
    affinity::look(&view, &mut found);
    limits::look(&view, &mut found);
    ownership::look(&view, &mut found);
    steps::look(&view, &mut found);
    layers::look(&view, &mut found);
    services::look(&view, &mut found);
    found.sort_by_cached_key(|f| (f.code.weight(), f.at.clone(), f.code, f.subject.clone(), f.text(Lang::En)));
    found.dedup();
    found
}

/// A policy as the sentences name it: `PropagationPolicy shop/web`.
fn title(id: &PolicyId) -> String {
    let namespace = if id.namespace.is_empty() { String::new() } else { format!("{}/", id.namespace) };
    format!("{} {namespace}{}", id.kind, id.name)
}

/// Up to three names, and how many more there are.
fn few<T: AsRef<str>>(names: &[T]) -> String {
    let shown = names.iter().take(3).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if names.len() > 3 { format!("{shown} +{}", names.len() - 3) } else { shown }
}

#[cfg(test)]
mod tests;
