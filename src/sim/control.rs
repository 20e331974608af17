//! The simulation's own paths: `/sim/faults`, `/sim/churn` and `/sim/requests`, for administrators. `?cluster=NAME` steers another
//! cluster of the fleet, which is the only way over HTTP to one that has fallen silent.

use serde_json::json;

use super::{
    answer::{self, Answer},
    error::ApiError,
    request::{Call, Server},
};

/// Answers a `/sim/` path.
pub fn answer(server: &Server, call: &Call) -> Result<Answer, ApiError> {
    if !call.who.is_master() {
        return Err(ApiError::new(403, "Forbidden", "only administrators steer the simulation"));
    }
    let named = call.query.get("cluster");
    let name = if named.is_empty() { server.store.name() } else { named };
    let cluster = server.fleet.get(name);
    let cluster = cluster.ok_or_else(|| ApiError::new(404, "NotFound", format!("no cluster \"{name}\"")))?;
    match (call.method.as_str(), call.path.as_str()) {
        ("GET", "/sim/faults") => Ok(answer::json(200, &json!(*cluster.switch.get()))),
        ("PUT", "/sim/faults") => {
            let faults = serde_json::from_slice(&call.body).map_err(|e| ApiError::bad_request(e.to_string()))?;
            cluster.switch.set(faults);
            Ok(answer::json(200, &json!(*cluster.switch.get())))
        }
        ("GET", "/sim/churn") => Ok(answer::json(200, &json!(server.fleet.churn.get()))),
        ("PUT", "/sim/churn") => {
            server
                .fleet
                .churn
                .set(serde_json::from_slice(&call.body).map_err(|e| ApiError::bad_request(e.to_string()))?);
            Ok(answer::json(200, &json!(server.fleet.churn.get())))
        }
        ("GET", "/sim/requests") => {
            let (counts, newest) = cluster.log.read();
            Ok(answer::json(200, &json!({"counts": counts, "requests": newest})))
        }
        ("DELETE", "/sim/requests") => {
            cluster.log.clear();
            Ok(answer::json(200, &json!({})))
        }
        ("POST", "/sim/compact") => {
            cluster.compact();
            Ok(answer::json(200, &json!({})))
        }
        _ => Err(ApiError::no_such_path()),
    }
}
