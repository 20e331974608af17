//! An explanation in sentences: one for the whole, one for each cluster.

use super::{
    Failure,
    explain::{Bar, Chance, ClusterPlaced, Explanation},
    pass::{Cause, How, Pick},
};
use crate::messages::{Lang, Msg, clean_line, placement as text};

impl Explanation {
    /// The whole in a sentence; another one each for the group in use and for what limits did to the sum.
    pub fn sentence(&self, lang: Lang) -> String {
        let more = [self.group_in_use(lang), self.unbalanced(lang)];
        more.into_iter().flatten().fold(self.outcome(lang), |first, second| {
            text::TWO_SENTENCES.fill(lang, &[("first", &first), ("second", &second)])
        })
    }

    /// One sentence for each cluster, in the order of [`Explanation::clusters`].
    pub fn cluster_sentences(&self, lang: Lang) -> Vec<String> {
        self.clusters.iter().map(|c| self.cluster_sentence(c, lang)).collect()
    }

    /// Why one cluster is in or out.
    pub fn cluster_sentence(&self, placed: &ClusterPlaced, lang: Lang) -> String {
        let cluster = clean_line(&placed.cluster);
        let n = placed.replicas.unwrap_or(0).to_string();
        if self.cause == Cause::Nothing {
            let msg = if placed.held.is_some() { text::C_STAYS } else { text::C_STAYS_OUT };
            return msg.fill(lang, &[("cluster", &cluster), ("n", &n)]);
        }
        match (placed.replicas, &placed.chance) {
            (Some(_), Some(chance)) => self.why_in(placed, chance, lang),
            _ => {
                let stays = self.failed.is_some_and(Failure::keeps_former) && placed.held.is_some();
                let msg = if stays { text::C_FORMER } else { text::C_OUT };
                let held = placed.held.unwrap_or(0).to_string();
                msg.fill(lang, &[("cluster", &cluster), ("held", &held), ("why", &self.why_out(placed, lang))])
            }
        }
    }

    fn outcome(&self, lang: Lang) -> String {
        let (n, all) = (self.clusters.iter().filter(|c| c.replicas.is_some()).count().to_string(), self.clusters.len());
        let chosen = self.clusters.iter().filter_map(|c| c.chance.as_ref()).filter(|c| c.pick.chosen());
        let room = chosen.fold(0_i64, |sum, c| sum.saturating_add(c.room)).to_string();
        let values = [("replicas", &*self.replicas.to_string()), ("n", &n), ("all", &all.to_string()), ("room", &room)];
        let kept = || self.clusters.iter().filter_map(|c| c.chance.as_ref()).any(|c| c.how == How::Kept);
        let msg = match (self.failed, self.cause, self.strategy) {
            (Some(failure), ..) => failed(failure),
            (None, Cause::Nothing, _) => text::W_NOTHING_HAPPENED,
            _ if !self.workload => text::W_UNCOUNTED,
            _ if self.replicas == 0 => text::W_NONE_WANTED,
            (.., "duplicated") => text::W_EVERY,
            (.., "static") => text::W_STATIC,
            _ if kept() => text::W_KEPT,
            (.., "aggregated") => text::W_AGGREGATED,
            _ => text::W_DYNAMIC,
        };
        msg.fill(lang, &values)
    }

    fn group_in_use(&self, lang: Lang) -> Option<String> {
        let group = clean_line(self.group.as_deref()?).into_owned();
        let failed: Vec<String> =
            self.attempts.iter().filter(|a| a.failure.is_some()).map(|a| clean_line(&a.group).into_owned()).collect();
        let list = failed.join(text::LIST_GAP.text(lang));
        let msg = match (self.failed.is_some(), failed.is_empty()) {
            (true, _) => text::G_ALL_FAILED,
            (false, true) => text::G_IN_USE,
            (false, false) => text::G_AFTER,
        };
        Some(msg.fill(lang, &[("group", &group), ("failed", &list)]))
    }

    /// What limits made of the sum.
    fn unbalanced(&self, lang: Lang) -> Option<String> {
        let divided = self.failed.is_none() && self.workload && self.strategy != "duplicated";
        let missing = self.replicas - self.placed;
        let msg = match missing {
            1.. => text::L_LEFT_OUT,
            0 => return None,
            _ => text::L_ADDED,
        };
        let show = divided && self.cause != Cause::Nothing;
        show.then(|| msg.fill(lang, &[("n", &missing.abs().to_string())]))
    }

    fn why_in(&self, placed: &ClusterPlaced, chance: &Chance, lang: Lang) -> String {
        let share = placed.replicas.unwrap_or(0);
        let held = placed.held.unwrap_or(0);
        let msg = match chance.how {
            _ if chance.dealt != share => text::C_LIMITED,
            How::Every => text::C_EVERY,
            How::Weighted => text::C_WEIGHTED,
            How::Kept => text::C_KEPT,
            How::Grown if held == share => text::C_HOLDS,
            How::Grown if held > 0 => text::C_GROWN,
            How::Grown => text::C_NEW,
            How::NotNeeded => text::C_SUFFICES,
            How::Shrunk => text::C_SHRUNK,
            How::Afresh => text::C_AFRESH,
            How::Uncounted | How::Undecided | How::Unweighted | How::TierNotNeeded => text::C_UNCOUNTED,
        };
        let extra = (share - held).to_string();
        let values = [
            ("cluster", &*clean_line(&placed.cluster)),
            ("n", &share.to_string()),
            ("held", &held.to_string()),
            ("extra", &extra),
            ("dealt", &chance.dealt.to_string()),
            ("weight", &chance.weight.to_string()),
            ("weights", &chance.weights.to_string()),
            ("pot", &chance.pot.to_string()),
        ];
        msg.fill(lang, &values)
    }

