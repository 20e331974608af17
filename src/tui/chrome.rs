//! What stands around every screen, always in the same place: the first line answers in two seconds what is wrong, where,
//! and how fresh; the second says where we are; the last names the keys of this place.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};

use super::{
    action::ActionId,
    app::by_state,
    glyphs::Glyphs,
    screen::Ctx,
    theme::Role,
    widgets::{clear, put},
};
use crate::{
    fleet::inventory::Counts,
    messages::{Lang, Msg, common, cut_end, cut_middle, tui as m, width},
    model::Millis,
};

/// What the first line needs.
#[derive(Debug)]
pub struct Header<'a> {
    /// Clusters by state.
    pub counts: &'a Counts,
    /// Age of the oldest live data.
    pub oldest: Option<String>,
    /// The clock shows seconds.
    pub seconds: bool,
}

/// A key of the footer.
#[derive(Clone, Debug)]
pub struct Hint {
    /// Action.
    pub action: ActionId,
    /// Its key.
    pub key: String,
    /// Its word.
    pub word: String,
    /// It does not apply now.
    pub off: bool,
}

fn count_look(glyphs: &Glyphs, word: &str) -> (&'static str, Role) {
    match word {
        "ok" => (glyphs.ok, Role::Ok),
        "busy" => (glyphs.busy, Role::Busy),
        "warn" => (glyphs.warn, Role::Warn),
        "bad" => (glyphs.bad, Role::Bad),
        "stale" => (glyphs.stale, Role::Stale),
        "denied" => (glyphs.denied, Role::Bad),
        _ => (glyphs.unreachable, Role::Bad),
    }
}

/// `1 cluster`, `42 clusters`.
pub fn count(one: Msg, many: Msg, n: usize, lang: Lang) -> String {
    if n == 1 { one.text(lang).to_owned() } else { many.fill(lang, &[("n", &n.to_string())]) }
}

/// `14:07:31Z`.
fn clock(now: Millis, seconds: bool) -> String {
    let s = now.0.div_euclid(1000).rem_euclid(86_400);
    let (h, min, s) = (s / 3600, s / 60 % 60, s % 60);
    if seconds { format!("{h:02}:{min:02}:{s:02}Z") } else { format!("{h:02}:{min:02}Z") }
}

/// The first line. Gives the places of the counts, which are filters.
pub fn header(area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, header: &Header<'_>) -> Vec<(Rect, &'static str)> {
    let lang = ctx.lang;
    let bold = |role| ctx.theme.style(role).add_modifier(Modifier::BOLD);
    let total = header.counts.total.to_string();
    let counts: Vec<(&str, u16)> =
        by_state(header.counts).into_iter().filter(|(word, n)| *n > 0 || *word == "ok").collect();
    let shown = |word, n: u16| format!("{}{n}", count_look(ctx.glyphs, word).0);
    let counts_width: usize = counts.iter().map(|(word, n)| width(&shown(word, *n)) + 1).sum();
    let mode = m::READ_ONLY.text(lang);
    let oldest = header.oldest.as_ref().map(|age| m::OLDEST.fill(lang, &[("age", age)]));
    let mut left = vec![
        common::PRODUCT.text(lang).to_owned(),
        ctx.settings.fleet_name.clone(),
        count(m::ONE_CLUSTER, m::N_CLUSTERS, usize::from(header.counts.total), lang),
    ];
    let mut right = vec![oldest.unwrap_or_default(), clock(ctx.now, header.seconds), mode.to_owned()];
    // On narrow screens the least telling parts go first: the product, the seconds, the number of clusters, the fleet.
    let wide = |l: &[String], r: &[String]| {
        let gap = |s: &String| if s.is_empty() { 0 } else { width(s) + 2 };
        l.iter().map(gap).sum::<usize>() + counts_width + r.iter().map(gap).sum::<usize>() + 2
    };
    for step in 0..5 {
        if wide(&left, &right) <= usize::from(area.width) {
            break;
        }
        match step {
            0 => left[0].clear(),
            1 => right[1] = clock(ctx.now, false),
            2 => left[2] = total.clone(),
            3 => left[1].clear(),
            _ => right[1].clear(),
        }
    }
    let mut x = area.x.saturating_add(1);
    for (i, part) in left.iter().enumerate().filter(|(_, p)| !p.is_empty()) {
        let style = if i == 0 { bold(Role::Accent) } else { ctx.theme.style(Role::Text) };
        x += put(buf, x, area.y, part, area.right().saturating_sub(x), style) + 2;
    }
    let mut spots = Vec::new();
    for (word, n) in counts {
        let (_, role) = count_look(ctx.glyphs, word);
        let style = if n == 0 { ctx.theme.style(Role::Muted) } else { bold(role) };
        let used = put(buf, x, area.y, &shown(word, n), area.right().saturating_sub(x), style);
        spots.push((Rect { x, y: area.y, width: used, height: 1 }, word));
        x += used + 1;
    }
    let mut end = area.right().saturating_sub(1);
    for (i, part) in right.iter().enumerate().rev().filter(|(_, p)| !p.is_empty()) {
        let w = u16::try_from(width(part)).unwrap_or(0);
        // Never over the counts.
        if end < w + x {
            break;
        }
        end -= w;
        let style = if i == 2 { bold(Role::Accent) } else { ctx.theme.style(Role::Muted) };
        put(buf, end, area.y, part, w, style);
        end = end.saturating_sub(3);
    }
    spots
}

