//! The whole picture: header, crumbs, the screen, footer or prompt, and what lies above.

use ratatui::{
    buffer::Buffer,
    layout::{Margin, Rect},
};

use super::{App, Spot, prompt};
use crate::{
    fleet::{
        Store,
        inventory::{self, Counts},
    },
    messages::{cut_end, tui as m, width},
    model::{Age, ClusterState, Millis, age_text},
    tui::{
        action::{self, ActionId},
        chrome::{self, Header, Hint},
        keymap::Lookup,
        screen::{Ctx, Level},
        theme::Role,
        widgets::{menu, pane::Pane, put},
    },
};

/// Smallest size on which screens are drawn.
const SMALLEST: (u16, u16) = (40, 8);

/// Counting the states of 300 clusters is cheap, but not so cheap that every frame needs it.
const COUNTS_MS: i64 = 250;

/// The parts of the screen, top to bottom.
struct Parts {
    header: Rect,
    crumbs: Rect,
    body: Rect,
    foot: Rect,
}

fn parts(area: Rect) -> Parts {
    let row = |y: u16| Rect { y: area.y + y, height: u16::from(y < area.height), ..area };
    let body = Rect { y: area.y + area.height.min(2), height: area.height.saturating_sub(3), ..area };
    Parts { header: row(0), crumbs: row(1), body, foot: row(area.height.saturating_sub(1)) }
}

