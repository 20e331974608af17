//! Waiting: back-off with jitter, and the lanes that bound the lists of one cluster.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};

/// How long a cluster that answered 429 gets fewer lists at once.
const NARROW: Duration = Duration::from_secs(300);

/// Those who come within this time are let in by rank.
const SETTLE: Duration = Duration::from_millis(1);

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

/// Bounds the lists that run at once in one cluster. Who waits is let in by rank, then in the order of coming. After a
/// 429 half of the lanes close for five minutes.
#[derive(Debug)]
pub struct Lanes {
    lanes: usize,
    inner: Mutex<Traffic>,
}

#[derive(Debug)]
struct Traffic {
    running: usize,
    came: u64,
    waiting: BTreeMap<(u16, u64), oneshot::Sender<Lane>>,
    narrow_until: Option<Instant>,
}

/// A lane in use; free again when it is dropped.
#[derive(Debug)]
pub struct Lane(Option<Arc<Lanes>>);

impl Drop for Lane {
    fn drop(&mut self) {
        if let Some(lanes) = self.0.take() {
            lanes.lock().running -= 1;
            lanes.let_in();
        }
    }
}

impl Lanes {
    /// So many lanes.
    pub fn new(lanes: usize) -> Self {
        let traffic = Traffic { running: 0, came: 0, waiting: BTreeMap::new(), narrow_until: None };
        Self { lanes: lanes.max(1), inner: Mutex::new(traffic) }
    }

    fn lock(&self) -> MutexGuard<'_, Traffic> {
        // Counters and a map: what a panicking holder left is usable.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a lane. Lower ranks go first.
    pub async fn enter(self: &Arc<Self>, rank: u16) -> Option<Lane> {
        let (sender, turn) = oneshot::channel();
        {
            let mut inner = self.lock();
            inner.came += 1;
            let place = (rank, inner.came);
            inner.waiting.insert(place, sender);
        }
        // When a connection opens all kinds come at once: a moment later they stand in order.
        tokio::time::sleep(SETTLE).await;
        self.let_in();
        turn.await.ok()
    }

    /// The server asked to slow down.
    pub fn narrow(&self) {
        self.lock().narrow_until = Some(Instant::now() + NARROW);
    }

    fn let_in(self: &Arc<Self>) {
        let mut inner = self.lock();
        let is_narrow = inner.narrow_until.is_some_and(|until| Instant::now() < until);
        let open = if is_narrow { (self.lanes / 2).max(1) } else { self.lanes };
        while inner.running < open {
            let Some((_, waiting)) = inner.waiting.pop_first() else { return };
            match waiting.send(Lane(Some(Arc::clone(self)))) {
                Ok(()) => inner.running += 1,
                // Gone meanwhile. The lane was never in use, and its drop must not wait for the lock held here.
                Err(mut lane) => drop(lane.0.take()),
            }
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
    async fn lanes_are_few_and_go_by_rank() {
        let lanes = Arc::new(Lanes::new(2));
        let first = futures_util::future::join_all((0..4).rev().map(|rank| {
            let lanes = Arc::clone(&lanes);
            async move { (rank, lanes.enter(rank).await) }
        }));
        let (mut order, mut first) = (Vec::new(), Box::pin(first));
        // Those who wait are let in only as those who are in leave: drive all of them by hand.
        let waiting = async {
            loop {
                tokio::task::yield_now().await;
                let inner = lanes.lock();
                if inner.running == 2 && inner.waiting.len() == 2 {
                    order.extend(inner.waiting.keys().map(|k| k.0));
                    return;
                }
            }
        };
        tokio::select! { _ = &mut first => panic!("four in two lanes"), () = waiting => {} }
        assert_eq!(order, [2, 3], "0 and 1 were let in though they came last");
        drop(first);
        assert_eq!(lanes.lock().running, 0, "lanes of those who went away are free");
        lanes.narrow();
        let one = lanes.enter(0).await;
        let other = lanes.enter(1);
        tokio::pin!(other);
        assert!(futures_util::poll!(&mut other).is_pending());
        drop(one);
        assert!(other.await.is_some());
    }
}
