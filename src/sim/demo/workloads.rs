//! Workloads of the demo's services with their past: revisions, pods, and what went wrong.

use serde_json::{Value, json};

use super::{
    bake::{By, KCM},
    manifests,
    services::{Service, Shape, Twist, twists},
    site::{Crew, Site},
    template,
};
use crate::{
    model::Millis,
    sim::{
        controllers::{
            amount::{Amount, clone_set_kept_old},
            clone_set, daemon_set, deployment, job, pods, replica_set, revision, rolling,
            rolling::{Limits, Set},
            rollout, seed, stateful_set,
            value::*,
        },
        kinds,
        kubelet::status::{Behaviour, behaviour},
    },
};

/// One release of a service in a cluster.
#[derive(Clone, Copy, Debug)]
struct Release {
    tag: &'static str,
    at: Millis,
    /// Put there with `kubectl edit`.
    by_hand: bool,
}

/// Puts the workload of a service into the cluster.
pub fn bake(site: &Site<'_>, service: &Service) {
    match service.shape {
        Shape::Deployment => deployments(site, service),
        Shape::StatefulSet => stateful(site, service),
        Shape::DaemonSet => daemons(site, service),
        Shape::CronJob(schedule) => cron(site, service, schedule),
        Shape::CloneSet(partition) => clones(site, service, partition),
        Shape::ArgoRollout => canaries(site, service),
    }
}

/// Wanted pods of a service in a cluster.
pub fn replicas(site: &Site<'_>, service: &Service) -> i64 {
    let own = twists(service.name, site.cluster.name).find_map(|t| match t {
        Twist::Replicas(n) => Some(n),
        _ => None,
    });
    own.unwrap_or_else(|| service.pods_at(site.cluster.size))
}

/// The releases of a service in a cluster, the present one last.
fn releases(site: &Site<'_>, service: &Service) -> Vec<Release> {
    // A release reaches the clusters within some hours of one another.
    let days = seed::between(site.bake.seed, &["release", service.name], 2, 24);
    let newest = site.bake.ago(days * 1440 + site.draw(&["wave", service.name], 0, 400));
    let older = Millis(newest.0 - seed::between(site.bake.seed, &["older", service.name], 5, 30) * 86_400_000);
    let plain = |tag, at| Release { tag, at, by_hand: false };
    let mut all = vec![plain(service.before, older), plain(service.version, newest)];
    for twist in twists(service.name, site.cluster.name) {
        match twist {
            Twist::Version(tag) if tag == service.before => all.truncate(1),
            Twist::Version(tag) => {
                let at = site.bake.ago(site.draw(&["own release", service.name], 200, 2600));
                if site.cluster.environment == "prod" {
                    all.push(plain(tag, at));
                } else {
                    all = vec![plain(service.version, older), plain(tag, at)];
                }
            }
            Twist::EditedByHand(tag, minutes) => all.push(Release { tag, at: site.bake.ago(minutes), by_hand: true }),
            Twist::BadRelease(tag, minutes) | Twist::AllCrash(tag, minutes) => {
                all.push(plain(tag, site.bake.ago(minutes)))
            }
            _ => {}
        }
    }
    all
}

fn manifest(site: &Site<'_>, service: &Service, tag: &str) -> Value {
    let mut object = manifests::workload(service, tag, replicas(site, service), site.local);
    template::mark(&mut object, manifests::rid(service.shape), service, site.bake.seed);
    object
}

/// The edit that brings a release: labels, the template, and for one by hand the memory limit.
fn release(object: &mut Value, site: &Site<'_>, service: &Service, release: &Release) {
    if release.by_hand {
        let image = template::image(service, release.tag, site.local);
        object["spec"]["template"]["spec"]["containers"][0]["image"] = json!(image);
        object["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"] = json!("2Gi");
        return;
    }
    object["metadata"]["labels"]["app.kubernetes.io/version"] = json!(release.tag);
    object["spec"]["template"] = template::template(service, release.tag, site.local);
}

fn writer(service: &Service, release: &Release) -> By {
    if release.by_hand { By::update("kubectl-edit") } else { template::writer(service.system.delivery()) }
}

