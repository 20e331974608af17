//! One kind merged over all chosen clusters: a virtual list that is usable while it loads. The cursor and the marks belong
//! to objects, not to row numbers.

mod coverage;
mod draw;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use ratatui::{buffer::Buffer, layout::Rect};

pub(super) use draw::freshness;

use super::{object::ObjectScreen, words};
use crate::{
    fleet::{
        RowRef, Store,
        filter::Filter,
        list::{self, ObjectList, Query, Sort},
    },
    live::Ask,
    messages::{Lang, clean_line, fleet as f, objects as m},
    model::{ClusterId, KindId, Millis, ObjectRef},
    tui::{
        action::ActionId,
        kept::Kept,
        screen::{Choice, Ctx, Effect, Menu, MenuItem, MouseAct, Scope, Screen, ScreenState, UpdateCtx},
        widgets::table::{Hit, TableState},
    },
};

/// Rows that are visited in one go when a list is filtered or sorted: a few milliseconds.
const BUDGET: usize = 20_000;

/// Rows that a copy or a file takes at most.
const MOST_SAVED: usize = 100_000;

/// See the module.
#[derive(Debug)]
pub struct ObjectsScreen {
    list: ObjectList,
    /// Clusters as typed; empty = all.
    at: String,
    table: TableState,
    /// The object under the cursor.
    selected: Option<(RowRef, ObjectRef)>,
    /// The person has moved: from then on the cursor stays with its object, before that at the top.
    moved: bool,
    marks: BTreeSet<RowRef>,
    anchor: Option<RowRef>,
    wide: bool,
    /// Columns hidden by the chooser.
    hidden: BTreeSet<String>,
    /// Columns in the chooser's order; empty = as they come.
    order: Vec<String>,
    /// The list works on a new order.
    busy: bool,
    /// Rows formatted in the last frame.
    formatted: usize,
}

impl ObjectsScreen {
    /// A list of some kinds on a part of the fleet.
    pub fn new(kinds: Vec<KindId>, scope: &Scope) -> Self {
        let query = Query {
            kinds,
            clusters: scope.clusters.clone(),
            namespace: scope.namespace.clone(),
            filter: Filter::parse(&scope.filter),
            ..Query::default()
        };
        Self {
            list: ObjectList::new(query),
            at: scope.at.clone(),
            table: TableState::default(),
            selected: None,
            moved: false,
            marks: BTreeSet::new(),
            anchor: None,
            wide: false,
            hidden: BTreeSet::new(),
            order: Vec::new(),
            busy: true,
            formatted: 0,
        }
    }

    /// Rows that were formatted for the last frame: what the list costs, whatever its length.
    pub fn formatted(&self) -> usize {
        self.formatted
    }

    /// The kind whose columns are shown.
    fn kind_shown(&self) -> KindId {
        self.list.query().kinds.first().copied().unwrap_or(KindId(0))
    }

    /// Plural of the kind, as the API has it.
    fn plural(&self, store: &Store) -> String {
        let names: Vec<String> =
            self.list.query().kinds.iter().filter_map(|k| store.kinds().info(*k)).map(|k| k.plural.clone()).collect();
        names.join(", ")
    }

    fn current(&self) -> Option<RowRef> {
        self.list.rows().get(self.table.cursor).copied()
    }

    /// The object under the cursor is the one that the cursor follows.
    fn take_selection(&mut self, store: &Store) {
        self.selected = self.current().and_then(|at| Some((at, store.object_ref(at)?)));
    }

    /// Puts the cursor where its object went; when that is gone, its neighbour takes over.
    fn follow(&mut self, store: &Store) {
        if !self.moved {
            self.table.select(0);
        } else if let Some((at, object)) = &self.selected {
            let here = self.current() == Some(*at);
            let place = || {
                // An object that was deleted and made again under its name is the same one for the eye.
                let again = store.find(object)?;
                self.list.position(*at).or_else(|| self.list.position(again))
            };
            if !here {
                let to = place().unwrap_or(self.table.cursor).min(self.list.rows().len().saturating_sub(1));
                self.table.select(to);
            }
        }
        self.take_selection(store);
    }

