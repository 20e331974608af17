//! `doctor`: what is reachable, allowed, slow, throttled, expiring, in each cluster and on this machine.

use super::{
    Outcome, Setup,
    args::{Format, Listing},
    collect::{self, Need, Picture},
    need_clusters,
    output::{self, Column, Record, Table},
    tell_missing, words,
};
use crate::{
    fleet::{
        Shard,
        inventory::{self, ClusterRow, Support},
    },
    messages::{Lang, Msg, cli as text},
    model::{ClusterId, ClusterState, KindId, KindStatus, Millis, Secs},
    tui::screens::words as screen_words,
};

const DAY: i64 = 24 * 3600;

/// How a check came out, good first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Ok,
    Unknown,
    Warn,
    Bad,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unknown => "unknown",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }

    fn text(self) -> Msg {
        match self {
            Self::Ok => text::V_OK,
            Self::Unknown => text::V_UNKNOWN,
            Self::Warn => text::V_WARN,
            Self::Bad => text::V_BAD,
        }
    }
}

/// One check of one cluster (or of this machine).
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    cluster: String,
    /// Stable word.
    check: &'static str,
    verdict: Verdict,
    /// What was found and what to do.
    words: String,
}

/// Runs the command.
pub(super) fn run(setup: &Setup, listing: &Listing) -> anyhow::Result<Outcome> {
    need_clusters(setup)?;
    let filter = super::filter(listing.filter.as_deref(), setup.lang)?;
    let need = Need { metrics: true, facts: true, timeout: setup.timeout, ..Need::default() };
    let picture = collect::collect(setup, &need)?;
    let mut findings = machine(setup);
    for (id, shard) in picture.store.clusters() {
        if filter.matches(&[&shard.record.name], &|_| None, &|key| shard.record.labels.get(key).cloned()) {
            findings.extend(cluster(setup, &picture, id, shard));
        }
    }
    let bad = findings.iter().any(|f| f.verdict >= Verdict::Warn);
    output::print(&table(&findings, listing.output.output, setup.lang), listing.output.output)?;
    Ok(tell_missing(setup, &picture, bad && listing.exit_code))
}

/// `-o table` leaves out what is well, except one line for a cluster with nothing else; the other formats have it all.
fn table(findings: &[Finding], format: Format, lang: Lang) -> Table {
    let column = |msg: Msg| Column::text(msg.text(lang));
    let ill = |cluster: &str| findings.iter().any(|f| f.cluster == cluster && f.verdict != Verdict::Ok);
    let shown = findings
        .iter()
        .filter(|f| format != Format::Table || f.verdict != Verdict::Ok || (f.check == "reach" && !ill(&f.cluster)));
    let line = |f: &Finding| {
        let mut record = Record::default();
        record.put("cluster", words::some(&f.cluster));
        record.put("check", f.check);
        record.put("verdict", f.verdict.word());
        record.put("text", f.words.as_str());
        let cluster = if f.cluster.is_empty() { text::THIS_MACHINE.text(lang).to_owned() } else { f.cluster.clone() };
        (vec![cluster, f.verdict.text().text(lang).to_owned(), f.check.to_owned(), f.words.clone()], record)
    };
    Table {
        columns: vec![column(text::H_CLUSTER), column(text::H_VERDICT), column(text::H_CHECK), column(text::H_FINDING)],
        rows: shown.map(line).collect(),
    }
}

/// What holds for all clusters: open files, and the configuration's own problems.
fn machine(setup: &Setup) -> Vec<Finding> {
    let lang = setup.lang;
    let here = |check, verdict, words| Finding { cluster: String::new(), check, verdict, words };
    let mut findings = Vec::new();
    // One connection for each cluster where the server speaks HTTP/2, one for each watch where it does not.
    let wanted = setup.settings.targets.len() as u64 * 24 + 64;
    match rlimit::getrlimit(rlimit::Resource::NOFILE) {
        Ok((now, most)) => {
            let values = [("now", now.to_string()), ("most", most.to_string()), ("wanted", wanted.to_string())];
            let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
            findings.push(if now >= wanted {
                here("files", Verdict::Ok, text::D_FILES_OK.fill(lang, &values))
            } else {
                here("files", Verdict::Warn, text::D_FILES_FEW.fill(lang, &values))
            });
        }
        Err(error) => findings.push(here("files", Verdict::Unknown, error.to_string())),
    }
    for problem in &setup.settings.problems {
        findings.push(here("configuration", Verdict::Warn, super::problem_line(problem)));
    }
    findings
}

