//! Columns of the Fleet screen: what each shows, how it sorts, and by which name a filter finds it.

use std::cmp::Ordering;

use crate::{
    fleet::{
        filter::Filter,
        inventory::{ClusterRow, Plugin, Reading, Source, Support},
    },
    messages::{Lang, Msg, clean_line, fleet as m},
    model::{CauseCode, Health, KubeVersion, Millis, age_text, compare_tags},
    tui::{glyphs::Glyphs, screens::words, theme::Role},
};

macro_rules! columns {
    ($( $id:ident $key:literal $header:ident $about:ident $numeric:literal $wide:literal $floor:literal $ceiling:literal; )+) => {
        /// A column.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Col { $( #[doc = $key] $id ),+ }

        /// All columns in their usual order.
        pub const ALL: &[Info] = &[ $( Info {
            id: Col::$id, key: $key, header: m::$header, about: m::$about, numeric: $numeric, wide: $wide,
            floor: $floor, ceiling: $ceiling,
        } ),+ ];
    };
}

/// What is known of a column.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The column.
    pub id: Col,
    /// Stable name: in filters, in the configuration, in the state of the view.
    pub key: &'static str,
    /// Header.
    pub header: Msg,
    /// What it is, for the chooser.
    pub about: Msg,
    /// Right-aligned.
    pub numeric: bool,
    /// Shown only wide.
    pub wide: bool,
    /// Least cells.
    pub floor: u16,
    /// Most cells.
    pub ceiling: u16,
}

columns! {
    Name "name" H_NAME C_NAME false false 12 28;
    Env "env" H_ENV C_ENV false false 4 9;
    State "state" H_STATE C_STATE false false 9 13;
    Age "age" H_AGE C_AGE true false 4 5;
    Version "k8s" H_VERSION C_VERSION false false 6 12;
    Nodes "nodes" H_NODES C_NODES true false 5 11;
    Drift "drift" H_DRIFT C_DRIFT true false 4 5;
    Alerts "alerts" H_ALERTS C_ALERTS true false 4 6;
    CpuRequested "cpu-req" H_CPU_REQUESTED C_CPU_REQUESTED true false 5 7;
    MemRequested "mem-req" H_MEM_REQUESTED C_MEM_REQUESTED true false 5 8;
    Certificate "cert" H_CERT C_CERT true false 4 6;
    Login "login" H_CREDENTIAL C_CREDENTIAL true false 4 6;
    Rtt "rtt" H_RTT C_RTT true false 4 7;
    Region "region" H_REGION C_REGION false false 6 16;
    Team "team" H_TEAM C_TEAM false false 4 16;
    CpuUsed "cpu-use" H_CPU_USED C_CPU_USED true true 5 7;
    MemUsed "mem-use" H_MEM_USED C_MEM_USED true true 5 8;
    Cpu "cpu" H_CPU C_CPU true true 4 7;
    Mem "mem" H_MEM C_MEM true true 4 7;
    Pods "pods" H_PODS C_PODS true true 5 13;
    Workloads "workloads" H_WORKLOADS C_WORKLOADS true true 5 13;
    Cni "cni" H_CNI C_CNI false true 4 20;
    Csi "csi" H_CSI C_CSI false true 4 24;
    Provider "provider" H_PROVIDER C_PROVIDER false true 6 16;
    Tier "tier" H_TIER C_TIER false true 2 6;
    Uid "id" H_UID C_UID false true 4 36;
}

impl Col {
    /// What is known of it.
    pub fn info(self) -> &'static Info {
        // The table comes from the same list as the enum, in the same order.
        &ALL[self as usize]
    }

    /// The column of this name.
    pub fn named(key: &str) -> Option<Self> {
        ALL.iter().find(|i| i.key == key).map(|i| i.id)
    }
}

