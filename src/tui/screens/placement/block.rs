//! The explanation of the cell under the cursor: why the cluster is in or out, how the replicas came about, who says so, which
//! overrides apply, and what moves under suppositions.

use super::{Board, Item, Line, Live, PlacementScreen, Row, Want, WhatIf, words};
use crate::{
    desired::engine::{Desired, Owner, Placed},
    fleet::Store,
    messages::{Lang, clean_line, desired as m},
    model::ClusterId,
    tui::{
        glyphs::{Glyphs, UNICODE},
        screen::UpdateCtx,
        screens::{
            doc::{Doc, Line as Text, Span},
            matrix::columns::Column,
            words as common,
        },
        theme::Role,
    },
};

/// What an explanation needs.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) store: &'a Store,
    pub(super) lang: Lang,
    pub(super) glyphs: &'a Glyphs,
}

impl PlacementScreen {
    /// The explanation as it is copied.
    pub(super) fn explanation(&self, ctx: &UpdateCtx<'_>, cells: usize) -> Vec<Text> {
        self.explain(Look { store: ctx.store, lang: ctx.lang, glyphs: &UNICODE }, cells)
    }

    /// The lines for the cell under the cursor, most telling first.
    pub(super) fn explain(&self, look: Look<'_>, cells: usize) -> Vec<Text> {
        let mut doc = Doc::new(cells, if look.lang == Lang::Zh { 10 } else { 12 }, look.glyphs.lines.0);
        let (Some(row), Some(column), Some(board)) = (self.row(), self.current_column(), &self.board) else {
            return Vec::new();
        };
        let Some(line) = board.lines.get(row.line) else { return Vec::new() };
        if let Some(what_if) = &self.what_if {
            moves(&mut doc, line, row, what_if, look);
        }
        match column.members.first() {
            Some(id) if !column.group => self.of_cluster(&mut doc, board, row, *id, look),
            _ => self.of_group(&mut doc, board, row, column, look),
        }
        self.tell_troubles(&mut doc, line, look);
        doc.into_lines()
    }

    fn of_cluster(&self, doc: &mut Doc, board: &Board, row: Row, cluster: ClusterId, look: Look<'_>) {
        let lang = look.lang;
        let name = look.store.shard(cluster).map(|s| clean_line(&s.record.name).into_owned()).unwrap_or_default();
        let Some(item) = self.item(row) else {
            doc.para(m::P_NO_OBJECTS.text(lang), Role::Muted);
            return;
        };
        let what = clean_line(&item.key().to_string()).into_owned();
        let values: &[(&str, &str)] = &[("object", &what), ("cluster", &name)];
        let Some(number) = board.number(cluster) else {
            doc.para(&m::P_NO_SUCH_CLUSTER.fill(lang, values), Role::Muted);
            return;
        };
        let (want, live) = (item.want(number), item.live(look.store, cluster));
        let then = self.what_if.as_ref().filter(|w| w.answer.is_some());
        let then = then.map(|w| w.then(row.line, item, number, &name, want));
        head(doc, &m::P_CELL_OF.fill(lang, values), (want, then), live, look);
        let (desired, placed) = self.explained(board, row, item, number);
        why(doc, desired, placed, number, want, lang);
        sender(doc, placed, lang);
        if want != Want::No {
            overrides(doc, desired, placed, number, lang);
        }
    }

    /// The placement that is explained: the one that would be, where there are suppositions.
    fn explained<'s>(&'s self, board: &'s Board, row: Row, item: &'s Item, number: u32) -> (&'s Desired, &'s Placed) {
        let then = || {
            let answer = self.what_if.as_ref()?.answer.as_ref()?;
            let twin = answer.board.lines.get(row.line)?.twin(item)?;
            Some((&*answer.board.desired, &**twin.part(number)))
        };
        then().unwrap_or_else(|| (&board.desired, item.part(number)))
    }

    fn of_group(&self, doc: &mut Doc, board: &Board, row: Row, column: &Column, look: Look<'_>) {
        let lang = look.lang;
        let n = column.members.len().to_string();
        let Some(item) = self.item(row) else {
            doc.para(m::P_NO_OBJECTS.text(lang), Role::Muted);
            return;
        };
        let name = clean_line(&item.key().to_string()).into_owned();
        doc.labels(24);
        let values = [("object", name.as_str()), ("group", column.title.as_str()), ("n", n.as_str())];
        doc.line(vec![Span::bold(m::P_CELL_GROUP.fill(lang, &values), Role::Title)], None);
        for id in &column.members {
            let Some(shard) = look.store.shard(*id) else { continue };
            let (sum, runs) = self.sum(board, row, &[*id], look.store);
            let (text, role) = sum.text(runs, look.glyphs);
            doc.field(&clean_line(&shard.record.name), &text, role);
        }
    }

    fn tell_troubles(&self, doc: &mut Doc, line: &Line, look: Look<'_>) {
        for text in self.trouble_texts(line) {
            doc.item(look.glyphs.bad, Role::Bad, &text, Role::Text);
        }
    }
}

