//! Drift: whether a live object still is what its manifest asks for, who changed what, and what class of drift it is. Pure.
//!
//! The rules are numbered (N normalisations, A attribution, C classes, D decisions, S sections); a finding names the one that
//! decided. The way: pair, read both at one version, normalise, walk, leave out what means nothing, attribute, classify,
//! waive, mask. What cannot be judged is `unknown`, never in sync.

mod autoscaler;
mod convert;
mod defaults;
pub mod form;
mod judge;
mod lists;
mod normalise;
mod objects;
mod owners;
pub mod path;
mod scalar;
pub mod shown;
mod silent;
pub mod waive;
mod walk;

use serde_json::Value as Json;

use form::Form;
use path::Path;
use shown::Shown;
use waive::Waiver;

/// What a finding is (section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It cannot be known.
    Unknown,
    /// The object is not there, or going.
    MissingObject,
    /// Somebody else who delivers, or admission, holds a wanted field.
    ConflictingManagers,
    /// A person changed it, or nobody who can be named.
    ManualEdit,
    /// The cluster has an older version of what is wanted.
    StaleVersion,
    /// Nothing asks for the object any more.
    ExtraObject,
    /// A valid waiver covers it.
    Waived,
    /// A controller, an autoscaler or admission owns it: no drift.
    ControllerOwned,
    /// What a server makes of it: no drift.
    Defaulted,
}

impl Class {
    /// The word for machines; never translated.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::MissingObject => "missing-object",
            Self::ConflictingManagers => "conflicting-managers",
            Self::ManualEdit => "manual-edit",
            Self::StaleVersion => "stale-version",
            Self::ExtraObject => "extra-object",
            Self::Waived => "waived",
            Self::ControllerOwned => "controller-owned",
            Self::Defaulted => "defaulted",
        }
    }

    /// Whether it is shown as a matter of course only.
    pub fn is_benign(self) -> bool {
        matches!(self, Self::ControllerOwned | Self::Defaulted)
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Something is missing that would tell.
    Low,
    /// Several could have been it.
    Medium,
    /// One is named.
    High,
}

/// Who wrote a value last, as far as the object tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// The program, not the person (A1).
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: &'static str,
    /// `status`, `scale` ...; empty for the object itself.
    pub subresource: String,
    /// At or before (A6), RFC 3339; empty when it is not recorded.
    pub time: String,
}

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where, written as waivers write it.
    pub path: String,
    /// What is wanted; masked where it is secret.
    pub desired: Shown,
    /// What is there; masked where it is secret.
    pub live: Shown,
    /// What it is.
    pub class: Class,
    /// Who wrote it.
    pub by: Option<By>,
    /// How sure that is.
    pub confidence: Confidence,
    /// The rule that decided.
    pub rule: &'static str,
}

/// Why nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// What is known of the cluster is too old.
    Stale,
    /// The cluster cannot be reached.
    Unreachable,
    /// The kind is not watched there, or may not be read.
    NotWatched,
    /// Manifest and object have different shapes, and nothing turns one into the other.
    Versions {
        /// Version of the manifest.
        desired: String,
        /// Version of the object.
        live: String,
    },
    /// The manifest is no object.
    Manifest,
}

/// What came out for one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// What counts, waived ones among them.
    pub differences: Vec<Difference>,
    /// What does not count and may be shown.
    pub benign: Vec<Difference>,
    /// Why nothing is known; then there are no differences.
    pub unknown: Option<Unknown>,
}

impl Verdict {
    /// The class of the object: the most urgent one; `None` when it is in sync.
    pub fn class(&self) -> Option<Class> {
        let unknown = self.unknown.as_ref().map(|_| Class::Unknown);
        unknown.into_iter().chain(self.differences.iter().map(|d| d.class)).min()
    }
}

/// What is known of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// It is there and up to date.
    #[default]
    Synced,
    /// It is too old.
    Stale,
    /// The cluster cannot be reached.
    Unreachable,
    /// The kind is not watched, or may not be read.
    NotWatched,
}

/// Everything a comparison of one object looks at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'a> {
    /// The manifest.
    pub desired: Option<&'a Json>,
    /// The object, with its managed fields.
    pub live: Option<&'a Json>,
    /// Field managers that deliver what is wanted.
    pub appliers: &'a [String],
    /// What was last written by us, when it is known better than from the object.
    pub last_applied: Option<&'a Json>,
    /// Schema of a custom kind, OpenAPI v3, in the compared version.
    pub definition: Option<&'a Json>,
    /// Other objects of the cluster: autoscalers above all.
    pub siblings: &'a [Json],
    /// What is known of the cluster.
    pub cache: Cache,
    /// The object as it was last seen, when it is gone.
    pub last_seen: Option<&'a Json>,
    /// Objects that we applied: `GROUP/VERSION/KIND/NAMESPACE/NAME`, the core group without its name.
    pub inventory: &'a [String],
    /// Waivers that name this object.
    pub waivers: &'a [Waiver],
    /// The time, RFC 3339; waivers count only where it is given.
    pub now: Option<&'a str>,
    /// Key of the fingerprints that stand for secret values.
    pub key: &'a [u8],
}

/// Compares one object.
pub fn compare(input: &Input) -> Verdict {
    let cause = match input.cache {
        Cache::Synced => None,
        Cache::Stale => Some(Unknown::Stale),
        Cache::Unreachable => Some(Unknown::Unreachable),
        Cache::NotWatched => Some(Unknown::NotWatched),
    };
    if let Some(cause) = cause {
        return unknown(cause);
    }
    let mut verdict = match (input.desired, input.live) {
        (None, None) => Verdict::default(),
        (Some(desired), None) => objects::missing(desired, input),
        (None, Some(live)) => objects::extra(live, input),
        (Some(desired), Some(live)) => both(desired, live, input),
    };
    waive::apply(&mut verdict, input);
    verdict
}

fn unknown(cause: Unknown) -> Verdict {
    Verdict { unknown: Some(cause), ..Verdict::default() }
}

fn both(desired: &Json, live: &Json, input: &Input) -> Verdict {
    if live.pointer("/metadata/deletionTimestamp").is_some_and(|t| !t.is_null()) {
        return objects::going();
    }
    if !desired.is_object() {
        return unknown(Unknown::Manifest);
    }
    let version = word(live, "apiVersion");
    let form = Form::of(version, word(live, "kind"), input.definition);
    let Some(desired) = convert::to(desired, version, &form) else {
        return unknown(Unknown::Versions { desired: word(desired, "apiVersion").into(), live: version.into() });
    };
    let last = judge::last_applied(live, input).and_then(|last| convert::to(&last, version, &form));
    judge::object(&desired, live, last.as_ref(), &form, input)
}

/// The text under a key of a map.
fn word<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// A finding on the whole object.
fn whole(path: Path, class: Class, rule: &'static str) -> Difference {
    Difference {
        path: path.to_string(),
        desired: Shown::Absent,
        live: Shown::Absent,
        class,
        by: None,
        confidence: Confidence::High,
        rule,
    }
}

#[cfg(test)]
mod tests;
