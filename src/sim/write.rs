//! One object over HTTP: get, create, update, patch, delete, and the subresources status, scale, binding, eviction.

use http::header;
use serde_json::{Value, json};

use super::{
    answer::{self, Answer, Form},
    decode,
    error::ApiError,
    kinds::{self, Resource},
    object::{self, Stored},
    patch,
    path::ApiPath,
    protobuf,
    request::{Call, Server},
    scale,
    store::{DeleteOptions, Propagation, Writer},
    strategy,
};

/// Answers a request about one object, or the deletion of a collection.
pub fn answer(
    server: &Server,
    call: &Call,
    api: &ApiPath,
    resource: &Resource,
    verb: &str,
) -> Result<Answer, ApiError> {
    match (verb, api.sub.as_str()) {
        ("get", "log") if resource.rid == kinds::PODS => super::logs::answer(server, call, api),
        ("get", "" | "status") => get(server, call, api, resource),
        ("get" | "update" | "patch", "scale") if resource.scale => scale::answer(server, call, api, resource, verb),
        ("create", "") => create(server, call, api, resource),
        ("create", "binding") if resource.rid == kinds::PODS => bind(server, call, api),
        ("create", "eviction") if resource.rid == kinds::PODS => delete(server, call, api, resource),
        ("update", "" | "status" | "finalize") => update(server, call, api, resource),
        ("patch", "" | "status") => patch(server, call, api, resource),
        ("delete", "") => delete(server, call, api, resource),
        ("deletecollection", "") => delete_collection(server, call, api, resource),
        _ => Err(ApiError::new(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        )),
    }
}

/// A stored object as an answer.
pub fn show(call: &Call, api: &ApiPath, resource: &Resource, status: u16, stored: &Stored) -> Result<Answer, ApiError> {
    let text = match answer::form(&call.headers)? {
        Form::Object => stored.text(&object::head(&resource.api_version(&api.version), &resource.kind)),
        Form::Metadata => {
            let mut text = object::head("meta.k8s.io/v1", "PartialObjectMetadata").into_bytes();
            text.extend_from_slice(&stored.metadata());
            text.push(b'}');
            text
        }
    };
    Ok(answer::whole(status, "application/json", text))
}

fn get(server: &Server, call: &Call, api: &ApiPath, resource: &Resource) -> Result<Answer, ApiError> {
    let stored = server.store.get(resource.rid, &api.namespace, &api.name);
    let stored = stored.ok_or_else(|| ApiError::not_found(resource, &api.name))?;
    show(call, api, resource, 200, &stored)
}

/// The body as an object of this resource, with the namespace of the path.
fn body(call: &Call, api: &ApiPath, resource: &Resource) -> Result<Value, ApiError> {
    let mut object = protobuf::read(&call.body)?;
    strategy::check_head(api, resource, &mut object)?;
    decode::check(resource, &api.version, &mut object, call.query.get("fieldValidation") == "Strict")?;
    Ok(object)
}

/// Who writes, from the request.
pub fn writer<'a>(call: &Call, api: &'a ApiPath, manager: &'a str) -> Writer<'a> {
    Writer { manager, subresource: &api.sub, dry_run: !call.query.get("dryRun").is_empty() }
}

fn create(server: &Server, call: &Call, api: &ApiPath, resource: &Resource) -> Result<Answer, ApiError> {
    let mut object = body(call, api, resource)?;
    strategy::for_create(resource, &mut object)?;
    let manager = call.manager();
    let by = writer(call, api, &manager);
    let stored = server.store.create(resource.rid, object, &by)?;
    if !by.dry_run {
        strategy::created(&server.store, resource, &stored);
    }
    show(call, api, resource, 201, &stored)
}

fn update(server: &Server, call: &Call, api: &ApiPath, resource: &Resource) -> Result<Answer, ApiError> {
    let object = body(call, api, resource)?;
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    if name != api.name {
        return Err(ApiError::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            api.name
        )));
    }
    let manager = call.manager();
    let by = writer(call, api, &manager);
    let stored = server.store.modify(resource.rid, &api.namespace, &api.name, &by, |current| {
        let old = current.clone();
        *current = object;
        strategy::for_update(resource, &api.sub, &old, current)
    })?;
    strategy::updated(&server.store, resource, &stored, &by);
    show(call, api, resource, 200, &stored)
}

fn patch(server: &Server, call: &Call, api: &ApiPath, resource: &Resource) -> Result<Answer, ApiError> {
    let kind = call.headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let kind = patch::PatchKind::of(kind)?;
    let change = patch::parse(kind, &call.body)?;
    let manager = call.manager();
    let by = writer(call, api, &manager);
    if kind == patch::PatchKind::Apply {
        return apply(server, call, api, resource, &change, &by);
    }
    let stored = server.store.modify(resource.rid, &api.namespace, &api.name, &by, |current| {
        let old = current.clone();
        patch::change(kind, resource, current, &change)?;
        decode::check(resource, &api.version, current, call.query.get("fieldValidation") == "Strict")?;
        strategy::for_update(resource, &api.sub, &old, current)
    })?;
    strategy::updated(&server.store, resource, &stored, &by);
    show(call, api, resource, 200, &stored)
}

