//! Reviews: may I, what may I, who am I. Nothing is stored.

use serde_json::{Value, json};

use super::{
    answer::{self, Answer},
    auth::{self, Attempt, Identity},
    discovery,
    error::ApiError,
    path::ApiPath,
    protobuf,
    request::{Call, Server},
};

/// Answers a review; `None` when the path is none.
pub fn answer(server: &Server, call: &Call, api: &ApiPath) -> Option<Result<Answer, ApiError>> {
    let (_, kind, _) = discovery::reviews(&api.group).iter().find(|(plural, _, _)| *plural == api.plural)?;
    if call.method != http::Method::POST {
        return Some(Err(ApiError::new(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        )));
    }
    let body = match protobuf::read(&call.body) {
        Ok(body) => body,
        Err(error) => return Some(Err(error)),
    };
    let mut review = json!({
        "kind": kind, "apiVersion": format!("{}/v1", api.group), "metadata": {}, "spec": body.get("spec").cloned().unwrap_or_else(|| json!({})),
    });
    let spec = review["spec"].clone();
    review["status"] = match *kind {
        "SelfSubjectReview" => json!({"userInfo": {"username": call.who.user, "groups": call.who.groups}}),
        "SelfSubjectRulesReview" => rules(server, &call.who, spec["namespace"].as_str().unwrap_or_default()),
        "SelfSubjectAccessReview" => access(server, &call.who, &spec),
        _ => access(server, &subject(&spec), &spec),
    };
    if *kind == "SelfSubjectReview" {
        review.as_object_mut().map(|o| o.remove("spec"));
    }
    Some(Ok(answer::json(201, &review)))
}

fn subject(spec: &Value) -> Identity {
    let groups = spec["groups"].as_array().into_iter().flatten();
    Identity {
        user: spec["user"].as_str().unwrap_or_default().to_owned(),
        groups: groups.filter_map(|g| g.as_str().map(str::to_owned)).collect(),
    }
}

fn access(server: &Server, who: &Identity, spec: &Value) -> Value {
    let attributes = &spec["resourceAttributes"];
    let part = |key: &str| attributes[key].as_str().unwrap_or_default();
    let resource = match part("subresource") {
        "" => part("resource").to_owned(),
        sub => format!("{}/{sub}", part("resource")),
    };
    let attempt = Attempt {
        verb: part("verb"),
        group: part("group"),
        resource: &resource,
        namespace: part("namespace"),
        name: part("name"),
    };
    if who.is_master() || (attributes.is_object() && auth::allowed(&server.store, who, &attempt)) {
        json!({"allowed": true, "reason": "RBAC: allowed"})
    } else {
        json!({"allowed": false})
    }
}

fn rules(server: &Server, who: &Identity, namespace: &str) -> Value {
    let all = auth::rules(&server.store, who, namespace);
    let (paths, resources): (Vec<Value>, Vec<Value>) =
        all.into_iter().partition(|r| r.get("nonResourceURLs").is_some());
    json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false})
}
