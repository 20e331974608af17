//! Label selectors as manifests write them (`matchLabels`, `matchExpressions`), and cluster affinities.

use std::sync::Arc;

use super::{cluster::Cluster, tree::Node};
use crate::fleet::selector::glob;

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// One of the values.
    In,
    /// None of the values; also where there is none.
    NotIn,
    /// There, with any value.
    Exists,
    /// Not there.
    DoesNotExist,
}

impl Operator {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "In" => Some(Self::In),
            "NotIn" => Some(Self::NotIn),
            "Exists" => Some(Self::Exists),
            "DoesNotExist" => Some(Self::DoesNotExist),
            _ => None,
        }
    }
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement<K> {
    /// What is looked at.
    pub key: K,
    /// How.
    pub operator: Operator,
    /// With what.
    pub values: Vec<String>,
}

/// A label selector; all requirements must hold. One that says nothing takes everything, a broken one nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    /// What must hold.
    pub requirements: Vec<Requirement<String>>,
    /// It breaks the rules of Kubernetes (an unknown operator, `In` without values, `Exists` with some): it takes nothing.
    pub broken: bool,
}

impl LabelSelector {
    /// From `{matchLabels, matchExpressions}`.
    pub fn read(node: &Node) -> Self {
        let mut selector = Self::default();
        for (key, value) in node.get("matchLabels").and_then(Node::as_map).into_iter().flat_map(|m| m.iter()) {
            match value.as_str() {
                Some(v) => selector.require(key, Operator::In, vec![v.to_owned()]),
                None => selector.broken = true,
            }
        }
        for expression in node.items_of("matchExpressions") {
            let values: Vec<String> =
                expression.items_of("values").iter().filter_map(Node::as_str).map(str::to_owned).collect();
            match (Operator::parse(expression.str_of("operator")), expression.str_of("key")) {
                (Some(operator), key) if !key.is_empty() => selector.require(key, operator, values),
                _ => selector.broken = true,
            }
        }
        selector
    }

    fn require(&mut self, key: &str, operator: Operator, values: Vec<String>) {
        let wants_values = matches!(operator, Operator::In | Operator::NotIn);
        self.broken |= wants_values == values.is_empty();
        self.broken |= !is_label_key(key) || values.iter().any(|v| !is_label_value(v));
        self.requirements.push(Requirement { key: key.to_owned(), operator, values });
    }

    /// Whether labels pass; `label` looks a value up.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        !self.broken
            && self.requirements.iter().all(|r| {
                let value = label(&r.key);
                let listed = || value.is_some_and(|v| r.values.iter().any(|x| x == v));
                match r.operator {
                    Operator::In => listed(),
                    Operator::NotIn => !listed(),
                    Operator::Exists => value.is_some(),
                    Operator::DoesNotExist => value.is_none(),
                }
            })
    }
}

/// Whether Kubernetes takes this as the key of a label: a name, with a DNS domain and a slash before it or without.
pub fn is_label_key(key: &str) -> bool {
    let (domain, name) = key.split_once('/').map_or((None, key), |(domain, name)| (Some(domain), name));
    let part = |p: &str| {
        let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        !p.is_empty() && p.chars().all(inner) && !p.starts_with('-') && !p.ends_with('-')
    };
    !name.is_empty() && is_label_value(name) && domain.is_none_or(|d| d.len() <= 253 && d.split('.').all(part))
}

/// Whether Kubernetes takes this as the value of a label: empty, or up to 63 letters, digits, `-`, `_`, `.`, with a letter or
/// digit at both ends.
pub fn is_label_value(value: &str) -> bool {
    let end = |c: char| c.is_ascii_alphanumeric();
    value.len() <= 63
        && value.chars().all(|c| end(c) || matches!(c, '-' | '_' | '.'))
        && (value.is_empty() || (value.starts_with(end) && value.ends_with(end)))
}

/// A field of a cluster that an affinity can look at. Karmada knows the first three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// Provider.
    Provider,
    /// Region.
    Region,
    /// Any of the zones.
    Zone,
    /// Environment.
    Environment,
    /// Tier.
    Tier,
    /// Team.
    Team,
    /// Any of the groups of the fleet file.
    Group,
}

impl Field {
    /// The word of the field.
    pub fn word(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Region => "region",
            Self::Zone => "zone",
            Self::Environment => "environment",
            Self::Tier => "tier",
            Self::Team => "team",
            Self::Group => "group",
        }
    }

    /// The cluster's value of this field, the first of several; empty = unset.
    pub fn first(self, cluster: &Cluster) -> &str {
        match self {
            Self::Provider => &cluster.provider,
            Self::Region => &cluster.region,
            Self::Zone => cluster.zones.first().map_or("", String::as_str),
            Self::Environment => &cluster.environment,
            Self::Tier => &cluster.tier,
            Self::Team => &cluster.team,
            Self::Group => cluster.groups.first().map_or("", String::as_str),
        }
    }

    /// Whether one of the cluster's values of this field passes a test; an unset one never does.
    pub fn any(self, cluster: &Cluster, test: impl Fn(&str) -> bool) -> bool {
        let one = |value: &str| !value.is_empty() && test(value);
        match self {
            Self::Provider => one(&cluster.provider),
            Self::Region => one(&cluster.region),
            Self::Zone => cluster.zones.iter().any(|z| one(z)),
            Self::Environment => one(&cluster.environment),
            Self::Tier => one(&cluster.tier),
            Self::Team => one(&cluster.team),
            Self::Group => cluster.groups.iter().any(|g| one(g)),
        }
    }
}

