//! What the black-box tests share: a terminal around the real binary, waiting for conditions, skipping by name.

#![allow(dead_code, reason = "the tests, a benchmark and the screenshots each use a part")]
#![allow(clippy::expect_used, clippy::panic, reason = "a panic is how a test fails")]

pub mod fleet;
pub mod pty;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// Factor for every deadline, for slow machines: `QUARTERDECK_TEST_PATIENCE=3`.
pub fn patience() -> f64 {
    std::env::var("QUARTERDECK_TEST_PATIENCE").ok().and_then(|v| v.parse().ok()).unwrap_or(1.0)
}

/// Polls until the probe gives a value; fails the test with `what` when the deadline passes.
pub fn wait_for<T>(what: &str, limit: Duration, mut probe: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + limit.mul_f64(patience());
    loop {
        if let Some(value) = probe() {
            return value;
        }
        assert!(Instant::now() < deadline, "waited in vain for: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The binary under test: what cargo built beside this test or example.
pub fn binary() -> PathBuf {
    option_env!("CARGO_BIN_EXE_quarterdeck").map_or_else(
        || {
            let own = std::env::current_exe().expect("own path");
            own.parent().and_then(|p| p.parent()).expect("target folder").join("quarterdeck")
        },
        PathBuf::from,
    )
}
