//! How the origin of an object looks: YAML at the left, who set each line at the right, and below them the story of the field
//! under the cursor.

use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use super::{Line, OriginScreen, deed};
use crate::{
    desired::{
        mask,
        origin::{At, Origin},
    },
    messages::{Lang, clean_line, cut_end, cut_middle, desired as m, width},
    tui::{
        action::ActionId,
        glyphs::Glyphs,
        screen::Ctx,
        screens::{
            doc::{Doc, Line as Text, Span},
            doc_view, faces, placement, words,
        },
        theme::Role,
        widgets::{pane::Pane, put},
    },
};

impl OriginScreen {
    /// Draws the lines and the story.
    pub(super) fn render(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.drawn = Rect::default();
        if area.is_empty() {
            return;
        }
        let at = if self.lines.is_empty() { 0 } else { self.cursor + 1 };
        let pane = Pane {
            number: Some(1),
            title: clean_line(&format!("{} @ {}", self.key, self.cluster)).into_owned().into(),
            title_right: format!("{at}/{}", self.lines.len()).into(),
            focused: ctx.focused,
            ..Pane::default()
        };
        let mut inside = pane.draw(area, buf, ctx);
        if self.lines.is_empty() {
            faces::draw(inside, buf, ctx, &self.face(ctx));
            return;
        }
        if self.gone && inside.height > 3 {
            let text = m::O_GONE.fill(ctx.lang, &[("cluster", &clean_line(&self.cluster))]);
            put(buf, inside.x + 1, inside.y, &text, inside.width.saturating_sub(1), ctx.theme.style(Role::Warn));
            inside = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
        }
        let below = match inside.height {
            0..8 => 0,
            8..14 => 3,
            h => (h / 3).clamp(5, 10),
        };
        let body = Rect { height: inside.height - below, ..inside };
        self.draw_lines(body, buf, ctx);
        self.draw_story(Rect { y: body.bottom(), height: below, ..inside }, buf, ctx);
    }

