//! Time and chance of a simulated cluster: a clock that can be hurried or driven by hand, a seeded generator.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};
use std::time::Duration;

use crate::model::Millis;

/// The clock of one fleet. Timestamps are wall time (so that a console shows honest ages); `speed` shortens waits.
#[derive(Clone, Debug)]
pub struct Clock {
    speed: f64,
    manual: Option<Arc<AtomicI64>>,
}

impl Clock {
    /// Wall time; a wait of ten simulated seconds takes `10 / speed` real ones.
    pub fn wall(speed: f64) -> Self {
        Self { speed: if speed > 0.0 { speed } else { 1.0 }, manual: None }
    }

    /// A clock that stands still until [`Clock::advance`] is called: for deterministic tests of controllers.
    pub fn manual(start: Millis) -> Self {
        Self { speed: 1.0, manual: Some(Arc::new(AtomicI64::new(start.0))) }
    }

    /// Moves a manual clock; a wall clock ignores it.
    pub fn advance(&self, by: Duration) {
        if let Some(now) = &self.manual {
            now.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), Ordering::SeqCst);
        }
    }

    /// Now.
    pub fn now(&self) -> Millis {
        match &self.manual {
            Some(now) => Millis(now.load(Ordering::SeqCst)),
            None => Millis(jiff::Timestamp::now().as_millisecond()),
        }
    }

    /// Real time that a simulated wait takes.
    pub fn real(&self, simulated: Duration) -> Duration {
        Duration::try_from_secs_f64(simulated.as_secs_f64() / self.speed).unwrap_or(Duration::MAX)
    }

    /// Simulated seconds per real second.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// `2026-11-30T12:45:27Z`, as in `creationTimestamp`.
    pub fn stamp(&self) -> String {
        rfc3339(self.now())
    }
}

/// `2026-11-30T12:45:27Z`.
pub fn rfc3339(at: Millis) -> String {
    let whole = jiff::Timestamp::from_second(at.0.div_euclid(1000)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    whole.to_string()
}

/// A small seeded generator (SplitMix64): the same seed gives the same fleet.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator of its own for a part (`"cluster-7"`), so that one part's draws do not move another's.
    pub fn fork(seed: u64, part: &str) -> Self {
        let mixed =
            part.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Self(mixed)
    }

    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "a generator has no end to tell")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound` (0 for 0).
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next() % bound }
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of the items; the slice must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let at = self.below(items.len() as u64);
        &items[usize::try_from(at).unwrap_or(0)]
    }

    /// A version-4 UUID.
    pub fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            a >> 32,
            (a >> 16) & 0xffff,
            a & 0xfff,
            0x8000 | ((b >> 48) & 0x3fff),
            b & 0xffff_ffff_ffff
        )
    }

    /// A suffix as `generateName` gives (no vowels, no look-alikes).
    pub fn suffix(&mut self, length: usize) -> String {
        const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..length).map(|_| char::from(*self.pick(ALPHABET))).collect()
    }
}
