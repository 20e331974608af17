//! What differs between the clusters of a service: a field by cluster table, each value with its cause. What no declared
//! difference explains is a finding and comes first.

mod draw;
mod field;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use field::{brief, cause_words, key_of, place_of, reading_of, way};
use ratatui::{buffer::Buffer, layout::Rect};

use super::{matrix::columns, origin::OriginScreen};
use crate::{
    desired::{
        differences::{self, Reading, Row},
        engine::{Desired, Outcome, Service},
    },
    fleet::filter::Filter,
    messages::{Lang, clean_line, desired as m, fleet as f, matrix as x, objects as o},
    model::{ClusterId, Millis},
    tui::{
        action::ActionId,
        glyphs::UNICODE,
        screen::{Choice, Ctx, Effect, Menu, MenuItem, MouseAct, Notice, Screen, ScreenState, UpdateCtx},
        wanted::Numbers,
        widgets::table::{Hit, TableState},
    },
};

/// Columns are looked at again so often.
const CALM: i64 = 5000;

/// Clusters that have the same value in every row shown, or a single one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    /// Stable key: that of its first cluster.
    key: String,
    title: String,
    /// Numbers in desired state, in the order that columns have on every screen.
    members: Vec<u32>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct DifferencesScreen {
    namespace: Arc<str>,
    name: Arc<str>,
    clusters: Vec<ClusterId>,
    at: String,
    filter: Filter,
    findings: bool,
    /// One column for each cluster, not one for clusters that are alike.
    single: bool,
    /// What the rows were made from.
    seen: Option<Arc<Outcome>>,
    desired: Option<Arc<Desired>>,
    all: Vec<Row>,
    /// Numbers in `all`, in order.
    shown: Vec<usize>,
    columns: Vec<Column>,
    looked: Millis,
    column: usize,
    column_key: String,
    selected: Option<String>,
    moved: bool,
    table: TableState,
    gone: bool,
}

impl DifferencesScreen {
    /// The differences of a service.
    pub fn new(service: &Service) -> Self {
        Self { namespace: service.namespace.clone(), name: service.name.clone(), ..Self::default() }
    }

