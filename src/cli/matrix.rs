//! `matrix`: which version of each service runs where. The twin of the Matrix screen.
//!
//! `-o table` has a row for each service and a column for each cluster, as the screen has; every other format has one row
//! for each workload and cluster.

use serde_json::{Value, json};

use super::{
    Outcome, Setup,
    args::{Format, Listing},
    collect::{self, Need, Picture},
    need_clusters,
    output::{self, Column, Record, Table},
    tell_missing, words,
};
use crate::{
    fleet::{
        RowRef, Store,
        filter::Filter,
        list,
        matrix::{self, Cell, CellDetail, Difference, ServiceSummary, WorkloadDetail},
        row::{Managed, Progress, Row},
    },
    messages::{Lang, cli as text},
    model::{ClusterId, Health},
    tui::{
        glyphs::{self, Glyphs},
        screens::words as screen_words,
    },
};

/// Runs the command.
pub(super) fn run(setup: &Setup, listing: &Listing) -> anyhow::Result<Outcome> {
    need_clusters(setup)?;
    let filter = super::filter(listing.filter.as_deref(), setup.lang)?;
    let need = Need { kinds: collect::matrix_kinds(), timeout: setup.timeout, ..Need::default() };
    let mut picture = collect::collect(setup, &need)?;
    let services = matrix::services(&mut picture.store).to_vec();
    let view = View::new(setup, &picture, &filter, &services);
    let table = if listing.output.output == Format::Table { view.pivot() } else { view.flat() };
    output::print(&table, listing.output.output)?;
    let findings = view.services.iter().any(|s| s.differs || s.worst >= Health::Warn);
    Ok(tell_missing(setup, &picture, findings && listing.exit_code))
}

/// What is shown of the picture.
struct View<'a> {
    store: &'a Store,
    services: Vec<&'a ServiceSummary>,
    /// Of `-n`; empty = all.
    namespace: &'a str,
    /// Of `-l`, on the workload's labels.
    selector: Filter,
    glyphs: Glyphs,
    lang: Lang,
}

impl<'a> View<'a> {
    fn new(setup: &'a Setup, picture: &'a Picture, filter: &Filter, services: &'a [ServiceSummary]) -> Self {
        let selector = super::get::selector(&setup.settings.selector);
        Self {
            store: &picture.store,
            services: services.iter().filter(|s| passes(s, filter)).collect(),
            namespace: &setup.settings.namespace,
            selector,
            glyphs: if setup.settings.ascii { glyphs::ASCII } else { glyphs::UNICODE },
            lang: setup.lang,
        }
    }

    /// Workloads of one cell that `-n` and `-l` leave.
    fn workloads(&self, detail: &CellDetail) -> Vec<(RowRef, Row, u32, Option<u32>)> {
        let keep = |row: &Row, at: RowRef| {
            (self.namespace.is_empty() || row.ns() == self.namespace)
                && list::matches(self.store, &self.selector, at, row)
        };
        let rows = detail.workloads.iter().filter_map(|(at, _, ready, wanted)| {
            let row = self.store.row(*at)?;
            keep(row, *at).then(|| (*at, row.clone(), *ready, *wanted))
        });
        rows.collect()
    }

    /// One row for each workload and cluster.
    fn flat(&self) -> Table {
        let column = |msg: crate::messages::Msg| Column::text(msg.text(self.lang));
        let number = |msg: crate::messages::Msg| Column::number(msg.text(self.lang));
        let mut table = Table {
            columns: vec![
                column(text::H_SERVICE),
                column(text::H_CLUSTER),
                column(text::H_NAMESPACE),
                column(text::H_WORKLOAD),
                column(text::H_VERSION),
                number(text::H_READY),
                column(text::H_STATE),
                column(text::H_CONFIG),
                column(text::H_OWNER),
            ],
            rows: Vec::new(),
        };
        for service in &self.services {
            for (cluster, shard) in self.store.clusters() {
                let Some(detail) = matrix::detail(self.store, service.id, cluster) else { continue };
                for (at, row, ready, wanted) in self.workloads(&detail) {
                    let own = matrix::workload_detail(self.store, &service.key.name, at).unwrap_or_default();
                    let cluster = &shard.record.name;
                    let part = Part { service, cluster, detail: &detail, at, row: &row, own, ready, wanted };
                    table.rows.push((self.flat_cells(&part), self.record(&part)));
                }
            }
        }
        table
    }

    fn flat_cells(&self, part: &Part<'_>) -> Vec<String> {
        let wanted = part.wanted.map_or_else(|| String::from("-"), |n| n.to_string());
        vec![
            part.service.key.name.to_string(),
            part.cluster.to_owned(),
            part.row.ns().to_owned(),
            format!("{}/{}", self.kind(part.at), part.row.name),
            part.own.version.to_string(),
            format!("{}/{wanted}", part.ready),
            part.state(),
            part.config().unwrap_or_else(|| String::from("-")),
            part.managed().map(owner_text).unwrap_or_default(),
        ]
    }

