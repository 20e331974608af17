//! What the screens say alike: states, causes, amounts, tiles. Pure functions from data to words, marks and roles.

use std::borrow::Cow;

use crate::{
    desired::origin::SourceKind,
    fleet::{
        inventory::{ClusterRow, Risk},
        row::{LastChange, Progress, System},
    },
    messages::{Lang, Msg, clean_line, fleet as m, live},
    model::{
        Age, Cause, CauseCode, ClusterId, ClusterRecord, ClusterState, Condition, Health, KindStatus, Millis, Secs,
        age_text, utc_text,
    },
    tui::{action::ActionId, glyphs::Glyphs, theme::Role},
};

/// The key that is shown for an action in running text.
pub fn key(action: ActionId) -> &'static str {
    action.info().keys.first().copied().unwrap_or("")
}

/// State of a cluster in a word or two: what is going on, or the short form of the cause.
pub fn state_word(condition: &Condition, lang: Lang) -> Cow<'static, str> {
    let plain = |msg: Msg| Cow::Borrowed(msg.text(lang));
    match condition.state {
        ClusterState::Syncing if condition.progress.1 > 0 => {
            let (done, all) = condition.progress;
            let percent = u32::from(done) * 100 / u32::from(all);
            m::S_SYNCING.fill(lang, &[("percent", &percent.to_string())]).into()
        }
        ClusterState::Unreachable => match &condition.cause {
            Some(cause) => plain(cause_short(cause.code)),
            None => plain(live::UNREACHABLE),
        },
        other => Cow::Borrowed(live::state_text(lang, other)),
    }
}

/// Role of a state.
pub fn state_role(state: ClusterState) -> Role {
    match state {
        ClusterState::Live => Role::Text,
        ClusterState::Connecting | ClusterState::Syncing => Role::Busy,
        ClusterState::Stale => Role::Stale,
        ClusterState::Forbidden | ClusterState::LoginExpired => Role::Warn,
        ClusterState::Unreachable => Role::Bad,
    }
}

/// Mark and role of a cluster: its state, and for a live one its worst risk.
pub fn cluster_mark(row: &ClusterRow, glyphs: &Glyphs) -> (&'static str, Role) {
    match row.condition.state {
        ClusterState::Live => match worst_risk(row) {
            Health::Bad => (glyphs.bad, Role::Bad),
            Health::Warn => (glyphs.warn, Role::Warn),
            _ => (glyphs.ok, Role::Ok),
        },
        state => (glyphs.state(state), state_role(state)),
    }
}

/// Worst health that a live cluster's risks stand for.
pub fn worst_risk(row: &ClusterRow) -> Health {
    row.risks.iter().map(risk_health).max().unwrap_or(Health::Ok)
}

/// How bad one risk is.
pub fn risk_health(risk: &Risk) -> Health {
    match risk {
        Risk::NotLive(_) | Risk::NodesDown(_) | Risk::WorkloadsBad(_) => Health::Bad,
        Risk::Certificate(days) | Risk::Credential(days) if *days < 0 => Health::Bad,
        _ => Health::Warn,
    }
}

/// Role of a health. Good health has no colour of its own: quiet by default.
pub fn health_role(health: Health) -> Role {
    match health {
        Health::Ok => Role::Text,
        Health::Idle => Role::Muted,
        Health::Busy => Role::Busy,
        Health::Unknown => Role::Unknown,
        Health::Warn => Role::Warn,
        Health::Bad => Role::Bad,
    }
}

/// Role of the mark of a health: here good health may be seen.
pub fn mark_role(health: Health) -> Role {
    if health == Health::Ok { Role::Ok } else { health_role(health) }
}

/// A health in words.
pub fn health_text(health: Health, lang: Lang) -> &'static str {
    use crate::messages::objects as o;
    let msg = match health {
        Health::Ok => o::HEALTH_OK,
        Health::Idle => o::HEALTH_IDLE,
        Health::Busy => o::HEALTH_BUSY,
        Health::Unknown => o::HEALTH_UNKNOWN,
        Health::Warn => o::HEALTH_WARN,
        Health::Bad => o::HEALTH_BAD,
    };
    msg.text(lang)
}

