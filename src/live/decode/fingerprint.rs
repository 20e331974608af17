//! Fingerprints of configuration: HMAC-SHA-256 of the canonical JSON of `data` and `binaryData` under a key of this user.
//!
//! Equal across clusters and starts; useless without the key, so that a guessed Secret value cannot be checked against a
//! screenshot. The key lies in the state directory (mode 0600); where none can be kept it lives for this session only.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::slim::Pairs;

/// File name in the state directory.
const FILE: &str = "fingerprint.key";

/// The key; its bytes never leave this module.
#[derive(Clone)]
pub struct FingerprintKey([u8; 32]);

impl std::fmt::Debug for FingerprintKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FingerprintKey(hidden)")
    }
}

impl FingerprintKey {
    /// The user's key: read, or made and kept. When it cannot be kept, a key for this session and the reason why.
    pub fn load(state: &Path) -> (Self, Option<String>) {
        // No state directory: a relative name would leave the key in whatever folder one happens to be in.
        if state.as_os_str().is_empty() {
            return (Self::random(), Some(String::from("there is no state directory")));
        }
        match Self::read(state) {
            Ok(key) => (key, None),
            Err(_) => match Self::create(state) {
                Ok(key) => (key, None),
                Err(error) => (Self::random(), Some(format!("{}: {error}", state.join(FILE).display()))),
            },
        }
    }

    /// A key that nobody keeps.
    pub fn random() -> Self {
        let mut bytes = [0; 32];
        // The system's generator fails only before it is seeded at boot; a fixed key would still compare within one session.
        if getrandom::fill(&mut bytes).is_err() {
            bytes = [7; 32];
        }
        Self(bytes)
    }

    /// A key from bytes, for tests that need equal fingerprints.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    fn read(state: &Path) -> std::io::Result<Self> {
        let mut bytes = [0; 32];
        fs::File::open(state.join(FILE))?.read_exact(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Writes a new key beside its place and links it there, so that two consoles that start at once agree on one.
    fn create(state: &Path) -> std::io::Result<Self> {
        fs::create_dir_all(state)?;
        let key = Self::random();
        let temporary = state.join(format!("{FILE}.{}", std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&temporary)?.write_all(&key.0)?;
        let linked = fs::hard_link(&temporary, state.join(FILE));
        fs::remove_file(&temporary)?;
        match linked {
            Ok(()) => Ok(key),
            Err(_) => Self::read(state),
        }
    }

    /// First 16 bytes of the HMAC over `{"binaryData":{...},"data":{...}}`, keys sorted, compact.
    pub(super) fn fingerprint(&self, data: &Pairs<'_>, binary: &Pairs<'_>) -> [u8; 16] {
        // HMAC takes keys of any length, so this cannot fail; an empty MAC would still be a valid value.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return [0; 16] };
        mac.update(b"{\"binaryData\":");
        update_map(&mut mac, binary);
        mac.update(b",\"data\":");
        update_map(&mut mac, data);
        mac.update(b"}");
        let full = mac.finalize().into_bytes();
        let mut out = [0; 16];
        out.iter_mut().zip(full.iter()).for_each(|(o, f)| *o = *f);
        out
    }
}

fn update_map(mac: &mut Hmac<Sha256>, pairs: &Pairs<'_>) {
    let mut sorted = pairs.borrowed();
    sorted.sort_unstable();
    mac.update(b"{");
    for (i, (key, value)) in sorted.iter().enumerate() {
        if i > 0 {
            mac.update(b",");
        }
        update_text(mac, key);
        mac.update(b":");
        update_text(mac, value);
    }
    mac.update(b"}");
}

fn update_text(mac: &mut Hmac<Sha256>, text: &str) {
    // Writing a text as JSON into memory cannot fail.
    if let Ok(json) = serde_json::to_vec(text) {
        mac.update(&json);
    }
}
