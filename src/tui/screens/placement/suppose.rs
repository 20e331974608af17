//! What if: the suppositions of the Placement screen, from the menu to the answer. Nothing is applied.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Item, Line, PlacementScreen, Want, board::Board};
use crate::{
    desired::{
        engine::Owner,
        object::ObjectKey,
        place::Strategy,
        policy::PolicyId,
        whatif::{Change, Move},
    },
    messages::{Lang, clean_line, desired as m},
    model::Taint,
    tui::{
        screen::{Choice, Effect, Menu, MenuItem, Notice, Supposed, UpdateCtx},
        screens::document::Document,
    },
};

/// Effects of taints that keep objects away.
const EFFECTS: [&str; 3] = ["NoSchedule", "NoExecute", "PreferNoSchedule"];

/// A name of an object in a service.
type Mover = (Arc<str>, Arc<str>, ObjectKey);

/// The suppositions and their answer.
#[derive(Debug)]
pub(super) struct WhatIf {
    /// In the order in which they were made; taken back from the last one on.
    pub(super) changes: Vec<Change>,
    /// The last question; late answers of earlier ones are dropped.
    generation: u64,
    /// The answer is of other suppositions, or of another picture: it has to be asked for.
    due: bool,
    pub(super) answer: Option<Answer>,
}

/// What would be where.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) board: Board,
    pub(super) moves: Vec<Move>,
    movers: BTreeMap<Mover, usize>,
    services: BTreeMap<(Arc<str>, Arc<str>), bool>,
}

impl WhatIf {
    /// The picture is another one now.
    pub(super) fn outdate(&mut self) {
        self.due = true;
        self.answer = None;
    }

    /// Clusters supposed to be lost.
    pub(super) fn lost(&self, cluster: &str) -> bool {
        self.changes.iter().any(|c| matches!(c, Change::Lost(name) if **name == *cluster))
    }

    /// What a cluster would have of an object that it should have `now`.
    pub(super) fn then(&self, line: usize, item: &Item, number: u32, cluster: &str, now: Want) -> Want {
        let Some(answer) = &self.answer else { return now };
        if self.lost(cluster) {
            return Want::No;
        }
        let twin = answer.board.lines.get(line).and_then(|line| line.twin(item));
        match twin {
            // A failure that keeps what was placed changes nothing in the clusters that remain.
            Some(twin) if twin.failure().is_some_and(|f| f.keeps_former()) => now,
            Some(twin) => twin.want(number),
            None => Want::No,
        }
    }

    /// The move of an object; `None` = it stays as it is.
    pub(super) fn mover(&self, line: &Line, item: &Item) -> Option<&Move> {
        let answer = self.answer.as_ref()?;
        let (namespace, name) = line.key();
        answer.moves.get(*answer.movers.get(&(namespace, name, item.key().clone()))?)
    }

    /// Services that fail come first, then those that move; `None` = the others.
    pub(super) fn rank(&self, line: &Line) -> Option<u8> {
        let fails = self.answer.as_ref()?.services.get(&line.key())?;
        Some(if *fails { 0 } else { 1 })
    }

    /// Everything that is supposed, in words.
    pub(super) fn words(&self, lang: Lang) -> String {
        let all: Vec<String> = self.changes.iter().map(|c| word(c, lang)).collect();
        all.join("; ")
    }
}

/// A supposition in words.
fn word(change: &Change, lang: Lang) -> String {
    let fill = |msg: crate::messages::Msg, values: &[(&str, &str)]| {
        let clean: Vec<(&str, String)> = values.iter().map(|(k, v)| (*k, clean_line(v).into_owned())).collect();
        let clean: Vec<(&str, &str)> = clean.iter().map(|(k, v)| (*k, v.as_str())).collect();
        msg.fill(lang, &clean)
    };
    match change {
        Change::Lost(cluster) => fill(m::W_LOST, &[("cluster", cluster)]),
        Change::Added(cluster) => fill(m::W_ADDED, &[("cluster", &cluster.name)]),
        Change::Tainted(cluster, taint) => fill(m::W_TAINTED, &[("cluster", cluster), ("taint", &written(taint))]),
        Change::Available(cluster, n) => fill(m::W_ROOM, &[("cluster", cluster), ("n", &n.to_string())]),
        Change::Weighted { policy, cluster, weight } => {
            let values = [("cluster", &**cluster), ("policy", &*policy.name), ("n", &*weight.to_string())];
            fill(m::W_WEIGHED, &values)
        }
        Change::Policy(object) => fill(m::W_POLICY, &[("policy", &object.key.to_string())]),
        Change::WithoutPolicy(id) => fill(m::W_WITHOUT, &[("policy", &format!("{} {}", id.kind, id.name))]),
        Change::Rescheduled => m::W_FRESH.text(lang).to_owned(),
    }
}

