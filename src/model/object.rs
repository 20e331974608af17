//! Names of objects. An object without its cluster cannot be named.

use serde::{Deserialize, Serialize};

use super::{ClusterId, KindId};

/// An object's uid as a number (Kubernetes uids are UUIDs); 0 = unknown. A uid that is no UUID is hashed into the space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Uid(pub u128);

impl Uid {
    /// Parses the text of a uid.
    pub fn parse(text: &str) -> Self {
        let mut value: u128 = 0;
        let mut digits = 0u32;
        for byte in text.bytes() {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                b'A'..=b'F' => byte - b'A' + 10,
                b'-' => continue,
                _ => return Self::hashed(text),
            };
            value = (value << 4) | u128::from(digit);
            digits += 1;
        }
        if digits == 32 { Self(value) } else { Self::hashed(text) }
    }

    /// FNV-1a over the text: for servers whose uids are no UUIDs.
    fn hashed(text: &str) -> Self {
        let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        for byte in text.bytes() {
            hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        Self(if text.is_empty() { 0 } else { hash | 1 })
    }
}

/// One object in one cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectRef {
    /// Its cluster.
    pub cluster: ClusterId,
    /// Its kind.
    pub kind: KindId,
    /// Its namespace, empty for cluster-scoped kinds.
    pub namespace: String,
    /// Its name.
    pub name: String,
}
