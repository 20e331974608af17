//! Which system owns an object: the decision table of specs/peers.md section 10, strongest evidence first.
//!
//! Traps: Rancher Fleet and Flux HelmReleases leave Helm's marks too, so Helm comes after them; an Argo CD tracking id may
//! have been copied with the object's YAML and then names another one; wrangler's marks are used by k3s and Rancher
//! themselves; `app.kubernetes.io/instance` is written by many charts.

use super::row::{Managed, System};

/// What an object says of its owners; borrowed from the decoded metadata.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// Labels.
    pub labels: &'a [(&'a str, &'a str)],
    /// Annotations.
    pub annotations: &'a [(&'a str, &'a str)],
    /// ownerReferences: kind, group, name, controller.
    pub owners: &'a [(&'a str, &'a str, &'a str, bool)],
    /// Field managers without subresource, newest last.
    pub managers: &'a [&'a str],
    /// `group/Kind:namespace/name` as an Argo CD tracking id ends, to tell a copied annotation from a real one.
    pub identity: &'a str,
}

impl Evidence<'_> {
    fn label(&self, key: &str) -> Option<&str> {
        find(self.labels, key)
    }

    fn annotation(&self, key: &str) -> Option<&str> {
        find(self.annotations, key)
    }
}

fn find<'a>(pairs: &'a [(&'a str, &'a str)], key: &str) -> Option<&'a str> {
    pairs.iter().find(|(k, _)| *k == key).map(|(_, v)| *v)
}

