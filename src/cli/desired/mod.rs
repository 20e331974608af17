//! The commands of desired state: `render`, `place`, `explain`, `whatif`, `differences`, `lint`. Offline: the ledger and the
//! files say everything. `--live` asks the clusters too: for regions and zones, for room, and for what runs now.

pub(super) mod differences;
pub(super) mod explain;
pub(super) mod lint;
pub(super) mod place;
pub(super) mod render;
pub(super) mod whatif;

use std::sync::Arc;

use super::{
    Outcome, Setup,
    collect::{self, Need, Picture},
    complain, problem_line, tell_missing, words,
};
use crate::{
    config,
    desired::{
        cluster::Cluster,
        engine::{Desired, Inputs, Outcome as ServiceOutcome, Owner, Placed},
        object::{Object, ObjectKey},
        observed,
    },
    live::HubPolicies,
    messages::desired as text,
    model::{Builtin, Cause},
    render::{Tools, facts, load, tools},
};

/// Desired state, and what goes with it.
struct Wanted {
    desired: Desired,
    /// The documents that the policies were read from.
    documents: Vec<Arc<Object>>,
    /// Numbers of the clusters that `--context` and `--group` chose; all of them where nothing was chosen.
    shown: Vec<u32>,
    /// What was asked of the clusters, with `--live`.
    picture: Option<Picture>,
    /// A source, a policy, or the policies of the hub could not be read: the answer is not whole.
    lacking: bool,
}

/// Loads everything; problems go to standard error. The whole fleet counts for placement, whatever part of it is shown.
fn wanted(setup: &Setup, live: bool) -> anyhow::Result<Wanted> {
    let declared = &setup.settings.desired;
    if declared.services.is_empty() && declared.policies.is_empty() && declared.hub.is_none() {
        anyhow::bail!(text::NOTHING_DECLARED.text(setup.lang));
    }
    let whole = whole_fleet(setup);
    let mut picture = if live { Some(look(&whole)?) } else { None };
    let hub = match (&declared.hub, &mut picture) {
        (None, _) => None,
        (Some(_), Some(picture)) => picture.hub.take(),
        (Some(hub), None) => ask_hub(&whole, &hub.cluster)?,
    };
    let seen = picture.as_ref().map(|p| facts::of(&p.store, p.now)).unwrap_or_default();
    let hub = hub_policies(setup, hub);
    let clusters: Vec<Cluster> = match &picture {
        Some(_) => seen.clusters.clone(),
        None => whole.settings.targets.iter().map(|t| observed::declared(&t.record)).collect(),
    };
    let tools = tools(setup);
    let loaded = load::load(declared, &clusters, hub.as_deref().unwrap_or_default(), &tools, None);
    for trouble in &loaded.troubles {
        let line = problem_line(&trouble.problem(setup.lang));
        let values = [("service", trouble.service.as_str()), ("text", line.as_str())];
        complain(
            setup.lang,
            &if trouble.service.is_empty() { line.clone() } else { text::TROUBLE.fill(setup.lang, &values) },
        );
    }
    let lacking = hub.is_none() || !loaded.troubles.is_empty();
    let inputs = Inputs {
        clusters: Arc::new(clusters),
        services: loaded.services.clone(),
        policies: loaded.policies.clone(),
        states: Arc::new(facts::states(&seen.live, &loaded.services, None)),
    };
    let desired = Desired::of(inputs, None);
    let chosen: Vec<&str> = setup.settings.targets.iter().map(|t| &*t.record.name).collect();
    let shown = (0u32..).zip(desired.inputs.clusters.iter()).filter(|(_, c)| chosen.contains(&&*c.name));
    let shown = shown.map(|(n, _)| n).collect();
    Ok(Wanted { desired, documents: loaded.documents, shown, picture, lacking })
}

/// The fleet without `--context` and `--group`: these choose what is shown, not what exists.
fn whole_fleet(setup: &Setup) -> Setup {
    let mut request = setup.request.clone();
    request.contexts.clear();
    request.groups.clear();
    let settings = match config::resolve_telling_all(&request) {
        Ok(settings) => Arc::new(settings),
        Err(_) => setup.settings.clone(),
    };
    Setup { request, settings, kinds: setup.kinds.clone(), timeout: setup.timeout, lang: setup.lang }
}

fn look(setup: &Setup) -> anyhow::Result<Picture> {
    let kinds = Builtin::ALL.iter().filter(|k| !matches!(k, Builtin::Event | Builtin::EndpointSlice)).map(|k| k.id());
    let hub = setup.settings.desired.hub.as_ref().map(|h| h.cluster.clone());
    let need = Need { kinds: kinds.collect(), metrics: false, facts: true, hub, timeout: setup.timeout };
    collect::collect(setup, &need)
}

/// Asks the hub alone: its policies belong to what is declared.
fn ask_hub(whole: &Setup, hub: &str) -> anyhow::Result<Option<Result<HubPolicies, Cause>>> {
    let mut settings = (*whole.settings).clone();
    settings.targets.retain(|t| *t.record.name == *hub);
    let setup = Setup {
        request: whole.request.clone(),
        settings: Arc::new(settings),
        kinds: whole.kinds.clone(),
        timeout: whole.timeout,
        lang: whole.lang,
    };
    let kinds = vec![Builtin::Namespace.id()];
    let need = Need { kinds, hub: Some(hub.to_owned()), timeout: setup.timeout, ..Need::default() };
    Ok(collect::collect(&setup, &need)?.hub)
}

