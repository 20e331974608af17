//! What a cell of the Placement screen says: wanted and live replicas of an object, of a service's workloads, or of a group of
//! clusters; and, under suppositions, what is there now and would be there then.

use super::board::{Live, Want};
use crate::{
    model::Health,
    tui::{glyphs::Glyphs, theme::Role},
};

/// What is wanted and what is live, over any number of objects and clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    /// Cells where something should be.
    pub(super) placed: u32,
    /// Replicas that should be there, and of how many cells that is known.
    pub(super) wanted: i64,
    counted: u32,
    /// Ready replicas.
    pub(super) ready: i64,
    /// Replicas that clusters themselves want of what nothing here counts (one for each node, by an autoscaler), and of how
    /// many cells that is known.
    own: i64,
    owned: u32,
    /// Cells that have something.
    found: u32,
    /// Cells of which it is not known.
    unknown: u32,
    /// Cells that should have something and have nothing.
    absent: u32,
    /// Cells that have what they should not.
    orphans: u32,
    failed: u32,
    held: u32,
    stale: bool,
    bad: bool,
    /// Something has less than it should.
    short: bool,
    /// There is no placement at all.
    refused: bool,
}

impl Sum {
    /// Takes one object in one cluster in. `refused`: there is no placement for it.
    pub(super) fn add(&mut self, want: Want, live: Live, refused: bool) {
        self.refused |= refused;
        let placed = want != Want::No;
        self.placed += u32::from(placed);
        self.failed += u32::from(matches!(want, Want::Failed(_)));
        self.held += u32::from(matches!(want, Want::Held(_)));
        if let Some(n) = want.count() {
            self.wanted += n;
            self.counted += 1;
        }
        match live {
            Live::Unknown => self.unknown += u32::from(placed),
            Live::Absent => {
                self.absent += u32::from(placed);
                self.short |= placed && want.count() != Some(0);
            }
            Live::There { ready, wanted, health, stale } => {
                self.found += 1;
                self.ready += i64::from(ready);
                self.orphans += u32::from(!placed);
                self.stale |= stale;
                if let (None, Some(n)) = (want.count(), wanted) {
                    self.own += i64::from(n);
                    self.owned += 1;
                }
                self.bad |= placed && health == Health::Bad;
                let aim = want.count().or(wanted.map(i64::from)).unwrap_or(0);
                self.short |= placed && i64::from(ready) < aim;
            }
        }
    }

    /// Text and role. `runs` = the objects run Pods, so that ready ones are counted.
    pub(super) fn text(&self, runs: bool, glyphs: &Glyphs) -> (String, Role) {
        let (text, role) = self.plain(runs, glyphs);
        if self.stale { (format!("{text}*"), Role::Stale) } else { (text, role) }
    }

    fn plain(&self, runs: bool, glyphs: &Glyphs) -> (String, Role) {
        if self.placed == 0 {
            let live = if runs { self.ready.to_string() } else { glyphs.ok.to_owned() };
            return match (self.refused, self.orphans) {
                (true, 0) => (glyphs.warn.to_owned(), Role::Bad),
                (true, _) => (format!("{} -/{live}", glyphs.warn), Role::Bad),
                (false, 0) => (glyphs.none.to_owned(), Role::Muted),
                (false, _) => (format!("{} -/{live}", glyphs.differs), Role::Changed),
            };
        }
        let value = self.value(runs, glyphs);
        if self.failed > 0 || self.refused {
            (format!("{} {value}", glyphs.warn), Role::Bad)
        } else if self.bad || (self.absent > 0 && self.short) {
            (format!("{} {value}", glyphs.bad), Role::Bad)
        } else if self.held > 0 {
            (format!("{} {value}", glyphs.held), Role::Busy)
        } else if self.short {
            (value, Role::Warn)
        } else if self.unknown > 0 {
            (value, Role::Unknown)
        } else if self.counted > 0 && self.ready > self.wanted {
            (value, Role::Changed)
        } else {
            (value, Role::Text)
        }
    }

    /// `4/3`, `4/?`; where no number is wanted, what the cluster itself wants, else that it is there.
    fn value(&self, runs: bool, glyphs: &Glyphs) -> String {
        let unknown = self.found == 0 && self.absent == 0;
        let live = match unknown {
            true => glyphs.unknown.to_owned(),
            false if self.unknown > 0 => format!("{}{}", self.ready, glyphs.unknown),
            false => self.ready.to_string(),
        };
        match (self.counted, runs) {
            (0, _) if unknown => glyphs.unknown.to_owned(),
            (0, true) if self.owned > 0 => format!("{}/{live}", self.own),
            (0, _) if self.absent > 0 && self.found > 0 => format!("{}/{}", self.found, self.placed),
            (0, _) if self.absent > 0 => glyphs.none.to_owned(),
            (0, _) => glyphs.ok.to_owned(),
            _ => format!("{}/{live}", self.wanted),
        }
    }
}

/// What is there now and what would be there then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shift {
    now: Option<i64>,
    then: Option<i64>,
    /// Some of it is counted in replicas.
    counted: bool,
}

