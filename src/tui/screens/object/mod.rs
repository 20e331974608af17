//! One object of one cluster: its YAML, fetched fresh from that cluster, or its detail from the cache. The object keeps its
//! cluster whatever happens to contexts elsewhere.

mod detail;
#[cfg(test)]
mod tests;
mod yaml;

pub(super) use detail::managed_text;

use ratatui::{buffer::Buffer, layout::Rect};

use super::{doc_view::DocView, faces, objects::kubectl_get, text::Text, words};
use crate::{
    fleet::Store,
    messages::{Lang, clean_line, live, objects as m},
    model::{Builtin, Cause, Millis, ObjectRef, utc_text},
    tui::{
        action::ActionId,
        screen::{Choice, Ctx, Effect, Menu, MenuItem, Notice, Screen, ScreenState, UpdateCtx},
        theme::Role,
        widgets::{
            pane::Pane,
            text_view::{Syntax, TextView},
        },
    },
};

/// What is shown of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Detail,
    Yaml,
}

/// The object as its server has it.
#[derive(Debug)]
enum Fetch {
    /// Not asked for.
    No,
    /// Asked; the answer is on its way.
    Waiting(Millis),
    /// Read at that moment.
    Read(Millis),
    /// It could not be read.
    Failed(Box<Cause>),
}

/// See the module.
#[derive(Debug)]
pub struct ObjectScreen {
    object: ObjectRef,
    mode: Mode,
    detail: DocView,
    yaml: TextView,
    fetch: Fetch,
    /// The last fetch that was asked for; late answers of earlier ones are dropped.
    generation: u64,
    managed_fields: bool,
    /// When the row was last seen, once it is gone.
    last_seen: Option<Millis>,
}

impl ObjectScreen {
    fn new(object: ObjectRef, mode: Mode) -> Self {
        Self {
            object,
            mode,
            detail: DocView::default(),
            yaml: TextView::new("", Syntax::Yaml),
            fetch: Fetch::No,
            generation: 0,
            managed_fields: false,
            last_seen: None,
        }
    }

    /// Its detail, from the cache.
    pub fn detail(object: ObjectRef) -> Self {
        Self::new(object, Mode::Detail)
    }

    /// Its YAML: the effects open the screen and fetch the object from its own cluster.
    pub fn open_yaml(object: ObjectRef, now: Millis) -> Vec<Effect> {
        let mut screen = Self::new(object, Mode::Yaml);
        let fetch = screen.fetch(now);
        vec![Effect::Open(Box::new(screen)), fetch]
    }

    fn fetch(&mut self, now: Millis) -> Effect {
        self.generation += 1;
        self.fetch = Fetch::Waiting(now);
        Effect::FetchObject {
            object: self.object.clone(),
            managed_fields: self.managed_fields,
            generation: self.generation,
        }
    }

    fn is_secret(&self) -> bool {
        self.object.kind == Builtin::Secret.id()
    }

    fn cluster_name(&self, store: &Store) -> String {
        store.shard(self.object.cluster).map(|s| clean_line(&s.record.name).into_owned()).unwrap_or_default()
    }

    /// `Pod shop/web-1 @ eu-west-1-prod-a  prod`: kind, name, cluster and environment, always together.
    fn title(&self, store: &Store) -> String {
        let kind = store.kinds().info(self.object.kind).map(|k| k.kind.clone()).unwrap_or_default();
        let environment = store.shard(self.object.cluster).map(|s| s.record.environment.clone()).unwrap_or_default();
        let name = match self.object.namespace.as_str() {
            "" => self.object.name.clone(),
            ns => format!("{ns}/{}", self.object.name),
        };
        let title = format!("{kind} {name} @ {}  {environment}", self.cluster_name(store));
        clean_line(title.trim_end()).into_owned()
    }

    fn copy_menu(&self, store: &Store, lang: Lang) -> Menu {
        let item =
            |key: char, what: &str, text: String| MenuItem::new(Some(key), what, Choice::Copy(text, what.to_owned()));
        let mut items = vec![item('n', m::COPY_NAME.text(lang), self.object.name.clone())];
        if let Some(command) = kubectl_get(store, &self.object) {
            items.push(item('k', m::COPY_KUBECTL.text(lang), command));
        }
        match self.mode {
            Mode::Yaml if !self.yaml.is_empty() => items.push(item('y', m::COPY_YAML.text(lang), self.yaml.text())),
            Mode::Yaml => {}
            Mode::Detail => items.push(item('d', m::COPY_DETAIL.text(lang), self.detail.text())),
        }
        Menu::new("copy", m::COPY_TITLE.text(lang), items)
    }

    /// Owners from the nearest up, then pods: what Enter can open.
    fn targets(&self, store: &Store) -> Vec<ObjectRef> {
        let mut out = detail::owners(store, &self.object);
        out.extend(detail::pods(store, &self.object).into_iter().filter_map(|at| store.object_ref(at)).take(20));
        out
    }

