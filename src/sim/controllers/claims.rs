//! Claims that are deleted: the finalizer that protects them goes once no pod uses them.

use serde_json::Value;

use super::{Ctx, Key, ctx::MANAGER, value::*};
use crate::{
    model::Millis,
    sim::{defaults::CLAIM_PROTECTION, kinds, store::Writer},
};

/// How often a claim in use is looked at again.
const AGAIN_MS: i64 = 1000;

/// Releases a claim that is being deleted.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let claim = ctx.get(key)?;
    if !deleting(&claim) {
        return None;
    }
    if in_use(ctx, key) {
        return Some(ctx.after(AGAIN_MS));
    }
    ctx.write(key, &Writer::new(MANAGER), |claim| {
        if let Some(list) = claim.pointer_mut("/metadata/finalizers").and_then(Value::as_array_mut) {
            list.retain(|f| f != CLAIM_PROTECTION);
        }
    });
    None
}

fn in_use(ctx: &Ctx<'_>, key: &Key) -> bool {
    let resource = ctx.store.resource(kinds::PODS);
    let pods = ctx.store.list(kinds::PODS, Some(key.namespace())).items;
    pods.iter().map(|pod| pod.value(&resource)).any(|pod| {
        let volumes = at(&pod, "/spec/volumes").as_array().into_iter().flatten();
        volumes.into_iter().any(|v| text(v, "/persistentVolumeClaim/claimName") == key.name())
    })
}
