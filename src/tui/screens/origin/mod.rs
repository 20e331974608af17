//! Where from: an object as it should be in one cluster, line by line, and who put each line there. Enter opens the file.

mod draw;
mod lines;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use lines::Line;
use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    desired::{
        engine::{Desired, Placed, Service},
        explain::{self, Deed, Story},
        mask,
        object::{Object, ObjectKey},
        origin::At,
        path::Path,
        tree::Node,
    },
    messages::{Lang, clean_line, desired as m, objects as o, tui as t},
    situation::save,
    tui::{
        action::ActionId,
        screen::{Choice, Ctx, Effect, Menu, MenuItem, MouseAct, Notice, Screen, ScreenState, UpdateCtx},
    },
};

/// Lines that one step of the wheel scrolls.
const WHEEL: isize = 3;

/// See the module.
#[derive(Debug, Default)]
pub struct OriginScreen {
    namespace: Arc<str>,
    service: Arc<str>,
    key: ObjectKey,
    cluster: Arc<str>,
    object: Option<Arc<Object>>,
    /// Clusters that have the object, in the order of the fleet.
    clusters: Vec<Arc<str>>,
    desired: Option<Arc<Desired>>,
    lines: Vec<Line>,
    /// Field to begin on.
    field: Option<Path>,
    cursor: usize,
    top: usize,
    page: usize,
    drawn: Rect,
    search: String,
    /// The object is no longer wanted there; the last lines stay.
    gone: bool,
}

impl OriginScreen {
    /// An object of a service in a cluster.
    pub fn new(service: &Service, key: &ObjectKey, cluster: &Arc<str>) -> Self {
        Self {
            namespace: service.namespace.clone(),
            service: service.name.clone(),
            key: key.clone(),
            cluster: cluster.clone(),
            ..Self::default()
        }
    }

    /// The same with the cursor on a field.
    #[must_use]
    pub fn at_field(mut self, path: Path) -> Self {
        self.field = Some(path);
        self
    }

    fn look(&mut self, ctx: &UpdateCtx<'_>) {
        let Some(picture) = ctx.desired else {
            self.gone = self.object.is_some();
            return;
        };
        let same = self.desired.as_ref().is_some_and(|d| Arc::ptr_eq(d, &picture.desired));
        if !same {
            self.desired = Some(picture.desired.clone());
            self.take();
        }
    }

    /// Takes the object of the cluster from desired state; the cursor stays on its field.
    fn take(&mut self) {
        let Some(desired) = self.desired.clone() else { return };
        let placed = self.placed(&desired);
        let mut numbers: Vec<u32> = placed.iter().flat_map(|p| p.objects.iter().map(|(at, _)| *at)).collect();
        numbers.sort_unstable();
        let name = |at: u32| desired.inputs.clusters.get(usize::try_from(at).ok()?).map(|c| c.name.clone());
        self.clusters = numbers.into_iter().filter_map(name).collect();
        let number = desired.cluster(&self.cluster);
        let object = number.and_then(|n| placed.iter().find_map(|p| p.object(n))).cloned();
        self.gone = object.is_none() && self.object.is_some();
        let Some(object) = object else { return };
        let field = self.field.take().or_else(|| self.line().map(|l| l.path.clone()));
        self.lines = lines::lines(&object);
        self.object = Some(object);
        let at = field.and_then(|path| nearest(&self.lines, path));
        self.cursor = at.unwrap_or(self.cursor).min(self.lines.len().saturating_sub(1));
    }