    fn open_menu(&self, ctx: &UpdateCtx<'_>) -> Vec<Effect> {
        let targets = self.targets(ctx.store);
        match targets.as_slice() {
            [] => vec![Effect::Notice(Notice::info(m::NO_OWNER.text(ctx.lang)))],
            [one] => vec![Effect::Open(Box::new(Self::detail(one.clone())))],
            many => {
                let items = many
                    .iter()
                    .enumerate()
                    .map(|(i, object)| {
                        let kind = ctx.store.kinds().info(object.kind).map(|k| k.kind.clone()).unwrap_or_default();
                        let text = format!("{kind} {}", clean_line(&object.name));
                        MenuItem::new(None, text, Choice::Pick(i.to_string()))
                    })
                    .collect();
                vec![Effect::Menu(Menu::new("targets", self.title(ctx.store), items))]
            }
        }
    }

    fn build_detail(&mut self, cells: usize, ctx: &Ctx<'_>) {
        let lines = detail::lines(&self.object, ctx, cells);
        match lines {
            Some(lines) => {
                self.last_seen = Some(ctx.now);
                self.detail.set(lines);
            }
            // The last lines stay on the screen: the title says that the object is gone.
            None if self.last_seen.is_none() => self.last_seen = Some(Millis(0)),
            None => {}
        }
    }

    fn is_gone(&self, store: &Store) -> bool {
        store.find(&self.object).is_none()
    }

    /// What must be said above the text: the object is gone, its data old, or Secret values are masked.
    fn warnings(&self, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        let mut out = Vec::new();
        if let Some(shard) = ctx.store.shard(self.object.cluster) {
            let old = ctx.store.find(&self.object).is_some_and(|at| ctx.store.is_stale(at));
            if old && self.mode == Mode::Detail {
                let state = words::state_word(&shard.condition, ctx.lang);
                let values = [("cluster", &*clean_line(&shard.record.name)), ("state", &*state)];
                out.push((m::OBJECT_OLD.fill(ctx.lang, &values), Role::Warn));
            } else if let Some(at) = self.last_seen.filter(|at| at.0 > 0 && self.is_gone(ctx.store)) {
                out.push((m::OBJECT_GONE.fill(ctx.lang, &[("time", &utc_text(at))]), Role::Warn));
            }
        }
        if self.mode == Mode::Yaml && self.is_secret() && !self.yaml.is_empty() {
            out.push((m::SECRET_MASKED.text(ctx.lang).to_owned(), Role::Muted));
        }
        out
    }

    /// What stands in place of the YAML while there is none.
    fn yaml_face(&self, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        let (name, cluster) = (clean_line(&self.object.name), self.cluster_name(ctx.store));
        match &self.fetch {
            Fetch::Failed(cause) => {
                let key = words::key(ActionId::Refresh);
                let detail_key = words::key(ActionId::Describe);
                vec![
                    (m::FETCH_FAILED.fill(ctx.lang, &[("name", &name), ("cluster", &cluster)]), Role::Bad),
                    (live::cause_text(ctx.lang, cause), Role::Text),
                    (m::FETCH_RETRY.fill(ctx.lang, &[("key", key), ("detail_key", detail_key)]), Role::Muted),
                ]
            }
            Fetch::Waiting(since) => {
                let age = words::age_since(*since, ctx.now);
                let values = [("name", &*name), ("cluster", &*cluster), ("age", &*age)];
                vec![(m::FETCHING.fill(ctx.lang, &values), Role::Busy)]
            }
            Fetch::No | Fetch::Read(_) => Vec::new(),
        }
    }

    fn freshness(&self, ctx: &Ctx<'_>) -> String {
        match (&self.fetch, self.mode) {
            (Fetch::Read(at), Mode::Yaml) => {
                let key = words::key(ActionId::Refresh);
                let age = words::age_since(*at, ctx.now);
                format!(
                    "{}  {}",
                    m::FETCHED_AT.fill(ctx.lang, &[("time", &utc_text(*at))]),
                    m::FETCHED_AGE.fill(ctx.lang, &[("age", &age), ("key", key)])
                )
            }
            (Fetch::Failed(cause), Mode::Yaml) if !self.yaml.is_empty() => live::cause_text(ctx.lang, cause),
            _ => String::new(),
        }
    }
}