/// The hub's policies as objects, nothing where no hub is declared; `None` = they could not be read, which is told.
fn hub_policies(setup: &Setup, answer: Option<Result<HubPolicies, Cause>>) -> Option<Vec<Arc<Object>>> {
    let (Some(hub), Some(answer)) = (&setup.settings.desired.hub, answer) else { return Some(Vec::new()) };
    let tell = |msg: crate::messages::Msg, key, value: &str| {
        complain(setup.lang, &msg.fill(setup.lang, &[("cluster", &hub.cluster), (key, value)]));
    };
    match answer {
        Ok(policies) => {
            if !policies.absent.is_empty() {
                tell(text::HUB_ABSENT, "kinds", &policies.absent.join(", "));
            }
            Some(facts::of_hub(&hub.cluster, &policies.items))
        }
        Err(cause) => {
            tell(text::HUB_UNREAD, "cause", &words::cause(&cause, setup.lang));
            None
        }
    }
}

/// The tools, and the folder that places are named from: the fleet file's.
fn tools(setup: &Setup) -> Tools {
    tools::of(&setup.settings, &setup.request.env)
}

impl Wanted {
    /// Services whose name fits one of the words (or `namespace/name`); all of them for no words.
    fn services<'a>(&'a self, setup: &Setup, words: &[String]) -> anyhow::Result<Vec<&'a Arc<ServiceOutcome>>> {
        let namespace = setup.request.namespace.as_deref();
        let fits = |outcome: &ServiceOutcome, word: &str| {
            let (name, space) = (&*outcome.service.name, &*outcome.service.namespace);
            word == name || word.split_once('/').is_some_and(|(s, n)| s == space && n == name)
        };
        for word in words {
            if !self.desired.services.iter().any(|o| fits(o, word)) {
                let known: Vec<&str> = self.desired.services.iter().map(|o| &*o.service.name).collect();
                let values = [("name", word.as_str()), ("known", &known.join(", "))];
                anyhow::bail!(text::NO_SERVICE.fill(setup.lang, &values));
            }
        }
        let chosen = self.desired.services.iter().filter(|o| {
            (words.is_empty() || words.iter().any(|w| fits(o, w)))
                && namespace.is_none_or(|n| *o.service.namespace == *n || o.service.namespace.is_empty())
        });
        Ok(chosen.collect())
    }

    /// The objects that `KIND/NAME` means; kinds by any case, and by their lower-case plural.
    fn objects<'a>(
        &'a self,
        setup: &Setup,
        word: &str,
    ) -> anyhow::Result<Vec<(&'a Arc<ServiceOutcome>, &'a Arc<Placed>)>> {
        let (kind, name) = word.split_once('/').unwrap_or(("", word));
        let namespace = setup.request.namespace.as_deref();
        let is = |key: &ObjectKey| {
            let own = key.kind.to_lowercase();
            let asked = kind.to_lowercase();
            let kind_fits =
                asked.is_empty() || asked == own || asked == format!("{own}s") || short(&asked) == Some(&own);
            kind_fits && *key.name == *name && namespace.is_none_or(|n| *key.namespace == *n)
        };
        let found: Vec<_> = self
            .desired
            .services
            .iter()
            .flat_map(|o| o.placed.iter().map(move |p| (o, p)))
            .filter(|(_, p)| is(&p.key))
            .collect();
        if found.is_empty() {
            anyhow::bail!(text::NO_OBJECT.fill(setup.lang, &[("name", word)]));
        }
        Ok(found)
    }

    /// Name of a cluster.
    fn cluster(&self, number: u32) -> &str {
        usize::try_from(number).ok().and_then(|n| self.desired.inputs.clusters.get(n)).map_or("", |c| &c.name)
    }

    /// How the command ended: what could not be read, and clusters that did not answer, were named.
    fn outcome(&self, setup: &Setup, findings: bool) -> Outcome {
        match &self.picture {
            Some(picture) => match tell_missing(setup, picture, findings) {
                Outcome::Fine | Outcome::Findings if self.lacking => Outcome::Partial,
                outcome => outcome,
            },
            None if self.lacking => Outcome::Partial,
            None if findings => Outcome::Findings,
            None => Outcome::Fine,
        }
    }
}

/// The short names that fingers know.
fn short(word: &str) -> Option<&'static str> {
    Some(match word {
        "deploy" => "deployment",
        "sts" => "statefulset",
        "ds" => "daemonset",
        "cm" => "configmap",
        "svc" => "service",
        "ing" => "ingress",
        "hpa" => "horizontalpodautoscaler",
        "pdb" => "poddisruptionbudget",
        "sa" => "serviceaccount",
        "ns" => "namespace",
        "cj" => "cronjob",
        _ => return None,
    })
}

/// Who sends an object, as a word for people and as a record.
fn owner(placed: &Placed, lang: crate::messages::Lang) -> (String, serde_json::Value) {
    match &placed.owner {
        Owner::Policy(policy) => {
            let id = &policy.id;
            let json = serde_json::json!({
                "by": "policy", "kind": &*id.kind, "namespace": &*id.namespace, "name": &*id.name, "at": policy.at.to_string(),
            });
            (id.to_string(), json)
        }
        Owner::Source => {
            (placed.source.title.clone(), serde_json::json!({"by": "source", "name": placed.source.title}))
        }
        Owner::Followed => (text::FOLLOWS.text(lang).to_owned(), serde_json::json!({"by": "followed"})),
        Owner::Nobody => (text::NOBODY.text(lang).to_owned(), serde_json::json!({"by": "nobody"})),
    }
}
