//! Situation files: an input (clusters, policies, a resource, state) and what must come out, as one YAML document. `quarterdeck
//! test` runs them, any situation on a screen can be saved as one. Pure.

mod cluster;
mod compare;
mod drift;
mod image;
mod overriding;
mod ownership;
mod placement;
pub mod save;

use std::sync::Arc;

use serde_json::Value as Json;

use crate::{
    desired::{
        object::Object,
        origin::{At, Source},
        policy::Policies,
        source::yaml::{self, Broken},
        tree::Node,
    },
    messages::{Lang, desired as text},
};

/// One situation.
#[derive(Clone, Debug)]
pub struct Situation {
    /// Its name; the file's stem where it has none.
    pub name: String,
    /// What it shows, in one line.
    pub about: String,
    /// Where it begins.
    pub at: At,
    node: Node,
}

/// How a situation went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// What came out is what must come out.
    Passed,
    /// It is not: the difference, line by line, foreign text not cleaned.
    Failed(Vec<String>),
    /// It could not be run: why.
    Skipped(String),
}

/// What an engine made of a situation, and what was expected, in the same shape.
#[derive(Debug)]
struct Answer {
    actual: Json,
    expected: Json,
    /// Further words on the actual outcome (the faults of a policy that was refused ...).
    notes: Vec<String>,
}

/// Runs the situations of one kind. A malformed one gets words that say what is missing.
type Engine = fn(&Situation, Lang) -> Result<Answer, String>;

/// The kinds and who runs them.
const ENGINES: &[(&str, Engine)] = &[
    ("placement", placement::run),
    ("override", overriding::run),
    ("image", image::run),
    ("policy-match", ownership::run),
    ("drift", drift::run),
];

/// Reads every situation of a text: one document, or many.
///
/// # Errors
///
/// When the text is no YAML.
pub fn read(content: &str, source: &Arc<Source>) -> Result<Vec<Situation>, Broken> {
    let stem = source.file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let documents = yaml::read(content, source)?;
    Ok(documents
        .into_iter()
        .map(|node| {
            let word = |key: &str| node.str_of(key).to_owned();
            let at = node.origin.at().unwrap_or_else(|| At { source: source.clone(), line: 0 });
            let name = if word("name").is_empty() { stem.to_owned() } else { word("name") };
            Situation { name, about: word("about"), at, node }
        })
        .collect())
}

/// Runs one situation.
pub fn run(situation: &Situation, lang: Lang) -> Verdict {
    let named = situation.node.str_of("kind");
    let kind = if named.is_empty() && drift::is_one(&situation.node) { "drift" } else { named };
    let Some((_, engine)) = ENGINES.iter().find(|(name, _)| *name == kind) else {
        let known: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
        return Verdict::Skipped(text::SITUATION_KIND.fill(lang, &[("kind", kind), ("known", &known.join(", "))]));
    };
    if situation.node.get("expect").is_none() {
        return Verdict::Failed(vec![text::SITUATION_NO_EXPECT.text(lang).to_owned()]);
    }
    match engine(situation, lang) {
        Ok(answer) if compare::equal(&answer.actual, &answer.expected) => Verdict::Passed,
        Ok(answer) => {
            let mut lines = compare::difference(&answer.expected, &answer.actual);
            lines.extend(answer.notes);
            Verdict::Failed(lines)
        }
        Err(words) => Verdict::Failed(vec![words]),
    }
}

impl Situation {
    /// The resource, which must be there.
    fn resource(&self, lang: Lang) -> Result<Object, String> {
        self.node.get("resource").cloned().and_then(Object::new).ok_or_else(|| missing("resource", lang))
    }

    /// `policy` and `policies`, read; or why they were refused.
    fn policies(&self, lang: Lang) -> Result<Result<Policies, Vec<String>>, String> {
        let mut policies = Policies::default();
        let mut refused = Vec::new();
        for node in self.node.get("policy").into_iter().chain(self.node.items_of("policies")) {
            let read = Object::new(node.clone()).and_then(|object| policies.read(&object));
            match read {
                Some(Ok(())) => {}
                Some(Err(faults)) => refused.extend(faults.iter().map(|fault| fault_line(fault, lang))),
                None => {
                    let line = node.origin.at().map_or(0, |at| at.line).to_string();
                    return Err(text::SITUATION_NO_POLICY.fill(lang, &[("line", &line)]));
                }
            }
        }
        Ok(if refused.is_empty() { Ok(policies) } else { Err(refused) })
    }

    /// What must come out.
    fn expect(&self) -> Json {
        self.node.get("expect").map(Node::to_json).unwrap_or_default()
    }
}

fn fault_line(fault: &crate::fault::Fault, lang: Lang) -> String {
    let problem = fault.problem(lang);
    [problem.place, problem.field, problem.text].into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(": ")
}

/// The words for a part that is not there.
fn missing(key: &str, lang: Lang) -> String {
    text::SITUATION_MISSING.fill(lang, &[("key", key)])
}

/// `{error: WORD}`, as situation files write an expected refusal.
fn error(word: &str) -> Json {
    serde_json::json!({ "error": word })
}

/// A policy that was refused.
fn refused(situation: &Situation, notes: Vec<String>) -> Answer {
    Answer { actual: error("invalid-policy"), expected: situation.expect(), notes }
}

#[cfg(test)]
mod tests;
