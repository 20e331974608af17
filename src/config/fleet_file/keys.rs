//! Every key of the fleet file: the one table from which the check and the JSON schema come.

use super::desired::DESIRED;
use crate::{
    config::choices,
    shape::{Key, Shape},
};

/// The whole document.
pub(super) const DOCUMENT: Shape = Shape::Object(TOP);

const TOP: &[Key] = &[
    Key::new("name", Shape::Text, "Name of the fleet, shown in the header."),
    Key::new("only", Shape::Flag, "True: contexts that no cluster below names are left out. Default: they are in."),
    Key::new("defaults", Shape::Object(DEFAULTS), "Ledger fields for every cluster that does not say otherwise."),
    Key::new("clusters", Shape::List(&Shape::Object(CLUSTER)), "The clusters, in the order in which they are shown."),
    Key::new("groups", Shape::Map(&Shape::Object(SELECTOR)), "Groups of clusters by name: every field given must fit."),
    Key::new("environments", Shape::Map(&Shape::Object(ENVIRONMENT)), "Environments by name."),
    Key::new(
        "services",
        Shape::List(&Shape::Object(SERVICE)),
        "How workloads become services; the first rule that fits wins.",
    ),
    Key::new("systemNamespaces", Shape::Texts, "Namespaces (globs) whose workloads are no business services."),
    Key::new("watch", Shape::Object(WATCH), "Kinds watched beside the built-in ones, and kinds not watched."),
    Key::new(
        "columns",
        Shape::Map(&Shape::Texts),
        "Columns by screen: fleet, or a kind's plural; in this order, and no others but with `w`.",
    ),
    Key::new("desired", Shape::Object(DESIRED), "Desired state: services with their sources, and the policies."),
    Key::new("settings", Shape::Object(SETTINGS), "How the console looks and behaves; flags and variables win."),
];

/// Keys that `clusters` and `defaults` share; `clusters` has three more.
macro_rules! ledger_keys {
    ($($own:expr),*) => {
        &[
            $($own,)*
            Key::new("environment", Shape::Text, "Environment, e.g. prod; unknown is treated as production."),
            Key::new("region", Shape::Text, "Region, where the nodes do not say."),
            Key::new("zone", Shape::Texts, "Zone, where there is one."),
            Key::new("zones", Shape::Texts, "Zones, where the nodes do not say."),
            Key::new("provider", Shape::Text, "Provider, where the nodes do not say."),
            Key::new("team", Shape::Text, "Owning team."),
            Key::new("tier", Shape::Text, "Tier: how important the cluster is, 1 first."),
            Key::new("systems", Shape::Texts, "Business systems that live there."),
            Key::new("monitoring", Shape::Text, "Monitoring entry point, a URL."),
            Key::new("contacts", Shape::List(&Shape::Object(CONTACT)), "Whom to call in an emergency."),
            Key::new("onboarded", Shape::Text, "Day of onboarding, YYYY-MM-DD."),
            Key::new("labels", Shape::Map(&Shape::Text), "Labels; those of the cluster win over those of the defaults."),
            Key::new("taints", Shape::List(&Shape::Object(TAINT)), "Taints of the whole cluster, as placement knows them."),
            Key::new("groups", Shape::Texts, "Groups that the cluster belongs to, beside those that select it."),
            Key::new("namespace", Shape::Text, "Stay in this namespace: for permissions that cover one only."),
            Key::new("readOnly", Shape::Flag, "True: never write to it."),
        ]
    };
}

const CLUSTER: &[Key] = ledger_keys![
    Key::required("name", Shape::Text, "Name on every screen."),
    Key::new("alias", Shape::Text, "Short name for narrow columns."),
    Key::new("context", Shape::Text, "kubeconfig context; default: the name.")
];

const DEFAULTS: &[Key] = ledger_keys![];

const CONTACT: &[Key] = &[
    Key::required("name", Shape::Text, "A person, a team, a rota."),
    Key::new("reach", Shape::Text, "Telephone, chat channel, pager link."),
];

const TAINT: &[Key] = &[
    Key::required("key", Shape::Text, "Taint key."),
    Key::new("value", Shape::Text, "Taint value."),
    Key::new("effect", Shape::Word(&["NoSchedule", "PreferNoSchedule", "NoExecute"]), "Taint effect."),
];

const SELECTOR: &[Key] = &[
    Key::new("names", Shape::Texts, "Cluster names (globs)."),
    Key::new("labels", Shape::Map(&Shape::Texts), "Labels: the value must be one of these (globs)."),
    Key::new("environment", Shape::Texts, "Environments (globs)."),
    Key::new("region", Shape::Texts, "Declared regions (globs)."),
    Key::new("provider", Shape::Texts, "Declared providers (globs)."),
    Key::new("team", Shape::Texts, "Teams (globs)."),
    Key::new("tier", Shape::Texts, "Tiers (globs)."),
    Key::new("systems", Shape::Texts, "Business systems: one of them must fit (globs)."),
];

const ENVIRONMENT: &[Key] = &[
    Key::new("danger", Shape::Word(&["low", "high"]), "How much is asked before a change; high where nothing is said."),
    Key::new("match", Shape::Texts, "Names (globs) from which the environment is guessed where none is declared."),
    Key::new("readOnly", Shape::Flag, "True: never write to its clusters."),
];

const SERVICE: &[Key] = &[
    Key::required("name", Shape::Text, "Name of the service; {name}, {namespace}, {label:KEY} are filled in."),
    Key::new("namespaces", Shape::Texts, "Namespaces (globs); all where none is given."),
    Key::new("workloads", Shape::Texts, "Workload names (globs); all where none is given."),
    Key::new("selector", Shape::Text, "Label selector on the pod template, else on the workload."),
];

const WATCH: &[Key] = &[
    Key::new(
        "extra",
        Shape::List(&Shape::Object(KIND)),
        "Kinds watched beside the built-in ones, where they are served.",
    ),
    Key::new("skip", Shape::Texts, "Built-in kinds not to watch, by plural (events, csinodes)."),
];

const KIND: &[Key] = &[
    Key::new("group", Shape::Text, "API group; empty for core."),
    Key::required("versions", Shape::Texts, "API versions, best first."),
    Key::required("kind", Shape::Text, "Kind, as in manifests."),
    Key::required("plural", Shape::Text, "Plural, as in URLs."),
    Key::new("shortNames", Shape::Texts, "Short names for the command line."),
    Key::new("namespaced", Shape::Flag, "Whether its objects live in namespaces; true where nothing is said."),
];

/// Whether a setting is `true` or `false`.
pub(super) fn is_flag(setting: &str) -> bool {
    SETTINGS.iter().any(|key| key.name == setting && matches!(key.shape, Shape::Flag))
}

const SETTINGS: &[Key] = &[
    Key::new("theme", Shape::Text, "Theme by name; auto asks the terminal whether it is dark or light."),
    Key::new("color", Shape::Word(choices::COLORS), "Colours."),
    Key::new("lang", Shape::Word(choices::LANGS), "Language of the screens."),
    Key::new("ascii", Shape::Flag, "Plain ASCII instead of signs and box drawing."),
    Key::new("mouse", Shape::Flag, "Whether the mouse is listened to."),
    Key::new("plain", Shape::Flag, "No borders, no movement: for screen readers."),
    Key::new("clipboard", Shape::Word(choices::CLIPBOARDS), "How text is copied."),
    Key::new("readOnly", Shape::Flag, "Never write to any cluster."),
    Key::new("cache", Shape::Flag, "Keep the last picture on disk for the next start."),
];
