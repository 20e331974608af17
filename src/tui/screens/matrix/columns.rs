//! The Matrix's columns: one for each cluster, ordered by environment, region and name, or one for each group of them.

use crate::{
    fleet::{Store, inventory},
    messages::{Lang, Msg, clean_line, matrix as m},
    model::{Builtin, ClusterId, KindStatus, Millis},
};

/// How columns are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tui::screens) enum Grouping {
    /// One column for each cluster.
    #[default]
    None,
    /// By environment.
    Environment,
    /// By region.
    Region,
    /// By provider.
    Provider,
    /// By the groups of the fleet file; a cluster may be in several.
    Fleet,
}

impl Grouping {
    /// The next one, as the key goes round.
    pub(in crate::tui::screens) fn next(self) -> Self {
        match self {
            Self::None => Self::Environment,
            Self::Environment => Self::Region,
            Self::Region => Self::Provider,
            Self::Provider => Self::Fleet,
            Self::Fleet => Self::None,
        }
    }

    /// Stable word.
    pub(in crate::tui::screens) fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Environment => "environment",
            Self::Region => "region",
            Self::Provider => "provider",
            Self::Fleet => "group",
        }
    }

    /// The grouping of this word.
    pub(in crate::tui::screens) fn named(word: &str) -> Self {
        [Self::Environment, Self::Region, Self::Provider, Self::Fleet]
            .into_iter()
            .find(|g| g.word() == word)
            .unwrap_or_default()
    }

    /// What it is, for the title.
    pub(in crate::tui::screens) fn title(self) -> Option<Msg> {
        match self {
            Self::None => None,
            Self::Environment => Some(m::BY_ENVIRONMENT),
            Self::Region => Some(m::BY_REGION),
            Self::Provider => Some(m::BY_PROVIDER),
            Self::Fleet => Some(m::BY_FLEET_GROUP),
        }
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tui::screens) struct Column {
    /// Stable key: the cursor stays on it.
    pub(in crate::tui::screens) key: String,
    /// Header: alias or name of the cluster, or name of the group.
    pub(in crate::tui::screens) title: String,
    /// Its clusters; exactly one without grouping.
    pub(in crate::tui::screens) members: Vec<ClusterId>,
    /// A group.
    pub(in crate::tui::screens) group: bool,
}

struct Place {
    id: ClusterId,
    name: String,
    alias: String,
    environment: String,
    region: String,
    provider: String,
    groups: Vec<String>,
}

/// The columns for some clusters (empty = all).
pub(in crate::tui::screens) fn columns(
    store: &Store,
    chosen: &[ClusterId],
    grouping: Grouping,
    lang: Lang,
    now: Millis,
) -> Vec<Column> {
    let mut places: Vec<Place> = store
        .clusters()
        .filter(|(id, _)| chosen.is_empty() || chosen.contains(id))
        .filter_map(|(id, _)| inventory::cluster_row(store, id, now))
        .map(|row| Place {
            id: row.id,
            name: clean_line(&row.record.name).into_owned(),
            alias: clean_line(&row.record.alias).into_owned(),
            environment: row.environment.value.unwrap_or_default(),
            region: row.region.value.unwrap_or_default(),
            provider: row.provider.value.unwrap_or_default(),
            groups: row.record.groups.clone(),
        })
        .collect();
    places.sort_by(|a, b| {
        (rank(&a.environment), &a.environment, &a.region, &a.name).cmp(&(
            rank(&b.environment),
            &b.environment,
            &b.region,
            &b.name,
        ))
    });
    if grouping == Grouping::None {
        return places.into_iter().map(one).collect();
    }
    let mut out: Vec<Column> = Vec::new();
    for place in &places {
        for name in names(place, grouping, lang) {
            match out.iter_mut().find(|c| c.title == name) {
                Some(column) => column.members.push(place.id),
                None => {
                    out.push(Column { key: format!("g:{name}"), title: name, members: vec![place.id], group: true })
                }
            }
        }
    }
    out
}

fn one(place: Place) -> Column {
    let title = if place.alias.is_empty() { place.name.clone() } else { place.alias };
    Column { key: key_of(&place.name), title, members: vec![place.id], group: false }
}

/// Key of a cluster's own column.
pub(in crate::tui::screens) fn key_of(cluster: &str) -> String {
    format!("c:{}", clean_line(cluster))
}

/// Production first; an unknown environment counts as production and comes right after it.
fn rank(environment: &str) -> u8 {
    let lower = environment.to_ascii_lowercase();
    match lower.as_str() {
        "" => 1,
        e if e.starts_with("prod") => 0,
        _ => 2,
    }
}

fn names(place: &Place, grouping: Grouping, lang: Lang) -> Vec<String> {
    let known = |value: &str| {
        if value.is_empty() { m::UNKNOWN_GROUP.text(lang).to_owned() } else { clean_line(value).into_owned() }
    };
    match grouping {
        Grouping::None => Vec::new(),
        Grouping::Environment => vec![known(&place.environment)],
        Grouping::Region => vec![known(&place.region)],
        Grouping::Provider => vec![known(&place.provider)],
        Grouping::Fleet if place.groups.is_empty() => vec![m::NO_GROUP.text(lang).to_owned()],
        Grouping::Fleet => place.groups.iter().map(|g| clean_line(g).into_owned()).collect(),
    }
}

/// Whether it can be told that a service does *not* run in a cluster: its usual workloads were listed to the end once.
pub(in crate::tui::screens) fn is_known(store: &Store, cluster: ClusterId) -> bool {
    let Some(shard) = store.shard(cluster) else { return false };
    [Builtin::Deployment, Builtin::StatefulSet, Builtin::DaemonSet].iter().all(|kind| match shard.kind(kind.id()) {
        KindStatus::Live | KindStatus::Polling | KindStatus::Stale(_) | KindStatus::NotServed => true,
        // The snapshot on disk was complete when it was written.
        KindStatus::Waiting => store.count(cluster, kind.id()) > 0,
        KindStatus::Listing { .. } | KindStatus::Forbidden(_) | KindStatus::Failing(_) => false,
    })
}
