//! Building blocks of the slim structs: borrowed texts, tolerant defaults, pairs, times.

use std::{borrow::Cow, fmt, ops::Deref};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};

use crate::model::{Secs, parse_rfc3339};

/// A text borrowed from the JSON where it has no escapes; null and absent are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Text<'_> {
    /// The text read as a timestamp; 0 when it is none.
    pub(super) fn secs(&self) -> Secs {
        if self.is_empty() { Secs(0) } else { parse_rfc3339(self).map_or(Secs(0), |m| m.secs()) }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(v)))
            }
            fn visit_str<E>(self, v: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(v.to_owned())))
            }
            fn visit_i64<E>(self, v: i64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(v.to_string())))
            }
            fn visit_u64<E>(self, v: u64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(v.to_string())))
            }
            fn visit_f64<E>(self, v: f64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(v.to_string())))
            }
            fn visit_bool<E>(self, v: bool) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(if v { "true" } else { "false" })))
            }
            fn visit_unit<E>(self) -> Result<Text<'de>, E> {
                Ok(Text::default())
            }
        }
        // Also takes numbers: int-or-string fields (ports, partitions) are read as text.
        deserializer.deserialize_any(TextVisitor)
    }
}

/// `#[serde(deserialize_with = "nullable")]`: null is the default, as if the field were absent.
pub(super) fn nullable<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A map of texts as pairs in the order of the JSON; null is empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs<'a>(pub(super) Vec<(Text<'a>, Text<'a>)>);

impl<'a> Pairs<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| &**k == key).map(|(_, v)| &**v)
    }

    pub(super) fn borrowed(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(k, v)| (&**k, &**v)).collect()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PairsVisitor(|_: &str| true))
    }
}

/// Annotations that somebody here reads; the others (last-applied copies above all) are skipped without a copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Annotations<'a>(pub(super) Pairs<'a>);

/// Prefixes of the annotations that are read: ownership marks (specs: peers 10), our own, network plug-ins' marks.
const READ: &[&str] = &[
    "quarterdeck.dev/",
    "argocd.argoproj.io/tracking-id",
    "meta.helm.sh/",
    "work.karmada.io/",
    "objectset.rio.cattle.io/",
    "deployment.kubernetes.io/revision",
    "network.cilium.io/",
    "io.cilium.network",
    "projectcalico.org/",
    "flannel.alpha.coreos.com/",
    "k8s.ovn.org/",
    "ovn.kubernetes.io/",
];

impl<'de: 'a, 'a> Deserialize<'de> for Annotations<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PairsVisitor(|key: &str| READ.iter().any(|p| key.starts_with(p)))).map(Self)
    }
}

struct PairsVisitor<F>(F);

impl<'de, F: Fn(&str) -> bool> Visitor<'de> for PairsVisitor<F> {
    type Value = Pairs<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of texts")
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Pairs::default())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::with_capacity(map.size_hint().unwrap_or(6));
        while let Some(key) = map.next_key::<Text<'de>>()? {
            if (self.0)(&key) {
                pairs.push((key, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Pairs(pairs))
    }
}

/// A condition of any kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Condition<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    #[serde(borrow)]
    pub(super) reason: Text<'a>,
    #[serde(borrow)]
    pub(super) message: Text<'a>,
}

/// The condition of a type, if it is there.
pub(super) fn condition<'c, 'a>(conditions: &'c [Condition<'a>], kind: &str) -> Option<&'c Condition<'a>> {
    conditions.iter().find(|c| &*c.kind == kind)
}
