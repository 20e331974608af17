//! The black-box tests, in one binary: every further one would link the whole tree once more.
//!
//! A harness of our own (libtest-mimic), so that a test that cannot run here is counted as ignored with its reason, and
//! so that shared servers are ended when the last test is over.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]
#![allow(clippy::print_stdout, reason = "figures for whoever reads the log")]

mod support;

#[path = "control-plane/mod.rs"]
mod control_plane;

mod architecture;
mod cli;
mod connection;
mod contract;
mod copies;
mod corpus;
mod drill;
mod hub;
mod plugins;
mod provenance;
mod real;
mod real_screen;
mod rendering;
mod simulated;
mod terminal;
mod wanted;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// A test that always runs.
fn always(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// A test that needs real control planes: skipped by name, with the reason, where they cannot be built.
fn with_control_planes(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || -> Result<Completion, Failed> {
        match control_plane::binaries() {
            Ok(_) => {
                test();
                Ok(Completion::Completed)
            }
            Err(reason) if std::env::var_os("QUARTERDECK_REQUIRE_CONTROL_PLANE").is_some() => Err(reason.into()),
            Err(reason) => Ok(Completion::ignored_with(reason)),
        }
    })
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    trials.extend(architecture::trials());
    trials.extend(cli::trials());
    trials.extend(connection::trials());
    trials.extend(contract::trials());
    trials.extend(copies::trials());
    trials.extend(drill::trials());
    trials.extend(corpus::trials());
    trials.extend(hub::trials());
    trials.extend(plugins::trials());
    trials.extend(provenance::trials());
    trials.extend(real::trials());
    trials.extend(rendering::trials());
    trials.extend(simulated::trials());
    trials.extend(terminal::trials());
    trials.extend(wanted::trials());
    let conclusion = libtest_mimic::run(&arguments, trials);
    contract::shut_down();
    real::shut_down();
    conclusion.exit_code()
}