impl Screen for ObjectScreen {
    fn kind(&self) -> &'static str {
        "object"
    }

    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String> {
        let plural = ctx.store.kinds().info(self.object.kind).map(|k| k.plural.clone()).unwrap_or_default();
        let mode = if self.mode == Mode::Yaml { m::YAML } else { m::DETAIL };
        vec![plural, clean_line(&self.object.name).into_owned(), mode.text(ctx.lang).to_owned()]
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        let (text, (at, of)) = match self.mode {
            Mode::Detail => (self.detail.searched(), self.detail.hits()),
            Mode::Yaml => (self.yaml.searched(), self.yaml.hits()),
        };
        if text.is_empty() { self.freshness(ctx) } else { format!("{}  {at}/{of}", clean_line(text)) }
    }

    fn actions(&self) -> &'static [ActionId] {
        use ActionId as A;
        match self.mode {
            Mode::Detail => &[A::Open, A::Yaml, A::Copy, A::Save, A::NextHit, A::PreviousHit],
            Mode::Yaml => &[
                A::Describe,
                A::Refresh,
                A::Copy,
                A::Save,
                A::Wrap,
                A::LineNumbers,
                A::Toggle,
                A::NextHit,
                A::PreviousHit,
            ],
        }
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match action {
            ActionId::Open if self.mode == Mode::Detail => return self.open_menu(ctx),
            ActionId::Yaml if self.mode == Mode::Detail => {
                self.mode = Mode::Yaml;
                if matches!(self.fetch, Fetch::No) {
                    return vec![self.fetch(ctx.now)];
                }
            }
            ActionId::Describe => self.mode = Mode::Detail,
            ActionId::Refresh if self.mode == Mode::Yaml => return vec![self.fetch(ctx.now)],
            ActionId::Toggle if self.mode == Mode::Yaml => {
                self.managed_fields = !self.managed_fields;
                return vec![self.fetch(ctx.now)];
            }
            ActionId::Copy => return vec![Effect::Menu(self.copy_menu(ctx.store, ctx.lang))],
            ActionId::Save => {
                let (text, ending) = match self.mode {
                    Mode::Yaml => (self.yaml.text(), "yaml"),
                    Mode::Detail => (self.detail.text(), "txt"),
                };
                return vec![Effect::Save { name: format!("{}.{ending}", self.object.name), text }];
            }
            other => match self.mode {
                Mode::Detail => {
                    self.detail.act(other);
                }
                Mode::Yaml => {
                    self.yaml.act(other);
                }
            },
        }
        Vec::new()
    }

    fn text(&mut self) -> Option<&mut dyn Text> {
        match self.mode {
            Mode::Detail => Some(&mut self.detail),
            Mode::Yaml => Some(&mut self.yaml),
        }
    }

    fn on_data(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        false
    }

    fn filter(&self) -> Option<&str> {
        None
    }

    fn search(&mut self, text: &str, _ctx: &mut UpdateCtx<'_>) {
        match self.mode {
            Mode::Detail => self.detail.search(text),
            Mode::Yaml => self.yaml.search(text),
        }
    }

    fn searches(&self) -> bool {
        true
    }

    fn chosen(&mut self, menu: &str, choice: &str, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let target = choice.parse::<usize>().ok().and_then(|i| self.targets(ctx.store).into_iter().nth(i));
        match target {
            Some(object) if menu == "targets" => vec![Effect::Open(Box::new(Self::detail(object)))],
            _ => Vec::new(),
        }
    }

    fn esc(&mut self, _ctx: &mut UpdateCtx<'_>) -> bool {
        let searched = match self.mode {
            Mode::Detail => !self.detail.searched().is_empty(),
            Mode::Yaml => !self.yaml.searched().is_empty(),
        };
        self.detail.search("");
        self.yaml.search("");
        searched
    }

    fn fetched(
        &mut self,
        generation: u64,
        answer: Result<serde_json::Value, Cause>,
        ctx: &mut UpdateCtx<'_>,
    ) -> Vec<Effect> {
        if generation != self.generation {
            return Vec::new();
        }
        match answer {
            Ok(value) => {
                self.fetch = Fetch::Read(ctx.now);
                self.yaml.set_text(&yaml::text(value, self.is_secret(), ctx.lang));
            }
            Err(cause) => self.fetch = Fetch::Failed(Box::new(cause)),
        }
        Vec::new()
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let margin = u16::from(Pane::bordered(ctx));
        if self.mode == Mode::Detail {
            self.build_detail(usize::from(area.width.saturating_sub(4 * margin).min(120)), ctx);
        }
        let (at, of) = match self.mode {
            Mode::Detail => self.detail.position(),
            Mode::Yaml => (self.yaml.position(), self.yaml.len()),
        };
        let pane = Pane {
            number: Some(1),
            title: self.title(ctx.store).into(),
            title_right: if of > 0 { format!("{at}/{of}").into() } else { "".into() },
            focused: ctx.focused,
            ..Pane::default()
        };
        let inside = pane.draw(area, buf, ctx);
        let mut inside = Rect { x: inside.x + margin, width: inside.width.saturating_sub(2 * margin), ..inside };
        for (text, role) in self.warnings(ctx) {
            if inside.height < 4 {
                break;
            }
            crate::tui::widgets::put(buf, inside.x, inside.y, &text, inside.width, ctx.theme.style(role));
            inside = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
        }
        match self.mode {
            Mode::Detail if self.detail.position().1 == 0 => {
                faces::draw(inside, buf, ctx, &[(m::NOT_THERE.text(ctx.lang).to_owned(), Role::Text)]);
            }
            Mode::Detail => self.detail.draw(inside, buf, ctx),
            Mode::Yaml if self.yaml.is_empty() => faces::draw(inside, buf, ctx, &self.yaml_face(ctx)),
            Mode::Yaml => self.yaml.draw(inside, buf, ctx),
        }
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        let area = if self.mode == Mode::Detail { self.detail.area() } else { self.yaml.area() };
        (!area.is_empty()).then_some((area.x, area.y))
    }

    fn state(&self) -> ScreenState {
        ScreenState::default()
    }
}
