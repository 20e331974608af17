//! What follows from a failed step: another way to read, a wait, or the admission that the kind may not be read.

use std::time::Duration;

use super::{Cause, CauseCode, Collection, Delta, End, KindStatus, Machine, OwnerGone, State, Style};

/// Longest wait that a server may ask for.
const LONGEST_WAIT: u32 = 300;

impl Machine {
    /// A first stream was not opened. Servers without streaming lists refuse the parameters; the rest is left to `failed`.
    pub(super) fn stream_refused(&mut self, cause: Cause) -> End {
        match cause.status {
            Some(400 | 422) => self.context.set_style(Style::Pages),
            // It may still be listed.
            Some(403 | 405) => self.no_stream = true,
            _ => {}
        }
        End::Failed(cause)
    }

    /// Decides what follows from a failure. Returns when the next step is due.
    pub(super) async fn failed(&mut self, cause: Cause) -> Result<(), OwnerGone> {
        // What came before the failure is true all the same.
        self.flush().await?;
        let was_watching = matches!(self.state, State::Watching(_));
        match cause.status {
            Some(410) => self.too_old(was_watching).await,
            Some(400 | 422) if self.state == State::Start && cause.verb == "watch" => Ok(()),
            Some(403 | 405) if cause.verb == "watch" => self.watch_refused(was_watching),
            Some(403) => self.list_refused(cause).await,
            Some(404 | 405) => self.absent().await,
            _ => self.wait(cause).await,
        }
    }

    /// 410: what we know is too old. The first time in a row this is everyday life and nobody is told.
    async fn too_old(&mut self, was_watching: bool) -> Result<(), OwnerGone> {
        self.no_pages = !was_watching;
        self.state = State::Start;
        let pause = self.stale_pictures.next();
        if self.stale_pictures.failures() > 1 {
            tokio::time::sleep(pause).await;
        }
        Ok(())
    }

    fn watch_refused(&mut self, was_watching: bool) -> Result<(), OwnerGone> {
        if was_watching {
            self.no_watch = true;
            self.state = State::Polling;
            self.set_status(KindStatus::Polling, 0);
        } else {
            self.no_stream = true;
        }
        Ok(())
    }

    async fn list_refused(&mut self, cause: Cause) -> Result<(), OwnerGone> {
        let namespace = self.context.fallback_namespace();
        if self.served.namespaced && self.at.namespace().is_empty() && !namespace.is_empty() {
            self.at = Collection::new(&self.served, &namespace, self.fields());
            self.state = State::Start;
            return Ok(());
        }
        // Next time the whole cluster is tried first again.
        self.at = Collection::new(&self.served, "", self.fields());
        self.state = State::Denied;
        self.drop_rows();
        self.set_status(KindStatus::Forbidden(cause), 0);
        self.flush().await
    }

    async fn absent(&mut self) -> Result<(), OwnerGone> {
        self.state = State::Absent;
        self.drop_rows();
        self.set_status(KindStatus::NotServed, 0);
        self.flush().await
    }

    /// An empty picture: rows that may no longer be read must not stay on the screen as if they were known.
    fn drop_rows(&mut self) {
        self.batch.delta(Delta::ListBegin(self.context.id, self.kind));
        self.batch.delta(Delta::ListDone(self.context.id, self.kind));
    }

    /// Says what is wrong and waits: as long as the server asked for, else by the back-off.
    async fn wait(&mut self, cause: Cause) -> Result<(), OwnerGone> {
        if cause.code == CauseCode::Throttled {
            self.context.lanes.narrow();
        }
        let pause = match cause.retry_after {
            Some(seconds) => {
                let asked = Duration::from_secs(u64::from(seconds.min(LONGEST_WAIT)));
                // Everyone else was told the same number.
                asked + self.backoff.next() / 4
            }
            None => self.backoff.next(),
        };
        let had_rows = matches!(self.status, KindStatus::Live | KindStatus::Polling | KindStatus::Stale(_));
        // A watch that broke once and resumes within the second was never stale (and where the connection is well, one
        // that was silent is of a server without bookmarks); a failure of the try after it is.
        let is_everyday = cause.verb == "watch" && matches!(cause.code, CauseCode::Reset | CauseCode::Silent);
        if !had_rows {
            self.set_status(KindStatus::Failing(cause), self.backoff.failures());
        } else if self.backoff.failures() > 1 || !is_everyday {
            self.set_status(KindStatus::Stale(cause), self.backoff.failures());
        }
        self.flush().await?;
        tokio::time::sleep(pause).await;
        Ok(())
    }

    fn fields(&self) -> &'static str {
        if self.newest.is_some() { "type=Warning" } else { "" }
    }
}
