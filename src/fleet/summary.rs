//! What the cells of one service come to: the usual version, what differs from it, and the note of its row.

use std::{cmp::Ordering, collections::BTreeMap, sync::Arc};

use compact_str::CompactString;

use super::{
    matrix::{Cell, Difference, KeyRule, Note, ServiceId, ServiceSummary, Wanted},
    services::Service,
};
use crate::model::{ClusterId, Health, compare_tags};

/// What most cells have: the measure of difference where nothing says what is wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Baseline {
    /// Most common version; of equally common ones the newest.
    pub(super) version: CompactString,
    /// Most common digest among the cells of that version, empty when unknown.
    digest: Arc<str>,
    /// Most common configuration among them.
    config: Option<[u8; 8]>,
    /// Number of different versions, digests of the usual version, configurations of it.
    pub(super) versions: usize,
    digests: usize,
    configs: usize,
}

impl Baseline {
    pub(super) fn of<'a>(cells: impl Iterator<Item = &'a Cell> + Clone) -> Self {
        let mut versions: BTreeMap<&str, u32> = BTreeMap::new();
        for cell in cells.clone() {
            *versions.entry(&cell.version).or_insert(0) += 1;
        }
        let usual = versions.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| compare_tags(a.0, b.0)));
        let version: CompactString = usual.map_or_else(CompactString::default, |(v, _)| (*v).into());
        let mut digests: BTreeMap<&Arc<str>, u32> = BTreeMap::new();
        let mut configs: BTreeMap<[u8; 8], u32> = BTreeMap::new();
        for cell in cells.filter(|c| c.version == version) {
            if !cell.digest.is_empty() {
                *digests.entry(&cell.digest).or_insert(0) += 1;
            }
            if let Some(config) = cell.config {
                *configs.entry(config).or_insert(0) += 1;
            }
        }
        Self {
            version,
            digest: digests.iter().max_by_key(|(_, n)| **n).map_or_else(|| Arc::from(""), |(d, _)| Arc::clone(d)),
            config: configs.iter().max_by_key(|(_, n)| **n).map(|(c, _)| *c),
            versions: versions.len(),
            digests: digests.len(),
            configs: configs.len(),
        }
    }

    /// How a cell differs: from the wanted version where there is one, else from most others.
    pub(super) fn difference(&self, cell: &Cell, wanted: Option<&str>) -> Difference {
        if cell.version != wanted.unwrap_or(&self.version) || cell.mixed {
            return Difference::Version;
        }
        if cell.version != self.version {
            // As wanted, and not what most have: their digests and configurations are no measure for it.
            return Difference::None;
        }
        if !cell.digest.is_empty() && cell.digest != self.digest || cell.digests > 1 {
            return Difference::Digest;
        }
        if cell.config.is_some() && cell.config != self.config { Difference::Config } else { Difference::None }
    }
}

/// Order of the rows: name, then namespace.
pub(super) fn by_name(a: &ServiceSummary, b: &ServiceSummary) -> Ordering {
    a.key.cmp(&b.key)
}

/// The summary of a service that has cells.
pub(super) fn summary(
    id: ServiceId,
    service: &Service,
    rule: KeyRule,
    wanted: Option<&dyn Wanted>,
    infrastructure: bool,
) -> ServiceSummary {
    let cells: Vec<(ClusterId, &Cell)> =
        service.cells.iter().filter_map(|(cluster, slot)| Some((*cluster, slot.cell.as_ref()?))).collect();
    let differs = cells.iter().any(|(cluster, cell)| {
        let wanted = wanted.and_then(|w| w.version(&service.key, *cluster));
        service.baseline.difference(cell, wanted.as_deref()) != Difference::None
    });
    ServiceSummary {
        id,
        key: service.key.clone(),
        rule,
        system: service.system.clone(),
        worst: cells.iter().map(|(_, c)| c.health).max().unwrap_or_default(),
        differs,
        note: note(service, &cells),
        usual: usual(service, &cells, wanted),
        clusters: short(cells.len()),
        rolling: cells.iter().any(|(_, c)| c.from.is_some()),
        infrastructure,
    }
}

/// The version wanted everywhere, if it is one and the same; else the most common one.
fn usual(service: &Service, cells: &[(ClusterId, &Cell)], wanted: Option<&dyn Wanted>) -> CompactString {
    let mut all = cells.iter().map(|(cluster, _)| wanted.and_then(|w| w.version(&service.key, *cluster)));
    match all.next().flatten() {
        Some(first) if all.all(|v| v.as_ref() == Some(&first)) => first,
        _ => service.baseline.version.clone(),
    }
}

fn note(service: &Service, cells: &[(ClusterId, &Cell)]) -> Note {
    let count = |test: &dyn Fn(&Cell) -> bool| short(cells.iter().filter(|(_, c)| test(c)).count());
    let failing = count(&|c| c.health == Health::Bad);
    if failing > 0 {
        return Note::Failing(failing, frequent_reason(cells));
    }
    let rolling = count(&|c| c.from.is_some());
    if rolling > 0 {
        return Note::Rolling(rolling, short(cells.len()));
    }
    let base = &service.baseline;
    if base.versions > 1 {
        return Note::Versions(short(base.versions));
    }
    let pods_differ = count(&|c| c.digests > 1);
    if base.digests > 1 || pods_differ > 0 {
        return Note::Digests(short(base.digests.max(2)));
    }
    if base.configs > 1 {
        return Note::Config(short(base.configs));
    }
    match count(&|c| c.moving) {
        0 => Note::Same(short(cells.len())),
        moving => Note::Moving(moving),
    }
}

fn frequent_reason(cells: &[(ClusterId, &Cell)]) -> Arc<str> {
    let mut reasons: BTreeMap<&Arc<str>, u32> = BTreeMap::new();
    for reason in cells.iter().filter(|(_, c)| c.health == Health::Bad).filter_map(|(_, c)| c.reason.as_ref()) {
        *reasons.entry(reason).or_insert(0) += 1;
    }
    reasons.iter().max_by_key(|(_, n)| **n).map_or_else(|| Arc::from(""), |(reason, _)| Arc::clone(reason))
}

fn short(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}
