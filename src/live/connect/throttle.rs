//! Our own manners towards one API server: a token bucket, with a lane of its own for what a person waits for.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Requests per second and burst, per lane (client-go's defaults are 5 and 10; kubectl's 50 and 300).
const RATE: f64 = 20.0;
const BURST: f64 = 40.0;

/// Whose request it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Lists, watches, probes.
    Background,
    /// A person waits for the answer.
    Interactive,
}

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    filled: Instant,
}

/// The buckets of one cluster.
#[derive(Debug)]
pub(super) struct Throttle {
    background: Mutex<Bucket>,
    interactive: Mutex<Bucket>,
}

impl Throttle {
    pub(super) fn new() -> Self {
        let bucket = || Mutex::new(Bucket { tokens: BURST, filled: Instant::now() });
        Self { background: bucket(), interactive: bucket() }
    }

    /// Waits for this request's turn.
    pub(super) async fn turn(&self, lane: Lane) {
        let wait = self.reserve(lane, Instant::now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }

    /// Takes a token, into debt if there is none, and says how long until the debt is paid.
    fn reserve(&self, lane: Lane, now: Instant) -> Duration {
        let bucket = match lane {
            Lane::Background => &self.background,
            Lane::Interactive => &self.interactive,
        };
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let gained = now.duration_since(bucket.filled).as_secs_f64() * RATE;
        bucket.tokens = (bucket.tokens + gained).min(BURST) - 1.0;
        bucket.filled = now;
        Duration::from_secs_f64((-bucket.tokens).max(0.0) / RATE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_free_then_requests_are_spaced_and_the_lanes_do_not_meet() {
        let throttle = Throttle::new();
        let now = Instant::now();
        let wait = |lane, at| throttle.reserve(lane, at).as_millis();
        for _ in 0..40 {
            assert_eq!(wait(Lane::Background, now), 0);
        }
        assert!(wait(Lane::Background, now).abs_diff(50) <= 1);
        assert!(wait(Lane::Background, now).abs_diff(100) <= 1);
        assert_eq!(wait(Lane::Interactive, now), 0);
        assert_eq!(wait(Lane::Background, now + Duration::from_secs(1)), 0);
    }
}
