//! `schema`: the JSON schemas of the fleet file and of policies, for editors.

use super::{args::SchemaOf, output};
use crate::{config::fleet_file, desired::policy::native};

/// Writes a schema to standard output.
pub(super) fn run(of: SchemaOf) -> anyhow::Result<()> {
    let schema = match of {
        SchemaOf::Fleet => fleet_file::schema(),
        SchemaOf::Policy => native::schema(),
    };
    output::write_out(&schema)
}
