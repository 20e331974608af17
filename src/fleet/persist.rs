//! The snapshot of one cluster as bytes: a header that opens at once, and the rows. Files are `live::snapshot`'s business.
//!
//! Never in it: Secret content (rows have none), environment values, annotations.

use super::{Store, delta::Delta};
use crate::model::{ClusterId, Millis};

/// Version of the format; a file of another version is ignored.
pub const FORMAT: u32 = 1;

/// Writes the rows of one cluster.
pub fn encode(_store: &Store, _cluster: ClusterId, _now: Millis) -> Vec<u8> {
    Vec::new()
}

/// Reads them back as deltas for that cluster; `None` when the bytes are not a snapshot of this format, or damaged.
pub fn decode(_bytes: &[u8], _cluster: ClusterId) -> Option<Vec<Delta>> {
    None
}