/// Every check of one cluster.
fn cluster(setup: &Setup, picture: &Picture, id: ClusterId, shard: &Shard) -> Vec<Finding> {
    let lang = setup.lang;
    let row = inventory::cluster_row(&picture.store, id, picture.now);
    let mut checks: Vec<(&'static str, Verdict, String)> = vec![reach(shard, picture.now, lang)];
    if shard.condition.state == ClusterState::Live || shard.facts.version.is_some() {
        checks.push(allowed(setup, shard));
        checks.push(speed(shard, lang));
        checks.push(throttled(shard, lang));
        checks.push(clock(shard, lang));
        checks.extend(groups(shard, lang));
        checks.extend(row.as_ref().and_then(|r| version(r, lang)));
    }
    checks.extend(certificate(shard, picture.now, lang));
    checks.push(login(shard, picture.now, lang));
    let cluster = shard.record.name.to_string();
    checks
        .into_iter()
        .map(|(check, verdict, words)| Finding { cluster: cluster.clone(), check, verdict, words })
        .collect()
}

fn reach(shard: &Shard, now: Millis, lang: Lang) -> (&'static str, Verdict, String) {
    let mut words = words::condition(&shard.condition, now, lang);
    let verdict = match shard.condition.state {
        ClusterState::Live => Verdict::Ok,
        ClusterState::Connecting | ClusterState::Syncing => Verdict::Unknown,
        _ => Verdict::Bad,
    };
    let cause = shard.condition.cause.as_ref();
    if let Some(command) = cause.and_then(|c| screen_words::check_command(c, &shard.record)) {
        words = text::D_TRY.fill(lang, &[("words", &words), ("command", &command)]);
    }
    ("reach", verdict, words)
}

/// Kinds that may not be read, or fail for another reason.
fn allowed(setup: &Setup, shard: &Shard) -> (&'static str, Verdict, String) {
    let lang = setup.lang;
    let name = |i: usize| {
        let kind = KindId(u16::try_from(i).unwrap_or(u16::MAX));
        setup.kinds.info(kind).map(|k| k.resource()).unwrap_or_default()
    };
    let mut forbidden = Vec::new();
    let mut failing = Vec::new();
    for (i, status) in shard.kinds.iter().enumerate() {
        match status {
            KindStatus::Forbidden(_) => forbidden.push(name(i)),
            KindStatus::Failing(why) | KindStatus::Stale(why) => {
                failing.push(format!("{} ({})", name(i), words::cause(why, lang)));
            }
            _ => {}
        }
    }
    if !failing.is_empty() {
        return ("allowed", Verdict::Bad, text::D_FAILING.fill(lang, &[("kinds", &failing.join(", "))]));
    }
    if forbidden.is_empty() {
        return ("allowed", Verdict::Ok, text::D_ALLOWED.text(lang).to_owned());
    }
    let (kinds, context) = (forbidden.join(", "), screen_words::shell_word(&shard.record.context));
    let values = [("kinds", kinds.as_str()), ("context", &context), ("first", forbidden[0].as_str())];
    ("allowed", Verdict::Warn, text::D_FORBIDDEN.fill(lang, &values))
}

fn speed(shard: &Shard, lang: Lang) -> (&'static str, Verdict, String) {
    let Some(ms) = shard.facts.rtt_ms else {
        return ("speed", Verdict::Unknown, text::D_NO_RTT.text(lang).to_owned());
    };
    let verdict = match ms {
        0..500 => Verdict::Ok,
        500..2000 => Verdict::Warn,
        _ => Verdict::Bad,
    };
    let ms = ms.to_string();
    let words = match shard.facts.list_kbps {
        Some(kbps) => text::D_SPEED_LIST.fill(lang, &[("ms", &ms), ("kbps", &kbps.to_string())]),
        None => text::D_SPEED.fill(lang, &[("ms", &ms)]),
    };
    ("speed", verdict, words)
}

fn throttled(shard: &Shard, lang: Lang) -> (&'static str, Verdict, String) {
    match shard.facts.throttled {
        0 => ("throttled", Verdict::Ok, text::D_NOT_THROTTLED.text(lang).to_owned()),
        n => ("throttled", Verdict::Warn, text::D_THROTTLED.fill(lang, &[("n", &n.to_string())])),
    }
}

/// Ages and expiries are wrong where the clocks differ.
fn clock(shard: &Shard, lang: Lang) -> (&'static str, Verdict, String) {
    match shard.facts.clock_skew_s {
        None => ("clock", Verdict::Unknown, text::D_NO_CLOCK.text(lang).to_owned()),
        Some(s) if s.abs() <= 5 => ("clock", Verdict::Ok, text::D_CLOCK_OK.text(lang).to_owned()),
        Some(s) => {
            let msg = if s > 0 { text::D_CLOCK_AHEAD } else { text::D_CLOCK_BEHIND };
            ("clock", Verdict::Warn, msg.fill(lang, &[("n", &s.unsigned_abs().to_string())]))
        }
    }
}

fn groups(shard: &Shard, lang: Lang) -> Option<(&'static str, Verdict, String)> {
    if shard.facts.failed_groups.is_empty() {
        return None;
    }
    let all: Vec<String> = shard.facts.failed_groups.iter().map(|(group, why)| format!("{group} ({why})")).collect();
    Some(("groups", Verdict::Warn, text::D_GROUPS.fill(lang, &[("groups", &all.join(", "))])))
}

fn version(row: &ClusterRow, lang: Lang) -> Option<(&'static str, Verdict, String)> {
    let version = row.version.value.as_ref()?.git.clone();
    let (verdict, msg, date) = match row.support.as_ref()? {
        Support::Full(date) => (Verdict::Ok, text::D_SUPPORTED, date),
        Support::SecurityOnly(date) => (Verdict::Ok, text::D_SECURITY_ONLY, date),
        Support::Ended(date) => (Verdict::Warn, text::D_ENDED, date),
        Support::Unknown(date) => (Verdict::Unknown, text::D_VERSION_UNKNOWN, date),
    };
    Some(("version", verdict, msg.fill(lang, &[("version", &version), ("date", date)])))
}

fn certificate(shard: &Shard, now: Millis, lang: Lang) -> Option<(&'static str, Verdict, String)> {
    let certificate = shard.facts.certificate.as_ref()?;
    let verdict = expiry(certificate.not_after, now, 30, 7);
    let ends = words::until(certificate.not_after, now, lang);
    let values = [("ends", ends.as_str()), ("issuer", &certificate.issuer)];
    Some(("certificate", verdict, text::D_CERTIFICATE.fill(lang, &values)))
}

/// A plugin's tokens are renewed by themselves; certificates and static tokens are not.
fn login(shard: &Shard, now: Millis, lang: Lang) -> (&'static str, Verdict, String) {
    let credential = &shard.facts.credential;
    if credential.kind.is_empty() {
        return ("login", Verdict::Unknown, text::D_NO_LOGIN.text(lang).to_owned());
    }
    let user = words::or_none(&credential.user, lang);
    let values = [("kind", credential.kind.as_str()), ("user", &user)];
    let Some(at) = credential.expires else {
        return ("login", Verdict::Ok, text::D_LOGIN.fill(lang, &values));
    };
    let verdict = if credential.kind == "exec" { expiry(at, now, 0, 0) } else { expiry(at, now, 14, 2) };
    let ends = words::until(at, now, lang);
    let values = [("kind", credential.kind.as_str()), ("user", &user), ("ends", &ends)];
    ("login", verdict, text::D_LOGIN_ENDS.fill(lang, &values))
}

/// Warns so many days before the end, and calls it bad so many days before.
fn expiry(at: Secs, now: Millis, warn_days: i64, bad_days: i64) -> Verdict {
    let left = i64::from(at.0) - now.0 / 1000;
    if left <= bad_days * DAY {
        Verdict::Bad
    } else if left <= warn_days * DAY {
        Verdict::Warn
    } else {
        Verdict::Ok
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiry_warns_before_it_is_too_late() {
        let now = Millis(1_796_042_727_000);
        let in_days = |days: i64| Secs(u32::try_from(now.0 / 1000 + days * DAY + 60).unwrap());
        for (days, verdict) in [(100, Verdict::Ok), (20, Verdict::Warn), (3, Verdict::Bad), (-2, Verdict::Bad)] {
            assert_eq!(expiry(in_days(days), now, 30, 7), verdict, "{days}");
        }
        assert_eq!(expiry(in_days(0), now, 0, 0), Verdict::Ok, "a token that is renewed by itself");
    }

    #[test]
    fn the_table_shows_what_is_not_well_and_one_line_for_the_rest() {
        let f = |cluster: &str, check, verdict| Finding { cluster: cluster.into(), check, verdict, words: "w".into() };
        let findings = vec![
            f("", "files", Verdict::Ok),
            f("a", "reach", Verdict::Ok),
            f("a", "speed", Verdict::Ok),
            f("b", "reach", Verdict::Ok),
            f("b", "allowed", Verdict::Warn),
        ];
        let shown = |format| -> Vec<String> {
            table(&findings, format, Lang::En).rows.iter().map(|(c, _)| format!("{} {}", c[0], c[2])).collect()
        };
        assert_eq!(shown(Format::Table), vec!["a reach", "b allowed"]);
        assert_eq!(shown(Format::Json).len(), 5);
    }
}
