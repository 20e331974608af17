//! Kind `drift`: a manifest, the object that a cluster holds, and what must be said of the two. Such a file names no kind: it has
//! a `desired` or a `live` side.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{Answer, Situation};
use crate::{
    desired::{
        origin::Source,
        source::yaml,
        tree::{Node, Value},
    },
    drift::{self, Cache, Difference, Input, Verdict, path, waive::Waiver},
    messages::{Lang, clean_line, drift as text},
};

/// What a file says beside the two sides.
#[derive(Debug, Default)]
struct Context {
    appliers: Vec<String>,
    last_applied: Option<Json>,
    definition: Option<Json>,
    siblings: Vec<Json>,
    cache: Cache,
    last_seen: Option<Json>,
    inventory: Vec<String>,
    waivers: Vec<Waiver>,
    now: Option<String>,
}

/// Whether a document is such a file.
pub(super) fn is_one(node: &Node) -> bool {
    let side = |key: &str| node.as_map().is_some_and(|map| map.get(key).is_some());
    side("desired") && side("live")
}

/// Runs it.
pub(super) fn run(situation: &Situation, lang: Lang) -> Result<Answer, String> {
    let node = &situation.node;
    let context = read(node, lang)?;
    let desired = side(node, "desired");
    let live = side(node, "live");
    let verdict = drift::compare(&Input {
        desired: desired.as_ref(),
        live: live.as_ref(),
        appliers: &context.appliers,
        last_applied: context.last_applied.as_ref(),
        definition: context.definition.as_ref(),
        siblings: &context.siblings,
        cache: context.cache,
        last_seen: context.last_seen.as_ref(),
        inventory: &context.inventory,
        waivers: &context.waivers,
        now: context.now.as_deref(),
        key: &[],
    });
    let expected = wanted(&situation.expect());
    let actual = told(&verdict, &expected);
    Ok(Answer { actual, expected, notes: verdict.differences.iter().map(|d| note(d, lang)).collect() })
}

/// One side: an object, the text of a manifest (which is no object when it cannot be read), or nothing.
fn side(node: &Node, key: &str) -> Option<Json> {
    let side = node.get(key)?;
    let Value::Text(content) = &side.value else { return Some(side.to_json()) };
    let read = yaml::read(content, &Arc::new(Source::default()));
    Some(read.ok().and_then(|mut documents| documents.pop()).map_or(Json::Null, |document| document.to_json()))
}

fn texts(node: &Node, key: &str) -> Vec<String> {
    node.items_of(key).iter().filter_map(Node::as_str).map(str::to_owned).collect()
}

fn read(node: &Node, lang: Lang) -> Result<Context, String> {
    let mut context = Context { appliers: vec!["deployer".to_owned()], ..Context::default() };
    let Some(node) = node.get("context") else { return Ok(context) };
    if node.get("appliers").is_some() {
        context.appliers = texts(node, "appliers");
    }
    context.last_applied = side(node, "last_applied");
    context.definition = side(node, "crd_schema");
    context.siblings = node.items_of("siblings").iter().map(Node::to_json).collect();
    context.last_seen = side(node, "last_seen");
    context.inventory = texts(node, "inventory");
    context.now = node.get("now").and_then(Node::as_str).map(str::to_owned);
    context.waivers = node.items_of("waivers").iter().map(waiver).collect();
    let state = node.get("cache").map_or("synced", |cache| cache.str_of("state"));
    context.cache = match state {
        "" | "synced" => Cache::Synced,
        "stale" => Cache::Stale,
        "unreachable" => Cache::Unreachable,
        "not-watched" => Cache::NotWatched,
        other => return Err(text::CACHE_STATE.fill(lang, &[("state", &clean_line(other))])),
    };
    Ok(context)
}

fn waiver(node: &Node) -> Waiver {
    let word = |key: &str| node.str_of(key).to_owned();
    Waiver {
        path: word("path"),
        reason: word("reason"),
        by: word("by"),
        until: word("until"),
        value: node.get("value").map(Node::to_json),
    }
}

/// The expectation, `benign` left out: it is a hint.
fn wanted(expect: &Json) -> Json {
    let mut expect = expect.clone();
    if let Some(map) = expect.as_object_mut() {
        map.remove("benign");
    }
    expect
}

/// What was found, in the shape of the expectation. Paths that meet the expected ones are written like those: each found one is
/// an expected one or lies below one, and each expected one is met.
fn told(verdict: &Verdict, expected: &Json) -> Json {
    let Some(class) = verdict.class() else { return json!({"drift": false}) };
    // A difference that is waived hides no other, and does not show beside one.
    let counted: Vec<&Difference> = verdict.differences.iter().filter(|d| d.class == class).collect();
    let others: Vec<&str> = verdict
        .differences
        .iter()
        .filter(|d| d.class != class && d.class.word() != "waived")
        .map(|d| d.class.word())
        .collect();
    let wanted: Vec<&str> =
        expected.get("paths").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
    let met = counted.iter().all(|d| wanted.iter().any(|w| path::covers(w, &d.path)))
        && wanted.iter().all(|w| counted.iter().any(|d| path::covers(w, &d.path)));
    let paths: Vec<&str> = if met { wanted } else { counted.iter().map(|d| d.path.as_str()).collect() };
    let words: Vec<&str> = std::iter::once(class.word()).chain(others).collect();
    let mut told = json!({"drift": true, "paths": paths, "class": words.join(" ")});
    if let Some(by) = expected.get("by") {
        told["by"] = author(&counted, &paths, by);
    }
    told
}

/// Who wrote the first path, as far as the expectation asks.
fn author(found: &[&Difference], paths: &[&str], asked: &Json) -> Json {
    let first = paths.first().and_then(|p| found.iter().find(|d| path::covers(p, &d.path)));
    let Some(by) = first.and_then(|d| d.by.as_ref()) else { return Json::Null };
    let mut told = json!({"manager": by.manager, "operation": by.operation});
    if asked.get("time").is_some() {
        told["time"] = by.time.as_str().into();
    }
    told
}

fn note(difference: &Difference, lang: Lang) -> String {
    let manager = difference.by.as_ref().map_or("-", |by| by.manager.as_str());
    let values = [
        ("path", difference.path.as_str()),
        ("class", difference.class.word()),
        ("rule", difference.rule),
        ("manager", manager),
    ];
    text::FOUND.fill(lang, &values)
}