fn head(doc: &mut Doc, what: &str, (want, then): (Want, Option<Want>), live: Live, look: Look<'_>) {
    let lang = look.lang;
    let mut spans = vec![Span::bold(what.to_owned(), Role::Title)];
    let wanted = match want {
        Want::No => m::P_WANT_NONE.text(lang).to_owned(),
        Want::There => m::P_WANT_THERE.text(lang).to_owned(),
        Want::Held(_) => m::P_WANT_HELD.text(lang).to_owned(),
        Want::Count(n) | Want::Failed(Some(n)) => m::P_WANT_COUNT.fill(lang, &[("n", &n.to_string())]),
        Want::Failed(None) => m::P_WANT_THERE.text(lang).to_owned(),
    };
    spans.push(Span::new(format!("   {wanted}"), Role::Text));
    if let Some(then) = then.filter(|then| *then != want) {
        let text = match then {
            Want::No => m::W_THEN_NONE.text(lang).to_owned(),
            then => m::W_THEN.fill(lang, &[("n", &then.count().map_or("1".to_owned(), |n| n.to_string()))]),
        };
        spans.push(Span::new(format!("  {text}"), Role::Changed));
    }
    let (text, role) = match live {
        Live::Unknown => (m::P_LIVE_UNKNOWN.text(lang).to_owned(), Role::Unknown),
        Live::Absent => {
            (m::P_LIVE_ABSENT.text(lang).to_owned(), if want == Want::No { Role::Muted } else { Role::Bad })
        }
        Live::There { ready, wanted: Some(wanted), health, stale } => {
            let values = [("ready", ready.to_string()), ("wanted", wanted.to_string())];
            let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
            let role = if stale { Role::Stale } else { common::health_role(health) };
            (m::P_LIVE_READY.fill(lang, &values), role)
        }
        Live::There { stale, .. } => {
            (m::P_LIVE_THERE.text(lang).to_owned(), if stale { Role::Stale } else { Role::Text })
        }
    };
    spans.push(Span::new(format!("   {text}"), role));
    if let Live::There { stale: true, .. } = live {
        spans.push(Span::new(format!("  {}", m::P_STALE.text(lang)), Role::Stale));
    }
    doc.line(spans, None);
}

/// Why the cluster is in or out, how its replicas came about, and what keeps the object back.
fn why(doc: &mut Doc, desired: &Desired, placed: &Placed, number: u32, want: Want, lang: Lang) {
    if let Some(failure) = placed.failure(number) {
        doc.para(&failure.outcome(lang), Role::Bad);
    }
    if !placed.waits_for.is_empty() {
        doc.para(&m::WAITS_FOR.fill(lang, &[("names", &placed.waits_for.join(", "))]), Role::Warn);
    } else if let Want::Held(_) = want {
        doc.para(m::P_HELD.text(lang), Role::Warn);
    }
    let name = usize::try_from(number).ok().and_then(|n| desired.inputs.clusters.get(n)).map_or("", |c| &c.name);
    match desired.explain(placed) {
        Some(explanation) => {
            match explanation.clusters.iter().find(|c| *c.cluster == *name) {
                Some(fact) => doc.para(&explanation.cluster_sentence(fact, lang), Role::Text),
                None => doc.para(m::OTHER_SOURCE.text(lang), Role::Text),
            }
            let role = if explanation.failure.is_some() { Role::Bad } else { Role::Muted };
            doc.para(&explanation.sentence(lang), role);
        }
        None if placed.owner == Owner::Source && want == Want::No => {
            doc.para(m::OTHER_SOURCE.text(lang), Role::Text);
        }
        None => {}
    }
}

/// Who sends the object to its clusters.
fn sender(doc: &mut Doc, placed: &Placed, lang: Lang) {
    let (text, role) = match &placed.owner {
        Owner::Policy(policy) => {
            let id = &policy.id;
            let space = if id.namespace.is_empty() { String::new() } else { format!("{}/", id.namespace) };
            (format!("{} {space}{}  {}", id.kind, id.name, policy.at), Role::Text)
        }
        Owner::Source => (m::P_BY_SOURCE.fill(lang, &[("source", &placed.source.title)]), Role::Text),
        Owner::Followed => (m::P_BY_OTHERS.text(lang).to_owned(), Role::Text),
        Owner::Nobody => (m::P_BY_NOBODY.text(lang).to_owned(), Role::Warn),
    };
    doc.field(m::P_PLACED_BY.text(lang), &text, role);
    let written = placed.template.node.origin.at().map(|at| format!("  {at}")).unwrap_or_default();
    doc.field(m::P_SOURCE.text(lang), &format!("{}{written}", placed.source.title), Role::Muted);
}

/// The override rules that reach the object in this cluster.
fn overrides(doc: &mut Doc, desired: &Desired, placed: &Placed, number: u32, lang: Lang) {
    for (i, rule) in desired.overrides(placed, number).iter().enumerate() {
        let label = if i == 0 { m::P_OVERRIDES.text(lang) } else { "" };
        doc.field(label, &format!("{rule}  {}", rule.at), Role::Text);
    }
}

/// What moves in all, and where the object under the cursor goes.
fn moves(doc: &mut Doc, line: &Line, row: Row, what_if: &WhatIf, look: Look<'_>) {
    let lang = look.lang;
    let Some(answer) = &what_if.answer else {
        doc.item(look.glyphs.busy, Role::Busy, m::W_COMPUTING.text(lang), Role::Busy);
        return;
    };
    doc.para(&words::moves_in_all(&answer.moves, lang), Role::Accent);
    for item in PlacementScreen::items(line, row) {
        let Some(moved) = what_if.mover(line, item) else { continue };
        let name = clean_line(&moved.object.to_string()).into_owned();
        if let Some(why) = moved.failure {
            let msg = if moved.stays { m::W_FAILS_STAYS } else { m::W_FAILS };
            doc.item(
                look.glyphs.bad,
                Role::Bad,
                &msg.fill(lang, &[("why", words::failure(why).text(lang))]),
                Role::Bad,
            );
        }
        let parts: Vec<String> = moved
            .clusters
            .iter()
            .map(|(cluster, now, then)| format!("{} {}", clean_line(cluster), words::step(*now, *then, lang)))
            .collect();
        if !parts.is_empty() {
            doc.para(&m::W_MOVES.fill(lang, &[("object", &name), ("moves", &parts.join(", "))]), Role::Text);
        }
    }
    doc.gap();
}
