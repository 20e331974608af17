//! Every key of a native policy: the one table from which the check and the published JSON schema come.

use super::clusters::CLUSTERS;
use crate::shape::{self, Key, Shape};

/// A policy document.
pub(super) const DOCUMENT: Shape = Shape::Object(&[
    Key::required("apiVersion", Shape::Word(&[super::API_VERSION]), "The version of this format."),
    Key::required("kind", Shape::Word(&[super::KIND]), "Always Policy."),
    Key::required("metadata", Shape::Object(METADATA), "What the policy is called."),
    Key::new(
        "resources",
        Shape::List(&Shape::Object(RESOURCE)),
        "What the policy is about: one of these must fit. Needed with a placement; without it overrides are about everything.",
    ),
    Key::new(
        "priority",
        Shape::Whole(LEAST_PRIORITY),
        "Of several placements for an object the highest wins; 0 where nothing is said.",
    ),
    Key::new("placement", Shape::Object(PLACEMENT), "Which clusters, and how many replicas in each."),
    Key::new(
        "overrides",
        Shape::List(&Shape::Object(OVERRIDE)),
        "What differs there: in this order, but rules that name an object more exactly come last.",
    ),
]);

/// Priorities are 32-bit numbers, as in other systems.
const LEAST_PRIORITY: i64 = i32::MIN as i64;

const METADATA: &[Key] = &[Key::required("name", Shape::Text, "Name of the policy; no two policies share one.")];

const RESOURCE: &[Key] = &[
    Key::new("apiVersion", Shape::Text, "apiVersion, e.g. apps/v1; left out: any."),
    Key::new("kind", Shape::Text, "Kind; left out: any."),
    Key::new("namespace", Shape::Text, "Namespace; left out: any."),
    Key::new("name", Shape::Text, "Exact name; left out: any. With a name, labels are not looked at."),
    Key::new(
        "labels",
        Shape::Map(&Shape::Texts),
        "Labels of the object: the value must be one of these; * is any value, !x is anything but x.",
    ),
];

const PLACEMENT: &[Key] = &[
    Key::new("clusters", Shape::Object(CLUSTERS), "Which clusters; {} is every cluster. This or fallback."),
    Key::new(
        "fallback",
        Shape::List(&Shape::Object(GROUP)),
        "Ordered groups of clusters: the first in which everything fits is used, alone. This or clusters.",
    ),
    Key::new("tolerations", Shape::List(&Shape::Object(TOLERATION)), "Taints of clusters that are borne."),
    Key::new("spread", Shape::List(&Shape::Object(SPREAD)), "How many clusters or regions are used."),
    Key::new(
        "replicas",
        Shape::Object(REPLICAS),
        "How replicas are dealt out; left out: all of them in every cluster.",
    ),
];

const GROUP: &[Key] = &[
    Key::required("name", Shape::Text, "Name of the group."),
    Key::required("clusters", Shape::Object(CLUSTERS), "Its clusters."),
];

const TOLERATION: &[Key] = &[
    Key::new("key", Shape::Text, "Taint key; left out: any."),
    Key::new("value", Shape::Text, "Taint value; left out: any."),
    Key::new("effect", Shape::Word(&["NoSchedule", "PreferNoSchedule", "NoExecute"]), "Taint effect; left out: any."),
];

const SPREAD: &[Key] = &[
    Key::required(
        "by",
        Shape::Word(&["cluster", "region", "zone", "provider"]),
        "What is counted. zone and provider only leave out clusters that have none.",
    ),
    Key::new("min", Shape::Whole(1), "At least this many, or nothing is placed; 1 where nothing is said."),
    Key::new("max", Shape::Whole(1), "At most this many; as many as there are where nothing is said."),
];

const REPLICAS: &[Key] = &[
    Key::required(
        "mode",
        Shape::Word(&["duplicated", "weighted", "capacity", "packed"]),
        "duplicated: all in every cluster. weighted: by fixed weights. capacity: by free room. packed: in as few clusters as have room.",
    ),
    Key::new(
        "weights",
        Shape::List(&Shape::Object(WEIGHT)),
        "With weighted: the highest weight that fits a cluster counts, others get nothing; left out: equal weights.",
    ),
    Key::new(
        "limits",
        Shape::List(&Shape::Object(LIMIT)),
        "Least and most replicas in a cluster; the first that fits a cluster counts.",
    ),
];

const WEIGHT: &[Key] = &[
    Key::required("clusters", Shape::Object(CLUSTERS), "Which clusters."),
    Key::required("weight", Shape::Whole(1), "Their weight."),
];