/// Text and role of one cell.
pub fn cell(row: &ClusterRow, col: Col, lang: Lang, glyphs: &Glyphs, now: Millis) -> (String, Role) {
    let text = |t: &String| clean_line(t).into_owned();
    match col {
        Col::Name => (clean_line(&row.record.name).into_owned(), Role::Text),
        Col::Env => {
            let (mut shown, mut role) = value(&row.environment, glyphs, text);
            if row.environment.source == Source::Guessed {
                shown.push('?');
            }
            if role == Role::Text {
                role = words::environment_role(row.environment.value.as_deref().unwrap_or(""));
            }
            (shown, role)
        }
        Col::State => (words::state_word(&row.condition, lang).into_owned(), words::state_role(row.condition.state)),
        Col::Age => (words::age_since(row.condition.heard, now), Role::Text),
        Col::Version => version(row, glyphs),
        Col::Nodes => {
            let (shown, role) = value(&row.nodes, glyphs, |(ready, all)| format!("{ready}/{all}"));
            let down = row.nodes.value.is_some_and(|(ready, all)| ready < all);
            (shown, if down && role == Role::Text { Role::Bad } else { role })
        }
        // Columns that are not built stay empty: a number here would be believed.
        Col::Drift | Col::Alerts => (glyphs.none.to_owned(), Role::Muted),
        Col::CpuRequested => share(row, &row.requested, glyphs, |r| r.cpu_m),
        Col::MemRequested => share(row, &row.requested, glyphs, |r| r.mem),
        Col::CpuUsed => share(row, &row.used, glyphs, |r| r.cpu_m),
        Col::MemUsed => share(row, &row.used, glyphs, |r| r.mem),
        Col::Cpu => value(&row.allocatable, glyphs, |r| words::cores(r.cpu_m)),
        Col::Mem => value(&row.allocatable, glyphs, |r| words::memory(r.mem)),
        Col::Pods => {
            let (shown, role) = value(&row.pods, glyphs, |(ok, all)| format!("{ok}/{all}"));
            let trouble = row.pods.value.is_some_and(|(ok, all)| ok < all);
            (shown, if trouble && role == Role::Text { Role::Warn } else { role })
        }
        Col::Workloads => {
            value(&row.workloads, glyphs, |(ok, warn, bad)| format!("{}/{}", warn + bad, ok + warn + bad))
        }
        Col::Certificate => {
            let (shown, role) = value(&row.certificate, glyphs, |c| end_text(c.not_after, now));
            let days = row.certificate.value.as_ref().map(|c| words::days_until(c.not_after, now));
            (shown, days.map_or(role, |d| end_role(d, role)))
        }
        Col::Login => {
            let (shown, role) = value(&row.credential, glyphs, |s| end_text(*s, now));
            let days = row.credential.value.map(|s| words::days_until(s, now));
            // A credential that renews itself by the hour is no alarm: only its end is.
            (shown, if days.is_some_and(|d| d < 0) { Role::Bad } else { role })
        }
        Col::Rtt => match row.facts.rtt_ms {
            Some(ms) => (format!("{ms}ms"), if ms >= 1000 { Role::Warn } else { Role::Text }),
            None => (glyphs.none.to_owned(), Role::Muted),
        },
        Col::Region => value(&row.region, glyphs, text),
        Col::Provider => {
            value(if row.distribution.value.is_some() { &row.distribution } else { &row.provider }, glyphs, text)
        }
        Col::Team => value(&row.team, glyphs, text),
        Col::Tier => value(&row.tier, glyphs, text),
        Col::Cni => value(&row.cni, glyphs, |list| plugins(list)),
        Col::Csi => value(&row.csi, glyphs, |list| plugins(list)),
        Col::Uid => value(&row.uid, glyphs, text),
    }
}

/// A reading as text: `*` when it is the last known one, the mark of refusal when it may not be read, `?` when nothing is
/// known, `-` when nothing was declared. Never a zero in place of "not known".
fn value<T>(reading: &Reading<T>, glyphs: &Glyphs, show: impl Fn(&T) -> String) -> (String, Role) {
    match (&reading.value, reading.source) {
        (Some(v), Source::LastKnown) => (format!("{}*", show(v)), Role::Stale),
        (Some(v), _) => {
            let text = show(v);
            if text.is_empty() { (glyphs.none.to_owned(), Role::Muted) } else { (text, Role::Text) }
        }
        (None, _) if reading.why.as_ref().is_some_and(|c| c.code == CauseCode::Forbidden) => {
            (glyphs.denied.to_owned(), Role::Warn)
        }
        (None, _) if reading.why.is_some() => (glyphs.unknown.to_owned(), Role::Unknown),
        (None, _) => (glyphs.none.to_owned(), Role::Muted),
    }
}

/// Percent of what can be allocated.
fn share(
    row: &ClusterRow,
    part: &Reading<crate::fleet::row::Resources>,
    glyphs: &Glyphs,
    of: impl Fn(&crate::fleet::row::Resources) -> u64,
) -> (String, Role) {
    let whole = row.allocatable.value.as_ref().map_or(0, &of);
    let percent = part.value.as_ref().and_then(|r| words::percent(of(r), whole));
    let (shown, role) = value(part, glyphs, |_| match percent {
        Some(p) => format!("{p}%"),
        None => glyphs.none.to_owned(),
    });
    (shown, if percent.is_some_and(|p| p >= 90) && role == Role::Text { Role::Warn } else { role })
}