/// `key=value:effect`.
fn written(taint: &Taint) -> String {
    let value = if taint.value.is_empty() { String::new() } else { format!("={}", taint.value) };
    format!("{}{value}:{}", taint.key, taint.effect)
}

/// Reads `key=value:effect`; `None` when it is none.
fn taint(text: &str) -> Option<Taint> {
    let (pair, effect) = text.trim().rsplit_once(':')?;
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let fits = !key.is_empty() && EFFECTS.contains(&effect) && !text.contains(char::is_whitespace);
    fits.then(|| Taint { key: key.into(), value: value.into(), effect: effect.into() })
}

impl PlacementScreen {
    /// Clusters that a supposition is about: the marked ones, else the one under the cursor (or its group).
    fn supposed_clusters(&self, ctx: &UpdateCtx<'_>) -> Vec<Arc<str>> {
        if !self.marked.is_empty() {
            return self.marked.iter().cloned().collect();
        }
        let members = self.current_column().map(|c| c.members.as_slice()).unwrap_or_default();
        members.iter().filter_map(|id| ctx.store.shard(*id)).map(|s| s.record.name.clone()).collect()
    }

    /// The policy of the row that deals out by fixed weights; else why there is none.
    fn weighing(&self, lang: Lang) -> Result<PolicyId, String> {
        let owner = self.row().and_then(|row| self.placed(row)).map(|placed| &placed.owner);
        match owner {
            Some(Owner::Policy(policy)) if matches!(policy.placement.strategy, Strategy::Static { .. }) => {
                Ok(policy.id.clone())
            }
            Some(Owner::Policy(policy)) => Err(m::W_NO_WEIGHTS.fill(lang, &[("policy", &clean_line(&policy.id.name))])),
            _ => Err(m::W_NO_POLICY.text(lang).to_owned()),
        }
    }

    pub(super) fn suppose_menu(&self, ctx: &UpdateCtx<'_>) -> Menu {
        let lang = ctx.lang;
        let names = self.supposed_clusters(ctx);
        let known = |name: &Arc<str>| ctx.desired.is_some_and(|p| p.desired.cluster(name).is_some());
        let nowhere = (names.is_empty() || !names.iter().any(known)).then(|| m::W_NO_CLUSTER.text(lang).to_owned());
        let item = |key: char, msg: crate::messages::Msg, id: &str, why: Option<String>| MenuItem {
            disabled: why,
            ..MenuItem::new(Some(key), msg.text(lang), Choice::Pick(id.into()))
        };
        let weights = self.weighing(lang).err();
        let nothing = self.what_if.is_none().then(|| m::W_NOTHING.text(lang).to_owned());
        let items = vec![
            item('l', m::W_DO_LOST, "lost", nowhere.clone()),
            item('t', m::W_DO_TAINT, "taint", nowhere.clone()),
            item('w', m::W_DO_WEIGHT, "weight", nowhere.clone().or(weights)),
            item('r', m::W_DO_ROOM, "room", nowhere),
            item('f', m::W_DO_FRESH, "fresh", None),
            item('b', m::W_DO_BACK, "back", nothing.clone()),
            item('c', m::W_DO_CLEAR, "clear", nothing),
        ];
        let shown: Vec<String> = names.iter().take(3).map(|n| clean_line(n).into_owned()).collect();
        let more = if names.len() > 3 { " ⋯" } else { "" };
        let title = m::W_MENU.fill(lang, &[("clusters", &format!("{}{more}", shown.join(" ")))]);
        Menu::new("suppose", title, items)
    }

