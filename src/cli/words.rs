//! Words that several commands use: states, causes, ages, values that may be unknown or old.

use serde_json::Value;

use crate::{
    fleet::inventory::{Reading, Source},
    messages::{Lang, Msg, cli as text, common, live},
    model::{Cause, ClusterState, Condition, KindStatus, Millis, Secs, age_text, utc_text},
};

/// A state in words.
pub(super) fn state(state: ClusterState) -> Msg {
    match state {
        ClusterState::Connecting => live::CONNECTING,
        ClusterState::Syncing => live::SYNCING,
        ClusterState::Live => live::LIVE,
        ClusterState::Stale => live::STALE,
        ClusterState::Unreachable => live::UNREACHABLE,
        ClusterState::LoginExpired => live::LOGIN_EXPIRED,
        ClusterState::Forbidden => live::FORBIDDEN,
    }
}

/// A cause as a sentence.
pub(super) fn cause(cause: &Cause, lang: Lang) -> String {
    live::cause_text(lang, cause)
}

/// A state with its cause, or with how long it has lasted where there is none.
pub(super) fn condition(condition: &Condition, now: Millis, lang: Lang) -> String {
    let state = state(condition.state).text(lang);
    match &condition.cause {
        Some(why) => text::STATE_WITH_CAUSE.fill(lang, &[("state", state), ("cause", &cause(why, lang))]),
        None if condition.state == ClusterState::Live => state.to_owned(),
        None => {
            let since = if condition.since == Millis(0) { now } else { condition.since };
            text::STATE_FOR.fill(lang, &[("state", state), ("age", &age_text(now.since(since)))])
        }
    }
}

/// The state of one kind in words.
pub(super) fn kind_status(status: &KindStatus, lang: Lang) -> String {
    match status {
        KindStatus::Waiting | KindStatus::Listing { .. } => live::SYNCING.text(lang).to_owned(),
        KindStatus::Live | KindStatus::Polling => live::LIVE.text(lang).to_owned(),
        KindStatus::NotServed => text::NOT_SERVED.text(lang).to_owned(),
        KindStatus::Stale(why) | KindStatus::Forbidden(why) | KindStatus::Failing(why) => cause(why, lang),
    }
}

/// A value for a table: `?` when it is not known, with `~` when it is old.
pub(super) fn cell<T>(reading: &Reading<T>, show: impl Fn(&T) -> String) -> String {
    match &reading.value {
        None => String::from("?"),
        Some(value) if reading.source == Source::LastKnown => format!("{}~", show(value)),
        Some(value) => show(value),
    }
}

/// A value for a record: `null` when it is not known.
pub(super) fn value<T>(reading: &Reading<T>, show: impl Fn(&T) -> Value) -> Value {
    reading.value.as_ref().map_or(Value::Null, show)
}

/// A moment for a record: RFC 3339, `null` for "never".
pub(super) fn moment(at: Millis) -> Value {
    if at == Millis(0) {
        return Value::Null;
    }
    jiff::Timestamp::from_millisecond(at.0).map_or(Value::Null, |t| t.to_string().into())
}

/// The same for whole seconds.
pub(super) fn second(at: Secs) -> Value {
    moment(at.into())
}

/// `null` for an empty text.
pub(super) fn some(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { text.into() }
}

/// How long until a moment, or since when it is over, in words.
pub(super) fn until(at: Secs, now: Millis, lang: Lang) -> String {
    let at = Millis::from(at);
    let (age, time) = (age_text(if at > now { at.since(now) } else { now.since(at) }), utc_text(at));
    let msg = if at > now { text::ENDS_IN } else { text::ENDED_AGO };
    msg.fill(lang, &[("age", &age), ("time", &time)])
}

/// How long until a moment, for a narrow column: `41d`, or `-3d` when it is over.
pub(super) fn until_short(at: Secs, now: Millis) -> String {
    let at = Millis::from(at);
    if at > now { age_text(at.since(now)) } else { format!("-{}", age_text(now.since(at))) }
}

/// A value that may be empty.
pub(super) fn or_none(text: &str, lang: Lang) -> String {
    if text.is_empty() { common::NONE.text(lang).to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_says_why_or_how_long() {
        let of = |state, cause| {
            let at = Condition { state, cause, since: Millis(1_000), ..Condition::default() };
            condition(&at, Millis(31_000), Lang::En)
        };
        assert_eq!(of(ClusterState::Live, None), "live");
        assert!(of(ClusterState::Syncing, None).starts_with("syncing for 30s"));
        let cause = Cause::new(crate::model::CauseCode::Refused, "10.0.0.1:6443");
        assert!(of(ClusterState::Unreachable, Some(cause)).contains("10.0.0.1:6443"));
    }

    #[test]
    fn what_is_old_or_unknown_never_looks_fresh() {
        let reading = |value, source| Reading { value, source, ..Reading::unknown() };
        assert_eq!(cell(&reading(Some(3), Source::Live), ToString::to_string), "3");
        assert_eq!(cell(&reading(Some(3), Source::LastKnown), ToString::to_string), "3~");
        assert_eq!(cell(&reading(None, Source::Unknown), i32::to_string), "?");
        assert_eq!(value(&reading(None::<i32>, Source::Unknown), |n| (*n).into()), Value::Null);
        assert_eq!(
            (moment(Millis(0)), moment(Millis(1_796_042_727_000))),
            (Value::Null, "2026-11-30T12:45:27Z".into())
        );
        assert_eq!(until_short(Secs(1000), Millis(1_100_000)), "-1m");
    }
}