/// The cut mark of the glyph set in use, in place of the one that `messages` writes; one cell in both.
pub fn fit_cut<'t>(text: &'t str, glyphs: &Glyphs) -> Cow<'t, str> {
    if glyphs.ascii && text.contains('⋯') { Cow::Owned(text.replace('⋯', ".")) } else { Cow::Borrowed(text) }
}

/// The cluster's tile: a letter and a hue, the same on every screen. Twenty-six letters times eight hues tell 208 apart.
pub fn tile(cluster: ClusterId) -> (&'static str, Role) {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let n = cluster.index();
    let at = n % LETTERS.len();
    // The hue moves on with every round of the alphabet, so that equal letters differ in colour.
    let hue = (n + n / LETTERS.len()) % 8;
    (LETTERS.get(at..=at).unwrap_or("?"), Role::Tile(u8::try_from(hue).unwrap_or(0)))
}

/// A cause in one short word for a narrow column.
pub fn cause_short(code: CauseCode) -> Msg {
    match code {
        CauseCode::Dns => m::SHORT_DNS,
        CauseCode::Refused => m::SHORT_REFUSED,
        CauseCode::Timeout => m::SHORT_TIMEOUT,
        CauseCode::Reset => m::SHORT_RESET,
        CauseCode::Silent => m::SHORT_SILENT,
        CauseCode::TlsExpired => m::SHORT_TLS_EXPIRED,
        CauseCode::TlsUntrusted | CauseCode::TlsName | CauseCode::TlsOther => m::SHORT_TLS,
        CauseCode::ClientCertificate => m::SHORT_CLIENT_CERTIFICATE,
        CauseCode::Unauthorized | CauseCode::ExecPlugin => live::LOGIN_EXPIRED,
        CauseCode::Forbidden => live::FORBIDDEN,
        CauseCode::Throttled => m::SHORT_THROTTLED,
        CauseCode::Server => m::SHORT_SERVER,
        CauseCode::Proxy => m::SHORT_PROXY,
        CauseCode::Config => m::SHORT_CONFIG,
        CauseCode::Protocol => m::SHORT_PROTOCOL,
        CauseCode::OtherCluster => m::SHORT_OTHER_CLUSTER,
        CauseCode::Internal => m::SHORT_INTERNAL,
    }
}

/// The command that checks a permission: the cause's own, else `kubectl auth can-i` for what was refused.
pub fn check_command(cause: &Cause, record: &ClusterRecord) -> Option<String> {
    if let Some(command) = &cause.command {
        return Some(clean_line(command).into_owned());
    }
    if cause.code != CauseCode::Forbidden || cause.verb.is_empty() {
        return None;
    }
    let place = if cause.namespace.is_empty() { "--all-namespaces".into() } else { format!("-n {}", cause.namespace) };
    let context = shell_word(&record.context);
    Some(
        clean_line(&format!("kubectl --context {context} auth can-i {} {} {place}", cause.verb, cause.resource)).into(),
    )
}

/// A word as a POSIX shell needs it: quoted when it holds anything but plain characters.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

/// Why a kind of a cluster is not to be trusted, in a word or two; `None` when it is live.
pub fn kind_trouble(status: &KindStatus, lang: Lang) -> Option<Cow<'static, str>> {
    use crate::messages::objects as o;
    match status {
        KindStatus::Live | KindStatus::Polling => None,
        KindStatus::Waiting | KindStatus::Listing { .. } => Some(live::SYNCING.text(lang).into()),
        KindStatus::Stale(_) => Some(live::STALE.text(lang).into()),
        KindStatus::Forbidden(_) => Some(o::WHY_FORBIDDEN.text(lang).into()),
        KindStatus::NotServed => Some(o::WHY_NOT_SERVED.text(lang).into()),
        KindStatus::Failing(cause) => Some(cause_short(cause.code).text(lang).into()),
    }
}

