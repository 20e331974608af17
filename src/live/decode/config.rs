//! ConfigMaps and Secrets: shape and fingerprint. The content is dropped here.

use serde::Deserialize;

use super::{
    Slim, Tools,
    meta::Head,
    slim::{Pairs, Text, nullable},
};
use crate::{
    fleet::row::{ConfigRow, Detail},
    model::Health,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ConfigMap<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow)]
    data: Pairs<'a>,
    #[serde(borrow)]
    binary_data: Pairs<'a>,
    #[serde(deserialize_with = "nullable")]
    immutable: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Secret<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    metadata: Head<'a>,
    #[serde(borrow)]
    data: Pairs<'a>,
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    immutable: bool,
}

impl<'a> Slim<'a> for ConfigMap<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        pack(&self.data, &self.binary_data, "", self.immutable, tools)
    }
}

impl<'a> Slim<'a> for Secret<'a> {
    fn head(&self) -> &Head<'a> {
        &self.metadata
    }

    fn pack(&self, tools: &mut Tools<'_>) -> (Detail, Health) {
        pack(&self.data, &Pairs::default(), &self.kind, self.immutable, tools)
    }
}

fn pack(data: &Pairs<'_>, binary: &Pairs<'_>, kind: &str, immutable: bool, tools: &mut Tools<'_>) -> (Detail, Health) {
    let bytes: usize = data.0.iter().chain(&binary.0).map(|(_, v)| v.len()).sum();
    let row = ConfigRow {
        fingerprint: Some(tools.key.fingerprint(data, binary)),
        keys: u16::try_from(data.0.len() + binary.0.len()).unwrap_or(u16::MAX),
        bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        kind: tools.text(kind),
        immutable,
    };
    (Detail::Config(Box::new(row)), Health::Ok)
}
