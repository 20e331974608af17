//! A stored object: its JSON text without `apiVersion` and `kind`, and the few words that selectors need.
//!
//! Text instead of trees: 100,000 pods of 10 KB are 1 GB as text and 11 GB as `serde_json::Value`.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::kinds::{self, Resource, Rid};

/// What selectors and indexes need of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// Labels, sorted by key.
    pub labels: Box<[(Box<str>, Box<str>)]>,
    /// Fields that a field selector may name (beside name and namespace), sorted.
    pub fields: Box<[(&'static str, Box<str>)]>,
    /// uids of its owners.
    pub owners: Box<[Box<str>]>,
}

/// One object at one resourceVersion.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its resource.
    pub rid: Rid,
    /// `namespace/name`, or `/name` for cluster-scoped ones.
    pub key: Arc<str>,
    /// Its resourceVersion.
    pub version: u64,
    /// Its uid.
    pub uid: Box<str>,
    /// Labels, fields, owners.
    pub meta: Arc<Meta>,
    /// `"metadata":{...},...}`: the object's text after `apiVersion` and `kind`, metadata first.
    pub rest: Bytes,
    /// Length of `"metadata":{...}` at the start of `rest`.
    pub metadata_end: u32,
}

impl Stored {
    /// Its namespace, empty for cluster-scoped ones.
    pub fn namespace(&self) -> &str {
        self.key.split_once('/').map_or("", |(ns, _)| ns)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.key.split_once('/').map_or(&self.key, |(_, name)| name)
    }

    /// The whole text in one version of its API.
    pub fn text(&self, head: &str) -> Vec<u8> {
        let mut text = Vec::with_capacity(head.len() + self.rest.len());
        text.extend_from_slice(head.as_bytes());
        text.extend_from_slice(&self.rest);
        text
    }

    /// The parsed object, with `apiVersion` and `kind` of the resource's preferred version.
    pub fn value(&self, resource: &Resource) -> Value {
        let text = self.text(&head(&resource.api_version(resource.preferred()), &resource.kind));
        serde_json::from_slice(&text).unwrap_or(Value::Null)
    }

    /// `"metadata":{...}`.
    pub fn metadata(&self) -> Bytes {
        self.rest.slice(..self.metadata_end as usize)
    }

    /// A label's value.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.meta.labels.iter().find(|(k, _)| &**k == key).map(|(_, v)| &**v)
    }

    /// A field that a field selector may name; `None` for one that the resource does not offer.
    pub fn field(&self, path: &str) -> Option<&str> {
        match path {
            "metadata.name" => Some(self.name()),
            "metadata.namespace" => Some(self.namespace()),
            _ if selectable(self.rid).contains(&path) => {
                Some(self.meta.fields.iter().find(|(k, _)| *k == path).map_or("", |(_, v)| v))
            }
            _ => None,
        }
    }
}

/// `{"apiVersion":"apps/v1","kind":"Deployment",`.
pub fn head(api_version: &str, kind: &str) -> String {
    format!("{{\"apiVersion\":\"{api_version}\",\"kind\":\"{kind}\",")
}

/// Fields that a field selector may name, beside `metadata.name` and `metadata.namespace`.
pub fn selectable(rid: Rid) -> &'static [&'static str] {
    match rid {
        kinds::PODS => &[
            "spec.hostNetwork",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.nominatedNodeName",
            "status.phase",
            "status.podIP",
        ],
        kinds::EVENTS => &[
            "involvedObject.apiVersion",
            "involvedObject.fieldPath",
            "involvedObject.kind",
            "involvedObject.name",
            "involvedObject.namespace",
            "involvedObject.resourceVersion",
            "involvedObject.uid",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        kinds::SECRETS => &["type"],
        kinds::NAMESPACES => &["status.phase"],
        kinds::NODES => &["spec.unschedulable"],
        kinds::SERVICES => &["spec.clusterIP", "spec.type"],
        kinds::REPLICASETS | kinds::REPLICATIONCONTROLLERS => &["status.replicas"],
        kinds::JOBS => &["status.successful"],
        _ => &[],
    }
}

fn field_text(rid: Rid, object: &Value, path: &str) -> String {
    let pointer = match (rid, path) {
        (kinds::EVENTS, "source") => "/source/component".to_owned(),
        (kinds::JOBS, _) => "/status/succeeded".to_owned(),
        _ => format!("/{}", path.replace('.', "/")),
    };
    match object.pointer(&pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(flag)) => flag.to_string(),
        _ if path == "spec.hostNetwork" || path == "spec.unschedulable" => "false".into(),
        _ if path == "status.replicas" || path == "status.successful" => "0".into(),
        _ => String::new(),
    }
}

/// Labels, selectable fields and owners of a parsed object.
pub fn meta_of(rid: Rid, object: &Value) -> Meta {
    let strings = |pointer: &str| object.pointer(pointer).and_then(Value::as_object);
    let mut labels: Vec<(Box<str>, Box<str>)> = strings("/metadata/labels")
        .map(|m| m.iter().filter_map(|(k, v)| Some((k.as_str().into(), v.as_str()?.into()))).collect())
        .unwrap_or_default();
    labels.sort();
    let fields = selectable(rid).iter().map(|path| (*path, field_text(rid, object, path).into_boxed_str())).collect();
    let owners = object
        .pointer("/metadata/ownerReferences")
        .and_then(Value::as_array)
        .map(|all| all.iter().filter_map(|o| Some(o.get("uid")?.as_str()?.into())).collect())
        .unwrap_or_default();
    Meta { labels: labels.into(), fields, owners }
}

/// Text of an object as it is stored, and the length of its metadata part. `apiVersion` and `kind` are left out.
pub fn encode(object: &Map<String, Value>) -> (Bytes, u32) {
    let mut text: Vec<u8> = b"\"metadata\":".to_vec();
    match object.get("metadata") {
        Some(metadata) => write_value(&mut text, metadata),
        None => text.extend_from_slice(b"{}"),
    }
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    for (key, value) in object.iter().filter(|(k, _)| !matches!(k.as_str(), "metadata" | "apiVersion" | "kind")) {
        text.push(b',');
        write_value(&mut text, &Value::String(key.clone()));
        text.push(b':');
        write_value(&mut text, value);
    }
    text.push(b'}');
    (Bytes::from(text.into_boxed_slice()), end)
}

fn write_value(text: &mut Vec<u8>, value: &Value) {
    // Writing a tree of strings and numbers into memory has no way to fail.
    let _ = serde_json::to_writer(text, value);
}

/// `namespace/name` of a parsed object.
pub fn key_of(object: &Value) -> String {
    let part = |p: &str| object.pointer(p).and_then(Value::as_str).unwrap_or_default();
    format!("{}/{}", part("/metadata/namespace"), part("/metadata/name"))
}

/// The same object with edited text at a new version; `None` when the text has no metadata to carry the version.
pub fn respliced(old: &Stored, text: &str, version: u64) -> Option<Stored> {
    const MARK: &str = "\"resourceVersion\":\"";
    let from = text.find(MARK)? + MARK.len();
    let to = from + text[from..].find('"')?;
    let new = format!("{}{version}{}", &text[..from], &text[to..]);
    let metadata_end = u32::try_from(metadata_length(&new)?).ok()?;
    let rest = Bytes::from(new.into_bytes().into_boxed_slice());
    Some(Stored { version, rest, metadata_end, ..old.clone() })
}

/// Length of the `"metadata":{...}` that a stored text starts with.
fn metadata_length(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
