//! Log lines of simulated containers: line number `n` of a container follows from the seed, so that any stretch of a log of
//! weeks can be told without keeping one line.

use serde_json::Value;

use super::status::{Behaviour, behaviour};
use crate::{
    model::Millis,
    sim::controllers::{seed, value::*},
};

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When it was written.
    pub at: Millis,
    /// Its text, without the end of line.
    pub text: String,
}

/// The log of one container.
#[derive(Clone, Debug)]
pub struct Log {
    seed: u64,
    key: String,
    service: String,
    version: String,
    start: Millis,
    end: Option<Millis>,
    crash: bool,
    period: i64,
}

impl Log {
    /// The log of a container: the running one's, or with `previous` of the one before it. `Err` says why there is none,
    /// in the API server's words.
    pub fn of(pod: &Value, container: &str, previous: bool, seed: u64) -> Result<Self, String> {
        let containers = list(pod, "/spec/containers");
        let names: Vec<&str> = containers.iter().map(|c| text(c, "/name")).collect();
        if container.is_empty() && names.len() > 1 {
            return Err(format!(
                "a container name must be specified for pod {}, choose one of: [{}]",
                name(pod),
                names.join(" ")
            ));
        }
        let spec = containers.iter().find(|c| container.is_empty() || text(c, "/name") == container);
        let spec = spec.ok_or_else(|| format!("container {container} is not valid for pod {}", name(pod)))?;
        let container = text(spec, "/name");
        let status = list(pod, "/status/containerStatuses")
            .iter()
            .find(|c| text(c, "/name") == container)
            .unwrap_or(&Value::Null);
        let running = time(status, "/state/running/startedAt").map(|start| (start, None));
        let ended =
            |p: &str| Some((time(status, &format!("{p}/startedAt"))?, time(status, &format!("{p}/finishedAt"))));
        let last = ended("/lastState/terminated");
        let span = if previous { last } else { running.or_else(|| ended("/state/terminated")).or(last) };
        let Some((start, end)) = span else {
            let what = if previous { "previous terminated container" } else { "container" };
            let reason = text(status, "/state/waiting/reason");
            return Err(if previous || reason.is_empty() {
                format!("{what} \"{container}\" in pod \"{}\" not found", name(pod))
            } else {
                format!("container \"{container}\" in pod \"{}\" is waiting to start: {reason}", name(pod))
            });
        };
        let image = text(spec, "/image");
        let key = format!("{}/{container}", uid(pod));
        Ok(Self {
            seed,
            service: container.to_owned(),
            version: crate::model::ImageRef::parse(image).version().to_owned(),
            start,
            end,
            crash: behaviour(image) == Behaviour::Crash,
            period: seed::between(seed, &["log", &key], 400, 3000),
            key,
        })
    }

    /// How many lines there are at a moment.
    pub fn count(&self, now: Millis) -> i64 {
        let end = self.end.unwrap_or(now).min(now);
        if self.crash {
            let written = (end.0 - self.start.0) / 120 + 1;
            return if self.end.is_some() { CRASH.len() as i64 } else { written.clamp(0, CRASH.len() as i64 - 1) };
        }
        ((end.0 - self.start.0) / self.period + 1).max(0)
    }

    /// Whether more lines may come.
    pub fn goes_on(&self) -> bool {
        self.end.is_none()
    }

    /// When line `n` is written.
    pub fn time_of(&self, n: i64) -> Millis {
        Millis(self.start.0 + n * if self.crash { 120 } else { self.period })
    }

    /// Number of the first line written at or after a moment.
    pub fn first_since(&self, since: Millis) -> i64 {
        let step = if self.crash { 120 } else { self.period };
        ((since.0 - self.start.0).max(0) + step - 1) / step
    }

    /// Line `n`.
    pub fn line(&self, n: i64) -> Line {
        let at = self.time_of(n);
        if self.crash {
            let text = CRASH.get(usize::try_from(n).unwrap_or(0)).unwrap_or(&CRASH[0]);
            return Line { at, text: text.replace("{service}", &self.service).replace("{version}", &self.version) };
        }
        Line { at, text: self.ordinary(n, at) }
    }

    fn ordinary(&self, n: i64, at: Millis) -> String {
        let mut rng = seed::rng(self.seed, &[&self.key, &n.to_string()]);
        let ms = 2 + rng.below(180);
        let trace = rng.next() >> 32;
        let path = rng.pick(PATHS);
        let stamp = stamp(at);
        if n == 0 {
            return format!("{stamp} INFO  {} {} starting, 8 workers", self.service, self.version);
        }
        match rng.below(40) {
            0 => format!("{stamp} WARN  slow request path={path} took={}ms trace={trace:08x}", ms * 11),
            1 => format!(
                "{stamp} WARN  retrying upstream attempt=2 cause=\"connection reset by peer\" trace={trace:08x}"
            ),
            2 => format!("{stamp} INFO  config reloaded entries={}", 10 + rng.below(40)),
            3 if rng.one_in(6) => {
                format!("{stamp} ERROR upstream timed out after 5000ms path={path} trace={trace:08x}")
            }
            _ => format!("{stamp} INFO  request done method=GET path={path} status=200 took={ms}ms trace={trace:08x}"),
        }
    }
}

const PATHS: &[&str] =
    &["/v1/accounts", "/v1/payments", "/v2/orders", "/healthz", "/v1/quotes", "/v1/支付", "/metrics", "/v1/sessions"];

/// What a container writes before it ends with an error.
const CRASH: &[&str] = &[
    "INFO  {service} {version} starting",
    "INFO  reading /etc/app/config.yaml",
    "INFO  connecting to postgres://ledger-db:5432",
    "WARN  schema version 113 is newer than 112",
    "ERROR migration failed: column \"statement_id\" does not exist",
    "FATAL cannot start: database schema does not match this release ({version})",
    "exit status 1",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_log_can_be_told_from_any_line_on() {
        let pod = json!({"metadata": {"name": "p", "uid": "u"}, "spec": {"containers": [{"name": "main", "image": "r/a:1"}]},
            "status": {"containerStatuses": [{"name": "main", "state": {"running": {"startedAt": "2026-11-30T10:00:00Z"}}}]}});
        let log = Log::of(&pod, "", false, 1).unwrap();
        let now = Millis(log.start.0 + 3_600_000);
        let count = log.count(now);
        assert!((1200..=9001).contains(&count), "{count}");
        assert!(log.time_of(count - 1) <= now && log.time_of(count) > now);
        assert_eq!(log.line(7), log.line(7));
        assert_eq!(log.first_since(log.time_of(9)), 9);
        assert_eq!(log.line(0).text, "2026-11-30T10:00:00Z INFO  main 1 starting, 8 workers");
        assert!(Log::of(&pod, "main", true, 1).unwrap_err().contains("previous terminated container \"main\""));
        assert!(Log::of(&pod, "side", false, 1).unwrap_err().contains("is not valid for pod p"));
    }
}
