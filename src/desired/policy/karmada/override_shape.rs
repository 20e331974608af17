//! The fields of an OverridePolicy (specs: Karmada, overrides; `policy.karmada.io/v1alpha1`).

use super::{
    propagation_shape::{AFFINITY, SELECTOR},
    shape::{Field, Form, may, must},
};

const OPERATOR: Field = must("operator", Form::OneOf(&["add", "remove", "replace"]));

const WORDS: &[Field] =
    &[must("containerName", Form::Text), must("operator", Form::OneOf(&["add", "remove"])), may("value", Form::Words)];

const MARKS: &[Field] = &[OPERATOR, must("value", Form::Pairs)];

const PATCH: &[Field] = &[must("subPath", Form::Text), OPERATOR];

const OVERRIDERS: Form = Form::Map(&[
    may("plaintext", Form::List(&[must("path", Form::Text), OPERATOR])),
    may(
        "imageOverrider",
        Form::List(&[
            may("predicate", Form::Map(&[must("path", Form::Text)])),
            must("component", Form::OneOf(&["Registry", "Repository", "Tag"])),
            OPERATOR,
            may("value", Form::Text),
        ]),
    ),
    may("commandOverrider", Form::List(WORDS)),
    may("argsOverrider", Form::List(WORDS)),
    may("labelsOverrider", Form::List(MARKS)),
    may("annotationsOverrider", Form::List(MARKS)),
    may(
        "fieldOverrider",
        Form::List(&[must("fieldPath", Form::Text), may("json", Form::List(PATCH)), may("yaml", Form::List(PATCH))]),
    ),
]);

const RULE: &[Field] = &[may("targetCluster", Form::Map(AFFINITY)), must("overriders", OVERRIDERS)];

/// `spec`; the last two are the deprecated form of one rule.
pub const SPEC: &[Field] = &[
    may("resourceSelectors", Form::List(SELECTOR)),
    may("overrideRules", Form::List(RULE)),
    may("targetCluster", Form::Map(AFFINITY)),
    may("overriders", OVERRIDERS),
];