const LIMIT: &[Key] = &[
    Key::new("clusters", Shape::Object(CLUSTERS), "Which clusters; left out: every cluster."),
    Key::new("min", Shape::Whole(0), "At least this many in each."),
    Key::new("max", Shape::Whole(0), "At most this many in each."),
];

const OVERRIDE: &[Key] = &[
    Key::new("name", Shape::Text, "A name for explanations."),
    Key::new("clusters", Shape::Object(CLUSTERS), "In which clusters; left out: in all."),
    Key::new(
        "resources",
        Shape::List(&Shape::Object(RESOURCE)),
        "What this rule is about, where that is not what the policy is about.",
    ),
    Key::new("images", Shape::List(&Shape::Object(IMAGE)), "Parts of image references."),
    Key::new("command", Shape::List(&Shape::Object(WORDS)), "Words of a container's command."),
    Key::new("args", Shape::List(&Shape::Object(WORDS)), "Arguments of a container."),
    Key::new("env", Shape::List(&Shape::Object(ENV)), "Variables of containers."),
    Key::new("containerResources", Shape::List(&Shape::Object(NEEDS)), "Requests and limits of containers."),
    Key::new("labels", Shape::Object(MARKS), "Labels of the object itself."),
    Key::new("annotations", Shape::Object(MARKS), "Annotations of the object itself."),
    Key::new("text", Shape::List(&Shape::Object(TEXT)), "JSON or YAML inside a text, e.g. a key of a ConfigMap."),
    Key::new("merge", Shape::Map(&Shape::Any), "A strategic merge patch."),
    Key::new("patch", Shape::List(&Shape::Object(OPERATION)), "A JSON patch: all of it, or nothing."),
];

const IMAGE: &[Key] = &[
    Key::new("registry", Shape::Text, "New registry; \"\" takes it away."),
    Key::new("repository", Shape::Text, "New repository."),
    Key::new("tag", Shape::Text, "New tag; a digest goes."),
    Key::new("digest", Shape::Text, "New digest, e.g. sha256:...; a tag goes."),
    Key::new("container", Shape::Text, "Name of the container; left out: all of them, init containers too."),
    Key::new("path", Shape::Text, "Instead of a container: one image, as a JSON pointer, e.g. in a custom resource."),
];

const WORDS: &[Key] = &[
    Key::new("container", Shape::Text, "Name of the container; left out: all of them, init containers excepted."),
    Key::new("set", Shape::Texts, "All of the words anew."),
    Key::new("remove", Shape::Texts, "Words taken out, wherever they stand."),
    Key::new("add", Shape::Texts, "Words put at the end, after that."),
];

const ENV: &[Key] = &[
    Key::new("container", Shape::Text, "Name of the container; left out: all of them, init containers excepted."),
    Key::new("set", Shape::Map(&Shape::Any), "Variables: a text, or {valueFrom: ...} as in a Pod."),
    Key::new("remove", Shape::Texts, "Variables taken out."),
];

const NEEDS: &[Key] = &[
    Key::new("container", Shape::Text, "Name of the container; left out: all of them, init containers excepted."),
    Key::new("requests", Shape::Map(&Shape::Amount), "Requests, put over what is there."),
    Key::new("limits", Shape::Map(&Shape::Amount), "Limits, put over what is there."),
];

const MARKS: &[Key] = &[
    Key::new("set", Shape::Map(&Shape::Text), "Keys and values."),
    Key::new("remove", Shape::Texts, "Keys taken out."),
];

const TEXT: &[Key] = &[
    Key::required("path", Shape::Text, "JSON pointer to the text, e.g. /data/app.yaml."),
    Key::required("form", Shape::Word(&["json", "yaml"]), "How the text is written."),
    Key::required("patch", Shape::List(&Shape::Object(OPERATION)), "What is done inside it: all of it, or nothing."),
];

const OPERATION: &[Key] = &[
    Key::required("op", Shape::Word(&["add", "replace", "remove", "test", "move", "copy"]), "What is done."),
    Key::required("path", Shape::Text, "Where, as a JSON pointer (/spec/replicas)."),
    Key::new("from", Shape::Text, "From where, as a JSON pointer, for move and copy."),
    Key::new("value", Shape::Any, "The value, for add, replace and test."),
];

/// The JSON schema of a policy, as it is published in `config/policy.schema.json`.
pub fn schema() -> String {
    shape::published(DOCUMENT, "Quarterdeck policy")
}