/// Which clusters: every part that is given must fit (specs: Karmada's ClusterAffinity; ours adds fields and globs).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affinity {
    /// Labels; `None` = no restriction.
    pub labels: Option<LabelSelector>,
    /// Names and values are meant as they stand: no globs (Karmada's are).
    pub exact: bool,
    /// Fields, all must hold; `In` and `NotIn` only. Values may be globs (`*`, `?`).
    pub fields: Vec<Requirement<Field>>,
    /// Names (globs); empty = no restriction.
    pub names: Vec<Arc<str>>,
    /// Names (globs) left out before anything else.
    pub exclude: Vec<Arc<str>>,
    /// A part of it breaks the rules: it takes nothing.
    pub broken: bool,
}

/// The first part of an affinity that a cluster does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// It is excluded by name.
    Excluded,
    /// Its labels do not fit.
    Labels,
    /// This field does not fit.
    Field(Field),
    /// It is not among the names.
    Name,
    /// The affinity is broken.
    Broken,
}

impl Affinity {
    /// Whether it restricts nothing.
    pub fn is_empty(&self) -> bool {
        self.labels.is_none() && self.fields.is_empty() && self.names.is_empty() && self.exclude.is_empty()
    }

    /// Whether a cluster fits.
    pub fn matches(&self, cluster: &Cluster) -> bool {
        self.misfit(cluster).is_none()
    }

    /// Why a cluster does not fit; `None` when it does.
    pub fn misfit(&self, cluster: &Cluster) -> Option<Misfit> {
        if self.broken {
            return Some(Misfit::Broken);
        }
        let fits = |pattern: &str, value: &str| {
            pattern == value || (!self.exact && pattern.contains(['*', '?']) && glob(pattern, value))
        };
        let named = |list: &[Arc<str>]| list.iter().any(|n| fits(n, &cluster.name));
        if named(&self.exclude) {
            return Some(Misfit::Excluded);
        }
        if self.labels.as_ref().is_some_and(|l| !l.matches(|key| cluster.labels.get(key).map(String::as_str))) {
            return Some(Misfit::Labels);
        }
        for r in &self.fields {
            let listed = r.key.any(cluster, |value| r.values.iter().any(|x| fits(x, value)));
            if listed != (r.operator == Operator::In) {
                return Some(Misfit::Field(r.key));
            }
        }
        (!self.names.is_empty() && !named(&self.names)).then_some(Misfit::Name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::origin::Origin;

    fn labels(json: serde_json::Value) -> LabelSelector {
        LabelSelector::read(&Node::from_json(&json, &Origin::Unknown))
    }

    #[test]
    fn labels_pass_as_in_kubernetes() {
        let has = |key: &str| (key == "env").then_some("prod");
        for (selector, expected) in [
            (json!({}), true),
            (json!({"matchLabels": {"env": "prod"}}), true),
            (json!({"matchLabels": {"env": "dev"}}), false),
            (json!({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["x"]}]}), true),
            (json!({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}), false),
            (json!({"matchExpressions": [{"key": "env", "operator": "In"}]}), false),
            (json!({"matchExpressions": [{"key": "env", "operator": "Near", "values": ["prod"]}]}), false),
            (json!({"matchExpressions": [{"key": "x y", "operator": "NotIn", "values": ["a"]}]}), false),
            (json!({"matchExpressions": [{"key": "a.b/c", "operator": "NotIn", "values": ["-a"]}]}), false),
            (json!({"matchExpressions": [{"key": "a.b/c", "operator": "NotIn", "values": ["a_b.c-d"]}]}), true),
        ] {
            assert_eq!(labels(selector.clone()).matches(has), expected, "{selector}");
        }
    }

    #[test]
    fn zones_are_a_list_and_unset_fields_pass_only_not_in() {
        let cluster = Cluster { name: "eu-1".into(), zones: vec!["1".into(), "2".into()], ..Cluster::default() };
        let one = |key, operator, values: &[&str]| Affinity {
            fields: vec![Requirement { key, operator, values: values.iter().map(|v| (*v).to_owned()).collect() }],
            ..Affinity::default()
        };
        for (affinity, expected) in [
            (one(Field::Zone, Operator::In, &["2", "9"]), None),
            (one(Field::Zone, Operator::NotIn, &["2"]), Some(Misfit::Field(Field::Zone))),
            (one(Field::Region, Operator::In, &["eu"]), Some(Misfit::Field(Field::Region))),
            (one(Field::Region, Operator::NotIn, &["eu"]), None),
            (Affinity { names: vec!["eu-*".into()], ..Affinity::default() }, None),
            (Affinity { names: vec!["eu-*".into()], exact: true, ..Affinity::default() }, Some(Misfit::Name)),
            (
                Affinity { names: vec!["eu-*".into()], exclude: vec!["eu-1".into()], ..Affinity::default() },
                Some(Misfit::Excluded),
            ),
        ] {
            assert_eq!(affinity.misfit(&cluster), expected, "{affinity:?}");
        }
    }
}
