//! An engine against one scripted server, and what it said.

use std::{sync::Arc, time::Duration};

use tokio::sync::mpsc;

use crate::{
    config::{Settings, Target, kubeconfig::Access},
    fleet::{Store, delta::Delta},
    live::{Ask, Engine, Options, Times, start},
    model::{Builtin, ClusterId, ClusterRecord, ClusterState, Condition, KindId, KindSet, KindStatus},
};

/// Longest wait for anything.
const LIMIT: Duration = Duration::from_secs(30);

/// The only cluster.
pub const CLUSTER: ClusterId = ClusterId(0);

/// A running engine and its owner.
pub struct Run {
    /// The engine.
    pub engine: Engine,
    deltas: mpsc::Receiver<Vec<Delta>>,
    /// What the owner holds.
    pub store: Store,
    /// Statuses of kinds in order.
    pub statuses: Vec<(KindId, KindStatus)>,
    /// Conditions in order.
    pub conditions: Vec<Condition>,
}

/// Settings with clusters of these names and URLs.
pub fn settings(clusters: &[(&str, &str)], namespace: &str) -> Settings {
    let target = |(name, url): &(&str, &str)| Target {
        record: Arc::new(ClusterRecord { name: (*name).into(), context: (*name).into(), ..ClusterRecord::default() }),
        access: Ok(Arc::new(Access {
            context: (*name).into(),
            server: (*url).into(),
            namespace: namespace.into(),
            ..Access::default()
        })),
    };
    Settings { targets: clusters.iter().map(target).collect(), ..Settings::default() }
}

/// Options for tests: no patience.
pub fn options(kinds: &[Builtin]) -> Options {
    let ms = Duration::from_millis;
    let times = Times {
        end_bookmark: ms(300),
        news: ms(200),
        poll: ms(50),
        recheck: ms(200),
        good_watch: ms(50),
        probe: ms(100),
        backoff: (0.02, 0.1),
        reconnect: (0.02, 0.1),
        ..Times::default()
    };
    Options {
        lists: 1,
        only: kinds.iter().map(|k| k.id()).collect(),
        cache: false,
        metrics: false,
        env: std::collections::BTreeMap::new(),
        times,
        ..Options::default()
    }
}

impl Run {
    /// Starts with one cluster at `url`.
    pub fn start(url: &str, kinds: &[Builtin], namespace: &str) -> Self {
        Self::with(settings(&[("one", url)], namespace), options(kinds))
    }

    /// Starts.
    pub fn with(settings: Settings, options: Options) -> Self {
        let kinds = KindSet::default();
        let store = Store::new(kinds.clone(), settings.services.clone());
        let (engine, deltas) = start(Arc::new(settings), kinds, options);
        Self { engine, deltas, store, statuses: Vec::new(), conditions: Vec::new() }
    }

    /// Takes deltas in until the condition holds.
    pub async fn until(&mut self, what: &str, test: impl Fn(&Self) -> bool) {
        let waiting = async {
            while !test(self) {
                let batch = self.deltas.recv().await.expect("the engine ended");
                for delta in batch {
                    match &delta {
                        Delta::Kind(CLUSTER, kind, status) => self.statuses.push((*kind, status.clone())),
                        Delta::Condition(CLUSTER, condition) => self.conditions.push(condition.clone()),
                        _ => {}
                    }
                    self.store.apply(delta);
                }
            }
        };
        let done = tokio::time::timeout(LIMIT, waiting).await;
        assert!(
            done.is_ok(),
            "{what} did not come: {:?} {:?} {:?}",
            self.names(Builtin::Pod),
            self.statuses,
            self.conditions
        );
    }

    /// Until these pods, sorted by name, are all there is.
    pub async fn until_pods(&mut self, names: &[&str]) {
        self.until(&format!("{names:?}"), |run| run.names(Builtin::Pod) == names).await;
    }

    /// Until the cluster is live.
    pub async fn until_live(&mut self) {
        self.until("live", |run| run.state() == ClusterState::Live).await;
    }

    /// The cluster's state.
    pub fn state(&self) -> ClusterState {
        self.store.shard(CLUSTER).map(|s| s.condition.state).unwrap_or_default()
    }

    /// Names of the rows of a kind, sorted.
    pub fn names(&self, kind: Builtin) -> Vec<String> {
        let mut names: Vec<String> = self.store.rows(CLUSTER, kind.id()).map(|(_, r)| r.name.to_string()).collect();
        names.sort();
        names
    }

    /// Latest status of a kind.
    pub fn status(&self, kind: Builtin) -> Option<&KindStatus> {
        self.statuses.iter().rev().find(|(k, _)| *k == kind.id()).map(|(_, s)| s)
    }

    /// Whether a kind ever had such a status.
    pub fn ever(&self, kind: Builtin, test: impl Fn(&KindStatus) -> bool) -> bool {
        self.statuses.iter().any(|(k, s)| *k == kind.id() && test(s))
    }

    /// Asks the engine.
    pub async fn ask(&self, ask: Ask) {
        self.engine.asks.send(ask).await.unwrap();
    }
}
