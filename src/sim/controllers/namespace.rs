//! What every namespace is given: a default ServiceAccount. (The store empties a namespace
//! that ends and collects what has lost its owner.)

use serde_json::json;

use super::{Ctx, Key, ctx::MANAGER, value::*};
use crate::{model::Millis, sim::kinds};

/// Fills a new namespace.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let space = ctx.get(key)?;
    if text(&space, "/status/phase") == "Terminating" || deleting(&space) {
        return None;
    }
    if ctx.store.get(kinds::SERVICEACCOUNTS, key.name(), "default").is_none() {
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": key.name()}});
        ctx.create(kinds::SERVICEACCOUNTS, account, MANAGER);
    }
    None
}