    /// The record of one workload in one cluster, as `quarterdeck help json` documents it.
    fn record(&self, part: &Part<'_>) -> Record {
        let mut out = Record::default();
        out.put("service", &*part.service.key.name);
        out.put("cluster", part.cluster);
        out.put("namespace", part.row.ns());
        out.put("kind", self.kind(part.at));
        out.put("name", part.row.name.as_str());
        out.put("version", part.own.version.as_str());
        out.put("containers", part.containers());
        out.put("config", part.config());
        out.put("ready", part.ready);
        out.put("wanted", part.wanted);
        out.put("state", part.state());
        out.put("owner", part.managed().map(owner_text));
        out.put("asOf", words::moment(self.store.as_of(part.at)));
        out.put("health", part.row.health.word());
        out.put("reason", part.reason());
        out.put("stale", self.store.is_stale(part.at));
        out.put("system", words::some(&part.service.system));
        out.put("rule", json!(part.service.rule));
        out
    }

    fn kind(&self, at: RowRef) -> String {
        self.store.kinds().info(at.kind).map(|k| k.kind.clone()).unwrap_or_default()
    }

    /// One row for each service, one column for each cluster; what differs from most is marked.
    fn pivot(&self) -> Table {
        let clusters: Vec<(ClusterId, String)> =
            self.store.clusters().map(|(id, shard)| (id, short_name(&shard.record))).collect();
        let mut columns = vec![Column::text(text::H_SERVICE.text(self.lang))];
        columns.extend(clusters.iter().map(|(_, name)| Column::text(name.clone())));
        let mut rows = Vec::new();
        for service in &self.services {
            let mut any = false;
            let mut cells = vec![service_name(service)];
            for (cluster, _) in &clusters {
                let detail = matrix::detail(self.store, service.id, *cluster);
                let shown = detail.filter(|d| !self.workloads(d).is_empty());
                any |= shown.is_some();
                cells.push(shown.map_or_else(|| self.glyphs.none.to_owned(), |d| self.cell(&d.cell)));
            }
            if any {
                rows.push((cells, Record::default()));
            }
        }
        Table { columns, rows }
    }

    fn cell(&self, cell: &Cell) -> String {
        let g = &self.glyphs;
        let mut out = match &cell.from {
            Some((from, percent)) => format!("{from}{}{} {percent}%", g.arrow, cell.version),
            None if cell.mixed => text::MIXED.text(self.lang).to_owned(),
            None => cell.version.to_string(),
        };
        if cell.more > 0 {
            out.push_str(&format!(" +{}", cell.more));
        }
        let marks = [
            (cell.differs != Difference::None, g.differs),
            (cell.health == Health::Bad, g.bad),
            // As on the screen: a moving tag and a workload with warnings both want a look.
            (cell.health == Health::Warn || cell.moving, g.warn),
            (self.store.is_stale(cell.main), g.stale),
        ];
        for (_, mark) in marks.into_iter().filter(|(on, _)| *on) {
            out.push(' ');
            out.push_str(mark);
        }
        out
    }
}

fn passes(service: &ServiceSummary, filter: &Filter) -> bool {
    let namespace = service.key.namespace.as_deref().unwrap_or("");
    let field = |key: &str| match key {
        "service" | "name" => Some(service.key.name.to_string()),
        "namespace" => Some(namespace.to_owned()),
        "system" => Some(service.system.to_string()),
        "version" => Some(service.usual.to_string()),
        _ => None,
    };
    filter.matches(&[&service.key.name, namespace, &service.system], &field, &|_| None)
}

fn service_name(service: &ServiceSummary) -> String {
    match &service.key.namespace {
        Some(namespace) => format!("{namespace}/{}", service.key.name),
        None => service.key.name.to_string(),
    }
}

fn short_name(record: &crate::model::ClusterRecord) -> String {
    if record.alias.is_empty() { record.name.to_string() } else { record.alias.clone() }
}

fn owner_text(managed: &Managed) -> String {
    format!("{} {}{}", screen_words::system_name(managed.by), managed.name, if managed.maybe { "?" } else { "" })
}

/// One workload of one cell.
struct Part<'a> {
    service: &'a ServiceSummary,
    cluster: &'a str,
    detail: &'a CellDetail,
    at: RowRef,
    row: &'a Row,
    own: WorkloadDetail,
    ready: u32,
    wanted: Option<u32>,
}

impl Part<'_> {
    fn is_main(&self) -> bool {
        self.at == self.detail.cell.main
    }

    fn containers(&self) -> Value {
        let one = |name: &str, image: &str, digest: &str| json!({"name": name, "image": image, "digest": words::some(digest)});
        self.own.containers.iter().map(|(n, i, d)| one(n, i, d)).collect()
    }

    /// First eight bytes of the fingerprint, in hexadecimal digits.
    fn config(&self) -> Option<String> {
        Some(self.own.config?.iter().map(|b| format!("{b:02x}")).collect())
    }

    /// One word for how it does, the worst first: what does not work, then what is on its way, then the rest.
    fn state(&self) -> String {
        let progress = self.row.workload().map(|w| w.progress).unwrap_or_default();
        String::from(match (progress, self.row.health) {
            (Progress::Stuck, _) => "stuck",
            (_, Health::Bad) => "failing",
            (Progress::Rolling, _) => "rolling",
            (Progress::Paused, _) => "paused",
            (_, Health::Warn) => "degraded",
            (_, Health::Busy) => "starting",
            (_, Health::Unknown) => "unknown",
            (_, Health::Idle) => "idle",
            (_, Health::Ok) => "ok",
        })
    }

    fn managed(&self) -> Option<&Managed> {
        self.row.workload()?.managed.as_deref()
    }

    fn reason(&self) -> Option<&str> {
        let own = self.row.workload().and_then(|w| w.reason.as_deref());
        own.or_else(|| self.detail.cell.reason.as_deref().filter(|_| self.is_main()))
    }
}