/// What one rule found: the system's own name for what it manages.
type Rule = fn(&Evidence<'_>) -> Option<String>;

/// The rules in their order, with whether the evidence is weak.
const RULES: &[(System, Rule, bool)] = &[
    (System::Karmada, karmada, false),
    (System::Ocm, ocm, false),
    (System::KubeVela, kubevela, false),
    (System::RancherFleet, rancher_fleet, false),
    (System::FluxHelm, |e| pair(e, "helm.toolkit.fluxcd.io"), false),
    (System::FluxKustomize, |e| pair(e, "kustomize.toolkit.fluxcd.io"), false),
    (System::ArgoCd, argo_tracking, false),
    (System::Helm, helm, false),
    (System::KubeFed, kubefed, false),
    (System::ArgoCd, instance, true),
    (System::Controller, controller, false),
    (System::Hint, hint, true),
];

/// The owner, and everything else that marked the object; `None` when nothing did.
pub fn managed(evidence: &Evidence<'_>) -> Option<Managed> {
    let mut hits = RULES.iter().filter_map(|(by, rule, maybe)| Some((*by, rule(evidence)?, *maybe)));
    let (by, name, maybe) = hits.next()?;
    let mut also: Vec<System> = Vec::new();
    for (system, _, weak) in hits {
        // A weak sign beside a strong one says nothing new.
        if system != by && !weak && !also.contains(&system) {
            also.push(system);
        }
    }
    Some(Managed { by, name: name.into(), also, maybe })
}

fn karmada(e: &Evidence<'_>) -> Option<String> {
    let work = e.annotation("work.karmada.io/namespace").zip(e.annotation("work.karmada.io/name"));
    let marked = e.label("work.karmada.io/permanent-id").is_some() || e.label("karmada.io/managed") == Some("true");
    match work {
        Some((namespace, name)) => Some(format!("{namespace}/{name}")),
        None => marked.then(String::new),
    }
}

/// The owner's name is `<hub hash>-<manifestwork name>`; the hash has no hyphen.
fn ocm(e: &Evidence<'_>) -> Option<String> {
    let (.., name, _) = e.owners.iter().find(|(kind, ..)| *kind == "AppliedManifestWork")?;
    Some(name.split_once('-').map_or(*name, |(_, work)| work).to_owned())
}

fn kubevela(e: &Evidence<'_>) -> Option<String> {
    Some(format!("{}/{}", e.label("app.oam.dev/namespace")?, e.label("app.oam.dev/name")?))
}

/// A bundle's id is `default-<bundle>`. k3s add-ons have an empty id and say whose they are by `owner-gvk`; Rancher's own
/// objects have ids of other forms.
fn rancher_fleet(e: &Evidence<'_>) -> Option<String> {
    e.label("objectset.rio.cattle.io/hash")?;
    if e.annotation("objectset.rio.cattle.io/owner-gvk").is_some_and(|gvk| !gvk.is_empty()) {
        return None;
    }
    let bundle = e.annotation("objectset.rio.cattle.io/id")?.strip_prefix("default-")?;
    (!bundle.is_empty()).then(|| bundle.to_owned())
}

fn pair(e: &Evidence<'_>, prefix: &str) -> Option<String> {
    let part = |tail: &str| e.labels.iter().find(|(k, _)| k.strip_prefix(prefix) == Some(tail)).map(|(_, v)| *v);
    Some(format!("{}/{}", part("/namespace")?, part("/name")?))
}

/// `<app>:<group>/<kind>:<namespace>/<name>`, where `<app>` is `<namespace>_<app>` outside the control namespace.
fn argo_tracking(e: &Evidence<'_>) -> Option<String> {
    let (app, object) = e.annotation("argocd.argoproj.io/tracking-id")?.split_once(':')?;
    let (kind, place) = object.split_once(':')?;
    let (own_kind, own_place) = e.identity.split_once(':')?;
    let (namespace, name) = place.split_once('/')?;
    let (own_namespace, own_name) = own_place.split_once('/')?;
    // A cluster-scoped object has no namespace, but some versions write the Application's target into the id.
    let here = kind == own_kind && name == own_name && (namespace == own_namespace || own_namespace.is_empty());
    (here && !app.is_empty()).then(|| app.replacen('_', "/", 1))
}

fn helm(e: &Evidence<'_>) -> Option<String> {
    if e.label("app.kubernetes.io/managed-by") != Some("Helm") {
        return None;
    }
    let (name, namespace) =
        (e.annotation("meta.helm.sh/release-name")?, e.annotation("meta.helm.sh/release-namespace")?);
    Some(format!("{namespace}/{name}"))
}

/// The label does not say which federated object it is: by convention the one of the same kind and name.
fn kubefed(e: &Evidence<'_>) -> Option<String> {
    let place = e.identity.split_once(':').map_or("", |(_, place)| place);
    (e.label("kubefed.io/managed") == Some("true")).then(|| place.trim_start_matches('/').to_owned())
}

fn instance(e: &Evidence<'_>) -> Option<String> {
    e.label("app.kubernetes.io/instance").filter(|v| !v.is_empty()).map(str::to_owned)
}

fn controller(e: &Evidence<'_>) -> Option<String> {
    let (kind, _, name, _) = e.owners.iter().find(|(.., controller)| *controller)?;
    Some(format!("{kind}/{name}"))
}

/// Field managers that belong to a delivery system or a person's tool; the newest one is the best hint.
fn hint(e: &Evidence<'_>) -> Option<String> {
    const EXACT: &[&str] =
        &["argocd-controller", "kustomize-controller", "helm-controller", "helm", "Helm", "kubectl-client-side-apply"];
    let known = |m: &&&str| EXACT.contains(m) || m.starts_with("work-agent") || m.starts_with("fleet");
    e.managers.iter().rev().find(known).map(|m| (*m).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs = &'static [(&'static str, &'static str)];

    struct Case {
        what: &'static str,
        labels: Pairs,
        annotations: Pairs,
        owners: &'static [(&'static str, &'static str, &'static str, bool)],
        managers: &'static [&'static str],
        expect: Option<(System, &'static str, &'static [System], bool)>,
    }

    const NOTHING: Case =
        Case { what: "nothing", labels: &[], annotations: &[], owners: &[], managers: &[], expect: None };

    const HELM: Pairs = &[("meta.helm.sh/release-name", "api"), ("meta.helm.sh/release-namespace", "shop")];

    const CASES: &[Case] = &[
        NOTHING,
        Case {
            what: "Karmada, with the release it propagates",
            labels: &[("work.karmada.io/permanent-id", "7"), ("karmada.io/managed", "true")],
            annotations: &[("work.karmada.io/namespace", "karmada-es-m1"), ("work.karmada.io/name", "api-6d")],
            expect: Some((System::Karmada, "karmada-es-m1/api-6d", &[], false)),
            ..NOTHING
        },
        Case {
            what: "OCM: the name follows the hub's hash",
            owners: &[("AppliedManifestWork", "work.open-cluster-management.io", "ab12-api-work", false)],
            managers: &["work-agent-x"],
            expect: Some((System::Ocm, "api-work", &[], false)),
            ..NOTHING
        },
        Case {
            what: "KubeVela",
            labels: &[("app.oam.dev/name", "api"), ("app.oam.dev/namespace", "shop")],
            expect: Some((System::KubeVela, "shop/api", &[], false)),
            ..NOTHING
        },
        Case {
            what: "a Fleet bundle carries Helm's marks too",
            labels: &[("objectset.rio.cattle.io/hash", "9"), ("app.kubernetes.io/managed-by", "Helm")],
            annotations: &[
                ("objectset.rio.cattle.io/id", "default-shop-api"),
                ("meta.helm.sh/release-name", "shop-api"),
                ("meta.helm.sh/release-namespace", "shop"),
            ],
            expect: Some((System::RancherFleet, "shop-api", &[System::Helm], false)),
            ..NOTHING
        },
        Case {
            what: "a k3s add-on is no bundle",
            labels: &[("objectset.rio.cattle.io/hash", "9")],
            annotations: &[
                ("objectset.rio.cattle.io/id", ""),
                ("objectset.rio.cattle.io/owner-gvk", "k3s.cattle.io/v1, Kind=Addon"),
            ],
            ..NOTHING
        },
        Case {
            what: "the Fleet agent itself is no bundle",
            labels: &[("objectset.rio.cattle.io/hash", "9")],
            annotations: &[("objectset.rio.cattle.io/id", "fleet-agent-bootstrap")],
            ..NOTHING
        },
        Case {
            what: "a Flux HelmRelease carries Helm's marks too",
            labels: &[
                ("helm.toolkit.fluxcd.io/name", "api"),
                ("helm.toolkit.fluxcd.io/namespace", "flux"),
                ("app.kubernetes.io/managed-by", "Helm"),
                ("app.kubernetes.io/instance", "api"),
            ],
            annotations: HELM,
            expect: Some((System::FluxHelm, "flux/api", &[System::Helm], false)),
            ..NOTHING
        },
        Case {
            what: "Flux Kustomization",
            labels: &[("kustomize.toolkit.fluxcd.io/name", "apps"), ("kustomize.toolkit.fluxcd.io/namespace", "flux")],
            expect: Some((System::FluxKustomize, "flux/apps", &[], false)),
            ..NOTHING
        },
        Case {
            what: "Argo CD, an Application outside the control namespace",
            annotations: &[("argocd.argoproj.io/tracking-id", "team_api:apps/Deployment:shop/api")],
            expect: Some((System::ArgoCd, "team/api", &[], false)),
            ..NOTHING
        },
        Case {
            what: "a copied tracking id names another object",
            annotations: &[("argocd.argoproj.io/tracking-id", "api:apps/Deployment:shop/other")],
            ..NOTHING
        },
        Case {
            what: "a copied tracking id leaves the instance label as a maybe",
            labels: &[("app.kubernetes.io/instance", "api")],
            annotations: &[("argocd.argoproj.io/tracking-id", "api:apps/Deployment:other/api")],
            expect: Some((System::ArgoCd, "api", &[], true)),
            ..NOTHING
        },
        Case {
            what: "Helm",
            labels: &[("app.kubernetes.io/managed-by", "Helm"), ("app.kubernetes.io/instance", "api")],
            annotations: HELM,
            expect: Some((System::Helm, "shop/api", &[], false)),
            ..NOTHING
        },
        Case { what: "Helm's annotations without its label do not make a release", annotations: HELM, ..NOTHING },
        Case {
            what: "KubeFed says managed, not by which object",
            labels: &[("kubefed.io/managed", "true")],
            expect: Some((System::KubeFed, "shop/api", &[], false)),
            ..NOTHING
        },
        Case { what: "KubeFed was told to leave it alone", labels: &[("kubefed.io/managed", "false")], ..NOTHING },
        Case {
            what: "a controller",
            owners: &[("ConfigMap", "", "x", false), ("Prometheus", "monitoring.coreos.com", "main", true)],
            managers: &["PrometheusOperator"],
            expect: Some((System::Controller, "Prometheus/main", &[], false)),
            ..NOTHING
        },
        Case {
            what: "only a field manager hints at it",
            managers: &["argocd-controller", "kubectl-client-side-apply", "kube-controller-manager"],
            expect: Some((System::Hint, "kubectl-client-side-apply", &[], true)),
            ..NOTHING
        },
    ];

    #[test]
    fn the_table() {
        for case in CASES {
            let found = managed(&Evidence {
                labels: case.labels,
                annotations: case.annotations,
                owners: case.owners,
                managers: case.managers,
                identity: "apps/Deployment:shop/api",
            });
            let found = found.as_ref().map(|m| (m.by, &*m.name, m.also.as_slice(), m.maybe));
            assert_eq!(found, case.expect, "{}", case.what);
        }
    }
}