    /// The object as each source of the service has it.
    fn placed<'d>(&self, desired: &'d Desired) -> Vec<&'d Arc<Placed>> {
        let outcome = desired.outcome(&self.namespace, &self.service);
        outcome.into_iter().flat_map(|o| &o.placed).filter(|p| p.key == self.key).collect()
    }

    fn line(&self) -> Option<&Line> {
        self.lines.get(self.cursor)
    }

    fn story(&self) -> Option<Story> {
        explain::field(self.object.as_ref()?, &self.line()?.path)
    }

    /// The place that counts for the line under the cursor.
    fn place(&self) -> Option<At> {
        let line = self.line()?;
        line.origin.at().or_else(|| self.story()?.place().cloned())
    }

    fn edit(&self, lang: Lang) -> Effect {
        match self.place() {
            Some(at) => Effect::Edit(at),
            None => Effect::Notice(Notice::info(m::E_NO_PLACE.text(lang))),
        }
    }

    /// Shows the same field in another cluster that has the object.
    fn step_cluster(&mut self, by: isize) {
        let Some(at) = self.clusters.iter().position(|c| *c == self.cluster) else { return };
        let to = at.saturating_add_signed(by).min(self.clusters.len().saturating_sub(1));
        if let Some(cluster) = self.clusters.get(to).cloned()
            && to != at
        {
            self.cluster = cluster;
            self.take();
        }
    }

    fn move_by(&mut self, by: isize) {
        self.cursor = self.cursor.saturating_add_signed(by).min(self.lines.len().saturating_sub(1));
    }

    /// Lines that hold what is searched for; case counts only where the text has capitals.
    fn hits(&self) -> Vec<usize> {
        if self.search.is_empty() {
            return Vec::new();
        }
        let exact = self.search.chars().any(char::is_uppercase);
        let holds = |l: &Line| {
            if exact { l.text.contains(&self.search) } else { l.text.to_lowercase().contains(&self.search) }
        };
        self.lines.iter().enumerate().filter(|(_, l)| holds(l)).map(|(at, _)| at).collect()
    }

    fn go_to_hit(&mut self, forward: bool) {
        let hits = self.hits();
        let next = if forward {
            hits.iter().find(|at| **at > self.cursor).or(hits.first())
        } else {
            hits.iter().rev().find(|at| **at < self.cursor).or(hits.last())
        };
        if let Some(at) = next {
            self.cursor = *at;
        }
    }

    fn yaml(&self) -> String {
        self.lines.iter().filter(|l| !l.removed).map(|l| format!("{}\n", l.text)).collect()
    }

    /// What the overrides make of the object here, as a situation; the YAML alone while that cannot be told.
    fn save(&self, ctx: &UpdateCtx<'_>) -> Effect {
        let name = format!("{}-{}.yaml", self.key.name, self.cluster);
        let situation = ctx.desired.and_then(|picture| {
            let desired = &picture.desired;
            let outcome = desired.outcome(&self.namespace, &self.service)?;
            let number = desired.cluster(&self.cluster)?;
            let here = |p: &&Arc<Placed>| p.key == self.key && p.object(number).is_some();
            save::overrides(desired, outcome.placed.iter().find(here)?, number, &picture.documents)
        });
        Effect::Save { name, text: situation.unwrap_or_else(|| self.yaml()) }
    }

    fn copy_menu(&self, lang: Lang) -> Option<Menu> {
        let line = self.line()?;
        let copy = |key: char, what: &str, text: String| {
            MenuItem::new(Some(key), what, Choice::Copy(clean_line(&text).into_owned(), what.to_owned()))
        };
        let mut items = vec![
            copy('f', m::D_COPY_FIELD.text(lang), line.path.to_string()),
            copy('l', m::O_COPY_LINE.text(lang), line.text.trim().to_owned()),
        ];
        items.extend(self.place().map(|at| copy('p', m::P_COPY_PLACE.text(lang), at.to_string())));
        let what = o::COPY_YAML.text(lang);
        items.push(MenuItem::new(Some('y'), what, Choice::Copy(self.yaml(), what.to_owned())));
        Some(Menu::new("copy", o::COPY_TITLE.text(lang), items))
    }
}

/// The line of a path, or of the nearest container that there still is.
fn nearest(lines: &[Line], mut path: Path) -> Option<usize> {
    loop {
        if let Some(at) = lines.iter().position(|l| l.path == path) {
            return Some(at);
        }
        // A list or map without a line of its own is found by what is in it.
        if let Some(at) = lines.iter().position(|l| l.path.0.starts_with(&path.0) && !path.0.is_empty()) {
            return Some(at);
        }
        path.0.pop()?;
    }
}