    fn change(&mut self, store: &Store, change: impl FnOnce(&mut Query)) {
        let mut query = self.list.query().clone();
        change(&mut query);
        self.list.set_query(query);
        self.busy = !self.list.step(store, BUDGET);
        self.follow(store);
    }

    fn sort_by(&mut self, sort: Sort, store: &Store) {
        let reverse = self.list.query().sort == sort && !self.list.query().reverse;
        self.change(store, |q| {
            q.sort = sort;
            q.reverse = reverse;
        });
    }

    /// What is worth finding again at the next start.
    fn kept(&self) -> Effect {
        let query = self.list.query();
        let chosen = !self.order.is_empty() || !self.hidden.is_empty();
        Effect::Keep(Kept {
            columns: chosen.then(|| self.order.clone()),
            sort: sort_name(&query.sort),
            reverse: query.reverse,
            wide: self.wide,
            ..Kept::default()
        })
    }

    fn mark(&mut self) {
        let Some(at) = self.current() else { return };
        if !self.marks.remove(&at) {
            self.marks.insert(at);
        }
        self.anchor = Some(at);
        self.table.act(ActionId::Down, self.list.rows().len());
    }

    fn mark_range(&mut self) {
        let at = self.table.cursor;
        let from = self.anchor.and_then(|a| self.list.position(a)).unwrap_or(at);
        self.marks.extend(self.list.rows().get(from.min(at)..=from.max(at)).unwrap_or_default());
        self.anchor = self.current();
    }

    fn sort_menu(&self, lang: Lang) -> Menu {
        let fixed = [
            ('r', m::SORT_RISK_LONG, "risk"),
            ('n', m::SORT_NAME_LONG, "name"),
            ('c', m::SORT_CLUSTER_LONG, "cluster"),
            ('a', m::SORT_AGE_LONG, "age"),
        ];
        let mut taken: Vec<char> = vec!['r', 'n', 'c', 'a', 'j', 'k'];
        let pick = |key: char, text: String, id: &str| MenuItem::new(Some(key), text, Choice::Pick(id.into()));
        let mut items: Vec<MenuItem> =
            fixed.iter().map(|(key, msg, id)| pick(*key, msg.text(lang).to_owned(), id)).collect();
        for column in list::columns(self.kind_shown()) {
            let key = column.key.chars().find(|c| c.is_ascii_lowercase() && !taken.contains(c));
            taken.extend(key);
            let text = m::SORT_COLUMN_LONG.fill(lang, &[("name", column.header)]);
            items.push(MenuItem::new(key, text, Choice::Pick(format!("column {}", column.key))));
        }
        Menu::new("sort", m::SORT_TITLE.text(lang), items)
    }

    fn columns_menu(&self, lang: Lang) -> Menu {
        let shown =
            |key: &str, wide: bool| !self.hidden.contains(key) && (!wide || self.order.iter().any(|k| k == key));
        let items = self
            .ordered_columns()
            .into_iter()
            .map(|c| MenuItem::new(None, c.header, Choice::Check(c.key.into(), shown(c.key, c.wide))))
            .collect();
        Menu { checklist: true, ..Menu::new("columns", f::COLUMNS_TITLE.text(lang), items) }
    }

    /// The kind's columns in the chosen order.
    fn ordered_columns(&self) -> Vec<list::Column> {
        let all = list::columns(self.kind_shown());
        let mut out: Vec<list::Column> =
            self.order.iter().filter_map(|k| all.iter().find(|c| c.key == k)).copied().collect();
        let rest: Vec<list::Column> = all.iter().filter(|c| !out.iter().any(|o| o.key == c.key)).copied().collect();
        out.extend(rest);
        out
    }

