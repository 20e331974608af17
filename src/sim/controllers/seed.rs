//! Everything random in the simulated fleet: numbers, name suffixes, uids and digests that follow from a seed and a key.
//!
//! Two runs with one seed give the same objects, whatever the order in which they were asked for.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::sim::clock::Rng;

/// 64 bits that follow from the parts alone (FNV-1a, a separator between the parts).
pub fn number(parts: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// A generator for one purpose: the seed and the parts of a key.
pub fn rng(seed: u64, parts: &[&str]) -> Rng {
    Rng::new(seed ^ number(parts))
}

/// A number in `low..high` that follows from the seed and the key; `low` where the range is empty.
pub fn between(seed: u64, parts: &[&str], low: i64, high: i64) -> i64 {
    let width = u64::try_from(high - low).unwrap_or(0);
    low + i64::try_from(rng(seed, parts).below(width)).unwrap_or(0)
}

/// A suffix as generated names have it.
pub fn suffix(seed: u64, parts: &[&str], letters: usize) -> String {
    rng(seed, parts).suffix(letters)
}

/// A uid of version 4 form.
pub fn uid(seed: u64, parts: &[&str]) -> String {
    rng(seed, parts).uuid()
}

/// Lower-case hexadecimal SHA-256 of a text: image digests, checksums.
pub fn sha256(text: &str) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_names() {
        assert_eq!(suffix(7, &["a", "b"], 5), suffix(7, &["a", "b"], 5));
        assert_ne!(suffix(7, &["a", "b"], 5), suffix(7, &["ab", ""], 5));
        assert_ne!(suffix(7, &["a", "b"], 5), suffix(8, &["a", "b"], 5));
        let uid = uid(1, &["x"]);
        assert_eq!((uid.len(), uid.as_bytes()[14]), (36, b'4'), "{uid}");
    }
}