impl Shift {
    /// Takes one object in one cluster in.
    pub(super) fn add(&mut self, now: Want, then: Want) {
        let into = |sum: &mut Option<i64>, want: Want| {
            if want != Want::No {
                *sum = Some(sum.unwrap_or(0) + want.count().unwrap_or(0));
            }
        };
        self.counted |= now.count().is_some() || then.count().is_some();
        into(&mut self.now, now);
        into(&mut self.then, then);
    }

    /// Whether anything would be different.
    pub(super) fn moves(&self) -> bool {
        self.now != self.then
    }

    /// Replicas now and then.
    pub(super) fn sums(&self) -> (i64, i64) {
        (self.now.unwrap_or(0), self.then.unwrap_or(0))
    }

    /// Text and role: `4→6`, `+2` where it is new, `-4` where it goes, the number alone where nothing changes.
    pub(super) fn text(&self, glyphs: &Glyphs) -> (String, Role) {
        let number = |n: i64| if self.counted { n.to_string() } else { String::new() };
        match (self.now, self.then) {
            (None, None) => (glyphs.none.to_owned(), Role::Muted),
            (None, Some(then)) => (format!("+{}", number(then)), Role::Added),
            (Some(now), None) => (format!("-{}", number(now)), Role::Removed),
            (Some(now), Some(then)) if now == then => {
                (if self.counted { now.to_string() } else { glyphs.ok.to_owned() }, Role::Muted)
            }
            (Some(now), Some(then)) => {
                let role = if then > now { Role::Added } else { Role::Removed };
                (format!("{now}{}{then}", glyphs.arrow), role)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::glyphs::UNICODE;

    fn there(ready: u32) -> Live {
        Live::There { ready, wanted: Some(ready), health: Health::Ok, stale: false }
    }

    #[test]
    fn every_state_of_a_cell_has_its_own_words() {
        let stale = Live::There { ready: 4, wanted: Some(4), health: Health::Ok, stale: true };
        let bad = Live::There { ready: 0, wanted: Some(4), health: Health::Bad, stale: false };
        for (want, live, runs, text, role) in [
            (Want::Count(4), there(4), true, "4/4", Role::Text),
            (Want::Count(4), there(3), true, "4/3", Role::Warn),
            (Want::Count(4), there(6), true, "4/6", Role::Changed),
            (Want::Count(4), bad, true, "✗ 4/0", Role::Bad),
            (Want::Count(4), Live::Absent, true, "✗ 4/0", Role::Bad),
            (Want::Count(0), Live::Absent, true, "0/0", Role::Text),
            (Want::Count(4), Live::Unknown, true, "4/?", Role::Unknown),
            (Want::Count(4), stale, true, "4/4*", Role::Stale),
            (Want::No, Live::Absent, true, "-", Role::Muted),
            (Want::No, Live::Unknown, true, "-", Role::Muted),
            (Want::No, there(2), true, "∆ -/2", Role::Changed),
            (Want::Failed(Some(4)), there(4), true, "! 4/4", Role::Bad),
            (Want::Held(Some(4)), there(4), true, "= 4/4", Role::Busy),
            (Want::There, there(3), true, "3/3", Role::Text),
            (
                Want::There,
                Live::There { ready: 8, wanted: Some(9), health: Health::Ok, stale: false },
                true,
                "9/8",
                Role::Warn,
            ),
            (
                Want::There,
                Live::There { ready: 0, wanted: None, health: Health::Ok, stale: false },
                true,
                "✓",
                Role::Text,
            ),
            (Want::There, there(0), false, "✓", Role::Text),
            (Want::There, Live::Absent, false, "✗ -", Role::Bad),
            (Want::There, Live::Unknown, false, "?", Role::Unknown),
        ] {
            let mut sum = Sum::default();
            sum.add(want, live, false);
            assert_eq!(sum.text(runs, &UNICODE), (text.to_owned(), role), "{want:?} {live:?}");
        }
        let mut refused = Sum::default();
        refused.add(Want::No, Live::Absent, true);
        assert_eq!(refused.text(true, &UNICODE), ("!".to_owned(), Role::Bad));
        let mut sum = Sum::default();
        sum.add(Want::Count(4), there(4), false);
        sum.add(Want::Count(2), Live::Unknown, false);
        assert_eq!(sum.text(true, &UNICODE), ("6/4?".to_owned(), Role::Unknown));
    }

    #[test]
    fn a_shift_says_what_comes_and_goes() {
        for (now, then, text) in [
            (Want::Count(4), Want::Count(6), "4→6"),
            (Want::Count(4), Want::No, "-4"),
            (Want::No, Want::Count(6), "+6"),
            (Want::No, Want::There, "+"),
            (Want::There, Want::No, "-"),
            (Want::Count(4), Want::Count(4), "4"),
            (Want::There, Want::There, "✓"),
            (Want::No, Want::No, "-"),
        ] {
            let mut shift = Shift::default();
            shift.add(now, then);
            assert_eq!(shift.text(&UNICODE).0, text, "{now:?} {then:?}");
        }
    }
}