    /// The kind's columns that are shown.
    fn shown_columns(&self) -> Vec<list::Column> {
        let chosen =
            |c: &list::Column| !self.hidden.contains(c.key) && (!c.wide || self.order.iter().any(|k| k == c.key));
        self.ordered_columns().into_iter().filter(|c| self.wide || chosen(c)).collect()
    }

    fn copy_menu(&self, store: &Store, lang: Lang) -> Option<Menu> {
        let at = self.current()?;
        let row = store.row(at)?;
        let object = store.object_ref(at)?;
        let item = |key: char, what: &str, text: String| {
            MenuItem::new(Some(key), what, Choice::Copy(clean_line(&text).into_owned(), what.to_owned()))
        };
        let mut items = vec![item('n', m::COPY_NAME.text(lang), object.name.clone())];
        if !object.namespace.is_empty() {
            items.push(item('f', m::COPY_FULL.text(lang), format!("{}/{}", object.namespace, object.name)));
        }
        // Each cell is clean; the tabs between them are ours.
        let cells = self.row_texts(store, at).join("\t");
        items.push(MenuItem::new(
            Some('r'),
            m::COPY_ROW.text(lang),
            Choice::Copy(cells, m::COPY_ROW.text(lang).into()),
        ));
        if let Some(command) = kubectl_get(store, &object) {
            items.push(item('k', m::COPY_KUBECTL.text(lang), command));
        }
        if let Some(why) = why(row, lang) {
            items.push(item('w', m::COPY_REASON.text(lang), why));
        }
        if !self.marks.is_empty() {
            let names: Vec<String> = self.marks.iter().filter_map(|at| store.object_ref(*at)).map(|o| o.name).collect();
            let what = m::COPY_MARKED.fill(lang, &[("n", &names.len().to_string())]);
            items.push(MenuItem::new(Some('m'), what.clone(), Choice::Copy(names.join("\n"), what)));
            // Names may be equal over clusters; rows say which is whose.
            let rows: Vec<String> = self.marks.iter().map(|at| self.row_texts(store, *at).join("\t")).collect();
            let what = f::COPY_MARKED_ROWS.fill(lang, &[("n", &rows.len().to_string())]);
            items.push(MenuItem::new(Some('t'), what.clone(), Choice::Copy(rows.join("\n"), what)));
        }
        Some(Menu::new("copy", m::COPY_TITLE.text(lang), items))
    }

    /// All texts of one row, cluster first.
    fn row_texts(&self, store: &Store, at: RowRef) -> Vec<String> {
        let keys = ["cluster", "namespace", "name"].into_iter().chain(self.shown_columns().into_iter().map(|c| c.key));
        keys.chain(["age"]).map(|key| clean_line(&list::cell_text(store, at, key)).into_owned()).collect()
    }

    fn as_text(&self, store: &Store) -> String {
        let mut head: Vec<String> = ["CLUSTER", "NAMESPACE", "NAME"].map(String::from).into();
        head.extend(self.shown_columns().iter().map(|c| c.header.to_owned()));
        head.push("AGE".into());
        let mut rows = vec![head];
        rows.extend(self.list.rows().iter().take(MOST_SAVED).map(|at| self.row_texts(store, *at)));
        super::fleet::aligned(&rows)
    }

    /// Clusters of the marked rows, else of the one under the cursor.
    fn target_clusters(&self) -> Vec<ClusterId> {
        let mut out: Vec<ClusterId> = self.marks.iter().map(|at| at.cluster).collect();
        out.dedup();
        if out.is_empty() {
            out.extend(self.current().map(|at| at.cluster));
        }
        out
    }

    fn open(&self, store: &Store) -> Vec<Effect> {
        let object = self.current().and_then(|at| store.object_ref(at));
        object.map(|o| Effect::Open(Box::new(ObjectScreen::detail(o)))).into_iter().collect()
    }