/// `1.33.4`, with how far it is behind (`-2`) or that its support has ended (`EOL`).
fn version(row: &ClusterRow, glyphs: &Glyphs) -> (String, Role) {
    let (shown, role) = value(&row.version, glyphs, short_version);
    if row.version.value.is_none() {
        return (shown, role);
    }
    match (&row.support, row.behind) {
        (Some(Support::Ended(_)), _) => (format!("{shown} EOL"), role_or(role, Role::Warn)),
        (_, Some(n)) if n >= 2 => (format!("{shown} -{n}"), role),
        _ => (shown, role),
    }
}

/// The version without its `v` and its vendor's suffix.
pub fn short_version(version: &KubeVersion) -> String {
    let git = version.git.trim_start_matches('v');
    let end = git.find(['-', '+']).unwrap_or(git.len());
    clean_line(git.get(..end).unwrap_or(git)).into_owned()
}

fn role_or(role: Role, other: Role) -> Role {
    if role == Role::Text { other } else { role }
}

fn end_text(at: crate::model::Secs, now: Millis) -> String {
    match words::days_until(at, now) {
        days if days < 0 => format!("-{}", age_text(now.since(at.into()))),
        0 => words::time_left(at, now),
        days => format!("{days}d"),
    }
}

/// Role of an end that lies so many days ahead (specs: 30, 14, 7 days, ended).
pub fn end_role(days: i64, usual: Role) -> Role {
    match days {
        ..=7 => Role::Bad,
        8..=30 => Role::Warn,
        _ => usual,
    }
}

fn plugins(list: &[Plugin]) -> String {
    let names: Vec<&str> = list.iter().filter(|p| p.role != "residue").map(|p| p.name.as_str()).collect();
    clean_line(&names.join(",")).into_owned()
}

/// Order of two clusters by a column; the worse, older or nearer end first where that is what one looks for.
pub fn compare(a: &ClusterRow, b: &ClusterRow, col: Col) -> Ordering {
    let by_text = |x: &Reading<String>, y: &Reading<String>| x.value.cmp(&y.value);
    let ratio =
        |r: &Reading<(u32, u32)>| r.value.map_or(u32::MAX, |(ok, all)| (ok * 1000).checked_div(all).unwrap_or(1001));
    let part = |row: &ClusterRow, used: bool, cpu: bool| {
        let of = |r: &crate::fleet::row::Resources| if cpu { r.cpu_m } else { r.mem };
        let reading = if used { &row.used } else { &row.requested };
        let whole = row.allocatable.value.as_ref().map_or(0, of);
        reading.value.as_ref().and_then(|r| words::percent(of(r) * 100, whole))
    };
    match col {
        Col::Name => a.record.name.cmp(&b.record.name),
        Col::Env => by_text(&a.environment, &b.environment),
        Col::State => b.condition.state.severity().cmp(&a.condition.state.severity()),
        Col::Age => a.condition.heard.cmp(&b.condition.heard),
        Col::Version => match (&a.version.value, &b.version.value) {
            (Some(x), Some(y)) => compare_tags(&x.git, &y.git),
            (x, y) => y.is_some().cmp(&x.is_some()),
        },
        Col::Nodes => ratio(&a.nodes).cmp(&ratio(&b.nodes)),
        Col::Pods => ratio(&a.pods).cmp(&ratio(&b.pods)),
        Col::Drift | Col::Alerts => Ordering::Equal,
        Col::CpuRequested => part(b, false, true).cmp(&part(a, false, true)),
        Col::MemRequested => part(b, false, false).cmp(&part(a, false, false)),
        Col::CpuUsed => part(b, true, true).cmp(&part(a, true, true)),
        Col::MemUsed => part(b, true, false).cmp(&part(a, true, false)),
        Col::Cpu => b.allocatable.value.map(|r| r.cpu_m).cmp(&a.allocatable.value.map(|r| r.cpu_m)),
        Col::Mem => b.allocatable.value.map(|r| r.mem).cmp(&a.allocatable.value.map(|r| r.mem)),
        Col::Workloads => {
            let bad = |r: &ClusterRow| r.workloads.value.map(|(_, warn, bad)| (bad, warn));
            bad(b).cmp(&bad(a))
        }
        Col::Certificate => {
            let end = |r: &ClusterRow| r.certificate.value.as_ref().map_or(u32::MAX, |c| c.not_after.0);
            end(a).cmp(&end(b))
        }
        Col::Login => {
            let end = |r: &ClusterRow| r.credential.value.map_or(u32::MAX, |s| s.0);
            end(a).cmp(&end(b))
        }
        Col::Rtt => b.facts.rtt_ms.cmp(&a.facts.rtt_ms),
        Col::Region => by_text(&a.region, &b.region),
        Col::Provider => by_text(&a.provider, &b.provider).then_with(|| by_text(&a.distribution, &b.distribution)),
        Col::Team => by_text(&a.team, &b.team),
        Col::Tier => by_text(&a.tier, &b.tier),
        Col::Cni => a.cni.value.as_deref().map(plugins).cmp(&b.cni.value.as_deref().map(plugins)),
        Col::Csi => a.csi.value.as_deref().map(plugins).cmp(&b.csi.value.as_deref().map(plugins)),
        Col::Uid => by_text(&a.uid, &b.uid),
    }
}