fn apply(
    server: &Server,
    call: &Call,
    api: &ApiPath,
    resource: &Resource,
    wanted: &Value,
    by: &Writer<'_>,
) -> Result<Answer, ApiError> {
    if call.query.get("fieldManager").is_empty() {
        let cause =
            ("FieldValueRequired", "Required value: is required for apply patch".to_owned(), "fieldManager".to_owned());
        let mut error = ApiError::invalid(resource, "", vec![cause]);
        error.message =
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch"
                .into();
        return Err(error);
    }
    let mut wanted = wanted.clone();
    strategy::check_head(api, resource, &mut wanted)?;
    decode::check_applied(resource, &api.version, &mut wanted)?;
    let force = call.query.flag("force");
    let exists = server.store.get(resource.rid, &api.namespace, &api.name).is_some();
    if !exists {
        if !api.sub.is_empty() {
            return Err(ApiError::not_found(resource, &api.name));
        }
        let mut object = patch::apply::created(resource, &api.version, &wanted, by, &server.store.clock.stamp())?;
        strategy::for_create(resource, &mut object)?;
        let stored = server.store.create_applied(resource.rid, object, by)?;
        if !by.dry_run {
            strategy::created(&server.store, resource, &stored);
        }
        return show(call, api, resource, 201, &stored);
    }
    let now = server.store.clock.stamp();
    let stored = server.store.modify_applied(resource.rid, &api.namespace, &api.name, by, |current| {
        let old = current.clone();
        patch::apply::apply(resource, &api.version, current, &wanted, by, force, &now)?;
        strategy::for_update(resource, &api.sub, &old, current)
    })?;
    strategy::updated(&server.store, resource, &stored, by);
    show(call, api, resource, 200, &stored)
}

fn options(call: &Call) -> DeleteOptions {
    let body = protobuf::read(&call.body).unwrap_or(Value::Null);
    // An eviction carries the options inside.
    let body = body.get("deleteOptions").cloned().unwrap_or(body);
    let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let policy = text("/propagationPolicy").unwrap_or_else(|| call.query.get("propagationPolicy").to_owned());
    let orphan = body.get("orphanDependents").and_then(Value::as_bool).unwrap_or(false);
    DeleteOptions {
        propagation: match policy.as_str() {
            "Orphan" => Propagation::Orphan,
            "Foreground" => Propagation::Foreground,
            _ if orphan => Propagation::Orphan,
            _ => Propagation::Background,
        },
        grace: body.get("gracePeriodSeconds").and_then(Value::as_i64).or(call.query.number("gracePeriodSeconds")),
        uid: text("/preconditions/uid"),
        resource_version: text("/preconditions/resourceVersion"),
        dry_run: body.get("dryRun").is_some_and(|d| !d.is_null()) || !call.query.get("dryRun").is_empty(),
    }
}

fn delete(server: &Server, call: &Call, api: &ApiPath, resource: &Resource) -> Result<Answer, ApiError> {
    let options = options(call);
    let (stored, gone) = server.store.delete(resource.rid, &api.namespace, &api.name, &options)?;
    if !options.dry_run {
        strategy::deleted(&server.store, resource, &stored);
    }
    if api.sub == "eviction" {
        return Ok(answer::json(
            201,
            &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}),
        ));
    }
    // The object where it stays for a while, and for pods always; else a Status that names it.
    if !gone || matches!(resource.rid, kinds::PODS | kinds::SERVICES) {
        return show(call, api, resource, 200, &stored);
    }
    let mut details = json!({"name": api.name, "kind": resource.plural, "uid": &*stored.uid});
    if !resource.group.is_empty() {
        details["group"] = json!(resource.group);
    }
    Ok(answer::json(
        200,
        &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}),
    ))
}

fn delete_collection(server: &Server, call: &Call, api: &ApiPath, resource: &Resource) -> Result<Answer, ApiError> {
    let options = options(call);
    let selector =
        super::select::Selector::parse(resource, call.query.get("labelSelector"), call.query.get("fieldSelector"))?;
    let scope = Some(api.namespace.as_str()).filter(|n| !n.is_empty());
    let listing = server.store.list(resource.rid, scope);
    let mut items = Vec::new();
    for stored in listing.items.into_iter().filter(|o| selector.matches(o)) {
        // One that went away meanwhile is as good as deleted.
        if server.store.delete(resource.rid, stored.namespace(), stored.name(), &options).is_ok() {
            items.push(stored.value(resource));
            strategy::deleted(&server.store, resource, &stored);
        }
    }
    let version = listing.version.to_string();
    Ok(answer::json(
        200,
        &json!({
            "kind": format!("{}List", resource.kind), "apiVersion": resource.api_version(&api.version),
            "metadata": {"resourceVersion": version}, "items": items,
        }),
    ))
}

fn bind(server: &Server, call: &Call, api: &ApiPath) -> Result<Answer, ApiError> {
    let binding: Value = serde_json::from_slice(&call.body).map_err(|e| ApiError::bad_request(e.to_string()))?;
    let node = binding.pointer("/target/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let manager = call.manager();
    let by = Writer::new(&manager);
    server.store.modify(kinds::PODS, &api.namespace, &api.name, &by, |pod| {
        if pod.pointer("/spec/nodeName").and_then(Value::as_str).is_some_and(|n| !n.is_empty()) {
            return Err(ApiError::new(409, "Conflict", format!("pod {} is already assigned to a node", api.name)));
        }
        pod["spec"]["nodeName"] = json!(node);
        Ok(())
    })?;
    Ok(answer::json(
        201,
        &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}),
    ))
}
