//! `metadata`: identity, labels, owners, field managers.

use std::sync::Arc;

use compact_str::CompactString;
use serde::Deserialize;

use super::{
    Tools,
    slim::{Annotations, Pairs, Text, nullable},
};
use crate::{
    fleet::{
        owner::{Evidence, managed},
        row::{Detail, Labels, LastChange, Managed, Owner, Row},
    },
    model::{Health, Uid},
};

/// `metadata`, slim.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Head<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    #[serde(borrow)]
    uid: Text<'a>,
    #[serde(borrow)]
    pub(super) resource_version: Text<'a>,
    #[serde(borrow)]
    creation_timestamp: Text<'a>,
    #[serde(borrow)]
    pub(super) deletion_timestamp: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    pub(super) generation: u64,
    #[serde(borrow)]
    pub(super) labels: Pairs<'a>,
    #[serde(borrow)]
    pub(super) annotations: Annotations<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    owner_references: Vec<OwnerReference<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    managed_fields: Vec<ManagedFields<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OwnerReference<'a> {
    #[serde(borrow)]
    api_version: Text<'a>,
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    uid: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    controller: bool,
}

impl OwnerReference<'_> {
    fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManagedFields<'a> {
    #[serde(borrow)]
    manager: Text<'a>,
    #[serde(borrow)]
    operation: Text<'a>,
    #[serde(borrow)]
    time: Text<'a>,
    #[serde(borrow)]
    subresource: Text<'a>,
}

impl Head<'_> {
    /// The row with its common part filled in.
    pub(super) fn row(&self, detail: Detail, health: Health, tools: &mut Tools<'_>) -> Row {
        Row {
            name: CompactString::new(&*self.name),
            namespace: tools.some(&self.namespace),
            uid: Uid::parse(&self.uid),
            version: version_number(&self.resource_version),
            created: self.creation_timestamp.secs(),
            deleting: self.deletion_timestamp.secs(),
            health,
            labels: labels(&self.labels, tools),
            owner: self.owner(tools),
            detail,
        }
    }

    fn owner(&self, tools: &mut Tools<'_>) -> Option<Arc<Owner>> {
        let owner = self.owner_references.iter().find(|o| o.controller)?;
        let owner = Owner {
            kind: tools.text(&owner.kind),
            group: tools.text(owner.group()),
            name: tools.text(&owner.name),
            uid: Uid::parse(&owner.uid),
        };
        Some(tools.interner.owner(owner))
    }

    /// The system that owns the object, by its marks. `identity` is `group/Kind:namespace/name`.
    pub(super) fn managed(&self, kind: &str, group: &str) -> Option<Arc<Managed>> {
        let (labels, annotations) = (self.labels.borrowed(), self.annotations.0.borrowed());
        let owners: Vec<_> =
            self.owner_references.iter().map(|o| (&*o.kind, o.group(), &*o.name, o.controller)).collect();
        let managers: Vec<_> =
            self.managed_fields.iter().filter(|m| m.subresource.is_empty()).map(|m| &*m.manager).collect();
        let identity = format!("{group}/{kind}:{}/{}", &*self.namespace, &*self.name);
        managed(&Evidence {
            labels: &labels,
            annotations: &annotations,
            owners: &owners,
            managers: &managers,
            identity: &identity,
        })
        .map(Arc::new)
    }

    /// The newest write of the wanted state: status writes do not count, scaling does.
    pub(super) fn last_change(&self, tools: &mut Tools<'_>) -> Option<Arc<LastChange>> {
        let newest =
            self.managed_fields.iter().filter(|m| &*m.subresource != "status").max_by_key(|m| m.time.secs())?;
        Some(Arc::new(LastChange {
            manager: tools.text(&newest.manager),
            apply: &*newest.operation == "Apply",
            at: newest.time.secs(),
        }))
    }
}

/// A label set, shared.
pub(super) fn labels(pairs: &Pairs<'_>, tools: &mut Tools<'_>) -> Arc<Labels> {
    let pairs = pairs.0.iter().map(|(k, v)| (tools.interner.text(k), tools.interner.text(v))).collect();
    tools.interner.labels(pairs)
}

/// A resourceVersion as a number: itself, or a hash with the top bit set where it is opaque text (good for equality only).
pub(super) fn version_number(text: &str) -> u64 {
    text.parse::<u64>().ok().filter(|n| n >> 63 == 0).unwrap_or_else(|| {
        let hash =
            text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        hash | 1 << 63
    })
}