/// The second line: where we are, and what the screen says of itself.
pub fn crumbs(area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, crumbs: &[String], summary: &str) {
    if area.is_empty() {
        return;
    }
    let room = usize::from(area.width.saturating_sub(2));
    let summary = cut_end(summary, room * 2 / 3);
    let w = u16::try_from(width(&summary)).unwrap_or(0);
    let end = area.right().saturating_sub(w + 1);
    let mut x = area.x + 1;
    for (i, crumb) in crumbs.iter().enumerate() {
        if i > 0 {
            let sign = format!(" {} ", ctx.glyphs.crumb);
            x += put(buf, x, area.y, &sign, end.saturating_sub(x), ctx.theme.style(Role::Muted));
        }
        let last = i + 1 == crumbs.len();
        let style = if last { ctx.theme.style(Role::Title) } else { ctx.theme.style(Role::Text) };
        let room = usize::from(end.saturating_sub(x + 1));
        x += put(buf, x, area.y, &cut_middle(crumb, room), end.saturating_sub(x), style);
    }
    put(buf, end, area.y, &summary, w, ctx.theme.style(Role::Muted));
}

/// The last line: as many hints as fit, filter, command and help always among them; notices and tasks at the right.
pub fn footer(area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, hints: &[Hint], right: &str) -> Vec<(Rect, ActionId)> {
    let w = u16::try_from(width(right)).unwrap_or(0);
    let end = area.right().saturating_sub(if w == 0 { 1 } else { w + 3 });
    put(buf, area.right().saturating_sub(w + 1), area.y, right, w, ctx.theme.style(Role::Muted));
    let wide = |h: &Hint| width(&h.key) + 1 + width(&h.word) + 3;
    // The last hints (filter, command, help) keep their room; the screen's own ones fill what is left, seven at most.
    let keep = hints.iter().rposition(|h| !matches!(h.action, ActionId::Filter | ActionId::Command | ActionId::Help));
    let (own, fixed) = hints.split_at(keep.map_or(0, |i| i + 1));
    let mut room = usize::from(end.saturating_sub(area.x + 1)).saturating_sub(fixed.iter().map(wide).sum());
    let fits = own.iter().take(7).take_while(|h| {
        let fits = wide(h) <= room;
        room = room.saturating_sub(wide(h));
        fits
    });
    let mut spots = Vec::new();
    let mut x = area.x + 1;
    for hint in fits.chain(fixed) {
        if usize::from(end.saturating_sub(x)) + 3 < wide(hint) {
            break;
        }
        let start = x;
        let (key, word): (Style, Style) = if hint.off {
            (ctx.theme.style(Role::Muted), ctx.theme.style(Role::Muted))
        } else {
            (ctx.theme.style(Role::Key), ctx.theme.style(Role::Text))
        };
        x += put(buf, x, area.y, &hint.key, end.saturating_sub(x), key) + 1;
        x += put(buf, x, area.y, &hint.word, end.saturating_sub(x), word);
        spots.push((Rect { x: start, y: area.y, width: x - start, height: 1 }, hint.action));
        x += 3;
    }
    spots
}

/// One notice, right-aligned in its line, with a blank at both sides.
pub fn notice(line: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, (glyph, role): (&str, Role), text: &str) {
    let text = cut_end(text, usize::from(line.width.saturating_sub(6)));
    let w = u16::try_from(width(&text)).unwrap_or(0) + 4;
    if line.width < w {
        return;
    }
    let style = ctx.theme.style(role).add_modifier(Modifier::BOLD);
    let area = Rect { x: line.right() - w, width: w, ..line };
    clear(buf, area, style);
    let used = put(buf, area.x + 1, area.y, glyph, 1, style);
    put(buf, area.x + 1 + used + 1, area.y, &text, w, ctx.theme.style(Role::Text).add_modifier(Modifier::BOLD));
}

/// Below the smallest size: one line in the middle with the counts and the size that is needed. Keys still work.
pub fn too_small(area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, counts: &Counts, need: (u16, u16)) {
    let counts: Vec<String> = by_state(counts)
        .into_iter()
        .filter(|(_, n)| *n > 0)
        .map(|(word, n)| format!("{}{n}", count_look(ctx.glyphs, word).0))
        .collect();
    let (w, h) = (need.0.to_string(), need.1.to_string());
    let size = m::TOO_SMALL.fill(ctx.lang, &[("w", &w), ("h", &h)]);
    let short = format!("{w}x{h}");
    let counts = counts.join(" ");
    let candidates = [format!("{counts}  {size}"), format!("{counts} {short}"), counts, short];
    let room = usize::from(area.width);
    let text = candidates.iter().map(|c| c.trim()).find(|c| !c.is_empty() && width(c) <= room).unwrap_or("");
    let x = area.x + u16::try_from((room - width(text)) / 2).unwrap_or(0);
    put(buf, x, area.y + area.height / 2, text, area.width, ctx.theme.style(Role::Text));
}