/// The object after all its releases, and how it was at each of them.
fn history(site: &Site<'_>, service: &Service, releases: &[Release]) -> (Value, Vec<Value>) {
    let rid = manifests::rid(service.shape);
    let first =
        releases.first().copied().unwrap_or(Release { tag: service.version, at: site.bake.now, by_hand: false });
    let born = Millis(site.bake.ago(site.cluster.age_days * 1440 * 3 / 4).0.min(first.at.0));
    let object = manifest(site, service, first.tag);
    let mut object = site.bake.new_object(rid, object, writer(service, &first), born);
    let mut past = vec![object.clone()];
    for release in &releases[1..] {
        site.bake.rewrite(rid, &mut object, writer(service, release), "", release.at, |o| {
            self::release(o, site, service, release);
            crate::sim::defaults::apply(&site.bake.store.resource(rid), o);
        });
        past.push(object.clone());
    }
    (object, past)
}

fn deployments(site: &Site<'_>, service: &Service) {
    let releases = releases(site, service);
    let (mut object, past) = history(site, service, &releases);
    let limits = deployment::limits(&object);
    let sizes = sizes(site, service, limits, releases.len());
    let mut sets = Vec::new();
    for (n, ((release, then), size)) in releases.iter().zip(&past).zip(&sizes).enumerate() {
        let set = deployment::replica_set(then, &(n + 1).to_string(), limits, *size);
        sets.push(set_with_pods(site, set, *release, *size));
    }
    let number = releases.len().to_string();
    let last = releases.last().map_or(site.bake.now, |r| r.at);
    site.bake.rewrite(kinds::DEPLOYMENTS, &mut object, KCM, "", last, |d| {
        set(d, &["metadata", "annotations", deployment::REVISION], json!(number));
    });
    report_deployment(site, &mut object, &sets, limits, last);
    if let (Some(_), Some(newest)) = (site.lost_node(), sets.last())
        && matches!(service.name, "api-gateway" | "catalog" | "profile")
    {
        let tail = seed::suffix(site.bake.seed, &["stuck", service.name], 5);
        let stuck = pod(newest, at(newest, "/spec/template"), &format!("{}-{tail}", name(newest)), &[]);
        site.stuck_pod(stuck, last);
    }
    site.bake.load(kinds::DEPLOYMENTS, object);
}

/// Pods of each revision: all of the last one, or what a bad release leaves behind once it stands still.
fn sizes(site: &Site<'_>, service: &Service, limits: Limits, revisions: usize) -> Vec<i64> {
    let mut sizes = vec![0; revisions];
    let bad = twists(service.name, site.cluster.name).any(|t| matches!(t, Twist::BadRelease(..)));
    let set = |replicas: i64, available: i64, age_rank: i64| Set {
        replicas,
        available,
        pods: replicas,
        age_rank,
        max_replicas: 0,
        desired_replicas: None,
    };
    let (mut new, mut old) = if bad { (0, limits.replicas) } else { (limits.replicas, 0) };
    for _ in 0..if bad { 20 } else { 0 } {
        let next = rolling::rolling_step(limits, &set(new, 0, 1), &[set(old, old, 0)]);
        (new, old) = (next.new, next.old.first().copied().unwrap_or(0));
    }
    if let Some(last) = sizes.last_mut() {
        *last = new;
    }
    if revisions > 1 {
        sizes[revisions - 2] = old;
    }
    sizes
}

/// A ReplicaSet in the cluster with so many pods and its status.
fn set_with_pods(site: &Site<'_>, set: Value, release: Release, size: i64) -> Value {
    let mut set = site.bake.new_object(kinds::REPLICASETS, set, KCM, release.at);
    let minutes = (site.bake.now.0 - release.at.0) / 60_000;
    let crew = Crew { since: release.at, restarts: restarts_after(minutes) };
    let mut made = Vec::new();
    for n in 0..size {
        let tail = seed::suffix(site.bake.seed, &[uid(&set), &n.to_string()], 5);
        let mut pod = pod(&set, at(&set, "/spec/template"), &format!("{}-{tail}", name(&set)), &[]);
        pod["metadata"]["generateName"] = json!(format!("{}-", name(&set)));
        made.push(site.pod(pod, "", crew, n, KCM));
    }
    tell_trouble(site, &made, minutes);
    let status = replica_set::status(&set, pods::count(&made, 0, site.bake.now));
    site.bake.report(kinds::REPLICASETS, &mut set, KCM, Millis(release.at.0 + 40_000), status);
    site.bake.load(kinds::REPLICASETS, set.clone());
    set
}

/// Restarts of a container that has crashed for so long: the waits double up to five minutes.
fn restarts_after(minutes: i64) -> i64 {
    if minutes < 6 { minutes.min(5) } else { 5 + (minutes - 5) / 5 }
}

