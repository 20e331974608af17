//! Jobs and CronJobs, simply: so many completions, so many at a time, a schedule of five fields in UTC.

use serde_json::{Value, json};

use super::{Ctx, Key, ctx::MANAGER, ctx::sooner, seed, value::*};
use crate::{model::Millis, sim::kinds};

/// Starts the pods of a Job and reports.
pub fn reconcile(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let job = ctx.get(key)?;
    if deleting(&job) {
        return None;
    }
    if is_true(&job, "Complete") {
        return expire(ctx, key, &job);
    }
    let pods = ctx.owned(uid(&job), kinds::PODS);
    let number =
        |phase: &str| i64::try_from(pods.iter().filter(|p| text(p, "/status/phase") == phase).count()).unwrap_or(0);
    let (succeeded, failed) = (number("Succeeded"), number("Failed"));
    let running = i64::try_from(pods.iter().filter(|p| active(p)).count()).unwrap_or(0);
    let completions = int(&job, "/spec/completions", 1);
    let mut active_now = running;
    if !truth(&job, "/spec/suspend") {
        let room = int(&job, "/spec/parallelism", 1) - running;
        for n in 0..room.min(completions - succeeded - running).max(0) {
            let tail = seed::suffix(ctx.options.seed, &[uid(&job), &ctx.now.0.to_string(), &n.to_string()], 5);
            if ctx.create(kinds::PODS, job_pod(&job, &tail), MANAGER) {
                active_now += 1;
                let message = format!("Created pod: {}-{tail}", name(&job));
                ctx.event(&job, "Normal", "SuccessfulCreate", &message, "job-controller");
            }
        }
    }
    let status = status(&job, active_now, succeeded, failed, completions, ctx.now);
    if at(&job, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
    None
}

fn expire(ctx: &Ctx<'_>, key: &Key, job: &Value) -> Option<Millis> {
    let ttl = at(job, "/spec/ttlSecondsAfterFinished").as_i64()?;
    let end = Millis(time(job, "/status/completionTime")?.0 + ttl * 1000);
    if end > ctx.now {
        return Some(end);
    }
    ctx.delete(kinds::JOBS, key.namespace(), key.name());
    None
}

/// A Job's pod.
pub fn job_pod(job: &Value, tail: &str) -> Value {
    let job_name = name(job).to_owned();
    let job_uid = uid(job).to_owned();
    let extra = [
        ("batch.kubernetes.io/job-name", job_name.as_str()),
        ("batch.kubernetes.io/controller-uid", job_uid.as_str()),
        ("job-name", job_name.as_str()),
        ("controller-uid", job_uid.as_str()),
    ];
    pod(job, at(job, "/spec/template"), &format!("{job_name}-{tail}"), &extra)
}

fn status(job: &Value, active: i64, succeeded: i64, failed: i64, completions: i64, now: Millis) -> Value {
    let start = text(job, "/status/startTime");
    let start = if start.is_empty() { stamp(now) } else { start.to_owned() };
    let mut status = json!({"startTime": start, "ready": 0, "uncountedTerminatedPods": {}});
    for (key, value) in [("active", active), ("succeeded", succeeded), ("failed", failed)] {
        if value > 0 {
            status[key] = json!(value);
        }
    }
    if succeeded >= completions {
        status["completionTime"] = json!(stamp(now));
        let condition = |kind: &str| {
            json!({"type": kind, "status": "True", "reason": "CompletionsReached",
            "message": "Reached expected number of succeeded pods", "lastProbeTime": stamp(now), "lastTransitionTime": stamp(now)})
        };
        status["conditions"] = json!([condition("SuccessCriteriaMet"), condition("Complete")]);
    }
    status
}

/// Starts the Jobs of a CronJob on schedule, keeps a few past ones, and reports.
pub fn reconcile_cron(ctx: &Ctx<'_>, key: &Key) -> Option<Millis> {
    let cron = ctx.get(key)?;
    if deleting(&cron) {
        return None;
    }
    let schedule = Schedule::parse(text(&cron, "/spec/schedule"));
    let last = time(&cron, "/status/lastScheduleTime")
        .or_else(|| time(&cron, "/metadata/creationTimestamp"))
        .unwrap_or(ctx.now);
    let mut last_run = time(&cron, "/status/lastScheduleTime");
    // Only the newest missed start counts.
    let due = schedule.as_ref().and_then(|s| s.last_in(last, ctx.now));
    if let Some(due) = due.filter(|_| !truth(&cron, "/spec/suspend")) {
        let minutes = due.0 / 60_000;
        ctx.create(kinds::JOBS, job_of(&cron, minutes), MANAGER);
        let message = format!("Created job {}-{minutes}", name(&cron));
        ctx.event(&cron, "Normal", "SuccessfulCreate", &message, "cronjob-controller");
        last_run = Some(due);
    }
    report_cron(ctx, key, &cron, last_run);
    let next = schedule.and_then(|s| s.next_after(ctx.now));
    sooner(next, None)
}

fn report_cron(ctx: &Ctx<'_>, key: &Key, cron: &Value, last_run: Option<Millis>) {
    let mut jobs = ctx.owned(uid(cron), kinds::JOBS);
    jobs.sort_by_cached_key(|j| (text(j, "/metadata/creationTimestamp").to_owned(), name(j).to_owned()));
    let done: Vec<&Value> = jobs.iter().filter(|j| is_true(j, "Complete")).collect();
    let keep = usize::try_from(int(cron, "/spec/successfulJobsHistoryLimit", 3)).unwrap_or(3);
    for job in done.iter().take(done.len().saturating_sub(keep)) {
        ctx.delete(kinds::JOBS, namespace(job), name(job));
    }
    let mut status = json!({});
    let running: Vec<Value> = jobs
        .iter()
        .filter(|j| !is_true(j, "Complete"))
        .map(|j| json!({"apiVersion": "batch/v1", "kind": "Job", "namespace": namespace(j), "name": name(j), "uid": uid(j)}))
        .collect();
    if !running.is_empty() {
        status["active"] = json!(running);
    }
    if let Some(at) = last_run {
        status["lastScheduleTime"] = json!(stamp(at));
    }
    let newest =
        done.last().map_or_else(|| text(cron, "/status/lastSuccessfulTime"), |j| text(j, "/status/completionTime"));
    if !newest.is_empty() {
        status["lastSuccessfulTime"] = json!(newest);
    }
    if at(cron, "/status") != &status {
        ctx.set_status(key, MANAGER, status);
    }
}

/// The newest starts of a schedule up to a moment, at most `most`, oldest first; looks back ten days.
pub fn last_starts(schedule: &str, now: Millis, most: usize) -> Vec<Millis> {
    let Some(schedule) = Schedule::parse(schedule) else { return Vec::new() };
    let last = now.0.div_euclid(60_000);
    let mut starts: Vec<Millis> =
        (last - 14_400..=last).rev().map(|m| Millis(m * 60_000)).filter(|m| schedule.names(*m)).take(most).collect();
    starts.reverse();
    starts
}

/// The Job of a CronJob for a start at a minute since 1970.
pub fn job_of(cron: &Value, minutes: i64) -> Value {
    let template = at(cron, "/spec/jobTemplate");
    let mut spec = at(template, "/spec").clone();
    if text(&spec, "/template/spec/restartPolicy").is_empty() {
        set(&mut spec, &["template", "spec", "restartPolicy"], json!("OnFailure"));
    }
    for (key, default) in [
        ("completions", json!(1)),
        ("parallelism", json!(1)),
        ("backoffLimit", json!(6)),
        ("suspend", json!(false)),
        ("completionMode", json!("NonIndexed")),
    ] {
        if spec.get(key).is_none() {
            spec[key] = default;
        }
    }
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": format!("{}-{minutes}", name(cron)), "namespace": namespace(cron),
            "labels": at(template, "/metadata/labels").as_object().cloned().unwrap_or_default(),
            "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": stamp(Millis(minutes * 60_000))},
            "ownerReferences": owned_by(cron)},
        "spec": spec,
    })
}

