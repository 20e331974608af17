//! Everything random in the simulated fleet: numbers, name suffixes, uids and digests that follow from a seed and a key.
//!
//! Two runs with one seed give the same objects, whatever the order in which they were asked for.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Letters of generated names, those that Kubernetes uses (`k8s.io/apimachinery/pkg/util/rand`): no vowels, no `0 1 3`.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A small generator (splitmix64): fast, seeded, good enough for a simulation and nothing else.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for one purpose: the seed and the parts of a key.
    pub fn of(seed: u64, parts: &[&str]) -> Self {
        Self(seed ^ number(parts))
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `low..high`; `low` where the range is empty.
    pub fn range(&mut self, low: u64, high: u64) -> u64 {
        if high <= low { low } else { low + self.next_u64() % (high - low) }
    }
}

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

/// A suffix as generated names have it: `letters` of the safe alphabet.
pub fn suffix(seed: u64, parts: &[&str], letters: usize) -> String {
    let mut rng = Rng::of(seed, parts);
    (0..letters).map(|_| char::from(ALPHABET[usize::try_from(rng.range(0, 27)).unwrap_or(0)])).collect()
}

/// A uid of version 4 form.
pub fn uid(seed: u64, parts: &[&str]) -> String {
    let mut rng = Rng::of(seed, parts);
    let (a, b) = (rng.next_u64(), rng.next_u64());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        0x8000 | (b >> 48) & 0x3fff,
        b & 0xffff_ffff_ffff
    )
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