    fn draw_lines(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.drawn = area;
        self.page = usize::from(area.height);
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(self.page.max(1)));
        self.top = self.top.min(self.lines.len().saturating_sub(self.page));
        // Below 50 cells there is no room for both: the story tells where the line is from.
        let gutter = if area.width < 50 { 0 } else { (area.width * 2 / 5).clamp(20, 60) };
        let room = area.width.saturating_sub(gutter + 2);
        let mut before: Option<At> = None;
        for (i, line) in self.lines.iter().enumerate().skip(self.top).take(self.page) {
            let y = area.y + u16::try_from(i - self.top).unwrap_or(0);
            let row = Rect { y, height: 1, ..area };
            let selected = i == self.cursor;
            let dress = |role: Role| {
                let style = ctx.theme.style(role);
                if selected { ctx.theme.selected(style, ctx.focused) } else { style }
            };
            buf.set_style(row, dress(Role::Text));
            let sign = match (selected, line.removed) {
                (_, true) => "-",
                (true, false) => ctx.glyphs.selected,
                (false, false) => " ",
            };
            put(buf, row.x, y, sign, 1, dress(if line.removed { Role::Removed } else { Role::Accent }));
            self.draw_text(line, (row.x + 1, y, room), buf, ctx, &dress);
            let at = line.origin.at();
            if gutter > 0 {
                let (text, role) = gutter_text(line, before.as_ref(), ctx.glyphs, usize::from(gutter));
                let text = words::fit_cut(&text, ctx.glyphs).into_owned();
                put(buf, area.right() - gutter, y, &text, gutter, dress(role));
            }
            before = at;
        }
    }

    fn draw_text(
        &self,
        line: &Line,
        (x, y, room): (u16, u16, u16),
        buf: &mut Buffer,
        ctx: &Ctx<'_>,
        dress: &dyn Fn(Role) -> ratatui::style::Style,
    ) {
        let text = cut_end(&line.text, usize::from(room));
        let text = words::fit_cut(&text, ctx.glyphs).into_owned();
        if line.removed {
            put(buf, x, y, &text, room, dress(Role::Removed).add_modifier(Modifier::CROSSED_OUT));
            return;
        }
        let key = key_end(&text);
        let used = put(buf, x, y, &text[..key], room, dress(Role::Accent));
        put(buf, x + used, y, &text[key..], room.saturating_sub(used), dress(Role::Text));
        if !self.search.is_empty()
            && let Some(at) = find(&text, &self.search)
        {
            let before = u16::try_from(width(&text[..at])).unwrap_or(u16::MAX);
            let hit = &text[at..at + self.search.len()];
            put(buf, x.saturating_add(before), y, hit, room.saturating_sub(before), dress(Role::Mark));
        }
    }

    fn draw_story(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        doc_view::foot(area, buf, ctx, |cells| self.tell(cells, ctx.lang, ctx.glyphs));
    }

    /// The story of the field under the cursor: the last writer first.
    pub(super) fn tell(&self, cells: usize, lang: Lang, glyphs: &Glyphs) -> Vec<Text> {
        let (Some(line), Some(object)) = (self.line(), &self.object) else { return Vec::new() };
        let mut doc = Doc::new(cells, 0, glyphs.lines.0);
        let path = clean_line(&line.path.to_string()).into_owned();
        let key = words::key(ActionId::Open);
        doc.line(
            vec![
                Span::bold(path, Role::Title),
                Span::new(format!("   {}", m::O_OPENS.fill(lang, &[("key", key)])), Role::Muted),
            ],
            None,
        );
        let Some(story) = self.story() else { return doc.into_lines() };
        let masked = mask::is_secret(&object.key, &line.path);
        for chapter in &story.changes {
            let rule = &chapter.rule;
            let text = format!("{}  {rule}: {}", rule.at, deed(&chapter.deed, masked, lang));
            doc.item(glyphs.differs, Role::Changed, &text, Role::Text);
        }
        match &story.written {
            Some(at) => {
                let kind = words::source_kind(at.source.kind, lang);
                let text = m::O_WRITTEN.fill(lang, &[("place", &clean_line(&at.to_string())), ("kind", kind)]);
                doc.item(" ", Role::Muted, &text, Role::Text);
            }
            None if story.changes.is_empty() => {
                doc.item(glyphs.unknown, Role::Unknown, m::D_UNKNOWN.text(lang), Role::Text)
            }
            None => {}
        }
        doc.into_lines()
    }

    fn face(&self, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        if ctx.desired.is_none() {
            return placement::undeclared(ctx);
        }
        let key = self.key.to_string();
        let values = [("object", clean_line(&key)), ("cluster", clean_line(&self.cluster))];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, &**v)).collect();
        vec![(m::P_NOT_THERE.fill(ctx.lang, &values), Role::Text)]
    }
}

/// Who set a line: `file:line`, only `:line` where the file is that of the line above.
fn gutter_text(line: &Line, before: Option<&At>, glyphs: &Glyphs, cells: usize) -> (String, Role) {
    let changed = matches!(line.origin, Origin::Changed(_));
    let role = if line.removed {
        Role::Removed
    } else if changed {
        Role::Changed
    } else {
        Role::Muted
    };
    let mark = if changed { glyphs.differs } else { " " };
    let Some(at) = line.origin.at() else { return (glyphs.unknown.to_owned(), Role::Unknown) };
    let place = match before {
        Some(before) if before.source == at.source && at.line > 0 => {
            // The number stays in its place, so that the eye can run down.
            let file = width(&clean_line(&at.source.file)).min(cells.saturating_sub(8));
            format!("{}:{}", " ".repeat(file), at.line)
        }
        _ => at.to_string(),
    };
    let text = clean_line(&place).into_owned();
    (format!("{mark} {}", cut_middle(&text, cells.saturating_sub(2))), role)
}

/// Where the key of a line ends: behind its colon.
fn key_end(text: &str) -> usize {
    text.find(": ").map(|at| at + 1).or_else(|| text.ends_with(':').then_some(text.len())).unwrap_or_default()
}

/// Where a text is found; case counts only where it has capitals. Only ASCII case is folded, so that bytes stay in place.
fn find(text: &str, search: &str) -> Option<usize> {
    if search.chars().any(char::is_uppercase) {
        return text.find(search);
    }
    text.to_ascii_lowercase().find(&search.to_ascii_lowercase())
}
