//! A screen that shows a text: help, notices, the log, a folder of words. `/` searches.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    messages::tui as m,
    tui::{
        action::ActionId,
        screen::{Ctx, Effect, Screen, ScreenState, UpdateCtx},
        screens::text::Text,
        widgets::{
            pane::Pane,
            text_view::{Syntax, TextView},
        },
    },
};

/// See the module.
#[derive(Debug)]
pub struct Document {
    kind: &'static str,
    title: String,
    view: TextView,
}

impl Document {
    /// A text under a title. Headings are lines without indent.
    pub fn new(kind: &'static str, title: impl Into<String>, text: &str) -> Self {
        let mut view = TextView::new(text, if kind == "help" { Syntax::Details } else { Syntax::Plain });
        view.wrap = true;
        Self { kind, title: title.into(), view }
    }

    /// Scrolls to the last line.
    pub fn to_end(&mut self) {
        self.view.set_top(self.view.len().saturating_sub(10));
    }
}

impl Screen for Document {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn crumbs(&self, _ctx: &Ctx<'_>) -> Vec<String> {
        vec![self.title.clone()]
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        let (at, of) = self.view.hits();
        if self.view.searched().is_empty() {
            return m::LINES
                .fill(ctx.lang, &[("n", &self.view.position().to_string()), ("total", &self.view.len().to_string())]);
        }
        m::HITS.fill(ctx.lang, &[("text", self.view.searched()), ("n", &at.to_string()), ("total", &of.to_string())])
    }

    fn actions(&self) -> &'static [ActionId] {
        &[
            ActionId::NextHit,
            ActionId::PreviousHit,
            ActionId::Wrap,
            ActionId::LineNumbers,
            ActionId::Copy,
            ActionId::Save,
        ]
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match action {
            ActionId::Copy => {
                let what = m::COPIED_LINES.fill(ctx.lang, &[("n", &self.view.len().to_string())]);
                return vec![Effect::Copy { text: self.view.text(), what }];
            }
            ActionId::Save => {
                return vec![Effect::Save { name: format!("quarterdeck-{}.txt", self.kind), text: self.view.text() }];
            }
            _ => self.view.act(action),
        };
        Vec::new()
    }

    fn text(&mut self) -> Option<&mut dyn Text> {
        Some(&mut self.view)
    }

    fn on_data(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        false
    }

    fn filter(&self) -> Option<&str> {
        Some(self.view.searched())
    }

    fn search(&mut self, text: &str, _ctx: &mut UpdateCtx<'_>) {
        self.view.search(text);
    }

    fn searches(&self) -> bool {
        true
    }

    fn esc(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        let had = !self.view.searched().is_empty();
        self.view.search("");
        had
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let pane = Pane { title: self.title.as_str().into(), focused: ctx.focused, ..Pane::default() };
        let inside = pane.draw(area, buf, ctx);
        let air = u16::from(inside.width > 40);
        self.view.draw(Rect { x: inside.x + air, width: inside.width.saturating_sub(2 * air), ..inside }, buf, ctx);
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        let area = self.view.area();
        (!area.is_empty()).then_some((area.x, area.y))
    }

    fn state(&self) -> ScreenState {
        ScreenState { cursor: self.view.top().to_string(), ..ScreenState::default() }
    }

    fn ticks(&self) -> bool {
        false
    }
}
