//! `sim`: serves a simulated fleet until it is told to end, and writes a kubeconfig once it answers.

use std::{
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use super::{args::Sim, complain, output};
use crate::{
    config::paths,
    messages::{Lang, cli as text},
    sim::{self, Fleet, Spec},
};

/// Serves until SIGINT or SIGTERM.
pub(super) fn run(args: &Sim, kubeconfig: Option<&Path>, lang: Lang) -> anyhow::Result<()> {
    let scratch = Scratch::new("sim")?;
    let dir = args.dir.clone().unwrap_or_else(|| scratch.path().to_path_buf());
    paths::create_private_dir(&dir)?;
    let running = sim::serve(&spec(args, dir))?;
    let told = match kubeconfig {
        Some(file) => {
            publish(&running.kubeconfig, file)?;
            file
        }
        None => &running.kubeconfig,
    };
    let n = running.clusters.len().to_string();
    complain(lang, &text::SIM_SERVES.fill(lang, &[("n", &n), ("file", &told.display().to_string())]));
    output::write_out(&format!("{}\n", told.display()))?;
    wait_for_end()?;
    drop(running);
    Ok(())
}

/// The demo fleet, unless something was said that only makes sense for another.
fn spec(args: &Sim, dir: PathBuf) -> Spec {
    let loaded = args.pods.is_some() || args.workloads.is_some() || args.rtt.is_some() || args.churn > 0;
    let clusters = args.clusters.unwrap_or(3);
    let fleet = if loaded {
        let pods = args.pods.unwrap_or(clusters * 100);
        Fleet::Scale {
            clusters,
            pods,
            workloads: args.workloads.unwrap_or(pods.div_ceil(5)),
            rtt_ms: args.rtt.unwrap_or((0, 0)),
            churn: args.churn,
        }
    } else if args.clusters.is_some() {
        Fleet::Empty { clusters, nodes: args.nodes }
    } else {
        Fleet::Demo
    };
    Spec { fleet, seed: args.seed, speed: args.speed, dir }
}

/// Writes the kubeconfig where it was asked for, whole or not at all: whoever waits for the file may read it at once.
fn publish(from: &Path, to: &Path) -> io::Result<()> {
    let mut part = to.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(part);
    // A file left by a process of the same number that was killed.
    let _ = std::fs::remove_file(&part);
    let mut file = paths::open_private_file(&part)?;
    io::Write::write_all(&mut file, &std::fs::read(from)?)?;
    file.sync_all()?;
    std::fs::rename(&part, to)
}

/// Blocks until the person or the system wants an end.
fn wait_for_end() -> io::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let mut end = signal(SignalKind::terminate())?;
            tokio::select! {
                done = tokio::signal::ctrl_c() => done,
                _ = end.recv() => Ok(()),
            }
        }
        #[cfg(not(unix))]
        tokio::signal::ctrl_c().await
    })
}

/// Tells folders of one process apart.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// A private folder for one run, removed at its end.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Creates it below the system's folder for such things.
    pub(super) fn new(what: &str) -> io::Result<Self> {
        let moment = super::collect::now().0;
        sweep(what);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("quarterdeck-{what}-{}-{moment}-{count}", std::process::id()));
        paths::create_private_dir(&dir)?;
        Ok(Self(dir))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// Removes what runs that were killed left behind; a run that still lives keeps its folder.
fn sweep(what: &str) {
    let prefix = format!("quarterdeck-{what}-");
    for entry in std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|n| n.strip_prefix(&prefix)).and_then(|rest| rest.split('-').next());
        if owner.and_then(|pid| pid.parse().ok()).is_some_and(is_gone) {
            // Somebody else's: stays, it is not ours to remove.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether no process has this number any more.
#[cfg(unix)]
fn is_gone(pid: i32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

/// Without a way to ask, nothing is swept.
#[cfg(not(unix))]
fn is_gone(_pid: i32) -> bool {
    false
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "cannot remove a temporary folder");
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        sim: Sim,
    }

    #[test]
    fn what_was_said_decides_the_fleet() {
        let fleet = |words: &[&str]| {
            let line = Line::try_parse_from([&["sim"], words].concat()).unwrap();
            format!("{:?}", spec(&line.sim, PathBuf::new()).fleet)
        };
        assert_eq!(fleet(&[]), "Demo");
        assert_eq!(fleet(&["--clusters", "5"]), "Empty { clusters: 5, nodes: 3 }");
        assert_eq!(
            fleet(&["--clusters", "20", "--pods", "1000", "--rtt", "50-300", "--churn", "9"]),
            "Scale { clusters: 20, pods: 1000, workloads: 200, rtt_ms: (50, 300), churn: 9 }"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_a_killed_run_left_is_swept_and_what_lives_stays() {
        // Larger than any process number that Linux or macOS gives out.
        let dead = std::env::temp_dir().join("quarterdeck-sweep-1999999999-1");
        std::fs::create_dir_all(&dead).unwrap();
        let first = Scratch::new("sweep").unwrap();
        let _second = Scratch::new("sweep").unwrap();
        assert!(!dead.exists() && first.path().exists());
    }

    #[test]
    fn the_kubeconfig_appears_whole_and_private() {
        let scratch = Scratch::new("test").unwrap();
        let (from, to) = (scratch.path().join("a"), scratch.path().join("b"));
        std::fs::write(&from, "whole").unwrap();
        publish(&from, &to).unwrap();
        publish(&from, &to).unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "whole");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&to).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let path = scratch.path().to_path_buf();
        drop(scratch);
        assert!(!path.exists());
    }
}
