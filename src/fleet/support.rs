//! Kubernetes versions: end of support and version skew (specs: governance 9.2, 9.3).

use super::inventory::{Skew, Support};
use crate::model::{KubeVersion, Millis, utc_text};

/// The month in which the table below was true.
pub const TABLE_AS_OF: &str = "2026-08";

/// Minor version, end of full support (empty: over before the table was made), end of security fixes.
/// Source: endoflife-date/endoflife.date, products/kubernetes.
const TABLE: &[(u16, &str, &str)] = &[
    (36, "2027-04-28", "2027-06-28"),
    (35, "2026-12-28", "2027-02-28"),
    (34, "2026-08-27", "2026-10-27"),
    (33, "2026-04-28", "2026-06-28"),
    (32, "", "2026-02-28"),
    (31, "", "2025-11-11"),
    (30, "", "2025-07-15"),
    (29, "", "2025-02-28"),
    (28, "", "2024-10-28"),
];

/// Support status of a version on a day. Managed services may support a version for longer: the table is Kubernetes' own.
pub fn support(version: &KubeVersion, now: Millis) -> Support {
    let today = utc_text(now);
    let today = today.get(..10).unwrap_or("");
    let newest = TABLE.first().map_or(0, |row| row.0);
    if version.major != 1 || version.minor > newest {
        return Support::Unknown(TABLE_AS_OF.to_owned());
    }
    // Older than the oldest row: over at least since that row's end.
    let row = TABLE.iter().find(|row| row.0 == version.minor).or(TABLE.last());
    let Some((_, full, end)) = row else { return Support::Unknown(TABLE_AS_OF.to_owned()) };
    if version.minor < TABLE.last().map_or(0, |row| row.0) || today > *end {
        return Support::Ended((*end).to_owned());
    }
    if today <= *full { Support::Full((*full).to_owned()) } else { Support::SecurityOnly((*end).to_owned()) }
}

/// Major, minor and patch of a version as written (`v1.33.4-eks-1a2b`).
pub fn parse_version(text: &str) -> Option<(u16, u16, u16)> {
    let mut parts = text.trim_start_matches('v').split(|c: char| !c.is_ascii_digit());
    let mut next = || parts.next().and_then(|p| p.parse().ok());
    let (major, minor) = (next()?, next()?);
    Some((major, minor, next().unwrap_or(0)))
}

/// Kubelets that break the rule: not newer than the API server, at most three minors older (two for kubelets before 1.25).
pub(super) fn skew<'a>(server: &KubeVersion, kubelets: impl Iterator<Item = (&'a str, u32)>) -> Vec<Skew> {
    kubelets
        .filter_map(|(kubelet, nodes)| {
            let (_, minor, _) = parse_version(kubelet)?;
            let minors = i32::from(server.minor) - i32::from(minor);
            let allowed = if minor < 25 { 2 } else { 3 };
            (minors < 0 || minors > allowed).then(|| Skew { kubelet: kubelet.to_owned(), nodes, minors })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::parse_rfc3339;

    fn version(minor: u16) -> KubeVersion {
        KubeVersion { git: format!("v1.{minor}.0"), major: 1, minor, emulated_minor: None }
    }

    #[test]
    fn the_table_by_day() {
        let on = |minor, day: &str| support(&version(minor), parse_rfc3339(&format!("{day}T12:00:00Z")).unwrap());
        assert_eq!(on(35, "2026-12-28"), Support::Full("2026-12-28".into()));
        assert_eq!(on(35, "2026-12-29"), Support::SecurityOnly("2027-02-28".into()));
        assert_eq!(on(34, "2026-11-30"), Support::Ended("2026-10-27".into()));
        assert_eq!(on(32, "2026-02-01"), Support::SecurityOnly("2026-02-28".into()));
        assert_eq!(on(19, "2026-11-30"), Support::Ended("2024-10-28".into()), "older than the table");
        assert_eq!(on(38, "2026-11-30"), Support::Unknown("2026-08".into()), "newer than the table, never past");
    }

    #[test]
    fn kubelets_three_minors_behind_are_fine() {
        let kubelets = [("v1.31.2", 4), ("v1.34.0", 1), ("v1.36.0-eks-1", 2), ("odd", 1), ("v1.32.9", 1)];
        let found = skew(&version(35), kubelets.into_iter());
        let found: Vec<(&str, u32, i32)> = found.iter().map(|s| (s.kubelet.as_str(), s.nodes, s.minors)).collect();
        assert_eq!(found, [("v1.31.2", 4, 4), ("v1.36.0-eks-1", 2, -1)]);
        assert_eq!(skew(&version(26), [("v1.23.1", 1), ("v1.24.1", 1)].into_iter()).len(), 1, "two before 1.25");
    }
}