    fn open_yaml(&self, store: &Store, now: Millis) -> Vec<Effect> {
        let object = self.current().and_then(|at| store.object_ref(at));
        object.map(|o| ObjectScreen::open_yaml(o, now)).unwrap_or_default()
    }
}

/// Why an object is not well: the word and the cluster's own words.
pub(super) fn why(row: &crate::fleet::row::Row, lang: Lang) -> Option<String> {
    let note = list::note(row).trim();
    let reason = list::reason(row).unwrap_or("");
    match (reason.is_empty(), note.is_empty()) {
        (true, true) => None,
        (true, false) => Some(clean_line(note).into_owned()),
        (false, true) => Some(clean_line(reason).into_owned()),
        (false, false) => {
            Some(m::REASON_NOTE.fill(lang, &[("reason", &clean_line(reason)), ("note", &clean_line(note))]))
        }
    }
}

/// The `kubectl` command that shows this object in its own cluster.
pub(super) fn kubectl_get(store: &Store, object: &ObjectRef) -> Option<String> {
    let context = &store.shard(object.cluster)?.record.context;
    let resource = store.kinds().info(object.kind)?.resource();
    let mut out = format!("kubectl --context {}", words::shell_word(context));
    if !object.namespace.is_empty() {
        out.push_str(&format!(" -n {}", words::shell_word(&object.namespace)));
    }
    Some(format!("{out} get {resource} {} -o yaml", words::shell_word(&object.name)))
}

fn sort_name(sort: &Sort) -> String {
    match sort {
        Sort::Risk => "risk".into(),
        Sort::Name => "name".into(),
        Sort::Cluster => "cluster".into(),
        Sort::Age => "age".into(),
        Sort::Column(key) => format!("column {key}"),
    }
}

fn sort_named(name: &str) -> Sort {
    match name {
        "name" => Sort::Name,
        "cluster" => Sort::Cluster,
        "age" => Sort::Age,
        other => other.strip_prefix("column ").map_or(Sort::Risk, |key| Sort::Column(key.to_owned())),
    }
}

