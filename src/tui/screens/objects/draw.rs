//! How a list of objects looks: tile, cluster, namespace, name, the kind's columns, age; below them the row under the cursor
//! in words.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{ObjectsScreen, coverage::Coverage, why};
use crate::{
    fleet::{
        RowRef,
        list::{self, Sort},
        row::Row,
    },
    messages::{clean_line, cut_end, fleet as f, live, objects as m, width, wrap},
    model::{Builtin, ClusterState, Health, KindStatus, Millis, utc_text},
    tui::{
        action::ActionId,
        screen::Ctx,
        screens::{faces, words},
        theme::Role,
        widgets::{
            Cell,
            pane::Pane,
            put,
            table::{Column, Pin, RowView, Table},
        },
    },
};

/// A column of the table: one that every kind has, or one of the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Col {
    Mark,
    Tile,
    Cluster,
    Namespace,
    Name,
    Of(list::Column),
    Age,
    /// The cause in words, where the screen is wide enough for it.
    Why,
}

impl ObjectsScreen {
    /// Draws list, or why there is none, and the foot.
    pub(super) fn render(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        if area.is_empty() {
            return;
        }
        let coverage = Coverage::of(ctx.store, self.list.query(), ctx.lang);
        let pane = Pane {
            number: Some(1),
            title: self.title(&coverage, ctx).into(),
            foot: self.loading_text(&coverage, ctx).into(),
            foot_right: coverage.missing_text(ctx.lang).into(),
            focused: ctx.focused,
            ..Pane::default()
        };
        // Where both do not fit into the lower border, what is missing tells more.
        let both = width(&pane.foot) + width(&pane.foot_right) + 8 <= usize::from(area.width);
        let pane = if both || pane.foot_right.is_empty() {
            pane
        } else {
            Pane { foot: pane.foot_right, foot_right: "".into(), ..pane }
        };
        let inside = pane.draw(area, buf, ctx);
        self.formatted = 0;
        if self.list.rows().is_empty() {
            faces::draw(inside, buf, ctx, &self.face(&coverage, ctx));
            return;
        }
        let foot = match inside.height {
            0..8 => 0,
            8..14 => 1,
            _ => 3,
        };
        let body = Rect { height: inside.height - foot, ..inside };
        self.draw_table(body, buf, ctx);
        let foot = Rect { y: body.bottom(), height: foot, ..inside };
        self.draw_foot(foot, buf, ctx);
    }

    fn title(&self, coverage: &Coverage, ctx: &Ctx<'_>) -> String {
        let len = self.list.rows().len();
        let at = if len == 0 { 0 } else { self.table.cursor + 1 };
        let mut title = format!("{}  {}/{}", self.plural(ctx.store), words::thousands(at), words::thousands(len));
        if coverage.live < coverage.total {
            let (live, total) = (coverage.live.to_string(), coverage.total.to_string());
            title = format!("{title}  {}", m::PARTIAL.fill(ctx.lang, &[("live", &live), ("total", &total)]));
        }
        if !self.marks.is_empty() {
            let n = self.marks.len().to_string();
            let mut clusters: Vec<_> = self.marks.iter().map(|at| at.cluster).collect();
            clusters.dedup();
            let over = clusters.len().to_string();
            let marked = if clusters.len() > 1 {
                m::MARKED_OVER.fill(ctx.lang, &[("n", &n), ("clusters", &over)])
            } else {
                m::MARKED.fill(ctx.lang, &[("n", &n)])
            };
            title = format!("{title}  {marked}");
        }
        title
    }

