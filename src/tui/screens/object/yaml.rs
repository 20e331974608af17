//! An object as YAML, the values of Secrets masked: also where an annotation repeats them.

use serde_json::Value;

use crate::messages::{Lang, objects as m};

/// Annotations that hold a copy of the object's content.
const COPIES: &[&str] = &["kubectl.kubernetes.io/last-applied-configuration"];

/// The text; keys in the order of `kubectl get -o yaml`.
pub(super) fn text(mut value: Value, secret: bool, lang: Lang) -> String {
    if secret || value.get("kind").and_then(Value::as_str) == Some("Secret") {
        mask(&mut value, lang);
    }
    match serde_saphyr::to_string(&value) {
        Ok(text) => text,
        // YAML holds every JSON value; should the writer refuse one, its JSON is valid YAML too.
        Err(_) => serde_json::to_string_pretty(&value).unwrap_or_default(),
    }
}

fn mask(secret: &mut Value, lang: Lang) {
    for part in ["data", "stringData"] {
        let Some(entries) = secret.get_mut(part).and_then(Value::as_object_mut) else { continue };
        for value in entries.values_mut() {
            let bytes = value.as_str().map_or(0, |s| if part == "data" { decoded_len(s) } else { s.len() });
            *value = Value::String(m::MASKED.fill(lang, &[("n", &bytes.to_string())]));
        }
    }
    let annotations = secret.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    for (key, value) in annotations.into_iter().flatten() {
        if COPIES.contains(&key.as_str()) {
            *value = Value::String(m::MASKED_TEXT.text(lang).to_owned());
        }
    }
}

/// Length of what a base64 text stands for.
fn decoded_len(text: &str) -> usize {
    let padding = text.bytes().rev().take_while(|b| *b == b'=').count();
    (text.len() / 4 * 3).saturating_sub(padding)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_value_of_a_secret_is_shown() {
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "db", "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": "{\"data\":{\"password\":\"aHVudGVyMg==\"}}",
                "team": "payments"}},
            "data": {"password": "aHVudGVyMg=="}, "stringData": {"user": "root-user"},
        });
        for told in [true, false] {
            let shown = text(secret.clone(), told, Lang::En);
            assert!(!shown.contains("aHVudGVyMg") && !shown.contains("root-user"), "{shown}");
            assert!(shown.contains("(masked, 7 bytes)") && shown.contains("team: payments"), "{shown}");
        }
        let map = json!({"kind": "ConfigMap", "data": {"level": "debug"}});
        assert!(text(map, false, Lang::En).contains("level: debug"));
    }
}
