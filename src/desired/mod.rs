//! Desired state: what should be in each cluster, and for every value who put it there. Pure: no I/O, no clock.
//!
//! Sources become [`object::Object`]s whose every part knows its file and line; [`policy`] readers translate policies of any
//! system; [`place`] decides which clusters and how many replicas; [`patch`] applies what differs there. Files and tools
//! are run by `render`, which is the edge.

pub mod capacity;
pub mod cluster;
pub mod differences;
pub mod engine;
pub mod explain;
pub mod layer;
pub mod lint;
pub mod mask;
pub mod object;
pub mod observed;
pub mod origin;
pub mod patch;
pub mod path;
pub mod place;
pub mod policy;
pub mod selector;
pub mod source;
pub mod tree;
pub mod whatif;
pub mod where_from;