/// What a rule did, in words; values that are secret are not told.
fn deed(deed: &Deed, masked: bool, lang: Lang) -> String {
    let value = |node: &Node| -> String {
        if masked { mask::MASK.to_owned() } else { clean_line(&node.to_json().to_string()).into_owned() }
    };
    match deed {
        Deed::Created => m::O_CREATED.text(lang).to_owned(),
        Deed::Replaced(old) => m::O_REPLACED.fill(lang, &[("value", &value(old))]),
        Deed::Removed(old) => m::O_REMOVED.fill(lang, &[("value", &value(old))]),
    }
}

impl Screen for OriginScreen {
    fn kind(&self) -> &'static str {
        "origin"
    }

    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String> {
        let object = format!("{} @ {}", self.key, self.cluster);
        vec![
            m::O_TITLE.text(ctx.lang).to_owned(),
            clean_line(&self.service).into_owned(),
            clean_line(&object).into_owned(),
        ]
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        let hits = self.hits();
        if !self.search.is_empty() {
            let at = hits.iter().position(|h| *h == self.cursor).map_or(0, |n| n + 1);
            let values = [("text", clean_line(&self.search).into_owned()), ("n", at.to_string())];
            let total = hits.len().to_string();
            let mut values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
            values.push(("total", &total));
            return t::HITS.fill(ctx.lang, &values);
        }
        let at = self.clusters.iter().position(|c| *c == self.cluster).map_or(0, |n| n + 1);
        m::O_SUMMARY.fill(ctx.lang, &[("n", &at.to_string()), ("total", &self.clusters.len().to_string())])
    }

    fn actions(&self) -> &'static [ActionId] {
        use ActionId as A;
        &[A::Open, A::Edit, A::CellLeft, A::CellRight, A::Copy, A::SaveSituation, A::NextHit, A::PreviousHit]
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let page = isize::try_from(self.page.max(1)).unwrap_or(1);
        match action {
            ActionId::Open | ActionId::Edit => return vec![self.edit(ctx.lang)],
            ActionId::Copy => return self.copy_menu(ctx.lang).map(Effect::Menu).into_iter().collect(),
            ActionId::SaveSituation => return vec![self.save(ctx)],
            ActionId::CellLeft | ActionId::Left => self.step_cluster(-1),
            ActionId::CellRight | ActionId::Right => self.step_cluster(1),
            ActionId::Down => self.move_by(1),
            ActionId::Up => self.move_by(-1),
            ActionId::Top => self.cursor = 0,
            ActionId::Bottom => self.move_by(isize::MAX),
            ActionId::HalfDown => self.move_by(page / 2),
            ActionId::HalfUp => self.move_by(-page / 2),
            ActionId::PageDown => self.move_by(page),
            ActionId::PageUp => self.move_by(-page),
            ActionId::NextHit => self.go_to_hit(true),
            ActionId::PreviousHit => self.go_to_hit(false),
            _ => {}
        }
        Vec::new()
    }

    fn mouse(&mut self, at: (u16, u16), what: MouseAct, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match what {
            MouseAct::Wheel(steps) => self.move_by(isize::from(steps) * WHEEL),
            MouseAct::Click | MouseAct::DoubleClick if self.drawn.contains(at.into()) => {
                let line = self.top + usize::from(at.1 - self.drawn.y);
                if line < self.lines.len() {
                    self.cursor = line;
                    if what == MouseAct::DoubleClick {
                        return vec![self.edit(ctx.lang)];
                    }
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn on_data(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        self.look(ctx);
        false
    }

    fn filter(&self) -> Option<&str> {
        Some(&self.search)
    }

    fn search(&mut self, text: &str, _ctx: &mut UpdateCtx<'_>) {
        text.clone_into(&mut self.search);
        let hits = self.hits();
        if let Some(at) = hits.iter().find(|at| **at >= self.cursor).or(hits.first()) {
            self.cursor = *at;
        }
    }

    fn searches(&self) -> bool {
        true
    }

    fn esc(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        !std::mem::take(&mut self.search).is_empty()
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.render(area, buf, ctx);
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        let row = u16::try_from(self.cursor.checked_sub(self.top)?).ok()?;
        (row < self.drawn.height && !self.lines.is_empty()).then(|| (self.drawn.x, self.drawn.y + row))
    }

    fn state(&self) -> ScreenState {
        ScreenState::default()
    }

    fn ticks(&self) -> bool {
        false
    }
}