impl App {
    /// Draws everything and gives the place of the terminal's cursor.
    pub fn draw(&mut self, buf: &mut Buffer, store: &Store) -> Option<(u16, u16)> {
        self.dirty = false;
        self.spots.clear();
        let area = buf.area;
        if area.is_empty() {
            return None;
        }
        buf.set_style(area, self.look.theme.style(Role::Text));
        self.count(store);
        let focused = self.menu.is_none() && self.prompt.is_none();
        let ctx = self.look.ctx(store, self.now, (area.width, area.height), focused);
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            chrome::too_small(area, buf, &ctx, &self.counts.2, SMALLEST);
            return None;
        }
        let parts = parts(area);
        let header = Header { counts: &self.counts.2, oldest: oldest(store, self.now), seconds: !self.look.slow };
        let counts = chrome::header(parts.header, buf, &ctx, &header);
        self.spots.extend(counts.into_iter().map(|(area, word)| (area, Spot::Count(word))));
        let screen = &mut self.views.current_mut().screen;
        chrome::crumbs(parts.crumbs, buf, &ctx, &screen.crumbs(&ctx), &screen.summary(&ctx));
        screen.draw(parts.body, buf, &ctx);
        let mut cursor = screen.cursor();
        self.body = parts.body;
        if let Some(place) = self.draw_foot(parts.foot, buf, store) {
            cursor = Some(place);
        }
        let cursor = self.draw_above(parts.body, buf, store, cursor).or(cursor);
        if self.look.glyphs.ascii {
            plain_cuts(buf);
        }
        cursor
    }

    fn count(&mut self, store: &Store) {
        let (at, version, _) = self.counts;
        let old = self.now.0 - at.0 >= COUNTS_MS || self.now < at;
        if old && (version != store.version() || self.now.0 - at.0 >= 1000 || self.now < at) {
            self.counts = (self.now, store.version(), inventory::counts(store, self.now));
        }
    }

    fn draw_foot(&mut self, area: Rect, buf: &mut Buffer, store: &Store) -> Option<(u16, u16)> {
        let ctx = self.look.ctx(store, self.now, self.size, true);
        if let Some(prompt) = &self.prompt {
            let note = cut_end(&prompt.note, usize::from(area.width) / 2);
            let w = u16::try_from(width(&note)).unwrap_or(0);
            let field = Rect { x: area.x + 1, width: area.width.saturating_sub(w + 3), ..area };
            let cursor = prompt.input.draw(field, buf, prompt.sign(), &prompt.ghost, &ctx);
            let role = if prompt.kind == prompt::Kind::Clusters { Role::Muted } else { Role::Warn };
            put(buf, area.right().saturating_sub(w + 1), area.y, &note, w, ctx.theme.style(role));
            return cursor;
        }
        let hints = self.hints(&ctx);
        let right = self.foot_right(&ctx);
        let spots = chrome::footer(area, buf, &ctx, &hints, &right);
        self.spots.extend(spots.into_iter().map(|(area, action)| (area, Spot::Action(action))));
        None
    }

    /// The keys of this place: the screen's first ones, then filter, command and help.
    fn hints(&self, ctx: &Ctx<'_>) -> Vec<Hint> {
        let screen = &self.views.current().screen;
        let hint = |action: ActionId| Hint {
            action,
            key: self.keymap.hint(action),
            word: action.short(ctx.lang).to_owned(),
            off: screen.disabled(action, ctx).is_some(),
        };
        let motion = |a: &ActionId| action::MOTIONS.contains(a);
        let own = screen.actions().iter().copied().filter(|a| !motion(a)).map(hint);
        let filter = screen.filter().map(|_| hint(ActionId::Filter));
        let mut hints: Vec<Hint> = own.chain(filter).filter(|h| !h.key.is_empty()).collect();
        hints.push(hint(ActionId::Command));
        hints.push(hint(ActionId::Help));
        hints
    }

    fn foot_right(&self, ctx: &Ctx<'_>) -> String {
        let mut parts = Vec::new();
        if !self.notices.is_empty() {
            parts.push(chrome::count(m::ONE_NOTICE, m::N_NOTICES, self.notices.len(), ctx.lang));
        }
        if self.asked > 0 {
            parts.push(format!("{} {}", chrome::count(m::ONE_TASK, m::N_TASKS, self.asked, ctx.lang), ctx.glyphs.busy));
        }
        parts.join("   ")
    }

    /// Notices, the box of a begun key sequence, a menu. A menu takes the cursor.
    fn draw_above(
        &mut self,
        body: Rect,
        buf: &mut Buffer,
        store: &Store,
        cursor: Option<(u16, u16)>,
    ) -> Option<(u16, u16)> {
        let ctx = self.look.ctx(store, self.now, self.size, true);
        let row = self.views.current().screen.cursor().or(cursor).map(|(_, y)| y);
        // Inside the borders, and never over the selected row.
        let inside = if Pane::bordered(&ctx) { body.inner(Margin::new(1, 1)) } else { body };
        let mut free: Vec<u16> = (inside.top()..inside.bottom()).rev().filter(|y| Some(*y) != row).collect();
        free.truncate(crate::tui::notices::SHOWN);
        for (notice, y) in self.notices.showing(self.now).into_iter().zip(free) {
            let (glyph, role) = match notice.level {
                Level::Info => (ctx.glyphs.ok, Role::Accent),
                Level::Warn => (ctx.glyphs.warn, Role::Warn),
                Level::Error => (ctx.glyphs.bad, Role::Bad),
            };
            chrome::notice(Rect { y, height: 1, ..inside }, buf, &ctx, (glyph, role), &notice.text);
        }
        if !self.pending.is_empty() {
            let here = self.views.current().screen.actions();
            if let Lookup::Begin(next) = self.keymap.lookup(&self.pending, &|a| super::act::applies(a, here)) {
                self.draw_sequence(body, buf, &ctx, &next);
            }
        }
        let foot = match &self.menu {
            Some((menu, _)) if menu.checklist => m::FOOT_CHECKLIST.text(ctx.lang),
            Some(_) => m::FOOT_MENU.text(ctx.lang),
            None => return None,
        };
        self.menu.as_mut().and_then(|(menu, _)| menu.draw(body, buf, &ctx, foot))
    }

    fn draw_sequence(&self, body: Rect, buf: &mut Buffer, ctx: &Ctx<'_>, next: &[(String, ActionId)]) {
        let title: String = self.pending.iter().map(|k| format!("{k} ")).collect();
        let w =
            next.iter().map(|(k, a)| width(k) + width(a.help(ctx.lang)) + 3).max().unwrap_or(0).max(width(&title) + 4);
        let w = u16::try_from(w + 4).unwrap_or(u16::MAX).min(body.width);
        let h = u16::try_from(next.len() + 2).unwrap_or(u16::MAX).min(body.height);
        let area = Rect { x: body.right() - w, y: body.bottom() - h, width: w, height: h };
        let inside = menu::popup(area, buf, ctx, title.trim(), "");
        for ((key, action), y) in next.iter().zip(inside.top()..inside.bottom()) {
            let used = put(buf, inside.x, y, key, inside.width, ctx.theme.style(Role::Key));
            let x = inside.x + used + 2;
            put(buf, x, y, action.help(ctx.lang), inside.right().saturating_sub(x), ctx.theme.style(Role::Text));
        }
    }
}

/// Age of the oldest data among the live clusters; `None` when none is live.
fn oldest(store: &Store, now: Millis) -> Option<String> {
    let live = store.clusters().filter(|(_, s)| s.condition.state == ClusterState::Live);
    let oldest: Age = live.map(|(_, s)| now.since(s.condition.heard)).max()?;
    Some(age_text(oldest))
}

/// Counts by state in header order: word for filters, glyph and role are chosen by the chrome.
pub(crate) fn by_state(counts: &Counts) -> [(&'static str, u16); 7] {
    [
        ("ok", counts.ok),
        ("busy", counts.busy),
        ("warn", counts.warn),
        ("bad", counts.bad),
        ("stale", counts.stale),
        ("denied", counts.denied),
        ("unreachable", counts.unreachable),
    ]
}

/// Whoever cuts a text marks the cut with a sign that is not ASCII.
fn plain_cuts(buf: &mut Buffer) {
    for cell in buf.content.iter_mut().filter(|c| c.symbol() == "⋯") {
        cell.set_char('.');
    }
}