/// Events of pods that are in trouble, as the last hour would have left them.
fn tell_trouble(site: &Site<'_>, pods: &[Value], minutes: i64) {
    let count = minutes.clamp(1, 60);
    for pod in pods {
        let ways = list(pod, "/spec/containers").iter().map(|c| (text(c, "/name"), text(c, "/image")));
        for (container, image) in ways {
            match behaviour(image) {
                Behaviour::Crash => {
                    let message = format!(
                        "Back-off restarting failed container {container} in pod {}_{}({})",
                        name(pod),
                        namespace(pod),
                        uid(pod)
                    );
                    site.warning(pod, "BackOff", &message, "kubelet", count * 3, 1);
                }
                Behaviour::NoPull => {
                    site.warning(pod, "Failed", "Error: ImagePullBackOff", "kubelet", count, 2);
                    site.warning(
                        pod,
                        "BackOff",
                        &format!("Back-off pulling image \"{image}\""),
                        "kubelet",
                        count * 2,
                        1,
                    );
                }
                Behaviour::Unready => {
                    let message = "Readiness probe failed: HTTP probe failed with statuscode: 503";
                    site.warning(pod, "Unhealthy", message, "kubelet", count * 4, 1);
                }
                Behaviour::Well => {}
            }
        }
    }
}

/// The status after the last release, with conditions that changed when they would have changed.
fn report_deployment(site: &Site<'_>, object: &mut Value, sets: &[Value], limits: Limits, last: Millis) {
    let (Some(new), old) = (sets.last(), &sets[..sets.len().saturating_sub(1)]) else { return };
    let mut at_time = object.clone();
    let later = [0, 30_000, 11 * 60_000].map(|ms| Millis((last.0 + ms).min(site.bake.now.0)));
    for (n, moment) in later.into_iter().enumerate() {
        let (status, _) = deployment::status(&at_time, Some(new), old, limits, moment, n == 0);
        at_time["status"] = status;
    }
    let status = at_time["status"].take();
    let done = list(&status, "/conditions").iter().any(|c| text(c, "/reason") == "NewReplicaSetAvailable");
    let at = if done { later[1] } else { later[2] };
    site.bake.report(kinds::DEPLOYMENTS, object, KCM, at, status);
}

/// Revisions of a workload that keeps them as ControllerRevisions; gives their hashes.
fn revisions(site: &Site<'_>, past: &[Value], releases: &[Release], by: By) -> Vec<String> {
    let mut hashes = Vec::new();
    for (n, (then, release)) in past.iter().zip(releases).enumerate() {
        let hash = template_hash(at(then, "/spec/template"));
        let object = revision::object(then, &hash, i64::try_from(n + 1).unwrap_or(1));
        site.bake.put(kinds::CONTROLLERREVISIONS, object, by, release.at);
        hashes.push(hash);
    }
    hashes
}

fn crew(site: &Site<'_>, release: Option<&Release>) -> Crew {
    Crew { since: release.map_or(site.bake.now, |r| r.at), restarts: 0 }
}

fn stateful(site: &Site<'_>, service: &Service) {
    let releases = releases(site, service);
    let (object, past) = history(site, service, &releases);
    let hashes = revisions(site, &past, &releases, KCM);
    let hash = hashes.last().map_or("", String::as_str);
    for n in 0..replicas(site, service) {
        let pod = stateful_set::pod(&object, at(&object, "/spec/template"), n, hash);
        site.pod(pod, "", crew(site, releases.last()), n, KCM);
    }
    site.bake.load(kinds::STATEFULSETS, object);
}

fn daemons(site: &Site<'_>, service: &Service) {
    let releases = releases(site, service);
    let (object, past) = history(site, service, &releases);
    revisions(site, &past, &releases, KCM);
    place_daemons(site, object, crew(site, releases.last()));
}

/// Puts a DaemonSet into the cluster with a pod on each node and its status.
pub fn place_daemons(site: &Site<'_>, mut object: Value, crew: Crew) {
    let hash = template_hash(at(&object, "/spec/template"));
    let mut made = Vec::new();
    for (n, node) in site.nodes.iter().enumerate() {
        let tail = seed::suffix(site.bake.seed, &[uid(&object), node], 5);
        let pod = daemon_set::pod(&object, &hash, node, &tail);
        made.push(site.pod(pod, node, crew, i64::try_from(n).unwrap_or(0), KCM));
    }
    let (status, _) = daemon_set::status(&object, &hash, &site.nodes, &made, site.bake.now);
    site.bake.report(kinds::DAEMONSETS, &mut object, KCM, Millis(crew.since.0 + 60_000), status);
    site.bake.load(kinds::DAEMONSETS, object);
}