    /// Progress of the lists that are running: a total only where every server gave one.
    fn loading_text(&self, coverage: &Coverage, ctx: &Ctx<'_>) -> String {
        if coverage.loading == 0 {
            return String::new();
        }
        let values = [
            ("kind", self.plural(ctx.store)),
            ("rows", words::thousands(self.list.total())),
            ("all", coverage.listed.1.map(|n| words::thousands(usize::try_from(n).unwrap_or(0))).unwrap_or_default()),
            ("done", (coverage.total - coverage.loading).to_string()),
            ("total", coverage.total.to_string()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let known = coverage.listed.1.is_some_and(|n| n > 0);
        if known { m::LOADING_FOOT_OF } else { m::LOADING_FOOT }.fill(ctx.lang, &values)
    }

    fn columns_for(&self, cells: u16) -> Vec<Col> {
        let mut out = vec![Col::Mark, Col::Tile];
        let mut own = self.shown_columns();
        if cells < 80 {
            // The most telling first: the name, then what is wrong with it; the tile stands for the cluster.
            out.push(Col::Name);
            own.sort_by_key(|c| !matches!(c.key, "status" | "reason" | "message"));
            out.extend(own.into_iter().map(Col::Of));
            out.extend([Col::Age, Col::Namespace, Col::Cluster]);
            return out;
        }
        out.push(Col::Cluster);
        if self.is_namespaced() && self.list.query().namespace.is_empty() {
            out.push(Col::Namespace);
        }
        out.push(Col::Name);
        out.extend(own.into_iter().map(Col::Of));
        out.push(Col::Age);
        let has_why = self.kind_shown().builtin().is_some_and(|k| {
            matches!(k, Builtin::Pod | Builtin::Node | Builtin::Hpa) || Builtin::WORKLOADS.contains(&k)
        });
        if cells >= 150 && has_why {
            out.push(Col::Why);
        }
        out
    }

    fn is_namespaced(&self) -> bool {
        self.kind_shown()
            .builtin()
            .is_none_or(|k| !matches!(k, Builtin::Node | Builtin::Namespace | Builtin::CsiDriver | Builtin::CsiNode))
    }

    fn table_column(&self, col: Col, ctx: &Ctx<'_>) -> Column {
        let query = self.list.query();
        let sorted = |on: bool| on.then_some(!query.reverse);
        let wide = ctx.size.0 >= 140;
        let pin = if ctx.size.0 >= 120 { Pin::Left } else { Pin::No };
        let (lang, sort) = (ctx.lang, &query.sort);
        match col {
            Col::Mark => Column::new("mark", "").width(1, 1).pin(Pin::Left),
            Col::Tile => Column::new("tile", "").width(1, 1).pin(Pin::Left),
            Col::Cluster => Column::new("cluster", m::H_CLUSTER.text(lang))
                .width(4, if wide { 24 } else { 14 })
                .pin(if ctx.size.0 < 80 { Pin::No } else { Pin::Left })
                .middle()
                .sorted(sorted(*sort == Sort::Cluster)),
            Col::Namespace => Column::new("namespace", m::H_NAMESPACE.text(lang))
                .width(4, if wide { 24 } else { 16 })
                .pin(pin)
                .middle(),
            Col::Name => Column::new("name", m::H_NAME.text(lang))
                .width(8, if wide { 52 } else { 34 })
                .pin(if ctx.size.0 < 80 { Pin::Left } else { pin })
                .middle()
                .sorted(sorted(*sort == Sort::Name)),
            Col::Of(c) => {
                let on = matches!(sort, Sort::Column(key) if key == c.key);
                let column = Column::new(c.key, c.header).width(3, 48).sorted(sorted(on));
                if c.numeric {
                    column.right()
                } else if c.key == "message" {
                    column.width(8, 160).grow()
                } else {
                    column
                }
            }
            Col::Why => Column::new("why", m::H_WHY.text(lang)).width(8, 160).grow(),
            Col::Age => Column::new("age", m::H_AGE.text(lang)).width(3, 6).right().sorted(sorted(*sort == Sort::Age)),
        }
    }

    fn draw_table(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let cols = self.columns_for(ctx.size.0);
        let columns: Vec<Column> = cols.iter().map(|c| self.table_column(*c, ctx)).collect();
        let rows = self.list.rows();
        let (marks, formatted) = (&self.marks, &mut self.formatted);
        Table::new(&columns, rows.len(), ctx.focused).draw(area, buf, ctx, &mut self.table, &mut |i, wanted| {
            let Some((at, row)) = rows.get(i).and_then(|at| Some((*at, ctx.store.row(*at)?))) else {
                return RowView::default();
            };
            *formatted += 1;
            let cells = wanted.iter().filter_map(|w| cols.get(*w)).map(|col| cell(ctx, at, row, *col)).collect();
            RowView { cells, stale: ctx.store.is_stale(at), marked: marks.contains(&at) }
        });
    }

    /// The row under the cursor: its whole name, its cluster and environment, the age of the data, and why it is not well.
    fn draw_foot(&self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>) {
        let Some((at, row)) = self.current().and_then(|at| Some((at, ctx.store.row(at)?))) else { return };
        let theme = ctx.theme;
        let mut y = area.y;
        if area.height == 0 {
            return;
        }
        if area.height >= 3 {
            let rule = ctx.glyphs.lines.0.repeat(usize::from(area.width));
            put(buf, area.x, y, &rule, area.width, theme.style(Role::Border));
            y += 1;
        }
        let words_why = why(row, ctx.lang);
        let parts = identity(ctx, at, row);
        let room = usize::from(area.width.saturating_sub(2));
        // On one line the cause wins: the name stands in the row itself.
        if area.height < 3
            && let Some(text) = &words_why
        {
            put(
                buf,
                area.x + 1,
                y,
                &words::fit_cut(&cut_end(text, room), ctx.glyphs),
                area.width,
                theme.style(words::health_role(row.health)),
            );
            return;
        }
        let mut x = area.x + 1;
        for (text, role) in parts {
            x += put(buf, x, y, &text, area.right().saturating_sub(x), theme.style(role));
        }
        y += 1;
        let role = words::health_role(row.health);
        for part in wrap(words_why.as_deref().unwrap_or(""), room) {
            if y >= area.bottom() {
                break;
            }
            put(buf, area.x + 1, y, &part, area.width, theme.style(role));
            y += 1;
        }
    }

    /// Why the list is empty, and what to press.
    fn face(&self, coverage: &Coverage, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        let lang = ctx.lang;
        let query = self.list.query();
        let kind = self.plural(ctx.store);
        let all = words::thousands(self.list.total());
        let clusters = coverage.total.to_string();
        let live = coverage.live.to_string();
        let values: &[(&str, &str)] = &[
            ("kind", &kind),
            ("total", &all),
            ("n", &live),
            ("filter", query.filter.text()),
            ("namespace", &query.namespace),
        ];
        let mut out: Vec<(String, Role)> = Vec::new();
        if coverage.loading > 0 || self.busy {
            out.push((m::LOADING.fill(lang, &[("kind", &kind), ("total", &clusters)]), Role::Busy));
            out.extend(self.loading_clusters(ctx));
            return out;
        }
        if self.list.total() > 0 {
            let key = words::key(if query.filter.is_empty() { ActionId::Problems } else { ActionId::Back });
            if query.filter.is_empty() {
                out.push((m::EMPTY_PROBLEMS.fill(lang, values), Role::Ok));
                out.push((m::EMPTY_PROBLEMS_DO.fill(lang, &[("key", key)]), Role::Muted));
            } else {
                out.push((m::EMPTY_FILTER.fill(lang, values), Role::Text));
                out.push((m::EMPTY_FILTER_DO.fill(lang, &[("key", key)]), Role::Muted));
            }
        } else if coverage.total == 0 && self.at.is_empty() {
            out.push((f::EMPTY_NO_CLUSTERS.text(lang).to_owned(), Role::Text));
            out.push((f::EMPTY_NO_CLUSTERS_DO.text(lang).to_owned(), Role::Muted));
        } else if coverage.total == 0 {
            out.push((m::EMPTY_CLUSTERS.fill(lang, &[("filter", &self.at)]), Role::Text));
        } else if coverage.forbidden == coverage.total {
            let msg = if coverage.total == 1 { m::EMPTY_FORBIDDEN_ONE } else { m::EMPTY_FORBIDDEN };
            out.push((msg.fill(lang, &[("kind", &kind), ("n", &clusters)]), Role::Warn));
            out.extend(self.refusals(ctx));
        } else if coverage.live == 0 {
            out.push((m::EMPTY_NOT_LIVE.fill(lang, values), Role::Warn));
        } else if !coverage.unreadable.is_empty() {
            out.push((m::EMPTY_UNREADABLE.fill(lang, values), Role::Warn));
            out.extend(coverage.unreadable.iter().take(5).map(|text| (text.clone(), Role::Warn)));
        } else {
            let msg = match (query.namespace.is_empty(), coverage.live) {
                (true, 1) => m::EMPTY_ONE,
                (true, _) => m::EMPTY,
                (false, 1) => m::EMPTY_NAMESPACE_ONE,
                (false, _) => m::EMPTY_NAMESPACE,
            };
            out.push((msg.fill(lang, values), Role::Text));
        }
        let missing = coverage.missing_text(lang);
        if !missing.is_empty() {
            out.push((missing, Role::Muted));
        }
        out
    }

    /// One line for each cluster that is still listing.
    fn loading_clusters(&self, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        let query = self.list.query();
        let chosen = |id| query.clusters.is_empty() || query.clusters.contains(&id);
        let kind = self.kind_shown();
        ctx.store
            .clusters()
            .filter(|(id, _)| chosen(*id))
            .filter_map(|(_, shard)| {
                let cluster = clean_line(&shard.record.name);
                match (shard.condition.state, shard.kind(kind)) {
                    (ClusterState::Live | ClusterState::Syncing, KindStatus::Listing { rows, expected }) => {
                        let n = words::thousands(usize::try_from(*rows).unwrap_or(0));
                        let all = expected.map(|e| words::thousands(usize::try_from(e).unwrap_or(0)));
                        let msg = if all.is_some() { m::LOADING_IN_OF } else { m::LOADING_IN };
                        let all = all.unwrap_or_default();
                        Some((msg.fill(ctx.lang, &[("cluster", &cluster), ("n", &n), ("all", &all)]), Role::Text))
                    }
                    (ClusterState::Live, KindStatus::Live | KindStatus::Polling | KindStatus::NotServed) => None,
                    _ => {
                        let state = words::state_word(&shard.condition, ctx.lang);
                        let values = [("cluster", &*cluster), ("state", &*state)];
                        Some((m::LOADING_WAIT.fill(ctx.lang, &values), Role::Muted))
                    }
                }
            })
            .take(200)
            .collect()
    }

    /// What was refused, with the command that checks it.
    fn refusals(&self, ctx: &Ctx<'_>) -> Vec<(String, Role)> {
        let kind = self.kind_shown();
        let mut out = Vec::new();
        for (_, shard) in ctx.store.clusters().take(20) {
            if let KindStatus::Forbidden(cause) = shard.kind(kind) {
                let name = clean_line(&shard.record.name);
                out.push((format!("{name}: {}", live::cause_text(ctx.lang, cause)), Role::Text));
                out.extend(words::check_command(cause, &shard.record).map(|c| (c, Role::Muted)));
            }
        }
        out
    }
}

/// `name  namespace  @ cluster env   read 1s ago`, each part with its role.
fn identity(ctx: &Ctx<'_>, at: RowRef, row: &Row) -> Vec<(String, Role)> {
    let mut out = vec![(clean_line(&row.name).into_owned(), Role::Accent)];
    if !row.ns().is_empty() {
        out.push((format!("  {}", clean_line(row.ns())), Role::Text));
    }
    if let Some(shard) = ctx.store.shard(at.cluster) {
        out.push((format!("  @ {}", clean_line(&shard.record.name)), Role::Text));
        if !shard.record.environment.is_empty() {
            let role = words::environment_role(&shard.record.environment);
            out.push((format!(" {}", clean_line(&shard.record.environment)), role));
        }
        out.push(("   ".into(), Role::Text));
        out.push(freshness(ctx, at, words::state_word(&shard.condition, ctx.lang).as_ref()));
    }
    out
}

/// How old the row's data is: an age while it is live, the moment and the state when it is not.
pub(in crate::tui::screens) fn freshness(ctx: &Ctx<'_>, at: RowRef, state: &str) -> (String, Role) {
    let as_of = ctx.store.as_of(at);
    let age = words::age_since(as_of, ctx.now);
    if ctx.store.is_stale(at) {
        let values = [("time", utc_text(as_of)), ("age", age), ("state", state.to_owned())];
        let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
        return (m::AS_OF.fill(ctx.lang, &values), Role::Stale);
    }
    let text = if as_of == Millis(0) { String::new() } else { m::READ_AGO.fill(ctx.lang, &[("age", &age)]) };
    (text, Role::Muted)
}

fn cell<'s>(ctx: &Ctx<'s>, at: RowRef, row: &'s Row, col: Col) -> Cell<'s> {
    match col {
        Col::Mark => {
            // Good health has no mark of its own here: thousands of ticks would hide the crosses.
            let mark = if row.health == Health::Ok { " " } else { ctx.glyphs.health(row.health) };
            Cell::new(mark, words::health_role(row.health)).bold()
        }
        Col::Tile => {
            let (letter, role) = words::tile(at.cluster);
            Cell::new(letter, role)
        }
        Col::Cluster => {
            let name = ctx.store.shard(at.cluster).map_or("", |s| {
                let alias = s.record.alias.as_str();
                if alias.is_empty() || ctx.size.0 >= 140 { &s.record.name } else { alias }
            });
            Cell::text(clean_line(name))
        }
        Col::Namespace => Cell::new(clean_line(row.ns()), Role::Muted),
        Col::Name => Cell::text(clean_line(&row.name)),
        Col::Of(c) => {
            let text = clean_line(&list::cell_text(ctx.store, at, c.key)).into_owned();
            let telling = matches!(c.key, "status" | "ready" | "reason");
            let role = if telling { words::health_role(row.health) } else { Role::Text };
            Cell::new(text, role)
        }
        Col::Why => Cell::new(clean_line(list::note(row).trim()), words::health_role(row.health)),
        Col::Age => {
            let age = words::age_of(row.created, ctx.now);
            let old = if ctx.store.is_stale(at) { "*" } else { "" };
            Cell::new(format!("{age}{old}"), Role::Text)
        }
    }
}
