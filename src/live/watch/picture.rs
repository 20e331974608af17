//! Reading: pictures by pages or as a stream, and the changes after them.

use bytes::Bytes;
use futures_util::StreamExt;
use tokio::{sync::OwnedSemaphorePermit, time::Instant};

use super::{
    ByteStream, Cause, CauseCode, Connection, Delta, End, GATHER, KindStatus, Machine, State, Style, between, path,
};
use crate::{
    fleet::delta::Change,
    live::{
        pace::Lane,
        splitter::{LineSplitter, ListMeta, ListSplitter, Piece, name_in},
        wire::{self, Line},
    },
};

/// Lists below this size say nothing about throughput.
const MEASURABLE: usize = 256 << 10;

/// Counts one open watch while it lives.
struct Open<'a>(&'a crate::live::board::Board);

impl<'a> Open<'a> {
    fn new(board: &'a crate::live::board::Board) -> Self {
        board.count(|t| t.watches = t.watches.saturating_add(1));
        Self(board)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.count(|t| t.watches = t.watches.saturating_sub(1));
    }
}

/// What a stream is at.
enum Phase {
    /// Initial events, until the end bookmark; holds the lane and the room of a list.
    Picture { _lane: Option<Lane>, _room: Option<OwnedSemaphorePermit>, since: Instant, bytes: usize },
    /// Changes.
    Changes,
}

impl Machine {
    /// The picture page by page.
    pub(super) async fn pages(&mut self, connection: &Connection) -> Result<(), End> {
        let _lane = self.context.lanes.enter(self.rank).await;
        self.read_pages(connection).await
    }

    async fn read_pages(&mut self, connection: &Connection) -> Result<(), End> {
        self.begin_picture();
        let limit = if self.no_pages { 0 } else { path::PAGE };
        let mut next = String::new();
        let version = loop {
            let body = self.open(connection, "list", &self.at.page(limit, &next), true).await?;
            let _room = self.context.room().await;
            let meta = self.read_page(body).await?;
            if meta.next.is_empty() {
                break meta.resource_version;
            }
            next = meta.next;
        };
        self.no_pages = false;
        self.backoff.reset();
        let can_follow = !self.no_watch;
        self.end_picture(if can_follow { State::Watching(version) } else { State::Polling });
        Ok(self.flush().await?)
    }

    /// One page, item by item as the bytes arrive.
    async fn read_page(&mut self, mut body: ByteStream) -> Result<ListMeta, End> {
        let mut splitter = ListSplitter::default();
        let (since, mut bytes, before) = (Instant::now(), 0, self.rows);
        loop {
            let chunk = tokio::time::timeout(self.context.times.body, body.next()).await;
            let chunk = chunk
                .map_err(|_| self.about(Cause::new(CauseCode::Timeout, "the list stopped in the middle"), "list"))?;
            let Some(chunk) = chunk else { break };
            let chunk = chunk.map_err(|c| self.about(c, "list"))?;
            bytes += chunk.len();
            let fed = splitter.feed(&chunk, &mut |piece| match piece {
                Piece::Object(object) => self.upsert(object),
                Piece::TooLarge(head) => self.too_large(head),
            });
            fed.map_err(|e| self.about(Cause::new(CauseCode::Protocol, e.to_string()), "list"))?;
            if self.batch.is_full() {
                self.show_progress(None);
                self.flush().await?;
            }
        }
        let meta = splitter.finish();
        let meta = meta.map_err(|e| self.about(Cause::new(CauseCode::Reset, e.to_string()), "list"))?;
        self.measure(bytes, since);
        let rest = meta.remaining_item_count.and_then(|n| u32::try_from(n).ok());
        if self.rows > before {
            self.show_progress(rest);
        }
        self.flush().await?;
        Ok(meta)
    }