/// A risk as a sentence.
pub fn risk_sentence(risk: &Risk, lang: Lang) -> String {
    let counted = |one: Option<Msg>, many: Msg, n: u32| match one {
        Some(one) if n == 1 => one.text(lang).to_owned(),
        _ => many.fill(lang, &[("n", &n.to_string())]),
    };
    let days = |soon: Msg, ended: Msg, n: i32| {
        let msg = if n < 0 { ended } else { soon };
        msg.fill(lang, &[("n", &n.unsigned_abs().to_string())])
    };
    match risk {
        Risk::NotLive(_) => m::RISK_NOT_LIVE.text(lang).to_owned(),
        Risk::NodesDown(n) => counted(Some(m::RISK_NODE), m::RISK_NODES, *n),
        Risk::WorkloadsBad(n) => counted(Some(m::RISK_WORKLOAD_BAD), m::RISK_WORKLOADS_BAD, *n),
        Risk::WorkloadsWarn(n) => counted(Some(m::RISK_WORKLOAD_WARN), m::RISK_WORKLOADS_WARN, *n),
        Risk::PodsBad(n) => counted(Some(m::RISK_POD), m::RISK_PODS, *n),
        Risk::Certificate(n) => days(m::RISK_CERT_SOON, m::RISK_CERT_ENDED, *n),
        Risk::Credential(n) => days(m::RISK_CRED_SOON, m::RISK_CRED_ENDED, *n),
        Risk::EndOfLife => m::RISK_EOL.text(lang).to_owned(),
        Risk::Skew(n) => counted(None, m::RISK_SKEW, *n),
        Risk::Plugin(n) => counted(None, m::RISK_PLUGIN, *n),
        Risk::NoContact => m::RISK_CONTACT.text(lang).to_owned(),
        Risk::KindsForbidden(n) => counted(Some(m::RISK_KIND), m::RISK_KINDS, *n),
    }
}

/// Cores: `480`, `1.5`, `0.25`.
pub fn cores(millicores: u64) -> String {
    match millicores {
        0..1_000 => format!("{}.{:02}", millicores / 1_000, millicores % 1_000 / 10),
        1_000..10_000 if millicores % 1_000 >= 100 => format!("{}.{}", millicores / 1_000, millicores % 1_000 / 100),
        _ => (millicores / 1_000).to_string(),
    }
}

/// Bytes in binary units with at most three digits: `512Mi`, `1.9Ti`.
pub fn memory(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
    let mut unit = 0;
    let mut value = bytes;
    let mut tenth = 0;
    while value >= 1024 && unit + 1 < UNITS.len() {
        tenth = value % 1024 * 10 / 1024;
        value /= 1024;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or("");
    if value < 10 && tenth > 0 { format!("{value}.{tenth}{name}") } else { format!("{value}{name}") }
}

/// A count with its thousands set apart: `12,345`.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Whole percent of `part` in `whole`; `None` when there is no whole.
pub fn percent(part: u64, whole: u64) -> Option<u64> {
    (whole > 0).then(|| part.saturating_mul(100) / whole)
}

/// Days from now to a moment, negative when it is past.
pub fn days_until(at: Secs, now: Millis) -> i64 {
    (i64::from(at.0) - now.0 / 1000).div_euclid(86_400)
}

/// Age of a moment in whole units; empty when the moment is not known.
pub fn age_of(at: Secs, now: Millis) -> String {
    if at.0 == 0 { String::new() } else { age_text(now.since(at.into())) }
}

/// Age since a moment in milliseconds; `-` when it never was.
pub fn age_since(at: Millis, now: Millis) -> String {
    if at.0 == 0 { "-".into() } else { age_text(now.since(at)) }
}

/// Length of time until a moment in the future.
pub fn time_left(at: Secs, now: Millis) -> String {
    age_text(Age(u64::from(at.0).saturating_sub(u64::from(now.secs().0))))
}

/// Name of a delivery system, as its makers write it.
pub fn system_name(system: System) -> &'static str {
    match system {
        System::Karmada => "Karmada",
        System::Ocm => "Open Cluster Management",
        System::KubeVela => "KubeVela",
        System::RancherFleet => "Rancher Fleet",
        System::FluxHelm => "Flux HelmRelease",
        System::FluxKustomize => "Flux Kustomization",
        System::ArgoCd => "Argo CD",
        System::Helm => "Helm",
        System::KubeFed => "KubeFed",
        System::Controller => "controller",
        System::Hint => "field manager",
    }
}

