//! Karmada's policies (`policy.karmada.io/v1alpha1`), read as they are: defaults and admission rules included.

pub mod affinity;
pub mod override_shape;
pub mod overrides;
pub mod placement;
pub mod propagation;
pub mod propagation_shape;
pub mod shape;

use super::{Policies, Reader, System};
use crate::{
    desired::{object::Object, origin::At},
    fault::Fault,
};

/// The API version of all of them.
pub const API_VERSION: &str = "policy.karmada.io/v1alpha1";

/// The reader of this system.
pub const READER: Reader = Reader { system: System::Karmada, knows, read };

fn knows(api_version: &str, kind: &str) -> bool {
    api_version == API_VERSION
        && matches!(kind, "PropagationPolicy" | "ClusterPropagationPolicy" | "OverridePolicy" | "ClusterOverridePolicy")
}

fn read(object: &Object, at: At, into: &mut Policies) -> Result<(), Vec<Fault>> {
    match &*object.key.kind {
        "PropagationPolicy" | "ClusterPropagationPolicy" => propagation::read(object, at, into),
        "OverridePolicy" | "ClusterOverridePolicy" => overrides::read(object, at, into),
        _ => Ok(()),
    }
}
