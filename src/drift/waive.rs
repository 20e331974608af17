//! Waivers: who lives with which difference, why and until when (section 6). They use keys, never places in lists, and expire
//! by themselves.

use serde_json::Value as Json;

use super::{Class, Input, Verdict, path::covers, shown::Shown};

/// One waiver.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiver {
    /// The path that it covers, with all that lies below it.
    pub path: String,
    /// Why.
    pub reason: String,
    /// Who decided.
    pub by: String,
    /// Its end: RFC 3339, or a date (then the beginning of that day, UTC).
    pub until: String,
    /// The live value that it is bound to: any other one counts again.
    pub value: Option<Json>,
}

impl Waiver {
    /// Whether it counts: it has a reason, an author and an end that lies ahead.
    pub fn is_valid(&self, now: &str) -> bool {
        let end = instant(&self.until);
        let complete = !self.reason.trim().is_empty() && !self.by.trim().is_empty() && !self.path.is_empty();
        complete && instant(now).is_some_and(|now| end.is_some_and(|end| now < end))
    }
}

fn instant(text: &str) -> Option<jiff::Timestamp> {
    let day = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|z| z.timestamp());
    text.parse().ok().or_else(day)
}

/// Marks what valid waivers cover.
pub fn apply(verdict: &mut Verdict, input: &Input) {
    let Some(now) = input.now else { return };
    let valid: Vec<&Waiver> = input.waivers.iter().filter(|w| w.is_valid(now)).collect();
    for difference in &mut verdict.differences {
        let bound = |waiver: &Waiver| match &waiver.value {
            None => true,
            Some(value) => difference.live == Shown::Plain(value.clone()),
        };
        if valid.iter().any(|waiver| covers(&waiver.path, &difference.path) && bound(waiver)) {
            difference.class = Class::Waived;
            difference.rule = "C6";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_needs_a_reason_an_author_and_an_end_ahead() {
        let made = |reason: &str, by: &str, until: &str| Waiver {
            path: "/spec".into(),
            reason: reason.into(),
            by: by.into(),
            until: until.into(),
            value: None,
        };
        let now = "2026-11-30T09:00:00Z";
        assert!(made("load test", "ann", "2026-12-01").is_valid(now));
        for (reason, by, until) in [
            ("", "ann", "2026-12-01"),
            ("x", "", "2026-12-01"),
            ("x", "ann", now),
            ("x", "ann", ""),
            ("x", "ann", "soon"),
        ] {
            assert!(!made(reason, by, until).is_valid(now), "{reason} {by} {until}");
        }
    }
}