    /// An item of the menu was chosen.
    pub(super) fn supposition(&mut self, choice: &str, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let lang = ctx.lang;
        let prompt = |id, label: crate::messages::Msg, text: &str| {
            vec![Effect::Prompt { id, label: label.text(lang).to_owned(), text: text.to_owned() }]
        };
        match choice {
            "lost" => {
                let changes = self.supposed_clusters(ctx).into_iter().map(Change::Lost).collect();
                self.suppose(changes, ctx)
            }
            "fresh" => self.suppose(vec![Change::Rescheduled], ctx),
            "taint" => prompt("taint", m::W_ASK_TAINT, ""),
            "weight" => prompt("weight", m::W_ASK_WEIGHT, ""),
            "room" => prompt("room", m::W_ASK_ROOM, ""),
            "back" => {
                self.take_back(lang);
                self.suppose_again(ctx).into_iter().collect()
            }
            "clear" => {
                self.what_if = None;
                self.arrange(lang);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// What was asked for was typed.
    pub(super) fn told(&mut self, id: &str, text: &str, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let lang = ctx.lang;
        let names = self.supposed_clusters(ctx);
        let number = text.trim().parse::<i64>().ok().filter(|n| *n >= 0);
        let refuse = |msg: crate::messages::Msg| {
            vec![Effect::Notice(Notice::warn(msg.fill(lang, &[("text", &clean_line(text))])))]
        };
        let changes: Vec<Change> = match (id, number) {
            ("taint", _) => match taint(text) {
                Some(taint) => names.into_iter().map(|n| Change::Tainted(n, taint.clone())).collect(),
                None => return refuse(m::W_NO_TAINT),
            },
            (_, None) => return refuse(m::W_NO_NUMBER),
            ("room", Some(n)) => names.into_iter().map(|name| Change::Available(name, n)).collect(),
            ("weight", Some(weight)) => match self.weighing(lang) {
                Ok(policy) => names
                    .into_iter()
                    .map(|cluster| Change::Weighted { policy: policy.clone(), cluster, weight })
                    .collect(),
                Err(why) => return vec![Effect::Notice(Notice::warn(why))],
            },
            _ => return Vec::new(),
        };
        self.suppose(changes, ctx)
    }

    /// Supposes more.
    fn suppose(&mut self, changes: Vec<Change>, ctx: &UpdateCtx<'_>) -> Vec<Effect> {
        let what_if =
            self.what_if.get_or_insert(WhatIf { changes: Vec::new(), generation: 0, due: true, answer: None });
        what_if.changes.extend(changes);
        what_if.outdate();
        self.marked.clear();
        self.suppose_again(ctx).into_iter().collect()
    }

    /// Asks for the answer, when it is due.
    pub(super) fn suppose_again(&mut self, ctx: &UpdateCtx<'_>) -> Option<Effect> {
        let now = self.desired(ctx)?.clone();
        let what_if = self.what_if.as_mut().filter(|w| w.due)?;
        self.generation += 1;
        what_if.due = false;
        what_if.generation = self.generation;
        Some(Effect::Suppose { now, changes: what_if.changes.clone(), generation: self.generation })
    }

    /// The answer came.
    pub(super) fn computed(&mut self, generation: u64, answer: Supposed, ctx: &UpdateCtx<'_>) -> Vec<Effect> {
        let Some(what_if) = self.what_if.as_mut().filter(|w| w.generation == generation && !w.due) else {
            return Vec::new();
        };
        match answer {
            Ok((then, moves)) => {
                what_if.answer = Some(answered(Board::new(&then, ctx.store), moves));
                self.arrange(ctx.lang);
                Vec::new()
            }
            Err(refusal) => {
                // What cannot be followed is taken back, so that what is shown is what is supposed.
                what_if.changes.pop();
                what_if.outdate();
                if what_if.changes.is_empty() {
                    self.what_if = None;
                }
                let why = super::words::refusal(&refusal, ctx.lang);
                let mut effects = vec![Effect::Notice(Notice::warn(why))];
                effects.extend(self.suppose_again(ctx));
                effects
            }
        }
    }

    /// Takes the last supposition back; false when there is none.
    pub(super) fn take_back(&mut self, lang: Lang) -> bool {
        let Some(what_if) = &mut self.what_if else { return false };
        what_if.changes.pop();
        what_if.outdate();
        if what_if.changes.is_empty() {
            self.what_if = None;
        }
        self.arrange(lang);
        true
    }

    /// Every move as a text to read and to save.
    pub(super) fn moves_document(&self, ctx: &UpdateCtx<'_>) -> Vec<Effect> {
        let lang = ctx.lang;
        let Some((what_if, answer)) = self.what_if.as_ref().and_then(|w| Some((w, w.answer.as_ref()?))) else {
            return vec![Effect::Notice(Notice::info(m::W_NOTHING.text(lang)))];
        };
        let mut text = format!("{}\n{}\n\n", what_if.words(lang), super::words::moves_in_all(&answer.moves, lang));
        for moved in &answer.moves {
            text.push_str(&super::words::move_lines(moved, lang));
        }
        vec![Effect::Open(Box::new(Document::new("document", m::W_TITLE.text(lang), &text)))]
    }
}

fn answered(board: Board, moves: Vec<Move>) -> Answer {
    let mut movers = BTreeMap::new();
    let mut services: BTreeMap<(Arc<str>, Arc<str>), bool> = BTreeMap::new();
    let mut known: BTreeSet<Mover> = BTreeSet::new();
    for (at, moved) in moves.iter().enumerate() {
        let name = (moved.namespace.clone(), moved.service.clone());
        let mover = (name.0.clone(), name.1.clone(), moved.object.clone());
        if known.insert(mover.clone()) {
            movers.insert(mover, at);
        }
        *services.entry(name).or_default() |= moved.failure.is_some();
    }
    Answer { board, moves, movers, services }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taints_are_read_as_they_are_written() {
        for text in ["dedicated=db:NoSchedule", "down:NoExecute", "example.com/x:PreferNoSchedule"] {
            assert_eq!(taint(text).map(|t| written(&t)).as_deref(), Some(text));
        }
        for broken in ["", ":NoSchedule", "a:Never", "a", "a b:NoSchedule", "=x:NoExecute"] {
            assert_eq!(taint(broken), None, "{broken}");
        }
    }
}
