//! One picture of the fleet for a command: connect, list what is needed, and stop when every cluster has answered or
//! failed, or when the time is over.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{mpsc, oneshot};

use super::Setup;
use crate::{
    config::Settings,
    fleet::{Store, delta::Delta},
    live,
    model::{Builtin, Cause, CauseCode, ClusterId, ClusterState, Condition, KindId, KindSet, KindStatus, Millis},
};

/// How long a command waits when `--timeout` says nothing.
pub(super) const USUAL_TIMEOUT: Duration = Duration::from_secs(30);
/// A failure that may pass (a reset, a busy server) is believed when it is this old.
const BELIEVED: Duration = Duration::from_secs(3);
/// The settled state is looked at this often while nothing arrives.
const TICK: Duration = Duration::from_millis(100);

/// What a command needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Need {
    /// Kinds; empty = all.
    pub kinds: Vec<KindId>,
    /// Use by metrics.k8s.io too.
    pub metrics: bool,
    /// Wait for the round trip and the credential too, where they come.
    pub facts: bool,
    /// A hub cluster whose policies are read too.
    pub hub: Option<String>,
    /// How long to wait.
    pub timeout: Duration,
}

/// The picture.
#[derive(Debug)]
pub(super) struct Picture {
    /// Everything that was read.
    pub store: Store,
    /// When it was taken.
    pub now: Millis,
    /// Clusters that did not answer in full: name and why not, in the order of the fleet.
    pub missing: Vec<(ClusterId, Gap)>,
    /// Clusters asked.
    pub asked: usize,
    /// The policies of the hub, where they were asked for.
    pub hub: OfHub,
}

/// Why a cluster, or a part of it, is missing from the answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Gap {
    /// The cluster did not become live; its condition says why, or that the time was over.
    Cluster(Condition),
    /// These kinds could not be read.
    Kinds(Vec<(KindId, KindStatus)>),
    /// So many objects could not be read; the latest of them: what, and why not.
    Objects(u32, Vec<(String, String)>),
}

impl Picture {
    /// True when no cluster answered at all.
    pub(super) fn nothing(&self) -> bool {
        let silent = self.missing.iter().filter(|(_, gap)| matches!(gap, Gap::Cluster(_))).count();
        self.asked > 0 && silent == self.asked
    }
}

/// Takes the picture. Blocks the calling thread, which must not be one of a tokio runtime.
///
/// # Errors
///
/// The runtime cannot be started.
pub(super) fn collect(setup: &Setup, need: &Need) -> anyhow::Result<Picture> {
    let (settings, kinds) = (&setup.settings, &setup.kinds);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (store, hub) = runtime.block_on(gather(settings, kinds, need, &setup.request.env));
    // Tasks of clusters that hang must not hold the answer back.
    runtime.shutdown_background();
    let mut picture = Picture { store, now: now(), missing: Vec::new(), asked: settings.targets.len(), hub };
    picture.store.tick(picture.now);
    picture.missing = gaps(&picture.store, kinds, need);
    Ok(picture)
}

/// The answer about a hub, where one was asked for.
type OfHub = Option<Result<live::HubPolicies, Cause>>;

async fn gather(
    settings: &Arc<Settings>,
    kinds: &KindSet,
    need: &Need,
    env: &BTreeMap<String, String>,
) -> (Store, OfHub) {
    let options = live::Options {
        only: need.kinds.clone(),
        cache: false,
        metrics: need.metrics,
        env: env.clone(),
        launcher: live::own_program(),
        ..live::Options::default()
    };
    let (engine, mut deltas) = live::start(Arc::clone(settings), kinds.clone(), options);
    let mut store = Store::new(kinds.clone(), settings.services.clone());
    let deadline = tokio::time::Instant::now() + need.timeout;
    let mut failures = Failures::default();
    loop {
        tokio::select! {
            batch = deltas.recv() => match batch {
                Some(batch) => take(batch, &mut store, &mut failures),
                None => break,
            },
            () = tokio::time::sleep(TICK) => {}
            () = tokio::time::sleep_until(deadline) => break,
        }
        while let Ok(batch) = deltas.try_recv() {
            take(batch, &mut store, &mut failures);
        }
        if is_settled(&store, settings.targets.len(), &failures, need) {
            break;
        }
    }
    let number = |name: &str| store.clusters().find(|(_, s)| *s.record.name == *name).map(|(id, _)| id);
    let hub = need.hub.as_deref().map(number);
    let asking = ask_hub(engine.asks.clone(), hub);
    tokio::pin!(asking);
    // The clusters' tasks answer only while somebody takes what they send.
    let hub = loop {
        tokio::select! {
            answer = &mut asking => break answer,
            Some(batch) = deltas.recv() => rows(batch, &mut store),
        }
    };
    drop(engine);
    failures.restore(&mut store);
    drain(&mut deltas, &mut store);
    (store, hub)
}

