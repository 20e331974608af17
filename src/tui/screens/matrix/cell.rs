//! What a cell of the Matrix says: text and role for each thing that cells can show, for a cluster and for a group.

use crate::{
    fleet::{
        Store,
        matrix::{Cell, Difference, Note, ServiceSummary, Show, cell},
        row::Progress,
    },
    messages::{Lang, clean_line, matrix as m, width},
    model::{ClusterId, Health},
    tui::{glyphs::Glyphs, theme::Role},
};

/// How cells are written.
#[derive(Clone, Copy)]
pub(super) struct Style<'a> {
    /// What they show.
    pub(super) show: Show,
    /// Cells there are; a longer text says less, not nothing.
    pub(super) room: usize,
    /// Marks.
    pub(super) glyphs: &'a Glyphs,
    /// Language.
    pub(super) lang: Lang,
}

/// Text and role of one service in one cluster.
pub(super) fn of_cluster(
    store: &Store,
    service: &ServiceSummary,
    cluster: ClusterId,
    style: Style<'_>,
) -> (String, Role) {
    let Style { show, glyphs, lang, .. } = style;
    let Some(cell) = cell(store, service.id, cluster) else {
        return if super::columns::is_known(store, cluster) {
            (glyphs.none.to_owned(), Role::Muted)
        } else {
            (glyphs.unknown.to_owned(), Role::Unknown)
        };
    };
    let (mut text, role) = match show {
        Show::Version => version(&cell, service, style),
        Show::Digest => digest(&cell, glyphs),
        Show::Config => config(&cell, glyphs, lang),
        Show::Replicas => replicas(&cell, glyphs),
    };
    if store.is_stale(cell.main) {
        text.push('*');
        return (text, Role::Stale);
    }
    (text, role)
}

fn version(cell: &Cell, service: &ServiceSummary, style: Style<'_>) -> (String, Role) {
    let Style { room, glyphs, lang, .. } = style;
    let version = if cell.mixed { m::MIXED.text(lang).into() } else { clean_line(&cell.version) };
    let more = if cell.more > 0 { format!(" +{}", cell.more) } else { String::new() };
    let (ready, wanted) = cell.replicas;
    if cell.health == Health::Bad || cell.progress == Progress::Stuck {
        return (format!("{} {version} {ready}/{wanted}{more}", glyphs.bad), Role::Bad);
    }
    if let Some((from, percent)) = &cell.from {
        let full = format!("{}{}{version} {percent}%", clean_line(from), glyphs.arrow);
        // Too long: where it goes to tells more than where it comes from.
        let text = if width(&full) > room { format!("{}{version} {percent}%", glyphs.arrow) } else { full };
        return (text, Role::Busy);
    }
    // Where the configuration is what differs, every cell of the row shows its own.
    let config = match (&service.note, cell.config) {
        (Note::Config(_), Some(bytes)) => format!(" c:{:02x}", bytes[0]),
        _ => String::new(),
    };
    if cell.differs != Difference::None || cell.mixed {
        let digest = if cell.differs == Difference::Digest {
            format!(" {}", short_digest(&cell.digest, 4))
        } else {
            String::new()
        };
        return (format!("{} {version}{digest}{config}{more}", glyphs.differs), Role::Changed);
    }
    let text = format!("{version}{config}{more}");
    match (cell.progress, cell.health) {
        (Progress::Paused, _) => (format!("{} {text}", glyphs.held), Role::Busy),
        (_, Health::Warn) => (format!("{} {text}", glyphs.warn), Role::Warn),
        (_, Health::Busy) => (format!("{} {text}", glyphs.busy), Role::Busy),
        _ if cell.moving => (format!("{} {text}", glyphs.warn), Role::Warn),
        (_, Health::Idle) => (text, Role::Muted),
        _ => (text, Role::Text),
    }
}

/// The first digits of a digest, without its algorithm.
pub(super) fn short_digest(digest: &str, digits: usize) -> String {
    let hex = digest.split_once(':').map_or(digest, |(_, hex)| hex);
    clean_line(hex.get(..digits).unwrap_or(hex)).into_owned()
}

fn digest(cell: &Cell, glyphs: &Glyphs) -> (String, Role) {
    if cell.digest.is_empty() {
        return (glyphs.unknown.to_owned(), Role::Unknown);
    }
    let short = short_digest(&cell.digest, 10);
    let text = if cell.digests > 1 { format!("{short} x{}", cell.digests) } else { short };
    if matches!(cell.differs, Difference::Version | Difference::Digest) || cell.digests > 1 {
        return (format!("{} {text}", glyphs.differs), Role::Changed);
    }
    (text, Role::Text)
}

fn config(cell: &Cell, glyphs: &Glyphs, lang: Lang) -> (String, Role) {
    let Some(bytes) = cell.config else { return (m::NO_CONFIG.text(lang).to_owned(), Role::Muted) };
    let text = hex(&bytes, 4);
    if cell.differs == Difference::Config {
        (format!("{} {text}", glyphs.differs), Role::Changed)
    } else {
        (text, Role::Text)
    }
}

/// The first bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8], take: usize) -> String {
    bytes.iter().take(take).map(|b| format!("{b:02x}")).collect()
}

