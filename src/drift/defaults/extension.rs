//! Defaults of RBAC bindings, webhooks, definitions and APIServices (N57, N59, N63).

use serde_json::json;

use super::{Fields, child, each, holds, inner, set, word};

const RBAC: &str = "rbac.authorization.k8s.io";

/// The groups of a binding's role and subjects; an account has none (N57).
pub(super) fn binding(root: &mut Fields) {
    inner(root, "roleRef", |role| set(role, "apiGroup", RBAC));
    each(root, "subjects", |subject| {
        if matches!(word(subject, "kind"), "User" | "Group") {
            set(subject, "apiGroup", RBAC);
        }
    });
}

/// Defaults by type.
pub(super) fn of_type(name: &str, fields: &mut Fields) {
    match name {
        "MutatingWebhook" | "ValidatingWebhook" => {
            set(fields, "failurePolicy", "Fail");
            set(fields, "matchPolicy", "Equivalent");
            set(fields, "timeoutSeconds", 10);
            set(fields, "namespaceSelector", json!({}));
            set(fields, "objectSelector", json!({}));
            if name == "MutatingWebhook" {
                set(fields, "reinvocationPolicy", "Never");
            }
        }
        "RuleWithOperations" => set(fields, "scope", "*"),
        "ServiceReference_admissionregistration" | "ServiceReference_apiextensions" | "ServiceReference" => {
            set(fields, "port", 443);
        }
        "CustomResourceDefinitionSpec" => {
            set(child(fields, "conversion"), "strategy", "None");
            inner(fields, "names", names);
        }
        _ => {}
    }
}

fn names(names: &mut Fields) {
    let kind = word(names, "kind").to_owned();
    if !holds(names, "singular") {
        set(names, "singular", kind.to_lowercase());
    }
    set(names, "listKind", format!("{kind}List"));
}
