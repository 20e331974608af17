//! From the bytes of one object to its packed [`Row`]. Pure but for the shared interner: no I/O, no clock.
//!
//! The wire JSON is read into slim structs that borrow from it and skip everything else, which is three times faster
//! than decoding whole objects and leaves no holes in memory. Every field is optional: an odd object gives a poorer row,
//! never a lost list. Contents of Secrets and ConfigMaps are fingerprinted here and dropped.

mod config;
pub mod fingerprint;
mod meta;
mod misc;
mod node;
mod pod;
mod slim;
mod template;
mod workload;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fingerprint::FingerprintKey;
use meta::Head;

use crate::{
    fleet::{
        intern::Interner,
        row::{Detail, Row},
    },
    model::{Builtin, Health, KindId},
};

/// An object that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("object {name:?} cannot be read: {text}")]
pub struct DecodeError {
    /// Its name where that could be found, else empty.
    pub name: String,
    /// What the parser says.
    pub text: String,
}

/// One decoded object.
#[derive(Debug)]
pub struct Decoded {
    /// The row.
    pub row: Row,
    /// resourceVersion as text, for resuming a watch.
    pub resource_version: String,
}

/// Decodes the objects of one cluster; cheap to clone.
#[derive(Clone, Debug)]
pub struct Decoder {
    interner: Arc<Mutex<Interner>>,
    key: Arc<FingerprintKey>,
}

impl Decoder {
    /// A decoder that shares texts through `interner` and fingerprints contents under `key`.
    pub fn new(interner: Arc<Mutex<Interner>>, key: Arc<FingerprintKey>) -> Self {
        Self { interner, key }
    }

    /// Decodes one object of a kind.
    pub fn object(&self, kind: KindId, json: &[u8]) -> Result<Decoded, DecodeError> {
        match kind.builtin() {
            Some(Builtin::Pod) => self.read::<pod::Pod<'_>>(json),
            Some(Builtin::Node) => self.read::<node::Node<'_>>(json),
            Some(Builtin::Namespace) => self.read::<misc::Namespace<'_>>(json),
            Some(Builtin::ConfigMap) => self.read::<config::ConfigMap<'_>>(json),
            Some(Builtin::Secret) => self.read::<config::Secret<'_>>(json),
            Some(Builtin::Service) => self.read::<misc::Service<'_>>(json),
            Some(Builtin::EndpointSlice) => self.read::<misc::EndpointSlice<'_>>(json),
            Some(Builtin::Hpa) => self.read::<misc::Hpa<'_>>(json),
            Some(Builtin::Pdb) => self.read::<misc::Pdb<'_>>(json),
            Some(Builtin::CsiDriver) => self.read::<misc::CsiDriver<'_>>(json),
            Some(Builtin::CsiNode) => self.read::<misc::CsiNode<'_>>(json),
            Some(Builtin::Event) => self.read::<misc::Event<'_>>(json),
            Some(workload) => self.read_workload(workload, json),
            None => self.read::<misc::Other<'_>>(json),
        }
    }

    fn read<'a, T: Slim<'a>>(&self, json: &'a [u8]) -> Result<Decoded, DecodeError> {
        let object: T = serde_json::from_slice(json).map_err(|e| broken(json, &e))?;
        let mut tools = self.tools();
        let (detail, health) = object.pack(&mut tools);
        Ok(finish(object.head(), detail, health, &mut tools))
    }

    fn read_workload(&self, kind: Builtin, json: &[u8]) -> Result<Decoded, DecodeError> {
        let object: workload::Workload<'_> = serde_json::from_slice(json).map_err(|e| broken(json, &e))?;
        let mut tools = self.tools();
        let (detail, health) = object.pack(kind, &mut tools);
        Ok(finish(&object.metadata, detail, health, &mut tools))
    }

    fn tools(&self) -> Tools<'_> {
        // A poisoned interner still holds valid texts: it is a cache.
        Tools { interner: self.interner.lock().unwrap_or_else(PoisonError::into_inner), key: &self.key }
    }
}

/// What packing needs: the shared texts and the key.
struct Tools<'t> {
    interner: MutexGuard<'t, Interner>,
    key: &'t FingerprintKey,
}

impl Tools<'_> {
    fn text(&mut self, text: &str) -> Arc<str> {
        self.interner.text(text)
    }

    fn some(&mut self, text: &str) -> Option<Arc<str>> {
        (!text.is_empty()).then(|| self.interner.text(text))
    }
}

/// A slim object of one kind.
trait Slim<'a>: serde::Deserialize<'a> {
    /// Its metadata.
    fn head(&self) -> &Head<'a>;
    /// What the kind adds, and the health.
    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health);
}

fn finish(head: &Head<'_>, detail: Detail, health: Health, tools: &mut Tools<'_>) -> Decoded {
    let resource_version = head.resource_version.to_string();
    Decoded { row: head.row(detail, health, tools), resource_version }
}

/// An error that names the object where its name can still be found.
fn broken(json: &[u8], error: &serde_json::Error) -> DecodeError {
    #[derive(serde::Deserialize, Default)]
    #[serde(default)]
    struct NameOnly {
        metadata: Name,
    }
    #[derive(serde::Deserialize, Default)]
    #[serde(default)]
    struct Name {
        name: String,
        namespace: String,
    }
    let named: NameOnly = serde_json::from_slice(json).unwrap_or_default();
    let Name { name, namespace } = named.metadata;
    DecodeError {
        name: if namespace.is_empty() { name } else { format!("{namespace}/{name}") },
        text: error.to_string(),
    }
}

/// Cuts foreign text to `limit` bytes at a character border.
fn bounded(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    text.get(..end).unwrap_or("")
}

/// Longest note kept with a row, bytes.
const NOTE: usize = 200;

fn note(text: &str) -> Option<Box<str>> {
    (!text.is_empty()).then(|| Box::from(bounded(text, NOTE)))
}

#[cfg(test)]
mod tests;
