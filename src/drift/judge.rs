//! Judges the differences of one object: what means nothing, who wrote it, what class it is (sections 4 to 6).

use serde_json::Value as Json;

use super::{
    By, Class, Confidence, Difference, Input, Verdict, autoscaler,
    form::Form,
    normalise::{LAST_APPLIED, Normal, normal},
    owners::{self, Entry},
    path::Path,
    shown::Shown,
    silent, walk,
    walk::Raw,
};

/// What every decision on one object looks at.
pub struct Case<'a> {
    /// Kind and schema.
    pub form: &'a Form,
    /// The object as it is, managed fields and all.
    pub live: &'a Json,
    /// The manifest, normalised.
    pub wanted: &'a Normal,
    /// The object, normalised.
    pub held: &'a Normal,
    /// What we wrote last.
    pub last: Option<&'a Normal>,
    /// Who owns what; `None` when the object does not say.
    pub entries: Option<&'a [Entry<'a>]>,
    /// Whether an autoscaler targets it.
    pub scaled: Option<autoscaler::Scaled>,
}

/// A class, the rule that gave it, and how sure it is where the owner alone does not tell.
pub type Judgement = (Class, &'static str, Option<Confidence>);

/// The copy of the manifest that was last applied: the caller's record, else the annotation where a client that writes it
/// delivers (5.4).
pub fn last_applied(live: &Json, input: &Input) -> Option<Json> {
    if let Some(record) = input.last_applied {
        return Some(record.clone());
    }
    let writes = input.appliers.iter().any(|a| a == "kubectl-client-side-apply");
    let text = live.get("metadata")?.get("annotations")?.get(LAST_APPLIED)?.as_str().filter(|_| writes)?;
    serde_json::from_str(text).ok()
}

/// Compares an object with its manifest, both at one version.
pub fn object(desired: &Json, live: &Json, last: Option<&Json>, form: &Form, input: &Input) -> Verdict {
    let wanted = normal(desired, form, true);
    let held = normal(live, form, false);
    let last = last.map(|last| normal(last, form, true));
    let entries = owners::entries(live, input.appliers);
    let scaled = autoscaler::of(live, form, input.siblings);
    let case =
        Case { form, live, wanted: &wanted, held: &held, last: last.as_ref(), entries: entries.as_deref(), scaled };
    let mut verdict = Verdict::default();
    for raw in walk::differences(&wanted.full, &held.full, form) {
        let owners = case.owners(&raw.path);
        let Some((class, rule, confidence)) = case.judge(&raw, &owners) else { continue };
        let shown = |value| Shown::of(value, &raw.path, form, input.key);
        let difference = Difference {
            path: raw.path.to_string(),
            desired: shown(raw.desired),
            live: shown(raw.live),
            class,
            by: raw.live.filter(|_| !raw.order).and_then(|_| owners.first()).map(|entry| by(entry)),
            confidence: confidence.unwrap_or_else(|| sure(&owners)),
            rule,
        };
        if class.is_benign() { verdict.benign.push(difference) } else { verdict.differences.push(difference) }
    }
    verdict
}

fn by(entry: &Entry) -> By {
    By {
        manager: entry.manager.to_owned(),
        operation: if entry.apply { "Apply" } else { "Update" },
        subresource: entry.subresource.to_owned(),
        time: entry.time.to_owned(),
    }
}

/// How sure the owner is (5.3).
fn sure(owners: &[&Entry]) -> Confidence {
    match owners.iter().filter(|o| !o.ours).count() {
        _ if owners.iter().any(|o| o.is_nameless()) => Confidence::Low,
        1 => Confidence::High,
        0 => Confidence::Low,
        _ => Confidence::Medium,
    }
}

impl Case<'_> {
    /// Who owns a path, others first.
    pub fn owners(&self, path: &Path) -> Vec<&Entry<'_>> {
        self.entries.map(|entries| owners::of(entries, path, self.live, self.form)).unwrap_or_default()
    }

    /// Whether the manifest itself says something there, and not a default.
    pub fn wished(&self, path: &Path) -> bool {
        path.find(&self.wanted.set).is_some()
    }

    /// What a record of what we wrote says itself at a path.
    fn applied(&self, path: &Path) -> Option<&Json> {
        path.find(&self.last?.set).filter(|value| !value.is_null())
    }

    /// Equality of two values at a path.
    fn same(&self, path: &Path, a: Option<&Json>, b: Option<&Json>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => {
                let node = walk::node_at(&self.form.root, path);
                walk::at(path.clone(), a, b, node, self.form).is_empty()
            }
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    fn judge(&self, raw: &Raw, owners: &[&Entry]) -> Option<Judgement> {
        if raw.order {
            return Some(self.order(raw));
        }
        if let Some(told) = silent::judge(self, raw, owners) {
            return Some(told);
        }
        match (self.wished(&raw.path), raw.live) {
            (true, None) => Some(self.gone(raw, owners)),
            (true, Some(_)) => Some(self.changed(raw, owners)),
            // A default that an older server does not know.
            (false, None) => None,
            (false, Some(_)) => self.more(raw, owners),
        }
    }

    /// D12: an order has no owner.
    fn order(&self, raw: &Raw) -> Judgement {
        let last = self.last.and_then(|last| raw.path.find(&last.full));
        if self.same(&raw.path, raw.desired, last) {
            (Class::ManualEdit, "D12", Some(Confidence::Low))
        } else {
            (Class::StaleVersion, "D12", Some(Confidence::Low))
        }
    }

    /// D5: wanted, and not there. Nothing tells who removed it (A8).
    fn gone(&self, raw: &Raw, owners: &[&Entry]) -> Judgement {
        let keeps = owners.iter().any(|o| o.ours);
        match (self.last.is_some(), self.applied(&raw.path).is_some()) {
            (true, true) if keeps => (Class::ConflictingManagers, "N37", None),
            (true, true) => (Class::ManualEdit, "D5", Some(Confidence::Low)),
            (true, false) => (Class::StaleVersion, "D5", Some(Confidence::Medium)),
            (false, _) => (Class::StaleVersion, "D5", Some(Confidence::Low)),
        }
    }

    /// Wanted, and there with another value.
    fn changed(&self, raw: &Raw, owners: &[&Entry]) -> Judgement {
        let path = &raw.path;
        let last = self.last.and_then(|last| path.find(&last.full));
        let only_ours = !owners.is_empty() && owners.iter().all(|o| o.ours);
        if only_ours && raw.only_more && !self.known_more(raw) {
            return (Class::Defaulted, "S4.3", Some(Confidence::Low));
        }
        if only_ours && self.same(path, raw.desired, last) {
            return (Class::ConflictingManagers, "N37", None);
        }
        if only_ours {
            return (Class::StaleVersion, "D3", Some(Confidence::High));
        }
        if let Some(told) = self.replicas(raw, owners) {
            return told;
        }
        if self.last.is_some() && self.same(path, raw.live, last) {
            return (Class::StaleVersion, "S5.4", None);
        }
        match owners.first() {
            Some(owner) if owner.is_person() => (Class::ManualEdit, "D6", self.overwritten(owner, owners)),
            Some(owner) if owner.is_delivery() => (Class::ConflictingManagers, "D9", None),
            Some(_) => (Class::ManualEdit, "D11", Some(Confidence::Low)),
            None if self.last.is_some() && self.applied(path).is_none() => (Class::StaleVersion, "D10", None),
            None => (Class::ManualEdit, "D10", Some(Confidence::Low)),
        }
    }

    /// A person's entry in a Secret may be older than what we wrote through `stringData` since (N21).
    fn overwritten(&self, owner: &Entry, owners: &[&Entry]) -> Option<Confidence> {
        let ours = owners.iter().any(|o| o.ours && o.has_string_data());
        (self.form.is_secret() && ours && !owner.ours).then_some(Confidence::Medium)
    }

    /// Whether what a whole list has more was once asked for.
    fn known_more(&self, raw: &Raw) -> bool {
        let last = self.last.and_then(|last| raw.path.find(&last.full));
        last.is_some() && self.same(&raw.path, raw.live, last)
    }

    /// There, and the manifest is silent: section 4.
    fn more(&self, raw: &Raw, owners: &[&Entry]) -> Option<Judgement> {
        let path = &raw.path;
        if let Some(told) = self.replicas(raw, owners) {
            return Some(told);
        }
        if self.applied(path).is_some() {
            return Some((Class::StaleVersion, "D4", None));
        }
        if !owners.is_empty() && owners.iter().all(|o| o.ours) {
            return Some(self.ours_more(raw, owners));
        }
        Some(match owners.first() {
            Some(owner) if owner.is_person() => (Class::ManualEdit, "D6", None),
            Some(_) => (Class::ControllerOwned, "D8", None),
            None if self.left_behind(path) => {
                let sure = if self.last.is_some() { Confidence::Medium } else { Confidence::Low };
                (Class::StaleVersion, "N21", Some(sure))
            }
            None if self.entries.is_some() => (Class::ControllerOwned, "A7", None),
            None => self.untracked(path),
        })
    }

    /// Ours alone: a removal that has not arrived, or what the server added inside a value that counts as one (4.3).
    fn ours_more(&self, raw: &Raw, owners: &[&Entry]) -> Judgement {
        let path = &raw.path;
        // A value that its owner names only through a node above it.
        let above = Path(path.0[..path.0.len().saturating_sub(1)].to_vec());
        let whole = raw.desired.is_none()
            && !above.0.is_empty()
            && owners.iter().all(|owner| !owner.names(path, self.form))
            && self.wished(&above);
        if whole {
            (Class::Defaulted, "S4.3", Some(Confidence::Low))
        } else {
            (Class::StaleVersion, "D4", Some(Confidence::Medium))
        }
    }

    /// A key of a Secret that left `stringData` stays, and nobody owns it.
    fn left_behind(&self, path: &Path) -> bool {
        let ours = || self.entries.into_iter().flatten().any(|e| e.ours && e.has_string_data());
        self.form.is_secret() && path.words().first() == Some(&"data") && ours()
    }

    /// No managed fields at all (4.7).
    fn untracked(&self, path: &Path) -> Judgement {
        let words = path.words();
        let counts = match words.first() {
            Some(&"metadata") => words.get(1) == Some(&"labels"),
            Some(_) => true,
            None => false,
        };
        if counts {
            (Class::ManualEdit, "S4.7", Some(Confidence::Low))
        } else {
            (Class::ControllerOwned, "S4.7", Some(Confidence::Low))
        }
    }

    /// A5: who moved the number of replicas.
    fn replicas(&self, raw: &Raw, owners: &[&Entry]) -> Option<Judgement> {
        if raw.path != Path::keys(&["spec", "replicas"]) || self.form.is("autoscaling", "HorizontalPodAutoscaler") {
            return None;
        }
        let owner = owners.first().filter(|o| !o.ours);
        if let Some(owner) = owner {
            if owner.is_person() {
                return Some((Class::ManualEdit, "A5", None));
            }
            let scaled = owner.subresource == "scale" || self.scaled.is_some();
            return (scaled && !owner.is_delivery()).then_some((Class::ControllerOwned, "A5", None));
        }
        if !owners.is_empty() {
            return None;
        }
        let zero = raw.live.and_then(Json::as_i64) == Some(0);
        let controlled = match self.scaled {
            Some(scaled) => scaled.to_zero || !zero,
            // Silence leaves the number to whoever scales, but not the end of all service.
            None => !zero && !self.wished(&raw.path) && self.entries.is_some(),
        };
        Some(if controlled {
            (Class::ControllerOwned, "A5", None)
        } else {
            (Class::ManualEdit, "A5", Some(Confidence::Low))
        })
    }
}