/// Whether a cluster passes the filter: bare words look at what names it, `column:value` at every column and at the
/// ledger's fields.
pub fn passes(row: &ClusterRow, filter: &Filter, glyphs: &Glyphs, now: Millis) -> bool {
    if filter.is_empty() {
        return true;
    }
    let opt = |r: &Reading<String>| r.value.clone().unwrap_or_default();
    let systems = row.systems.value.clone().unwrap_or_default().join(",");
    let bare: [&str; 9] = [
        &row.record.name,
        &row.record.alias,
        &row.record.context,
        row.environment.value.as_deref().unwrap_or(""),
        row.condition.state.word(),
        row.region.value.as_deref().unwrap_or(""),
        row.provider.value.as_deref().unwrap_or(""),
        row.team.value.as_deref().unwrap_or(""),
        &systems,
    ];
    let field = |name: &str| -> Option<String> {
        Some(match name {
            "cluster" => row.record.name.to_string(),
            "environment" => opt(&row.environment),
            "alias" => row.record.alias.clone(),
            "context" => row.record.context.clone(),
            "server" => row.record.server.clone(),
            "group" => row.record.groups.join(","),
            "system" | "systems" => systems.clone(),
            "zone" | "zones" => {
                row.zones.value.clone().unwrap_or_default().into_iter().map(|z| z.0).collect::<Vec<_>>().join(",")
            }
            "distribution" => opt(&row.distribution),
            "provider" => opt(&row.provider),
            // The words of the JSON output; what the column shows is the short cause.
            "state" => row.condition.state.word().to_owned(),
            "health" => health_word(row).to_owned(),
            "version" => row.version.value.as_ref().map(short_version).unwrap_or_default(),
            "rtt" => row.facts.rtt_ms.map(|n| n.to_string()).unwrap_or_default(),
            "read-only" | "readonly" => row.record.read_only.to_string(),
            other => cell(row, Col::named(other)?, Lang::En, glyphs, now).0.trim_end_matches('*').to_owned(),
        })
    };
    let labels = |key: &str| row.record.labels.get(key).cloned();
    filter.matches(&bare, &field, &labels)
}

/// One word for a cluster's place in the header's counts: `ok`, `busy`, `warn`, `bad`, `stale`, `denied`, `unreachable`.
pub fn health_word(row: &ClusterRow) -> &'static str {
    use crate::model::ClusterState as S;
    match row.condition.state {
        S::Live => match words::worst_risk(row) {
            Health::Bad => "bad",
            Health::Warn => "warn",
            _ => "ok",
        },
        S::Connecting | S::Syncing => "busy",
        S::Stale => "stale",
        S::LoginExpired | S::Forbidden => "denied",
        S::Unreachable => "unreachable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_lead_back() {
        for info in ALL {
            assert_eq!(Col::named(info.key), Some(info.id), "{}", info.key);
            assert_eq!(info.id.info().key, info.key);
            assert!(info.floor <= info.ceiling, "{}", info.key);
        }
    }

    #[test]
    fn a_version_is_shown_without_its_vendor() {
        let v = |git: &str| KubeVersion { git: git.into(), ..KubeVersion::default() };
        for (git, shown) in
            [("v1.33.4-eks-1a2b", "1.33.4"), ("v1.31.9+k3s1", "1.31.9"), ("v1.37.0", "1.37.0"), ("", "")]
        {
            assert_eq!(short_version(&v(git)), shown);
        }
    }
}
