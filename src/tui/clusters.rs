//! Which clusters a person means: `eu-west-1-prod-a`, `eu-*`, `env:prod`, `group:payments`, several with commas.

use crate::{
    fleet::{Store, selector},
    model::{ClusterId, ClusterRecord},
};

/// Why a text names no clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// Nothing fits.
    Nothing(String),
    /// It fits different things; ways to say which.
    Several(String, Vec<String>),
}

/// Clusters meant by a text, in fleet order; empty text = empty list, which stands for all.
pub fn resolve(store: &Store, text: &str) -> Result<Vec<ClusterId>, Unclear> {
    let mut out: Vec<ClusterId> = Vec::new();
    for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        out.extend(one(store, part)?);
    }
    out.sort();
    out.dedup();
    Ok(out)
}

/// Ways to name clusters, for completion: names, then groups and environments.
pub fn names(store: &Store) -> Vec<String> {
    let mut names: Vec<String> = store.clusters().map(|(_, s)| s.record.name.to_string()).collect();
    let mut more: Vec<String> = store
        .clusters()
        .flat_map(|(_, s)| {
            let r = &s.record;
            let env = Some(format!("env:{}", r.environment)).filter(|_| !r.environment.is_empty());
            let region = Some(format!("region:{}", r.region)).filter(|_| !r.region.is_empty());
            r.groups.iter().map(|g| format!("group:{g}")).chain(env).chain(region).collect::<Vec<_>>()
        })
        .collect();
    more.sort();
    more.dedup();
    names.extend(more);
    names
}

fn matching(store: &Store, fits: impl Fn(&ClusterRecord) -> bool) -> Vec<ClusterId> {
    store.clusters().filter(|(_, s)| fits(&s.record)).map(|(id, _)| id).collect()
}

fn one(store: &Store, part: &str) -> Result<Vec<ClusterId>, Unclear> {
    let nothing = || Unclear::Nothing(part.to_owned());
    let exact = |name: &str| matching(store, |r| &*r.name == name || r.alias == name || r.context == name);
    if let Some((field, value)) = part.split_once(':') {
        let hits = match field {
            "cluster" => exact(value),
            "group" => matching(store, |r| r.groups.iter().any(|g| glob(value, g))),
            "env" | "environment" => matching(store, |r| glob(value, &r.environment)),
            "region" => matching(store, |r| glob(value, &r.region)),
            "provider" => matching(store, |r| glob(value, &r.provider)),
            "team" => matching(store, |r| glob(value, &r.team)),
            "tier" => matching(store, |r| glob(value, &r.tier)),
            "label" => {
                let (key, want) = value.split_once('=').unwrap_or((value, "*"));
                matching(store, |r| r.labels.get(key).is_some_and(|v| glob(want, v)))
            }
            // Context names contain colons.
            _ => exact(part),
        };
        return if hits.is_empty() { Err(nothing()) } else { Ok(hits) };
    }
    let named = exact(part);
    let group = matching(store, |r| r.groups.iter().any(|g| g == part));
    let env = matching(store, |r| r.environment == part);
    let found: Vec<(&str, Vec<ClusterId>)> =
        [("cluster", named), ("group", group), ("env", env)].into_iter().filter(|(_, ids)| !ids.is_empty()).collect();
    match found.as_slice() {
        [] => {}
        [(_, ids)] => return Ok(ids.clone()),
        [(_, first), rest @ ..] if rest.iter().all(|(_, ids)| ids == first) => return Ok(first.clone()),
        several => {
            let ways = several.iter().map(|(field, _)| format!("{field}:{part}")).collect();
            return Err(Unclear::Several(part.to_owned(), ways));
        }
    }
    let pattern = if part.contains(['*', '?']) { part.to_owned() } else { format!("*{part}*") };
    let hits = matching(store, |r| glob(&pattern, &r.name) || glob(&pattern, &r.alias));
    if hits.is_empty() { Err(nothing()) } else { Ok(hits) }
}

/// `*` any text, `?` one character; case ignored.
fn glob(pattern: &str, text: &str) -> bool {
    selector::glob(&pattern.to_lowercase(), &text.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, text, fits) in [
            ("eu-*", "eu-west-1", true),
            ("*west*", "eu-WEST-1", true),
            ("eu-?", "eu-1", true),
            ("eu-?", "eu-12", false),
            ("*a*b", "xaxbxb", true),
            ("", "x", false),
            ("*", "", true),
        ] {
            assert_eq!(glob(pattern, text), fits, "{pattern} {text}");
        }
    }
}