    /// The picture and the changes after it as one stream.
    pub(super) async fn stream(&mut self, connection: &Connection) -> Result<(), End> {
        let lane = self.context.lanes.enter(self.rank).await;
        if self.context.style() == Style::Pages {
            // Found out while this kind waited for its lane.
            return Ok(());
        }
        let path = self.at.stream(between(240.0, 420.0).as_secs());
        let opened = self.open(connection, "watch", &path, false).await;
        let body = opened.map_err(|cause| self.stream_refused(cause))?;
        self.begin_picture();
        let room = self.context.room().await;
        let phase = Phase::Picture { _lane: lane, _room: room, since: Instant::now(), bytes: 0 };
        let ended = self.follow(body, phase).await;
        // Whatever ended the stream, it ended before the picture was complete.
        if self.state == State::Start && !matches!(ended, Err(End::Owner)) {
            self.broken_streams += 1;
            if self.broken_streams >= 2 || matches!(&ended, Err(End::Failed(c)) if c.code == CauseCode::Timeout) {
                self.context.set_style(Style::Pages);
                return Ok(());
            }
            if ended.is_ok() {
                tokio::time::sleep(self.backoff.next()).await;
            }
        }
        ended
    }

    /// The changes after `version`.
    pub(super) async fn resume(&mut self, connection: &Connection, version: &str) -> Result<(), End> {
        let since = Instant::now();
        let path = self.at.watch(version, between(240.0, 420.0).as_secs());
        let body = self.open(connection, "watch", &path, false).await?;
        self.set_status(KindStatus::Live, 0);
        self.flush().await?;
        let ended = self.follow(body, Phase::Changes).await;
        if since.elapsed() >= self.context.times.good_watch {
            self.backoff.reset();
            self.stale_pictures.reset();
        } else if ended.is_ok() {
            // A server that closes every watch at once must not be asked in a tight loop.
            tokio::time::sleep(self.backoff.next()).await;
        }
        ended
    }

