//! A number or a percentage, as `maxSurge`, `maxUnavailable`, `minAvailable` and `partition` are written.

use serde_json::Value;

/// A number of pods, or a share of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many.
    Count(i64),
    /// So many of a hundred.
    Percent(i64),
}

impl Amount {
    /// Reads `3`, `"3"` or `"25%"`; anything else gives `default`.
    pub fn read(value: Option<&Value>, default: Self) -> Self {
        match value {
            Some(Value::Number(n)) => n.as_i64().map_or(default, Self::Count),
            Some(Value::String(s)) => match s.strip_suffix('%') {
                Some(p) => p.trim().parse().map_or(default, Self::Percent),
                None => s.trim().parse().map_or(default, Self::Count),
            },
            _ => default,
        }
    }

    /// Of `total`, a share rounded up.
    pub fn up(self, total: i64) -> i64 {
        match self {
            Self::Count(n) => n,
            Self::Percent(p) => (total * p + 99).div_euclid(100),
        }
    }

    /// Of `total`, a share rounded down.
    pub fn down(self, total: i64) -> i64 {
        match self {
            Self::Count(n) => n,
            Self::Percent(p) => (total * p).div_euclid(100),
        }
    }
}

/// How many pods a CloneSet keeps on the old revision: a share is rounded up; below 100 % at least one pod of several is
/// updated all the same; never below none or above all (OpenKruise's rules for `partition`).
pub fn clone_set_kept_old(partition: Amount, replicas: i64) -> i64 {
    let mut kept = partition.up(replicas);
    if let Amount::Percent(p) = partition
        && p < 100
        && replicas > 1
        && kept >= replicas
    {
        kept = replicas - 1;
    }
    kept.clamp(0, replicas.max(0))
}

/// How many pods an Advanced DaemonSet keeps on the old revision: a share of the nodes is rounded down.
pub fn daemon_set_kept_old(partition: Amount, nodes: i64) -> i64 {
    partition.down(nodes).clamp(0, nodes.max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partition_of_clone_sets_rounds_as_open_kruise_does() {
        use Amount::{Count, Percent};
        for (partition, replicas, old) in [
            (Percent(30), 5, 2),
            (Percent(30), 10, 3),
            (Percent(99), 9, 8),
            (Percent(99), 1, 1),
            (Percent(100), 4, 4),
            (Percent(150), 4, 4),
            (Percent(98), 250, 245),
            (Count(3), 10, 3),
            (Count(12), 10, 10),
            (Count(0), 10, 0),
        ] {
            assert_eq!(clone_set_kept_old(partition, replicas), old, "{partition:?} of {replicas}");
        }
        assert_eq!(daemon_set_kept_old(Percent(50), 5), 2);
    }

    #[test]
    fn amounts_are_read_tolerantly() {
        let one = Amount::Count(1);
        for (json, amount) in [
            ("3", Amount::Count(3)),
            ("\"25%\"", Amount::Percent(25)),
            ("\"2\"", Amount::Count(2)),
            ("\"many\"", one),
            ("null", one),
        ] {
            assert_eq!(Amount::read(serde_json::from_str(json).ok().as_ref(), one), amount, "{json}");
        }
    }
}
