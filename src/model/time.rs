//! Points in time as small numbers, and ages as an engineer reads them. No clock: "now" is always an argument.

use serde::{Deserialize, Serialize};

/// Seconds since 1970-01-01T00:00:00Z; 0 = unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Secs(pub u32);

/// Milliseconds since 1970-01-01T00:00:00Z; 0 = never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Millis(pub i64);

impl Millis {
    /// The same moment in whole seconds.
    pub fn secs(self) -> Secs {
        Secs(u32::try_from(self.0 / 1000).unwrap_or(0))
    }

    /// Time from `earlier` to `self`, zero when it lies in the future.
    pub fn since(self, earlier: Self) -> Age {
        Age(u64::try_from((self.0 - earlier.0).max(0) / 1000).unwrap_or(0))
    }
}

impl From<Secs> for Millis {
    fn from(value: Secs) -> Self {
        Self(i64::from(value.0) * 1000)
    }
}

/// A length of time in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age(pub u64);

/// `41s`, `4m`, `12h`, `3d`, `2y`: one number, one unit, rounded down.
pub fn age_text(age: Age) -> String {
    let s = age.0;
    match s {
        0..60 => format!("{s}s"),
        60..3600 => format!("{}m", s / 60),
        3600..86_400 => format!("{}h", s / 3600),
        86_400..63_072_000 => format!("{}d", s / 86_400),
        _ => format!("{}y", s / 31_536_000),
    }
}

/// Parses the timestamps that Kubernetes writes (`2026-11-30T12:45:27Z`, also with fractions). `None` when it is none or
/// lies before 1970.
pub fn parse_rfc3339(text: &str) -> Option<Millis> {
    let t: jiff::Timestamp = text.parse().ok()?;
    Some(Millis(t.as_millisecond())).filter(|m| m.0 >= 0)
}

/// `2026-11-28 22:41Z`.
pub fn utc_text(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at.0)
        .map(|t| t.strftime("%Y-%m-%d %H:%MZ").to_string())
        .unwrap_or_else(|_| String::from("?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_one_unit() {
        for (s, text) in
            [(0, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (3600, "1h"), (86_399, "23h"), (86_400, "1d")]
        {
            assert_eq!(age_text(Age(s)), text);
        }
    }

    #[test]
    fn timestamps_of_both_precisions() {
        assert_eq!(parse_rfc3339("2026-11-30T12:45:27Z"), Some(Millis(1_796_042_727_000)));
        assert_eq!(parse_rfc3339("2026-11-30T12:45:27.250000Z"), Some(Millis(1_796_042_727_250)));
        assert_eq!(parse_rfc3339("yesterday"), None);
    }
}