/// A cron schedule: the minutes, hours, days, months and weekdays that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Schedule([Vec<i8>; 5]);

impl Schedule {
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else { return None };
        Some(Self([
            field(minute, 0, 59)?,
            field(hour, 0, 23)?,
            field(day, 1, 31)?,
            field(month, 1, 12)?,
            field(weekday, 0, 7)?.into_iter().map(|d| d % 7).collect(),
        ]))
    }

    fn names(&self, at: Millis) -> bool {
        let Ok(at) = jiff::Timestamp::from_millisecond(at.0) else { return false };
        let t = at.to_zoned(jiff::tz::TimeZone::UTC);
        let [minutes, hours, days, months, weekdays] = &self.0;
        minutes.contains(&t.minute())
            && hours.contains(&t.hour())
            && days.contains(&t.day())
            && months.contains(&t.month())
            && weekdays.contains(&t.weekday().to_sunday_zero_offset())
    }

    /// The first start after a moment, within a month.
    fn next_after(&self, after: Millis) -> Option<Millis> {
        let first = after.0.div_euclid(60_000) + 1;
        (first..first + 31 * 1440).map(|m| Millis(m * 60_000)).find(|m| self.names(*m))
    }

    /// The newest start after `from` up to `to`; looks back a day at most.
    fn last_in(&self, from: Millis, to: Millis) -> Option<Millis> {
        let low = (from.0.div_euclid(60_000) + 1).max(to.0.div_euclid(60_000) - 1440);
        (low..=to.0.div_euclid(60_000)).rev().map(|m| Millis(m * 60_000)).find(|m| self.names(*m))
    }
}

fn field(text: &str, low: i8, high: i8) -> Option<Vec<i8>> {
    let mut out = Vec::new();
    for part in text.split(',') {
        let (range, step) = part.split_once('/').map_or((part, Some(1)), |(r, s)| (r, s.parse().ok()));
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (low, high),
            Some((a, b)) => (a.parse().ok()?, b.parse().ok()?),
            None => (range.parse().ok()?, range.parse().ok()?),
        };
        let step: usize = step?;
        out.extend((from..=to).step_by(step.max(1)).filter(|n| (low..=high).contains(n)));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::parse_rfc3339;

    #[test]
    fn schedules_name_their_minutes() {
        for (schedule, after, next) in [
            ("*/30 * * * *", "2026-11-30T12:45:27Z", "2026-11-30T13:00:00Z"),
            ("15 2 * * *", "2026-11-30T12:45:27Z", "2026-12-01T02:15:00Z"),
            ("0 9 * * 1-5", "2026-11-28T12:00:00Z", "2026-11-30T09:00:00Z"),
            ("0 0 1 1,7 *", "2026-12-15T00:00:00Z", "2027-01-01T00:00:00Z"),
        ] {
            let schedule = Schedule::parse(schedule).unwrap();
            assert_eq!(schedule.next_after(parse_rfc3339(after).unwrap()), parse_rfc3339(next));
        }
        assert_eq!(Schedule::parse("@daily"), None);
        let half = Schedule::parse("*/30 * * * *").unwrap();
        let (from, to) =
            (parse_rfc3339("2026-11-30T10:00:00Z").unwrap(), parse_rfc3339("2026-11-30T12:45:00Z").unwrap());
        assert_eq!(half.last_in(from, to), parse_rfc3339("2026-11-30T12:30:00Z"));
    }
}
