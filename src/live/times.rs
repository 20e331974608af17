//! How long everything waits. The defaults are the product's; tests shorten them.

use std::time::Duration;

/// Times of the tasks of one cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// For the headers of a list or a watch.
    pub headers: Duration,
    /// A list body that stops for so long is given up.
    pub body: Duration,
    /// A watch with bookmarks is never silent for much more than a minute: this silent, it is dead.
    pub silence: Duration,
    /// A streaming list whose end bookmark does not come so long after its last event never ends.
    pub end_bookmark: Duration,
    /// Between two lists of a kind that cannot be watched.
    pub poll: Duration,
    /// A kind that may not be read, or is not served, is tried again after so long.
    pub recheck: Duration,
    /// A watch that was open for so long has succeeded, whatever ended it.
    pub good_watch: Duration,
    /// How often news of no urgency (last heard, counters) is told. All clusters tell it on the same multiple of this by
    /// the clock, so that an idle fleet wakes the screen once for all of them.
    pub news: Duration,
    /// Between two probes of round trip and identity.
    pub probe: Duration,
    /// First and longest wait of a kind that fails, seconds.
    pub backoff: (f64, f64),
    /// First and longest wait of a cluster that cannot be reached, seconds.
    pub reconnect: (f64, f64),
}

impl Default for Times {
    fn default() -> Self {
        Self {
            headers: Duration::from_secs(30),
            body: Duration::from_secs(30),
            silence: Duration::from_secs(90),
            end_bookmark: Duration::from_secs(10),
            poll: Duration::from_secs(5),
            recheck: Duration::from_secs(300),
            good_watch: Duration::from_secs(10),
            news: Duration::from_secs(5),
            probe: Duration::from_secs(15),
            backoff: (0.8, 30.0),
            reconnect: (1.0, 30.0),
        }
    }
}