    fn look(&mut self, ctx: &UpdateCtx<'_>) {
        let outcome = ctx.desired.and_then(|p| p.desired.outcome(&self.namespace, &self.name));
        self.gone = outcome.is_none();
        let (Some(outcome), Some(picture)) = (outcome, ctx.desired) else { return };
        let same_fleet = |d: &Arc<Desired>| Arc::ptr_eq(&d.inputs.clusters, &picture.desired.inputs.clusters);
        let known = self.desired.as_ref().is_some_and(same_fleet)
            && self.seen.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, outcome));
        if !known {
            self.all = differences::of(outcome);
            self.seen = Some(outcome.clone());
            self.desired = Some(picture.desired.clone());
            self.arrange(ctx);
        } else if (ctx.now.0 - self.looked.0).abs() >= CALM {
            self.arrange_columns(ctx);
        }
    }

    /// Filters and orders the rows: what is not explained first, then object by object as the source has them.
    fn arrange(&mut self, ctx: &UpdateCtx<'_>) {
        let passing = |at: &usize| {
            let row = &self.all[*at];
            (!self.findings || !row.explained) && field::passes(row, &self.filter)
        };
        let mut shown: Vec<usize> = (0..self.all.len()).filter(passing).collect();
        shown.sort_by_key(|at| self.all[*at].explained);
        self.shown = shown;
        let at = self.selected.as_ref().and_then(|key| self.shown.iter().position(|i| key_of(&self.all[*i]) == *key));
        let at = if self.moved { at.unwrap_or(self.table.cursor) } else { 0 };
        self.table.select(at.min(self.shown.len().saturating_sub(1)));
        self.take_selection();
        self.arrange_columns(ctx);
    }

    /// The columns for the rows shown: clusters that have the same value in each of them share one.
    fn arrange_columns(&mut self, ctx: &UpdateCtx<'_>) {
        self.looked = ctx.now;
        let Some(desired) = &self.desired else { return };
        let numbers = Numbers::new(desired, ctx.store);
        let order = columns::columns(ctx.store, &self.clusters, columns::Grouping::None, ctx.lang, ctx.now);
        let mut found: Vec<(Vec<usize>, Column)> = Vec::new();
        for column in order {
            let Some(number) = column.members.first().and_then(|id| numbers.of(*id)) else { continue };
            let places: Vec<usize> = self.shown.iter().map(|at| reading_of(&self.all[*at], number)).collect();
            // A cluster in no reading has nothing of the service.
            if !places.is_empty() && places.iter().all(|p| *p == usize::MAX) {
                continue;
            }
            match found.iter_mut().find(|(known, _)| !self.single && *known == places) {
                Some((_, group)) => group.members.push(number),
                None => {
                    let group = Column { key: column.key, title: column.title, members: vec![number] };
                    found.push((places, group));
                }
            }
        }
        self.columns = found.into_iter().map(|(_, column)| column).collect();
        let at = self.columns.iter().position(|c| c.key == self.column_key);
        self.column = at.unwrap_or(self.column).min(self.columns.len().saturating_sub(1));
        self.take_column();
    }

    fn row(&self) -> Option<&Row> {
        self.shown.get(self.table.cursor).and_then(|at| self.all.get(*at))
    }

    fn current_column(&self) -> Option<&Column> {
        self.columns.get(self.column)
    }

    fn reading(&self) -> Option<&Reading> {
        let number = *self.current_column()?.members.first()?;
        let row = self.row()?;
        row.readings.get(reading_of(row, number))
    }

    fn take_selection(&mut self) {
        self.selected = self.row().map(key_of);
    }

    fn take_column(&mut self) {
        self.column_key = self.current_column().map(|c| c.key.clone()).unwrap_or_default();
    }

    fn step_column(&mut self, by: isize) {
        self.column = self.column.saturating_add_signed(by).min(self.columns.len().saturating_sub(1));
        self.take_column();
    }

    fn count_findings(&self) -> usize {
        self.all.iter().filter(|r| !r.explained).count()
    }

    fn cluster_name(&self, number: u32) -> Option<Arc<str>> {
        let at = usize::try_from(number).ok()?;
        self.desired.as_ref()?.inputs.clusters.get(at).map(|c| c.name.clone())
    }

    /// Opens the object of the cell at the field.
    fn where_from(&self, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        let opened = || {
            let (row, outcome) = (self.row()?, self.seen.as_ref()?);
            let number = *self.current_column()?.members.first()?;
            let placed = outcome.placed.iter().find(|p| p.key == row.object && p.object(number).is_some())?;
            let path = way(&placed.object(number)?.node, &row.field);
            Some(OriginScreen::new(&outcome.service, &row.object, &self.cluster_name(number)?).at_field(path))
        };
        match opened() {
            Some(mut screen) => {
                screen.on_data(ctx);
                vec![Effect::Open(Box::new(screen))]
            }
            None => vec![Effect::Notice(Notice::info(m::D_NOT_THERE.text(ctx.lang)))],
        }
    }

    fn edit(&self, lang: Lang) -> Effect {
        match self.reading().and_then(|r| place_of(&r.cause)) {
            Some(at) => Effect::Edit(at.clone()),
            None => Effect::Notice(Notice::info(m::E_NO_PLACE.text(lang))),
        }
    }

    fn copy_menu(&self, lang: Lang) -> Option<Menu> {
        let row = self.row()?;
        let copy = |key: char, what: &str, text: String| {
            MenuItem::new(Some(key), what, Choice::Copy(clean_line(&text).into_owned(), what.to_owned()))
        };
        let mut items = vec![copy('f', m::D_COPY_FIELD.text(lang), format!("{} {}", row.object, row.field))];
        if let Some(reading) = self.reading() {
            if let Some(value) = reading.value.as_ref().filter(|_| !row.masked) {
                items.push(copy('c', m::D_COPY_VALUE.text(lang), brief(value)));
            }
            if let Some(at) = place_of(&reading.cause) {
                items.push(copy('p', m::P_COPY_PLACE.text(lang), at.to_string()));
            }
        }
        let what = x::COPY_EXPLANATION.text(lang);
        let text = super::doc::text_of(&self.explain(160, lang, &UNICODE));
        items.push(MenuItem::new(Some('x'), what, Choice::Copy(text, what.to_owned())));
        Some(Menu::new("copy", o::COPY_TITLE.text(lang), items))
    }

    /// The whole table as text.
    fn as_text(&self, lang: Lang) -> String {
        let mut head = [m::D_KIND, m::D_OBJECT, m::D_FIELD].map(|h| h.text(lang).to_owned()).to_vec();
        head.extend(self.columns.iter().map(draw::heading));
        let mut rows = vec![head];
        for row in self.shown.iter().filter_map(|at| self.all.get(*at)) {
            let kind = if row.explained { m::D_EXPLAINED } else { m::D_FINDING };
            let mut line = vec![
                kind.text(lang).to_owned(),
                clean_line(&row.object.to_string()).into_owned(),
                clean_line(&row.field).into_owned(),
            ];
            line.extend(self.columns.iter().map(|c| draw::value(row, c, lang).0));
            rows.push(line);
        }
        super::fleet::aligned(&rows)
    }
}