/// Who changed an object last, and when at the latest: a field manager, never a person.
pub fn change_text(change: &LastChange, lang: Lang, now: Millis) -> String {
    use crate::messages::matrix as x;
    let values = [
        ("manager", clean_line(&change.manager).into_owned()),
        ("operation", if change.apply { "Apply" } else { "Update" }.to_owned()),
        ("time", utc_text(change.at.into())),
        ("age", age_of(change.at, now)),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    x::B_CHANGED_TEXT.fill(lang, &values)
}

/// What kind of file a place lies in.
pub fn source_kind(kind: SourceKind, lang: Lang) -> &'static str {
    use crate::messages::desired as d;
    let msg = match kind {
        SourceKind::Manifest => d::O_KIND_MANIFEST,
        SourceKind::Kustomization => d::O_KIND_KUSTOMIZATION,
        SourceKind::KustomizePatch => d::O_KIND_PATCH,
        SourceKind::Template => d::O_KIND_TEMPLATE,
        SourceKind::Values => d::O_KIND_VALUES,
        SourceKind::Policy => d::O_KIND_POLICY,
        SourceKind::Situation => d::O_KIND_SITUATION,
        SourceKind::Hub => d::O_KIND_HUB,
        SourceKind::Tool => d::O_KIND_TOOL,
    };
    msg.text(lang)
}

/// State of a workload's own rollout in a word.
pub fn progress_word(progress: Progress) -> Msg {
    use crate::messages::objects as o;
    match progress {
        Progress::Settled => o::V_SETTLED,
        Progress::Rolling => o::V_ROLLING,
        Progress::Paused => o::V_PAUSED,
        Progress::Stuck => o::V_STUCK,
    }
}

/// Environment as the screens show it: production is unmistakable, unknown counts as production.
pub fn environment_role(environment: &str) -> Role {
    let lower = environment.to_ascii_lowercase();
    if lower.is_empty() || lower.starts_with("prod") { Role::Text } else { Role::Muted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_at_most_three_digits() {
        for (bytes, text) in [(0, "0"), (512 << 20, "512Mi"), (1 << 30, "1Gi"), (2_090_000_000_000, "1.9Ti")] {
            assert_eq!(memory(bytes), text);
        }
        for (millis, text) in [(0, "0.00"), (250, "0.25"), (1_500, "1.5"), (2_000, "2"), (480_000, "480")] {
            assert_eq!(cores(millis), text);
        }
        for (n, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(n), text);
        }
        assert_eq!(percent(1, 0), None);
        assert_eq!(percent(62, 100), Some(62));
    }

    #[test]
    fn a_refusal_comes_with_the_command_that_checks_it() {
        let cause = Cause::new(CauseCode::Forbidden, "").during("list", "pods", "shop");
        let record = ClusterRecord { context: "arn:aws:eks/prod a".into(), ..ClusterRecord::default() };
        assert_eq!(
            check_command(&cause, &record).as_deref(),
            Some("kubectl --context 'arn:aws:eks/prod a' auth can-i list pods -n shop")
        );
    }

    #[test]
    fn tiles_of_neighbours_differ() {
        let tiles: std::collections::BTreeSet<String> = (0..208).map(|n| format!("{:?}", tile(ClusterId(n)))).collect();
        assert_eq!(tiles.len(), 208);
    }
}