fn replicas(cell: &Cell, glyphs: &Glyphs) -> (String, Role) {
    let (ready, wanted) = cell.replicas;
    let text = format!("{ready}/{wanted}");
    match cell.health {
        Health::Bad => (format!("{} {text}", glyphs.bad), Role::Bad),
        _ if ready < wanted => (format!("{} {text}", glyphs.busy), Role::Busy),
        Health::Idle => (text, Role::Muted),
        _ => (text, Role::Text),
    }
}

/// A service over a group: how many of the clusters it runs in show what most of them show, `4/5 8.3.0`.
pub(super) fn of_group(
    store: &Store,
    service: &ServiceSummary,
    members: &[ClusterId],
    style: Style<'_>,
) -> (String, Role) {
    let Style { show, glyphs, lang, .. } = style;
    let cells: Vec<Cell> = members.iter().filter_map(|id| cell(store, service.id, *id)).collect();
    if cells.is_empty() {
        let known = members.iter().all(|id| super::columns::is_known(store, *id));
        return if known { (glyphs.none.to_owned(), Role::Muted) } else { (glyphs.unknown.to_owned(), Role::Unknown) };
    }
    let stale = if cells.iter().any(|c| store.is_stale(c.main)) { "*" } else { "" };
    let bad = cells.iter().any(|c| c.health == Health::Bad);
    if show == Show::Replicas {
        let (ready, wanted) = cells.iter().fold((0, 0), |sum, c| (sum.0 + c.replicas.0, sum.1 + c.replicas.1));
        let text = format!("{ready}/{wanted}{stale}");
        return if bad { (format!("{} {text}", glyphs.bad), Role::Bad) } else { (text, Role::Text) };
    }
    let shown: Vec<String> = cells
        .iter()
        .map(|c| match show {
            Show::Digest if c.digest.is_empty() => glyphs.unknown.to_owned(),
            Show::Digest => short_digest(&c.digest, 8),
            Show::Config => c.config.map_or(m::NO_CONFIG.text(lang).to_owned(), |b| hex(&b, 4)),
            _ => clean_line(&c.version).into_owned(),
        })
        .collect();
    // The most frequent one; of equally frequent ones the first in the order of the clusters.
    let count = |text: &String| shown.iter().filter(|s| *s == text).count();
    let usual = shown.iter().rev().max_by_key(|s| count(s)).cloned().unwrap_or_default();
    let n = count(&usual);
    let text = format!("{n}/{} {usual}{stale}", cells.len());
    match () {
        () if bad => (format!("{} {text}", glyphs.bad), Role::Bad),
        () if n < cells.len() => (format!("{} {text}", glyphs.differs), Role::Changed),
        () if cells.iter().any(|c| c.from.is_some()) => (format!("{} {text}", glyphs.busy), Role::Busy),
        () if show == Show::Version && cells.iter().any(|c| c.moving) => {
            (format!("{} {text}", glyphs.warn), Role::Warn)
        }
        () if !stale.is_empty() => (text, Role::Stale),
        () => (text, Role::Text),
    }
}

/// The note of a service's row.
pub(super) fn note(note: &Note, lang: Lang) -> (String, Role) {
    let n = |n: &u16| n.to_string();
    match note {
        Note::Same(k) => (m::N_SAME.fill(lang, &[("n", &n(k))]), Role::Muted),
        Note::Versions(k) => (m::N_VERSIONS.fill(lang, &[("n", &n(k))]), Role::Changed),
        Note::Digests(k) => (m::N_DIGESTS.fill(lang, &[("n", &n(k))]), Role::Changed),
        Note::Config(k) => (m::N_CONFIG.fill(lang, &[("n", &n(k))]), Role::Changed),
        Note::Rolling(k, all) => (m::N_ROLLING.fill(lang, &[("n", &n(k)), ("total", &n(all))]), Role::Busy),
        Note::Failing(k, reason) if reason.is_empty() => (m::N_FAILING_PLAIN.fill(lang, &[("n", &n(k))]), Role::Bad),
        Note::Failing(k, reason) => {
            (m::N_FAILING.fill(lang, &[("n", &n(k)), ("reason", &clean_line(reason))]), Role::Bad)
        }
        Note::Moving(_) => (m::N_MOVING.text(lang).to_owned(), Role::Warn),
    }
}

/// The worst state of a row, for the gutter beside the rule.
pub(super) fn gutter(service: &ServiceSummary, glyphs: &Glyphs) -> (&'static str, Role) {
    match service.worst {
        Health::Bad => (glyphs.bad, Role::Bad),
        _ if service.rolling => (glyphs.busy, Role::Busy),
        _ if service.differs => (glyphs.differs, Role::Changed),
        Health::Warn => (glyphs.warn, Role::Warn),
        _ if matches!(service.note, Note::Moving(_)) => (glyphs.warn, Role::Warn),
        _ => (" ", Role::Text),
    }
}

/// Worst first: failing, differing version, rolling, other differences, moving tags, the rest.
pub(super) fn rank(service: &ServiceSummary) -> u8 {
    match (&service.note, service.worst) {
        (Note::Failing(..), _) | (_, Health::Bad) => 0,
        (Note::Versions(_), _) => 1,
        (Note::Rolling(..), _) => 2,
        (Note::Digests(_) | Note::Config(_), _) => 3,
        (_, Health::Warn) => 4,
        (Note::Moving(_), _) => 5,
        (Note::Same(_), _) => 6,
    }
}