    /// Takes a stream line by line until it ends.
    async fn follow(&mut self, mut body: ByteStream, mut phase: Phase) -> Result<(), End> {
        let context = std::sync::Arc::clone(&self.context);
        let _open = Open::new(&context.board);
        let mut lines = LineSplitter::default();
        let (mut heard, mut sent) = (Instant::now(), Instant::now() - GATHER);
        loop {
            let times = &context.times;
            let patience = if matches!(phase, Phase::Picture { .. }) { times.end_bookmark } else { times.silence };
            let chunk = tokio::select! {
                biased;
                () = tokio::time::sleep_until(sent + GATHER), if !self.batch.is_empty() => {
                    self.flush().await?;
                    sent = Instant::now();
                    continue;
                }
                chunk = body.next() => chunk,
                () = tokio::time::sleep_until(heard + patience) => return Err(self.stalled(&phase).into()),
            };
            let Some(chunk) = chunk else {
                self.flush().await?;
                return Ok(());
            };
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(cause) => {
                    self.flush().await?;
                    return Err(self.about(cause, "watch").into());
                }
            };
            heard = Instant::now();
            let is_over = self.take(&mut lines, &chunk, &mut phase);
            if self.batch.is_full() || heard.duration_since(sent) >= GATHER || is_over.is_err() {
                if matches!(phase, Phase::Picture { .. }) {
                    self.show_progress(None);
                }
                self.flush().await?;
                sent = Instant::now();
            }
            is_over?;
        }
    }

    fn stalled(&self, phase: &Phase) -> Cause {
        let cause = match phase {
            Phase::Picture { .. } => Cause::new(CauseCode::Timeout, "the streaming list did not end"),
            Phase::Changes => {
                Cause::new(CauseCode::Silent, format!("nothing for {} s", self.context.times.silence.as_secs()))
            }
        };
        self.about(cause, "watch")
    }

    /// Takes the lines of a chunk. An error is what the server ended the watch with.
    fn take(&mut self, lines: &mut LineSplitter, chunk: &Bytes, phase: &mut Phase) -> Result<(), Cause> {
        if let Phase::Picture { bytes, .. } = phase {
            *bytes += chunk.len();
        }
        let mut outcome = Ok(());
        lines.feed(chunk, &mut |piece| {
            if outcome.is_err() {
                return;
            }
            match piece {
                Piece::Object(line) => outcome = self.line(line, phase),
                Piece::TooLarge(head) => self.too_large(head),
            }
        });
        outcome
    }

    fn line(&mut self, line: &[u8], phase: &mut Phase) -> Result<(), Cause> {
        match wire::read(line) {
            Ok(Line::Upsert(object)) => self.upsert(object),
            Ok(Line::Delete(gone)) => {
                self.seen(gone.version);
                if let Some(newest) = &mut self.newest {
                    newest.remove(&gone.namespace, &gone.name);
                }
                self.batch.change(Change::Delete { namespace: gone.namespace.into(), name: gone.name.into() });
            }
            Ok(Line::Bookmark { version, is_end }) => {
                if is_end && let Phase::Picture { since, bytes, .. } = &*phase {
                    self.measure(*bytes, *since);
                    self.broken_streams = 0;
                    self.backoff.reset();
                    self.end_picture(State::Watching(version));
                    *phase = Phase::Changes;
                } else {
                    self.seen(version);
                }
            }
            Ok(Line::Error(cause)) => return Err(self.about(cause, "watch")),
            Err(why) => self.context.board.unreadable(self.resource.clone(), why),
        }
        Ok(())
    }

    /// One object, from a list or a watch. An object that cannot be read is named, and the rest goes on.
    fn upsert(&mut self, object: &[u8]) {
        self.rows = self.rows.saturating_add(1);
        match self.context.decoder.object(self.kind, object) {
            Ok(decoded) => {
                self.seen(decoded.resource_version);
                let too_many = self.newest.as_mut().and_then(|n| n.add(&decoded.row));
                self.batch.change(Change::Upsert(decoded.row));
                if let Some(oldest) = too_many {
                    self.batch.change(oldest);
                }
            }
            Err(error) => {
                let named = wire::named(object).unwrap_or_default();
                let what = format!("{} {}/{}", self.resource, named.namespace, named.name);
                self.seen(named.version);
                self.context.board.unreadable(what, error.to_string());
            }
        }
    }

    fn too_large(&mut self, head: &[u8]) {
        let name = name_in(head).unwrap_or_else(|| String::from("?"));
        let limit = crate::live::splitter::OBJECT_LIMIT >> 20;
        self.context.board.unreadable(format!("{} {name}", self.resource), format!("larger than {limit} MiB"));
    }

    /// A later version was seen while following. Objects of a first picture come in no order: only its end counts.
    fn seen(&mut self, version: String) {
        let is_following = matches!(self.state, State::Watching(_)) || matches!(self.next, Some(State::Watching(_)));
        if is_following && !version.is_empty() {
            self.next = Some(State::Watching(version));
        }
    }

    fn begin_picture(&mut self) {
        self.rows = 0;
        if let Some(newest) = &mut self.newest {
            newest.clear();
        }
        // A picture after "too old" or a poll is a matter between us and the server: the rows stay live.
        if !matches!(self.status, KindStatus::Live | KindStatus::Polling) {
            self.set_status(KindStatus::Listing { rows: 0, expected: None }, self.backoff.failures());
        }
        self.batch.delta(Delta::ListBegin(self.context.id, self.kind));
    }

    fn end_picture(&mut self, next: State) {
        self.batch.delta(Delta::ListDone(self.context.id, self.kind));
        self.set_status(if next == State::Polling { KindStatus::Polling } else { KindStatus::Live }, 0);
        self.next = Some(next);
        self.context.board.count(|t| t.lists = t.lists.saturating_add(1));
    }

    fn show_progress(&mut self, rest: Option<u32>) {
        if matches!(self.status, KindStatus::Listing { .. }) {
            let expected = rest.map(|n| self.rows.saturating_add(n));
            self.set_status(KindStatus::Listing { rows: self.rows, expected }, self.backoff.failures());
        }
    }

    fn measure(&self, bytes: usize, since: Instant) {
        let ms = since.elapsed().as_millis().max(1);
        if bytes >= MEASURABLE {
            let kbps = u32::try_from(bytes as u128 / ms).unwrap_or(u32::MAX);
            self.context.board.count(|t| t.list_kbps = Some(kbps));
        }
    }
}