impl Screen for DifferencesScreen {
    fn kind(&self) -> &'static str {
        "differences"
    }

    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String> {
        let mut out = vec![m::D_TITLE.text(ctx.lang).to_owned(), clean_line(&self.name).into_owned()];
        let parts = [self.at.as_str(), self.filter.text()];
        out.extend(parts.into_iter().filter(|s| !s.is_empty()).map(|s| clean_line(s).into_owned()));
        if self.findings {
            out.push(m::D_FINDINGS_ONLY.text(ctx.lang).to_owned());
        }
        out
    }

    fn summary(&self, ctx: &Ctx<'_>) -> String {
        let values = [("n", self.all.len().to_string()), ("findings", self.count_findings().to_string())];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let text = m::D_SUMMARY.fill(ctx.lang, &values);
        match self.filter.note() {
            Some(note) => format!("{}   {text}", clean_line(note)),
            None if !self.filter.is_empty() => format!("{}   {text}", f::HOW_HERE.text(ctx.lang)),
            None => text,
        }
    }

    fn actions(&self) -> &'static [ActionId] {
        use ActionId as A;
        &[A::Open, A::Edit, A::Findings, A::Group, A::Copy, A::Save, A::Yaml, A::CellLeft, A::CellRight]
    }

    fn disabled(&self, action: ActionId, ctx: &Ctx<'_>) -> Option<String> {
        use ActionId as A;
        let needs_row = matches!(action, A::Open | A::Edit | A::Copy | A::Yaml);
        (needs_row && self.row().is_none()).then(|| o::NOTHING_SELECTED.text(ctx.lang).to_owned())
    }

    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match action {
            ActionId::Open | ActionId::Yaml => return self.where_from(ctx),
            ActionId::Edit => return vec![self.edit(ctx.lang)],
            ActionId::Findings => {
                self.findings = !self.findings;
                self.arrange(ctx);
            }
            ActionId::Group => {
                self.single = !self.single;
                self.table.left = 0;
                self.table.reset_widths();
                self.arrange_columns(ctx);
            }
            ActionId::Copy => return self.copy_menu(ctx.lang).map(Effect::Menu).into_iter().collect(),
            ActionId::Save => {
                let name = format!("differences-{}.txt", self.name);
                return vec![Effect::Save { name, text: self.as_text(ctx.lang) }];
            }
            ActionId::CellLeft | ActionId::Left => self.step_column(-1),
            ActionId::CellRight | ActionId::Right => self.step_column(1),
            motion => {
                if self.table.act(motion, self.shown.len()) {
                    self.moved = true;
                    self.take_selection();
                }
            }
        }
        Vec::new()
    }

    fn mouse(&mut self, at: (u16, u16), what: MouseAct, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        match (what, self.table.hit(at)) {
            (MouseAct::Wheel(steps), _) => self.table.wheel(steps, self.shown.len()),
            (MouseAct::WheelSide(steps), _) => self.step_column(isize::from(steps)),
            (act @ (MouseAct::Click | MouseAct::DoubleClick), Some(Hit::Row(row, column))) => {
                self.table.select(row);
                if let Some(at) = column.and_then(|key| self.columns.iter().position(|c| c.key == *key)) {
                    self.column = at;
                    self.take_column();
                }
                if act == MouseAct::DoubleClick {
                    return self.where_from(ctx);
                }
            }
            _ => return Vec::new(),
        }
        self.moved = true;
        self.take_selection();
        Vec::new()
    }

    fn on_data(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        self.look(ctx);
        false
    }

    fn filter(&self) -> Option<&str> {
        Some(self.filter.text())
    }

    fn set_filter(&mut self, text: &str, ctx: &mut UpdateCtx<'_>) {
        self.filter = Filter::parse(text);
        self.arrange(ctx);
    }

    fn set_clusters(&mut self, clusters: Vec<ClusterId>, at: &str, ctx: &mut UpdateCtx<'_>) {
        self.clusters = clusters;
        at.clone_into(&mut self.at);
        self.table.left = 0;
        self.arrange_columns(ctx);
    }

    fn clusters(&self) -> Option<&str> {
        Some(&self.at)
    }

    fn esc(&mut self, ctx: &mut UpdateCtx<'_>) -> bool {
        if !self.filter.is_empty() {
            self.set_filter("", ctx);
        } else if self.findings {
            self.findings = false;
            self.arrange(ctx);
        } else {
            return false;
        }
        true
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        self.render(area, buf, ctx);
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        if self.shown.is_empty() { None } else { self.table.cursor_position() }
    }

    fn state(&self) -> ScreenState {
        ScreenState { filter: self.filter.text().to_owned(), ..ScreenState::default() }
    }

    fn ticks(&self) -> bool {
        false
    }
}
