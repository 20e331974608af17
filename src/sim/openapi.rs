//! OpenAPI documents of the served kinds, made from the table of types: enough for clients that merge and validate by them.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value, json};

use super::{
    answer::{self, Answer},
    error::ApiError,
    kinds::Resource,
    request::{Call, Server},
};
use crate::schema::{ListKind, Node, Schema, Shape, schema};

/// Answers `/openapi/...`; `None` for other paths.
pub fn answer(server: &Server, path: &str, call: &Call) -> Option<Result<Answer, ApiError>> {
    let rest = path.strip_prefix("/openapi/")?;
    let resources: Vec<Arc<Resource>> = server.store.resources().iter().filter(|r| r.served).cloned().collect();
    match rest {
        "v2" => {
            let accept = call.headers.get(http::header::ACCEPT).and_then(|v| v.to_str().ok()).unwrap_or("*/*");
            if !accept.contains("json") && !accept.contains("*/*") {
                return Some(Err(ApiError::new(406, "NotAcceptable", "only application/json is spoken here")));
            }
            Some(Ok(answer::json(200, &version_2(&resources))))
        }
        "v3" => Some(Ok(answer::json(200, &index(&resources)))),
        _ => {
            let group_version = rest.strip_prefix("v3/")?;
            let document = version_3(&resources, group_version);
            Some(document.map(|d| answer::json(200, &d)).ok_or_else(ApiError::no_such_path))
        }
    }
}

/// `api/v1`, `apis/apps/v1`.
fn place(resource: &Resource, version: &str) -> String {
    if resource.group.is_empty() { format!("api/{version}") } else { format!("apis/{}/{version}", resource.group) }
}

fn index(resources: &[Arc<Resource>]) -> Value {
    let mut paths = Map::new();
    for resource in resources {
        for version in &resource.versions {
            let place = place(resource, version);
            // The hash only has to change when the document does: its kinds are all that ever changes here.
            let kinds = resources.iter().filter(|r| r.group == resource.group).count();
            paths.insert(place.clone(), json!({"serverRelativeURL": format!("/openapi/v3/{place}?hash={kinds:032X}")}));
        }
    }
    json!({"paths": paths})
}

fn version_3(resources: &[Arc<Resource>], group_version: &str) -> Option<Value> {
    let mut document = Document::new("#/components/schemas/");
    let mut paths = Map::new();
    for resource in resources {
        for version in resource.versions.iter().filter(|v| place(resource, v) == group_version) {
            document.add_kind(resource, version);
            let (path, item) = operations(resource, version, true);
            paths.insert(path, item);
        }
    }
    (!paths.is_empty()).then(|| {
        json!({
            "openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "simulated"},
            "paths": paths, "components": {"schemas": document.schemas},
        })
    })
}

fn version_2(resources: &[Arc<Resource>]) -> Value {
    let mut document = Document::new("#/definitions/");
    let mut paths = Map::new();
    for resource in resources {
        for version in &resource.versions {
            document.add_kind(resource, version);
            let (path, item) = operations(resource, version, false);
            paths.insert(path, item);
        }
    }
    json!({
        "swagger": "2.0", "info": {"title": "Kubernetes", "version": "simulated"},
        "paths": paths, "definitions": document.schemas,
    })
}

/// The path of one object and the query parameters of its patch, which clients look for.
fn operations(resource: &Resource, version: &str, third: bool) -> (String, Value) {
    let scope = if resource.namespaced { "/namespaces/{namespace}" } else { "" };
    let path = format!("/{}{scope}/{}/{{name}}", place(resource, version), resource.plural);
    let parameter = |name: &str| {
        let kind = json!({"type": "string"});
        let mut parameter = json!({"name": name, "in": "query"});
        if third {
            parameter["schema"] = kind;
        } else {
            parameter["type"] = json!("string");
        }
        parameter
    };
    let names = ["dryRun", "fieldManager", "fieldValidation", "force"];
    let kinds: &[&str] = if resource.custom {
        &["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"]
    } else {
        &[
            "application/apply-patch+yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
        ]
    };
    let content: Map<String, Value> =
        kinds.iter().map(|k| ((*k).to_owned(), json!({"schema": {"type": "object"}}))).collect();
    let mut patch = json!({
        "parameters": names.map(parameter),
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": "patch",
        "x-kubernetes-group-version-kind": {"group": resource.group, "version": version, "kind": resource.kind},
    });
    if third {
        patch["requestBody"] = json!({"content": content, "required": true});
    } else {
        patch["consumes"] = json!(kinds);
    }
    (path, json!({"patch": patch}))
}

