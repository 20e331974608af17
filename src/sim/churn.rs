//! Churn: so many status changes of pods a second over a whole fleet, as kubelets would report them. The rate can be changed
//! while the fleet is served (`PUT /sim/churn`).

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::{clock::Rng, kinds, store::ClusterStore};

/// How often changes are made in one go.
const BEAT: Duration = Duration::from_millis(10);

/// The rate, as it is read and written over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Rate {
    /// Changes a second over the whole fleet.
    pub per_second: u32,
}

/// The switch of a fleet's churn.
#[derive(Debug, Default)]
pub struct Churn {
    per_second: AtomicU32,
    changed: Notify,
}

impl Churn {
    /// The rate.
    pub fn get(&self) -> Rate {
        Rate { per_second: self.per_second.load(Ordering::Relaxed) }
    }

    /// Another rate from now on.
    pub fn set(&self, rate: Rate) {
        self.per_second.store(rate.per_second, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Makes the changes, for ever.
    pub async fn run(self: Arc<Self>, stores: Vec<Arc<ClusterStore>>, seed: u64) {
        let mut herd = Herd { rng: Rng::fork(seed, "churn"), pods: Vec::new(), stores };
        loop {
            if self.get().per_second == 0 {
                self.changed.notified().await;
                continue;
            }
            herd.gather();
            self.stampede(&mut herd).await;
        }
    }

    /// Until the pods must be gathered again: others may have come and gone.
    async fn stampede(&self, herd: &mut Herd) {
        let begun = Instant::now();
        let rate = self.get().per_second;
        let mut made = 0_u64;
        while begun.elapsed() < Duration::from_secs(30) && self.get().per_second == rate && !herd.pods.is_empty() {
            let wanted = (begun.elapsed().as_secs_f64() * f64::from(rate)) as u64;
            for _ in made..wanted {
                herd.change_one();
            }
            made = wanted.max(made);
            tokio::time::sleep(BEAT).await;
        }
        if herd.pods.is_empty() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// The pods that may be changed.
struct Herd {
    rng: Rng,
    stores: Vec<Arc<ClusterStore>>,
    /// Number of the store, key.
    pods: Vec<(usize, Arc<str>)>,
}

impl Herd {
    fn gather(&mut self) {
        let all = self.stores.iter().enumerate();
        self.pods = all
            .flat_map(|(n, s)| s.list(kinds::PODS, None).items.into_iter().map(move |p| (n, Arc::clone(&p.key))))
            .collect();
    }

    fn change_one(&mut self) {
        let bound = self.pods.len() as u64;
        let at = usize::try_from(self.rng.below(bound)).unwrap_or(0);
        let Some((store, key)) = self.pods.get(at) else { return };
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        self.stores[*store].splice(kinds::PODS, namespace, name, one_more_restart);
    }
}

/// The same pod after one more restart of its first container; unchanged where it reports none.
fn one_more_restart(text: &str) -> String {
    const MARK: &str = "\"restartCount\":";
    let Some(from) = text.find(MARK).map(|at| at + MARK.len()) else { return text.to_owned() };
    let end = text[from..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| from + n);
    let count: u64 = text[from..end].parse().unwrap_or(0);
    format!("{}{}{}", &text[..from], count + 1, &text[end..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        model::Millis,
        sim::{clock::Clock, controllers::value::int},
    };

    #[test]
    fn a_change_is_one_more_restart_and_a_new_version() {
        let store = ClusterStore::new("c", 1, Clock::manual(Millis(1_796_000_000_000)), 16);
        let pod = json!({"metadata": {"name": "p", "namespace": "n", "managedFields": [{"fieldsV1": {"f:restartCount": {}}}]},
            "status": {"containerStatuses": [{"restartCount": 9}, {"restartCount": 4}]}});
        let before = store.load(kinds::PODS, pod).version;
        let mut herd = Herd { rng: Rng::new(1), pods: Vec::new(), stores: vec![Arc::clone(&store)] };
        herd.gather();
        herd.change_one();
        let after = store.value(kinds::PODS, "n", "p").unwrap();
        assert_eq!(int(&after, "/status/containerStatuses/0/restartCount", 0), 10);
        assert_eq!(int(&after, "/status/containerStatuses/1/restartCount", 0), 4);
        assert!(store.get(kinds::PODS, "n", "p").unwrap().version > before);
    }
}
