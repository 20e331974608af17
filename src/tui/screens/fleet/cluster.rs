//! One cluster's record as a screen of its own: the whole width, searchable, and the way to its objects.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{copy, copy_items, detail, log_in, no_log_in, open_matrix, reconnect};
use crate::{
    fleet::inventory,
    messages::{Lang, clean_line, common, fleet as m},
    model::{Builtin, ClusterId},
    tui::{
        action::ActionId,
        screen::{Choice, Ctx, Effect, Menu, MenuItem, Scope, Screen, ScreenState, UpdateCtx},
        screens::{doc_view::DocView, faces, text::Text},
        theme::Role,
        widgets::pane::Pane,
    },
};

/// See the module.
#[derive(Debug)]
pub struct ClusterScreen {
    id: ClusterId,
    name: String,
    environment: String,
    view: DocView,
}

impl ClusterScreen {
    /// The record of this cluster.
    pub fn new(id: ClusterId) -> Self {
        Self { id, name: String::new(), environment: String::new(), view: DocView::default() }
    }

    fn copy_menu(&self, ctx: &UpdateCtx<'_>) -> Option<Menu> {
        let row = inventory::cluster_row(ctx.store, self.id, ctx.now)?;
        let mut items = copy_items(&row, ctx.lang);
        items.push(copy('d', m::COPY_DETAIL.text(ctx.lang), self.view.text()));
        Some(Menu::new("copy", m::COPY_TITLE.text(ctx.lang), items))
    }

    /// What can be opened of this cluster: its kinds, with how many objects each has.
    fn kinds_menu(&self, ctx: &UpdateCtx<'_>) -> Option<Menu> {
        let name = ctx.store.shard(self.id)?.record.name.to_string();
        let kinds = [
            (Builtin::Pod, 'p'),
            (Builtin::Node, 'n'),
            (Builtin::Deployment, 'd'),
            (Builtin::StatefulSet, 's'),
            (Builtin::DaemonSet, 'a'),
            (Builtin::Job, 'b'),
            (Builtin::CronJob, 'c'),
            (Builtin::Event, 'e'),
            (Builtin::Service, 'v'),
            (Builtin::ConfigMap, 'm'),
            (Builtin::Namespace, 'w'),
        ];
        let items = kinds
            .into_iter()
            .map(|(kind, key)| {
                let info = kind.info();
                let command = format!("{} \"@{}\"", info.plural, name.replace('"', ""));
                let mut item = MenuItem::new(Some(key), info.plural, Choice::Command(command));
                item.hint = ctx.store.count(self.id, kind.id()).to_string();
                item
            })
            .collect();
        Some(Menu::new("kinds", clean_line(&name), items))
    }

    fn build(&mut self, cells: usize, ctx: &Ctx<'_>) -> bool {
        let Some(row) = inventory::cluster_row(ctx.store, self.id, ctx.now) else { return false };
        self.name = clean_line(&row.record.name).into_owned();
        self.environment = environment(row.environment.value.as_deref(), ctx.lang);
        let look = detail::Look { store: ctx.store, lang: ctx.lang, glyphs: ctx.glyphs, now: ctx.now };
        self.view.set(detail::lines(&row, look, cells));
        true
    }
}

fn environment(value: Option<&str>, lang: Lang) -> String {
    value.filter(|v| !v.is_empty()).map_or(common::UNKNOWN.text(lang).into(), |v| clean_line(v).into_owned())
}

impl Screen for ClusterScreen {
    fn kind(&self) -> &'static str {
        "cluster"
    }

    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String> {
        let name = ctx.store.shard(self.id).map(|s| clean_line(&s.record.name).into_owned()).unwrap_or_default();
        vec![m::TITLE.text(ctx.lang).to_owned(), name]
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        if !self.view.searched().is_empty() {
            let (at, of) = self.view.hits();
            return format!("{}  {at}/{of}", self.view.searched());
        }
        ctx.store
            .shard(self.id)
            .map(|s| super::words::state_word(&s.condition, ctx.lang).into_owned())
            .unwrap_or_default()
    }

    fn actions(&self) -> &'static [ActionId] {
        use ActionId as A;
        &[A::Open, A::Matrix, A::Refresh, A::LogIn, A::Copy, A::Save, A::NextHit, A::PreviousHit]
    }

    fn disabled(&self, action: ActionId, ctx: &Ctx<'_>) -> Option<String> {
        if action == ActionId::LogIn { no_log_in(ctx.store, self.id, ctx.lang) } else { None }
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match action {
            ActionId::Open => self.kinds_menu(ctx).map(Effect::Menu).into_iter().collect(),
            ActionId::Matrix => open_matrix(vec![self.id], &Scope::default(), ctx),
            ActionId::Refresh => reconnect(&[self.id], ctx),
            ActionId::LogIn => log_in(ctx.store, self.id),
            ActionId::Copy => self.copy_menu(ctx).map(Effect::Menu).into_iter().collect(),
            ActionId::Save => vec![Effect::Save { name: format!("{}.txt", self.name), text: self.view.text() }],
            other => {
                self.view.act(other);
                Vec::new()
            }
        }
    }

    fn text(&mut self) -> Option<&mut dyn Text> {
        Some(&mut self.view)
    }

    fn on_data(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        false
    }

    fn filter(&self) -> Option<&str> {
        None
    }

    fn search(&mut self, text: &str, _ctx: &mut UpdateCtx<'_>) {
        self.view.search(text);
    }

    fn searches(&self) -> bool {
        true
    }

    fn esc(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        let searched = !self.view.searched().is_empty();
        self.view.search("");
        searched
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let margin = u16::from(Pane::bordered(ctx));
        let there = self.build(usize::from(area.width.saturating_sub(4 * margin).min(120)), ctx);
        let (at, of) = self.view.position();
        let pane = Pane {
            number: Some(1),
            title: format!("{}  {}", self.name, self.environment).into(),
            title_right: format!("{at}/{of}").into(),
            focused: ctx.focused,
            ..Pane::default()
        };
        let inside = pane.draw(area, buf, ctx);
        if there {
            let inside = Rect { x: inside.x + margin, width: inside.width.saturating_sub(2 * margin), ..inside };
            self.view.draw(inside, buf, ctx);
        } else {
            faces::draw(inside, buf, ctx, &[(m::CLUSTER_GONE.text(ctx.lang).to_owned(), Role::Text)]);
        }
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        let area = self.view.area();
        (!area.is_empty()).then_some((area.x, area.y))
    }

    fn state(&self) -> ScreenState {
        ScreenState { cursor: self.name.clone(), ..ScreenState::default() }
    }
}
