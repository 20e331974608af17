//! Bodies in protobuf: some commands of kubectl know no other way to send what they create. Only the few kinds that they
//! send are read; answers are always JSON, which the same clients accept.

use base64::Engine as _;
use serde_json::{Map, Value, json};

use super::error::ApiError;

/// Messages: `NAME FIELD:NUMBER:TYPE ...`; types are `s` text, `y` bytes, `i` integer, `u` integer whose
/// 0 says nothing, `b` boolean, `t` time, a message's
/// name; `[` before it repeats, `*` makes it a map from text. The numbers are those of the published API.
const MESSAGES: &[(&str, &str)] = &[
    ("ObjectMeta", "name:1:s generateName:2:s namespace:3:s labels:11:*s annotations:12:*s finalizers:14:[s"),
    ("Namespace", "metadata:1:ObjectMeta"),
    ("ConfigMap", "metadata:1:ObjectMeta data:2:*s binaryData:3:*y immutable:4:b"),
    ("Secret", "metadata:1:ObjectMeta data:2:*y type:3:s stringData:4:*s immutable:5:b"),
    ("ServiceAccount", "metadata:1:ObjectMeta"),
    ("Role", "metadata:1:ObjectMeta rules:2:[PolicyRule"),
    ("ClusterRole", "metadata:1:ObjectMeta rules:2:[PolicyRule"),
    ("PolicyRule", "verbs:1:[s apiGroups:2:[s resources:3:[s resourceNames:4:[s nonResourceURLs:5:[s"),
    ("RoleBinding", "metadata:1:ObjectMeta subjects:2:[Subject roleRef:3:RoleRef"),
    ("ClusterRoleBinding", "metadata:1:ObjectMeta subjects:2:[Subject roleRef:3:RoleRef"),
    ("Subject", "kind:1:s apiGroup:2:s name:3:s namespace:4:s"),
    ("RoleRef", "apiGroup:1:s kind:2:s name:3:s"),
    ("Deployment", "metadata:1:ObjectMeta spec:2:DeploymentSpec"),
    ("DeploymentSpec", "replicas:1:i selector:2:LabelSelector template:3:PodTemplateSpec"),
    ("LabelSelector", "matchLabels:1:*s"),
    ("PodTemplateSpec", "metadata:1:ObjectMeta spec:2:PodSpec"),
    ("PodSpec", "containers:2:[Container restartPolicy:3:s"),
    ("Container", "name:1:s image:2:s command:3:[s args:4:[s ports:6:[ContainerPort"),
    ("ContainerPort", "name:1:s hostPort:2:u containerPort:3:i protocol:4:s"),
    (
        "DeleteOptions",
        "gracePeriodSeconds:1:i preconditions:2:Preconditions orphanDependents:3:b propagationPolicy:4:s dryRun:5:[s",
    ),
    ("Preconditions", "uid:1:s resourceVersion:2:s"),
    ("Eviction", "metadata:1:ObjectMeta deleteOptions:2:DeleteOptions"),
    ("SelfSubjectReview", "metadata:1:ObjectMeta"),
    ("SelfSubjectAccessReview", "metadata:1:ObjectMeta spec:2:AccessSpec"),
    ("AccessSpec", "resourceAttributes:1:ResourceAttributes nonResourceAttributes:2:PathAttributes"),
    ("ResourceAttributes", "namespace:1:s verb:2:s group:3:s version:4:s resource:5:s subresource:6:s name:7:s"),
    ("PathAttributes", "path:1:s verb:2:s"),
    ("SelfSubjectRulesReview", "metadata:1:ObjectMeta spec:2:RulesSpec"),
    ("RulesSpec", "namespace:1:s"),
];

/// Start of every Kubernetes protobuf body.
const MAGIC: &[u8] = b"k8s\0";

