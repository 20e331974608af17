//! Waiting: back-off with jitter, and the lanes that bound the lists of one cluster.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

/// How long a cluster that answered 429 gets fewer lists at once.
const NARROW: Duration = Duration::from_secs(300);

/// A number in `0.0..1.0` that differs from call to call and from process to process. For spreading load alone.
pub fn spread() -> f64 {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let bits = RandomState::new().hash_one(CALLS.fetch_add(1, Ordering::Relaxed));
    // 53 bits fill the mantissa exactly.
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// Seconds in `from..to`, spread evenly.
pub fn between(from: f64, to: f64) -> Duration {
    Duration::from_secs_f64(from + (to - from) * spread())
}

/// Doubling waits with jitter.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    first: f64,
    longest: f64,
    failures: u32,
}

impl Backoff {
    /// From `first` to `longest` seconds.
    pub fn new(first: f64, longest: f64) -> Self {
        Self { first, longest, failures: 0 }
    }

    /// Failures in a row.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Counts a failure; the wait before the next try, between half and the whole of the doubled time.
    pub fn next(&mut self) -> Duration {
        let whole = (self.first * 2f64.powi(i32::try_from(self.failures.min(16)).unwrap_or(16))).min(self.longest);
        self.failures = self.failures.saturating_add(1);
        between(whole / 2.0, whole)
    }

    /// After a success.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// Bounds the lists that run at once in one cluster. After a 429 half of the lanes close for five minutes.
#[derive(Debug)]
pub struct Lanes {
    open: Arc<Semaphore>,
    closed: Mutex<Closed>,
}

#[derive(Debug)]
struct Closed {
    permits: Vec<OwnedSemaphorePermit>,
    lanes: usize,
    until: Instant,
}

impl Lanes {
    /// So many lanes.
    pub fn new(lanes: usize) -> Self {
        let lanes = lanes.max(1);
        Self {
            open: Arc::new(Semaphore::new(lanes)),
            closed: Mutex::new(Closed { permits: Vec::new(), lanes, until: Instant::now() }),
        }
    }

    /// Waits for a lane; it is free again when the permit is dropped.
    pub async fn enter(&self) -> Option<OwnedSemaphorePermit> {
        self.widen(Instant::now());
        Arc::clone(&self.open).acquire_owned().await.ok()
    }

    /// The server asked to slow down: call it with the lane of the list that was refused.
    pub fn narrow(&self, own: Option<OwnedSemaphorePermit>) {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        closed.until = Instant::now() + NARROW;
        // One lane always stays open.
        if closed.permits.len() < closed.lanes / 2 {
            closed.permits.extend(own);
        }
    }

    fn widen(&self, now: Instant) {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if now >= closed.until {
            closed.permits.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let mut backoff = Backoff::new(0.8, 30.0);
        for whole in [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0] {
            let wait = backoff.next().as_secs_f64();
            assert!((whole / 2.0..=whole).contains(&wait), "{wait} of {whole}");
        }
        backoff.reset();
        assert!(backoff.next().as_secs_f64() <= 0.8);
    }

    #[tokio::test]
    async fn half_of_the_lanes_close_for_five_minutes() {
        let lanes = Lanes::new(4);
        for _ in 0..4 {
            let own = lanes.enter().await;
            lanes.narrow(own);
        }
        assert_eq!(lanes.open.available_permits(), 2);
        lanes.widen(Instant::now() + NARROW / 2);
        assert_eq!(lanes.open.available_permits(), 2);
        lanes.widen(Instant::now() + NARROW);
        assert_eq!(lanes.open.available_permits(), 4);
    }
}
