//! `schema`: the JSON schema of the fleet file, for editors.

use super::output;
use crate::config::fleet_file;

/// Writes the schema to standard output.
pub(super) fn run() -> anyhow::Result<()> {
    output::write_out(&fleet_file::schema())
}