/// Reads the policies of the hub, which has been connected by now, or says why not. The inner nothing: the fleet has no such
/// cluster.
async fn ask_hub(asks: mpsc::Sender<live::Ask>, hub: Option<Option<ClusterId>>) -> OfHub {
    let Some(cluster) = hub? else { return Some(Err(Cause::new(CauseCode::Config, "not in the fleet"))) };
    let (answer, answered) = oneshot::channel();
    let _ = asks.send(live::Ask::Policies { cluster, answer }).await;
    Some(answered.await.unwrap_or_else(|_| Err(Cause::new(CauseCode::Timeout, "no answer"))))
}

fn take(batch: Vec<Delta>, store: &mut Store, failures: &mut Failures) {
    for delta in batch {
        if let Delta::Condition(id, condition) = &delta {
            failures.note(*id, condition);
        }
        store.apply(delta);
    }
}

/// Rows that were received already and not looked at; states are as they were judged.
fn drain(deltas: &mut mpsc::Receiver<Vec<Delta>>, store: &mut Store) {
    while let Ok(batch) = deltas.try_recv() {
        rows(batch, store);
    }
}

fn rows(batch: Vec<Delta>, store: &mut Store) {
    for delta in batch.into_iter().filter(|d| !matches!(d, Delta::Condition(..) | Delta::Gone(_))) {
        store.apply(delta);
    }
}

/// The last failure of each cluster: while it is being tried again its state says "connecting", and the answer must still
/// say what is wrong.
#[derive(Debug, Default)]
struct Failures(BTreeMap<ClusterId, (Condition, Instant)>);

impl Failures {
    fn note(&mut self, id: ClusterId, condition: &Condition) {
        match condition.state {
            ClusterState::Live | ClusterState::Syncing => {
                self.0.remove(&id);
            }
            ClusterState::Connecting => {}
            ClusterState::Stale | ClusterState::Unreachable | ClusterState::LoginExpired | ClusterState::Forbidden => {
                let since = self.0.get(&id).map_or_else(Instant::now, |(_, since)| *since);
                self.0.insert(id, (condition.clone(), since));
            }
        }
    }

    /// Whether the cluster's failure is to be believed.
    fn is_final(&self, id: ClusterId) -> bool {
        self.0.get(&id).is_some_and(|(condition, since)| {
            let code = condition.cause.as_ref().map(|c| c.code);
            since.elapsed() >= BELIEVED || code.is_some_and(stays)
        })
    }

    fn restore(self, store: &mut Store) {
        for (id, (condition, _)) in self.0 {
            if store.shard(id).is_some_and(|s| s.condition.state == ClusterState::Connecting) {
                store.apply(Delta::Condition(id, condition));
            }
        }
    }
}

/// Causes that trying again does not cure.
fn stays(code: CauseCode) -> bool {
    matches!(
        code,
        CauseCode::TlsExpired
            | CauseCode::TlsUntrusted
            | CauseCode::TlsName
            | CauseCode::ClientCertificate
            | CauseCode::Unauthorized
            | CauseCode::ExecPlugin
            | CauseCode::Forbidden
            | CauseCode::Config
            | CauseCode::OtherCluster
    )
}

fn is_settled(store: &Store, wanted: usize, failures: &Failures, need: &Need) -> bool {
    let mut known = 0;
    for (id, shard) in store.clusters() {
        known += 1;
        let live = shard.condition.state == ClusterState::Live;
        let told = !need.facts || (shard.facts.rtt_ms.is_some() && shard.facts.version.is_some());
        if !(live && told || failures.is_final(id)) {
            return false;
        }
    }
    known >= wanted
}

/// What is missing from the picture.
fn gaps(store: &Store, kinds: &KindSet, need: &Need) -> Vec<(ClusterId, Gap)> {
    let optional = |kind: KindId| kinds.info(kind).is_none_or(|info| info.optional);
    let mut missing = Vec::new();
    for (id, shard) in store.clusters() {
        if shard.condition.state != ClusterState::Live {
            missing.push((id, Gap::Cluster(shard.condition.clone())));
            continue;
        }
        let unread: Vec<(KindId, KindStatus)> = shard
            .kinds
            .iter()
            .enumerate()
            .map(|(i, status)| (KindId(u16::try_from(i).unwrap_or(u16::MAX)), status.clone()))
            .filter(|(kind, _)| need.kinds.is_empty() || need.kinds.contains(kind))
            .filter(|(kind, status)| match status {
                KindStatus::Forbidden(_) | KindStatus::Failing(_) | KindStatus::Stale(_) => true,
                KindStatus::NotServed => !optional(*kind),
                KindStatus::Waiting | KindStatus::Listing { .. } | KindStatus::Live | KindStatus::Polling => false,
            })
            .collect();
        if !unread.is_empty() {
            missing.push((id, Gap::Kinds(unread)));
        }
        // Nothing but the needed kinds was read, so that each of these belongs to the answer.
        let facts = &shard.facts;
        if facts.unreadable > 0 {
            missing.push((id, Gap::Objects(facts.unreadable, facts.unreadable_latest.clone())));
        }
    }
    missing
}