    fn why_out(&self, placed: &ClusterPlaced, lang: Lang) -> String {
        if let Some(chance) = &placed.chance {
            return self.why_left(placed, chance, lang);
        }
        let bars: Vec<String> = placed.barred.iter().map(|bar| barred(bar, lang)).collect();
        bars.join(text::CLAUSE_GAP.text(lang))
    }

    /// Why a cluster that passes every filter gets nothing.
    fn why_left(&self, placed: &ClusterPlaced, chance: &Chance, lang: Lang) -> String {
        let shrinks = chance.how == How::NotNeeded && self.shrinks();
        let msg = match (chance.pick, chance.how) {
            (Pick::Beyond, _) => text::O_BEYOND,
            (Pick::SwappedOut, _) => text::O_SWAPPED_OUT,
            (Pick::RegionLost, _) => text::O_REGION_LOST,
            (Pick::RegionBeyond, _) => text::O_REGION_BEYOND,
            _ if self.failed.is_some() => text::O_FAILED,
            _ if self.replicas == 0 => text::O_NONE_WANTED,
            _ if chance.dealt > 0 => text::O_LIMITED,
            (_, How::Unweighted) => text::O_UNWEIGHTED,
            (_, How::Weighted) => text::O_LIGHT,
            (_, How::Kept) => text::O_KEPT,
            (_, How::TierNotNeeded) => text::O_TIER_NOT_NEEDED,
            (_, How::Shrunk) => text::O_SHRUNK,
            (_, How::NotNeeded) if shrinks && placed.held.unwrap_or(0) == 0 => text::O_NEWCOMER,
            (_, How::NotNeeded) => text::O_NOT_NEEDED,
            _ if chance.weight == 0 => text::O_NO_ROOM,
            _ => text::O_LITTLE_ROOM,
        };
        let worth = self.regions.iter().find(|r| r.region == placed.region).map_or(0, |r| r.weight);
        let values = [
            ("place", &*chance.place.to_string()),
            ("score", &chance.score.to_string()),
            ("room", &chance.room.to_string()),
            ("most", &self.most.to_string()),
            ("region", &clean_line(&placed.region)),
            ("worth", &worth.to_string()),
            ("weight", &chance.weight.to_string()),
            ("weights", &chance.weights.to_string()),
            ("pot", &chance.pot.to_string()),
            ("held", &placed.held.unwrap_or(0).to_string()),
            ("dealt", &chance.dealt.to_string()),
        ];
        msg.fill(lang, &values)
    }

    /// Whether replicas are being taken away.
    fn shrinks(&self) -> bool {
        self.clusters.iter().filter_map(|c| c.chance.as_ref()).any(|c| c.how == How::Shrunk)
    }
}

fn failed(failure: Failure) -> Msg {
    match failure {
        Failure::NoClusterFit => text::F_NO_CLUSTER_FIT,
        Failure::Unschedulable => text::F_UNSCHEDULABLE,
        Failure::MinGroups => text::F_MIN_GROUPS,
        Failure::NoEnoughResource => text::F_NO_ENOUGH_RESOURCE,
        Failure::NothingSelected => text::F_NOTHING_SELECTED,
        Failure::UnsupportedSpread => text::F_UNSUPPORTED_SPREAD,
    }
}

/// A filter that is not passed, as a clause.
fn barred(bar: &Bar, lang: Lang) -> String {
    let list = |items: &[String]| clean_line(&items.join(text::LIST_GAP.text(lang))).into_owned();
    match bar {
        Bar::Deleting => text::B_DELETING.text(lang).to_owned(),
        Bar::Affinity { group, part } => {
            let why = match *part {
                "excluded" => text::B_EXCLUDED.text(lang).to_owned(),
                "labels" => text::B_LABELS.text(lang).to_owned(),
                "name" => text::B_NAME.text(lang).to_owned(),
                "broken" => text::B_BROKEN.text(lang).to_owned(),
                field => text::B_FIELD.fill(lang, &[("field", field)]),
            };
            if group.is_empty() {
                return why;
            }
            text::B_GROUP.fill(lang, &[("group", &clean_line(group)), ("why", &why)])
        }
        Bar::Taint { taints } => text::B_TAINT.fill(lang, &[("taints", &list(taints))]),
        Bar::Api { api } => text::B_API.fill(lang, &[("api", &clean_line(api))]),
        Bar::Property { properties } => {
            let names: Vec<String> = properties.iter().map(|p| (*p).to_owned()).collect();
            text::B_PROPERTY.fill(lang, &[("properties", &list(&names))])
        }
        Bar::Evicting => text::B_EVICTING.text(lang).to_owned(),
    }
}
