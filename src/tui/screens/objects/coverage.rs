//! How much of the fleet a list covers: clusters whose rows are live, those still listing, and the missing ones by reason.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{
    fleet::{Store, list::Query},
    messages::{Lang, clean_line, objects as m},
    model::{ClusterState, KindStatus},
    tui::screens::words,
};

/// See the module.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Clusters chosen.
    pub total: usize,
    /// Clusters whose rows are live (or polled), or that do not serve the kind.
    pub live: usize,
    /// Clusters that are still connecting or listing.
    pub loading: usize,
    /// Clusters that may not be read.
    pub forbidden: usize,
    /// Rows listed so far by running lists, and how many are expected where every server said so.
    pub listed: (u64, Option<u64>),
    /// The others, counted by reason.
    pub missing: BTreeMap<Cow<'static, str>, usize>,
    /// Objects that a server sent and nobody could read: one sentence each.
    pub unreadable: Vec<String>,
}

impl Coverage {
    /// Looks at every chosen cluster.
    pub fn of(store: &Store, query: &Query, lang: Lang) -> Self {
        let mut out = Self { listed: (0, Some(0)), ..Self::default() };
        let chosen = |id| query.clusters.is_empty() || query.clusters.contains(&id);
        for (_, shard) in store.clusters().filter(|(id, _)| chosen(*id)) {
            out.total += 1;
            let resources = query.kinds.iter().filter_map(|k| Some(store.kinds().info(*k)?.resource()));
            for (what, why) in resources.flat_map(|r| {
                let is_one = move |what: &str| what.strip_prefix(&*r).is_some_and(|rest| rest.starts_with(' '));
                shard.facts.unreadable_latest.iter().filter(move |(what, _)| is_one(what))
            }) {
                let values = [("what", what.as_str()), ("cluster", &*shard.record.name), ("why", why)];
                out.unreadable.push(clean_line(&m::UNREADABLE.fill(lang, &values)).into_owned());
            }
            let statuses = query.kinds.iter().map(|k| shard.kind(*k));
            let state = shard.condition.state;
            if state == ClusterState::Connecting {
                out.loading += 1;
                continue;
            }
            if !matches!(state, ClusterState::Live | ClusterState::Syncing) {
                *out.missing.entry(words::state_word(&shard.condition, lang)).or_default() += 1;
                continue;
            }
            match worst(statuses) {
                None | Some(KindStatus::Live | KindStatus::Polling | KindStatus::NotServed) => out.live += 1,
                Some(KindStatus::Waiting) => out.loading += 1,
                Some(KindStatus::Listing { rows, expected }) => {
                    out.loading += 1;
                    out.listed.0 += u64::from(*rows);
                    out.listed.1 = out.listed.1.zip(*expected).map(|(sum, n)| sum + u64::from(n.max(*rows)));
                }
                Some(other) => {
                    out.forbidden += usize::from(matches!(other, KindStatus::Forbidden(_)));
                    let why = words::kind_trouble(other, lang).unwrap_or_default();
                    *out.missing.entry(why).or_default() += 1;
                }
            }
        }
        out
    }

    /// `missing: 2 stale, 1 refused`; empty when nothing is missing.
    pub fn missing_text(&self, lang: Lang) -> String {
        let unreadable = (Cow::Borrowed(m::UNREADABLE_WORD.text(lang)), self.unreadable.len());
        let groups = self.missing.iter().map(|(reason, n)| (reason, *n));
        let parts: Vec<String> = groups
            .chain((unreadable.1 > 0).then_some((&unreadable.0, unreadable.1)))
            .map(|(reason, n)| m::MISSING_GROUP.fill(lang, &[("n", &n.to_string()), ("reason", reason)]))
            .collect();
        if parts.is_empty() {
            return String::new();
        }
        m::MISSING.fill(lang, &[("list", &parts.join(", "))])
    }
}

/// The status that says most about what is not there.
fn worst<'a>(statuses: impl Iterator<Item = &'a KindStatus>) -> Option<&'a KindStatus> {
    let rank = |s: &KindStatus| match s {
        KindStatus::NotServed => 0,
        KindStatus::Live | KindStatus::Polling => 1,
        KindStatus::Waiting => 2,
        KindStatus::Listing { .. } => 3,
        KindStatus::Stale(_) => 4,
        KindStatus::Forbidden(_) => 5,
        KindStatus::Failing(_) => 6,
    };
    statuses.max_by_key(|s| rank(s))
}
