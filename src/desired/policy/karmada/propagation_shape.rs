//! The fields of a PropagationPolicy (specs: Karmada, defaults and validation; `policy.karmada.io/v1alpha1`).

use super::shape::{Field, Form, may, must};

const LABEL_PART: Field = may("labelSelector", Form::Map(LABELS));
const FIELD_PART: Field = may("fieldSelector", Form::Map(&[may("matchExpressions", Form::List(EXPRESSION))]));
const NAME_PART: Field = may("clusterNames", Form::Words);
const EXCLUDE_PART: Field = may("exclude", Form::Words);

/// A cluster affinity, as placements and override targets write it.
pub const AFFINITY: &[Field] = &[LABEL_PART, FIELD_PART, NAME_PART, EXCLUDE_PART];

/// Longest name of a group.
const GROUP_NAME: Form = Form::Short(32);

/// `labelSelector`.
pub const LABELS: &[Field] = &[may("matchLabels", Form::Pairs), may("matchExpressions", Form::List(EXPRESSION))];

const EXPRESSION: &[Field] = &[must("key", Form::Text), must("operator", Form::Text), may("values", Form::Words)];

/// `spec.resourceSelectors[]`.
pub const SELECTOR: &[Field] = &[
    must("apiVersion", Form::Text),
    must("kind", Form::Text),
    may("namespace", Form::Text),
    may("name", Form::Text),
    may("labelSelector", Form::Map(LABELS)),
];

const OVERFLOW: &[Field] = &[must("affinityName", GROUP_NAME), LABEL_PART, FIELD_PART, NAME_PART, EXCLUDE_PART];

const GROUP: &[Field] = &[
    must("affinityName", GROUP_NAME),
    LABEL_PART,
    FIELD_PART,
    NAME_PART,
    EXCLUDE_PART,
    may("overflowAffinities", Form::List(OVERFLOW)),
];

const WEIGHTS: &[Field] = &[
    may(
        "staticWeightList",
        Form::List(&[must("targetCluster", Form::Map(AFFINITY)), must("weight", Form::AtLeast(1))]),
    ),
    may("dynamicWeight", Form::OneOf(&["AvailableReplicas"])),
];

const WORKLOAD: &[Field] = &[must("groupByLabelKey", Form::Text)];

const PLACEMENT: &[Field] = &[
    may("clusterAffinity", Form::Map(AFFINITY)),
    may("clusterAffinities", Form::List(GROUP)),
    may(
        "clusterTolerations",
        Form::List(&[
            may("key", Form::Text),
            may("operator", Form::Text),
            may("value", Form::Text),
            may("effect", Form::Text),
            may("tolerationSeconds", Form::AtLeast(i64::MIN)),
        ]),
    ),
    may(
        "spreadConstraints",
        Form::List(&[
            may("spreadByField", Form::OneOf(&["cluster", "region", "zone", "provider"])),
            may("spreadByLabel", Form::Text),
            may("minGroups", Form::AtLeast(i64::MIN)),
            may("maxGroups", Form::AtLeast(i64::MIN)),
        ]),
    ),
    may(
        "replicaScheduling",
        Form::Map(&[
            may("replicaSchedulingType", Form::OneOf(&["Duplicated", "Divided"])),
            may("replicaDivisionPreference", Form::OneOf(&["Aggregated", "Weighted"])),
            may("weightPreference", Form::Map(WEIGHTS)),
        ]),
    ),
    may(
        "workloadAffinity",
        Form::Map(&[may("affinity", Form::Map(WORKLOAD)), may("antiAffinity", Form::Map(WORKLOAD))]),
    ),
];

const PRESERVED: Form =
    Form::Map(&[must("rules", Form::List(&[must("aliasLabelName", Form::Text), must("jsonPath", Form::Text)]))]);

const FAILOVER: &[Field] = &[
    may(
        "application",
        Form::Map(&[
            may("decisionConditions", Form::Map(&[may("tolerationSeconds", Form::Int)])),
            may("purgeMode", Form::OneOf(&["Directly", "Gracefully", "Never"])),
            may("gracePeriodSeconds", Form::Int),
            may("statePreservation", PRESERVED),
        ]),
    ),
    may(
        "cluster",
        Form::Map(&[may("purgeMode", Form::OneOf(&["Directly", "Gracefully"])), may("statePreservation", PRESERVED)]),
    ),
];

/// `spec`.
pub const SPEC: &[Field] = &[
    must("resourceSelectors", Form::List(SELECTOR)),
    may("association", Form::Bool),
    may("propagateDeps", Form::Bool),
    may("placement", Form::Map(PLACEMENT)),
    may("priority", Form::Int),
    may("preemption", Form::OneOf(&["Always", "Never"])),
    may("dependentOverrides", Form::Words),
    may("schedulerName", Form::Text),
    may("failover", Form::Map(FAILOVER)),
    may("conflictResolution", Form::OneOf(&["Abort", "Overwrite"])),
    may("activationPreference", Form::OneOf(&["Lazy"])),
    may(
        "suspension",
        Form::Map(&[
            may("dispatching", Form::Bool),
            may("dispatchingOnClusters", Form::Map(&[may("clusterNames", Form::Words)])),
        ]),
    ),
    may("preserveResourcesOnDeletion", Form::Bool),
    may(
        "schedulePriority",
        Form::Map(&[
            must("priorityClassSource", Form::OneOf(&["KubePriorityClass"])),
            must("priorityClassName", Form::Text),
        ]),
    ),
];
