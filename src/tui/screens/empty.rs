//! A screen with nothing on it.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::tui::{
    action::ActionId,
    screen::{Ctx, Effect, Scope, Screen, UpdateCtx},
    widgets::pane::Pane,
};

/// See the module.
#[derive(Debug)]
pub struct Empty {
    kind: &'static str,
    at: String,
    filter: String,
}

impl Empty {
    /// An empty screen of this kind.
    pub fn new(kind: &'static str, scope: &Scope) -> Self {
        Self { kind, at: scope.at.clone(), filter: scope.filter.clone() }
    }
}

impl Screen for Empty {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn crumbs(&self, _ctx: &Ctx<'_>) -> Vec<String> {
        [self.kind, &self.at].into_iter().filter(|s| !s.is_empty()).map(ToOwned::to_owned).collect()
    }

    fn summary(&self, _ctx: &Ctx<'_>) -> String {
        String::new()
    }

    fn actions(&self) -> &'static [ActionId] {
        &[]
    }

    fn act(&mut self, _action: ActionId, _ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        Vec::new()
    }

    fn on_data(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        false
    }

    fn filter(&self) -> Option<&str> {
        Some(&self.filter)
    }

    fn set_filter(&mut self, text: &str, _ctx: &mut UpdateCtx<'_>) {
        text.clone_into(&mut self.filter);
    }

    fn esc(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        let had = !self.filter.is_empty();
        self.filter.clear();
        had
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        Pane { number: Some(1), title: self.kind.into(), focused: ctx.focused, ..Pane::default() }.draw(area, buf, ctx);
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        None
    }
}