struct Document {
    prefix: &'static str,
    schemas: Map<String, Value>,
    done: BTreeSet<usize>,
}

impl Document {
    fn new(prefix: &'static str) -> Self {
        Self { prefix, schemas: Map::new(), done: BTreeSet::new() }
    }

    fn add_kind(&mut self, resource: &Resource, version: &str) {
        let schema = schema();
        let name =
            format!("{}.{version}.{}", if resource.group.is_empty() { "core" } else { &resource.group }, resource.kind);
        let mut described = match resource.root().shape {
            Shape::Struct(number) => self.describe(schema, number),
            _ => json!({"type": "object"}),
        };
        if resource.custom || resource.root_number().is_none() {
            for free in ["spec", "status"] {
                described["properties"][free] = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            }
        }
        let kinds = json!([{"group": resource.group, "version": version, "kind": resource.kind}]);
        described["x-kubernetes-group-version-kind"] = kinds;
        self.schemas.insert(name, described);
    }

    fn describe(&mut self, schema: &Schema, number: usize) -> Value {
        let Some(kind) = schema.types.get(number) else { return json!({"type": "object"}) };
        let mut properties = Map::new();
        for (field, node) in &kind.fields {
            properties.insert(field.clone(), self.field(schema, node));
        }
        let required: Vec<&String> = kind.fields.iter().filter(|(_, n)| n.required).map(|(f, _)| f).collect();
        let mut described = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            described["required"] = json!(required);
        }
        if kind.atomic {
            described["x-kubernetes-map-type"] = json!("atomic");
        }
        described
    }

    fn field(&mut self, schema: &Schema, node: &Node) -> Value {
        let mut described = self.shape(schema, &node.shape);
        let mut note = |key: &str, value: Value| described[key] = value;
        match &node.list {
            ListKind::Set => note("x-kubernetes-list-type", json!("set")),
            ListKind::Keys(keys) => {
                note("x-kubernetes-list-type", json!("map"));
                note("x-kubernetes-list-map-keys", json!(keys));
            }
            ListKind::Atomic if node.atomic && matches!(node.shape, Shape::List(_)) => {
                note("x-kubernetes-list-type", json!("atomic"))
            }
            ListKind::Atomic if node.atomic => note("x-kubernetes-map-type", json!("atomic")),
            ListKind::Atomic => {}
        }
        if let Some(key) = &node.merge_key {
            note("x-kubernetes-patch-merge-key", json!(key));
        }
        if !node.strategy.is_empty() {
            note("x-kubernetes-patch-strategy", json!(node.strategy));
        }
        if node.empty {
            note("default", json!({}));
        } else if let Some(default) = &node.default {
            note("default", default.clone());
        }
        described
    }

    fn shape(&mut self, schema: &Schema, shape: &Shape) -> Value {
        match shape {
            Shape::Struct(number) => {
                let name = schema.types.get(*number).map_or("Unknown", |t| t.name.as_str()).to_owned();
                if self.done.insert(*number) {
                    let described = self.describe(schema, *number);
                    self.schemas.insert(name.clone(), described);
                }
                // Beside a plain reference other words would be ignored.
                json!({"allOf": [{"$ref": format!("{}{name}", self.prefix)}]})
            }
            Shape::Map(element) => json!({"type": "object", "additionalProperties": self.field(schema, element)}),
            Shape::List(element) => json!({"type": "array", "items": self.field(schema, element)}),
            // Documents of definitions are told without their fields.
            Shape::Inline(_) | Shape::Any => json!({"x-kubernetes-preserve-unknown-fields": true, "type": "object"}),
            Shape::Scalar(letter) => scalar(*letter),
        }
    }
}

fn scalar(letter: char) -> Value {
    match letter {
        't' => json!({"type": "string", "format": "date-time"}),
        'y' => json!({"type": "string", "format": "byte"}),
        'i' => json!({"type": "integer", "format": "int32"}),
        'l' => json!({"type": "integer", "format": "int64"}),
        'n' => json!({"type": "number", "format": "double"}),
        'b' => json!({"type": "boolean"}),
        'x' => json!({"x-kubernetes-int-or-string": true, "format": "int-or-string"}),
        'o' => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        _ => json!({"type": "string"}),
    }
}
