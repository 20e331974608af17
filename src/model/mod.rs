//! Plain data that every other module shares: clusters, kinds, objects, versions, health, time.
//!
//! Knows nobody: no I/O, no async, no clock. A function that touches an object takes its cluster with it.

mod cluster;
mod health;
mod image;
mod kind;
mod object;
mod quantity;
mod time;

pub use cluster::{
    ApiCertificate, Cause, CauseCode, ClusterFacts, ClusterId, ClusterRecord, ClusterState, Condition, Contact,
    Credential, KindStatus, KubeVersion, Place, Taint,
};
pub use health::Health;
pub use image::{ImageRef, compare_tags, is_moving_tag};
pub use kind::{Builtin, KindId, KindInfo, KindSet};
pub use object::{ObjectRef, Uid};
pub use quantity::{quantity, quantity_milli};
pub use time::{Age, Millis, Secs, age_text, parse_rfc3339, utc_text};