/// The kinds that the Matrix is made of.
pub(super) fn matrix_kinds() -> Vec<KindId> {
    let parts = [Builtin::Pod, Builtin::ConfigMap, Builtin::Secret, Builtin::Namespace];
    Builtin::WORKLOADS.iter().chain(&parts).map(|k| k.id()).collect()
}

/// The wall clock, read here and handed on.
pub(super) fn now() -> Millis {
    Millis(jiff::Timestamp::now().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fleet::service::ServiceRules,
        model::{ClusterFacts, ClusterRecord},
    };

    fn condition(state: ClusterState, code: Option<CauseCode>) -> Condition {
        Condition { state, cause: code.map(|c| Cause::new(c, "words")), ..Condition::default() }
    }

    fn store(states: &[(ClusterState, Option<CauseCode>)]) -> (Store, Failures) {
        let mut store = Store::new(KindSet::default(), ServiceRules::default());
        let mut failures = Failures::default();
        for (i, (state, code)) in states.iter().enumerate() {
            let id = ClusterId(u16::try_from(i).unwrap());
            let record = ClusterRecord { name: format!("c{i}").into(), ..ClusterRecord::default() };
            let deltas = vec![Delta::Record(id, Arc::new(record)), Delta::Condition(id, condition(*state, *code))];
            take(deltas, &mut store, &mut failures);
        }
        (store, failures)
    }

    #[test]
    fn settled_when_all_are_live_or_failed_for_good() {
        use ClusterState::{Connecting, Live, LoginExpired, Syncing, Unreachable};
        for (states, settled) in [
            (vec![(Live, None), (Live, None)], true),
            (vec![(Live, None), (Syncing, None)], false),
            (vec![(Live, None), (Connecting, None)], false),
            (vec![(Live, None), (LoginExpired, Some(CauseCode::Unauthorized))], true),
            (vec![(Live, None), (Unreachable, Some(CauseCode::TlsExpired))], true),
            // May pass: is tried again before it is believed.
            (vec![(Live, None), (Unreachable, Some(CauseCode::Reset))], false),
        ] {
            let (store, failures) = store(&states);
            assert_eq!(is_settled(&store, 2, &failures, &Need::default()), settled, "{states:?}");
            assert!(!is_settled(&store, 3, &failures, &Need::default()), "a cluster has not been heard of at all");
        }
    }

    #[test]
    fn a_cluster_that_is_tried_again_keeps_its_cause() {
        let (mut store, mut failures) = store(&[(ClusterState::Unreachable, Some(CauseCode::Refused))]);
        take(
            vec![Delta::Condition(ClusterId(0), condition(ClusterState::Connecting, None))],
            &mut store,
            &mut failures,
        );
        failures.restore(&mut store);
        let gaps = gaps(&store, &KindSet::default(), &Need::default());
        let [(_, Gap::Cluster(condition))] = gaps.as_slice() else { panic!("{gaps:?}") };
        assert_eq!(condition.cause.as_ref().map(|c| c.code), Some(CauseCode::Refused));
    }

    #[test]
    fn a_kind_that_may_not_be_read_is_a_gap_and_one_that_is_not_needed_is_none() {
        let (mut store, _) = store(&[(ClusterState::Live, None)]);
        let forbidden = KindStatus::Forbidden(Cause::new(CauseCode::Forbidden, "no"));
        store.apply(Delta::Kind(ClusterId(0), Builtin::Secret.id(), forbidden.clone()));
        store.apply(Delta::Kind(ClusterId(0), Builtin::ArgoRollout.id(), KindStatus::NotServed));
        let found = |kinds: Vec<KindId>| gaps(&store, &KindSet::default(), &Need { kinds, ..Need::default() });
        assert_eq!(found(vec![]), vec![(ClusterId(0), Gap::Kinds(vec![(Builtin::Secret.id(), forbidden)]))]);
        assert_eq!(found(vec![Builtin::Pod.id()]), vec![]);
        let latest = vec![("pods shop/odd".to_owned(), "bad".to_owned())];
        let facts = ClusterFacts { unreadable: 1, unreadable_latest: latest.clone(), ..ClusterFacts::default() };
        store.apply(Delta::Facts(ClusterId(0), Arc::new(facts)));
        let found = gaps(&store, &KindSet::default(), &Need { kinds: vec![Builtin::Pod.id()], ..Need::default() });
        assert_eq!(found, vec![(ClusterId(0), Gap::Objects(1, latest))]);
    }
}
