//! Keeps desired state up to date in a thread of its own: renders when files change, places anew when facts of clusters
//! change, and hands each new picture to whoever asked.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};

use notify::{RecursiveMode, Watcher as _};

use super::{
    Tools, facts,
    load::{self, Loaded, Trouble},
};
use crate::{
    config::desired::Desired as Declared,
    desired::{
        cluster::Cluster,
        engine::{Desired, Inputs},
        object::{Object, ObjectKey},
    },
};

/// Changes of files come in bursts: an editor writes twice, a checkout hundreds of times.
const SETTLE: Duration = Duration::from_millis(60);
/// Least time between two computations because of changed facts.
const FACTS: Duration = Duration::from_secs(2);
/// Longest wait before a change of files is acted on while more of them keep coming.
const LATEST: Duration = Duration::from_secs(2);

/// Desired state as it is now.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What should be where.
    pub desired: Arc<Desired>,
    /// The documents that the policies were read from.
    pub documents: Arc<Vec<Arc<Object>>>,
    /// What could not be used.
    pub troubles: Arc<Vec<Trouble>>,
}

/// What is seen of the fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// Replicas by cluster as they are live, by object: what was placed before.
    pub live: BTreeMap<ObjectKey, Vec<(Arc<str>, i64)>>,
    /// Policies of the hub cluster.
    pub hub: Vec<Arc<Object>>,
}

enum News {
    Facts(Facts),
    Declared(Declared),
    Files,
    End,
}

/// The thread's handle; dropping it ends the thread.
#[derive(Debug)]
pub struct Worker {
    news: Sender<News>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Worker {
    /// Starts it. `tell` is called from its thread with every new picture.
    ///
    /// # Errors
    ///
    /// The system gives no thread.
    pub fn start(
        declared: Declared,
        facts: Facts,
        tools: Tools,
        tell: impl Fn(Picture) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (news, incoming) = mpsc::channel();
        let own = news.clone();
        let work = move || {
            let mut keeper = Keeper { declared, facts, tools, loaded: None, desired: None, watch: Watch::new(own) };
            keeper.run(&incoming, &tell);
        };
        let thread = std::thread::Builder::new().name("desired".into()).spawn(work)?;
        Ok(Self { news, thread: Some(thread) })
    }

    /// The clusters are like this now. Nothing happens when they were like this before.
    pub fn facts(&self, facts: Facts) {
        let _ = self.news.send(News::Facts(facts));
    }

    /// The fleet file was read anew.
    pub fn declared(&self, declared: Declared) {
        let _ = self.news.send(News::Declared(declared));
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.news.send(News::End);
        // A tool that runs may take its whole time limit; the program does not wait for it.
        drop(self.thread.take());
    }
}

/// What has to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Due {
    load: bool,
    place: bool,
}

struct Keeper {
    declared: Declared,
    facts: Facts,
    tools: Tools,
    loaded: Option<Loaded>,
    desired: Option<Arc<Desired>>,
    watch: Watch,
}

impl Keeper {
    fn run(&mut self, incoming: &Receiver<News>, tell: &impl Fn(Picture)) {
        let mut due = Due { load: true, place: true };
        let mut last = None;
        loop {
            if due != Due::default() {
                tell(self.compute(due));
                last = Some(Instant::now());
            }
            match self.wait(incoming, last) {
                Some(next) => due = next,
                None => return,
            }
        }
    }

    /// Waits for news and lets them settle. `None` = the end.
    fn wait(&mut self, incoming: &Receiver<News>, last: Option<Instant>) -> Option<Due> {
        let mut due = Due::default();
        self.take(incoming.recv().ok()?, &mut due)?;
        let since = Instant::now();
        loop {
            let settle = if due.load {
                SETTLE.min(LATEST.saturating_sub(since.elapsed()))
            } else {
                last.map_or(SETTLE, |l| FACTS.saturating_sub(l.elapsed()).max(SETTLE))
            };
            match incoming.recv_timeout(settle) {
                Ok(news) => self.take(news, &mut due)?,
                Err(RecvTimeoutError::Timeout) => return Some(due),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn take(&mut self, news: News, due: &mut Due) -> Option<()> {
        match news {
            News::Facts(facts) => {
                // Values per cluster depend on which clusters there are, and a hub's policies are loaded with the others.
                let names = |f: &Facts| f.clusters.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
                due.load |= names(&facts) != names(&self.facts) || facts.hub != self.facts.hub;
                due.place |= facts != self.facts;
                self.facts = facts;
            }
            News::Declared(declared) => {
                due.load |= declared != self.declared;
                self.declared = declared;
            }
            News::Files => due.load = true,
            News::End => return None,
        }
        Some(())
    }

    fn compute(&mut self, due: Due) -> Picture {
        if due.load || self.loaded.is_none() {
            let loaded =
                load::load(&self.declared, &self.facts.clusters, &self.facts.hub, &self.tools, self.loaded.as_ref());
            self.watch.watch(&loaded.inputs, &self.tools.root);
            self.loaded = Some(loaded);
        }
        let nothing = Loaded::default();
        let loaded = self.loaded.as_ref().unwrap_or(&nothing);
        let inputs = Inputs {
            clusters: Arc::new(self.facts.clusters.clone()),
            services: loaded.services.clone(),
            policies: loaded.policies.clone(),
            states: Arc::new(facts::states(&self.facts.live, &loaded.services, self.desired.as_deref())),
        };
        let desired = Arc::new(Desired::of(inputs, self.desired.as_deref()));
        self.desired = Some(desired.clone());
        Picture { desired, documents: Arc::new(loaded.documents.clone()), troubles: Arc::new(loaded.troubles.clone()) }
    }
}

/// Watches the files that a picture was made from. Where the system cannot watch, changes wait for a reload.
struct Watch {
    watcher: Option<notify::RecommendedWatcher>,
    watched: Vec<PathBuf>,
}

impl Watch {
    fn new(news: Sender<News>) -> Self {
        let tell = move |event: notify::Result<notify::Event>| {
            // Reading a file is an event too; acting on it would never end.
            if event.is_ok_and(|e| !e.kind.is_access()) {
                let _ = news.send(News::Files);
            }
        };
        Self { watcher: notify::recommended_watcher(tell).ok(), watched: Vec::new() }
    }

    fn watch(&mut self, inputs: &[PathBuf], root: &Path) {
        let Some(watcher) = &mut self.watcher else { return };
        // Folders, not files: an editor that writes a new file and renames it leaves a watch on the old one behind.
        let folder = |path: &PathBuf| {
            let path = root.join(path);
            if path.is_dir() { Some(path) } else { path.parent().map(Path::to_path_buf) }
        };
        let mut folders: Vec<PathBuf> = inputs.iter().filter_map(folder).filter(|f| f.is_dir()).collect();
        folders.sort();
        folders.dedup();
        for gone in self.watched.iter().filter(|f| !folders.contains(f)) {
            let _ = watcher.unwatch(gone);
        }
        for new in folders.iter().filter(|f| !self.watched.contains(f)) {
            let _ = watcher.watch(new, RecursiveMode::NonRecursive);
        }
        self.watched = folders;
    }
}