impl Screen for ObjectsScreen {
    fn kind(&self) -> &'static str {
        "objects"
    }

    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String> {
        let query = self.list.query();
        let mut out = vec![self.plural(ctx.store)];
        out.extend(
            [self.at.as_str(), &query.namespace, query.filter.text()]
                .into_iter()
                .filter(|s| !s.is_empty())
                .map(|s| clean_line(s).into_owned()),
        );
        if query.problems_only {
            out.push(m::PROBLEMS_ONLY.text(ctx.lang).to_owned());
        }
        out
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        let query = self.list.query();
        let sort = match &query.sort {
            Sort::Risk => m::SORT_RISK.text(ctx.lang).to_owned(),
            Sort::Name => m::SORT_NAME.text(ctx.lang).to_owned(),
            Sort::Cluster => m::SORT_CLUSTER.text(ctx.lang).to_owned(),
            Sort::Age => m::SORT_AGE.text(ctx.lang).to_owned(),
            Sort::Column(key) => key.to_uppercase(),
        };
        let arrow = if query.reverse { ctx.glyphs.sort_up } else { ctx.glyphs.sort_down };
        let values = [
            ("shown", words::thousands(self.list.shown())),
            ("total", words::thousands(self.list.total())),
            ("sort", format!("{sort}{arrow}")),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let text = m::SUMMARY.fill(ctx.lang, &values);
        let how = match query.filter.note() {
            Some(note) => clean_line(note).into_owned(),
            None if self.busy => m::FILTERING.text(ctx.lang).to_owned(),
            None if !query.filter.is_empty() => f::HOW_HERE.text(ctx.lang).to_owned(),
            None => return text,
        };
        format!("{how}   {text}")
    }

    fn actions(&self) -> &'static [ActionId] {
        use ActionId as A;
        &[
            A::Open,
            A::Yaml,
            A::Problems,
            A::Sort,
            A::Columns,
            A::Copy,
            A::Mark,
            A::Describe,
            A::Wide,
            A::MarkRange,
            A::ClearMarks,
            A::Refresh,
            A::Save,
        ]
    }

    fn disabled(&self, action: ActionId, ctx: &Ctx<'_>) -> Option<String> {
        let needs_row = matches!(
            action,
            ActionId::Open | ActionId::Describe | ActionId::Yaml | ActionId::Copy | ActionId::Mark | ActionId::Refresh
        );
        (needs_row && self.list.rows().is_empty()).then(|| m::NOTHING_SELECTED.text(ctx.lang).to_owned())
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let store = &*ctx.store;
        match action {
            ActionId::Open | ActionId::Describe => return self.open(store),
            ActionId::Yaml => return self.open_yaml(store, ctx.now),
            ActionId::Problems => self.change(store, |q| q.problems_only = !q.problems_only),
            ActionId::Sort => return vec![Effect::Menu(self.sort_menu(ctx.lang))],
            ActionId::Columns => return vec![Effect::Menu(self.columns_menu(ctx.lang))],
            ActionId::Wide => {
                self.wide = !self.wide;
                return vec![self.kept()];
            }
            ActionId::Copy => return self.copy_menu(store, ctx.lang).map(Effect::Menu).into_iter().collect(),
            ActionId::Save => {
                let name = format!("{}.txt", self.plural(store));
                return vec![Effect::Save { name, text: self.as_text(store) }];
            }
            ActionId::Refresh => {
                return self.target_clusters().into_iter().map(|id| Effect::Ask(Ask::Reconnect(id))).collect();
            }
            ActionId::Mark => self.mark(),
            ActionId::MarkRange => self.mark_range(),
            ActionId::ClearMarks => self.marks.clear(),
            motion => {
                if !self.table.act(motion, self.list.rows().len()) {
                    return Vec::new();
                }
            }
        }
        self.moved = true;
        self.take_selection(store);
        Vec::new()
    }

    fn mouse(&mut self, at: (u16, u16), what: MouseAct, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let len = self.list.rows().len();
        match (what, self.table.hit(at)) {
            (MouseAct::Wheel(steps), _) => self.table.wheel(steps, len),
            (MouseAct::WheelSide(steps), _) => {
                self.table.act(if steps < 0 { ActionId::Left } else { ActionId::Right }, len);
            }
            (MouseAct::Click | MouseAct::DoubleClick, Some(Hit::Header(key))) => {
                let sort = match &*key {
                    "name" | "namespace" => Sort::Name,
                    "cluster" | "tile" => Sort::Cluster,
                    "age" => Sort::Age,
                    "mark" => Sort::Risk,
                    other => Sort::Column(other.to_owned()),
                };
                self.sort_by(sort, ctx.store);
                return vec![self.kept()];
            }
            (act @ (MouseAct::Click | MouseAct::DoubleClick), Some(Hit::Row(row, _))) => {
                self.table.select(row);
                if act == MouseAct::DoubleClick {
                    return self.open(ctx.store);
                }
            }
            _ => return Vec::new(),
        }
        self.moved = true;
        self.take_selection(ctx.store);
        Vec::new()
    }

    fn on_data(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        let store = &*ctx.store;
        self.busy = !self.list.step(store, BUDGET);
        self.marks.retain(|at| store.row(*at).is_some());
        self.follow(store);
        self.busy
    }

    fn filter(&self) -> Option<&str> {
        Some(self.list.query().filter.text())
    }

    fn set_filter(&mut self, text: &str, ctx: &mut UpdateCtx<'_>) {
        if text.trim() != self.list.query().filter.text() {
            self.change(ctx.store, |q| q.filter = Filter::parse(text));
        }
    }

    fn set_clusters(&mut self, clusters: Vec<ClusterId>, at: &str, ctx: &mut UpdateCtx<'_>) {
        at.clone_into(&mut self.at);
        self.change(ctx.store, |q| q.clusters = clusters);
    }

    fn clusters(&self) -> Option<&str> {
        Some(&self.at)
    }

    fn chosen(&mut self, menu: &str, choice: &str, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        if menu == "sort" {
            self.sort_by(sort_named(choice), ctx.store);
            return vec![self.kept()];
        }
        Vec::new()
    }

    fn ordered(&mut self, menu: &str, items: &[(String, bool)], _ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        if menu == "columns" {
            self.order = items.iter().filter(|(_, on)| *on).map(|(key, _)| key.clone()).collect();
            self.hidden = items.iter().filter(|(_, on)| !*on).map(|(key, _)| key.clone()).collect();
            return vec![self.kept()];
        }
        Vec::new()
    }

    fn kept_name(&self, store: &Store) -> String {
        store.kinds().info(self.kind_shown()).map(|info| info.resource()).unwrap_or_default()
    }

    fn adopt(&mut self, kept: &Kept, ctx: &mut UpdateCtx<'_>) {
        let kind = self.kind_shown();
        if let Some(chosen) = &kept.columns {
            let all = list::columns(kind);
            self.order = chosen.iter().filter(|key| all.iter().any(|c| c.key == **key)).cloned().collect();
            let rest = all.iter().filter(|c| !self.order.iter().any(|key| key == c.key));
            self.hidden = rest.map(|c| c.key.to_owned()).collect();
        }
        self.wide = kept.wide;
        self.change(ctx.store, |q| {
            q.sort = match sort_named(&kept.sort) {
                Sort::Column(key) if !list::columns(kind).iter().any(|c| c.key == key) => Sort::Risk,
                known => known,
            };
            q.reverse = kept.reverse;
        });
    }

    fn esc(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        if !self.list.query().filter.is_empty() {
            self.set_filter("", ctx);
        } else if !self.marks.is_empty() {
            self.marks.clear();
        } else if self.list.query().problems_only {
            self.change(ctx.store, |q| q.problems_only = false);
        } else {
            return false;
        }
        true
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.render(area, buf, ctx);
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        if self.list.rows().is_empty() { None } else { self.table.cursor_position() }
    }

    fn state(&self) -> ScreenState {
        let query = self.list.query();
        let mut state = ScreenState {
            filter: query.filter.text().to_owned(),
            sort: sort_name(&query.sort),
            reverse: query.reverse,
            ..ScreenState::default()
        };
        state.other.insert("problems".into(), query.problems_only.to_string());
        state.other.insert("wide".into(), self.wide.to_string());
        if let Some((_, object)) = self.selected.as_ref().filter(|_| self.moved) {
            state.cursor = format!("{} {} {} {}", object.cluster.0, object.kind.0, object.namespace, object.name);
        }
        state
    }

    fn restore(&mut self, state: &ScreenState, ctx: &mut UpdateCtx<'_>) {
        let store = &*ctx.store;
        self.wide = state.other.get("wide").is_some_and(|v| v == "true");
        let object = object_from(&state.cursor);
        if let Some((at, object)) = object.and_then(|o| Some((store.find(&o)?, o))) {
            self.selected = Some((at, object));
            self.moved = true;
        }
        self.change(store, |q| {
            q.filter = Filter::parse(&state.filter);
            q.sort = sort_named(&state.sort);
            q.reverse = state.reverse;
            q.problems_only = state.other.get("problems").is_some_and(|v| v == "true");
        });
    }
}

fn object_from(text: &str) -> Option<ObjectRef> {
    let mut parts = text.split(' ');
    Some(ObjectRef {
        cluster: ClusterId(parts.next()?.parse().ok()?),
        kind: KindId(parts.next()?.parse().ok()?),
        namespace: parts.next()?.to_owned(),
        name: parts.next()?.to_owned(),
    })
}