fn clones(site: &Site<'_>, service: &Service, partition: &str) {
    let by = By::update("kruise-manager");
    let releases = releases(site, service);
    let (object, past) = history(site, service, &releases);
    let hashes = revisions(site, &past, &releases, by);
    let total = replicas(site, service);
    let kept = clone_set_kept_old(Amount::read(Some(&json!(partition)), Amount::Count(0)), total);
    for n in 0..total {
        let which = if n < kept && hashes.len() > 1 { hashes.len() - 2 } else { hashes.len() - 1 };
        let tail = seed::suffix(site.bake.seed, &[uid(&object), &n.to_string()], 5);
        let pod = clone_set::pod(&object, at(&past[which], "/spec/template"), &hashes[which], &tail);
        site.pod(pod, "", crew(site, releases.get(which)), n, by);
    }
    site.bake.load(kinds::CLONESETS, object);
}

fn canaries(site: &Site<'_>, service: &Service) {
    let by = By::update("rollouts-controller");
    let releases = releases(site, service);
    let (mut object, past) = history(site, service, &releases);
    let total = replicas(site, service);
    for (n, (release, then)) in releases.iter().zip(&past).enumerate() {
        let size = if n + 1 == releases.len() { total } else { 0 };
        let set = rollout::replica_set(then, &(n + 1).to_string(), size);
        set_with_pods(site, set, *release, size);
    }
    let hash = template_hash(at(&object, "/spec/template"));
    let number = releases.len().to_string();
    let last = releases.last().map_or(site.bake.now, |r| r.at);
    site.bake.rewrite(kinds::ROLLOUTS, &mut object, by, "", last, |r| {
        set(r, &["metadata", "annotations", "rollout.argoproj.io/revision"], json!(number));
    });
    // The controller fills in the rest; what it must find is which revision is the stable one.
    site.bake.report(
        kinds::ROLLOUTS,
        &mut object,
        by,
        last,
        json!({"stableRS": hash, "currentPodHash": hash, "phase": "Healthy", "currentStepIndex": 4}),
    );
    site.bake.load(kinds::ROLLOUTS, object);
}

fn cron(site: &Site<'_>, service: &Service, schedule: &str) {
    let releases = releases(site, service);
    let last = releases.last().copied();
    let tag = last.map_or(service.version, |r| r.tag);
    let at_time = last.map_or(site.bake.now, |r| r.at);
    let mut object = manifest(site, service, tag);
    let ready = ["spec", "jobTemplate", "spec", "template", "metadata", "annotations", "test.example/ready-delay"];
    set(&mut object, &ready, json!("20s"));
    let mut object =
        site.bake.new_object(kinds::CRONJOBS, object, template::writer(service.system.delivery()), at_time);
    let starts = job::last_starts(schedule, site.bake.now, 3);
    for start in &starts {
        past_job(site, &object, *start);
    }
    if let Some(newest) = starts.last() {
        let status =
            json!({"lastScheduleTime": stamp(*newest), "lastSuccessfulTime": stamp(Millis(newest.0 + 25_000))});
        site.bake.report(kinds::CRONJOBS, &mut object, KCM, *newest, status);
    }
    site.bake.load(kinds::CRONJOBS, object);
}

fn past_job(site: &Site<'_>, cron: &Value, start: Millis) {
    let object = job::job_of(cron, start.0 / 60_000);
    let mut object = site.bake.new_object(kinds::JOBS, object, KCM, start);
    let end = stamp(Millis(start.0 + 25_000));
    let cond = |kind: &str| {
        json!({"type": kind, "status": "True", "reason": "CompletionsReached",
        "message": "Reached expected number of succeeded pods", "lastProbeTime": end, "lastTransitionTime": end})
    };
    let status = json!({"startTime": stamp(start), "completionTime": end, "succeeded": 1, "ready": 0, "uncountedTerminatedPods": {},
        "conditions": [cond("SuccessCriteriaMet"), cond("Complete")]});
    site.bake.report(kinds::JOBS, &mut object, KCM, Millis(start.0 + 25_000), status);
    site.bake.load(kinds::JOBS, object);
}