/// Reads a body that is JSON or, by its first bytes, protobuf.
pub fn read(body: &[u8]) -> Result<Value, ApiError> {
    let Some(envelope) = body.strip_prefix(MAGIC) else {
        return serde_json::from_slice(body).map_err(|e| ApiError::bad_request(format!("the body is no JSON: {e}")));
    };
    let (mut kind, mut api_version, mut raw): (String, String, &[u8]) = (String::new(), String::new(), &[]);
    for (number, field) in fields(envelope)? {
        match (number, field) {
            (1, Field::Bytes(head)) => {
                for (number, field) in fields(head)? {
                    match (number, field) {
                        (1, Field::Bytes(text)) => api_version = String::from_utf8_lossy(text).into_owned(),
                        (2, Field::Bytes(text)) => kind = String::from_utf8_lossy(text).into_owned(),
                        _ => {}
                    }
                }
            }
            (2, Field::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    if !MESSAGES.iter().any(|(name, _)| *name == kind) {
        let message =
            format!("the simulated server reads a {kind} as JSON or YAML only, not as protobuf (create it with -f)");
        return Err(ApiError::new(415, "UnsupportedMediaType", message));
    }
    let mut object = message(&kind, raw)?;
    object["apiVersion"] = json!(api_version);
    object["kind"] = json!(kind);
    Ok(object)
}

enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn broken() -> ApiError {
    ApiError::bad_request("the protobuf body is broken")
}

fn varint(bytes: &mut &[u8]) -> Result<u64, ApiError> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().ok_or_else(broken)?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(broken())
}

fn fields(mut bytes: &[u8]) -> Result<Vec<(u64, Field<'_>)>, ApiError> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let field = match tag & 7 {
            0 => Field::Number(varint(&mut bytes)?),
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).map_err(|_| broken())?;
                let part = bytes.get(..length).ok_or_else(broken)?;
                bytes = &bytes[length..];
                Field::Bytes(part)
            }
            _ => return Err(broken()),
        };
        all.push((tag >> 3, field));
    }
    Ok(all)
}

fn message(name: &str, bytes: &[u8]) -> Result<Value, ApiError> {
    let table = MESSAGES.iter().find(|(n, _)| *n == name).map_or("", |(_, fields)| fields);
    let mut object = Map::new();
    for (number, field) in fields(bytes)? {
        let known = table.split(' ').find_map(|word| {
            let mut parts = word.split(':');
            let (name, wanted, kind) = (parts.next()?, parts.next()?, parts.next()?);
            (wanted.parse() == Ok(number)).then_some((name, kind))
        });
        let Some((key, kind)) = known else { continue };
        if let Some(element) = kind.strip_prefix('[') {
            let item = value(element, &field)?;
            if let Value::Array(list) = object.entry(key).or_insert_with(|| json!([])) {
                list.push(item);
            }
        } else if let (Some(element), Field::Bytes(entry)) = (kind.strip_prefix('*'), &field) {
            let (mut name, mut held) = (String::new(), json!(""));
            for (number, field) in fields(entry)? {
                match number {
                    1 => name = value("s", &field)?.as_str().unwrap_or_default().to_owned(),
                    _ => held = value(element, &field)?,
                }
            }
            object.entry(key).or_insert_with(|| json!({}))[name.as_str()] = held;
        } else {
            let held = value(kind, &field)?;
            // An empty text is how this encoding says nothing.
            if held != json!("") && !(kind == "u" && held == 0) {
                object.insert(key.to_owned(), held);
            }
        }
    }
    Ok(Value::Object(object))
}

fn value(kind: &str, field: &Field<'_>) -> Result<Value, ApiError> {
    Ok(match (kind, field) {
        ("b", Field::Number(n)) => json!(*n != 0),
        // Negative integers are written as 64-bit two's complement.
        (_, Field::Number(n)) => json!(n.cast_signed()),
        ("y", Field::Bytes(bytes)) => json!(base64::engine::general_purpose::STANDARD.encode(bytes)),
        ("s", Field::Bytes(bytes)) => json!(String::from_utf8_lossy(bytes)),
        (name, Field::Bytes(bytes)) => message(name, bytes)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_map_is_read() {
        // Unknown{typeMeta{v1, ConfigMap}, raw = ConfigMap{metadata{name: a}, data{x: 1}}}
        let meta = [&[0x0a, 1][..], b"a"].concat();
        let entry = [&[0x0a, 1][..], b"x", &[0x12, 1], b"1"].concat();
        let raw = [&[0x0a, 3][..], &meta, &[0x12, 6], &entry].concat();
        let kind = [&[0x0a, 2][..], b"v1", &[0x12, 9], b"ConfigMap"].concat();
        let body = [MAGIC, &[0x0a, 15], &kind, &[0x12, 13], &raw].concat();
        let wanted = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "1"}});
        assert_eq!(read(&body).unwrap(), wanted);
        assert!(read(&body[..body.len() - 1]).is_err());
    }
}
