//! No subcommand: the console itself.

use std::{process::ExitCode, sync::Arc};

use super::{Setup, is_terminal};
use crate::{messages::cli as text, tui};

/// Opens the console, on the objects of a kind with `--open`.
pub(super) fn run(setup: &Setup, open: Option<String>) -> anyhow::Result<ExitCode> {
    if !is_terminal() {
        anyhow::bail!(text::NO_TERMINAL.text(setup.lang));
    }
    tui::run(Arc::clone(&setup.settings), &setup.request, open)
}
